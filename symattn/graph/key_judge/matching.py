"""TRUSTED. Matching of a written expression against the forms that a definition prescribes at its place.

A name fits itself, the one prescribed way to write its value, and anything that fits its definition::

    w is the name n      w is the literal of n      w fits a definition of n
    --------------       ---------------------      ------------------------
    w fits n             w fits n                   w fits n
"""

from __future__ import annotations

from dataclasses import replace

from symattn.exact.rounding.quotients import Rounding
from symattn.graph.forms.definitions import definitions
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Entry, Line, Scene, Target, Valuation, Whole
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import is_labelled
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Fit:
    """Result of a successful match.

    Attributes:
        exact: whether every value written in it is the exact one.
        elsewhere: whether it is the value of another name, which is all that the definition says.
    """

    exact: bool
    elsewhere: bool = False


_FITS = {exact: Fit(exact) for exact in (True, False)}
_WRAPPED = (t.Group, t.Boxed)
_ARRAYS = (t.Matrix, t.Vector)


class Matcher:
    """Fits what is written to definitions under one valuation.

    Args:
        scene: what names mean.
        valuation: which value of a quantity is prescribed.
        override: another rounding for the values, where a statement declares its own.
        expand: whether a definition may stand in the place of a name.
    """

    def __init__(
        self, scene: Scene, valuation: Valuation, override: Rounding | None = None, *, expand: bool = True
    ) -> None:
        self.scene = scene
        self.valuation = valuation
        self.override = override
        self.expand = expand
        self._forms: dict[Target, tuple[t.Node, ...]] = {}

    def fit(self, written: t.Node, template: t.Node) -> Fit | None:
        """Match `written` against `template`; return None if it does not fit."""
        written, template = bare(written), bare(template)
        target = self.scene.resolve(template)
        if target is None:
            return self._structure(written, template)
        if self.scene.resolve(written) == target:
            return _FITS[True]
        return self._literal(written, target) or (self._defined(written, target) if self.expand else None)

    def is_literal(self, written: t.Node, target: Target) -> bool:
        """Return True if `written` is the prescribed literal of a target's value."""
        is_array = isinstance(written, _ARRAYS)
        if not is_array and not isinstance(target, Entry) and not self.scene.quantity(target).scalar:
            return False
        literal = self.scene.literal(target, self.valuation, self.override)
        whole = self.scene.whole_number(target, self.valuation)
        return any(form is not None and same_written(written, form) for form in (literal, whole))

    def is_direct(self, written: t.Node, target: Target) -> bool:
        """Return True if `written` is a definition of a target with names at most replaced by their values."""
        flat = Matcher(self.scene, self.valuation, self.override, expand=False)
        forms = definitions(self.scene, target)
        return any(flat._structure(bare(written), bare(form)) is not None for form in forms)

    def _literal(self, written: t.Node, target: Target) -> Fit | None:
        if isinstance(written, _ARRAYS) and not isinstance(target, Entry) and not self.scene.quantity(target).scalar:
            return self._entries(written, target)
        if not self.is_literal(written, target):
            return None
        # The ends of an enclosure are not the value, whatever that is.
        return _FITS[self._is_exact(target) and not isinstance(written, t.Vector)]

    def _is_exact(self, target: Target) -> bool:
        quantity = self.scene.quantity(target)
        if quantity.digits:
            return isinstance(target, Entry) and quantity.digits[target.row - 1] == q.ZERO
        if self.valuation == "end" and quantity.style == "decimal":
            return False
        if self.valuation != "carried":
            return True
        match target:
            case Entry(_, row, column):
                return quantity.is_exact(row, column)
            case Line(_, index):
                return all(quantity.is_exact(*place) for place in self.scene.places(target, index))
            case Whole():
                return quantity.all_exact

    def _entries(self, written: t.Matrix | t.Vector, target: Whole | Line) -> Fit | None:
        """Return a matrix whose entries are written in any fitting way, the middle left out or not."""
        quantity = self.scene.quantity(target)
        if isinstance(target, Line):
            places = [[place] for place in self.scene.places(target, target.index)]
            rows = written.rows if isinstance(written, t.Matrix) else tuple((item,) for item in written.items)
        elif quantity.scalar:
            return None
        else:
            if isinstance(written, t.Vector) and not quantity.vector:
                return None
            height, width = quantity.shape
            places = [[(i, j) for j in range(1, width + 1)] for i in range(1, height + 1)]
            rows = _rows(written, quantity)
        aligned = align(rows, places)
        if aligned is None:
            return None
        exact = True
        for node, (i, j) in aligned:
            fit = self._inside(node, self.scene.reference(Entry(target.name, i, j)))
            if fit is None:
                return None
            exact = exact and fit.exact
        return _FITS[exact]

    def _defined(self, written: t.Node, target: Target) -> Fit | None:
        for definition in self._definitions(target):
            fit = self.fit(written, definition)
            if fit is not None:
                other = self.scene.resolve(bare(definition))
                is_value = other is not None and (fit.elsewhere or self.is_literal(written, other))
                return Fit(fit.exact, is_value) if is_value else _FITS[fit.exact]
        return None

    def _definitions(self, target: Target) -> tuple[t.Node, ...]:
        """Return the forms of a target, made once for all sides of a statement."""
        forms = self._forms.get(target)
        if forms is None:
            forms = self._forms[target] = definitions(self.scene, target)
        return forms

    def _structure(self, written: t.Node, template: t.Node) -> Fit | None:
        if isinstance(template, t.Transpose) and isinstance(written, t.Matrix):
            return self.fit(transposed(written), template.base)
        if type(written) is not type(template):
            return None
        if isinstance(written, t.Sum) and isinstance(template, t.Sum):
            return self._sum(written.terms, written.operators, template.terms, template.operators)
        if isinstance(written, t.SumOver) and isinstance(template, t.SumOver):
            return self._sum_over(written, template)
        if isinstance(written, t.Matrix) and isinstance(template, t.Matrix) and _shape(written) != _shape(template):
            return None
        parts = t.children(template)
        if not parts:
            return _FITS[True] if written == template else None
        return self._all(t.children(written), parts)

    def _all(self, written: tuple[t.Node, ...], template: tuple[t.Node, ...]) -> Fit | None:
        if len(written) != len(template):
            return None
        exact = True
        for node, expected in zip(written, template, strict=True):
            fit = self._inside(node, expected)
            if fit is None:
                return None
            exact = exact and fit.exact
        return _FITS[exact]

    def _inside(self, written: t.Node, template: t.Node) -> Fit | None:
        """Match a part: a name is not replaced by the value of another name."""
        fit = self.fit(written, template)
        return None if fit is None or fit.elsewhere else fit

    def _sum(
        self,
        terms: tuple[t.Node, ...],
        operators: tuple[str, ...],
        expected: tuple[t.Node, ...],
        expected_operators: tuple[str, ...],
    ) -> Fit | None:
        left_out = [position for position, term in enumerate(terms) if isinstance(term, t.Dots)]
        if not left_out:
            return self._all(terms, expected) if operators == expected_operators else None
        cut, after = left_out[0], len(terms) - left_out[0] - 1
        if len(left_out) > 1 or len(terms) > len(expected) or not cut or not after:
            return None
        if len({*operators, *expected_operators}) > 1:
            return None
        return self._all(terms[:cut] + terms[cut + 1 :], expected[:cut] + expected[len(expected) - after :])

    def _sum_over(self, written: t.SumOver, template: t.SumOver) -> Fit | None:
        if (written.lower, written.upper) != (template.lower, template.upper) or written.excluded or template.excluded:
            return None
        exact = True
        for value in range(int(_digits(template.lower)), int(_digits(template.upper)) + 1):
            fit = self._inside(
                rename_index(written.body, written.index.text, value),
                rename_index(template.body, template.index.text, value),
            )
            if fit is None:
                return None
            exact = exact and fit.exact
        return Fit(exact)


