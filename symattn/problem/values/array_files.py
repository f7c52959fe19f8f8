"""Arrays that a problem file names: ``X = {file = "x.npy", floats = "binary"}``, which lie in its folder.

An ``.npy`` file, as numpy saves it, holds whole numbers, truth values or floats, whose reading is chosen as it is for
arrays in Python; a ``.csv`` file holds rows of decimals, which are read exactly. A matrix of numbers becomes integers
over one denominator, whose quotients are made when they are asked for: so large matrices are read quickly.
"""

from __future__ import annotations

import csv
import io
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from math import isfinite, lcm, ldexp, prod
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from symattn.arrays import files, keys
from symattn.arrays import floats as float_arrays
from symattn.errors import InputError, ShapeError, expect, shortened
from symattn.exact.linear.integer_matrix import IntegerMatrix, MatrixOfIntegers
from symattn.exact.linear.matrix import Matrix
from symattn.exact.numerals.rational import rational
from symattn.exact.rounding.floats import FORMATS, decode, shortest
from symattn.printable import visible
from symattn.problem.text.spelling import quoted
from symattn.problem.values.checks import place_of

_Numbers: TypeAlias = Sequence[Any]

_DEPTH = 8
_MOST_SIDES = 4
_CODES = {
    **dict(zip(("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"), "bhiqBHIQ?", strict=True)),
    **dict(zip(("f2", "f4", "f8"), "efd", strict=True)),
}
_EXPONENTS = 500
"""Exponent of two below which floats and denominators have a product that is a float."""
_FORMS = {"f2": "float16", "f4": "float32", "f8": "float64"}


def names_file(value: object) -> bool:
    """Return whether a value of a problem file stands for an array in a file.

    >>> names_file({"file": "x.npy"}), names_file([[1]])
    (True, False)
    """
    return isinstance(value, Mapping) and "file" in value


def with_arrays(tables: Mapping[str, Any], folder: Path, source: str) -> dict[str, Any]:
    """Return the tables of a problem file with the arrays that they name: matrices, vectors, lists of them.

    Args:
        tables: as they were parsed.
        folder: that of the problem file, in which arrays lie, or in folders below.
        source: what messages call the problem file.

    Raises:
        InputError: an array that cannot be read, or lies elsewhere.
        ShapeError: rows of different lengths.
    """
    return {key: _replaced(value, key, _Place(folder, source), 0) for key, value in tables.items()}


class _Place(NamedTuple):
    """The folder of a problem file, and what messages call it."""

    folder: Path
    source: str


def _replaced(value: Any, key: str, place: _Place, depth: int) -> Any:
    if depth > _DEPTH:
        return value  # nothing that a problem takes is so deep, which its reader says
    if names_file(value):
        return _read(value, key, place)
    if isinstance(value, Mapping):
        return {name: _replaced(item, f"{key}.{name}", place, depth + 1) for name, item in value.items()}
    if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        return [_replaced(item, f"{key} #{number}", place, depth + 1) for number, item in enumerate(value, 1)]
    return value


def _read(given: Mapping[str, Any], key: str, place: _Place) -> Any:
    where = place_of(place.source, key)
    unknown = [name for name in given if name not in ("file", "floats", "form")]
    if unknown:
        raise InputError(f"{where}: unknown key {quoted(unknown[0])}. An array in a file has file, floats and form.")
    for name, value in given.items():
        expect(value, str, f"{where}: {name} is text")
    path = _inside(given["file"], where, place.folder)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        if len(given) > 1:
            raise InputError(f"{where}: a .csv file holds decimals, which are read exactly: leave floats and form out.")
        return _of_csv(files.bytes_of(str(path)), str(path), where)
    if suffix != ".npy":
        raise InputError(f"{where}: {_shown(given['file'])} is neither .npy (numpy.save) nor .csv (rows of decimals).")
    floats = given.get("floats", "")
    if floats not in ("", *keys.READINGS):
        raise InputError(f'{where}: floats is "binary" or "shortest", how floats are read, not {quoted(floats)}.')
    hides = key.startswith(("mask.", "bias."))
    return _of_npy(files.bytes_of(str(path)), floats, given.get("form", ""), where, hides=hides)


def _inside(name: str, where: str, folder: Path) -> Path:
    """Return the path of a file in the folder of the problem file, or below it, links followed."""
    path = folder / name
    try:
        if "\0" in name or not path.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{where}: {_shown(name)} lies outside the folder of the problem file: put it there.")
    except (OSError, RuntimeError) as error:  # a loop of links
        raise InputError(f"{where}: {_shown(name)} cannot be found: {visible(str(error))}.") from error
    return path


def _shown(name: str) -> str:
    return quoted(visible(shortened(name)))


