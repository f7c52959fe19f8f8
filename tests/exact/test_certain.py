"""Numbers beyond the decidable theory: what is equal by its form, what enclosures tell, what stays open."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError, SymbolicValueError, UndecidedError
from symattn.exact.equality import equal
from symattn.exact.evaluation import evaluate, same
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.reals import elementary
from symattn.exact.reals.sign import compare, sign
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.quotients import Rounding, decimal, fixed_bounds, magnitude, round_value
from symattn.notation.parser.plain import read_plain
from tests.exact.rational_bounds import bounds

E = Quotient(ExpSum.exp(1))
ROOTS = [elementary.sqrt(E + k) for k in range(3)]
FRACTIONS = st.fractions(-4, 4, max_denominator=12)
LEAVES = st.one_of(FRACTIONS.map(Quotient.of), st.sampled_from([E, 1 / (E + 1), *ROOTS, elementary.exp(E / 2)]))
NUMBERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        inner.map(lambda value: -value),
    ),
    max_leaves=5,
)


@settings(max_examples=15)
@given(NUMBERS, NUMBERS, NUMBERS, FRACTIONS)
def test_laws_of_arithmetic_hold_by_form(a: Quotient, b: Quotient, c: Quotient, k: Fraction) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a * b == b * a
    assert (a * b) * c == a * (b * c)
    assert (a + b) * k == a * k + b * k
    assert (a - a).is_zero
    assert a - b == a + -b


@settings(max_examples=15)
@given(NUMBERS, NUMBERS)
def test_enclosures_hold_the_number(a: Quotient, b: Quotient) -> None:
    product = a * b + a
    low, high = (Fraction(end) / 2**60 for end in fixed_bounds([product], 60)[0])
    pieces = [[Fraction(end) / 2**80 for end in fixed_bounds([value], 80)[0]] for value in (a, b)]
    corners = [x * y + x for x in pieces[0] for y in pieces[1]]
    assert low <= max(corners)
    assert min(corners) <= high


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sqrt(e + 1)", lambda m: m.sqrt(m.e + 1)),
        ("e^(e^(1/2))", lambda m: m.exp(m.sqrt(m.e))),
        ("erf(e)", lambda m: m.erf(m.e)),
        ("erf(1/3)", lambda m: m.erf(m.mpf(1) / 3)),
        ("tanh(sqrt(2/pi)*e)", lambda m: m.tanh(m.sqrt(2 / m.pi) * m.e)),
        ("1/sqrt(e) - sqrt(e)", lambda m: 1 / m.sqrt(m.e) - m.sqrt(m.e)),
        ("max(sqrt(e), 2)", lambda m: m.mpf(2)),
        ("ReLU(1 - sqrt(e))", lambda m: m.mpf(0)),
        ("(sqrt(e + 1) - 1)^5", lambda m: (m.sqrt(m.e + 1) - 1) ** 5),
    ],
)
def test_thirty_digits_are_those_of_mpmath(text: str, value: object) -> None:
    found = evaluate(read_plain(text), lambda *_: None)
    assert isinstance(found, Quotient)
    with mpmath.workdps(60):
        right = value(mpmath)  # type: ignore[operator]
        assert abs(mpmath.mpf(decimal(found, Rounding(places=30))) - right) <= mpmath.mpf(10) ** -30


def test_what_folds_to_a_closed_form() -> None:
    root = elementary.sqrt(E + 1)
    assert str(root * root) == "exp(1) + 1"
    assert (root / root).rational() == 1
    assert str(root**3 / root) == "exp(1) + 1"
    assert (E - 1) / elementary.sqrt((E - 1) * (E - 1)) == 1
    assert (1 - E) / elementary.sqrt((E - 1) * (E - 1) / 4) == -2
    assert (0 * root).rational() == 0
    assert elementary.sqrt(Quotient.of("4/9")).rational() == Fraction(2, 3)


def test_order_sign_and_size() -> None:
    root = elementary.sqrt(E)
    assert compare(root, Quotient.of("1.6487")) == 1
    assert sign(root - 2) == -1
    assert magnitude(root * 100) == 2
    low, high = bounds(root, 40)
    assert low < high
    assert round_value(root, Rounding(places=2)) == Quotient.of("1.65")


def test_equal_numbers_of_another_form_are_not_decided() -> None:
    product, root = elementary.sqrt(E) * elementary.sqrt(E + 1), elementary.sqrt(E * (E + 1))
    with pytest.raises(UndecidedError):
        same(product, root)
    assert equal(product, root).outcome == "undecided"
    assert equal(product, root + 1).outcome == "different"
    assert equal(product, elementary.sqrt(E + 1) * elementary.sqrt(E)).is_equal


def test_a_softmax_of_such_scores() -> None:
    root = elementary.sqrt(E)
    weights = softmax_rows(Matrix([[root, 1, MINUS_INFINITY], [root, root, root]]))
    with mpmath.workdps(40):
        right = 1 / (1 + mpmath.exp(1 - mpmath.sqrt(mpmath.e)))
        assert abs(mpmath.mpf(decimal(weights[0, 0], Rounding(places=30))) - right) < mpmath.mpf(10) ** -29
    assert weights[0, 2].is_zero
    assert decimal(weights[1, 0], Rounding(places=5)) == "0.33333"


def test_many_steps_inside_each_other() -> None:
    value = elementary.sqrt(E)
    for _ in range(1200):
        value = elementary.sqrt(value + 1)
    with mpmath.workdps(30):
        assert abs(mpmath.mpf(decimal(value, Rounding(places=20))) - (1 + mpmath.sqrt(5)) / 2) < mpmath.mpf(10) ** -19


def test_copies_are_the_same_number() -> None:
    value = elementary.sqrt(elementary.sqrt(E) + 1) * 3 + E
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - what was dumped here
    assert copy.deepcopy(value) == value


def test_what_is_refused() -> None:
    root = elementary.sqrt(E)
    for ask in (lambda: root.numerator, lambda: root.denominator, lambda: root.with_numerator(ExpSum(1))):
        with pytest.raises(InputError, match="known by its enclosures"):
            ask()
    with pytest.raises(InputError, match="free symbol x"):
        root + Quotient.of(Polynomial.symbol("x"))
    with pytest.raises((InputError, SymbolicValueError), match="x"):
        elementary.sqrt(Quotient.of(Polynomial.symbol("x")))
    with pytest.raises(InputError, match="negative"):
        elementary.sqrt(Quotient.of(-1))
    with pytest.raises(InputError, match="too large"):
        root**10_000


def test_what_is_no_number_passes_through() -> None:
    root = elementary.sqrt(E)
    assert root + MINUS_INFINITY is MINUS_INFINITY
    assert MINUS_INFINITY * root is MINUS_INFINITY
    assert root * UNDEFINED is UNDEFINED
    assert UNDEFINED / root is UNDEFINED
    assert elementary.exp(MINUS_INFINITY).is_zero
    assert elementary.sqrt(UNDEFINED) is UNDEFINED


def test_nothing_over_what_may_be_nothing_stays_open() -> None:
    """sqrt(e) sqrt(e + 1) - sqrt(e^2 + e) is 0, which enclosures cannot tell: 0 over it is not 0."""
    unknown = elementary.sqrt(E) * elementary.sqrt(E + 1) - elementary.sqrt(E * (E + 1))
    assert (0 / (unknown + 1)).is_zero
    assert (0 * elementary.sqrt(E) / elementary.sqrt(E + 1)).is_zero
    nothing = 0 / unknown
    assert not nothing.is_zero
    assert decimal(nothing, Rounding(places=3)) == "not settled"
    assert str(nothing) == "[-inf, inf]"


def test_a_power_too_long_to_be_written_out_is_enclosed() -> None:
    terms = ExpSum.weighted([ExpSum.exp(Fraction(k, 7)) for k in range(300)], [1] * 300)
    long = Quotient(terms, ExpSum.exp(1) + 1)
    square = elementary.power(long, 2)
    assert not square.is_closed
    assert square == elementary.power(long, 2)
    assert sign(square - elementary.power(long, 2) / 2) == 1
    (low, high), (below, above) = fixed_bounds([square], 60)[0], fixed_bounds([long], 80)[0]
    assert low * 2**100 <= above * above
    assert below * below <= high * 2**100


@pytest.mark.parametrize("power", [2, -2, 3, -3])
def test_a_long_closed_form_in_a_power_of_a_product_is_enclosed(power: int) -> None:
    """(sqrt(e) x)^k where x^k has too many terms: it is e^(k/2) x^k, whose ends are those of x to the power."""
    terms = ExpSum.weighted([ExpSum.exp(Fraction(k, 7)) for k in range(300)], [1] * 300)
    long = Quotient(terms, ExpSum.exp(1) + 1) * Fraction(1, 10**18)
    made = (elementary.sqrt(E + 1) * long) ** power
    (low, high), (root, above) = fixed_bounds([made], 80)[0], fixed_bounds([elementary.sqrt(E + 1) * long], 120)[0]
    ends = sorted(Fraction(end, 2**120) ** power for end in (root, above))
    assert Fraction(low, 2**80) <= ends[1]
    assert ends[0] <= Fraction(high, 2**80)
    assert made == (long * elementary.sqrt(E + 1)) ** power


# Sums that are not written out ------------------------------------------------------------------------


@pytest.mark.parametrize("with_sines", [False, True])
def test_long_sums_have_the_digits_of_mpmath(*, with_sines: bool) -> None:
    """1/(1 + e^(k/8) + e^(2k/9) + ...) over six k: over one denominator there would be millions of terms."""
    angle = elementary.apply("sin", Quotient.of(1)).polynomial() if with_sines else Polynomial(1)
    assert angle is not None
    sums = [sum((ExpSum.exp(angle * Fraction(k * j, 7 + j)) for j in range(8)), ExpSum()) for k in range(1, 7)]
    found = elementary.total(*(Quotient(1, below) for below in sums))
    assert not found.is_closed
    with mpmath.workdps(60):
        x = mpmath.sin(1) if with_sines else mpmath.mpf(1)
        expected = sum(1 / sum(mpmath.exp(x * k * j / (7 + j)) for j in range(8)) for k in range(1, 7))
        assert abs(mpmath.mpf(decimal(found, Rounding(places=40))) - expected) <= mpmath.mpf(10) ** -40 / 2


def test_short_sums_keep_their_closed_form() -> None:
    a, b = Quotient(1, ExpSum.exp(1) + 1), Quotient(ExpSum.exp(2), ExpSum.exp(1) + 1)
    assert elementary.total(a, b, -a) == b
    assert elementary.total(a, b, -a).is_closed
