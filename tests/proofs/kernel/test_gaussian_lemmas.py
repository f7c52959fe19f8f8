"""Lemmas on exponentials of random variables: instances with the value of the integral, and what is no instance."""

from __future__ import annotations

import pytest

from symattn.proofs.kernel.record import Proof, Step
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.proof_replay import replay

_SCOPE = Scope(
    (
        Declared("D", (), "positive"),
        Declared("t"),
        Declared("b"),
        Declared("q", ("D",), random=True),
        Declared("k", ("D",), random=True),
        Declared("m"),
        Declared("s", (), "positive"),
        Declared("r"),
        Declared("z", ("D",)),
    ),
    (Defined("P", (), (), "1/s^2 - b"),),
    (
        Hypothesis("independent", "", "independent", ("q", "k")),
        Hypothesis("pairs", "", "coordinates", ("q", "k")),
        Hypothesis("law", "", "same-law", ("q", "k")),
        Hypothesis("k", "", "law", ("k",), ("gaussian", "m", "s^2")),
        Hypothesis("q", "", "law", ("q",), ("gaussian", "m", "s^2")),
        Hypothesis("loose", "", "law", ("q",), ("gaussian", "m", "r")),
        Hypothesis("signs", "", "law", ("k",), ("rademacher",)),
        Hypothesis("domain", "", "positive", (), ("1/s^2 - b",)),
        Hypothesis("divisor", "", "positive", (), ("1 - b s^2",)),
    ),
)


def _proved(before: str, lemma: str, after: str, *hypotheses: str, relation: str = "=", **arguments: str) -> bool:
    step = Step("1", f"lemma:{lemma}", before, relation, after, hypotheses, (), tuple(arguments.items()))
    return replay(Proof("x", "", "", (), _SCOPE, (), (step,))).steps[0].proved


def test_a_normal_factor_is_averaged_out() -> None:
    left, right = "E(exp(t q_1 k_1 + q_1^2))", "E(exp(t q_1 m + t^2 q_1^2 s^2/2 + q_1^2))"
    assert _proved(left, "normal-factor", right, "independent", "k", over="k_1")
    assert _proved("E(exp(t k_1))", "normal-factor", "exp(t m + t^2 s^2/2)", "k", over="k_1")


@pytest.mark.parametrize(
    ("before", "after", "hypotheses"),
    [
        ("E(exp(t q_1 k_1))", "E(exp(t q_1 m + t^2 q_1^2 s^2/2))", ("k",)),
        ("E(exp(t q_1 k_1))", "E(exp(t q_1 m + t^2 q_1^2 s^2/2))", ("independent",)),
        ("E(exp(t q_1 k_1))", "E(exp(t q_1 m + t^2 q_1^2 s^2/2))", ("independent", "signs")),
        ("E(exp(t q_1 k_1))", "E(exp(t q_1 m + t^2 q_1^2 s^2))", ("independent", "k")),
        ("E(exp(t q_1 k_1))", "E(exp(t q_1 m + t q_1^2 s^2/2))", ("independent", "k")),
        ("E(exp(t q_1 k_1))", "exp(t q_1 m + t^2 q_1^2 s^2/2)", ("independent", "k")),
        ("E(exp(t k_1^2))", "exp(t m + t^2 s^2/2)", ("k",)),
        ("E(exp(t k_1 + k_2))", "E(exp(t m + t^2 s^2/2 + k_2))", ("k",)),
        ("E(exp(t k_1 + exp(k_1)))", "E(exp(t m + t^2 s^2/2 + exp(k_1)))", ("k",)),
        ("E(2 exp(t k_1))", "2 exp(t m + t^2 s^2/2)", ("k",)),
        ("E(exp(t sum_{i=1}^{D} k_i))", "exp(t m + t^2 s^2/2)", ("k",)),
    ],
)
def test_what_is_no_normal_factor(before: str, after: str, hypotheses: tuple[str, ...]) -> None:
    assert not _proved(before, "normal-factor", after, *hypotheses, over="k_1")


def test_lemmas_are_equations() -> None:
    for relation in ("<", ">", "≤", "≥"):
        assert not _proved("E(exp(t k_1))", "normal-factor", "exp(t m + t^2 s^2/2)", "k", over="k_1", relation=relation)
        assert not _proved(
            "E(exp(t sum_{i=1}^{D} q_i k_i))",
            "independent-exponentials",
            "E(exp(t q_1 k_1))^D",
            "pairs",
            "law",
            relation=relation,
        )


_SQUARE = "E(exp(t q_1 + b q_1^2/2))"
_VALUE = "exp((t m + t^2 s^2/2 + b m^2/2)/(1 - b s^2)) (1 - b s^2)^(-1/2)"


def test_the_gaussian_integral() -> None:
    """``E exp(t X + b X^2/2)`` for a normal X; for b = 0 it is the moment generating function."""
    assert _proved(_SQUARE, "gaussian-integral", _VALUE, "q", "divisor", over="q_1", precision="(1 - b s^2)/s^2")
    assert _proved("E(exp(t q_1))", "gaussian-integral", "exp(t m + t^2 s^2/2)", "q", over="q_1", precision="1/s^2")


