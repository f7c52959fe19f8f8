"""Keys, handed in as work: nothing of them is wrong, and nothing of them is passed over."""

from __future__ import annotations

import pytest

from symattn.graph.statements.chains import Detail
from tests.checking.unmarked import FINE, TEMPLATES, Key, covering, drawn, example, examples, relations
from tests.rendering.keys import NAMES

FEW = (*range(40), 202)
MANY = [seed for seed in range(40, 240) if seed not in FEW]


def held_against(key: Key) -> list[str]:
    """What a strict check has to say against a key, and what it passes over."""
    report = key.check()
    faults = [
        f"line {finding.place.line}: {finding.verdict} {finding.text} ({finding.explanation})"
        for finding in report.findings
        if finding.verdict not in FINE
    ]
    for at, (start, end) in relations(key.tex):
        around = [found.place for found in covering(report.findings, at)]
        if len(around) != 1 or around[0].start < start or around[0].end > end:
            faults.append(f"not a statement: {key.tex[max(start, at - 20) : at + 20]}")
    return faults


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "template", "detail"), examples())
def test_keys_of_the_examples(name: str, template: str, detail: Detail) -> None:
    assert held_against(example(name, template, detail)) == []


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", FEW)
def test_keys_of_drawn_problems(seed: int) -> None:
    key = drawn(seed)
    assert held_against(key) == [], key.label


@pytest.mark.long
@pytest.mark.parametrize("seed", MANY)
def test_keys_of_many_drawn_problems(seed: int) -> None:
    key = drawn(seed)
    assert held_against(key) == [], key.label


@pytest.mark.sample(2)
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("name", NAMES)
def test_required_quantities_of_a_full_key_are_found(name: str, template: str) -> None:
    report = example(name, template, "full").check()
    assert report.missing == ()
    assert report.exit_status == 0
    assert report.first_mistake is None
