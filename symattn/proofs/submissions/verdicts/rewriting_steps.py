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


def _argument(name: str, node: t.Node) -> t.Node | None:
    """Return the argument of a function of one; None for any other tree."""
    match node:
        case t.Call(t.Name(text), (inner,)) if text == name:
            return inner
    return None


# Over sums and products ----------------------------------------------------------------------------


def _over_sum(inner: t.Node | None, change: Callable[[t.Node], t.Node], sign: str = "") -> t.Node | None:
    """Return a sum with each of its terms changed, all joined by one sign where that is given."""
    match inner:
        case t.SumOver(index, lower, upper, body):
            return t.SumOver(index, lower, upper, change(body))
        case t.Sum(terms, operators):
            signs = (sign,) * len(operators) if sign else operators
            return t.Group(t.Sum(tuple(map(change, terms)), signs))
    return None


def _over_product(inner: t.Node | None, change: Callable[[t.Node], t.Node]) -> t.Node | None:
    match inner:
        case t.Product(factors, operators):
            return t.Product(tuple(map(change, factors)), operators)
    return None


def sum_split(name: str, node: t.Node, sign: str = "") -> t.Node | None:
    """Write ``E[a + b]`` as ``E[a] + E[b]``, and ``Var(a - b)`` as ``Var(a) + Var(b)`` with the sign of a plus."""
    return _over_sum(_argument(name, node), partial(call, name), sign)


def product_split(name: str, node: t.Node) -> t.Node | None:
    """Write ``E[a b]`` as ``E[a] E[b]``."""
    return _over_product(_argument(name, node), partial(call, name))


def without_cross_terms(node: t.Node) -> t.Node | None:
    """Write ``(a + b)^2`` as ``a^2 + b^2``."""
    match node:
        case t.Power(t.Group(inner), t.Number("2")):
            return _over_sum(inner, lambda term: t.Power(t.Group(term), _TWO))
    return None


def softmax_split(node: t.Node) -> t.Node | None:
    """Write ``softmax(a + b)`` as ``softmax(a) + softmax(b)``, and ``softmax(c a)`` as ``c softmax(a)``."""
    match inner := _argument("softmax", node):
        case t.Product((first, second), operators):
            return t.Product((first, call("softmax", second)), operators)
        case t.Sum():
            return _over_sum(inner, partial(call, "softmax"))
    return None


def _squares_apart(node: t.Node) -> t.Node | None:
    """Write ``E[(a b)^2]`` as ``E[a^2] E[b^2]``, and ``E[a^2 b^2]`` as well."""
    match _argument("E", node):
        case t.Power(t.Group(t.Product() as inner), t.Number("2")):
            return _over_product(inner, lambda factor: call("E", square(factor)))
    return product_split("E", node)


def mean_of_power(least: int, node: t.Node) -> t.Node | None:
    """Write ``E[a^4]`` as ``E[a^2]^2`` and ``E[a^3]`` as ``E[a] E[a^2]``, in products too, from an exponent on."""
    inner = _argument("E", node)
    factors = inner.factors if isinstance(inner, t.Product) else () if inner is None else (inner,)
    found = [part for factor in factors for part in _halves(factor, least)]
    if len(found) == len(factors):
        return None
    return t.Product(tuple(call("E", factor) for factor in found), ("cdot",) * (len(found) - 1))


def _halves(node: t.Node, least: int) -> tuple[t.Node, ...]:
    """Split a power into two factors, as alike as they can be."""
    match node:
        case t.Power(base, t.Number(text)) if text.isdecimal() and int(text) >= least:
            half = int(text) // 2
            return tuple(
                base if exponent == 1 else t.Power(base, t.Number(str(exponent)))
                for exponent in (half, int(text) - half)
            )
    return (node,)


# Factors and moments -------------------------------------------------------------------------------


def factor_out(name: str, node: t.Node, change: Callable[[t.Node], t.Node] = lambda factor: factor) -> t.Node | None:
    """Write ``E[c a]`` as ``c E[a]`` and ``E[a/c]`` as ``E[a]/c``; the factor may be changed, to its square."""
    match _argument(name, node):
        case t.Division(above, below):
            return t.Division(call(name, above), change(below))
        case t.Product(factors, operators):
            for place, factor in enumerate(factors):
                if isinstance(factor, t.Division):
                    rest = t.Product((*factors[:place], factor.numerator, *factors[place + 1 :]), operators)
                    return t.Division(call(name, rest), change(factor.denominator))
            inner = factors[1] if len(factors) == 2 else t.Product(factors[1:], operators[1:])
            return t.Product((change(factors[0]), call(name, inner)), ("",))
    return None


def second_moment(node: t.Node) -> t.Node | None:
    """Write ``Var(a)`` as ``E[a^2]``."""
    inner = _argument("Var", node)
    return None if inner is None else call("E", t.Power(t.Group(inner), _TWO))


def _by_moments(node: t.Node) -> t.Node | None:
    """Write ``Var(a)`` as ``E[a^2] - E[a]^2``."""
    inner = _argument("Var", node)
    return None if inner is None else t.Group(t.Sum((call("E", square(inner)), square(call("E", inner))), ("-",)))


def _variance_of_two(node: t.Node) -> t.Node | None:
    """Write ``Var(a - b)`` as ``Var(a) + Var(b) - 2 Cov(a, b)``."""
    match _argument("Var", node):
        case t.Sum((first, second), (operator,)):
            twice = t.Product((_TWO, call("Cov", first, second)), ("",))
            return t.Group(t.Sum((call("Var", first), call("Var", second), twice), ("+", operator)))
    return None


_CHANGES: tuple[Change, ...] = (
    partial(sum_split, "Var", sign="+"),
    _variance_of_two,
    partial(factor_out, "Var", change=square),
    partial(factor_out, "E"),
    partial(sum_split, "E"),
    _squares_apart,
    partial(product_split, "Var"),
    second_moment,
    _by_moments,
)

STEPS: tuple[Callable[[t.Node], t.Node], ...] = tuple(partial(everywhere, change=change) for change in _CHANGES)
"""Rewritings of a whole side; each is a valid step only where it is shown to be one."""
