"""Certified digits outside the decidable theory: mpmath and ties as oracles, hostile sizes, what stays open."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint
import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError, SymbolicValueError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws.integrals import GaussianTail, integral
from symattn.exact.numerals.decimals import TIES, Rounding
from symattn.exact.reals import certified_digits as c
from symattn.exact.reals.computable import MAX_DEPTH
from symattn.exact.rounding.quotients import decimal as exponential_decimal
from symattn.exact.rounding.quotients import format_rational
from tests.exact.rational_bounds import bounds, bounds_of_real
from tests.exact.strategies import fractions

Mp = Callable[[Any], Any]


def of_quotient(value: Quotient) -> c.Real:
    """A number of the decidable theory as one that is known by its enclosures."""
    rational = value.rational()
    if rational is not None:
        return c.known(rational)

    def compute(bits: int) -> Any:
        low, high = (flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in bounds(value, bits))
        return low.union(high)

    return c.Real(compute)


FUNCTIONS: dict[str, tuple[Callable[[c.RealLike], c.Real], Mp]] = {
    "exp": (c.exp, mpmath.exp),
    "erf": (c.erf, mpmath.erf),
    "erfc": (c.erfc, mpmath.erfc),
    "Phi": (c.Phi, mpmath.ncdf),
    "tanh": (c.tanh, mpmath.tanh),
    "sin": (c.sin, mpmath.sin),
    "cos": (c.cos, mpmath.cos),
    "sqrt": (lambda x: c.sqrt(c.real(x) * c.real(x) + 1), lambda x: mpmath.sqrt(x * x + 1)),
    "log": (lambda x: c.log(c.real(x) * c.real(x) + 2), lambda x: mpmath.log(x * x + 2)),
}

names = st.sampled_from(sorted(FUNCTIONS))


def mp(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def as_fraction(value: Any) -> Fraction:
    mantissa, exponent = mpmath.frexp(value)
    return Fraction(int(mpmath.ldexp(mantissa, 400))) * Fraction(2) ** (int(exponent) - 400)


# value, digits from tables
KNOWN: list[tuple[str, c.Real, str]] = [
    ("Phi(sqrt 2)", c.Phi(c.sqrt(2)), "0.921350396474857434670610317541"),
    ("(1 - erf 1)/2", (1 - c.erf(1)) / 2, "0.0786496035251425653293896824587"),
    ("erfc(1)/2", c.erfc(1) / 2, "0.0786496035251425653293896824587"),
    ("pi", c.pi(), "3.14159265358979323846264338328"),
    ("e", c.exp(1), "2.71828182845904523536028747135"),
    ("log 2", c.log(2), "0.693147180559945309417232121458"),
    ("sqrt 2", c.sqrt(2), "1.41421356237309504880168872421"),
]


@pytest.mark.parametrize(("value", "text"), [row[1:] for row in KNOWN], ids=[row[0] for row in KNOWN])
def test_known_digits(value: c.Real, text: str) -> None:
    found = c.figures(value, 30)
    assert found.is_settled
    assert found.text == text


@given(names, fractions(size=30, denominator=50))
def test_the_digits_are_those_of_mpmath(name: str, x: Fraction) -> None:
    ours, theirs = FUNCTIONS[name]
    with mpmath.workdps(120):
        value = as_fraction(theirs(mp(x)))
    found = c.figures(ours(x), 50)
    assert found.is_settled
    assert found.text == format_rational(value, Rounding(figures=50))


@given(names, fractions(size=5, denominator=50))
def test_enclosures_hold_the_value_and_shrink(name: str, x: Fraction) -> None:
    ours, theirs = FUNCTIONS[name]
    with mpmath.workdps(100):
        value = as_fraction(theirs(mp(x)))
    widths = []
    for bits in (32, 64, 128, 256):
        ends = bounds_of_real(ours(x), bits)
        assert ends is not None
        slack = abs(value) / 2**300  # of mpmath's own rounding
        assert ends[0] - slack <= value <= ends[1] + slack
        widths.append(ends[1] - ends[0])
    assert all(wide >= 2**20 * narrow for wide, narrow in pairwise(widths))


@given(fractions(), fractions(), st.integers(0, 6), st.sampled_from(TIES))
def test_rationals_round_as_rationals(x: Fraction, y: Fraction, places: int, ties: str) -> None:
    rounding = Rounding(places=places, ties=ties)
    assert c.decimal(c.real(x) + y, rounding).text == format_rational(x + y, rounding)
    assert c.decimal(c.real(x) * y, rounding).text == format_rational(x * y, rounding)
    assert c.decimal(-c.real(x), rounding).text == format_rational(-x, rounding)
    if y:
        assert c.decimal(c.real(x) / y, rounding).text == format_rational(x / y, rounding)
        assert c.decimal(x / c.real(y), rounding).text == format_rational(x / y, rounding)


@given(fractions(size=4), st.integers(0, 12), st.sampled_from(TIES))
def test_exponentials_round_as_the_decidable_theory_rounds_them(x: Fraction, places: int, ties: str) -> None:
    rounding = Rounding(places=places, ties=ties)
    value = Quotient(ExpSum.exp(x) - 2, ExpSum.exp(-x) + 1)
    found = c.decimal((c.exp(x) - 2) / (c.exp(-x) + 1), rounding)
    assert found.is_settled
    assert found.text == exponential_decimal(value, rounding)
    taken_over = c.decimal(of_quotient(value), rounding)
    assert taken_over.is_settled
    assert taken_over.text == found.text


@given(st.sampled_from(["0.125", "-0.125", "0.375", "0.005", "-0.005", "2.5", "0.1"]), st.sampled_from(TIES))
def test_exact_ties_are_rounded_by_their_rule(text: str, ties: str) -> None:
    for places in (0, 1, 2):
        rounding = Rounding(places=places, ties=ties)
        made = [c.real(text), c.real(text) * c.exp(0), c.sqrt(2) * c.sqrt("1/2") * text, c.sin(0) + text]
        for value in made:
            found = c.decimal(value, rounding)
            assert found.is_settled
            assert found.text == format_rational(Fraction(text), rounding)


def test_a_tie_that_is_not_known_to_be_one_is_left_open() -> None:
    eighth = c.exp(c.log(2)) / 16
    found = c.decimal(eighth, Rounding(places=2))
    assert not found.is_settled
    assert found.text == "[0.124999999999, 0.125000000001] (not settled)"
    assert found.enclosure == ("0.124999999999", "0.125000000001")
    assert c.decimal(eighth, Rounding(places=3)).text == "0.125"
    assert not c.decimal(eighth, Rounding(places=3, ties="truncate")).is_settled
    assert c.is_less(eighth, "0.125") is None
    assert c.is_less("0.125", eighth, limit=100) is None


def test_a_value_next_to_a_tie_settles_within_the_limit() -> None:
    tiny = c.exp(-1000)
    for ties in TIES:
        rounding = Rounding(places=2, ties=ties)
        above, below = c.decimal("0.125" + tiny, rounding), c.decimal("0.125" - tiny, rounding)
        assert (above.is_settled, below.is_settled) == (True, True)
        assert (above.text, below.text) == ("0.12" if ties == "truncate" else "0.13", "0.12")
    far = "0.125" + c.exp(-100_000)
    assert not c.decimal(far, Rounding(places=2)).is_settled
    assert c.decimal(far, Rounding(places=2), limit=200_000).text == "0.13"


def test_zero_that_is_not_known_to_be_one() -> None:
    zero = c.log(6) - c.log(2) - c.log(3)
    assert c.decimal(zero, Rounding(places=5)).text == "0.00000"
    found = c.figures(zero, 5)
    assert not found.is_settled
    assert found.enclosure is not None
    low, high = (Decimal(end) for end in found.enclosure)
    assert low < 0 < high < Decimal("1e-1000")
    nothing = c.decimal(1 / zero, Rounding(places=2))
    assert nothing == c.CertifiedDigits("not settled", is_settled=False, enclosure=None)
    assert bounds_of_real(1 / zero, 64) is None
    assert c.is_less(1 / zero, 0) is None


HOSTILE = [
    ("exp(-10^9)", c.exp(-(10**9)), 10, "1.249534272e-434294482"),
    ("exp(10^9)", c.exp(10**9), 5, "8.0030e434294481"),
    ("tanh(1000)", c.tanh(1000), 5, "1.0000"),
    ("tanh(10^-40)", c.tanh(Fraction(1, 10**40)), 5, "1.0000e-40"),
    ("Phi(-40)", c.Phi(-40), 5, "3.6559e-350"),
    ("Phi(40)", c.Phi(40), 5, "1.0000"),
    ("log(1 + 10^-30)", c.log(1 + Fraction(1, 10**30)), 5, "1.0000e-30"),
    ("sqrt(10^30)", c.sqrt(10**30), 3, "1000000000000000"),
    ("999999.5 below", 1000000 - c.exp(-40), 5, "1000000"),
    ("10 below", 10 - c.exp(-400), 3, "10.0"),
    ("10 above", 10 + c.exp(-400), 3, "10.0"),
    ("-1/1000 below", -c.exp(-400) - "0.001", 3, "-0.00100"),
    ("zero", c.real(0), 3, "0"),
]


@pytest.mark.parametrize(("value", "count", "text"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_sizes(value: c.Real, count: int, text: str) -> None:
    found = c.figures(value, count)
    assert found.is_settled
    assert found.text == text
    assert found.enclosure is not None
    low, high = (Decimal(end) for end in found.enclosure)
    assert low <= high


def test_sizes_beyond_the_limit_are_open_and_places_of_tiny_numbers_are_not() -> None:
    tower = c.exp(c.exp(c.exp(10)))
    assert c.figures(c.exp(-(10**100)), 3).text.startswith("6.50e-43429448190325182765112891891660508229439700580366")
    assert not c.figures(tower, 3).is_settled
    assert not c.figures(1 / tower, 3).is_settled
    assert c.decimal(c.exp(-c.exp(c.exp(10))), Rounding(places=5)).text == "0.00000"
    assert c.decimal(c.Phi(c.exp(100)), Rounding(places=5)).text == "1.00000"
    assert not c.decimal(c.sin(c.exp(10_000)), Rounding(places=2)).is_settled  # 14,400 bits before the point
    assert c.decimal(c.sin(c.exp(10_000)), Rounding(places=2), limit=20_000).is_settled


def test_cutting_off_below_a_power_of_ten() -> None:
    below = 10 - c.exp(-400)
    assert c.decimal(below, Rounding(figures=3, ties="truncate")).text == "9.99"
    assert c.decimal(-below, Rounding(places=2, ties="truncate")).text == "-9.99"
    assert c.decimal(-c.exp(-400), Rounding(places=2)).text == "0.00"
    assert c.decimal(c.tanh(1000), Rounding(places=4, ties="truncate")).text == "0.9999"


@given(names, fractions(size=8), st.integers(1, 20))
def test_printed_enclosures_hold_the_value(name: str, x: Fraction, count: int) -> None:
    ours, theirs = FUNCTIONS[name]
    with mpmath.workdps(100):
        value = as_fraction(theirs(mp(x)))
    for rounding in (Rounding(figures=count), Rounding(places=count)):
        found = c.decimal(ours(x), rounding)
        assert found.enclosure is not None
        low, high = (Fraction(end) for end in found.enclosure)
        assert low - abs(value) / 2**300 <= value <= high + abs(value) / 2**300
        assert low <= high


def test_order() -> None:
    assert c.is_less(c.pi(), Fraction(22, 7)) is True
    assert c.is_less(Fraction(22, 7), c.pi()) is False
    assert c.is_less("1/3", "1/2") is True
    assert c.is_less("1/2", "1/2") is False
    assert c.is_less(c.exp(c.pi() * c.sqrt(163)), 640320**3 + 744) is True
    assert c.is_less(c.exp(-(10**6)), 0) is False
    assert c.is_less(c.exp(-(10**6)), Fraction(1, 10**400)) is True


def test_roots_of_rationals_are_recognised() -> None:
    assert (c.sqrt(2) * c.sqrt(8)).exact == 4
    assert (3 * c.sqrt("1/2")).square == Fraction(9, 2)
    assert (c.sqrt(2) / c.sqrt(8)).exact == Fraction(1, 2)
    assert (-c.sqrt(2)).square is None
    assert (c.sqrt(2) * -1).square is None
    assert c.figures(c.product([-1, c.sqrt(2), c.sqrt(8)]), 3).text == "-4.00"
    assert (c.sqrt(2) * c.pi()).square is None
    assert (c.pi() * 0).exact == 0


def test_a_quotient_that_is_rational_stays_exact_and_a_symbol_is_refused() -> None:
    e = ExpSum.exp(1)
    assert of_quotient(Quotient(e, 3 * e)).exact == Fraction(1, 3)
    with pytest.raises(SymbolicValueError, match="free symbol beta"):
        c.figures(of_quotient(Quotient(ExpSum.exp(Polynomial.symbol("beta")), e)), 3)


REFUSED: list[tuple[str, Callable[[], object], str]] = [
    ("float", lambda: c.real(0.5), "binary float"),  # type: ignore[arg-type]
    ("sqrt", lambda: c.sqrt(-1), "square root of a negative"),
    ("log", lambda: c.log(0), "not positive"),
    ("logit", lambda: c.logit(1), "log-odds"),
    ("zero divisor", lambda: c.pi() / 0, "divided by 0"),
    ("late sqrt", lambda: c.figures(c.sqrt(c.sin(4)), 3), "square root of a negative"),
    ("late log", lambda: c.figures(c.log(c.sin(4)), 3), "logarithm of a negative"),
    ("million digits", lambda: c.decimal(c.exp(10**9), Rounding(places=2)), "ask for significant figures"),
    ("fraction too large", lambda: bounds_of_real(c.exp(10**9), 64), "ask for its figures"),
    ("no tail", lambda: integral(lambda x, _: x, 0, None, 64), "GaussianTail"),
    ("bad tail", lambda: GaussianTail(Fraction(1), Fraction(0)), "rate > 0"),
    (
        "far end",
        lambda: integral(lambda x, _: x, 10**30, None, 64, GaussianTail(Fraction(1), Fraction(1))),
        "too far out",
    ),
]


@pytest.mark.parametrize(("call", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refusals(call: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()


def test_long_sums_and_products_are_one_step_and_deep_ones_are_refused() -> None:
    assert c.figures(c.total([c.exp(-n) for n in range(1, 2000)]), 20).text == c.figures(1 / (c.exp(1) - 1), 20).text
    assert c.figures(c.product([c.exp(n) for n in range(-999, 1000)]), 5).text == "1.0000"
    deep = c.pi()
    for _ in range(MAX_DEPTH - 1):
        deep += 1
    assert c.figures(deep, 10).text == "102.1415927"
    with pytest.raises(InputError, match="inside each other"):
        deep + 1


def test_the_precision_of_arb_is_put_back() -> None:
    before = flint.ctx.prec
    c.figures(c.erf(c.sqrt(3)), 500)
    assert flint.ctx.prec == before
    with pytest.raises(InputError):
        c.figures(c.log(c.sin(4)), 3)
    assert flint.ctx.prec == before


# integrand, ends, and the value that the table gives
ROOT_PI = c.sqrt(c.pi())


@pytest.mark.parametrize(
    ("start", "end", "value"),
    [
        (None, None, ROOT_PI),
        (0, None, ROOT_PI / 2),
        (None, 0, ROOT_PI / 2),
        (1, None, ROOT_PI / 2 * c.erfc(1)),
        (None, -2, ROOT_PI / 2 * c.erfc(2)),
        (30, None, ROOT_PI / 2 * c.erfc(30)),
        (-1, c.sqrt(2), ROOT_PI / 2 * (c.erf(1) + c.erf(c.sqrt(2)))),
    ],
)
def test_integrals_of_the_bell_curve(start: c.RealLike | None, end: c.RealLike | None, value: c.Real) -> None:
    tail = GaussianTail(Fraction(1), Fraction(1))
    widths = []
    for bits in (40, 80, 160):
        ball = integral(lambda x, _: (-x * x).exp(), start, end, bits, tail)
        assert ball.overlaps(value(bits + 100))
        widths.append(float(ball.rad()))
        assert widths[-1] < 2.0 ** (10 - bits)
    assert widths == sorted(widths, reverse=True)


@settings(deadline=None)
@given(st.integers(1, 400), fractions(size=50, denominator=50).filter(lambda x: x > 0))
def test_the_bound_of_the_tail_holds_the_tail(bits: int, rate: Fraction) -> None:
    tail = GaussianTail(Fraction(1), rate)
    cut = tail.cut(bits)
    assert rate * cut**2 >= bits
    with mpmath.workdps(60):
        root = mpmath.sqrt(mp(rate))
        rest = mpmath.sqrt(mpmath.pi) / (2 * root) * mpmath.erfc(root * cut)
        assert rest <= mpmath.mpf(str(tail.beyond(cut).upper().str(20, radius=False))) * (1 + mpmath.mpf("1e-15"))
