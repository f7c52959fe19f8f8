"""Scores, their weights, which of them is largest, and which grows fastest as a symbol goes to infinity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from symattn import late
from symattn.errors import InputError, SymbolicValueError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import Generator, is_sympy
from symattn.exact.reals.sign import known_sign, sign
from symattn.records import dataclass

if TYPE_CHECKING:
    import sympy
else:
    sympy = late.module("sympy")


MAX_POWER = 100
"""The largest whole number that may multiply a logarithm."""


@dataclass(frozen=True, slots=True)
class Score:
    """A score, whose exponential is ``factor * exp(exponent)``: a factor comes from a logarithm, ln 2 say."""

    exponent: Polynomial
    factor: Fraction = Fraction(1)

    @property
    def power(self) -> ExpSum:
        """Its exponential."""
        return ExpSum.exp(self.exponent) * self.factor


Row: TypeAlias = tuple[Score, ...]
"""The scores of one query."""


def exponent_of(value: Quotient) -> Polynomial:
    """Return a score as a polynomial.

    Raises:
        InputError: it is minus infinity, or no polynomial.
    """
    found = value.polynomial()
    if not value.is_finite:
        raise InputError("Limits at infinity and the largest score are not worked out with a mask: leave the mask out.")
    if found is None:
        raise InputError(
            f"The score {value} is not a polynomial in its symbols, so its softmax has no exact form here."
        )
    return found


def without_logarithms(entry: Any) -> tuple[Any, Fraction]:
    """Return a score without its logarithms of rationals, and the factor that they give the exponential."""
    if not is_sympy(entry):
        return entry, Fraction(1)
    rest, factor = [], Fraction(1)
    for part in entry.args if entry.is_Add else (entry,):
        found = _logarithm(part)
        if found is None:
            rest.append(part)
        else:
            factor *= found
    return (entry if factor == 1 and len(rest) == 1 else sum(rest)), factor


def _logarithm(part: Any) -> Fraction | None:
    """Return the rational r of ``ln r``, or of ``n ln s`` with r = s^n, or None."""
    count, log = part.as_coeff_Mul() if part.is_Mul else (sympy.Integer(1), part)
    if not isinstance(log, sympy.log) or not log.args[0].is_Rational or not log.args[0] > 0 or not count.is_Integer:
        return None
    if abs(int(count)) > MAX_POWER:
        raise InputError(f"{part} has a factor beyond {MAX_POWER}: use a smaller one.")
    return Fraction(int(log.args[0].p), int(log.args[0].q)) ** int(count)


def weights_of(row: Sequence[Score]) -> list[Quotient]:
    """Return the softmax of a row of scores.

    >>> [str(weight) for weight in weights_of([Score(Polynomial(0)), Score(Polynomial(1))])]
    ['1/(1 + exp(1))', 'exp(1)/(1 + exp(1))']
    """
    powers = [score.power for score in row]
    total = ExpSum.weighted(powers, [1] * len(powers))
    return [Quotient(power, total) for power in powers]


def score_derivative(weights: Sequence[Sequence[Quotient]], one: tuple[int, int], other: tuple[int, int]) -> Quotient:
    """Return the derivative of a weight by a scaled score."""
    if one[0] != other[0]:
        return Quotient(0)
    mine, yours = weights[one[0]][one[1]], weights[other[0]][other[1]]
    return mine * (int(one[1] == other[1]) - yours)


def largest_of(row: Sequence[Score], positive: frozenset[str], number: int) -> tuple[int, ...]:
    """Return the columns of the largest scores of a row, counted from 0.

    Raises:
        SymbolicValueError: which is larger depends on symbols; `number` tells the row.
    """
    best = [0]
    for column in range(1, len(row)):
        found = _order(row[column], row[best[0]], positive)
        if found is None:
            raise SymbolicValueError(
                f"Row {number}: whether score {column} or score {best[0]} is larger depends on symbols: "
                "give their values, argmax(at={...})."
            )
        if found > 0:
            best = [column]
        elif found == 0:
            best.append(column)
    return tuple(best)


def _order(first: Score, second: Score, positive: frozenset[str]) -> int | None:
    difference = first.exponent - second.exponent
    if first.factor == second.factor:
        return known_sign(difference, positive)
    if difference.symbols:
        return None
    return sign(ExpSum.exp(difference) * first.factor - second.factor)


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
