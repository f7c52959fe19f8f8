"""Sums, products and quotients that are not multiplied out: the numbers that closed forms of them are."""

from __future__ import annotations

from functools import reduce
from operator import add

from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary
from symattn.exact.rounding.quotients import Rounding, decimal

SUMS = st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 4)), min_size=1, max_size=3).map(
    lambda terms: reduce(add, (ExpSum.exp(exponent) * weight for exponent, weight in terms))
)
VALUES = st.one_of(
    st.builds(lambda top, below, sign: Quotient(top * sign, below + 1), SUMS, SUMS, st.sampled_from([-1, 1])),
    st.fractions(-3, 3, max_denominator=4).map(Quotient.of),
)
_DIGITS = Rounding(figures=20)


@settings(max_examples=60)
@given(st.lists(VALUES, min_size=1, max_size=5), VALUES)
def test_what_is_not_multiplied_out_has_the_digits_of_the_closed_form(values: list[Quotient], other: Quotient) -> None:
    plain, kept = reduce(add, values), elementary.unexpanded(values)
    made = [(plain, kept), (plain * other, elementary.times(kept, other)), (plain + other, kept + other)]
    if not other.is_zero:
        made.append((plain / other, elementary.over(kept, other)))
    for closed, enclosed in made:
        if not closed.is_zero:
            assert decimal(closed, _DIGITS) == decimal(enclosed, _DIGITS)


@settings(max_examples=40)
@given(st.lists(VALUES, min_size=1, max_size=4))
def test_terms_that_cancel_leave_an_exact_zero(values: list[Quotient]) -> None:
    opposite = [-value for value in reversed(values)]
    assert elementary.unexpanded([*values, *opposite]).is_zero
    assert (elementary.unexpanded(values) + elementary.unexpanded(opposite)).is_zero
