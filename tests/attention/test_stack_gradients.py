"""Gradients through several blocks: central differences in Arb, the order of key and steps, refusals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any, TypeAlias

import flint
import pytest

import symattn as sa
from symattn.errors import InputError
from symattn.graph.quantities.definition import GIVEN
from symattn.problem.model import Problem
from tests.attention import block_oracle

Keys: TypeAlias = dict[str, Any]

ATTEND: Keys = {"W_Q": [[1, 0], [0, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 1], [0, 1]]}
TOKENS = [[1, 0], [2, 1]]
MEMORY = [[1, 2], [0, 1], [3, 1]]
DECODER: Keys = {"decoder": True, "inputs": ATTEND, "cross": ATTEND, "memory": MEMORY}
NETWORK: Keys = {"W_F1": [[1, 0], [1, 1]], "b_F1": [Fraction(1, 3), 1], "W_F2": [[1, 1], [0, 1]]}

_STEP = Fraction(1, 10**30)
_NEAR = Fraction(1, 10**40)


def drawn(seed: int) -> Keys:
    random = Random(seed)

    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[random.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]

    def block() -> Keys:
        found: Keys = {"inputs": {name: matrix(2, 2) for name in ("W_Q", "W_K", "W_V")}}
        norm = random.choice(["layer", "rms", "none"])
        found |= {"norm": norm, "residual": random.random() < 0.8, "activation": random.choice(["relu", "gelu"])}
        found |= {} if norm == "none" else {"placement": random.choice(["post", "pre"]), "eps": "1/10"}
        if random.random() < 0.5:
            found["inputs"] |= {"W_F1": matrix(2, 2), "b_F1": [Fraction(1, 7), Fraction(-3, 7)], "W_F2": matrix(2, 2)}
        if random.random() < 0.3:
            found["memory"] = matrix(3, 2)
        return found

    return {"X": matrix(2, 2), "blocks": [block(), block()], "gradient": {"dY": matrix(2, 2)}}


def loss_of(keys: Keys) -> Any:
    """Evaluate the blocks apart from the program, the output weighted by the gradient at it."""
    tokens = [[block_oracle.ball(entry) for entry in row] for row in keys["X"]]
    for block in keys["blocks"]:
        further = {"memory": block["memory"]} if "memory" in block else {}
        tokens = block_oracle.block({**block["inputs"], **further, "block": block}, tokens)
    rows = zip(keys["gradient"]["dY"], tokens, strict=True)
    terms = (weight * value for row, line in rows for weight, value in zip(row, line, strict=True))
    return sum(terms, block_oracle.ball(0))


def slope(keys: Keys, block: int, name: str, i: int, j: int) -> Any:
    ends = []
    for step in (_STEP, -_STEP):
        changed = deepcopy(keys)
        owner = changed if name == "X" else changed["blocks"][block]["inputs"]
        row = owner[name][i] if isinstance(owner[name][i], list) else owner[name]
        row[j] = Fraction(row[j]) + step
        ends.append(loss_of(changed))
    return (ends[0] - ends[1]) / (2 * block_oracle.ball(_STEP))


def _check(seed: int) -> None:
    keys = drawn(seed)
    result = sa.solve(Problem.build(**keys))
    tokens = "X_1" if "memory" in keys["blocks"][0] else "X"
    shown = [(0, "X", tokens), *((k, name, name) for k in (0, 1) for name in keys["blocks"][k]["inputs"])]
    with flint.ctx.workprec(500):
        for block, name, label in shown:
            for i, line in enumerate(result[f"d{label}@{block + 1}"].rounded(45)):
                for j, entry in enumerate(line):
                    off = abs(slope(keys, block, name, i, j) - block_oracle.ball(entry))
                    assert off < block_oracle.ball(_NEAR), (name, block, i, j)
    assert result.derivation.is_proved, seed


@pytest.mark.parametrize("seed", [0, 1, 3, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 40))])
def test_gradients_through_blocks_are_central_differences(seed: int) -> None:
    _check(seed)


# Key and steps ---------------------------------------------------------------------------------------

SHEETS: Mapping[str, Keys] = {
    "two": {"blocks": [{"inputs": ATTEND}, {"inputs": {**ATTEND, **NETWORK}}], "gradient": {"dY": [[1, 0], [0, 2]]}},
    "decoder": {"blocks": [DECODER], "gradient": {"loss": "sum"}},
    "rounded": {
        "blocks": [{"inputs": ATTEND}, {"inputs": ATTEND, "norm": "rms", "eps": "1/10"}],
        "gradient": {"loss": "squared", "target": [[1, 1], [0, 1]]},
        "rounding": {"places": 2, "steps": "all"},
    },
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("sheet", SHEETS)
def test_the_key_goes_back_from_the_last_block(sheet: str) -> None:
    result = sa.solve(Problem.build(X=TOKENS, **SHEETS[sheet]))
    tex = result.to_latex()
    assert [finding.reasons for finding in result.read_back(tex) if not finding.proved] == []
    places = [tex.index(f"Gradients, block {number}}}") for number in (2, 1)]
    assert tex.index("block 2}") < places[0] < places[1] < tex.index("is that at the input of block 2")


@pytest.mark.parametrize("sheet", SHEETS)
def test_steps_take_over_the_gradient_of_the_next_block(sheet: str) -> None:
    result = sa.solve(Problem.build(X=TOKENS, **SHEETS[sheet]))
    steps = {step.id: step for step in result.derivation.steps}
    tokens = "dX_1" if sheet == "decoder" else "dX"
    assert (steps["1.dR_1"].rule, steps["1.dR_1"].premises) == ("mean", (f"2.{tokens}",))
    assert ("1.dR_1~" in steps) == (sheet == "rounded")
    assert sum(step.rule == GIVEN and ".dR" in step.id for step in steps.values()) <= 1
    assert result.derivation.is_proved


def test_a_part_that_asks_for_gradients_stands_last_block_first() -> None:
    parts = [{"asks": ["map"]}, {"asks": ["gradients"], "points": 3, "text": "Go back."}]
    tex = sa.solve(Problem.build(X=TOKENS, **SHEETS["two"], parts=parts)).to_latex()
    assert tex.index("(b2) Gradients, block 2") < tex.index("Go back.") < tex.index("(b1) Gradients, block 1")


def test_what_is_asked_for_is_made_and_what_leads_to_it() -> None:
    blocks = SHEETS["two"]["blocks"]
    result = sa.solve(Problem.build(X=TOKENS, blocks=blocks, gradient={"loss": "sum", "of": ["dW_F1", "dW_Q"]}))
    first, last = (set(block.layer.recipes) for block in result.blocks)
    assert "dW_F1" in last - first
    assert "dW_Q" in first & last
    assert not {"dW_K", "dW_F2"} & (first | last)
    whole = sa.solve(Problem.build(X=TOKENS, blocks=blocks, gradient={"loss": "sum"}))
    assert result["dW_Q@1"] == whole["dW_Q@1"]


def test_json_is_read_like_python_and_shows_each_block() -> None:
    keys = {"inputs": {"X": TOKENS}, "blocks": [{"inputs": ATTEND}] * 2, "gradient": {"loss": "sum", "of": "dW_Q"}}
    result = sa.solve(Problem.from_text(json.dumps(keys), "json"))
    quantities = result.as_json()["quantities"]
    assert isinstance(quantities, dict)
    assert {"dW_Q@1", "dW_Q@2", "dR_1@1", "dR_1@2"} <= set(quantities)


def test_one_table_of_blocks_has_the_gradients_of_its_block() -> None:
    keys: Keys = {"X": TOKENS, "gradient": {"loss": "sum"}}
    listed = sa.solve(Problem.build(**keys, blocks=[{"inputs": ATTEND}]))
    alone = sa.solve(Problem.build(**keys, **ATTEND, block={"norm": "none"}))
    assert listed["dX"] == alone["dX"]


# Refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"gradient": {"dO": TOKENS}}, r"dY is the gradient at its output; give it instead of dO"),
        ({"gradient": {"dY": [[1]]}}, r"dY is 1×1 and the output of the block is 2×2"),
        ({"gradient": {"loss": "sum", "of": ["dW_F1"]}}, r'^\[gradient\] of: unknown gradient "dW_F1"'),
        ({"parts": [{"asks": "gradients"}]}, r"there is no \[gradient\]; give one"),
        ({"parts": [{"asks": "gradient:dW_F1"}], "gradient": {"loss": "sum"}}, r"dW_F1"),
    ],
)
def test_what_has_no_backward_pass_is_refused(keys: Keys, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Problem.build(X=TOKENS, blocks=[{"inputs": ATTEND}] * 2, **keys)


def test_blocks_put_together_by_hand_start_at_the_last_one() -> None:
    """Each block would otherwise have a loss of its own at its own output."""
    one = Problem.build(X=TOKENS, **ATTEND, block={"norm": "none"}, gradient={"loss": "sum"})
    keys = {name: getattr(one, name) for name in one.__dataclass_fields__ if name != "later"}
    for later in (one, Problem.build(X=TOKENS, **ATTEND, block={"norm": "none"})):
        with pytest.raises(InputError, match="starts at the output of the last one"):
            Problem(**keys, later=(later,))
