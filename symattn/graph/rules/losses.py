"""TRUSTED. What losses and soft caps bring into a backward pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, TypeAlias

from symattn import late
from symattn.errors import InputError
from symattn.exact.field.common_denominator import added
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.reals.sign import sign

if TYPE_CHECKING:
    from symattn.exact.reals import elementary
    from symattn.graph.quantities.quantity import Grid
else:
    elementary = late.module("symattn.exact.reals.elementary")

_Line: TypeAlias = tuple[Quotient | None, ...]
_HALF = Quotient.of("1/2")


def softmax_lines(lines: Grid) -> Grid:
    """The softmax of each line; undefined where an entry is.

    >>> [str(value) for value in softmax_lines(((Quotient.of(0), Quotient.of(0)),))[0]]
    ['1/2', '1/2']
    """
    return tuple(_softmax(line) for line in lines)


def _softmax(line: _Line) -> _Line:
    known = [value for value in line if value is not None]
    if len(known) < len(line):
        return (None,) * len(line)
    return softmax_rows(Matrix([known])).rows[0]


def cap_gradient(premises: tuple[Grid, ...]) -> Grid:
    """A gradient at capped scores taken to what the cap took: each entry times ``1 - (capped/cap)^2``, and a number.

    Args:
        premises: the gradient, the capped scores, the cap, and a number where scores were scaled after the cap.
    """
    gradient, capped, ((cap,),) = premises[:3]
    number = premises[3][0][0] if len(premises) > len("GSc") else Quotient.of(1)
    rows = zip(gradient, capped, strict=True)
    return tuple(tuple(_through_cap(g, s, cap, number) for g, s in zip(*row, strict=True)) for row in rows)


def _through_cap(
    gradient: Quotient | None, capped: Quotient | None, cap: Quotient | None, number: Quotient | None
) -> Quotient | None:
    if gradient is None or capped is None or cap is None or number is None:
        return None
    return number * gradient * (1 - (capped / cap) ** 2)


def _sum_of_outputs(premises: tuple[Grid, ...]) -> list[Quotient | None]:
    return [value for row in premises[0] for value in row]


def _half_squares(premises: tuple[Grid, ...]) -> list[Quotient | None]:
    rows = zip(*premises, strict=True)
    pairs = [pair for row in rows for pair in zip(*row, strict=True)]
    return [None if a is None or b is None else _HALF * ((a - b) * (a - b)) for a, b in pairs]


def _logarithms(premises: tuple[Grid, ...]) -> list[Quotient | None]:
    chances, labels = premises
    rows = zip(chances, labels, strict=True)
    chosen = [value for row in rows for value, label in zip(*row, strict=True) if label is None or not label.is_zero]
    return [_minus_ln(value) for value in chosen]


def _minus_ln(value: Quotient | None) -> Quotient | None:
    """None also where a rounded number is 0, which has no logarithm."""
    if value is None or sign(value) <= 0:
        return None
    return -elementary.ln(value)


_TERMS: Mapping[str, Callable[[tuple[Grid, ...]], list[Quotient | None]]] = {
    "sum": _sum_of_outputs,
    "squared": _half_squares,
    "cross-entropy": _logarithms,
}


def loss_value(kind: str, premises: tuple[Grid, ...]) -> Grid:
    """The value of a loss, undefined where a term of it is.

    Raises:
        InputError: more premises, or fewer, than it is made of.

    >>> str(loss_value("squared", (((Quotient.of(3),),), ((Quotient.of(1),),)))[0][0])
    '2'
    """
    if len(premises) != (1 if kind == "sum" else 2):
        raise InputError(f"A loss of the kind {kind} is not made of {len(premises)} quantities.")
    terms = _TERMS[kind](premises)
    known = [term for term in terms if term is not None]
    if len(known) < len(terms):
        return ((None,),)
    is_plain = all(term.is_finite and term.is_closed for term in known)
    return ((added(known) if is_plain else reduce(add, known),),)
