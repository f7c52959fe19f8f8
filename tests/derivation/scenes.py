"""Worked problems for the tests of the judge, and a short way to judge what is written in them."""

from __future__ import annotations

from functools import cache

from symattn.api.solutions import Result, solve
from symattn.graph.key_judge.judge import judge
from symattn.graph.quantities.scene import Scene
from symattn.graph.quantities.statement import Judgement, from_note
from symattn.notation.parser.latex import read_latex
from symattn.problem.model import Problem

ROUNDED = {"places": 2, "steps": "all"}
SELF = {
    "X": [[1, -1, 0, 2], [0, -1, 2, 1], [-2, 2, -1, 0]],
    "W_Q": [[0, 1], [1, 0], ["-1/2", 0], [1, 1]],
    "W_K": [[1, "-1/2"], [0, 1], ["1/2", "-1/2"], [1, "1/2"]],
    "W_V": [[1, "1/2"], ["-1/2", 0], [-1, 2], ["1/2", -1]],
}


@cache
def stepwise() -> Result:
    """Self-attention over three tokens, unscaled, every step rounded to 2 decimals."""
    return solve(Problem.build(**SELF, scale="none", rounding=ROUNDED))


@cache
def once() -> Result:
    """The same, rounded once at the end to 3 decimals and scaled by the root of d_k = 2."""
    return solve(Problem.build(**SELF, rounding={"places": 3, "steps": "end"}))


@cache
def by_products() -> Result:
    """Each product of a sum rounded to 1 decimal, and the sums as well."""
    given = {"Q": [["1/4", "1/3"]], "K": [["1/2", "1/2"], [1, 0]], "V": [["2/3"], ["1/8"]]}
    policy = {"places": 1, "steps": ["scores", "products", "weights", "outputs"]}
    return solve(Problem.build(**given, scale="none", rounding=policy))


@cache
def by_scores() -> Result:
    """Scores and weights rounded to 2 decimals; the exponentials between them are not."""
    given = {"Q": [[1]], "K": [["0.301"], ["1/3"]], "V": [[1], [2]]}
    return solve(Problem.build(**given, scale="none", rounding={"places": 2, "steps": ["scores", "weights"]}))


@cache
def single() -> Result:
    """One key, so that the sum of the exponentials is one of them; it has other places than they have."""
    policy = {"places": 1, "steps": "all", "each": {"exponentials": {"places": 2}}}
    return solve(Problem.build(Q=[[1]], K=[[0]], V=[[1]], scale="none", rounding=policy))


@cache
def symbolic() -> Result:
    """Scores with a free inverse temperature."""
    given = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1], [2]]}
    return solve(Problem.build(**given, beta="beta", symbols={"beta": "positive"}))


@cache
def wide() -> Result:
    """Eleven keys: indices of two digits."""
    keys = [[number % 3, 1] for number in range(11)]
    return solve(Problem.build(Q=[[1, 2]], K=keys, V=keys, scale="none", rounding=ROUNDED))


@cache
def columns() -> Result:
    """Tokens in columns."""
    given = {"Q": [[1, -1], [2, 0]], "K": [[2, 0, -1], [1, 1, 1]], "V": [[1, 0, 2], [0, 3, -1]]}
    return solve(Problem.build(**given, tokens="columns", scale="none", rounding=ROUNDED))


def judged(scene: Scene, note: str, written: str) -> Judgement:
    return judge(from_note(note, read_latex(written)), scene)


def faulty(scene: Scene, note: str, written: str) -> list[int]:
    """The sides that are at fault, from 0."""
    return sorted({fault.side for fault in judged(scene, note, written).faults})
