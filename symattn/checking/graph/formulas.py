"""Questions about formulas of a graph: weights and their axis, sums, scaled quantities, operands of products."""

from __future__ import annotations

from typing import Literal, TypeAlias

from symattn.operations.formulas.formula import Apply, Formula, Ref, Transposed, is_of, parts

Axis: TypeAlias = Literal["rows", "columns", "all"]

Cell: TypeAlias = tuple[str, int, int]
"""A quantity and an entry of it, counted from 0."""


def axis_of_weights(formula: Formula | None) -> Axis | None:
    """Return the axis along which weights sum to one, None for what is not made as weights.

    >>> from symattn.operations.formulas.formula import make
    >>> axis_of_weights(make("softmax", Ref("S"), axis="columns")), axis_of_weights(Ref("A"))
    ('columns', None)
    """
    match formula:
        case Apply("softmax" | "quotient" | "masked-quotient", params):
            axis: Axis = params.axis
            return axis
        case Apply("softmax-over", params):
            over: Axis = params.over
            return over
        case Apply("entrywise-quotient"):
            return "all"
    return None


def is_weights(formula: Formula | None) -> bool:
    """Return True if a formula makes weights: a softmax, or numbers over sums of their lines."""
    return axis_of_weights(formula) is not None


def axis_of_sum(formula: Formula | None) -> Axis | None:
    """Return the axis of the sum of each line, or of all entries; None for anything else."""
    match formula:
        case Apply("line-sum" | "line-sum-plus-one", params):
            axis: Axis = params.axis
            return axis
        case Apply("loss", params) if params.loss == "sum":
            return "all"
    return None


def argument_of_softmax(formula: Formula | None) -> Formula | None:
    """Return the scores of a softmax in one step."""
    return formula.operands[0] if isinstance(formula, Apply) and formula.operation in _SOFTMAXES else None


_SOFTMAXES = ("softmax", "softmax-over")


def scaled(formula: Formula | None) -> tuple[str, Formula] | None:
    """Return the quantity that scales another one, and that other one.

    >>> from symattn.operations.formulas.formula import make
    >>> scaled(make("scale", Ref("c"), Ref("S")))
    ('c', Ref(name='S'))
    """
    match formula:
        case Apply("scale", _, (Ref(factor), of)):
            return factor, of
    return None


def centred(norm: Formula) -> Formula:
    """Return what a norm is taken of, without the mean that it takes off."""
    of = parts(norm)[0]
    return parts(of)[0] if is_of(of, "shift") else of


def operands_of(formula: Formula | None) -> list[tuple[str, bool]]:
    """Return the two quantities of a product, each with whether it is transposed, or nothing."""
    if not isinstance(formula, Apply) or formula.operation != "product":
        return []
    found = []
    for part in formula.operands:
        match part:
            case Ref(name):
                found.append((name, False))
            case Transposed(Ref(name)):
                found.append((name, True))
            case _:
                return []
    return found
