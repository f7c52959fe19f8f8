"""Expressions that a user of SymPy tries: each works, or its refusal says what to write."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

import symattn as sa
from symattn.errors import SymattnError
from tests import tables

EXAMPLES = Path(__file__).parent.parent / "examples"
SHEET = EXAMPLES / "ps4_self_attention.toml"
CASES = tables.read("data/sympy_expressions.yaml")
KEYS: dict[str, Any] = {"K": [[1], [0]], "V": [[1], [0]], "scale": "none"}
BLOCK: dict[str, Any] = {"X": [[1, 2], [3, 1]], "W_Q": [[1], [1]], "W_K": [[1], [0]], "W_V": [[1, 0], [0, 1]]}


@cache
def names() -> dict[str, Any]:
    """Return what the expressions speak of."""
    x, r = sympy.Symbol("x"), sa.solve(SHEET)
    return {
        "sa": sa,
        "sympy": sympy,
        "np": np,
        "math": math,
        "F": Fraction,
        "Decimal": Decimal,
        "x": x,
        "r": r,
        "s": sa.softmax([x, 0]),
        "b": sa.solve(
            {"inputs": {"Q": [["b"]], "K": KEYS["K"], "V": KEYS["V"]}, "symbols": {"b": "real"}, "scale": "none"}
        ),
        "m": sa.attention(Q=[[1], [2]], mask="causal", **KEYS),
        "e": sa.attention(**BLOCK, block={"norm": "layer", "eps": "1e-5"}),
        "v": sa.equal(r.A[0, 0], "1/2"),
        "c": sa.compare(r, [[1.0] * 2] * 3),
        "report": sa.check(SHEET, EXAMPLES / "ps4_student_work.md"),
        "big": sa.attention(Q=[[1]] * 64, K=[[k] for k in range(64)], V=[[1]] * 64),
    }


def cases() -> Iterator[Any]:
    for group, expressions in CASES.items():
        for expression, outcome in expressions.items():
            yield pytest.param(expression, outcome, id=f"{group}: {expression}")


@pytest.mark.parametrize(("expression", "outcome"), list(cases()))
def test_an_expression_works_or_its_refusal_says_what_to_write(expression: str, outcome: Any) -> None:
    if not isinstance(outcome, dict):
        with mpmath.workdps(15):  # the digits with which mpmath shows a number
            assert str(eval(expression, names())) == str(outcome)  # noqa: S307 - texts of our own table
        return
    with pytest.raises((SymattnError, TypeError, AttributeError, IndexError)) as caught:
        eval(expression, names())  # noqa: S307 - likewise
    sentence = str(caught.value)
    assert outcome["refused"] in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_there_are_sixty_expressions_on_each_kind_of_value() -> None:
    assert sum(map(len, CASES.values())) >= 60
    assert {"matrices", "entries", "verdicts", "reports and results"} == CASES.keys()


PLAIN = [
    "r",
    "r.A",
    "r.A[0,0]",
    "r.derivation",
    "big",
    "big.A",
    "big.A[0,0]",
    "big.S",
    "s",
    "s.A",
    "m",
    "e",
    "v",
    "c",
    "report",
]
"""Values whose plain forms are short."""

THEOREMS = ("sa.theorems()", "sa.theorems()['saturation']", "sa.prove('softmax-jacobian')", "sa.prove('design-qkv')")


@pytest.mark.parametrize("expression", [*PLAIN, *THEOREMS, "sa.prove('dot-product-mean', without='independence')"])
def test_plain_forms_fit_a_screen_and_rich_forms_are_safe(expression: str) -> None:
    value = eval(expression, names())  # noqa: S307 - of the lines above
    for text in (repr(value), str(value)):
        assert len(text.splitlines()) <= 40
        assert len(text) <= 4000
        assert " object at 0x" not in text
    html = value._repr_html_()
    assert "<script" not in html
    assert "$" not in html.replace("<span>&#36;</span>", "")
    assert len(html) < 200_000


@pytest.mark.parametrize("sheet", ["block_backward.toml", "nyu_hw4_theory.toml", "own_definitions.toml"])
def test_results_of_sheets_are_short(sheet: str) -> None:
    result = sa.solve(EXAMPLES / sheet)
    for value in (result, result.derivation, result.problem):
        assert len(repr(value).splitlines()) <= 40
        assert len(repr(value)) <= 4000
    assert len(result._repr_html_()) < 100_000
    assert len(result.derivation._repr_html_()) < 1_000_000


def test_a_problem_shows_its_title_and_shapes() -> None:
    assert repr(names()["r"].problem) == "<Problem Computing attention maps: X 3×4, W_Q 4×2, W_K 4×2, W_V 4×2>"


HOSTILE = sympy.Symbol("<img src=x onerror=alert(1)> $a$")


def test_html_escapes_names_and_reasons() -> None:
    row = sa.softmax([HOSTILE, 0])
    verdict = sa.equal(row.A[0, 0], sympy.sin(HOSTILE))
    result = sa.attention(Q=[[HOSTILE]], title="<b onclick=x>", **KEYS)
    shown: list[Any] = [row, row.A, row.A[0, 0], verdict, result, result.derivation]
    for html in (value._repr_html_() for value in shown):
        assert "<img" not in html
        assert "<b onclick" not in html
        assert "$" not in html.replace("<span>&#36;</span>", "")


EQUAL = [
    ("sa.softmax([0, 1]).A[0, 0]", "sa.softmax([1, 2]).A[0, 0]"),
    ("s.A[0, 0]", "1 - s.A[0, 1]"),
    ("(s.A[0, 0] + 1) / (s.A[0, 0] + 1)", "1"),
    ("sa.softmax([0, 0]).A[0, 0]", "F(1, 2)"),
    ("sa.Entry(sympy.sqrt(x)) ** 2", "sa.Entry(x)"),
    ("sa.Entry(x) * sympy_e / sa.Entry(x)", "sympy_e"),
    ("sa.softmax([0, 1]).A", "sa.softmax([1, 2]).A"),
]


@pytest.mark.parametrize(("first", "second"), EQUAL)
def test_equal_values_have_one_hash(first: str, second: str) -> None:
    given = {**names(), "sympy_e": sa.Entry(sympy.E)}
    a, b = eval(first, given), eval(second, given)  # noqa: S307 - of the table above
    assert a == b
    assert b == a
    assert hash(a) == hash(b)


def test_values_go_back_in_with_their_symbols() -> None:
    y = sympy.Symbol("y", positive=True)
    first = sa.attention(Q=[[y]], **KEYS)
    second = sa.attention(Q=first.S, **{**KEYS, "K": [[1, 2], [0, 1]], "V": first.V})
    assert second.S.sympy().free_symbols == {y}
    assert sa.softmax(first.S).A == first.A
    assert sa.Problem.build(X=first.V, W_Q=[[1]], W_K=[[1]], W_V=[[1]]).inputs["X"] == first.V
    assert np.array(first.S)[0, 0] == y
    assert sa.Matrix(first.S) == first.S == sa.Matrix(first.S.tolist())


D, Y = sympy.Symbol("d", positive=True), sympy.Symbol("y", real=True)
FUNCTIONS = [
    sympy.exp(Y / sympy.sqrt(D)) / (sympy.exp(Y / sympy.sqrt(D)) + 1),
    Y**2 / D + sympy.sqrt(D),
    (Y + sympy.exp(2 * Y)) / (sympy.exp(Y) + Y**2 + 1),
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("by", [(Y,), (D,), (Y, 2), (D, 2), (Y, D), ("y", "d")])
def test_derivatives_are_those_of_sympy(function: Any, by: tuple[Any, ...]) -> None:
    symbols = [{"y": Y, "d": D}.get(item, item) for item in by]
    found = sa.Entry(function).diff(*by)
    assert sympy.simplify(found.sympy() - sympy.diff(function, *symbols)) == 0
    assert found.sympy().free_symbols <= {Y, D}
    assert sa.Matrix([[function]]).diff(*by)[0, 0] == found


def test_arithmetic_is_that_of_sympy() -> None:
    a, b = FUNCTIONS[0], FUNCTIONS[2]
    first, second = sa.Entry(a), sa.Entry(b)
    pairs = [
        (first + second, a + b),
        (first - second, a - b),
        (2 - first, 2 - a),
        (first * second, a * b),
        (first / second, a / b),
        (1 / second, 1 / b),
        (first**3, a**3),
        (-first, -a),
    ]
    for found, expected in pairs:
        assert isinstance(found, sa.Entry)
        assert found == expected
        assert found.sympy().free_symbols == expected.free_symbols
    assert first != second
