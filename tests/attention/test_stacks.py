"""What stands beside several blocks: keys that hold for some of them alone, and what is refused rather than guessed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import flint
import numpy as np
import pytest

import symattn as sa
from symattn.errors import InputError
from symattn.problem.model import Problem
from symattn.rendering.latex.prose import latex_lines
from symattn.rendering.latex.templates import WITH_GIVEN
from tests.attention import block_oracle

ATTEND: dict[str, Any] = {"W_Q": [[1, 0], [0, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 1], [0, 1]]}
TOKENS = [[1, 2], [3, -1], [0, 1]]
MEMORY = [[1, 2], [0, 1], [3, 1]]
DECODER: dict[str, Any] = {"decoder": True, "inputs": ATTEND, "cross": ATTEND, "memory": MEMORY}
PLAIN: dict[str, Any] = {"norm": "none", "activation": "relu"}
SEVERAL: dict[str, list[dict[str, Any]]] = {
    "two": [{"inputs": ATTEND}] * 2,
    "decoder": [DECODER],
    "memory": [{"inputs": ATTEND}, {"inputs": ATTEND, "memory": MEMORY, "residual": False}],
}


def _agrees(found: list[list[str]], expected: block_oracle.Rows) -> bool:
    near = block_oracle.ball("1e-30")
    pairs = [
        (text, ball) for row, line in zip(found, expected, strict=True) for text, ball in zip(row, line, strict=True)
    ]
    return all(abs(ball - block_oracle.ball(text)) < near for text, ball in pairs)


def _output(**keys: Any) -> list[list[str]]:
    result: Any = sa.solve(Problem.build(X=TOKENS, **keys))
    rows: list[list[str]] = result["Y"].rounded(35)
    return rows


# Masks and biases ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", ["causal", {"causal": True}])
@pytest.mark.parametrize("blocks", [[DECODER], [{"inputs": ATTEND}, {"inputs": ATTEND, "memory": MEMORY}]])
def test_a_causal_mask_beside_the_blocks_is_about_own_tokens(mask: Any, blocks: list[dict[str, Any]]) -> None:
    """Attention to the memory sees all of it, as in Vaswani et al. 2017, section 3.2.3."""
    with flint.ctx.workprec(400):
        inner = block_oracle.block({**ATTEND, "X": TOKENS, "block": PLAIN, "mask": "causal"})
        expected = block_oracle.block({**ATTEND, "block": PLAIN, "memory": MEMORY}, inner)
        assert _agrees(_output(blocks=blocks, mask=mask), expected)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"blocks": [DECODER], "mask": {"length": 2}}, "mask stands beside blocks that attend to memory"),
        ({"blocks": [DECODER], "mask": {"causal": True, "past": 1}}, "put it into the table of each block"),
        ({"blocks": [DECODER], "mask": np.eye(3, dtype=int)}, "put it into the table of each block"),
        ({"blocks": [{"inputs": ATTEND, "memory": MEMORY}], "mask": "causal"}, "put it into the table of each block"),
        ({"blocks": [DECODER], "bias": {"alibi": "1/2"}}, "bias stands beside blocks that attend to memory"),
        ({"blocks": [{"inputs": ATTEND}] * 2, "online": 1}, "online works one plain softmax block by block"),
        ({"blocks": [DECODER], "online": 1}, "online works one plain softmax block by block"),
    ],
)
def test_what_would_not_hold_for_every_block_is_refused(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        Problem.build(X=TOKENS, **keys)


# Positions -------------------------------------------------------------------------------------------

POSITIONS: dict[str, tuple[dict[str, Any], Callable[[], block_oracle.Rows]]] = {
    "sinusoidal": ({"kind": "sinusoidal", "start": 1}, lambda: [[_sine(p), _cosine(p)] for p in (1, 2, 3)]),
    "learned": ({"kind": "learned", "table": MEMORY}, lambda: [[block_oracle.ball(x) for x in row] for row in MEMORY]),
}


def _sine(angle: int) -> Any:
    return flint.arb(angle).sin()


def _cosine(angle: int) -> Any:
    return flint.arb(angle).cos()


@pytest.mark.parametrize("kind", POSITIONS)
@pytest.mark.parametrize("table", [PLAIN, {"norm": "rms", "eps": "1/10", "placement": "pre", "activation": "relu"}])
@pytest.mark.parametrize("count", [0, 2])
def test_positions_are_added_to_what_goes_into_the_first_block(kind: str, table: dict[str, Any], count: int) -> None:
    """X + P goes into attention, into the norm before it, and into the residual sum; later blocks have no P."""
    positions, rows = POSITIONS[kind]
    with flint.ctx.workprec(400):
        tokens = block_oracle.plus([[block_oracle.ball(x) for x in row] for row in TOKENS], rows())
        for _ in range(max(count, 1)):
            tokens = block_oracle.block({**ATTEND, "block": table}, tokens)
        keys = {"blocks": [{"inputs": ATTEND}] * count} if count else ATTEND
        assert _agrees(_output(**keys, block=table, positions=positions), tokens)


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_a_key_of_a_block_with_positions_reads_back(placement: str) -> None:
    table = {"norm": "layer", "eps": "1/10", "placement": placement}
    keys: dict[str, Any] = {"X": TOKENS, **ATTEND, "block": table, "positions": {"kind": "learned", "table": MEMORY}}
    result: Any = sa.solve(Problem.build(**keys))
    tex = result.to_latex()
    findings = result.read_back(tex)
    assert len(findings) == tex.count("% symattn:") > 0
    assert [finding.reasons for finding in findings if not finding.proved] == []
    assert result.derivation.is_proved


# Sheets ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("template", sorted(WITH_GIVEN))
@pytest.mark.parametrize("blocks", SEVERAL)
def test_the_questions_do_not_give_away_what_a_block_makes(blocks: str, template: str) -> None:
    """What goes into a later block is the answer of the one before it."""
    problem = Problem.build(X=TOKENS, block=PLAIN, blocks=SEVERAL[blocks], parts=[{"asks": ["block"], "points": 4}])
    given = latex_lines(sa.solve(problem).document(template=template).given)
    inputs = [line.partition(" ")[0] for line in given if re.match(r"\\mathbf\{X\}(?:_\{1\})? ", line)]
    assert inputs == [r"\mathbf{X}"]
    assert sum("which starts from what block 1 makes" in line for line in given) == 1
