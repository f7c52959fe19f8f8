r"""Masking of annotations beside mathematics, which say nothing of its value.

People write the shape of a matrix behind it, ``\end{bmatrix} \quad (3 \times 2)``, name the tokens of its rows,
``[1, 0],   token 1``, and say with an arrow what a number means, ``= 0.67   ← most of it``.
"""

from __future__ import annotations

import re
from itertools import islice

from symattn.notation.markup.masking import Canvas

_MOST = 2_000
"""Remarks of one kind in a document."""

_WORDS = r"\\(?:text|mathrm|textrm|mbox)\s?\{[^{}\n]{0,40}\}"
_SPACE = r"(?:\\q?quad|\\[;,: ]|~|[ \t])"
_SHAPE = rf"\((?:{_WORDS}\s*)?[0-9]{{1,4}}\s*(?:\\times|×|x)\s*[0-9]{{1,4}}\s*(?:{_WORDS}\s*)?\)"
_SHAPE_IN_TEX = re.compile(
    r"(?:\\end\s?\{[a-zA-Z]{1,10}\}|\\right\s?[\])]|\])\s*"
    rf"(?P<shape>(?:{_SPACE}*(?:\\q?quad|\\[;,]){_SPACE}*{_SHAPE}"
    rf"|{_SPACE}*\(\\text\s?\{{[^{{}}\n]{{0,40}}\}}\s*[0-9]{{1,4}}\s*(?:\\times|×)\s*[0-9]{{1,4}}\s*\)"
    rf"|{_SPACE}*\\text\s?\{{\([^{{}}\n]{{0,40}}\}}\s*[0-9]{{1,4}}\s*(?:\\times|×)\s*[0-9]{{1,4}}\s*\)))"
)
r"""``\quad (3 \times 2)`` behind a matrix; without a wide space it may be a factor."""

_BEHIND = re.compile(
    r"(?<=[\])0-9,;A-Z])(?P<remark>[ \t]{2,40}(?:"
    r"\([0-9]{1,4}[ ]?[,×x][ ]?[0-9]{1,4}\)(?=[ \t]*$|[ \t]*,[ \t][a-z])|shape[ :=]"
    r"|(?:row|col|column|token|word|head|query|key)s?[ \t]?[0-9]"
    r"|[\"“'‘][^\"”'’\n]{1,40}[\"”'’][ \t]*$|[←✓✔✅☑]|<-{2,})[^\n=≈→|]*)$",
    re.MULTILINE,
)
"""Behind a list, a number or a name, and some space: a shape, a token, a word in quotation marks, an arrow."""

_BEHIND_SHAPE = re.compile(
    r"(?<=\])(?P<remark>[ \t]{1,40}\([0-9]{1,4}[ ]?[,×x][ ]?[0-9]{1,4}\))(?=[ \t]*$)", re.MULTILINE
)
_ARROW = re.compile(r"(?<=[\])0-9])(?P<remark>[ \t]{1,40}←[^\n=≈→\[]*)$", re.MULTILINE)
_ARROW_BEHIND = re.compile(
    r"^[^\n=≈:←]{1,80}[=≈:][^\n←]{0,300}?[^\s←](?P<remark>[ \t]{1,40}←[^\n=≈→\[]*)$", re.MULTILINE
)
_TICKED = re.compile(r"(?<=[\])0-9$.,])(?P<remark>[ \t]*[✓✔✅☑✗✘❌]️?)(?=[ \t.,;)]*(?:$|[^\w\s]))", re.MULTILINE)
_SLASHES = re.compile(r"^[ \t]*(?P<mark>//+)(?=[ \t]|$)", re.MULTILINE)
_NEXT = re.compile(r"(?<=[\])])(?P<gap>[ \t]{2,60})(?=[A-Za-z_][\w^{}']{0,20}[ \t]{0,8}=(?!=))")
_NO_PROGRAM = re.compile(r"^[ \t]*(?:[=≈](?!=)|[^\n\"'#]{0,200}[\])\w][ ]?(?:[·×≈√]|→[ ]?\[)[ ]?[\[(\w])", re.MULTILINE)
"""Text that programs never hold: a line that begins with a relation, or signs of mathematics outside of its texts."""
_LISTS = re.compile(r"(?P<mark>\\)\[(?=(?:\\\[)?[ \t]*[-−+.0-9][-−+.0-9, \t]*\])")
_NESTED = re.compile(r"(?P<mark>\\)\[(?=\\?\[[ \t]*[-−+.0-9][-−+.0-9, \t]*\])")
_STARS = re.compile(r"(?<=[\w)\] ])(?P<mark>\\)\*(?=[ \w(\[\\])")
_LOW = re.compile(r"(?<![\w\\$])(?P<head>[A-Za-z]{1,20})\\_(?=[A-Za-z0-9{])")
_DISPLAYED = 2000
"""Characters of a formula on display in which its end is looked for."""
_OPEN = 200
"""Characters before a remark in which a formula of its line is looked for."""


