"""Rules for printed arrays: TensorFlow's tensors, arrays of R, batches of one matrix, rows between bars."""

from __future__ import annotations

import re

from symattn.notation.documents.rules.rule import PRINTED, Rule, blanked, both, put
from symattn.notation.markup.spans import closing_bracket

_NUMBER = r"[-−+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?"
_ENTRY = rf"(?:{_NUMBER}|[-−+]?(?:inf|Inf|∞))"

_TENSORFLOW = re.compile(
    r"<tf\.(?:Tensor|Variable)[^\n=<>]{0,60}:?[^\n<>]{0,120}?numpy=\s{0,4}|tf\.(?:Tensor|constant)\((?=\s{0,8}\[)"
)
_TAIL = re.compile(r"\](?P<tail>[ \t]{0,4},\s{0,12}(?:shape|dtype)=[^\n\[\]]{0,160}?\)>?)(?=[ \t.;]*(?:\n|$))")
_DEEP = re.compile(r"\[[ \t]{0,4}\[[ \t]{0,4}\[(?=[ \t]*[-−+.0-9])")
_NESTED = 20_000
"""Characters of one array that is looked through."""

_MOST = 400
"""Arrays of one kind that are made readable in one document."""

_BAR = "|│┃⎢⎥⎡⎤⎣⎦┌┐└┘"
_BARRED = (
    rf"[^\S\n]*(?:[-*+][ \t]+)?[{_BAR}](?:[ \t]{{0,20}}{_ENTRY}(?=[ \t,;{_BAR}])[,;]?){{1,40}}"
    rf"[ \t]{{0,20}}[{_BAR}][ \t.,;]*"
)
_BARRED_LINES = re.compile(rf"^{_BARRED}$(?:\n{_BARRED}$)*", re.MULTILINE)
_BARS = re.compile(f"[{_BAR}]")
_R = ["%*%", "[,1]"]


def _blank_tensors(text: str) -> str:
    spans: list[tuple[int, int]] = []
    for found in _TENSORFLOW.finditer(text) if "tf." in text else ():
        tail = _TAIL.search(text, found.end(), found.end() + _NESTED) if len(spans) < _MOST else None
        spans.extend([found.span(), *([] if tail is None else [tail.span("tail")])])
    return blanked(text, spans) if spans else text


def _blank_batches(text: str) -> str:
    spans: list[tuple[int, int]] = []
    position = 0
    while len(spans) < _MOST and (found := _DEEP.search(text, position)) is not None:
        end = closing_bracket(text, found.start())
        position = found.end()
        inner = -1 if end < 0 else closing_bracket(text, text.index("[", found.start() + 1))
        if inner >= 0 and not text[inner + 1 : end].strip():
            spans.extend([(found.start(), found.start() + 1), (end, end + 1)])
    return blanked(text, spans) if spans else text


def _list_rows(lines: re.Match[str]) -> str:
    """Turn one row between bars into a list; of several, which are a matrix, the bars are left out."""
    rows = lines[0].split("\n")
    if all(len(re.findall(_ENTRY, row)) == 1 for row in rows):
        return lines[0]
    if len(rows) > 1:
        return _BARS.sub(" ", lines[0])
    first, last = (bar.start() for bar in _BARS.finditer(rows[0]))
    return f"{rows[0][:first]}[{rows[0][first + 1 : last]}]{rows[0][last + 1 :]}"


ARRAYS = (
    Rule(
        "tensors-of-tensorflow",
        "``<tf.Tensor: shape=(2, 2), dtype=float32, numpy= … >`` says shapes and types around its numbers.",
        _blank_tensors,
        PRINTED,
    ),
    Rule(
        "batches-of-one",
        "``[[[1, 0], [1, 2]]]`` is a batch of one matrix: the brackets of the batch are left out.",
        _blank_batches,
        PRINTED,
    ),
    Rule(
        "language-of-r",
        "``> S <- Q %*% t(K)`` is a product that is assigned.",
        both(
            put(r"^> ?(?=[A-Za-z(])", {0: ""}, within=_R),
            put(r"^[ \t]{0,8}[A-Za-z][\w.]{0,40}[ \t]{0,8}(?P<arrow><-)[ \t]", {"arrow": "="}, within=_R),
            put(r"(?<![\w.])t\((?P<name>[A-Za-z]\w{0,40})\)", {0: r"\g<name>.T "}, within=_R),
            put(r"%\*%", {0: "@"}, within=_R),
        ),
        PRINTED,
    ),
    Rule(
        "numbered-rows-of-r",
        "R numbers the columns and rows of its arrays: ``[,1] [,2]`` and ``[1,]``.",
        both(
            put(r"^[ \t]{2,60}\[,1\](?:[ \t]{1,20}\[,[0-9]{1,2}\]){0,40}[ \t]*$", {0: ""}, within=["[,1]"]),
            put(
                rf"^[ \t]{{0,4}}(?P<label>\[[0-9]{{1,3}},\])(?=(?:[ \t]{{1,20}}{_ENTRY}){{1,40}}[ \t]*$)",
                {"label": ""},
                within=["[,1]", "[1,]"],
            ),
        ),
        PRINTED,
    ),
    Rule(
        "rows-between-bars",
        "In plain text a matrix stands between bars; a single row is a list.",
        lambda text: _BARRED_LINES.sub(_list_rows, text) if _BARS.search(text) else text,
        PRINTED,
    ),
)
