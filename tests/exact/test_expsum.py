"""Exponential sums and their products: laws, zero test, texts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum, products_equal
from symattn.exact.field.polynomial import Polynomial
from tests.exact.strategies import sums

E = ExpSum.exp(1)
B = Polynomial.symbol("beta")
ROOT = Polynomial.sqrt(2)
TEXTS = [
    (
        ExpSum.exp(Fraction(3, 2)) + ExpSum.exp(Fraction(-5, 2)) + ExpSum.exp(8),
        "exp(3/2) + exp(-5/2) + exp(8)",
    ),
    (-E - 1, "-exp(1) - 1"),
    (2 * E - Fraction(1, 2) * ExpSum.exp(2), "2*exp(1) - 1/2*exp(2)"),
    (E * (1 + ROOT), "(1 + sqrt(2))*exp(1)"),
    (E * ROOT, "sqrt(2)*exp(1)"),
    (ExpSum.exp(B * Fraction(1, 2)) * B, "beta*exp(1/2*beta)"),
    (ExpSum(), "0"),
    (E + E, "2*exp(1)"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_texts(value: ExpSum, text: str) -> None:
    assert str(value) == text


@settings(max_examples=60)
@given(sums(), sums(), sums())
def test_ring(a: ExpSum, b: ExpSum, c: ExpSum) -> None:
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) * c == a * c + b * c
    assert (a - a).is_zero
    assert hash((a + b) - b) == hash(a)
    assert ExpSum.weighted((a, b), (2, -3), 6) == a * Fraction(1, 3) - b * Fraction(1, 2)


@pytest.mark.unmeasured
@settings(max_examples=60)
@given(sums(), sums(), sums(), sums())
def test_products_equal(a: ExpSum, b: ExpSum, c: ExpSum, d: ExpSum) -> None:
    assert products_equal(a, b, c, d) == (a * b == c * d)
    assert products_equal(a * c, b, a, b * c)
    assert products_equal(a * c, d, a, b) == (a * c * d - a * b).is_zero


def test_exponents_collect() -> None:
    assert ExpSum.exp(B + 1) == E * ExpSum.exp(B)
    assert ExpSum.exp(Polynomial.sqrt(8)) == ExpSum.exp(ROOT) * ExpSum.exp(ROOT)
    assert ExpSum.exp(ROOT) * ExpSum.exp(-ROOT) == 1
    assert ExpSum.exp(0) == 1
    assert (E * E - 1) == (E - 1) * (E + 1)


def test_parts() -> None:
    value = B * E + 2 * E + 3
    assert value.terms() == [(Polynomial(1), B + 2), (Polynomial(0), Polynomial(3))]
    assert value.symbols == {"beta"}
    assert value.polynomial() is None
    assert ExpSum(B).polynomial() == B
    assert ExpSum(Fraction(1, 2)).rational() == Fraction(1, 2)
    assert ExpSum().rational() == 0
    assert E.rational() is None
    assert ExpSum(ROOT).rational() is None
    assert value.substitute({"beta": -2}) == 3
    assert ExpSum.exp(B * B).substitute({"beta": ROOT}) == ExpSum.exp(2)


def test_too_many_products() -> None:
    long = ExpSum.weighted([ExpSum.exp(k) for k in range(2001)], [1] * 2001)
    with pytest.raises(InputError, match="too many terms"):
        long * long
