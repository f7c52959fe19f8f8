"""TRUSTED. The border for matrices: nested lists, numpy arrays of exact numbers, SymPy matrices and entries.

SymPy objects are recognised by what they offer and read node by node; SymPy is not imported, its text is
never parsed, and its ground types are converted to int.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from symattn.errors import InputError, ShapeError, shown
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.numerals.rational import rational

_MAX_POWER = 100
_MAX_DEPTH = 50
_MAX_NODES = 10_000
_Sympy: TypeAlias = Any  # any SymPy expression; SymPy has no types and is not imported here


def matrix(data: object, where: str = "") -> Matrix:
    """Return a matrix of exact numbers or polynomials.

    Args:
        data: rows of int, Fraction, Decimal, numerals such as ``"1/3"``, `Quotient` or SymPy entries; or a
            SymPy matrix, a numpy array of integers, or a `Matrix`.
        where: the name of the matrix, for messages.

    Raises:
        InputError: an entry that is not an exact number, with its row and column; or an empty matrix.
        ShapeError: rows of different lengths.

    >>> str(matrix([[1, "1/2"], ["-0.5", 0]]))
    '[[1, 1/2], [-1/2, 0]]'
    """
    data = getattr(data, "kernel", data)  # of a matrix of a result
    if isinstance(data, Matrix):
        return data
    rows = _rows(data, where)
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if not row:
            raise InputError(f"{_at(where, number)}: the row is empty: give at least one entry.")
        if len(row) != width:
            raise ShapeError(
                f"{_at(where, number)}: the row has {len(row)} entries where row 1 has {width}: "
                "give all rows one length."
            )
    places = [_at(where, number) for number in range(1, len(rows) + 1)]
    return Matrix(
        [
            [scalar(entry, f"{place}, column {column}") for column, entry in enumerate(row, 1)]
            for place, row in zip(places, rows, strict=True)
        ]
    )


def scalar(value: object, where: str = "") -> Quotient:
    """Convert one exact number, polynomial, or SymPy expression of one.

    Raises:
        InputError: anything else; a float says what to write instead.

    >>> str(scalar("2 1/2"))
    '5/2'
    """
    value = getattr(value, "kernel", value)  # of an entry of a result
    if isinstance(value, Quotient):
        return value
    if isinstance(value, (Polynomial, ExpSum)):
        return Quotient.of(value)
    if hasattr(value, "free_symbols") and hasattr(value, "is_Rational"):
        return Quotient.of(_SympyReader(where).polynomial(value, 0))
    return Quotient.of(rational(value, where))  # type: ignore[arg-type]  # it refuses what it does not know


def _at(where: str, row: int) -> str:
    return f"{where}, row {row}" if where else f"Row {row}"


def _rows(data: Any, where: str) -> list[list[object]]:
    """Return the rows as lists. Matrices of SymPy and arrays of numpy both have `tolist`."""
    name = where or "A matrix"
    if hasattr(type(data), "tolist"):
        try:
            data = data.tolist()
        except TypeError:  # a symbol for a matrix whose shape is one
            raise InputError(f"The shape of {name} is unknown: give numbers of rows and columns.") from None
    if not _is_list(data):
        raise InputError(f"{name} is a {type(data).__name__}, which is not a matrix: give a list of rows.")
    if not data:
        raise InputError(f"{name} is empty: give at least one row with one entry.")
    for number, row in enumerate(data, 1):
        if not _is_list(row):
            kind = type(row).__name__
            raise InputError(f"{_at(where, number)}: a {kind} is not a row: give a list of entries.")
    return [list(row) for row in data]


def _is_list(data: object) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, (str, bytes))


class _SympyReader:
    """Reads sums, products and powers of rationals, symbols and square roots; counts what it reads."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.nodes = 0

    def polynomial(self, node: _Sympy, depth: int) -> Polynomial:
        self.nodes += 1
        if depth > _MAX_DEPTH or self.nodes > _MAX_NODES:
            raise self.refusal("an expression is nested too deeply or too long: expand or shorten it")
        if node.is_Rational:
            return Polynomial(rational(Fraction(int(node.p), int(node.q)), self.where))
        if node.is_Symbol:
            return Polynomial.symbol(str(node.name))
        if node.is_Add or node.is_Mul:
            return self.combine(node, depth)
        if node.is_Pow:
            return self.power(node.base, node.exp, depth)
        if node.is_Float:
            raise self.refusal(f"{node} is a floating-point number of SymPy: write a Rational")
        raise self.refusal(f"{shown(node)} is not a polynomial in symbols with rational numbers and their square roots")

    def combine(self, node: _Sympy, depth: int) -> Polynomial:
        result = Polynomial(0 if node.is_Add else 1)
        for part in node.args:
            value = self.polynomial(part, depth + 1)
            result = result + value if node.is_Add else result * value
        return result

    def power(self, base: _Sympy, exponent: _Sympy, depth: int) -> Polynomial:
        if not exponent.is_Rational or int(exponent.q) > 2:
            raise self.refusal(f"the exponent {shown(exponent)} is neither an integer nor half of one")
        value = self.polynomial(base, depth + 1)
        p, q = int(exponent.p), int(exponent.q)
        if abs(p) > _MAX_POWER:
            raise self.refusal(f"an exponent lies beyond {_MAX_POWER}: use a smaller one")
        if q == 2:
            value = Polynomial.sqrt(self.rational_under_root(value))
        if p < 0:
            inverse = Polynomial(1).divide(value)
            if inverse is None:
                raise self.refusal(f"{shown(base)} stands under a fraction bar: divide by constants only")
            value = inverse
        return value ** abs(p)

    def rational_under_root(self, value: Polynomial) -> Fraction:
        found = value.rational()
        if found is None or found < 0:
            raise self.refusal(f"{shown(value)} stands under a square root: only rationals >= 0 can")
        return found

    def refusal(self, sentence: str) -> InputError:
        return InputError(f"{self.where}: {sentence}." if self.where else f"{sentence}.")
