"""Arguments of wrong types: every public function refuses them in one sentence, never with a fault from inside."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import symattn as sa
from symattn.errors import InputError, MissingKeyError, expect, shortened, shown

X = sympy.Symbol("x")


def nested(function: Callable[[Any], Any], start: Any, depth: int) -> Any:
    for _ in range(depth):
        start = function(start)
    return start


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
WRONG: dict[str, Any] = {
    "none": None,
    "true": True,
    "number": 3,
    "negative": -1,
    "huge": 10**5000,
    "float": 0.5,
    "nan": float("nan"),
    "complex": 1j,
    "text": "abc",
    "nothing": "",
    "long": "x" * 10_000,
    "surrogate": "\ud800",
    "nul": "a\0b",
    "bytes": b"ab",
    "list": [],
    "rows": [[]],
    "vector": [1],
    "floats": [[0.5]],
    "nones": [[None]],
    "three levels": [[[1]]],
    "ragged": [[1, 2], [3]],
    "mixed": [1, [2]],
    "deep": nested(lambda item: [item], 1, 3000),
    "endless": ENDLESS,
    "mapping": {1: 2},
    "set": {1},
    "tuple": (1, 2),
    "range": range(3),
    "empty array": np.zeros((0,)),
    "array of one axis": np.array([1, 2]),
    "array of three axes": np.zeros((1, 1, 1), int),
    "array of objects": np.array([[object()]]),
    "array of floats": np.array([[0.5]]),
    "array of fields": np.zeros((1, 1), dtype=[("a", int)]),
    "one number": np.array(1),
    "symbol": X,
    "sympy float": sympy.Float(0.5),
    "sine": sympy.sin(X),
    "sympy matrix": sympy.Matrix([[0.5]]),
    "empty matrix": sympy.zeros(0, 0),
    "unknown shape": sympy.MatrixSymbol("M", X, 2),
    "imaginary": sympy.I,
    "infinite": sympy.oo,
    "complex infinity": sympy.zoo,
    "relation": X < 1,
    "function": sympy.Function("f"),
    "sympy array": sympy.Array([[[1]]]),
    "deep sine": nested(sympy.sin, X, 300),
    "deep exponential": nested(sympy.exp, X, 300),
    "noncommutative": sympy.Symbol("a", commutative=False),
    "object": object(),
    "class": int,
    "nowhere": Path("/nonexistent"),
    "date": date(2020, 1, 1),
    "decimal": Decimal("NaN"),
    "fraction": Fraction(1, 3),
    "module": sys,
    "problem": sa.Problem.build(Q=[[1]], K=[[1]], V=[[1]]),
    "matrix": sa.Matrix([[1]]),
}
SHEET: dict[str, Any] = {"inputs": {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1], [2]]}, "scale": "none"}
SOLVED = sa.solve(SHEET)
SYMBOLIC = sa.attention(Q=[[X]], K=[[1], [0]], V=[[1], [2]], scale="none")
SOFTMAX = sa.softmax([X, 0])


def keyed(name: str) -> Callable[[Any], Any]:
    return lambda value: sa.attention(**{"Q": [[1]], "K": [[1]], "V": [[1]], name: value})


USES: dict[str, Callable[[Any], Any]] = {
    "solve": sa.solve,
    "check problem": lambda value: sa.check(value, "A_11 = 1", "txt"),
    "check work": lambda value: sa.check(SHEET, value),
    "check format": lambda value: sa.check(SHEET, "A_11 = 1", value),
    "check source": lambda value: sa.check(SHEET, "A_11 = 1", "txt", source=value),
    "check policy": lambda value: sa.check(SHEET, "A_11 = 1", "txt", policy=value),
    "equal number": lambda value: sa.equal(value, 1),
    "equal matrix": lambda value: sa.equal(SYMBOLIC.O, value),
    "equal expression": lambda value: sa.equal(value, X),
    "equal itself": lambda value: sa.equal(value, value),
    "softmax": sa.softmax,
    "softmax scale": lambda value: sa.softmax([1, 2], scale=value),
    "softmax entry": lambda value: sa.softmax([1, value]),
    "prove": sa.prove,
    "compare result": lambda value: sa.compare(value, [[1.0]]),
    "compare array": lambda value: sa.compare(SOLVED, value, form="float64"),
    "compare quantity": lambda value: sa.compare(SOLVED, [[1.0]], value, form="float64"),
    "compare form": lambda value: sa.compare(SOLVED, [[1.0]], form=value),
    "Matrix": sa.Matrix,
    "Matrix entry": lambda value: sa.Matrix([[value]]),
    "load": sa.Problem.load,
    "attention": lambda value: sa.attention(value, value, value),
    **{name: keyed(name) for name in ("Q", "V", "scale", "mask", "heads", "symbols", "rounding", "names", "parts")},
    **{name: keyed(name) for name in ("floats", "gradient", "W_O", "block", "cache", "positions", "tokens", "title")},
    "result[]": SOLVED.__getitem__,
    "stepwise": SOLVED.stepwise,
    "template": SOLVED.to_latex,
    "detail": lambda value: SOLVED.to_latex(detail=value),
    "latex": SOLVED.latex,
    "read_back": SOLVED.read_back,
    "as_json": SOLVED.as_json,
    "jacobian": SOFTMAX.jacobian,
    "jacobian of": lambda value: SYMBOLIC.jacobian([X], of=value),
    "gradient by": lambda value: SYMBOLIC.gradient(lambda outputs: outputs[0, 0], value),
    "series": SOFTMAX.series,
    "series point": lambda value: SOFTMAX.series(X, value),
    "series order": lambda value: SOFTMAX.series(X, 0, value),
    "limit": lambda value: SOFTMAX.limit(value, 0),
    "limit point": lambda value: SOFTMAX.limit(X, value),
    "argmax": lambda value: SOFTMAX.argmax(at=value),
    "argmax value": lambda value: SOFTMAX.argmax(at={X: value}),
    "matrix substitute": SYMBOLIC.O.substitute,
    "entry substitute": lambda value: SYMBOLIC.O[0, 0].substitute({X: value}),
    "rounded": SOLVED.O.rounded,
    "ties": lambda value: SOLVED.O.rounded(2, value),
    "evaluate": SOLVED.O.evaluate,
    "times": lambda value: SOLVED.O @ value,
    "plus": lambda value: SOLVED.O + value,
    "power": lambda value: SOLVED.O[0, 0] ** value,
    "sympy": SOLVED.O.sympy,
}


@pytest.mark.parametrize("use", USES)
def test_wrong_arguments_are_refused_in_one_sentence(use: str) -> None:
    for kind, value in WRONG.items():
        try:
            USES[use](value)
        except InputError as error:
            text = str(error)
            assert "\n" not in text and text[-1] in ".?!" and len(text) < 600, (kind, text[:300])  # noqa: PT018


def test_entries_are_named_by_row_and_column() -> None:
    for index in (None, 0.5, "a", "ab", (0,), (0, 0, 0), (None, None), object(), X):
        with pytest.raises(InputError, match="row and column"):
            SOLVED.O[index]  # type: ignore[index]
    with pytest.raises(IndexError):
        SOLVED.O[5, 5]
    zero: Any = np.int64(0)
    assert SOLVED.O[zero, 0] == SOLVED.O[0, 0]


def test_a_quantity_that_there_is_not_is_a_key_and_an_input() -> None:
    with pytest.raises(KeyError, match="Unknown quantity 'Y'; there are Q, K") as caught:
        SOLVED["Y"]
    assert isinstance(caught.value, MissingKeyError | InputError)
    assert str(caught.value).startswith("Unknown quantity")


def test_messages_show_values_in_short() -> None:
    assert shortened("x" * 61) == "x" * 57 + "..."
    assert shown(WRONG["deep sine"]) == "A value of the type sin"
    for value, kind in ((True, int), ("a", int), (1, str), (None, (str, Path))):
        with pytest.raises(InputError, match="It is so, and this is of the type"):
            expect(value, kind, "It is so")
    expect(1, int, "It is so")
    expect("a", (str, Path), "It is so")
