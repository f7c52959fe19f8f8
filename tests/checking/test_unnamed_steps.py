"""Exponentials and row sums that stand in the working alone: a mistake in one is one mistake."""

from __future__ import annotations

from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.problem.model import Problem

PROBLEM = Problem.build(
    scale="none",
    inputs={"Q": [[1, 0], [0, 1]], "K": [["1.5", 0], ["-2.5", 1], [8, 1]], "V": [[1, 0], [0, 1], [1, 1]]},
)
"""The first row of scores is 1.5, -2.5, 8: e^1.5 = 4.4817, e^-2.5 = 0.0821, e^8 = 2980.958."""

WEIGHTS = (
    (r"A_{11} = \frac{4.5}{4.5 + 0.1 + 2000}", "0.0022"),
    (r"A_{12} = \frac{0.1}{4.5 + 0.1 + 2000}", "0.00005"),
    (r"A_{13} = \frac{2000}{2004.6}", "0.9977"),
)
"""All with e^8 = 2000: 4.5/2004.6 = 0.00224…, 0.1/2004.6 = 0.0000498…, 2000/2004.6 = 0.99770…"""

LINES = tuple(f"{working} = {value}" for working, value in WEIGHTS)


def report(*lines: str) -> Report:
    return check_text(PROBLEM, "\n\n".join(f"${line}$" for line in lines), "md")


def words(*lines: str) -> list[str]:
    return [finding.verdict for finding in report(*lines).findings]


def test_an_exponential_that_was_worked_out_without_a_name() -> None:
    found = words(r"e^{8} = 2000", *LINES)
    assert found == ["wrong", "right", "follows", "right", "follows", "right", "follows"]


def test_an_exponential_that_stands_below_the_bar_alone() -> None:
    found = words(*LINES)
    assert found == ["wrong", "follows", "right", "follows", "right", "follows"]


def test_the_same_slip_twice_in_one_chain_is_one_slip() -> None:
    weight = r"A_{11} = \frac{e^{1.5}}{e^{1.5} + e^{-2.5} + e^{8}}"
    found = words(rf"{weight} = \frac{{4.5}}{{4.5 + 0.1 + 2000}} = \frac{{4.5}}{{2004.6}} = 0.0022")
    assert found == ["right", "wrong", "right", "follows"]


def test_half_worked_out() -> None:
    """The first weight is 0.0015 all the same when e^8 is right: nothing is held against it."""
    assert set(words(r"A_{11} = e^{1.5}/(4.5+0.1+2981) = 4.48/2985.6 = 0.0015")) == {"right", "rounded"}
    found = words(r"A_{11} = e^{1.5}/(4.5+0.1+2000) = 0.0022", *LINES[1:])
    assert found == ["wrong", "follows", "right", "follows", "right", "follows"]


def test_a_row_sum_that_is_named_nowhere() -> None:
    found = words(r"A_{11} = 4.5/2004.6 = 0.0022", r"A_{12} = 0.1/2004.6 = 0.00005")
    assert found == ["wrong", "follows", "right", "follows"]


def test_named_exponentials_and_a_row_sum_without_name() -> None:
    found = words("E_{11} = 4.5", "E_{12} = 0.1", "E_{13} = 2000", *(f"{line}" for line in LINES))
    assert found == ["rounded", "rounded", "wrong", "right", "follows", "right", "follows", "right", "follows"]


def test_values_alone() -> None:
    found = words(r"\exp(8) = 2000", "A_1 = [0.0022, 0.00004, 0.9977]", "O_1 = [0.9999, 0.9977]")
    assert found == ["wrong", "follows", "follows"]


def test_what_follows_may_be_repeated() -> None:
    assert words(*LINES, "A_{13} = 0.9977")[-1] == "follows"
    assert words("A_{13} = 0.9977", "A_{13} = 0.9977") == ["wrong", "wrong"]


def test_another_number_does_not_follow() -> None:
    found = words(r"e^{8} = 2000", r"A_{13} = \frac{3000}{4.5 + 0.1 + 3000} = 0.9985", "A_{12} = 0.07")
    assert found[0] == found[1] == found[-1] == "wrong"


def test_exponentials_of_no_score_are_nobodys() -> None:
    """e^3 is wrong, and no weight has anything to do with it."""
    assert words(r"e^{3} = 21", "A_{13} = 0.9985") == ["wrong", "rounded"]


def test_what_is_struck_out_is_not_gone_on_with() -> None:
    found = check_text(PROBLEM, f"~~$e^{{8}} = 2000$~~\n\n${LINES[0]}$", "md").findings
    assert [finding.verdict for finding in found] == ["withdrawn", "wrong", "follows"]


def test_a_denominator_over_the_wrong_line_is_no_row_sum() -> None:
    """Numbers that have a better explanation are not taken for exponentials of the row."""
    found = report(r"A_{11} = \frac{e^{1.5}}{e^{1.5} + e^{0}} = 0.8176", r"A_{13} = 0.9985")
    assert found.findings[0].verdict == "wrong"
    assert found.findings[-1].verdict == "rounded"
