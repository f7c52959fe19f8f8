"""What holds of every theorem of the catalogue, and controls without which refusals would mean nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from symattn.api.proofs import prove
from symattn.errors import InputError
from symattn.proofs.cases.claim_checks import SIZES, check_claims
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.small_cases import case
from symattn.proofs.catalogue.registry import THEOREMS, theorems
from symattn.proofs.proof_replay import replay
from tests.proofs.catalogue.proving import HOW_MANY, changed, is_step_proved, looked_at, robbed

DESIGNS = {"gaussian-keys", "gaussian-keys-long", "two-heads", "orthogonal-tokens", "design-qkv"}
GROUPS = {name: item for name, item in theorems().items() if item.group in {"softmax", "structure"} or name in DESIGNS}
DOMAIN = {
    # Hypotheses that say where a formula has a meaning, or that an index exists; the steps compute without them.
    ("softmax-is-a-distribution", "there are two scores or more: $n >= 2$"),
    ("temperature-limits", "$0 < eps < 1$"),
    ("causal-independence", "every query may see at least one key"),
}


def test_every_theorem_has_a_name_of_its_own() -> None:
    assert list(theorems()) == [item.name for item in THEOREMS]


@pytest.mark.parametrize("name", theorems())
@HOW_MANY
def test_steps_that_are_not_changed_are_proved(name: str, *, whole: bool) -> None:
    entry = theorems()[name]
    proof = entry.build(entry.values({}))
    # Each step takes those that it rests on with it, so two of them are enough of a sample.
    steps = looked_at(proof, whole=True) if whole else looked_at(proof, whole=False)[:2]
    assert [step.id for step in steps if not is_step_proved(proof, step)] == []


@pytest.mark.parametrize("name", ["dot-product-variance", "softmax-jacobian", "convex-hull", "copy"])
def test_small_cases_were_worked_out(name: str) -> None:
    entry = theorems()[name]
    found = check_claims(entry.build(entry.values({})))
    assert found
    assert all(item.agrees for item in found)


@pytest.mark.parametrize("name", theorems())
def test_a_worked_case_that_is_listed_is_there_for_the_usual_values(name: str) -> None:
    entry = theorems()[name]
    lines = () if entry.instance is None else entry.instance(entry.values({}))
    assert bool(lines) == (entry.instance is not None)
    assert all(line.text and line.digits for line in lines)


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", GROUPS)
def test_small_cases_agree(name: str) -> None:
    assert all(item.agrees for item in check_claims(GROUPS[name].build(GROUPS[name].values({}))))


@pytest.mark.parametrize("name", GROUPS)
@HOW_MANY
def test_changed_steps_are_refused(name: str, *, whole: bool) -> None:
    proof = GROUPS[name].build(GROUPS[name].values({}))
    for step in looked_at(proof, whole=whole):
        for other in changed(step):
            assert not is_step_proved(proof, other), (step.id, other.after)


@pytest.mark.parametrize("name", GROUPS)
@HOW_MANY
def test_steps_need_their_hypotheses(name: str, *, whole: bool) -> None:
    proof = GROUPS[name].build(GROUPS[name].values({}))
    texts = {item.id: item.text for item in proof.scope.hypotheses}
    for step in looked_at(proof, whole=whole):
        for other in robbed(step):
            (gone,) = set(step.hypotheses) - set(other.hypotheses)
            if (name, texts[gone]) not in DOMAIN:
                assert not is_step_proved(proof, other), (step.id, texts[gone])


LENGTHS = [(name, item.name) for name, entry in theorems().items() for item in entry.parameters if item.kind == "count"]


@pytest.mark.parametrize("value", ["1000000", str(10**15)])
@pytest.mark.parametrize(("name", "parameter"), LENGTHS)
def test_a_large_number_is_no_amount_of_work(name: str, parameter: str, value: str) -> None:
    """Proofs speak of all lengths at once; only small cases are worked out in numbers, and none of this size."""
    entry = theorems()[name]
    values = entry.values({parameter: value})
    try:
        proof = entry.build(values)
    except InputError:
        bounded = {"dot-product-mgf", "dot-product-mgf-infinite", "dot-product-characteristic"}
        assert (name, parameter) == ("dot-product-mgf", "order") or (parameter == "D" and name in bounded)
        return
    for number, size in enumerate(SIZES):
        case(proof.scope, size, number)


@pytest.mark.parametrize("name", theorems())
def test_numbers_beyond_all_bounds_are_refused(name: str) -> None:
    entry = theorems()[name]
    for item in entry.parameters:
        for value in (str(10**23), "9" * 60, "1e-300", "1e900", "9" * 300):
            if item.kind in {"count", "rational"} and (item.kind == "count" or len(value) > 30 or "e" in value):
                with pytest.raises(InputError):
                    entry.values({item.name: value})


def test_a_large_length_is_proved() -> None:
    assert prove("dot-product-variance", D=10**15, mu=0, sigma=1).proof.conclusion == (f"Var(q^T k) = {10**15}",)


def test_kinds_say_what_is_taken() -> None:
    """A rational parameter takes rationals, and says so."""
    for entry in theorems().values():
        for item in entry.parameters:
            assert item.kind in {"rational", "count", "list", "word"}
            if item.kind == "rational":
                assert item.read("3/2") == "3/2"
                with pytest.raises(InputError, match="not a rational number"):
                    item.read("sqrt(2)")


@pytest.mark.parametrize(
    "name", ["score-covariance", "multi-head-blocks", "dot-product-scaling", "two-heads", "layer-norm"]
)
def test_no_check_compares_zeros_with_zeros(name: str) -> None:
    """A claim that is checked has sides that are not both 0, but where one of them is written as 0."""
    proof = theorems()[name].build(theorems()[name].values({}))
    claims = {claim.id: claim for claim in proof.claims}
    found = check_claims(proof)
    assert found
    for item in found:
        claim = claims[item.text.partition(" ")[0].rstrip(",")]
        values = set(item.result.removeprefix("both sides are ").split(", "))
        assert values != {"$0$"} or "0" in {claim.left, claim.right}, item


@pytest.mark.parametrize("name", ["dot-product-variance", "score-covariance", "multi-head-blocks"])
def test_a_check_with_values_says_what_they_belong_to(name: str) -> None:
    """The numbers that are told give the values again."""
    proof = theorems()[name].build(theorems()[name].values({}))
    claims = {claim.id: claim for claim in proof.claims}
    told = [item for item in check_claims(proof) if item.result.startswith("both sides are $")]
    assert told
    for item in told:
        claim = claims[item.text.partition(" ")[0]]
        values = item.result.removeprefix("both sides are ").replace("$", "").split(", ")
        for number, value in enumerate(values):
            model = Model({letter: chosen[min(number, len(chosen) - 1)] for letter, chosen in _told(item.text)}, {})
            assert NumericEvaluator(proof.scope, model).number(claim.right) == Fraction(value), item


def _told(text: str) -> Iterator[tuple[str, list[Fraction]]]:
    """The letters with their values in the words of a check."""
    places = (
        text.partition(" at ")[2].partition(", by ")[0].partition(", with ")[0].replace("$", "").replace(" and ", "; ")
    )
    for part in re.split(r"; |, (?=[A-Za-z])", places):
        letter, _, values = part.partition(" = ")
        yield letter, [Fraction(value) for value in values.split(", ")]


CHOSEN: tuple[tuple[str, dict[str, str]], ...] = (
    ("dot-product-mean", {"D": "1", "mu": "3"}),
    ("dot-product-variance", {"mu": "0", "sigma": "1"}),
    ("dot-product-variance", {"mu": "0", "sigma": "1", "D": "1"}),
    ("dot-product-variance", {"mu": "2", "sigma": "3", "D": "4"}),
    ("dot-product-variance", {"case": "unequal", "mu_q": "0", "sigma_k": "1/2"}),
    ("dot-product-scaling", {"sigma": "2", "D": "64"}),
    ("dot-product-scaling", {"sigma": "1/2", "D": "1"}),
    ("dot-product-higher-moments", {"D": "1"}),
    ("average-of-two", {"n": "5", "s": "10"}),
    ("average-of-two", {"n": "2"}),
    ("average-of-two", {"m": "1", "n": "3"}),
    ("temperature-limits", {"m": "1"}),
    ("saturation", {"D": "1"}),
    ("design-qkv", {"B": "1"}),
)
UNFINISHED = re.compile(
    r"\([0-9]+ [-+] [0-9]+\)|(?<![\w^./{(])[01]\^[0-9]|(?<![\w^./{])1 (?=[a-zA-Z(])|\b0 (?=[a-z(])"
    r"|sqrt\((?:1|4|9|16|64)\)|\b0 \* 0"
)


@pytest.mark.parametrize(("name", "chosen"), CHOSEN)
def test_chosen_numbers_are_worked_out(name: str, chosen: dict[str, str]) -> None:
    entry = theorems()[name]
    proof = entry.build(entry.values(chosen))
    # Outside formulas "1 of the keys" is a word.
    formulas = proof.statement.split("$")[1::2]
    formulas.extend(text for step in proof.steps for text in (step.before, step.after))
    formulas.extend(item.body for item in proof.scope.defined)
    assert [text for text in formulas if UNFINISHED.search(text)] == []
    assert replay(proof).is_proved
