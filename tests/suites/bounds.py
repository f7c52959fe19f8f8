"""What other programs recorded, against certified values, within a bound on the rounding errors they may have made.

An entry of an output may lie (d_k + n_k + 32) u M from the certified one, where u is the unit roundoff of the
narrowest type that was used, and M = sum_j a_ij |v_j| (1 + max_j |s_ij|): how large the terms of its sum are,
and how much the error of a score, which is relative to the score, changes the weights. Weights are the outputs
of values that are rows of the identity, and scores have M = 1 + max_j |s_ij|. Behind W_O the terms of that
product count, and b_O. All that stands here is exact, but for enclosures of certified width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import fixed_bounds
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.heads import heads_of
from symattn.graph.builders.layer import base_of
from symattn.problem.model import Problem
from symattn.records import dataclass

MINUS_INFINITY, UNDEFINED, LEFT_OUT = "-inf", "-", ""
"""Entries that are no numbers: the first two as certified values write them."""


@dataclass(frozen=True, slots=True)
class Written:
    """A number that is written to some places: it stands for those within one unit of the last."""

    value: Fraction
    unit: Fraction


Entry: TypeAlias = Fraction | str
Recorded: TypeAlias = Sequence[Sequence[Fraction | Written | str]]
Size: TypeAlias = Callable[[int, int], Fraction]

UNITS = {
    "bfloat16": Fraction(1, 2**8),
    "float16": Fraction(1, 2**11),
    "float32": Fraction(1, 2**24),
    "float64": Fraction(1, 2**53),
}
"""The unit roundoff of each type."""

USUAL = 0.25
"""The largest part that is seen is below a tenth; a quarter of the bound is what whole suites are held to."""

_BITS = 160
_UNITS_WIDE = 4  # floor and ceiling, of ends that lie strictly outside
_WIDTH = Fraction(_UNITS_WIDE, 2**_BITS)
_SLACK = 32


@dataclass(frozen=True, slots=True)
class Worst:
    """Where a recorded entry lies farthest from the certified one, as a part of how far it may.

    Where only one of the two is a number, it is infinitely far.
    """

    part: float = 0.0
    where: str = ""

    def or_worse(self, other: Worst) -> Worst:
        return other if other.part > self.part else self


def lows(matrix: Matrix) -> list[list[Entry]]:
    """Lower bounds of all entries, at most 2^-158 below them; what is no number is a word."""
    bounds = iter(fixed_bounds([value for value in matrix if value.is_finite], _BITS))
    return [[_low(*next(bounds)) if value.is_finite else str(value) for value in row] for row in matrix.rows]


def _low(low: int, high: int) -> Fraction:
    if high - low > _UNITS_WIDE:
        raise ValueError("an enclosure is wider than it may be")
    return Fraction(low, 2**_BITS)


def _size(entry: Entry) -> Fraction:
    return abs(entry) if isinstance(entry, Fraction) else Fraction(0)


class Quantities:
    """Lower bounds of the quantities of a layer; one head's have its number, ``A^2``, if the problem has heads."""

    def __init__(self, problem: Problem) -> None:
        self.layer = attention_layer(problem)
        self.views = heads_of(self.layer)
        self.chain = ("S", *self.views[0].chain)

    def rows(self, name: str) -> list[list[Entry]]:
        base, _, head = name.partition("^")
        return lows(self.views[int(head) - 1].exact(base) if head else self.layer.exact(name))


class HeadBounds:
    """How far entries of one head may lie from the certified ones, in units of roundoff and terms."""

    def __init__(self, found: Quantities, mark: str) -> None:
        self.weights, self.values = (_sizes(found.rows(name + mark)) for name in "AV")
        self.terms = len(found.rows("K" + mark)[0]) + len(self.values) + _SLACK
        # Of the scores as they come out of the product only where nothing else is made of them.
        scores = [found.rows(name + mark) for name in found.chain[1:] or ("S",)]
        self.steepness = [1 + max(map(_size, (e for row in rows for e in row))) for rows in zip(*scores, strict=True)]

    def score(self, i: int, j: int) -> Fraction:  # noqa: ARG002 - as the others
        return self.steepness[i]

    def weight(self, i: int, j: int) -> Fraction:
        return self.weights[i][j] * self.steepness[i]

    def output(self, i: int, column: int) -> Fraction:
        return sum((self.weight(i, j) * row[column] for j, row in enumerate(self.values)), Fraction(0))


