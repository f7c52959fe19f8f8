"""Blocks of code of a Markdown page, and what it means that they hold.

A block is one of these; any other language is an error, so that no block goes untested:

- ``console``: commands behind ``$`` with their output; ``...`` stands for anything, ``echo $?`` is the exit status;
- ``pycon``: a session of Python, compared as doctest does; ``python``: a piece of a program that runs;
- ``{code-block} LANGUAGE`` with ``:caption: NAME``: a file that the commands below it find;
- ``toml`` without a caption: a piece of a problem file, whose keys are known;
- ``{code-cell}``, ``{literalinclude}`` and directives that the build of the pages executes.

All blocks of a page share one folder, where ``examples`` is that of the project, and one namespace.
"""

from __future__ import annotations

import doctest
import io
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import jsonschema
from markdown_it import MarkdownIt

from symattn.problem.schema.json_schema import json_schema
from tests.cli.runner import Outcome, run

EXECUTED_BY_THE_BUILD = frozenset(
    {"code-cell", "eval-rst", "generated", "grid", "grid-item-card", "literalinclude", "toctree"}
)
REMARKS = frozenset(
    {"admonition", "dropdown", "figure", "image", "note", "seealso", "tab-item", "tab-set", "tip", "warning"}
)
INSTALLING = (
    "python -m pip install", "python -m pip download", "npm install pyodide", "python -m http.server",
    "sphinx-build", "git clone", "otter assign", "nbgrader generate_assignment",
)  # fmt: skip
"""Commands of ``sh`` blocks, which the gate runs from nothing, or which no test may run."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language or directive, the argument and options of a directive, its text and first line."""

    language: str
    argument: str
    options: dict[str, str]
    text: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, those within remarks included."""
    for token in MarkdownIt().parse(page):
        if token.type != "fence" or token.map is None:
            continue
        info, _, argument = token.info.strip().partition(" ")
        lines = token.content.splitlines(keepends=True)
        options: dict[str, str] = {}
        while info.startswith("{") and lines and lines[0].startswith(":"):
            name, _, value = lines.pop(0)[1:].partition(":")
            options[name] = value.strip()
        language = info.strip("{}")
        if language == "code-block":
            language, argument = argument, ""
        if language in REMARKS:
            yield from blocks("".join(lines))
        else:
            yield Block(language, argument, options, "".join(lines).strip("\n") + "\n", token.map[0] + 1)


@dataclass
class Session:
    """A reader who does all that a page says, in one folder."""

    folder: Path
    names: dict[str, object] = field(default_factory=dict)
    status: int = 0
    update: bool = False
    new: dict[str, str] = field(default_factory=dict)
    """With `update`, blocks whose output differs, and the same blocks with what is printed."""

    def follow(self, block: Block) -> None:
        """Do what a block says, and compare what comes of it with what it shows."""
        match block.language:
            case "console":
                self._console(block.text)
            case "pycon":
                self._session(block)
            case "python":
                exec(compile(block.text, f"line {block.line}", "exec"), self.names)  # noqa: S102 - our own pages
            case _ if "caption" in block.options:
                path = self.folder / block.options["caption"]
                path.parent.mkdir(exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            case "toml":
                _check_fragment(block.text)
            case "sh":
                assert block.text.startswith(INSTALLING), block.text
            case language:
                assert language in EXECUTED_BY_THE_BUILD, f"line {block.line}: no test for {language!r}"

    def _console(self, text: str) -> None:
        assert text.startswith("$ "), text
        for entry in text.removeprefix("$ ").split("\n$ "):
            command, _, shown = entry.partition("\n")
            while command.endswith("\\"):
                more, _, shown = shown.partition("\n")
                command = command[:-1] + more.strip()
            printed = self._run(command)
            if not is_shown(shown, printed):
                message = f"$ {command}\n--- shown\n{shown}\n--- printed\n{printed}"
                assert self.update, message
                self.new[f"$ {entry}".rstrip("\n") + "\n"] = f"$ {command}\n{printed}".rstrip("\n") + "\n"

    def _run(self, command: str) -> str:
        if command == "echo $?":
            return f"{self.status}\n"
        outcome = Outcome(0, "", "")
        for part in command.split(" | "):
            program, *arguments = shlex.split(part)
            assert program == "symattn", command
            outcome = run(*arguments, stdin=outcome.out)
        self.status = outcome.status
        return outcome.out + outcome.err

    def _session(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, f"line {block.line}", None, block.line)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        said: list[str] = []
        doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=said.append, clear_globs=False)
        if said and self.update:
            self.new[block.text] = _session_as_run(block, dict(self.names))
        else:
            assert not said, "".join(said)
        self.names.update(test.globs)


def is_shown(shown: str, printed: str) -> bool:
    """Compare a shown output with the printed one: ``...`` is anything, spaces at the ends of lines do not count."""
    want, got = ("\n".join(line.rstrip() for line in text.strip("\n").split("\n")) + "\n" for text in (shown, printed))
    return doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS)


def _check_fragment(text: str) -> None:
    """A piece of a problem file: its keys are those of the schema, whatever else a whole file needs."""
    schema = json_schema()
    for name in ("anyOf", "required"):
        schema.pop(name, None)
    jsonschema.validate(tomllib.loads(text), schema)


def _session_as_run(block: Block, names: dict[str, object]) -> str:
    """Return a session of Python with what its statements print."""
    lines: list[str] = []
    for example in doctest.DocTestParser().get_examples(block.text):
        first, *more = example.source.splitlines()
        lines += [f">>> {first}", *(f"... {line}" for line in more)]
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile(example.source, "page", "single"), names)  # noqa: S102 - our own pages
        lines += out.getvalue().splitlines()
    return "\n".join(lines) + "\n"
