"""Errors measured by bounds: the bounds hold Arb's values, and all that is told is what exact values tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import pytest

from symattn.api.comparison.entries import ExactEntry
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.numerals.decimals import Rounding, round_rational, write
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.floats import FORMATS, Format, place
from symattn.exact.rows.enclosed_rows import Bounds, Enclosure, enclosed_outputs, enclosed_weights
from symattn.exact.rows.ulp_errors import GUARD_BITS, NO_NUMBER, Measure, error_text
from tests.exact import rows
from tests.exact.arb_oracle import Row, at_precision
from tests.exact.test_fast_rows import KINDS, integers

SAMPLE, MANY = 40, 4000
"""Rows of each kind: in the gate, and with the `long` tests, about 100,000 entries."""


def half_way(r: Random) -> rows.Case:
    """Outputs on half integers, or 10^-60 beside them: ties of formats with few bits."""
    case = r.choice([rows.near_tie, rows.exact_tie])(r)
    return case if case.places == 0 else half_way(r)


def drawn(count: int) -> Iterator[tuple[rows.Case, frozenset[int], Format]]:
    for number, kind in enumerate((*KINDS, half_way)):
        r = Random(f"ulps {number}")
        for _ in range(count):
            case = kind(r)
            hidden = frozenset(r.sample(range(len(case.scores)), r.randint(0, len(case.scores) - 1)))
            yield case, hidden if r.random() < 0.2 else frozenset(), r.choice(list(FORMATS.values()))


def closed(case: rows.Case, hidden: frozenset[int]) -> tuple[Sequence[Quotient], Sequence[Quotient]]:
    """The weights and the outputs of a row in closed form."""
    theta = Polynomial.sqrt(case.radicand)
    scores = [MINUS_INFINITY if j in hidden else Quotient.of(theta * s) for j, s in enumerate(case.scores)]
    weights = softmax_rows(Matrix([scores]))
    return weights.rows[0], (weights @ Matrix(list(zip(*case.columns, strict=True)))).rows[0]


def computed(r: Random, value: Quotient, form: Format) -> int:
    """A pattern as a kernel may compute it: the nearest one, one near it, one of another number, or none."""
    nearest = place([value])[0].nearest(form)
    size, sign = nearest & (form.sign_bit - 1), nearest & form.sign_bit
    near = min(max(size + r.choice([-1, 1, 1, -2, 3, 40]), 0), form.infinity) | sign
    other = r.choice(
        [0, form.sign_bit, form.infinity, form.infinity | form.sign_bit, form.nan, r.getrandbits(form.width)]
    )
    return r.choice([nearest, nearest, near, near, other])


def check(bounds: Bounds, bits: int, values: Sequence[Quotient], form: Format, r: Random) -> int:
    """Compare the measure of a row with exact values; how many entries the bounds settled."""
    patterns = [computed(r, value, form) for value in values]
    found = Measure(form, bits).row(bounds, patterns)
    for j, (value, pattern, enclosed) in enumerate(zip(values, patterns, place(values), strict=True)):
        if j in found.disputed:
            continue
        exact = ExactEntry(value, enclosed, pattern, form)
        assert (found.nearest[j], found.bins[j]) == (exact.rounded, exact.bin), (value, form, pattern)
        if found.bins[j] not in (0, NO_NUMBER):
            assert error_text(found.errors[j]) in ("", exact.text), (value, form, pattern)
    return len(values) - len(found.disputed)


def settled(count: int) -> tuple[int, int]:
    r, all_entries, known = Random("computed"), 0, 0
    for case, hidden, form in drawn(count):
        scores, values = integers(case, hidden)
        bits = form.precision + GUARD_BITS
        for enclosure, exact in zip(
            (enclosed_weights(scores, bits), enclosed_outputs(scores, values, bits)), closed(case, hidden), strict=True
        ):
            (bounds,) = enclosure.rows
            assert bounds is not None
            known += check(bounds, enclosure.bits, exact, form, r)
            all_entries += len(exact)
    return all_entries, known


def test_the_measure_tells_what_exact_values_tell() -> None:
    all_entries, known = settled(SAMPLE)
    assert all_entries > 1500
    assert known > all_entries // 2


@pytest.mark.long
def test_the_measure_tells_what_exact_values_tell_of_100_000_entries() -> None:
    assert settled(MANY)[0] > 100_000


def ends(ball: Any) -> tuple[Fraction, Fraction]:
    """The ends of a ball; one that is smaller than all bounds are narrow stands for 0."""
    found = (ball.lower().man_exp(), ball.upper().man_exp())
    low, high = (Fraction(int(m)) * Fraction(2) ** int(e) if int(e) > -9000 else Fraction(0) for m, e in found)
    return low, high


def holds(enclosure: Enclosure, columns: Sequence[Sequence[Fraction]], row: Row) -> bool:
    """Whether the bounds meet the narrower balls of a row."""
    ((lows, width),) = (bounds for bounds in enclosure.rows if bounds)
    for low, column in zip(lows, columns, strict=True):
        first, last = at_precision(row.bits, partial(ends, row.average(column)))
        if low is not None and not (low <= last * 2**enclosure.bits and first * 2**enclosure.bits <= low + width):
            return False
    return True


def test_bounds_hold_the_values_of_arb() -> None:
    for case, _, form in drawn(SAMPLE // 2):
        scores, values = integers(case, frozenset())
        bits, row = form.precision + GUARD_BITS, Row(case.scores, case.radicand, 600)
        count = len(case.scores)
        each = [[Fraction(int(i == j)) for i in range(count)] for j in range(count)]
        assert holds(enclosed_weights(scores, bits), each, row)
        assert holds(enclosed_outputs(scores, values, bits), case.columns, row)


@pytest.mark.parametrize("error", [5, 10**3, 2**59 - 4, 2**60 // 3, 2**70 + 12345, 2**90])
def test_the_text_of_an_error_holds_for_all_that_it_may_be(error: int) -> None:
    figures = Rounding(figures=3)
    texts = {write(*round_rational(Fraction(error + end, 2**60), figures), figures) for end in (-4, -1, 0, 3, 4)}
    assert error_text(error) == (texts.pop() if len(texts) == 1 else "")
    assert error_text(-error) == (f"-{error_text(error)}" if error_text(error) else "")


@pytest.mark.parametrize("below", [0, 1, 2])
def test_ties_and_zero_errors_are_left_to_exact_values(below: int) -> None:
    """Bounds of 1 + 2^-11, half way between two numbers, and of 1 itself, wherever between them the value lies."""
    form, bits = FORMATS["float16"], 11 + GUARD_BITS
    tie, one = (1 << bits) + (1 << bits - 11), 1 << bits
    assert Measure(form, bits).row(Bounds([tie - below], 2), [0x3C10]).disputed == [0]
    assert Measure(form, bits).row(Bounds([5 * one // 4 - below], 2), [0x3D00]).disputed == [0]
    near = Measure(form, bits).row(Bounds([tie - (1 << 40)], 2), [0x3C00])
    assert (near.disputed, near.nearest[0], near.bins[0]) == ([], 0x3C00, 1)
