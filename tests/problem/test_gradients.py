"""The backward pass of a problem file: what it says, and what is refused with the remedy."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.errors import InputError, ShapeError
from symattn.graph.builders.attention import attention_layer
from symattn.problem.components.gradients import gradients_of, labels_matrix, output_shape, through_cap
from symattn.problem.model import Problem
from symattn.problem.schema.json_schema import json_schema

GIVEN: dict[str, Any] = {"Q": [[1, 2]], "K": [[1, 0], [0, 1]], "V": [[1], [2]]}

FILE = """
[inputs]
Q = [[1, 2]]
K = [[1, 0], [0, 1]]
V = [[1], [2]]

[gradient]
loss = "squared"
target = [[0.5]]
of = ["dQ", "dK"]

[[parts]]
asks = "gradient:dQ"

[[parts]]
asks = "gradients"
"""


def test_a_file_says_where_the_pass_starts_and_what_it_is_for() -> None:
    problem = Problem.from_text(FILE)
    gradient = problem.gradient
    assert gradient is not None
    assert (gradient.loss, gradient.of, gradient.dO) == ("squared", ("dQ", "dK"), None)
    assert str(gradient.target) == "[[1/2]]"


@pytest.mark.parametrize(
    ("gradient", "message"),
    [
        ({}, 'gradient has either dO, the gradient at the output, or loss = "sum", "squared" or "cross-entropy"'),
        ({"dO": [[1]], "loss": "sum"}, "gradient has either dO"),
        ({"loss": "squared"}, '[gradient] target goes with loss = "squared"'),
        ({"loss": "sum", "target": [[1]]}, '[gradient] target goes with loss = "squared"'),
        ({"loss": "cross-entropy"}, '[gradient] labels goes with loss = "cross-entropy"'),
        ({"loss": "sum", "labels": [1]}, "[gradient] labels goes with"),
        (
            {"loss": "cross-entropy", "labels": [2]},
            "number 1: there is no label 2. Labels are counted from 1 to 1 here.",
        ),
        ({"loss": "cross-entropy", "labels": [1, 1]}, "labels has 2 labels and the output O is 1×1: give 1 of them"),
        ({"loss": "cross-entropy", "labels": [0]}, "[gradient] labels"),
        ({"loss": "sum", "of": ["dX"]}, "[gradient] of: "),
        ({"loss": "mean"}, '[gradient] loss: The value "mean" is not known'),
        ({"loos": "sum"}, "[gradient]: "),
    ],
)
def test_keys_that_do_not_go_together_are_refused(gradient: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        Problem.build(**GIVEN, gradient=gradient)
    assert message.partition(": The")[0] in str(refused.value)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"score": "cosine"}, 'gradients through score = "cosine"'),
        (
            {"score": "additive", "W_1": [[1], [0]], "W_2": [[1], [0]], "w_S": [1]},
            'gradients through score = "additive"',
        ),
    ],
)
def test_layers_without_a_backward_pass_are_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Problem.build(**{**GIVEN, **keys}, gradient={"loss": "sum"})


def test_labels_in_columns_are_those_of_tokens() -> None:
    keys = {"Q": [[1, 0], [2, 1]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [0, 1], [1, 1]], "tokens": "columns"}
    problem = Problem.build(**keys, gradient={"loss": "cross-entropy", "labels": [3, 1]})
    assert problem.gradient is not None
    assert str(labels_matrix(problem.gradient.labels, (3, 2), by_rows=False)) == "[[0, 1], [0, 0], [1, 0]]"
    with pytest.raises(InputError, match="there is no label 4"):
        Problem.build(**keys, gradient={"loss": "cross-entropy", "labels": [3, 4]})


def test_free_symbols_have_no_cross_entropy() -> None:
    keys = {**GIVEN, "V": [["a", 1], [0, 2]], "symbols": {"a": "real"}}
    with pytest.raises(InputError, match="a is a free symbol: give it a value"):
        attention_layer(Problem.build(**keys, gradient={"loss": "cross-entropy", "labels": [1]}))


@pytest.mark.parametrize(
    ("order", "name"),
    [
        (["scale", "softcap"], "dS_scaled"),
        (["softcap", "scale"], "dS_uncapped"),
        (["scale", "bias", "softcap"], "dS_uncapped"),
    ],
)
def test_the_gradient_before_a_cap_is_named_after_what_it_takes(order: list[str], name: str) -> None:
    bias = {"bias": {"add": [[1, 0]]}} if "bias" in order else {}
    problem = Problem.build(**GIVEN, softcap=2, order=order, **bias, gradient={"loss": "sum"})
    assert through_cap(problem) == name
    assert name in gradients_of(problem)


def test_shapes_are_told_with_both() -> None:
    with pytest.raises(ShapeError, match=r"\[gradient\] dO is 2×1 and the output O is 1×1: both must have one shape"):
        Problem.build(**GIVEN, gradient={"dO": [[1], [2]]})
    with pytest.raises(ShapeError, match=r"\[gradient\] target is 1×2 and the output O is 1×1"):
        Problem.build(**GIVEN, gradient={"loss": "squared", "target": [[1, 2]]})


@pytest.mark.parametrize(
    ("asks", "gradient", "message"),
    [
        ("gradients", None, "there is no [gradient]"),
        ("gradient:dQ", None, "there is no [gradient]"),
        ("gradient:dX", {"loss": "sum"}, "parts #1"),
        ("gradient:dK", {"loss": "sum", "of": ["dQ"]}, "dK is not in the list of under [gradient]"),
    ],
)
def test_parts_ask_for_what_there_is(asks: str, gradient: object, message: str) -> None:
    keys = {"parts": [{"asks": asks}], **({} if gradient is None else {"gradient": gradient})}
    with pytest.raises(InputError) as refused:
        Problem.build(**GIVEN, **keys)
    assert message in str(refused.value)


def test_definitions_and_theory_have_no_backward_pass() -> None:
    with pytest.raises(InputError, match=r"gradient cannot be used with \[definitions\]"):
        Problem.build(inputs={"X": [[1]]}, definitions={"S": "X X^T"}, gradient={"loss": "sum"})


def test_the_gradients_of_a_layer_are_those_of_what_it_has() -> None:
    layer = Problem.build(
        X=[[1, 0]],
        W_Q=[[1, 1], [0, 1]],
        W_K=[[1, 0], [0, 1]],
        W_V=[[1, 0], [0, 1]],
        W_O=[[1], [1]],
        b_Q=[1, 2],
        heads=2,
    )
    names = "dO dW_O dC dH dV dA dS dQ dK dW_Q db_Q dW_K dW_V dX"
    assert gradients_of(layer) == tuple(names.split())
    assert output_shape(layer) == (1, 1)


def test_the_output_has_its_shape_in_every_convention() -> None:
    columns = Problem.build(Q=[[1], [2]], K=[[1, 0], [0, 1]], V=[[1, 2], [0, 1], [1, 1]], tokens="columns")
    assert output_shape(columns) == (3, 1)
    mean = Problem.build(Q=[[1, 2]], K=[[1, 2]], V=[[1, 2]], heads=2, combine="mean")
    assert output_shape(mean) == (1, 1)


def test_the_schema_knows_the_keys() -> None:
    table = json_schema()["properties"]["gradient"]
    assert set(table["properties"]) == {"dO", "dY", "loss", "target", "labels", "of"}
    assert table["additionalProperties"] is False


def test_tolerances_may_be_told_of_gradients() -> None:
    problem = Problem.build(**GIVEN, gradient={"loss": "sum"}, tolerance={"dQ": "1e-5"})
    assert str(problem.tolerance["dQ"]) == "1/100000"
    with pytest.raises(InputError):
        Problem.build(**GIVEN, tolerance={"dQ": "1e-5"})
