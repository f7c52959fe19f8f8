"""TRUSTED. Laws of Gaussian scores and of the weight of one of two, with certified digits.

Queries and keys are independent standard normal vectors of R^D, and t is the standard deviation of the
difference of two scores. Each function says what it computes and proves the formula that it uses.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import InputError
from symattn.exact.laws.integrals import GaussianTail, integral
from symattn.exact.numerals.rational import RationalLike, rational
from symattn.exact.reals.certified_digits import Real, RealLike, erf, erfc, is_less, known, logit, real, sqrt

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")

MAX_DIMENSION = 20_000
"""The largest number of dimensions for which laws are worked out."""

_HALF = Fraction(1, 2)
_NEGATIVE_SIZE = "A size is not negative: give one that is at least 0."


def saturation_probability(dimension: int, level: RationalLike, *, scaled: bool) -> Real:
    """Return the probability that the larger of two softmax weights exceeds `level`.

    Hypotheses: q, k_1, k_2 are independent standard normal vectors of R^D; the scores are q·k_1 and q·k_2,
    divided by √D if `scaled`.

    Proof: the larger weight is σ(|d|) for the difference d of the scores, and exceeds p >= 1/2 exactly when
    |d| > L = log(p/(1 - p)). Given q, q·(k_1 - k_2) is normal with mean 0 and variance 2|q|², so unscaled
    P(|d| > L) = E[erfc(L/(2|q|))], and √D L takes the place of L if scaled. As k_1 - k_2 is √2 times a
    standard normal vector k, this is P(|q·k| > L/√2), worked out by `product_tail`. One of two weights is
    at least 1/2, so the probability is 1 for p < 1/2, and for p = 1/2 as d is 0 with probability 0.

    Raises:
        InputError: a level outside (0, 1), or a number of dimensions that is out of range.

    >>> from symattn.exact.reals.certified_digits import exp, figures
    >>> [figures(saturation_probability(64, "0.99", scaled=scaled), 12).text for scaled in (False, True)]
    ['0.681285545885', '0.00154268612759']
    """
    p = rational(level, "level")
    _check_dimension(dimension)
    if not 0 < p < 1:
        raise InputError("A level of weights lies between 0 and 1: give one that does.")
    if p <= _HALF:
        return known(1)
    return product_tail(dimension, logit(p) * sqrt(Fraction(dimension if scaled else 1, 2)))


def product_tail(dimension: int, size: RealLike) -> Real:
    """Return P(|q·k| > y) for independent standard normal vectors q and k of R^D and y >= 0.

    D = 2m: E e^(isqk) = E e^(-s²q²/2) = (1 + s²)^(-1/2) for one coordinate, so q·k has the characteristic
    function (1 + s²)^-m = (1 - is)^-m (1 + is)^-m of G - H with independent G, H ~ Gamma(m, 1): the times of
    the m-th events of two Poisson processes. Let the second start at time y. G > y + H says that the first
    has i < m events at time y, and that then its next m - i events are not over when the second has m; each
    event is of either with probability 1/2, so with k events of the first before the m-th of the second

        P(|q·k| > y) = 2 P(G > y + H) = 2 Σ_{i<m} e^-y y^i/i! Σ_{k<m-i} C(m-1+k, k) 2^-(m+k).

    D odd: given q, q·k is normal with variance |q|² = r², and r has the density r^(D-1) e^(-r²/2) divided by
    2^(D/2-1) Γ(D/2), so P = E[erfc(c/r)] with c = y/√2, which is integrated from a to b. As erfc falls,
    what is left out is between 0 and erfc(c/a) below and P(r > b) = Γ(D/2, b²/2)/Γ(D/2) above.

    Raises:
        InputError: a number of dimensions that is out of range, or a negative y.

    >>> from symattn.exact.reals.certified_digits import exp, figures
    >>> figures(product_tail(2, 1), 12).text == figures(exp(-1), 12).text
    True
    """
    _check_dimension(dimension)
    y = real(size)
    if y.exact is not None and y.exact <= 0:
        if y.exact < 0:
            raise InputError(_NEGATIVE_SIZE)
        return known(1)
    if dimension % 2:
        return Real(lambda bits: _odd_tail(dimension, _size(y(bits)), bits), (y,))
    return Real(lambda bits: _even_tail(dimension // 2, _size(y(bits))), (y,))


def _size(ball: Any) -> Any:
    if ball < 0:
        raise InputError(_NEGATIVE_SIZE)
    return ball


def _even_tail(m: int, y: Any) -> Any:
    """Return the double sum, its inner sums over the common denominator 2**(2m-1), the outer one by Horner's rule."""
    inner, numerator, binomial = [], 0, 1
    for k in range(m):
        numerator += binomial << (m - 1 - k)
        inner.append(numerator)
        binomial = binomial * (m + k) // (k + 1)
    value = flint.arb(0)
    for i in range(m - 1, -1, -1):
        value = value * y / (i + 1) + inner[m - 1 - i]
    return value * (-y).exp() * flint.arb(2) ** (2 - 2 * m)


