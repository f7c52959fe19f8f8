"""The theorems on one changed key: proved, right by other means, refused once something is changed."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.proofs.cases.claim_checks import check_claims
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue.authoring.theorem import Falsehood
from symattn.proofs.catalogue.registry import THEOREMS, theorem
from symattn.proofs.kernel.record import Proof, proof_from_json
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.proof_replay import replay
from tests.proofs.catalogue.proving import HOW_MANY, changed, is_step_proved, looked_at, robbed

_ENTRIES = [entry for entry in THEOREMS if entry.group == "perturbation"]
_NAMES = [entry.name for entry in _ENTRIES]


def _proof(name: str) -> Proof:
    entry = theorem(name)
    return entry.build(entry.values({}))


@pytest.mark.parametrize("name", _NAMES)
def test_every_theorem_is_proved_from_its_record(name: str) -> None:
    found = replay(proof_from_json(_proof(name).as_json()))
    assert found.faults == ()
    assert set(found.cites) <= {"tanh-at-most", "taylor-mean"}


def test_the_sharp_bound_rests_on_no_lemma() -> None:
    proof = _proof("key-perturbation")
    cited = {step.id for step in proof.steps if step.rule.startswith("lemma:")}
    premises = {step.id: step.premises for step in proof.steps}
    (claim,) = [item for item in proof.claims if item.right == "abs(tanh(d/4))"]
    needed = list(claim.steps)
    for name in needed:
        needed.extend(premises[name])
    assert not cited & set(needed)


def test_a_longer_key_rests_on_no_lemma() -> None:
    assert replay(_proof("key-elongation")).cites == ()


@pytest.mark.parametrize("name", _NAMES)
@HOW_MANY
def test_every_step_needs_its_hypotheses(name: str, *, whole: bool) -> None:
    proof = _proof(name)
    survivors = [
        (step.id, item.hypotheses)
        for step in looked_at(proof, whole=whole)
        for item in robbed(step)
        if is_step_proved(proof, item)
    ]
    assert survivors == []


@pytest.mark.parametrize("name", _NAMES)
@HOW_MANY
def test_a_step_that_is_changed_is_refused(name: str, *, whole: bool) -> None:
    proof = _proof(name)
    chosen = [step for step in looked_at(proof, whole=whole) if step.relation == "="][::2]
    survivors = [item.after for step in chosen for item in list(changed(step))[:2] if is_step_proved(proof, item)]
    assert survivors == []


@pytest.mark.parametrize(
    "falsehood", [item for entry in _ENTRIES for item in entry.falsehoods], ids=lambda item: item.says
)
def test_every_false_variant_is_refuted(falsehood: Falsehood) -> None:
    assert falsehood.scope is not None
    assert refuted(falsehood, falsehood.scope) is not None


def test_the_counter_example_to_linearity_is_exact() -> None:
    weights = [Fraction(e, 1 + e) for e in (1, 2, 4)]
    assert weights == [Fraction(1, 2), Fraction(2, 3), Fraction(4, 5)]
    (found,) = [item for item in theorem("key-perturbation").falsehoods if "linearly" in item.says]
    assert found.scope is not None
    sides = refuted(found, found.scope)
    assert sides is not None
    assert Fraction(sides.sides.left) == weights[2] - weights[0]
    assert Fraction(sides.sides.right) == 2 * (weights[1] - weights[0])


@pytest.mark.parametrize("name", _NAMES)
def test_formulas_in_words_can_be_read(name: str) -> None:
    proof = _proof(name)
    texts = [proof.statement, *(item.text for item in proof.scope.hypotheses), *(item.words for item in proof.claims)]
    for formula in re.findall(r"\$([^$]*)\$", " ".join([*texts, *(step.words for step in proof.steps)])):
        read_text(formula, proof.scope)


# By other means ------------------------------------------------------------------------------------


def _softmax(scores: list[mpmath.mpf]) -> list[mpmath.mpf]:
    parts = [mpmath.exp(score) for score in scores]
    return [part / mpmath.fsum(parts) for part in parts]


def _claims(name: str) -> set[tuple[str, str, str]]:
    return {(claim.left, claim.relation, claim.right) for claim in _proof(name).claims}


def test_the_formulas_agree_with_moved_keys() -> None:
    """Keys with three components are moved for real, and both sides of the claims are worked out beside each other."""
    claims = _claims("key-perturbation")
    assert ("hhat - h", "=", "(p (e^d - 1)/(1 + p (e^d - 1))) (v_1 - h)") in claims
    assert ("ahat_1", "=", "p e^d/(1 + p (e^d - 1))") in claims
    assert ("v_1 - h", "=", "(1 - p) (v_1 - htilde)") in claims
    generator = random.Random(7)
    with mpmath.workdps(40):
        for _ in range(20):
            _agrees_with_moved_keys(generator, generator.randint(2, 5))


def _numbers(generator: random.Random, count: int) -> list[mpmath.mpf]:
    return [mpmath.mpf(generator.randint(-6, 6)) / 3 for _ in range(count)]


def _dot(x: list[mpmath.mpf], y: list[mpmath.mpf]) -> mpmath.mpf:
    return mpmath.fsum(a * b for a, b in zip(x, y, strict=True))


def _agrees_with_moved_keys(generator: random.Random, n: int) -> None:
    beta = mpmath.mpf(generator.randint(1, 8)) / 4
    keys = [_numbers(generator, 3) for _ in range(n)]
    q, eps, v = _numbers(generator, 3), _numbers(generator, 3), _numbers(generator, n)
    moved = [[a + b for a, b in zip(keys[0], eps, strict=True)], *keys[1:]]
    before, after = (_softmax([beta * _dot(key, q) for key in some]) for some in (keys, moved))
    h, p, grown = _dot(before, v), before[0], mpmath.expm1(beta * _dot(eps, q))
    rest = _dot(before[1:], v[1:]) / mpmath.fsum(before[1:])
    close = mpmath.mpf(10) ** -35
    assert abs(_dot(after, v) - h - p * grown / (1 + p * grown) * (v[0] - h)) < close
    assert abs(v[0] - h - (1 - p) * (v[0] - rest)) < close
    assert abs(after[1] - before[1] / (1 + p * grown)) < close


@settings(max_examples=200)
@given(st.fractions("1/1000", "999/1000"), st.fractions(-20, 20))
def test_the_sharp_bound_holds(p: Fraction, d: Fraction) -> None:
    x, y = mpmath.mpf(p.numerator) / p.denominator, mpmath.mpf(d.numerator) / d.denominator
    change = abs(x * mpmath.exp(y) / (1 + x * mpmath.expm1(y)) - x)
    assert change <= mpmath.tanh(abs(y) / 4) + mpmath.mpf(10) ** -12
    best = 1 / (mpmath.exp(y / 2) + 1)
    attained = abs(best * mpmath.exp(y) / (1 + best * mpmath.expm1(y)) - best)
    assert abs(attained - mpmath.tanh(abs(y) / 4)) < mpmath.mpf(10) ** -12


@pytest.mark.parametrize("p", ["1/10", "1/4", "1/2", "9/10"])
@pytest.mark.parametrize("tau", ["1/10", "1/4", "1"])
def test_means_under_a_gaussian_lie_within_the_bounds(p: str, tau: str) -> None:
    claims = _claims("key-perturbation")
    assert ("abs(E(w) - p - tau^2 p (1 - p) (1 - 2 p)/2)", "≤", "tau^4/16") in claims
    assert ("abs(E((w - p)^2) - tau^2 p^2 (1 - p)^2)", "≤", "tau^4/8") in claims
    a, t = mpmath.mpf(1) * Fraction(p).numerator / Fraction(p).denominator, mpmath.mpf(1) * Fraction(tau).numerator
    t /= Fraction(tau).denominator

    def mean(power: int) -> mpmath.mpf:
        def integrand(z: mpmath.mpf) -> mpmath.mpf:
            change = a * mpmath.exp(t * z) / (1 + a * mpmath.expm1(t * z)) - a
            return change**power * mpmath.npdf(z)

        return mpmath.quad(integrand, [-12, -4, 0, 4, 12])

    assert abs(mean(1) - t**2 * a * (1 - a) * (1 - 2 * a) / 2) <= t**4 / 16
    assert abs(mean(2) - t**2 * a**2 * (1 - a) ** 2) <= t**4 / 8


def test_the_limits_of_a_longer_key_follow_the_sign_of_its_score() -> None:
    assert ("lim(alpha, oo, p e^{(alpha - 1) y}/(r + p e^{(alpha - 1) y}))", "=", "1") in _claims("key-elongation")
    assert ("lim(alpha, oo, p e^{-(alpha - 1) y}/(r + p e^{-(alpha - 1) y}))", "=", "0") in _claims("key-elongation")
    up, down = _softmax([mpmath.mpf(60), mpmath.mpf(0)]), _softmax([mpmath.mpf(-60), mpmath.mpf(0)])
    assert up[0] > 1 - mpmath.mpf(10) ** -14
    assert down[0] < mpmath.mpf(10) ** -14


@pytest.mark.parametrize("name", _NAMES)
def test_small_cases_agree(name: str) -> None:
    assert all(item.agrees for item in check_claims(_proof(name)))
