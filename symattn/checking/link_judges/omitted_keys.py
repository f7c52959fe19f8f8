"""Omitted keys: keys, scores and weights of the new tokens alone, or of the cached ones alone.

Keys without a score are as good as hidden: the work goes on as if their scores were minus infinity, and their
weights 0.
"""

from __future__ import annotations

from symattn.checking.context import GradingContext
from symattn.checking.expressions.numerals import Figure, figure
from symattn.checking.grading.link import Link, changed
from symattn.checking.graph.targets import Place, Target, whole
from symattn.checking.link_judges.entries import Entries
from symattn.checking.link_judges.entry import Said
from symattn.checking.mistake_catalogue import explain
from symattn.checking.mistakes.positions import left_out
from symattn.checking.names.lexicon import SCORES, bracketed
from symattn.checking.report import HOLDS, Diagnosis, Finding
from symattn.checking.subjects.disambiguation import Disambiguation
from symattn.errors import ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of
from symattn.notation.lexicon.reader import said as said_in
from symattn.notation.tree import nodes as t

_ABSENT = {
    **dict.fromkeys(SCORES, MINUS_INFINITY),
    **dict.fromkeys(("E", "A"), Quotient.of(0)),
}
"""Stand-in for an omitted key."""

_FOLLOWS = "It follows from the keys that were left out before."