def _odd_tail(dimension: int, y: Any, bits: int) -> Any:
    """Return the integral from a to b, with a and b such that what is left out is about e^-bits, and what that is."""
    c = y / flint.arb(2).sqrt()
    start = (c / flint.arb(bits).sqrt()).mid()
    end = flint.arb(isqrt(dimension + 2 * isqrt(dimension * bits) + 2 * bits) + 1)
    if not start < end:
        return _outside(dimension, c, end, end)
    return _between(dimension, c, start, end) + _outside(dimension, c, start, end)


def _between(dimension: int, c: Any, start: Any, end: Any) -> Any:
    """Return the integral of erfc(c/r) times the density of r from `start` to `end`."""
    half = flint.arb(flint.fmpq(dimension, 2))
    norm = 2 * flint.arb(2) ** -half / half.gamma()
    distance = flint.acb(c)
    return flint.acb.integral(
        lambda r, _: (distance / r).erfc() * r ** (dimension - 1) * (-r * r / 2).exp() * norm,
        flint.acb(start),
        flint.acb(end),
    ).real


def _outside(dimension: int, c: Any, start: Any, end: Any) -> Any:
    """Return a ball that holds what that integral leaves out: from 0 to erfc(c/start) + P(r > end)."""
    above = (end**2 / 2).gamma_upper(flint.arb(flint.fmpq(dimension, 2)), regularized=1)
    return (above + (c / start).erfc()).union(flint.arb(0))


def logit_normal_variance(t: RealLike) -> Real:
    """Return the variance of the weight w = σ(d), d ~ N(0, t²).

    σ(d) - 1/2 = tanh(d/2)/2 is odd, so the mean is 1/2, and with the normal density the variance is

        E[tanh²(d/2)]/4 = (1/(2 √(2π))) ∫_0^∞ tanh²(tx/2) e^(-x²/2) dx,

    an integrand of size at most e^(-x²/2). The law is Johnson's S_B (Johnson 1949, "Systems of frequency
    curves generated by methods of translation"; Atchison and Shen 1980, "Logistic-normal distributions").

    Raises:
        InputError: t is negative.

    >>> from symattn.exact.reals.certified_digits import exp, figures
    >>> figures(logit_normal_variance(5 * sqrt("1/2")), 12).text  # of two scores with variance 25/4 each
    '0.149033927285'
    """
    spread = _spread(t)
    if spread.exact == 0:
        return known(0)

    def compute(bits: int) -> Any:
        half = flint.acb(spread(bits) / 2)
        tail = GaussianTail(Fraction(1), _HALF)
        whole = integral(lambda x, _: (half * x).tanh() ** 2 * (-x * x / 2).exp(), 0, None, bits, tail)
        return whole / (2 * (2 * flint.arb.pi()).sqrt())

    return Real(compute, (spread,))


def logit_normal_between(low: RationalLike, high: RationalLike, t: RealLike) -> Real:
    """Return P(low < w < high) for the weight w = σ(d), d ~ N(0, t²).

    σ increases, so this is P(logit low < d < logit high) = (erf b - erf a)/2 with a = logit(low)/(t√2) and
    b = logit(high)/(t√2), in terms of erfc where both ends lie on one side of 1/2. Bounds outside (0, 1) stand
    for infinite ones. For t = 0 the weight is 1/2.

    Raises:
        InputError: t is negative.

    >>> from symattn.exact.reals.certified_digits import exp, figures
    >>> figures(logit_normal_between("0.1", "0.9", 5 * sqrt("1/2")), 12).text  # erf(log(9)/5)
    '0.465708888173'
    """
    a, b = rational(low, "low"), rational(high, "high")
    spread = _spread(t)
    if a >= b or a >= 1 or b <= 0:
        return known(0)
    if spread.exact == 0:
        return known(int(a < _HALF < b))
    if b <= _HALF:
        a, b = 1 - b, 1 - a
    unit = 1 / (spread * sqrt(2))
    if a >= _HALF:
        return (_upper(a, unit) - _upper(b, unit)) / 2
    if a + b == 1 and a > 0:
        return erf(logit(b) * unit)
    return 1 - (_upper(1 - a, unit) + _upper(b, unit)) / 2


