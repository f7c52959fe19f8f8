"""TRUSTED. Definitions as written mathematics: what may stand after ``name =``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn import late
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import (
    Entry,
    Index,
    Line,
    Scene,
    Target,
    Whole,
    index_node,
    indexed,
    indexed_parts,
    sum_tree,
)
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import base
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.graph.forms import blocks as block_forms
    from symattn.graph.forms import losses, online_softmax, positions
else:
    block_forms = late.module("symattn.graph.forms.blocks")
    losses = late.module("symattn.graph.forms.losses")
    online_softmax = late.module("symattn.graph.forms.online_softmax")
    positions = late.module("symattn.graph.forms.positions")

RUNNING_INDEX = "j"


def definitions(scene: Scene, target: Target) -> tuple[t.Node, ...]:
    """Return the forms in which a target's definition can be written, none for what was given."""
    quantity = scene.quantity(target)
    match target:
        case Whole() if quantity.scalar:
            return _scalar(scene, quantity.definition)
        case Whole():
            return _whole(scene, quantity.definition)
        case Entry(_, row, column):
            forms = entry_definitions(scene, quantity.definition, row, column)
            return (*forms, *_by_blocks(scene, target)) if target.name in scene.results else forms
        case Line(_, index):
            return _line(scene, quantity, index)


def _by_blocks(scene: Scene, target: Entry) -> tuple[t.Node, ...]:
    form = online_softmax.result_form(scene, target.name, target.row, target.column)
    return () if form is None else (form,)


def _scalar(scene: Scene, definition: q.Definition) -> tuple[t.Node, ...]:
    match definition:
        case q.WrittenAs(formula):
            return (formula,)
        case q.LossOf():
            return (losses.loss_form(scene, definition),)
    return ()


def _whole(scene: Scene, definition: q.Definition) -> tuple[t.Node, ...]:
    match definition:
        case q.ProductOf(left, right, plus):
            product = t.Product((_operand(scene, left), _operand(scene, right)), ("",))
            return (sum_tree([product, scene.quantities[plus].symbol]) if plus else product,)
        case q.ScaledBy(factor, of):
            symbols = (scene.quantities[factor].symbol, scene.quantities[of].symbol)
            return (t.Product(symbols, ("",)),)
        case q.SumOf(left, right) | q.MaskedBy(left, right):
            return (sum_tree([scene.quantities[name].symbol for name in (left, right)]),)
        case q.PartOf():
            return (_part(scene, definition),)
        case q.JoinedOf(names, axis):
            return _joined(tuple(scene.quantities[name].symbol for name in names), axis)
        case q.MeanOf(names):
            return _means([scene.quantities[name].symbol for name in names])
        case q.CappedBy(cap, of):
            return (_capped(scene.quantities[cap].symbol, scene.quantities[of].symbol),)
        case q.WrittenOut(_, form):
            return () if form is None else (form,)
        case q.DifferenceOf(left, right):
            return (t.Sum(tuple(scene.quantities[name].symbol for name in (left, right)), ("-",)),)
        case q.ShareOf(of, count):
            return (t.Division(scene.quantities[of].symbol, t.Number(str(count))),)
        case q.ProductsOf(pairs, factor):
            # With a dot: the names of gradients have two letters, and dS K must not read as a name of three.
            products = [t.Product((_operand(scene, left), _operand(scene, right)), ("cdot",)) for left, right in pairs]
            return (_times_factor(scene, factor, list(products)),)
        case q.RatioOf(numerator):
            exponential = scene.quantities[numerator].definition
            if isinstance(exponential, q.ExponentialOf):
                scores = unshifted(scene, exponential.of)
                symbol = scene.quantities[scores].symbol
                return tuple(t.Call(t.Name(name), (symbol,)) for name in ("softmax", "softargmax"))
    return _of_block(scene, definition)


