"""Summary of the errors of a comparison: counts by size, the worst entry, and the texts and pictures of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NoReturn

from symattn.api.comparison.entries import Entry
from symattn.exact.numerals.decimals import Rounding, round_rational, write
from symattn.exact.rows.ulp_errors import EDGES, NO_NUMBER
from symattn.printable import json_text
from symattn.records import dataclass
from symattn.rendering import notebooks
from symattn.rendering.reports.comparison import Bar, Cell, comparison_svg

_PLACE = Rounding(places=1)
_BAR = 40


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
        return "exact" if self.above is None else f"{edge_text(self.above)} to {edge_text(self.up_to)}"

    @property
    def level(self) -> int:
        """Its number among all bins, from 0."""
        if self.up_to is None:
            return NO_NUMBER - (self.above is not None)
        return EDGES.index(self.up_to)


class Errors(ABC):
    """Errors of an array: counts, the worst one, and texts of them."""

    of: str
    format: str
    shape: tuple[int, ...]
    correctly_rounded: int
    worst: Entry

    @abstractmethod
    def counts(self) -> list[int]:
        """Return the number of errors in each bin."""

    @abstractmethod
    def cells(self) -> list[list[Cell]]:
        """Return the entries of the picture."""

    @abstractmethod
    def lines(self) -> Iterator[str]:
        """Iterate over the lines of a CSV file: a head, and a line for each entry."""

    @property
    def _size(self) -> int:
        return sum(self.counts())

    @property
    def is_correctly_rounded(self) -> bool:
        """True if every entry is the nearest float to the certified value."""
        return self.correctly_rounded == self._size

    @cached_property
    def histogram(self) -> tuple[Bin, ...]:
        """Number of errors of each size, from the smallest to the largest."""
        counts = self.counts()
        edges = pairwise((None, *EDGES, None))
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

    @property
    def _head(self) -> str:
        worst = self.worst
        return (
            f"{self.of}, {'×'.join(map(str, self.shape))} of {self.format}: {self.correctly_rounded} of {self._size} "
            f"correctly rounded, worst error {worst.error} ulp in {worst.place}"
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

    def summary(self) -> dict[str, object]:
        """Return what is said of all entries together, for machines."""
        worst = self.worst
        fields = [name for name in Entry.__dataclass_fields__ if name != "part" or worst.part]
        return {
            "format": 1,
            "quantity": self.of,
            "type": self.format,
            "shape": list(self.shape),
            "correctly_rounded": self.correctly_rounded,
            "is_correctly_rounded": self.is_correctly_rounded,
            "worst": {name: getattr(worst, name) for name in fields},
            "histogram": [
                {"above": edge_text(one.above), "up_to": edge_text(one.up_to), "count": one.count}
                for one in self.histogram
            ],
        }

    @abstractmethod
    def as_json(self) -> dict[str, object]:
        """Return everything for machines; floats are their shortest decimals."""

    def to_json(self) -> str:
        """Return the comparison as JSON text."""
        return json_text(self.as_json())

    def to_svg(self) -> str:
        """Return a picture: the sizes of the errors, and where they are."""
        bars = [Bar(one.level, one.label, one.count) for one in self.histogram]
        return comparison_svg(self._head, bars, self.cells(), NO_NUMBER)

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


def edge_text(edge: Fraction | None) -> str | None:
    """Return the end of a bin as text, None where there is none.

    >>> edge_text(Fraction(1, 2)), edge_text(Fraction(2))
    ('0.5', '2')
    """
    return None if edge is None else write(*round_rational(edge, _PLACE), _PLACE).removesuffix(".0")
