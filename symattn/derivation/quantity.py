"""TRUSTED. Quantities: what a name stands for, what it is worth, and how it is defined from others.

A quantity has two values. `exact` is what the definition gives. `carried` is what somebody has who
rounds as the policy says at every step and goes on with the rounded numbers; an entry that cannot be
had that way (a row sum that rounded to zero divides it) is None.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding
from symattn.notation import tree as t
from symattn.records import dataclass

Axis: TypeAlias = Literal["rows", "columns"]
"""Along which lines the softmax runs: each row, or each column, is one distribution."""

Grid: TypeAlias = tuple[tuple[Quotient | None, ...], ...]
"""Rows of values, None where a value is undefined."""


def grid(matrix: Matrix) -> Grid:
    """The entries of a matrix as a grid in which nothing is undefined."""
    return matrix.rows


@dataclass(frozen=True, slots=True)
class Operand:
    """A factor of a matrix product: a quantity, as it is or transposed."""

    name: str
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """The quantity was given."""


@dataclass(frozen=True, slots=True)
class ProductOf:
    """``left · right``, a matrix product."""

    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class ScaledBy:
    """``factor · of``, each entry times one number."""

    factor: str
    of: str


@dataclass(frozen=True, slots=True)
class LineMaximum:
    """The largest entry of each line."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class ShiftedBy:
    """Each entry less the number that belongs to its line."""

    of: str
    by: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class ExponentialOf:
    """``e`` to the power of each entry."""

    of: str


@dataclass(frozen=True, slots=True)
class LineSum:
    """The sum of each line."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class RatioOf:
    """Each entry over the number that belongs to its line."""

    numerator: str
    denominator: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class WrittenAs:
    """A scalar that is defined by a formula in other names."""

    formula: t.Node


@dataclass(frozen=True, slots=True)
class EntropyOf:
    """The entropy of the softmax of each line, in natural units: known by its digits alone."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class TotalOf:
    """What all lines together have at each position: known by its digits alone."""

    of: str
    axis: Axis


Definition: TypeAlias = (
    Given
    | ProductOf
    | ScaledBy
    | LineMaximum
    | ShiftedBy
    | ExponentialOf
    | LineSum
    | RatioOf
    | WrittenAs
    | EntropyOf
    | TotalOf
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a derivation.

    Attributes:
        name: the canonical name, ``"Q"``.
        symbol: how the whole is written.
        entry_symbol: what an index is put on to write an entry.
        exact: the values by definition, n × m.
        carried: the values under step rounding, n × m.
        definition: how it comes from other quantities.
        rounding: how the policy rounds it, None where it does not.
        products: how the policy rounds each product of its sums.
        display: how it is rounded when only the end is rounded.
        style: ``"rational"`` values are written as fractions while they are exact, ``"decimal"`` ones
            always with digits.
        line_symbol: what an index is put on to write a row (or a column) as a column vector.
        line_axis: which lines `line_symbol` means.
        scalar: a single number, written without an index.
        vector: one number a line, written with one index.
        decimals: whether exact values are written as decimals wherever they end, as the problem's numbers are.
        digits: certified decimal strings for values outside the theory (an entropy), n × 1.
    """

    name: str
    symbol: t.Node
    entry_symbol: t.Node
    exact: Matrix
    carried: Grid
    definition: Definition
    display: Rounding
    rounding: Rounding | None = None
    products: Rounding | None = None
    style: Literal["rational", "decimal"] = "rational"
    line_symbol: t.Node | None = None
    line_axis: Axis = "rows"
    scalar: bool = False
    vector: bool = False
    digits: tuple[str, ...] = ()
    decimals: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.exact.shape

    def is_exact(self, row: int, column: int) -> bool:
        """Whether the carried value of an entry (counted from 1) is its exact value."""
        value = self.carried[row - 1][column - 1]
        return value is not None and value == self.exact[row - 1, column - 1]

    @property
    def all_exact(self) -> bool:
        """Whether rounding changed nothing."""
        rows, columns = self.shape
        return all(self.is_exact(i, j) for i in range(1, rows + 1) for j in range(1, columns + 1))
