"""Statements under a condition: what makes a theorem false is no case in which it holds."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.notation.documents.reader import read_work
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.submissions.verdicts.judge import judge_work
from tests import tables

pytestmark = pytest.mark.unmeasured

DATA = tables.read("data/proof_conditions.yaml")
STATEMENTS: list[dict[str, Any]] = DATA["statements"]
NEEDS_THE_QUESTION = {"average-of-two", "identity-attention"}


@pytest.mark.sample(20)
@pytest.mark.parametrize("given", [False, True], ids=["stated", "given"])
@pytest.mark.parametrize("one", STATEMENTS, ids=[item["text"] for item in STATEMENTS])
def test_a_condition_changes_what_holds(one: dict[str, Any], *, given: bool) -> None:
    if one["theorem"] in NEEDS_THE_QUESTION and not given:
        pytest.skip("its hypotheses stand in the question")
    found = judge_work(read_work(f"{DATA['before']} {one['text']}", "md"), theorem(one["theorem"]), is_given=given)
    judged = [item for item in found if item.verdict != "unchecked" or item.explanation]
    last = [item for item in judged if "condition" not in item.explanation][-1]
    assert last.verdict == one["verdict"], last.explanation
    if last.verdict == "wrong":
        assert last.example is not None


def test_a_condition_holds_in_its_sentence_alone() -> None:
    text = "If $q = k$, then $E[q^\\top k] = d$. Now $E[q^\\top k] = 0$ and $k \\cdot q = q \\cdot k$."
    for name in ("dot-product-mean", "dot-product-variance"):
        found = [item.verdict for item in judge_work(read_work(f"{DATA['before']} {text}", "md"), theorem(name))]
        assert [word for word in found if word != "unchecked"] == ["right", "right", "right"]


BEYOND = r"$$E[q_i^2 k_i^2] = 1$$ $$\operatorname{Var}(q^\top k) = d$$ $$E[q_i^2 k_i^2] = 2$$"


@pytest.mark.parametrize(
    ("words", "verdicts"),
    [
        (DATA["before"], ["right", "right", "wrong"]),
        ("The components of q and k are independent and standard normal.", ["right", "right", "wrong"]),
        ("The components of q and k are independent with mean 0.", ["wrong", "wrong", "wrong"]),
        ("The vectors q and k are independent with mean 0 and variance 1.", ["right", "undecided", "wrong"]),
    ],
)
def test_what_a_work_states_beyond_the_theorem_counts(words: str, verdicts: list[str]) -> None:
    """The theorem on the mean needs no variances and no independent components: who states them may use them."""
    found = [item.verdict for item in judge_work(read_work(f"{words} {BEYOND}", "md"), theorem("dot-product-mean"))]
    assert [word for word in found if word != "unchecked"] == verdicts
