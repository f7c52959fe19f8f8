"""How far numbers may lie from the right ones: declared by quantity, exact, never negative."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.problem.model import Problem
from symattn.problem.schema.json_schema import json_schema
from tests.problem.test_schema import faults

GIVEN: dict[str, Any] = {"Q": [[1]], "K": [[1]], "V": [[1]]}
DEFINED: dict[str, Any] = {"inputs": {"in1": [[1]]}, "definitions": {"out": "exp(in1)"}}


def test_a_sheet_without_a_tolerance_has_none() -> None:
    assert dict(Problem.build(**GIVEN).tolerance) == {}
    assert dict(Problem.build(**DEFINED).tolerance) == {}


def test_a_tolerance_is_exact() -> None:
    text = '[inputs]\nQ = [[1]]\nK = [[1]]\nV = [[1]]\n[tolerance]\nA = 1e-9\nO = "2e-6"\nS = 0\nQ = "1/3"\n'
    tolerance = Problem.from_text(text).tolerance
    assert dict(tolerance) == {
        "A": Fraction(1, 10**9),
        "O": Fraction(2, 10**6),
        "S": Fraction(0),
        "Q": Fraction(1, 3),
    }
    with pytest.raises(TypeError):
        tolerance["A"] = Fraction(1)  # type: ignore[index]


def test_names_of_definitions_and_inputs_have_tolerances() -> None:
    problem = Problem.build(**DEFINED, tolerance={"out": "0.001", "in1": 0})
    assert dict(problem.tolerance) == {"out": Fraction(1, 1000), "in1": 0}


@pytest.mark.parametrize("keys", [GIVEN, DEFINED])
@pytest.mark.parametrize(
    ("tolerance", "message"),
    [
        ({"nothing": 1}, 'tolerance]: unknown name "nothing". '),
        ("1e-6", "tolerance must be a table of numbers, not the text"),
        ([1], "tolerance must be a table of numbers, not a list"),
    ],
)
def test_tables_that_are_refused(keys: dict[str, Any], tolerance: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Problem.build(**keys, tolerance=tolerance)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "[tolerance] A must be at least 0."),
        ("-1e-9", "[tolerance] A must be at least 0."),
        ("inf", '"inf" is not a number that can be computed with exactly'),
        ("nan", '"nan" is not a number'),
        (1e-6, "float"),
        (True, "must be a number, not true"),
        ([], "must be a number, not a list"),
        ("a lot", "[tolerance] A"),
        ("1e999999999", "[tolerance] A"),
    ],
)
def test_values_that_are_refused(value: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Problem.build(**GIVEN, tolerance={"A": value})
    assert message in str(caught.value)


@given(st.fractions(min_value=0))
def test_any_rational_from_zero_on_is_kept(value: Fraction) -> None:
    assert Problem.build(**GIVEN, tolerance={"A": str(value)}).tolerance["A"] == value


def test_the_schema_takes_tolerances() -> None:
    tables = {"inputs": GIVEN, "tolerance": {"A": 1, "O": "1e-6"}}
    assert faults(tables, json_schema()) == []
    assert faults({**tables, "tolerance": {"A": -1}}, json_schema())
    assert faults({**tables, "tolerance": {"a b": 1}}, json_schema())
