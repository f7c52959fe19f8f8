"""Programs in a document: blocks of code that is working by hand, and values that remarks state.

Values in remarks of programs (``# [[1, 0], [1, 2]]``) are values of the line above.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from symattn import late
from symattn.notation.markup.masking import Canvas, Region
from symattn.notation.markup.spans import bracket_pairs, is_inside
from symattn.notation.tree import nodes as t

_NUMBER = r"[-−+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?"
_ENTRY = rf"(?:{_NUMBER}|[-−+]?(?:inf|Inf|∞))"
_REMARK = late.pattern(
    r"(?:(?<![^\s)\]])(?:#|//)|(?<![^\n])[ \t]{0,20}%)[ \t]*"
    r"(?:[-=]>|Output:|Out:|=|prints?:?)?[ \t]*(?:(?:np\.)?array\(|(?:torch\.)?tensor\()?"
    rf"(?=\[[ \t]*\[?[ \t]*{_ENTRY}(?:[ \t]*,|[ \t]+[-−+.0-9]))"
)
_NAMED_REMARK = late.pattern(
    r"^[ \t]*(?:#|//|%)[ \t]+(?="
    r"(?:[A-Za-z_]\w{0,30}(?:\[[0-9, :]{1,9}\]){0,2}[ \t]*[=≈]|[A-Za-z_][^\n\"'#:=\[\]]{1,60}[:=≈])[ \t]*"
    rf"(?:(?:np\.)?array\(|(?:torch\.)?tensor\()?(?P<list>\[)[ \t]*\[?[ \t]*{_ENTRY}"
    rf"|[A-Za-z0-9_.]{{1,20}}[ ]?[·×*^/+][^\n\"'#:]{{1,120}}[=≈][ \t]*{_NUMBER}[ \t]*$)",
    re.MULTILINE,
)
"""The mark of a remark that is a statement of its own, ``# S = [[1, 0], [1, 2]]`` or ``# raw scores: [[1, 0]]``."""

_REMARK_LINE = late.pattern(r"^[ \t]*(?P<mark>#|//|%)(?=[ \t]+)", re.MULTILINE)

_ARRAY = late.pattern(
    r"^[ \t]*[A-Za-z_]\w{0,30}[ \t]*=[ \t]*"
    r"(?:(?:np|numpy|torch|tf|jnp)\.(?:array|asarray|tensor|Tensor|constant)\(\s{0,9})?"
    rf"(?=\[\s{{0,9}}\[[ \t]*{_ENTRY})",
    re.MULTILINE,
)
"""The beginning of a matrix that a program writes down."""

_NO_PROGRAM = late.pattern(
    r"^[ \t]*(?:[=≈](?!=)|[^\n\"'#]{0,200}[\])\w][ ]?(?:[·×≈√]|→[ ]?\[)[ ]?[\[(\w])", re.MULTILINE
)
"""Text that programs never hold: a line that begins with a relation, or signs of mathematics outside of its texts."""

_MOST = 400
"""Values in remarks, and matrices, that are read in one program."""


def split_programs(text: str, blocks: list[Region], canvas: Canvas) -> list[Region]:
    """Split programs that write down matrices, or whose remarks state values: lines with a value are read."""
    found: list[Region] = []
    for block in blocks:
        if block.kind == "verbatim" and is_calculation(text, *block.inner):
            found.append(replace(block, kind="lines"))
            continue
        spans = values_in_remarks(text, *block.inner, canvas) if block.kind in {"verbatim", "lines"} else []
        if block.kind == "verbatim":
            read = sorted(spans)
            spans = sorted([*read, *(span for span in matrices(text, *block.inner) if not is_inside(read, span[0]))])
        position = block.start
        for low, high in spans:
            if block.kind == "verbatim" and position < low:
                found.append(Region("verbatim", position, low, (max(position, block.inner[0]), low)))
            if block.kind == "verbatim":
                found.append(Region("lines", low, high, (low, high)))
                position = high
        inner = (max(position, block.inner[0]), max(position, block.inner[1]))
        found.append(Region(block.kind, position, block.end, inner))
    if not blocks and "#" in text:
        values_in_remarks(text, 0, len(text), canvas)
    return found


def matrices(text: str, start: int, end: int) -> list[t.Span]:
    r"""Return the lines in which a program writes down matrices.

    >>> text = "import math\nQ = np.array([[1, 0],\n [0, 1]])\nS = Q @ K.T"
    >>> [text[slice(*span)] for span in matrices(text, 0, len(text))]
    ['Q = np.array([[1, 0],\n [0, 1]])']
    """
    pairs = bracket_pairs(text, start, end)
    found: list[t.Span] = []
    for array in islice(_ARRAY.finditer(text, start, end), _MOST):
        close = pairs.get(array.end(), -1)
        stop = text.find("\n", close, end)
        if close >= 0 and (not found or found[-1][1] <= array.start()):
            found.append((array.start(), end if stop < 0 else stop))
    return found


