"""Usual steps of proofs about moments: rewritings that hold where their hypotheses do, and are slips elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt

Change = Callable[[t.Node], t.Node | None]

_TWO = t.Number("2")


def everywhere(node: t.Node, change: Change) -> t.Node:
    """Return a tree with a change made wherever it can be, the outermost places first."""
    changed = change(node)
    if changed is not None:
        return changed
    return rebuilt(node, lambda child: everywhere(child, change))


def call(name: str, *arguments: t.Node) -> t.Node:
    """Return a function of arguments."""
    return t.Call(t.Name(name), arguments)


def square(node: t.Node) -> t.Node:
    """Return the square of an expression."""
    return t.Power(node if isinstance(node, t.Name | t.Subscript) else t.Group(node), _TWO)


# Rewritings of one place ---------------------------------------------------------------------------


def without_cross_terms(node: t.Node) -> t.Node | None:
    """Write ``(a + b)^2`` as ``a^2 + b^2``."""
    match node:
        case t.Power(t.Group(t.SumOver(index, lower, upper, body)), t.Number("2")):
            return t.SumOver(index, lower, upper, t.Power(t.Group(body), _TWO))
        case t.Power(t.Group(t.Sum(terms, operators)), t.Number("2")):
            return t.Group(t.Sum(tuple(t.Power(t.Group(term), _TWO) for term in terms), operators))
        case _:
            return None


def product_split(name: str, node: t.Node) -> t.Node | None:
    """Write ``E[a b]`` as ``E[a] E[b]``."""
    match node:
        case t.Call(t.Name(text), (t.Product(factors, operators),)) if text == name:
            return t.Product(tuple(call(name, factor) for factor in factors), operators)
        case _:
            return None


def mean_of_power(least: int, node: t.Node) -> t.Node | None:
    """Write ``E[a^4]`` as ``E[a^2]^2`` and ``E[a^3]`` as ``E[a] E[a^2]``, in products too, from an exponent on."""
    match node:
        case t.Call(t.Name("E"), (inner,)):
            factors = [part for factor in _factors(inner) for part in _halves(factor, least)]
            if len(factors) == len(_factors(inner)):
                return None
            return t.Product(tuple(call("E", factor) for factor in factors), ("cdot",) * (len(factors) - 1))
        case _:
            return None


def _factors(node: t.Node) -> tuple[t.Node, ...]:
    return node.factors if isinstance(node, t.Product) else (node,)


def _halves(node: t.Node, least: int) -> tuple[t.Node, ...]:
    """Split a power into two factors, as alike as they can be."""
    match node:
        case t.Power(base, t.Number(text)) if text.isdecimal() and int(text) >= least:
            half = int(text) // 2
            return tuple(
                base if exponent == 1 else t.Power(base, t.Number(str(exponent)))
                for exponent in (half, int(text) - half)
            )
        case _:
            return (node,)


def sum_of_variances(node: t.Node) -> t.Node | None:
    """Write ``Var(a + b)`` as ``Var(a) + Var(b)``."""
    match node:
        case t.Call(t.Name("Var"), (t.SumOver(index, lower, upper, body),)):
            return t.SumOver(index, lower, upper, call("Var", body))
        case t.Call(t.Name("Var"), (t.Sum(terms, _),)):
            return t.Group(t.Sum(tuple(call("Var", term) for term in terms), ("+",) * (len(terms) - 1)))
        case _:
            return None


def factor_once(node: t.Node) -> t.Node | None:
    """Write ``Var(c a)`` as ``c Var(a)``."""
    found = _factor_of("Var", node)
    return None if found is None else _scaled(*found)


def second_moment(node: t.Node) -> t.Node | None:
    """Write ``Var(a)`` as ``E[a^2]``."""
    match node:
        case t.Call(t.Name("Var"), (inner,)):
            return call("E", t.Power(t.Group(inner), _TWO))
        case _:
            return None


def softmax_split(node: t.Node) -> t.Node | None:
    """Write ``softmax(a + b)`` as ``softmax(a) + softmax(b)``."""
    match node:
        case t.Call(t.Name("softmax"), (t.Sum(terms, operators),)):
            return t.Group(t.Sum(tuple(call("softmax", term) for term in terms), operators))
        case t.Call(t.Name("softmax"), (t.Product((first, second), operators),)):
            return t.Product((first, call("softmax", second)), operators)
        case _:
            return None


def _factor_of(name: str, node: t.Node) -> tuple[t.Node, str, t.Node] | None:
    """Return the factor or divisor of a function's argument, and the function of the rest."""
    match node:
        case t.Call(t.Name(text), (t.Division(above, below),)) if text == name:
            return below, "/", call(name, above)
        case t.Call(t.Name(text), (t.Product(factors, operators),)) if text == name and _divided(factors):
            place, divided = _divided(factors)[0]
            above, below = divided.numerator, divided.denominator
            return below, "/", call(name, t.Product((*factors[:place], above, *factors[place + 1 :]), operators))
        case t.Call(t.Name(text), (t.Product((first, *rest), operators),)) if text == name and rest:
            inner = rest[0] if len(rest) == 1 else t.Product(tuple(rest), operators[1:])
            return first, "*", call(name, inner)
        case _:
            return None


