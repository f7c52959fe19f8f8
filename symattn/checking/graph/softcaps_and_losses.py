"""Soft caps and losses as formulas of the graph."""

from __future__ import annotations

from symattn.checking.graph.quantities import (
    ONE,
    Constant,
    EachTimes,
    Formula,
    Joined,
    LineSum,
    Mapped,
    Minus,
    Multiple,
    Part,
    Ref,
    Scaled,
)
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import Layer
from symattn.graph.quantities import quantity as q

_HALF = Quotient.of("1/2")


def formula_of(layer: Layer, quantity: q.Quantity) -> Formula | None:
    """Return the formula of capped scores, of the gradient before a cap, or of a loss; None of anything else."""
    match quantity.definition:
        case q.CappedBy(cap, of):
            number = layer.exact(cap)[0, 0]
            return Multiple(number, Mapped("tanh", Multiple(ONE / number, Ref(of))))
        case q.CapGradientOf(gradient, capped, cap, factor):
            share = Multiple(ONE / layer.exact(cap)[0, 0], Ref(capped))
            ones = Constant(Matrix([[ONE] * quantity.shape[1]] * quantity.shape[0]))
            through = EachTimes(Ref(gradient), Minus(ones, Mapped("square", share)))
            return Scaled(factor, through) if factor else through
        case q.LossOf("sum", (output,)):
            return LineSum(Ref(output), "all")
        case q.LossOf("squared", (output, target)):
            off = Minus(Ref(output), Ref(target))
            return Multiple(_HALF, LineSum(Mapped("square", off), "all"))
        case q.LossOf(_, (chances, _)) if layer.problem.gradient is not None:
            places = enumerate(label - 1 for label in layer.problem.gradient.labels)
            is_turned = layer.problem.tokens == "columns"
            found = tuple(_entry(chances, *(pair[::-1] if is_turned else pair)) for pair in places)
            return LineSum(Mapped("-ln", Joined(found, "rows")), "all")
    return None


def _entry(name: str, row: int, column: int) -> Formula:
    """Return one entry of a quantity, counted from 0."""
    return Part(Part(Ref(name), "rows", row, row + 1), "columns", column, column + 1)
