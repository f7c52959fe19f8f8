"""Mistakes of a backward pass, each as another definition.

What is tried is recomputed: a mistake is named where it gives the number that was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from typing import TypeAlias

from symattn.checking.graph.formulas import Axis, scaled
from symattn.checking.graph.quantities import Graph, shape_of
from symattn.checking.graph.scalar_values import ONE
from symattn.checking.mistake_catalogue import explain
from symattn.checking.mistakes.slips import Slip, other_products, slip
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import base_of
from symattn.operations.formulas.formula import (
    Apply,
    Constant,
    Formula,
    Ref,
    Transposed,
    is_of,
    make,
    names_in,
    parts,
    substitute,
)

Change: TypeAlias = tuple[tuple[str, str], Formula]
"""The code of a mistake and the sentence about it, and the definition that it gives a quantity."""

_BLOCK_PATHS = {"R_1": "residual", "R_2": "residual", "F_0": "network", "X_A": "attention layer"}
"""Words for the quantities whose gradients are added over paths."""


def _block_changes(formula: Formula | None) -> Iterator[Change]:
    """Yield the mistakes that can be made at one definition, each with its code and a sentence.

    >>> above = make("difference", Ref("dN_1"), make("entrywise", Ref("N_1"), Ref("tau_1")))
    >>> back = make("rms-norm", above, Ref("ms_1"), axis="rows")
    >>> [code for (code, _), _ in _block_changes(back)]
    ['norm-variance-term']
    """
    match formula:
        case Apply("rms-norm", params, (Apply("difference", _, (start, product)), *below)):
            yield explain("norm-variance-term"), Apply("rms-norm", params, (start, *below))
            if is_of(start, "shift"):
                gradient = parts(start)[0]
                less = make("difference", gradient, product)
                yield explain("norm-mean-term"), Apply("rms-norm", params, (less, *below))
                yield explain("norm-constants"), Apply("rms-norm", params, (gradient, *below))
        case Apply("relu-gradient", _, (gradient, _)):
            yield explain("relu-skipped"), gradient


_PATHS = {"Q": "queries", "K": "keys", "V": "values", **_BLOCK_PATHS}


def slips_of_gradients(graph: Graph, name: str, *, turned: bool = False) -> Iterator[Slip]:
    """Yield the mistakes that can be made at one definition of a backward pass.

    Args:
        graph: the quantities.
        name: whose definition it is.
        turned: whether factors that are only transposed are among them where they are tried of every product.
    """
    formula = graph.nodes[name].formula
    for words, changed in _changes(graph, name, formula):
        if turned or words[0] != "no-transpose" or not is_of(formula, "product"):
            yield slip(words, name, changed)


def _changes(graph: Graph, name: str, formula: Formula | None) -> Iterator[Change]:
    match formula:
        case Apply("entrywise", _, (weights, Apply("shift", params, (Ref() as gradient, by)))):
            yield from _of_softmax(graph, name, weights, gradient)
            across: Axis = "columns" if params.axis == "rows" else "rows"
            sums = make("line-sum", make("entrywise", weights, gradient), axis=across)
            yield explain("row-sum-axis"), make("entrywise", weights, make("shift", gradient, sums, axis=across))
            if shape_of(sums, graph) == shape_of(by, graph):
                yield explain("row-sum-axis"), make("entrywise", weights, Apply("shift", params, (gradient, sums)))
        case Apply("entrywise", _, (gradient, Ref("F_slope"))):
            is_silu = is_of(graph.nodes["F_slope"].formula, "silu-slope")
            yield explain("silu-skipped" if is_silu else "gelu-skipped"), gradient
        case Apply("entrywise", _, (Ref("dF_gated") as gradient, _)):
            yield explain("gate-skipped"), gradient
        case Apply("line-sum", params, (Apply("entrywise", _, (_, gradient)),)):
            yield explain("row-sum-forgotten", "weights"), Apply("line-sum", params, (gradient,))
        case Apply("cap-gradient", _, operands):
            yield from _of_cap(*operands)
        case Apply("difference", _, (Ref() as output, Ref("T") as target)):
            yield explain("loss-sign"), make("difference", target, output)
            yield explain("target-forgotten"), output
        case Apply("scale", _, (Ref() as factor, Apply("product") as made)):
            for words, changed in _of_product(graph, made):
                yield words, make("scale", factor, changed)
        case Apply("product"):
            yield from _of_product(graph, formula)
        case Apply("sum"):
            yield from _of_paths(graph, formula)
        case _:
            yield from _block_changes(formula)


def _of_softmax(graph: Graph, name: str, weights: Formula, gradient: Ref) -> Iterator[Change]:
    rows, columns = shape_of(weights, graph)
    ones = Constant(Matrix([[ONE] * columns] * rows))
    yield explain("jacobian-skipped", gradient=gradient.name), gradient
    diagonal = make("entrywise", weights, make("difference", ones, weights))
    yield explain("jacobian-diagonal"), make("entrywise", diagonal, gradient)
    each = make("entrywise", weights, gradient)
    yield explain("row-sum-forgotten"), each
    if rows == columns:
        inner = make("product", weights, gradient)
        yield explain("row-sum-product"), make("entrywise", weights, make("difference", gradient, inner))
        yield explain("row-sum-product"), make("difference", each, make("entrywise", weights, inner))
    for factor in _factors(graph):
        yield explain("gradient-scaled"), make("scale", Ref(factor), graph.nodes[name].formula or gradient)


def _of_cap(gradient: Formula, capped: Formula, cap: Formula, *number: Formula) -> Iterator[Change]:
    """Yield the derivative of the soft cap left out, or another one."""
    tanh = make("entrywise-quotient", capped, cap)
    slope = make("difference", Constant(Matrix([[ONE]])), tanh)
    changes: list[Change] = [
        (explain("cap-skipped"), gradient),
        (explain("cap-derivative"), make("entrywise", gradient, slope)),
        (explain("cap-derivative", "square"), make("entrywise", gradient, make("entrywise", tanh, tanh))),
    ]
    for words, changed in changes:
        yield words, make("scale", *number, changed) if number else changed


def _factors(graph: Graph) -> list[str]:
    """Return the factors of the scores."""
    formulas = (node.formula for name, node in graph.nodes.items() if base_of(name) == "S_scaled")
    return list(dict.fromkeys(found[0] for formula in formulas if (found := scaled(formula)) is not None))


def _of_product(graph: Graph, made: Apply) -> Iterator[Change]:
    """Yield factors transposed or exchanged where the shapes allow it; the gradient after a soft cap for before."""
    for name in names_in(made):
        base, _, head = name.partition("^")
        if base in {"dS_scaled", "dS_uncapped"}:
            behind = Ref(f"dS^{head}" if head else "dS")
            yield explain("cap-skipped"), substitute(made, name, behind)
    for is_order, tried in other_products(graph, made):
        yield explain("product-order" if is_order else "no-transpose"), tried


def _of_paths(graph: Graph, formula: Apply) -> Iterator[Change]:
    """Yield sums over some of the paths only, or with the weights of all of them as they are."""
    paths = _terms(formula)
    untransposed = [_with_weights(path) for path in paths]
    if untransposed != paths and all(_conform(path, graph, shape_of(formula, graph)) for path in untransposed):
        yield explain("no-transpose", "weights"), reduce(_plus, untransposed)
    for kept in product((True, False), repeat=len(paths)):
        chosen = [path for path, is_kept in zip(paths, kept, strict=True) if is_kept]
        if not chosen or len(chosen) == len(paths) or len(paths) > 4:
            continue
        missing = [path for path, is_kept in zip(paths, kept, strict=True) if not is_kept]
        yield explain("path-forgotten", paths=_named(missing)), reduce(_plus, chosen)


def _plus(one: Formula, other: Formula) -> Formula:
    return make("sum", one, other)


def _with_weights(path: Formula) -> Formula:
    """Return a path back through weights, which are transposed there, with the weights as they are."""
    match path:
        case Apply("product", _, (Ref() as gradient, Transposed(Ref() as weights))):
            return make("product", gradient, weights)
        case Apply("product", _, (Transposed(Ref() as weights), Ref() as gradient)):
            return make("product", weights, gradient)
    return path


def _conform(path: Formula, graph: Graph, wanted: tuple[int, int]) -> bool:
    """Return whether factors conform to a shape."""
    if not is_of(path, "product"):
        return True
    left, right = (shape_of(part, graph) for part in parts(path))
    return left[1] == right[0] and (left[0], right[1]) == wanted


def _named(paths: list[Formula]) -> str:
    """Return words for the ends of the paths: the queries, keys or values of a self-attention, or heads."""
    names = []
    for path in paths:
        gradient = next((name for name in sorted(names_in(path)) if name.startswith("d")), "")
        base, _, head = gradient.partition("^")
        word = _PATHS.get(base[1:], gradient)
        names.append(f"the {word} of head {head}" if head else f"the {word}")
    return " and ".join(names)


def _terms(formula: Formula) -> list[Formula]:
    return [term for part in parts(formula) for term in _terms(part)] if is_of(formula, "sum") else [formula]
