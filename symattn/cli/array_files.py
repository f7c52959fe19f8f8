"""Matrices of floats from files: ``.npy`` as numpy saves them, or ``.json`` with rows of numbers.

The head of an ``.npy`` file is read as the one form that numpy writes; nothing in it is evaluated, and pickled objects
are refused. The numbers of a ``.json`` file are decimals, each read as the nearest float of its format.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from symattn.arrays import MAX_ENTRIES, Floats
from symattn.errors import InputError, ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.rational import rational
from symattn.exact.rounding.floats import FORMATS, Format, nearest

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
_WORDS = {"nan": "nan", "inf": "inf", "infinity": "inf", "-inf": "-inf", "-infinity": "-inf"}


def read_floats(path: str, form: str = "") -> Floats:
    """Return the matrix of floats in a file.

    Args:
        path: the name of the file, which ends in ``.npy`` or ``.json``.
        form: the format of the numbers of a ``.json`` file (else float64), or of an ``.npy`` file whose types have
            no name, as those of ml_dtypes.

    Raises:
        InputError: the file cannot be read, or holds no floats.
        ShapeError: it holds no matrix.

    >>> read_floats("nowhere.npy")
    Traceback (most recent call last):
    symattn.errors.InputError: nowhere.npy cannot be read: No such file or directory.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".npy", ".json"):
        raise InputError(f"{path} is not an array that is read here: save it as .npy (numpy.save) or as rows in .json.")
    data = _bytes(path)
    return of_npy(data, form, path) if suffix == ".npy" else of_json(data, form, path)


def _bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be read: {reason}.") from error
    if len(data) > MAX_BYTES:
        raise InputError(f"{path} is larger than {MAX_BYTES:,} bytes: save one matrix.")
    return data


def of_npy(data: bytes, form: str, source: str) -> Floats:
    r"""Return the matrix of an ``.npy`` file.

    >>> head = b"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }"
    >>> of_npy(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + b"\x00\x3c\x00\xbc", "", "x.npy").rows
    ((15360, 48128),)
    """
    head, start = _head(data, source)
    found, order = _format(head["descr"], form, source)
    rows, columns = _shape(head["shape"], source)
    size = found.width // 8
    body = data[start:]
    if len(body) != rows * columns * size:
        raise InputError(f"{source} has {len(body):,} bytes of numbers where its head tells of {rows}×{columns}.")
    patterns = [_integer(body[at : at + size], order) for at in range(0, len(body), size)]
    if head["fortran"] == "True":
        return Floats(found, tuple(tuple(patterns[i::rows]) for i in range(rows)))
    return Floats(found, tuple(tuple(patterns[i * columns : (i + 1) * columns]) for i in range(rows)))


def _integer(data: bytes, order: str) -> int:
    return int.from_bytes(data, "big" if order == ">" else "little")


def _head(data: bytes, source: str) -> tuple[re.Match[str], int]:
    """Return the head of a file, and where the numbers begin."""
    length = _LENGTHS.get(data[len(_MAGIC)]) if data.startswith(_MAGIC) and len(data) > len(_MAGIC) else None
    if length is None:
        raise InputError(f"{source} is no .npy file of a known version: write it with numpy.save.")
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
    if kind == "V2" and form in ("float16", "bfloat16"):
        return FORMATS[form], order
    if kind == "V2":
        raise InputError(f"{source} does not tell which type of 16 bits it holds: add --form bfloat16.")
    raise InputError(f"{source} holds the type {descr}, and is compared as {', '.join(FORMATS)}: save it as one.")


def _shape(text: str, source: str) -> tuple[int, int]:
    sides = [int(side) for side in text.replace(" ", "").split(",") if side]
    if len(sides) != 2 or 0 in sides:
        raise ShapeError(f"{source} has the shape ({text}), and a matrix has two sides: save one matrix.")
    if sides[0] * sides[1] > MAX_ENTRIES:
        raise InputError(f"{source} has {sides[0]}×{sides[1]} entries; an array has at most {MAX_ENTRIES:,}.")
    return sides[0], sides[1]


def of_json(data: bytes, form: str, source: str) -> Floats:
    """Return the matrix of a ``.json`` file.

    >>> of_json(b"[[0.1, -1], [NaN, 1e99]]", "bfloat16", "x.json").rows
    ((15821, 49024), (32704, 32640))
    """
    found = FORMATS.get(form or "float64")
    if found is None:
        raise InputError(f"There is no format {form!r}: take {', '.join(FORMATS)}.")
    try:
        rows = json.loads(data, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source} is not JSON: write the rows of a matrix, [[0.5, 1], [2, 3]].") from error
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
        raise ShapeError(f"{source} holds no rows of numbers: write a matrix, [[0.5, 1], [2, 3]].")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ShapeError(f"{source}, row {number} has {len(row)} entries where row 1 has {len(rows[0])}.")
    return Floats(
        found,
        tuple(
            tuple(_pattern(entry, found, f"{source}, row {i}, column {j}") for j, entry in enumerate(row, 1))
            for i, row in enumerate(rows, 1)
        ),
    )


def _pattern(entry: Any, form: Format, where: str) -> int:
    if not isinstance(entry, str):
        raise InputError(f"{where} is not a number: write one at every place.")
    word = _WORDS.get(entry.strip().lower())
    if word is None:
        return nearest([Quotient.of(rational(entry, where))], form)[0]
    if word == "nan":
        return form.infinity | 1 << (form.precision - 2)
    return form.infinity | (form.sign_bit if word == "-inf" else 0)
