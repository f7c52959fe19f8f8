"""TRUSTED. Matrix products, affine maps, and sums of products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import ClassVar, Self

from symattn.errors import shape_text
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, product_misfit
from symattn.exact.reals.functions import added, plus, times
from symattn.exact.rounding.quotients import Rounding
from symattn.notation.tree import nodes as t
from symattn.operations.evaluation import rounded_value
from symattn.operations.operation import (
    EVERY,
    Applied,
    Arguments,
    Axis,
    Cotangent,
    Family,
    Forms,
    Grid,
    LineForms,
    MisfitError,
    Names,
    Operation,
    Shape,
    Shapes,
    Sides,
    Tape,
    count_lines,
    family,
    require_shape,
    transpose,
    turned_name,
)
from symattn.operations.scalar import Add, Index, Leaf, Scalar, Total
from symattn.records import dataclass

_RUNNING = t.Name("j")


# Matrix products ------------------------------------------------------------------------------------


def factor(operand: int, row: Index, column: Index, *, turned: bool) -> Leaf:
    """Return an entry of a factor, which may be transposed."""
    return Leaf(operand, column, row) if turned else Leaf(operand, row, column)


def turned_shape(shape: Shape, *, turned: bool) -> Shape:
    """Return the shape of a factor, which may be transposed."""
    return shape[::-1] if turned else shape


def inner_length(p: Sides, shapes: Shapes) -> int:
    """Return the number of products that an entry of a product is the sum of."""
    return turned_shape(shapes[0], turned=p.left)[1]


def product_shape(p: Sides, shapes: Shapes) -> Shape:
    """Return the shape of a product.

    Raises:
        MisfitError: the factors do not fit.
    """
    left, right = turned_shape(shapes[0], turned=p.left), turned_shape(shapes[1], turned=p.right)
    if left[1] != right[0]:
        raise MisfitError((0, 1), product_misfit(left, right))
    return left[0], right[1]


def product(p: Sides, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``Σ_k L_ik R_kj``."""
    return Total(inner_length(p, shapes), lambda k: factor(0, i, k, turned=p.left) * factor(1, k, j, turned=p.right))


def multiply(p: Sides, operands: Sequence[Grid], products: Rounding | None) -> Grid:
    """Return a product; sums of exponentials over one denominator are added as such."""
    left, right = _laid(operands[:2], p)
    if products is None and all(value is not None for values in (left, right) for row in values for value in row):
        return (Matrix(left) @ Matrix(right)).rows  # type: ignore[arg-type]  # nothing is None here
    columns = transpose(right)
    return tuple(tuple(_dot(row, column, products) for column in columns) for row in left)


def _laid(operands: Sequence[Grid], p: Sides) -> tuple[Grid, Grid]:
    """The factors of a product as it takes them."""
    left, right = operands
    return transpose(left) if p.left else left, transpose(right) if p.right else right


def _dot(
    row: Sequence[Quotient | None], column: Sequence[Quotient | None], products: Rounding | None
) -> Quotient | None:
    terms: list[Quotient] = []
    for a, b in zip(row, column, strict=True):
        term = None if a is None or b is None else times(a, b)
        if term is not None and products is not None:
            term = rounded_value(term, products)
        if term is None:
            return None
        terms.append(term)
    return reduce(plus, terms)


