"""TRUSTED. A term on its way to its form: its bound indices have names that occur nowhere else."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.atoms import Atom
from symattn.exact.indexed.indices import Index

if TYPE_CHECKING:
    from symattn.exact.indexed.expression import Expr

_fresh = itertools.count()
_ONE = Polynomial(1)


class Draft(NamedTuple):
    """A term taken apart, or not in its form yet."""

    bounds: list[tuple[Index, Expr]]
    factors: dict[Atom, int]
    exponent: Expr
    coefficient: Polynomial

    def replaced(self, old: Index, new: Index) -> Draft:
        """Replace one index by another, in the lengths of sums too."""
        factors: dict[Atom, int] = {}
        for atom, power in self.factors.items():
            changed = atom.replaced(old, new)
            factors[changed] = factors[changed] + power if changed in factors else power
        bounds = [(index, size.replaced(old, new)) for index, size in self.bounds]
        return Draft(bounds, factors, self.exponent.replaced(old, new), self.coefficient)

    def renamed(self, names: Mapping[Index, Index]) -> Draft:
        """Rename its bound indices, all at once; the new names occur nowhere in it."""
        factors: dict[Atom, int] = {}
        for atom, power in self.factors.items():
            changed = atom.renamed(names)
            factors[changed] = factors[changed] + power if changed in factors else power
        bounds = [(names.get(index, index), size.renamed(names)) for index, size in self.bounds]
        return Draft(bounds, factors, self.exponent.renamed(names), self.coefficient)

    def opened(self) -> Draft:
        """Rename its bound indices to fresh ones."""
        return self.renamed({index: new_bound() for index, _ in self.bounds}) if self.bounds else self

    def times(self, other: Draft) -> Draft:
        """Return the product of two that share no bound index."""
        factors = dict(self.factors)
        for atom, power in other.factors.items():
            factors[atom] = factors.get(atom, 0) + power
        exponent = self.exponent + other.exponent
        # Most coefficients are 1.
        one = other.coefficient if self.coefficient == _ONE else self.coefficient
        coefficient = one if _ONE in (self.coefficient, other.coefficient) else one * other.coefficient
        return Draft([*self.bounds, *other.bounds], factors, exponent, coefficient)

    def with_factors(self, factors: dict[Atom, int]) -> Draft:
        """Replace the atoms."""
        return Draft(list(self.bounds), factors, self.exponent, self.coefficient)

    def with_exponent(self, exponent: Expr) -> Draft:
        """Replace the exponent."""
        return Draft(list(self.bounds), dict(self.factors), exponent, self.coefficient)

    def without_bound(self, index: Index) -> Draft:
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
