"""Lemmas on normal laws and their images: instances, and what is no instance; the number pi."""

from __future__ import annotations

import pytest

from symattn.proofs.kernel.record import Proof, Step
from symattn.proofs.language.scope import Declared, Hypothesis, Scope
from symattn.proofs.proof_replay import replay

_SCOPE = Scope(
    (
        Declared("D", (), "positive"),
        Declared("x", ("D",), random=True),
        Declared("y", (), random=True),
        Declared("r", (), random=True),
        Declared("c", ("D",)),
        Declared("m"),
        Declared("t"),
        Declared("e", (), "positive"),
        Declared("v", (), "positive"),
    ),
    (),
    (
        Hypothesis("rows", "", "coordinates", ("x",)),
        Hypothesis("apart", "", "independent", ("x", "y")),
        Hypothesis("x", "", "law", ("x",), ("gaussian", "m", "v")),
        Hypothesis("x0", "", "law", ("x",), ("gaussian", "0", "v")),
        Hypothesis("y", "", "law", ("y",), ("gaussian", "0", "v")),
        Hypothesis("r", "", "law", ("r",), ("rademacher",)),
        Hypothesis("below", "", "positive", (), ("1 - e",)),
        Hypothesis("half", "", "positive", (), ("1 - 2 e",)),
        Hypothesis("norm", "", "dot-products", ("c", "c"), ("1",)),
        Hypothesis("some", "", "at-most", ("y",), ("y", "0")),
    ),
)
_BELOW = Step("b", "evident sign", "1", "<", "(1 + 2 e)/(1 - 2 e)", ("half",), (), (("difference", "4 e/(1 - 2 e)"),))
_TANH = Step("h", "lemma:tanh-at-most", "tanh(y)^2", "≤", "y^2")


def _proved(
    lemma: str, before: str, after: str, *hypotheses: str, relation: str = "=", premises: str = "", **arguments: str
) -> bool:
    scope = _SCOPE
    if "some" not in hypotheses:
        scope = Scope(_SCOPE.declared, (), tuple(item for item in _SCOPE.hypotheses if item.id != "some"))
    used = tuple(name for name in hypotheses if name != "some")
    step = Step("1", f"lemma:{lemma}", before, relation, after, used, tuple(premises.split()), tuple(arguments.items()))
    return replay(Proof("p", "", "", (), scope, (), (_BELOW, _TANH, step))).steps[-1].proved


_IMAGE = ("rows", "apart", "x", "y", "norm")


def test_a_linear_image_is_normal() -> None:
    assert _proved("normal-linear-image", "cdf(c^T x + y, t)", "Phi((t - m sum_{i=1}^{D} c_i)/sqrt(2 v))", *_IMAGE)
    assert _proved("normal-linear-image", "cdf(2 y + 1, t)", "Phi((t - 1)/(2 sqrt(v)))", "y")
    assert _proved("normal-linear-image", "cdf(y, -1)", "Phi(-1/sqrt(v))", "y")


@pytest.mark.parametrize(
    ("before", "after", "hypotheses"),
    [
        ("cdf(c^T x + y, t)", "Phi((t - m sum_{i=1}^{D} c_i)/sqrt(2 v))", ("rows", "x", "y", "norm")),
        ("cdf(c^T x + y, t)", "Phi((t - m sum_{i=1}^{D} c_i)/sqrt(2 v))", ("apart", "x", "y", "norm")),
        ("cdf(c^T x + y, t)", "Phi((t - m sum_{i=1}^{D} c_i)/sqrt(2 v))", ("rows", "apart", "y", "norm")),
        ("cdf(2 y + 1, t)", "Phi((t + 1)/(2 sqrt(v)))", ("y",)),
        ("cdf(2 y + 1, t)", "Phi((t - 1)/sqrt(v))", ("y",)),
        ("cdf(y^2, t)", "Phi(t/sqrt(v))", ("y",)),
        ("cdf(y, y)", "Phi(y/sqrt(v))", ("y",)),
        ("cdf(r, t)", "Phi(t/sqrt(1))", ("r",)),
        ("cdf(y, t)", "Phi((-t)/(-sqrt(v)))", ("y",)),
        ("cdf(0 y, t)", "Phi(t/sqrt(v))", ("y",)),
    ],
)
def test_what_is_no_normal_law(before: str, after: str, hypotheses: tuple[str, ...]) -> None:
    assert not _proved("normal-linear-image", before, after, *hypotheses)


