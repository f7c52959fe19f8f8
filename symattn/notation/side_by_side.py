"""Matrices written side by side over several lines, read one after the other.

``Scores = [1 0] × [0 1]`` with the second rows on the line below is a product of two matrices, however the rows of
one stand between those of the other. Each row goes to the matrix whose first row stands above it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from symattn.notation import tree as t
from symattn.notation.markup_spans import lines_of
from symattn.notation.side_bars import bar_tangle
from symattn.notation.tangle import MOST_ROWS, Tangle, column_of

_ROW = re.compile(r"\[[^\[\]\n]{1,400}\]")
_LONGEST_LINE = 400
_SLACK = 4
"""Columns by which a row may stand beside the place of the one above it."""

_CLOSED = re.compile(r"[ \t]{0,4}\]")
_ENTRY = re.compile(r"\[[ \t]*[-−+]?[0-9.]")
_AWAITED = re.compile(r"[=≈][ \t]*$")
_WIDE = re.compile(r"(?<=[0-9)])[ \t]{2,}(?=[-−(0-9.])")


def tangles(text: str, start: int, end: int) -> list[Tangle]:
    r"""Return the matrices side by side in a part of a text.

    >>> text = "S = [[1, 0],  · [[0, 1],\n     [0, 1]]     [2, 0]]\n"
    >>> found = tangles(text, 0, len(text))
    >>> found[0].made(text).text
    'S = [[1, 0],[0, 1]]  · [[0, 1],[2, 0]]'
    """
    bounds = lines_of(text, start, end)
    found: list[Tangle] = []
    position = 0
    while position < len(bounds):
        following = bounds[position : position + MOST_ROWS]
        made = _tangle(text, following) or bar_tangle(text, following)
        if made is not None:
            found.append(made[0])
        position += 1 if made is None else made[1]
    return found


def _tangle(text: str, lines: list[t.Span]) -> tuple[Tangle, int] | None:
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
    return Tangle((low, lines[count - 1][1]), tuple(make(text, lines[0], heads, columns))), count


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
    starts = [column_of(text, head[0]) for head in heads]
    columns: list[list[t.Span]] = [[] for _ in heads]
    for rows in below:
        places: dict[int, t.Span] = {}
        for row in rows:
            at = column_of(text, row[0])
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


def _in_their_brackets(
    text: str, line: t.Span, heads: list[t.Span], columns: list[list[t.Span]]
) -> list[t.Span | tuple[str, t.Span]]:
    parts: list[t.Span | tuple[str, t.Span]] = []
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


def _in_new_brackets(
    text: str, line: t.Span, heads: list[t.Span], columns: list[list[t.Span]]
) -> list[t.Span | tuple[str, t.Span]]:
    parts: list[t.Span | tuple[str, t.Span]] = []
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
