"""The ``symattn`` command. Results go to standard output, everything else to standard error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import click

from symattn import __version__, late
from symattn.api import schemas, sheets, solutions, transcripts
from symattn.cli import check as check_command
from symattn.cli import compare as compare_command
from symattn.cli import export as export_command
from symattn.cli import grade as grade_command
from symattn.cli import prove as proof_commands
from symattn.cli import site as site_command
from symattn.cli import table_files
from symattn.cli import variants as variants_command
from symattn.cli.options import (
    Command,
    CommandLineError,
    Helped,
    OneOf,
    Whole,
    file_name,
    jobs_option,
    load_problem,
    load_sheet,
    problem_option,
    refuse,
    unknown_word,
)
from symattn.cli.output import (
    discard,
    emit,
    emit_json,
    ending_of,
    is_same_file,
    refuse_json,
    show,
    stem_of,
    tell,
    write_with_pdf,
)
from symattn.errors import InputError, OutputError, SymattnError
from symattn.exact.rounding import quotients as exact_rounding
from symattn.files import STDIN, check_writable
from symattn.printable import json_text
from symattn.problem.schema import examples as problem_examples
from symattn.processes.signals import status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from click import shell_completion

    from symattn.api.sheets import SheetResult
    from symattn.api.solutions import Result
    from symattn.cli.table_files import Only
    from symattn.exact.rounding.quotients import Rounding
    from symattn.graph.statements.chains import Detail
    from symattn.problem import sheet
else:
    shell_completion = late.module("click.shell_completion")

Template = Literal["article", "sheet", "exam", "fragment"]

_MAX_DIGITS = 20_000
_FRAGMENT = "a fragment is only a part of a document, so it cannot be made into a PDF."

_PAGE = ".html"
_SUFFIXES = {"", ".tex", ".ltx", ".txt", ".pdf", ".json", _PAGE}
_TABLES = {".csv", ".jsonl", ".npy"}
_PICTURES = ".svg"
_MATRICES: Mapping[str | None, Only] = {None: "", "A": "A", "O": "O", "Y": "Y"}
"""The words of --only that name a matrix for a table; the others are pictures."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit status."""
    try:
        cli.main(args=None if arguments is None else list(arguments), prog_name="symattn")
    except SymattnError as error:
        tell(f"symattn: {error}")
        sys.exit(error.exit_status)
    except OSError as error:
        if error.filename is not None:
            raise  # of files this is told where they are opened
        tell(f"symattn: Standard output cannot be written ({error.strerror}). Name a file with -o.")
        discard(sys.stdout)
        sys.exit(OutputError.exit_status)


def _leave_unread(context: click.Context) -> NoReturn:
    """End a run whose help nobody reads to the end."""
    discard(sys.stdout)
    context.exit()


