"""Rows by the integer kernel against Arb's certified strings and against the closed forms, on rows of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm
from random import Random

import pytest

from symattn.errors import InputError, ShapeError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear import algorithm_selection
from symattn.exact.linear.integer_matrix import IntegerMatrix
from symattn.exact.linear.matrix import Matrix, round_matrix, softmax_rows
from symattn.exact.numerals.decimals import TIES, Rounding
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rows.certified_rows import Scores, layer_rows, weight_rows
from tests.exact import rows
from tests.exact.arb_oracle import Row

WAYS = ("usual", "packed", "flint", "lattice", "fixed point", "narrow")


def take(way: str, patch: pytest.MonkeyPatch) -> None:
    """Make the kernel take one of its ways whatever the sizes are."""
    if way in ("packed", "flint"):
        patch.setattr("symattn.exact.linear.integer_matrix.product_way", lambda *_: way)
    if way in ("lattice", "fixed point"):
        patch.setattr("symattn.exact.rows.powers.on_lattice", lambda *_: way == "lattice")
    if way == "narrow":
        patch.setattr(algorithm_selection, "WIDEST_WINDOW", 2)


def huge(r: Random) -> rows.Case:
    """Denominators of 20 digits, and of 2**60, as binary floats have."""
    n = r.randint(2, 5)
    bottom = r.choice([10**19 + r.randrange(10**19), 1 << 60])
    scores = [Fraction(r.randint(-20 * bottom, 20 * bottom), bottom) for _ in range(n)]
    columns = [[Fraction(r.randint(-9 * bottom, 9 * bottom), bottom) for _ in range(n)] for _ in range(3)]
    return rows.Case(scores, columns, r.randint(0, 20), r.choice([1, 2]))


def far(r: Random) -> rows.Case:
    """Gaps up to 10^30, values whose average is a negative zero or a tie."""
    case = rows.saturated(r, 10 ** r.choice([3, 6, 12, 30]), columns=3)
    n = len(case.scores)
    extra = [[Fraction(0)] * n, [Fraction(-1, 10**9)] * n, [Fraction(r.randint(-9, 9), 8)] * n]
    return case._replace(columns=[*case.columns, *extra])


def wide(r: Random) -> rows.Case:
    n = r.randint(16, 30)
    scores = [rows.fraction(r, 12, 4) for _ in range(n)]
    columns = [[rows.fraction(r, 9, 4) for _ in range(n)] for _ in range(14)]
    return rows.Case(scores, columns, r.randint(0, 30), r.choice([1, 1, 3]))


KINDS: tuple[Callable[[Random], rows.Case], ...] = (*rows.KINDS, huge, far, wide)


def integers(case: rows.Case, hidden: frozenset[int]) -> tuple[Scores, IntegerMatrix]:
    bottom = lcm(*(s.denominator for s in case.scores))
    row = [None if j in hidden else int(s * bottom) for j, s in enumerate(case.scores)]
    below = lcm(*(v.denominator for column in case.columns for v in column))
    values = [[int(v * below) for v in row] for row in zip(*case.columns, strict=True)]
    return Scores([row], bottom, case.radicand), IntegerMatrix(values, below)


def closed(case: rows.Case, hidden: frozenset[int], rounding: Rounding) -> tuple[list[str], list[str]]:
    """The row by its closed forms."""
    theta = Polynomial.sqrt(case.radicand)
    scores = [MINUS_INFINITY if j in hidden else Quotient.of(theta * s) for j, s in enumerate(case.scores)]
    weights = softmax_rows(Matrix([scores]))
    outputs = weights @ Matrix(list(zip(*case.columns, strict=True)))
    return round_matrix(weights, rounding)[0], round_matrix(outputs, rounding)[0]


def by_arb(case: rows.Case, hidden: frozenset[int], ties: str) -> tuple[list[str], list[str]]:
    live = [j for j in range(len(case.scores)) if j not in hidden]
    row = Row([case.scores[j] for j in live], case.radicand, 160 + 4 * case.places)
    units = [[Fraction(int(i == j)) for i in live] for j in range(len(case.scores))]
    columns = [[column[j] for j in live] for column in case.columns]
    weights, outputs = ([row.rounded(v, case.places, ties) for v in vs] for vs in (units, columns))
    return weights, outputs


def check(case: rows.Case, r: Random, *, arb: bool = True) -> int:
    """Compare one row by all rules with Arb and with its closed forms; how many entries there were."""
    n = len(case.scores)
    hidden = frozenset(r.sample(range(n), r.choice([0, 0, r.randrange(n)])))
    scores, values = integers(case, hidden)
    for ties in TIES:
        rounding = Rounding(places=case.places, ties=ties)
        (found,) = layer_rows(scores, values, rounding)
        assert found == closed(case, hidden, rounding), (case, hidden, rounding)
        assert list(weight_rows(scores, rounding)) == [found[0]]
        if arb:
            assert found == by_arb(case, hidden, ties), (case, hidden, rounding)
    rounding = Rounding(figures=r.randint(1, 15), ties=r.choice(TIES))
    assert list(layer_rows(scores, values, rounding)) == [closed(case, hidden, rounding)], (case, hidden, rounding)
    return (n + len(case.columns)) * len(TIES)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_sample(kind: Callable[[Random], rows.Case], way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    take(way, monkeypatch)
    r = Random(f"fast {kind.__name__} {way}")
    for _ in range(2):
        check(kind(r), r)


def test_many_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same strings whichever integers compute them, on both sides of where gmpy2 takes over."""
    r = Random("digits")
    for places in (algorithm_selection.GMPY2_FROM - 1, algorithm_selection.GMPY2_FROM, 700):
        case = wide(r)._replace(places=places)
        scores, values = integers(case, frozenset([1]))
        rounding = Rounding(places=places, ties="half-even")
        found = list(layer_rows(scores, values, rounding))
        assert found == [closed(case, frozenset([1]), rounding)]
        with monkeypatch.context() as patch:
            patch.setattr(algorithm_selection, "has_module", lambda _: False)
            assert list(layer_rows(scores, values, rounding)) == found
        with monkeypatch.context() as patch:
            patch.setattr(algorithm_selection, "GMPY2_FROM", 0)  # where gmpy2 is there
            assert list(layer_rows(scores, values, rounding)) == found


