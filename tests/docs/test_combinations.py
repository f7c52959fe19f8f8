"""Every pair of features is solved, with a key that `check` finds right, or refused with the sentence of the table."""

from __future__ import annotations

import re

import pytest

import symattn as sa
from tests.docs.combinations import DATA, FEATURES, PAIRS, REFUSED, SAME, problem, refusal


def test_the_table_is_about_the_features_that_are_tried() -> None:
    assert DATA["features"] == [*FEATURES]
    assert {*REFUSED} <= {*PAIRS}
    assert len(REFUSED) == len(DATA["refused"])
    assert {name for pair in SAME for name in pair} <= FEATURES.keys()


@pytest.mark.parametrize("item", DATA["refused"], ids=lambda item: ", ".join(item["features"]))
def test_a_refusal_is_a_sentence_or_two_with_a_reason(item: dict[str, str]) -> None:
    assert re.fullmatch(r"[^\n]{20,240}[.]", item["says"])
    assert re.fullmatch(r"[A-Z][^\n]{10,200}[.]|Not worked out yet[.]", item["reason"])


@pytest.mark.parametrize("pair", [*REFUSED], ids=", ".join)
def test_a_pair_is_refused_as_the_table_says(pair: tuple[str, str]) -> None:
    assert refusal(problem(*pair)) == REFUSED[pair]


@pytest.mark.sample(2)
@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair not in REFUSED], ids=", ".join)
def test_the_key_of_a_pair_is_proved_and_right(pair: tuple[str, str]) -> None:
    asked = sa.Problem.build(**problem(*pair))
    report = sa.check(asked, sa.solve(asked).to_latex("exam"), "tex")
    faults = [item for item in report.findings if item.verdict in {"wrong", "follows", "unread"}]
    assert not faults
    assert report.findings
