"""TRUSTED. Rows of rounded values as text, all at a time; each text is that of `decimals.write` for its places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symattn.exact.digits import natural_text

_SHORT = 500
"""Places up to which numerals are formatted in one go, below any limit of CPython's for the digits of an integer."""


def weight_texts(indices: Sequence[Any], places: int) -> list[str]:
    """The texts of numbers index * 10**-places between 0 and 1.

    >>> weight_texts([0, 7, 100], 2), weight_texts([0, 1], 0)
    (['0.00', '0.07', '1.00'], ['0', '1'])
    """
    if not 0 < places <= _SHORT or max(indices) >= 10**places:
        return fixed_texts(indices, places)
    return (f"0.%0{places}d " * len(indices) % tuple(indices)).split()


def fixed_texts(indices: Sequence[Any], places: int) -> list[str]:
    """The texts of numbers index * 10**-places, for places >= 0.

    >>> fixed_texts([-5, 0, 1234], 2)
    ['-0.05', '0.00', '12.34']
    """
    texts = list(map(str, indices)) if max(map(abs, indices)) < 10**_SHORT else list(map(_text, indices))
    if not places:
        return texts
    return [_pointed(text, places) for text in texts]


def _text(index: Any) -> str:
    digits = natural_text(abs(index)) if isinstance(index, int) else str(abs(index))
    return f"-{digits}" if index < 0 else digits


def _pointed(text: str, places: int) -> str:
    if len(text) <= places or text[0] == "-":
        sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
        digits = digits.zfill(places + 1)
        return f"{sign}{digits[:-places]}.{digits[-places:]}"
    return f"{text[:-places]}.{text[-places:]}"
