"""Tasks in a pool of processes, where one that ends its process costs only itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from typing import TypeAlias, TypeVar

from symattn.errors import InputError
from symattn.processes.limits import is_over_budget
from symattn.processes.pool import pool
from symattn.records import dataclass

_Key = TypeVar("_Key")
_Made = TypeVar("_Made")

Submit: TypeAlias = Callable[[ProcessPoolExecutor, _Key], Future[_Made]]

_INTERNAL = 4
"""The exit status of an internal fault."""

_OVER_BUDGET = "Checking it takes more processor time than it may, so it was stopped; --timeout allows more."


@dataclass(frozen=True, slots=True)
class Failure:
    """A task without a result.

    Attributes:
        error: the exception that it raised; None where its process ended.
        is_over: whether the process ended because the task took more than its budget.
    """

    error: BaseException | None = None
    is_over: bool = False

    @property
    def told(self) -> tuple[str, int]:
        """The sentence for a person, and the exit status."""
        if self.is_over:
            return _OVER_BUDGET, InputError.exit_status
        if self.error is None:
            return "The process that checked it ended: it may be too large for this machine.", _INTERNAL
        return f"An internal fault ({type(self.error).__name__}: {self.error}): please report it.", _INTERNAL


def run_isolated(
    submit: Submit[_Key, _Made], keys: Iterable[_Key], jobs: int, emit: Callable[[_Key, _Made | Failure], None]
) -> None:
    """Run tasks in processes, and emit the outcome of each when it is there.

    Args:
        submit: hands the task of a key to a pool.
        keys: a key of each task.
        jobs: how many run at a time.
        emit: is called in this process with each key and its outcome.
    """
    waiting = deque(keys)
    suspects: list[_Key] = []
    while waiting:
        suspects.extend(key for key, _ in _until_broken(submit, waiting, emit, min(jobs, len(waiting))))
    # One of several ended its process: each is run alone, and the one that does it again is named.
    for key in suspects:
        for culprit, is_over in _until_broken(submit, deque([key]), emit, 1):
            emit(culprit, Failure(is_over=is_over))


def _until_broken(
    submit: Submit[_Key, _Made], waiting: deque[_Key], emit: Callable[[_Key, _Made | Failure], None], jobs: int
) -> list[tuple[_Key, bool]]:
    """Run what waits, until all is done or a process ends.

    What was running then is returned, with whether a process was over its budget.
    """
    broken: list[_Key] = []
    children: list[BaseProcess] = []
    with pool(jobs) as processes:
        running: dict[Future[_Made], _Key] = {}
        while running or (waiting and not broken):
            while waiting and not broken and len(running) < jobs:
                try:
                    running[submit(processes, waiting[0])] = waiting[0]
                except BrokenProcessPool:
                    if not running:
                        return []
                    break
                waiting.popleft()
                children = active_children()
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                key = running.pop(future)
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    broken.append(key)
                else:
                    emit(key, future.result() if error is None else Failure(error))
    # The pool has waited for its processes by now; asked before, two threads wait for one and either may get no code.
    is_over = any(is_over_budget(child.exitcode) for child in children)
    return [(key, is_over) for key in broken]
