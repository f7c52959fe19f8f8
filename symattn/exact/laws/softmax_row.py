"""TRUSTED. Numbers of one softmax row with rational scores: the β for a given top weight, entropy, perplexity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.numerals.rational import RationalLike, rational
from symattn.exact.reals.certified_digits import Real, RealLike, ball_bounds, exp, known, log, precision, real, sqrt
from symattn.exact.reals.sign import sign

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")

MAX_GAPS = 1024
"""The most gaps, or scores, of one row."""

_STEPS = 200
_GUARD = 32


def gaps_of(scores: Sequence[RationalLike]) -> tuple[Fraction, ...]:
    """Return the gaps of the other scores of a row to its only largest one.

    Raises:
        InputError: the largest score is not the only one of its size.

    >>> gaps_of([2, 1, 0])
    (Fraction(1, 1), Fraction(2, 1))
    """
    ordered = sorted((rational(score, "score") for score in scores), reverse=True)
    gaps = tuple(ordered[0] - score for score in ordered[1:])
    if gaps and not gaps[0]:
        raise InputError("The largest score occurs twice, so no top weight passes 1/2: give scores with one largest.")
    return gaps


def least_beta(gaps: Sequence[RationalLike], eps: RationalLike) -> Real:
    """Return the β at which the top weight of softmax(β·scores) is 1 - ε; it is at least that for every larger β.

    With gaps g_j > 0 the top weight is 1/(1 + Σ_j e^(-β g_j)), so β is the root of Σ_j e^(-β g_j) = ε/(1 - ε).
    The left side falls strictly from ∞ to 0, so there is one root; it is positive exactly where ε/(1 - ε) is
    less than the number of gaps, and 0 where they are equal. Its bounds are those of `beta_bracket`.

    Raises:
        InputError: no gaps, or a gap that is not positive, or an ε outside (0, 1).

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(least_beta([1, 2], "0.1"), 30).text  # log(3(3 + √13)/2)
    '2.29337550595521899550717606544'
    """
    row, target = _checked(gaps, eps)
    if len(row) == target:
        return known(0)

    def compute(bits: int) -> Any:
        low, high = beta_bracket(row, eps, bits)
        ends = (flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in (low, high))
        return next(ends).union(next(ends))

    return Real(compute)


def beta_bracket(gaps: Sequence[RationalLike], eps: RationalLike, bits: int) -> tuple[Fraction, Fraction]:
    """Return rationals low <= β <= high about 2**-bits β apart, proved by the signs of exponential sums.

    f(β) = Σ_j e^(-β g_j) - c, c = ε/(1 - ε), falls, so f(low) >= 0 >= f(high) proves the bracket, and for
    rational ends the signs are exact. Newton's method guesses where they are; the guess proves nothing. From a
    guess r, ends r ± e are tried with e doubling in size until the signs are right, which they are in the end.

    Raises:
        InputError: no gaps, or a gap that is not positive, or an ε outside (0, 1).

    >>> low, high = beta_bracket([1, 1], "1/2", 40)  # 2 e^-β = 1
    >>> low < Fraction("0.6931471805599453") < high, high - low < Fraction(1, 2**38)
    (True, True)
    """
    row, target = _checked(gaps, eps)
    if len(row) == target:
        return Fraction(0), Fraction(0)
    counts = Counter(row)
    guess, unit = _guess(counts, target, bits)
    low = high = guess
    step = unit
    while _sign_at(counts, target, low) < 0:
        low, step = guess - step, 4 * step
    step = unit
    while _sign_at(counts, target, high) > 0:
        high, step = guess + step, 4 * step
    return low, high


def _sign_at(counts: Counter[Fraction], target: Fraction, beta: Fraction) -> int:
    sums = [ExpSum(-target), *(ExpSum.exp(-beta * gap) for gap in counts)]
    return sign(ExpSum.weighted(sums, [1, *counts.values()]))


def _guess(counts: Counter[Fraction], target: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return a number near the root, and the spacing of the numbers that it was taken from.

    F(β) = log Σ_j e^(-β g_j) - log c is convex and falls, so Newton's method rises to its root from any
    point on the left. log(n/c)/g lies there for the largest gap g if n > c, for the smallest if n < c.
    """
    gap = max(counts) if counts.total() > target else min(counts)
    with precision(bits + _GUARD):
        level = _arb(target).log()
        beta = ((_arb(counts.total()).log() - level) / _arb(gap)).mid()
        for _ in range(_STEPS + len(counts)):
            step = _newton_step(counts, level, beta).mid()
            beta = (beta + step).mid()
            if not abs(step) > abs(beta) * flint.arb(2) ** (-bits - 8):
                break
        return _short(beta, bits)


def _newton_step(counts: Counter[Fraction], level: Any, beta: Any) -> Any:
    smallest = min(counts) if beta > 0 else max(counts)
    total, slope = flint.arb(0), flint.arb(0)
    for gap, count in counts.items():
        term = count * (-beta * _arb(gap - smallest)).exp()
        total += term
        slope += _arb(gap) * term
    return (total.log() - beta * _arb(smallest) - level) * total / slope


