"""Marks: every independent mistake costs, wherever it is made; what merely follows from one costs nothing more."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import PartMarks, Report
from symattn.problem.model import Problem

GIVEN: dict[str, Any] = {
    "tokens": "rows",
    "scale": "none",
    "inputs": {"Q": [[1, 2], [0, -1]], "K": [[1, 0], [0, 1], [-1, 1]], "V": [[2, 0], [1, 3], [0, -2]]},
    "rounding": {"places": 2, "steps": "all"},
}
"""S = [1 2 1; 0 -1 -1]; to two places, step by step, A = [0.21 0.58 0.21; 0.57 0.21 0.21]."""

BEFORE = (
    "S = [1, 2, 1; 0, -1, -1]",
    "E = [2.72, 7.39, 2.72; 1, 0.37, 0.37]",
    "Z = (12.83, 1.74)",
    "A = [0.21, 0.58, 0.21; 0.57, 0.21, 0.21]",
)
OUTPUTS = {
    (1, 1): r"O_{11} = 0.21 \cdot 2 + 0.58 \cdot 1 + 0.21 \cdot 0 = 1.00",
    (1, 2): r"O_{12} = 0.21 \cdot 0 + 0.58 \cdot 3 + 0.21 \cdot (-2) = 1.32",
    (2, 1): r"O_{21} = 0.57 \cdot 2 + 0.21 \cdot 1 + 0.21 \cdot 0 = 1.35",
    (2, 2): r"O_{22} = 0.57 \cdot 0 + 0.21 \cdot 3 + 0.21 \cdot (-2) = 0.21",
}


def report(*lines: str, asks: tuple[str, ...] = ("outputs",), points: int = 4) -> Report:
    problem = Problem.build(**GIVEN, parts=[{"asks": list(asks), "points": points}])
    return check_text(problem, "\n\n".join(f"${line}$" for line in lines), "md")


def part(found: Report) -> PartMarks:
    assert found.marks is not None
    return found.marks.parts[0]


def earned(*lines: str) -> Fraction:
    """What four points for the outputs come to."""
    return part(report(*lines)).earned


def outputs(**changed: str) -> list[str]:
    return list({**{f"o{i}{j}": line for (i, j), line in OUTPUTS.items()}, **changed}.values())


def test_work_without_a_mistake_earns_everything() -> None:
    assert earned(*BEFORE, *outputs()) == 4


@pytest.mark.parametrize(
    "slip",
    [
        pytest.param(r"O_{12} = 0.21 \cdot 0 + 0.58 \cdot 3 = 1.74", id="a term is missing"),
        pytest.param(r"O_{12} = 0.21 \cdot 0 + 0.58 \cdot 3 + 0.21 \cdot 2 = 2.16", id="a sign"),
        pytest.param(r"O_{12} = 0.21 \cdot 0 + 0.58 \cdot 2 + 0.21 \cdot (-2) = 0.74", id="an operand"),
        pytest.param(r"O_{12} = 0.57 \cdot 0 + 0.21 \cdot 3 + 0.21 \cdot (-2) = 0.21", id="another row"),
        pytest.param(r"O_{12} = 0.21 \cdot 2 + 0.58 \cdot 1 + 0.21 \cdot 0 = 1.00", id="another column"),
        pytest.param(r"O_{12} = 0.21 \cdot 0 + 0.58 \cdot 3 + 0.21 \cdot (-2) = 1.47 - 0.42 = 1.05", id="a part"),
        pytest.param(r"O_{12} = 0.21 \cdot 0 + 0.58 \cdot 3 + 0.21 \cdot (-2) = 1.23", id="the sum"),
    ],
)
def test_a_slip_of_the_own_line_earns_the_method_alone(slip: str) -> None:
    """One mistake, half of one of four entries, whether or not the value then follows from it."""
    assert earned(*BEFORE, *outputs(o12=slip)) == Fraction(7, 2)


def test_a_slip_in_several_lines_or_said_again_is_one_slip() -> None:
    two = (r"O_{12} = 0.21 \cdot 0 + 0.58 \cdot 3", "= 1.74", "O = [1.00, 1.74; 1.35, 0.21]")
    assert earned(*BEFORE, OUTPUTS[1, 1], OUTPUTS[2, 1], OUTPUTS[2, 2], *two) == Fraction(7, 2)


def test_working_with_nothing_of_the_definition_earns_nothing() -> None:
    assert earned(*BEFORE, *outputs(o12=r"O_{12} = 9 \cdot 8 + 7 \cdot 6 + 5 \cdot 4 = 134")) == 3


WAYS = {
    "an exponential": (
        "e^2 = 7.93", "Z_1 = 2.72 + 7.93 + 2.72 = 13.37", "A_{11} = 2.72/13.37 = 0.20", "A_{12} = 7.93/13.37 = 0.59",
        "A_{13} = 0.20", "A_2 = (0.57, 0.21, 0.21)",
    ),
    "an exponential of a matrix": (
        "E = [2.72, 7.93, 2.72; 1, 0.37, 0.37]", "Z = (13.37, 1.74)", "A = [0.20, 0.59, 0.20; 0.57, 0.21, 0.21]",
    ),
    "a sum": (
        "E = [2.72, 7.39, 2.72; 1, 0.37, 0.37]", "Z = (13.23, 1.74)", "A = [0.21, 0.56, 0.21; 0.57, 0.21, 0.21]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_mistake_on_the_way_is_counted_once(way: str) -> None:
    """Nothing but the outputs earns something, and two of them follow from the mistake."""
    first, second = (0.20, 0.59) if way != "a sum" else (0.21, 0.56)
    changed = {
        f"o1{j}": rf"O_{{1{j}}} = {first:.2f} \cdot {a} + {second} \cdot {b} + {first:.2f} \cdot ({c}) "
        f"= {first * a + second * b + first * c:.2f}"
        for j, a, b, c in ((1, 2, 1, 0), (2, 0, 3, -2))
    }
    found = part(report(*WAYS[way], *outputs(**changed)))
    assert found.earned == Fraction(7, 2), found.reasons
    assert len(found.reasons) == 1
    assert "counts here" in found.reasons[0]


def test_a_mistake_that_was_put_right_costs_nothing() -> None:
    assert earned("E_{12} = 7.93", *BEFORE, *outputs()) == 4


def test_a_mistake_on_the_way_to_right_values_costs_one_method() -> None:
    before = [line.replace("12.83", "12.38") if line.startswith("Z") else line for line in BEFORE]
    found = part(report(*before, *outputs()))
    assert found.earned == Fraction(7, 2), found.reasons


def test_what_follows_from_a_mistake_that_is_paid_costs_nothing_more() -> None:
    lines = (
        r"S_{11} = 1 \cdot 1 + 2 \cdot 0 = 1", r"S_{12} = 1 \cdot 0 + 2 \cdot 1 = 2",
        r"S_{13} = 1 \cdot 1 + 2 \cdot 1 = 3", r"S_{21} = 0 \cdot 1 + (-1) \cdot 0 = 0",
        r"S_{22} = 0 \cdot 0 + (-1) \cdot 1 = -1", r"S_{23} = 0 \cdot (-1) + (-1) \cdot 1 = -1",
        "A = [0.09, 0.24, 0.67; 0.58, 0.21, 0.21]",
        r"O_{11} = 0.09 \cdot 2 + 0.24 \cdot 1 + 0.67 \cdot 0 = 0.42",
        r"O_{12} = 0.09 \cdot 0 + 0.24 \cdot 3 + 0.67 \cdot (-2) = -0.62",
        r"O_{21} = 0.58 \cdot 2 + 0.21 \cdot 1 + 0.21 \cdot 0 = 1.37",
        r"O_{22} = 0.58 \cdot 0 + 0.21 \cdot 3 + 0.21 \cdot (-2) = 0.21",
    )  # fmt: skip
    found = part(report(*lines, asks=("scores", "outputs"), points=10))
    assert found.earned == Fraction(19, 2), found.reasons


def test_too_few_places_earn_the_method() -> None:
    found = part(report(*BEFORE, *outputs(o22=OUTPUTS[2, 2].replace("= 0.21", "= 0.2"))))
    assert found.earned == Fraction(7, 2)
    assert any("fewer places" in reason for reason in found.reasons)


def test_too_few_places_are_not_called_wrong_where_nothing_else_is_shown() -> None:
    found = part(report(*BEFORE, *outputs(o22="O_{22} = 0.2")))
    assert found.earned == 3
    assert any("fewer places" in reason for reason in found.reasons)


def test_a_quotient_of_sums_has_no_steps_that_have_names() -> None:
    problem = Problem.build(inputs={"a": [[1]]}, definitions={"w": "exp(a) / (exp(a) + 1)"})
    assert [item.verdict for item in check_text(problem, "w = 0.7311", "txt", "work").findings] == ["rounded"]


@pytest.mark.parametrize(
    ("wide", "narrow", "cells"),
    [
        ({"asks": "gradients"}, {"asks": "gradient:dS"}, {"dS[1,1]"}),
        ({"asks": ["map", "outputs"]}, {"asks": "map"}, {"A[1,1]"}),
        ({"asks": "outputs"}, {"asks": "outputs", "tokens": [1]}, {"O[1,1]", "O[1,2]"}),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_an_entry_costs_in_one_part_only(
    wide: dict[str, Any], narrow: dict[str, Any], cells: set[str], *, is_first: bool
) -> None:
    parts = [{**narrow, "points": 4}, {**wide, "points": 8}]
    gradient = {"gradient": {"dO": [[1, 0], [0, 1]]}} if "gradients" in wide["asks"] else {}
    problem = Problem.build(**GIVEN, **gradient, parts=parts if is_first else parts[::-1])
    found = check_text(problem, "$dS = [9, 9, 9; 9, 9, 9]$\n\n$A = [9, 9, 9; 9, 9, 9]$\n\n$O = [9, 9; 9, 9]$", "md")
    assert found.marks is not None
    of_narrow, of_wide = found.marks.parts if is_first else found.marks.parts[::-1]
    assert any(word in sentence for sentence in of_narrow.reasons for word in cells)
    assert not any(word in sentence for sentence in of_wide.reasons for word in cells)
