"""TRUSTED. Expectations of polynomials in random vectors, from the hypotheses that are named and no others.

The expectation of a product of entries is brought to a form in three moves, each licensed by facts:

1. *Independent families* factor: ``E[q_i k_j] = E[q_i] E[k_j]``.
2. *Independent coordinates* factor where indices differ. Whether two indices of a double sum differ is
   settled by cases: the sum over all pairs of indices is the sum over the set partitions of the indices,
   and by Moebius inversion on the lattice of partitions (Rota 1964)

       E[prod_x a_x] = sum over partitions rho of delta_rho * prod over its blocks B of c(B),
       c(B) = sum over partitions pi of B of (-1)^(|pi|-1) (|pi|-1)! prod over b in pi of E[prod_{x in b} a_x],

   with every index of a block B equal, as delta_rho says.
3. *Moments* of one entry are replaced by what is known of its law.

Linearity alone needs no fact. What no fact settles stays, as an expectation that is not worked out; its name
tells the families over which it runs, so that a conditional one is never taken for another.

Partitions that differ by an exchange of indices give one value once they are summed: where indices are bound,
are summed over one range, and occur in nothing but one and the same product of random entries, one partition
of each type is worked out and counted.

Facts about random vectors are independence, moments, and laws by name with all their moments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import factorial
from typing import TypeAlias, TypeVar

from symattn.errors import InputError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import ONE, ZERO, Expr, summed
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.terms import Atom, Draft, new_bound
from symattn.records import dataclass

MEAN = "E"
"""The name of an expectation; see `mean_name` for those that are not worked out."""


def mean_name(families: frozenset[str]) -> str:
    """Return the name of an unevaluated expectation over these families; it is conditional on the others.

    >>> mean_name(frozenset({"q", "k"}))
    'E:k,q'
    """
    return f"{MEAN}:{','.join(sorted(families))}"


def is_mean(name: str) -> bool:
    """Return whether a name is that of an expectation: no function of the value of its argument."""
    return name == MEAN or name.startswith((f"{MEAN}:", f"{MEAN}|"))


def averaged(name: str) -> frozenset[str]:
    """Return the families over which an expectation runs, as far as its name tells.

    >>> sorted(averaged("E:k,q")), averaged("relu")
    (['k', 'q'], frozenset())
    """
    return frozenset(name[len(MEAN) + 1 :].split(",")) if name.startswith(f"{MEAN}:") else frozenset()


@dataclass(frozen=True, slots=True)
class Independent:
    """The named random vectors are mutually independent, each as a whole."""

    families: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The tuples of entries of these families with one index are mutually independent over the index."""

    families: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Uncorrelated:
    """``E[x_i y_i] = E[x_i] E[y_i]`` for two families, and no more than that."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class SameLaw:
    """The entries of a family, or the tuples of entries of several, have one law for every index."""

    families: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of each entry; it may depend on the index through `here`."""

    family: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Variance:
    """The variance of each entry, likewise."""

    family: str
    value: Expr


@dataclass(frozen=True, slots=True)
class RawMoment:
    """``E[x_i^order]`` of each entry, likewise."""

    family: str
    order: int
    value: Expr


@dataclass(frozen=True, slots=True)
class Law:
    """A law by name, which gives every moment: see `LAWS` for the parameters."""

    family: str
    name: str
    parameters: tuple[Expr, ...] = ()


Fact: TypeAlias = Independent | Coordinates | Uncorrelated | SameLaw | Mean | Variance | RawMoment | Law


def here(position: int = 0) -> Index:
    """Return the index of the entry that a fact speaks of.

    >>> Mean("q", Expr.entry("m", here())).value.indices == {here()}
    True
    """
    return ix.internal(f".{position}")


def gaussian_moment(order: int, parameters: Sequence[Expr]) -> Expr:
    """Return raw moments of a normal law by ``E X^n = m E X^(n-1) + (n-1) v E X^(n-2)`` (integration by parts; Stein).

    >>> m, v = Expr.scalar("m"), Expr.scalar("v")
    >>> gaussian_moment(4, (m, v)) == m**4 + 6 * m**2 * v + 3 * v**2
    True
    """
    mean, variance = parameters
    previous, current = ZERO, ONE
    for n in range(1, order + 1):
        previous, current = current, mean * current + (n - 1) * variance * previous
    return current


