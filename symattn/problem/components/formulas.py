"""Definitions of a sheet's own quantities: formulas over named matrices, their text and their shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from symattn.errors import InputError, ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed, is_of, make, scale, transpose
from symattn.operations.formulas.formula import softmax as softmax_of
from symattn.operations.operation import MisfitError
from symattn.operations.table import TABLE
from symattn.problem.schema.fields import MAX_ENTRIES
from symattn.problem.settings.conventions import Shape
from symattn.problem.text.spelling import unknown

Axis: TypeAlias = Literal["rows", "columns", "all"]
"""What sums to one, or is summed: each row, each column, or the whole matrix."""

Lines: TypeAlias = Literal["rows", "columns"]
"""What a part is taken of, and what matrices that are joined have more of."""

AXES: tuple[Axis, ...] = get_args(Axis)

EMPTY = ("zeros", "uniform")
"""The weights of a line in which every score is hidden, where a sheet says them."""

LINES: tuple[Lines, ...] = get_args(Lines)

_SHOWN = 40


# Formulas of a sheet --------------------------------------------------------------------------------


def times(left: Formula, right: Formula) -> Formula:
    """Return the product of two matrices.

    >>> text_of(times(Ref("X"), Transposed(Ref("X"))))
    'X X^T'
    """
    return make("product", left, right)


def scaled(factor: Quotient, of: Formula) -> Formula:
    """Return a matrix times a number.

    >>> text_of(scaled(Quotient.of(2), Ref("S")))
    '(2) S'
    """
    return scale(factor, of)


def exponential(of: Formula) -> Formula:
    """Return the exponential of each entry."""
    return make("exponential", of)


def softmax(of: Formula, axis: Axis = "rows", *, extra: bool = False, empty: str = "") -> Formula:
    """Return the softmax of each row, of each column, or of all entries; with `extra`, 1 more is below the bar.

    A line in which every score is minus infinity has the weights that `empty` says, ``"zeros"`` or ``"uniform"``.

    Raises:
        InputError: the axis does not exist, or `empty` is said where no line can be without weights.

    >>> text_of(softmax(Ref("S"))), text_of(softmax(Ref("S"), "all")), text_of(softmax(Ref("S"), extra=True))
    ('softmax(S)', 'softmax(S, all)', 'softmax1(S)')
    >>> text_of(softmax(Ref("S"), "columns", empty="zeros"))
    'softmax(S, columns, zeros)'
    """
    _check_axis(axis, AXES)
    if not empty:
        return softmax_of(of, axis, more=extra)
    if extra or axis == "all":
        what = "softmax1 has 1 in every sum" if extra else "all entries together have one sum"
        raise InputError(f"{what}, so no line is without weights; leave {empty} out.")
    above = exponential(of)
    return make("masked-quotient", above, make("line-sum", above, axis=axis), of, axis=axis, empty=empty)


def line_sum(of: Formula, axis: Lines = "rows") -> Formula:
    """Return the sum of each row, a matrix of one column; or of each column, a matrix of one row.

    Raises:
        InputError: the axis does not exist.

    >>> text_of(line_sum(Ref("E"))), text_of(line_sum(Ref("E"), "columns"))
    ('rowsum(E)', 'colsum(E)')
    """
    _check_axis(axis, LINES)
    return make("line-sum", of, axis="rows") if axis == "rows" else make("total-line", of, axis="rows")


def ratio(above: Formula, below: Formula, axis: Axis = "rows") -> Formula:
    """Return each entry over the number of its row (n × 1), of its column (1 × n), or over one number (1 × 1).

    >>> text_of(ratio(Ref("E"), Ref("Z"))), text_of(ratio(Ref("E"), Ref("Z"), "columns"))
    ('E / Z', 'E / Z')
    """
    if axis == "all":
        return make("entrywise-quotient", above, below)
    return make("quotient", above, Transposed(below) if axis == "columns" else below, axis=axis)


def plus(left: Formula, right: Formula) -> Formula:
    """Return the sum entry by entry. A row, a column or a number stands for as many as are wanted.

    >>> text_of(plus(Ref("S"), Ref("B")))
    'S + B'
    """
    return make("sum", left, right)


def minus(left: Formula, right: Formula) -> Formula:
    """Return the difference entry by entry, likewise."""
    return make("difference", left, right)


def each_times(left: Formula, right: Formula) -> Formula:
    """Return the product entry by entry, likewise.

    >>> text_of(each_times(Ref("A"), Ref("D")))
    'A .* D'
    """
    return make("entrywise", left, right)


def masked(of: Formula, by: Formula, *, hides: bool = False) -> Formula:
    """Return scores, minus infinity where a key is hidden; `by` has 1 for seen, or with `hides` 1 for hidden, else 0.

    >>> text_of(masked(Ref("S"), Ref("keep"))), text_of(masked(Ref("S"), Ref("drop"), hides=True))
    ('mask(S, keep)', 'hide(S, drop)')
    """
    return make("mask-where", of, by, one="hidden" if hides else "seen")


def part(of: Formula, axis: Lines, start: int, stop: int) -> Formula:
    """Return some neighbouring columns, or rows; `start` and `stop` are counted from 1 and both belong to it.

    >>> text_of(part(Ref("P"), "columns", 1, 2)), text_of(part(Ref("P"), "rows", 3, 3))
    ('P[:, 1:2]', 'P[3:3, :]')
    """
    return make("part", of, axis=axis, start=str(start), stop=str(stop))


def joined(parts: Sequence[Formula], axis: Lines) -> Formula:
    """Return matrices put together: side by side (``"columns"``), or one below the other (``"rows"``).

    Raises:
        InputError: there are none.

    >>> text_of(joined((Ref("H1"), Ref("H2")), "columns")), text_of(joined((Ref("H1"), Ref("H2")), "rows"))
    ('[H1, H2]', '[H1; H2]')
    """
    if not parts:
        raise InputError("[] is empty; write the matrices that it joins, as in [H1, H2].")
    return make("join", *parts, axis=axis)


def _check_axis(axis: str, known: tuple[str, ...]) -> None:
    if axis not in known:
        raise InputError(f'An axis is one of {", ".join(known)}, not "{axis}".')


# Texts ----------------------------------------------------------------------------------------------


def text_of(formula: Formula) -> str:
    """Return a formula as a sheet writes it.

    Raises:
        InputError: no sheet writes it.

    >>> from symattn.exact.linear.matrix import Matrix
    >>> text_of(Constant(Matrix([[1, 2], [3, 4]]))), text_of(times(plus(Ref("X"), Ref("P")), Ref("W")))
    ('[1, 2; 3, 4]', '(X + P) W')
    """
    match formula:
        case Ref(name):
            return name
        case Transposed(of):
            return f"{_factor(of)}^T"
        case Constant(values):
            rows = "; ".join(", ".join(map(str, row)) for row in values.rows)
            return f"({rows})" if values.shape == (1, 1) else f"[{rows}]"
        case Apply("sum" | "difference" as operation, _, (left, right)):
            first = text_of(left) if is_of(left, "sum", "difference") else _factor(left)
            return f"{first} {'+' if operation == 'sum' else '-'} {_factor(right)}"
        case Apply("product" | "entrywise" as operation, _, (left, right)):
            first = text_of(left) if is_of(left, operation) else _factor(left)
            return f"{first} {_factor(right)}" if operation == "product" else f"{first} .* {_factor(right)}"
        case Apply("quotient" | "entrywise-quotient"):
            above, below = of_ratio(formula)
            return f"{_factor(above)} / {_factor(below)}"
        case Apply("scale", _, (Constant(values), of)):
            return f"({values[0, 0]}) {_factor(of)}"
        case Apply("part", lines, (of,)):
            chosen = f"{lines.start}:{lines.stop}"
            return f"{_factor(of)}[{f':, {chosen}' if lines.axis == 'columns' else f'{chosen}, :'}]"
        case Apply("masked-quotient", filled, (_, _, of)):
            return f"softmax({', '.join((text_of(of), *_unless_rows(filled.axis), filled.empty))})"
        case Apply("join", along, parts):
            return f"[{(', ' if along.axis == 'columns' else '; ').join(map(text_of, parts))}]"
        case Apply(_, _, operands):
            name, *options = _call(formula)
            return f"{name}({', '.join((*map(text_of, operands), *options))})"
    raise InputError(f"A definition is a formula over matrices, not a {type(formula).__name__}.")


def _call(formula: Apply) -> tuple[str, ...]:
    """The function that a sheet writes for an operation, with its further arguments."""
    match formula:
        case Apply("exponential"):
            return ("exp",)
        case Apply("line-sum"):
            return ("rowsum",)
        case Apply("total-line"):
            return ("colsum",)
        case Apply("mask-where", meaning):
            return ("mask" if meaning.one == "seen" else "hide",)
        case Apply("softmax", along):
            return ("softmax", *_unless_rows(along.axis))
        case Apply("softmax-over", together):
            return ("softmax1" if together.more else "softmax", *_unless_rows(together.over))
    raise InputError(f"No sheet writes {formula.operation} in a definition.")


def _unless_rows(axis: Axis) -> tuple[str, ...]:
    return () if axis == "rows" else (axis,)


def of_ratio(formula: Apply) -> tuple[Formula, Formula]:
    """Return what a quotient divides, and by what, as the sheet writes them."""
    above, below = formula.operands
    is_turned = is_of(formula, "quotient") and formula.params.axis == "columns"
    return above, below.of if is_turned and isinstance(below, Transposed) else below


_OPEN = ("sum", "difference", "product", "entrywise", "quotient", "entrywise-quotient", "scale")
"""Operations whose texts fall apart as factors."""


def _factor(formula: Formula) -> str:
    """Return the text of a formula as a factor: in brackets where it would fall apart without them."""
    return f"({text_of(formula)})" if is_of(formula, *_OPEN) else text_of(formula)


# Shapes ---------------------------------------------------------------------------------------------


def shape_of(formula: Formula, shapes: Mapping[str, Shape]) -> Shape:
    """Return the shape that a formula has when its names have these.

    Raises:
        ShapeError: Naming the two matrices that do not fit, and both shapes.
        InputError: A name without a shape, or no formula.

    >>> shape_of(times(Ref("X"), Ref("W")), {"X": (3, 4), "W": (4, 2)})
    (3, 2)
    """
    match formula:
        case Ref(name):
            if name not in shapes:
                raise InputError(unknown("name", name, shapes))
            return shapes[name]
        case Transposed(of):
            return shape_of(of, shapes)[::-1]
        case Constant(values):
            return values.shape
        case Apply(operation, params, operands):
            found: list[Shape] = []
            for operand in operands:  # one frame a level: products nest deeply
                found.append(shape_of(operand, shapes))  # noqa: PERF401
            try:
                made = TABLE[operation].shape(params, found)
            except MisfitError as error:
                raise ShapeError(_misfit(formula, found)) from error
            if made[0] * made[1] > MAX_ENTRIES:
                raise ShapeError(_too_large(formula, found))
            return made
    raise InputError(f"A definition is a formula over matrices, not a {type(formula).__name__}.")


def _too_large(formula: Apply, shapes: list[Shape]) -> str:
    if is_of(formula, "product"):
        both = _both(formula.operands, shapes)
        return f"{both}: their product has more than {MAX_ENTRIES:,} entries; make them smaller."
    return f"{_short(formula)} has more than {MAX_ENTRIES:,} entries; make it smaller."


def _misfit(formula: Apply, shapes: list[Shape]) -> str:
    """The reason why operands do not fit, in the sheet's own names."""
    match formula:
        case Apply("product", _, (left, right)):
            return (
                f"{_both((left, right), shapes)}: {_short(formula)} does not conform; {_remedy(left, right, *shapes)}"
            )
        case Apply("quotient" | "entrywise-quotient"):
            (rows, columns), pair = shapes[0], of_ratio(formula)
            below = shapes[1] if pair[1] is formula.operands[1] else shapes[1][::-1]
            return (
                f"{_both(pair, [shapes[0], below])}: each entry is divided by the number of its row or column, so "
                f"{_short(pair[1])} must be {rows}×1, 1×{columns} or 1×1."
            )
        case Apply("mask-where", _, operands):
            rows, columns = shapes[0]
            return (
                f"{_both(operands, shapes)}: a mask has the shape of the scores, {rows}×{columns}, or is "
                f"one row for all, 1×{columns}."
            )
        case Apply("part", lines, (of,)):
            rows, columns = shapes[0]
            size = columns if lines.axis == "columns" else rows
            return (
                f"{_short(of)} is {rows}×{columns} and has no {lines.axis} {lines.start} to {lines.stop}: they are "
                f"counted from 1 to {size}, and the last one belongs to the part."
            )
        case Apply("join", along, parts):
            across = along.axis == "columns"
            k = next(k for k, shape in enumerate(shapes) if shape[not across] != shapes[0][not across])
            words = ("side by side", "rows") if across else ("one below the other", "columns")
            both = _both((parts[0], parts[k]), [shapes[0], shapes[k]])
            return f"{both}: matrices {words[0]} have as many {words[1]}."
    words_of = {"sum": "are added", "difference": "are subtracted", "entrywise": "are multiplied entry by entry"}
    return (
        f"{_both(formula.operands, shapes)}: matrices that {words_of[formula.operation]} have one shape, or one of "
        "them is a row, a column or a number of the other."
    )


def _remedy(left: Formula, right: Formula, a: Shape, b: Shape) -> str:
    if a[1] == b[1]:
        return f"is {_short(transpose(right))} meant?"
    if a[0] == b[0]:
        return f"is {_short(transpose(left))} meant?"
    return f"give {_short(right)} as many rows as {_short(left)} has columns."


def ratio_axis(top: Shape, bottom: Shape) -> Axis:
    """Return the axis of a quotient of two shapes: a divisor for each row, for each column, or one for all.

    Shapes that do not fit give ``"rows"``, and `shape_of` refuses them.

    >>> ratio_axis((2, 3), (2, 1)), ratio_axis((2, 3), (1, 3)), ratio_axis((2, 3), (1, 1))
    ('rows', 'columns', 'all')
    """
    if bottom == (top[0], 1):
        return "rows"
    if bottom == (1, top[1]):
        return "columns"
    return "all" if bottom == (1, 1) else "rows"


def _both(formulas: Sequence[Formula], shapes: Sequence[Shape]) -> str:
    return " and ".join(
        f"{_short(formula)} is {rows}×{columns}" for formula, (rows, columns) in zip(formulas, shapes, strict=True)
    )


def _short(formula: Formula) -> str:
    text = text_of(formula)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
