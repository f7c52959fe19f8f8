"""Works on the way back through a block, and the mistakes that it leaves room for; numbers are those of numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.checking.checker import Checker
from symattn.checking.mistake_catalogue import CODES
from symattn.checking.report import Finding
from symattn.problem.model import Problem
from tests.checking.unmarked import FINE, without_comments

X = np.array([[1, 0, 2], [0, 3, -1]])
GAMMA, EPS = np.array([1, 2, 3]), 0.1
W_F1 = np.array([[-1, 2], [1, -1], [1, 1]])
W_F2 = np.array([[1, 0, 1], [0, 1, 0]])
START = np.array([[1, 0, -1], [2, 1, 0]])

CHECKER = Checker(
    Problem.build(
        X=X.tolist(),
        W_Q=[[1], [1], [0]],
        W_K=[[0], [1], [2]],
        W_V=[[0] * 3] * 3,
        W_F1=W_F1.tolist(),
        W_F2=W_F2.tolist(),
        gamma_1=GAMMA.tolist(),
        block={"norm": "layer", "eps": "1/10", "placement": "post"},
        gradient={"dY": START.tolist()},
    )
)
"""Values are 0, so that the first norm is that of X."""


def root(rows: Any) -> Any:
    return np.sqrt(rows.var(axis=1, keepdims=True) + EPS)


def norm(rows: Any) -> Any:
    return (rows - rows.mean(axis=1, keepdims=True)) / root(rows)


def back(gradient: Any, rows: Any, *, mean: bool = True, variance: bool = True) -> Any:
    made = gradient - mean * gradient.mean(axis=1, keepdims=True)
    return (made - variance * norm(rows) * (gradient * norm(rows)).mean(axis=1, keepdims=True)) / root(rows)


Y_1 = norm(X) * GAMMA
F_1 = Y_1 @ W_F1
R_2 = Y_1 + np.maximum(F_1, 0) @ W_F2
D_R2 = back(START, R_2)
D_ACT = D_R2 @ W_F2.T
D_F1 = D_ACT * (F_1 > 0)
D_Y1 = D_R2 + D_F1 @ W_F1.T
D_R1 = back(D_Y1 * GAMMA, X)


def shown(matrix: Any) -> str:
    rows = np.atleast_2d(matrix)
    return "[" + ", ".join("[" + ", ".join(f"{entry:.4f}" for entry in row) + "]" for row in rows) + "]"


def last(text: str) -> Finding:
    return CHECKER.report(text, "md", "work.md").findings[-1]


RIGHT = [
    (f"dL/dR_2 = {shown(D_R2)}", "dR_2"),
    (f"dF_1 = {shown(D_F1)}", "dF_1"),
    (f"dW_F1 = Y_1^T dF_1 = {shown(Y_1.T @ D_F1)}", "dW_F1"),
    (f"dY_1 = {shown(D_Y1)}", "dY_1"),
    (rf"$\frac{{\partial L}}{{\partial \gamma_1}} = {shown((D_Y1 * norm(X)).sum(axis=0))}$", "dgamma_1"),
    (rf"$\nabla_{{R_1}} L = {shown(D_R1)}$", "dR_1"),
]


@pytest.mark.parametrize(("text", "name"), RIGHT)
def test_what_people_write_on_the_way_back(text: str, name: str) -> None:
    finding = last(text)
    assert finding.name == name
    assert finding.verdict in {"rounded", "right"}, finding


def test_the_derivative_of_gelu_is_asked_for() -> None:
    """Of F_1 = (1, 0) by the normal density and distribution function: 0.5 + 0.3413 + 0.2420 and 0.5."""
    layer = {"X": [[1, 0]], "W_Q": [[0], [0]], "W_K": [[0], [0]], "W_V": [[0, 0], [0, 0]]}
    network = {"W_F1": [[1, 0], [0, 1]], "W_F2": [[1, 1], [1, -1]], "block": {"norm": "none", "activation": "gelu"}}
    checker = Checker(Problem.build(**layer, **network, gradient={"dY": [[2, 3]]}))
    works = (f"dF_1 = [[{row}]]" for row in ("5.4166, -0.5000", "5.0000, -1.0000"))
    right, wrong = (checker.report(work, "md", "work.md").findings[-1] for work in works)
    assert right.verdict in {"rounded", "right"}
    assert wrong.diagnosis is not None
    assert (wrong.verdict, wrong.diagnosis.code) == ("wrong", "gelu-skipped")
    assert "gelu-skipped" in CODES


SLIPS: dict[str, tuple[str, Callable[[], Any]]] = {
    "norm-mean-term": ("dR_2", lambda: back(START, R_2, mean=False)),
    "norm-variance-term": ("dR_2", lambda: back(START, R_2, variance=False)),
    "norm-constants": ("dR_2", lambda: START / root(R_2)),
    "relu-skipped": ("dF_1", lambda: D_ACT),
    "path-forgotten": ("dY_1", lambda: D_R2),
}
ALWAYS = ("norm-mean-term", "path-forgotten")


@pytest.mark.parametrize(
    "code", [code if code in ALWAYS else pytest.param(code, marks=pytest.mark.long) for code in SLIPS]
)
def test_mistakes_on_the_way_back_are_named(code: str) -> None:
    name, made = SLIPS[code]
    finding = last(f"{name} = {shown(made())}")
    assert finding.verdict == "wrong"
    assert finding.diagnosis is not None, finding.explanation
    assert finding.diagnosis.code == code
    assert code in CODES


# Several blocks --------------------------------------------------------------------------------------

SQUARE: dict[str, Any] = {"W_Q": [[1, 0], [0, 1]], "W_K": [[1, 1], [0, 1]], "W_V": [[1, 0], [1, 1]]}
TWO = Problem.build(X=[[1, 0], [0, 1]], blocks=[{"inputs": SQUARE}] * 2, gradient={"dY": [[1, 0], [0, 2]]})


def test_the_key_of_a_pass_through_two_blocks_is_right() -> None:
    report = check_text(TWO, without_comments(solve(TWO).to_latex()), "tex")
    assert {finding.verdict for finding in report.findings} <= FINE
    assert report.missing == ()


@pytest.mark.parametrize(
    ("block", "line", "verdict"),
    [
        (2, r"dQ = \frac{1}{\sqrt{2}} dS K", "right"),
        (1, r"dQ = \frac{1}{\sqrt{2}} dS K", "right"),
        (1, r"dX = dR_1 + dX_A", "right"),
        (1, r"dX = dX_A", "wrong"),
        (2, r"dX = \begin{bmatrix} 0.7680 & 1.4730 \\ 0.8260 & 1.9180 \end{bmatrix}", "wrong"),
    ],
)
def test_each_block_has_its_own_backward_pass(block: int, line: str, verdict: str) -> None:
    (finding,) = check_text(TWO, f"## Block {block}\n\n$${line}$$\n", "md").findings
    assert finding.verdict == verdict
    assert str(finding.name).endswith(f"@{block}")


def test_a_sum_of_long_gradients_is_proved() -> None:
    """Written out down to the inputs, the gradient of a block with a norm and a network has ten thousands of parts."""
    own = {"W_Q": [[2, 0], [2, -1]], "W_K": [[1, -1], [-1, -2]], "W_V": [[1, -1], [-1, 2]]}
    own |= {"W_F1": [[2, 2], [-1, 1]], "W_F2": [[-1, -2], [-2, 1]]}
    block = {"norm": "rms", "eps": "1/10", "activation": "relu"}
    problem = Problem.build(X=[[1, 2], [0, -2]], **own, block=block, gradient={"dY": [[2, 0], [2, 1]]})
    lines = ("$dX_A = dQ W_Q^T + dK W_K^T + dV W_V^T$", "$dX_A = dQ W_Q + dK W_K^T + dV W_V^T$")
    found = [item.verdict for line in lines for item in check_text(problem, line, "md").findings]
    assert found[0] == "right"
    assert found[1] in {"wrong", "undecided"}
