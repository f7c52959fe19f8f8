"""TRUSTED. The exact value of written arithmetic.

The tree is only walked: nothing is simplified and no text is parsed. What a name stands for is asked of
the caller, so that the same walk serves problem files, keys and people's work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from typing import TypeAlias, TypeGuard

from symattn.errors import EffortError, InputError, UndecidedError
from symattn.exact.field.constant_names import is_function
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.reals import arb_numbers, constants, elementary
from symattn.exact.reals.functions import added, exponential, over, plus, times, trigonometric
from symattn.exact.reals.sign import compare, sign
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import is_label
from symattn.notation.writers.plain import describe

Value: TypeAlias = Quotient | Matrix
Indices: TypeAlias = Mapping[str, int]
Lookup: TypeAlias = Callable[[t.Node, Indices], Value | None]
"""Gives the value of a `Name`, a `Subscript`, or one with the number of its head above (``Q^{(1)}``), or None.

It is asked under the values of running indices.
"""

Softmax: TypeAlias = Callable[[Matrix], Matrix]
"""The softmax of a matrix: of its rows, or of its columns."""

Join: TypeAlias = Callable[[list[Matrix]], Matrix]
"""The value of ``Concat``: matrices side by side, or one below the other."""

_NAN = t.Name("nan")
_PI = t.Name("pi")
_INFINITE = frozenset({t.INFINITY.text, "infinity"})
_RATIONAL = (int, Fraction)
_ONE = ExpSum(1)
_NAMES = (t.Name, t.Subscript)
_MAX_POWER = 1000
_MAX_RADICAND = 10**18
_RECTIFIERS = frozenset({"ReLU", "relu"})
_MAX_EXPONENT = 10_000
_MAX_RANGE = 10_000
_MAX_TERMS = 300
"""Terms of all common denominators on the way to one sum."""


def beside(matrices: list[Matrix]) -> Matrix:
    """Return matrices side by side.

    >>> str(beside([Matrix([[1], [2]]), Matrix([[3, 4], [5, 6]])]))
    '[[1, 3, 4], [2, 5, 6]]'

    Raises:
        InputError: one has more rows than another.
    """
    if len({matrix.shape[0] for matrix in matrices}) > 1:
        raise InputError("Matrices of different heights stand side by side: all must have as many rows.")
    return Matrix([sum(rows, ()) for rows in zip(*(matrix.rows for matrix in matrices), strict=True)])


def below(matrices: list[Matrix]) -> Matrix:
    """Return matrices one below the other.

    >>> str(below([Matrix([[1, 2]]), Matrix([[3, 4]])]))
    '[[1, 2], [3, 4]]'

    Raises:
        InputError: one has more columns than another.
    """
    if len({matrix.shape[1] for matrix in matrices}) > 1:
        raise InputError("Matrices of different widths stand one below the other: all must have as many columns.")
    return Matrix([row for matrix in matrices for row in matrix.rows])


def evaluate(
    node: t.Node,
    lookup: Lookup,
    indices: Indices | None = None,
    softmax: Softmax = softmax_rows,
    join: Join = beside,
) -> Value:
    """Return the exact value of `node`, a `Quotient` or a `Matrix`.

    A row that is added to a matrix of as many columns is added to each of its rows, and a column to each of its
    columns, as a bias is. Matrices as the entries of a matrix are its blocks.

    Args:
        node: any tree without a relation, without dots and without a set of matrices.
        lookup: what names stand for.
        indices: values of running indices (``i`` in ``Q_{ij}``).
        softmax: what the softmax of a matrix is, by rows unless told otherwise.
        join: what ``Concat`` does, side by side unless told otherwise.

    Raises:
        InputError: a name that `lookup` does not know, shapes that do not fit, or arithmetic outside
            the theory (a power that is not a small integer, an exponential of an exponential).
        UndecidedError: it is not settled whether a divisor with constants is 0.

    >>> evaluate(t.Division(t.Number("1"), t.Number("4")), lambda node, indices: None)
    Quotient('1/4')
    """
    walk = _Walk(lookup, indices or {}, softmax, join)
    return walk.known(node) if isinstance(node, _NAMES) else _whole(walk.value(node))


def same(left: Value, right: Value) -> bool:
    """Return whether two values are equal, exactly; a 1×1 matrix counts as its entry, two undefined ones as the same.

    Raises:
        UndecidedError: they hold constants, are not equal by their form, and enclosures do not tell them apart.

    >>> same(Quotient.of(2), Matrix([[2]]))
    True
    """
    left, right = _scalar_if_single(left), _scalar_if_single(right)
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        pairs = zip(left, right, strict=True) if left.shape == right.shape else ()
        return left.shape == right.shape and (left == right or not _is_apart(pairs))
    if isinstance(left, Quotient) and isinstance(right, Quotient):
        return left is right or left == right or not _is_apart([(left, right)])
    return False


def is_same(left: Value, right: Value) -> bool:
    """Return True if two values are proved equal, and False if enclosures do not decide it.

    >>> is_same(Quotient.of("1/2"), Quotient.of("0.5"))
    True
    """
    try:
        return same(left, right)
    except UndecidedError:
        return False


def _is_apart(pairs: Iterable[tuple[Quotient, Quotient]]) -> bool:
    """Return whether some of these pairs, not all equal by their form, are proved to differ; open ones are refused."""
    is_open: UndecidedError | None = None
    for first, second in pairs:
        if first is second or first == second:
            continue
        if not (first.is_finite and second.is_finite):
            return True
        if not (first.has_constants or second.has_constants):
            return True
        difference = first - second
        if not difference.has_constants:
            return True
        try:
            if constants.is_apart(difference):
                return True
        except UndecidedError as error:
            is_open = error
    if is_open is not None:
        raise is_open
    return False


def _scalar_if_single(value: Value) -> Value:
    return value[0, 0] if isinstance(value, Matrix) and value.shape == (1, 1) else value


_Partial: TypeAlias = int | Fraction | Quotient | Matrix
"""A value on the way: rationals, which most are, stay numbers of Python until something else meets them."""


def _whole(value: _Partial) -> Value:
    return Quotient.of(value) if isinstance(value, _RATIONAL) else value


@lru_cache(maxsize=1000)
def _numeral(text: str) -> int | Fraction:
    """Return the value of the digits of a number: the same few come again and again in one derivation."""
    if text.isdigit():
        return int(text)
    exponent = text.partition("e")[2]
    if exponent and abs(int(exponent)) > _MAX_EXPONENT:
        raise EffortError(f"{text} is too large or too small to compute with: at most 10^{_MAX_EXPONENT}.")
    return t.Number(text).value


class _Walk:
    def __init__(self, lookup: Lookup, indices: Indices, softmax: Softmax, join: Join) -> None:
        self.lookup = lookup
        self.indices = indices
        self.softmax = softmax
        self.join = join

    def value(self, node: t.Node) -> _Partial:
        match node:
            case t.Number(text):
                return _numeral(text)
            case t.Name() | t.Subscript():
                found = self.known(node)
                rational = found.plain_rational() if isinstance(found, Quotient) else None
                return found if rational is None else rational
            case t.Group(body) | t.Boxed(body):
                return self.value(body)
            case t.Negative(body):
                return self._negated(body)
            case t.Sum(terms, operators):
                return self._sum(terms, operators)
            case t.Product(factors):
                return reduce(_times, map(self.value, factors))
            case t.Division(numerator, denominator):
                return _divide(self.value(numerator), self.value(denominator), node)
            case t.Power():
                return self._power(node)
            case t.Root(body, None):
                return _root(self.scalar(body))
            case t.Transpose(base):
                return self._transpose(base)
            case t.Call(function, arguments):
                return self._call(function.text, arguments)
            case t.SumOver():
                return self._sum_over(node)
            case t.Vector(items):
                return self._blocks((items,))
            case t.Matrix(rows):
                return self._blocks(rows)
            case _:
                raise InputError(f"{describe(node)} has no value: write numbers, names and arithmetic only.")

    def scalar(self, node: t.Node) -> Quotient:
        value = _scalar_if_single(_whole(self.value(node)))
        if isinstance(value, Matrix):
            raise InputError(f"{describe(node)} is a matrix where a number is expected.")
        return value

    def _blocks(self, rows: tuple[tuple[t.Node, ...], ...]) -> Matrix:
        """Return a matrix of numbers, or of matrices that fit together."""
        values = [[_whole(self.value(entry)) for entry in row] for row in rows]
        if all(isinstance(value, Quotient) or value.shape == (1, 1) for row in values for value in row):
            return Matrix([[value[0, 0] if isinstance(value, Matrix) else value for value in row] for row in values])
        return below([beside([_as_matrix(value) for value in row]) for row in values])

    def _rational(self, node: t.Node) -> Fraction:
        value = self.scalar(node).rational()
        if value is None:
            raise InputError(f"{describe(node)} must be a rational number under a root.")
        return value

    def known(self, node: t.Node) -> Value:
        """Return the value of a name."""
        found = self.lookup(node, self.indices)
        if found is None and node == t.Name("e"):
            found = Quotient.of(ExpSum.exp(Polynomial.constant(1)))
        if found is None and node == _PI:
            found = Quotient.of(Polynomial.symbol("pi"))
        if found is None and node in {t.UNDEFINED, _NAN}:
            found = UNDEFINED
        if found is None:
            raise InputError(f"The name {describe(node)} stands for nothing known here.")
        return found

    def _transpose(self, base: t.Node) -> _Partial:
        value = self.value(base)
        return value.T if isinstance(value, Matrix) else value

    def _sum(self, terms: tuple[t.Node, ...], operators: tuple[str, ...]) -> _Partial:
        rest = zip(operators, terms[1:], strict=True)
        return _total(
            [self.value(terms[0]), *(self.value(term) if sign == "+" else self._negated(term) for sign, term in rest)]
        )

    def _negated(self, body: t.Node) -> _Partial:
        """Return the negative of an operand; only behind a minus sign does infinity have a value."""
        if self._is_infinity(body):
            return MINUS_INFINITY
        return -self.value(body)

    def _is_infinity(self, node: t.Node) -> bool:
        while isinstance(node, t.Group | t.Boxed):
            node = node.body
        return isinstance(node, t.Name) and node.text in _INFINITE and self.lookup(node, self.indices) is None

    def _power(self, node: t.Power) -> _Partial:
        base, exponent = node.base, node.exponent
        if is_label(exponent) and isinstance(base, t.Name | t.Subscript) and base != t.Name("e"):
            found = self.lookup(node, self.indices)
            if found is not None:
                return found
        if base == t.Name("e") and self.lookup(base, self.indices) is None:
            return _exponential(self.scalar(exponent), exponent)
        power = self._rational(exponent)
        if power.denominator > 2 or abs(power) > _MAX_POWER:
            raise InputError(f"The power {describe(exponent)} must be an integer or a half, of at most {_MAX_POWER}.")
        if power.denominator == 2:
            return _root(self.scalar(base)) ** int(2 * power)
        value = self.scalar(base)
        if value.polynomial() is not None or not value.is_finite or power < 1:
            return value ** int(power)
        return elementary.power(value, int(power))

    def _call(self, name: str, arguments: tuple[t.Node, ...]) -> _Partial:
        if name == "exp" and len(arguments) == 1:
            return _exponential(self.scalar(arguments[0]), arguments[0])
        if name in {"softmax", "softargmax"} and len(arguments) == 1:
            scores = self.value(arguments[0])
            return self.softmax(scores if isinstance(scores, Matrix) else Matrix([[scores]]))
        if name in {"concat", "Concat"}:
            return self.join([_as_matrix(_whole(self.value(argument))) for argument in arguments])
        if name == "max":
            return reduce(larger, map(self.scalar, arguments))
        if name == "sqrt" and len(arguments) == 1:
            return _root(self.scalar(arguments[0]))
        if name in {"ln", "log"} and len(arguments) == 1:
            return _entrywise(elementary.ln, self.value(arguments[0]))
        if name in _RECTIFIERS and len(arguments) == 1:
            return _entrywise(lambda value: larger(Quotient.of(0), value), self.value(arguments[0]))
        if name in {"sin", "cos"} and len(arguments) == 1:
            return _entrywise(lambda value: trigonometric(name, value), self.value(arguments[0]))
        if is_function(name) and len(arguments) == 1:
            return _entrywise(lambda value: elementary.apply(name, value), self.value(arguments[0]))
        raise InputError(f"The function {name} of {len(arguments)} arguments cannot be worked out exactly here.")

    def _sum_over(self, node: t.SumOver) -> _Partial:
        if node.lower is None or node.upper is None:
            raise InputError(f"{describe(node)} lacks its limits: write them, as in sum over j=1 to 3.")
        lower, upper = self._rational(node.lower), self._rational(node.upper)
        excluded = {self._rational(item) for item in node.excluded}
        if lower.denominator != 1 or upper.denominator != 1 or not 0 <= upper - lower <= _MAX_RANGE:
            raise InputError(f"The limits of {describe(node)} must be integers, the lower one first.")
        values = [
            _Walk(self.lookup, {**self.indices, node.index.text: index}, self.softmax, self.join).value(node.body)
            for index in range(int(lower), int(upper) + 1)
            if index not in excluded
        ]
        if not values:
            raise InputError(f"{describe(node)} lacks terms.")
        return _total(values)


def _entrywise(function: Callable[[Quotient], Quotient], value: _Partial) -> _Partial:
    if isinstance(value, Matrix):
        return Matrix([[function(entry) for entry in row] for row in value.rows])
    return function(Quotient.of(value))


def _root(value: Quotient) -> Quotient:
    rational = value.rational() if value.is_finite else None
    if rational is not None and rational.numerator < _MAX_RADICAND and rational.denominator < _MAX_RADICAND:
        return Quotient.of(Polynomial.sqrt(rational))
    return elementary.sqrt(value)


def larger(first: Quotient, second: Quotient) -> Quotient:
    """Return the larger of two numbers; where enclosures do not settle which, a number that is enclosed as both are.

    >>> str(larger(Quotient.of(0), Quotient.of(-2)))
    '0'
    """
    if first.is_finite and second.is_finite and not (first.has_constants or second.has_constants):
        return second if compare(second, first) > 0 else first
    if first is MINUS_INFINITY or second is MINUS_INFINITY:
        return second if first is MINUS_INFINITY else first
    return elementary.largest(first, second)


def _exponential(exponent: Quotient, node: t.Node) -> Quotient:
    power = exponential(exponent)
    if power is None:
        raise InputError(f"The exponent {describe(node)} must be a number or a polynomial in the symbols.")
    return power


def _total(values: list[_Partial]) -> _Partial:
    """Return the sum of at least one value: over one denominator, or by enclosures where that is too long."""
    numbers = [value for value in values if _is_open(value)]
    known = [value for value in values if not _is_open(value)]
    if len(numbers) > 1 and not any(isinstance(value, Matrix) for value in known):
        found: _Partial = arb_numbers.total((Fraction(1), value) for value in numbers)
        return _plus(found, _total(known)) if known else found
    whole = [value for value in values if _is_whole(value)]
    if len(values) == len(whole) > 1:  # one after the other, each would copy the sum before it
        return Quotient(ExpSum.weighted([value.numerator for value in whole], [1] * len(whole)))
    found, terms = values[0], 0
    for value in values[1:]:
        before = found
        try:
            found = _plus(found, value)
        except InputError:
            if not (_is_long_quotient(before) and _is_long_quotient(value)):
                raise
            return _by_enclosures(values)
        if _is_long_quotient(before) and _is_long_quotient(found) and found.denominator is not before.denominator:
            terms += len(found.denominator.integers[0])
        if terms > _MAX_TERMS:
            return _by_enclosures(values)
    return found


def _by_enclosures(values: list[_Partial]) -> Quotient:
    return elementary.unexpanded(Quotient.of(value) for value in values if not isinstance(value, Matrix))


def _plus(left: _Partial, right: _Partial) -> _Partial:
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        first, second = _spread(left, right.shape), _spread(right, left.shape)
        if first.shape != second.shape or not any(entry.is_over_sum for entry in second):
            return first + second
        pairs = (zip(*rows, strict=True) for rows in zip(first.rows, second.rows, strict=True))
        return Matrix([[_added(a, b) for a, b in row] for row in pairs])
    if isinstance(left, Matrix) or isinstance(right, Matrix):
        raise InputError("A matrix and a number are added: both must be of one kind.")
    if isinstance(left, _RATIONAL) and isinstance(right, _RATIONAL):
        return left + right
    return _added(Quotient.of(left), Quotient.of(right))


def _added(left: Quotient, right: Quotient) -> Quotient:
    """Return the sum; over sums of several tokens, with no factor of them twice."""
    return added((left, right)) if left.is_over_sum and right.is_over_sum else plus(left, right)


def _is_open(value: _Partial) -> TypeGuard[Quotient]:
    """Return whether enclosures alone know a number."""
    return isinstance(value, Quotient) and value.is_finite and not value.is_closed


def _is_whole(value: _Partial) -> TypeGuard[Quotient]:
    """Return whether a number is a closed form over 1, and not a plain fraction."""
    return isinstance(value, Quotient) and value.is_finite and value.is_closed and value.denominator == _ONE


def _is_long_quotient(value: _Partial) -> TypeGuard[Quotient]:
    return isinstance(value, Quotient) and value.is_over_sum


def _spread(matrix: Matrix, shape: tuple[int, int]) -> Matrix:
    """Broadcast a single row or a single column to a matrix of this shape."""
    (rows, columns), (height, width) = matrix.shape, shape
    if rows == 1 < height and columns == width:
        return Matrix(matrix.rows * height)
    if columns == 1 < width and rows == height:
        return Matrix([row * width for row in matrix.rows])
    return matrix


def _as_matrix(value: Value) -> Matrix:
    return value if isinstance(value, Matrix) else Matrix([[value]])


def _times(left: _Partial, right: _Partial) -> _Partial:
    if isinstance(left, _RATIONAL) and isinstance(right, _RATIONAL):
        return left * right
    if isinstance(left, Matrix):
        return left @ right if isinstance(right, Matrix) else left.scale(right)
    if isinstance(right, Matrix):
        return right.scale(left)
    return times(Quotient.of(left), Quotient.of(right))


def _divide(left: _Partial, right: _Partial, node: t.Node) -> _Partial:
    if isinstance(left, _RATIONAL) and isinstance(right, _RATIONAL) and right:
        return Fraction(left, right)
    divisor = _scalar_if_single(_whole(right))
    if isinstance(divisor, Matrix):
        raise InputError(f"{describe(node)} divides by a matrix.")
    if divisor.is_zero:
        raise InputError(f"{describe(node)} divides by zero.")
    if divisor.has_constants and divisor.is_closed and not divisor.symbols and not sign(divisor):  # which may be open
        raise InputError(f"{describe(node)} divides by zero.")
    if isinstance(left, Matrix):
        return left.scale(Quotient.of(1) / divisor)
    return over(Quotient.of(left), divisor)
