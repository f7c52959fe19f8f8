"""Works on another student's numbers: named where the judge finds them right there, and never where they are right."""

from __future__ import annotations

import csv
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from symattn.api.sheet_texts import SheetText
from symattn.courses.grading.swaps import PrintedNumbers
from symattn.courses.roster import VARIANT_COLUMNS
from tests.cli.runner import run
from tests.courses.classes import (
    FORMATS,
    SHEET,
    TOKENS,
    WIDTH,
    WORDS,
    Member,
    Numbers,
    rounded,
    softmax,
    times,
    work,
)


def flat(queries: tuple[int, int, int], values: tuple[int, int, int]) -> Numbers:
    """Numbers whose weights are all 0.33, and whose outputs are 0.33 and 0.67."""
    a, b, c = values
    return Numbers([[0, q] for q in queries], [[1, 1], [0, 1], [-1, 1]], [[a, b], [c, 1 - b], [0, b]])


FLAT = [
    flat((1, 2, -1), (1, 0, 0)), flat((2, 1, -2), (0, 1, 1)), flat((-1, -2, 1), (1, 1, 0)), flat((-2, 1, 2), (1, 0, 1)),
    flat((1, -1, 2), (0, 0, 1)), flat((2, -2, -1), (1, 1, 1)),
]  # fmt: skip
"""Variants in whose works hardly any number is found but 0.33 and 0.67."""


def sheet(numbers: Numbers) -> str:
    """The sheet of a variant."""
    lines = SHEET.partition("[variants]")[0].splitlines()
    given = {name: f"{name} = {getattr(numbers, name)}" for name in "QKV"}
    return "\n".join(given.get(line.partition(" ")[0], line) for line in lines) + "\n"


def member(numbers: Numbers, kind: str, number: int = 0) -> Member:
    return Member(
        str(number), "", "", str(number), numbers, kind, None, list(WORDS)[number % 5], FORMATS[number % len(FORMATS)]
    )


def grade(folder: Path, variants: list[Numbers], works: dict[int, Member]) -> dict[str, Any]:
    """Grade works of students who have these variants, each the one of the student's number."""
    chance = random.Random(1)
    (folder / "works").mkdir()
    (folder / "sheet.toml").write_text(sheet(variants[0]), encoding="utf-8")
    rows = []
    for number, numbers in enumerate(variants):
        (folder / f"{number}.toml").write_text(sheet(numbers), encoding="utf-8")
        digest = hashlib.sha256((folder / f"{number}.toml").read_bytes()).hexdigest()
        rows.append([f"v{number}", 100 + number, "", "", f"{number}.toml", "", "", digest])
    for number, one in works.items():
        (folder / "works" / f"{100 + number}.{one.format}").write_text(work(one, chance), encoding="utf-8")
    tables: dict[str, list[Any]] = {
        "variants": [VARIANT_COLUMNS, *rows],
        "roster": [["ID"], *([100 + n] for n in range(len(variants)))],
    }
    for name, table in tables.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(table)
    arguments = (folder / "sheet.toml", folder / "works", "--roster", folder / "roster.csv", "-o", folder / "out")
    outcome = run("grade", *arguments, "--variants", folder / "variants.csv", "--json", "-j", 2)
    assert outcome.status in {0, 3}, outcome.err
    found: dict[str, Any] = json.loads(outcome.out)
    return found


def test_variants_with_few_numbers_are_told_apart(tmp_path: Path) -> None:
    count = len(FLAT)
    works = {number: member(FLAT[(number + 1) % count], "right", number) for number in range(count)}
    found = grade(tmp_path, FLAT, works)
    for number in range(count):
        other = (number + 1) % count
        assert found["for_a_person"][f"{100 + number}"] == [
            f"The work answers variant v{other} of {100 + other}: 15/15 there. A person gives the marks."
        ]
    assert set(found["marks"].values()) == {None}


