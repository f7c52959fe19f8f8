"""Normalization of full-width punctuation, as in Chinese and Japanese texts."""

from __future__ import annotations

import re

from symattn.notation.markup import Canvas

_NARROW = {
    "，": ",", "、": ",", "；": ";", "：": ":", "。": ".", "．": ".", "＝": "=",
    "［": "[", "］": "]", "（": "(", "）": ")",
}  # fmt: skip
_MARK = re.compile("[，、；：。．＝［］（）]")
_DIGITS = frozenset("0123456789")


def narrow(text: str, canvas: Canvas) -> None:
    """Put the narrow mark for each wide one.

    A wide comma between digits stays: it parts numbers, and never is a decimal comma. So does a wide stop that no
    space follows, which ends a statement all the same.

    >>> text = "Q = [1, 2]，K = 1，2。V = 3；"
    >>> canvas = Canvas(text)
    >>> narrow(text, canvas)
    >>> canvas.text()
    'Q = [1, 2],K = 1，2。V = 3;'
    """
    for found in _MARK.finditer(text):
        mark, position = found[0], found.start()
        before, after = text[max(position - 1, 0) : position], text[position + 1 : position + 2]
        if mark in "，、" and before in _DIGITS and after in _DIGITS:
            canvas.put(position, position + 1, "，")
        elif mark not in "；。．" or not after or after.isspace():
            canvas.put(position, position + 1, _NARROW[mark])
        elif mark == "．" and before in _DIGITS and after in _DIGITS:
            canvas.put(position, position + 1, ".")
