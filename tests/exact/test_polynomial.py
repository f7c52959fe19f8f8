"""Polynomials over Q(sqrt 2, sqrt 3, ...): laws, canonical form, inverses, bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial, coprime_factors, square_part
from tests.exact.strategies import NAMES, constants, fractions, polynomials

X, Y = Polynomial.symbol("x"), Polynomial.symbol("y")
ROOTS = [
    (8, "2*sqrt(2)"),
    (Fraction(1, 2), "1/2*sqrt(2)"),
    (Fraction(9, 4), "3/2"),
    (0, "0"),
    (64, "8"),
    (10**40, "1" + "0" * 20),
    (999_983**2 * 2, "999983*sqrt(2)"),
    (10**18, "1000000000"),
    (2 * 3 * 5 * 7 * 11 * 13 * 17 * 19, "sqrt(9699690)"),
    (Fraction(12, 75), "2/5"),
]
TEXTS = [
    (2 * Polynomial.sqrt(2) * X - Fraction(1, 3), "2*sqrt(2)*x - 1/3"),
    (-X * X * Y + 1, "-x**2*y + 1"),
    (Polynomial(), "0"),
    (Polynomial(-1), "-1"),
    (-Polynomial.sqrt(3), "-sqrt(3)"),
    (1 + Polynomial.sqrt(2) + Polynomial.sqrt(3), "1 + sqrt(2) + sqrt(3)"),
    (Y - X, "-x + y"),
]


def as_sympy(value: Polynomial) -> sympy.Expr:
    """An independent reading of the terms."""
    total = sympy.Integer(0)
    for (radicand, powers), c in value.terms:
        term = sympy.Rational(c.numerator, c.denominator) * sympy.sqrt(radicand)
        for name, power in powers:
            term *= sympy.Symbol(name) ** power
        total += term
    return total


@pytest.mark.parametrize(("value", "text"), ROOTS)
def test_roots(value: Fraction | int, text: str) -> None:
    root = Polynomial.sqrt(value)
    assert str(root) == text
    assert (root * root).rational() == value


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_texts(value: Polynomial, text: str) -> None:
    assert str(value) == text


@given(polynomials(), polynomials(), polynomials())
def test_ring(a: Polynomial, b: Polynomial, c: Polynomial) -> None:
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) * c == a * c + b * c
    assert a - a == 0
    assert 0 - (-a) == a
    assert hash((a + b) - b) == hash(a)
    assert a**2 == a * a
    assert a**0 == 1


@given(polynomials(), polynomials())
def test_like_sympy(a: Polynomial, b: Polynomial) -> None:
    difference = as_sympy(a * b) - as_sympy(a) * as_sympy(b)
    assert sympy.expand(difference) == 0


@given(polynomials(), constants())
def test_division(a: Polynomial, b: Polynomial) -> None:
    quotient = a.divide(b)
    if not b:
        assert quotient is None
    else:
        assert quotient is not None
        assert quotient * b == a


def test_division_by_what_has_no_inverse() -> None:
    assert X.divide(X) is None
    many = sum((Polynomial.sqrt(p) for p in (2, 3, 5, 7, 11, 13, 17)), Polynomial())
    assert Polynomial(1).divide(many) is None


@given(polynomials(), polynomials(), fractions(), fractions())
def test_substitution_is_a_homomorphism(a: Polynomial, b: Polynomial, x: Fraction, y: Fraction) -> None:
    at: dict[str, Polynomial | Fraction | int] = {NAMES[0]: x, NAMES[1]: Polynomial.sqrt(2) * y, NAMES[2]: 3}
    assert (a * b + a).substitute(at) == a.substitute(at) * b.substitute(at) + a.substitute(at)
    assert not a.substitute(at).symbols


def test_substitution_at_once() -> None:
    assert (X - Y).substitute({"x": Y, "y": X}) == Y - X


def test_constants_compare_with_numbers() -> None:
    assert Polynomial(Fraction(1, 2)) == Fraction(1, 2)
    assert hash(Polynomial(3)) == hash(3)
    assert Polynomial(1) != True  # noqa: E712  # a truth value is not a number
    assert Polynomial.sqrt(2) != "sqrt(2)"
    assert bool(Polynomial.sqrt(2))
    assert not Polynomial()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Polynomial.sqrt(-1),
        lambda: Polynomial.sqrt(10**19 + 1),
        lambda: X**-1,
        lambda: Polynomial(2) ** 10**9,
        lambda: sum((Polynomial.symbol(f"x{i}") for i in range(40)), Polynomial()) ** 50,
    ],
)
def test_refused(make: object) -> None:
    with pytest.raises(InputError):
        make()  # type: ignore[operator]


def test_square_part_against_sympy() -> None:
    for n in [*range(1, 400), 999_999_999_989, 2**40 * 3, (10**9 + 7) ** 2, (10**9 + 7) * 10**8]:
        outer, inner = square_part(n)
        assert outer * outer * inner == n
        assert all(power == 1 for power in sympy.factorint(inner).values())


def test_coprime_factors() -> None:
    numbers = [6, 10, 15, 7, 1, 77, 30]
    factors = coprime_factors(numbers)
    assert all(sympy.gcd(p, q) == 1 for p in factors for q in factors if p != q)
    for n in numbers:
        for factor in factors:
            if n % factor == 0:
                n //= factor  # noqa: PLW2901
        assert n == 1
