"""Claims about a matrix of weights, and the notes that stand for them."""

from __future__ import annotations

import pytest

from symattn.api.solutions import Result, solve
from symattn.errors import InputError
from symattn.graph.key_judge.claims import CLAIMS, Claim, Weights, claim_from_note, prove_claim, weights_of
from symattn.problem.model import Problem
from tests.derivation.scenes import stepwise


def weights(result: Result) -> Weights:
    return weights_of(result.layer.scene, result.layer.logits)


def tied() -> Result:
    """Exact ties: output 1 between inputs 1 and 3, output 2 among all."""
    keys = [[1, 0], [0, 1], [1, 0]]
    return solve(Problem.build(Q=[[2, 1], [0, 0]], K=keys, V=[[1], [2], [3]], scale="none", rounding={"places": 2}))


@pytest.mark.parametrize(
    ("note", "holds"),
    [
        ("claim largest 1 3", True),
        ("claim largest 1 1", False),
        ("claim largest 1 3 1", False),
        ("claim second 3 2", True),
        ("claim second 3 1", False),
        ("claim second 2 1 2", True),
        ("claim second 2 1", False),
        ("claim only 1 3", True),
        ("claim only 3 1 2", True),
        ("claim only 3 2 1", False),
        ("claim only 3 1", False),
        ("claim spread 3 2", True),
        ("claim spread 3 3", False),
        ("claim every 3", False),
        ("claim tie 2 1 2", True),
        ("claim tie 2 2 1", False),
        ("claim tie 2 1 1", False),
        ("claim tie 3 1 2", False),
        ("claim no-own", True),
        ("claim own-largest", False),
        ("claim hub 3", True),
        ("claim hub 1", False),
        ("claim coincide 1 2", True),
        ("claim coincide 1 1", False),
        ("claim coincide 1 3", False),
        ("claim same-line 1 2", False),
        ("claim all-to 3", False),
        ("claim uniform 1", False),
        ("claim inputs 3", True),
        ("claim inputs 2", False),
        ("claim outputs 3", True),
    ],
)
def test_claims_of_three_tokens(note: str, holds: bool) -> None:
    claim = claim_from_note(note)
    assert claim is not None
    assert claim.note == note
    assert prove_claim(claim, weights(stepwise())) is holds


@pytest.mark.parametrize(
    ("note", "holds"),
    [
        ("claim largest 1 1 3", True),
        ("claim largest 1 1", False),
        ("claim tie 1 1 3", True),
        ("claim tie 2 1 2 3", True),
        ("claim uniform 2", True),
        ("claim uniform 1", False),
        ("claim every 1", True),
        ("claim inputs 3", True),
        ("claim outputs 2", True),
        ("claim outputs 3", False),
        ("claim no-own", False),
    ],
)
def test_claims_of_ties(note: str, holds: bool) -> None:
    claim = claim_from_note(note)
    assert claim is not None
    assert prove_claim(claim, weights(tied())) is holds


@pytest.mark.parametrize("kind", sorted(CLAIMS))
@pytest.mark.parametrize("numbers", [(0,), (0, 0), (0, 3), (4,), (1, 4), (1, 2, 3, 1, 2, 3, 99999)])
def test_numbers_that_do_not_fit(kind: str, numbers: tuple[int, ...]) -> None:
    """Line 0 is no line: it must not be the last one."""
    try:
        assert not prove_claim(Claim(kind, numbers), weights(stepwise()))
    except InputError as error:
        assert "do not fit" in str(error)  # noqa: PT017 - either answer is right


def test_words_that_are_no_claims() -> None:
    with pytest.raises(InputError, match="Unknown claim 'smallest'"):
        prove_claim(Claim("smallest", (1,)), weights(stepwise()))
    for note in ("claim", "claim Largest 1 3", "claim largest 1 -3", "claim largest 1 123456", "Q_31"):
        assert claim_from_note(note) is None
