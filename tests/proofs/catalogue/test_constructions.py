"""The theorems on constructions: proved, right by other means, refused once something is changed."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.proofs.cases.claim_checks import check_claims
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.catalogue.authoring.theorem import Falsehood
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.kernel.record import Proof, proof_from_json
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.proof_replay import replay
from tests.proofs.catalogue.proving import HOW_MANY, changed, is_step_proved, looked_at, robbed

_NAMES = (
    "copy", "average-of-two", "identity-attention", "permutation-attention", "running-linear",
    "attention-as-convolution", "synthesizer-limit", "low-rank",
)  # fmt: skip
_ENTRIES = {name: theorem(name) for name in _NAMES}
_LEMMAS = {
    "copy": {"log-increasing", "triangle-inequality"},
    "average-of-two": {"log-increasing", "triangle-inequality"},
    "attention-as-convolution": {"geometric-tail"},
    "low-rank": {"trace-and-width"},
}
_DOMAIN = {("copy", "H2", "growth of exp"), ("copy", "H4", "growth of exp")}
"""Hypotheses without which a logarithm is not defined, though the step computes without them."""


def _proof(name: str, **values: str) -> Proof:
    entry = _ENTRIES[name]
    return entry.build(entry.values(values))


@pytest.mark.parametrize("name", _ENTRIES)
def test_every_theorem_is_proved_from_its_record(name: str) -> None:
    found = replay(proof_from_json(_proof(name).as_json()))
    assert found.faults == ()
    assert set(found.cites) == _LEMMAS.get(name, set())


@pytest.mark.parametrize(
    "values",
    [
        {"m": "1"},
        {"m": "3"},
        {"keys": "orthogonal"},
        {"n": "3", "s": "5"},
        {"n": "10", "s": "10"},
        {"n": "2"},
        {"s": "1/2", "keys": "orthogonal"},
        {"n": "4", "m": "3", "s": "-2"},
    ],
)
def test_averages_are_proved_for_other_parameters(values: dict[str, str]) -> None:
    assert replay(_proof("average-of-two", **values)).faults == ()


def test_more_keys_than_there_are_cannot_be_averaged() -> None:
    with pytest.raises(InputError, match="m of the n keys"):
        _proof("average-of-two", n="2", m="3")


@pytest.mark.parametrize("name", _ENTRIES)
@HOW_MANY
def test_every_step_needs_its_hypotheses(name: str, *, whole: bool) -> None:
    proof = _proof(name)
    survivors = [
        (name, gone, step.rule)
        for step in looked_at(proof, whole=whole)
        for item in robbed(step)
        for gone in set(step.hypotheses) - set(item.hypotheses)
        if is_step_proved(proof, item)
    ]
    assert set(survivors) <= _DOMAIN


@pytest.mark.parametrize("name", _ENTRIES)
@HOW_MANY
def test_a_step_that_is_changed_is_refused(name: str, *, whole: bool) -> None:
    proof = _proof(name)
    survivors = [
        item.after
        for step in looked_at(proof, whole=whole)
        if step.relation == "="
        for item in list(changed(step))[:2]
        if is_step_proved(proof, item)
    ]
    # The term i = r, or that of a, is zero, whatever its factor.
    zeros = ("(1 + delta_{i,r}) a_i (v_i - v_r)", "(1 + delta_{ra}) R_{ir}")
    assert all(any(zero in text for zero in zeros) for text in survivors)


@pytest.mark.parametrize(
    "falsehood",
    [item for entry in _ENTRIES.values() for item in (*entry.falsehoods, *(pair[1] for pair in entry.without))],
    ids=lambda item: item.says,
)
def test_every_false_variant_is_refuted(falsehood: Falsehood) -> None:
    assert falsehood.scope is not None
    assert refuted(falsehood, falsehood.scope) is not None


@pytest.mark.parametrize("name", [name for name in _ENTRIES if name != "average-of-two"])
def test_small_cases_agree(name: str) -> None:
    assert all(item.agrees for item in check_claims(_proof(name)))


@pytest.mark.parametrize("name", _ENTRIES)
def test_formulas_in_words_can_be_read(name: str) -> None:
    proof = _proof(name)
    texts = [proof.statement, *(item.text for item in proof.scope.hypotheses), *(item.words for item in proof.claims)]
    for formula in re.findall(r"\$([^$]*)\$", " ".join([*texts, *(step.words for step in proof.steps)])):
        read_text(formula, proof.scope)


# By other means ------------------------------------------------------------------------------------


def _softmax(scores: list[mpmath.mpf]) -> list[mpmath.mpf]:
    parts = [mpmath.exp(score) for score in scores]
    return [part / mpmath.fsum(parts) for part in parts]


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=6))
def test_the_margin_bounds_the_weight_both_ways(scores: list[int]) -> None:
    weights = _softmax([mpmath.mpf(score) / 4 for score in scores])
    margins = [(mpmath.mpf(scores[0]) - other) / 4 for other in scores[1:]]
    least, slack = min(margins), mpmath.mpf(10) ** -12
    assert weights[0] >= 1 / (1 + (len(scores) - 1) * mpmath.exp(-least)) - slack
    eps = 1 - weights[0]
    assert all(margin >= mpmath.log((1 - eps) / eps) - slack for margin in margins)


@pytest.mark.parametrize(
    ("n", "s", "digits", "exact"),
    [
        ("3", "5", "0.498321169186748692656113945607", "exp(5)/(2*exp(5) + 1)"),
        ("10", "10", "0.499909216626710114145973200008", "exp(10)/(2*exp(10) + 8)"),
    ],
)
def test_the_worked_averages(n: str, s: str, digits: str, exact: str) -> None:
    entry = _ENTRIES["average-of-two"]
    assert entry.instance is not None
    first, second = entry.instance(entry.values({"n": n, "s": s}))
    assert (first.digits, first.exact) == (digits, exact)
    with mpmath.workdps(50):
        total = 2 * mpmath.exp(int(s)) + int(n) - 2
        assert mpmath.nstr(mpmath.exp(int(s)) / total, 30) == digits
        assert abs(mpmath.mpf(second.digits) * total - 1) < mpmath.mpf(10) ** -28
    assert [line.digits for line in entry.instance(entry.values({}))] == [
        line.digits for line in entry.instance(entry.values({"n": "10", "s": "10"}))
    ]
    assert entry.instance(entry.values({"n": "7"}))[0].text == "$alpha_a$ for $s = 10$"


@pytest.mark.parametrize(("m", "n"), [(1, 4), (2, 2), (2, 5), (3, 7)])
def test_an_average_worked_out_with_the_standard_basis(m: int, n: int) -> None:
    """Keys are unit vectors; weights, error and least scale are taken from the scores themselves."""
    with mpmath.workdps(40):
        s, values = mpmath.mpf(7) / 3, [mpmath.mpf(j * j - 3 * j) for j in range(n)]
        weights = _softmax([s if j < m else mpmath.mpf(0) for j in range(n)])
        total = m * mpmath.exp(s) + n - m
        assert abs(weights[0] - mpmath.exp(s) / total) < mpmath.mpf(10) ** -35
        mean = mpmath.fsum(values[:m]) / m
        error = mpmath.fsum(w * v for w, v in zip(weights, values, strict=True)) - mean
        assert abs(error - mpmath.fsum(v - mean for v in values[m:]) / total) < mpmath.mpf(10) ** -33
        if n > m:
            eps = mpmath.mpf(1) / 100
            least = mpmath.log((n - m) * (1 - eps) / (m * eps))
            assert abs((n - m) / (m * mpmath.exp(least) + n - m) - eps) < mpmath.mpf(10) ** -35


def test_zero_scores_give_three_threes() -> None:
    (found,) = [item for item in _ENTRIES["permutation-attention"].falsehoods if "permutation" in item.says]
    assert found.scope is not None
    sides = refuted(found, found.scope)
    assert sides is not None
    assert Fraction(sides.sides.left) == 27
    assert Fraction(sides.sides.right) == 45


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_permutation_by_cold_attention(order: tuple[int, ...]) -> None:
    """The rotation by (3, 4, 5) beside a third axis: orthonormal tokens that are not the standard basis."""
    fifth = Fraction(1, 5)
    x = [[3 * fifth, 4 * fifth, 0 * fifth], [-4 * fifth, 3 * fifth, 0 * fifth], [0 * fifth, 0 * fifth, 5 * fifth]]
    p = [[Fraction(int(row == order[column])) for column in range(3)] for row in range(3)]

    def dot(first: list[Fraction], second: list[Fraction]) -> Fraction:
        return sum((a * b for a, b in zip(first, second, strict=True)), Fraction(0))

    w = [
        [sum((x[a][i] * p[a][b] * x[b][j] for a in range(3) for b in range(3)), Fraction(0)) for j in range(3)]
        for i in range(3)
    ]
    queries = [[dot(w[i], token) for i in range(3)] for token in x]
    assert queries == [x[order[i]] for i in range(3)]
    assert [[dot(key, query) for query in queries] for key in x] == p


@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("beta", [1, 2, 5])
def test_heads_with_relative_scores_pick_the_nearest_token(shift: int, beta: int) -> None:
    """Seven tokens, codes (i, i^2, 1) and the maps as they are stated."""
    n = 7
    codes = [(i, i * i, 1) for i in range(1, n + 1)]
    for i in range(1, n + 1):
        query = (beta * (2 * codes[i - 1][0] + 2 * shift * codes[i - 1][2]), -beta * codes[i - 1][2])
        scores = [query[0] * key[0] + query[1] * key[1] for key in codes]
        assert scores == [-beta * (j - i - shift) ** 2 + beta * (i + shift) ** 2 for j in range(1, n + 1)]
        weights = _softmax([mpmath.mpf(score) for score in scores])
        nearest = min(max(i + shift, 1), n)
        bound = 1 - 2 * mpmath.exp(-beta) / (1 - mpmath.exp(-beta))
        assert weights[nearest - 1] >= bound


def test_a_synthesizer_row_stays_when_other_tokens_are_swapped() -> None:
    def scores(tokens: list[int]) -> list[int]:
        """Row 1 of relu(x A + b) B + g with A = (1, -2), b = (0, 5), B of whole numbers."""
        hidden = [max(tokens[0], 0), max(5 - 2 * tokens[0], 0)]
        return [sum(h * b for h, b in zip(hidden, column, strict=True)) for column in ((1, 2), (0, -1), (3, 1))]

    assert scores([1, 2, 3]) == scores([1, 3, 2])
    assert [1 * key for key in (1, 2, 3)] != [1 * key for key in (1, 3, 2)]
