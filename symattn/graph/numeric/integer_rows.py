"""A layer of numbers with one head, row by row: integers in the place of closed forms, so that its size matters little.

The exact scores are integers over one denominator, and the certified rows of the softmax are made of them
(`symattn.exact.rows.certified_rows`). What is made here is what the layer of closed forms has, rounded once at the end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import compress
from math import lcm
from typing import Any, TypeAlias

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.integer_matrix import IntegerMatrix, integer_matrix, product, product_transposed
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.numerals.decimals import Rounding, round_rational, write
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rows import mixed_scores
from symattn.exact.rows.certified_rows import Scores, layer_rows, weight_rows
from symattn.exact.rows.enclosed_rows import Bounds, Enclosure, enclosed_outputs, enclosed_weights
from symattn.exact.rows.integer_scores import AnyScores
from symattn.problem.components.data import group_of
from symattn.problem.model import Problem
from symattn.problem.schema.fields import NETWORK_INPUTS
from symattn.problem.settings.conventions import KINDS, SOURCES
from symattn.records import dataclass

Texts: TypeAlias = list[str]
Entries: TypeAlias = tuple[Quotient, ...]
_Logits: TypeAlias = Sequence[Sequence[Any]]

_WITHIN = {"bias", "mask", "softmax_one", "heads"}
"""What a layer may have beyond a plain one."""

_AROUND = frozenset({"block", "W_O", "b_O", *NETWORK_INPUTS, "gamma_1", "beta_1", "gamma_2", "beta_2"})
"""What may stand after its attention."""

_MAX_SURPLUS = 1000
"""Bits by which the two parts of scores may outweigh each other, all rows of a layer being worked with them."""


@dataclass(frozen=True, slots=True)
class NumericLayer:
    """A worked layer of numbers, tokens in rows whatever the problem's convention is.

    Attributes:
        queries: n_q × d_k.
        keys: n_k × d_k.
        values: n_k × d_v.
        products: the plain scores Q K^T, n_q × n_k.
        logits: what the softmax is taken of; None where a key is hidden.
        seeing: the rows, counted from 0, that see a key; in order.
        plus_one: whether 1 is added to the sum of the exponentials.
        empty: what the weights of a row are that sees no key: undefined, zeros or uniform.
    """

    queries: IntegerMatrix
    keys: IntegerMatrix
    values: IntegerMatrix
    products: IntegerMatrix
    logits: AnyScores
    seeing: tuple[int, ...]
    plus_one: bool
    empty: str

    @property
    def n_q(self) -> int:
        """Number of rows."""
        return len(self.products.rows)

    def weights(self, row: int) -> Entries:
        """Return one row of the weights in closed form, counted from 0."""
        place = bisect_left(self.seeing, row)
        if self.seeing[place : place + 1] != (row,):
            return self._empty_row()
        logits = self.logits.rows[place][self.plus_one :]
        scores = (x if x is None else self.logits.exponent(x) for x in logits)
        entries = Matrix([[MINUS_INFINITY if score is None else Quotient(score) for score in scores]])
        return softmax_rows(entries, plus_one=self.plus_one).rows[0]

    def _empty_row(self) -> Entries:
        count = len(self.values.rows)
        fill = {"undefined": UNDEFINED, "zeros": Quotient(0), "uniform": Quotient(Fraction(1, count))}
        return (fill[self.empty],) * count

    def weight_texts(self, rounding: Rounding, start: int = 0, stop: int | None = None) -> Iterator[Texts]:
        """Yield the rows `start` to `stop` of A alone, correctly rounded."""
        stop, first, last = self._within(start, stop)
        made = weight_rows(self.logits, rounding, first, last)
        seen, empty = frozenset(self.seeing[first:last]), self._empty_texts(rounding, rounding)[0]
        for row in range(start, stop):
            yield next(made)[self.plus_one :] if row in seen else empty

    def texts(self, weights: Rounding, outputs: Rounding, start: int = 0, stop: int | None = None) -> Iterator[Pair]:
        """Yield the rows `start` to `stop` of A and of O, correctly rounded."""
        stop, first, last = self._within(start, stop)
        made = self._seen(weights, outputs, first, last)
        seen, empty = frozenset(self.seeing[first:last]), self._empty_texts(weights, outputs)
        for row in range(start, stop):
            yield next(made) if row in seen else empty

    def weight_bounds(self, bits: int) -> Enclosure:
        """Return bounds of the rows of A, the smallest weight to about `bits` bits; None for rows that see no key."""
        found = enclosed_weights(self.logits, bits)
        return self._with_empty_rows(
            Enclosure(found.bits, (Bounds(row.lows[self.plus_one :], row.width) for row in found.rows if row))
        )

    def output_bounds(self, bits: int) -> Enclosure:
        """Return bounds of the rows of O in units of 2**-bits; None for rows that see no key."""
        return self._with_empty_rows(enclosed_outputs(self.logits, self._extended_values, bits))

    def _with_empty_rows(self, found: Enclosure) -> Enclosure:
        each, seen = iter(found.rows), frozenset(self.seeing)
        return Enclosure(found.bits, (next(each) if row in seen else None for row in range(self.n_q)))

    @property
    def _extended_values(self) -> IntegerMatrix:
        """The values, with a row of zeros for the extra 1."""
        if not self.plus_one:
            return self.values
        return IntegerMatrix([[0] * self.values.shape[1], *map(list, self.values.rows)], self.values.denominator)

    def _within(self, start: int, stop: int | None) -> tuple[int, int, int]:
        """Return the stopping row, and the bounds in `seeing` of the rows before it."""
        stop = self.n_q if stop is None else min(stop, self.n_q)
        return stop, bisect_left(self.seeing, start), bisect_left(self.seeing, stop)

    def _seen(self, weights: Rounding, outputs: Rounding, first: int, last: int) -> Iterator[Pair]:
        """Yield some of the rows that see a key, without the column of the extra 1."""
        values = self.values
        if self.plus_one:
            values = IntegerMatrix([[0] * self.values.shape[1], *map(list, self.values.rows)], values.denominator)
        both = layer_rows(self.logits, values, outputs, first, last)
        if weights == outputs:
            yield from ((a[self.plus_one :], o) for a, o in both)
            return
        other = weight_rows(self.logits, weights, first, last)
        yield from ((a[self.plus_one :], o) for a, (_, o) in zip(other, both, strict=True))

    def _empty_texts(self, weights: Rounding, outputs: Rounding) -> Pair:
        row, width, below = self._empty_row(), self.values.shape[1], self.values.denominator
        if self.empty == "undefined":
            return [str(UNDEFINED)] * len(row), [str(UNDEFINED)] * width
        part = row[0].rational() or Fraction(0)
        sums = [part * Fraction(sum(column), below) for column in zip(*self.values.rows, strict=True)]
        return [_text(part, weights)] * len(row), [_text(total, outputs) for total in sums]


Pair: TypeAlias = tuple[Texts, Texts]
"""A row of A and a row of O, as text."""


def _text(value: Fraction, rounding: Rounding) -> str:
    return write(*round_rational(value, rounding), rounding)


def numeric_layer(problem: Problem) -> NumericLayer | None:
    """Return the layer of a problem without symbols, heads, or extensions but masks and biases; else None.

    None is said, too, where scores are sums of a root and a rational number that far outweigh each other.

    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> layer = numeric_layer(p)
    >>> next(layer.texts(Rounding(places=2), Rounding(places=3)))
    (['0.73', '0.27'], ['1.269'])
    """
    return None if problem.heads else next(iter(numeric_heads(problem)), None)


def numeric_heads(problem: Problem, *, around: bool = False) -> tuple[NumericLayer, ...]:
    """Return the heads of such a problem, each as a layer, the layer itself where it has none; else nothing.

    With `around`, the problem may have an output projection and a block after attention.

    >>> p = Problem.build(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], heads=2, scale="none")
    >>> [next(head.texts(Rounding(places=2), Rounding(places=3))) for head in numeric_heads(p)]
    [(['0.73', '0.27'], ['1.538']), (['0.12', '0.88'], ['3.762'])]
    """
    if not _is_plain(problem, _AROUND if around and _is_enclosed(problem) else frozenset()):
        return ()
    found = []
    for number, (size, given) in enumerate(zip(problem.head_sizes, _tokens_of_heads(problem), strict=False)):
        layer = None if given is None else _layer(problem, given, number + 1 if problem.heads else 0, size.d_k)
        if layer is None:
            return ()
        found.append(layer)
    return tuple(found)


_Tokens: TypeAlias = tuple[IntegerMatrix, IntegerMatrix, IntegerMatrix]


def _layer(problem: Problem, given: _Tokens, head: int, d_k: int) -> NumericLayer | None:
    products = product_transposed(*given[:2])
    made = _Logit(products).worked(problem, head, d_k)
    if made is None:
        return None
    one = problem.softmax_one
    rows = [[made.zero, *row] for row in made.rows] if one else made.rows
    # With the extra 1 there is something to divide by, unless the problem says what such a row is.
    divides = one and problem.fully_masked != "uniform"
    sees = [divides or any(entry is not None for entry in row) for row in made.rows]
    if not any(sees):
        return None
    logits = made.scores(rows if all(sees) else list(compress(rows, sees)))
    if logits is None:
        return None
    seeing = tuple(number for number, does in enumerate(sees) if does)
    return NumericLayer(*given, products, logits, seeing, one, problem.fully_masked)


def has_enclosed_gradients(problem: Problem, layer: NumericLayer) -> bool:
    """Return True if the backward pass of a layer of integers is done by certified intervals.

    It starts from the output of one head, every query of which sees a key, and tokens stand in rows that meet W.
    """
    gradient = problem.gradient
    if gradient is None or problem.heads or problem.softmax_one or problem.block is not None or "W_O" in problem.inputs:
        return False
    starts = gradient.loss == "sum" or (gradient.dO is not None and integer_matrix(gradient.dO) is not None)
    is_usual = (problem.tokens, problem.softmax) == ("rows", "rows") and problem.convention.product in ("", "X W")
    return starts and is_usual and gradient.rounded is None and len(layer.seeing) == layer.n_q


def _is_enclosed(problem: Problem) -> bool:
    """Return True if all after attention is done by certified intervals: norms after sums, and ReLU."""
    block = problem.block
    if any(
        integer_matrix(problem.inputs[name]) is None for name in problem.inputs if name.partition("^")[0] in _AROUND
    ):
        return False
    if block is None:
        return True
    comes_after = block.norm == "none" or block.placement == "post"
    return comes_after and ("W_F1" not in problem.inputs or block.activation == "relu")


def _is_plain(problem: Problem, around: frozenset[str]) -> bool:
    if problem.kind not in KINDS or problem.later or (problem.softmax_one and problem.policy.shift):
        return False
    return set(problem.beyond) <= _WITHIN | around and (problem.heads < 2 or problem.combine == "concat")


def _tokens_of_heads(problem: Problem) -> Iterator[_Tokens | None]:
    """Iterate over queries, keys and values of each head, one token in each row; None where they are not rationals."""
    heads, kv_heads = problem.heads, problem.kv_heads
    if not heads:
        yield _tokens(problem, ("", "", ""))
        return
    whole = None if problem.heads_apart else _tokens(problem, ("", "", ""))
    for head in range(1, heads + 1):
        numbers = head, *[group_of(head, heads, kv_heads)] * 2
        if problem.heads_apart:
            queries, keys, values = (f"^{number}" for number in numbers)
            yield _tokens(problem, (queries, keys, values))
        elif whole is None:
            yield None
        else:
            own = zip(whole, numbers, (heads, kv_heads, kv_heads), strict=True)
            queries_of, keys_of, values_of = (_part(*each) for each in own)
            yield queries_of, keys_of, values_of


def _part(matrix: IntegerMatrix, number: int, count: int) -> IntegerMatrix:
    """Return the columns of one of `count` heads that stand side by side."""
    width = matrix.shape[1] // count
    return IntegerMatrix([row[(number - 1) * width : number * width] for row in matrix.rows], matrix.denominator)


def _tokens(problem: Problem, marks: tuple[str, str, str]) -> _Tokens | None:
    """Return queries, keys and values, one in each row; None where an input is not a matrix of rationals.

    Args:
        problem: what was asked.
        marks: what follows the names of the three in the problem.
    """
    made = []
    transpose = problem.tokens == "columns"
    if problem.kind == "given":
        for letter, mark in zip("QKV", marks, strict=True):
            matrix = problem.inputs[letter + mark]
            made.append(integer_matrix(matrix.T if transpose else matrix))
    else:
        # W x and X W^T meet the rows of W, W^T x and X W its columns.
        meets_rows = problem.convention.product in ("X W^T", "W X")
        for source, letter, mark in zip(SOURCES[problem.kind], "QKV", marks, strict=True):
            matrix = problem.inputs[source]
            tokens = integer_matrix(matrix.T if transpose else matrix)
            weight = integer_matrix(problem.inputs[f"W_{letter}{mark}"])
            if tokens is None or weight is None:
                return None
            made.append(product_transposed(tokens, weight) if meets_rows else product(tokens, weight))
    queries, keys, values = made
    return None if queries is None or keys is None or values is None else (queries, keys, values)


class _Logit:
    """Scores on their way to the softmax: ``rows * sqrt(radicand) / denominator``, None where hidden.

    Where rational numbers are added to multiples of a root, rows have pairs, what the root is times and the number.
    """

    def __init__(self, products: IntegerMatrix) -> None:
        self.rows: _Logits = products.rows
        self.denominator = products.denominator
        self.radicand = 1
        self.is_mixed = False

    @property
    def zero(self) -> Any:
        """A score of 0."""
        return (0, 0) if self.is_mixed else 0

    def scores(self, rows: _Logits) -> AnyScores | None:
        """Return some of the rows, None where the two parts of a score outweigh each other by too much."""
        if not self.is_mixed:
            return Scores(rows, self.denominator, self.radicand)
        mixed = mixed_scores.MixedScores(rows, self.denominator, self.radicand)
        return mixed if mixed.surplus_bits(rows) <= _MAX_SURPLUS else None

    def worked(self, problem: Problem, head: int, d_k: int) -> _Logit | None:
        """Apply all operations on the scores in the problem's order; return None if one leaves the integers."""
        n_q, n_k, bias, mask = problem.n_q, problem.n_k, problem.bias, problem.mask
        for step in problem.used:
            if step == "scale" and not self._scale(problem.scale.factor(d_k)):
                return None
            if step == "bias" and bias is not None and not self._add(bias.rows(n_q, n_k, problem.past, head)):
                return None
            if step == "mask" and mask is not None and not self._add(mask.added(n_q, n_k, head)):
                return None
        return self

    def _scale(self, factor: Polynomial) -> bool:
        if not factor:
            self.rows, self.is_mixed = [[x if x is None else 0 for x in row] for row in self.rows], False
            return True
        ((radicand, powers), number), *others = factor.terms
        if self.is_mixed or powers or others or (radicand != 1 and self.radicand != 1):
            return False
        above = number.numerator
        if above != 1:
            self.rows = [[x if x is None else x * above for x in row] for row in self.rows]
        self.denominator *= number.denominator
        self.radicand *= radicand
        return True

    def _add(self, grid: Sequence[Sequence[Fraction | None]]) -> bool:
        """Add numbers; to irrational scores so that both parts are kept."""
        below = lcm(self.denominator, *(x.denominator for row in grid for x in row if x is not None))
        above = below // self.denominator
        if self.radicand != 1 and (self.is_mixed or any(x for row in grid for x in row)):
            self._mix(grid, above, below)
            return True
        self.rows = [
            [
                None if x is None or y is None else x * above + y.numerator * (below // y.denominator)
                for x, y in zip(row, added, strict=True)
            ]
            for row, added in zip(self.rows, grid, strict=True)
        ]
        self.denominator = below
        return True

    def _mix(self, grid: Sequence[Sequence[Fraction | None]], above: int, below: int) -> None:
        """Add numbers to multiples of a root."""
        if not self.is_mixed:
            self.rows = [[x if x is None else (x, 0) for x in row] for row in self.rows]
        self.is_mixed, self.denominator = True, below
        self.rows = [
            [
                None if x is None or y is None else (x[0] * above, x[1] * above + _times(y, below))
                for x, y in zip(row, added, strict=True)
            ]
            for row, added in zip(self.rows, grid, strict=True)
        ]


def _times(number: Fraction, below: int) -> int:
    """Return a number times a multiple of its denominator."""
    return number.numerator * (below // number.denominator)
