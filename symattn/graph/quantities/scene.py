"""TRUSTED. The quantities of one derivation, what names mean among them, and how values are written.

A name is bound by how it is written: ``Q`` is the whole matrix, ``Q_{31}`` an entry, ``Z_1`` the number
of a line, ``q_1`` in bold a row of Q as a column vector; with the number of a head above, ``Q^{(1)}`` and
``Q^{(1)}_{31}``, they are those of the head. Which letters mean what is the business of whoever builds the
scene.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from symattn.exact.evaluation import Indices, Lookup, Value, below, beside, evaluate
from symattn.exact.field.power_names import symbol_and_power
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import Rounding, decimal, magnitude
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities import symbol_powers
from symattn.graph.quantities.closed_forms import numeral, quotient_tree
from symattn.graph.quantities.definition import Made, made_by
from symattn.graph.quantities.trees import NoFormError, Trees
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import is_labelled
from symattn.notation.writers.plain import describe, symbol_key
from symattn.operations.operation import Trait, number
from symattn.operations.scalar import Index, Scalar, leaves
from symattn.records import dataclass

Valuation: TypeAlias = Literal["exact", "carried", "end"]
"""Which value of a quantity is meant: by definition, under step rounding, or rounded once at the end."""


SOFTMAX: frozenset[Trait] = frozenset({"exponentials", "line-sums", "weights"})
"""Operations whose results have closed forms in values that were rounded."""

MAX_DIGITS = 80
"""The digits before the point beyond which the decimals of a value are not written out."""


_MANY_NAMES = 10_000
"""Names whose meaning is kept in mind: those of one statement come again and again."""


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


_GROWING = frozenset({"exponential", "line-sum"})
"""Rules whose results have as many digits before the point as the exponents make them."""

_LONGEST_INDEX = 9
_NAMES = (t.Name, t.Subscript)


@dataclass(frozen=True, slots=True)
class _Binding:
    name: str
    kind: Literal["whole", "entry", "number", "line"]


class OperandLeaves:
    """The operands of a quantity, by their numbers; rows and columns are counted from 0, as operations count.

    Args:
        scene: of the quantity.
        made: the operation that makes it, and the names of its operands.
    """

    def __init__(self, scene: Scene, made: Made) -> None:
        self.scene = scene
        self.made = made
        self.operands = [scene.quantities[name] for name in made.operands]
        self.shapes = [quantity.shape for quantity in self.operands]

    def scalar(self, row: Index, column: Index) -> Scalar:
        """Return the expression of an entry, counted from 1."""
        return self.made.operation.entry(self.made.params, self.shapes, shifted(row, -1), shifted(column, -1))

    def exact(self, operand: int, row: int, column: int) -> Quotient:
        """Return the exact value of an entry of an operand."""
        return self.operands[operand].exact[row, column]

    def carried(self, operand: int, row: int, column: int) -> Quotient | None:
        """Return the step-rounded value of an entry of an operand, None where it has none."""
        return self.operands[operand].carried_at(row + 1, column + 1)


class OperandNumerals(OperandLeaves):
    """Prescribed numerals of the step-rounded values that a quantity is made of."""

    def entry(self, operand: int, row: Index, column: Index) -> t.Node:
        """Return the numeral of an entry of an operand.

        Raises:
            NoFormError: its value is missing.
        """
        place = number(shifted(row, 1)), number(shifted(column, 1))
        literal = self.scene.literal(Entry(self.operands[operand].name, *place), "carried")
        if literal is None:
            raise NoFormError("A missing value cannot be written as a numeral.")
        return literal


def shifted(index: Index, by: int) -> Index:
    """Return a number higher by another, a running index as it is."""
    return index + by if isinstance(index, int) else index


class Scene:
    """Quantities with their names bound; immutable once made.

    Args:
        quantities: the quantities, in the order of their derivation.
        symbols: values of declared symbols (``beta``), each a number or the symbol itself.
    """

    def __init__(self, quantities: Iterable[q.Quantity], symbols: Mapping[str, Quotient] | None = None) -> None:
        self.quantities = {quantity.name: quantity for quantity in quantities}
        self.symbols = dict(symbols or {})
        self._powers = {name for name in self.symbols if symbol_and_power(name)[0] != name}
        self._bindings: dict[tuple[str, int], _Binding] = {}
        # What was worked out before, of values that cannot change: a solution writes and judges the same
        # entries and sides several times. A node is kept beside its value, so that its id stays its own.
        self._literals: dict[tuple[str, int, int, Valuation, Rounding | None], t.Node | None] = {}
        self._values: dict[int, tuple[t.Node, Value]] = {}
        self._targets: dict[int, tuple[t.Node, Target | None]] = {}
        self._touched: dict[tuple[str, int, int], bool] = {}
        self._entries: dict[tuple[str, int, int], t.Node] = {}
        self._made: dict[str, Made | None] = {}
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
        """Resolve `node` to its target, or None if it is not a name of this scene."""
        if indices:
            return self._bound(node, indices)
        known = self._targets.get(id(node))
        if known is None:
            if not _is_name(node):
                return None
            if len(self._targets) > _MANY_NAMES:
                self._targets.clear()
            known = self._targets[id(node)] = (node, self._bound(node, {}))
        return known[1]

    def _bound(self, node: t.Node, indices: Indices) -> Target | None:
        if not _is_name(node):
            return None
        whole = self._bindings.get((_head(node), 0))
        if whole is not None:
            return Whole(whole.name)
        found = (self._indexed(symbol, written, indices) for symbol, written in readings(node))
        return next((target for target in found if target is not None), None)

    def _indexed(self, symbol: t.Node, written: tuple[t.Node, ...], indices: Indices) -> Target | None:
        found: list[int] = []
        for index in written:
            number = _index(index, indices)
            if number is None:
                return None
            found.append(number)
        head = _head(symbol)
        pair = self._bindings.get((head, 2))
        if pair is not None:
            return self._entry(pair.name, _split(found, written))
        single = self._bindings.get((head, 1))
        if single is None or len(found) != 1:
            return None
        quantity = self.quantities[single.name]
        rows, columns = quantity.shape
        if single.kind == "number":
            if rows == 1 < columns:
                return Entry(single.name, 1, found[0]) if 1 <= found[0] <= columns else None
            return Entry(single.name, found[0], 1) if 1 <= found[0] <= rows else None
        lines = rows if quantity.line_axis == "rows" else columns
        return Line(single.name, found[0]) if 1 <= found[0] <= lines else None

    def _entry(self, name: str, found: list[int]) -> Entry | None:
        rows, columns = self.quantities[name].shape
        if len(found) == 2 and 1 <= found[0] <= rows and 1 <= found[1] <= columns:
            return Entry(name, found[0], found[1])
        return None

    def quantity(self, target: Target) -> q.Quantity:
        """Return the quantity that a target belongs to."""
        return self.quantities[target.name]

    # What it is worth ------------------------------------------------------------------------------

    def exact(self, target: Target) -> Value:
        """Return the exact value of a target: a matrix, a number, or a column vector."""
        quantity = self.quantity(target)
        match target:
            case Whole():
                return quantity.exact[0, 0] if quantity.scalar else quantity.exact
            case Entry(_, row, column):
                return quantity.exact[row - 1, column - 1]
            case Line(_, index):
                return Matrix([[quantity.exact[i - 1, j - 1]] for i, j in self.places(target, index)])

    def places(self, target: Line, index: int) -> list[tuple[int, int]]:
        """Return the entries of a line, from 1."""
        quantity = self.quantity(target)
        rows, columns = quantity.shape
        if quantity.line_axis == "rows":
            return [(index, column) for column in range(1, columns + 1)]
        return [(row, index) for row in range(1, rows + 1)]

    def carried(self, target: Target) -> Value | None:
        """Return the step-rounded value of a target, None where an entry of it is undefined."""
        quantity = self.quantity(target)
        match target:
            case Whole():
                height, width = quantity.shape
                rows = tuple(
                    tuple(quantity.carried_at(i, j) for j in range(1, width + 1)) for i in range(1, height + 1)
                )
            case Entry(_, row, column):
                return quantity.carried_at(row, column)
            case Line(_, index):
                rows = tuple((quantity.carried_at(*place),) for place in self.places(target, index))
        values = [[value for value in row if value is not None] for row in rows]
        if any(len(kept) != len(row) for kept, row in zip(values, rows, strict=True)):
            return None
        return values[0][0] if quantity.scalar else Matrix(values)

    def carried_value(self, node: t.Node) -> Value:
        """Return the value of written arithmetic in which names stand for what is carried on."""
        return self._evaluated(node, self._lookup_carried)

    def _lookup_carried(self, node: t.Node, indices: Indices) -> Value | None:
        target = self.resolve(node, indices)
        if target is None or self.quantity(target).digits:
            return self.lookup(node, indices)
        return self.carried(target)

    def lookup(self, node: t.Node, indices: Indices) -> Value | None:
        """Return the exact value of a name, for `evaluate`."""
        target = self.resolve(node, indices)
        if target is not None:
            # What is known by its digits alone has no exact value to reckon with.
            return None if self.quantity(target).digits else self.exact(target)
        if isinstance(node, t.Name) and node.text in indices:
            return Quotient.of(indices[node.text])
        if isinstance(node, t.Subscript) and isinstance(node.base, t.Group):
            return self._part(node, indices)
        if isinstance(node, t.Power) or not self.symbols:
            return None
        return self.symbols.get(symbol_key(node))

    def _part(self, node: t.Subscript, indices: Indices) -> Value | None:
        """Return an entry, or a row, of a bracketed expression such as ``(QK^T)_{i,j}``."""
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
        """Return the exact value of written arithmetic in this scene."""
        if indices:
            return self._evaluated(node, self.lookup, indices)
        known = self._values.get(id(node))
        if known is None:
            known = self._values[id(node)] = (node, self._evaluated(node, self.lookup))
        return known[1]

    def _evaluated(self, node: t.Node, lookup: Lookup, indices: Indices | None = None) -> Value:
        if self._powers:
            node = symbol_powers.with_power_names(node, self._powers.__contains__)
        return evaluate(node, lookup, indices, self._softmax, self._join)

    def _softmax(self, scores: Matrix) -> Matrix:
        """Return the softmax as the weights of this scene are defined by it; all its heads have one definition."""
        ratio = next((item.definition for name, item in self.quantities.items() if self.plays(name, "weights")), None)
        if ratio is None:
            return softmax_rows(scores)
        lines = scores.T if ratio.axis == "columns" else scores
        weights = softmax_rows(lines, plus_one=self.plays(ratio.premises[1], "one-more"))
        empty = ratio.argument("empty")
        weights = _filled(weights, lines, empty) if empty else weights
        return weights.T if ratio.axis == "columns" else weights

    def _join(self, matrices: list[Matrix]) -> Matrix:
        """Join matrices side by side, or one below the other with tokens in columns."""
        definitions = (quantity.definition for quantity in self.quantities.values())
        axes = {item.axis for item in definitions if item.rule == "join"}
        return below(matrices) if axes == {"rows"} else beside(matrices)

    @property
    def decimals(self) -> bool:
        """True if exact values are written as decimals wherever they end."""
        return any(quantity.decimals for quantity in self.quantities.values())

    def written(self, value: Quotient, *, decimals: bool = False) -> t.Node:
        """Return the prescribed closed form of an exact value; beside `decimals` a decimal where one ends."""
        return quotient_tree(value, decimals=decimals or self.decimals)

    # How it is written -----------------------------------------------------------------------------

    def reference(self, target: Target) -> t.Node:
        """Return the name of a target: ``Q``, ``Q_{31}``, ``Z_1``, ``q_1``."""
        quantity = self.quantity(target)
        match target:
            case Whole():
                return quantity.symbol
            case Entry(name, row, column):
                return self.entry(name, row, column)
            case Line(_, index):
                if quantity.line_symbol is None:
                    raise ValueError(f"the lines of {quantity.name} have no name")
                return indexed(quantity.line_symbol, (t.Number(str(index)),))

    def entry(self, name: str, row: Index, column: Index) -> t.Node:
        """Return the name of an entry, the same object every time; see `entry_of`."""
        if not (isinstance(row, int) and isinstance(column, int)):
            return entry_of(self.quantities[name], row, column)
        key = (name, row, column)
        known = self._entries.get(key)
        if known is None:
            known = self._entries[key] = entry_of(self.quantities[name], row, column)
        return known

    def literal(self, target: Target, valuation: Valuation, override: Rounding | None = None) -> t.Node | None:
        """Return the one prescribed way to write the value of a target, None where it is undefined."""
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

    def whole_number(self, target: Target, valuation: Valuation) -> t.Node | None:
        """Return an entry without decimals where values are rounded once and its own is a whole number, else None."""
        quantity = self.quantity(target)
        if valuation != "end" or not isinstance(target, Entry) or quantity.digits:
            return None
        exact = quantity.exact[target.row - 1, target.column - 1]
        value = exact.rational() if exact.is_finite else None
        return quotient_tree(exact) if value is not None and value.denominator == 1 else None

    def _entry_literal(
        self, quantity: q.Quantity, row: int, column: int, valuation: Valuation, override: Rounding | None = None
    ) -> t.Node | None:
        key = (quantity.name, row, column, valuation, override)
        if key not in self._literals:
            is_carried = valuation == "carried"
            form = self._carried_form(quantity, row, column) if is_carried else None
            touched = is_carried and self._is_touched(quantity, row, column)
            self._literals[key] = form or entry_literal(quantity, row, column, valuation, override, touched=touched)
        return self._literals[key]

    def _is_touched(self, quantity: q.Quantity, row: int, column: int) -> bool:
        """Return True if a carried entry depends on rounded numbers, even if it equals the exact value."""
        key = (quantity.name, row, column)
        if key not in self._touched:
            self._touched[key] = not quantity.is_exact(row, column) or any(
                self._is_touched(self.quantities[entry.name], entry.row, entry.column)
                for entry in self._made_of(quantity, row, column)
            )
        return self._touched[key]

    def made(self, name: str) -> Made | None:
        """Return the operation that makes a quantity, None where there is none."""
        if name not in self._made:
            self._made[name] = made_by(self.quantities[name].definition)
        return self._made[name]

    def plays(self, name: str, trait: Trait) -> bool:
        """Return True if a quantity of the scene is made by an operation that plays a part."""
        made = self.made(name) if name in self.quantities else None
        return made is not None and trait in made.operation.traits

    def _made_of(self, quantity: q.Quantity, row: int, column: int) -> list[Entry]:
        """Return the entries that an entry is worked out from, as far as its form depends on how they are written."""
        made = self.made(quantity.name)
        if made is None or not made.operation.follows:
            return []
        # An index is a number here: the entry is one at numbers.
        return [
            Entry(made.operands[leaf.operand], leaf.row + 1, leaf.column + 1)  # type: ignore[operator]
            for leaf in leaves(OperandLeaves(self, made).scalar(row, column))
            if leaf.operand in made.operation.follows
        ]

    def _carried_form(self, quantity: q.Quantity, row: int, column: int) -> t.Node | None:
        """Return a closed form in values that were rounded, each written with the digits that it was rounded to."""
        value = quantity.carried_at(row, column)
        if quantity.rounding is not None or quantity.style == "rational" or not self._is_touched(quantity, row, column):
            return None
        if value is None or not value.is_finite or value.symbols or value.rational() is not None:
            return None
        made = self.made(quantity.name)
        if made is None or not made.operation.traits & SOFTMAX:
            return None
        leaves = OperandNumerals(self, made)
        try:
            return Trees(leaves, numerals=True).of(leaves.scalar(row, column))
        except NoFormError:
            return None

    def with_quantities(self, changed: Iterable[q.Quantity]) -> Scene:
        """Return the same scene with some quantities replaced."""
        return Scene({**self.quantities, **{quantity.name: quantity for quantity in changed}}.values(), self.symbols)


def _filled(weights: Matrix, scores: Matrix, empty: str) -> Matrix:
    """Return the weights with those of a row without a visible score as the scene has them."""
    width = scores.shape[1]
    share = Quotient.of(0) if empty == "zeros" else Quotient.of(Fraction(1, width))
    rows = zip(weights.rows, scores.rows, strict=True)
    return Matrix([(share,) * width if all(score is MINUS_INFINITY for score in own) else row for row, own in rows])


def _matrix_tree(rows: list[list[t.Node | None]]) -> t.Matrix | None:
    full = [tuple(node for node in row if node is not None) for row in rows]
    if any(len(kept) != len(row) for kept, row in zip(full, rows, strict=True)):
        return None
    return t.Matrix(tuple(full))


def index_node(index: Index) -> t.Node:
    """Return an index as written: a numeral for a number, a running index as it is."""
    return t.Number(str(index)) if isinstance(index, int) else index


def indexed(symbol: t.Node, indices: tuple[t.Node, ...]) -> t.Node:
    r"""Return a symbol with indices; the number of a head stays above them: ``Q_{31}^{(1)}``.

    The number of a name comes first, ``F_{1,13}``, and not in brackets of its own.

    >>> indexed(t.Name("q"), (t.Number("2"),))
    Subscript(base=Name(text='q', font=''), indices=(Number(text='2'),))
    """
    if isinstance(symbol, t.Power):
        return t.Power(indexed(symbol.base, indices), symbol.exponent)
    match symbol:
        case t.Group(t.Subscript(base, (t.Number() as number,))):
            return t.Subscript(base, (number, *indices))
        case _:
            return t.Subscript(symbol, indices)


def indexed_parts(node: t.Node) -> tuple[t.Node, tuple[t.Node, ...]] | None:
    """Return a symbol and the indices that it has, None where nothing has any; the reverse of `indexed`.

    >>> indexed_parts(indexed(t.Name("q"), (t.Number("2"),)))
    (Name(text='q', font=''), (Number(text='2'),))
    """
    match node:
        case t.Subscript(base, indices):
            return base, indices
        case t.Power(t.Subscript(base, indices), label) if is_labelled(node):
            return t.Power(base, label), indices
    return None


def readings(node: t.Node) -> Iterator[tuple[t.Node, tuple[t.Node, ...]]]:
    """Yield what a node with indices may be: a symbol with all of them, or with a number of its own and the others.

    ``F_{1,13}`` is entry (1, 13) of ``F`` where there is one, and entry 13 of ``F_1`` elsewhere.

    >>> [len(indices) for _, indices in readings(t.Subscript(t.Name("F"), (t.Number("1"), t.Number("13"))))]
    [2, 1]
    """
    parts = indexed_parts(node)
    if parts is None:
        return
    yield parts
    symbol, (first, *others) = parts
    if not others or not isinstance(first, t.Number):
        return
    if isinstance(symbol, t.Power):
        yield t.Power(t.Group(t.Subscript(symbol.base, (first,))), symbol.exponent), tuple(others)
    else:
        yield t.Group(t.Subscript(symbol, (first,))), tuple(others)


def entry_of(quantity: q.Quantity, row: Index, column: Index) -> t.Node:
    """Write an entry: ``Q_{31}`` while both indices have one digit, ``Q_{3,11}`` otherwise; ``Z_1`` of a vector."""
    rows, columns = quantity.shape
    one_digit = 9
    if quantity.vector:
        return indexed(quantity.entry_symbol, (index_node(column if rows == 1 < columns else row),))
    if isinstance(row, int) and isinstance(column, int) and max(rows, columns) <= one_digit:
        return indexed(quantity.entry_symbol, (t.Number(f"{row}{column}"),))
    return indexed(quantity.entry_symbol, (index_node(row), index_node(column)))


def entry_literal(
    quantity: q.Quantity,
    row: int,
    column: int,
    valuation: Valuation,
    override: Rounding | None = None,
    *,
    touched: bool = False,
) -> t.Node | None:
    """Return the one prescribed way to write the value of an entry under a valuation.

    A carried value that rounded numbers `touched` has the digits that it is rounded to, or, where the policy does
    not round it, is a decimal where one ends.
    """
    if quantity.digits:
        return None if valuation == "exact" else numeral(quantity.digits[row - 1])
    exact = quantity.exact[row - 1, column - 1]
    if valuation == "exact" or not exact.is_finite:
        return quotient_tree(exact, decimals=quantity.decimals)
    if valuation == "end":
        is_bounded = quantity.definition.rule not in _GROWING
        if not is_bounded and _is_endless(exact, override or quantity.display):
            return None
        if override is not None and exact.has_constants:
            return numeral(decimal(exact, override))  # asked for; its closed form is the value otherwise
        return _rounded_tree(exact, override or quantity.display, quantity)
    value = quantity.carried[row - 1][column - 1]
    if value is None:
        return None
    touched = touched or value != exact
    if quantity.rounding is None or (quantity.style == "rational" and not touched):
        return quotient_tree(value, decimals=quantity.decimals or touched)
    written = numeral(decimal(value, override or quantity.rounding))
    # Digits behind constants that do not settle: the value is carried on as it is, and is written so.
    return quotient_tree(value, decimals=quantity.decimals) if isinstance(written, t.Vector) else written


def _is_endless(value: Quotient, rounding: Rounding) -> bool:
    """Return True if an exponential has too many digits before its point to be written."""
    return rounding.places is not None and not value.symbols and magnitude(value) > MAX_DIGITS


def _rounded_tree(value: Quotient, rounding: Rounding, quantity: q.Quantity) -> t.Node:
    """Write the digits of a value, or the exact value if it takes few characters."""
    if value.symbols or (quantity.style == "rational" and value.polynomial() is not None):
        return quotient_tree(value, decimals=quantity.decimals)
    return numeral(decimal(value, rounding))


def _is_name(node: t.Node) -> bool:
    return isinstance(node, _NAMES) or is_labelled(node)


def _head(node: t.Node) -> str:
    """Return the key of a name: its letters and indices, without fonts. Names are looked up often."""
    match node:
        case t.Name(text):
            return text
        case t.Number(text):
            return text
        case t.Subscript(base, indices):
            return f"{_head(base)}_{','.join(map(_head, indices))}"
        case t.Group(body):
            return f"({_head(body)})"
        case t.Vector(items, "("):
            return f"({','.join(map(_head, items))})"
        case t.Power(base, exponent):
            return f"{_head(base)}^{_head(exponent)}"
    return describe(node)


def _index(node: t.Node, indices: Indices) -> int | None:
    match node:
        case t.Number(text) if text.isdigit() and text.isascii() and len(text) <= _LONGEST_INDEX:
            return int(text) if text[0] != "0" or text == "0" else None
        case t.Name(text):
            return indices.get(text)
    return None


def _split(found: list[int], indices: tuple[t.Node, ...]) -> list[int]:
    """Split the one index of ``Q_{31}``, the numeral 31, into row 3 and column 1."""
    two_digits = 2
    index = indices[0]
    if len(found) == 1 and isinstance(index, t.Number) and len(index.text) == two_digits:
        return [int(index.text[0]), int(index.text[1])]
    return found
