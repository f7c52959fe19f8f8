"""Proofs that people wrote, judged link by link: the verdicts are those of an independent reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from symattn.notation.documents import read_work
from symattn.theorems.catalogue import theorem
from symattn.theorems.judge_work import JudgedLink, judge_work

DATA = Path(__file__).parent.parent / "data" / "proof_works.yaml"
WORKS: list[dict[str, Any]] = yaml.safe_load(DATA.read_text(encoding="utf-8"))["works"]


def links(text: str, name: str, settings: dict[str, str] | None = None, *, given: bool = False) -> list[JudgedLink]:
    """The judged links of a Markdown text, its prose left out."""
    found = judge_work(read_work(text, "md"), theorem(name), settings, is_given=given)
    return [item for item in found if item.verdict != "unchecked" or item.explanation]


def verdicts(text: str, name: str = "dot-product-variance", *, given: bool = False) -> list[str]:
    return [item.verdict for item in links(text, name, given=given)]


@pytest.mark.parametrize("work", WORKS, ids=[work["id"] for work in WORKS])
def test_what_people_wrote(work: dict[str, Any]) -> None:
    found = links(work["text"], work["theorem"], work.get("set"), given=work.get("given", False))
    shown = [(work["text"][item.span[0] : item.span[1]], item.verdict, item.explanation) for item in found]
    assert [item.verdict for item in found] == work["verdicts"], shown
    for item in found:
        if item.verdict == "wrong" and item.value is None:
            assert item.example is not None
            assert "left side is" in item.explanation
        if item.verdict == "unstated":
            assert any(work["missing"] in text for text in item.missing)
    causes = [item.slip.code for item in found if item.slip is not None]
    assert set(work.get("causes", ())) <= set(causes)


INDEPENDENT = "The components of q and k are independent with mean 0 and variance 1. "


@pytest.mark.parametrize(
    "formula",
    [
        r"E[q \cdot k] = 0",
        r"\mathbb{E}[q^T k] = \sum_i \mathbb{E}[q_i k_i] = \sum_i \mathbb{E}[q_i]\mathbb{E}[k_i] = 0",
        r"\operatorname{Var}[\langle q, k \rangle] = \sum_{i=1}^{d} \operatorname{Var}[q_i k_i] = d",
        r"V(q \cdot k) = E[(q \cdot k)^2] - (E[q \cdot k])^2 = d",
        r"\sigma^2(q \cdot k) = d_k",
        r"\operatorname{Var}(q_1 k_1 + q_2 k_2 + \dots + q_d k_d) = d",
        r"\operatorname{Var}\left(\sum_{i=0}^{d-1} q_i k_i\right) = d",
        r"E[(\sum_i q_i k_i)^2] = \sum_{i} E[q_i^2 k_i^2] + \sum_{i \neq j} E[q_i q_j k_i k_j]",
        r"\operatorname{Var}\left(\frac{q^\top k}{\sqrt{d_k}}\right) = \frac{1}{d_k} \operatorname{Var}(q^\top k) = 1",
        r"\operatorname{std}(q \cdot k) = \sqrt{d}",
    ],
)
def test_other_notations_are_right(formula: str) -> None:
    assert set(verdicts(f"{INDEPENDENT}$${formula}$$")) == {"right"}


@pytest.mark.parametrize(
    ("formula", "cause"),
    [
        (r"\operatorname{Var}(q \cdot k) = d^2", "catalogue"),
        (r"V(\frac{q \cdot k}{\sqrt d}) = \frac{1}{\sqrt d} V(q \cdot k)", "scaling-of-variance"),
        (r"\operatorname{Var}(q \cdot k) = \sqrt d", "root"),
        (r"\operatorname{Var}\left(\sum_{i=0}^{d} q_i k_i\right) = d", "off-by-one"),
        (r"\operatorname{Var}(q \cdot k) = -d", "sign"),
        (r"\operatorname{Var}(q \cdot k) = 2 d", "factor"),
    ],
)  # fmt: skip
def test_usual_slips_are_named(formula: str, cause: str) -> None:
    (found,) = links(f"{INDEPENDENT}$${formula}$$", "dot-product-variance")
    assert (found.verdict, found.slip and found.slip.code) == ("wrong", cause)
    assert found.example is not None


def test_the_smallest_set_of_missing_hypotheses_is_named() -> None:
    (found,) = links(r"$$E[q \cdot k] = \sum_i E[q_i] E[k_i]$$", "dot-product-variance")
    assert (found.verdict, found.missing) == ("unstated", ("q and k are independent",))
    (found,) = links(r"By independence $$E[q \cdot k] = \sum_i E[q_i] E[k_i]$$", "dot-product-variance")
    assert found.verdict == "right"
    (found,) = links(r"$$E[q \cdot k] = \sum_i E[q_i] E[k_i]$$", "dot-product-variance", given=True)
    assert found.verdict == "right"


def test_denied_hypotheses_are_not_stated() -> None:
    text = r"The components are not independent. $$E[q \cdot k] = \sum_i E[q_i] E[k_i]$$"
    assert verdicts(text) == ["unstated"]


def test_a_letter_that_the_work_keeps_is_not_taken_for_zero() -> None:
    text = r"Independent, mean $\mu$, variance $\sigma^2$: $$V(q \cdot k) = D \sigma^4$$ $$E[q_i] = \mu$$"
    found = links(text, "dot-product-variance")
    assert found[0].verdict == "wrong"
    assert found[0].slip is not None


def test_what_a_name_of_its_own_is_stays_open() -> None:
    assert verdicts(r"$$k_1^\top q = w$$", "shift-invariance") != ["wrong"]
    assert verdicts(r"$$w = k_1^\top q$$ $$2 w = 2 k_1^\top q$$", "shift-invariance") == ["unchecked", "right"]


def test_what_cannot_be_read_is_unread_and_places_are_those_of_the_text() -> None:
    text = "Words.\n\n$$E[q_i] + ] = 0$$\n\n$$q^T k = \\sum_i q_i k_i$$\n"
    found = judge_work(read_work(text, "md"), theorem("dot-product-mean"))
    assert [item.verdict for item in found] == ["unchecked", "unread", "right"]
    last = found[-1]
    assert text[last.span[0] : last.span[1]] == "q^T k = \\sum_i q_i k_i"


def test_numbers_follow_the_usual_words() -> None:
    formulas = {
        r"\sqrt{2} = 1.41": "rounded", r"\sqrt{3} = 1.73": "rounded", r"\sqrt{512} \approx 22.62": "truncated",
        r"\sqrt{512} = 22.64": "wrong", r"\frac{1}{8} = 0.125": "right", r"\sqrt{64} = 8": "right",
    }  # fmt: skip
    for formula, word in formulas.items():
        assert verdicts(f"$${formula}$$") == [word], formula


@pytest.mark.parametrize("formula", [r"f(x + y) = f(x) + f(y)", r"\mathrm{foo}(x) = \mathrm{foo}(y) + 1"])
def test_unknown_functions_are_not_taken_for_factors(formula: str) -> None:
    assert verdicts(f"$${formula}$$") == ["unchecked"]


def test_a_value_that_one_claim_of_a_theorem_has_is_not_there_for_all() -> None:
    # The theorem has a claim for mu = 0; without that, the scores have a covariance.
    text = r"$$\operatorname{Cov}(q^\top k_1, q^\top k_2) = D \mu^3 \sigma^2$$"
    assert verdicts(text, "score-covariance", given=True) == ["wrong"]
