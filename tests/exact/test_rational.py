"""What counts as a rational number at the border."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

from symattn.errors import InputError
from symattn.exact.numerals.integer_text import fraction_text, integer_text
from symattn.exact.numerals.rational import rational

GOOD = [
    (3, Fraction(3)),
    (Fraction(-1, 3), Fraction(-1, 3)),
    (Decimal("0.1"), Fraction(1, 10)),
    (Decimal("-1e-3"), Fraction(-1, 1000)),
    ("3", Fraction(3)),
    ("+3", Fraction(3)),
    (" -0.5 ", Fraction(-1, 2)),
    ("\N{MINUS SIGN}0.5", Fraction(-1, 2)),
    (".5", Fraction(1, 2)),
    ("5.", Fraction(5)),
    ("1e-3", Fraction(1, 1000)),
    ("1.5E+2", Fraction(150)),
    ("1e1000", Fraction(10**1000)),
    ("1/3", Fraction(1, 3)),
    ("-4 / 6", Fraction(-2, 3)),
    ("2 1/2", Fraction(5, 2)),
    ("-2 1/2", Fraction(-5, 2)),
    ("0/5", Fraction(0)),
    ("9" * 1000, Fraction(10**1000 - 1)),
    (np.int64(7), Fraction(7)),
    (sympy.Rational(2, 3), Fraction(2, 3)),
]

BAD = [
    ("1/0", "denominator 0"),
    ("1e999999999", "power of ten"),
    ("1e1001", "power of ten"),
    ("1e-" + "9" * 900, "power of ten"),
    ("9" * 1001, "1000 digits"),
    ("0." + "1" * 5000, "1000 digits"),
    ("1/" + "7" * 5000, "1000 digits"),
    ("1" * 10_000_000, "1000 digits"),
    (10**1001, "1000 digits"),
    (Fraction(1, 10**1001), "1000 digits"),
    (Decimal("1e999999"), "power of ten"),
    (Decimal("NaN"), "finite"),
    (Decimal("-Infinity"), "finite"),
    (0.5, 'Fraction(0.5) for its binary value or "0.5"'),
    (np.float32(0.5), "binary float"),
    (np.float64(0.5), "binary float"),
    (float("nan"), "nan is not a number"),
    (float("-inf"), "-inf is not a number"),
    (1j, "complex"),
    (True, "truth value"),
    (np.bool_(True), "truth value"),
    (None, "NoneType"),
    ([1], "list"),
    ("", "not a rational"),
    (".", "not a rational"),
    ("e5", "not a rational"),
    ("nan", "not a rational"),
    ("-inf", "not a rational"),
    ("1_000", "not a rational"),
    ("1,5", "not a rational"),
    ("0x10", "not a rational"),
    ("1/2/3", "not a rational"),
    ("1/-2", "not a rational"),
    ("1.5/2", "not a rational"),
    ("2 1", "not a rational"),
    ("--1", "not a rational"),
    ("\N{ARABIC-INDIC DIGIT THREE}", "not a rational"),
    ("\N{FULLWIDTH DIGIT ONE}/3", "not a rational"),
    ("\N{VULGAR FRACTION ONE HALF}", "not a rational"),
    ("1\x00", "not a rational"),
    ("__import__('os')", "not a rational"),
]


@pytest.mark.parametrize(("value", "expected"), GOOD, ids=lambda x: ascii(x)[:30])
def test_good(value: int, expected: Fraction) -> None:
    found = rational(value)
    assert found == expected
    assert type(found) is Fraction
    assert type(found.numerator) is type(found.denominator) is int


@pytest.mark.parametrize(("value", "words"), BAD, ids=lambda x: ascii(str(x)[:30]))
def test_bad(value: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        rational(value, "X, row 2, column 1")
    message = str(caught.value)
    assert message.startswith("X, row 2, column 1: ")
    assert words in message
    assert len(message) < 200
    assert message.isascii()


def test_without_a_place() -> None:
    with pytest.raises(InputError, match=r"^0\.1 is a binary float"):
        rational(0.1)  # type: ignore[arg-type]


def test_text_of_long_integers() -> None:
    for n in (0, 7, 10**499, 10**500, 10**5000 - 1, 3**40_000):
        text = integer_text(n)
        assert integer_text(-n) == ("-" + text if n else "0")
        value = 0
        for start in range(0, len(text), 400):
            piece = text[start : start + 400]
            value = value * 10 ** len(piece) + int(piece)
        assert value == n
    assert fraction_text(Fraction(10**5000, 3)).endswith("000/3")
