"""TRUSTED. Operations on whole expressions: inverse, substitution of atoms, sums, and the zero test.

* One over an expression: the factors that all terms share are inverted apart, and the rest has a first coefficient
  of 1.
* Atoms are replaced from the inside out, and sums put back around terms that were taken apart.
* An expression is zero when inverses are multiplied out and no terms are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.normal_form import settled
from symattn.exact.indexed.terms import INVERSE, LOG, ROOT, Atom, Draft, E, Term

_ONE = Polynomial(1)


def inverse_of(value: E) -> E:
    """Return one over an expression.

    Raises:
        InputError: it is shown to be zero, or the inverse of a coefficient cannot be written out.
    """
    if not value.terms or (_has_inverses(value) and value.is_zero()):
        raise InputError("A division by zero has no value.")
    common = _common_part(value)
    factors = {atom: -power for atom, power in common.factors}
    exponent = value.of_terms(()) if common.exponent is None else -common.exponent
    outside = value.of_draft(Draft([], factors, exponent, _ONE))
    inside = value * outside
    first = _ONE.divide(inside.terms[0][1])
    if first is None:
        raise InputError("A coefficient has too many square roots to be inverted.")
    inside = inside * first
    outside = outside * first
    if inside.rational() == 1:
        return outside
    return outside * value.atom(Atom(INVERSE, (), (inside,)))


def _has_inverses(value: E) -> bool:
    """Return whether it may be zero although it has terms."""
    return any(atom.arguments for atom in value.atoms())


def _common_part(value: E) -> Term[E]:
    """Return the atoms and the part of the exponent that every term has, free of bound indices."""
    shared: dict[Atom[E], int] | None = None
    exponents: dict[Term[E], Polynomial] = {}
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


def _without(exponent: E, bounds: set[Index]) -> dict[Term[E], Polynomial]:
    return {term: c for term, c in exponent.terms if not bounds & term.free}


def mapped(value: E, change: Callable[[Atom[E]], E | None]) -> E:
    """Replace every atom by what `change` gives, from the inside out; None leaves it."""
    found: list[tuple[Term[E], Polynomial]] = []
    is_changed = False
    for item, draft in zip(value.terms, value.opened(), strict=True):
        other = _draft_mapped(draft, value, change)
        is_changed = is_changed or other is not None
        found.extend([item] if other is None else other.terms)
    return value.of_terms(found) if is_changed else value


def _draft_mapped(draft: Draft[E], like: E, change: Callable[[Atom[E]], E | None]) -> E | None:
    """Map a draft; None where nothing changes, so that the term stays normalised."""
    exponent = mapped(draft.exponent, change)
    kept: dict[Atom[E], int] = {}
    changed: list[E] = []
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


def mapped_arguments(value: E, values: Mapping[E, E]) -> E:
    """Replace the arguments of the outermost functions and inverses."""
    total = value.of_terms(())
    for draft in value.opened():
        part = value.exp(draft.exponent) * draft.coefficient
        for atom, power in draft.factors.items():
            changed = Atom(atom.name, atom.indices, tuple(values.get(x, x) for x in atom.arguments))
            part = part * _rebuilt(changed, value).power(power)
        total = total + summed(part, draft.bounds)
    return total


def _rebuilt(atom: Atom[E], like: E) -> E:
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


def summed(value: E, bounds: list[tuple[Index, E]]) -> E:
    """Return the sum over indices that `Expr.opened` named."""
    if not bounds:
        return value
    found: list[tuple[Term[E], Polynomial]] = []
    for draft in value.apart_from({index for index, _ in bounds}.union(*(size.indices for _, size in bounds))):
        found.extend(settled(Draft([*draft.bounds, *bounds], *draft[1:])))
    return value.of_terms(found)


_MAX_ROUNDS = 64


def is_zero(value: E) -> bool:
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


def _outer_inverse(value: E) -> tuple[E | None, int]:
    """Return the argument of an inverse without bound indices, with its highest power."""
    for term, _ in value.terms:
        own = set(term.bounds())
        for atom, _ in term.factors:
            if atom.name == INVERSE and not own & atom.roots:
                return atom.arguments[0], max(dict(other.factors).get(atom, 0) for other, _ in value.terms)
    return None, 0


def _cleared(value: E, base: E, power: int) -> E:
    """Return the expression times a power of what one of its inverses inverts."""
    atom = Atom(INVERSE, (), (base,))
    nothing = value.of_terms(())
    powers: dict[int, E] = {}
    found: list[tuple[Term[E], Polynomial]] = []
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


def _alike(value: E) -> E:
    """Unify functions whose arguments are shown to be equal."""
    if not any(_is_function(atom) for atom in value.atoms()):
        return value
    known: list[Atom[E]] = []

    def one_form(atom: Atom[E]) -> E | None:
        if not _is_function(atom) or atom in known:
            return None
        for other in known:
            # An index of a sum that another atom stands in means nothing here.
            if other.roots <= atom.roots and _are_alike(other, atom):
                return value.atom(other)
        known.append(atom)
        return None

    return value.mapped(one_form)


def _is_function(atom: Atom[E]) -> bool:
    return bool(atom.arguments) and atom.name != INVERSE


def _are_alike(first: Atom[E], second: Atom[E]) -> bool:
    if (first.name, first.indices, len(first.arguments)) != (second.name, second.indices, len(second.arguments)):
        return False
    return all(one.equals(other) for one, other in zip(first.arguments, second.arguments, strict=True))
