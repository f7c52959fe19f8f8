"""Worker pool."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process

from symattn.errors import OutputError


@contextmanager
def pool(jobs: int, prepare: Callable[..., None] | None = None, *given: object) -> Iterator[ProcessPoolExecutor]:
    """Start a pool of fresh worker processes, the same on every system, which end with this process.

    Args:
        jobs: how many.
        prepare: what each does first.
        given: with what it does so.

    Raises:
        OutputError: a process ended, and the one that asked for its result does not handle that.
    """
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin, initargs=(prepare, given))
    try:
        yield executor
    except BrokenProcessPool as error:
        executor.shutdown()
        raise OutputError("A process ended, perhaps because it ran out of memory. Use fewer --jobs.") from error
    except BaseException:
        # Ctrl-C, or nowhere to write to: nobody waits for what is being done. The pool's own thread ends with its
        # processes, and is waited for: left behind, it may speak of closed files while the interpreter ends.
        for process in active_children():
            process.terminate()
        executor.shutdown(wait=True, cancel_futures=True)
        raise
    executor.shutdown()


def _begin(prepare: Callable[..., None] | None, given: tuple[object, ...]) -> None:
    """Initialise a worker: ignore Ctrl-C, which the main process handles, and end with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare(*given)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, which may have been killed outright."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
