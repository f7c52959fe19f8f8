"""A strict sheet that asks for figures accepts finer numbers, of whatever size they are."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

WEIGHTS = {"1": ("0.73105857863", "0.26894142137"), "5": ("0.99330714908", "0.00669285092")}
"""A query of length 1, a key of this length, and one of length 0: both weights."""


@pytest.mark.parametrize("key", WEIGHTS)
@pytest.mark.parametrize("column", [1, 2])
@pytest.mark.parametrize("more", [1, 2, 3])
def test_a_number_cut_off_with_more_figures_is_right(key: str, column: int, more: int) -> None:
    rounding = {"figures": 3, "ties": "truncate", "steps": "all"}
    problem = Problem.build(Q=[[1]], K=[[key], [0]], V=[[1], [2]], scale="none", rounding=rounding)
    weight = WEIGHTS[key][column - 1]
    zeros = len(weight[2:]) - len(weight[2:].lstrip("0"))
    written = weight[: 2 + zeros + 3 + more]
    (finding,) = check_text(problem, f"$A_{{1{column}}} = {written}$", "md", strict=True).findings
    assert finding.verdict == "rounded"
