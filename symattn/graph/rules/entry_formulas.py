"""TRUSTED. Quantities whose entries a sheet writes out, each a formula in entries of others.

In a record an entry of the k-th premise is ``p_{k,i,j}``, whatever the sheet calls it::

    p_{1,1,2} - p_{2,1,1} | p_{1,1,1}          two entries of one row; rows are set apart by ``;``
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symattn.errors import InputError
from symattn.exact.evaluation import Lookup, evaluate
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import describe

if TYPE_CHECKING:
    from symattn.graph.quantities.quantity import Grid

_BETWEEN_ROWS, _BETWEEN = " ; ", " | "
_PREMISE = t.Name("p")
_ZERO, _ONE = Quotient.of(0), Quotient.of(1)


class _NoValueError(InputError):
    """An entry is made of one that has no value."""


def premise_entry(number: int, row: int, column: int) -> t.Node:
    """Return an entry of a premise as records name it, all counted from 1.

    >>> describe(premise_entry(2, 1, 3))
    'p_{2,1,3}'
    """
    return t.Subscript(_PREMISE, tuple(t.Number(str(item)) for item in (number, row, column)))


def entries_text(entries: Sequence[Sequence[t.Node]]) -> str:
    """Return the formulas of all entries as the argument of a step; `written` reads it.

    >>> entries_text([[premise_entry(1, 1, 1), t.Number("2")]])
    'p_{1,1,1} | 2'
    """
    return _BETWEEN_ROWS.join(_BETWEEN.join(map(describe, row)) for row in entries)


def written(premises: tuple[Grid, ...], entries: str) -> Grid:
    """Return the value of each entry; None where it is made of what has none, or has none itself (something over 0).

    >>> [str(value) for value in written((((Quotient.of(3),),),), "2 p_{1,1,1} | p_{1,1,1} / 0")[0]]
    ['6', 'None']
    """
    rows = entries.split(_BETWEEN_ROWS.strip())
    return tuple(tuple(_value(text, premises) for text in row.split(_BETWEEN.strip())) for row in rows)


def _value(text: str, premises: tuple[Grid, ...]) -> Quotient | None:
    def lookup(node: t.Node, _: Mapping[str, int]) -> Quotient | None:
        match node:
            case t.Subscript(t.Name("p"), (t.Number(number), t.Number(row), t.Number(column))):
                return _of_premise(premises, int(number), int(row), int(column))
            case t.Name() | t.Subscript() if node not in {t.Name("e"), t.INFINITY, t.UNDEFINED}:
                return Quotient.of(Polynomial.symbol(describe(node)))
        return None

    node = read_plain(text)
    try:
        value = evaluate(node, lookup)
    except _NoValueError:
        return None
    except InputError:
        if _divides_by_zero(node, lookup):
            return None
        raise
    if not isinstance(value, Quotient):
        raise InputError(f"{text} is not the formula of an entry.")
    return value


def _of_premise(premises: tuple[Grid, ...], number: int, row: int, column: int) -> Quotient:
    """Return an entry of a premise.

    Raises:
        IndexError: there is no such entry.
        InputError: it has no value.
    """
    if min(number, row, column) < 1:
        raise IndexError(f"There is no entry p_{{{number},{row},{column}}}.")
    value = premises[number - 1][row - 1][column - 1]
    if value is None:
        raise _NoValueError("An entry without a value.")
    return value


def _divides_by_zero(node: t.Node, lookup: Lookup) -> bool:
    if isinstance(node, t.Division):
        below = evaluate(node.denominator, lookup)
        if isinstance(below, Quotient) and below.is_zero:
            return True
    return any(_divides_by_zero(part, lookup) for part in t.children(node) if not isinstance(part, t.Subscript))


def hidden(by: Grid, *, is_seen: bool) -> Grid:
    """Return the addends of the scores: 0 where a key is seen, minus infinity where it is hidden.

    Args:
        by: 0 and 1.
        is_seen: whether 1 means seen.

    Raises:
        InputError: another number.
    """
    return tuple(tuple(_hidden(value, is_seen=is_seen) for value in row) for row in by)


def _hidden(value: Quotient | None, *, is_seen: bool) -> Quotient | None:
    if value is None:
        return None
    if value not in (_ZERO, _ONE):
        raise InputError(f"A mask is a matrix of 0 and 1, and {value} stands in it.")
    return _ZERO if (value == _ONE) == is_seen else MINUS_INFINITY
