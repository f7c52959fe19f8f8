"""Computed floats against certified values: the error of each entry in units of its last place.

The unit is that of the certified value, not of the computed one: for 2**e <= |value| < 2**(e + 1) the spacing of
the format's numbers there, and at least its smallest subnormal number. What is said here was decided exactly; the
figures of an error are its correctly rounded decimals.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NoReturn

from symattn.api import matrix as api_matrix
from symattn.api.entry import kernel_of
from symattn.api.result import Result
from symattn.arrays import Array, Floats, floats_of
from symattn.errors import InputError, ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.numerals.decimals import Rounding, round_rational, write
from symattn.exact.numerals.rational import RationalLike, rational
from symattn.exact.reals.sign import sign
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.floats import Format, Placed, decode, place, shortest
from symattn.exact.rounding.quotients import decimal
from symattn.printable import json_text
from symattn.records import dataclass
from symattn.rendering import notebooks
from symattn.rendering.reports.comparison import Bar, Cell, comparison_svg

_EDGES = tuple(Fraction(edge) for edge in ("0", "1/2", "1", "2", "4", "8", "16", "32", "64", "256", "1024"))
_NO_NUMBER = len(_EDGES) + 1
_FIGURES = Rounding(figures=3)
_CERTIFIED = Rounding(figures=20)
_BAR = 40


def compare(result: Result | api_matrix.Matrix | Matrix, array: Array, of: str = "O", *, form: str = "") -> Comparison:
    """Compare an array of floats with certified values, entry by entry.

    Args:
        result: a solved problem, or a matrix of one; of a batch or of heads, that of one.
        array: a matrix of floats of numpy, torch, jax or ml_dtypes, or rows of Python floats.
        of: the quantity of the result that the array is compared with.
        form: ``"float16"``, ``"bfloat16"``, ``"float32"`` or ``"float64"``, for rows of Python floats.

    Raises:
        InputError: an unknown quantity, or an array without floats.
        ShapeError: the shapes differ.
        SymbolicValueError: a value has a free symbol.
        UndecidedError: a value has constants (a soft cap's, say), and its digits do not settle.

    >>> from symattn.api.solutions import attention
    >>> result = attention(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> found = compare(result, [[1.2689414024353027]], form="float32")
    >>> found.errors, found.is_correctly_rounded, found.rounded
    ([['-0.159']], True, [[1.2689414024353027]])
    """
    given = kernel_of(result)
    matrix = given if isinstance(given, Matrix) else _quantity(result, of)
    found = floats_of(array, f"The array for {of}", form)
    if found.shape != matrix.shape:
        (rows, columns), (n, m) = found.shape, matrix.shape
        raise ShapeError(f"The array for {of} is {rows}×{columns}, and {of} is {n}×{m}: compare what belongs together.")
    return Comparison(matrix, found, of)


def _quantity(result: Any, of: str) -> Matrix:
    if not isinstance(result, Result):
        kind = type(result).__name__
        raise InputError(
            f"An array is compared with a Result or a Matrix, and this is of the type {kind}: solve first."
        )
    try:
        return result[of].kernel
    except KeyError as error:
        raise InputError(str(error.args[0])) from error


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


@dataclass(frozen=True, slots=True)
class Bin:
    """Number of errors above one bound in size and at most another; without bounds, of those that are not numbers."""

    above: Fraction | None
    up_to: Fraction | None
    count: int

    @property
    def label(self) -> str:
        """The bin in words.

        >>> Bin(Fraction(0), Fraction(1, 2), 3).label, Bin(None, Fraction(0), 1).label, Bin(None, None, 1).label
        ('0 to 0.5', 'exact', 'no number')
        """
        if self.up_to is None:
            return "no number" if self.above is None else f"more than {self.above}"
        return "exact" if self.above is None else f"{_short(self.above)} to {_short(self.up_to)}"

    @property
    def level(self) -> int:
        """Its number among all bins, from 0."""
        if self.up_to is None:
            return _NO_NUMBER - (self.above is not None)
        return _EDGES.index(self.up_to)


class Comparison:
    """Comparison of an array: errors in units of the last place, the worst one, the nearest floats.

    >>> from symattn.exact.linear.matrix import Matrix
    >>> found = compare(Matrix([["1/3", "1/10"]]), [[0.25, 0.1]], of="A")
    >>> found.worst.error, found.worst.column, found.correctly_rounded, found.within(2)
    ('-1500000000000000', 1, 1, False)
    """

    def __init__(self, matrix: Matrix, array: Floats, of: str) -> None:
        """Take the certified matrix and the floats; `compare` calls this."""
        self.of = of
        self._form = array.form
        self._matrix = matrix
        placed = iter(place(value for value in matrix if value.is_finite))
        self._found = [
            [_Found(value, next(placed) if value.is_finite else None, got, array.form) for value, got in pairs]
            for pairs in (zip(*rows, strict=True) for rows in zip(matrix.rows, array.rows, strict=True))
        ]

    @property
    def format(self) -> str:
        """The format of the array, ``"float32"`` say."""
        return self._form.name

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._matrix.shape

    @cached_property
    def errors(self) -> list[list[str]]:
        """The error of each entry, computed less certified, in units of the last place to 3 figures."""
        return [[found.text for found in row] for row in self._found]

    @property
    def rounded(self) -> list[list[float]]:
        """The right floats: the nearest one to each certified value, ties to even."""
        return [[found.right for found in row] for row in self._found]

    @property
    def rounded_bits(self) -> list[list[str]]:
        """The bits of the right floats in hexadecimal."""
        return [[self._form.hexadecimal(found.rounded) for found in row] for row in self._found]

    @property
    def correctly_rounded(self) -> int:
        """Number of entries are the nearest float to the certified value."""
        return sum(found.is_right for row in self._found for found in row)

    @property
    def is_correctly_rounded(self) -> bool:
        """True if every entry is the nearest float to the certified value."""
        return all(found.is_right for row in self._found for found in row)

    def within(self, ulps: RationalLike) -> bool:
        """Return whether every error is at most so many units of the last place, decided exactly.

        Raises:
            InputError: the number of units is negative.

        >>> compare(Matrix([["1/3"]]), [[0.3333333333333333]]).within("1/2")
        True
        """
        limit = rational(ulps, "The number of units")
        if limit < 0:
            raise InputError(f"The number of units is at least 0, not {limit}.")
        return all(found.beyond(limit) <= 0 for row in self._found for found in row)

    @cached_property
    def worst(self) -> Entry:
        """The entry with the largest error; of those that agree to 15 digits the first."""
        places = [(i, j) for i, row in enumerate(self._found) for j in range(len(row))]
        return self[max(places, key=lambda at: self._found[at[0]][at[1]].size)]

    def __getitem__(self, at: tuple[int, int]) -> Entry:
        """Return one entry, its row and column counted from 0 as in a matrix."""
        i, j = at
        found, bits = self._found[i][j], self._form.hexadecimal
        return Entry(
            row=range(self.shape[0])[i] + 1,
            column=range(self.shape[1])[j] + 1,
            got=_text(found.got, self._form),
            got_bits=bits(found.got),
            certified=decimal(found.value, _CERTIFIED),
            rounded=_text(found.rounded, self._form),
            rounded_bits=bits(found.rounded),
            error=found.text,
            is_correctly_rounded=found.is_right,
        )

    @cached_property
    def histogram(self) -> tuple[Bin, ...]:
        """Number of errors are of which size, from the smallest to the largest."""
        counts = [0] * (_NO_NUMBER + 1)
        for row in self._found:
            for found in row:
                counts[found.bin] += 1
        edges = pairwise((None, *_EDGES, None))
        bins = [Bin(above, up_to, count) for (above, up_to), count in zip(edges, counts, strict=False)]
        filled = [number for number, one in enumerate(bins) if one.count]
        no_number = [Bin(None, None, counts[-1])] if counts[-1] else []
        return (*(bins[filled[0] : filled[-1] + 1] if filled else ()), *no_number)

    def __bool__(self) -> NoReturn:
        """Refuse: a comparison measures errors, and sets no bound for them.

        Raises:
            TypeError: always.
        """
        raise TypeError("A Comparison is not a bool: ask .within(2) for a bound in ulp, or .is_correctly_rounded.")

    # Shown -------------------------------------------------------------------------------------------

    @property
    def _head(self) -> str:
        (rows, columns), worst = self.shape, self.worst
        return (
            f"{self.of}, {rows}×{columns} of {self.format}: {self.correctly_rounded} of {rows * columns} correctly "
            f"rounded, worst error {worst.error} ulp in row {worst.row}, column {worst.column}"
        )

    def __str__(self) -> str:
        """Return the counts, the worst entry, and the sizes of the errors."""
        worst, bins = self.worst, self.histogram
        width, most = max(len(one.label) for one in bins), max(one.count for one in bins)
        digits = len(str(most))
        shown = max(len(worst.got), len(worst.rounded))
        lines = [
            self._head,
            f"  computed   {worst.got:<{shown}}  {worst.got_bits}",
            f"  nearest    {worst.rounded:<{shown}}  {worst.rounded_bits}",
            f"  certified  {worst.certified}",
            "errors in ulp",
            *(
                f"  {one.label:<{width}}  {one.count:>{digits}}  {'#' * -(-one.count * _BAR // max(most, _BAR))}"
                for one in bins
            ),
        ]
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        return f"<Comparison of {self._head}>"

    def as_json(self) -> dict[str, object]:
        """Return everything for machines; floats are their shortest decimals."""
        worst = self.worst
        return {
            "format": 1,
            "quantity": self.of,
            "type": self.format,
            "shape": list(self.shape),
            "correctly_rounded": self.correctly_rounded,
            "is_correctly_rounded": self.is_correctly_rounded,
            "worst": {name: getattr(worst, name) for name in Entry.__dataclass_fields__},
            "histogram": [
                {"above": _short(one.above), "up_to": _short(one.up_to), "count": one.count} for one in self.histogram
            ],
            "errors": self.errors,
            "rounded": [[_text(found.rounded, self._form) for found in row] for row in self._found],
            "rounded_bits": self.rounded_bits,
        }

    def to_json(self) -> str:
        """Return the comparison as JSON text."""
        return json_text(self.as_json())

    def to_svg(self) -> str:
        """Return a picture: the sizes of the errors, and where they are."""
        cells = [[Cell(found.bin, found.text) for found in row] for row in self._found]
        bars = [Bar(one.level, one.label, one.count) for one in self.histogram]
        return comparison_svg(self._head, bars, cells, _NO_NUMBER)

    def _repr_svg_(self) -> str:
        """Return the picture, for notebooks."""
        return self.to_svg()

    def _repr_html_(self) -> str:
        """Return the worst entry and the picture, for notebooks."""
        worst = self.worst
        rows = [("computed", worst.got, worst.got_bits), ("nearest", worst.rounded, worst.rounded_bits)]
        rows.append(("certified", worst.certified, ""))
        shown = [[notebooks.soft(word), notebooks.code(value), notebooks.code(bits)] for word, value, bits in rows]
        return f"<div>{notebooks.text(self._head)}</div>{notebooks.table(shown)}{self.to_svg()}"


class _Found:
    """One entry: the certified value with its enclosure, the computed and the right pattern, and the error."""

    __slots__ = ("form", "got", "high", "is_far", "low", "rounded", "unit", "value", "word")

    def __init__(self, value: Quotient, placed: Placed | None, got: int, form: Format) -> None:
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
            self.word = "nan" if "nan" in (number, decode(self.rounded, form)) else "inf"

    @property
    def is_right(self) -> bool:
        """True if the computed float is the nearest one; zeros of both signs agree, and so do NaNs."""
        found, wanted = decode(self.got, self.form), decode(self.rounded, self.form)
        return found == wanted

    @property
    def right(self) -> float:
        return float(decode(self.rounded, self.form))

    @property
    def exact(self) -> Quotient:
        """The error in units, exactly: computed less certified."""
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
            found = round_rational(self.low, _FIGURES)
            if found == round_rational(self.high, _FIGURES):
                return write(*found, _FIGURES)
        return decimal(self.exact, _FIGURES)

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
        error = self.exact
        return sign(error - limit) if sign(error) > 0 else sign(-error - limit)

    @property
    def bin(self) -> int:
        """The number of its bin: how many edges are smaller than the error; the last one where it is not a number."""
        if self.word:
            return _NO_NUMBER
        return bisect_left(_Beyond(self), 0)


class _Beyond(Sequence[int]):
    """The signs of edge - |error|, found when asked for."""

    def __init__(self, found: _Found) -> None:
        self.found = found

    def __len__(self) -> int:
        return len(_EDGES)

    def __getitem__(self, number: int) -> int:  # type: ignore[override]  # one at a time
        return -self.found.beyond(_EDGES[number])


def _word_pattern(value: Quotient, form: Format) -> int:
    """Return the pattern of minus infinity, or that of what is undefined."""
    if value is MINUS_INFINITY:
        return form.infinity | form.sign_bit
    if value is UNDEFINED:
        return form.infinity | 1 << (form.precision - 2)
    raise ArithmeticError("a value is neither a number nor one of the two that are none")


def _text(pattern: int, form: Format) -> str:
    found = decode(pattern, form)
    if isinstance(found, str):
        return found
    return "-0" if pattern == form.sign_bit else shortest(pattern, form)


def _short(value: Fraction | None) -> str | None:
    return (
        None
        if value is None
        else write(*round_rational(value, Rounding(places=1)), Rounding(places=1)).removesuffix(".0")
    )
