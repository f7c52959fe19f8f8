"""Strict rounding is about digits: what follows from a mistake and is rounded as the sheet asks is never a second one.

The works are drawn: a problem, a rounding policy and a mistake in one entry. Their numbers are worked out with
`decimal` alone.
"""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from random import Random
from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.problem.model import Problem

Rows = list[list[Decimal]]
TIES = {"half-up": ROUND_HALF_UP, "half-even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}
STEPS = {
    "end": (),
    "matrices": ("scores", "weights", "outputs"),
    "all": ("scores", "exponentials", "row_sums", "weights", "products", "outputs"),
    "weights": ("weights",),
}
HOLDS = {"right", "rounded", "carried"}
STAGES = ("Q", "K", "V", "S", "S_scaled", "A", "O")


class Person:
    """Somebody who rounds as the sheet says, and makes one mistake.

    Args:
        tables: the problem.
        stage: the matrix with the mistake.
        place: the entry, counted from 0.
        error: the difference from the entry's value.
    """

    def __init__(self, tables: dict[str, Any], stage: str, place: tuple[int, int], error: Decimal) -> None:
        rounding = tables["rounding"]
        self.unit = Decimal(1).scaleb(-rounding["places"])
        self.ties = TIES[rounding["ties"]]
        self.steps = STEPS[rounding["steps"]]
        self.mistake = (stage, place, error)
        self.lines: list[str] = []
        self.values: dict[str, Rows] = {}
        with localcontext() as context:
            context.prec = 60
            self._work({name: [[Decimal(entry) for entry in row] for row in tables[name]] for name in "QKV"})

    def _shown(self, value: Decimal) -> Decimal:
        # A value that is exactly 1 may have come out as 0.999… with all digits.
        return value.quantize(Decimal("1e-40")).quantize(self.unit, self.ties)

    def _step(self, name: str, value: Decimal) -> Decimal:
        return self._shown(value) if name in self.steps else value

    def _written(self, name: str, rows: Rows, label: str = "") -> Rows:
        stage, (i, j), error = self.mistake
        if name == stage:
            rows = [list(row) for row in rows]
            rows[i][j] = self._shown(rows[i][j]) + error if name not in "QKV" else rows[i][j] + error
        texts = [", ".join(f"{entry if name in 'QKVS' else self._shown(entry):f}" for entry in row) for row in rows]
        self.lines.append(f"{label or name} = [{', '.join(f'[{text}]' for text in texts)}]")
        return rows

    def _work(self, given: dict[str, Rows]) -> None:
        q, k, v = (self._written(name, given[name]) for name in "QKV")
        zero = Decimal(0)
        exact = [[sum((a * b for a, b in zip(row, key, strict=True)), zero) for key in k] for row in q]
        scores = self._written("S", exact)
        root = Decimal(len(q[0])).sqrt()
        if len(q[0]) != 1:
            scaled = [[self._step("scores", entry / root) for entry in row] for row in scores]
            scores = self._written("S_scaled", scaled, f"S/sqrt({len(q[0])})")
        powers = [[self._step("exponentials", entry.exp()) for entry in row] for row in scores]
        sums = [self._step("row_sums", sum(row, zero)) for row in powers]
        weights = [
            [self._step("weights", power / total) for power in row] for row, total in zip(powers, sums, strict=True)
        ]
        weights = self._written("A", weights)
        columns = list(zip(*v, strict=True))
        products = [
            [[self._step("products", a * b) for a, b in zip(row, column, strict=True)] for column in columns]
            for row in weights
        ]
        self._written("O", [[self._step("outputs", sum(item, zero)) for item in row] for row in products])


def drawn(seed: int, steps: str, ties: str) -> tuple[Problem, Person, str]:
    random = Random(f"{seed} {steps} {ties}")
    size, width = random.choice([(2, 1), (2, 2), (3, 2), (3, 3)])

    def matrix(columns: int, numbers: list[str]) -> list[list[str]]:
        return [[random.choice(numbers) for _ in range(columns)] for _ in range(size)]

    tables: dict[str, Any] = {
        "Q": matrix(width, ["-1", "0", "1", "2"]),
        "K": matrix(width, ["-1", "0", "1"]),
        "V": matrix(2, ["-2", "0.5", "1", "1.25", "3"]),
        "rounding": {"places": random.choice([2, 3]), "steps": steps, "ties": ties},
    }
    stage = random.choice([name for name in STAGES if width > 1 or name != "S_scaled"])
    columns = {"Q": width, "K": width, "V": 2, "O": 2}.get(stage, size)
    error = random.choice(["0.13", "-0.27"] if stage in {"A", "S_scaled"} else ["1", "-2", "3"])
    person = Person(tables, stage, (random.randrange(size), random.randrange(columns)), Decimal(error))
    return Problem.build(**tables), person, stage


def found(report: Report) -> list[tuple[str, list[str]]]:
    """Return the verdict of each entry of each matrix; the words for what holds are one."""
    matrices = [(finding.name or "", finding.entries) for finding in report.findings if finding.entries]
    return [
        (name, ["holds" if entry.verdict in HOLDS else entry.verdict for row in entries for entry in row])
        for name, entries in matrices
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("ties", TIES)
def test_a_mistake_costs_once_under_strict_rounding(steps: str, ties: str) -> None:
    counts: dict[str, int] = {}
    for seed in range(16):
        problem, person, stage = drawn(seed, steps, ties)
        text = "\n\n".join(person.lines)
        strictly, otherwise = (check_text(problem, text, "txt", strict=strict) for strict in (True, False))
        for (name, words), (_, others) in zip(found(strictly), found(otherwise), strict=True):
            assert words.count("wrong") == others.count("wrong") == (name == stage), (seed, text, words, others)
            # By chance the right value may be the same, rounded otherwise than the sheet asks.
            pairs = {pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]}
            assert pairs <= {("follows", "holds")}, (seed, text, words, others)
            for word in words:
                counts[word] = counts.get(word, 0) + 1
    assert set(counts) == {"holds", "follows", "wrong"}
    assert counts["follows"] > 25


@pytest.mark.parametrize("steps", STEPS)
def test_what_follows_is_rounded_as_a_strict_sheet_asks(steps: str) -> None:
    problem = Problem.build(
        Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 5]], scale="none", rounding={"places": 3, "steps": steps}
    )
    before = "$A_{11} = 0.713, A_{12} = 0.287$\n\n"
    for number, word in {"1.574": "follows", "1.5740": "follows", "1.57": "wrong", "1.575": "wrong"}.items():
        report = check_text(problem, f"{before}$O_{{11}} = {number}$", "md", strict=True)
        assert report.findings[-1].verdict == word, (number, report.text)
