"""TRUSTED. Exact rewritings of elementary functions: sines and cosines of sums, logarithms of products.

An angle is a sum of terms; ``sin(x + y) = sin x cos y + cos x sin y`` and ``cos(x + y) = cos x cos y - sin x sin y``
take it apart, a sign goes out, and a whole multiple up to `_MAX_MULTIPLE` is a repeated sum. ``sin^2`` is written
``1 - cos^2``. Every rewriting holds for all real angles, so expressions with one form are equal. A logarithm is taken
apart where that holds for all values.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from fractions import Fraction

from symattn.exact.indexed.expression import INVERSE, ONE, ZERO, Atom, Expr, product, summed

_MAX_MULTIPLE = 12
_MAX_ROUNDS = 16


def are_equal_as_angles(first: Expr, second: Expr) -> bool:
    """Return whether two expressions are shown to be equal once the angles in them are taken apart.

    >>> x, y = Expr.scalar("x"), Expr.scalar("y")
    >>> cos, sin = (lambda a: Expr.function("cos", a)), (lambda a: Expr.function("sin", a))
    >>> are_equal_as_angles(cos(x - y), cos(x) * cos(y) + sin(x) * sin(y))
    True
    >>> are_equal_as_angles(cos(x - y), cos(x) * cos(y) - sin(x) * sin(y))
    False
    >>> are_equal_as_angles(sin(x) ** 2 + cos(x) ** 2, Expr(1))
    True
    """
    return _reduced((first - second).mapped(_apart)).is_zero()


def _apart(atom: Atom[Expr]) -> Expr | None:
    if atom.name not in {"sin", "cos"} or len(atom.arguments) != 1:
        return None
    cosine, sine = _both(atom.arguments[0])
    return cosine if atom.name == "cos" else sine


def _both(angle: Expr) -> tuple[Expr, Expr]:
    """Return cosine and sine of an angle."""
    cosine, sine = ONE, ZERO
    for item in angle.terms:
        number = item[1].rational()
        whole = Expr.of_terms([item])
        if number is None or abs(number.numerator) > _MAX_MULTIPLE:
            number = Fraction(1)
        unit = whole * (Fraction(1) / abs(number.numerator)) * (1 if number > 0 else -1)
        sign = 1 if number > 0 else -1
        step = Expr.function("cos", unit), Expr.function("sin", unit) * sign
        for _ in range(abs(number.numerator)):
            cosine, sine = cosine * step[0] - sine * step[1], sine * step[0] + cosine * step[1]
    return cosine, sine


def _reduced(expr: Expr) -> Expr:
    """Return the expression with no power of a sine above the first."""
    for _ in range(_MAX_ROUNDS):
        changed = ZERO
        for draft in expr.opened():
            changed = changed + summed(product(draft, _reduced_power), draft.bounds)
        if changed == expr:
            break
        expr = changed
    return expr


def _reduced_power(atom: Atom[Expr], power: int) -> Expr:
    if atom.name != "sin" or power < 2:
        return Expr.atom(atom, power)
    return (ONE - Expr.function("cos", atom.arguments[0]) ** 2) * Expr.atom(atom, power - 2)


def logarithm(value: Expr, positive: AbstractSet[str]) -> Expr:
    """Return the natural logarithm of what is positive; of one product without sums, the sum of those of its factors.

    The exponential goes out as its exponent, and so does every scalar or entry that is positive. Of the other
    factors one alone may be left, to an odd power: it is then positive, as the whole is.

    Args:
        value: what the logarithm is taken of.
        positive: names of scalars and of families of which every entry is positive.

    >>> x, s = Expr.scalar("x"), Expr.scalar("s")
    >>> logarithm(Expr.exp(x) / s, frozenset()) == x - Expr.log(s)
    True
    >>> logarithm(x * s, frozenset()) == Expr.log(x) + Expr.log(s)
    False
    """
    if len(value.terms) != 1:
        return Expr.log(value)
    term, c = value.terms[0]
    number = c.rational()
    if term.sizes or number is None or number <= 0:
        return Expr.log(value)
    others = [(atom, power) for atom, power in term.factors if atom.arguments or atom.name not in positive]
    if len(others) > 1 or any(power % 2 == 0 for _, power in others):
        return Expr.log(value)
    total = ZERO if term.exponent is None else term.exponent
    for part, sign in ((number.numerator, 1), (number.denominator, -1)):
        if part != 1:
            total = total + sign * Expr.log(Expr(part))
    for atom, power in term.factors:
        total = total + _of_atom(atom) * power
    return total


def _of_atom(atom: Atom[Expr]) -> Expr:
    """Return the logarithm of an inverse as the negative of that of its argument."""
    if atom.name == INVERSE:
        return -Expr.log(atom.arguments[0])
    return Expr.log(Expr.atom(atom))
