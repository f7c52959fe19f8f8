"""TRUSTED. Operations entry by entry, parts and unions of quantities, and sums over lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from symattn.notation.tree import nodes as t
from symattn.operations.operation import (
    AXIS,
    COUNT,
    EVERY,
    FIRST,
    Along,
    Applied,
    Arguments,
    Axis,
    Cotangent,
    Family,
    Forms,
    MisfitError,
    Names,
    Nothing,
    Operation,
    Shape,
    Shapes,
    Tape,
    at,
    count_lines,
    entrywise_shape,
    family,
    line_of,
    mean_forms,
    number,
    number_per_line,
    pass_on,
    place_of,
    read_axis,
    require_shape,
    spread,
    spread_shape,
    whole_sum,
    width,
)
from symattn.operations.scalar import Add, Div, Index, Leaf, Num, Scalar, Total
from symattn.records import dataclass

_CHAIN = "chain rule"
_HEADS = "Vaswani et al. 2017, section 3.2.2"


# Entry by entry -------------------------------------------------------------------------------------


def sum_of(_p: Nothing, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``a_ij + b_ij``."""
    return spread(0, shapes, i, j) + spread(1, shapes, i, j)


def difference(_p: Nothing, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``a_ij - b_ij``."""
    return spread(0, shapes, i, j) - spread(1, shapes, i, j)


def entrywise(_p: Nothing, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``a_ij b_ij``."""
    return spread(0, shapes, i, j) * spread(1, shapes, i, j)


def entrywise_back(_p: Nothing, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add ``G`` times the other factor, entry by entry, at each factor.

    Raises:
        ValueError: one factor is repeated over the rows or the columns of the other.
    """
    left, right = node.operands
    if left.shape != right.shape:
        raise ValueError(f"{node.name} repeats a factor")
    tape.add(left, "entrywise", g.whole, right.name)
    tape.add(right, "entrywise", g.whole, left.name)


def entrywise_quotient(_p: Nothing, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``a_ij/b_ij``."""
    return spread(0, shapes, i, j) / spread(1, shapes, i, j)


def whole_difference(_: Nothing, names: Names) -> Forms:
    """Return ``A - B``."""
    return (t.Sum((names.whole(0), names.whole(1)), ("-",)),)


def mean_of(total: Scalar, count: int) -> Scalar:
    """Return a sum over the number of its terms."""
    return total if count == 1 else Div(total, Num(count))


def mean(_p: Nothing, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return the sum of the entries of all operands over their number."""
    return mean_of(Add(tuple(Leaf(operand, i, j) for operand in range(len(shapes)))), len(shapes))


def whole_mean(_: Nothing, names: Names) -> Forms:
    """Return ``(A + B)/2`` and ``(1/2)(A + B)``."""
    count = len(names.shapes)
    total = t.added([names.whole(operand) for operand in range(count)])
    return mean_forms(total, count) if count > 1 else (total,)


def mean_back(_p: Nothing, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add an equal share of ``G`` at each operand."""
    for operand in node.operands:
        tape.add(operand, "share", g.whole, count=len(node.operands))


def scale_shape(_p: Nothing, shapes: Shapes) -> Shape:
    """Return the shape of an operand that a number multiplies.

    Raises:
        MisfitError: the first operand is not a number.
    """
    require_shape(shapes, 0, (1, 1))
    return shapes[1]


def scale(_p: Nothing, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``c x_ij``."""
    return Leaf(0, 0, 0) * Leaf(1, i, j)


def scale_back(_p: Nothing, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Pass on ``c G``."""
    factor, operand = node.operands
    tape.pass_on(operand, Cotangent(g.whole, factor.name))


def whole_multiple(_: Nothing, names: Names) -> Forms:
    """Return ``c X``."""
    return (t.multiplied([names.whole(0), names.whole(1)], ""),)


@dataclass(frozen=True, slots=True)
class Count:
    """The number that an operation divides by."""

    options: ClassVar[Mapping[str, str]] = {"count": COUNT}

    count: int

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the count that arguments state."""
        return cls(int(arguments["count"]))


def share(p: Count, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``x_ij/n``."""
    return Div(Leaf(0, i, j), Num(p.count))


def whole_share(p: Count, names: Names) -> Forms:
    """Return ``X/n``."""
    return (t.Division(names.whole(0), t.Number(str(p.count))),)


# Parts ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines that stand side by side, counted from 1."""

    options: ClassVar[Mapping[str, str]] = {"axis": AXIS, "start": COUNT, "stop": COUNT}

    axis: Axis
    start: int
    stop: int

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the lines that arguments state."""
        return cls(read_axis(arguments), int(arguments["start"]), int(arguments["stop"]))


def part_shape(p: Lines, shapes: Shapes) -> Shape:
    """Return the shape of some lines.

    Raises:
        MisfitError: the operand does not have these lines.
    """
    count = count_lines(p.axis, shapes[0])
    if not 1 <= p.start <= p.stop <= count:
        raise MisfitError((0,), f"There are no {p.axis} {p.start} to {p.stop}; there are {count}.")
    length = p.stop - p.start + 1
    return (length, shapes[0][1]) if p.axis == "rows" else (shapes[0][0], length)


def part(p: Lines, _shapes: Shapes, i: Index, j: Index) -> Leaf:
    """Return ``x_{i + start, j}``, or the like of columns."""
    return Leaf(0, _moved(i, p), j) if p.axis == "rows" else Leaf(0, i, _moved(j, p))


def _moved(index: Index, p: Lines) -> Index:
    """An index of a part as one of the whole; it may run where the part begins with the whole."""
    return index if p.start == 1 else number(index) + p.start - 1


def whole_part(p: Lines, names: Names) -> Forms:
    """Return the entries of a part, by the names that they have in the whole."""
    height, length = part_shape(p, names.shapes)
    entries = ((part(p, names.shapes, i, j) for j in range(length)) for i in range(height))
    return (t.Matrix(tuple(tuple(names.entry(0, entry.row, entry.column) for entry in row) for row in entries)),)


def part_back(p: Lines, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add ``G`` at the lines that were taken: the parts of a quantity are put together in their order."""
    tape.add(node.operands[0], "join", g.whole, axis=p.axis)


def join_shape(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of quantities put together.

    Raises:
        MisfitError: their other sides differ.
    """
    if len({width(p.axis, shape) for shape in shapes}) > 1:
        raise MisfitError((), "Quantities of different sizes cannot be joined: their other sides must be alike.")
    total, length = sum(count_lines(p.axis, shape) for shape in shapes), width(p.axis, shapes[0])
    return (total, length) if p.axis == "rows" else (length, total)


def join(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return the entry at its place in the operand that holds its line."""
    line, place, operand = number(line_of(p.axis, i, j)), place_of(p.axis, i, j), 0
    while line >= (count := count_lines(p.axis, shapes[operand])):
        line, operand = line - count, operand + 1
    return at(operand, p.axis, line, place)


def join_back(p: Along, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add the lines of ``G`` that each operand has."""
    stop = 0
    for operand in node.operands:
        start, stop = stop + 1, stop + count_lines(p.axis, operand.shape)
        tape.add(operand, "part", g.whole, axis=p.axis, start=start, stop=stop)


def whole_join(p: Along, names: Names) -> Forms:
    """Return ``[A, B]`` or one above the other, and ``Concat(A, B)``."""
    symbols = tuple(names.whole(operand) for operand in range(len(names.shapes)))
    if len(symbols) == 1:
        return symbols
    blocks: t.Node = t.Vector(symbols, "[") if p.axis == "columns" else t.Matrix(tuple((symbol,) for symbol in symbols))
    return (blocks, *(t.Call(t.Name(name, "roman"), symbols) for name in ("Concat", "concat")))


# Sums over lines ------------------------------------------------------------------------------------


def across_shape(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of one row, or one column, for all lines, the operands having one shape."""
    length = width(p.axis, entrywise_shape(p, shapes))
    return (1, length) if p.axis == "rows" else (length, 1)


def total_line(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return the sum over all lines at a place."""
    place = j if p.axis == "rows" else i
    return Total(count_lines(p.axis, shapes[0]), lambda k: at(0, p.axis, k, place), "common")


def total_dot(p: Along, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return the sum of ``a b`` over all lines at a place."""
    place = j if p.axis == "rows" else i
    return Total(count_lines(p.axis, shapes[0]), lambda k: at(0, p.axis, k, place) * at(1, p.axis, k, place), "common")


def line_dot(p: Along, shapes: Shapes, i: Index, _: Index) -> Total:
    """Return ``Σ_k a_k b_k`` of a line."""
    return Total(width(p.axis, shapes[0]), lambda k: at(0, p.axis, i, k) * at(1, p.axis, i, k), "common")


OPERATIONS: Family = family(
    Operation(
        "sum",
        "entry by entry",
        "matrix sum",
        Nothing,
        (2, 2),
        spread_shape,
        sum_of,
        follows=FIRST,
        vjp=pass_on,
        whole=whole_sum,
        matrices="shown",
        numerals="names",
    ),
    Operation(
        "difference",
        "entry by entry",
        "matrix difference",
        Nothing,
        (2, 2),
        spread_shape,
        difference,
        follows=EVERY,
        whole=whole_difference,
    ),
    Operation(
        "entrywise-quotient",
        "each entry over the entry at its place; undefined where that is 0",
        "definition of the sheet",
        Nothing,
        (2, 2),
        spread_shape,
        entrywise_quotient,
        follows=EVERY,
    ),
    Operation(
        "entrywise",
        "the products of the entries of two matrices, each where it stands",
        _CHAIN,
        Nothing,
        (2, 2),
        spread_shape,
        entrywise,
        vjp=entrywise_back,
        numerals="scalars",
    ),
    Operation(
        "mean",
        "the mean, entry by entry",
        "mean",
        Nothing,
        (1, None),
        entrywise_shape,
        mean,
        vjp=mean_back,
        whole=whole_mean,
        numerals="names",
    ),
    Operation(
        "scale",
        "each entry times one factor",
        "Vaswani et al. 2017, eq. 1",
        Nothing,
        (2, 2),
        scale_shape,
        scale,
        follows=EVERY,
        vjp=scale_back,
        whole=whole_multiple,
        matrices="shown",
        numerals="values",
    ),
    Operation(
        "share",
        "each entry over a count",
        _CHAIN,
        Count,
        (1, 1),
        entrywise_shape,
        share,
        follows=EVERY,
        whole=whole_share,
    ),
    Operation(
        "part",
        "some columns, or rows, side by side",
        _HEADS,
        Lines,
        (1, 1),
        part_shape,
        part,
        rounds=False,
        vjp=part_back,
        whole=whole_part,
        numerals="names",
    ),
    Operation(
        "join",
        "put together side by side, or one below the other",
        _HEADS,
        Along,
        (1, None),
        join_shape,
        join,
        rounds=False,
        vjp=join_back,
        whole=whole_join,
        numerals="names",
    ),
    Operation(
        "total-line",
        "all rows, or all columns, added up",
        _CHAIN,
        Along,
        (1, 1),
        across_shape,
        total_line,
        follows=EVERY,
    ),
    Operation(
        "total-dot",
        "the products of two entries, all rows, or all columns, added up",
        _CHAIN,
        Along,
        (2, 2),
        across_shape,
        total_dot,
        numerals="scalars",
    ),
    Operation(
        "line-dot",
        "for each line the sum of A_ij G_ij",
        "chain rule with the Jacobian of the softmax, diag(a) - a a^T",
        Along,
        (2, 2),
        number_per_line,
        line_dot,
        follows=EVERY,
    ),
)
