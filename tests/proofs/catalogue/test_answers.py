"""Answers worked out elsewhere, held against the catalogue: each formula is a proved claim, each digit is certified.

The formulas, numbers and decimals of data/theorem_answers.json were derived and computed by a program apart from
this one (Arb at 400 bits and mpmath at 80 digits agree on the decimals), and reviewed. A formula counts as found
where the proof is replayed, one of its claims (or the first steps of one) has the same left side and relation, and
its right side is proved to be the formula by one step of plain algebra.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import pytest
import sympy

import symattn as sa
from symattn.exact.laws.gaussian_scores import product_tail
from symattn.exact.reals.certified_digits import exp, figures
from symattn.proofs.catalogue.authoring.theorem import Line
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.proof_replay import replay
from tests.proofs.catalogue.proving import HOW_MANY, is_step_proved

ANSWERS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[2] / "data" / "theorem_answers.json").read_text(encoding="utf-8")
)

ITEMS = [(name, number, item) for name, items in ANSWERS.items() for number, item in enumerate(items)]


def chosen(key: str) -> list[Any]:
    return [pytest.param(item, id=f"{name}-{number}") for name, number, item in ITEMS if key in item]


@cache
def proof_of(name: str, values: tuple[tuple[str, str], ...]) -> Proof:
    entry = theorem(name)
    return entry.build(entry.values(dict(values)))


@cache
def lines_of(name: str, values: tuple[tuple[str, str], ...]) -> tuple[Line, ...]:
    entry = theorem(name)
    assert entry.instance is not None, f"{name} has no worked instance"
    return entry.instance(entry.values(dict(values)))


def proof(item: dict[str, Any]) -> Proof:
    return proof_of(item["theorem"], tuple(sorted(item.get("set", {}).items())))


def line(item: dict[str, Any], words: str) -> Line:
    lines = lines_of(item["theorem"], tuple(sorted(item.get("set", {}).items())))
    found = next((one for one in lines if words in one.text), None)
    assert found is not None, f"no line with {words!r} in {[one.text for one in lines]}"
    return found


def same(text: str) -> str:
    return "".join(text.split())


def is_algebra(whole: Proof, before: str, after: str) -> bool:
    """Whether the trusted layer finds both texts equal, with what is known about signs and nothing else."""
    if same(before) == same(after):
        return True
    kinds = ("nonzero", "positive", "at-most", "definite")
    signs = [item.id for item in whole.scope.hypotheses if item.kind in kinds]
    tried = ((), *((name,) for name in signs), tuple(signs))
    shown_positive = tuple(one.steps[0] for one in whole.claims if (one.relation, one.right) == (">", "0"))
    return any(
        is_step_proved(whole, Step("asked", "algebra", before, "=", after, hypotheses=names, premises=premises))
        for names in tried
        for premises in dict.fromkeys(((), shown_positive))
    )


def shown(whole: Proof) -> Iterator[Claim]:
    """The claims of a proof, and what the first steps of a claim show: ``a = b`` on the way from a to c."""
    steps = {step.id: step for step in whole.steps}
    for claim in whole.claims:
        yield claim
        for number in claim.steps[:-1]:
            if steps[number].relation != "=":
                break
            yield Claim(f"{claim.id} at {number}", claim.left, "=", steps[number].after, claim.steps)


def finds(whole: Proof, claim: Claim, left: str, relation: str, right: str) -> bool:
    if claim.relation != relation or same(claim.left) != same(left):
        return False
    if relation == "⇔":
        return same(claim.right) == same(right)
    return is_algebra(whole, claim.right, right)


@pytest.mark.sample(20)
@pytest.mark.parametrize("item", chosen("formulas"))
def test_every_formula_is_a_proved_claim(item: dict[str, Any]) -> None:
    whole = proof(item)
    outcome = replay(whole)
    assert outcome.is_proved, outcome.faults
    for left, relation, right in item["formulas"]:
        claims = [f"{one.left} {one.relation} {one.right}" for one in whole.claims]
        assert any(finds(whole, one, left, relation, right) for one in shown(whole)), (left, relation, right, claims)


@pytest.mark.parametrize("item", chosen("formulas"))
@HOW_MANY
def test_no_other_formula_is(item: dict[str, Any], *, whole: bool) -> None:
    """One more, and a half more, is found nowhere: the comparison can fail."""
    found = proof(item)
    for left, relation, right in item["formulas"] if whole else item["formulas"][:1]:
        if relation == "=" and not any(letter in left for letter in "HJVQcvhx") and "T}" not in left:
            assert not any(finds(found, one, left, relation, f"({right}) + 1") for one in shown(found)), left
            assert not any(finds(found, one, left, relation, f"3/2 ({right}) + 1/7") for one in shown(found)), left


@pytest.mark.parametrize("item", chosen("algebra"))
def test_what_follows_by_one_step_of_algebra(item: dict[str, Any]) -> None:
    for before, after in item["algebra"]:
        assert is_algebra(proof(item), before, after), (before, after)
        assert not is_algebra(proof(item), before, f"2 ({after})")


@pytest.mark.parametrize("item", chosen("digits"))
def test_every_decimal_is_certified(item: dict[str, Any]) -> None:
    for words, expected in item["digits"] if "theorem" in item else ():
        found = line(item, words).digits
        if expected.startswith(">"):
            assert Decimal(found) > Decimal(expected[1:])
            continue
        # Ours has 30 figures; a shorter one is rounded from more, so the last figure may be off by one.
        unit = Decimal(1).scaleb(int(Decimal(expected).as_tuple().exponent))
        assert abs(Decimal(found) - Decimal(expected)) <= unit, (words, found)
        if len(expected.replace(".", "").lstrip("0")) >= 30:
            assert found == expected


@pytest.mark.parametrize("item", chosen("exact"))
def test_every_closed_form(item: dict[str, Any]) -> None:
    for words, expected in item["exact"]:
        assert same(line(item, words).exact) == same(expected), words


def score(text: str) -> Any:
    return sympy.log(sympy.Integer(int(text[4:]))) if text.startswith("log ") else Fraction(text)


@pytest.mark.parametrize("item", chosen("softmax"))
def test_rows_of_weights(item: dict[str, Any]) -> None:
    row = sa.softmax([score(text) for text in item["softmax"]])
    if "weights" in item:
        assert sa.equal(row.A, sa.Matrix([item["weights"]])).is_equal
        assert sum(Fraction(text) for text in item["weights"]) == 1
    if "jacobian" in item:
        assert sa.equal(row.jacobian(), sa.Matrix(item["jacobian"])).is_equal
    if "digits" in item:
        assert row.A.rounded(15) == [item["digits"]]


@pytest.mark.parametrize("item", chosen("limit"))
def test_limits_of_rows(item: dict[str, Any]) -> None:
    beta = sympy.Symbol("beta")
    row = sa.softmax(item["limit"], scale=beta)
    assert sa.equal(row.limit(beta, sympy.oo), sa.Matrix([item["cold"]])).is_equal
    assert sa.equal(row.limit(beta, 0), sa.Matrix([item["hot"]])).is_equal


def test_the_weights_of_an_enlarged_token() -> None:
    """With u_d added to the second token, its scores are (B, 2 B, 0)."""
    size = sympy.Symbol("B", positive=True)
    e = sympy.exp(size)
    found = sa.softmax([size, 2 * size, 0])
    assert sa.equal(found.sympy(), sympy.Matrix([[e, e**2, 1]]) / (e**2 + e + 1)).is_equal
    assert found.argmax() == ((1,),)


def test_zero_scores_give_the_mean() -> None:
    result = sa.attention([[0]] * 3, [[0]] * 3, [[3], [6], [0]])
    assert sa.equal(result.O, sa.Matrix([[3], [3], [3]])).is_equal


def test_entropy_falls_as_the_factor_grows() -> None:
    """Certified digits of the entropy of softmax(β (2, 1, 0)): ln 3 at β = 0, and less for each larger β."""
    entry = theorem("softmax-is-a-distribution")
    assert entry.instance is not None
    found = []
    for beta in (Fraction(0), Fraction(1, 1000), Fraction(1), Fraction(10)):
        row = ", ".join(str(beta * value) for value in (2, 1, 0))
        lines = entry.instance(entry.values({"z": row}))
        found.append(Decimal(next(one.digits for one in lines if "entropy" in one.text)))
    assert found == sorted(found, reverse=True)
    assert str(found[0]).startswith("1.098612288668109")


@pytest.mark.long
@pytest.mark.parametrize(("size", "at"), [(1, "1"), (2, "1"), (2, "5/2"), (3, "2"), (4, "1/2"), (5, "3")])
def test_tails_of_a_score_against_its_density(size: int, at: str) -> None:
    """|z|^((D-1)/2) K_((D-1)/2)(|z|) / (√π 2^((D-1)/2) Γ(D/2)), integrated by mpmath; for D = 2 it is e^-|z|/2."""
    y = mpmath.mpf(Fraction(at).numerator) / Fraction(at).denominator
    with mpmath.workdps(30):
        order = mpmath.mpf(size - 1) / 2
        scale = mpmath.sqrt(mpmath.pi) * 2**order * mpmath.gamma(mpmath.mpf(size) / 2)
        tail = 2 * mpmath.quad(lambda z: z**order * mpmath.besselk(order, z) / scale, [y, y + 4, y + 16, y + 80])
        found = mpmath.mpf(figures(product_tail(size, at), 20).text)
        assert abs(found - tail) < mpmath.mpf(10) ** -15
    if size == 2:
        assert figures(product_tail(2, at), 30).text == figures(exp(-Fraction(at)), 30).text


def test_every_question_is_answered() -> None:
    """The questions that have an answer of this kind, each with something that was looked at."""
    assert len(ANSWERS) >= 37
    for name, items in ANSWERS.items():
        assert items, name
        assert all(set(item) & {"formulas", "algebra", "digits", "exact", "softmax", "limit"} for item in items), name
