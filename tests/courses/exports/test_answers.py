"""Frozen numbers: what they take as right is what the checker takes as right in a statement that stands alone."""

from __future__ import annotations

import runpy
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import pytest

import symattn as sa
from symattn.checking.report import HOLDS
from symattn.courses.exports.answers import Cell, grids
from symattn.courses.exports.assignment import load
from symattn.errors import InputError
from symattn.notation.writers.latex import write_latex
from tests.courses.exports.course import ROWS, TEXT, values, write_problem

ROOT = Path(__file__).parents[3]
SERVER: Any = runpy.run_path(str(ROOT / "templates" / "exports" / "prairielearn" / "server.py"))

POLICIES = {
    "all": 'places = 2\nsteps = "all"',
    "end": "places = 3",
    "even": 'places = 3\nties = "half-even"\nsteps = "matrices"',
    "figures": 'figures = 3\nties = "truncate"',
    "whole": 'places = 0\nsteps = "all"',
    "one": "places = 1",
}


def accepts(cell: Cell, text: str, *, truncates: bool) -> bool:
    answer = {
        "texts": list(cell.texts),
        "equal": list(map(str, cell.equal)),
        "value": cell.value,
        "truncates": truncates,
    }
    found: bool = SERVER["_accepts"](answer, text)
    return found


def candidates(cell: Cell) -> list[str]:
    """Return right numbers of all lengths, their neighbours, and numbers with zeros more and less."""
    value, found = Decimal(cell.value), {*cell.texts, *(f"{text}000" for text in cell.texts[:2] if "." in text)}
    for places in (0, 1, 2, 3, 4, 5, 8, 9, 12):
        unit = Decimal(1).scaleb(-places)
        for rule in (ROUND_HALF_UP, ROUND_DOWN):
            near = value.quantize(unit, rounding=rule)
            found |= {f"{number:f}" for number in (near, near + unit, near - unit)}
    return sorted(text for text in found if Decimal(text) or text[0] != "-")


@pytest.mark.parametrize(
    "policy", ["all", *(pytest.param(name, marks=pytest.mark.long) for name in POLICIES if name != "all")]
)
def test_they_agree_with_the_checker(tmp_path: Path, policy: str) -> None:
    text = TEXT.format(rows=ROWS[0]).replace('places = 2\nsteps = "all"', POLICIES[policy])
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    (version,) = load(tmp_path / "p.toml")
    (problem,) = version.sheet.problems
    draw = Random(policy)
    cells = [(grid, cell) for grid in grids(version) if grid.name in "AO" for row in grid.rows for cell in row]
    # What another rounding throughout gives is right in a work that keeps to it, and wrong by itself.
    found = [values(problem, steps) for steps in ("all", "end", "matrices")]
    others = {name: [[{Fraction(one[name][i][j]) for one in found} for j in (0, 1)] for i in (0, 1)] for name in "AO"}
    compared = 0
    for grid, cell in draw.sample(cells, 3):
        name = f"{grid.name}[{cell.row},{cell.column}]"
        for number in candidates(cell):
            work = f"${write_latex(grid.symbol)}_{{{cell.row},{cell.column}}} = {number}$"
            verdicts = [item.verdict for item in sa.check(problem, work, "md").findings if item.name == name]
            assert len(verdicts) == 1
            is_taken = accepts(cell, number, truncates="truncate" in POLICIES[policy])
            if verdicts[0] in HOLDS or is_taken:
                assert is_taken, (name, number)
                other = others[grid.name][cell.row - 1][cell.column - 1]
                assert verdicts[0] in HOLDS or Fraction(number) in other, (name, number)
            compared += 1
    assert compared > 60


def test_values_are_those_of_the_equation(tmp_path: Path) -> None:
    """Compare outputs with softmax(QK^T) V, evaluated with mpmath."""
    (version,) = load(write_problem(tmp_path))
    found = {grid.name: grid for grid in grids(version)}
    x, w_q, w_k = mpmath.matrix([[1, -1], [0, 1]]), mpmath.matrix([[1, 0], [1, 1]]), mpmath.matrix([[0, 1], [1, 0]])
    v = x * mpmath.matrix([[mpmath.mpf("0.5"), 0], [0, 1]])
    scores = x * w_q * (x * w_k).T
    weights = mpmath.matrix(2, 2)
    for i in range(2):
        line = [mpmath.exp(scores[i, j]) for j in range(2)]
        for j in range(2):
            weights[i, j] = line[j] / sum(line)
    for name, matrix in (("S", scores), ("A", weights), ("O", weights * v)):
        for i, row in enumerate(found[name].rows):
            for j, cell in enumerate(row):
                assert abs(mpmath.mpf(cell.value) - matrix[i, j]) < mpmath.mpf("1e-12")


def test_parts_of_quantities_are_named(tmp_path: Path) -> None:
    text = TEXT.format(rows=ROWS[0]).replace('asks = ["map", "outputs"]', 'asks = ["map", "outputs"]\ntokens = [2]')
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    (version,) = load(tmp_path / "p.toml")
    shown = {grid.name: (grid.part, [[cell.row for cell in row] for row in grid.rows]) for grid in grids(version)}
    assert shown["A"] == ("row 2", [[2, 2]])
    assert shown["Q"] == ("", [[1, 1], [2, 2]])


def test_points_are_divided_as_marks_are(tmp_path: Path) -> None:
    (version,) = load(write_problem(tmp_path))
    assert {grid.name: str(grid.weight) for grid in grids(version)} == dict.fromkeys("QKVS", "1") | dict.fromkeys(
        "AO", "3"
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("points = 6", ""), ""),
        (("points = ", "# "), "gives no points"),
        (('[["1/2", 0], [0, 1]]', '[["a", 0], [0, 1]]'), "without a decimal value"),
    ],
)
def test_what_has_no_numbers_is_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    text = TEXT.format(rows=ROWS[0]).replace(*change).replace("[inputs]", 'symbols = {a = "positive"}\n[inputs]')
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    (version,) = load(tmp_path / "p.toml")
    if not said:
        assert [grid.name for grid in grids(version)] == ["Q", "K", "V", "S"]
        return
    with pytest.raises(InputError, match=said):
        grids(version)
