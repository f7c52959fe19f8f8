"""Interleaved matrices: rows of several matrices on the same lines of text, and their order of reading.

``Scores = [1 0] × [0 1]`` with the second rows on the line below is a product of two matrices, however the rows of one
stand between those of the other. Each row goes to the matrix whose first row stands above it. ``Q = | 1  3 |`` below
``| 2  1 |``, as people draw matrices in mails, is read as ``Q = [[2  1], [1  3]]``: the name stands beside any row.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TypeAlias

from symattn.notation.markup.macros import Expansion
from symattn.notation.markup.spans import line_spans
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_MOST_ROWS = 40
"""Lines that one group of matrices takes at most."""

_LONGEST_LINE = 400

_Parts: TypeAlias = list[t.Span | tuple[str, t.Span]]


@dataclass(frozen=True, slots=True)
class Interleaving:
    """Lines that hold matrices side by side.

    Attributes:
        span: all of them.
        parts: pieces of the text, and marks that are put in, in the order in which they are to be read.
    """

    span: t.Span
    parts: tuple[t.Span | tuple[str, t.Span], ...]

    def rearrange(self, text: str) -> Expansion:
        """Put each matrix of the lines in one piece."""
        made = Expansion(text)
        made.arrange(list(self.parts))
        return made


def _column_of(text: str, place: int) -> int:
    """Return the column of an offset; signs of East Asia are two columns wide.

    >>> _column_of("得 |", 2)
    3
    """
    low = text.rfind("\n", 0, place) + 1
    return sum(2 if sign >= "\u2e80" else 1 for sign in text[low:place])


# Matrices between bars ----------------------------------------------------------------------------

_NUMBER = r"[-−+]?(?:[0-9]{1,9}(?:[.,][0-9]{1,12})?|\.[0-9]{1,12}|inf|∞)"
_BARRED = re.compile(
    rf"\|[ \t]{{0,9}}(?P<row>{_NUMBER}(?:(?:,[ \t]{{0,4}}|[ \t]{{1,9}}){_NUMBER}){{0,30}})[ \t]{{0,9}}\|"
)
_BAR_SLACK = 2
"""Columns by which a row may stand beside the place of the one above it."""

_LEADS = re.compile(r"[\w)\]}'′ᵀ][ \t]*(?:=|≈|:)[ \t]*$|[·×*+@-][ \t]*$")
"""The text before a matrix: a name, or a sign between two of them."""


def _matrices_in_bars(text: str, lines: list[t.Span]) -> tuple[Interleaving, int] | None:
    r"""Return the matrices between bars that begin on the first of some lines, and their number of lines.

    >>> text = "    | 2  1 |\nQ = | 1  3 |"
    >>> _matrices_in_bars(text, [(0, 12), (13, 25)])[0].rearrange(text).text
    'Q = [[2  1],[1  3]]'
    """
    rows: list[list[re.Match[str]]] = []
    for line in lines[:_MOST_ROWS]:
        found = list(_BARRED.finditer(text, *line)) if line[1] - line[0] <= _LONGEST_LINE else []
        if not found or (rows and not _stands_below(text, rows[0], found)):
            break
        rows.append(found)
    named = [k for k, found in enumerate(rows) if _words(text, lines[k], found)]
    if len(rows) < 2 or len(named) != 1:
        return None
    number = named[0]
    if not any(_LEADS.search(text, lines[number][0], found.start()) for found in rows[number]):
        return None
    span = (lines[0][0], lines[len(rows) - 1][1])
    return Interleaving(span, tuple(_bar_parts(lines[number], rows, number))), len(rows)


def _stands_below(text: str, above: list[re.Match[str]], found: list[re.Match[str]]) -> bool:
    """Return True if each row of a line stands below one of the first line, and is as long."""
    return len(above) == len(found) and all(
        abs(_column_of(text, one.start()) - _column_of(text, other.start())) <= _BAR_SLACK
        and len(one["row"].replace(",", " ").split()) == len(other["row"].replace(",", " ").split())
        for one, other in zip(above, found, strict=True)
    )


def _words(text: str, line: t.Span, found: list[re.Match[str]]) -> bool:
    """Return True if a line holds more than rows between bars."""
    position, rest = line[0], ""
    for row in found:
        rest += text[position : row.start()]
        position = row.end()
    return bool((rest + text[position : line[1]]).strip(" \t,;."))


def _bar_parts(line: t.Span, rows: list[list[re.Match[str]]], number: int) -> _Parts:
    """Return the line with the names, with the rows of all lines in the place of its own."""
    parts: _Parts = []
    position = line[0]
    for place, own in enumerate(rows[number]):
        parts.append((position, own.start()))
        column = [found[place] for found in rows]
        for k, row in enumerate(column):
            start, end = row.span("row")
            parts.extend([("[[" if not k else ",[", (start, start)), (start, end), ("]", (end, end))])
        last = column[-1].end("row")
        parts.append(("]", (last, last)))
        position = own.end()
    return [*parts, (position, line[1])]


# Matrices side by side ----------------------------------------------------------------------------

_ROW = re.compile(r"\[[^\[\]\n]{1,400}\]")
_SLACK = 4
"""Columns by which a row may stand beside the place of the one above it."""

_CLOSED = re.compile(r"[ \t]{0,4}\]")
_ENTRY = re.compile(r"\[[ \t]*[-−+]?[0-9.]")
_AWAITED = re.compile(r"[=≈][ \t]*$")
_WIDE = re.compile(r"(?<=[0-9)])[ \t]{2,}(?=[-−(0-9.])")


def interleavings(text: str, start: int, end: int) -> list[Interleaving]:
    r"""Return the matrices side by side in a part of a text.

    >>> text = "S = [[1, 0],  · [[0, 1],\n     [0, 1]]     [2, 0]]\n"
    >>> found = interleavings(text, 0, len(text))
    >>> found[0].rearrange(text).text
    'S = [[1, 0],[0, 1]]  · [[0, 1],[2, 0]]'
    """
    bounds = line_spans(text, start, end)
    found: list[Interleaving] = []
    position = 0
    while position < len(bounds):
        following = bounds[position : position + _MOST_ROWS]
        made = _matrices_in_brackets(text, following) or _matrices_in_bars(text, following)
        if made is not None:
            found.append(made[0])
        position += 1 if made is None else made[1]
    return found


def _matrices_in_brackets(text: str, lines: list[t.Span]) -> tuple[Interleaving, int] | None:
    """Return the matrices that begin on the first of some lines, and their number of lines."""
    low, high = lines[0]
    if high - low > _LONGEST_LINE or "[" not in text[low:high]:
        return None
    heads = [found.span() for found in _ROW.finditer(text, low, high)]
    below: list[list[t.Span]] = []
    for line in lines[1:]:
        rows = _rows_alone(text, line)
        if not 0 < len(rows) <= len(heads):
            break
        below.append(rows)
    if not heads or not below:
        return None
    is_nested = any(text[low : head[0]].rstrip(" \t").endswith("[") for head in heads)
    columns = _nested(text, heads, below) if is_nested else _spaced(text, heads, below)
    if columns is None:
        return None
    count = 1 + max(map(len, columns))
    make = _in_their_brackets if is_nested else _in_new_brackets
    return Interleaving((low, lines[count - 1][1]), tuple(make(text, lines[0], heads, columns))), count


def _rows_alone(text: str, line: t.Span) -> list[t.Span]:
    """Return the rows of a line of nothing else; an empty list for other lines."""
    low, high = line
    rows = [found.span() for found in _ROW.finditer(text, low, high)] if high - low <= _LONGEST_LINE else []
    if not rows:
        return []
    between = [text[left[1] : right[0]] for left, right in pairwise(rows)]
    rest = [text[low : rows[0][0]], *between, text[rows[-1][1] : high]]
    return rows if not any(part.strip(" \t],;.") for part in rest) else []


def _below(
    text: str, heads: list[t.Span], below: list[list[t.Span]], is_open: list[bool], slack: int = _SLACK
) -> list[list[t.Span]] | None:
    """Return the rows below each first row; None if one stands below none."""
    starts = [_column_of(text, head[0]) for head in heads]
    columns: list[list[t.Span]] = [[] for _ in heads]
    for rows in below:
        places: dict[int, t.Span] = {}
        for row in rows:
            at = _column_of(text, row[0])
            near = [k for k, start in enumerate(starts) if is_open[k] and k not in places and abs(start - at) <= slack]
            if not near:
                return columns if any(columns) and not any(is_open) else None
            places[min(near, key=lambda k: abs(starts[k] - at))] = row
        for own, row in places.items():
            columns[own].append(row)
            is_open[own] = _CLOSED.match(text, row[1]) is None
    return columns


def _nested(text: str, heads: list[t.Span], below: list[list[t.Span]]) -> list[list[t.Span]] | None:
    """Return rows in brackets of their own within brackets, ``[[1, 0],`` and below it ``[0, 1]]``."""
    is_open = [text[: head[0]].rstrip(" \t").endswith("[") and _CLOSED.match(text, head[1]) is None for head in heads]
    columns = _below(text, heads, below, is_open) if sum(is_open) > 1 else None
    if columns is None or any(is_open) or sum(map(bool, columns)) < 2:
        return None
    return columns


def _spaced(text: str, heads: list[t.Span], below: list[list[t.Span]]) -> list[list[t.Span]] | None:
    """Return rows of a matrix with nothing around them: ``[1 0]`` and below it ``[0 1]``."""
    if any(_ENTRY.match(text, head[0]) is None for head in heads) or any(len(rows) != len(heads) for rows in below):
        return None
    between = [text[left[1] : right[0]].strip() for left, right in pairwise(heads)]
    low = text.rfind("\n", 0, heads[0][0]) + 1
    if not all(between) or (not between and _AWAITED.search(text, low, heads[0][0]) is None):
        return None
    slack = _SLACK if between else 1
    return _below(text, heads, below, [True] * len(heads), slack)


def _in_their_brackets(text: str, line: t.Span, heads: list[t.Span], columns: list[list[t.Span]]) -> _Parts:
    parts: _Parts = []
    position = line[0]
    for head, column in zip(heads, columns, strict=True):
        if not column:
            continue
        end = head[1]
        while text[end] in ",;":
            end += 1
        parts.append((position, end))
        for row in column:
            closed = _CLOSED.match(text, row[1])
            stop = row[1] if closed is None else closed.end()
            parts.append((row[0], stop))
            if closed is None:
                parts.append((",", (stop, stop)))
        position = end
    return [*parts, (position, line[1])]


def _in_new_brackets(text: str, line: t.Span, heads: list[t.Span], columns: list[list[t.Span]]) -> _Parts:
    parts: _Parts = []
    position = line[0]
    for head, column in zip(heads, columns, strict=True):
        parts.append((position, head[0]))
        parts.append(("[", (head[0], head[0])))
        for number, row in enumerate([head, *column]):
            if number:
                parts.append((",", (row[0], row[0])))
            begin = row[0]
            for wide in _WIDE.finditer(text, *row):
                parts.extend([(begin, wide.start()), (",", wide.span())])
                begin = wide.end()
            parts.append((begin, row[1]))
        parts.append(("]", (parts[-1][1], parts[-1][1]) if isinstance(parts[-1][1], int) else parts[-1][1]))
        position = head[1]
    return [*parts, (position, line[1])]
