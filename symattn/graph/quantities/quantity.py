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
from symattn.notation.tree import nodes as t
from symattn.operations import operation
from symattn.records import dataclass

Axis: TypeAlias = operation.Axis
"""Along which lines the softmax runs: each row, or each column, is one distribution."""

Style: TypeAlias = Literal["rational", "decimal"]
"""How the numbers of a quantity are shown while they are exact."""

Grid: TypeAlias = operation.Grid
"""Rows of values, None where a value is undefined."""


Empty: TypeAlias = Literal["undefined", "zeros", "uniform"]
"""What the weights of a query are that sees no key."""


def grid(matrix: Matrix) -> Grid:
    """The entries of a matrix as a grid in which nothing is undefined."""
    return matrix.rows


def exact_matrix(values: Grid) -> Matrix:
    """The matrix of what a rule made of exact values; what the definition leaves undefined stands in it as such.

    >>> str(exact_matrix(((Quotient.of(1), None),)))
    '[[1, -]]'
    """
    return Matrix([[UNDEFINED if value is None else value for value in row] for row in values])


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
    """``left · right``, a matrix product, to which a vector may be added line by line.

    ``plus`` names a quantity of one row, which is added to every row, or of one column, added to every column.
    """

    left: Operand
    right: Operand
    plus: str = ""


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
    """Each entry over the number that belongs to its line.

    Where every one of the `scores` of a line is minus infinity, the line is what `empty` says.
    """

    numerator: str
    denominator: str
    axis: Axis
    empty: Empty = "undefined"
    scores: str = ""


@dataclass(frozen=True, slots=True)
class SumOf:
    """``left + right``, entry by entry."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class MaskedBy:
    """``of + mask``: the mask has 0 where a key is seen, minus infinity where it is hidden, or a number."""

    of: str
    mask: str


@dataclass(frozen=True, slots=True)
class PlusOneSum:
    """One more than the sum of each line."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class PartOf:
    """Some lines of a quantity that stand side by side: columns, or rows, `start` to `stop`, counted from 1."""

    of: str
    axis: Axis
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class JoinedOf:
    """Quantities put together: ``axis`` tells what they have more of, columns (side by side) or rows."""

    names: tuple[str, ...]
    axis: Axis


@dataclass(frozen=True, slots=True)
class MeanOf:
    """The mean of some quantities, entry by entry."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CappedBy:
    """``cap · tanh(of/cap)``, entry by entry: what is far from 0 comes near ``cap`` or ``-cap``."""

    cap: str
    of: str


@dataclass(frozen=True, slots=True)
class NormOf:
    """The length of each line: the square root of the sum of its squares."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class CosineOf:
    """The entries of the product ``left · right``, each over the number of its row and that of its column."""

    left: Operand
    right: Operand
    left_norms: str
    right_norms: str


@dataclass(frozen=True, slots=True)
class AdditiveOf:
    """For a row of `left` and a column of `right`, the sum of ``w_r · tanh(left_r + right_r)`` over what they share."""

    left: Operand
    right: Operand
    weights: str


@dataclass(frozen=True, slots=True)
class DifferenceOf:
    """``left - right``, entry by entry."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class ShareOf:
    """Each entry over a count."""

    of: str
    count: int


@dataclass(frozen=True, slots=True)
class ProductsOf:
    """``factor · (L_1 R_1 + L_2 R_2 + …)``: a sum of matrix products, times a number where one is named."""

    pairs: tuple[tuple[Operand, Operand], ...]
    factor: str = ""


@dataclass(frozen=True, slots=True)
class TotalLine:
    """All lines added up: the sum of the rows as one row, or of the columns as one column."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class LineDot:
    """For each line, the sum of the products of the entries of two quantities."""

    left: str
    right: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class SoftmaxGradientOf:
    """``A_{ij} (G_{ij} - D_i)``: what the softmax makes of a gradient `G` at its weights, one line after the other.

    The entries of the Jacobian of a line of weights are ``A_{ij}`` (1 where j = k, else 0) ``- A_{ij} A_{ik}``.
    """

    weights: str
    gradient: str
    dots: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class SoftmaxOf:
    """The softmax of each line, in one step: the probabilities that a cross-entropy takes outputs for."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class CapGradientOf:
    """``number · G_{ij} (1 - (S_{ij}/cap)^2)``: what a soft cap makes of a gradient `G` at the capped scores `S`.

    The derivative of ``c tanh(s/c)`` is ``1 - tanh^2(s/c)``, and ``tanh(s/c)`` the capped score over the cap.
    """

    gradient: str
    capped: str
    cap: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class LossOf:
    """The value of a loss, a single number.

    ``"sum"`` is of the outputs, ``"squared"`` half the squares of what they are off a target, ``"cross-entropy"``
    less the logarithms of the probabilities at the labels, which are the entries of the second that are not 0.
    """

    kind: str
    names: tuple[str, ...]


LossDefinition: TypeAlias = SoftmaxOf | CapGradientOf | LossOf
"""What losses and soft caps bring in; their forms are in `symattn.graph.forms.losses`."""


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
    """Total of all lines at each position: known by its digits alone."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class LineMean:
    """The mean of each line."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class LineVariance:
    """The mean of the squares of what each line is off its own of the `means`."""

    of: str
    means: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class LineMeanSquare:
    """The mean of the squares of each line."""

    of: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class Standardised:
    """Each entry, less the mean of its line where there is one, over the root of the variance, with `eps` in it."""

    of: str
    means: str
    variances: str
    eps: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class AffineOf:
    """Each entry times the `factor` of its place in a line, and the `term` of that place added, as far as given."""

    of: str
    factor: str
    term: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class ActivatedBy:
    """An activation of each entry: ``"relu"``, ``"gelu"`` or ``"gelu-tanh"``."""

    of: str
    kind: str


@dataclass(frozen=True, slots=True)
class LineMeanDot:
    """For each line, the mean of the products of the entries of two quantities."""

    left: str
    right: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class NormGradientOf:
    """``(G_{ij} - m_i - N_{ij} p_i)/sqrt(v_i + eps)``: what a norm makes of a gradient `G` at what it made.

    The `means` of `G` are there where the norm takes a mean off; the `dots` are the means of the products of `G`
    and what was `normed`.
    """

    gradient: str
    normed: str
    means: str
    dots: str
    variances: str
    eps: str
    axis: Axis


@dataclass(frozen=True, slots=True)
class ReluGradientOf:
    """The gradient where what went into the ReLU is above 0, and 0 elsewhere, at 0 too."""

    gradient: str
    of: str


@dataclass(frozen=True, slots=True)
class GeluSlopeOf:
    """The derivative of ``"gelu"`` or ``"gelu-tanh"`` at each entry."""

    of: str
    kind: str


@dataclass(frozen=True, slots=True)
class EntrywiseOf:
    """The products of the entries of two quantities, each where it stands."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class TotalDot:
    """The products of the entries of two quantities, all lines added up: one row, or one column."""

    left: str
    right: str
    axis: Axis


