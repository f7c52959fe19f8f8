"""The backward pass through norms, networks and residuals: differences in Arb, closed forms, conventions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import pytest

import symattn as sa
from symattn.errors import InputError
from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.derivation_replay import replay
from symattn.problem.model import Problem
from tests.attention import block_differences, block_oracle

ONE_TOKEN: dict[str, Any] = {
    "X": [[1, 2, 3, 4]],
    "W_Q": [[1], [0], [0], [0]],
    "W_K": [[1], [0], [0], [0]],
    "W_V": [[0] * 4] * 4,
}
"""Attention adds nothing, so that the norm is that of (1, 2, 3, 4)."""

NETWORK: dict[str, Any] = {"W_F1": [[1, 0], [0, 1], [0, 0], [0, 0]], "W_F2": [[1, 2, 0, 0], [0, 1, 0, 3]]}


def solved(**keys: Any) -> Any:
    return sa.solve(Problem.build(**keys))


# Against differences ----------------------------------------------------------------------------------


def _check(seed: int) -> None:
    keys = block_differences.drawn(seed)
    result = solved(**keys)
    digits: dict[str, list[list[str]]] = {}
    for name, i, j, slope in block_differences.slopes(keys):
        rows = digits.setdefault(name, result[f"d{name}"].rounded(45))
        with flint.ctx.workprec(500):
            off = abs(slope - block_oracle.ball(rows[i][j]))
            assert off < block_oracle.ball(block_differences.NEAR), (seed, name, i, j, rows[i][j], slope)
    assert all(step.proved for step in replay(result.layer.steps())), f"seed {seed}"


@pytest.mark.parametrize("seed", range(3))
def test_gradients_of_blocks_are_those_of_central_differences(seed: int) -> None:
    _check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3, 100))
def test_gradients_of_many_blocks_are_those_of_central_differences(seed: int) -> None:
    _check(seed)


def test_columns_have_the_gradients_of_rows_turned() -> None:
    keys: dict[str, Any] = {
        "X": [[1, 0, 2], [0, 1, -1]],
        "W_Q": [[1], [0], [1]],
        "W_K": [[0], [1], [1]],
        "W_V": [[1, 0, 0], [0, 2, 0], [0, 0, 1]],
        "W_F1": [[1, 0], [0, 1], [1, -1]],
        "W_F2": [[1, 0, 0], [0, 1, -1]],
    }
    vectors = {"b_F1": [Fraction(1, 3), 0], "gamma_1": [1, 2, 1], "beta_2": [0, 1, 2]}
    block = {"norm": "layer", "eps": "1/10", "placement": "post"}
    start = [[1, 0, 2], [0, -1, 1]]
    rows = solved(**keys, **vectors, block=block, gradient={"dY": start})
    turned = {name: [list(column) for column in zip(*table, strict=True)] for name, table in keys.items()}
    on_end = [list(column) for column in zip(*start, strict=True)]
    columns = solved(**turned, **vectors, block=block, gradient={"dY": on_end}, tokens="columns")
    for name in (*keys, *vectors):
        assert columns[f"d{name}"].T.rounded(30) == rows[f"d{name}"].rounded(30), name


# Closed forms -----------------------------------------------------------------------------------------


def test_back_through_the_norm_of_one_to_four() -> None:
    """dx = (3, -4, -1, 2)/(5 sqrt 5) for dy = (1, 0, 0, 0), as is found in 60 digits of mpmath."""
    result = solved(**ONE_TOKEN, block={"norm": "layer", "eps": 0}, gradient={"dY": [[1, 0, 0, 0]]})
    assert str(result.dR_1) == "[[3/25*sqrt(5), -4/25*sqrt(5), -1/25*sqrt(5), 2/25*sqrt(5)]]"
    assert result.dX == result.dR_1
    assert result.derivation.is_proved


def test_back_through_a_root_mean_square() -> None:
    """(g - n (g n)/2)/r of x = (1, 7) with r = 5: n = (1/5, 7/5), and for g = (1, 0) it is (49, -7)/250."""
    keys = {"X": [[1, 7]], "W_Q": [[1], [0]], "W_K": [[1], [0]], "W_V": [[0, 0], [0, 0]]}
    result = solved(**keys, block={"norm": "rms", "eps": 0}, gradient={"dY": [[1, 0]]})
    assert str(result.dR_1) == "[[49/250, -7/250]]"
    assert "rho_1" not in result.layer.recipes


def test_a_network_is_taken_back_by_hand() -> None:
    """F_1 = (1, 2), all of it above 0; by hand dF_act = dY W_F2^T and dX = dY + dF_1 W_F1^T."""
    result = solved(**ONE_TOKEN, **NETWORK, block={"norm": "none"}, gradient={"dY": [[1, 0, 0, 2]]})
    assert str(result.dF_act) == "[[1, 6]]"
    assert str(result.dF_0) == "[[1, 6, 0, 0]]"
    assert str(result.dR_1) == "[[2, 6, 0, 2]]"
    assert str(result.dW_F2) == "[[1, 0, 0, 2], [2, 0, 0, 4]]"


def test_nothing_comes_through_a_relu_at_zero() -> None:
    keys = {**ONE_TOKEN, **NETWORK, "b_F1": [-1, -2], "block": {"norm": "none"}}
    result = solved(**keys, gradient={"dY": [[1, 1, 1, 1]]})
    assert all(value.is_zero for value in (*result.F_1.kernel, *result.dF_1.kernel))
    assert result.dR_1 == result.dR_2
    assert "0 is taken for it" in result.to_latex()


@pytest.mark.parametrize(("kind", "derivative"), [("gelu", "1.0833"), ("gelu-tanh", "1.0830")])
def test_the_derivative_of_gelu_at_one_and_at_zero(kind: str, derivative: str) -> None:
    """Phi(1) + phi(1) = 0.841345 + 0.241971, which the form with tanh misses by 0.00035; at 0 both are 1/2."""
    keys = {**ONE_TOKEN, **NETWORK, "b_F1": [0, -2], "block": {"norm": "none", "activation": kind}}
    result = solved(**keys, gradient={"dY": [[1, 0, 0, 0]]})
    assert result["F_slope"].rounded(4) == [[derivative, "0.5000"]]
    assert result.dF_1.rounded(4) == [[derivative, "0.0000"]]


def test_a_norm_of_equal_entries_has_no_gradient() -> None:
    keys = {**ONE_TOKEN, "X": [[2, 2, 2, 2]], "block": {"norm": "layer", "eps": 0}}
    result = solved(**keys, gradient={"dY": [[1, 0, 0, 0]]})
    assert all(value is UNDEFINED for value in result.dR_1.kernel)
    assert all(finding.proved for finding in result.read_back(result.to_latex()))


def test_a_loss_is_of_the_output_of_the_block() -> None:
    block = {"norm": "layer", "eps": 0, "placement": "post"}
    squared = solved(**ONE_TOKEN, block=block, gradient={"loss": "squared", "target": [[0, 0, 0, 0]]})
    assert squared.dN_1 == squared.N_1
    assert all(value.is_zero for value in squared.dX.kernel)  # the squares of a normed token add up to 4 whatever it is
    assert all(value.is_zero for value in solved(**ONE_TOKEN, block=block, gradient={"loss": "sum"}).dX.kernel)


def test_the_output_is_that_of_attention_where_only_a_norm_comes_before() -> None:
    block = {"norm": "rms", "eps": 1, "placement": "pre", "residual": False}
    result = solved(**ONE_TOKEN, block=block, gradient={"loss": "sum"})
    assert (result.layer.output, result.dO.shape) == ("O", (1, 4))


def test_records_with_long_roots_are_replayed() -> None:
    """Products of two roots can be beyond what is searched for square factors when they are read."""
    keys = block_differences.drawn(8)
    assert solved(**keys).derivation.is_proved


# Refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"block": {"norm": "none"}, "gradient": {"dO": [[1, 0, 0, 0]]}}, "give it instead of dO"),
        ({"gradient": {"dY": [[1, 0, 0, 0]]}}, "there is none; give dO"),
        ({"block": {"norm": "none"}, "gradient": {"dY": [[1, 0]]}}, "is 1×2 and the output of the block is 1×4"),
        ({"block": {"norm": "none"}, "gradient": {"loss": "sum", "of": ["dN_1"]}}, "dN_1"),
    ],
)
def test_what_has_no_backward_pass_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        solved(**ONE_TOKEN, **keys)
