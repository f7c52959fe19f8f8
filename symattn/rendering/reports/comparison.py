"""The picture of a comparison: bars for the sizes of the errors, and a map of where they are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from symattn.records import dataclass

MAX_SIDE = 64
"""Squares of the map along one side; of a larger matrix a square is the worst entry of a block."""

_INK, _FAINT, _NO_NUMBER = "#222222", "#dddddd", "#000000"
_LIGHT, _DARK = (247, 251, 255), (8, 48, 107)
_BAR_HEIGHT, _BARS, _LABELS, _GAP, _MAP, _TOP = 18, 200, 100, 30, 288, 40


@dataclass(frozen=True, slots=True)
class Bar:
    """One size of errors: its level as that of entries, the size in words, and how many there are."""

    level: int
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of the map: how large its error is, from 0 on, and the error in words."""

    level: int
    text: str


def comparison_svg(title: str, bars: Sequence[Bar], cells: Sequence[Sequence[Cell]], levels: int) -> str:
    """Return the picture as SVG, a whole document.

    Args:
        title: the line above it.
        bars: the sizes of errors, and how many there are of each.
        cells: the entries, row by row.
        levels: the level of values that are not numbers; all others lie below.

    >>> comparison_svg("O", [Bar(0, "exact", 1)], [[Cell(0, "0")]], 9).startswith("<svg ")
    True
    """
    start = _LABELS + _BARS + 2 * _GAP
    width, height = start + _MAP + _GAP, _TOP + max(_MAP, _BAR_HEIGHT * len(bars)) + _GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
        f'  font-family="sans-serif" font-size="11" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="10" y="16">{escape(title)}</text>',
        *_bars(bars, levels),
        *_map(_blocks(cells), levels, start),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _bars(bars: Sequence[Bar], levels: int) -> list[str]:
    most = max((bar.count for bar in bars), default=1)
    lines = [f'<text x="10" y="{_TOP - 6}" font-weight="bold">errors in ulp</text>']
    for number, bar in enumerate(bars):
        y, length = _TOP + number * _BAR_HEIGHT, bar.count * _BARS // most
        lines += [
            f'<text x="{_LABELS - 6}" y="{y + 13}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{_LABELS}" y="{y + 2}" width="{length}" height="{_BAR_HEIGHT - 4}"',
            f'  fill="{_colour(bar.level, levels)}" stroke="{_INK}" stroke-width="0.5"/>',
            f'<text x="{_LABELS + length + 5}" y="{y + 13}">{bar.count}</text>',
        ]
    return lines


def _map(cells: Sequence[Sequence[Cell]], levels: int, start: int) -> list[str]:
    side = _MAP // max(len(cells), len(cells[0]))
    lines = [f'<text x="{start}" y="{_TOP - 6}" font-weight="bold">where they are</text>']
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            lines.append(
                f'<rect x="{start + j * side}" y="{_TOP + i * side}" width="{side}" height="{side}" '
                f'fill="{_colour(cell.level, levels)}" stroke="{_FAINT}" stroke-width="0.5">'
                f"<title>{escape(cell.text)}</title></rect>"
            )
    return lines


def _blocks(cells: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Return the map itself, or the worst cell of each of its blocks where it is large."""
    size = -(-max(len(cells), len(cells[0])) // MAX_SIDE)
    return [
        [
            max((cell for row in cells[i : i + size] for cell in row[j : j + size]), key=lambda cell: cell.level)
            for j in range(0, len(cells[0]), size)
        ]
        for i in range(0, len(cells), size)
    ]


def _colour(level: int, levels: int) -> str:
    """Return a colour from light to dark; black for a value that is not a number."""
    if level >= levels:
        return _NO_NUMBER
    parts = (low + (high - low) * level // max(levels - 1, 1) for low, high in zip(_LIGHT, _DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)
