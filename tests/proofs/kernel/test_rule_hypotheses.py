"""Steps that hold by a hypothesis which their rule does not use: refused; by a rule that uses it: proved."""

from __future__ import annotations

import pytest

from symattn.proofs.proof_replay import replay
from tests.proofs.kernel.test_false_claims import D, H, S, Sc, _proof, _reason

_SCOPE = Sc(
    [
        D("n", sign="positive"),
        D("q", ("n",), random=True),
        D("X", random=True),
        D("Y", random=True),
        D("x"),
        D("b", sign="positive"),
        D("mu"),
        D("s", sign="positive"),
    ],
    hyp=[
        H("I", "", "independent", ("X", "Y")),
        H("M", "", "mean", ("q",), ("mu",)),
        H("L", "", "law", ("X",), ("gaussian", "mu", "s^2")),
        H("K", "", "law", ("Y",), ("gaussian", "mu", "s^2")),
        H("E", "", "equal", ("x",), ("2",)),
    ],
)

STEPS = (
    ("definition", "x", "2", "E", "substitution"),
    ("algebra", "x", "2", "E", "substitution"),
    ("sum of equal terms", "sum_{j=1}^{n} x", "2 n", "E", "substitution"),
    ("linearity of expectation", "E(X + Y)", "2 mu", "L K", "moments"),
    ("definition of variance", "Var(X)", "s^2", "L", "moments"),
    ("definition of covariance", "Cov(X, Y)", "0", "I L K", "expectation"),
    ("scaling of variance", "Var(2 X)", "4 s^2", "L", "moments"),
    ("independence", "E(X Y)", "mu^2", "I L K", "expectation"),
    ("variance of an independent sum", "Var(X + Y)", "2 s^2", "I L K", "expectation"),
    ("moments", "E(X Y)", "mu^2", "I L K", "expectation"),
    ("identical distribution", "E(q_i)", "mu", "M", "moments"),
    ("substitution", "E(X)", "mu", "L", "moments"),
    ("differentiation", "diff(b E(X), b)", "mu", "L", ""),
    ("limit", "lim(b, oo, exp(-b) + E(X))", "mu", "L", ""),
    ("hyperbolic tangent", "tanh(x)", "(exp(2 x) - 1)/(exp(4) + 1)", "E", ""),
    ("expectation", "E(x X)", "2 E(X)", "E", "substitution"),
)


@pytest.mark.parametrize(("rule", "before", "after", "used", "other"), STEPS)
def test_a_rule_uses_no_other_hypotheses(rule: str, before: str, after: str, used: str, other: str) -> None:
    laws = ["L", "K"] if "L" not in used and "X" in before else []
    reason = _reason(_proof(_SCOPE, [S(before, rule, "=", after, used.split())]))
    assert reason.startswith(f"{rule} does not use the hypothesis")
    if other and not laws:
        assert replay(_proof(_SCOPE, [S(before, other, "=", after, used.split())])).is_proved


@pytest.mark.parametrize(
    ("rule", "relation", "why"),
    [
        ("algebra", "≤", "algebra does not establish ≤"),
        ("evident sign", "=", "evident sign does not establish ="),
        ("moments", "=", "moments speaks of Cov or E or Var"),
        ("tower property", "=", "tower property speaks of E"),
        ("hyperbolic tangent", "=", "hyperbolic tangent speaks of tanh"),
    ],
)
def test_a_rule_has_its_relations_and_its_functions(rule: str, relation: str, why: str) -> None:
    assert _reason(_proof(_SCOPE, [S("x", rule, relation, "x")])).startswith(why)


def test_the_hyperbolic_tangent_is_written_out() -> None:
    right = "(exp(2 b) - 1)/(exp(2 b) + 1)"
    assert replay(_proof(_SCOPE, [S("tanh(b)", "hyperbolic tangent", "=", right)])).is_proved
    assert _reason(_proof(_SCOPE, [S("-tanh(b)", "hyperbolic tangent", "=", right)]))


@pytest.mark.parametrize(
    ("before", "after", "factor", "is_right"),
    [
        ("x ≤ mu", "b x ≤ b mu", "1/b", True),
        ("x ≤ mu", "-b x ≥ -b mu", "-1/b", True),
        ("x ≤ mu", "-b x ≤ -b mu", "-1/b", False),
        ("x ≤ mu", "b x < b mu", "1/b", False),
        ("x = mu", "0 x = 0 mu", "1", False),
    ],
)
def test_relations_are_equivalent_by_a_factor_with_a_sign(before: str, after: str, factor: str, is_right: bool) -> None:
    step = S(before, "equivalence", "⇔", after, factor=factor)
    assert (_reason(_proof(_SCOPE, [step])) == "") is is_right


def test_weights_of_a_combination_are_not_negative() -> None:
    first = S("0", "evident sign", "<", "b")
    for weight, right, is_right in (("2", "2 b", True), ("-2", "-2 b", False)):
        step = S("0", "combination", "<", right, p=["1"], weights=weight)
        assert (_reason(_proof(_SCOPE, [first, step])) == "") is is_right
    equal = S("x", "algebra", "=", "x")
    assert _reason(_proof(_SCOPE, [equal, S("x", "combination", "<", "x", p=["1"], weights="1")]))
