"""The numbers for machines of layers with masks: nulls where nothing is defined, no bar that divides out, no waits."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.api.solutions import solve
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding import printed
from symattn.problem.model import Problem

GIVEN: dict[str, Any] = {"Q": [[1, 0], [0, 1]], "K": [[1, 0], [0, 2]], "V": [[1, 2], [3, 4]]}


def record(**further: Any) -> dict[str, Any]:
    return solve(Problem.build(**{**GIVEN, **further})).as_json()


@pytest.mark.parametrize(
    ("further", "nulls"),
    [
        ({}, [False, False]),
        ({"softmax_one": True}, [True, True]),
        ({"mask": {"keep": [[1, 1], [0, 0]]}}, [False, True]),
        ({"mask": {"keep": [[0, 0], [1, 1]]}}, [True, False]),
        ({"mask": {"keep": [[0, 0], [0, 0]]}}, [True, True]),
        ({"mask": {"keep": [[0, 0], [1, 1]]}, "fully_masked": "zeros"}, [True, False]),
        ({"mask": {"keep": [[0, 0], [1, 1]]}, "fully_masked": "uniform"}, [True, False]),
    ],
)
def test_an_entropy_for_each_query_null_where_there_is_none(further: dict[str, Any], nulls: list[bool]) -> None:
    assert [entropy is None for entropy in record(**further)["pattern"]["entropy"]] == nulls


@pytest.mark.parametrize(
    ("further", "scale"),
    [
        ({"temperature": "1/4"}, {"scale": "1/(1/4)", "temperature": "1/4"}),
        ({"temperature": 2}, {"scale": "1/(2)", "temperature": "2"}),
        ({"scale": "1/4"}, {"scale": "1/4"}),
        ({}, {"scale": "1/sqrt(d_k)"}),
        ({"scale": "none"}, {"scale": "none"}),
    ],
)
def test_the_scale_multiplies_and_the_temperature_divides(further: dict[str, Any], scale: dict[str, str]) -> None:
    convention = record(**further)["convention"]
    assert {key: convention[key] for key in ("scale", "temperature") if key in convention} == scale


@pytest.mark.parametrize("further", [{"mask": "causal"}, {"mask": {"length": 1}}, {"scale": "none", "mask": "causal"}])
def test_closed_forms_have_no_bar_that_divides_out(further: dict[str, Any]) -> None:
    result = solve(Problem.build(**{**GIVEN, **further}))
    quantities: Any = result.as_json()["quantities"]
    assert quantities["A"]["exact"][0] == ["1", "0"]
    for name, quantity in quantities.items():
        for texts, values in zip(quantity["exact"], result[name].rows, strict=True):
            for text, value in zip(texts, values, strict=True):
                found = value.polynomial() if value.is_finite else None
                assert found is None or text == str(found)


@pytest.mark.parametrize("number", ["-1e300", "-1e30", "-123456.789e60"])
def test_numbers_that_stand_for_minus_infinity_cost_nothing(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digits of exp(-10^300) take a thousand squarings each; nobody asks for them."""

    def refused(value: Quotient) -> int:
        raise AssertionError(f"the size of {str(value)[:40]} was worked out")

    monkeypatch.setattr(printed, "magnitude", refused)
    result = solve(Problem.build(**GIVEN, mask={"add": [[0, number], [0, 0]]}))
    assert result.as_json()["format"] == 1
    assert all(len(item.text) < 200 for item in result.warnings)
