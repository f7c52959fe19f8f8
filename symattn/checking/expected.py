"""What a definition calls for at one entry: sums of products of other entries, as scalar arithmetic.

``S[1,2]`` calls for ``Q[1,1]·K[2,1] + Q[1,2]·K[2,2]``; each leaf can be opened again by its own
definition, so that work which leaves out a step is read as well.
"""

from __future__ import annotations

from typing import TypeAlias

from symattn.checking.graph import (
    Axis,
    Cell,
    Exponential,
    Formula,
    Graph,
    Less,
    LineMaximum,
    LineSum,
    Multiple,
    Ratio,
    Ref,
    Scaled,
    Softmax,
    Times,
    Transposed,
    line_of,
    shape_of,
)
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Leaf:
    """An entry of a quantity."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Add:
    """A sum, term by term."""

    terms: tuple[Expected, ...]


@dataclass(frozen=True, slots=True)
class Minus:
    """A difference."""

    first: Expected
    second: Expected


@dataclass(frozen=True, slots=True)
class Mul:
    """A product of two factors."""

    first: Expected
    second: Expected


@dataclass(frozen=True, slots=True)
class Exp:
    """``e`` to a power."""

    exponent: Expected


@dataclass(frozen=True, slots=True)
class Quo:
    """A quotient."""

    above: Expected
    below: Expected


@dataclass(frozen=True, slots=True)
class Max:
    """The largest of several."""

    terms: tuple[Expected, ...]


Expected: TypeAlias = Leaf | Add | Minus | Mul | Exp | Quo | Max


def leaves(expected: Expected) -> list[Cell]:
    """The entries that are called for, in the order in which they would be written."""
    match expected:
        case Leaf(cell):
            return [cell]
        case Add(terms) | Max(terms):
            return [cell for term in terms for cell in leaves(term)]
        case Exp(exponent):
            return leaves(exponent)
        case Minus(first, second) | Mul(first, second) | Quo(first, second):
            return leaves(first) + leaves(second)


def expected_at(graph: Graph, cell: Cell) -> Expected | None:
    """What the definition of an entry calls for, None where it is given."""
    name, i, j = cell
    formula = graph.nodes[name].formula
    return None if formula is None else _entry(graph, formula, i, j)


def _entry(graph: Graph, formula: Formula, i: int, j: int) -> Expected:
    match formula:
        case Ref(name):
            return Leaf((name, i, j))
        case Transposed(of):
            return _entry(graph, of, j, i)
        case Times(left, right):
            inner = shape_of(left, graph)[1]
            terms = tuple(Mul(_entry(graph, left, i, k), _entry(graph, right, k, j)) for k in range(inner))
            return terms[0] if inner == 1 else Add(terms)
        case Scaled(factor, of):
            return Mul(Leaf((factor, 0, 0)), _entry(graph, of, i, j))
        case Multiple():
            raise TypeError("a number that is no quantity stands in no definition")
        case Exponential(of):
            return Exp(_entry(graph, of, i, j))
        case Softmax(of, axis):
            powers = _line(graph, of, axis, i, j)
            return Quo(Exp(_entry(graph, of, i, j)), _added([Exp(power) for power in powers]))
        case LineSum(of, axis):
            return _added(_line(graph, of, axis, i, i))
        case LineMaximum(of, axis):
            return Max(tuple(_line(graph, of, axis, i, i)))
        case Ratio(numerator, denominator, axis):
            number = i if axis == "rows" else j
            return Quo(_entry(graph, numerator, i, j), _entry(graph, denominator, number, 0))
        case Less(of, by, axis):
            number = i if axis == "rows" else j
            return Minus(_entry(graph, of, i, j), _entry(graph, by, number, 0))


def _line(graph: Graph, of: Formula, axis: Axis, i: int, j: int) -> list[Expected]:
    shape = shape_of(of, graph)
    places = line_of(shape, axis, i, j)
    return [_entry(graph, of, *place) for place in places]


def _added(terms: list[Expected]) -> Expected:
    return terms[0] if len(terms) == 1 else Add(tuple(terms))
