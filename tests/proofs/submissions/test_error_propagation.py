"""What follows from an earlier mistake of a proof is no second mistake; what does not follow is one."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.api.submissions import check_proof
from symattn.notation.documents.reader import read_work
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.submissions.verdicts.judge import JudgedLink, judge_work
from tests import tables

pytestmark = pytest.mark.unmeasured

WORKS: list[dict[str, Any]] = tables.read("data/proof_follows.yaml")["works"]
NAMES = [work["id"] for work in WORKS]


def judged(work: dict[str, Any], text: str) -> list[JudgedLink]:
    found = judge_work(read_work(text, "md"), theorem(work["theorem"]), is_given=work.get("given", False))
    return [item for item in found if item.verdict != "unchecked" or item.explanation]


def line_of(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


@pytest.mark.parametrize("work", WORKS, ids=NAMES)
def test_what_follows_from_a_mistake_is_no_second_one(work: dict[str, Any]) -> None:
    text = work["text"]
    found = judged(work, text)
    assert [item.verdict for item in found] == work["verdicts"], [
        (text[item.span[0] : item.span[1]], item.verdict, item.explanation) for item in found
    ]
    following = [item for item in found if item.verdict == "follows"]
    assert [line_of(text, item.origin or 0) for item in following] == work["origins"]
    for item, line in zip(following, work["origins"], strict=True):
        assert item.explanation == f"It follows from the mistake in line {line}."
        assert (item.slip, item.example, item.is_valid) == (None, None, False)


@pytest.mark.parametrize("work", WORKS, ids=NAMES)
def test_nothing_follows_where_nothing_was_wrong_before(work: dict[str, Any]) -> None:
    """Each formula of a work alone is never said to follow from what does not stand before it in its own chain."""
    words, *_ = work["text"].split("$$")
    for formula in work["text"].split("$$")[1::2]:
        if formula.lstrip().startswith("="):
            continue
        verdicts = [item.verdict for item in judged(work, f"{words}$${formula}$$")]
        assert "follows" not in verdicts[: verdicts.index("wrong") if "wrong" in verdicts else None]


def test_the_report_has_one_mistake_and_one_diagnosis() -> None:
    report = check_proof("dot-product-variance", WORKS[0]["text"], "md", source="work")
    assert [item.verdict for item in report.findings if item.verdict != "unchecked"] == ["wrong", "follows", "follows"]
    assert sum(item.diagnosis is not None for item in report.findings) == 1
    assert report.exit_status == 1
    assert "follows: It follows from the mistake in line 2." in report.to_text()
