"""TRUSTED. The names of bound indices: those for which the text of a term is least."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import factorial, prod
from typing import TYPE_CHECKING, TypeAlias

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.atoms import INVERSE, Atom, Term, height_of
from symattn.exact.indexed.draft import Draft
from symattn.exact.indexed.effort import spend
from symattn.exact.indexed.indices import Index

if TYPE_CHECKING:
    from symattn.exact.indexed.expression import Expr

_MAX_ORDERS = 5_040
_ONE = Polynomial(1)

Bound: TypeAlias = "tuple[Index, Expr]"


def ordered(draft: Draft) -> tuple[Term, Polynomial]:
    """Return the term of a draft on which no other step has anything to do.

    Raises:
        InputError: too many orders are possible, or an index stands outside of the sum that binds it.
    """
    if not draft.bounds:
        return _named(draft, [], [])
    exponent = draft.exponent if draft.exponent.terms else None
    height = height_of((size for _, size in draft.bounds), draft.factors, exponent)
    names = [ix.bound(height, number) for number in range(len(draft.bounds))]
    if not draft.free.isdisjoint(names):
        raise InputError("An index stands outside of the sum that binds it: take terms apart with opened().")
    found = [_named(draft, order, names) for order in _orders(draft)]
    term, coefficient = found[0] if len(found) == 1 else min(found, key=lambda item: item[0].key)
    if term.height != height:
        return ordered(_reopened(term, coefficient, draft, names))
    return term, coefficient


def _named(draft: Draft, order: list[Index], names: list[Index]) -> tuple[Term, Polynomial]:
    spend()
    if names:
        draft = draft.renamed(dict(zip(order, names, strict=True)))
    lengths = dict(draft.bounds)
    coefficient, factors = draft.coefficient, list(draft.factors.items())
    for position, (atom, power) in enumerate(factors):
        if atom.name == INVERSE:
            scaled, factor = _scaled(atom)
            factors[position] = (scaled, power)
            coefficient = coefficient if factor == _ONE else coefficient * factor**power
    if len(factors) > 1:
        factors.sort(key=lambda item: item[0].key)
    exponent = draft.exponent if draft.exponent.terms else None
    return Term(tuple(lengths[name] for name in names), tuple(factors), exponent), coefficient


def _scaled(atom: Atom) -> tuple[Atom, Polynomial]:
    """Return an inverse whose first coefficient is 1 again: other names may have put another term first."""
    if atom.arguments[0].terms[0][1] == _ONE:
        return atom, _ONE
    factor = _ONE.divide(atom.arguments[0].terms[0][1])
    if factor is None:
        return atom, _ONE
    return Atom(INVERSE, (), (atom.arguments[0] * factor,)), factor


def _reopened(term: Term, coefficient: Polynomial, like: Draft, names: list[Index]) -> Draft:
    """Reopen a term that became simpler under its new names, so that its height is computed anew."""
    exponent = like.exponent.of_terms(()) if term.exponent is None else term.exponent
    draft = Draft(list(zip(names, term.sizes, strict=True)), dict(term.factors), exponent, coefficient)
    return draft.opened()


def _orders(draft: Draft) -> Iterator[list[Index]]:
    if len(draft.bounds) < 2:
        yield [index for index, _ in draft.bounds]
        return
    groups: dict[str, list[Index]] = {}
    for index, _ in draft.bounds:
        groups.setdefault(_signature(draft, index), []).append(index)
    ties = [groups[key] for key in sorted(groups)]
    if not _have_links(draft, ties):
        yield [index for tie in ties for index in tie]
        return
    if prod(factorial(len(tie)) for tie in ties) > _MAX_ORDERS:
        raise InputError("A term has too many sums of one kind: take a smaller case.")
    for choice in itertools.product(*(itertools.permutations(tie) for tie in ties)):
        yield [index for tie in choice for index in tie]


def _signature(draft: Draft, index: Index) -> str:
    """Return a signature of an index in a term that is independent of the names of the others."""
    mark, rest = ix.bound("!", 0), ix.bound("?", 0)
    names = {other: mark if other == index else rest for other, _ in draft.bounds}
    size = dict(draft.bounds)[index].renamed(names)
    # Two factors may become one under these names: their powers are kept apart, whatever the order.
    factors = sorted(f"{atom.renamed(names).key}^{n}" for atom, n in draft.factors.items() if index in atom.roots)
    return f"{size.key}|{'*'.join(factors)}|{draft.exponent.renamed(names).key}"


def _have_links(draft: Draft, ties: list[list[Index]]) -> bool:
    """Return whether something holds two indices, one of them of a group of several: the order then matters."""
    if all(len(tie) == 1 for tie in ties):
        return False
    mine = {index for tie in ties for index in tie}
    parts = [atom.roots for atom in draft.factors]
    parts += [term.free for term, _ in draft.exponent.terms]
    return any(len(part & mine) > 1 for part in parts) or any(draft.sizes_use(index) for index in mine)
