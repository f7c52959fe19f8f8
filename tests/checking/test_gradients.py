"""Work about a backward pass: every way to name a gradient, formulas for all matrices, and published work."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.checking.report import Finding, Report
from symattn.problem.model import Problem
from tests.checking.unmarked import FINE, without_comments
from tests.rendering.keys import example_key

TEXTBOOK = Problem.build(
    Q=[[1, 0], [0, 1]],
    K=[[1, 1], [1, 0], [0, 1]],
    V=[[1, 0], [0, 1], [1, 1]],
    gradient={"dO": [[1, 0], [0, 1]]},
    rounding={"places": 3, "steps": "all"},
)
"""A pass that a textbook works by hand to 3 decimals, two queries and three keys."""

SELF = Problem.build(
    X=[[1, 0], [2, 1]],
    W_Q=[[1, 0], [1, 1]],
    W_K=[[1, 2], [0, 1]],
    W_V=[[1, 1], [0, 2]],
    gradient={"dO": [[1, 0], [2, 1]]},
)
HEADS = Problem.build(Q=[[1, 2], [2, 1]], K=[[1, 0], [3, 1]], V=[[1, 1], [2, 0]], heads=2, gradient={"loss": "sum"})

CACHED = Problem.build(
    X=[[1, 2], [2, 1]],
    **{f"W_{letter}": [[1, 0], [0, 1]] for letter in "QKV"},
    cache={"K": [[1, 2]], "V": [[0, 1]]},
    gradient={"dO": [[1, 0], [0, 1]]},
)


def report(problem: Problem, line: str, form: str = "md") -> Report:
    return check_text(problem, f"${line}$\n" if form == "md" else f"{line}\n", form)  # type: ignore[arg-type]


def found(problem: Problem, line: str, form: str = "md") -> Finding:
    (finding,) = report(problem, line, form).findings
    return finding


NAMES = {
    r"\mathrm{d}\mathbf{Q}": "dQ",
    r"d\mathbf{Q}": "dQ",
    "dQ": "dQ",
    r"\textbf{dQ}": "dQ",
    r"\frac{\partial L}{\partial Q}": "dQ",
    r"\frac{\partial \mathcal{L}}{\partial \mathbf{Q}}": "dQ",
    r"\partial L / \partial Q": "dQ",
    r"\frac{dL}{dQ}": "dQ",
    "dL/dQ": "dQ",
    r"\nabla_Q L": "dQ",
    r"\nabla_{\mathbf{Q}} \mathcal{L}": "dQ",
    r"\mathrm{grad}_Q": "dQ",
    r"\frac{\partial L}{\partial K}": "dK",
    r"G_A": "dA",
    "dP": "dA",
    r"\nabla_S L": "dS",
}
"""Ways to write a gradient, and what it is the gradient at."""

VALUES = {
    "dQ": r"\begin{bmatrix} -0.056 & 0.170 \\ -0.114 & -0.056 \end{bmatrix}",
    "dK": r"\begin{bmatrix} 0.114 & -0.170 \\ -0.170 & 0.056 \\ 0.056 & 0.114 \end{bmatrix}",
    "dA": r"\begin{bmatrix} 1 & 0 & 1 \\ 0 & 1 & 1 \end{bmatrix}",
    "dS": r"\begin{bmatrix} 0.161 & -0.240 & 0.079 \\ -0.240 & 0.079 & 0.161 \end{bmatrix}",
    "dV": r"\begin{bmatrix} 0.401 & 0.401 \\ 0.401 & 0.198 \\ 0.198 & 0.401 \end{bmatrix}",
}


@pytest.mark.parametrize("written", NAMES)
def test_gradients_are_known_by_every_name(written: str) -> None:
    name = NAMES[written]
    finding = found(TEXTBOOK, f"{written} = {VALUES[name]}")
    assert (finding.name, finding.verdict in FINE - {"unchecked"}) == (name, True), finding.explanation


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (r"\frac{\partial L}{\partial K_{11}}", "dK[1,1]"),
        (r"\left(\frac{\partial L}{\partial K}\right)_{11}", "dK[1,1]"),
        (r"dK_{11}", "dK[1,1]"),
        (r"(\nabla_K L)_{11}", "dK[1,1]"),
    ],
)
def test_entries_of_gradients_too(written: str, name: str) -> None:
    finding = found(TEXTBOOK, f"{written} = 0.114")
    assert (finding.name, finding.verdict) == (name, "rounded")


def test_weights_have_gradients_with_their_names() -> None:
    for written in (r"\frac{\partial L}{\partial W_K}", r"\nabla_{W_K} L", r"dW_K", r"\mathrm{d}\mathbf{W}_K"):
        finding = found(SELF, rf"{written} = X^\top \frac{{\partial L}}{{\partial K}}")
        assert (finding.name, finding.verdict) == ("dW_K", "right"), finding.explanation


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (r"dK_{new} = \begin{bmatrix} 0.322 & 0.247 \\ -0.008 & 0.248 \end{bmatrix}", "rounded"),
        (r"dW_K = X^\top dK_{new}", "right"),
        (r"dX = dQ W_Q^\top + dK_{new} W_K^\top + dV_{new} W_V^\top", "right"),
        (r"dW_K = X^\top dQ", "wrong"),
    ],
)
def test_cached_keys_are_constants(line: str, verdict: str) -> None:
    assert found(CACHED, line).verdict == verdict


def test_plain_text_has_them_as_well() -> None:
    finding = found(TEXTBOOK, "dL/dQ = [-0.056 0.170; -0.114 -0.056]", "txt")
    assert (finding.name, finding.verdict) == ("dQ", "rounded")


def test_of_heads_each_has_its_own() -> None:
    assert found(HEADS, r"dV^{(1)} = A^{(1)\top} dH^{(1)}").verdict == "right"
    assert found(HEADS, r"dV^{(2)} = A^{(1)\top} dH^{(1)}").verdict == "wrong"


def test_a_letter_d_is_a_factor_where_no_gradients_are() -> None:
    plain = Problem.build(Q=[[1]], K=[[2]], V=[[3]], scale="none")
    assert report(plain, r"\frac{\partial L}{\partial Q} = 1").findings[0].name != "dQ"


def test_a_heading_says_whose_gradient_stands_below() -> None:
    text = f"## Gradient of the queries\n\n$${VALUES['dQ']}$$\n"
    (finding,) = check_text(TEXTBOOK, text, "md").findings
    assert (finding.name, finding.verdict) == ("dQ", "rounded")


# Formulas --------------------------------------------------------------------------------------------

RIGHT = (
    r"dV = A^\top dO",
    r"dA = dO V^\top",
    r"dS = A \odot (dA - D)",
    r"dS = A \circ (dA - \mathrm{rowsum}(A \odot dA))",
    r"D = \mathrm{rowsum}(dO \odot O)",
    r"D_i = \sum_j A_{ij} dA_{ij}",
    r"dS_{ij} = A_{ij} (dA_{ij} - \sum_k A_{ik} dA_{ik})",
    r"dS_{12} = -A_{11} A_{12} dA_{11} + A_{12} (1 - A_{12}) dA_{12}",
    r"dQ = \frac{1}{\sqrt{2}} dS K",
    r"dK = \frac{dS^\top Q}{\sqrt{2}}",
    r"dX = dQ W_Q^\top + dK W_K^\top + dV W_V^\top",
    r"\nabla_{W_V} L = X^\top A^\top dO",
)

WRONG = {
    r"dS = dA": "jacobian-skipped",
    r"dS = A \odot dA": "row-sum-forgotten",
    r"dS = A \odot dA - A \odot (A dA)": "row-sum-product",
    r"dQ = dS K": "missing-scale",
    r"dV = A dO": "no-transpose",
    r"dW_Q = dQ X^\top": "product-order",
    r"dX = dQ W_Q^\top": "path-forgotten",
    r"dX = dQ W_Q + dK W_K + dV W_V": "no-transpose",
}
"""Formulas, and the mistake that each is for all matrices."""


@pytest.mark.parametrize("line", RIGHT)
def test_right_formulas_are_right_for_all_matrices(line: str) -> None:
    assert found(SELF, line).verdict == "right"


@pytest.mark.parametrize("line", WRONG)
def test_mistakes_in_formulas_are_named(line: str) -> None:
    finding = found(SELF, line)
    assert finding.verdict == "wrong"
    assert finding.diagnosis is not None
    assert finding.diagnosis.code == WRONG[line]


def test_notes_that_take_a_product_of_matrices_for_a_row_sum_are_refuted() -> None:
    r"""Study notes call ``A \odot (G V^T) - A \odot (A (G V^T))`` the efficient form, and dK ``Q^T dS``."""
    notes = r"dS = A \odot (G V^\top) - A \odot (A (G V^\top))"
    finding = found(SELF, notes)
    assert (finding.verdict, finding.diagnosis and finding.diagnosis.code) == ("wrong", "row-sum-product")
    finding = found(
        TEXTBOOK, r"\frac{\partial L}{\partial K} = \frac{1}{\sqrt{2}} Q^\top \frac{\partial L}{\partial S}"
    )
    assert (finding.verdict, finding.diagnosis and finding.diagnosis.code) == ("wrong", "shape")


# Published work --------------------------------------------------------------------------------------


def test_the_pass_of_the_textbook_is_right_to_its_rounding() -> None:
    lines = [
        r"$$A = \begin{bmatrix} 0.401 & 0.401 & 0.198 \\ 0.401 & 0.198 & 0.401 \end{bmatrix}$$",
        *(f"$${name} = {VALUES[name]}$$" for name in ("dV", "dA", "dS", "dQ", "dK")),
        r"$$dS = \begin{bmatrix} 0.1608 & -0.2402 & 0.0794 \\ -0.2402 & 0.0794 & 0.1608 \end{bmatrix}$$",
        r"$D_1 = 0.599$",
        r"$dS_{11} = 0.401 (1 - 0.599) = 0.1608$",
    ]
    text = "\n\n".join(lines)
    assert {finding.verdict for finding in check_text(TEXTBOOK, text, "md").findings} <= {"right", "rounded", "carried"}


def test_literals_of_a_library_are_right_within_their_tolerance() -> None:
    keys = {"Q": [[0, 1], [3, 4]], "K": [[6, 9], [7, 10]], "V": [[6, 7], [9, 10]], "scale": "none"}
    line = "dQ = [[1.179665, 1.179661], [0.005462, 0.005463]]"
    bound = Problem.build(**keys, gradient={"loss": "sum"}, tolerance={"dQ": "2e-5"})
    assert found(bound, line, "txt").verdict == "rounded"
    assert found(Problem.build(**keys, gradient={"loss": "sum"}), line, "txt").verdict == "wrong"


def test_the_key_of_a_backward_pass_is_held_right_and_lacks_nothing() -> None:
    key = example_key("causal_backward", "", "full", "article")
    checked = check_text(key.result.problem, without_comments(key.tex), "tex", strict=True)
    assert [finding.text for finding in checked.findings if finding.verdict not in FINE] == []
    assert checked.missing == ()


TURNED = Problem.build(
    X=[[1, 0], [2, 1]],
    W_Q=[[1, 0], [1, 1]],
    W_K=[[1, 2], [0, 1]],
    W_V=[[1, 1], [0, 2]],
    positions={"kind": "rope", "angles": ["pi/2"]},
    gradient={"dO": [[1, 0], [2, 1]], "of": ["dQ"]},
    rounding={"places": 3},
)
"""The second token is turned by a quarter: its dQ is (y, -x) for dQ_rot = (x, y) of (-0.296, 0)."""


def test_the_key_of_rotated_queries_is_held_right() -> None:
    """It says that positions are counted from 0, which is said of no entry."""
    checked = check_text(TURNED, without_comments(solve(TURNED).to_latex()), "tex", strict=True)
    assert [finding.text for finding in checked.findings if finding.verdict not in FINE] == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("dQ_{rot} = [[-0.059, 0.000], [-0.296, 0.000]]", ""),
        ("dQ = [[-0.059, 0.000], [0.000, 0.296]]", ""),
        ("dQ = [[-0.059, 0.000], [-0.296, 0.000]]", "rotation-forgotten"),
        ("dQ = [[-0.059, 0.000], [0.000, -0.296]]", "rotation-sign"),
    ],
)
def test_gradients_of_queries_are_rotated_back(line: str, code: str) -> None:
    finding = found(TURNED, line)
    assert (finding.verdict, finding.diagnosis.code if finding.diagnosis else "") == (
        "wrong" if code else "rounded",
        code,
    )


def test_what_a_part_asks_for_is_missed() -> None:
    problem = Problem.load(Path(__file__).resolve().parents[2] / "examples" / "causal_backward.toml")
    missing = check_text(problem, "$dQ = 0$", "md").missing
    assert {"dS", "dK", "dV", "dX", "dW_Q", "dW_K", "dW_V"} <= set(missing)
    assert not {"dO", "dA", "D"} & set(missing)
