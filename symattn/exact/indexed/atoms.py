"""TRUSTED. What terms are made of: atoms with their indices and arguments, and the names that have a meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from symattn.errors import InputError
from symattn.exact.indexed import index as ix
from symattn.exact.indexed.index import Index

if TYPE_CHECKING:
    from symattn.exact.indexed.expr import Expr

# No declared quantity can have a name with this sign, so none is taken for one of these.
DELTA = "#delta"
INVERSE = "#inverse"
LOG = "#log"
ROOT = "#sqrt"

MEAN = "E"
"""The name of an expectation; see `mean_name` for those that are not worked out."""

_RESERVED = frozenset("#@![]()<>;*^+ ")


class Atom(NamedTuple):
    """A name with indices and arguments: ``D``, ``q[i]``, ``delta[i, j]``, ``relu(x)``."""

    name: str
    indices: tuple[Index, ...] = ()
    arguments: tuple[Expr, ...] = ()

    @property
    def key(self) -> str:
        """One text for each atom."""
        indices = "" if not self.indices else "[" + ",".join("!".join(index) for index in self.indices) + "]"
        return self.name + indices + ("" if not self.arguments else "(" + ";".join(x.key for x in self.arguments) + ")")

    @property
    def roots(self) -> frozenset[Index]:
        """The indices of the atom and of its arguments, without the permutations around them."""
        own = frozenset(map(ix.root, self.indices))
        return own.union(*(argument.indices for argument in self.arguments))

    def uses(self, index: Index) -> bool:
        """Whether an index occurs in it."""
        return any(ix.root(own) == index for own in self.indices) or any(index in x.indices for x in self.arguments)

    def replaced(self, old: Index, new: Index) -> Atom:
        """With one index in the place of another."""
        if not self.uses(ix.root(old)):
            return self
        indices = tuple(ix.replace(index, old, new) for index in self.indices)
        if self.name == DELTA:
            indices = tuple(sorted(indices))
        return Atom(self.name, indices, tuple(x.replaced(old, new) for x in self.arguments))


Factors: TypeAlias = tuple[tuple[Atom, int], ...]


class Term(NamedTuple):
    """The sizes of the bound indices, the atoms with their powers, and the exponent.

    The bound indices are named by the height of the term, and what stands inside is lower: so no index of
    an outer sum is taken for one of an inner sum.
    """

    sizes: tuple[Expr, ...]
    factors: Factors
    exponent: Expr | None

    @property
    def height(self) -> int:
        """One more than that of the expressions inside."""
        inner = [argument.height for atom, _ in self.factors for argument in atom.arguments]
        inner += [size.height for size in self.sizes]
        return 1 + max([*inner, 0 if self.exponent is None else self.exponent.height], default=0)

    @property
    def key(self) -> str:
        """One text for each term."""
        sums = "".join(f"S<{size.key}>" for size in self.sizes)
        atoms = "*".join(f"{atom.key}^{power}" for atom, power in self.factors)
        return f"{sums}{atoms}" + ("" if self.exponent is None else f"e<{self.exponent.key}>")

    def bounds(self) -> list[Index]:
        """The bound indices, in the order of their sizes."""
        height = self.height
        return [ix.bound(height, number) for number in range(len(self.sizes))]

    @property
    def inner(self) -> tuple[Expr, ...]:
        """The sizes and the exponent."""
        return self.sizes if self.exponent is None else (*self.sizes, self.exponent)


def plain(name: str) -> str:
    """A name that a quantity or a function can have.

    Raises:
        InputError: it holds a sign that texts of expressions are built with.
    """
    if not name or _RESERVED & set(name):
        raise InputError(f"{name!r} is no name of a quantity: use letters, digits and underscores.")
    return name


def mean_name(families: frozenset[str]) -> str:
    """The name of an expectation over these families that is not worked out; other families stand in it as given.

    >>> mean_name(frozenset({"q", "k"}))
    'E:k,q'
    """
    return f"{MEAN}:{','.join(sorted(families))}"


def is_mean(name: str) -> bool:
    """Whether a name is that of an expectation: no function of the value of its argument."""
    return name == MEAN or name.startswith((f"{MEAN}:", f"{MEAN}|"))


def averaged(name: str) -> frozenset[str]:
    """The families over which an expectation runs, as far as its name tells.

    >>> sorted(averaged("E:k,q")), averaged("relu")
    (['k', 'q'], frozenset())
    """
    return frozenset(name[len(MEAN) + 1 :].split(",")) if name.startswith(f"{MEAN}:") else frozenset()
