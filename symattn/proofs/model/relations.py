"""Relations and hypotheses in a model: whether they hold, at every value of their free indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.concrete.arrays import Array, Number, Value
from symattn.proofs.language.interpretation import plain_name, read_text, split_indices
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.model.arithmetic import (
    CTX,
    ZERO,
    NoValueError,
    OutsideError,
    UndecidedError,
    cholesky,
    plus,
    real,
    times,
    total,
)
from symattn.proofs.model.arithmetic import number as number_of
from symattn.proofs.model.evaluation import Evaluator
from symattn.proofs.model.models import Place
from symattn.proofs.model.probability_spaces import Base

_ORDERS = {"=": {0}, "≤": {-1, 0}, "<": {-1}, "≥": {0, 1}, ">": {1}, "≠": {-1, 1}}
_OPEN_RANGE = 3
_MAX_OUTCOMES = 256


def compare(first: Number, second: Number, bound: Number) -> int | None:
    """Return -1, 0 or 1; None where inexact numbers differ by no more than their error bound."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return (first > second) - (first < second)
    one, other = real(first), real(second)
    if CTX.isinf(one) or CTX.isinf(other):
        return int(one > other) - int(one < other)
    difference = one - other
    if abs(difference) <= bound * (1 + abs(one) + abs(other)):
        return None
    return 1 if difference > 0 else -1


def is_true(first: Number, relation: str, second: Number, bound: Number) -> bool | None:
    """Return whether a relation holds between two numbers; None where that is within their error bound."""
    if relation not in _ORDERS:
        raise UndecidedError
    found = compare(first, second, bound)
    if found is not None:
        return found in _ORDERS[relation]
    return True if 0 in _ORDERS[relation] else None


def pairs(first: Value, second: Value) -> Iterator[tuple[Number, Number]]:
    """Yield the entries of two sides, one beside the other.

    Raises:
        UndecidedError: the sides have two shapes.
    """
    if not isinstance(first, Array) and not isinstance(second, Array):
        yield first, second
        return
    if not isinstance(first, Array) or not isinstance(second, Array) or first.shape != second.shape:
        raise UndecidedError
    for one, other in zip(first.rows, second.rows, strict=True):
        yield from zip(one, other, strict=True)


def truth(node: t.Node, evaluator: Evaluator, indices: dict[str, int]) -> bool | None:
    """Return whether a written relation holds."""
    if not isinstance(node, t.Relation) or None in node.sides:
        raise UndecidedError
    sides = [evaluator.value(side, indices) for side in node.sides if side is not None]
    found = [
        is_true(one, operator, other, evaluator.bound)
        for operator, first, second in zip(node.operators, sides, sides[1:], strict=False)
        for one, other in pairs(first, second)
    ]
    return False if False in found else None if None in found else True


# Free indices --------------------------------------------------------------------------------------


def free_places(evaluator: Evaluator, *texts: str) -> Iterator[dict[str, int]]:
    """Yield all values of the indices that are free in some formulas, in the ranges in which they stand."""
    ranges: dict[str, int | None] = {}
    for text in texts:
        for name, size in _indices(read_text(text, evaluator.scope), evaluator):
            known = ranges.get(name)
            ranges[name] = size if known is None else known if size is None else min(known, size)
    shapes = [size for item in evaluator.scope.declared for size in evaluator.shape(item.name)]
    largest = max(shapes, default=_OPEN_RANGE)
    sizes = {name: largest if size is None else size for name, size in sorted(ranges.items())}
    if prod(sizes.values()) > 10 * _MAX_OUTCOMES:
        raise UndecidedError
    for values in product(*(range(1, size + 1) for size in sizes.values())):
        yield dict(zip(sizes, values, strict=True))


Bound = Mapping[str, t.Node | None]


def subscripts(node: t.Node, scope: Scope, bound: Bound) -> Iterator[tuple[str, t.Node, int, Bound]]:
    """Yield name, index, its number, and the bound indices around it, for each index; no name where there is none."""
    inner = {**bound, node.index.text: node.upper} if isinstance(node, t.SumOver) else bound
    if isinstance(node, t.Subscript):
        names = scope.sizes
        whole, base = plain_name(node), plain_name(node.base) or ""
        if whole not in names:
            rank = len(names[base]) if base in names else 2
            for number, index in enumerate(split_indices(node.indices, rank)):
                yield (base if base in names else ""), index, number, bound
            if base in names or base == "delta":
                return
            yield from subscripts(node.base, scope, bound)
        return
    for child in t.children(node):
        yield from subscripts(child, scope, inner)


