"""Formulas are operations applied to names: their shapes and entries are those of the operations."""

from __future__ import annotations

import pytest

from symattn.graph.quantities.definition import define
from symattn.operations.evaluation import apply
from symattn.operations.formulas.compositions import COMPOSITIONS, composed
from symattn.operations.formulas.formula import (
    Apply,
    Constant,
    Formula,
    Ref,
    Transposed,
    make,
    names_in,
    of_step,
    scale,
    shape,
)
from symattn.operations.operation import Grid, MisfitError, transpose
from symattn.operations.table import TABLE
from tests.operations.draws import agree, drawn, made, numbers

SHAPES = {"X": (3, 4), "W": (4, 2), "b": (1, 2), "c": (1, 1)}


def test_shapes_follow_the_operations() -> None:
    product = make("product", Ref("X"), Ref("W"))
    assert shape(product, SHAPES.__getitem__) == (3, 2)
    assert shape(make("sum", product, Ref("b")), SHAPES.__getitem__) == (3, 2)
    assert shape(Transposed(scale(2, product)), SHAPES.__getitem__) == (2, 3)
    assert shape(make("softmax-over", product, over="all"), SHAPES.__getitem__) == (3, 2)
    with pytest.raises(MisfitError, match="A 4×2 matrix cannot be multiplied by a 3×4 one"):
        shape(make("product", Ref("W"), Ref("X")), SHAPES.__getitem__)


def test_names_stand_once_in_the_order_of_their_use() -> None:
    formula = make("sum", make("product", Ref("X"), Ref("W")), make("product", Transposed(Ref("b")), Ref("X")))
    assert names_in(formula) == ("X", "W", "b")
    assert names_in(scale(2, Ref("X"))) == ("X",)


def test_transposed_factors_of_a_step_are_transposed_operands() -> None:
    recipe = define("products", "c", "A", "dO", "dO", "A", turned="TNNT")
    formula = of_step(recipe.rule, recipe.arguments, recipe.premises)
    assert formula.operands == (Ref("c"), Transposed(Ref("A")), Ref("dO"), Ref("dO"), Transposed(Ref("A")))
    assert shape(formula, {"c": (1, 1), "A": (2, 2), "dO": (2, 2)}.__getitem__) == (2, 2)
    assert formula == Apply("products", formula.params, formula.operands)
    assert formula.params.turned == "NNNN"


def test_formulas_with_one_constant_are_one() -> None:
    first, second = (scale(2, Ref("S")) for _ in range(2))
    assert first == second
    assert len({first, second}) == 1
    assert first != scale(3, Ref("S"))
    assert isinstance(first.operands[0], Constant)


def _value(formula: Formula, operands: dict[str, Grid]) -> Grid:
    """The value of a formula, one operation after the other."""
    match formula:
        case Ref(name):
            return operands[name]
        case Constant(values):
            return values.rows
        case Transposed(of):
            return transpose(_value(of, operands))
        case Apply(operation, params, parts):
            return apply(TABLE[operation], [_value(part, operands) for part in parts], params)


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_a_composition_makes_what_its_operation_makes(name: str) -> None:
    changed = 0
    for seed in range(24):
        values, arguments = drawn(name, seed)
        named = {f"m{k}": rows for k, rows in enumerate(values)}
        formula = of_step(name, tuple(arguments.items()), tuple(named))
        opened = composed(formula, {k: (len(rows), len(rows[0])) for k, rows in named.items()}.__getitem__)
        changed += opened != formula
        assert agree(numbers(made(TABLE[name], values, arguments)), numbers(_value(opened, named)))
    assert changed
