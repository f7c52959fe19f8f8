"""TRUSTED. Definitions as written mathematics: what may stand after ``name =``."""

from __future__ import annotations

from symattn.derivation import quantity as q
from symattn.derivation.scene import Entry, Index, Line, Scene, Target, Whole, entry_of, index_node
from symattn.notation import tree as t
from symattn.records import dataclass

RUNNING_INDEX = "j"


def definitions(scene: Scene, target: Target) -> tuple[t.Node, ...]:
    """The forms in which a target's definition can be written, none for what was given."""
    quantity = scene.quantity(target)
    match target:
        case Whole() if quantity.scalar:
            return _scalar(quantity.definition)
        case Whole():
            return _whole(scene, quantity.definition)
        case Entry(_, row, column):
            return entry_definitions(scene, quantity.definition, row, column)
        case Line(_, index):
            return _line(scene, quantity, index)


def _scalar(definition: q.Definition) -> tuple[t.Node, ...]:
    match definition:
        case q.WrittenAs(formula):
            return (formula,)
    return ()


def _whole(scene: Scene, definition: q.Definition) -> tuple[t.Node, ...]:
    match definition:
        case q.ProductOf(left, right):
            return (t.Product((_operand(scene, left), _operand(scene, right)), ("",)),)
        case q.ScaledBy(factor, of):
            symbols = (scene.quantities[factor].symbol, scene.quantities[of].symbol)
            return (t.Product(symbols, ("",)),)
        case q.RatioOf(numerator):
            exponential = scene.quantities[numerator].definition
            if isinstance(exponential, q.ExponentialOf):
                scores = unshifted(scene, exponential.of)
                symbol = scene.quantities[scores].symbol
                return tuple(t.Call(t.Name(name), (symbol,)) for name in ("softmax", "softargmax"))
    return ()


def unshifted(scene: Scene, name: str) -> str:
    """The scores themselves, where the exponentials are taken of scores less their maximum."""
    definition = scene.quantities[name].definition
    return definition.of if isinstance(definition, q.ShiftedBy) else name


def _operand(scene: Scene, operand: q.Operand) -> t.Node:
    symbol = scene.quantities[operand.name].symbol
    return t.Transpose(symbol) if operand.transposed else symbol


def operand_entry(scene: Scene, operand: q.Operand, row: Index, column: Index) -> t.Node:
    """An entry of a factor of a product, as the entry of the quantity that it is taken from."""
    quantity = scene.quantities[operand.name]
    return entry_of(quantity, column, row) if operand.transposed else entry_of(quantity, row, column)


def inner_dimension(scene: Scene, definition: q.ProductOf) -> int:
    """How many products each entry of a matrix product is a sum of."""
    rows, columns = scene.quantities[definition.left.name].shape
    return rows if definition.left.transposed else columns


def sum_tree(terms: list[t.Node]) -> t.Node:
    """A sum, or its only term."""
    return terms[0] if len(terms) == 1 else t.Sum(tuple(terms), ("+",) * (len(terms) - 1))


def entry_definitions(scene: Scene, definition: q.Definition, row: Index, column: Index) -> tuple[t.Node, ...]:
    """The forms in which the definition of one entry can be written, at numbers or at running indices."""
    match definition:
        case q.ProductOf(left, right):
            inner = range(1, inner_dimension(scene, definition) + 1)
            pairs = [(operand_entry(scene, left, row, k), operand_entry(scene, right, k, column)) for k in inner]
            written = sum_tree([t.Product(pair, ("cdot",)) for pair in pairs])
            return (written, *_dot_product(scene, left, right, row, column))
        case q.ScaledBy(factor, of):
            entry = entry_of(scene.quantities[of], row, column)
            return (t.Product((scene.quantities[factor].symbol, entry), ("cdot",)),)
        case q.LineMaximum(of, axis):
            return (t.Call(t.Name("max"), tuple(line_entries(scene, of, axis, row))),)
        case q.ShiftedBy(of, by, axis):
            entry = entry_of(scene.quantities[of], row, column)
            return (t.Sum((entry, _line_number(scene, by, axis, row, column)), ("-",)),)
        case q.ExponentialOf(of):
            return (t.Power(t.Name("e"), entry_of(scene.quantities[of], row, column)),)
        case q.LineSum(of, axis):
            return (sum_tree(line_entries(scene, of, axis, row)),)
        case q.RatioOf(numerator, denominator, axis):
            entry = entry_of(scene.quantities[numerator], row, column)
            return (t.Division(entry, _line_number(scene, denominator, axis, row, column)),)
    return ()