class LayerBounds:
    """The quantities of a problem's layer against what was recorded with a given unit roundoff."""

    def __init__(self, problem: Problem, unit: Fraction) -> None:
        self.problem = problem
        self.unit = unit
        self.found = Quantities(problem)
        self.marks = [f"^{head}" for head in range(1, problem.heads + 1)] or [""]
        self.heads = [HeadBounds(self.found, mark) for mark in self.marks]
        self.terms = max(head.terms for head in self.heads)

    def worst(self, name: str, recorded: Recorded, where: str = "") -> Worst:
        """The worst entry of the scores, weights or outputs of one head, ``A^2``, or of the whole layer, ``O``."""
        head = self.heads[int(name.partition("^")[2] or 1) - 1]
        size = {"O": self._output, "A": head.weight}.get(base_of(name), head.score)
        return self._compared(self.found.rows(name), recorded, size, where + name)

    def worst_mean(self, recorded: Recorded, where: str = "") -> Worst:
        """The worst entry of the mean of all heads' weights."""
        grids, count = [self.found.rows("A" + mark) for mark in self.marks], len(self.marks)
        mean = [[_mean(entries) for entries in zip(*rows, strict=True)] for rows in zip(*grids, strict=True)]

        def size(i: int, j: int) -> Fraction:
            return sum((head.weight(i, j) for head in self.heads), Fraction(0)) / count

        return self._compared(mean, recorded, size, f"{where}mean of A")

    def _output(self, i: int, column: int) -> Fraction:
        if "W_O" not in self.problem.inputs:
            return self._joined(i, column)
        terms = (self._joined(i, c) * row[column] for c, row in enumerate(self._last_weights))
        return sum(terms, self._last_bias[column])

    @cached_property
    def _last_weights(self) -> list[list[Fraction]]:
        rows = _sizes(self.found.rows("W_O"))
        is_flat = self.problem.kind != "given" and self.problem.convention.product == "X W^T"
        return [list(row) for row in zip(*rows, strict=True)] if is_flat else rows

    @cached_property
    def _last_bias(self) -> list[Fraction]:
        nothing = [Fraction(0)] * len(self._last_weights[0])
        return _sizes(self.found.rows("b_O"))[0] if "b_O" in self.problem.inputs else nothing

    def _joined(self, i: int, column: int) -> Fraction:
        """Of an entry of the heads side by side."""
        for head in self.heads:
            width = len(head.values[0])
            if column < width:
                return head.output(i, column)
            column -= width
        raise IndexError("there is no such column")

    def _compared(self, rows: list[list[Entry]], recorded: Recorded, size: Size, name: str) -> Worst:
        if [len(row) for row in rows] != [len(row) for row in recorded]:
            raise ValueError(f"{name} was recorded with another shape than the certified one")
        worst = Worst()
        for i, (row, own) in enumerate(zip(rows, recorded, strict=True)):
            for j, (low, entry) in enumerate(zip(row, own, strict=True)):
                far = distance(entry, low, self.terms * self.unit * size(i, j))
                worst = worst.or_worse(Worst(far, f"{name}[{i + 1},{j + 1}]"))
        return worst


def _sizes(rows: list[list[Entry]]) -> list[list[Fraction]]:
    return [list(map(_size, row)) for row in rows]


def _mean(entries: Sequence[Entry]) -> Entry:
    numbers = [entry for entry in entries if isinstance(entry, Fraction)]
    return sum(numbers, Fraction(0)) / len(numbers) if len(numbers) == len(entries) else UNDEFINED


def distance(recorded: Fraction | Written | str, low: Entry, allowed: Fraction) -> float:
    """How far a recorded value can lie from the certified one, as a part of what is allowed.

    Where nothing is allowed all terms are zero, and so is the certified value.
    """
    if recorded == LEFT_OUT:
        return 0.0
    if isinstance(recorded, Written):
        return distance(recorded.value, low, allowed + recorded.unit)
    if isinstance(recorded, str) or isinstance(low, str):
        return 0.0 if recorded == low else math.inf
    far = max(abs(recorded - low), abs(recorded - low - _WIDTH))
    if not allowed:
        return 0.0 if recorded == 0 and far <= _WIDTH else math.inf
    return float(far / allowed)
