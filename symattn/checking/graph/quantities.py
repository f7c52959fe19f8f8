"""Computation graph: quantities, each an input or defined by a formula in earlier ones.

The same graph serves an attention layer and a problem with definitions of its own. A `Valuation` works
out every entry from the inputs and from numbers that somebody wrote down on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from symattn.checking.graph.formulas import Axis, Cell, argument_of_softmax, scaled
from symattn.checking.graph.scalar_values import ONE, Round, ScalarValues, Value, defined
from symattn.errors import EffortError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.operations.formulas.formula import (
    Apply,
    Constant,
    Formula,
    Ref,
    Transposed,
    is_of,
    names_in,
    parts,
    shape,
)
from symattn.operations.operation import MisfitError, Shape, Shapes
from symattn.operations.table import TABLE
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """One quantity: its shape and its definition (None for an input)."""

    name: str
    shape: tuple[int, int]
    formula: Formula | None
    step: str = ""
    """The step of a rounding policy that makes it; empty for what is never rounded."""
    also: tuple[Apply, ...] = ()
    """Other formulas that come to the same by way of other quantities."""


class Graph:
    """Quantities in the order of their computation, with the values of the inputs.

    Args:
        nodes: the quantities.
        given: the values of those without a formula.
        known: values of others that were worked out before, so that nobody does it again.
    """

    def __init__(
        self, nodes: Mapping[str, Node], given: Mapping[str, Matrix], known: Mapping[str, Matrix] | None = None
    ) -> None:
        self.nodes = dict(nodes)
        self.given = dict(given)
        self.known = dict(known or {})
        self._parents: dict[str, frozenset[str]] = {}
        self._below: dict[str, tuple[str, ...]] = {}
        self.order = {name: position for position, name in enumerate(nodes)}
        self._shapes: dict[int, tuple[Apply, Shapes]] = {}

    @cached_property
    def adds_one(self) -> bool:
        """True if the sums of exponentials have 1 more, which is then what a softmax means."""
        return any(is_of(node.formula, "line-sum-plus-one") for node in self.nodes.values())

    @cached_property
    def factors(self) -> frozenset[str]:
        """The quantities that scale others."""
        return frozenset(found[0] for node in self.nodes.values() if (found := scaled(node.formula)) is not None)

    def __contains__(self, name: str) -> bool:
        return name in self.nodes

    def shape(self, name: str) -> Shape:
        """Return rows and columns."""
        return self.nodes[name].shape

    def operand_shapes(self, formula: Apply) -> Shapes:
        """Return the shapes of the operands of a formula."""
        known = self._shapes.get(id(formula))
        if known is None:
            known = self._shapes[id(formula)] = formula, [shape_of(part, self) for part in formula.operands]
        return known[1]

    def cells(self, name: str) -> Iterator[Cell]:
        """Yield every entry of a quantity."""
        rows, columns = self.shape(name)
        return ((name, i, j) for i in range(rows) for j in range(columns))

    def parents(self, name: str) -> frozenset[str]:
        """Return the quantities that a quantity is computed from directly."""
        if name not in self._parents:
            formula = self.nodes[name].formula
            self._parents[name] = frozenset(() if formula is None else names_in(formula))
        return self._parents[name]

    def below(self, name: str) -> tuple[str, ...]:
        """Return everything that is computed from a quantity, directly or not."""
        if name not in self._below:
            found = {name}
            for other in self.nodes:
                if found & self.parents(other):
                    found.add(other)
            self._below[name] = tuple(other for other in self.nodes if other in found and other != name)
        return self._below[name]


Rounded: TypeAlias = Callable[[str, Quotient], Quotient]
"""Rounding of a value of a quantity before it is used further."""


class Valuation:
    """Values of all entries, from the inputs and from written intermediate results.

    Args:
        graph: the quantities.
        written: entries whose value is taken as somebody wrote it.
        ignore: quantities whose written entries are not used.
        rounded: how computed values are rounded; not at all when None.
        raises: whether a value that takes too much work is an error, and not one that an entry does not have: for
            what a verdict rests on, and not only a probe.
        most: how many terms a sum may have over one denominator; a longer one is known by enclosures alone.
    """

    def __init__(
        self,
        graph: Graph,
        written: Mapping[Cell, Quotient] | None = None,
        ignore: frozenset[str] = frozenset(),
        rounded: Rounded | None = None,
        *,
        raises: bool = False,
        most: int | None = None,
    ) -> None:
        self.graph = graph
        self.raises = raises
        self.most = most
        self.written = written or {}
        self.ignore = ignore
        self.rounded = rounded
        self._found: dict[Cell, Quotient | None] = {}
        self._exact = {} if rounded is not None else self._untouched()

    def with_written(self, cell: Cell, value: Quotient) -> Valuation:
        """Return a valuation with one more number written, or another one; independent values are kept."""
        found = Valuation(self.graph, {**self.written, cell: value}, self.ignore, self.rounded, raises=self.raises)
        below = set() if cell[0] in self.ignore else set(self.graph.below(cell[0]))
        found._found = {other: known for other, known in self._found.items() if other[0] not in below}
        return found

    def get(self, name: str, i: int, j: int) -> Quotient | None:
        """Return the value of an entry, None where it has none (a sum that is zero divides it)."""
        cell = (name, i, j)
        if name not in self.ignore and cell in self.written:
            return self.written[cell]
        exact = self._exact.get(name)
        if exact is not None:
            return defined(exact[i, j])
        return self.step(cell)

    def _untouched(self) -> dict[str, Matrix]:
        """Return known values, independent of the submission."""
        if not self.graph.known:
            return {}
        touched = {cell[0] for cell in self.written if cell[0] not in self.ignore}
        later = touched.union(*(self.graph.below(name) for name in touched))
        # An entry that was written stands before what is known of it.
        return {name: values for name, values in self.graph.known.items() if name not in later}

    def step(self, cell: Cell) -> Quotient | None:
        """Return the value of an entry from its formula, whatever was written for it.

        Raises:
            EffortError: it takes too much work, and that is an error here.
        """
        if cell not in self._found:
            try:
                self._found[cell] = self._worked_out(cell)
            except EffortError:
                if self.raises:
                    raise
                self._found[cell] = None
        return self._found[cell]

    def _worked_out(self, cell: Cell) -> Quotient | None:
        name, i, j = cell
        formula = self.graph.nodes[name].formula
        if formula is None:
            return self.graph.given[name][i, j]
        if name in self.graph.known and self._rests_on_exact(name):
            return defined(self.graph.known[name][i, j])
        value = self.entry(formula, i, j)
        if value is None or self.rounded is None or not value.is_finite:
            return value
        return self.rounded(name, value)

    def _rests_on_exact(self, name: str) -> bool:
        return self.rounded is None and all(parent in self._exact for parent in self.graph.parents(name))

    def entry(self, formula: Formula, i: int, j: int) -> Quotient | None:
        """Return one entry of a formula."""
        match formula:
            case Ref(name):
                return self.get(name, i, j)
            case Transposed(of):
                return self.entry(of, j, i)
            case Constant(values):
                return values[i, j]
            case Apply(operation):
                shapes = self.graph.operand_shapes(formula)
                return self.folded(formula).of(TABLE[operation].entry(formula.params, shapes, i, j))

    def folded(self, formula: Apply, product: Round | None = None) -> ScalarValues:
        """Return the values of scalar expressions over the operands of a formula, maybe with rounded products."""
        operands = formula.operands

        def leaf(scalar: Any) -> Value:
            of = operands[scalar.operand]
            if type(of) is Ref:  # most operands are
                return self.get(of.name, scalar.row, scalar.column)
            return self.entry(of, scalar.row, scalar.column)

        return ScalarValues(leaf, self.most, product)

    def spread(self, formula: Formula, i: int, j: int) -> Quotient | None:
        """Return one entry of a broadcast formula."""
        return self.entry(formula, *spread_place(self.shape(formula), i, j))

    def shape(self, formula: Formula) -> tuple[int, int]:
        """Return the shape of a formula."""
        return shape_of(formula, self.graph)

    def matrix(self, name: str) -> list[list[Quotient | None]]:
        """Return all entries of a quantity."""
        rows, columns = self.graph.shape(name)
        return [[self.get(name, i, j) for j in range(columns)] for i in range(rows)]


def shape_of(formula: Formula, graph: Graph) -> tuple[int, int]:
    """Return rows and columns of a formula; works write formulas whose parts do not fit, too."""
    try:
        return shape(formula, graph.shape)
    except MisfitError:
        shapes = [shape_of(part, graph) for part in parts(formula)]
    if isinstance(formula, Transposed):
        return shapes[0][::-1]
    if is_of(formula, "product"):
        return shapes[0][0], shapes[1][1]
    return max(rows for rows, _ in shapes), max(columns for _, columns in shapes)


def spread_place(shape: tuple[int, int], i: int, j: int) -> tuple[int, int]:
    """Return the entry of a row, a column or a number that is broadcast to an entry of a matrix."""
    return (i if shape[0] > 1 else 0), (j if shape[1] > 1 else 0)


def line_of(shape: tuple[int, int], axis: Axis, i: int, j: int) -> list[tuple[int, int]]:
    """Return the entries that share a line with an entry, itself included."""
    rows, columns = shape
    if axis == "rows":
        return [(i, k) for k in range(columns)]
    if axis == "columns":
        return [(k, j) for k in range(rows)]
    return [(k, m) for k in range(rows) for m in range(columns)]


def scores_of(formula: Formula | None, graph: Graph) -> Formula | None:
    """Return the argument of a quantity's softmax."""
    match formula:
        case Apply("quotient" | "masked-quotient" | "entrywise-quotient", _, (Ref(name), *_)):
            inner = graph.nodes[name].formula
            return inner.operands[0] if isinstance(inner, Apply) and is_of(inner, "exponential") else None
    return argument_of_softmax(formula)


_MAX_SIZE = 64


def sizes_of(graph: Graph) -> list[int]:
    """Return the sizes of the quantities of a graph, the smallest first."""
    return sorted({size for node in graph.nodes.values() for size in node.shape if 1 < size <= _MAX_SIZE})


def other_roots(graph: Graph, scale: Quotient) -> list[tuple[int, Quotient]]:
    """Return the reciprocal root of each size that a scale may be mistaken for, and the size."""
    if scale.symbols or (scale * scale).rational() is None:
        return []
    roots = ((size, Quotient.of(Polynomial.sqrt(Fraction(1, size)))) for size in sizes_of(graph))
    return [(size, root) for size, root in roots if root not in (scale, scale * scale, ONE)]
