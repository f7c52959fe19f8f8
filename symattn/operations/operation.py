"""TRUSTED. The record of an operation, the parameters that many have, and the checks of shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeAlias, TypeVar

from symattn.errors import InputError, ShapeError, shape_text
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding
from symattn.notation.tree import nodes as t
from symattn.operations.scalar import Index, Leaf, Scalar
from symattn.records import dataclass

Axis: TypeAlias = Literal["rows", "columns"]
"""Direction of lines: each row, or each column, is one line."""

Arguments: TypeAlias = Mapping[str, str]
"""Arguments of a step as plain text, writable as JSON."""

Grid: TypeAlias = tuple[tuple[Quotient | None, ...], ...]
"""Rows of values, None where a value is undefined."""

Shape: TypeAlias = tuple[int, int]
Shapes: TypeAlias = Sequence[Shape]


class MisfitError(ShapeError):
    """Shapes or parameters that do not fit an operation.

    Attributes:
        operands: the numbers of the operands concerned, from 0.
    """

    def __init__(self, operands: tuple[int, ...], message: str) -> None:
        super().__init__(message)
        self.operands = operands


class RunningIndexError(InputError):
    """An index that runs, where the operation needs a number."""


AXIS, COUNT = "rows|columns", "[1-9][0-9]{0,4}"
"""Patterns of arguments."""


class Parameters(Protocol):
    """Parameters of an operation, read from the arguments of a step."""

    options: ClassVar[Mapping[str, str]]
    """The names of its arguments, each with the pattern of what it may be."""

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the parameters that arguments state."""


P = TypeVar("P", bound=Parameters)


# Backward rules -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Applied:
    """A quantity with the operation that made it; one that is given lacks operands."""

    name: str
    operation: str
    shape: Shape
    operands: tuple[Applied, ...] = ()


@dataclass(frozen=True, slots=True)
class Cotangent:
    """A gradient at a quantity: the name of a matrix, and that of a number that multiplies it, if any."""

    name: str
    factor: str = ""

    @property
    def whole(self) -> str:
        """The name of the matrix, where it is the whole gradient.

        Raises:
            ValueError: a number multiplies it.
        """
        if self.factor:
            raise ValueError(f"{self.factor} multiplies {self.name}, which this backward rule does not take")
        return self.name


Between: TypeAlias = Literal["dots", "mean", "mean-dot", "slope"]
"""Quantities of a backward rule beside gradients: sums of products, means, means of products, derivatives."""


class Tape(Protocol):
    """A backward pass under way: backward rules add to the gradients at the operands of a quantity.

    Matrices and numbers are named; an operation is applied to the names of its operands and its arguments.
    """

    @property
    def tokens(self) -> Axis:
        """The lines that are tokens."""

    def make(self, role: Between, at: Applied, operation: str, *operands: str, **arguments: str) -> str:
        """Return the name of a quantity that the rule of another needs."""

    def add(self, at: Applied, operation: str, *operands: str, **arguments: str | int) -> None:
        """Add the result of an operation to the gradient at an operand."""

    def add_product(self, at: Applied, left: tuple[str, bool], right: tuple[str, bool], factor: str) -> None:
        """Add a product of matrices, those with True transposed, times a number to the gradient at an operand."""

    def pass_on(self, at: Applied, gradient: Cotangent) -> None:
        """Add the gradient itself to that at an operand."""


class Names(Protocol):
    """Names of the operands of a quantity, as written; rows and columns are counted from 0."""

    @property
    def shapes(self) -> Shapes:
        """The shapes of the operands."""

    def whole(self, operand: int) -> t.Node:
        """Return the name of an operand."""

    def entry(self, operand: int, row: Index, column: Index) -> t.Node:
        """Return the name of an entry of an operand."""

    def line(self, operand: int, axis: Axis, index: Index) -> t.Node | None:
        """Return the name of a row, or a column, as a column vector; None where these lines are unnamed."""

    def exact(self, operand: int, row: int, column: int) -> Quotient:
        """Return the exact value of an entry of an operand."""

    def within(self, operand: int, name: str) -> Names | None:
        """Return the names of what an operand is made of, None unless an operation of this name makes it."""


Forms: TypeAlias = Iterable[t.Node]
"""Written forms of a result, the one that is printed first."""


@dataclass(frozen=True, slots=True)
class LineForms(Generic[P]):
    """Forms of whole lines of a result.

    Attributes:
        column: the forms of a row, or a column, as a column vector.
        row: the forms of a row as a sum over a running index, the last argument.
    """

    column: Callable[[P, Names, Axis, Index], Forms]
    row: Callable[[P, Names, Index, t.Name], Forms]


Trait: TypeAlias = Literal["exponentials", "line-sums", "one-more", "weights"]
"""A part that an operation plays in a softmax."""

