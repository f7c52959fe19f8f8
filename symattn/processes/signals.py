"""TERM and HUP, handled as Ctrl-C is: all that was begun is cleared away before the process ends."""

from __future__ import annotations

import signal
from types import FrameType

INTERRUPTED = 130
"""The exit status after Ctrl-C."""

_NUMBERS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


_is_own = False


class Stopped(KeyboardInterrupt):
    """The end of a process that a signal asked for."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.status = 128 + number


def status_of(stop: KeyboardInterrupt) -> int:
    """Return the exit status of a run that a signal, or Ctrl-C, has ended."""
    return stop.status if isinstance(stop, Stopped) else INTERRUPTED


def is_own_process() -> bool:
    """Return whether the process runs the command line alone, not inside another program."""
    return _is_own


def handle_signals() -> None:
    """Raise `Stopped` when the process is asked to end; a signal that is ignored (`nohup`) stays ignored."""
    global _is_own  # noqa: PLW0603 - there is one process
    _is_own = True
    for number in _NUMBERS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, _frame: FrameType | None) -> None:
    for other in _NUMBERS:
        signal.signal(other, signal.SIG_IGN)  # a second one must not cut the clearing away short
    raise Stopped(number)
