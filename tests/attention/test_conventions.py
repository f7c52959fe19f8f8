"""One problem in every convention: what stands in rows in one stands in columns in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.exact.field.quotient import Quotient
from symattn.graph.analysis.pattern import attention_pattern
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer
from symattn.problem.model import Problem
from tests.attention.strategies import Rows, matrices

POLICIES: list[dict[str, Any]] = [
    {"steps": "end", "places": 3},
    {"steps": "all", "places": 2},
    {"steps": "all", "figures": 3, "ties": "half-even"},
    {"steps": ["products", "weights"], "places": 1, "ties": "half-ceiling", "shift": True},
]
TURNED = {"Q": True, "K": True, "V": True, "O": True}
COLUMNS: list[tuple[dict[str, str], bool]] = [
    ({"tokens": "columns"}, True),
    ({"tokens": "columns", "scores": "K^T Q", "softmax": "columns"}, True),
    ({"tokens": "columns", "scores": "Q^T K", "softmax": "rows"}, False),
    ({"tokens": "columns", "softmax": "rows"}, False),
]
"""Keys of the column convention, and whether the map is turned with the tokens."""


@st.composite
def layers_in_rows(draw: st.DrawFn) -> dict[str, Rows]:
    n_q, n_k, d, d_k, d_v = (draw(st.integers(1, 3)) for _ in range(5))
    tokens = {"X": matrices(n_q, d)} if draw(st.booleans()) else {"X_1": matrices(n_q, d), "X_2": matrices(n_k, d)}
    weights = {"W_Q": matrices(d, d_k), "W_K": matrices(d, d_k), "W_V": matrices(d, d_v)}
    return {name: draw(strategy) for name, strategy in (tokens | weights).items()}


def turn(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def build(inputs: dict[str, Any], **keys: Any) -> Layer:
    return attention_layer(Problem.build(**inputs, **keys))


def values(layer: Layer, name: str, *, turned: bool) -> tuple[list[list[Any]], list[list[Any]]]:
    quantity = layer.scene.quantities[name]
    both = (quantity.exact.rows, quantity.carried)
    exact, carried = (turn(rows) if turned else [list(row) for row in rows] for rows in both)
    return exact, carried


def same(ours: Layer, rows: Layer, *, map_turned: bool, tokens_turned: bool) -> None:
    for name in ("Q", "K", "V", "S", "S_scaled", "E", "Z", "A", "O"):
        turned = (tokens_turned if name in TURNED else map_turned) and name != "Z"
        assert values(ours, name, turned=turned) == values(rows, name, turned=False), name


@pytest.mark.sample(2)
@settings(max_examples=25)
@pytest.mark.parametrize("rounding", POLICIES, ids=str)
@pytest.mark.parametrize(("keys", "map_turned"), COLUMNS, ids=str)
@given(inputs=layers_in_rows(), weights_as=st.sampled_from(["W x", "W^T x"]))
def test_columns_are_rows_turned(
    keys: dict[str, str], map_turned: bool, rounding: dict[str, Any], inputs: dict[str, Rows], weights_as: str
) -> None:
    rows = build(inputs, rounding=rounding)
    stay = [name for name in inputs if name.startswith("W") and weights_as == "W^T x"]
    turned = {name: matrix if name in stay else turn(matrix) for name, matrix in inputs.items()}
    columns = build(turned, projection=weights_as, rounding=rounding, **keys)
    same(columns, rows, map_turned=map_turned, tokens_turned=True)
    assert attention_pattern(columns) == attention_pattern(rows)


@settings(max_examples=25)
@given(inputs=layers_in_rows())
def test_weights_for_one_token_at_a_time_mean_the_same_product(inputs: dict[str, Rows]) -> None:
    rows = build(inputs)
    one_token = build(inputs, projection="W^T x")
    turned = {name: turn(matrix) if name.startswith("W") else matrix for name, matrix in inputs.items()}
    for layer in (one_token, build(turned, projection="W x")):
        same(layer, rows, map_turned=False, tokens_turned=False)


@given(matrices(2, 2), matrices(3, 2), matrices(3, 1))
def test_given_matrices_in_columns(queries: Rows, keys: Rows, vectors: Rows) -> None:
    rows = build({"Q": queries, "K": keys, "V": vectors})
    columns = build({"Q": turn(queries), "K": turn(keys), "V": turn(vectors)}, tokens="columns")
    same(columns, rows, map_turned=True, tokens_turned=True)


def test_self_attention_is_cross_attention_with_itself() -> None:
    weights = {"W_Q": [[1, 2], [0, 1]], "W_K": [[1, 0], [1, 1]], "W_V": [[2], ["1/3"]]}
    tokens = [[1, 0], ["1/2", -1], [0, 2]]
    same(
        build({"X_1": tokens, "X_2": tokens, **weights}),
        build({"X": tokens, **weights}),
        map_turned=False,
        tokens_turned=False,
    )


@pytest.mark.parametrize(
    ("scale", "factor"),
    [
        ({"scale": "1/2"}, "1/2"),
        ({"scale": "-1/2"}, "-1/2"),
        ({"temperature": "2"}, "1/2"),
        ({"beta": "0.25"}, "1/4"),
        ({"beta": "b", "symbols": {"b": "3/2"}}, "3/2"),
        ({"scale": "b^2 - 1", "symbols": {"b": "2"}}, "3"),
        ({"scale": "0"}, "0"),
    ],
)
def test_scales(scale: dict[str, Any], factor: str) -> None:
    layer = build({"Q": [[1, 2]], "K": [[3, 0], [0, 1]], "V": [[1], [2]]}, **scale)
    assert layer.logits == "S_scaled"
    assert layer.exact("c")[0, 0] == Quotient.of(factor)
    assert layer.exact("S_scaled") == layer.exact("S").scale(factor)


def test_without_a_scale_the_scores_are_the_exponents() -> None:
    layer = build({"Q": [[1, 2]], "K": [[3, 0], [0, 1]], "V": [[1], [2]]}, scale="none")
    assert layer.logits == "S"
    assert "S_scaled" not in layer.scene.quantities


@pytest.mark.parametrize("d_k", [1, 2, 3, 4, 8, 12])
def test_the_scale_of_the_definition(d_k: int) -> None:
    layer = build({"Q": [[1] * d_k], "K": [[1] * d_k], "V": [[1]]})
    factor = layer.exact("c")[0, 0]
    assert factor * factor == Quotient.of(f"1/{d_k}")
    assert layer.exact("S_scaled")[0, 0] * layer.exact("S_scaled")[0, 0] == Quotient.of(d_k)
