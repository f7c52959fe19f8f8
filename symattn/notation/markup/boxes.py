r"""Boxes that fit a wide formula onto a page: ``\[ \resizebox{0.9\linewidth}{!}{$ S = Q K^T $} \]``.

They say how large a formula is and nothing about it, so that only what they hold is read.
"""

from __future__ import annotations

from collections.abc import Iterable

from symattn import late
from symattn.notation.markup.masking import Canvas, Region

_SIZE = r"\s{0,4}\{[^{}$]{0,200}\}"
_BOX = late.pattern(
    rf"\\(?:resizebox\*?{_SIZE}{_SIZE}|(?:scalebox|adjustbox){_SIZE}(?:\[[^\]$]{{0,20}}\])?"
    r"|makebox\s{0,4}(?:\[[^\]$]{0,200}\]){0,2}|fbox|mbox)\s{0,4}\{\s{0,20}\$(?P<held>[^$]*)\$\s{0,20}\}"
)


def is_box(body: str) -> bool:
    r"""Return True if a macro only puts a formula into a box.

    >>> is_box(r"\resizebox{\linewidth}{!}{$\displaystyle #1$}")
    True
    >>> is_box(r"\scalebox{0.8}{#1}")
    False
    """
    return _BOX.fullmatch(body.strip()) is not None


def blank_boxes(text: str, formulas: Iterable[Region], canvas: Canvas) -> None:
    r"""Blank the box commands of formulas, and keep their contents.

    >>> text = r"\[ \scalebox{0.8}{$S = 2$} \]"
    >>> canvas = Canvas(text)
    >>> blank_boxes(text, [Region("formula", 0, len(text), (2, len(text) - 2))], canvas)
    >>> canvas.text().split()
    ['\\[', 'S', '=', '2', '\\]']
    """
    for formula in formulas:
        for found in _BOX.finditer(text, *formula.inner):
            low, high = found.span("held")
            canvas.blank(found.start(), low)
            canvas.blank(high, found.end())
