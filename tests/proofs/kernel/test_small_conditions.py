"""Conditions of single rules, lemmas and claims: what misses one is refused, and a sibling that meets it is proved."""

from __future__ import annotations

import pytest

from symattn.proofs.kernel.record import Proof
from tests.proofs.kernel.test_false_claims import D, H, S, Sc, _proof, _reason

n, m = D("n", sign="positive"), D("m", sign="nonnegative")
x, y, b, c = D("x"), D("y", sign="nonnegative"), D("b", sign="positive"), D("c", sign="positive")

_SIGNS = Sc([n, m, x, y, b, c])
_MEANS = Sc(
    [D("X", random=True), D("Y", random=True)],
    hyp=[H("H", "", "mean", ("X",), ("0",)), H("K", "", "mean", ("Y",), ("1",))],
)
_BELOW = S("1", "evident sign", "<", "1 + b")

PAIRS: tuple[tuple[str, Proof, Proof], ...] = (
    (
        "a denominator that tends to what may be zero",
        _proof(Sc([b, y]), [S("lim(b, oo, y/(y + exp(-b)))", "limit", "=", "1")]),
        _proof(Sc([b, c]), [S("lim(b, oo, c/(c + exp(-b)))", "limit", "=", "1")]),
    ),
    *(
        (f"a length in {text}", _proof(Sc([n, x]), [S(text, rule, "=", value)]), _proof(Sc([n, x]), [other]))
        for text, rule, value, other in (
            (
                "diff(sum_{j=1}^{n} x, n)",
                "differentiation",
                "x",
                S("diff(sum_{j=1}^{n} x, x)", "differentiation", "=", "n"),
            ),
            ("lim(n, 1/2, sum_{j=1}^{n} 1)", "limit", "1/2", S("lim(x, 1/2, sum_{j=1}^{n} x)", "limit", "=", "n/2")),
            (
                "diff((sum_{j=1}^{n} 1)/3, n)",
                "quotient rule",
                "diff(sum_{j=1}^{n} 1, n)/3 - (sum_{j=1}^{n} 1) diff(3, n)/3^2",
                S("diff(x/3, x)", "quotient rule", "=", "diff(x, x)/3 - x diff(3, x)/3^2"),
            ),
        )
    ),
    (
        "exponents that may be equal",
        _proof(_SIGNS, [S("exp(x)", "growth of exp", "<", "exp(x + y)")]),
        _proof(_SIGNS, [S("exp(x)", "growth of exp", "<", "exp(x + b)")]),
    ),
    (
        "sums that may have no terms",
        _proof(_SIGNS, [_BELOW, S("sum_{j=1}^{m} 1", "term by term", "<", "sum_{j=1}^{m} (1 + b)", p=["1"])]),
        _proof(_SIGNS, [_BELOW, S("sum_{j=1}^{n} 1", "term by term", "<", "sum_{j=1}^{n} (1 + b)", p=["1"])]),
    ),
    (
        "a number that may be zero",
        _proof(_SIGNS, [S("0", "evident sign", "<", "y")]),
        _proof(_SIGNS, [S("0", "evident sign", "<", "b")]),
    ),
    (
        "a size that may be zero",
        _proof(_SIGNS, [S("0", "evident sign", "<", "abs(x)")]),
        _proof(_SIGNS, [S("0", "evident sign", "<", "abs(b)")]),
    ),
    (
        "a weight that is negative",
        _proof(_SIGNS, [S("0", "evident sign", "≤", "y"), S("0", "combination", "≤", "-2 y", p=["1"], weights="-2")]),
        _proof(_SIGNS, [S("0", "evident sign", "≤", "y"), S("0", "combination", "≤", "2 y", p=["1"], weights="2")]),
    ),
    (
        "a conditional mean of something else",
        _proof(_MEANS, [S("E(X)", "tower property", "=", "E(E(Y, X))")]),
        _proof(_MEANS, [S("E(X)", "tower property", "=", "E(E(X, Y))")]),
    ),
    (
        "another multiple of a logarithm",
        _proof(_SIGNS, [S("b ≤ c", "lemma:log-increasing", "⇔", "log(b) ≤ 2 log(c)")]),
        _proof(_SIGNS, [S("b ≤ c", "lemma:log-increasing", "⇔", "log(b) ≤ log(c)")]),
    ),
    (
        "a premise that comes later",
        _proof(_SIGNS, [S("x", "earlier result", "=", "x", p=["2"]), S("x", "algebra", "=", "x")]),
        _proof(_SIGNS, [S("x", "algebra", "=", "x"), S("x", "earlier result", "=", "x", p=["1"])]),
    ),
    (
        "a claim with a gap",
        _proof(_SIGNS, [S("x", "algebra", "=", "x"), S("b", "algebra", "=", "b")], ("x", "=", "b", ("1", "2"))),
        _proof(_SIGNS, [S("x", "algebra", "=", "x + 0"), S("x + 0", "algebra", "=", "x")], ("x", "=", "x", ("1", "2"))),
    ),
    (
        "a claim that is stronger than its step",
        _proof(_SIGNS, [S("x", "evident sign", "≤", "x + y")], ("x", "<", "x + y", ("1",))),
        _proof(_SIGNS, [S("x", "evident sign", "<", "x + b")], ("x", "≤", "x + b", ("1",))),
    ),
    (
        "a name for two things",
        _proof(Sc([x, x]), [S("x", "algebra", "=", "x")]),
        _proof(Sc([x, y]), [S("x", "algebra", "=", "x")]),
    ),
    (
        "a hypothesis that is not named",
        _proof(Sc([x], hyp=[H("H", "", "equal", ("x",), ("2",))]), [S("x", "substitution", "=", "2")]),
        _proof(Sc([x], hyp=[H("H", "", "equal", ("x",), ("2",))]), [S("x", "substitution", "=", "2", ["H"])]),
    ),
)


@pytest.mark.parametrize(("false", "true"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_a_condition_is_needed_and_is_enough(false: Proof, true: Proof) -> None:
    assert _reason(false)
    assert _reason(true) == ""
