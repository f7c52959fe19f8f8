"""Keys, records and checks of problems whose values have no short closed form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import pytest

import symattn as sa
from symattn.problem.model import Problem

Keys: TypeAlias = dict[str, Any]

SIX: Keys = {
    "X": [[1, 0], [0, 1], [1, 1], ["1/2", -1], ["-3/2", 1], [2, "1/3"]],
    "W_Q": [[1, 0], [1, 1]],
    "W_K": [[0, 1], [1, 0]],
    "W_V": [[1, 1], [0, 2]],
    "W_O": [[1, 0], [1, 1]],
}
WIDE: Keys = {
    "X": [[1, 0, 2, 0, 1, 1], [0, 1, 0, 1, 0, 2], [1, 1, 0, 0, 1, 0]],
    **{name: [[int(i % 2 == j) for j in range(2)] for i in range(6)] for name in ("W_Q", "W_K", "W_V")},
}
PROBLEMS: Mapping[str, Keys] = {
    "two heads": {**SIX, "heads": 2, "gradient": {"loss": "sum"}},
    "two heads, rounded steps": {
        **SIX, "heads": 2, "gradient": {"loss": "sum"}, "rounding": {"places": 3, "steps": "all"},
    },
    "sinusoidal positions": {**WIDE, "positions": {"kind": "sinusoidal"}, "parts": [{"asks": ["map", "pattern"]}]},
    "sinusoidal positions, rounded steps": {
        **WIDE, "positions": {"kind": "sinusoidal"}, "rounding": {"places": 3, "steps": "all"},
    },
    "rotary positions": {
        **WIDE,
        "positions": {"kind": "rope"},
        "gradient": {"loss": "sum"},
        **{name: [[int(i == j) for j in range(6)] for i in range(6)] for name in ("W_Q", "W_K")},
    },
    "block by block": {**WIDE, "positions": {"kind": "sinusoidal"}, "online": 2},
    "cosine scores": {**WIDE, "positions": {"kind": "sinusoidal"}, "score": "cosine"},
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_statement_is_proved_and_reads_back(name: str) -> None:
    result = sa.solve(Problem.build(**PROBLEMS[name]))
    tex = result.to_latex()
    assert [finding.reasons for finding in result.read_back(tex) if not finding.proved] == []
    assert result.derivation.is_proved
    assert tex.count("without a short closed form") == 1


def _written(result: Any, name: str) -> list[list[str]]:
    return result[name].rounded(4)  # type: ignore[no-any-return]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["dX", "dW_Q", "dW_K"])
def test_decimals_of_a_work_are_judged(name: str) -> None:
    problem = Problem.build(**PROBLEMS["two heads"])
    rows = _written(sa.solve(problem), name)
    good = sa.check(problem, f"{name} = {rows}".replace("'", ""), "txt")
    assert [finding.verdict for finding in good.findings] == ["rounded"]
    for row in range(len(rows)):
        text = rows[row][0]
        changed = [list(line) for line in rows]
        changed[row][0] = text[:-2] + str((int(text[-2]) + 4) % 10) + text[-1]
        bad = sa.check(problem, f"{name} = {changed}".replace("'", ""), "txt")
        assert [finding.verdict for finding in bad.findings] == ["wrong"], changed[row][0]


def test_a_rational_score_behind_rotations_is_rounded_as_such() -> None:
    """A token's own score is that of its query and key unturned: cos^2 + sin^2 = 1; 5/8 is half-way at 2 places."""
    keys = {"Q": [["1/2", "1/4"], [1, 0]], "K": [[1, "1/2"], [0, 1]], "V": [[1], [2]]}
    layer = sa.solve(Problem.build(**keys, positions={"kind": "rope", "start": 3}, scale="none"))
    assert layer.S.rounded(2)[0][0] == "0.63"
    assert layer.S.rounded(2, "half-even")[0][0] == "0.62"
