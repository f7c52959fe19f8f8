"""One key of a problem file, as the reader and the JSON schema describe it."""

from __future__ import annotations

from symattn.problem.settings.policy import MAX_DIGITS
from symattn.records import dataclass

QUANTITY = "[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*"
"""The name of a quantity."""


@dataclass(frozen=True, slots=True)
class Field:
    """One key: its name, the kind of its value, and what it is for.

    Kinds: ``line`` and ``prose`` (text), ``choice`` (a word of `words`), ``words`` (one or a list of
    them), ``switch``, ``count`` (a whole number from `least` to `most`), ``counts`` (a list of them),
    ``indices`` (a list of whole numbers that are counted from 1; how far, the problem tells),
    ``number`` (exact, in any spelling, from `least`, or above it where the range `is_open`),
    ``expression`` (a number or a polynomial),
    ``settings`` (a table of numbers and texts),
    ``matrix``, ``sequences`` (a matrix or a list of them), ``vector`` (a list of entries or a matrix),
    ``grid`` (a matrix or lists of them, to the depth that heads and sequences need), ``lengths`` (a count or
    one for each sequence), ``slopes`` (a number or one for each head), ``relative`` (a table of numbers by
    distance, or one for each head), ``angles`` (a list of numbers and multiples of pi), ``mask`` (a word or a
    table), ``heads`` (a count or a list of tables), ``table`` (of `fields`), ``tables`` (a list of such),
    ``symbols``, ``matrices`` (those of `fields`, and with definitions any others), ``names``, ``formulas``,
    ``bounds``, ``choices`` (a table of lists of numbers, for matrices, rows or entries), ``interval`` (two numbers),
    ``open`` (a table of any names, left to the reader).
    """

    name: str
    kind: str
    about: str
    words: tuple[str, ...] = ()
    pattern: str = ""
    fields: tuple[Field, ...] = ()
    least: int = 0
    most: int = MAX_DIGITS
    default: str | int | bool | None = None
    required: bool = False
    is_open: bool = False
