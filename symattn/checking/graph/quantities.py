"""Computation graph: quantities, each an input or defined by a formula in earlier ones.

The same graph serves an attention layer and a problem with definitions of its own. A `Valuation` works
out every entry from the inputs and from numbers that somebody wrote down on the way.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Literal, TypeAlias

from symattn.errors import EffortError, InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.functions import exponential
from symattn.exact.reals.sign import compare
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.graph.builders.layer import Layer, step_of
from symattn.graph.quantities import quantity as q
from symattn.problem.model import Problem
from symattn.records import dataclass

Axis: TypeAlias = Literal["rows", "columns", "all"]
Cell: TypeAlias = tuple[str, int, int]
"""A quantity and an entry of it, counted from 0."""

ZERO, ONE = Quotient.of(0), Quotient.of(1)

_FEW = 4

_MAX_TERMS = 50_000
"""Terms over one denominator up to which quotients are added: six rows of six weights."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to another quantity."""

    name: str


@dataclass(frozen=True, slots=True)
class Transposed:
    """The transpose."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Times:
    """A product of matrices."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Scaled:
    """Each entry times one number, which is a quantity of one entry."""

    factor: str
    of: Formula


@dataclass(frozen=True, slots=True)
class Multiple:
    """Each entry times a number that is not a quantity itself."""

    number: Quotient
    of: Formula


@dataclass(frozen=True, slots=True)
class Exponential:
    """``e`` to the power of each entry."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Softmax:
    """The softmax of each line, or of all entries together; with `extra`, 1 more in the denominator."""

    of: Formula
    axis: Axis
    extra: bool = False


@dataclass(frozen=True, slots=True)
class LineSum:
    """The sum of each line, as a column; with `extra`, 1 more."""

    of: Formula
    axis: Axis
    extra: bool = False


@dataclass(frozen=True, slots=True)
class LineMaximum:
    """The largest entry of each line, as a column."""

    of: Formula
    axis: Axis


@dataclass(frozen=True, slots=True)
class Ratio:
    """Each entry over the number of its line.

    A line of `scores` that is all minus infinity has the value of `empty` instead.
    """

    numerator: Formula
    denominator: Formula
    axis: Axis
    empty: q.Empty = "undefined"
    scores: str = ""


@dataclass(frozen=True, slots=True)
class Less:
    """Each entry less the number of its line."""

    of: Formula
    by: Formula
    axis: Axis


@dataclass(frozen=True, slots=True)
class Constant:
    """Numbers that are not a quantity themselves."""

    values: Matrix


@dataclass(frozen=True, slots=True)
class Plus:
    """The sum entry by entry; a row, a column or a number is broadcast."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Minus:
    """The difference entry by entry, likewise."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class EachTimes:
    """The product entry by entry, likewise."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class EachOver:
    """The quotient entry by entry."""

    left: Formula
    right: Formula


Way: TypeAlias = Literal["add", "keep", "drop"]
"""What a mask has for a key that is hidden: minus infinity (it is added), 0 (it keeps the others), or 1."""


@dataclass(frozen=True, slots=True)
class Masked:
    """Scores, minus infinity where a key is hidden."""

    of: Formula
    by: Formula
    way: Way


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring rows or columns, from `start`, counted from 0, to before `stop`."""

    of: Formula
    axis: q.Axis
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Joined:
    """Matrices side by side (they have more columns), or stacked."""

    parts: tuple[Formula, ...]
    axis: q.Axis


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of matrices, entry by entry."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Mapped:
    """A function of each entry: an activation by its name."""

    function: str
    of: Formula


@dataclass(frozen=True, slots=True)
class OverRoot:
    """Each entry over the square root of the number of its line, with another number added under the root or not.

    ``is_inside`` is False where that stands beside the root.
    """

    of: Formula
    by: Formula
    eps: Formula | None
    axis: Axis
    is_inside: bool = True


Formula: TypeAlias = (
    Ref
    | Transposed
    | Times
    | Scaled
    | Multiple
    | Exponential
    | Softmax
    | LineSum
    | LineMaximum
    | Ratio
    | Less
    | Constant
    | Plus
    | Minus
    | EachTimes
    | EachOver
    | Masked
    | Part
    | Joined
    | Mean
    | Mapped
    | OverRoot
)


def parts(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas directly inside a formula."""
    match formula:
        case Ref() | Constant():
            return ()
        case Times() | Plus() | Minus() | EachTimes() | EachOver():
            return (formula.left, formula.right)
        case Masked(of, by):
            return (of, by)
        case Joined(items) | Mean(items):
            return items
        case Ratio(numerator, denominator):
            return (numerator, denominator)
        case Less(of, by):
            return (of, by)
        case OverRoot(of, by, eps):
            return (of, by) if eps is None else (of, by, eps)
        case _:
            return (formula.of,)


