"""Blocks around attention: norms, residual sums, networks, against evaluation in Arb and against closed forms."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symattn as sa
from symattn.errors import InputError, ShapeError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals import elementary
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.graph.derivation_replay import replay
from symattn.problem.model import Problem
from tests.attention import block_oracle

E = Quotient(ExpSum.exp(1))

ONE_TOKEN: dict[str, Any] = {
    "X": [[1, 2, 3, 4]],
    "W_Q": [[1], [0], [0], [0]],
    "W_K": [[1], [0], [0], [0]],
    "W_V": [[0] * 4] * 4,
}
"""Attention adds nothing, so that the first norm is that of (1, 2, 3, 4)."""


def solved(**keys: Any) -> Any:
    return sa.solve(Problem.build(**keys))


@pytest.mark.parametrize(
    ("norm", "eps", "place", "closed", "digits"),
    [
        ("layer", 0, 0, "-3/5*sqrt(5)", "-1.34164078649987381784550420124"),
        ("layer", "1e-5", 0, None, "-1.34163541996892698256520657773"),
        ("rms", 0, 3, "4/15*sqrt(30)", "1.46059348668044296921858608747"),
    ],
)
def test_norms_of_one_to_four(norm: str, eps: Any, place: int, closed: str | None, digits: str) -> None:
    """Closed forms -3/sqrt(5) and 4 sqrt(2/15); the digits are those of mpmath."""
    value = solved(**ONE_TOKEN, block={"norm": norm, "eps": eps}).N_1.kernel[0, place]
    assert decimal(value, Rounding(places=29)) == digits
    assert closed is None or str(value) == closed


def _check_against_arb(keys: dict[str, Any]) -> None:
    result = solved(**keys)
    found = result[result.layer.output].rounded(50)
    with flint.ctx.workprec(400):
        expected = block_oracle.block(keys)
        for row, line in zip(found, expected, strict=True):
            for text, ball in zip(row, line, strict=True):
                assert _holds(text, ball), (keys, text, ball)


def _holds(text: str, ball: Any) -> bool:
    """Whether a printed number is the rounded one; of an enclosure, whether it has the number in it."""
    if "not settled" in text:
        low, high = text[1:].partition("]")[0].split(", ")
        return bool(block_oracle.ball(low) <= ball <= block_oracle.ball(high))
    off = abs(ball - block_oracle.ball(text))
    return bool(off < block_oracle.ball(Fraction(500001, 10**56)))


@pytest.mark.parametrize("seed", range(8))
def test_fifty_digits_are_those_of_arb(seed: int) -> None:
    _check_against_arb(block_oracle.drawn(Random(seed)))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8, 200))
def test_fifty_digits_are_those_of_arb_of_many(seed: int) -> None:
    _check_against_arb(block_oracle.drawn(Random(seed)))


# Laws -------------------------------------------------------------------------------------------------

TOKENS = st.lists(st.integers(-5, 5), min_size=3, max_size=3).filter(lambda token: len(set(token)) > 1)
NO_VALUES: dict[str, Any] = {"W_Q": [[1], [0], [0]], "W_K": [[1], [0], [0]], "W_V": [[0] * 3] * 3}
FFN: dict[str, Any] = {"W_F1": [[1, -1], [2, 0], [0, 1]], "b_F1": [1, -2], "W_F2": [[1, 0, 2], [0, 1, -1]]}


@settings(max_examples=8)
@given(TOKENS, st.fractions(0, 3, max_denominator=6))
def test_a_norm_has_mean_zero_and_variance_v_over_v_plus_eps(token: list[int], eps: Fraction) -> None:
    result = solved(X=[token], **NO_VALUES, block={"norm": "layer", "eps": eps})
    row, variance = result.N_1.rows[0], result.var_1[0, 0]
    assert sum(row, Quotient.of(0)).is_zero
    assert sum((value * value for value in row), Quotient.of(0)) / 3 == variance / (variance + eps)


@settings(max_examples=8)
@given(TOKENS, st.fractions("1/4", 4, max_denominator=4), st.integers(-3, 3))
def test_a_norm_without_eps_does_not_see_scale_and_shift(token: list[int], scale: Fraction, shift: int) -> None:
    moved = [scale * x + shift for x in token]
    first, second = (solved(X=[x], **NO_VALUES, block={"norm": "layer", "eps": 0}).N_1.rows[0] for x in (token, moved))
    assert all(a == b for a, b in zip(first, second, strict=True))


@settings(max_examples=8)
@given(st.lists(TOKENS, min_size=2, max_size=3, unique_by=tuple))
def test_a_network_works_on_each_token_alone(tokens: list[list[int]]) -> None:
    together = solved(X=tokens, **NO_VALUES, **FFN, block={"norm": "none"})
    for number, token in enumerate(tokens):
        (alone,) = solved(X=[token], **NO_VALUES, **FFN, block={"norm": "none"}).F_2.rows
        assert all(a == b for a, b in zip(alone, together.F_2.rows[number], strict=True))
        hidden = [max(0, token[0] + 2 * token[1] + 1), max(0, token[2] - token[0] - 2)]
        assert [value.rational() for value in alone] == [hidden[0], hidden[1], 2 * hidden[0] - hidden[1]]


# Where a norm has little to go by --------------------------------------------------------------------

TWO: dict[str, Any] = {"W_Q": [[1], [0]], "W_K": [[1], [0]], "W_V": [[1, 0], [0, 1]]}


def test_two_features_without_eps_are_plus_and_minus_one() -> None:
    """(a - m)/sqrt(((a - m)^2 + (b - m)^2)/2) is the sign of a - b, whatever the exponentials in a and b."""
    result = solved(X=[[1, 2], [3, -1]], **TWO, block={"norm": "layer", "eps": 0})
    assert result.R_1.kernel[0, 0].polynomial() is None
    assert str(result.N_1) == "[[1, -1], [1, -1]]"
    assert result.derivation.is_proved


def test_a_constant_token_has_no_norm_without_eps() -> None:
    result = solved(X=[[2, 2], [1, 3]], **TWO, block={"norm": "layer", "eps": 0, "placement": "pre"})
    assert all(value is UNDEFINED for value in result.N_1.rows[0])
    assert str(result.N_1[1, 0]) == "-1"
    assert "has no value" in result.to_latex()
    with_eps = solved(X=[[2, 2], [1, 3]], **TWO, block={"norm": "layer", "eps": "1e-5", "placement": "pre"})
    assert [str(value) for value in with_eps.N_1.rows[0]] == ["0", "0"]


def test_relu_at_zero_and_at_an_exact_tie() -> None:
    """Both tokens have all scores alike: weights of 1/2, sums that vanish, and a ReLU of exactly 0."""
    keys: dict[str, Any] = {"X": [[1, 2], [2, 1]], "W_Q": [[1], [1]], "W_K": [[1], [1]], "W_V": [[1, 0], [0, 1]]}
    keys |= {"W_F1": [[2, 1], [-2, 1]], "W_F2": [[1, 0], [0, 1]]}
    result = solved(**keys, block={"norm": "layer", "eps": 0})
    assert result.A.rounded(1) == [["0.5", "0.5"]] * 2
    assert result.F_act.rounded(3) == [["0.000", "0.000"], ["4.000", "0.000"]]
    assert all(value.rational() == 0 for value in (result.F_1.kernel[0, 1], result.F_act.kernel[0, 1]))


def test_what_does_not_settle_is_an_enclosure() -> None:
    """Two tokens alike up to their order meet in a norm: a difference of 0 that no enclosure can tell from 0."""
    tied = elementary.sqrt(E + 2) * elementary.sqrt(E + 3) - elementary.sqrt((E + 2) * (E + 3))
    assert decimal(tied, Rounding(places=3)) == "0.000"
    assert decimal(tied + 1, Rounding(places=3)) == "1.000"
    assert decimal(tied + 1, Rounding(places=3, ties="truncate")).endswith("(not settled)")


def test_a_key_goes_on_where_a_norm_does_not_settle() -> None:
    """A token whose entries are alike, which no enclosure can tell: its norm is 0/0, or anything."""
    hidden = elementary.sqrt(E) * elementary.sqrt(E + 1) - elementary.sqrt(E * (E + 1))
    problem = Problem.build(X=[[1, 1], [2, 3]], **{**TWO, "W_V": [[0, 0], [0, 0]]}, block={"norm": "layer", "eps": 0})
    result: Any = sa.solve(replace(problem, inputs={**problem.inputs, "X": Matrix([[hidden + 1, 1], [2, 3]])}))
    assert result.N_1.rounded(2) == [["not settled"] * 2, ["-1.00", "1.00"]]
    findings = result.read_back(result.to_latex())
    assert findings
    assert all(finding.proved for finding in findings)


PLAIN: dict[str, Any] = {"X": [[1, 2], [3, -1]], **TWO, "block": {"norm": "layer", "eps": "1e-5"}}


def test_each_sequence_of_a_batch_goes_through_the_block_by_itself() -> None:
    keys = {**PLAIN, "rounding": {"places": 2, "steps": "all"}}
    batch = solved(**{**keys, "X": [[[1, 2], [3, -1]], [[0, 1], [2, 2]]]})
    for rows, sequence in zip(([[1, 2], [3, -1]], [[0, 1], [2, 2]]), batch.sequences, strict=True):
        alone = solved(**{**keys, "X": rows})
        assert sequence.as_json()["quantities"] == alone.as_json()["quantities"]
    assert batch.derivation.is_proved
    assert all(found.proved for found in batch.read_back(batch.to_latex("exam")))


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_a_block_with_a_cache_makes_what_the_whole_sequence_makes(placement: str) -> None:
    """Keys and values of past tokens do not depend on what comes after them under a causal mask."""
    tokens = [[1, 2], [3, -1], [0, 4]]
    block = {"norm": "layer", "eps": 0, "placement": placement}
    whole = solved(X=tokens, **TWO, block=block, mask="causal")
    cache = {letter: [[str(entry) for entry in row] for row in whole[letter].rows[:2]] for letter in "KV"}
    last = solved(X=tokens[2:], **TWO, block=block, cache=cache)
    assert last["Y"].rows == whole["Y"].rows[2:]
    assert last.derivation.is_proved


# Keys ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "rounding"),
    [(4, {"steps": "all", "places": 2}), (6, {"steps": "matrices", "places": 2}), (8, {})],
)
def test_keys_of_drawn_blocks_are_proved_and_read_back(seed: int, rounding: dict[str, Any]) -> None:
    result = solved(**block_oracle.drawn(Random(seed)), rounding=rounding)
    findings = result.read_back(result.to_latex())
    assert findings
    assert [finding.reasons for finding in findings if not finding.proved] == []
    assert result.derivation.is_proved


@pytest.mark.long
def test_two_heads_of_eight_features_have_a_key() -> None:
    random = Random(3)

    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[random.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]

    keys: dict[str, Any] = {name: matrix(8, 8) for name in ("W_Q", "W_K", "W_V", "W_O")}
    keys |= {"X": matrix(4, 8), "W_F1": matrix(8, 16), "W_F2": matrix(16, 8), "heads": 2}
    result = solved(**keys, block={"norm": "layer", "eps": "1e-5"})
    findings = result.read_back(result.to_latex())
    assert findings
    assert all(finding.proved for finding in findings)


def test_a_record_with_another_number_is_refused() -> None:
    steps = list(solved(**PLAIN).derivation.steps)
    place = next(k for k, step in enumerate(steps) if step.id == "N_1")
    assert steps[place].after[0][0].startswith("certified ")
    (_, *others), *rows = steps[place].after
    steps[place] = replace(steps[place], after=(("certified [1..., 2...] 00", *others), *rows))
    assert [found.id for found in replay(tuple(steps)) if not found.proved] == ["N_1"]


def test_numbers_for_machines() -> None:
    quantities = solved(**PLAIN).as_json()["quantities"]
    assert quantities["N_1"]["exact"][0][0] is None
    assert re.fullmatch(r"-?\d\.\d{4}", quantities["N_1"]["decimal"][0][0])
    assert quantities["R_1"]["exact"][0][0] is not None


def test_tokens_in_columns_are_the_same_turned() -> None:
    keys = block_oracle.drawn(Random(6))
    turned = {name: _turned(value) for name, value in keys.items() if name != "block"}
    row, column = solved(**keys), solved(**turned, block=keys["block"], tokens="columns")
    assert column[column.layer.output].T.rounded(20) == row[row.layer.output].rounded(20)
    findings = column.read_back(column.to_latex())
    assert all(finding.proved for finding in findings)


def _turned(value: list[Any]) -> list[Any]:
    return [list(line) for line in zip(*value, strict=True)] if isinstance(value[0], list) else value


# Several blocks --------------------------------------------------------------------------------------

ATTEND: dict[str, Any] = {"W_Q": [[1, 0], [0, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 1], [0, 1]]}
NETWORK: dict[str, Any] = {"W_F1": [[1, -1], [0, 1]], "W_F2": [[1, 0], [1, 1]], "b_F1": [1, 0]}
MEMORY = [[1, 2], [0, 1], [3, 1]]
STACKS: dict[str, dict[str, Any]] = {
    "post": {"norm": "rms", "eps": "1/10", "placement": "post", "activation": "relu"},
    "pre": {"norm": "layer", "eps": "1/10", "placement": "pre", "activation": "gelu"},
    "none": {"norm": "none", "activation": "gelu-tanh"},
}


def _check_stack(table: dict[str, Any], blocks: list[dict[str, Any]], pieces: list[dict[str, Any]]) -> Any:
    tokens = [[1, 2], [3, -1], [0, 1]]
    result = solved(X=tokens, block=table, blocks=blocks)
    with flint.ctx.workprec(500):
        expected = block_oracle.block({"X": tokens, "block": table, **pieces[0]})
        for piece in pieces[1:]:
            expected = block_oracle.block({"block": table, **piece}, expected)
        for row, line in zip(result[result.layer.output].rounded(50), expected, strict=True):
            assert all(_holds(text, ball) for text, ball in zip(row, line, strict=True)), (row, line)
    return result


@pytest.mark.parametrize("name", ["post", pytest.param("pre", marks=pytest.mark.long), "none"])
def test_two_layers_are_those_of_arb(name: str) -> None:
    own = {**ATTEND, **NETWORK}
    result = _check_stack(STACKS[name], [{"inputs": own}] * 2, [own, own])
    assert result.derivation.is_proved
    assert result["Q@2"].shape == (3, 2)
    assert result["X@2"] == result[f"{result.blocks[0].layer.output}@1"]


@pytest.mark.parametrize(
    "name", [pytest.param("post", marks=pytest.mark.long), "pre", pytest.param("none", marks=pytest.mark.long)]
)
def test_a_decoder_block_is_that_of_arb(name: str) -> None:
    cross = {**ATTEND, **NETWORK}
    blocks = [{"decoder": True, "inputs": ATTEND, "cross": cross, "memory": MEMORY}]
    pieces = [{**ATTEND, "mask": "causal"}, {**cross, "memory": MEMORY}]
    _check_stack(STACKS[name], blocks, pieces)


@pytest.mark.parametrize(
    "rounding", [{"steps": "all", "places": 2}, pytest.param({"places": 3}, marks=pytest.mark.long)]
)
def test_the_key_of_several_blocks_reads_back(rounding: dict[str, Any]) -> None:
    blocks = [{"inputs": ATTEND}, {"inputs": ATTEND, "memory": MEMORY, "norm": "none"}]
    result = solved(X=[[1, 2], [3, -1]], block=STACKS["post"], blocks=blocks, rounding=rounding)
    tex = result.to_latex()
    findings = result.read_back(tex)
    assert len(findings) == tex.count("% symattn:")
    assert [finding.reasons for finding in findings if not finding.proved] == []
    assert result.derivation.is_proved
    assert {"N_1@1", "R_1@2"} <= set(result.as_json()["quantities"])
    with pytest.raises(KeyError, match="Unknown block"):
        result["Q@3"]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"blocks": [{"inputs": ATTEND, "norms": 1}]}, "norms"),
        ({"blocks": []}, "1 to 24 tables"),
        ({"blocks": [{"inputs": ATTEND}], "W_Q": [[1], [1]]}, "X alone"),
        ({"blocks": [{"inputs": ATTEND}, {"inputs": {"W_Q": [[1], [1]]}}]}, "blocks #2, inputs lacks W_K"),
        ({"blocks": [{"inputs": ATTEND, "decoder": True}]}, "memory is missing"),
        ({"blocks": [{"inputs": ATTEND, "cross": ATTEND}]}, "decoder = true"),
    ],
)
def test_stacks_that_are_not_whole(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        Problem.build(X=[[1, 2]], **keys)


# What is refused -------------------------------------------------------------------------------------

LAYER: dict[str, Any] = {"X": [[1, 2]], "W_Q": [[1], [1]], "W_K": [[1], [1]], "W_V": [[1, 0], [0, 1]]}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"block": {"norm": "layer"}}, "[block] eps is missing"),
        ({"block": {"norm": "batch", "eps": 0}}, '"batch"'),
        ({"block": {"norm": "layer", "eps": -1}}, "[block] eps must be at least 0"),
        ({"block": {"eps": 1}}, "needs a norm"),
        ({"block": {"norm": "none"}, "gamma_1": [1, 1]}, "gamma_1"),
        ({"block": {"norm": "rms", "eps": 0}, "beta_1": [1, 1]}, "beta_1"),
        ({"gamma_1": [1, 1]}, "under [block]"),
        ({"block": {"norm": "none"}, "W_F1": [[1], [1]]}, "W_F2 is missing"),
        ({"block": {"norm": "none"}, "W_F2": [[1, 1]]}, "W_F2"),
        ({"block": {"norm": "none"}, "symbols": {"a": "real"}}, "supports only numbers"),
    ],
)
def test_keys_that_do_not_go_together(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        Problem.build(**LAYER, **keys)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"W_V": [[1], [1]]}, "the residual adds X"),
        ({"W_F1": [[1, 1]], "W_F2": [[1, 1], [1, 1]]}, "W_F1 takes 1 entry"),
        ({"W_F1": [[1], [1]], "W_F2": [[1, 1], [1, 1]]}, "W_F2 takes 2 entries"),
        ({"W_F1": [[1], [1]], "W_F2": [[1]]}, "W_F2"),
        ({"W_F1": [[1], [1]], "W_F2": [[1, 1]], "b_F1": [1, 2]}, "b_F1"),
    ],
)
def test_matrices_that_do_not_fit(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(ShapeError, match=words):
        Problem.build(**{**LAYER, **keys}, block={"norm": "none"})
