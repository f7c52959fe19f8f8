"""Mistakes around attention, in residual sums, norms and the network, each as another definition.

What is tried is recomputed: a mistake is named where it gives the number that was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from symattn.checking.graph.formulas import centred
from symattn.checking.graph.quantities import Graph, shape_of
from symattn.checking.mistake_catalogue import explain
from symattn.checking.mistakes.slips import Slip, slip
from symattn.checking.report import Diagnosis
from symattn.graph.builders.layer import is_of_block
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, is_of, make, names_in, scale, substitute
from symattn.operations.operation import Axis, width

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
    yield from (slip(explain(code), name, changed) for code, changed in _changes(graph, name, formula))
    match formula:
        case Apply("rms-norm"):
            yield from _before(graph, name, formula)
        case Apply("sum", _, (Ref(first), second)) if name.startswith("R_"):
            yield from _from_another(graph, name, first, second)


def slips_of_normed(graph: Graph, name: str) -> Iterator[Slip]:
    """Yield norms times weights (pre-norm queries, the network) with the norm omitted."""
    formula = graph.nodes[name].formula
    product = _product_in(formula)
    used = () if formula is None or product is None else names_in(product)
    for normed in ("Y_1", "Y_2", "N_1", "N_2"):
        norm = graph.nodes[f"N_{normed[-1]}"].formula if normed in used else None
        if formula is not None and norm is not None and is_of(norm, "rms-norm"):
            yield slip(explain("norm-forgotten"), name, _with_factor(formula, normed, centred(norm)))


def _product_in(formula: Formula | None) -> Apply | None:
    """Return a product to which a vector may be added."""
    match formula:
        case Apply("product"):
            return formula
        case Apply("sum", _, (Apply("product") as product, _)):
            return product
    return None


def _with_factor(formula: Formula, name: str, instead: Formula) -> Formula:
    """Return a product, to which a vector may be added, with another factor in the place of a quantity."""
    match formula:
        case Apply("sum", _, (product, added)):
            return make("sum", substitute(product, name, instead), added)
    return substitute(formula, name, instead)


def _from_another(graph: Graph, name: str, first: str, second: Formula) -> Iterator[Slip]:
    """Yield ``X + F_2`` for ``Y_1 + F_2``."""
    for other in ("X", "X_1", "R_1", "O"):
        is_alike = other in graph and graph.shape(other) == graph.shape(name)
        if is_alike and other not in (first, *names_in(second)) and name != "R_1":
            yield slip(explain("residual-other", other=other, first=first), name, make("sum", Ref(other), second))


def _changes(graph: Graph, name: str, formula: Formula | None) -> Iterator[tuple[str, Formula]]:
    match formula:
        case Apply("sum", _, (Ref(), Ref() as made)) if name.startswith("R_"):
            yield "residual-forgotten", made
        case Apply("scale", _, (Constant(values), Apply("line-sum", _, (Apply("entrywise"),)) as squares)):
            count = values[0, 0].rational() or Fraction(1)
            if count < 1 and name.startswith("var"):
                yield "variance-d-1", scale(1 / (1 / count - 1), squares)
        case Apply("rms-norm", params, (of, by, *eps)):
            total = make("sum", by, *eps) if eps else by
            if eps:
                yield "eps-forgotten", Apply("rms-norm", params, (of, by))
                # A variance over its root is the root.
                root = make("rms-norm", by, by, axis="rows")
                yield "eps-outside", Apply("quotient", params, (of, make("sum", root, *eps)))
            yield "root-forgotten", Apply("quotient", params, (of, total))
            yield from _of_norm(graph, formula)
        case Apply("entrywise", _, (of, Ref())) if name.startswith("Y_"):
            yield "gain-forgotten", of
        case Apply("sum", _, (Apply("entrywise", _, (of, Ref())) as product, Ref() as term)) if name.startswith("Y_"):
            yield "gain-forgotten", make("sum", of, term)
            yield "shift-forgotten", product
        case Apply("sum", _, (Ref() as of, Ref())) if name.startswith("Y_"):
            yield "shift-forgotten", of
        case Apply("activation" | "gelu-slope" | "silu-slope", _, (of,)):
            yield "activation-forgotten", of
        case Apply("entrywise", _, (Ref("F_act") as activated, gate)):
            yield "gate-forgotten", activated
            match graph.nodes["F_act"].formula:
                case Apply("activation", params, (of,)):
                    yield "gate-swapped", make("entrywise", Apply("activation", params, (gate,)), of)


def _of_norm(graph: Graph, norm: Apply) -> Iterator[tuple[str, Formula]]:
    """Yield the norm left out, its mean left out, or its statistics taken over the tokens."""
    of, *below = norm.operands
    values = centred(norm)
    yield "norm-forgotten", values
    if values != of:
        yield "mean-forgotten", replace(norm, operands=(values, *below))
    other: Axis = "columns" if norm.params.axis == "rows" else "rows"
    yield "norm-axis", _normed(graph, values, norm, other)


def _normed(graph: Graph, values: Formula, like: Apply, axis: Axis) -> Formula:
    """Return the norm of other values, or along other lines, with the mean and the eps of one."""
    share = Fraction(1, width(axis, shape_of(values, graph)))
    above = values
    if is_of(like.operands[0], "shift"):
        above = make("shift", values, scale(share, make("line-sum", values, axis=axis)), axis=axis)
    squares = scale(share, make("line-sum", make("entrywise", above, above), axis=axis))
    return make("rms-norm", above, squares, *like.operands[2:], axis=axis)


def _before(graph: Graph, name: str, norm: Apply) -> Iterator[Slip]:
    """Yield the norm of the output of attention or the network, or of their input, and then the sum."""
    values = centred(norm)
    match graph.nodes[values.name].formula if isinstance(values, Ref) else None:
        case Apply("sum", _, (Ref(source) as left, Ref() as right)) as total:
            axis = norm.params.axis
            yield slip(explain("norm-before"), name, make("sum", left, _normed(graph, right, norm, axis)))
            within = _through(graph, source, _normed(graph, left, norm, axis))
            if within:
                yield Slip(Diagnosis(*explain("norm-before")), (*within, (name, total)))


def _through(graph: Graph, source: str, normed: Formula) -> tuple[tuple[str, Formula], ...]:
    """Return the products that start from a summand, each with the norm of it in its place."""
    changes = []
    for name, node in graph.nodes.items():
        formula = node.formula
        if formula is not None and source in graph.parents(name) and _product_in(formula) is not None:
            changes.append((name, _with_factor(formula, source, normed)))
    return tuple(changes)
