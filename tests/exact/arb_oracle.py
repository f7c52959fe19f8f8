"""Certified roundings by Arb, written apart from the code that they test.

A value is sum_j v_j e^(theta K_j) / sum_j e^(theta K_j) with rational v_j and K_j, and theta = 1 or sqrt(m).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any, TypeVar

import flint

_FIRST_BITS = 128
_RULES = {
    "half-up": ROUND_HALF_UP,
    "half-even": ROUND_HALF_EVEN,
    "half-ceiling": ROUND_CEILING,
    "truncate": ROUND_DOWN,
}
T = TypeVar("T")


def at_precision(bits: int, compute: Callable[[], T]) -> T:
    """Run with Arb's global precision set, and set it back."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        return compute()
    finally:
        flint.ctx.prec = before


class Row:
    """One row of scores: its exponentials are computed once, the largest one taken out."""

    def __init__(self, scores: Sequence[Fraction], radicand: int = 1, bits: int = _FIRST_BITS) -> None:
        self.scores = scores
        self.radicand = radicand
        self.bits = bits
        self.powers = at_precision(bits, lambda: exponentials(scores, radicand))

    def average(self, values: Sequence[Fraction]) -> Any:
        """The softmax-weighted average of `values` as a ball."""
        return at_precision(self.bits, lambda: _dot(values, self.powers) / sum(self.powers, flint.arb(0)))

    def rounded(self, values: Sequence[Fraction], places: int, ties: str) -> str:
        """The text of the average, rounded to `places`."""
        half, exact = at_precision(self.bits, lambda: self._half(self.average(values), places))
        if exact is None:
            return _inside(half, places, ties)
        tau = Fraction(exact, 2 * 10**places)
        side = sign_of_average(self.scores, values, tau, self.radicand)
        return tie_text(tau, places, ties) if side == 0 else _inside(exact - (side < 0), places, ties)

    @staticmethod
    def _half(average: Any, places: int) -> tuple[int, int | None]:
        """The half unit that the ball lies in, or the boundary that lies in the ball.

        The boundaries of all rules lie at the halves of a unit. Between two of them all values round alike.
        """
        halves = average * 2 * flint.arb(10) ** places
        if halves.contains_integer():
            return 0, int(halves.unique_fmpz())  # None, and an error, if the ball is wider than that
        # With more bits: the ends of a ball that is close to an integer must not be rounded to it.
        return int(at_precision(8 * flint.ctx.prec, halves.floor).unique_fmpz()), None


def exponentials(scores: Sequence[Fraction], radicand: int) -> list[Any]:
    """The exponentials of theta times the scores, the largest one taken out."""
    theta = flint.arb(radicand).sqrt()
    largest = max(scores)
    return [(_fmpq(s - largest) * theta).exp() for s in scores]


def sign_of_average(scores: Sequence[Fraction], values: Sequence[Fraction], tau: Fraction, radicand: int) -> int:
    """The sign of average - tau: that of sum (v_j - tau) e^(theta K_j), equal exponents collected."""
    collected: dict[Fraction, Fraction] = {}
    for s, v in zip(scores, values, strict=True):
        collected[s] = collected.get(s, Fraction(0)) + v - tau
    return sign_of_sum({s: c for s, c in collected.items() if c}, radicand)


def sign_of_sum(collected: dict[Fraction, Fraction], radicand: int = 1) -> int:
    """The sign of sum c e^(theta K) over its largest exponential, for coefficients that are not zero."""
    if not collected:
        return 0
    bits = _FIRST_BITS
    while True:
        total = at_precision(bits, lambda: _dot(list(collected.values()), exponentials(list(collected), radicand)))
        if not total.contains(0):
            return 1 if total > 0 else -1
        bits *= 2


def tie_text(value: Fraction, places: int, ties: str) -> str:
    """A multiple of half a unit, rounded by Python's decimal module."""
    with localcontext() as context:
        context.prec = 10_000
        decimal = Decimal(value.numerator) / Decimal(value.denominator)
        shown = decimal.quantize(Decimal(1).scaleb(-places), rounding=_RULES[ties])
        return f"{abs(shown) if shown == 0 else shown:f}"


def _inside(half: int, places: int, ties: str) -> str:
    """The text for a value strictly between half/2 and (half + 1)/2 units."""
    index = (half + 1) // 2
    if ties == "truncate":
        index = half // 2 + (half < 0)
    with localcontext() as context:
        context.prec = 10_000
        shown = Decimal(index).scaleb(-places)
        return f"{abs(shown) if index == 0 else shown:f}"


def _dot(values: Sequence[Fraction], powers: Sequence[Any]) -> Any:
    return sum((_fmpq(v) * p for v, p in zip(values, powers, strict=True)), flint.arb(0))


def _fmpq(value: Fraction) -> Any:
    return flint.fmpq(value.numerator, value.denominator)
