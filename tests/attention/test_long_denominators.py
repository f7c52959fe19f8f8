"""Entries with many different denominators, from enclosed rows: the decimals of integers over the common one."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from symattn.api.solutions import large_result
from symattn.exact.numerals.decimals import TIES
from symattn.graph.numeric.eligibility import enclosed_names
from symattn.graph.numeric.integer_matrices import NumericMatrices
from symattn.graph.numeric.integer_rows import numeric_layer
from symattn.problem.model import Problem


def drawn(r: Random, rows: int, columns: int, most: int, digits: int = 120) -> list[list[Fraction]]:
    """Numbers of a size up to `most`, some of them whole, the others with long denominators."""

    def entry() -> Fraction:
        below = r.choice((1, 8, r.randrange(10**digits), r.randrange(10**digits), r.randrange(10**digits))) + 1
        return Fraction(r.randrange(-most * below, most * below + 1), below)

    return [[entry() for _ in range(columns)] for _ in range(rows)]


def layer(r: Random) -> dict[str, Any]:
    n, m, d, width, most = r.randint(2, 5), r.randint(3, 5), r.randint(3, 4), r.randint(1, 3), r.choice((1, 5, 40, 200))
    keys: dict[str, Any] = {}
    source = r.choice(("X", "X_1", ""))
    if source == "X":
        m = n
        keys["X"] = drawn(r, n, d, most)
    elif source:
        keys |= {"X_1": drawn(r, n, d, most), "X_2": drawn(r, m, d, most)}
    if source:
        keys |= {name: drawn(r, d, d, 2) for name in ("W_Q", "W_K")} | {"W_V": drawn(r, d, width, 2)}
    else:
        keys |= {"Q": drawn(r, n, d, most), "K": drawn(r, m, d, most), "V": drawn(r, m, width, 3)}
    keys |= r.choice(({}, {}, {"mask": "causal"})) if n == m else {}
    keys |= r.choice(({}, {"scale": "none"}, {"scale": "-2/3"}))
    return keys | r.choice(({}, {}, {"bias": {"add": [[Fraction(r.randint(-9, 9), 4)] * m for _ in range(n)]}}))


def entries_compared(keys: dict[str, Any], r: Random) -> int:
    problem = Problem.build(**keys)
    if not enclosed_names(problem):
        return 0
    ours, integers = large_result(problem), numeric_layer(problem)
    assert ours is not None
    assert integers is not None
    whole = NumericMatrices(integers, columns=False, across=False)
    count, ties, digits = 0, r.choice(TIES), r.choice((1, 2, 4, 15))
    for name in "QKVSAO":
        mine, other = ours[name], whole.named(name)
        assert mine.shape == other.shape, name
        assert mine.rounded(digits - 1, ties) == other.rounded(digits - 1, ties), (name, keys)
        assert mine.digits(digits, ties) == other.digits(digits, ties), (name, keys)
        count += 2 * mine.shape[0] * mine.shape[1]
    return count


def test_decimals_of_enclosed_entries_are_those_of_integers() -> None:
    r = Random(50)
    assert sum(entries_compared(layer(r), r) for _ in range(12)) > 800


@pytest.mark.long
def test_a_hundred_thousand_entries_are_those_of_integers() -> None:
    r, count = Random(51), 0
    while count < 100_000:
        count += entries_compared(layer(r), r)


def test_entries_are_those_of_the_layer_and_ties_are_settled_by_it() -> None:
    r = Random(52)
    keys = {"Q": drawn(r, 3, 4, 1), "K": drawn(r, 3, 4, 1), "V": [["1/2"], ["1/4"], ["3"]], "mask": "causal"}
    problem = Problem.build(**keys)
    ours, integers = large_result(problem), numeric_layer(problem)
    assert enclosed_names(problem)
    assert ours is not None
    assert integers is not None
    assert ours.O.rounded(0)[0] == ["1"]  # the first output is 1/2, a tie
    assert ours.O.rounded(0, "half-even")[0] == ["0"]
    assert ours.A[1, 1] == NumericMatrices(integers, columns=False, across=False).named("A")[1, 1]


def test_entries_with_short_denominators_stay_integers() -> None:
    small = [[Fraction(i, j) for j in range(1, 9)] for i in range(9)]
    assert not enclosed_names(Problem.build(Q=small, K=small, V=small))
    floats = [[1.5**i * 2.0**-j for j in range(1, 9)] for i in range(9)]
    assert not enclosed_names(Problem.build(Q=floats, K=floats, V=floats, floats="binary"))
