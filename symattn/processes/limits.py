"""Limits on the processor time and the memory of one check, and a monitor that reports how it ended."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from symattn import late
from symattn.errors import SymattnError
from symattn.processes.signals import is_own_process, status_of

if TYPE_CHECKING:
    import resource
else:
    resource = late.module("resource")

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

    The process ends by a signal where one operation of the interpreter takes longer still, which `monitored` and the
    pool of a folder report. A system without timers of processor time, or without limits of memory, limits nothing of
    that kind.

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
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = int(gigabytes * 10**9)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


_PATIENCE = 0.5
"""Seconds in which a child ends that Ctrl-C has reached by itself."""

_LAST_GRACE = 3.0
"""Seconds after which a child that was asked to end is killed: one operation may never come back to Python."""

_OVER_BUDGET = 2
_INTERNAL = 4


def monitored(work: str, tell: Callable[[str], None]) -> int | None:
    """Let the rest of a run go on in a child process, and wait for its end.

    Args:
        work: the name of what is checked, for messages.
        tell: prints a message.

    Returns:
        The exit status of the run in the process that waited; None in the one that goes on. Without processes that
        copy themselves, and where the program runs inside another one, that is the same process.
    """
    if not is_own_process() or not hasattr(os, "fork"):
        return None
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        child = os.fork()
    except OSError:  # too many processes
        return None
    return None if child == 0 else _status(child, work, tell)


def _status(child: int, work: str, tell: Callable[[str], None]) -> int:
    """Return the exit status of the run whose process was waited for; one that a signal ended is told of."""
    code = _waited(child, tell)
    if code >= 0:
        return code
    if is_over_budget(code):
        tell(
            f"symattn: {work}: checking it takes more processor time than it may, so it was stopped; "
            "--timeout allows more."
        )
        return _OVER_BUDGET
    if -code in {signal.SIGKILL, signal.SIGABRT}:
        tell(
            f"symattn: {work}: the process that checked it was ended, as for want of memory; --memory sets what it may "
            "take."
        )
        return _OVER_BUDGET
    tell(f"symattn: {work}: an internal fault (signal {-code}) ended the process that checked it: please report it.")
    return _INTERNAL


def _waited(child: int, tell: Callable[[str], None]) -> int:
    """Return the exit code of a child, minus the number of the signal that ended it; requests to end are passed on."""
    while True:
        try:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except KeyboardInterrupt as stop:
            return _stopped(child, status_of(stop), tell)


def _stopped(child: int, status: int, tell: Callable[[str], None]) -> int:
    """Pass on a request to end, and kill a child that does not listen."""
    number = status - 128
    # Ctrl-C reaches every process of a terminal.
    code = _ended_within(child, _PATIENCE if number == signal.SIGINT else 0)
    if code is None:
        os.kill(child, number)
        code = _ended_within(child, _LAST_GRACE)
    if code is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        tell("symattn: Stopped.")
    return status if code is None or code < 0 else code


def _ended_within(child: int, seconds: float) -> int | None:
    """Return the exit code of a child that ends soon; None for one that does not."""
    end = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= end:
            return None
        time.sleep(0.02)
