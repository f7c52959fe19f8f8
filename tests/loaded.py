"""Modules that a command runs, told by its process when it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

_SCRIPT = """
import os, sys
from symattn import late
from symattn.__main__ import main

leave = os._exit

def report(status):
    ran = [name for name, module in sys.modules.items() if type(module) is not late.WaitingModule]
    sys.stderr.write("\\nran: " + " ".join(ran))
    sys.stderr.flush()
    leave(status)

os._exit = report
main()
"""


def modules_of(*arguments: str, status: int = 0) -> tuple[str, set[str]]:
    """Return standard output of a command line, and the dotted names of all modules that ran in its
    processes, with their first parts.

    Args:
        arguments: those of `symattn`.
        status: the expected exit status.
    """
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == status, done.stderr[-2000:]
    processes = [line.partition("ran: ")[2] for line in done.stderr.splitlines() if line.startswith("ran: ")]
    assert processes, done.stderr[-2000:]
    names = {name for ran in processes for name in ran.split()}
    return done.stdout, {name.partition(".")[0] for name in names} | names
