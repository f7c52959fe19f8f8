"""The reference of the command line, as Markdown, from the commands that the program itself runs."""

from __future__ import annotations

import re
from inspect import cleandoc

import click

from symattn.cli.main import cli

_CODE = r"--[a-z][a-z-]*(?: \w+=\w+)?|\\[a-z]+"
"""Options, with an example of a setting, and TeX commands."""


def commands() -> str:
    """Return a section for each command, with its usage, options and exit statuses."""
    root = click.Context(cli, info_name="symattn", **cli.context_settings)
    sections = [_section(root)]
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        if command is None:
            raise ValueError(f"the command {name} is listed and cannot be loaded")
        sections.append(_section(click.Context(command, info_name=name, parent=root)))
    return "\n".join(sections)


def _section(context: click.Context) -> str:
    command = context.command
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    records = [option.get_help_record(context) for option in options]
    return "\n".join(
        [
            f"## {context.command_path}\n",
            _preformatted(usage),
            f"{_prose(cleandoc(command.help or ''))}\n",
            *(f"`{names}`\n: {_prose(text)}\n" for names, text in filter(None, records)),
            _preformatted(command.epilog or ""),
        ]
    )


def _prose(text: str) -> str:
    """Return a help text as Markdown: options and TeX commands as code, everything else as it is written."""
    pieces = re.split(rf"(`[^`]+`|{_CODE})", text)
    return "".join(_code(piece) if number % 2 else _escaped(piece) for number, piece in enumerate(pieces))


def _code(text: str) -> str:
    return f"`{text.strip('`')}`"


def _escaped(text: str) -> str:
    return re.sub(r"[\\*_<>\[\]$|]", r"\\\g<0>", text)


def _preformatted(text: str) -> str:
    """Return lines that stay as they are."""
    lines = [line for line in text.splitlines() if line != "\b"]
    return "\n".join(["```text", *lines, "```\n"]) if lines else ""