Numerals: TypeAlias = Literal["none", "names", "values", "rounded", "exponents", "constants", "scalars"]
"""Operands that stand as numerals where an entry is worked out.

``none`` works nothing out and ``names`` shows the form in names alone. ``values`` puts in every operand; ``rounded``
those that are rational or rounded, unless the exact value is asked for, and ``exponents`` these in exponents alone;
``constants`` of these all but values of functions; ``scalars`` leaves single numbers, such as eps, as names.
"""


@dataclass(frozen=True, slots=True)
class Operation(Generic[P]):
    """A way in which a quantity comes from others: one rule of records, one point of rounding.

    Attributes:
        name: its name in records, which never changes.
        says: the inference in words.
        source: the definition that it applies.
        params: the type of its parameters.
        arity: the least and the largest number of operands; None for any number.
        shape: the shape of the result; refuses operands that do not fit.
        entry: the expression of the entry at a row and a column.
        rounds: whether a rounding policy rounds its result.
        products: whether the products in its sum may be rounded, too.
        follows: the operands in whose digits the result is written: rounded numbers there make it a decimal.
        kernel: the whole result at once, in place of the entries; None where it leaves them to the entries.
        vjp: the backward rule, which adds to the gradients at the operands; None where no gradient goes back.
        whole: the forms of the whole result, such as ``Q K^T``.
        also: the forms of an entry beside the expression of the entry, such as ``q_i^T k_j``.
        lines: the forms of lines of the result.
        numerals: the operands that stand as numerals where an entry is worked out.
        matrices: whether operands stand as matrices where the whole is worked out.
        traits: the parts that it plays.
        called: the function that works write for an entry, where nobody writes its expression out.
    """

    name: str
    says: str
    source: str
    params: type[P]
    arity: tuple[int, int | None]
    shape: Callable[[P, Shapes], Shape]
    entry: Callable[[P, Shapes, Index, Index], Scalar]
    rounds: bool = True
    products: bool = False
    follows: range = range(0)
    kernel: Callable[[P, Sequence[Grid], Rounding | None], Grid | None] | None = None
    vjp: Callable[[P, Tape, Applied, Cotangent], None] | None = None
    whole: Callable[[P, Names], Forms] | None = None
    also: Callable[[P, Names, Index, Index], Forms] | None = None
    lines: LineForms[P] | None = None
    numerals: Numerals = "rounded"
    matrices: Literal["none", "shown"] = "none"
    traits: frozenset[Trait] = frozenset()
    called: Callable[[P], str] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the arguments of its steps."""
        names = (*(("products",) if self.products else ()), *(("rounding",) if self.rounds else ()))
        return (*self.params.options, *names)


EVERY, FIRST = range(1_000_000), range(1)
"""Operands that a result follows: all of them, or the first."""

Family: TypeAlias = Mapping[str, Operation[Any]]


def family(*operations: Operation[Any]) -> Family:
    """Return operations by their names."""
    return {operation.name: operation for operation in operations}


# Parameters -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Nothing:
    """No parameters."""

    options: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the empty parameters."""
        del arguments
        return cls()


@dataclass(frozen=True, slots=True)
class Along:
    """The direction of the lines that an operation works on."""

    options: ClassVar[Mapping[str, str]] = {"axis": AXIS}

    axis: Axis

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the direction that arguments state."""
        return cls(read_axis(arguments))


@dataclass(frozen=True, slots=True)
class Sides:
    """The factors of a matrix product that are transposed."""

    options: ClassVar[Mapping[str, str]] = {"left": "transposed", "right": "transposed"}

    left: bool = False
    right: bool = False

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the sides that arguments state."""
        return cls(arguments.get("left") == "transposed", arguments.get("right") == "transposed")


def read_axis(arguments: Arguments, name: str = "axis") -> Axis:
    """Return the direction that an argument states."""
    return "columns" if arguments[name] == "columns" else "rows"


