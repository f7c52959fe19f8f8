"""Draws: numbers from SHA-256, the same on every machine and under every version of Python.

The bytes are the SHA-256 of a text that names the seed, the design, the student and the counters of the search. So no
draw depends on another one, nor on the students before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import TypeAlias

Choices: TypeAlias = tuple[tuple[tuple[Fraction, ...], ...], ...]
"""For each entry of a matrix the numbers that it is drawn from."""

Rows: TypeAlias = tuple[tuple[Fraction, ...], ...]

_SLACK = 64
"""Bits that are drawn beyond those needed, so that the numbers of a set differ by 2**-64 in their probabilities."""


class Draws:
    """The draws of one student.

    Args:
        seed: of the whole course.
        design: the digest of the design.
        student: the key of the student, or the number of the variant.

    >>> draws = Draws(7, "design", "1")
    >>> choices = (((Fraction(0), Fraction(1), Fraction(2)), (Fraction(5),)),)
    >>> [draws.matrix("X", choices, (counter,)) for counter in range(3)] == [
    ...     ((Fraction(first), Fraction(5)),) for first in (0, 2, 2)
    ... ]
    True
    """

    def __init__(self, seed: int, design: str, student: str) -> None:
        head = f"symattn variants 1\nseed {seed}\ndesign {design}\nstudent {len(student.encode())} {student}\n"
        self._state = hashlib.sha256(head.encode())

    def matrix(self, name: str, choices: Choices, counters: Sequence[int]) -> Rows:
        """Return a matrix whose entries are drawn from their sets, each number of a set with the same probability."""
        sizes = prod(len(options) for row in choices for options in row)
        number = self._number(f"{name} {'.'.join(map(str, counters))}\n", sizes.bit_length() + _SLACK)
        rows = []
        for row in choices:
            entries = []
            for options in row:
                number, place = divmod(number, len(options))
                entries.append(options[place])
            rows.append(tuple(entries))
        return tuple(rows)

    def _number(self, text: str, bits: int) -> int:
        found = b"".join(self._blocks(text, -(-bits // 256)))
        return int.from_bytes(found, "big")

    def _blocks(self, text: str, count: int) -> Iterator[bytes]:
        for block in range(count):
            state = self._state.copy()
            state.update(f"block {block} {text}".encode())
            yield state.digest()
