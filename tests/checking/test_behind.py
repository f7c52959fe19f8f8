"""Mistakes that people carry with all digits while they show four: only the first number is wrong, the rest follows.

All values are worked out with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from symattn.checking.check import check_text
from symattn.checking.checker import Checker
from symattn.checking.report import Finding
from symattn.problem.model import Problem

Array: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Mistake: TypeAlias = Callable[[Array, Array], Array]

X = np.array([[1, 0], [0, 1], [1, 2]])
W_Q, W_K, W_V = np.array([[1, 0], [0, 1]]), np.array([[1, 1], [0, 1]]), np.array([[2, 0], [0, 1]])
D_O = np.array([[1, 0], [0, 1], [1, -1]])
CAUSAL = Problem.build(
    X=X.tolist(), W_Q=W_Q.tolist(), W_K=W_K.tolist(), W_V=W_V.tolist(), mask="causal", gradient={"dO": D_O.tolist()}
)
MISTAKES: dict[str, Mistake] = {
    "the sum of the line is left out": lambda a, da: a * da,
    "the sign is turned": lambda a, da: -a * (da - (a * da).sum(1, keepdims=True)),
    "entry by entry": lambda a, da: a * (1 - a) * da,
    "twice": lambda a, da: 2 * a * (da - (a * da).sum(1, keepdims=True)),
}


def backward(jacobian: Mistake) -> dict[str, Array]:
    """The way back of a causal head, with the gradient of its softmax as somebody has it."""
    q, k, v = X @ W_Q, X @ W_K, X @ W_V
    weights = np.exp(np.where(np.triu(np.ones((3, 3)), 1) > 0, -np.inf, q @ k.T / np.sqrt(2)))
    weights /= weights.sum(1, keepdims=True)
    d_v, d_a = weights.T @ D_O, D_O @ v.T
    d_s = jacobian(weights, d_a)
    d_q, d_k = d_s @ k / np.sqrt(2), d_s.T @ q / np.sqrt(2)
    return {
        "dV": d_v, "dS": d_s, "dQ": d_q, "dK": d_k, "dW_Q": X.T @ d_q, "dW_K": X.T @ d_k,
        "dX": d_q @ W_Q.T + d_k @ W_K.T + d_v @ W_V.T,
    }  # fmt: skip


def shown(values: Array, places: int, *, zeros: bool) -> str:
    texts = [[f"{value:.{places}f}" if zeros else f"{round(value, places):g}" for value in row] for row in values]
    return "[" + ", ".join(f"[{', '.join(row)}]" for row in texts) + "]"


def findings(work: dict[str, Array], places: int, *, zeros: bool) -> dict[str, Finding]:
    text = "\n".join(f"{name} = {shown(values, places, zeros=zeros)}" for name, values in work.items())
    return {finding.name or "": finding for finding in check_text(CAUSAL, text, "txt").findings}


@pytest.mark.sample(2)
@pytest.mark.parametrize("zeros", [True, False])
@pytest.mark.parametrize("places", [3, 4, 6])
@pytest.mark.parametrize("name", MISTAKES)
def test_what_follows_from_a_mistake_with_all_its_digits_is_not_wrong(name: str, places: int, *, zeros: bool) -> None:
    found = findings(backward(MISTAKES[name]), places, zeros=zeros)
    assert [name for name, finding in found.items() if finding.verdict == "wrong"] == ["dS"]
    assert found["dV"].verdict == "rounded"
    assert found["dQ"].verdict == found["dX"].verdict == "follows"


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MISTAKES)
def test_a_second_mistake_is_one_all_the_same(name: str) -> None:
    work = backward(MISTAKES[name])
    work["dQ"] = work["dQ"].copy()
    work["dQ"][2, 1] += 0.02
    assert findings(work, 4, zeros=True)["dQ"].verdict == "wrong"


def test_without_a_mistake_nothing_is_in_reach() -> None:
    work = backward(lambda a, da: a * (da - (a * da).sum(1, keepdims=True)))
    work["dX"] = work["dX"].copy()
    work["dX"][0, 0] += 0.0003
    found = findings(work, 4, zeros=True)
    assert [name for name, finding in found.items() if finding.verdict in {"wrong", "truncated"}] == ["dX"]


@pytest.mark.parametrize(("name", "others"), [("the sign is turned", 0), ("the sign is turned", 4)])
def test_a_number_near_what_follows_among_as_many_mistakes_is_one_too(name: str, others: int) -> None:
    work = backward(MISTAKES[name])
    near = np.round(work["dS"], 4) @ (X @ W_K) / np.sqrt(2)
    (at,) = np.argwhere(np.round(work["dQ"], 4) != np.round(near, 4)).tolist()
    changed = work["dQ"].copy()
    for place in [(i, j) for i in range(3) for j in range(2) if [i, j] != at][:others]:
        changed[place] += 0.3
    found = findings({"dS": work["dS"], "dQ": changed}, 4, zeros=True)["dQ"]
    word = [[entry.verdict for entry in row] for row in found.entries or ()][at[0]][at[1]]
    assert word == ("wrong" if others else "follows")


@pytest.mark.parametrize(("scaled", "word"), [("5.15", "follows"), ("5.16", "wrong")])
def test_a_sum_of_products_with_few_places_has_no_digits_behind_it(scaled: str, word: str) -> None:
    """1.65 + 6.04 is 7.69, and 7.29/√2 is 5.1548: nothing behind the 7.29 makes it 5.16."""
    problem = Problem.build(Q=[["1.1", "2"]], K=[["1.5", "3.02"]], V=[[1]])
    report = check_text(problem, f"$S_{{11}} = 7.29$\n\n$L_{{11}} = {scaled}$", "md")
    assert [finding.verdict for finding in report.findings] == ["wrong", word]


@pytest.mark.parametrize(("text", "is_off"), [("S = 3", True), ("S = 3\n\nS = 1", False), ("S = 1\n\nS = 3", True)])
def test_a_mistake_has_consequences_until_it_is_corrected(text: str, *, is_off: bool) -> None:
    checker = Checker(Problem.build(Q=[[1]], K=[[1]], V=[[2]]))
    numbers = checker.judged(checker.read(text, "txt"), 1).numbers
    assert (numbers.unrounded_values() is not None) == is_off
