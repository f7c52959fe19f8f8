"""TRUSTED. The softmax worked block by block: running maximum, running sum, running output.

With the scores of a line in blocks, and m, l, o after the blocks before::

    m' = max(m, scores of the block)      l' = l e^{m - m'} + Σ e^{s - m'}      o' = o e^{m - m'} + Σ e^{s - m'} v

After the last block, o/l is the output. Source: Milakov and Gimelshein 2018, algorithm 3; Dao et al. 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.sign import compare
from symattn.exact.reals.special_values import MINUS_INFINITY

if TYPE_CHECKING:
    from symattn.graph.quantities.quantity import Grid

Line = tuple[Quotient, ...]


def running_maximum(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    """The largest score of each line so far."""
    blocks = _blocks(premises[0], arguments)
    before = _numbers(premises[1]) if len(premises) > 1 else [None] * len(blocks)
    found = []
    for block, number in zip(blocks, before, strict=True):
        largest = reduce(_larger, block if number is None else (number, *block))
        if largest is MINUS_INFINITY:
            raise InputError("A block of keys is hidden whole before any is seen, so there is no largest score yet.")
        found.append((largest,))
    return tuple(found)


def running_sum(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    """The sum of exponentials of each line so far: of the scores less their maximum so far."""
    blocks, largest = _blocks(premises[0], arguments), _numbers(premises[1])
    kept = _kept(premises[2:], largest)
    found = []
    for block, number, (start,) in zip(blocks, largest, kept, strict=True):
        found.append((sum((_power(score, number) for score in block), start),))
    return tuple(found)


def running_output(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    """The values of the keys so far, each times its exponential."""
    blocks, largest = _blocks(premises[0], arguments), _numbers(premises[2])
    values = _filled(_lines(premises[1], arguments["side"]))[int(arguments["start"]) - 1 : int(arguments["stop"])]
    before = premises[3:]
    if before:
        before = (_lines(before[0], arguments["side"]), before[1])
    kept = _kept(before, largest, len(values[0]))
    made = []
    for block, number, start in zip(blocks, largest, kept, strict=True):
        line = list(start)
        for score, own in zip(block, values, strict=True):
            power = _power(score, number)
            line = [total + power * value for total, value in zip(line, own, strict=True)]
        made.append(tuple(line))
    return _lines(tuple(made), arguments["side"])


def _kept(before: tuple[Grid, ...], largest: list[Quotient], width: int = 1) -> list[Line]:
    """Return the previous values times e to the old maximum less the new one."""
    if not before:
        return [(Quotient.of(0),) * width for _ in largest]
    lines, earlier = _filled(before[0]), _numbers(before[1])
    return [
        tuple(value * _power(old, new) for value in line)
        for line, old, new in zip(lines, earlier, largest, strict=True)
    ]


def _blocks(scores: Grid, arguments: Mapping[str, str]) -> list[Line]:
    start, stop = int(arguments["start"]), int(arguments["stop"])
    lines = _filled(_lines(scores, arguments["axis"]))
    if not 1 <= start <= stop <= len(lines[0]):
        raise InputError(f"There are no keys {start} to {stop}; there are {len(lines[0])}.")
    return [line[start - 1 : stop] for line in lines]


def _filled(values: Grid) -> list[Line]:
    lines = [tuple(value for value in line if value is not None) for line in values]
    if any(len(kept) != len(line) for kept, line in zip(lines, values, strict=True)):
        raise InputError("The softmax is worked block by block where every score has a value.")
    return lines


def _numbers(values: Grid) -> list[Quotient]:
    return [line[0] for line in _filled(values)]


def _larger(first: Quotient, second: Quotient) -> Quotient:
    return second if compare(second, first) > 0 else first


def _power(score: Quotient, largest: Quotient) -> Quotient:
    if score is MINUS_INFINITY:
        return Quotient.of(0)
    exponent = (score - largest).polynomial()
    if exponent is None:
        raise InputError(
            "A score is made of exponentials itself, and the softmax is worked block by block where none is: leave "
            "that out."
        )
    return Quotient.of(ExpSum.exp(exponent))


def _lines(values: Grid, axis: str) -> Grid:
    return values if axis == "rows" else tuple(zip(*values, strict=True))
