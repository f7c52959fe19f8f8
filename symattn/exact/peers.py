"""TRUSTED. Values handed to SymPy and mpmath. Only this module and what calls it import them, when called."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from symattn.exact.enclosure import power_of_ten
from symattn.exact.expsum import ExpSum
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding, rounded_indices
from symattn.exact.special import MINUS_INFINITY

if TYPE_CHECKING:
    from symattn.exact.matrix import Matrix

MpmathMatrix: TypeAlias = Any  # mpmath has no types
SympyMatrix: TypeAlias = Any  # nor has sympy
SympyExpr: TypeAlias = Any

_GUARD_BITS = 16


def mpmath_matrix(matrix: Matrix, digits: int) -> MpmathMatrix:
    """Return every entry correctly rounded to `digits` significant digits, as the nearest mpf with some bits more.

    The mpf lies within 2**-16 of a unit of the last digit of the decimal, so printing it with `digits`
    digits gives back the decimal. Minus infinity is mpmath's, what is undefined its nan.

    >>> from symattn.exact.matrix import Matrix
    >>> str(mpmath_matrix(Matrix([[2]]), 10)[0])
    '2.0'
    """
    import mpmath  # start-up: only values for mpmath need it

    bits = digits * 10 // 3 + 4 + _GUARD_BITS
    rows, columns = matrix.shape
    result = mpmath.matrix(rows, columns)
    pairs = iter(rounded_indices((entry for entry in matrix if entry.is_finite), Rounding(figures=digits)))
    for position, entry in enumerate(matrix):
        if not entry.is_finite:
            result[position // columns, position % columns] = -mpmath.inf if entry is MINUS_INFINITY else mpmath.nan
            continue
        index, places = next(pairs)
        ten = power_of_ten(-places, bits + index.bit_length() + _GUARD_BITS)
        raw = mpmath.libmp.from_man_exp(index * ten.mid, ten.exp, bits, "n")
        result[position // columns, position % columns] = mpmath.mp.make_mpf(raw)
    return result


def sympy_matrix(matrix: Matrix, symbols: Mapping[str, Any]) -> SympyMatrix:
    """Return the closed form, built from nodes.

    >>> from symattn.exact.matrix import Matrix
    >>> sympy_matrix(Matrix([["1/2"]]), {})
    Matrix([[1/2]])
    """
    import sympy  # start-up: only values for sympy need it

    names = {name: symbols.get(name, sympy.Symbol(name)) for name in sorted(matrix.names)}
    shared: dict[int, SympyExpr] = {}
    rows = [[_quotient(entry, names, shared) for entry in row] for row in matrix.rows]
    return sympy.ImmutableMatrix(rows)


def _quotient(value: Quotient, names: Mapping[str, Any], shared: dict[int, SympyExpr]) -> SympyExpr:
    if not value.is_finite:
        import sympy  # start-up: see above

        return sympy.S.NegativeInfinity if value is MINUS_INFINITY else sympy.S.NaN
    bottom = value.denominator
    if id(bottom) not in shared:
        shared[id(bottom)] = _sum(bottom, names)
    return _sum(value.numerator, names) / shared[id(bottom)]


def _sum(value: ExpSum, names: Mapping[str, Any]) -> SympyExpr:
    import sympy  # start-up: see above

    terms = [_polynomial(c, names) * sympy.exp(_polynomial(x, names)) for x, c in value.terms()]
    return sympy.Add(*terms)


def _polynomial(value: Polynomial, names: Mapping[str, Any]) -> SympyExpr:
    import sympy  # start-up: see above

    terms = []
    for (radicand, powers), c in value.terms:
        factors = [_number(c), sympy.sqrt(sympy.Integer(radicand))]
        factors += [(names[name] if name in names else _constant(name)) ** power for name, power in powers]
        terms.append(sympy.Mul(*factors))
    return sympy.Add(*terms)


def _constant(name: str) -> SympyExpr:
    """Return a constant as the function of SymPy that has its name; its argument holds no free symbol."""
    import sympy  # start-up: see above

    from symattn.exact import constants  # start-up: few problems leave the decidable theory

    if name == "pi":
        return sympy.pi
    function, argument = constants.parts(name)
    return getattr(sympy, function)(_polynomial(argument, {}))


def _number(value: Fraction) -> SympyExpr:
    import sympy  # start-up: see above

    return sympy.Rational(value.numerator, value.denominator)
