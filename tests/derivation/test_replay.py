"""Replay accepts every derivation and refuses every single change of a record."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api.solutions import solve
from symattn.graph.derivation_replay import Step, replay
from symattn.graph.quantities.definition import GIVEN
from symattn.graph.rules import RULES
from symattn.problem.model import Problem
from tests.attention.problems import random_tables
from tests.rendering.keys import NAMES, POLICIES, example

Record = tuple[Step, ...]
Draw = Callable[[st.SearchStrategy[Any]], Any]


@cache
def record(name: str, policy: str) -> Record:
    return example(name, policy).derivation.steps


def refused(steps: Record) -> list[str]:
    return [found.id for found in replay(steps) if not found.proved]


@pytest.mark.sample(14)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", NAMES)
def test_examples_are_accepted(name: str, policy: str) -> None:
    assert refused(record(name, policy)) == []


@pytest.mark.parametrize("seed", range(12))
def test_drawn_problems_are_accepted(seed: int) -> None:
    assert refused(solve(Problem.build(**random_tables(seed, side=4, depth=4))).derivation.steps) == []


# One change --------------------------------------------------------------------------------------


def drawn_value(draw: Draw, step: Step) -> Step:
    """One entry becomes another value, undefined, or no value at all."""
    rows = [list(row) for row in step.after]
    i, j = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows[0]) - 1))
    old = rows[i][j]
    other = "1/7" if old == "-" else f"{old} + 1/1000000000"
    rows[i][j] = draw(st.sampled_from([text for text in (other, "-", "x", "(", "1/0") if text != old]))
    return replace(step, after=tuple(map(tuple, rows)))


def drawn_argument(draw: Draw, step: Step) -> Step:
    options = [("axis", "diagonal"), ("left", "transpose"), ("rounding", "2 places"), ("ties", "half-up")]
    kept = list(step.arguments)
    numbers = st.integers(0, len(kept))
    if (at := draw(numbers)) < len(kept):
        kept[at] = draw(st.sampled_from([(kept[at][0], "2 places upward"), (kept[at][0][:-1], kept[at][1])]))
    else:
        kept.append(draw(st.sampled_from(options)))
    return replace(step, arguments=tuple(kept))


def drawn_premise(draw: Draw, step: Step) -> Step:
    premises = list(step.premises)
    change = draw(st.sampled_from(["more", "unknown", "fewer"]))
    if change == "more" or not premises:
        premises.append(draw(st.sampled_from([*step.premises, "Q", "V", "nothing"])))
    elif change == "unknown":
        premises[draw(st.integers(0, len(premises) - 1))] = "nothing"
    else:
        premises.pop()
    return replace(step, premises=tuple(premises))


def drawn_rule(draw: Draw, step: Step) -> Step:
    others = [rule for rule in (*RULES, GIVEN, "", "theorem") if rule != step.rule]
    return replace(step, rule=draw(st.sampled_from(others)))


def drawn_id(_: Draw, step: Step) -> Step:
    return replace(step, id="Q" if step.id != "Q" else "K")


def drawn_before(_: Draw, step: Step) -> Step:
    return replace(step, before=f"{step.before}~")


CHANGES: tuple[Callable[[Draw, Step], Step], ...] = (
    drawn_value,
    drawn_argument,
    drawn_premise,
    drawn_rule,
    drawn_id,
    drawn_before,
)


SHORT = ("ps4_self_attention", "nyu_columns")


@settings(max_examples=40)
@given(st.data())
def test_every_single_change_of_a_step_is_refused(data: st.DataObject) -> None:
    steps = record(data.draw(st.sampled_from(SHORT)), data.draw(st.sampled_from(POLICIES)))
    change = data.draw(st.sampled_from(CHANGES))
    given_too = change is not drawn_value  # what is given is believed
    numbers = [number for number, step in enumerate(steps) if given_too or step.rule != GIVEN]
    at = data.draw(st.sampled_from(numbers))
    changed = change(data.draw, steps[at])
    assert refused((*steps[:at], changed, *steps[at + 1 :]))


def test_a_change_of_what_is_given_shows_in_what_is_made_of_it() -> None:
    """An entry that is nowhere multiplied by zero alone: every other input makes other projections."""
    steps = record("ps4_self_attention", "")
    for at, name, after in ((0, "X", (("2", "-1", "0", "2"), *steps[0].after[1:])), (1, "W_Q", steps[2].after)):
        assert steps[at].id == name
        assert refused((*steps[:at], replace(steps[at], after=after), *steps[at + 1 :]))


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("Q", {"after": (("1", "3"), ("-1", "1"), ("5/2", "-3"))}, "makes something else"),
        ("Q", {"after": (("1", "3"), ("-1", "1"))}, "makes something else"),
        ("Q", {"after": (("1", "3"), ("-1",), ("5/2", "-2"))}, "cannot be read"),
        ("Q", {"after": (("1", "3"), ("-1", "1"), ("5/2", "-2)"))}, "cannot be read"),
        ("S", {"premises": ("Q", "nothing")}, "which no step before it makes"),
        ("S", {"premises": ("Q", "V")}, "is not what S was made of"),
        ("S", {"premises": ("Q", "A"), "before": "product(Q, A)"}, "rests on A"),
        ("S", {"arguments": ()}, "does not apply"),
        ("S", {"rule": "magic"}, "was made of"),
        ("S", {"rule": "magic", "before": "magic(Q, K)"}, "there is no rule magic"),
        ("Z", {"arguments": (("axis", "row"),)}, "cannot be 'row'"),
        ("Z", {"arguments": (("axis", "columns"),)}, "makes something else"),
        ("X", {"premises": ("X",)}, "rests on X"),
        ("X", {"arguments": (("axis", "rows"),)}, "is given"),
        ("A~", {"arguments": (("axis", "rows"), ("rounding", "3 places half-up"))}, "makes something else"),
    ],
)
def test_reasons(name: str, change: dict[str, object], reason: str) -> None:
    steps = record("ps4_self_attention", "")
    at = next(number for number, step in enumerate(steps) if step.id == name)
    mutant = (*steps[:at], replace(steps[at], **change), *steps[at + 1 :])  # type: ignore[arg-type]
    found = next(item for item in replay(mutant) if not item.proved)
    assert reason in found.reason


def test_a_step_is_made_once() -> None:
    steps = record("ps4_self_attention", "")
    (found,) = [item for item in replay((*steps, steps[0])) if not item.proved]
    assert "was made before" in found.reason


def test_a_rounded_factor_is_made_of_the_exact_one() -> None:
    """A scale factor that was rounded is not given: replay rounds it again."""
    result = solve(Problem.build(Q=[[1, 1]], K=[[1, 2]], V=[[1]], rounding={"places": 2, "steps": ["scale_factor"]}))
    steps = result.derivation.steps
    at = next(number for number, step in enumerate(steps) if step.id == "c~")
    assert (steps[at].rule, steps[at].premises) == ("round", ("c",))
    assert refused(steps) == []
    assert refused((*steps[:at], replace(steps[at], after=(("18/25",),)), *steps[at + 1 :]))[0] == "c~"


def test_records_are_plain_data() -> None:
    for step in record("ps4_cross_attention", ""):
        assert json.loads(json.dumps(step.as_json()))["id"] == step.id
