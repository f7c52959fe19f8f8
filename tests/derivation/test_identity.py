"""Statements about all indices hold by definition, never because the numbers of a problem agree."""

from __future__ import annotations

import pytest

from symattn.api.solutions import Result, solve
from symattn.problem.model import Problem
from tests.derivation.scenes import columns, faulty, judged, stepwise

ENTRY = "(Q K^T)_{i,j} | exact | i = 1..3 | j = 1..3"
ROW = "(A V)_i | exact | i = 1..3"

PROVED = [
    (
        ENTRY,
        r"(\mathbf{Q}\mathbf{K}^\top)_{i,j} = \sum_{r=1}^{2} Q_{i,r} \cdot K_{j,r} = \mathbf{q}_i^\top \mathbf{k}_j",
    ),
    (ENTRY, r"\mathbf{q}_i^\top \mathbf{k}_j = S_{i,j}"),
    (ENTRY, r"S_{i,j} = \sum_{m=1}^{2} Q_{i,m} \cdot K_{j,m}"),
    (ENTRY, r"S_{i,j} = Q_{i,1} \cdot K_{j,1} + Q_{i,2} \cdot K_{j,2}"),
    (ROW, r"(\mathbf{A}\mathbf{V})_i = \sum_{j=1}^{3} A_{i,j} \mathbf{v}_j^\top"),
    ("E_{i,1} | exact | i = 1..3", r"e^{S_{i,1}}"),
    ("A_{i,3} | exact | i = 1..3", r"A_{i,3} = \frac{E_{i,3}}{Z_i}"),
    ("Z_i | exact | i = 1..3", r"Z_i = E_{i,1} + E_{i,2} + E_{i,3}"),
    ("Z_i | exact | i = 1..3", r"Z_i = \sum_{r=1}^{3} E_{i,r}"),
]

REFUSED = [
    (ENTRY, r"(\mathbf{Q}\mathbf{K}^\top)_{i,j} = \sum_{r=1}^{3} Q_{i,r} \cdot K_{j,r}", [1]),
    (ENTRY, r"(\mathbf{Q}\mathbf{K}^\top)_{i,j} = \sum_{r=0}^{2} Q_{i,r} \cdot K_{j,r}", [1]),
    (ENTRY, r"S_{i,j} = \sum_{r=1}^{2} Q_{j,r} \cdot K_{i,r}", [1]),
    (ENTRY, r"S_{i,j} = \sum_{j=1}^{2} Q_{i,j} \cdot K_{j,j}", [1]),
    (ENTRY, r"S_{i,j} = \mathbf{k}_i^\top \mathbf{q}_j", [1]),
    (ENTRY, r"S_{i,j} \approx \mathbf{q}_i^\top \mathbf{k}_j", [1]),
    (ENTRY, r"S_{j,i} = \mathbf{q}_i^\top \mathbf{k}_j", [0, 1]),
    ("(Q K^T)_{i,j} | exact | i = 1..2 | j = 1..3", r"S_{i,j} = \mathbf{q}_i^\top \mathbf{k}_j", [0]),
    ("(Q K^T)_{i,j} | exact | i = 1..3", r"S_{i,j} = \mathbf{q}_i^\top \mathbf{k}_j", [0]),
    ("(Q K^T)_{i,j} | exact | i = 1..99999 | j = 1..99999", r"S_{i,j} = \mathbf{q}_i^\top \mathbf{k}_j", [0]),
    ("(Q K)_{i,j} | exact | i = 1..3 | j = 1..3", r"S_{i,j} = \mathbf{q}_i^\top \mathbf{k}_j", [0]),
    ("Q_{i,i} | exact | i = 1..3", r"Q_{i,i}", [0]),
    ("E_{i,4} | exact | i = 1..3", r"E_{i,4}", [0]),
    ("E_{i,1} | exact | i = 1..3", r"e^{S_{i,2}}", [0]),
    (ROW, r"(\mathbf{A}\mathbf{V})_i = \sum_{j=1}^{3} A_{j,i} \mathbf{v}_j^\top", [1]),
    (ROW, r"(\mathbf{A}\mathbf{V})_i = \sum_{j=1}^{2} A_{i,j} \mathbf{v}_j^\top", [1]),
    ("Z_i | exact | i = 1..3", r"Z_i = \sum_{r=1}^{2} E_{i,r}", [1]),
    ("Z_i | exact | i = 1..3", r"Z_i = \sum_{r=1}^{3} E_{r,i}", [1]),
]


@pytest.mark.parametrize(("note", "written"), PROVED)
def test_proved(note: str, written: str) -> None:
    assert judged(stepwise().scene, note, written).faults == ()


@pytest.mark.parametrize(("note", "written", "sides"), REFUSED)
def test_refused(note: str, written: str, sides: list[int]) -> None:
    assert faulty(stepwise().scene, note, written) == sides


def test_in_columns() -> None:
    note = "(K^T Q)_{i,j} | exact | i = 1..3 | j = 1..2"
    written = (
        r"(\mathbf{K}^\top\mathbf{Q})_{i,j} = \sum_{r=1}^{2} K_{r,i} \cdot Q_{r,j} = \mathbf{k}_i^\top \mathbf{q}_j"
    )
    assert judged(columns().scene, note, written).faults == ()


def symmetric() -> Result:
    """Queries that are the keys, and no second component: much is true here that is no identity."""
    same = [[1, 0], [2, 0]]
    return solve(Problem.build(Q=same, K=same, V=[[1], [1]], scale="none"))


@pytest.mark.parametrize(
    "side",
    [
        r"\sum_{r=1}^{2} Q_{j,r} \cdot K_{i,r}",
        r"\sum_{r=1}^{1} Q_{i,r} \cdot K_{j,r}",
        r"\sum_{r=1}^{2} Q_{i,r} \cdot Q_{j,r}",
        r"\mathbf{k}_i^\top \mathbf{q}_j",
        r"S_{j,i}",
    ],
)
def test_a_coincidence_of_numbers_proves_nothing(side: str) -> None:
    note = "(Q K^T)_{i,j} | exact | i = 1..2 | j = 1..2"
    assert not judged(symmetric().scene, note, rf"(\mathbf{{Q}}\mathbf{{K}}^\top)_{{i,j}} = {side}").proved
