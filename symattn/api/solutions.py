"""Problems solved, from Python objects or files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.api.result import Result, solved
from symattn.errors import InputError
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED, KINDS

if TYPE_CHECKING:
    from symattn.api import batch, definitions, large_layers, stack
else:
    batch = late.module("symattn.api.batch")
    definitions = late.module("symattn.api.definitions")
    large_layers = late.module("symattn.api.large_layers")
    stack = late.module("symattn.api.stack")

__all__ = ["Result", "attention", "read_problem", "solve"]

LARGE = 1024
"""Weights from which on a layer is large: below it, one of closed forms takes a few tenths of a second at most."""


def solve(problem: Problem | Mapping[str, object] | str | Path) -> Result:
    """Solve a problem exactly and under its rounding policy.

    Args:
        problem: a problem, a mapping with the keys of a problem file, or the path of a file (``str`` or ``Path``).

    Raises:
        InputError: the problem cannot be read or used.

    >>> solve({"inputs": {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]]}, "scale": "none"}).O.rounded(2)
    [['0.73']]
    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> solve(p).A.rounded(2)
    [['0.73', '0.27']]
    """
    problem = read_problem(problem)
    if problem.batch:
        return batch.BatchResult(problem)
    if problem.later:
        return stack.StackResult(problem)
    if problem.kind == DEFINED:
        return definitions.DefinedResult(problem)
    if problem.kind in KINDS and problem.n_q * problem.n_k >= LARGE:
        return large_layers.large_result(problem) or solved(problem)
    return solved(problem)


def attention(**keys: object) -> Result:
    """Solve attention for inputs given from Python: the keys of a problem file, inputs among them.

    Args:
        keys: ``X, W_Q, W_K, W_V`` or ``X_1, X_2, W_Q, W_K, W_V`` or ``Q, K, V`` (n × d nested lists of
            integers, Fractions, Decimals and strings, SymPy matrices, or arrays), and ``scale``, ``tokens``,
            ``floats`` (how floats are read, ``"binary"`` or ``"shortest"``) …

    >>> attention(Q=[["1/2"]], K=[[1], [0]], V=[[1], [0]], scale="none").A[0, 0]
    Quotient('exp(1/2)/(exp(1/2) + 1)')
    """
    return solve(Problem.build(**keys))


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
