"""Numbers of the model check: exact rationals as long as possible, then mpmath numbers; their vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from math import isqrt
from typing import Any, TypeAlias

from symattn.records import dataclass

DIGITS = 50


def _context() -> Any:
    import mpmath  # late: this package is imported when a record is checked

    found = mpmath.mp.clone()
    found.dps = DIGITS
    return found


CTX: Any = _context()
"""A context of its own: the precision of the caller's mpmath stays as it is."""

Number: TypeAlias = Any
"""A `Fraction`, or a number of `CTX`, infinities included."""

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


@dataclass(frozen=True, slots=True)
class Array:
    """A vector (one row of numbers) or a matrix.

    Attributes:
        rows: the entries.
        is_vector: whether it has one index.
        is_row: whether a vector is a row.
    """

    rows: tuple[tuple[Number, ...], ...]
    is_vector: bool = True
    is_row: bool = False

    def map(self, change: Callable[[Number], Number]) -> Array:
        """Apply a function to each entry."""
        return Array(tuple(tuple(map(change, row)) for row in self.rows), self.is_vector, self.is_row)

    @property
    def shape(self) -> tuple[int, int, bool, bool]:
        """The number of rows and of columns, and the two flags."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0, self.is_vector, self.is_row


Value: TypeAlias = Any
"""A `Number` or an `Array`."""


def number(value: Value) -> Number:
    """Return a value that must be a number."""
    if isinstance(value, Array):
        raise UndecidedError
    return value


def map_value(value: Value, change: Callable[[Number], Number]) -> Value:
    """Apply a function to a number or to each entry."""
    return value.map(change) if isinstance(value, Array) else change(value)


def transpose(value: Value) -> Value:
    """Return the transpose."""
    if not isinstance(value, Array):
        return value
    if value.is_vector:
        return Array(value.rows, is_row=not value.is_row)
    return Array(tuple(zip(*value.rows, strict=True)), is_vector=False)


def add(first: Value, second: Value) -> Value:
    """Return the sum of two numbers, or of two arrays of one shape."""
    if not isinstance(first, Array) and not isinstance(second, Array):
        return plus(first, second)
    if not isinstance(first, Array) or not isinstance(second, Array) or first.shape != second.shape:
        raise UndecidedError
    rows = tuple(tuple(map(plus, one, other)) for one, other in zip(first.rows, second.rows, strict=True))
    return Array(rows, first.is_vector, first.is_row)


def multiply(first: Value, second: Value, *, dotted: bool = False) -> Value:
    """Return the product of numbers, arrays, or both; two columns are multiplied where a dot stands between them."""
    if not isinstance(first, Array):
        return map_value(second, lambda entry: times(first, entry))
    if not isinstance(second, Array):
        return first.map(lambda entry: times(entry, second))
    is_row = first.is_vector and (first.is_row or (dotted and second.is_vector and not second.is_row))
    is_column = second.is_vector and not second.is_row
    left = first.rows if is_row or not first.is_vector else tuple((entry,) for entry in first.rows[0])
    right = tuple((entry,) for entry in second.rows[0]) if is_column else second.rows
    if not left or len(left[0]) != len(right):
        raise UndecidedError
    columns = tuple(zip(*right, strict=True)) if right else ((),) * (1 if is_column else 0)
    rows = tuple(tuple(total(map(times, row, column)) for column in columns) for row in left)
    if is_row and is_column:
        return rows[0][0]
    if is_row:
        return Array(rows, is_row=True)
    return Array((tuple(row[0] for row in rows),)) if is_column else Array(rows, is_vector=False)


def total(terms: Any) -> Number:
    """Return the sum of some numbers."""
    return reduce(plus, terms, ZERO)


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


def softmax(array: Array) -> Array:
    """Return the softmax of a vector, or of each row."""
    rows = []
    for row in array.rows:
        exponentials = [exp(entry) for entry in row]
        sum_of = total(exponentials)
        rows.append(tuple(over(entry, sum_of) for entry in exponentials))
    return Array(tuple(rows), array.is_vector, array.is_row)


def diagonal(array: Array) -> Array:
    """Return the diagonal matrix of a vector."""
    row = array.rows[0]
    return Array(
        tuple(tuple(entry if i == j else ZERO for j in range(len(row))) for i, entry in enumerate(row)),
        is_vector=False,
    )


def norm(array: Array) -> Number:
    """Return the Euclidean norm of all entries."""
    return sqrt(total(times(entry, entry) for row in array.rows for entry in row))


OF_ARRAYS: dict[str, Callable[[Array], Value]] = {
    "softmax": softmax,
    "diag": diagonal,
    "norm": norm,
    "det": lambda array: eliminate(array)[0],
    "max": lambda array: max((entry for row in array.rows for entry in row), key=real),
}
"""Functions of one vector or matrix."""
