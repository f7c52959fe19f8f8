"""Mistakes with masks, biases and heads, each as another definition.

What is tried is recomputed: a mistake is named where it gives the number that was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from symattn.checking.graph.formulas import (
    Constant,
    EntrywiseQuotient,
    Exponential,
    Formula,
    Hadamard,
    Joined,
    Masked,
    Plus,
    Ratio,
    Ref,
    Softmax,
    Times,
    Transposed,
    transpose,
)
from symattn.checking.graph.partial_arithmetic import ONE, ZERO
from symattn.checking.graph.quantities import Graph, Valuation, scores_of, shape_of
from symattn.checking.graph.targets import Target
from symattn.checking.report import Diagnosis
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of

Slip: TypeAlias = tuple[str, str, tuple[tuple[str, Formula], ...]]
"""The code, what is said, and the definitions that the mistake puts in the place of others."""

MASK_AFTER = "The mask was put on after the softmax: what is left of a row does not sum to 1."

_MOST_HEADS = 4
"""Other heads whose matrices are tried."""


def slips_at(graph: Graph, name: str, target: str) -> Iterator[Slip]:
    """Yield the mistakes of masks, biases and heads that can be made at one definition.

    Args:
        graph: the quantities.
        name: whose definition it is.
        target: what is wrong, made of it or itself.
    """
    formula = graph.nodes[name].formula
    match formula:
        case Masked(of):
            text = "The mask was left out." if name == target else "The mask was left out before the softmax."
            yield "mask-forgotten", text, ((name, of),)
            yield from _other_masks(graph, name, formula)
        case Ratio() | Softmax():
            yield from _mask_after(graph, name, formula)
            yield from _over_heads(graph, name)
        case Plus(Times() as product, by):
            yield from ((code, text, ((name, Plus(changed, by)),)) for code, text, changed in _turned(graph, product))
            yield "bias-forgotten", f"{_shown(by)} was not added.", ((name, product),)
        case Plus(of, by):
            yield "bias-forgotten", f"{_shown(by)} was not added.", ((name, of),)
        case Joined(items, axis) if len(items) > 1:
            yield "heads-mixed", "The heads are joined in another order.", ((name, Joined(items[::-1], axis)),)
    if formula is not None and "^" in name:
        yield from _other_heads(graph, name, formula)


def _shown(formula: Formula) -> str:
    return formula.name if isinstance(formula, Ref) else "What is added"


def _turned(graph: Graph, product: Times) -> Iterator[tuple[str, str, Formula]]:
    """Yield a product, to which a vector is added, with a factor transposed."""
    for left, right in ((product.left, transpose(product.right)), (transpose(product.left), product.right)):
        first, second = shape_of(left, graph), shape_of(right, graph)
        if first[1] == second[0] and (first[0], second[1]) == shape_of(product, graph):
            yield "no-transpose", "A factor was transposed, or was not, against the definition.", Times(left, right)


# Masks -----------------------------------------------------------------------------------------------


def _hidden(graph: Graph, masked: Masked) -> list[list[bool]] | None:
    """Return the hidden places of a mask, None where it adds numbers of its own."""
    valuation = Valuation(graph)
    rows, columns = shape_of(masked.of, graph)
    values = [[valuation.spread(masked.by, i, j) for j in range(columns)] for i in range(rows)]
    if masked.way == "add":
        plain = all(value is MINUS_INFINITY or (value is not None and value.is_zero) for row in values for value in row)
        return [[value is MINUS_INFINITY for value in row] for row in values] if plain else None
    return [[value is not None and value.is_zero == (masked.way == "keep") for value in row] for row in values]


def _by(hidden: list[list[bool]]) -> Constant:
    """Return the additive mask that hides just these places."""
    return Constant(Matrix([[MINUS_INFINITY if entry else ZERO for entry in row] for row in hidden]))


def _other_masks(graph: Graph, name: str, masked: Masked) -> Iterator[Slip]:
    hidden = _hidden(graph, masked)
    if hidden is None:
        return
    for code, text, other in _variants(hidden):
        yield code, text, ((name, Masked(masked.of, _by(other), "add")),)


def _variants(hidden: list[list[bool]]) -> Iterator[tuple[str, str, list[list[bool]]]]:
    """Yield common wrong masks."""
    flipped = [[not entry for entry in row] for row in hidden]
    yield "mask-polarity", "The mask hides the keys that are seen, and shows those that are hidden.", flipped
    turned = [list(column) for column in zip(*hidden, strict=True)]
    if len(turned) == len(hidden) and turned != hidden:
        yield "mask-transposed", "The mask is transposed: rows stand where columns belong.", turned


def with_hidden(graph: Graph, target: Target, hidden: list[list[bool]]) -> Diagnosis | None:
    """Return the mistake in the mask of a quantity that hides just these entries of it."""
    formula = graph.nodes[target.name].formula
    right = _hidden(graph, formula) if isinstance(formula, Masked) else None
    if right is None:
        return None
    for code, text, other in _variants(right):
        if [[other[i][j] for i, j in row] for row in target.cells] == hidden:
            return Diagnosis(code, text)
    return None


def _mask_after(graph: Graph, name: str, formula: Ratio | Softmax) -> Iterator[Slip]:
    """Yield the weights of all keys with 0 where one is hidden, not renormalised."""
    scores, masked = scores_of(formula, graph), None
    while isinstance(scores, Ref) and not isinstance(masked, Masked):
        masked = graph.nodes[scores.name].formula
        scores = masked if isinstance(masked, Ref) else None
    hidden = _hidden(graph, masked) if isinstance(masked, Masked) else None
    if not isinstance(masked, Masked) or hidden is None:
        return
    seen = Constant(Matrix([[ZERO if entry else ONE for entry in row] for row in hidden]))
    yield "mask-after", MASK_AFTER, ((name, Hadamard(Softmax(masked.of, formula.axis), seen)),)


# Heads -----------------------------------------------------------------------------------------------


def _siblings(graph: Graph, name: str) -> list[str]:
    """Return the same quantity of other heads."""
    base = f"{base_of(name)}^"
    shape = graph.shape(name)
    found = [other for other in graph.nodes if other.startswith(base) and other != name and graph.shape(other) == shape]
    return found[:_MOST_HEADS]


def _over_heads(graph: Graph, name: str) -> Iterator[Slip]:
    """Yield the exponentials of a head over the sum of those of all heads at the same place."""
    heads = [name, *_siblings(graph, name)] if "^" in name else []
    scores = [scores_of(graph.nodes[head].formula, graph) for head in heads]
    powers: list[Formula] = [Exponential(item) for item in scores if item is not None]
    if len(powers) < 2 or len(powers) != len(heads):
        return
    total = powers[0]
    for power in powers[1:]:
        total = Plus(total, power)
    yield "heads-softmax", "The softmax runs over the heads.", ((name, EntrywiseQuotient(powers[0], total)),)


def _other_heads(graph: Graph, name: str, formula: Formula) -> Iterator[Slip]:
    """Yield a quantity of another head, for the own one or for an operand of it."""
    for other in _siblings(graph, name):
        yield "heads-mixed", f"It is {other}, of another head.", ((name, Ref(other)),)
    if not isinstance(formula, Times):
        return
    for position, factor in enumerate((formula.left, formula.right)):
        ref = factor.of if isinstance(factor, Transposed) else factor
        for other in _siblings(graph, ref.name) if isinstance(ref, Ref) and "^" in ref.name else ():
            changed: Formula = Transposed(Ref(other)) if isinstance(factor, Transposed) else Ref(other)
            pair = (changed, formula.right) if position == 0 else (formula.left, changed)
            yield "heads-mixed", f"{other} was used, of another head.", ((name, Times(*pair)),)
