"""Whether a document writes its decimals with commas, so that ``1,414`` in it is no integer."""

from __future__ import annotations

import re

_COMMA = re.compile(
    r"(?<![\w.,^{\[(])[-−–]?(?:0(?:\{,\}|,)[0-9]{2,12}|(?<=[=≈] )[0-9]{1,3}(?:\{,\}|,)(?:[0-9]{2}|[0-9]{4,12}))"
    r"(?![0-9]|[,.][0-9]|[ ]?[\])])|\^\{0(?:\{,\}|,)[0-9]{2,12}\}"
)
"""A number that only a decimal comma explains: it begins with 0, or has no three digits behind the comma."""

_ROW = re.compile(r"[\[(&][ \t]{0,3}[-−]?0(?:\{,\}|,)[0-9]{2,12}[ \t]{1,4}(?:[-−]?[0-9]|[&;])")
"""The first number of a row whose numbers are parted by blanks, ampersands or semicolons: ``[0,670 1,320``."""

_POINT = re.compile(r"(?<![\w.])[0-9]{1,6}\.[0-9]{2,12}(?![\w.])")


def has_decimal_commas(text: str) -> bool:
    """Whether decimals have commas here, and none has a point.

    >>> has_decimal_commas("Es ist 0,707 und 1,414."), has_decimal_commas("There are 1,000 of 0.5, in [0,10]")
    (True, False)
    >>> has_decimal_commas("s_1,2 = (0,12)"), has_decimal_commas("0,75 and then 1.414")
    (False, False)
    """
    if _COMMA.search(text) is None and _ROW.search(text) is None:
        return False
    return _POINT.search(text) is None
