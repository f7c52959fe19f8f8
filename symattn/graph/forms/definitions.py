"""TRUSTED. Definitions as written mathematics: what may stand after ``name =``.

A form of an entry is its operation's expression over the names of entries; an operation has further forms of its own,
of entries, of lines and of the whole.
"""

from __future__ import annotations

from symattn.graph.forms.names import OperandNames
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import PRODUCTS, Made, factors
from symattn.graph.quantities.scene import Entry, Line, Scene, Target, Whole, indexed, readings, shifted
from symattn.graph.quantities.trees import NoFormError, Trees
from symattn.notation.tree import nodes as t
from symattn.operations import scalar as s
from symattn.operations.operation import RunningIndexError, mean_forms
from symattn.operations.scalar import Index
from symattn.records import dataclass


def definitions(scene: Scene, target: Target) -> tuple[t.Node, ...]:
    """Return the forms in which a target's definition can be written, none for what was given."""
    quantity = scene.quantity(target)
    match target:
        case Whole() if quantity.scalar:
            return entry_forms(scene, quantity, 1, 1) if quantity.form is None else (quantity.form,)
        case Whole():
            return whole_forms(scene, quantity)
        case Entry(name, row, column):
            forms = entry_forms(scene, quantity, row, column)
            return (*forms, *_by_blocks(scene, target)) if quantity.by_blocks else forms
        case Line(name, index):
            made = scene.made(name)
            if made is None or made.operation.lines is None:
                return ()
            write = made.operation.lines.column
            return tuple(write(made.params, OperandNames(scene, made), quantity.line_axis, index - 1))


def _by_blocks(scene: Scene, target: Entry) -> tuple[t.Node, ...]:
    form = result_form(scene, target.name, target.row, target.column)
    return () if form is None else (form,)


def whole_forms(scene: Scene, quantity: q.Quantity) -> tuple[t.Node, ...]:
    """Return the forms in whole quantities: ``Q K^T``, ``softmax(S)``."""
    if quantity.form is not None:
        return (quantity.form,)
    made = scene.made(quantity.name)
    if made is None or made.operation.whole is None:
        return ()
    return tuple(made.operation.whole(made.params, OperandNames(scene, made)))


def entry_forms(scene: Scene, quantity: q.Quantity, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return the forms in which the definition of one entry can be written, at numbers or at running indices."""
    made = scene.made(quantity.name)
    if made is None:
        return ()
    names, also = OperandNames(scene, made), made.operation.also
    try:
        scalar = names.scalar(row, column)
        form = Trees(names).of(scalar)
    except (NoFormError, RunningIndexError):
        return ()
    further = also(made.params, names, shifted(row, -1), shifted(column, -1)) if also else ()
    return (*_means(scalar, form), *further)


def parts_of_sum(scalar: s.Scalar) -> tuple[s.Total, tuple[s.Scalar, ...], tuple[s.Scalar, ...]]:
    """Return the running sum of an expression, and the terms before and behind it.

    Raises:
        ValueError: it is not one running sum with other terms.

    >>> total = s.Total(2, lambda k: s.Leaf(0, 0, k))
    >>> parts_of_sum(s.ONE + total) == (total, (s.ONE,), ())
    True
    """
    terms = scalar.terms if isinstance(scalar, s.Add) else (scalar,)
    for position, term in enumerate(terms):
        if isinstance(term, s.Total):
            return term, terms[:position], terms[position + 1 :]
    raise ValueError("the entry is a sum")


def _means(scalar: s.Scalar, form: t.Node) -> tuple[t.Node, ...]:
    """A form; that of a mean in both ways to write it."""
    match scalar, form:
        case s.Div(_, s.Num(int() as count)), t.Division(t.Sum() as total, _):
            return tuple(mean_forms(total, count))
    return (form,)


def result_form(scene: Scene, name: str, row: int, column: int) -> t.Node | None:
    """Write an entry of the output as ``o_{11}/l_1`` after the last block; return None for anything else."""
    if not scene.quantities[name].by_blocks:
        return None
    above, below = scene.quantities[name].by_blocks
    line = row if scene.quantities[above].definition.argument("side") == "rows" else column
    return t.Division(scene.entry(above, row, column), scene.entry(below, line, 1))


def denominator_of(scene: Scene, target: Entry) -> Entry | None:
    """Return the sum that divides the weights of which an entry is made: ``Z_3`` for ``A_{31}`` and for ``O_{31}``."""
    definition = scene.quantity(target).definition
    if scene.plays(target.name, "weights"):
        return Entry(definition.premises[1], target.row if definition.axis == "rows" else target.column, 1)
    if definition.rule not in PRODUCTS:
        return None
    left, right = factors(definition)
    for (name, is_turned), index, side in ((left, target.row, "rows"), (right, target.column, "columns")):
        ratio = scene.quantities[name].definition
        if scene.plays(name, "weights") and (ratio.axis == side) != is_turned:
            return Entry(ratio.premises[1], index, 1)
    return None


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
    for base, indices in readings(subject):
        found = _running(scene, base, indices) if _can_run(indices) else None
        if found is not None:
            return found
    return None


def _running(scene: Scene, base: t.Node, indices: tuple[t.Node, ...]) -> Running | None:
    count = len(indices)
    for quantity in scene.quantities.values():
        is_entry = base == quantity.entry_symbol and count == (1 if quantity.vector else 2)
        is_part = isinstance(base, t.Group) and base.body in whole_forms(scene, quantity)
        found = Running(quantity, indices, is_part and count == 1)
        if (is_entry or (is_part and _has_lines(scene.made(quantity.name)))) and _is_inside(found):
            return found
    return None


def _has_lines(made: Made | None) -> bool:
    return made is not None and made.operation.lines is not None


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
    quantity, indices = subject.quantity, subject.indices
    if bound in indices:
        return ()
    parts = tuple(t.Subscript(t.Group(form), indices) for form in whole_forms(scene, quantity))
    sums = _sums(scene, subject, bound)
    if subject.is_row:
        return (*parts, *sums)
    name = indexed(quantity.entry_symbol, indices)
    return (name, *parts, *sums, *entry_forms(scene, quantity, indices[0], indices[-1]))


def _sums(scene: Scene, subject: Running, bound: t.Name) -> tuple[t.Node, ...]:
    """Return the form with a sum over `bound`, where there is a sum."""
    made = scene.made(subject.quantity.name)
    if made is None:
        return ()
    names, indices = OperandNames(scene, made), subject.indices
    if subject.is_row:
        lines = made.operation.lines
        return () if lines is None else tuple(lines.row(made.params, names, indices[0], bound))
    fold = Trees(names, bound)
    try:
        form = fold.of(names.scalar(indices[0], indices[-1]))
    except (NoFormError, RunningIndexError):
        return ()
    return (form,) if fold.has_run else ()
