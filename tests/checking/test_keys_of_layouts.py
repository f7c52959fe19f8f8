"""Keys of layers of every layout, handed in as work: no check, strict or not, holds anything against them."""

from __future__ import annotations

import pytest

from tests.checking.layouts import drawn

pytestmark = pytest.mark.unmeasured

MANY = range(200)
HARD = (12, 13, 18, 22, 23, 27, 29, 30, 39, 41, 43, 51, 68, 97, 130, 135)
"""Seeds of keys that were once misread: dots in sums, one head, letters of the key that habit gives to others."""


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", HARD)
def test_nothing_is_held_against_keys_that_are_hard_to_read(seed: int) -> None:
    test_nothing_is_held_against_a_key(seed)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", MANY)
def test_nothing_is_held_against_a_key(seed: int) -> None:
    key = drawn(seed)
    assert key.alarms(strict=True) == [], key.label
    assert key.alarms(strict=False) == [], key.label
