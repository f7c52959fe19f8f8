"""Mistakes around attention, in residual sums, norms and the network, each as another definition.

What is tried is recomputed: a mistake is named where it gives the number that was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from symattn.checking.graph.formulas import (
    Formula,
    Hadamard,
    LineSum,
    Mapped,
    Multiple,
    OverRoot,
    Plus,
    Ratio,
    Ref,
    SubtractPerLine,
    Times,
    names_in,
    substitute,
)
from symattn.checking.graph.quantities import Graph, shape_of
from symattn.checking.mistakes.catalogue import sentence
from symattn.checking.mistakes.layers import Slip
from symattn.exact.field.quotient import Quotient
from symattn.graph.builders.layer import is_of_block
from symattn.graph.quantities import quantity as q

_FIRST_NORM = frozenset({"N_1", "Y_1"})


def path_of(found: Iterable[str]) -> list[str]:
    """Return the operands of a block's quantity that are searched for mistakes: those within the block."""
    return [name for name in found if is_of_block(name)]


def is_border(name: str, target: str) -> bool:
    """Return whether the search for mistakes ends at a quantity: the first norm, of its successors.

    >>> is_border("N_1", "Y_2"), is_border("N_1", "Y_1")
    (True, False)
    """
    return name in _FIRST_NORM and target not in _FIRST_NORM


def slips_of_block(graph: Graph, name: str) -> Iterator[Slip]:
    """Yield the mistakes that can be made at one definition of a block."""
    formula = graph.nodes[name].formula
    for code, changed in _changes(graph, name, formula):
        yield code, sentence(code), ((name, changed),)
    if isinstance(formula, OverRoot):
        yield from _before(graph, name, formula)
    if isinstance(formula, Plus) and name.startswith("R_"):
        yield from _from_another(graph, name, formula)


def slips_of_normed(graph: Graph, name: str) -> Iterator[Slip]:
    """Yield norms times weights (pre-norm queries, the network) with the norm omitted."""
    formula = graph.nodes[name].formula
    product = formula.left if isinstance(formula, Plus) else formula
    used = names_in(product) if isinstance(product, Times) else ()
    for normed in ("Y_1", "Y_2", "N_1", "N_2"):
        norm = graph.nodes[f"N_{normed[-1]}"].formula if normed in used else None
        if not isinstance(product, Times) or not isinstance(norm, OverRoot):
            continue
        values = norm.of.of if isinstance(norm.of, SubtractPerLine) else norm.of
        made: Formula = Times(substitute(product.left, normed, values), substitute(product.right, normed, values))
        changed = Plus(made, formula.right) if isinstance(formula, Plus) else made
        yield "norm-forgotten", "The norm was left out.", ((name, changed),)


def _from_another(graph: Graph, name: str, formula: Plus) -> Iterator[Slip]:
    """Yield ``X + F_2`` for ``Y_1 + F_2``."""
    for other in ("X", "X_1", "R_1", "O"):
        is_alike = other in graph and graph.shape(other) == graph.shape(name)
        if is_alike and other not in names_in(formula) and isinstance(formula.left, Ref) and name != "R_1":
            text = f"{other} was added, and not {formula.left.name}."
            yield "residual-other", text, ((name, Plus(Ref(other), formula.right)),)


def _changes(graph: Graph, name: str, formula: Formula | None) -> Iterator[tuple[str, Formula]]:
    match formula:
        case Plus(Ref(), Ref() as made) if name.startswith("R_"):
            yield "residual-forgotten", made
        case Multiple(share, LineSum(Hadamard()) as squares):
            count = share.rational() or Fraction(1)
            if count < 1 and name.startswith("var"):
                yield "variance-d-1", Multiple(Quotient.of(1 / (1 / count - 1)), squares)
        case OverRoot(of, by, eps, axis):
            if eps is not None:
                yield "eps-forgotten", OverRoot(of, by, None, axis)
                yield "eps-outside", OverRoot(of, by, eps, axis, is_inside=False)
            yield "root-forgotten", Ratio(of, by if eps is None else Plus(by, eps), axis)
            yield from _of_norm(graph, formula)
        case Hadamard(of, Ref()) if name.startswith("Y_"):
            yield "gain-forgotten", of
        case Plus(Hadamard(of, Ref()) as product, Ref() as term) if name.startswith("Y_"):
            yield "gain-forgotten", Plus(of, term)
            yield "shift-forgotten", product
        case Plus(Ref() as of, Ref()) if name.startswith("Y_"):
            yield "shift-forgotten", of
        case Mapped(_, of):
            yield "activation-forgotten", of


def _of_norm(graph: Graph, formula: OverRoot) -> Iterator[tuple[str, Formula]]:
    """Yield the norm left out, its mean left out, or its statistics taken over the tokens."""
    of, axis = formula.of, formula.axis
    values = of.of if isinstance(of, SubtractPerLine) else of
    yield "norm-forgotten", values
    if isinstance(of, SubtractPerLine):
        yield "mean-forgotten", OverRoot(values, formula.by, formula.eps, axis)
    other: q.Axis = "columns" if axis == "rows" else "rows"
    yield "norm-axis", _normed(graph, values, formula, other)


def _normed(graph: Graph, values: Formula, like: OverRoot, axis: q.Axis) -> OverRoot:
    """Return the norm of other values, or along other lines, with the mean, eps and root of one."""
    rows, columns = shape_of(values, graph)
    count = Quotient.of(columns if axis == "rows" else rows)
    above: Formula = values
    if isinstance(like.of, SubtractPerLine):
        above = SubtractPerLine(values, Multiple(1 / count, LineSum(values, axis)), axis)
    squares = Multiple(1 / count, LineSum(Hadamard(above, above), axis))
    return OverRoot(above, squares, like.eps, axis, like.is_inside)


def _before(graph: Graph, name: str, formula: OverRoot) -> Iterator[Slip]:
    """Yield the norm of the output of attention or the network, or of their input, and then the sum."""
    values = formula.of.of if isinstance(formula.of, SubtractPerLine) else formula.of
    total = graph.nodes[values.name].formula if isinstance(values, Ref) else None
    if not (isinstance(total, Plus) and isinstance(total.left, Ref) and isinstance(total.right, Ref)):
        return
    axis: q.Axis = "columns" if formula.axis == "columns" else "rows"
    text = "The norm was taken before the residual sum, not after it."
    after = Plus(total.left, _normed(graph, total.right, formula, axis))
    yield "norm-before", text, ((name, after),)
    within = _through(graph, total, _normed(graph, total.left, formula, axis))
    if within:
        yield "norm-before", text, (*within, (name, total))


def _through(graph: Graph, total: Plus, normed: Formula) -> tuple[tuple[str, Formula], ...]:
    """Return the products that start from a summand, each with the norm of it in its place."""
    source = total.left
    if not isinstance(source, Ref):
        return ()
    users = [
        name for name, node in graph.nodes.items() if node.formula is not None and source.name in graph.parents(name)
    ]
    changes = []
    for name in users:
        formula = graph.nodes[name].formula
        product = formula.left if isinstance(formula, Plus) else formula
        if not isinstance(product, Times):
            continue
        left, right = (substitute(part, source.name, normed) for part in (product.left, product.right))
        changed: Formula = Times(left, right)
        changes.append((name, Plus(changed, formula.right) if isinstance(formula, Plus) else changed))
    return tuple(changes)
