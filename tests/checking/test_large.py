"""Large works as programs print them: every exponential is worked out a few times, not once for each question."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from symattn.checking.checker import Checker
from symattn.checking.report import Report
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.reals.enclosure import Exponentials
from symattn.exact.rounding.quotients import Rounding, decimals
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem

TOKENS, WIDTH = 12, 4


@pytest.fixture(scope="module")
def problem() -> Problem:
    random = Random(5)

    def rows(height: int) -> list[list[str]]:
        return [
            [str(Fraction(random.randint(-6, 6), random.choice([1, 2, 4, 5]))) for _ in range(WIDTH)]
            for _ in range(height)
        ]

    inputs = {"X": rows(TOKENS), "W_Q": rows(WIDTH), "W_K": rows(WIDTH), "W_V": rows(WIDTH)}
    return Problem.build(tokens="rows", projection="X W", scale="1/sqrt(d_k)", inputs=inputs)


def printed(problem: Problem, places: int) -> dict[str, list[list[str]]]:
    """The matrices of a key as numpy prints them."""
    quantities = attention_layer(problem).scene.quantities
    return {
        name: [decimals(list(row), Rounding(places=places)) for row in quantities[name].exact.rows] for name in "QKVSAO"
    }


def written(matrices: dict[str, list[list[str]]]) -> str:
    return "\n\n".join(
        f"{name} = [" + "\n ".join("[" + " ".join(row) + "]" for row in rows) + "]" for name, rows in matrices.items()
    )


def checked(problem: Problem, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Report, int]:
    count = 0
    plain = Exponentials._exp

    def counted(self: Exponentials, x: Polynomial) -> object:
        nonlocal count
        count += 1
        return plain(self, x)

    checker = Checker(problem)
    monkeypatch.setattr(Exponentials, "_exp", counted)
    report = checker.report(text, "txt", "w")
    monkeypatch.undo()
    return report, count


@pytest.mark.parametrize("places", [4, 8])
def test_a_right_print(problem: Problem, places: int, monkeypatch: pytest.MonkeyPatch) -> None:
    report, count = checked(problem, written(printed(problem, places)), monkeypatch)
    assert {found.verdict for found in report.findings} <= {"right", "rounded"}
    assert report.policy is not None
    assert report.policy.explained == report.policy.of
    # One table of exponentials would do; a question for each entry of A and O would need hundreds of them.
    assert count <= 4 * TOKENS * TOKENS


def test_a_print_with_one_mistake(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    matrices = printed(problem, 4)
    matrices["A"][3][5] = "0.7777"
    report, count = checked(problem, written(matrices), monkeypatch)
    assert [found.name for found in report.findings if found.verdict == "wrong"] == ["A"]
    assert report.policy is not None
    assert report.policy.of - report.policy.explained == 1
    assert count <= 40 * TOKENS * TOKENS