def transpose(formula: Formula) -> Formula:
    """Return the transpose, of a transpose the formula itself."""
    return formula.of if isinstance(formula, Transposed) else Transposed(formula)


def substitute(formula: Formula, name: str, instead: Formula) -> Formula:
    """Return a factor, transposed or not, with another one in the place of a quantity."""
    if isinstance(formula, Transposed):
        return Transposed(substitute(formula.of, name, instead))
    return instead if formula == Ref(name) else formula


def names_in(formula: Formula) -> frozenset[str]:
    """Return the quantities that a formula uses, the factor of a scale included."""
    own = {formula.name} if isinstance(formula, Ref) else set()
    if isinstance(formula, Ratio) and formula.scores:
        own.add(formula.scores)
    if isinstance(formula, Scaled):
        own.add(formula.factor)
    return frozenset(own).union(*(names_in(part) for part in parts(formula)))


@dataclass(frozen=True, slots=True)
class Node:
    """One quantity: its shape and its definition (None for an input)."""

    name: str
    shape: tuple[int, int]
    formula: Formula | None
    step: str = ""
    """The step of a rounding policy that makes it; empty for what is never rounded."""
    slips: tuple[tuple[str, str, tuple[tuple[str, Formula], ...]], ...] = ()
    """Mistakes that can be made at it alone: a code, what is said, and the definitions that they change."""


class Graph:
    """Quantities in the order of their computation, with the values of the inputs.

    Args:
        nodes: the quantities.
        given: the values of those without a formula.
        known: values of others that were worked out before, so that nobody does it again.
    """

    def __init__(
        self, nodes: Mapping[str, Node], given: Mapping[str, Matrix], known: Mapping[str, Matrix] | None = None
    ) -> None:
        self.nodes = dict(nodes)
        self.given = dict(given)
        self.known = dict(known or {})
        self._parents: dict[str, frozenset[str]] = {}
        self.order = {name: position for position, name in enumerate(nodes)}

    def __contains__(self, name: str) -> bool:
        return name in self.nodes

    def shape(self, name: str) -> tuple[int, int]:
        """Return rows and columns."""
        return self.nodes[name].shape

    def cells(self, name: str) -> Iterator[Cell]:
        """Yield every entry of a quantity."""
        rows, columns = self.shape(name)
        return ((name, i, j) for i in range(rows) for j in range(columns))

    def parents(self, name: str) -> frozenset[str]:
        """Return the quantities that a quantity is computed from directly."""
        if name not in self._parents:
            formula = self.nodes[name].formula
            self._parents[name] = frozenset() if formula is None else names_in(formula)
        return self._parents[name]

    def below(self, name: str) -> list[str]:
        """Return everything that is computed from a quantity, directly or not."""
        found = {name}
        for other in self.nodes:
            if found & self.parents(other):
                found.add(other)
        return [other for other in self.nodes if other in found and other != name]


Rounded: TypeAlias = Callable[[str, Quotient], Quotient]
"""How a value of a quantity is rounded before it is used further."""


