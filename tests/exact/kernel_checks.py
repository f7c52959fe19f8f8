"""What the integer kernel claims, compared with the truth: by Arb, or by fractions where numbers are small.

Each check takes the modules of the kernel, so that it can be shown to fail where one of them is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import isqrt
from random import Random
from types import SimpleNamespace
from typing import Any

import flint

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.numerals.decimals import TIES, Rounding, as_fraction, round_rational, write
from tests.exact.arb_oracle import at_precision, sign_of_sum

Kernel = SimpleNamespace
STEPS = ((1, 1), (3, 1), (8, 2), (5, 6), (40, 3), (705_600, 1), (3 * 10**20 + 1, 2))
"""Denominators and radicands of a step x."""


def true_power(k: int, denominator: int, radicand: int, unit: int) -> Any:
    """exp(-k sqrt(radicand) / denominator) * 2**unit as a ball."""
    return at_precision(
        400, lambda: (-flint.arb(radicand).sqrt() * flint.fmpq(k, denominator)).exp() * flint.arb(2) ** unit
    )


def true_sum(terms: Iterable[tuple[int, int]], denominator: int, radicand: int, unit: int) -> Any:
    """The sum of c exp(-k x) * 2**unit over the pairs (k, c)."""
    return at_precision(
        600, lambda: sum((c * true_power(k, denominator, radicand, unit) for k, c in terms), flint.arb(0))
    )


def holds(condition: Any, *what: object) -> None:
    if not condition:
        raise AssertionError(what)


def within(low: int, error: int, truth: Any, *what: object) -> None:
    """Low <= truth <= low + error."""
    holds(at_precision(400, lambda: low <= truth <= low + error), low, error, truth, *what)


def base_power(kernel: Kernel) -> None:
    for (denominator, radicand), bits in product(STEPS, (10, 13, 40, 75)):
        for factor in (1, 3):
            x = Polynomial.sqrt(radicand) * Fraction(factor, denominator)
            low, error = kernel.powers.base_power(x, bits)
            holds(error <= kernel.powers.BASE_ERROR, x, bits)
            within(low, error, true_power(factor, denominator, radicand, bits), x, bits)


def product_error(kernel: Kernel) -> None:
    """All numbers of three bits with all errors that leave them at most 1."""
    one = 8
    for a, b in product(range(one + 1), repeat=2):
        for i, j in product(range(one + 1 - a), range(one + 1 - b)):
            truth = Fraction((a + i) * (b + j), one)
            holds(truth - (a * b >> 3) <= kernel.powers.product_error(i, j), a, b, i, j)


def guard_bits(kernel: Kernel) -> None:
    for steps, error in product(range(1, 70), range(1, 20)):
        holds(steps * error + steps - 1 <= 1 << kernel.powers.guard_bits(steps, error), steps, error)


def windows(kernel: Kernel) -> None:
    """Every entry of every table, at precisions that are low beside the number of steps."""
    for (denominator, radicand), bits in product(((2000, 1), (777, 3), (40, 2)), (10, 11, 30)):
        for count in (1, 100, 10_000):
            x = Polynomial.sqrt(radicand) * Fraction(1, denominator)
            found = kernel.powers._Windows(x, bits, 4000, count, int)
            for level, table in enumerate(found.tables):
                for i in range(0, len(table), 1 + len(table) // 40):
                    k = i << level * found.width
                    truth = true_power(k, denominator, radicand, bits)
                    within(table[i], kernel.powers.TABLE_ERROR if i else 0, truth, k, bits)


def powers(kernel: Kernel) -> None:
    r = Random("powers")
    for (denominator, radicand), bits, count in product(STEPS, (12, 75, 130), (5, 5000)):
        limit = kernel.powers.vanishing(bits, denominator, radicand)
        for kind in (kernel.powers.LatticePowers, kernel.powers.FixedPointPowers):
            if kind is kernel.powers.LatticePowers and denominator > 10**9 and count > 10:
                continue  # long tables, and the same claim
            found = kind(denominator, radicand, bits, 2 * limit, count)
            ks = [0, 1, limit - 1, limit, 2 * limit, *(r.randrange(limit) for _ in range(12))]
            for k, low in zip(ks, found(ks), strict=True):
                within(low, found.error, true_power(k, denominator, radicand, bits), k, bits, kind)
            for k in (limit, 2 * limit - 1):
                within(*found([k]), found.error, true_power(k, denominator, radicand, bits), k, bits, kind)
            near = [r.randrange(max(limit // 3, 1)) for _ in range(3)]
            again = kind(denominator, radicand, bits, max(near), count)(near)
            for k, low in zip(near, again, strict=True):
                within(low, found.error, true_power(k, denominator, radicand, bits), k, bits, kind)


def vanishing(kernel: Kernel) -> None:
    for denominator, radicand in product((1, 2, 3, 7, 100), (1, 2, 3, 5, 6)):
        for bits in range(1, 90):
            k = kernel.powers.vanishing(bits, denominator, radicand)
            within(0, 1, true_power(k, denominator, radicand, bits), k, bits)


def fixed_point(kernel: Kernel) -> None:
    """The exponents of `FixedPointPowers`, and the factors 1 - u, apart from the tables."""
    r = Random("fixed")
    for bits in (10, 11, 12, 13, 20, 75):
        low = kernel.powers.low_bits(bits)
        for denominator, radicand in STEPS:
            cut = kernel.powers.vanishing(bits, denominator, radicand).bit_length() + 1
            step = kernel.powers.fixed_step(denominator, radicand, bits + 1 + cut)
            root = isqrt(radicand << 1000)
            largest = kernel.powers.vanishing(bits, denominator, radicand) - 1
            for k in [*range(min(40, largest)), largest, *(r.randrange(largest) for _ in range(20))]:
                (t,) = kernel.powers.fixed_exponents([k], step, cut)
                below, above = (
                    t - Fraction(k * (root + i), denominator) * Fraction(2) ** (bits + 1 - 500) for i in (1, 0)
                )
                holds(below >= 0, k, bits)
                holds(above / 2 <= kernel.powers.SHIFT_ERROR, k, bits)
        last = [(1 << low) - 1, (1 << low) - 2, (1 << low) + 1, 0, *range(1, 1 << low, max((1 << low) // 50, 1))]
        for t, factor in zip(last, kernel.powers.linear_factors(last, low, bits), strict=True):
            truth = true_power(t % (1 << low), 1 << bits + 1, 1, bits)
            within(factor, kernel.powers.LINEAR_ERROR, truth, t, bits)


def _extremes(kernel: Kernel) -> Iterator[tuple[Any, list[int], list[Fraction], Fraction]]:
    """Small rows: what is known of them, e_j, and the outermost N_j and rho that agree with it."""
    r = Random("extremes")
    for number in range(400):
        one, error, size = r.randint(1, 40), r.randint(1, 4), r.randint(1, 4)
        if number % 8 == 0:
            one, error, size = 1000, 1, 1
        e = [r.randint(0, one) for _ in range(size - 1)] + [one]
        total, eta, scale = sum(e), error * size, r.randint(1, 4000)
        if number % 2 == 0:
            scale = total * r.randint(1, 9)
        bounds = kernel.certified_rows.RowBounds(scale // total, error, eta, one)
        for kind in range(3):
            moves = [Fraction(error * (kind if kind < 2 else r.randint(0, 1))) for _ in e]
            truth = [a + move for a, move in zip(e, moves, strict=True)]
            yield bounds, e, truth, Fraction(scale) / sum(truth)
        yield bounds, e, [Fraction(a) for a in e], Fraction(scale, total + eta)
        yield bounds, e, [Fraction(a + error) for a in e], Fraction(scale, total)


def weight_margins(kernel: Kernel) -> None:
    for bounds, e, truth, rho in _extremes(kernel):
        below, above = kernel.certified_rows.weight_margins(bounds)
        for a, n in zip(e, truth, strict=True):
            holds(a * bounds.reciprocal - below <= rho * n <= a * bounds.reciprocal + above, bounds, a, n)


def output_margin(kernel: Kernel) -> None:
    r = Random("outputs")
    for bounds, e, truth, rho in _extremes(kernel):
        for values in ([r.randint(-3, 3) for _ in e], [1] * len(e), [-1] * len(e)):
            cut, start = r.randint(0, 8), r.randint(-3, 300)
            p = [(a * bounds.reciprocal + start >> cut) - (start >> cut) for a in e]
            size = max(map(abs, values))
            margin = kernel.certified_rows.output_margin(bounds, size, sum(map(abs, values)), cut)
            y = sum(rho * n * v for n, v in zip(truth, values, strict=True)) / 2**cut
            c = sum(a * v for a, v in zip(p, values, strict=True))
            holds(abs(y - c) <= margin, bounds, e, values)


def grid(kernel: Kernel) -> None:
    """All numbers of a few bits: what is not in doubt is right for every value between the bounds."""
    tiny = Fraction(1, 1000)
    for ties, width in product(TIES, range(1, 8)):
        here = kernel.certified_rows.Grid(2, ties, 3)
        q = range(-40, 40)
        floors, doubts = here.floors(q, width)
        for j, (a, found) in enumerate(zip(q, floors, strict=True)):
            for y in (a + tiny, a + width - tiny):
                side = (y > 8 * found) - (y < 8 * found)
                exact = round_rational((y - here.half) / 800, Rounding(places=2, ties=ties))[0]
                index = here.beside(found, side) if j in doubts else here.toward_zero(found)
                holds(index == exact, ties, a, width)
            for tau in range(found - 1, found + 2):
                if a < 8 * tau < a + width:
                    holds(j in doubts, ties, a, width)
                    exact = round_rational(Fraction(8 * tau - here.half, 800), Rounding(places=2, ties=ties))[0]
                    holds(here.boundary(tau) * 800 == 8 * tau - here.half, tau)
                    holds(here.beside(tau, 0) == exact, ties, tau)
        for below in range(5):
            holds(here.start(below) == here.half - below - 1, below)
    for width in (8, 9):
        try:
            kernel.certified_rows.Grid(2, "half-up", 3).floors([0], width)
        except ArithmeticError:
            continue
        raise AssertionError(width)


def packing(kernel: Kernel) -> None:
    """Vectors whose every sum is as large as it can be."""
    for terms, first, second in product((1, 3, 12), (1, 7, 2**20 - 1, 2**63, 2**120), (1, 5, 2**43, 2**90)):
        bits = kernel.integer_matrix.sum_bits(terms, first, second)
        holds(terms * first * second < 1 << bits, bits)
        size = kernel.integer_matrix.slot_size(bits)
        vector = [second, -second, 0, second, -second, -1, 1]
        packed = kernel.integer_matrix.pack(vector, size)
        total = sum(first * packed for _ in range(terms))
        found = kernel.integer_matrix.unpack(total, size, kernel.integer_matrix.offset(size, len(vector)))
        holds(found == [terms * first * v for v in vector], terms, first, second)
        holds(kernel.integer_matrix.unpack(packed, size, kernel.integer_matrix.offset(size, len(vector))) == vector)
    for bits in range(1, 300):
        holds((1 << 8 * kernel.integer_matrix.slot_size(bits) - 1) >= 1 << bits, bits)


def sides(kernel: Kernel) -> None:
    """Signs and bounds of sums that cancel, by Arb."""
    r = Random("sides")
    for _ in range(40):
        radicand, denominator = r.choice([1, 2, 3]), r.choice([1, 4, 9])
        here = kernel.integer_scores.Sides(denominator, radicand, r.choice([12, 64]))
        ks = [r.randint(0, 30) + r.choice([0, 10 ** r.randint(2, 30)]) for _ in range(r.randint(1, 5))]
        terms = [(k, r.randint(-9, 9)) for k in ks]
        k, c = r.choice(terms)
        terms += [(k, -c)] * r.randint(0, 1)
        head = true_sum(terms, denominator, radicand, 200)
        if not head.contains(0):  # the last coefficient makes the sum small
            pull = _ratio(head * 10**9, true_power(5, denominator, radicand, 200))
            terms = [(k, n * 10**9) for k, n in terms] + [(5, -pull + r.randint(0, 1))]
        collected: dict[Fraction, Fraction] = {}
        for k, n in terms:
            key = Fraction(-k, denominator)
            collected[key] = collected.get(key, Fraction(0)) + n
        truth = sign_of_sum({x: n for x, n in collected.items() if n}, radicand)
        holds(here.sign(terms) == truth, terms, truth)
    for bits in (12, 64):
        here = kernel.integer_scores.Sides(7, 2, bits)
        for _ in range(20):
            ks, cs = sorted(r.sample(range(1, 200), 4)), [r.randint(-99, 99) for _ in range(4)]
            low, high = here._bounds(ks, cs, bits)
            value = true_sum(zip(ks, cs, strict=True), 7, 2, bits)
            within(low, high - low, value, ks, cs)


def _ratio(first: Any, second: Any) -> int:
    return int(at_precision(600, lambda: (first / second).mid().floor().unique_fmpz()))


def row_sums(kernel: Kernel) -> None:
    """S and eta of whole rows, and that no factor of a row of V is larger than was foreseen."""
    r = Random("sums")
    rows: list[list[int | None]] = [[r.randint(-9000, 9000) for _ in range(40)] for _ in range(4)]
    rows += [[0, 0, None, 9000, None, 8990], [0, 3 * 10**5], [7]]
    scores = kernel.integer_scores.Scores(rows, 3000, 2)
    for places in (0, 15):
        values = kernel.integer_matrix.Columns(kernel.integer_matrix.IntegerMatrix([[1]] * 40))
        placed = kernel.certified_rows.PlacedRows(scores, rows, places, "half-up", values)
        unit = placed.powers.one.bit_length() - 1
        for row, made in zip(rows, placed.powers.rows(), strict=True):
            top = max(x for x in row if x is not None)
            live = [top - x for x in row if x is not None]
            truth = true_sum(((k, 1) for k in live), 3000, 2, unit)
            within(made.total, made.eta, truth)
            holds(made.total == sum(made.powers))
            scaled = placed.scaled(made)
            holds(max(map(abs, placed.factors(scaled))) <= placed.largest)


def mixed_rows(kernel: Kernel) -> None:
    """Exponentials of scores of two parts, up to a power of two of the row; their sums, and which side of a number."""
    r = Random("mixed")
    for bits, size in product((12, 40), (3, 40)):
        for _ in range(10):
            pairs = [(r.randint(-size, size), r.randint(-size, size)) for _ in range(r.randint(1, 30))]
            at_precision(600, partial(_mixed_row, kernel, pairs, bits, r))


def _mixed_row(kernel: Kernel, pairs: list[tuple[int, int]], bits: int, r: Random) -> None:
    scores = kernel.mixed_scores.MixedScores([pairs], 3, 5)
    powers = scores.powers(scores.rows, bits)
    (row,) = powers.rows()
    most_k, most_l = max(k for k, _ in pairs), max(n for _, n in pairs)
    truth = [((flint.arb(5).sqrt() * (k - most_k) + (n - most_l)) / 3).exp() for k, n in pairs]
    largest = max(range(len(pairs)), key=row.powers.__getitem__)
    holds(powers.one // 2 <= row.powers[largest] < powers.one)
    unit = (row.powers[largest] + powers.error) / truth[largest]
    truth = [one * flint.arb(2) ** flint.arb(unit.log_base(2).floor().mid()) for one in truth]
    for low, one in zip(row.powers, truth, strict=True):
        holds(low <= one <= low + powers.error, low, powers.error, one, pairs)
    holds(row.total <= sum(truth, flint.arb(0)) <= row.total + row.eta, row.total, row.eta, pairs)
    values, tau = [r.randint(-9, 9) for _ in pairs], Fraction(r.randint(-90, 90), r.randint(1, 9))
    ball = flint.arb(flint.fmpq(tau.numerator, tau.denominator))
    above = sum((one * (value - ball) for one, value in zip(truth, values, strict=True)), flint.arb(0))
    side = powers.side(row, values.__getitem__, tau)
    holds(side == (0 if above.contains(0) else 1 if above > 0 else -1), pairs, values, tau)


def cells_of_figures(kernel: Kernel) -> None:
    """Every value between the bounds rounds to one of the two indices, and to the right one of them."""
    r = Random("figures")
    for _ in range(1500):
        bottom = r.choice([1, 3, 7, 10, 999, 1000, 12345])
        low = r.choice([r.randint(1, 10**6), 10 ** r.randint(0, 6), 10 ** r.randint(1, 6) - 1])
        high, top, figures = low + r.randint(1, 40), bottom + r.randint(0, 3), r.randint(1, 4)
        for ties in ("half-up", "truncate"):
            found = kernel.certified_rows.cell(low, high, bottom, top, figures, cut=ties == "truncate")
            if found is None:
                continue
            tau = Fraction(2 * found.last - (ties != "truncate"), 2) / Fraction(10) ** found.places
            small, large = Fraction(low, top), Fraction(high, bottom)
            tiny = (large - small) / 10**6
            for value in (small + tiny, large - tiny, (small + large) / 2):
                if value == tau:
                    continue
                index = found.last if value > tau else found.first
                exact = as_fraction(*round_rational(value, Rounding(figures=figures, ties=ties)))
                holds(as_fraction(index, found.places) == exact, low, high, bottom, top, figures, ties)


def texts(kernel: Kernel) -> None:
    r = Random("texts")
    for places in (0, 1, 2, 15, 499, 500, 501, 1200):
        ten = 10**places
        rows = [[0, 1, ten - 1], [ten, 0], [r.randrange(ten + 1) for _ in range(5)], [r.randrange(10 ** (places // 2))]]
        for row in rows:
            holds(
                kernel.certified_rows.weight_texts(row, places)
                == [write(i, places, Rounding(places=places)) for i in row]
            )
        for row in [*rows, [-1, 0, -ten, 5 * ten + 1, -7 * ten - 7, -ten // 2], [10**700, -(10**600)]]:
            holds(
                kernel.certified_rows.fixed_texts(row, places)
                == [write(i, places, Rounding(places=places)) for i in row]
            )


CHECKS: dict[str, Callable[[Kernel], None]] = {
    check.__name__: check
    for check in (
        base_power,
        product_error,
        guard_bits,
        windows,
        powers,
        vanishing,
        fixed_point,
        weight_margins,
        output_margin,
        grid,
        packing,
        sides,
        row_sums,
        mixed_rows,
        cells_of_figures,
        texts,
    )
}
