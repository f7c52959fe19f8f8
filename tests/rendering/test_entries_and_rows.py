"""Entries of the scores and rows of the outputs are told of every score function, with tokens in rows or columns."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from symattn.api.solutions import solve
from symattn.problem.model import Problem
from tests.rendering.keys import source_of

UNIT = [[1, 0], [0, 1]]
SCORES: dict[str, dict[str, Any]] = {
    "dot": {},
    "general": {"W_S": [[1, 0], [2, 1]]},
    "cosine": {},
    "additive": {"W_1": UNIT, "W_2": UNIT, "w_S": [1, 1]},
}
SAID = {
    "dot": "the inner product of a query and a key:",
    "general": r"the inner product of a query mapped by $\mathbf{W}_{S}$ and a key:",
    "cosine": "the cosine of a query and a key",
    "additive": "the additive score of a query and a key",
}


@pytest.mark.parametrize(("score", "tokens", "heads"), list(product(SCORES, ("rows", "columns"), (0, 1))))
def test_what_is_asked_of_entries_and_rows_is_answered(score: str, tokens: str, heads: int) -> None:
    queries = [[1, 0, 3], [0, 1, 4]]
    problem = Problem.build(
        Q=queries if tokens == "columns" else [list(column) for column in zip(*queries, strict=True)],
        K=[[3, 4], [4, 3]],
        V=[[1, 2], [3, 4]],
        score=score,
        tokens=tokens,
        parts=[{"asks": [asks]} for asks in ("entry", "row")],
        **({"heads": heads} if heads else {}),
        **SCORES[score],
    )
    result = solve(problem)
    entry, row = (source_of(part.blocks) for part in result.document().sections)
    assert SAID[score] in entry
    assert r"\sum_{r=1}" in entry
    assert r"\sum_{" in row
    assert all(finding.proved for finding in result.read_back(result.to_latex()))
