"""TRUSTED. Facts about random vectors: independence, moments, and laws by name with all their moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import ONE, ZERO, Expr
from symattn.exact.indexed.indices import Index
from symattn.records import dataclass


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
