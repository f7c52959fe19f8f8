"""The printed numbers of a case as work that a person hands in, in several notations.

Digits stand exactly as they were printed. Every number keeps the place where it stands, so that what is
found there can be told without any name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tests.conformance.cases import Grid, Printed

Format: TypeAlias = Literal["tex", "md", "txt"]


@dataclass(frozen=True)
class Number:
    """One printed number and where it stands in the work."""

    step: str
    item: int
    row: int
    column: int
    printed: str
    start: int
    end: int


@dataclass(frozen=True)
class Work:
    """A text, the format that says how to read it, and its numbers."""

    text: str
    format: Format
    numbers: tuple[Number, ...]


class _Writer:
    """Text that grows, and the places of the numbers in it."""

    def __init__(self, escape: Callable[[str], str] = str) -> None:
        self.pieces: list[str] = []
        self.numbers: list[Number] = []
        self.length = 0
        self.escape = escape

    def put(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)

    def number(self, one: Printed, row: int, column: int, width: int = 0) -> None:
        printed = one.values[row][column]
        assert printed is not None
        text = self.escape(printed)
        self.put(" " * (width - len(text)))
        place = (self.length, self.length + len(text))
        self.numbers.append(Number(one.step, one.item, row, column, printed, *place))
        self.put(text)

    def row(self, one: Printed, row: int, between: str, width: int = 0) -> None:
        self.joined(one, ((row, column) for column in range(len(one.values[row]))), between, width)

    def joined(self, one: Printed, places: Iterable[tuple[int, int]], between: str, width: int = 0) -> None:
        for position, (row, column) in enumerate(places):
            self.put(between if position else "")
            self.number(one, row, column, width)

    def work(self, format: Format) -> Work:  # noqa: A002 (the word that the checker uses)
        return Work("".join(self.pieces), format, tuple(self.numbers))


def _is_whole(values: Grid) -> bool:
    return all(entry is not None for row in values for entry in row)


def _places(one: Printed) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(one.values) for j, entry in enumerate(row) if entry is not None]


def _index(one: Printed, row: int, column: int) -> str:
    far = len(one.values) > 9 or len(one.values[0]) > 9
    return f"{row + 1},{column + 1}" if far else f"{row + 1}{column + 1}"


def _tex(printed: str) -> str:
    return printed.replace("%", r"\%")


def _tex_name(step: str) -> str:
    return step if len(step) == 1 else rf"\mathrm{{{step}}}"


def _in_parts(one: Printed, row: Callable[[int], None], entry: Callable[[int, int], None]) -> None:
    """What is printed in part is given by rows where a row is whole, and by entries where it is not."""
    for i, values in enumerate(one.values):
        if all(value is not None for value in values):
            row(i)
        else:
            for j, value in enumerate(values):
                if value is not None:
                    entry(i, j)


def latex(printed: Iterable[Printed]) -> Work:
    r"""Displayed matrices: ``$$Q = \begin{bmatrix} 1 & 0 \\ 2 & 2 \end{bmatrix}$$``."""
    out = _Writer(_tex)
    for one in printed:
        name = _tex_name(one.step)

        def rows(numbers: Iterable[int], one: Printed = one) -> None:
            out.put("\\begin{bmatrix}\n")
            for position, number in enumerate(numbers):
                out.put(" \\\\\n" if position else "")
                out.row(one, number, " & ")
            out.put("\n\\end{bmatrix}$$\n\n")

        def line(number: int, name: str = name) -> None:
            out.put(f"$${name}_{{{number + 1},:}} = ")
            rows([number])

        def entry(i: int, j: int, name: str = name, one: Printed = one) -> None:
            out.put(f"$${name}_{{{_index(one, i, j)}}} = ")
            out.number(one, i, j)
            out.put("$$\n\n")

        if _is_whole(one.values):
            out.put(f"$${name} = ")
            rows(range(len(one.values)))
        else:
            _in_parts(one, line, entry)
    return out.work("tex")


def entries(printed: Iterable[Printed]) -> Work:
    r"""One number a line: ``Q_{11} &= 1 \\``."""
    out = _Writer(_tex)
    for one in printed:
        out.put("\\begin{align*}\n")
        for position, (i, j) in enumerate(_places(one)):
            out.put(" \\\\\n" if position else "")
            out.put(f"{_tex_name(one.step)}_{{{_index(one, i, j)}}} &= ")
            out.number(one, i, j)
        out.put("\n\\end{align*}\n\n")
    return out.work("tex")


def markdown(printed: Iterable[Printed]) -> Work:
    """Lists under headings: ``- Q = [[1, 0], [2, 2]]``; rows and columns as vectors."""
    out = _Writer()
    for one in printed:
        out.put(f"## {one.step}\n\n")
        if _is_whole(one.values):
            out.put(f"- {one.step} = ")
            _nested(out, one)
            out.put("\n\n")
            continue
        _plain_parts(out, one, "- ", ", ")
        out.put("\n")
    return out.work("md")


def _nested(out: _Writer, one: Printed) -> None:
    if len(one.values) == 1 or len(one.values[0]) == 1:
        single = len(_places(one)) == 1
        out.put("" if single else "[")
        out.joined(one, _places(one), ", ")
        out.put("" if single else "]")
        return
    for i in range(len(one.values)):
        out.put(", [" if i else "[[")
        out.row(one, i, ", ")
        out.put("]")
    out.put("]")


def _plain_parts(out: _Writer, one: Printed, bullet: str, between: str) -> None:
    def line(i: int) -> None:
        out.put(f"{bullet}{one.step}_{{{i + 1},:}} = [")
        out.row(one, i, between)
        out.put("]\n")

    def entry(i: int, j: int) -> None:
        out.put(f"{bullet}{one.step}_{{{_index(one, i, j)}}} = ")
        out.number(one, i, j)
        out.put("\n")

    _in_parts(one, line, entry)


def numpy(printed: Iterable[Printed]) -> Work:
    """Prints of several lines, columns under each other; one row or column as numpy prints a vector."""
    out = _Writer()
    for one in printed:
        if not _is_whole(one.values):
            _plain_parts(out, one, "", " ")
            out.put("\n")
            continue
        out.put(f"{one.step} =\n")
        width = max(len(entry or "") for row in one.values for entry in row)
        if len(one.values) == 1 or len(one.values[0]) == 1:
            out.put("[")
            out.joined(one, _places(one), " ", width)
            out.put("]\n\n")
            continue
        for i in range(len(one.values)):
            out.put("\n [" if i else "[[")
            out.row(one, i, " ", width)
            out.put("]")
        out.put("]\n\n")
    return out.work("txt")


NOTATIONS: dict[str, Callable[[Iterable[Printed]], Work]] = {
    "latex": latex,
    "entries": entries,
    "markdown": markdown,
    "numpy": numpy,
}
