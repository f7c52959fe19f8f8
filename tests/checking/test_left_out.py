"""Sums of which the middle is left out: what is written is looked at, the rest is believed."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

SIZE = 12
PROBLEM = Problem.build(
    scale="none",
    inputs={
        "Q": [[k + 1 for k in range(SIZE)]],
        "K": [[2] * SIZE, [k % 3 for k in range(SIZE)]],
        "V": [[1], [2]],
    },
)
"""S_11 = 2 (1 + … + 12) = 156."""


def words(line: str) -> list[str]:
    return [finding.verdict for finding in check_text(PROBLEM, f"${line}$", "md").findings]


@pytest.mark.parametrize(
    "working",
    [
        r"1 \cdot 2 + 2 \cdot 2 + \cdots + 12 \cdot 2",
        r"1 \cdot 2 + \dots + 11 \cdot 2 + 12 \cdot 2",
        r"2 + 4 + \cdots + 24",
        r"1 \cdot 2 + 2 \cdot 2 + \cdots",
    ],
)
def test_right(working: str) -> None:
    assert words(f"S_{{11}} = {working} = 156") == ["right", "right"]


LABELLED = Problem.build(
    scale="none", Q=[[1], [0], [2], [1], [0]], K=[[1], [0]], V=[[1, 0], [0, 1]],
    gradient={"loss": "cross-entropy", "labels": [1, 2, 1, 1, 2]},
)  # fmt: skip


@pytest.mark.parametrize(("last", "verdict"), [(2, "right"), (1, "wrong")])
def test_terms_that_are_subtracted_may_be_left_out(last: int, verdict: str) -> None:
    line = rf"L = -\ln(p_{{11}}) - \ln(p_{{22}}) - \cdots - \ln(p_{{5{last}}})"
    (finding,) = check_text(LABELLED, f"${line}$", "md").findings
    assert finding.verdict == verdict


def test_a_slip_in_what_is_written() -> None:
    assert words(r"S_{11} = 1 \cdot 2 + 2 \cdot 2 + 3 \cdot 5 + \cdots + 12 \cdot 2 = 156") == ["wrong", "right"]


def test_a_wrong_value() -> None:
    assert words(r"S_{11} = 1 \cdot 2 + 2 \cdot 2 + \cdots + 12 \cdot 2 = 165") == ["right", "wrong"]


@pytest.mark.parametrize("working", [r"\cdots + 12 \cdot 2", r"7 \cdot 7 + \cdots + 8 \cdot 8"])
def test_what_cannot_be_said(working: str) -> None:
    assert words(f"S_{{11}} = {working}") == ["undecided"]


FADING = Problem.build(scale="none", inputs={"Q": [[-4]], "K": [[5], [0]], "V": [[-4], [0]]}, rounding={"places": 4})
"""The first weight, e^-20/Z_1, is 0.0000 to the places shown, and the second value is 0: both terms of O_11 vanish."""


@pytest.mark.parametrize("weight", ["", r"$A_{11} = \frac{e^{-20}}{Z_{1}} \approx 0.0000$. "])
@pytest.mark.parametrize(
    ("working", "verdict"),
    [
        (r"\frac{-4 e^{-20}}{Z_{1}}", "right"),
        (r"-4 \cdot \frac{e^{-20}}{Z_{1}}", "right"),
        (r"A_{11} \cdot (-4)", "right"),
        (r"A_{11} \cdot (-4) + A_{12} \cdot 0", "right"),
        (r"\frac{-4 e^{20}}{Z_{1}}", "wrong"),
    ],
)
def test_a_term_that_rounds_to_zero_may_be_written_alone(weight: str, working: str, verdict: str) -> None:
    found = check_text(FADING, rf"{weight}$O_{{11}} = {working} \approx 0.0000$", "md").findings
    assert found[-2].verdict == verdict
    assert all(finding.verdict in {"right", "rounded"} for finding in found[:-2])
