"""Evaluation at numbers: exact values, floats of many digits, and what has no value."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expectation import expectation
from symattn.exact.indexed.expression import Expr
from tests.exact.indexed.evaluation import EXACT, Place, evaluate, value_in
from tests.exact.indexed.number_types import FloatNumbers

I, J = ix.free("i"), ix.free("j")
N, X = Expr.scalar("n"), Expr.scalar("x")
Z = Expr.entry("z", I)

Tables = dict[str, dict[tuple[int, ...], Fraction | int]]


def test_a_softmax_weight() -> None:
    """Weights of the scores 8, 3/2 and -5/2: e^8 over the sum of the three exponentials."""
    weight = Expr.exp(Z) / Expr.sum_over(J, N, Expr.exp(Expr.entry("z", J)))
    table: Tables = {"z": {(1,): Fraction(3, 2), (2,): Fraction(-5, 2), (3,): 8}}
    scores = [ExpSum.exp(x) for x in (Fraction(3, 2), Fraction(-5, 2), Fraction(8))]
    assert evaluate(weight, {"n": 3}, entries=table, indices={I: 3}) == Quotient(scores[2], sum(scores, ExpSum()))


def test_roots_are_exact() -> None:
    assert evaluate(1 / Expr.sqrt(N), {"n": 8}) ** 2 == Fraction(1, 8)


def test_deltas_permutations_and_fixed_indices() -> None:
    body = Expr.delta(I, ix.fixed("2")) * Expr.entry("z", ix.moved("pi", I))
    table: Tables = {"z": {(1,): 10, (2,): 20, (3,): 30}}
    assert evaluate(body, {}, entries=table, indices={I: 2}, permutations={"pi": (2, 3, 1)}) == 30
    assert evaluate(body, {}, entries=table, indices={I: 1}, permutations={"pi": (2, 3, 1)}) == 0


@pytest.mark.parametrize("name", ["tanh", "erf", "sin", "cos", "log", "sqrt"])
def test_functions_of_floats(name: str) -> None:
    numbers = FloatNumbers(40)
    found = value_in(Expr.function(name, X), Place(numbers, {"x": numbers.constant(Fraction(1, 3))}))
    with mpmath.workdps(50):
        assert abs(found - getattr(mpmath, name)(mpmath.mpf(1) / 3)) < mpmath.mpf(10) ** -39


def test_a_function_that_is_given() -> None:
    found = value_in(Expr.function("relu", X), Place(EXACT, {"x": Quotient(-1)}, {}, {"relu": lambda _: Quotient(0)}))
    assert found == 0


@pytest.mark.parametrize(
    ("expr", "says"),
    [
        (Expr.scalar("y"), "y has no value"),
        (Z, "z has no value"),
        (Expr.sum_over(I, N, Z), "z has no value"),
        (Expr.sum_over(I, X, Expr.delta(I, I) * Expr.function("tanh", Z)), "not a whole number"),
        (Expr.function("tanh", N), "no exact value"),
        (Expr.function("f", N), "no exact value"),
        (Expr.log(N), "no exact value"),
        (1 / (N - 2), "divided by 0"),
        (expectation(Expr.function("f", Expr.scalar("q")), frozenset({"q"})), "expectation"),
    ],
)
def test_what_has_no_value(expr: Expr, says: str) -> None:
    with pytest.raises(InputError, match=says):
        evaluate(expr, {"n": 2}, {"x": Fraction(1, 2)})


def test_no_real_value_in_floats() -> None:
    numbers = FloatNumbers(20)
    place = Place(numbers, {"x": numbers.constant(-1)})
    for expr in (Expr.log(X), Expr.sqrt(X), 1 / (1 + X)):
        with pytest.raises(InputError):
            value_in(expr, place)


def test_a_table_without_the_entry_and_an_index_without_a_value() -> None:
    with pytest.raises(InputError, match=r"z\[3\] has no value"):
        evaluate(Z, {}, entries={"z": {(1,): 1}}, indices={I: 3})
    with pytest.raises(InputError, match="index i has no value"):
        evaluate(Z, {}, entries={"z": {(1,): 1}})


def test_a_permutation_is_one() -> None:
    moved = Expr.entry("z", ix.moved("pi", I))
    for images in ((1, 1), (1,)):
        with pytest.raises(InputError, match="not a permutation"):
            evaluate(moved, {}, entries={"z": {(1,): 1}}, indices={I: 2}, permutations={"pi": images})


def test_a_double_sum() -> None:
    whole = Expr.sum_over(I, N, Expr.sum_over(J, N, Expr.entry("A", I, J)))
    table: Tables = {"A": {(1, 1): 1, (1, 2): 10, (2, 1): 100, (2, 2): 1000}}
    assert evaluate(whole, {"n": 2}, entries=table) == 1111