def _shape(matrix: t.Matrix) -> list[int]:
    """Return the lengths of the rows."""
    return [len(row) for row in matrix.rows]


def _rows(written: t.Matrix | t.Vector, quantity: q.Quantity) -> tuple[tuple[t.Node, ...], ...]:
    """Return the rows of what is written for a whole quantity; a list is a column, or the only row."""
    if isinstance(written, t.Matrix):
        return written.rows
    is_row = quantity.shape[0] == 1 < quantity.shape[1]
    return (written.items,) if is_row else tuple((item,) for item in written.items)


def _digits(node: t.Node | None) -> str:
    return node.text if isinstance(node, t.Number) else "0"


def transposed(matrix: t.Matrix) -> t.Matrix:
    """Return a written matrix with its rows as columns.

    >>> len(transposed(t.Matrix(((t.Number("1"), t.Number("2")),))).rows)
    2
    """
    return t.Matrix(tuple(zip(*matrix.rows, strict=True)), matrix.brackets)


def bare(node: t.Node) -> t.Node:
    """Return a node without the brackets and marks around it."""
    while isinstance(node, _WRAPPED):
        node = node.body
    return node


def same_written(left: t.Node, right: t.Node) -> bool:
    """Return True if two trees are equal up to brackets and marks around them or around their entries.

    >>> same_written(t.Group(t.Number("1.0")), t.Number("1.0")), same_written(t.Number("1"), t.Number("1.0"))
    (True, False)
    """
    left, right = bare(left), bare(right)
    if isinstance(left, t.Matrix) and isinstance(right, t.Matrix):
        flat = zip(t.children(left), t.children(right), strict=False)
        return _shape(left) == _shape(right) and all(same_written(a, b) for a, b in flat)
    return left == right


Placed = list[tuple[t.Node, tuple[int, int]]]


def align(rows: tuple[tuple[t.Node, ...], ...], places: list[list[tuple[int, int]]]) -> Placed | None:
    """Return pairs the entries that are shown with their places; rows or columns of dots stand for what is left out."""
    row_numbers = _alignment([all(isinstance(node, t.Dots) for node in row) for row in rows], len(places))
    if row_numbers is None:
        return None
    shown: Placed = []
    for row, number in zip(rows, row_numbers, strict=True):
        if number is None:
            continue
        columns = _alignment([isinstance(node, t.Dots) for node in row], len(places[number]))
        if columns is None:
            return None
        shown.extend((node, places[number][j]) for node, j in zip(row, columns, strict=True) if j is not None)
    return shown


def _alignment(gaps: list[bool], length: int) -> list[int | None] | None:
    """Return the position of each shown item among `length`; one gap can stand for a middle of one item or more."""
    if True not in gaps:
        return list(range(length)) if len(gaps) == length else None
    cut, after = gaps.index(True), len(gaps) - gaps.index(True) - 1
    if sum(gaps) > 1 or len(gaps) > length or not cut or not after:
        return None
    return [*range(cut), None, *range(length - after, length)]


def rename_index(node: t.Node, name: str, value: int) -> t.Node:
    """Replace the running index `name` of `node` by a number wherever it is an index.

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
        case t.Power(base) if is_labelled(node):
            return replace(node, base=rename_index(base, name, value))
    return node
