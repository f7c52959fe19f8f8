"""What an instructor is warned of, case by case."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api.json_quantities import quantity_json
from symattn.api.solutions import Result, attention
from symattn.exact.reals.sign import compare
from symattn.exact.rounding.quotients import TIES, Rounding, round_exact
from tests.attention.strategies import ENTRIES, Given, given_problems

I2 = [[1, 0], [0, 1]]

CASES: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "nothing to say": ({"Q": [[1]], "K": [[1], [2]], "V": [[1], [2]]}, []),
    "weights and output half-way, rounded once": (
        {"Q": [[0]], "K": [[1], [2]], "V": [[1], [2]], "rounding": {"places": 0}},
        [
            ("tie-at-boundary", "A_11"),
            ("tie-at-boundary", "O_11"),
            ("tied-largest", "output 1"),
            ("row-sum", "output 1"),
        ],
    ),
    "an output half-way in its figures": (
        {"Q": [[0]], "K": [[1], [1]], "V": [["0.25"], ["0.20"]], "rounding": {"figures": 2}},
        [("tie-at-boundary", "O_11"), ("tied-largest", "output 1")],
    ),
    "a score half-way where scores round": (
        {"Q": [["0.5"]], "K": [["0.5"], [1]], "V": [[1], [2]], "rounding": {"places": 1, "steps": "matrices"}},
        [("tie-at-boundary", "S_11"), ("policy-differs", "A_11"), ("policy-differs", "O_11")],
    ),
    "the same score where scores stay exact": (
        {"Q": [["0.5"]], "K": [["0.5"], [1]], "V": [[1], [2]], "rounding": {"places": 1, "steps": ["outputs"]}},
        [],
    ),
    "a product half-way whose sum is not": (
        {
            "Q": [["0.5", 1]],
            "K": [["0.5", 1], [1, 1]],
            "V": [[1], [2]],
            "rounding": {"places": 1, "steps": ["products"]},
        },
        [("tie-at-boundary", "S_11"), ("policy-differs", "A_11")],
    ),
    "two largest of three": (
        {"Q": [[1]], "K": [[1], [0], [1]], "V": [[1], [2], [3]]},
        [("tied-largest", "output 1")],
    ),
    "the second of two outputs is tied": (
        {"Q": [[1], [0]], "K": [[1], [0]], "V": [[1], [2]]},
        [("tied-largest", "output 2")],
    ),
    "thirds": (
        {"Q": [[0]], "K": [[1], [1], [2]], "V": [[1], [2], [0]], "rounding": {"places": 2}},
        [("tied-largest", "output 1"), ("row-sum", "output 1")],
    ),
    "thirds in figures, whose sums nobody checks": (
        {"Q": [[0]], "K": [[1], [1], [2]], "V": [[1], [2], [0]], "rounding": {"figures": 2}},
        [("tied-largest", "output 1")],
    ),
    "a row sum that rounds to 0": (
        {"Q": [[1], [-1]], "K": [[-9], [-10]], "V": [[1], [2]], "rounding": {"places": 2, "steps": "all"}},
        [("row-sum-zero", "Z_1")],
    ),
    "the same with the maximum subtracted": (
        {
            "Q": [[1], [-1]],
            "K": [[-9], [-10]],
            "V": [[1], [2]],
            "rounding": {"places": 2, "steps": "all", "shift": True},
        },
        [],
    ),
    "saturated": (
        {"Q": [[1], [2]], "K": [[9], [-10]], "V": [[1], [2]], "rounding": {"places": 2}},
        [("saturated", "output 1")],
    ),
    "one key has all the weight, as it must": ({"Q": [[1], [-1]], "K": [[9]], "V": [[1]]}, []),
    "two weights change places": (
        {
            "X_1": [["0.4", "0.6"]],
            "X_2": [[2, 0], [0, 1]],
            "W_Q": I2,
            "W_K": I2,
            "W_V": [[1], [0]],
            "rounding": {"places": 0, "steps": "matrices"},
        },
        [
            ("saturated", "output 1"),
            ("rank-reversed", "output 1"),
            ("policy-differs", "A_11"),
            ("policy-differs", "O_11"),
        ],
    ),
    "two weights change places, with a third between them": (
        {
            "X_1": [["0.4", "0.6"]],
            "X_2": [[2, 0], [1, 0], [0, 1]],
            "W_Q": I2,
            "W_K": I2,
            "W_V": [[1], [0]],
            "rounding": {"places": 0, "steps": "matrices"},
        },
        [
            ("saturated", "output 1"),
            ("rank-reversed", "output 1"),
            ("policy-differs", "A_13"),
            ("policy-differs", "O_11"),
        ],
    ),
    "free symbols leave it open": (
        {"Q": [["b"]], "K": [[1], [0]], "V": [[1], [2]], "symbols": {"b": "real"}},
        [],
    ),
}


def solved(keys: dict[str, Any]) -> Result:
    return attention(**{"scale": "none", **keys})


@pytest.mark.parametrize("case", CASES)
def test_warnings(case: str) -> None:
    keys, expected = CASES[case]
    assert [(warning.code, warning.where) for warning in solved(keys).warnings] == expected


@pytest.mark.parametrize("case", CASES)
def test_warnings_are_sentences(case: str) -> None:
    for warning in solved(CASES[case][0]).warnings:
        assert warning.text.endswith(".")
        assert warning.text[0].isupper()
        assert warning.as_json() == {"code": warning.code, "where": warning.where, "text": warning.text}


def test_the_place_is_called_as_the_sheet_calls_it() -> None:
    keys = {"Q": [[0]], "K": [[1], [2]], "V": [[1], [2]], "rounding": {"places": 0}, "names": {"A": "P", "O": "Y"}}
    places = [warning.where for warning in solved(keys).warnings if warning.code == "tie-at-boundary"]
    assert places == ["P_11", "Y_11"]


def test_many_places_are_counted() -> None:
    keys = {"Q": [[0]] * 5, "K": [[1], [1]], "V": [[1], [2]], "rounding": {"places": 0}}
    (first, *_) = solved(keys).warnings
    assert "A_11, A_12, A_21, A_22, A_31, A_32 and 4 more lie exactly half-way" in first.text


@settings(max_examples=40)
@given(given_problems(), st.integers(0, 2), st.sampled_from(["end", "matrices", "all"]))
def test_the_tie_rules_agree_where_no_tie_is_warned_of(small: Given, places: int, steps: str) -> None:
    results = [
        solved(_keys(small, {"places": places, "steps": steps, "ties": ties})) for ties in TIES if ties != "truncate"
    ]
    if all(warning.code != "tie-at-boundary" for result in results for warning in result.warnings):
        first, *others = ([stepwise(result, name) for name in "AO"] for result in results)
        assert all(other == first for other in others)


def stepwise(result: Result, name: str) -> object:
    return quantity_json(result.scene.quantities[name], name, None)["stepwise"]


@settings(max_examples=40)
@given(given_problems(), st.integers(0, 2))
def test_order_is_reversed_exactly_where_it_is_warned_of(small: Given, places: int) -> None:
    result = solved(_keys(small, {"places": places, "steps": "all"}))
    warned = {warning.where for warning in result.warnings if warning.code == "rank-reversed"}
    weights = result._weights[0]
    assert weights is not None
    for number, (line, scores) in enumerate(zip(weights.shown, weights.scores, strict=True), 1):
        pairs = [(i, j) for i in range(len(line)) for j in range(len(line))]
        turned = any(compare(line[i], line[j]) < 0 and compare(scores[i], scores[j]) > 0 for i, j in pairs)
        assert turned == (f"output {number}" in warned)


@given(st.lists(ENTRIES, min_size=1, max_size=4), st.integers(0, 2))
def test_sums_are_warned_of_exactly_where_they_are_not_one(keys: list[Any], places: int) -> None:
    result = solved({"Q": [[1]], "K": [[key] for key in keys], "V": [[0]] * len(keys), "rounding": {"places": places}})
    total = sum(round_exact(weight, Rounding(places=places)) for weight in result.A.kernel)
    assert (total != 1) == any(warning.code == "row-sum" for warning in result.warnings)


def _keys(small: Given, rounding: dict[str, Any]) -> dict[str, Any]:
    return {"Q": small.Q, "K": small.K, "V": small.V, "scale": small.scale, "rounding": rounding}
