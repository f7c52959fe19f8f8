"""Rules for marks of Markdown and HTML, and for punctuation of other scripts."""

from __future__ import annotations

import re

from symattn.notation.documents.rules.rule import ALL, WRITTEN, Rule, blanked, put
from symattn.notation.tables.labels import says_something

_NARROW = {
    "，": ",", "、": ",", "；": ";", "：": ":", "。": ".", "．": ".", "＝": "=",
    "［": "[", "］": "]", "（": "(", "）": ")",
}  # fmt: skip
_WIDE = re.compile("[，、；：。．＝［］（）]")
_DIGITS = frozenset("0123456789")

_ENTITIES = {
    "amp": "&", "lt": "<", "gt": ">", "nbsp": " ", "quot": '"', "minus": "-", "times": "×", "middot": "·", "sdot": "·",
    "rarr": "→", "asymp": "≈", "radic": "√", "#39": "'",
}  # fmt: skip
_ENTITY = re.compile(f"&({'|'.join(_ENTITIES)});")
_COMMENT = re.compile(r"<!--(?:>|->)?")
_QUOTE = re.compile(r"(?:[ \t]{0,8}>)+ ?")
_DISPLAYED = 2000
"""Characters of a formula on display in which its end is looked for."""


def _narrow(text: str) -> str:
    def mark(found: re.Match[str]) -> str:
        sign, position = found[0], found.start()
        before, after = text[max(position - 1, 0) : position], text[position + 1 : position + 2]
        is_between_digits = before in _DIGITS and after in _DIGITS
        if sign in "，、" and is_between_digits:
            return "，"
        is_put = sign not in "；。．" or not after or after.isspace() or (sign == "．" and is_between_digits)
        return _NARROW[sign] if is_put else sign

    return _WIDE.sub(mark, text)


def _blank_comments(text: str) -> str:
    spans: list[tuple[int, int]] = []
    position = 0
    while (opened := _COMMENT.search(text, position)) is not None:
        position = text.find("-->", opened.end()) + 3
        if position < 3:
            break
        spans.append((opened.start(), position))
    return blanked(text, spans) if spans else text


def _blank_quotes(text: str) -> str:
    lines = text.split("\n")
    may_begin = True
    for number, line in enumerate(lines):
        found = _QUOTE.match(line)
        if found is not None and may_begin:
            lines[number] = " " * found.end() + line[found.end() :]
        may_begin = not line.strip() or (found is not None and may_begin)
    return "\n".join(lines)


def _is_no_display(found: re.Match[str]) -> bool:
    r"""Return False for the bracket of a displayed formula: ``\]`` closes it before its paragraph ends."""
    text, start = found.string, found.end()
    closed = text.find("\\]", start, start + _DISPLAYED)
    return closed < 0 or "\n\n" in text[start:closed]


_LIST = r"[ \t]*[-−+.0-9][-−+.0-9, \t]*\]"
_TAG = (
    r"</?(?:p|br|div|span|td|tr|th|table|tbody|thead|center|b|i|em|strong|sub|sup|del|s|strike|u|font|img|a|code|pre|li|ul"
    r"|ol|h[1-6]|details|summary|blockquote|hr)(?:\s[^<>\n]{0,300})?/?>"
)
_LINE = (
    r"(?:\\(?:vec|mathbf|boldsymbol|bm)\s?\{?[A-Za-z]\}?|[A-Za-z])"
    r"(?:_?\{?[0-9ij]{1,2}\}?|\[[0-9]{1,2}\])\}?(?:\^\{?(?:T|\\top|\\intercal)\}?)?"
)
_DOT = (
    rf"(?<![\w.\\{{]){_LINE}[ \t]{{1,4}}(?P<lines>\.)(?=[ \t]{{0,4}}{_LINE}(?![\w.]))"
    rf"|(?<![\w.\\])(?:[A-Za-z]|{_LINE})[ \t]{{1,4}}(?P<letters>\.)(?=[ \t]{{1,4}}(?:{_LINE}|[A-HJ-Za-z])(?![\w.]))"
    r"|[\])][ \t]{1,4}(?P<lists>\.)(?=[ \t]{1,4}[\[(][ \t]*[-−0-9.])"
)
_BOLD_LABEL = (
    r"(?:^[ \t>]{0,12}(?:(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+)?|(?<=[\])0-9])(?:[,;.]?[ \t]{0,8}(?P<gap>[ \t])))"
    r"(?P<open>\*\*|__)(?P<label>[^*_\n$`=\\]{1,80}?)"
    r"(?:[.:]{1,2}(?P<close>\*\*|__)|(?P<before>\*\*|__)[.:])(?=[ \t]*[^\s*_|])"
)

