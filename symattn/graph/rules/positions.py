"""TRUSTED. Sines and cosines added to tokens, and rotated queries and keys: their rules.

Of a token at a position, pair i has the angle ``t_i``. What is added is ``sin t_i`` and ``cos t_i``; what is rotated
are the two entries x and y of the pair: ``x cos t_i - y sin t_i`` and ``x sin t_i + y cos t_i``. A gradient is rotated
back: ``x cos t_i + y sin t_i`` and ``y cos t_i - x sin t_i``.

Sources: Vaswani et al. 2017, section 3.5; Su et al. 2021, eq. 15 and 34.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.functions import trigonometric

if TYPE_CHECKING:
    from symattn.graph.quantities.quantity import Grid


def pair_of(entry: int, length: int, pairs: str) -> tuple[int, int]:
    """The pair that an entry belongs to, and its place in it: 0 or 1; all counted from 0.

    >>> [pair_of(entry, 4, "adjacent") for entry in range(4)], [pair_of(entry, 4, "halves") for entry in range(4)]
    ([(0, 0), (0, 1), (1, 0), (1, 1)], [(0, 0), (1, 0), (0, 1), (1, 1)])
    """
    return divmod(entry, 2) if pairs == "adjacent" else divmod(entry, length // 2)[::-1]


def partner_of(entry: int, length: int, pairs: str) -> int:
    """The other entry of the pair, counted from 0.

    >>> partner_of(0, 4, "adjacent"), partner_of(0, 4, "halves"), partner_of(3, 4, "halves")
    (1, 2, 1)
    """
    step = 1 if pairs == "adjacent" else length // 2
    return entry - step if pair_of(entry, length, pairs)[1] else entry + step


def sinusoid(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    """The sine and the cosine of the angles of each token."""
    lines = _lines(premises[0], arguments["axis"])
    length = 2 * len(lines[0])
    made = []
    for angles in lines:
        line: list[Quotient | None] = []
        for entry in range(length):
            pair, place = pair_of(entry, length, arguments["pairs"])
            angle = angles[pair]
            line.append(None if angle is None else trigonometric("cos" if place else "sin", angle))
        made.append(tuple(line))
    return _lines(tuple(made), arguments["axis"])


def rotated(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    """Each pair of entries of each token turned by its angle."""
    return _rotated(premises, arguments, 1)


def rotated_back(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    """The same the other way: what the transposed rotation makes of a gradient."""
    return _rotated(premises, arguments, -1)


APPLY: Mapping[str, Callable[[tuple[Grid, ...], Mapping[str, str]], Grid]] = {
    "sinusoid": sinusoid,
    "rotate": rotated,
    "rotate-back": rotated_back,
}
"""What each rule of positions does, before anything is rounded."""


def _rotated(premises: tuple[Grid, ...], arguments: Mapping[str, str], way: int) -> Grid:
    tokens, angles = (_lines(grid, arguments["axis"]) for grid in premises)
    if len(tokens) != len(angles) or len(tokens[0]) != 2 * len(angles[0]):
        raise InputError("There is one angle for each pair of entries of each token that is rotated.")
    made = tuple(_turned(line, own, arguments["pairs"], way) for line, own in zip(tokens, angles, strict=True))
    return _lines(made, arguments["axis"])


def _turned(
    line: tuple[Quotient | None, ...], angles: tuple[Quotient | None, ...], pairs: str, way: int
) -> tuple[Quotient | None, ...]:
    found: list[Quotient | None] = []
    for entry, own in enumerate(line):
        pair, place = pair_of(entry, len(line), pairs)
        other, angle = line[partner_of(entry, len(line), pairs)], angles[pair]
        if own is None or other is None or angle is None:
            found.append(None)
            continue
        cosine, sine = trigonometric("cos", angle), trigonometric("sin", angle) * way
        # x cos t - y sin t, and x sin t + y cos t.
        found.append(other * sine + own * cosine if place else own * cosine - other * sine)
    return tuple(found)


def _lines(values: Grid, axis: str) -> Grid:
    return values if axis == "rows" else tuple(zip(*values, strict=True))
