"""The β for a given top weight, entropy and perplexity: known digits, mpmath's roots, brackets, refusals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws import softmax_row as rows
from symattn.exact.laws.entropy import entropy_bounds
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.reals import certified_digits as c
from symattn.exact.reals.sign import sign
from symattn.exact.rounding.quotients import format_rational
from tests.exact.rational_bounds import bounds_of_real
from tests.exact.strategies import fractions
from tests.exact.test_certified import as_fraction, mp

gaps = st.lists(st.fractions(Fraction(1, 50), 20, max_denominator=50), min_size=1, max_size=6)
shares = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)

# log(3(3 + √13)/2), from an independent computation
KNOWN = "2.29337550595521899550717606544"


def test_known_beta() -> None:
    row = rows.gaps_of([2, 1, 0])
    assert c.figures(rows.least_beta(row, "0.1"), 30).text == KNOWN
    assert c.figures(c.log(3 * (3 + c.sqrt(13)) / 2), 30).text == KNOWN
    closed = rows.least_beta_closed_form(row, "0.1")
    assert closed is not None
    assert closed[0] == "log(9/2 + 3/2*sqrt(13))"
    for count in (30, 1000):
        assert c.figures(closed[1], count).text == c.figures(rows.least_beta(row, "0.1"), count).text


@pytest.mark.long
@settings(deadline=None)
@given(gaps, shares)
def test_beta_against_mpmath(row: list[Fraction], eps: Fraction) -> None:
    target = eps / (1 - eps)
    with mpmath.workdps(80):
        logs = [mpmath.log(len(row) / mp(target)) / mp(gap) for gap in row]
        low, high = min(logs), max(logs)  # between them lies the root, at both if all gaps are one
        for _ in range(270):  # 80 digits
            middle = (low + high) / 2
            if mpmath.fsum(mpmath.exp(-middle * mp(gap)) for gap in row) > mp(target):
                low = middle
            else:
                high = middle
        value = as_fraction(low)
    found = c.decimal(rows.least_beta(row, eps), Rounding(places=50))
    assert found.is_settled
    assert found.text == format_rational(value, Rounding(places=50))


@settings(deadline=None)
@given(gaps, shares)
def test_brackets_have_the_signs_that_prove_them(row: list[Fraction], eps: Fraction) -> None:
    target = eps / (1 - eps)
    widths = []
    for bits in (20, 60, 180):
        low, high = rows.beta_bracket(row, eps, bits)
        assert low <= high
        signs = [sign(sum((ExpSum.exp(-end * gap) for gap in row), ExpSum(-target))) for end in (low, high)]
        assert signs[0] >= 0 >= signs[1]
        widths.append(high - low)
        assert widths[-1] <= max(abs(low), abs(high)) * Fraction(1, 2 ** (bits - 8))
    assert widths == sorted(widths, reverse=True)


@settings(deadline=None)
@given(
    st.integers(0, 5),
    st.integers(0, 5),
    st.fractions(Fraction(1, 10), 5, max_denominator=20),
    st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100),
)
def test_closed_forms_are_the_root(b: int, a: int, unit: Fraction, eps: Fraction) -> None:
    row = [unit] * b + [2 * unit] * a
    if not row:
        return
    closed = rows.least_beta_closed_form(row, eps)
    assert closed is not None
    rounding = Rounding(places=40)
    assert c.decimal(closed[1], rounding).text == c.decimal(rows.least_beta(row, eps), rounding).text


def test_closed_forms_in_words() -> None:
    cases: list[tuple[list[int | str], str, str | None]] = [
        ([3, 3], "0.1", "log(18)/3"),
        (["1/2"], "0.01", "log(99)/(1/2)"),
        ([2, 1, 1], "3/4", "0"),  # three others with 3/4: all four weights alike
        ([1, 2], "2/5", "log(3/4 + 1/4*sqrt(33))"),
        ([2, 3], "0.1", None),
        ([1, 2, 3], "0.1", None),
    ]
    for row, eps, text in cases:
        closed = rows.least_beta_closed_form(row, eps)
        assert (None if closed is None else closed[0]) == text


def test_beta_is_zero_where_all_weights_are_alike() -> None:
    assert rows.least_beta([1, 5, 7], "3/4").exact == 0
    assert rows.beta_bracket([1, 5, 7], "3/4", 50) == (Fraction(0), Fraction(0))
    assert c.is_less(rows.least_beta([1, 5, 7], "0.76"), 0) is True
    assert c.is_less(rows.least_beta([1, 5, 7], "0.74"), 0) is False


def test_hostile_gaps() -> None:
    wide = rows.least_beta([1, 10**6, Fraction(1, 10**9)], "0.001")
    assert c.figures(wide, 30).text == "6906754778.64855351855383138180"  # 10^9 log 999: the other gaps are far
    assert c.figures(10**9 * c.log(999), 30).text == "6906754778.64855351855383138180"
    near = rows.least_beta([1, 2], Fraction(2 * 10**50, 3 * 10**50 + 1))
    assert c.figures(near, 10).text == "6.666666667e-51"  # 3β = 10^-50 · 1 - ... to first order: 2 - 3β = c
    tiny = rows.least_beta([Fraction(1, 10**40), 2], Fraction(1, 10**300))
    assert c.figures(tiny, 10).text == c.figures(10**40 * c.log(10**300 - 1), 10).text
    many = c.figures(rows.least_beta(range(1, 301), "0.1"), 30)
    assert many.text == c.figures(c.log(10), 30).text  # Σ x^k is x/(1 - x) to 300 digits, so x = 1/10
    assert many.is_settled


ENTROPY = "1.17266777847758849000403635400"
PERPLEXITY = "3.23059967687562341239186572954"


def test_known_entropy() -> None:
    assert c.figures(rows.row_entropy([0, 1, 2, 2]), 30).text == ENTROPY
    assert c.figures(rows.row_perplexity([0, 1, 2, 2]), 30).text == PERPLEXITY


@settings(deadline=None)
@given(st.lists(fractions(), min_size=1, max_size=6))
def test_entropy_against_mpmath_and_the_integer_kernel(scores: list[Fraction]) -> None:
    with mpmath.workdps(80):
        powers = [mpmath.exp(mp(score - max(scores))) for score in scores]
        weights = [power / mpmath.fsum(powers) for power in powers]
        entropy = -mpmath.fsum(weight * mpmath.log(weight) for weight in weights)
        texts = [format_rational(as_fraction(value), Rounding(places=45)) for value in (entropy, mpmath.exp(entropy))]
    found = [c.decimal(make(scores), Rounding(places=45)) for make in (rows.row_entropy, rows.row_perplexity)]
    assert [f.text for f in found] == texts
    low, high = entropy_bounds([Quotient.of(score) for score in scores], 200)
    ends = bounds_of_real(rows.row_entropy(scores), 200)
    assert ends is not None
    assert ends[0] <= high
    assert low <= ends[1]


def test_entropy_at_the_ends() -> None:
    assert rows.row_entropy([7]).exact == 0
    assert rows.row_perplexity([7]).exact == 1
    assert rows.row_perplexity(["1/3"] * 5).exact == 5
    assert c.decimal(rows.row_perplexity([2] * 8), Rounding(places=0, ties="truncate")).text == "8"
    with mpmath.workdps(40):
        small = mpmath.exp(-(10**6))
        expected = format_rational(
            as_fraction(mpmath.mpf(10**6 + 1) * small * mpmath.mpf(10) ** 434294), Rounding(figures=9)
        )
    found = c.figures(rows.row_entropy([0, 10**6]), 9).text
    assert found.partition("e")[0].replace(".", "") == expected.lstrip("0.").replace(".", "")


REFUSED: list[tuple[str, Callable[[], object], str]] = [
    ("no gaps", lambda: rows.least_beta([], "0.1"), "at least one gap"),
    ("too many", lambda: rows.least_beta([1] * 2000, "0.1"), "at most"),
    ("zero gap", lambda: rows.least_beta([0, 1], "0.1"), "positive gaps"),
    ("eps 0", lambda: rows.least_beta([1], 0), "between 0 and 1"),
    ("eps 1", lambda: rows.least_beta_closed_form([1], 1), "between 0 and 1"),
    ("tie", lambda: rows.gaps_of([1, 1, 0]), "occurs twice"),
    ("no scores", lambda: rows.row_entropy([]), "at least one score"),
    ("float", lambda: rows.row_entropy([0.5]), "binary float"),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("call", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refusals(call: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()
