"""Every definition has its recipe, and the recipe has the form that its rule asks for."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.recipes import recipe_of
from symattn.graph.rules.table import RULES

WITHOUT = (q.Given, q.WrittenOut, q.WrittenAs, q.EntropyOf, q.TotalOf)
"""Definitions of what no rule makes; the formulas of entries are not in the definition as records have them."""

LEFT, RIGHT = q.Operand("L"), q.Operand("R", transposed=True)
VALUES: dict[str, Any] = {
    "str": "x",
    "int": 2,
    "bool": True,
    "Axis": "columns",
    "Empty": "zeros",
    "Pairs": "halves",
    "Operand": RIGHT,
    "tuple[str, ...]": ("x", "y"),
    "tuple[tuple[Operand, Operand], ...]": ((LEFT, RIGHT), (RIGHT, LEFT)),
}
KINDS = {"ActivatedBy": "gelu", "GeluSlopeOf": "gelu", "LossOf": "squared"}

CLASSES = [cls for cls in get_args(q.Definition) if cls not in WITHOUT]


def drawn(cls: type[Any], **given: Any) -> Any:
    """A definition with a name in each field."""
    fields = {name: VALUES[kind] for name, kind in cls.__annotations__.items()}
    return cls(**{**fields, **({"kind": KINDS[cls.__name__]} if "kind" in fields else {}), **given})


@pytest.mark.parametrize("cls", CLASSES)
def test_a_recipe_has_the_form_of_its_rule(cls: type[Any]) -> None:
    recipe = recipe_of(drawn(cls))
    assert RULES[recipe.rule].misfit(len(recipe.premises), recipe.arguments) == ""


@pytest.mark.parametrize("cls", CLASSES)
def test_what_may_be_missing_may_be_missing(cls: type[Any]) -> None:
    optional = {"plus", "factor", "number", "eps", "means", "before", "earlier", "term", "result", "total"}
    needed = {"AffineOf": {"factor"}, "LineVariance": {"means"}, "ScaledBy": {"factor"}}.get(cls.__name__, set())
    absent = dict.fromkeys(set(cls.__annotations__) & optional - needed, "")
    recipe = recipe_of(drawn(cls, **absent))
    assert "" not in recipe.premises
    assert RULES[recipe.rule].misfit(len(recipe.premises), recipe.arguments) == ""


@pytest.mark.parametrize("cls", WITHOUT[:1])
def test_what_no_rule_makes_has_none(cls: type[Any]) -> None:
    with pytest.raises(ValueError, match="has no recipe"):
        recipe_of(cls())


def test_every_rule_is_the_recipe_of_a_definition() -> None:
    """Each rule but the rounding of what is there, and the formulas of a sheet, is made by some definition."""
    variants: list[dict[str, Any]] = [
        {},
        {"empty": "undefined"},
        {"plus": ""},
        {"means": ""},
        {"back": False},
    ]
    made = {
        recipe_of(drawn(cls, **{key: value for key, value in given.items() if key in cls.__annotations__})).rule
        for cls in CLASSES
        for given in variants
        if not (cls is q.LineVariance and "means" in given)
    }
    of_sheets = {"written", "entrywise-quotient", "softmax-over", "mask-where"}
    assert set(RULES) - made == {"round", *of_sheets}
