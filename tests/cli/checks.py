"""Ways of checking one file that are quick, or that go wrong; processes find them here by their names."""

from __future__ import annotations

import os
import time
from pathlib import Path

from symattn.cli.batch import Line, Sheet, failed


def fine(sheet: Sheet, name: str, strict: bool) -> Line:
    """Ends well, unless the file says how else: ``status N``, ``raise``, ``crash`` or ``slow``."""
    text = Path(name).read_text(encoding="utf-8")
    if text.startswith("crash"):
        os._exit(7)
    if text.startswith("raise"):
        raise ValueError(f"{sheet.source} {strict}")
    if text.startswith("slow"):
        time.sleep(60)
    status = int(text.removeprefix("status")) if text.startswith("status") else 0
    return failed(name, f"{os.getpid()}", status)
