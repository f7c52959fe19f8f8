r"""Rows of ``cases`` and conditions that were read into a formula, taken apart again.

``X = \begin{cases} A & i = j \\ B & \text{otherwise} \end{cases}`` becomes the statements ``X = A`` and ``X = B``,
each with the text of its condition; ``= C \qquad (i \ne j)`` becomes ``= C``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from symattn.notation.sides.reader import read_side
from symattn.notation.submission import Piece, Side, Work, Written
from symattn.proofs.submissions.phrases import LAYOUT

_MOST_ROWS = 12
_AROUND = " \t\n$"


def remove_rows(text: str) -> str:
    """Return the text with blanks for the rows, whose conditions are their own."""
    return LAYOUT["cases"].sub(lambda match: " " * len(match[0]), text)


def split_rows(work: Work) -> tuple[tuple[Piece, ...], dict[int, str]]:
    """Return the pieces with rows and conditions apart, and the text of the condition by the place of the piece."""
    found: list[Piece] = []
    conditions: dict[int, str] = {}
    environments = list(LAYOUT["cases"].finditer(work.text))
    done: set[int] = set()
    for piece in work.pieces:
        start, end = piece.span
        inside = next((item for item in environments if start < item.end() and item.start() < end), None)
        if inside is None or not isinstance(piece, Written):
            part, text = _parted(work.text, piece)
            if text:
                conditions[len(found)] = text
            found.append(part)
            continue
        if inside.start() in done:
            continue
        done.add(inside.start())
        rows = list(_rows(work.text, piece, inside))
        if not rows:
            found.append(piece)
        for part, text in rows:
            conditions[len(found)] = text
            found.append(part)
    return tuple(found), conditions


def _rows(text: str, piece: Written, item: re.Match[str]) -> Iterator[tuple[Written, str]]:
    heads = [(n, side) for n, side in enumerate(piece.sides) if side is not None and side.span[1] <= item.start()]
    if not heads or heads[-1][0] >= len(piece.operators):
        return
    number, head = heads[-1]
    if number:
        yield (
            replace(
                piece,
                span=(piece.span[0], head.span[1]),
                sides=piece.sides[: number + 1],
                operators=piece.operators[:number],
                operator_spans=piece.operator_spans[:number],
            ),
            "",
        )
    for row, (start, end) in enumerate(_row_spans(text, item)):
        value, _, condition = text[start:end].partition("&")
        side = read_expression(text, start, start + len(value.rstrip().rstrip(",")))
        if side is not None:
            operator, place = piece.operators[number], piece.operator_spans[number]
            first = place[0] if number else head.span[0]
            span = (side.span[0] if row else first, side.span[1])
            yield Written(span, (head, side), (operator,), (place,), piece.withdrawn, piece.after_text), condition


def _row_spans(text: str, item: re.Match[str]) -> Iterator[tuple[int, int]]:
    start = item.start(2)
    for count, match in enumerate(LAYOUT["row_end"].finditer(text, item.start(2), item.end(2))):
        if count == _MOST_ROWS:
            return
        yield start, match.start()
        start = match.end()
    if text[start : item.end(2)].strip():
        yield start, item.end(2)


def _parted(text: str, piece: Piece) -> tuple[Piece, str]:
    """Part a chain from the condition behind it for which its last side could not be read."""
    last = piece.sides[-1] if isinstance(piece, Written) and len(piece.sides) > 1 else None
    if not isinstance(piece, Written) or last is None or last.node is not None:
        return piece, ""
    match = LAYOUT["behind"].search(text, last.span[0], last.span[1])
    side = None if match is None else read_expression(text, last.span[0], match.start())
    if match is None or side is None:
        return piece, ""
    sides = (*piece.sides[:-1], side)
    return replace(piece, span=(piece.span[0], side.span[1]), sides=sides), text[match.start() : last.span[1]]


def read_expression(text: str, start: int, end: int) -> Side | None:
    """Read one expression by itself at its place, its delimiters left out; None where it cannot be read."""
    inner = text[start:end]
    first, last = (len(inner) - len(inner.lstrip(_AROUND)), len(inner.rstrip(_AROUND)))
    side = read_side(text, start + first, max(start + first, start + last), "latex")
    return side if side.node is not None else None
