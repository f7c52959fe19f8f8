"""Sums of quotients over a common denominator: the same values, with no factor twice."""

from __future__ import annotations

from functools import reduce
from operator import add

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.field import common_denominator
from symattn.exact.field.common_denominator import added, divided
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient

EXPONENTS = st.builds(
    lambda whole, root: Polynomial(whole) + Polynomial.sqrt(2) * root,
    st.fractions(-2, 2, max_denominator=2),
    st.integers(-1, 1),
)
SUMS = st.lists(st.tuples(EXPONENTS, st.integers(1, 3)), min_size=1, max_size=3).map(
    lambda terms: reduce(add, (ExpSum.exp(exponent) * weight for exponent, weight in terms))
)


@settings(max_examples=8)
@given(SUMS, SUMS)
def test_a_product_divided_by_a_factor_is_the_other(first: ExpSum, second: ExpSum) -> None:
    assert divided(first * second, first) == second


@settings(max_examples=8)
@given(SUMS, SUMS)
def test_what_is_found_makes_the_product(product: ExpSum, factor: ExpSum) -> None:
    found = divided(product, factor)
    assert found is None or found * factor == product


@settings(max_examples=5)
@given(st.lists(st.tuples(SUMS, SUMS, SUMS), min_size=1, max_size=2))
def test_the_sum_is_that_of_the_plain_rule(parts: list[tuple[ExpSum, ExpSum, ExpSum]]) -> None:
    values = [value for top, below, more in parts for value in (Quotient(top, below), Quotient(more, below * below))]
    assert added(values) == reduce(add, values)


def test_a_denominator_that_divides_another_is_not_multiplied_in() -> None:
    first, second = ExpSum.exp(1) + 1, ExpSum.exp(2) + 3
    whole = first * first * second
    found = added([Quotient(1, first), Quotient(2, whole), Quotient(ExpSum.exp(1), second), Quotient(3)])
    assert found.denominator == whole


def test_symbols_and_roots_before_exponentials_are_added_too() -> None:
    beta = Polynomial.symbol("beta")
    first = Quotient(1, ExpSum.exp(beta) + 1)
    second = Quotient(1, ExpSum.exp(1) * Polynomial.sqrt(2) + 1)
    assert added([first, second, -first]) == second
    assert added([first, first * first]) == first * (first + 1)
    assert added([]) == 0


def test_a_sum_with_too_many_terms_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symattn.exact.field.common_denominator.MAX_TERMS", 8)
    first, second = (
        reduce(add, (ExpSum.exp(root * k) for k in range(3))) for root in (Polynomial(1), Polynomial.sqrt(2))
    )
    with pytest.raises(InputError, match="9 terms over one denominator, more than 8"):
        added([Quotient(1, first), Quotient(1, second)])


def test_the_order_of_terms_does_not_depend_on_sums_before() -> None:
    one, e, other = ExpSum(1), ExpSum.exp(1), ExpSum.exp(2) + 3
    for bottom in (one + e, e + one):
        values = [Quotient(one, bottom), Quotient(one, other)]
        after_others = [exponent for exponent, _ in added(values).denominator.terms()]
        common_denominator._common.cache_clear()
        assert [exponent for exponent, _ in added(values).denominator.terms()] == after_others