class _Commands(Helped, click.Group):
    """The commands of this module, and those of others, each of which is loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, in the order of the alphabet."""
        return sorted([*super().list_commands(ctx), *_ELSEWHERE])

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; Ctrl-C, and a signal that is handled likewise, end it with the status of that signal."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _leave_unread(ctx)
        except KeyboardInterrupt as stop:
            tell("symattn: Stopped.")
            ctx.exit(status_of(stop))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments up to the name of a command."""
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError:
            _leave_unread(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command.

        Raises:
            CommandLineError: An unknown command; the nearest one is suggested.
        """
        if args[0] not in self.list_commands(ctx):
            raise CommandLineError(unknown_word("command", args[0], self.list_commands(ctx), ctx))
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, None where there is none."""
        return _ELSEWHERE[cmd_name]() if cmd_name in _ELSEWHERE else super().get_command(ctx, cmd_name)


_ELSEWHERE: Mapping[str, Callable[[], click.Command]] = {
    "check": lambda: check_command.check,
    "compare": lambda: compare_command.compare,
    "export": lambda: export_command.export,
    "grade": lambda: grade_command.grade,
    "prove": lambda: proof_commands.prove,
    "replay": lambda: proof_commands.replay_command,
    "site": lambda: site_command.site,
    "theorems": lambda: proof_commands.theorems,
    "variants": lambda: variants_command.variants,
}
"""The commands that other modules have."""


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    no_args_is_help=True,
    epilog="\b\nStart with\n  symattn init -o problem.toml\n  symattn solve problem.toml -o key.tex --pdf",
)
@click.option("--version", is_flag=True, help="Print the version.")
@click.option("--json", "as_json", is_flag=True, help="With --version: print JSON, with the versions of the libraries.")
@click.pass_context
def cli(context: click.Context, *, version: bool, as_json: bool) -> None:
    """Exact, proved attention by hand: answer keys, checks of submissions, theorems with proofs."""
    if version:
        show(_versions() if as_json else f"symattn {__version__}")
        context.exit()
    if as_json:
        raise CommandLineError(
            "--json needs a command or --version. Write it behind the name of the command, or beside --version."
        )
    if context.invoked_subcommand is None:
        raise CommandLineError("The command is missing. symattn --help lists all.")


def _versions() -> str:
    return json_text({"format": 1, "versions": transcripts.versions(everything=True)})


@cli.command(
    cls=Command,
    short_help="Solve a problem and print its worked key as LaTeX.",
    epilog="\b\nExit status:\n  0  solved\n  2  bad input\n  4  internal fault: a statement was not proved",
)
@click.argument("problem")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=file_name,
    help="Write to FILE; .json implies --json, .pdf implies --pdf; .csv, .jsonl and .npy are tables of A and O; "
    ".svg is the diagram and heat maps, .html a web page.",
)
@click.option(
    "--pdf", is_flag=True,
    help="Make a PDF too. Without -o it writes PROBLEM.tex and PROBLEM.pdf here, and replaces old ones.",
)  # fmt: skip
@click.option(
    "-t", "--template", type=OneOf(["article", "sheet", "exam", "fragment"]), default="article",
    show_default=True, help="The document: a worked key, the questions alone, an exam, or a fragment to \\input.",
)  # fmt: skip
@click.option(
    "-d", "--detail", type=OneOf(["brief", "full", "every-product"]), default="full",
    show_default=True, help="Matrices and answers; one worked entry of each kind too; or every entry.",
)  # fmt: skip
@click.option("--places", type=Whole(0, _MAX_DIGITS), help="Decimal places in a table, or of `decimal` in --json.")
@click.option("--digits", type=Whole(1, _MAX_DIGITS), help="Significant figures in a table, or of `decimal` in --json.")
@problem_option()
@click.option(
    "--blanks", type=OneOf(["none", "matrices", "space"]),
    help="What a sheet leaves for answers: nothing, empty matrices, or empty space.",
)  # fmt: skip
@click.option(
    "-p", "--policy", metavar="KEYS",
    help="Override keys of the rounding policy, e.g. steps=all,places=2,shift=true or steps=weights+outputs,figures=3.",
)  # fmt: skip
@click.option(
    "--forms", type=OneOf(["closed", "decimals", "auto"]),
    help="Values that no step rounds: closed forms, decimals, or decimals where closed forms are long.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of LaTeX.")
@click.option(
    "--only", type=OneOf(["A", "O", "Y", "diagram", "heatmap", "mask"]),
    help="Write one matrix alone to a table (Y is the output of a block), or one picture alone to a .svg file.",
)  # fmt: skip
@jobs_option("processes compute the rows of a table")
@click.option("--scheduler", metavar="ADDRESS", help="A running Dask cluster that computes the rows of a table.")
def solve(  # noqa: PLR0913 - one argument for each option
    problem: str,
    *,
    output: str | None,
    pdf: bool,
    template: Template,
    detail: Detail,
    places: int | None,
    digits: int | None,
    name: str | None,
    blanks: str | None,
    policy: str | None,
    forms: str | None,
    as_json: bool,
    only: str | None,
    jobs: int,
    scheduler: str | None,
) -> None:
    """Solve PROBLEM and print its worked key as LaTeX.

    PROBLEM is a .toml or .json file, or - for standard input.
    """
    suffix = _check_output(problem, output)
    further = {"--template": template != "article", "--detail": detail != "full", "--forms": forms is not None}
    if output is not None and suffix == _PICTURES:
        further |= {"--places": places is not None, "--digits": digits is not None, "--jobs": jobs > 1}
        further["--scheduler"] = scheduler is not None
        refuse(f"A {suffix} file is a picture", {"--pdf": pdf, "--json": as_json, **further})
        if only in _MATRICES and only is not None:
            raise CommandLineError(f"--only {only} is for tables. For a picture, take diagram, heatmap or mask.")
        check_writable(output)
        emit(solutions.solve(load_problem(problem, policy, name)).to_svg(only or "") + "\n", output)
        return
    if output is not None and suffix in _TABLES:
        _check_digits(places, digits)
        refuse(f"A {suffix} file is a table of numbers", {"--pdf": pdf, "--json": as_json, **further})
        check_writable(output)
        if only not in _MATRICES:
            raise CommandLineError(f"--only {only} is for a .svg file. For a table, take A, O or Y.")
        if scheduler is not None and jobs > 1:
            raise CommandLineError("The cluster says how many rows are worked at once: leave --jobs out.")
        loaded = load_problem(problem, policy, name)
        what = table_files.wanted(loaded, _MATRICES[only], _rounding(places, digits))
        table_files.write_tables(loaded, output, what, jobs, scheduler)
        tell(f"wrote {output}")
        return
    if only is not None or jobs > 1 or scheduler is not None:
        given = "--only" if only is not None else "--jobs" if jobs > 1 else "--scheduler"
        more = " For a picture, name a .svg file." if only is not None else ""
        raise CommandLineError(f"{given} is for tables. Name a .csv, .jsonl or .npy file with -o.{more}")
    if suffix == ".pdf" and template == "fragment":
        raise CommandLineError(f"{output}: {_FRAGMENT} Name a .tex file, or choose another --template.")
    if suffix == _PAGE:
        refuse(f"A {suffix} file is a web page", {"--pdf": pdf, "--template": template != "article"})
    as_json = as_json or suffix == ".json"
    pdf = pdf or suffix == ".pdf"
    if as_json and not pdf:
        refuse("JSON has closed forms and decimals", {"--forms": forms is not None})
    _check_options(suffix, template, detail, pdf=pdf, as_json=as_json, places=places, digits=digits)
    default = "key" if problem == STDIN else Path(problem).stem
    stem = stem_of(output, _SUFFIXES, default, "key") if pdf else None
    check_writable(output if stem is None or suffix == ".json" else None, stem)
    if blanks is not None and template != "sheet":
        raise CommandLineError("--blanks is for the questions alone. Add --template sheet.")
    result = _solved(load_sheet(problem, policy, name, {"forms": forms, "blanks": blanks}))
    _warn(result, is_page=suffix == _PAGE)
    if as_json:
        emit_json(result.as_json(_rounding(places, digits)), output if suffix == ".json" or not pdf else None)
        if not pdf:
            return
    if stem is not None:
        write_with_pdf(result.to_latex(template, detail), stem)
    else:
        emit(result.to_html(detail) if suffix == _PAGE else result.to_latex(template, detail), output)


def _check_output(problem: str, output: str | None) -> str:
    """Return the ending of the output file; one that the program does not write, or the problem itself, is refused."""
    if output is not None and STDIN not in {problem, output} and is_same_file(problem, output):
        raise InputError(f"{output} is the problem itself. Name another output file.")
    tables = ".csv, .jsonl or .npy for a table of numbers"
    return ending_of(
        output, {*_SUFFIXES, *_TABLES, _PICTURES}, f".tex, .pdf, .html or .json, .svg for a picture, or {tables}"
    )


def _check_options(
    suffix: str,
    template: Template,
    detail: Detail,
    *,
    pdf: bool,
    as_json: bool,
    places: int | None,
    digits: int | None,
) -> None:
    _check_digits(places, digits)
    if (places is not None or digits is not None) and not as_json:
        given, key = ("--places", "places") if digits is None else ("--digits", "figures")
        raise CommandLineError(f"{given} is for --json and tables. For the key, write --policy {key}=N.")
    if as_json and not pdf:
        refuse_json(suffix)
        refuse("JSON is not a document", {"--template": template != "article", "--detail": detail != "full"})
    if pdf and template == "fragment":
        raise CommandLineError(f"--pdf: {_FRAGMENT} Leave --pdf out, or choose another --template.")


def _check_digits(places: int | None, digits: int | None) -> None:
    if places is not None and digits is not None:
        raise CommandLineError("--places and --digits exclude each other. Give one of them.")


def _solved(found: sheet.Sheet) -> Result | SheetResult:
    """Return the solved problem of a file, or all of several."""
    return sheets.SheetResult(found) if len(found.problems) > 1 else solutions.solve(found.problems[0])


def _rounding(places: int | None, digits: int | None) -> Rounding | None:
    if places is not None:
        return exact_rounding.Rounding(places=places)
    return None if digits is None else exact_rounding.Rounding(figures=digits)


def _warn(result: Result | SheetResult, *, is_page: bool) -> None:
    for warning in result.warnings:
        if is_page and warning.code == "text-glyph":
            continue  # the fonts of LaTeX matter to no web page
        tell(f"warning: {warning.text}")


@cli.command(cls=Command, short_help="Print a commented problem file to start from.")
@click.option("-o", "--output", metavar="FILE", callback=file_name, help="Write to FILE, which must not exist yet.")
def init(output: str | None) -> None:
    """Print a commented problem file to start from."""
    text = problem_examples.commented_problem()
    if output is not None and output != STDIN and Path(output).exists():
        raise InputError(f"{output} exists already. Name another file, or remove it first.")
    emit(text, output)


@cli.command(cls=Command, short_help="Print the JSON schema of problem files or of an output.")
@click.argument("name", default="problem")
def schema(name: str) -> None:
    """Print the JSON schema of problem files, or of the JSON output of a command.

    NAME is problem (the default), or solve, check, check-folder, prove, replay, theorems, compare, grade, or version.
    """
    show(json_text(schemas.schema(name)))


@cli.command(cls=Command, short_help="Print the completion script of a shell.")
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of SHELL.

    For bash, write this into ~/.bashrc: `eval "$(symattn completion bash)"`
    """
    found = shell_completion.get_completion_class(shell)
    if found is None:
        raise InputError(f"There is no completion for {shell}. Use bash, zsh or fish.")
    show(found(cli, {}, "symattn", "_SYMATTN_COMPLETE").source())