def _indices(node: t.Node, evaluator: Evaluator) -> Iterator[tuple[str, int | None]]:
    known = {*evaluator.model.fixed, *evaluator.model.permutations}
    standing = list(subscripts(node, evaluator.scope, {}))
    for n, (name, index, number, bound) in enumerate(standing):
        shape = evaluator.shape(name) if name else ()
        size = shape[number] if number < len(shape) else None
        if not name:
            # What a delta joins to the index of a sum has its range.
            other = standing[n - 1 if number else min(n + 1, len(standing) - 1)][1]
            upper = next((bound[item] for item in _names(other) if item in bound), None)
            size = None
            if upper is not None and not any(plain_name(part) in bound for part in walk(upper)):
                size = evaluator.length(number_of(evaluator.value(upper)))
        yield from ((item, size) for item in _names(index) if item not in bound and item not in known)


def _names(index: t.Node) -> Iterator[str]:
    return (item.text for item in walk(index) if isinstance(item, t.Name))


# Hypotheses ----------------------------------------------------------------------------------------


def holds(item: Hypothesis, evaluator: Evaluator) -> bool:
    """Return whether a hypothesis holds in a model.

    Independence and laws hold by the construction of the space; their moments are looked at.
    """
    check = _CHECKS.get(item.kind)
    try:
        return check is None or check(item, evaluator)
    except (NoValueError, UndecidedError, OutsideError, ValueError, KeyError):
        return False


def signs_hold(scope: Scope, evaluator: Evaluator) -> bool:
    """Return whether all declared signs hold."""
    orders = {"positive": {1}, "nonnegative": {0, 1}}
    try:
        return all(
            _always(evaluator, partial(evaluator.entry, item.name, place), orders[item.sign])
            for item in scope.declared
            if item.sign in orders
            for place in places_of(item.name, evaluator)
        )
    except (NoValueError, UndecidedError, OutsideError):
        return False


def _always(evaluator: Evaluator, value: Callable[[], Number], wanted: AbstractSet[int | None]) -> bool:
    """Return whether a number, random or not, has one of some signs whatever the outcome."""
    found, bases = evaluator.traced(value)
    if not bases:
        return compare(found, ZERO, CTX.mpf(10) ** -30) in wanted
    return all(compare(item, ZERO, CTX.mpf(10) ** -30) in wanted for item in _outcomes(evaluator, value, bases))


def _outcomes(evaluator: Evaluator, value: Callable[[], Number], bases: tuple[Base, ...]) -> Iterator[Number]:
    if any(base.kind != "finite" for base in bases) or prod(len(base.weights) for base in bases) > _MAX_OUTCOMES:
        raise UndecidedError
    for values in product(*(range(len(base.weights)) for base in bases)):
        outcome = {base.name: point for base, point in zip(bases, values, strict=True)}
        yield evaluator.at_outcome(outcome, value)


def places_of(name: str, evaluator: Evaluator) -> Iterator[Place]:
    """Return the indices of the entries of a name: none for a number."""
    return product(*(range(1, size + 1) for size in evaluator.shape(name)))


def value_at(text: str, place: Place, evaluator: Evaluator) -> Number:
    """Return a value of a hypothesis, in which i and j are the indices of the entry that it speaks of."""
    return evaluator.number(text, dict(zip(("i", "j"), place, strict=False)))


def _same(first: Number, second: Number) -> bool:
    return compare(first, second, CTX.mpf(10) ** -30) in {0, None}


def _at_most(item: Hypothesis, evaluator: Evaluator) -> bool:
    low, high = item.values

    def gap(place: dict[str, int]) -> Number:
        return plus(evaluator.number(high, place), -evaluator.number(low, place))

    return all(_always(evaluator, partial(gap, place), {0, 1, None}) for place in free_places(evaluator, low, high))


def _signed(*wanted: int) -> Callable[[Hypothesis, Evaluator], bool]:
    def check(item: Hypothesis, evaluator: Evaluator) -> bool:
        entries = (
            _always(evaluator, partial(evaluator.entry, name, place), set(wanted))
            for name in item.about
            for place in places_of(name, evaluator)
        )
        values = (
            _always(evaluator, partial(evaluator.number, text, place), set(wanted))
            for text in item.values
            for place in free_places(evaluator, text)
        )
        return all(entries) and all(values)

    return check


