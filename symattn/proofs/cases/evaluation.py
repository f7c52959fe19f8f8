"""Formulas of proofs at numbers: a tree, sizes, entries and a finite joint law give a value.

This reads trees by itself, beside the trusted language of proofs, so that what it finds is a second opinion.
Expectations are sums over the outcomes of the law, derivatives are carried along with the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from math import factorial, prod
from typing import TypeAlias

from symattn.errors import InputError, NotationError
from symattn.exact.field.quotient import Quotient
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.proofs.cases.matrices import ARITHMETIC, OF_ARRAYS, are_same, inverse, number_in
from symattn.proofs.cases.numeric_tower import (
    ONE,
    ZERO,
    Number,
    Slope,
    apply,
    negative,
    over,
    plus,
    power,
    slope_of,
    times,
)
from symattn.proofs.concrete.arrays import Array, Value, map_value, part_of, transpose
from symattn.proofs.language.interpretation import plain_name, read_text, split_indices
from symattn.proofs.language.scope import Scope
from symattn.records import dataclass

_MATRIX = 2
"""Indices of a matrix."""
_MAX_SIZE = 64
_MAX_DEPTH = 30
_MAX_WORK = 300_000
_MAX_PLACES = 4_096


Entries: TypeAlias = Mapping[str, Array | Number]


@dataclass(frozen=True, slots=True)
class Model:
    """Values of the names of a scope in one small case.

    Attributes:
        scalars: numbers by name, sizes among them.
        entries: vectors and matrices that are not random.
        law: outcomes of the random quantities with their probabilities.
        permutations: images of 1, 2, ... by name.
        fixed: values of the fixed indices.
    """

    scalars: Mapping[str, Number]
    entries: Entries
    law: tuple[tuple[Fraction, Entries], ...] = ()
    permutations: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    fixed: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Place:
    """Indices that are bound, the outcome that is looked at, values that replace a name, abbreviations around it."""

    indices: Mapping[str, int]
    outcome: Entries | None = None
    moved: tuple[tuple[str, tuple[int, ...], Slope], ...] = ()
    depth: int = 0

    def inside(self, name: str, index: int) -> _Place:
        return _Place({**self.indices, name: index}, self.outcome, self.moved, self.depth)

    def at(self, outcome: Entries) -> _Place:
        return _Place(self.indices, outcome, self.moved, self.depth)


class NumericEvaluator:
    """Evaluator of formulas in a scope, for one model.

    >>> from symattn.proofs.language.scope import Declared
    >>> scope = Scope((Declared("n"), Declared("z", ("n",))))
    >>> model = Model({"n": Fraction(2)}, {"z": Array(((Fraction(3), Fraction(4)),))})
    >>> NumericEvaluator(scope, model).text("sum_{j=1}^{n} z_j^2")
    Fraction(25, 1)
    """

    def __init__(self, scope: Scope, model: Model, most: int = _MAX_WORK) -> None:
        """Prepare an evaluation; `most` bounds the work of all requests together."""
        self.scope = scope
        self.model = model
        self.declared = {item.name: item for item in scope.declared}
        self.defined = {item.name: item for item in scope.defined}
        self.sizes = scope.sizes
        self._work = 0
        self._trees: dict[str, t.Node] = {}
        self._known: dict[tuple[object, ...], Number] = {}
        self._most = most

    def text(self, text: str, indices: Mapping[str, int] | None = None) -> Value:
        """Return the value of plain text; free indices have the values that are given."""
        return self.value(self._tree(text), indices)

    def _tree(self, text: str) -> t.Node:
        if text not in self._trees:
            self._trees[text] = read_text(text, self.scope)
        return self._trees[text]

    def value(self, node: t.Node, indices: Mapping[str, int] | None = None) -> Value:
        """Return the value of a tree.

        Raises:
            InputError: a name has no value, a form is not worked out here, or it takes too long.
            ShapeError: matrices do not conform.
        """
        return self._value(node, _Place(dict(indices or {})))

    def number(self, text: str, indices: Mapping[str, int] | None = None) -> Number:
        """Return the same, where it must be a number."""
        return number_in(self.text(text, indices))

    def size(self, text: str) -> int:
        """Return a length.

        Raises:
            InputError: it is not a whole number, or beyond what is worked out here.
        """
        found = _whole(self.number(text))
        if found > _MAX_SIZE:
            raise InputError(f"A length is beyond {_MAX_SIZE}.")
        return found

    @property
    def spent(self) -> int:
        """Work done so far."""
        return self._work

    def free_places(self, *texts: str) -> Iterator[dict[str, int]]:
        """Yield every value of the indices that are free in some formulas.

        Raises:
            InputError: a formula cannot be read, or there are too many values.
        """
        ranges: dict[str, int] = {}
        for text in texts:
            try:
                node = self._tree(text)
            except NotationError as error:
                raise InputError(f"{text} cannot be read: {error}") from error
            bound = {item.index.text for item in walk(node) if isinstance(item, t.SumOver)}
            for name, size in self._free_indices(node):
                if name not in bound:
                    ranges[name] = min(size, ranges.get(name, size))
        if prod(ranges.values()) > _MAX_PLACES:
            raise InputError("There are too many values of the free indices.")
        names = sorted(ranges)
        for values in product(*(range(1, ranges[name] + 1) for name in names)):
            yield dict(zip(names, values, strict=True))

    def _free_indices(self, node: t.Node) -> Iterator[tuple[str, int]]:
        """Yield the indices with the lengths of their ranges, by their places."""
        open_ended: list[str] = []
        for item in walk(node):
            whole = plain_name(item) if isinstance(item, t.Subscript) else ""
            if not isinstance(item, t.Subscript) or whole in self.declared or whole in self.defined:
                continue
            base = plain_name(item.base) or ""
            sizes = self.sizes.get(base)
            indices = split_indices(item.indices, 2 if sizes is None else len(sizes))
            found = [self._index_name(index) for index in indices]
            if sizes is None:
                open_ended.extend(name for name in found if name)
                continue
            lengths = (self.size(size) for size in sizes)
            yield from ((name, size) for name, size in zip(found, lengths, strict=False) if name)
        largest = max((self.size(size) for entry in self.scope.declared for size in entry.sizes), default=1)
        yield from ((name, largest) for name in open_ended)

    def _index_name(self, index: t.Node) -> str:
        """Return the free name in an index, a permutation of it included; fixed ones are not free."""
        found = [item.text for item in walk(index) if isinstance(item, t.Name)]
        known = {*self.model.fixed, *self.model.permutations}
        return next((name for name in found if name not in known), "")

    def _spend(self, value: Value) -> Value:
        """Count the cost of a value: sums of exponentials grow quickly."""
        if isinstance(value, Slope):
            self._work += 2
            self._spend(value.value)
            self._spend(value.slope)
        if isinstance(value, Quotient):
            self._work += (len(value.numerator.integers[0]) + len(value.denominator.integers[0])) // 4
        return value

    # Trees -----------------------------------------------------------------------------------------

    def _value(self, node: t.Node, place: _Place) -> Value:
        self._work += 1
        if self._work > self._most:
            raise InputError("This takes too long to work out.")
        match node:
            case t.Number():
                return node.value
            case t.Name() | t.Subscript():
                return self._named(node, place)
            case t.Group(body) | t.Boxed(body):
                return self._value(body, place)
            case t.Negative(body):
                return map_value(self._value(body, place), negative)
            case t.Transpose(body):
                return transpose(self._value(body, place))
            case t.Sum(terms, operators):
                total = self._value(terms[0], place)
                for operator, term in zip(operators, terms[1:], strict=True):
                    value = self._value(term, place)
                    total = self._spend(ARITHMETIC.add(total, value if operator == "+" else map_value(value, negative)))
                return total
            case t.Product(factors, operators):
                result = self._value(factors[0], place)
                for operator, factor in zip(operators, factors[1:], strict=True):
                    result = self._spend(
                        ARITHMETIC.multiply(result, self._value(factor, place), dotted=operator == "cdot")
                    )
                return result
            case t.Division(above, below):
                divisor = number_in(self._value(below, place))
                return map_value(self._value(above, place), lambda entry: over(entry, divisor))
            case t.Power():
                return self._power(node, place)
            case t.Root(body, None):
                return apply("sqrt", number_in(self._value(body, place)))
            case t.SumOver(index, _, upper, body, ()) if upper is not None:
                return self._sum(index.text, _whole(number_in(self._value(upper, place))), body, place)
            case t.Call(function, arguments):
                return self._call(function.text, arguments, place)
            case _:
                raise InputError(f"{describe(node)} is not supported here.")

    def _power(self, node: t.Power, place: _Place) -> Value:
        exponent = number_in(self._value(node.exponent, place))
        if node.base == t.Name("e") and "e" not in self.declared:
            return apply("exp", exponent)
        found = self._value(node.base, place)
        if isinstance(found, Array) and exponent == -1 and not found.is_vector:
            return Array(inverse(found.rows), is_vector=False)
        base = number_in(found)
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            return power(base, int(exponent))
        if exponent == Fraction(1, 2):
            return apply("sqrt", base)
        return apply("exp", times(exponent, apply("log", base)))

    def _sum(self, name: str, size: int, body: t.Node, place: _Place) -> Value:
        if not 0 <= size <= _MAX_SIZE:
            raise InputError(f"A sum has more than {_MAX_SIZE} terms.")
        if not size:
            return ZERO
        terms = (self._value(body, place.inside(name, n)) for n in range(1, size + 1))
        return reduce(lambda total, term: self._spend(ARITHMETIC.add(total, term)), terms)

    # Names -----------------------------------------------------------------------------------------

    def _named(self, node: t.Name | t.Subscript, place: _Place) -> Value:
        whole = plain_name(node)
        if whole is not None and (whole in self.declared or whole in self.defined):
            return self._looked_up(whole, (), place)
        if not isinstance(node, t.Subscript):
            raise InputError(f"{describe(node)} has no value here.")
        base = plain_name(node.base)
        if base == "delta" and base not in self.declared:
            indices = self._indices(node, 2, place)
            if len(indices) != 2:
                raise InputError(f"{describe(node)}: a delta must have two indices.")
            return ONE if indices[0] == indices[1] else ZERO
        if base in self.declared:
            return self._looked_up(base, self._indices(node, len(self.declared[base].sizes), place), place)
        if base in self.defined:
            return self._looked_up(base, self._indices(node, len(self.defined[base].indices), place), place)
        array = self._value(node.base, place)
        if not isinstance(array, Array):
            raise InputError(f"{describe(node)} has no value here.")
        return _part(array, self._indices(node, 1 if array.is_vector else 2, place))

    def _looked_up(self, name: str, indices: tuple[int, ...], place: _Place) -> Value:
        for moved, at, value in reversed(place.moved):
            if moved == name and at == indices:
                return value
        if name in self.defined:
            return self._abbreviated(name, indices, place)
        item = self.declared[name]
        source = self.model.scalars if not item.sizes and not item.random else self.model.entries
        if item.random:
            if place.outcome is None:
                raise InputError(f"{name} is random and stands outside an expectation.")
            source = place.outcome
        if name not in source:
            raise InputError(f"{name} has no value here.")
        found = source[name]
        if not isinstance(found, Array):
            return found
        if not indices and any(moved == name for moved, _, _ in place.moved):
            found = self._replaced(name, found, place)
        if len(indices) == 1 and not found.is_vector:
            size = len(found.rows[0])
            return Array((tuple(number_in(self._looked_up(name, (indices[0], n + 1), place)) for n in range(size)),))
        return _part(found, indices)

    def _replaced(self, name: str, found: Array, place: _Place) -> Array:
        rows = [list(row) for row in found.rows]
        for moved, at, value in place.moved:
            if moved == name:
                rows[0 if len(at) == 1 else at[0] - 1][at[-1] - 1] = value
        return Array(tuple(map(tuple, rows)), found.is_vector, found.is_row)

    def _abbreviated(self, name: str, indices: tuple[int, ...], place: _Place) -> Value:
        item = self.defined[name]
        body = self._tree(item.body)
        if place.depth > _MAX_DEPTH:
            raise InputError(f"{name} abbreviates itself.")
        own = _Place({}, place.outcome, place.moved, place.depth + 1)
        if not item.indices:
            return self._value(body, own)

        around = (id(place.outcome), *((moved, at, value.tag) for moved, at, value in place.moved))

        def at(*values: int) -> Number:
            key = (name, values, around)
            if key not in self._known:
                inside = reduce(lambda so_far, pair: so_far.inside(*pair), zip(item.indices, values, strict=True), own)
                self._known[key] = number_in(self._value(body, inside))
            return self._known[key]

        if len(indices) == len(item.indices):
            return at(*indices)
        if len(indices) > len(item.indices):
            raise InputError(f"{name} has fewer indices than it is written with.")
        sizes = [self.size(size) for size in item.sizes]
        rest = [range(1, size + 1) for size in sizes[len(indices) :]]
        if len(rest) == 1:
            return Array((tuple(at(*indices, n) for n in rest[0]),))
        if len(rest) > _MATRIX:
            raise InputError(f"{name} has {len(rest)} indices that are not written: neither a vector nor a matrix.")
        return Array(tuple(tuple(at(*indices, i, j) for j in rest[1]) for i in rest[0]), is_vector=False)

    def _indices(self, node: t.Subscript, rank: int, place: _Place) -> tuple[int, ...]:
        return tuple(self._index(item, place) for item in split_indices(node.indices, rank))

    def _index(self, node: t.Node, place: _Place) -> int:
        match node:
            case t.Number(text) if text.isdecimal():
                return int(text)
            case t.Name(text) if text in place.indices:
                return place.indices[text]
            case t.Name(text) if text in self.model.fixed:
                return self.model.fixed[text]
            case t.Product((t.Name(name), t.Group(inner)), _) | t.Call(t.Name(name), (inner,)) if (
                name in self.model.permutations
            ):
                images = self.model.permutations[name]
                at = self._index(inner, place)
                if at > len(images):
                    raise InputError(f"{name} moves {len(images)} indices, and {at} is none of them.")
                return images[at - 1]
            case t.Group(inner):
                return self._index(inner, place)
            case _:
                raise InputError(f"The index {describe(node)} has no value here.")

    # Functions -------------------------------------------------------------------------------------

    def _call(self, name: str, arguments: tuple[t.Node, ...], place: _Place) -> Value:
        if name == "diff" and len(arguments) == 2:
            return self._derivative(arguments[0], arguments[1], place)
        if name == "E" and len(arguments) in {1, 2}:
            return self._mean(lambda at: self._value(arguments[0], at), place, arguments[1:])
        if name in {"Var", "Cov"}:
            return self._covariance(arguments[0], arguments[-1], place)
        found = [self._value(argument, place) for argument in arguments]
        if len(found) == 1 and isinstance(found[0], Array) and name in OF_ARRAYS:
            return OF_ARRAYS[name](found[0])
        if len(found) == 1 and name == "factorial":
            return _factorial(number_in(found[0]))
        if len(found) == 1:
            return apply(name, number_in(found[0]))
        raise InputError(f"{name} is not supported here.")

    def _mean(self, of: Callable[[_Place], Value], place: _Place, given: tuple[t.Node, ...] = ()) -> Value:
        outcomes = list(self._outcomes(place, given))
        total = sum((weight for weight, _ in outcomes), Fraction(0))
        parts = (map_value(of(place.at(values)), partial(times, weight / total)) for weight, values in outcomes)
        return reduce(lambda total, part: self._spend(ARITHMETIC.add(total, part)), parts)

    def _outcomes(self, place: _Place, given: tuple[t.Node, ...]) -> Iterator[tuple[Fraction, Entries]]:
        """Yield all outcomes, or those that agree with the present one in the given quantities."""
        if not self.model.law:
            yield Fraction(1), {}
            return
        vectors = (node.items if isinstance(node, t.Vector) else (node,) for node in given)
        names = [plain_name(item) or "" for items in vectors for item in items]
        if names and place.outcome is None:
            raise InputError("A conditional expectation stands outside an expectation.")
        for weight, values in self.model.law:
            if all(place.outcome is not None and are_same(values[name], place.outcome[name]) for name in names):
                yield weight, values

    def _covariance(self, first: t.Node, second: t.Node, place: _Place) -> Value:
        def of(*nodes: t.Node) -> Number:
            return number_in(
                self._mean(lambda at: reduce(times, (number_in(self._value(node, at)) for node in nodes)), place)
            )

        return plus(of(first, second), negative(times(of(first), of(second))))

    def _derivative(self, body: t.Node, variable: t.Node, place: _Place) -> Value:
        name, indices = self._variable(variable, place)
        tag = len(place.moved) + 1
        value = Slope(tag, number_in(self._value(variable, place)), ONE)
        inner = _Place(place.indices, place.outcome, (*place.moved, (name, indices, value)), place.depth)
        return map_value(self._value(body, inner), lambda entry: slope_of(entry, tag))

    def _variable(self, node: t.Node, place: _Place) -> tuple[str, tuple[int, ...]]:
        whole = plain_name(node)
        if whole is not None and whole in self.declared and not self.declared[whole].sizes:
            return whole, ()
        base = plain_name(node.base) if isinstance(node, t.Subscript) else None
        if base in self.declared and isinstance(node, t.Subscript):
            return base, self._indices(node, len(self.declared[base].sizes), place)
        raise InputError(f"{describe(node)} is nothing to differentiate by.")


def _part(array: Array, indices: tuple[int, ...]) -> Value:
    found: Value | None = part_of(array, indices)
    if found is None:
        raise InputError("An index is beyond the range of what has it.")
    return found


def _factorial(value: Number) -> Number:
    if isinstance(value, Fraction) and value.denominator == 1 and 0 <= value <= _MAX_SIZE:
        return Fraction(factorial(int(value)))
    raise InputError("The factorial of a small whole number is expected here.")


def _whole(value: Number) -> int:
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    raise InputError("A length is not a whole number here.")
