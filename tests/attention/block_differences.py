"""Blocks drawn at random, and their slopes by central differences of an evaluation in Arb apart from the program."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import flint

from tests.attention import block_oracle

_STEP = Fraction(1, 10**30)
_BITS = 500
NEAR = Fraction(1, 10**40)
"""How near a slope is: the error of a central difference is of the order of the square of its step."""

INPUTS = ("X", "W_Q", "W_K", "W_V", "W_O", "W_F1", "b_F1", "W_F2", "b_F2", "gamma_1", "beta_1", "gamma_2", "beta_2")


def drawn(seed: int) -> dict[str, Any]:
    """The keys of a small block, with nothing that comes to its ReLU at exactly 0, and the gradient at its output."""
    random = Random(seed)
    n, d, d_k, inner = (random.randint(*ends) for ends in ((1, 2), (3, 4), (1, 2), (1, 3)))

    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[random.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]

    norm = random.choice(["layer", "layer", "rms", "none"])
    table: dict[str, Any] = {"norm": norm, "residual": random.random() < 0.8}
    if norm != "none":
        table |= {"placement": random.choice(["post", "pre"]), "eps": random.choice(["1e-5", "1/10"])}
    keys: dict[str, Any] = {"X": matrix(n, d), "W_Q": matrix(d, d_k), "W_K": matrix(d, d_k), "W_V": matrix(d, d)}
    keys["block"] = table
    if random.random() < 0.4:
        keys["W_O"] = matrix(d, d)
    if random.random() < 0.4:
        keys["mask"] = "causal"
    has_network = random.random() < 0.8
    if has_network:
        biases = [Fraction(random.choice([-5, -3, -1, 1, 3, 5]), 7) for _ in range(inner)]
        keys |= {"W_F1": matrix(d, inner), "b_F1": biases, "W_F2": matrix(inner, d)}
        if random.random() < 0.5:
            keys["b_F2"] = matrix(1, d)[0]
    for number in (1, 2) if has_network else (1,):
        if norm != "none" and random.random() < 0.5:
            keys[f"gamma_{number}"] = [random.randint(1, 3) for _ in range(d)]
        if norm == "layer" and random.random() < 0.5:
            keys[f"beta_{number}"] = matrix(1, d)[0]
    keys["gradient"] = {"dY": matrix(n, d)}
    # The last draw, which changes none of the others.
    table["activation"] = random.choice(["relu", "relu", "gelu", "gelu-tanh"])
    return keys


def slopes(keys: dict[str, Any]) -> Iterator[tuple[str, int, int, Any]]:
    """Each input, the place of an entry, and how fast the sum of dY times the output grows with that entry."""
    with flint.ctx.workprec(_BITS):
        for name in INPUTS:
            if name not in keys:
                continue
            is_vector = not isinstance(keys[name][0], list)
            table = [keys[name]] if is_vector else keys[name]
            for i, row in enumerate(table):
                for j in range(len(row)):
                    ends = [_loss({**keys, name: _moved(table, i, j, step, is_vector)}) for step in (_STEP, -_STEP)]
                    yield name, i, j, (ends[0] - ends[1]) / (2 * block_oracle.ball(_STEP))


def _moved(table: list[list[Any]], i: int, j: int, step: Fraction, is_vector: bool) -> list[Any]:
    rows = [[Fraction(value) for value in row] for row in table]
    rows[i][j] += step
    return rows[0] if is_vector else rows


def _loss(keys: dict[str, Any]) -> Any:
    pairs = zip(keys["gradient"]["dY"], block_oracle.block(keys), strict=True)
    terms = (weight * value for row, line in pairs for weight, value in zip(row, line, strict=True))
    return sum(terms, block_oracle.ball(0))
