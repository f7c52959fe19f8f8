"""Arithmetic of values that may be undefined or infinite."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import reduce
from math import prod

from symattn.errors import InputError
from symattn.exact.field.common_denominator import added as common
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.elementary import unexpanded
from symattn.exact.reals.functions import exponential
from symattn.exact.reals.sign import compare
from symattn.exact.reals.special_values import UNDEFINED

ZERO, ONE = Quotient.of(0), Quotient.of(1)

_FEW = 4

_MAX_TERMS = 50_000
"""Terms over one denominator up to which quotients are added: six rows of six weights."""


def added(values: Iterable[Quotient | None]) -> Quotient | None:
    """Return the sum, None when a term is undefined."""
    return inner_product([(value, ONE) for value in values])


def inner_product(pairs: list[tuple[Quotient | None, Quotient | None]], most: int | None = None) -> Quotient | None:
    """Return the sum of products, None when a factor is undefined; enclosed where it has more terms than `most`."""
    kept = [(first, second) for first, second in pairs if first is not None and second is not None]
    if len(kept) != len(pairs):
        return None
    if not all(first.is_finite and second.is_finite for first, second in kept):
        total: Quotient | None = ZERO
        for pair in kept:
            total = combined(operator.add, total, combined(operator.mul, *pair))
        return total
    if len({id(value.denominator) for pair in kept for value in pair if is_long(value)}) > 1:
        return _over_several([first * second for first, second in kept], most)
    if len(kept) < _FEW:
        return reduce(lambda total, pair: total + pair[0] * pair[1], kept, ZERO)
    try:
        # The product of matrices adds up long rows at once.
        return (Matrix([[first for first, _ in kept]]) @ Matrix([[second] for _, second in kept]))[0, 0]
    except InputError:
        return _long_sum([first * second for first, second in kept])


def _over_several(parts: list[Quotient], most: int | None) -> Quotient | None:
    """Return a sum over lines with sums of their own under the bar; None for too many terms."""
    if most is not None and _terms_of(set(_denominators(parts))) > most:
        return unexpanded(parts)
    if not all(part.is_finite and part.is_closed for part in parts):
        return reduce(operator.add, parts, ZERO)
    try:
        return common(parts)
    except InputError:
        return None


def _long_sum(parts: list[Quotient]) -> Quotient | None:
    """Return a sum whose terms have denominators of their own, column sums of weights say; None if too long."""
    return reduce(operator.add, parts, ZERO) if _terms_of(_denominators(parts)) <= _MAX_TERMS else None


def _denominators(parts: list[Quotient]) -> list[ExpSum]:
    return [part.denominator for part in parts if part.is_closed and not part.is_zero]


def _terms_of(denominators: Iterable[ExpSum]) -> int:
    """Return how many terms the product of sums has at most."""
    return prod(len(denominator.terms()) for denominator in denominators)


def plus(first: Quotient, second: Quotient) -> Quotient:
    """Return the sum, over a denominator in which no common factor stands twice."""
    if not (is_long(first) and is_long(second)):
        return first + second
    return common((first, second))


def minus(first: Quotient, second: Quotient) -> Quotient:
    """Return the difference, likewise."""
    return plus(first, -second)


def is_long(value: Quotient) -> bool:
    """Return whether a value is a closed form over a sum of several terms, which would make another one longer."""
    return value.is_finite and value.is_closed and len(value.denominator.integers[0]) > 1


def defined(value: Quotient) -> Quotient | None:
    """Return a value, None where it is undefined."""
    return None if value is UNDEFINED else value


def combined(
    operation: Callable[[Quotient, Quotient], Quotient], first: Quotient | None, second: Quotient | None
) -> Quotient | None:
    """Return the combination of two values, None when one or the result is undefined."""
    if first is None or second is None:
        return None
    try:
        return defined(operation(first, second))
    except InputError:
        return None  # minus infinity times a factor without a sign, or a negative one


def multiplied(first: Quotient | None, second: Quotient | None) -> Quotient | None:
    """Return the product, None when a factor is undefined."""
    return combined(operator.mul, first, second)


def divided(above: Quotient | None, below: Quotient | None) -> Quotient | None:
    """Return the quotient, None when it is undefined."""
    return None if below is None or below.is_zero else combined(operator.truediv, above, below)


def largest(values: list[Quotient | None]) -> Quotient | None:
    """Return the largest, None when one is undefined or has a free symbol."""
    kept = [value for value in values if value is not None]
    if len(kept) != len(values) or not kept or any(value.symbols for value in kept):
        return None
    return reduce(lambda best, value: value if compare(value, best) > 0 else best, kept)


def exponential_if_known(exponent: Quotient | None) -> Quotient | None:
    """Return ``e`` to a power, None where that is undefined here."""
    power = None if exponent is None else exponential(exponent)
    return None if power is None else defined(power)
