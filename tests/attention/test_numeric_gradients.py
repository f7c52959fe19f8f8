"""Gradients from enclosed rows: the decimals of the layer of closed forms, and of Arb."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import flint
import pytest

import symattn as sa
from symattn.api.solutions import large_result, solved
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.rows.row_intervals import Line, LineArithmetic
from symattn.problem.model import Problem
from tests.attention import block_oracle

BACKWARD = ("dV", "dA", "D", "dS", "dQ", "dK")


def drawn(r: Random, rows: int, columns: int) -> list[list[Fraction]]:
    return [[Fraction(r.randint(-9, 9), r.choice((1, 2, 3))) for _ in range(columns)] for _ in range(rows)]


def given(r: Random, n_q: int, n_k: int, d_k: int = 2, d_v: int = 2) -> dict[str, Any]:
    return {"Q": drawn(r, n_q, d_k), "K": drawn(r, n_k, d_k), "V": drawn(r, n_k, d_v)}


def cases() -> Iterator[dict[str, Any]]:
    r = Random(17)
    total = {"gradient": {"loss": "sum"}}
    yield given(r, 3, 4) | total
    yield given(r, 2, 3, d_k=4) | {"gradient": {"dO": drawn(r, 2, 2)}}
    yield given(r, 2, 3) | {"scale": "-2/3"} | total
    yield given(r, 2, 3) | {"scale": "none", "bias": {"add": drawn(r, 2, 3)}} | total
    yield given(r, 3, 3) | {"mask": "causal", "gradient": {"dO": drawn(r, 3, 2)}}
    yield given(r, 2, 2) | {"scale": "0"} | total
    yield given(r, 2, 3) | {"gradient": {"loss": "sum", "of": ["dK", "dV"]}}
    square = {name: drawn(r, 2, 2) for name in ("W_Q", "W_K", "W_V")}
    yield {"X": drawn(r, 3, 2), **square} | total
    yield {"X_1": drawn(r, 2, 2), "X_2": drawn(r, 3, 2), **square} | total
    yield {"X": drawn(r, 2, 3), **{name: drawn(r, 3, 2) for name in square}, "gradient": {"dO": drawn(r, 2, 2)}}
    saturated = given(r, 2, 3)
    yield saturated | {"Q": [[300 * x for x in row] for row in saturated["Q"]]} | total


CASES = list(cases())


def check(keys: dict[str, Any], places: tuple[int, ...]) -> int:
    problem = Problem.build(**keys)
    ours, whole = large_result(problem), solved(problem)
    assert ours is not None
    names = [name for name in ours.matrices if name[0] in "dD"]
    assert set(names) <= whole.layer.recipes.keys()
    for name in names:
        mine, other = ours[name], whole[name]
        assert mine.shape == other.shape, name
        for number in places:
            assert mine.rounded(number) == other.rounded(number), name
        assert mine.digits(3) == other.digits(3), name
    return len(names)


@pytest.mark.parametrize("keys", CASES, ids=range(len(CASES)))
def test_gradients_of_enclosed_rows_are_those_of_closed_forms(keys: dict[str, Any]) -> None:
    wanted = keys["gradient"].get("of")
    count = len(wanted) if wanted else 6 + len(set(keys) & {"X", "X_1", "X_2", "W_Q", "W_K", "W_V"})
    assert check(keys, (0, 2, 15, 40)) == count


@pytest.mark.long
def test_many_gradients_are_those_of_closed_forms() -> None:
    r = Random(18)
    for _ in range(200):
        n_q, n_k, d_k, d_v = (r.randint(1, 4) for _ in range(4))
        keys = given(r, n_q, n_k, d_k, d_v) | {"gradient": {"dO": drawn(r, n_q, d_v)}}
        assert check(keys | r.choice([{}, {"scale": "none"}, {"mask": {"length": 1}}]), (3, 20)) == 6


BEYOND: dict[str, dict[str, Any]] = {
    "heads": {"heads": 2},
    "another loss": {"gradient": {"loss": "squared", "target": [[1, 2], [3, 4]]}},
    "tokens in columns": {"tokens": "columns"},
    "an extra 1": {"softmax_one": True},
}


@pytest.mark.parametrize("name", BEYOND)
def test_everything_else_goes_the_ordinary_way(name: str) -> None:
    keys = given(Random(19), 2, 2) | {"gradient": {"loss": "sum"}} | BEYOND[name]
    result = large_result(Problem.build(**keys))
    assert result is not None
    assert not result.matrices.keys() & {"dQ", "dK", "dV"}
    assert result.layer.recipes.keys() & {"dQ", "dQ^1"}


def test_gradients_of_24_tokens_are_those_of_arb(monkeypatch: pytest.MonkeyPatch) -> None:
    r = Random(20)
    keys = given(r, 24, 24, 4, 3) | {"gradient": {"dO": drawn(r, 24, 3)}}
    monkeypatch.setattr("symattn.api.solutions.solved", lambda _: pytest.fail("closed forms are made"))
    result = sa.solve(Problem.build(**keys))
    with flint.ctx.workprec(400):
        expected = by_arb(keys)
        for name in BACKWARD:
            for row, line in zip(result[name].rounded(15), expected[name], strict=True):
                for text, ball in zip(row, line, strict=True):
                    assert abs(ball - block_oracle.ball(text)) * 10**15 < 0.50001, name


def by_arb(keys: dict[str, Any]) -> dict[str, block_oracle.Rows]:
    """The gradients of a layer whose keys have four entries, from the chain rule."""
    times, zero = block_oracle.times, block_oracle.ball(0)
    Q, K, V, dO = (
        [[block_oracle.ball(x) for x in row] for row in matrix]
        for matrix in (keys["Q"], keys["K"], keys["V"], keys["gradient"]["dO"])
    )
    A = [block_oracle.softmax([x / 2 for x in row]) for row in times(Q, turned(K))]
    dA = times(dO, turned(V))
    D = [[sum((a * b for a, b in zip(*pair, strict=True)), zero)] for pair in zip(A, dA, strict=True)]
    dS = [[a * (b - d[0]) for a, b in zip(p, q, strict=True)] for p, q, d in zip(A, dA, D, strict=True)]
    half = [[x / 2 for x in row] for row in dS]
    back = {"dQ": times(half, K), "dK": times(turned(half), Q), "dV": times(turned(A), dO)}
    return {**back, "dA": dA, "D": D, "dS": dS}


def turned(rows: block_oracle.Rows) -> block_oracle.Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def test_a_root_of_a_factor_is_enclosed() -> None:
    r = Random(21)
    for _ in range(200):
        bits, number, m = r.choice((5, 40)), Fraction(r.randint(-9, 9), r.randint(1, 9)), r.choice((1, 2, 3, 7))
        (mid,), radius = LineArithmetic(bits).times_root(Line([5 << bits], 0), Polynomial.sqrt(m) * number)
        # |5 number sqrt(m)| lies between the ends, which its square tells.
        ends = sorted(Fraction(end, 1 << bits) for end in (abs(mid) - radius, abs(mid) + radius))
        assert ends[0] * abs(ends[0]) <= 25 * number * number * m <= ends[1] ** 2
        assert mid * number >= 0
