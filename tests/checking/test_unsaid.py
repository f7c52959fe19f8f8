"""A number for a name without indices: bound to the entry that was spoken of, never wrong where some entry has it."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Finding
from symattn.problem.model import Problem

INPUTS = {"Q": [[1, 2], [0, 1], [1, 1]], "K": [[1, 0], [1, 1], [2, 1]], "V": [[1, 0], [0, 1], [1, 1]]}
"""S = [1 3 4; 0 1 1; 1 2 3], O = [.74 .96; .58 .84; .76 .91]."""

ENTRIES = {
    "score": ["0", "1", "2", "3", "4"],
    "query": ["0", "1", "2"],
    "key": ["0", "1", "2"],
    "value": ["0", "1"],
    "output": ["0.74", "0.96", "0.58", "0.84", "0.76", "0.91"],
}


def findings(text: str, form: str = "md") -> list[Finding]:
    problem = Problem.build(scale="none", inputs=INPUTS)
    return list(check_text(problem, text, form).findings)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["md", "txt"])
@pytest.mark.parametrize("relation", [" = ", ": "])
@pytest.mark.parametrize("name", ENTRIES)
def test_a_number_of_some_entry_is_not_wrong(name: str, relation: str, form: str) -> None:
    for number in ENTRIES[name]:
        (found,) = findings(f"{name}{relation}{number}", form)
        assert found.verdict == "ambiguous", found
        assert "It is not said which entry" in found.explanation


@pytest.mark.parametrize("name", ENTRIES)
def test_a_number_of_no_entry_is_wrong(name: str) -> None:
    (found,) = findings(f"{name} = 77")
    assert found.verdict == "wrong"


@pytest.mark.parametrize("before", ["$S_{12} = 1 \\cdot 1 + 2 \\cdot 1 = 3$", "## S_12", "### $S_{12}$", "**S_{12}**"])
def test_the_entry_that_was_spoken_of_is_meant(before: str) -> None:
    found = findings(f"{before}\n\nscore = 3")[-1]
    assert (found.name, found.verdict) == ("S[1,2]", "right")
    found = findings(f"{before}\n\nscore = 7")[-1]
    assert (found.name, found.verdict) == ("S[1,2]", "wrong")
    # After an entry, not after a title, the next one may be meant.
    found = findings(f"{before}\n\nscore = 4")[-1]
    assert found.verdict == ("right" if "=" in before else "ambiguous")
    assert "S[1,3]" in f"{found.name} {found.explanation}"


def test_an_entry_of_another_quantity_is_not_meant() -> None:
    assert findings("$A_{12} = 0.26$\n\nscore = 3")[-1].verdict == "ambiguous"


def test_scores_may_be_scaled_ones() -> None:
    problem = Problem.build(scale="1/sqrt(d_k)", inputs=INPUTS)
    (found,) = check_text(problem, "score = 2.83", "md").findings
    assert found.verdict == "ambiguous"
    assert "S_scaled[1,3]" in found.explanation


def test_the_sum_before_the_number_is_judged() -> None:
    # Working that only one entry calls for may say which it is.
    assert {found.verdict for found in findings("score = 1*2 + 2*1 = 4")} <= {"ambiguous", "right"}
    *_, last = findings("score = 1*2 + 2*1 = 3")
    assert last.verdict == "wrong"
    assert "4" in last.explanation


def test_what_is_equal_to_the_larger_side_is_about_that_side() -> None:
    assert [found.verdict for found in findings("$S_{12} = 3 < S_{13} = 4$")] == ["right"] * 3
    assert [found.verdict for found in findings("$S_{12} = 3 < S_{13} = 5$")] == ["right", "right", "wrong"]


@pytest.mark.parametrize(
    ("total", "missing"),
    [
        ("0.501·2 + 0.499·1 = 1.501", ()),
        ("0.501·3 + 0.499·2 = 2.501", ("O",)),
        ("1.501·2 + 0.499·1 = 3.501", ("O",)),
    ],
)
def test_the_result_of_arithmetic_may_be_the_answer(total: str, missing: tuple[str, ...]) -> None:
    """After a wrong exponential, e^1.414 = 4.134 and not 4.113, the answer follows from it, and nothing names it."""
    problem = Problem.build(Q=[[1, 2]], K=[[0, 1], [2, 0]], V=[[2], [1]], parts=[{"asks": ["outputs"]}])
    lines = ("exp(1.414) = 4.134", "exp(1.414) = 4.113", "The sum is 8.247.", "w1 = 0.501, w2 = 0.499")
    report = check_text(problem, "\n\n".join((*lines, f"Answer: {total}")), "txt")
    assert report.missing == missing
