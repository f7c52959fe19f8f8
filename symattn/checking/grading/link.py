"""A judged link, the entries that rest on a mistaken one, and the input to the search for a cause."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TypeAlias

from symattn.checking.evaluation.operands import Mismatch
from symattn.checking.expressions.numerals import Figure
from symattn.checking.graph.expansion import expected_at, leaves
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import Target
from symattn.checking.report import Finding, Verdict
from symattn.exact.field.quotient import Quotient
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

StatedValue: TypeAlias = tuple[Cell, Figure, bool]
"""An entry, the number written for it, and whether it holds."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Input to the search for the cause of a mistake.

    Attributes:
        side: what was written.
        cell: the entry that is wrong, None for a shape or a formula.
        written: the number at its place, where it is one.
        before: the side before it, where it is written arithmetic.
        mismatches: operands that do not fit.
        worth: what the side comes to, where it is working.
    """

    side: t.Node
    cell: Cell | None
    written: Figure | None
    before: t.Node | None
    mismatches: tuple[Mismatch, ...] = ()
    worth: Quotient | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A finding with the data that later stages need.

    Attributes:
        finding: what is reported.
        target: what it is about.
        stated: the entries whose value it states, each with the number and whether it holds.
        method: the entries whose working it shows, each with whether it is the right operation on the
            person's own numbers.
        formula: the entries whose definition it states in names, which shows the method once a value is there.
        verdicts: the word for each entry whose value it states.
        taken: entries that are named nowhere in it, each with the number that stands for it in the working.
        broken: the entries whose working has a mistake of its own, each with whether the operation is the right
            one but for that.
        slips: the entries whose value follows from a mistake in the same chain, and from no earlier one.
        hidden: the entries that it says are minus infinity, each with whether they are.
    """

    finding: Finding
    target: Target | None
    stated: tuple[StatedValue, ...] = ()
    method: tuple[tuple[Cell, bool], ...] = ()
    verdicts: tuple[tuple[Cell, Verdict], ...] = ()
    formula: tuple[tuple[Cell, bool], ...] = ()
    taken: tuple[StatedValue, ...] = ()
    broken: tuple[tuple[Cell, bool], ...] = ()
    slips: tuple[Cell, ...] = ()
    hidden: tuple[tuple[Cell, bool], ...] = ()

    @property
    def mistaken(self) -> set[Cell]:
        """The entries about which it is wrong: all of its target where a mistake is in no single one."""
        if self.finding.verdict != "wrong":
            return set()
        found = {cell for cell, word in self.verdicts if word == "wrong"} | {cell for cell, _ in self.broken}
        found |= {cell for cell, good in (*self.method, *self.formula, *self.hidden) if not good}
        found |= {cell for cell, _, good in self.taken if not good}
        if found or self.target is None:
            return found
        return {*self.target.entries}


def changed(finding: Finding, **changes: object) -> Finding:
    """Return a finding with some of its fields replaced."""
    return replace(finding, **changes)  # type: ignore[arg-type]  # callers name fields; a wrong name raises


class Consequences:
    """Cached operands of each entry of a graph.

    Args:
        graph: the quantities.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._operands: dict[Cell, tuple[Cell, ...]] = {}

    def rests_on(self, cell: Cell, others: Collection[Cell]) -> bool:
        """Return whether an entry is one of some others or computed from one, directly or not."""
        waiting, seen = [cell] if others else [], {cell}
        while waiting:
            at = waiting.pop()
            if at in others:
                return True
            operands = self._operands_of(at)
            waiting.extend(part for part in operands if part not in seen)
            seen.update(operands)
        return False

    def _operands_of(self, cell: Cell) -> tuple[Cell, ...]:
        if cell not in self._operands:
            expected = expected_at(self.graph, cell)
            self._operands[cell] = () if expected is None else tuple(dict.fromkeys(leaves(expected)))
        return self._operands[cell]

    def unexplained(self, link: Link, mistakes: Collection[Cell]) -> list[Cell]:
        """Return the entries that a link says to follow from an earlier mistake, and that rest on none of these."""
        following = [cell for cell, word in link.verdicts if word == "follows"]
        if not following and link.finding.verdict == "follows" and link.target is not None:
            following = link.target.entries
        return [cell for cell in following if not self.rests_on(cell, mistakes)]


def mistaken(links: Iterable[Link]) -> set[Cell]:
    """Return the entries about which some of the links are wrong."""
    return {cell for link in links for cell in link.mistaken}
