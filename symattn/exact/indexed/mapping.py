"""TRUSTED. Expressions with other atoms in them, and sums put back around what was taken apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from symattn.exact.indexed.atoms import INVERSE, LOG, ROOT, Atom, Term
from symattn.exact.indexed.index import Index
from symattn.exact.indexed.settle import settled
from symattn.exact.polynomial import Polynomial

if TYPE_CHECKING:
    from symattn.exact.indexed.expr import Expr


def mapped(value: Expr, change: Callable[[Atom], Expr | None]) -> Expr:
    """With every atom as `change` gives it, from the inside out; None leaves it as it is."""
    total = value - value
    for draft in value.opened():
        part = value.exp(mapped(draft.exponent, change)) * draft.coefficient
        for atom, power in draft.factors.items():
            inner = Atom(atom.name, atom.indices, tuple(mapped(x, change) for x in atom.arguments))
            new = change(inner)
            part = part * (_rebuilt(inner, value) if new is None else new).power(power)
        total = total + summed(part, [(bound, mapped(size, change)) for bound, size in draft.bounds])
    return total


def mapped_arguments(value: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """With other arguments of the outermost functions and inverses."""
    total = value - value
    for draft in value.opened():
        part = value.exp(draft.exponent) * draft.coefficient
        for atom, power in draft.factors.items():
            changed = Atom(atom.name, atom.indices, tuple(values.get(x, x) for x in atom.arguments))
            part = part * _rebuilt(changed, value).power(power)
        total = total + summed(part, draft.bounds)
    return total


def _rebuilt(atom: Atom, like: Expr) -> Expr:
    """The atom as an expression again, its arguments having changed."""
    match atom:
        case Atom(name, (), (argument,)) if name == INVERSE:
            return argument.inverse()
        case Atom(name, (), (argument,)) if name == LOG:
            return like.log(argument)
        case Atom(name, (), (argument,)) if name == ROOT:
            return like.sqrt(argument)
        case _:
            return like.atom(atom)


def summed(value: Expr, bounds: list[tuple[Index, Expr]]) -> Expr:
    """The sum over indices that `Expr.opened` named."""
    if not bounds:
        return value
    found: list[tuple[Term, Polynomial]] = []
    for draft in value.opened():
        draft.bounds.extend(bounds)
        found.extend(settled(draft))
    return value.of_terms(found)
