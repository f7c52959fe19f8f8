"""Chains of names, ``k_1 = k_2 = [1, 0]``, in which each name gets the values that the chain states."""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.context import GradingContext
from symattn.checking.expressions.expression_kinds import is_formula
from symattn.checking.expressions.numerals import bare
from symattn.checking.grading.link import Link, changed
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.targets import Target, canonical
from symattn.checking.link_judges.entries import Entries
from symattn.checking.link_judges.entry import Said
from symattn.checking.report import HOLDS, Checks, Finding, Verdict
from symattn.errors import ShapeError
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t


class Aliases:
    """Judge of the further names of a chain, each of which gets a finding and the values of the chain."""

    def __init__(self, context: GradingContext, entries: Entries) -> None:
        self.context = context
        self.entries = entries

    def found(self, written: Written, target: Target | None) -> dict[int, Target]:
        """Return each name that surely means another part of the same shape, by the position of its side."""
        if target is None:
            return {}
        others: dict[int, Target] = {}
        for position, side in enumerate(written.sides):
            node = None if side is None else side.node
            if node is None or not position or written.operators[position - 1] not in {"=", "≈", "≡"}:
                continue
            named = self.context.binder.resolve(bare(node))
            # ``a_21 = a_22``: what one letter means by habit, it means twice
            is_sure = named is not None and (named.name == target.name or not (named.guess or target.guess))
            laid = named.in_shape(target.shape) if named is not None and is_sure else None
            if laid is not None and (laid.name, laid.cells) != (target.name, target.cells):
                others[position] = laid
        return others

    def link(self, link: Link, alias: Target, target: Target, written: Written) -> Link:
        """Return the finding on a name: that of the number behind it, else by the equality of the two values.

        Args:
            link: the finding so far, which asks whether the two are the same for all inputs.
            alias: what the name means.
            target: what the chain is about.
            written: the chain.
        """
        finding = changed(link.finding, name=canonical(alias, self.context.graph))
        exact = [self.context.numbers.exact(cell) for cell in alias.entries]
        is_same = None not in exact and self.context.has_value(
            target, (tuple(item for item in exact if item is not None),)
        )
        if is_same:
            holds = changed(finding, verdict="right", explanation="", diagnosis=None, culprit=None,
                            checks=Checks(operands=True))  # fmt: skip
            return Link(holds, target, formula=link.formula, verdicts=self._known(alias, target))
        said = [self._judged(finding, Said(node, None, "="), alias) for node in _numbers(written)]
        own = [self._judged(finding, Said(node, None, "="), target) for node in _numbers(written)]
        words = {item.finding.verdict for item in (*said, *own) if item is not None}
        if words and words <= {*HOLDS, "follows", "truncated", "coarse"}:
            word: Verdict = "follows" if "follows" in words else "rounded"
            why = f"{finding.name} is not the same; both are so from what was found before." * (word == "follows")
            return Link(changed(finding, verdict=word, explanation=why, diagnosis=None, culprit=None), target)
        return replace(link, finding=finding)

    def also(self, link: Link, said: Said, target: Target, aliases: list[Target]) -> Link:
        """Return a link with its values and working for the other names too."""
        for alias in aliases:
            moved = dict(zip(target.entries, alias.entries, strict=True))
            judged = None if is_formula(said.node) else self._judged(link.finding, said, alias)
            if judged is not None:
                link = replace(link, stated=link.stated + judged.stated, verdicts=link.verdicts + judged.verdicts)
            shared = tuple((moved[cell], good) for cell, good in link.method if cell in moved)
            shown = tuple((moved[cell], good) for cell, good in link.formula if cell in moved)
            link = replace(link, method=link.method + shared, formula=link.formula + shown)
        return link

    def _judged(self, base: Finding, said: Said, alias: Target) -> Link | None:
        laid = next((item for item in (alias, alias.transposed) if item.shape == self.context.shape(said.node)), None)
        if laid is None or (laid.shape != alias.shape and not alias.is_vector):
            return None
        try:
            return self.entries.link(base, said, laid)
        except ShapeError:
            return None

    def _known(self, alias: Target, target: Target) -> tuple[tuple[Cell, Verdict], ...]:
        """Return the values stated before for one of two equal parts, ``k_3 = k_1``, as values of the other."""
        prints = self.context.numbers.prints
        found: list[tuple[Cell, Verdict]] = []
        for one, other in zip(alias.entries, target.entries, strict=True):
            for known, new in ((one, other), (other, one)):
                if new not in prints and known in prints and prints[known][-1].holds:
                    found.append((new, "right"))
        return tuple(found)


def _numbers(written: Written) -> list[t.Node]:
    nodes = [side.node for side in written.sides if side is not None and side.node is not None]
    return [node for node in nodes if not is_formula(node)]
