"""Numerals at the end of a chain, compared with the value of the side before them to the digits written."""

from __future__ import annotations

from fractions import Fraction

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.cases.numeric_tower import Number, order


def numeral_of(node: t.Node | None) -> t.Number | None:
    """Return the numeral that a side is, its sign left out; None for anything else."""
    match node:
        case t.Number():
            return node
        case t.Negative(t.Number() as body):
            return body
        case _:
            return None


def is_arithmetic(node: t.Node) -> bool:
    """Return whether a side has no names but those of functions."""
    known = {"exp", "sqrt", "log", "ln", "e"}
    return all(item.text in known for item in walk(node) if isinstance(item, t.Name))


def number_verdict(value: Number, written: Fraction, numeral: t.Number, *, is_approximate: bool) -> str:
    """Return the word for a numeral that is written for a value.

    Args:
        value: the right number.
        written: what was written, with its sign.
        numeral: the digits.
        is_approximate: whether the relation says that it is rounded.
    """
    if order(value, written) == 0:
        return "right"
    unit = numeral.ulp
    is_near = order(value, written + unit / 2) in {-1, 0} and order(value, written - unit / 2) in {0, 1}
    if is_near:
        return "rounded" if numeral.places or is_approximate else "coarse"
    low, high = (written, written + unit) if written >= 0 else (written - unit, written)
    if order(value, low) in {0, 1} and order(value, high) in {-1, 0} and numeral.places:
        return "truncated"
    return "wrong"


def is_rational(text: str) -> bool:
    """Return whether text is a short rational number."""
    try:
        Fraction(text)
    except ValueError:
        return False
    return len(text) < 100
