"""Every part of the model check matters: where one is changed, a test of it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import tables
from tests.proofs.kernel.mutated import FAILED_TESTS, run, source_of

pytestmark = pytest.mark.unmeasured

_HERE = Path(__file__).parent
_MUTANTS: list[dict[str, str]] = tables.read("proofs/model/mutants.yaml")
_IN_GATE = {3}
"""Each takes a process of its own."""


def test_every_passage_stands_once() -> None:
    for mutant in _MUTANTS:
        assert source_of(mutant["module"]).count(mutant["old"]) == 1, mutant


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(mutant, id=mutant["of"], marks=[] if number in _IN_GATE else [pytest.mark.long])
        for number, mutant in enumerate(_MUTANTS)
    ],
)
def test_a_mutant_is_caught(mutant: dict[str, str]) -> None:
    found = run(mutant, _HERE / "test_model.py")
    assert found.returncode == FAILED_TESTS, found.stdout[-500:] + found.stderr[-500:]
    assert "FAILED" in found.stdout
