"""Every definition that a builder makes has the form that its rule asks for, and its operation when it is renamed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.heads import renamed
from symattn.graph.quantities.definition import GIVEN, Definition, define, define_product, factors, made_by
from symattn.graph.rules import RULES
from symattn.problem.model import Problem
from tests.docs import combinations

EXAMPLES = [Path(__file__).parents[2] / "examples" / name for name in ("encoder_block.toml", "block_backward.toml")]


def _definitions(problem: Problem) -> list[Definition]:
    layer = attention_layer(problem)
    assert all(layer.recipes[name] == quantity.definition for name, quantity in layer.scene.quantities.items())
    return [definition for definition in layer.recipes.values() if definition.rule != GIVEN]


@pytest.mark.parametrize(
    "feature", [name for name in combinations.FEATURES if name not in {"batch", "several blocks", "definitions"}]
)
def test_definitions_have_the_form_of_their_rule(feature: str) -> None:
    found = _definitions(Problem.build(**combinations.problem(feature, feature)))
    assert found
    assert all(RULES[own.rule].misfit(len(own.premises), own.arguments) == "" for own in found)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_definitions_of_blocks_have_the_form_of_their_rule(path: Path) -> None:
    found = _definitions(Problem.load(path))
    assert found
    assert all(RULES[own.rule].misfit(len(own.premises), own.arguments) == "" for own in found)


def test_what_is_empty_is_left_out() -> None:
    assert define("running-maximum", "S", "", axis="rows", start=1, stop=2).premises == ("S",)
    assert define_product(("A", False), ("V", False)) == define("product", "A", "V")


@pytest.mark.parametrize("is_turned", [False, True])
def test_factors_are_those_that_a_product_was_made_of(is_turned: bool) -> None:
    left, right = ("Q", is_turned), ("K", not is_turned)
    assert factors(define_product(left, right)) == (left, right)
    assert factors(define_product(left, right, "n", "l", rule="cosine")) == (left, right)


@pytest.mark.parametrize("rule", [GIVEN, "entropy", "total"])
def test_what_no_operation_makes_has_none(rule: str) -> None:
    assert made_by(Definition(rule, (), ("A",))) is None


def test_renamed_quantities_keep_their_operation() -> None:
    layer = attention_layer(Problem.build(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], heads=2))
    quantity = layer.scene.quantities["Q^2"]
    own = renamed(replace(quantity, name="Q"), {"Q": "Q^"})
    assert own.definition == replace(quantity.definition, premises=("Q^",))
