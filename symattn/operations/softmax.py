"""TRUSTED. Operations of the softmax: maximum, shift, exponentials, sums, weights, and their gradient.

A layer takes it in steps (exponential, line-sum, quotient); `softmax` is one step in a formula. It is computed in four
other places, which tests hold to these: `symattn.exact.linear.matrix` (rows of closed forms), `symattn.exact.rows`
(certified digits of large layers), `symattn.symbolic.scores` (rows with symbols) and
`symattn.checking.evaluation.matrix_layout` (entries of formulas in works); `symattn.operations.online` computes it
block by block. Apart on purpose, as second opinions: the proofs (`symattn.proofs.language.functions`,
`symattn.proofs.concrete.arrays`), and the references in the tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self, TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.rounding.quotients import Rounding
from symattn.notation.tree import nodes as t
from symattn.operations.operation import (
    AXIS,
    EVERY,
    FIRST,
    Along,
    Applied,
    Arguments,
    Axis,
    Cotangent,
    Family,
    Forms,
    Grid,
    Names,
    Nothing,
    Operation,
    Shape,
    Shapes,
    Tape,
    at,
    entrywise_shape,
    family,
    line_of,
    number_per_line,
    read_axis,
    require_shape,
    transpose,
    width,
    with_numbers,
)
from symattn.operations.scalar import (
    ONE,
    ZERO,
    Add,
    Call,
    Index,
    Leaf,
    Max,
    Neg,
    Num,
    Scalar,
    Select,
    Total,
    side_by_side,
)
from symattn.records import dataclass

Empty: TypeAlias = Literal["undefined", "zeros", "uniform"]
"""Weights of a query that sees no key."""


def line_maximum(p: Along, shapes: Shapes, i: Index, _: Index) -> Scalar:
    """Return the largest entry of a line."""
    return Max(tuple(at(0, p.axis, i, k) for k in range(width(p.axis, shapes[0]))))


def shift(p: Along, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``s_ij - m_i``."""
    return Leaf(0, i, j) - Leaf(1, line_of(p.axis, i, j), 0)