def _upper(level: Fraction, unit: Real) -> Real:
    """Return 2 P(w > level) for a level of at least 1/2."""
    return known(0) if level >= 1 else erfc(logit(level) * unit)


def is_bimodal(t: RealLike) -> bool | None:
    """Return whether the density of σ(d), d ~ N(0, t²), has two modes: exactly where t² > 2. None where undecided.

    Proof: up to a constant the logarithm of the density at w = σ(d) is -d²/(2t²) - log(w(1 - w)), and its
    derivative by d is tanh(d/2) - d/t², for w(1 - w) has the logarithmic derivative 1 - 2w = -tanh(d/2).
    tanh(d/2) is strictly concave for d > 0 with slope 1/2 at 0 and bounded: if 1/2 <= 1/t² the derivative is
    negative for d > 0, and as it is odd, w = 1/2 is the only mode; if 1/2 > 1/t² it is positive on (0, d*)
    and negative beyond, for one d* > 0, so the modes are σ(±d*) and 1/2 is a minimum.

    >>> is_bimodal(sqrt(2)), is_bimodal("1.42"), is_bimodal("1.41")
    (False, True, False)
    """
    spread = _spread(t)
    if spread.square is not None:
        return spread.square > 2
    return is_less(2, spread * spread)


def logit_normal_modes(t: RealLike) -> tuple[Real, ...] | None:
    """Return the modes of σ(d), d ~ N(0, t²), in rising order: 1/2, or σ(-d*) and σ(d*) with tanh(d*/2) = d*/t².

    See `is_bimodal` for the proof. None where it is undecided how many there are.

    >>> from symattn.exact.reals.certified_digits import exp, figures
    >>> [figures(mode, 10).text for mode in logit_normal_modes(2)]
    ['0.02124798796', '0.9787520120']
    """
    spread = _spread(t)
    two = is_bimodal(spread)
    if two is None:
        return None
    if not two:
        return (known(_HALF),)
    low = Real(lambda bits: _mode(spread(bits), bits, -1), (spread,))
    return low, Real(lambda bits: _mode(spread(bits), bits, 1), (spread,))


def _mode(spread: Any, bits: int, side: int) -> Any:
    """Return σ(±d*), by Newton's method for d* from t² > d*; `_around` proves its result."""
    square = spread * spread
    root = square.upper()
    for _ in range(bits.bit_length() + 64):
        tanh = (root / 2).tanh()
        step = ((tanh - root / square) / ((1 - tanh * tanh) / 2 - 1 / square)).mid()
        if not step.is_finite() or not abs(step) > root * flint.arb(2) ** (4 - bits):
            break
        root = (root - step).mid()
    return 1 / (1 + (-side * _around(square, root, bits)).exp())


def _around(square: Any, guess: Any, bits: int) -> Any:
    """Return a ball that holds d*, from any guess.

    g(d) = tanh(d/2) - d/t² is positive on (0, d*) and negative beyond, so g > 0 at r - e > 0 and g < 0 at
    r + e prove that r ± e holds d*. Where no e shows that, d* is in [0, t²], as tanh < 1.
    """
    size = flint.arb(2) ** (8 - bits) * guess
    while size < guess:
        low, high = (guess - size).lower(), (guess + size).upper()
        if low > 0 and (low / 2).tanh() > low / square and (high / 2).tanh() < high / square:
            return low.union(high)
        size = size * 16
    return flint.arb(0).union(square)


def _spread(t: RealLike) -> Real:
    spread = real(t)
    if is_less(spread, 0, limit=64):
        raise InputError("A standard deviation is not negative: give one that is at least 0.")
    return spread


def _check_dimension(dimension: int) -> None:
    if not 1 <= dimension <= MAX_DIMENSION:
        raise InputError(f"A number of dimensions is an integer from 1 to {MAX_DIMENSION}: give one that is.")