def _rademacher(order: int, _parameters: Sequence[Expr]) -> Expr:
    return Expr(1 - order % 2)


def _bernoulli(order: int, parameters: Sequence[Expr]) -> Expr:
    return parameters[0] if order else ONE


def _uniform(order: int, parameters: Sequence[Expr]) -> Expr:
    """Compute ``(b^(n+1) - a^(n+1)) / ((n+1)(b-a))`` without the division."""
    low, high = parameters
    total = ZERO
    for n in range(order + 1):
        total = total + high.power(n) * low.power(order - n)
    return total * Fraction(1, order + 1)


LAWS: dict[str, tuple[int, Callable[[int, Sequence[Expr]], Expr]]] = {
    "gaussian": (2, gaussian_moment),
    "rademacher": (0, _rademacher),
    "bernoulli": (1, _bernoulli),
    "uniform": (2, _uniform),
}
"""Laws by name: how many parameters (mean and variance; none; probability; ends), and the raw moments."""


def same_law_index(position: int = 0) -> Index:
    """Return the index that stands for all where the law is the same for every index."""
    return ix.standing(position)


_MAX_LABELS = 7
_MAX_ORDER = 24

Label: TypeAlias = tuple[Index, ...]
Kind: TypeAlias = tuple[tuple[str, int], ...]
"""The families of a product of entries with one index, and their powers."""

Product: TypeAlias = tuple[Kind, ...]
"""The same for groups of families that are independent of each other."""


def expectation(expr: Expr, random: frozenset[str], facts: Sequence[Fact] = ()) -> Expr:
    """Return the expectation over the random families, worked out as far as the facts allow.

    >>> from symattn.exact.indexed import indices as ix
    >>> i, D, mu = ix.free("i"), Expr.scalar("D"), Expr.scalar("mu")
    >>> dot = Expr.sum_over(i, D, Expr.entry("q", i) * Expr.entry("k", i))
    >>> facts = (Independent(("q", "k")), Mean("q", mu), Mean("k", mu))
    >>> expectation(dot, frozenset({"q", "k"}), facts) == D * mu**2
    True
    """
    return _Expectation(random, tuple(facts)).of(expr)


def refuse_random_laws(facts: Sequence[Fact], random: frozenset[str]) -> None:
    """Refuse facts whose moments or parameters are random: they hold given something, and nothing is known of means.

    Raises:
        InputError: there is such a fact.
    """
    if any(is_about_random(fact, random) for fact in facts):
        raise InputError("What is known of a law depends on a random quantity: condition on it instead.")


def is_about_random(fact: Fact, random: frozenset[str]) -> bool:
    """Return whether a moment or a parameter of a fact is random."""
    return any(_is_random(value, random) for value in _values(fact))


def _is_random(expr: Expr, random: frozenset[str]) -> bool:
    return not random.isdisjoint(expr.names) and not random.isdisjoint(free_names(expr))


