"""Problems as callers give them: a problem, its keys, or the path of its file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symattn.errors import InputError
from symattn.problem.model import Problem


def read_problem(problem: Problem | Mapping[Any, object] | str | Path) -> Problem:
    """Return the problem, read from its file or its keys where it is not one."""
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, str | Path):
        return Problem.load(problem)
    if isinstance(problem, Mapping):
        wrong = next((key for key in problem if not isinstance(key, str)), None)
        if wrong is not None:
            raise InputError(f"A key of a problem is text, and {wrong!r} is of the type {type(wrong).__name__}.")
        return Problem.build(**problem)
    raise InputError(
        f"A problem must be a Problem, a mapping or the path of a file, not of the type {type(problem).__name__}: "
        "make one of keys and values with Problem.build(...)."
    )
