"""TRUSTED. What losses and soft caps bring into a backward pass: rules, and definitions as written mathematics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add
from typing import TypeAlias

from symattn.derivation import quantity as q
from symattn.derivation.scene import Entry, Index, Scene
from symattn.errors import InputError
from symattn.exact.common import added
from symattn.exact.matrix import Matrix, softmax_rows
from symattn.exact.quotient import Quotient
from symattn.exact.sign import sign
from symattn.notation import tree as t

_Line: TypeAlias = tuple[Quotient | None, ...]
_HALF = Quotient.of("1/2")


# Rules ----------------------------------------------------------------------------------------------


def softmax_lines(lines: q.Grid) -> q.Grid:
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


def cap_gradient(premises: tuple[q.Grid, ...]) -> q.Grid:
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


def _sum_of_outputs(premises: tuple[q.Grid, ...]) -> list[Quotient | None]:
    return [value for row in premises[0] for value in row]


def _half_squares(premises: tuple[q.Grid, ...]) -> list[Quotient | None]:
    rows = zip(*premises, strict=True)
    pairs = [pair for row in rows for pair in zip(*row, strict=True)]
    return [None if a is None or b is None else _HALF * ((a - b) * (a - b)) for a, b in pairs]


def _logarithms(premises: tuple[q.Grid, ...]) -> list[Quotient | None]:
    chances, labels = premises
    rows = zip(chances, labels, strict=True)
    chosen = [value for row in rows for value, label in zip(*row, strict=True) if label is None or not label.is_zero]
    return [_minus_ln(value) for value in chosen]


def _minus_ln(value: Quotient | None) -> Quotient | None:
    """None also where a rounded number is 0, which has no logarithm."""
    if value is None or sign(value) <= 0:
        return None
    from symattn.exact.certain import ln  # start-up: few losses have logarithms

    return -ln(value)


_TERMS: Mapping[str, Callable[[tuple[q.Grid, ...]], list[Quotient | None]]] = {
    "sum": _sum_of_outputs,
    "squared": _half_squares,
    "cross-entropy": _logarithms,
}


def loss_value(kind: str, premises: tuple[q.Grid, ...]) -> q.Grid:
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


# Definitions ----------------------------------------------------------------------------------------


def entry_forms(scene: Scene, definition: q.LossDefinition, row: Index, column: Index) -> tuple[t.Node, ...]:
    """The forms of an entry: ``e^{O_ij}/(e^{O_i1} + ...)``, or ``dS_ij (1 - (S_ij/c)^2)``."""
    match definition:
        case q.SoftmaxOf(of, axis):
            powers = [t.Power(t.Name("e"), entry) for entry in _line(scene, of, axis, row, column)]
            own = t.Power(t.Name("e"), scene.entry(of, row, column))
            below = powers[0] if len(powers) == 1 else t.Sum(tuple(powers), ("+",) * (len(powers) - 1))
            return (t.Division(own, below),)
        case q.CapGradientOf(gradient, capped, cap, number):
            share = t.Division(scene.entry(capped, row, column), scene.quantities[cap].symbol)
            slope = t.Sum((t.Number("1"), t.Power(t.Group(share), t.Number("2"))), ("-",))
            symbols = [scene.quantities[number].symbol] if number else []
            factors = (*symbols, scene.entry(gradient, row, column), t.Group(slope))
            return (t.Product(factors, ("cdot",) * (len(factors) - 1)),)
    return ()


def _line(scene: Scene, of: str, axis: q.Axis, row: Index, column: Index) -> list[t.Node]:
    rows, columns = scene.quantities[of].shape
    if axis == "rows":
        return [scene.entry(of, row, k) for k in range(1, columns + 1)]
    return [scene.entry(of, k, column) for k in range(1, rows + 1)]


def made_of(scene: Scene, definition: q.SoftmaxOf | q.CapGradientOf, row: int, column: int) -> list[Entry]:
    """The entries that an entry is made of."""
    if isinstance(definition, q.CapGradientOf):
        numbers = [Entry(name, 1, 1) for name in (definition.cap, definition.number) if name]
        return [Entry(definition.gradient, row, column), Entry(definition.capped, row, column), *numbers]
    rows, columns = scene.quantities[definition.of].shape
    if definition.axis == "rows":
        return [Entry(definition.of, row, k) for k in range(1, columns + 1)]
    return [Entry(definition.of, k, column) for k in range(1, rows + 1)]


def loss_form(scene: Scene, loss: q.LossOf) -> t.Node:
    """A loss in names: a sum of entries, of squares of differences, or of logarithms."""
    first, quantity = loss.names[0], scene.quantities[loss.names[0]]
    places = [(i, j) for i in range(1, quantity.shape[0] + 1) for j in range(1, quantity.shape[1] + 1)]
    if loss.kind == "sum":
        return _sum([scene.entry(first, *place) for place in places])
    second = loss.names[1]
    if loss.kind == "squared":
        squares: list[t.Node] = []
        for place in places:
            difference = t.Sum((scene.entry(first, *place), scene.entry(second, *place)), ("-",))
            squares.append(t.Power(t.Group(difference), t.Number("2")))
        half = t.Division(t.Number("1"), t.Number("2"))
        return t.Product((half, t.Group(_sum(squares)) if len(squares) > 1 else squares[0]), ("",))
    chosen = [(i, j) for i, j in places if not scene.quantities[second].exact[i - 1, j - 1].is_zero]
    logarithms: list[t.Node] = [t.Call(t.Name("ln"), (scene.entry(first, *place),)) for place in chosen]
    first_term = t.Negative(logarithms[0])
    return t.Sum((first_term, *logarithms[1:]), ("-",) * (len(chosen) - 1)) if len(chosen) > 1 else first_term


def _sum(terms: list[t.Node]) -> t.Node:
    return terms[0] if len(terms) == 1 else t.Sum(tuple(terms), ("+",) * (len(terms) - 1))
