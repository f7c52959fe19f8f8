"""Written numbers against exact values: rounded, cut off, or off."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.checking.expressions.numerals import Figure, closeness, figure
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.notation.parser.plain import read_plain

E = Quotient.of(ExpSum.exp(Polynomial.constant(1)))


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6), st.integers(0, 5))
def test_what_decimal_rounds_to_is_rounded_and_what_it_cuts_is_cut(top: int, bottom: int, places: int) -> None:
    value = Fraction(top, bottom)
    unit = Decimal(1).scaleb(-places)
    # Far more digits than any of these ties could need.
    near = Decimal(top) / Decimal(bottom)
    step = Fraction(1, 10**places)
    for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN):
        written = Fraction(near.quantize(unit, rounding))
        assert closeness(Figure(written, step), Quotient.of(value)) in {"equal", "rounded"}
    cut = Fraction(near.quantize(unit, ROUND_DOWN))
    assert closeness(Figure(cut, step), Quotient.of(value)) in {"equal", "rounded", "cut"}
    assert closeness(Figure(cut + 2 * step, step), Quotient.of(value)) == "off"
    assert closeness(Figure(cut - 2 * step, step), Quotient.of(value)) == "off"


@pytest.mark.parametrize(
    ("text", "value", "word"),
    [
        ("2.72", E, "rounded"),
        ("2.71", E, "cut"),
        ("2.73", E, "off"),
        ("2.70", E, "off"),
        ("3", E, "rounded"),
        ("2", E, "cut"),
        ("19/7", E, "off"),
        ("-2.72", -E, "rounded"),
        ("-2.71", -E, "cut"),
        ("0", Quotient.of(1) / (E**3), "rounded"),
        ("0.0", Quotient.of("0.09"), "cut"),
        ("0.1", Quotient.of(1) / (E**2), "rounded"),
        ("0.26875", Quotient.of("0.26875"), "equal"),
        ("0.2688", Quotient.of("0.26875"), "rounded"),
        ("0.2687", Quotient.of("0.26875"), "cut"),
        ("0.2562", Quotient.of("0.25625"), "rounded"),
        ("0.2563", Quotient.of("0.25625"), "rounded"),
        ("6.90e-13", Quotient.of("6.897e-13"), "rounded"),
        ("1/3", Quotient.of("1/3"), "equal"),
        ("0.33", Quotient.of("1/3"), "rounded"),
    ],
)
def test_words(text: str, value: Quotient, word: str) -> None:
    number = figure(read_plain(text))
    assert number is not None
    assert closeness(number, value) == word


@pytest.mark.parametrize("text", ["1 + 2", "x", "3 * 2", "sqrt(2)", "e^2", "0.5/2", "1/0"])
def test_what_is_more_than_a_number_is_none(text: str) -> None:
    assert figure(read_plain(text)) is None


def test_a_whole_with_a_fraction_above_it_is_a_root_or_a_mixed_number() -> None:
    number = figure(read_plain("2^(1/2)"))
    assert number is not None
    assert number.mixed == Fraction(5, 2)
