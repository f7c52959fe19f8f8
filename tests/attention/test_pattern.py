"""The pattern of a map, read from exact values."""

from __future__ import annotations

from math import e, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.api.solutions import attention
from symattn.graph.analysis.pattern import Pattern, attention_pattern
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from tests.attention.strategies import Given, given_problems


def pattern(scores: list[list[Any]], **keys: Any) -> Pattern:
    """The pattern of a map with the given scores: keys are the unit vectors."""
    n = len(scores[0])
    unit = [[int(i == j) for j in range(n)] for i in range(n)]
    values = [[i] for i in range(n)]
    found = attention_pattern(attention_layer(Problem.build(Q=scores, K=unit, V=values, scale="none", **keys)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("scores", "rounding", "solid", "dashed"),
    [
        ([[0, 1, 2]], {}, [[1, 3]], [[1, 2]]),
        ([[0, 2, 2]], {}, [[1, 2], [1, 3]], [[1, 1]]),
        ([[1, 1, 1]], {}, [[1, 1], [1, 2], [1, 3]], []),
        ([[1, 1, 3]], {}, [[1, 3]], [[1, 1], [1, 2]]),
        ([[9, 0, 0]], {"places": 2}, [[1, 1]], []),
        ([[9, 0, 0]], {"places": 4}, [[1, 1]], [[1, 2], [1, 3]]),
        ([[9, 0, -1]], {"figures": 1}, [[1, 1]], [[1, 2]]),
        ([[5]], {}, [[1, 1]], []),
        ([["1/3", "0.333"]], {}, [[1, 1]], [[1, 2]]),
        ([["1/3", "0.333"]], {"places": 2, "steps": "all"}, [[1, 1]], [[1, 2]]),
    ],
)
def test_lines_of_the_diagram(
    scores: list[list[Any]], rounding: dict[str, Any], solid: list[list[int]], dashed: list[list[int]]
) -> None:
    found = pattern(scores, rounding=rounding).as_json()
    assert found["solid"] == solid
    assert found["dashed"] == dashed


@pytest.mark.parametrize(
    ("threshold", "drawn"),
    [("0", True), ("0.26", True), ("0.27", False), ("1/2", False)],
)
def test_the_second_is_drawn_above_the_threshold(threshold: str, drawn: bool) -> None:
    found = pattern([[0, 1]], rounding={"places": 2}, diagram_threshold=threshold)
    assert found.queries[0].second_drawn is drawn
    assert found.queries[0].second == (1,)


@pytest.mark.parametrize(
    ("scores", "hub"),
    [
        ([[0, 1], [0, 2]], 2),
        ([[0, 1], [1, 0]], None),
        ([[0, 0, 5], [0, 0, 5], [5, 0, 0]], 3),
        ([[7]], None),
    ],
)
def test_hub(scores: list[list[Any]], hub: int | None) -> None:
    assert pattern(scores).hub == hub


def test_lines_that_coincide_as_shown() -> None:
    scores = [[9, 0], [8, 0], [0, 0]]
    assert pattern(scores, rounding={"places": 2}).coincide == ((1, 2),)
    assert pattern(scores, rounding={"places": 4}).coincide == ()


@pytest.mark.parametrize(
    ("tokens", "no_own", "own_largest"),
    [
        ([[1, 0], [0, 1]], False, True),
        ([[0, 1], [1, 0]], False, True),
        ([[1, 0], [1, 0]], False, False),
    ],
)
def test_the_diagonal_of_self_attention(tokens: list[list[int]], no_own: bool, own_largest: bool) -> None:
    unit = [[1, 0], [0, 1]]
    layer = attention_layer(Problem.build(X=tokens, W_Q=unit, W_K=unit, W_V=unit, scale="none"))
    found = attention_pattern(layer)
    assert found is not None
    assert (found.no_own, found.own_largest) == (no_own, own_largest)


def test_no_token_attends_to_itself() -> None:
    result = attention(X=[[1, 0], [0, 1]], W_Q=[[0, 19], [19, 0]], W_K=[[1, 0], [0, 1]], W_V=[[1], [2]], scale="none")
    found = result.pattern
    assert found is not None
    assert found.no_own
    assert not found.own_largest


def test_other_kinds_have_no_diagonal() -> None:
    found = pattern([[9, 0], [0, 9]])
    assert not found.no_own
    assert not found.own_largest


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_entropy_of_equal_weights_is_the_logarithm_of_their_number(n: int) -> None:
    (low, high) = pattern([[1] * n], rounding={"places": 10}).queries[0].entropy
    assert low == high
    assert float(low) == pytest.approx(log(n), abs=1e-9)


def test_entropy_of_two_weights() -> None:
    weight = e / (1 + e)
    (low, _) = pattern([[1, 0]], rounding={"places": 12}).queries[0].entropy
    assert float(low) == pytest.approx(-weight * log(weight) - (1 - weight) * log(1 - weight), abs=1e-11)


def test_totals_are_column_sums() -> None:
    result = attention(Q=[[0, 1], [2, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none", rounding={"places": 6})
    found = result.pattern
    assert found is not None
    for j, (low, high) in enumerate(found.totals):
        assert low == high
        assert float(low) == pytest.approx(sum(float(row[j]) for row in result.A.rounded(12)), abs=1e-6)


def test_a_free_symbol_leaves_the_pattern_open() -> None:
    layer = attention_layer(Problem.build(Q=[["b"]], K=[[1], [2]], V=[[1], [2]], symbols={"b": "positive"}))
    assert attention_pattern(layer) is None


@given(given_problems(), st.sampled_from([{"places": 2}, {"figures": 3}, {"places": 1, "steps": "all"}]))
def test_every_output_has_a_solid_line_and_no_line_twice(small: Given, rounding: dict[str, Any]) -> None:
    found = attention_pattern(small.layer(rounding=rounding))
    assert found is not None
    for number, query in enumerate(found.queries, 1):
        assert query.number == number
        assert query.largest
        assert not set(query.largest) & set(query.second)
        assert set(query.nonzero) <= set(range(1, len(small.K) + 1))