def exponential(_p: Nothing, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``e^{s_ij}``."""
    return Call("exp", Leaf(0, i, j))


def line_sum(p: Along, shapes: Shapes, i: Index, _: Index) -> Total:
    """Return the sum of a line."""
    return Total(width(p.axis, shapes[0]), lambda k: at(0, p.axis, i, k))


def line_sum_plus_one(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return 1 and the sum of a line."""
    return ONE + line_sum(p, shapes, i, j)


def quotient(p: Along, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``e_ij/z_i``."""
    return Leaf(0, i, j) / Leaf(1, line_of(p.axis, i, j), 0)


def softmax_of_scores(_: object, names: Names) -> Forms:
    """Return ``softmax(S)`` and ``softargmax(S)``, whether the exponentials are of the scores or of shifted ones."""
    exponents = names.within(0, "exponential")
    if exponents is None:
        return ()
    scores = (exponents.within(0, "shift") or exponents).whole(0)
    return tuple(t.Call(t.Name(name), (scores,)) for name in ("softmax", "softargmax"))


@dataclass(frozen=True, slots=True)
class Filled:
    """The direction of lines, and the weights of lines whose scores are all hidden."""

    options: ClassVar[Mapping[str, str]] = {"axis": AXIS, "empty": "zeros|uniform"}

    axis: Axis
    empty: Empty

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return what arguments state."""
        return cls(read_axis(arguments), "zeros" if arguments["empty"] == "zeros" else "uniform")


def masked_shape(p: Filled, shapes: Shapes) -> Shape:
    """Return the shape of exponentials with a sum for each line and a score for each entry.

    Raises:
        MisfitError: the operands do not fit.
    """
    require_shape(shapes, 2, shapes[0])
    return with_numbers(Along(p.axis), shapes)


def masked_quotient(p: Filled, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``e_ij/z_i``, and the weight of an empty line where all scores are hidden.

    The scores tell which lines are empty: a sum that only rounds to 0 belongs to none of them.
    """
    line, count = line_of(p.axis, i, j), width(p.axis, shapes[2])
    filled = ZERO if p.empty == "zeros" else ONE / Num(count)
    scores = tuple(at(2, p.axis, line, k) for k in range(count))
    return Select("all-hidden", scores, filled, quotient(Along(p.axis), shapes, i, j))


def quotient_back(p: Along | Filled, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add the gradient of the softmax at its scores: their exponentials over sums of these are its weights.

    A shift of the scores changes no weight, and an extra 1 in the sums leaves the Jacobian as it is.
    """
    scores = node.operands[0].operands[0]
    if scores.operation == "shift":
        scores = scores.operands[0]
    dots = tape.make("dots", node, "line-dot", node.name, g.whole, axis=p.axis)
    tape.add(scores, "softmax-gradient", node.name, g.whole, dots, axis=p.axis)


def softmax(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``e^{s_ij}/Σ_k e^{s_ik}``."""
    line = line_of(p.axis, i, j)
    total = Total(width(p.axis, shapes[0]), lambda k: Call("exp", at(0, p.axis, line, k)))
    return Call("exp", Leaf(0, i, j)) / total


Over: TypeAlias = Literal["rows", "columns", "all"]
"""Entries that sum to one: each row, each column, or the whole matrix."""


@dataclass(frozen=True, slots=True)
class Together:
    """The entries that sum to one, and whether 1 more stands in the denominator."""

    options: ClassVar[Mapping[str, str]] = {"over": "rows|columns|all", "more": "one"}

    over: Over
    more: bool = False

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return what arguments state."""
        over: Over = "all" if arguments["over"] == "all" else read_axis(arguments, "over")
        return cls(over, arguments.get("more") == "one")


def softmax_over(p: Together, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``e^{s_ij}/Σ e^s`` over a line or over all entries, maybe with 1 more in the denominator."""
    if p.over == "all":
        height, length = shapes[0]
        places = [(row, column) for row in range(height) for column in range(length)]
        total: Scalar = Add(tuple(Call("exp", Leaf(0, *place)) for place in places))
    else:
        axis, line = p.over, line_of(p.over, i, j)
        total = Total(width(axis, shapes[0]), lambda k: Call("exp", at(0, axis, line, k)))
    return Call("exp", Leaf(0, i, j)) / (total + ONE if p.more else total)


def softmax_at_once(p: Along, operands: Sequence[Grid], _: Rounding | None) -> Grid:
    """Return all weights; those of a line share one denominator."""
    lines = operands[0] if p.axis == "rows" else transpose(operands[0])
    made = tuple(map(_weights, lines))
    return made if p.axis == "rows" else transpose(made)


def _weights(line: tuple[Quotient | None, ...]) -> tuple[Quotient | None, ...]:
    known = [score for score in line if score is not None]
    return softmax_rows(Matrix([known])).rows[0] if len(known) == len(line) else (None,) * len(line)


def softmax_gradient_shape(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of weights with a gradient for each and a number for each line.

    Raises:
        MisfitError: the operands do not fit.
    """
    require_shape(shapes, 1, shapes[0])
    return with_numbers(p, (shapes[0], shapes[2]))


def softmax_gradient(p: Along, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``a_ij (g_ij - d_i)``.

    The entries of the Jacobian of a line of weights are ``a_j`` (1 where j = k, else 0) ``- a_j a_k``.
    """
    dot = Leaf(2, line_of(p.axis, i, j), 0)
    return side_by_side(Leaf(0, i, j), Add((Leaf(1, i, j), Neg(dot)), "common"))


OPERATIONS: Family = family(
    Operation(
        "line-maximum",
        "the largest entry of each line",
        "maximum",
        Along,
        (1, 1),
        number_per_line,
        line_maximum,
        rounds=False,
        numerals="values",
    ),
    Operation(
        "shift",
        "each entry less the number of its line",
        "softmax is invariant under a shift",
        Along,
        (2, 2),
        with_numbers,
        shift,
        rounds=False,
        follows=FIRST,
        numerals="values",
    ),
    Operation(
        "exponential",
        "e to the power of each entry",
        "softmax, numerator",
        Nothing,
        (1, 1),
        entrywise_shape,
        exponential,
        follows=EVERY,
        traits=frozenset({"exponentials"}),
    ),
    Operation(
        "line-sum",
        "the sum of each line",
        "softmax, denominator",
        Along,
        (1, 1),
        number_per_line,
        line_sum,
        follows=EVERY,
        traits=frozenset({"line-sums"}),
    ),
    Operation(
        "line-sum-plus-one",
        "one more than the sum of each line",
        "softmax with an extra 1 in the denominator",
        Along,
        (1, 1),
        number_per_line,
        line_sum_plus_one,
        follows=EVERY,
        traits=frozenset({"line-sums", "one-more"}),
    ),
    Operation(
        "quotient",
        "each entry over the number of its line; undefined where that is 0",
        "softmax",
        Along,
        (2, 2),
        with_numbers,
        quotient,
        follows=EVERY,
        vjp=quotient_back,
        whole=softmax_of_scores,
        traits=frozenset({"weights"}),
    ),
    Operation(
        "masked-quotient",
        "each entry over the number of its line; the same weight for all, or none, where all scores are hidden",
        "softmax",
        Filled,
        (3, 3),
        masked_shape,
        masked_quotient,
        follows=EVERY,
        vjp=quotient_back,
        whole=softmax_of_scores,
        traits=frozenset({"weights"}),
    ),
    Operation(
        "softmax",
        "the softmax of each line",
        "softmax",
        Along,
        (1, 1),
        entrywise_shape,
        softmax,
        kernel=softmax_at_once,
        follows=EVERY,
        numerals="exponents",
    ),
    Operation(
        "softmax-over",
        "the softmax of each line or of all entries together, maybe with 1 more in the denominator",
        "definition of the sheet",
        Together,
        (1, 1),
        entrywise_shape,
        softmax_over,
        follows=EVERY,
    ),
    Operation(
        "softmax-gradient",
        "A_ij (G_ij - D_i), D_i the sum over the line of A_ij G_ij",
        "chain rule with the Jacobian of the softmax, diag(a) - a a^T",
        Along,
        (3, 3),
        softmax_gradient_shape,
        softmax_gradient,
        follows=EVERY,
    ),
)