class Valuation:
    """Values of all entries, from the inputs and from written intermediate results.

    Args:
        graph: the quantities.
        written: entries whose value is taken as somebody wrote it.
        ignore: quantities whose written entries are not used.
        rounded: how computed values are rounded; not at all when None.
        raises: whether a value that takes too much work is an error, and not one that an entry does not have: for
            what a verdict rests on, and not only a probe.
        most: how many terms a sum may have over one denominator; a longer one is known by enclosures alone.
    """

    def __init__(
        self,
        graph: Graph,
        written: Mapping[Cell, Quotient] | None = None,
        ignore: frozenset[str] = frozenset(),
        rounded: Rounded | None = None,
        *,
        raises: bool = False,
        most: int | None = None,
    ) -> None:
        self.graph = graph
        self.raises = raises
        self.most = most
        self.written = written or {}
        self.ignore = ignore
        self.rounded = rounded
        self._found: dict[Cell, Quotient | None] = {}
        self._exact = {} if rounded is not None else self._untouched()

    def with_written(self, cell: Cell, value: Quotient) -> Valuation:
        """Return a valuation with one more number written, or another one; independent values are kept."""
        found = Valuation(self.graph, {**self.written, cell: value}, self.ignore, self.rounded, raises=self.raises)
        below = set() if cell[0] in self.ignore else set(self.graph.below(cell[0]))
        found._found = {other: known for other, known in self._found.items() if other[0] not in below}
        return found

    def get(self, name: str, i: int, j: int) -> Quotient | None:
        """Return the value of an entry, None where it has none (a sum that is zero divides it)."""
        cell = (name, i, j)
        if name not in self.ignore and cell in self.written:
            return self.written[cell]
        exact = self._exact.get(name)
        if exact is not None:
            return defined(exact[i, j])
        return self.step(cell)

    def _untouched(self) -> dict[str, Matrix]:
        """Return known values, independent of the submission."""
        if not self.graph.known:
            return {}
        touched = {cell[0] for cell in self.written if cell[0] not in self.ignore}
        later = touched.union(*(self.graph.below(name) for name in touched))
        # An entry that was written stands before what is known of it.
        return {name: values for name, values in self.graph.known.items() if name not in later}

    def step(self, cell: Cell) -> Quotient | None:
        """Return the value of an entry from its formula, whatever was written for it.

        Raises:
            EffortError: it takes too much work, and that is an error here.
        """
        if cell not in self._found:
            try:
                self._found[cell] = self._worked_out(cell)
            except EffortError:
                if self.raises:
                    raise
                self._found[cell] = None
        return self._found[cell]

    def _worked_out(self, cell: Cell) -> Quotient | None:
        name, i, j = cell
        formula = self.graph.nodes[name].formula
        if formula is None:
            return self.graph.given[name][i, j]
        if name in self.graph.known and self._rests_on_exact(name):
            return defined(self.graph.known[name][i, j])
        value = self.entry(formula, i, j)
        if value is None or self.rounded is None or not value.is_finite:
            return value
        return self.rounded(name, value)

    def _rests_on_exact(self, name: str) -> bool:
        return self.rounded is None and all(parent in self._exact for parent in self.graph.parents(name))

    def entry(self, formula: Formula, i: int, j: int) -> Quotient | None:
        """Return one entry of a formula."""
        match formula:
            case Ref(name):
                return self.get(name, i, j)
            case Transposed(of):
                return self.entry(of, j, i)
            case Times(left, right):
                inner = self.shape(left)[1]
                pairs = [(self.entry(left, i, k), self.entry(right, k, j)) for k in range(inner)]
                return inner_product(pairs, self.most)
            case Scaled(factor, of):
                return multiplied(self.get(factor, 0, 0), self.entry(of, i, j))
            case Multiple(factor_value, of):
                return multiplied(factor_value, self.entry(of, i, j))
            case Exponential(of):
                return exponential_if_known(self.entry(of, i, j))
            case Softmax(of, axis, extra):
                line = [exponential_if_known(self.entry(of, *place)) for place in line_of(self.shape(of), axis, i, j)]
                return divided(exponential_if_known(self.entry(of, i, j)), added([*line, ONE] if extra else line))
            case LineSum(of, axis, extra):
                found = [self.entry(of, *place) for place in line_of(self.shape(of), axis, i, i)]
                return added([*found, ONE] if extra else found)
            case LineMaximum(of, axis):
                return largest([self.entry(of, *place) for place in line_of(self.shape(of), axis, i, i)])
            case Ratio(numerator, denominator, axis, empty, scores):
                if scores and empty != "undefined" and self._is_hidden(scores, axis, i, j):
                    return ZERO if empty == "zeros" else ONE / len(line_of(self.graph.shape(scores), axis, i, j))
                number = i if axis == "rows" else j
                return divided(self.entry(numerator, i, j), self.entry(denominator, number, 0))
            case Less(of, by, axis):
                number = i if axis == "rows" else j
                return combined(minus, self.entry(of, i, j), self.entry(by, number, 0))
            case Constant(values):
                return values[i, j]
            case Plus(left, right):
                return combined(plus, self.spread(left, i, j), self.spread(right, i, j))
            case Minus(left, right):
                return combined(minus, self.spread(left, i, j), self.spread(right, i, j))
            case EachTimes(left, right):
                return combined(operator.mul, self.spread(left, i, j), self.spread(right, i, j))
            case EachOver(left, right):
                return divided(self.entry(left, i, j), self.entry(right, i, j))
            case Masked(of, by, way):
                return masked(self.entry(of, i, j), self.spread(by, i, j), way)
            case Part(of, axis, start):
                return self.entry(of, i, j + start) if axis == "columns" else self.entry(of, i + start, j)
            case Joined(items, axis):
                return self.entry(*joined_place(items, axis, (i, j), self.graph))
            case OverRoot(of, by, eps, axis, is_inside):
                # start-up: few problems have blocks
                from symattn.checking.graph.block_operations import over_root

                number = i if axis == "rows" else j
                added_eps = ZERO if eps is None else self.entry(eps, 0, 0)
                return over_root(self.entry(of, i, j), self.entry(by, number, 0), added_eps, is_inside=is_inside)
            case Mapped(function, of):
                # start-up: few problems have blocks
                from symattn.checking.graph.block_operations import mapped

                return mapped(function, self.entry(of, i, j))
            case Mean(items):
                return multiplied(added(self.entry(item, i, j) for item in items), ONE / len(items))

    def spread(self, formula: Formula, i: int, j: int) -> Quotient | None:
        """Return one entry of a broadcast formula."""
        return self.entry(formula, *spread_place(self.shape(formula), i, j))

    def _is_hidden(self, scores: str, axis: Axis, i: int, j: int) -> bool:
        """Return whether every score of a line is minus infinity."""
        line = line_of(self.graph.shape(scores), axis, i, j)
        return all(self.get(scores, *place) is MINUS_INFINITY for place in line)

    def shape(self, formula: Formula) -> tuple[int, int]:
        """Return the shape of a formula."""
        return shape_of(formula, self.graph)

    def matrix(self, name: str) -> list[list[Quotient | None]]:
        """Return all entries of a quantity."""
        rows, columns = self.graph.shape(name)
        return [[self.get(name, i, j) for j in range(columns)] for i in range(rows)]


