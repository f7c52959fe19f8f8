"""Normalization of arrays as programs and people print them; nothing moves.

R numbers its rows (``[1,]``), TensorFlow says shapes and types, batches have brackets of their own, and in plain
text a matrix stands between bars. Values in remarks of programs (``# [[1, 0], [1, 2]]``) are values of the line above.
"""

from __future__ import annotations

import re
from itertools import islice

from symattn.notation.markup.masking import Canvas
from symattn.notation.tree import nodes as t

_NUMBER = r"[-−+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?"
_ENTRY = rf"(?:{_NUMBER}|[-−+]?(?:inf|Inf|∞))"

_TENSORFLOW = re.compile(
    r"<tf\.(?:Tensor|Variable)[^\n=<>]{0,60}:?[^\n<>]{0,120}?numpy=\s{0,4}|tf\.(?:Tensor|constant)\((?=\s{0,8}\[)"
)
_TAIL = re.compile(r"\](?P<tail>[ \t]{0,4},\s{0,12}(?:shape|dtype)=[^\n\[\]]{0,160}?\)>?)(?=[ \t.;]*(?:\n|$))")
_R_HEADER = re.compile(r"^[ \t]{2,60}\[,1\](?:[ \t]{1,20}\[,[0-9]{1,2}\]){0,40}[ \t]*$", re.MULTILINE)
_R_ROW = re.compile(
    rf"^[ \t]{{0,4}}(?P<label>\[[0-9]{{1,3}},\])(?=(?:[ \t]{{1,20}}{_ENTRY}){{1,40}}[ \t]*$)", re.MULTILINE
)
_R_PROMPT = re.compile(r"^> ?(?=[A-Za-z(])", re.MULTILINE)
_R_ASSIGNED = re.compile(r"^(?:>[ \t])?[ \t]{0,8}[A-Za-z][\w.]{0,40}[ \t]{0,8}(?P<arrow><-)[ \t]", re.MULTILINE)
_R_TIMES = re.compile(r"%\*%")
_R_TURNED = re.compile(r"(?<![\w.])t\((?P<name>[A-Za-z]\w{0,40})\)")
_OVER = re.compile(r"(?<=[A-Za-z)\]])[ \t]?\.(?=/[ \t]?(?:sum|repmat|\(|sqrt|[A-Z]\b))")
"""The point of MATLAB's quotient entry by entry."""

_BAR = "|│┃⎢⎥⎡⎤⎣⎦┌┐└┘"
_BARRED = re.compile(
    rf"^[^\S\n]*(?:[-*+][ \t]+)?(?P<open>[{_BAR}])"
    rf"(?P<row>(?:[ \t]{{0,20}}{_ENTRY}(?=[ \t,;{_BAR}])[,;]?){{1,40}}[ \t]{{0,20}})"
    rf"(?P<close>[{_BAR}])[ \t.,;]*$",
    re.MULTILINE,
)
_DEEP = re.compile(r"\[[ \t]{0,4}\[[ \t]{0,4}\[(?=[ \t]*[-−+.0-9])")
_NESTED = 20_000
"""Characters of one array that is looked through."""

_MOST = 400
"""Arrays of one kind that are made readable in one document."""

_REMARK = re.compile(
    r"(?:(?<![^\s)\]])(?:#|//)|(?<![^\n])[ \t]{0,20}%)[ \t]*"
    r"(?:[-=]>|Output:|Out:|=|prints?:?)?[ \t]*(?:(?:np\.)?array\(|(?:torch\.)?tensor\()?"
    rf"(?=\[[ \t]*\[?[ \t]*{_ENTRY}(?:[ \t]*,|[ \t]+[-−+.0-9]))"
)
_REMARK_LINE = re.compile(r"^[ \t]*(?P<mark>#|//|%)(?=[ \t]+)", re.MULTILINE)


def clean_prints(text: str, canvas: Canvas) -> None:
    """Put printed arrays into a form that is read; everything keeps its place."""
    if "tf." in text:
        _tensors(text, canvas)
    if "[[[" in text or "[ [" in text:
        _batches(canvas.text(), canvas)
    if "%*%" in text or "[,1]" in text:
        _language_of_r(text, canvas)
    if "[,1]" in text or "[1,]" in text:
        for found in _R_HEADER.finditer(text):
            canvas.blank(*found.span())
        for found in _R_ROW.finditer(text):
            canvas.blank(*found.span("label"))
    if "./" in text:
        for found in _OVER.finditer(text):
            canvas.blank(*found.span())
    if any(bar in text for bar in _BAR):
        _bars(text, canvas)