def is_calculation(text: str, start: int, end: int) -> bool:
    r"""Return True if a block is working by hand, though it is marked as a program.

    >>> work, program = "scores = [1, 0] / sqrt(2)\n       = [0.71, 0]", "scores = Q @ K.T"
    >>> is_calculation(work, 0, len(work)), is_calculation(program, 0, len(program))
    (True, False)
    """
    return _NO_PROGRAM.search(text, start, end) is not None


def values_in_remarks(text: str, start: int, end: int, canvas: Canvas) -> list[t.Span]:
    r"""Make ``# [[1, 0], [1, 2]]`` in a program the value of the line above, or before it.

    Args:
        text: the document.
        start: where the program begins.
        end: where it ends.
        canvas: takes the changes.

    Returns:
        The lines that state something so, with those above them.

    >>> text = "S = Q @ K.T\n# [[1, 0],\n#  [1, 2]]\n"
    >>> canvas = Canvas(text)
    >>> values_in_remarks(text, 0, len(text), canvas), canvas.text()
    ([(0, 33)], 'S = Q @ K.T\n  [[1, 0],\n   [1, 2]]\n')
    """
    pairs = bracket_pairs(text, start, end)
    own = _statements_in_remarks(text, (start, end), pairs, canvas)
    found: list[t.Span] = []
    position = start
    for _ in range(_MOST):
        remark = _REMARK.search(text, position, end) if text.find("[", position, end) >= 0 else None
        if remark is None:
            break
        close = pairs.get(remark.end(), -1)
        position = remark.end()
        if close < 0 or close >= end or is_inside(own, remark.start()):
            continue
        stop = text.find("\n", close, end)
        stop = end if stop < 0 else stop
        line = text.rfind("\n", start, remark.start()) + 1 or start
        line = max(line, start)
        is_below = not text[line : remark.start()].strip()
        line = _line_above(text, start, line) if is_below else line
        if line < 0:
            continue
        label = _REMARK_LINE.match(text, line, remark.start()) if is_below else None
        if label is not None:
            canvas.blank(*label.span("mark"))
        canvas.blank(*remark.span())
        if not is_below:
            canvas.put(*remark.span(), "=")
        _blank_marks(text, remark.end(), close, canvas)
        canvas.blank(close + 1, stop)
        if found and found[-1][1] + 1 >= line:
            line = found.pop()[0]
        found.append((line, stop))
        position = stop
    return sorted([*found, *own])


def _blank_marks(text: str, start: int, end: int, canvas: Canvas) -> None:
    """Blank the marks of a remark in the lines below its first one."""
    for mark in _REMARK_LINE.finditer(text, text.find("\n", start, end) + 1 or end, end):
        canvas.blank(*mark.span("mark"))


def _statements_in_remarks(text: str, span: t.Span, pairs: Mapping[int, int], canvas: Canvas) -> list[t.Span]:
    r"""Blank the marks of remarks that are statements of their own, and return the lines of these.

    >>> text = "S = Q @ K.T\n# S = [[1, 0],\n#      [1, 2]]\n"
    >>> canvas = Canvas(text)
    >>> values_in_remarks(text, 0, len(text), canvas), canvas.text()
    ([(12, 41)], 'S = Q @ K.T\n  S = [[1, 0],\n       [1, 2]]\n')
    """
    found: list[t.Span] = []
    remarks = [line for line in text[slice(*span)].split("\n") if line.lstrip(" \t").startswith(("#", "//", "%"))]
    if not any(sign in line for line in remarks for sign in "=≈:"):
        return found
    for remark in islice(_NAMED_REMARK.finditer(text, *span), _MOST):
        close = remark.end() if remark["list"] is None else pairs.get(remark.start("list"), -1)
        stop = text.find("\n", close, span[1]) if close >= 0 else -1
        stop = span[1] if stop < 0 else stop
        if close < 0 or (found and remark.start() < found[-1][1]):
            continue
        canvas.blank(*remark.span())
        _blank_marks(text, remark.end(), close, canvas)
        found.append((remark.start(), stop))
    return found


def _line_above(text: str, start: int, line: int) -> int:
    """Return the start of the line above, which may be a remark in words; -1 for none, an empty one, and a list."""
    if line <= start:
        return -1
    above = max(start, text.rfind("\n", start, line - 1) + 1)
    words = text[above : line - 1].strip()
    return above if words.strip("#/% ") and not words.endswith("]") else -1
