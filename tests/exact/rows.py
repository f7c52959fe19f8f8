"""Random rows of scores and values with a fixed seed: ordinary, saturated, next to a tie, and on one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import flint

from tests.exact.arb_oracle import Row, at_precision


class Case(NamedTuple):
    """Scores (times the square root of `radicand`), columns of values, and where to round."""

    scores: list[Fraction]
    columns: list[list[Fraction]]
    places: int
    radicand: int = 1


def fraction(r: Random, size: int = 24, denominator: int = 8) -> Fraction:
    return Fraction(r.randint(-size, size), r.randint(1, denominator))


def ordinary(r: Random, columns: int = 8) -> Case:
    n = r.randint(1, 8)
    scores = [fraction(r) for _ in range(n)]
    values = [[fraction(r) for _ in range(n)] for _ in range(columns)]
    return Case(scores, values, r.randint(0, 20), r.choice([1, 1, 2, 3, 5, 6]))


def saturated(r: Random, gap: int = 300, columns: int = 8) -> Case:
    """One score leads by about `gap`, so every output lies e^-gap from a value that often is a tie."""
    n = r.randint(2, 6)
    scores = [fraction(r) for _ in range(n)]
    scores[r.randrange(n)] += gap + r.randint(0, gap)
    values = [[Fraction(r.randint(-40, 40), 8) for _ in range(n)] for _ in range(columns)]
    return Case(scores, values, r.randint(0, 3), r.choice([1, 1, 2, 7]))


def near_tie(r: Random, columns: int = 4) -> Case:
    """Averages about 10^-60 from a boundary, on either side."""
    n = r.randint(2, 4)
    scores = [fraction(r) for _ in range(n)]
    places, radicand = r.randint(0, 6), r.choice([1, 2, 3])
    row = Row(scores, radicand, 600)
    values = []
    for _ in range(columns):
        column = [fraction(r) for _ in range(n)]
        tau = Fraction(r.randint(-2000, 2000), 2 * 10**places) + Fraction(r.choice([-1, 1]), 10**60)
        column[0] = Fraction(0)
        rest, weight = row.average(column), row.average([Fraction(int(j == 0)) for j in range(n)])
        column[0] = _quotient(tau, rest, weight)
        values.append(column)
    return Case(scores, values, places, radicand)


def exact_tie(r: Random, columns: int = 4) -> Case:
    """Values whose average over every group of equal scores is the boundary."""
    places = r.randint(0, 4)
    groups = [[fraction(r)] * r.choice([1, 2, 2, 3]) for _ in range(r.randint(1, 3))]
    values: list[list[Fraction]] = []
    for _ in range(columns):
        tau = Fraction(2 * r.randint(-300, 300) + 1, 2 * 10**places)
        column: list[Fraction] = []
        for group in groups:
            offsets = [fraction(r) for _ in group[1:]]
            column += [tau + x for x in [*offsets, -sum(offsets, Fraction(0))]]
        values.append(column)
    scores = [s for group in groups for s in group]
    return Case(scores, values, places, r.choice([1, 2]))


KINDS: tuple[Callable[[Random], Case], ...] = (ordinary, saturated, near_tie, exact_tie)


def _quotient(tau: Fraction, rest: Any, weight: Any) -> Fraction:
    """(tau - rest) / weight to 75 places."""

    def floor() -> int:
        scaled = (flint.fmpq(tau.numerator, tau.denominator) - rest) / weight * flint.arb(10) ** 75
        return int(scaled.mid().floor().unique_fmpz())

    return Fraction(at_precision(600, floor), 10**75)
