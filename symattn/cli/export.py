"""``symattn export``: an assignment for another system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import click

from symattn.cli.options import Command, CommandLineError, OneOf, file_name, problem_option
from symattn.cli.output import emit, is_same_file, tell
from symattn.courses.exports import assignment, gradescope, moodle, nbgrader, otter, prairielearn
from symattn.errors import InputError
from symattn.files import STDIN, check_folder, check_writable, write_atomically, write_folder
from symattn.problem.text.spelling import unknown

if TYPE_CHECKING:
    from symattn.checking.report import Reveal
    from symattn.courses.exports.assignment import Assignment

_Made: TypeAlias = bytes | str | Mapping[str, bytes]
"""A binary file, a text, or the files of a folder by their names."""


class _Target(NamedTuple):
    """A system that an assignment is written for.

    Attributes:
        make: returns the function that makes what is written; its module is loaded then.
        ending: the ending of the file; empty for a folder.
    """

    make: Callable[[], Callable[[Assignment], _Made]]
    ending: str


_TARGETS: Mapping[str, _Target] = {
    "gradescope": _Target(lambda: gradescope.gradescope, ".zip"),
    "moodle": _Target(lambda: moodle.moodle, ".xml"),
    "nbgrader": _Target(lambda: nbgrader.nbgrader, ".ipynb"),
    "otter": _Target(lambda: otter.otter, ".ipynb"),
    "prairielearn": _Target(lambda: prairielearn.prairielearn, ""),
}

_REFUSED: Mapping[str, str] = {
    "qti": "every system reads QTI in a way of its own, and none of them can run here to test it",
    "numbas": "no player of Numbas can run here to test it",
    "cloze": "a cloze question of Moodle cannot be tried here, and cannot bound the digits of a number that it takes",
}


@click.command(
    cls=Command,
    short_help="Write an assignment for Gradescope, Otter, nbgrader, PrairieLearn or Moodle.",
    epilog="\b\nExit status:\n  0  written\n  2  bad input",
)
@click.argument("target")
@click.argument("problem")
@click.option(
    "-o", "--output", metavar="PATH", callback=file_name,
    help="Write to PATH: a .zip file for gradescope, .ipynb for otter and nbgrader, .xml for moodle, and for "
    "prairielearn a folder that does not exist yet.",
)  # fmt: skip
@click.option(
    "--variants", metavar="FILE",
    help="The variants.csv of symattn variants: each student, or each seed, gets one of its problems.",
)  # fmt: skip
@problem_option("export ")
@click.option(
    "--reveal", type=OneOf(["marks", "place", "cause", "value"]), default="place", show_default=True,
    help="The amount that students are told on gradescope, otter and nbgrader, as for symattn check.",
)  # fmt: skip
@click.option(
    "--wheel", metavar="FILE",
    help="For gradescope: a wheel of symattn that goes into the zip, instead of this version from the package index.",
)  # fmt: skip
def export(
    target: str,
    problem: str,
    *,
    output: str | None,
    variants: str | None,
    name: str | None,
    reveal: Reveal,
    wheel: str | None,
) -> None:
    """Write an assignment on PROBLEM for TARGET.

    TARGET is gradescope (an autograder), otter or nbgrader (a notebook), prairielearn (the folder of a question) or
    moodle (STACK questions).
    """
    found = _target(target)
    _check_output(target, found.ending, problem, output)
    if wheel is not None and target != "gradescope":
        raise CommandLineError(f"--wheel is for gradescope, and {target} installs nothing: leave it out.")
    versions = assignment.load(problem, variants, name)
    made = found.make()(assignment.Assignment(versions, name, reveal, None if wheel is None else Path(wheel)))
    if isinstance(made, str):
        emit(made, output)
    elif output is not None:
        if isinstance(made, bytes):
            write_atomically(output, made)
        else:
            write_folder(output, made)
        tell(f"wrote {output}")


def _target(name: str) -> _Target:
    """Return a target by its name.

    Raises:
        InputError: no such target, or one that is refused, with the reason.
    """
    if (reason := _REFUSED.get(name.lower())) is not None:
        raise InputError(f"{name} is not exported: {reason}. Take moodle instead.")
    if name not in _TARGETS:
        raise InputError(unknown("target", name, tuple(_TARGETS)))
    return _TARGETS[name]


def _check_output(target: str, ending: str, problem: str, output: str | None) -> None:
    """Refuse a path that the target does not take, before the work."""
    if output is None or output == STDIN:
        if target in {"gradescope", "prairielearn"}:
            example = "autograder.zip" if ending else "attention"
            raise CommandLineError(f"{target} needs a {'file' if ending else 'folder'}: write -o {example}.")
        return
    if is_same_file(problem, output):
        raise InputError(f"{output} is the problem itself. Name another output file.")
    if not ending:
        check_folder(output)
        return
    if Path(output).suffix.lower() != ending:
        raise InputError(f"{output}: {target} takes a {ending} file. Name one with -o.")
    check_writable(output)
