"""Signals: TERM and HUP end a run as Ctrl-C does, and what must not be cut short holds all of them back."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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


@contextmanager
def deferred() -> Iterator[Callable[[], None]]:
    """Hold back all signals that have a handler in Python, which may raise at any moment.

    Signals without one act as before. Handlers run in the main thread alone, so that other threads hold nothing back.

    Yields:
        A function that runs the handlers of the signals that came so far; the others run at the end.
    """
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
    arrived: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append((number, frame))

    def deliver() -> None:
        while arrived:
            number, frame = arrived.pop(0)
            handlers[number](number, frame)

    def restore(number: int) -> None:
        if signal.getsignal(number) is note:  # a handler that ran may have put another one there
            signal.signal(number, handlers[number])

    with ExitStack() as stack:
        stack.callback(deliver)
        for number in signal.valid_signals() if threading.current_thread() is threading.main_thread() else ():
            handler = signal.getsignal(number)
            if callable(handler):
                handlers[number] = handler
                stack.callback(restore, number)
                signal.signal(number, note)
        yield deliver
