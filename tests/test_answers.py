"""Every number of three worked sheets, against values that other programs computed.

The digits in data/answers.json are those on which Arb (400 bits) and mpmath (80 digits) agree; the exact values,
closed forms and step-rounded tables come from a program apart from this one, and all of them were reviewed.
"""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import pytest
from click.testing import CliRunner

from symattn.cli.main import cli
from tests.attention.closed_forms import closed_form

EXAMPLES = Path(__file__).parent.parent / "examples"
ANSWERS: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "answers.json").read_text(encoding="utf-8"))
STEPWISE = [
    pytest.param(sheet, case, id=f"{sheet}-{case['policy']}")
    for sheet, answers in ANSWERS.items()
    for case in answers["stepwise"]
]
MATRICES = [pytest.param(sheet, name, id=f"{sheet}-{name}") for sheet in ANSWERS for name in "AO"]


@cache
def solved(sheet: str, *options: str) -> dict[str, Any]:
    problem = str(EXAMPLES / ANSWERS[sheet]["problem"])
    outcome = CliRunner().invoke(cli, ["solve", problem, "--json", *options])
    assert outcome.exit_code == 0, outcome.stderr
    printed: dict[str, Any] = json.loads(outcome.stdout)
    return printed


def values(printed: dict[str, Any], name: str, key: str) -> list[list[str]]:
    quantity: dict[str, Any] = printed["quantities"][name]
    rows: list[list[str]] = quantity[key]
    assert quantity["shape"] == [len(rows), len(rows[0])]
    return rows


@pytest.mark.parametrize("sheet", ANSWERS)
@pytest.mark.parametrize("name", ["Q", "K", "V", "S"])
def test_rational_quantities_are_exact(sheet: str, name: str) -> None:
    assert values(solved(sheet), name, "exact") == ANSWERS[sheet]["exact"][name]


@pytest.mark.parametrize(("sheet", "name"), MATRICES)
def test_closed_forms_are_equal(sheet: str, name: str) -> None:
    ours = values(solved(sheet), name, "exact")
    compared = 0
    for row, expected in zip(ours, ANSWERS[sheet]["closed"][name], strict=True):
        for mine, theirs in zip(row, expected or [], strict=expected is not None):
            assert closed_form(mine).equals(closed_form(theirs)), (mine, theirs)
            compared += 1
    assert compared


@pytest.mark.parametrize(("sheet", "name"), MATRICES)
def test_closed_forms_have_the_digits_that_are_printed(sheet: str, name: str) -> None:
    expected = ANSWERS[sheet]["digits"][name]
    for row, digits in zip(values(solved(sheet), name, "exact"), expected, strict=True):
        for mine, theirs in zip(row, digits, strict=True):
            with mpmath.workdps(60):
                error = abs(closed_form(mine).digits(60) - mpmath.mpf(theirs))
                assert error <= abs(mpmath.mpf(theirs)) * mpmath.mpf(10) ** -29, (mine, theirs)


@pytest.mark.parametrize(("sheet", "name"), MATRICES)
def test_thirty_significant_digits(sheet: str, name: str) -> None:
    assert values(solved(sheet, "--digits", "30"), name, "decimal") == ANSWERS[sheet]["digits"][name]


@pytest.mark.parametrize("sheet", ANSWERS)
def test_more_places_begin_with_the_same_digits(sheet: str) -> None:
    printed = solved(sheet, "--places", "60")
    for name in "AO":
        for row, digits in zip(values(printed, name, "decimal"), ANSWERS[sheet]["digits"][name], strict=True):
            for mine, theirs in zip(row, digits, strict=True):
                assert len(mine.partition(".")[2]) == 60
                step = Decimal(1).scaleb(int(Decimal(theirs).as_tuple().exponent))
                assert abs(Decimal(mine) - Decimal(theirs)) <= step


@pytest.mark.parametrize("sheet", [sheet for sheet in ANSWERS if ANSWERS[sheet]["end"]])
def test_rounded_once_at_the_end(sheet: str) -> None:
    for printed, key in (
        (solved(sheet), "decimal"),
        (solved(sheet, "--policy", "steps=end,places=2"), "decimal"),
        (solved(sheet, "--policy", "steps=end,places=2"), "stepwise"),
    ):
        assert {name: values(printed, name, key) for name in "AO"} == ANSWERS[sheet]["end"]


@pytest.mark.sample(12)
@pytest.mark.parametrize(("sheet", "case"), STEPWISE)
def test_step_rounded(sheet: str, case: dict[str, Any]) -> None:
    printed = solved(sheet, "--policy", case["policy"])
    expected = {name: rows for name, rows in case.items() if name != "policy"}
    assert {name: values(printed, name, "stepwise") for name in expected} == expected


@pytest.mark.parametrize(("sheet", "options"), [("001-Q3", ()), ("001-EC", ())])
def test_the_sheets_own_policy_is_to_round_every_step(sheet: str, options: tuple[str, ...]) -> None:
    printed = solved(sheet, *options)
    case = ANSWERS[sheet]["stepwise"][0]
    assert {name: values(printed, name, "stepwise") for name in "QKVSAO"} == {name: case[name] for name in "QKVSAO"}


@pytest.mark.parametrize(
    ("sheet", "options", "solid", "dashed"),
    [
        ("001-Q3", (), [[1, 3], [2, 3], [3, 1]], [[3, 2]]),
        ("001-Q3", ("--policy", "steps=end,places=5"), [[1, 3], [2, 3], [3, 1]], [[1, 1], [2, 1], [2, 2], [3, 2]]),
        ("001-EC", (), [[1, 3], [1, 4], [2, 4]], [[1, 2], [2, 3]]),
    ],
)
def test_who_attends_to_whom(
    sheet: str, options: tuple[str, ...], solid: list[list[int]], dashed: list[list[int]]
) -> None:
    pattern = solved(sheet, *options)["pattern"]
    assert pattern["solid"] == solid
    assert pattern["dashed"] == dashed


def test_every_statement_of_every_sheet_is_proved() -> None:
    for sheet in ANSWERS:
        statements = solved(sheet)["statements"]
        assert statements["total"] == statements["proved"] > 20
