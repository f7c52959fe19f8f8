"""Gradients against exact differentiation, published numbers, and the laws that they obey."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from symattn.api.solutions import solve
from symattn.api.values import matrix as api_matrix
from symattn.checking.check import check_text
from symattn.errors import InputError
from symattn.exact.field.common_denominator import added
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer
from symattn.graph.derivation_replay import replay
from symattn.problem.components.declarations import Gradient
from symattn.problem.model import Problem
from tests.attention.duals import Case
from tests.attention.gradient_cases import drawn, problem_of


def _differences(case: Case, layer: Layer) -> Iterator[str]:
    for name, table in case.inputs.items():
        gradient = layer.exact(f"d{name}")
        assert gradient.shape == (len(table), len(table[0]))
        for i in range(len(table)):
            for j in range(len(table[0])):
                if gradient[i, j] != case.slope(name, i, j):
                    yield f"d{name}[{i + 1},{j + 1}]"


def _check(seed: int) -> None:
    case = drawn(seed)
    layer = attention_layer(problem_of(case))
    assert list(_differences(case, layer)) == [], f"seed {seed}"
    assert all(step.proved for step in replay(layer.steps())), f"seed {seed}"


@pytest.mark.parametrize("seed", range(12))
def test_gradients_are_those_of_exact_differentiation(seed: int) -> None:
    _check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12, 512))
def test_gradients_are_those_of_exact_differentiation_long(seed: int) -> None:
    _check(seed)


# Published numbers -----------------------------------------------------------------------------------

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

CROSS_GRADIENTS = {
    "dV": [
        ["0.08612319546908146225"] * 4,
        ["0.23410711725243051722"] * 4,
        ["0.63636912274021292053"] * 4,
        ["1.0434005645382751"] * 4,
    ],
    "dA": [["-4.0", "-2.0", "0", "4.0"], ["-4.0", "-2.0", "0", "4.0"]],
    "dS": [
        ["-0.27506773728893055721", "-0.45378603484705055395", "-0.43454572323261502089", "1.163399495368596132"],
        ["-0.20110791387448444332", "-0.37237935036025262983", "-0.5384663851978386791", "1.1119536494325757523"],
    ],
    "dQ": [["3.3307205001621039324", "-1.163399495368596132"], ["2.998502476974373021", "-1.1119536494325757523"]],
    "dK": [
        ["-0.47617565116341500053", "-0.75124338845234555773"],
        ["-0.82616538520730318378", "-1.2799514200543537377"],
        ["-0.97301210843045369999", "-1.4075578316630687209"],
        ["2.2753531448011718843", "3.4387526401697680163"],
    ],
    "dW_Q": [
        ["-3.3307205001621039324", "1.163399495368596132"],
        ["6.3292229771364769534", "-2.2753531448011718843"],
        ["0", "0"],
    ],
    "dW_K": [["4.0538698323353050691", "6.2211908371288128695"], ["-2.2753531448011718843", "-3.4387526401697680163"]],
    "dW_V": [["2.6370470563476816583"] * 4, ["0.9565994354617249"] * 4],
}
"""Of the sum of the outputs of a cross-attention of two tokens to four, to 20 figures."""


def _cross() -> Layer:
    problem = Problem.load(EXAMPLES / "ps4_cross_attention.toml")
    return attention_layer(replace(problem, gradient=Gradient("sum"), parts=()))


def test_the_gradients_of_a_cross_attention_have_the_published_digits() -> None:
    layer = _cross()
    for name, rows in CROSS_GRADIENTS.items():
        digits = layer.exact(name).digits(20)
        assert [[Decimal(value) for value in row] for row in digits] == [[Decimal(v) for v in row] for row in rows], (
            name
        )


BY_HAND = {
    "dV": ["0.401 0.401", "0.401 0.198", "0.198 0.401"],
    "dA": ["1 0 1", "0 1 1"],
    "D": ["0.599", "0.599"],
    "dQ": ["-0.056 0.170", "-0.114 -0.056"],
    "dK": ["0.114 -0.170", "-0.170 0.056", "0.056 0.114"],
}
"""A backward pass that a textbook works by hand, to 3 decimals."""


def textbook(**keys: object) -> Problem:
    tables = {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [1, 0], [0, 1]], "V": [[1, 0], [0, 1], [1, 1]]}
    return Problem.build(**{**tables, "gradient": {"dO": [[1, 0], [0, 1]]}, **keys})


@pytest.mark.parametrize("name", BY_HAND)
def test_a_backward_pass_worked_by_hand(name: str) -> None:
    rounded = attention_layer(textbook()).exact(name).rounded(3)
    assert [[Decimal(v) for v in row] for row in rounded] == [
        [Decimal(v) for v in row.split()] for row in BY_HAND[name]
    ]


def test_the_gradient_of_a_sum_through_a_softmax_in_floating_point() -> None:
    """A test of a library: softmax(A B) B, summed, by its own automatic differentiation."""
    keys = {"Q": [[0, 1], [3, 4]], "K": [[6, 9], [7, 10]], "V": [[6, 7], [9, 10]], "scale": "none"}
    result = solve(Problem.build(**keys, gradient={"loss": "sum"}))
    assert result.dQ.rounded(6) == [["1.179672", "1.179672"], ["0.005461", "0.005461"]]
    both = result.dK.T + result.dV
    assert both.rounded(6) == [["0.253468", "0.286236"], ["0.528631", "2.931664"]]


# Laws ------------------------------------------------------------------------------------------------


def _sums(matrix: Matrix) -> list[Quotient]:
    return [added(row) for row in matrix.rows]


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_the_gradient_at_the_scores_sum_to_zero(seed: int) -> None:
    case = drawn(seed)
    layer = attention_layer(problem_of(case))
    for name in layer.recipes:
        if name.startswith("dS") and not case.keys.get("softmax_one"):
            matrix = layer.exact(name) if layer.axis == "rows" else layer.exact(name).T
            assert all(value.is_zero for value in _sums(matrix)), f"seed {seed}"


def test_the_gradients_at_the_keys_sum_to_zero() -> None:
    """A number that is added to all keys changes no weight."""
    for layer in (_cross(), attention_layer(textbook()), attention_layer(textbook(mask="causal"))):
        assert all(value.is_zero for value in _sums(layer.exact("dK").T))
    with_one = attention_layer(textbook(softmax_one=True))
    assert not all(value.is_zero for value in _sums(with_one.exact("dK").T))


def test_hidden_keys_have_no_gradient() -> None:
    layer = attention_layer(textbook(mask={"keep": [[1, 0, 1], [1, 0, 1]]}))
    assert all(layer.exact("dS")[i, 1].is_zero for i in range(2))
    assert all(value.is_zero for name in ("dK", "dV") for value in layer.exact(name).rows[1])


def test_a_squared_loss_starts_at_the_difference() -> None:
    layer = attention_layer(textbook(gradient={"loss": "squared", "target": [[1, 0], [0, 1]]}))
    assert layer.exact("dO") == layer.exact("O") - Matrix([[1, 0], [0, 1]])


def test_what_is_undefined_stays_so() -> None:
    layer = attention_layer(textbook(mask={"keep": [[1, 1, 1], [0, 0, 0]]}))
    assert layer.exact("dS").rows[1] == (UNDEFINED,) * 3
    assert layer.exact("dQ")[0, 0] is not UNDEFINED
    assert all(value is UNDEFINED for name in ("dK", "dV") for value in layer.exact(name))


def test_even_weights_of_a_query_that_sees_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="do not come from its scores"):
        attention_layer(textbook(mask={"keep": [[1, 1, 1], [0, 0, 0]]}, fully_masked="uniform"))


# Batches ---------------------------------------------------------------------------------------------

WEIGHTS: dict[str, object] = {f"W_{letter}": [[1, 0], [1, 2]] for letter in "QKV"}
SEQUENCES = ([[1, 0], [0, 1]], [[1, 1], [2, 0]])
MATRICES = ([[1, 0], [0, 2]], [[0, 1], [1, 1]])
STARTS: dict[str, tuple[dict[str, object], list[dict[str, object]]]] = {
    "one start for all": ({"dO": MATRICES[0]}, [{"dO": MATRICES[0]}] * 2),
    "a start for each": ({"dO": MATRICES}, [{"dO": matrix} for matrix in MATRICES]),
    "a sum": ({"loss": "sum"}, [{"loss": "sum"}] * 2),
    "targets": (
        {"loss": "squared", "target": MATRICES},
        [{"loss": "squared", "target": matrix} for matrix in MATRICES],
    ),
    "labels": (
        {"loss": "cross-entropy", "labels": [1, 2, 2, 2]},
        [{"loss": "cross-entropy", "labels": labels} for labels in ([1, 2], [2, 2])],
    ),
}


@pytest.mark.parametrize("start", STARTS)
def test_each_sequence_of_a_batch_has_the_gradients_of_its_own_loss(start: str) -> None:
    """And what they share that of the sum of the losses."""
    whole, each = STARTS[start]
    batch = solve(Problem.build(X=list(SEQUENCES), **WEIGHTS, gradient=whole))
    pairs = zip(SEQUENCES, each, strict=True)
    alone = [solve(Problem.build(X=tokens, **WEIGHTS, gradient=own)) for tokens, own in pairs]
    for name in ("dX", "dW_Q", "dW_K", "dW_V"):
        found = [result[name].rounded(20) for result in batch.sequences]
        assert found == [result[name].rounded(20) for result in alone]
    for name in ("dW_Q", "dW_K", "dW_V"):
        assert batch[name].rounded(20) == (alone[0][name] + alone[1][name]).rounded(20)
    with pytest.raises(InputError, match="Each sequence of a batch has its own quantities"):
        _ = batch["dX"]
    tex = batch.to_latex()
    assert "the sum of theirs" in tex
    assert all(finding.proved for finding in batch.read_back(tex))
    assert batch.derivation.is_proved


@pytest.mark.parametrize(
    ("tokens", "gradient", "said"),
    [
        (SEQUENCES, {"dO": MATRICES[:1]}, "has 1 matrices and there are 2 sequences"),
        (SEQUENCES[0], {"dO": MATRICES}, "has 2 matrices and there are 1 sequences"),
        (SEQUENCES, {"dO": [[[1, 0]], [[0, 2]]]}, "both must have one shape"),
        (SEQUENCES, {"loss": "cross-entropy", "labels": [1, 2]}, "have 4 tokens: give as many"),
        (SEQUENCES, {"loss": "sum", "of": ["dZ"]}, "unknown"),
    ],
)
def test_starts_that_do_not_fit_a_batch_are_refused(tokens: object, gradient: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Problem.build(X=tokens, **WEIGHTS, gradient=gradient)


def test_a_gradient_at_a_weight_may_be_that_of_one_sequence_or_of_all() -> None:
    batch = Problem.build(X=list(SEQUENCES), **WEIGHTS, gradient={"loss": "sum"})
    result = solve(batch)

    def written(matrix: api_matrix.Matrix) -> str:
        return r"\begin{bmatrix}" + r" \\ ".join(" & ".join(row) for row in matrix.rounded(4)) + r"\end{bmatrix}"

    own, whole = (written(found["dW_V"]) for found in (result.sequences[1], result))
    for value, verdict in ((own, "rounded"), (whole, "undecided")):
        (finding,) = check_text(batch, f"## Sequence 2\n\n$$dW_V = {value}$$\n", "md").findings
        assert (finding.name, finding.verdict) == ("dW_V@2", verdict)


# What is made ----------------------------------------------------------------------------------------


def test_only_what_is_asked_for_and_needed_is_worked_out() -> None:
    layer = attention_layer(textbook(gradient={"loss": "sum", "of": ["dQ"]}))
    assert [name for name in layer.recipes if name[0] in "dD" and name != "d_k"] == ["dO", "dA", "D", "dS", "dQ"]


def test_steps_round_as_outputs_do() -> None:
    layer = attention_layer(textbook(rounding={"places": 3, "steps": "all"}))
    quantity = layer.scene.quantities["dQ"]
    assert [[str(value) for value in row] for row in quantity.carried[:1]] == [["-7/125", "17/100"]]
    assert "dQ" in layer.carried


def test_results_have_gradients_by_their_names() -> None:
    result = solve(textbook())
    assert result.dQ == result["dQ"]
    quantities = result.as_json()["quantities"]
    assert isinstance(quantities, dict)
    assert set(BY_HAND) <= set(quantities)
    with pytest.raises(AttributeError, match=r"no \[gradient\]"):
        _ = solve(replace(textbook(), gradient=None)).dQ
    assert not hasattr(result, "dX")
    assert not hasattr(result, "T")
    heads = solve(Problem.build(Q=[[1, 2]], K=[[1, 2]], V=[[1, 2]], heads=2, gradient={"loss": "sum"}))
    with pytest.raises(InputError, match="Each head has its own dS"):
        _ = heads.dS
    assert heads["dS^2"].shape == (1, 1)
