"""Every mistake of the catalogue, made on purpose: named, and what follows from it is not punished again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pytest

from symattn.checking.check import check_text
from symattn.checking.mistake_catalogue import CODES
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


BACKWARD = Problem.build(Q=[[1, 0], [0, 2]], K=[[1, 1], [2, 0]], V=[[1, 2], [0, 1]], gradient={"dO": [[1, 0], [2, 1]]})
"""A = [0.3302 0.6698; 0.8044 0.1956], dA = [1 0; 4 1], dS = [0.2212 -0.2212; 0.4720 -0.4720]."""

CAPPED = Problem.build(
    X=[[1, 0], [2, 1]],
    W_Q=[[1, 0], [1, 1]],
    W_K=[[1, 2], [0, 1]],
    W_V=[[1, 1], [0, 2]],
    softcap=2,
    gradient={"loss": "squared", "target": [[1, 0], [0, 1]]},
)
LABELS = Problem.build(
    Q=[[1, 0], [0, 1]],
    K=[[1, 1], [1, 0], [0, 1]],
    V=[[1, 0], [0, 1], [1, 1]],
    gradient={"loss": "cross-entropy", "labels": [1, 2]},
)
AROUND = Problem.build(
    X=[[1, 2, 4], [3, 0, 2]],
    W_Q=[[0], [0], [0]],
    W_K=[[1], [0], [0]],
    W_V=[[1, 0, 0], [0, 1, 0], [0, 0, 2]],
    gamma_1=[1, 2, 3],
    beta_1=[0, 1, -1],
    W_F1=[[1, 1], [0, -1], [1, 0]],
    W_F2=[[1, 0, 0], [0, 1, 0]],
    block={"norm": "layer", "eps": "1/10"},
)
"""All weights are 1/2; R_1 = [3 3 10; 5 1 8], N_1 = [-0.7039 -0.7039 1.4078; 0.1155 -1.2710 1.1555]."""

STEP = Problem.build(
    X=[[1, 0, 2]],
    W_Q=[[1, 0], [2, 1], [0, 1]],
    W_K=[[0, 1], [1, 0], [1, 0]],
    W_V=[[1, 1], [0, 2], [0, 1]],
    cache={"K": [[1, 0], [-1, 1], [0, -2]], "V": [[2, 0], [0, 1], [1, 1]]},
    positions={"kind": "rope", "angles": ["pi/2"]},
    online=2,
)
"""The query (1, 2) and the key (2, 1) at position 3 become (2, -1) and (1, -2); O = [1.158 2.176]."""

ADDED = Problem.build(
    X=[[1, 2], [0, 1]], W_Q=[[1], [0]], W_K=[[1], [0]], W_V=[[1], [0]], positions={"kind": "sinusoidal"}
)
"""P = [0 1; 0.8415 0.5403]."""

WIDER = Problem.build(
    X=[[1, 2, 0, 0], [0, 1, 1, 0]], W_Q=[[1]] * 4, W_K=[[1]] * 4, W_V=[[1]] * 4, positions={"kind": "sinusoidal"}
)
"""The angles of token 2 are 1 and 1/100, and 1/10 with the exponent i/d."""

HALF_TURNS = Problem.build(
    Q=[[1, 2, 3, 4], [2, 1, 0, 1]],
    K=[[1, 2, 3, 4], [0, 1, 0, 1]],
    V=[[1], [2]],
    positions={"kind": "rope", "angles": ["pi/3", "pi/4"], "pairs": "halves"},
)
"""The second query becomes [1 0 1.7321 1.4142]; with neighbours as pairs [0.1340 2.2321 -0.7071 0.7071]."""

BACK_TO_X = Problem.build(
    scale="none",
    X=[[1, 0], [2, 1]],
    W_Q=[[1, 0], [1, 1]],
    W_K=[[1, 2], [0, 1]],
    W_V=[[1, 1], [0, 2]],
    gradient={"dO": [[1, 0], [2, 1]]},
)
"""The same gradient at the output, back to the weights and the input."""


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

    @cached_property
    def text(self) -> str:
        return "\n\n".join(f"$${line}$$" for line in self.lines) + "\n"

    @cached_property
    def report(self) -> Report:
        return check_text(self.problem, self.text, "md")


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
    Slip("shape", HALVES, (r"S = [4, 7, 0; 3, 8, 0]", r"A = [0.1824, 0.8176; 0.0759, 0.9241]"), after=0),
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
    Slip("complement", ONE, (r"A = [0.0900, 0.2447, 0.6653]",), after=0),
    Slip("jacobian-skipped", BACKWARD, (r"dS = [1, 0; 4, 1]", r"dQ_{11} = 0.7071")),
    Slip("jacobian-diagonal", BACKWARD, (r"dS = [0.2212, 0; 0.6293, 0.1573]", r"dQ_{11} = 0.1564")),
    Slip("row-sum-forgotten", BACKWARD, (r"dS = [0.3302, 0; 3.2177, 0.1956]", r"dQ_{11} = 0.2335")),
    Slip("row-sum-axis", BACKWARD, (r"dS = [-0.8414, -2.3763; 3.0604, 0.1573]", r"dQ_{11} = -3.9556")),
    Slip("row-sum-product", BACKWARD, (r"dS = [-0.6635, -0.4486; 1.9413, 0.1573]", r"dQ_{11} = -1.1036")),
    Slip("gradient-scaled", BACKWARD, (r"dS = [0.1564, -0.1564; 0.3337, -0.3337]", r"dQ_{11} = -0.1106")),
    Slip("product-order", BACK_TO_X, (r"dW_Q = [0.1966, 0.9831; 0.0123, 0.0617]",), after=0),
    Slip("path-forgotten", BACK_TO_X, (r"dX = [-0.0617, 0.7741; 0.2706, 0.0617]",), after=0),
    Slip("cap-skipped", CAPPED, (r"dS_{scaled} = [-2.1677, 2.1677; -1.5648, 1.5648]", r"dQ_{11} = 1.5328")),
    Slip("cap-derivative", CAPPED, (r"dS_{scaled} = [-1.4317, 0.8479; -0.0886, 0.0013]", r"dQ_{11} = 0.1867")),
    Slip("loss-sign", LABELS, (r"dO = [0.5000, -0.5000; -0.5507, 0.5507]", r"dA_{11} = 0.5000")),
    Slip("target-forgotten", LABELS, (r"dO = [0.5000, 0.5000; 0.5507, 0.4493]", r"dA_{11} = 0.5000")),
    Slip("residual-forgotten", AROUND, (r"R_1 = [2.0000, 1.0000, 6.0000; 2.0000, 1.0000, 6.0000]",), after=0),
    Slip("residual-other", AROUND, (r"R_2 = [3.5194, 2.0000, 4.0000; 5.5820, 1.6576, 2.0000]",), after=0),
    Slip("root-forgotten", AROUND, (r"N_1 = [-0.2123, -0.2123, 0.4247; 0.0401, -0.4406, 0.4005]",), after=0),
    Slip("norm-forgotten", AROUND, (r"N_1 = [3.0000, 3.0000, 10.0000; 5.0000, 1.0000, 8.0000]",), after=0),
    Slip("variance-d-1", AROUND, (r"var_1 = [16.3333, 12.3333]",), after=0),
    Slip("mean-forgotten", AROUND, (r"N_1 = [0.9050, 0.9050, 3.0166; 1.7332, 0.3466, 2.7731]",), after=0),
    Slip("eps-forgotten", AROUND, (r"N_1 = [-0.7071, -0.7071, 1.4142; 0.1162, -1.2787, 1.1625]",), after=0),
    Slip("eps-outside", AROUND, (r"N_1 = [-0.6863, -0.6863, 1.3726; 0.1123, -1.2356, 1.1233]",), after=0),
    Slip("gain-forgotten", AROUND, (r"Y_1 = [-0.7039, 0.2961, 0.4078; 0.1155, -0.2710, 0.1555]",), after=0),
    Slip("shift-forgotten", AROUND, (r"Y_1 = [-0.7039, -1.4078, 4.2233; 0.1155, -2.5420, 3.4664]",), after=0),
    Slip("norm-axis", AROUND, (r"N_1 = [-0.9535, 0.9535, 0.9535; 0.9535, -0.9535, -0.9535]",), after=0),
    Slip("norm-before", AROUND, (r"N_1 = [0.5420, 1.0839, 5.3741; 2.5420, -0.9161, 3.3741]",), after=0),
    Slip("position-offset", STEP, ("Q_{rot} = [1, 2]", "S = [1, 1, -4, -3]")),
    Slip("rotation-sign", STEP, ("Q_{rot} = [-2, 1]", "S = [-2, 3, -2, -4]")),
    Slip("sin-cos", ADDED, ("P = [1, 0; 0.5403, 0.8415]", "X_p = [2, 2; 0.5403, 1.8415]")),
    Slip("position-degrees", ADDED, ("P = [0, 1; 0.0175, 0.9998]", "X_p = [1, 3; 0.0175, 1.9998]")),
    Slip(
        "position-exponent",
        WIDER,
        ("P = [0, 1, 0, 1; 0.8415, 0.5403, 0.0998, 0.9950]", "X_p = [1, 3, 0, 1; 0.8415, 1.5403, 1.0998, 0.9950]"),
    ),
    Slip("cache-rotated", STEP, ("K = [1, 0; -1, -1; 0, 2; 1, -2]", "S = [2, -1, -2, 4]"), after=1),
    Slip("position-pairs", HALF_TURNS, ("Q_{rot} = [1, 2, 3, 4; 0.1340, 2.2321, -0.7071, 0.7071]",), after=0),
    Slip("rotation-forgotten", HALF_TURNS, ("Q_{rot} = [1, 2, 3, 4; 2, 1, 0, 1]",), after=0),
    Slip("cache-forgotten", STEP, ("O = [1.000, 3.000]",), after=0),
    Slip("new-key-missing", STEP, ("O = [1.478, 0.507]",), after=0),
    Slip("block-rescale", STEP, (r"l_1^{(2)} = 2.272",), after=0),
    Slip("activation-forgotten", AROUND, (r"F_act = [2.5194, -0.2961; 2.5820, 1.6576]",), after=0),
)


def named(report: Report) -> list[tuple[Verdict, str]]:
    return [(finding.verdict, finding.diagnosis.code if finding.diagnosis else "") for finding in report.findings]


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.code)
def test_a_slip_is_named_and_stands_where_it_was_made(slip: Slip) -> None:
    report = slip.report
    wrong = [finding for finding in report.findings if finding.verdict == slip.verdict]
    assert [finding.diagnosis.code for finding in wrong if finding.diagnosis] == [slip.code], named(report)
    line = 2 * slip.at + 1
    assert [finding.place.line for finding in wrong] == [line]
    assert wrong[0].explanation


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.code)
def test_what_follows_from_a_slip_is_not_wrong(slip: Slip) -> None:
    verdicts = [finding.verdict for finding in slip.report.findings]
    follows = verdicts[len(verdicts) - slip.after :] if slip.after else []
    assert follows == ["follows"] * slip.after, verdicts
    assert verdicts.count("wrong") == (slip.verdict == "wrong"), verdicts


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.code)
def test_the_first_mistake_is_the_slip(slip: Slip) -> None:
    report = slip.report
    if slip.verdict != "wrong":
        assert report.first_mistake is None
        return
    assert report.first_mistake is not None
    assert report.findings[report.first_mistake].place.line == 2 * slip.at + 1


def test_every_code_has_a_slip() -> None:
    # A strict sheet is needed for one of them, which test_report.py has; the ways back have files of their own.
    elsewhere = {
        "other-rounding",
        "norm-mean-term",
        "norm-variance-term",
        "norm-constants",
        "relu-skipped",
        "gelu-skipped",
        "silu-skipped",
        "gate-forgotten",
        "gate-swapped",
        "gate-skipped",
    }
    assert sorted(slip.code for slip in SLIPS) == sorted(CODES.keys() - elsewhere)


@pytest.mark.sample(30)
@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.code)
def test_a_slip_is_found_by_a_strict_check_too(slip: Slip) -> None:
    report = check_text(slip.problem, slip.text, "md", strict=True)
    first = next(finding for finding in report.findings if finding.verdict in {"wrong", "truncated"})
    assert first.place.line == 2 * slip.at + 1


UNIT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_a_cause_of_a_whole_matrix_is_told_once() -> None:
    scores = [["3/2", "1/2", "1"], ["0", "2", "1"], ["1", "1", "1/2"]]
    columns = [" + ".join(f"e^{{{row[j]}}}" for row in scores) for j in range(3)]
    rows = r" \\ ".join(
        " & ".join(rf"\frac{{e^{{{value}}}}}{{{columns[j]}}}" for j, value in enumerate(row)) for row in scores
    )
    problem = Problem.build(scale="none", inputs={"Q": scores, "K": UNIT, "V": UNIT})
    (found,) = check_text(problem, rf"$A = \begin{{bmatrix}} {rows} \end{{bmatrix}}$", "md").findings
    assert found.verdict == "wrong"
    assert found.explanation.count("denominator runs over a column") == 1
    # The last row and the last column hold the same scores: A[3,3] is right.
    assert found.explanation.endswith("The same in 7 more entries.")


@pytest.mark.parametrize(("name", "shape"), [("K", "3 × 2"), ("K^T", "2 × 3")])
def test_a_shape_that_does_not_fit_is_that_of_the_name_as_it_was_written(name: str, shape: str) -> None:
    problem = Problem.build(scale="none", inputs={"Q": [[1, 2]], "K": [[1, 0], [1, 1], [2, 1]], "V": [[1], [0], [1]]})
    (found,) = check_text(problem, rf"${name} = \begin{{bmatrix}} 1 & 0 \\ 1 & 1 \end{{bmatrix}}$", "md").findings
    assert found.explanation == f"{name} is {shape}, and what is written is 2 × 2."
