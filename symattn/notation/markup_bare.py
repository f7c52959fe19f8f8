r"""Matrices outside of every formula, ``A = \begin{bmatrix} … \end{bmatrix}`` in running text, as formulas.

TeX stops at such a matrix, and nobody can mean anything else by it. What stands before it in its line belongs to it
as far as it is mathematics; so does what it is equal to, or multiplied with, behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from symattn.notation.markup import Region
from symattn.notation.markup_spans import Ahead

_KINDS = r"(?P<kind>[bpvBV]?(?:small)?matrix)"
_BEGIN = re.compile(rf"\\begin\s?\{{{_KINDS}\}}")
_BEHIND = re.compile(
    r"(?:[ \t]{0,9}\^(?:T|\\top|\\intercal|\{[^{}\n]{1,12}\}))?"
    r"(?:(?:[ \t]{0,9}\n?[ \t]{0,9}(?:=|\\approx|\\cdot|\\times|[+*-])[ \t]{0,9}\n?)?[ \t]{0,9}"
    r"(?=\\begin\s?\{[bpvBV]?(?:small)?matrix\}))?"
)
_NO_MATHEMATICS = re.compile(
    r"(?<![\\A-Za-z])(?!(?:softmax|exp|sqrt)(?![A-Za-z]))[A-Za-z]{2,}(?![A-Za-z])|[:;.][ \t]|&"
    r"|\\(?:item|noindent|par|quad|qquad|textbf|emph|section|subsection|paragraph|centering)(?![A-Za-z])(?:\{[^{}\n]*\})?"
)
_JOINED = re.compile(r"(?:[=+*/(\[-]|\\(?:approx|cdot|times|left\S)|[A-Za-z}])[ \t]*$")


def bare_matrices(text: str, start: int, end: int, known: list[Region], *, tex: bool) -> list[Region]:
    r"""Return the matrices of ``text[start:end]`` that stand in no formula.

    Args:
        text: the document.
        start: where to begin.
        end: where to stop.
        known: the formulas that are known.
        tex: whether it is a TeX file; in Markdown a matrix within one line is read with its line.

    >>> text = r"so A = \begin{bmatrix} 1 \\ 2 \end{bmatrix} holds"
    >>> [text[slice(*region.inner)] for region in bare_matrices(text, 0, len(text), [], tex=True)]
    ['A = \\begin{bmatrix} 1 \\\\ 2 \\end{bmatrix}']
    """
    found: list[Region] = []
    position, ahead, starts = start, Ahead(text, end), [region.start for region in known]
    while (opened := _BEGIN.search(text, position, end)) is not None:
        position = opened.end()
        before = bisect_right(starts, opened.start()) - 1
        if before >= 0 and opened.start() < known[before].end:
            position = max(position, known[before].end)
            continue
        last = _end(text, opened, ahead, starts)
        if last is None:
            continue
        position = last
        if tex or "\n" in text[opened.start() : last]:
            first = _start(text, opened.start(), max(start, found[-1].end if found else start))
            found.append(Region("formula", first, last, (first, last)))
    return found


def _end(text: str, opened: re.Match[str], ahead: Ahead, starts: list[int]) -> int | None:
    """Return the end of the last of several joined matrices; None if one is not closed in its paragraph."""
    current: re.Match[str] | None = opened
    last = None
    while current is not None:
        closing = f"\\end{{{current['kind']}}}"
        closed, blank_line = ahead.find(closing, current.end()), ahead.find("\n\n", current.end())
        known = bisect_left(starts, current.start())
        if closed < 0 or 0 <= blank_line < closed - 1 or (known < len(starts) and starts[known] < closed):
            break
        last = closed + len(closing)
        behind = _BEHIND.match(text, last, ahead.end)
        after = last if behind is None else behind.end()
        current = _BEGIN.match(text, after, ahead.end)
        if current is None:
            last += len(text[last:after].rstrip())
    return last


def _start(text: str, begin: int, low: int) -> int:
    """Return the start of the mathematics that leads to a matrix in its line."""
    line = max(low, text.rfind("\n", low, begin) + 1)
    words = [found.end() for found in _NO_MATHEMATICS.finditer(text, line, begin)]
    first = max([line, *words])
    first += len(text[first:begin]) - len(text[first:begin].lstrip())
    return first if _JOINED.search(text, first, begin) is not None else begin