def denominator_of(scene: Scene, target: Entry) -> Entry | None:
    """The sum that divides the weights of which an entry is made: ``Z_3`` for ``A_{31}`` and for ``O_{31}``."""
    definition = scene.quantity(target).definition
    match definition:
        case q.RatioOf(_, denominator, axis):
            return Entry(denominator, target.row if axis == "rows" else target.column, 1)
        case q.ProductOf(left, right):
            pairs = ((left, target.row, "rows"), (right, target.column, "columns"))
            for operand, index, side in pairs:
                ratio = scene.quantities[operand.name].definition
                if isinstance(ratio, q.RatioOf) and (ratio.axis == side) != operand.transposed:
                    return Entry(ratio.denominator, index, 1)
    return None


def _dot_product(scene: Scene, left: q.Operand, right: q.Operand, row: Index, column: Index) -> tuple[t.Node, ...]:
    """``q_i^T k_j``, where the lines of both factors have names."""
    first = _line_of(scene, left, row, by_rows=True)
    second = _line_of(scene, right, column, by_rows=False)
    if first is None or second is None:
        return ()
    return (t.Product((t.Transpose(first), second), ("",)),)


def line_entries(scene: Scene, name: str, axis: q.Axis, index: Index) -> list[t.Node]:
    """The entries of one line of a quantity, as names."""
    quantity = scene.quantities[name]
    rows, columns = quantity.shape
    if axis == "rows":
        return [entry_of(quantity, index, column) for column in range(1, columns + 1)]
    return [entry_of(quantity, row, index) for row in range(1, rows + 1)]


def _line_number(scene: Scene, name: str, axis: q.Axis, row: Index, column: Index) -> t.Node:
    index = row if axis == "rows" else column
    return t.Subscript(scene.quantities[name].entry_symbol, (index_node(index),))


def _line(scene: Scene, quantity: q.Quantity, index: int) -> tuple[t.Node, ...]:
    """A row (or column) as a column vector: ``W^T x_i``, or the weighted sum of the other factor's lines."""
    definition = quantity.definition
    if not isinstance(definition, q.ProductOf):
        return ()
    by_rows = quantity.line_axis == "rows"
    near, far = (definition.left, definition.right) if by_rows else (definition.right, definition.left)
    forms: list[t.Node] = []
    vector = _line_of(scene, near, index, by_rows=by_rows)
    if vector is not None:
        matrix = q.Operand(far.name, far.transposed != by_rows)
        forms.append(t.Product((_operand(scene, matrix), vector), ("",)))
    forms.extend(_weighted_sums(scene, near, far, index, by_rows=by_rows))
    return tuple(forms)


def _line_of(scene: Scene, operand: q.Operand, index: Index, *, by_rows: bool) -> t.Node | None:
    """The line `index` of a factor as a vector, if its lines have a name in that direction."""
    quantity = scene.quantities[operand.name]
    wanted = "rows" if by_rows != operand.transposed else "columns"
    if quantity.line_symbol is None or quantity.line_axis != wanted:
        return None
    return t.Subscript(quantity.line_symbol, (index_node(index),))


def _weighted_sums(scene: Scene, near: q.Operand, far: q.Operand, index: int, *, by_rows: bool) -> list[t.Node]:
    """The sum over j of ``a_{ij} v_j``, and the same written out."""
    weights, values = scene.quantities[near.name], scene.quantities[far.name]
    wanted = "rows" if by_rows != far.transposed else "columns"
    if values.line_symbol is None or values.line_axis != wanted:
        return []
    count = values.shape[0] if wanted == "rows" else values.shape[1]

    def weight(position: Index) -> t.Node:
        first, second = (index, position) if by_rows != near.transposed else (position, index)
        return entry_of(weights, first, second)

    line = values.line_symbol
    written: list[t.Node] = [
        t.Product((weight(j), t.Subscript(line, (index_node(j),))), ("",)) for j in range(1, count + 1)
    ]
    running = t.Name(RUNNING_INDEX)
    body = t.Product((weight(running), t.Subscript(line, (running,))), ("",))
    return [t.SumOver(running, t.Number("1"), t.Number(str(count)), body), sum_tree(written)]


