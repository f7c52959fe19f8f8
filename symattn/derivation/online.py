"""TRUSTED. The softmax worked block by block: running maximum, running sum, running output.

With the scores of a line in blocks, and m, l, o after the blocks before::

    m' = max(m, scores of the block)      l' = l e^{m - m'} + Σ e^{s - m'}      o' = o e^{m - m'} + Σ e^{s - m'} v

After the last block, o/l is the output. Source: Milakov and Gimelshein 2018, algorithm 3; Dao et al. 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from symattn.derivation import quantity as q
from symattn.errors import InputError
from symattn.exact.expsum import ExpSum
from symattn.exact.quotient import Quotient
from symattn.exact.sign import compare
from symattn.exact.special import MINUS_INFINITY
from symattn.notation import tree as t

if TYPE_CHECKING:
    from symattn.derivation.scene import Index, Scene

ONLINE = (q.RunningMaximum, q.RunningSum, q.RunningOutput)

Line = tuple[Quotient, ...]


def running_maximum(premises: tuple[q.Grid, ...], arguments: Mapping[str, str]) -> q.Grid:
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


def running_sum(premises: tuple[q.Grid, ...], arguments: Mapping[str, str]) -> q.Grid:
    """The sum of exponentials of each line so far: of the scores less their maximum so far."""
    blocks, largest = _blocks(premises[0], arguments), _numbers(premises[1])
    kept = _kept(premises[2:], largest)
    found = []
    for block, number, (start,) in zip(blocks, largest, kept, strict=True):
        found.append((sum((_power(score, number) for score in block), start),))
    return tuple(found)


def running_output(premises: tuple[q.Grid, ...], arguments: Mapping[str, str]) -> q.Grid:
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


def _kept(before: tuple[q.Grid, ...], largest: list[Quotient], width: int = 1) -> list[Line]:
    """What was there before, times e to the old maximum less the new one."""
    if not before:
        return [(Quotient.of(0),) * width for _ in largest]
    lines, earlier = _filled(before[0]), _numbers(before[1])
    return [
        tuple(value * _power(old, new) for value in line)
        for line, old, new in zip(lines, earlier, largest, strict=True)
    ]


def _blocks(scores: q.Grid, arguments: Mapping[str, str]) -> list[Line]:
    start, stop = int(arguments["start"]), int(arguments["stop"])
    lines = _filled(_lines(scores, arguments["axis"]))
    if not 1 <= start <= stop <= len(lines[0]):
        raise InputError(f"There are no keys {start} to {stop}; there are {len(lines[0])}.")
    return [line[start - 1 : stop] for line in lines]


def _filled(values: q.Grid) -> list[Line]:
    lines = [tuple(value for value in line if value is not None) for line in values]
    if any(len(kept) != len(line) for kept, line in zip(lines, values, strict=True)):
        raise InputError("The softmax is worked block by block where every score has a value.")
    return lines


def _numbers(values: q.Grid) -> list[Quotient]:
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


def _lines(values: q.Grid, axis: str) -> q.Grid:
    return values if axis == "rows" else tuple(zip(*values, strict=True))


# Written --------------------------------------------------------------------------------------------


def forms(
    scene: Scene,
    definition: q.RunningMaximum | q.RunningSum | q.RunningOutput,
    row: Index,
    column: Index,
) -> tuple[t.Node, ...]:
    """The definition of one entry, in names; none at running indices."""
    if not isinstance(row, int) or not isinstance(column, int):
        return ()
    from symattn.derivation.definitions import sum_tree  # it imports this module

    line = row if not isinstance(definition, q.RunningOutput) or definition.side == "rows" else column
    keys = range(definition.start, definition.stop + 1)
    scores = [_at(scene, definition.of, definition.axis, line, key) for key in keys]
    if isinstance(definition, q.RunningMaximum):
        before = [_number(scene, definition.before, line)] if definition.before else []
        numbers = [*before, *scores]
        return (t.Call(t.Name("max"), tuple(numbers)) if len(numbers) > 1 else numbers[0],)
    largest = _number(scene, definition.largest, line)
    terms: list[t.Node] = [_e(score, largest) for score in scores]
    if isinstance(definition, q.RunningOutput):
        entry = column if definition.side == "rows" else row
        values = [_at(scene, definition.values, definition.side, key, entry) for key in keys]
        terms = [t.Product((term, value), ("cdot",)) for term, value in zip(terms, values, strict=True)]
        own = _at(scene, definition.before, definition.side, line, entry) if definition.before else None
    else:
        own = _number(scene, definition.before, line) if definition.before else None
    if own is not None:
        terms.insert(0, t.Product((own, _e(_number(scene, definition.earlier, line), largest)), ("cdot",)))
    return (sum_tree(terms),)


def result_form(scene: Scene, name: str, row: int, column: int) -> t.Node | None:
    """``o_{11}/l_1`` after the last block, which is an entry of the output; None for anything else."""
    found = scene.results.get(name)
    definition = None if found is None else scene.quantities[found].definition
    if found is None or not isinstance(definition, q.RunningOutput):
        return None
    line, entry = (row, column) if definition.side == "rows" else (column, row)
    above = _at(scene, found, definition.side, line, entry)
    return t.Division(above, _number(scene, definition.total, line))


def _e(score: t.Node, largest: t.Node) -> t.Node:
    return t.Power(t.Name("e"), t.Sum((score, largest), ("-",)))


def _at(scene: Scene, name: str, axis: str, line: int, entry: int) -> t.Node:
    return scene.entry(name, *((line, entry) if axis == "rows" else (entry, line)))


def _number(scene: Scene, name: str, line: int) -> t.Node:
    return scene.entry(name, line, 1)
