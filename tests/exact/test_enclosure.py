"""Enclosures against Arb: every bound that a docstring proves, on many points and at many precisions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import flint
import pytest

from symattn.errors import SymbolicValueError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import ONE, Polynomial
from symattn.exact.reals.enclosure import (
    Ball,
    Exponentials,
    exp_fixed,
    fixed_point,
    invert,
    log_two,
    multiply,
    power_of_ten,
    trim,
)
from tests.exact import rows


@pytest.fixture(autouse=True)
def _precise() -> Iterator[None]:
    before = flint.ctx.prec
    flint.ctx.prec = 4000
    yield
    flint.ctx.prec = before


def arb_of(value: Polynomial) -> Any:
    total = flint.arb(0)
    for (radicand, _), c in value.terms:
        total += flint.arb(flint.fmpq(c.numerator, c.denominator)) * flint.arb(radicand).sqrt()
    return total


def arb_exp(ball_exp: int, value: Any) -> Any:
    """The value in units of 2**ball_exp."""
    return value * (flint.arb(2).log() * -ball_exp).exp()


def holds(ball: Ball, value: Any) -> bool:
    scaled = arb_exp(ball.exp, value)
    return bool(abs(scaled - ball.mid) <= flint.arb(ball.rad) + flint.arb("1e-50"))


def exponent(r: Random) -> Polynomial:
    """Rational, with one or several roots; ordinary, tiny, huge, or next to a multiple of ln 2."""
    kind = r.randrange(5)
    if kind == 0:
        return Polynomial(rows.fraction(r, 2000))
    if kind == 1:
        return Polynomial(Fraction(r.randint(-9, 9), 10 ** r.randint(1, 40)))
    if kind == 2:
        return Polynomial(rows.fraction(r)) + Polynomial.sqrt(r.randint(2, 60)) * r.randint(-(10**30), 10**30)
    if kind == 3:
        log = flint.arb(2).log() * 10**60
        return Polynomial(Fraction(int(log.mid().floor().unique_fmpz() or 0), 10**60)) * r.randint(-40, 40)
    return sum((Polynomial.sqrt(m) * rows.fraction(r) for m in (1, 2, 3, 5, 6)), Polynomial())


def test_log_two() -> None:
    for bits in [*range(1, 300), 1000, 1500]:
        exact = flint.arb(2).log() * 2**bits
        low = log_two(bits)
        assert low <= exact <= low + 2


def test_exp_fixed() -> None:
    r = Random("exp_fixed")
    for bits in [*range(1, 60), 64, 100, 127, 128, 129, 333, 1000]:
        top = 7 * 2**bits // 10
        for y in {0, 1 if top else 0, top, top // 2, *(r.randint(0, top) for _ in range(8))}:
            exact = (flint.arb(y) / 2**bits).exp() * 2**bits
            low = exp_fixed(y, bits)
            assert low <= exact, (y, bits)
            assert exact <= low + 2, (y, bits)


def test_fixed_point() -> None:
    r = Random("fixed_point")
    for _ in range(200):
        x = exponent(r)
        for bits in (0, 5, 64):
            low, width = fixed_point(x, bits)
            exact = arb_of(x) * 2**bits
            assert bool(low <= exact <= low + width) or x.rational() is not None
            if (value := x.rational()) is not None:
                assert low <= value * 2**bits <= low + width
            assert width <= len(x.terms) + 1


@pytest.mark.parametrize("bits", [10, 11, 16, 33, 64, 100, 500])
def test_exponentials(bits: int) -> None:
    r = Random(bits)
    table = Exponentials(bits)
    for _ in range(150):
        x = exponent(r)
        for radicand in (1, 2, 30, 999_999_999_989):
            ball = table.key((x, (radicand, ())))
            assert holds(ball, arb_of(x).exp() * flint.arb(radicand).sqrt()), (x, bits)
            assert ball.rad <= 40
            assert ball.mid >= 2**bits - 2


@pytest.mark.parametrize("bits", [10, 20, 64])
def test_sums(bits: int) -> None:
    r = Random(bits)
    table = Exponentials(bits)
    for _ in range(150):
        total = ExpSum()
        exact = flint.arb(0)
        for _ in range(r.randint(1, 6)):
            x, c, m = exponent(r), r.randint(-(10**12), 10**12), r.choice([1, 2, 3])
            total += ExpSum.exp(x) * Polynomial.sqrt(m) * c
        table_of, _ = total.integers
        ball = table.sum(total)
        for (x, (m, _)), c in table_of.items():
            exact += arb_exp(ball.exp, arb_of(x).exp() * flint.arb(m).sqrt() * c)
        assert abs(exact - ball.mid) <= flint.arb(ball.rad) + flint.arb("1e-50")


def test_far_terms_are_errors() -> None:
    value = ExpSum.exp(Polynomial(10**30)) * 3 - ExpSum.exp(Polynomial(-(10**30))) * 10**50
    ball = Exponentials(64).sum(value)
    alone = Exponentials(64).sum(ExpSum.exp(Polynomial(10**30)) * 3)
    assert ball.mid == alone.mid
    assert alone.rad < ball.rad <= alone.rad + 3


def test_few_bits_and_symbols_are_refused() -> None:
    with pytest.raises(ValueError, match="10 bits"):
        Exponentials(9)
    beta = Polynomial.symbol("beta")
    for key in ((beta, ONE), (Polynomial(0), (1, (("beta", 1),)))):
        with pytest.raises(SymbolicValueError, match="free symbol beta: give it a value under \\[symbols\\]"):
            Exponentials(64).key(key)


def test_powers_of_ten() -> None:
    for exponent_ in [*range(-50, 51), 700, -700, 10**6, -(10**6), 10**31, -(10**31)]:
        for bits in (10, 64, 200):
            ball = power_of_ten(exponent_, bits)
            scaled = arb_exp(ball.exp, (flint.arb(10).log() * exponent_).exp())
            assert abs(scaled - ball.mid) <= flint.arb(ball.rad) + flint.arb("1e-50")
            assert ball.rad << bits <= 8 * ball.mid


def test_ball_arithmetic() -> None:
    r = Random("balls")
    for _ in range(500):
        a = Ball(r.randint(-(10**9), 10**9), r.randint(0, 10**4), r.randint(-9, 9))
        b = Ball(r.choice([-1, 1]) * r.randint(10**5, 10**9), r.randint(0, 10**4), r.randint(-9, 9))
        ends_a = [Fraction(a.mid + s * a.rad) * Fraction(2) ** a.exp for s in (-1, 0, 1)]
        ends_b = [Fraction(b.mid + s * b.rad) * Fraction(2) ** b.exp for s in (-1, 0, 1)]
        assert all(inside(multiply(a, b), x * y) for x in ends_a for y in ends_b)
        assert all(inside(trim(a, 12), x) for x in ends_a)
        assert all(inside(invert(b, 20), 1 / y) for y in ends_b)
    with pytest.raises(ArithmeticError):
        invert(Ball(3, 3, 0), 10)


def inside(ball: Ball, value: Fraction) -> bool:
    return abs(value / Fraction(2) ** ball.exp - ball.mid) <= ball.rad


def test_against_a_slow_exact_series() -> None:
    """exp(1/2) from a rational Taylor polynomial with its remainder, without Arb."""
    total, term = Fraction(0), Fraction(1)
    for j in range(1, 60):
        total += term
        term *= Fraction(1, 2 * j)
    ball = Exponentials(200).key((Polynomial(Fraction(1, 2)), ONE))
    assert abs(total / Fraction(2) ** ball.exp - ball.mid) <= ball.rad + 1
