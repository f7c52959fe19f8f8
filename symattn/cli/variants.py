"""``symattn variants``: equally hard problems for a class, each proved to meet the constraints of its design."""

from __future__ import annotations

from pathlib import Path

import click

from symattn.cli.options import Command, CommandLineError, Whole, file_name, jobs_option
from symattn.cli.output import tell
from symattn.cli.progress import progress
from symattn.courses import roster as rosters
from symattn.courses.variants import design as designs
from symattn.courses.variants import folder as folders
from symattn.courses.variants import program as programs
from symattn.courses.variants import report as reports
from symattn.courses.variants import search as searches

_MOST = 9999


@click.command(
    cls=Command,
    short_help="Draw variants of a problem for a class.",
    epilog="\b\nExit status:\n  0  all variants are written\n  2  bad input, or a design that no draw meets",
)
@click.argument("problem")
@click.option("-n", "--number", type=Whole(1, _MOST), help="How many variants, without a roster.")
@click.option("--roster", metavar="FILE", callback=file_name, help="A CSV file of students; each gets a variant.")
@click.option("--seed", type=Whole(0, 10**18), default=1, show_default=True, help="Another seed gives other variants.")
@click.option(
    "-o", "--output", metavar="DIR", callback=file_name, required=True,
    help="The folder for problems, sheets, keys and variants.csv; one of an earlier run is added to.",
)  # fmt: skip
@click.option("--pdf", is_flag=True, help="Make PDFs of sheets and keys too.")
@click.option(
    "--draws", type=Whole(1, 10**9), default=500_000, show_default=True,
    help="Draws for one variant after which the design is refused.",
)  # fmt: skip
@jobs_option("variants are drawn at once")
def variants(  # noqa: PLR0913 - one argument for each option
    problem: str, *, number: int | None, roster: str | None, seed: int, output: str, pdf: bool, draws: int, jobs: int
) -> None:
    """Draw variants of PROBLEM, which has a [variants] table that says what varies and which constraints hold.

    Draws come from the seed, the design and each student's own key: a student who comes later gets a variant without
    any change to the others. Run the same command with the new roster and the same folder.
    """
    if (number is None) == (roster is None):
        raise CommandLineError("Give either -n, the number of variants, or --roster, a CSV file of students.")
    design, folder = designs.load_design(problem), Path(output)
    students = None if roster is None else rosters.read_roster(roster)
    earlier = folders.read_earlier(folder)
    order = folders.in_order(earlier, students, number or 0, seed)
    course = folders.Course(design, seed, order, earlier)
    program = programs.Program(design)
    keys = [student.key or str(place) for place, student in enumerate(order, 1)]
    found: list[searches.Found] = []
    with progress("drawing", len(order)) as advance:
        for one in searches.find_variants(program, seed, keys, draws, jobs):
            found.append(one)
            advance()
    with progress("writing", len(order)) as advance:
        folders.write_folder(course, found, folder, pdf=pdf, advance=advance)
    reports.write_report(reports.stress_report(program, seed, found), folder, pdf=pdf)
    tell(f"wrote {len(found)} variants to {output}")