@pytest.mark.parametrize(
    ("after", "hypotheses", "precision"),
    [
        (_VALUE, ("q",), "(1 - b s^2)/s^2"),
        (_VALUE, ("divisor",), "(1 - b s^2)/s^2"),
        (_VALUE, ("q", "divisor"), "(1 - b s^2)/s"),
        (_VALUE, ("loose", "divisor"), "(1 - b s^2)/s^2"),
        (_VALUE.replace("(-1/2)", "(1/2)"), ("q", "divisor"), "(1 - b s^2)/s^2"),
        (_VALUE.replace("t m", "t"), ("q", "divisor"), "(1 - b s^2)/s^2"),
        (f"2 {_VALUE}", ("q", "divisor"), "(1 - b s^2)/s^2"),
    ],
)
def test_what_is_no_gaussian_integral(after: str, hypotheses: tuple[str, ...], precision: str) -> None:
    assert not _proved(_SQUARE, "gaussian-integral", after, *hypotheses, over="q_1", precision=precision)


def test_independent_exponentials() -> None:
    left, right = "E(exp(sum_{i=1}^{D} t q_i k_i))", "E(exp(t q_1 k_1))^D"
    assert _proved(left, "independent-exponentials", right, "pairs", "law")
    assert _proved("E(exp(t q^T k + q^T q))", "independent-exponentials", "E(exp(t q_1 k_1 + q_1^2))^D", "pairs", "law")


@pytest.mark.parametrize(
    ("before", "after", "hypotheses"),
    [
        ("E(exp(t q^T k))", "E(exp(t q_1 k_1))^D", ("pairs",)),
        ("E(exp(t q^T k))", "E(exp(t q_1 k_1))^D", ("law",)),
        ("E(exp(t q^T k))", "E(exp(t q_1 k_1))^D", ("independent", "law")),
        ("E(exp(t q^T k))", "D E(exp(t q_1 k_1))", ("pairs", "law")),
        ("E(exp(t q^T k))", "E(exp(t q_1 k_1))^t", ("pairs", "law")),
        ("E(exp(t q^T k))", "E(exp(t q_1 k_2))^D", ("pairs", "law")),
        ("E(exp(t q^T z))", "E(exp(t q_1 z_1))^D", ("pairs", "law")),
        ("E(exp(sum_{i=1}^{D} q_i k_1))", "E(exp(q_1 k_1))^D", ("pairs", "law")),
        ("E(exp((sum_{i=1}^{D} q_i)^2))", "E(exp(q_1^2))^D", ("pairs", "law")),
    ],
)
def test_what_does_not_fall_apart(before: str, after: str, hypotheses: tuple[str, ...]) -> None:
    assert not _proved(before, "independent-exponentials", after, *hypotheses)


def _tail(
    before: str, after: str, rate: str = "s", relation: str = "≤", at: str = "k_1", again: str = "-s k_1"
) -> bool:
    """Whether a tail is bounded from the means of the exponentials of ``s k_1`` and ``again``."""
    premises = (
        Step("1", "lemma:normal-factor", "E(exp(s k_1))", "=", "exp(s m + s^4/2)", ("k",), (), (("over", at),)),
        Step(
            "2", "lemma:normal-factor", f"E(exp({again}))", "=", f"exp(({again.removesuffix(' k_1')}) m + s^4/2)",
            ("k",), (), (("over", at),),
        ),
    )  # fmt: skip
    step = Step("3", "lemma:exponential-tail", before, relation, after, (), ("1", "2"), (("rate", rate),))
    found = replay(Proof("x", "", "", (), _SCOPE, (), (*premises, step))).steps
    assert [item.proved for item in found[:2]] == [True, True]
    return found[2].proved


def test_a_tail_is_bounded_by_means_of_exponentials() -> None:
    means = "(exp(s m + s^4/2) + exp(-s m + s^4/2))"
    assert _tail("cdf(-abs(k_1), -b)", f"exp(-s b) {means}")
    assert _tail("cdf(-abs(k_1), -2)", f"{means} exp(-2 s)")
    assert not _tail("cdf(-abs(k_1), -b)", f"exp(-2 s b) {means}")
    assert not _tail("cdf(-abs(k_1), -b)", "exp(-s b) exp(s m + s^4/2)")
    assert not _tail("cdf(-abs(k_1), -b)", f"exp(-s b) {means}", relation="<")
    assert not _tail("cdf(abs(k_1), b)", f"exp(-s b) {means}")
    assert not _tail("cdf(-k_1, -b)", f"exp(-s b) {means}")
    assert not _tail("cdf(-abs(2 k_1), -b)", f"exp(-s b) {means}")
    assert not _tail("cdf(-abs(k_1), -q_1)", f"exp(-s q_1) {means}")
    assert not _tail("cdf(-abs(k_1), -b)", f"exp(s b) {means}", rate="-s")
    same = "(exp(s m + s^4/2) + exp(s m + s^4/2))"
    assert not _tail("cdf(-abs(k_1), -b)", f"exp(-s b) {same}", again="s k_1")


def test_a_tail_wants_a_rate_that_is_not_negative() -> None:
    """With the means exchanged the rate is -s, and the bound would be below the probability, 1, at b = 0."""
    premises = (
        Step("1", "lemma:normal-factor", "E(exp(r k_1))", "=", "exp(r m + r^2 s^2/2)", ("k",), (), (("over", "k_1"),)),
        Step(
            "2", "lemma:normal-factor", "E(exp(-r k_1))", "=", "exp(-r m + r^2 s^2/2)", ("k",), (), (("over", "k_1"),)
        ),
    )
    after = "exp(-r b) (exp(r m + r^2 s^2/2) + exp(-r m + r^2 s^2/2))"
    step = Step("3", "lemma:exponential-tail", "cdf(-abs(k_1), -b)", "≤", after, (), ("1", "2"), (("rate", "r"),))
    assert [one.proved for one in replay(Proof("x", "", "", (), _SCOPE, (), (*premises, step))).steps] == [
        True,
        True,
        False,
    ]
