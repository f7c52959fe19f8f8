"""Formulas of a graph give what the key has: values, and the value of each expansion."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.checking.graph.expansion import expected_at, leaves, value_of
from symattn.checking.graph.layer import graph_of_layer
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.exact.equality import equal
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.builders.attention import attention_layer
from symattn.operations.formulas.formula import is_of
from symattn.problem.model import Problem
from tests.attention.gradient_cases import drawn, problem_of
from tests.attention.placed import placed_tables
from tests.docs.combinations import FEATURES, problem

WITHOUT_A_LAYER = {"batch", "several blocks", "definitions"}


def problems() -> list[tuple[str, Problem]]:
    """Return a problem with each feature, and drawn ones with gradients, positions, caches and blocks of keys."""
    found = [(name, Problem.build(**problem(name, name))) for name in FEATURES if name not in WITHOUT_A_LAYER]
    found += [(f"gradient {seed}", problem_of(drawn(seed))) for seed in range(8)]
    found += [(f"placed {seed}", Problem.build(**placed_tables(seed))) for seed in range(8)]
    return [*found, ("block backward", Problem.load("examples/block_backward.toml"))]


def is_equal(first: Quotient | None, second: Quotient) -> bool:
    """Return whether two values are one, to 25 digits where they have no closed form."""
    if first is None or second is UNDEFINED:
        return first is None and second is UNDEFINED
    if first is second or not (first.is_finite and second.is_finite) or first.symbols:
        return first == second
    if equal(first, second).is_equal:
        return True
    difference = Matrix([[first - second]]).evaluate(30)[0, 0]
    return bool(abs(difference) < 1e-25)


@pytest.mark.parametrize(("name", "made"), problems(), ids=[name for name, _ in problems()])
def test_values_and_expansions_are_those_of_the_key(name: str, made: Problem) -> None:
    del name
    graph = graph_of_layer(attention_layer(made, {}))
    values = Valuation(Graph(graph.nodes, graph.given))  # nothing is known but what is given
    formulas = [other for other, node in graph.nodes.items() if node.formula is not None]
    assert len(formulas) > 3
    for other in formulas:
        for cell in graph.cells(other):
            value, expected = values.get(*cell), expected_at(graph, cell)
            assert expected is not None
            known = graph.known[other][cell[1:]] if other in graph.known else value
            assert known is not None
            assert is_equal(value, known), cell
            assert {parent for parent, _, _ in leaves(expected)} <= graph.parents(other)
            # The weights of a line that is hidden whole are written, not worked out.
            if known is not UNDEFINED and not is_of(graph.nodes[other].formula, "masked-quotient"):
                assert is_equal(value_of(expected, values.get), known), cell


COSINES = {"inputs": {"Q": [[3, 4], [1, 0]], "K": [[4, 3], [0, 2]], "V": [[1, 0], [0, 1]]}, "score": "cosine"}


@pytest.mark.parametrize(
    ("text", "verdicts", "words"),
    [
        ("S_11 = (3*4 + 4*3)/(5*5) = 0.96", ["right", "right"], ""),
        ("S_11 = (3*4 + 4*2)/(5*5) = 0.8", ["wrong", "follows"], "K[1,2] is 3; 2 is K[2,2]."),
        ("S_11 = (3*4 + 4*3)/(5*4) = 1.2", ["wrong", "follows"], "norm_K[1,1] is 5, copied as 4."),
        ("Q = [3 4; 1 2]\nS_21 = (1*4 + 2*3)/(2.24*5) = 0.89", ["wrong", "right", "follows"], "Q[2,2] is 0, not 2."),
    ],
)
def test_cosines_are_judged_operand_by_operand(text: str, verdicts: list[str], words: str) -> None:
    found = check_text(Problem.build(**COSINES, rounding={"places": 2}), text, "txt").findings
    assert [finding.verdict for finding in found] == verdicts
    assert (found[0].explanation or "") == words
