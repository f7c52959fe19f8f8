"""Arrays of numpy, torch, jax and ml_dtypes as exact numbers, without importing any of these.

An array is what has a `dtype`, a `shape` and `tolist()`; its memory layout, byte order and device are its own
matter. Integers and truth values are what they are. A float is taken only where its reading was chosen: by its exact
binary value, or by the shortest decimal that reads back as the same float of its own format.

Matrices of floats also come from files: ``.npy`` as numpy saves them, or ``.json`` with rows of numbers. The head of an
``.npy`` file is read as the one form that numpy writes; nothing in it is evaluated, and pickled objects are refused.
The numbers of a ``.json`` file are decimals, each read as the nearest float of its format.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import copysign, isfinite, prod
from pathlib import Path
from struct import error as struct_error
from struct import pack, unpack
from typing import Any, TypeAlias

from symattn.errors import InputError, ShapeError, expect, shortened
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.rational import rational
from symattn.exact.rounding.floats import FORMATS, Format, encode, nearest, shortest
from symattn.files import read_bytes
from symattn.records import dataclass

READINGS = ("binary", "shortest")
"""How floats are read: by their binary values, or by the shortest decimals that read back as the same floats."""

MAX_ENTRIES = 4_000_000
"""The most entries of one array."""

Array: TypeAlias = Any  # an array of any framework; none is imported for its type

_DEPTH = 10
_PLACES = {1: ("entry",), 2: ("row", "column"), 3: ("matrix", "row", "column")}
_LEFT_TO_OTHERS = ("object", "str")
_VIEWS = {"e": "float16", "f": "float32", "d": "float64"}
_PACKED = {"float16": "eH", "bfloat16": "fI", "float32": "fI", "float64": "dQ"}
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
    stacks: dict[str, Any] = {name: value for name in "QKV" if _depth(value := keys.get(name)) == _MOST_AXES}
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


def is_array(value: object) -> bool:
    """Return whether a value is an array, or a scalar, of one of the frameworks.

    >>> is_array([[1.0]]), is_array(memoryview(b"abcd").cast("f"))
    (False, True)
    """
    if isinstance(value, memoryview):
        return True
    return all(hasattr(value, name) for name in ("dtype", "shape", "tolist"))


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
            return {key: self.plain(item, f"{_at(place, at)}.{key}") for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(item, place, (*at, number)) for number, item in enumerate(value, 1)]
        if self.reading and isinstance(value, float):
            return self.float(value, FORMATS["float64"], place, at)
        return value

    def array(self, value: Array, place: str, at: tuple[int, ...]) -> object:
        name = dtype_name(value)
        _check_size(value, _at(place, at))
        if name in FORMATS:
            if not self.reading:
                raise InputError(
                    f"{_at(place, at)} holds floats ({name}), which are rarely the numbers that were meant. Add "
                    'floats="binary" for their binary values or floats="shortest" for their shortest decimals.'
                )
            return self.floats(entries(value), FORMATS[name], place, at)
        if name.startswith(_LEFT_TO_OTHERS):
            return self.plain(entries(value), place, at)
        if name == "bool" or name.removeprefix("u").startswith("int"):
            return _integers(entries(value), _at(place, at))
        raise InputError(f"{_at(place, at)} has the type {name}: make it one of {_known()}, or integers.")

    def floats(self, value: object, form: Format, place: str, at: tuple[int, ...]) -> object:
        if isinstance(value, list):
            return [self.floats(item, form, place, (*at, number)) for number, item in enumerate(value, 1)]
        return self.float(value, form, place, at)

    def float(self, value: object, form: Format, place: str, at: tuple[int, ...]) -> Fraction | str:
        number = value if isinstance(value, float) else _float(value, _at(place, at))
        if number == float("-inf") and place.partition(".")[0] in _HIDES:
            return "-inf"
        if not isfinite(number):
            hint = "give a finite one; a mask hides keys" if number == float("-inf") else "give a finite one"
            raise InputError(f"{_at(place, at)}: {number} is not a number that can be computed with: {hint}.")
        if self.reading == "binary":
            return Fraction(number)
        return rational(shortest(pattern_of(number, form, place), form))


# What an array holds ---------------------------------------------------------------------------------


def dtype_name(array: Array) -> str:
    """Return the name of the type of the entries, in the words of numpy.

    >>> dtype_name(memoryview(b"abcd").cast("f"))
    'float32'
    """
    if isinstance(array, memoryview):
        return _VIEWS.get(array.format, f"memoryview of {array.format!r}")
    name = getattr(array.dtype, "name", None)
    return name if isinstance(name, str) else str(array.dtype).rpartition(".")[2]


def entries(array: Array) -> Any:
    """Return the entries as nested lists: of torch without the record of gradients, from wherever they are."""
    if hasattr(array, "detach"):
        array = array.detach()
        if hasattr(array, "cpu"):
            array = array.cpu()
    return array.tolist()


def pattern_of(number: float, form: Format, where: str) -> int:
    """Return the bits of a float in its own format.

    Raises:
        InputError: the format does not hold the number.

    >>> hex(pattern_of(-0.0, FORMATS["float32"], "O")), hex(pattern_of(float("inf"), FORMATS["float16"], "O"))
    ('0x80000000', '0x7c00')
    """
    if number != number:  # noqa: PLR0124 - NaN is not equal to itself
        return form.nan
    found = encode(abs(Fraction(number)), form) if isfinite(number) else form.infinity if form.has_infinity else None
    if found is None:
        raise InputError(f"{where}: {number!r} is not a {form.name}: give the numbers as they are in that format.")
    return found | form.sign_bit if copysign(1.0, number) < 0 else found


@dataclass(frozen=True, slots=True)
class Floats:
    """A matrix of floats: their format, and the bits of each, row by row."""

    form: Format
    rows: tuple[tuple[int, ...], ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0])


def floats_of(array: Array, where: str, form: str = "") -> Floats:
    """Return a matrix of floats with its format.

    Args:
        array: an array of floats, rows of Python floats, or a matrix of floats as it is returned here.
        where: what messages call it.
        form: the format of rows of Python floats, which are float64 otherwise.

    Raises:
        InputError: it holds no floats, or not floats of that format.
        ShapeError: the array is not a matrix.

    >>> floats_of([[0.5, -1.0]], "O", "float16").rows
    ((14336, 48128),)
    """
    expect(form, str, "The format of an array is named by text")
    if isinstance(array, Floats):
        return array
    name = dtype_name(array) if is_array(array) else form or "float64"
    if name not in FORMATS:
        raise InputError(f"{where} has the type {shortened(name)}, and is compared as {_known()}: make it one of them.")
    if form and form != name:
        raise InputError(f"{where} is an array of {name}, not of {form}: leave the format out.")
    if is_array(array):
        _check_size(array, where)
        array = entries(array)
    if not _is_rows(array) or not all(map(_is_rows, array)) or not array[0]:
        raise ShapeError(f"{where} is not a matrix: give rows of numbers, of a batch or of heads those of one.")
    _check_rows(array, where)
    found = FORMATS[name]
    return Floats(found, tuple(_row_patterns(row, found, (where, i)) for i, row in enumerate(array, 1)))


def outer_shape(array: Array) -> tuple[int, ...]:
    """Return the axes of an array before its last two; none of a matrix.

    >>> outer_shape([[[1.0]], [[2.0]]]), outer_shape([[1.0]])
    ((2,), ())
    """
    if is_array(array):
        return tuple(int(side) for side in array.shape[:-2])
    sides: list[int] = []
    while _is_rows(array) and len(sides) < _DEPTH:  # a list may hold itself
        sides.append(len(array))
        array = array[0]
    return tuple(sides if isinstance(array, Floats) else sides[:-2])


def _row_patterns(row: Sequence[object], form: Format, at: tuple[str, int]) -> tuple[int, ...]:
    found = _packed(row, form)
    if found is not None:
        return found
    return tuple(_pattern(entry, form, _at(at[0], (at[1], j))) for j, entry in enumerate(row, 1))


def _packed(row: Sequence[Any], form: Format) -> tuple[int, ...] | None:
    """Return the patterns of a row of Python floats that its format holds, by the standard library; else None."""
    codes = _PACKED.get(form.name)
    if codes is None or not all(type(entry) is float for entry in row):
        return None
    floats, integers = (f"<{len(row)}{code}" for code in codes)
    try:
        data = pack(floats, *row)
    except (OverflowError, struct_error):
        return None
    if unpack(floats, data) != tuple(row):
        return None
    found = unpack(integers, data)
    if form.name != "bfloat16":
        return found
    return None if any(pattern & 0xFFFF for pattern in found) else tuple(pattern >> 16 for pattern in found)


def _pattern(entry: object, form: Format, where: str) -> int:
    if _is_rows(entry):
        raise ShapeError(f"{where} is a list of numbers: give one matrix, of a batch or of heads that of one.")
    return pattern_of(_float(entry, where), form, where)


def _is_rows(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) > 0


def _float(value: object, where: str) -> float:
    """Return a float, or what a framework has for one: all their formats are part of Python's."""
    if isinstance(value, (float, int)) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, (str, bytes, bool)) and hasattr(value, "__float__") and hasattr(value, "dtype"):
        return float(value)
    raise InputError(f"{where} must be a number, not {value!r}: give a number at every place.")


