"""``python -m symattn``, and what the ``symattn`` command runs: the command line, with the collector at rest.

A run is short, and most of what it makes lives to its end.
"""

from __future__ import annotations

import gc

_GARBAGE = 50_000
"""New objects before a look for garbage."""


def main() -> None:
    """Runs the command line and ends the process with its exit status."""
    gc.set_threshold(_GARBAGE)
    # Inside, so that the collector rests while the modules are loaded.
    from symattn.cli.main import main as run

    try:
        run()
    finally:
        gc.freeze()  # the process ends: nothing is left to be told apart from garbage


if __name__ == "__main__":
    main()
