"""The letters of keys: one for each quantity, whatever else a sheet has, and each can be set."""

from __future__ import annotations

from typing import Any

import pytest

import symattn as sa
from symattn.graph.builders.names import lettered, naming_of, namings
from symattn.notation.writers.plain import write_plain
from symattn.problem.model import Problem
from symattn.problem.schema.fields import BLOCK_QUANTITIES, DERIVED, OF_CACHES, OF_POSITIONS, OPTIONAL_INPUTS
from symattn.problem.schema.letters import LETTERS

SQUARE = [[1, 0], [1, 1]]
BASE: dict[str, Any] = {"X": [[1, 2], [0, 1]], "W_Q": SQUARE, "W_K": [[0, 1], [1, 0]], "W_V": [[1, 0], [0, 1]]}
OWN: dict[str, dict[str, Any]] = {
    "plain": {},
    "all steps": {"softcap": 2, "bias": {"add": [[0, 1], [1, 0]]}, "mask": "causal"},
    "two heads": {"heads": 2, "W_O": SQUARE, "mask": "causal"},
    "online": {"online": 1, "rounding": {"shift": True}},
    "general": {"score": "general", "W_S": SQUARE},
    "additive": {"score": "additive", "W_1": SQUARE, "W_2": SQUARE, "w_S": [1, 2]},
    "cosine": {"score": "cosine", "online": 1},
    "positions": {"positions": {"kind": "rope"}, "mask": "causal"},
    "entropy of the outputs": {"gradient": {"loss": "cross-entropy", "labels": [1, 2]}, "softcap": 2},
    "a block": {
        "block": {"norm": "layer", "eps": 1},
        "W_F1": SQUARE,
        "W_F2": SQUARE,
        "mask": "causal",
        "gradient": {"loss": "squared", "target": [[0, 0], [1, 1]]},
    },
}


def test_no_letter_stands_for_two_quantities() -> None:
    usual = [item.usual for item in LETTERS.values()]
    assert len(set(usual)) == len(usual)
    canonical = {*DERIVED, *BLOCK_QUANTITIES, *OPTIONAL_INPUTS, *OF_POSITIONS, *OF_CACHES} - LETTERS.keys()
    assert not {name.partition("_")[0] for name in canonical - {"d_k"}} & set(usual) - {"beta"}


@pytest.mark.parametrize("name", OWN)
def test_the_letters_are_the_same_whatever_a_sheet_has(name: str) -> None:
    problem = Problem.build(**BASE, **OWN[name])
    found = namings(problem)
    for quantity in lettered(problem):
        expected = naming_of(quantity, LETTERS[quantity].usual)
        assert (found[quantity].symbol, found[quantity].entry) == (expected.symbol, expected.entry)


def test_every_letter_is_tried() -> None:
    assert {quantity for keys in OWN.values() for quantity in lettered(Problem.build(**BASE, **keys))} == LETTERS.keys()


@pytest.mark.parametrize("name", OWN)
def test_names_set_every_letter(name: str) -> None:
    """A key in which every letter has another name is proved, reads back right, and shows these names."""
    quantities = lettered(Problem.build(**BASE, **OWN[name]))
    names = dict(zip(quantities, ("J", "xi", "phi", "psi", "I", "theta", "pi", *("abfghpuwyz" * 2)), strict=False))
    problem = Problem.build(**BASE, **OWN[name], names=names)
    shown = {quantity: write_plain(namings(problem)[quantity].entry) for quantity in quantities}
    assert shown == names
    result = sa.solve(problem)
    tex = result.to_latex()
    findings = result.read_back(tex)
    assert [item.reasons for item in findings if not item.proved] == []
    assert all(f"symattn: {names[quantity]}_1" in tex for quantity in ("entropy", "totals"))
