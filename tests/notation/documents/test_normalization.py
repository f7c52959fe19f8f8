"""Rules of normalization: each does to its fixtures what they say, and nothing moves."""

from __future__ import annotations

import re

import pytest

from symattn.notation.documents.normalization import RULES, normalize
from tests import tables
from tests.effort import effort

FIXTURES: dict[str, list[list[str]]] = tables.read("data/normalization.yaml")
BY_NAME = {rule.name: rule for rule in RULES}


@pytest.mark.parametrize(
    ("name", "before", "after"), [(name, case[0], case[-1]) for name, cases in FIXTURES.items() for case in cases]
)
def test_a_rule_rewrites_its_fixtures(name: str, before: str, after: str) -> None:
    found = BY_NAME[name].rewrite(before)
    assert found == after
    assert len(found) == len(before)


def test_every_rule_has_fixtures() -> None:
    assert [rule.name for rule in RULES] == list(FIXTURES)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_rule_has_two_fixtures_and_changes_one(name: str) -> None:
    assert len(FIXTURES[name]) >= 2
    assert any(len(case) == 2 for case in FIXTURES[name])


@pytest.mark.parametrize("name", BY_NAME)
def test_the_reason_of_a_rule_is_a_sentence(name: str) -> None:
    assert re.fullmatch(r"[`A-Z].+\.", BY_NAME[name].why)


@pytest.mark.parametrize("kind", ["loose", "tex", "lines"])
def test_no_rule_moves_a_character(kind: str) -> None:
    text = "\n".join(case[0] for cases in FIXTURES.values() for case in cases)
    found = normalize(text, kind)  # type: ignore[arg-type]
    assert len(found) == len(text)
    assert [at for at, sign in enumerate(text) if sign == "\n" and found[at] != "\n"] == []


@pytest.mark.parametrize(
    "unit", ["[[[1", "(", "[1, ", "E.sum(", "np.dot(", "word word: ", "] , a", "1,", "**a", "-- a "]
)
def test_rules_take_time_in_proportion_to_a_text(unit: str) -> None:
    with effort(3_000_000):
        normalize(unit * (20_000 // len(unit)), "loose")