def shape_of(formula: Formula, graph: Graph) -> tuple[int, int]:
    """Return rows and columns of a formula whose parts fit."""
    match formula:
        case Ref(name):
            return graph.shape(name)
        case Transposed(of):
            rows, columns = shape_of(of, graph)
            return columns, rows
        case Times(left, right):
            return shape_of(left, graph)[0], shape_of(right, graph)[1]
        case LineSum(of, axis) | LineMaximum(of, axis):
            rows, columns = shape_of(of, graph)
            return {"rows": rows, "columns": columns, "all": 1}[axis], 1
        case Ratio(numerator):
            return shape_of(numerator, graph)
        case Constant(values):
            return values.shape
        case Plus(left, right) | Minus(left, right) | EachTimes(left, right):
            first, second = shape_of(left, graph), shape_of(right, graph)
            return max(first[0], second[0]), max(first[1], second[1])
        case EachOver(left):
            return shape_of(left, graph)
        case Part(of, axis, start, stop):
            rows, columns = shape_of(of, graph)
            return (rows, stop - start) if axis == "columns" else (stop - start, columns)
        case Joined(items, axis):
            shapes = [shape_of(item, graph) for item in items]
            if axis == "columns":
                return shapes[0][0], sum(shape[1] for shape in shapes)
            return sum(shape[0] for shape in shapes), shapes[0][1]
        case Mean(items):
            return shape_of(items[0], graph)
        case _:
            return shape_of(formula.of, graph)


def spread_place(shape: tuple[int, int], i: int, j: int) -> tuple[int, int]:
    """Return the entry of a row, a column or a number that is broadcast to an entry of a matrix."""
    return (i if shape[0] > 1 else 0), (j if shape[1] > 1 else 0)


