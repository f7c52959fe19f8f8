"""TRUSTED. Rounding of quotients N / Z that are known between bounds, in integers.

A row has the sum Z with S <= Z <= S + eta, and its quotients are N_j / Z. To round N / Z to `places` places, take
y = 10**places N / Z, plus 1/2 where the nearest number is wanted: the answer is floor(y), and in doubt are only the
y that may be integers or lie on either side of one. In units of 2**-shift, with R = floor(10**places 2**shift / S),
y is about e R for the lower bound e of N; the functions below bound by how much they differ.

A `Grid` holds what is one for all rows; `doubtful` entries are settled elsewhere, by an exact sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from symattn.exact.numerals.decimals import round_scaled


class RowBounds(NamedTuple):
    """Parameters of the bounds of a row: R, the error of each e_j, eta, and the unit 2**bits that no e_j exceeds."""

    reciprocal: int
    error: int
    eta: int
    one: int


def weight_margins(bounds: RowBounds) -> tuple[int, int]:
    """Return (below, above) with e R - below <= rho N <= e R + above, rho = 10**places 2**shift / Z.

    Here e <= N <= e + error, e <= one, e <= S, and R <= rho' < R + 1 for rho' = 10**places 2**shift / S.

    * Above: rho N <= rho' (e + error) < (R + 1)(e + error) <= e R + one + error (R + 1).
    * Below: rho N >= rho' e S / (S + eta) >= e R (1 - eta / (S + eta)) >= e R - R eta, as e <= S + eta.

    >>> weight_margins(RowBounds(reciprocal=10, error=2, eta=6, one=100))
    (60, 122)
    """
    reciprocal, error, eta, one = bounds
    return reciprocal * eta, one + error * (reciprocal + 1)


def output_margin(bounds: RowBounds, largest: int, most: int, cut: int) -> int:
    """Return M with |y - c| <= M in units of 2**-(shift - cut), for the sum y of rho N_j v_j and c of p_j v_j.

    Here |v_j| <= `largest` and |v_1| + ... + |v_n| <= `most`, and p_j = ((e_j R + a) >> cut) - (a >> cut) for any a, so
    that p_j and e_j R / 2**cut differ by less than 1. By the steps of `weight_margins`, rho N_j lies at most
    one + error (R + 1) above e_j R and at most R eta e_j / (S + eta) below it. The last add up to at most
    R eta S / (S + eta) <= R eta, so the parts below, times |v_j|, to at most largest R eta; all the others are the
    same for each j, so they add up to at most their sum times `most`.

    >>> output_margin(RowBounds(reciprocal=10, error=2, eta=6, one=100), largest=2, most=5, cut=2)
    188
    """
    below, above = weight_margins(bounds)
    return (largest * below + most * above >> cut) + 1 + most


class Grid(NamedTuple):
    """Grid of rounded values: multiples of 10**-places, with the binary fraction of y in `shift` bits."""

    places: int
    ties: str
    shift: int

    @property
    def half(self) -> int:
        """The offset that makes floor the rounding: half a unit, or 0 for truncation."""
        return 0 if self.ties == "truncate" else 1 << self.shift - 1

    def start(self, below: int) -> int:
        """Return the offset for a number that lies at most `below` above y, so that floor rounds a lower bound of it.

        >>> Grid(1, "half-up", 8).start(3)
        124
        """
        return self.half - below - 1

    def floors(self, scaled: Sequence[Any], width: int) -> tuple[list[Any], list[int]]:
        """Return the floors of y, and the positions of those that are in doubt, where q < y 2**shift < q + width.

        Such a y is not an integer and has the floor of q / 2**shift when no multiple of 2**shift lies above q and up to
        q + width. A doubtful one is given as the last multiple there, which is the only one, as the bounds are less
        than 2**shift apart.

        >>> Grid(1, "half-up", 8).floors([180 + 128, 600 + 128], 2)  # 0.70 and 2.34, plus 1/2
        ([1, 2], [])
        >>> Grid(1, "half-up", 8).floors([511], 2)
        ([2], [0])
        """
        shift = self.shift
        if width >= 1 << shift:
            raise ArithmeticError("the bounds of a quotient are wider than the unit that it is rounded to")
        mask = (1 << shift) - 1
        free = mask - width
        doubts = [j for j, q in enumerate(scaled) if q & mask > free]
        floors = [q >> shift for q in scaled]
        for j in doubts:
            floors[j] = scaled[j] + width >> shift
        return floors, doubts

    def boundary(self, index: int) -> Fraction:
        """Return the value whose y is the integer `index`.

        >>> Grid(1, "half-up", 8).boundary(3), Grid(1, "truncate", 8).boundary(3)
        (Fraction(1, 4), Fraction(3, 10))
        """
        if self.ties == "truncate":
            return Fraction(index) / Fraction(10) ** self.places
        return Fraction(2 * index - 1, 2) / Fraction(10) ** self.places

    def beside(self, index: int, side: int) -> int:
        """Return the rounded index of a value above (1), below (-1) or on (0) the boundary of `index`.

        >>> [Grid(1, "half-even", 8).beside(3, side) for side in (-1, 0, 1)]
        [2, 2, 3]
        """
        if side:
            return self.toward_zero(index - (side < 0))
        return index if self.ties == "truncate" else round_scaled(2 * index - 1, 2, self.ties)

    def toward_zero(self, floor: int) -> int:
        """Return the rounded index of a value strictly between those of floor and floor + 1.

        >>> Grid(1, "truncate", 8).toward_zero(-3), Grid(1, "half-up", 8).toward_zero(-3)
        (-2, -3)
        """
        return floor + 1 if self.ties == "truncate" and floor < 0 else floor
