"""Written numbers against exact values: equal, rounded to the digits written, or truncated."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

Closeness: TypeAlias = Literal["equal", "rounded", "cut", "off"]
"""Relation of a written number to a value; ``cut`` is truncated, towards zero."""

FITS: frozenset[Closeness] = frozenset({"equal", "rounded"})
"""Relations of a number that may stand for a value."""

CLOSENESS: tuple[Closeness, ...] = get_args(Closeness)
"""The relations, the nearest first."""

_MAX_EXPONENT = 1000
"""Powers of ten of a written number; beyond, it is not reckoned with."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A written number: its exact value, and one unit of its last place, a power of ten (None for a fraction).

    `mixed` is the other meaning of ``2^{1/2}``: two and a half.
    """

    value: Fraction
    unit: Fraction | None
    mixed: Fraction | None = None

    def __hash__(self) -> int:
        """Return a hash of whole numbers: that of a fraction takes long, and many results are kept by figure."""
        return hash((self.value.as_integer_ratio(), self.mixed is None))

    @property
    def places(self) -> int | None:
        """Digits after the point, None for a fraction; negative for ``4.85e8``."""
        if self.unit is None:
            return None
        return len(str(self.unit.denominator)) - len(str(self.unit.numerator))


_AROUND = frozenset({t.Group, t.Boxed, t.Vector, t.Matrix})


def bare(node: t.Node) -> t.Node:
    """Return a node without brackets and marks around it; the only entry of a list of one."""
    while type(node) in _AROUND:
        match node:
            case t.Group(inner) | t.Boxed(inner) | t.Vector((inner,)) | t.Matrix(((inner,),)):
                node = inner
            case _:
                break
    return node


def is_infinity(node: t.Node) -> bool:
    """Return whether a node is infinity, which no entry of a layer is."""
    inner = bare(node)
    return isinstance(inner, t.Name) and inner.text in {"infty", "infinity", "inf"}


def is_minus_infinity(node: t.Node) -> bool:
    """Return whether a node is minus infinity, as a masked score is written.

    >>> is_minus_infinity(t.Negative(t.Name("infinity"))), is_minus_infinity(t.Number("0"))
    (True, False)
    """
    node = bare(node)
    return isinstance(node, t.Negative) and is_infinity(node.body)


def is_dash(node: t.Node) -> bool:
    """Return whether a dash, or nothing, stands in the place of a number."""
    node = bare(node)
    return isinstance(node, t.Name) and (node == t.UNDEFINED or node.text.lower() in {"nan", "undefined", "undef"})


def figure(node: t.Node) -> Figure | None:
    """Return the number that a node is, None when it is more than a number.

    >>> figure(t.Negative(t.Number("0.60")))
    Figure(value=Fraction(-3, 5), unit=Fraction(1, 100), mixed=None)
    """
    node = bare(node)
    match node:
        case t.Number(text):
            return _numeral(text)
        case t.Negative(t.Number(text)):
            return _numeral(text, is_negative=True)
        case t.Negative(body):
            inner = figure(body)
            return None if inner is None else _negated(inner)
        case t.Division(numerator, denominator):
            return _fraction(numerator, denominator)
        case t.Sum((t.Number() as whole, t.Division() as part), ("+",)):
            return _mixed(whole, part)
        case t.Power(t.Number() as whole, exponent):
            return _power(whole, exponent)
    return None


@lru_cache(maxsize=1000)
def _numeral(text: str, *, is_negative: bool = False) -> Figure | None:
    """Return the number of some digits: the same few come again and again in one work."""
    mantissa, _, exponent = text.partition("e")
    power = int(exponent or 0)
    if abs(power) > _MAX_EXPONENT:
        return None
    places = len(mantissa.partition(".")[2])
    value = t.Number(text).value
    return Figure(-value if is_negative else value, Fraction(10) ** (power - places))


@lru_cache(maxsize=1000)
def _negated(inner: Figure) -> Figure:
    return Figure(-inner.value, inner.unit, None if inner.mixed is None else -inner.mixed)


def _fraction(numerator: t.Node, denominator: t.Node) -> Figure | None:
    """Return a fraction of whole numbers; ``0.62/1.5`` is a division to be worked out."""
    above, below = figure(numerator), figure(denominator)
    return None if above is None or below is None else _quotient(above, below)


@lru_cache(maxsize=1000)
def _quotient(above: Figure, below: Figure) -> Figure | None:
    if above.unit != 1 or below.unit != 1 or below.value == 0:
        return None
    return Figure(above.value / below.value, None)


def _mixed(whole: t.Number, part: t.Division) -> Figure | None:
    """Return two and a half, which the reader gives as a sum in brackets, as a number."""
    first, rest = figure(whole), figure(part)
    if first is None or rest is None or first.unit != 1 or rest.unit is not None or not 0 < rest.value < 1:
        return None
    return Figure(first.value + rest.value, None)


def _power(whole: t.Number, exponent: t.Node) -> Figure | None:
    part, first = figure(exponent), figure(whole)
    if part is None or first is None or part.unit is not None or not 0 < part.value < 1 or first.unit != 1:
        return None
    # The value is irrational, a root. Only the other meaning can be right.
    return Figure(Fraction(0), None, first.value + part.value)


def closeness(written: Figure, value: Quotient, kept: KeptBounds | None = None) -> Closeness:
    """Compare a number with a value. Half a unit of the last place is a tie, which may go up or to even.

    Args:
        written: the number.
        value: what it is compared with.
        kept: bounds of the values that are compared with more than once.

    Raises:
        SymbolicValueError: the value has a free symbol and is not the number itself.

    >>> closeness(Figure(Fraction(12, 5), Fraction(1, 10)), Quotient.of("2.46"))
    'cut'
    """
    rational = value.plain_rational()
    if rational is None:
        return _irrational(written, value, KeptBounds() if kept is None else kept)
    return _distance(written, rational)


def _distance(written: Figure, value: Fraction) -> Closeness:
    (above, below), (top, bottom) = written.value.as_integer_ratio(), value.as_integer_ratio()
    difference = abs(above * bottom - top * below)
    if not difference:
        return "equal"
    unit, denominator = written.unit, below * bottom
    if unit is None or difference * unit.denominator >= unit.numerator * denominator:
        return "off"
    distance = Fraction(difference, denominator)
    half = unit / 2
    if distance < half:
        return "rounded"
    if distance == half:
        is_even = (written.value / unit).numerator % 2 == 0
        return "rounded" if abs(written.value) > abs(value) or is_even else "cut"
    is_toward_zero = abs(value) > abs(written.value) and written.value * value >= 0
    return "cut" if is_toward_zero else "off"


def _irrational(written: Figure, value: Quotient, kept: KeptBounds) -> Closeness:
    if not value.is_finite:
        return "off"
    if kept.is_symbolic(value):
        return "equal" if value == Quotient.of(written.value) else "off"
    rational = kept.rational(value)
    if rational is not None:
        return _distance(written, rational)
    if written.unit is None:
        return "off"
    half = written.unit / 2
    if kept.side(value, written.value - half) > 0 > kept.side(value, written.value + half):
        return "rounded"
    # Only now: on which side of the number a saturated weight lies takes long to tell.
    side = kept.side(value, written.value)
    is_outward = written.value == 0 or (written.value > 0) == (side > 0)
    if not is_outward or kept.side(value, written.value + side * written.unit) == side:
        return "off"
    return "cut"


def is_within(written: Fraction, exact: Quotient, tolerance: Fraction) -> bool:
    """Return whether a number is as near to a value as is allowed."""
    rational = exact.rational()
    if rational is not None:
        return abs(written - rational) <= tolerance
    # Equality cannot happen: the one is rational and the other is not.
    unit = Figure(written, 2 * tolerance)
    return closeness(unit, exact) == "rounded"


def terminates(value: Fraction) -> bool:
    """Return whether a number is a decimal that ends."""
    ten: int = 10 ** places_of(value)
    return (value * ten).denominator == 1


def places_of(value: Fraction) -> int:
    """Return the digits after the point of a terminating decimal; for any other, too few.

    >>> places_of(Fraction(-53, 4))
    2
    """
    places, denominator = [0, 0], value.denominator
    for position, prime in enumerate((2, 5)):
        while denominator % prime == 0:
            denominator //= prime
            places[position] += 1
    return max(places)
