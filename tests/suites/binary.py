"""Binary floats as the exact numbers that they are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from tests.suites.bounds import MINUS_INFINITY, UNDEFINED


def exact(value: float) -> Fraction | str:
    """The value of a float, or the word for minus infinity or for what is no number.

    Raises:
        ValueError: for plus infinity, which no quantity of a layer is.
    """
    if math.isnan(value):
        return UNDEFINED
    if value == -math.inf:
        return MINUS_INFINITY
    if value == math.inf:
        raise ValueError("plus infinity was recorded")
    return Fraction(value)


def rows_of(grid: Iterable[Iterable[Any]]) -> list[list[Fraction | str]]:
    """The exact values of a grid of floats or booleans."""
    # Floats of 16 bits are no subclasses of Python's float, which has all their values.
    return [[exact(float(value)) for value in row] for row in grid]
