"""Mistakes of a backward pass, each as another definition.

What is tried is recomputed: a mistake is named where it gives the number that was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product

from symattn.checking.graph.activations import SLOPES
from symattn.checking.graph.formulas import (
    Axis,
    Constant,
    Formula,
    Hadamard,
    LineSum,
    Mapped,
    Minus,
    OverRoot,
    Plus,
    Ref,
    Scaled,
    SubtractPerLine,
    Times,
    Transposed,
    names_in,
    substitute,
    transpose,
)
from symattn.checking.graph.partial_arithmetic import ONE
from symattn.checking.graph.quantities import Graph, shape_of
from symattn.checking.mistakes.layers import Slip
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import base_of

_BLOCK_PATHS = {"R_1": "residual", "R_2": "residual", "F_0": "network", "X_A": "attention layer"}
"""Words for the quantities whose gradients are added over paths."""


def _block_changes(formula: Formula | None) -> Iterator[tuple[str, str, Formula]]:
    """Yield the mistakes that can be made at one definition, each with its code and a sentence.

    >>> from symattn.checking.graph.quantities import Ref
    >>> back = OverRoot(Minus(Ref("dN_1"), Hadamard(Ref("N_1"), Ref("tau_1"))), Ref("ms_1"), None, "rows")
    >>> [code for code, _, _ in _block_changes(back)]
    ['norm-variance-term']
    """
    match formula:
        case OverRoot(Minus(start, Hadamard() as product), by, eps, axis):
            yield (
                "norm-variance-term",
                "The gradient through the variance was left out: n times the mean of dn n.",
                OverRoot(start, by, eps, axis),
            )
            if isinstance(start, SubtractPerLine):
                yield (
                    "norm-mean-term",
                    "The gradient through the mean was left out: the mean of dn over the token.",
                    OverRoot(Minus(start.of, product), by, eps, axis),
                )
                yield (
                    "norm-constants",
                    "Mean and variance depend on each entry of the token; they were taken for constants.",
                    OverRoot(start.of, by, eps, axis),
                )
        case Hadamard(gradient, Mapped(function)) if function == SLOPES["relu"]:
            yield "relu-skipped", "ReLU passes the gradient on only where its argument is above 0.", gradient
        case Hadamard(gradient, Ref("F_slope")):
            yield "gelu-skipped", "GELU multiplies the gradient by its derivative, which was left out.", gradient


_PATHS = {"Q": "queries", "K": "keys", "V": "values", **_BLOCK_PATHS}

_SKIPPED = "The derivative of the soft cap, 1 minus the square of tanh, was left out."

_TURNED = "A factor was transposed, or was not, against the definition."


def slips_of_gradients(graph: Graph, name: str, *, turned: bool = False) -> Iterator[Slip]:
    """Yield the mistakes that can be made at one definition of a backward pass.

    Args:
        graph: the quantities.
        name: whose definition it is.
        turned: whether factors that are only transposed are among them where they are tried of every product.
    """
    formula = graph.nodes[name].formula
    for code, text, changed in _changes(graph, name, formula):
        if turned or code != "no-transpose" or not isinstance(formula, Times):
            yield code, text, ((name, changed),)


def _changes(graph: Graph, name: str, formula: Formula | None) -> Iterator[tuple[str, str, Formula]]:
    match formula:
        case Hadamard(weights, SubtractPerLine(Ref() as gradient, by, axis)):
            yield from _of_softmax(graph, name, weights, gradient)
            across: Axis = "columns" if axis == "rows" else "rows"
            sums: Formula = LineSum(Hadamard(weights, gradient), across)
            text = "The sum runs across the lines of the softmax, not along each of them."
            yield "row-sum-axis", text, Hadamard(weights, SubtractPerLine(gradient, sums, across))
            if shape_of(sums, graph) == shape_of(by, graph):
                yield "row-sum-axis", text, Hadamard(weights, SubtractPerLine(gradient, sums, axis))
        case LineSum(Hadamard(_, gradient), axis):
            yield "row-sum-forgotten", "The weights were left out of the sum.", LineSum(gradient, axis)
        case Hadamard(Ref(), Minus(Constant(), Mapped("square"))):
            yield from _of_cap(formula)
        case Scaled(factor, Hadamard(Ref(), Minus(Constant(), Mapped("square"))) as made):
            for code, text, changed in _of_cap(made):
                yield code, text, Scaled(factor, changed)
        case Minus(Ref() as output, Ref("T") as target):
            yield (
                "loss-sign",
                "The difference was taken the other way round, which gives minus the gradient.",
                Minus(target, output),
            )
            yield "target-forgotten", "Nothing was subtracted.", output
        case Scaled(factor, Times() as made):
            for code, text, changed in _of_product(graph, made):
                yield code, text, Scaled(factor, changed)
        case Times() as made:
            yield from _of_product(graph, made)
        case Plus():
            yield from _of_paths(graph, formula)
        case OverRoot() | Hadamard(_, Mapped() | Ref()):
            yield from _block_changes(formula)


def _of_softmax(graph: Graph, name: str, weights: Formula, gradient: Ref) -> Iterator[tuple[str, str, Formula]]:
    rows, columns = shape_of(weights, graph)
    ones = Constant(Matrix([[ONE] * columns] * rows))
    yield (
        "jacobian-skipped",
        f"It is {gradient.name}, the gradient at the weights: the Jacobian of the softmax was left out.",
        gradient,
    )
    yield (
        "jacobian-diagonal",
        "The softmax was taken entry by entry, A (1 - A) times the gradient; each weight depends on its whole line.",
        Hadamard(Hadamard(weights, Minus(ones, weights)), gradient),
    )
    yield "row-sum-forgotten", "The sum over the line was not subtracted.", Hadamard(weights, gradient)
    if rows == columns:
        text = "A product of matrices, A dA, was subtracted where the sum over the line of A dA entry by entry belongs."
        inner = Times(weights, gradient)
        yield "row-sum-product", text, Hadamard(weights, Minus(gradient, inner))
        yield "row-sum-product", text, Minus(Hadamard(weights, gradient), Hadamard(weights, inner))
    for factor in _factors(graph):
        text = "That is the gradient at the scores before the scale; dS is that where the softmax takes its scores."
        yield "gradient-scaled", text, Scaled(factor, graph.nodes[name].formula or gradient)


def _of_cap(formula: Hadamard) -> Iterator[tuple[str, str, Formula]]:
    gradient, slope = formula.left, formula.right
    yield "cap-skipped", _SKIPPED, gradient
    if isinstance(slope, Minus) and isinstance(slope.right, Mapped):
        text = "The derivative of the soft cap is 1 minus the square of tanh, not 1 minus tanh."
        yield "cap-derivative", text, Hadamard(gradient, Minus(slope.left, slope.right.of))
        text = "The derivative of the soft cap is 1 minus the square of tanh, not the square itself."
        yield "cap-derivative", text, Hadamard(gradient, slope.right)


def _factors(graph: Graph) -> list[str]:
    """Return the factors of the scores."""
    formulas = ((name, node.formula) for name, node in graph.nodes.items())
    found = [
        formula.factor for name, formula in formulas if base_of(name) == "S_scaled" and isinstance(formula, Scaled)
    ]
    return list(dict.fromkeys(found))


def _of_product(graph: Graph, made: Times) -> Iterator[tuple[str, str, Formula]]:
    """Yield factors transposed or exchanged where the shapes allow it; the gradient after a soft cap for before."""
    wanted = shape_of(made, graph)
    for name in names_in(made):
        base, _, head = name.partition("^")
        if base in {"dS_scaled", "dS_uncapped"}:
            behind = Ref(f"dS^{head}" if head else "dS")
            yield (
                "cap-skipped",
                _SKIPPED,
                Times(substitute(made.left, name, behind), substitute(made.right, name, behind)),
            )
    for first, second in ((made.left, made.right), (made.right, made.left)):
        for left, right in product((first, transpose(first)), (second, transpose(second))):
            tried = Times(left, right)
            inner, outer = shape_of(left, graph), shape_of(right, graph)
            if tried == made or inner[1] != outer[0] or (inner[0], outer[1]) != wanted:
                continue
            is_order = first is not made.left
            text = "The factors stand in the wrong order." if is_order else _TURNED
            yield ("product-order" if is_order else "no-transpose"), text, tried


def _of_paths(graph: Graph, formula: Plus) -> Iterator[tuple[str, str, Formula]]:
    """Yield sums over some of the paths only, or with the weights of all of them as they are."""
    paths = _terms(formula)
    untransposed = [_with_weights(path) for path in paths]
    if untransposed != paths and all(_conform(path, graph, shape_of(formula, graph)) for path in untransposed):
        yield "no-transpose", "The weights were not transposed.", reduce(Plus, untransposed)
    for kept in product((True, False), repeat=len(paths)):
        chosen = [path for path, is_kept in zip(paths, kept, strict=True) if is_kept]
        if not chosen or len(chosen) == len(paths) or len(paths) > 4:
            continue
        missing = [path for path, is_kept in zip(paths, kept, strict=True) if not is_kept]
        total = chosen[0]
        for path in chosen[1:]:
            total = Plus(total, path)
        yield "path-forgotten", f"The path through {_named(missing)} was left out.", total


def _with_weights(path: Formula) -> Formula:
    """Return a path back through weights, which are transposed there, with the weights as they are."""
    match path:
        case Times(Ref() as gradient, Transposed(Ref() as weights)):
            return Times(gradient, weights)
        case Times(Transposed(Ref() as weights), Ref() as gradient):
            return Times(weights, gradient)
    return path


def _conform(path: Formula, graph: Graph, wanted: tuple[int, int]) -> bool:
    """Return whether factors conform to a shape."""
    if not isinstance(path, Times):
        return True
    left, right = shape_of(path.left, graph), shape_of(path.right, graph)
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
    return [*_terms(formula.left), *_terms(formula.right)] if isinstance(formula, Plus) else [formula]
