"""Keys of a problem as exact numbers, whatever arrays and floats they hold.

Integers and truth values are what they are. A float is taken only where its reading was chosen: by its exact
binary value, or by the shortest decimal that reads back as the same float of its own format.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from fractions import Fraction
from itertools import chain
from math import isfinite
from typing import Any

from symattn.arrays.floats import (
    MAX_AXES,
    Array,
    check_size,
    dtype_name,
    entries,
    float_of,
    is_array,
    known_formats,
    pattern_of,
    place_of,
)
from symattn.errors import InputError, ShapeError, expect, shortened
from symattn.exact.numerals.rational import rational
from symattn.exact.rounding.floats import FORMATS, Format, shortest

READINGS = ("binary", "shortest")
"""How floats are read: by their binary values, or by the shortest decimals that read back as the same floats."""

_DEPTH = 10
_LEFT_TO_OTHERS = ("object", "str")
_HIDES = ("mask", "bias")
"""Keys whose reader knows minus infinity and says what it means there."""


def exact_keys(keys: Mapping[str, object]) -> dict[str, object]:
    """Return the keys of a problem with every array, and with ``floats`` every float, as lists of exact numbers.

    Raises:
        InputError: floats of which no reading was chosen, or an array or an entry that holds no such numbers.

    >>> exact_keys({"Q": [[0.1]], "floats": "shortest"}), exact_keys({"Q": [[0.5]], "floats": "binary"})
    ({'Q': [[Fraction(1, 10)]]}, {'Q': [[Fraction(1, 2)]]})
    """
    reading = keys.get("floats")
    words = f'floats is "{READINGS[0]}" or "{READINGS[1]}", how floats are read'
    if "floats" in keys:
        expect(reading, str, words)
        if reading not in READINGS:
            raise InputError(f"{words}, not {shortened(str(reading))!r}.")
    reader = _Reader(str(reading) if reading else "")
    return _without_head_axis({name: reader.plain(value, name) for name, value in keys.items() if name != "floats"})


def _without_head_axis(keys: dict[str, object]) -> dict[str, object]:
    """Join the axis of heads of Q, K and V: sequences x heads x rows x columns become heads side by side.

    Raises:
        ShapeError: only some of the three have four axes.
        InputError: the number of heads is given and is another one.
    """
    stacks: dict[str, Any] = {name: value for name in "QKV" if _depth(value := keys.get(name)) == MAX_AXES}
    if not stacks:
        return keys
    if len(stacks) < 3:
        raise ShapeError(f"{min(stacks)} has an axis of heads: give Q, K and V with four axes each.")
    counts = {name: {len(heads) for heads in value} for name, value in stacks.items()}
    if any(len(found) > 1 for found in counts.values()) or counts["K"] != counts["V"]:
        raise ShapeError("Q, K and V have different numbers of heads: all sequences have as many, and K as many as V.")
    for name, value in stacks.items():
        if any(len({len(rows) for rows in heads}) > 1 for heads in value):
            raise ShapeError(f"{name} has heads with different numbers of rows: give all as many.")
    found = dict(zip(("heads", "kv_heads"), (min(counts["Q"]), min(counts["K"])), strict=True))
    for name, count in found.items():
        if keys.get(name, count) != count:
            raise InputError(f"{name} = {keys[name]!r} contradicts the {count} heads of the arrays: leave it out.")
    joined = {
        name: [[list(chain.from_iterable(rows)) for rows in zip(*heads, strict=True)] for heads in value]
        for name, value in stacks.items()
    }
    return {**keys, **joined, **found}


def _depth(value: object) -> int:
    depth = 0
    while isinstance(value, list) and value:
        depth, value = depth + 1, value[0]
    return depth


class _Reader:
    """Makes the values of keys plain under one reading of floats; where there is none, floats are refused."""

    def __init__(self, reading: str) -> None:
        self.reading = reading

    def plain(self, value: object, place: str, at: tuple[int, ...] = ()) -> object:
        """Return a value with arrays as lists; what is neither array, float nor a collection stays as it is."""
        if len(at) + place.count(".") > _DEPTH:
            return value  # nothing that a problem takes is so deep, which its reader says
        if is_array(value):
            return self.array(value, place, at)
        if isinstance(value, Mapping):
            return {key: self.plain(item, f"{place_of(place, at)}.{key}") for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(item, place, (*at, number)) for number, item in enumerate(value, 1)]
        if self.reading and isinstance(value, float):
            return self.float(value, FORMATS["float64"], place, at)
        return value

    def array(self, value: Array, place: str, at: tuple[int, ...]) -> object:
        name = dtype_name(value)
        check_size(value, place_of(place, at))
        if name in FORMATS:
            if not self.reading:
                raise InputError(
                    f"{place_of(place, at)} holds floats ({name}), which are rarely the numbers that were meant. Add "
                    'floats="binary" for their binary values or floats="shortest" for their shortest decimals.'
                )
            return self.floats(entries(value), FORMATS[name], place, at)
        if name.startswith(_LEFT_TO_OTHERS):
            return self.plain(entries(value), place, at)
        if name == "bool" or name.removeprefix("u").startswith("int"):
            return _integers(entries(value), place_of(place, at))
        raise InputError(f"{place_of(place, at)} has the type {name}: make it one of {known_formats()}, or integers.")

    def floats(self, value: object, form: Format, place: str, at: tuple[int, ...]) -> object:
        if isinstance(value, list):
            return [self.floats(item, form, place, (*at, number)) for number, item in enumerate(value, 1)]
        return self.float(value, form, place, at)

    def float(self, value: object, form: Format, place: str, at: tuple[int, ...]) -> Fraction | str:
        number = value if isinstance(value, float) else float_of(value, place_of(place, at))
        if number == float("-inf") and place.partition(".")[0] in _HIDES:
            return "-inf"
        if not isfinite(number):
            hint = "give a finite one; a mask hides keys" if number == float("-inf") else "give a finite one"
            raise InputError(f"{place_of(place, at)}: {number} is not a number that can be computed with: {hint}.")
        if self.reading == "binary":
            return Fraction(number)
        return rational(shortest(pattern_of(number, form, place), form))


def _integers(value: object, where: str) -> object:
    if isinstance(value, list):
        return [_integers(item, where) for item in value]
    if isinstance(value, int) or hasattr(value, "__index__"):
        return operator.index(value)
    raise InputError(f"{where} holds {value!r} at a place: give a number at every place.")
