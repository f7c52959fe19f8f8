"""Commands, options and arguments of the command line; a usage error is one sentence that says what is wanted."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from symattn.cli import progress
from symattn.errors import InputError
from symattn.problem import model, sheet
from symattn.problem.text.spelling import nearest, quoted, unknown

if TYPE_CHECKING:
    _Words: TypeAlias = click.Choice[str]
    _Integer: TypeAlias = click.ParamType[int]
    _Number: TypeAlias = click.ParamType[float]
else:
    _Words, _Integer, _Number = (click.Choice, click.ParamType, click.ParamType)


_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

MAX_JOBS = 61
"""Windows waits for no more processes than these."""


class CommandLineError(InputError):
    """Options or arguments that do not go together, or that no command has."""


def _show_help(ctx: click.Context, _option: click.Parameter, value: bool) -> None:  # noqa: FBT001 - as click calls it
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


class Helped(click.Command):
    """A command whose usage errors are one sentence, with the option ``--help``.

    Click itself would ask gettext for the text of that option in every run.
    """

    _HELP = click.Option(
        ["-h", "--help"], is_flag=True, is_eager=True, expose_value=False, callback=_show_help,
        help="Show this message and exit.",
    )  # fmt: skip

    def get_help_option(self, ctx: click.Context) -> click.Option:  # noqa: ARG002 - as click calls it
        """Return the option."""
        return self._HELP

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments.

        Raises:
            CommandLineError: An option or a value that the command does not have.
        """
        try:
            return super().parse_args(ctx, args)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            raise CommandLineError(sentence_of(error, ctx)) from error


class Command(Helped):
    """A command that says on a terminal when it takes long."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        if not sys.stderr.isatty():
            return super().invoke(ctx)
        with progress.patience(ctx.command_path):
            return super().invoke(ctx)


class OneOf(_Words):
    """One of several words; an unknown one is answered with the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word.

        Raises:
            click.BadParameter: It is none of them.
        """
        if value not in self.choices:
            self.fail(f": {unknown('value', str(value), self.choices)}", param, ctx)
        return str(value)


class Whole(_Integer):
    """A whole number in a range, both ends included."""

    name = "N"

    def __init__(self, least: int, most: int) -> None:
        """Take the ends of the range."""
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number.

        Raises:
            click.BadParameter: It is not a whole number, or out of range.
        """
        text = str(value)
        if len(text) > len(str(self.most)) or not text.isdecimal() or not self.least <= int(text) <= self.most:
            self.fail(f" must be a whole number from {self.least} to {self.most}, not {_shown(text)}.", param, ctx)
        return int(text)


class Above(_Number):
    """A finite number above another, or equal to it where the end belongs to the range."""

    name = "NUMBER"

    def __init__(self, least: float, *, is_open: bool = False) -> None:
        """Take the lower end, and whether it is left out."""
        self.least, self.is_open = least, is_open

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number.

        Raises:
            click.BadParameter: It is not a number, not finite, or too small.
        """
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < self.least or (self.is_open and number == self.least):
            wanted = f"above {self.least:g}" if self.is_open else f"of at least {self.least:g}"
            self.fail(f" must be a number {wanted}, not {_shown(str(value))}.", param, ctx)
        return number


def sentence_of(error: click.UsageError, context: click.Context) -> str:
    """Return what is wrong with the arguments of a command, and what to write instead."""
    match error:
        case click.NoSuchOption(option_name=name):
            return unknown_word("option", name, _options(context), context)
        case click.MissingParameter(param=click.Parameter() as parameter):
            return f"{_label(parameter)} is missing. {_usage(context)}"
        case click.BadParameter(param=click.Parameter() as parameter):
            return f"{_label(parameter)}{error.message}"
        case click.BadOptionUsage(option_name=name):
            return _of_value(name, context)
        case _:
            return f"{error.format_message().rstrip('.')}. {_usage(context)}"


def unknown_word(kind: str, word: str, known: Sequence[str], context: click.Context) -> str:
    """Return the sentence for a command or an option that does not exist."""
    near = nearest(word, known)
    remedy = f"{context.command_path} --help lists all." if near is None else f"Did you mean {near}?"
    return f"Unknown {kind} {_shown(word)}. {remedy}"


def listed(options: Iterable[str]) -> str:
    """Return names of options as a sentence has them.

    >>> listed(["--pdf"]), listed(["--pdf", "--json", "--detail"])
    ('--pdf', '--pdf, --json and --detail')
    """
    *first, last = options
    return f"{', '.join(first)} and {last}" if first else last


def refuse(reason: str, options: Mapping[str, bool]) -> None:
    """Refuse options that do not fit the rest of the command.

    Args:
        reason: a clause that says why.
        options: names of options, each with whether it is given.

    Raises:
        CommandLineError: One of them is given.

    >>> refuse("A .csv file is a table", {"--pdf": True, "--json": False})
    Traceback (most recent call last):
    symattn.cli.options.CommandLineError: A .csv file is a table: leave --pdf out.
    """
    given = [name for name, is_given in options.items() if is_given]
    if given:
        raise CommandLineError(f"{reason}: leave {listed(given)} out.")


def _options(context: click.Context) -> list[str]:
    return [name for parameter in context.command.get_params(context) for name in parameter.opts if name[:1] == "-"]


def _of_value(name: str, context: click.Context) -> str:
    """Return the sentence for an option that lacks its value, or that has one and takes none."""
    for parameter in context.command.get_params(context):
        if name in parameter.opts and isinstance(parameter, click.Option) and not parameter.is_flag:
            return f"{name} needs a value. Write {name} {parameter.metavar or parameter.type.name.upper()}."
    return f"{name} takes no value. Write {name} alone."


def _label(parameter: click.Parameter) -> str:
    """Return the name of an argument, or the longest name of an option."""
    if isinstance(parameter, click.Argument):
        return (parameter.metavar or parameter.name or "").strip("[]").upper()
    return max(parameter.opts, key=len)


def _usage(context: click.Context) -> str:
    return f"Write {' '.join([context.command_path, *context.command.collect_usage_pieces(context)])}."


def _shown(text: str) -> str:
    return quoted(text)


# Values of options ---------------------------------------------------------------------------------


def settings_of(settings: tuple[str, ...]) -> dict[str, str]:
    """Return the values of ``--set``, each name once.

    >>> settings_of(("D=512", "mu = 0"))
    {'D': '512', 'mu': '0'}

    Raises:
        InputError: one gives no value, or two give one name.
    """
    given: dict[str, str] = {}
    for text in settings:
        name, mark, value = (part.strip() for part in text.partition("="))
        if not mark or not name or not value:
            raise InputError(f"--set {text} has no value. Write --set NAME=VALUE, e.g. --set mu=0.")
        if name in given:
            raise InputError(f"--set gives {name} twice. Leave one of them out.")
        given[name] = value
    return given


def file_name(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Return the name of an output file as it is given, which is not empty: so it would stand for the current folder.

    Raises:
        click.BadParameter: it is empty.
    """
    if value is not None and not value.strip():
        raise click.BadParameter(" is empty. Give a file name, or leave the option out.")
    return value


