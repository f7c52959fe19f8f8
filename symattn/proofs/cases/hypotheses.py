"""Hypotheses of a theorem in a small case, worked out from its finite law and its entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product

from symattn.errors import InputError
from symattn.proofs.cases.evaluation import Entries, Model, NumericEvaluator
from symattn.proofs.cases.matrices import leading_minors
from symattn.proofs.cases.numeric_tower import ZERO, Number, closed_form, negative, order, plus, power, times
from symattn.proofs.concrete.arrays import Array, part_of
from symattn.proofs.language.scope import Hypothesis

_MAX_JOINT = 20_000

_Key = tuple[str, ...]
_Law = dict[_Key, Fraction]


def holds(item: Hypothesis, numeric: NumericEvaluator) -> bool | None:
    """Return whether a hypothesis holds in a case; None where that is not worked out here."""
    try:
        return _HOLDS[item.kind](item, numeric)
    except (InputError, KeyError, ValueError):
        return None


def places_of(name: str, numeric: NumericEvaluator) -> Iterator[tuple[int, ...]]:
    """Yield the indices of the entries of a name: none for a number."""
    return product(*(range(1, numeric.size(size) + 1) for size in numeric.sizes[name]))


def value_at(text: str, place: Sequence[int], numeric: NumericEvaluator) -> Number:
    """Return a value of a hypothesis, in which i and j are the indices of the entry that it speaks of."""
    return numeric.number(text, dict(zip(("i", "j"), place, strict=False)))


def _entry(name: str, place: tuple[int, ...], values: Entries) -> Number:
    found = values[name]
    entry: Number = part_of(found, place) if isinstance(found, Array) else found
    return entry


# Laws ----------------------------------------------------------------------------------------------


def _law(model: Model, parts: Sequence[tuple[str, tuple[int, ...]]]) -> _Law:
    """Return the joint law of some entries."""
    law: _Law = {}
    for weight, values in model.law:
        key = tuple(closed_form(_entry(name, place, values)) for name, place in parts)
        law[key] = law.get(key, Fraction(0)) + weight
    return law


def _are_independent(model: Model, groups: Sequence[Sequence[tuple[str, tuple[int, ...]]]]) -> bool:
    """Return whether groups of entries are mutually independent."""
    single = [_law(model, group) for group in groups]
    if reduce(lambda count, law: count * len(law), single, 1) > _MAX_JOINT:
        raise InputError("The law has too many outcomes to work its independence out.")
    joint = _law(model, [part for group in groups for part in group])
    return all(
        joint.get(tuple(text for key in keys for text in key), Fraction(0))
        == reduce(lambda so_far, pair: so_far * pair[0][pair[1]], zip(single, keys, strict=True), Fraction(1))
        for keys in product(*single)
    )


def _independent(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    entries = [[(name, place) for place in places_of(name, numeric)] for name in item.about]
    return _are_independent(numeric.model, entries)


def _coordinates(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    return _are_independent(numeric.model, _tuples(item, numeric))


def _tuples(item: Hypothesis, numeric: NumericEvaluator) -> list[list[tuple[str, tuple[int, ...]]]]:
    """Return for each index the entries of all the families that have it."""
    places = sorted({place for name in item.about for place in places_of(name, numeric)})
    known = {name: set(places_of(name, numeric)) for name in item.about}
    return [[(name, place) for name in item.about if place in known[name]] for place in places]


def _same_law(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    laws = [_law(numeric.model, part) for part in _tuples(item, numeric)]
    return all(law == laws[0] for law in laws)


def moment(name: str, place: tuple[int, ...], degree: int, model: Model) -> Number:
    """Return a moment of one entry."""
    parts = (times(weight, power(_entry(name, place, values), degree)) for weight, values in model.law)
    return reduce(plus, parts, ZERO)


def _joint(one: tuple[str, tuple[int, ...]], other: tuple[str, tuple[int, ...]], model: Model) -> Number:
    """Return the covariance of two entries."""
    both = reduce(plus, (times(w, times(_entry(*one, values), _entry(*other, values))) for w, values in model.law))
    return plus(both, negative(times(moment(*one, 1, model), moment(*other, 1, model))))


def _uncorrelated(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    first, second = item.about
    places = places_of(first, numeric)
    return all(order(_joint((first, place), (second, place), numeric.model), ZERO) == 0 for place in places)


def _covariance(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    """Check a covariance, in whose value i is the index of the first entry and j that of the second."""
    first, second = item.about
    places = product(places_of(first, numeric), places_of(second, numeric))
    return all(
        order(_joint((first, one), (second, other), numeric.model), value_at(item.values[0], (*one, *other), numeric))
        == 0
        for one, other in places
    )


def _mean(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    return _at_each(item, numeric, lambda name, place: moment(name, place, 1, numeric.model))


def _raw_moment(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    return _at_each(item, numeric, lambda name, place: moment(name, place, int(item.values[0]), numeric.model))


def _variance(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    return _at_each(item, numeric, lambda *entry: _joint(entry, entry, numeric.model))


def _equal(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    return _at_each(item, numeric, lambda name, place: _at(name, place, numeric))


def _at_each(item: Hypothesis, numeric: NumericEvaluator, found: Callable[[str, tuple[int, ...]], Number]) -> bool:
    """Return whether something of each entry is the last value of the hypothesis there."""
    return all(
        order(found(name, place), value_at(item.values[-1], place, numeric)) == 0
        for name in item.about
        for place in places_of(name, numeric)
    )


def _named_law(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    if item.values[0] not in {"rademacher", "bernoulli"}:
        return False  # what has a density is not a finite law
    for name in item.about:
        for place in places_of(name, numeric):
            chance = ZERO if item.values[0] == "rademacher" else value_at(item.values[1], place, numeric)
            wanted = {("1",): Fraction(1, 2), ("-1",): Fraction(1, 2)}
            if item.values[0] == "bernoulli":
                wanted = {("1",): _rational(chance), ("0",): 1 - _rational(chance)}
            law = _law(numeric.model, [(name, place)])
            if law != {key: weight for key, weight in wanted.items() if weight}:
                return False
    return True


def _rational(value: Number) -> Fraction:
    if not isinstance(value, Fraction):
        raise InputError("A probability is not a rational number here.")
    return value


# Entries -------------------------------------------------------------------------------------------


def _at(name: str, place: tuple[int, ...], numeric: NumericEvaluator) -> Number:
    if not place:
        return numeric.number(name)
    return numeric.number(f"{name}_{{{','.join(map(str, place))}}}")


def _dot_products(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    first, second = item.about
    rows, columns = _rows(first, numeric), _rows(second, numeric)
    for i, row in enumerate(rows, start=1):
        for j, other in enumerate(columns, start=1):
            place = [n for n, name in ((i, first), (j, second)) if len(numeric.sizes[name]) > 1]
            value = reduce(plus, map(times, row, other), ZERO)
            wanted = numeric.number(item.values[0], {"i": i, "j": j}) if place else numeric.number(item.values[0])
            if order(value, wanted) != 0:
                return False
    return True


def _rows(name: str, numeric: NumericEvaluator) -> tuple[tuple[Number, ...], ...]:
    found = numeric.text(name)
    if not isinstance(found, Array):
        raise InputError(f"{name} is not a vector.")
    return found.rows


def _total(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    text = item.values[0] if item.values else "1"
    return all(
        order(reduce(plus, row, ZERO), numeric.number(text, {"i": n})) == 0
        for name in item.about
        for n, row in enumerate(_rows(name, numeric), start=1)
    )


def _distinct(item: Hypothesis, numeric: NumericEvaluator) -> bool | None:
    """Fixed indices differ; for free ones it says which of their values are meant, and no case breaks it."""
    values = [numeric.model.fixed[name] for name in item.about if name in numeric.model.fixed]
    return len(set(values)) == len(values)


def _at_most(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    low, high = item.values
    return all(
        order(numeric.number(low, place), numeric.number(high, place)) in {-1, 0}
        for place in numeric.free_places(low, high)
    )


def _positive(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    return all(order(value, ZERO) == 1 for value in _values(item, numeric))


def _nonzero(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    return all(order(value, ZERO) in {-1, 1} for value in _values(item, numeric))


def _values(item: Hypothesis, numeric: NumericEvaluator) -> Iterator[Number]:
    for name in item.about:
        yield from (_at(name, place, numeric) for place in places_of(name, numeric))
    for text in item.values:
        yield from (numeric.number(text, place) for place in numeric.free_places(text))


def _whole(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    values = _values(item, numeric)
    return all(isinstance(value, Fraction) and value.denominator == 1 and value >= 1 for value in values)


def _definite(item: Hypothesis, numeric: NumericEvaluator) -> bool:
    """Symmetric, with positive leading minors (Sylvester)."""
    for name in item.about:
        rows = _rows(name, numeric)
        pairs = product(range(len(rows)), repeat=2)
        if any(order(rows[i][j], rows[j][i]) != 0 for i, j in pairs):
            return False
        if any(order(value, ZERO) != 1 for value in leading_minors(rows)):
            return False
    return True


_HOLDS: dict[str, Callable[[Hypothesis, NumericEvaluator], bool | None]] = {
    "independent": _independent,
    "coordinates": _coordinates,
    "uncorrelated": _uncorrelated,
    "same-law": _same_law,
    "mean": _mean,
    "variance": _variance,
    "covariance": _covariance,
    "raw-moment": _raw_moment,
    "law": _named_law,
    "equal": _equal,
    "distinct": _distinct,
    "dot-products": _dot_products,
    "total": _total,
    "at-most": _at_most,
    "positive": _positive,
    "nonzero": _nonzero,
    "whole": _whole,
    "definite": _definite,
}
