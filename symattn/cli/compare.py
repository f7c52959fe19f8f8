"""``symattn compare``: an array that a program computed, against the certified values of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from symattn import late
from symattn.cli.options import Command, OneOf, file_name
from symattn.cli.output import show, tell
from symattn.output_files import check_writable, write_atomically

if TYPE_CHECKING:
    from symattn import arrays
    from symattn.api import comparison, solutions
    from symattn.api.comparison import Comparison
else:
    solutions = late.module("symattn.api.solutions")
    arrays = late.module("symattn.arrays")
    comparison = late.module("symattn.api.comparison")

_BEYOND = 1
_FORMATS = ("float16", "bfloat16", "float32", "float64")


@click.command(
    cls=Command,
    short_help="Compare an array of floats with the exact values, in ulp.",
    epilog="\b\nExit status:\n"
    "  0  compared, and every error is within --within\n"
    "  1  an error is larger than --within\n"
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
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
    as_json: bool,
    svg: str | None,
) -> None:
    """Compare the floats in ARRAY with the exact values of PROBLEM.

    ARRAY is a .npy or .json file with one matrix. The error of each entry is given in ulp (units in the last place).
    """
    check_writable(svg)
    found, is_within = _compared(problem, array, of, form or "", within)
    show(found.to_json() if as_json else str(found))
    if svg is not None:
        write_atomically(svg, found.to_svg())
        tell(f"wrote {svg}")
    context.exit(0 if is_within else _BEYOND)


def _compared(problem: str, array: str, of: str, form: str, within: str | None) -> tuple[Comparison, bool]:
    """Return the comparison, and whether its errors are as small as is asked."""
    floats = arrays.read_floats(array, form)
    found = comparison.compare(solutions.solve(problem), floats, of=of)
    return found, within is None or found.within(within)
