"""Matrices: products, the laws of softmax, closed forms for SymPy, digits for mpmath."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from random import Random

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError, ShapeError, SymbolicValueError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from tests.exact import rows
from tests.exact.strategies import fractions, matrices

SCORES = Matrix([["3/2", "-5/2", 8], ["-7/2", "-7/2", 6], ["17/2", 8, "-53/4"]])
WEIGHTS = softmax_rows(SCORES)
BETA = Polynomial.symbol("beta")


def test_closed_form_of_an_entry() -> None:
    assert str(WEIGHTS[0, 2]) == "exp(8)/(exp(3/2) + exp(-5/2) + exp(8))"
    assert str(WEIGHTS[1, 0]) == "exp(-7/2)/(2*exp(-7/2) + exp(6))"
    assert WEIGHTS.rounded(2)[2] == ["0.62", "0.38", "0.00"]
    assert all(q.denominator is row[0].denominator for row in WEIGHTS.rows for q in row)
    outputs = WEIGHTS @ Matrix([[1, "1/2"], ["-1/3", 0], [2, 7]])
    assert all(o.denominator is w.denominator for o, w in zip(outputs.T.rows[0], WEIGHTS.T.rows[0], strict=True))


@settings(max_examples=40)
@given(matrices())
def test_rows_sum_to_one(scores: Matrix) -> None:
    n = scores.shape[1]
    weights = softmax_rows(scores)
    assert weights @ Matrix([[1]] * n) == Matrix([[1]] * scores.shape[0])
    assert all(sum(row, Quotient.of(0)) == 1 for row in weights.rows)


@settings(max_examples=40)
@given(matrices(), fractions(), st.booleans())
def test_shift_invariance(scores: Matrix, shift: Fraction, symbolic: bool) -> None:
    step = shift * BETA if symbolic else Polynomial(shift) * Polynomial.sqrt(3)
    shifted = scores + Matrix([[step] * scores.shape[1]] * scores.shape[0])
    assert softmax_rows(shifted) == softmax_rows(scores)
    assert (softmax_rows(shifted) == softmax_rows(shifted.scale(2))) == (
        softmax_rows(scores) == softmax_rows(scores.scale(2))
    )


@settings(max_examples=20)
@given(matrices(3, 3), matrices(3, 2))
def test_permutation_equivariance(scores: Matrix, values: Matrix) -> None:
    outputs = softmax_rows(scores) @ values
    for order in itertools.permutations(range(3)):
        moved = Matrix([[scores[i, j] for j in order] for i in order])
        assert softmax_rows(moved) @ Matrix([values.rows[i] for i in order]) == Matrix([outputs.rows[i] for i in order])


@settings(max_examples=40)
@given(matrices(2, 3), matrices(3, 2), matrices(2, 2))
def test_algebra(a: Matrix, b: Matrix, c: Matrix) -> None:
    assert (a @ b) @ c == a @ (b @ c)
    assert (a @ b).T == b.T @ a.T
    product = a @ b
    assert product + c == c + product
    doubled = (a @ b).scale("2") + -c.scale(2)
    assert doubled == (a @ b - c).scale(2)
    assert a == a.T.T
    exact = [[sum((a[i, k] * b[k, j] for k in range(3)), Quotient.of(0)) for j in range(2)] for i in range(2)]
    assert a @ b == Matrix(exact)


def test_products_of_all_kinds_of_entries() -> None:
    root = Polynomial.sqrt(2)
    symbolic = Matrix([[BETA, 1], [root, BETA * BETA]])
    assert symbolic @ symbolic == Matrix(
        [[BETA**2 + root, BETA + BETA**2], [root * BETA + root * BETA**2, root + BETA**4]]
    )
    two = softmax_rows(Matrix([[0, 1], [1, 0]]))
    product = two @ two
    assert product @ Matrix([[1], [1]]) == Matrix([[1], [1]])
    mixed = Matrix([[two[0, 0], 1], [0, 0]]) @ Matrix([[2], [3]])
    assert mixed[0, 0] == two[0, 0] * 2 + 3
    assert mixed[1, 0] == 0
    zero_first = Matrix([[0, two[0, 1]]]) @ Matrix([[5], [7]])
    assert zero_first[0, 0] == two[0, 1] * 7


def test_equal_scores_are_rational() -> None:
    """All exponents zero, or all equal: every weight is 1/n."""
    for score in (0, 3, BETA):
        weights = softmax_rows(Matrix([[score] * 4]))
        assert all(q.rational() == Fraction(1, 4) for row in weights.rows for q in row)
        assert weights.rounded(1) == [["0.3"] * 4]
        assert weights.rounded(1, "half-even") == [["0.2"] * 4]


def test_shapes_are_named() -> None:
    a, b = Matrix([[1, 2, 3]]), Matrix([[1, 2]])
    cases: list[tuple[Callable[[], Matrix], str]] = [
        (lambda: a @ b, "1×3 matrix"),
        (lambda: a + b, "plus a 1×2"),
        (lambda: a - b, "minus a 1×2"),
    ]
    for act, words in cases:
        with pytest.raises(ShapeError, match=words):
            act()
    with pytest.raises(ShapeError, match="row 2 has 1 entries where row 1 has 2"):
        Matrix([[1, 2], [3]])
    empty: tuple[list[list[int]], ...] = ([], [[]])
    for nothing in empty:
        with pytest.raises(InputError, match="empty"):
            Matrix(nothing)


def test_second_layer_is_enclosed() -> None:
    """1/(1 + e^(1/(e + 1) - 1)), of which mpmath gives the digits."""
    weights = softmax_rows(Matrix([[1, Quotient(1, ExpSum.exp(1) + 1)]]))
    assert weights.rounded(10) == [["0.6750375274", "0.3249624726"]]
    with pytest.raises(InputError, match="row 1, column 2"):
        softmax_rows(Matrix([[BETA, BETA * Quotient(1, ExpSum.exp(1) + 1)]]))


def test_symbols() -> None:
    weights = softmax_rows(Matrix([[BETA, 0]]))
    assert weights.symbols == {"beta"}
    with pytest.raises(SymbolicValueError, match="beta"):
        weights.rounded(2)
    with pytest.raises(SymbolicValueError, match="beta"):
        weights.evaluate(20)
    assert weights.substitute({"beta": Fraction(3, 2)}) == softmax_rows(Matrix([["3/2", 0]]))
    assert weights != softmax_rows(Matrix([[BETA, BETA]]))


def test_sympy() -> None:
    found = WEIGHTS.sympy()
    assert isinstance(found, sympy.ImmutableMatrix)
    by_hand = sympy.exp(8) / (sympy.exp(sympy.Rational(3, 2)) + sympy.exp(sympy.Rational(-5, 2)) + sympy.exp(8))
    assert found[0, 2] == by_hand
    beta = sympy.Symbol("beta", positive=True)
    symbolic = softmax_rows(Matrix([[BETA * Polynomial.sqrt(2), 0]]))
    assert symbolic.sympy({"beta": beta})[0, 1] == 1 / (sympy.exp(sympy.sqrt(2) * beta) + 1)
    assert symbolic.sympy()[0, 1].free_symbols == {sympy.Symbol("beta")}


@pytest.mark.parametrize("digits", [1, 15, 50, 1000])
def test_mpmath(digits: int) -> None:
    values = softmax_rows(Matrix([[0, 58, "1/3"], [0, 10**6, -4], [0, 10**30, 0]]))
    found, texts = values.evaluate(digits), values.digits(digits)
    with mpmath.workdps(digits + 30):
        for i, j in itertools.product(range(3), repeat=2):
            assert abs(mpmath.mpf(texts[i][j]) / found[i, j] - 1) < mpmath.mpf(10) ** (-digits - 4)
    with mpmath.workdps(digits):
        for i, j in itertools.product(range(2), repeat=2):
            shown = mpmath.nstr(found[i, j], digits, strip_zeros=False)
            assert mpmath.mpf(shown) == mpmath.mpf(texts[i][j])


def test_ten_thousand_digits() -> None:
    found = softmax_rows(Matrix([[0, 1]])).evaluate(10_000)
    with mpmath.workdps(10_050):
        exact = 1 / (1 + mpmath.e)
        assert abs(found[0, 0] / exact - 1) < mpmath.mpf(10) ** -9999


def test_large_product_is_exact() -> None:
    r = Random("large")
    a, b = ([[rows.fraction(r) for _ in range(30)] for _ in range(30)] for _ in range(2))
    product = Matrix(a) @ Matrix(b)
    for i, j in ((0, 0), (29, 3), (7, 29)):
        assert product[i, j] == sum((a[i][k] * b[k][j] for k in range(30)), Fraction(0))


def test_texts() -> None:
    m = Matrix([[1, "1/2"], [0, ExpSum.exp(2)]])
    assert str(m) == "[[1, 1/2], [0, exp(2)]]"
    assert repr(m) == "Matrix([[1, 1/2], [0, exp(2)]])"
    assert [str(q) for q in m] == ["1", "1/2", "0", "exp(2)"]
    assert m != 3


def test_a_zero_between_parts_of_one_denominator_does_not_multiply_it() -> None:
    """A row of weights times a column with a zero in it, joined with another row: two sums under the bar, not three."""
    first, second = softmax_rows(Matrix([[0, 1, 2], [0, 1, 3]])).rows
    joined = Matrix([[*first, *second]])
    product = (joined @ Matrix([[1], [0], [2], [3], [0], [1]]))[0, 0]
    assert len(product.denominator.terms()) <= 9


def test_rows_are_lists_tuples_or_ranges() -> None:
    assert Matrix([range(1, 3)]) == Matrix(([1, 2],)) == Matrix([(1, 2)])
