"""Values on the command line, ``--set name=value``, as often as one likes; the most ``--jobs``; files to be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from symattn.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

MAX_JOBS = 61
"""Windows waits for no more processes than these."""


def settings_of(settings: tuple[str, ...]) -> dict[str, str]:
    """The values of ``--set``, each name once.

    >>> settings_of(("D=512", "mu = 0"))
    {'D': '512', 'mu': '0'}

    Raises:
        InputError: one gives no value, or two give one name.
    """
    given: dict[str, str] = {}
    for text in settings:
        name, mark, value = (part.strip() for part in text.partition("="))
        if not mark or not name or not value:
            raise InputError(f"--set {text} names no value: write --set name=value, e.g. --set mu=0.")
        if name in given:
            raise InputError(f"--set gives {name} twice: leave one of them out.")
        given[name] = value
    return given


def file_name(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """The name of an output file as it is given, which is not empty: so it would stand for the current folder.

    Raises:
        click.BadParameter: it is empty.
    """
    if value is not None and not value.strip():
        raise click.BadParameter("the output file has no name: give one, or leave the option out.")
    return value


def check_writable(output: str | None, stem: Path | None = None) -> None:
    """Refuse files that cannot be written, before the work: `symattn.cli.output.check_writable`."""
    from symattn.cli import output as files  # start-up: --help writes no files

    files.check_writable(output, stem)