def joined_place(
    parts: tuple[Formula, ...], axis: q.Axis, place: tuple[int, int], graph: Graph
) -> tuple[Formula, int, int]:
    """Return the part of joined matrices that contains an entry, and the entry's place in it.

    Raises:
        IndexError: the entry does not exist.
    """
    i, j = place
    for part in parts:
        rows, columns = shape_of(part, graph)
        if axis == "columns" and j >= columns:
            j -= columns
        elif axis == "rows" and i >= rows:
            i -= rows
        else:
            return part, i, j
    raise IndexError(f"joined matrices have no entry {place}")


def line_of(shape: tuple[int, int], axis: Axis, i: int, j: int) -> list[tuple[int, int]]:
    """Return the entries that share a line with an entry, itself included."""
    rows, columns = shape
    if axis == "rows":
        return [(i, k) for k in range(columns)]
    if axis == "columns":
        return [(k, j) for k in range(rows)]
    return [(k, m) for k in range(rows) for m in range(columns)]


def added(values: Iterable[Quotient | None]) -> Quotient | None:
    """Return the sum, None when a term is undefined."""
    return inner_product([(value, ONE) for value in values])


def inner_product(pairs: list[tuple[Quotient | None, Quotient | None]], most: int | None = None) -> Quotient | None:
    """Return the sum of products, None when a factor is undefined; enclosed where it has more terms than `most`."""
    kept = [(first, second) for first, second in pairs if first is not None and second is not None]
    if len(kept) != len(pairs):
        return None
    if not all(first.is_finite and second.is_finite for first, second in kept):
        total: Quotient | None = ZERO
        for pair in kept:
            total = combined(operator.add, total, combined(operator.mul, *pair))
        return total
    if len({id(value.denominator) for pair in kept for value in pair if is_long(value)}) > 1:
        return _over_several([first * second for first, second in kept], most)
    if len(kept) < _FEW:
        return reduce(lambda total, pair: total + pair[0] * pair[1], kept, ZERO)
    try:
        # The product of matrices adds up long rows at once.
        return (Matrix([[first for first, _ in kept]]) @ Matrix([[second] for _, second in kept]))[0, 0]
    except InputError:
        return _long_sum([first * second for first, second in kept])


def _over_several(parts: list[Quotient], most: int | None) -> Quotient | None:
    """Return a sum over lines with sums of their own under the bar; None for too many terms."""
    from symattn.exact.field.common_denominator import added as common  # start-up: few works are about gradients

    if most is not None and _terms_of(set(_denominators(parts))) > most:
        from symattn.exact.reals.elementary import unexpanded  # start-up: few problems leave the decidable theory

        return unexpanded(parts)
    if not all(part.is_finite and part.is_closed for part in parts):
        return reduce(operator.add, parts, ZERO)
    try:
        return common(parts)
    except InputError:
        return None


def _long_sum(parts: list[Quotient]) -> Quotient | None:
    """Return a sum whose terms have denominators of their own, column sums of weights say; None if too long."""
    return reduce(operator.add, parts, ZERO) if _terms_of(_denominators(parts)) <= _MAX_TERMS else None


def _denominators(parts: list[Quotient]) -> list[ExpSum]:
    return [part.denominator for part in parts if part.is_closed and not part.is_zero]


def _terms_of(denominators: Iterable[ExpSum]) -> int:
    """Return how many terms the product of sums has at most."""
    return prod(len(denominator.terms()) for denominator in denominators)


def plus(first: Quotient, second: Quotient) -> Quotient:
    """Return the sum, over a denominator in which no common factor stands twice."""
    if not (is_long(first) and is_long(second)):
        return first + second
    from symattn.exact.field.common_denominator import added as common  # start-up: few works are about gradients

    return common((first, second))


def minus(first: Quotient, second: Quotient) -> Quotient:
    """Return the difference, likewise."""
    return plus(first, -second)


def is_long(value: Quotient) -> bool:
    """Return whether a value is a closed form over a sum of several terms, which would make another one longer."""
    return value.is_finite and value.is_closed and len(value.denominator.integers[0]) > 1


def defined(value: Quotient) -> Quotient | None:
    """Return a value, None where it is undefined."""
    return None if value is UNDEFINED else value


