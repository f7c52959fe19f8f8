"""TRUSTED. Sines and cosines of exact angles: square roots where they are known, and one form for products of them.

The sine and the cosine of a rational multiple of pi are brought to an angle between 0 and pi/4; there those are
square roots whose value is a sum of square roots of rationals. What is left is a constant,
`symattn.exact.reals.constants`.

A product of sines and cosines is a sum of sines and cosines of sums of their angles, by ``e^{ix} e^{iy} =
e^{i(x + y)}``. What vanishes in that form is 0, whatever the angles are, so ``cos^2 x + sin^2 x = 1`` and what
follows from it are proved and not left to enclosures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, reduce

from symattn.exact.field.constant_names import PI
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Monomial, Polynomial

_QUARTER, _HALF = Fraction(1, 4), Fraction(1, 2)
_MAX_TERMS = 4000
_MAX_DEGREE = 24
_MULTIPLE = re.compile(r"(-?)([0-9]{0,9})(\*?)pi(?:/([1-9][0-9]{0,8}))?", re.ASCII)

Waves = Callable[[str, Polynomial], Polynomial]
"""The sine or the cosine of an angle, in its one form."""
Parts = Callable[[str], tuple[str, Polynomial]]
"""The function and the angle that the name of a constant says."""


def _root(of: int, over: int) -> Polynomial:
    return Polynomial.sqrt(of) * Fraction(1, over)


_SINES: Mapping[Fraction, Polynomial] = {
    Fraction(1, 12): _root(6, 4) - _root(2, 4),
    Fraction(1, 10): _root(5, 4) - _QUARTER,
    Fraction(1, 6): Polynomial(_HALF),
    Fraction(1, 4): _root(2, 2),
}
_COSINES: Mapping[Fraction, Polynomial] = {
    Fraction(1, 12): _root(6, 4) + _root(2, 4),
    Fraction(1, 6): _root(3, 2),
    Fraction(1, 5): _root(5, 4) + _QUARTER,
    Fraction(1, 4): _root(2, 2),
}
"""By the angle in half turns."""


def half_turns(angle: Polynomial) -> Fraction | None:
    """Return an angle as a rational multiple of pi, or None where it is not one.

    >>> half_turns(Polynomial.symbol("pi") * Fraction(2, 3)), half_turns(Polynomial(1))
    (Fraction(2, 3), None)
    """
    if not angle:
        return Fraction(0)
    if len(angle.terms) != 1 or angle.terms[0][0] != (1, ((PI, 1),)):
        return None
    return angle.terms[0][1]


def parse_multiple(text: str) -> Fraction | None:
    """Parse a rational multiple of pi such as ``2pi/3``, ``-pi`` or ``5*pi/12``; None for other texts.

    >>> parse_multiple("pi/3"), parse_multiple("-2*pi/5"), parse_multiple("1/3")
    (Fraction(1, 3), Fraction(-2, 5), None)
    """
    found = _MULTIPLE.fullmatch(text.replace(" ", "").replace("π", PI))
    if found is None or (found[3] and not found[2]):
        return None
    size = Fraction(int(found[2] or 1), int(found[4] or 1))
    return -size if found[1] else size


def known(function: str, turns: Fraction) -> tuple[int, str, Fraction] | Polynomial:
    """Return the sine or cosine of `turns` times pi: its value, or a sign with the function and an angle up to pi/4.

    >>> str(known("cos", Fraction(2, 3))), known("sin", Fraction(9, 8))
    ('-1/2', (-1, 'sin', Fraction(1, 8)))
    """
    turns, sign = turns % 2, 1
    if turns > 1:
        # Both are looked at from 0 to 1 half turn: the cosine is even, the sine odd.
        turns, sign = 2 - turns, 1 if function == "cos" else -1
    if turns > _HALF:
        turns, sign = 1 - turns, -sign if function == "cos" else sign
    if turns > _QUARTER:
        turns, function = _HALF - turns, "sin" if function == "cos" else "cos"
    if not turns:
        return Polynomial(sign if function == "cos" else 0)
    value = (_SINES if function == "sin" else _COSINES).get(turns)
    return (sign, function, turns) if value is None else value * sign


# One form for products ------------------------------------------------------------------------------


def linear(value: ExpSum, parts: Parts, waves: Waves) -> ExpSum | None:
    """Return a sum in which no two sines or cosines are multiplied, equal to `value`; None where it would be too long.

    Args:
        value: a sum whose symbols may be names of sines and cosines.
        parts: what a name says.
        waves: what makes a sine or cosine.
    """
    total = ExpSum(0)
    for exponent, coefficient in value.terms():
        power, factor = (_linear_polynomial(item, parts, waves) for item in (exponent, coefficient))
        if power is None or factor is None:
            return None
        total = total + ExpSum.exp(power) * factor
    return total


def has_waves(names: frozenset[str]) -> bool:
    """Return whether one of these is the name of a sine or a cosine.

    >>> has_waves(frozenset({"sin(1)"})), has_waves(frozenset({"tanh(1)"}))
    (True, False)
    """
    return any(name.startswith(("sin(", "cos(")) for name in names)


_Complex = tuple[Polynomial, Polynomial]
_Turning = dict[Polynomial, _Complex]
"""Coefficients, real and imaginary part, of e^{ix} by the angle x."""


def _linear_polynomial(value: Polynomial, parts: Parts, waves: Waves) -> Polynomial | None:
    if not has_waves(value.symbols):
        return value
    found: dict[Monomial, Fraction] = {}
    for monomial, coefficient in value.terms:
        made = _linear_monomial(monomial, parts, waves)
        if made is None:
            return None
        for own, c in made.terms:
            found[own] = found.get(own, Fraction(0)) + c * coefficient
        if len(found) > _MAX_TERMS:
            return None
    return Polynomial.of_terms(found.items())


@lru_cache(maxsize=4096)
def _linear_monomial(monomial: Monomial, parts: Parts, waves: Waves) -> Polynomial | None:
    """Linearise one product; sums of one problem share theirs."""
    turning = _turning(monomial, parts)
    if turning is None:
        return None
    radicand, powers = monomial
    kept = tuple((name, power) for name, power in powers if not has_waves(frozenset({name})))
    rest, total = Polynomial.of_terms([((radicand, kept), Fraction(1))]), Polynomial(0)
    for angle, (real, imaginary) in turning.items():
        # The imaginary parts of the whole cancel: it is a real number.
        total = total + rest * (real * waves("cos", angle) - imaginary * waves("sin", angle))
    return total


def _turning(monomial: Monomial, parts: Parts) -> _Turning | None:
    waves = [(name, power) for name, power in monomial[1] if has_waves(frozenset({name}))]
    if sum(power for _, power in waves) > _MAX_DEGREE:
        return None
    factors = [_wave(*parts(name)) for name, power in waves for _ in range(power)]
    start: _Turning = {Polynomial(0): (Polynomial(1), Polynomial(0))}
    return reduce(_times, factors, start)


def _wave(function: str, angle: Polynomial) -> _Turning:
    """Expand by ``cos x = (e^{ix} + e^{-ix})/2`` and ``sin x = (e^{ix} - e^{-ix})/(2i)``."""
    half, nothing = Polynomial(_HALF), Polynomial(0)
    if function == "cos":
        return {angle: (half, nothing), -angle: (half, nothing)}
    return {angle: (nothing, -half), -angle: (nothing, half)}


def _times(left: _Turning, right: _Turning) -> _Turning:
    found: _Turning = {}
    for x, (a, b) in left.items():
        for y, (c, d) in right.items():
            real, imaginary = found.get(x + y, (Polynomial(0), Polynomial(0)))
            found[x + y] = (real + a * c - b * d, imaginary + a * d + b * c)
    return found
