"""Lines of weights, each with the entries of other quantities that it is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symattn.checking.graph.formulas import Cell, axis_of_weights
from symattn.checking.graph.quantities import Graph, line_of, scores_of
from symattn.operations.formulas.formula import Apply, Formula, Ref, Transposed
from symattn.operations.scalar import leaves
from symattn.operations.table import TABLE
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A line of weights that sums to 1, with the entries that it is made of.

    Attributes:
        weights: the entries of the map.
        scores: the scores that the softmax is taken of.
        parts: the entries between these: exponentials, their sum.
        is_local: whether the scores alone determine the weights.
        is_asked: whether the map is an answer.
    """

    weights: tuple[Cell, ...]
    scores: tuple[Cell, ...]
    parts: tuple[Cell, ...]
    is_local: bool
    is_asked: bool


def lines_of(graph: Graph, name: str, answers: Sequence[str]) -> Iterator[Line]:
    """Yield the lines of a map of weights."""
    formula = graph.nodes[name].formula
    axis = axis_of_weights(formula)
    if axis is None:
        return
    rows, columns = shape = graph.shape(name)
    starts = {"rows": [(k, 0) for k in range(rows)], "columns": [(0, k) for k in range(columns)], "all": [(0, 0)]}
    scores = scores_of(formula, graph)
    of_scores = scores.name if isinstance(scores, Ref) else ""
    for start in starts[axis]:
        weights = tuple((name, *place) for place in line_of(shape, axis, *start))
        found = dict.fromkeys(cell for weight in weights for cell in _made_of(graph, weight, of_scores))
        own = tuple(cell for cell in found if cell[0] == of_scores)
        parts = tuple(cell for cell in found if cell[0] != of_scores and cell not in weights)
        is_local = all(graph.nodes[cell[0]].formula is not None for cell in parts)
        yield Line(weights, own, parts, is_local, name in answers)


def _made_of(graph: Graph, cell: Cell, scores: str) -> Iterator[Cell]:
    """Yield the entries that an entry is made of, as far as the scores."""
    formula = graph.nodes[cell[0]].formula
    for other in entries(graph, formula, cell[1], cell[2]) if formula is not None else ():
        yield other
        if other[0] != scores:
            yield from _made_of(graph, other, scores)


def entries(graph: Graph, formula: Formula, i: int, j: int) -> Iterator[Cell]:
    """Yield the entries of quantities that stand in an entry of a formula."""
    match formula:
        case Ref(name):
            yield name, i, j
        case Transposed(of):
            yield from entries(graph, of, j, i)
        case Apply(operation, params, operands):
            for leaf in leaves(TABLE[operation].entry(params, graph.operand_shapes(formula), i, j)):
                if isinstance(leaf.row, int) and isinstance(leaf.column, int):
                    yield from entries(graph, operands[leaf.operand], leaf.row, leaf.column)
