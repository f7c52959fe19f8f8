"""Every text that symattn says: of errors, options, warnings and diagnoses. ``python -m tests.messages`` lists them."""

from __future__ import annotations

import ast
from functools import cache
from typing import NamedTuple

from tests import house

_OPTIONS = frozenset({"option", "argument", "command", "group"})
_TEXTS_OF_OPTIONS = frozenset({"help", "short_help", "epilog"})
_SPOKEN = frozenset({"echo", "Field", "Parameter", "Diagnosis", "Caveat", "fail", "refuse"})
"""The functions and classes, besides errors, that are handed texts for people."""

_ERRORS = ("Error", "_Refused", "_NoValue")
_LEAST = 3
"""A sentence has so many words at least."""


class Message(NamedTuple):
    """One text: the file and the line where it stands, what says it, and its words; holes are written {}."""

    path: str
    line: int
    says: str
    text: str


@cache
def messages() -> tuple[Message, ...]:
    """Return every text for people in the package, file by file."""
    texts: list[Message] = []
    for path, tree in house.trees().items():
        name = str(path.relative_to(house.ROOT))
        found = {**_sentences(tree), **_said(tree)}
        for line, text, says in sorted((line, text, says) for (line, text), says in found.items()):
            texts.append(Message(name, line, says, text))
    return tuple(texts)


def _said(tree: ast.Module) -> dict[tuple[int, str], str]:
    """The texts that are handed to an error, an option or the like."""
    found: dict[tuple[int, str], str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called in _OPTIONS:
            texts = [keyword.value for keyword in node.keywords if keyword.arg in _TEXTS_OF_OPTIONS]
        elif called.endswith(_ERRORS) or called in _SPOKEN:
            texts = [*node.args, *(keyword.value for keyword in node.keywords)]
        else:
            continue
        found |= {(text.lineno, words): called for text in texts if " " in (words := text_of(text)).strip()}
    return found


def _sentences(tree: ast.Module) -> dict[tuple[int, str], str]:
    """All other literals that are sentences; docstrings are not."""
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    found: dict[tuple[int, str], str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Constant, ast.JoinedStr)) or id(node) in documented | inside:
            continue
        text = text_of(node)
        if len(text.split()) >= _LEAST and text.rstrip().endswith((".", "?")) and "\n" not in text:
            found[node.lineno, text] = "text"
    return found


def text_of(node: ast.expr) -> str:
    """Return the literal words of an expression, holes as {}; of a choice both sides, with a stroke between them."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(text_of(value) for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return text_of(left) + text_of(right)
        case ast.IfExp(body=body, orelse=orelse):
            return f"{text_of(body)} | {text_of(orelse)}"
        case _:
            return "{}"


if __name__ == "__main__":
    for message in messages():
        print(f"{message.path}:{message.line}: {message.says}: {message.text}")  # noqa: T201 - a list for people
