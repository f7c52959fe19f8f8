"""Layers with heads, other scores and batches: what is read, what must fit, and every refusal with its key."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, ShapeError
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from symattn.problem.schema.examples import commented_problem
from symattn.problem.schema.fields import LAYER_KEYS, OPTIONAL_INPUTS
from symattn.problem.schema.json_schema import json_schema
from symattn.problem.settings.scale import Scale
from tests.problem.test_problem import toml
from tests.problem.test_schema import faults

GIVEN = {"Q": [[1, 2], [3, 4]], "K": [[1, 2], [3, 4], [5, 6]], "V": [[1, 2], [3, 4], [5, 6]]}
FOUR = [[1, 2, 3, 4], [5, 6, 7, 8]]
SELF = {"X": [[1, 2], [3, 4]], "W_Q": FOUR, "W_K": FOUR, "W_V": FOUR}
ONE_HEAD = {"W_Q": [[1], [2]], "W_K": [[1], [2]], "W_V": [[1], [2]]}
APART = {"X": [[1, 2], [3, 4]], "heads": [ONE_HEAD, {**ONE_HEAD, "b_Q": [1]}]}
ADDITIVE = {"score": "additive", "W_1": [[1, 2, 3], [1, 2, 3]], "W_2": [[1, 2, 3], [1, 2, 3]], "w_S": [1, 2, 3]}


def sizes(problem: Problem) -> list[tuple[int, int, int]]:
    return [(size.d_q, size.d_k, size.d_v) for size in problem.head_sizes]


# What is read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "beyond", "wanted"),
    [
        (GIVEN, (), [(2, 2, 2)]),
        ({**GIVEN, "mask": "causal"}, ("mask",), [(2, 2, 2)]),
        ({**GIVEN, "mask": {"causal": False}}, (), [(2, 2, 2)]),
        ({**GIVEN, "order": ["scale"], "score": "dot", "softmax_one": False}, (), [(2, 2, 2)]),
        ({**GIVEN, "heads": 2}, ("heads",), [(1, 1, 1)] * 2),
        ({**SELF, "heads": 2, "softcap": "1/2", "bias": {"alibi": 1}}, ("softcap", "bias", "heads"), [(2, 2, 2)] * 2),
        ({**SELF, "heads": 4, "kv_heads": 1, "W_K": ONE_HEAD["W_K"]}, ("heads",), [(1, 1, 4)] * 4),
        ({**SELF, "W_O": [[1]] * 4}, ("W_O",), [(4, 4, 4)]),
        ({**SELF, "heads": 2, "W_O": [[1]] * 4, "b_O": [5]}, ("heads", "W_O", "b_O"), [(2, 2, 2)] * 2),
        (APART, ("heads", "b_Q^2"), [(1, 1, 1)] * 2),
        ({**GIVEN, **ADDITIVE}, ("score", "W_1", "W_2", "w_S"), [(2, 2, 2)]),
        ({**GIVEN, **ADDITIVE, "Q": [[1]], "W_1": [[1, 2, 3]]}, ("score", "W_1", "W_2", "w_S"), [(1, 2, 2)]),
        ({**GIVEN, "score": "general", "Q": [[1]], "W_S": [[1, 2]]}, ("score", "W_S"), [(1, 2, 2)]),
        ({**GIVEN, "Q": [[[1, 2]], [[3, 4]]], "softmax_one": True}, ("softmax_one", "batch"), [(2, 2, 2)]),
    ],
)
def test_layers_are_read(keys: dict[str, Any], beyond: tuple[str, ...], wanted: list[tuple[int, int, int]]) -> None:
    problem = Problem.build(**keys)
    assert problem.beyond == beyond
    assert sizes(problem) == wanted
    assert (problem.d_q, problem.d_k, problem.d_v) == wanted[0]
    assert problem.n_q == len(problem.inputs[next(iter(problem.inputs))].rows)
    assert hash(problem) == hash(dataclasses.replace(problem, source="elsewhere"))


@pytest.mark.parametrize("keys", [{**GIVEN, "mask": "causal"}, {**SELF, "heads": 2}, APART, {**GIVEN, **ADDITIVE}])
def test_files_and_python_say_the_same(keys: dict[str, Any]) -> None:
    built = Problem.build(**keys)
    inputs = {name: keys[name] for name in keys if name in {*GIVEN, *SELF, *OPTIONAL_INPUTS}}
    tables = {**{key: value for key, value in keys.items() if key not in inputs}, "inputs": inputs}
    assert Problem.from_text(json.dumps(tables), "json") == built
    assert Problem.from_text(toml(tables), "toml") == built
    assert faults(tables, json_schema()) == []


def test_heads_with_queries_of_their_own_need_no_inputs() -> None:
    text = (
        "kv_heads = 1\n[[heads]]\nQ = [[1, 2]]\nK = [[3, 4], [5, 6]]\nV = [[1], [2]]\n[[heads]]\nQ = [[7, 8]]\n"
        '[names]\n"Q^2" = "q_2"\nS = "E"'
    )
    problem = Problem.from_text(text)
    assert sorted(problem.inputs) == ["K^1", "Q^1", "Q^2", "V^1"]
    assert (problem.heads, problem.kv_heads, problem.n_q, problem.n_k) == (2, 1, 1, 2)
    assert (problem.label("Q^2"), problem.label("S^2"), problem.label("A^1")) == ("q_2", "E^2", "A^1")


def test_heads_of_different_sizes_are_told_one_by_one() -> None:
    two = {name: [[1, 2], [3, 4]] for name in ONE_HEAD}
    problem = Problem.build(X=[[1, 2]], heads=[ONE_HEAD, two], W_O=[[1], [2], [3]])
    assert sizes(problem) == [(1, 1, 1), (2, 2, 2)]
    with pytest.raises(InputError, match="The heads differ in d_k"):
        _ = problem.d_k


def test_vectors_lie_as_tokens_do() -> None:
    flat = {"b_Q": [1, 2, 3, 4], "W_O": [[1]] * 4, "b_O": ["1/2"]}
    rows = Problem.build(**SELF, **flat)
    assert (rows.inputs["b_Q"].shape, rows.inputs["b_O"].shape) == ((1, 4), (1, 1))
    columns = Problem.build(**SELF, **flat, tokens="columns", projection="W^T x")
    assert columns.inputs["b_Q"].shape == (4, 1)
    assert Problem.build(**{**SELF, "b_Q": [[1, 2, 3, 4]]}).inputs["b_Q"] == rows.inputs["b_Q"]
    assert Problem.build(**{**GIVEN, **ADDITIVE}).inputs["w_S"].shape == (3, 1)


def test_matrices_hold_square_roots() -> None:
    root = ["sqrt(2)", "1/sqrt(2)", "3 sqrt(2)/2", "-sqrt(1/2)", "1/2 + 2 sqrt(3)"]
    problem = Problem.build(**{**GIVEN, "V": [root, root, root]}, W_O=[["sqrt(2)"]] * 5)
    values = [float(value) for value in problem.inputs["V"].evaluate(20)][:5]
    assert values == pytest.approx([2**0.5, 2**-0.5, 1.5 * 2**0.5, -(0.5**0.5), 0.5 + 2 * 3**0.5])


def test_batches_are_taken_apart() -> None:
    problem = Problem.build(
        **{**GIVEN, "Q": [GIVEN["Q"], "[a 0; 0 1]"], "symbols": {"a": 7}, "mask": {"length": [3, 1]}}, title="Both"
    )
    assert (problem.batch, problem.n_q, problem.n_k) == (2, 2, 3)
    first, second = problem.inputs_of(1), problem.inputs_of(2)
    assert first == Problem.build(**GIVEN, mask={"length": 3}, symbols={"a": 7}, title="Both")
    assert second.inputs["Q"][0, 0].rational() == 7
    assert second.inputs["K"] is problem.inputs["K"]
    assert second.mask is not None
    assert second.mask.visible(1, 3) == ((True, False, False),)
    assert (second.batch, second.beyond) == (0, ("mask",))
    for number in (0, 3):
        with pytest.raises(InputError, match="sequences are counted from 1 to 2"):
            problem.inputs_of(number)


def test_python_gives_batches_as_arrays() -> None:
    import numpy as np  # start-up: only this test needs it

    whole = np.arange(8).reshape(2, 2, 2)
    for value in (whole, list(whole), whole.tolist()):
        problem = Problem.build(**{**GIVEN, "Q": value})
        assert str(problem.inputs_of(2).inputs["Q"]) == "[[4, 5], [6, 7]]"


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ({"mask": "causal"}, {"fully_masked", "mask.alignment"}),
        ({"mask": {"causal": True, "past": 0}, "fully_masked": "zeros"}, set()),
        ({"mask": {"length": 2}, "fully_masked": "zeros"}, set()),
        ({"softcap": 3}, {"order"}),
        ({"softcap": 3, "order": ["softcap", "scale"]}, set()),
        ({"softcap": 3, "scale": "none"}, set()),
        ({"heads": 2}, {"combine"}),
        ({"score": "cosine"}, set()),
    ],
)
def test_what_was_left_open_is_told_where_it_matters(keys: dict[str, Any], wanted: set[str]) -> None:
    found = Problem.build(**GIVEN, **keys).defaults_used
    assert set(found) - {"tokens", "scores", "softmax", "scale", "rounding"} == wanted


def test_only_the_product_of_queries_and_keys_is_scaled_by_default() -> None:
    assert Problem.build(**GIVEN).scale == Scale("1/sqrt(d_k)")
    assert Problem.build(**GIVEN, score="cosine").scale == Scale("none")
    assert Problem.build(**GIVEN, score="cosine", scale="1/sqrt(d_k)").scale == Scale("1/sqrt(d_k)")


def test_the_order_is_that_of_the_sheet() -> None:
    assert Problem.build(**GIVEN, mask="causal", softcap=5).used == ("scale", "softcap", "mask")
    order = ["mask", "bias", "softcap", "scale"]
    assert Problem.build(**GIVEN, mask="causal", softcap=5, order=order).used == ("mask", "softcap", "scale")


# Shapes ----------------------------------------------------------------------------------------------


@given(
    st.sampled_from([("rows", "X W"), ("rows", "W x"), ("rows", "W^T x"), ("columns", "W x"), ("columns", "W^T x")]),
    st.sampled_from(["self", "cross"]),
    st.sampled_from([(1, 1), (2, 2), (2, 1), (4, 2)]),
    st.tuples(*[st.integers(1, 3)] * 6),
    st.data(),
)
def test_heads_fit_in_every_convention(
    convention: tuple[str, str], kind: str, counts: tuple[int, int], lengths: tuple[int, ...], data: st.DataObject
) -> None:
    """Matrices made for one convention are taken; with one row or column too many, one sentence names two shapes."""
    (tokens, projection), (heads, kv_heads), (n, m, d, d_k, d_v, out) = convention, counts, lengths
    upright = projection == "W x"

    def weight(inner: int, outer: int) -> list[list[int]]:
        return [[1] * inner] * outer if upright else [[1] * outer] * inner

    def laid(count: int, width: int) -> list[list[int]]:
        return [[1] * width] * count if tokens == "rows" else [[1] * count] * width

    inputs: dict[str, Any] = {
        **({"X": laid(n, d)} if kind == "self" else {"X_1": laid(n, d), "X_2": laid(m, d)}),
        "W_Q": weight(d, heads * d_k),
        "W_K": weight(d, kv_heads * d_k),
        "W_V": weight(d, kv_heads * d_v),
        "W_O": weight(heads * d_v, out),
        "b_Q": [1] * (heads * d_k),
        "b_K": laid(1, kv_heads * d_k),
        "b_V": [1] * (kv_heads * d_v),
        "b_O": laid(1, out),
    }
    keys: dict[str, Any] = {"tokens": tokens, "projection": projection, "heads": heads, "kv_heads": kv_heads}
    problem = Problem.build(**inputs, **keys)
    assert sizes(problem) == [(d_k, d_k, d_v)] * heads
    assert (problem.n_q, problem.n_k, problem.d_k, problem.d_v) == (n, n if kind == "self" else m, d_k, d_v)

    name = data.draw(st.sampled_from(["W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V"]))
    broken = inputs[name]
    if not isinstance(broken[0], list):
        broken = [*broken, 1]
    elif data.draw(st.booleans()):
        broken = [*broken, broken[0]]
    else:
        broken = [[*row, 1] for row in broken]
    if name == "W_O" and len(broken) * len(broken[0]) == (heads * d_v) * (out + 1):
        del inputs["b_O"]
        return  # another length of the outputs is no fault
    with pytest.raises(ShapeError) as caught:
        Problem.build(**{**inputs, name: broken}, **keys)
    message = str(caught.value)
    assert len(re.findall(r"\d+×\d+", message)) >= 2 or re.search(r"\d+×\d+ and (kv_)?heads is \d+", message)
    assert name in message
    assert message.count("\n") == 0


@given(st.sampled_from(["rows", "columns"]), st.tuples(*[st.integers(1, 3)] * 6))
def test_additive_and_general_scores_fit_where_queries_and_keys_differ(
    tokens: str, lengths: tuple[int, int, int, int, int, int]
) -> None:
    n, m, d_q, d_k, d_v, width = lengths

    def laid(count: int, length: int) -> list[list[int]]:
        return [[1] * length] * count if tokens == "rows" else [[1] * count] * length

    inputs = {"Q": laid(n, d_q), "K": laid(m, d_k), "V": laid(m, d_v)}
    additive = {"W_1": laid(d_q, width), "W_2": laid(d_k, width), "w_S": [1] * width}
    for keys in ({"score": "additive", **additive}, {"score": "general", "W_S": [[1] * d_k] * d_q}):
        problem = Problem.build(**inputs, **keys, tokens=tokens)
        assert sizes(problem) == [(d_q, d_k, d_v)]
    if d_q != d_k:
        for score in ("dot", "cosine"):
            with pytest.raises(ShapeError, match="as many"):
                Problem.build(**inputs, score=score, tokens=tokens)


# Refusals --------------------------------------------------------------------------------------------

BAD = [
    # Masks
    ({"mask": [[1, 0, 1]]}, "mask does not say what a 1 means: under [mask] write keep (1 is seen), drop"),
    ({"mask": {"matrix": [[1]]}}, "[mask] matrix does not say what a 1 means"),
    ({"mask": "padding"}, 'mask must be "causal" or a table of keys, as in {length = 3}, not the text "padding".'),
    ({"mask": True}, 'mask must be "causal" or a table of keys'),
    ({"mask": {}}, "mask is empty; say what hides a key"),
    ({"mask": {"casual": True}}, '[mask]: unknown key "casual". Did you mean "causal"?'),
    ({"mask": {"causal": 1}}, "[mask] causal must be true or false, not the number 1."),
    ({"mask": {"keep": [[1, 0]]}}, "[mask] keep is 1×2 and queries by keys are 2×3: give a row for each query"),
    ({"mask": {"drop": [[1, 0, 0]] * 3}}, "[mask] drop is 3×3 and queries by keys are 2×3"),
    ({"mask": {"add": [["-inf", 0]] * 2}}, "[mask] add is 2×2 and queries by keys are 2×3"),
    ({"mask": {"keep": [[1, 0, 0], [1, 0]]}}, "[mask] keep, row 2 has 2 entries and row 1 has 3"),
    ({"mask": {"keep": [1, 0, 0], "drop": [0, 1, 1]}}, "[mask] keep and drop contradict each other. Leave one of them"),
    ({"mask": {"keep": [1, 0, 0.5]}}, "[mask] keep, row 1, column 3 must be 1 or 0, true or false"),
    (
        {"mask": {"keep": [1, 0, "-inf"]}},
        '[mask] keep, row 1, column 3 must be 1 or 0, true or false, not the text "-inf".',
    ),
    ({"mask": {"keep": 1}}, "[mask] keep must be a matrix, such as [[1, 0], [1, 1]] or one string, not the number 1."),
    ({"mask": {"keep": []}}, "[mask] keep, row 1 is empty"),
    ({"mask": {"keep": [[[1, 0, 0]], 1]}, "heads": 2}, "[mask] keep, head 2 must be a matrix like those beside it"),
    ({"mask": {"keep": [[[1, 0, 0]]]}}, "[mask] keep has lists of matrices that are too deep; give one matrix"),
    ({"mask": {"keep": [[[1, 0, 0]]] * 3}, "heads": 2}, "[mask] keep has 3 matrices and there are 2 heads: give one"),
    ({"mask": {"add": [0, "inf", 0]}}, '[mask] add, row 1, column 2: "inf" is not a number'),
    ({"mask": {"add": [0, "sqrt(2)", 0]}}, "[mask] add, row 1, column 2: 'sqrt(2)' is not a rational number"),
    ({"mask": {"length": 4}}, "[mask] length is 4 and there are 3 keys: give a number from 0 to 3."),
    ({"mask": {"length": [2, 1]}}, "[mask] length has 2 numbers and the batch has 1 sequence: give one number"),
    ({"mask": {"length": "3"}}, "[mask] length must be a whole number from 0 to 1024, or one for each sequence"),
    ({"mask": {"length": []}}, "[mask] length is empty"),
    ({"mask": {"window": [1]}}, "[mask] window must be two whole numbers, how many keys to the left and to the right"),
    ({"mask": {"window": [-1, 0]}}, "[mask] window, number 1 must be a whole number from 0 to 1024, not -1."),
    ({"mask": {"past": 2}}, "[mask] past has an effect only with causal or window. Give one of them"),
    ({"mask": {"alignment": "top-left", "length": 1}}, "[mask] alignment has an effect only with causal or window"),
    ({"mask": {"past": 1, "alignment": "top-left", "causal": True}}, "[mask] past and alignment both set the position"),
    ({"mask": {"causal": True, "alignment": "right"}}, '[mask] alignment: unknown value "right". Did you mean'),
    ({"fully_masked": "zeros"}, "fully_masked has no effect, because nothing is masked. Leave it out."),
    ({"fully_masked": "zero", "mask": "causal"}, 'fully_masked: unknown value "zero". Did you mean "zeros"?'),
    # Biases
    ({"bias": {}}, "bias must have exactly one of add, alibi, relative and buckets."),
    (
        {"bias": {"add": [0, 0, 0], "alibi": 1}},
        "bias must have exactly one of add, alibi, relative and buckets, not add and alibi.",
    ),
    ({"bias": {"add": [[0, 1]]}}, "[bias] add is 1×2 and queries by keys are 2×3"),
    (
        {"bias": {"add": [0, 1, "-inf"]}},
        "[bias] add, row 1, column 3 is minus infinity, which hides a key",
    ),
    ({"bias": {"alibi": [1, 2]}}, "[bias] alibi has 2 numbers and heads is 1: give one, or one for each head."),
    ({"bias": {"alibi": []}}, "[bias] alibi is empty"),
    ({"bias": {"alibi": "x"}}, "[bias] alibi: 'x' is not a rational number"),
    ({"bias": {"buckets": {"values": [1, 2, 3]}}}, "[bias] buckets.values has 3, and it needs an even number of at"),
    (
        {"bias": {"buckets": {"values": [1], "bidirectional": False}}},
        "[bias] buckets.values has 1, and it needs at least 2 values, one for each bucket, and at most 128.",
    ),
    ({"bias": {"buckets": {"values": [0] * 130}}}, "[bias] buckets.values has 130, and it needs an even number of at"),
    ({"bias": {"buckets": {"values": [[[1, 2, 3, 4]]]}}}, "[bias] buckets.values has lists of matrices that are too"),
    (
        {"bias": {"buckets": {"values": [[[1, 2, 3, 4]], [[1, 2, 3, 4]]]}}, "heads": 2},
        "[bias] buckets.values must be a list of numbers, or one for each head.",
    ),
    (
        {"bias": {"buckets": {"values": [0] * 32, "max_distance": 8}}},
        "[bias] buckets.max_distance must be above 8, the first distance that shares a bucket.",
    ),
    (
        {"bias": {"buckets": {"values": [[1, 2, 3, 4], [1, 2, 3, 4]]}}},
        "[bias] buckets has 2 lists of values and heads is 1: give one, or one for each head.",
    ),
    ({"bias": {"buckets": {}}}, "[bias.buckets] values is missing"),
    ({"bias": {"buckets": 3}}, "[bias] buckets must be a table"),
    ({"bias": {"buckets": {"values": [0, 1, "-inf", 2]}}}, "[bias] buckets.values, row 1, column 3 is minus infinity"),
    ({"bias": {"relative": {"0": 1}}}, "[bias] relative has no number for the distance -1; distances go from -1 to 2"),
    (
        {"bias": {"relative": {"x": 1}}},
        '[bias] relative: the text "x" is not a distance; write a whole number such as -1',
    ),
    ({"bias": {"relative": {"1": 1, "+1": 1}}}, '[bias] relative: the text "+1" is not a distance'),
    ({"bias": {"relative": {1: 1, "1": 1}}}, "[bias] relative: the distance 1 is given twice"),
    (
        {"bias": {"relative": [{"0": 1}, 3]}, "heads": 2},
        "[bias] relative, head 2 must be a table of numbers by distance",
    ),
    # The chain of operations
    ({"order": ["softcap"]}, 'order lacks "scale", which this layer uses. Add it to the order.'),
    ({"order": ["scale"], "mask": "causal"}, 'order lacks "mask", which this layer uses'),
    ({"order": ["scale", "scale"]}, "order has one entry twice"),
    ({"order": ["scale", "msk"]}, 'order: unknown value "msk". Did you mean "mask"?'),
    ({"softcap": 0}, "softcap must be greater than 0; leave it out to cap nothing."),
    ({"softcap": -1}, "softcap must be at least 0."),
    ({"softmax_one": 1}, "softmax_one must be true or false, not the number 1."),
    # Heads
    ({"heads": 3}, "Q is 2×2 and heads is 3: 2 columns do not divide among 3 heads ([inputs] Q)."),
    ({"heads": 0}, "heads: there are from 1 to 128 heads, not 0."),
    ({"heads": "2"}, 'heads must be a whole number, or one table of matrices for each head, not the text "2".'),
    ({"heads": True}, "heads must be a whole number, or one table of matrices for each head, not true."),
    ({"heads": 2, "kv_heads": 3}, "kv_heads is 3 and heads is 2: every head of keys and values serves as many heads"),
    ({"heads": 2, "kv_heads": 1}, "Q is 2×2 and K is 3×2: with heads = 2 and kv_heads = 1 a query of one head has 1"),
    ({"kv_heads": 1}, "kv_heads needs heads. Give heads, or leave it out."),
    ({"combine": "mean"}, "combine needs heads. Give heads, or leave it out."),
    ({"heads": 2, "combine": "sum"}, 'combine: unknown value "sum"'),
    (
        {"heads": [{"Q": [[1]]}]},
        "[inputs] Q cannot be given beside tables of heads, which have their own. Leave one of them",
    ),
    ({"W_O": [[1]]}, "The joined heads are 2×2 and W_O is 1×1: give W_O 2 rows, one for each entry that a token has"),
    ({"W_O": [[1], [2]], "b_O": [1, 2]}, "W_O is 2×1 and b_O is 1×2: what is added to every token must be 1×1"),
    ({"b_O": [1]}, "[inputs] b_O is added to what W_O makes; give W_O, or leave b_O out."),
    ({"b_Q": [1, 2]}, "[inputs] b_Q is added to a projection, and Q is given here; leave b_Q out."),
    ({"heads": 2, "combine": "mean", "W_O": [[1]]}, '[inputs] W_O does not go with combine = "mean"'),
    # Scores
    ({"score": "bilinear"}, 'score: unknown value "bilinear"'),
    ({"score": "general"}, '[inputs] W_S is missing: score = "general" needs it.'),
    ({"score": "additive", "W_1": [[1]], "W_2": [[1]]}, '[inputs] w_S is missing: score = "additive" needs it.'),
    ({"W_S": [[1]]}, '[inputs] W_S goes with score = "general", and score is "dot"; say so, or leave W_S out.'),
    ({"score": "general", "W_S": [[1, 2]]}, "W_S is 1×2 and must be 2×2 for queries of 2 and keys of 2"),
    ({**ADDITIVE, "w_S": [1, 2]}, "w_S is 2×1 and must be 3×1 for W_1 of 2×3"),
    ({**ADDITIVE, "W_2": [[1, 2], [3, 4]]}, "W_2 is 2×2 and must be 2×3 for keys of 2 and W_1 of 2×3"),
    # Names and symbols
    ({"names": {"M": "m"}}, '[names]: unknown name "M"'),
    ({"names": {"S^3": "s"}, "heads": 2}, '[names]: unknown name "S^3"'),
    (
        {"symbols": {"M": "real"}, "mask": "causal"},
        "symbols: M is already the name of a quantity here. Rename the symbol.",
    ),
    # Batches
    (
        {"Q": [[[1, 2]], [[1, 2], [3, 4]]]},
        "[inputs] Q, sequence 2 is 2×2 and sequence 1 is 1×2: give all",
    ),
    (
        {"Q": [[[1, 2]]] * 2, "K": [[[1, 2]]] * 3, "V": [[1]]},
        "[inputs] K has 3 matrices and Q has 2: give one",
    ),
    ({"Q": [[[1, 2]]] * 129}, "[inputs] Q has 129 sequences; a batch has at most 128."),
    ({"Q": [[[1, 2]], [["x", 2]]]}, '[inputs] Q, sequence 2, row 1, column 1: unknown symbol "x"'),
    (
        {"Q": [[[1, 2]], 3]},
        "[inputs] Q, sequence 2 must be a matrix, such as [[1, 2], [3, 4]] or one string, not the number 3.",
    ),
    ({"Q": [[[1, 2]]] * 2, "mask": {"length": [1, 2, 3]}}, "[mask] length has 3 numbers and the batch has 2 sequences"),
]


@pytest.mark.parametrize(("keys", "words"), BAD)
def test_bad_layers_get_one_sentence(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        Problem.build(**{**GIVEN, **keys})
    assert str(caught.value).isprintable()
    assert str(caught.value).endswith(("?", "."))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"heads": []}, "heads: there are from 1 to 128 heads, not 0."),
        ({"heads": [ONE_HEAD, 3]}, "heads #2 must be a table of keys, not the number 3."),
        ({"heads": [{"W_O": [[1]]}]}, '[heads #1]: "W_O" is a key of [inputs].'),
        ({"heads": [ONE_HEAD, {"W_Q": [[1], [2]]}]}, "[heads #2] W_K is missing: every head has W_Q, W_K and W_V."),
        (
            {"heads": [ONE_HEAD] * 2, "kv_heads": 1},
            "[heads #2] W_K stands in the table of head 1, whose keys",
        ),
        (
            {"heads": [{**ONE_HEAD, "W_V": [[1]]}]},
            "needs as many columns in X as rows in W_V^1 ([heads #1] W_V).",
        ),
        (
            {"heads": [ONE_HEAD, {**ONE_HEAD, "W_K": FOUR}]},
            "W_Q^2 is 2×1 and W_K^2 is 2×4: Q K^T needs as many",
        ),
        ({"heads": [{**ONE_HEAD, "b_K": [1, 2]}]}, "W_K^1 is 2×1 and b_K^1 is 1×2: what is added to every token must"),
        ({"heads": [{**ONE_HEAD, "W_Q": [["x"], [1]]}]}, '[heads #1] W_Q, row 1, column 1: unknown symbol "x"'),
        (
            {"heads": [ONE_HEAD, {**ONE_HEAD, "W_V": FOUR}], "combine": "mean"},
            "W_V^1 is 2×1 and W_V^2 is 2×4: the mean of the heads needs values of one length ([heads #2] W_V).",
        ),
        ({"heads": [ONE_HEAD] * 2, "W_O": [[1]]}, "The joined heads are 1×2 and W_O is 1×1: give W_O 2 rows"),
        (
            {"heads": [ONE_HEAD], "b_Q": [1]},
            "[inputs] b_Q cannot be given beside tables of heads, which have their own",
        ),
        ({"heads": [{"Q": [[1]], "K": [[1]], "V": [[1]]}]}, "inputs has X, Q, K and V, which do not go together"),
    ],
)
def test_bad_tables_of_heads_get_one_sentence(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        Problem.build(**{"X": [[1, 2]], **keys})


def test_given_heads_have_as_many_tokens() -> None:
    one = {"Q": [[1]], "K": [[1]], "V": [[1]]}
    for name, words in (("Q", "Q^1 is 1×1 and Q^2 is 2×1"), ("V", "K^1 is 1×1 and V^2 is 2×1")):
        with pytest.raises(ShapeError, match=re.escape(f"{words}: give both as many rows")) as caught:
            Problem.build(heads=[one, {**one, name: [[1], [2]]}])
        assert f"[heads #2] {name}" in str(caught.value)


def test_messages_name_the_file() -> None:
    text = "mask = {keep = [[1]]}\n[inputs]\nQ = [[1, 2]]\nK = [[1, 2], [3, 4]]\nV = [[1], [2]]"
    with pytest.raises(ShapeError, match=r"^x\.toml, \[mask\] keep is 1×1 and queries by keys are 1×2"):
        Problem.from_text(text, source="x.toml")


@pytest.mark.parametrize("key", LAYER_KEYS)
def test_definitions_and_theory_have_no_layer(key: str) -> None:
    value = {"heads": 2, "kv_heads": 2, "mask": "causal", "bias": {"alibi": 1}, "softcap": 2, "softmax_one": True}
    with pytest.raises(InputError, match=rf"^{key} cannot be used with \[definitions\]"):
        Problem.build(**{"inputs": {"Q": [[1]]}, "definitions": {"S": "Q Q^T"}, key: value.get(key, "dot")})
    with pytest.raises(InputError, match=f"^{key} has no effect where parts ask for proofs and prose alone"):
        Problem.build(**{"parts": [{"asks": "prose", "answer": "x"}], key: value.get(key, "dot")})


def test_a_problem_checks_itself_again_when_replaced() -> None:
    problem = Problem.build(**SELF, heads=2, mask="causal")
    for change, words in (
        ({"heads": 3}, "kv_heads is 2 and heads is 3"),
        ({"kv_heads": 0}, "whole numbers from 1"),
        ({"score": "tanh"}, 'unknown value "tanh"'),
        ({"fully_masked": "ones"}, 'unknown value "ones"'),
        ({"combine": "max"}, 'unknown value "max"'),
        ({"softcap": Fraction(-1)}, "softcap must be greater than 0"),
        ({"order": ("scale", "shift")}, 'unknown value "shift"'),
        ({"sequences": {"X": ()}}, "is not the first of its own sequences"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            dataclasses.replace(problem, **change)


# The rest of the program -----------------------------------------------------------------------------


def test_every_commented_key_of_the_template_works() -> None:
    text = commented_problem()
    lines = re.findall(r"^# ((?:mask|bias|softcap|order|softmax_one|heads|score) = .*)$", text, re.MULTILINE)
    assert len(lines) == 7
    for line in lines:
        assert Problem.from_text(text.replace(f"# {line}", line)).order
    for first, then in (("mask", "fully_masked"), ("heads", "kv_heads"), ("heads", "combine")):
        both = text.replace(f"# {first} =", f"{first} =").replace(f"# {then} =", f"{then} =")
        assert Problem.from_text(both.replace("kv_heads = 1", "kv_heads = 2")).beyond
    for table in re.findall(r"\{(?:causal|keep|drop|add|alibi|relative) .*\}", text.replace("in {", "")):
        for one in re.findall(r"\{(?:[^{}]|\{[^{}]*\})*\}", table):
            key = "bias" if "alibi" in one or "relative" in one or "[2, 3]" in one else "mask"
            assert Problem.from_text(
                text.replace("[symbols]", f"{key} = {one}\n[symbols]", 1).replace("length = 3", "length = 2")
            ).beyond == (key,)


def values(problem: Problem) -> dict[str, str]:
    scene = attention_layer(problem).scene
    return {name: str(quantity.exact) for name, quantity in scene.quantities.items()}


@pytest.mark.parametrize(
    "keys",
    [
        {"mask": "causal"},
        {"bias": {"alibi": 1}},
        {"softcap": 2},
        {"softmax_one": True},
        {"heads": 2},
        {"score": "cosine", "scale": "1/sqrt(d_k)"},
        {"W_O": [[1]] * 4},
        {"b_Q": [1, 2, 3, 4]},
        {"X": [SELF["X"]] * 2},
    ],
)
def test_no_key_is_left_out_of_a_layer_in_silence(keys: dict[str, Any]) -> None:
    problem = Problem.build(**{**SELF, **keys})
    assert problem.beyond
    try:
        found = values(problem)
    except InputError as error:
        assert problem.beyond[0] in str(error)  # noqa: PT017 - either it is refused, or it changes something
    else:
        assert found != values(Problem.build(**SELF))


def test_a_plain_problem_imports_nothing_of_this() -> None:
    code = (
        "import sys\nfrom symattn.problem.model import Problem\n"
        "Problem.build(Q=[[1]], K=[[1]], V=[[1]])\n"
        "print(*sorted(name for name in sys.modules if name.startswith('symattn.problem.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "symattn.problem.model" in loaded
    assert not {f"symattn.problem.{name}" for name in ("masks", "heads", "layers")} & set(loaded)
