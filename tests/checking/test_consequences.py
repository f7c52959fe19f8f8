"""The verdict on what rests on numbers that are shown otherwise than asked, struck out, or excused later."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.problem.model import Problem

# Weights [[0.670, 0.330], [0.330, 0.670]]; outputs [[0.670, 1.321], [0.330, 2.679]].
GIVEN: dict[str, Any] = {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 2]], "V": [[1, 0], [0, 4]]}
PLAIN = Problem.build(**GIVEN)
CAUSAL = Problem.build(**GIVEN, mask="causal")
TWO_PLACES = Problem.build(**GIVEN, rounding={"places": 2})
THREE_PLACES = Problem.build(**GIVEN, rounding={"places": 3})
# Exponentials of the scores 1 to 6, with 6 subtracted 0.0067, 0.0183, 0.0498, 0.1353, 0.3679 and 1.
LONG = Problem.build(Q=[[1]], K=[[1], [2], [3], [4], [5], [6]], V=[[1], [0], [0], [0], [0], [0]], scale="none")
SHIFTED = "We subtract the maximum.\n\n" + "\n".join(
    f"- $E_{{1{j}}} = {value}$" for j, value in enumerate(["0.0067", "0.0183", "THIRD", "0.1353", "0.3679", "1"], 1)
)
CACHED = Problem.build(
    scale="none", mask="causal", tokens="rows", projection="X W",
    cache={"K": [[1, 1]], "V": [[1, 0]]},
    inputs={"X": [[1, 2]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]], "W_V": [[1, 0], [0, 1]]},
)  # fmt: skip
"""Scores (3, 5), weights (0.119, 0.881)."""


def report(problem: Problem, text: str) -> Report:
    return check_text(problem, text, "md")


def verdicts(problem: Problem, text: str) -> list[str]:
    return [finding.verdict for finding in report(problem, text).findings if finding.name]


@pytest.mark.parametrize(
    ("problem", "text", "expected"),
    [
        (TWO_PLACES, "$A_{11} = 0.7$, $A_{12} = 0.3$, $O_{11} = 0.7$, $O_{12} = 1.2$", "coarse coarse carried carried"),
        (TWO_PLACES, "$A_{11} = 0.66$, $A_{12} = 0.33$, $O_{11} = 0.66$", "truncated rounded carried"),
        (TWO_PLACES, "$A_{11} = 0.7$, $A_{12} = 0.9$, $O_{12} = 3.6$", "coarse wrong follows"),
        (TWO_PLACES, "$A_{21} = 0.9$, $A_{12} = 0.3$, $O_{12} = 1.2$", "wrong coarse carried"),
        (THREE_PLACES, "$E_{22} = e^{1.414} = 4.11$, $E_{11} = e^{0.707} = 2.03$", "right coarse right coarse"),
        (THREE_PLACES, "$E_{22} = e^{1.4142} = 4.12$, $E_{11} = e^{0.71} = 2.02$", "right wrong right wrong"),
        (PLAIN, "~~$A_{12} = 0.5$~~\n\n$O_{12} = 2.00$", "withdrawn wrong"),
        (PLAIN, "$A_{12} = 0.5$\n\n$O_{12} = 2.00$", "wrong follows"),
        (PLAIN, "~~$S_{11} = 7$~~\n$= 7$", "withdrawn wrong"),
        (PLAIN, "~~$S_{11} = 7$~~\n$= 1$", "withdrawn right"),
        (CAUSAL, "masked scores = [[1, -inf], [1, 2]]\n\n$A_1 = [1.00, 0.00]$\n\n$A_2 = [0.330, 0.670]$",
         "right right rounded"),
        (CAUSAL, "masked scores = [[1, -inf], [1, 2]]\n\n$A_1 = [1.00, 0.00]$\n\n$A_2 = [0.269, 0.731]$",
         "wrong right follows"),
        (CAUSAL, "$q_2 = [0, 3]$\n\nmasked scores = [[1, -inf], [1, 2]]\n\n$A_2 = [0.107, 0.893]$\n\n$A_1 = [1.00, 0]$",
         "wrong right follows right"),
        (LONG, SHIFTED.replace("THIRD", "0.0498") + "\n- $Z_1 = 1.5780$",
         "rounded rounded rounded rounded rounded right carried"),
        (LONG, SHIFTED.replace("THIRD", "20.0855") + "\n- $Z_1 = 21.6137$",
         "rounded rounded wrong rounded rounded right follows"),
        (LONG, SHIFTED.replace("THIRD", "20.0855"), "rounded rounded rounded rounded rounded right"),
        (CACHED, "S = [[5]]\n\nA = [[1]]", "wrong follows"),
        (CACHED, "~~S = [[5]]~~\n\nA = [[1]]", "withdrawn wrong"),
    ],
)  # fmt: skip
def test_verdicts(problem: Problem, text: str, expected: str) -> None:
    assert verdicts(problem, text) == expected.split()