def _integers(value: object, where: str) -> object:
    if isinstance(value, list):
        return [_integers(item, where) for item in value]
    if isinstance(value, int) or hasattr(value, "__index__"):
        return operator.index(value)
    raise InputError(f"{where} holds {value!r} at a place: give a number at every place.")


def _check_size(array: Array, where: str) -> None:
    count = prod(int(side) for side in array.shape)
    if count > MAX_ENTRIES:
        raise InputError(f"{where} has {count:,} entries; an array has at most {MAX_ENTRIES:,}.")


def _check_rows(rows: Sequence[Any], where: str) -> None:
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ShapeError(f"{where}, row {number} has {len(row)} entries where row 1 has {len(rows[0])}.")


def _known() -> str:
    return ", ".join(FORMATS)


def _at(place: str, at: tuple[int, ...]) -> str:
    """Return a place in words: ``Q, row 2, column 1``."""
    if not at:
        return place
    words = _PLACES.get(len(at), ("number",) * len(at))
    return ", ".join((place, *(f"{word} {number}" for word, number in zip(words, at, strict=True))))


MAX_BYTES = 40_000_000
"""The largest file."""

_MAGIC = b"\x93NUMPY"
_LENGTHS = {1: 2, 2: 4, 3: 4}
_MAX_HEAD = 10_000
_HEAD = re.compile(
    r"\{'descr': '(?P<descr>[^']{1,20})', 'fortran_order': (?P<fortran>True|False), "
    r"'shape': \((?P<shape>[0-9, ]{0,60})\),? ?\}\s*",
    re.ASCII,
)
_FLOATS = {"f2": "float16", "f4": "float32", "f8": "float64"}
_MOST_AXES = 4
"""Axes of an array in a file: sequences, heads, rows and columns."""
_NAMELESS = {"V2": 16, "V1": 8, "f1": 8}
"""Types of .npy files that have a width and no name, with their bits."""
_WORDS = {"nan": "nan", "inf": "inf", "infinity": "inf", "-inf": "-inf", "-infinity": "-inf"}


