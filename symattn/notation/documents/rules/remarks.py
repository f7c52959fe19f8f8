r"""Rules for annotations beside mathematics, which say nothing of its value.

People write the shape of a matrix behind it, ``\end{bmatrix} \quad (3 \times 2)``, name the tokens of its rows,
``[1, 0],   token 1``, and say with an arrow what a number means, ``= 0.67   ← most of it``.
"""

from __future__ import annotations

import re

from symattn.notation.documents.rules.rule import PRINTED, WRITTEN, Rewrite, Rule, both, put

_WORDS = r"\\(?:text|mathrm|textrm|mbox)\s?\{[^{}\n]{0,40}\}"
_SPACE = r"(?:\\q?quad|\\[;,: ]|~|[ \t])"
_SHAPE = rf"\((?:{_WORDS}\s*)?[0-9]{{1,4}}\s*(?:\\times|×|x)\s*[0-9]{{1,4}}\s*(?:{_WORDS}\s*)?\)"
_OPEN = 200
"""Characters before a remark in which a formula of its line is looked for."""


def _is_beside_formula(found: re.Match[str]) -> bool:
    start = found.start("remark")
    line = max(found.string.rfind("\n", 0, start) + 1, start - _OPEN)
    return any(mark in found.string[line:start] for mark in "=≈[(:→")


def _blank_remark(pattern: str, within: str) -> Rewrite:
    return put(pattern, {"remark": ""}, within=within or [""], only=_is_beside_formula)


REMARKS = (
    Rule(
        "shapes-in-formulas",
        r"``\quad (3 \times 2)`` behind a matrix is its shape; without a wide space it may be a factor.",
        put(
            r"(?:\\end\s?\{[a-zA-Z]{1,10}\}|\\right\s?[\])]|\])\s*"
            rf"(?P<shape>(?:{_SPACE}*(?:\\q?quad|\\[;,]){_SPACE}*{_SHAPE}"
            rf"|{_SPACE}*\(\\text\s?\{{[^{{}}\n]{{0,40}}\}}\s*[0-9]{{1,4}}\s*(?:\\times|×)\s*[0-9]{{1,4}}\s*\)"
            rf"|{_SPACE}*\\text\s?\{{\([^{{}}\n]{{0,40}}\}}\s*[0-9]{{1,4}}\s*(?:\\times|×)\s*[0-9]{{1,4}}\s*\)))",
            {"shape": ""},
            within=["\\times", "×"],
        ),
        WRITTEN,
    ),
    Rule(
        "remarks-behind-rows",
        "Behind a list, a number or a name, and some space, stands a shape, a token, or a word in quotation marks.",
        both(
            _blank_remark(
                r"(?<=[\])0-9,;A-Z])(?P<remark>[ \t]{2,40}(?:"
                r"\([0-9]{1,4}[ ]?[,×x][ ]?[0-9]{1,4}\)(?=[ \t]*$|[ \t]*,[ \t][a-z])|shape[ :=]"
                r"|(?:row|col|column|token|word|head|query|key)s?[ \t]?[0-9]"
                r"|[\"“'‘][^\"”'’\n]{1,40}[\"”'’][ \t]*$|[←✓✔✅☑]|<-{2,})[^\n=≈→|]*)$",
                "",
            ),
            _blank_remark(r"(?<=\])(?P<remark>[ \t]{1,40}\([0-9]{1,4}[ ]?[,×x][ ]?[0-9]{1,4}\))(?=[ \t]*$)", "]"),
        ),
        PRINTED,
    ),
    Rule(
        "arrows-of-remarks",
        "``= 0.67   ← most of it``: a left arrow behind a number or a statement begins a remark.",
        both(
            _blank_remark(r"(?<=[\])0-9])(?P<remark>[ \t]{1,40}←[^\n=≈→\[]*)$", "←"),
            _blank_remark(r"^[^\n=≈:←]{1,80}[=≈:][^\n←]{0,300}?[^\s←](?P<remark>[ \t]{1,40}←[^\n=≈→\[]*)$", "←"),
        ),
        PRINTED,
    ),
    Rule(
        "ticks",
        "``= 0.67 ✓``: somebody has looked at it.",
        _blank_remark(r"(?<=[\])0-9$.,])(?P<remark>[ \t]*[✓✔✅☑✗✘❌]️?)(?=[ \t.,;)]*(?:$|[^\w\s]))", "✓✔✅☑✗✘❌"),
        PRINTED,
    ),
    Rule(
        "comments-behind-rows",
        "``[[1, 0],   # first token``: a comment behind a row, unless it states the value of what stands before it.",
        put(
            r"(?<=[\])])[ \t]*,?(?P<remark>(?:[ \t]+#|[ \t]{2,}//)"
            r"(?![ \t]*(?:[-=>[(]|Out|print|array|tensor))[^\[\]\n]*)$",
            {"remark": ""},
            within=["#", "//"],
        ),
        PRINTED,
    ),
    Rule(
        "slashes",
        "``// S = Q K^T`` is a remark of a program in which mathematics stands.",
        put(r"^[ \t]*(?P<mark>//+)(?=[ \t]|$)", {"mark": ""}, within=["//"]),
        PRINTED,
    ),
    Rule(
        "statements-side-by-side",
        "``K = [1, 0]    V = [10, 0]``: only a wide space separates two statements.",
        put(r"(?<=[\])])(?P<gap>[ \t]{2,60})(?=[A-Za-z_][\w^{}']{0,20}[ \t]{0,8}=(?!=))", {"gap": ";"}),
        PRINTED,
    ),
)
