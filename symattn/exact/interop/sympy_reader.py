"""TRUSTED. The border for SymPy expressions: sums, products, quotients and integer powers of exponentials.

Roots and negative powers of symbols are generators, see `symattn.exact.field.sympy_polynomials`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import (
    PolynomialReader,
    SympyExpr,
    fraction,
    is_sympy,
    root,
    small_exponent,
    unreadable,
)
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED


class Reading(PolynomialReader):
    """Expressions that are read together, so that a symbol has one generator in all of them.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> first, second = 1 / (1 + sympy.exp(-x)), sympy.exp(x) / (sympy.exp(x) + 1)
    >>> reading = Reading([first, second])
    >>> reading.quotient(first) == reading.quotient(second)
    True
    """

    def quotient(self, expression: SympyExpr) -> Quotient:
        """Return one of the expressions as a quotient of exponential sums in the generators.

        Raises:
            InputError: it is divided by zero, or a power is too large.
            UndecidedError: as above.
        """
        self._nodes = 0
        return self._value(expression, 0)

    # Values ------------------------------------------------------------------------------------------

    def _value(self, node: SympyExpr, depth: int) -> Quotient:
        self.count(node, depth)
        if node.is_Rational:
            return Quotient(fraction(node))
        if node is self._sympy.E:
            return Quotient(ExpSum.exp(1))
        if node is self._sympy.S.NegativeInfinity:
            return MINUS_INFINITY
        if node is self._sympy.S.NaN:
            return UNDEFINED
        if self.is_symbol(node):
            return self._power_of_symbol(node, Fraction(1))
        if isinstance(node, self._sympy.exp):
            return Quotient(ExpSum.exp(self.exponent_of(node.args[0], depth + 1)))
        if node.is_Add or node.is_Mul:
            parts = [self._value(part, depth + 1) for part in node.args]
            return _combined(parts, is_sum=bool(node.is_Add))
        if node.is_Pow:
            return self._power(node, depth)
        raise unreadable(node)

    def _power(self, node: SympyExpr, depth: int) -> Quotient:
        exponent = small_exponent(node)
        if exponent.denominator == 1:
            return self._value(node.base, depth + 1) ** exponent.numerator
        if self.is_symbol(node.base):
            return self._power_of_symbol(node.base, exponent)
        return Quotient(root(node)) ** exponent.numerator

    def _power_of_symbol(self, node: SympyExpr, power: Fraction) -> Quotient:
        item = self.generator(node)
        return Quotient(Polynomial.symbol(item.name)) ** int(power / item.power)


def together(*values: Any) -> list[Any]:
    """Return the values, expressions of SymPy read together as quotients.

    The powers of a symbol in them are those of `symattn.exact.interop.generators.with_shared_generators`.

    Raises:
        InputError: a float, or an expression that is divided by zero.
        UndecidedError: another function than exp.

    >>> together(1, "1/2")
    [1, '1/2']
    """
    reading = Reading(filter(is_sympy, values), both_signs=True)
    return [reading.quotient(value) if is_sympy(value) else value for value in values]


def _combined(parts: list[Quotient], *, is_sum: bool) -> Quotient:
    result = Quotient(0 if is_sum else 1)
    is_plain = all(part.is_finite for part in parts)
    for part in by_denominator(parts) if is_sum and is_plain else parts:
        result = result + part if is_sum else result * part
    return result


def by_denominator(parts: Iterable[Quotient]) -> list[Quotient]:
    """Return terms of a sum with those of one denominator added up, so that no denominator is multiplied in twice.

    >>> e = ExpSum.exp(1)
    >>> [str(part) for part in by_denominator([Quotient(1, e + 1), Quotient(2), Quotient(e, 1 + e)])]
    ['(1 + exp(1))/(exp(1) + 1)', '2']
    """
    found: list[Quotient] = []
    for part in parts:
        for place, own in enumerate(found):
            if own.denominator == part.denominator:
                found[place] = own + part
                break
        else:
            found.append(part)
    return found
