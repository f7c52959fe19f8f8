"""TRUSTED. Functions of numbers, vectors and matrices: softmax, norms, diagonals, determinants and factorials."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial

from symattn.errors import ShapeError
from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.indices import Index
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import describe
from symattn.proofs.language.matrices import determinant
from symattn.proofs.language.values import Tensor, Value, fresh_index

PI = "pi"
"""The number pi, where nothing of the scope has that name; nothing is differentiated by it."""

_MAX_FACTORIAL = 64


def number_in(value: Value, node: t.Node) -> Expr:
    """Return a value that must be a number.

    Raises:
        ShapeError: it is a vector or a matrix.
    """
    if isinstance(value, Expr):
        return value
    raise ShapeError(f"{describe(node)} is a {value.shape()} where a number was wanted.")


def _softmax(value: Value, node: t.Node) -> Value:
    if isinstance(value, Expr):
        raise ShapeError(f"The softmax of the number {describe(node)} is not a vector: it is taken of a whole row.")
    size, at = value.sizes[-1], value.at
    index = fresh_index()

    def entry(*indices: Index) -> Expr:
        total = Expr.sum_over(index, size, Expr.exp(at(*indices[:-1], index)))
        return Expr.exp(at(*indices)) / total

    return Tensor(value.sizes, entry, value.is_row)


def _diagonal(value: Value, node: t.Node) -> Value:
    if isinstance(value, Expr) or len(value.sizes) != 1:
        raise ShapeError(f"{describe(node)} is not a vector to stand on a diagonal.")
    size, at = value.sizes[0], value.at
    return Tensor((size, size), lambda i, j: at(i) * Expr.delta(i, j))


def _factorial(value: Expr) -> Expr:
    """Return the factorial: of a small whole number or of half an odd one worked out, of a letter as it is.

    ``factorial(x)`` is Euler's gamma function at x + 1: ``factorial(-1/2) = sqrt(pi)``, and x times that of x - 1.
    """
    number = value.rational()
    if number is None or number.denominator > 2 or not Fraction(-1, 2) <= number <= _MAX_FACTORIAL:
        return Expr.function("factorial", value)
    if number.denominator == 1:
        return Expr(factorial(int(number)))
    whole = int(number + Fraction(1, 2))
    return Fraction(factorial(2 * whole), 4**whole * factorial(whole)) * Expr.sqrt(Expr.scalar(PI))


def _norm(value: Value, node: t.Node) -> Value:
    if isinstance(value, Expr) or len(value.sizes) != 1:
        raise ShapeError(f"{describe(node)} is not a vector and has no norm here.")
    index = fresh_index()
    return Expr.sqrt(Expr.sum_over(index, value.sizes[0], value.at(index) ** 2))


OF_TENSORS: dict[str, Callable[[Value, t.Node], Value]] = {
    "softmax": _softmax,
    "diag": _diagonal,
    "norm": _norm,
    "det": lambda value, _: determinant(value),
}
OF_NUMBERS: dict[str, Callable[[Expr], Expr]] = {
    "exp": Expr.exp,
    "sqrt": Expr.sqrt,
    "factorial": _factorial,
}