def load_problem(path: str, policy: str | None, name: str | None = None) -> model.Problem:
    """Return the problem of a file, or the one that ``--problem`` names; see `load_sheet`.

    Raises:
        InputError: several problems, and none is named.
    """
    found = load_sheet(path, policy, name)
    if len(found.problems) > 1:
        raise InputError(f"{found.source} has several problems: {found.listed}. Name one with --problem.")
    return found.problems[0]


def load_sheet(
    path: str, policy: str | None, name: str | None = None, keys: Mapping[str, str | None] | None = None
) -> sheet.Sheet:
    """Return the problems of a file, or the one named, with the rounding policy and the keys that options give."""
    found = sheet.Sheet.load(path).chosen(name, policy)
    given: dict[str, Any] = {key: value for key, value in (keys or {}).items() if value is not None}
    return replace(found, problems=tuple(replace(one, **given) for one in found.problems))


# Options of several commands ------------------------------------------------------------------------


STRICT = click.option("--strict", is_flag=True, help="Accept no rounding but that of the problem.")
POLICY = click.option(
    "-p", "--policy", metavar="KEYS",
    help="Override keys of the rounding policy, e.g. steps=all,places=2,shift=true.",
)  # fmt: skip


def reveal_option(default: str, shown: str = "report tells") -> Callable[[_Decorated], _Decorated]:
    """Return the option ``--reveal``."""
    return click.option(
        "--reveal", type=OneOf(["marks", "place", "cause", "value"]), default=default, show_default=True,
        help=f"The amount that the {shown}: the marks, also the places of mistakes, also their causes, or everything.",
    )  # fmt: skip


def problem_option(verb: str = "", more: str = "") -> Callable[[_Decorated], _Decorated]:
    """Return the option ``--problem``; the help says what is done with the one, and what without it."""
    what = f"Of several [[problems]] {verb}this one, by number or title.{more}"
    return click.option("--problem", "name", metavar="NAME", help=what)


def timeout_option(seconds: float, allowed: str) -> Callable[[_Decorated], _Decorated]:
    """Return the option ``--timeout``; the help is what is allowed."""
    return click.option(
        "--timeout", type=Above(0, is_open=True), default=seconds, show_default=True, metavar="SECONDS", help=allowed
    )


def memory_option(gigabytes: float, allowed: str) -> Callable[[_Decorated], _Decorated]:
    """Return the option ``--memory``; the help is what is allowed."""
    return click.option("--memory", type=Above(0.1), default=gigabytes, show_default=True, metavar="GB", help=allowed)


def jobs_option(things: str) -> Callable[[_Decorated], _Decorated]:
    """Return the option ``--jobs``; the help begins with what is done at once."""
    return click.option(
        "-j", "--jobs", type=Whole(1, MAX_JOBS), default=1, show_default=True,
        help=f"How many {things}, at most {MAX_JOBS}.",
    )  # fmt: skip
