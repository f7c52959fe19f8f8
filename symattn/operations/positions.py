"""TRUSTED. Sines and cosines added to tokens, and rotated queries and keys.

Of a token at a position, pair i has the angle ``t_i``. What is added is ``sin t_i`` and ``cos t_i``; what is rotated
are the two entries x and y of the pair: ``x cos t_i - y sin t_i`` and ``x sin t_i + y cos t_i``. A gradient is rotated
back: ``x cos t_i + y sin t_i`` and ``y cos t_i - x sin t_i``.

Sources: Vaswani et al. 2017, section 3.5; Su et al. 2021, eq. 15 and 34.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar, Literal, Self, TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary
from symattn.operations.operation import (
    AXIS,
    FIRST,
    Applied,
    Arguments,
    Axis,
    Cotangent,
    Family,
    MisfitError,
    Operation,
    Shape,
    Shapes,
    Tape,
    at,
    count_lines,
    family,
    line_of,
    number,
    place_of,
    read_axis,
    width,
)
from symattn.operations.scalar import Call, Index, Num, Scalar
from symattn.records import dataclass

Pairs: TypeAlias = Literal["adjacent", "halves"]
"""Entries that make a pair: neighbours, or those half a length apart."""


def pair_of(entry: int, length: int, pairs: str) -> tuple[int, int]:
    """Return the pair that an entry belongs to, and its place in it, 0 or 1; all counted from 0.

    >>> [pair_of(entry, 4, "adjacent") for entry in range(4)], [pair_of(entry, 4, "halves") for entry in range(4)]
    ([(0, 0), (0, 1), (1, 0), (1, 1)], [(0, 0), (1, 0), (0, 1), (1, 1)])
    """
    return divmod(entry, 2) if pairs == "adjacent" else divmod(entry, length // 2)[::-1]


def partner_of(entry: int, length: int, pairs: str) -> int:
    """Return the other entry of the pair, counted from 0.

    >>> partner_of(0, 4, "adjacent"), partner_of(0, 4, "halves"), partner_of(3, 4, "halves")
    (1, 2, 1)
    """
    step = 1 if pairs == "adjacent" else length // 2
    return entry - step if pair_of(entry, length, pairs)[1] else entry + step


@dataclass(frozen=True, slots=True)
class Paired:
    """The direction of tokens, and the entries of them that make pairs."""

    options: ClassVar[Mapping[str, str]] = {"axis": AXIS, "pairs": "adjacent|halves"}

    axis: Axis
    pairs: Pairs

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return what arguments state."""
        return cls(read_axis(arguments), "adjacent" if arguments["pairs"] == "adjacent" else "halves")


@dataclass(frozen=True, slots=True)
class Turning:
    """The direction of tokens, the base of the angles of pairs, and the position of the first token."""

    options: ClassVar[Mapping[str, str]] = {"axis": AXIS, "base": "[0-9]{1,13}(/[0-9]{1,13})?", "start": "[0-9]{1,9}"}

    axis: Axis
    base: Fraction
    start: int

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return what arguments state."""
        return cls(read_axis(arguments), Fraction(arguments["base"]), int(arguments["start"]))


def angles_shape(p: Turning, shapes: Shapes) -> Shape:
    """Return the shape of one angle for each pair of entries of each token.

    Raises:
        MisfitError: the entries of a token are not pairs.
    """
    if width(p.axis, shapes[0]) % 2:
        raise MisfitError((0,), "Tokens with angles have an even number of entries.")
    lines, pairs = count_lines(p.axis, shapes[0]), width(p.axis, shapes[0]) // 2
    return (lines, pairs) if p.axis == "rows" else (pairs, lines)


def angle(p: Turning, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``p b^(-2k/d)`` at the position p, for pair k; without a closed form ``p e^(-(2k/d) ln b)``."""
    place, pair = p.start + number(line_of(p.axis, i, j)), number(place_of(p.axis, i, j))
    exponent = Fraction(-2 * pair, width(p.axis, shapes[0]))
    step = elementary.rational_power(p.base, exponent)
    if step.is_closed:
        return Num(step * place)
    return Num(place) * Call("exp", Num(Quotient.of(exponent)) * Call("ln", Num(Quotient.of(p.base))))


