"""TRUSTED. Facts from hypotheses: moments for expectations, and equations that rewrite.

An equation rewrites every place that has its form: a scalar or an entry (``equal``), a dot product of two
families of vectors (``dot-products``), the total of a family of weights (``total``), a delta of indices that
differ (``distinct``). Rewriting stops when nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from symattn.errors import InputError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expectation import averaged
from symattn.exact.indexed.expression import DELTA, ONE, ZERO, Atom, Draft, Expr, product, summed
from symattn.exact.indexed.indices import Index
from symattn.proofs.language.values import fresh_index
from symattn.records import dataclass

_MAX_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Equation:
    """An atom with a name is an expression, in which `here` (of the expectations) stands for its indices."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class DotProducts:
    """``sum over c of first[i, c] second[j, c]``, in i = here(0) and j = here(1); a vector alone has no i or j."""

    first: str
    second: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Total:
    """``sum over the last index of name``, in the other indices."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Different:
    """Two indices that never have the same value."""

    first: Index
    second: Index


@dataclass(frozen=True, slots=True)
class Covariances:
    """``E[x_i y_j] = value + E[x_i] E[y_j]`` in i = here(0) and j = here(1), for all i and j.

    Attributes:
        first: the family of x.
        second: the family of y, perhaps the same.
        value: the covariance of the two entries.
        means: the means of an entry of each, in here(0) and here(1).
    """

    first: str
    second: str
    value: Expr
    means: tuple[Expr, Expr]


Rewrite = Equation | DotProducts | Total | Different | Covariances


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that a step may use."""

    moments: tuple[m.Fact, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()

    def are_independent(self, families: Iterable[str]) -> bool:
        """Return whether families are mutually independent, each as a whole."""
        wanted = set(families)
        if len(wanted) < 2:
            return True
        return any(isinstance(fact, m.Independent) and wanted <= set(fact.families) for fact in self.moments)

    def ties(self, name: str) -> bool:
        """Return whether an equation speaks of a name: as a variable of its own it is then not free."""
        for rewrite in self.rewrites:
            match rewrite:
                case Equation(own, value) | Total(own, value) if own == name or _mentions(value, name):
                    return True
                case DotProducts(one, other, value) | Covariances(one, other, value) if name in {
                    one,
                    other,
                } or _mentions(value, name):
                    return True
                case _:
                    continue
        return False

    def apply(self, expr: Expr) -> Expr:
        """Return an expression rewritten by the equations, until nothing changes."""
        if not self.rewrites:
            return expr
        for _ in range(_MAX_ROUNDS):
            changed = self._once(expr)
            if changed == expr:
                return expr
            expr = changed
        raise InputError(
            "The hypotheses rewrite each other without end: state them so that each leads to simpler terms."
        )

    def _once(self, expr: Expr) -> Expr:
        for rewrite in self.rewrites:
            match rewrite:
                case Equation():
                    expr = _substituted(expr, rewrite)
                case Different(first, second):
                    gone: Atom[Expr] = Atom(DELTA, tuple(sorted((first, second))))
                    expr = expr.mapped(vanishing(gone)) if DELTA in expr.names else expr
                case DotProducts() | Total():
                    expr = _contracted(expr, rewrite)
                case Covariances():
                    expr = expr.mapped(partial(_second_moment, rewrite=rewrite))
        return expr


def vanishing(gone: Atom[Expr]) -> Callable[[Atom[Expr]], Expr | None]:
    """Return a substitution of zero for one atom."""
    return lambda atom: ZERO if atom == gone else None


def _mentions(value: Expr, name: str) -> bool:
    return any(atom.name == name for atom in value.atoms())


def _second_moment(atom: Atom[Expr], rewrite: Covariances) -> Expr | None:
    """Return the value of a mean of a product of two entries of the families."""
    if averaged(atom.name) != {rewrite.first, rewrite.second} or len(atom.arguments[0].terms) != 1:
        return None
    term, coefficient = atom.arguments[0].terms[0]
    entries = [entry for entry, power in term.factors for _ in range(power)]
    if term.sizes or term.exponent is not None or coefficient.rational() != 1 or len(entries) != 2:
        return None
    if any(power < 0 or len(entry.indices) != 1 or entry.arguments for entry, power in term.factors):
        return None
    for one, other in (entries, entries[::-1]):
        if (one.name, other.name) == (rewrite.first, rewrite.second):
            value = rewrite.value + rewrite.means[0] * rewrite.means[1]
            return m.at_indices(value, (one.indices[0], other.indices[0]))
    return None


def _substituted(expr: Expr, equation: Equation) -> Expr:
    if equation.name not in expr.names:
        return expr

    def change(atom: Atom[Expr]) -> Expr | None:
        if atom.name != equation.name or atom.arguments:
            return None
        return m.at_indices(equation.value, atom.indices)

    return expr.mapped(change)


def _contracted(expr: Expr, rewrite: DotProducts | Total) -> Expr:
    """Replace every sum of the form, inside exponents and functions too."""
    names = {rewrite.first, rewrite.second} if isinstance(rewrite, DotProducts) else {rewrite.name}
    if not names <= expr.names:
        return expr
    match = _dot_product if isinstance(rewrite, DotProducts) else _total
    total = ZERO
    for draft in expr.opened():
        inner = _inside(draft, lambda part: _contracted(part, rewrite))
        total = total + _drafts_contracted(inner, rewrite, match)
    return total


def _inside(draft: Draft[Expr], change: Callable[[Expr], Expr]) -> Expr:
    def changed(atom: Atom[Expr], power: int) -> Expr:
        given = {argument: change(argument) for argument in atom.arguments}
        if all(old == new for old, new in given.items()):
            return Expr.atom(atom, power)
        return Expr.atom(atom).mapped_arguments(given).power(power)

    return summed(product(draft.with_exponent(change(draft.exponent)), changed), draft.bounds)


def _drafts_contracted(
    expr: Expr,
    rewrite: DotProducts | Total,
    match: Callable[[Mapping[Atom[Expr], int], Index, DotProducts | Total], Expr | None],
) -> Expr:
    total = ZERO
    for draft in expr.opened():
        for index, size in draft.bounds:
            if index in draft.exponent.indices or any(index in other.indices for _, other in draft.bounds):
                continue
            inside = {atom: n for atom, n in draft.factors.items() if index in atom.roots}
            found = match(inside, index, rewrite)
            if found is None:
                continue
            others = {atom: power for atom, power in draft.factors.items() if atom not in inside}
            value = found * product(draft.with_factors(others))
            total = total + summed(value, [b for b in draft.bounds if b != (index, size)])
            break
        else:
            total = total + summed(product(draft), draft.bounds)
    return total


def _dot_product(inside: Mapping[Atom[Expr], int], index: Index, rewrite: DotProducts | Total) -> Expr | None:
    if not isinstance(rewrite, DotProducts) or sum(inside.values()) != 2 or min(inside.values()) < 1:
        return None
    atoms = [atom for atom, power in inside.items() for _ in range(power)]
    for first, second in (atoms, atoms[::-1]):
        if (first.name, second.name) != (rewrite.first, rewrite.second) or first.arguments or second.arguments:
            continue
        if first.indices[-1] == second.indices[-1] == index and index not in (
            *first.indices[:-1],
            *second.indices[:-1],
        ):
            places = {m.here(0): first.indices[:-1], m.here(1): second.indices[:-1]}
            return _placed(rewrite.value, places)
    return None


def _placed(value: Expr, places: Mapping[Index, tuple[Index, ...]]) -> Expr:
    """Substitute all indices at once, so that none is put into another."""
    given = {place: indices[0] for place, indices in places.items() if indices}
    held = {place: fresh_index() for place in given}
    for place, index in held.items():
        value = value.replaced(place, index)
    for place, index in held.items():
        value = value.replaced(index, given[place])
    return value


def _total(inside: Mapping[Atom[Expr], int], index: Index, rewrite: DotProducts | Total) -> Expr | None:
    if not isinstance(rewrite, Total) or len(inside) != 1:
        return None
    ((atom, power),) = inside.items()
    if atom.name != rewrite.name or power != 1 or atom.arguments or atom.indices[-1] != index:
        return None
    if any(ix.root(other) == index for other in atom.indices[:-1]):
        return None
    return m.at_indices(rewrite.value, atom.indices[:-1]) if rewrite.value != ONE else ONE
