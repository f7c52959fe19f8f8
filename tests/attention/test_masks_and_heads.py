"""Masks, biases and heads: laws, answers worked out elsewhere, and a second evaluation in mpmath."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symattn as sa
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.heads import heads_of
from symattn.graph.derivation_replay import replay
from symattn.problem.model import Problem
from tests.attention.strategies import matrices

PS4 = {
    "X": [[1, -1, 0, 2], [0, -1, 2, 1], [-2, 2, -1, 0]],
    "W_Q": [[0, 1], [1, 0], ["-1/2", 0], [1, 1]],
    "W_K": [[1, "-1/2"], [0, 1], ["1/2", "-1/2"], [1, "1/2"]],
    "W_V": [[1, "1/2"], ["-1/2", 0], [-1, 2], ["1/2", -1]],
    "scale": "none",
}
ONE = Quotient.of(1)


def layer(**keys: Any) -> Any:
    return attention_layer(Problem.build(**keys))


# Answers worked out elsewhere ------------------------------------------------------------------------


def test_causal_mask_on_the_homework() -> None:
    """Rows renormalise over the keys seen; in row 2 there is an exact tie, so its output is (3/4, 3/4)."""
    found = layer(**PS4, mask="causal")
    weights = found.exact("A")
    assert [[str(value.rational()) for value in row] for row in weights.rows[:2]] == [
        ["1", "0", "0"],
        ["1/2", "1/2", "0"],
    ]
    assert weights.digits(30)[2] == [
        "0.622459331063077728526763739945",
        "0.377540668713973029401173075568",
        "2.22949242072063184487439226298e-10",
    ]
    assert [str(value.rational()) for value in found.exact("O").rows[1]] == ["3/4", "3/4"]
    assert found.exact("O").digits(30)[2] == ["1.17860765849782280777160990532", "0.198933008878454769197184063324"]


def test_slopes_of_the_distance() -> None:
    """Equal contents, slope 1/2: the weight at distance r is (1 - x) x^r / (1 - x^4) with x = e^(-1/2)."""
    same = [[0]] * 4
    found = layer(Q=same, K=same, V=same, mask="causal", bias={"alibi": "1/2"}, scale="none").exact("A")
    assert found.rounded(27)[3][3] == "0.455054233923411244780305454"
    assert found.rounded(27)[3][0] == "0.101536324091551800890245647"


# Laws --------------------------------------------------------------------------------------------------


@st.composite
def with_a_mask(draw: st.DrawFn) -> dict[str, Any]:
    n_q, n_k, d = (draw(st.integers(1, 3)) for _ in range(3))
    keep = draw(st.lists(st.lists(st.booleans(), min_size=n_k, max_size=n_k), min_size=n_q, max_size=n_q))
    rows = [[int(entry) for entry in row] for row in keep]
    return {
        "Q": draw(matrices(n_q, d)),
        "K": draw(matrices(n_k, d)),
        "V": draw(matrices(n_k, draw(st.integers(1, 2)))),
        "mask": {"keep": rows},
        "scale": draw(st.sampled_from(["none", "1/sqrt(d_k)"])),
    }


def deleted(keys: dict[str, Any], query: int) -> dict[str, Any] | None:
    """The problem of one query with the keys that it sees, None where it sees none."""
    seen = [j for j, kept in enumerate(keys["mask"]["keep"][query]) if kept]
    if not seen:
        return None
    rest = {name: [keys[name][j] for j in seen] for name in "KV"}
    return {"Q": [keys["Q"][query]], **rest, "scale": keys["scale"]}


@given(with_a_mask())
@settings(max_examples=60, deadline=None)
def test_hiding_a_key_is_leaving_it_out(keys: dict[str, Any]) -> None:
    found = layer(**keys)
    for query in range(len(keys["Q"])):
        rest = deleted(keys, query)
        if rest is None:
            assert all(value is UNDEFINED for value in (*found.exact("A").rows[query], *found.exact("O").rows[query]))
            continue
        assert Matrix([found.exact("O").rows[query]]) == layer(**rest).exact("O")
        assert sum(found.exact("A").rows[query], Quotient.of(0)) == ONE


@given(with_a_mask())
@settings(max_examples=40, deadline=None)
def test_an_extra_one_takes_some_of_the_weight(keys: dict[str, Any]) -> None:
    found = layer(**keys, softmax_one=True)
    for row in found.exact("A").rows:
        rest = ONE - sum(row, Quotient.of(0))
        assert not rest.is_zero
        assert Fraction(Matrix([[rest]]).rounded(60)[0][0]) > 0


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_what_comes_later_changes_nothing_before(data: st.DataObject) -> None:
    rows, width = data.draw(st.integers(2, 3)), data.draw(st.integers(1, 2))
    first, second = (data.draw(matrices(rows, width)) for _ in range(2))
    changed = [*first[:-1], second[-1]]
    made = [layer(Q=given, K=given, V=given, mask="causal").exact("O") for given in (first, changed)]
    assert Matrix(made[0].rows[:-1]) == Matrix(made[1].rows[:-1])


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_other_orders_of_tokens_without_a_mask(data: st.DataObject) -> None:
    rows = data.draw(st.integers(2, 3))
    given_rows = data.draw(matrices(rows, 2))
    order = data.draw(st.permutations(range(rows)))
    weights = data.draw(matrices(2, 4))
    keys = {"W_Q": weights, "W_K": weights, "W_V": weights, "heads": 2}
    plain = layer(X=given_rows, **keys).exact("O")
    turned = layer(X=[given_rows[k] for k in order], **keys).exact("O")
    assert turned == Matrix([plain.rows[k] for k in order])


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_heads_side_by_side_are_heads_apart(data: st.DataObject) -> None:
    rows, width = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2))
    given_rows = data.draw(matrices(rows, 2))
    apart = [{name: data.draw(matrices(2, width)) for name in ("W_Q", "W_K", "W_V")} for _ in range(2)]
    stacked = {
        name: [[*a, *b] for a, b in zip(apart[0][name], apart[1][name], strict=True)] for name in ("W_Q", "W_K", "W_V")
    }
    out = data.draw(matrices(2 * width, 2))
    one = layer(X=given_rows, **stacked, W_O=out, heads=2, mask="causal")
    two = layer(X=given_rows, W_O=out, heads=apart, mask="causal")
    assert one.exact("O") == two.exact("O")
    single = [layer(X=given_rows, **head, mask="causal").exact("O") for head in apart]
    joined = Matrix([[*a, *b] for a, b in zip(single[0].rows, single[1].rows, strict=True)])
    assert one.exact("C") == joined
    assert one.exact("O") == joined @ Matrix(out)


def test_heads_of_different_sizes_meet_in_one_output() -> None:
    """Exponents over √2 and √3 in one number: 64 digits against mpmath."""
    heads = [
        {"W_Q": [[1, 2], [0, 1]], "W_K": [[1, 0], [1, 1]], "W_V": [[1], [2]]},
        {"W_Q": [[1, 0, 1], [0, 1, 1]], "W_K": [[0, 1, 1], [1, 0, 2]], "W_V": [[2], [1]]},
    ]
    given_rows = [[1, 0], [0, 1], [1, 1]]
    found = layer(X=given_rows, heads=heads, W_O=[[1], [1]]).exact("O")
    with mpmath.workdps(80):
        expected = [sum(apart(given_rows, head, row) for head in heads) for row in range(3)]
        for value, (digits,) in zip(expected, found.rounded(64), strict=True):
            assert abs(mpmath.mpf(digits) - value) < mpmath.mpf(10) ** -64


def apart(rows: Sequence[Sequence[int]], head: dict[str, list[list[int]]], query: int) -> Any:
    """One output of one head by mpmath."""
    q, k, v = (mpmath.matrix(rows) * mpmath.matrix(head[name]) for name in ("W_Q", "W_K", "W_V"))
    scores = [sum(q[query, r] * k[j, r] for r in range(q.cols)) / mpmath.sqrt(q.cols) for j in range(len(rows))]
    weights = [mpmath.exp(score) for score in scores]
    return sum(weight * v[j, 0] for j, weight in enumerate(weights)) / sum(weights)


@pytest.mark.parametrize("fully_masked", ["undefined", "zeros", "uniform"])
@pytest.mark.parametrize("steps", ["end", "all"])
@pytest.mark.parametrize("shift", [False, True])
def test_every_step_is_replayed(fully_masked: str, steps: str, *, shift: bool) -> None:
    keys = {
        **{name: PS4[name] for name in ("X", "W_Q", "W_K", "W_V")},
        "heads": 2,
        "W_O": [[1, 2], [3, "1/2"]],
        "b_Q": [1, 0],
        "mask": {"drop": [[1, 1, 1], [0, 1, 0], [0, 0, 0]]},
        "bias": {"relative": {str(k): f"{k}/3" for k in range(-2, 3)}},
        "fully_masked": fully_masked,
        "rounding": {"places": 2, "steps": steps, "shift": shift},
    }
    assert all(step.proved for step in replay(layer(**keys).steps()))


def test_the_view_of_a_head_has_the_plain_names() -> None:
    found = layer(**PS4, heads=2, mask="causal")
    first, second = heads_of(found)
    assert first.exact("A") == found.exact("A^1")
    assert second.exact("O") == found.exact("H^2")
    assert first.logits == "S_masked"


# Keys --------------------------------------------------------------------------------------------------

SHEETS: dict[str, dict[str, Any]] = {
    "causal, two heads": {**PS4, "heads": 2, "W_O": [[1, 2], [3, 4]], "mask": "causal"},
    "one blind query": {
        "Q": [[1], [2]], "K": [[1], [3]], "V": [[1], [2]], "mask": {"drop": [[1, 1], [0, 1]]},
    },
    "shared keys, slopes": {
        "X": [[1, 0], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1], [1]], "W_V": [[1], [2]],
        "heads": 2, "kv_heads": 1, "bias": {"alibi": ["1/2", "1/4"]}, "b_Q": [1, 0], "scale": "none",
    },
    "columns": {
        "tokens": "columns", "X": [[1, 0], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]],
        "W_V": [[1, 2], [0, 1]], "W_O": [[1, 2], [3, 4]], "heads": 2, "mask": "causal",
    },
    "mean of heads": {"X": [[1, 0], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]],
                      "W_V": [[1, 2], [0, 1]], "heads": 2, "combine": "mean"},
    "extra one": {"Q": [[1], [2]], "K": [[1], [3]], "V": [[1], [2]], "softmax_one": True},
    "general": {"Q": [[1], [2]], "K": [[1, 2], [3, 0]], "V": [[1], [2]], "score": "general", "W_S": [[1, 2]]},
    "output projected": {"X": [[1, 0], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]],
                         "W_V": [[1, 2], [0, 1]], "W_O": [[1, 2], [3, 4]], "b_O": [1, 1]},
    "padding": {"Q": [[1], [2]], "K": [[1], [3], [0]], "V": [[1], [2], [5]], "mask": {"length": 2}},
}  # fmt: skip


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("steps", ["end", "all"])
@pytest.mark.parametrize("detail", ["brief", "every-product"])
def test_keys_read_back_as_right(name: str, steps: str, detail: Any) -> None:
    problem = Problem.build(title=name, **{**SHEETS[name], "rounding": {"places": 2, "steps": steps}})
    result = sa.solve(problem)
    findings = result.read_back(result.to_latex(detail=detail))
    assert len(findings) > 10
    assert [(finding.marked.source, finding.reasons) for finding in findings if not finding.proved] == []


def test_numbers_for_machines_of_a_query_that_sees_no_key() -> None:
    found = sa.solve(Problem.build(**SHEETS["one blind query"])).as_json()["quantities"]
    assert found["A"]["exact"][0] == [None, None]  # type: ignore[index]
    assert found["A"]["decimal"][0] == [None, None]  # type: ignore[index]
    assert found["S_masked"]["exact"][0] == ["-inf", "-inf"]  # type: ignore[index]


def test_of_several_heads_there_is_no_one_map() -> None:
    result = sa.solve(Problem.build(**SHEETS["causal, two heads"]))
    assert [head.A.shape for head in result.heads] == [(3, 3), (3, 3)]
    with pytest.raises(InputError, match=r"heads\[0\]"):
        _ = result.A


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"mask": {"drop": [[1, 1], [0, 1]]}}, "fully-masked"),
        ({"mask": {"add": [[0, "-1e9"], [0, 0]]}}, "mask-number"),
    ],
)
def test_what_an_instructor_should_know(keys: dict[str, Any], code: str) -> None:
    result = sa.solve(Problem.build(Q=[[1], [2]], K=[[1], [3]], V=[[1], [2]], **keys))
    assert code in {warning.code for warning in result.warnings}


# Batches -----------------------------------------------------------------------------------------------

BATCH: dict[str, Any] = {
    "X": [[[1, 0], [0, 1]], [[2, 1], [1, 1]]],
    "W_Q": [[1, 0], [0, 1]],
    "W_K": [[1, 0], [0, 1]],
    "W_V": [[1, 2], [0, 1]],
    "mask": {"causal": True, "length": [2, 1]},
}


@pytest.mark.parametrize("steps", ["end", "all"])
def test_a_batch_is_its_sequences_one_by_one(steps: str) -> None:
    policy = {"places": 2, "steps": steps}
    batch = sa.solve(Problem.build(**BATCH, rounding=policy))
    apart = [
        sa.solve(Problem.build(**{**BATCH, "X": rows, "mask": {"causal": True, "length": length}}, rounding=policy))
        for rows, length in zip(BATCH["X"], (2, 1), strict=True)
    ]
    assert [one.O for one in batch.sequences] == [one.O for one in apart]
    record = batch.as_json()
    assert record["sequences"] == [{key: one.as_json()[key] for key in ("quantities", "pattern")} for one in apart]
    assert all(step.proved for step in batch.derivation.replay())


def test_a_batch_has_no_single_layer() -> None:
    with pytest.raises(InputError, match="one sequence"):
        layer(**BATCH)


def test_the_key_of_a_batch_is_read_back_in_each_sequence() -> None:
    batch = sa.solve(Problem.build(**BATCH))
    tex = batch.to_latex()
    findings = batch.read_back(tex)
    assert len(findings) > 60
    assert all(finding.proved for finding in findings)
    line = next(f.marked for f in findings if f.marked.source.startswith("A_{21} ="))
    wrong = [
        f for f in batch.read_back(tex.replace(line.source, line.source.replace("A_{21}", "A_{22}", 1))) if f.reasons
    ]
    assert line.line in {finding.marked.line for finding in wrong}


# Counts, shapes and sums -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 7))
def test_a_causal_mask_allows_half_the_square_and_half_the_diagonal(n: int) -> None:
    found = layer(Q=[[0]] * n, K=[[0]] * n, V=[[1]] * n, mask="causal")
    assert sum(value.is_finite for value in found.exact("S_masked")) == n * (n + 1) // 2
    assert found.exact("A").rows[0] == (ONE, *[Quotient.of(0)] * (n - 1))


def test_shapes_of_heads_side_by_side() -> None:
    """d = 4 in two heads of 2: queries of 3 tokens are 3×4, of each head 3×2, its map 3×3, the heads joined 3×4."""
    square = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    found = layer(X=square[:3], W_Q=square, W_K=square, W_V=square, W_O=square, heads=2)
    shapes = {name: found.exact(name).shape for name in ("Q", "Q^1", "A^2", "H^1", "C", "O")}
    assert shapes == {"Q": (3, 4), "Q^1": (3, 2), "A^2": (3, 3), "H^1": (3, 2), "C": (3, 4), "O": (3, 4)}


def test_rounded_weights_of_three_equal_keys_do_not_sum_to_one() -> None:
    policy = {"places": 2, "steps": "all"}
    keys = {"Q": [[0]], "K": [[1], [2], [3], [4]], "V": [[1]] * 4, "mask": {"length": 3}, "rounding": policy}
    result = sa.solve(Problem.build(**keys))
    assert result.stepwise("A") == [["0.33", "0.33", "0.33", "0.00"]]
    assert "row-sum" in {warning.code for warning in result.warnings}


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_without_a_softmax_the_products_may_be_taken_in_either_order(data: st.DataObject) -> None:
    """Linear attention: φ(Q) (φ(K)ᵀ V) = (φ(Q) φ(K)ᵀ) V, exactly; φ is any map of the entries, here x² + 1."""
    rows, width = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    q, k = (
        Matrix([[entry * entry + 1 for entry in row] for row in data.draw(matrices(rows, width))]) for _ in range(2)
    )
    v = Matrix(data.draw(matrices(rows, 2)))
    assert q @ (k.T @ v) == (q @ k.T) @ v


def test_many_heads_joined_are_worked_out_at_once() -> None:
    """Each head has sums of its own; over one denominator their terms multiply, and what is too long is enclosed."""
    square = [[int(i == j) for j in range(8)] for i in range(8)]
    keys = {"W_Q": square, "W_K": square, "W_V": square, "W_O": [[1, 2]] * 8}
    assert all(entry.is_closed for entry in layer(X=square[:3], **keys, heads=4).exact("O"))
    rows = [[Fraction(7 * i + 3 * j + i * i * j + 1, 5 + j) for j in range(8)] for i in range(4)]
    outputs, joined = (layer(X=rows, **keys, heads=8).exact(name) for name in "OC")
    assert not any(entry.is_closed for entry in outputs)
    for line, parts in zip(outputs.rounded(30), joined.rounded(32), strict=True):
        total = sum(map(Fraction, parts), Fraction(0))
        assert all(abs(Fraction(text) - k * total) < Fraction(1, 10**29) for k, text in enumerate(line, 1))
