"""Expectations against sums over all outcomes, and moments against known tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expectation import (
    LAWS,
    Coordinates,
    Fact,
    Independent,
    Law,
    Mean,
    RawMoment,
    SameLaw,
    Uncorrelated,
    Variance,
    expectation,
    gaussian_moment,
    here,
)
from symattn.exact.indexed.expression import Atom, Expr
from tests.exact.indexed.evaluation import EXACT, Place, enumerate_mean
from tests.exact.indexed.trees import RATIONALS, Case, Table, Tree, build, number, value_of

QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
Points = Sequence[tuple[Fraction, Fraction]]
"""A law of one entry: values with their probabilities."""

Outcome = tuple[Fraction, dict[str, dict[tuple[int, ...], Fraction]]]
"""A probability, and the entries by name."""

QuotientTables = dict[str, dict[tuple[int, ...], Quotient]]

HALF = Fraction(1, 2)
COIN: Points = ((Fraction(-1), HALF), (Fraction(1), HALF))
THREE: Points = ((Fraction(-2), Fraction(1, 6)), (Fraction(0), Fraction(1, 3)), (Fraction(1), HALF))


def bernoulli(p: Fraction) -> Points:
    return ((Fraction(0), 1 - p), (Fraction(1), p))


def moment(points: Points, order: int) -> Fraction:
    return sum((p * x**order for x, p in points), Fraction(0))


def outcomes(
    laws: Mapping[tuple[str, int], Points],
) -> list[tuple[Fraction, dict[str, dict[tuple[int, ...], Fraction]]]]:
    """The joint law of independent entries."""
    found = []
    for choice in itertools.product(*laws.values()):
        entries: dict[str, dict[tuple[int, ...], Fraction]] = {}
        for (name, i), (x, _) in zip(laws, choice, strict=True):
            entries.setdefault(name, {})[i,] = x
        found.append((prod((p for _, p in choice), start=Fraction(1)), entries))
    return found


def mean_by_enumeration(tree: Tree, case: Case, laws: Mapping[tuple[str, int], Points]) -> Fraction:
    total = Fraction(0)
    for probability, entries in outcomes(laws):
        there = Case(case.sizes, case.scalars, {**case.entries, **entries}, case.indices)
        total += probability * number(tree, there, exact=True)
    return total


# Random polynomials ----------------------------------------------------------------------------------

LETTERS = st.sampled_from(["i", "j"])


def leaves() -> st.SearchStrategy[Tree]:
    return st.one_of(
        st.tuples(st.just("entry"), st.sampled_from(["q", "q", "k", "z"]), LETTERS),
        st.tuples(st.just("delta"), LETTERS, LETTERS),
        RATIONALS.map(lambda value: ("number", value)),
        st.just(("scalar", "n")),
    )


def deeper(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.one_of(
        st.tuples(st.just("add"), inner, inner),
        st.tuples(st.just("times"), inner, inner),
        st.tuples(st.just("sum"), LETTERS, st.just("n"), inner),
        st.tuples(st.just("sum"), LETTERS, st.just("n"), inner),
        st.tuples(st.just("but"), LETTERS, st.just("n"), LETTERS, inner),
        st.tuples(st.just("power"), inner, st.integers(2, 3)),
    )


POLYNOMIALS = st.recursive(leaves(), deeper, max_leaves=5)


@st.composite
def places(draw: st.DrawFn, top: int) -> Case:
    n = draw(st.integers(1, top))
    entries: dict[str, Table] = {"z": {(i,): draw(RATIONALS) for i in range(1, n + 1)}}
    return Case({"n": n}, {}, entries, {letter: draw(st.integers(1, n)) for letter in "ij"})


INDEPENDENT: tuple[Fact, ...] = (Independent(("q", "k")), Coordinates(("q",)), Coordinates(("k",)))
TOGETHER: tuple[Fact, ...] = (Independent(("k", "q")), Coordinates(("q", "k")))
RANDOM = frozenset({"q", "k"})
_ORDERS = range(1, 19)


def known(tree: Tree, facts: Sequence[Fact], case: Case, tables: Mapping[str, Any] | None = None) -> Any:
    found = expectation(build(tree), RANDOM, facts)
    there = Case(case.sizes, case.scalars, {**case.entries, **(tables or {})}, case.indices)
    return value_of(found, there, exact=True)


def one_law(tree: Tree, case: Case, q: Points, k: Points) -> None:
    n = case.sizes["n"]
    laws = {("q", i): q for i in range(1, n + 1)} | {("k", i): k for i in range(1, n + 1)}
    raw = [RawMoment(name, order, Expr(moment(law, order))) for name, law in (("q", q), ("k", k)) for order in _ORDERS]
    wanted = mean_by_enumeration(tree, case, laws)
    for independence in (INDEPENDENT, TOGETHER):
        assert known(tree, (*independence, *raw), case) == wanted


def laws_by_index(tree: Tree, case: Case, p: Sequence[Fraction]) -> None:
    """Coordinates that are independent with a law each: Bernoulli for q, three points times i for k."""
    n = case.sizes["n"]
    k = {i: tuple((x * i, c) for x, c in THREE) for i in range(1, n + 1)}
    laws = {("q", i): bernoulli(p[i - 1]) for i in range(1, n + 1)} | {("k", i): k[i] for i in k}
    tables: dict[str, Any] = {"p": {(i,): p[i - 1] for i in range(1, n + 1)}}
    facts: list[Fact] = [*INDEPENDENT, Law("q", "bernoulli", (Expr.entry("p", here()),))]
    for order in _ORDERS:
        tables[f"m{order}"] = {(i,): moment(k[i], order) for i in k}
        facts.append(RawMoment("k", order, Expr.entry(f"m{order}", here())))
    assert known(tree, facts, case, tables) == mean_by_enumeration(tree, case, laws)


SOME = settings(max_examples=60, suppress_health_check=QUIET)
MANY = settings(max_examples=500, suppress_health_check=QUIET)
PROBABILITIES = st.lists(st.sampled_from([Fraction(1, 3), HALF, Fraction(3, 4)]), min_size=4, max_size=4)


@SOME
@given(POLYNOMIALS, places(3), st.sampled_from([COIN, bernoulli(Fraction(1, 3))]))
def test_one_law(tree: Tree, case: Case, q: Points) -> None:
    one_law(tree, case, q, COIN)


@SOME
@given(POLYNOMIALS, places(2), PROBABILITIES)
def test_a_law_for_each_index(tree: Tree, case: Case, p: list[Fraction]) -> None:
    laws_by_index(tree, case, p)


@pytest.mark.long
@MANY
@given(POLYNOMIALS, places(4), st.sampled_from([COIN, bernoulli(Fraction(1, 3))]))
def test_one_law_long(tree: Tree, case: Case, q: Points) -> None:
    one_law(tree, case, q, COIN)


@pytest.mark.long
@MANY
@given(POLYNOMIALS, places(3), PROBABILITIES)
def test_a_law_for_each_index_long(tree: Tree, case: Case, p: list[Fraction]) -> None:
    laws_by_index(tree, case, p)


# Powers of dot products ------------------------------------------------------------------------------

DOT: Tree = ("sum", "i", "n", ("times", ("entry", "q", "i"), ("entry", "k", "i")))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_powers_of_a_dot_product(size: int, power: int) -> None:
    one_law(("power", DOT, power), Case({"n": size}, {}, {}, {}), bernoulli(Fraction(1, 3)), COIN)


def test_dependent_families_with_independent_pairs() -> None:
    """E[(sum q_i k_i)^3 (sum q_i)] where (q_i, k_i) is one of three points and pairs are independent."""
    pairs = (((0, 1), Fraction(1, 2)), ((1, 1), Fraction(1, 3)), ((2, -1), Fraction(1, 6)))
    tree = ("times", ("power", DOT, 3), ("sum", "j", "n", ("entry", "q", "j")))
    found = expectation(build(tree), RANDOM, (Coordinates(("q", "k")), SameLaw(("q", "k"))))

    def joint(atom: Atom[Expr]) -> Expr | None:
        if not atom.name.startswith("E:"):
            return None
        orders = {inner.name: power for inner, power in atom.arguments[0].terms[0][0].factors}
        return Expr(sum((p * q ** orders.get("q", 0) * k ** orders.get("k", 0) for (q, k), p in pairs), Fraction(0)))

    for size in (1, 2, 3):
        case = Case({"n": size}, {}, {}, {})
        wanted = Fraction(0)
        for choice in itertools.product(pairs, repeat=size):
            q: Table = {(i,): Fraction(x) for i, ((x, _), _) in enumerate(choice, 1)}
            k: Table = {(i,): Fraction(x) for i, ((_, x), _) in enumerate(choice, 1)}
            value = number(tree, Case({"n": size}, {}, {"q": q, "k": k}, {}), exact=True)
            wanted += prod((p for _, p in choice), start=Fraction(1)) * value
        assert value_of(found.mapped(joint), case, exact=True) == wanted


def test_uncorrelated_entries_factor_at_one_index_alone() -> None:
    i, j = ix.free("i"), ix.free("j")
    q, k = Expr.entry("q", i), Expr.entry("k", i)
    facts = (Uncorrelated("q", "k"), Mean("q", Expr(2)), Mean("k", Expr(3)))
    assert expectation(q * k, RANDOM, facts) == 6
    assert expectation(q**2 * k, RANDOM, facts) != 6
    assert expectation(q * k.replaced(i, j), RANDOM, facts) != 6


# Known tables ----------------------------------------------------------------------------------------


def test_moments_of_the_standard_normal_law() -> None:
    """1, 0, 1, 0, 3, 0, 15, 0, 105: the double factorials (Kendall and Stuart, volume 1)."""
    found = [gaussian_moment(order, (Expr(0), Expr(1))).rational() for order in range(9)]
    assert found == [1, 0, 1, 0, 3, 0, 15, 0, 105]


def test_moments_of_a_normal_law() -> None:
    m, v = Expr.scalar("m"), Expr.scalar("v")
    assert gaussian_moment(3, (m, v)) == m**3 + 3 * m * v
    assert gaussian_moment(5, (m, v)) == m**5 + 10 * m**3 * v + 15 * m * v**2
    assert gaussian_moment(6, (m, v)) == m**6 + 15 * m**4 * v + 45 * m**2 * v**2 + 15 * v**3


@pytest.mark.parametrize(
    ("name", "parameters", "table"),
    [
        ("rademacher", (), [1, 0, 1, 0, 1]),
        ("bernoulli", (Fraction(1, 3),), [1, Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]),
        ("uniform", (-1, 1), [1, 0, Fraction(1, 3), 0, Fraction(1, 5)]),
        ("uniform", (0, 1), [1, HALF, Fraction(1, 3), Fraction(1, 4), Fraction(1, 5)]),
    ],
)
def test_moments_of_other_laws(name: str, parameters: tuple[Any, ...], table: list[Any]) -> None:
    given_moments: Callable[..., Expr] = LAWS[name][1]
    assert [given_moments(n, [Expr(p) for p in parameters]).rational() for n in range(len(table))] == table


def test_powers_of_a_dot_product_of_normal_vectors() -> None:
    """The sixth moment of q . k: given q it is normal with variance |q|^2, so that it is 15 E|q|^6, and |q|^2 is
    chi-squared with the third moment D (D + 2) (D + 4)."""
    i, d = ix.free("i"), Expr.scalar("D")
    dot = Expr.sum_over(i, d, Expr.entry("q", i) * Expr.entry("k", i))
    normal = tuple(Law(name, "gaussian", (Expr(0), Expr(1))) for name in ("q", "k"))
    assert expectation(dot**6, RANDOM, (*INDEPENDENT, *normal)) == 15 * d * (d + 2) * (d + 4)
    assert expectation(dot**4, RANDOM, (*INDEPENDENT, *normal)) == 3 * d * (d + 2)
    assert expectation(dot**3, RANDOM, (*INDEPENDENT, *normal)) == 0


def test_the_variance_of_a_dot_product_with_means() -> None:
    """D (s^2 t^2 + s^2 nu^2 + t^2 mu^2), with variances s^2 and t^2 and means mu and nu."""
    i, d = ix.free("i"), Expr.scalar("D")
    mu, nu, s, t = map(Expr.scalar, ("mu", "nu", "s", "t"))
    dot = Expr.sum_over(i, d, Expr.entry("q", i) * Expr.entry("k", i))
    known_moments = (Mean("q", mu), Mean("k", nu), Variance("q", s**2), Variance("k", t**2))
    facts = (*INDEPENDENT, *known_moments)
    variance = expectation(dot**2, RANDOM, facts) - expectation(dot, RANDOM, facts) ** 2
    assert variance == d * (s**2 * t**2 + s**2 * nu**2 + t**2 * mu**2)


def test_too_many_indices_are_refused() -> None:
    i, d = ix.free("i"), Expr.scalar("D")
    with pytest.raises(InputError, match="lower order"):
        expectation(Expr.sum_over(i, d, Expr.entry("q", i)).power(8), RANDOM, INDEPENDENT)


# Enumeration -----------------------------------------------------------------------------------------


def test_enumeration_wants_a_distribution() -> None:
    one: QuotientTables = {"q": {(1,): Quotient(1)}}
    laws = ([(Fraction(1, 2), one)], [(Fraction(2), one), (Fraction(-1), one)])
    for law in laws:
        with pytest.raises(InputError, match="probabilities"):
            enumerate_mean(Expr(1), law, Place(EXACT))


def test_enumeration_of_an_exponential() -> None:
    """The mean of exp(q) for a fair coin is the hyperbolic cosine of 1."""
    coin: list[tuple[Fraction, dict[str, dict[tuple[int, ...], Quotient]]]] = [
        (HALF, {"q": {(): Quotient(side)}}) for side in (-1, 1)
    ]
    value = enumerate_mean(Expr.exp(Expr.scalar("q")), coin, Place(EXACT))
    assert str(value) == "1/2*exp(-1) + 1/2*exp(1)"
