"""``symattn check``: one work or a folder of them. Results go to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symattn import late
from symattn.api import sheet_submissions, sheet_texts, submissions
from symattn.cli import batch
from symattn.cli.options import (
    POLICY,
    STRICT,
    Command,
    CommandLineError,
    OneOf,
    file_name,
    jobs_option,
    load_sheet,
    memory_option,
    problem_option,
    refuse,
    reveal_option,
    settings_of,
    timeout_option,
)
from symattn.cli.output import emit, emit_json, ending_of, is_same_file, refuse_json, stem_of, tell, write_with_pdf
from symattn.errors import InputError
from symattn.files import STDIN, check_writable, read_stdin
from symattn.problem.text import document
from symattn.processes.limits import GIGABYTES, SECONDS, Budget, limited, monitored
from symattn.processes.signals import status_of
from symattn.rendering.reports import html as html_view
from symattn.rendering.reports import text as report_views

if TYPE_CHECKING:
    import shutil
    from collections.abc import Callable

    from symattn.api.sheet_texts import SheetText
    from symattn.api.submissions import Report
    from symattn.checking.report import Reveal
    from symattn.problem import sheet
else:
    shutil = late.module("shutil")

_NO_PROBLEM = ""
_WRITERS = (".tex", ".ltx", ".pdf", ".json", ".html", ".txt")
_LINE_WRITERS = (".jsonl", ".ndjson", "")
_WIDTH = 100

_STYLES: dict[str, dict[str, bool | str]] = {
    "title": {"bold": True},
    "place": {"dim": True},
    "wrong": {"fg": "red", "bold": True},
    "follows": {"fg": "yellow"},
    "withdrawn": {"dim": True},
    "unchecked": {"dim": True},
    "right": {"fg": "green"},
    "rounded": {"fg": "green"},
    "carried": {"fg": "green"},
}
_OTHER: dict[str, bool | str] = {"fg": "yellow"}

TIMEOUT = timeout_option(SECONDS, "Processor time allowed for each submission (no limit on Windows).")
MEMORY = memory_option(GIGABYTES, "Memory allowed for each submission (limited on Linux only).")


@click.command(
    cls=Command,
    short_help="Check a submission, a folder of them, or a proof.",
    epilog="\b\nExit status:\n"
    "  0  every statement that was judged holds\n"
    "  1  a statement is wrong, or a required quantity is missing\n"
    "  2  bad input\n"
    "  3  a statement could not be read or decided, or a proof\n"
    "     uses a hypothesis that it does not state",
)
@click.argument("problem", metavar="[PROBLEM]")
@click.argument("work", required=False, metavar="WORK")
@click.option(
    "-o", "--output", metavar="FILE", callback=file_name,
    help="Write to FILE: .txt, .tex, .pdf, .html or .json; for a folder .jsonl, which is continued if it exists.",
)  # fmt: skip
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for programs; the results of a folder are always JSON."
)
@click.option(
    "--pdf",
    is_flag=True,
    help="Make a PDF of the submission with its verdicts. Without -o it writes WORK-checked.tex and .pdf here.",
)
@STRICT
@click.option(
    "-f", "--format", "written_as", type=OneOf(["tex", "md", "txt", "ipynb"]),
    help="The format of WORK, if the file name does not show it.",
)  # fmt: skip
@POLICY
@reveal_option("value")
@problem_option("check ", " Without it headings tell which WORK answers.")
@click.option("-v", "--verbose", is_flag=True, help="Show every statement, not only those with a fault.")
@jobs_option("files of a folder are checked at once")
@TIMEOUT
@MEMORY
@click.option(
    "-t", "--theorem", "theorem_name", metavar="NAME",
    help="Check a proof of this theorem instead of a problem; symattn theorems lists the names.",
)  # fmt: skip
@click.option(
    "-s", "--set", "settings", metavar="NAME=VALUE", multiple=True,
    help="With --theorem: a parameter that the question fixes, e.g. --set D=512.",
)  # fmt: skip
@click.option(
    "--given",
    is_flag=True,
    help="With --theorem: the question states the hypotheses. For mean 0 and variance 1 add --set mu=0 --set sigma=1.",
)
@click.pass_context
def check(  # noqa: PLR0913 - one argument for each option
    context: click.Context,
    problem: str,
    work: str | None,
    *,
    output: str | None,
    as_json: bool,
    pdf: bool,
    strict: bool,
    written_as: str | None,
    policy: str | None,
    reveal: Reveal,
    name: str | None,
    verbose: bool,
    jobs: int,
    timeout: float,
    memory: float,
    theorem_name: str | None,
    settings: tuple[str, ...],
    given: bool,
) -> None:
    """Check the submission WORK against PROBLEM and judge every statement.

    WORK is a .tex, .md, .txt or .ipynb file, a folder of such files, or - for standard input. With --theorem there is
    no PROBLEM, and WORK is a proof that is judged line by line.

    The results of a folder are one JSON line for each file. If the check of a folder was stopped, run the same
    command again: a file that has a line in the output and has not changed since is not checked again. A submission
    that exceeds --timeout or --memory gets a line with its error and exit status 2.
    """
    if theorem_name is not None:
        refuse("A proof has no problem", {"--problem": name is not None})
        _refuse_beside_theorem(work, policy, problem, strict=strict, jobs=jobs)
        work, problem = problem, _NO_PROBLEM
    elif settings or given:
        raise CommandLineError("--set and --given are for proofs. Name the theorem with --theorem.")
    elif work is not None and _are_swapped(problem, work):
        raise CommandLineError(f"{problem}: PROBLEM is a .toml or .json file. Is the order PROBLEM WORK?")
    if work is None:
        raise CommandLineError(
            "WORK is missing. Write symattn check PROBLEM WORK, or symattn check --theorem NAME WORK."
        )
    if _is_folder(work):
        refuse(f"{work} is a folder", {"--pdf": pdf, "--verbose": verbose, "--format": written_as is not None})
        batch_sheet = sheet_texts.SheetText(*document.read_file(problem), policy, Budget(timeout, memory), reveal, name)
        context.exit(_check_folder(batch_sheet, work, output, strict=strict, jobs=jobs))
    if jobs > 1:
        raise CommandLineError("--jobs is for a folder of submissions. Leave it out for a single file.")
    suffix = _check_output(problem, work, output)
    as_json, pdf = as_json or suffix == ".json", pdf or suffix == ".pdf"
    _check_options(suffix, as_json=as_json, pdf=pdf)
    stem = _stem(problem, work, output) if pdf else None
    check_writable(output if stem is None or suffix == ".json" else None, stem)
    status = monitored(work, tell)
    if status is not None:
        context.exit(status)
    with limited(Budget(timeout, memory), work):
        if theorem_name is None:
            report = _checked(problem, lambda: load_sheet(problem, policy, name), work, written_as, strict=strict)
        else:
            report = _checked_proof(theorem_name, settings, work, written_as, is_given=given)
        report = report.redacted(reveal)
    if as_json:
        emit_json(report.as_json(), output if suffix == ".json" or not pdf else None)
    if stem is not None:
        write_with_pdf(report.to_latex(), stem)
    elif not as_json:
        _show(report, output, suffix, verbose=verbose)
    context.exit(report.exit_status)


# What is asked -------------------------------------------------------------------------------------


def _refuse_beside_theorem(work: str | None, policy: str | None, proof: str, *, strict: bool, jobs: int) -> None:
    """Refuse options without a meaning for a proof."""
    if work is not None:
        raise CommandLineError("With --theorem there is no PROBLEM. Write symattn check --theorem NAME WORK.")
    refuse("A proof has no rounding", {"--policy": policy is not None, "--strict": strict})
    refuse("A proof is one file", {"--jobs": jobs > 1})
    if _is_folder(proof):
        raise CommandLineError("With --theorem, WORK must be a file, not a folder.")


def _are_swapped(problem: str, work: str) -> bool:
    """Return whether the endings of PROBLEM and WORK tell that each stands in the place of the other."""
    problems = (".toml", ".json")
    return problem != STDIN and work.lower().endswith(problems) and not problem.lower().endswith(problems)


def _is_folder(work: str) -> bool:
    try:
        return work != STDIN and Path(work).is_dir()
    except (OSError, ValueError):  # no name that could be
        return False


def _check_output(problem: str, work: str, output: str | None) -> str:
    """Return the ending of the output file; one that is not written here, or an input itself, is refused."""
    if output is not None and output != STDIN:
        _refuse_inputs(problem, work, output)
    return ending_of(output, _WRITERS, ".txt, .tex, .pdf, .html or .json")


def _refuse_inputs(problem: str, work: str, output: str) -> None:
    for name, path in (("problem", problem), ("work", work)):
        if path not in {STDIN, _NO_PROBLEM} and is_same_file(path, output):
            raise InputError(f"{output} is the {name} itself. Name another output file.")


def _check_options(suffix: str, *, as_json: bool, pdf: bool) -> None:
    if as_json and not pdf:
        refuse_json(suffix)
    if pdf and suffix in {".html", ".txt"}:
        raise CommandLineError(f"--pdf cannot be written to a {suffix} file. Name a .pdf file, or leave --pdf out.")


def _stem(problem: str, work: str, output: str | None) -> Path:
    """Return the path of .tex and .pdf without the ending; never that of the work, which may be a .tex itself."""
    stem = stem_of(output, _WRITERS, f"{'work' if work == STDIN else Path(work).stem}-checked", "checked")
    for suffix in (".tex", ".pdf") if output is not None else ():
        _refuse_inputs(problem, work, f"{stem}{suffix}")
    return stem


# Checking ------------------------------------------------------------------------------------------


def _checked(
    problem: str, load: Callable[[], sheet.Sheet], work: str, written_as: str | None, *, strict: bool
) -> Report:
    if work != STDIN:
        return sheet_submissions.check_sheet(load(), Path(work), written_as or "", strict=strict)
    if problem == STDIN:
        raise InputError("PROBLEM and WORK cannot both be standard input. Name a file for one of them.")
    text, form = _work_from_stdin(written_as)
    return sheet_submissions.check_sheet(load(), text, form, strict=strict, source="<stdin>")


def _checked_proof(
    name: str, settings: tuple[str, ...], work: str, written_as: str | None, *, is_given: bool
) -> Report:
    chosen = settings_of(settings)
    if work != STDIN:
        return submissions.check_proof(name, Path(work), written_as or "", settings=chosen, is_given=is_given)
    text, form = _work_from_stdin(written_as)
    return submissions.check_proof(name, text, form, settings=chosen, is_given=is_given, source="<stdin>")


def _work_from_stdin(written_as: str | None) -> tuple[str, str]:
    """Return the submission on standard input, and its format."""
    if written_as is None:
        raise InputError("The format of standard input is unknown. Give it with --format: tex, md, txt or ipynb.")
    return submissions.decode_work(read_stdin(submissions.MAX_WORK + 1), "<stdin>"), written_as


# Showing -------------------------------------------------------------------------------------------


def _show(report: Report, output: str | None, suffix: str, *, verbose: bool) -> None:
    if suffix in {".tex", ".ltx"}:
        emit(report.to_latex(), output)
    elif suffix == ".html":
        emit(html_view.report_page(report), output)
    elif output is None or output == STDIN:
        emit(_text(report, verbose=verbose), None)
    else:
        emit(report.to_text(width=_WIDTH, verbose=verbose), output)


def _text(report: Report, *, verbose: bool) -> str:
    """Return the report for standard output, in the colours and the characters that it has."""
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else _WIDTH
    has_colors = is_terminal and not os.environ.get("NO_COLOR")
    text = report_views.report_text(report, width=width, verbose=verbose, paint=_painted if has_colors else None)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def _painted(words: str, role: str) -> str:
    style = _STYLES.get(role, _OTHER)
    return click.style(words, fg=style.get("fg"), bold=bool(style.get("bold")), dim=bool(style.get("dim")))


# A folder ------------------------------------------------------------------------------------------


def _check_folder(sheet: SheetText, folder: str, output: str | None, *, strict: bool, jobs: int) -> int:
    lines = None if output == STDIN else output
    if lines is not None and Path(lines).suffix.lower() not in _LINE_WRITERS:
        raise InputError(f"{lines}: the results of a folder are JSON lines. Name a .jsonl file.")
    check_writable(lines)
    try:
        return batch.check_folder(sheet, folder, lines, strict=strict, jobs=jobs)
    except KeyboardInterrupt as stop:
        rest = "" if lines is None else " Run the same command again to continue."
        tell(f"symattn: Stopped. The results so far are complete.{rest}")
        return status_of(stop)
