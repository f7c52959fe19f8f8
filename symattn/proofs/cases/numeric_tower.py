"""Numbers for small worked cases: rationals as long as they are, then exponential sums, then enclosed reals.

The first two decide equality and order. Enclosed reals tell numbers apart, and agree to so many digits.
A `Slope` carries a derivative along (forward differentiation), whatever its parts are.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import computable as reals
from symattn.exact.reals.certified_digits import figures, is_less
from symattn.exact.reals.computable import Real
from symattn.exact.reals.sign import compare as compare_quotients
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.records import dataclass

AGREE_BITS = 160
"""Enclosed reals that cannot be told apart with so many bits count as agreeing; that is some 45 digits."""

_MAX_POWER = 1_000
_MOST_BITS = 12_000
"""Bits of a whole number that is written out: 3,600 digits."""

_MAX_TERMS = 64
"""Terms of a common denominator that is multiplied out."""

_MOST_ENCLOSED = 2_000
"""Sums of exponentials whose enclosed values are kept."""

_FIGURES = 8


@dataclass(frozen=True, slots=True)
class Slope:
    """A number and its derivative by one variable; a variable inside another has a higher tag."""

    tag: int
    value: Number
    slope: Number


Number: TypeAlias = Fraction | Quotient | Real | Slope

ZERO: Number = Fraction(0)
ONE: Number = Fraction(1)


def plus(first: Number, second: Number) -> Number:
    """Return the sum."""
    if isinstance(first, Slope) or isinstance(second, Slope):
        tag, (a, da), (b, db) = _parts(first, second)
        return Slope(tag, plus(a, b), plus(da, db))
    if isinstance(first, Real) or isinstance(second, Real) or _is_long_sum(first, second):
        return _real(first) + _real(second)
    return _tidy(first + second)


def times(first: Number, second: Number) -> Number:
    """Return the product."""
    if isinstance(first, Slope) or isinstance(second, Slope):
        tag, (a, da), (b, db) = _parts(first, second)
        return Slope(tag, times(a, b), plus(times(a, db), times(da, b)))
    if _is_zero(first) or _is_zero(second):
        return ZERO
    if isinstance(first, Real) or isinstance(second, Real):
        return _real(first) * _real(second)
    return _tidy(first * second)


def negative(value: Number) -> Number:
    """Return the number with the other sign."""
    return times(Fraction(-1), value)


def over(first: Number, second: Number) -> Number:
    """Return the quotient.

    Raises:
        InputError: the divisor is zero.
    """
    if isinstance(first, Slope) or isinstance(second, Slope):
        tag, (a, da), (b, db) = _parts(first, second)
        quotient = over(a, b)
        return Slope(tag, quotient, over(plus(da, negative(times(quotient, db))), b))
    if isinstance(first, Real) or isinstance(second, Real):
        return _real(first) / _real(second)
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        if second == 0:
            raise InputError("A number is divided by 0.")
        return first / second
    return _tidy(Quotient.of(first) / Quotient.of(second))


def power(base: Number, exponent: int) -> Number:
    """Return a whole power.

    Raises:
        InputError: the exponent is too large, or 0 has a negative one.
    """
    if abs(exponent) > _MAX_POWER:
        raise InputError(f"A power is beyond {_MAX_POWER}.")
    result: Number = ONE
    for _ in range(abs(exponent)):
        result = times(result, base)
    return over(ONE, result) if exponent < 0 else result


def apply(name: str, value: Number) -> Number:
    """Return an elementary function of a number.

    Raises:
        InputError: there is no such function here, or the number lies outside its domain.
    """
    if name not in _FUNCTIONS:
        raise InputError(f"{name} is not supported here.")
    function, slope = _FUNCTIONS[name]
    if isinstance(value, Slope):
        return Slope(value.tag, apply(name, value.value), times(slope(value.value), value.slope))
    return function(value)


def order(first: Number, second: Number) -> int | None:
    """Return -1, 0 or 1; None where two enclosed reals cannot be told apart."""
    if isinstance(first, Slope) or isinstance(second, Slope):
        raise TypeError("derivatives are taken off before numbers are compared")
    if isinstance(first, Real) or isinstance(second, Real):
        one, other = _real(first), _real(second)
        if is_less(one, other, AGREE_BITS):
            return -1
        if is_less(other, one, AGREE_BITS):
            return 1
        return 0 if one.exact is not None and one.exact == other.exact else None
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return (first > second) - (first < second)
    return compare_quotients(Quotient.of(first), Quotient.of(second))


def closed_form(value: Number) -> str:
    """Return an exact number in plain syntax; nothing for an enclosed real, or for thousands of digits."""
    if isinstance(value, Slope):
        raise TypeError("a derivative is not a number to print")
    if isinstance(value, Real):
        return "" if value.exact is None else closed_form(value.exact)
    if _has_long_number(value):
        return ""
    return _text_of(_Written(value)) if isinstance(value, Quotient) else str(value)


def _has_long_number(value: Quotient | Fraction) -> bool:
    """Return whether a whole number in it has more digits than Python writes out."""
    if isinstance(value, Fraction):
        return max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS
    if not (value.is_finite and value.is_closed):
        return False
    parts = (value.numerator.integers, value.denominator.integers)
    return any(number.bit_length() > _MOST_BITS for table, below in parts for number in (*table.values(), below))


class _Written:
    """A quotient as it is written: two that are equal and written in two ways are two of these."""

    __slots__ = ("form", "value")

    def __init__(self, value: Quotient) -> None:
        self.value = value
        (top, above), (bottom, below) = value.numerator.integers, value.denominator.integers
        self.form = (tuple(top.items()), above, tuple(bottom.items()), below)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Written) and self.form == other.form

    def __hash__(self) -> int:
        return hash(self.form)


@lru_cache(maxsize=4_096)
def _text_of(written: _Written) -> str:
    """Return the shorter text of a quotient; it is cached, for the outcomes of a law are written often."""
    rational = written.value.rational()
    if rational is not None:
        return str(rational)
    return min(str(written.value), str(written.value.canonical()), key=len)


def digits(value: Number, count: int = _FIGURES) -> str:
    """Return certified significant figures."""
    if isinstance(value, Slope):
        raise TypeError("a derivative is not a number to print")
    if isinstance(value, Real):
        return figures(value, count).text
    return decimal(value, Rounding(figures=count))


# Kinds ---------------------------------------------------------------------------------------------


def _is_zero(value: Number) -> bool:
    return isinstance(value, Fraction) and not value


def _is_long_sum(first: Number, second: Number) -> bool:
    """Return whether a common denominator would have more terms than are worth having: sums grow quickly."""
    if not (isinstance(first, Quotient) and isinstance(second, Quotient)):
        return False
    one, other = first.denominator, second.denominator
    return one is not other and len(one.integers[0]) * len(other.integers[0]) > _MAX_TERMS and one != other


def _tidy(value: Fraction | Quotient) -> Number:
    if isinstance(value, Quotient):
        plain = value.plain_rational()
        return value if plain is None else plain
    return value


def _parts(first: Number, second: Number) -> tuple[int, tuple[Number, Number], tuple[Number, Number]]:
    """Return both as value and slope by the innermost variable of either."""
    tag = max(item.tag for item in (first, second) if isinstance(item, Slope))
    return tag, _split(first, tag), _split(second, tag)


def _split(value: Number, tag: int) -> tuple[Number, Number]:
    if isinstance(value, Slope) and value.tag == tag:
        return value.value, value.slope
    return value, ZERO


def slope_of(value: Number, tag: int) -> Number:
    """Return the derivative by the variable of a tag."""
    return _split(value, tag)[1]


def _real(value: Number) -> Real:
    if isinstance(value, Real):
        return value
    if isinstance(value, Fraction):
        return reals.known(value)
    if isinstance(value, Slope):
        raise TypeError("a derivative is split before its parts are enclosed")
    return _of_sum(value.numerator) / _of_sum(value.denominator)


@lru_cache(maxsize=_MOST_ENCLOSED)
def _of_sum(value: ExpSum) -> Real:
    """Return the enclosed value of a sum; in products of matrices the same few come again and again."""
    return reals.total([_of_polynomial(c) * reals.exp(_of_polynomial(exponent)) for exponent, c in value.terms()])


def _of_polynomial(value: Polynomial) -> Real:
    if any(symbols for (_, symbols), _ in value.terms):
        raise InputError("A letter that has no value is left.")
    return reals.total([reals.sqrt(Fraction(radicand)) * c for (radicand, _), c in value.terms])


# Functions -----------------------------------------------------------------------------------------


def _exp(value: Number) -> Number:
    exponent = _polynomial(value)
    return reals.exp(_real(value)) if exponent is None else _tidy(Quotient.of(ExpSum.exp(exponent)))


def _polynomial(value: Number) -> Polynomial | None:
    if isinstance(value, Fraction):
        return Polynomial.constant(value)
    return value.polynomial() if isinstance(value, Quotient) else None


def _sqrt(value: Number) -> Number:
    if isinstance(value, Fraction):
        return _tidy(Quotient.of(Polynomial.sqrt(value)))
    return reals.sqrt(_real(value))


def _log(value: Number) -> Number:
    """Return the logarithm of an exponential as its exponent."""
    if isinstance(value, Fraction) and value == 1:
        return ZERO
    if isinstance(value, Quotient) and value.denominator.rational() == 1:
        terms = value.numerator.terms()
        if len(terms) == 1 and terms[0][1].terms == Polynomial.constant(1).terms:
            return _tidy(Quotient.of(terms[0][0]))
    return reals.log(_real(value))


def _enclosed(function: Callable[[Real], Real]) -> Callable[[Number], Number]:
    return lambda value: function(_real(value))


def _square(value: Number) -> Number:
    return times(value, value)


def _sign(value: Number) -> Number:
    found = order(value, ZERO)
    if not found:
        raise InputError("The derivative of an absolute value at 0 does not exist.")
    return Fraction(found)


_FUNCTIONS: dict[str, tuple[Callable[[Number], Number], Callable[[Number], Number]]] = {
    "exp": (_exp, _exp),
    "log": (_log, lambda x: over(ONE, x)),
    "ln": (_log, lambda x: over(ONE, x)),
    "sqrt": (_sqrt, lambda x: over(Fraction(1, 2), _sqrt(x))),
    "tanh": (_enclosed(reals.tanh), lambda x: plus(ONE, negative(_square(apply("tanh", x))))),
    "sin": (_enclosed(reals.sin), lambda x: apply("cos", x)),
    "cos": (_enclosed(reals.cos), lambda x: negative(apply("sin", x))),
    "erf": (
        _enclosed(reals.erf),
        lambda x: over(times(Fraction(2), _exp(negative(_square(x)))), reals.sqrt(reals.pi())),
    ),
    "Phi": (
        _enclosed(reals.Phi),
        lambda x: over(_exp(times(Fraction(-1, 2), _square(x))), reals.sqrt(reals.pi() * 2)),
    ),
    "abs": (lambda x: negative(x) if order(x, ZERO) == -1 else x, _sign),
    "relu": (lambda x: x if order(x, ZERO) == 1 else ZERO, lambda x: times(Fraction(1, 2), plus(ONE, _sign(x)))),
}
"""Functions with their derivatives."""