def product_back(p: Sides, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add ``G R^T`` at the left factor and ``L^T G`` at the right one; transposed at one that stands transposed."""
    left, right = node.operands[:2]
    own, turned = (g.name, False), (g.name, True)
    at_left = ((right.name, p.right), turned) if p.left else (own, (right.name, not p.right))
    at_right = (turned, (left.name, p.left)) if p.right else ((left.name, not p.left), own)
    tape.add_product(left, *at_left, g.factor)
    tape.add_product(right, *at_right, g.factor)


def product_plus_shape(p: Sides, shapes: Shapes) -> Shape:
    """Return the shape of a product to whose lines a vector is added.

    Raises:
        MisfitError: the vector has another length.
    """
    shape = height, length = product_shape(p, shapes)
    if shapes[2] not in {(1, length), (height, 1)}:
        raise MisfitError((2,), f"{shape_text(shapes[2])} numbers cannot be added to the lines of {shape_text(shape)}.")
    return shape


def added_entry(p: Sides, shapes: Shapes, i: Index, j: Index) -> Leaf:
    """Return what is added at a place: an entry of a row, if its length fits, else of a column."""
    if shapes[2] == (1, 1):
        return Leaf(2, 0, 0)
    is_row = shapes[2] == (1, product_shape(p, shapes)[1])
    return Leaf(2, 0, j) if is_row else Leaf(2, i, 0)


def product_plus(p: Sides, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``Σ_k L_ik R_kj + b_j``."""
    return product(p, shapes, i, j) + added_entry(p, shapes, i, j)


def multiply_and_add(p: Sides, operands: Sequence[Grid], products: Rounding | None) -> Grid:
    """Return a product with a vector added."""
    made, added = multiply(p, operands[:2], products), operands[2]
    length = len(made[0])
    is_row = (len(added), len(added[0])) == (1, length)
    lines = added * len(made) if is_row else tuple(row * length for row in added)
    return tuple(
        tuple(None if a is None or b is None else plus(a, b) for a, b in zip(*rows, strict=True))
        for rows in zip(made, lines, strict=True)
    )


def product_plus_back(p: Sides, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add what a product has, and the sum over all tokens at the vector that was added to each."""
    product_back(p, tape, node, g)
    tape.add(node.operands[2], "total-line", g.whole, axis=tape.tokens)


# Forms of products ----------------------------------------------------------------------------------


def product_of_matrices(p: Sides, names: Names) -> Forms:
    """Return ``L R``."""
    sides = [turned_name(names.whole(operand), turned=own) for operand, own in enumerate((p.left, p.right))]
    return (t.multiplied(sides, ""),)


def affine_map(p: Sides, names: Names) -> Forms:
    """Return ``L R + b``."""
    return tuple(t.added([form, names.whole(2)]) for form in product_of_matrices(p, names))


def dot_product(p: Sides, names: Names, i: Index, j: Index) -> Forms:
    """Return ``l_i^T r_j``, where the lines of both factors have names."""
    left = names.line(0, "columns" if p.left else "rows", i)
    right = names.line(1, "rows" if p.right else "columns", j)
    return () if left is None or right is None else (t.multiplied([t.Transpose(left), right], ""),)


def dot_product_plus(p: Sides, names: Names, i: Index, j: Index) -> Forms:
    """Return ``l_i^T r_j + b_j``."""
    added = added_entry(p, names.shapes, i, j)
    entry = names.entry(added.operand, added.row, added.column)
    return tuple(t.added([form, entry]) for form in dot_product(p, names, i, j))


def lines_of_product(p: Sides, names: Names, axis: Axis, index: Index) -> Forms:
    """Return a line as a column vector: ``R^T l_i``, and the sum of the lines of the other factor.

    The sum over j of ``a_ij v_j`` stands with its sign of summation, then written out.
    """
    return (*_matrix_times_line(p, names, axis, index), *_weighted_lines(p, names, axis, index))


def lines_of_affine_map(p: Sides, names: Names, axis: Axis, index: Index) -> Forms:
    """Return a line as a column vector: ``R^T l_i + b^T``."""
    added = turned_name(names.whole(2), turned=axis == "rows")
    return tuple(t.added([form, added]) for form in _matrix_times_line(p, names, axis, index))


def _near_and_far(p: Sides, axis: Axis) -> tuple[tuple[int, Axis], tuple[int, Axis]]:
    """The factor whose lines give those of a product, and the other, each with the axis of its lines that do."""
    left: tuple[int, Axis] = 0, "rows" if (axis == "rows") != p.left else "columns"
    right: tuple[int, Axis] = 1, "rows" if (axis == "rows") != p.right else "columns"
    return (left, right) if axis == "rows" else (right, left)


def _matrix_times_line(p: Sides, names: Names, axis: Axis, index: Index) -> Forms:
    (near, along), (far, across) = _near_and_far(p, axis)
    vector = names.line(near, along, index)
    matrix = turned_name(names.whole(far), turned=across == "rows")
    return () if vector is None else (t.multiplied([matrix, vector], ""),)


def _weighted_lines(p: Sides, names: Names, axis: Axis, index: Index) -> Forms:
    (near, along), (far, across) = _near_and_far(p, axis)

    def term(k: Index) -> t.Node | None:
        line = names.line(far, across, k)
        weight = names.entry(near, *((index, k) if along == "rows" else (k, index)))
        return None if line is None else t.multiplied([weight, line], "")

    body, count = term(_RUNNING), count_lines(across, names.shapes[far])
    if body is None:
        return ()
    written = [node for k in range(count) if (node := term(k)) is not None]
    return t.SumOver(_RUNNING, t.Number("1"), t.Number(str(count)), body), t.added(written)


def row_of_product(p: Sides, names: Names, i: Index, bound: t.Name) -> Forms:
    """Return a row as ``Σ_r L_ir r_r^T``, where the rows of the right factor have names."""
    line = names.line(1, "columns" if p.right else "rows", bound)
    if line is None:
        return ()
    entry = factor(0, i, bound, turned=p.left)
    body = t.multiplied([names.entry(0, entry.row, entry.column), t.Transpose(line)], "")
    return (t.SumOver(bound, t.Number("1"), t.Number(str(inner_length(p, names.shapes))), body),)


def row_of_affine_map(p: Sides, names: Names, i: Index, bound: t.Name) -> Forms:
    """Return a row as ``Σ_r L_ir r_r^T + b``."""
    return tuple(t.added([form, names.whole(2)]) for form in row_of_product(p, names, i, bound))


# Sums of products -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Factors:
    """The transposed factors of a sum of products, ``"N"`` or ``"T"`` for each."""

    options: ClassVar[Mapping[str, str]] = {"turned": "[NT]{2,1000}"}

    turned: str

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the factors that arguments state."""
        return cls(arguments["turned"])

    def sides(self) -> list[Sides]:
        """Return the transposed sides of each product."""
        letters = [letter == "T" for letter in self.turned]
        return [Sides(left, right) for left, right in zip(letters[::2], letters[1::2], strict=True)]


def products_shape(p: Factors, shapes: Shapes) -> Shape:
    """Return the shape of a sum of products, before which a number may stand.

    Raises:
        MisfitError: factors without a letter, or products that do not fit.
    """
    first = len(shapes) % 2
    if len(p.turned) != len(shapes) - first or len(shapes) < 2:
        raise MisfitError(
            (),
            f"{len(p.turned)} letters tell of {len(shapes) - first} factors: there must be one for each of a pair.",
        )
    if first:
        require_shape(shapes, 0, (1, 1))
    made = {
        product_shape(sides, shapes[k : k + 2])
        for k, sides in zip(range(first, len(shapes), 2), p.sides(), strict=True)
    }
    if len(made) > 1:
        raise MisfitError((), "Products of different sizes cannot be added.")
    return made.pop()


def products(p: Factors, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``c Σ (L_ik R_kj)`` over the pairs of factors and over k."""
    first = len(shapes) % 2
    totals = tuple(
        _entry_of_pair(shapes, operand, sides, i, j)
        for operand, sides in zip(range(first, len(shapes), 2), p.sides(), strict=True)
    )
    total = totals[0] if len(totals) == 1 else Add(totals, "common")
    return Leaf(0, 0, 0) * total if first else total


def _entry_of_pair(shapes: Shapes, operand: int, sides: Sides, i: Index, j: Index) -> Total:
    return Total(
        inner_length(sides, shapes[operand : operand + 2]),
        lambda k: factor(operand, i, k, turned=sides.left) * factor(operand + 1, k, j, turned=sides.right),
        "common",
    )


def multiply_pairs(p: Factors, operands: Sequence[Grid], _: Rounding | None) -> Grid:
    """Return a sum of products, times a number where one stands before them."""
    first = len(operands) % 2
    pairs = [
        _laid(operands[k : k + 2], sides) for k, sides in zip(range(first, len(operands), 2), p.sides(), strict=True)
    ]
    laid = [(left, transpose(right)) for left, right in pairs]
    height, length = len(laid[0][0]), len(laid[0][1])
    sums = tuple(
        tuple(
            _common_dot([pair for left, columns in laid for pair in zip(left[i], columns[j], strict=True)])
            for j in range(length)
        )
        for i in range(height)
    )
    if not first:
        return sums
    number = operands[0][0][0]
    return tuple(
        tuple(None if number is None or total is None else times(number, total) for total in row) for row in sums
    )


def sum_of_products(p: Factors, names: Names) -> Forms:
    """Return ``c (L_1 R_1 + L_2 R_2)``.

    With a dot: the names of gradients have two letters, and dS K must not read as a name of three.
    """
    first = len(names.shapes) % 2
    factors = [
        turned_name(names.whole(operand), turned=letter == "T") for operand, letter in enumerate(p.turned, start=first)
    ]
    number = [names.whole(0)] if first else []
    if len(factors) == 2:
        return (t.multiplied([*number, *factors]),)
    total = t.added([t.multiplied(factors[k : k + 2]) for k in range(0, len(factors), 2)])
    return (t.multiplied([*number, t.Group(total)]) if first else total,)


def _common_dot(pairs: Sequence[tuple[Quotient | None, Quotient | None]]) -> Quotient | None:
    products = [times(a, b) for a, b in pairs if a is not None and b is not None]
    return added(products) if len(products) == len(pairs) else None


OPERATIONS: Family = family(
    Operation(
        "product",
        "P = L R, each entry a row of L times a column of R",
        "matrix product",
        Sides,
        (2, 2),
        product_shape,
        product,
        products=True,
        kernel=multiply,
        follows=EVERY,
        vjp=product_back,
        whole=product_of_matrices,
        matrices="shown",
        also=dot_product,
        lines=LineForms(lines_of_product, row_of_product),
    ),
    Operation(
        "product-plus",
        "P = L R, and a vector added to every row, or to every column",
        "affine map",
        Sides,
        (3, 3),
        product_plus_shape,
        product_plus,
        products=True,
        kernel=multiply_and_add,
        follows=EVERY,
        vjp=product_plus_back,
        whole=affine_map,
        matrices="shown",
        also=dot_product_plus,
        lines=LineForms(lines_of_affine_map, row_of_affine_map),
    ),
    Operation(
        "products",
        "the sum of products of matrices, times a number where the premises are odd in number",
        "chain rule",
        Factors,
        (2, None),
        products_shape,
        products,
        kernel=multiply_pairs,
        follows=EVERY,
        whole=sum_of_products,
        matrices="shown",
    ),
)
