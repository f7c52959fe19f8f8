"""Layers of integers: the same closed forms and the same digits as the layer of closed forms, in every convention."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, NoReturn

import pytest

import symattn as sa
from symattn.api.result import Result
from symattn.api.solutions import LARGE, large_result, solved
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.numeric.integer_rows import NumericLayer, numeric_heads, numeric_layer
from symattn.problem.model import Problem

Rows = list[list[str]]
RANDOM = Random(20)


def rows(height: int, width: int) -> Rows:
    return [
        [str(Fraction(RANDOM.randint(-9, 9), RANDOM.choice((1, 2, 3)))) for _ in range(width)] for _ in range(height)
    ]


def turned(matrix: Rows) -> Rows:
    return [list(column) for column in zip(*matrix, strict=True)]


ROWS: dict[str, Any] = {"Q": rows(3, 2), "K": rows(4, 2), "V": rows(4, 3)}
COLUMNS: dict[str, Any] = {**{name: turned(matrix) for name, matrix in ROWS.items()}, "tokens": "columns"}
ACROSS = {**COLUMNS, "softmax": "rows"}
SQUARE = {"W_Q": rows(2, 2), "W_K": rows(2, 2), "W_V": rows(2, 2)}
BLIND = {"keep": [[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]]}


def cases() -> Iterator[dict[str, Any]]:
    for scale in ({}, {"scale": "none"}, {"scale": "1/3"}, {"scale": "0"}, {"temperature": "2/3"}):
        yield ROWS | scale
    yield COLUMNS
    yield ACROSS
    yield {"X": rows(3, 2), "W_Q": rows(2, 3), "W_K": rows(2, 3), "W_V": rows(2, 4)}
    yield {"X_1": rows(3, 2), "X_2": rows(5, 2), **SQUARE}
    for projection in ("X W", "W x", "W^T x"):
        yield {"X": rows(3, 2), **SQUARE, "projection": projection}
    for projection, softmax in product(("W x", "W^T x"), ("rows", "columns")):
        yield {"X": rows(2, 3), **SQUARE, "projection": projection, "tokens": "columns", "softmax": softmax}
    for given, empty, one in product(
        (ROWS, COLUMNS, ACROSS), ("undefined", "zeros", "uniform"), ({}, {"softmax_one": True})
    ):
        yield given | {"mask": BLIND, "fully_masked": empty} | one
    yield ROWS | {"mask": "causal"}
    yield ROWS | {"bias": {"add": rows(3, 4)}, "scale": "none"}
    yield ROWS | {"bias": {"add": rows(3, 4)}, "scale": "1/3", "mask": "causal"}
    yield ROWS | {"bias": {"add": rows(3, 4)}, "order": ["bias", "scale"]}
    yield ROWS | {"mask": {"add": [["0", "-inf", "1/2", "3"]] * 3}, "scale": "2"}
    yield ROWS | {"symbols": {"b": "3/2"}, "beta": "b"}
    yield ROWS | {"bias": {"add": rows(3, 4)}}
    yield ROWS | {"bias": {"alibi": "1/8"}, "softmax_one": True, "mask": "causal"}
    yield ROWS | {
        "bias": {"add": rows(3, 4)},
        "mask": {"add": [["0", "-inf", "1/2", "3"]] * 3},
        "fully_masked": "zeros",
    }
    yield COLUMNS | {"bias": {"add": rows(3, 4)}}


CASES = list(cases())


def large(problem: Problem) -> Result:
    result = large_result(problem)
    assert result is not None
    return result


@pytest.mark.parametrize("keys", CASES, ids=range(len(CASES)))
def test_the_layer_of_integers_is_that_of_closed_forms(keys: dict[str, Any]) -> None:
    problem = Problem.build(**keys)
    ours, whole = large(problem), solved(problem)
    assert repr(ours) == repr(whole)
    for name in "QKVSAO":
        matrix, other = ours[name], whole[name]
        assert matrix.shape == other.shape
        assert matrix.rounded(3) == other.rounded(3)
        assert matrix.digits(3, "half-even") == other.digits(3, "half-even")
        height, width = matrix.shape
        assert str(matrix[height - 1, width - 1]) == str(matrix[-1, -1]) == str(other[-1, -1])
        assert matrix == other
        assert str(matrix) == str(other) == str(copy.deepcopy(matrix))
        assert pickle.loads(pickle.dumps(matrix)) == other  # noqa: S301 - what was written just now


WIDE: dict[str, Any] = {"Q": rows(3, 4), "K": rows(4, 4), "V": rows(4, 6)}
GROUPED: dict[str, Any] = {"Q": rows(3, 8), "K": rows(4, 4), "V": rows(4, 2), "heads": 4, "kv_heads": 2}
UPRIGHT: dict[str, Any] = {**{name: turned(matrix) for name, matrix in WIDE.items()}, "tokens": "columns"}


def head_cases() -> Iterator[dict[str, Any]]:
    yield ROWS | {"heads": 1}
    for given, empty in product((WIDE, UPRIGHT, {**UPRIGHT, "softmax": "rows"}), ("undefined", "zeros", "uniform")):
        yield given | {"heads": 2, "mask": BLIND, "fully_masked": empty}
    yield GROUPED
    yield GROUPED | {"softmax_one": True, "mask": "causal"}
    yield WIDE | {"heads": 2, "bias": {"alibi": ["1/2", "1/8"]}}
    yield WIDE | {"heads": 2, "mask": {"keep": [[[1, 0, 1, 1]] * 3, [[0, 1, 1, 0]] * 3]}}
    yield {"X": rows(3, 2), "W_Q": rows(2, 4), "W_K": rows(2, 4), "W_V": rows(2, 4), "heads": 2}
    own = [{name: rows(2, width) for name in ("W_Q", "W_K", "W_V")} for width in (1, 3)]
    yield {"X": rows(3, 2), "heads": own}


HEADS = list(head_cases())


@pytest.mark.parametrize("keys", HEADS, ids=range(len(HEADS)))
def test_heads_of_integers_are_those_of_closed_forms(keys: dict[str, Any]) -> None:
    problem = Problem.build(**keys)
    ours, whole = large(problem), solved(problem)
    assert repr(ours) == repr(whole)
    assert len(ours.heads) == len(whole.heads) == problem.heads
    names = [name for name in ours.matrices if name in whole.layer.recipes]
    assert len(names) == len(ours.matrices)
    pairs = [(ours[name], whole[name]) for name in names]
    pairs += [(one[name], other[name]) for one, other in zip(ours.heads, whole.heads, strict=True) for name in "QKVSAO"]
    for matrix, other in pairs:
        assert matrix.shape == other.shape
        assert matrix.rounded(3) == other.rounded(3)
        assert matrix.digits(3, "half-even") == other.digits(3, "half-even")
        assert matrix == other
        assert str(matrix) == str(other)
    assert pickle.loads(pickle.dumps(ours.O)) == whole.O  # noqa: S301 - what was written just now
    array = [[float(text) if text != "-" else float("nan") for text in row] for row in whole.O.rounded(3)]
    assert sa.compare(ours, array).as_json() == sa.compare(whole, array).as_json()
    assert ours.heads[-1].pattern == whole.heads[-1].pattern


BEYOND: dict[str, dict[str, Any]] = {
    "a symbol": ROWS | {"symbols": {"b": "real"}, "beta": "b"},
    "a letter in a matrix": ROWS | {"symbols": {"x": "real"}, "V": [["x"]] * 4},
    "a root in a matrix": ROWS | {"V": [["sqrt(2)"]] * 4},
    "a bias that far outweighs a root": ROWS
    | {"bias": {"add": [[10**6, 0, 0, -(10**6)]] * 3}, "scale": "-3000*sqrt(2)"},
    "no row that sees a key": ROWS | {"mask": {"keep": [[0, 0, 0, 0]]}},
    "heads": ROWS | {"heads": 1},
    "a cap": ROWS | {"softcap": 2},
    "a batch": ROWS | {"Q": [rows(3, 2), rows(3, 2)]},
    "cosines": ROWS | {"score": "cosine"},
    "a mean of heads": WIDE | {"heads": 2, "combine": "mean"},
    "an output projection": ROWS | {"W_O": rows(3, 3)},
    "blocks of keys": ROWS | {"online": 2},
    "theory": {"parts": [{"asks": "prose", "answer": "It is smooth."}]},
}


@pytest.mark.parametrize("name", BEYOND)
def test_everything_else_goes_the_ordinary_way(name: str) -> None:
    problem = Problem.build(**BEYOND[name])
    assert numeric_layer(problem) is None
    assert name == "heads" or numeric_heads(problem) == ()


def test_parts_of_the_rows_are_the_rows() -> None:
    layer = numeric_layer(Problem.build(**ROWS, mask=BLIND))
    assert layer is not None
    places, figures = Rounding(places=3), Rounding(figures=2)
    whole = list(layer.texts(places, figures))
    assert [
        *layer.texts(places, figures, 0, 1),
        *layer.texts(places, figures, 1, 2),
        *layer.texts(places, figures, 2, 9),
    ] == whole
    assert whole[1] == (["-"] * 4, ["-"] * 3)
    assert [a for a, _ in whole] == list(layer.weight_texts(places)) == [a for a, _ in layer.texts(places, places)]
    assert list(layer.weight_texts(places, 1, 2)) == [whole[1][0]]


def test_large_problems_make_their_closed_forms_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    side = 32
    keys = {name: [[RANDOM.randint(-9, 9) for _ in range(2)] for _ in range(side)] for name in "QKV"}
    problem = Problem.build(**keys, scale="1/9")
    whole = solved(problem)
    made: list[Problem] = []

    def counted(problem: Problem) -> Result:
        made.append(problem)
        return whole

    monkeypatch.setattr("symattn.api.solutions.solved", counted)
    result = sa.solve(problem)
    assert side * side >= LARGE
    for name in ("A", "O", "S", "Q"):
        assert result[name].rounded(15) == whole[name].rounded(15)
    assert str(result.A[3, 4]) == str(whole.A[3, 4])
    assert result.A.digits(3)[0] == whole.A.digits(3)[0]
    assert not made
    assert result.layer is whole.layer
    assert result["S_scaled"] == whole["S_scaled"]
    assert (result.pattern, result.views, result.heads) == (whole.pattern, whole.views, (result,))
    assert result.stepwise("A") == whole.stepwise("A")
    assert made == [problem]


def test_decimals_of_a_large_layer_make_no_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {name: [[RANDOM.randint(-9, 9) for _ in range(2)] for _ in range(32)] for name in "QKV"}
    result = sa.solve(Problem.build(**keys))
    expected = [result.A.kernel.rounded(3), result.O.kernel.rounded(3)]

    def refused(*_: object) -> NoReturn:
        raise AssertionError("a closed form is made")

    monkeypatch.setattr(NumericLayer, "weights", refused)
    assert [result.A.rounded(3), result.O.rounded(3)] == expected


def test_small_problems_are_worked_at_once() -> None:
    assert not sa.solve(Problem.build(**ROWS)).matrices
