"""Values of expressions at numbers: sums are enumerated, deltas and permutations are looked up.

It reads the form of an expression as it stands and shares none of the steps that lead to the form, so that
tests can hold a form against what it was built from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Generic, TypeAlias, TypeVar

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expectation import is_mean
from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.terms import DELTA, INVERSE, LOG, ROOT, Atom, Term
from symattn.records import dataclass
from tests.exact.indexed.number_types import ExactNumbers, Numbers

T = TypeVar("T")
Table: TypeAlias = Mapping[tuple[int, ...], T]
"""The entries of an indexed quantity; indices begin at 1."""

_MAX_WORK = 1_000_000
_NAMES = {LOG: "log", ROOT: "sqrt"}
EXACT = ExactNumbers()


@dataclass(frozen=True, slots=True)
class Place(Generic[T]):
    """What the names of an expression are.

    Attributes:
        numbers: the type of the values.
        scalars: numbers by name, sizes among them.
        entries: the entries of indexed quantities by name.
        functions: functions that the number type does not know.
        indices: free and fixed indices; a fixed one that is a number is itself.
        permutations: the images of 1, 2, ... by name.
    """

    numbers: Numbers[T]
    scalars: Mapping[str, T] = field(default_factory=dict)
    entries: Mapping[str, Table[T]] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., T]] = field(default_factory=dict)
    indices: Mapping[Index, int] = field(default_factory=dict)
    permutations: Mapping[str, Sequence[int]] = field(default_factory=dict)


def evaluate(
    expr: Expr,
    sizes: Mapping[str, int],
    scalars: Mapping[str, Fraction | int] | None = None,
    entries: Mapping[str, Table[Fraction | int]] | None = None,
    *,
    indices: Mapping[Index, int] | None = None,
    permutations: Mapping[str, Sequence[int]] | None = None,
) -> Quotient:
    """The exact value at rational numbers; see `value_in` for other numbers and for functions.

    Args:
        expr: what is evaluated.
        sizes: the lengths of ranges by name.
        scalars: other scalars by name.
        entries: the entries of indexed quantities by name.
        indices: the values of free and fixed indices, from 1.
        permutations: the images of 1, 2, ... by name.

    Raises:
        InputError: a name has no value, an expectation is not worked out, or there is no exact value.

    >>> i = ix.free("i")
    >>> total = Expr.sum_over(i, Expr.scalar("n"), Expr.entry("z", i) ** 2)
    >>> str(evaluate(total, {"n": 2}, entries={"z": {(1,): 3, (2,): 4}}))
    '25'
    """
    given = {name: Quotient.of(value) for name, value in {**sizes, **(scalars or {})}.items()}
    tables = {name: _exact(table) for name, table in (entries or {}).items()}
    return value_in(expr, Place(EXACT, given, tables, {}, indices or {}, permutations or {}))


def _exact(table: Table[Fraction | int]) -> dict[tuple[int, ...], Quotient]:
    return {place: Quotient.of(value) for place, value in table.items()}


def value_in(expr: Expr, place: Place[T]) -> T:
    """The value of an expression in numbers of any type.

    Raises:
        InputError: as for `evaluate`.

    >>> from tests.exact.indexed.number_types import FloatNumbers
    >>> numbers = FloatNumbers(20)
    >>> place = Place(numbers, {"x": numbers.constant(1)})
    >>> str(value_in(Expr.function("tanh", Expr.scalar("x")), place))
    '0.76159415595576488812'
    """
    return _Evaluation(place).of(expr, place.indices)


def enumerate_mean(expr: Expr, law: Sequence[tuple[Fraction, Mapping[str, Table[T]]]], place: Place[T]) -> T:
    """The expectation by enumeration: the values at all outcomes, weighted.

    Args:
        expr: what the expectation is taken of.
        law: the outcomes: a probability, and the entries of the random quantities.
        place: what the other names are.

    Raises:
        InputError: the probabilities are no distribution, or as for `evaluate`.

    >>> q = Expr.entry("q", ix.fixed("1"))
    >>> coin = [(Fraction(1, 2), {"q": {(1,): Quotient(side)}}) for side in (-1, 1)]
    >>> str(enumerate_mean(q**2, coin, Place(EXACT)))
    '1'
    """
    if any(probability < 0 for probability, _ in law) or sum(probability for probability, _ in law) != 1:
        raise InputError("The probabilities of a law are not negative, and add up to 1.")
    numbers = place.numbers
    total = numbers.constant(0)
    for probability, outcome in law:
        scalars = {**place.scalars, **{name: table[()] for name, table in outcome.items() if () in table}}
        entries = {**place.entries, **outcome}
        there = Place(numbers, scalars, entries, place.functions, place.indices, place.permutations)
        total = numbers.add(total, numbers.multiply(numbers.constant(probability), value_in(expr, there)))
    return total


class _Evaluation(Generic[T]):
    def __init__(self, place: Place[T]) -> None:
        self.place = place
        self.numbers = place.numbers
        self.work = 0

    def of(self, expr: Expr, indices: Mapping[Index, int]) -> T:
        total = self.numbers.constant(0)
        for term, coefficient in expr.terms:
            bounds = dict(zip(term.bounds(), term.sizes, strict=True))
            for inner in self._runs(bounds, indices):
                value = self.numbers.multiply(self.numbers.constant(coefficient), self._of_term(term, inner))
                total = self.numbers.add(total, value)
        return total

    def _runs(self, bounds: Mapping[Index, Expr], indices: Mapping[Index, int]) -> Iterator[Mapping[Index, int]]:
        """All values of bound indices; one whose range depends on another comes after it."""
        if not bounds:
            self.work += 1
            if self.work > _MAX_WORK:
                raise InputError("A sum has too many terms to be enumerated: take smaller sizes.")
            yield indices
            return
        ready = [index for index, size in bounds.items() if size.indices.isdisjoint(bounds)]
        if not ready:
            raise InputError("The lengths of sums depend on each other in a circle.")
        length = self.numbers.whole(self.of(bounds[ready[0]], indices))
        if length is None or length < 0:
            raise InputError("The length of a sum is not a whole number: give sizes as numbers from 0.")
        rest = {index: size for index, size in bounds.items() if index != ready[0]}
        for value in range(1, length + 1):
            yield from self._runs(rest, {**indices, ready[0]: value})

    def _of_term(self, term: Term[Expr], indices: Mapping[Index, int]) -> T:
        deltas = [atom for atom, _ in term.factors if atom.name == DELTA]
        if any(self._index(atom.indices[0], indices) != self._index(atom.indices[1], indices) for atom in deltas):
            return self.numbers.constant(0)
        value = self.numbers.constant(1)
        for atom, power in term.factors:
            if atom.name == INVERSE:
                factor = self.numbers.power(self.of(atom.arguments[0], indices), -power)
            elif atom.name != DELTA:
                factor = self.numbers.power(self._of_atom(atom, indices), power)
            else:
                continue
            value = self.numbers.multiply(value, factor)
        if term.exponent is not None:
            value = self.numbers.multiply(value, self.numbers.apply("exp", [self.of(term.exponent, indices)]))
        return value

    def _of_atom(self, atom: Atom[Expr], indices: Mapping[Index, int]) -> T:
        if is_mean(atom.name) and atom.arguments:
            raise InputError("An expectation that is not worked out has no value here: work it out first.")
        if atom.arguments:
            arguments = [self.of(argument, indices) for argument in atom.arguments]
            if atom.name in self.place.functions:
                return self.place.functions[atom.name](*arguments)
            return self.numbers.apply(_NAMES.get(atom.name, atom.name), arguments)
        if not atom.indices:
            return _found(self.place.scalars, atom.name, atom.name)
        table = _found(self.place.entries, atom.name, atom.name)
        at = tuple(self._index(index, indices) for index in atom.indices)
        return _found(table, at, f"{atom.name}{list(at)}")

    def _index(self, index: Index, indices: Mapping[Index, int]) -> int:
        if index in indices:
            return indices[index]
        if ix.is_moved(index):
            name, inner = index[0].removesuffix("()"), index[1:]
            images, value = _found(self.place.permutations, name, name), self._index(inner, indices)
            if sorted(images) != list(range(1, len(images) + 1)) or not 1 <= value <= len(images):
                raise InputError(f"{name} is not a permutation of a range that holds {value}.")
            return images[value - 1]
        if ix.is_fixed(index) and index[1].isdecimal():
            return int(index[1])
        raise InputError(f"The index {ix.text(index)} has no value: give it among the indices.")


_K = TypeVar("_K")
_V = TypeVar("_V")


def _found(table: Mapping[_K, _V], key: _K, name: str) -> _V:
    if key not in table:
        raise InputError(f"{name} has no value: give it one.")
    return table[key]
