"""The theorems on the softmax, and their numbers against fractions, mpmath and enumeration."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue.authoring.theorem import Falsehood, Theorem
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.kernel.record import Proof, proof_from_json
from symattn.proofs.proof_replay import replay

_BY_NAME = {name: item for name, item in theorems().items() if item.group == "softmax"}


def _proof(name: str, **values: str) -> Proof:
    theorem = _BY_NAME[name]
    return theorem.build(theorem.values(values))


def _digits(name: str, **values: str) -> dict[str, str]:
    theorem = _BY_NAME[name]
    assert theorem.instance is not None
    return {line.text: line.digits for line in theorem.instance(theorem.values(values))}


def _exact(name: str, **values: str) -> dict[str, str]:
    theorem = _BY_NAME[name]
    assert theorem.instance is not None
    return {line.text: line.exact for line in theorem.instance(theorem.values(values))}


_CITED = {
    "log-sum-exp": {"log-increasing", "log-tangent"},
    "attention-entropy": {"log-increasing", "log-tangent"},
    "softmax-lipschitz": {"mean-value"},
}
"""The lemmas that theorems rest on; all others rest on none."""


@pytest.mark.parametrize("name", _BY_NAME)
def test_every_theorem_is_proved_from_its_record(name: str) -> None:
    proof = _proof(name)
    found = replay(proof_from_json(proof.as_json()))
    assert found.faults == ()
    assert found.is_proved
    assert set(found.cites) == _CITED.get(name, set())


@pytest.mark.parametrize("m", ["1", "2", "5"])
def test_the_limits_are_proved_for_any_number_of_largest_scores(m: str) -> None:
    proof = _proof("temperature-limits", m=m)
    assert replay(proof).is_proved
    assert ("lim(beta, oo, w) = 1" if m == "1" else f"lim(beta, oo, w) = 1/{m}") in proof.conclusion


@pytest.mark.parametrize(
    ("theorem", "falsehood"),
    [(item, false) for item in _BY_NAME.values() for false in item.falsehoods],
    ids=lambda x: x.says,
)
def test_falsehoods_are_refuted(theorem: Theorem, falsehood: Falsehood) -> None:
    scope = falsehood.scope or theorem.build(theorem.values({})).scope
    found = refuted(falsehood, scope)
    assert found is not None
    assert found.sides.stands is False


def test_the_jacobian_at_logarithms() -> None:
    found = _exact("softmax-jacobian", **{"z": "0, ln 2, ln 3", "class": "1"})
    a = [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]
    for i in range(3):
        for j in range(i, 3):
            assert found[f"$J_{{{i + 1},{j + 1}}}$"] == str((a[i] if i == j else 0) - a[i] * a[j])
    gradient = [found[f"the derivative of $-ln(a_1)$ by $z_{n}$"] for n in (1, 2, 3)]
    assert gradient == ["-5/6", "1/3", "1/2"]


def test_the_least_temperature_for_a_weight() -> None:
    (digits,) = _digits("temperature-limits").values()
    assert digits == "2.29337550595521899550717606544"
    with mpmath.workdps(50):
        assert mpmath.almosteq(
            mpmath.mpf(digits), mpmath.log(3 * (3 + mpmath.sqrt(13)) / 2), rel_eps=mpmath.mpf("1e-29")
        )


@pytest.mark.parametrize(("gap", "weight"), [("1", "3/4"), ("5/2", "99/100")])
def test_two_scores_need_the_logit_over_the_gap(gap: str, weight: str) -> None:
    (digits,) = _digits("temperature-limits", z=f"{gap}, 0", weight=weight).values()
    with mpmath.workdps(50):
        p, g = (mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (weight, gap))
        assert mpmath.almosteq(mpmath.mpf(digits), mpmath.log(p / (1 - p)) / g, rel_eps=mpmath.mpf("1e-29"))


@pytest.mark.parametrize(
    ("scores", "weight"), [("1, 0", "2/5"), ("1, 0", "1/2"), ("3, 1, 0", "1/3"), ("3, 1, 0", "1/9")]
)
def test_no_temperature_is_needed_for_a_weight_that_equal_weights_have(scores: str, weight: str) -> None:
    (digits,) = _digits("temperature-limits", z=scores, weight=weight).values()
    assert digits == "0"


def test_entropy_and_perplexity_of_a_row() -> None:
    found = _digits("softmax-is-a-distribution", z="0, 1, 2, 2")
    assert found["the entropy of the row"] == "1.17266777847758849000403635400"
    assert found["its perplexity"] == "3.23059967687562341239186572954"


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.fractions(-4, 4, max_denominator=9), min_size=2, max_size=6),
    st.fractions(0, 5, max_denominator=7),
)
def test_what_is_left_to_the_others_is_bounded(scores: list[Fraction], beta: Fraction) -> None:
    top = max(scores)
    m = scores.count(top)
    others = [top - score for score in scores if score != top]
    if not others:
        return
    with mpmath.workdps(40):
        b = mpmath.mpf(beta.numerator) / beta.denominator
        powers = [mpmath.exp(-b * mpmath.mpf(gap.numerator) / gap.denominator) for gap in others]
        w = 1 / (m + sum(powers))
        bound = len(others) * max(powers) / m
        assert 1 - m * w <= bound + mpmath.mpf("1e-35")


def test_weights_of_given_scores_by_another_way() -> None:
    found = _digits("softmax-is-a-distribution", z="1/2, -1, ln 5")
    with mpmath.workdps(45):
        terms = [mpmath.exp(mpmath.mpf("0.5")), mpmath.exp(-1), mpmath.mpf(5)]
        for n, term in enumerate(terms, 1):
            text = found[f"$a_{n}$ for the scores 1/2, -1, ln 5"]
            assert mpmath.almosteq(mpmath.mpf(text), term / sum(terms), rel_eps=mpmath.mpf("1e-29"))


@pytest.mark.parametrize("scores", ["1, 1", "2, 2, 0"])
def test_tied_scores_reach_no_weight_above_a_half(scores: str) -> None:
    with pytest.raises(InputError, match="twice"):
        _digits("temperature-limits", z=scores)


@pytest.mark.parametrize("scores", ["1, x", "ln 0", "ln -2", "", "__import__('os')"])
def test_lists_hold_numbers_and_logarithms(scores: str) -> None:
    with pytest.raises(InputError):
        _BY_NAME["softmax-jacobian"].values({"z": scores})
