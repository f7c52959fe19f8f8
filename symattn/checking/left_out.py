"""Scores and weights of the new keys alone, or of the cached ones alone: what follows from leaving the others out.

Keys without a score are as good as hidden: the work goes on as if their scores were minus infinity, and their
weights 0.
"""

from __future__ import annotations

from symattn.attention.layer import base_of
from symattn.checking.desk import Desk
from symattn.checking.entries import Entries, Said
from symattn.checking.figures import Figure, figure
from symattn.checking.habits import bracketed
from symattn.checking.link import Link, changed
from symattn.checking.report import HOLDS, Diagnosis, Finding
from symattn.checking.slips_of_positions import left_out
from symattn.checking.targets import Target
from symattn.errors import ShapeError
from symattn.exact.quotient import Quotient
from symattn.exact.special import MINUS_INFINITY
from symattn.notation import tree as t

_ABSENT = {
    **dict.fromkeys(("S", "S_scaled", "S_biased", "S_masked"), MINUS_INFINITY),
    **dict.fromkeys(("E", "A"), Quotient.of(0)),
}
"""What stands for a key that is left out."""

_FOLLOWS = "It follows from the keys that were left out before."


class LeftOut:
    """Judges matrices in which keys of a cache, or the new ones, are missing.

    Args:
        desk: what is known of the work.
        entries: judges their numbers.
    """

    def __init__(self, desk: Desk, entries: Entries) -> None:
        self.desk = desk
        self.entries = entries
        self.told: set[str] = set()

    def is_list(self, node: t.Node, target: Target) -> bool:
        """Whether ``[3]`` is all that there is of a matrix whose other keys were left out, and no single number."""
        is_listed = bool(bracketed(node)) or isinstance(node, t.Matrix)
        return is_listed and self.diagnosis(self.desk.shape(node), target) is not None

    def diagnosis(self, shape: tuple[int, int] | None, target: Target) -> Diagnosis | None:
        """Which keys are left out of a matrix of this shape; None where none are."""
        found = None if shape is None else left_out(self.desk.binder.problem, shape, target.shape)
        return None if found is None else Diagnosis(*found)

    def link(self, base: Finding, said: Said, target: Target) -> Link | None:
        """The finding on a matrix that follows from keys that were left out before it; None where it does not.

        The numbers of the first one are taken note of.
        """
        shape = self.desk.shape(said.node)
        found = self.diagnosis(shape, target)
        if found is None or shape is None or base_of(target.name) not in _ABSENT:
            return None
        kept = self._kept(target, shape, found.code)
        is_told = found.code in self.told
        link = self._judged(base, said, kept) if is_told and kept is not None else None
        if kept is not None and not target.guess:
            self.told.add(found.code)
            self._note(said.node, kept, target)
        if link is None or link.finding.verdict not in {*HOLDS, "follows", "coarse"}:
            return None
        finding = changed(link.finding, verdict="follows", explanation=_FOLLOWS, diagnosis=None)
        return Link(finding, target)

    def _kept(self, target: Target, shape: tuple[int, int], code: str) -> Target | None:
        """The part of a matrix that is of the keys that are not left out."""
        cached = self.desk.binder.problem.cached
        axis = 1 if target.shape[0] == shape[0] else 0
        lines = target.cells if axis == 0 else target.transposed.cells
        lines = lines[cached:] if code == "cache-forgotten" else lines[:cached]
        part = Target(target.name, lines)
        part = part if axis == 0 else part.transposed
        return part if part.shape == shape else None

    def _judged(self, base: Finding, said: Said, kept: Target) -> Link | None:
        try:
            return self.entries.link(base, Said(said.node, None, "="), kept)
        except ShapeError:
            return None

    def _note(self, node: t.Node, kept: Target, target: Target) -> None:
        """Takes note of the numbers, and of what stands for the keys that were left out."""
        numbers: dict[tuple[int, int], Figure] = {}
        for a, row in enumerate(kept.cells):
            for b, place in enumerate(row):
                number = figure(self.desk.layout.entry(node, a, b))
                if number is None:
                    return
                numbers[place] = number
        for place in target.flat():
            found = numbers.get(place)
            value = _ABSENT[base_of(target.name)] if found is None else Quotient.of(found.value)
            cell = (target.name, *place)
            holds = found is not None and self.desk.numbers.fits(found, cell)
            self.desk.numbers.note(cell, value, found, holds=holds)
