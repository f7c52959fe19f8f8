"""Wrong statements that are repeated, or many: the cause of one is looked for once, and not without end."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from symattn.checking.checker import Checker
from symattn.checking.graph.quantities import Valuation
from symattn.checking.mistakes import alterations, causes
from tests.checking.test_blocks import PROBLEM

WRONG = "N_1 = [[1, 2, 3], [4, 5, 6]]"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts for how many mistakes all values are worked out anew."""
    count = [0]

    class Counted(Valuation):
        def __init__(self, *arguments: Any) -> None:
            count[0] += 1
            super().__init__(*arguments)

    monkeypatch.setattr(alterations, "Valuation", Counted)
    return count


def test_the_cause_of_an_equal_statement_is_looked_for_once(made: list[int]) -> None:
    first = Checker(PROBLEM).report(WRONG, "txt", "work").findings
    count, made[0] = made[0], 0
    found = Checker(PROBLEM).report("\n".join([WRONG] * 8), "txt", "work").findings
    assert made[0] == count
    assert {(item.verdict, item.explanation) for item in found} == {(first[0].verdict, first[0].explanation)}


def test_a_search_ends(made: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causes, "_MOST_OWN", 10)
    random = Random(8)
    lines = [f"N_1 = {[[random.randint(2, 90) / 8 for _ in range(3)] for _ in range(2)]}" for _ in range(3)]
    lines = [f"R_1 = [[{k}, 2, 3], [4, 5, 6]]\n{line}" for k, line in enumerate(lines)]
    checker = Checker(PROBLEM)
    found = checker.report("\n".join(lines), "txt", "work").findings
    assert [item.verdict for item in found] == ["wrong"] * 6
    most = made[0]
    monkeypatch.setattr(causes, "_MOST_OWN", 1_000)
    made[0] = 0
    checker.report("\n".join(lines), "txt", "work")
    assert made[0] > most
