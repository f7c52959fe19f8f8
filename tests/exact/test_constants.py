"""Constants, values of tanh: what is proved of them, what enclosures tell, and what stays open."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, SymbolicValueError, UndecidedError
from symattn.exact.equality import equal
from symattn.exact.evaluation import evaluate, same
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws.entropy import entropy_bounds
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.reals import constants
from symattn.exact.reals.elementary import apply
from symattn.exact.reals.sign import are_apart, compare, sign
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding, decimal, fixed_bounds, magnitude, round_value, tie
from symattn.notation.parser.plain import read_plain
from tests.exact.rational_bounds import bounds

FRACTIONS = st.fractions(-5, 5, max_denominator=20)
IDENTITY = ("tanh(3/10)", "2 tanh(3/20)/(1 + tanh(3/20)^2)")
"""Equal as numbers, as tanh 2x = 2 tanh x/(1 + tanh^2 x); not by their form."""


def value(text: str) -> Quotient:
    found = evaluate(read_plain(text), lambda *_: None)
    assert isinstance(found, Quotient)
    return found


def tanh(x: Fraction | int) -> Quotient:
    return apply("tanh", Quotient.of(x))


@given(FRACTIONS)
def test_tanh_is_odd_and_vanishes_at_zero(x: Fraction) -> None:
    assert tanh(x) == -tanh(-x)
    assert tanh(x).is_zero == (x == 0)
    assert sign(tanh(x)) == (x > 0) - (x < 0)


@given(FRACTIONS, FRACTIONS)
def test_order_is_that_of_the_arguments(x: Fraction, y: Fraction) -> None:
    assert compare(tanh(x), tanh(y)) == (x > y) - (x < y)


@given(st.lists(st.tuples(FRACTIONS, st.integers(-3, 3)), min_size=1, max_size=4))
def test_values_are_read_again_from_their_text(terms: list[tuple[Fraction, int]]) -> None:
    total = sum((weight * tanh(x) for x, weight in terms), Quotient.of(0))
    for made in (total, total * Quotient.of(Polynomial.sqrt(2)), Quotient(ExpSum.exp(2), ExpSum.exp(1) + 1) * total):
        assert value(str(made)) == made
    polynomial = total.polynomial()
    assert polynomial is not None
    assert value(str(Quotient.of(ExpSum.exp(polynomial)))) == Quotient.of(ExpSum.exp(polynomial))


@given(st.lists(st.tuples(FRACTIONS, st.integers(-3, 3)), min_size=1, max_size=3))
def test_fifty_digits_are_those_of_mpmath(terms: list[tuple[Fraction, int]]) -> None:
    total = sum((weight * tanh(x) for x, weight in terms), Quotient.of(0))
    weight = softmax_rows(Matrix([[total, 1]]))[0, 0]
    with mpmath.workdps(70):
        score = sum(w * mpmath.tanh(mpmath.mpf(x.numerator) / x.denominator) for x, w in terms)
        expected = 1 / (1 + mpmath.exp(1 - score))
        for found, right in ((total, score), (weight, expected)):
            assert abs(mpmath.mpf(decimal(found, Rounding(places=50))) - right) <= mpmath.mpf(10) ** -50
            low, high = bounds(found, 60)
            assert low <= high
            assert mpmath.mpf(low.numerator) / low.denominator <= right + mpmath.mpf(10) ** -60
        ((low_unit, high_unit),) = fixed_bounds([weight], 40)
        assert low_unit < expected * 2**40 < high_unit


def test_a_constant_within_a_constant() -> None:
    nested = value("30 tanh(2 tanh(3)/30 + sqrt(2)/4)")
    with mpmath.workdps(60):
        right = 30 * mpmath.tanh(2 * mpmath.tanh(3) / 30 + mpmath.sqrt(2) / 4)
        assert decimal(nested, Rounding(figures=40)) == mpmath.nstr(right, 40, strip_zeros=False)
    assert value(str(nested)) == nested


def test_what_is_equal_by_an_identity_only_is_undecided() -> None:
    left, right = map(value, IDENTITY)
    verdict = equal(left, right)
    assert verdict.is_undecided
    assert "4096 bits" in verdict.reason
    assert equal(Matrix([[1, left]]), Matrix([[1, right]])).is_undecided
    assert equal(Matrix([[left, 1]]), Matrix([[right, 2]])).outcome != "equal"
    for ask in (same, compare):
        with pytest.raises(UndecidedError):
            ask(left, right)
    with pytest.raises(UndecidedError):
        same(Matrix([[left]]), Matrix([[right]]))
    assert not same(Matrix([[left, 1]]), Matrix([[right, 2]]))  # another entry is proved to differ


def test_what_enclosures_tell_apart_is_different() -> None:
    assert equal(value("tanh(1)"), Quotient.of("0.76159415595576488811945828260479359041276")).is_different
    assert equal(value("tanh(1) + tanh(1)"), value("2 tanh(1)")).is_equal
    assert not same(value("tanh(1)"), value("tanh(2)"))


def test_a_divisor_that_may_be_zero_is_refused() -> None:
    with pytest.raises(UndecidedError):
        value(f"1/({IDENTITY[0]} - {IDENTITY[1]})")


def test_with_a_free_symbol_one_point_tells_apart() -> None:
    beta = Quotient.of(Polynomial.symbol("beta"))
    assert (beta * tanh(1)).symbols == frozenset({"beta"})
    assert equal(beta * tanh(1), beta * tanh(2)).is_different
    left, right = map(value, IDENTITY)
    assert equal(beta * left, beta * right).is_undecided
    with pytest.raises(SymbolicValueError, match="symbol beta"):
        decimal(beta * tanh(1), Rounding(places=2))
    with pytest.raises(InputError, match="free symbol beta"):
        apply("tanh", beta)


def test_digits_that_do_not_settle_are_an_enclosure() -> None:
    """The ratio is 1 and not known to be: cut off, its digits are 0.99 or 1.00."""
    left, right = map(value, IDENTITY)
    cut = Rounding(places=2, ties="truncate")
    assert decimal(left / right, Rounding(places=2)) == "1.00"
    assert decimal(left / right, cut) == "[0.999999999999, 1.000000000001] (not settled)"
    assert "not settled" in decimal(left - right, Rounding(figures=2))
    assert magnitude(left / right) == 0
    assert not tie(left / right, cut)
    with pytest.raises(UndecidedError):
        round_value(left / right, cut)


def test_kept_bounds_never_say_more_than_is_proved() -> None:
    left, right = map(value, IDENTITY)
    kept = KeptBounds()
    assert kept.decimal(left / right, Rounding(places=2)) == "1.00"
    assert kept.side(left / right, Fraction(1, 2)) == 1
    with pytest.raises(UndecidedError):
        kept.side(left / right, Fraction(1))


def test_values_that_are_no_numbers() -> None:
    assert apply("tanh", MINUS_INFINITY) == -1
    assert apply("tanh", UNDEFINED) is UNDEFINED


@pytest.mark.parametrize(
    "name", ["tanh(2/4)", "tanh(-1)", "tanh(0)", "tanh(x)", "tanh( 1)", "tanh()", "sinh(1)", "tanh"]
)
def test_only_normal_names_are_constants(name: str) -> None:
    with pytest.raises(InputError):
        constants.parts(name)


def test_matrices_are_taken_entry_by_entry() -> None:
    found = evaluate(read_plain("2 tanh([[1, 2], [0, -1]]/2)"), lambda *_: None)
    assert found == Matrix([[2 * tanh(Fraction(1, 2)), 2 * tanh(1)], [0, -2 * tanh(Fraction(1, 2))]])


def test_other_libraries_get_the_function() -> None:
    matrix = Matrix([[3 * tanh(Fraction(1, 2))]])
    assert str(matrix.sympy()[0, 0]) == "3*tanh(1/2)"
    assert mpmath.nstr(matrix.evaluate(20)[0], 15) == mpmath.nstr(3 * mpmath.tanh(0.5), 15)


def test_without_flint_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(InputError, match="python-flint"):
        decimal(value("tanh(7/3)"), Rounding(places=2))


NEAR = ("cos(1/10)", "sin(2)", "cos(1)^2 + sin(1)^2", "1 - exp(-9*sin(1))/10^9", "exp(-40*cos(1/2))", "2/3", "tanh(30)")
"""Values that differ by much, by little, and not at all: some are 1 less 10^-12, or 1 itself."""


def test_first_enclosures_give_the_order_of_the_difference() -> None:
    values = [value(text) for text in NEAR] + [tanh(Fraction(k, 7)) + value("sin(1)") for k in range(-200, 200, 9)]
    for first in values:
        for second in values:
            assert compare(first, second) == constants.sign((first - second).numerator)
    assert constants.order(value("cos(1)^2 + sin(1)^2"), Quotient.of(1)) == 0


@pytest.mark.parametrize("gap", ["200*sin(1)", "9000*sin(2)"])
@pytest.mark.parametrize(("figures", "expected"), [(1, "1"), (3, "1.00"), (8, "1.0000000")])
def test_figures_of_a_value_just_below_a_power_of_ten_settle(gap: str, figures: int, expected: str) -> None:
    below = value(f"1/(1 + exp(-{gap}))")
    assert decimal(below, Rounding(figures=figures)) == expected
    assert constants.rounded_index(below, Rounding(figures=figures)) == (10**figures, figures)
    assert magnitude(below) == magnitude(-below) == 0


@given(st.lists(FRACTIONS, min_size=1, max_size=5), st.sampled_from([1, 40, 900]))
def test_entropies_of_scores_with_sines_are_those_of_mpmath(angles: list[Fraction], size: int) -> None:
    scores = [apply("sin", Quotient.of(x)) * size for x in angles]
    low, high = entropy_bounds(scores, 128)
    with mpmath.workdps(80):
        own = [size * mpmath.sin(mpmath.mpf(x.numerator) / x.denominator) for x in angles]
        powers = [mpmath.exp(score - max(own)) for score in own]
        weights = [power / mpmath.fsum(powers) for power in powers]
        expected = -mpmath.fsum(weight * mpmath.log(weight) for weight in weights if weight)
        assert mpmath.mpf(low.numerator) / low.denominator <= expected + mpmath.mpf(10) ** -60
        assert expected - mpmath.mpf(10) ** -60 <= mpmath.mpf(high.numerator) / high.denominator
    assert high - low < Fraction(1, 2**100)


def test_sums_are_pickled_without_their_hashes() -> None:
    total = ExpSum.exp(Polynomial.symbol("x")) + ExpSum(Polynomial.symbol("y"))
    assert len({total, hash(total)}) == 2
    code = (
        "import pickle, sys; from symattn.exact.field.expsum import ExpSum; "
        f"found = pickle.loads({pickle.dumps(total)!r}); "
        "from symattn.exact.field.polynomial import Polynomial; "
        "made = ExpSum.exp(Polynomial.symbol('x')) + ExpSum(Polynomial.symbol('y')); "
        "sys.exit(not (hash(found) == hash(made) and found == made and (found - made).is_zero))"
    )
    for seed in ("1", "2"):
        done = subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ, "PYTHONHASHSEED": seed})
        assert done.returncode == 0


def test_bounds_in_units_hold_values_of_any_smallness() -> None:
    with mpmath.workdps(120):
        for text, exact in (
            ("sin(2)", mpmath.sin(2)),
            ("-sin(2)", -mpmath.sin(2)),
            ("10^40*cos(1)", 10**40 * mpmath.cos(1)),
            ("exp(-9*sin(1))", mpmath.exp(-9 * mpmath.sin(1))),
            ("-exp(-90000*sin(1))", mpmath.mpf(0)),
        ):
            for bits in (1, 64, 200):
                low, high = constants.fixed_bounds(value(text), bits)
                assert low <= mpmath.floor(exact * 2**bits) + (exact == 0)
                assert mpmath.floor(exact * 2**bits) < high + (exact == 0)
                assert high - low <= 2
    assert constants.fixed_bounds(value("-exp(-90000*sin(1))"), 64) == (-1, 0)


def test_lines_are_the_same_by_their_form_alone() -> None:
    first, second = value("cos(1)^2 + sin(1)^2"), Quotient.of(1)
    assert not are_apart(first, second)
    assert are_apart(value("cos(1)"), value("cos(1) + exp(-50)"))
    assert not are_apart(MINUS_INFINITY, value("cos(1)"))
