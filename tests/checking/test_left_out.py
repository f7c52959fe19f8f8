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


def test_a_slip_in_what_is_written() -> None:
    assert words(r"S_{11} = 1 \cdot 2 + 2 \cdot 2 + 3 \cdot 5 + \cdots + 12 \cdot 2 = 156") == ["wrong", "right"]


def test_a_wrong_value() -> None:
    assert words(r"S_{11} = 1 \cdot 2 + 2 \cdot 2 + \cdots + 12 \cdot 2 = 165") == ["right", "wrong"]


@pytest.mark.parametrize("working", [r"\cdots + 12 \cdot 2", r"7 \cdot 7 + \cdots + 8 \cdot 8"])
def test_what_cannot_be_said(working: str) -> None:
    assert words(f"S_{{11}} = {working}") == ["undecided"]
