"""Formulas of a graph: definitions of quantities in terms of earlier ones."""

from __future__ import annotations

from typing import Literal, TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.quantities import quantity as q
from symattn.records import dataclass

Axis: TypeAlias = Literal["rows", "columns", "all"]

Cell: TypeAlias = tuple[str, int, int]
"""A quantity and an entry of it, counted from 0."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to another quantity."""

    name: str


@dataclass(frozen=True, slots=True)
class Transposed:
    """The transpose."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Times:
    """A product of matrices."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Scaled:
    """Each entry times one number, which is a quantity of one entry."""

    factor: str
    of: Formula


@dataclass(frozen=True, slots=True)
class Multiple:
    """Each entry times a number that is not a quantity itself."""

    number: Quotient
    of: Formula


@dataclass(frozen=True, slots=True)
class Exponential:
    """``e`` to the power of each entry."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Softmax:
    """The softmax of each line, or of all entries together; with `extra`, 1 more in the denominator."""

    of: Formula
    axis: Axis
    extra: bool = False


@dataclass(frozen=True, slots=True)
class LineSum:
    """The sum of each line, as a column; with `extra`, 1 more."""

    of: Formula
    axis: Axis
    extra: bool = False


@dataclass(frozen=True, slots=True)
class LineMaximum:
    """The largest entry of each line, as a column."""

    of: Formula
    axis: Axis


@dataclass(frozen=True, slots=True)
class Ratio:
    """Each entry over the number of its line.

    A line of `scores` that is all minus infinity has the value of `empty` instead.
    """

    numerator: Formula
    denominator: Formula
    axis: Axis
    empty: q.Empty = "undefined"
    scores: str = ""


@dataclass(frozen=True, slots=True)
class SubtractPerLine:
    """Each entry less the number of its line."""

    of: Formula
    by: Formula
    axis: Axis


@dataclass(frozen=True, slots=True)
class Constant:
    """Numbers that are not a quantity themselves."""

    values: Matrix


@dataclass(frozen=True, slots=True)
class Plus:
    """The sum entry by entry; a row, a column or a number is broadcast."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Minus:
    """The difference entry by entry, likewise."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Hadamard:
    """The product entry by entry, likewise."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class EntrywiseQuotient:
    """The quotient entry by entry."""

    left: Formula
    right: Formula


Way: TypeAlias = Literal["add", "keep", "drop"]
"""Value of a mask at a hidden key: minus infinity (it is added), 0 (it keeps the others), or 1."""


@dataclass(frozen=True, slots=True)
class Masked:
    """Scores, minus infinity where a key is hidden."""

    of: Formula
    by: Formula
    way: Way


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring rows or columns, from `start`, counted from 0, to before `stop`."""

    of: Formula
    axis: q.Axis
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Joined:
    """Matrices side by side (they have more columns), or stacked."""

    parts: tuple[Formula, ...]
    axis: q.Axis


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of matrices, entry by entry."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Mapped:
    """A function of each entry: an activation by its name."""

    function: str
    of: Formula


@dataclass(frozen=True, slots=True)
class OverRoot:
    """Each entry over the square root of the number of its line, with another number added under the root or not.

    ``is_inside`` is False where that stands beside the root.
    """

    of: Formula
    by: Formula
    eps: Formula | None
    axis: Axis
    is_inside: bool = True


Formula: TypeAlias = (
    Ref
    | Transposed
    | Times
    | Scaled
    | Multiple
    | Exponential
    | Softmax
    | LineSum
    | LineMaximum
    | Ratio
    | SubtractPerLine
    | Constant
    | Plus
    | Minus
    | Hadamard
    | EntrywiseQuotient
    | Masked
    | Part
    | Joined
    | Mean
    | Mapped
    | OverRoot
)


def parts(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas directly inside a formula."""
    match formula:
        case Ref() | Constant():
            return ()
        case Times() | Plus() | Minus() | Hadamard() | EntrywiseQuotient():
            return (formula.left, formula.right)
        case Masked(of, by):
            return (of, by)
        case Joined(items) | Mean(items):
            return items
        case Ratio(numerator, denominator):
            return (numerator, denominator)
        case SubtractPerLine(of, by):
            return (of, by)
        case OverRoot(of, by, eps):
            return (of, by) if eps is None else (of, by, eps)
        case _:
            return (formula.of,)


def transpose(formula: Formula) -> Formula:
    """Return the transpose, of a transpose the formula itself."""
    return formula.of if isinstance(formula, Transposed) else Transposed(formula)


def substitute(formula: Formula, name: str, instead: Formula) -> Formula:
    """Return a factor, transposed or not, with another one in the place of a quantity."""
    if isinstance(formula, Transposed):
        return Transposed(substitute(formula.of, name, instead))
    return instead if formula == Ref(name) else formula


def names_in(formula: Formula) -> frozenset[str]:
    """Return the quantities that a formula uses, the factor of a scale included."""
    own = {formula.name} if isinstance(formula, Ref) else set()
    if isinstance(formula, Ratio) and formula.scores:
        own.add(formula.scores)
    if isinstance(formula, Scaled):
        own.add(formula.factor)
    return frozenset(own).union(*(names_in(part) for part in parts(formula)))


def operands_of(formula: Formula | None) -> list[tuple[str, bool]]:
    """Return the two quantities of a product, each with whether it is transposed, or nothing."""
    if not isinstance(formula, Times):
        return []
    found = []
    for part in (formula.left, formula.right):
        match part:
            case Ref(name):
                found.append((name, False))
            case Transposed(Ref(name)):
                found.append((name, True))
            case _:
                return []
    return found