def _short(beta: Any, bits: int) -> tuple[Fraction, Fraction]:
    """Return the number cut to about `bits` bits, and the unit of its last one."""
    exact = ball_bounds(beta, bits + _GUARD)[0]
    size = exact.numerator.bit_length() - exact.denominator.bit_length()
    unit = Fraction(2) ** (size - bits)
    return round(exact / unit) * unit, unit


def _arb(value: Fraction | int) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def least_beta_closed_form(gaps: Sequence[RationalLike], eps: RationalLike) -> tuple[str, Real] | None:
    """Return the β of `least_beta` as a formula in plain syntax and as a number, where it has one by square roots.

    If g is the common unit of the gaps, x = e^(-β g) solves Σ_j x^(g_j/g) = c, c = ε/(1 - ε). With b gaps
    of g alone, b x = c, so β = log(b/c)/g. With b gaps of g and a of 2g, a x² + b x = c has one positive
    root, 1/x = (b + √(b² + 4ac))/(2c), so β = log(1/x)/g.

    Raises:
        InputError: no gaps, a gap that is not positive, an ε outside (0, 1), or numbers whose square factors
            are too large to find.

    >>> least_beta_closed_form([1, 2], "0.1")[0], least_beta_closed_form([3, 3], "0.1")[0]
    ('log(9/2 + 3/2*sqrt(13))', 'log(18)/3')
    >>> least_beta_closed_form([1, 3], "0.1") is None
    True
    """
    row, c = _checked(gaps, eps)
    unit = Fraction(gcd(*(gap.numerator * (_bottom(row) // gap.denominator) for gap in row)), _bottom(row))
    powers = Counter(int(gap / unit) for gap in row)
    if max(powers) > 2:
        return None
    b, a = powers[1], powers[2]
    inverse = (Polynomial(b) + Polynomial.sqrt(b * b + 4 * a * c)) * (1 / (2 * c))
    exact = inverse.rational()
    root: RealLike = (b + sqrt(b * b + 4 * a * c)) / (2 * c)
    if exact == 1:
        return "0", known(0)
    text = f"log({inverse})" if unit == 1 else f"log({inverse})/{_divisor(unit)}"
    return text, log(real(root)) / unit


def _bottom(row: Sequence[Fraction]) -> int:
    return lcm(*(gap.denominator for gap in row))


def _divisor(unit: Fraction) -> str:
    return str(unit) if unit.denominator == 1 else f"({unit})"


def _checked(gaps: Sequence[RationalLike], eps: RationalLike) -> tuple[list[Fraction], Fraction]:
    """Return the gaps, and c = ε/(1 - ε)."""
    if not 1 <= len(gaps) <= MAX_GAPS:
        raise InputError(f"A row needs at least one gap and at most {MAX_GAPS}: give that many.")
    row = [rational(gap, f"gap {number}") for number, gap in enumerate(gaps, 1)]
    if min(row) <= 0:
        raise InputError("A gap lies between the largest score and a smaller one: give positive gaps.")
    small = rational(eps, "eps")
    if not 0 < small < 1:
        raise InputError("The weight that is left to the others lies between 0 and 1: give such an eps.")
    return row, small / (1 - small)


def row_entropy(scores: Sequence[RationalLike]) -> Real:
    """Return the entropy -Σ a_j log a_j of softmax(scores) in natural units, with all its digits where it is small.

    With m scores of the largest size, the others g_j below it, and r = Σ_j e^(-g_j)/m, the weights are
    1/(m(1 + r)) and e^(-g_j)/(m(1 + r)), so the entropy is log m + log(1 + r) + Σ_j g_j e^(-g_j)/(m(1 + r)).

    Raises:
        InputError: no scores, or too many.

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(row_entropy([0, 1, 2, 2]), 20).text, figures(row_entropy([0, 1000]), 5).text
    ('1.1726677784775884900', '5.0810e-432')
    """
    row = _scores(scores)
    counts = Counter(max(row) - score for score in row)
    most = counts.pop(Fraction(0))
    if not counts:
        return log(most)
    return Real(lambda _: _entropy(counts, most))


def _entropy(counts: Counter[Fraction], most: int) -> Any:
    rest, mean = flint.arb(0), flint.arb(0)
    for gap, count in counts.items():
        term = (-_arb(gap)).exp() * count / most
        rest += term
        mean += _arb(gap) * term
    return flint.arb(most).log() + rest.log1p() + mean / (1 + rest)


def row_perplexity(scores: Sequence[RationalLike]) -> Real:
    """Return the perplexity e^H of softmax(scores), how many equal weights would have its entropy H.

    Raises:
        InputError: no scores, or too many.

    >>> row_perplexity([3, 3, 3]).exact
    Fraction(3, 1)
    """
    row = _scores(scores)
    return known(len(row)) if len(set(row)) == 1 else exp(row_entropy(row))


def _scores(scores: Sequence[RationalLike]) -> list[Fraction]:
    if not 1 <= len(scores) <= MAX_GAPS + 1:
        raise InputError(f"A row needs at least one score and at most {MAX_GAPS + 1}: give that many.")
    return [rational(score, "score") for score in scores]
