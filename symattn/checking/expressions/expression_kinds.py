"""Expression kinds: names alone, numbers, lists of numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from symattn.checking.expressions.numerals import Figure, bare, figure, is_infinity
from symattn.notation.tree import nodes as t
from symattn.notation.tree.symbols import GREEK
from symattn.notation.tree.traversal import walk

RUNNING = frozenset({"i", "j", "k", "l", "m", "n", "t"})
"""Letters that run when they stand below a name; any other there is a label."""

_ENDLESS = 4
"""The power of ten from which a number below zero stands for minus infinity among scores."""

_MADE = frozenset({"diag", "eye", "ones", "zeros", "full"})
"""Functions that make matrices of a size that is not seen."""

_SHORT = 3
"""Letters up to which a name may be a symbol."""


class Names(Protocol):
    """Resolution of written names."""

    def __call__(self, node: t.Node) -> object | None:
        """Return the target of a name; None for an unknown name."""

    def constant(self, node: t.Node) -> object | None:
        """Return the value of a symbol of the sheet."""


def is_formula(node: t.Node) -> bool:
    """Return whether a side is names alone: no number but in indices and exponents."""
    return not has_numbers(node)


def has_numbers(node: t.Node) -> bool:
    """Return whether a tree contains a number, or infinity, indices and limits aside."""
    match node:
        case t.Number():
            return True
        case t.Subscript(base):
            return has_numbers(base)
        case t.Name():
            return is_infinity(node)
        case t.SumOver(_, _, _, body):
            return has_numbers(body)
    return any(has_numbers(child) for child in t.children(node))


def has_list(node: t.Node) -> bool:
    """Return whether a matrix or a vector is written out in it."""
    return any(isinstance(item, t.Matrix | t.Vector) for item in walk(node))


def has_number_behind_word(node: t.Node) -> bool:
    """Return whether a number stands right behind a word, which names it and multiplies nothing: ``sum 12.4``."""
    pairs = (
        pair
        for item in walk(node)
        if isinstance(item, t.Product)
        for pair in zip(item.factors, item.operators, item.factors[1:], strict=False)
    )
    return any(
        isinstance(word, t.Name) and len(word.text) >= _SHORT and word.text not in GREEK and not sign
        for word, sign, number in pairs
        if isinstance(number, t.Number)
    )


def has_minus_infinity(node: t.Node) -> bool:
    """Return whether minus infinity is an entry of it, as of masked scores."""
    return has_list(node) and any(isinstance(item, t.Negative) and _is_endless(item.body) for item in walk(node))


def _is_endless(node: t.Node) -> bool:
    """Return whether a node is infinity, or a number that stands for it: ``10^9``, ``1e9``."""
    inner = bare(node)
    if isinstance(inner, t.Power) and inner.base == t.Number("10"):
        exponent = figure(inner.exponent)
        return exponent is not None and exponent.value >= _ENDLESS
    number = figure(inner)
    return is_infinity(inner) or (number is not None and number.value >= 10**_ENDLESS)


def has_unknown_words(node: t.Node, names: Names) -> bool:
    """Return whether a tree contains an unknown word, so that its shape is unknown: ``masked/√2``."""
    match node:
        case t.Name(text):
            is_word = len(text) > _SHORT and text.isalpha() and not is_infinity(node)
            return is_word and names(node) is None and names.constant(node) is None
        case t.Subscript(base):
            return names(node) is None and has_unknown_words(base, names)
        case t.Transpose(t.Name()) if names(node) is None:
            return True  # nobody transposes a number
        case t.Call(function) if function.text in _MADE:
            return True
        case t.Call(_, arguments):
            return any(has_unknown_words(argument, names) for argument in arguments)
    return names(node) is None and any(has_unknown_words(child, names) for child in t.children(node))


def has_unknown_lines(node: t.Node, names: Names) -> bool:
    """Return whether a tree is, or adds, a product of unknown names: ``x_1 W_K`` on a sheet without an input."""

    def is_unknown(factor: t.Node) -> bool:
        is_name = isinstance(factor, t.Name | t.Subscript | t.Power | t.Transpose | t.Group)
        heads = [item for item in walk(factor) if isinstance(item, t.Name)]
        return is_name and bool(heads) and names(factor) is None and names.constant(factor) is None

    if isinstance(node, t.Sum):
        return any(isinstance(term, t.Name) and is_unknown(term) for term in node.terms)
    return isinstance(node, t.Product) and all(map(is_unknown, node.factors))


def has_decimals(node: t.Node) -> bool:
    """Return whether a tree contains a number with a point, an exponential or a root."""
    return any(
        (isinstance(item, t.Number) and not item.text.isdigit()) or isinstance(item, t.Power | t.Root | t.Call)
        for item in walk(node)
    )


def is_sum_of_decimals(node: t.Node) -> bool:
    """Return whether a node is a sum of decimals, which nobody rounds to a whole number unsaid: ``0.67 + 0.43``."""
    inner = bare(node)
    if not isinstance(inner, t.Sum):
        return False
    found = [figure(term) for term in inner.terms]
    return all(item is not None and item.unit is not None for item in found) and has_decimals(inner)


def power_of_e(node: t.Node) -> t.Node | None:
    """Return the exponent of ``e^x`` and of ``exp(x)``, None for anything else.

    >>> power_of_e(t.Power(t.Name("e"), t.Number("8")))
    Number(text='8')
    """
    match bare(node):
        case t.Power(base, exponent) if bare(base) == t.Name("e"):
            return exponent
        case t.Call(function, (argument,)) if function.text == "exp":
            return argument
    return None


def by_figures(number: Figure) -> Figure:
    """Return ``≈ 3320`` with its trailing zeros as insignificant digits."""
    if number.unit != 1 or not number.value:
        return number
    unit = Fraction(1)
    while (number.value / (10 * unit)).denominator == 1:
        unit *= 10
    return replace(number, unit=unit)
