"""Punctuation of numbers and lists: decimal commas, words between items, full-width marks."""

from __future__ import annotations

import re

from symattn.notation.markup.masking import Canvas

_COMMA = re.compile(
    r"(?<![\w.,^{\[(])[-−–]?(?:0(?:\{,\}|,)[0-9]{2,12}|(?<=[=≈] )[0-9]{1,3}(?:\{,\}|,)(?:[0-9]{2}|[0-9]{4,12}))"
    r"(?![0-9]|[,.][0-9]|[ ]?[\])])|\^\{0(?:\{,\}|,)[0-9]{2,12}\}"
)
"""A number that only a decimal comma explains: it begins with 0, or does not have three digits behind the comma."""

_ROW = re.compile(
    r"[\[(&][ \t]{0,3}[-−]?0(?:\{,\}|,)[0-9]{2,12}"
    r"(?:[ \t]{1,4}(?:[-−]?[0-9]|[&;])|[ \t]?,[ \t]{1,2}[-−]?[0-9]{1,6},[0-9])"
)
"""The first number of a row whose numbers are parted by more than their own commas: ``[0,670 1,320``."""

_POINT = re.compile(r"(?<![\w.])[0-9]{1,6}\.[0-9]{2,12}(?![\w.])")


def has_decimal_commas(text: str) -> bool:
    """Return True if decimals have commas here, and none has a point.

    >>> has_decimal_commas("Es ist 0,707 und 1,414."), has_decimal_commas("There are 1,000 of 0.5, in [0,10]")
    (True, False)
    >>> has_decimal_commas("s_1,2 = (0,12)"), has_decimal_commas("0,75 and then 1.414")
    (False, False)
    """
    if _COMMA.search(text) is None and _ROW.search(text) is None:
        return False
    return _POINT.search(text) is None


_NUMBER = r"[-−–]?[0-9]{1,6}(?:,[0-9]{1,12})?"
_WORD = r"[ ]?,?[ ](?:and|und|et|y|e|ed|en|и)[ ]"
_LIST = re.compile(
    rf"(?<![\w.,;{{]){_NUMBER}(?:(?:[ ]?;[ ]?|[ ]?,[ ]{{1,3}}|{_WORD}){_NUMBER}){{1,60}}(?!\w|[.,][0-9])"
)
"""Numbers between semicolons, words, or commas with a blank behind them: ``0,27 ; 0,73``, ``0,27, 0,73``."""

_FINE = re.compile(r"[0-9],[0-9]{2}")
"""A decimal that cannot be two items of a list: ``[1,3; 0,1]`` has four."""

_ROWS = re.compile(rf"\[[ ]?{_NUMBER}(?:(?:[ ]{{1,4}}|[ ]?;[ ]?){_NUMBER}){{1,400}}[ ]?\]")
_BLANK = re.compile(r"[0-9][ ]+[-−–]?[0-9]")
_DECIMAL = re.compile(r"(?<=[0-9]),(?=[0-9])")
_SEMICOLON = re.compile("[ ]?;")

_SHORT = 40
"""Characters of two names with a word between them: ``S_11 and S_12 = 1 and 3``."""

_IS_WORD = re.compile(_WORD)
_WITH_POINT = r"[-−–]?[0-9]{1,6}\.[0-9]{1,12}"
_POINTED = r"[-−–]?[0-9]{1,6}(?:\.[0-9]{1,12})?"
_BOTH = re.compile(
    rf"(?:[=≈][ ]?|(?P<colon>:[ ])){_POINTED}(?:[ ]?,[ ]{{1,3}}{_POINTED}){{0,20}}"
    rf"(?P<and>{_WORD})(?=(?(colon){_WITH_POINT}|{_POINTED})[ ]{{0,2}}[.;)]?[ ]*$)",
    re.MULTILINE,
)
"""The numbers of a line, a word before the last: ``A_1 = 0.27 and 0.73``; behind a colon the last has a point."""


def normalize_lists(text: str, canvas: Canvas, *, commas: bool) -> None:
    """Put commas between list items and, where decimals have `commas`, decimal points for them.

    >>> text = "Poids A_1 : 0,27 et 0,73. A = [0,27 0,73 ; 0,38 0,62], [[0,27 ; 0,73] ; [0,38 ; 0,62]]"
    >>> canvas = Canvas(text)
    >>> normalize_lists(text, canvas, commas=True)
    >>> canvas.text()[12:]
    '0.27 et 0.73. A = [0.27 0.73 ; 0.38 0.62], [[0.27,  0.73] ; [0.38,  0.62]]'
    """
    if commas:
        for found in _ROWS.finditer(text):
            if _BLANK.search(found[0]) and _DECIMAL.search(found[0]):
                _put(_DECIMAL, ".", found, canvas)
        text = canvas.text()
        for found in _LIST.finditer(text):
            is_in_list = text[max(0, found.start() - 1)] in "[("
            if (_FINE if is_in_list else _DECIMAL).search(found[0]):
                _put(_DECIMAL, ".", found, canvas)
                _put(_SEMICOLON, ",", found, canvas)
        text = canvas.text()
    for found in _BOTH.finditer(text):
        line = text.rfind("\n", 0, found.start()) + 1
        before = list(_IS_WORD.finditer(text, line, found.start()))
        if len(before) > 1 or (before and found.start() - line > _SHORT):
            continue  # a sentence
        for span in [found.span("and"), *(word.span() for word in before)]:
            canvas.put(*span, ",")


def _put(sign: re.Pattern[str], other: str, where: re.Match[str], canvas: Canvas) -> None:
    for found in sign.finditer(where[0]):
        canvas.put(where.start() + found.start(), where.start() + found.end(), other)


_NARROW = {
    "，": ",", "、": ",", "；": ";", "：": ":", "。": ".", "．": ".", "＝": "=",
    "［": "[", "］": "]", "（": "(", "）": ")",
}  # fmt: skip
_WIDE = re.compile("[，、；：。．＝［］（）]")
_DIGIT_SIGNS = frozenset("0123456789")


def narrow_punctuation(text: str, canvas: Canvas) -> None:
    """Put the narrow mark for each wide one.

    A wide comma between digits stays: it parts numbers, and never is a decimal comma. So does a wide stop that no
    space follows, which ends a statement all the same.

    >>> text = "Q = [1, 2]，K = 1，2。V = 3；"
    >>> canvas = Canvas(text)
    >>> narrow_punctuation(text, canvas)
    >>> canvas.text()
    'Q = [1, 2],K = 1，2。V = 3;'
    """
    for found in _WIDE.finditer(text):
        mark, position = found[0], found.start()
        before, after = text[max(position - 1, 0) : position], text[position + 1 : position + 2]
        if mark in "，、" and before in _DIGIT_SIGNS and after in _DIGIT_SIGNS:
            canvas.put(position, position + 1, "，")
        elif mark not in "；。．" or not after or after.isspace():
            canvas.put(position, position + 1, _NARROW[mark])
        elif mark == "．" and before in _DIGIT_SIGNS and after in _DIGIT_SIGNS:
            canvas.put(position, position + 1, ".")
