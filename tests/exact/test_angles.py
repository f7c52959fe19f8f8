"""Sines and cosines of exact angles: square roots where they are known, and what is proved of products of them."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.exact.equality import equal
from symattn.exact.evaluation import evaluate, same
from symattn.exact.field.constant_names import is_constant
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.functions import trigonometric as wave
from symattn.exact.reals.sign import sign
from symattn.exact.reals.trigonometry import half_turns, parse_multiple
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.notation.parser.latex import read_latex
from symattn.notation.parser.plain import read_plain
from tests.effort import effort

TURNS = st.fractions(-4, 4, max_denominator=60)
ANGLES = st.fractions(-3, 3, max_denominator=12)
ROOTS = (1, 2, 3, 4, 6, 12)
"""The denominators at which both the sine and the cosine are sums of square roots of rationals."""


def value(text: str) -> Quotient:
    found = evaluate(read_plain(text), lambda *_: None)
    assert isinstance(found, Quotient)
    return found


def turn(turns: Fraction) -> Quotient:
    return Quotient.of(Polynomial.symbol("pi") * turns)


@settings(max_examples=20)
@given(TURNS)
def test_multiples_of_pi_have_the_digits_of_mpmath(turns: Fraction) -> None:
    with mpmath.workdps(50):
        x = mpmath.mpf(turns.numerator) / turns.denominator
        for name, right in (("sin", mpmath.sinpi(x)), ("cos", mpmath.cospi(x))):
            found = wave(name, turn(turns))
            assert abs(mpmath.mpf(decimal(found, Rounding(places=30))) - right) <= mpmath.mpf(10) ** -30


@pytest.mark.parametrize("denominator", ROOTS)
def test_known_angles_are_square_roots(denominator: int) -> None:
    for numerator in range(-2 * denominator, 2 * denominator):
        angle = turn(Fraction(numerator, denominator))
        sine, cosine = wave("sin", angle), wave("cos", angle)
        assert not sine.has_constants
        assert not cosine.has_constants
        assert sine * sine + cosine * cosine == Quotient.of(1)


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("cos(pi/3)", "1/2"),
        ("sin(2*pi/3)", "sqrt(3)/2"),
        ("cos(pi/12)", "(sqrt(6) + sqrt(2))/4"),
        ("sin(-5*pi/12)", "-(sqrt(6) + sqrt(2))/4"),
        ("cos(pi/5)", "(1 + sqrt(5))/4"),
        ("sin(pi/10)", "(sqrt(5) - 1)/4"),
        ("cos(5*pi/4)", "-sqrt(2)/2"),
        ("sin(pi)", "0"),
        ("cos(0)", "1"),
    ],
)
def test_values_of_tables(text: str, closed: str) -> None:
    assert value(text) == value(closed)


@settings(max_examples=20)
@given(ANGLES)
def test_the_sine_is_odd_and_the_cosine_even(x: Fraction) -> None:
    angle = Quotient.of(x)
    assert wave("sin", -angle) == -wave("sin", angle)
    assert wave("cos", -angle) == wave("cos", angle)
    for found in (wave("sin", angle), wave("cos", angle)):
        assert value(str(found)) == found


@settings(max_examples=8)
@given(ANGLES, ANGLES)
def test_laws_of_sums_are_proved_for_any_angles(x: Fraction, y: Fraction) -> None:
    a, b = Quotient.of(x), Quotient.of(y)
    assert same(wave("cos", a) * wave("cos", a) + wave("sin", a) * wave("sin", a), Quotient.of(1))
    assert same(wave("cos", a - b), wave("cos", a) * wave("cos", b) + wave("sin", a) * wave("sin", b))
    assert same(wave("sin", a + b), wave("sin", a) * wave("cos", b) + wave("cos", a) * wave("sin", b))
    false = wave("cos", a) * wave("cos", b) - wave("sin", a) * wave("sin", b)
    if x and y:
        assert not same(wave("cos", a - b), false)


def test_laws_hold_in_exponents_and_quotients_and_through_equal() -> None:
    left, right = "e^(cos(1)^2)/(1 + e^(sin(2)))", "e^(1/2 + cos(2)/2)/(1 + e^(2 sin(1) cos(1)))"
    assert equal(value(left), value(right)).outcome == "equal"
    assert equal(value(left), value(right) + 1).outcome == "different"
    assert equal(value("cos(pi/8)^2"), value("1/2 + sqrt(2)/4")).outcome == "equal"


def test_an_angle_with_pi_and_a_number_is_a_constant() -> None:
    with mpmath.workdps(30):
        right = mpmath.sin(1 + mpmath.pi / 7)
        assert abs(mpmath.mpf(decimal(value("sin(1 + pi/7)"), Rounding(places=20))) - right) <= mpmath.mpf(10) ** -20
    assert is_constant("pi")
    assert value("pi").symbols == frozenset()
    assert value("2pi/3").has_constants


def test_latex_is_read() -> None:
    node = read_latex(r"\cos\left(\frac{2\pi}{3}\right) + \sin \frac{\pi}{2}")
    assert evaluate(node, lambda *_: None) == Quotient.of(Fraction(1, 2))


@pytest.mark.parametrize(
    ("text", "turns"),
    [("pi", 1), ("-pi", -1), ("pi/3", Fraction(1, 3)), ("2pi/3", Fraction(2, 3)), ("-5*pi/12", Fraction(-5, 12))],
)
def test_multiples_are_parsed(text: str, turns: Fraction) -> None:
    assert parse_multiple(text) == turns
    assert half_turns(Polynomial.symbol("pi") * turns) == turns


@pytest.mark.parametrize("text", ["pie", "*pi", "pi/0", "pi*2", "2/3 pi/5x", "1/2", "pi/", "9" * 40 + "pi"])
def test_what_is_no_multiple_is_none(text: str) -> None:
    assert parse_multiple(text) is None


def test_a_divisor_that_vanishes_by_a_law_is_zero() -> None:
    with pytest.raises(Exception, match="divides by zero"):
        value("1/(cos(1)^2 + sin(1)^2 - 1)")


def test_products_are_written_out_only_where_enclosures_leave_a_sign_open() -> None:
    """Of scores with rotary positions each sum of products would take a quarter of a million calls, again and again."""
    squares, doubled = Quotient.of(0), Quotient.of(0)
    for i in range(1, 5):
        for j in range(1, 5):
            cosine = value(f"cos({i}) cos({j}) - sin({i}) sin({j})")
            squares += cosine * cosine * Fraction(i, j)
            doubled += (1 + value(f"cos({2 * (i + j)})")) * Fraction(i, 2 * j)
    with effort(5_000):
        assert sign(squares - 1) == 1
    assert sign(squares - doubled) == 0
    with effort(10_000):  # the products are known by now
        assert sign(3 * squares - 3 * doubled) == 0
