"""Limits and derivatives by their definition: values at two step sizes, which must agree to a stated error.

Each function returns a value and an estimate of its error. A quotient or a value that grows as the step shrinks, a
kink, and two sides that differ mean that there is no value; a slow approach is undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symattn.proofs.model.arithmetic import (
    CTX,
    NoValueError,
    Number,
    UndecidedError,
    factorial,
    more_digits,
    negative,
    plus,
    real,
)

Function = Callable[[Number], Number]

_STEP = 14
"""A derivative is taken with a step of ten to the minus so many."""
_FAR, _FARTHER = 18, 22
"""A limit is taken at ten to so many, or to the minus so many; at powers of these where limits are nested."""
_AGREE = Fraction(1, 1_000)
_GROWTH = 8
_MAX_DEPTH = 3


def derivative(function: Function, at: Number, *, is_boundary: bool, finer: int) -> tuple[Number, Number]:
    """Return the derivative at a number, one-sided where that is the least value of the domain.

    Raises:
        NoValueError: there is none.
        UndecidedError: two steps do not agree.
    """
    with more_digits(3 * _STEP):
        step = CTX.mpf(10) ** -(_STEP + finer)
        middle = function(at)

        def quotient(h: Number) -> Number:
            low = middle if is_boundary else function(plus(at, -h))
            return real(plus(function(plus(at, h)), negative(low))) / (h if is_boundary else 2 * h)

        def kink(h: Number) -> Number:
            two = plus(function(plus(at, h)), function(plus(at, -h)))
            return abs(real(plus(two, -2 * middle)) / h)

        first, second = quotient(step), quotient(step / 2)
        error = abs(first - second)
        if not error <= real(_AGREE) * (1 + abs(second)):
            if abs(quotient(step / 10_000)) > _GROWTH * abs(first):
                raise NoValueError("the difference quotient has no limit")
            raise UndecidedError
        if not is_boundary and kink(step) > real(_AGREE) ** 2 * (1 + abs(second)) and kink(step / 16) > kink(step) / 2:
            raise NoValueError("the difference quotients of the two sides differ")
        better = 2 * second - first if is_boundary else (4 * second - first) / 3
    return +better, error


def limit(function: Function, target: Number, sides: tuple[int, ...], depth: int) -> tuple[Number, Number]:
    """Return the limit at a number from some sides, or at an infinity.

    Raises:
        NoValueError: the values grow, or those of the two sides differ.
        UndecidedError: the approach is slow.
    """
    if depth >= _MAX_DEPTH:
        raise UndecidedError
    scale = 3**depth
    with more_digits(2 * _FARTHER * scale):
        if not CTX.isfinite(real(target)):
            sign = 1 if target > 0 else -1
            return _approach([function(sign * CTX.mpf(10) ** (place * scale)) for place in (_FAR, _FARTHER)])
        found = []
        for side in sides:
            steps = (side * CTX.mpf(10) ** -(place * scale) for place in (_FAR, _FARTHER))
            found.append(_approach([function(plus(target, step)) for step in steps]))
        value, error = found[0]
        if len(found) > 1:
            other, more = found[1]
            if abs(value - other) > 1_000 * (error + more) + CTX.mpf(10) ** -10 * (1 + abs(value)):
                raise NoValueError("the limits of the two sides differ")
            error = max(error, more)
    return +value, error


def _approach(values: list[Number]) -> tuple[Number, Number]:
    first, second = map(real, values)
    if abs(second) > CTX.mpf(10) ** 6 and abs(second) > _GROWTH * abs(first):
        raise NoValueError("the values grow beyond all bounds")
    error = abs(first - second)
    if not error <= real(_AGREE) * (1 + abs(second)):
        raise UndecidedError
    return second, error


def coefficient(function: Function, order: int) -> Number:
    """Return the factor of a power in the power series of a function at 0."""
    with more_digits(20):
        try:
            return +(CTX.diff(lambda x: real(function(x)), 0, order) / real(factorial(Fraction(order))))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise UndecidedError from error
