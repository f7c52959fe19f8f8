"""Matrices of floats from files: ``.npy`` as numpy saves them, or ``.json`` with rows of numbers.

The head of an ``.npy`` file is read as the one form that numpy writes; nothing in it is evaluated, and pickled objects
are refused. The numbers of a ``.json`` file are decimals, each read as the nearest float of its format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

from symattn.arrays.floats import MAX_AXES, MAX_ENTRIES, Floats, check_rows
from symattn.errors import InputError, ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.rational import rational
from symattn.exact.rounding.floats import FORMATS, Format, nearest
from symattn.files import read_bytes

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
    if not 2 <= len(sides) <= MAX_AXES or 0 in sides:
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
    check_rows(rows, source)
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
