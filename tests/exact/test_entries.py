"""The border for matrices: nested lists, arrays, SymPy."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.matrix import Matrix
from symattn.exact.linear.matrix_input import matrix, scalar

a, b = sympy.symbols("a b", positive=True)
GOOD = [
    ([[1, "1/2"], [Decimal("0.5"), Fraction(1, 3)]], "[[1, 1/2], [1/2, 1/3]]"),
    (((1, 2), (3, 4)), "[[1, 2], [3, 4]]"),
    (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]"),
    (sympy.Matrix([[1, sympy.Rational(1, 2)]]), "[[1, 1/2]]"),
    (sympy.ImmutableMatrix([[a * b + 1, sympy.sqrt(8) * a]]), "[[a*b + 1, 2*sqrt(2)*a]]"),
    (sympy.Matrix([[1 / sympy.sqrt(2), (a + 1) ** 2]]), "[[1/2*sqrt(2), a**2 + 2*a + 1]]"),
    (sympy.Matrix([[1 / (1 + sympy.sqrt(2)), -a / 3]]), "[[-1 + sqrt(2), -1/3*a]]"),
    ([[a, sympy.Integer(2)], [b, 0]], "[[a, 2], [b, 0]]"),
    (sympy.Matrix([[sympy.Pow(2, sympy.Rational(3, 2)), sympy.S.Zero]]), "[[2*sqrt(2), 0]]"),
    ([[Polynomial.sqrt(2)]], "[[sqrt(2)]]"),
]
BAD = [
    ([[1, 2], [3]], "X, row 2: the row has 1 entries where row 1 has 2"),
    ([], "X is empty"),
    ([[]], "X, row 1: the row is empty"),
    ([[1], []], "X, row 2: the row is empty"),
    ([1, 2], "X, row 1: a int is not a row"),
    ("[[1]]", "X is a str"),
    (3, "X is a int"),
    (["12", "34"], "X, row 1: a str is not a row"),
    ([[1, 0.5]], "X, row 1, column 2: 0.5 is a binary float"),
    ([[1], [float("nan")]], "X, row 2, column 1: nan"),
    ([["1/0"]], "X, row 1, column 1: a fraction has the denominator 0"),
    ([["1e999999999"]], "X, row 1, column 1: a power of ten"),
    ([[True]], "X, row 1, column 1: True is a truth value"),
    ([[None]], "X, row 1, column 1: a NoneType"),
    ([["a"]], "X, row 1, column 1: 'a' is not a rational number"),
    (np.array([[0.5]]), "X, row 1, column 1: 0.5 is a binary float"),
    (sympy.Matrix([[1.5]]), "floating-point number of SymPy"),
    (sympy.Matrix([[sympy.exp(a)]]), "exp(a) is not a polynomial"),
    (sympy.Matrix([[sympy.pi]]), "pi is not a polynomial"),
    (sympy.Matrix([[sympy.I]]), "I is not a polynomial"),
    (sympy.Matrix([[sympy.oo]]), "oo is not a polynomial"),
    (sympy.Matrix([[sympy.sqrt(a)]]), "stands under a square root"),
    (sympy.Matrix([[sympy.Pow(2, sympy.Rational(1, 3))]]), "neither an integer nor half of one"),
    (sympy.Matrix([[2**a]]), "neither an integer nor half of one"),
    (sympy.Matrix([[1 / a]]), "stands under a fraction bar"),
    (sympy.Matrix([[a**1000]]), "exponent lies beyond 100"),
    (sympy.Matrix([[sympy.Integer(10) ** 2000]]), "1000 digits"),
]


@pytest.mark.parametrize(("data", "text"), GOOD, ids=range(len(GOOD)))
def test_good(data: object, text: str) -> None:
    assert str(matrix(data, "X")) == text


@pytest.mark.parametrize(("data", "words"), BAD, ids=range(len(BAD)))
def test_bad(data: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        matrix(data, "X")
    assert words in str(caught.value)
    assert str(caught.value).startswith("X")
    assert len(str(caught.value)) < 250


def test_deep_expressions_are_refused() -> None:
    node = a
    for k in range(60):
        node = sympy.Mul(sympy.Add(node, k + 1), b, evaluate=False)
    with pytest.raises(InputError, match="nested too deeply"):
        scalar(node)


def test_ground_types_stay_outside() -> None:
    q = scalar(sympy.Rational(2, 3) * a)
    ((_, coefficient), *_) = q.numerator.terms()
    assert type(coefficient.terms[0][1].numerator) is int


def test_kept_as_they_are() -> None:
    m = Matrix([[1]])
    assert matrix(m) is m
    assert scalar(m[0, 0]) is m[0, 0]
    with pytest.raises(InputError, match=r"^Row 1, column 1: "):
        matrix([[0.5]])
