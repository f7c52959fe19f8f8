"""Blocks of enclosed tokens: the decimals of the layer of closed forms, and of Arb, and none that is not proved."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any, TypeAlias

import flint
import numpy as np
import pytest

import symattn as sa
from symattn.api.solutions import LARGE, large_result, solved
from symattn.exact.linear.integer_matrix import IntegerMatrix
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.rows.enclosed_rows import Bounds
from symattn.exact.rows.row_intervals import Line, LineArithmetic, weight_of
from symattn.problem.model import Problem
from tests.attention import block_oracle

Rows: TypeAlias = list[list[Fraction]]


def drawn(r: Random, rows: int, columns: int) -> Rows:
    return [[Fraction(r.randint(-9, 9), r.choice((1, 2, 3))) for _ in range(columns)] for _ in range(rows)]


def network(r: Random, d: int, *, gated: bool = False, biased: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {"W_F1": drawn(r, d, d + 1), "W_F2": drawn(r, d + 1, d)}
    if gated:
        found["W_F3"] = drawn(r, d, d + 1)
    if biased:
        found |= {"b_F1": drawn(r, 1, d + 1)[0], "b_F2": drawn(r, 1, d)[0]}
    return found


def layer(r: Random, n: int, d: int) -> dict[str, Any]:
    return {"X": drawn(r, n, d), **{name: drawn(r, d, d) for name in ("W_Q", "W_K", "W_V")}}


LAYER_NORM = {"norm": "layer", "placement": "post", "eps": "1/100"}
RMS = {"norm": "rms", "placement": "post", "eps": 0}


def cases() -> Iterator[dict[str, Any]]:
    r = Random(7)
    affine = {"gamma_1": [2, "-1/3"], "beta_1": ["1/7", 3]}
    yield layer(r, 3, 2) | {"block": {"norm": "none"}}
    yield layer(r, 3, 2) | {"block": LAYER_NORM} | affine
    yield layer(r, 3, 2) | {"block": RMS}
    yield layer(r, 3, 2) | network(r, 2) | {"block": {"norm": "none", "activation": "relu"}}
    yield layer(r, 3, 2) | network(r, 2, gated=True) | {"block": {"norm": "none", "activation": "relu"}}
    yield layer(r, 2, 2) | network(r, 2, biased=True) | {"block": {**RMS, "activation": "relu"}}
    yield layer(r, 3, 2) | {"W_O": drawn(r, 2, 2), "b_O": [1, "1/3"]}
    yield layer(r, 3, 2) | {"W_O": drawn(r, 2, 3), "heads": 2}
    yield layer(r, 3, 2) | {"W_O": drawn(r, 2, 2), "heads": 1, "block": {"norm": "none"}}
    yield layer(r, 3, 2) | {"heads": 2, "mask": "causal", "block": {"norm": "none", "residual": False}}
    yield (
        layer(r, 2, 3)
        | {"tokens": "columns", "projection": "W x", "block": {**RMS, "eps": 1}}
        | {name: drawn(r, 2, 2) for name in ("W_Q", "W_K", "W_V")}
    )
    yield layer(r, 3, 2) | {"mask": {"keep": [[1, 0, 1], [0, 0, 0], [1, 1, 1]]}, "block": {"norm": "none"}}


CASES = list(cases())


@pytest.mark.parametrize("keys", CASES, ids=range(len(CASES)))
def test_a_block_of_enclosed_tokens_is_that_of_closed_forms(keys: dict[str, Any]) -> None:
    problem = Problem.build(**keys)
    ours, whole = large_result(problem), solved(problem)
    assert ours is not None
    names = [name for name in ours.matrices if name != "Y"]
    assert set(names) <= whole.layer.recipes.keys()
    if problem.block is not None:
        assert ours["Y"].rounded(20) == whole[whole.layer.output].rounded(20)
    for name in names:
        mine, other = ours[name], whole[name]
        assert mine.shape == other.shape
        for places in (0, 3, 15, 40):
            assert mine.rounded(places) == other.rounded(places), name
            assert mine.rounded(places, "truncate") == other.rounded(places, "truncate"), name
        assert mine.digits(4) == other.digits(4)
        assert str(mine[0, 0]) == str(other[0, 0])
        array = np.array([[float(text) if text != "-" else np.nan for text in row] for row in other.rounded(7)])
        assert sa.compare(ours, array, of=name).as_json() == sa.compare(whole, array, of=name).as_json()
    assert [head.O.rounded(9) for head in ours.heads] == [head.O.rounded(9) for head in whole.heads]


BEYOND: dict[str, dict[str, Any]] = {
    "a norm before attention": {"block": {**LAYER_NORM, "placement": "pre"}},
    "another activation": {"block": {"norm": "none", "activation": "silu"}, **network(Random(8), 2)},
    "a root in a weight": {"block": {"norm": "none"}, "W_O": [["sqrt(2)", 0], [0, 1]]},
}


@pytest.mark.parametrize("name", BEYOND)
def test_everything_else_goes_the_ordinary_way(name: str) -> None:
    assert large_result(Problem.build(**layer(Random(9), 3, 2), **BEYOND[name])) is None


def test_a_token_whose_variance_is_0_has_no_bounds() -> None:
    """Equal entries have no norm without eps; the other tokens have theirs."""
    keys = {"X": [[1, 1], [1, 2]], "W_Q": [[0, 0], [0, 0]], "W_K": [[0, 0], [0, 0]], "W_V": [[0, 0], [0, 0]]}
    arithmetic = LineArithmetic(80)
    assert arithmetic.standardise(Line([5 << 80, 5 << 80], 3), Fraction(0)) is None
    assert arithmetic.standardise(Line([5 << 80, 5 << 80], 3), Fraction(1, 9)) is not None
    problem = Problem.build(**keys, block={**LAYER_NORM, "eps": "1/4"})
    ours = large_result(problem)
    assert ours is not None
    assert ours["N_1"].rounded(4) == solved(problem)["N_1"].rounded(4)


def test_a_block_of_64_tokens_makes_no_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    r = Random(10)
    keys = layer(r, 64, 4) | network(r, 4, biased=True) | {"block": {**LAYER_NORM, "activation": "relu"}}
    problem = Problem.build(**keys)
    assert problem.n_q * problem.n_k >= LARGE
    monkeypatch.setattr("symattn.api.solutions.solved", lambda _: pytest.fail("closed forms are made"))
    result = sa.solve(problem)
    assert len(result["Y"].rounded(15)) == len(result["N_2"].rounded(15)) == 64
    with flint.ctx.workprec(400):
        for row, line in zip(result["Y"].rounded(15), block_oracle.block(keys), strict=True):
            for text, ball in zip(row, line, strict=True):
                assert abs(ball - block_oracle.ball(text)) * 10**15 < 0.50001


def check_drawn(seed: int) -> int:
    keys = block_oracle.drawn(Random(seed))
    keys["block"] |= {"activation": "relu"} | ({"placement": "post"} if keys["block"]["norm"] != "none" else {})
    problem = Problem.build(**keys)
    ours, whole = large_result(problem), solved(problem)
    assert ours is not None
    assert ours["Y"].rounded(30) == whole[whole.layer.output].rounded(30)
    return len(ours["Y"])


@pytest.mark.parametrize("seed", range(6))
def test_a_drawn_block_is_that_of_closed_forms(seed: int) -> None:
    assert check_drawn(seed)


@pytest.mark.long
def test_many_drawn_blocks_are_those_of_closed_forms() -> None:
    assert sum(map(check_drawn, range(6, 300))) > 1000


# Lines -------------------------------------------------------------------------------------------------


def within(line: Line, values: list[Fraction], bits: int) -> bool:
    return all(abs(m - v * 2**bits) <= line.radius for m, v in zip(line.mids, values, strict=True))


def check_lines(r: Random) -> int:
    """Operations on lines that are off by as much as their radius says hold what they make of the true values."""
    bits, count, den = r.choice((8, 30, 90)), r.randint(1, 5), r.randint(1, 9)
    arithmetic = LineArithmetic(bits)

    def line() -> tuple[Line, list[Fraction]]:
        radius = r.choice((0, 1, 5, 1 << bits // 2))
        mids = [r.randint(-(8 << bits), 8 << bits) for _ in range(count)]
        return Line(mids, radius), [Fraction(m + r.choice((-radius, 0, radius)), 1 << bits) for m in mids]

    (a, x), (b, y) = line(), line()
    whole = [[r.randint(-9, 9) for _ in range(count)] for _ in range(3)]
    assert within(arithmetic.sum(a, b), [p + q for p, q in zip(x, y, strict=True)], bits)
    assert within(arithmetic.product(a, b), [p * q for p, q in zip(x, y, strict=True)], bits)
    assert within(arithmetic.relu(a), [max(p, Fraction(0)) for p in x], bits)
    assert within(arithmetic.times(a, whole[0], den), [p * w / den for p, w in zip(x, whole[0], strict=True)], bits)
    dots = [sum((p * w for p, w in zip(x, column, strict=True)), Fraction(0)) / den for column in whole]
    assert within(arithmetic.times_matrix([a], whole, den)[0], dots, bits)
    assert within(arithmetic.rational(whole[0], den), [Fraction(w, den) for w in whole[0]], bits)
    width = r.randint(0, 9)
    bounds = arithmetic.of_bounds(Bounds(a.mids, width))
    assert within(bounds, [Fraction(m + r.randint(0, width), 1 << bits) for m in a.mids], bits)
    eps, mean = Fraction(r.randint(0, 2), 7), sum(x, Fraction(0)) / count
    for made, tops in ((arithmetic.standardise(a, eps), [p - mean for p in x]), (arithmetic.rms(a, eps), x)):
        square = sum((p * p for p in tops), Fraction(0)) / count + eps
        if made is not None:
            # |v| <= e and the sign of v are those of v^2 <= e^2.
            for m, p in zip(made.mids, tops, strict=True):
                low, high = (Fraction(end, 1 << bits) for end in (m - made.radius, m + made.radius))
                assert low <= 0 <= p or (low > 0) == (p > 0)
                assert low * abs(low) * square <= p * abs(p) <= high * abs(high) * square
    return 10 * count


def test_lines_hold_what_they_stand_for() -> None:
    r = Random(11)
    assert sum(check_lines(r) for _ in range(300)) > 5000


@pytest.mark.long
def test_lines_hold_100_000_numbers() -> None:
    r = Random(12)
    assert sum(check_lines(r) for _ in range(4000)) > 100_000


def test_texts_are_open_where_a_line_meets_a_boundary() -> None:
    arithmetic = LineArithmetic(20)
    half = Line([1 << 19, 3 << 18, 1 << 20], 4)
    assert arithmetic.texts(half, Rounding(places=0)) == ["", "1", "1"]
    assert arithmetic.texts(half, Rounding(places=0, ties="truncate")) == ["0", "0", ""]
    assert weight_of(IntegerMatrix([[1, 2], [3, 4]]), by_rows=True).columns == [[1, 2], [3, 4]]
