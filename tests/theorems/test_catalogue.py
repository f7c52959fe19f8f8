"""What holds of every theorem of the catalogue, and controls without which refusals would mean nothing."""

from __future__ import annotations

import pytest

from symattn.theorems.catalogue import theorems
from symattn.theorems.checks import checks
from tests.theorems.proving import HOW_MANY, is_step_proved, looked_at


@pytest.mark.parametrize("name", theorems())
@HOW_MANY
def test_steps_that_are_not_changed_are_proved(name: str, *, whole: bool) -> None:
    entry = theorems()[name]
    proof = entry.build(entry.values({}))
    assert [step.id for step in looked_at(proof, whole=whole) if not is_step_proved(proof, step)] == []


@pytest.mark.parametrize("name", ["dot-product-variance", "softmax-jacobian", "convex-hull", "copy"])
def test_small_cases_were_worked_out(name: str) -> None:
    entry = theorems()[name]
    found = checks(entry.build(entry.values({})))
    assert found
    assert all(item.agrees for item in found)
