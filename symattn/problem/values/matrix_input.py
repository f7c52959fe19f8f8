"""Entries and whole matrices as problem files write them, made exact."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symattn.errors import InputError, NotationError, counted_entries
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear import matrix_input
from symattn.exact.linear.matrix import Matrix
from symattn.notation.lexer import dialects
from symattn.notation.parser import latex, plain
from symattn.problem.schema.fields import MAX_ENTRIES, MAX_SIDE
from symattn.problem.text.document import Numeral
from symattn.problem.text.spelling import quoted
from symattn.problem.values import array_files, polynomials
from symattn.problem.values.checks import describe, exact_number, is_no_number, is_plain

if TYPE_CHECKING:
    from symattn.problem.values.polynomials import Symbols

MAX_ENTRY = 4000

# start-up: compiled by the first entry, and the first matrix, that is a text.
_NUMERAL = r"[+\-\u2212]?[ ]*(?:[0-9]+[ ]+[0-9]+/[0-9]+|[0-9]+/[0-9]+|[0-9]*\.?[0-9]+\.?(?:[eE][+\-\u2212]?[0-9]+)?)"
_COMMA = r"[+\-\u2212]?[0-9]+,[0-9]+"
_WRAPPED = r"(?:(?:np|numpy|torch)\.)?(?:array|matrix|tensor)\((.*)\)"
_SPACES = " \t\r\n"


def read_entry(value: object, symbols: Symbols, place: str) -> Polynomial:
    """Return one entry: a number in any exact spelling, or a polynomial in declared symbols.

    Symbols that have a value are replaced by it.

    Raises:
        InputError: Anything else, with the place.

    >>> str(read_entry("2*beta - 1/3", {"beta": "positive"}, "X"))
    '2*beta - 1/3'
    """
    found = _exact(value, symbols, place)
    return Polynomial.constant(found) if isinstance(found, Fraction) else found


def _exact(value: object, symbols: Symbols, place: str) -> Fraction | Polynomial:
    """Return one entry: a number as a rational, which is all that most problems hold, or a polynomial."""
    if isinstance(value, str):
        text = value.strip(_SPACES)
        if len(text) > MAX_ENTRY:
            raise InputError(f"{place}: the entry has more than {MAX_ENTRY:,} characters; shorten it.")
        if not text:
            raise InputError(f"{place}: the entry is empty; write 0 or a number.")
        if not text.isascii():
            _refuse_foreign_digits(text, place)
            text = _with_fractions(text)
        if not is_number(text):
            return _read_polynomial(text, symbols, place)
        value = text
    if is_plain(value):
        return exact_number(value, place)
    found = matrix_input.scalar(value, place).polynomial()
    if found is None:
        raise InputError(f"{place} must be a number or a polynomial: entries have no exponentials.")
    return found


def is_number(text: str) -> bool:
    """Return True if a text is one numeral, which the kernel converts, not an expression.

    >>> is_number("2 1/2"), is_number("1/2 + 1")
    (True, False)
    """
    return re.fullmatch(_NUMERAL, text) is not None or is_no_number(text)


def _refuse_foreign_digits(text: str, place: str) -> None:
    for letter in text:
        if letter.isdecimal() and not letter.isascii():
            raise InputError(f"{place}: {quoted(letter)} is not one of the digits 0 to 9. Write the number with these.")


def _with_fractions(text: str) -> str:
    """Return a text with fractions of one character written out: ``2½`` is ``(2 + 1/2)``."""
    fractions = dialects.VULGAR
    return re.sub(
        rf"(?<![0-9./])([0-9]*)([{''.join(fractions)}])",
        lambda found: f"({found[1] or 0} + {'/'.join(fractions[found[2]])})",
        text,
    )


def _read_polynomial(text: str, symbols: Symbols, place: str) -> Polynomial:
    try:
        node = latex.read_latex(text) if "\\" in text else plain.read_plain(text)
        return polynomials.polynomial(node, symbols)
    except NotationError as error:
        if "\b" in text or "\f" in text:
            escape = "\\b" if "\b" in text else "\\f"
            raise InputError(
                f"{place}: {quoted(text)} cannot be read: in double quotes {escape} makes a control character. "
                "Use single quotes, or double the backslash."
            ) from error
        if re.fullmatch(_COMMA, text):
            example = text.replace(",", ".")
            raise InputError(
                f"{place}: {quoted(text)} has a comma. A decimal takes a point, {quoted(example)}, "
                "and a number has nothing between its thousands."
            ) from error
        raise InputError(f"{place}: {quoted(text)} cannot be read: {error}") from error
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def read_matrix(value: object, symbols: Symbols, place: str) -> Matrix:
    """Return a matrix: a list of rows, or one string in the notation of numpy or MATLAB, or a SymPy matrix.

    Raises:
        InputError: A ragged, empty or too large matrix, or an entry that is not an exact number.

    >>> read_matrix("[1 2; 3 4]", {}, "X") == read_matrix([[1, 2], ["3", "4.0"]], {}, "X")
    True
    """
    if isinstance(value, Matrix):
        _check_size(*value.shape, place)
        return value
    if isinstance(value, str):
        value = split_matrix(value, place)
    if not isinstance(value, (list, tuple)):
        return _foreign_matrix(value, place)
    rows = checked_rows(value, place)
    known: dict[str | Numeral, Quotient] = {}

    def quotient(entry: object, i: int, j: int) -> Quotient:
        if not isinstance(entry, (str, Numeral)):
            return Quotient(_exact(entry, symbols, f"{place}, row {i}, column {j}"))
        # Decimals of large matrices are short, so most of them stand in many places.
        if entry not in known:
            known[entry] = Quotient(_exact(entry, symbols, f"{place}, row {i}, column {j}"))
        return known[entry]

    return Matrix([[quotient(entry, i, j) for j, entry in enumerate(row, 1)] for i, row in enumerate(rows, 1)])


def is_batch(value: object) -> bool:
    """Return True if a value is a list of matrices, not one matrix: one for each sequence of a batch.

    >>> is_batch([[1, 2], [3, 4]]), is_batch([[[1, 2]], [[3, 4]]]), is_batch(["[1 2]", "[3 4]"])
    (False, True, True)
    """
    if not isinstance(value, (list, tuple)):
        shape = getattr(value, "shape", None)
        return isinstance(shape, tuple) and len(shape) == 3 and not isinstance(value, Matrix)
    if not value:
        return False
    first = value[0]
    if isinstance(first, str):
        return first.lstrip(_SPACES).startswith("[")
    if isinstance(first, (list, tuple)):
        return bool(first) and isinstance(first[0], (list, tuple))
    shape = getattr(first, "shape", None)
    return isinstance(first, Matrix) or (isinstance(shape, tuple) and len(shape) == 2)


def _foreign_matrix(value: object, place: str) -> Matrix:
    if array_files.names_file(value):
        raise InputError(
            f"{place} names a file, which is looked for beside a problem file that is loaded alone: "
            "write its numbers here."
        )
    if value is None or isinstance(value, (bool, int, float, Fraction, Decimal, Numeral, Mapping)):
        raise InputError(f"{place} must be a matrix, such as [[1, 2], [3, 4]] or one string, not {describe(value)}.")
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2:
        if not all(hasattr(type(side), "__index__") for side in shape):
            raise InputError(f"{place} is a matrix of unknown shape: give its numbers of rows and columns.")
        _check_size(int(shape[0]), int(shape[1]), place)
    return matrix_input.matrix(value, place)


def checked_rows(rows: Sequence[Any], place: str) -> Sequence[Sequence[Any]]:
    """Return rows of one length, as lists, and neither empty nor too many.

    Raises:
        InputError: Anything else, with the row.

    >>> checked_rows([[1, 2], [3, 4]], "X")
    [[1, 2], [3, 4]]
    """
    if not rows:
        raise InputError(f"{place} is empty; a matrix has at least one row with one entry.")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, (list, tuple)):
            raise InputError(
                f"{place}, row {number} must be a list of entries, as in [[1, 2], [3, 4]], not {describe(row)}."
            )
        if not row:
            raise InputError(f"{place}, row {number} is empty; a matrix has at least one entry in each row.")
        if len(row) != len(rows[0]):
            raise InputError(
                f"{place}, row {number} has {counted_entries(len(row))} and row 1 has {len(rows[0])}; "
                f"give all rows the same length.{_point_remedy(row, rows[0])}"
            )
    _check_size(len(rows), len(rows[0]), place)
    return rows


def _point_remedy(row: Sequence[Any], first: Sequence[Any]) -> str:
    """Return the remedy for decimals with a comma, where they explain all entries by which one row is longer."""
    longer = [str(entry) for entry in max(row, first, key=len)]
    halves = [
        (whole, digits)
        for whole, digits in itertools.pairwise(longer)
        if whole in {"0", "-0"} and digits.isascii() and digits.isdigit() and int(digits)
    ]
    if len(halves) < abs(len(row) - len(first)):
        return ""
    whole, digits = halves[0]
    return f" A decimal takes a point: {whole}.{digits}, not {whole},{digits}."


def _check_size(rows: int, columns: int, place: str) -> None:
    if max(rows, columns) > MAX_SIDE or rows * columns > MAX_ENTRIES:
        raise InputError(
            f"{place} is {rows}×{columns}; a matrix has at most {MAX_SIDE:,} rows and columns "
            f"and {MAX_ENTRIES:,} entries."
        )


def split_matrix(text: str, place: str) -> list[list[str]]:
    r"""Return the entries of a matrix in one string: ``[[1, 2], [3, 4]]`` with or without commas, or ``[1 2; 3 4]``.

    In a row with commas, entries may hold spaces; in a row without, spaces part the entries.

    Raises:
        InputError: The brackets do not match, or stand where no row can.

    >>> split_matrix("[[1. 2.]\n [3. 4.]]", "X")
    [['1.', '2.'], ['3.', '4.']]
    """
    wrapped = re.fullmatch(_WRAPPED, text.strip(_SPACES), re.DOTALL)
    inner = (wrapped[1] if wrapped else text).strip(_SPACES)
    if not (inner.startswith("[") and inner.endswith("]")) or len(inner) < 2:
        raise InputError(
            f'{place}: {quoted(inner)} is not a matrix; write [[1, 2], [3, 4]], or in one string "[1 2; 3 4]".'
        )
    inner = inner[1:-1].strip(_SPACES)
    if "..." in inner:
        raise InputError(f"{place}: the dots stand for missing entries; write all entries.")
    rows = _nested_rows(inner, place) if inner.startswith("[") else re.split("[;\n]", inner.rstrip("; \t\r\n"))
    return [_split_row(row, place) for row in rows]


def _nested_rows(inner: str, place: str) -> list[str]:
    rows: list[str] = []
    rest = inner
    while rest:
        if not rest.startswith("["):
            raise InputError(f"{place}: {quoted(rest)} stands where a row in square brackets should.")
        row, closed, rest = rest[1:].partition("]")
        if not closed or "[" in row:
            raise InputError(f"{place}: the brackets of row {len(rows) + 1} do not match.")
        rows.append(row)
        rest = _after_comma(rest.lstrip(_SPACES))
    return rows


def _after_comma(rest: str) -> str:
    return rest[1:].lstrip(_SPACES) if rest[:1] in (",", ";") else rest


def _split_row(row: str, place: str) -> list[str]:
    if "[" in row or "]" in row:
        raise InputError(f"{place}: a bracket stands inside the row {quoted(row.strip(_SPACES))}.")
    pieces = row.strip(_SPACES).removesuffix(",").split(",") if "," in row else row.split()
    if not pieces:
        return []
    return [piece.strip(_SPACES) for piece in pieces]