def _divided(factors: tuple[t.Node, ...]) -> list[tuple[int, t.Division]]:
    """Return the factors that are quotients, with their places."""
    return [(place, factor) for place, factor in enumerate(factors) if isinstance(factor, t.Division)]


def _scaled(factor: t.Node, way: str, node: t.Node) -> t.Node:
    return t.Division(node, factor) if way == "/" else t.Product((factor, node), ("",))


def _factor_squared(node: t.Node) -> t.Node | None:
    """Write ``Var(c a)`` as ``c^2 Var(a)``."""
    found = _factor_of("Var", node)
    return None if found is None else _scaled(square(found[0]), *found[1:])


def _factor_of_mean(node: t.Node) -> t.Node | None:
    """Write ``E[c a]`` as ``c E[a]``."""
    found = _factor_of("E", node)
    return None if found is None else _scaled(*found)


def _variance_of_two(node: t.Node) -> t.Node | None:
    """Write ``Var(a - b)`` as ``Var(a) + Var(b) - 2 Cov(a, b)``."""
    match node:
        case t.Call(t.Name("Var"), (t.Sum((first, second), (operator,)),)):
            twice = t.Product((_TWO, call("Cov", first, second)), ("",))
            return t.Group(t.Sum((call("Var", first), call("Var", second), twice), ("+", operator)))
        case _:
            return None


def _sum_of_means(node: t.Node) -> t.Node | None:
    """Write ``E[a + b]`` as ``E[a] + E[b]``."""
    match node:
        case t.Call(t.Name("E"), (t.SumOver(index, lower, upper, body),)):
            return t.SumOver(index, lower, upper, call("E", body))
        case t.Call(t.Name("E"), (t.Sum(terms, operators),)):
            return t.Group(t.Sum(tuple(call("E", term) for term in terms), operators))
        case _:
            return None


def _by_moments(node: t.Node) -> t.Node | None:
    """Write ``Var(a)`` as ``E[a^2] - E[a]^2``."""
    match node:
        case t.Call(t.Name("Var"), (inner,)):
            means = (call("E", square(inner)), square(call("E", inner)))
            return t.Group(t.Sum(means, ("-",)))
        case _:
            return None


def _squares_apart(node: t.Node) -> t.Node | None:
    """Write ``E[(a b)^2]`` as ``E[a^2] E[b^2]``, and ``E[a^2 b^2]`` as well."""
    match node:
        case t.Call(t.Name("E"), (t.Power(t.Group(t.Product(factors, operators)), t.Number("2")),)):
            return t.Product(tuple(call("E", square(factor)) for factor in factors), operators)
        case _:
            return product_split("E", node)


_CHANGES: tuple[Change, ...] = (
    sum_of_variances,
    _variance_of_two,
    _factor_squared,
    _factor_of_mean,
    _sum_of_means,
    _squares_apart,
    partial(product_split, "Var"),
    second_moment,
    _by_moments,
)

STEPS: tuple[Callable[[t.Node], t.Node], ...] = tuple(partial(everywhere, change=change) for change in _CHANGES)
"""Rewritings of a whole side; each is a valid step only where it is shown to be one."""
