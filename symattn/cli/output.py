"""Output files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from symattn.errors import OutputError


def write_atomically(path: str | Path, data: bytes | str) -> None:
    """Write a file so that nobody ever finds half of it: a temporary file beside it takes its name.

    Text is written as UTF-8. A symbolic link is followed, the permissions of a file that was there
    are kept. What is no regular file (a terminal, a pipe, `/dev/null`) is written to directly, since
    replacing it would take it away.

    Raises:
        OutputError: the folder is missing, the path is a folder, or writing is not allowed or fails.

    >>> write_atomically("none/key.tex", "x")
    Traceback (most recent call last):
    symattn.errors.OutputError: none/key.tex cannot be written: its folder does not exist, so make it first.
    """
    content = data.encode() if isinstance(data, str) else data
    try:
        target = Path(path).resolve()
        _refuse(Path(path), target)
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except (OSError, ValueError, RuntimeError) as error:  # NUL in a name, a loop of links
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise OutputError(f"{path} cannot be written ({reason}): name another output file.") from error


def _refuse(path: Path, target: Path) -> None:
    if target.is_dir():
        raise OutputError(f"{path} cannot be written: it is a folder, so name a file inside it.")
    if not target.parent.is_dir():
        raise OutputError(f"{path} cannot be written: its folder does not exist, so make it first.")
    if target.exists() and not os.access(target, os.W_OK):
        raise OutputError(f"{path} cannot be written: it is read-only, so name another output file.")


def _replace(target: Path, content: bytes) -> None:
    temporary = target.with_name(f".symattn-{os.urandom(8).hex()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
