"""TRUSTED. Scalar expressions over the entries of operands: the vocabulary in which entries are written.

Operands are known by their number and entries by row and column, all counted from 0. An index may be a written name
where it runs, as r does in a sum over r.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

Index: TypeAlias = int | t.Node

Sum: TypeAlias = Literal["plain", "short", "common", "closed"]
"""Association of a sum, frozen with the operation because digests of records depend on it.

``plain`` adds one term after the other; ``short`` does so while the common denominator is short, and by enclosures
from there; ``common`` adds over a shortest common denominator, sums of such sums at once; ``closed`` is ``common``
where all terms have closed forms, and ``plain`` elsewhere.
"""

Function: TypeAlias = Literal["exp", "sqrt", "tanh", "erf", "sin", "cos", "ln"]

Test: TypeAlias = Literal["positive", "all-hidden", "one", "nonzero"]

Domain: TypeAlias = Literal["number", "exponent", "seen", "bit"]


class Scalar:
    """A scalar expression; arithmetic on such expressions builds larger ones."""

    __slots__ = ()

    def __add__(self, other: Scalar) -> Add:
        return Add((self, other))

    def __sub__(self, other: Scalar) -> Add:
        return Add((self, Neg(other)))

    def __mul__(self, other: Scalar) -> Mul:
        return Mul((self, other))

    def __truediv__(self, other: Scalar) -> Div:
        return Div(self, other)


@dataclass(frozen=True, slots=True)
class Leaf(Scalar):
    """An entry of an operand."""

    operand: int
    row: Index
    column: Index


@dataclass(frozen=True, slots=True)
class Num(Scalar):
    """A number that belongs to the operation."""

    value: int | Quotient


@dataclass(frozen=True, slots=True)
class Pi(Scalar):
    """The number pi."""


@dataclass(frozen=True, slots=True)
class Add(Scalar):
    """A sum of terms; one that is a `Neg` is subtracted."""

    terms: tuple[Scalar, ...]
    how: Sum = "plain"


@dataclass(frozen=True, slots=True)
class Total(Scalar):
    """The sum of `body` at each index from 0 to `count` - 1."""

    count: int
    body: Callable[[Index], Scalar]
    how: Sum = "plain"


@dataclass(frozen=True, slots=True)
class Mul(Scalar):
    """A product of factors, multiplied from the left; `sign` is written between them."""

    factors: tuple[Scalar, ...]
    sign: Literal["cdot", ""] = "cdot"


@dataclass(frozen=True, slots=True)
class Neg(Scalar):
    """A negated expression."""

    of: Scalar


@dataclass(frozen=True, slots=True)
class Div(Scalar):
    """A quotient; undefined where the denominator is 0."""

    above: Scalar
    below: Scalar


@dataclass(frozen=True, slots=True)
class Pow(Scalar):
    """A power with a whole number of at least 1."""

    of: Scalar
    exponent: int


@dataclass(frozen=True, slots=True)
class Call(Scalar):
    """A function of one number; a logarithm is undefined where there is none."""

    function: Function
    of: Scalar


@dataclass(frozen=True, slots=True)
class Max(Scalar):
    """The largest of some numbers."""

    items: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Select(Scalar):
    """`then` where a test holds of some numbers, `other` elsewhere.

    ``positive`` holds of a number above 0, ``one`` of 1, ``nonzero`` of any but 0; ``all-hidden`` holds where all are
    minus infinity.
    """

    test: Test
    of: tuple[Scalar, ...]
    then: Scalar
    other: Scalar


@dataclass(frozen=True, slots=True)
class Require(Scalar):
    """An expression whose value must lie in a domain; elsewhere it is refused with `message`.

    ``number`` lacks free symbols; ``exponent`` is a number, minus infinity or a polynomial in free symbols; ``seen`` is
    any number but minus infinity; ``bit`` is 0 or 1. ``{value}`` in the message stands for the value.
    """

    domain: Domain
    of: Scalar
    message: str


@dataclass(frozen=True, slots=True)
class Formula(Scalar):
    """A formula that a sheet writes, in which ``p_{k,i,j}`` is an entry of operand k, all counted from 1."""

    tree: t.Node


def parts(scalar: Scalar) -> tuple[Scalar, ...]:
    """Return the expressions that one is made of, those of a running sum at every index."""
    match scalar:
        case Add(terms):
            return terms
        case Total(count, body):
            return tuple(body(index) for index in range(count))
        case Mul(factors):
            return factors
        case Neg(of) | Pow(of) | Call(_, of) | Require(_, of):
            return (of,)
        case Div(above, below):
            return above, below
        case Max(items):
            return items
        case Select(_, of, then, other):
            return *of, then, other
    return ()


def leaves(scalar: Scalar) -> Iterator[Leaf]:
    """Iterate over the entries that an expression is made of, as often as they stand in it."""
    if isinstance(scalar, Leaf):
        yield scalar
    if isinstance(scalar, Formula):
        yield from _leaves_of(scalar.tree)
    for part in parts(scalar):
        yield from leaves(part)


def _leaves_of(tree: t.Node) -> Iterator[Leaf]:
    match tree:
        case t.Subscript(t.Name("p"), (t.Number(operand), t.Number(row), t.Number(column))):
            yield Leaf(int(operand) - 1, int(row) - 1, int(column) - 1)
            return
    for part in t.children(tree):
        yield from _leaves_of(part)


def side_by_side(*factors: Scalar) -> Mul:
    """Return a product that is written without a sign."""
    return Mul(factors, "")


ZERO, ONE, TWO = Num(Quotient.of(0)), Num(1), Num(2)
