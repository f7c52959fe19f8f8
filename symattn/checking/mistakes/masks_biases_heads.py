"""Mistakes with masks, biases and heads, each as another definition.

What is tried is recomputed: a mistake is named where it gives the number that was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from symattn.checking.graph.formulas import axis_of_weights, is_weights
from symattn.checking.graph.quantities import Graph, Valuation, scores_of, shape_of
from symattn.checking.graph.scalar_values import ONE, ZERO
from symattn.checking.graph.targets import Target
from symattn.checking.mistake_catalogue import explain
from symattn.checking.mistakes.slips import Slip, other_products, slip
from symattn.checking.report import Diagnosis
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of
from symattn.operations.formulas.formula import (
    Apply,
    Constant,
    Formula,
    Ref,
    is_of,
    make,
    names_in,
    parts,
    softmax,
    substitute,
)

MASKS = ("mask", "mask-where")
"""Operations that hide scores."""

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
        case Apply("mask" | "mask-where", _, (of, _)):
            yield slip(explain("mask-forgotten", "own" if name == target else "before"), name, of)
            yield from _other_masks(graph, name, formula)
        case Apply("sum", _, (of, by)):
            if isinstance(of, Apply) and of.operation == "product":
                for is_order, changed in other_products(graph, of):
                    if not is_order:
                        yield slip(explain("no-transpose"), name, make("sum", changed, by))
            added = by.name if isinstance(by, Ref) else "What is added"
            yield slip(explain("bias-forgotten", added=added), name, of)
        case Apply("join", _, items) if len(items) > 1:
            yield slip(explain("heads-mixed", "order"), name, replace(formula, operands=items[::-1]))
        case Apply() if is_weights(formula):
            yield from _mask_after(graph, name, formula)
            yield from _over_heads(graph, name)
    if formula is not None and "^" in name:
        yield from _other_heads(graph, name, formula)


# Masks -----------------------------------------------------------------------------------------------


def _hidden(graph: Graph, masked: Apply) -> list[list[bool]] | None:
    """Return the hidden places of a mask, None where it adds numbers of its own."""
    valuation = Valuation(graph)
    of, by = masked.operands
    rows, columns = shape_of(of, graph)
    values = [[valuation.spread(by, i, j) for j in range(columns)] for i in range(rows)]
    if masked.operation == "mask":
        plain = all(value is MINUS_INFINITY or (value is not None and value.is_zero) for row in values for value in row)
        return [[value is MINUS_INFINITY for value in row] for row in values] if plain else None
    is_seen = masked.params.one == "seen"
    return [[value is not None and value.is_zero == is_seen for value in row] for row in values]


def _by(hidden: list[list[bool]]) -> Constant:
    """Return the additive mask that hides just these places."""
    return Constant(Matrix([[MINUS_INFINITY if entry else ZERO for entry in row] for row in hidden]))


def _other_masks(graph: Graph, name: str, masked: Apply) -> Iterator[Slip]:
    hidden = _hidden(graph, masked)
    if hidden is None:
        return
    for words, other in _variants(hidden):
        yield slip(words, name, make("mask", masked.operands[0], _by(other)))


def _variants(hidden: list[list[bool]]) -> Iterator[tuple[tuple[str, str], list[list[bool]]]]:
    """Yield common wrong masks."""
    yield explain("mask-polarity"), [[not entry for entry in row] for row in hidden]
    turned = [list(column) for column in zip(*hidden, strict=True)]
    if len(turned) == len(hidden) and turned != hidden:
        yield explain("mask-transposed"), turned


def with_hidden(graph: Graph, target: Target, hidden: list[list[bool]]) -> Diagnosis | None:
    """Return the mistake in the mask of a quantity that hides just these entries of it."""
    formula = graph.nodes[target.name].formula
    right = _hidden(graph, formula) if isinstance(formula, Apply) and formula.operation in MASKS else None
    if right is None:
        return None
    for words, other in _variants(right):
        if [[other[i][j] for i, j in row] for row in target.cells] == hidden:
            return Diagnosis(*words)
    return None


def _mask_after(graph: Graph, name: str, formula: Apply) -> Iterator[Slip]:
    """Yield the weights of all keys with 0 where one is hidden, not renormalised."""
    masked = scores_of(formula, graph)
    while isinstance(masked, Ref):
        masked = graph.nodes[masked.name].formula
    if not isinstance(masked, Apply) or masked.operation not in MASKS:
        return
    hidden, axis = _hidden(graph, masked), axis_of_weights(formula)
    if hidden is None or axis is None:
        return
    seen = Constant(Matrix([[ZERO if entry else ONE for entry in row] for row in hidden]))
    weights = softmax(masked.operands[0], axis, more=graph.adds_one)
    yield slip(explain("mask-after"), name, make("entrywise", weights, seen))


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
    powers = [make("exponential", item) for item in scores if item is not None]
    if len(powers) < 2 or len(powers) != len(heads):
        return
    total = reduce(lambda one, other: make("sum", one, other), powers)
    yield slip(explain("heads-softmax"), name, make("entrywise-quotient", powers[0], total))


def _other_heads(graph: Graph, name: str, formula: Formula) -> Iterator[Slip]:
    """Yield a quantity of another head, for the own one or for an operand of it."""
    for other in _siblings(graph, name):
        yield slip(explain("heads-mixed", other=other), name, Ref(other))
    if not is_of(formula, "product"):
        return
    for position, factor in enumerate(parts(formula)):
        for own in names_in(factor):
            for other in _siblings(graph, own) if "^" in own else ():
                pair = list(parts(formula))
                pair[position] = substitute(factor, own, Ref(other))
                yield slip(explain("heads-mixed", "operand", other=other), name, make("product", *pair))
