"""Normalization of code syntax, keyboard spellings and printed arrays to mathematics; nothing moves.

``<q1, k1>`` is typed for the angle brackets of an inner product, ``scores.softmax(dim=-1)`` is the softmax of the
scores, and the type before a name in C++ says nothing of its value. R numbers the rows of its arrays (``[1,]``),
TensorFlow says shapes and types, batches have brackets of their own, and in plain text a matrix stands between bars.
Values in remarks of programs (``# [[1, 0], [1, 2]]``) are values of the line above.
"""

from __future__ import annotations

import re
from itertools import islice

from symattn.notation.markup.masking import Canvas
from symattn.notation.tree import nodes as t

_LETTER = r"(?:[a-z](?:_?\{?[0-9ij]{1,2}\}?|\[[0-9]{1,2}\])?|[A-Z](?:_\{?[0-9ij]{1,2}\}?|\[[0-9]{1,2}\]))"
_INNER = re.compile(rf"(?<![\w)\]}}<])(?P<open><)[ ]?{_LETTER}[ ]?,[ ]{{0,2}}{_LETTER}[ ]?(?P<close>>)(?![>\w])")
_PAIR = re.compile(r"(?<![\w.])[qQ]_?[0-9]{1,2}[ ](?P<and>and|with|vs|&)[ ][kK]_?[0-9]{1,2}(?=[ ]?[=:≈→][ ]?[-−0-9.])")
_SOFTMAX = re.compile(
    r"(?<![\w.)\]])(?P<of>[A-Za-z_]\w{0,40}|\((?:[^()\n=]|\([^()\n]{0,40}\)){1,80}\))\.(?P<name>softmax)"
    r"\([ ]?(?:(?:dim|axis)[ ]?=[ ]?)?(?P<axis>-?[0-9])[ ]?\)(?![\w.(\[])"
)
_SUMMED = re.compile(
    r"(?<![\w.)\]])(?:(?P<of>[A-Za-z_]\w{0,40})\.sum\([ ]?"
    r"|(?:np|torch|jnp)\.sum\([ ]?(?P<inner>[A-Za-z_]\w{0,40}(?:[ ]?[*⊙][ ]?[A-Za-z_]\w{0,40})?)[ ]?,[ ]?)"
    r"(?:(?:dim|axis)[ ]?=[ ]?)?(?P<axis>-?[0-9])[ ]?(?:,[ ]?keepdims?[ ]?=[ ]?True[ ]?)?\)"
)
_GROUP = r"\((?:[^()\n]|\([^()\n]{0,60}\)){1,120}\)"
_SUMMED_GROUP = re.compile(
    rf"(?<![\w.)\]])(?P<of>{_GROUP})\.sum\([ ]?(?:(?:dim|axis)[ ]?=[ ]?)?(?P<axis>-?[0-9])[ ]?"
    r"(?:,[ ]?keepdims?[ ]?=[ ]?True[ ]?)?\)"
)
_WITH_SUMS = re.compile(r"^[^\n]{0,200}\.sum\((?:(?:dim|axis)\b|-?[0-9]|[A-Za-z_]+ ?\*)[^\n]{0,200}$", re.MULTILINE)
_STAR = re.compile(r"(?<![*])(?<=[A-Za-z_) ])\*(?=[ ]?[A-Za-z(])(?![*])")
"""In a line that sums along an axis a star of a program that has ``@`` beside it multiplies entry by entry."""

_LAST = frozenset({"1", "-1"})
"""Numbers of the axis along the rows of a matrix; that of its columns is 0, or -2."""

_STRETCHED = re.compile(
    r"(?<=[A-Za-z0-9_])(?:\[[ ]?:[ ]?,[ ]?(?:None|np\.newaxis)[ ]?\]|\.unsqueeze\([ ]?(?:dim[ ]?=[ ]?)?(?:1|-1)[ ]?\))"
)
"""``Z[:, None]``: a number for each row as a column."""

_IN_BRACKETS = r"\((?:[^()\n]|\([^()\n]{0,40}\)){1,80}\)"
_ENDLESS = r"(?:-?[ ]?(?:np|torch|math|jnp)\.inf|float\(['\"]-inf['\"]\)|-[0-9.]{1,6}e[0-9]{1,2}|-inf)"
_FILLED = re.compile(rf"(?<![\w.)\]])(?P<of>[A-Za-z_]\w{{0,40}})\.masked_fill_?{_IN_BRACKETS}(?![\w.(\[])")
_CHOSEN = re.compile(
    r"(?<![\w.])(?:np|torch|jnp)\.where\([^,()\n]{1,40},[ ]?"
    rf"(?:{_ENDLESS},[ ]?(?P<last>[A-Za-z_]\w{{0,40}})|(?P<first>[A-Za-z_]\w{{0,40}}),[ ]?{_ENDLESS})\)"
)
_AND = re.compile(
    r"(?<=[0-9\])}])(?P<and>\s(?:und|sowie|et|y|e|ed|и|а|oder|ou)(?=\s)|[ ]?(?:和|以及|及|，?且|と|및|그리고)(?=[ ]?))"
    r"(?=\s{0,2}[A-Za-zα-ωΑ-Ω\\][\w₀-₉·.^{}()'\\ ]{0,24}[=≈])"
)
"""``s_11 = 3 und s_12 = 6``: a word between two statements."""

