"""TRUSTED. Quantities: what a name stands for, what it is worth, and how it is defined from others.

A quantity has two values. `exact` is what the definition gives. `carried` is what somebody has who
rounds as the policy says at every step and goes on with the rounded numbers; an entry that cannot be
had that way (a row sum that rounded to zero divides it) is None. What the definition itself leaves
undefined, the weights of a query that sees no key, is `UNDEFINED` in `exact` and None in `carried`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.quantities.definition import Definition
from symattn.notation.tree import nodes as t
from symattn.operations import operation
from symattn.records import dataclass

Axis: TypeAlias = operation.Axis
"""Along which lines the softmax runs: each row, or each column, is one distribution."""

Style: TypeAlias = Literal["rational", "decimal"]
"""How the numbers of a quantity are shown while they are exact."""

Grid: TypeAlias = operation.Grid
"""Rows of values, None where a value is undefined."""


def exact_matrix(values: Grid) -> Matrix:
    """The matrix of what a rule made of exact values; what the definition leaves undefined stands in it as such.

    >>> str(exact_matrix(((Quotient.of(1), None),)))
    '[[1, -]]'
    """
    return Matrix([[UNDEFINED if value is None else value for value in row] for row in values])


ZERO = "0"
"""The digits of an entropy or a total that is exactly 0."""


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
        form: a formula in other names that it is, of the whole or of a single number; None where there is none.
        by_blocks: the output and the sum after the last block, whose quotient it is where the softmax is also worked
            block by block.
        rounding: how the policy rounds it, None where it does not.
        products: how the policy rounds each product of its sums.
        display: how it is rounded when only the end is rounded.
        style: ``"rational"`` values are written as fractions while they are exact, ``"decimal"`` ones
            always with digits.
        line_symbol: what an index is put on to write a row (or a column) as a column vector.
        line_axis: which lines `line_symbol` means.
        scalar: a single number, written without an index.
        vector: one number a line, written with one index; also the numbers of a single row.
        decimals: whether exact values are written as decimals wherever they end, as the problem's numbers are.
        digits: certified decimal strings for values outside the theory (an entropy), n × 1; `ZERO` for an exact 0.
        head: the number of the head that it belongs to, from 1; 0 where it belongs to none.
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
    style: Style = "rational"
    line_symbol: t.Node | None = None
    line_axis: Axis = "rows"
    scalar: bool = False
    vector: bool = False
    digits: tuple[str, ...] = ()
    decimals: bool = False
    head: int = 0
    form: t.Node | None = None
    by_blocks: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.exact.shape

    def is_exact(self, row: int, column: int) -> bool:
        """Return True if the carried value of an entry (counted from 1) is its exact value."""
        value, exact = self.carried_at(row, column), self.exact[row - 1, column - 1]
        return value is exact or (value is not None and value == exact)

    def carried_at(self, row: int, column: int) -> Quotient | None:
        """The carried value of an entry (counted from 1); `UNDEFINED` where the definition itself has none."""
        value, exact = self.carried[row - 1][column - 1], self.exact[row - 1, column - 1]
        return exact if value is None and exact is UNDEFINED else value

    @property
    def all_exact(self) -> bool:
        """True if rounding changed nothing."""
        rows, columns = self.shape
        return all(self.is_exact(i, j) for i in range(1, rows + 1) for j in range(1, columns + 1))
