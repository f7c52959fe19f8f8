"""Certified strings against Arb's: ordinary and saturated rows, near-ties and ties, huge gaps of scores."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import flint
import pytest

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.matrix import Matrix, round_matrix, softmax_rows
from symattn.exact.rounding.quotients import Rounding, round_exact, tie
from tests.exact import rows
from tests.exact.arb_oracle import Row, at_precision

RULES = ("half-up", "half-even", "half-ceiling", "truncate")


def weights_and_outputs(case: rows.Case) -> tuple[Matrix, Matrix]:
    theta = Polynomial.sqrt(case.radicand)
    weights = softmax_rows(Matrix([[theta * s for s in case.scores]]))
    return weights, weights @ Matrix(list(zip(*case.columns, strict=True)))


def check(case: rows.Case, rules: tuple[str, ...]) -> int:
    """Compare all entries of A and O with the oracle under each rule; how many entries there were."""
    weights, outputs = weights_and_outputs(case)
    n = len(case.scores)
    units = [[Fraction(int(i == j)) for i in range(n)] for j in range(n)]
    row = Row(case.scores, case.radicand, 160 + 4 * case.places)
    for ties in rules:
        rounding = Rounding(places=case.places, ties=ties)
        ours = round_matrix(weights, rounding)[0] + round_matrix(outputs, rounding)[0]
        oracle = [row.rounded(values, case.places, ties) for values in units + case.columns]
        assert ours == oracle, (case, ties)
    return n + len(case.columns)


@pytest.mark.parametrize("kind", rows.KINDS)
def test_sample(kind: Callable[[Random], rows.Case]) -> None:
    r = Random(f"sample {kind.__name__}")
    for _ in range(15):
        check(kind(r), RULES)


def test_constructed_ties_are_ties() -> None:
    r = Random("ties")
    for _ in range(20):
        case = rows.exact_tie(r)
        _, outputs = weights_and_outputs(case)
        assert all(tie(q, Rounding(places=case.places)) for q in outputs)
        case = rows.near_tie(r)
        _, outputs = weights_and_outputs(case)
        assert not any(tie(q, Rounding(places=case.places)) for q in outputs)


@pytest.mark.parametrize("exponent", [3, 6, 12, 30])
def test_gaps(exponent: int) -> None:
    r = Random(exponent)
    for _ in range(20):
        check(rows.saturated(r, 10**exponent), ("half-up", "half-even"))


@pytest.mark.parametrize("seed", range(3))
def test_small_fractions_many_columns(seed: int) -> None:
    """n = 3, d = 64, denominators to 8, 2 places: about one output in 16 lies within e^-gap of a tie."""
    r = Random(seed)
    q, k, v = ([[rows.fraction(r) for _ in range(64)] for _ in range(3)] for _ in range(3))
    scores = Matrix(q) @ Matrix(k).T
    columns = [list(column) for column in zip(*v, strict=True)]
    total = 0
    for i in range(3):
        values = [scores[i, j].rational() for j in range(3)]
        total += check(rows.Case([s for s in values if s is not None], columns, 2), ("half-up", "half-even"))
    assert total == 201


def check_figures(case: rows.Case, figures: int, ties: str) -> None:
    """The oracle rounds to the places that the figures come to; the value's decade is Arb's."""
    _, outputs = weights_and_outputs(case)
    row = Row(case.scores, case.radicand, 300)
    for output, values in zip(outputs.rows[0], case.columns, strict=True):
        decade = at_precision(300, lambda: _decade(row.average(values)))  # noqa: B023  # runs at once
        if decade is None or figures - 1 - decade < 0:
            continue
        found = round_exact(output, Rounding(figures=figures, ties=ties))
        assert found == Fraction(row.rounded(values, figures - 1 - decade, ties)), (case, figures, ties)


def _decade(average: Any) -> int | None:
    """The exponent of the first digit, where the ball tells it."""
    if average.contains(0):
        return None
    floor = (abs(average).log() / flint.arb(10).log()).floor().unique_fmpz()
    return None if floor is None else int(floor)


@pytest.mark.parametrize("kind", [rows.ordinary, rows.saturated, rows.near_tie])
def test_figures(kind: Callable[[Random], rows.Case]) -> None:
    r = Random(f"figures {kind.__name__}")
    for _ in range(25):
        check_figures(kind(r), r.randint(1, 12), r.choice(RULES))


@pytest.mark.long
def test_figures_many() -> None:
    r = Random("many figures")
    for _ in range(2000):
        for kind in (rows.ordinary, rows.saturated, rows.near_tie):
            check_figures(kind(r), r.randint(1, 12), r.choice(RULES))


@pytest.mark.long
def test_two_hundred_thousand() -> None:
    r = Random("two hundred thousand")
    checked = 0
    while checked < 200_000:
        for kind in rows.KINDS:
            checked += check(kind(r), ("half-up", "half-even"))


@pytest.mark.long
def test_two_thousand_rows_at_every_gap(capsys: pytest.CaptureFixture[str]) -> None:
    for exponent in (3, 6, 12, 30):
        r = Random(f"gap {exponent}")
        cases = [rows.saturated(r, 10**exponent, columns=4) for _ in range(2000)]
        start = time.process_time()
        for case in cases:
            for matrix in weights_and_outputs(case):
                matrix.rounded(case.places)
        spent = time.process_time() - start
        with capsys.disabled():
            print(f"gap 10^{exponent}: {spent / len(cases) * 1000:.3f} ms per row")  # noqa: T201  # what it is for
        for case in cases:
            check(case, ("half-up", "half-even"))
