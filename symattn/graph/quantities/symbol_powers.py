"""TRUSTED. Roots and inverses of symbols in written mathematics, as the names that stand for them in the kernel."""

from __future__ import annotations

from collections.abc import Callable

from symattn.exact.field.power_names import HALF, power_name
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import symbol_key

IsSymbol = Callable[[str], bool]


def with_power_names(node: t.Node, is_name: IsSymbol) -> t.Node:
    """Return a tree in which a name of the kernel stands for each root and inverse of a symbol that has one.

    Args:
        node: arithmetic.
        is_name: tells the names of roots and inverses in the kernel.

    >>> from symattn.notation.parser.plain import read_plain
    >>> from symattn.notation.writers.plain import write_plain
    >>> write_plain(with_power_names(read_plain("x/sqrt(d)"), lambda name: "(" in name))
    '((x)*"1/sqrt(d)")'
    """

    def changed(part: t.Node) -> t.Node:
        return with_power_names(part, is_name)

    match node:
        case t.Root(body, None) if _name(node, is_name):
            return t.Name(_name(node, is_name))
        case t.Division(numerator, denominator):
            factors = _inverted(denominator, is_name)
            if factors is None:
                return t.Division(changed(numerator), changed(denominator))
            return t.Group(t.Product((t.Group(changed(numerator)), *factors), ("cdot",) * len(factors)))
        case t.Group(body):
            return t.Group(changed(body))
        case t.Boxed(body):
            return t.Boxed(changed(body))
        case t.Negative(body):
            return t.Negative(changed(body))
        case t.Sum(terms, operators):
            return t.Sum(tuple(map(changed, terms)), operators)
        case t.Product(factors, operators):
            return t.Product(tuple(map(changed, factors)), operators)
        case t.Power(base, exponent):
            return t.Power(changed(base), changed(exponent))
        case t.Root(body, degree):
            return t.Root(changed(body), degree)
        case t.Call(function, arguments):
            return t.Call(function, tuple(map(changed, arguments)))
        case t.Vector(items, brackets):
            return t.Vector(tuple(map(changed, items)), brackets)
        case t.Matrix(rows):
            return t.Matrix(tuple(tuple(map(changed, row)) for row in rows))
        case _:
            return node


def _inverted(node: t.Node, is_name: IsSymbol) -> list[t.Node] | None:
    """Return the factors of 1 over a denominator, None where it holds no inverse of a symbol."""
    match node:
        case t.Group(body):
            return _inverted(body, is_name)
        case t.Product(factors):
            found = [_inverted(part, is_name) for part in factors]
            if not any(found):
                return None
            pairs = zip(found, factors, strict=True)
            return [item for own, part in pairs for item in own or [t.Group(t.Division(t.Number("1"), part))]]
        case t.Power(base, exponent):
            inverse = _inverted(base, is_name)
            return None if inverse is None else [t.Power(item, exponent) for item in inverse]
        case _:
            name = _name(t.Division(t.Number("1"), node), is_name)
            return [t.Name(name)] if name else None


def _name(node: t.Node, is_name: IsSymbol) -> str:
    """Return the name of a root or an inverse of a symbol, empty where it is something else."""
    match node:
        case t.Root(t.Name() | t.Subscript() as symbol, None):
            name = power_name(symbol_key(symbol), HALF)
        case t.Division(t.Number("1"), t.Root(t.Name() | t.Subscript() as symbol, None)):
            name = power_name(symbol_key(symbol), -HALF)
        case t.Division(t.Number("1"), t.Name() | t.Subscript() as symbol):
            name = power_name(symbol_key(symbol), -2 * HALF)
        case _:
            return ""
    return name if is_name(name) else ""
