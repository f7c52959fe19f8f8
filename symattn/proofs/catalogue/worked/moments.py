"""Numbers of the theorems on moments of a dot product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt

from symattn.errors import InputError
from symattn.exact.laws.gaussian_scores import MAX_DIMENSION, product_tail, saturation_probability
from symattn.exact.reals.certified_digits import exp, figures, sqrt
from symattn.exact.reals.computable import sqrt as computable_sqrt
from symattn.proofs.catalogue.authoring.theorem import Line, Values
from symattn.proofs.catalogue.authoring.wording import factor, number

_DIGITS = 30
_USUAL = {"D": Fraction(64), "mu": Fraction(0), "sigma": Fraction(1)}


def _usual(values: Values) -> tuple[Fraction, Fraction, Fraction, str]:
    """Return length, mean and deviation, usual numbers in the place of letters, and a phrase that names them."""
    chosen = {name: number(values[name]) for name in _USUAL if name in values}
    found = {name: _USUAL[name] if value is None else value for name, value in chosen.items()}
    if found["sigma"] < 0:
        raise InputError(f"sigma is a standard deviation and must be a number from 0 on, not {found['sigma']}.")
    where = "for " + ", ".join(f"{name} = {found[name]}" for name in _USUAL if name in found)
    return found["D"], found.get("mu", Fraction(0)), found["sigma"], where


def _lines(found: Mapping[str, Fraction], where: str) -> tuple[Line, ...]:
    return tuple(Line(f"{text} {where}", str(value), str(value)) for text, value in found.items())


def variance_lines(values: Values) -> tuple[Line, ...]:
    """Return the moments of a dot product of vectors with one mean and one variance."""
    if values["case"] != "equal":
        return ()
    size, mu, sigma, where = _usual(values)
    one = sigma**4 + 2 * mu**2 * sigma**2
    return _lines({"$E(q^T k)$": size * mu**2, "$Var(q_1 k_1)$": one, "$Var(q^T k)$": size * one}, where)


def scale_lines(values: Values) -> tuple[Line, ...]:
    """Return the variance, the scale that makes it 1, and what it is then."""
    size, _, sigma, where = _usual(values)
    square = sigma**2
    root = computable_sqrt(size) * square
    roots = f"sqrt({size})" if square == 1 else f"{factor(str(square))} sqrt({size})"
    exact = roots if root.exact is None else str(root.exact)
    return (
        *_lines({"$Var(q^T k)$": size * square**2}, where),
        Line(f"the scale $s$ {where}", exact, figures(root, _DIGITS).text if root.exact is None else exact),
        Line("$Var((q^T k)/s)$ with this scale", "1", "1"),
    )


def higher_moment_lines(values: Values) -> tuple[Line, ...]:
    """Return variance, third and fourth moments for normal components."""
    own = ("mu_q", "mu_k", "sigma_q", "sigma_k")
    if values["case"] == "rademacher" or any(number(values[name]) is not None for name in own):
        return ()
    size, mu, sigma, where = _usual(values)
    second = size * (sigma**4 + 2 * mu**2 * sigma**2)
    fourth = size * (6 * sigma**8 + 24 * mu**2 * sigma**6)
    found = {
        "the variance": second,
        "the third central moment": size * 6 * mu**2 * sigma**4,
        "the fourth cumulant": fourth,
        "the fourth central moment": fourth + 3 * second**2,
    }
    return _lines(found, f"{where} and normal components")


def row_lines(values: Values) -> tuple[Line, ...]:
    """Return the covariance of two scores of one row, and the variance of their difference."""
    size, mu, sigma, where = _usual(values)
    shared = size * mu**2 * sigma**2
    return _lines({"the covariance": shared, "the variance of the difference": 2 * size * sigma**4 + 2 * shared}, where)


def tied_lines(values: Values) -> tuple[Line, ...]:
    """Return mean and variance of the score of a vector with itself."""
    size, mu, sigma, where = _usual(values)
    variance = size * (2 * sigma**4 + 4 * mu**2 * sigma**2)
    return _lines({"the mean": size * (mu**2 + sigma**2), "the variance for normal components": variance}, where)


def _length(values: Values) -> int:
    found = int(number(values["D"]) or 64)
    if found > MAX_DIMENSION:
        raise InputError(f"D is {found}: probabilities are worked out for lengths up to {MAX_DIMENSION}.")
    return found


def saturation_lines(values: Values) -> tuple[Line, ...]:
    """Return the probabilities of a weight near 1, with and without scaling."""
    length = _length(values)
    level = values["level"]
    exact = number(level)
    if exact is None or not 0 < exact < 1:
        raise InputError(f"level must be a weight between 0 and 1, not {level}.")
    lines = []
    for scaled in (False, True):
        found = figures(saturation_probability(length, exact, scaled=scaled), _DIGITS)
        how = "divided by $sqrt(D)$" if scaled else "not divided"
        text = (
            f"the probability that the larger of two weights exceeds {level}, for independent standard normal "
            f"$q$, $k_1$, $k_2$ with $D = {length}$ and scores {how}"
        )
        lines.append(Line(text, "", found.text if found.is_settled else f"{found.text} (not settled)"))
    return tuple(lines)


def characteristic_lines(values: Values) -> tuple[Line, ...]:
    """Return the characteristic function at a few places, for standard normal components."""
    size = int(number(values["D"]) or 64)
    spreads = [number(values[name]) or Fraction(1) for name in ("sigma_q", "sigma_k")]
    lines = []
    for place in (Fraction(1, 8), Fraction(1)):
        base = 1 + (place * spreads[0] * spreads[1]) ** 2
        whole, odd = divmod(size, 2)
        root = sqrt(base) if odd else 1
        power = f"({1 / base})^{whole}" if whole else "1"
        exact = f"{power}/sqrt({base})" if odd else power
        where = f"$u = {place}$, $D = {size}$, $sigma_q = {spreads[0]}$ and $sigma_k = {spreads[1]}$"
        text = f"the characteristic function at {where}"
        lines.append(Line(text, exact, figures(1 / (base**whole * root), _DIGITS).text))
    return tuple(lines)


_SPREAD_Q = ((Fraction(1), Fraction(1, 2)), (Fraction(1, 2), Fraction(1)))
_SPREAD_K = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(2)))
_MEAN_Q = (Fraction(1), Fraction(-1))
_MEAN_K = (Fraction(1, 2), Fraction(1))
_WHERE = "S_q = ((1, 1/2), (1/2, 1)), S_k = ((1, 0), (0, 2)), m = (1, -1), n = (1/2, 1)"
"""Two components, for the worked case."""

_Square = Sequence[Sequence[Fraction]]


def covariance_lines(values: Values) -> tuple[Line, ...]:
    """Return the determinant, the exponent and the value for two components."""
    chosen = number(values["t"])
    at = Fraction(1, 2) if chosen is None else chosen
    weight = _inverse(_SPREAD_Q)
    precision = [[weight[i][j] - at**2 * _SPREAD_K[i][j] for j in range(2)] for i in range(2)]
    if precision[0][0] <= 0 or _determinant(precision) <= 0:
        raise InputError(f"P is not positive definite for t = {at} in the worked case: take a t nearer to 0.")
    b = [weight[i][0] * _MEAN_Q[0] + weight[i][1] * _MEAN_Q[1] + at * _MEAN_K[i] for i in range(2)]
    root = _determinant(_SPREAD_Q) * _determinant(precision)
    exponent = (_form(b, _inverse(precision)) - _form(_MEAN_Q, weight)) / 2
    where = f"for $t = {at}$ and {_WHERE}"
    value = figures(exp(exponent) / sqrt(root), _DIGITS).text
    return (
        Line(f"the determinant of $I - t^2 S_q S_k$ {where}", str(root), str(root)),
        Line(f"the exponent $(b^T P^(-1) b - m^T S_q^(-1) m)/2$ {where}", str(exponent), str(exponent)),
        Line(f"the mean of $exp(t q^T k)$ {where}", f"exp({exponent})/sqrt({root})", value),
    )


def _determinant(matrix: _Square) -> Fraction:
    return matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]


def _inverse(matrix: _Square) -> list[list[Fraction]]:
    (a, b), (c, d) = matrix
    size = _determinant(matrix)
    return [[d / size, -b / size], [-c / size, a / size]]


def _form(x: Sequence[Fraction], matrix: _Square) -> Fraction:
    return sum((x[i] * matrix[i][j] * x[j] for i in range(2) for j in range(2)), Fraction(0))


def tail_lines(values: Values) -> tuple[Line, ...]:
    """Return the least size of t, and the tail of a score of standard normal components."""
    spreads = [number(values[name]) or Fraction(1) for name in ("sigma_q", "sigma_k")]
    least = 1 / (spreads[0] * spreads[1])
    size = _length(values)
    chosen = f"$sigma_q = {spreads[0]}$ and $sigma_k = {spreads[1]}$"
    lines = [Line(f"the least size of $t$ for which it is infinite, for {chosen}", str(least), str(least))]
    for times in (4, 8):
        at = Fraction(times * (isqrt(size - 1) + 1))
        where = f"for $D = {size}$ and standard normal components"
        tail = figures(product_tail(size, at), _DIGITS).text
        lines.append(Line(f"the probability that $abs(q^T k) > {at}$ {where}", "", tail))
    return tuple(lines)