def blank_shapes(text: str, canvas: Canvas) -> None:
    r"""Blank shapes behind the matrices of a formula.

    >>> text = r"Q = \begin{bmatrix} 1 & 2 \end{bmatrix} \quad (1 \times 2)"
    >>> canvas = Canvas(text)
    >>> blank_shapes(text, canvas)
    >>> canvas.text().rstrip()
    'Q = \\begin{bmatrix} 1 & 2 \\end{bmatrix}'
    """
    if "\\times" in text or "×" in text:
        for found in islice(_SHAPE_IN_TEX.finditer(text), _MOST):
            canvas.blank(*found.span("shape"))


def blank_remarks(text: str, canvas: Canvas) -> None:
    """Blank remarks at the ends of lines of mathematics, and comment marks before lines of remarks in programs.

    >>> text = 'x1 = (1, 0)     "the"'
    >>> canvas = Canvas(text)
    >>> blank_remarks(text, canvas)
    >>> canvas.text().rstrip()
    'x1 = (1, 0)'
    """
    for pattern in (_BEHIND, _BEHIND_SHAPE, _ARROW, _ARROW_BEHIND, _TICKED):
        for found in islice(pattern.finditer(text), _MOST):
            line = max(text.rfind("\n", 0, found.start("remark")) + 1, found.start("remark") - _OPEN)
            if any(mark in text[line : found.start("remark")] for mark in "=≈[(:→"):
                canvas.blank(*found.span("remark"))
    if "//" in text:
        for found in _SLASHES.finditer(text):
            canvas.blank(*found.span("mark"))


def separate_statements(text: str, canvas: Canvas) -> None:
    """Put a semicolon between statements that only a wide space separates.

    >>> text = "K = [1, 0]    V = [10, 0]"
    >>> canvas = Canvas(text)
    >>> separate_statements(text, canvas)
    >>> canvas.text()
    'K = [1, 0];   V = [10, 0]'
    """
    for found in _NEXT.finditer(text):
        canvas.put(found.start("gap"), found.start("gap") + 1, ";")


def is_calculation(text: str, start: int, end: int) -> bool:
    r"""Return True if a block is working by hand, though it is marked as a program.

    >>> work, program = "scores = [1, 0] / sqrt(2)\n       = [0.71, 0]", "scores = Q @ K.T"
    >>> is_calculation(work, 0, len(work)), is_calculation(program, 0, len(program))
    (True, False)
    """
    return _NO_PROGRAM.search(text, start, end) is not None


def unescape(text: str, canvas: Canvas) -> None:
    r"""Remove the backslashes of Markdown's escapes, ``\[1, 0]``, ``W\_Q`` and ``2 \* 3``.

    ``\[[1, 2] \to [3, 4]\]`` is a formula on display, and stays one.

    >>> text = r"W\_Q = \[\[1, 0], \[0, 1]]"
    >>> canvas = Canvas(text)
    >>> unescape(text, canvas)
    >>> canvas.text()
    ' W_Q =  [ [1, 0],  [0, 1]]'
    """
    for found in _LOW.finditer(text):
        canvas.replace(found.start(), f" {found['head']}_")
    for pattern in (_LISTS, _NESTED, _STARS):
        for found in pattern.finditer(text):
            if pattern is _STARS or not _is_display(text, found.end()):
                canvas.blank(*found.span("mark"))


def _is_display(text: str, start: int) -> bool:
    r"""Return True for the bracket of a displayed formula: ``\]`` closes it before its paragraph ends."""
    closed = text.find("\\]", start, start + _DISPLAYED)
    return closed >= 0 and "\n\n" not in text[start:closed]
