"""TRUSTED. Expressions with other atoms in them, and sums put back around what was taken apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed.atoms import INVERSE, LOG, ROOT, Atom, Term
from symattn.exact.indexed.draft import Draft
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.normal_form import settled

if TYPE_CHECKING:
    from symattn.exact.indexed.expression import Expr


def mapped(value: Expr, change: Callable[[Atom], Expr | None]) -> Expr:
    """Replace every atom by what `change` gives, from the inside out; None leaves it."""
    found: list[tuple[Term, Polynomial]] = []
    is_changed = False
    for item, draft in zip(value.terms, value.opened(), strict=True):
        other = _draft_mapped(draft, value, change)
        is_changed = is_changed or other is not None
        found.extend([item] if other is None else other.terms)
    return value.of_terms(found) if is_changed else value


def _draft_mapped(draft: Draft, like: Expr, change: Callable[[Atom], Expr | None]) -> Expr | None:
    """Map a draft; None where nothing changes, so that the term stays normalised."""
    exponent = mapped(draft.exponent, change)
    kept: dict[Atom, int] = {}
    changed: list[Expr] = []
    for atom, power in draft.factors.items():
        arguments = tuple(mapped(x, change) for x in atom.arguments)
        is_same = all(one is other for one, other in zip(atom.arguments, arguments, strict=True))
        inner = atom if is_same else Atom(atom.name, atom.indices, arguments)
        new = change(inner)
        if new is None and is_same:
            kept[atom] = power
        else:
            changed.append((_rebuilt(inner, like) if new is None else new).power(power))
    bounds = [(bound, mapped(size, change)) for bound, size in draft.bounds]
    has_sizes = all(one is other for (_, one), (_, other) in zip(draft.bounds, bounds, strict=True))
    if has_sizes and not changed and exponent is draft.exponent:
        return None
    part = like.of_draft(Draft([], kept, exponent, draft.coefficient))
    for factor in changed:
        part = part * factor
    return summed(part, bounds)


def mapped_arguments(value: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """Replace the arguments of the outermost functions and inverses."""
    total = value.of_terms(())
    for draft in value.opened():
        part = value.exp(draft.exponent) * draft.coefficient
        for atom, power in draft.factors.items():
            changed = Atom(atom.name, atom.indices, tuple(values.get(x, x) for x in atom.arguments))
            part = part * _rebuilt(changed, value).power(power)
        total = total + summed(part, draft.bounds)
    return total


def _rebuilt(atom: Atom, like: Expr) -> Expr:
    """Return the atom as an expression again, its arguments having changed."""
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
    """Return the sum over indices that `Expr.opened` named."""
    if not bounds:
        return value
    found: list[tuple[Term, Polynomial]] = []
    for draft in value.apart_from({index for index, _ in bounds}.union(*(size.indices for _, size in bounds))):
        found.extend(settled(Draft([*draft.bounds, *bounds], *draft[1:])))
    return value.of_terms(found)
