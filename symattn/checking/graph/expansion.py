"""Expansion of an entry by its definition: sums of products of other entries, as scalar arithmetic.

``S[1,2]`` calls for ``Q[1,1]·K[2,1] + Q[1,2]·K[2,2]``; each leaf can be opened again by its own
definition, so that work which leaves out a step is read as well.
"""

from __future__ import annotations

from typing import TypeAlias

from symattn.checking.graph.formulas import (
    Axis,
    Cell,
    Constant,
    EntrywiseQuotient,
    Exponential,
    Formula,
    Hadamard,
    Joined,
    LineMaximum,
    LineSum,
    Mapped,
    Masked,
    Mean,
    Multiple,
    OverRoot,
    Part,
    Plus,
    Ratio,
    Ref,
    Scaled,
    Softmax,
    SubtractPerLine,
    Times,
    Transposed,
)
from symattn.checking.graph.formulas import Minus as Difference
from symattn.checking.graph.partial_arithmetic import ONE, ZERO
from symattn.checking.graph.quantities import Graph, Valuation, joined_place, line_of, shape_of, spread_place
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Leaf:
    """An entry of a quantity."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Fixed:
    """A number in a definition itself, or minus infinity where a mask hides an entry."""

    value: Quotient


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


@dataclass(frozen=True, slots=True)
class Function:
    """A function of one part: ``"sqrt"``, or an activation by its name."""

    name: str
    of: Expected


Expected: TypeAlias = Leaf | Fixed | Add | Minus | Mul | Exp | Quo | Max | Function


def leaves(expected: Expected) -> list[Cell]:
    """Return the required entries, in the order in which they would be written."""
    match expected:
        case Leaf(cell):
            return [cell]
        case Fixed():
            return []
        case Add(terms) | Max(terms):
            return [cell for term in terms for cell in leaves(term)]
        case Exp(part) | Function(_, part):
            return leaves(part)
        case Minus(first, second) | Mul(first, second) | Quo(first, second):
            return leaves(first) + leaves(second)


def expected_at(graph: Graph, cell: Cell) -> Expected | None:
    """Return the expansion of an entry by its definition, None for an input."""
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
        case Multiple(share, of):
            return Mul(Fixed(share), _entry(graph, of, i, j))
        case Mapped("relu", of):
            return Max((Fixed(ZERO), _entry(graph, of, i, j)))
        case Mapped(function, of):
            return Function(function, _entry(graph, of, i, j))
        case OverRoot(of, by, eps, axis):
            below = _entry(graph, by, i if axis == "rows" else j, 0)
            inside = below if eps is None else Add((below, _entry(graph, eps, 0, 0)))
            return Quo(_entry(graph, of, i, j), Function("sqrt", inside))
        case Exponential(of):
            return Exp(_entry(graph, of, i, j))
        case Softmax(of, axis, extra):
            powers: list[Expected] = [Exp(power) for power in _line(graph, of, axis, i, j)]
            return Quo(Exp(_entry(graph, of, i, j)), _added([*powers, *([Fixed(ONE)] if extra else [])]))
        case LineSum(of, axis, extra):
            return _added([*_line(graph, of, axis, i, i), *([Fixed(ONE)] if extra else [])])
        case LineMaximum(of, axis):
            return Max(tuple(_line(graph, of, axis, i, i)))
        case Ratio(numerator, denominator, axis):
            number = i if axis == "rows" else j
            return Quo(_entry(graph, numerator, i, j), _entry(graph, denominator, number, 0))
        case SubtractPerLine(of, by, axis):
            number = i if axis == "rows" else j
            return Minus(_entry(graph, of, i, j), _entry(graph, by, number, 0))
        case Constant(values):
            return Fixed(values[i, j])
        case Plus(left, right):
            first, second = _spread(graph, left, i, j), _spread(graph, right, i, j)
            return Add((*_terms(first), *_terms(second)))
        case Difference(left, right):
            return Minus(_spread(graph, left, i, j), _spread(graph, right, i, j))
        case Hadamard(left, right):
            return Mul(_spread(graph, left, i, j), _spread(graph, right, i, j))
        case EntrywiseQuotient(left, right):
            return Quo(_entry(graph, left, i, j), _entry(graph, right, i, j))
        case Masked(of, by, "add"):
            return Add((_entry(graph, of, i, j), _spread(graph, by, i, j)))
        case Masked(of, by, way):
            mask = Valuation(graph).spread(by, i, j)
            is_hidden = mask is not None and mask.is_zero == (way == "keep")
            return Fixed(MINUS_INFINITY) if is_hidden else _entry(graph, of, i, j)
        case Part(of, axis, start):
            return _entry(graph, of, i, j + start) if axis == "columns" else _entry(graph, of, i + start, j)
        case Joined(items, axis):
            return _entry(graph, *joined_place(items, axis, (i, j), graph))
        case Mean(items):
            return Mul(Fixed(ONE / len(items)), _added([_entry(graph, item, i, j) for item in items]))


def _spread(graph: Graph, formula: Formula, i: int, j: int) -> Expected:
    return _entry(graph, formula, *spread_place(shape_of(formula, graph), i, j))


def _terms(expected: Expected) -> tuple[Expected, ...]:
    return expected.terms if isinstance(expected, Add) else (expected,)


def _line(graph: Graph, of: Formula, axis: Axis, i: int, j: int) -> list[Expected]:
    shape = shape_of(of, graph)
    places = line_of(shape, axis, i, j)
    return [_entry(graph, of, *place) for place in places]


def _added(terms: list[Expected]) -> Expected:
    return terms[0] if len(terms) == 1 else Add(tuple(terms))
