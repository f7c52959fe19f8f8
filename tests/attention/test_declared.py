"""What is warned of in the declarations of a layer, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.api.solutions import solve
from symattn.problem.caveats import declaration_caveats
from symattn.problem.model import Problem
from symattn.problem.settings.masks import Mask

QKV: dict[str, Any] = {"Q": [[1, 2], [2, 1]], "K": [[1, 1], [2, 1], [0, 1]], "V": [[1, 2], [2, 0], [-1, 1]]}
GENERAL: dict[str, Any] = {"score": "general", "W_S": [[1, 0], [0, 1]]}

CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing declared": ({}, []),
    "a scale that is not there": ({**GENERAL, "order": ["scale", "mask"], "mask": "causal"}, ["order-unused"]),
    "a scale that was given": ({**GENERAL, "order": ["mask", "scale"], "mask": "causal", "scale": 2}, []),
    "a softcap that is not there": ({"order": ["scale", "softcap"]}, ["order-unused"]),
    "the usual order, for all that is used": ({"mask": "causal", "softcap": 2}, []),
    "capped behind the mask": (
        {"order": ["mask", "softcap"], "softcap": 2, "mask": "causal", "scale": "none"},
        ["mask-undone"],
    ),
    "capped behind the mask, and scaled between them": (
        {"order": ["mask", "scale", "softcap"], "softcap": 2, "mask": {"length": 2}},
        ["mask-undone"],
    ),
    "capped before the mask": (
        {"order": ["softcap", "mask"], "softcap": 2, "mask": "causal", "scale": "none"},
        [],
    ),
    "alibi that sees ahead": ({"bias": {"alibi": "1/2"}}, ["alibi-ahead"]),
    "alibi that sees ahead of a window": ({"bias": {"alibi": 1}, "mask": {"window": [1, 1]}}, ["alibi-ahead"]),
    "alibi with a window to the left": ({"bias": {"alibi": 1}, "mask": {"window": [1, 0]}}, []),
    "alibi with a causal mask": ({"bias": {"alibi": 1}, "mask": "causal"}, []),
    "alibi with the last query at the last key": (
        {"bias": {"alibi": 1}, "mask": {"causal": True, "alignment": "bottom-right"}},
        [],
    ),
    "a negative slope": ({"bias": {"alibi": -1}}, []),
    "one slope for two heads": ({"bias": {"alibi": [1]}, "heads": 2, "mask": "causal"}, []),
    "ones that are added": ({"mask": {"add": [[0, 1, 1]]}}, ["mask-ones"]),
    "zeros that are added": ({"mask": {"add": [[0, 0, 0]]}}, []),
    "ones beside minus infinity": ({"mask": {"add": [[0, 1, "-inf"]]}}, []),
    "ones that are kept": ({"mask": {"keep": [[0, 1, 1]]}}, []),
    "distances that do not occur": (
        {"bias": {"relative": {str(distance): distance for distance in range(-4, 4)}}},
        ["relative-unused"],
    ),
    "buckets of one side that see ahead": (
        {"bias": {"buckets": {"values": [1, 2], "bidirectional": False}}},
        ["buckets-ahead"],
    ),
    "buckets of one side with a causal mask": (
        {"bias": {"buckets": {"values": [1, 2], "bidirectional": False}}, "mask": "causal"},
        [],
    ),
    "buckets of both sides": ({"bias": {"buckets": {"values": [1, 2, 3, 4]}}}, []),
    "the distances that occur": ({"bias": {"relative": {str(distance): 1 for distance in range(-1, 3)}}}, []),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_warned_of(name: str) -> None:
    keys, codes = CASES[name]
    problem = Problem.build(**QKV, **keys)
    assert [caveat.code for caveat in declaration_caveats(problem)] == codes
    warned = [item.code for item in solve(problem).warnings]
    assert [code for code in warned if code in codes] == codes, "each once, whatever the heads"


def test_a_batch_is_warned_once_of_what_all_sequences_share() -> None:
    batch = {**QKV, "Q": [[[1, 2], [2, 1]], [[0, 2], [1, 1]]]}
    warnings = solve(Problem.build(**batch, bias={"alibi": 1})).warnings
    assert [item.text.startswith("Sequence") for item in warnings if item.code == "alibi-ahead"] == [False]


def test_alibi_rewards_what_is_ahead() -> None:
    """The warning says what happens: the bias of a key ahead of its query is greater than that of its own place."""
    bias = Problem.build(**QKV, bias={"alibi": "1/2"}).bias
    assert bias is not None
    assert [str(value) for value in bias.rows(1, 3)[0]] == ["0", "1/2", "1"]


def test_a_mask_that_is_undone_hides_nothing() -> None:
    """What the warning says: the weights of hidden keys are greater than 0."""
    keys = {"order": ["mask", "softcap"], "softcap": 2, "mask": "causal", "scale": "none"}
    weights = solve(Problem.build(**QKV, **keys)).A.kernel
    assert Mask(causal=True).visible(2, 3)[0] == (True, False, False)
    assert all(not value.is_zero for value in weights)
