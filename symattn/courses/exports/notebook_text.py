"""Sheets as Markdown cells of notebooks, and notebooks as files.

A cell holds nothing but words and mathematics: words are escaped, and every formula is a tree that our own writer sets.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from symattn.notation.writers.latex import write_latex
from symattn.printable import json_text
from symattn.rendering.content import Beside, Code, Items, Label, Line, Piece, Stated, Typed
from symattn.rendering.html.page import STYLES
from symattn.rendering.latex.prose import Token, tokens_of
from symattn.rendering.sections.document import Document

WORK = "work.md"
"""The file that the cell of the student writes."""

WRITES = f"%%writefile {WORK}"
"""The first line of that cell: what stands below is text, whatever it holds."""

PROMPT = "Write your work here, as Markdown, LaTeX or plain text. Leave the first line of this cell as it is."

Cell: TypeAlias = Mapping[str, object]

_SPECIAL = re.compile(r"(?m)[\\`*_\[\]$|~#=]|^[+-]|(?<=^[0-9])[.)]")
"""Letters that Markdown takes for its own; without # and = no words are a marker of Otter or nbgrader."""


def sheet_cells(title: str, document: Document) -> Iterator[str]:
    """Yield the texts of the Markdown cells of a sheet: its problems without answers."""
    yield f"# {_words(title)}"
    yield from _problem(document)
    for number, item in enumerate(document.members, 1):
        heading = document.words.say("document.problem", number=number)
        yield f"## {_words(heading)} {_text(item.title, is_line=True)}".strip()
        yield from _problem(item)


def _problem(document: Document) -> Iterator[str]:
    if document.intro:
        yield _text(document.intro)
    if not document.members:
        yield _pieces([*document.given, *document.conventions])
    for section in document.sections:
        points = document.words.say("document.points", count=float(section.points or 0), points=section.points)
        worth = f" [{points}]" if section.points else ""
        yield f"**({section.label})** {_text(section.title, is_line=True)}{worth}\n\n{_text(section.task)}"


def _pieces(pieces: Iterable[Piece]) -> str:
    """Return prose with displays among it."""
    made = ""
    for piece in pieces:
        match piece:
            case Beside(statements):
                displays = (f"$$ {write_latex(one.written)} $$" for one in statements)
                made += "".join(f"\n\n{display}" for display in displays) + "\n\n"
            case Items(paragraphs):
                made += "".join(f"\n- {' '.join(map(_line, one))}" for one in paragraphs) + "\n\n"
            case str() | Stated() | Typed() | Label() | Code():
                said = _line(piece)
                made += ("" if not made or made.endswith("\n") or said[:1] in ".,;:" else " ") + said
    return made.strip()


def _line(line: Line) -> str:
    match line:
        case Stated(statement, after):
            return f"${write_latex(statement.written)}${_text(after, is_line=True)}"
        case Label(text):
            return f"\n\n{_text(text, is_line=True)}"
        case Typed(text):
            return f"\n\n{_text(text)}\n\n"
        case Code(before, text, after):
            return f"{_text(before, is_line=True)} <code>{_words(text)}</code>{_text(after, is_line=True)}"
        case str():
            return _text(line, is_line=True)
        case _:
            return ""


def _text(text: str, *, is_line: bool = False) -> str:
    r"""Return a text that somebody typed, with its formulas, emphasis and lists.

    >>> _text("A <b> of $x^2$ & *all*")
    'A &lt;b&gt; of $x^{2}$ &amp; <em>all</em>'
    """
    return "".join(map(_token, tokens_of(text, is_line=is_line))).strip()


def _token(token: Token) -> str:
    match token.kind:
        case "formula":
            return f"${', '.join(map(write_latex, token.trees))}$"
        case "display":
            return f"\n\n$$ {', '.join(map(write_latex, token.trees))} $$\n\n{token.mark}"
        case "paragraph":
            return "\n\n"
        case "list":
            return "\n- " if token.mark == "\\item" else "\n\n"
        case "style":
            tag = STYLES[token.mark]
            return f"<{tag}>{_words(token.text)}</{tag}>"
        case _:
            return _words(token.text)


def _words(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


# Notebooks -----------------------------------------------------------------------------------------


def markdown(text: str, **metadata: object) -> Cell:
    """Return a Markdown cell."""
    return {"cell_type": "markdown", "metadata": metadata, "source": text}


def raw(text: str) -> Cell:
    """Return a raw cell."""
    return {"cell_type": "raw", "metadata": {}, "source": text}


def code(text: str, **metadata: object) -> Cell:
    """Return a code cell that has not run."""
    return {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": text}


def notebook(cells: Iterable[Cell]) -> str:
    """Return a notebook of Python 3 as the text of its file."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    named = [{**cell, "id": f"symattn-{number}"} for number, cell in enumerate(cells, 1)]
    record = {
        "cells": named,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json_text(record, indent=1) + "\n"


def packed(text: str) -> str:
    """Return a text in letters that no cell, marker or YAML takes for its own; see `unpacked`."""
    return base64.b64encode(text.encode()).decode()


def unpacked(text: str) -> str:
    """Return the text that was packed.

    >>> unpacked(packed("# END QUESTION"))
    '# END QUESTION'
    """
    return base64.b64decode(text).decode()
