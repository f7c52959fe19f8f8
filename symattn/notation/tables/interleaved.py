"""Interleaved matrices: rows of several matrices on the same lines of text, and their order of reading.

``Scores = [1 0] × [0 1]`` with the second rows on the line below is a product of two matrices, however the rows of one
stand between those of the other. Each row goes to the matrix whose first row stands above it. Names and signs stand
beside any row: ``Q = | 1  3 |`` below ``| 2  1 |``, as people draw matrices in mails, is ``Q = [[2  1],[1  3]]``.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TypeAlias

from symattn.notation.markup.macros import Expansion, rearranged
from symattn.notation.markup.spans import line_spans
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_MOST_ROWS = 40
"""Lines that one group of matrices takes at most."""

_LONGEST_LINE = 400
_SLACK = 4
"""Columns by which a row may stand beside the place of the one above it."""

_NUMBER = r"[-−+]?(?:[0-9]{1,9}(?:[.,][0-9]{1,12})?|\.[0-9]{1,12}|inf|∞)"
_ROW = re.compile(
    r"(?P<open>\[[ \t]{0,4})?(?P<row>\[[^\[\]\n]{1,400}\])(?P<close>[ \t]{0,4}\])?[,;]?"
    rf"|[|(][ \t]{{0,9}}(?P<bars>{_NUMBER}(?:(?:,[ \t]{{0,4}}|[ \t]{{1,9}}){_NUMBER}){{0,30}})[ \t]{{0,9}}[|)]"
    rf"|[/\\][ \t]{{1,9}}(?P<slashes>{_NUMBER}(?:[ \t]{{1,9}}{_NUMBER}){{1,30}})[ \t]{{1,9}}[/\\]"
)
_ENTRY = re.compile(r"\[?[ \t]*[-−+]?(?:[0-9.]|inf|∞)")
_LEAD = re.compile(r"(?:[\w)\]}'′ᵀ][ \t]*(?:=|≈|:)|[·×*+@-])[ \t]*$")
"""The text before a matrix between bars: a name and a relation, or a sign."""

_WIDE = re.compile(r"(?<=[0-9)])[ \t]{2,}(?=[-−(0-9.])")
_TIMES = re.compile(r"[ \t]*(?P<sign>x)[ \t]*")

_Parts: TypeAlias = list[tuple[str | None, t.Span]]


@dataclass(frozen=True, slots=True)
class Interleaving:
    """Lines that hold matrices side by side.

    Attributes:
        span: all of them.
        parts: spans of the text, those with a mark put in for it, in the order in which they are to be read.
    """

    span: t.Span
    parts: tuple[tuple[str | None, t.Span], ...]

    def rearrange(self, text: str) -> Expansion:
        """Put each matrix of the lines in one piece."""
        return rearranged(text, self.parts)


def interleavings(text: str, start: int, end: int) -> list[Interleaving]:
    r"""Return the matrices side by side in a part of a text.

    >>> text = "S = [[1, 0],  · [[0, 1],\n     [0, 1]]     [2, 0]]\n"
    >>> found = interleavings(text, 0, len(text))
    >>> found[0].rearrange(text).text
    'S = [[1, 0],[0, 1]]  · [[0, 1],[2, 0]]'
    >>> text = "    | 2  1 |\nQ = | 1  3 |"
    >>> interleavings(text, 0, len(text))[0].rearrange(text).text
    'Q = [[2  1],[1  3]]'
    """
    bounds = line_spans(text, start, end)
    found: list[Interleaving] = []
    position = 0
    while position < len(bounds):
        stack = _stack_at(text, bounds[position : position + _MOST_ROWS])
        parts = None if stack is None else stack.parts()
        if stack is not None and parts is not None:
            found.append(Interleaving((stack.lines[0][0], stack.lines[-1][1]), tuple(parts)))
        position += 1 if stack is None or parts is None else len(stack.lines)
    return found


def _stack_at(text: str, lines: list[t.Span]) -> _Stack | None:
    """Return the rows below each other that begin on the first of some lines."""
    heads = _rows(text, lines[0])
    stack = _Stack(text, lines[0], heads) if heads else None
    for line in lines[1:] if stack is not None else ():
        if stack is None or not stack.take(line, _rows(text, line)):
            break
    return stack


def _rows(text: str, line: t.Span) -> list[re.Match[str]]:
    """Return the rows of numbers in a line."""
    return list(_ROW.finditer(text, *line)) if line[1] - line[0] <= _LONGEST_LINE else []


def _column_of(text: str, place: int) -> int:
    """Return the column of an offset; signs of East Asia are two columns wide.

    >>> _column_of("得 |", 2)
    3
    """
    low = text.rfind("\n", 0, place) + 1
    return sum(2 if sign >= "\u2e80" else 1 for sign in text[low:place])


def _inner(row: re.Match[str]) -> t.Span:
    return row.span(next(group for group in ("row", "bars", "slashes") if row[group] is not None))


class _Stack:
    """Rows below each other, and the text before, between and behind them.

    Attributes:
        lines: the lines that they take.
        columns: for each row of the first line, the rows of its matrix.
        gaps: the spans of the text before each matrix and behind the last.
    """

    def __init__(self, text: str, line: t.Span, heads: list[re.Match[str]]) -> None:
        self.text = text
        self.lines = [line]
        self.columns = [[head] for head in heads]
        edges = [line[0], *(edge for head in heads for edge in head.span()), line[1]]
        self.gaps = list(zip(edges[::2], edges[1::2], strict=True))

    def take(self, line: t.Span, rows: list[re.Match[str]]) -> bool:
        """Add a line, and return False for one that does not belong to the matrices."""
        places: list[int] = []
        for row in rows:
            at = _column_of(self.text, _inner(row)[0])
            near = {k: abs(_column_of(self.text, _inner(column[0])[0]) - at) for k, column in enumerate(self.columns)}
            free = [k for k in near if k > (places[-1] if places else -1) and near[k] <= _SLACK and self._takes(k, row)]
            if not free:
                return False
            places.append(min(free, key=lambda k: near[k]))
        edges = [line[0], *(edge for row in rows for edge in row.span()), line[1]]
        gaps = dict(zip([*places, len(self.columns)], zip(edges[::2], edges[1::2], strict=True), strict=True))
        said = {place: gap for place, gap in gaps.items() if self._says(gap)}
        if not rows or any(self._says(self.gaps[place]) for place in said):
            return False
        for place, row in zip(places, rows, strict=True):
            self.columns[place].append(row)
        for place, gap in said.items():
            self.gaps[place] = gap
        self.lines.append(line)
        return True

    def _takes(self, place: int, row: re.Match[str]) -> bool:
        """Return True if a row may stand below the last one of a matrix."""
        column = self.columns[place]
        is_alike = (column[0]["row"] is None) == (row["row"] is None) and row["open"] is None
        if column[0]["open"]:
            return is_alike and column[-1]["close"] is None
        widths = [len(one[0].strip("[]|,; ").replace(",", " ").split()) for one in (column[0], row)]
        return is_alike and row["close"] is None and (row["row"] is not None or widths[0] == widths[1])

    def _says(self, gap: t.Span) -> bool:
        return bool(self.text[slice(*gap)].strip(" \t,;."))

    def parts(self) -> _Parts | None:
        """Return the matrices in one piece each; None if these lines are read as they stand."""
        tall = [k for k, column in enumerate(self.columns) if len(column) > 1]
        if not tall or any(bool(column[0]["open"]) != bool(column[-1]["close"]) for column in self.columns):
            return None
        is_nested = any(self.columns[k][0]["open"] for k in tall)
        leads = [self.text[slice(*self.gaps[k])] for k in tall]
        are_numbers = all(_ENTRY.match(self.text, *_inner(row)) for column in self.columns for row in column)
        if not all(map(self._says, (self.gaps[k] for k in tall[1:]))) or not (is_nested or are_numbers):
            return None
        if len(tall) == 1 and (is_nested or len(self.columns) > 1 or not self._stands_alone(leads[0])):
            return None
        if self.columns[0][0]["row"] is None and not any(map(_LEAD.search, leads)):
            return None
        return self._arranged()

    def _stands_alone(self, lead: str) -> bool:
        """Return True if one matrix stands behind a relation, and its rows exactly below each other."""
        rows = [_column_of(self.text, row.start()) for row in self.columns[0]]
        slack = 2 if self.columns[0][0]["row"] is None else 1
        return lead.rstrip()[-1:] in {"=", "≈"} and all(abs(left - right) <= slack for left, right in pairwise(rows))

    def _arranged(self) -> _Parts:
        parts: _Parts = []
        for gap, column in zip(self.gaps, self.columns, strict=False):
            times = _TIMES.fullmatch(self.text, *gap)
            parts.append((None, gap) if times is None else ("×", times.span("sign")))
            for number, row in enumerate(column):
                low, high = _inner(row)
                mark = "," if number else "[" * (len(column) > 1 or row["open"] is not None)
                parts.append((mark + "[" * (row["row"] is None), (low, low)))
                for wide in _WIDE.finditer(self.text, low, high) if row["row"] and not column[0]["open"] else ():
                    parts.extend([(None, (low, wide.start())), (",", wide.span())])
                    low = wide.end()
                parts.extend([(None, (low, high)), ("]" * (row["row"] is None), (high, high))])
            end = _inner(column[-1])[1]
            parts.append(("]" * (len(column) > 1 or column[0]["open"] is not None), (end, end)))
        return [*parts, (None, self.gaps[-1])]
