"""The model check: false statements have a counter-model, true ones none, contradictory hypotheses no model at all."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symattn.api.proofs import record_replay
from symattn.cli.main import main
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.scope import Declared, Hypothesis, Scope
from symattn.proofs.model.verdict import check_models
from symattn.proofs.proof_replay import Outcome, Replayed
from tests import tables

_TABLE: dict[str, list[dict[str, Any]]] = tables.read("proofs/model/statements.yaml")

_FEW = 6


def _declared(text: str) -> Declared:
    name, sign, *rest = text.split()
    return Declared(name, tuple(size for size in rest if size != "random"), sign, random="random" in rest)  # type: ignore[arg-type]


def _hypothesis(number: int, kind: str, about: str, *values: str) -> Hypothesis:
    return Hypothesis(f"H{number}", "", kind, tuple(filter(None, about.split(","))), values)  # type: ignore[arg-type]


def _proof(case: dict[str, Any]) -> Proof:
    hypotheses = tuple(_hypothesis(n, *item) for n, item in enumerate(case.get("assume", ())))
    scope = Scope(tuple(map(_declared, case["declared"])), (), hypotheses, functions=tuple(case.get("functions", ())))
    left, relation, right = case["claim"]
    step = Step("1", "algebra", left, relation, right, tuple(item.id for item in hypotheses))
    return Proof("case", "", "", (), scope, (Claim("C1", left, relation, right, ("1",)),), (step,))


def _cases(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", _TABLE[kind], ids=lambda case: str(case["name"]))


@_cases("refuted")
def test_false_statements_have_a_counter_model(case: dict[str, Any]) -> None:
    assert check_models(_proof(case)).refutation


@_cases("valid")
def test_true_statements_have_none(case: dict[str, Any]) -> None:
    found = check_models(_proof(case), _FEW)
    assert (found.refutation, found.vacuous) == ("", ())
    assert found.models


@_cases("vacuous")
def test_contradictory_hypotheses_have_no_model(case: dict[str, Any]) -> None:
    found = check_models(_proof(case))
    assert (found.models, found.refutation, found.vacuous) == (0, "", ("C1",))


def test_the_sentence_names_the_model() -> None:
    (case,) = (case for case in _TABLE["refuted"] if case["name"] == "empty sum")
    sentence = "Step 1 fails in a model of its hypotheses (m = 0): its sides are 0 and 1."
    assert check_models(_proof(case)).refutation == sentence


_WITHOUT_MODEL = {"low-rank": ("C2",)}
"""Claims whose hypotheses no drawn model satisfies: that a product of matrices is the centred logarithm of weights."""


@cache
def _catalogue() -> dict[str, Proof]:
    return {name: entry.build(entry.values({})) for name, entry in theorems().items()}


@pytest.mark.sample(16)
@pytest.mark.parametrize(
    ("models", "work"),
    [pytest.param(3, 5_000, id="sample"), pytest.param(500, 2_000_000, id="whole", marks=pytest.mark.long)],
)
@pytest.mark.parametrize("name", sorted(theorems()))
def test_theorems_of_the_catalogue_are_not_refuted(name: str, models: int, work: int) -> None:
    found = check_models(_catalogue()[name], models, work)
    assert (found.refutation, found.vacuous) == ("", _WITHOUT_MODEL.get(name, ()))


def test_the_same_record_has_the_same_verdict() -> None:
    proof = _catalogue()["softmax-jacobian"]
    assert check_models(proof, 8) == check_models(proof, 8)


def _accepted(proof: Proof) -> Replayed:
    """Accept everything, as a kernel with a hole does."""
    return Replayed(
        tuple(Outcome(step.id, proved=True) for step in proof.steps),
        tuple(Outcome(claim.id, proved=True) for claim in proof.claims),
    )


def test_replay_refuses_what_a_model_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = (case for case in _TABLE["refuted"] if case["name"] == "empty sum")
    monkeypatch.setattr(record_replay, "replay", _accepted)
    found = record_replay.replay_record(_proof(case).as_json())
    assert not found.is_proved
    assert "(m = 0)" in found.reason


def test_replay_reports_hypotheses_without_a_model(tmp_path: Path) -> None:
    opposite = {
        "declared": ["x real"],
        "assume": [["positive", "", "x"], ["positive", "", "-x"]],
        "claim": ["0", "≤", "x^2"],
    }
    proof = _proof(opposite)
    proof = replace(proof, steps=(replace(proof.steps[0], rule="evident sign"),))
    found = record_replay.replay_record(proof.as_json())
    assert (found.is_proved, found.vacuous) == (True, ("C1",))
    assert found.notes == ("Possibly vacuous: no model was found of the hypotheses of claim C1.",)
    path = tmp_path / "record.json"
    path.write_text(json.dumps(proof.as_json()), "utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(path)])
    assert ended.value.code == 3
