"""Decimals of whole layers of numbers from enclosed rows, where exact scores are long.

With positions they are sums of products of sines, of which a closed form has hundreds. Of entries with many different
denominators, the digits of a score over the common one grow with the layer.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm

from symattn.exact.linear.integer_matrix import IntegerMatrix, integer_matrix, product
from symattn.exact.linear.matrix import Matrix, round_matrix
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.rows.row_intervals import Line, LineArithmetic, transposed
from symattn.exact.rows.turns import Turn, turns
from symattn.graph.numeric.integer_matrices import EnclosedMatrices, NumericMatrices, products_of_lines
from symattn.graph.numeric.integer_rows import Entries, Texts, numeric_layer
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import SOURCES

_MOST_DIGITS, _FEW = 300, 64
"""Digits from which the table of powers that rows share costs more than the closed forms of so few weights."""


class EnclosedLayer(EnclosedMatrices):
    """Queries, keys, values, scores, weights and outputs of a layer.

    Args:
        problem: what was asked, for which `enclosed_names` names quantities.
        exact: makes a quantity of the layer of closed forms.
    """

    scored = ("Q", "K")
    """The quantities whose product the scores are."""

    def __init__(self, problem: Problem, exact: Callable[[str], Matrix]) -> None:
        super().__init__(exact, columns=False)
        self._problem = problem
        self._mask = None if problem.mask is None else problem.mask.added(problem.n_q, problem.n_k)
        self._known: dict[int, dict[str, list[Line]]] = {}
        n_q, n_k, size = problem.n_q, problem.n_k, problem.head_sizes[0]
        self.shapes = {
            "Q": (n_q, size.d_k),
            "K": (n_k, size.d_k),
            "V": (n_k, size.d_v),
            "S": (n_q, n_k),
            "A": (n_q, n_k),
            "O": (n_q, size.d_v),
        }

    def lines(self, name: str, bits: int) -> tuple[int, list[Line | None]]:
        """Return a quantity of each token in units of 2**-bits; None where it is not enclosed."""
        if bits not in self._known:
            self._known[bits] = dict(self._worked(LineArithmetic(bits), bits))
        made = self._known[bits].get(name)
        return bits, [None] * self.shapes[name][0] if made is None else [*made]

    def _worked(self, arithmetic: LineArithmetic, bits: int) -> Iterator[tuple[str, list[Line]]]:
        made = dict(self._tokens(arithmetic, bits))
        made["S"] = arithmetic.products(*(made[name] for name in self.scored))
        yield from made.items()
        scores: Sequence[Line] = self._steps(arithmetic, made["S"])
        rows: list[list[int | None]] = [list(line.mids) for line in scores]
        if self._mask is not None:
            rows = [
                [None if added is None else m for m, added in zip(row, own, strict=True)]
                for row, own in zip(rows, self._mask, strict=True)
            ]
        weights = arithmetic.softmax(rows, max(line.radius for line in scores))
        if weights is not None:
            yield "A", weights
            yield "O", arithmetic.products(weights, transposed(made["V"]))

    @abstractmethod
    def _tokens(self, arithmetic: LineArithmetic, bits: int) -> Iterator[tuple[str, list[Line]]]:
        """Yield what the scores are made of, and the values, with their names."""

    def _steps(self, arithmetic: LineArithmetic, lines: list[Line]) -> list[Line]:
        """Return the scores that the softmax is taken of, those that are hidden among them."""
        problem = self._problem
        for step in problem.used:
            if step == "scale":
                factor = problem.scale.factor(self.shapes["Q"][1])
                lines = [arithmetic.times_root(line, factor) for line in lines]
            elif step == "bias" and problem.bias is not None:
                lines = _added(arithmetic, lines, problem.bias.rows(problem.n_q, problem.n_k, problem.past, 0))
            elif self._mask is not None:
                lines = _added(arithmetic, lines, self._mask)
        return lines


class PositionMatrices(EnclosedLayer):
    """Quantities of a layer with positions, from sines and cosines between integers."""

    def __init__(self, problem: Problem, exact: Callable[[str], Matrix]) -> None:
        super().__init__(problem, exact)
        if problem.positions is None:
            raise ValueError("tokens without positions have no angles")
        self._positions = problem.positions
        inputs = {name: integer_matrix(matrix) for name, matrix in problem.inputs.items()}
        self._inputs = {name: matrix for name, matrix in inputs.items() if matrix is not None}
        if self._positions.is_added:
            self.shapes = {**self.shapes, **dict.fromkeys(("P", "X_p"), problem.inputs["X"].shape)}
        else:
            self.scored = ("Q_rot", "K_rot")
            self.shapes = {**self.shapes, **{name: self.shapes[name[0]] for name in self.scored}}

    def _texts(self, name: str, rounding: Rounding) -> list[Texts]:
        if self._problem.n_q * self._problem.n_k < _FEW and (rounding.places or rounding.figures or 0) > _MOST_DIGITS:
            return round_matrix(self._exact(name), rounding)
        return super()._texts(name, rounding)

    def _tokens(self, arithmetic: LineArithmetic, bits: int) -> Iterator[tuple[str, list[Line]]]:
        start, keys = self._positions.start, self._positions.start_keys
        if self._positions.is_added:
            angles, pairs = self._turns("P", start, bits), self._pairs("P")
            table = [_waves(turned, pairs) for turned in angles]
            yield "P", table
            tokens = self._inputs["X"]
            made = [
                arithmetic.sum(arithmetic.rational(row, tokens.denominator), line)
                for row, line in zip(tokens.rows, table, strict=True)
            ]
            yield "X_p", made
            for letter in "QKV":
                yield letter, products_of_lines(arithmetic, made, self._inputs[f"W_{letter}"])
            return
        for letter, first in (("Q", start), ("K", start if keys is None else keys), ("V", None)):
            tokens = self._projected(letter)
            yield letter, [arithmetic.rational(row, tokens.denominator) for row in tokens.rows]
            if first is not None:
                name = f"{letter}_rot"
                pairs, each = self._pairs(name), zip(tokens.rows, self._turns(name, first, bits), strict=True)
                yield name, [arithmetic.turned(row, tokens.denominator, turned, pairs) for row, turned in each]

    def _projected(self, letter: str) -> IntegerMatrix:
        """Return queries, keys or values that no angle is in."""
        if self._problem.kind == "given":
            return self._inputs[letter]
        source = dict(zip("QKV", SOURCES[self._problem.kind], strict=True))[letter]
        return product(self._inputs[source], self._inputs[f"W_{letter}"])

    def _pairs(self, name: str) -> list[tuple[int, int]]:
        """Return the places of each pair of entries in the rows of a quantity."""
        length, halves = self.shapes[name][1], self._positions.pairs == "halves"
        return [(k, k + length // 2) if halves else (2 * k, 2 * k + 1) for k in range(length // 2)]

    def _turns(self, name: str, start: int, bits: int) -> list[tuple[Turn, ...]]:
        """Return the turns of the pairs of each token of a quantity."""
        count, length = self.shapes[name]
        columns = [
            turns(self._positions.base, Fraction(2 * pair, length), start, count, bits) for pair in range(length // 2)
        ]
        return list(zip(*columns, strict=True))


class LongRationalMatrices(EnclosedLayer):
    """Quantities of a layer whose entries have many different denominators, each enclosed by itself."""

    def _tokens(self, arithmetic: LineArithmetic, bits: int) -> Iterator[tuple[str, list[Line]]]:
        inputs = {name: _enclosed(matrix, bits) for name, matrix in self._problem.inputs.items()}
        if self._problem.kind == "given":
            yield from inputs.items()
            return
        for source, letter in zip(SOURCES[self._problem.kind], "QKV", strict=True):
            yield letter, arithmetic.products(inputs[source], transposed(inputs[f"W_{letter}"]))

    @cached_property
    def _whole(self) -> NumericMatrices:
        layer = numeric_layer(self._problem)
        if layer is None:
            raise ArithmeticError("a layer of numbers has no integers")
        return NumericMatrices(layer, columns=False, across=False)

    def _line(self, name: str, number: int) -> Entries:
        """Return one row in closed form, from the integers over the common denominator."""
        return self._whole.named(name).line(number)


def enclosed_layer(problem: Problem, exact: Callable[[str], Matrix]) -> EnclosedLayer:
    """Return the rows of a layer for which `enclosed_names` names quantities."""
    return (LongRationalMatrices if problem.positions is None else PositionMatrices)(problem, exact)


def _enclosed(matrix: Matrix, bits: int) -> list[Line]:
    """Return the rows of a matrix of rationals, each entry cut to units of 2**-bits."""
    made = []
    for row in matrix.rows:
        values = [entry.plain_rational() for entry in row]
        made.append(Line([(x.numerator << bits) // x.denominator for x in values if x is not None], 1))
    return made


def _waves(turned: Sequence[Turn], pairs: Sequence[tuple[int, int]]) -> Line:
    """Return the sine and the cosine of the angle of each pair, at its places."""
    mids = [0] * 2 * len(pairs)
    for (i, j), (cosine, sine, _) in zip(pairs, turned, strict=True):
        mids[i], mids[j] = sine, cosine
    return Line(mids, max(error for _, _, error in turned))


def _added(arithmetic: LineArithmetic, lines: list[Line], grid: Sequence[Sequence[Fraction | None]]) -> list[Line]:
    """Return lines plus rational numbers; None adds nothing."""
    made = []
    for line, row in zip(lines, grid, strict=True):
        known = [added or Fraction(0) for added in row]
        below = lcm(*(added.denominator for added in known))
        tops = [added.numerator * (below // added.denominator) for added in known]
        made.append(arithmetic.sum(line, arithmetic.rational(tops, below)))
    return made
