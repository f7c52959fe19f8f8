"""Rounding: the four rules, formats, ties, bounds, refusals."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, SymbolicValueError, TooLongError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.numerals.decimals import TIES, Rounding, as_fraction, leading_exponent, round_rational
from symattn.exact.rounding.quotients import decimal, decimals, fixed_bounds, format_rational, round_exact, tie
from tests.effort import effort
from tests.exact import rows
from tests.exact.rational_bounds import bounds
from tests.exact.strategies import fractions

E = ExpSum.exp(1)

# value, places: half-up, half-even, half-ceiling, truncate
TIE_TABLE = [
    ("0.125", 2, "0.13", "0.12", "0.13", "0.12"),
    ("0.375", 2, "0.38", "0.38", "0.38", "0.37"),
    ("-0.125", 2, "-0.13", "-0.12", "-0.12", "-0.12"),
    ("-0.375", 2, "-0.38", "-0.38", "-0.37", "-0.37"),
    ("-0.005", 2, "-0.01", "0.00", "0.00", "0.00"),
    ("0.005", 2, "0.01", "0.00", "0.01", "0.00"),
    ("-0.004", 2, "0.00", "0.00", "0.00", "0.00"),
    ("-0.0149", 2, "-0.01", "-0.01", "-0.01", "-0.01"),
    ("0.5", 0, "1", "0", "1", "0"),
    ("-0.5", 0, "-1", "0", "0", "0"),
    ("1.5", 0, "2", "2", "2", "1"),
    ("-1.5", 0, "-2", "-2", "-1", "-1"),
    ("2.5", 0, "3", "2", "3", "2"),
    ("-2.5", 0, "-3", "-2", "-2", "-2"),
    ("0.12500000001", 2, "0.13", "0.13", "0.13", "0.12"),
    ("-0.12499999999", 2, "-0.12", "-0.12", "-0.12", "-0.12"),
    ("9.995", 2, "10.00", "10.00", "10.00", "9.99"),
    ("-7", 2, "-7.00", "-7.00", "-7.00", "-7.00"),
    ("0", 2, "0.00", "0.00", "0.00", "0.00"),
]

FIGURES = [
    ("0", 3, "0"),
    ("0.00001", 3, "0.0000100"),
    ("0.000009999", 3, "0.0000100"),
    ("0.0000099949", 3, "9.99e-6"),
    ("0.00000999", 1, "0.00001"),
    ("123456", 3, "123000"),
    ("999.6", 3, "1000"),
    ("999.4", 3, "999"),
    ("9999999999999999", 5, "1.0000e16"),
    ("9999499999999999", 5, "9999500000000000"),
    ("9999999999999999", 16, "9999999999999999"),
    ("1e16", 2, "1.0e16"),
    ("1e16", 1, "1e16"),
    ("-1.25e-7", 2, "-1.3e-7"),
    ("-1.25", 2, "-1.3"),
    ("2", 4, "2.000"),
    ("6.8968e-13", 4, "6.897e-13"),
]


def powers(value: str) -> Quotient:
    """The same number as a quotient that is not clearly rational."""
    z = E + ExpSum.exp(2)
    return Quotient(z * Quotient.of(value).numerator, z)


@pytest.mark.parametrize("row", TIE_TABLE, ids=lambda row: f"{row[0]}@{row[1]}")
def test_tie_rules(row: tuple[str, int, str, str, str, str]) -> None:
    value, places, *expected = row
    for ties, text in zip(TIES, expected, strict=True):
        rounding = Rounding(places=places, ties=ties)
        assert format_rational(Fraction(value), rounding) == text
        assert decimal(powers(value), rounding) == text
        assert round_exact(powers(value), rounding) == Fraction(text)


@pytest.mark.parametrize(("value", "figures", "text"), FIGURES)
def test_figures(value: str, figures: int, text: str) -> None:
    rounding = Rounding(figures=figures)
    assert decimal(Fraction(value), rounding) == text
    assert decimal(powers(value), rounding) == text
    assert decimal(Quotient(E * Quotient.of(value).numerator, E), rounding) == text


def test_next_to_boundaries_with_all_rules() -> None:
    """x and x + e^-1000 or - e^-1000, for boundaries x of places and of figures, powers of ten among them."""
    tiny = Quotient(ExpSum.exp(-1000))
    for value, places, figures, below, above in [
        ("0.125", 2, None, "0.12", "0.13"),
        ("-0.125", 2, None, "-0.13", "-0.12"),
        ("0.005", 2, None, "0.00", "0.01"),
        ("-0.005", 2, None, "-0.01", "0.00"),
        ("99.95", None, 3, "99.9", "100"),
        ("-99.95", None, 3, "-100", "-99.9"),
        ("1250", None, 2, "1200", "1300"),
        ("0.000125", None, 2, "0.00012", "0.00013"),
    ]:
        for ties in TIES[:3]:
            rounding = Rounding(places=places, figures=figures, ties=ties)
            assert decimal(Quotient.of(value) - tiny, rounding) == below
            assert decimal(Quotient.of(value) + tiny, rounding) == above
    cut = Rounding(figures=3, ties="truncate")
    for value, below, above in [
        ("100", "99.9", "100"),
        ("0.0001", "0.0000999", "0.000100"),
        ("-1", "-1.00", "-0.999"),
    ]:
        assert decimal(Quotient.of(value) - tiny, cut) == below
        assert decimal(Quotient.of(value) + tiny, cut) == above
    for ties in TIES:
        assert decimal(Quotient.of("100") - tiny, Rounding(figures=3, ties=ties)) in {"100", "99.9"}
        assert decimal(tiny, Rounding(places=2, ties=ties)) == "0.00"
        assert decimal(-tiny, Rounding(places=2, ties=ties)) == "0.00"


@pytest.mark.parametrize("ties", TIES)
def test_figures_against_mpmath(ties: str) -> None:
    """Exponentials of either sign and size; what mpmath holds to 60 digits, cut or rounded as decimals."""
    rules = {"half-up": "ROUND_HALF_UP", "half-even": "ROUND_HALF_EVEN", "half-ceiling": "ROUND_HALF_UP"}
    with mpmath.workdps(60), localcontext() as context:
        context.prec = 7
        context.rounding = rules.get(ties, "ROUND_DOWN")
        for k in range(-700, 700, 7):
            for factor in (Fraction(1), Fraction(-3, 7)):
                exact = mpmath.exp(mpmath.mpf(k) / 3) * factor.numerator / factor.denominator
                found = decimal(Quotient(ExpSum.exp(Fraction(k, 3)) * factor), Rounding(figures=7, ties=ties))
                assert Decimal(found) == +Decimal(mpmath.nstr(exact, 50, strip_zeros=False)), k


def test_tiny_and_huge() -> None:
    weights = softmax_rows(Matrix([[0, 58], [0, 10**6]])).digits(5)
    assert weights[0] == ["6.4702e-26", "1.0000"]
    assert weights[1] == ["3.2968e-434295", "1.0000"]
    huge = Quotient(ExpSum.exp(1000))
    assert decimal(huge, Rounding(figures=10)) == "1.970071114e434"
    assert decimal(huge, Rounding(places=1)).startswith("19700711140170469938")
    gap = Quotient(ExpSum.exp(-(10**30)))
    assert decimal(gap, Rounding(figures=5)) == "2.4827e-434294481903251827651128918917"
    assert decimal(1 / gap, Rounding(figures=3)) == "4.03e434294481903251827651128918916"
    assert decimal(gap, Rounding(places=3)) == "0.000"
    for ask in (lambda: decimal(1 / gap, Rounding(places=2)), lambda: fixed_bounds([1 / gap], 20)):
        with pytest.raises(InputError, match="figures"):
            ask()
    with pytest.raises(InputError, match="figures"):
        round_exact(gap, Rounding(figures=3))


@pytest.mark.parametrize("power", [10**300, -(10**300), 10**800, -(10**800)])
def test_an_exponent_of_hundreds_of_digits_is_refused(power: int) -> None:
    with effort(100_000), pytest.raises(InputError, match="take smaller numbers"):
        decimal(Quotient(ExpSum.exp(power)), Rounding(figures=5))


@pytest.mark.parametrize("digits", [200, 265])
def test_an_exponent_of_fewer_digits_is_written_out(digits: int) -> None:
    text = decimal(Quotient(ExpSum.exp(10**digits)), Rounding(figures=5))
    with mpmath.workdps(digits + 30):
        exponent = mpmath.mpf(10) ** digits / mpmath.log(10)
        whole = int(mpmath.floor(exponent))
        lead = mpmath.mpf(10) ** (exponent - whole)
    mantissa, _, power = text.partition("e")
    assert (int(power), abs(mpmath.mpf(mantissa) - lead) <= mpmath.mpf("0.00005001")) == (whole, True)


def test_small_denominators_are_no_zeros() -> None:
    """Numerator and denominator are tiny and the latter nearly cancels: its enclosure holds 0 at first."""
    close = ExpSum.exp(-1000) - ExpSum.exp(Fraction(-1000) - Fraction(1, 10**60))
    q = Quotient(ExpSum.exp(-1000) * Fraction(3, 10**60), close)
    assert decimal(q, Rounding(places=3)) == "3.000"
    assert decimal(q, Rounding(figures=3)) == "3.00"
    assert decimal(q, Rounding(places=30, ties="truncate")) == "3." + "0" * 30


@pytest.mark.parametrize("ties", TIES)
def test_signs_above_and_below_the_bar(ties: str) -> None:
    """-n/-d rounds as n/d; half-ceiling apart, -n/d as minus that."""
    r = Random(ties)
    for _ in range(60):
        top = sum((ExpSum.exp(rows.fraction(r)) * rows.fraction(r) for _ in range(3)), ExpSum())
        bottom = sum((ExpSum.exp(rows.fraction(r)) * rows.fraction(r) for _ in range(3)), ExpSum(1))
        for rounding in (
            Rounding(places=r.randint(0, 9), ties=ties),
            Rounding(figures=r.randint(1, 9), ties=ties),
        ):
            text = decimal(Quotient(top, bottom), rounding)
            assert decimal(Quotient(-top, -bottom), rounding) == text
            opposite = decimal(Quotient(top, -bottom), rounding)
            assert Fraction(opposite) == -Fraction(text)
            low, high = bounds(Quotient(top, bottom), 80)
            assert format_rational(low, rounding) == format_rational(high, rounding) == text


def test_large_values() -> None:
    """The first precision is too low for the digits before the point."""
    with mpmath.workdps(400):
        exact = mpmath.nstr(mpmath.exp(700), 350)
    text = decimal(Quotient(ExpSum.exp(700)), Rounding(places=5, ties="truncate"))
    assert text.replace(".", "") == exact.replace(".", "").partition("e")[0][: len(text) - 1]
    for shift in (Fraction(1, 10**40), Fraction(-1, 10**40)):  # next to a power of ten, from both sides
        near = Quotient(ExpSum.exp(Fraction(1, 10**50)) * (1000 + shift))
        assert decimal(near, Rounding(figures=3)) == "1000"
        assert decimal(near, Rounding(figures=3, ties="truncate")) == ("1000" if shift > 0 else "999")


@pytest.mark.parametrize("figures", [1, 40, 300])
def test_decades_of_every_size(figures: int) -> None:
    """The decimal exponent is found from a rough logarithm, in a few steps at any size."""
    for k in range(31):
        for factor in (3, -7):
            with mpmath.workdps(figures + 60):
                exact = mpmath.exp(mpmath.mpf(factor * 10**k))
                exponent = int(mpmath.floor(mpmath.log10(exact)))
                lead = exact / mpmath.mpf(10) ** exponent
            found = decimal(Quotient(ExpSum.exp(factor * 10**k)), Rounding(figures=figures, ties="truncate"))
            with mpmath.workdps(figures + 60):
                mantissa, _, written = found.partition("e")
                if written:
                    assert int(written) == exponent
                    assert 0 <= lead - mpmath.mpf(mantissa) < mpmath.mpf(10) ** (1 - figures)


def test_cancelling_numerators() -> None:
    """The first enclosure of the numerator holds 0: no figure is known yet."""
    q = Quotient(ExpSum.exp(1 + Fraction(1, 10**60)) - E, E)
    assert decimal(q, Rounding(figures=5)) == "1.0000e-60"
    assert decimal(q, Rounding(figures=5, ties="truncate")) == "1.0000e-60"
    assert decimal(-q, Rounding(places=3)) == "0.000"
    assert decimal(q, Rounding(places=61)) == "0." + "0" * 59 + "10"


def test_boundaries_too_long_for_a_sign() -> None:
    """10**-30000 and a little: settled by precision, for the boundary would be a number of 30,000 digits."""
    tiny = Quotient(ExpSum(Fraction(125, 10**30_000)))
    q = tiny * Quotient(ExpSum.exp(Fraction(1, 10**80)))
    assert decimal(q, Rounding(figures=2, ties="half-even")) == "1.3e-29998"
    assert decimal(tiny, Rounding(figures=2, ties="half-even")) == "1.2e-29998"


def test_long_output() -> None:
    text = decimal(Quotient(E), Rounding(places=10_000, ties="truncate"))
    with mpmath.workdps(10_050):
        assert text == mpmath.nstr(mpmath.e, 10_020)[:10_002]
    assert len(format_rational(Fraction(1, 3), Rounding(places=20_000))) == 20_002
    assert format_rational(Fraction(10**5000), Rounding(places=1)) == "1" + "0" * 5000 + ".0"


def test_ties_are_recognised() -> None:
    two = Rounding(places=2)
    assert tie(powers("0.125"), two)
    assert tie(powers("-0.125"), Rounding(figures=2))
    assert not tie(powers("0.125"), Rounding(places=3))
    assert not tie(powers("0"), Rounding(figures=3))
    assert not tie(Quotient(E), two)
    assert not tie(Quotient.of("0.125") + Quotient(ExpSum.exp(-1000)), two)
    assert tie(Fraction(1250), Rounding(figures=2))


@given(fractions(10**6, 10**4), st.sampled_from(TIES), st.integers(0, 6))
def test_idempotent_and_near(value: Fraction, ties: str, places: int) -> None:
    for rounding in (Rounding(places=places, ties=ties), Rounding(figures=places + 1, ties=ties)):
        once = round_exact(value, rounding)
        assert round_exact(once, rounding) == once
        unit = Fraction(1, 10**places)
        if rounding.places is not None:
            assert abs(once - value) <= (unit if ties == "truncate" else unit / 2)
        index, _ = round_rational(value, rounding)
        assert rounding.figures is None or abs(index) <= 10**rounding.figures


@given(fractions(10**9, 10**9))
def test_leading_exponent(value: Fraction) -> None:
    if value:
        k = leading_exponent(value)
        assert Fraction(10) ** k <= abs(value) < Fraction(10) ** (k + 1)


def test_bounds() -> None:
    for q in (
        Quotient(E),
        Quotient(-E, E + 1),
        Quotient(ExpSum.exp(Polynomial.sqrt(2)) - 4, E),
        Quotient(ExpSum.exp(-900)),
    ):
        for bits in (1, 53, 300):
            low, high = bounds(q, bits)
            assert low < high
            assert (high - low) * 2**bits <= min(abs(low), abs(high))
            assert bounds(q - low, 10)[0] > 0
            assert bounds(high - q, 10)[0] > 0
    assert bounds(powers("1/3"), 10) == (Fraction(1, 3), Fraction(1, 3))


def test_shared_table() -> None:
    z = E + 1
    values = [Quotient(E, z), Quotient(1, z), Quotient.of(2), Quotient(E * E, z)]
    rounding = Rounding(places=12)
    assert decimals(values, rounding) == [decimal(q, rounding) for q in values]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"places": 2, "figures": 2},
        {"places": -1},
        {"places": 20_001},
        {"places": True},
        {"places": "2"},
        {"figures": 0},
        {"figures": 10**5000},
        {"places": 2, "ties": "up"},
    ],
)
def test_refused_roundings(arguments: dict[str, int]) -> None:
    with pytest.raises(InputError):
        Rounding(**arguments)  # type: ignore[arg-type]


def test_symbols_have_no_digits() -> None:
    q = Quotient(ExpSum.exp(Polynomial.symbol("beta")), E)
    for ask in (
        lambda: decimal(q, Rounding(places=2)),
        lambda: fixed_bounds([q], 10),
        lambda: round_exact(q, Rounding(figures=2)),
    ):
        with pytest.raises(SymbolicValueError, match="beta"):
            ask()
    assert decimal(Quotient(q.numerator, q.numerator * 2), Rounding(places=2)) == "0.50"


@pytest.mark.parametrize("places", [10**9, -(10**12)])
def test_a_number_with_a_million_digits_is_refused(places: int) -> None:
    with pytest.raises(TooLongError, match="closer together"):
        as_fraction(1, places)
