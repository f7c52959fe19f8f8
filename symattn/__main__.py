"""``python -m symattn``, and what the ``symattn`` command runs: the command line, with the collector at rest.

A run is short, and most of what it makes lives to its end.
"""

from __future__ import annotations

import gc
import os
import sys
import threading

from symattn.cli import main as command_line
from symattn.processes import signals

_GARBAGE = 200_000
"""New objects before a look for garbage."""


def main() -> None:
    """Run the command line and end the process with its exit status."""
    gc.set_threshold(_GARBAGE)
    _open_streams()
    signals.handle_signals()
    try:
        command_line.main()  # loaded here, while the collector rests
    except KeyboardInterrupt as stop:  # while the modules are loaded
        os._exit(signals.status_of(stop))
    except SystemExit as end:
        _leave(end.code)
        raise
    finally:
        gc.freeze()  # the process ends: nothing is left to be told apart from garbage


def _open_streams() -> None:
    """Let a standard stream that is closed lead nowhere: no file that is opened later may take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end


def _leave(status: object) -> None:
    """End the process at once, for to free all objects one by one takes as long as to make half of the key.

    Not where somebody else still has work at the end: another thread, a tracer, output that cannot be written.
    """
    if threading.active_count() > 1 or _is_watched():
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    if status is None or isinstance(status, int):
        os._exit(status or 0)


def _is_watched() -> bool:
    """Return whether a tracer, a profiler or, from Python 3.12 on, another tool watches the run."""
    monitoring = getattr(sys, "monitoring", None)
    tools = () if monitoring is None else map(monitoring.get_tool, range(monitoring.OPTIMIZER_ID + 1))
    return sys.gettrace() is not None or sys.getprofile() is not None or any(tools)


if __name__ == "__main__":
    main()