def test_both_sides_of_zero() -> None:
    assert _proved("normal-two-sided", "cdf(abs(y), e)", "erf(e/sqrt(2 v))", "y")
    assert not _proved("normal-two-sided", "cdf(abs(y), t)", "erf(t/sqrt(2 v))", "y")
    assert not _proved("normal-two-sided", "cdf(abs(y + 1), e)", "erf(e/sqrt(2 v))", "y")
    assert not _proved("normal-two-sided", "cdf(abs(y), e)", "erf(e/sqrt(v))", "y")
    ratio = "ln((1 + 2 e)/(1 - 2 e))"
    assert _proved("normal-two-sided", f"cdf(abs(y), {ratio})", f"erf({ratio}/sqrt(2 v))", "y", "half", premises="b")
    assert not _proved("normal-two-sided", f"cdf(abs(y), {ratio})", f"erf({ratio}/sqrt(2 v))", "y", "half")


def test_the_mean_of_an_exponential() -> None:
    assert _proved("normal-exponential", "E(exp(t y + m))", "exp(m + t^2 v/2)", "y")
    assert not _proved("normal-exponential", "E(exp(t y + m))", "exp(m + t^2 v)", "y")
    assert not _proved("normal-exponential", "E(exp(y^2))", "exp(v)", "y")
    assert not _proved("normal-exponential", "E(exp(t y + m))", "exp(m + t^2 v/2)", "y", relation="≤")


def test_opposite_entries_have_the_same_law() -> None:
    assert _proved("reflection", "E(1/(1 + exp(c^T x)))", "E(1/(1 + exp(-c^T x)))", "rows", "x0")
    assert not _proved("reflection", "E(1/(1 + exp(c^T x)))", "E(1/(1 + exp(-c^T x)))", "rows", "x")
    assert not _proved("reflection", "E(1/(1 + exp(c^T x)))", "E(1/(1 + exp(-c^T x)))", "x0")
    assert not _proved("reflection", "E(1/(1 + exp(c^T x)))", "E(exp(-c^T x))", "rows", "x0")
    assert not _proved("reflection", "E(exp(r))", "E(exp(-r))", "r")


_WEIGHT = "1/(1 + exp(-y))"


def test_events_of_the_logistic_function() -> None:
    assert _proved("logistic-event", f"cdf({_WEIGHT}, e)", "cdf(y, ln(e/(1 - e)))", "below")
    assert not _proved("logistic-event", f"cdf({_WEIGHT}, e)", "cdf(y, ln(e/(1 + e)))", "below")
    assert not _proved("logistic-event", f"cdf({_WEIGHT}, e)", "cdf(-y, ln(e/(1 - e)))", "below")
    assert not _proved("logistic-event", f"cdf({_WEIGHT}, t)", "cdf(y, ln(t/(1 - t)))", "below")
    ratio = "ln((1 + 2 e)/(1 - 2 e))"
    assert _proved("logistic-event", f"cdf(abs({_WEIGHT} - 1/2), e)", f"cdf(abs(y), {ratio})", "half")
    assert not _proved("logistic-event", f"cdf(abs({_WEIGHT} - 1/2), e)", f"cdf(abs(y), {ratio})", "below")
    assert not _proved("logistic-event", f"cdf(abs({_WEIGHT} - 1/3), e)", f"cdf(abs(y), {ratio})", "half")


def test_the_mean_of_the_slope_of_the_logistic_function() -> None:
    mean = f"E({_WEIGHT} * (1 - {_WEIGHT}))"
    upper, lower = "1/sqrt(2 pi v)", "(1 - pi^2/(6 v))/sqrt(2 pi v)"
    assert _proved("logistic-slope-mean", mean, upper, "y", relation="≤", score="y")
    assert _proved("logistic-slope-mean", mean, lower, "y", relation="≥", score="y")
    assert not _proved("logistic-slope-mean", mean, lower, "y", relation="≤", score="y")
    assert not _proved("logistic-slope-mean", mean, upper, "y", relation="=", score="y")
    assert not _proved("logistic-slope-mean", mean, "1/sqrt(2 v)", "y", relation="≤", score="y")
    assert not _proved("logistic-slope-mean", mean, upper, relation="≤", score="y")


