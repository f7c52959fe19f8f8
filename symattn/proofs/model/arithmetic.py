"""Numbers of the model check: exact rationals as long as possible, then mpmath numbers; their vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import isqrt
from typing import Any

from symattn.proofs.concrete.arrays import Arithmetic, Array, Number, Value, diagonal

DIGITS = 50


def _context() -> Any:
    import mpmath  # late: this package is imported when a record is checked

    found = mpmath.mp.clone()
    found.dps = DIGITS
    return found


CTX: Any = _context()
"""A context of its own: the precision of the caller's mpmath stays as it is."""

_MAX_BITS = 1_500
_MAX_EXACT_POWER = 64
_HUGE = CTX.mpf(10) ** 150
ZERO, ONE = Fraction(0), Fraction(1)


class NoValueError(Exception):
    """An expression has no value, such as 1/0 or an expectation that does not exist."""


class UndecidedError(Exception):
    """A value is beyond the means of the model check: too costly, or not certain to the stated bound."""


class OutsideError(Exception):
    """An index lies outside its range, so nothing is stated there."""


@contextmanager
def more_digits(count: int) -> Iterator[None]:
    """Work with more digits for a while."""
    before = CTX.prec
    CTX.dps += count
    try:
        yield
    finally:
        CTX.prec = before


def real(value: Number) -> Any:
    """Return a number of the context."""
    return CTX.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def _checked(value: Any) -> Any:
    if CTX.isnan(value):
        raise NoValueError("it is an indeterminate form of infinities")
    return value


def _tidy(value: Fraction) -> Number:
    return real(value) if value.denominator.bit_length() + value.numerator.bit_length() > _MAX_BITS else value


def plus(first: Number, second: Number) -> Number:
    """Return the sum.

    Raises:
        NoValueError: infinities of two signs meet.
    """
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return _tidy(first + second)
    return _checked(real(first) + real(second))


def times(first: Number, second: Number) -> Number:
    """Return the product.

    Raises:
        NoValueError: zero meets an infinity.
    """
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return _tidy(first * second)
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Fraction) and not one and CTX.isfinite(other):
            return ZERO
    return _checked(real(first) * real(second))


def negative(value: Number) -> Number:
    """Return the number with the other sign."""
    return -value


def over(first: Number, second: Number) -> Number:
    """Return the quotient.

    Raises:
        NoValueError: the divisor is zero.
    """
    if not second:
        if isinstance(second, Fraction):
            raise NoValueError("it divides by zero")
        raise UndecidedError
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return _tidy(first / second)
    if isinstance(first, Fraction) and not first:
        return ZERO
    return _checked(real(first) / real(second))


def power(base: Number, exponent: Number) -> Number:
    """Return a power of a real base.

    Raises:
        NoValueError: zero has a negative exponent, or a negative number one that is not whole.
    """
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        whole = int(exponent)
        if isinstance(base, Fraction) and abs(whole) <= _MAX_EXACT_POWER:
            if whole < 0 and not base:
                raise NoValueError("it divides by zero")
            return _tidy(base**whole)
        if abs(whole) <= _MAX_EXACT_POWER:
            return over(ONE, base**-whole) if whole < 0 else base**whole
    if isinstance(base, Fraction) and not base and real(exponent) > 0:
        return ZERO
    if exponent == Fraction(1, 2):
        return sqrt(base)
    if real(base) < 0:
        _refuse_negative(base, "it takes a root of a negative number")
    return exp(times(exponent, log(base)))


