"""Comparison of one matrix with its certified values: the error of each entry in units of its last place.

Layers of numbers are compared row by row with bounds of their values (`symattn.exact.rows.ulp_errors`), without an
object for each entry. Entries that the bounds leave open, and other matrices, are compared by their exact values.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain
from math import ceil
from typing import Any

from symattn.api.comparison.entries import Entry, ExactEntry, float_text, word_between
from symattn.api.comparison.summary import Errors
from symattn.arrays.floats import Floats
from symattn.errors import InputError
from symattn.exact.linear.matrix import Matrix
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.numerals.rational import RationalLike, rational
from symattn.exact.reals.sign import sign
from symattn.exact.rounding.floats import decode, place
from symattn.exact.rounding.quotients import decimal
from symattn.exact.rows.ulp_errors import (
    ERROR_BITS,
    GUARD_BITS,
    NO_NUMBER,
    SLACK,
    Measure,
    RowErrors,
    error_text,
)
from symattn.graph.numeric.integer_matrices import RowMatrix
from symattn.rendering.reports.comparison import Cell

_CERTIFIED = Rounding(figures=20)
_AGREE = 2**50
"""Errors that agree to 15 digits differ by less than this part of them."""


class Comparison(Errors):
    """Comparison of a matrix: errors in units of the last place, the worst one, the nearest floats.

    >>> from symattn.api.comparison import compare
    >>> from symattn.exact.linear.matrix import Matrix
    >>> found = compare(Matrix([["1/3", "1/10"]]), [[0.25, 0.1]], of="A")
    >>> found.worst.error, found.worst.column, found.correctly_rounded, found.within(2)
    ('-1500000000000000', 1, 1, False)
    """

    def __init__(self, matrix: Matrix, array: Floats, of: str) -> None:
        """Take the certified matrix and the floats; `compare` calls this."""
        self.of, self.shape = of, matrix.shape
        self._form = array.form
        self._matrix, self._patterns = matrix, array.rows
        self._rows: list[RowErrors] = []
        self._exact: dict[tuple[int, int], ExactEntry] = {}
        self._measure()

    def _measure(self) -> None:
        """Measure all entries, by bounds where there are any, and the disputed ones by exact values."""
        bits, lines = self._bounds()
        measure = Measure(self._form, bits)
        disputed = []
        for i, (bounds, patterns) in enumerate(zip(lines, self._patterns, strict=True)):
            row = measure.row(bounds, patterns) if bounds else RowErrors.disputing(len(patterns))
            self._rows.append(row)
            disputed += [(i, j) for j in row.disputed]
        values = [self._matrix[at] for at in disputed]
        placed = iter(place(value for value in values if value.is_finite))
        for (i, j), value in zip(disputed, values, strict=True):
            enclosed = next(placed) if value.is_finite else None
            found = self._exact[i, j] = ExactEntry(value, enclosed, self._patterns[i][j], self._form)
            self._rows[i].nearest[j], self._rows[i].bins[j] = found.rounded, found.bin

    def _bounds(self) -> tuple[int, Any]:
        """Return bits and bounds of the rows, None for rows without them."""
        if isinstance(self._matrix, RowMatrix):
            return self._matrix.bounds(self._form.precision + GUARD_BITS)
        return 0, [None] * self.shape[0]

    def _entry(self, i: int, j: int) -> ExactEntry:
        """Return an entry with its exact value."""
        known = self._exact.get((i, j))
        if known is not None:
            return known
        value = self._matrix[i, j]
        placed = place([value])[0] if value.is_finite else None
        return ExactEntry(value, placed, self._patterns[i][j], self._form)

    @property
    def format(self) -> str:  # type: ignore[override]  # an attribute of `Errors`, which nobody sets
        """The format of the array, ``"float32"`` say."""
        return self._form.name

    def counts(self) -> list[int]:
        """Return the number of errors in each bin."""
        return [sum(row.bins.count(number) for row in self._rows) for number in range(NO_NUMBER + 1)]

    @cached_property
    def errors(self) -> list[list[str]]:
        """The error of each entry, computed less certified, in units of the last place to 3 figures."""
        return [list(self._error_row(i)) for i in range(self.shape[0])]

    def _error_row(self, i: int) -> Iterator[str]:
        row = self._rows[i]
        for j, (error, number) in enumerate(zip(row.errors, row.bins, strict=True)):
            if (i, j) in self._exact:
                yield self._exact[i, j].text
            elif number == NO_NUMBER:
                yield word_between(decode(self._patterns[i][j], self._form), decode(row.nearest[j], self._form))
            elif not number:
                yield "0"
            else:
                yield error_text(error) or self._entry(i, j).text

    @property
    def rounded(self) -> list[list[float]]:
        """The right floats: the nearest one to each certified value, ties to even."""
        number = cache(lambda pattern: float(decode(pattern, self._form)))
        return [list(map(number, row.nearest)) for row in self._rows]

    @property
    def rounded_bits(self) -> list[list[str]]:
        """The bits of the right floats in hexadecimal."""
        return [list(map(self._form.hexadecimal, row.nearest)) for row in self._rows]

    @cached_property
    def correctly_rounded(self) -> int:  # type: ignore[override]  # an attribute of `Errors`, found when asked for
        """Number of entries that are the nearest float to the certified value."""
        pairs = chain.from_iterable(
            zip(patterns, row.nearest, strict=True) for patterns, row in zip(self._patterns, self._rows, strict=True)
        )
        # Zeros of both signs agree, and so do all that are not numbers.
        return sum(a == b or decode(a, self._form) == decode(b, self._form) for a, b in pairs)

    def within(self, ulps: RationalLike) -> bool:
        """Return whether every error is at most so many units of the last place, decided exactly.

        Raises:
            InputError: the number of units is negative.

        >>> from symattn.api.comparison import compare
        >>> compare(Matrix([["1/3"]]), [[0.3333333333333333]]).within("1/2")
        True
        """
        limit = _bound(ulps, "The number of units")
        scaled = limit * 2**ERROR_BITS
        return all(self._is_row_within(i, limit, scaled) for i in range(self.shape[0]))

    def _is_row_within(self, i: int, limit: Fraction, scaled: Fraction) -> bool:
        row = self._rows[i]
        if NO_NUMBER in row.bins or max(map(abs, row.errors)) > scaled + SLACK:
            return False
        surely = scaled.numerator // scaled.denominator - SLACK
        open_ones = [j for j, error in enumerate(row.errors) if abs(error) > surely and row.bins[j]]
        return all(self._entry(i, j).beyond(limit) <= 0 for j in {*open_ones, *row.disputed})

    def allclose(self, rtol: RationalLike = 0, atol: RationalLike = 0) -> bool:
        """Return whether every error is at most ``atol + rtol |value|`` in size, decided exactly.

        The value is the certified one, as in ``numpy.allclose(computed, certified)``. Infinities and NaN are close to
        themselves alone.

        Args:
            rtol: the part of the size of the value that an error may be, a rational number.
            atol: the error that is allowed to any entry, a rational number.

        Raises:
            InputError: a tolerance is negative.

        >>> from symattn.api.comparison import compare
        >>> found = compare(Matrix([["1/3"]]), [[0.3333]])
        >>> found.allclose(rtol="2e-4"), found.allclose(atol="1e-5")
        (True, False)
        """
        relative, absolute = _bound(rtol, "rtol"), _bound(atol, "atol")
        bits, lines = self._bounds()
        number = cache(lambda pattern: decode(pattern, self._form))
        for i, bounds in enumerate(lines):
            for j, pattern in enumerate(self._patterns[i]):
                low, width = (bounds.lows[j], bounds.width) if bounds else (None, 0)
                got = number(pattern)
                is_close = None
                if bounds and not isinstance(got, str):
                    is_close = _is_close(got, low or 0, 0 if low is None else width, bits, (relative, absolute))
                if is_close is None:
                    is_close = self._is_close(i, j, relative, absolute)
                if not is_close:
                    return False
        return True

    def _is_close(self, i: int, j: int, relative: Fraction, absolute: Fraction) -> bool:
        found = self._entry(i, j)
        number = decode(found.got, self._form)
        if isinstance(number, str) or not found.value.is_finite:
            return found.is_right
        size = found.value if sign(found.value) > 0 else -found.value
        error = number - found.value
        limit = size * relative + absolute
        return sign(error - limit) <= 0 and sign(-error - limit) <= 0

    @cached_property
    def worst(self) -> Entry:  # type: ignore[override]  # an attribute of `Errors`, found when asked for
        """The entry with the largest error; of those that agree to 15 digits the first."""
        return self[self._worst_place()]

    @property
    def largest(self) -> tuple[int, Fraction]:
        """Sort key of the worst error among those of several comparisons."""
        return self._entry(*self._worst_place()).size

    def _worst_place(self) -> tuple[int, int]:
        for i, row in enumerate(self._rows):
            if NO_NUMBER in row.bins:
                return i, row.bins.index(NO_NUMBER)
        exact = {at: found.size for at, found in self._exact.items()}
        if any(is_far for is_far, _ in exact.values()):
            return max(exact, key=exact.__getitem__)
        sizes = {at: ceil(size * 2**ERROR_BITS) for at, (_, size) in exact.items()}
        largest = max(0, *sizes.values(), *(max(map(abs, row.errors)) for row in self._rows))
        if not largest:
            return 0, 0
        least = largest - max(largest // _AGREE, 2 * SLACK)
        near = [
            (i, j)
            for i, row in enumerate(self._rows)
            for j, (error, number) in enumerate(zip(row.errors, row.bins, strict=True))
            if number and sizes.get((i, j), abs(error)) >= least
        ]
        return near[0] if largest > 2 * SLACK * _AGREE else max(near, key=lambda at: self._entry(*at).size)

    def __getitem__(self, at: tuple[int, ...]) -> Entry:
        """Return one entry, its row and column counted from 0 as in a matrix."""
        i, j = (range(side)[number] for side, number in zip(self.shape, at, strict=True))
        found, bits = self._entry(i, j), self._form.hexadecimal
        return Entry(
            row=i + 1,
            column=j + 1,
            got=float_text(found.got, self._form),
            got_bits=bits(found.got),
            certified=decimal(found.value, _CERTIFIED),
            rounded=float_text(found.rounded, self._form),
            rounded_bits=bits(found.rounded),
            error=found.text,
            is_correctly_rounded=found.is_right,
        )

    def cells(self) -> list[list[Cell]]:
        """Return the entries of the picture."""
        return [list(map(Cell, row.bins, texts)) for row, texts in zip(self._rows, self.errors, strict=True)]

    def as_json(self) -> dict[str, object]:
        """Return everything for machines; floats are their shortest decimals."""
        text = cache(lambda pattern: float_text(pattern, self._form))
        return {
            **self.summary(),
            "errors": self.errors,
            "rounded": [list(map(text, row.nearest)) for row in self._rows],
            "rounded_bits": self.rounded_bits,
        }

    def lines(self) -> Iterator[str]:
        """Iterate over the lines of a CSV file: a head, and row, column, computed, nearest and error of each entry.

        >>> from symattn.api.comparison import compare
        >>> list(compare(Matrix([["1/3"]]), [[0.25]], form="float16").lines())
        ['row,column,computed,nearest,error_ulp', '1,1,0.25,0.3333,-341']
        """
        yield "row,column,computed,nearest,error_ulp"
        yield from self.entry_lines()

    def entry_lines(self) -> Iterator[str]:
        """Iterate over the same without the head."""
        text = cache(lambda pattern: float_text(pattern, self._form))
        for i, (row, patterns) in enumerate(zip(self._rows, self._patterns, strict=True)):
            entries = zip(patterns, row.nearest, self._error_row(i), strict=True)
            for j, (got, nearest, error) in enumerate(entries, 1):
                yield f"{i + 1},{j},{text(got)},{text(nearest)},{error}"


def _bound(value: RationalLike, what: str) -> Fraction:
    bound = rational(value, what)
    if bound < 0:
        raise InputError(f"{what} must be at least 0, not {bound}.")
    return bound


def _is_close(got: Fraction, low: int, width: int, bits: int, tolerances: tuple[Fraction, Fraction]) -> bool | None:
    """Return whether a float is close to all values between low and low + width over 2**bits; None if to some."""
    relative, absolute = tolerances
    ends = [Fraction(end, 1 << bits) for end in (low, low + width)]
    errors, sizes = [abs(got - end) for end in ends], list(map(abs, ends))
    if max(errors) <= absolute + relative * (min(sizes) if low >= 0 or low + width <= 0 else 0):
        return True
    nearest = 0 if ends[0] <= got <= ends[1] else min(errors)
    return False if nearest > absolute + relative * max(sizes) else None
