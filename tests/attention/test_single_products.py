"""Sums of one product: the product is rounded first, then the sum."""

from __future__ import annotations

import pytest

from symattn.api.solutions import attention


@pytest.mark.parametrize("ties", ["half-up", "half-even", "truncate"])
@pytest.mark.parametrize("places", [0, 1, 3])
def test_the_product_is_rounded_on_its_own_side(places: int, ties: str) -> None:
    result = attention(
        Q=[["-1.5"], ["2.25"]],
        K=[["1"], ["0.35"]],
        V=[["1.25"], ["-0.5"]],
        scale="none",
        rounding={"places": 4, "steps": "all", "ties": ties, "each": {"products": {"places": places}}},
    )
    tex = result.to_latex()
    assert [finding for finding in result.read_back(tex) if not finding.proved] == []
