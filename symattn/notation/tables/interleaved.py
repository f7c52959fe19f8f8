"""Interleaved matrices: rows of several matrices on the same lines of text, and their order of reading.

``Scores = [1 0] × [0 1]`` with the second rows on the line below is a product of two matrices, however the rows of one
stand between those of the other. Each row goes to the matrix whose first row stands above it. Names and signs stand
beside any row: ``Q = | 1  3 |`` below ``| 2  1 |``, as people draw matrices in mails, is ``Q = [[2  1],[1  3]]``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

from symattn import late
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
_ROW = late.pattern(
    r"(?P<open>\[[ \t]{0,4})?(?P<row>\[[^\[\]\n]{1,400}\])(?P<close>[ \t]{0,4}\])?[,;]?"
    rf"|[|(][ \t]{{0,9}}(?P<bars>{_NUMBER}(?:(?:,[ \t]{{0,4}}|[ \t]{{1,9}}){_NUMBER}){{0,30}})[ \t]{{0,9}}[|)]"
    rf"|[/\\][ \t]{{1,9}}(?P<slashes>{_NUMBER}(?:[ \t]{{1,9}}{_NUMBER}){{1,30}})[ \t]{{1,9}}[/\\]"
)
_ENTRY = late.pattern(r"\[?[ \t]*[-−+]?(?:[0-9.]|inf|∞)")
_LEAD = late.pattern(r"(?:[\w)\]}'′ᵀ][ \t]*(?:=|≈|:)|[·×*+@-])[ \t]*$")
"""The text before a matrix between bars: a name and a relation, or a sign."""

_WIDE = late.pattern(r"(?<=[0-9)])[ \t]{2,}(?=[-−(0-9.])")
_TIMES = late.pattern(r"[ \t]*(?P<sign>x)[ \t]*")

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
    lines = [(line, _rows(text, line)) for line in line_spans(text, start, end)]
    found: list[Interleaving] = []
    position = 0
    while position < len(lines):
        stack = _Stack(text, *lines[position])
        for line, rows in lines[position + 1 : position + _MOST_ROWS] if stack.columns else ():
            if not stack.take(line, rows):
                break
        parts = stack.parts()
        if parts is not None:
            found.append(Interleaving((stack.lines[0][0], stack.lines[-1][1]), tuple(parts)))
        is_done = parts is not None or len(stack.lines) == _MOST_ROWS  # as many rows without a name are no matrix
        position += len(stack.lines) if is_done else 1
    return found


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of numbers.

    Attributes:
        whole: its span with everything that belongs to it.
        inner: the span of its numbers, with their square brackets.
        column: where it stands in its line.
        width: the number of its entries.
        is_drawn: whether bars or slashes stand around it, or round brackets.
        opens: whether the bracket of a matrix opens before it.
        closes: whether that bracket closes behind it.
    """

    whole: t.Span
    inner: t.Span
    column: int
    width: int
    is_drawn: bool
    opens: bool
    closes: bool


def _rows(text: str, line: t.Span) -> list[_Row]:
    """Return the rows of numbers in a line."""
    rows: list[_Row] = []
    for found in _ROW.finditer(text, *line) if line[1] - line[0] <= _LONGEST_LINE else ():
        inner = found.span(next(group for group in ("row", "bars", "slashes") if found[group] is not None))
        width = len(text[slice(*inner)].replace(",", " ").split())
        is_drawn, opens, closes = found["row"] is None, found["open"] is not None, found["close"] is not None
        rows.append(_Row(found.span(), inner, _column_of(text, inner[0]), width, is_drawn, opens, closes))
    return rows


def _column_of(text: str, place: int) -> int:
    """Return the column of an offset; signs of East Asia are two columns wide.

    >>> _column_of("得 |", 2)
    3
    """
    low = text.rfind("\n", 0, place) + 1
    return sum(2 if sign >= "\u2e80" else 1 for sign in text[low:place])


