"""Statements say what is proved: each sentence is a claim, a definition, or set apart as a remark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from symattn.api.proofs import prove
from symattn.errors import InputError
from symattn.proofs.catalogue.authoring.proof_files import read_theorem
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.catalogue.registry import theorems
from tests.proofs.catalogue.test_moments import _ALL

CASES = [*((name, {}) for name in theorems() if name not in dict(_ALL)), *_ALL]
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
FILE = """theorem ones
title A sum of ones
summary the sum of n ones is n
source arithmetic
statement Let $n$ be a number. [definition] It is a large one. [remark] The sum of $n$ ones is $n$. [1]

name n positive

chain sum_{j=1}^{n} 1
  = n by sum of equal terms
  claim
"""


@pytest.mark.parametrize(("name", "given"), CASES, ids=str)
def test_every_sentence_is_a_claim_a_definition_or_a_remark(name: str, given: Mapping[str, str]) -> None:
    entry = theorems()[name]
    values = entry.values(given)
    proof = entry.build(values)
    sentences = entry.sentences(values)
    assert [item.text for item in sentences if not item.kind] == []
    assert [item.text for item in sentences if item.kind == "claim" and not item.claims] == []
    told = {claim for item in sentences for claim in item.claims}
    assert told == {claim.id for claim in proof.claims}
    remarks = [item.text for item in sentences if item.kind == "remark"]
    assert proof.statement.partition(" Remark: ")[2] == " ".join(remarks)


@pytest.mark.parametrize("name", theorems())
def test_every_name_and_hypothesis_is_used(name: str) -> None:
    """A page says "throughout, t is positive" of names that occur, and numbers its hypotheses without a gap."""
    entry = theorems()[name]
    proof = entry.build(entry.values({}))
    scope, steps = proof.scope, proof.steps
    used = {hypothesis for step in steps for hypothesis in step.hypotheses}
    assert [item.id for item in scope.hypotheses if item.id not in used] == []
    texts = [text for step in steps for text in (step.before, step.after, *(value for _, value in step.arguments))]
    texts += [text for item in scope.hypotheses for text in (*item.about, *item.values)]
    texts += [text for item in scope.defined for text in (item.body, *item.sizes)]
    texts += [size for item in scope.declared for size in item.sizes]
    words = {word for text in texts for found in WORD.findall(text) for word in (found, found.partition("_")[0])}
    assert [item.name for item in scope.declared if item.name not in words] == []


def _read(text: str) -> Theorem:
    return read_theorem(text, "ones.proof")


def test_remarks_stand_behind_what_is_proved() -> None:
    entry = _read(FILE)
    assert entry.build({}).statement == "Let $n$ be a number. The sum of $n$ ones is $n$. Remark: It is a large one."
    assert [(item.kind, item.claims) for item in entry.sentences({})] == [
        ("definition", ()),
        ("remark", ()),
        ("claim", ("C1",)),
    ]


def test_a_statement_without_marks_stays_as_it_is() -> None:
    entry = _read(FILE.replace(" [definition]", "").replace(" [remark]", "").replace(" [1]", ""))
    assert entry.build({}).statement == "Let $n$ be a number. It is a large one. The sum of $n$ ones is $n$."
    assert [item.kind for item in entry.sentences({})] == [""]


@pytest.mark.parametrize("mark", ["0", "2", "1..2", "9..1, 2"])
def test_a_mark_counts_claims_that_the_file_has(mark: str) -> None:
    with pytest.raises(InputError, match=r"ones\.proof, line 5: the mark .* counts claims, and the file has 1\."):
        _read(FILE.replace("[1]", f"[{mark}]")).sentences({})


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", theorems())
def test_what_a_sign_rests_on_is_printed(name: str) -> None:
    found = prove(name)
    signs = [step for step in found.proof.steps if step.rule == "evident sign" and "0" not in {step.before, step.after}]
    rests = [step for step in signs if dict(step.arguments).get("difference")]
    assert found.to_latex().count("right side minus left side: $") == len(rests)
    assert "right side minus left side" not in found.to_latex("brief")


@pytest.mark.parametrize(
    ("given", "count"),
    [({}, 4), ({"mu": 0}, 3), ({"D": 1}, 2), ({"D": 2}, 4), ({"D": 1, "mu": 0, "sigma": 1}, 1)],
    ids=str,
)
def test_a_false_variant_that_is_true_at_the_chosen_values_is_not_listed(given: dict[str, Any], count: int) -> None:
    """With one component, no independence of components is needed, and no variance of a sum is taken."""
    found = prove("dot-product-variance", **given).false_here
    assert len(found) == count, [item.falsehood.says for item in found]


@pytest.mark.parametrize("name", theorems())
def test_a_distribution_function_is_claimed_at_every_number(name: str) -> None:
    """A law that is claimed for positive numbers alone says nothing of the others, unless the variable is positive."""
    proof = theorems()[name].build(theorems()[name].values({}))
    signs = {item.name: item.sign for item in proof.scope.items}
    laws = re.findall(r"cdf\((\w+), ([A-Za-z]\w*)\)", "; ".join(proof.conclusion))
    found = [(variable, bound) for variable, bound in laws if signs.get(variable.partition("_")[0], "real") == "real"]
    assert [(variable, bound) for variable, bound in found if signs[bound] != "real"] == []
