"""Lines of text with interleaved rows of several matrices, and their order of reading."""

from __future__ import annotations

from symattn.notation import tree as t
from symattn.notation.macros import Expansion
from symattn.records import dataclass

MOST_ROWS = 40
"""Lines that one group of matrices takes at most."""


@dataclass(frozen=True, slots=True)
class Tangle:
    """Lines that hold matrices side by side.

    Attributes:
        span: all of them.
        parts: pieces of the text, and marks that are put in, in the order in which they are to be read.
    """

    span: t.Span
    parts: tuple[t.Span | tuple[str, t.Span], ...]

    def made(self, text: str) -> Expansion:
        """Return the lines with each matrix in one piece."""
        made = Expansion(text)
        made.arrange(list(self.parts))
        return made


def column_of(text: str, place: int) -> int:
    """Return the column of an offset; signs of East Asia are two columns wide.

    >>> column_of("得 |", 2)
    3
    """
    low = text.rfind("\n", 0, place) + 1
    return sum(2 if sign >= "\u2e80" else 1 for sign in text[low:place])
