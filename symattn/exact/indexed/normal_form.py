"""TRUSTED. The steps that bring a term to its form. Each holds for all values for which the term is defined.

Indices that meet in a Kronecker delta range over one set: ``sum_i delta[i, k] z[i]`` is ``z[k]`` only where k
is one of the values of i. Two sums of different lengths under one delta are refused; for indices that are not
bound yet, whoever reads the expression holds their ranges together.

The names of bound indices are those for which the text of a term is least.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import factorial, prod
from typing import Protocol

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.effort import spend
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.terms import DELTA, INVERSE, LOG, ROOT, SPECIAL, Atom, Draft, E, Term, height_of

_MAX_ORDERS = 720
_ONE = Polynomial(1)


def ordered(draft: Draft[E]) -> tuple[Term[E], Polynomial]:
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


def _named(draft: Draft[E], order: list[Index], names: list[Index]) -> tuple[Term[E], Polynomial]:
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


def _scaled(atom: Atom[E]) -> tuple[Atom[E], Polynomial]:
    """Return an inverse whose first coefficient is 1 again: other names may have put another term first."""
    if atom.arguments[0].terms[0][1] == _ONE:
        return atom, _ONE
    factor = _ONE.divide(atom.arguments[0].terms[0][1])
    if factor is None:
        return atom, _ONE
    return Atom(INVERSE, (), (atom.arguments[0] * factor,)), factor


def _reopened(term: Term[E], coefficient: Polynomial, like: Draft[E], names: list[Index]) -> Draft[E]:
    """Reopen a term that became simpler under its new names, so that its height is computed anew."""
    exponent = like.exponent.of_terms(()) if term.exponent is None else term.exponent
    draft = Draft(list(zip(names, term.sizes, strict=True)), dict(term.factors), exponent, coefficient)
    return draft.opened()


def _orders(draft: Draft[E]) -> Iterator[list[Index]]:
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


def _signature(draft: Draft[E], index: Index) -> str:
    """Return a signature of an index in a term that is independent of the names of the others."""
    mark, rest = ix.bound("!", 0), ix.bound("?", 0)
    names = {other: mark if other == index else rest for other, _ in draft.bounds}
    size = dict(draft.bounds)[index].renamed(names)
    # Two factors may become one under these names: their powers are kept apart, whatever the order.
    factors = sorted(f"{atom.renamed(names).key}^{n}" for atom, n in draft.factors.items() if index in atom.roots)
    return f"{size.key}|{'*'.join(factors)}|{draft.exponent.renamed(names).key}"


def _have_links(draft: Draft[E], ties: list[list[Index]]) -> bool:
    """Return whether something holds two indices, one of them of a group of several: the order then matters."""
    if all(len(tie) == 1 for tie in ties):
        return False
    mine = {index for tie in ties for index in tie}
    parts = [atom.roots for atom in draft.factors]
    parts += [term.free for term, _ in draft.exponent.terms]
    return any(len(part & mine) > 1 for part in parts) or any(draft.sizes_use(index) for index in mine)


def settled(draft: Draft[E]) -> Iterator[tuple[Term[E], Polynomial]]:
    """Iterate over the normalised terms whose sum a draft is."""
    if not draft.coefficient:
        return
    spend()
    has_special = any(not power or atom.name in SPECIAL for atom, power in draft.factors.items())
    for step in _STEPS[has_special, bool(draft.exponent.terms), bool(draft.bounds)]:
        found = step(draft)
        if found is not None:
            for smaller in found:
                yield from settled(smaller)
            return
    yield ordered(draft)


def _tidy_powers(draft: Draft[E]) -> list[Draft[E]] | None:
    """Remove powers 0, powers of a delta, higher powers of a root and negative powers of an inverse."""
    for atom, power in draft.factors.items():
        if atom.name == DELTA and power < 0:
            raise InputError("A Kronecker delta has no inverse.")
        if power == 0:
            return [draft.with_factors(_others(draft, atom))]
        if atom.name == DELTA and power != 1:
            return [draft.with_factors({**_others(draft, atom), atom: 1})]
        if atom.name == INVERSE and power < 0:
            return _spread(draft.with_factors(_others(draft, atom)), atom.arguments[0].power(-power))
        if atom.name == ROOT and not 0 <= power <= 1:
            left = {atom: power % 2} if power % 2 else {}
            return _spread(draft.with_factors({**_others(draft, atom), **left}), atom.arguments[0].power(power // 2))
    return None


def _others(draft: Draft[E], atom: Atom[E]) -> dict[Atom[E], int]:
    return {other: power for other, power in draft.factors.items() if other != atom}


def _spread(draft: Draft[E], value: E) -> list[Draft[E]]:
    return [draft.times(other) for other in value.opened()]


def _renew_functions(draft: Draft[E]) -> list[Draft[E]] | None:
    """Evaluate a root, a logarithm or an inverse whose argument has become a number or a single product.

    Raises:
        InputError: it is the inverse of zero.
    """
    for atom, power in draft.factors.items():
        if atom.name not in {INVERSE, ROOT, LOG}:
            continue
        (inner,) = atom.arguments
        rest = draft.with_factors(_others(draft, atom))
        if atom.name == INVERSE and (not inner.terms or inner.is_single or inner.terms[0][1] != _ONE):
            return _spread(rest, inner.inverse().power(power))
        if atom.name == ROOT and inner.rational() is not None:
            return _spread(rest, inner.sqrt(inner).power(power))
        if atom.name == LOG and (inner.logarithm is not None or (inner.rational() or 1) < 0 or not inner.terms):
            return _spread(rest, inner.log(inner).power(power))
    return None


def _expand_deltas_above(draft: Draft[E]) -> list[Draft[E]] | None:
    """Expand by ``exp(c delta + r) = exp(r) + (exp(c + r) - exp(r)) delta``."""
    for term, c in draft.exponent.terms:
        deltas = [atom for atom, _ in term.factors if atom.name == DELTA]
        if not deltas or term.sizes:
            continue
        rest = draft.exponent - draft.exponent.of_terms([(term, c)])
        others = tuple(item for item in term.factors if item[0] != deltas[0])
        part = draft.exponent.of_terms([(Term((), others, term.exponent), c)])
        factors = {**draft.factors, deltas[0]: 1}
        return [
            Draft(list(draft.bounds), dict(draft.factors), rest, draft.coefficient),
            Draft(list(draft.bounds), factors, rest + part, draft.coefficient),
            Draft(list(draft.bounds), dict(factors), rest, -draft.coefficient),
        ]
    return None


def _take_out_logarithms(draft: Draft[E]) -> list[Draft[E]] | None:
    """Rewrite by ``exp(n log x + r) = x^n exp(r)``."""
    for term, c in draft.exponent.terms:
        if term.sizes or term.exponent is not None or len(term.factors) != 1 or term.factors[0][0].name != LOG:
            continue
        number = c.rational()
        if number is None or number.denominator != 1:
            continue
        match term.factors:
            case ((Atom(name, (), (inner,)), 1),) if name == LOG:
                rest = draft.exponent - draft.exponent.of_terms([(term, c)])
                return _spread(draft.with_exponent(rest), inner.power(number.numerator))
            case _:
                continue
    return None


def _resolve_deltas(draft: Draft[E]) -> list[Draft[E]] | None:
    """Replace an index of a sum by the value that a delta gives it; of two free ones, one stands for both."""
    deltas = sorted((atom for atom in draft.factors if atom.name == DELTA), key=_plainness)
    for atom in deltas:
        first, second = atom.indices
        rest = draft.with_factors(_others(draft, atom))
        if first == second:
            return [rest]
        if ix.is_moved(first) and ix.is_moved(second) and first[0] == second[0]:
            inner: Atom[E] = Atom(DELTA, tuple(sorted((first[1:], second[1:]))))
            return [rest.with_factors({**rest.factors, inner: 1})]
        if ix.are_distinct(first, second):
            return []
        summed = _summed_away(rest, first, second)
        if summed is not None:
            return [summed]
        kept, other = _representative(first, second)
        if other is not None and (rest.uses(other) or rest.sizes_use(other)):
            changed = rest.replaced(other, kept)
            return [changed.with_factors({**changed.factors, atom: 1})]
    return None


def _plainness(delta: Atom[E]) -> tuple[int, tuple[Index, ...]]:
    """Return a sort key, deltas of plain indices first: the form does not depend on the order of the factors."""
    return sum(map(len, delta.indices)), delta.indices


def _summed_away(rest: Draft[E], first: Index, second: Index) -> Draft[E] | None:
    sizes = dict(rest.bounds)
    if first in sizes and ix.root(second) in sizes and sizes[first] != sizes[ix.root(second)]:
        raise InputError("A Kronecker delta joins indices of sums of different lengths.")
    for old, new in ((first, second), (second, first)):
        if old in sizes and ix.root(new) != old:
            if ix.root(new) in sizes and sizes[ix.root(new)] != sizes[old]:
                raise InputError("A Kronecker delta joins indices of sums of different lengths.")
            return rest.without_bound(old).replaced(old, new)
    return None


def _representative(first: Index, second: Index) -> tuple[Index, Index | None]:
    """Select the index that stands for both under a delta; fixed ones and images stay."""
    plain = [index for index in (second, first) if not ix.is_fixed(index) and not ix.is_moved(index)]
    if not plain:
        return first, None
    other = plain[0]
    kept = first if other == second else second
    return (first, None) if ix.root(kept) == other else (kept, other)


def _strip_permutations(draft: Draft[E]) -> list[Draft[E]] | None:
    """Remove a permutation of a summation index: the sum over its image is the sum."""
    for index, _ in draft.bounds:
        heads = _heads(draft, index)
        if len(heads) == 1 and None not in heads and not draft.sizes_use(index):
            (head,) = heads
            return [draft.replaced((head or "", *index), index)]
    return None


def _heads(draft: Draft[E], index: Index) -> set[str | None]:
    """Return the permutations that stand directly around an index; None for where there is none."""
    inner = [*draft.factors, *draft.exponent.atoms()]
    inner += [atom for factor in draft.factors for x in factor.arguments for atom in x.atoms()]
    found = [own for atom in inner for own in atom.indices if ix.root(own) == index]
    return {own[-len(index) - 1] if ix.is_moved(own) else None for own in found}


def _drop_unused(draft: Draft[E]) -> list[Draft[E]] | None:
    """Write a sum of terms independent of its index as a multiple."""
    for index, size in draft.bounds:
        if not draft.uses(index) and not draft.sizes_use(index):
            return _spread(draft.without_bound(index), size)
    return None


def _cancel_inverses(draft: Draft[E]) -> list[Draft[E]] | None:
    """Cancel a sum with its own inverse."""
    for atom, power in draft.factors.items():
        if atom.name != INVERSE or len(atom.arguments[0].terms) != 1:
            continue
        base = atom.arguments[0]
        if len(base.terms[0][0].sizes) != 1:
            continue
        for index, size in draft.bounds:
            if index in base.indices or draft.sizes_use(index):
                continue
            inside = {other: n for other, n in draft.factors.items() if other.uses(index)}
            above = draft.exponent.part_with(index)
            part = Draft([(index, size)], inside, above, _ONE)
            if draft.exponent.of_terms([ordered(part)]) == base:
                factors = {other: n for other, n in draft.factors.items() if other not in inside}
                smaller = draft.without_bound(index).with_factors({**factors, atom: power - 1})
                return [smaller.with_exponent(draft.exponent - above)]
    return None


class _Step(Protocol):
    """Step towards the canonical form; None where it has nothing to do."""

    def __call__(self, draft: Draft[E]) -> list[Draft[E]] | None: ...


_OF_FACTORS, _ABOVE, _OF_SUMS = range(3)
_ALL: tuple[tuple[int, _Step], ...] = (
    (_OF_FACTORS, _tidy_powers),
    (_OF_FACTORS, _renew_functions),
    (_ABOVE, _expand_deltas_above),
    (_ABOVE, _take_out_logarithms),
    (_OF_FACTORS, _resolve_deltas),
    (_OF_SUMS, _strip_permutations),
    (_OF_SUMS, _drop_unused),
    (_OF_SUMS, _cancel_inverses),
)
_STEPS = {
    present: tuple(step for kind, step in _ALL if present[kind])
    for present in itertools.product((False, True), repeat=3)
}
"""The steps in their order, for drafts with atoms that have a form, with an exponent, with sums or without: what a
draft has none of, no step has anything to do with."""
