"""Matrices of floats: of numpy, torch, jax and ml_dtypes, without importing any of these, or of Python's own floats.

An array is what has a `dtype`, a `shape` and `tolist()`; its memory layout, byte order and device are its own
matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import copysign, isfinite, prod
from struct import error as struct_error
from struct import pack, unpack
from typing import Any, TypeAlias

from symattn.errors import InputError, ShapeError, expect, shortened
from symattn.exact.rounding.floats import FORMATS, Format, encode
from symattn.records import dataclass

MAX_ENTRIES = 4_000_000
"""The most entries of one array."""

Array: TypeAlias = Any  # an array of any framework; none is imported for its type

MAX_AXES = 4
"""Axes of an array: sequences, heads, rows and columns."""

_DEPTH = 10
_PLACES = {1: ("entry",), 2: ("row", "column"), 3: ("matrix", "row", "column")}
_VIEWS = {"e": "float16", "f": "float32", "d": "float64"}
_PACKED = {"float16": "eH", "bfloat16": "fI", "float32": "fI", "float64": "dQ"}


def is_array(value: object) -> bool:
    """Return whether a value is an array, or a scalar, of one of the frameworks.

    >>> is_array([[1.0]]), is_array(memoryview(b"abcd").cast("f"))
    (False, True)
    """
    if isinstance(value, memoryview):
        return True
    return all(hasattr(value, name) for name in ("dtype", "shape", "tolist"))


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
        raise InputError(
            f"{where} has the type {shortened(name)}, and is compared as {known_formats()}: make it one of them."
        )
    if form and form != name:
        raise InputError(f"{where} is an array of {name}, not of {form}: leave the format out.")
    if is_array(array):
        check_size(array, where)
        array = entries(array)
    if not _is_rows(array) or not all(map(_is_rows, array)) or not array[0]:
        raise ShapeError(f"{where} is not a matrix: give rows of numbers, of a batch or of heads those of one.")
    check_rows(array, where)
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
    return tuple(_pattern(entry, form, place_of(at[0], (at[1], j))) for j, entry in enumerate(row, 1))


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
    return pattern_of(float_of(entry, where), form, where)


def _is_rows(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) > 0


def float_of(value: object, where: str) -> float:
    """Return a float, or what a framework has for one: all their formats are part of Python's."""
    if isinstance(value, (float, int)) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, (str, bytes, bool)) and hasattr(value, "__float__") and hasattr(value, "dtype"):
        return float(value)
    raise InputError(f"{where} must be a number, not {value!r}: give a number at every place.")


def check_size(array: Array, where: str) -> None:
    """Refuse an array with more than `MAX_ENTRIES`."""
    count = prod(int(side) for side in array.shape)
    if count > MAX_ENTRIES:
        raise InputError(f"{where} has {count:,} entries; an array has at most {MAX_ENTRIES:,}.")


def check_rows(rows: Sequence[Any], where: str) -> None:
    """Refuse rows of different lengths."""
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ShapeError(f"{where}, row {number} has {len(row)} entries where row 1 has {len(rows[0])}.")


def known_formats() -> str:
    """Return the names of all formats, for a message."""
    return ", ".join(FORMATS)


def place_of(place: str, at: tuple[int, ...]) -> str:
    """Return a place in words: ``Q, row 2, column 1``."""
    if not at:
        return place
    words = _PLACES.get(len(at), ("number",) * len(at))
    return ", ".join((place, *(f"{word} {number}" for word, number in zip(words, at, strict=True))))
