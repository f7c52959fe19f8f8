"""TRUSTED. One over an expression: what all terms share is inverted apart, the rest has a first coefficient of 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed.atoms import INVERSE, Atom, Term
from symattn.exact.indexed.draft import Draft
from symattn.exact.indexed.indices import Index

if TYPE_CHECKING:
    from symattn.exact.indexed.expression import Expr

_ONE = Polynomial(1)


def inverse_of(value: Expr) -> Expr:
    """Return one over an expression.

    Raises:
        InputError: it is shown to be zero, or a coefficient has no inverse that can be written out.
    """
    if not value.terms or (_has_inverses(value) and value.is_zero()):
        raise InputError("A division by zero has no value.")
    outside = _one_over(_common_part(value), value)
    inside = value * outside
    first = _ONE.divide(inside.terms[0][1])
    if first is None:
        raise InputError("A coefficient has too many square roots to be inverted.")
    inside = inside * first
    outside = outside * first
    if inside.rational() == 1:
        return outside
    return outside * value.atom(Atom(INVERSE, (), (inside,)))


def _has_inverses(value: Expr) -> bool:
    """Return whether it may be zero although it has terms."""
    return any(atom.arguments for atom in value.atoms())


def _one_over(common: Term, value: Expr) -> Expr:
    factors = {atom: -power for atom, power in common.factors}
    exponent = value.of_terms(()) if common.exponent is None else -common.exponent
    return value.of_draft(Draft([], factors, exponent, _ONE))


def _common_part(value: Expr) -> Term:
    """Return the atoms and the part of the exponent that every term has, free of bound indices."""
    shared: dict[Atom, int] | None = None
    exponents: dict[Term, Polynomial] = {}
    for term, _ in value.terms:
        own = set(term.bounds())
        factors = {atom: power for atom, power in term.factors if not own & atom.roots}
        inner = {} if term.exponent is None else _without(term.exponent, own)
        if shared is None:
            shared, exponents = factors, inner
            continue
        shared = {atom: min(power, factors[atom]) for atom, power in shared.items() if atom in factors}
        exponents = {part: c for part, c in exponents.items() if inner.get(part) == c}
    exponent = value.of_terms(exponents.items())
    return Term((), tuple((shared or {}).items()), exponent if exponent.terms else None)


def _without(exponent: Expr, bounds: set[Index]) -> dict[Term, Polynomial]:
    return {term: c for term, c in exponent.terms if not bounds & term.free}
