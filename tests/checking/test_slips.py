"""Every mistake of the catalogue, made on purpose: named, and what follows from it is not punished again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from symattn.checking.causes import CODES
from symattn.checking.check import check_text
from symattn.checking.report import Report, Verdict
from symattn.problem.model import Problem

HALVES = Problem.build(
    inputs={"Q": [[1, 0, 2, 1], [0, 1, 1, 0]], "K": [[2, 1, 0, 2], [1, 3, 3, 0]], "V": [[1, 2], [3, -1]]},
)
"""S = [4 7; 1 6], and half of it scaled: the root of d_k is 2. A = [0.1824 0.8176; 0.0759 0.9241]."""

SQUARE = Problem.build(scale="none", inputs={"Q": [[1, 2], [3, 1]], "K": [[2, 0], [1, 3]], "V": [[1, 0], [0, 1]]})
"""S = QK^T = [2 7; 6 6], and QK = [4 6; 7 3]."""

ONE = Problem.build(
    scale="none",
    inputs={"Q": [[1, 0]], "K": [[0, 1], [1, 2], [2, 1]], "V": [[1, 0], [0, 1], [2, 1]]},
)
"""S = [0 1 2], so that e^0 = 1 stands in the denominator; A = [0.0900 0.2447 0.6652]."""


CAUSAL = Problem.build(scale="none", mask="causal", Q=[[1], [2]], K=[[1], [3]], V=[[1], [3]])
"""S = [1 3; 2 6]; A = [1 0; 0.0180 0.9820]."""

BIASED = Problem.build(scale="none", bias={"add": [[0, 1], [2, 0]]}, Q=[[1], [2]], K=[[1], [1]], V=[[1], [3]])
"""S = [1 1; 2 2]; A = [0.2689 0.7311; 0.8808 0.1192]."""

TWO = Problem.build(scale="none", heads=2, Q=[[1, 2], [2, 1]], K=[[1, 0], [3, 1]], V=[[1, 1], [2, 0]])
"""S = [1 3; 2 6] and [0 2; 0 1]."""


@dataclass(frozen=True)
class Slip:
    """A mistake, and what somebody goes on with.

    Attributes:
        code: of the catalogue.
        problem: the problem.
        lines: formulas; the slip is in the one at `at`.
        at: the number of that line.
        verdict: of the slip.
        after: how many statements, the last ones, follow from it.
    """

    code: str
    problem: Problem
    lines: tuple[str, ...]
    at: int = 0
    verdict: Verdict = "wrong"
    after: int = 1

    def report(self, **options: Any) -> Report:
        return check_text(self.problem, "\n\n".join(f"$${line}$$" for line in self.lines) + "\n", "md", **options)


SCALED = r"S_{\text{scaled}}"

SLIPS = (
    Slip("missing-scale", HALVES, (rf"{SCALED} = [4, 7; 1, 6]", r"A = [0.0474, 0.9526; 0.0067, 0.9933]")),
    Slip("inverted-scale", HALVES, (rf"{SCALED} = [8, 14; 2, 12]", r"A = [0.0025, 0.9975; 0.0000, 1.0000]")),
    Slip(
        "scale-other",
        HALVES,
        (rf"{SCALED} = [2.8284, 4.9497; 0.7071, 4.2426]", r"A = [0.1070, 0.8930; 0.0283, 0.9717]"),
    ),
    Slip("decimal-point", HALVES, (r"A_{21} = 0.759", r"O_{21} = 3.5314")),
    Slip("scale-d_k", HALVES, (rf"{SCALED} = [1, 1.75; 0.25, 1.5]", r"A = [0.3208, 0.6792; 0.2227, 0.7773]")),
    Slip(
        "unscaled-softmax",
        HALVES,
        (
            r"S = [4, 7; 1, 6]",
            rf"{SCALED} = [2, 3.5; 0.5, 3]",
            r"A = [0.0474, 0.9526; 0.0067, 0.9933]",
            r"O = [2.9052, -0.8578; 2.9866, -0.9799]",
        ),
        at=2,
    ),
    Slip("mask-forgotten", CAUSAL, (r"A = [0.1192, 0.8808; 0.0180, 0.9820]", r"O_{11} = 2.7616")),
    Slip("mask-polarity", CAUSAL, (r"A = [0, 1; 0, 0]", r"O_{11} = 3")),
    Slip("mask-transposed", CAUSAL, (r"A = [0.1192, 0.8808; 0.0000, 1.0000]", r"O_{11} = 2.7616")),
    Slip("mask-after", CAUSAL, (r"A = [0.1192, 0; 0.0180, 0.9820]", r"O_{11} = 0.1192")),
    Slip("bias-forgotten", BIASED, (r"A = [0.5, 0.5; 0.5, 0.5]", r"O_{11} = 2.0000")),
    Slip("heads-softmax", TWO, (r"A^{(1)} = [0.7311, 0.7311; 0.8808, 0.9933]", r"H^{(1)}_{11} = 2.1933")),
    Slip("heads-mixed", TWO, (r"S^{(1)} = [0, 1; 0, 2]", r"A^{(1)} = [0.2689, 0.7311; 0.1192, 0.8808]")),
    Slip("wrong-axis", HALVES, (r"A = [0.8176, 0.6225; 0.1824, 0.3775]", r"O = [2.6851, 1.0127; 1.3149, -0.0127]")),
    Slip("wrong-row", HALVES, (r"S_{21} = 4", r"L_{21} = 2")),
    Slip("no-transpose", SQUARE, (r"S = [4, 6; 7, 3]", r"A = [0.1192, 0.8808; 0.9820, 0.0180]")),
    Slip("transposed-index", HALVES, (r"S_{21} = 7", r"L_{21} = 3.5")),
    Slip("wrong-entry", HALVES, (r"S_{11} = 7", r"L_{11} = 3.5")),
    Slip("sign", HALVES, (r"S_{22} = -6", r"L_{22} = -3")),
    Slip(
        "dropped-term",
        HALVES,
        (r"S_{12} = 0 \cdot 3 + 2 \cdot 3 + 1 \cdot 0 = 6", r"L_{12} = 3"),
        after=2,
    ),
    Slip(
        "extra-term",
        HALVES,
        (r"S_{11} = 1 \cdot 2 + 0 \cdot 1 + 2 \cdot 0 + 1 \cdot 2 + 3 \cdot 1 = 7", r"L_{11} = 3.5"),
        after=2,
    ),
    Slip("dropped-one", ONE, (r"A_{11} = 0.0900", r"A_{12} = 0.2447", r"A_{13} = 0.7311", r"O_{11} = 1.5522"), at=2),
    Slip("exp-slip", ONE, (r"E_{13} = 6.3891", r"Z_1 = 10.1074")),
    Slip("not-normalised", ONE, (r"A_{11} = 0.0900", r"A_{13} = 7.3891", r"O_{11} = 14.8682"), at=1),
    Slip(
        "truncation", ONE, (r"A_{11} = 0.0900", r"A_{13} = 0.66", r"O_{11} = 1.41"), at=1, verdict="truncated", after=0
    ),
    Slip("digit-swap", ONE, (r"A_{11} = 0.0900", r"A_{13} = 0.6562", r"O_{11} = 1.4024"), at=1),
    Slip("mixed-number", HALVES, (r"L_{12} = 3^{1/2}", r"A_{12} = 0.8176"), after=0),
    Slip(
        "operand",
        HALVES,
        (r"S_{11} = 1 \cdot 2 + 0 \cdot 1 + 2 \cdot 0 + 1 \cdot 5 = 7", r"L_{11} = 3.5"),
        after=2,
    ),
    Slip(
        "part",
        HALVES,
        (r"S_{12} = 1 \cdot 1 + 0 \cdot 3 + 2 \cdot 3 + 1 \cdot 0 = 1 + 0 + 5 + 0 = 6", r"L_{12} = 3"),
        after=2,
    ),
    Slip(
        "arithmetic",
        HALVES,
        (r"S_{12} = 1 \cdot 1 + 0 \cdot 3 + 2 \cdot 3 + 1 \cdot 0 = 9", r"L_{12} = 4.5"),
    ),
    Slip("shape", HALVES, (r"S = [4, 7]", r"A = [0.1824, 0.8176; 0.0759, 0.9241]"), after=0),
    Slip("no-such-entry", HALVES, (r"S_{31} = 4", r"S_{11} = 4"), after=0),
    Slip("ragged-matrix", HALVES, (r"S = [[4, 7], [1]]", r"A = [0.1824, 0.8176; 0.0759, 0.9241]"), after=0),
    Slip("formula", HALVES, (r"S = K Q^\top", r"A = [0.1824, 0.8176; 0.0759, 0.9241]"), after=0),
    Slip(
        "other-weights",
        HALVES,
        (
            r"A = [0.1824, 0.8176; 0.0759, 0.9241]",
            r"O_{11} = 0.25 \cdot 1 + 0.75 \cdot 3 = 2.5",
        ),
        at=1,
    ),
)


def named(report: Report) -> list[tuple[Verdict, str]]:
    return [(finding.verdict, finding.diagnosis.code if finding.diagnosis else "") for finding in report.findings]


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.code)
def test_a_slip_is_named_and_stands_where_it_was_made(slip: Slip) -> None:
    report = slip.report()
    wrong = [finding for finding in report.findings if finding.verdict == slip.verdict]
    assert [finding.diagnosis.code for finding in wrong if finding.diagnosis] == [slip.code], named(report)
    line = 2 * slip.at + 1
    assert [finding.place.line for finding in wrong] == [line]
    assert wrong[0].explanation


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.code)
def test_what_follows_from_a_slip_is_not_wrong(slip: Slip) -> None:
    verdicts = [finding.verdict for finding in slip.report().findings]
    follows = verdicts[len(verdicts) - slip.after :] if slip.after else []
    assert follows == ["follows"] * slip.after, verdicts
    assert verdicts.count("wrong") == (slip.verdict == "wrong"), verdicts


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.code)
def test_the_first_mistake_is_the_slip(slip: Slip) -> None:
    report = slip.report()
    if slip.verdict != "wrong":
        assert report.first_mistake is None
        return
    assert report.first_mistake is not None
    assert report.findings[report.first_mistake].place.line == 2 * slip.at + 1


def test_every_code_has_a_slip() -> None:
    # A strict sheet is needed for one of them; test_report.py has it.
    assert sorted(slip.code for slip in SLIPS) == sorted(CODES.keys() - {"other-rounding"})


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.code)
def test_a_slip_is_found_by_a_strict_check_too(slip: Slip) -> None:
    report = slip.report(strict=True)
    first = next(finding for finding in report.findings if finding.verdict in {"wrong", "truncated"})
    assert first.place.line == 2 * slip.at + 1
