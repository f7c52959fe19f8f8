"""Verdicts: three values, evidence, and no truth value."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symattn.errors import InputError
from symattn.exact.expsum import ExpSum
from symattn.exact.matrix import Matrix, softmax_rows
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient
from symattn.exact.verdict import Verdict, equal

E = ExpSum.exp(1)
BETA = Polynomial.symbol("beta")


def test_no_bool() -> None:
    for verdict in (equal(1, 1), equal(1, 2), Verdict("undecided", "not tried")):
        with pytest.raises(TypeError, match=r"\.is_equal"):
            bool(verdict)


def test_three_values() -> None:
    verdict = Verdict("undecided", "not tried")
    assert (verdict.is_equal, verdict.is_different, verdict.is_undecided) == (False, False, True)
    assert equal(1, 1).is_equal
    assert equal(1, 2).is_different


def test_numbers() -> None:
    assert equal(Fraction(1, 2), "0.5").is_equal
    assert equal(Quotient(E * E - 1, E - 1), E + 1).is_equal
    close = equal(Quotient(E, E + 1), Quotient(E, E + 1 + Fraction(1, 10**200)))
    assert close.is_different
    assert close.evidence == ("the difference is 1.96612e-201",)
    with pytest.raises(InputError, match="binary float"):
        equal(Quotient(E), 0.5)


def test_functions() -> None:
    assert equal(ExpSum.exp(BETA + 1), E * ExpSum.exp(BETA)).is_equal
    different = equal(ExpSum.exp(BETA), ExpSum.exp(BETA * 2))
    assert different.is_different
    assert different.evidence == ("at beta = 1 the difference is -4.67077",)
    pole = equal(Quotient(1, BETA - 1), Quotient(2, BETA - 1))
    assert pole.evidence == ("at beta = 1/2 the difference is 2.00000",)
    vanishing = equal(Quotient((BETA - 1) * (BETA * 2 - 1)), 0)
    assert vanishing.evidence[0].startswith("at beta = 2 ")


def test_matrices() -> None:
    scores = Matrix([[1, 2], [3, "1/2"]])
    weights = softmax_rows(scores)
    assert equal(weights, softmax_rows(scores + Matrix([[5, 5], [7, 7]]))).is_equal
    assert equal(weights, weights.T).reason.startswith("row 1, column 2: ")
    shapes = equal(weights, Matrix([[1, 2]]))
    assert shapes.is_different
    assert shapes.evidence == ("2×2 and 1×2",)
    assert equal(weights, 1).is_different
