"""Spans of a text: its lines, surrounding space, membership, and search at ascending offsets."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from symattn import late
from symattn.notation.tree import nodes as t

_SQUARE = late.pattern(r"[\[\]]")
_CURLY = late.pattern(r"\\.|[{}]", re.DOTALL)
_CURLY_OF_PARAGRAPHS = late.pattern(r"\\.|[{}]|\n[ \t]*(?=\n)", re.DOTALL)


def line_spans(text: str, start: int = 0, end: int | None = None) -> list[t.Span]:
    r"""Return the spans of the lines of ``text[start:end]``, without their line feeds.

    >>> line_spans("a\n\nbc\n")
    [(0, 1), (2, 2), (3, 5)]
    """
    end = len(text) if end is None else end
    lines: list[t.Span] = []
    position = start
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop
        lines.append((position, stop))
        position = stop + 1
    return lines


def strip_span(text: str, start: int, end: int) -> t.Span:
    """Return a span without white space at its ends.

    >>> strip_span(" ab ", 0, 4)
    (1, 3)
    """
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def is_inside(spans: list[t.Span], start: int) -> bool:
    """Return True if an offset lies in one of some spans, which are in order and do not overlap.

    >>> is_inside([(0, 2), (5, 9)], 5), is_inside([(0, 2), (5, 9)], 2)
    (True, False)
    """
    position = bisect_left(spans, (start + 1, 0)) - 1
    return position >= 0 and spans[position][0] <= start < spans[position][1]


def bracket_pairs(text: str, start: int = 0, end: int | None = None) -> dict[int, int]:
    """Map each square bracket that opens in ``text[start:end]`` to the one that closes it.

    >>> bracket_pairs("[[1], 2] [3")
    {1: 3, 0: 7}
    """
    return _pairs(_SQUARE.finditer(text, start, len(text) if end is None else end))


def brace_pairs(text: str, *, by_paragraph: bool = False) -> dict[int, int]:
    r"""Map each opening brace to the one that closes it, perhaps in its own paragraph alone; ``\{`` is none.

    >>> brace_pairs(r"{a\{{b}}"), brace_pairs("{\n\n{b}}", by_paragraph=True)
    ({4: 6, 0: 7}, {3: 5})
    """
    return _pairs((_CURLY_OF_PARAGRAPHS if by_paragraph else _CURLY).finditer(text))


def _pairs(signs: Iterator[re.Match[str]]) -> dict[int, int]:
    """Pair brackets in their order; the end of a paragraph closes none of those that are open."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for found in signs:
        if found[0] in "[{":
            stack.append(found.start())
        elif found[0] in "]}" and stack:
            pairs[stack.pop()] = found.start()
        elif found[0][0] == "\n":
            stack.clear()
    return pairs


class Ahead:
    """Search for fixed strings at ascending offsets, in one pass over the text for each string."""

    def __init__(self, text: str, end: int) -> None:
        self.text = text
        self.end = end
        self._places: dict[str, int] = {}

    def find(self, wanted: str, position: int) -> int:
        """Return the first place of a string at or behind a position, -1 without one.

        >>> ahead = Ahead("a-b-c", 5)
        >>> ahead.find("-", 0), ahead.find("-", 2), ahead.find("-", 4)
        (1, 3, -1)
        """
        place = self._places.get(wanted, 0)
        if -1 < place <= position:
            place = self._places[wanted] = self.text.find(wanted, position, self.end)
        return place
