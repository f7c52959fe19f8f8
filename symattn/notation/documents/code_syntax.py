"""Normalization of code syntax and of keyboard spellings to mathematical signs; nothing moves.

``<q1, k1>`` is typed for the angle brackets of an inner product, ``scores.softmax(dim=-1)`` is the softmax of the
scores, and the type before a name in C++ says nothing of its value.
"""

from __future__ import annotations

import re

from symattn.notation.markup.masking import Canvas
from symattn.notation.tables.labels import says_something

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
_LABEL_IN_TEX = re.compile(r"\\text(?:bf|it|rm)?\{(?P<words>[^{}$\\:\n]{2,40})(?P<end>:[ ]?\}|\}[ ]?:)(?=[ ]?&?[ ]?\S)")
"""``\text{Scaled: } &`` before a value: its name."""

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


def respell_labels(text: str, canvas: Canvas) -> None:
    r"""Put a relation behind a label in a formula that names the quantity behind it.

    >>> text = r"\text{Scaled: } & \begin{pmatrix} 1 & 2 \end{pmatrix}"
    >>> canvas = Canvas(text)
    >>> respell_labels(text, canvas)
    >>> canvas.text()[:18]
    '\\text{Scaled}=  & '
    """
    for found in _LABEL_IN_TEX.finditer(text):
        if says_something(found["words"]):
            low, high = found.span("end")
            canvas.blank(low, high)
            canvas.put(low, low + 1, "}")
            canvas.put(low + 1, low + 2, "=")


def respell(text: str, canvas: Canvas) -> None:
    """Put mathematical signs for those of programs.

    >>> text = "<q1, k2> = 3; a = s.softmax(dim=-1); std::vector<float> b = {1, 2}"
    >>> canvas = Canvas(text)
    >>> respell(text, canvas)
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
        low, high = found.span("and")
        canvas.blank(low, high)
        canvas.put(low, low + 1, ";")
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
