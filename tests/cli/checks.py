"""Ways of checking one file that are quick, or that go wrong; processes find them here by their names."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from symattn.api.sheet_texts import SheetText
from symattn.cli.batch import Line, failed
from symattn.processes.limits import BudgetError, limited


def fine(sheet: SheetText, name: str, strict: bool) -> Line:
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


def slow(sheet: SheetText, name: str, strict: bool) -> Line:
    """Works for ever, or takes all memory, within the budget of the sheet: ``slow``, ``large``, ``deaf``."""
    text = Path(name).read_text(encoding="utf-8")
    try:
        with limited(sheet.budget, name):
            if text == "deaf":
                signal.signal(signal.SIGVTALRM, signal.SIG_IGN)  # as while one operation never ends
            while text in {"slow", "deaf"}:
                time.thread_time()  # on Python 3.13 an error out of a signal passes by handlers around a bare loop
            if text == "large":
                _ = bytearray(10**10)
    except BudgetError as error:
        return failed(name, str(error), error.exit_status, is_over=True)
    return fine(sheet, name, strict)
