"""Policies: which steps round to what, and what the command line changes."""

from __future__ import annotations

import pytest

from symattn.errors import InputError
from symattn.exact.rounding.quotients import Rounding
from symattn.problem.settings.policy import NAMED_STEPS, STEPS, Policy, default_policy, named_steps

TWO = Rounding(places=2)


def test_default_is_exact_to_the_end_then_four_places() -> None:
    policy = default_policy()
    assert (policy.steps, policy.steps_name, policy.rounding) == ((), "end", Rounding(places=4))
    assert not policy.declared
    assert all(policy.at(step) is None for step in STEPS)


def test_all_leaves_the_scale_factor_exact() -> None:
    policy = Policy(TWO, steps=NAMED_STEPS["all"])
    assert policy.at("scale_factor") is None
    assert [step for step in STEPS if policy.at(step) == TWO] == list(STEPS[1:])


def test_each_replaces_the_digits_of_one_step() -> None:
    three = Rounding(places=3)
    policy = Policy(TWO, steps=("weights", "exponentials"), each=(("exponentials", three), ("outputs", three)))
    assert policy.at("exponentials") == three
    assert policy.at("weights") == TWO
    assert policy.at("outputs") is None
    assert policy.display("outputs") == three


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        (("outputs", "weights"), "weights+outputs"),
        (("outputs", "weights", "scores", "projections"), "matrices"),
        ((), "end"),
        (STEPS, "+".join(STEPS)),
    ],
)
def test_steps_have_one_order_and_a_name(steps: tuple[str, ...], name: str) -> None:
    assert Policy(TWO, steps=steps).steps_name == name


def test_overrides_replace_only_what_they_name() -> None:
    policy = Policy(TWO, steps=NAMED_STEPS["all"], each=(("weights", Rounding(places=3)),), strict=True)
    changed = policy.with_overrides("ties=half-even, shift=true")
    assert changed.rounding == Rounding(places=2, ties="half-even")
    assert changed.each == (("weights", Rounding(places=3, ties="half-even")),)
    assert (changed.shift, changed.strict, changed.steps, changed.declared) == (
        True,
        True,
        policy.steps,
        True,
    )


def test_overrides_take_lists_of_steps_and_figures() -> None:
    changed = default_policy().with_overrides("steps=matrices+exponentials,figures=3")
    assert changed.steps == ("projections", "scores", "exponentials", "weights", "outputs")
    assert changed.rounding == Rounding(figures=3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "form key=value"),
        ("steps", "form key=value"),
        ("places=", "form key=value"),
        ("place=2", 'Did you mean "places"'),
        ("places=2,places=3", "places twice"),
        ("places=2,figures=3", "both places and figures"),
        ("places=two", "whole number from 0"),
        ("places=-1", "whole number from 0"),
        ("places=99999999999999999999", "whole number from 0"),
        ("places=٣", "whole number from 0"),
        ("figures=0", "whole number from 1"),
        ("ties=half-evn", 'Did you mean "half-even"'),
        ("shift=yes", "true or false"),
        ("steps=weight", 'Did you mean "weights"'),
        ("steps=all+", "unknown step"),
    ],
)
def test_bad_overrides_are_named(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        default_policy().with_overrides(text)


def test_json_holds_every_key_in_the_words_of_the_file() -> None:
    policy = Policy(TWO, steps=("weights",), each=(("outputs", Rounding(figures=3)),), declared=True)
    assert policy.as_json() == {
        "places": 2,
        "figures": None,
        "steps": ["weights"],
        "ties": "half-up",
        "shift": False,
        "each": {"outputs": {"figures": 3}},
        "strict": False,
        "declared": True,
    }


def test_unknown_steps_are_refused() -> None:
    with pytest.raises(InputError, match='Did you mean "weights"'):
        Policy(TWO, steps=("wieghts",))
    with pytest.raises(InputError, match="steps: unknown step"):
        named_steps(["everything-else"])
