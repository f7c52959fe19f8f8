"""A number of which a digit is not settled is written as the interval that holds it."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

ROTATED = Problem.build(
    Q=[["0.3", "1.2"], [1, "0.5"]],
    K=[[1, 2], ["0.9", "0.7"]],
    V=[[1], [2]],
    scale="none",
    positions={"kind": "rope"},
)
"""S_22 is a sum over squares of a sine and a cosine, which is 1.25 however the angle is."""


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        (r"S_{22} \approx (1.2499, 1.2501)", "rounded"),
        (r"S_{22} \approx (1.26, 1.27)", "wrong"),
        (r"S_{22} \approx (1.1, 1.2)", "wrong"),
        (r"S_{12} \approx (-10, 10)", "rounded"),
    ],
)
def test_an_interval_holds_its_number(written: str, verdict: str) -> None:
    (finding,) = check_text(ROTATED, f"${written}$", "md").findings
    assert finding.verdict == verdict


def test_the_ends_of_an_interval_are_in_order() -> None:
    (finding,) = check_text(ROTATED, r"$S_{22} \approx (1.2501, 1.2499)$", "md").findings
    assert finding.verdict == "ambiguous"
