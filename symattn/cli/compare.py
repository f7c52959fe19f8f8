"""``symattn compare``: an array that a program computed, against the certified values of a problem."""

from __future__ import annotations

import click

from symattn.api import comparison, solutions
from symattn.arrays import files
from symattn.cli.options import Command, OneOf, file_name
from symattn.cli.output import show, tell
from symattn.errors import InputError
from symattn.files import check_writable, write_atomically, written_atomically

_BEYOND = 1
_FORMATS = ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e4m3", "float8_e5m2")


@click.command(
    cls=Command,
    short_help="Compare an array of floats with the exact values, in ulp.",
    epilog="\b\nExit status:\n"
    "  0  compared, and every error is within --within, --atol and --rtol\n"
    "  1  an error is larger\n"
    "  2  bad input",
)
@click.argument("problem")
@click.argument("array")
@click.option("--of", default="O", show_default=True, metavar="NAME", help="The quantity that ARRAY holds.")
@click.option(
    "--form", type=OneOf(_FORMATS),
    help="The float format of a .json file (default: float64), or bfloat16 for a .npy file.",
)  # fmt: skip
@click.option("--within", metavar="ULPS", help="The largest error allowed, in ulp.")
@click.option("--atol", metavar="A", help="The largest error allowed, at most A + R |value|.")
@click.option("--rtol", metavar="R", help="The same in parts of the certified value.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.option("-o", "--output", metavar="FILE", callback=file_name, help="Write every error to FILE, a .csv table.")
@click.option("--svg", metavar="FILE", callback=file_name, help="Draw the errors to FILE, an .svg picture.")
@click.pass_context
def compare(  # noqa: PLR0913 - one argument for each option
    context: click.Context,
    problem: str,
    array: str,
    *,
    of: str,
    form: str | None,
    within: str | None,
    atol: str | None,
    rtol: str | None,
    as_json: bool,
    output: str | None,
    svg: str | None,
) -> None:
    """Compare the floats in ARRAY with the exact values of PROBLEM.

    ARRAY is a .npy or .json file with a matrix, or a .npy file with one for each sequence, each head, or both. The
    error of each entry is given in ulp (units in the last place).
    """
    for file in (svg, output):
        check_writable(file)
    if output is not None and not output.lower().endswith(".csv"):
        raise InputError(f"{output} must be a .csv file: errors are written as a table.")
    floats = files.read_floats(array, form or "")
    found = comparison.compare(solutions.solve(problem), floats, of=of)
    is_within = within is None or found.within(within)
    if atol is not None or rtol is not None:
        is_within = found.allclose(rtol or 0, atol or 0) and is_within
    show(found.to_json() if as_json else str(found))
    if output is not None:
        with written_atomically(output) as file_to_write:
            file_to_write.writelines(f"{line}\n".encode() for line in found.lines())
        tell(f"wrote {output}")
    if svg is not None:
        write_atomically(svg, found.to_svg())
        tell(f"wrote {svg}")
    context.exit(0 if is_within else _BEYOND)
