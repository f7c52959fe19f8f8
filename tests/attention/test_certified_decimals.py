"""Decimals of problems whose values have no short closed form, against mpmath at 60 digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random
from typing import Any, TypeAlias

import pytest

import symattn as sa
from symattn.problem.model import Problem
from tests.attention import autodiff
from tests.attention.autodiff import CTX, Number, Rows

Keys: TypeAlias = dict[str, Any]
Expected: TypeAlias = dict[str, list[list[Any]]]

PLACES = 30
_ENTRIES = [Fraction(n, 10) for n in (-20, -12, -10, -5, -3, 0, 3, 5, 8, 10, 15, 20)]


def matrix(dice: Random, rows: int, columns: int) -> list[list[Fraction]]:
    return [[dice.choice(_ENTRIES) for _ in range(columns)] for _ in range(rows)]


def layer(dice: Random, count: int, length: int, heads: int, d_k: int) -> Keys:
    """Draw tokens and the weights of a layer."""
    found: Keys = {name: matrix(dice, length, heads * d_k) for name in ("W_Q", "W_K", "W_V")}
    if heads > 1 or dice.random() < 0.3:
        found["W_O"] = matrix(dice, heads * d_k, length)
    return {"X": matrix(dice, count, length), **found}


def slopes(inputs: Mapping[str, Rows], value: Number) -> Expected:
    """Return the loss and its gradients at all inputs, by their names in a result."""
    value.back()
    gradients = {f"d{name}": [[entry.slope for entry in row] for row in rows] for name, rows in inputs.items()}
    return {"L": [[value.value]], **gradients}


def values(rows: Rows) -> list[list[Any]]:
    return [[entry.value for entry in row] for row in rows]


def _gradient(dice: Random, count: int, width: int) -> Keys:
    kind = dice.choice(["sum", "dO", "squared", "cross-entropy"])
    if kind == "dO":
        return {"dO": matrix(dice, count, width)}
    if kind == "squared":
        return {"loss": kind, "target": matrix(dice, count, width)}
    return (
        {"loss": kind, "labels": [dice.randint(1, width) for _ in range(count)]} if kind[0] == "c" else {"loss": kind}
    )


def unmasked(dice: Random) -> tuple[Keys, Expected]:
    """Gradients of a layer in which every query sees every key."""
    count, heads, d_k = dice.randint(3, 5), dice.randint(1, 3), dice.randint(1, 2)
    keys = layer(dice, count, dice.randint(2, 3), heads, d_k)
    inputs = {name: autodiff.numbers(rows) for name, rows in keys.items()}
    _, outputs = autodiff.multi_head(inputs["X"], inputs, heads)
    gradient = _gradient(dice, count, len(outputs[0]))
    found = slopes(inputs, autodiff.loss(outputs, gradient))
    if "loss" not in gradient:
        del found["L"]
    return {**keys, "gradient": gradient, **({"heads": heads} if heads > 1 else {})}, found


def placed(dice: Random) -> tuple[Keys, Expected]:
    """Sinusoidal or rotary positions of any length and base, with a gradient or without."""
    kind, length = dice.choice(["sinusoidal", "rope"]), dice.choice([4, 6, 10, 12, 16])
    base = dice.choice([Fraction(10000), Fraction(10000), Fraction(100), Fraction(7, 2), Fraction(3)])
    keys = layer(dice, dice.randint(2, 4), length, 1, length if kind == "rope" else dice.randint(1, 3))
    inputs = {name: autodiff.numbers(rows) for name, rows in keys.items()}
    tokens = autodiff.with_sinusoids(inputs["X"], base) if kind == "sinusoidal" else inputs["X"]
    turn = None if kind == "sinusoidal" else lambda rows: autodiff.rotated(rows, base)
    weights, outputs = autodiff.multi_head(tokens, inputs, 1, turn)
    found: Expected = {"A": values(weights[0]), "O": values(outputs)}
    keys["positions"] = {"kind": kind, "base": base}
    if dice.random() < 0.5:
        keys["gradient"] = {"loss": "sum"}
        found |= slopes(inputs, autodiff.loss(outputs, keys["gradient"]))
    return keys, found


def stacked(dice: Random) -> tuple[Keys, Expected]:
    """Gradients through two or three blocks with norms and networks."""
    count, length = dice.randint(2, 3), dice.randint(2, 3)
    own = {"norm": dice.choice(["layer", "rms"]), "eps": "1/10", "activation": dice.choice(["relu", "gelu"])}
    tables, tokens = [], matrix(dice, count, length)
    start = rows = autodiff.numbers(tokens)
    weights: list[dict[str, Rows]] = []
    for _ in range(dice.randint(2, 3)):
        names = ("W_Q", "W_K", "W_V", "W_O", "W_F1", "W_F2")
        tables.append({name: matrix(dice, length, length) for name in names})
        weights.append({name: autodiff.numbers(table) for name, table in tables[-1].items()})
        rows = autodiff.block(rows, weights[-1], own)
    gradient = {"dY": matrix(dice, count, length)}
    value = autodiff.loss(rows, gradient)
    found = slopes({}, value)
    del found["L"]
    for number, inputs in enumerate(weights, 1):
        found |= {
            f"d{name}@{number}": [[entry.slope for entry in row] for row in made] for name, made in inputs.items()
        }
    found["dX@1"] = [[entry.slope for entry in row] for row in start]
    blocks = [{"inputs": table, "placement": "post", **own} for table in tables]
    return {"X": tokens, "blocks": blocks, "gradient": gradient}, found


def defined(dice: Random) -> tuple[Keys, Expected]:
    """A sheet's own definitions: the softmax of weights, and a layer on top of a layer."""
    tokens = matrix(dice, dice.randint(2, 5), dice.randint(2, 3))
    rows = autodiff.numbers(tokens)
    scores = autodiff.product(rows, [list(column) for column in zip(*rows, strict=True)])
    first = [autodiff.softmax(row) for row in scores]
    second = [autodiff.softmax(row) for row in first]
    outputs = autodiff.product(second, rows)
    definitions = {"S": "X X^T", "A": "softmax(S)", "B": "softmax(A)", "O": "B X"}
    return {"X": tokens, "definitions": definitions}, {"B": values(second), "O": values(outputs)}


FAMILIES: tuple[Callable[[Random], tuple[Keys, Expected]], ...] = (unmasked, placed, unmasked, stacked, placed, defined)


@pytest.mark.sample(9)
@pytest.mark.parametrize("seed", range(300))
def test_every_digit_is_that_of_mpmath(seed: int) -> None:
    keys, expected = FAMILIES[seed % len(FAMILIES)](Random(seed))
    result = sa.solve(Problem.build(**keys))
    for name, rows in expected.items():
        found = result[name].rounded(PLACES)
        assert [len(row) for row in found] == [len(row) for row in rows], name
        for line, right in zip(found, rows, strict=True):
            for text, value in zip(line, right, strict=True):
                off = abs(CTX.mpf(text) - value)
                assert off <= CTX.mpf(10) ** -PLACES * CTX.mpf("0.5000001"), (seed, name, text, value)


def test_exponentials_with_too_many_digits_are_written_as_powers() -> None:
    keys = {"Q": [["9001/7"], ["1/3"]], "K": [[1], [0]], "V": [[1], [2]], "scale": "none", "forms": "decimals"}
    written = sa.solve(Problem.build(**keys)).to_latex()
    assert "$e^{S_{11}}$ & % symattn: E_11 | end" in written
    assert "$1.3956$ & % symattn: E_21 | end" in written
