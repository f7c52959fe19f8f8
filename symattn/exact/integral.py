"""TRUSTED. Rational matrices as integers, each row over one denominator, and their products.

A product goes entry by entry, through long integers that hold a whole row (Kronecker substitution; see von zur
Gathen and Gerhard, "Modern Computer Algebra", section 8.4), or through python-flint, as `symattn.exact.choices` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Any, TypeAlias

from symattn.exact import choices
from symattn.exact.matrix import Matrix
from symattn.records import dataclass

IntegerRows: TypeAlias = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class IntegerMatrix:
    """A matrix of rational numbers: entry (i, j) is ``rows[i][j] / denominators[i]``.

    Attributes:
        rows: the numerators, row by row.
        denominators: one for each row, positive.
    """

    rows: tuple[tuple[int, ...], ...]
    denominators: tuple[int, ...]

    def fraction(self, i: int, j: int) -> Fraction:
        """An entry.

        >>> integer_matrix(Matrix([["1/2", "1/3"]])).fraction(0, 1)
        Fraction(1, 3)
        """
        return Fraction(self.rows[i][j], self.denominators[i])


def integer_matrix(matrix: Matrix) -> IntegerMatrix | None:
    """A matrix of rational numbers as integers; None where an entry is anything else.

    >>> integer_matrix(Matrix([["1/2", "1/3"], [2, 4]]))
    IntegerMatrix(rows=((3, 2), (2, 4)), denominators=(6, 1))
    """
    rows, denominators = [], []
    for row in matrix.rows:
        values = []
        for entry in row:
            value = entry.plain_rational()
            if value is None:
                return None
            values.append(value)
        common = lcm(*(value.denominator for value in values))
        rows.append(tuple(value.numerator * (common // value.denominator) for value in values))
        denominators.append(common)
    return IntegerMatrix(tuple(rows), tuple(denominators))


class Factor:
    """A matrix that many rows are multiplied by.

    Args:
        columns: its columns.
        bits: of the longest entry of the rows to come.
        count: how many rows come at a time, about; it decides which way is taken, and nothing else.

    >>> list(Factor([[1, 1], [1, -1]], 3, 2).times([[1, 2], [3, 4]]))
    [[3, -1], [7, -1]]
    """

    def __init__(self, columns: IntegerRows, bits: int, count: int) -> None:
        """Packs the matrix where that pays."""
        self._columns = columns
        self._bits = bits
        terms = len(columns[0])
        slot = slot_bits(bits, max(max(map(abs, column)) for column in columns).bit_length(), terms)
        self._slot = slot
        self._flint = choices.flint_matrix(count, len(columns), terms)
        self._right: Any = None
        if self._flint is not None:
            self._right = self._flint([list(row) for row in zip(*columns, strict=True)])
        elif choices.packs(len(columns), slot):
            self._right = [pack(row, slot) for row in zip(*columns, strict=True)]
            self._half = 1 << slot - 1
            self._offset = pack([self._half] * len(columns), slot, half=0)

    def times(self, left: IntegerRows) -> Iterator[list[int]]:
        """The products of rows with the matrix.

        Raises:
            ArithmeticError: an entry is longer than was said.
        """
        if max(max(map(abs, row)) for row in left).bit_length() > self._bits:
            raise ArithmeticError("an entry is longer than the room that was made for it")
        if self._right is None:
            return ([sum(map(mul, row, column)) for column in self._columns] for row in left)
        return self._packed(left) if self._flint is None else self._by_flint(left)

    def _by_flint(self, left: IntegerRows) -> Iterator[list[int]]:
        product = self._flint([list(row) for row in left]) * self._right
        return ([int(entry) for entry in row] for row in product.tolist())

    def _packed(self, left: IntegerRows) -> Iterator[list[int]]:
        """Each row of the matrix is one integer, ``sum r_j 2**(slot j)``; so is each row of the product.

        With half of a slot added to every entry none is negative, and the slots stand side by side in the bytes.
        """
        right, half, offset, size = self._right, self._half, self._offset, self._slot // 8
        length = len(self._columns) * size
        for row in left:
            data = (sum(map(mul, row, right)) + offset).to_bytes(length, "little")
            yield [int.from_bytes(data[at : at + size], "little") - half for at in range(0, length, size)]


def slot_bits(first: int, second: int, terms: int) -> int:
    """Bits in which a sum of products fits with its sign, a multiple of 8; for factors of so many bits.

    A sum of n products lies within n |a| |b|, less than 2**(sum of the three lengths); one bit more is the sign.

    >>> slot_bits(4, 8, 2)
    16
    """
    return -(-(first + second + terms.bit_length() + 1) // 8) * 8


def pack(entries: Sequence[int], slot: int, *, half: int | None = None) -> int:
    """``sum entries[j] 2**(slot j)``, for entries within half a slot of 0; with half = 0 for entries that have no sign.

    >>> pack([1, -1], 8) == 1 - 2**8
    True
    """
    size = slot // 8
    half = 1 << slot - 1 if half is None else half
    shifted = b"".join([(entry + half).to_bytes(size, "little") for entry in entries])
    return int.from_bytes(shifted, "little") - int.from_bytes(half.to_bytes(size, "little") * len(entries), "little")
