"""Written matrices entry by entry: their shape, and one entry as scalar arithmetic.

``0.6 [1, 2] + 0.4 [3, 5]`` has the second entry ``0.6·2 + 0.4·5``, every number still knowing where it
was written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple, TypeAlias

from symattn.checking.evaluation.values import substitute
from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.graph.quantities import spread_place
from symattn.checking.graph.targets import described, entry_name
from symattn.checking.names.binding import Binder
from symattn.checking.names.blocks import ACTIVATIONS, FUNCTIONS
from symattn.checking.names.lexicon import SPELLINGS_OF_SOFTMAX
from symattn.errors import ShapeError
from symattn.graph.builders.layer import base_of
from symattn.notation.tree import nodes as t

Shape = tuple[int, int]
SCALAR: Shape = (1, 1)

_NAMES, _MATRICES = 1, 2
"""Content of a tree beside numbers: names and functions; matrices written out."""

_ARITHMETIC = frozenset({t.Number, t.Sum, t.Product, t.Division, t.Negative, t.Power, t.Group})
"""Nodes that make numbers of numbers."""


class TooLongProductError(ShapeError):
    """A product of too many matrices to write out its entries."""


ENTRYWISE = ACTIVATIONS | {"tanh", "sqrt", "log", "ln", "sin", "cos", "abs"}
"""Functions that programs and people apply to each entry of a matrix."""

_MAX_MATRICES = 5


At: TypeAlias = Callable[[int, int], t.Node]
"""An entry by its row and column, from 0, as scalar arithmetic with the places of its numbers."""


class Laid(NamedTuple):
    """A tree as a matrix: its rows and columns, and its entries."""

    shape: Shape
    at: At


class Layout:
    """The shapes and entries of written trees, in which names are those of a binder.

    Args:
        resolve: what names mean.
        columns: whether the softmax runs down columns.
        adds_one: whether it adds 1 to the sum of exponentials.
    """

    def __init__(self, resolve: Binder, *, columns: bool = False, adds_one: bool = False) -> None:
        self.resolve = resolve
        self.adds_one = adds_one
        self.columns = columns
        self._written: dict[int, tuple[t.Node, int]] = {}
        self._powers: dict[tuple[int, t.Span | None, int, bool], tuple[t.Node, list[t.Node], t.Node]] = {}

    def forget(self) -> None:
        """Discard the cache of names, whose meaning may have changed."""
        self._powers.clear()
        self._written.clear()

    def shape(self, node: t.Node) -> Shape:
        """Return rows and columns of a tree; a number has one of each.

        Raises:
            ShapeError: parts do not conform: the sentence names both shapes.
        """
        return self.of(node).shape

    def entry(self, node: t.Node, i: int, j: int) -> t.Node:
        """Return entry (i, j), from 0, as scalar arithmetic with the places of its numbers.

        Raises:
            ShapeError: parts do not conform.
        """
        return self.of(node).at(i, j)

    def of(self, node: t.Node) -> Laid:
        """Return a tree as a matrix; a number is its own only entry.

        Raises:
            ShapeError: parts do not conform.
        """
        content = self._content(node)
        laid = self._laid(node) if content else None
        return Laid(SCALAR, lambda *_: node) if laid is None or (laid.shape == SCALAR and content < _MATRICES) else laid

    def _laid(self, node: t.Node) -> Laid:
        span = node.span
        match node:
            case t.Group(body) | t.Boxed(body):
                return self._each(body, _grouped)
            case t.Negative(body):
                return self._each(body, lambda entry: t.Negative(entry, span=span))
            case t.Matrix(rows):
                return self._matrix(rows)
            case t.Vector(items) if len(items) > 1 and all(isinstance(item, t.Vector) for item in items):
                return self._matrix(tuple((item,) for item in items))
            case t.Vector(items):
                return Laid((1, len(items)), lambda i, j: items[j if j < len(items) and i == 0 else i])
            case t.Transpose(base):
                inner = self.of(base)
                return Laid(inner.shape[::-1], lambda i, j: inner.at(j, i))
            case t.Name() | t.Subscript() | t.Product() | t.Power() if (target := self.resolve(node)) is not None:
                return Laid(target.shape, lambda i, j: entry_name(target, i, j, span))
            case t.Name() | t.Subscript():
                return Laid(self._of_given(node), lambda *_: node)
            case t.Sum(terms):
                return self._sum(node, terms)
            case t.Product(factors):
                return self._product(node, factors)
            case t.Division(numerator, denominator):
                return self._each(numerator, lambda entry: t.Division(entry, denominator, span=span))
            case t.Call(function, (argument, *down)) if function.text in SPELLINGS_OF_SOFTMAX and (
                down in ([], [t.Number("0")])
            ):
                return self._softmax(argument, span, down=self.columns or bool(down))
            case t.Call(t.Name("exp"), (argument,)):
                return self._each(argument, lambda entry: t.Power(t.Name("e"), entry, span=span))
            case t.Call(t.Name(name) as function, (argument,)) if name in ENTRYWISE:
                return self._each(argument, lambda entry: t.Call(function, (entry,), span=span))
            case t.Call(t.Name(name) as function, (argument,)) if name in FUNCTIONS:
                # Of a norm and a network there is no arithmetic of one entry.
                return Laid(self.shape(argument), lambda *_: t.Call(function, (node,), span=span))
            case t.Call(t.Name("rowsum"), (argument,)):
                (height, width), entry = self.of(argument)
                return Laid((height, 1), lambda i, _: _added([entry(i, k) for k in range(width)], span))
            case t.Call(t.Name("odot"), (first, second)):
                return self._entrywise(node, self.of(first), self.of(second))
            case t.Power(base, exponent) if bare(base) == t.Name("e"):
                return self._each(exponent, lambda entry: t.Power(base, entry, span=span))
            case t.Power(body):
                return Laid(self.shape(body), _without_entries(node))
            case t.SumOver(index, lower, _, body):
                begin = None if lower is None else figure(lower)
                term = substitute(body, {index.text: 1 if begin is None else int(begin.value)})
                return Laid(self.shape(term), _without_entries(node))
        return Laid(SCALAR, _without_entries(node))

    def _content(self, node: t.Node) -> int:
        """Return 0 for arithmetic of numbers alone, 2 where a matrix is written out, else 1; asked at every level."""
        if id(node) not in self._written:
            if isinstance(node, t.Name | t.Subscript | t.Matrix | t.Vector):
                found = _MATRICES if isinstance(node, t.Matrix | t.Vector) else _NAMES
            else:
                own = 0 if type(node) in _ARITHMETIC else _NAMES
                found = max(map(self._content, t.children(node)), default=0) or own
            self._written[id(node)] = node, found
        return self._written[id(node)][1]

    def _each(self, part: t.Node, change: Callable[[t.Node], t.Node]) -> Laid:
        """Lay out a part with each entry changed."""
        shape, entry = self.of(part)
        return Laid(shape, lambda i, j: change(entry(i, j)))

    def _of_given(self, node: t.Name | t.Subscript) -> Shape:
        """Return the shape of a work's own name, ``L = S/sqrt(2)``; an unknown name is a number."""
        given = self.resolve.formula(node, {})
        try:
            return SCALAR if given is None or given[1] else self.shape(given[0])
        except ShapeError:
            return SCALAR

    def _matrix(self, rows: tuple[tuple[t.Node, ...], ...]) -> Laid:
        """Lay out entries, or row vectors written one below the other, ``-x_1^T-``."""
        lines = [self.of(_row(row[0])) for row in rows] if len(rows[0]) == 1 else []
        shapes = {line.shape for line in lines}
        height, width = shapes.pop() if len(shapes) == 1 else SCALAR
        if height == 1 and width > 1:
            return Laid((len(rows), width), lambda i, j: lines[i].at(0, j))
        return Laid((len(rows), len(rows[0])), lambda i, j: rows[i][j])

    # Sums ------------------------------------------------------------------------------------------

    def _sum(self, node: t.Sum, terms: tuple[t.Node, ...]) -> Laid:
        laid = [self.of(term) for term in terms]
        is_number = [part.shape == SCALAR and figure(term) is not None for term, part in zip(terms, laid, strict=True)]
        # The shape of a sum is that of its first term, a number aside, which is added to every entry.
        first = next((part.shape for part, number in zip(laid, is_number, strict=True) if not number), laid[0].shape)
        kinds: list[str] = []
        for term, part, number in zip(terms, laid, is_number, strict=True):
            shape = part.shape
            is_of_lines = shape != first and self._is_of_lines(term, first)
            is_bias = not is_of_lines and self._is_bias(term, first)
            if shape not in {first, first[::-1]} and not (number or is_of_lines or is_bias):
                raise ShapeError(f"{_text(node)} adds a {_times(first)} and a {_times(shape)}.")
            kinds.append("" if shape == SCALAR else "lines" if is_of_lines else "bias" if is_bias else "whole")

        def at(i: int, j: int) -> t.Node:
            places = {"": (0, 0), "lines": (j if self.columns else i, 0)}
            entries = []
            for kind, (shape, entry) in zip(kinds, laid, strict=True):
                whole = spread_place(shape, i, j) if kind == "bias" else (i, j) if shape == first else (j, i)
                entries.append(entry(*places.get(kind, whole)))
            return t.Sum(tuple(entries), node.operators, span=node.span)

        return Laid(first, at)

    def _is_of_lines(self, node: t.Node, shape: Shape) -> bool:
        """Return whether a node has a number for each line of the softmax, taken off the whole line."""
        inner = bare(node)
        if isinstance(inner, t.Call):
            is_sum = inner.function.text == "rowsum" and not self.columns
            return is_sum and shape != SCALAR and self.shape(node) == (shape[0], 1)
        target = self.resolve(inner)
        lines = shape[1] if self.columns else shape[0]
        return target is not None and base_of(target.name) == "D" and lines == max(target.shape) and shape != SCALAR

    def _is_bias(self, node: t.Node, shape: Shape) -> bool:
        """Return whether a node is a vector added to every token, b_Q, or to every entry of one, as means of a norm."""
        inner = bare(node)
        target = self.resolve(inner)
        if target is None and isinstance(inner, t.Matrix | t.Vector):
            # Its numbers may stand in its place.
            own = self.shape(inner)
        elif target is not None and target.name.startswith(("b_", "mu_", "beta_")):
            own = target.shape
        else:
            return False
        return shape not in {SCALAR, own} and own in {(1, shape[1]), (shape[0], 1)}

    # Products --------------------------------------------------------------------------------------

    def _entrywise(self, node: t.Node, first: Laid, second: Laid) -> Laid:
        """Lay out an entrywise product; a row or a column is broadcast."""
        shape = max(first.shape[0], second.shape[0]), max(first.shape[1], second.shape[1])
        if any(own.shape[axis] not in {1, shape[axis]} for own in (first, second) for axis in (0, 1)):
            raise ShapeError(
                f"{_text(node)} multiplies a {_times(first.shape)} and a {_times(second.shape)} entry by entry."
            )

        def at(i: int, j: int) -> t.Node:
            factors = tuple(_grouped(part.at(*spread_place(part.shape, i, j))) for part in (first, second))
            return t.Product(factors, ("cdot",), span=node.span)

        return Laid(shape, at)

    def _product(self, node: t.Product, factors: tuple[t.Node, ...]) -> Laid:
        """Lay out a product: scalars first, then the last matrix times the product of the others."""
        laid = [self.of(factor) for factor in factors]
        pairs = list(zip(factors, laid, strict=True))
        shape = reduce(_join, ((factor, part.shape) for factor, part in pairs), SCALAR)
        is_matrix = [part.shape != SCALAR or self._content(factor) == _MATRICES for factor, part in pairs]
        scalars = [factor for factor, matrix in zip(factors, is_matrix, strict=True) if not matrix]
        matrices = [pair for pair, matrix in zip(pairs, is_matrix, strict=True) if matrix]

        def at(i: int, j: int) -> t.Node:
            if not matrices:
                return node
            if len(matrices) > _MAX_MATRICES:
                raise TooLongProductError(f"A product of more than {_MAX_MATRICES} matrices is not supported here.")
            inner = _chain(matrices, i, j, node.span)
            if not scalars:
                return inner
            return t.Product((*scalars, _grouped(inner)), ("cdot",) * len(scalars), span=node.span)

        return Laid(shape, at)

    def _softmax(self, argument: t.Node, span: t.Span | None, *, down: bool) -> Laid:
        (rows, columns), scores = self.of(argument)
        # A column alone is one distribution, whichever way softmaxes of matrices run.
        is_column = columns == 1 or (down and rows > 1)

        def at(i: int, j: int) -> t.Node:
            key = (id(argument), span, j if is_column else i, is_column)
            if key not in self._powers:
                # All entries of a line share its exponentials: they are worked out, and looked at, once.
                places = [(k, j) for k in range(rows)] if is_column else [(i, k) for k in range(columns)]
                made: list[t.Node] = [t.Power(t.Name("e"), scores(*place), span=span) for place in places]
                terms = [*made, t.Number("1", span=span)] if self.adds_one else made
                self._powers[key] = (argument, made, _added(terms, span))
            _, powers, below = self._powers[key]
            return t.Division(powers[i if is_column else j], below, span=span)

        return Laid((rows, columns), at)


