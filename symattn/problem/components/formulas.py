"""Formulas over named matrices as plain data: the definitions of a sheet's own quantities.

A formula says which matrices it takes and what it does with them. It holds no values, so that the same
formula serves for exact values, for rounded ones and for those that somebody carried on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias, cast, get_args

from symattn.errors import InputError, ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.problem.schema.fields import MAX_ENTRIES
from symattn.problem.settings.conventions import Shape
from symattn.problem.text.spelling import unknown
from symattn.records import dataclass

Axis: TypeAlias = Literal["rows", "columns", "all"]
"""What sums to one, or is summed: each row, each column, or the whole matrix."""

Lines: TypeAlias = Literal["rows", "columns"]
"""What a part is taken of, and what matrices that are joined have more of."""

AXES: tuple[Axis, ...] = get_args(Axis)

LINES: tuple[Lines, ...] = get_args(Lines)

_SHOWN = 40


class _OverMatrices:
    """Base of all formulas."""

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used, each once, in the order of their first use."""
        return tuple(dict.fromkeys(name for part in parts_of(cast("Formula", self)) for name in part.names))


@dataclass(frozen=True, slots=True)
class Ref(_OverMatrices):
    """A matrix by its name.

    >>> str(Ref("X")), Ref("X").names
    ('X', ('X',))
    """

    name: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used."""
        return (self.name,)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Transposed(_OverMatrices):
    """A matrix turned over.

    >>> str(Transposed(Ref("X")))
    'X^T'
    """

    of: Formula

    def __str__(self) -> str:
        return f"{_factor(self.of)}^T"


@dataclass(frozen=True, slots=True)
class Times(_OverMatrices):
    """The product of two matrices.

    >>> product = Times(Ref("X"), Transposed(Ref("X")))
    >>> str(product), product.names
    ('X X^T', ('X',))
    """

    left: Formula
    right: Formula

    def __str__(self) -> str:
        left = str(self.left) if isinstance(self.left, Times) else _factor(self.left)
        return f"{left} {_factor(self.right)}"


@dataclass(frozen=True, slots=True)
class Scaled(_OverMatrices):
    """A matrix times a number.

    >>> str(Scaled(Quotient.of(2), Ref("S")))
    '(2) S'
    """

    factor: Quotient = field(hash=False)
    of: Formula

    def __str__(self) -> str:
        return f"({self.factor}) {_factor(self.of)}"


@dataclass(frozen=True, slots=True)
class Exponential(_OverMatrices):
    """The exponential of each entry.

    >>> str(Exponential(Ref("S")))
    'exp(S)'
    """

    of: Formula

    def __str__(self) -> str:
        return f"exp({self.of})"


@dataclass(frozen=True, slots=True)
class Softmax(_OverMatrices):
    """The softmax of each row, of each column, or of all entries together; with `extra`, 1 more is below the bar.

    >>> str(Softmax(Ref("S"))), str(Softmax(Ref("S"), "all")), str(Softmax(Ref("S"), extra=True))
    ('softmax(S)', 'softmax(S, all)', 'softmax1(S)')
    """

    of: Formula
    axis: Axis = "rows"
    extra: bool = False

    def __str__(self) -> str:
        name = "softmax1" if self.extra else "softmax"
        return f"{name}({self.of})" if self.axis == "rows" else f"{name}({self.of}, {self.axis})"


@dataclass(frozen=True, slots=True)
class LineSum(_OverMatrices):
    """The sum of each row, a matrix of one column; or of each column, a matrix of one row.

    >>> str(LineSum(Ref("E"))), str(LineSum(Ref("E"), "columns"))
    ('rowsum(E)', 'colsum(E)')
    """

    of: Formula
    axis: Axis = "rows"

    def __str__(self) -> str:
        return f"{'colsum' if self.axis == 'columns' else 'rowsum'}({self.of})"


@dataclass(frozen=True, slots=True)
class Ratio(_OverMatrices):
    """Each entry over the number of its row (n × 1), of its column (1 × n), or over one number (1 × 1).

    >>> str(Ratio(Ref("E"), Ref("Z")))
    'E / Z'
    """

    numerator: Formula
    denominator: Formula
    axis: Axis = "rows"

    def __str__(self) -> str:
        return f"{_factor(self.numerator)} / {_factor(self.denominator)}"


@dataclass(frozen=True, slots=True)
class Constant(_OverMatrices):
    """A matrix of numbers that is written in place.

    >>> str(Constant(Matrix([[1, 2], [3, 4]]))), str(Constant(Matrix([[1]])))
    ('[1, 2; 3, 4]', '(1)')
    """

    values: Matrix = field(hash=False)

    def __str__(self) -> str:
        rows = "; ".join(", ".join(map(str, row)) for row in self.values.rows)
        return f"({rows})" if self.values.shape == (1, 1) else f"[{rows}]"


@dataclass(frozen=True, slots=True)
class Plus(_OverMatrices):
    """The sum of two matrices, entry by entry. A row, a column or a number stands for as many as are wanted.

    >>> str(Plus(Ref("S"), Ref("B")))
    'S + B'
    """

    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"{_term(self.left)} + {_factor(self.right)}"


@dataclass(frozen=True, slots=True)
class Minus(_OverMatrices):
    """The difference of two matrices, entry by entry, likewise.

    >>> str(Minus(Ref("S"), Ref("m")))
    'S - m'
    """

    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"{_term(self.left)} - {_factor(self.right)}"


@dataclass(frozen=True, slots=True)
class EachTimes(_OverMatrices):
    """The product of two matrices entry by entry, likewise.

    >>> str(EachTimes(Ref("A"), Ref("D")))
    'A .* D'
    """

    left: Formula
    right: Formula

    def __str__(self) -> str:
        left = str(self.left) if isinstance(self.left, EachTimes) else _factor(self.left)
        return f"{left} .* {_factor(self.right)}"


@dataclass(frozen=True, slots=True)
class Masked(_OverMatrices):
    """Scores with minus infinity where a key is hidden; `by` has 1 for seen, or with `hides` 1 for hidden, else 0.

    >>> str(Masked(Ref("S"), Ref("keep"))), str(Masked(Ref("S"), Ref("drop"), hides=True))
    ('mask(S, keep)', 'hide(S, drop)')
    """

    of: Formula
    by: Formula
    hides: bool = False

    def __str__(self) -> str:
        return f"{'hide' if self.hides else 'mask'}({self.of}, {self.by})"


@dataclass(frozen=True, slots=True)
class Part(_OverMatrices):
    """Some neighbouring columns, or rows, of a matrix; `start` and `stop` are counted from 1 and both belong to it.

    >>> str(Part(Ref("P"), "columns", 1, 2)), str(Part(Ref("P"), "rows", 3, 3))
    ('P[:, 1:2]', 'P[3:3, :]')
    """

    of: Formula
    axis: Lines
    start: int
    stop: int

    def __str__(self) -> str:
        chosen = f"{self.start}:{self.stop}"
        return f"{_factor(self.of)}[{f':, {chosen}' if self.axis == 'columns' else f'{chosen}, :'}]"


@dataclass(frozen=True, slots=True)
class Joined(_OverMatrices):
    """Matrices put together: side by side (``"columns"``), or one below the other (``"rows"``).

    >>> str(Joined((Ref("H1"), Ref("H2")), "columns")), str(Joined((Ref("H1"), Ref("H2")), "rows"))
    ('[H1, H2]', '[H1; H2]')
    """

    parts: tuple[Formula, ...]
    axis: Lines

    def __str__(self) -> str:
        return f"[{(', ' if self.axis == 'columns' else '; ').join(map(str, self.parts))}]"


Formula: TypeAlias = (
    Ref
    | Transposed
    | Times
    | Scaled
    | Exponential
    | Softmax
    | LineSum
    | Ratio
    | Constant
    | Plus
    | Minus
    | EachTimes
    | Masked
    | Part
    | Joined
)


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas that a formula is made of, one level down.

    >>> parts_of(Plus(Ref("S"), Scaled(Quotient.of(2), Ref("B"))))[0]
    Ref(name='S')
    """
    match formula:
        case Ref() | Constant():
            return ()
        case Joined(parts):
            return parts
        case Times(left, right) | Plus(left, right) | Minus(left, right) | EachTimes(left, right):
            return left, right
        case Ratio(left, right) | Masked(left, right):
            return left, right
    return (formula.of,)


