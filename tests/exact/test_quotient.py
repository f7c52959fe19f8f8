"""Quotients: exact equality, recognised values, the form that was built, arithmetic."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.sign import compare
from tests.exact import rows
from tests.exact.strategies import sums

E = ExpSum.exp(1)
B = Polynomial.symbol("beta")
TEXTS = [
    (
        Quotient(ExpSum.exp(8), ExpSum.exp(Fraction(3, 2)) + ExpSum.exp(Fraction(-5, 2)) + ExpSum.exp(8)),
        "exp(8)/(exp(3/2) + exp(-5/2) + exp(8))",
    ),
    (Quotient(1, 2), "1/2"),
    (Quotient(1, E), "1/exp(1)"),
    (Quotient(1, 2 * E), "1/(2*exp(1))"),
    (Quotient(E + 1, ExpSum.exp(B)), "(exp(1) + 1)/exp(beta)"),
    (Quotient(-E, E + 1), "-exp(1)/(exp(1) + 1)"),
    (Quotient(B + 1, E + 1), "(beta + 1)/(exp(1) + 1)"),
    (Quotient(1, ExpSum.exp(B + 1)), "1/exp(beta + 1)"),
    (Quotient(1, B), "1/beta"),
    (Quotient(1, B * 2), "1/(2*beta)"),
    (Quotient(E, Polynomial.sqrt(2)), "1/2*sqrt(2)*exp(1)"),
    (Quotient(0, E), "0"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_texts(value: Quotient, text: str) -> None:
    assert str(value) == text


def test_equalities() -> None:
    assert Quotient(E * E - 1, E - 1) == E + 1
    assert Quotient(ExpSum.exp(B + 1)) == E * ExpSum.exp(B)
    assert Quotient(ExpSum.exp(B + 1), E) == Quotient(ExpSum.exp(B))
    assert Quotient(ExpSum.exp(Polynomial.sqrt(8))) == Quotient(ExpSum.exp(Polynomial.sqrt(2))) ** 2
    assert Quotient(B * E, B) == E
    assert Quotient(0, E) == Quotient(0, E + 1) == 0
    assert Quotient(E, E + 1) != Quotient(E, E + 2)
    assert Quotient(1, 2) == Fraction(1, 2)
    assert Quotient(1) != True  # noqa: E712  # a truth value is not a number
    assert Quotient(1) != "1"


@pytest.mark.parametrize("theta", [Polynomial(1), Polynomial.sqrt(2), Polynomial.sqrt(6)])
def test_a_thousand_pairs(theta: Polynomial) -> None:
    """Equal and minimally different closed forms: one coefficient is off by 10^-200."""
    r = Random(f"pairs {theta}")
    for _ in range(170):
        n = r.randint(1, 6)
        powers = [ExpSum.exp(theta * rows.fraction(r)) for _ in range(n)]
        values = [rows.fraction(r) for _ in range(n)]
        total = sum(powers, ExpSum())
        q = Quotient(sum((p * v for p, v in zip(powers, values, strict=True)), ExpSum()), total)
        factor = sum((ExpSum.exp(theta * rows.fraction(r)) * r.randint(1, 9) for _ in range(3)), ExpSum())
        shift = ExpSum.exp(theta * rows.fraction(r))
        other = Quotient(q.numerator * factor * shift, q.denominator * factor * shift)
        assert q == other
        assert compare(q, other) == 0
        delta = Fraction(r.choice([-1, 1]), 10**200)
        j = r.randrange(n)
        off = Quotient(q.numerator * factor + powers[j] * factor * delta, q.denominator * factor)
        assert q != off
        assert compare(off, q) == (1 if delta > 0 else -1)


def test_long_rows_after_a_shift() -> None:
    r = Random("long rows")
    powers = [ExpSum.exp(rows.fraction(r, 300)) for _ in range(40)]
    total = sum(powers, ExpSum())
    top = sum((p * rows.fraction(r) for p in powers), ExpSum())
    shift = ExpSum.exp(Polynomial.sqrt(5) - Fraction(7, 3))
    assert Quotient(top, total) == Quotient(top * shift, total * shift)
    assert Quotient(top, total) != Quotient(top * shift + Fraction(1, 10**200), total * shift)
    assert Quotient(top, total) == Quotient(top * 2, total * 2)
    assert Quotient(top, total) != Quotient(top, total + 1)


def test_values_are_recognised() -> None:
    third = Fraction(1, 3)
    assert Quotient(E + 1, 3 * E + 3).rational() == third
    assert Quotient(E * B, 3 * E * B).rational() == third
    assert Quotient(E, E + 1).rational() is None
    assert Quotient(E + 1, 3 * E + 2).rational() is None
    assert Quotient(E + 1, ExpSum.exp(2) + 1).rational() is None
    root = Polynomial.sqrt(2)
    assert Quotient((E + 1) * root, E + 1).polynomial() == root
    assert Quotient(E + 1, (E + 1) * (1 + root)).polynomial() == root - 1
    assert Quotient((E + 1) * B, E + 1).polynomial() == B
    assert Quotient(E, E + 1).polynomial() is None
    assert Quotient(B, E).polynomial() is None


def test_denominators_are_kept() -> None:
    z = E + 1
    a, b = Quotient(E, z), Quotient(1, z)
    assert (a + b).denominator is z
    assert (a - b * Fraction(1, 2)).denominator is z
    assert (a + 2).denominator is z
    assert (2 - a).denominator is z
    assert (3 * a).denominator is z
    assert a + b == 1
    assert str(a - a) == "0"


@settings(max_examples=50, deadline=None)
@given(sums(), sums(), sums(), sums())
def test_field(a: ExpSum, b: ExpSum, c: ExpSum, d: ExpSum) -> None:
    p, q = Quotient(a, b if not b.is_zero else E), Quotient(c, d if not d.is_zero else E + 1)
    assert p + q == q + p
    assert p * q == q * p
    assert (p - q) + q == p
    assert p.canonical() == p
    if not q.is_zero:
        assert p / q * q == p
        assert q**-2 * q * q == 1
    assert copy.deepcopy(p) == pickle.loads(pickle.dumps(p)) == p  # noqa: S301  # our own bytes
    assert str(pickle.loads(pickle.dumps(p))) == str(p)  # noqa: S301


@settings(max_examples=50, deadline=None)
@given(sums(), sums(), sums())
def test_canonical_form_of_shifts(a: ExpSum, b: ExpSum, c: ExpSum) -> None:
    if b.is_zero or len(c.terms()) != 1 or b.symbols or c.symbols or a.symbols:
        return
    exponent, _ = c.terms()[0]
    shift = ExpSum.exp(exponent) * Fraction(2, 3)
    first, second = Quotient(a, b).canonical(), Quotient(a * shift, b * shift).canonical()
    assert str(first) == str(second)


def test_substitution() -> None:
    q = Quotient(ExpSum.exp(B), ExpSum.exp(B) - 1)
    assert q.substitute({"beta": 2}) == Quotient(E * E, E * E - 1)
    assert q.with_values({"gamma": 2}) is q
    with pytest.raises(InputError, match="divided by 0"):
        q.substitute({"beta": 0})


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_mixed_operands(operation: Callable[..., Quotient]) -> None:
    for other in (2, Fraction(1, 2), "1/2", Polynomial.sqrt(2), E + 1, Quotient(1, E)):
        assert operation(Quotient(E), other) == operation(Quotient(E), Quotient.of(other))
        if not isinstance(other, str):
            assert operation(other, Quotient(E)) == operation(Quotient.of(other), Quotient(E))
    with pytest.raises(InputError, match="binary float"):
        operation(Quotient(E), 0.5)
    with pytest.raises(InputError, match="truth value"):
        operation(Quotient(E), True)


def test_powers() -> None:
    q = Quotient(E, E + 1)
    assert q**0 == 1
    assert q**3 == q * q * q
    assert q**-1 == Quotient(E + 1, E)
    assert Quotient.of(2) ** 10 == 1024
    with pytest.raises(InputError):
        Quotient.of(0) ** -1
    with pytest.raises(InputError):
        q**100_000


def test_division_by_zero() -> None:
    for bottom in (0, E - E, Polynomial()):
        with pytest.raises(InputError, match="divided by 0"):
            Quotient(1, bottom)
