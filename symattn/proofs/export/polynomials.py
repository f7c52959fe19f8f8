"""Polynomials in terms taken as letters, and sums in sums whose body is a product."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import permutations
from typing import Protocol, TypeAlias

from symattn.proofs.export import printing
from symattn.proofs.export.terms import (
    ONE,
    ZERO,
    Add,
    Delta,
    Div,
    Entry,
    Facts,
    Index,
    Mul,
    Neg,
    NotExportedError,
    Num,
    Pow,
    Sum,
    Term,
    free_indices,
    height,
    key,
    map_indices,
    own_indices,
    walk,
    with_indices,
)
from symattn.records import dataclass

Monomial: TypeAlias = tuple[tuple[Term, int], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]

UNIT: Polynomial = {(): Fraction(1)}


def monomial(factors: dict[Term, int]) -> Monomial:
    """Return the monomial of factors with their exponents, in order; a delta has the exponent 1."""
    kept = ((term, 1 if isinstance(term, Delta) and power > 1 else power) for term, power in factors.items() if power)
    return tuple(sorted(kept, key=lambda item: key(item[0])))


def letter(term: Term) -> Polynomial:
    """Return the polynomial that is one letter."""
    return {((term, 1),): Fraction(1)}


def constant(value: Fraction) -> Polynomial:
    """Return a constant polynomial."""
    return {(): value} if value else {}


def added(first: Polynomial, second: Polynomial, scale: Fraction = Fraction(1)) -> Polynomial:
    """Return a sum, the second polynomial multiplied by a number."""
    found = dict(first)
    for one, value in second.items():
        found[one] = found.get(one, Fraction(0)) + scale * value
    return {one: value for one, value in found.items() if value}


def merged(first: Monomial, second: Monomial) -> dict[Term, int]:
    """Return the exponents of a product of two monomials."""
    powers = dict(first)
    for term, power in second:
        powers[term] = powers.get(term, 0) + power
    return powers


def ordered(found: Polynomial) -> list[tuple[Monomial, Fraction]]:
    """Return the terms of a polynomial in order."""
    return sorted(found.items(), key=lambda item: [(key(term), power) for term, power in item[0]])


def power_term(term: Term, power: int) -> Term:
    """Return a power with a whole exponent as a term."""
    if power < 0:
        return Div(ONE, power_term(term, -power))
    return term if power == 1 else Pow(term, power)


def product_term(factors: Iterable[Term]) -> Term:
    """Return a product as a term, associated to the right."""
    *items, found = list(factors) or [ONE]
    return reduce(lambda right, left: Mul(left, right), reversed(items), found)


def monomial_term(found: Monomial, value: Fraction = Fraction(1)) -> Term:
    """Return a monomial times a number as a term."""
    factors = [power_term(term, power) for term, power in found]
    if value == -1 and factors:
        return Neg(product_term(factors))
    return product_term([Num(value), *factors] if value != 1 or not factors else factors)


def sum_term(items: Iterable[Term]) -> Term:
    """Return a sum as a term, associated to the right."""
    *terms, found = list(items) or [ZERO]
    return reduce(lambda right, left: Add(left, right), reversed(terms), found)


def as_term(found: Polynomial) -> Term:
    """Return a polynomial as a term."""
    return sum_term(monomial_term(one, value) for one, value in ordered(found))


_MAX_ORDERS = 5
_PAIR = 2


def nested(indices: Sequence[Index], body: Term) -> Term:
    """Return the sum over some indices, the first outermost."""
    return reduce(lambda inner, index: Sum(index, inner), reversed(indices), body)


class Equations(Protocol):
    """Normal forms within one lemma, as sums in sums use them."""

    facts: Facts
    canonical: set[Term]
    say: Callable[[Term], str]

    def normal(self, term: Term) -> Polynomial:
        """Return the polynomial that a term comes to."""

    def close(self, *terms: Term) -> str:
        """Return the tactic for a goal in some terms."""

    def applied(self, name: str, places: Iterable[Index]) -> str:
        """Return an equation at some indices."""

    def fresh(self, size: str) -> Index:
        """Return an index that occurs nowhere else."""


class Multiple:
    """A sum over several indices of one product.

    Args:
        normalizer: the normal forms of the lemma.
        term: a sum whose body is a product in its index.
    """

    def __init__(self, normalizer: Equations, term: Sum) -> None:
        self.all = normalizer
        self.say = normalizer.say
        self.term = term
        self.indices = [term.index]
        ((found, value),) = normalizer.normal(term.body).items()
        if value != 1:
            raise NotExportedError("A sum of a product has a coefficient.")
        self.factors = dict(found)
        self.steps: list[str] = []

    def result(self) -> tuple[Polynomial, str]:
        """Return the polynomial of the sum and the proof."""
        self._open()
        for attempt in (self._without_delta, self._contracted, self._without_move):
            found = attempt()
            if found is not None:
                return self.all.normal(found), "".join(self.steps) + self.all.close(found)
        return self._ordered()

    @property
    def body(self) -> Term:
        """The product under the sums."""
        return monomial_term(monomial(self.factors))

    def _step(self, to: Term, proof: str) -> None:
        self.steps.append(f"transitivity {self.say(to)}. {{ {proof} }} ")

    def _open(self) -> None:
        """Take sums among the factors out to the front."""
        while True:
            inner = next((term for term, power in self.factors.items() if isinstance(term, Sum) and power > 0), None)
            if inner is None:
                return
            rest = dict(self.factors)
            rest[inner] -= 1
            new = self.all.fresh(inner.index.size)
            written = with_indices(inner.body, {inner.index: new})
            opened = self.all.normal(written)
            if len(opened) != 1 or set(opened.values()) != {Fraction(1)}:
                raise NotExportedError("A sum among the factors has several terms.")
            ((inside, _),) = opened.items()
            outer = monomial_term(monomial(rest))
            before = self._under(self.indices)
            whole = Mul(outer, Sum(new, written))
            self.factors = {term: power for term, power in merged(monomial(rest), inside).items() if power}
            self.indices = [*self.indices, new]
            proof = before + f"transitivity {self.say(whole)}. {{ ring. }} "
            proof += f"apply sum_pull. intros {printing.index(new)}. {self.all.close(written)}"
            self._step(nested(self.indices, self.body), proof)

    def _to_end(self, last: list[Index]) -> None:
        """Bring some indices to the innermost places, in this order."""
        self._arrange([item for item in self.indices if item not in last] + last)

    def _arrange(self, order: list[Index]) -> None:
        body = self.body
        current = list(self.indices)
        for place, wanted in enumerate(order):
            at = current.index(wanted)
            while at > place:
                one, other = current[at - 1], current[at]
                inner = nested(current[at + 1 :], body)
                proof = self._under(current[: at - 1])
                sizes = f"{printing.length(one.size)} {printing.length(other.size)}"
                function = f"(fun {printing.binder(one)} {printing.binder(other)} => {self.say(inner)})"
                current[at - 1], current[at] = other, one
                self._step(nested(current, body), f"{proof}exact (sum_swap {sizes} {function}).")
                at -= 1
        self.indices = current

    def _under(self, indices: list[Index]) -> str:
        return "".join(f"apply sum_eq; intros {printing.index(item)}. " for item in indices)

    # Indices that go away --------------------------------------------------------------------------

    def _without_delta(self) -> Term | None:
        for term, power in self.factors.items():
            if not isinstance(term, Delta) or power != 1:
                continue
            for gone, other in ((term.first, term.second), (term.second, term.first)):
                if gone in self.indices and Index(other.name, other.size, (), other.is_fixed) != gone:
                    return self._delta_gone(term, gone, other)
        return None

    def _delta_gone(self, term: Delta, gone: Index, other: Index) -> Term:
        self._to_end([gone])
        rest = monomial_term(monomial({item: power for item, power in self.factors.items() if item != term}))
        left = self.indices[:-1]
        placed = with_indices(rest, {gone: other})
        mark, size = printing.binder(gone), printing.length(gone.size)
        turned = "" if term.first == gone else f"rewrite (delta_sym _ {printing.index(other)} {printing.index(gone)}). "
        proof = self._under(left)
        switch = f"delta {printing.index(gone)} {printing.index(other)}"
        proof += f"transitivity (sum {size} (fun {mark} => {switch} * {self.say(rest)})). "
        proof += f"{{ apply sum_eq. intros {printing.index(gone)}. {turned}ring. }} "
        proof += f"exact (sum_delta {size} {printing.index(other)} (fun {mark} => {self.say(rest)}))."
        found = nested(left, placed)
        self._step(found, proof)
        return found

    def _contracted(self) -> Term | None:
        for gone in self.indices:
            inside = {term: power for term, power in self.factors.items() if gone in free_indices(term)}
            if any(not isinstance(term, Entry) or power < 0 for term, power in inside.items()):
                continue
            entries = [term for term, power in inside.items() for _ in range(power) if isinstance(term, Entry)]
            if any(gone in item.indices[:-1] or item.indices[-1] != gone for item in entries):
                continue
            for pair in permutations(entries):
                names = (*(item.name for item in pair), "")
                fact = self.all.facts.contractions.get((names[0], names[1])) if len(pair) <= _PAIR else None
                if fact is not None:
                    own, value, hypothesis = fact
                    places = [index for item in pair for index in item.indices[:-1]]
                    return self._replaced(
                        gone,
                        pair,
                        with_indices(value, dict(zip(own, places, strict=True))),
                        self.all.applied(hypothesis, places),
                    )
        return None

    def _replaced(self, gone: Index, pair: tuple[Entry, ...], value: Term, equation: str) -> Term:
        self._to_end([gone])
        rest = dict(self.factors)
        for item in pair:
            rest[item] -= 1
        outer = monomial_term(monomial(rest))
        left = self.indices[:-1]
        kernel = Sum(gone, product_term(pair))
        proof = self._under(left)
        pulled = f"symmetry. apply sum_pull. intros {printing.index(gone)}. ring."
        proof += f"transitivity {self.say(Mul(outer, kernel))}. {{ {pulled} }} "
        proof += f"rewrite {equation}. reflexivity."
        found = nested(left, Mul(outer, value))
        self._step(found, proof)
        return found

    def _without_move(self) -> Term | None:
        for moved in self.indices:
            places = [
                index
                for term in self.factors
                for part in walk(term)
                for index in own_indices(part)
                if (index.name, index.size) == (moved.name, moved.size)
            ]
            moves = {index.moves for index in places}
            if len(moves) != 1 or not (move := moves.pop()):
                continue
            self._to_end([moved])
            plain = _unmoved(self.body, moved, move[-1])
            mark, size = printing.binder(moved), printing.length(moved.size)
            proof = self._under(self.indices[:-1])
            proof += f"exact (sum_perm {size} {printing.mangled('p', move[-1])} (fun {mark} => {self.say(plain)}))."
            found = nested(self.indices, plain)
            self._step(found, proof)
            return found
        return None

    # Order -----------------------------------------------------------------------------------------

    def _ordered(self) -> tuple[Polynomial, str]:
        groups = sorted((self._named(*group) for group in self._components()), key=lambda item: key(item.atom))
        self._arrange([index for group in groups for index in group.order])
        if len(groups) == 1 and groups[0].atom == self.term:
            self.all.canonical.add(self.term)
            return letter(self.term), ""
        found: dict[Term, int] = {}
        for group in groups:
            self.all.canonical.add(group.atom)
            found[group.atom] = found.get(group.atom, 0) + 1
        written = product_term(group.atom for group in groups)
        proof = f"transitivity {self.say(written)}. {{ {''.join(self.steps)}{self._factored(groups)} }} ring."
        return {monomial(found): Fraction(1)}, proof

    def _factored(self, groups: list[_Group]) -> str:
        """Return the proof that a sum over all indices is the product of the sums of the groups."""
        first, others = groups[0], groups[1:]
        own = self._under(first.names) + self.all.close(first.renamed)
        if not others:
            return own
        left = [index for group in others for index in group.order]
        factors: dict[Term, int] = {}
        for group in others:
            factors |= group.factors
        remaining = nested(left, monomial_term(monomial(factors)))
        pulled = Mul(nested(first.order, monomial_term(monomial(first.factors))), remaining)
        proof = "symmetry. " + "".join(f"apply sum_pull_left; intros {printing.index(item)}. " for item in first.order)
        proof += "".join(f"apply sum_pull; intros {printing.index(item)}. " for item in left) + "ring."
        return f"transitivity {self.say(pulled)}. {{ {proof} }} f_equal. {{ {own} }} {self._factored(others)}"

    def _components(self) -> list[tuple[list[Index], dict[Term, int]]]:
        waiting = dict(self.factors)
        groups: list[tuple[list[Index], dict[Term, int]]] = []
        left = list(self.indices)
        while left:
            own, inside = {left[0]}, dict[Term, int]()
            grown = True
            while grown:
                grown = False
                for term, power in list(waiting.items()):
                    if own & free_indices(term):
                        own |= free_indices(term) & set(self.indices)
                        inside[term] = power
                        del waiting[term]
                        grown = True
            groups.append(([index for index in self.indices if index in own], inside))
            left = [index for index in left if index not in own]
        return groups

    def _named(self, indices: list[Index], factors: dict[Term, int]) -> _Group:
        """Return a group with its sum in canonical order and with canonical names."""
        if len(indices) > _MAX_ORDERS:
            raise NotExportedError("A sum has too many indices that belong together.")
        level = max(map(height, factors), default=0)

        def renamed(order: tuple[Index, ...]) -> tuple[list[Index], Term]:
            names = {index: Index(f"U{level + len(order) - at}", index.size) for at, index in enumerate(order)}
            renamed_factors = {with_indices(term, names): power for term, power in factors.items()}
            return list(names.values()), monomial_term(monomial(renamed_factors))

        order = min(permutations(indices), key=lambda item: key(nested(*renamed(item))))
        names, body = renamed(order)
        inside = self.all.normal(body)
        if len(inside) > 1 or set(inside.values()) - {Fraction(1)}:
            raise NotExportedError("A product in a sum has several terms.")
        canonical = monomial_term(next(iter(inside)))
        return _Group(list(order), factors, names, body, nested(names, canonical))


@dataclass(frozen=True, slots=True)
class _Group:
    """Indices of a sum that belong together.

    Attributes:
        order: the indices, the outermost first.
        factors: the factors with these indices.
        names: the canonical indices.
        renamed: the product of the factors in the canonical indices.
        atom: the sum in canonical form.
    """

    order: list[Index]
    factors: dict[Term, int]
    names: list[Index]
    renamed: Term
    atom: Term


def _unmoved(term: Term, index: Index, move: str) -> Term:
    """Return a term in which an index stands without the permutation next to it."""

    def changed(item: Index) -> Index:
        if (item.name, item.size) == (index.name, index.size) and item.moves and item.moves[-1] == move:
            return Index(item.name, item.size, item.moves[:-1], item.is_fixed)
        return item

    return map_indices(term, changed)
