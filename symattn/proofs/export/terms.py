"""Terms of exported proofs: numbers made of entries, sums, deltas and functions, as they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from symattn.errors import InputError
from symattn.records import dataclass


class NotExportedError(InputError):
    """A form that the export does not know; the claim is left out with this reason."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index: a letter that runs through a range, or a fixed value of it, perhaps moved by permutations.

    Attributes:
        name: the letter.
        size: the length of its range, a name or a numeral.
        moves: permutations that are applied to it, the outermost first.
        is_fixed: whether it stands for one value.
    """

    name: str
    size: str
    moves: tuple[str, ...] = ()
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class Num:
    """A rational number."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Size:
    """The length of a range, as a number."""

    name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a declared quantity."""

    name: str
    indices: tuple[Index, ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """An entry of a definition."""

    name: str
    indices: tuple[Index, ...] = ()


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum over all values of an index."""

    index: Index
    body: Term


@dataclass(frozen=True, slots=True)
class Delta:
    """One where two indices agree, and zero elsewhere."""

    first: Index
    second: Index


@dataclass(frozen=True, slots=True)
class Add:
    """A sum of two terms."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Mul:
    """A product of two factors."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Div:
    """A quotient."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Neg:
    """A negative."""

    body: Term


@dataclass(frozen=True, slots=True)
class Pow:
    """A power with a natural exponent."""

    body: Term
    exponent: int


@dataclass(frozen=True, slots=True)
class Fn:
    """A function of numbers, by its name: one of ``names.py``, or ``@`` and that of a function of the record."""

    name: str
    body: Term


@dataclass(frozen=True, slots=True)
class Diff:
    """A partial derivative by a declared number or entry."""

    body: Term
    variable: Entry


@dataclass(frozen=True, slots=True)
class Lim:
    """A limit in a declared number.

    Attributes:
        variable: the number.
        target: ``oo``, ``-oo``, or the point.
        body: the function of the number.
        one_sided: whether the number is not negative, and the point is 0.
    """

    variable: Entry
    target: Term | str
    body: Term
    one_sided: bool


@dataclass(frozen=True, slots=True)
class Pi:
    """The number pi."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A number that random numbers have: ``mean``, ``variance`` or ``covariance`` of them, or ``cdf`` at a point.

    Attributes:
        name: the word.
        bodies: the random numbers, one or two.
        points: the point of a distribution function.
    """

    name: str
    bodies: tuple[Term, ...]
    points: tuple[Term, ...] = ()


Term: TypeAlias = Num | Size | Entry | Use | Sum | Delta | Add | Mul | Div | Neg | Pow | Fn | Diff | Lim | Pi | Chance


Equation: TypeAlias = tuple[tuple[Index, ...], Term, str]
"""What a quantity is equal to: its indices, the value and the name of the equation in Coq."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Equations that a step may rewrite with.

    Attributes:
        values: for a name, its indices, its value and the hypothesis.
        contractions: for names of two families (or one and nothing), the indices, the value and the hypothesis.
        positive: names of which every entry is positive.
    """

    values: Mapping[str, Equation]
    contractions: Mapping[tuple[str, str], Equation]
    positive: frozenset[str]


ZERO, ONE = Num(Fraction(0)), Num(Fraction(1))


def parts(term: Term) -> tuple[Term, ...]:
    """Return the terms right below a term."""
    match term:
        case Sum(_, body) | Neg(body) | Pow(body, _) | Fn(_, body):
            return (body,)
        case Add(left, right) | Mul(left, right) | Div(left, right):
            return (left, right)
        case Diff(body, variable):
            return (body, variable)
        case Lim(_, target, body, _):
            return (body,) if isinstance(target, str) else (target, body)
        case Chance(_, bodies, points):
            return (*bodies, *points)
        case _:
            return ()


def rebuilt(term: Term, change: Callable[[Term], Term]) -> Term:
    """Return a term with changed parts; the variable of a derivative or a limit stays."""
    match term:
        case Sum(_, body) | Neg(body) | Pow(body, _) | Fn(_, body) | Diff(body, _):
            return replace(term, body=change(body))
        case Add(left, right) | Mul(left, right) | Div(left, right):
            return replace(term, left=change(left), right=change(right))
        case Lim(_, target, body, _):
            return replace(term, target=target if isinstance(target, str) else change(target), body=change(body))
        case Chance(_, bodies, points):
            return replace(term, bodies=tuple(map(change, bodies)), points=tuple(map(change, points)))
        case _:
            return term


def walk(term: Term) -> Iterator[Term]:
    """Iterate over a term and all terms below it."""
    yield term
    for part in parts(term):
        yield from walk(part)


def own_indices(term: Term) -> tuple[Index, ...]:
    """Return the indices of an entry or a delta itself."""
    match term:
        case Entry(_, indices) | Use(_, indices):
            return indices
        case Delta(first, second):
            return (first, second)
        case _:
            return ()


def map_indices(term: Term, change: Callable[[Index], Index]) -> Term:
    """Return a term with the indices of its entries and deltas changed."""
    match term:
        case Entry(name, indices):
            return Entry(name, tuple(map(change, indices)))
        case Use(name, indices):
            return Use(name, tuple(map(change, indices)))
        case Delta(first, second):
            return Delta(change(first), change(second))
        case Diff(body, Entry(name, indices)):
            return Diff(map_indices(body, change), Entry(name, tuple(map(change, indices))))
        case _:
            return rebuilt(term, lambda part: map_indices(part, change))


def with_indices(term: Term, given: Mapping[Index, Index]) -> Term:
    """Return a term in which letters are replaced; an index keeps the permutations that stand before it."""

    def at(index: Index) -> Index:
        found = given.get(Index(index.name, index.size, (), index.is_fixed))
        return index if found is None else Index(found.name, found.size, index.moves + found.moves, found.is_fixed)

    return map_indices(term, at)


@lru_cache(maxsize=100_000)
def free_indices(term: Term) -> frozenset[Index]:
    """Return the letters, without permutations, that no sum binds."""
    own = frozenset(Index(item.name, item.size) for item in own_indices(term) if not item.is_fixed)
    found = own.union(*map(free_indices, parts(term)))
    return found - {term.index} if isinstance(term, Sum) else found


def fixed_indices(term: Term) -> frozenset[Index]:
    """Return the fixed indices of a term, without permutations."""
    return frozenset(
        Index(item.name, item.size, (), is_fixed=True)
        for part in walk(term)
        for item in own_indices(part)
        if item.is_fixed
    )


@lru_cache(maxsize=100_000)
def height(term: Term) -> int:
    """Return how many sums are nested in a term."""
    return max(map(height, parts(term)), default=0) + isinstance(term, Sum)


@lru_cache(maxsize=100_000)
def key(term: Term) -> str:
    """Return a text by which terms are put in order."""
    return _text(term, None)


def shape(term: Term) -> str:
    """Return a text that two terms share exactly when they differ by the names of bound indices alone."""
    return _text(term, ())


def _text(term: Term, bound: tuple[Index, ...] | None) -> str:
    """Return a text of a term; bound indices by their places in `bound`, or by name where there is None."""

    def at(index: Index) -> str:
        moves = "".join(f"{move}(" for move in index.moves)
        plain = Index(index.name, index.size)
        if bound and not index.is_fixed and plain in bound:
            return f"{moves}@{bound.index(plain)}"
        return f"{moves}{index.name}{'!' if index.is_fixed else ''}"

    def said(*below: Term) -> str:
        return ";".join(key(part) if bound is None else _text(part, bound) for part in below)

    match term:
        case Entry(name, indices) | Use(name, indices):
            return f"{name}[{','.join(map(at, indices))}]"
        case Delta(first, second):
            return f"#[{at(first)},{at(second)}]"
        case Num(value):
            return str(value)
        case Size(name):
            return f"%{name}"
        case Sum(index, body):
            if bound is None:
                return f"S({at(index)}:{index.size};{said(body)})"
            return f"S({index.size};{_text(body, (index, *bound))})"
        case Pow(body, exponent):
            return f"({said(body)})^{exponent}"
        case Fn(name) | Chance(name):
            return f"{name}({said(*parts(term))})"
        case _:
            return f"{type(term).__name__}({said(*parts(term))})"