def _of_block(
    scene: Scene, definition: q.Definition, row: Index | None = None, column: Index | None = None
) -> tuple[t.Node, ...]:
    """Return the forms of what only blocks have: of an entry, or of the whole."""
    if not isinstance(definition, q.BlockDefinition):
        return ()
    if row is None or column is None:
        return block_forms.whole_forms(scene, definition)
    return block_forms.entry_forms(scene, definition, row, column)


def _part(scene: Scene, part: q.PartOf) -> t.Node:
    """Return the entries of a part, by the names that they have in the whole."""
    rows, columns = scene.quantities[part.of].shape
    chosen = range(part.start, part.stop + 1)
    across = chosen if part.axis == "columns" else range(1, columns + 1)
    down = chosen if part.axis == "rows" else range(1, rows + 1)
    return t.Matrix(tuple(tuple(scene.entry(part.of, i, j) for j in across) for i in down))


def _joined(symbols: tuple[t.Node, ...], axis: q.Axis) -> tuple[t.Node, ...]:
    if len(symbols) == 1:
        return symbols
    blocks: t.Node = t.Vector(symbols, "[") if axis == "columns" else t.Matrix(tuple((symbol,) for symbol in symbols))
    return (blocks, *(t.Call(t.Name(name, "roman"), symbols) for name in ("Concat", "concat")))


def _means(items: list[t.Node]) -> tuple[t.Node, ...]:
    """Return the mean of some things, over their number or times a fraction."""
    if len(items) == 1:
        return (items[0],)
    total, count = sum_tree(items), t.Number(str(len(items)))
    share = t.Division(t.Number("1"), count)
    return (t.Division(total, count), t.Product((share, t.Group(total)), ("",)))


def unshifted(scene: Scene, name: str) -> str:
    """Return the scores themselves, where the exponentials are taken of scores less their maximum."""
    definition = scene.quantities[name].definition
    return definition.of if isinstance(definition, q.ShiftedBy) else name


def _operand(scene: Scene, operand: q.Operand) -> t.Node:
    symbol = scene.quantities[operand.name].symbol
    return t.Transpose(symbol) if operand.transposed else symbol


def operand_entry(scene: Scene, operand: q.Operand, row: Index, column: Index) -> t.Node:
    """Return an entry of a factor of a product, as the entry of the quantity that it is taken from."""
    return scene.entry(operand.name, *((column, row) if operand.transposed else (row, column)))


def inner_dimension(scene: Scene, definition: q.ProductOf | q.CosineOf | q.AdditiveOf) -> int:
    """Return the number of products in each entry of a matrix product."""
    rows, columns = scene.quantities[definition.left.name].shape
    return rows if definition.left.transposed else columns


