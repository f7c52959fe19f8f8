"""TRUSTED. Rows of rounded values as text, all at a time; each text is that of `decimals.write` for its places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symattn.exact.numerals.integer_text import natural_text

_SHORT = 500
"""Digits up to which numerals are formatted as they are; longer ones are split, for that takes quadratic time."""


def weight_texts(indices: Sequence[Any], places: int) -> list[str]:
    """Return the texts of numbers index * 10**-places between 0 and 1.

    >>> weight_texts([0, 7, 100], 2), weight_texts([0, 1], 0)
    (['0.00', '0.07', '1.00'], ['0', '1'])
    """
    if not places or max(indices) >= 10**places:
        return fixed_texts(indices, places)
    if places <= _SHORT:
        return (f"0.%0{places}d " * len(indices) % tuple(indices)).split()
    return ["0." + digits for digits in padded_digits(indices, places)]


def fixed_texts(indices: Sequence[Any], places: int) -> list[str]:
    """Return the texts of numbers index * 10**-places, for places >= 0.

    >>> fixed_texts([-5, 0, 1234], 2)
    ['-0.05', '0.00', '12.34']
    """
    if places <= _SHORT and max(map(abs, indices)) < 10**_SHORT:
        texts = list(map(str, indices))
        if not places:
            return texts
        cut = -places
        return [f"{t[:cut]}.{t[cut:]}" if len(t) > places + (t[0] == "-") else _pointed(t, places) for t in texts]
    ten = 10**places
    parts = [divmod(abs(index), ten) for index in indices]
    heads = [f"{'-' * (index < 0)}{natural_text(int(head))}" for index, (head, _) in zip(indices, parts, strict=True)]
    if not places:
        return heads
    tails = padded_digits([tail for _, tail in parts], places)
    return [f"{head}.{tail}" for head, tail in zip(heads, tails, strict=True)]


def padded_digits(numbers: Sequence[Any], count: int) -> list[str]:
    """Return the last `count` digits of numbers 0 <= n < 10**count, zeros in front included.

    >>> padded_digits([7, 42], 3)
    ['007', '042']
    """
    if not isinstance(numbers[0], int):
        return [str(n).zfill(count) for n in numbers]  # gmpy2 does this well itself, without CPython's limit
    if count <= _SHORT:
        return (f"%0{count}d " * len(numbers) % tuple(numbers)).split()
    half = count // 2
    ten = 10**half
    parts = [divmod(n, ten) for n in numbers]
    highs = padded_digits([high for high, _ in parts], count - half)
    lows = padded_digits([low for _, low in parts], half)
    return [high + low for high, low in zip(highs, lows, strict=True)]


def _pointed(text: str, places: int) -> str:
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
    digits = digits.zfill(places + 1)
    return f"{sign}{digits[:-places]}.{digits[-places:]}"
