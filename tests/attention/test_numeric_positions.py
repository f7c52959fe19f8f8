"""Positions from enclosed rows: the decimals of the layer of closed forms, and of Arb."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

import flint
import pytest

import symattn as sa
from symattn.api.solutions import large_result, solved
from symattn.errors import EffortError
from symattn.exact.numerals.decimals import TIES, Rounding
from symattn.exact.rows.row_intervals import Line, LineArithmetic
from symattn.exact.rows.turns import turns
from symattn.problem.model import Problem
from tests.attention import block_oracle
from tests.attention.block_oracle import ball

ADDED, TURNED = ("P", "X_p", "Q", "K", "V", "S", "A", "O"), ("Q", "K", "V", "Q_rot", "K_rot", "S", "A", "O")


def drawn(r: Random, rows: int, columns: int, most: int = 9, below: int = 3) -> list[list[Fraction]]:
    return [[Fraction(r.randint(-most, most), r.randint(1, below)) for _ in range(columns)] for _ in range(rows)]


def layer(r: Random) -> dict[str, Any]:
    """A layer of one to four tokens; scores of some are large, so that rows are saturated."""
    n, m, d, width = r.randint(1, 4), r.randint(1, 4), r.choice((2, 4)), r.randint(1, 3)
    most, below = r.choice(((3, 1), (3, 8), (9, 2), (24, 8)))
    kind = r.choice(("sinusoidal", "rope"))
    positions: dict[str, Any] = {"kind": kind, "start": r.choice((0, 0, 1, 7, 1000))}
    positions |= r.choice(({}, {"pairs": "halves"})) | r.choice(({}, {"base": r.choice(("100", "2", "1/3", "1"))}))
    keys: dict[str, Any] = {"positions": positions}
    source = "X" if kind == "sinusoidal" else r.choice(("X", "X_1", ""))
    if source == "X":
        m = n
        keys["X"] = drawn(r, n, d, most, below)
    elif source:
        keys |= {"X_1": drawn(r, n, d, most, below), "X_2": drawn(r, m, d, most, below)}
    if source:
        keys |= {name: drawn(r, d, d, 3, 2) for name in ("W_Q", "W_K")} | {"W_V": drawn(r, d, width, 3, 2)}
    else:
        keys |= {"Q": drawn(r, n, d, most, below), "K": drawn(r, m, d, most, below), "V": drawn(r, m, width, 9, 8)}
        positions |= r.choice(({}, {"start_keys": r.choice((0, 2))}))
    if n == m:
        keys |= r.choice(({}, {}, {"mask": "causal"}))
    keys |= r.choice(({}, {"scale": "none"}, {"scale": "1/3"}, {"scale": "-sqrt(2)"}))
    return keys | r.choice(({}, {}, {"bias": {"add": drawn(r, n, m)}}))


def entries_compared(keys: dict[str, Any], r: Random) -> int:
    """How many entries of a layer are the same both ways; 0 where closed forms are too small for their bounds."""
    problem = Problem.build(**keys)
    ours = large_result(problem)
    assert ours is not None
    try:
        whole = solved(problem)
        for name in "SAO":
            whole[name].rounded(15)
    except EffortError:
        return 0
    names = ADDED if keys["positions"]["kind"] == "sinusoidal" else TURNED
    assert ours.matrices.keys() == set(names)
    count, ties, digits = 0, r.choice(TIES), r.choice((1, 2, 4, 15))
    for name in names:
        mine, other = ours[name], whole[name]
        assert mine.shape == other.shape, name
        assert mine.rounded(digits - 1, ties) == other.rounded(digits - 1, ties), (name, keys)
        assert mine.digits(digits, ties) == other.digits(digits, ties), (name, keys)
        count += 2 * mine.shape[0] * mine.shape[1]
    return count


def test_decimals_of_enclosed_rows_are_those_of_closed_forms() -> None:
    r = Random(40)
    assert sum(entries_compared(layer(r), r) for _ in range(20)) > 500


@pytest.mark.long
def test_a_hundred_thousand_entries_are_those_of_closed_forms() -> None:
    r, count = Random(41), 0
    while count < 100_000:
        count += entries_compared(layer(r), r)


@pytest.mark.parametrize("value", ["7/8", "1/8", "1/2", "0"])
@pytest.mark.parametrize("ties", TIES)
def test_values_beside_a_tie_are_settled(value: str, ties: str) -> None:
    """The second weight is about e^-141, far below the bits at which decimals are looked for."""
    keys: dict[str, Any] = {"Q": [[20, 0]], "K": [[10, 0], [0, 1]], "V": [[value], [1]], "positions": {"kind": "rope"}}
    problem = Problem.build(**keys)
    ours, whole = large_result(problem), solved(problem)
    assert ours is not None
    for places in (0, 2, 3):
        assert ours.O.rounded(places, ties) == whole.O.rounded(places, ties)
    assert ours.A.digits(3, ties) == whole.A.digits(3, ties)


def test_hundreds_of_digits_of_few_weights_are_those_of_closed_forms() -> None:
    problem = Problem.build(Q=[[1, 2]], K=[[1, 1], [2, 1]], V=[["1/3"], [2]], positions={"kind": "rope"})
    ours, whole = large_result(problem), solved(problem)
    assert ours is not None
    for digits in (299, 301, 1000):
        assert ours.O.rounded(digits) == whole.O.rounded(digits)
        assert ours.A.digits(digits) == whole.A.digits(digits)


def by_arb(keys: dict[str, Any]) -> dict[str, Any]:
    """The layer of tokens X with adjacent pairs and base 10000, from the formulas of the papers."""
    d, X = len(keys["X"][0]), [[ball(x) for x in row] for row in keys["X"]]
    angles = [[ball(p) * ball(10000) ** (ball(-2 * i) / d) for i in range(d // 2)] for p in range(len(X))]
    if keys["positions"]["kind"] == "sinusoidal":
        X = [
            [
                x + (angle.cos() if j % 2 else angle.sin())
                for j, (x, angle) in enumerate(zip(row, doubled(own), strict=True))
            ]
            for row, own in zip(X, angles, strict=True)
        ]
    Q, K, V = (block_oracle.affine(X, keys[f"W_{letter}"], None) for letter in "QKV")
    if keys["positions"]["kind"] == "rope":
        Q, K = (list(map(rotated, rows, angles)) for rows in (Q, K))
    S = block_oracle.times(Q, [list(column) for column in zip(*K, strict=True)])
    A = [block_oracle.softmax([x / ball(d).sqrt() for x in row]) for row in S]
    return {"S": S, "A": A, "O": block_oracle.times(A, V)}


def doubled(angles: list[Any]) -> Iterator[Any]:
    return (angle for angle in angles for _ in range(2))


def rotated(row: list[Any], angles: list[Any]) -> list[Any]:
    made = []
    for i, angle in enumerate(angles):
        x, y = row[2 * i : 2 * i + 2]
        made += [x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos()]
    return made


@pytest.mark.parametrize("kind", ["sinusoidal", "rope"])
@pytest.mark.parametrize("most", [2, 40])
def test_24_tokens_are_those_of_arb(kind: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    r = Random(42)
    keys: dict[str, Any] = {"X": drawn(r, 24, 6, most), **{name: drawn(r, 6, 6, 3) for name in ("W_Q", "W_K", "W_V")}}
    keys["positions"] = {"kind": kind}
    monkeypatch.setattr("symattn.api.solutions.solved", lambda _: pytest.fail("closed forms are made"))
    result = sa.solve(Problem.build(**keys))
    with flint.ctx.workprec(2000):
        for name, expected in by_arb(keys).items():
            for row, line in zip(result[name].rounded(15), expected, strict=True):
                for text, value in zip(row, line, strict=True):
                    assert abs(value - ball(text)) * 10**15 < 0.50001, name


BEYOND: dict[str, dict[str, Any]] = {
    "heads": {"heads": 2},
    "angles": {"positions": {"kind": "rope", "angles": ["pi/3"]}},
    "a symbol": {"scale": "beta", "symbols": {"beta": "positive"}},
    "a scale of 0": {"scale": "0"},
    "a gradient": {"gradient": {"loss": "sum"}},
    "tokens in columns": {"tokens": "columns"},
    "an extra 1": {"softmax_one": True},
    "a row that sees nothing": {"mask": {"keep": [[0, 0], [1, 1]]}, "fully_masked": "zeros"},
}


@pytest.mark.parametrize("name", BEYOND)
def test_everything_else_goes_the_ordinary_way(name: str) -> None:
    width = 4 if name == "heads" else 2
    keys = {"Q": drawn(Random(43), 2, width), "K": drawn(Random(44), 2, width), "V": drawn(Random(45), 2, width)}
    assert large_result(Problem.build(**keys | {"positions": {"kind": "rope"}} | BEYOND[name])) is None


def test_turns_lie_within_their_errors() -> None:
    r = Random(46)
    for _ in range(200):
        bits, start = r.choice((10, 60, 200)), r.choice((0, 3, 10**6))
        base, over = Fraction(r.randint(1, 10**5), r.choice((1, 7, 10**5))), Fraction(r.randint(0, 7), 8)
        with flint.ctx.workprec(600):
            step = ball(base) ** -ball(over)
            for p, (cosine, sine, error) in enumerate(turns(base, over, start, 5, bits), start):
                x, y = ((p * step).cos() * 2**bits - cosine, (p * step).sin() * 2**bits - sine)
                assert x * x + y * y <= error * error
                assert error <= 4


def test_products_and_weights_of_lines_hold_those_of_all_numbers_in_them() -> None:
    r = Random(47)
    for _ in range(100):
        bits, n = r.choice((20, 60)), r.randint(1, 4)
        arithmetic = LineArithmetic(bits)
        first, second = (
            [Line([r.randint(-3, 3) << bits - 1 for _ in range(n)], r.randint(0, 9)) for _ in "ab"] for _ in "ab"
        )
        ends = [
            [[Fraction(m + r.choice((-1, 1)) * line.radius, 1 << bits) for m in line.mids] for line in own]
            for own in (first, second)
        ]
        for row, (mids, radius) in zip(ends[0], arithmetic.products(first, second), strict=True):
            for other, mid in zip(ends[1], mids, strict=True):
                exact = sum((x * y for x, y in zip(row, other, strict=True)), Fraction(0))
                assert abs(exact * 2**bits - mid) <= radius
        weights = arithmetic.softmax([line.mids for line in first], max(line.radius for line in first))
        assert weights is not None
        with flint.ctx.workprec(300):
            for row, (mids, radius) in zip(ends[0], weights, strict=True):
                for value, mid in zip(block_oracle.softmax([ball(x) for x in row]), mids, strict=True):
                    assert abs(value * 2**bits - mid) < radius + ball("1e-40")
    assert LineArithmetic(4).softmax([[1, 2]], 9) is None


@pytest.mark.parametrize("ties", TIES)
def test_texts_of_a_line_are_those_of_its_entries(ties: str) -> None:
    r = Random(48)
    for _ in range(500):
        bits, places = r.choice((4, 12, 40)), r.choice((0, 1, 3))
        line = Line(
            [r.randint(-40, 40) * r.choice((1, 1 << bits - 3, 1 << bits - 1)) for _ in range(4)], r.randint(0, 3)
        )
        ends = [[Fraction(m + side * line.radius, 1 << bits) for side in (-1, 1)] for m in line.mids]
        rounding = Rounding(places=places, ties=ties)
        expected = [low if low == high else "" for low, high in ([plain(x, rounding) for x in pair] for pair in ends)]
        assert LineArithmetic(bits).texts(line, rounding) == expected


def plain(value: Fraction, rounding: Rounding) -> str:
    """The text of a rational, by the decimal module of Python."""
    ways = {"half-up": ROUND_HALF_UP, "half-even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}
    with localcontext() as context:
        context.prec = 200
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        unit = Decimal(1).scaleb(-(rounding.places or 0))
        if rounding.ties == "half-ceiling":
            found = (exact + unit / 2).quantize(unit, ROUND_FLOOR)
        else:
            found = exact.quantize(unit, ways[rounding.ties])
        return f"{found or abs(found):f}"
