"""Files of users: read up to a bound, and written so that they appear whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from symattn import late
from symattn.errors import InputError, OutputError

if TYPE_CHECKING:
    import shutil
else:
    shutil = late.module("shutil")

STDIN = "-"
"""Standard input as a file to be read, standard output as one to be written."""

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def reason_of(error: Exception) -> str:
    """Return the words of the system for a fault of a file."""
    return getattr(error, "strerror", None) or str(error)


def read_bytes(path: str | Path, most: int, source: str = "") -> bytes:
    """Return the bytes of a file, at most one more than `most`.

    Args:
        path: the file.
        most: the number of bytes beyond which the caller refuses it.
        source: the name to call it by; the path where it is empty.

    Raises:
        InputError: it cannot be read.

    >>> read_bytes("nowhere.toml", 10)
    Traceback (most recent call last):
    symattn.errors.InputError: nowhere.toml cannot be read: No such file or directory.
    """
    try:
        with Path(path).open("rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        raise InputError(f"{source or path} cannot be read: {reason_of(error)}.") from error


def read_stdin(limit: int) -> bytes:
    """Return at most so many bytes of standard input.

    Raises:
        InputError: It is closed, or cannot be read.
    """
    # The command line lets a closed stream lead to the null device, which an open one is not called by.
    if sys.stdin is None or getattr(sys.stdin, "name", "") == os.devnull:
        raise InputError("Standard input is closed. Name a file.")
    try:
        return sys.stdin.buffer.read(limit)
    except (OSError, ValueError) as error:
        raise InputError(f"Standard input cannot be read ({reason_of(error)}). Name a file.") from error


def decoded(data: bytes, source: str) -> str:
    """Return the text of a file.

    Raises:
        InputError: it is not UTF-8, with the line.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}, line {line}: not UTF-8 text; save the file as UTF-8.") from error


def write_atomically(path: str | Path, data: bytes | str) -> None:
    """Write a file so that nobody ever finds half of it; text is written as UTF-8.

    Raises:
        OutputError: the folder is missing, the path is a folder, or writing is not allowed or fails.

    >>> write_atomically("none/key.tex", "x")
    Traceback (most recent call last):
    symattn.errors.OutputError: none/key.tex cannot be written: its folder does not exist, so make it first.
    """
    with written_atomically(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def written_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces the named one at the end, so that the write is atomic.

    A symbolic link is followed, the permissions of a file that was there are kept. What is not a regular file
    (a terminal, a pipe, `/dev/null`) is written to directly, since replacing it would take it away. Where
    anything is raised before the end, Ctrl-C included, the temporary file is removed.

    Raises:
        OutputError: the folder is missing, the path is a folder, or writing is not allowed or fails.
    """
    target = _target(path)
    try:
        with target.open("wb") if target.exists() and not target.is_file() else _replaced(target) as file:
            yield file
    except OSError as error:
        raise _unwritable(path, error) from error


def check_writable(output: str | None, stem: Path | None = None) -> None:
    """Refuse files that cannot be written, before the work whose results they are to hold.

    Args:
        output: the name of a file; ``None`` and ``-`` are standard output.
        stem: where a PDF goes and the .tex beside it, without their endings; None without a PDF.

    Raises:
        OutputError: as `written_atomically` raises it.

    >>> check_writable("-", Path("none/key"))
    Traceback (most recent call last):
    symattn.errors.OutputError: none/key.tex cannot be written: its folder does not exist, so make it first.
    """
    documents = [] if stem is None else [f"{stem}.tex", f"{stem}.pdf"]
    for path in (*documents, output):
        if path is not None and path != STDIN:
            _target(path)


def check_folder(path: str | Path) -> None:
    """Refuse a folder that cannot be made, before the work whose results it is to hold.

    Raises:
        OutputError: it exists, the folder around it is missing, or making it is not allowed.
    """
    if Path(path).exists() or Path(path).is_symlink():
        raise OutputError(f"{path} exists already. Name a new folder, or remove that one first.")
    _target(path)


def make_folder(path: Path) -> None:
    """Make a folder and those around it, where they do not exist.

    Raises:
        OutputError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} cannot be made ({reason_of(error).lower()}): name another output folder.") from error


def write_folder(path: str | Path, files: Mapping[str, bytes]) -> None:
    """Make a new folder with files in it, so that nobody ever finds a part of them.

    Raises:
        OutputError: as `check_folder` raises it, or writing fails.
    """
    check_folder(path)
    target = _target(path)
    temporary = target.with_name(f".symattn-{os.urandom(8).hex()}.tmp")
    try:
        temporary.mkdir()
        for name, data in files.items():
            (temporary / name).write_bytes(data)
        temporary.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _target(path: str | Path) -> Path:
    """Return the file that a path leads to, which can be written as far as one can tell."""
    try:
        target = Path(path).resolve()
        if target.is_symlink():
            target.stat()  # a loop of links, which Python 3.13 leaves as it is
        _refuse(Path(path), target)
    except (OSError, ValueError, RuntimeError) as error:  # NUL in a name, a loop of links
        raise _unwritable(path, error) from error
    return target


def _unwritable(path: str | Path, error: Exception) -> OutputError:
    full = getattr(error, "errno", None) in _FULL
    remedy = "free some space there, or name a file on another disk" if full else "name another output file"
    return OutputError(f"{path} cannot be written ({reason_of(error).lower()}): {remedy}.")


def _refuse(path: Path, target: Path) -> None:
    if target.is_dir():
        raise OutputError(f"{path} cannot be written: it is a folder, so name a file inside it.")
    if not target.parent.is_dir():
        raise OutputError(f"{path} cannot be written: its folder does not exist, so make it first.")
    if target.exists() and not os.access(target, os.W_OK):
        raise OutputError(f"{path} cannot be written: it is read-only, so name another output file.")
    if (target.is_file() or not target.exists()) and not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written: its folder is read-only, so name a file in another one.")


@contextmanager
def _replaced(target: Path) -> Iterator[BinaryIO]:
    temporary = target.with_name(f".symattn-{os.urandom(8).hex()}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
