"""Exponentials less a running maximum, rescaling factors and initial values, in a softmax worked block by block."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.checking.context import GradingContext
from symattn.checking.expressions.numerals import FITS, Figure, closeness
from symattn.checking.grading.link import Link, changed
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.scalar_values import exponential_if_known
from symattn.checking.graph.targets import Target
from symattn.checking.joint_resolution.items import numbers_of
from symattn.checking.joint_resolution.values import Number
from symattn.checking.report import Checks
from symattn.exact.field.quotient import Quotient
from symattn.graph.builders.layer import base_of
from symattn.graph.builders.online_softmax import letters_of
from symattn.notation.tree import nodes as t


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
        return is_start and len(numbers) > 0 and not self._is_begun(target)

    def _is_begun(self, target: Target) -> bool:
        """Return whether something was written before that is made of the scores of these lines."""
        first = f"{letters_of(self.problem)[0]}@1"
        maxima = [name for name in self.graph.nodes if name.partition("^")[0] == first]
        scores = {score for name in maxima for score in self.graph.parents(name)}
        later = {name for score in scores for name in self.graph.below(score)}
        lines = {self._line(cell) for cell in target.entries}
        return any(cell[0] in later and self._line(cell) in lines for cell in self.context.numbers.prints)

    def _line(self, cell: Cell) -> int:
        """Return the query that an entry is about."""
        is_per_line = cell[0].partition("@")[0] in letters_of(self.problem)[:2]
        return cell[1] if is_per_line or self.problem.tokens == "rows" else cell[2]

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
