"""Exponentials less a running maximum, rescaling factors and initial values, in a softmax worked block by block."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.values import matrix_in
from symattn.checking.expressions.numerals import FITS, Figure, closeness, is_within
from symattn.checking.grading.link import Link, changed
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.scalar_values import exponential_if_known
from symattn.checking.graph.targets import Target
from symattn.checking.joint_resolution.items import numbers_of
from symattn.checking.joint_resolution.values import Number
from symattn.checking.report import Checks
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import base_of
from symattn.graph.builders.online_softmax import letters_of
from symattn.notation.tree import nodes as t

_NEAR = Fraction(1, 1000)
"""Relative distance of a running output that is worked out of rounded factors."""


class RunningMaxima:
    """Judge of numbers that are taken for values of a softmax at once, or for running values after the first block.

    Args:
        context: for names and values.
    """

    def __init__(self, context: GradingContext) -> None:
        self.context = context
        self.graph = context.graph
        self.problem = context.binder.problem

    def link(self, link: Link, node: t.Node, target: Target) -> Link:
        """Return a link that holds where all numbers are such exponentials.

        A factor that rescales is unchecked, and so is an initial value.
        """
        numbers, shaped = numbers_of(node, self.context), target.in_shape(self.context.shape(node))
        if self.problem.online and self._is_initial(numbers or (), target):
            return _unchecked(link, "It may be the initial value of a running value.")
        if self.problem.online and base_of(target.name) in {"O", "H"} and self._is_running(node, target):
            return _unchecked(link, "It may be a running output.")
        if not self.problem.online or base_of(target.name) not in {"E", "Z"}:
            return link
        figures = [number.figure for number in numbers or () if number is not None and number.figure is not None]
        if numbers is None or len(figures) < len(numbers):
            return link
        if base_of(target.name) == "E" and shaped is not None:
            cells = [(target.name, *place) for place in shaped.flat()]
            if all(self._is_exponential(number, cell) for number, cell in zip(figures, cells, strict=True)):
                return Link(changed(link.finding, verdict="rounded", checks=Checks(value=True), **_PLAIN), None)
        if target.guess and all(self._is_factor(number, target.name) for number in figures):
            return _unchecked(link, "It may be a factor that rescales running values.")
        return link

    def _is_initial(self, numbers: Sequence[Number | None], target: Target) -> bool:
        """Return whether numbers are those before the first block: minus infinity for a maximum, else 0."""
        maximum, *sums = letters_of(self.problem)
        own = target.name.partition("^")[0]
        if own == f"{maximum}@1":
            is_start = all(number is not None and number.figure is None for number in numbers)
        else:
            figures = [None if number is None else number.figure for number in numbers]
            is_start = own in {"O", "H", *(f"{letter}@1" for letter in sums)}
            is_start = is_start and all(number is not None and number.value == 0 for number in figures)
        return is_start and len(numbers) > 0

    def _is_running(self, node: t.Node, target: Target) -> bool:
        """Return whether the output of some block is what numbers come to, but for rounded factors."""
        worth = matrix_in(node, self.context.binder, self.context.numbers.base)
        rows = worth.rows if isinstance(worth, Matrix) else ()
        figures = [value.rational() for row in rows for value in row]
        last = letters_of(self.problem)[2]
        blocks = (name for name in self.graph.nodes if name.startswith(f"{last}@"))
        parts = ([(name, *place) for place in target.flat()] for name in blocks)
        return len(figures) == len(target.entries) and any(
            all(self._is_near(number, cell) for number, cell in zip(figures, cells, strict=True)) for cells in parts
        )

    def _is_near(self, number: Fraction | None, cell: Cell) -> bool:
        exact = self.context.numbers.exact(cell)
        return number is not None and exact is not None and is_within(number, exact, _NEAR * (1 + abs(number)))

    def _is_exponential(self, number: Figure, cell: Cell) -> bool:
        """Return whether a number is the exponential of a score less the maximum after the block of its key."""
        name, row, column = cell
        line, key = (row, column) if self.problem.tokens == "rows" else (column, row)
        maximum = self._maximum(name, key // self.problem.online + 1)
        scores = next(iter(self.graph.parents(self._maximum(name, 1))), "")
        return self._fits(number, (scores, row, column), (maximum, line, 0))

    def _is_factor(self, number: Figure, name: str) -> bool:
        """Return whether a number is the exponential of the maximum before a block less that after it."""
        lines, count = self.graph.shape(self._maximum(name, 1))[0], -(-self.problem.n_k // self.problem.online)
        return any(
            self._fits(number, (self._maximum(name, block - 1), line, 0), (self._maximum(name, block), line, 0))
            for block in range(2, count + 1)
            for line in range(lines)
        )

    def _maximum(self, name: str, block: int) -> str:
        return f"{letters_of(self.problem)[0]}@{block}{''.join(name.partition('^')[1:])}"

    def _fits(self, number: Figure, cell: Cell, less: Cell) -> bool:
        value, by = self.context.numbers.exact(cell), self.context.numbers.exact(less)
        if value is None or by is None or not value.is_finite or not by.is_finite:
            return value is not None and not value.is_finite and number.value == 0
        power: Quotient | None = exponential_if_known(value - by)
        return power is not None and closeness(number, power) in FITS


def _unchecked(link: Link, words: str) -> Link:
    return Link(changed(link.finding, verdict="unchecked", name=None, **{**_PLAIN, "explanation": words}), None)


_PLAIN = {"explanation": None, "diagnosis": None, "culprit": None, "entries": None, "expected": None}
"""Attributes of a finding that tell of a mistake."""
