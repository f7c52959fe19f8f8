"""TRUSTED. Statements: written mathematics together with what it is about.

A statement says of its subject what its written chain says: ``Q_{31} = (-2)·0 + … = 5/2``. Its note is
one line of plain text from which, with the written chain, the statement can be had back.
"""

from __future__ import annotations

import re

from symattn.errors import InputError
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.quantities.scene import Valuation
from symattn.notation.parser import plain
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """One judged piece of written mathematics.

    Attributes:
        subject: what it is about: a name, or an expression in names.
        written: a `Relation`, or one side alone, which is then said to be the value of the subject.
        valuation: which value the numbers in it are.
        rounding: the rounding of its result, where it is not the one prescribed for the subject.
        ranges: for a statement about all ``i`` and ``j``, each index and how far it runs.
    """

    subject: t.Node
    written: t.Node
    valuation: Valuation = "carried"
    rounding: Rounding | None = None
    ranges: tuple[tuple[str, int], ...] = ()

    @property
    def sides(self) -> tuple[t.Node, ...]:
        """The sides of the chain, in order."""
        if isinstance(self.written, t.Relation):
            return tuple(side for side in self.written.sides if side is not None)
        return (self.written,)

    @property
    def written_sides(self) -> tuple[t.Node | None, ...]:
        """The sides as they stand, None for one that was not written."""
        return self.written.sides if isinstance(self.written, t.Relation) else (self.written,)

    @property
    def operators(self) -> tuple[str, ...]:
        """The relations between the sides."""
        return self.written.operators if isinstance(self.written, t.Relation) else ()

    @property
    def note(self) -> str:
        """The subject and how it is meant, in one line of plain text."""
        words = [write_plain(self.subject)]
        if self.valuation != "carried":
            words.append(self.valuation)
        if self.rounding is not None:
            words.append(_rounding_words(self.rounding))
        words.extend(f"{name} = 1..{limit}" for name, limit in self.ranges)
        return " | ".join(words)


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault of a statement: the offending side, counted from 0, its place in the source, and the reason."""

    side: int
    span: t.Span | None
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Result of judging a statement: proved if no fault was found.

    >>> Judgement(Statement(t.Name("Q"), t.Name("Q")), ()).proved
    True
    """

    statement: Statement
    faults: tuple[Fault, ...]

    @property
    def proved(self) -> bool:
        """True if every side and every relation was proved."""
        return not self.faults


def _rounding_words(rounding: Rounding) -> str:
    if rounding.places is not None:
        return f"{rounding.places} places {rounding.ties}"
    return f"{rounding.figures} figures {rounding.ties}"


# start-up: patterns of what few runs read are compiled when it is read.
_ROUNDING = r"([0-9]{1,5}) (places|figures) ([a-z-]+)"
_RANGE = r"([a-z]) = 1\.\.([0-9]{1,5})"


def from_note(note: str, written: t.Node) -> Statement:
    """Return the statement with this note and this written chain.

    Raises:
        InputError: the note is not one that `Statement.note` writes.

    >>> from_note("A_13 | end | 4 places half-up", t.Number("0.9985")).rounding
    Rounding(places=4, figures=None, ties='half-up')
    """
    subject, *words = note.split(" | ")
    valuation: Valuation = "carried"
    rounding: Rounding | None = None
    ranges: list[tuple[str, int]] = []
    for word in words:
        if word == "end":
            valuation = "end"
        elif word == "exact":
            valuation = "exact"
        elif found := re.fullmatch(_ROUNDING, word):
            count = int(found[1])
            is_places = found[2] == "places"
            rounding = Rounding(places=count, ties=found[3]) if is_places else Rounding(figures=count, ties=found[3])
        elif found := re.fullmatch(_RANGE, word):
            ranges.append((found[1], int(found[2])))
        else:
            raise InputError(f"The note {note!r} cannot be read at {word!r}: it was changed by hand.")
    return Statement(plain.read_plain(subject), written, valuation, rounding, tuple(ranges))
