"""TRUSTED. Immutable matrices of quotients, their products, and the softmax of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm, prod
from operator import mul
from typing import Any, TypeAlias

from symattn.errors import InputError, ShapeError, expect, shape_text
from symattn.exact.field import substitution
from symattn.exact.field.closed_form_length import MAX_TERMS, is_long_exponent
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient, QuotientLike
from symattn.exact.interop import export
from symattn.exact.reals import elementary
from symattn.exact.reals.functions import added, minus, over, plus, times
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.quotients import Rounding, decimals

Rows: TypeAlias = tuple[tuple[Quotient, ...], ...]
_Integers: TypeAlias = tuple[list[int], int]


INDEX = "An entry is named by the numbers of its row and column, matrix[0, 1]"


class Matrix:
    """An immutable matrix of exact entries.

    >>> m = Matrix([[1, "1/2"], [0, -1]])
    >>> m.shape, str(m[0, 1]), str(m @ m.T)
    ((2, 2), '1/2', '[[5/4, -1/2], [-1/2, 1]]')
    """

    __slots__ = ("_meanings", "_rows")
    __hash__ = None  # type: ignore[assignment]  # as its entries

    _rows: Rows
    _meanings: Mapping[str, Any]

    def __init__(self, rows: Sequence[Sequence[QuotientLike]], meanings: Mapping[str, Any] | None = None) -> None:
        """Make the matrix of these rows.

        Args:
            rows: the entries, row by row.
            meanings: what `sympy` puts for names, symbols of SymPy with their assumptions.

        Raises:
            InputError: no rows, no columns, or an entry that is not an exact number.
            ShapeError: rows of different lengths.
        """
        self._meanings = meanings or {}
        self._rows = tuple(tuple(Quotient.of(entry) for entry in row) for row in listed(rows))
        if not self._rows or not self._rows[0]:
            raise InputError("A matrix is empty: give at least one row with one entry.")
        width = len(self._rows[0])
        for number, row in enumerate(self._rows, 1):
            if len(row) != width:
                raise ShapeError(
                    f"A matrix is ragged: row {number} has {len(row)} entries where row 1 has {width}; "
                    "give all rows one length."
                )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns.

        >>> Matrix([[1, 2, 3]]).shape
        (1, 3)
        """
        return len(self._rows), len(self._rows[0])

    @property
    def rows(self) -> Rows:
        """The entries, row by row.

        >>> [str(q) for q in Matrix([[1, 2]]).rows[0]]
        ['1', '2']
        """
        return self._rows

    @property
    def meanings(self) -> Mapping[str, Any]:
        """The expressions of SymPy that names stand for: symbols, and powers of those under roots and fraction bars.

        >>> Matrix([[1]]).meanings
        {}
        """
        return self._meanings

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the free symbols.

        >>> Matrix([[1]]).symbols
        frozenset()
        """
        return frozenset().union(*(entry.symbols for entry in self))

    @property
    def names(self) -> frozenset[str]:
        """The names of the free symbols, and of the powers of them that stand for symbols.

        >>> sorted(Matrix([[Polynomial.symbol("1/sqrt(d)")]]).names)
        ['1/sqrt(d)']
        """
        distinct = {id(entry): entry for entry in self}  # in large matrices one object stands in many places
        return frozenset().union(*(entry.names for entry in distinct.values()))

    def __iter__(self) -> Iterator[Quotient]:
        """Iterate over all entries, row by row."""
        return (entry for row in self._rows for entry in row)

    def __getitem__(self, index: tuple[int, int]) -> Quotient:
        try:
            i, j = index
            return self._rows[i][j]
        except (TypeError, ValueError):
            raise InputError(f"{INDEX}, and this is of the type {type(index).__name__}.") from None

    @property
    def T(self) -> Matrix:
        """The transpose.

        >>> str(Matrix([[1, 2]]).T)
        '[[1], [2]]'
        """
        return Matrix(tuple(zip(*self._rows, strict=True)), self._meanings)

    def __matmul__(self, other: Matrix) -> Matrix:
        """Return the product.

        Raises:
            ShapeError: the shapes do not fit.
        """
        expect(other, Matrix, "A Matrix is multiplied by a Matrix")
        if self.shape[1] != other.shape[0]:
            raise ShapeError(product_misfit(self.shape, other.shape))
        columns = other.T.rows
        plain = [_integers(column) for column in columns]
        meanings = {**other._meanings, **self._meanings}
        return Matrix(tuple(_row_times(row, columns, plain) for row in self._rows), meanings)

    def __add__(self, other: Matrix) -> Matrix:
        return self._entrywise(other, "plus", 1)

    def __sub__(self, other: Matrix) -> Matrix:
        return self._entrywise(other, "minus", -1)

    def _entrywise(self, other: Matrix, word: str, factor: int) -> Matrix:
        expect(other, Matrix, f"A Matrix {word} a Matrix is one")
        if self.shape != other.shape:
            raise ShapeError(
                f"A {shape_text(self.shape)} matrix {word} a {shape_text(other.shape)} one: both must have one shape."
            )
        pairs = zip(self._rows, other._rows, strict=True)
        rows = tuple(
            tuple(plus(a, b) if factor > 0 else minus(a, b) for a, b in zip(p, q, strict=True)) for p, q in pairs
        )
        return Matrix(rows, {**other._meanings, **self._meanings})

    def __neg__(self) -> Matrix:
        return Matrix(tuple(tuple(-entry for entry in row) for row in self._rows), self._meanings)

    def scale(self, factor: QuotientLike) -> Matrix:
        """Return the matrix with every entry times one number.

        Raises:
            InputError: the factor is not an exact number.

        >>> str(Matrix([[1, 2]]).scale("1/2"))
        '[[1/2, 1]]'
        """
        factor = Quotient.of(factor)
        return Matrix(tuple(tuple(times(entry, factor) for entry in row) for row in self._rows), self._meanings)

    def substitute(self, mapping: Mapping[Any, Any]) -> Matrix:
        """Replace symbols, all at once.

        Args:
            mapping: values, numbers or polynomials (of SymPy too), by the names of symbols or by symbols of SymPy.

        Raises:
            InputError: a symbol that does not occur, a value that is neither, or a denominator that becomes zero.

        >>> str(Matrix([[Polynomial.symbol("x")]]).substitute({"x": 2}))
        '[[2]]'
        """
        found = substitution.replacements(mapping, self.names, self._meanings)
        return self._with(found.values, {**self._meanings, **found.meanings})

    def with_values(self, values: Mapping[str, Polynomial | Fraction | int]) -> Matrix:
        """Replace those of the names that occur, all at once.

        Raises:
            InputError: a denominator becomes zero.

        >>> str(Matrix([[Polynomial.symbol("x")]]).with_values({"x": 2, "y": 3}))
        '[[2]]'
        """
        return self._with(values, self._meanings)

    def _with(self, values: Mapping[str, Polynomial | Fraction | int], meanings: Mapping[str, Any]) -> Matrix:
        return Matrix(tuple(tuple(entry.with_values(values) for entry in row) for row in self._rows), meanings)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matrix):
            return NotImplemented
        # What is undefined equals nothing, but two matrices that are undefined at the same places are the same.
        return self.shape == other.shape and all(a is b or a == b for a, b in zip(self, other, strict=True))

    def rounded(self, places: int, ties: str = "half-up") -> list[list[str]]:
        """Return certified decimals with `places` digits after the point.

        Args:
            places: the number of digits.
            ties: the rule for values half way between two neighbours.

        Raises:
            SymbolicValueError: an entry has a free symbol.

        >>> softmax_rows(Matrix([[0, 1]])).rounded(4)
        [['0.2689', '0.7311']]
        """
        return round_matrix(self, Rounding(places=places, ties=ties))

    def digits(self, n: int, ties: str = "half-up") -> list[list[str]]:
        """Return certified decimals with `n` significant figures.

        Args:
            n: the number of figures.
            ties: the rule for values half way between two neighbours.

        Raises:
            SymbolicValueError: an entry has a free symbol.

        >>> softmax_rows(Matrix([[0, 28]])).digits(4)
        [['6.914e-13', '1.000']]
        """
        return round_matrix(self, Rounding(figures=n, ties=ties))

    def evaluate(self, digits: int) -> export.MpmathMatrix:
        """Return an mpmath matrix whose entries are correctly rounded to `digits` significant digits.

        Raises:
            SymbolicValueError: an entry has a free symbol.

        >>> str(Matrix([["1/3"]]).evaluate(50)[0])[:12]
        '0.3333333333'
        """
        expect(digits, int, "The number of digits is a whole number")
        return export.mpmath_matrix(self._rows, digits)

    def sympy(self, symbols: Mapping[str, Any] | None = None) -> export.SympyMatrix:
        """Return the closed form as a ``sympy.ImmutableMatrix``, with the symbols that were put in.

        Args:
            symbols: SymPy symbols for names, instead of those that were put in.

        Raises:
            InputError: the symbols are not a mapping.

        >>> softmax_rows(Matrix([[0, 1]])).sympy()
        Matrix([[1/(1 + E), E/(1 + E)]])
        """
        if symbols is not None:
            expect(symbols, Mapping, "Symbols for names are a mapping")
        return export.sympy_matrix(self._rows, {**self._meanings, **(symbols or {})})

    def __str__(self) -> str:
        """Return plain syntax: ``[[1, 1/2], [0, exp(2)]]``."""
        return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in self._rows) + "]"

    def __repr__(self) -> str:
        return f"Matrix({self})"


def softmax_rows(scores: Matrix, *, plus_one: bool = False) -> Matrix:
    """Return the softmax of every row: entry j is exp(s_j) / (exp(s_1) + ... + exp(s_n)), terms in column order.

    All entries of a row but zeros share one denominator. A score of minus infinity has no term in the sum and
    the weight 0; where no term is left, or a score is undefined, the row is undefined. With `plus_one`, the sum
    under the bar begins with 1, so that a row sums to less than 1.

    Raises:
        InputError: a score is not a polynomial, so its exponential is not an exponential sum.

    >>> str(softmax_rows(Matrix([[1, 2]])))
    '[[exp(1)/(exp(1) + exp(2)), exp(2)/(exp(1) + exp(2))]]'
    >>> str(softmax_rows(Matrix([[1, MINUS_INFINITY, 2], [MINUS_INFINITY] * 3])))
    '[[exp(1)/(exp(1) + exp(2)), 0, exp(2)/(exp(1) + exp(2))], [-, -, -]]'
    """
    return Matrix(tuple(_softmax(row, number, plus_one=plus_one) for number, row in enumerate(scores.rows, 1)))


def round_matrix(matrix: Matrix, rounding: Rounding) -> list[list[str]]:
    """Return certified decimals of all entries; each exponential is computed once.

    Raises:
        SymbolicValueError: an entry has a free symbol.

    >>> round_matrix(Matrix([["1/3", 2]]), Rounding(places=2))
    [['0.33', '2.00']]
    """
    texts = decimals(matrix, rounding)
    width = matrix.shape[1]
    return [texts[start : start + width] for start in range(0, len(texts), width)]


def _softmax(row: tuple[Quotient, ...], number: int, *, plus_one: bool) -> tuple[Quotient, ...]:
    is_empty = not plus_one and all(score is MINUS_INFINITY for score in row)
    if is_empty or any(score is UNDEFINED for score in row):
        return (UNDEFINED,) * len(row)
    exponents: list[Polynomial | None] = []
    for column, score in enumerate(row, 1):
        if score is MINUS_INFINITY:
            exponents.append(None)
            continue
        plain = score.plain_rational()
        exponent = Polynomial(plain) if plain is not None else score.polynomial()
        is_open = exponent is None or is_long_exponent(exponent)
        if is_open and not any(other.symbols for other in row):
            return _enclosed_softmax(row, plus_one=plus_one)
        if exponent is None:
            raise InputError(
                f"The score in row {number}, column {column} is not a number or a polynomial in the symbols, "
                "so its softmax has no exact form here: give rational scores."
            )
        exponents.append(exponent)
    powers, total = ExpSum.exps(exponents, int(plus_one))
    first = Quotient(powers[0] if not powers[0].is_zero else total, total)
    if first.denominator is total:  # it is not a constant, which would be divided out
        return tuple(map(first.with_numerator, powers))
    return tuple(Quotient(power, total) for power in powers)


def _enclosed_softmax(row: tuple[Quotient, ...], *, plus_one: bool) -> tuple[Quotient, ...]:
    powers = [elementary.exp(score) for score in row]
    total = reduce(plus, powers, Quotient.of(int(plus_one)))
    return tuple(over(power, total) for power in powers)


def listed(rows: Any) -> Sequence[Sequence[QuotientLike]]:
    """Convert rows to lists, those of an array too."""
    if hasattr(type(rows), "tolist"):
        rows = rows.tolist()
    expect(rows, (list, tuple, range), "The rows of a Matrix are a list of lists")
    for row in rows:
        expect(row, (list, tuple, range), "A row of a Matrix is a list")
    return rows  # type: ignore[no-any-return]  # as was just looked at


def product_misfit(first: tuple[int, int], second: tuple[int, int]) -> str:
    """Return the sentence for two shapes that make no product."""
    return (
        f"A {shape_text(first)} matrix cannot be multiplied by a {shape_text(second)} one: "
        "the columns of the first must be as many as the rows of the second."
    )


def _integers(entries: tuple[Quotient, ...]) -> _Integers | None:
    """Return the entries as integers over one denominator, if all are plainly rational."""
    values = []
    for entry in entries:
        value = entry.plain_rational()
        if value is None:
            return None
        values.append(value)
    denominator = lcm(*(value.denominator for value in values))
    return [value.numerator * (denominator // value.denominator) for value in values], denominator


def _row_times(row: tuple[Quotient, ...], columns: Rows, plain: Sequence[_Integers | None]) -> tuple[Quotient, ...]:
    mine = _integers(row)
    sums = _common_denominator(row)
    result = []
    for column, yours in zip(columns, plain, strict=True):
        if yours is not None and mine is not None:
            total = sum(map(mul, mine[0], yours[0]))
            result.append(Quotient.of(Fraction(total, mine[1] * yours[1])))
        elif yours is not None and sums is not None:
            result.append(sums[1].with_numerator(ExpSum.weighted(sums[0], yours[0], yours[1])))
        else:
            result.append(_dot(row, column))
    return tuple(result)


def _common_denominator(row: tuple[Quotient, ...]) -> tuple[list[ExpSum], Quotient] | None:
    """Return the numerators, and one quotient with the denominator that all entries but zeros share, if they do."""
    entries = [entry for entry in row if not entry.is_zero]
    if not entries or not all(entry.is_finite and entry.is_closed for entry in entries):
        return None
    if any(entry.denominator is not entries[0].denominator for entry in entries):
        return None
    return [entry.numerator for entry in row], entries[0]


def _dot(row: tuple[Quotient, ...], column: tuple[Quotient, ...]) -> Quotient:
    """Return the sum of products, those over one denominator first: each other denominator multiplies the terms."""
    parts: list[Quotient] = []
    for a, b in zip(row, column, strict=True):
        product = times(a, b)
        if product.is_zero:
            continue  # it has the denominator 1, and would come between parts that share one
        if parts and _share_denominator(product, parts[-1]):
            parts[-1] = plus(parts[-1], product)
        else:
            parts.append(product)
    sums = [part for part in parts if part.is_finite and part.is_closed and not part.is_zero]
    if prod(len(part.denominator.terms()) for part in sums) > MAX_TERMS:
        return added(parts)
    return reduce(plus, parts, Quotient.of(0))


def _share_denominator(first: Quotient, second: Quotient) -> bool:
    if not (first.is_finite and second.is_finite):
        return False
    if not (first.is_closed and second.is_closed):
        return True  # sums of such numbers have no denominator
    return first.denominator is second.denominator
