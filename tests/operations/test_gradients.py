"""Backward rules make central differences: whole layers, evaluated forward by the references alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import mpmath
import pytest
from mpmath import mp

from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer, is_of_gradients
from symattn.graph.quantities.definition import GIVEN
from symattn.operations.table import TABLE
from symattn.problem.model import Problem
from tests.operations.draws import Draw, numbers
from tests.operations.reference import REFERENCES, Rows, flat, turned

Keys: TypeAlias = dict[str, Any]

_PLACES = 25
_STEP = mp.mpf(10) ** -12
_TOLERANCE = mp.mpf(10) ** -18


def _network(draw: Draw) -> Keys:
    block = {"norm": "none", "activation": draw.pick("relu", "gelu", "gelu-tanh", "silu"), "residual": draw.is_so()}
    return {"W_F1": draw.matrix(3, 2), "b_F1": draw.matrix(1, 2)[0], "W_F2": draw.matrix(2, 3), "block": block}


def _norm(draw: Draw, norm: str) -> Keys:
    names = ("gamma_1", "beta_1") if norm == "layer" else ("gamma_1",)
    block = {"norm": norm, "eps": draw.number(positive=True), "placement": draw.pick("pre", "post")}
    return {**{name: draw.matrix(1, 3)[0] for name in names if draw.is_so()}, "block": block}


def _loss(draw: Draw) -> Keys:
    squared = {"loss": "squared", "target": draw.matrix(2, 3)}
    return {"gradient": squared if draw.is_so() else {"loss": "cross-entropy", "labels": [2, 1]}}


SHEETS: Mapping[str, Callable[[Draw], Keys]] = {
    "product": lambda draw: {"score": "general", "W_S": draw.matrix(2, 2), "scale": "none"} if draw.is_so() else {},
    "product-plus": lambda draw: {f"b_{letter}": draw.matrix(1, 2)[0] for letter in "QK"},
    "softcap": lambda draw: {"softcap": draw.number(positive=True), "order": ["softcap", "scale", "bias", "mask"]},
    "mask": lambda _: {"mask": "causal"},
    "sum": lambda draw: {"bias": {"add": draw.matrix(2, 2)}} if draw.is_so() else {"block": {"norm": "none"}},
    "mean": lambda draw: {"heads": 2, "combine": "mean", "W_V": draw.matrix(3, 6)},
    "scale": lambda draw: {"scale": draw.number(positive=True), "softcap": draw.number(positive=True)},
    "part": lambda draw: {"heads": 2, "W_V": draw.matrix(3, 4), "W_O": draw.matrix(4, 3)},
    "join": lambda draw: {"heads": 2, "W_V": draw.matrix(3, 4), "W_O": draw.matrix(4, 3)},
    "quotient": lambda draw: {"softmax_one": draw.is_so()},
    "masked-quotient": lambda _: {"mask": {"keep": [[0, 0], [1, 1]]}, "fully_masked": "zeros"},
    "standardise": lambda draw: _norm(draw, "layer"),
    "rms-norm": lambda draw: _norm(draw, "rms"),
    "affine": lambda draw: {**_norm(draw, "layer"), "gamma_1": draw.matrix(1, 3)[0]},
    "activation": _network,
    "entrywise": lambda draw: {**_network(draw), "W_F3": draw.matrix(3, 2)},
    "sinusoid": lambda draw: {
        **{name: draw.matrix(6, 3 if name == "W_V" else 2) for name in ("W_Q", "W_K", "W_V")},
        "X": draw.matrix(2, 6),
        "positions": {"kind": "sinusoidal", "base": int(draw.pick("64", "2"))},
    },
    "rotate": lambda draw: {"positions": {"kind": "rope", "pairs": draw.pick("adjacent", "halves")}},
    "loss": _loss,
}
"""By the operation: keys of a layer of two tokens and outputs of three entries in which it stands."""

FURTHER: Mapping[str, Callable[[Draw], Keys]] = {
    "cache": lambda draw: {"cache": {"K": draw.matrix(2, 2), "V": draw.matrix(2, 3)}, "mask": "causal"},
    "cache of heads": lambda draw: {
        "heads": 2,
        "kv_heads": 1,
        "W_Q": draw.matrix(3, 4),
        "W_V": draw.matrix(3, 2),
        "W_O": draw.matrix(4, 3),
        "cache": {"K": draw.matrix(1, 2), "V": draw.matrix(1, 2)},
    },
    "rotated keys and a cache": lambda draw: {
        "positions": {"kind": "rope"},
        "cache": {"K": draw.matrix(1, 2), "V": draw.matrix(1, 3)},
    },
    "online softmax": lambda _: {"online": 1},
    "block with positions": lambda draw: {
        **_norm(draw, "layer"),
        "positions": {"kind": "learned", "table": draw.matrix(2, 3)},
    },
}
"""Keys of layers that are made of these operations and have more to them."""


def layer_of(operation: str, seed: int) -> Layer:
    draw = Draw(seed)
    widths = {"X": (2, 3), "W_Q": (3, 2), "W_K": (3, 2), "W_V": (3, 3)}
    own = (SHEETS.get(operation) or FURTHER[operation])(draw)
    keys: Keys = {name: draw.matrix(*shape) for name, shape in widths.items()}
    keys |= {"gradient": {"dY" if "block" in own else "dO": draw.matrix(2, 3)}, **own}
    return attention_layer(Problem.build(**(in_columns(keys) if draw.is_so() else keys)))


def in_columns(keys: Keys) -> Keys:
    made = {name: turned(value) if name[0] in "XW" else value for name, value in keys.items()}
    matrices = {"dO", "dY", "target", "table", "K", "V"}
    for name in {"gradient", "positions", "cache"} & made.keys():
        made[name] = {key: turned(value) if key in matrices else value for key, value in keys[name].items()}
    return {**made, "tokens": "columns"}


def loss_of(layer: Layer, inputs: Mapping[str, Rows]) -> Any:
    """Evaluate the loss by the references, or the output weighted by the gradient that is given."""
    known = dict(inputs)
    for name, recipe in layer.recipes.items():
        if recipe.rule != GIVEN and (name in {"P_O", "L"} or not is_of_gradients(name)):
            known[name] = REFERENCES[recipe.rule]([known[item] for item in recipe.premises], dict(recipe.arguments))
    if "L" in known:
        return known["L"][0][0]
    output = layer.output
    return mpmath.fdot(flat(known[output]), flat(known[f"d{output}"]))


def moved(rows: Rows, i: int, j: int, step: Any) -> Rows:
    return [[entry + (step if (k, n) == (i, j) else 0) for n, entry in enumerate(line)] for k, line in enumerate(rows)]


def test_each_operation_with_a_backward_rule_has_a_layer() -> None:
    assert {name for name, operation in TABLE.items() if operation.vjp is not None} == set(SHEETS)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 20))])
@pytest.mark.parametrize("operation", [*SHEETS, *FURTHER])
def test_gradients_of_layers_are_central_differences(operation: str, seed: int) -> None:
    layer = layer_of(operation, seed)
    assert operation in {*FURTHER, *(recipe.rule for recipe in layer.recipes.values())}
    inputs = {name: numbers(layer.exact(name).rows) for name, recipe in layer.recipes.items() if recipe.rule == GIVEN}
    for name in [name for name in inputs if f"d{name}" in layer.recipes and name != layer.output]:
        # Places, for the figures of what is 0 and known by enclosures never settle.
        for i, line in enumerate(layer.exact(f"d{name}").rounded(_PLACES)):
            for j, entry in enumerate(line):
                ends = [loss_of(layer, {**inputs, name: moved(inputs[name], i, j, step)}) for step in (_STEP, -_STEP)]
                expected = (ends[0] - ends[1]) / (2 * _STEP)
                assert abs(mp.mpf(entry) - expected) < _TOLERANCE * (1 + abs(expected)), (name, i, j)
