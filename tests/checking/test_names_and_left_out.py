"""Names beside words that look alike, means and variances, primes of rotations, and what follows from a mistake.

Every number is worked out by hand, or with NumPy where it is an exponential.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from symattn.checking.checker import Checker
from symattn.checking.report import Finding, Report
from symattn.problem.model import Problem

BACKWARD: dict[str, Any] = {
    "Q": [[1, 0, 0, 0], [0, 2, 0, 0]],
    "K": [[1, 1, 0, 0], [0, 0, 0, 0]],
    "V": [[2, 0], [0, 4]],
    "mask": "causal",
    "gradient": {"dO": [[1, 0], [0, 1]]},
    "rounding": {"places": 3},
}
"""The second query weighs the keys 1 and 0: e/(e + 1) = 0.731 and 0.269."""

NORM: dict[str, Any] = {
    "X": [[2, 0, 1], [0, 1, 3]],
    "W_Q": [[0], [0], [0]],
    "W_K": [[1], [1], [1]],
    "W_V": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "block": {"norm": "layer", "eps": 0},
    "rounding": {"places": 3},
}
"""All weights are 1/2, so that the rows of X + O are (3, 1/2, 3) and (1, 3/2, 5)."""

ROTATED: dict[str, Any] = {
    "X": [[1, 2], [3, 1]],
    "W_Q": [[1, 0], [0, 1]],
    "W_K": [[1, 0], [1, 1]],
    "W_V": [[1, 0], [0, 1]],
    "positions": {"kind": "rope", "angles": ["pi/2"], "start": 1},
    "rounding": {"places": 3},
}
"""Queries (1, 2), (3, 1) and keys (3, 2), (4, 1), turned by a right angle and by two."""

CACHED: dict[str, Any] = {
    "X": [[1, 1]],
    "W_Q": [[1, 0], [0, 1]],
    "W_K": [[0, 1], [1, 1]],
    "W_V": [[3, 0], [0, -1]],
    "cache": {"K": [[1, 0], [0, 1]], "V": [[1, 0], [2, 1]]},
    "scale": "none",
    "rounding": {"places": 3},
}
"""The scores of the cached keys are 1 and 1, that of the new one is 3."""

_PROBLEMS = {
    "backward": BACKWARD,
    "norm": NORM,
    "norm with eps": {**NORM, "block": {"norm": "layer", "eps": "1/10"}},
    "rotated": ROTATED,
    "cached": CACHED,
}


@cache
def _checker(name: str) -> Checker:
    return Checker(Problem.build(**_PROBLEMS[name]))


def checked(name: str, text: str, form: Any = "md") -> Report:
    return _checker(name).report(text, form, "work")


def verdicts(report: Report) -> list[tuple[str | None, str]]:
    return [(item.name, item.verdict) for item in report.findings if item.verdict != "unchecked"]


def only(report: Report, name: str) -> Finding:
    return next(item for item in report.findings if item.name == name and item.verdict != "right")


# Names that look like words ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "working", ["A^T dO", "A^T @ dO", "A.T @ dO", "A^T * dO", "A^T dL/dO", "A.T dO"]
)  # fmt: skip
@pytest.mark.parametrize("form", ["text", "md"])
def test_a_gradient_is_no_word(working: str, form: str) -> None:
    found = checked("backward", f"dV = {working} = [[1, 0.731], [0, 0.269]]", form)
    assert verdicts(found) == [("dV", "right"), ("dV", "rounded")]


def test_factors_of_a_gradient_in_the_wrong_order_are_found() -> None:
    found = checked("backward", "dV = dO^T A = [[1, 0], [0.731, 0.269]]", "text")
    assert verdicts(found) == [("dV", "wrong"), ("dV", "wrong")]
    assert [item.diagnosis.code for item in found.findings if item.diagnosis] == ["product-order", "transposed-index"]


# Means and variances -----------------------------------------------------------------------------

MEANS = np.array([13 / 6, 5 / 2])
VARIANCES = np.array([[3, 0.5, 3], [1, 1.5, 5]]).var(axis=1)


@pytest.mark.parametrize(
    "name",
    [r"\sigma^2", r"(\sigma)^2", r"\operatorname{Var}(R_1)", r"\mathrm{var}", r"\sigma^2(R_1)", r"\text{var}_1"],
)
def test_a_variance_has_many_names(name: str) -> None:
    right = f"${name} = [{VARIANCES[0]:.3f}, {VARIANCES[1]:.3f}]$"
    assert verdicts(checked("norm", right)) == [("var_1", "rounded")]
    wrong = f"${name} = [{VARIANCES[0] * 3 / 2:.3f}, {VARIANCES[1] * 3 / 2:.3f}]$"
    finding = only(checked("norm", wrong), "var_1")
    assert finding.verdict == "wrong"
    assert finding.diagnosis is not None
    assert finding.diagnosis.code == "variance-d-1"


def test_the_number_below_is_that_of_a_token_where_there_is_one_norm() -> None:
    text = rf"$\mu_1 = {MEANS[0]:.3f}$, $\mu_2 = 2.5$, $\sigma_1^2 = {VARIANCES[0]:.3f}$, $\sigma^2_2 = 4.75$"
    assert verdicts(checked("norm", text)) == [
        ("mu_1[1]", "rounded"), ("mu_1[2]", "right"), ("var_1[1]", "rounded"), ("var_1[2]", "wrong"),
    ]  # fmt: skip


def test_what_is_normalised_has_a_hat() -> None:
    text = r"$\hat x = \begin{bmatrix} 0.707 & -1.414 & 0.707 \\ -0.843 & -0.562 & 1.405 \end{bmatrix}$"
    assert verdicts(checked("norm", text)) == [("N_1", "rounded")]
    assert verdicts(checked("backward", r"$\hat x = [[2, 0], [1.462, 1.076]]$")) == [("O", "rounded")]


@pytest.mark.parametrize(
    ("formula", "with_none", "with_some"),
    [
        (r"\frac{R_1 - \mu}{\sqrt{\sigma^2 + \epsilon}}", "right", "right"),
        (r"(R_1 - \mu_1)/\sqrt{\mathrm{var}_1 + \epsilon}", "right", "right"),
        (r"\frac{X + O - \mu}{\sqrt{\sigma^2 + \epsilon}}", "right", "right"),
        (r"\frac{R_1 - \mu}{\sqrt{\sigma^2}}", "right", "wrong"),
    ],
)
def test_the_formula_of_a_norm_is_read(formula: str, with_none: str, with_some: str) -> None:
    for name, word in (("norm", with_none), ("norm with eps", with_some)):
        assert verdicts(checked(name, f"$N_1 = {formula}$")) == [("N_1", word)]


# Rotations ---------------------------------------------------------------------------------------


def test_a_prime_says_rotated() -> None:
    text = "$Q' = [[-2, 1], [-3, -1]]$, $k_1' = [-2, 3]$, $K'_{21} = -4$\n\n$S = Q' K'^T = [[7, 7], [3, 13]]$"
    assert verdicts(checked("rotated", text)) == [
        ("Q_rot", "right"), ("K_rot[1,:]", "right"), ("K_rot[2,1]", "right"), ("S", "right"), ("S", "right"),
    ]  # fmt: skip


def test_a_prime_beside_the_transpose_is_one() -> None:
    assert verdicts(checked("rotated", "$K' = [[3, 4], [2, 1]]$")) == [("K", "right")]


def test_what_changes_a_stated_score_is_not_harmless() -> None:
    turned = "$Q_{rot} = [[2, -1], [-3, -1]]$, $K_{rot} = [[-2, 3], [-4, -1]]$"
    alone = only(checked("rotated", turned), "Q_rot")
    assert alone.harmless
    assert alone.explanation.endswith("It does not change the answer: A and O come out the same.")
    carried = checked("rotated", f"{turned}\n\n$S = [[-7, -7], [3, 13]]$")
    assert not only(carried, "Q_rot").harmless
    assert verdicts(carried)[-1] == ("S", "follows")


# What follows ------------------------------------------------------------------------------------


def test_a_matrix_that_follows_needs_no_cause() -> None:
    text = (
        "$dS = A \\odot dA = [[2, 0], [0, 1.076]]$\n\n"
        "$dQ = dS K/\\sqrt{d_k} = [[1, 1, 0, 0], [0, 0, 0, 0]]$\n\n"
        "$dK = dS^T Q / 2 = [[1, 0, 0, 0], [0, 1.076, 0, 0]]$"
    )
    found = [item for item in checked("backward", text).findings if item.verdict == "follows"]
    assert [item.name for item in found] == ["dQ", "dK"]
    assert all(item.diagnosis is None and "transposed" not in item.explanation for item in found)


@pytest.mark.parametrize(
    ("scores", "weights", "output", "code"),
    [
        ("S = [3]", "A = [1]", "O = [3, -1]", "cache-forgotten"),
        ("", "A = [1]", "O = [3, -1]", "cache-forgotten"),
        ("S = [1, 1]", "A = [0.5, 0.5]", "O = [1.5, 0.5]", "new-key-missing"),
    ],
)
def test_what_follows_from_keys_that_were_left_out(scores: str, weights: str, output: str, code: str) -> None:
    text = " and ".join(f"${part}$" for part in (scores, weights, output) if part)
    found = [item for item in checked("cached", text).findings if item.verdict != "unchecked"]
    assert [item.verdict for item in found] == ["wrong", *["follows"] * (len(found) - 1)]
    assert found[0].diagnosis is not None
    assert found[0].diagnosis.code == code


def test_new_numbers_after_keys_that_were_left_out_are_wrong() -> None:
    words = [word for _, word in verdicts(checked("cached", "$S = [3]$ and $A = [0.7]$ and $O = [5, -1]$"))]
    assert words == ["wrong", "wrong", "wrong"]
