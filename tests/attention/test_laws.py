"""What is true of attention whatever the numbers are, held exactly."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

import mpmath
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api.solutions import attention, solve
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.sign import compare, sign
from symattn.graph.builders.attention import attention_layer
from symattn.problem.model import Problem
from tests.attention.strategies import ENTRIES, Given, given_problems, matrices

ONE = Quotient.of(1)


def total(values: tuple[Quotient, ...]) -> Quotient:
    return reduce(lambda left, right: left + right, values)


def picked(rows: tuple[tuple[Quotient, ...], ...], order: list[int]) -> Matrix:
    return Matrix([list(rows[i]) for i in order])


@given(given_problems())
def test_weights_are_positive_and_each_line_sums_to_one(small: Given) -> None:
    for row in small.layer().exact("A").rows:
        assert total(row) == ONE
        assert all(sign(weight) > 0 for weight in row)


@given(given_problems(), st.lists(ENTRIES, min_size=3, max_size=3))
def test_a_constant_added_to_a_line_of_scores_changes_no_weight(small: Given, constants: list[Fraction]) -> None:
    # One more coordinate, 1 in every key and c_i in query i, adds c_i to line i of the scores.
    small = Given(small.Q, small.K, small.V, "none")
    shifted = Given(
        [[*query, c] for query, c in zip(small.Q, constants, strict=False)],
        [[*key, Fraction(1)] for key in small.K],
        small.V,
        "none",
    )
    before, after = small.layer(), shifted.layer()
    added = [[c] * len(small.K) for c in constants[: len(small.Q)]]
    assert after.exact("S") == before.exact("S") + Matrix(added)
    assert after.exact("A") == before.exact("A")
    assert after.exact("O") == before.exact("O")


@given(given_problems())
def test_subtracting_the_maximum_changes_no_exact_value(small: Given) -> None:
    plain, shifted = small.layer(), small.layer(rounding={"shift": True})
    assert shifted.exact("A") == plain.exact("A")
    assert shifted.exact("O") == plain.exact("O")
    assert all(compare(total(row), ONE) >= 0 for row in shifted.exact("E").rows)


@given(given_problems(), st.data())
def test_permuted_keys_permute_the_weights_and_leave_the_outputs(small: Given, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(small.K))))
    moved = Given(small.Q, [small.K[j] for j in order], [small.V[j] for j in order], small.scale)
    before, after = small.layer(), moved.layer()
    permuted = picked(before.exact("A").T.rows, order).T
    assert after.exact("A") == permuted
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
def test_outputs_are_weighted_sums_between_the_smallest_and_the_largest_value(small: Given) -> None:
    layer = small.layer()
    for weights, outputs in zip(layer.exact("A").rows, layer.exact("O").rows, strict=True):
        for column, output in zip(zip(*small.V, strict=True), outputs, strict=True):
            products = tuple(weight * value for weight, value in zip(weights, column, strict=True))
            assert total(products) == output
            assert compare(Quotient.of(min(column)), output) <= 0 <= compare(Quotient.of(max(column)), output)


@settings(max_examples=40)
@given(given_problems())
def test_a_larger_score_has_a_larger_weight(small: Given) -> None:
    layer = small.layer()
    for scores, weights in zip(layer.exact(layer.logits).rows, layer.exact("A").rows, strict=True):
        for i in range(len(scores)):
            for j in range(i):
                assert compare(scores[i], scores[j]) == compare(weights[i], weights[j])


@given(given_problems())
def test_equal_keys_share_equally(small: Given) -> None:
    same = Given(small.Q, [small.K[0]] * len(small.K), small.V, small.scale)
    share = Quotient.of(Fraction(1, len(small.K)))
    layer = same.layer()
    assert all(weight.rational() == share.rational() for weight in layer.exact("A"))
    means = [sum(column) / len(small.V) for column in zip(*small.V, strict=True)]
    assert [entry.rational() for entry in layer.exact("O").rows[0]] == means


@given(given_problems(), ENTRIES.filter(lambda value: value != 0))
def test_a_temperature_divides_and_beta_multiplies(small: Given, number: Fraction) -> None:
    keys = {"Q": small.Q, "K": small.K, "V": small.V}
    made = [
        attention_layer(Problem.build(**keys, **scale))
        for scale in ({"temperature": str(number)}, {"beta": str(1 / number)}, {"scale": str(1 / number)})
    ]
    for layer in made:
        assert layer.exact("A") == made[0].exact("A")
        assert layer.exact("S_scaled") == made[0].exact("S").scale(1 / number)


@settings(max_examples=40)
@given(given_problems())
def test_evaluation_agrees_with_mpmath(small: Given) -> None:
    ours = small.layer().exact("A").evaluate(50)
    with mpmath.workdps(60):
        expected = softmax(small)
        for i, row in enumerate(expected):
            for j, weight in enumerate(row):
                assert abs(ours[i, j] - weight) <= weight * mpmath.mpf(10) ** -49


def softmax(small: Given) -> list[list[mpmath.mpf]]:
    """The weights as mpmath makes them, at its working precision."""
    d_k = len(small.Q[0])
    factor = 1 / mpmath.sqrt(d_k) if small.scale == "1/sqrt(d_k)" else number(small.scale.replace("none", "1"))
    rows = []
    for query in small.Q:
        scores = (sum((a * b for a, b in zip(query, key, strict=True)), Fraction(0)) for key in small.K)
        powers = [mpmath.exp(factor * number(score)) for score in scores]
        rows.append([power / mpmath.fsum(powers) for power in powers])
    return rows


def number(value: str | Fraction) -> mpmath.mpf:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


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
def test_every_step_is_replayed(small: Given) -> None:
    keys = {"Q": small.Q, "K": small.K, "V": small.V, "scale": small.scale}
    for steps in ("end", "matrices", "all"):
        result = solve(Problem.build(**keys, rounding={"steps": steps, "places": 2}))
        assert all(step.proved for step in result.derivation.replay())
