"""Shell scripts that stand for LaTeX engines."""

from __future__ import annotations

import os
import time
from pathlib import Path

PDF = b"%PDF-1.5 made\n%%EOF\n"

MAKES_A_PDF = "printf '%%PDF-1.5 made\\n%%%%EOF\\n' > key.pdf; echo fine > key.log"
"""The line of a script that makes `PDF` of everything, at once."""


def write_script(path: Path, *lines: str) -> Path:
    """Write an executable script."""
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(0o755)
    return path


def ends(pid: int) -> bool:
    """Return whether a process that was killed is gone; the kernel may take its time."""
    for _ in range(100):
        if not _is_running(pid):
            return True
        time.sleep(0.05)
    return False


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    # An orphan that was killed stays listed until its new parent asks for it.
    return not (status.is_file() and status.read_text().rpartition(")")[2].split()[0] == "Z")
