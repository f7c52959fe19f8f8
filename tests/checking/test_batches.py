"""Work on a batch: each statement is judged in its own sequence, which headings, names or the order tell."""

from __future__ import annotations

from typing import Any

import pytest

import symattn as sa
from symattn.checking.blocks.block_references import block_of_heading
from symattn.problem.model import Problem

BATCH: dict[str, Any] = {
    "Q": [[[1, 0], [0, 1]], [[2, 1], [0, 1]]],
    "K": [[1, 0], [0, 1]],
    "V": [[1, 2], [3, 4]],
    "scale": "none",
}
KEYS: dict[str, dict[str, Any]] = {
    "plain": BATCH,
    "heads": {**BATCH, "heads": 2},
    "mask": {**BATCH, "mask": {"causal": True, "length": [2, 1]}},
    "columns": {**BATCH, "tokens": "columns"},
    "cross": {
        "X_1": [[[1, 0]], [[2, 1]]],
        "X_2": [[1, 1], [0, 1]],
        **{name: [[1, 0], [1, 1]] for name in ("W_Q", "W_K", "W_V")},
    },
    "symbols": {**BATCH, "Q": [[["x", 0]], [[1, 2]]], "symbols": {"x": "real"}},
    "parts": {
        **BATCH,
        "parts": [{"asks": ["scores", "map"]}, {"asks": "prose", "answer": "Yes."}, {"asks": "outputs"}],
    },
}
POLICIES = ({"places": 2}, {"places": 2, "steps": "all"})


def judged(work: str, **further: Any) -> list[tuple[str | None, str]]:
    report = sa.check(Problem.build(**{**BATCH, **further}), work, "md")
    return [(item.name, item.verdict) for item in report.findings if item.verdict != "unchecked"]


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("policy", POLICIES, ids=["end", "all"])
def test_the_key_of_a_batch_is_right(name: str, policy: dict[str, Any]) -> None:
    problem = Problem.build(**KEYS[name], rounding=policy)
    report = sa.check(problem, sa.solve(problem).to_latex("exam"), "tex")
    assert not [item for item in report.findings if item.verdict in {"wrong", "follows", "unread"}]
    assert not report.missing
    assert {item.name.partition("@")[2][0] for item in report.findings if item.name is not None} == {"1", "2"}


HEADINGS = (
    ("Sequence 1", "Sequence 2"),
    ("## Sequence 0", "## Sequence 1"),
    ("For the first sequence:", "For the second sequence:"),
    ("Batch element 1", "Batch element 2"),
    ("Example 1:", "Example 2:"),
    ("Sentence 1", "Sentence 2"),
    ("Sequenz 1", "Sequenz 2"),
    ("Séquence 1", "Séquence 2"),
    ("序列1", "序列2"),
    ("第1个序列", "第2个序列"),
)


@pytest.mark.parametrize("headings", HEADINGS, ids=[first for first, _ in HEADINGS])
def test_headings_say_which_sequence(headings: tuple[str, str]) -> None:
    first, second = headings
    work = f"{first}\n\nS_11 = 1\n\nS_12 = 0\n\n{second}\n\nS_11 = 2\n\nS_12 = 0\n"
    found = [("S@1[1,1]", "right"), ("S@1[1,2]", "right"), ("S@2[1,1]", "right"), ("S@2[1,2]", "wrong")]
    assert judged(work) == found


@pytest.mark.parametrize("name", ["S@{}", "S^{{({})}}"])
def test_names_say_which_sequence(name: str) -> None:
    first, second = (f"${name.format(number)} = \\begin{{pmatrix}}" for number in (1, 2))
    work = f"{first}1 & 0\\\\0 & 1\\end{{pmatrix}}$\n\n{second}2 & 1\\\\0 & 2\\end{{pmatrix}}$"
    assert judged(work) == [("S@1", "right"), ("S@2", "wrong")]


def test_the_order_says_which_sequence_where_nothing_else_does() -> None:
    """What is taken to be of the second sequence is guessed, and said to be."""
    rows = "S = [[1, 0], [0, 1]]\n\nA_11 = 0.73\n\nO_11 = 1.54\n\nS = [[2, 1], [0, 1]]\n\nA_11 = 0.5\n"
    report = sa.check(Problem.build(**BATCH, rounding={"places": 2}), rows, "md")
    *right, wrong = report.findings
    assert [item.verdict for item in right] == ["right", "rounded", "rounded", "right"]
    assert (wrong.name, wrong.verdict, wrong.guess) == ("A@2[1,1]", "wrong", True)
    assert wrong.explanation.endswith("It is taken to be on sequence 2.")
    assert any("No heading says where sequence 2 begins" in remark for remark in report.remarks)


def test_the_input_of_a_sequence_is_its_own() -> None:
    """Of blocks the input of the second is the output of the first; sequences have nothing to do with each other."""
    own = {name: [[1, 0], [0, 1]] for name in ("W_Q", "W_K", "W_V")}
    problem = Problem.build(X=[[[1, 2]], [[3, 4]]], **own)
    report = sa.check(problem, "X@1 = [[1, 2]]\n\nX@2 = [[3, 4]]\n\nQ@2 = X@2 W_Q = [[3, 4]]", "md")
    assert {item.verdict for item in report.findings} == {"right"}
    assert {item.name for item in report.findings} == {"X@1", "X@2", "Q@2"}


def test_a_sequence_that_the_problem_lacks_is_said_to_be_missing() -> None:
    report = sa.check(Problem.build(**BATCH), "## Sequence 1\n\nS_11 = 1\n\n## Sequence 3\n\nS_11 = 1\n", "md")
    assert [item.verdict for item in report.findings if item.verdict != "unchecked"] == ["right", "unread"]
    assert "heading of a sequence that the problem does not have: there are 2" in report.findings[-1].explanation
    assert any("belongs to sequence 2: write 'Sequence 2' above its part" in remark for remark in report.remarks)


def test_points_are_shared_by_all_sequences() -> None:
    """Eight scores for four points: a wrong one costs half a point in its sequence, and nothing in the other."""
    keys = {**BATCH, "parts": [{"asks": "scores", "points": 4}]}
    tex = sa.solve(Problem.build(**keys)).to_latex()
    assert str(sa.check(Problem.build(**keys), tex, "tex").marks.parts[0].earned) == "4"  # type: ignore[union-attr]
    work = "Sequence 1\n\nS = Q K^T = [[1, 0], [0, 1]]\n\nSequence 2\n\nS = Q K^T = [[2, 1], [0, 3]]\n"
    marks = sa.check(Problem.build(**keys), work, "md").marks
    assert marks is not None
    (part,) = marks.parts
    assert part.earned < 4
    assert [reason.partition(":")[0] for reason in part.reasons] == ["Sequence 2"]


@pytest.mark.parametrize(
    "words", ["Step 2", "Example with 2 tokens", "Sequences 1 and 2", "2 sequences", "Sequence length 2"]
)
def test_other_numbers_are_of_no_sequence(words: str) -> None:
    assert block_of_heading(words, "sequence") is None
