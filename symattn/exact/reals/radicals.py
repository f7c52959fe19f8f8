"""TRUSTED. Signs of real numbers that are made of rationals by +, *, / and roots, inside each other too.

Such a number is P / Q with Q > 0, where P is made of whole numbers by sums, products and roots alone, for the root of
A / B is the root of A B^(k-1) over B. So P is an algebraic integer. Let r_1, ..., r_m be the different roots in it, of
the degrees k_i. The field that they generate has at most D = k_1 ... k_m embeddings in the complex numbers, and each
sends a root to a root, of the same degree, of what it makes of the number under it. So the size of every conjugate of
P is at most u, which is P with the sizes of all whole numbers and the sign + for every -. The product of the conjugates
is a whole number. Hence P is 0, or its size is at least u^(1-D), and an enclosure below that shows that it is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from math import lcm, prod
from typing import Any, TypeAlias

from symattn.errors import InputError, UndecidedError
from symattn.exact.field.sympy_polynomials import fraction, is_sympy
from symattn.exact.numerals.rational import whole_part_of_root
from symattn.records import dataclass

_MAX_NODES = 400
_MAX_PARTS = 2000
_MAX_POWER = 64
_MAX_BITS = 1 << 17
_FIRST_BITS = 128
_TOO_LONG = "The two sides are too long to compare their roots."


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of algebraic integers."""

    parts: tuple[Integer, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A product of algebraic integers."""

    parts: tuple[Integer, ...]


@dataclass(frozen=True, slots=True)
class Root:
    """The root of a positive algebraic integer, positive itself."""

    of: Integer
    degree: int


Integer: TypeAlias = "int | Sum | Product | Root"

_Ends: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Radical:
    """A quotient of algebraic integers whose denominator is positive."""

    above: Integer
    below: Integer = 1


class Signs:
    """Signs of algebraic integers; what was found once is kept.

    >>> Signs().of(Sum((Root(8, 2), Product((-2, Root(2, 2)))))), Signs().of(Sum((Root(8, 2), -3)))
    (0, -1)
    """

    def __init__(self) -> None:
        """Make signs that are found when they are asked for."""
        self._known: dict[Integer, int] = {}
        self._ends: dict[tuple[Integer, int], _Ends] = {}

    def of(self, number: Integer) -> int:
        """Return the sign of a number.

        Raises:
            UndecidedError: there are too many roots in it.
        """
        if isinstance(number, int):
            return (number > 0) - (number < 0)
        if number not in self._known:
            self._known[number] = self._sign(number)
        return self._known[number]

    def _sign(self, number: Integer) -> int:
        degree = prod(root.degree for root in {part for part in _parts(number) if isinstance(part, Root)})
        least = (degree - 1) * _size(number).bit_length()
        bits = _FIRST_BITS
        while bits <= _MAX_BITS:
            low, high = self.ends(number, bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            if bits > least and max(-low, high) < 1 << (bits - least):
                return 0
            bits *= 2
        raise UndecidedError("The roots of the two sides are too many, or of too high a degree, to compare them.")

    def ends(self, number: Integer, bits: int) -> _Ends:
        """Return whole numbers between which the number times 2**bits lies, ends included."""
        if isinstance(number, int):
            return number << bits, number << bits
        key = number, bits
        if key not in self._ends:
            self._ends[key] = self._enclosed(number, bits)
        return self._ends[key]

    def _enclosed(self, number: Sum | Product | Root, bits: int) -> _Ends:
        match number:
            case Sum(parts):
                lows, highs = zip(*(self.ends(part, bits) for part in parts), strict=True)
                return sum(lows), sum(highs)
            case Product(parts):
                return reduce(lambda a, b: _times(a, b, bits), (self.ends(part, bits) for part in parts))
            case Root(of, degree):
                low, high = self.ends(of, bits)
                shift = bits * (degree - 1)
                return whole_part_of_root(max(low, 0) << shift, degree), whole_part_of_root(high << shift, degree) + 1


def compare(first: Any, second: Any) -> tuple[int, tuple[Fraction, Fraction]] | None:
    """Return the sign of the difference of two numbers, and what it lies between.

    Args:
        first: a rational number, or an expression of SymPy.
        second: likewise.

    Returns:
        None where one of them holds a symbol, or what is neither a sum, a product, a quotient nor a root.

    Raises:
        InputError: a division by 0.
        UndecidedError: the roots are too many.

    >>> import sympy
    >>> compare(sympy.sqrt(2 + sympy.sqrt(3)), (sympy.sqrt(6) + sympy.sqrt(2)) / 2)[0]
    0
    """
    reader = _Reader()
    sides = [reader.read(side) for side in (first, second)]
    if sides[0] is None or sides[1] is None:
        return None
    difference = reader.difference(sides[0], sides[1])
    sign = reader.signs.of(difference.above)
    return sign, reader.ends(difference) if sign else (Fraction(0), Fraction(0))


class _Reader:
    """Reads expressions of SymPy as quotients of algebraic integers."""

    def __init__(self) -> None:
        self.signs = Signs()
        self._nodes = 0

    def read(self, node: Any) -> Radical | None:
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise UndecidedError(_TOO_LONG)
        if isinstance(node, (int, Fraction)):
            return Radical(*node.as_integer_ratio())
        if not is_sympy(node):
            return None
        if node.is_Rational:
            return Radical(*fraction(node).as_integer_ratio())
        if node.is_Add or node.is_Mul:
            found = [part for part in map(self.read, node.args) if part is not None]
            if len(found) < len(node.args):
                return None
            return reduce(_plus if node.is_Add else _by, found)
        if node.is_Pow and node.exp.is_Rational and max(abs(int(node.exp.p)), int(node.exp.q)) <= _MAX_POWER:
            base = self.read(node.base)
            return None if base is None else self._power(base, int(node.exp.p), int(node.exp.q))
        return None

    def difference(self, first: Radical, second: Radical) -> Radical:
        return _plus(first, Radical(_product(-1, second.above), second.below))

    def _power(self, base: Radical, exponent: int, degree: int) -> Radical | None:
        """Return the real root of a number that is not negative, to a power."""
        found: Radical | None = base if degree == 1 else self._root(base, degree)
        if found is not None and exponent < 0:
            found = self._inverse(found)
        return None if found is None else reduce(_by, [found] * abs(exponent), Radical(1))

    def _root(self, base: Radical, degree: int) -> Radical | None:
        sign = self.signs.of(base.above)
        if sign < 0:
            return None  # not a real number, or not the real root
        under = _product(base.above, *[base.below] * (degree - 1))
        return _bounded(Root(under, degree), base.below) if sign else Radical(0)

    def _inverse(self, of: Radical) -> Radical:
        sign = self.signs.of(of.above)
        if not sign:
            raise InputError("A side is divided by 0: give a denominator that is not zero.")
        return Radical(_product(sign, of.below), _product(sign, of.above))

    def ends(self, number: Radical) -> tuple[Fraction, Fraction]:
        """Return fractions between which a number that is not 0 lies, close to it."""
        bits = _FIRST_BITS
        while True:
            (low, high), (least, most) = (self.signs.ends(part, bits) for part in (number.above, number.below))
            if low * high > 0 and least > 0 and min(abs(low), abs(high), least).bit_length() > _FIRST_BITS // 2:
                quotients = [Fraction(a, b) for a in (low, high) for b in (least, most)]
                return min(quotients), max(quotients)
            bits *= 2


# Algebraic integers -----------------------------------------------------------------------------------


def _plus(first: Radical, second: Radical) -> Radical:
    if isinstance(first.below, int) and isinstance(second.below, int):
        common = lcm(first.below, second.below)
        scaled = _product(common // first.below, first.above), _product(common // second.below, second.above)
        return _bounded(_sum(*scaled), common)
    above = _sum(_product(first.above, second.below), _product(second.above, first.below))
    return _bounded(above, _product(first.below, second.below))


def _by(first: Radical, second: Radical) -> Radical:
    return _bounded(_product(first.above, second.above), _product(first.below, second.below))


def _bounded(above: Integer, below: Integer) -> Radical:
    """Return a quotient; sums of quotients, and powers, grow quickly.

    Raises:
        UndecidedError: it has too many parts.
    """
    if sum(1 for number in (above, below) for _ in _parts(number)) > _MAX_PARTS:
        raise UndecidedError(_TOO_LONG)
    return Radical(above, below)


def _sum(*parts: Integer) -> Integer:
    others = tuple(part for part in parts if not isinstance(part, int))
    number = sum(part for part in parts if isinstance(part, int))
    if not others:
        return number
    kept = (*others, number) if number else others
    return kept[0] if len(kept) == 1 else Sum(kept)


def _product(*parts: Integer) -> Integer:
    others = tuple(part for part in parts if not isinstance(part, int))
    number = prod(part for part in parts if isinstance(part, int))
    if not others or not number:
        return number
    kept = others if number == 1 else (number, *others)
    return kept[0] if len(kept) == 1 else Product(kept)


def _parts(number: Integer) -> Iterator[Integer]:
    """Yield a number and all that it is made of."""
    yield number
    if not isinstance(number, int):
        for part in (number.of,) if isinstance(number, Root) else number.parts:
            yield from _parts(part)


def _size(number: Integer) -> int:
    """Return a whole number that no conjugate exceeds in size."""
    match number:
        case Sum(parts):
            return sum(map(_size, parts))
        case Product(parts):
            return prod(map(_size, parts))
        case Root(of, degree):
            return whole_part_of_root(_size(of), degree) + 1
    return abs(number)


def _times(first: _Ends, second: _Ends, bits: int) -> _Ends:
    products = [a * b for a in first for b in second]
    return min(products) >> bits, -(-max(products) >> bits)
