"""A monitor of one check, which goes on in a child process: whatever ends the child, its end is told of."""

from __future__ import annotations

import os
import signal
import sys
import time

from symattn.cli.output import tell
from symattn.cli.processes.limits import is_over_budget
from symattn.cli.processes.signals import is_own_process, status_of

_PATIENCE = 0.5
"""Seconds in which a child ends that Ctrl-C has reached by itself."""

_GRACE = 3.0
"""Seconds after which a child that was asked to end is killed: one operation may never come back to Python."""

_OVER_BUDGET = 2
_INTERNAL = 4


def monitored(work: str) -> int | None:
    """Let the rest of a run go on in a child process, and wait for its end.

    Args:
        work: the name of what is checked, for messages.

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
    return None if child == 0 else _status(child, work)


def _status(child: int, work: str) -> int:
    """Return the exit status of the run whose process was waited for; one that a signal ended is told of."""
    code = _waited(child)
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


def _waited(child: int) -> int:
    """Return the exit code of a child, minus the number of the signal that ended it; requests to end are passed on."""
    while True:
        try:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except KeyboardInterrupt as stop:
            return _stopped(child, status_of(stop))


def _stopped(child: int, status: int) -> int:
    """Pass on a request to end, and kill a child that does not listen."""
    number = status - 128
    # Ctrl-C reaches every process of a terminal.
    code = _ended_within(child, _PATIENCE if number == signal.SIGINT else 0)
    if code is None:
        os.kill(child, number)
        code = _ended_within(child, _GRACE)
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
