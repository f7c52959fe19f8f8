"""Rules that look at how a step is written: what they prove, and what must not pass."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.exact.indexed.expression import Expr
from symattn.proofs.catalogue.authoring.theorem import Builder
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.elementary_functions import are_equal_as_angles, logarithm
from symattn.proofs.proof_replay import replay


def _builder() -> Builder:
    b = Builder("x", "x", "x")
    for name in ("n", "d", "c"):
        b.declare(name, sign="positive")
    for name in ("x", "y", "beta"):
        b.declare(name)
    b.declare("z", "n")
    b.declare("w", "n")
    b.declare("P", "n", "n")
    b.declare("R", "n", "n")
    b.define("s", "sqrt(x^2 + 1)", sign="positive")
    b.define("T", "P R")
    b.define("U", "R P")
    return b


def _proved(b: Builder) -> bool:
    return replay(_built(b)).is_proved


def _built(b: Builder) -> Proof:
    return b.proof()


@pytest.mark.parametrize(
    ("left", "right", "is_right"),
    [
        ("sqrt(c^2 x^2 + c^2)", "c s", True),
        ("sqrt(c^2)", "c", True),
        ("sqrt(x^2)", "x", False),
        ("sqrt(x^2)", "-x", False),
        ("sqrt(x^2 + 1)", "s + 0", True),
        ("sqrt(x^2 + 1)", "s + 1", False),
        ("sqrt(c^2)", "-c", False),
        ("c^2", "c", False),
    ],
)
def test_a_root_is_what_is_not_negative_and_has_the_square(left: str, right: str, is_right: bool) -> None:
    b = _builder()
    b.chain(left).then("=", right, "square root").claim()
    assert _proved(b) is is_right


@pytest.mark.parametrize(
    ("relation", "left", "right", "is_right"),
    [
        ("≤", "exp(-x^2)", "exp(0)", True),
        ("<", "exp(-c)", "exp(c)", True),
        ("<", "exp(-x^2)", "exp(0)", False),
        (">", "exp(-c)", "exp(c)", False),
        ("≤", "exp(x)", "exp(y)", False),
        ("≤", "x - c", "x", False),
    ],
)
def test_exponentials_compare_as_their_exponents(relation: str, left: str, right: str, is_right: bool) -> None:
    b = _builder()
    b.chain(left).then(relation, right, "growth of exp").claim()
    assert _proved(b) is is_right


def _below(b: Builder, hypothesis: str, index: str) -> str:
    return b.chain(f"z_{index}").then("≤", f"w_{index}", "evident sign", hypothesis).last


def test_sums_compare_term_by_term() -> None:
    b = _builder()
    every = b.assume("at-most", "z w", "every $z_i$ is at most $w_i$", "z_i", "w_i")
    below = _below(b, every, "l")
    b.chain("sum_{l=1}^{n} z_l").then("≤", "sum_{l=1}^{n} w_l", "term by term", premises=(below,)).claim()
    assert _proved(b)


@pytest.mark.parametrize(
    ("relation", "right"), [("<", "sum_{l=1}^{n} w_l"), ("≥", "sum_{l=1}^{n} w_l"), ("≤", "sum_{k=1}^{n} w_l")]
)
def test_sums_do_not_compare_otherwise(relation: str, right: str) -> None:
    b = _builder()
    every = b.assume("at-most", "z w", "every $z_i$ is at most $w_i$", "z_i", "w_i")
    below = _below(b, every, "l")
    b.chain("sum_{l=1}^{n} z_l").then(relation, right, "term by term", premises=(below,)).claim()
    assert not _proved(b)


def test_one_index_says_nothing_about_all() -> None:
    b = _builder()
    one = b.assume("at-most", "z w", "this $z_l$ is at most $w_l$", "z_l", "w_l")
    below = _below(b, one, "l")
    b.chain("sum_{l=1}^{n} z_l").then("≤", "sum_{l=1}^{n} w_l", "term by term", premises=(below,)).claim()
    assert not _proved(b)


def test_a_fixed_index_says_nothing_about_all() -> None:
    b = _builder()
    b.fixed.extend(("a", "k"))
    gone = b.chain("delta_{ak}").then("=", "0", "algebra").last
    b.chain("sum_{a=1}^{n} delta_{ak} z_a").then("=", "0", "earlier result", premises=(gone,)).claim()
    assert not _proved(b)


def test_distinct_indices_say_nothing_about_all() -> None:
    b = _builder()
    apart = b.assume("distinct", "i l", "$i$ is not $l$")
    gone = b.chain("delta_{il}").then("=", "0", "substitution", apart).last
    b.chain("sum_{l=1}^{n} delta_{il} z_l").then("=", "0", "earlier result", apart, premises=(gone,)).claim()
    assert not _proved(b)


@pytest.mark.parametrize(
    ("left", "right", "letters", "is_right"),
    [
        ("(s + 1)^2", "s^2 + 2 s + 1", "s", True),
        ("s^2", "x^2 + 1", "s", False),
        ("(s + x)/s", "1 + x/s", "s", True),
        ("diff(s, x)", "0", "s", False),
        ("T - U", "U - T", "T U", False),
        ("T U", "U T", "T U", False),
        ("x s", "s x", "x", False),
    ],
)
def test_letters_hide_what_they_stand_for(left: str, right: str, letters: str, is_right: bool) -> None:
    b = _builder()
    b.chain(left).then("=", right, "algebra in letters", letters=letters).claim()
    assert _proved(b) is is_right


def test_an_abbreviation_of_a_derivative_is_no_letter() -> None:
    b = _builder()
    b.define("g", "diff(x s, x)")
    b.chain("g").then("=", "s", "algebra in letters", letters="s").claim()
    assert not _proved(b)


@pytest.mark.parametrize(
    ("right", "is_right"),
    [
        ("diff(x, x)/s - x diff(s, x)/s^2", True),
        ("diff(x, x)/s + x diff(s, x)/s^2", False),
        ("diff(x, x)/s - x diff(s, x)/s", False),
        ("diff(x, x)/s - s diff(s, x)/s^2", False),
        ("diff(x, y)/s - x diff(s, x)/s^2", False),
        ("diff(s, x)/s - x diff(s, x)/s^2", False),
    ],
)
def test_the_quotient_rule(right: str, is_right: bool) -> None:
    b = _builder()
    b.chain("diff(x/s, x)").then("=", right, "quotient rule").claim()
    assert _proved(b) is is_right


@pytest.mark.parametrize(
    ("left", "right", "is_right"),
    [
        ("sin(x + y)", "sin(x) cos(y) + cos(x) sin(y)", True),
        ("sin(x - y)", "sin(x) cos(y) + cos(x) sin(y)", False),
        ("cos(2 x)", "1 - 2 sin(x)^2", True),
        ("cos(2 x)", "1 - sin(x)^2", False),
        ("sin(3 x)", "3 sin(x) - 4 sin(x)^3", True),
        ("sin(x)^2 + cos(y)^2", "1", False),
        ("cos(-x)", "cos(x)", True),
        ("sin(-x)", "sin(x)", False),
        ("sin(0)", "0", True),
        ("sin(x^2 + y)", "sin(x^2) cos(y) + cos(x^2) sin(y)", True),
    ],
)
def test_the_addition_theorems(left: str, right: str, is_right: bool) -> None:
    b = _builder()
    b.chain(left).then("=", right, "addition theorems").claim()
    assert _proved(b) is is_right


def _cos(angle: Expr) -> Expr:
    return Expr.function("cos", angle)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=2), st.booleans())
def test_equal_angles_are_equal_in_numbers(parts: list[tuple[int, int]], is_product: bool) -> None:
    x, y = Expr.scalar("x"), Expr.scalar("y")
    first, second = (x * p + y * q for p, q in parts)
    left = _cos(first) * _cos(second) * 2
    right = _cos(first + second) + (_cos(first - second) if is_product else _cos(first + second))
    with mpmath.workdps(30):
        a, b = mpmath.mpf("0.7"), mpmath.mpf("1.9")
        one, two = (p * a + q * b for p, q in parts)
        value = mpmath.cos(one + two) + (mpmath.cos(one - two) if is_product else mpmath.cos(one + two))
        is_equal = mpmath.almosteq(2 * mpmath.cos(one) * mpmath.cos(two), value, abs_eps=mpmath.mpf("1e-25"))
    assert are_equal_as_angles(left, right) == is_equal


def test_logarithms_come_apart_only_where_every_factor_is_positive() -> None:
    x, y, s = Expr.scalar("x"), Expr.scalar("y"), Expr.scalar("s")
    log = Expr.log
    assert logarithm(x * y, {"x", "y"}) == log(x) + log(y)
    assert logarithm(x * y, {"x"}) == log(x) + log(y)  # y is positive where the product is
    assert logarithm(x * y, set()) != log(x) + log(y)
    assert logarithm(s**2, set()) != 2 * log(s)
    assert logarithm(s**2, {"s"}) == 2 * log(s)
    assert logarithm(1 / (x + y), set()) == -log(x + y)
    assert logarithm(-x, {"x"}) == log(-x)
    assert logarithm(Expr.exp(x) * 6, set()) == x + log(Expr(6))
    assert logarithm(Expr.exp(x) / 6, set()) == x - log(Expr(6))
