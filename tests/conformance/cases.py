"""Worked examples that people published: the numbers they print, and what is known of each.

A case is read from YAML (inputs, steps, printed numbers, verdict) and becomes a problem with definitions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

from symattn.errors import InputError, ShapeError
from symattn.problem.model import Problem
from tests import tables

Grid: TypeAlias = list[list[str | None]]

_AXES = {"row": "rows", "col": "columns", "all": "all"}
FORMULAS = {
    "mm": "{0} {1}",
    "mmT": "{0} {1}^T",
    "Tmm": "{0}^T {1}",
    "T": "{0}^T",
    "copy": "{0}",
    "scale": "({by}) {0}",
    "add": "{0} + {1}",
    "mul": "{0} .* {1}",
    "keep": "mask({0}, {1})",
    "hcat": "[{}]",
    "pick": "[{}]",
    "expr": "[{}]",
    "exp": "exp({0})",
    "rowsum": "rowsum({0})",
    "div": "{0} / {1}",
    "softmax": "softmax({0}, {axis})",
}
"""The steps that a definition can say, in the words of the YAML."""

MINUS_INFINITY = "-1000"
"""What stands for -inf in an input: e^-1000 is far below every digit that anybody prints."""


_ENTRY = re.compile(r"\b([A-Za-z][A-Za-z0-9]*)_([0-9]+)_([0-9]+)\b")


def formula_of(step: Mapping[str, Any]) -> str:
    """A step in the words of a definition; an `expr` may be one that no definition says."""
    operation, arguments = step["op"], step.get("args", [])
    pattern = FORMULAS[operation]
    if operation == "hcat":
        return pattern.format(", ".join(arguments))
    if operation == "pick":
        return pattern.format(", ".join(f"{arguments[0]}[:, {column + 1}]" for column in step["cols"]))
    if operation == "expr":
        return pattern.format("; ".join(", ".join(map(_expression, row)) for row in step["exprs"]))
    return pattern.format(*arguments, by=step.get("by", ""), axis=_AXES.get(step.get("axis", ""), ""))


def _expression(text: str) -> str:
    """``A_0_1*(1-A_0_1)`` with entries as definitions name them, and products of single numbers entry by entry."""
    named = _ENTRY.sub(lambda found: f"{found[1]}[{int(found[2]) + 1}, {int(found[3]) + 1}]", text)
    return named.replace("**", "^").replace("*", " .* ")


@dataclass(frozen=True)
class Printed:
    """One quantity as a source prints it; a step may be printed more than once."""

    step: str
    item: int
    values: Grid
    tolerance: str | None = None


@dataclass(frozen=True)
class Known:
    """What is known of the printed numbers: a letter for each, and where the first wrong one stands.

    B right both ways, E right when rounded at the end, S right step by step or carried on, T truncated,
    F within the tolerance, W wrong.
    """

    overall: str
    codes: Mapping[tuple[str, int], list[str]]
    first_wrong: tuple[str, int, int] | None
    shape_error: bool

    @property
    def is_wrong(self) -> bool:
        return self.shape_error or any("W" in row for rows in self.codes.values() for row in rows)

    def code(self, step: str, item: int, row: int, column: int) -> str:
        return self.codes[step, item][row][column]


class Case:
    """One case of a file; `raw` is what stands there."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.id: str = raw["id"]

    @property
    def out_of_scope(self) -> str:
        """Why the case cannot be scored, or nothing."""
        if "claims" in self.raw:
            return f"a {self.raw['kind']}: claims, no numbers to hand in"
        foreign = sorted({step["op"] for step in self.raw["steps"]} - set(FORMULAS))
        return f"steps that no definition says: {', '.join(foreign)}" if foreign else ""

    @cached_property
    def printed(self) -> tuple[Printed, ...]:
        """What the source prints, in the order of the steps; of one step, in the order of the source."""
        order = {step["name"]: position for position, step in enumerate(self.raw["steps"])}
        seen: dict[str, int] = {}
        found = []
        for entry in self.raw["printed"]:
            step = entry["step"]
            if step in order:
                found.append(Printed(step, seen.get(step, 0), entry["values"], entry.get("tolerance")))
                seen[step] = seen.get(step, 0) + 1
        return tuple(sorted(found, key=lambda one: order[one.step]))

    @cached_property
    def _built(self) -> tuple[Problem, tuple[str, ...]]:
        inputs = {
            name: [[MINUS_INFINITY if entry == "-inf" else entry for entry in row] for row in rows]
            for name, rows in self.raw["inputs"].items()
        }
        remarks = [
            f"{name}: -inf taken as {MINUS_INFINITY}" for name in inputs if inputs[name] != self.raw["inputs"][name]
        ]
        definitions: dict[str, str] = {}
        problem: Problem | None = None
        for step in self.raw["steps"]:
            name, arguments = step["name"], step.get("args", [])
            if not all(argument in inputs or argument in definitions for argument in arguments):
                remarks.append(f"{name} left out: it rests on what cannot be computed")
                continue
            formula = formula_of(step)
            try:
                problem = Problem.build(inputs=inputs, definitions={**definitions, name: formula})
            except InputError as error:
                if not isinstance(error, ShapeError) and step["op"] != "expr":
                    raise
                remarks.append(f"{name} left out: {error}")
                continue
            definitions[name] = formula
        if problem is None:
            raise ValueError(f"{self.id} has no step that can be computed")
        bounds = {one.step: one.tolerance for one in self.printed if one.tolerance and one.step in definitions}
        return Problem.build(inputs=inputs, definitions=definitions, tolerance=bounds), tuple(remarks)

    @property
    def problem(self) -> Problem:
        """The case as a problem: its inputs, and a definition for each step."""
        return self._built[0]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What of the case the problem does not say."""
        return self._built[1]

    @property
    def handed_in(self) -> tuple[Printed, ...]:
        """The printed quantities that the problem has a definition of."""
        return tuple(one for one in self.printed if one.step in self.problem.definitions)

    def verdict(self) -> Known:
        """What is known; to be read when the scores are there, never before."""
        known = self.raw["verdict"]
        seen: dict[str, int] = {}
        codes: dict[tuple[str, int], list[str]] = {}
        for item in known["items"]:
            step = item["step"]
            codes[step, seen.get(step, 0)] = item["codes"]
            seen[step] = seen.get(step, 0) + 1
        first = known.get("first_wrong")
        place = None if first is None else (first["step"], *first["index"])
        return Known(known["overall"], codes, place, bool(known.get("shape_error")))


@cache
def load(path: Path) -> tuple[Case, ...]:
    """Return all cases of a file."""
    return tuple(map(Case, tables.read(path.resolve())["cases"]))
