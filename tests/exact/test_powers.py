"""Powers that are written: whole ones and halves, which are square roots."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.evaluation import evaluate
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.sign import sign
from symattn.notation.parser.plain import read_plain


def worth(text: str) -> Quotient:
    value = evaluate(read_plain(text), lambda *_: None)
    assert isinstance(value, Quotient)
    return value


@given(
    st.fractions(min_value=Fraction(1, 20), max_value=50, max_denominator=20), st.integers(min_value=-9, max_value=9)
)
def test_the_square_of_a_half_power_is_the_whole_one(base: Fraction, half: int) -> None:
    root = worth(f"({base})^({half}/2)")
    assert root * root == Quotient.of(base**half)
    assert sign(root.numerator) * sign(root.denominator) == 1


@pytest.mark.parametrize("text", ["2^(1/3)", "2^(0.7)", "(0-2)^(1/2)", "0^(-1/2)", "2^(1001/2) 2^(2001)"])
def test_other_powers_have_no_exact_value_here(text: str) -> None:
    with pytest.raises(InputError):
        worth(text)
