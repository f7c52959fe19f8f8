"""Fastest growth among the scores of a row as a symbol goes to infinity, by cases where symbols leave it open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import Generator
from symattn.exact.reals.sign import known_sign
from symattn.symbolic.scores import Row, Score

MAX_OPEN = 6
"""The most scores of a row of which symbols may leave open which is largest, for a limit by cases."""

_Relation: TypeAlias = tuple[Polynomial, Polynomial, str]


def growth_of(value: Polynomial, name: str, direction: int) -> dict[int, Polynomial]:
    """Return the coefficients of the powers of a symbol, as it goes to ∞; for -∞, those of its opposite."""
    found: dict[int, Polynomial] = {}
    for (radicand, powers), c in value.terms:
        degree = dict(powers).get(name, 0)
        rest = tuple((n, p) for n, p in powers if n != name)
        factor = c if direction > 0 or degree % 2 == 0 else -c
        found[degree] = found.get(degree, Polynomial()) + Polynomial.of_terms([((radicand, rest), factor)])
    return found


def _difference(first: Mapping[int, Polynomial], second: Mapping[int, Polynomial]) -> dict[int, Polynomial]:
    """Return the growing terms of a difference of two scores: its nonzero coefficients of positive degree."""
    degrees = {degree for degree in (*first, *second) if degree}
    found = {d: first.get(d, Polynomial()) - second.get(d, Polynomial()) for d in degrees}
    return {degree: c for degree, c in found.items() if c}


def fastest(
    growth: Sequence[Mapping[int, Polynomial]], positive: frozenset[str], item: Generator, number: int
) -> Iterator[tuple[tuple[int, ...], tuple[_Relation, ...]]]:
    """Yield every way in which some scores can grow fastest: their columns, and the relations that say so."""
    classes = _classes(growth)
    candidates = [one for one in classes if not any(_grows(growth, other[0], one[0], positive) for other in classes)]
    if len(candidates) > MAX_OPEN:
        raise InputError(
            f"Row {number}: symbols leave open which of {len(candidates)} scores is largest, and cases are given for "
            f"{MAX_OPEN} at most: give some of the symbols values."
        )
    degrees = {d for one, other in combinations(candidates, 2) for d in _difference(growth[one[0]], growth[other[0]])}
    if len(degrees) > 1:
        raise InputError(
            f"Row {number}: the scores hold several powers of {item.symbol} with symbols before them, so which is "
            "largest is not decided by cases here."
        )
    degree = degrees.pop() if degrees else 1
    for count in range(1, len(candidates) + 1):
        for chosen in combinations(candidates, count):
            others = [one for one in candidates if one not in chosen]
            yield tuple(sorted(j for one in chosen for j in one)), tuple(_relations(growth, degree, chosen, others))


def _classes(growth: Sequence[Mapping[int, Polynomial]]) -> list[list[int]]:
    """Return scores that grow alike, whatever the symbols are, together."""
    classes: list[list[int]] = []
    for column, one in enumerate(growth):
        home = next((found for found in classes if not _difference(growth[found[0]], one)), None)
        if home is None:
            classes.append([column])
        else:
            home.append(column)
    return classes


def _grows(growth: Sequence[Mapping[int, Polynomial]], one: int, other: int, positive: frozenset[str]) -> bool:
    """Return whether the first score grows faster than the second, whatever the symbols are."""
    difference = _difference(growth[one], growth[other])
    return bool(difference) and known_sign(difference[max(difference)], positive) == 1


def _relations(
    growth: Sequence[Mapping[int, Polynomial]],
    degree: int,
    chosen: Sequence[Sequence[int]],
    others: Sequence[Sequence[int]],
) -> Iterator[_Relation]:
    def rate(one: Sequence[int]) -> Polynomial:
        return growth[one[0]].get(degree, Polynomial())

    for one, other in pairwise(chosen):
        yield rate(one), rate(other), "="
    for other in others:
        yield rate(chosen[0]), rate(other), ">"


def limit_of_weights(row: Row, growth: Sequence[Mapping[int, Polynomial]], winners: Sequence[int]) -> list[Quotient]:
    """Return the limit of the weights: what does not grow decides among those that grow alike."""
    kept = [
        Score(growth[column].get(0, Polynomial()), score.factor) if column in winners else None
        for column, score in enumerate(row)
    ]
    powers = [ExpSum() if score is None else score.power for score in kept]
    total = ExpSum.weighted(powers, [1] * len(powers))
    return [Quotient(power, total) for power in powers]
