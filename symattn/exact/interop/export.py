"""TRUSTED. Values handed to SymPy and mpmath. Only this module and what calls it import them, when called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from symattn import late
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import SympyExpr
from symattn.exact.reals import constants
from symattn.exact.reals.enclosure import power_of_ten
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import Rounding, rounded_indices

if TYPE_CHECKING:
    import mpmath
    import sympy
else:
    mpmath = late.module("mpmath")
    sympy = late.module("sympy")

MpmathMatrix: TypeAlias = Any  # mpmath has no types
SympyMatrix: TypeAlias = Any  # nor has sympy
Rows: TypeAlias = Sequence[Sequence[Quotient]]

_GUARD_BITS = 16


def mpmath_matrix(rows: Rows, digits: int) -> MpmathMatrix:
    """Return every entry correctly rounded to `digits` significant digits, as the nearest mpf with some bits more.

    The mpf lies within 2**-16 of a unit of the last digit of the decimal, so printing it with `digits`
    digits gives back the decimal. Minus infinity is mpmath's, what is undefined its nan.

    >>> str(mpmath_matrix([[Quotient.of(2)]], 10)[0])
    '2.0'
    """
    bits = digits * 10 // 3 + 4 + _GUARD_BITS
    columns = len(rows[0])
    entries = [entry for row in rows for entry in row]
    result = mpmath.matrix(len(rows), columns)
    pairs = iter(rounded_indices((entry for entry in entries if entry.is_finite), Rounding(figures=digits)))
    for position, entry in enumerate(entries):
        if not entry.is_finite:
            result[position // columns, position % columns] = -mpmath.inf if entry is MINUS_INFINITY else mpmath.nan
            continue
        index, places = next(pairs)
        ten = power_of_ten(-places, bits + index.bit_length() + _GUARD_BITS)
        raw = mpmath.libmp.from_man_exp(index * ten.mid, ten.exp, bits, "n")
        result[position // columns, position % columns] = mpmath.mp.make_mpf(raw)
    return result


def sympy_matrix(rows: Rows, symbols: Mapping[str, Any]) -> SympyMatrix:
    """Return the closed form, built from nodes.

    >>> sympy_matrix([[Quotient.of("1/2")]], {})
    Matrix([[1/2]])
    """
    found = frozenset[str]().union(*(entry.names for row in rows for entry in row))
    names = {name: symbols.get(name, sympy.Symbol(name)) for name in sorted(found)}
    shared: dict[int, SympyExpr] = {}
    return sympy.ImmutableMatrix([[_quotient(entry, names, shared) for entry in row] for row in rows])


def _quotient(value: Quotient, names: Mapping[str, Any], shared: dict[int, SympyExpr]) -> SympyExpr:
    if not value.is_finite:
        return sympy.S.NegativeInfinity if value is MINUS_INFINITY else sympy.S.NaN
    bottom = value.denominator
    if id(bottom) not in shared:
        shared[id(bottom)] = _sum(bottom, names)
    return _sum(value.numerator, names) / shared[id(bottom)]


def _sum(value: ExpSum, names: Mapping[str, Any]) -> SympyExpr:
    terms = [_polynomial(c, names) * sympy.exp(_polynomial(x, names)) for x, c in value.terms()]
    return sympy.Add(*terms)


def _polynomial(value: Polynomial, names: Mapping[str, Any]) -> SympyExpr:
    terms = []
    for (radicand, powers), c in value.terms:
        factors = [sympy.Rational(c.numerator, c.denominator), sympy.sqrt(sympy.Integer(radicand))]
        factors += [(names[name] if name in names else _constant(name)) ** power for name, power in powers]
        terms.append(sympy.Mul(*factors))
    return sympy.Add(*terms)


def _constant(name: str) -> SympyExpr:
    """Return a constant as the function of SymPy that has its name; its argument holds no free symbol."""
    if name == "pi":
        return sympy.pi
    function, argument = constants.parts(name)
    return getattr(sympy, function)(_polynomial(argument, {}))
