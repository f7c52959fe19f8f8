"""Every check of the proof kernel matters: where one is changed, a test of the rule or lemma fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.proofs.kernel.rules import RULES
from symattn.proofs.lemmas.table import LEMMAS
from tests import tables
from tests.proofs.kernel.mutated import FAILED_TESTS, run, source_of

pytestmark = pytest.mark.unmeasured

_HERE = Path(__file__).parent
MUTANTS: list[dict[str, str]] = tables.read("proofs/kernel/mutants.yaml")
_IN_GATE = {4, 52}
"""One mutant of a rule and one of a lemma; each takes a process of its own."""


def _source(mutant: dict[str, str]) -> str:
    return source_of(mutant["module"])


def test_every_rule_and_every_lemma_has_a_mutant() -> None:
    assert {mutant["of"] for mutant in MUTANTS} >= RULES.keys() | LEMMAS.keys()


def test_every_passage_stands_once() -> None:
    for mutant in MUTANTS:
        assert _source(mutant).count(mutant["old"]) == 1, mutant
        assert (_HERE / f"test_{mutant['tests']}.py").exists(), mutant


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(mutant, id=f"{number}-{mutant['of']}", marks=[] if number in _IN_GATE else [pytest.mark.long])
        for number, mutant in enumerate(MUTANTS)
    ],
)
def test_a_mutant_is_caught(mutant: dict[str, str]) -> None:
    found = run(mutant, _HERE / f"test_{mutant['tests']}.py")
    assert found.returncode == FAILED_TESTS, found.stdout[-500:] + found.stderr[-500:]
    assert "FAILED" in found.stdout
