"""Rows of scores with a root and a rational part: against Arb, against closed forms, and where bits are scarce."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import flint
import pytest

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.integer_matrix import IntegerMatrix
from symattn.exact.linear.matrix import Matrix, round_matrix, softmax_rows
from symattn.exact.numerals.decimals import TIES, Rounding
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rows.certified_rows import layer_rows, weight_rows
from symattn.exact.rows.mixed_scores import MixedScores, Pair

RADICANDS = (2, 3, 5, 6, 7, 10)


def ordinary(r: Random) -> list[Pair]:
    return [(r.randint(-20, 20), r.randint(-20, 20)) for _ in range(r.randint(1, 8))]


def opposed(r: Random) -> list[Pair]:
    """What the root gives, the bias takes: the largest parts belong to different scores, and bits are lost."""
    size = r.choice([30, 200, 900])
    return [(k, -2 * k + r.randint(-3, 3)) for k in (r.randint(-size, size) for _ in range(r.randint(2, 7)))]


def far(r: Random) -> list[Pair]:
    pairs = ordinary(r)
    return [*pairs, (r.randint(100, 3000), r.randint(-40, 40)), (0, -(10**12))]


def tied(r: Random) -> list[Pair]:
    """Equal scores: averages of their values are rational, and may be ties."""
    return [(r.randint(-9, 9), r.randint(-9, 9))] * r.choice([2, 4, 8])


def huge(r: Random) -> list[Pair]:
    """Numerators of 25 digits, over a denominator of 24: see `check`."""
    return [(r.randint(-(10**25), 10**25), r.randint(-(10**25), 10**25)) for _ in range(r.randint(2, 5))]


KINDS: tuple[Callable[[Random], list[Pair]], ...] = (ordinary, opposed, far, tied, huge)


def closed(scores: MixedScores, values: IntegerMatrix, rounding: Rounding) -> tuple[list[str], list[str]]:
    (row,) = scores.rows
    entries = [MINUS_INFINITY if pair is None else Quotient.of(scores.exponent(pair)) for pair in row]
    weights = softmax_rows(Matrix([entries]))
    outputs = weights @ Matrix(values.rows).scale(Fraction(1, values.denominator))
    return round_matrix(weights, rounding)[0], round_matrix(outputs, rounding)[0]


def by_arb(scores: MixedScores, values: IntegerMatrix) -> list[list[flint.arb]]:
    """The weights and the outputs as balls."""
    (row,) = scores.rows
    root, below = flint.arb(scores.radicand).sqrt(), flint.arb(scores.denominator)
    numbers = [None if pair is None else (root * pair[0] + pair[1]) / below for pair in row]
    top = max((x for x in numbers if x is not None), key=lambda x: float(x.mid()))
    powers = [flint.arb(0) if x is None else (x - top).exp() for x in numbers]
    weights = [power / sum(powers, flint.arb(0)) for power in powers]
    columns = list(zip(*values.rows, strict=True))
    sums = [sum((w * v for w, v in zip(weights, c, strict=True)), flint.arb(0)) for c in columns]
    return [weights, [total / values.denominator for total in sums]]


def is_rounded(text: str, ball: flint.arb, places: int) -> bool:
    """Whether a decimal lies half a unit from a number or less; at most a little more cannot be told from that."""
    off = ball * 10**places - flint.arb(flint.fmpz(text.replace(".", "")))
    return bool(abs(off) < flint.arb(1) / 2 + flint.arb(10) ** -60)


def check(kind: Callable[[Random], list[Pair]], r: Random) -> None:
    pairs: list[Pair | None] = [*kind(r)]
    for j in r.sample(range(len(pairs)), r.choice([0, 0, r.randrange(len(pairs))])):
        pairs[j] = None
    below = 10**24 + r.randrange(10**6) if kind is huge else r.randint(1, 12)
    scores = MixedScores([pairs], below, r.choice(RADICANDS))
    values = IntegerMatrix([[r.randint(-40, 40) for _ in range(4)] for _ in pairs], r.choice([1, 2, 8]))
    places = r.randint(0, 20)
    for ties in TIES:
        rounding = Rounding(places=places, ties=ties)
        (found,) = layer_rows(scores, values, rounding)
        assert found == closed(scores, values, rounding), (scores, values, rounding)
        assert list(weight_rows(scores, rounding)) == [found[0]]
    (found,) = layer_rows(scores, values, Rounding(places=places))
    with flint.ctx.workprec(6000):
        for texts, balls in zip(found, by_arb(scores, values), strict=True):
            assert all(is_rounded(text, ball, places) for text, ball in zip(texts, balls, strict=True)), (
                scores,
                values,
            )
    rounding = Rounding(figures=r.randint(1, 12), ties=r.choice(TIES))
    assert list(layer_rows(scores, values, rounding)) == [closed(scores, values, rounding)], (scores, values, rounding)


@pytest.mark.parametrize("kind", KINDS)
def test_sample(kind: Callable[[Random], list[Pair]]) -> None:
    r = Random(f"mixed {kind.__name__}")
    for _ in range(4):
        check(kind, r)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many(kind: Callable[[Random], list[Pair]]) -> None:
    r = Random(f"many mixed {kind.__name__}")
    for _ in range(400):
        check(kind, r)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bits", [12, 60])
def test_every_power_lies_between_its_bounds(kind: Callable[[Random], list[Pair]], bits: int) -> None:
    """Up to one power of two for the row: the largest has `bits` bits, and quotients lie where bounds allow."""
    r = Random(f"bounds {kind.__name__} {bits}")
    for _ in range(6):
        pairs = kind(r)
        scores = MixedScores([pairs], 10**24 if kind is huge else r.randint(1, 6), r.choice(RADICANDS))
        powers = scores.powers(scores.rows, bits)
        (row,) = powers.rows()
        assert powers.one // 2 <= max(row.powers) < powers.one
        with flint.ctx.workprec(6000):
            (weights, _) = by_arb(scores, IntegerMatrix([[0]] * len(pairs)))
            for e, weight in zip(row.powers, weights, strict=True):
                assert weight * row.total <= e + powers.error
                assert weight * (row.total + row.eta) >= e - flint.arb(10) ** -1000


def test_rows_of_one_layer_lose_bits_each_for_itself() -> None:
    rows: list[list[Pair | None]] = [[(0, 0), (-400, 900)], [(0, 0), (-1, -1)], [None, (3, 3)]]
    scores, values = MixedScores(rows, 1, 5), IntegerMatrix([[1], [2]])
    found = list(layer_rows(scores, values, Rounding(places=9)))
    assert found == [closed(MixedScores([row], 1, 5), values, Rounding(places=9)) for row in rows]


@pytest.mark.parametrize(("rows", "below", "radicand"), [([[None]], 1, 2), ([[(0, 0)]], 0, 2), ([[(0, 0)]], 1, 4)])
def test_what_has_no_weights_is_refused(rows: list[list[Pair | None]], below: int, radicand: int) -> None:
    with pytest.raises(InputError):
        MixedScores(rows, below, radicand)
