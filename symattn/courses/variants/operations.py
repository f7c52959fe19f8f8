"""Counted operations of a variant: the arithmetic that a person does by hand, without factors 0 and 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from symattn.checking.graph.quantities import Graph, Valuation
from symattn.exact.field.quotient import Quotient
from symattn.operations import scalar as s
from symattn.operations.formulas.formula import Apply, Formula
from symattn.operations.table import TABLE

_TRIVIAL = (Quotient.of(1), Quotient.of(-1))


def counted_operations(graph: Graph) -> Counter[str]:
    """Return the number of multiplications, additions, exponentials and divisions of a graph with values.

    A product with a factor 0, 1 or -1, a term 0, the exponential of 0 and of a hidden score, and a quotient of 0 are
    no work.
    """
    found: Counter[str] = Counter()
    values = Valuation(graph)
    for name, node in graph.nodes.items():
        if isinstance(node.formula, Apply) and node.step:
            count = _Count(values, node.formula.operands, found)
            shapes = graph.operand_shapes(node.formula)
            for _, i, j in graph.cells(name):
                count.work(TABLE[node.formula.operation].entry(node.formula.params, shapes, i, j))
    return found


class _Count:
    """The count of the operations of scalar expressions; each is told whether it is 0."""

    def __init__(self, values: Valuation, operands: Sequence[Formula], found: Counter[str]) -> None:
        self._values, self._operands, self._found = values, operands, found

    def work(self, scalar: s.Scalar) -> Quotient | None:
        """Count an expression; return its value where it is an entry, or 0, and None for any other number."""
        match scalar:
            case s.Leaf(operand, int() as row, int() as column):
                return self._values.entry(self._operands[operand], row, column)
            case s.Mul(factors):
                values = [self.work(factor) for factor in factors]
                if any(_is_zero(value) for value in values):
                    return Quotient.of(0)
                self._found["multiplications"] += max(sum(value not in _TRIVIAL for value in values) - 1, 0)
            case s.Add() | s.Total():
                terms = [self.work(part) for part in s.parts(scalar)]
                self._found["additions"] += max(sum(not _is_zero(term) for term in terms) - 1, 0)
            case s.Call(_, of):
                value = self.work(of)
                self._found["exponentials"] += not _is_zero(value) and (value is None or value.is_finite)
            case s.Div(above, below):
                values = [self.work(above), self.work(below)]
                if _is_zero(values[0]):
                    return Quotient.of(0)
                self._found["divisions"] += values[1] not in _TRIVIAL
            case _:
                for part in s.parts(scalar):
                    self.work(part)
        return None


def _is_zero(value: Quotient | None) -> bool:
    return value is not None and value.is_finite and value.is_zero
