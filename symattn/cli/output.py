"""Messages, results on standard output and in files, and PDFs beside their sources."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import click

from symattn.cli.options import CommandLineError
from symattn.errors import EngineError, InputError, OutputError
from symattn.files import STDIN, reason_of, write_atomically
from symattn.printable import json_text, visible
from symattn.rendering.latex import compilation


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


def stem_of(output: str | None, known: Collection[str], default: str, example: str) -> Path:
    """Return the path of a .tex and a .pdf file without the ending.

    Args:
        output: the file that was asked for.
        known: the endings of files that can be written.
        default: the path where none was asked for.
        example: a name for the file, for the message.

    Raises:
        InputError: it is standard output.
    """
    if output == STDIN:
        raise InputError(f"A PDF cannot be written to standard output. Name a file, e.g. -o {example}.pdf.")
    if output is None:
        return Path(default)
    return Path(output).with_suffix("") if Path(output).suffix.lower() in known else Path(output)


def refuse_json(suffix: str) -> None:
    """Refuse JSON in a file that ends otherwise.

    Raises:
        CommandLineError: the ending is neither empty nor .json.
    """
    if suffix not in {".json", ""}:
        raise CommandLineError(f"--json cannot be written to a {suffix} file. Name a .json file, or leave --json out.")


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


def emit_json(record: Mapping[str, object], output: str | None) -> None:
    """Print or write a result as JSON, as `emit` does."""
    emit(json_text(record) + "\n", output)


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
        reason = reason_of(error)
        raise OutputError(f"Standard output cannot be written ({reason}). Name a file with -o.") from error


def discard(stream: TextIO) -> None:
    """Let what a stream still holds, and all that comes, go nowhere: at the end it would fail once more."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def check_engine() -> None:
    """Refuse PDFs before the work where no engine can make them.

    Raises:
        EngineError: no engine is there.
    """
    if not compilation.engines():
        raise EngineError(compilation.NO_ENGINE)


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