def _moment(degree: int) -> Callable[[Hypothesis, Evaluator], bool]:
    def check(item: Hypothesis, evaluator: Evaluator) -> bool:
        text = item.values[-1]
        order = degree or int(item.values[0])
        return all(
            _same(evaluator.moment(name, place, order, is_central=degree == 2), value_at(text, place, evaluator))
            for name in item.about
            for place in places_of(name, evaluator)
        )

    return check


def _covariance(item: Hypothesis, evaluator: Evaluator) -> bool:
    first, second = item.about
    return all(
        _same(evaluator.covariance((first, one), (second, other)), value_at(item.values[0], (*one, *other), evaluator))
        for one in places_of(first, evaluator)
        for other in places_of(second, evaluator)
    )


def _uncorrelated(item: Hypothesis, evaluator: Evaluator) -> bool:
    first, second = item.about
    places = places_of(first, evaluator)
    return all(_same(evaluator.covariance((first, place), (second, place)), ZERO) for place in places)


def _law(item: Hypothesis, evaluator: Evaluator) -> bool:
    wanted = item.values[0] if item.values[0] in {"gaussian", "uniform"} else "finite"
    entries = [entry for name in item.about for entry in evaluator.model.random[name].values()]
    if any(base.kind != wanted for entry in entries for _, base, _ in entry.terms):
        return False
    if item.values[0] != "gaussian":
        return True
    mean, variance = (Hypothesis(item.id, "", "mean", item.about, (text,)) for text in item.values[1:])
    return _moment(1)(mean, evaluator) and _moment(2)(variance, evaluator)


def _equal(item: Hypothesis, evaluator: Evaluator) -> bool:
    (name,), (text,) = item.about, item.values

    def gap(place: Place) -> Number:
        return plus(evaluator.entry(name, place), -value_at(text, place, evaluator))

    return all(_always(evaluator, partial(gap, place), {0, None}) for place in places_of(name, evaluator))


def _rows(name: str, evaluator: Evaluator) -> tuple[tuple[Number, ...], ...]:
    found, bases = evaluator.traced(lambda: evaluator.text(name))
    if bases or not isinstance(found, Array):
        raise UndecidedError
    return found.rows


def _dot_products(item: Hypothesis, evaluator: Evaluator) -> bool:
    first, second = (_rows(name, evaluator) for name in item.about)
    is_many = [len(evaluator.shape(name)) > 1 for name in item.about]
    for i, row in enumerate(first, start=1):
        for j, other in enumerate(second, start=1):
            indices = {name: n for name, n, many in (("i", i, is_many[0]), ("j", j, is_many[1])) if many}
            if not _same(total(map(times, row, other)), evaluator.number(item.values[0], indices)):
                return False
    return True


def _total(item: Hypothesis, evaluator: Evaluator) -> bool:
    text = item.values[0] if item.values else "1"
    return all(
        _same(total(row), evaluator.number(text, {"i": n}))
        for name in item.about
        for n, row in enumerate(_rows(name, evaluator), start=1)
    )


def _whole(item: Hypothesis, evaluator: Evaluator) -> bool:
    values = [evaluator.entry(name, place) for name in item.about for place in places_of(name, evaluator)]
    return all(isinstance(value, Fraction) and value.denominator == 1 and value >= 1 for value in values)


def _positions(item: Hypothesis, evaluator: Evaluator) -> bool:
    return all(evaluator.entry(name, place) == place[0] for name in item.about for place in places_of(name, evaluator))


def _definite(item: Hypothesis, evaluator: Evaluator) -> bool:
    for name in item.about:
        rows = [list(row) for row in _rows(name, evaluator)]
        if any(not _same(rows[i][j], rows[j][i]) for i in range(len(rows)) for j in range(i)):
            return False
        low = cholesky(rows)
        if any(compare(low[n][n], ZERO, CTX.mpf(10) ** -20) != 1 for n in range(len(rows))):
            return False
    return True


def _distinct(item: Hypothesis, evaluator: Evaluator) -> bool:
    values = [evaluator.model.fixed[name] for name in item.about if name in evaluator.model.fixed]
    return len(set(values)) == len(values)


_CHECKS: dict[str, Callable[[Hypothesis, Evaluator], bool]] = {
    "mean": _moment(1),
    "variance": _moment(2),
    "raw-moment": _moment(0),
    "covariance": _covariance,
    "uncorrelated": _uncorrelated,
    "law": _law,
    "equal": _equal,
    "distinct": _distinct,
    "dot-products": _dot_products,
    "total": _total,
    "at-most": _at_most,
    "positive": _signed(1),
    "nonzero": _signed(-1, 1),
    "positions": _positions,
    "whole": _whole,
    "definite": _definite,
}