def _refuse_negative(value: Number, why: str) -> None:
    if isinstance(value, Fraction) or value < -(CTX.mpf(10) ** (-DIGITS // 2)):
        raise NoValueError(why)
    raise UndecidedError


def exp(value: Number) -> Number:
    """Return the exponential."""
    if isinstance(value, Fraction) and not value:
        return ONE
    if CTX.isfinite(real(value)) and abs(real(value)) > _HUGE:
        raise UndecidedError
    return CTX.exp(real(value))


def log(value: Number) -> Number:
    """Return the natural logarithm.

    Raises:
        NoValueError: the number is not positive.
    """
    if isinstance(value, Fraction) and value == 1:
        return ZERO
    if value <= 0:
        _refuse_negative(value, "it takes a logarithm of a number that is not positive")
    return CTX.log(real(value))


def sqrt(value: Number) -> Number:
    """Return the square root, exactly for squares of rationals.

    Raises:
        NoValueError: the number is negative.
    """
    if value < 0:
        _refuse_negative(value, "it takes a root of a negative number")
    if isinstance(value, Fraction):
        above, below = isqrt(value.numerator), isqrt(value.denominator)
        if above * above == value.numerator and below * below == value.denominator:
            return Fraction(above, below)
    return CTX.sqrt(real(value))


def factorial(value: Number) -> Number:
    """Return the gamma function at the number plus 1, exactly for whole numbers.

    Raises:
        NoValueError: it is a pole.
    """
    if isinstance(value, Fraction) and value.denominator == 1:
        if value < 0:
            raise NoValueError("it takes the factorial of a negative number")
        if value <= _MAX_EXACT_POWER:
            return Fraction(int(CTX.factorial(int(value))))
    return CTX.gamma(real(value) + 1)


def _odd(function: Callable[[Any], Any]) -> Callable[[Number], Number]:
    return lambda value: ZERO if isinstance(value, Fraction) and not value else function(real(value))


FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "exp": exp,
    "log": log,
    "ln": log,
    "sqrt": sqrt,
    "abs": abs,
    "factorial": factorial,
    "tanh": _odd(CTX.tanh),
    "sin": _odd(CTX.sin),
    "cos": lambda value: CTX.cos(real(value)),
    "erf": _odd(CTX.erf),
    "Phi": lambda value: CTX.erfc(-real(value) / CTX.sqrt(2)) / 2,
    "relu": lambda value: value if value > 0 else ZERO,
}
"""Functions of one number."""


# Vectors and matrices ------------------------------------------------------------------------------


def number(value: Value) -> Number:
    """Return a value that must be a number."""
    if isinstance(value, Array):
        raise UndecidedError
    return value


ARITHMETIC = Arithmetic(plus, times, over, exp, sqrt)
total = ARITHMETIC.total


def eliminate(array: Array) -> tuple[Number, Array]:
    """Return the determinant and the inverse of a square matrix, the inverse empty where there is none."""
    size = len(array.rows)
    if array.is_vector or any(len(row) != size for row in array.rows):
        raise UndecidedError
    table = [[*row, *(Fraction(n == i) for i in range(size))] for n, row in enumerate(array.rows)]
    found: Number = ONE
    for column in range(size):
        pivot = max(range(column, size), key=lambda n: abs(real(table[n][column])))
        first = table[pivot][column]
        if not isinstance(first, Fraction) and abs(first) < CTX.mpf(10) ** (-DIGITS // 2):
            raise UndecidedError
        if not first:
            return ZERO, Array((), is_vector=False)
        table[column], table[pivot] = table[pivot], table[column]
        found = times(found, first if pivot == column else -first)
        table[column] = [over(entry, first) for entry in table[column]]
        for n in range(size):
            if n != column:
                factor = -table[n][column]
                table[n] = [plus(a, times(factor, b)) for a, b in zip(table[n], table[column], strict=True)]
    return found, Array(tuple(tuple(row[size:]) for row in table), is_vector=False)


def inverse(array: Array) -> Array:
    """Return the inverse.

    Raises:
        NoValueError: there is none.
    """
    found, inverted = eliminate(array)
    if not found:
        raise NoValueError("it inverts a singular matrix")
    return inverted


def cholesky(rows: list[list[Number]]) -> list[list[Number]]:
    """Return the lower triangular factor of a positive semidefinite matrix.

    Raises:
        NoValueError: it is not positive semidefinite.
    """
    size = len(rows)
    low: list[list[Number]] = [[ZERO] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = plus(rows[i][j], -total(times(low[i][k], low[j][k]) for k in range(j)))
            if i == j:
                low[i][i] = sqrt(rest)
            elif low[j][j]:
                low[i][j] = over(rest, low[j][j])
            elif rest:
                raise NoValueError("it is not a covariance matrix")
    return low


OF_ARRAYS: dict[str, Callable[[Array], Value]] = {
    "softmax": ARITHMETIC.softmax,
    "diag": diagonal,
    "norm": ARITHMETIC.norm,
    "det": lambda array: eliminate(array)[0],
    "max": lambda array: max((entry for row in array.rows for entry in row), key=real),
}
"""Functions of one vector or matrix."""
