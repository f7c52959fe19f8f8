"""What a sheet's own quantities are made of: formulas over named matrices, as plain data.

A formula says which matrices it takes and what it does with them. It holds no values, so that the same
formula serves for exact values, for rounded ones and for those that somebody carried on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias, get_args

from symattn.errors import InputError, ShapeError
from symattn.exact.quotient import Quotient
from symattn.problem.conventions import Shape
from symattn.problem.entries import MAX_ENTRIES
from symattn.problem.nearest import unknown
from symattn.records import dataclass

Axis: TypeAlias = Literal["rows", "columns", "all"]
"""What sums to one, or is summed: each row, each column, or the whole matrix."""

AXES: tuple[Axis, ...] = get_args(Axis)

_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Ref:
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
class Transposed:
    """A matrix turned over.

    >>> str(Transposed(Ref("X")))
    'X^T'
    """

    of: Formula

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used."""
        return self.of.names

    def __str__(self) -> str:
        return f"{_factor(self.of)}^T"


@dataclass(frozen=True, slots=True)
class Times:
    """The product of two matrices.

    >>> product = Times(Ref("X"), Transposed(Ref("X")))
    >>> str(product), product.names
    ('X X^T', ('X',))
    """

    left: Formula
    right: Formula

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used, each once, in the order of their first use."""
        return _together(self.left, self.right)

    def __str__(self) -> str:
        left = str(self.left) if isinstance(self.left, Times) else _factor(self.left)
        return f"{left} {_factor(self.right)}"


@dataclass(frozen=True, slots=True)
class Scaled:
    """A matrix times a number.

    >>> str(Scaled(Quotient.of(2), Ref("S")))
    '(2) S'
    """

    factor: Quotient = field(hash=False)
    of: Formula

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used."""
        return self.of.names

    def __str__(self) -> str:
        return f"({self.factor}) {_factor(self.of)}"


@dataclass(frozen=True, slots=True)
class Exponential:
    """The exponential of each entry.

    >>> str(Exponential(Ref("S")))
    'exp(S)'
    """

    of: Formula

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used."""
        return self.of.names

    def __str__(self) -> str:
        return f"exp({self.of})"


@dataclass(frozen=True, slots=True)
class Softmax:
    """The softmax of each row, of each column, or of all entries together.

    >>> str(Softmax(Ref("S"))), str(Softmax(Ref("S"), "all"))
    ('softmax(S)', 'softmax(S, all)')
    """

    of: Formula
    axis: Axis = "rows"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used."""
        return self.of.names

    def __str__(self) -> str:
        return f"softmax({self.of})" if self.axis == "rows" else f"softmax({self.of}, {self.axis})"


@dataclass(frozen=True, slots=True)
class LineSum:
    """The sum of each row, a matrix of one column; or of each column, a matrix of one row.

    >>> str(LineSum(Ref("E"))), str(LineSum(Ref("E"), "columns"))
    ('rowsum(E)', 'colsum(E)')
    """

    of: Formula
    axis: Axis = "rows"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used."""
        return self.of.names

    def __str__(self) -> str:
        return f"{'colsum' if self.axis == 'columns' else 'rowsum'}({self.of})"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Each entry over the number of its row (n × 1), of its column (1 × n), or over one number (1 × 1).

    >>> str(Ratio(Ref("E"), Ref("Z")))
    'E / Z'
    """

    numerator: Formula
    denominator: Formula
    axis: Axis = "rows"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are used, each once, in the order of their first use."""
        return _together(self.numerator, self.denominator)

    def __str__(self) -> str:
        return f"{_factor(self.numerator)} / {_factor(self.denominator)}"


Formula: TypeAlias = Ref | Transposed | Times | Scaled | Exponential | Softmax | LineSum | Ratio


def _together(first: Formula, second: Formula) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first.names, *second.names)))


def _factor(formula: Formula) -> str:
    """The text of a formula as a factor: in brackets where it would fall apart without them."""
    holds = isinstance(formula, (Ref, Transposed, Exponential, Softmax, LineSum))
    return str(formula) if holds else f"({formula})"


def shape_of(formula: Formula, shapes: Mapping[str, Shape]) -> Shape:
    """The shape that a formula has when its names have these.

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
            _check_axis(axis, ("rows", "columns"))
            rows, columns = shape_of(of, shapes)
            return (rows, 1) if axis == "rows" else (1, columns)
        case Ratio(numerator, denominator, axis):
            _check_axis(axis, AXES)
            return _quotient(formula, shape_of(numerator, shapes), shape_of(denominator, shapes))
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


def ratio_axis(top: Shape, bottom: Shape) -> Axis:
    """What a quotient of two shapes divides by: the number of each row, of each column, or one for all.

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