def _factor(formula: Formula) -> str:
    """Return the text of a formula as a factor: in brackets where it would fall apart without them."""
    holds = isinstance(formula, (Ref, Transposed, Exponential, Softmax, LineSum, Constant, Masked, Part, Joined))
    return str(formula) if holds else f"({formula})"


def _term(formula: Formula) -> str:
    """Return the text of a formula as the first term of a sum."""
    return str(formula) if isinstance(formula, (Plus, Minus)) else _factor(formula)


def shape_of(formula: Formula, shapes: Mapping[str, Shape]) -> Shape:
    """Return the shape that a formula has when its names have these.

    Raises:
        ShapeError: Naming the two matrices that do not fit, and both shapes.
        InputError: A name without a shape, or an axis that does not exist.

    >>> shape_of(Times(Ref("X"), Ref("W")), {"X": (3, 4), "W": (4, 2)})
    (3, 2)
    """
    match formula:
        case Ref(name):
            if name not in shapes:
                raise InputError(unknown("name", name, shapes))
            return shapes[name]
        case Transposed(of):
            rows, columns = shape_of(of, shapes)
            return columns, rows
        case Times(left, right):
            return _product(left, right, shape_of(left, shapes), shape_of(right, shapes))
        case Scaled(_, of) | Exponential(of):
            return shape_of(of, shapes)
        case Softmax(of, axis):
            _check_axis(axis, AXES)
            return shape_of(of, shapes)
        case LineSum(of, axis):
            _check_axis(axis, LINES)
            rows, columns = shape_of(of, shapes)
            return (rows, 1) if axis == "rows" else (1, columns)
        case Ratio(numerator, denominator, axis):
            _check_axis(axis, AXES)
            return _quotient(formula, shape_of(numerator, shapes), shape_of(denominator, shapes))
        case Constant(values):
            return values.shape
        case Plus(left, right) | Minus(left, right) | EachTimes(left, right):
            return _entrywise(formula, shape_of(left, shapes), shape_of(right, shapes))
        case Masked(of, by):
            return _masked(formula, shape_of(of, shapes), shape_of(by, shapes))
        case Part(of, axis):
            _check_axis(axis, LINES)
            return _part(formula, shape_of(of, shapes))
        case Joined(parts, axis):
            _check_axis(axis, LINES)
            return _joined(formula, [shape_of(part, shapes) for part in parts])
        case _:
            raise InputError(f"A definition is a formula over matrices, not a {type(formula).__name__}.")