# At running indices ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Running:
    """An entry or a row at running indices: ``A_{i,1}``, ``(QK^T)_{i,j}``, ``(AV)_i``.

    Attributes:
        quantity: what it is an entry or a row of.
        indices: what stands in the place of the row, and of the column of an entry.
        is_row: whether it is a whole row.
    """

    quantity: q.Quantity
    indices: tuple[t.Node, ...]
    is_row: bool

    @property
    def ranges(self) -> tuple[tuple[str, int], ...]:
        """Each running index, and how far it runs."""
        pairs = zip(self.indices, self.quantity.shape, strict=False)
        return tuple((index.text, size) for index, size in pairs if isinstance(index, t.Name))


def running(scene: Scene, subject: t.Node) -> Running | None:
    """What a subject with running indices is about, None where it is about nothing that is defined."""
    if not isinstance(subject, t.Subscript) or not _can_run(subject.indices):
        return None
    count = len(subject.indices)
    for quantity in scene.quantities.values():
        is_entry = subject.base == quantity.entry_symbol and count == (1 if quantity.vector else 2)
        is_part = isinstance(subject.base, t.Group) and subject.base.body in _whole(scene, quantity.definition)
        found = Running(quantity, subject.indices, is_part and count == 1)
        if (is_entry or (is_part and isinstance(quantity.definition, q.ProductOf))) and _is_inside(found):
            return found
    return None


def _can_run(indices: tuple[t.Node, ...]) -> bool:
    """One or two indices, no name of them twice."""
    names = [index.text for index in indices if isinstance(index, t.Name)]
    known = all(isinstance(index, t.Name | t.Number) for index in indices)
    return known and 1 <= len(indices) <= 2 and len(set(names)) == len(names)


def _is_inside(subject: Running) -> bool:
    pairs = zip(subject.indices, subject.quantity.shape, strict=False)
    return all(index.text in map(str, range(1, size + 1)) for index, size in pairs if isinstance(index, t.Number))


def running_forms(scene: Scene, subject: Running, bound: t.Name) -> tuple[t.Node, ...]:
    """The forms in which it can be written, each by definition; sums run over `bound`.

    ::

        (L R)_{i,j} = Σ_r L_{i,r} R_{r,j} = l_i^T r_j        (L R)_i = Σ_r L_{i,r} r_r^T
    """
    quantity, definition = subject.quantity, subject.quantity.definition
    if bound in subject.indices:
        return ()
    row, column = subject.indices[0], subject.indices[-1]
    parts: tuple[t.Node, ...] = tuple(t.Subscript(t.Group(form), subject.indices) for form in _whole(scene, definition))
    if isinstance(definition, q.ProductOf):
        parts += _running_sum(scene, definition, subject, bound)
    if subject.is_row:
        return parts
    name = t.Subscript(quantity.entry_symbol, subject.indices)
    return (name, *parts, *entry_definitions(scene, definition, row, column))


def _running_sum(scene: Scene, definition: q.ProductOf, subject: Running, bound: t.Name) -> tuple[t.Node, ...]:
    """The sum over the inner index, of products of entries or of an entry and a line."""
    left = operand_entry(scene, definition.left, subject.indices[0], bound)
    if subject.is_row:
        line = _line_of(scene, definition.right, bound, by_rows=True)
        if line is None:
            return ()
        product = t.Product((left, t.Transpose(line)), ("",))
    else:
        product = t.Product((left, operand_entry(scene, definition.right, bound, subject.indices[1])), ("cdot",))
    inner = t.Number(str(inner_dimension(scene, definition)))
    return (t.SumOver(bound, t.Number("1"), inner, product),)
