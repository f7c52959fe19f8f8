"""Expansion of an entry by its definition: the scalar expression of its formula, over entries of other quantities.

``S[1,2]`` calls for ``Q[1,1]·K[2,1] + Q[1,2]·K[2,2]``; each entry can be opened again by its own definition, so that
work which leaves out a step is read as well. An expansion is laid out as people write it: sums are flat, a difference
has two terms, products have two factors, and a choice is made by the values that the sheet gives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.graph.scalar_values import ScalarValues, Value
from symattn.exact.field.quotient import Quotient
from symattn.operations import scalar as s
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed
from symattn.operations.table import TABLE
from symattn.records import dataclass

Expected = s.Scalar
"""An expansion: a scalar expression whose leaves are entries of quantities."""


@dataclass(frozen=True, slots=True)
class Entry(s.Scalar):
    """An entry of a quantity."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Named(s.Scalar):
    """A function that is compared by its name and its argument, with the expression of its value."""

    name: str
    of: Expected
    value: Expected


def leaves(expected: Expected) -> list[Cell]:
    """Return the required entries, in the order in which they would be written."""
    if isinstance(expected, Entry):
        return [expected.cell]
    parts = (expected.of,) if isinstance(expected, Named) else s.parts(expected)
    return [cell for part in parts for cell in leaves(part)]


def value_of(expected: Expected, get: Callable[[str, int, int], Value]) -> Value:
    """Return the value of an expansion, None where it has none."""
    if type(expected) is Entry:  # most parts are
        return get(*expected.cell)
    folded = ScalarValues(lambda leaf: get(*leaf.cell) if type(leaf) is Entry else folded.of(leaf.value))
    return folded.of(expected)


_TRIGONOMETRIC = ("sin", "cos")


def is_difference(expected: Expected) -> bool:
    """Return True if an expansion is a difference of two terms."""
    return isinstance(expected, s.Add) and isinstance(expected.terms[-1], s.Neg)


def expected_at(graph: Graph, cell: Cell) -> Expected | None:
    """Return the expansion of an entry by its definition, None for an input."""
    name, i, j = cell
    formula = graph.nodes[name].formula
    return None if formula is None else _entry(graph, formula, i, j)


def other_expansions(graph: Graph, cell: Cell) -> list[Expected]:
    """Return the expansions of an entry by the other formulas that come to the same."""
    name, i, j = cell
    return [_entry(graph, formula, i, j) for formula in graph.nodes[name].also]


def _entry(graph: Graph, formula: Formula, i: int, j: int) -> Expected:
    match formula:
        case Ref(name):
            return Entry((name, i, j))
        case Transposed(of):
            return _entry(graph, of, j, i)
        case Constant(values):
            return s.Num(values[i, j])
        case Apply(name, params):
            operation = TABLE[name]
            opened = _Opening(graph, formula).of(operation.entry(params, graph.operand_shapes(formula), i, j))
            called = "" if operation.called is None else operation.called(params)
            return Named(called, _entry(graph, formula.operands[0], i, j), opened) if called else opened


class _Opening:
    """Opening of the entry of an operation: entries of its operands in their places, laid out as people write."""

    def __init__(self, graph: Graph, formula: Apply) -> None:
        self.graph = graph
        self.operands = formula.operands

    def of(self, scalar: s.Scalar) -> Expected:
        """Return an expression over entries of quantities."""
        match scalar:
            case s.Leaf(operand, int(row), int(column)):
                return _entry(self.graph, self.operands[operand], row, column)
            case s.Num(value):
                return s.Num(Quotient.of(value))
            case s.Total(count, body):
                terms = tuple(self.of(body(index)) for index in range(count))
                return terms[0] if count == 1 else s.Add(terms)
            case s.Add(terms):
                return self._sum(terms)
            case s.Mul(factors):
                *before, last = map(self.of, factors)
                return reduce(lambda product, factor: s.Mul((factor, product)), reversed(before), last)
            case s.Neg(of):
                return _negated(self.of(of))
            case s.Div(above, below):
                return _quotient(self.of(above), self.of(below))
            case s.Pow(of, exponent):
                base = self.of(of)
                return s.Mul((base, base)) if exponent == 2 else s.Pow(base, exponent)
            case s.Call(function, of):
                return _called(s.Call(function, self.of(of)))
            case s.Max(items):
                return s.Max(tuple(map(self.of, items)))
            case s.Require(_, of):
                return self.of(of)
            case s.Select():
                return self._choice(scalar)
        return scalar

    def _sum(self, terms: tuple[s.Scalar, ...]) -> Expected:
        """Return a sum, flat; numbers of the operation stand last, and a difference has two terms."""
        found: list[Expected] = []
        numbers: list[Expected] = []
        for term in terms:
            opened = self.of(term.of if isinstance(term, s.Neg) else term)
            if isinstance(term, s.Neg) and _is_times_number(term.of):
                found.append(_negated(opened))
            elif isinstance(term, s.Neg):
                found, numbers = [s.Add((_added([*found, *numbers]), s.Neg(opened)))], []
            elif isinstance(term, s.Num):
                numbers.append(opened)
            elif not _is_dropped(term, opened):
                found.extend(opened.terms if isinstance(opened, s.Add) and not is_difference(opened) else (opened,))
        return _added([*found, *numbers])

    def _choice(self, select: s.Select) -> Expected:
        """Return what a choice comes to by the values of the sheet; a line that is hidden whole is left out of it."""
        if select.test == "all-hidden":
            return self.of(select.other)
        of = self.of(select.of[0])
        if select.test == "positive":
            return s.Mul((self.of(select.then), s.Select("positive", (of,), s.ONE, s.ZERO)))
        value = value_of(of, Valuation(self.graph).get)
        is_chosen = value is not None and (value == 1 if select.test == "one" else not value.is_zero)
        return self.of(select.then if is_chosen else select.other)


def _is_dropped(term: s.Scalar, opened: Expected) -> bool:
    """Return True for what a choice leaves out of a sum."""
    return isinstance(term, s.Select) and isinstance(opened, s.Num) and opened.value == 0


def _is_times_number(scalar: s.Scalar) -> bool:
    """Return True for a product with a sine or cosine, a number that carries the sign itself."""
    return isinstance(scalar, s.Mul) and any(
        isinstance(factor, s.Call) and factor.function in _TRIGONOMETRIC for factor in scalar.factors
    )


def _negated(expected: Expected) -> Expected:
    match expected:
        case s.Num(value):
            return s.Num(-value)
        case s.Mul((first, s.Num(value))):
            return s.Mul((first, s.Num(-value)))
        case s.Mul((s.Num(value), second)):
            return s.Mul((s.Num(-value), second))
        case s.Call(function):
            return Named(f"-{function}", expected.of, s.Neg(expected))
    return s.Neg(expected)


def _quotient(above: Expected, below: Expected) -> Expected:
    """Return a quotient; of a number in the denominator the share."""
    if isinstance(below, s.Num) and below.value != 0:
        return s.Mul((s.Num(Quotient.of(1) / Quotient.of(below.value)), above))
    return s.Div(above, below)


def _called(call: s.Call) -> Expected:
    """Return a function; the sine or cosine of a number is a number."""
    if call.function in _TRIGONOMETRIC and isinstance(call.of, s.Num):
        value = value_of(call, lambda *_: None)
        return call if value is None else s.Num(value)
    return call


def _added(terms: list[Expected]) -> Expected:
    return terms[0] if len(terms) == 1 else s.Add(tuple(terms))
