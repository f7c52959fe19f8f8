"""Minus infinity and what is undefined: arithmetic, order, masked softmax, digits, SymPy and mpmath."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.equality import equal
from symattn.exact.evaluation import evaluate, same
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.reals.sign import compare, sign
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.quotients import Rounding, decimal, fixed_bounds, round_exact, round_value
from symattn.notation.parser.latex import read_latex
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from tests.exact.strategies import fractions, sums

E = ExpSum.exp(1)
HALF = Rounding(places=2)


def quotients() -> st.SearchStrategy[Quotient]:
    return fractions().map(Quotient.of) | sums().map(Quotient)


@given(quotients())
def test_sums_with_minus_infinity(value: Quotient) -> None:
    for made in (MINUS_INFINITY + value, value + MINUS_INFINITY, MINUS_INFINITY - value):
        assert made is MINUS_INFINITY


@given(fractions())
def test_products_with_minus_infinity(factor: Fraction) -> None:
    makers: tuple[Callable[[], Quotient], ...] = (lambda: MINUS_INFINITY * factor, lambda: factor * MINUS_INFINITY)
    for make in makers:
        if factor > 0:
            assert make() is MINUS_INFINITY
            assert MINUS_INFINITY / factor is MINUS_INFINITY
        elif factor == 0:
            assert make() is UNDEFINED
        else:
            with pytest.raises(InputError, match="plus infinity"):
                make()


@given(quotients())
def test_what_is_undefined_swallows_everything(value: Quotient) -> None:
    made = (
        UNDEFINED + value, value + UNDEFINED, UNDEFINED - value, value - UNDEFINED, UNDEFINED * value,
        value * UNDEFINED, value / UNDEFINED, -UNDEFINED, UNDEFINED**3,
    )  # fmt: skip
    assert all(one is UNDEFINED for one in made)
    assert all(one is UNDEFINED for one in (UNDEFINED + MINUS_INFINITY, MINUS_INFINITY + UNDEFINED))
    for special in (MINUS_INFINITY, UNDEFINED):
        assert special != value
        assert value != special
        assert equal(special, value).is_different


def test_what_is_neither_equal_nor_ordered() -> None:
    assert MINUS_INFINITY == MINUS_INFINITY  # noqa: PLR0124 - that it equals itself is the point
    assert UNDEFINED != UNDEFINED  # noqa: PLR0124 - that it does not equal itself is the point
    assert MINUS_INFINITY - MINUS_INFINITY is UNDEFINED
    assert MINUS_INFINITY * UNDEFINED is UNDEFINED
    assert compare(MINUS_INFINITY, MINUS_INFINITY) == 0
    assert [compare(MINUS_INFINITY, Quotient.of(-(10**9))), compare(Quotient(E), MINUS_INFINITY)] == [-1, 1]
    assert sign(MINUS_INFINITY) == -1
    for other in (MINUS_INFINITY, UNDEFINED, Quotient.of(1)):
        with pytest.raises(InputError):
            compare(UNDEFINED, other)
    assert equal(UNDEFINED, UNDEFINED).is_equal
    assert equal(MINUS_INFINITY, UNDEFINED).is_different
    assert same(UNDEFINED, Matrix([[UNDEFINED]]))
    assert not same(UNDEFINED, Quotient.of(0))


@pytest.mark.parametrize(
    "meaningless",
    [
        lambda: -MINUS_INFINITY,
        lambda: 1 - MINUS_INFINITY,
        lambda: MINUS_INFINITY**2,
        lambda: 1 / MINUS_INFINITY,
        lambda: MINUS_INFINITY * MINUS_INFINITY,
        lambda: MINUS_INFINITY * Polynomial.symbol("beta"),
        lambda: MINUS_INFINITY / 0,
        lambda: MINUS_INFINITY.numerator,
        lambda: UNDEFINED.denominator,
        lambda: sign(UNDEFINED),
        lambda: round_exact(MINUS_INFINITY, HALF),
        lambda: fixed_bounds([UNDEFINED], 4),
    ],
)
def test_what_has_no_meaning_is_refused(meaningless: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        meaningless()


def test_each_is_one_object() -> None:
    for special in (MINUS_INFINITY, UNDEFINED):
        assert copy.deepcopy(special) is special
        assert pickle.loads(pickle.dumps(special)) is special  # noqa: S301 - of our own making
        assert special.with_values({"x": 1}) is special
        assert (special.symbols, special.is_zero, special.is_finite) == (frozenset(), False, False)
        assert special.rational() is special.polynomial() is special.plain_rational() is None


# Digits -------------------------------------------------------------------------------------------


def test_digits_and_other_libraries() -> None:
    matrix = Matrix([[MINUS_INFINITY, "1/3"], [UNDEFINED, 2]])
    assert matrix.rounded(2) == [["-inf", "0.33"], ["-", "2.00"]]
    assert matrix.digits(3) == [["-inf", "0.333"], ["-", "2.00"]]
    assert str(matrix) == "[[-inf, 1/3], [-, 2]]"
    values = matrix.evaluate(20)
    assert values[0, 0] == -mpmath.inf
    assert mpmath.isnan(values[1, 0])
    assert mpmath.nstr(values[0, 1], 5) == "0.33333"
    assert matrix.sympy()[0, 0] is sympy.S.NegativeInfinity
    assert matrix.sympy()[1, 0] is sympy.S.NaN
    assert equal(matrix, matrix.sympy()).is_equal
    assert [decimal(value, HALF) for value in (MINUS_INFINITY, UNDEFINED)] == ["-inf", "-"]
    assert round_value(MINUS_INFINITY, HALF) is MINUS_INFINITY
    assert matrix == Matrix(matrix.rows)
    assert matrix != Matrix([[MINUS_INFINITY, "1/3"], [0, 2]])


# The masked softmax -------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.lists(st.tuples(fractions(), st.booleans()), min_size=1, max_size=6))
def test_a_masked_row_is_the_softmax_of_what_is_left(keys: list[tuple[Fraction, bool]]) -> None:
    row = softmax_rows(Matrix([[score if seen else MINUS_INFINITY for score, seen in keys]])).rows[0]
    left = [score for score, seen in keys if seen]
    if not left:
        assert all(weight is UNDEFINED for weight in row)
        return
    rest = iter(softmax_rows(Matrix([left])).rows[0])
    assert all(weight == (next(rest) if seen else 0) for weight, (_, seen) in zip(row, keys, strict=True))
    assert sum(row, Quotient.of(0)) == 1
    by_addition = Matrix([[score for score, _ in keys]]) + Matrix([[0 if seen else MINUS_INFINITY for _, seen in keys]])
    assert softmax_rows(by_addition) == Matrix([row])


def test_an_undefined_row_stays_undefined_in_products() -> None:
    weights = softmax_rows(Matrix([[1, MINUS_INFINITY], [MINUS_INFINITY, MINUS_INFINITY]]))
    outputs = weights @ Matrix([[3, 0], [5, 7]])
    assert str(outputs) == "[[3*exp(1)/exp(1), 0], [-, -]]"
    assert outputs[0, 0] == 3


# As written ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r"-\infty", "-inf"),
        (r"e^{-\infty}", "0"),
        (r"\exp(-\infty + 3)", "0"),
        (r"2 - \infty", "-inf"),
        (r"\frac{-\infty}{2}", "-inf"),
        (r"\max(-\infty, -7)", "-7"),
        (r"\begin{bmatrix} 1 & 2 \end{bmatrix} + \begin{bmatrix} 0 & -\infty \end{bmatrix}", "[[1, -inf]]"),
        (r"\operatorname{softmax}(\begin{bmatrix} 0 & -\infty \end{bmatrix})", "[[1/1, 0]]"),
        (r"\begin{bmatrix} \text{-} & 1 \end{bmatrix}", "[[-, 1]]"),
        (r"2 \cdot \text{-} + 1", "-"),
    ],
)
def test_written_values(written: str, value: str) -> None:
    assert same(evaluate(read_latex(written), lambda *_: None), evaluate(_plain(value), lambda *_: None))


def _plain(value: str) -> t.Node:
    return read_plain('"-"' if value == "-" else value.replace("[-,", '["-",'))


@pytest.mark.parametrize("written", [r"\infty", r"1 + \infty", r"-2 \infty", r"1 - (-\infty)", r"0 \cdot \infty"])
def test_plus_infinity_has_no_value(written: str) -> None:
    with pytest.raises(InputError):
        evaluate(read_latex(written), lambda *_: None)
