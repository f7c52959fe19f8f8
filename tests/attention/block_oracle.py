"""A block evaluated apart from the program: balls of Arb on plain lists, from the formulas of the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import flint

Rows = list[list[Any]]


def ball(value: Any) -> Any:
    return flint.arb(flint.fmpq(Fraction(value).numerator, Fraction(value).denominator))


def times(left: Rows, right: Rows) -> Rows:
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), ball(0)) for column in zip(*right, strict=True)]
        for row in left
    ]


def plus(left: Rows, right: Rows) -> Rows:
    return [[a + b for a, b in zip(p, q, strict=True)] for p, q in zip(left, right, strict=True)]


def affine(rows: Rows, weight: Sequence[Sequence[Any]], bias: Sequence[Any] | None) -> Rows:
    made = times(rows, [[ball(w) for w in row] for row in weight])
    return made if bias is None else [[x + ball(b) for x, b in zip(row, bias, strict=True)] for row in made]


def softmax(row: Sequence[Any]) -> list[Any]:
    powers = [x.exp() for x in row]
    return [power / sum(powers, ball(0)) for power in powers]


def normed(rows: Rows, kind: str, eps: Any, gamma: Sequence[Any] | None, beta: Sequence[Any] | None) -> Rows:
    found = []
    for row in rows:
        d = len(row)
        mean = sum(row, ball(0)) / d if kind == "layer" else ball(0)
        spread = sum(((x - mean) * (x - mean) for x in row), ball(0)) / d
        line = [(x - mean) / (spread + ball(eps)).sqrt() for x in row]
        line = line if gamma is None else [x * ball(g) for x, g in zip(line, gamma, strict=True)]
        found.append(line if beta is None else [x + ball(b) for x, b in zip(line, beta, strict=True)])
    return found


def relu(x: Any) -> Any:
    return x.max(ball(0))


def gelu(x: Any) -> Any:
    return x * (1 + (x / ball(2).sqrt()).erf()) / 2


def gelu_tanh(x: Any) -> Any:
    return x * (1 + ((2 / flint.arb.pi()).sqrt() * (x + ball("0.044715") * x * x * x)).tanh()) / 2


ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = {"relu": relu, "gelu": gelu, "gelu-tanh": gelu_tanh}


def block(keys: Mapping[str, Any], tokens: Rows | None = None) -> Rows:
    """The output of a block whose tokens are rows, with one head and scores over the root of d_k.

    Args:
        keys: those of a problem; ``memory`` is what keys and values are made of, ``mask`` is ``"causal"`` or not there.
        tokens: what goes in instead of X.
    """
    table = keys["block"]
    kind, eps = table["norm"], table.get("eps", 0)
    is_pre = kind != "none" and table["placement"] == "pre"

    def norm(rows: Rows, number: int) -> Rows:
        return normed(rows, kind, eps, keys.get(f"gamma_{number}"), keys.get(f"beta_{number}"))

    tokens = [[ball(x) for x in row] for row in keys["X"]] if tokens is None else tokens
    inner = norm(tokens, 1) if is_pre else tokens
    other = [[ball(x) for x in row] for row in keys["memory"]] if "memory" in keys else inner
    q, k, v = (affine(inner if letter == "Q" else other, keys[f"W_{letter}"], None) for letter in "QKV")
    root = ball(len(q[0])).sqrt()
    scores = [[x / root for x in row] for row in times(q, [list(column) for column in zip(*k, strict=True)])]
    seen = [row[: i + 1] if keys.get("mask") == "causal" else row for i, row in enumerate(scores)]
    out = [times([softmax(row)], v[: len(row)])[0] for row in seen]
    out = affine(out, keys["W_O"], None) if "W_O" in keys else out
    tokens = plus(tokens, out) if table.get("residual", True) else out
    tokens = norm(tokens, 1) if kind != "none" and not is_pre else tokens
    if "W_F1" not in keys:
        return tokens
    inner = norm(tokens, 2) if is_pre else tokens
    inner = affine(inner, keys["W_F1"], keys.get("b_F1"))
    inner = [[ACTIVATIONS[table["activation"]](x) for x in row] for row in inner]
    out = affine(inner, keys["W_F2"], keys.get("b_F2"))
    tokens = plus(tokens, out) if table.get("residual", True) else out
    return norm(tokens, 2) if kind != "none" and not is_pre else tokens


def drawn(random: Random) -> dict[str, Any]:
    """The keys of a small random block."""
    n, d, d_k, inner = (random.randint(*ends) for ends in ((1, 3), (2, 4), (1, 2), (1, 4)))

    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[random.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]

    norm = random.choice(["layer", "layer", "rms", "none"])
    table: dict[str, Any] = {"norm": norm, "activation": random.choice(["relu", "gelu", "gelu-tanh"])}
    if norm != "none":
        table |= {"placement": random.choice(["post", "pre"]), "eps": random.choice(["1e-5", "1/10"])}
    keys: dict[str, Any] = {"X": matrix(n, d), "W_Q": matrix(d, d_k), "W_K": matrix(d, d_k), "W_V": matrix(d, d)}
    keys["block"] = table
    if random.random() < 0.8:
        keys |= {"W_F1": matrix(d, inner), "W_F2": matrix(inner, d)}
        if random.random() < 0.5:
            keys |= {"b_F1": matrix(1, inner)[0], "b_F2": matrix(1, d)[0]}
    has_second = "W_F1" in keys or table.get("placement") == "pre"
    if norm != "none" and random.random() < 0.5:
        keys["gamma_1"] = [random.randint(1, 3) for _ in range(d)]
    if norm == "layer" and has_second and "W_F1" in keys and random.random() < 0.5:
        keys["beta_2"] = matrix(1, d)[0]
    return keys
