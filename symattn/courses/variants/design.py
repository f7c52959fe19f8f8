"""The design of variants: the `[variants]` table of a problem file, read and checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from symattn.courses.variants.draws import Choices
from symattn.errors import InputError
from symattn.exact.linear.matrix import Matrix
from symattn.problem.model import Problem
from symattn.problem.schema.fields import PROBLEMS
from symattn.problem.schema.variant_fields import MAX_CHOICES, VARIANT_FIELDS
from symattn.problem.settings.conventions import DEFINED, THEORY
from symattn.problem.text.document import parse, read_file
from symattn.problem.values.checks import check_table, describe, exact_number, place_of
from symattn.records import dataclass

_MOST_ENTRIES = 1000
_KEY = "variants"


@dataclass(frozen=True, slots=True)
class Design:
    """A problem whose inputs are drawn, and the constraints on what is drawn.

    Attributes:
        problem: the problem as its file has it; of varied inputs only the shapes matter.
        tables: the tables of the file.
        choices: for each varied input the numbers that its entries are drawn from.
        weights: the smallest and the largest weight; None without bounds.
        distinct: "weights", "rows", "influential", or some of them.
        rows_sum: whether printed weights of a line sum to 1.
        margin: the least distance from a rounding boundary in units of the last place, 0 without one.
        policies: "agree", "differ" or "any".
        telling: "all", "distinct", or empty.
        apart: entries in which two variants differ at least.
        numerator: the largest numerator before the scale; None without a bound.
        denominator: the largest denominator likewise.
        digest: the SHA-256 of all of this but the problem and its tables.
    """

    problem: Problem
    tables: Mapping[str, Any]
    choices: Mapping[str, Choices]
    weights: tuple[Fraction, Fraction] | None
    distinct: tuple[str, ...]
    rows_sum: bool
    margin: Fraction
    policies: str
    telling: str
    apart: int
    numerator: int | None
    denominator: int | None
    digest: str


def load_design(path: str | Path) -> Design:
    """Read the design of variants from a problem file.

    Raises:
        InputError: the file cannot be read or used, or lacks a design that can be.
    """
    text, source = read_file(path)
    return read_design(parse(text, "", source), source)


def read_design(tables: Mapping[str, Any], source: str) -> Design:
    """Read the design of variants from the tables of a problem file.

    Raises:
        InputError: as `load_design`.
    """
    if PROBLEMS.name in tables:
        raise InputError(f"{source} has several problems. Give the one with variants a file of its own.")
    if _KEY not in tables:
        raise InputError(
            f"{source} has no [{_KEY}] table, which says what varies. Write one with a line such as "
            "vary.X = [-1, 0, 1]."
        )
    problem = Problem.of_tables(tables, source)
    _refuse_problem(problem, source)
    checked = check_table(tables[_KEY], VARIANT_FIELDS, source, _KEY)
    size = checked.get("size", {})
    settings: dict[str, Any] = {
        "choices": _choices(checked["vary"], problem, source),
        "weights": _interval(checked.get("weights"), place_of(source, f"{_KEY}.weights")),
        "distinct": tuple(sorted(checked.get("distinct", ()))),
        "rows_sum": checked.get("rows_sum", False),
        "margin": _margin(checked.get("margin"), place_of(source, f"{_KEY}.margin")),
        "policies": checked.get("policies", "any"),
        "telling": checked.get("telling", ""),
        "apart": checked.get("apart", 1),
        "numerator": size.get("numerator"),
        "denominator": size.get("denominator"),
    }
    varied = sum(len(options) > 1 for rows in settings["choices"].values() for row in rows for options in row)
    if varied < settings["apart"]:
        place = place_of(source, f"{_KEY}.apart")
        raise InputError(f"{place} is {settings['apart']}, and only {varied} entries vary. Vary more, or lower it.")
    canonical = json.dumps(settings, sort_keys=True, default=str)
    return Design(problem, tables, **settings, digest=hashlib.sha256(canonical.encode()).hexdigest())


def _refuse_problem(problem: Problem, source: str) -> None:
    kind = next(
        (
            word
            for word, is_there in (
                ("definitions", problem.kind == DEFINED),
                ("no inputs", problem.kind == THEORY),
                ("several blocks", bool(problem.later)),
                ("a batch of sequences", bool(problem.batch)),
                ("free symbols", any(not isinstance(value, Fraction) for value in problem.symbols.values())),
            )
            if is_there
        ),
        None,
    )
    if kind is not None:
        raise InputError(f"{source} has {kind}. Variants are made of one attention layer with numbers.")


def _choices(vary: object, problem: Problem, source: str) -> dict[str, Choices]:
    place = place_of(source, f"{_KEY}.vary")
    if not isinstance(vary, Mapping) or not vary:
        raise InputError(f"{place} must be a table of lists of numbers, such as vary.X = [-1, 0, 1].")
    found = {}
    for name, value in vary.items():
        if name not in problem.inputs:
            known = ", ".join(problem.inputs)
            raise InputError(f"{place}.{name}: the problem has no input {name}. Vary one of {known}.")
        found[name] = _of_matrix(value, problem.inputs[name], f"{place}.{name}")
    if sum(len(row) for rows in found.values() for row in rows) > _MOST_ENTRIES:
        raise InputError(f"{place} varies more than {_MOST_ENTRIES} entries.")
    return {name: found[name] for name in sorted(found)}


def _of_matrix(value: object, matrix: Matrix, place: str) -> Choices:
    """Return the numbers for each entry: one list serves the whole matrix, or a row, or an entry."""
    rows, columns = matrix.shape
    items = _list(value, place)
    if not any(isinstance(item, (list, tuple)) for item in items):
        return ((_numbers(items, place),) * columns,) * rows
    if len(items) != rows:
        raise InputError(f"{place} has lists for {len(items)} rows, and the matrix has {rows}.")
    return tuple(_of_row(item, columns, f"{place}, row {number}") for number, item in enumerate(items, 1))


def _of_row(value: object, columns: int, place: str) -> tuple[tuple[Fraction, ...], ...]:
    items = _list(value, place)
    if not any(isinstance(item, (list, tuple)) for item in items):
        return (_numbers(items, place),) * columns
    if len(items) != columns:
        raise InputError(f"{place} has {len(items)} entries, and the matrix has {columns} columns.")
    return tuple(
        _numbers(item if isinstance(item, (list, tuple)) else [item], f"{place}, column {number}")
        for number, item in enumerate(items, 1)
    )


def _list(value: object, place: str) -> Sequence[object]:
    if not isinstance(value, (list, tuple)) or not value:
        raise InputError(f"{place} must be a list of numbers with at least one, not {describe(value)}.")
    return value


def _numbers(items: Sequence[object], place: str) -> tuple[Fraction, ...]:
    if not 1 <= len(items) <= MAX_CHOICES:
        raise InputError(f"{place} has {len(items)} numbers; give 1 to {MAX_CHOICES}.")
    found = tuple(exact_number(item, place) for item in items)
    if len(set(found)) < len(found):
        raise InputError(f"{place} has one number twice. Leave one of them out.")
    return found


def _interval(value: object, place: str) -> tuple[Fraction, Fraction] | None:
    if value is None:
        return None
    items = _list(value, place)
    if len(items) != 2:
        raise InputError(f"{place} must be the smallest and the largest weight, as in [0.03, 0.94].")
    low, high = (exact_number(item, place) for item in items)
    if not 0 <= low < high <= 1:
        raise InputError(f"{place}: weights lie between 0 and 1, the smaller one first.")
    return low, high


def _margin(value: str | None, place: str) -> Fraction:
    if value is None:
        return Fraction(0)
    number, space, unit = value.strip().partition(" ")
    if unit.strip() not in {"unit", "units"} or not space:
        raise InputError(f'{place} must be a number of units of the last place, as in "0.1 unit".')
    found = exact_number(number, place)
    if not 0 < found < Fraction(1, 2):
        raise InputError(f"{place} must lie between 0 and 1/2 unit: no number is farther than that from a boundary.")
    return found
