"""TRUSTED. Rounding of quotients N / Z that are known between bounds, in integers.

A row has the sum Z with S <= Z <= S + eta, and its quotients are N_j / Z. To round N / Z to `places` places, take
y = 10**places N / Z, plus 1/2 where the nearest number is wanted: the answer is floor(y), and in doubt are only the
y that may be integers or lie on either side of one. In units of 2**-shift, with R = floor(10**places 2**shift / S),
y is about n R for a known n near N; the functions below bound by how much they differ.

A `Grid` holds what is one for all rows; `doubtful` entries are settled elsewhere, by an exact sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from symattn.exact.decimals import round_scaled


def weight_margins(reciprocal: int, error: int, eta: int, one: int) -> tuple[int, int]:
    """(below, above) with e R - below <= rho N <= e R + above, rho = 10**places 2**shift / Z.

    Here e <= N <= e + error, e <= one, e <= S, and R <= rho' < R + 1 for rho' = 10**places 2**shift / S.

    * Above: rho N <= rho' (e + error) < (R + 1)(e + error) <= e R + one + error (R + 1).
    * Below: rho N >= rho' e S / (S + eta) >= e R (1 - eta / (S + eta)) >= e R - R eta, as e <= S + eta.

    >>> weight_margins(10, 2, 6, 100)
    (60, 122)
    """
    return reciprocal * eta, one + error * (reciprocal + 1)


def output_margin(reciprocal: int, total: int, eta: int, largest: int, slack: int) -> int:
    """M with |rho N - n R| <= M, rho = 10**places 2**shift / Z, for |N - n| <= slack and |N| <= largest Z.

    With R <= rho' < R + 1 as above and S = `total`, rho lies between R S / (S + eta) >= R - R eta / S and R + 1, so
    |rho - R| <= 1 + R eta / S. Then |rho N - n R| <= |N| |rho - R| + R |N - n|, and |N| <= largest (S + eta).

    >>> output_margin(10, 100, 6, 2, 3)
    454
    """
    return largest * (total + eta) * (2 + reciprocal * eta // total) + slack * reciprocal


class Grid(NamedTuple):
    """Where and how is rounded: multiples of 10**-places, with the binary fraction of y in `shift` bits."""

    places: int
    ties: str
    shift: int

    @property
    def half(self) -> int:
        """What is added to make floor the rounding: half a unit, or nothing where digits are cut off."""
        return 0 if self.ties == "truncate" else 1 << self.shift - 1

    def floors(self, numerators: Sequence[Any], reciprocal: int, below: int, above: int) -> tuple[list[Any], list[int]]:
        """The integers below y, and the positions of those that are in doubt.

        With q = n R + half - below - 1, q + 1 <= y 2**shift <= q + 1 + below + above, so that y is no integer and has
        floor(q / 2**shift) below it when no multiple of 2**shift lies in these bounds. A doubtful one is given as
        the last multiple in them, which is the only one, as the bounds are less than 2**shift apart.

        >>> Grid(1, "half-up", 8).floors([3, 10], 60, 1, 1)  # 0.70, 2.34, plus 1/2
        ([1, 2], [])
        >>> Grid(1, "half-up", 8).floors([3], 128, 1, 1)  # 1.5, plus 1/2
        ([2], [0])
        """
        shift = self.shift
        width = below + above + 1
        if width >= 1 << shift:
            raise ArithmeticError("the bounds of a quotient are wider than the unit that it is rounded to")
        start, mask = self.half - below - 1, (1 << shift) - 1
        free = mask - width
        scaled = [n * reciprocal + start for n in numerators]
        doubts = [j for j, q in enumerate(scaled) if q & mask > free]
        floors = [q >> shift for q in scaled]
        for j in doubts:
            floors[j] = scaled[j] + width >> shift
        return floors, doubts

    def boundary(self, index: int) -> Fraction:
        """The value whose y is the integer `index`.

        >>> Grid(1, "half-up", 8).boundary(3), Grid(1, "truncate", 8).boundary(3)
        (Fraction(1, 4), Fraction(3, 10))
        """
        if self.ties == "truncate":
            return Fraction(index) / Fraction(10) ** self.places
        return Fraction(2 * index - 1, 2) / Fraction(10) ** self.places

    def beside(self, index: int, side: int) -> int:
        """The rounded index of a value above (1), below (-1) or on (0) the boundary of `index`.

        >>> [Grid(1, "half-even", 8).beside(3, side) for side in (-1, 0, 1)]
        [2, 2, 3]
        """
        if side:
            return self.toward_zero(index - (side < 0))
        return index if self.ties == "truncate" else round_scaled(2 * index - 1, 2, self.ties)

    def toward_zero(self, floor: int) -> int:
        """The rounded index of a value strictly between those of floor and floor + 1.

        >>> Grid(1, "truncate", 8).toward_zero(-3), Grid(1, "half-up", 8).toward_zero(-3)
        (-2, -3)
        """
        return floor + 1 if self.ties == "truncate" and floor < 0 else floor