def pass_on(_: object, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Pass a gradient on to all operands, as a sum does.

    Raises:
        ValueError: one of them is smaller, and stands at several places of the sum.
    """
    for operand in node.operands:
        if operand.shape != node.shape:
            raise ValueError(f"{operand.name} is spread over {node.name}, whose backward rule adds no places up")
        tape.pass_on(operand, g)


# Lines and places -----------------------------------------------------------------------------------


def number(index: Index) -> int:
    """Return an index that must be a number.

    Raises:
        RunningIndexError: it runs.
    """
    if not isinstance(index, int):
        raise RunningIndexError("An entry cannot be written at a running index here.")
    return index


def at(operand: int, axis: Axis, line: Index, place: Index) -> Leaf:
    """Return the entry at a place of a line of an operand."""
    return Leaf(operand, line, place) if axis == "rows" else Leaf(operand, place, line)


def line_of(axis: Axis, row: Index, column: Index) -> Index:
    """Return the line that an entry lies in."""
    return row if axis == "rows" else column


def place_of(axis: Axis, row: Index, column: Index) -> Index:
    """Return the place of an entry in its line."""
    return column if axis == "rows" else row


def count_lines(axis: Axis, shape: Shape) -> int:
    """Return the number of lines."""
    return shape[0] if axis == "rows" else shape[1]


def width(axis: Axis, shape: Shape) -> int:
    """Return the number of places in each line."""
    return shape[1] if axis == "rows" else shape[0]


def vector_entry(operand: int, shapes: Shapes, place: Index) -> Leaf:
    """Return the entry at a place of an operand that is a single row or a single column."""
    return Leaf(operand, 0, place) if shapes[operand][0] == 1 else Leaf(operand, place, 0)


def transpose(values: Grid) -> Grid:
    """Return a grid with rows for columns."""
    return tuple(zip(*values, strict=True))


def turned_name(name: t.Node, *, turned: bool) -> t.Node:
    """Return the name of a factor, which may be transposed."""
    return t.Transpose(name) if turned else name


def whole_sum(_: object, names: Names) -> Forms:
    """Return ``A + B``."""
    return (t.added([names.whole(operand) for operand in range(len(names.shapes))]),)


def mean_forms(total: t.Node, count: int) -> Forms:
    """Return a mean as a sum over a number, and as a fraction times the sum."""
    number = t.Number(str(count))
    share = t.Division(t.Number("1"), number)
    return t.Division(total, number), t.multiplied([share, t.Group(total)], "")


# Shapes ---------------------------------------------------------------------------------------------


def require_shape(shapes: Shapes, operand: int, expected: Shape) -> None:
    """Refuse an operand of another shape.

    Raises:
        MisfitError: it has another shape.

    >>> require_shape([(2, 3)], 0, (2, 1))
    Traceback (most recent call last):
        ...
    symattn.operations.operation.MisfitError: Operand 1 must be 2×1 here, and is 2×3.
    """
    if shapes[operand] != expected:
        found, needed = shape_text(shapes[operand]), shape_text(expected)
        raise MisfitError((operand,), f"Operand {operand + 1} must be {needed} here, and is {found}.")


def require_vector(shapes: Shapes, operand: int, length: int) -> None:
    """Refuse an operand that is neither a row nor a column of this length.

    Raises:
        MisfitError: it has another shape.
    """
    if shapes[operand] not in {(1, length), (length, 1)}:
        found = shape_text(shapes[operand])
        raise MisfitError((operand,), f"Operand {operand + 1} must have {length} numbers in one line, and is {found}.")


def entrywise_shape(_: object, shapes: Shapes) -> Shape:
    """Return the shape that all operands share.

    Raises:
        MisfitError: two have different shapes.
    """
    for operand in range(1, len(shapes)):
        require_shape(shapes, operand, shapes[0])
    return shapes[0]


def spread_shape(_: object, shapes: Shapes) -> Shape:
    """Return the shape of two operands entry by entry; a row, a column or a number stands for as many as are wanted.

    Raises:
        MisfitError: neither has the shape of the other, or is a row, a column or a number of it.

    >>> spread_shape(None, [(2, 3), (1, 3)])
    (2, 3)
    """
    first, second = shapes
    whole = max(first[0], second[0]), max(first[1], second[1])
    if whole not in shapes or not all(is_spread(shape, whole) for shape in shapes):
        raise MisfitError((0, 1), f"{shape_text(first)} and {shape_text(second)} do not fit entry by entry.")
    return whole


def is_spread(shape: Shape, whole: Shape) -> bool:
    """Return True if a matrix broadcasts to a shape: it has that shape, or is a row, a column or a number of it.

    >>> is_spread((1, 3), (2, 3)), is_spread((2, 1), (2, 3)), is_spread((1, 1), (2, 3)), is_spread((1, 2), (2, 3))
    (True, True, True, False)
    """
    return shape[0] in (1, whole[0]) and shape[1] in (1, whole[1])


def spread(operand: int, shapes: Shapes, row: Index, column: Index) -> Leaf:
    """Return the entry of an operand that stands at a place, where the operand may be a row, a column or a number."""
    (height, length), heights, lengths = shapes[operand], *zip(*shapes, strict=True)
    return Leaf(operand, row if height == max(heights) else 0, column if length == max(lengths) else 0)


def number_per_line(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of one number for each line, the operands having one shape."""
    return count_lines(p.axis, entrywise_shape(p, shapes)), 1


def with_numbers(p: Along, shapes: Shapes) -> Shape:
    """Return the shape of an operand to whose lines belong the numbers of the next."""
    require_shape(shapes, 1, (count_lines(p.axis, shapes[0]), 1))
    return shapes[0]
