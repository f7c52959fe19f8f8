"""Work about a cross-entropy, and about gradients through a soft cap."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Finding
from symattn.problem.model import Problem
from tests.checking.unmarked import FINE, without_comments
from tests.rendering.test_key_losses import solved, tex_of

LABELS = Problem.build(
    Q=[[1, 0], [0, 1]],
    K=[[1, 1], [1, 0], [0, 1]],
    V=[[1, 0], [0, 1], [1, 1]],
    gradient={"loss": "cross-entropy", "labels": [1, 2]},
    rounding={"places": 3, "steps": "all"},
)
CAPPED = Problem.build(
    X=[[1, 0], [2, 1]],
    W_Q=[[1, 0], [1, 1]],
    W_K=[[1, 2], [0, 1]],
    W_V=[[1, 1], [0, 2]],
    softcap=2,
    gradient={"loss": "squared", "target": [[1, 0], [0, 1]]},
)

FURTHER = (("softcap", "all"), ("both", "end"))


def found(problem: Problem, line: str) -> Finding:
    (finding,) = check_text(problem, f"${line}$\n", "md").findings
    return finding


@pytest.mark.parametrize(
    "line",
    [
        r"L = 1.494",
        r"\text{loss} = 1.493",
        r"L = -\ln P_{11} - \ln P_{22}",
        r"L = -\log P_{11} - \log P_{22}",
        r"L = -\log p_{1,1} - \log p_{2,2}",
        r"L = -(\ln p_{11} + \ln p_{22})",
        r"dO = P - T",
        r"\frac{\partial L}{\partial O} = \mathrm{softmax}(O) - T",
        r"P = \mathrm{softmax}(O)",
        r"dO = \begin{bmatrix} -0.5 & 0.5 \\ 0.551 & -0.551 \end{bmatrix}",
        r"dQ = \begin{bmatrix} 0.000 & -0.142 \\ 0.032 & 0.093 \end{bmatrix}",
    ],
)
def test_right_work_on_a_cross_entropy(line: str) -> None:
    finding = found(LABELS, line)
    assert finding.verdict in FINE - {"unchecked"}, finding.explanation


SQUARED = Problem.build(
    Q=[[1, 2], [0, 1]],
    K=[[1, 0], [1, 1]],
    V=[[1, 2], [3, 4]],
    gradient={"loss": "squared", "target": [[1, 0], [0, 1]]},
)


@pytest.mark.parametrize(
    "line",
    [
        r"L = \frac12 \sum_{i,j} (O_{ij} - T_{ij})^2",
        r"L = \frac{1}{2} \|O - T\|^2",
        r"L = \tfrac12 \lVert T - O \rVert_F^2",
        r"L = \frac{\|A V - T\|_F^2}{2}",
    ],
)
def test_the_sum_of_squares_in_its_usual_forms(line: str) -> None:
    assert found(SQUARED, line).verdict == "right"


@pytest.mark.parametrize(
    "line", ["L = 0.5 * sum((O - T)^2)", "L = sum((T - O)**2) / 2", "L = 1/2 sum((O - T)^2)", "L = 1/2 * ||O - T||_F^2"]
)
def test_the_sum_of_squares_in_plain_text(line: str) -> None:
    (finding,) = check_text(SQUARED, line, "txt").findings
    assert finding.verdict == "right"


@pytest.mark.parametrize("line", [r"L = \|O - T\|^2", r"L = \frac12 \|O + T\|^2", r"L = \frac12 \|O - T\|"])
def test_what_is_another_loss_is_not_right(line: str) -> None:
    assert found(SQUARED, line).verdict in {"wrong", "undecided"}


def test_probabilities_beside_a_table_of_positions() -> None:
    table = {"kind": "learned", "table": [[1, 0], [0, 1]]}
    problem = Problem.build(
        X=[[0, 0], [1, 0]], W_Q=[[1], [0]], W_K=[[1], [1]], W_V=[[1, 0, 0], [0, 1, 0]], positions=table,
        gradient={"loss": "cross-entropy", "labels": [1, 3]},
    )  # fmt: skip
    assert found(problem, r"P = \mathrm{softmax}(O)").name == "P_O"
    for line in (r"P = \mathrm{softmax}(O)", "dO = P - T", r"L = -\log P_{11} - \log P_{23}"):
        assert found(problem, line).verdict == "right"
    assert found(problem, "X_p = X + P").verdict == "right"
    assert found(problem, "dO = T - P").verdict == "wrong"


def test_other_labels_and_laws_of_logarithms() -> None:
    assert found(LABELS, r"L = -\log p_{11} - \log p_{21}").verdict == "wrong"
    assert found(LABELS, r"L = -\log p_{11} + \log p_{22}").verdict == "wrong"
    # It is so; that ln(xy) is ln x + ln y is no law that is used here.
    assert found(LABELS, r"L = -\ln(p_{11} p_{22})").verdict == "undecided"


@pytest.mark.parametrize(
    ("problem", "line", "code"),
    [
        (LABELS, r"dO = \begin{bmatrix} 0.5 & -0.5 \\ -0.551 & 0.551 \end{bmatrix}", "loss-sign"),
        (LABELS, r"dO = P", "target-forgotten"),
        (LABELS, r"dO = T - P", "loss-sign"),
        (CAPPED, r"dQ = \frac{1}{\sqrt{2}} dS K", "cap-skipped"),
        (CAPPED, r"dS_{scaled} = dS", "cap-skipped"),
    ],
)
def test_mistakes_are_named(problem: Problem, line: str, code: str) -> None:
    finding = found(problem, line)
    assert finding.verdict == "wrong"
    assert finding.diagnosis is not None
    assert finding.diagnosis.code == code


@pytest.mark.parametrize(
    "line",
    [
        r"L = \frac12 ((O_{11} - 1)^2 + O_{12}^2 + O_{21}^2 + (O_{22} - 1)^2)",
        r"dQ = \frac{1}{\sqrt{2}} dS_{scaled} K",
        r"dO = O - T",
    ],
)
def test_right_work_through_a_soft_cap(line: str) -> None:
    assert found(CAPPED, line).verdict == "right"


@pytest.mark.parametrize(
    ("kind", "steps"), [("cross-entropy", "all"), *(pytest.param(*item, marks=pytest.mark.long) for item in FURTHER)]
)
def test_keys_are_held_right_and_lack_nothing(kind: str, steps: str) -> None:
    checked = check_text(solved(kind, steps).problem, without_comments(tex_of(kind, steps)), "tex", strict=True)
    assert [finding.text for finding in checked.findings if finding.verdict not in FINE] == []
    assert checked.missing == ()


def test_capped_scores_are_worked_out_from_rounded_ones() -> None:
    rounded = solved("softcap").problem
    finding = check_text(
        rounded, "$$S_{capped} = \\begin{bmatrix} 0.679 & 1.218 \\\\ 1.887 & 1.998 \\end{bmatrix}$$", "md"
    )
    assert [item.verdict in FINE for item in finding.findings] == [True]
    worked = check_text(rounded, r"$\Gamma_{11} \approx 2\tanh\left( \frac{0.707}{2} \right)$", "md", strict=True)
    assert [item.verdict in FINE - {"unchecked"} for item in worked.findings] == [True]
