"""Every text that symattn says: of errors, options, warnings and diagnoses. ``python -m tests.messages`` lists them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent.parent / "symattn"

_CALLS = frozenset({"echo", "Diagnosis", "Warning", "Problem_", "Field", "Parameter", "UsageError", "BadParameter"})
"""The functions and classes, besides those whose names end in Error, that are handed texts for people."""

_OPTIONS = frozenset({"option", "argument", "command", "group"})
_TEXTS_OF_OPTIONS = frozenset({"help", "short_help", "epilog"})


class Message(NamedTuple):
    """One text: the file and the line where it stands, what says it, and its words; holes are written {}."""

    path: str
    line: int
    says: str
    text: str


def messages() -> Iterator[Message]:
    """Yield every text for people in the package, file by file."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE.parent))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield from _of_call(node, name)


def _of_call(node: ast.Call, path: str) -> Iterator[Message]:
    called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if called in _OPTIONS:
        texts = [keyword.value for keyword in node.keywords if keyword.arg in _TEXTS_OF_OPTIONS]
    elif called.endswith("Error") or called in _CALLS:
        texts = [*node.args, *(keyword.value for keyword in node.keywords)]
    else:
        return
    for text in texts:
        words = text_of(text)
        if " " in words.strip():
            yield Message(path, text.lineno, called, words)


def text_of(node: ast.expr) -> str:
    """Return the literal words of an expression, holes as {}; of a choice both sides, with a stroke between them."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(value.value if isinstance(value, ast.Constant) else "{}" for value in values)  # type: ignore[misc]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return text_of(left) + text_of(right)
        case ast.IfExp(body=body, orelse=orelse):
            return f"{text_of(body)} | {text_of(orelse)}"
        case _:
            return "{}"


if __name__ == "__main__":
    for message in messages():
        print(f"{message.path}:{message.line}: {message.says}: {message.text}")  # noqa: T201 - a list for people
