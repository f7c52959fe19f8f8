"""Roots inside roots, against the minimal polynomials of SymPy, units of number fields, and mpmath."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest
import sympy
from sympy import Rational, cbrt, root, sqrt

import symattn as sa
from symattn.errors import InputError
from symattn.exact.reals import radicals

EQUAL = [
    (sqrt(2 + sqrt(3)), (sqrt(6) + sqrt(2)) / 2),
    (sqrt(5 + 2 * sqrt(6)), sqrt(2) + sqrt(3)),
    (sqrt(4 + sqrt(7)), (sqrt(14) + sqrt(2)) / 2),
    (cbrt(7 + 5 * sqrt(2)), 1 + sqrt(2)),
    (cbrt(2 + sqrt(5)) - cbrt(sqrt(5) - 2), 1),
    (sqrt(1 + sqrt(1 + sqrt(2))) ** 4 - 2 * sqrt(1 + sqrt(1 + sqrt(2))) ** 2, sqrt(2)),
    (root(17 + 12 * sqrt(2), 4), 1 + sqrt(2)),
    (root(4, 4) * cbrt(8), 2 * sqrt(2)),
    (cbrt(cbrt(2) - 1), cbrt(Rational(1, 9)) - cbrt(Rational(2, 9)) + cbrt(Rational(4, 9))),
    (sqrt(cbrt(28) - cbrt(27)), -(-cbrt(98) + cbrt(28) + 1) / 3),
    (1 / (sqrt(2) + cbrt(3)), 1 / (cbrt(3) + sqrt(2))),
    (1 / sqrt(3 + 2 * sqrt(2)), sqrt(2) - 1),
    (sqrt(Rational(1, 2) + sqrt(3) / 4), (sqrt(6) + sqrt(2)) / 4),
    (cbrt(Rational(7, 27) + 5 * sqrt(2) / 27), (1 + sqrt(2)) / 3),
    (sqrt(6 + 2 * sqrt(2) + 2 * sqrt(3) + 2 * sqrt(6)), 1 + sqrt(2) + sqrt(3)),
]


@pytest.mark.parametrize(("first", "second"), EQUAL, ids=str)
def test_equal_numbers(first: Any, second: Any) -> None:
    assert sa.equal(first, second).outcome == "equal"
    for places in (3, 30, 300):
        verdict = sa.equal(first + Rational(1, 10**places), second)
        assert verdict.outcome == "different"
        assert verdict.evidence == (
            "the difference is 0.00100000" if places == 3 else f"the difference is 1.00000e-{places}",
        )


def test_drawn_numbers_against_minimal_polynomials() -> None:
    """A root of a square is the size of what was squared; a digit more or less is another number."""
    draw, x = Random(5), sympy.Symbol("x")
    for _ in range(15):
        a, b, c = (draw.randint(-9, 9) for _ in range(3))
        inner = a + b * sqrt(draw.choice([2, 3, 5, 6])) + c * draw.choice([sqrt(7), cbrt(2)])
        if inner == 0:
            continue
        degree = draw.choice([2, 2, 4])
        power = sympy.expand(inner**degree)
        first, second = root(power, degree), inner * draw.choice([1, -1])
        is_zero = sympy.minimal_polynomial(first - second, x) == x
        assert radicals.compare(first, second) is not None
        assert sa.equal(first, second).is_equal == is_zero
        assert sa.equal(first, second + Rational(1, 10**40)).is_different


@pytest.mark.parametrize("n", [1, 5, 40, 200, 700])
def test_units_are_as_near_to_zero_as_the_bound_allows(n: int) -> None:
    """(√2 - 1)ⁿ and (∛2 - 1)ⁿ, with whole coefficients: the products of their conjugates are 1 or -1."""
    p, q = 1, 0
    a, b, c = 1, 0, 0
    for _ in range(n):
        p, q = -p + 2 * q, p - q
        a, b, c = -a + 2 * c, a - b, b - c
    two, three = radicals.Root(2, 2), radicals.Root(2, 3)
    signs = radicals.Signs()
    assert signs.of(radicals.Sum((p, radicals.Product((q, two))))) == 1
    cubic = radicals.Sum((a, radicals.Product((b, three)), radicals.Product((c, three, three))))
    assert signs.of(cubic) == 1
    with mpmath.workdps(n + 40):
        value = a + b * mpmath.cbrt(2) + c * mpmath.cbrt(4)
        assert mpmath.almosteq(value, (mpmath.cbrt(2) - 1) ** n, 1e-10)


def test_a_unit_with_three_large_conjugates() -> None:
    """(√2 - 1)²⁶ (2 - √3)¹⁷ (5 - 2√6)¹⁰ = a + b√2 + c√3 + d√6 is near 1/M³, and its conjugates are near M."""
    value = (1, 0, 0, 0)
    for factor in [(-1, 1, 0, 0)] * 26 + [(2, 0, -1, 0)] * 17 + [(5, 0, 0, -2)] * 10:
        value = _times(value, factor)
    roots = [radicals.Root(n, 2) for n in (2, 3, 6)]
    number = radicals.Sum((value[0], *map(radicals.Product, zip(value[1:], roots, strict=True))))
    assert radicals.Signs().of(number) == 1
    assert max(map(abs, value)) < 10**11
    low, high = radicals.Signs().ends(number, 200)
    assert 0 < low <= high < 1 << 108


def _times(first: tuple[int, int, int, int], second: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    (a, b, c, d), (e, f, g, h) = first, second
    return (
        a * e + 2 * b * f + 3 * c * g + 6 * d * h,
        a * f + b * e + 3 * (c * h + d * g),
        a * g + c * e + 2 * (b * h + d * f),
        a * h + d * e + b * g + c * f,
    )


def test_roots_of_neighbours_and_products() -> None:
    def minus(number: radicals.Integer) -> radicals.Product:
        return radicals.Product((-1, number))

    signs = radicals.Signs()
    near = [radicals.Root(10**200 + i, 2) for i in (-1, 1)]
    assert signs.of(radicals.Sum((near[1], minus(near[0])))) == 1
    for p in range(2, 40):
        first = radicals.Product((radicals.Root(p, 2), radicals.Root(p + 1, 2)))
        for shift in (-1, 0, 1):
            assert signs.of(radicals.Sum((radicals.Root(p * (p + 1) + shift, 2), minus(first)))) == shift


def test_denominators_with_a_sign() -> None:
    below = 1 - sqrt(2 + sqrt(3))
    assert [(radicals.compare(1 / below, value) or [None])[0] for value in (0, -1, -2)] == [-1, -1, 1]


def test_enclosures_hold_the_number() -> None:
    draw = Random(8)
    for _ in range(200):
        degree, number, bits = draw.randint(2, 9), draw.getrandbits(draw.randint(1, 90)) + 1, draw.choice([4, 20, 128])
        low, high = radicals.Signs().ends(radicals.Root(number, degree), bits)
        assert low**degree <= number << bits * degree <= high**degree
        assert high - low <= 1
        low, high = radicals.Signs().ends(radicals.Product((radicals.Root(number, 2), radicals.Root(degree, 2))), bits)
        assert low**2 <= number * degree << 2 * bits <= high**2


def test_ends_of_a_difference() -> None:
    found = radicals.compare(sqrt(2 + sqrt(3)), Fraction(1, 3))
    assert found is not None
    sign, (low, high) = found
    with mpmath.workdps(40):
        value = mpmath.sqrt(2 + mpmath.sqrt(3)) - mpmath.mpf(1) / 3
        assert sign == 1
        assert mpmath.mpf(low.numerator) / low.denominator <= value <= mpmath.mpf(high.numerator) / high.denominator
    assert high - low < Fraction(1, 10**15)


@pytest.mark.parametrize(
    "value",
    [
        sqrt(1 - sqrt(2)),
        cbrt(-2 - sqrt(3)),
        sympy.exp(sqrt(2 + sqrt(3))),
        sympy.Symbol("x") + sqrt(2 + sqrt(3)),
        sympy.pi + cbrt(2),
    ],
    ids=str,
)
def test_what_is_no_real_number_of_roots_stays_undecided(value: Any) -> None:
    assert sa.equal(value, 1 + sqrt(2)).is_undecided


def test_bounds_of_length_and_degree() -> None:
    nested = sqrt(2)
    for _ in range(12):
        nested = sqrt(1 + nested)
    assert sa.equal(nested, Rational(8, 5)).is_different
    many = sum(sqrt(1 + sqrt(prime)) for prime in sympy.primerange(60))
    assert sa.equal(sympy.expand(many**2), many * many).is_undecided
    long = 1 / (1 + sqrt(2 + sqrt(3)))
    for _ in range(20):
        long = 1 / (1 + sqrt(long + 1))
    assert sa.equal(long, 1 + sqrt(2)).is_undecided
    assert sa.equal((1 + sqrt(2 + sqrt(3))) ** 60, (1 + sqrt(2 + sqrt(5))) ** 60).is_different
    with pytest.raises(InputError, match="divided by 0"):
        sa.equal(1 / (sqrt(2 + sqrt(3)) - (sqrt(6) + sqrt(2)) / 2), cbrt(2))