def entry_definitions(scene: Scene, definition: q.Definition, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return the forms in which the definition of one entry can be written, at numbers or at running indices."""
    match definition:
        case q.ProductOf(left, right, plus):
            inner = range(1, inner_dimension(scene, definition) + 1)
            pairs = [(operand_entry(scene, left, row, k), operand_entry(scene, right, k, column)) for k in inner]
            products: list[t.Node] = [t.Product(pair, ("cdot",)) for pair in pairs]
            dots = _dot_product(scene, left, right, row, column)
            if plus:
                added = added_entry(scene, plus, row, column)
                return (sum_tree([*products, added]), *(sum_tree([dot, added]) for dot in dots))
            return (sum_tree(products), *dots)
        case q.ScaledBy(factor, of):
            entry = scene.entry(of, row, column)
            return (t.Product((scene.quantities[factor].symbol, entry), ("cdot",)),)
        case q.LineMaximum(of, axis):
            return (t.Call(t.Name("max"), tuple(line_entries(scene, of, axis, row))),)
        case q.ShiftedBy(of, by, axis):
            entry = scene.entry(of, row, column)
            return (t.Sum((entry, _line_number(scene, by, axis, row, column)), ("-",)),)
        case q.ExponentialOf(of):
            return (t.Power(t.Name("e"), scene.entry(of, row, column)),)
        case q.LineSum(of, axis):
            return (sum_tree(line_entries(scene, of, axis, row)),)
        case q.PlusOneSum(of, axis):
            return (sum_tree([t.Number("1"), *line_entries(scene, of, axis, row)]),)
        case q.SumOf(left, right):
            return (sum_tree([scene.entry(name, row, column) for name in (left, right)]),)
        case q.MaskedBy(of, mask):
            return _masked(scene, of, mask, row, column)
        case q.PartOf() | q.JoinedOf():
            return _moved(scene, definition, row, column)
        case q.MeanOf(names):
            return _means([scene.entry(name, row, column) for name in names])
        case q.CappedBy(cap, of):
            return (_capped(scene.quantities[cap].symbol, scene.entry(of, row, column)),)
        case q.NormOf(of, axis):
            squares = [t.Power(base(entry), t.Number("2")) for entry in line_entries(scene, of, axis, row)]
            return (t.Root(sum_tree(list(squares))),)
        case q.CosineOf():
            return _cosine(scene, definition, row, column)
        case q.AdditiveOf(left, right):
            inner = range(1, inner_dimension(scene, definition) + 1)
            return (sum_tree([_additive_term(scene, definition, row, column, k) for k in inner]),)
        case q.RunningMaximum() | q.RunningSum() | q.RunningOutput():
            return online_softmax.forms(scene, definition, row, column)
        case q.WrittenOut(entries):
            return (entries[row - 1][column - 1],) if isinstance(row, int) and isinstance(column, int) else ()
        case q.DifferenceOf(left, right):
            return (t.Sum(tuple(scene.entry(name, row, column) for name in (left, right)), ("-",)),)
        case q.ShareOf(of, count):
            return (t.Division(scene.entry(of, row, column), t.Number(str(count))),)
        case q.ProductsOf(pairs, factor):
            return (_times_factor(scene, factor, _entry_products(scene, pairs, row, column)),)
        case q.TotalLine(of, axis):
            lengths = scene.quantities[of].shape
            across = range(1, lengths[0 if axis == "rows" else 1] + 1)
            places = [(k, column) if axis == "rows" else (row, k) for k in across]
            return (sum_tree([scene.entry(of, *place) for place in places]),)
        case q.LineDot(left, right, axis):
            lines = (line_entries(scene, name, axis, row) for name in (left, right))
            return (sum_tree([t.Product(pair, ("cdot",)) for pair in zip(*lines, strict=True)]),)
        case q.SoftmaxGradientOf(weights, gradient, dots, axis):
            weight, entry = (scene.entry(name, row, column) for name in (weights, gradient))
            difference = t.Sum((entry, _line_number(scene, dots, axis, row, column)), ("-",))
            return (t.Product((weight, t.Group(difference)), ("",)),)
        case q.SoftmaxOf() | q.CapGradientOf():
            return losses.entry_forms(scene, definition, row, column)
        case q.RatioOf(numerator, denominator, axis):
            share = empty_share(scene, definition, row, column)
            if share is not None:
                return (share,)
            entry = scene.entry(numerator, row, column)
            return (t.Division(entry, _line_number(scene, denominator, axis, row, column)),)
    if isinstance(definition, q.PositionDefinition):
        return positions.forms(scene, definition, row, column)
    return _of_block(scene, definition, row, column)


def _moved(scene: Scene, definition: q.PartOf | q.JoinedOf, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return an entry of a part, or of joined quantities, by the name that it has where it comes from."""
    place = part_place(scene, definition, row, column)
    return () if place is None else (scene.entry(place[0], *place[1:]),)


def _entry_products(
    scene: Scene, pairs: tuple[tuple[q.Operand, q.Operand], ...], row: Index, column: Index
) -> list[t.Node]:
    """Return the products of entries that an entry of a sum of matrix products is a sum of."""
    return [
        t.Product((operand_entry(scene, left, row, k), operand_entry(scene, right, k, column)), ("cdot",))
        for left, right in pairs
        for k in range(1, inner_dimension(scene, q.ProductOf(left, right)) + 1)
    ]


def _times_factor(scene: Scene, factor: str, products: list[t.Node]) -> t.Node:
    """Return a sum of products, times a number where one is named: ``c L R``, ``c (L_1 R_1 + L_2 R_2)``."""
    if not factor:
        return sum_tree(products)
    symbol = scene.quantities[factor].symbol
    if len(products) == 1 and isinstance(only := products[0], t.Product):
        return t.Product((symbol, *only.factors), ("cdot", *only.operators))
    return t.Product((symbol, t.Group(sum_tree(products))), ("cdot",))


def _capped(cap: t.Node, score: t.Node) -> t.Node:
    """Write ``c tanh(s/c)``."""
    return t.Product((cap, t.Call(t.Name("tanh"), (t.Division(score, cap),))), ("",))


def _cosine(scene: Scene, cosine: q.CosineOf, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return the forms of a product of matrices, each over the product of two lengths."""
    product = q.ProductOf(cosine.left, cosine.right)
    below = norms_product(scene, cosine, row, column)
    return tuple(t.Division(form, below) for form in entry_definitions(scene, product, row, column))


def norms_product(scene: Scene, cosine: q.CosineOf, row: Index, column: Index) -> t.Node:
    """Return the length of a row times that of a column."""
    norms = ((cosine.left_norms, row), (cosine.right_norms, column))
    symbols = [indexed(scene.quantities[name].entry_symbol, (index_node(index),)) for name, index in norms]
    return t.Product(tuple(symbols), ("cdot",))


def _additive_term(scene: Scene, additive: q.AdditiveOf, row: Index, column: Index, inner: Index) -> t.Node:
    """Write ``w_r · tanh(F_{ir} + P_{jr})``."""
    weight = indexed(scene.quantities[additive.weights].entry_symbol, (index_node(inner),))
    first = operand_entry(scene, additive.left, row, inner)
    second = operand_entry(scene, additive.right, inner, column)
    return t.Product((weight, t.Call(t.Name("tanh"), (t.Sum((first, second), ("+",)),))), ("cdot",))


def added_entry(scene: Scene, name: str, row: Index, column: Index) -> t.Node:
    """Return the entry of a vector that is added line by line, at a place of what it is added to."""
    return scene.entry(name, 1, column) if scene.quantities[name].shape[0] == 1 else scene.entry(name, row, 1)


def _masked(scene: Scene, of: str, mask: str, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return a score and its mask; where the mask is 0, the score alone as well."""
    entry, added = scene.entry(of, row, column), scene.entry(mask, row, column)
    forms = (sum_tree([entry, added]),)
    if isinstance(row, int) and isinstance(column, int) and scene.quantities[mask].exact[row - 1, column - 1] == 0:
        return (*forms, entry)
    return forms


def part_place(
    scene: Scene, definition: q.PartOf | q.JoinedOf, row: Index, column: Index
) -> tuple[str, Index, Index] | None:
    """Return the quantity and the entry of it that an entry of a part, or of joined quantities, is.

    None at a running index that would have to be counted on from another number.
    """
    index = column if definition.axis == "columns" else row
    if isinstance(definition, q.PartOf):
        name, shift = definition.of, definition.start - 1
    else:
        if not isinstance(index, int):
            return None
        name, shift = _member(scene, definition, index)
    if shift and not isinstance(index, int):
        return None
    there: Index = index + shift if isinstance(index, int) else index
    return (name, row, there) if definition.axis == "columns" else (name, there, column)


def _member(scene: Scene, joined: q.JoinedOf, index: int) -> tuple[str, int]:
    """Return the quantity that a line of joined ones comes from, and what its own number is higher by."""
    before = 0
    for name in joined.names:
        rows, columns = scene.quantities[name].shape
        size = columns if joined.axis == "columns" else rows
        if index <= before + size:
            return name, -before
        before += size
    raise ValueError(f"there is no line {index} in {', '.join(joined.names)}")


def empty_share(scene: Scene, definition: q.RatioOf, row: Index, column: Index) -> t.Node | None:
    """Return the defined value of a weight in a line whose scores are all hidden; None everywhere else."""
    index = row if definition.axis == "rows" else column
    if definition.empty == "undefined" or not isinstance(index, int):
        return None
    scores = _exact_line(scene.quantities[definition.scores], definition.axis, index)
    if any(score is not MINUS_INFINITY for score in scores):
        return None
    return t.Number("0") if definition.empty == "zeros" else t.Division(t.Number("1"), t.Number(str(len(scores))))


def _exact_line(quantity: q.Quantity, axis: q.Axis, index: int) -> list[Quotient]:
    rows = quantity.exact.rows
    return list(rows[index - 1]) if axis == "rows" else [row[index - 1] for row in rows]


def denominator_of(scene: Scene, target: Entry) -> Entry | None:
    """Return the sum that divides the weights of which an entry is made: ``Z_3`` for ``A_{31}`` and for ``O_{31}``."""
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
    """Write ``q_i^T k_j``, where the lines of both factors have names."""
    first = _line_of(scene, left, row, by_rows=True)
    second = _line_of(scene, right, column, by_rows=False)
    if first is None or second is None:
        return ()
    return (t.Product((t.Transpose(first), second), ("",)),)


def line_entries(scene: Scene, name: str, axis: q.Axis, index: Index) -> list[t.Node]:
    """Return the entries of one line of a quantity, as names."""
    rows, columns = scene.quantities[name].shape
    if axis == "rows":
        return [scene.entry(name, index, column) for column in range(1, columns + 1)]
    return [scene.entry(name, row, index) for row in range(1, rows + 1)]


def _line_number(scene: Scene, name: str, axis: q.Axis, row: Index, column: Index) -> t.Node:
    index = row if axis == "rows" else column
    return indexed(scene.quantities[name].entry_symbol, (index_node(index),))


def _line(scene: Scene, quantity: q.Quantity, index: int) -> tuple[t.Node, ...]:
    """Return a row (or column) as a column vector: ``W^T x_i``, or the weighted sum of the other factor's lines."""
    definition = quantity.definition
    if not isinstance(definition, q.ProductOf):
        return ()
    by_rows = quantity.line_axis == "rows"
    near, far = (definition.left, definition.right) if by_rows else (definition.right, definition.left)
    forms: list[t.Node] = []
    vector = _line_of(scene, near, index, by_rows=by_rows)
    if vector is not None:
        matrix = q.Operand(far.name, far.transposed != by_rows)
        product = t.Product((_operand(scene, matrix), vector), ("",))
        forms.append(_with_added(scene, product, definition.plus, by_rows=by_rows))
    if definition.plus:
        return tuple(forms)
    forms.extend(_weighted_sums(scene, near, far, index, by_rows=by_rows))
    return tuple(forms)


def _with_added(scene: Scene, product: t.Node, plus: str, *, by_rows: bool) -> t.Node:
    """Return a line as a column vector, with what is added to it as one."""
    if not plus:
        return product
    added = scene.quantities[plus].symbol
    return sum_tree([product, t.Transpose(added) if by_rows else added])


def _line_of(scene: Scene, operand: q.Operand, index: Index, *, by_rows: bool) -> t.Node | None:
    """Return the line `index` of a factor as a vector, if its lines have a name in that direction."""
    quantity = scene.quantities[operand.name]
    wanted = "rows" if by_rows != operand.transposed else "columns"
    if quantity.line_symbol is None or quantity.line_axis != wanted:
        return None
    return indexed(quantity.line_symbol, (index_node(index),))


def _weighted_sums(scene: Scene, near: q.Operand, far: q.Operand, index: int, *, by_rows: bool) -> list[t.Node]:
    """Return the sum over j of ``a_{ij} v_j``, and the same written out."""
    values = scene.quantities[far.name]
    wanted = "rows" if by_rows != far.transposed else "columns"
    if values.line_symbol is None or values.line_axis != wanted:
        return []
    count = values.shape[0] if wanted == "rows" else values.shape[1]

    def weight(position: Index) -> t.Node:
        first, second = (index, position) if by_rows != near.transposed else (position, index)
        return scene.entry(near.name, first, second)

    line = values.line_symbol
    written: list[t.Node] = [
        t.Product((weight(j), indexed(line, (index_node(j),))), ("",)) for j in range(1, count + 1)
    ]
    running = t.Name(RUNNING_INDEX)
    body = t.Product((weight(running), indexed(line, (running,))), ("",))
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
    """Return the definition that a subject with running indices refers to, or None if it refers to none."""
    parts = indexed_parts(subject)
    if parts is None or not _can_run(parts[1]):
        return None
    base, indices = parts
    count = len(indices)
    for quantity in scene.quantities.values():
        is_entry = base == quantity.entry_symbol and count == (1 if quantity.vector else 2)
        is_part = isinstance(base, t.Group) and base.body in _whole(scene, quantity.definition)
        found = Running(quantity, indices, is_part and count == 1)
        if (is_entry or (is_part and isinstance(quantity.definition, q.ProductOf))) and _is_inside(found):
            return found
    return None


def _can_run(indices: tuple[t.Node, ...]) -> bool:
    """Return True for one or two indices, none of whose names occurs twice."""
    names = [index.text for index in indices if isinstance(index, t.Name)]
    known = all(isinstance(index, t.Name | t.Number) for index in indices)
    return known and 1 <= len(indices) <= 2 and len(set(names)) == len(names)


def _is_inside(subject: Running) -> bool:
    pairs = zip(subject.indices, subject.quantity.shape, strict=False)
    return all(index.text in map(str, range(1, size + 1)) for index, size in pairs if isinstance(index, t.Number))


def running_forms(scene: Scene, subject: Running, bound: t.Name) -> tuple[t.Node, ...]:
    """Return the forms in which it can be written, each by definition; sums run over `bound`.

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
    if isinstance(definition, q.CosineOf | q.AdditiveOf) and not subject.is_row:
        parts += (_running_score(scene, definition, subject.indices, bound),)
    if subject.is_row:
        return parts
    name = indexed(quantity.entry_symbol, subject.indices)
    return (name, *parts, *entry_definitions(scene, definition, row, column))


def _running_score(
    scene: Scene, definition: q.CosineOf | q.AdditiveOf, indices: tuple[t.Node, ...], bound: t.Name
) -> t.Node:
    """Write a score of a special score function with its sum: ``(Σ_r Q_{ir} K_{jr})/(n_i · l_j)``."""
    row, column = indices
    inner = t.Number(str(inner_dimension(scene, definition)))
    if isinstance(definition, q.AdditiveOf):
        return t.SumOver(bound, t.Number("1"), inner, _additive_term(scene, definition, row, column, bound))
    pair = (
        operand_entry(scene, definition.left, row, bound),
        operand_entry(scene, definition.right, bound, column),
    )
    total = t.SumOver(bound, t.Number("1"), inner, t.Product(pair, ("cdot",)))
    return t.Division(total, norms_product(scene, definition, row, column))


def _running_sum(scene: Scene, definition: q.ProductOf, subject: Running, bound: t.Name) -> tuple[t.Node, ...]:
    """Return the sum over the inner index, of products of entries or of an entry and a line."""
    left = operand_entry(scene, definition.left, subject.indices[0], bound)
    if subject.is_row:
        line = _line_of(scene, definition.right, bound, by_rows=True)
        if line is None:
            return ()
        product = t.Product((left, t.Transpose(line)), ("",))
        added = scene.quantities[definition.plus].symbol if definition.plus else None
    else:
        product = t.Product((left, operand_entry(scene, definition.right, bound, subject.indices[1])), ("cdot",))
        added = added_entry(scene, definition.plus, *subject.indices) if definition.plus else None
    inner = t.Number(str(inner_dimension(scene, definition)))
    total = t.SumOver(bound, t.Number("1"), inner, product)
    return (total if added is None else sum_tree([total, added]),)
