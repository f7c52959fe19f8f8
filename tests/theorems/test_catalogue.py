"""What holds of every theorem of the catalogue, and controls without which refusals would mean nothing."""

from __future__ import annotations

import pytest

from symattn.theorems.catalogue import theorems
from symattn.theorems.checks import checks
from symattn.theorems.designs import THEOREMS as DESIGNS
from symattn.theorems.softmax import THEOREMS as SOFTMAX
from symattn.theorems.structure import THEOREMS as STRUCTURE
from tests.theorems.proving import HOW_MANY, changed, is_step_proved, looked_at, robbed

GROUPS = {item.name: item for item in (*SOFTMAX, *STRUCTURE, *DESIGNS)}
DOMAIN = {
    # Hypotheses that say where a formula has a meaning, or that an index exists; the steps compute without them.
    ("softmax-is-a-distribution", "there are two scores or more: $n >= 2$"),
    ("temperature-limits", "$eps < 1$"),
    ("causal-independence", "every query may see at least one key"),
}


@pytest.mark.parametrize("name", theorems())
@HOW_MANY
def test_steps_that_are_not_changed_are_proved(name: str, *, whole: bool) -> None:
    entry = theorems()[name]
    proof = entry.build(entry.values({}))
    # Each step takes those that it rests on with it, so two of them are enough of a sample.
    steps = looked_at(proof, whole=True) if whole else looked_at(proof, whole=False)[:2]
    assert [step.id for step in steps if not is_step_proved(proof, step)] == []


@pytest.mark.parametrize("name", ["dot-product-variance", "softmax-jacobian", "convex-hull", "copy"])
def test_small_cases_were_worked_out(name: str) -> None:
    entry = theorems()[name]
    found = checks(entry.build(entry.values({})))
    assert found
    assert all(item.agrees for item in found)


@pytest.mark.parametrize("name", GROUPS)
def test_small_cases_agree(name: str) -> None:
    assert all(item.agrees for item in checks(GROUPS[name].build(GROUPS[name].values({}))))


@pytest.mark.parametrize("name", GROUPS)
@HOW_MANY
def test_changed_steps_are_refused(name: str, *, whole: bool) -> None:
    proof = GROUPS[name].build(GROUPS[name].values({}))
    for step in looked_at(proof, whole=whole):
        for other in changed(step):
            assert not is_step_proved(proof, other), (step.id, other.after)


@pytest.mark.parametrize("name", GROUPS)
@HOW_MANY
def test_steps_need_their_hypotheses(name: str, *, whole: bool) -> None:
    proof = GROUPS[name].build(GROUPS[name].values({}))
    texts = {item.id: item.text for item in proof.scope.hypotheses}
    for step in looked_at(proof, whole=whole):
        for other in robbed(step):
            (gone,) = set(step.hypotheses) - set(other.hypotheses)
            if (name, texts[gone]) not in DOMAIN:
                assert not is_step_proved(proof, other), (step.id, texts[gone])