class _Expectation:
    def __init__(self, random: frozenset[str], facts: tuple[Fact, ...]) -> None:
        self.random = random
        self.facts = facts
        refuse_random_laws(facts, random)

    def of(self, expr: Expr) -> Expr:
        """Expand by linearity, term by term, with non-random factors in front."""
        total = ZERO
        for draft in expr.opened():
            if any(self._is_random(size) for _, size in draft.bounds):
                raise InputError("The length of a sum is random: its expectation is not worked out.")
            inside, opaque, outside = self._parted(draft)
            if opaque == ONE:
                value = self._entries(inside, _exchangeable(draft, inside, outside))
            else:
                value = self._unknown(_product(inside) * opaque)
            total = total + summed(outside * value, draft.bounds)
        return total

    def _parted(self, draft: Draft[Expr]) -> tuple[dict[Atom[Expr], int], Expr, Expr]:
        """Split into random entries, other random factors, and non-random ones."""
        inside: dict[Atom[Expr], int] = {}
        opaque, outside = ONE, Expr(draft.coefficient)
        for atom, power in draft.factors.items():
            part = Expr.atom(atom, power)
            if not self._is_random(part):
                outside = outside * part
            elif atom.name in self.random and not atom.arguments and power > 0:
                inside[atom] = power
            else:
                opaque = opaque * part
        for piece in draft.exponent.terms:
            whole = Expr.of_terms([piece])
            if self._is_random(whole):
                opaque = opaque * Expr.exp(whole)
            else:
                outside = outside * Expr.exp(whole)
        return inside, opaque, outside

    def _is_random(self, expr: Expr) -> bool:
        return _is_random(expr, self.random)

    def _unknown(self, inside: Expr) -> Expr:
        return Expr.atom(Atom(mean_name(self.random & free_names(inside)), (), (inside,)))

    # Products of entries ---------------------------------------------------------------------------

    def _entries(self, factors: dict[Atom[Expr], int], classes: Mapping[Label, str]) -> Expr:
        """Factor over independent groups of families; those with the same indices stay together."""
        together: dict[tuple[Label, ...], list[dict[Atom[Expr], int]]] = {}
        value = ONE
        for group in self._groups(sorted({atom.name for atom in factors})):
            part = {atom: n for atom, n in factors.items() if atom.name in group}
            labels = tuple(sorted({atom.indices for atom in part}))
            if len(labels) > 1 and not self._are_coordinates(group, labels):
                value = value * self._unknown(_product(part))
            else:
                together.setdefault(labels, []).append(part)
        # Indices may be exchanged in a product as a whole, not in one of its parts.
        is_whole = value == ONE and len(together) == 1
        for labels, parts in together.items():
            value = value * self._over_labels(labels, parts, classes if is_whole else {})
        return value

    def _groups(self, names: list[str]) -> list[tuple[str, ...]]:
        for fact in self.facts:
            if isinstance(fact, Independent) and set(names) <= set(fact.families):
                return [(name,) for name in names]
        return [tuple(names)] if names else []

    def _are_coordinates(self, names: tuple[str, ...], labels: tuple[Label, ...]) -> bool:
        if len({len(label) for label in labels}) > 1:
            return False
        return any(isinstance(fact, Coordinates) and set(names) <= set(fact.families) for fact in self.facts)

    def _over_labels(
        self, labels: tuple[Label, ...], parts: list[dict[Atom[Expr], int]], classes: Mapping[Label, str]
    ) -> Expr:
        """Return the sum over the partitions of the indices, one of each type."""
        kinds = {label: tuple(_kind(part, label) for part in parts) for label in labels}
        if len(labels) == 1:
            return self._moments(kinds[labels[0]], labels[0])
        if len(labels) > _MAX_LABELS:
            raise InputError(f"A moment has more than {_MAX_LABELS} indices: take a lower order.")
        names = {label: classes.get(label, repr(label)) for label in labels}
        examples: dict[tuple[tuple[str, ...], ...], list[list[Label]]] = {}
        counts: Counter[tuple[tuple[str, ...], ...]] = Counter()
        for partition in _partitions(labels):
            form = tuple(sorted(tuple(sorted(names[label] for label in block)) for block in partition))
            examples.setdefault(form, partition)
            counts[form] += 1
        blocks: dict[tuple[Product, ...], Expr] = {}
        total = ZERO
        for form, partition in examples.items():
            value = Expr(counts[form])
            for block in partition:
                key = tuple(sorted(kinds[label] for label in block))
                if key not in blocks:
                    blocks[key] = self._block(key, len(block[0]))
                value = value * at_indices(blocks[key], block[0]) * _equal(block)
                if not value.terms:
                    break
            total = total + value
        return total

    def _block(self, kinds: tuple[Product, ...], rank: int) -> Expr:
        """Return c(B), with `here` for the indices, which are equal."""
        label = tuple(here(position) for position in range(rank))
        counts: Counter[tuple[Product, ...]] = Counter()
        for partition in _partitions(range(len(kinds))):
            counts[tuple(sorted(_merged([kinds[n] for n in part]) for part in partition))] += 1
        total = ZERO
        for form, number in counts.items():
            value = Expr(number * (-1) ** (len(form) - 1) * factorial(len(form) - 1))
            for product in form:
                value = value * self._moments(product, label)
            total = total + value
        return total

    def _moments(self, product: Product, label: Label) -> Expr:
        """Return the expectation of entries with one index, independent groups of families apart."""
        value = ONE
        for kind in product:
            value = value * self._at_one(kind, label)
        return value

    def _at_one(self, kind: Kind, label: Label) -> Expr:
        if len(kind) == 1:
            return self._moment(*kind[0], label)
        names = {family for family, _ in kind}
        if len(kind) == 2 and all(order == 1 for _, order in kind):
            for fact in self.facts:
                if isinstance(fact, Uncorrelated) and {fact.first, fact.second} == names:
                    return self._moment(kind[0][0], 1, label) * self._moment(kind[1][0], 1, label)
        standing = self._standing(label, names)
        return self._unknown(_product({Atom(family, standing): order for family, order in kind}))

    def _moment(self, family: str, order: int, label: Label) -> Expr:
        for fact in self.facts:
            match fact:
                case Law(name, law, parameters) if name == family and order <= _MAX_ORDER:
                    return LAWS[law][1](order, [at_indices(value, label) for value in parameters])
                case RawMoment(name, of, value) if (name, of) == (family, order):
                    return at_indices(value, label)
                case Mean(name, value) if name == family and order == 1:
                    return at_indices(value, label)
                case Variance(name, value) if name == family and order == 2:
                    return at_indices(value, label) + self._moment(family, 1, label).power(2)
                case _:
                    continue
        return self._unknown(_product({Atom(family, self._standing(label, {family})): order}))

    def _standing(self, label: Label, families: set[str]) -> Label:
        """Replace an index by the common one, where the law is the same for every index."""
        is_same = any(isinstance(fact, SameLaw) and families <= set(fact.families) for fact in self.facts)
        return tuple(same_law_index(n) for n in range(len(label))) if is_same else label


