"""Verdicts: three values, evidence, and no truth value."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from symattn.errors import InputError
from symattn.exact.equality import Verdict, equal
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows

E = ExpSum.exp(1)
BETA = Polynomial.symbol("beta")
X = sympy.Symbol("x")
P = sympy.Symbol("p", positive=True)
N = sympy.Symbol("n", negative=True)


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


@pytest.mark.parametrize(
    ("first", "second", "conditions"),
    [
        ((X**2 + X) / X, X + 1, ("x ≠ 0",)),
        (sympy.Mul(X, 1 / X, evaluate=False), 1, ("x ≠ 0",)),
        ((X**2 - 1) / (X - 1), (X**2 + X) / X, ("x - 1 ≠ 0", "x ≠ 0")),
        (1 / X + 1 / X**2, (X + 1) / X**2, ()),
        ((P**2 + P) / P, P + 1, ()),
        ((P + X * P) / P, X + 1, ()),
        (1 / (1 + sympy.exp(-X)), sympy.exp(X) / (sympy.exp(X) + 1), ()),
        ((sympy.exp(2 * X) - 1) / (sympy.exp(X) - 1), sympy.exp(X) + 1, ("exp(x) - 1 ≠ 0",)),
        ((sympy.exp(X) / N + 1 / N**2) / (sympy.exp(X) + 1 / N), 1 / N, ("exp(x) + 1/n ≠ 0",)),
        (sympy.Matrix([[X**2 / X**2, (X**2 + X) / X]]), sympy.Matrix([[1, X + 1]]), ("x ≠ 0",)),
    ],
)
def test_equal_where_denominators_do_not_vanish(first: object, second: object, conditions: tuple[str, ...]) -> None:
    for pair in ((first, second), (second, first)):
        verdict = equal(*pair)
        assert verdict.is_equal
        assert set(verdict.conditions) == set(conditions)


@pytest.mark.parametrize("text", ["gamma", "zeta", "sin", "Abs", "LambertW"])
def test_one_expression_is_equal_to_itself_whatever_it_holds(text: str) -> None:
    expression = getattr(sympy, text)(X) + X
    assert equal(expression, expression).is_equal
    assert equal(sympy.Matrix([[expression]]), sympy.Matrix([[expression]])).is_equal
    assert equal(expression, expression + 1).is_undecided
    with pytest.raises(InputError, match="floating"):
        equal(sympy.Float(1), sympy.Float(1))


@pytest.mark.parametrize(
    ("first", "second", "conditions"),
    [
        (Quotient(BETA, BETA), 1, ("beta ≠ 0",)),
        (Quotient(BETA * BETA + BETA, BETA), BETA + 1, ("beta ≠ 0",)),
        (Quotient(BETA, BETA * BETA + 1), Quotient(BETA, 1 + BETA * BETA), ()),
        (Quotient(BETA, BETA * BETA), Quotient(1, BETA), ()),
        (Quotient(1, 2 - BETA * 2), Quotient(Fraction(1, 2), 1 - BETA), ()),
        (Quotient(1, 1 - BETA), Quotient(Fraction(-1), BETA - 1), ()),
        (Quotient(BETA, BETA**2 - BETA), Quotient(1, BETA - 1), ("beta**2 - beta ≠ 0", "beta - 1 ≠ 0")),
        (Polynomial.symbol("1/x") * Polynomial.symbol("x"), 1, ("x ≠ 0",)),
        (Quotient(1, Polynomial.symbol("x")), Polynomial.symbol("1/x"), ()),
        (Polynomial.symbol("1/sqrt(x)") * Polynomial.symbol("sqrt(x)"), 1, ()),
        (Quotient(ExpSum.exp(BETA), ExpSum.exp(BETA) + 1), Quotient(1, ExpSum.exp(-BETA) + 1), ()),
        (Quotient(Polynomial.symbol("p"), Polynomial.symbol("p")), P / P, ("p ≠ 0",)),
        (Quotient(Polynomial.symbol("p"), Polynomial.symbol("p")), (P + 1) / (P + 1) + P - P, ("p ≠ 0",)),
    ],
)
def test_equal_quotients_where_denominators_do_not_vanish(
    first: object, second: object, conditions: tuple[str, ...]
) -> None:
    for pair in ((first, second), (second, first)):
        verdict = equal(*pair)
        assert verdict.is_equal
        assert set(verdict.conditions) == set(conditions)
    if not isinstance(second, sympy.Basic):
        matrices = equal(Matrix([[first, 1]]), Matrix([[second, 1]]))  # type: ignore[list-item]
        assert set(matrices.conditions) == set(conditions)


@pytest.mark.parametrize("condition", [X > 0, sympy.Ne(X, 1)])
def test_equal_cases_tell_their_conditions(condition: object) -> None:
    first = sympy.Piecewise(((X**2 + X) / X, condition), (2 * X, True))
    second = sympy.Piecewise((X + 1, condition), (X + X**2 / X, True), evaluate=False)
    verdict = equal(first, second)
    assert verdict.is_equal
    assert verdict.conditions == ("x ≠ 0",)
    assert equal(sympy.Piecewise((X / 2 + X / 2, condition), (X**2 / X, True), evaluate=False), X).is_equal
    assert equal(X, sympy.Piecewise((X, condition), evaluate=False)).is_undecided
    assert equal(first, X + 1).is_undecided
    assert equal(first, sympy.Piecewise((X + 1, condition), (2 * X, X < 5), evaluate=False)).is_undecided


@pytest.mark.parametrize(
    "expression",
    [X**200, 2**X, sympy.MatrixSymbol("A", X, X)[0, 0], sympy.Piecewise((1, X > 0), (0, True)) + 1, sympy.oo, sympy.I],
)
def test_what_is_not_read_is_equal_to_itself_alone(expression: object) -> None:
    assert equal(expression, expression).is_equal
