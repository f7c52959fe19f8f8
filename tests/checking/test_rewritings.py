"""Works that are right, however they are written: nothing of them is held against anybody."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Verdict
from symattn.problem.model import Problem
from tests.checking.hand import Hand, rounded, sheet

FEW = range(40)
MANY = range(40, 1040)

HELD_AGAINST: frozenset[Verdict] = frozenset(
    {"wrong", "follows", "undecided", "unread", "ambiguous", "truncated", "coarse", "unstated"}
)


def held_against(seed: int) -> list[str]:
    random = Random(seed)
    hand = Hand(sheet(random), random)
    text = hand.work()
    report = check_text(Problem.build(**hand.sheet.tables), text, hand.form)
    faults = [
        f"{finding.verdict}: {finding.text} ({finding.explanation})"
        for finding in report.findings
        if finding.verdict in HELD_AGAINST
    ]
    faults += [f"missing: {name}" for name in report.missing]
    if not any(finding.verdict in {"right", "rounded", "carried"} for finding in report.findings):
        faults.append("nothing was judged")
    return [f"{fault}; {', '.join(sorted(hand.done))}" for fault in faults]


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", FEW)
def test_harmless_rewritings(seed: int) -> None:
    assert held_against(seed) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", MANY)
def test_many_harmless_rewritings(seed: int) -> None:
    assert held_against(seed) == []


def test_every_habit_is_drawn() -> None:
    """A rewriting that never happens would be tested in vain."""
    done: set[str] = set()
    for seed in FEW:
        random = Random(seed)
        hand = Hand(sheet(random), random)
        hand.work()
        done |= hand.done
    assert len(done) >= 55, sorted(done)


def test_the_writer_rounds_as_people_do() -> None:
    assert [rounded(Fraction(number), 1) for number in ("0.25", "-0.25", "0.249", "-0.04")] == [
        "0.3",
        "-0.3",
        "0.2",
        "0.0",
    ]


# One at a time -------------------------------------------------------------------------------------

THIRDS = Problem.build(
    scale="none",
    inputs={"Q": [[0, 0]], "K": [[1, 2], [3, 4], [5, 6]], "V": [["1", "2"], ["0", "3"], ["1", "4"]]},
)
TIES = Problem.build(
    scale="none",
    inputs={"Q": [[1, 0], [0, 1]], "K": [[1, 2], [2, 0], [1, 1]], "V": [[1, 0], [0, 1], [2, 2]]},
)
SCALED = Problem.build(inputs={"Q": [[1, 1], [0, 2]], "K": [[1, 0], [2, 1]], "V": [[3, 0], [0, 6]]})


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        pytest.param(
            THIRDS,
            "$A = [0.33, 0.33, 0.33]$\n\n$O_{11} = 0.33 + 0 + 0.33 = 0.67$\n",
            id="a third as 0.33, used exactly",
        ),
        pytest.param(THIRDS, "$A = [0.33, 0.33, 0.33]$\n\n$O_{12} = 0.33 * 9 = 3$\n", id="a common factor taken out"),
        pytest.param(TIES, "$A = [[0.21, 0.58, 0.21], [0.67, 0.09, 0.24]]$\n", id="rows that come to 1.00"),
        pytest.param(TIES, "A = [[0.2119, 0.5761, 0.2119], [0.6652, 0.0900, 0.2447]]\n", id="rows that come to 0.9999"),
        pytest.param(
            TIES,
            "$A_{1,:} = [0.212, 0.576, 0.212]$\n\n$O_{11} = 0.212\\cdot 1 + 0.212 \\cdot 2 = 0.636$\n",
            id="a zero term left out after rounding",
        ),
        pytest.param(
            SCALED,
            r"$$\frac{QK^\top}{\sqrt{d_k}} = \frac{1}{\sqrt2}\begin{pmatrix}1&3\\0&2\end{pmatrix}$$",
            id="the root left standing",
        ),
        pytest.param(
            SCALED,
            r"$$\frac{QK^\top}{\sqrt{2}} = \begin{pmatrix}0.71&2.12\\0&1.41\end{pmatrix}$$",
            id="the root divided out",
        ),
        pytest.param(
            SCALED,
            "$Q_s = Q/\\sqrt{2} = [0.7071, 0.7071; 0, 1.4142]$\n\n$Q_s K^T = [0.7071, 2.1213; 0, 1.4142]$\n",
            id="queries scaled first",
        ),
        pytest.param(
            SCALED,
            r"$$A_{11} = \frac{e^{0.71}}{e^{0.71}+e^{2.12}} = \frac{2.03}{2.03 + 8.33} = 0.196$$",
            id="exponentials of rounded scores",
        ),
        pytest.param(SCALED, r"$$A_{11} = \frac{1}{1 + e^{\sqrt{2}}} \approx 0.1956$$", id="one over, with a root"),
        pytest.param(
            SCALED, r"$$A_{22} = \frac{e^{\sqrt{2}}}{1 + e^{\sqrt{2}}} \approx 0.8044$$", id="e^0 as 1, with a root"
        ),
        pytest.param(
            SCALED, "Q K^T = [[1, 3], [0, 2]]\n\nsoftmax([0, 1.4142]) = [0.1956, 0.8044]\n", id="softmax of numbers"
        ),
    ],
)
def test_single_habits(problem: Problem, text: str) -> None:
    findings = check_text(problem, text, "md").findings
    assert [(finding.verdict, finding.text) for finding in findings if finding.verdict in HELD_AGAINST] == []
    assert any(finding.verdict in {"right", "rounded", "carried"} for finding in findings)