def free_names(expr: Expr) -> frozenset[str]:
    """Return the names that occur, without the families over which an expectation inside runs."""
    found: set[str] = set()
    for term, _ in expr.terms:
        for inner in term.inner:
            found |= free_names(inner)
        for atom, _ in term.factors:
            found.add(atom.name)
            found |= frozenset().union(*(free_names(argument) for argument in atom.arguments)) - averaged(atom.name)
    return frozenset(found)


def _values(fact: Fact) -> tuple[Expr, ...]:
    match fact:
        case Mean() | Variance() | RawMoment():
            return (fact.value,)
        case Law():
            return fact.parameters
        case _:
            return ()


def _exchangeable(draft: Draft[Expr], inside: Mapping[Atom[Expr], int], outside: Expr) -> dict[Label, str]:
    """Return the bound indices that occur in random entries alone, in classes of exchangeable ones."""
    classes: dict[Label, str] = {}
    for index, size in draft.bounds:
        own = {atom: power for atom, power in inside.items() if atom.uses(index)}
        is_free = index not in outside.indices and not draft.sizes_use(index)
        if is_free and all(atom.indices == (index,) for atom in own):
            classes[(index,)] = f"{size.key}|{_kind(own, (index,))}"
    return classes


def _kind(factors: Mapping[Atom[Expr], int], label: Label) -> Kind:
    return tuple(sorted((atom.name, power) for atom, power in factors.items() if atom.indices == label))


def _merged(products: Sequence[Product]) -> Product:
    """Return the product of some with one index, group by group."""
    merged = []
    for kinds in zip(*products, strict=True):
        orders: Counter[str] = Counter()
        for kind in kinds:
            orders.update(dict(kind))
        merged.append(tuple(sorted(orders.items())))
    return tuple(merged)


def _product(factors: Mapping[Atom[Expr], int]) -> Expr:
    value = ONE
    for atom, power in factors.items():
        value = value * Expr.atom(atom, power)
    return value


def at_indices(value: Expr, label: Label) -> Expr:
    """Return the value of a fact at some indices, all put in at once."""
    places = [new_bound() for _ in label]
    for position, place in enumerate(places):
        value = value.replaced(here(position), place)
    for place, index in zip(places, label, strict=True):
        value = value.replaced(place, index)
    return value


def _equal(block: Sequence[Label]) -> Expr:
    value = ONE
    for label in block[1:]:
        for first, second in zip(block[0], label, strict=True):
            value = value * Expr.delta(first, second)
    return value


_T = TypeVar("_T")


def _partitions(items: Sequence[_T]) -> Iterator[list[list[_T]]]:
    """Iterate over the set partitions; the first item of a block is its first in the order given."""
    if not items:
        yield []
        return
    *rest, last = items
    for smaller in _partitions(rest):
        for position in range(len(smaller)):
            yield [[*block, last] if n == position else block for n, block in enumerate(smaller)]
        yield [*smaller, [last]]
