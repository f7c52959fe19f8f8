"""Rules for habits in formulas: braces around signs, signs without a left operand, labels, upper indices."""

from __future__ import annotations

import re

from symattn.notation.documents.rules.rule import PRINTED, WRITTEN, Rule, put

_SIGNS = r"[=<>+≈≤≥·×-]|\\(?:approx|cdot|times|to|simeq|equiv|le|ge|leq|geq|rightarrow|Rightarrow)"
_INDICES = re.compile(
    r"(?<![A-Za-z\\])(?P<base>[A-Z])\^\{(?:(?P<row>[0-9])[ijkld]|(?P<both>[0-9][0-9]|[ijk][0-9ijkld]))\}"
)
_TENSOR = re.compile(r"(?<![A-Za-z\\])[A-Z]\^\{(?:0[0-9ijkld]|1[ijkld])\}")
_COMMAND = re.compile(r"\\[A-Za-z]{1,20}$")
_WORD = r"[^\W\d_]"


def _lower_indices(text: str) -> str:
    if not _TENSOR.search(text):
        return text
    return _INDICES.sub(lambda found: f"{found['base']}_{{{found['both'] or found['row'] + ':'}}}", text)


def _is_level(found: re.Match[str]) -> bool:
    """Return True if no bracket, formula or table is open in the line before a match."""
    line = found.string[found.string.rfind("\n", 0, found.start()) + 1 : found.start()]
    return not set("$|\\") & set(line) and all(line.count(sign) == line.count(end) for sign, end in ("()", "[]", "{}"))


def _is_no_argument(found: re.Match[str]) -> bool:
    return _COMMAND.search(found.string[max(0, found.start() - 21) : found.start()]) is None


FORMULAS = (
    Rule(
        "braced-signs",
        r"``a {=} b`` and ``a \mathrel{=} b`` change the space around a sign, not its meaning.",
        put(
            rf"(?<![\^_])(?:\\math(?:rel|bin))?\{{[ ]?(?P<sign>{_SIGNS})[ ]?\}}",
            {0: r"\g<sign>"},
            within=["{"],
            only=_is_no_argument,
        ),
        WRITTEN,
    ),
    Rule(
        "signs-without-operand",
        r"``\div \sqrt{d_k} = 1.41`` at the beginning of a formula says by what something is divided.",
        put(
            r"(?:^|\$|\\\(|\()[ \t]*(?P<sign>\\div(?![a-z])|÷|/(?=[ ]?(?:\\?sqrt|√)))(?=[ ]?(?:\\?sqrt|√|[0-9]))",
            {"sign": ""},
            within=["\\div", "÷", "/"],
        ),
        WRITTEN,
    ),
    Rule(
        "labels-of-terms",
        r"``$j=2:\ 1 \cdot 0 = 0$`` says in which term or step the arithmetic stands.",
        put(
            r"(?<=\$)[ ]?[ijkmnt][ ]?=[ ]?[0-9]{1,2}[ ]?(?P<colon>:(?:[ ]?\\[ ,;:!]|[ ]?\\q?quad)?)(?=[^$\n]*=)",
            {"colon": ","},
            within=["$"],
        ),
        WRITTEN,
    ),
    Rule(
        "upper-indices",
        "``S^{01}`` and ``A^{1j}`` are entries and rows in tensor notation, where a work has indices such as ``0j``.",
        _lower_indices,
        WRITTEN,
    ),
    Rule(
        "lists-before-statements",
        "``exp: [4.10, 8.33], sum = 12.43``: behind a list, a comma may end the statement.",
        put(
            r"(?<=[0-9.][\])]),(?P<gap>[ ])"
            r"(?=[ ]{0,2}[A-Za-z_]\w{0,20}(?:[ ][A-Za-z]\w{0,20}){0,3}[ ]?(?:=(?!=)|[:≈]|[0-9]))",
            {"gap": "\n"},
            only=_is_level,
        ),
        PRINTED,
    ),
    Rule(
        "numbered-steps",
        "``Step 2. Scaled: [1, 0]``: the number of a step stands before the name of what it gives.",
        put(
            rf"^[ \t]{{0,8}}(?:{_WORD}{{2,12}}[ ])?[0-9]{{1,2}}[.:)](?P<gap>[ ])"
            rf"(?={_WORD}[^\n:=≈|]{{0,40}}:[ \t]*(?:$|[\[(0-9.-]))",
            {"gap": "\n"},
        ),
    ),
    Rule(
        "factors-in-labels",
        "``Scaled by 1/√2: [1, 0]``: a factor in a label is no name of what stands behind it.",
        put(
            rf"^[ \t]{{0,8}}(?:[-*+][ ])?{_WORD}{{2,20}}(?:[ ]{_WORD}{{1,20}}){{0,3}}[ ]"
            r"(?P<factor>(?:1[ ]?/[ ]?)?[÷/×]?[ ]?(?:√|sqrt)[ ]?[({]?[\w.,]{1,9}[)}]?)(?=[ ]?:[ \t]*\[)",
            {"factor": ""},
            within=["√", "sqrt"],
        ),
    ),
)
