"""Entries of a comparison: one float against its exact value each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import round_rational, write
from symattn.exact.reals.sign import sign
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.floats import Format, Placed, Word, decode, shortest
from symattn.exact.rounding.quotients import decimal
from symattn.exact.rows.ulp_errors import EDGES, FIGURES, NO_NUMBER
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its place from 1, what was computed, and what it should be.

    Attributes:
        got: the shortest decimal of the computed float, ``"inf"``, ``"-inf"`` or ``"nan"``.
        got_bits: its bits in hexadecimal.
        certified: the certified value, to 20 figures.
        rounded: the shortest decimal of the float nearest to it, and `rounded_bits` its bits.
        error: computed less certified in units of the last place, to 3 figures; ``"inf"`` or ``"nan"`` where only
            one of them is a number.
        is_correctly_rounded: whether the computed float is the nearest one.
        part: the numbers, from 1, of the sequence and the head; empty in a single matrix.
    """

    row: int
    column: int
    got: str
    got_bits: str
    certified: str
    rounded: str
    rounded_bits: str
    error: str
    is_correctly_rounded: bool
    part: tuple[int, ...] = ()

    @property
    def place(self) -> str:
        """The place in words."""
        part = f"part {', '.join(map(str, self.part))}, " if self.part else ""
        return f"{part}row {self.row}, column {self.column}"


class ExactEntry:
    """One entry: the exact value with its enclosure, the computed and the nearest pattern, and the error."""

    __slots__ = ("form", "got", "high", "is_far", "low", "rounded", "unit", "value", "word")

    def __init__(self, value: Quotient, placed: Placed | None, got: int, form: Format) -> None:
        """Take the value, its enclosure where it is finite, and the pattern of the float."""
        self.value, self.got, self.form = value, got, form
        self.rounded = _word_pattern(value, form) if placed is None else placed.nearest(form)
        self.unit = form.smallest if placed is None else placed.ulp(form)
        self.low, self.high, self.word = Fraction(0), Fraction(0), ""
        number = decode(got, form)
        # Beyond all floats the enclosure of a value says nothing of its size.
        self.is_far = not isinstance(number, str) and placed is not None and not placed.is_enclosed
        if placed is not None and not isinstance(number, str):
            ends = [(number - placed.sign * end) / self.unit for end in (placed.low, placed.high)]
            self.low, self.high = min(ends), max(ends)
        elif not self.is_right:
            self.word = word_between(number, decode(self.rounded, form))

    @property
    def is_right(self) -> bool:
        """True if the computed float is the nearest one; zeros of both signs agree, and so do NaNs."""
        found, wanted = decode(self.got, self.form), decode(self.rounded, self.form)
        return found == wanted

    @property
    def _exact_error(self) -> Quotient:
        """The error in units: computed less certified."""
        number = decode(self.got, self.form)
        if isinstance(number, str):
            return Quotient.of(0)
        return (number - self.value) * (1 / self.unit)

    @property
    def text(self) -> str:
        """The error to 3 figures, signed."""
        if self.word:
            return self.word
        if self.low == self.high == 0 and not self.is_far:
            return "0"
        if not self.is_far:
            found = round_rational(self.low, FIGURES)
            if found == round_rational(self.high, FIGURES):
                return write(*found, FIGURES)
        return decimal(self._exact_error, FIGURES)

    @property
    def size(self) -> tuple[int, Fraction]:
        """Sort key of errors: those that are not numbers come last."""
        return 2 if self.word else int(self.is_far), max(abs(self.low), abs(self.high))

    def beyond(self, limit: Fraction) -> int:
        """Return the sign of |error| - limit; one that is not a number is beyond every limit."""
        if self.word:
            return 1
        if not self.is_far:
            ends = sorted((abs(self.low), abs(self.high)))
            least = ends[0] if self.low * self.high > 0 else Fraction(0)
            if least == ends[1] or limit < least or limit > ends[1]:
                return (ends[1] > limit) - (ends[1] < limit)
        error = self._exact_error
        return sign(error - limit) if sign(error) > 0 else sign(-error - limit)

    @property
    def bin(self) -> int:
        """The number of its bin: how many edges are smaller than the error; the last one where it is not a number."""
        if self.word:
            return NO_NUMBER
        return bisect_left(_Beyond(self), 0)


class _Beyond(Sequence[int]):
    """The signs of edge - |error|, found when asked for."""

    def __init__(self, found: ExactEntry) -> None:
        self.found = found

    def __len__(self) -> int:
        return len(EDGES)

    def __getitem__(self, number: int) -> int:  # type: ignore[override]  # `bisect` takes no slices
        return -self.found.beyond(EDGES[number])


def word_between(got: Fraction | Word, nearest: Fraction | Word) -> Word:
    """Return the word for an error where only one of the two is a number, or both are different words.

    >>> word_between("inf", Fraction(1)), word_between("nan", "inf")
    ('inf', 'nan')
    """
    return "nan" if "nan" in (got, nearest) else "inf"


def _word_pattern(value: Quotient, form: Format) -> int:
    """Return the pattern of minus infinity, or that of what is undefined."""
    if value is MINUS_INFINITY:
        return form.infinity | form.sign_bit
    if value is UNDEFINED:
        return form.nan
    raise ArithmeticError("a value is neither a number nor one of the two that are none")


def float_text(pattern: int, form: Format) -> str:
    """Return the shortest decimal of a float, or the word for it.

    >>> from symattn.exact.rounding.floats import FORMATS
    >>> float_text(0x8000, FORMATS["float16"]), float_text(0x7C00, FORMATS["float16"])
    ('-0', 'inf')
    """
    found = decode(pattern, form)
    if isinstance(found, str):
        return found
    return "-0" if pattern == form.sign_bit else shortest(pattern, form)