def test_tangents() -> None:
    assert _proved("tanh-of-size", "abs(tanh(t))", "tanh(abs(t))")
    assert not _proved("tanh-of-size", "abs(tanh(t))", "tanh(abs(m))")
    assert _proved("tanh-below", "tanh(e)", "e", relation="<")
    assert not _proved("tanh-below", "tanh(t)", "t", relation="<")
    assert not _proved("tanh-below", "tanh(e)", "2 e", relation="<")


def test_the_normal_law_and_erf() -> None:
    assert _proved("normal-and-error-function", "Phi(e)", "(1 + erf(e/sqrt(2)))/2")
    assert _proved("normal-and-error-function", "Phi(-e)", "(1 - erf(e/sqrt(2)))/2")
    assert not _proved("normal-and-error-function", "Phi(e)", "(1 - erf(e/sqrt(2)))/2")
    assert not _proved("normal-and-error-function", "Phi(t)", "(1 + erf(t/sqrt(2)))/2")
    assert _proved("normal-density", "diff(Phi(t^2), t)", "exp(-t^4/2) 2 t/sqrt(2 pi)")
    assert not _proved("normal-density", "diff(Phi(t^2), t)", "exp(-t^4/2)/sqrt(2 pi)")


def test_limits_of_erf() -> None:
    assert _proved("erf-limits", "lim(t, oo, erf(2 t))", "1")
    assert _proved("erf-limits", "lim(t, 0, erf(e t))", "0")
    assert not _proved("erf-limits", "lim(t, oo, erf(m t))", "1")
    assert not _proved("erf-limits", "lim(t, oo, erf(t^2 t))", "1")
    assert not _proved("erf-limits", "lim(t, 0, erf(2 t))", "1")


def test_means_of_ordered_quantities() -> None:
    assert _proved("monotone-mean", "E(tanh(y)^2)", "E(y^2)", relation="≤", premises="h")
    assert not _proved("monotone-mean", "E(y^2)", "E(tanh(y)^2)", relation="≤", premises="h")
    assert not _proved("monotone-mean", "E(tanh(y)^2)", "E(y^2)", relation="≤")
    # An order that holds for some outcomes only says nothing of a mean.
    assert not _proved("monotone-mean", "E(tanh(y)^2)", "E(y^2)", "some", relation="≤", premises="h")


@pytest.mark.parametrize("rule", ["algebra", "definition", "substitution", "limit", "differentiation"])
def test_no_rule_looks_into_a_law(rule: str) -> None:
    for before, after in (
        ("cdf(y, t)", "cdf(y, t)"),
        ("diff(cdf(y, t), v)", "0"),
        ("lim(v, oo, cdf(y, t))", "cdf(y, t)"),
    ):
        step = Step("1", rule, before, "=", after, ("y",) if rule == "moments" else ())
        assert not replay(Proof("p", "", "", (), _SCOPE, (), (step,))).steps[0].proved


def test_pi_is_positive_and_no_variable() -> None:
    def is_proved(rule: str, before: str, relation: str, after: str, *arguments: tuple[str, str]) -> bool:
        step = Step("1", rule, before, relation, after, (), (), arguments)
        return replay(Proof("p", "", "", (), _SCOPE, (), (step,))).steps[0].proved

    assert is_proved("algebra", "(pi + 1)^2", "=", "pi^2 + 2 pi + 1")
    assert is_proved("evident sign", "0", "<", "pi", ("difference", "pi"))
    assert not is_proved("algebra", "pi", "=", "22/7")
    assert not is_proved("differentiation", "diff(pi^2, pi)", "=", "2 pi")
    assert not is_proved("limit", "lim(pi, 0, pi + 1)", "=", "1")