class _Stack:
    """Rows below each other, and the text before, between and behind them.

    Attributes:
        lines: the lines that they take.
        columns: for each row of the first line, the rows of its matrix.
        gaps: the spans of the text before each matrix and behind the last.
    """

    def __init__(self, text: str, line: t.Span, heads: list[_Row]) -> None:
        self.text = text
        self.lines = [line]
        self.columns = [[head] for head in heads]
        self.gaps = _gaps(line, heads)

    def take(self, line: t.Span, rows: list[_Row]) -> bool:
        """Add a line, and return False for one that does not belong to the matrices."""
        places: list[int] = []
        for row in rows:
            near = {k: abs(column[0].column - row.column) for k, column in enumerate(self.columns)}
            free = [k for k in near if k > (places[-1] if places else -1) and near[k] <= _SLACK and self._takes(k, row)]
            if not free:
                return False
            places.append(min(free, key=lambda k: near[k]))
        gaps = zip([*places, len(self.columns)], _gaps(line, rows), strict=True)
        said = {place: gap for place, gap in gaps if self._says(gap)}
        if not rows or any(self._says(self.gaps[place]) for place in said):
            return False
        for place, row in zip(places, rows, strict=True):
            self.columns[place].append(row)
        for place, gap in said.items():
            self.gaps[place] = gap
        self.lines.append(line)
        return True

    def _takes(self, place: int, row: _Row) -> bool:
        """Return True if a row may stand below the last one of a matrix."""
        first, last = self.columns[place][0], self.columns[place][-1]
        if first.is_drawn != row.is_drawn or row.opens:
            return False
        if first.opens:
            return not last.closes
        return not row.closes and (not row.is_drawn or first.width == row.width)

    def _says(self, gap: t.Span) -> bool:
        return bool(self.text[slice(*gap)].strip(" \t,;."))

    def parts(self) -> _Parts | None:
        """Return the matrices in one piece each; None if these lines are read as they stand."""
        tall = [k for k, column in enumerate(self.columns) if len(column) > 1]
        if not tall or any(column[0].opens != column[-1].closes for column in self.columns):
            return None
        is_nested = any(self.columns[k][0].opens for k in tall)
        leads = [self.text[slice(*self.gaps[k])] for k in tall]
        are_numbers = all(_ENTRY.match(self.text, *row.inner) for column in self.columns for row in column)
        if not all(self._says(self.gaps[k]) for k in tall[1:]) or not (is_nested or are_numbers):
            return None
        if len(tall) == 1 and (is_nested or len(self.columns) > 1 or not self._stands_alone(leads[0])):
            return None
        if self.columns[0][0].is_drawn and not any(map(_LEAD.search, leads)):
            return None
        return self._arranged()

    def _stands_alone(self, lead: str) -> bool:
        """Return True if one matrix stands behind a relation, and its rows exactly below each other."""
        slack = 2 if self.columns[0][0].is_drawn else 1
        is_even = all(abs(left.column - right.column) <= slack for left, right in pairwise(self.columns[0]))
        return lead.rstrip()[-1:] in {"=", "≈"} and is_even

    def _arranged(self) -> _Parts:
        parts: _Parts = []
        for gap, column in zip(self.gaps, self.columns, strict=False):
            times = _TIMES.fullmatch(self.text, *gap)
            is_matrix = len(column) > 1 or column[0].opens
            parts.append((None, gap) if times is None else ("×", times.span("sign")))
            for number, row in enumerate(column):
                low, high = row.inner
                parts.append(("," if number else "[" * is_matrix, (low, low)))
                parts.append(("[" * row.is_drawn, (low, low)))
                for wide in () if row.is_drawn or column[0].opens else _WIDE.finditer(self.text, low, high):
                    parts.extend([(None, (low, wide.start())), (",", wide.span())])
                    low = wide.end()
                parts.extend([(None, (low, high)), ("]" * row.is_drawn, (high, high))])
            end = column[-1].inner[1]
            parts.append(("]" * is_matrix, (end, end)))
        return [*parts, (None, self.gaps[-1])]


def _gaps(line: t.Span, rows: list[_Row]) -> list[t.Span]:
    """Return the spans before, between and behind the rows of a line."""
    edges = [line[0], *(edge for row in rows for edge in row.whole), line[1]]
    return list(zip(edges[::2], edges[1::2], strict=True))
