"""Draws: numbers from SHA-256, the same on every machine and under every version of Python.

The bytes are the SHA-256 of a text that names the seed, the design, the student and the counters of the search. So no
draw depends on another one, nor on the students before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count
from math import gcd, prod
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
    >>> choices = {"X": (((Fraction(0), Fraction(1), Fraction(2)), (Fraction(5),)),)}
    >>> sorted(int(draws.inputs(choices, (0, again))["X"][0][0]) for again in range(3))
    [0, 1, 2]
    """

    def __init__(self, seed: int, design: str, student: str) -> None:
        head = f"symattn variants 1\nseed {seed}\ndesign {design}\nstudent {len(student.encode())} {student}\n"
        self._state = hashlib.sha256(head.encode())
        self._series: tuple[object, int, int] = (None, 0, 0)

    def inputs(self, choices: Mapping[str, Choices], counters: tuple[int, ...]) -> dict[str, Rows]:
        """Return matrices whose entries are drawn from their sets, each number of a set with the same probability.

        Draws whose counters differ in the last one alone are all different, as long as there are others.

        Args:
            choices: the numbers for each entry of each matrix.
            counters: the numbers of the draw in the first stage of the search and in each later one.
        """
        sizes = prod(len(options) for rows in choices.values() for row in rows for options in row)
        *stage, last = counters
        head = f"{' '.join(choices)} {'.'.join(map(str, stage))}"
        if self._series[0] != head:
            start, step = (self._number(f"{word} {head}\n", sizes.bit_length() + _SLACK) for word in ("start", "step"))
            self._series = head, start, next(other for other in count(step) if gcd(other, sizes) == 1)
        _, start, step = self._series
        if not stage:
            start, last = self._number(f"first {last} {head}\n", sizes.bit_length() + _SLACK), 0
        number = (start + last * step) % sizes
        found = {}
        for name, rows in choices.items():
            drawn = []
            for row in rows:
                entries = []
                for options in row:
                    number, place = divmod(number, len(options))
                    entries.append(options[place])
                drawn.append(tuple(entries))
            found[name] = tuple(drawn)
        return found

    def _number(self, text: str, bits: int) -> int:
        found = b"".join(self._blocks(text, -(-bits // 256)))
        return int.from_bytes(found, "big")

    def _blocks(self, text: str, most: int) -> Iterator[bytes]:
        for block in range(most):
            state = self._state.copy()
            state.update(f"block {block} {text}".encode())
            yield state.digest()
