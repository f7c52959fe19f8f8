"""TRUSTED. Application of indices, exponents and transposes to the base before them."""

from __future__ import annotations

from typing import NamedTuple

from symattn.errors import NotationError
from symattn.notation.parser.operands import Item, as_operand
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import can_be_base, can_have_index, is_labelled, is_tower

TOP = "⊤"
"""Stands for a transpose where an exponent could stand."""


class Scripts(NamedTuple):
    r"""The subscripts and the superscript of a base: `above` is an exponent, or `TOP` for a transpose.

    Each group of indices comes with the offset where it ends. `turned` tells that a transpose follows the
    exponent, as in ``K^{(1)\top}``.
    """

    below: list[tuple[tuple[t.Node, ...], int]]
    above: t.Node | str | None
    end: int
    turned: bool = False


def is_reals(node: t.Node) -> bool:
    """Return True if a node is the set of real numbers, on which an exponent is a shape.

    >>> is_reals(t.Name("R", "blackboard")), is_reals(t.Name("R"))
    (True, False)
    """
    return isinstance(node, t.Name) and (node.text, node.font) == ("R", "blackboard")


def with_scripts(item: Item, scripts: Scripts) -> Item:
    """Return the base with its indices, then with its exponent or transpose.

    >>> with_scripts(Item(t.Name("W"), 0, 1), Scripts([((t.Name("Q"),), 3)], TOP, 5)).node
    Transpose(base=Subscript(base=Name(text='W', font=''), indices=(Name(text='Q', font=''),)))

    Raises:
        NotationError: when the base wants brackets.
    """
    node = item.node
    if item.braced and isinstance(node, t.Product):
        # Braces are not seen: in \\mathbf{QK}^T the T stands on the K.
        last = node.factors[-1]
        changed = with_scripts(Item(last, *(last.span or (item.start, item.end))), scripts)
        product = t.Product((*node.factors[:-1], changed.node), node.operators, span=(item.start, scripts.end))
        return Item(product, item.start, scripts.end, braced=True)
    span = (item.start, scripts.end)
    for indices, end in scripts.below:
        if not can_have_index(node):
            raise NotationError("An index cannot stand here: write brackets around what it belongs to.", item.start)
        node = t.Subscript(node, indices, span=(item.start, end))
    if scripts.above is TOP and item.braced and is_labelled(node):
        return Item(t.Transpose(node, span=span), *span)
    raised = _raised(node, scripts.above, item.start, span)
    return Item(t.Transpose(raised, span=span) if scripts.turned else raised, *span)


def _raised(node: t.Node, above: t.Node | str | None, start: int, span: t.Span) -> t.Node:
    if above is None:
        return node
    if not can_be_base(node):
        raise NotationError(
            "Ambiguous: what stands above may belong to all before it or to its last part: write brackets.",
            start,
        )
    if isinstance(above, str):
        return t.Transpose(node, span=span)
    if is_reals(node):
        return t.Space(_dimensions(above), span=span)
    power = t.Power(as_operand(Item(node, *span)), above, span=span)
    if is_tower(power):
        raise NotationError("A power of numbers in the exponent of a number is not read: write its value.", start)
    return power


def _dimensions(node: t.Node) -> tuple[t.Node, ...]:
    """Split the exponent of a set of matrices at its times signs."""
    if not isinstance(node, t.Product) or "times" not in node.operators:
        return (node,)
    if node.operators.count("times") > 1:
        raise NotationError("A set of matrices has one dimension or two.", (node.span or (0, 0))[0])
    cut = node.operators.index("times") + 1
    return (
        _product(node.factors[:cut], node.operators[: cut - 1]),
        _product(node.factors[cut:], node.operators[cut:]),
    )


def _product(factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Node:
    if len(factors) == 1:
        return factors[0]
    ends = factors[0].span, factors[-1].span
    span = (ends[0][0], ends[1][1]) if ends[0] and ends[1] else None
    return t.Product(factors, operators, span=span)
