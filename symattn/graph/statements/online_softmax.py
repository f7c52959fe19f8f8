"""Statements of the softmax worked block by block: running maxima, sums and outputs."""

from __future__ import annotations

from symattn.graph.forms.definitions import entry_forms, result_form
from symattn.graph.quantities.closed_forms import slashed
from symattn.graph.quantities.scene import Entry, Valuation
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Chains
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import factor, term


def online_entry(write: Chains, name: str, row: int, column: int = 1, *, closed: bool = True) -> Statement:
    """Write an entry after a block, scores substituted: ``l_1^{(2)} = l_1^{(1)} e^{1 - 3} + e^{3 - 3} = … ≈ 1.14``.

    Args:
        write: of the layer.
        name: the quantity.
        row: of the entry.
        column: of the entry.
        closed: whether the closed form stands before the decimals.
    """
    target, scene = Entry(name, row, column), write.scene
    quantity = scene.quantities[name]
    reference = scene.reference(target)
    (form,) = entry_forms(scene, quantity, row, column)
    sides = [reference, _put_in(write, form, name)]
    exact = scene.literal(target, "exact")
    if quantity.definition.rule == "running-maximum":
        return write.link(reference, _apart([*sides, write.literal(target, "end")]), "end")
    value = quantity.exact[row - 1, column - 1]
    is_rational, closed = value.rational() is not None, closed and value.is_closed
    if closed and not is_rational and exact is not None:
        sides.append(exact)
    if write.is_short(target, "end") or not closed or is_rational:
        sides.append(write.literal(target, "end"))
    return write.link(reference, _apart(sides), "end")


def result_entry(write: Chains, output: str, row: int, column: int) -> Statement:
    """Write an output as the result of the last block: ``O_{11} = o_{11}^{(2)}/l_1^{(2)} ≈ 0.42``."""
    target = Entry(output, row, column)
    reference = write.scene.reference(target)
    form = result_form(write.scene, output, row, column)
    if form is None:
        raise ValueError("the output was worked block by block")
    # Under step rounding the value that the sheet prescribes is another, and stands with the outputs.
    value = [] if write.valuation(output) == "carried" else [write.literal(target, "end")]
    return write.link(reference, [reference, form, *value], "end")


def _apart(sides: list[t.Node]) -> list[t.Node]:
    """Return the sides without one that is written as the one before it."""
    return [side for position, side in enumerate(sides) if not position or side != sides[position - 1]]


def _put_in(write: Chains, node: t.Node, name: str) -> t.Node:
    """Substitute scores, maxima and values of keys in a form; earlier sums and outputs keep their names."""
    target = write.scene.resolve(node)
    if target is not None:
        if write.scene.quantity(target).definition.rule in {"running-sum", "running-output"}:
            return node
        valuation: Valuation = "end"
        literal = write.literal(target, valuation)
        if write.scene.quantity(target).style == "decimal":
            return node
        return literal
    match node:
        case t.Sum(terms, operators):
            first, *rest = (_put_in(write, item, name) for item in terms)
            first = t.Group(first) if isinstance(first, t.Sum) else first
            return t.Sum((first, *map(term, rest)), operators)
        case t.Product(factors, operators):
            return t.Product(tuple(factor(_put_in(write, item, name)) for item in factors), operators)
        case t.Power(body, exponent):
            return t.Power(body, _slashed_sum(_put_in(write, exponent, name)))
        case t.Call(function, arguments):
            return t.Call(function, tuple(_put_in(write, item, name) for item in arguments))
    return node


def _slashed_sum(node: t.Node) -> t.Node:
    if isinstance(node, t.Sum):
        return t.Sum(tuple(slashed(item) for item in node.terms), node.operators)
    return slashed(node)
