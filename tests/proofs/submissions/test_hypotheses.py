"""Hypotheses in works: stated, denied, conditional, mentioned, contradicted, or about something else."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.api.submissions import check_proof
from tests import tables

pytestmark = pytest.mark.unmeasured

DATA = tables.read("data/proof_hypotheses.yaml")
WORKS: list[dict[str, Any]] = DATA["works"]
PHRASES = [(words, stated) for key, stated in (("stated", True), ("not stated", False)) for words in DATA[key]]
VARIANCE = (
    r"$\operatorname{Var}(q^\top k) = \sum_{i=1}^d \operatorname{Var}(q_i k_i) = \sum_{i=1}^d E[q_i^2]E[k_i^2] = d$."
)
RIGHT, WRONG, OPEN = 0, 1, 3
MOMENTS = [
    (words, status)
    for key, status in (("right", RIGHT), ("wrong", WRONG), ("open", OPEN))
    for words in DATA["moments"][key]
]


@pytest.mark.sample(12)
@pytest.mark.parametrize("work", WORKS, ids=[work["id"] for work in WORKS])
def test_works_are_accepted_under_the_hypotheses_that_they_state(work: dict[str, Any]) -> None:
    report = check_proof(work["theorem"], work["text"], work.get("format", "md"), source="work")
    found = [(item.text, item.verdict, item.explanation) for item in report.findings if item.verdict != "unchecked"]
    assert report.exit_status == (RIGHT if work["expected"] == "right" else OPEN), found


@pytest.mark.sample(16)
@pytest.mark.parametrize(("words", "is_stated"), PHRASES)
def test_words_state_a_hypothesis_or_do_not(words: str, is_stated: bool) -> None:
    report = check_proof("dot-product-variance", f"{words}\n\n{VARIANCE}", "md", source="work")
    found = [(item.text, item.verdict, item.explanation) for item in report.findings if item.verdict != "unchecked"]
    assert (report.exit_status == RIGHT) is is_stated, found


@pytest.mark.sample(12)
@pytest.mark.parametrize(("words", "status"), MOMENTS)
def test_a_moment_is_read_with_its_whole_value(words: str, status: int) -> None:
    text = f"The components of $q$ and $k$ are independent with {words}.\n\n{VARIANCE}"
    report = check_proof("dot-product-variance", text, "md", source="work")
    assert report.exit_status == status, [(item.text, item.verdict, item.explanation) for item in report.findings]


SAID = [*DATA["definitions"], *DATA["laws"]]


@pytest.mark.parametrize("work", SAID, ids=range(len(SAID)))
def test_what_a_work_says_of_a_name_counts(work: dict[str, Any]) -> None:
    report = check_proof(work["theorem"], work["text"], "md", source="work")
    found = [(item.text, item.verdict, item.explanation) for item in report.findings]
    assert report.exit_status == work["expected"], found


@pytest.mark.parametrize(
    ("words", "line", "part"),
    [
        ("They have mean 0.\nWe do not assume that $q$ and $k$ are independent.", 2, "denies it"),
        ("If $q$ and $k$ are independent, it is easy.", 1, "makes it a condition"),
        ("Many people think that $q$ and $k$ are independent.", 1, "only mentions it"),
        ("Without independence of $q$ and $k$ one gets the same.", 1, "does without it"),
    ],
)
def test_the_report_names_the_sentence(words: str, line: int, part: str) -> None:
    text = f"{words}\n\n$$E[q^\\top k] = \\sum_{{i=1}}^d E[q_i] E[k_i]$$"
    (found,) = [
        item for item in check_proof("dot-product-mean", text, "md", source="w").findings if item.verdict == "unstated"
    ]
    assert "q and k are independent" in found.explanation
    assert f"line {line} {part}: “" in found.explanation


@pytest.mark.parametrize("tail", DATA["behind"])
def test_what_stands_behind_a_proof_does_not_undo_it(tail: str) -> None:
    text = f"Let $q$ and $k$ be independent with i.i.d. components of mean $0$ and variance $1$.\n\n{VARIANCE} {tail}"
    assert check_proof("dot-product-variance", text, "md", source="work").exit_status == RIGHT


def test_lines_and_forms_do_not_matter() -> None:
    """A sentence reads the same in LaTeX, across lines, in a list and with its formulas as plain letters."""
    for text, wanted in (
        ("We do not assume\nthat $q$ and\n$k$ are\nindependent.", OPEN),
        ("- We do **not** assume that q and k are *independent*.", OPEN),
        ("> $q$ and $k$ are\n> independent.", RIGHT),
        ("~~$q$ and $k$ are independent.~~", OPEN),
        ("<!-- $q$ and $k$ are independent. -->", OPEN),
        ("q and k are independent.", RIGHT),
    ):
        found = check_proof(
            "dot-product-mean", f"{text}\n\n$$E[q^\\top k] = \\sum_{{i=1}}^d E[q_i] E[k_i]$$", "md", source="w"
        )
        assert found.exit_status == wanted, text


@pytest.mark.parametrize("relation", [r"E[q_i k_i] \ne E[q_i] E[k_i]", r"q_i \ne k_i", r"q \approx k"])
def test_any_relation_may_be_supposed(relation: str) -> None:
    check_proof("dot-product-variance", f"Suppose ${relation}$. {VARIANCE}", "md", source="work")


def test_a_limit_rests_on_what_ties_it_to_its_variable() -> None:
    limit = r"$$\lim_{b \to \infty} h_i = W c_i$$"
    assert check_proof("running-linear", limit, "md", source="work").exit_status == OPEN
