"""Written matrices entry by entry: their shape, and one entry as scalar arithmetic.

``0.6 [1, 2] + 0.4 [3, 5]`` has the second entry ``0.6·2 + 0.4·5``, every number still knowing where it
was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.graph.quantities import spread_place
from symattn.checking.graph.targets import Target, described, entry_name
from symattn.checking.names.blocks import ACTIVATIONS, FUNCTIONS
from symattn.checking.names.lexicon import SPELLINGS_OF_SOFTMAX
from symattn.errors import ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.graph.builders.layer import base_of
from symattn.notation.tree import nodes as t

Shape = tuple[int, int]
SCALAR: Shape = (1, 1)


class TooLongProductError(ShapeError):
    """A product of too many matrices to write out its entries."""


class Names(Protocol):
    """Resolution of written names."""

    def __call__(self, node: t.Node, indices: Mapping[str, int] | None = None) -> Target | None:
        """Return the target of a name under the values of running indices; None for an unknown name."""

    def formula(self, node: t.Node, indices: Mapping[str, int]) -> tuple[t.Node, Mapping[str, int]] | None:
        """Return the formula that the work itself gave for a name, and the numbers of its indices."""

    def constant(self, node: t.Node) -> Quotient | None:
        """Return the value of a symbol of the sheet, or of a dimension such as ``d_k``."""

    def sizes(self, node: t.Node) -> tuple[int, ...] | None:
        """Return the ranges of the indices of a name."""


_MAX_MATRICES = 5


def transposed(matrix: t.Matrix) -> t.Matrix:
    """Return a written matrix with its rows as columns."""
    return t.Matrix(tuple(zip(*matrix.rows, strict=True)), matrix.brackets, span=matrix.span)


class Layout:
    """The shapes and entries of written trees, in which names are those of a binder.

    Args:
        resolve: what names mean.
        columns: whether the softmax runs down columns.
        adds_one: whether it adds 1 to the sum of exponentials.
    """

    def __init__(self, resolve: Names, *, columns: bool = False, adds_one: bool = False) -> None:
        self.resolve = resolve
        self.adds_one = adds_one
        self.columns = columns
        self._powers: dict[tuple[int, t.Span | None, int, bool], tuple[t.Node, list[t.Node], t.Node]] = {}

    def forget(self) -> None:
        """Discard the cache of names, whose meaning may have changed."""
        self._powers.clear()

    def shape(self, node: t.Node) -> Shape:
        """Return rows and columns of a tree; a number has one of each.

        Raises:
            ShapeError: parts do not conform: the sentence names both shapes.
        """
        match node:
            case t.Group(body) | t.Boxed(body) | t.Negative(body):
                return self.shape(body)
            case t.Matrix(rows):
                return self._blocks(rows)
            case t.Vector(items):
                return (1, len(items))
            case t.Transpose(base):
                height, width = self.shape(base)
                return width, height
            case t.Name() | t.Subscript():
                target = self.resolve(node)
                return self._of_given(node) if target is None else target.shape
            case t.Sum(terms):
                return self._common(node, terms)
            case t.Product(factors):
                target = self.resolve(node)
                return self._product(factors)[0] if target is None else target.shape
            case t.Division(numerator):
                return self.shape(numerator)
            case t.Call(function, (argument,)) if function.text in SPELLINGS_OF_SOFTMAX or function.text == "exp":
                return self.shape(argument)
            case t.Call(function, (argument, t.Number("0"))) if function.text in SPELLINGS_OF_SOFTMAX:
                return self.shape(argument)
            case t.Call(t.Name(name), (argument,)) if name in FUNCTIONS:
                return self.shape(argument)
            case t.Call(t.Name("rowsum"), (argument,)):
                return self.shape(argument)[0], 1
            case t.Call(t.Name("odot"), (first, second)):
                return self._spread(node, self.shape(first), self.shape(second))
            case t.Power() if (named := self.resolve(node)) is not None:
                return named.shape
            case t.Power(base, exponent):
                return self.shape(exponent) if bare(base) == t.Name("e") else self.shape(base)
            case t.SumOver(_, _, _, body):
                return self.shape(body)
        return SCALAR

    def _of_given(self, node: t.Name | t.Subscript) -> Shape:
        """Return the shape of a work's own name, ``L = S/sqrt(2)``; an unknown name is a number."""
        given = self.resolve.formula(node, {})
        try:
            return SCALAR if given is None or given[1] else self.shape(given[0])
        except ShapeError:
            return SCALAR

    def _blocks(self, rows: tuple[tuple[t.Node, ...], ...]) -> Shape:
        return len(rows), self._stacked(rows) or len(rows[0])

    def _stacked(self, rows: tuple[tuple[t.Node, ...], ...]) -> int | None:
        """Return the length of row vectors written one below the other, ``-x_1^T-``; None for entries."""
        if len(rows[0]) != 1:
            return None
        shapes = {self.shape(_row(row[0])) for row in rows}
        shape = shapes.pop()
        return shape[1] if not shapes and shape[0] == 1 and shape[1] > 1 else None

    def _common(self, node: t.Node, terms: tuple[t.Node, ...]) -> Shape:
        shapes = [self.shape(term) for term in terms]
        first = self._widest(terms, shapes)
        for term, shape in zip(terms, shapes, strict=True):
            if shape == SCALAR and figure(term) is not None:
                continue  # a number is added to every entry
            is_spread = self._is_of_lines(term, first) or self._is_bias(term, first)
            if shape != first and shape != first[::-1] and not is_spread:
                raise ShapeError(f"{_text(node)} adds a {_times(first)} and a {_times(shape)}.")
        return first

    @staticmethod
    def _widest(terms: tuple[t.Node, ...], shapes: list[Shape]) -> Shape:
        """Return the shape of a sum: that of its first term, a number aside."""
        wide = (shape for term, shape in zip(terms, shapes, strict=True) if shape != SCALAR or figure(term) is None)
        return next(wide, shapes[0])

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

    def _spread(self, node: t.Node, first: Shape, second: Shape) -> Shape:
        """Return the shape of an entrywise product; a row or a column is broadcast."""
        shape = max(first[0], second[0]), max(first[1], second[1])
        if any(own[axis] not in {1, shape[axis]} for own in (first, second) for axis in (0, 1)):
            raise ShapeError(f"{_text(node)} multiplies a {_times(first)} and a {_times(second)} entry by entry.")
        return shape

    def _product(self, factors: tuple[t.Node, ...]) -> tuple[Shape, list[Shape]]:
        shapes = [self.shape(factor) for factor in factors]
        shape = SCALAR
        for factor, own in zip(factors, shapes, strict=True):
            shape = _join(shape, own, factor)
        return shape, shapes

    # One entry -------------------------------------------------------------------------------------

    def entry(self, node: t.Node, i: int, j: int) -> t.Node:
        """Return entry (i, j), from 0, as scalar arithmetic with the places of its numbers.

        Raises:
            ShapeError: parts do not conform.
        """
        if self.shape(node) == SCALAR and not self._has_matrix(node):
            return node
        match node:
            case t.Group(body) | t.Boxed(body):
                inner = self.entry(body, i, j)
                return t.Group(inner, span=inner.span) if isinstance(inner, t.Sum | t.Negative) else inner
            case t.Negative(body):
                return t.Negative(self.entry(body, i, j), span=node.span)
            case t.Matrix(rows):
                return rows[i][j] if self._stacked(rows) is None else self.entry(_row(rows[i][0]), 0, j)
            case t.Vector(items):
                return items[j] if j < len(items) and i == 0 else items[i]
            case t.Transpose(base):
                return self.entry(base, j, i)
            case t.Name() | t.Subscript():
                target = self.resolve(node)
                return node if target is None else entry_name(target, i, j, node.span)
            case t.Sum(terms, operators):
                shapes = [self.shape(term) for term in terms]
                first = self._widest(terms, shapes)
                turned = [
                    (0, 0)
                    if shape == SCALAR
                    else ((j if self.columns else i), 0)
                    if shape != first and self._is_of_lines(term, first)
                    else spread_place(shape, i, j)
                    if self._is_bias(term, first)
                    else ((i, j) if shape == first else (j, i))
                    for term, shape in zip(terms, shapes, strict=True)
                ]
                entries = tuple(self.entry(term, *place) for term, place in zip(terms, turned, strict=True))
                return t.Sum(entries, operators, span=node.span)
            case t.Product(factors):
                target = self.resolve(node)
                return (
                    self._product_entry(node, factors, i, j) if target is None else entry_name(target, i, j, node.span)
                )
            case t.Division(numerator, denominator):
                return t.Division(self.entry(numerator, i, j), denominator, span=node.span)
            case t.Call(function, (argument,)) if function.text == "exp":
                return t.Power(t.Name("e"), self.entry(argument, i, j), span=node.span)
            case t.Call(function, (argument,)) if function.text in SPELLINGS_OF_SOFTMAX:
                return self._softmax(argument, i, j, node.span)
            case t.Call(function, (argument, t.Number("0"))) if function.text in SPELLINGS_OF_SOFTMAX:
                return self._softmax(argument, i, j, node.span, down=True)
            case t.Call(t.Name(name) as function, (argument,)) if name in ACTIVATIONS:
                return t.Call(function, (self.entry(argument, i, j),), span=node.span)
            case t.Call(t.Name(name)) if name in FUNCTIONS:
                return t.Call(t.Name(name), (node,), span=node.span)  # no arithmetic of one entry
            case t.Call(t.Name("rowsum"), (argument,)):
                terms = tuple(self.entry(argument, i, k) for k in range(self.shape(argument)[1]))
                return terms[0] if len(terms) == 1 else t.Sum(terms, ("+",) * (len(terms) - 1), span=node.span)
            case t.Call(t.Name("odot"), arguments):
                sizes = map(self.shape, arguments)
                places = [(i if size[0] > 1 else 0, j if size[1] > 1 else 0) for size in sizes]
                pairs = zip(arguments, places, strict=True)
                entries = tuple(_held(self.entry(argument, *place)) for argument, place in pairs)
                return t.Product(entries, ("cdot",), span=node.span)
            case t.Power() if (named := self.resolve(node)) is not None:
                return entry_name(named, i, j, node.span)
            case t.Power(base, exponent) if bare(base) == t.Name("e"):
                return t.Power(base, self.entry(exponent, i, j), span=node.span)
        raise ShapeError(f"{_text(node)} has no entries.")

    def _has_matrix(self, node: t.Node) -> bool:
        if isinstance(node, t.Matrix | t.Vector):
            return True
        if isinstance(node, t.Name | t.Subscript):
            return False
        return any(self._has_matrix(child) for child in t.children(node))

    def _product_entry(self, node: t.Product, factors: tuple[t.Node, ...], i: int, j: int) -> t.Node:
        """Return an entry of a product: scalars first, then the last matrix times the product of the others."""
        shapes = [self.shape(factor) for factor in factors]
        matrices = [k for k, shape in enumerate(shapes) if shape != SCALAR or self._has_matrix(factors[k])]
        scalars = [factor for k, factor in enumerate(factors) if k not in matrices]
        if not matrices:
            return node
        if len(matrices) > _MAX_MATRICES:
            raise TooLongProductError(f"A product of more than {_MAX_MATRICES} matrices is not supported here.")
        inner = self._chain([factors[k] for k in matrices], [shapes[k] for k in matrices], i, j, node.span)
        if not scalars:
            return inner
        return t.Product((*scalars, _held(inner)), ("cdot",) * len(scalars), span=node.span)

    def _chain(self, factors: list[t.Node], shapes: list[Shape], i: int, j: int, span: t.Span | None) -> t.Node:
        if len(factors) == 1:
            return self.entry(factors[0], *_turned(shapes[0], i, j))
        shape, left_shapes = self._product(tuple(factors[:-1]))
        _join(shape, shapes[-1], factors[-1])
        left_turned, right_turned = _orientation(shape, shapes[-1]) or (False, False)
        inner = shapes[-1][1] if right_turned else shapes[-1][0]
        terms: list[t.Node] = []
        for k in range(inner):
            left = self._chain(factors[:-1], left_shapes, *((k, i) if left_turned else (i, k)), span)
            right = self.entry(factors[-1], *((j, k) if right_turned else (k, j)))
            if isinstance(left, t.Dots) or isinstance(right, t.Dots):
                terms.append(t.Dots(span=left.span))
                continue
            terms.append(t.Product((_held(left), _held(right)), ("cdot",), span=left.span))
        return terms[0] if len(terms) == 1 else t.Sum(tuple(terms), ("+",) * (len(terms) - 1), span=span)

    def _softmax(self, argument: t.Node, i: int, j: int, span: t.Span | None, *, down: bool = False) -> t.Node:
        rows, columns = self.shape(argument)
        # A column alone is one distribution, whichever way softmaxes of matrices run.
        is_column = columns == 1 or (down and rows > 1)
        key = (id(argument), span, j if is_column else i, is_column)
        if key not in self._powers:
            # All entries of a line share its exponentials: they are worked out, and looked at, once.
            places = [(k, j) for k in range(rows)] if is_column else [(i, k) for k in range(columns)]
            made: list[t.Node] = [t.Power(t.Name("e"), self.entry(argument, *place), span=span) for place in places]
            terms = (*made, t.Number("1", span=span)) if self.adds_one else tuple(made)
            total = terms[0] if len(terms) == 1 else t.Sum(terms, ("+",) * (len(terms) - 1), span=span)
            self._powers[key] = (argument, made, total)
        _, powers, below = self._powers[key]
        return t.Division(powers[i if is_column else j], below, span=span)


def _row(node: t.Node) -> t.Node:
    """Return a row of a matrix without the bar in front of it, which looks like a minus sign."""
    return bare(node.body) if isinstance(node, t.Negative) and not isinstance(bare(node.body), t.Number) else bare(node)


def without_bars(node: t.Node) -> t.Node:
    """Return stacked row vectors without the bars in front of them, where every one has such a bar."""
    matrix = bare(node)
    if not isinstance(matrix, t.Matrix) or any(len(row) != 1 or row[0] == _row(row[0]) for row in matrix.rows):
        return node
    return t.Matrix(tuple((_row(row[0]),) for row in matrix.rows), span=matrix.span)


def _turned(shape: Shape, i: int, j: int) -> tuple[int, int]:
    """Return the place of an entry in a vector, which may be asked for in the other orientation."""
    return (j, i) if (i >= shape[0] or j >= shape[1]) else (i, j)


def _held(node: t.Node) -> t.Node:
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


def _join(left: Shape, right: Shape, factor: t.Node) -> Shape:
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
