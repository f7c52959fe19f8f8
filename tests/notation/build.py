"""Short names for building expected trees."""

from __future__ import annotations

from symattn.notation.tree import nodes as t


def n(text: str | int) -> t.Number:
    return t.Number(str(text))


def v(text: str) -> t.Name:
    return t.Name(text)


def sub(base: str | t.Node, *indices: t.Node | str | int) -> t.Subscript:
    return t.Subscript(_node(base), tuple(map(_node, indices)))


def neg(body: t.Node | str | int) -> t.Negative:
    return t.Negative(_node(body))


def group(body: t.Node | str | int, brackets: str = "(") -> t.Group:
    return t.Group(_node(body), brackets)


def over(numerator: t.Node | str | int, denominator: t.Node | str | int) -> t.Division:
    return t.Division(_node(numerator), _node(denominator))


def top(base: t.Node | str) -> t.Transpose:
    return t.Transpose(_node(base))


def power(base: t.Node | str | int, exponent: t.Node | str | int) -> t.Power:
    return t.Power(_node(base), _node(exponent))


def beside(*factors: t.Node | str | int) -> t.Product:
    return t.Product(tuple(map(_node, factors)), ("",) * (len(factors) - 1))


def dot(*factors: t.Node | str | int) -> t.Product:
    return t.Product(tuple(map(_node, factors)), ("cdot",) * (len(factors) - 1))


def plus(*terms: t.Node | str | int) -> t.Sum:
    return t.Sum(tuple(map(_node, terms)), ("+",) * (len(terms) - 1))


def minus(*terms: t.Node | str | int) -> t.Sum:
    return t.Sum(tuple(map(_node, terms)), ("-",) * (len(terms) - 1))


def equal(*sides: t.Node | str | int | None) -> t.Relation:
    nodes = tuple(None if side is None else _node(side) for side in sides)
    return t.Relation(nodes, ("=",) * (len(sides) - 1))


def row(*items: t.Node | str | int) -> t.Vector:
    return t.Vector(tuple(map(_node, items)), "[")


def tuple_of(*items: t.Node | str | int) -> t.Vector:
    return t.Vector(tuple(map(_node, items)), "(")


def matrix(*rows: tuple[t.Node | str | int, ...]) -> t.Matrix:
    return t.Matrix(tuple(tuple(map(_node, entries)) for entries in rows))


def call(function: str, *arguments: t.Node | str | int) -> t.Call:
    return t.Call(v(function), tuple(map(_node, arguments)))


def _node(item: t.Node | str | int) -> t.Node:
    """Integers and numerals stand for numbers, other strings for names."""
    if isinstance(item, int):
        return n(item)
    if isinstance(item, str):
        return n(item) if item[0] in "0123456789." else v(item)
    return item
