"""Laws of scores and weights: published and independent digits, mpmath's quadrature, limits and refusals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.laws import gaussian_scores as laws
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.reals import certified_digits as c
from symattn.exact.rounding.quotients import format_rational
from tests.exact.test_certified import as_fraction, mp

ROOT_HALF = c.sqrt("1/2")


def figures_of(value: Any, count: int) -> str:
    """A number of mpmath, rounded."""
    return format_rational(as_fraction(value), Rounding(figures=count))


SATURATION = [(64, "0.99", False, "0.681285545885"), (64, "0.99", True, "0.00154268612759")]


@pytest.mark.parametrize(("dimension", "level", "scaled", "text"), SATURATION)
def test_known_saturation(dimension: int, level: str, scaled: bool, text: str) -> None:
    assert c.figures(laws.saturation_probability(dimension, level, scaled=scaled), 12).text == text


@pytest.mark.sample(2)
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 5, 8, 17, 64])
def test_saturation_against_quadrature_over_the_length_of_the_query(dimension: int, scaled: bool) -> None:
    """The formula that the proof starts from, integrated by mpmath for odd and even dimensions alike."""
    level = Fraction(9, 10)
    with mpmath.workdps(60):
        c_half = mpmath.log(mp(level / (1 - level))) * (mpmath.sqrt(dimension) if scaled else 1) / 2

        def integrand(r: Any) -> Any:
            if not r:
                return mpmath.mpf(0)
            return mpmath.erfc(c_half / r) * r ** (dimension - 1) * mpmath.exp(-r * r / 2)

        centre = mpmath.sqrt(dimension)
        points = [0, 0.1, 0.25, 0.5, 1, 2, centre / 2 + 2, centre + 2, centre + 5, centre + 10, centre + 20]
        value = mpmath.quad(integrand, sorted({mpmath.mpf(x) for x in points}))
        value /= 2 ** (mpmath.mpf(dimension) / 2 - 1) * mpmath.gamma(mpmath.mpf(dimension) / 2)
    found = c.figures(laws.saturation_probability(dimension, level, scaled=scaled), 40)
    assert found.is_settled
    assert found.text == figures_of(value, 40)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 30), st.integers(1, 60))
def test_closed_form_and_integral_enclose_one_number(m: int, tenths: int) -> None:
    """The sum for even dimensions and the integral are two computations of P(|q·k| > y)."""
    y = c.known(Fraction(tenths, 10))
    for bits in (60, 120):
        with c.precision(bits):
            summed, integrated = laws._even_tail(m, y(bits)), laws._odd_tail(2 * m, y(bits), bits)
        assert summed.overlaps(integrated)
        assert integrated.rad() < 2.0 ** (16 - bits)


@pytest.mark.long
@pytest.mark.parametrize(("dimension", "digits"), [(1, 12), (2, 40), (3, 12), (6, 40)])
def test_the_density_integrates_to_the_tail(dimension: int, digits: int) -> None:
    """Few digits for odd dimensions: there mpmath takes minutes for many of its Bessel functions."""
    with mpmath.workdps(digits + 6):
        nu = mpmath.mpf(dimension - 1) / 2
        norm = mpmath.sqrt(mpmath.pi) * 2**nu * mpmath.gamma(nu + mpmath.mpf(1) / 2)
        points = [2, 4, 10, 40] if digits < 20 else [2, 3, 5, 10, 20, 50, 100, 200]
        value = 2 * mpmath.quad(lambda x: x**nu * mpmath.besselk(nu, x), points) / norm
    assert c.figures(laws.product_tail(dimension, 2), digits).text == figures_of(value, digits)


def test_a_simulation_agrees() -> None:
    random = Random(20)
    dimension, level, runs = 3, Fraction(4, 5), 20_000
    hits = 0
    for _ in range(runs):
        q, k, l = ([random.gauss(0, 1) for _ in range(dimension)] for _ in range(3))
        difference = sum(a * (b - d) for a, b, d in zip(q, k, l, strict=True))
        hits += abs(difference) > 1.3862943611198906  # log 4
    expected = float(c.figures(laws.saturation_probability(dimension, level, scaled=False), 10).text)
    assert abs(hits / runs - expected) < 0.02


def test_saturation_at_the_ends() -> None:
    assert laws.saturation_probability(7, "1/2", scaled=True).exact == 1
    assert laws.saturation_probability(7, "0.1", scaled=False).exact == 1
    assert laws.product_tail(7, 0).exact == 1
    near = laws.saturation_probability(4, Fraction(10**50 + 1, 2 * 10**50), scaled=True)
    assert c.figures(1 - near, 10).text == "1.414213562e-50"  # 2 √m f(0) · 2 · 10^-50 with f(0) = 1/4, m = 2
    rare = [laws.saturation_probability(d, Fraction(10**50 - 1, 10**50), scaled=True) for d in (4, 5, 6)]
    texts = [c.figures(value, 8) for value in rare]
    assert all(found.is_settled for found in texts)
    assert [float(f.text) for f in texts] == sorted((float(f.text) for f in texts), reverse=True)


def test_a_tail_too_far_out_for_its_figures_has_its_places() -> None:
    far = laws.product_tail(3, 10**6)
    assert c.decimal(far, Rounding(places=5)).text == "0.00000"
    assert not c.figures(far, 5, limit=100).is_settled


@pytest.mark.parametrize("dimension", [10_000, 10_001])
def test_many_dimensions_come_near_their_limits(dimension: int) -> None:
    """Scaled, d is N(0, 2) in the limit, so P tends to erfc(L/2)."""
    found = c.figures(laws.saturation_probability(dimension, "0.99", scaled=True), 12)
    limit = c.figures(c.erfc(c.logit("0.99") / 2), 12)
    assert found.is_settled
    assert abs(float(found.text) / float(limit.text) - 1) < 0.01


# s, the variance for t² = s²/2, from an independent computation
VARIANCES = [
    (1, "0.02537663200636024"),
    (2, "0.06841907698418473"),
    (5, "0.1490339272846715"),
    (10, "0.1953206548501867"),
    (20, "0.2220186279200737"),
    (50, "0.2387310163388526"),
    (100, "0.2443599589928528"),
]

BETWEEN = [
    (5, "0.465708888172518837969505430257"),
    (10, "0.243997517078773967424767271542"),
    (100, "0.0247890351074285430575061840683"),
]


@pytest.mark.parametrize(("s", "text"), VARIANCES)
def test_known_variances(s: int, text: str) -> None:
    assert c.figures(laws.logit_normal_variance(s * ROOT_HALF), 16).text == text


@pytest.mark.long
@pytest.mark.parametrize("t", ["1/10", "1", "3", "20"])
def test_variances_against_mpmath(t: str) -> None:
    with mpmath.workdps(60):
        spread = mp(Fraction(t))
        value = mpmath.quad(
            lambda x: (1 / (1 + mpmath.exp(-spread * x)) - mpmath.mpf(1) / 2) ** 2 * mpmath.npdf(x),
            [mpmath.mpf(n) / 20 for n in range(-60, 61)] + [5, 10, 20],
        )
        value += mpmath.quad(
            lambda x: (1 / (1 + mpmath.exp(-spread * x)) - mpmath.mpf(1) / 2) ** 2 * mpmath.npdf(x), [-20, -10, -5, -3]
        )
    assert c.figures(laws.logit_normal_variance(t), 40).text == figures_of(value, 40)


def test_variances_at_the_ends() -> None:
    assert laws.logit_normal_variance(0).exact == 0
    assert c.figures(laws.logit_normal_variance(Fraction(1, 10**30)), 10).text == "6.250000000e-62"  # t²/16
    vast = c.figures(laws.logit_normal_variance(10**9), 12)
    assert vast.is_settled
    assert c.is_less(laws.logit_normal_variance(10**9), "1/4") is True


@pytest.mark.parametrize(("s", "text"), BETWEEN)
def test_known_probabilities(s: int, text: str) -> None:
    assert c.figures(laws.logit_normal_between("0.1", "0.9", s * ROOT_HALF), 30).text == text
    assert c.figures(c.erf(c.log(9) / s), 30).text == text


levels = st.fractions(Fraction(-1, 10), Fraction(11, 10), max_denominator=1000)


@settings(deadline=None)
@given(levels, levels, st.fractions(Fraction(1, 10), 10, max_denominator=50))
def test_probabilities_against_mpmath(low: Fraction, high: Fraction, t: Fraction) -> None:
    with mpmath.workdps(80):
        ends = []
        for level in (low, high):
            inside = 0 < level < 1
            score = mpmath.log(mp(level) / (1 - mp(level))) if inside else mpmath.inf * (1 if level > 0 else -1)
            ends.append(mpmath.ncdf(score / mp(t)))
        value = as_fraction(max(ends[1] - ends[0], mpmath.mpf(0)))
    found = c.decimal(laws.logit_normal_between(low, high, t), Rounding(places=50))
    assert found.is_settled
    assert found.text == format_rational(value, Rounding(places=50))


@settings(deadline=None)
@given(levels, levels, levels, st.fractions(Fraction(1, 10), 10, max_denominator=50))
def test_probabilities_add_up(a: Fraction, b: Fraction, e: Fraction, t: Fraction) -> None:
    low, middle, high = sorted((a, b, e))
    parts = laws.logit_normal_between(low, middle, t) + laws.logit_normal_between(middle, high, t)
    assert (parts - laws.logit_normal_between(low, high, t))(100).overlaps(c.known(0)(100))


def test_probabilities_at_the_ends() -> None:
    assert laws.logit_normal_between(0, 1, 3).exact in {None, 1}
    assert c.figures(laws.logit_normal_between(0, 1, 3), 5).text == "1.0000"
    assert laws.logit_normal_between("0.6", "0.4", 3).exact == 0
    assert laws.logit_normal_between("0.4", "0.6", 0).exact == 1
    assert laws.logit_normal_between("0.5", "0.6", 0).exact == 0
    far = c.figures(laws.logit_normal_between(Fraction(1, 10**40), Fraction(1, 10**20), 1), 10)
    assert far.is_settled
    with mpmath.workdps(60):
        low, high = (mpmath.log(mpmath.mpf(10) ** -n / (1 - mpmath.mpf(10) ** -n)) for n in (40, 20))
        value = (mpmath.erfc(-high / mpmath.sqrt(2)) - mpmath.erfc(-low / mpmath.sqrt(2))) / 2
    assert far.text == figures_of(value, 10)


@pytest.mark.parametrize(
    ("t", "expected"),
    [(0, False), ("1.41421356", False), (c.sqrt(2), False), ("1.41421357", True), (c.pi(), True), (c.exp(-1), False)],
)
def test_two_modes_exactly_beyond_the_root_of_two(t: c.RealLike, expected: bool) -> None:
    assert laws.is_bimodal(t) is expected
    modes = laws.logit_normal_modes(t)
    assert modes is not None
    assert len(modes) == 1 + expected


def test_the_number_of_modes_can_stay_open() -> None:
    t = c.exp(c.log(2) / 2)
    assert laws.is_bimodal(t) is None
    assert laws.logit_normal_modes(t) is None


@pytest.mark.parametrize("t", ["1.5", "2", "5", "30"])
def test_modes_against_mpmath(t: str) -> None:
    with mpmath.workdps(80):
        square = mp(Fraction(t)) ** 2
        score = mpmath.findroot(
            lambda d: mpmath.tanh(d / 2) - d / square,
            (mpmath.sqrt(6 * (square - 2) / square), square * (1 + mpmath.mpf("1e-9"))),
            solver="anderson",
            tol=mpmath.mpf("1e-120"),
        )
        expected = [figures_of(1 / (1 + mpmath.exp(side * score)), 40) for side in (1, -1)]
    modes = laws.logit_normal_modes(t)
    assert modes is not None
    assert [c.figures(mode, 40).text for mode in modes] == expected


@pytest.mark.parametrize("error", ["0", "1e-30", "-1e-30", "1e-5", "-1e-5", "0.4", "-0.4", "-0.9", "10"])
def test_a_wrong_guess_of_a_mode_gives_a_wider_ball_and_no_wrong_one(error: str) -> None:
    square = Fraction(4)
    with mpmath.workdps(60):
        score = mpmath.findroot(lambda d: mpmath.tanh(d / 2) - d / 4, 3.83)
        guess = as_fraction(score) * (1 + Fraction(error))
    with c.precision(150):
        ball = laws._around(c.known(square)(150), c.known(guess)(150), 150)
        low, high = c.ball_bounds(ball, 150)
    assert low <= as_fraction(score) <= high


@pytest.mark.parametrize("dimension", [1, 2, 5, 8])
@pytest.mark.parametrize(("start", "end"), [("0.5", "3"), ("1", "2"), ("2", "2"), ("0.1", "6")])
def test_what_an_integral_leaves_out_is_enclosed(dimension: int, start: str, end: str) -> None:
    """P(|q·k| > 1) lies in the integral between two lengths plus the ball for the other lengths."""
    with c.precision(80):
        distance = (1 / c.sqrt(2))(80)
        ends = [c.real(point)(80) for point in (start, end)]
        ball = laws._between(dimension, distance, *ends) + laws._outside(dimension, distance, *ends)
        low, high = c.ball_bounds(ball, 80)
    value = Fraction(c.figures(laws.product_tail(dimension, 1), 20).text)
    assert low <= value <= high
    with c.precision(80):
        inside = c.ball_bounds(laws._between(dimension, distance, *ends), 80)
    assert inside[1] < value


@pytest.mark.parametrize("t", ["1.4142135624", "1.42", "3", "1000"])
def test_modes_are_stationary_points_of_the_density(t: str) -> None:
    """tanh(d/2) = d/t² at the logits of the enclosures, whose widths shrink."""
    modes = laws.logit_normal_modes(t)
    assert modes is not None
    square = Fraction(t) ** 2
    for bits in (100, 200, 400):
        mode = modes[0](bits)
        with c.precision(bits):
            score = (mode / (1 - mode)).log()
            slope = (score / 2).tanh() - score / c.known(square)(bits)
        assert slope.contains(0)
        assert mode.rad() < mode.abs_lower() * 2.0 ** (60 - bits)


REFUSED: list[tuple[str, Callable[[], object], str]] = [
    ("level", lambda: laws.saturation_probability(3, 1, scaled=True), "between 0 and 1"),
    ("dimension", lambda: laws.saturation_probability(0, "0.9", scaled=True), "from 1 to"),
    ("many", lambda: laws.product_tail(10**9, 1), "from 1 to"),
    ("size", lambda: laws.product_tail(3, -1), "not negative"),
    ("late size", lambda: c.figures(laws.product_tail(3, c.sin(4)), 3), "not negative"),
    ("spread", lambda: laws.logit_normal_variance(-1), "not negative"),
    ("late spread", lambda: laws.logit_normal_between("0.1", "0.9", c.sin(4)), "not negative"),
    ("float", lambda: laws.logit_normal_variance(0.5), "binary float"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refusals(call: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()
