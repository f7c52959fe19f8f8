"""Covariances as hypotheses, conditional means, replacement in equivalences, signs of parts."""

from __future__ import annotations

import pytest

from symattn.proofs.kernel.record import Proof, Step
from symattn.proofs.language.scope import Declared, Hypothesis, Scope
from symattn.proofs.proof_replay import replay

_SCOPE = Scope(
    (
        Declared("n", (), "positive"),
        Declared("t"),
        Declared("u"),
        Declared("s", (), "positive"),
        Declared("x", ("n",), random=True),
        Declared("y", ("n",), random=True),
        Declared("a", ("n",)),
        Declared("b", ("n",)),
        Declared("S", ("n", "n")),
        Declared("C", ("n", "n")),
    ),
    (),
    (
        Hypothesis("independent", "", "independent", ("x", "y")),
        Hypothesis("mean x", "", "mean", ("x",), ("a_i",)),
        Hypothesis("mean y", "", "mean", ("y",), ("b_i",)),
        Hypothesis("own", "", "covariance", ("x", "x"), ("S_{i j}",)),
        Hypothesis("cross", "", "covariance", ("x", "y"), ("C_{i j}",)),
        Hypothesis("zero", "", "equal", ("t",), ("0",)),
        Hypothesis("domain", "", "positive", (), ("1 - t^2",)),
        Hypothesis("nonzero", "", "nonzero", ("t",)),
    ),
)


def _proved(*steps: Step) -> bool:
    return replay(Proof("x", "", "", (), _SCOPE, (), steps)).steps[-1].proved


def _step(
    before: str, after: str, rule: str, *hypotheses: str, name: str = "1", premises: tuple[str, ...] = ()
) -> Step:
    relation = "⇔" if " = " in before else "="
    return Step(name, rule, before, relation, after, hypotheses, premises)


def test_covariances_with_means() -> None:
    assert _proved(_step("E(x_i x_j)", "S_{i j} + a_i a_j", "moments", "own", "mean x"))
    assert _proved(_step("E(x_i^2)", "S_{i i} + a_i^2", "moments", "own", "mean x"))
    assert _proved(_step("Cov(x_i, y_j)", "C_{i j}", "moments", "cross"))
    assert _proved(_step("E(y_j x_i)", "C_{i j} + a_i b_j", "moments", "cross", "mean x", "mean y"))
    whole = "sum_{i=1}^{n} sum_{j=1}^{n} b_i b_j S_{i j}"
    assert _proved(_step("Var(b^T x)", whole, "moments", "own", "mean x"))


@pytest.mark.parametrize(
    ("before", "after", "hypotheses"),
    [
        ("E(x_i x_j)", "S_{i j}", ("own", "mean x")),
        ("E(x_i x_j)", "S_{i j} + a_i a_j", ("own",)),
        ("E(x_i x_j)", "S_{i j} + a_i a_j", ("mean x",)),
        ("E(x_i y_j)", "C_{j i} + a_i b_j", ("cross", "mean x", "mean y")),
        ("E(x_i x_j y_j)", "(S_{i j} + a_i a_j) y_j", ("own", "mean x")),
        ("E(x_i x_j y_j)", "(S_{i j} + a_i a_j) E(y_j)", ("own", "mean x")),
        ("E(x_i^3)", "S_{i i} E(x_i)", ("own",)),
        ("E(y_i y_j)", "S_{i j} + E(y_i) E(y_j)", ("own",)),
    ],
)
def test_what_covariances_do_not_say(before: str, after: str, hypotheses: tuple[str, ...]) -> None:
    assert not _proved(_step(before, after, "moments", *hypotheses))


def test_the_tower_property() -> None:
    assert _proved(_step("E(exp(t x_1 y_1))", "E(E(exp(t x_1 y_1), x))", "tower property"))
    assert not _proved(_step("E(exp(t x_1 y_1))", "E(E(exp(t x_1 y_2), x))", "tower property"))
    assert not _proved(_step("E(exp(t x_1 y_1))", "E(exp(t x_1 y_1), x)", "tower property"))
    assert not _proved(_step("E(exp(t x_1 y_1))", "E(E(exp(t x_1 y_1), a))", "tower property"))


def test_a_conditional_mean_is_no_plain_mean() -> None:
    assert not _proved(_step("E(exp(t x_1 y_1), x)", "E(exp(t x_1 y_1))", "independence", "independent"))
    assert not _proved(_step("E(exp(t x_1 y_1), x)", "E(exp(t x_1 y_1), y)", "independence", "independent"))
    assert _proved(_step("E(x_1 y_1, x)", "x_1 b_1", "expectation", "independent", "mean y"))
    assert not _proved(_step("E(x_1 y_1, x)", "x_1 b_1", "moments", "mean y"))


def test_an_equation_replaces_in_an_equivalence() -> None:
    premise = _step("E(x_1)", "a_1", "moments", "mean x")
    good = _step("E(x_1) = t", "a_1 = t", "earlier result", name="2", premises=("1",))
    other = _step("E(x_1) = t", "a_1 = s", "earlier result", name="2", premises=("1",))
    turned = Step("2", "earlier result", "E(x_1) = t", "⇔", "a_1 ≤ t", (), ("1",))
    assert _proved(premise, good)
    assert not _proved(premise, other)
    assert not _proved(premise, turned)


def test_what_holds_at_a_point_is_not_differentiated() -> None:
    """With t = 0 the product t u is 0, but its derivative by t is u."""
    premise = _step("t u", "0", "substitution", "zero")
    assert not _proved(premise, _step("diff(t u, t)", "diff(0, t)", "earlier result", name="2", premises=("1",)))
    at = _step("exp(t s)", "1", "substitution", "zero")
    assert not _proved(
        at, _step("lim(t, oo, 1/exp(t s))", "lim(t, oo, 1)", "earlier result", name="2", premises=("1",))
    )


def test_denominators_made_of_known_parts() -> None:
    same = "{0}", "{0} + 0"
    for divisor in ("-(1 - t^2)", "s (1 - t^2)", "sqrt(1 - t^2)", "(1 - t^2)/s", "(s/(1 - t^2))^2"):
        before, after = (text.format(f"1/({divisor})") for text in same)
        assert _proved(_step(before, after, "algebra", "domain")), divisor
        assert not _proved(_step(before, after, "algebra")), divisor
    assert _proved(_step("1/(1/t)", "t", "algebra", "nonzero"))
    assert not _proved(_step("1/(1/t)", "t", "algebra"))


def test_the_sign_of_a_part_is_known() -> None:
    written = (("difference", "(1 - t^2)/s^2"),)
    assert _proved(Step("1", "evident sign", "0", "<", "(1 - t^2)/s^2", ("domain",), (), written))
    assert not _proved(Step("1", "evident sign", "0", "<", "(1 - t^2)/s^2", (), (), written))
