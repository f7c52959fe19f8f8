"""Derivatives against difference quotients: exact ones of polynomials, central ones at 60 digits of the rest."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.calculus import derivative
from symattn.exact.indexed.expression import Atom, Expr
from tests.exact.indexed.trees import (
    FLOATS,
    Case,
    Table,
    Tree,
    UndefinedError,
    build,
    cases,
    formulas,
    number,
    polynomials,
    shifted,
    value_of,
)

QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
SOME = settings(max_examples=40, suppress_health_check=QUIET)
MANY = settings(max_examples=800, suppress_health_check=QUIET)
ATOMS: list[Atom[Expr]] = [Atom("x"), Atom("z", (ix.free("l"),)), Atom("A", (ix.free("l"), ix.free("d")))]
VARIABLES = st.sampled_from(ATOMS)

CENTRAL = (Fraction(4, 5), Fraction(-1, 5), Fraction(4, 105), Fraction(-1, 280))
"""Weights of f(h) - f(-h), f(2h) - f(-2h), ...: exact for polynomials of degree up to 8 (Fornberg 1988)."""


def degree(tree: Tree) -> int:
    match tree:
        case ("number" | "delta", *_):
            return 0
        case ("scalar" | "entry", *_):
            return 1
        case ("times", first, second):
            return degree(first) + degree(second)
        case ("power", base, exponent):
            return int(exponent) * degree(base)
        case _:
            return max(degree(part) for part in tree if isinstance(part, tuple))


def place_of(by: Atom[Expr], case: Case) -> tuple[str, tuple[int, ...]]:
    return by.name, tuple(case.indices[ix.text(index)] for index in by.indices)


def polynomial_derivative(tree: Tree, by: Atom[Expr], case: Case) -> None:
    assume(degree(tree) <= 8)
    place = place_of(by, case)

    def at(t: int) -> Fraction:
        value: Fraction = number(tree, shifted(case, place, t), exact=True)
        return value

    wanted = sum((c * (at(n) - at(-n)) for n, c in enumerate(CENTRAL, 1)), Fraction(0))
    assert value_of(derivative(build(tree), by), case, exact=True) == wanted


def formula_derivative(tree: Tree, by: Atom[Expr], case: Case) -> None:
    place, step = place_of(by, case), Fraction(1, 10**15)
    try:
        found = derivative(build(tree), by)
        high, low = number(tree, shifted(case, place, step)), number(tree, shifted(case, place, -step))
        wanted = (high - low) / 2 * 10**15
        number(tree, shifted(case, place, Fraction(1, 10)))  # not at the edge of where it is defined
        number(tree, shifted(case, place, Fraction(-1, 10)))
        value = value_of(known_primes(found), case)
    except (InputError, UndefinedError):
        reject()
    assert abs(value - wanted) <= FLOATS.context.mpf(10) ** -15 * (1 + abs(wanted)) ** 3


def known_primes(expr: Expr) -> Expr:
    """f(x) is x^3/7 + x + 1."""
    return expr.mapped(lambda atom: atom.arguments[0].power(2) * 3 / 7 + 1 if atom.name == "f'" else None)


@SOME
@given(polynomials(6), VARIABLES, cases())
def test_polynomials(tree: Tree, by: Atom[Expr], case: Case) -> None:
    polynomial_derivative(tree, by, case)


@SOME
@given(formulas(5), VARIABLES, cases())
def test_formulas(tree: Tree, by: Atom[Expr], case: Case) -> None:
    formula_derivative(tree, by, case)


@pytest.mark.long
@MANY
@given(polynomials(8), VARIABLES, cases())
def test_polynomials_long(tree: Tree, by: Atom[Expr], case: Case) -> None:
    polynomial_derivative(tree, by, case)


@pytest.mark.long
@MANY
@given(formulas(6), VARIABLES, cases())
def test_formulas_long(tree: Tree, by: Atom[Expr], case: Case) -> None:
    formula_derivative(tree, by, case)


SOFTMAX: Tree = ("over", ("exp", ("entry", "z", "i")), ("sum", "j", "n", ("exp", ("entry", "z", "j"))))


@pytest.mark.parametrize("i", [1, 2, 3])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_softmax(i: int, place: int) -> None:
    values: dict[str, Table] = {"z": {(1,): Fraction(1, 2), (2,): Fraction(-1), (3,): Fraction(2)}}
    formula_derivative(SOFTMAX, Atom("z", (ix.free("l"),)), Case({"n": 3}, {}, values, {"i": i, "l": place}))


def test_softmax_in_closed_form() -> None:
    """The derivative of a_i by z_l is a_i (delta_il - a_l)."""
    i, l = ix.free("i"), ix.free("l")
    a = build(SOFTMAX)
    assert derivative(a, Atom("z", (l,))).equals(a * (Expr.delta(i, l) - a.replaced(i, l)))


@pytest.mark.parametrize(
    ("function", "prime"),
    [
        (Expr.log, lambda x: 1 / x),
        (Expr.sqrt, lambda x: 1 / (2 * Expr.sqrt(x))),
        (lambda x: Expr.function("tanh", x), lambda x: 1 - Expr.function("tanh", x) ** 2),
        (lambda x: Expr.function("sin", x), lambda x: Expr.function("cos", x)),
        (lambda x: Expr.function("cos", x), lambda x: -Expr.function("sin", x)),
        (lambda x: 1 / (1 + x), lambda x: -1 / (1 + x) ** 2),
        (lambda x: Expr.exp(x**2), lambda x: 2 * x * Expr.exp(x**2)),
    ],
)
def test_table(function: object, prime: object) -> None:
    x = Expr.scalar("x")
    assert derivative(function(x), Atom("x")).equals(prime(x))  # type: ignore[operator]
    chained = derivative(function(x**3), Atom("x"))  # type: ignore[operator]
    assert chained.equals(3 * x**2 * prime(x**3))  # type: ignore[operator]
