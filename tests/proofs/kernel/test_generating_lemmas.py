"""Lemmas on infinite means, on cosines and sines of normal quantities, and on the density of a score."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest

from symattn.proofs.kernel.record import Proof, Step
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.proof_replay import Outcome, replay

_NAMES = (
    Declared("D", (), "positive"),
    Declared("t"),
    Declared("u"),
    Declared("B"),
    Declared("C", (), "positive"),
    Declared("a"),
    Declared("s", (), "positive"),
    Declared("z", (), "positive"),
    Declared("q", ("D",), random=True),
    Declared("k", ("D",), random=True),
    Declared("w", (), random=True),
    Declared("g", (), random=True),
)
_LAWS = (
    Hypothesis("independent", "", "independent", ("q", "k", "w")),
    Hypothesis("pairs", "", "coordinates", ("q", "k")),
    Hypothesis("one", "", "same-law", ("q", "k")),
    Hypothesis("q", "", "law", ("q",), ("gaussian", "a", "s^2")),
    Hypothesis("k", "", "law", ("k",), ("gaussian", "0", "1")),
    Hypothesis("g", "", "law", ("g",), ("gaussian", "0", "1")),
    Hypothesis("signs", "", "law", ("k",), ("rademacher",)),
    Hypothesis("outside", "", "at-most", ("t",), ("1", "t s^2")),
    Hypothesis("inside", "", "positive", (), ("1 - t s^2",)),
)
_SCOPE = Scope(_NAMES, (), _LAWS)


def _proved(*steps: Step, scope: Scope = _SCOPE) -> bool:
    return replay(Proof("x", "", "", (), scope, (), steps)).steps[-1].proved


# Infinite means ------------------------------------------------------------------------------------

_SQUARE = "E(exp(t q_1^2/2 + 3 q_1))"


def _diverges(
    before: str, after: str, *hypotheses: str, precision: str = "(1 - t s^2)/s^2", relation: str = ">"
) -> bool:
    arguments = (("over", "q_1"), ("precision", precision))
    return _proved(Step("1", "lemma:gaussian-divergence", before, relation, after, hypotheses, (), arguments))


def test_a_mean_that_is_infinite() -> None:
    assert _diverges(_SQUARE, "B", "q", "outside")
    assert _diverges("E(exp(q_1^2/(2 s^2)))", "B", "q", precision="0")
    assert _diverges("E(exp(q_1^2/s^2))", "B", "q", precision="-1/s^2")


@pytest.mark.parametrize(
    ("before", "after", "hypotheses"),
    [
        (_SQUARE, "B", ("q",)),
        (_SQUARE, "B", ("outside",)),
        (_SQUARE, "B", ("q", "inside")),
        (_SQUARE, "C", ("q", "outside")),
        (_SQUARE, "t", ("q", "outside")),
        (_SQUARE, "s", ("q", "outside")),
        (_SQUARE, "7", ("q", "outside")),
        (_SQUARE, f"{_SQUARE} + 1", ("q", "outside")),
        (_SQUARE, "w", ("q", "outside")),
        ("E(exp(t q_1^2/2 + B q_1))", "B", ("q", "outside")),
        ("E(exp(t q_1^2/2 + w))", "B", ("q", "outside")),
        ("E(exp(t q_1^2/2 + q_2))", "B", ("q", "outside")),
        ("E(exp(t q_1^2/3))", "B", ("q", "outside")),
        ("E(exp(t q_1^2/2 - q_1^4))", "B", ("q", "outside")),
    ],
)
def test_what_is_not_shown_to_be_infinite(before: str, after: str, hypotheses: tuple[str, ...]) -> None:
    assert not _diverges(before, after, *hypotheses)


def test_no_other_relation_and_no_assumed_bound() -> None:
    for relation in ("=", "<", "≥", "≤"):
        assert not _diverges(_SQUARE, "B", "q", "outside", relation=relation)
    for item in (Hypothesis("B", "", "at-most", (), ("B", "7")), Hypothesis("B", "", "equal", ("B",), ("7",))):
        arguments = (("over", "q_1"), ("precision", "(1 - t s^2)/s^2"))
        step = Step("1", "lemma:gaussian-divergence", _SQUARE, ">", "B", ("q", "outside"), (), arguments)
        assert not _proved(step, scope=Scope(_NAMES, (), (*_LAWS, item)))


def test_a_bound_that_is_restricted_by_an_abbreviation() -> None:
    """With B < 9 assumed, C + 9 > B for all B that are left, and nothing follows for the root of C + 9."""
    scope = Scope(_NAMES, (Defined("c", (), (), "9 - B"),), (*_LAWS, Hypothesis("c", "", "positive", ("c",))))
    first = Step("1", "evident sign", "C + 9", ">", "B", ("c",), (), (("difference", "-(C + c)"),))
    assert _proved(first, scope=scope)
    last = Step("2", "lemma:unbounded-power", "(C + 9)^(1/2)", ">", "B", (), ("1",))
    assert not _proved(first, last, scope=scope)


def test_powers_of_an_infinite_mean() -> None:
    arguments = (("over", "q_1"), ("precision", "(1 - t s^2)/s^2"))
    first = Step("1", "lemma:gaussian-divergence", _SQUARE, ">", "B", ("q", "outside"), (), arguments)

    def tried(before: str, after: str = "B", relation: str = ">", premises: tuple[str, ...] = ("1",)) -> Outcome:
        step = Step("2", "lemma:unbounded-power", before, relation, after, (), premises)
        return replay(Proof("x", "", "", (), _SCOPE, (), (first, step))).steps[-1]

    def power(*parts: Any, **others: Any) -> bool:
        return tried(*parts, **others).proved

    assert power(f"{_SQUARE}^D")
    assert power(f"{_SQUARE}^2")
    for exponent in ("(-D)", "t", "0"):
        assert tried(f"{_SQUARE}^{exponent}").reason == "the exponent is not evidently positive"
    for before in (f"2 {_SQUARE}", "E(exp(q_1))^D", "t^D"):
        assert not power(before)
    assert not power(f"{_SQUARE}^D", "C")
    assert not power(f"{_SQUARE}^D", "u")
    assert not power(f"{_SQUARE}^D", relation="≥")
    assert not power(f"{_SQUARE}^D", premises=())


def test_a_bound_that_holds_is_no_bound_for_all() -> None:
    """From 2 > B for one B nothing follows for every B: the premise has to be about a mean that is infinite."""
    first = Step("1", "evident sign", "E(exp(q_1)) + C", ">", "E(exp(q_1))")
    assert not _proved(first, Step("2", "lemma:unbounded-power", "(E(exp(q_1)) + C)^D", ">", "E(exp(q_1))", (), ("1",)))


# Cosines and sines ---------------------------------------------------------------------------------


def _wave(before: str, after: str, *hypotheses: str, over: str = "k", relation: str = "=") -> bool:
    return _proved(Step("1", "lemma:normal-oscillation", before, relation, after, hypotheses, (), (("over", over),)))


_ALL = ("independent", "pairs", "k")


def test_cosines_and_sines() -> None:
    assert _wave("E(cos(u q^T k))", "E(exp(-u^2 q^T q/2))", *_ALL)
    assert _wave("E(sin(u q^T k))", "0", *_ALL)
    assert _wave("E(cos(u q_1 + t))", "cos(u a + t) exp(-u^2 s^2/2)", "pairs", "q", over="q")
    assert _wave("E(sin(u q_1 + t))", "sin(u a + t) exp(-u^2 s^2/2)", "pairs", "q", over="q")
    assert _wave("E(cos(w + k_1))", "E(cos(w) exp(-1/2))", *_ALL)
    assert _wave("E(cos(u g))", "exp(-u^2/2)", "g", over="g")


@pytest.mark.parametrize(
    ("before", "after", "hypotheses"),
    [
        ("E(cos(u q^T k))", "E(exp(-u^2 q^T q/2))", ("pairs", "k")),
        ("E(cos(u q^T k))", "E(exp(-u^2 q^T q/2))", ("independent", "k")),
        ("E(cos(u q^T k))", "E(exp(-u^2 q^T q/2))", ("independent", "pairs")),
        ("E(cos(u q^T k))", "E(exp(-u^2 q^T q/2))", ("independent", "pairs", "signs")),
        ("E(cos(u q^T k))", "E(exp(-u^2 q^T q))", _ALL),
        ("E(cos(u q^T k))", "E(exp(u^2 q^T q/2))", _ALL),
        ("E(cos(u q^T k))", "exp(-u^2 q^T q/2)", _ALL),
        ("E(cos(u q^T k))", "0", _ALL),
        ("E(sin(u q^T k))", "E(exp(-u^2 q^T q/2))", _ALL),
        ("E(cos(k^T k))", "E(exp(-k^T k/2))", _ALL),
        ("E(cos(u q^T q))", "E(exp(-u^2 q^T q/2))", _ALL),
        ("E(exp(u q^T k))", "E(exp(-u^2 q^T q/2))", _ALL),
    ],
)
def test_what_is_no_oscillation(before: str, after: str, hypotheses: tuple[str, ...]) -> None:
    assert not _wave(before, after, *hypotheses)
    assert not _wave("E(sin(u q^T k))", "0", *_ALL, relation="≤")


# Densities -----------------------------------------------------------------------------------------

_STANDARD = Scope(
    _NAMES,
    (),
    (
        Hypothesis("law", "", "law", ("q", "k"), ("gaussian", "0", "1")),
        *(item for item in _LAWS if item.id in {"independent", "pairs", "one"}),
    ),
)
_SINE = Step(
    "1",
    "lemma:normal-oscillation",
    "E(sin(u q_1 k_1))",
    "=",
    "0",
    ("independent", "pairs", "law"),
    (),
    (("over", "k"),),
)
_COSINE = (
    Step(
        "2",
        "lemma:normal-oscillation",
        "E(cos(u q_1 k_1))",
        "=",
        "E(exp(-u^2 q_1^2/2))",
        ("independent", "pairs", "law"),
        (),
        (("over", "k"),),
    ),
    Step(
        "3",
        "lemma:gaussian-integral",
        "E(exp(-u^2 q_1^2/2))",
        "=",
        "(1 + u^2)^(-1/2)",
        ("law",),
        (),
        (("over", "q_1"), ("precision", "1 + u^2")),
    ),
)
_DENSITY = "z^((1 - 1)/2) besselK((1 - 1)/2, z)/(sqrt(pi) 2^((1 - 1)/2) factorial(1/2 - 1))"


def _density(
    before: str, after: str, count: str = "1", premises: tuple[str, ...] = ("2", "3", "1"), scope: Scope = _STANDARD
) -> bool:
    last = Step("4", "lemma:bessel-density", before, "=", after, (), premises, (("count", count),))
    return _proved(_SINE, *_COSINE, last, scope=scope)


def test_the_density_of_a_product() -> None:
    assert _density("density(q_1 k_1, z)", "besselK(0, z)/pi")
    assert _density("density(q_1 k_1, z)", _DENSITY)


@pytest.mark.parametrize(
    ("before", "after", "count", "premises"),
    [
        ("density(q_1 k_1, z)", "besselK(0, z)", "1", ("2", "3", "1")),
        ("density(q_1 k_1, z)", "besselK(1, z)/pi", "1", ("2", "3", "1")),
        ("density(q_1 k_1, z)", "besselK(0, z)/(2 pi)", "1", ("2", "3", "1")),
        ("density(2 q_1 k_1, z)", "besselK(0, z)/pi", "1", ("2", "3", "1")),
        ("density(q_1, z)", "besselK(0, z)/pi", "1", ("2", "3", "1")),
        ("density(q_1 k_1, t)", "besselK(0, t)/pi", "1", ("2", "3", "1")),
        ("density(q_1 k_1, z)", "exp(-z)/2", "2", ("2", "3", "1")),
        ("density(q_1 k_1, z)", "besselK(0, z)/pi", "1", ("3", "1")),
        ("density(q_1 k_1, z)", "besselK(0, z)/pi", "1", ("2", "1")),
        ("density(q_1 k_1, z)", "besselK(0, z)/pi", "1", ("2", "3")),
        ("density(q_1 k_1, z)", "besselK(0, z)/pi", "1", ()),
        ("density(q_1 k_1, z)", "besselK(0, z)/pi", "t", ("2", "3", "1")),
    ],
)
def test_what_is_no_density(before: str, after: str, count: str, premises: tuple[str, ...]) -> None:
    assert not _density(before, after, count, premises)


@pytest.mark.parametrize(
    "assumed",
    [
        Hypothesis("u", "", "positive", (), ("u",)),
        Hypothesis("u", "", "at-most", (), ("u^2", "1")),
        Hypothesis("u", "", "equal", ("u",), ("1",)),
    ],
)
def test_the_characteristic_function_is_known_everywhere(assumed: Hypothesis) -> None:
    scope = Scope(_NAMES, (), (*_STANDARD.hypotheses, assumed))
    assert not _density("density(q_1 k_1, z)", "besselK(0, z)/pi", scope=scope)


def test_the_bessel_function_of_order_one_half() -> None:
    def proved(before: str, after: str) -> bool:
        return _proved(Step("1", "lemma:bessel-half", before, "=", after))

    assert proved("besselK(1/2, z)", "sqrt(pi) exp(-z)/(sqrt(2) sqrt(z))")
    assert proved("besselK(1/2, 2 z)", "sqrt(pi/(4 z)) exp(-2 z)")
    for before, after in (
        ("besselK(1/2, z)", "sqrt(pi) exp(z)/(sqrt(2) sqrt(z))"),
        ("besselK(1/2, z)", "-sqrt(pi) exp(-z)/(sqrt(2) sqrt(z))"),
        ("besselK(1/2, z)", "sqrt(pi) exp(-z)/sqrt(z)"),
        ("besselK(0, z)", "sqrt(pi) exp(-z)/(sqrt(2) sqrt(z))"),
        ("besselK(1/2, t)", "sqrt(pi) exp(-t)/(sqrt(2) sqrt(t))"),
    ):
        assert not proved(before, after)
    with mpmath.workdps(25):
        z = mpmath.mpf(7) / 5
        assert mpmath.almosteq(mpmath.besselk(0.5, z), mpmath.sqrt(mpmath.pi / (2 * z)) * mpmath.exp(-z))


@pytest.mark.parametrize("size", [2, 6, *(pytest.param(size, marks=pytest.mark.long) for size in (1, 3))])
def test_the_integral_behind_the_density(size: int) -> None:
    """The cosine transform of z^v K_v(z)/(√π 2^v Γ(D/2)) with v = (D - 1)/2 is (1 + u²)^(-D/2), by quadrature."""
    with mpmath.workdps(20):
        order, u = mpmath.mpf(size - 1) / 2, mpmath.mpf(3) / 4
        scale = mpmath.sqrt(mpmath.pi) * 2**order * mpmath.gamma(mpmath.mpf(size) / 2)
        found = 2 * mpmath.quad(
            lambda z: mpmath.cos(u * z) * z**order * mpmath.besselk(order, z) / scale, [0, 1, 8, 60]
        )
        assert abs(found - (1 + u**2) ** (-mpmath.mpf(size) / 2)) < mpmath.mpf(10) ** -12
