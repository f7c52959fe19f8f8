"""TRUSTED. Terms of expressions: atoms with their indices and arguments, terms, and drafts of terms.

A draft is a term that is taken apart, or not normalised yet: its bound indices have names that occur nowhere else.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.indices import Index

# No declared quantity can have a name with this sign, so none is taken for one of these.
DELTA = "#delta"
INVERSE = "#inverse"
LOG = "#log"
ROOT = "#sqrt"

DETERMINANT = "#det"
MATRIX_INVERSE = "#matrix-inverse"

OF_MATRICES = frozenset({DETERMINANT, MATRIX_INVERSE})
"""Functions of whole matrices: their arguments are the length and the entry at two indices that stand for all."""

SPECIAL = frozenset({DELTA, INVERSE, LOG, ROOT})
"""The names of atoms that have a form to be brought to."""

_RESERVED = frozenset("#@![]()<>;*^+ ")


class _Expression(Protocol):
    """Sum of terms in canonical form, as the atoms and terms in it and the rules of that form use it."""

    @property
    def terms(self) -> tuple[tuple[Term[Self], Polynomial], ...]: ...
    @property
    def key(self) -> str: ...
    @property
    def height(self) -> int: ...
    @property
    def indices(self) -> frozenset[Index]: ...
    @property
    def is_single(self) -> bool: ...
    @property
    def logarithm(self) -> Self | None: ...

    @classmethod
    def of_terms(cls, items: Iterable[tuple[Term[Self], Polynomial]]) -> Self: ...
    @classmethod
    def of_draft(cls, draft: Draft[Self]) -> Self: ...
    @classmethod
    def atom(cls, atom: Atom[Self]) -> Self: ...
    @classmethod
    def exp(cls, exponent: Self) -> Self: ...
    @classmethod
    def log(cls, value: Self) -> Self: ...
    @classmethod
    def sqrt(cls, value: Self) -> Self: ...

    def __add__(self, other: Self) -> Self: ...
    def __sub__(self, other: Self) -> Self: ...
    def __neg__(self) -> Self: ...
    def __mul__(self, other: Self | Polynomial) -> Self: ...
    def power(self, exponent: int) -> Self: ...
    def inverse(self) -> Self: ...

    def rational(self) -> Fraction | None: ...
    def is_zero(self) -> bool: ...
    def equals(self, other: Self) -> bool: ...
    def atoms(self) -> Iterator[Atom[Self]]: ...
    def part_with(self, index: Index) -> Self: ...
    def replaced(self, old: Index, new: Index) -> Self: ...
    def renamed(self, names: Mapping[Index, Index]) -> Self: ...
    def mapped(self, change: Callable[[Atom[Self]], Self | None]) -> Self: ...
    def opened(self) -> Iterator[Draft[Self]]: ...
    def apart_from(self, indices: Iterable[Index]) -> tuple[Draft[Self], ...]: ...


E = TypeVar("E", bound=_Expression)


class Atom(Generic[E]):
    """A name with indices and arguments: ``D``, ``q[i]``, ``delta[i, j]``, ``relu(x)``.

    An atom never changes: what is worked out from it (its text, its hash, its indices) is kept once it was asked for.
    """

    __match_args__ = ("name", "indices", "arguments")
    __slots__ = ("_hash", "_height", "_key", "_roots", "arguments", "indices", "name")

    def __init__(self, name: str, indices: tuple[Index, ...] = (), arguments: tuple[E, ...] = ()) -> None:
        self.name = name
        self.indices = indices
        self.arguments = arguments
        self._hash: int | None = None
        self._height: int | None = None
        self._key: str | None = None
        self._roots: frozenset[Index] | None = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Atom):
            return NotImplemented
        if self.name != other.name or self.indices != other.indices or hash(self) != hash(other):
            return False
        return self.arguments == other.arguments

    def __hash__(self) -> int:
        found = self._hash
        if found is None:
            found = self._hash = hash((self.name, self.indices, self.arguments))
        return found

    def __repr__(self) -> str:
        return f"Atom({self.key!r})"

    @property
    def key(self) -> str:
        """One text for each atom."""
        found = self._key
        if found is None:
            indices = "" if not self.indices else "[" + ",".join("!".join(index) for index in self.indices) + "]"
            inside = "" if not self.arguments else "(" + ";".join(x.key for x in self.arguments) + ")"
            found = self._key = self.name + indices + inside
        return found

    @property
    def height(self) -> int:
        """The height of the highest argument."""
        found = self._height
        if found is None:
            found = self._height = max((argument.height for argument in self.arguments), default=0)
        return found

    @property
    def roots(self) -> frozenset[Index]:
        """The indices of the atom and of its arguments, without the permutations around them."""
        found = self._roots
        if found is None:
            found = frozenset(map(ix.root, self.indices))
            if self.arguments:
                found = found.union(*(argument.indices for argument in self.arguments))
            self._roots = found
        return found

    def uses(self, index: Index) -> bool:
        """Return whether an index occurs in it."""
        return index in self.roots

    def replaced(self, old: Index, new: Index) -> Atom[E]:
        """Replace one index by another."""
        if ix.root(old) not in self.roots:
            return self
        indices = tuple(ix.replace(index, old, new) for index in self.indices)
        if self.name == DELTA:
            indices = tuple(sorted(indices))
        return Atom(self.name, indices, tuple(x.replaced(old, new) for x in self.arguments))

    def renamed(self, names: Mapping[Index, Index]) -> Atom[E]:
        """Rename plain indices, all at once."""
        if self.roots.isdisjoint(names):
            return self
        indices = tuple(ix.renamed(index, names) for index in self.indices)
        if self.name == DELTA:
            indices = tuple(sorted(indices))
        return Atom(self.name, indices, tuple(x.renamed(names) for x in self.arguments))


Factors: TypeAlias = tuple[tuple[Atom[E], int], ...]


class Term(Generic[E]):
    """The sizes of the bound indices, the atoms with their powers, and the exponent.

    The bound indices are named by the height of the term, and what stands inside is lower: so no index of
    an outer sum is taken for one of an inner sum. A term never changes, so that its text, its height and its
    indices are kept.
    """

    __match_args__ = ("sizes", "factors", "exponent")
    __slots__ = ("_free", "_hash", "_height", "_key", "exponent", "factors", "sizes")

    def __init__(self, sizes: tuple[E, ...], factors: Factors[E], exponent: E | None) -> None:
        self.sizes = sizes
        self.factors = factors
        self.exponent = exponent
        self._free: frozenset[Index] | None = None
        self._hash: int | None = None
        self._height: int | None = None
        self._key: str | None = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term):
            return NotImplemented
        if hash(self) != hash(other):
            return False
        return (self.sizes, self.factors, self.exponent) == (other.sizes, other.factors, other.exponent)

    def __hash__(self) -> int:
        found = self._hash
        if found is None:
            found = self._hash = hash((self.sizes, self.factors, self.exponent))
        return found

    def __repr__(self) -> str:
        return f"Term({self.key!r})"

    @property
    def height(self) -> int:
        """One more than that of the expressions inside."""
        found = self._height
        if found is None:
            found = self._height = height_of(self.sizes, (atom for atom, _ in self.factors), self.exponent)
        return found

    @property
    def key(self) -> str:
        """One text for each term."""
        found = self._key
        if found is None:
            sums = "".join([f"S<{size.key}>" for size in self.sizes])
            atoms = "*".join([f"{atom.key}^{power}" for atom, power in self.factors])
            found = f"{sums}{atoms}" + ("" if self.exponent is None else f"e<{self.exponent.key}>")
            self._key = found
        return found

    @property
    def free(self) -> frozenset[Index]:
        """The indices that are not bound in it."""
        found = self._free
        if found is None:
            parts = [atom.roots for atom, _ in self.factors]
            parts += [expr.indices for expr in self.inner]
            found = frozenset[Index]().union(*parts)
            if self.sizes:
                found -= set(self.bounds())
            self._free = found
        return found

    def bounds(self) -> list[Index]:
        """Return the bound indices, in the order of their sizes."""
        if not self.sizes:
            return []
        height = self.height
        return [ix.bound(height, number) for number in range(len(self.sizes))]

    @property
    def inner(self) -> tuple[E, ...]:
        """The sizes and the exponent."""
        return self.sizes if self.exponent is None else (*self.sizes, self.exponent)


def height_of(sizes: Iterable[E], atoms: Iterable[Atom[E]], exponent: E | None) -> int:
    """Return the height of a term of these parts."""
    found = 0 if exponent is None else exponent.height
    for size in sizes:
        found = max(found, size.height)
    for atom in atoms:
        if atom.arguments:
            found = max(found, atom.height)
    return 1 + found


def plain(name: str) -> str:
    """Return a name that a quantity or a function can have.

    Raises:
        InputError: it holds a sign that texts of expressions are built with.
    """
    if not name or _RESERVED & set(name):
        raise InputError(f"{name!r} is not a name of a quantity: use letters, digits and underscores.")
    return name


_fresh = itertools.count()
_ONE = Polynomial(1)


class Draft(NamedTuple, Generic[E]):
    """A term taken apart, or not in its form yet."""

    bounds: list[tuple[Index, E]]
    factors: dict[Atom[E], int]
    exponent: E
    coefficient: Polynomial

    def replaced(self, old: Index, new: Index) -> Draft[E]:
        """Replace one index by another, in the lengths of sums too."""
        factors: dict[Atom[E], int] = {}
        for atom, power in self.factors.items():
            changed = atom.replaced(old, new)
            factors[changed] = factors[changed] + power if changed in factors else power
        bounds = [(index, size.replaced(old, new)) for index, size in self.bounds]
        return Draft(bounds, factors, self.exponent.replaced(old, new), self.coefficient)

    def renamed(self, names: Mapping[Index, Index]) -> Draft[E]:
        """Rename its bound indices, all at once; the new names occur nowhere in it."""
        factors: dict[Atom[E], int] = {}
        for atom, power in self.factors.items():
            changed = atom.renamed(names)
            factors[changed] = factors[changed] + power if changed in factors else power
        bounds = [(names.get(index, index), size.renamed(names)) for index, size in self.bounds]
        return Draft(bounds, factors, self.exponent.renamed(names), self.coefficient)

    def opened(self) -> Draft[E]:
        """Rename its bound indices to fresh ones."""
        return self.renamed({index: new_bound() for index, _ in self.bounds}) if self.bounds else self

    def times(self, other: Draft[E]) -> Draft[E]:
        """Return the product of two that share no bound index."""
        factors = dict(self.factors)
        for atom, power in other.factors.items():
            factors[atom] = factors.get(atom, 0) + power
        exponent = self.exponent + other.exponent
        # Most coefficients are 1.
        one = other.coefficient if self.coefficient == _ONE else self.coefficient
        coefficient = one if _ONE in (self.coefficient, other.coefficient) else one * other.coefficient
        return Draft([*self.bounds, *other.bounds], factors, exponent, coefficient)

    def with_factors(self, factors: dict[Atom[E], int]) -> Draft[E]:
        """Replace the atoms."""
        return Draft(list(self.bounds), factors, self.exponent, self.coefficient)

    def with_exponent(self, exponent: E) -> Draft[E]:
        """Replace the exponent."""
        return Draft(list(self.bounds), dict(self.factors), exponent, self.coefficient)

    def without_bound(self, index: Index) -> Draft[E]:
        """Remove one of the sums."""
        return Draft([bound for bound in self.bounds if bound[0] != index], *self[1:])

    def uses(self, index: Index) -> bool:
        """Return whether an index occurs in what is summed."""
        return any(index in atom.roots for atom in self.factors) or index in self.exponent.indices

    def sizes_use(self, index: Index) -> bool:
        """Return whether the length of a sum depends on an index."""
        return any(index in size.indices for _, size in self.bounds)

    @property
    def free(self) -> frozenset[Index]:
        """The indices that are not bound here."""
        found = self.exponent.indices.union(
            *(atom.roots for atom in self.factors), *(size.indices for _, size in self.bounds)
        )
        return found.difference(index for index, _ in self.bounds)


def new_bound() -> Index:
    """Return a bound index that occurs nowhere else."""
    return ix.bound("~", next(_fresh))
