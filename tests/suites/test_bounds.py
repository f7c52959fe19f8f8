"""The bound itself: what it lets pass, and that it has no room for what is no number."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symattn.problem.model import Problem
from tests.suites.binary import exact
from tests.suites.bounds import (
    LEFT_OUT,
    MINUS_INFINITY,
    UNDEFINED,
    UNITS,
    LayerBounds,
    Quantities,
    Written,
    distance,
)
from tests.suites.by_arb import ByArb

ENTRIES = st.fractions(min_value=-3, max_value=3, max_denominator=64)


@pytest.mark.parametrize("word", [MINUS_INFINITY, UNDEFINED])
def test_what_is_no_number_is_only_itself(word: str) -> None:
    other = {MINUS_INFINITY: UNDEFINED, UNDEFINED: MINUS_INFINITY}[word]
    assert distance(word, word, Fraction(0)) == 0
    assert distance(word, Fraction(1), Fraction(1)) == math.inf
    assert distance(Fraction(1), word, Fraction(1)) == math.inf
    assert distance(other, word, Fraction(1)) == math.inf
    assert distance(LEFT_OUT, word, Fraction(0)) == 0


def test_where_all_terms_are_zero_only_zero_passes() -> None:
    assert distance(Fraction(0), Fraction(0), Fraction(0)) == 0
    assert distance(Fraction(1, 2**149), Fraction(0), Fraction(0)) == math.inf


def test_a_number_written_to_places_has_a_unit_of_the_last() -> None:
    third = Fraction(1, 3)
    assert distance(Written(Fraction("0.33"), Fraction("0.01")), third, Fraction(0)) < 1
    assert distance(Written(Fraction("0.34"), Fraction("0.01")), third, Fraction(0)) < 1
    assert distance(Written(Fraction("0.32"), Fraction("0.01")), third, Fraction(0)) > 1


@pytest.mark.parametrize(("value", "expected"), [(0.1, Fraction(0.1)), (math.nan, UNDEFINED), (-math.inf, "-inf")])
def test_floats_are_what_they_are(value: float, expected: object) -> None:
    assert exact(value) == expected


def test_plus_infinity_is_refused() -> None:
    with pytest.raises(ValueError, match="plus infinity"):
        exact(math.inf)


def test_the_bound_of_a_layer_worked_out_by_hand() -> None:
    """Two keys, both of score 0, so weights 1/2; values 1 and -3, so M = 2; d_k = 1 and n_k = 2."""
    problem = Problem.build(Q=[[0]], K=[[1], [1]], V=[[1], [-3]], scale="none")
    bounds = LayerBounds(problem, UNITS["float32"])
    allowed = 35 * Fraction(1, 2**24) * 2
    assert bounds.worst("O", [[Fraction(-1) + allowed / 2]]).part == pytest.approx(0.5)
    assert bounds.worst("O", [[Fraction(-1) - 3 * allowed]]).part == pytest.approx(3)
    assert bounds.worst("A", [[Fraction(1, 2), Fraction(1, 2) + allowed]]).part == pytest.approx(4)


LAYERS: dict[str, dict[str, Any]] = {
    "dot": {"mask": {"keep": [[1, 0], [0, 0]]}, "fully_masked": "zeros"},
    "capped": {"softcap": "3/2", "bias": {"add": [[1, -1]]}, "mask": "causal"},
    "two heads": {"softcap": 2, "heads": 2, "kv_heads": 1, "mask": {"window": [0, 1]}},
    "cosine": {"score": "cosine"},
    "additive": {"score": "additive", "W_1": [[1, 0], [2, 1]], "W_2": [[1, -1], [0, 1]], "w_S": [[1], ["1/2"]]},
}


@pytest.mark.parametrize("name", LAYERS)
@settings(max_examples=8)
@given(st.lists(ENTRIES, min_size=16, max_size=16))
def test_the_exact_layer_and_arb_agree(name: str, entries: list[Fraction]) -> None:
    rows = [entries[at : at + 2] for at in range(0, 16, 2)]
    Q = [[*rows[0], *rows[6]], [*rows[1], *rows[7]]] if "heads" in LAYERS[name] else rows[:2]
    problem = Problem.build(Q=Q, K=rows[2:4], V=rows[4:6], **LAYERS[name])
    assume(name != "cosine" or all(any(row) for row in rows[:4]))
    one, other = Quantities(problem), ByArb(problem)
    mark = "^1" if problem.heads else ""
    for quantity in (*(step + mark for step in one.chain), f"A{mark}", "O"):
        for row, same in zip(one.rows(quantity), other.rows(quantity), strict=True):
            for low, middle in zip(row, same, strict=True):
                assert low == middle or abs(Fraction(low) - Fraction(middle)) < Fraction(1, 2**150)
