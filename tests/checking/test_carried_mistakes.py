"""What is no rounding, what follows from a mistake, and what either costs; all values worked out with NumPy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Finding, Report
from symattn.problem.model import Problem

X = np.array([[1, 2, 0], [0, 1, -1], [2, 0, 1]])
WEIGHTS = {
    "W_Q": np.array([[1, 0], [0, 1], [1, 1]]),
    "W_K": np.array([[0, 1], [1, 0], [1, -1]]),
    "W_V": np.array([[2, 0], [0, 1], [1, 3]]),
}
Q, K, V = (X @ matrix for matrix in WEIGHTS.values())
S = Q @ K.T
SCALED = S / np.sqrt(2)
HIDDEN = np.triu(np.ones((3, 3)), 1) > 0


def sheet(**changed: Any) -> Problem:
    """Three tokens, three places, everything asked for."""
    tables: dict[str, Any] = {
        "tokens": "rows", "projection": "X W", "scale": "1/sqrt(d_k)",
        "inputs": {"X": X.tolist(), **{name: matrix.tolist() for name, matrix in WEIGHTS.items()}},
        "rounding": {"places": 3, "steps": "end"},
        "parts": [{"asks": word, "points": 6} for word in ("scores", "map", "outputs")],
    }  # fmt: skip
    return Problem.build(**{name: value for name, value in (tables | changed).items() if value is not None})


PLAIN = sheet()
CAUSAL = sheet(mask="causal")
SHIFTED = sheet(scale="none", rounding={"places": 2, "steps": "all", "shift": True})


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


A = softmax(SCALED)


def shown(matrix: Any, places: int = 3) -> str:
    def entry(value: float) -> str:
        return "-inf" if value == -np.inf else f"{value:.{places}f}"

    return "[" + ", ".join("[" + ", ".join(map(entry, row)) + "]" for row in np.array(matrix, float).tolist()) + "]"


def report(*lines: str, problem: Problem = PLAIN) -> Report:
    return check_text(problem, "\n\n".join(f"$${line}$$" for line in lines) + "\n", "md")


def verdicts(found: Report) -> list[str]:
    return [finding.verdict for finding in found.findings]


def entries(finding: Finding) -> list[list[str]]:
    return [[entry.verdict for entry in row] for row in finding.entries or ()]


def earned(found: Report, part: int) -> Fraction:
    assert found.marks is not None
    return found.marks.parts[part].earned


# Whole numbers in the place of weights --------------------------------------------------------------


@pytest.mark.parametrize("problem", [PLAIN, sheet(rounding=None), sheet(mask={"length": 2})])
@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("digit", ["0", "1"])
def test_a_line_of_weights_that_does_not_sum_to_one_is_wrong(problem: Problem, row: int, digit: str) -> None:
    found = report(rf"A_{{{row + 1},:}} = [{digit}, {digit}, {digit}]", problem=problem).findings[-1]
    assert found.verdict == "wrong", found.explanation


@pytest.mark.parametrize("at", [(i, j) for i in range(3) for j in range(3)])
def test_a_whole_number_is_a_coarse_weight_only_near_the_value(at: tuple[int, int]) -> None:
    for digit in (0, 1):
        word = "coarse" if abs(A[at] - digit) < 0.05 else "wrong"
        assert verdicts(report(f"A_{{{at[0] + 1}{at[1] + 1}}} = {digit}")) == [word]


def test_an_attention_map_in_zeros_and_ones_is_wrong() -> None:
    hard = (A.max(axis=1, keepdims=True) == A).astype(int)
    assert verdicts(report(f"A = {shown(hard, 0)}")) == ["wrong"]
    assert verdicts(report(f"A = {shown(A)}")) == ["rounded"]


def test_nothing_is_cut_off_to_zero_without_a_place() -> None:
    assert verdicts(report("A_{31} = 0.88")) == ["coarse"]
    assert verdicts(report("A_{31} = 0.8")) == ["truncated"]
    assert verdicts(report("A_{31} = 0")) == ["wrong"]


# Digits behind what is shown ------------------------------------------------------------------------


@pytest.mark.parametrize("places", [2, 3, 8])
@pytest.mark.parametrize("at", [(0, 1), (1, 0), (2, 1)])
def test_a_mistake_carried_with_more_digits_than_are_shown_is_followed(at: tuple[int, int], places: int) -> None:
    values = V.copy()
    values[at] += 7
    lines = (f"V = {shown(values, 0)}", f"A = {shown(A, places)}", f"O = AV = {shown(A @ values)}")
    found = report(*lines, problem=sheet(rounding=None) if places == 2 else PLAIN)
    assert found.findings[0].verdict == "wrong"
    assert found.findings[-1].verdict == "follows"
    assert "wrong" not in {word for row in entries(found.findings[-1]) for word in row}


def test_so_is_one_behind_weights_that_follow_from_it_themselves() -> None:
    scores = SCALED.copy()
    scores[2, 2] -= 1.5
    weights = softmax(scores)
    found = report(rf"S_{{\text{{scaled}}}} = {shown(scores)}", f"A = {shown(weights)}", f"O = {shown(weights @ V)}")
    assert verdicts(found) == ["wrong", "follows", "follows"]


def test_and_working_with_the_shown_digits_comes_to_it() -> None:
    values = V.copy()
    values[2, 1] = 4
    a, b, c = (f"{weight:.3f}" for weight in A[2])
    value = f"{(A @ values)[2, 1]:.3f}"
    assert value != f"{sum(round(w, 3) * v for w, v in zip(A[2], values[:, 1], strict=True)):.3f}"
    found = report(f"V = {shown(values, 0)}", rf"O_{{32}} = {a} \cdot 2 + {b} \cdot (-2) + {c} \cdot 4 = {value}")
    assert verdicts(found) == ["wrong", "right", "follows"]


def test_a_new_mistake_follows_from_nothing() -> None:
    values = V.copy()
    values[2, 1] = 4
    outputs = A @ values + np.array([[0, 0], [0, 0], [0, 0.31]])
    found = report(f"V = {shown(values, 0)}", f"A = {shown(A)}", f"O = {shown(outputs)}")
    assert entries(found.findings[-1])[2] == ["rounded", "wrong"]


# Masks -----------------------------------------------------------------------------------------------

MASKED = np.where(HIDDEN, -np.inf, SCALED)


@pytest.mark.parametrize(
    "row", [[-np.inf, 0, -np.inf], [SCALED[1, 0], -np.inf, -np.inf], [-np.inf, 0, SCALED[1, 2]], list(SCALED[1])]
)
def test_weights_follow_from_the_keys_that_were_hidden(row: list[float]) -> None:
    scores = MASKED.copy()
    scores[1] = row
    weights = softmax(scores)
    lines = (rf"S_{{\text{{masked}}}} = {shown(scores)}", f"A = {shown(weights)}", f"O = {shown(weights @ V)}")
    found = report(*lines, problem=CAUSAL)
    assert verdicts(found) == ["wrong", "follows", "follows"]
    assert "wrong" not in {word for row in entries(found.findings[1]) for word in row}


LATE = np.where(HIDDEN, 0, A)


@pytest.mark.parametrize("formula", [r"\text{softmax}(S/\sqrt2) * mask", r"M * \text{softmax}(S/\sqrt2)"])
def test_a_mask_on_the_weights_is_named_and_put_right_by_dividing_each_row(formula: str) -> None:
    right = f"A = {shown(softmax(MASKED))}"
    found = report(f"A = {formula} = {shown(LATE)}", right, problem=CAUSAL)
    assert verdicts(found) == ["wrong", "wrong", "rounded"]
    codes = [finding.diagnosis.code for finding in found.findings[:2] if finding.diagnosis is not None]
    assert codes == ["mask-after", "mask-after"]
    assert earned(found, 1) == 6
    unfinished = report(f"A = {formula} = {shown(LATE)}", problem=CAUSAL)
    # The last row has no hidden key.
    assert Fraction(2) <= earned(unfinished, 1) < 4


def test_a_mask_on_the_weights_is_known_by_its_numbers() -> None:
    found = report(f"A = {shown(LATE)}", problem=CAUSAL).findings[0]
    assert found.diagnosis is not None
    assert found.diagnosis.code == "mask-after"


# Marks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [(0, 0), (1, 2), (2, 1)])
def test_a_mistake_never_raises_the_marks_of_what_follows_from_it(at: tuple[int, int]) -> None:
    weights = A.round(3)
    weights[at] += 0.1
    for way in ("O = ", "O = AV = "):
        right = report(f"A = {shown(A)}", f"{way}{shown(A @ V)}")
        wrong = report(f"A = {shown(weights)}", f"{way}{shown(weights @ V)}")
        assert wrong.findings[-1].verdict == "follows"
        assert earned(wrong, 2) == earned(right, 2) == (6 if "AV" in way else 3)


@pytest.mark.parametrize("share", ["1/5", "1/2", "4/5"])
@pytest.mark.parametrize("asks", ["map", "outputs"])
def test_nor_whatever_the_method_counts_and_wherever_the_mistake_is_made(share: str, asks: str) -> None:
    problem = sheet(method_share=share, parts=[{"asks": asks, "points": 6}])
    scores = SCALED.copy()
    scores[2, 2] -= 1.5
    right, wrong = (
        report(
            rf"S_{{\text{{scaled}}}} = {shown(s)}", f"A = {shown(softmax(s))}", f"O = {shown(softmax(s) @ V)}",
            problem=problem,
        )
        for s in (SCALED, scores)
    )  # fmt: skip
    assert verdicts(wrong) == ["wrong", "follows", "follows"]
    assert earned(wrong, 0) <= earned(right, 0) == 6 * (1 - Fraction(share))


@pytest.mark.parametrize(
    "line",
    [
        rf"\frac{{QK^T}}{{\sqrt2}} = \frac{{1}}{{\sqrt2}} {shown(S, 0)} = {shown(SCALED)}",
        rf"S = \frac{{QK^\top}}{{\sqrt2}} = {shown(SCALED)}",
        rf"\text{{scores}} = QK^T / \sqrt2 = {shown(SCALED)}",
        rf"S = QK^T = {shown(S, 0)}",
    ],
)
def test_scaled_scores_answer_for_the_scores(line: str) -> None:
    found = report(line)
    assert "S" not in found.missing
    assert earned(found, 0) == 6


def test_a_single_scaled_score_answers_for_one() -> None:
    found = report(rf"\frac{{q_1 \cdot k_2}}{{\sqrt2}} = {SCALED[0, 1]:.3f}")
    assert "S[1,2]" not in found.missing
    assert "S[1,1]" in found.missing


def test_a_wrong_scaled_score_costs_its_own_place_and_no_other() -> None:
    scores = SCALED.copy()
    scores[0, 1] += 1
    weights = softmax(scores)
    lines = (
        rf"\frac{{QK^T}}{{\sqrt2}} = {shown(scores)}",
        rf"A = \text{{softmax}}(\frac{{QK^T}}{{\sqrt2}}) = {shown(weights)}",
        f"O = AV = {shown(weights @ V)}",
    )
    found = report(*lines)
    assert [earned(found, part) for part in range(3)] == [6 - Fraction(1, 3), 6, 6]


def test_a_visible_key_that_is_hidden_costs_something() -> None:
    scores = MASKED.copy()
    scores[1, 0] = -np.inf
    weights = softmax(scores)
    formula = r"A = \text{softmax}(S_{\text{masked}}) = "
    lines = (
        f"S = QK^T = {shown(S, 0)}",
        rf"S_{{\text{{masked}}}} = {shown(scores)}",
        f"{formula}{shown(weights)}",
        f"O = AV = {shown(weights @ V)}",
    )
    found = report(*lines, problem=CAUSAL)
    assert found.marks is not None
    assert earned(found, 0) == 6
    assert 0 < found.marks.points - found.marks.earned < 2


# Scores less their maxima ----------------------------------------------------------------------------

LESS = S - S.max(axis=1, keepdims=True)


@pytest.mark.parametrize("name", [r"S - \max", r"S - \max S", r"S - m", r"QK^T - \max(S)"])
@pytest.mark.parametrize("power", ["E", r"\exp(S - \max)", "e^{S - m}"])
def test_scores_less_their_maxima_are_read_and_followed(name: str, power: str) -> None:
    good = report(f"{name} = {shown(LESS, 0)}", f"{power} = {shown(np.exp(LESS), 2)}", problem=SHIFTED)
    assert set(verdicts(good)) <= {"right", "rounded"}
    wrong = LESS.copy()
    wrong[2, 2] -= 1
    bad = report(f"{name} = {shown(wrong, 0)}", f"{power} = {shown(np.exp(wrong), 2)}", problem=SHIFTED)
    assert verdicts(bad) == ["wrong", "follows"]
    assert bad.first is not None
    assert bad.first.name == "shifted"


# Heads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("letters", [("Q", "K"), ("K", "Q")])
def test_the_matrix_of_another_head_is_named_before_a_row_that_fits(letters: tuple[str, str]) -> None:
    x = np.array([[1, 0, 2], [0, 1, 1]])
    of = {
        "Q": x @ np.array([[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]]),
        "K": x @ np.array([[0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 1, 1]]),
    }
    right, other = letters
    pairs = {right: of[right][:, 2:], other: of[other][:, :2]}
    scores = pairs["Q"] @ pairs["K"].T
    problem = Problem.build(Q=of["Q"].tolist(), K=of["K"].tolist(), V=of["K"].tolist(), heads=2)
    found = report(rf"S^{{(2)}} = {shown(scores, 0)}", problem=problem).findings[0]
    assert found.diagnosis is not None
    assert found.diagnosis.code == "heads-mixed"
    assert f"{other}^1" in found.diagnosis.text


# Sums of weights -------------------------------------------------------------------------------------


def test_column_sums_of_long_rows_of_weights_are_judged() -> None:
    scores = np.array([[(3 * i + 7 * j * (i + 2)) % 41 for j in range(12)] for i in range(4)])
    problem = Problem.build(definitions={"A": "softmax(S)", "c": "u A"}, inputs={"u": [[1] * 4], "S": scores.tolist()})
    sums = softmax(scores).sum(axis=0)
    numbers = ", ".join(f"{value:.4f}" for value in sums)
    assert verdicts(report(f"c = [{numbers}]", problem=problem)) == ["rounded"]
    assert verdicts(report(f"c = [{numbers.replace(f'{sums[0]:.4f}', '0.7777')}]", problem=problem)) == ["wrong"]
