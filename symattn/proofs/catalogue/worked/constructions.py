"""Numbers of constructions: averages, the law of the share of one of two random keys, two heads, orthogonal parts."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws.gaussian_scores import (
    is_bimodal,
    logit_normal_between,
    logit_normal_modes,
    logit_normal_variance,
)
from symattn.exact.reals.certified_digits import Real, RealLike, erf, exp, figures, pi, sqrt
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.proofs.catalogue.authoring.theorem import Line, Values
from symattn.proofs.catalogue.authoring.wording import number

_DIGITS = 30


def _positive_value(values: Values, name: str, default: str, *, zero: bool = False) -> Fraction:
    """Return the value of a parameter for a worked case, positive or, where that is allowed, zero."""
    found = number(values[name])
    found = Fraction(default) if found is None else found
    if found < 0 or (found == 0 and not zero):
        raise InputError(f"{name} is {'not negative' if zero else 'positive'} here: give such a number, not {found}.")
    return found


def _digits_line(text: str, exact: str, value: RealLike) -> Line:
    """Return a line of a worked case with certified digits."""
    return Line(text, exact, figures(value, _DIGITS).text)


def _distance(values: Values) -> Fraction:
    """Return the distance of a share from 1/2 for a worked case."""
    eta = _positive_value(values, "eta", "2/5")
    if eta >= Fraction(1, 2):
        raise InputError(f"eta is a distance of a share from 1/2: give a number below 1/2, not {eta}.")
    return eta


def _times_root(factor: Fraction | int, radicand: Fraction) -> str:
    """Return a number times a square root, worked out where it is rational.

    >>> _times_root(40, Fraction(1, 100)), _times_root(20, Fraction(2, 25)), _times_root(1, Fraction(3))
    ('4', '20 * sqrt(2/25)', 'sqrt(3)')
    """
    above, below = isqrt(radicand.numerator), isqrt(radicand.denominator)
    if (above**2, below**2) == (radicand.numerator, radicand.denominator):
        return str(factor * Fraction(above, below))
    return f"sqrt({radicand})" if factor == 1 else f"{factor} * sqrt({radicand})"


def _nearness_line(eta: Fraction, spread: Real, root: str, where: str) -> Line:
    """Return the probability that the share is within a distance of 1/2."""
    ratio = (1 + 2 * eta) / (1 - 2 * eta)
    value = logit_normal_between(Fraction(1, 2) - eta, Fraction(1, 2) + eta, spread)
    inner = f"ln({ratio})" if root == "1" else f"ln({ratio})/({root})"
    return _digits_line(f"the probability that the share is within {eta} of $1/2$, {where}", f"erf({inner})", value)


def short_key_lines(values: Values) -> tuple[Line, ...]:
    """Return the law of the share of one of two short keys."""
    s, alpha, eta = _positive_value(values, "s", "20"), _positive_value(values, "alpha", "1/100"), _distance(values)
    where = f"for $s = {s}$ and $alpha = {alpha}$"
    spread = 2 * s * sqrt(alpha)
    return (
        _digits_line(f"the standard deviation of $d$ {where}", _times_root(2 * s, alpha), spread),
        _digits_line(f"the variance of the share {where}", "", logit_normal_variance(spread)),
        _digits_line(f"its bound $(alpha s^2)/4$ {where}", str(alpha * s**2 / 4), alpha * s**2 / 4),
        _nearness_line(eta, spread, _times_root(s, 8 * alpha), where),
        _digits_line(
            f"the bound of the mean weight of another key {where}",
            f"exp({-s + 2 * alpha * s**2})",
            exp(2 * alpha * s**2 - s),
        ),
    )


_SCALES = (1, 2, 5, 10, 20, 50, 100)


def long_key_lines(values: Values) -> tuple[Line, ...]:
    """Return the law of the share where one key has a random length."""
    alpha, eta = _positive_value(values, "alpha", "0", zero=True), _distance(values)
    scales = _SCALES if number(values["s"]) is None else (_positive_value(values, "s", "1"),)
    lines = []
    for s in scales:
        where = f"for $s = {s}$ and $alpha = {alpha}$"
        spread = s * sqrt(Fraction(1, 2) + 4 * alpha)
        lines.append(_digits_line(f"the variance of the share {where}", "", logit_normal_variance(spread)))
        lines.append(_nearness_line(eta, spread, _times_root(s, 1 + 8 * alpha), where))
        modes = logit_normal_modes(spread)
        if is_bimodal(spread) and modes is not None:
            lines.append(_digits_line(f"the lower of the two peaks of its density {where}", "", modes[0]))
            variance = spread * spread
            bound = Fraction(1, 4) - (1 - pi() * pi() / (6 * variance)) / sqrt(2 * pi() * variance)
            text = f"its upper bound $1/4 - (1 - pi^2/(6 V))/sqrt(2 pi V)$ {where}, $V$ the variance of $d$"
            lines.append(_digits_line(text, "", bound))
    root = 1 / sqrt(1 + 2 * alpha)
    exact = f"(1 - erf(1/sqrt({1 + 2 * alpha})))/2" if alpha else "(1 - erf(1))/2"
    lines.append(
        _digits_line(f"the probability that $mu_a^T k_a < 0$ for $alpha = {alpha}$", exact, (1 - erf(root)) / 2)
    )
    return tuple(lines)


def head_lines(values: Values) -> tuple[Line, ...]:
    """Return the weight of the own key in each of two heads, and the probability of a positive component."""
    count, scale = (number(values[name]) or Fraction(10) for name in ("n", "s"))
    if count < 2 or scale <= 0:
        raise InputError("Two heads want at least two keys and a positive s: give n >= 2 and s > 0.")
    where = f"for $n = {count}$ and $s = {scale}$"
    own = exp(scale) / (exp(scale) + (count - 1))
    return (
        _digits_line(
            f"the weight of the own key in each head {where}", f"exp({scale})/(exp({scale}) + {count - 1})", own
        ),
        _digits_line(
            "the probability that the long key has a positive component, $Phi(sqrt(2))$",
            "(1 + erf(1))/2",
            (1 + erf(1)) / 2,
        ),
    )


def _length(values: Values) -> Fraction:
    return _positive_value(values, "B", "10")


def token_lines(values: Values) -> tuple[Line, ...]:
    """Return the weight of a token for itself, and the distance of a part from the hull of the tokens."""
    size = _length(values)
    grown = exp(size)
    return (
        _digits_line(
            f"the weight of $x_2$ for itself with $B = {size}$", f"exp({size})/(exp({size}) + 2)", grown / (grown + 2)
        ),
        _digits_line(
            "the distance of $u_b$ from the hull of the tokens", _times_root(1, 2 * size / 5), sqrt(2 * size / 5)
        ),
    )


def design_lines(values: Values) -> tuple[Line, ...]:
    """Return the distances of two outputs from the parts that they are designed for."""
    size = _length(values)
    below = exp(size) + 2
    return tuple(
        _digits_line(
            f"the distance of the output of ${query}$ from ${aim}$ with $B = {size}$",
            f"sqrt({count * size})/(exp({size}) + 2)",
            sqrt(count * size) / below,
        )
        for query, aim, count in (("x_2", "u_b", 2), ("x_1", "u_b - u_c", 5))
    )


_EXAMPLE = "10"
"""The number of keys and the scale of the query, for the worked case."""


def average_lines(values: Values) -> tuple[Line, ...]:
    """Return the weights to 30 figures, for n = 10 and s = 10 where these are not given."""
    chosen = [f"${name} = {_EXAMPLE}$" for name in ("n", "s") if values[name] == name]
    where = f" for {' and '.join(chosen)}" if chosen else ""
    n, s = (_EXAMPLE if values[name] == name else values[name] for name in ("n", "s"))
    others = int(n) - int(values["m"])
    power = ExpSum.exp(Polynomial.constant(Fraction(s)))
    total = power * int(values["m"]) + others
    found = [("alpha_a", Quotient.of(power) / Quotient.of(total))]
    if others > 0:
        found.append(("alpha_o", Quotient.of(1) / Quotient.of(total)))
    return tuple(Line(f"${name}${where}", str(value), decimal(value, Rounding(figures=30))) for name, value in found)