BackwardDefinition: TypeAlias = LineMeanDot | NormGradientOf | ReluGradientOf | GeluSlopeOf | EntrywiseOf | TotalDot
"""What the backward pass of a block has; their forms are in `symattn.graph.forms.blocks`."""

BlockDefinition: TypeAlias = (
    LineMean | LineVariance | LineMeanSquare | Standardised | AffineOf | ActivatedBy | BackwardDefinition
)
"""What only blocks have; their forms are in `symattn.graph.forms.blocks`."""


Pairs: TypeAlias = Literal["adjacent", "halves"]
"""Which entries make a pair: neighbours, or those half a length apart."""


@dataclass(frozen=True, slots=True)
class SinusoidOf:
    """The sine and the cosine of each angle of a line, as a pair of entries."""

    of: str
    pairs: Pairs
    axis: Axis


@dataclass(frozen=True, slots=True)
class RotatedBy:
    """Each pair of entries of a line turned by the angle of its own, or `back` by it, as gradients are."""

    of: str
    angles: str
    pairs: Pairs
    axis: Axis
    back: bool = False


@dataclass(frozen=True, slots=True)
class RunningMaximum:
    """The largest score of each line, of the keys `start` to `stop` and of the blocks `before` them."""

    of: str
    before: str
    axis: Axis
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class RunningSum:
    """The sum of e to each score less the `largest`, with the sum `before` moved from the `earlier` maximum to it."""

    of: str
    largest: str
    before: str
    earlier: str
    axis: Axis
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class RunningOutput:
    """The same with the values of the keys as weights; over the `total` of the last block it is the `result`.

    The values lie along `side`, the scores along `axis`.
    """

    of: str
    values: str
    largest: str
    before: str
    earlier: str
    axis: Axis
    side: Axis
    start: int
    stop: int
    result: str = ""
    total: str = ""


PositionDefinition: TypeAlias = SinusoidOf | RotatedBy
OnlineDefinition: TypeAlias = RunningMaximum | RunningSum | RunningOutput


@dataclass(frozen=True, slots=True)
class WrittenOut:
    """Entries that are written out one by one, each a formula in entries of others.

    ``whole`` is the same of the whole quantity, where one formula in whole quantities says it.
    """

    entries: tuple[tuple[t.Node, ...], ...]
    whole: t.Node | None = None


@dataclass(frozen=True, slots=True)
class HiddenBy:
    """Addends that hide keys: minus infinity where the matrix of 0 and 1 says so, else 0; 1 is seen, or hidden."""

    by: str
    is_seen: bool = True


Definition: TypeAlias = (
    Given
    | WrittenOut
    | HiddenBy
    | ProductOf
    | ScaledBy
    | LineMaximum
    | ShiftedBy
    | ExponentialOf
    | LineSum
    | RatioOf
    | SumOf
    | MaskedBy
    | PlusOneSum
    | PartOf
    | JoinedOf
    | MeanOf
    | CappedBy
    | NormOf
    | CosineOf
    | AdditiveOf
    | DifferenceOf
    | ShareOf
    | ProductsOf
    | TotalLine
    | LineDot
    | SoftmaxGradientOf
    | LossDefinition
    | WrittenAs
    | EntropyOf
    | TotalOf
    | BlockDefinition
    | PositionDefinition
    | OnlineDefinition
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
        vector: one number a line, written with one index; also the numbers of a single row.
        decimals: whether exact values are written as decimals wherever they end, as the problem's numbers are.
        digits: certified decimal strings for values outside the theory (an entropy), n × 1.
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