def sinusoid_shape(p: Paired, shapes: Shapes) -> Shape:
    """Return the shape of two entries for each angle."""
    height, length = shapes[0]
    return (height, 2 * length) if p.axis == "rows" else (2 * height, length)


def sinusoid(p: Paired, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``sin t`` or ``cos t`` of the angle of the pair."""
    token, entry = line_of(p.axis, i, j), number(place_of(p.axis, i, j))
    pair, place = pair_of(entry, 2 * width(p.axis, shapes[0]), p.pairs)
    return Call("cos" if place else "sin", at(0, p.axis, token, pair))


def nothing_back(p: Paired, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add nothing: angles depend on the number of tokens, not on their entries."""
    del p, tape, node, g


def rotate_shape(p: Paired, shapes: Shapes) -> Shape:
    """Return the shape of tokens with an angle for each pair of entries.

    Raises:
        MisfitError: there are more angles, or fewer.
    """
    tokens, angles = shapes
    counts = count_lines(p.axis, tokens), width(p.axis, tokens)
    if counts != (count_lines(p.axis, angles), 2 * width(p.axis, angles)):
        raise MisfitError((0, 1), "There is one angle for each pair of entries of each token that is rotated.")
    return tokens


def rotate(p: Paired, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``x cos t - y sin t`` for the first entry of a pair, ``x sin t + y cos t`` for the second."""
    return _turned(p, shapes, i, j, back=False)


def rotation_back(p: Paired, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add ``G`` rotated back, by the transposed rotation."""
    of, angles = node.operands
    tape.add(of, "rotate-back", g.whole, angles.name, axis=p.axis, pairs=p.pairs)


def rotate_back(p: Paired, shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``x cos t + y sin t`` for the first entry of a pair, ``y cos t - x sin t`` for the second."""
    return _turned(p, shapes, i, j, back=True)


def _turned(p: Paired, shapes: Shapes, i: Index, j: Index, *, back: bool) -> Scalar:
    token, entry = line_of(p.axis, i, j), number(place_of(p.axis, i, j))
    length = width(p.axis, shapes[0])
    pair, place = pair_of(entry, length, p.pairs)
    angle = at(1, p.axis, token, pair)
    own = at(0, p.axis, token, entry) * Call("cos", angle)
    other = at(0, p.axis, token, partner_of(entry, length, p.pairs)) * Call("sin", angle)
    if back:
        return own - other if place else own + other
    return other + own if place else own - other


OPERATIONS: Family = family(
    Operation(
        "angles",
        "the position of each token over the powers of a base",
        "Vaswani et al. 2017, section 3.5",
        Turning,
        (1, 1),
        angles_shape,
        angle,
        rounds=False,
        numerals="none",
    ),
    Operation(
        "sinusoid",
        "the sine and the cosine of each angle",
        "Vaswani et al. 2017, section 3.5",
        Paired,
        (1, 1),
        sinusoid_shape,
        sinusoid,
        vjp=nothing_back,
        numerals="values",
    ),
    Operation(
        "rotate",
        "each pair of entries turned by its angle",
        "Su et al. 2021, eq. 34",
        Paired,
        (2, 2),
        rotate_shape,
        rotate,
        follows=FIRST,
        vjp=rotation_back,
        numerals="values",
    ),
    Operation(
        "rotate-back",
        "each pair of entries turned back by its angle: a rotation transposed",
        "chain rule",
        Paired,
        (2, 2),
        rotate_shape,
        rotate_back,
        follows=FIRST,
        numerals="values",
    ),
)