def _check_axis(axis: str, known: tuple[str, ...]) -> None:
    if axis not in known:
        raise InputError(f'An axis is one of {", ".join(known)}, not "{axis}".')


def _product(left: Formula, right: Formula, a: Shape, b: Shape) -> Shape:
    if a[1] != b[0]:
        if a[1] == b[1]:
            remedy = f"is {_short(_turned(right))} meant?"
        elif a[0] == b[0]:
            remedy = f"is {_short(_turned(left))} meant?"
        else:
            remedy = f"give {_short(right)} as many rows as {_short(left)} has columns."
        raise ShapeError(f"{_both(left, right, a, b)}: {_short(Times(left, right))} does not conform; {remedy}")
    if a[0] * b[1] > MAX_ENTRIES:
        raise ShapeError(
            f"{_both(left, right, a, b)}: their product has more than {MAX_ENTRIES:,} entries; make them smaller."
        )
    return a[0], b[1]


def _quotient(formula: Ratio, top: Shape, bottom: Shape) -> Shape:
    wanted: Shape = {"rows": (top[0], 1), "columns": (1, top[1]), "all": (1, 1)}[formula.axis]
    if bottom != wanted:
        raise ShapeError(
            f"{_both(formula.numerator, formula.denominator, top, bottom)}: each entry is divided by the number of its "
            f"row or column, so {_short(formula.denominator)} must be {top[0]}×1, 1×{top[1]} or 1×1."
        )
    return top


