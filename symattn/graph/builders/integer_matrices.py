"""Matrices of a layer of numbers: their rows are made when asked for, their decimals without any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.integer_matrix import IntegerMatrix
from symattn.exact.linear.matrix import INDEX, Matrix, Rows
from symattn.exact.numerals.decimals import Rounding, round_rational, round_scaled, write
from symattn.exact.rows.enclosed_rows import Bounds, Enclosure, enclosed_rationals
from symattn.graph.builders.integer_rows import Entries, NumericLayer, Texts
from symattn.records import dataclass


class RowMatrix(Matrix):
    """A matrix that makes each row when it is asked for, and its decimals without any of them.

    Args:
        shape: rows and columns.
        make: one row in closed form, counted from 0; one column of the matrix where it is `turned`.
        texts: all rows (or columns) as certified decimals.
        enclose: bounds of all rows (or columns), with about so many bits.
        turned: whether what is made are the columns.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        make: Callable[[int], Entries],
        texts: Callable[[Rounding], list[Texts]],
        enclose: Callable[[int], Enclosure],
        *,
        turned: bool = False,
    ) -> None:
        self._shape, self._make, self._turned = shape, make, turned
        self.texts, self.line_bounds = texts, enclose
        self._made: dict[int, Entries] = {}
        self._meanings = {}

    @cached_property
    def _rows(self) -> Rows:  # type: ignore[override]  # a slot there, which is filled at once
        lines = tuple(map(self.line, range(self._shape[self._turned])))
        return tuple(zip(*lines, strict=True)) if self._turned else lines

    def line(self, number: int) -> Entries:
        """Return one row in closed form, counted from 0; one column where these are what is made."""
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._shape

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the free symbols: a layer of numbers has none."""
        return frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The names of the free symbols and their powers: none."""
        return frozenset()

    def __getitem__(self, index: tuple[int, int]) -> Quotient:
        try:
            i, j = (range(side)[place] for side, place in zip(self._shape, index, strict=True))
        except (TypeError, ValueError):
            raise InputError(f"{INDEX}, and this is of the type {type(index).__name__}.") from None
        return self.line(j)[i] if self._turned else self.line(i)[j]

    def bounds(self, bits: int) -> Enclosure:
        """Return bounds of the rows, with about so many bits; None for rows that are known in closed form alone."""
        found = self.line_bounds(bits)
        if not self._turned:
            return found
        lines = list(found.rows)
        if None in lines:
            return Enclosure(found.bits, [None] * self._shape[0])
        whole = [line for line in lines if line is not None]
        width = max(line.width for line in whole)
        return Enclosure(
            found.bits, [Bounds(column, width) for column in zip(*(line.lows for line in whole), strict=True)]
        )

    def rounded(self, places: int, ties: str = "half-up") -> list[list[str]]:
        """Return certified decimals with `places` digits after the point."""
        return self._decimals(Rounding(places=places, ties=ties))

    def digits(self, n: int, ties: str = "half-up") -> list[list[str]]:
        """Return certified decimals with `n` significant figures."""
        return self._decimals(Rounding(figures=n, ties=ties))

    def _decimals(self, rounding: Rounding) -> list[list[str]]:
        lines = self.texts(rounding)
        return list(map(list, zip(*lines, strict=True))) if self._turned else lines


class NumericMatrices:
    """The matrices of a layer of numbers, in the orientation that its problem has."""

    def __init__(self, layer: NumericLayer, *, columns: bool, across: bool) -> None:
        """Note the orientation: tokens in columns or not, weights that sum to 1 in columns or not."""
        self.layer, self.columns, self.across = layer, columns, across

    def named(self, name: str) -> RowMatrix:
        """Return Q, K, V, S, A or O."""
        layer = self.layer
        match name:
            case "A":
                return RowMatrix(
                    self._shape("A"), layer.weights, self._weights, layer.weight_bounds, turned=self.across
                )
            case "O":
                return RowMatrix(
                    self._shape("O"), self._outputs, self._output_texts, layer.output_bounds, turned=self.columns
                )
            case "S":
                return _of_integers(layer.products, turned=self.across)
            case _:
                given = {"Q": layer.queries, "K": layer.keys, "V": layer.values}[name]
                return _of_integers(given, turned=self.columns)

    def _shape(self, name: str) -> tuple[int, int]:
        lines = self.layer.n_q, self.layer.values.shape[0 if name == "A" else 1]
        return lines[::-1] if (self.across if name == "A" else self.columns) else lines

    def _weights(self, rounding: Rounding) -> list[Texts]:
        return list(self.layer.weight_texts(rounding))

    def _output_texts(self, rounding: Rounding) -> list[Texts]:
        return [o for _, o in self.layer.texts(rounding, rounding)]

    @cached_property
    def _values(self) -> Matrix:
        return _of_integers(self.layer.values, turned=False)

    def _outputs(self, row: int) -> Entries:
        return (Matrix([self.layer.weights(row)]) @ self._values).rows[0]


def joined(parts: Sequence[RowMatrix], *, columns: bool) -> RowMatrix:
    """Return the outputs of heads as one matrix, in which they stand side by side in each token.

    Args:
        parts: the outputs, all with as many tokens.
        columns: whether tokens are columns, so that heads stand one below the other.
    """
    own = _Joined(tuple(parts))
    width, count = sum(part.shape[not columns] for part in parts), parts[0].shape[columns]
    return RowMatrix((width, count) if columns else (count, width), own.line, own.texts, own.bounds, turned=columns)


@dataclass(frozen=True, slots=True)
class _Joined:
    """The tokens of several matrices, side by side."""

    parts: tuple[RowMatrix, ...]

    def line(self, number: int) -> Entries:
        return tuple(chain.from_iterable(part.line(number) for part in self.parts))

    def texts(self, rounding: Rounding) -> list[Texts]:
        each = zip(*(part.texts(rounding) for part in self.parts), strict=True)
        return [list(chain.from_iterable(texts)) for texts in each]

    def bounds(self, bits: int) -> Enclosure:
        found = [part.line_bounds(bits) for part in self.parts]
        (own,) = {one.bits for one in found}
        return Enclosure(own, map(_side_by_side, *(one.rows for one in found)))


def _side_by_side(*parts: Bounds | None) -> Bounds | None:
    """Return the bounds of a row as those of its parts, as wide as the widest; None where those of one are missing."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Bounds(list(chain.from_iterable(part.lows for part in known)), max(part.width for part in known))


@dataclass(frozen=True, slots=True)
class _Rationals:
    """The rows of a matrix of integers over one denominator."""

    matrix: IntegerMatrix

    def line(self, number: int) -> Entries:
        below = self.matrix.denominator
        return tuple(Quotient(Fraction(x, below)) for x in self.matrix.rows[number])

    def texts(self, rounding: Rounding) -> list[Texts]:
        places, below = rounding.places, self.matrix.denominator
        if places is None:
            return [
                [write(*round_rational(Fraction(x, below), rounding), rounding) for x in row]
                for row in self.matrix.rows
            ]
        ten: int = 10**places
        return [
            [write(round_scaled(x * ten, below, rounding.ties), places, rounding) for x in row]
            for row in self.matrix.rows
        ]


def _of_integers(matrix: IntegerMatrix, *, turned: bool) -> RowMatrix:
    rationals, shape = _Rationals(matrix), matrix.shape
    enclose = partial(enclosed_rationals, matrix)
    return RowMatrix(shape[::-1] if turned else shape, rationals.line, rationals.texts, enclose, turned=turned)
