"""Row maxima: every entry that is compared is an operand, the largest or not."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

PROBLEM = Problem.build(
    Q=[[1, 2]], K=[[1, 0], [0, 1], [1, 1]], V=[[1], [2], [3]], scale="none", rounding={"shift": True}
)


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        ("max(1, 2, 3)", "right"),
        ("max(2/2, 2, 3)", "right"),
        ("max(1, 1, 3)", "wrong"),
        ("max(-1, 2, 3)", "wrong"),
        (r"\max\left(1, \frac{2\sqrt{3}}{5}, 3\right)", "wrong"),
        (r"\max\left(\frac{\sqrt{4}}{2}, 2, 3\right)", "right"),
        ("max(1, 2, 4)", "wrong"),
    ],
)
def test_what_is_compared(written: str, verdict: str) -> None:
    report = check_text(PROBLEM, f"$m_1 = {written}$", "md")
    assert [finding.verdict for finding in report.findings] == [verdict]
