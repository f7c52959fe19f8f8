"""What is wrong with a layer is told with the file and the key, also where only the numbers show it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from symattn.api.solutions import solve
from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.graph.rules import RULES
from symattn.problem.model import Problem

GIVEN = "inputs = {Q = [[1, 0], [0, 1]], K = [[3, 4], [4, 3]], V = [[1, 2], [3, 4]]}\n"
MASKED = GIVEN + 'mask = "causal"\norder = ["mask", "scale"]\n'
HEAD = "inputs = {X = [[1, 0], [0, 1]]}\n[[heads]]\n"

FAULTS = {
    "a scale of 0 after the mask": (MASKED + "scale = 0", "order"),
    "a negative scale after the mask": (MASKED + "scale = -1", "order"),
    "a negative temperature after the mask": (MASKED + "temperature = -2", "order"),
    "a symbol after the mask": (MASKED + 'beta = "b"\n[symbols]\nb = "positive"', "order"),
    "a temperature of 0": (GIVEN + "temperature = 0", "temperature"),
    "a length of a symbol": (
        GIVEN.replace("[3, 4]", '["b", 4]', 1) + 'score = "cosine"\n[symbols]\nb = "real"',
        "score",
    ),
    "a zero query": (GIVEN.replace("[1, 0]", "[0, 0]") + 'score = "cosine"', "score"),
    "a cap of symbols": (GIVEN.replace("[1, 0]", '["b", 0]') + 'softcap = 3\n[symbols]\nb = "real"', "softcap"),
    "a shift beside the extra 1": (GIVEN + "softmax_one = true\n[rounding]\nshift = true", "shift"),
    "a head without W_K": (HEAD + "W_Q = [[1], [1]]\nW_V = [[1], [1]]", "[heads #1] W_K"),
    "heads without V": ("[[heads]]\nQ = [[1]]\nK = [[1]]", "[heads #1] V"),
    "one matrix beside two": ("inputs = {Q = [[[1]], [[2]]], K = [[[1]]], V = [[1]]}", "1 matrix "),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_the_file_and_the_key(fault: str) -> None:
    text, key = FAULTS[fault]
    with pytest.raises(InputError) as found:
        solve(Problem.from_text(text, "toml", "week5.toml")).to_latex()
    assert str(found.value).startswith("week5.toml")
    assert key in str(found.value)


@pytest.mark.parametrize("further", ["scale = 0", "scale = -1"])
def test_a_mask_that_hides_nothing_leaves_any_scale(further: str) -> None:
    text = GIVEN + 'mask = {keep = [[1, 1], [1, 1]]}\norder = ["mask", "scale"]\n' + further
    assert solve(Problem.from_text(text, "toml", "week5.toml")).O.shape == (2, 2)


REMEDIES: dict[str, tuple[dict[str, Any], str]] = {
    "angles that are none": ({"positions": {"kind": "rope", "angles": []}}, 'as in ["pi/3", "1/2"], not an empty one.'),
    "a table of one row": (
        {"positions": {"kind": "learned", "table": [[1, 2]]}},
        "X is 2×2 and the table of positions 1×2: give both one shape",
    ),
    "labels from 0": (
        {"gradient": {"loss": "cross-entropy", "labels": [0, 1]}},
        "labels, number 1: there is no label 0. Labels are counted from 1 to 2 here.",
    ),
    "the first of several near names": ({"block": {}, "inputs": {"gamma": [1, 1]}}, 'Did you mean "gamma_1"?'),
}
TOKENS = {"X": [[1, 0], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]], "W_V": [[1, 0], [0, 1]]}


@pytest.mark.parametrize("fault", REMEDIES)
def test_a_remedy_is_one(fault: str) -> None:
    keys, words = REMEDIES[fault]
    with pytest.raises(InputError, match=re.escape(words)):
        Problem.build(**TOKENS, **keys)


@pytest.mark.parametrize("rounding", [{}, {"figures": 5}, {"shift": True}, {"figures": 3, "steps": "all"}])
def test_given_numbers_that_are_too_long_want_to_be_smaller(rounding: dict[str, object]) -> None:
    """No policy changes how a given number is written, so that none is advised."""
    problem = Problem.build(Q=[["1e200"]], K=[[0]], V=[[1]], rounding=rounding)
    with pytest.raises(InputError, match=r"Q_11 has 201 digits before the point, too many to work with: take smaller"):
        solve(problem).to_latex()


def test_what_a_policy_makes_short_is_advised_with_it() -> None:
    problem = Problem.build(Q=[[25]], K=[[20]], V=[[1]], scale="none", rounding={"places": 2, "steps": "all"})
    with pytest.raises(InputError, match="significant figures") as found:
        solve(problem).to_latex()
    assert "figures = 5" in str(found.value)
    assert solve(replace(problem, policy=problem.policy.with_overrides("figures=5"))).to_latex()


def test_scores_with_exponentials_of_symbols_are_not_worked_block_by_block() -> None:
    """The message has the length of a sentence, whatever the scores are."""
    score = Quotient(1, ExpSum.exp(Polynomial.symbol("a")) + 1)
    span = {"axis": "rows", "start": "1", "stop": "1"}
    with pytest.raises(InputError, match="A score holds exponentials of a free symbol") as found:
        RULES["running-sum"].apply((((score,),), ((Quotient.of(0),),)), span)
    assert len(str(found.value)) < 200