def combined(
    operation: Callable[[Quotient, Quotient], Quotient], first: Quotient | None, second: Quotient | None
) -> Quotient | None:
    """Return the combination of two values, None when one or the result is undefined."""
    if first is None or second is None:
        return None
    try:
        return defined(operation(first, second))
    except InputError:
        return None  # minus infinity times a factor without a sign, or a negative one


def masked(score: Quotient | None, mask: Quotient | None, way: Way) -> Quotient | None:
    """Return a score under its entry of a mask."""
    if mask is None or way == "add":
        return combined(operator.add, score, mask)
    is_hidden = mask.is_zero == (way == "keep")
    return MINUS_INFINITY if is_hidden else score


def multiplied(first: Quotient | None, second: Quotient | None) -> Quotient | None:
    """Return the product, None when a factor is undefined."""
    return combined(operator.mul, first, second)


def divided(above: Quotient | None, below: Quotient | None) -> Quotient | None:
    """Return the quotient, None when it is undefined."""
    return None if below is None or below.is_zero else combined(operator.truediv, above, below)


def largest(values: list[Quotient | None]) -> Quotient | None:
    """Return the largest, None when one is undefined or has a free symbol."""
    kept = [value for value in values if value is not None]
    if len(kept) != len(values) or not kept or any(value.symbols for value in kept):
        return None
    return reduce(lambda best, value: value if compare(value, best) > 0 else best, kept)


def exponential_if_known(exponent: Quotient | None) -> Quotient | None:
    """Return ``e`` to a power, None where that is undefined here."""
    power = None if exponent is None else exponential(exponent)
    return None if power is None else defined(power)


def operands_of(formula: Formula | None) -> list[tuple[str, bool]]:
    """Return the two quantities of a product, each with whether it is transposed, or nothing."""
    if not isinstance(formula, Times):
        return []
    found = []
    for part in (formula.left, formula.right):
        match part:
            case Ref(name):
                found.append((name, False))
            case Transposed(Ref(name)):
                found.append((name, True))
            case _:
                return []
    return found


def scores_of(formula: Formula | None, graph: Graph) -> Formula | None:
    """Return the argument of a quantity's softmax."""
    if isinstance(formula, Softmax):
        return formula.of
    if isinstance(formula, Ratio) and isinstance(formula.numerator, Ref):
        inner = graph.nodes[formula.numerator.name].formula
        return inner.of if isinstance(inner, Exponential) else None
    return None


# From a problem --------------------------------------------------------------------------------------


def _of_quantity(quantity: q.Quantity, sizes: Mapping[str, tuple[int, int]]) -> Formula | None:
    match quantity.definition:
        case q.ProductOf(left, right, plus):
            product = Times(_operand(left), _operand(right))
            return Plus(product, Ref(plus)) if plus else product
        case q.ScaledBy(factor, of):
            return Scaled(factor, Ref(of))
        case q.LineMaximum(of, axis):
            return LineMaximum(Ref(of), axis)
        case q.ShiftedBy(of, by, axis):
            return Less(Ref(of), Ref(by), axis)
        case q.ExponentialOf(of):
            return Exponential(Ref(of))
        case q.LineSum(of, axis):
            return LineSum(Ref(of), axis)
        case q.PlusOneSum(of, axis):
            return LineSum(Ref(of), axis, extra=True)
        case q.RatioOf(numerator, denominator, axis, empty, scores):
            return Ratio(Ref(numerator), Ref(denominator), axis, empty, scores)
        case q.SumOf(left, right):
            return Plus(Ref(left), Ref(right))
        case q.MaskedBy(of, mask):
            return Masked(Ref(of), Ref(mask), "add")
        case q.PartOf(of, axis, start, stop):
            return Part(Ref(of), axis, start - 1, stop)
        case q.JoinedOf(names, axis):
            return Joined(tuple(map(Ref, names)), axis)
        case q.MeanOf(names):
            return Mean(tuple(map(Ref, names)))
        case _ if isinstance(quantity.definition, q.BlockDefinition):
            # start-up: few problems have blocks
            from symattn.checking.graph.block_operations import formula_of

            return formula_of(quantity.definition, sizes)
        case q.DifferenceOf(left, right):
            return Minus(Ref(left), Ref(right))
        case q.SoftmaxOf(of, axis):
            return Softmax(Ref(of), axis)
        case q.ShareOf(of, count):
            return Mean((Ref(of), *(Constant(Matrix([[0] * quantity.shape[1]] * quantity.shape[0])),) * (count - 1)))
        case q.ProductsOf(pairs, factor):
            products: list[Formula] = [Times(_operand(left), _operand(right)) for left, right in pairs]
            whole = reduce(Plus, products)
            return Scaled(factor, whole) if factor else whole
        case q.TotalLine(of, axis):
            sums = LineSum(Ref(of), "columns" if axis == "rows" else "rows")
            return Transposed(sums) if axis == "rows" else sums
        case q.LineDot(left, right, axis):
            return LineSum(EachTimes(Ref(left), Ref(right)), axis)
        case q.SoftmaxGradientOf(weights, gradient, dots, axis):
            return EachTimes(Ref(weights), Less(Ref(gradient), Ref(dots), axis))
        case _:
            return None


