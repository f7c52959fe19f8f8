"""The parts of a problem: what each asks, and what the sheet says about it."""

from __future__ import annotations

from fractions import Fraction

from symattn.records import dataclass

ASKS = (
    "projections",
    "scores",
    "map",
    "outputs",
    "diagram",
    "pattern",
    "shapes",
    "entry",
    "row",
    "prose",
)
"""What a part can ask, besides ``prove:NAME``."""

PROVE = "prove:"


@dataclass(frozen=True)
class Part:
    """One part of a problem.

    `asks` holds words of `ASKS` and ``prove:NAME``; `tokens` restricts the part to some queries, counted
    from 1 (none named: all of them). `text` is the question, `answer` the instructor's answer to a
    question in prose.

    >>> Part(asks=("scores",), tokens=(3,), points=Fraction(6)).covers(1)
    False
    """

    asks: tuple[str, ...]
    tokens: tuple[int, ...] = ()
    points: Fraction | None = None
    title: str = ""
    text: str = ""
    answer: str = ""

    def covers(self, token: int) -> bool:
        """Whether the part is about a query, counted from 1.

        >>> Part(asks=("map",)).covers(7)
        True
        """
        return not self.tokens or token in self.tokens

    @property
    def theorems(self) -> tuple[str, ...]:
        """The names of the theorems that the part wants proved.

        >>> Part(asks=("shapes", "prove:row-column")).theorems
        ('row-column',)
        """
        return tuple(item.removeprefix(PROVE) for item in self.asks if item.startswith(PROVE))
