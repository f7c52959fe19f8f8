"""What is true of attention whatever the numbers are, held exactly."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import sqrt

import mpmath
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api import attention, solve
from symattn.attention.layer import attention_layer
from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient
from symattn.exact.sign import compare, sign
from symattn.problem.model import Problem
from tests.attention.strategies import ENTRIES, Given, given_problems, matrices

ONE = Quotient.of(1)


def total(values: tuple[Quotient, ...]) -> Quotient:
    return reduce(lambda left, right: left + right, values)


def picked(rows: tuple[tuple[Quotient, ...], ...], order: list[int]) -> Matrix:
    return Matrix([list(rows[i]) for i in order])


@given(given_problems())
def test_weights_are_positive_and_each_line_sums_to_one(given: Given) -> None:
    for row in given.layer().exact("A").rows:
        assert total(row) == ONE
        assert all(sign(weight) > 0 for weight in row)


@given(given_problems(), st.lists(ENTRIES, min_size=3, max_size=3))
def test_a_constant_added_to_a_line_of_scores_changes_no_weight(given: Given, constants: list[Fraction]) -> None:
    # One more coordinate, 1 in every key and c_i in query i, adds c_i to line i of the scores.
    given = Given(given.Q, given.K, given.V, "none")
    shifted = Given(
        [[*query, c] for query, c in zip(given.Q, constants, strict=False)],
        [[*key, Fraction(1)] for key in given.K],
        given.V,
        "none",
    )
    before, after = given.layer(), shifted.layer()
    added = [[c] * len(given.K) for c in constants[: len(given.Q)]]
    assert after.exact("S") == before.exact("S") + Matrix(added)
    assert after.exact("A") == before.exact("A")
    assert after.exact("O") == before.exact("O")


@given(given_problems())
def test_subtracting_the_maximum_changes_no_exact_value(given: Given) -> None:
    plain, shifted = given.layer(), given.layer(rounding={"shift": True})
    assert shifted.exact("A") == plain.exact("A")
    assert shifted.exact("O") == plain.exact("O")
    assert all(compare(total(row), ONE) >= 0 for row in shifted.exact("E").rows)


@given(given_problems(), st.data())
def test_permuted_keys_permute_the_weights_and_leave_the_outputs(given: Given, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(given.K))))
    moved = Given(given.Q, [given.K[j] for j in order], [given.V[j] for j in order], given.scale)
    before, after = given.layer(), moved.layer()
    assert after.exact("A").T == picked(before.exact("A").T.rows, order)
    assert after.exact("O") == before.exact("O")


@settings(max_examples=40)
@given(st.integers(1, 3), st.data())
def test_permuted_tokens_permute_map_and_outputs(n: int, data: st.DataObject) -> None:
    tokens = data.draw(matrices(n, 2))
    weights = {name: data.draw(matrices(2, 2)) for name in ("W_Q", "W_K", "W_V")}
    order = data.draw(st.permutations(range(n)))
    before = attention_layer(Problem.build(X=tokens, scale="none", **weights))
    after = attention_layer(Problem.build(X=[tokens[i] for i in order], scale="none", **weights))
    assert after.exact("A") == picked(picked(before.exact("A").rows, order).T.rows, order).T
    assert after.exact("O") == picked(before.exact("O").rows, order)


@settings(max_examples=40)
@given(given_problems())
def test_outputs_are_weighted_sums_between_the_smallest_and_the_largest_value(given: Given) -> None:
    layer = given.layer()
    for weights, outputs in zip(layer.exact("A").rows, layer.exact("O").rows, strict=True):
        for column, output in zip(zip(*given.V, strict=True), outputs, strict=True):
            products = tuple(weight * value for weight, value in zip(weights, column, strict=True))
            assert total(products) == output
            assert compare(Quotient.of(min(column)), output) <= 0 <= compare(Quotient.of(max(column)), output)


@settings(max_examples=40)
@given(given_problems())
def test_a_larger_score_has_a_larger_weight(given: Given) -> None:
    layer = given.layer()
    for scores, weights in zip(layer.exact(layer.logits).rows, layer.exact("A").rows, strict=True):
        for i in range(len(scores)):
            for j in range(i):
                assert compare(scores[i], scores[j]) == compare(weights[i], weights[j])


@given(given_problems())
def test_equal_keys_share_equally(given: Given) -> None:
    same = Given(given.Q, [given.K[0]] * len(given.K), given.V, given.scale)
    share = Quotient.of(Fraction(1, len(given.K)))
    layer = same.layer()
    assert all(weight.rational() == share.rational() for weight in layer.exact("A"))
    means = [sum(column) / len(given.V) for column in zip(*given.V, strict=True)]
    assert [entry.rational() for entry in layer.exact("O").rows[0]] == means


@given(given_problems(), ENTRIES.filter(lambda value: value != 0))
def test_a_temperature_divides_and_beta_multiplies(given: Given, number: Fraction) -> None:
    keys = {"Q": given.Q, "K": given.K, "V": given.V}
    made = [
        attention_layer(Problem.build(**keys, **scale))
        for scale in ({"temperature": str(number)}, {"beta": str(1 / number)}, {"scale": str(1 / number)})
    ]
    for layer in made:
        assert layer.exact("A") == made[0].exact("A")
        assert layer.exact("S_scaled") == made[0].exact("S").scale(1 / number)


@settings(max_examples=40)
@given(given_problems())
def test_evaluation_agrees_with_mpmath(given: Given) -> None:
    layer = given.layer()
    factor = {"none": 1.0, "1/sqrt(d_k)": 1 / sqrt(len(given.Q[0]))}.get(given.scale)
    with mpmath.workdps(60):
        exact = mpmath.sqrt(len(given.Q[0])) ** -1 if given.scale == "1/sqrt(d_k)" else None
        for i, query in enumerate(given.Q):
            scores = [
                mpmath.fsum(mpmath.mpf(a.numerator) / a.denominator * b.numerator / b.denominator for a, b in zip(query, key, strict=True))
                for key in given.K
            ]
            number = exact if exact is not None else mpmath.mpf(1) if factor else _number(given.scale)
            powers = [mpmath.exp(number * score) for score in scores]
            for j, power in enumerate(powers):
                weight = power / mpmath.fsum(powers)
                assert abs(layer.exact("A").evaluate(50)[i, j] - weight) <= weight * mpmath.mpf(10) ** -48


def _number(text: str) -> mpmath.mpf:
    value = Fraction(text)
    return mpmath.mpf(value.numerator) / value.denominator


def test_a_common_textbook_layer_agrees_with_numpy() -> None:
    rng = np.random.default_rng(20)
    tokens, *weights = (rng.integers(-3, 4, size=(3, 3)) for _ in range(4))
    result = attention(
        X=tokens.tolist(), **dict(zip(("W_Q", "W_K", "W_V"), (w.tolist() for w in weights), strict=True))
    )
    q, k, v = (tokens @ weight for weight in weights)
    scores = q @ k.T / np.sqrt(3)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True) @ v
    ours = np.array([[float(text) for text in row] for row in result.O.rounded(12)])
    assert np.allclose(ours, expected, rtol=0, atol=1e-11)


@given(given_problems(2))
@settings(max_examples=20)
def test_every_step_is_replayed(given: Given) -> None:
    keys = {"Q": given.Q, "K": given.K, "V": given.V, "scale": given.scale}
    for steps in ("end", "matrices", "all"):
        result = solve(Problem.build(**keys, rounding={"steps": steps, "places": 2}))
        assert all(step.proved for step in result.derivation.replay())
