"""The backward pass of layers with positions, against central differences of a forward pass of mpmath on its own."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest

import symattn as sa
from symattn.graph.derivation_replay import replay
from symattn.problem.model import Problem
from tests.attention.placed import matrix, turned

_DIGITS, _STEP = 60, mpmath.mpf(10) ** -25


def _drawn(seed: int) -> dict[str, Any]:
    random = Random(seed)
    heads, n = random.choice((0, 0, 2)), 2
    width = length = 4 if heads else random.choice((2, 4))
    keys: dict[str, Any] = {name: matrix(random, width, length) for name in ("W_Q", "W_K", "W_V")}
    keys |= {"X": matrix(random, n, width), "gradient": {"dO": matrix(random, n, length)}}
    if heads:
        keys["heads"] = heads
    if random.random() < 0.5:
        keys["mask"] = "causal"
    kind = ("rope", "sinusoidal", "rope", "learned")[seed % 4]
    keys["positions"] = {"kind": kind, "table": matrix(random, n, width)} if kind == "learned" else {"kind": kind}
    if kind != "learned":
        keys["positions"] |= {"pairs": random.choice(("adjacent", "halves")), "start": random.randint(0, 1)}
    return keys


def _loss(keys: dict[str, Any]) -> Any:
    """The sum of dO times the output."""
    positions, heads = keys["positions"], keys.get("heads", 1)
    tokens = [[mpmath.mpf(value) for value in row] for row in keys["X"]]
    if positions["kind"] == "learned":
        tokens = [[x + p for x, p in zip(*rows, strict=True)] for rows in zip(tokens, positions["table"], strict=True)]
    if positions["kind"] == "sinusoidal":
        zeros = [[mpmath.mpf(1 - place) for place in _places(row, positions)] for row in tokens]  # e^{it} of (1, 0)
        waves = _rotated(zeros, positions)
        # (cos, sin) of each pair; what is added is (sin, cos).
        tokens = [
            [x + line[_other(i, line, positions)] for i, x in enumerate(row)]
            for row, line in zip(tokens, waves, strict=True)
        ]
    made = {letter: _times(tokens, keys[f"W_{letter}"]) for letter in "QKV"}
    size, total = len(made["Q"][0]) // heads, mpmath.mpf(0)
    for head in range(heads):
        q, k, v = ([row[head * size : (head + 1) * size] for row in made[letter]] for letter in "QKV")
        if positions["kind"] == "rope":
            q, k = _rotated(q, positions), _rotated(k, positions)
        for i, query in enumerate(q):
            seen = i + 1 if "mask" in keys else len(k)
            powers = [mpmath.exp(mpmath.fdot(query, key) / mpmath.sqrt(size)) for key in k[:seen]]
            for j, power in enumerate(powers):
                total += (
                    power / mpmath.fsum(powers) * mpmath.fdot(keys["gradient"]["dO"][i][head * size :][:size], v[j])
                )
    return total


def _times(left: Any, right: Any) -> Any:
    return [[mpmath.fdot(row, column) for column in turned(right)] for row in left]


def _places(row: Any, positions: dict[str, Any]) -> list[int]:
    return [i % 2 if positions["pairs"] == "adjacent" else i // (len(row) // 2) for i in range(len(row))]


def _other(i: int, row: Any, positions: dict[str, Any]) -> int:
    step = 1 if positions["pairs"] == "adjacent" else len(row) // 2
    return i - step if _places(row, positions)[i] else i + step


def _rotated(rows: Any, positions: dict[str, Any]) -> Any:
    found = []
    for at, row in enumerate(rows, positions["start"]):
        places, line = _places(row, positions), list(row)
        firsts = [i for i in range(len(row)) if not places[i]]
        for pair, i in enumerate(firsts):
            j, angle = _other(i, row, positions), at / mpmath.mpf(10000) ** (mpmath.mpf(2 * pair) / len(row))
            turn = mpmath.mpc(row[i], row[j]) * mpmath.expj(angle)
            line[i], line[j] = turn.real, turn.imag
        found.append(line)
    return found


def _check(seed: int) -> None:
    keys = _drawn(seed)
    result = sa.solve(Problem.build(**keys))
    with mpmath.workdps(_DIGITS):
        for name in ("X", "W_Q", "W_K", "W_V"):
            shown = result[f"d{name}"].rounded(40)
            for i, row in enumerate(keys[name]):
                for j in range(len(row)):
                    ends = [_loss({**keys, name: _moved(keys[name], i, j, step)}) for step in (_STEP, -_STEP)]
                    slope = (ends[0] - ends[1]) / (2 * _STEP)
                    assert abs(slope - mpmath.mpf(shown[i][j])) < mpmath.mpf(10) ** -30, (seed, name, i, j)
    assert all(step.proved for step in replay(result.layer.steps())), seed


def _moved(rows: Any, i: int, j: int, step: Any) -> Any:
    return [[value + step if (r, c) == (i, j) else value for c, value in enumerate(row)] for r, row in enumerate(rows)]


# 8 has a sum, and 33 an exponent, that is known by enclosures where a record is read.
@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", [0, 1, 8, 33])
def test_gradients_with_positions_are_those_of_central_differences(seed: int) -> None:
    _check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 42))
def test_many_gradients_with_positions_are_those_of_central_differences(seed: int) -> None:
    _check(seed)


def test_a_table_of_positions_has_the_gradient_of_the_tokens() -> None:
    keys = {"X": [[1, 2], [0, 1]], **{f"W_{letter}": [[1, 0], [1, 2]] for letter in "QKV"}}
    learned = {"kind": "learned", "table": [[0, 1], [1, Fraction(1, 2)]]}
    result = sa.solve(Problem.build(**keys, positions=learned, gradient={"loss": "sum"}))
    assert result["dP"] == result["dX"] == result["dX_p"]


@pytest.mark.parametrize("kind", ["rope", pytest.param("sinusoidal", marks=pytest.mark.long)])
def test_the_key_is_read_back(kind: str) -> None:
    keys = {"X": [[1, 2], [0, 1]], **{f"W_{letter}": [[1, 0], [1, -1]] for letter in "QKV"}}
    rounding = {"places": 3, "steps": "all"}
    problem = Problem.build(**keys, positions={"kind": kind}, gradient={"dO": [[1, 0], [2, -1]]}, rounding=rounding)
    result = sa.solve(problem)
    assert all(finding.proved for finding in result.read_back(result.to_latex()))
