"""Limits on the processor time and the memory of one check, where the system has them."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

from symattn.errors import SymattnError

SECONDS = 60.0
GIGABYTES = 2.0

_GRACE = 2
"""Times the budget after which a single operation that never comes back to Python is ended with its process."""


class BudgetError(SymattnError):
    """A check that took more processor time or memory than it may."""


class Budget(NamedTuple):
    """The most that one check may take: seconds of a processor, and 10^9 bytes of memory."""

    seconds: float = SECONDS
    gigabytes: float = GIGABYTES


@contextmanager
def limited(budget: Budget, name: str) -> Iterator[None]:
    """Limit what a check takes; beyond it, an error names the work.

    The process ends by a signal where one operation of the interpreter takes longer still, which
    `symattn.cli.processes.monitor` and the pool of a folder tell of. A system without timers
    of processor time, or without limits of memory, limits nothing of that kind.

    Raises:
        BudgetError: the check takes more than it may.
    """
    try:
        with _timed(budget.seconds, name), _memory(budget.gigabytes):
            yield
    except MemoryError as error:
        raise BudgetError(
            f"{name}: checking it takes more than {budget.gigabytes:g} GB of memory, so it was stopped; "
            "--memory allows more."
        ) from error


def is_over_budget(exit_code: int | None) -> bool:
    """Return whether the exit code of a process says that the limit of its processor time has ended it."""
    return sys.platform != "win32" and exit_code == -signal.SIGPROF


@contextmanager
def _timed(seconds: float, name: str) -> Iterator[None]:
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise BudgetError(
            f"{name}: checking it takes more than {seconds:g} seconds of processor time, so it was stopped; "
            "--timeout allows more."
        )

    before = signal.signal(signal.SIGVTALRM, stop)
    # The default action of this signal ends the process, whatever it does.
    signal.setitimer(signal.ITIMER_PROF, _GRACE * seconds)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _memory(gigabytes: float) -> Iterator[None]:
    if sys.platform != "linux":  # elsewhere the limit is not kept, or is not there
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = int(gigabytes * 10**9)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
