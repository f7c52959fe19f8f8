"""Marks of what stands around attention: what comes out of a norm, of the network and of the block earns them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Marks
from symattn.problem.model import Part, Problem
from tests.checking.test_blocks import BETA, F_1, F_2, F_ACT, GAMMA, N_1, PROBLEM, R_1, R_2, W_F2, Y_1, norm
from tests.checking.test_blocks import shown as brackets

ASKED = replace(PROBLEM, parts=(Part(("norm",), points=Fraction(6)), Part(("ffn", "block"), points=Fraction(12))))
MU, VAR = R_1.mean(axis=1), R_1.var(axis=1)
N_2 = norm(R_2)


def listed(numbers: Any) -> str:
    return "(" + ", ".join(f"{number:.4f}" for number in numbers) + ")"


def marks(*lines: str, problem: Problem = ASKED) -> Marks:
    found = check_text(problem, "\n\n".join(lines), "md").marks
    assert found is not None
    return found


def earned(*lines: str) -> tuple[float, ...]:
    return tuple(float(part.earned) for part in marks(*lines).parts)


def work(**changed: str) -> list[str]:
    """A whole work, some of its lines changed."""
    lines = {
        "R_1": f"R_1 = X + O = {brackets(R_1)}",
        "mu_1": f"mu_1 = {listed(MU)}",
        "var_1": f"var_1 = {listed(VAR)}",
        "N_1": f"N_1 = (R_1 - mu_1)/sqrt(var_1 + eps) = {brackets(N_1)}",
        "Y_1": f"Y_1 = gamma_1 * N_1 + beta_1 = {brackets(Y_1)}",
        "F_1": f"F_1 = Y_1 W_F1 + b_F1 = {brackets(F_1)}",
        "F_act": f"F_act = relu(F_1) = {brackets(F_ACT)}",
        "F_2": f"F_2 = F_act W_F2 = {brackets(F_2)}",
        "R_2": f"R_2 = Y_1 + F_2 = {brackets(R_2)}",
        "N_2": f"N_2 = (R_2 - mu_2)/sqrt(var_2 + eps) = {brackets(N_2)}",
    }
    return [*{**lines, **changed}.values()]


def test_what_is_right_earns_everything() -> None:
    assert earned(*work()) == (6, 12)


def test_a_mistake_on_the_way_to_a_norm_costs_the_method_of_one_entry() -> None:
    over_one_less = R_1.var(axis=1, ddof=1)
    rows = norm(R_1, less=1)
    follows = work(
        var_1=f"var_1 = {listed(over_one_less)}",
        N_1=f"N_1 = (R_1 - mu_1)/sqrt(var_1 + eps) = {brackets(rows)}",
        Y_1=f"Y_1 = gamma_1 * N_1 + beta_1 = {brackets(rows * GAMMA + BETA)}",
    )
    first = marks(*follows).parts[0]
    assert first.earned == Fraction(11, 2)
    assert "var_1[1,1]" in first.reasons[0]


def test_the_mean_square_is_no_norm_without_its_mean() -> None:
    """Y_1 is worked out from what has no name in the problem: its value alone is looked at, and is wrong."""
    wrong = R_1 / np.sqrt((R_1**2).mean(axis=1, keepdims=True) + 0.1)
    assert marks(f"Y_1 = {brackets(wrong * GAMMA + BETA)}").parts[0].earned == 0


def test_what_follows_from_a_network_without_its_activation_costs_once() -> None:
    open_network = F_1 @ W_F2
    after = Y_1 + open_network
    linear = work(
        F_act=f"F_act = relu(F_1) = {brackets(F_1)}",
        F_2=f"F_2 = F_act W_F2 = {brackets(open_network)}",
        R_2=f"R_2 = Y_1 + F_2 = {brackets(after)}",
        N_2=f"N_2 = (R_2 - mu_2)/sqrt(var_2 + eps) = {brackets(norm(after))}",
    )
    assert earned(*linear) == (6, 11.5)


def test_values_without_working_earn_the_accuracy() -> None:
    bare = [f"Y_1 = {brackets(Y_1)}", f"F_2 = {brackets(F_2)}", f"N_2 = {brackets(N_2)}"]
    assert earned(*bare) == (3, 6)


def test_nothing_earns_nothing_and_is_missing() -> None:
    found = check_text(ASKED, "O = ...", "md")
    assert found.marks is not None
    assert found.marks.earned == 0
    assert found.missing == ("Y_1", "F_2", "N_2")


@pytest.mark.parametrize(
    ("block", "asks", "wanted"),
    [
        ({"norm": "none"}, "norm", ("R_1",)),
        ({"norm": "rms", "eps": 0}, "norm", ("N_1",)),
        ({"norm": "rms", "eps": 0}, "block", ("N_2",)),
        ({"norm": "rms", "eps": 0, "placement": "pre"}, "norm", ("N_1",)),
        ({"norm": "rms", "eps": 0, "placement": "pre"}, "block", ("R_2",)),
        ({"norm": "none", "residual": False}, "ffn", ("F_2",)),
        ({"norm": "none", "residual": False}, "block", ("F_2",)),
    ],
)
def test_each_word_asks_for_what_comes_out(block: dict[str, Any], asks: str, wanted: tuple[str, ...]) -> None:
    inputs = {name: list(map(list, matrix.rows)) for name, matrix in PROBLEM.inputs.items() if "_1" not in name}
    problem = Problem.build(**inputs, block=block, parts=[{"asks": [asks], "points": 4}])
    assert check_text(problem, "O = ...", "md").missing == wanted


def test_a_token_that_a_norm_leaves_undefined_is_not_asked_for() -> None:
    """The residual sum of a token is constant, and eps is 0: its norm is 0/0."""
    inputs = {"X": [[1, 2], [0, 0]], "W_Q": [[1], [1]], "W_K": [[0], [0]], "W_V": [[0, 0], [0, 0]]}
    block = {"norm": "layer", "eps": 0}
    problem = Problem.build(**inputs, block=block, parts=[{"asks": ["norm"], "points": 4}])
    rows = "N_1 = (R_1 - mu_1)/sqrt(var_1 + eps)\n\nN_11 = -1, N_12 = 1"
    found = check_text(problem, rows, "md")
    assert found.missing == ()
    assert found.marks is not None
    assert found.marks.earned == 4


def test_neither_is_what_is_made_of_such_a_token() -> None:
    """The first token is constant, so its norm before attention is 0/0, and its query has no value."""
    inputs = {"X": [[1, 1], [0, 2]], "W_Q": [[1], [1]], "W_K": [[0], [0]], "W_V": [[0, 0], [0, 0]]}
    block = {"norm": "layer", "eps": 0, "placement": "pre"}
    problem = Problem.build(**inputs, block=block, parts=[{"asks": ["projections", "norm"], "points": 4}])
    found = check_text(problem, "N_21 = -1, N_22 = 1\n\nQ_21 = 0\n\nK_21 = 0\n\nV_21 = 0, V_22 = 0", "md")
    assert {finding.verdict for finding in found.findings} == {"right"}
    assert found.missing == ()
