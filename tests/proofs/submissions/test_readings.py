"""Right steps in many notations are accepted; their siblings with a slip, or a hypothesis less, are not."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.api.submissions import check_proof
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed import normal_form
from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.terms import Draft, Term
from symattn.exact.reals.computable import Real
from symattn.proofs.cases import numeric_tower
from symattn.proofs.catalogue.registry import THEOREMS
from tests import tables

pytestmark = pytest.mark.unmeasured

WORKS = [
    pytest.param(work, id=work["id"], marks=pytest.mark.long if work.get("long") else ())
    for work in tables.read("data/proof_readings.yaml")["works"]
]
RIGHT, WRONG, OPEN = 0, 1, 3
STATUSES = {"right": {RIGHT}, "no alarm": {RIGHT, OPEN}, "not right": {WRONG, OPEN}}


@pytest.mark.sample(26)
@pytest.mark.parametrize("work", WORKS)
def test_right_steps_are_read_and_false_ones_are_not_accepted(work: dict[str, Any]) -> None:
    report = check_proof(work["theorem"], work["text"], work.get("format", "md"), source="work")
    found = [(item.text, item.verdict, item.explanation) for item in report.findings if item.verdict != "unchecked"]
    assert report.exit_status in STATUSES[work["expected"]], found


def test_a_generating_function_with_its_argument_is_read() -> None:
    works = {work["id"]: work for work in tables.read("data/proof_readings.yaml")["works"]}
    work = works["generating-function-with-an-argument"]
    assert check_proof(work["theorem"], work["text"], source="work").exit_status == RIGHT


def test_a_false_gradient_of_weights_is_refused_without_enclosing_its_parts_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[Polynomial] = []
    enclosed = numeric_tower._of_polynomial

    def count(value: Polynomial) -> Real:
        counted.append(value)
        return enclosed(value)

    numeric_tower._of_sum.cache_clear()
    monkeypatch.setattr(numeric_tower, "_of_polynomial", count)
    report = check_proof("attention-gradients", r"$dW_K = X_2^\top dS^\top Q$.", "md")
    assert report.exit_status == WRONG
    assert len(counted) < 2_000


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", [theorem.name for theorem in THEOREMS])
def test_means_of_exponentials_get_an_answer_under_any_hypotheses(name: str) -> None:
    report = check_proof(name, r"$$E[e^{t q^\top k}] = (1 - t^2 v)^{-D/2} e^{t m}$$", "md")
    assert [item.verdict for item in report.findings]


@pytest.mark.parametrize("power", [2, 6, 8])
def test_powers_of_sums_take_a_bounded_number_of_orders(power: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    named = normal_form._named

    def count(draft: Draft[Expr], order: list[Index], names: list[Index]) -> tuple[Term[Expr], Polynomial]:
        counted.append(len(order))
        return named(draft, order, names)

    monkeypatch.setattr(normal_form, "_named", count)
    work = rf"Assume $\|v_j\| \le M$ for every $j$. Hence $\|o\|^{power} 957 \le M$."
    report = check_proof("convex-hull", work, "tex")
    assert "right" not in [item.verdict for item in report.findings]
    assert len(counted) < 60_000
