"""How far a long run is, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(word: str, total: int, done: int = 0) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, nothing elsewhere; what is yielded moves it on by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    # start-up: only a terminal needs it.
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(word, total=total, completed=done)
        yield lambda: bar.advance(task)