class OmittedKeys:
    """Judge of matrices in which keys of a cache, or the new ones, are missing.

    Args:
        context: what is known of the work.
        entries: judges their numbers.
        disambiguation: for what numbers fit.
    """

    def __init__(self, context: GradingContext, entries: Entries, disambiguation: Disambiguation) -> None:
        self.context = context
        self.entries = entries
        self.disambiguation = disambiguation
        self.told: set[str] = set()
        self.dropped: tuple[int, ...] = ()

    def some(self, node: t.Node, target: Target, words: str) -> Target | None:
        """Return the cached or the new keys for ``K = …``, where that is meant: ``in cache: K = …``, ``K = X W_K``.

        Cached keys are those that words beside them call so, before any other ones are written. New keys have the
        shape; once they were written, other numbers are not the new keys, but all keys without the cached ones.
        """
        parts = [f"{target.name}_{part}" for part in ("cache", "new")]
        if target.name not in {"K", "V"} or any(part not in self.context.graph for part in parts):
            return None
        shape = self.context.shape(node)
        cached, new = (whole(self.context.graph, part).in_shape(shape) for part in parts)
        is_said = any(item.name in {"cached", parts[0]} for item in said_in(words))
        is_begun = any(map(self._is_written, (target.name, parts[1])))
        if cached is not None and is_said and not is_begun and self.disambiguation.fits(node, cached):
            return cached
        is_other = new is not None and self._is_written(parts[1]) and not self.disambiguation.fits(node, new)
        return None if is_other else new

    def _is_written(self, name: str) -> bool:
        return any(cell in self.context.numbers.prints for cell in self.context.graph.cells(name))

    def is_list(self, node: t.Node, target: Target) -> bool:
        """Return whether ``[3]`` is a matrix whose other keys are omitted, and not a single number."""
        is_listed = bool(bracketed(node)) or isinstance(node, t.Matrix)
        return is_listed and self.diagnosis(node, target) is not None

    def diagnosis(self, node: t.Node, target: Target) -> Diagnosis | None:
        """Return the diagnosis of the keys that are omitted from a matrix; None where none are."""
        shape = self.context.shape(node)
        dropped = self._dropped(node, target)
        if shape is None or not dropped:
            found = None if shape is None else left_out(self.context.binder.problem, shape, target.shape)
            return None if found is None else Diagnosis(*found)
        problem = self.context.binder.problem
        cached, new = set(range(problem.cached)), set(range(problem.cached, problem.n_k))
        if set(dropped) == new:
            return Diagnosis(*explain("new-key-missing"))
        if set(dropped) == cached:
            return Diagnosis(*explain("cache-forgotten"))
        keys = " and ".join(str(key + 1) for key in dropped)
        return Diagnosis(*explain("cache-forgotten", "keys", keys=keys, count=problem.n_k))

    def _dropped(self, node: t.Node, target: Target) -> tuple[int, ...]:
        """Return the keys that a too small matrix lacks, by the numbers that it has; nothing if that fails."""
        lines = self._lines(node, target)
        if lines is None:
            return ()
        written, wanted = lines
        found: list[int] = []
        for k, line in enumerate(wanted):
            at = k - len(found)
            if at >= len(written) or not self._fits(written[at], target.name, line):
                found.append(k)
        if len(found) == len(wanted) - len(written):
            return tuple(found)
        is_as_before = len(self.dropped) == len(wanted) - len(written)
        return self.dropped if is_as_before else ()

    def _lines(self, node: t.Node, target: Target) -> tuple[list[list[Figure | None]], list[list[Place]]] | None:
        """Return the written numbers by keys, and the places of the wanted keys; None where no keys are omitted."""
        shape, count = self.context.shape(node), self.context.binder.problem.n_k
        if shape is None or shape == target.shape or count not in target.shape:
            return None
        axis = next((axis for axis in (0, 1) if shape[1 - axis] == target.shape[1 - axis]), None)
        if axis is None or not shape[axis] < target.shape[axis] == count:
            return None
        numbers = [[self._number(node, a, b) for b in range(shape[1])] for a in range(shape[0])]
        if axis == 0:
            return numbers, [list(line) for line in target.cells]
        turned = [list(column) for column in zip(*numbers, strict=True)]
        return turned, [list(line) for line in target.transposed.cells]

    def _number(self, node: t.Node, i: int, j: int) -> Figure | None:
        part = self.context.entry(node, i, j)
        return None if part is None else figure(part)

    def _fits(self, numbers: list[Figure | None], name: str, places: list[Place]) -> bool:
        fits = self.context.numbers.fits
        pairs = zip(numbers, places, strict=True)
        return all(number is not None and fits(number, (name, *place)) for number, place in pairs)

    def link(self, base: Finding, said: Said, target: Target) -> Link | None:
        """Return the finding on a matrix that follows from keys that were left out before it; None where it does not.

        The numbers of the first one are taken note of.
        """
        shape = self.context.shape(said.node)
        found, dropped = self.diagnosis(said.node, target), self._dropped(said.node, target)
        if found is not None and shape is not None and dropped and base_of(target.name) not in _ABSENT:
            self.dropped = dropped
            self.told.add(found.code)
        if found is None or shape is None or base_of(target.name) not in _ABSENT:
            return None
        kept = self._kept(target, shape, found.code, dropped)
        rests_on_mistake = self.context.numbers.rests_on_mistake
        is_told = found.code in self.told and any(map(rests_on_mistake, target.entries))
        link = self._judged(base, said, kept) if is_told and kept is not None else None
        if kept is not None and not target.guess:
            self.told.add(found.code)
            self._note(said.node, kept, target)
        if link is None or link.finding.verdict not in {*HOLDS, "follows", "coarse"}:
            return None
        finding = changed(link.finding, verdict="follows", explanation=_FOLLOWS, diagnosis=None)
        return Link(finding, target)

    def _kept(self, target: Target, shape: tuple[int, int], code: str, dropped: tuple[int, ...]) -> Target | None:
        """Return the part of a matrix that belongs to the remaining keys."""
        cached = self.context.binder.problem.cached
        axis = 1 if target.shape[0] == shape[0] else 0
        lines = target.cells if axis == 0 else target.transposed.cells
        if dropped:
            lines = tuple(line for k, line in enumerate(lines) if k not in dropped)
        else:
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
        """Record the numbers, and the stand-ins for the omitted keys."""
        numbers: dict[tuple[int, int], Figure] = {}
        for a, row in enumerate(kept.cells):
            for b, place in enumerate(row):
                number = self._number(node, a, b)
                if number is None:
                    return
                numbers[place] = number
        for place in target.flat():
            found = numbers.get(place)
            value = _ABSENT[base_of(target.name)] if found is None else Quotient.of(found.value)
            cell = (target.name, *place)
            holds = found is not None and self.context.numbers.fits(found, cell)
            self.context.numbers.note(cell, value, found, holds=holds)
