"""Works with very many wrong numbers: each is judged, equal ones once, and causes are looked for in the first ones."""

from __future__ import annotations

from functools import partial

from symattn.checking.check import check_text
from symattn.checking.mistakes.causes import MOST_SEARCHES
from tests.checking.sheets import numbers, sheet, spoilt
from tests.effort import calls

MANY = MOST_SEARCHES + 20


def _copies(count: int) -> str:
    rows = spoilt(numbers()["A"], 1, 0)
    written = "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"
    return "\n\n".join([f"$A = {written}$"] * count)


def test_equal_mistakes_are_judged_alike() -> None:
    findings = check_text(sheet(), _copies(20), "md").findings
    assert {finding.verdict for finding in findings} == {"wrong"}
    said = {(str(finding.diagnosis), finding.explanation) for finding in findings}
    assert len(said) == 1


def test_an_equal_mistake_takes_little_work() -> None:
    one, few, many = (calls(partial(check_text, sheet(), _copies(count), "md")) for count in (1, 20, 40))
    assert 4 * (many - few) / 20 < one


def test_every_one_of_very_many_mistakes_is_wrong_and_the_first_ones_are_explained() -> None:
    right = numbers()["S"][0][0]
    lines = [f"$S_{{11}} = {k}$" for k in range(100, 100 + MANY)]
    report = check_text(sheet(), "\n\n".join([f"$S_{{11}} = -{right}$", *lines]), "md")
    assert {finding.verdict for finding in report.findings} == {"wrong"}
    assert report.findings[0].diagnosis is not None
    assert any("Causes are named" in note for note in report.remarks)


def test_a_number_that_is_right_after_all_is_right() -> None:
    right = numbers()["S"][0][0]
    text = "\n\n".join([f"$S_{{11}} = {k}$" for k in (100, 100, 101)] + [f"$S_{{11}} = {right}$"])
    assert [finding.verdict for finding in check_text(sheet(), text, "md").findings] == ["wrong"] * 3 + ["right"]