PUNCTUATION = (
    Rule(
        "wide-punctuation",
        "Full-width marks become narrow ones. A comma between digits stays wide, as it parts numbers and never is a "
        "decimal comma; so does a stop that no space follows, which ends a statement all the same.",
        _narrow,
        WRITTEN,
    ),
    Rule("returns", "Carriage returns are blanks.", lambda text: text.replace("\r", " "), ALL),
)

MARKS = (
    Rule(
        "escaped-underscores",
        r"Markdown's escape in ``W\_Q`` is no command of TeX.",
        put(r"(?<![\w\\$])(?P<head>[A-Za-z]{1,20})\\_(?=[A-Za-z0-9{])", {0: r" \g<head>_"}, within=["\\_"]),
    ),
    Rule(
        "escaped-brackets",
        r"``\[1, 0]`` is a list; ``\[[1, 2] \to [3, 4]\]`` is a formula on display, and stays one.",
        put(rf"(?P<mark>\\)\[(?=(?:\\?\[)?{_LIST})", {"mark": " "}, within=["\\["], only=_is_no_display),
    ),
    Rule(
        "escaped-stars",
        r"``2 \* 3`` is a product.",
        put(r"(?<=[\w)\] ])(?P<mark>\\)\*(?=[ \w(\[\\])", {"mark": " "}, within=["\\*"]),
    ),
    Rule(
        "html-comments",
        "``<!-- … -->`` is not shown; an unclosed one hides nothing, so that no work gets lost.",
        _blank_comments,
    ),
    Rule(
        "html-entities",
        "``&lt;`` and the like are the signs that they stand for.",
        lambda text: _ENTITY.sub(lambda found: _ENTITIES[found[1]].ljust(len(found[0])), text),
    ),
    Rule("quotes", "The ``>`` of quoted lines says nothing.", _blank_quotes),
    Rule(
        "dots-of-products",
        "``q_1 . k_2`` and ``(3, -2) . (2, 1)`` are dot products; a full stop has no space before it.",
        put(_DOT, {"lines": "·", "letters": "·", "lists": "·"}, within=[" .", "\t."]),
        WRITTEN,
    ),
    Rule("html-tags", "Tags of HTML say nothing of values.", put(_TAG, {0: ""}, within=["<"], flags=re.IGNORECASE)),
    Rule(
        "bold-labels",
        "Bold words before a statement are its label: ``1. **Scale.** 3/2 = 1.5``. Behind a number they begin a line.",
        put(_BOLD_LABEL, {"open": "", "close": "", "before": "", "gap": "\n"}, within=["**", "__"]),
    ),
    Rule(
        "labels-in-tex",
        r"``\text{Scaled: } &`` names what stands behind it, as a left side does.",
        put(
            r"\\text(?:bf|it|rm)?\{(?P<words>[^{}$\\:\n]{2,40})(?P<end>:[ ]?\}|\}[ ]?:)(?=[ ]?&?[ ]?\S)",
            {"end": "}="},
            within=["\\text"],
            only=lambda found: says_something(found["words"]),
        ),
        WRITTEN,
    ),
)
