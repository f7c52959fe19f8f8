"""TRUSTED. The softmax worked block by block: running maximum, running sum, running output.

With the scores of a line in blocks, and m, l, o after the blocks before::

    m' = max(m, scores of the block)      l' = l e^{m - m'} + Σ e^{s - m'}      o' = o e^{m - m'} + Σ e^{s - m'} v

After the last block, o/l is the output. Source: Milakov and Gimelshein 2018, algorithm 3; Dao et al. 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from symattn.operations.operation import (
    AXIS,
    COUNT,
    Arguments,
    Axis,
    Family,
    MisfitError,
    Operation,
    Shape,
    Shapes,
    at,
    count_lines,
    family,
    line_of,
    place_of,
    read_axis,
    require_shape,
    width,
)
from symattn.operations.scalar import Add, Call, Index, Leaf, Max, Require, Scalar
from symattn.records import dataclass

_SOURCE = "Milakov and Gimelshein 2018, algorithm 3"
_NESTED = "A score holds exponentials of a free symbol, and the softmax block by block takes none: give it a value."


@dataclass(frozen=True, slots=True)
class Block:
    """The direction of the scores of a query, and the keys of a block, counted from 1."""

    options: ClassVar[Mapping[str, str]] = {"axis": AXIS, "start": COUNT, "stop": COUNT}

    axis: Axis
    start: int
    stop: int

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the block that arguments state."""
        return cls(read_axis(arguments), int(arguments["start"]), int(arguments["stop"]))

    @property
    def keys(self) -> range:
        """The keys, counted from 0."""
        return range(self.start - 1, self.stop)


@dataclass(frozen=True, slots=True)
class OutputBlock:
    """The same with the direction of the values of a key."""

    options: ClassVar[Mapping[str, str]] = {"axis": AXIS, "side": AXIS, "start": COUNT, "stop": COUNT}

    block: Block
    side: Axis

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the block that arguments state."""
        return cls(Block.read(arguments), read_axis(arguments, "side"))


def _weight(score: Scalar, largest: Scalar) -> Scalar:
    """``e^{s - m}``."""
    return Call("exp", Require("exponent", score - largest, _NESTED))


def maximum_shape(p: Block, shapes: Shapes) -> Shape:
    """Return the shape of one number for each query.

    Raises:
        MisfitError: there are fewer keys, or the maxima before do not fit.
    """
    count = width(p.axis, shapes[0])
    if not 1 <= p.start <= p.stop <= count:
        raise MisfitError((0,), f"There are no keys {p.start} to {p.stop}; there are {count}.")
    shape = count_lines(p.axis, shapes[0]), 1
    for operand in range(1, len(shapes)):
        require_shape(shapes, operand, shape)
    return shape


def running_maximum(p: Block, shapes: Shapes, i: Index, _j: Index) -> Scalar:
    """Return ``max(m, s_k, ...)`` over the keys of a block."""
    before = tuple(Leaf(operand, i, 0) for operand in range(1, len(shapes)))
    scores = (*before, *(at(0, p.axis, i, k) for k in p.keys))
    message = "A block of keys is hidden whole before any is seen, so there is no largest score yet."
    return Require("seen", Max(scores) if len(scores) > 1 else scores[0], message)


def sum_shape(p: Block, shapes: Shapes) -> Shape:
    """Return the shape of one number for each query, of scores, maxima, and the sums and maxima before.

    Raises:
        MisfitError: the operands do not fit.
    """
    if len(shapes) not in {2, 4}:
        raise MisfitError((), "A sum and a maximum stand for the blocks before, or neither.")
    return maximum_shape(p, shapes)


def running_sum(p: Block, shapes: Shapes, i: Index, _j: Index) -> Scalar:
    """Return ``l e^{m - m'} + Σ e^{s_k - m'}`` over the keys of a block."""
    largest = Leaf(1, i, 0)
    before = (Leaf(2, i, 0) * _weight(Leaf(3, i, 0), largest),) if len(shapes) > 2 else ()
    return Add((*before, *(_weight(at(0, p.axis, i, k), largest) for k in p.keys)))


def output_shape(p: OutputBlock, shapes: Shapes) -> Shape:
    """Return the shape of one line for each query, of scores, values, maxima, and the outputs and maxima before.

    Raises:
        MisfitError: the operands do not fit.
    """
    if len(shapes) not in {3, 5}:
        raise MisfitError((), "An output and a maximum stand for the blocks before, or neither.")
    queries, _ = maximum_shape(p.block, (shapes[0], shapes[2], *shapes[4:]))
    if count_lines(p.side, shapes[1]) != width(p.block.axis, shapes[0]):
        raise MisfitError((0, 1), "Each key has one line of values.")
    length = width(p.side, shapes[1])
    shape = (queries, length) if p.side == "rows" else (length, queries)
    if len(shapes) > 3:
        require_shape(shapes, 3, shape)
    return shape


def running_output(p: OutputBlock, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``o e^{m - m'} + Σ e^{s_k - m'} v_k`` over the keys of a block."""
    query, place = line_of(p.side, i, j), place_of(p.side, i, j)
    largest = Leaf(2, query, 0)
    before = (Leaf(3, i, j) * _weight(Leaf(4, query, 0), largest),) if len(shapes) > 3 else ()
    weights = (_weight(at(0, p.block.axis, query, k), largest) for k in p.block.keys)
    values = (at(1, p.side, k, place) for k in p.block.keys)
    return Add((*before, *(weight * value for weight, value in zip(weights, values, strict=True))))


OPERATIONS: Family = family(
    Operation(
        "running-maximum",
        "the largest score so far",
        _SOURCE,
        Block,
        (1, 2),
        maximum_shape,
        running_maximum,
        rounds=False,
        numerals="none",
    ),
    Operation(
        "running-sum",
        "l e^(m - m') plus the exponentials of the block",
        _SOURCE,
        Block,
        (2, 4),
        sum_shape,
        running_sum,
        rounds=False,
        numerals="none",
    ),
    Operation(
        "running-output",
        "o e^(m - m') plus the values of the block, each times its exponential",
        _SOURCE,
        OutputBlock,
        (3, 5),
        output_shape,
        running_output,
        rounds=False,
        numerals="none",
    ),
)
