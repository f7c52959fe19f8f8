"""The written forms of every operation are worth what the operation makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from symattn.errors import InputError
from symattn.exact.evaluation import Lookup, Value, below, beside, evaluate
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.quantities.trees import Leaves, NoFormError, Trees
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from symattn.notation.writers.latex import write_latex
from symattn.operations import scalar as s
from symattn.operations.operation import Axis, Grid, Names, RunningIndexError, Shape
from symattn.operations.sheet_formulas import premise_entry
from symattn.operations.table import TABLE
from tests.operations.draws import drawn, made

SEEDS = range(6)
BOUND = t.Name("r")


class Operands:
    """Operands with the names ``p_{k,i,j}`` for entries, ``P_k`` for wholes and ``p_{k,i}`` for rows."""

    def __init__(self, grids: Sequence[Grid]) -> None:
        self.grids = grids
        self.shapes: list[Shape] = [(len(grid), len(grid[0])) for grid in grids]

    def whole(self, operand: int) -> t.Node:
        return t.Subscript(t.Name("P"), (t.Number(str(operand + 1)),))

    def entry(self, operand: int, row: s.Index, column: s.Index) -> t.Node:
        indices = (t.Number(str(i + 1)) if isinstance(i, int) else i for i in (row, column))
        return t.Subscript(t.Name("p"), (t.Number(str(operand + 1)), *indices))

    def line(self, operand: int, axis: Axis, index: s.Index) -> t.Node | None:
        number = t.Number(str(index + 1)) if isinstance(index, int) else index
        return t.Subscript(t.Name("q"), (t.Number(str(operand + 1)), number)) if axis == "rows" else None

    def exact(self, operand: int, row: int, column: int) -> Quotient:
        value = self.grids[operand][row][column]
        assert value is not None
        return value

    carried = exact

    def within(self, operand: int, name: str) -> Names | None:
        del operand, name
        return None

    def lookup(self, node: t.Node, indices: Mapping[str, int]) -> Value | None:
        if not isinstance(node, t.Subscript) or not isinstance(node.base, t.Name):
            return None
        numbers = [indices[i.text] if isinstance(i, t.Name) else int(i.text) for i in node.indices]  # type: ignore[union-attr]
        match node.base.text, numbers:
            case "P", [operand]:
                grid = self.grids[operand - 1]
                return grid[0][0] if self.shapes[operand - 1] == (1, 1) else matrix(grid)
            case "p", [operand, row, column]:
                return self.exact(operand - 1, row - 1, column - 1)
            case "q", [operand, row]:
                return matrix(self.grids[operand - 1][row - 1 : row]).T
        return None


def matrix(grid: Grid) -> Matrix:
    return Matrix([[value for value in row if value is not None] for row in grid])


def value_of(node: t.Node, lookup: Lookup) -> Value | None:
    try:
        return evaluate(node, lookup)
    except InputError:
        return None


def same(tree: t.Node, operands: Operands, expected: Quotient | None) -> bool:
    """Whether a tree reads back, and has a value; what is undefined has none."""
    assert read_latex(write_latex(tree)) == tree
    found = value_of(tree, operands.lookup)
    if found is None or expected is None:
        return found is expected
    return _as_matrix(found) == Matrix([[expected]])


@pytest.mark.parametrize("name", TABLE)
def test_forms_of_entries_are_worth_what_the_operation_makes(name: str) -> None:
    operation, count = TABLE[name], 0
    for seed in SEEDS:
        grids, arguments = drawn(name, seed)
        params, operands, values = operation.params.read(arguments), Operands(grids), made(operation, grids, arguments)
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                scalar = operation.entry(params, operands.shapes, i, j)
                # The evaluation adds no number to a product of vectors; the judge proves that form as written.
                also = operation.also(params, operands, i, j) if operation.also and name != "product-plus" else ()
                trees = [fold.of(scalar) for fold in (Trees(operands), Trees(operands, BOUND))]
                assert all(same(tree, operands, value) for tree in (*trees, *also))
                count += 1
    assert count


# The entries that a sheet writes have no indices, and an empty line has no form at running ones.
@pytest.mark.parametrize("name", [name for name in TABLE if name not in {"written", "masked-quotient"}])
def test_forms_at_running_indices_are_worth_the_same(name: str) -> None:
    operation, running = TABLE[name], (t.Name("i"), t.Name("j"))
    grids, arguments = drawn(name, 0)
    params, operands, values = operation.params.read(arguments), Operands(grids), made(operation, grids, arguments)
    try:
        tree = Trees(operands, BOUND).of(operation.entry(params, operands.shapes, *running))
    except (NoFormError, RunningIndexError):
        return
    for i, row in enumerate(values, 1):
        for j, value in enumerate(row, 1):
            indices = {"i": i, "j": j}
            if value is not None:
                assert evaluate(tree, operands.lookup, indices) == value


WHOLE = [name for name in TABLE if TABLE[name].whole and name not in {"softcap", "activation"}]
"""Operations with whole forms, but for functions of matrices, which are read entry by entry."""


@pytest.mark.parametrize("name", WHOLE)
def test_forms_of_the_whole_are_worth_what_the_operation_makes(name: str) -> None:
    operation = TABLE[name]
    assert operation.whole is not None
    for seed in SEEDS:
        grids, arguments = drawn(name, seed)
        operands, values = Operands(grids), made(operation, grids, arguments)
        for tree in operation.whole(operation.params.read(arguments), operands):
            join = below if arguments.get("axis") == "rows" else beside
            assert _as_matrix(evaluate(tree, operands.lookup, join=join)) == matrix(values)


def _as_matrix(value: Value) -> Matrix:
    return value if isinstance(value, Matrix) else Matrix([[value]])


@pytest.mark.parametrize("name", ["product", "product-plus"])
def test_forms_of_lines_are_worth_what_the_operation_makes(name: str) -> None:
    operation, count = TABLE[name], 0
    assert operation.lines is not None
    for seed in range(20):
        grids, arguments = drawn(name, seed)
        params: Any = operation.params.read(arguments)
        operands, values = Operands(grids), matrix(made(operation, grids, arguments))
        for axis, lines in (("rows", values), ("columns", values.T)):
            for number, line in enumerate(lines.rows):
                for tree in operation.lines.column(params, operands, "rows" if axis == "rows" else "columns", number):
                    if name == "product" or (operands.shapes[2][0] == 1) == (axis == "rows"):
                        assert evaluate(tree, operands.lookup) == Matrix([line]).T
                        count += 1
    assert count


def test_a_choice_that_rounding_turns_has_no_form() -> None:
    class Rounded(Operands):
        def carried(self, operand: int, row: int, column: int) -> Quotient:
            return -self.exact(operand, row, column)

    leaves: Leaves = Rounded([((Quotient.of(2),),), ((Quotient.of(1),),)])
    operation = TABLE["relu-gradient"]
    with pytest.raises(NoFormError):
        Trees(leaves).of(operation.entry(operation.params.read({}), [(1, 1), (1, 1)], 0, 0))


def test_a_formula_of_a_sheet_is_written_in_the_names_of_its_operands() -> None:
    tree = t.Product((t.Number("2"), premise_entry(1, 1, 2)), ("",))
    assert Trees(Operands([((Quotient.of(1), Quotient.of(3)),)])).of(s.Formula(tree)) == tree
