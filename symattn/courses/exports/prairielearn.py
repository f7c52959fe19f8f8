"""The folder of a question for PrairieLearn: `info.json`, `question.html`, `server.py` and the frozen variants."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from symattn.courses.exports.answers import Cell, Grid, grids
from symattn.courses.exports.assignment import Assignment, Version
from symattn.errors import InputError
from symattn.notation.writers.mathml import write_mathml
from symattn.printable import json_text
from symattn.rendering.html.key import question_html
from symattn.rendering.latex.templates import template_text

_NAMESPACE = uuid.UUID("6f7c2c50-5a53-5d0c-9d0e-7a1f4be6a7f1")
_NOTE = "Leave an entry empty to get no points for it. Each entry counts by itself."
_FILES = ("question.html", "server.py")


def prairielearn(assignment: Assignment) -> Mapping[str, bytes]:
    """Return the files of a question, by their names.

    Raises:
        InputError: a version that cannot be answered in fields, or other fields than the first one has.
    """
    variants = [_variant(version) for version in assignment.versions]
    fields = [_fields(variant) for variant in variants]
    for version, own in zip(assignment.versions, fields, strict=True):
        if own != fields[0]:
            raise InputError(
                f"{version.label} asks for other entries than {assignment.versions[0].label}, and all variants of a "
                "question share its fields. Export the two as questions of their own."
            )
    info = {
        "uuid": str(uuid.uuid5(_NAMESPACE, assignment.digest)),
        "title": assignment.title,
        "topic": "Attention",
        "tags": ["symattn"],
        "type": "v3",
        "singleVariant": len(variants) == 1,
    }
    # A list at the top: `json_text` writes records.
    frozen = ",\n".join(json_text(variant, indent=None) for variant in variants)
    files = {name: (template_text(f"exports/prairielearn/{name}") or "") for name in _FILES}
    made = {"info.json": f"{json_text(info)}\n", "variants.json": f"[\n{frozen}\n]\n", **files}
    return {name: text.encode() for name, text in made.items()}


def _fields(variant: Mapping[str, object]) -> object:
    answers = variant["answers"]
    return sorted(answers) if isinstance(answers, dict) else None


def _variant(version: Version) -> Mapping[str, object]:
    """Return what a question shows of a version, and the answers that it accepts."""
    found = grids(version)
    # Weights are whole numbers in PrairieLearn.
    unit = math.lcm(*(cell.weight.denominator for cell in _cells(found)))
    truncates = version.sheet.problems[0].policy.rounding.ties == "truncate"
    return {
        "sheet": question_html(version.document()),
        "note": _NOTE,
        "grids": [_shown(number, grid) for number, grid in enumerate(found, 1)],
        "answers": {
            _name(number, cell): _answer(cell, unit, truncates=truncates)
            for number, grid in enumerate(found, 1)
            for cell in _cells([grid])
        },
    }


def _cells(found: Iterable[Grid]) -> Iterable[Cell]:
    return (cell for grid in found for row in grid.rows for cell in row)


def _name(number: int, cell: Cell) -> str:
    return f"entry{number}_{cell.row}_{cell.column}"


def _shown(number: int, grid: Grid) -> Mapping[str, object]:
    def fields(row: Sequence[Cell]) -> Sequence[Mapping[str, str]]:
        return [
            {"name": _name(number, cell), "label": f"{grid.name}, row {cell.row}, column {cell.column}"} for cell in row
        ]

    first, *others = grid.rows
    return {
        "symbol": write_mathml(grid.symbol),
        "part": grid.part,
        "height": len(grid.rows),
        "first": fields(first),
        "others": [{"cells": fields(row)} for row in others],
    }


def _answer(cell: Cell, unit: int, *, truncates: bool) -> Mapping[str, object]:
    return {
        "texts": list(cell.texts),
        "equal": list(map(str, cell.equal)),
        "value": cell.value,
        "truncates": truncates,
        "weight": int(Fraction(cell.weight * unit)),
    }
