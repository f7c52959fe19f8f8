"""TRUSTED. The quantities of one derivation, what names mean among them, and how values are written.

A name is bound by how it is written: ``Q`` is the whole matrix, ``Q_{31}`` an entry, ``Z_1`` the number
of a line, ``q_1`` in bold a row of Q as a column vector. Which letters mean what is the business of
whoever builds the scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from symattn.derivation import quantity as q
from symattn.derivation.closed_form import numeral, quotient_tree, slashed
from symattn.exact.evaluate import Indices, Value, evaluate
from symattn.exact.matrix import Matrix, softmax_rows
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding, decimal, magnitude
from symattn.notation import tree as t
from symattn.notation.plain_writer import describe, write_plain
from symattn.records import dataclass

Valuation: TypeAlias = Literal["exact", "carried", "end"]
"""Which value of a quantity is meant: by definition, under step rounding, or rounded once at the end."""


Index: TypeAlias = int | t.Node
"""An index of an entry: a number, or what is written in its place (``i``)."""


MAX_DIGITS = 80
"""The digits before the point beyond which a value has no decimals that could be written out."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole quantity."""

    name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, counted from 1."""

    name: str
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Line:
    """A row or a column as a column vector, counted from 1."""

    name: str
    index: int


Target: TypeAlias = Whole | Entry | Line
"""What a written name refers to."""


_WHOLE = re.compile("0|[1-9][0-9]{0,8}", re.ASCII)
"""A number as an index; ``01`` is none."""


@dataclass(frozen=True, slots=True)
class _Binding:
    name: str
    kind: Literal["whole", "entry", "number", "line"]


class Scene:
    """Quantities with their names bound; immutable once made.

    Args:
        quantities: the quantities, in the order of their derivation.
        symbols: values of declared symbols (``beta``), each a number or the symbol itself.
    """

    def __init__(self, quantities: Iterable[q.Quantity], symbols: Mapping[str, Quotient] | None = None) -> None:
        self.quantities = {quantity.name: quantity for quantity in quantities}
        self.symbols = dict(symbols or {})
        self._bindings: dict[tuple[str, int], _Binding] = {}
        # What was worked out before, of values that cannot change: a solution writes and judges the same
        # entries and sides several times. A node is kept beside its value, so that its id stays its own.
        self._literals: dict[tuple[str, int, int, Valuation, Rounding | None], t.Node | None] = {}
        self._values: dict[int, tuple[t.Node, Value]] = {}
        for quantity in self.quantities.values():
            self._bind(quantity)

    def _bind(self, quantity: q.Quantity) -> None:
        self._bindings[_head(quantity.symbol), 0] = _Binding(quantity.name, "whole")
        head = _head(quantity.entry_symbol)
        if quantity.vector:
            self._bindings[head, 1] = _Binding(quantity.name, "number")
        elif not quantity.scalar:
            self._bindings[head, 2] = _Binding(quantity.name, "entry")
        if quantity.line_symbol is not None:
            self._bindings[_head(quantity.line_symbol), 1] = _Binding(quantity.name, "line")

    # What a name means -----------------------------------------------------------------------------

    def resolve(self, node: t.Node, indices: Indices | None = None) -> Target | None:
        """What `node` refers to, or None when it is not a name of this scene."""
        if not isinstance(node, t.Name | t.Subscript):
            return None
        whole = self._bindings.get((_head(node), 0))
        if whole is not None:
            return Whole(whole.name)
        if not isinstance(node, t.Subscript):
            return None
        return self._indexed(node, indices or {})

    def _indexed(self, node: t.Subscript, indices: Indices) -> Target | None:
        head = _head(node.base)
        numbers = [_index(index, indices) for index in node.indices]
        if any(number is None for number in numbers):
            return None
        found = [number for number in numbers if number is not None]
        pair = self._bindings.get((head, 2))
        if pair is not None:
            return self._entry(pair.name, _split(found, node))
        single = self._bindings.get((head, 1))
        if single is None or len(found) != 1:
            return None
        quantity = self.quantities[single.name]
        rows, columns = quantity.shape
        if single.kind == "number":
            return Entry(single.name, found[0], 1) if 1 <= found[0] <= rows else None
        lines = rows if quantity.line_axis == "rows" else columns
        return Line(single.name, found[0]) if 1 <= found[0] <= lines else None

    def _entry(self, name: str, found: list[int]) -> Entry | None:
        rows, columns = self.quantities[name].shape
        if len(found) == 2 and 1 <= found[0] <= rows and 1 <= found[1] <= columns:
            return Entry(name, found[0], found[1])
        return None

    def quantity(self, target: Target) -> q.Quantity:
        """The quantity that a target belongs to."""
        return self.quantities[target.name]

    # What it is worth ------------------------------------------------------------------------------

    def exact(self, target: Target) -> Value:
        """The exact value of a target: a matrix, a number, or a column vector."""
        quantity = self.quantity(target)
        match target:
            case Whole():
                return quantity.exact[0, 0] if quantity.scalar else quantity.exact
            case Entry(_, row, column):
                return quantity.exact[row - 1, column - 1]
            case Line(_, index):
                return Matrix([[quantity.exact[i - 1, j - 1]] for i, j in self.places(target, index)])

    def places(self, target: Line, index: int) -> list[tuple[int, int]]:
        """The entries of a line, from 1."""
        quantity = self.quantity(target)
        rows, columns = quantity.shape
        if quantity.line_axis == "rows":
            return [(index, column) for column in range(1, columns + 1)]
        return [(row, index) for row in range(1, rows + 1)]

    def carried(self, target: Target) -> Value | None:
        """The step-rounded value of a target, None where an entry of it is undefined."""
        quantity = self.quantity(target)
        match target:
            case Whole():
                rows = quantity.carried
            case Entry(_, row, column):
                return quantity.carried[row - 1][column - 1]
            case Line(_, index):
                rows = tuple((quantity.carried[i - 1][j - 1],) for i, j in self.places(target, index))
        values = [[value for value in row if value is not None] for row in rows]
        if any(len(kept) != len(row) for kept, row in zip(values, rows, strict=True)):
            return None
        return values[0][0] if quantity.scalar else Matrix(values)

    def carried_value(self, node: t.Node) -> Value:
        """The value of written arithmetic in which names stand for what is carried on."""
        return evaluate(node, self._lookup_carried, None, self._softmax)

    def _lookup_carried(self, node: t.Node, indices: Indices) -> Value | None:
        target = self.resolve(node, indices)
        if target is None or self.quantity(target).digits:
            return self.lookup(node, indices)
        return self.carried(target)

    def lookup(self, node: t.Node, indices: Indices) -> Value | None:
        """The exact value of a name, for `evaluate`."""
        target = self.resolve(node, indices)
        if target is not None:
            # What is known by its digits alone has no exact value to reckon with.
            return None if self.quantity(target).digits else self.exact(target)
        if isinstance(node, t.Name) and node.text in indices:
            return Quotient.of(indices[node.text])
        if isinstance(node, t.Subscript) and isinstance(node.base, t.Group):
            return self._part(node, indices)
        return self.symbols.get(write_plain(node))

    def _part(self, node: t.Subscript, indices: Indices) -> Value | None:
        """An entry, or a row, of a bracketed expression such as ``(QK^T)_{i,j}``."""
        value = self.value(node.base, indices)
        numbers = [_index(index, indices) for index in node.indices]
        if not isinstance(value, Matrix):
            return None
        match numbers:
            case [int() as row, int() as column] if row <= value.shape[0] and column <= value.shape[1]:
                return value[row - 1, column - 1] if row > 0 and column > 0 else None
            case [int() as row] if 1 <= row <= value.shape[0]:
                return Matrix([value.rows[row - 1]])
        return None

    def value(self, node: t.Node, indices: Indices | None = None) -> Value:
        """The exact value of written arithmetic in this scene."""
        if indices:
            return evaluate(node, self.lookup, indices, self._softmax)
        known = self._values.get(id(node))
        if known is None:
            known = self._values[id(node)] = (node, evaluate(node, self.lookup, None, self._softmax))
        return known[1]

    def _softmax(self, scores: Matrix) -> Matrix:
        weights = self.quantities.get("A")
        ratio = weights.definition if weights is not None else None
        by_columns = isinstance(ratio, q.RatioOf) and ratio.axis == "columns"
        return softmax_rows(scores.T).T if by_columns else softmax_rows(scores)

    @property
    def decimals(self) -> bool:
        """Whether exact values are written as decimals wherever they end."""
        return any(quantity.decimals for quantity in self.quantities.values())

    def written(self, value: Quotient) -> t.Node:
        """The prescribed closed form of an exact value."""
        return quotient_tree(value, decimals=self.decimals)

    # How it is written -----------------------------------------------------------------------------

    def reference(self, target: Target) -> t.Node:
        """The name of a target: ``Q``, ``Q_{31}``, ``Z_1``, ``q_1``."""
        quantity = self.quantity(target)
        match target:
            case Whole():
                return quantity.symbol
            case Entry(_, row, _) if quantity.vector:
                return t.Subscript(quantity.entry_symbol, (t.Number(str(row)),))
            case Entry(_, row, column):
                return entry_of(quantity, row, column)
            case Line(_, index):
                if quantity.line_symbol is None:
                    raise ValueError(f"the lines of {quantity.name} have no name")
                return t.Subscript(quantity.line_symbol, (t.Number(str(index)),))

    def literal(self, target: Target, valuation: Valuation, override: Rounding | None = None) -> t.Node | None:
        """The one prescribed way to write the value of a target, None where it is undefined."""
        quantity = self.quantity(target)
        match target:
            case Entry(_, row, column):
                return self._entry_literal(quantity, row, column, valuation, override)
            case Whole() if quantity.scalar:
                return self._entry_literal(quantity, 1, 1, valuation, override)
            case Whole():
                rows, columns = quantity.shape
                places = [[(i, j) for j in range(1, columns + 1)] for i in range(1, rows + 1)]
            case Line(_, index):
                places = [[place] for place in self.places(target, index)]
        rows_of_nodes = [[self._entry_literal(quantity, i, j, valuation, override) for i, j in row] for row in places]
        return _matrix_tree(rows_of_nodes)

    def _entry_literal(
        self, quantity: q.Quantity, row: int, column: int, valuation: Valuation, override: Rounding | None = None
    ) -> t.Node | None:
        key = (quantity.name, row, column, valuation, override)
        if key not in self._literals:
            form = self._carried_form(quantity, row, column) if valuation == "carried" else None
            self._literals[key] = form or entry_literal(quantity, row, column, valuation, override)
        return self._literals[key]

    def _carried_form(self, quantity: q.Quantity, row: int, column: int) -> t.Node | None:
        """A closed form in values that were rounded, each written with the digits that it was rounded to."""
        value = quantity.carried[row - 1][column - 1]
        if quantity.rounding is not None or quantity.style == "rational" or quantity.is_exact(row, column):
            return None
        if value is None or value.symbols or value.rational() is not None:
            return None
        match quantity.definition:
            case q.ExponentialOf(of):
                exponent = self._entry_literal(self.quantities[of], row, column, "carried")
                return None if exponent is None else t.Power(t.Name("e"), slashed(exponent))
            case q.LineSum(of, axis):
                return self._carried_sum(self.quantities[of], axis, row)
            case q.RatioOf(numerator, denominator, axis):
                above = self._entry_literal(self.quantities[numerator], row, column, "carried")
                number = row if axis == "rows" else column
                below = self._entry_literal(self.quantities[denominator], number, 1, "carried")
                return None if above is None or below is None else t.Division(above, below)
        return None

    def _carried_sum(self, quantity: q.Quantity, axis: q.Axis, number: int) -> t.Node | None:
        rows, columns = quantity.shape
        places = [(number, j + 1) for j in range(columns)] if axis == "rows" else [(i + 1, number) for i in range(rows)]
        terms = [self._entry_literal(quantity, *place, "carried") for place in places]
        written = tuple(term for term in terms if term is not None)
        if len(written) < len(terms):
            return None
        return written[0] if len(written) == 1 else t.Sum(written, ("+",) * (len(written) - 1))

    def with_quantities(self, changed: Iterable[q.Quantity]) -> Scene:
        """The same scene with some quantities replaced."""
        return Scene({**self.quantities, **{quantity.name: quantity for quantity in changed}}.values(), self.symbols)


def _matrix_tree(rows: list[list[t.Node | None]]) -> t.Matrix | None:
    full = [tuple(node for node in row if node is not None) for row in rows]
    if any(len(kept) != len(row) for kept, row in zip(full, rows, strict=True)):
        return None
    return t.Matrix(tuple(full))


def index_node(index: Index) -> t.Node:
    """An index as written: a numeral for a number, a running index as it is."""
    return t.Number(str(index)) if isinstance(index, int) else index


def entry_of(quantity: q.Quantity, row: Index, column: Index) -> t.Node:
    """An entry as written: ``Q_{31}`` while both indices are one digit, ``Q_{3,11}`` otherwise."""
    rows, columns = quantity.shape
    one_digit = 9
    if isinstance(row, int) and isinstance(column, int) and max(rows, columns) <= one_digit:
        return t.Subscript(quantity.entry_symbol, (t.Number(f"{row}{column}"),))
    return t.Subscript(quantity.entry_symbol, (index_node(row), index_node(column)))


def entry_literal(
    quantity: q.Quantity, row: int, column: int, valuation: Valuation, override: Rounding | None = None
) -> t.Node | None:
    """The one prescribed way to write the value of an entry under a valuation."""
    if quantity.digits:
        return None if valuation == "exact" else numeral(quantity.digits[row - 1])
    exact = quantity.exact[row - 1, column - 1]
    if valuation == "exact":
        return quotient_tree(exact, decimals=quantity.decimals)
    if valuation == "end":
        is_bounded = not isinstance(quantity.definition, q.ExponentialOf | q.LineSum)
        if not is_bounded and _is_endless(exact, override or quantity.display):
            return None
        return _rounded_tree(exact, override or quantity.display, quantity)
    value = quantity.carried[row - 1][column - 1]
    if value is None:
        return None
    if quantity.rounding is None or (quantity.style == "rational" and value == exact):
        return quotient_tree(value, decimals=quantity.decimals)
    return numeral(decimal(value, override or quantity.rounding))


def _is_endless(value: Quotient, rounding: Rounding) -> bool:
    """Whether an exponential has so many digits before its point that nobody writes them."""
    return rounding.places is not None and not value.symbols and magnitude(value) > MAX_DIGITS


def _rounded_tree(value: Quotient, rounding: Rounding, quantity: q.Quantity) -> t.Node:
    """Digits, except for what is written exactly in a few characters anyway."""
    if value.symbols or (quantity.style == "rational" and value.polynomial() is not None):
        return quotient_tree(value, decimals=quantity.decimals)
    return numeral(decimal(value, rounding))


def _head(node: t.Node) -> str:
    """What a name is bound by: its letters and indices, without fonts. Names are looked up at every turn."""
    match node:
        case t.Name(text):
            return text
        case t.Number(text):
            return text
        case t.Subscript(base, indices):
            return f"{_head(base)}_{','.join(map(_head, indices))}"
        case t.Group(body):
            return f"({_head(body)})"
    return describe(node)


def _index(node: t.Node, indices: Indices) -> int | None:
    match node:
        case t.Number(text) if _WHOLE.fullmatch(text):
            return int(text)
        case t.Name(text):
            return indices.get(text)
    return None


def _split(found: list[int], node: t.Subscript) -> list[int]:
    """``Q_{31}`` has one index, the numeral 31, which stands for row 3 and column 1."""
    two_digits = 2
    index = node.indices[0]
    if len(found) == 1 and isinstance(index, t.Number) and len(index.text) == two_digits:
        return [int(index.text[0]), int(index.text[1])]
    return found


def rename_index(node: t.Node, name: str, value: int) -> t.Node:
    """`node` with the running index `name` replaced by a number wherever it stands as an index.

    >>> rename_index(t.Subscript(t.Name("v"), (t.Name("j"),)), "j", 2).indices
    (Number(text='2'),)
    """
    match node:
        case t.Subscript(base, indices):
            numbers = tuple(t.Number(str(value)) if index == t.Name(name) else index for index in indices)
            return replace(node, base=rename_index(base, name, value), indices=numbers)
        case t.Product(factors):
            return replace(node, factors=tuple(rename_index(item, name, value) for item in factors))
        case t.Sum(terms):
            return replace(node, terms=tuple(rename_index(item, name, value) for item in terms))
        case t.Transpose(base):
            return replace(node, base=rename_index(base, name, value))
        case t.Group(body) | t.Negative(body):
            return replace(node, body=rename_index(body, name, value))
    return node
