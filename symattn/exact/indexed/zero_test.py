"""TRUSTED. Zero test of expressions: inverses are multiplied out, and no terms are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed.atoms import INVERSE, Atom, Term
from symattn.exact.indexed.draft import Draft
from symattn.exact.indexed.normal_form import settled

if TYPE_CHECKING:
    from symattn.exact.indexed.expression import Expr

_MAX_ROUNDS = 64


def is_zero(value: Expr) -> bool:
    """Return whether an expression is shown to be zero wherever it is defined; False says nothing.

    What stands under a bar is not zero where the expression is defined, so that multiplying by it keeps
    whether the expression is zero.
    """
    if not value.terms:
        return True
    value = _alike(value)
    for _ in range(_MAX_ROUNDS):
        base, power = _outer_inverse(value)
        if base is None:
            return not value.terms
        value = _alike(_cleared(value, base, power))
    return False


def _outer_inverse(value: Expr) -> tuple[Expr | None, int]:
    """Return the argument of an inverse without bound indices, with its highest power."""
    for term, _ in value.terms:
        own = set(term.bounds())
        for atom, _ in term.factors:
            if atom.name == INVERSE and not own & atom.roots:
                return atom.arguments[0], max(dict(other.factors).get(atom, 0) for other, _ in value.terms)
    return None, 0


def _cleared(value: Expr, base: Expr, power: int) -> Expr:
    """Return the expression times a power of what one of its inverses inverts."""
    atom = Atom(INVERSE, (), (base,))
    nothing = value.of_terms(())
    powers: dict[int, Expr] = {}
    found: list[tuple[Term, Polynomial]] = []
    for term, c in value.terms:
        factors = dict(term.factors)
        left = power - factors.pop(atom, 0)
        # The bound indices keep the names that they have in the whole term, which is higher than what is left.
        exponent = nothing if term.exponent is None else term.exponent
        draft = Draft(list(zip(term.bounds(), term.sizes, strict=True)), factors, exponent, c)
        if left not in powers:
            powers[left] = base.power(left)
        draft = draft.opened()
        for other in powers[left].apart_from(draft.free):
            found.extend(settled(draft.times(other)))
    return value.of_terms(found)


def _alike(value: Expr) -> Expr:
    """Unify functions whose arguments are shown to be equal."""
    if not any(_is_function(atom) for atom in value.atoms()):
        return value
    known: list[Atom] = []

    def one_form(atom: Atom) -> Expr | None:
        if not _is_function(atom) or atom in known:
            return None
        for other in known:
            # An index of a sum that another atom stands in means nothing here.
            if other.roots <= atom.roots and _are_alike(other, atom):
                return value.atom(other)
        known.append(atom)
        return None

    return value.mapped(one_form)


def _is_function(atom: Atom) -> bool:
    return bool(atom.arguments) and atom.name != INVERSE


def _are_alike(first: Atom, second: Atom) -> bool:
    if (first.name, first.indices, len(first.arguments)) != (second.name, second.indices, len(second.arguments)):
        return False
    return all(one.equals(other) for one, other in zip(first.arguments, second.arguments, strict=True))