def test_variants_that_a_work_answers_alike_are_all_named(tmp_path: Path) -> None:
    own, other, third = VARIOUS[:3]
    found = grade(tmp_path, [own, other, third, other], {0: member(other, "weight"), 1: member(other, "right")})
    note = "The work answers variant v1 of 101 or v3 of 103: 14.5/15 there. A person gives the marks."
    assert found["for_a_person"]["100"] == [note]
    assert found["marks"]["101"] == "15"


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["right", "bare", "score", "output"])
def test_a_work_on_its_own_numbers_is_never_that_of_another(tmp_path: Path, kind: str) -> None:
    variants = [*FLAT[:3], *FLAT[:3]]
    found = grade(tmp_path, variants, {number: member(one, kind, number) for number, one in enumerate(variants)})
    assert found["for_a_person"] == {}
    assert None not in found["marks"].values()


def test_numbers_that_nobody_has_are_nobodys(tmp_path: Path) -> None:
    found = grade(tmp_path, FLAT[1:], {0: member(FLAT[0], "right")})
    assert "100" not in found["for_a_person"]
    assert found["marks"]["100"] is not None


# Which variants are tried --------------------------------------------------------------------------


def drawn(count: int) -> list[Numbers]:
    """Numbers without any design."""
    chance = random.Random(3)
    return [
        Numbers(*([[chance.randint(-2, 2) for _ in range(WIDTH)] for _ in range(TOKENS)] for _ in "QKV"))
        for _ in range(count)
    ]


VARIOUS = drawn(40)


@pytest.fixture(scope="module")
def printed() -> PrintedNumbers:
    return PrintedNumbers({f"v{n}": SheetText(sheet(one), f"{n}.toml", None) for n, one in enumerate(VARIOUS)})


@pytest.mark.parametrize("kind", ["right", "carried", "bare", "weight", "output", "unfinished"])
def test_the_variant_that_a_work_answers_is_among_the_nearest(printed: PrintedNumbers, kind: str) -> None:
    for number, one in enumerate(VARIOUS):
        text = work(member(one, kind, number), random.Random(number))
        near = [variant for variant, _ in printed.nearest(text.encode(), f"v{(number + 1) % len(VARIOUS)}")]
        assert f"v{number}" in near[:3]
        assert not printed.nearest(text.encode(), f"v{number}")


Cells: TypeAlias = list[list[str]]

LAYOUTS: dict[str, Callable[[Cells], str]] = {
    "LaTeX": lambda cells: r"\begin{pmatrix}" + r" \\ ".join(map(" & ".join, cells)) + r"\end{pmatrix}",
    "decimal commas": lambda cells: "\n".join("; ".join(row) for row in cells).replace(".", ","),
    "commas in braces": lambda cells: "\n".join(f"$a = {cell}$" for row in cells for cell in row).replace(".", "{,}"),
    "program": lambda cells: "[" + ", ".join(f"[{', '.join(row)}]" for row in cells) + "]",
    "numpy": lambda cells: "[" + "\n ".join(f"[{' '.join(row)}]" for row in cells) + "]",
    "table": lambda cells: "\n".join(f"|{'|'.join(row)}|" for row in cells),
    "minus signs": lambda cells: "\n".join(" , ".join(row) for row in cells).replace("-", "\N{MINUS SIGN} "),
    "no leading zeros": lambda cells: "\n".join(" ".join(row) for row in cells).replace("0.", "."),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_are_found_in_every_layout(printed: PrintedNumbers, layout: str) -> None:
    for number, one in enumerate(VARIOUS):
        weights = softmax(one.S)
        parts = [[[rounded(cell) for cell in row] for row in part] for part in (weights, times(weights, one.V))]
        text = "\n\n".join(map(LAYOUTS[layout], parts))
        assert f"v{number}" in [variant for variant, _ in printed.nearest(text.encode(), "none")[:3]]


@pytest.mark.parametrize("text", ["", "no number", "1 " * 200_000, "9" * 1_000_000])
def test_what_says_little_is_that_of_few(printed: PrintedNumbers, text: str) -> None:
    assert not printed.nearest(text.encode(), "v0")