def _of_csv(data: bytes, path: str, where: str) -> Matrix | list[list[str]]:
    try:
        rows = [row for row in csv.reader(io.StringIO(data.decode("utf-8-sig")), strict=True) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{where}: {_shown(path)} is not rows of decimals between commas: {error}.") from error
    _check_count(sum(map(len, rows)), where)
    known: dict[str, Fraction] = {}
    try:
        for row in rows:
            for text in row:
                if text not in known:
                    known[text] = rational(text.strip())
    except InputError:
        known.clear()  # the reader of the key takes -inf in masks, and symbols
    if not known or len({len(row) for row in rows}) > 1:
        return [[text.strip() for text in row] for row in rows]
    ratios = {text: value.as_integer_ratio() for text, value in known.items()}
    return _matrix(rows, known, ratios.__getitem__)


def _of_npy(data: bytes, floats: str, form: str, where: str, *, hides: bool) -> Any:
    head, start = files.head_of(data, where)
    order, kind = head["descr"][0], head["descr"][1:]
    sides = [int(side) for side in head["shape"].replace(" ", "").split(",") if side]
    if not 1 <= len(sides) <= _MOST_SIDES or 0 in sides:
        raise ShapeError(f"{where}: an array has one to four sides, none of them 0, not the shape ({head['shape']}).")
    _check_count(prod(sides), where)
    name = _FORMS.get(kind, form if kind in ("V1", "V2") else "")
    if kind not in _CODES and name not in FORMATS:
        raise InputError(f"{where}: the type {head['descr']} is none of numbers: save it as one, or name its form.")
    if name and not floats:
        raise InputError(
            f'{where} holds floats ({name}): add floats = "binary" for their binary values or floats = "shortest" '
            "for their shortest decimals."
        )
    size = int(kind[1:]) if kind[1:].isdigit() else 0
    if len(data) - start != prod(sides) * size:
        raise InputError(f"{where}: {len(data) - start:,} bytes of numbers do not fit the shape ({head['shape']}).")
    numbers = _unpacked(data[start:], order, kind, size)
    if name:
        numbers = _exact(numbers, name, floats, where, hides=hides, is_pattern=kind not in _CODES)
    return _shaped(numbers, sides, is_fortran=head["fortran"] == "True")


def _check_count(count: int, where: str) -> None:
    if count > float_arrays.MAX_ENTRIES:
        raise InputError(f"{where} has {count:,} entries; an array has at most {float_arrays.MAX_ENTRIES:,}.")


def _unpacked(data: bytes, order: str, kind: str, size: int) -> _Numbers:
    code = _CODES.get(kind, "B" if size == 1 else "H")
    return struct.unpack(f"{'>' if order == '>' else '<'}{len(data) // size}{code}", data)


def _exact(numbers: _Numbers, name: str, floats: str, where: str, *, hides: bool, is_pattern: bool) -> _Numbers:
    """Return floats, or the patterns of their bits, as exact numbers; minus infinity stays in masks and biases."""
    form = FORMATS[name]
    if is_pattern:
        numbers = [float(value) if isinstance(value, str) else value for value in (decode(n, form) for n in numbers)]
    bad = (number for number in numbers if not isfinite(number) and not (hides and number == float("-inf")))
    first = None if all(map(isfinite, numbers)) else next(bad, None)
    if first is not None:
        raise InputError(f"{where} holds {first}, which cannot be computed with: save finite numbers.")
    if floats == "binary" and not hides:
        return numbers

    def exact(number: Any) -> Fraction | str:
        if not isfinite(number):
            return "-inf"
        if floats == "binary":
            return Fraction(number)
        return rational(shortest(float_arrays.pattern_of(float(number), form, where), form))

    return list(map(exact, numbers))


def _shaped(numbers: _Numbers, sides: list[int], *, is_fortran: bool) -> Any:
    """Return numbers in the order of a file as a vector, a matrix, or lists of them."""
    if len(sides) > 2:
        step = len(numbers) // sides[0]
        parts = (numbers[i :: sides[0]] if is_fortran else numbers[i * step : (i + 1) * step] for i in range(sides[0]))
        return [_shaped(part, sides[1:], is_fortran=is_fortran) for part in parts]
    if len(sides) == 1:
        return [number if isinstance(number, (bool, str)) else Fraction(number) for number in numbers]
    count, width = sides
    if is_fortran:
        rows = [numbers[i::count] for i in range(count)]
    else:
        rows = [numbers[i * width : (i + 1) * width] for i in range(count)]
    if not {bool, str}.isdisjoint(map(type, numbers)):
        return list(map(list, rows))
    return _matrix(rows, numbers, methodcaller("as_integer_ratio"))


def _matrix(rows: Iterable[_Numbers], numbers: Collection[Any], ratio: Callable[[Any], tuple[int, int]]) -> Matrix:
    """Return a matrix of numbers, of which `ratio` gives the integers whose quotient each is."""
    bottoms = {bottom for _, bottom in map(ratio, numbers)}
    common = lcm(*bottoms)
    power = common.bit_length() - 1
    if {float}.issuperset(map(type, numbers)) and power < _EXPONENTS and max(map(abs, numbers)) < 2**_EXPONENTS:
        # Exact, and twice as fast: a power of two changes the exponent of a float alone.
        whole = [list(map(int, map(ldexp, row, repeat(power)))) for row in rows]
    else:
        factors = {bottom: common // bottom for bottom in bottoms}
        whole = [[top * factors[bottom] for top, bottom in map(ratio, row)] for row in rows]
    return MatrixOfIntegers(IntegerMatrix(whole, common))
