"""TRUSTED. Quantities whose entries a sheet writes out, each a formula in entries of others.

In a record an entry of the k-th premise is ``p_{k,i,j}``, whatever the sheet calls it::

    p_{1,1,2} - p_{2,1,1} | p_{1,1,1}          two entries of one row; rows are set apart by ``;``
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from symattn.errors import InputError
from symattn.exact.evaluation import Lookup, evaluate
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import describe
from symattn.operations.operation import (
    EVERY,
    Arguments,
    Family,
    Grid,
    MisfitError,
    Operation,
    Shape,
    Shapes,
    family,
    number,
)
from symattn.operations.scalar import Formula, Index, Scalar
from symattn.records import dataclass

_BETWEEN_ROWS, _BETWEEN = " ; ", " | "
_PREMISE = t.Name("p")


class _NoValueError(InputError):
    """An entry is made of one without a value."""


def premise_entry(number: int, row: int, column: int) -> t.Node:
    """Return an entry of a premise as records name it, all counted from 1.

    >>> describe(premise_entry(2, 1, 3))
    'p_{2,1,3}'
    """
    return t.Subscript(_PREMISE, tuple(t.Number(str(item)) for item in (number, row, column)))


def entries_text(entries: Sequence[Sequence[t.Node]]) -> str:
    """Return the formulas of all entries as the argument of a step.

    >>> entries_text([[premise_entry(1, 1, 1), t.Number("2")]])
    'p_{1,1,1} | 2'
    """
    return _BETWEEN_ROWS.join(_BETWEEN.join(map(describe, row)) for row in entries)


@dataclass(frozen=True, slots=True)
class Formulas:
    """The formulas of all entries, row by row."""

    options: ClassVar[Mapping[str, str]] = {"entries": r"[^\x00-\x1f]{1,5000000}"}

    entries: tuple[tuple[t.Node, ...], ...]

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the formulas that arguments state.

        Raises:
            NotationError: one of them cannot be read.
        """
        rows = arguments["entries"].split(_BETWEEN_ROWS.strip())
        return cls(tuple(tuple(read_plain(text) for text in row.split(_BETWEEN.strip())) for row in rows))


def written_shape(p: Formulas, _shapes: Shapes) -> Shape:
    """Return the shape of the formulas.

    Raises:
        MisfitError: the rows have different lengths.
    """
    if len({len(row) for row in p.entries}) > 1:
        raise MisfitError((), "The rows of formulas have different lengths.")
    return len(p.entries), len(p.entries[0])


def written(p: Formulas, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return the formula that is written for an entry."""
    return Formula(p.entries[number(i)][number(j)])


def formula_value(formula: t.Node, operands: Sequence[Grid]) -> Quotient | None:
    """Return the value of a formula; None where it is made of what has none, or has none itself (something over 0).

    Raises:
        IndexError: no such entry.
        InputError: the formula is not a number.

    >>> operands = (((Quotient.of(3),),),)
    >>> [str(formula_value(read_plain(text), operands)) for text in ("2 p_{1,1,1}", "p_{1,1,1} / 0")]
    ['6', 'None']
    """

    def lookup(node: t.Node, _: Mapping[str, int]) -> Quotient | None:
        match node:
            case t.Subscript(t.Name("p"), (t.Number(number), t.Number(row), t.Number(column))):
                return _of_operand(operands, int(number), int(row), int(column))
            case t.Name() | t.Subscript() if node not in {t.Name("e"), t.INFINITY, t.UNDEFINED}:
                return Quotient.of(Polynomial.symbol(describe(node)))
        return None

    try:
        value = evaluate(formula, lookup)
    except _NoValueError:
        return None
    except InputError:
        if _divides_by_zero(formula, lookup):
            return None
        raise
    if not isinstance(value, Quotient):
        raise InputError(f"{describe(formula)} is not the formula of an entry.")
    return value


def _of_operand(operands: Sequence[Grid], number: int, row: int, column: int) -> Quotient:
    """An entry of an operand.

    Raises:
        IndexError: no such entry.
        InputError: its value is missing.
    """
    if min(number, row, column) < 1:
        raise IndexError(f"There is no entry p_{{{number},{row},{column}}}.")
    value = operands[number - 1][row - 1][column - 1]
    if value is None:
        raise _NoValueError("An entry without a value.")
    return value


def _divides_by_zero(node: t.Node, lookup: Lookup) -> bool:
    if isinstance(node, t.Division):
        below = evaluate(node.denominator, lookup)
        if isinstance(below, Quotient) and below.is_zero:
            return True
    return any(_divides_by_zero(part, lookup) for part in t.children(node) if not isinstance(part, t.Subscript))


OPERATIONS: Family = family(
    Operation(
        "written",
        "each entry by the formula that is written for it",
        "definition of the sheet",
        Formulas,
        (0, None),
        written_shape,
        written,
        follows=EVERY,
    ),
)
