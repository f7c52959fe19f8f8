"""Symbols are replaced by name or as SymPy has them, and unknown ones are refused, in entries as in matrices."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

import symattn as sa
from symattn.errors import InputError
from symattn.exact.field.sympy_polynomials import PolynomialReader
from symattn.exact.interop.sympy_reader import Reading
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import UNDEFINED

Q, D, V = sympy.Symbol("q1", real=True), sympy.Symbol("d_k", positive=True), sympy.Symbol("x_{12}")
W = sympy.exp(Q / sympy.sqrt(D)) / (sympy.exp(Q / sympy.sqrt(D)) + 1)


def outputs() -> Matrix:
    return sa.attention(Q=[[Q]], K=[[1], [0]], V=[[V], [0]], scale=1 / sympy.sqrt(D)).O.kernel


def entry_of(matrix: Matrix) -> Any:
    return matrix[0, 0]


FORMS: list[Callable[[Matrix], Any]] = [lambda matrix: matrix, entry_of]
E_HALF = sympy.exp(sympy.Rational(1, 2))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({D: 4}, W * V),
        ({"d_k": 4, Q: 1}, E_HALF / (E_HALF + 1) * V),
        ({D: sympy.Rational(1, 4)}, W * V),
        ({D: 2}, W * V),
        ({D: sympy.Symbol("e", positive=True)}, W * V),
        ({D: "4", "q1": Fraction(1), V: sympy.Integer(3)}, W * V),
        ({V: 2 * Q + 1}, W * V),
        ({V: D}, W * V),
        ({V: Q, Q: 0}, W * V),
        ({}, W * V),
    ],
)
def test_replaced_symbols_are_those_of_sympy(form: Any, mapping: dict[Any, Any], expected: Any) -> None:
    names = {str(symbol): symbol for symbol in (Q, D, V)}
    values = {names[str(key)]: sympy.sympify(value) for key, value in mapping.items()}
    wanted = expected.subs(values, simultaneous=True)
    for value in (form(outputs().substitute(mapping)), form(outputs()).substitute(mapping)):
        assert sa.equal(value, wanted if form is entry_of else sympy.Matrix([[wanted]])).is_equal


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({sympy.Symbol("q2"): 1}, r"Unknown symbol q2: the symbols here are d_k, q1, x_\{12\}"),
        ({"1/sqrt(d_k)": 1}, r"the symbols here are d_k, q1, x_\{12\}"),
        ({3: 1}, "Unknown symbol 3"),
        ({None: 1}, "Unknown symbol None"),
        ({("q1",): 1}, "Unknown symbol"),
        ({"q1": 1, Q: 2}, "two values"),
        ({D: 0}, "a number > 0"),
        ({D: -4}, "a number > 0"),
        ({D: Q + 1}, "a number > 0"),
        ({D: 0.5}, "float"),
        ({Q: sympy.Float(1)}, "floating"),
        ({Q: None}, "NoneType"),
        ({Q: [1]}, "list"),
        ({Q: sympy.exp(Q)}, "a polynomial"),
        ({Q: sympy.sin(Q)}, "sin"),
        ({Q: "x"}, "not a rational number"),
        ([Q], "mapping"),
        (None, "mapping"),
    ],
)
def test_what_cannot_be_replaced_is_refused(form: Any, mapping: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        form(outputs()).substitute(mapping)


def test_a_symbol_with_other_assumptions_is_refused() -> None:
    with pytest.raises(InputError, match="The symbol q1 here has other assumptions: give that symbol, or its name"):
        outputs().substitute({sympy.Symbol("q1"): 1})


def test_other_assumptions_are_refused_where_they_are_known() -> None:
    for mapping in ({sympy.Symbol("q1"): 1}, {V: sympy.Symbol("q1")}, {sympy.Symbol("d_k"): 4}):
        with pytest.raises(InputError):
            outputs().substitute(mapping)
    assert outputs()[0, 0].substitute({sympy.Symbol("q1"): 0, D: 1}).symbols == {"x_{12}"}


def test_special_values_hold_no_symbols() -> None:
    with pytest.raises(InputError, match="the symbols here are none"):
        UNDEFINED.substitute({"x": 1})
    assert UNDEFINED.substitute({}) is UNDEFINED


def test_names_of_results_are_those_of_the_symbols() -> None:
    assert outputs().symbols == outputs()[0, 0].symbols == {"q1", "d_k", "x_{12}"}
    other = sympy.Symbol("e", positive=True)
    assert outputs().substitute({D: other}).sympy().free_symbols == {Q, V, other}
    with pytest.raises(InputError, match="d_k"):
        outputs().rounded(2)


def test_the_largest_score_is_found_at_values_of_symbols_under_roots() -> None:
    scores = sa.softmax([Q / sympy.sqrt(D), 1])
    assert scores.argmax(at={Q: 1, D: 4}) == ((1,),)
    assert scores.argmax(at={Q: 1, D: sympy.Rational(1, 4)}) == ((0,),)
    for other in (sympy.Symbol("d_k"), sympy.Symbol("q1")):
        with pytest.raises(InputError, match="both called"):
            scores.jacobian([other])


ROOT_OF_TWO = sympy.sqrt(2)


@pytest.mark.parametrize(
    "value",
    [
        ROOT_OF_TWO,
        1 / (1 + ROOT_OF_TWO),
        (2 * Q + 2) / (Q + 1),
        Q / (Q + 1) + 1 / (Q + 1),
        (Q + 1) ** 3 / 2 - Q,
        3 * sympy.sqrt(D) + D,
        1 / Q,
        (Q + 1) / (Q + 2),
        sympy.exp(Q),
        sympy.E,
        -sympy.oo,
        sympy.nan,
    ],
    ids=str,
)
def test_polynomials_are_read_as_among_quotients(value: Any) -> None:
    found = PolynomialReader([value]).polynomial(value)
    quotient = Reading([value]).quotient(value)
    assert found == quotient.polynomial()


@pytest.mark.parametrize(
    "value", [sympy.sin(Q), Q**200, 1 / (ROOT_OF_TWO * (1 + ROOT_OF_TWO) - 2 - ROOT_OF_TWO)], ids=str
)
def test_polynomials_are_refused_as_among_quotients(value: Any) -> None:
    with pytest.raises(InputError) as refused:
        Reading([value]).quotient(value)
    with pytest.raises(InputError, match=re.escape(str(refused.value))):
        PolynomialReader([value]).polynomial(value)
