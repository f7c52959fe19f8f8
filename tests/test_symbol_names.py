"""Symbols of SymPy keep their names and assumptions, whatever they are called."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symattn as sa
from symattn.errors import InputError
from symattn.exact.field.constant_names import is_constant

USUAL = ["q1", "x_{12}", "d_k", "alpha", "x'", "Ω", "two words", "s_1", "s_2", "exp", "E", "T", "Q", "Q[0, 0]", "a/x"]
names = st.one_of(st.sampled_from(USUAL), st.text(min_size=1, max_size=6))
assumptions = st.sampled_from([{}, {"real": True}, {"positive": True}, {"integer": True}])


def attention_of(q: Any, v: Any) -> Any:
    return sa.attention(Q=[[q, 1]], K=[[1, 0], [0, 2]], V=[[v], [3]], scale="none")


@settings(max_examples=40, deadline=None)
@given(st.lists(names, min_size=2, max_size=2, unique=True), assumptions)
def test_symbols_come_back_as_they_were_put_in(pair: list[str], known: dict[str, bool]) -> None:
    assume(not any(is_constant(name) for name in pair))
    q, v = (sympy.Symbol(name, **known) for name in pair)
    result = attention_of(q, v)
    weight = sympy.exp(q) / (sympy.exp(q) + sympy.exp(2))
    assert result.O.symbols == set(pair)
    assert result.A.sympy().free_symbols == {q}
    assert result.O.T.sympy().free_symbols == result.sympy("O").free_symbols == {q, v}
    assert sa.equal(result.A[0, 0], weight).is_equal
    assert sa.equal(result.O, sympy.Matrix([[weight * v + 3 * (1 - weight)]])).is_equal
    assert sa.equal(result.O[0, 0], weight * v + 3 * (1 + weight)).is_different
    assert sa.equal(result.jacobian([v])[0, 0], weight).is_equal
    assert result.heads[0].A.symbols == result.quantities["A"].symbols == {pair[0]}


def test_symbols_and_names_are_replaced_and_unknown_ones_refused() -> None:
    q, v = sympy.Symbol("q1", real=True), sympy.Symbol("x_{12}")
    result = attention_of(q, v)
    for mapping in ({q: "1/2", v: 3}, {"q1": "1/2", "x_{12}": 3}):
        assert sa.equal(result.O.substitute(mapping), sympy.Matrix([[3]])).is_equal
    assert result.O.substitute({q: 2}).sympy().free_symbols == {v}
    with pytest.raises(InputError, match="The symbol q1 here has other assumptions"):
        result.O.substitute({sympy.Symbol("q1", positive=True): 1})
    for unknown in (sympy.Symbol("q2"), "q2", 3):
        with pytest.raises(InputError, match=r"the symbols here are q1, x_\{12\}\."):
            result.O.substitute({unknown: 1})
    for value in (0.5, "q1 + __import__('os')", None, [1]):
        with pytest.raises(InputError):
            result.O.substitute({q: value})


def test_the_key_is_proved_whatever_the_symbols_are_called() -> None:
    result = attention_of(sympy.Symbol("x_{12}"), sympy.Symbol("two words"))
    assert "\\begin{document}" in result.to_latex()


def test_masked_entries_stay_as_they_are() -> None:
    q = sympy.Symbol("q1")
    result = sa.attention(Q=[[q], [1]], K=[[1], [2]], V=[[1], [0]], scale="none", mask="causal")
    assert str(result["S_masked"]) == "[[q1, -inf], [1, 2]]"
    assert sa.equal(result.A.rows[0][0], 1).is_equal


def test_powers_of_a_symbol_are_compared_with_the_symbol() -> None:
    q, d = sympy.symbols("q1 d_k", positive=True)
    result = sa.attention(Q=[[q]], K=[[1], [0]], V=[[1], [0]], scale=1 / sympy.sqrt(d))
    weight = sympy.exp(q / sympy.sqrt(d)) / (sympy.exp(q / sympy.sqrt(d)) + 1)
    assert sa.equal(result.O[0, 0], weight).is_equal
    assert result.A.sympy().free_symbols == {q, d}
    assert sa.equal(result.O[0, 0], d).is_different


@pytest.mark.parametrize("name", ["pi", "tanh(1)"])
def test_a_symbol_named_as_a_constant_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="constant"):
        attention_of(sympy.Symbol(name), 1)
    with pytest.raises(InputError, match="constant"):
        sa.equal(sympy.Symbol(name), 1)


def test_two_symbols_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="both called q1"):
        attention_of(sympy.Symbol("q1"), sympy.Symbol("q1", positive=True))
    d = sympy.Symbol("d", positive=True)
    with pytest.raises(InputError, match="rename it"):
        sa.equal(sympy.sqrt(d), sympy.Symbol("sqrt(d)"))
