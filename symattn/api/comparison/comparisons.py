"""Computed floats against certified values: the error of each entry in units of its last place.

The unit is that of the certified value, not of the computed one: for 2**e <= |value| < 2**(e + 1) the spacing of
the format's numbers there, and at least its smallest subnormal number. What is said here was decided exactly; the
figures of an error are its correctly rounded decimals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from symattn.api.comparison.entries import Entry
from symattn.api.comparison.matrix_comparison import Comparison
from symattn.api.comparison.summary import Errors
from symattn.api.result import Result
from symattn.api.values import matrix as api_matrix
from symattn.api.values.arguments import kernel_of
from symattn.arrays.floats import Array, floats_of, outer_shape
from symattn.errors import InputError, ShapeError
from symattn.exact.linear.matrix import Matrix
from symattn.exact.numerals.rational import RationalLike
from symattn.rendering.reports.comparison import Cell


def compare(
    result: Result | api_matrix.Matrix | Matrix, array: Array, of: str = "O", *, form: str = ""
) -> Comparison | StackComparison:
    """Compare an array of floats with certified values, entry by entry.

    Args:
        result: a solved problem, or a matrix of one.
        array: floats of numpy, torch, jax or ml_dtypes, or rows of Python floats: a matrix; of a batch, of heads or
            of both, one for each, as an array of 3 or 4 axes, sequences first.
        of: the quantity of the result that the array is compared with.
        form: ``"float16"``, ``"bfloat16"``, ``"float32"``, ``"float64"``, ``"float8_e4m3fn"``, ``"float8_e4m3"`` or
            ``"float8_e5m2"``, for rows of Python floats.

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
    outer = outer_shape(array)
    if not outer:
        return _one(result, array, of, form)
    if not isinstance(result, Result):
        raise ShapeError("An array of several matrices is compared with a result of a batch or of heads.")
    stack: dict[tuple[int, ...], Result] = {(): result}
    if result.problem.batch:
        stack = dict(_numbered(result.sequences, outer[0], "sequences"))
    if len(outer) == 1 + len(next(iter(stack))):
        stack = {
            (*at, *number): head
            for at, one in stack.items()
            for number, head in _numbered(one.heads, outer[-1], "heads")
        }
    if len(outer) != len(next(iter(stack))):
        raise ShapeError(f"The array for {of} has {len(outer) + 2} axes: give a matrix for each sequence or head.")
    return StackComparison({at: _one(one, _part(array, at), of, form) for at, one in stack.items()}, outer)


def _numbered(results: Sequence[Result], given: int, what: str) -> list[tuple[tuple[int, ...], Result]]:
    if len(results) != given:
        raise ShapeError(
            f"The array has {given} {what} where the result has {len(results)}: compare what belongs together."
        )
    return [((number,), one) for number, one in enumerate(results)]


def _part(array: Any, at: tuple[int, ...]) -> Any:
    for number in at:
        array = array[number]
    return array


def _one(result: Any, array: Array, of: str, form: str) -> Comparison:
    """Compare one matrix."""
    given = result if isinstance(result, Result) else kernel_of(result)
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


class StackComparison(Errors):
    """Comparison of an array of several matrices: sequences of a batch, heads, or heads of sequences.

    `parts` has the comparison of each, by its numbers from 0.

    >>> from symattn.api.solutions import attention
    >>> result = attention(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], heads=2, scale="none")
    >>> found = compare(result, [[[1.5]], [[3.75]]], form="float16")
    >>> found.shape, found.correctly_rounded, found.worst.place, found.within(40)
    ((2, 1, 1), 0, 'part 1, row 1, column 1', True)
    """

    def __init__(self, parts: Mapping[tuple[int, ...], Comparison], outer: tuple[int, ...]) -> None:
        """Take the comparisons of all matrices; `compare` calls this."""
        self.parts = dict(parts)
        first = self.parts[(0,) * len(outer)]
        self.of, self.format, self.shape = first.of, first.format, (*outer, *first.shape)

    def counts(self) -> list[int]:
        """Return the number of errors in each bin."""
        return [sum(counts) for counts in zip(*(one.counts() for one in self.parts.values()), strict=True)]

    @cached_property
    def correctly_rounded(self) -> int:  # type: ignore[override]  # an attribute of `Errors`, found when asked for
        """Number of entries that are the nearest float to the certified value."""
        return sum(one.correctly_rounded for one in self.parts.values())

    def _nested(self, found: list[Any]) -> Any:
        """Return what was found of all parts as nested lists."""
        for count in self.shape[-3:0:-1]:
            found = [found[start : start + count] for start in range(0, len(found), count)]
        return found

    @property
    def errors(self) -> Any:
        """The errors, nested as the array is."""
        return self._nested([one.errors for one in self.parts.values()])

    @property
    def rounded(self) -> Any:
        """The right floats, nested as the array is."""
        return self._nested([one.rounded for one in self.parts.values()])

    @property
    def rounded_bits(self) -> Any:
        """The bits of the right floats, nested as the array is."""
        return self._nested([one.rounded_bits for one in self.parts.values()])

    def within(self, ulps: RationalLike) -> bool:
        """Return whether every error is at most so many units of the last place, decided exactly.

        Raises:
            InputError: the number of units is negative.
        """
        return all(one.within(ulps) for one in self.parts.values())

    def allclose(self, rtol: RationalLike = 0, atol: RationalLike = 0) -> bool:
        """Return whether every error is at most ``atol + rtol |value|`` in size, as `Comparison.allclose` decides it.

        Args:
            rtol: the part of the size of the value that an error may be, a rational number.
            atol: the error that is allowed to any entry, a rational number.

        Raises:
            InputError: a tolerance is negative.
        """
        return all(one.allclose(rtol, atol) for one in self.parts.values())

    @cached_property
    def worst(self) -> Entry:  # type: ignore[override]  # an attribute of `Errors`, found when asked for
        """The entry with the largest error, with the numbers of its part from 1 on; of equal ones the first."""
        at = max(self.parts, key=lambda at: self.parts[at].largest)
        return replace(self.parts[at].worst, part=tuple(number + 1 for number in at))

    def __getitem__(self, at: tuple[int, ...]) -> Entry:
        """Return one entry, all its numbers counted from 0 as in an array."""
        part = tuple(range(side)[number] for side, number in zip(self.shape, at[:-2], strict=False))
        return replace(self.parts[part][at[-2], at[-1]], part=tuple(number + 1 for number in part))

    def cells(self) -> list[list[Cell]]:
        """Return the entries of the picture."""
        return [row for one in self.parts.values() for row in one.cells()]

    def as_json(self) -> dict[str, object]:
        """Return everything for machines; floats are their shortest decimals."""
        parts = [one.as_json() for one in self.parts.values()]
        own = {name: self._nested([part[name] for part in parts]) for name in ("errors", "rounded", "rounded_bits")}
        return {**self.summary(), **own}

    def lines(self) -> Iterator[str]:
        """Iterate over the lines of a CSV file, as those of a matrix with the numbers of the part before them."""
        yield ",".join([*("sequence", "head")[-len(self.shape) + 2 :], "row,column,computed,nearest,error_ulp"])
        for at, one in self.parts.items():
            before = "".join(f"{number + 1}," for number in at)
            yield from (before + line for line in one.entry_lines())
