"""Kept bounds: every answer is the one that is found without them, whatever was asked before."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import SymbolicValueError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import TIES, Rounding
from symattn.exact.reals.sign import compare
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import decimal, round_exact
from tests.exact.strategies import fractions

# Near to a boundary, beyond any bits that are kept, on either side of it; and tiny.
GAPS = [0, 3, 40, 88, 90, 130]


@st.composite
def values(draw: st.DrawFn) -> Quotient:
    """A rational, moved by a tiny or a huge exponential."""
    base = draw(fractions())
    gap = draw(st.sampled_from(GAPS)) * draw(st.sampled_from([1, -1]))
    factor = draw(st.sampled_from([1, -1, 0]))
    return Quotient(ExpSum(base) + ExpSum.exp(gap) * factor, draw(st.sampled_from([ExpSum(1), ExpSum.exp(1) + 1])))


@settings(max_examples=60, deadline=None)
@given(st.lists(values(), min_size=1, max_size=4), fractions(), st.integers(0, 6))
def test_answers_are_those_found_without_bounds(found: list[Quotient], boundary: Fraction, places: int) -> None:
    kept = KeptBounds()
    for value in [*found, *found]:
        rational = value.rational()
        assert kept.rational(value) == rational
        assert kept.side(value, boundary) == compare(value, Quotient.of(boundary))
        assert kept.side(value, Fraction(0)) == compare(value, Quotient.of(0))
        for ties in TIES:
            rounding = Rounding(places=places, ties=ties)
            assert kept.round_exact(value, rounding) == round_exact(value, rounding)
            assert kept.decimal(value, rounding) == decimal(value, rounding)
        if kept.is_below(value, 100):
            assert compare(value, Quotient.of(100)) < 0 < compare(value, Quotient.of(-100))


def test_what_is_too_large_to_be_kept_is_judged_all_the_same() -> None:
    value = Quotient(ExpSum.exp(20_000))
    kept = KeptBounds()
    assert (kept.side(value, Fraction(1)), kept.side(-value, Fraction(1))) == (1, -1)
    assert not kept.is_below(value, 10**60)


def test_significant_figures_are_found_without_bounds() -> None:
    value = Quotient(1, ExpSum.exp(100))
    rounding = Rounding(figures=3)
    assert KeptBounds().decimal(value, rounding) == decimal(value, rounding) == "3.72e-44"


def test_a_symbol_has_no_side() -> None:
    kept, value = KeptBounds(), Quotient(ExpSum.exp(Polynomial.symbol("x")))
    assert kept.is_symbolic(value)
    with pytest.raises(SymbolicValueError):
        kept.side(value, Fraction(1))
    with pytest.raises(SymbolicValueError):
        kept.decimal(value, Rounding(places=2))
