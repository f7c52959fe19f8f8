"""TRUSTED. Existence of expectations: enough moments, bounded factors, exponentials of normal entries.

A moment that a hypothesis states exists, and so do those of lower order. The mean of a product of dependent entries
exists where each has as many moments as the product has factors (Hoelder); of independent families each needs as
many as it has factors itself. What is not shown so is refused, never guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from symattn.exact.indexed import expectation as m
from symattn.exact.indexed.expectation import averaged, is_mean
from symattn.exact.indexed.expression import DELTA, INVERSE, ROOT, Atom, Expr, product
from symattn.exact.indexed.terms import Draft
from symattn.proofs.kernel.hypotheses import value_of
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.signs import Signs

Orders: TypeAlias = "Mapping[str, Fraction]"
"""How many factors of each random family stand in a product."""

_BOUNDED = frozenset({DELTA, "tanh", "sin", "cos", "erf", "Phi"})
_ALL = Fraction(10**6)
"""More moments than any formula asks for."""

_OF_BOUNDED_LAWS = frozenset({"rademacher", "bernoulli", "uniform"})
_MAX_SHARES = 6


class Existence:
    """Moments of random families, by the hypotheses.

    Args:
        scope: the names and hypotheses.
        facts: all that the hypotheses give.
        signs: what is known of signs.
    """

    def __init__(self, scope: Scope, facts: Facts, signs: Signs) -> None:
        self.random = frozenset(scope.random)
        self._facts = facts
        self._signs = signs
        self._moments: dict[str, Fraction] = {}
        self._normal: set[str] = set()
        self._bounded: set[str] = set()
        for fact in facts.moments:
            if m.is_about_random(fact, self.random):
                # What is known given something else that is random says nothing of moments over all.
                continue
            match fact:
                case m.Law(family, law):
                    self._know(family, _ALL)
                    (self._bounded if law in _OF_BOUNDED_LAWS else self._normal).add(family)
                case m.RawMoment(family, order):
                    self._know(family, Fraction(order))
                case m.Variance(family):
                    self._know(family, Fraction(2))
                case m.Mean(family):
                    self._know(family, Fraction(1))
                case _:
                    continue
        for item in scope.hypotheses:
            if item.kind not in {"normal-vector", "covariance"}:
                continue
            if any(_uses(value_of(text, scope), self.random) for text in item.values):
                continue
            if item.kind == "normal-vector":
                self._normal.update(item.about)
            for name in item.about:
                self._know(name, _ALL if item.kind == "normal-vector" else Fraction(2))

    def _know(self, family: str, order: Fraction) -> None:
        self._moments[family] = max(order, self._moments.get(family, Fraction(0)))

    def has_mean(self, expr: Expr, given: frozenset[str] = frozenset()) -> bool:
        """Tell whether the expectation of an expression exists; some families may be given, and are numbers then."""
        if given and not self._facts.are_independent({atom.name for atom in expr.atoms()} & self.random | given):
            given = frozenset()
        # Signs are evident in one of the two forms, perhaps.
        forms = (expr, self._facts.apply(expr))
        return any(all(self._is_integrable(draft, self.random - given) for draft in one.opened()) for one in forms)

    def _is_integrable(self, draft: Draft[Expr], random: frozenset[str]) -> bool:
        factors = {atom: power for atom, power in draft.factors.items() if _uses(Expr.atom(atom), random)}
        exponent = _random_part(draft.exponent, random)
        inverses = {atom: power for atom, power in factors.items() if atom.name == INVERSE and power > 0}
        for atom, power in inverses.items():
            left = self._without_share(exponent, atom.arguments[0], power, random)
            if left is None:
                return False
            exponent = left
        orders = self._orders([(a, p) for a, p in factors.items() if a not in inverses], random)
        if orders is None:
            return False
        if not exponent.terms or self._signs.of_expr(exponent) in {"-", "0-", "0"}:
            return self._has_moments(orders) or self._are_uncorrelated(factors)
        families = self._linear(exponent, random)
        return families is not None and all(self._moments.get(name, Fraction(0)) == _ALL for name in orders)

    def _has_moments(self, orders: Orders) -> bool:
        """Return whether the mean of a product of so many factors exists."""
        if self._facts.are_independent(orders):
            return all(self._moments.get(name, Fraction(0)) >= order for name, order in orders.items())
        total = sum(orders.values(), Fraction(0))
        return all(self._moments.get(name, Fraction(0)) >= total for name in orders)

    def _are_uncorrelated(self, factors: Mapping[Atom[Expr], int]) -> bool:
        """Return whether a product is one of two entries that are uncorrelated, which have one index."""
        names = sorted(atom.name for atom in Counter(factors).elements())
        return len({atom.indices for atom in factors}) == 1 and any(
            isinstance(fact, m.Uncorrelated) and names == sorted((fact.first, fact.second))
            for fact in self._facts.moments
        )

    def _orders(self, factors: Iterable[tuple[Atom[Expr], int]], random: frozenset[str]) -> Orders | None:
        """Return the most factors of each family; None where the kind of one is unknown here."""
        found: Counter[str] = Counter()
        for atom, power in factors:
            own = self._order(atom, random)
            if own is None or (power < 0 and own):
                return None
            if power < 0 or (not own and atom.name not in _BOUNDED):
                return None
            for name, order in own.items():
                found[name] += order * power  # type: ignore[assignment]  # fractions of a factor, under a root
        return {name: Fraction(order) for name, order in found.items()}

    def _order(self, atom: Atom[Expr], random: frozenset[str]) -> Orders | None:
        if atom.name in random and not atom.arguments:
            return {atom.name: Fraction(1)}
        if atom.name in _BOUNDED:
            return {}
        if is_mean(atom.name) and len(atom.arguments) == 1:
            # A conditional mean has as many moments as what it is the mean of.
            return self._largest(atom.arguments[0], random | averaged(atom.name))
        if atom.name in {"abs", ROOT}:
            inner = self._largest(atom.arguments[0], random)
            share = Fraction(1, 2) if atom.name == ROOT else Fraction(1)
            return None if inner is None else {name: order * share for name, order in inner.items()}
        return None

    def _largest(self, expr: Expr, random: frozenset[str]) -> Orders | None:
        """Return for each family the most factors that a term of a sum has."""
        found: dict[str, Fraction] = {}
        for draft in expr.opened():
            if _random_part(draft.exponent, random).terms:
                return None
            own = self._orders([(a, p) for a, p in draft.factors.items() if _uses(Expr.atom(a), random)], random)
            if own is None:
                return None
            for name, order in own.items():
                found[name] = max(order, found.get(name, Fraction(0)))
        return found

    def _linear(self, exponent: Expr, random: frozenset[str]) -> frozenset[str] | None:
        """Return the families of an exponent that is linear in normal entries and any polynomial of bounded ones."""
        found: set[str] = set()
        for draft in exponent.opened():
            if draft.exponent.terms:
                return None
            own = self._orders([(a, p) for a, p in draft.factors.items() if _uses(Expr.atom(a), random)], random)
            if own is None or not own.keys() <= self._normal | self._bounded:
                return None
            if sum((order for name, order in own.items() if name in self._normal), Fraction(0)) > 1:
                return None
            found |= own.keys()
        return frozenset(found)

    def _without_share(self, exponent: Expr, divisor: Expr, power: int, random: frozenset[str]) -> Expr | None:
        """Return the rest of an exponent once terms of a divisor have taken a part of it, each at most the divisor.

        A divisor whose terms are all positive is at least each of them. None where that is not so.
        """
        shares = []
        for draft in divisor.opened():
            sign = self._signs.of_expr(product(draft))
            others = any(_uses(Expr.atom(atom), random) for atom in draft.factors)
            if sign != "+" or others or any(_uses(size, random) for _, size in draft.bounds):
                return None
            shares.append((_random_part(draft.exponent, random), [index for index, _ in draft.bounds]))
        left = exponent
        for _ in range(min(power, _MAX_SHARES)):
            left = min((taken for taken in (_taken(left, *share) for share in shares)), key=lambda e: len(e.terms))
        return left if power <= _MAX_SHARES else None


def _taken(exponent: Expr, share: Expr, bound: list[tuple[str, ...]]) -> Expr:
    """Return an exponent less that of a term, an index of a sum in it being one that occurs in the exponent."""
    found = [exponent - share]
    for index in bound:
        found = [one.replaced(index, other) for one in found for other in sorted(exponent.indices)] or found
    return min(found, key=lambda e: len(e.terms))


def _random_part(exponent: Expr, random: frozenset[str]) -> Expr:
    return Expr.of_terms([piece for piece in exponent.terms if _uses(Expr.of_terms([piece]), random)])


def _uses(expr: Expr, random: frozenset[str]) -> bool:
    return not random.isdisjoint(m.free_names(expr))
