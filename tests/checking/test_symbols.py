"""Symbols of a sheet: their letters mean no quantity, and polynomials in them are values with their terms collected."""

from __future__ import annotations

from typing import Any

import pytest

import symattn as sa
from symattn.problem.model import Problem

ONES: dict[str, Any] = {name: [[1, 0, 1], [0, 1, 0], [1, 0, 1]] for name in ("W_Q", "W_K", "W_V")}


def problem(symbol: str, **further: Any) -> Problem:
    keys = {"X_1": [[symbol, 0, 2], [2, 1, 1]], "X_2": [[1, 1, 1], [0, 1, 2]], **ONES, **further}
    return Problem.build(**keys, symbols={symbol: "positive"}, rounding={"places": 2})


@pytest.mark.sample(2)
@pytest.mark.parametrize("symbol", ["a", "b", "q", "s", "x_1", "alpha"])
def test_the_key_of_a_symbol_is_right_whatever_its_letter(symbol: str) -> None:
    asked = problem(symbol)
    report = sa.check(asked, sa.solve(asked).to_latex("exam"), "tex")
    assert not [item for item in report.findings if item.verdict in {"wrong", "follows", "unread"}]
    assert not report.missing


@pytest.mark.parametrize(
    ("work", "verdict"),
    [
        ("S_11 = 4 a + 8", "right"),
        ("S_11 = 4 (a + 2)", "right"),
        ("S_11 = 8 a + 4", "wrong"),
        ("S_11 = 4 a + 9", "wrong"),
        ("S_11 = 4 b + 8", "undecided"),
        ("S_12 = 4 a", "wrong"),
    ],
)
def test_polynomials_are_values(work: str, verdict: str) -> None:
    """A value in a symbol is compared as a whole: its terms are not the products that it was made of."""
    (found,) = sa.check(problem("a"), work, "md").findings
    assert found.verdict == verdict


def test_a_declared_symbol_is_not_an_entry_of_the_weights() -> None:
    report = sa.check(problem("a"), "q_1 = [a + 2, 0, a + 2]", "md")
    assert [item.verdict for item in report.findings] == ["right"]
    assert sa.check(problem("b"), "a_{11} = 2", "md").findings[0].name == "A[1,1]"