def _operand(operand: q.Operand) -> Formula:
    ref = Ref(operand.name)
    return Transposed(ref) if operand.transposed else ref


def graph_of_layer(layer: Layer) -> Graph:
    """Return the graph of an attention layer, without the summaries that are known by their digits alone."""
    kept = {name: item for name, item in layer.scene.quantities.items() if not item.digits}
    sizes = {name: item.shape for name, item in kept.items()}
    nodes: dict[str, Node] = {}
    known = {name: item.exact for name, item in kept.items()}
    for name, item in kept.items():
        nodes[name] = Node(name, item.shape, _of_quantity(item, sizes), step_of(name))
        nodes.update({part.name: part for part in _weights_of_heads(layer, nodes[name])})
    if layer.problem.softcap is not None or layer.problem.gradient is not None:
        # start-up: few problems have a cap or a loss
        from symattn.checking.graph.softcaps_and_losses import formula_of as of_cap_or_loss

        for name, item in kept.items():
            if nodes[name].formula is None:
                nodes[name] = replace(nodes[name], formula=of_cap_or_loss(layer, item))
    if layer.problem.positions is not None or layer.problem.cached or layer.problem.online:
        # start-up: few problems have positions, a cache or blocks
        from symattn.checking.mistakes.positions import formula_of

        for name, item in kept.items():
            nodes[name] = replace(nodes[name], formula=nodes[name].formula or formula_of(layer, item))
    return Graph(nodes, {name: known[name] for name in kept if nodes[name].formula is None}, known)


def _weights_of_heads(layer: Layer, node: Node) -> Iterator[Node]:
    """Yield the part of stacked weights that projects each head, which is not a quantity of a layer."""
    letter = node.name.removeprefix("W_")
    count = layer.problem.heads if letter == "Q" else layer.problem.kv_heads
    made = layer.recipes.get(letter)
    if node.name not in {"W_Q", "W_K", "W_V"} or made is None or not count:
        return
    is_turned = (("right" if made.premises[1] == node.name else "left"), "transposed") in made.arguments
    lies: q.Axis = "columns" if (layer.problem.tokens == "rows") != is_turned else "rows"
    size = node.shape[1 if lies == "columns" else 0] // count
    shape = (node.shape[0], size) if lies == "columns" else (size, node.shape[1])
    for part in range(count):
        formula = Part(Ref(node.name), lies, part * size, (part + 1) * size)
        yield Node(f"{node.name}^{part + 1}", shape, formula)


def is_defined(problem: Problem) -> bool:
    """Return whether a problem brings definitions of its own."""
    return problem.kind == "defined"


_MAX_SIZE = 64


def sizes_of(graph: Graph) -> list[int]:
    """Return the sizes of the quantities of a graph, the smallest first."""
    return sorted({size for node in graph.nodes.values() for size in node.shape if 1 < size <= _MAX_SIZE})


def other_roots(graph: Graph, scale: Quotient) -> list[tuple[int, Quotient]]:
    """Return the reciprocal root of each size that a scale may be mistaken for, and the size."""
    if scale.symbols or (scale * scale).rational() is None:
        return []
    roots = ((size, Quotient.of(Polynomial.sqrt(Fraction(1, size)))) for size in sizes_of(graph))
    return [(size, root) for size, root in roots if root not in (scale, scale * scale, ONE)]
