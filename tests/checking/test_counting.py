"""Works that count from 0 are judged from 0, however they say it; numbers that are no index say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.problem.model import Problem

EXAMPLES = Path(__file__).parents[2] / "examples"

INPUTS = {"Q": [[1, 2], [0, 1], [1, 1]], "K": [[1, 0], [1, 1], [2, 1]], "V": [[1, 0], [0, 1], [1, 1]]}
"""S = [1 3 4; 0 1 1; 1 2 3]."""

FROM_ZERO = "Rows and columns are counted from 0 in this work."


def report(text: str, form: str) -> Report:
    return check_text(Problem.build(scale="none", inputs=INPUTS), text, form)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("$S_{00} = 1$", "md"),
        ("$S_{0,:} = [1, 3, 4]$", "md"),
        (r"$S_{0\cdot} = \begin{bmatrix} 1 & 3 & 4 \end{bmatrix}$", "tex"),
        (r"$S_{:,0} = \begin{bmatrix} 1 \\ 0 \\ 1 \end{bmatrix}$", "tex"),
        ("$S_{0:} = [1, 3, 4]$", "md"),
        ("S[0] = [1, 3, 4]", "txt"),
        ("S[0, :] = [1, 3, 4]", "txt"),
        ("S[:, 0] = [1, 0, 1]", "txt"),
        ("S[0][2] = 4", "txt"),
        ("`S[0] = [1 3 4]`", "md"),
        ("Row 0 of S is [1, 3, 4].", "md"),
        ("row 0 of S: [1, 3, 4]", "txt"),
        ("row 0 = [1, 3, 4]", "txt"),
        ("## Row 0", "md"),
        ("Rows 0 and 1 are alike.", "md"),
        ("The zeroth row is the first.", "md"),
        ("| S | a | b | c |\n|---|---|---|---|\n| row 0 | 1 | 3 | 4 |", "md"),
        (r"Row $0$ of S is below.", "tex"),
        ("q0 = [1, 2]", "txt"),
    ],
)
def test_an_index_of_zero(text: str, form: str) -> None:
    # S_{01} is 3 only for those who count from 0.
    found = report(f"{text}\n\n$S_{{21}} = 2$\n", form)
    assert FROM_ZERO in found.remarks
    assert not [finding for finding in found.findings if finding.verdict == "wrong"]
    assert found.findings[-1].name == "S[3,2]"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The row 0, 1, 1 is the second.", "md"),
        ("the row 0 1 1", "txt"),
        ("The others get row 0.5 each.", "md"),
        ("Row 2 of S is [0, 1, 1].", "md"),
        ("The other keys 0.", "md"),
        ("S_2 = [0, 1, 1]", "txt"),
        ("Q[0.5, 0] is nothing.", "md"),
        ("row 10 is not there", "md"),
        ("0 rows are masked", "md"),
    ],
)
def test_a_zero_that_is_no_index(text: str, form: str) -> None:
    found = report(f"{text}\n\n$S_{{21}} = 0$\n", form)
    assert FROM_ZERO not in found.remarks
    assert found.findings[-1].name == "S[2,1]"


def test_a_zero_in_a_name_of_the_sheet_counts_nothing() -> None:
    problem = Problem.build(scale="none", inputs=INPUTS, names={"S": "S_0"})
    found = check_text(problem, r"$(S_0)_{11} = 1$, $(\mathbf{S}_{0})_{12} = 3$ $A_{11} = 0.035$", "md")
    assert [finding.verdict for finding in found.findings] == ["right", "right", "rounded"]


def test_the_key_of_a_network_behind_attention_counts_from_one() -> None:
    """It has a gradient dF_0: what comes back to what goes into the network."""
    problem = Problem.load(EXAMPLES / "block_backward.toml")
    tex = solve(problem).to_latex()
    found = check_text(problem, "\n".join(line.partition("% symattn")[0] for line in tex.splitlines()), "tex")
    assert {finding.verdict for finding in found.findings} <= {"right", "rounded", "unchecked"}


@pytest.mark.parametrize(
    "words",
    ["Positions count from 0.", "The positions are counted from 0.", "It is open whether positions count from 0 or 1."],
)
def test_positions_from_zero_say_nothing_of_rows(words: str) -> None:
    found = report(words + "\n\n$S_{11} = 1$, $S_{13} = 4$", "md")
    assert [item.verdict for item in found.findings if "S" in item.text] == ["right", "right"]
