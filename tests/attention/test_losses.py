"""Losses and soft caps in a backward pass, against central differences of the forward pass."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import pytest

from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer
from symattn.graph.derivation_replay import replay
from tests.attention.differences import DIGITS, Measured, measured

PLACES = DIGITS - 5
KINDS = ("cross-entropy", "softcap", "both")


def _apart(case: Measured, layer: Layer) -> Iterator[str]:
    near = mpmath.mpf(10) ** (1 - PLACES)
    for name, table in case.inputs.items():
        # Places, for the figures of what is 0 and known by enclosures never settle.
        gradient = layer.exact(f"d{name}").rounded(PLACES)
        for i in range(len(table)):
            for j in range(len(table[0])):
                if abs(mpmath.mpf(gradient[i][j]) - case.measured(name, i, j)) > near:
                    yield f"d{name}[{i + 1},{j + 1}]"


def _check(seed: int, kind: str) -> None:
    case = measured(seed, kind)
    layer = attention_layer(case.problem())
    with mpmath.workdps(DIGITS):
        assert list(_apart(case, layer)) == [], f"seed {seed}"
        if "L" in layer.recipes:
            assert mpmath.almosteq(layer.exact("L").evaluate(DIGITS)[0, 0], case.loss_of(), 10.0**-50)
    assert all(step.proved for step in replay(layer.steps())), f"seed {seed}"


@pytest.mark.parametrize(("seed", "kind"), list(enumerate(KINDS, 1)))
def test_gradients_are_those_of_central_differences(seed: int, kind: str) -> None:
    _check(seed, kind)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 104))
def test_gradients_are_those_of_central_differences_long(seed: int) -> None:
    _check(seed, KINDS[seed % len(KINDS)])
