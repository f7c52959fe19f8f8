"""The verdict ``follows`` is given only to what rests on an earlier statement that is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from pathlib import Path
from random import Random

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Report, Verdict
from symattn.problem.model import Problem
from tests.conformance.cases import Case, load
from tests.conformance.written import NOTATIONS, Work

pytestmark = pytest.mark.unmeasured

CASES = load(Path(__file__).parent.parent / "data" / "cases.yaml")
NAME = re.compile(r"[A-Za-z]\w*")


def said(report: Report) -> Iterator[tuple[str, Verdict]]:
    """The quantity and the verdict of each statement, and before them those of each entry of a matrix."""
    for finding in report.findings:
        name = (finding.name or "").partition("[")[0]
        yield from ((name, entry.verdict) for row in finding.entries or () for entry in row)
        yield name, finding.verdict


def rests_on(problem: Problem) -> dict[str, set[str]]:
    """The quantities that each definition rests on, itself among them; definitions stand in order."""
    found: dict[str, set[str]] = {}
    for name, formula in problem.definitions.items():
        direct = set(NAME.findall(str(formula)))
        found[name] = {name}.union(*(found.get(other, {other}) for other in direct))
    return found


def unfounded(report: Report, problem: Problem) -> list[str]:
    """The quantities of what follows although nothing before it that it rests on is wrong."""
    sources = rests_on(problem)
    wrong: set[str] = set()
    found = []
    for name, verdict in said(report):
        if verdict == "wrong":
            wrong.add(name)
        elif verdict == "follows" and not (wrong & sources[name] if name in sources else wrong):
            found.append(name)
    return found


def checked(case: Case, work: Work) -> Report:
    return check_text(case.problem, work.text, work.format)


def struck(work: Work) -> Iterator[Work]:
    """Strike out each item of a list in turn: nothing rests on it any more."""
    lines = work.text.split("\n")
    for at, line in enumerate(lines):
        if line.startswith("- "):
            yield replace(work, text="\n".join([*lines[:at], f"- ~~{line[2:]}~~", *lines[at + 1 :]]))


@pytest.mark.sample(60)
@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_what_follows_has_a_cause_in_published_work(case: Case, notation: str) -> None:
    report = checked(case, NOTATIONS[notation](case.handed_in))
    assert unfounded(report, case.problem) == [], report.text


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_nothing_follows_from_what_is_struck_out(case: Case) -> None:
    for work in struck(NOTATIONS["markdown"](case.handed_in)):
        report = checked(case, work)
        assert unfounded(report, case.problem) == [], report.text


def test_what_follows_is_found_in_published_work() -> None:
    cases = [case for case in CASES if case.id.startswith(("SA12", "SA17", "MH08", "SA30"))]
    for case in cases:
        report = checked(case, NOTATIONS["markdown"](case.handed_in))
        assert "follows" in {verdict for _, verdict in said(report)}
        assert unfounded(report, case.problem) == [], report.text
    assert len(cases) == 4


# Works in which each number is made of those before it, as they were written ------------------------

SHEET = Problem.build(
    Q=[[1, 0], [2, 1]], K=[[1, 1], [0, 2]], V=[[3, 0], [1, 4]], scale="none", rounding={"places": 2, "steps": "end"}
)
SOURCES = {"S": {"S"}, "A": {"A", "S"}, "O": {"O", "A", "S"}}


def written(value: Decimal, way: str) -> Decimal:
    """A number as a person writes it who rounds, cuts off, takes too few places or errs."""
    if way == "wrong":
        return written(value, "right") + Decimal("1.13")
    places, rounding = (
        ("0.1", ROUND_HALF_UP) if way == "coarse" else ("0.01", ROUND_DOWN if way == "cut" else ROUND_HALF_UP)
    )
    return value.quantize(Decimal(places), rounding)


def handed_in(random: Random, ways: list[str]) -> str:
    """Scores, weights and outputs; of what is struck out, and of what is not there, the right value is used."""
    lines: list[str] = []

    def used(name: str, values: list[list[Decimal]]) -> list[list[Decimal]]:
        found = [list(row) for row in values]
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                way = random.choice(ways)
                number = written(value, way.removeprefix("struck "))
                item = f"${name}_{{{i + 1}{j + 1}}} = {number}$"
                if way != "none":
                    lines.append(f"- ~~{item}~~" if way.startswith("struck") else f"- {item}")
                if way != "none" and not way.startswith("struck"):
                    found[i][j] = number
        return found

    scores = used("S", [[Decimal(1), Decimal(0)], [Decimal(3), Decimal(2)]])
    powers = [[score.exp() for score in row] for row in scores]
    weights = used("A", [[power / sum(row) for power in row] for row in powers])
    used("O", [[row[0] * 3 + row[1], row[1] * 4] for row in weights])
    return "\n".join(lines)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "ways",
    [
        ["right", "right", "right", "wrong"],
        ["right", "coarse", "none"],
        ["right", "cut", "coarse"],
        ["right", "struck right", "struck wrong", "coarse"],
        ["right", "coarse", "cut", "wrong", "struck wrong", "none"],
    ],
    ids=" ".join,
)
def test_what_follows_has_a_cause_in_work_with_chance_mistakes(ways: list[str]) -> None:
    random = Random(1)
    found: set[str] = set()
    for _ in range(24):
        report = check_text(SHEET, handed_in(random, ways), "md")
        wrong: set[str] = set()
        for name, verdict in said(report):
            assert verdict != "follows" or wrong & SOURCES[name], report.text
            wrong |= {name} if verdict == "wrong" else set()
            found.add(verdict)
    assert ("follows" in found) == ("wrong" in ways)
    assert ("wrong" in found) == ("wrong" in ways)
