"""A small course: one problem, variants of it, and works on them."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import symattn as sa
from symattn.courses.roster import VARIANT_COLUMNS
from symattn.problem.model import Problem

TEXT = """\
title = "Attention of two tokens"
text = "Two tokens, one head."
scale = "none"

[inputs]
X = {rows}
W_Q = [[1, 0], [1, 1]]
W_K = [[0, 1], [1, 0]]
W_V = [["1/2", 0], [0, 1]]

[rounding]
places = 2
steps = "all"

[[parts]]
title = "Scores"
asks = ["projections", "scores"]
points = 4

[[parts]]
title = "Attention"
asks = ["map", "outputs"]
points = 6

[[parts]]
title = "Pattern"
asks = "pattern"
points = 2
"""

ROWS = ("[[1, -1], [0, 1]]", "[[1, 2], [-1, 0]]", '[["1/2", 1], [1, 0]]')
"""Values of X: one of each for a variant."""

QUANTITIES = ("Q", "K", "V", "S", "A", "O")
PARTS = {"Q": 4, "K": 4, "V": 4, "S": 4, "A": 6, "O": 6}
"""The points of the part that asks for a quantity."""


def write_problem(folder: Path, rows: str = ROWS[0]) -> Path:
    path = folder / "problem.toml"
    path.write_text(TEXT.format(rows=rows), encoding="utf-8")
    return path


def write_variants(folder: Path, emails: Sequence[str]) -> Path:
    """Write the table of variants and its problems, one variant for each e-mail."""
    (folder / "variants").mkdir()
    lines = []
    for number, email in enumerate(emails, 1):
        name = f"variants/{number:04}.toml"
        data = TEXT.format(rows=ROWS[(number - 1) % len(ROWS)]).encode()
        (folder / name).write_bytes(data)
        student = [f"s{number}", f"Student {number}", email] if email else ["", "", ""]
        lines.append([f"{number:04}", *student, name, "", "", hashlib.sha256(data).hexdigest()])
    path = folder / "variants.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(VARIANT_COLUMNS)
        writer.writerows(lines)
    return path


def values(problem: Problem, steps: str) -> Mapping[str, Sequence[Sequence[str]]]:
    """Return what somebody writes who rounds the steps named."""
    solved = sa.solve(replace(problem, policy=problem.policy.with_overrides(f"steps={steps}")))
    found = solved.as_json()["quantities"]
    assert isinstance(found, dict)
    return {name: found[name]["stepwise"] for name in QUANTITIES}


def work(numbers: Mapping[str, Sequence[Sequence[str]]]) -> str:
    """Return a work that states numbers alone."""
    lines = [
        f"{name}_{{{i},{j}}} = {text}\n"
        for name, rows in numbers.items()
        for i, row in enumerate(rows, 1)
        for j, text in enumerate(row, 1)
    ]
    return "\n".join(lines)
