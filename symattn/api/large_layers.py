"""The result of a large layer of numbers: digits at once, closed forms and steps when they are asked for."""

from __future__ import annotations

from functools import cached_property

from symattn.api.result import Result, solved
from symattn.exact.linear.matrix import Matrix
from symattn.graph.analysis.pattern import Pattern
from symattn.graph.builders.integer_matrices import NumericMatrices
from symattn.graph.builders.integer_rows import numeric_layer
from symattn.graph.builders.layer import Layer
from symattn.problem.model import Problem

_LAZY = frozenset("QKVSAO")


def large_result(problem: Problem) -> Result | None:
    """Return the result of a problem whose closed forms would take long; None unless it is a plain numeric layer.

    >>> large_result(Problem.build(Q=[[1]], K=[[1]], V=[[1]], heads=1)) is None
    True
    """
    layer = numeric_layer(problem)
    if layer is None:
        return None
    columns, across = problem.tokens == "columns", problem.softmax == "columns"
    return LargeResult(problem, NumericMatrices(layer, columns=columns, across=across))


class LargeResult(Result):
    """A result whose `Q`, `K`, `V`, `S`, `A` and `O` need no layer of closed forms; all else makes it when asked for.

    >>> one = [[1]] * 32
    >>> result = large_result(Problem.build(Q=one, K=one, V=one))
    >>> result.A.shape, str(result.A[0, 0]), result.O.rounded(2)[:2]
    ((32, 32), 'exp(1)/(32*exp(1))', [['1.00'], ['1.00']])
    """

    def __init__(self, problem: Problem, matrices: NumericMatrices) -> None:
        """Take the problem and its matrices; `large_result` calls this."""
        self.problem = problem
        self._matrices = matrices
        self._lazy: dict[str, Matrix] = {}

    @cached_property
    def _whole(self) -> Result:
        return solved(self.problem)

    @property
    def layer(self) -> Layer:  # type: ignore[override]  # an attribute there; here it is made when asked for
        """The layer of closed forms."""
        return self._whole.layer

    @property
    def pattern(self) -> Pattern | None:  # type: ignore[override]  # as above
        """The pattern of the weights."""
        return self._whole.pattern

    @property
    def views(self) -> tuple[tuple[Layer, Pattern | None], ...]:  # type: ignore[override]  # as above
        """The layer with its pattern."""
        return self._whole.views

    def __repr__(self) -> str:
        """Return the shape of the map."""
        rows, columns = self.A.shape
        return f"<Result of {self.problem.title or 'a problem'}: {rows}×{columns} weights>"

    def __getitem__(self, name: str) -> Matrix:
        """Return the exact value of a quantity by its canonical name."""
        return self._one(name) if name in _LAZY else super().__getitem__(name)

    @property
    def O(self) -> Matrix:  # noqa: E743
        """The outputs."""
        return self._one("O")

    def _one(self, name: str) -> Matrix:
        if name not in _LAZY:
            return super()._one(name)
        if name not in self._lazy:
            self._lazy[name] = self._matrices.named(name)
        return self._lazy[name]
