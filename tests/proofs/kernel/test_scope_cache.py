"""What is kept from one step to the next changes no judgement: each step is judged as if it stood alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symattn.errors import InputError, ShapeError
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language, read_text
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.language.scope_cache import Memo
from symattn.proofs.proof_replay import replay
from tests.effort import effort

SIZES = (Declared("n", sign="positive"), Declared("m", sign="positive"))
LETTERS = (
    *SIZES,
    Declared("z", ("n",)),
    Declared("w", ("m",)),
    Declared("q", ("n",), random=True),
    Declared("k", ("n",), random=True),
    Declared("x"),
    Declared("y"),
    Declared("c"),
)
KNOWN = (
    Hypothesis("H1", "", "mean", ("q",), ("1",)),
    Hypothesis("H2", "", "mean", ("k",), ("2",)),
    Hypothesis("H3", "", "independent", ("q", "k")),
    Hypothesis("H4", "", "total", ("z",), ("1",)),
)
SCOPE = Scope(LETTERS, (), KNOWN)


def _steps(*steps: tuple[str, str, str, tuple[str, ...]], scope: Scope = SCOPE) -> list[str]:
    """The reasons of several steps of one proof; nothing for those that are proved."""
    made = tuple(
        Step(str(n), rule, before, "=", after, hypotheses) for n, (rule, before, after, hypotheses) in enumerate(steps)
    )
    proof = Proof("x", "", "", (), scope, (Claim("C", "1", "=", "1", ("0",)),), made)
    return [outcome.reason for outcome in replay(proof).steps]


def test_a_hypothesis_of_another_step_is_not_at_hand() -> None:
    mean = ("moments", "E(q_i)", "1", ("H1",))
    alone = ("linearity of expectation", "E(q_i)", "1", ())
    total = ("substitution", "sum_{j=1}^{n} z_j", "1", ("H4",))
    without = ("algebra", "sum_{j=1}^{n} z_j", "1", ())
    for order in ((mean, alone, total, without), (without, total, alone, mean)):
        found = _steps(*order)
        assert [not reason for reason in found] == [bool(step[3]) for step in order]


def test_a_value_with_some_moments_is_not_one_with_others() -> None:
    product = "E(q_i k_i)"
    steps = [
        ("expectation", product, "2", ("H1", "H2", "H3")),
        ("expectation", product, "2", ("H1", "H2")),
        ("expectation", product, "2", ("H3",)),
        ("independence", product, "E(q_i) E(k_i)", ("H3",)),
        ("linearity of expectation", product, "E(q_i) E(k_i)", ()),
    ]
    assert [not reason for reason in _steps(*steps)] == [True, False, False, True, False]
    assert [not reason for reason in _steps(*steps[::-1])] == [False, True, False, False, True]


def test_an_index_runs_to_one_length_in_a_step_whatever_was_read_before() -> None:
    ones = ("algebra", "z_i 1", "z_i", ())
    others = ("algebra", "w_i 1", "w_i", ())
    both = ("algebra", "z_i 1 + w_i 1", "w_i + z_i", ())
    found = _steps(ones, others, both, ones)
    assert [not reason for reason in found] == [True, True, False, True]
    assert "runs to" in found[2]


def test_so_it_does_where_one_side_was_read_before_and_sums_were() -> None:
    first = "sum_{j=1}^{n} z_j delta_{i,j}"
    second = "sum_{j=1}^{m} w_j delta_{i,j}"
    steps = [
        ("algebra", first, "z_i", ()),
        ("algebra", second, "w_i", ()),
        ("algebra", f"{first} - {first}", f"{second} - {second}", ()),
    ]
    found = _steps(*steps)
    assert [not reason for reason in found] == [True, True, False]
    assert "runs to" in found[2]


def test_notes_are_made_again_with_what_was_kept() -> None:
    memo = Memo(SCOPE)
    node, other = read_text("1/exp(z_i)", SCOPE), read_text("1/exp(w_i)", SCOPE)
    for _ in range(2):
        language = Language(SCOPE, Facts(), memo=memo)
        language.value(node)
        with pytest.raises(ShapeError, match="runs to"):
            language.value(other)
        Language(SCOPE, Facts(), memo=memo).value(other)


def test_a_memo_is_of_one_scope() -> None:
    with pytest.raises(TypeError):
        Language(replace(SCOPE), Facts(), memo=Memo(SCOPE))


@pytest.mark.parametrize("name", ["dot-product-variance", "softmax-jacobian", "orthogonal-tokens", "saturation"])
def test_steps_are_judged_as_if_each_stood_alone(name: str) -> None:
    proof = theorem(name).build(theorem(name).values({}))
    together = {outcome.id: (outcome.proved, outcome.cites, outcome.reason) for outcome in replay(proof).steps}
    for step in proof.steps:
        if not step.premises:
            claim = Claim("C", step.before, step.relation, step.after, (step.id,))
            (alone,) = replay(replace(proof, steps=(step,), claims=(claim,))).steps
            assert (alone.proved, alone.cites, alone.reason) == together[step.id]


def _many(text: str, names: tuple[Defined, ...] = (), count: int = 12) -> Proof:
    """A record of many steps that are as large as is reckoned, and false."""
    steps = tuple(Step(str(n), "algebra", f"{text}+{n}", "=", "1") for n in range(count))
    return Proof("x", "", "", (), Scope(LETTERS, names), (Claim("C", "1", "=", "1", ("0",)),), steps)


def _halves() -> tuple[Defined, ...]:
    """Each abbreviation holds the one before twice; their roots and quotients are kept, their signs looked for."""
    first = Defined("a_0", (), (), "exp(x)")
    return (first, *(Defined(f"a_{i}", (), (), f"sqrt((a_{i - 1} + a_{i - 1})/2)") for i in range(1, 25)))


@pytest.mark.parametrize(
    "proof",
    [
        _many("+".join(f"1/(exp({k} x)+exp(y)+1)" for k in range(1, 7))),
        _many(" * ".join(["(sum_{j=1}^{n} sum_{l=1}^{n} exp(z_j z_l))"] * 2)),
        _many("(x+y+c)^12" + "+1" * 200, count=6),
        _many("1/(a_24+1)", _halves()),
    ],
    ids=["quotients", "sums", "ones", "abbreviations"],
)
def test_a_record_of_many_large_steps_is_refused_soon(proof: Proof) -> None:
    with effort(10_000_000):
        try:
            proved = replay(proof).is_proved
        except InputError:
            proved = False
    assert not proved
