"""``symattn site``: the folder of a practice page that checks in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symattn.cli.options import (
    POLICY,
    STRICT,
    Command,
    file_name,
    memory_option,
    problem_option,
    reveal_option,
    timeout_option,
)
from symattn.cli.output import tell
from symattn.courses.site import build, practice
from symattn.errors import InputError
from symattn.files import STDIN
from symattn.problem.text import document

if TYPE_CHECKING:
    from symattn.checking.report import Reveal

_SECONDS = 30.0
_GIGABYTES = 1.0
_MEGABYTE = 1_000_000


@click.command(
    cls=Command,
    short_help="Make a practice page that checks work in the browser.",
    epilog="\b\nExit status:\n  0  written\n  2  bad input\n  4  internal fault: the page does not check its own key",
)
@click.argument("problem")
@click.option(
    "-o", "--output", metavar="FOLDER", required=True, callback=file_name,
    help="The folder to write: a new one, or an earlier page, which is replaced.",
)  # fmt: skip
@click.option(
    "--pyodide", metavar="FOLDER", required=True, callback=file_name,
    help="The unpacked npm package pyodide, such as node_modules/pyodide.",
)  # fmt: skip
@click.option(
    "--flint", metavar="WHEEL", callback=file_name,
    help="The wheel of python-flint for that Pyodide, which blocks and positions need.",
)  # fmt: skip
@STRICT
@POLICY
@reveal_option("place")
@problem_option()
@timeout_option(_SECONDS, "Time allowed for each check in the browser.")
@memory_option(_GIGABYTES, "Memory allowed for each check in the browser.")
def site(  # noqa: PLR0913 - one argument for each option
    problem: str,
    *,
    output: str,
    pyodide: str,
    flint: str | None,
    strict: bool,
    policy: str | None,
    reveal: Reveal,
    name: str | None,
    timeout: float,
    memory: float,
) -> None:
    """Make a practice page for PROBLEM: its sheet, a text area, and a report that follows the typing.

    The folder is for any static web server. Checks run in the browser, on Pyodide, and nothing that is typed leaves it.
    The page hides nothing: the problem file and the program are part of it, so marks come from grading.
    """
    if output == STDIN:
        raise InputError(
            "A practice page is a folder, and cannot be written to standard output. Name a folder with -o."
        )
    text, source = document.read_file(problem)
    settings = practice.Settings(Path(source).name, text, timeout, memory, name, policy, reveal, strict)
    size = build.build_site(settings, Path(output), Path(pyodide), None if flint is None else Path(flint))
    tell(f"wrote {output} ({size / _MEGABYTE:.1f} MB); try it with python -m http.server -d {output}")