def test_several_rows_and_slices() -> None:
    r = Random("slices")
    case = wide(r)
    n = len(case.scores)
    _, values = integers(case, frozenset())
    scores = Scores([[r.randint(-30, 30) for _ in range(n)] for _ in range(70)], 4)
    every = list(layer_rows(scores, values, Rounding(places=6)))
    parts = [layer_rows(scores, values, Rounding(places=6), a, b) for a, b in ((0, 1), (1, 66), (66, None))]
    assert [row for part in parts for row in part] == every
    assert list(weight_rows(scores, Rounding(places=6), 3, 9)) == [weights for weights, _ in every[3:9]]


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="row 2 are masked"):
        Scores([[0], [None]])
    with pytest.raises(InputError, match="positive"):
        Scores([[0]], 0)
    with pytest.raises(ShapeError, match="2 entries"):
        list(layer_rows(Scores([[0]]), IntegerMatrix([[1], [2]]), Rounding(places=2)))


@pytest.mark.long
def test_a_million_entries() -> None:
    r = Random("a million")
    checked = 0
    while checked < 1_000_000:
        for kind in KINDS:
            with pytest.MonkeyPatch.context() as patch:
                take(r.choice(WAYS), patch)
                checked += check(kind(r), r)


@pytest.mark.long
def test_ten_thousand_near_ties() -> None:
    r = Random("near ties")
    checked = 0
    while checked < 10_000:
        case = r.choice([rows.near_tie, rows.exact_tie])(r, columns=8)
        check(case, r)
        checked += len(case.columns)
