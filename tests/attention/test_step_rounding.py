"""Step rounding against the same work done apart from the package."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symattn.api.json_quantities import quantity_json
from symattn.exact.rounding.quotients import TIES
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from symattn.problem.settings.policy import NAMED_STEPS, STEPS
from tests.attention.by_hand import work
from tests.attention.problems import random_tables

SEEDS = st.integers(0, 10**9)
CHOICES = [*NAMED_STEPS, *STEPS, ["exponentials", "weights"], ["products"], ["scale_factor", *STEPS[1:]]]


def stepwise(tables: dict[str, Any]) -> dict[str, list[list[str | None]]]:
    layer = attention_layer(Problem.from_text(json.dumps(tables), "json"))
    found: dict[str, list[list[str | None]]] = {}
    for name in ("Q", "K", "V", "S", "S_scaled", "E", "Z", "A", "O"):
        if name in layer.scene.quantities:
            shown: Any = quantity_json(layer.scene.quantities[name], name, None)["stepwise"]
            found[name] = shown
    return found


def agree(tables: dict[str, Any]) -> None:
    ours, theirs = stepwise(tables), work(tables)
    for name, rows in ours.items():
        assert [[same(x) for x in row] for row in rows] == [[same(x) for x in row] for row in theirs[name]], name


def same(text: str | None) -> tuple[Decimal, int] | None:
    """The number and the place of its last digit; none of a zero, which has no last figure."""
    if text is None:
        return None
    value = Decimal(text)
    return value, int(value.as_tuple().exponent) if value else 0


def small_problem(seed: int) -> dict[str, Any]:
    tables = random_tables(seed, side=3, depth=3)
    assume("positive" not in tables.get("symbols", {}).values())
    tables.pop("names", None)
    return tables


@pytest.mark.sample(4)
@settings(max_examples=12)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("steps", CHOICES, ids=str)
@given(seed=SEEDS, shift=st.booleans(), places=st.integers(0, 5))
def test_places(steps: str | list[str], ties: str, seed: int, shift: bool, places: int) -> None:
    rounding = {"steps": steps, "ties": ties, "shift": shift, "places": places}
    agree({**small_problem(seed), "rounding": rounding})


@pytest.mark.sample(6)
@settings(max_examples=20)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("steps", ["end", "matrices", "all"])
@given(seed=SEEDS, shift=st.booleans(), figures=st.integers(1, 5))
def test_figures(steps: str, ties: str, seed: int, shift: bool, figures: int) -> None:
    rounding = {"steps": steps, "ties": ties, "shift": shift, "figures": figures}
    agree({**small_problem(seed), "rounding": rounding})


@given(seed=SEEDS, data=st.data())
def test_single_steps_with_digits_of_their_own(seed: int, data: st.DataObject) -> None:
    own = st.sampled_from([{"places": 0}, {"places": 3}, {"figures": 1}, {"figures": 4}])
    each = data.draw(st.dictionaries(st.sampled_from(STEPS), own, max_size=4))
    steps = data.draw(
        st.sampled_from(["end", "matrices", "all"]) | st.lists(st.sampled_from(STEPS), min_size=1, unique=True)
    )
    rounding = {"steps": steps, "places": 2, "each": each, "ties": data.draw(st.sampled_from(TIES))}
    agree({**small_problem(seed), "rounding": rounding})
