"""Problems that stand in one file: one paper, one total, and what they share said once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from symattn.errors import InputError, shortened
from symattn.problem.model import Problem
from symattn.problem.reader.tables import load_tables
from symattn.problem.schema.fields import (
    DEFINED_FIELDS,
    MAX_PROBLEMS,
    PROBLEMS,
    SHARED,
    THEORY_FIELDS,
    TOP_FIELDS,
)
from symattn.problem.values.checks import check_table, place_of
from symattn.records import dataclass

_SCALES = frozenset({"scale", "temperature", "beta"})


@dataclass(frozen=True, slots=True)
class Sheet:
    """Problems of one paper, in their order.

    Attributes:
        problems: the problems.
        title: the heading of the paper, empty for a single problem.
        text: what stands before the problems.
        source: what messages call the file.

    >>> table = {"inputs": {"Q": [[1]], "K": [[1]], "V": [[1]]}, "points": 2}
    >>> sheet = Sheet.of_tables({"tokens": "columns", "problems": [table, {**table, "title": "Again"}]}, "x.toml")
    >>> sheet.points, sheet.numbered("again"), sheet.problems[0].tokens
    (Fraction(4, 1), 2, 'columns')
    """

    problems: tuple[Problem, ...]
    title: str = ""
    text: str = ""
    source: str = ""

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file of one problem or of several under ``[[problems]]``; ``"-"`` is standard input.

        Raises:
            InputError: the file cannot be read, or something in it cannot be used as it stands.
        """
        return cls.of_tables(*load_tables(path))

    @classmethod
    def of_tables(cls, tables: Mapping[str, Any], source: str) -> Self:
        """Make a sheet of the tables of its file.

        Raises:
            InputError: a key that is not shared, a problem that cannot be used.
        """
        if PROBLEMS.name not in tables:
            return cls((Problem.of_tables(tables, source),), source=source)
        own = tables[PROBLEMS.name]
        place = place_of(source, PROBLEMS.name)
        if not isinstance(own, Sequence) or isinstance(own, str) or not all(isinstance(one, Mapping) for one in own):
            raise InputError(f"{place} must be tables: write [[problems]] above the keys of each problem.")
        if not 1 <= len(own) <= MAX_PROBLEMS:
            raise InputError(f"{place} has {len(own)} problems; take 1 to {MAX_PROBLEMS}.")
        for key in tables:
            if key in {field.name for field in TOP_FIELDS} and key not in {*SHARED, "title", "text"}:
                raise InputError(f"{place_of(source, key)} belongs to one problem; put it below its [[problems]].")
        shared = {key: value for key, value in tables.items() if key != PROBLEMS.name}
        checked = check_table(shared, [field for field in TOP_FIELDS if not field.required], source)
        made = (
            Problem.of_tables(_with_shared(one, shared), f"{source}, problems #{number}")
            for number, one in enumerate(own, 1)
        )
        return cls(tuple(made), checked.get("title", ""), checked.get("text", ""), source)

    @property
    def points(self) -> Fraction | None:
        """The points of all problems together; None where none has points."""
        found = [points for problem in self.problems if (points := problem.all_points) is not None]
        return sum(found, start=Fraction(0)) if found else None

    def numbered(self, name: str) -> int:
        """Return the number of a problem, from 1, by its number, its title, or the beginning of one title alone.

        Raises:
            InputError: no such problem, or several.
        """
        if name.isascii() and name.isdigit() and 1 <= int(name[:4]) <= len(self.problems):
            return int(name)
        titles = [problem.title.casefold() for problem in self.problems]
        whole = name.strip().casefold()
        found = [number for number, title in enumerate(titles, 1) if title == whole]
        found = found or [number for number, title in enumerate(titles, 1) if whole and title.startswith(whole)]
        if len(found) == 1:
            return found[0]
        what = "fits several problems" if found else "is none of the problems"
        raise InputError(f"{shortened(name)!r} {what} of {self.source}, which has {self.listed}.")

    def chosen(self, name: str | None, policy: str | None) -> Self:
        """Return the sheet with one problem alone, and with keys of the rounding policy replaced; None leaves it.

        Raises:
            InputError: no such problem, or keys that a policy does not have.
        """
        problems = self.problems if name is None else (self.problems[self.numbered(name) - 1],)
        if policy is not None:
            problems = tuple(replace(one, policy=one.policy.with_overrides(policy)) for one in problems)
        return replace(self, problems=problems)

    @property
    def listed(self) -> str:
        """The problems by number and title, for messages."""
        return ", ".join(
            f"{number} ({problem.title})" if problem.title else str(number)
            for number, problem in enumerate(self.problems, 1)
        )


def _with_shared(own: Mapping[str, Any], sheet: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a problem with those of its sheet that it can have and leaves open."""
    is_layer = "inputs" in own or isinstance(own.get("heads"), Sequence)
    fields = DEFINED_FIELDS if "definitions" in own else TOP_FIELDS if is_layer else THEORY_FIELDS
    known = {field.name for field in fields} - (_SCALES if _SCALES & own.keys() else set())
    return {**{key: sheet[key] for key in SHARED if key in sheet and key in known}, **own}
