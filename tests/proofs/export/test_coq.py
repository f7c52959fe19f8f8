"""Coq accepts what is said to be checked, on its own axioms alone, and refuses false and corrupted records."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symattn.api import proofs
from symattn.proofs.export import compiled
from symattn.proofs.export.document import CoqFile
from symattn.proofs.export.premises import premises
from symattn.proofs.export.terms import NotExportedError
from symattn.proofs.kernel.record import Proof, proof_from_json
from tests import tables
from tests.proofs.export.compiling import AXIOMS, COQC, accepted, axioms, compile_preludes
from tests.proofs.kernel.test_false_records import record

pytestmark = [
    pytest.mark.coq,
    pytest.mark.unmeasured,
    pytest.mark.skipif(shutil.which("coqc") is None, reason="no coqc: apt-get install coq"),
]

_SECONDS_IN_GATE = 3
_CORRUPTED = 50
_TRUE = {"combination weight 1/x", "an order of vectors"}
"""What these records claim holds, in every entry; the kernel refuses how they come to it."""

_FALSE = [
    pytest.param(case, id=f"{kind}: {case['name']}")
    for kind, cases in tables.read("proofs/kernel/false_records.yaml").items()
    if kind != "proved"
    for case in cases
    if case["name"] not in _TRUE
]


_OWN = """
theorem shifted-values
title Shifted values
summary a number added to every value is added to the output
source Vaswani et al. 2017, Attention Is All You Need, section 3.2.1

statement For weights $a$ and values $v$, adding the number $u$ to every $v_j$ adds $u$ to the output. [1, 2]

name n positive
name z[n], v[n], u
define a[j: n] positive = exp(z_j)/sum_{l=1}^{n} exp(z_l)

chain sum_{j=1}^{n} a_j
  = 1 by algebra: the numerators add up to the denominator
  claim the weights add up to 1

chain sum_{j=1}^{n} a_j (v_j + u)
  = sum_{j=1}^{n} a_j v_j + u sum_{j=1}^{n} a_j by algebra: multiplied out
  = sum_{j=1}^{n} a_j v_j + u by algebra: the weights add up to 1
  claim the output moves by u
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("coq")
    compile_preludes(made)
    return made


def _theorems() -> Iterator[Any]:
    """Theorems that Coq compiles in a few seconds are in the gate, the others are long."""
    for name, found in compiled.results().items():
        yield pytest.param(name, marks=[] if found["seconds"] <= _SECONDS_IN_GATE else [pytest.mark.long])


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", list(_theorems()))
def test_coq_accepts_the_claims_that_are_said_to_be_checked(name: str, folder: Path) -> None:
    text = compiled.coq_file(proofs.prove(name).proof).text()
    resting = axioms(text, folder)
    assert list(resting) == compiled.results()[name]["claims"]
    assert frozenset().union(*resting.values()) <= AXIOMS
    assert "Admitted" not in text
    assert "Axiom" not in text


def test_a_file_of_ones_own_is_exported_and_checked(folder: Path) -> None:
    theorem = proofs.read_proof_file(_OWN.encode(), "shifted-values.proof")
    text = proofs.proved(theorem, {}).to_coq()
    assert axioms(text, folder).keys() == {"C1", "C2"}


def test_premises_hold_somewhere(folder: Path) -> None:
    text = Path(__file__).with_name("Witness.v").read_text("utf-8")
    for lemma, statement in premises().items():
        text = text.replace(f"@{lemma}@", statement)
    assert "@" not in text
    (folder / "Witness.v").write_text(text, "utf-8")
    subprocess.run([COQC, "-q", "-w", "none", "Witness.v"], cwd=folder, check=True, timeout=600)


def _is_refused(data: dict[str, Any], claim: str, folder: Path) -> bool:
    try:
        file = CoqFile(proof_from_json(data))
    except NotExportedError:
        return True
    lemma = f"claim_{claim}"
    if lemma not in {item.name for item in file.written()}:
        return True
    return lemma not in accepted(file, folder)


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", _FALSE)
def test_false_records_are_refused(case: dict[str, Any], folder: Path) -> None:
    assert _is_refused(record(case), "C1", folder)


@cache
def _record(name: str) -> dict[str, Any]:
    return proofs.prove(name).as_json()


def _proof(name: str) -> Proof:
    return proof_from_json(_record(name))


def _corrupted() -> Iterator[Any]:
    """Checked claims whose right side is made one larger, in the claim and in the last step of its chain."""
    every = ((name, claim) for name, found in compiled.results().items() for claim in found["claims"])
    for name, claim in list(every)[:: max(1, sum(len(f["claims"]) for f in compiled.results().values()) // _CORRUPTED)]:
        yield pytest.param(name, claim, id=f"{name}-{claim}")


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "claim"), list(_corrupted()))
def test_corrupted_records_are_refused(name: str, claim: str, folder: Path) -> None:
    data = deepcopy(_record(name))
    number = [item["id"] for item in data["claims"]].index(claim)
    stated = data["claims"][number]
    step = next(item for item in data["steps"] if item["id"] == stated["steps"][-1])
    # An upper bound is made smaller, everything else larger: what was true is false, or is not shown.
    wrong = "0 - 1 - ({})" if stated["relation"] in {"≤", "<"} else "1 + 2 ({})"
    stated["right"], step["after"] = wrong.format(stated["right"]), wrong.format(step["after"])
    needed = _proof(name).resting_on(stated["steps"])
    data["steps"] = [item for item in data["steps"] if item["id"] in needed]
    data["claims"] = [stated]
    data["conclusion"] = [f"{stated['left']} {stated['relation']} {stated['right']}"]
    assert _is_refused(data, claim, folder)
