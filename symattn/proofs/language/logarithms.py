"""TRUSTED. Logarithms of products taken apart where that holds for all values."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from symattn.exact.indexed.expression import INVERSE, ZERO, Atom, Expr


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


def _of_atom(atom: Atom) -> Expr:
    """Return the logarithm of an inverse as the negative of that of its argument."""
    if atom.name == INVERSE:
        return -Expr.log(atom.arguments[0])
    return Expr.log(Expr.atom(atom))
