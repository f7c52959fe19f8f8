"""Matrices between bars over several lines, as in mails: the name stands beside any of the rows.

``Q = | 1  3 |`` below ``| 2  1 |``, or with several matrices side by side, is read as ``Q = [[2  1], [1  3]]``.
"""

from __future__ import annotations

import re

from symattn.notation import tree as t
from symattn.notation.tangle import MOST_ROWS, Tangle, column_of

_NUMBER = r"[-−+]?(?:[0-9]{1,9}(?:[.,][0-9]{1,12})?|\.[0-9]{1,12}|inf|∞)"
_BARRED = re.compile(
    rf"\|[ \t]{{0,9}}(?P<row>{_NUMBER}(?:(?:,[ \t]{{0,4}}|[ \t]{{1,9}}){_NUMBER}){{0,30}})[ \t]{{0,9}}\|"
)
_LONGEST = 400
_SLACK = 2
"""Columns by which a row may stand beside the place of the one above it."""

_LEADS = re.compile(r"[\w)\]}'′ᵀ][ \t]*(?:=|≈|:)[ \t]*$|[·×*+@-][ \t]*$")
"""The text before a matrix: a name, or a sign between two of them."""


def bar_tangle(text: str, lines: list[t.Span]) -> tuple[Tangle, int] | None:
    r"""Return the matrices between bars that begin on the first of some lines, and their number of lines.

    >>> text = "    | 2  1 |\nQ = | 1  3 |"
    >>> bar_tangle(text, [(0, 12), (13, 25)])[0].made(text).text
    'Q = [[2  1],[1  3]]'
    """
    rows: list[list[re.Match[str]]] = []
    for line in lines[:MOST_ROWS]:
        found = list(_BARRED.finditer(text, *line)) if line[1] - line[0] <= _LONGEST else []
        if not found or (rows and not _stands_below(text, rows[0], found)):
            break
        rows.append(found)
    named = [k for k, found in enumerate(rows) if _words(text, lines[k], found)]
    if len(rows) < 2 or len(named) != 1:
        return None
    number = named[0]
    if not any(_LEADS.search(text, lines[number][0], found.start()) for found in rows[number]):
        return None
    return Tangle((lines[0][0], lines[len(rows) - 1][1]), tuple(_parts(lines[number], rows, number))), len(rows)


def _stands_below(text: str, above: list[re.Match[str]], found: list[re.Match[str]]) -> bool:
    """Return True if each row of a line stands below one of the first line, and is as long."""
    return len(above) == len(found) and all(
        abs(column_of(text, one.start()) - column_of(text, other.start())) <= _SLACK
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


def _parts(line: t.Span, rows: list[list[re.Match[str]]], number: int) -> list[t.Span | tuple[str, t.Span]]:
    """Return the line with the names, with the rows of all lines in the place of its own."""
    parts: list[t.Span | tuple[str, t.Span]] = []
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
