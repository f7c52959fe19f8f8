"""Biases by distance, against the definitions of their papers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn.problem.components.biases import Buckets

_MATRICES = {"Q": [[1], [2], [1]], "K": [[1], [0], [2]], "V": [[1], [2], [4]]}


def bucket(distance: int, count: int, reach: int, *, two_sided: bool) -> int:
    """Return the bucket as the program of T5 says it: ``_relative_position_bucket`` there, in 60 digits."""
    start = 0
    if two_sided:
        count //= 2
        start = count if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = -min(distance, 0)
    exact = count // 2
    if distance < exact:
        return start + distance
    with mpmath.workdps(60):
        share = mpmath.log(mpmath.mpf(distance) / exact) / mpmath.log(mpmath.mpf(reach) / exact)
        # A logarithm that is a whole number is one here, too.
        large = exact + int(mpmath.floor(share * (count - exact) + mpmath.mpf(10) ** -40))
    return start + min(large, count - 1)


@given(st.integers(2, 40), st.integers(2, 300), st.booleans(), st.integers(-1100, 1100))
def test_buckets_are_those_of_t5(half: int, reach: int, two_sided: bool, distance: int) -> None:
    count = 2 * half
    if reach <= (half if two_sided else count) // 2:
        return
    found = Buckets(((Fraction(0),) * count,), reach, two_sided=two_sided).bucket(distance)
    assert found == bucket(distance, count, reach, two_sided=two_sided)


@pytest.mark.parametrize("distance", [8, 16, 32, 64, 128, 15, 31, 63, 127])
def test_boundaries_of_buckets_are_exact(distance: int) -> None:
    """A program with single precision may take the bucket before: log(16/8)/log(128/8)*8 is 2."""
    encoder = Buckets(((Fraction(0),) * 32,), 128, two_sided=True)
    ends = (8, 12, 16, 23, 32, 46, 64, 91)  # the least whole number at or above 8*2^(k/2)
    assert encoder.bucket(-distance) == 8 + sum(distance >= end for end in ends[1:])


def test_values_are_those_of_each_head() -> None:
    values: list[list[int | str]] = [[0, 1, 2, 3], [4, 5, 6, "1/2"]]
    two: dict[str, Any] = {name: [row * 2 for row in rows] for name, rows in _MATRICES.items()}
    problem = sa.Problem.build(**two, heads=2, scale="none", bias={"buckets": {"values": values, "max_distance": 2}})
    assert problem.bias is not None
    for head, own in enumerate(values, 1):
        # Of four buckets two are of each side: distance 0, then all others; the second half holds the keys ahead.
        expected = [[own[0 if j == i else 1 if j < i else 3] for j in range(3)] for i in range(3)]
        assert [list(row) for row in problem.bias.rows(3, 3, head=head)] == [
            [Fraction(x) for x in row] for row in expected
        ]


def test_a_key_lists_the_bias_and_is_checked() -> None:
    bias = {"buckets": {"values": ["1/2", -1, 0, "3/4"], "max_distance": 4}}
    layer: dict[str, Any] = {**_MATRICES, "scale": "none", "bias": bias}
    problem = sa.Problem.build(**layer, rounding={"places": 2})
    result = sa.solve(problem)
    assert [list(map(str, row)) for row in result["B"].rows] == [
        ["1/2", "3/4", "3/4"],
        ["-1", "1/2", "3/4"],
        ["-1", "-1", "1/2"],
    ]
    statements: Any = sa.check(problem, result.to_latex()).as_json()["statements"]
    verdicts = {item["verdict"] for item in statements}
    assert verdicts <= {"right", "rounded", "unchecked"}
    assert problem.bias is not None
    assert "one of 4 buckets up to 4, those of keys ahead apart" in problem.bias.describe()
