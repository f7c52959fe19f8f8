"""``symattn compare``: an array that a program computed, against the certified values of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from symattn.cli.settings import check_writable, file_name

if TYPE_CHECKING:
    from symattn.compare import Comparison

_BEYOND = 1
_FORMATS = ("float16", "bfloat16", "float32", "float64")


@click.command(epilog="\b\nEnds with 0, with 1 if an error is larger than --within allows, or with 2 for bad input.")
@click.argument("problem")
@click.argument("array")
@click.option("--of", default="O", show_default=True, metavar="NAME", help="The quantity that the array is one of.")
@click.option(
    "--form", type=click.Choice(_FORMATS),
    help="The format of the numbers in a .json file (else float64), or of bfloat16 in .npy.",
)  # fmt: skip
@click.option("--within", metavar="ULPS", help="End with 1 if an error is larger than so many ulp.")
@click.option("--json", "as_json", is_flag=True, help="Print everything for machines.")
@click.option("--svg", metavar="FILE", callback=file_name, help="Write the picture to FILE.")
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
    """Compare ARRAY (a matrix of floats, .npy or .json) with what PROBLEM comes to: errors in ulp, entry by entry."""
    check_writable(svg)
    found, is_within = _compared(problem, array, of, form or "", within)
    click.echo(found.to_json() if as_json else str(found))
    if svg is not None:
        # start-up: few runs write files.
        from symattn.cli.output import write_atomically

        write_atomically(svg, found.to_svg())
        click.echo(f"wrote {svg}", err=True)
    context.exit(0 if is_within else _BEYOND)


def _compared(problem: str, array: str, of: str, form: str, within: str | None) -> tuple[Comparison, bool]:
    """The comparison, and whether its errors are as small as is asked."""
    # start-up: --help must not load the engine.
    from symattn import api
    from symattn.cli.array_files import read_floats
    from symattn.compare import compare as compared

    floats = read_floats(array, form)
    found = compared(api.solve(problem), floats, of=of)
    return found, within is None or found.within(within)
