"""Ranges of indices: one for each index, one for what a delta joins."""

from __future__ import annotations

import pytest

from symattn.errors import ShapeError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.index_ranges import Ranges

I, J, K = ix.free("i"), ix.free("j"), ix.free("k")
N, M = Expr.scalar("n"), Expr.scalar("m")


def test_one_index_has_one_range() -> None:
    ranges = Ranges()
    ranges.put(I, N)
    ranges.put(ix.moved("pi", I), N)
    with pytest.raises(ShapeError, match="runs to m in one place and to n in another"):
        ranges.put(I, M)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_deltas_hand_ranges_on(order: tuple[int, ...]) -> None:
    """sum over j to m of sum over i to n of delta_ik delta_kj, in any order of reading."""
    ranges = Ranges()
    steps = [lambda: ranges.join(I, K), lambda: ranges.join(K, ix.moved("pi", J)), lambda: ranges.put(I, N)]
    for step in order:
        steps[step]()
    assert ranges.of(J) == ranges.of(K) == N
    with pytest.raises(ShapeError):
        ranges.put(J, M)


def test_two_known_ranges_are_not_joined() -> None:
    ranges = Ranges()
    ranges.put(I, N)
    ranges.put(J, M)
    with pytest.raises(ShapeError):
        ranges.join(I, J)


def test_a_fixed_index_is_a_value_of_every_range() -> None:
    ranges = Ranges()
    ranges.put(ix.fixed("1"), N)
    ranges.put(ix.fixed("1"), M)
    ranges.join(ix.fixed("1"), I)
    assert ranges.of(I) is None
