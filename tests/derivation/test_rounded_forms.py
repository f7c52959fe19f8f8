"""What is worked out of rounded numbers is written as they are: decimals stay decimals as long as they end."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from symattn.api.solutions import Result, solve
from symattn.graph.key_judge.judge import has_decimals, judge
from symattn.graph.quantities.statement import Statement
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.problem.model import Problem

QKV: dict[str, Any] = {
    "Q": [[1, 2], [2, 1]],
    "K": [[1, 1], [2, 1], [0, 1]],
    "V": [[1, 2], [2, 0], [-1, 1]],
}
LAYERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cosine": {"score": "cosine"},
    "cosine, hidden keys": {"score": "cosine", "mask": "causal", "scale": 3},
    "general": {"score": "general", "W_S": [[1, 2], [0, -1]]},
    "a bias": {"bias": {"add": [[0, 1, 2]]}},
    "two heads joined": {"heads": 2, "W_O": [[1, 2], [-1, 1]], "b_O": [[-1, 2]]},
    "an extra 1": {"softmax_one": True},
}
POLICIES: tuple[dict[str, Any], ...] = (
    {"steps": "matrices", "places": 3},
    {"steps": "all", "places": 3},
    {"steps": "all", "figures": 3},
    {"steps": ["exponentials", "weights"], "places": 2},
    {"steps": ["scores"], "places": 3},
    {"steps": ["exponentials", "products"], "places": 2},
    {"steps": ["weights"], "places": 4},
)


def solution(layer: str, policy: dict[str, Any]) -> Result:
    return solve(Problem.build(**QKV, **LAYERS[layer], rounding=policy))


def ends(node: t.Node) -> bool:
    """Whether a fraction of two integers could be written as a decimal."""
    if not (isinstance(node, t.Division) and isinstance(node.numerator, t.Number)):
        return False
    if not isinstance(node.denominator, t.Number) or "." in node.numerator.text + node.denominator.text:
        return False
    denominator = Fraction(int(node.numerator.text), int(node.denominator.text)).denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1


def fractions_after_decimals(statement: Statement) -> list[t.Node]:
    """The fractions that would end as decimals, in sides behind one that holds a decimal."""
    sides = statement.sides
    behind = [side for position, side in enumerate(sides) if any(map(has_decimals, sides[:position]))]
    return [node for side in behind for node in walk(side) if ends(node)]


@pytest.mark.sample(14)
@pytest.mark.parametrize(("layer", "policy"), list(product(LAYERS, POLICIES)))
def test_no_fraction_comes_of_decimals_where_a_decimal_would_do(layer: str, policy: dict[str, Any]) -> None:
    """The document is proved as it is made, so that each of these forms is what the judge prescribes."""
    statements = solution(layer, policy).document("every-product").ledger.statements
    assert [statement for statement in statements if fractions_after_decimals(statement)] == []


@pytest.mark.parametrize("policy", POLICIES)
def test_boxed_answers_of_rounded_numbers_are_decimals(policy: dict[str, Any]) -> None:
    statements = solution("plain", policy).document().ledger.statements
    boxed = [node for statement in statements for node in walk(statement.written) if isinstance(node, t.Boxed)]
    assert boxed
    assert [node for box in boxed for node in walk(box) if ends(node)] == []


def test_the_same_value_as_a_fraction_is_not_what_is_called_for() -> None:
    """Each value has one prescribed form, so that a key is the same whoever prints it."""
    result = solution("plain", {"steps": ["exponentials", "weights"], "places": 2})
    subject = read_plain("O_11")
    for written, proved in (
        ("0.28 * 1 + 0.58 * 2 + 0.14 * (-1) = 0.28 + 1.16 - 0.14 = 1.3", True),
        ("0.28 * 1 + 0.58 * 2 + 0.14 * (-1) = 0.28 + 1.16 - 0.14 = 13/10", False),
        ("0.28 * 1 + 0.58 * 2 + 0.14 * (-1) = 7/25 + 29/25 - 7/50 = 1.3", False),
        ("0.28 * 1 + 0.58 * 2 + 0.14 * (-1) = 0.28 + 1.16 - 0.14 = 1.31", False),
    ):
        chain = read_plain(f"O_11 ≈ {written}")
        assert judge(Statement(subject, chain, "carried"), result.scene).proved is proved, written


def test_a_score_of_rounded_lengths_has_its_places_where_it_happens_to_be_exact() -> None:
    """4/(2.236 · 2.236) is 0.80006…, and its three places are 0.800, not 4/5."""
    result = solution("cosine", {"steps": "all", "places": 3})
    ends_of_scores = {
        statement.note: statement.sides[-1]
        for statement in result.document("every-product").ledger.statements
        if statement.note in {"S_12", "S_22"}
    }
    assert ends_of_scores == {"S_12": t.Number("0.800"), "S_22": t.Number("1.000")}


@pytest.mark.parametrize("steps", ["row_sums", "exponentials", "weights", "products"])
@pytest.mark.parametrize("tokens", [1, 2])
def test_names_of_rounded_values_are_not_worked_out_with_exact_ones(steps: str, tokens: int) -> None:
    """Of one key the exact weight is 1, and the outputs are the values; over a rounded sum they are not."""
    joint = {"W_O": [[1, 2], [1, 1]], "rounding": {"steps": [steps], "figures": 3}}
    inputs = {"Q": [[1, 2]] * tokens, "K": [[1, 0]] * tokens, "V": [[2, 3]] * tokens}
    result = solve(Problem.build(**inputs, **joint))
    assert result.document("every-product").ledger.count > 0
