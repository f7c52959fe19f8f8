"""Each value has one closed form, and the closed form is worth the value."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from symattn.exact.evaluation import evaluate
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.graph.quantities.closed_forms import (
    numeral,
    polynomial_tree,
    quotient_tree,
    rational_tree,
    signed_sum,
    slashed,
)
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.plain import write_plain
from tests.exact.strategies import NAMES, fractions, polynomials, sums


def worth(node: t.Node) -> Quotient:
    def symbol(name: t.Node, _: object) -> Quotient | None:
        text = write_plain(name)
        return Quotient.of(Polynomial.symbol(text)) if text in NAMES else None

    value = evaluate(node, symbol)
    assert isinstance(value, Quotient)
    return value


@pytest.mark.parametrize(
    ("value", "written", "with_decimals"),
    [
        ("0", "0", "0"),
        ("-7", "-7", "-7"),
        ("-53/4", "-53/4", "-13.25"),
        ("1/64", "1/64", "0.015625"),
        ("1/512", "1/512", "1/512"),
        ("2/5", "2/5", "0.4"),
        ("0.37", "37/100", "0.37"),
        ("-1.05", "-21/20", "-1.05"),
        ("1/3", "1/3", "1/3"),
        ("1/7000", "1/7000", "1/7000"),
    ],
)
def test_rationals(value: str, written: str, with_decimals: str) -> None:
    assert write_plain(rational_tree(Fraction(value))) == written
    assert write_plain(rational_tree(Fraction(value), decimals=True)) == with_decimals


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Polynomial(), "0"),
        (Polynomial.sqrt(2), "sqrt(2)"),
        (Polynomial.sqrt(8) * Fraction(17, 4), "(17 sqrt(2))/2"),
        (Polynomial.symbol("beta") * 3 - 1, "3 beta - 1"),
        (Polynomial.symbol("beta") * Fraction(-1, 2), "-(1/2) beta"),
        (Polynomial.symbol("beta") * Polynomial.symbol("beta"), "beta^2"),
    ],
)
def test_polynomials(value: Polynomial, written: str) -> None:
    assert write_plain(polynomial_tree(value)) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Quotient(ExpSum.exp(1)), "e^1"),
        (Quotient(ExpSum.exp(Polynomial.constant(Fraction(-5, 2)))), "e^(-5/2)"),
        (Quotient(ExpSum.exp(8), ExpSum.exp(8) + ExpSum.exp(3)), "e^8/(e^8 + e^3)"),
        (Quotient(ExpSum.exp(1) * -2 + ExpSum.of(3), ExpSum.exp(2)), "(-2 e^1 + 3)/e^2"),
        (Quotient(ExpSum.exp(1) * 2, ExpSum.exp(1) * 4), "1/2"),
    ],
)
def test_quotients(value: Quotient, written: str) -> None:
    assert write_plain(quotient_tree(value)) == written


@given(fractions(size=10**6, denominator=10**4))
def test_rationals_are_worth_what_they_were_made_of(value: Fraction) -> None:
    for decimals in (False, True):
        assert worth(rational_tree(value, decimals=decimals)) == Quotient.of(value)


@settings(max_examples=40)
@given(polynomials())
def test_polynomials_are_worth_what_they_were_made_of(value: Polynomial) -> None:
    assert worth(polynomial_tree(value)) == Quotient.of(value)


@settings(max_examples=40)
@given(sums(), sums())
def test_quotients_are_worth_what_they_were_made_of_and_survive_writing(top: ExpSum, bottom: ExpSum) -> None:
    if bottom.is_zero:
        return
    value = Quotient(top, bottom)
    node = quotient_tree(value)
    assert worth(node) == value
    assert read_latex(write_latex(node)) == node


def test_small_pieces() -> None:
    assert write_plain(numeral("-0.00")) == "-0.00"
    assert slashed(t.Negative(t.Division(t.Number("1"), t.Number("2")))) == t.Negative(
        t.Division(t.Number("1"), t.Number("2"), bar=False)
    )
    assert write_plain(signed_sum([(False, t.Number("1")), (True, t.Number("2"))])) == "1 - 2"
