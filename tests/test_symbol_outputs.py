"""All outputs show the symbols of SymPy by their own names, and what they show is proved, read back and replayed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symattn as sa
from symattn.api.proofs.record_replay import replay_record
from symattn.errors import InputError
from symattn.exact.field.constant_names import is_constant
from symattn.exact.field.power_names import name_text, symbol_and_power
from symattn.graph.quantities.closed_forms import symbol_tree
from symattn.notation.writers.latex import write_latex

PLAIN = ["q1", "x_{12}", "x_1", "d_k", "alpha", "Ω", "q_1", "Z_1", "abc", "x_ab", "L", "E", "beta", "a1_2", "z"]
OTHERS = [
    "x'",
    "two words",
    "Q[0, 0]",
    "a/x",
    "é",
    "x^2",
    "M_{1,2}",
    "$",
    "%\\",
    "_",
    "1",
    "symbol Q",
    "sum",
    '"',
    "s_1",
]
CLASHING = ["Q", "A", "Z", "S_11", "A_11", "O", "i", "exp", "sin", "T", "e", "R", "f(x)"]
UNPRINTABLE = ["", " ", "\n", "\ud800"]


def attention_of(q: Any, v: Any, **keys: Any) -> Any:
    return sa.attention(Q=[[q, 1], [2, q]], K=[[1, 0], [0, 2]], V=[[v], [3]], **keys)


def outputs(result: Any) -> dict[str, str]:
    record = result.as_json()
    return {
        "latex": result.to_latex(),
        "exam": result.to_latex(template="exam", detail="every-product"),
        "json": json.dumps(record, ensure_ascii=False),
        "derivation": json.dumps(result.derivation.as_json(), ensure_ascii=False),
        "A": result.latex("A"),
        "O": result.latex("O"),
        "notebook": result._repr_latex_(),
        "text": str(result.O),
        "warnings": str(result.warnings),
        "names": str(result.problem.symbols) + repr(result),
    }


def is_accepted(result: Any) -> bool:
    tex = result.to_latex()
    return (
        result.derivation.is_proved
        and all(finding.proved for finding in result.read_back(tex))
        and replay_record(json.loads(json.dumps(result.as_json()))).is_proved
    )


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", [*PLAIN, *OTHERS])
@pytest.mark.parametrize("power", [None, -1, -sympy.Rational(1, 2), sympy.Rational(1, 2)])
def test_outputs_show_the_name(name: str, power: Any) -> None:
    symbol, other = sympy.Symbol(name, positive=True), sympy.Symbol("v_{2}", real=True)
    result = attention_of(symbol, other, scale="none") if power is None else attention_of(1, other, scale=symbol**power)
    assert is_accepted(result)
    in_latex = write_latex(symbol_tree(name))
    for kind, text in outputs(result).items():
        assert name == "s_1" or not re.search(r"\bs_(1|\{1\})", text), kind
        if kind in {"latex", "exam", "A", "O", "notebook"}:
            assert in_latex in text, kind
    plain, record = name_text(name), result.as_json()
    assert plain in str(result.A)
    assert plain in record["quantities"]["A"]["exact"][0][0]
    assert plain in record["derivation"][-2]["after"][0][0]
    assert result.O.symbols == {name, "v_{2}"}


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", [*CLASHING, *UNPRINTABLE])
def test_a_name_that_means_something_else_is_called_a_symbol(name: str) -> None:
    symbol = sympy.Symbol(name, positive=True)
    for result in (attention_of(symbol, 2, scale="none"), attention_of(2, 5, scale=1 / sympy.sqrt(symbol))):
        assert is_accepted(result)
        aliases = {symbol_and_power(alias)[0] for alias in result.problem.symbols}
        assert aliases == {"symbol 1" if name in UNPRINTABLE else f"symbol {name}"}
        assert result.O.symbols == {name}
        assert "symbol" in result.to_latex()
        assert result.latex("A")


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=5), min_size=2, max_size=2, unique=True), st.booleans())
def test_drawn_names(pair: list[str], under_root: bool) -> None:
    assume(not any(is_constant(name) or symbol_and_power(name)[0] != name for name in pair))
    q, v = (sympy.Symbol(name, positive=True) for name in pair)
    result = attention_of(2, v, scale=1 / sympy.sqrt(q)) if under_root else attention_of(q, v, scale="none")
    assert is_accepted(result)
    for kind, text in outputs(result).items():
        assert not re.search(r"\bs_(1|\{1\})", text), kind


def test_two_names_that_are_written_alike_are_told_apart() -> None:
    q, v = sympy.Symbol("x_{12}"), sympy.Symbol("x_12")
    result = attention_of(q, v, scale="none")
    assert is_accepted(result)
    assert set(result.problem.symbols) == {"x_12", "symbol x_{12}"}
    assert result.O.symbols == {"x_{12}", "x_12"}


def test_names_of_any_length_are_not_taken() -> None:
    with pytest.raises(InputError, match="300 characters"):
        attention_of(sympy.Symbol("x" * 300), 1)
    assert is_accepted(attention_of(sympy.Symbol("\x01" * 200), 1))


def test_rows_of_an_input_give_way_to_symbols_of_their_names() -> None:
    entries = sympy.Matrix(2, 2, lambda i, j: sympy.Symbol(f"x_{{{i + 1}{j + 1}}}"))
    identity = [[1, 0], [0, 1]]
    result = sa.attention(X=entries, W_Q=identity, W_K=identity, W_V=identity, scale="none")
    assert is_accepted(result)
    named = sa.solve(
        {
            "inputs": {"X": [["x_1", "x_2"], [1, 2]], "W_Q": identity, "W_K": identity, "W_V": identity},
            "symbols": {"x_1": "real", "x_2": "real"},
            "scale": "none",
        }
    )
    assert is_accepted(named)