def read_floats(path: str, form: str = "") -> Floats | list[Any]:
    """Return the matrix of floats in a file; of several axes, lists of the matrices.

    Args:
        path: the name of the file, which ends in ``.npy`` or ``.json``.
        form: the format of the numbers of a ``.json`` file (else float64), or of an ``.npy`` file whose types have
            no name, as those of ml_dtypes.

    Raises:
        InputError: the file cannot be read, or holds no floats.
        ShapeError: it holds no matrix, or more than 4 axes.

    >>> read_floats("nowhere.npy")
    Traceback (most recent call last):
    symattn.errors.InputError: nowhere.npy cannot be read: No such file or directory.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".npy", ".json"):
        raise InputError(f"{path} is not an array that is read here: save it as .npy (numpy.save) or as rows in .json.")
    data = bytes_of(path)
    return of_npy(data, form, path) if suffix == ".npy" else of_json(data, form, path)


def bytes_of(path: str) -> bytes:
    """Return the bytes of a file that holds an array.

    Raises:
        InputError: it cannot be read, or has more than `MAX_BYTES`.

    >>> bytes_of("nowhere.npy")
    Traceback (most recent call last):
    symattn.errors.InputError: nowhere.npy cannot be read: No such file or directory.
    """
    data = read_bytes(path, MAX_BYTES)
    if len(data) > MAX_BYTES:
        raise InputError(f"{path} is larger than {MAX_BYTES:,} bytes: save one matrix.")
    return data


def of_npy(data: bytes, form: str, source: str) -> Floats | list[Any]:
    r"""Return the matrix of an ``.npy`` file; of several axes, lists of the matrices.

    >>> head = b"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }"
    >>> of_npy(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + b"\x00\x3c\x00\xbc", "", "x.npy").rows
    ((15360, 48128),)
    """
    head, start = head_of(data, source)
    found, order = _format(head["descr"], form, source)
    sides = _shape(head["shape"], source)
    size, body = found.width // 8, data[start:]
    if len(body) != prod(sides) * size:
        shape = "×".join(map(str, sides))
        raise InputError(f"{source} has {len(body):,} bytes of numbers where its head tells of {shape}.")
    patterns = [
        int.from_bytes(body[at : at + size], "big" if order == ">" else "little") for at in range(0, len(body), size)
    ]
    if head["fortran"] == "True":
        steps = [prod(sides[:axis]) for axis in range(len(sides))]
    else:
        steps = [prod(sides[axis + 1 :]) for axis in range(len(sides))]
    return _matrices(patterns, sides, steps, found)


def _matrices(
    patterns: Sequence[int], sides: list[int], steps: list[int], form: Format, at: int = 0
) -> Floats | list[Any]:
    """Return the matrices of an array whose entries lie `steps` apart along its axes, from the place `at` on."""
    count, step = sides[0], steps[0]
    starts = range(at, at + count * step, step)
    if len(sides) > 2:
        return [_matrices(patterns, sides[1:], steps[1:], form, start) for start in starts]
    columns = steps[1] * sides[1]
    return Floats(form, tuple(tuple(patterns[start : start + columns : steps[1]]) for start in starts))


def head_of(data: bytes, source: str) -> tuple[re.Match[str], int]:
    r"""Return the head of an ``.npy`` file, with the groups descr, fortran and shape, and where the numbers begin.

    Raises:
        InputError: the file is none, or its head is not that of one array of numbers.

    >>> head = b"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }"
    >>> head_of(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head, "x.npy")[0]["shape"]
    '1, 2'
    """
    length = _LENGTHS.get(data[len(_MAGIC)]) if data.startswith(_MAGIC) and len(data) > len(_MAGIC) else None
    if length is None:
        raise InputError(f"{source} is not a .npy file of a known version: write it with numpy.save.")
    start = len(_MAGIC) + 2 + length
    count = int.from_bytes(data[len(_MAGIC) + 2 : start], "little")
    text = data[start : start + min(count, _MAX_HEAD)].decode("latin-1")
    found = _HEAD.fullmatch(text)
    if found is None:
        raise InputError(f"{source} has a head that is not that of one array of numbers: write it with numpy.save.")
    return found, start + count


def _format(descr: str, form: str, source: str) -> tuple[Format, str]:
    """Return the format of the numbers and the order of their bytes."""
    order, kind = descr[0], descr[1:]
    if kind == "O":
        raise InputError(f"{source} holds pickled objects, which are not read: save an array of floats.")
    if kind in _FLOATS:
        if form not in ("", _FLOATS[kind]):
            raise InputError(f"{source} is an array of {_FLOATS[kind]}, not of {form}: leave the format out.")
        return FORMATS[_FLOATS[kind]], order
    if kind in _NAMELESS and form in FORMATS and FORMATS[form].width == _NAMELESS[kind]:
        return FORMATS[form], order
    if kind in _NAMELESS:
        bits = _NAMELESS[kind]
        example = "bfloat16" if bits == 16 else "float8_e4m3fn"
        raise InputError(f"{source} does not tell which type of {bits} bits it holds: add --form {example}.")
    raise InputError(f"{source} holds the type {descr}, and is compared as {', '.join(FORMATS)}: save it as one.")


def _shape(text: str, source: str) -> list[int]:
    sides = [int(side) for side in text.replace(" ", "").split(",") if side]
    if not 2 <= len(sides) <= _MOST_AXES or 0 in sides:
        raise ShapeError(f"{source} has the shape ({text}), and a matrix has two sides: save one matrix or a stack.")
    if prod(sides) > MAX_ENTRIES:
        shape = "×".join(map(str, sides))
        raise InputError(f"{source} has {shape} entries; an array has at most {MAX_ENTRIES:,}.")
    return sides


def of_json(data: bytes, form: str, source: str) -> Floats:
    """Return the matrix of a ``.json`` file.

    >>> of_json(b"[[0.1, -1], [NaN, 1e99]]", "bfloat16", "x.json").rows
    ((15821, 49024), (32704, 32640))
    """
    found = FORMATS.get(form or "float64")
    if found is None:
        raise InputError(f"Unknown format {form!r}: take {', '.join(FORMATS)}.")
    try:
        rows = json.loads(data, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source} is not JSON: write the rows of a matrix, [[0.5, 1], [2, 3]].") from error
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
        raise ShapeError(f"{source} holds no rows of numbers: write a matrix, [[0.5, 1], [2, 3]].")
    _check_rows(rows, source)
    return Floats(
        found,
        tuple(
            tuple(_decimal_pattern(entry, found, f"{source}, row {i}, column {j}") for j, entry in enumerate(row, 1))
            for i, row in enumerate(rows, 1)
        ),
    )


def _decimal_pattern(entry: Any, form: Format, where: str) -> int:
    if not isinstance(entry, str):
        raise InputError(f"{where} is not a number: write one at every place.")
    word = _WORDS.get(entry.strip().lower())
    if word is None:
        return nearest([Quotient.of(rational(entry, where))], form)[0]
    if word == "nan":
        return form.nan
    if not form.has_infinity:
        raise InputError(f"{where} is {entry}, and {form.name} has no infinity: give a number or nan.")
    return form.infinity | (form.sign_bit if word == "-inf" else 0)
