"""TRUSTED. The exact value of written arithmetic.

The tree is only walked: nothing is simplified and no text is parsed. What a name stands for is asked of
the caller, so that the same walk serves problem files, keys and people's work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.expsum import ExpSum
from symattn.exact.matrix import Matrix, softmax_rows
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient
from symattn.exact.sign import compare
from symattn.notation import tree as t
from symattn.notation.plain_writer import describe

Value: TypeAlias = Quotient | Matrix
Indices: TypeAlias = Mapping[str, int]
Lookup: TypeAlias = Callable[[t.Node, Indices], Value | None]
"""Gives the value of a `Name`, a `Subscript` or a `Transpose` under the values of running indices, or None."""

Softmax: TypeAlias = Callable[[Matrix], Matrix]
"""Which softmax of a matrix is meant: of its rows, or of its columns."""

_MINUS_ONE = Fraction(-1)
_MAX_POWER = 1000
_MAX_EXPONENT = 10_000
_MAX_RANGE = 10_000


def evaluate(node: t.Node, lookup: Lookup, indices: Indices | None = None, softmax: Softmax = softmax_rows) -> Value:
    """The exact value of `node`, a `Quotient` or a `Matrix`.

    Args:
        node: any tree without a relation, without dots and without a set of matrices.
        lookup: what names stand for.
        indices: values of running indices (``i`` in ``Q_{ij}``).
        softmax: what the softmax of a matrix is, by rows unless told otherwise.

    Raises:
        InputError: a name that `lookup` does not know, shapes that do not fit, or arithmetic outside
            the theory (a power that is not a small integer, an exponential of an exponential).

    >>> evaluate(t.Division(t.Number("1"), t.Number("4")), lambda node, indices: None)
    Quotient('1/4')
    """
    return _whole(_Walk(lookup, indices or {}, softmax).value(node))


def same(left: Value, right: Value) -> bool:
    """Whether two values are equal, exactly; a 1×1 matrix counts as its entry.

    >>> same(Quotient.of(2), Matrix([[2]]))
    True
    """
    left, right = _scalar_if_single(left), _scalar_if_single(right)
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return left.shape == right.shape and left == right
    if isinstance(left, Quotient) and isinstance(right, Quotient):
        return left == right
    return False


def _scalar_if_single(value: Value) -> Value:
    return value[0, 0] if isinstance(value, Matrix) and value.shape == (1, 1) else value


_Partial: TypeAlias = Fraction | Quotient | Matrix
"""A value on the way: rationals, which most are, stay fractions until something else meets them."""


def _whole(value: _Partial) -> Value:
    return Quotient.of(value) if isinstance(value, Fraction) else value


class _Walk:
    def __init__(self, lookup: Lookup, indices: Indices, softmax: Softmax) -> None:
        self.lookup = lookup
        self.indices = indices
        self.softmax = softmax

    def value(self, node: t.Node) -> _Partial:
        match node:
            case t.Number(text):
                return self._number(node, text)
            case t.Name() | t.Subscript():
                return self._named(node)
            case t.Group(body) | t.Boxed(body):
                return self.value(body)
            case t.Negative(body):
                return _times(_MINUS_ONE, self.value(body))
            case t.Sum(terms, operators):
                return self._sum(terms, operators)
            case t.Product(factors):
                return reduce(_times, map(self.value, factors))
            case t.Division(numerator, denominator):
                return _divide(self.value(numerator), self.value(denominator), node)
            case t.Power(base, exponent):
                return self._power(base, exponent)
            case t.Root(body, None):
                return Quotient.of(Polynomial.sqrt(self._rational(body)))
            case t.Transpose(base):
                return self._transpose(base)
            case t.Call(function, arguments):
                return self._call(function.text, arguments)
            case t.SumOver():
                return self._sum_over(node)
            case t.Vector(items):
                return Matrix([[self.scalar(item) for item in items]])
            case t.Matrix(rows):
                return Matrix([[self.scalar(entry) for entry in row] for row in rows])
            case _:
                raise InputError(f"{describe(node)} has no value: write numbers, names and arithmetic only.")

    def _number(self, node: t.Number, text: str) -> Fraction:
        if text.isdigit():
            return Fraction(int(text))
        exponent = text.partition("e")[2]
        if exponent and abs(int(exponent)) > _MAX_EXPONENT:
            raise InputError(f"{text} is too large or too small to reckon with: at most 10^{_MAX_EXPONENT}.")
        return node.value

    def scalar(self, node: t.Node) -> Quotient:
        value = _scalar_if_single(_whole(self.value(node)))
        if isinstance(value, Matrix):
            raise InputError(f"{describe(node)} is a matrix where a number is wanted.")
        return value

    def _rational(self, node: t.Node) -> Fraction:
        value = self.scalar(node).rational()
        if value is None:
            raise InputError(f"{describe(node)} must be a rational number under a root.")
        return value

    def _named(self, node: t.Node) -> _Partial:
        found = self.lookup(node, self.indices)
        if found is None and node == t.Name("e"):
            found = Quotient.of(ExpSum.exp(Polynomial.constant(1)))
        if found is None:
            raise InputError(f"The name {describe(node)} stands for nothing known here.")
        rational = found.plain_rational() if isinstance(found, Quotient) else None
        return found if rational is None else rational

    def _transpose(self, base: t.Node) -> _Partial:
        value = self.value(base)
        return value.T if isinstance(value, Matrix) else value

    def _sum(self, terms: tuple[t.Node, ...], operators: tuple[str, ...]) -> _Partial:
        total = self.value(terms[0])
        for operator, term in zip(operators, terms[1:], strict=True):
            value = self.value(term)
            total = _plus(total, value if operator == "+" else _times(_MINUS_ONE, value))
        return total

    def _power(self, base: t.Node, exponent: t.Node) -> _Partial:
        if base == t.Name("e") and self.lookup(base, self.indices) is None:
            return _exponential(self.scalar(exponent), exponent)
        power = self._rational(exponent)
        if power.denominator != 1 or abs(power) > _MAX_POWER:
            raise InputError(f"The power {describe(exponent)} must be an integer of at most {_MAX_POWER}.")
        return self.scalar(base) ** int(power)

    def _call(self, name: str, arguments: tuple[t.Node, ...]) -> _Partial:
        if name == "exp" and len(arguments) == 1:
            return _exponential(self.scalar(arguments[0]), arguments[0])
        if name in {"softmax", "softargmax"} and len(arguments) == 1:
            scores = self.value(arguments[0])
            return self.softmax(scores if isinstance(scores, Matrix) else Matrix([[scores]]))
        if name == "max":
            return reduce(lambda best, value: value if compare(value, best) > 0 else best, map(self.scalar, arguments))
        if name == "sqrt" and len(arguments) == 1:
            return Quotient.of(Polynomial.sqrt(self._rational(arguments[0])))
        raise InputError(f"The function {name} of {len(arguments)} arguments has no exact value here.")

    def _sum_over(self, node: t.SumOver) -> _Partial:
        if node.lower is None or node.upper is None:
            raise InputError(f"{describe(node)} has no limits: write them, as in sum over j=1 to 3.")
        lower, upper = self._rational(node.lower), self._rational(node.upper)
        excluded = {self._rational(item) for item in node.excluded}
        if lower.denominator != 1 or upper.denominator != 1 or not 0 <= upper - lower <= _MAX_RANGE:
            raise InputError(f"The limits of {describe(node)} must be integers, the lower one first.")
        values = [
            _Walk(self.lookup, {**self.indices, node.index.text: index}, self.softmax).value(node.body)
            for index in range(int(lower), int(upper) + 1)
            if index not in excluded
        ]
        if not values:
            raise InputError(f"{describe(node)} has no term.")
        return reduce(_plus, values)


def _exponential(exponent: Quotient, node: t.Node) -> Quotient:
    polynomial = exponent.polynomial()
    if polynomial is None:
        raise InputError(f"The exponent {describe(node)} must be a number or a polynomial in the symbols.")
    return Quotient.of(ExpSum.exp(polynomial))


def _plus(left: _Partial, right: _Partial) -> _Partial:
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return left + right
    if isinstance(left, Matrix) or isinstance(right, Matrix):
        raise InputError("A matrix and a number are added: both must be of one kind.")
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + right
    return Quotient.of(left) + Quotient.of(right)


def _times(left: _Partial, right: _Partial) -> _Partial:
    if isinstance(left, Matrix):
        return left @ right if isinstance(right, Matrix) else left.scale(right)
    if isinstance(right, Matrix):
        return right.scale(left)
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    return Quotient.of(left) * Quotient.of(right)


def _divide(left: _Partial, right: _Partial, node: t.Node) -> _Partial:
    divisor = _scalar_if_single(_whole(right))
    if isinstance(divisor, Matrix):
        raise InputError(f"{describe(node)} divides by a matrix.")
    if divisor.is_zero:
        raise InputError(f"{describe(node)} divides by zero.")
    rational = divisor.plain_rational()
    if isinstance(left, Matrix):
        return left.scale(Quotient.of(1) / divisor)
    if isinstance(left, Fraction) and rational is not None:
        return left / rational
    return Quotient.of(left) / divisor
