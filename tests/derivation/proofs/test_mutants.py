"""Every check of the proof kernel matters: where one is changed, a test of the rule or lemma fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from symattn.derivation.proofs.lemmas import LEMMAS
from symattn.derivation.proofs.rules import RULES

pytestmark = pytest.mark.unmeasured

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]
MUTANTS: list[dict[str, str]] = yaml.safe_load((_HERE / "mutants.yaml").read_text(encoding="utf-8"))
_IN_GATE = {4, 52}
"""One mutant of a rule and one of a lemma; each takes a process of its own."""

_FAILED_TESTS = 1


def _source(mutant: dict[str, str]) -> str:
    return (_ROOT / "symattn" / "derivation" / "proofs" / f"{mutant['file']}.py").read_text(encoding="utf-8")


def test_every_rule_and_every_lemma_has_a_mutant() -> None:
    assert {mutant["of"] for mutant in MUTANTS} >= RULES.keys() | LEMMAS.keys()


def test_every_passage_stands_once() -> None:
    for mutant in MUTANTS:
        assert _source(mutant).count(mutant["old"]) == 1, mutant


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(mutant, id=f"{number}-{mutant['of']}", marks=[] if number in _IN_GATE else [pytest.mark.long])
        for number, mutant in enumerate(MUTANTS)
    ],
)
def test_a_mutant_is_caught(mutant: dict[str, str]) -> None:
    module = f"symattn.derivation.proofs.{mutant['file']}"
    plugin = "tests.derivation.proofs.mutated"
    tests = str(_HERE / f"test_{mutant['tests']}.py")
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", plugin, tests],
        cwd=_ROOT,
        env={**os.environ, "MUTANT_MODULE": module, "MUTANT_OLD": mutant["old"], "MUTANT_NEW": mutant["new"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == _FAILED_TESTS, found.stdout[-500:] + found.stderr[-500:]
    assert "FAILED" in found.stdout
