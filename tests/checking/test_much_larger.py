"""That one side is much larger than the other, or much smaller, is left open: by how much is not said."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Finding
from symattn.problem.model import Problem

_INPUTS = {"Q": [[1, 0], [0, 1]], "K": [[2, 0], [0, 1]], "V": [[1, 2], [3, 4]]}
"""S = [2 0; 0 1]."""


def _findings(text: str) -> list[Finding]:
    found = check_text(Problem.build(scale="none", inputs=_INPUTS), text, "md").findings
    return [finding for finding in found if finding.verdict != "unchecked"]


@pytest.mark.parametrize("text", [r"$S_{11} \gg S_{12}$", "$S_{12} ≪ S_{11}$", r"$S_{11} \ll S_{12}$"])
def test_it_is_not_decided(text: str) -> None:
    (found,) = _findings(text)
    assert (found.verdict, found.name) == ("undecided", None)
    assert "much" in found.explanation


def test_what_stands_before_is_judged() -> None:
    found = _findings(r"$S_{11} = 2 \gg 0$ and $S_{12} = 1 \ll 5$")
    assert [one.verdict for one in found] == ["right", "undecided", "wrong", "undecided"]