def _without_entries(node: t.Node) -> At:
    def at(_: int, __: int) -> t.Node:
        raise ShapeError(f"{_text(node)} has no entries.")

    return at


def _chain(factors: list[tuple[t.Node, Laid]], i: int, j: int, span: t.Span | None) -> t.Node:
    """Return an entry of a product of matrices: the sum of products with the last of them."""
    *before, (_, (shape, last)) = factors
    if not before:
        # A vector may be asked for in the other orientation.
        return last(j, i) if i >= shape[0] or j >= shape[1] else last(i, j)
    own = reduce(_join, ((factor, part.shape) for factor, part in before), SCALAR)
    left_turned, right_turned = _orientation(own, shape) or (False, False)
    terms: list[t.Node] = []
    for k in range(shape[1] if right_turned else shape[0]):
        left = _chain(before, *((k, i) if left_turned else (i, k)), span)
        right = last(*((j, k) if right_turned else (k, j)))
        is_gap = isinstance(left, t.Dots) or isinstance(right, t.Dots)
        pair = t.Product((_grouped(left), _grouped(right)), ("cdot",), span=left.span)
        terms.append(t.Dots(span=left.span) if is_gap else pair)
    return _added(terms, span)


def _added(terms: list[t.Node], span: t.Span | None) -> t.Node:
    return terms[0] if len(terms) == 1 else t.Sum(tuple(terms), ("+",) * (len(terms) - 1), span=span)