_IS_EAST = re.compile(
    r"(?:(?:得分|分数|分數|权重|權重|输出|輸出|向量|查询|查詢|点积|點積|内积|結果|结果) ?(?:分别|分別)?"
    r"(?P<verb>等于|等於|就是|[为為是])(?= ?[:：]? ?[\[(（] ?[−-]? ?[0-9.])"
    r"|(?<![A-Za-z0-9_.])[A-Za-z]_?\{?[0-9]{1,2}\}? ?(?P<number>等于|等於|就是|[为為是])"
    r"(?= ?[−-]?[0-9.]{1,12}(?![0-9]? ?[×x])))"
)
"""``得分为 [1, 0]``, ``s_12 为 0.67``: a verb between what is meant and its numbers."""

_ASSIGNED = re.compile(
    r"^[ \t>*-]{0,8}[A-Za-zα-ωΑ-Ω][\w^{}'′,]{0,30}(?:\[[^\]\n]{0,20}\]){0,2}[ \t]{0,8}(?P<arrow>[←⟵])"
    r"(?=[^\n]{0,400}[0-9\[(^_·×*/√ᵀ])",
    re.MULTILINE,
)
"""``S ← QKᵀ``: what stands behind the arrow has the name before it; behind a number an arrow begins a remark."""

_EACH = re.compile(r"(?<=[\w)\]'])(?P<point>\.)(?=/[ ]?[A-Za-z(])")
"""``exp(S) ./ sum(exp(S), 2)``: MATLAB divides entry by entry."""

_MODULE = re.compile(r"(?<![\w.])(?:torch\.)?nn\.functional\.(?=softmax\()")
_AXIS = re.compile(
    r"\bsoftmax\((?=[A-Za-z(])(?:[^()\n,]|\([^()\n]{0,60}\)){1,80}(?P<axis>,[ ]?(?:(?:dim|axis)[ ]?=[ ]?)?-1)[ ]?\)"
)
_DECLARED = re.compile(
    r"^[ \t]*(?P<type>(?:(?:static|const|final|constexpr)[ ]+){0,2}"
    r"(?:(?:float|double|int)(?:\[\]){0,3}|auto|var|val|let|const)[ ]+)"
    r"(?=[A-Za-z_]\w{0,40}(?P<sizes>(?:\[[0-9]{0,3}\]){0,3})[ ]?=[^=])",
    re.MULTILINE,
)
_TYPE = re.compile(
    r"(?<![\w:])(?:const[ ])?(?:std::)?(?:vector|array|Matrix)<[\w:<>, ]{1,60}>[ &]{1,3}(?=[A-Za-z_]\w{0,40}[ ]?[={])"
)


def normalize_code(text: str, canvas: Canvas) -> None:
    """Put mathematical signs for those of programs.

    >>> text = "<q1, k2> = 3; a = s.softmax(dim=-1); std::vector<float> b = {1, 2}"
    >>> canvas = Canvas(text)
    >>> normalize_code(text, canvas)
    >>> canvas.text()
    '⟨q1, k2⟩ = 3; a = softmax(s       );                    b = {1, 2}'
    """
    if "sum(" in text and "@" in text:
        for line in _WITH_SUMS.finditer(text):
            for found in _STAR.finditer(text, *line.span()):
                canvas.put(*found.span(), "⊙")
        text = canvas.text()
    for found in _INNER.finditer(text):
        canvas.put(*found.span("open"), "⟨")
        canvas.put(*found.span("close"), "⟩")
    for found in _PAIR.finditer(text):
        canvas.put(*found.span("and"), "·")
    for found in _SOFTMAX.finditer(text):
        inner = found["of"][1:-1] if found["of"].startswith("(") else found["of"]
        axis = ", 0" if found["axis"] in {"0", "-2"} else ""
        canvas.replace(found.start(), f"{found['name']}({inner}{axis}".ljust(len(found[0]) - 1) + ")")
    for found in _SUMMED.finditer(text):
        call = f"{'rowsum' if found['axis'] in _LAST else 'colsum'}({found['of'] or found['inner']}"
        if len(call) < len(found[0]) and found["axis"] in {*_LAST, "0", "-2"}:
            canvas.replace(found.start(), call.ljust(len(found[0]) - 1) + ")")
    for found in _SUMMED_GROUP.finditer(text):
        call = f"{'rowsum' if found['axis'] in _LAST else 'colsum'}{found['of']}"
        if len(call) <= len(found[0]) and found["axis"] in {*_LAST, "0", "-2"}:
            canvas.replace(found.start(), call.ljust(len(found[0])))
    for found in _STRETCHED.finditer(text):
        canvas.blank(*found.span())
    for found in (*_FILLED.finditer(text), *_CHOSEN.finditer(text)):
        groups = found.groupdict()
        scores = groups.get("of") or groups.get("first") or groups.get("last")
        canvas.replace(found.start(), f"{scores} +".ljust(len(found[0]) - 1) + "M")
    for found in _AND.finditer(text):
        canvas.put(*found.span("and"), ";")
    for found in _IS_EAST.finditer(text):
        verb = "verb" if found["verb"] else "number"
        canvas.replace(found.start(verb), "=".ljust(len(found[verb])))
    for found in _ASSIGNED.finditer(text):
        canvas.put(*found.span("arrow"), "=")
    for found in _EACH.finditer(text):
        canvas.put(*found.span("point"), " ")
    for pattern in (_TYPE, _MODULE):
        for found in pattern.finditer(text):
            canvas.blank(*found.span())
    for found in _AXIS.finditer(text):
        canvas.blank(*found.span("axis"))
    for found in _DECLARED.finditer(text):
        canvas.blank(*found.span("type"))
        canvas.blank(*found.span("sizes"))


# Printed arrays -----------------------------------------------------------------------------------

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


def normalize_arrays(text: str, canvas: Canvas) -> None:
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
