"""``symattn grade``: a class graded from a folder of submissions and a roster."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symattn.cli.check import MEMORY, TIMEOUT
from symattn.cli.options import (
    POLICY,
    STRICT,
    Command,
    file_name,
    jobs_option,
    problem_option,
    refuse,
    reveal_option,
)
from symattn.cli.output import check_engine, show, tell
from symattn.cli.progress import progress
from symattn.courses.grading import run, scheduling
from symattn.printable import json_text
from symattn.processes.limits import Budget
from symattn.processes.signals import status_of

if TYPE_CHECKING:
    from symattn.checking.report import Reveal
    from symattn.courses.grading.outputs import ClassSummary


@click.command(
    cls=Command,
    short_help="Grade a class: reports, a grade book and a summary.",
    epilog="\b\nExit status:\n"
    "  0  every student has marks\n"
    "  2  bad input\n"
    "  3  something needs a person's eye; summary.html lists it\n"
    "  4  internal fault: a work could not be judged",
)
@click.argument("problem")
@click.argument("place", metavar="DIR")
@click.option("--roster", required=True, metavar="FILE", help="The students: a CSV file such as Canvas exports.")
@click.option("--variants", metavar="FILE", help="Which student has which problem: the variants.csv of the variants.")
@click.option(
    "-o", "--output", required=True, metavar="FOLDER", callback=file_name,
    help="Write grades.csv, summary.html, reports and results into FOLDER, and go on there if it exists.",
)  # fmt: skip
@reveal_option("value", "students' reports tell")
@click.option("--pdf", is_flag=True, help="Make a PDF of each report too.")
@click.option("--points-only", is_flag=True, help="Put changed points on the results in FOLDER, and judge nothing.")
@click.option(
    "--column", metavar="TITLE", default="", help="The title of the assignment in grades.csv, as the grade book has it."
)
@STRICT
@POLICY
@problem_option("grade ")
@jobs_option("works are judged at once")
@click.option(
    "--scheduler", metavar="ADDRESS", default="",
    help="Judge on the running Dask cluster at ADDRESS, e.g. tcp://127.0.0.1:8786, instead of this machine.",
)  # fmt: skip
@TIMEOUT
@MEMORY
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON for programs.")
@click.pass_context
def grade(  # noqa: PLR0913 - one argument for each option
    context: click.Context,
    problem: str,
    place: str,
    *,
    roster: str,
    variants: str | None,
    output: str,
    reveal: Reveal,
    pdf: bool,
    points_only: bool,
    column: str,
    strict: bool,
    policy: str | None,
    name: str | None,
    jobs: int,
    scheduler: str,
    timeout: float,
    memory: float,
    as_json: bool,
) -> None:
    """Grade the submissions of a class on PROBLEM.

    DIR is a folder, or a zip archive, with one file, folder or zip archive for each student, whose name holds the
    student's ID, login, e-mail or name. A name that fits nobody, or several, is listed and never guessed.

    If the command was stopped, run it again: what is finished and has not changed is not judged again.
    """
    if scheduler:
        refuse("A cluster has workers of its own", {"--jobs": jobs > 1})
    elif pdf:
        check_engine()
    options = run.Options(policy, name, strict, reveal, pdf, points_only, column, Budget(timeout, memory))
    workers = partial(scheduling.run_on_cluster, scheduler) if scheduler else partial(scheduling.run_here, jobs)
    try:
        course = run.Course(problem, place, roster, variants, output)
        summary = run.grade_class(course, options, workers, partial(progress, "grading"))
    except KeyboardInterrupt as stop:
        tell("symattn: Stopped. The results so far are complete. Run the same command again to continue.")
        context.exit(status_of(stop))
    tell(f"wrote {Path(output, 'grades.csv')}, {Path(output, 'summary.html')} and {Path(output, 'reports')}")
    show(json_text(summary.as_json()) if as_json else _text(summary))
    context.exit(summary.exit_status)


def _text(summary: ClassSummary) -> str:
    lines = [f"{len(summary.graded)} students: {len(summary.earned)} graded, {len(summary.noted)} for a person"]
    lines += [f"  {one.student.label}: {' '.join(one.notes)}" for one in summary.noted]
    lines += [f"  {name}: fits no student of the roster" for name in summary.handed.unmatched]
    lines += [f"  {name}: fits {'; '.join(labels)}" for name, labels in summary.handed.ambiguous.items()]
    return "\n".join(lines)