def _row(node: t.Node) -> t.Node:
    """Return a row of a matrix without the bar in front of it, which looks like a minus sign."""
    return bare(node.body) if isinstance(node, t.Negative) and not isinstance(bare(node.body), t.Number) else bare(node)


def without_bars(node: t.Node) -> t.Node:
    """Return stacked row vectors without the bars in front of them, where every one has such a bar."""
    matrix = bare(node)
    if not isinstance(matrix, t.Matrix) or any(len(row) != 1 or row[0] == _row(row[0]) for row in matrix.rows):
        return node
    return t.Matrix(tuple((_row(row[0]),) for row in matrix.rows), span=matrix.span)


def _grouped(node: t.Node) -> t.Node:
    return t.Group(node, span=node.span) if isinstance(node, t.Sum | t.Negative) else node


def _orientation(left: Shape, right: Shape) -> tuple[bool, bool] | None:
    """Return whether to transpose the left and the right factor, so that they conform; only vectors may be."""
    if left[1] == right[0]:
        return False, False
    if 1 in right and left[1] == right[1]:
        return False, True
    if 1 in left and left[0] == right[0]:
        return True, False
    return (True, True) if 1 in left and 1 in right and left[0] == right[1] else None


def _join(left: Shape, last: tuple[t.Node, Shape]) -> Shape:
    """Return the shape of a product of that of its first factors and its last one."""
    factor, right = last
    if SCALAR in (left, right):
        return right if left == SCALAR else left
    turned = _orientation(left, right)
    if turned is not None:
        return (left[::-1] if turned[0] else left)[0], (right[::-1] if turned[1] else right)[1]
    raise ShapeError(
        f"A {_times(left)} matrix cannot be multiplied by the {_times(right)} {_text(factor)}: "
        f"{left[1]} columns meet {right[0]} rows."
    )


def _times(shape: Shape) -> str:
    return f"{shape[0]} × {shape[1]}"


def _text(node: t.Node) -> str:
    text = described(node)
    return text if len(text) <= 60 else f"{text[:57]}…"