def spread(shape: Shape, whole: Shape) -> bool:
    """Return True if a matrix broadcasts to a shape: it has that shape, or is a row, a column or a number of it.

    >>> spread((1, 3), (2, 3)), spread((2, 1), (2, 3)), spread((1, 1), (2, 3)), spread((1, 2), (2, 3))
    (True, True, True, False)
    """
    return shape[0] in (1, whole[0]) and shape[1] in (1, whole[1])


def _entrywise(formula: Plus | Minus | EachTimes, a: Shape, b: Shape) -> Shape:
    whole = (max(a[0], b[0]), max(a[1], b[1]))
    if whole not in (a, b) or not spread(a, whole) or not spread(b, whole):
        words = {Plus: "are added", Minus: "are subtracted", EachTimes: "are multiplied entry by entry"}[type(formula)]
        raise ShapeError(
            f"{_both(formula.left, formula.right, a, b)}: matrices that {words} have one shape, or one of them is "
            "a row, a column or a number of the other."
        )
    return whole


def _masked(formula: Masked, of: Shape, by: Shape) -> Shape:
    if not spread(by, of):
        raise ShapeError(
            f"{_both(formula.of, formula.by, of, by)}: a mask has the shape of the scores, {of[0]}×{of[1]}, or is "
            f"one row for all, 1×{of[1]}."
        )
    return of


def _part(formula: Part, of: Shape) -> Shape:
    size = of[1] if formula.axis == "columns" else of[0]
    if not 1 <= formula.start <= formula.stop <= size:
        wanted = f"{formula.axis} {formula.start} to {formula.stop}"
        raise ShapeError(
            f"{_short(formula.of)} is {of[0]}×{of[1]} and has no {wanted}: they are counted from 1 to {size}, and "
            "the last one belongs to the part."
        )
    count = formula.stop - formula.start + 1
    return (of[0], count) if formula.axis == "columns" else (count, of[1])


def _joined(formula: Joined, shapes: list[Shape]) -> Shape:
    if not shapes:
        raise InputError("[] is empty; write the matrices that it joins, as in [H1, H2].")
    across = formula.axis == "columns"
    for part, shape in zip(formula.parts, shapes, strict=True):
        if shape[not across] != shapes[0][not across]:
            words = ("side by side", "rows") if across else ("one below the other", "columns")
            raise ShapeError(
                f"{_both(formula.parts[0], part, shapes[0], shape)}: matrices {words[0]} have as many {words[1]}."
            )
    total = sum(shape[across] for shape in shapes)
    height, width = (shapes[0][0], total) if across else (total, shapes[0][1])
    if height * width > MAX_ENTRIES:
        raise ShapeError(f"{_short(formula)} has more than {MAX_ENTRIES:,} entries; make it smaller.")
    return height, width


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


def _turned(formula: Formula) -> Formula:
    return formula.of if isinstance(formula, Transposed) else Transposed(formula)


def _both(left: Formula, right: Formula, a: Shape, b: Shape) -> str:
    return f"{_short(left)} is {a[0]}×{a[1]} and {_short(right)} is {b[0]}×{b[1]}"


def _short(formula: Formula) -> str:
    text = str(formula)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
