"""A softmax of scores less their maximum is the same softmax: no step of it is a mistake."""

from __future__ import annotations

from math import exp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.checking.check import check_text
from symattn.checking.report import HOLDS, Report
from symattn.problem.model import Problem

INPUTS = {"Q": [[1, 2], [0, -1]], "K": [[1, 0], [0, 1], [-1, 1]], "V": [[2, 0], [1, 3], [0, -2]]}
"""S = [1 2 1; 0 -1 -1]."""


def report(*lines: str, inputs: dict[str, Any] = INPUTS, **options: Any) -> Report:
    problem = Problem.build(tokens="rows", scale="none", inputs=inputs, rounding={"places": 2, "steps": "all"})
    return check_text(problem, "\n\n".join(lines), "md", **options)


def verdicts(found: Report) -> list[str]:
    return [finding.verdict for finding in found.findings if finding.verdict != "unchecked"]


SHIFTED = (
    ("$Z_1 = 0.37 + 1 + 0.37 = 1.74$", "$A_{11} = 0.37/1.74 = 0.21$", "$A_{12} = 1/1.74 = 0.57$"),
    (r"$A_{12} = \frac{e^{2-2}}{e^{1-2}+e^{2-2}+e^{1-2}} = \frac1{0.37+1+0.37} = 0.57$",),
    (r"$A_{11} = \frac{e^{-1}}{e^{-1}+e^{0}+e^{-1}} = 0.21$",),
    ("$e^{1-2} = 0.37$, $e^{2-2} = 1$", "$A_{11} = 0.37/1.74 = 0.21$"),
    ("$E = [0.37, 1, 0.37; 1, 0.37, 0.37]$", "$Z = (1.74, 1.74)$", "$A = [0.21, 0.57, 0.21; 0.57, 0.21, 0.21]$"),
    ("Subtract the row maximum: $E_{11} = 0.37$",),
    # The second line less 1, which is no maximum of anything; less the largest score of all.
    ("$E = [0.37, 1, 0.37; 0.37, 0.14, 0.14]$", "$Z = (1.74, 0.65)$"),
    ("$E = [0.37, 1, 0.37; 0.14, 0.05, 0.05]$", "$Z = (1.74, 0.24)$"),
    # The second line as it is, the first one shifted.
    ("$E_1 = (0.37, 1, 0.37)$", "$Z_1 = 1.74$", "$E_{21} = e^0 = 1$", "$E_{22} = e^{-1} = 0.37$"),
)


@pytest.mark.parametrize("lines", SHIFTED, ids=range(len(SHIFTED)))
def test_shifted_exponentials_are_right(lines: tuple[str, ...]) -> None:
    found = report(*lines)
    assert set(verdicts(found)) <= HOLDS, [finding.explanation for finding in found.findings]
    is_shifted = any(name in line for line in lines for name in ("Z", "E", "0.37"))
    assert any("shifted" in remark for remark in found.remarks) is is_shifted


def test_a_slip_in_a_shifted_line_is_found_where_it_stands() -> None:
    found = report("$E = [0.37, 1, 0.73; 1, 0.37, 0.37]$", "$Z = (2.10, 1.74)$")
    assert verdicts(found) == ["wrong", "follows"]
    (row, _) = found.findings[0].entries or ()
    assert [entry.verdict for entry in row] == ["rounded", "right", "wrong"]


@pytest.mark.parametrize(
    "lines",
    [
        ("$E = [2.72, 1, 0.37; 1, 0.37, 0.37]$",),  # half a line
        ("$E_{12} = 1$",),  # a number alone shows nothing
        ("$A_{12} = 1/12.83 = 0.08$",),
        ("$A_{12} = 7.39/1.74 = 4.25$",),
    ],
)
def test_what_no_shift_explains_stays_wrong(lines: tuple[str, ...]) -> None:
    assert "wrong" in verdicts(report(*lines))


def test_a_strict_sheet_wants_its_own_exponentials() -> None:
    assert "wrong" in verdicts(report(*SHIFTED[4], strict=True))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.integers(-2, 3), min_size=3, max_size=3), min_size=2, max_size=3))
def test_every_row_may_be_shifted_by_its_maximum(scores: list[list[int]]) -> None:
    """K is the unit matrix, so that the scores are Q; the numbers come from the standard library."""
    inputs = {"Q": scores, "K": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "V": [[1], [2], [3]]}
    powers = [[exp(score - max(row)) for score in row] for row in scores]
    rows = "; ".join(", ".join(f"{value:.4f}" for value in row) for row in powers)
    sums = ", ".join(f"{sum(row):.4f}" for row in powers)
    assert set(verdicts(report(f"$E = [{rows}]$", f"$Z = ({sums})$", inputs=inputs))) <= HOLDS


NOTES = """Scores: [3, 1, 2] for the first query, [4, 0, 2] for the second.

To be safe, subtract the maximum of each row before exponentiating.

*Query 1.* max = 3

- 3 - 3 = 0 → e^0 = 1
- 1 - 3 = -2 → e^-2 = 0.135
- 2 - 3 = -1 → e^-1 = 0.368
- sum: 1 + 0.135 + 0.368 = 1.503
- weights: 0.665, 0.090, 0.245

*Query 2.* max = 4

- 4 - 4 = 0 → e^0 = 1
- 0 - 4 = -4 → e^-4 = 0.018
- 2 - 4 = -2 → e^-2 = 0.135
- sum: 1 + 0.018 + 0.135 = 1.153
- weights: 0.867, 0.016, 0.117
"""

NOTES_INPUTS = {"Q": [[1, 1], [2, 0]], "K": [[2, 1], [0, 1], [1, 1]], "V": [[1, 0], [0, 1], [1, 1]]}

SLIPS: dict[str, tuple[list[tuple[str, str]], set[int]]] = {
    "none": ([], set()),
    "a sum": ([("= 1.503", "= 1.403"), ("0.665, 0.090, 0.245", "0.713, 0.096, 0.262")], {10}),
    "a sum of the second row": ([("= 1.153", "= 1.253"), ("0.867, 0.016, 0.117", "0.798, 0.014, 0.108")], {18}),
    "a shifted score": (
        [
            ("3 = -1 → e^-1 = 0.368", "3 = -3 → e^-3 = 0.050"),
            ("0.368 = 1.503", "0.050 = 1.185"),
            ("0.665, 0.090, 0.245", "0.844, 0.114, 0.042"),
        ],
        {9, 10, 11},
    ),
    "weights": ([("0.665", "0.656")], {11}),
}


@pytest.mark.parametrize("name", SLIPS)
@pytest.mark.parametrize("is_alone", [False, True])
def test_a_slip_in_a_row_does_not_decide_whether_rows_are_shifted(name: str, *, is_alone: bool) -> None:
    text, (changes, lines) = NOTES, SLIPS[name]
    for right, wrong in changes:
        assert right in text
        text = text.replace(right, wrong, 1)
    text = text.partition("*Query 2.*")[0] if is_alone else text
    found = check_text(Problem.build(scale="none", inputs=NOTES_INPUTS), text, "md")
    expected = {line for line in lines if line <= len(text.splitlines())}
    assert {finding.place.line for finding in found.findings if finding.verdict == "wrong"} == expected