def _language_of_r(text: str, canvas: Canvas) -> None:
    """Turn ``> S <- Q %*% t(K)`` into a product that is assigned."""
    for found in _R_PROMPT.finditer(text):
        canvas.blank(*found.span())
    for found in _R_ASSIGNED.finditer(text):
        canvas.put(*found.span("arrow"), "=")
    for found in _R_TIMES.finditer(text):
        canvas.put(*found.span(), "@")
    for found in _R_TURNED.finditer(text):
        canvas.replace(found.start(), f"{found['name']}.T ")


def _tensors(text: str, canvas: Canvas) -> None:
    for found in islice(_TENSORFLOW.finditer(text), _MOST):
        canvas.blank(*found.span())
        tail = _TAIL.search(text, found.end(), found.end() + _NESTED)
        if tail is not None:
            canvas.blank(*tail.span("tail"))


def _batches(text: str, canvas: Canvas) -> None:
    """Blank the brackets of the batch in ``[[[1, 0], [1, 2]]]``, a batch of one matrix."""
    position = 0
    for _ in range(_MOST):
        found = _DEEP.search(text, position)
        if found is None:
            return
        end = _closing(text, found.start())
        position = found.end()
        inner = -1 if end < 0 else _closing(text, text.index("[", found.start() + 1))
        if inner < 0 or text[inner + 1 : end].strip():
            continue
        canvas.blank(found.start(), found.start() + 1)
        canvas.blank(end, end + 1)


def _closing(text: str, start: int) -> int:
    """Return the place where a bracket is closed; -1 where it is not, soon."""
    level = 0
    for position in range(start, min(len(text), start + _NESTED)):
        level += {"[": 1, "]": -1}.get(text[position], 0)
        if not level:
            return position
    return -1


def _bars(text: str, canvas: Canvas) -> None:
    """Turn rows of numbers between bars into lists: one alone becomes a list, several become rows below each other."""
    groups: list[list[re.Match[str]]] = []
    for found in _BARRED.finditer(text):
        if (
            groups
            and not text[groups[-1][-1].end() : found.start()].strip(" \t\n")
            and (text.count("\n", groups[-1][-1].end(), found.start()) == 1)
        ):
            groups[-1].append(found)
        else:
            groups.append([found])
    for group in groups:
        widths = {len(found["row"].replace(",", " ").split()) for found in group}
        if widths == {1}:
            continue
        for found in group:
            is_alone = len(group) == 1
            for sign, bracket in (("open", "["), ("close", "]")):
                if is_alone:
                    canvas.put(*found.span(sign), bracket)
                else:
                    canvas.blank(*found.span(sign))


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
    found: list[t.Span] = []
    position = start
    for _ in range(_MOST):
        remark = _REMARK.search(text, position, end)
        if remark is None:
            break
        close = _closing(text, remark.end())
        position = remark.end()
        if close < 0 or close >= end:
            continue
        stop = text.find("\n", close, end)
        stop = end if stop < 0 else stop
        line = text.rfind("\n", start, remark.start()) + 1 or start
        line = max(line, start)
        is_below = not text[line : remark.start()].strip()
        line = _line_above(text, start, line) if is_below else line
        if line < 0:
            continue
        canvas.blank(*remark.span())
        if not is_below:
            canvas.put(*remark.span(), "=")
        for mark in _REMARK_LINE.finditer(text, text.find("\n", remark.end(), close) + 1 or close, close):
            canvas.blank(*mark.span("mark"))
        canvas.blank(close + 1, stop)
        if found and found[-1][1] + 1 >= line:
            line = found.pop()[0]
        found.append((line, stop))
        position = stop
    return found


def _line_above(text: str, start: int, line: int) -> int:
    """Return the start of the line above; -1 when there is none, or an empty one."""
    if line <= start:
        return -1
    above = max(start, text.rfind("\n", start, line - 1) + 1)
    words = text[above : line - 1].strip()
    return above if words and not words.startswith(("#", "//", "%")) else -1
