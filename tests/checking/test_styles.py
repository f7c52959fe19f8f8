"""A sentence writes its numbers in one way, that of the person: as decimals, or as fractions."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.checking.check import check_text
from symattn.checking.expressions.numerals import figure
from symattn.checking.grading.value_text import in_style, style_of
from symattn.exact.field.quotient import Quotient
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.problem.model import Problem

PROBLEM = Problem.build(
    tokens="rows", projection="X W", scale="none",
    inputs={"X": [["-53/4", "1/3"], ["3/2", "1/8"]], "W_Q": [[1, 0], [0, 1]], "W_K": [[0, 1], [1, 0]],
            "W_V": [[1, 2], [0, 1]]},
)  # fmt: skip

_FRACTION, _DECIMAL = re.compile(r"\d/\d"), re.compile(r"\d\.\d")


@pytest.mark.parametrize(
    "work",
    [
        "Q_11 = -3.50",
        "Q_11 = -3.50*1 + 0.33*0",
        "Q_11 = -13.3*1 + 1/3*0 = -13.30",
        "Q_21 = 2.5*3.25",
        "Q_21 = 2.25*1 + 0.125*0",
        "Q_11 < -53.50",
        "0.50*3 = 0.25*2",
        "S_11 = -3.50*0.34",
        "Q_11 = -7/2",
        "Q_11 = -7/2*1 + 1/3*0",
        "Q_21 = 5/2*13/4",
        "Q_11 < -107/2",
        "1/2*3 = 1/4*2",
    ],
)
def test_one_style_in_a_sentence(work: str) -> None:
    wrong = [found for found in check_text(PROBLEM, work, "txt").findings if found.verdict == "wrong"]
    assert wrong
    for found in wrong:
        for sentence in found.explanation.split("; "):
            assert not (_FRACTION.search(sentence) and _DECIMAL.search(sentence)), sentence
        if "/" not in work:
            assert not _FRACTION.search(found.explanation), found.explanation


@given(st.fractions(min_value=-50, max_value=50, max_denominator=64), st.integers(1, 4))
def test_a_decimal_that_ends_is_shown_with_all_its_digits(value: Fraction, places: int) -> None:
    shown = in_style(Quotient.of(value), figure(t.Number(f"0.{'5' * places}")))
    assert "/" not in shown
    # Whatever ends has a denominator that divides a power of ten; below 65, that of the sixth.
    if 10**6 % value.denominator == 0:
        assert Fraction(shown) == value


def test_the_style_is_that_of_the_finest_decimal() -> None:
    style = style_of(read_plain("1/2 + 0.25 * 3.125"))
    assert style is not None
    assert style.places == 3
    assert style_of(read_plain("1/2 + 3")) is None
