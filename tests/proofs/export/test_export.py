"""What is exported to Coq says what the record says, and what the export does not know is left out."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from symattn.api import proofs
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.export import compiled
from symattn.proofs.export.document import CoqFile
from symattn.proofs.export.terms import NotExportedError
from symattn.proofs.kernel.record import Proof, proof_from_json
from tests import tables
from tests.proofs.export import reading_back

pytestmark = pytest.mark.unmeasured

NAMES = list(compiled.results())


def _proof(name: str) -> Proof:
    return proofs.prove(name).proof


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_claims_of_the_file_are_those_of_the_record(name: str) -> None:
    proof = _proof(name)
    text = compiled.coq_file(proof).text()
    assert list(reading_back.claims(text, proof)) == compiled.results()[name]["claims"]
    assert not list(reading_back.differences(text, proof))
    assert compiled.checked_claims(proof, text) == tuple(compiled.results()[name]["claims"])


def test_claims_that_are_not_checked_only_become_fewer() -> None:
    listed: dict[str, list[str]] = tables.read("proofs/export/unchecked.yaml")
    every = {name: [claim.id for claim in _record(name).claims] for name in listed}
    assert set(theorems()) == set(listed)
    for name, known in listed.items():
        checked = compiled.results().get(name, {}).get("claims", [])
        assert sorted(set(every[name]) - set(checked)) == sorted(known), name


def _record(name: str) -> Proof:
    entry = theorems()[name]
    return entry.build(entry.values({}))


@pytest.mark.parametrize(
    ("name", "old", "new", "found"),
    [
        ("shift-invariance", "(v_z i_j) + v_c", "(v_z i_j) - v_c", "claim C1"),
        ("shift-invariance", " = (d_a v_z i_j).", " <= (d_a v_z i_j).", "claim C1"),
        ("shift-invariance", "= (d_a v_z i_j)", "= (- (d_a v_z i_j))", "claim C1"),
        ("shift-invariance", "R := ((exp (v_z i_j)) /", "R := ((exp (v_z i_j)) *", "the definition of a"),
        ("shift-invariance", "Variable v_u : ix n_D -> R.", "Variable v_u : ix n_n -> R.", "the shape of u"),
        ("linear-attention", "<> 0.", "<> 1.", "hypothesis H_H1_1"),
        ("alibi", "%nat.", "%nat.\nHypothesis more : False.", "assumption Hypothesis more : False."),
        ("alibi", "(0 < n_n)%nat", "(1 < n_n)%nat", "assumption Hypothesis n_n_pos : (1 < n_n)%nat."),
        ("two-heads", "(cdf P_ (fun w_ => (- (", "(cdf P_ (fun w_ => (1 * (", "claim C18"),
        ("two-heads", "sqrt 2)", "sqrt 3)", "claim C20"),
        ("two-heads", "i_U1 i_U2)) 0 v_alpha.", "i_U1 i_U2)) 0 1.", "hypothesis H_H3_z"),
        ("two-heads", "apart P_ (Grid n_n n_D) One", "apart P_ (Grid n_n n_n) One", "hypothesis H_H4"),
        (
            "two-heads",
            "Hypothesis H_H2_z : ",
            "Hypothesis H_H2_g : independent P_ One 0.\nHypothesis H_H2_z : ",
            "hypothesis H_H2_g",
        ),
        (
            "two-heads",
            "measurable P_ (fun w_ => (r_g w_))",
            "measurable P_ (fun w_ => 1 / (r_g w_))",
            "hypothesis r_g_random",
        ),
        ("gaussian-keys", "(exists b, forall x, Rabs (f x) <= b) -> ", "", "premise reflection"),
        ("attention-as-convolution", "= position i_i.", "= position i_j.", "hypothesis H_H1_t"),
        ("copy", "End Proved.", "Admitted.\nEnd Proved.", "assumption Admitted."),
        ("alibi", "Variable v_m : R.", "Variable v_m : R.\nHypothesis v_m_sign : 0 < v_m.", "hypothesis v_m_sign"),
    ],
)
def test_a_file_that_says_something_else_is_found(name: str, old: str, new: str, found: str) -> None:
    proof = _proof(name)
    text = compiled.coq_file(proof).text()
    assert old in text
    assert found in list(reading_back.differences(text.replace(old, new), proof))


def test_a_changed_record_has_no_checked_claims() -> None:
    record = proofs.prove("shift-invariance").as_json()
    record["claims"][0]["right"] = "a_j + 0"
    record["conclusion"][0] = record["conclusion"][0] + " + 0"
    proof = proof_from_json(record)
    assert compiled.checked_claims(proof, compiled.coq_file(proof).text()) == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"names.declared.0.sign": "nonnegative"}, "The length n is not declared as a positive number"),
        ({"names.declared.1.sizes": ["2 n"]}, "The length 2 n is not declared as a positive number"),
        ({"names.defined.0.body": "a_j"}, "a rests on a later definition"),
        ({"names.declared.1.name": "n"}, "A name stands for two things"),
    ],
)
def test_lengths_and_definitions_without_meaning_are_refused(change: dict[str, Any], reason: str) -> None:
    record = deepcopy(proofs.prove("shift-invariance").as_json())
    for path, value in change.items():
        *parents, last = path.split(".")
        place: Any = record
        for step in parents:
            place = place[int(step)] if step.isdigit() else place[step]
        place[last] = value
    with pytest.raises(NotExportedError, match=reason):
        CoqFile(proof_from_json(record)).text()


def test_a_letter_of_a_hypothesis_that_stands_for_some_values_is_refused() -> None:
    record = deepcopy(proofs.prove("shift-invariance").as_json())
    record["hypotheses"] = [{"id": "H1", "text": "", "kind": "positive", "about": [], "values": ["z_k"]}]
    file = CoqFile(proof_from_json(record))
    assert "only i stands for all" in file.refused["H1"]
    assert "H_H1" not in file.text()


def test_a_quantity_that_is_not_zero_is_not_said_to_be_positive() -> None:
    record = deepcopy(proofs.prove("shift-invariance").as_json())
    record["hypotheses"] = [{"id": "H1", "text": "", "kind": "nonzero", "about": ["c"], "values": []}]
    proof = proof_from_json(record)
    text = CoqFile(proof).text()
    assert "Hypothesis H_H1 : v_c <> 0." in text
    assert not list(reading_back.differences(text, proof))


def test_forms_that_are_not_known_are_left_out_with_a_reason() -> None:
    file = CoqFile(_proof("dot-product-mean"))
    assert "Means and probabilities by moments are not exported" in file.refused["step_4"]
    assert "(* claim C1 is not exported *)" in file.text()


def test_the_table_is_in_the_order_of_the_catalogue() -> None:
    known = list(json.loads(Path(compiled.__file__).with_name("compiled.json").read_text("utf-8")))
    assert known == [name for name in theorems() if name in known]


def test_a_classical_lemma_is_a_premise_of_the_claims_that_cite_it_alone() -> None:
    proof = _proof("copy")
    file = CoqFile(proof, (), {"step_19"})
    text = file.text()
    assert file.assuming() == {"C7": ("triangle-inequality",)}
    assert not list(reading_back.differences(text, proof))
    weaker = text.replace("(forall i, 0 <= w i) -> sqrt", "sqrt")
    assert list(reading_back.differences(weaker, proof)) == ["premise triangle_inequality"]
    before = {lemma.name: lemma.proof for lemma in file.lemmas}
    for lemma in (item for item in file.written() if item.name.startswith(("step_", "claim_"))):
        is_cleared = lemma.proof == f"clear L_triangle_inequality. {before[lemma.name]}"
        assert is_cleared is (lemma.name not in {"step_19", "claim_C7"}), lemma.name


def test_a_lemma_that_the_record_does_not_cite_is_no_premise() -> None:
    proof = _proof("shift-invariance")
    text = compiled.coq_file(proof).text()
    line = "Hypothesis L_tanh_at_most : forall x : R, tanh x ^ 2 <= x ^ 2.\n"
    assert list(reading_back.differences(text.replace("(* step", f"{line}(* step", 1), proof)) == [
        "premise tanh_at_most"
    ]
