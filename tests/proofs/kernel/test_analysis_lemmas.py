"""Lemmas of calculus, signs by cases, special cases of an index: what is true is found, what is false is refused."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, NotationError
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.proof_replay import replay

_SCOPE = Scope(
    (
        Declared("n", sign="positive"),
        Declared("m", sign="positive"),
        Declared("z", ("n",)),
        Declared("t", ("n",)),
        Declared("v", ("n", "m")),
        Declared("y", sign="positive"),
        Declared("p", sign="positive"),
        Declared("d"),
        Declared("x", random=True),
    ),
    (Defined("a", ("j",), ("n",), "exp(z_j)/sum_{l=1}^{n} exp(z_l)"),),
    (
        Hypothesis("H1", "i is not r", "distinct", ("i", "r")),
        Hypothesis("H2", "t_j = j", "positions", ("t",)),
        Hypothesis("H3", "x is normal", "law", ("x",), ("gaussian", "0", "y^2")),
    ),
    ("r", "s"),
)


def _proved(*steps: Step) -> bool:
    claims = (Claim("C1", steps[-1].before, steps[-1].relation, steps[-1].after, (steps[-1].id,)),)
    return replay(Proof("p", "", "", (), _SCOPE, claims, steps)).is_proved


def _step(rule: str, before: str, relation: str, after: str, *hypotheses: str, **arguments: str) -> Step:
    return Step("1", rule, before, relation, after, hypotheses, (), tuple(arguments.items()))


def _sign(left: str, right: str, *hypotheses: str, difference: str = "") -> bool:
    arguments = {"difference": difference} if difference else {}
    return _proved(_step("evident sign", left, "≤", right, *hypotheses, **arguments))


# Signs ---------------------------------------------------------------------------------------------


def test_weights_of_other_keys_are_looked_at_by_cases() -> None:
    assert _sign("a_r", "1", difference="sum_{l=1}^{n} (1 - delta_{l,r}) a_l")
    assert _sign("a_r + a_s", "1", difference="sum_{l=1}^{n} (1 - delta_{l,r} - delta_{l,s}) a_l")


@pytest.mark.parametrize(
    "difference",
    ["sum_{l=1}^{n} (1 - 2 delta_{l,r}) a_l", "sum_{l=1}^{n} (1 - delta_{l,r} - delta_{l,r}) a_l"],
)
def test_a_case_with_another_sign_is_refused(difference: str) -> None:
    assert not _sign("2 a_r", "1", difference=difference)


def test_a_hypothesis_on_an_index_says_nothing_of_a_sum_over_its_name() -> None:
    """With i distinct from r, -delta_{i,r} is zero; the sum of -delta_{i,r} over all i is -1."""
    assert not _sign("0", "-1", "H1", difference="sum_{i=1}^{n} (0 - delta_{i,r})")


@pytest.mark.parametrize("body", ["0 - 1", "itself"])
def test_what_a_record_says_of_the_sign_of_an_abbreviation_is_not_believed(body: str) -> None:
    scope = Scope((), (Defined("itself", (), (), body, "positive"),))
    step = _step("evident sign", "0", "≤", "itself")
    proof = Proof("p", "", "", (), scope, (Claim("C1", "0", "≤", "itself", ("1",)),), (step,))
    try:
        is_proved = replay(proof).is_proved
    except (InputError, NotationError):
        is_proved = False  # the record as a whole is refused
    assert not is_proved


# Rules ---------------------------------------------------------------------------------------------

_EVERY = Step("1", "algebra", "a_j a_j", "=", "a_j^2")


def _case(before: str, after: str, index: str, value: str) -> bool:
    arguments = (("index", index), ("value", value))
    return _proved(_EVERY, Step("2", "special case", before, "=", after, (), ("1",), arguments))


def test_one_value_of_a_free_index() -> None:
    assert _case("a_1 a_1", "a_1^2", "j", "1")
    assert _case("a_r a_r", "a_r^2", "j", "r")
    assert not _case("a_2 a_1", "a_2^2", "j", "2")
    assert not _case("a_2 a_2", "a_2^2", "a", "2")


def test_an_index_of_which_something_is_assumed_has_no_special_case() -> None:
    first = Step("1", "substitution", "delta_{i,r}", "=", "0", ("H1",))
    arguments = (("index", "i"), ("value", "r"))
    assert not _proved(first, Step("2", "special case", "delta_{r,r}", "=", "0", (), ("1",), arguments))


def test_hyperbolic_tangents_are_exponentials() -> None:
    assert _proved(_step("hyperbolic tangent", "tanh(d/4)", "=", "(e^{d/2} - 1)/(e^{d/2} + 1)"))
    assert _proved(_step("hyperbolic tangent", "tanh(2 d) (1 + tanh(d)^2)", "=", "2 tanh(d)"))
    assert not _proved(_step("hyperbolic tangent", "tanh(d/2)", "=", "(e^{d/2} - 1)/(e^{d/2} + 1)"))


def test_norms_from_squares() -> None:
    first = Step("1", "evident sign", "z^T z", "≤", "2 z^T z", arguments=(("difference", "z^T z"),))
    assert _proved(first, Step("2", "absolute values", "norm(z)", "≤", "sqrt(2) norm(z)", (), ("1",)))
    assert not _proved(first, Step("2", "absolute values", "norm(z)", "≤", "2 norm(z)", (), ("1",)))
    assert not _proved(first, Step("2", "absolute values", "norm(z)", "≤", "-sqrt(2) norm(z)", (), ("1",)))


def test_absolute_values_from_squares() -> None:
    first = Step("1", "lemma:tanh-at-most", "tanh(d)^2", "≤", "d^2")
    assert _proved(first, Step("2", "absolute values", "abs(tanh(d))", "≤", "abs(d)", (), ("1",)))
    assert not _proved(first, Step("2", "absolute values", "abs(tanh(d))", "≤", "d", (), ("1",)))
    assert not _proved(first, Step("2", "absolute values", "abs(tanh(d))", "<", "abs(d)", (), ("1",)))


# Lemmas --------------------------------------------------------------------------------------------


def test_logarithms_keep_the_order_of_positive_numbers() -> None:
    assert _proved(_step("lemma:log-increasing", "y ≤ e^d", "⇔", "log(y) ≤ d"))
    assert not _proved(_step("lemma:log-increasing", "d ≤ y", "⇔", "log(d) ≤ log(y)"))
    assert not _proved(_step("lemma:log-increasing", "y ≤ e^d", "⇔", "log(y) ≥ d"))
    assert not _proved(_step("lemma:log-increasing", "y ≤ e^d", "⇔", "log(y) ≤ 2 d"))
    assert _proved(_step("lemma:log-increasing", "y ≤ 2 e^d", "⇔", "log(y) ≤ log(2) + d"))
    assert not _proved(_step("lemma:log-increasing", "y ≤ 2 e^d", "⇔", "log(y) ≤ log(2) d"))


def test_a_logarithm_is_below_its_tangent_at_1() -> None:
    assert _proved(_step("lemma:log-tangent", "log(y)", "≤", "y - 1"))
    assert _proved(_step("lemma:log-tangent", "ln(2 y)", "≤", "2 y - 1"))
    assert not _proved(_step("lemma:log-tangent", "log(y)", "<", "y - 1"))
    assert not _proved(_step("lemma:log-tangent", "log(y)", "≥", "y - 1"))
    assert not _proved(_step("lemma:log-tangent", "log(y)", "≤", "y"))
    assert not _proved(_step("lemma:log-tangent", "log(2 y)", "≤", "y - 1"))
    assert not _proved(_step("lemma:log-tangent", "log(d)", "≤", "d - 1"))
    assert not _proved(_step("lemma:log-tangent", "exp(y)", "≤", "y - 1"))


def _change(left: str, right: str, of: str = "exp(d)/(exp(d) + y)") -> bool:
    slope, square = "y exp(d)/(exp(d) + y)^2", "exp(d)^2 + y exp(d) + y^2"
    return _proved(
        Step("1", "differentiation", "diff(exp(d)/(exp(d) + y), d)", "=", slope),
        Step("2", "evident sign", slope, "≤", "1", arguments=(("difference", f"({square})/(exp(d) + y)^2"),)),
        Step("3", "lemma:mean-value", left, "≤", right, (), ("1", "2"), (("over", "d"), ("of", of))),
    )


def test_a_change_is_at_most_the_largest_slope() -> None:
    assert _change("exp(1)/(exp(1) + y) - 1/(1 + y)", "1")
    assert not _change("exp(1)/(exp(1) + y) - 1/(1 + y)", "1/2")
    assert not _change("exp(2)/(exp(2) + y) - 1/(1 + y)", "1")
    assert not _change("1/(1 + y) - exp(1)/(exp(1) + y)", "1")
    assert not _change("9 exp(1)/(exp(1) + y) - 9/(1 + y)", "1", of="9 exp(d)/(exp(d) + y)")


def test_a_slope_is_bounded_at_every_place_by_one_number() -> None:
    """From 0 to 1 minus the square falls by 1: the slope is at most -2 where d is at least 1, and at most itself."""

    def falls(most: str, shown: str, *hypotheses: str, above: str = "") -> bool:
        bounded = (Hypothesis("H4", "d is at least 1", "at-most", ("d",), (above, "d")),) if above else ()
        scope = replace(_SCOPE, hypotheses=(*_SCOPE.hypotheses, *bounded))
        steps = (
            Step("1", "differentiation", "diff(-d^2, d)", "=", "-2 d"),
            Step("2", "evident sign", "-2 d", "≤", most, hypotheses, (), (("difference", shown),)),
            Step("3", "lemma:mean-value", "-1", "≤", most, (), ("1", "2"), (("over", "d"), ("of", "-d^2"))),
        )
        found = replay(Proof("p", "", "", (), scope, (Claim("C1", "-1", "≤", most, ("3",)),), steps))
        assert [item.proved for item in found.steps[:2]] == [True, True]
        return found.is_proved

    assert not falls("-2 d", "0")
    assert not falls("-2", "2 (d - 1)", "H4", above="1")


def test_a_tangent_is_below_its_argument() -> None:
    assert not _proved(_step("lemma:tanh-at-most", "tanh(d)^2", "≤", "(d/2)^2"))
    assert not _proved(_step("lemma:tanh-at-most", "tanh(d)", "≤", "d"))


def test_the_triangle_inequality_wants_weights_that_are_not_negative() -> None:
    def found(weight: str, right: str = "v_j") -> bool:
        left = f"norm(sum_{{j=1}}^{{n}} ({weight}) v_j)"
        return _proved(_step("lemma:triangle-inequality", left, "≤", f"sum_{{j=1}}^{{n}} ({weight}) norm({right})"))

    assert found("a_j")
    assert found("1 - delta_{j,r}")
    assert not found("z_j")
    assert not found("1 - 2 delta_{j,r}")
    assert not found("a_j", "v_r")
    assert not found("v_j")


def _tail(left: str, right: str, *hypotheses: str, at: str = "r", rate: str = "y") -> bool:
    return _proved(
        Step("1", "growth of exp", "exp(-y)", "<", "exp(0)"),
        Step(
            "2", "lemma:geometric-tail", left, "≤", right, hypotheses, ("1",),
            (("positions", "t"), ("at", at), ("rate", rate)),
        ),
    )  # fmt: skip


_LEFT, _RIGHT = "sum_{j=1}^{n} (1 - delta_{j,r}) exp(-y (t_j - t_r)^2)", "2 e^{-y}/(1 - e^{-y})"


def test_a_geometric_tail() -> None:
    assert _tail(_LEFT, _RIGHT, "H2")
    assert not _tail(_LEFT, _RIGHT)
    assert not _tail(_LEFT.replace("(1 - delta_{j,r})", "1"), _RIGHT, "H2")
    assert not _tail(_LEFT.replace("delta_{j,r}", "delta_{j,s}"), _RIGHT, "H2")
    assert not _tail(_LEFT.replace("-y", "y"), _RIGHT, "H2")
    assert not _tail(_LEFT.replace("(t_j - t_r)^2", "(z_j - z_r)^2"), _RIGHT, "H2")
    assert not _tail(_LEFT, _RIGHT.replace("2 ", ""), "H2")
    assert not _tail(_LEFT.replace("-y", "-d"), _RIGHT.replace("y", "d"), "H2", rate="d")


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 100))
def test_the_tail_is_what_the_lemma_says(n: int, r: int, hundredths: int) -> None:
    b = mpmath.mpf(hundredths) / 20
    found = mpmath.fsum(mpmath.exp(-b * (j - r) ** 2) for j in range(1, n + 1) if j != r)
    assert found <= 2 * mpmath.exp(-b) / (1 - mpmath.exp(-b))


# Taylor: the function x^2, whose second derivative is 2 and whose fourth is 0.

_SQUARE = (("x^2", "2 x"), ("2 x", "2"), ("2", "0"), ("0", "0"))


def _taylor(left: str, right: str, of: str = "x^2", bound: str = "0", hypotheses: tuple[str, ...] = ("H3",)) -> bool:
    steps = [
        Step(str(n), "differentiation", f"diff({one}, x)", "=", other) for n, (one, other) in enumerate(_SQUARE, 1)
    ]
    steps += [Step("5", "evident sign", "0", "≤", bound), Step("6", "evident sign", f"-{bound}", "≤", "0")]
    arguments = (("over", "x"), ("of", of), ("bound", bound))
    ids = tuple(step.id for step in steps)
    return _proved(*steps, Step("7", "lemma:taylor-mean", left, "≤", right, hypotheses, ids, arguments))


def test_taylor_for_a_mean() -> None:
    assert _taylor("abs(E(x^2) - y^2)", "0")
    assert _taylor("abs(E(x^2) - y^2)", "y^4/8", bound="1")
    assert not _taylor("abs(E(x^2) - y^2/2)", "0")
    assert not _taylor("abs(E(x^2) - y^2)", "0", of="x^3")
    assert not _taylor("abs(E(x^2) - y^2)", "y^4/16", bound="1")
    assert not _taylor("abs(E(x^2) - y^2)", "0", hypotheses=())
