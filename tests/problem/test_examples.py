"""The problem files that the project ships: each loads, and says what its sheet says."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.rounding.quotients import Rounding
from symattn.problem.model import Problem
from symattn.problem.settings.policy import NAMED_STEPS

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def example(name: str) -> Problem:
    return Problem.load(EXAMPLES / f"{name}.toml")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_states_its_whole_convention(path: Path) -> None:
    left_open = set(Problem.load(path).defaults_used)
    assert left_open <= {"scores", "softmax", "rounding.shift", "rounding.ties"}


def test_ps4_self_attention() -> None:
    problem = example("ps4_self_attention")
    assert (problem.kind, problem.n_q, problem.n_k, problem.d_k, problem.d_v) == ("self", 3, 3, 2, 2)
    assert problem.inputs["W_Q"][2, 0].rational() == Fraction(-1, 2)
    assert problem.policy.steps == NAMED_STEPS["all"]
    assert problem.policy.rounding == Rounding(places=2)
    assert sum(part.points or 0 for part in problem.parts) == 11
    q = problem.inputs["X"] @ problem.inputs["W_Q"]
    k = problem.inputs["X"] @ problem.inputs["W_K"]
    scores = [[entry.rational() for entry in row] for row in (q @ k.T).rows]
    assert scores == [
        [Fraction(3, 2), Fraction(-5, 2), 8],
        [Fraction(-7, 2), Fraction(-7, 2), 6],
        [Fraction(17, 2), 8, Fraction(-53, 4)],
    ]


def test_ps4_cross_attention() -> None:
    problem = example("ps4_cross_attention")
    assert (problem.kind, problem.n_q, problem.n_k, problem.d_k, problem.d_v) == ("cross", 2, 4, 2, 4)
    assert sum(part.points or 0 for part in problem.parts) == Fraction(5, 2)
    q = problem.inputs["X_1"] @ problem.inputs["W_Q"]
    k = problem.inputs["X_2"] @ problem.inputs["W_K"]
    scores = [[entry.rational() for entry in row] for row in (q @ k.T).rows]
    assert scores == [[0, 1, 2, 2], [-1, 0, 1, 2]]


def test_discussion10() -> None:
    problem = example("discussion10_attention")
    assert (problem.projection, problem.convention.product, problem.scale.kind) == ("W^T x", "X W", "none")
    assert (problem.n_q, problem.d_k, problem.d_v, problem.label("S")) == (3, 3, 2, "z")
    assert [part.asks for part in problem.parts] == [
        ("projections",),
        ("scores",),
        ("map", "outputs"),
        ("shapes",),
        ("entry",),
        ("row",),
    ]
    assert [part.tokens for part in problem.parts] == [(), (3,), (3,), (), (), ()]


def test_nyu_columns() -> None:
    problem = example("nyu_columns")
    assert (problem.tokens, problem.scores, problem.softmax) == ("columns", "K^T Q", "columns")
    assert (problem.n_q, problem.n_k, problem.d_k, problem.d_v) == (2, 3, 2, 2)
    assert problem.scale.factor(2) == Polynomial.constant(Fraction(1, 2))
    assert (problem.scale.text, problem.label("O")) == ("beta", "H")
