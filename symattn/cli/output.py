"""Output files that appear whole or not at all, and PDFs beside their sources."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

import click

from symattn import late
from symattn.errors import InputError, OutputError
from symattn.printable import visible

if TYPE_CHECKING:
    from symattn.rendering.latex import compilation
else:
    compilation = late.module("symattn.rendering.latex.compilation")

STDIN = "-"
"""Standard input as a file to be read, standard output as one to be written."""

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


class ReaderGoneError(Exception):
    """Nobody reads standard output any more, as behind ``| head -1``."""


def ending_of(output: str | None, known: Collection[str], listed: str) -> str:
    """Return the ending of an output file, empty for standard output and for a name without one.

    Args:
        output: the file that was asked for.
        known: the endings of files that can be written.
        listed: the same in words.

    Raises:
        InputError: it ends otherwise.
    """
    suffix = "" if output is None or output == STDIN else Path(output).suffix.lower()
    if suffix and suffix not in known:
        raise InputError(f"{output}: {suffix} files cannot be written. Use {listed}.")
    return suffix


def is_same_file(first: str, second: str) -> bool:
    """Return whether two paths lead to one file."""
    try:
        return Path(first).samefile(second)
    except (OSError, ValueError):  # one of them is not there, or has no name that could be
        return False


def tell(message: str) -> None:
    """Print a message on standard error as one line; where that cannot be written, the run goes on without it."""
    try:
        click.echo(visible(message), err=True)
    except (OSError, ValueError):
        discard(sys.stderr)


def show(text: str) -> None:
    """Print lines for people on standard output, whoever wrote what is quoted in them."""
    emit(visible(text, lines=True) + "\n", None)


def emit(text: str, output: str | None) -> None:
    """Print a result, or write it to the file that was asked for; ``None`` and ``-`` are standard output.

    Where the reader of standard output is gone, the rest of the run goes on without it.
    """
    if output is not None and output != STDIN:
        _write(output, text)
        return
    with suppress(ReaderGoneError):
        stream(text)


def stream(text: str) -> None:
    """Print one of many results on standard output.

    Raises:
        ReaderGoneError: nobody reads them any more.
        OutputError: they cannot be written.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False)
    except BrokenPipeError as error:
        discard(sys.stdout)
        raise ReaderGoneError from error
    except (OSError, ValueError) as error:  # ValueError: closed by this very process
        discard(sys.stdout)
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"Standard output cannot be written ({reason}). Name a file with -o.") from error


def discard(stream: TextIO) -> None:
    """Let what a stream still holds, and all that comes, go nowhere: at the end it would fail once more."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def write_with_pdf(tex: str, stem: Path) -> None:
    """Write a LaTeX document, and the PDF beside it; the source stays where no engine makes a PDF.

    Args:
        tex: the document.
        stem: the names of both files without their endings.

    Raises:
        EngineError: no engine made a PDF.
        OutputError: a file, or the temporary folder, cannot be written.
    """
    _write(f"{stem}.tex", tex)
    if sys.stderr.isatty():
        tell("making the PDF ...")
    compiled = compilation.compile_tex(tex)
    if compiled.warning:
        tell(f"warning: {compiled.warning}")
    _write(f"{stem}.pdf", compiled.pdf)


def _write(path: str, data: bytes | str) -> None:
    write_atomically(path, data)
    tell(f"wrote {path}")


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


def _target(path: str | Path) -> Path:
    """Return the file that a path leads to, which can be written as far as one can tell."""
    try:
        target = Path(path).resolve()
        _refuse(Path(path), target)
    except (OSError, ValueError, RuntimeError) as error:  # NUL in a name, a loop of links
        raise _unwritable(path, error) from error
    return target


def _unwritable(path: str | Path, error: Exception) -> OutputError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    full = getattr(error, "errno", None) in _FULL
    remedy = "free some space there, or name a file on another disk" if full else "name another output file"
    return OutputError(f"{path} cannot be written ({reason}): {remedy}.")


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
