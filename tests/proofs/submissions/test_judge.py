"""Proofs that people wrote, judged link by link: the verdicts are those of an independent reading."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from symattn.api.submissions import check_proof
from symattn.notation.documents.reader import read_work
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.submissions.verdicts.judge import JudgedLink, judge_work
from tests import tables

pytestmark = pytest.mark.unmeasured

WORKS: list[dict[str, Any]] = tables.read("data/proof_works.yaml")["works"]


def links(text: str, name: str, settings: dict[str, str] | None = None, *, given: bool = False) -> list[JudgedLink]:
    """The judged links of a Markdown text, its prose left out."""
    found = judge_work(read_work(text, "md"), theorem(name), settings, is_given=given)
    return [item for item in found if item.verdict != "unchecked" or item.explanation]


def verdicts(text: str, name: str = "dot-product-variance", *, given: bool = False) -> list[str]:
    return [item.verdict for item in links(text, name, given=given)]


@pytest.mark.sample(10)
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


HAND: list[dict[str, Any]] = tables.read("data/hand_proofs.yaml")["proofs"]


@pytest.mark.sample(6)
@pytest.mark.parametrize("work", HAND, ids=[work["id"] for work in HAND])
def test_proofs_by_hand_raise_no_false_alarm_and_no_false_one_is_accepted(work: dict[str, Any]) -> None:
    status = check_proof(work["theorem"], work["text"], "md", source="proof.md").exit_status
    assert status != (1 if work["expected"] == "right" else 0)
    assert status == work["status"]


def test_a_value_that_is_set_for_a_number_goes_into_the_abbreviations_of_the_theorem() -> None:
    chosen = "For $n \\geq 2$ and $c = \\sqrt{2\\ln(n)}$ the bound is least.\n\n"
    terms = r"\frac{1}{n}\sum_{l=1}^{n} e^{\frac{c}{\tau} s_{l} - c^{2}/2}"
    number = rf"$$U = \tau( \frac{{\ln(n)}}{{c}} + \frac{{c}}{{2}}) + \frac{{\tau}}{{c}}({terms} - 1)$$"
    assert verdicts(number, "largest-score")[-1] == "right"
    assert verdicts(f"{chosen}{number}", "largest-score")[-1] == "right"
    assert verdicts(f"{chosen}{number.replace('c^{2}/2', 'c^{2}')}", "largest-score")[-1] == "wrong"


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


@pytest.mark.parametrize("name", ["softmax-jacobian", "shift-invariance", "dot-product-variance"])
def test_a_letter_that_is_differentiated_is_no_length(name: str) -> None:
    """Without a word on what the loss is nothing follows about its gradient, whatever letter it has."""
    variable = "q_1" if name == "dot-product-variance" else "z_1"
    for letter in ("L", r"\ell", "J", "N"):
        formula = rf"$$\frac{{\partial {letter}}}{{\partial {variable}}} = {variable}$$"
        assert set(verdicts(formula, name)) <= {"undecided", "unchecked"}
    loss = r"$$L = \sum_{i=1}^n z_i^2$$ $$\frac{\partial L}{\partial z_j} = "
    assert verdicts(f"{loss} 2 z_j$$", "softmax-jacobian")[-1] == "right"
    assert verdicts(f"{loss} z_j$$", "softmax-jacobian")[-1] == "wrong"


_COVARIANCE = (
    r"$$E[e^{t q^T k}] = \det(I - t^2 S_q S_k)^{-1/2} \exp\left(\frac12 (b^T P^{-1} b - m^T S_q^{-1} m)\right)$$"
)


def test_generating_functions_are_those_of_the_catalogue() -> None:
    """The normal law has no small case: what is not the claim of the theorem stays open, and is never called wrong."""
    for name, text in (
        ("dot-product-mgf-covariance", _COVARIANCE),
        ("dot-product-characteristic", r"$$E[\cos(u q^T k)] = (1 + u^2 \sigma_q^2 \sigma_k^2)^{-D/2}$$"),
        ("dot-product-mgf", r"$$E[e^{t q^T k}] = (1 - t^2 v)^{-D/2} e^{D (t m + t^2 w/2)/(1 - t^2 v)}$$"),
    ):
        (found,) = links(text, name, given=True)
        assert found.verdict == "right"
        for old, new in (("1 - t", "1 + t"), ("1 + u", "1 - u"), ("I - t", "I + t")):
            if old in text:
                assert verdicts(text.replace(old, new), name, given=True) == ["undecided"]
    (found,) = links(_COVARIANCE, "dot-product-mgf-covariance")
    assert found.verdict == "unstated"
    assert any("normal vector" in words for words in found.missing)


@pytest.mark.parametrize("text", [r"$D \gg 1$", r"$$D \ll 5$$", "$D ≫ 1$"])
def test_that_a_side_is_much_larger_is_not_decided(text: str) -> None:
    (found,) = links(text, "dot-product-variance")
    assert found.verdict == "undecided"
    assert "much" in found.explanation
    assert verdicts(r"$$\mathrm{Var}(q^T k) = D \gg 1$$", "dot-product-variance")[-1] == "undecided"


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
    assert verdicts(f"$${formula}$$") == ["undecided"]


def test_a_value_that_one_claim_of_a_theorem_has_is_not_there_for_all() -> None:
    # The theorem has a claim for mu = 0; without that, the scores have a covariance.
    text = r"$$\operatorname{Cov}(q^\top k_1, q^\top k_2) = D \mu^3 \sigma^2$$"
    assert verdicts(text, "score-covariance", given=True) == ["wrong"]


def test_a_false_alarm_about_scaled_queries_is_wrong() -> None:
    """A report that dividing the query gives other scores than dividing the score."""
    (found,) = links(r"$$\left(\frac{q}{\sqrt d}\right)^\top k \ne \frac{q^\top k}{\sqrt d}$$", "dot-product-scaling")
    assert (found.verdict, found.is_valid) == ("wrong", False)


@pytest.mark.parametrize(
    ("name", "formula", "verdict"),
    [
        # The factor below a softargmax is a factor of the scores, and its columns are those of a matrix.
        ("key-perturbation", r"a = \text{softargmax}_\beta(K^\top q)", "right"),
        ("key-perturbation", r"a = \operatorname{softmax}_{\beta}(K^\top q)", "right"),
        ("key-perturbation", r"a = \text{softmax}(K^\top q)", "wrong"),
        ("key-perturbation", r"a = \text{softmax}(\beta K^\top q)", "right"),
        # A prime on a letter that abbreviates an entry is the changed entry.
        ("key-perturbation", r"p' = \frac{p e^d}{p e^d + r}", "right"),
        ("key-perturbation", r"p' = \frac{p e^d}{p e^d + 1}", "wrong"),
        ("identity-attention", r"A = \text{softmax}(b X^\top X)", "right"),
        ("identity-attention", r"H^\top = A^\top V^\top", "right"),
        ("identity-attention", r"(X^\top X)_{ij} = \delta_{ij}", "right"),
        ("identity-attention", r"X_{ci} = x_{ic}", "right"),
        ("identity-attention", r"X_{ci} = x_{ci}", "wrong"),
        ("permutation-attention", r"A = \text{softargmax}(X^\top X)", "wrong"),
        ("running-linear", r"H = W C A", "right"),
        ("running-linear", r"H = W C A^\top", "right"),  # the map of orthonormal codes is symmetric
        # An identity matrix has the size that fits.
        ("identity-attention", r"A I = A", "right"),
        ("identity-attention", r"X I = X", "right"),
        ("identity-attention", r"I X = X", "right"),
        ("identity-attention", r"A = 2 I", "wrong"),
        # Zero is the zero vector beside a vector.
        ("orthogonal-tokens", r"x_1 - x_1 = 0", "right"),
        ("orthogonal-tokens", r"x_1 - x_2 = 0", "wrong"),
        ("identity-attention", r"A - A = 0", "right"),
        # A mean that is written with round brackets.
        ("gaussian-keys", r"E(w) = \frac12", "right"),
        ("gaussian-keys", r"E(k_a^\top q) = 2 s", "wrong"),
    ],
)
def test_names_that_people_have_for_the_quantities_of_a_theorem(name: str, formula: str, verdict: str) -> None:
    assert verdicts(f"$${formula}$$", name, given=True) == [verdict]


def test_a_case_satisfies_what_is_supposed_of_every_key() -> None:
    """All keys but one have a negative score in it, however many there are."""
    text = r"Let $k_i^\top q < 0$ for every $i \ne r$. Then $$\alpha_r \ge \frac{9}{10}$$"
    example = links(text, "copy", given=True)[-1].example
    assert example is not None
    entries = {name: [[Fraction(text) for text in row] for row in rows] for name, rows in example.entries}
    (query,) = entries["q"]
    scores = [sum(one * other for one, other in zip(key, query, strict=True)) for key in entries["k"]]
    assert all(score < 0 for score in scores[1:])
    assert scores[0] - max(scores[1:]) < Fraction(22, 10)  # e^2.2 is more than 9


STANDARD = "The components of $q$ and $k$ are independent with mean 0 and variance 1. "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Given $k$, $E[q^\top k] = 0$.", ["right"]),
        (r"Given $k$, $\operatorname{Var}(q^\top k) = \|k\|^2$.", ["right"]),
        (r"Given $k$, $\operatorname{Var}(q^\top k) = d$.", ["undecided"]),
        (r"$q_i, k_i \sim N(0, 1)$, so $q^\top k \mid k \sim N(0, \|k\|^2)$.", ["right"]),
        (r"$q_i, k_i \sim N(0, 1)$, so $q^\top k \mid k \sim N(0, 2 \|k\|^2)$.", ["undecided"]),
        (r"$\|2 q\| = 2 \|q\|$.", ["right"]),
        (r"$E[q_i k_i] \approx E[q_i] E[k_i]$.", ["right"]),
        (r"$E \|q\|^2 = d$.", ["right"]),
        (r"$E[q_i q_j] = 0$ for $i \neq j$: $E[q_i^2] = 1$.", ["right", "unchecked", "unchecked"]),
    ],
)
def test_statements_given_a_vector_and_of_norms(text: str, expected: list[str]) -> None:
    assert verdicts(STANDARD + text)[-len(expected) :] == expected
