"""Progress of long runs, on a terminal alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count
from typing import TYPE_CHECKING

from symattn import late

if TYPE_CHECKING:
    from rich import console as rich_console
    from rich import progress as rich_progress
else:
    rich_console = late.module("rich.console")
    rich_progress = late.module("rich.progress")

_bars = 0
"""How many progress bars are on the screen: they say enough."""


@contextmanager
def progress(word: str, total: int, done: int = 0) -> Iterator[Callable[[], None]]:
    """Show a bar on a terminal, nothing elsewhere; the function that is yielded moves it on by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    global _bars  # noqa: PLW0603 - there is one terminal
    with rich_progress.Progress(console=rich_console.Console(stderr=True)) as bar:
        _bars += 1
        try:
            task = bar.add_task(word, total=total, completed=done)
            yield lambda: bar.advance(task)
        finally:
            _bars -= 1


@contextmanager
def patience(command: str) -> Iterator[None]:
    """Say on standard error that a command is still working, after two seconds and then ever more seldom."""
    done = threading.Event()
    threading.Thread(target=tell, args=(command, done.wait), daemon=True).start()
    try:
        yield
    finally:
        done.set()


def tell(command: str, is_done: Callable[[float], bool]) -> None:
    """Print a line at each notice until the work is done.

    Args:
        command: the words that the line begins with.
        is_done: waits some seconds for the end of the work, and returns whether it came.
    """
    before = 0
    for seconds in chain((2, 10, 30), count(60, 60)):
        if is_done(seconds - before):
            return
        before = seconds
        if not _bars:
            print(f"{command}: still working after {seconds} s; Ctrl-C stops it.", file=sys.stderr)  # noqa: T201
