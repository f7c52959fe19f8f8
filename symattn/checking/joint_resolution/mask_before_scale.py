"""Scores that are masked before they are scaled: harmless where the scale comes later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.values import value_in
from symattn.checking.expressions.expression_kinds import has_list
from symattn.checking.expressions.numerals import FITS, figure, is_minus_infinity
from symattn.checking.grading.link import Link, changed, mistaken
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.large_negative_masks import is_far_below
from symattn.checking.graph.targets import Target
from symattn.checking.names.keywords import says_unscaled
from symattn.checking.names.lexicon import key_of, spelt
from symattn.checking.report import Checks, Finding
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk

_WORDS = "Masked before it is scaled."
_AFTER = frozenset({"A", "E", "S_masked"})


class MaskBeforeScale:
    """Record of masked scores that are not scaled yet.

    Args:
        context: for names and numbers.
        said: what names were said to be before.
    """

    def __init__(self, context: GradingContext, said: Mapping[str, str]) -> None:
        self.context = context
        self.said = said
        self.maybe: set[tuple[int, int]] = set()
        self.names: dict[str, str] = {}
        self.by_formula: set[int] = set()

    def renamed(self, written: Written) -> Written:
        """Return the chain with the masked scores for such scores once they are scaled: ``masked/√2``."""
        if "S_masked" not in {name.partition("^")[0] for name in self.context.graph.nodes}:
            return written
        return self._filled(written).with_nodes(self._put)

    def _filled(self, written: Written) -> Written:
        """Record that the name of ``masked = scores + M``, of unscaled scores, means such scores from here on."""
        first, *rest = written.sides
        second = rest[0] if rest else None
        formula = None if first is None or first.node is None else self._of_filled(first.node)
        if first is not None and formula is not None and second is not None and has_list(second.node or t.Dots()):
            self.by_formula.add(second.span[0])
            return replace(written, sides=(replace(first, node=t.Name(formula, span=first.span)), *rest))
        if first is None or second is None or not isinstance(first.node, t.Name | t.Subscript) or second.node is None:
            return written
        name = self._of_filled(second.node)
        if name is None:
            return written
        self.names[_key(first.node)] = name
        substitute = [replace(side, node=t.Name(name, span=side.span)) for side in (first, second)]
        return replace(written, sides=(*substitute, *rest[1:]))

    def _of_filled(self, node: t.Node) -> str | None:
        """Return the masked scores that unscaled scores and a mask make."""
        if not isinstance(node, t.Sum) or node.operators != ("+",):
            return None
        found = [self.context.binder.resolve(term) for term in node.terms]
        bases = [None if target is None else base_of(target.name) for target in found]
        if bases not in (["S", "M"], ["M", "S"]):
            return None
        whole_ones = [target for target in found if target is not None and base_of(target.name) == "S"]
        name = f"S_masked{whole_ones[0].name[1:]}"
        is_whole = name in self.context.graph and whole_ones[0].shape == self.context.graph.shape(name)
        return name if is_whole and "S_scaled" in {base_of(other) for other in self.context.graph.nodes} else None

    def _put(self, node: t.Node) -> t.Node:
        if isinstance(node, t.Division | t.Product):
            found = {key: name for item in walk(node) if (name := self._meant(item)) and (key := _key(item))}
        else:
            found = {}
        if len(found) == 1:
            name = next(iter(found.values()))
            # A hidden entry is undefined, so that the factor is looked at without it.
            factor = rebuilt(node, lambda part: t.Number("1") if _key(part) in found else part)
            value = value_in(factor, self.context.binder, self.context.numbers.base)
            scale = self.context.numbers.exact(("c", 0, 0)) if "c" in self.context.graph else None
            if value is not None and value == scale:
                return t.Name(name, span=node.span)
        return rebuilt(node, self._put)

    def _meant(self, node: t.Node) -> str | None:
        """Return the masked scores that a word means which was said of them before they were scaled, or not at all."""
        key = _key(node)
        if key in self.names or len(key) < 2 or key in self.said or key in self.context.binder.names.own:
            return self.names.get(key)
        found = self.context.binder.resolve(node)
        return found.name if found is not None and base_of(found.name) == "S_masked" else None

    def link(self, base: Finding, node: t.Node, previous: t.Node | None, target: Target, words: str) -> Link | None:
        """Return the finding on unscaled masked scores where words say so; None for anything else."""
        if not self._is_unscaled(node, target):
            return None
        if isinstance(previous, t.Name | t.Subscript):
            self.names[_key(previous)] = target.name
        is_said = says_unscaled(words) or (node.span or (-1, -1))[0] in self.by_formula
        if not is_said:
            self.maybe.add((base.place.start, base.place.end))
            return None
        return _right(base)

    def settled(self, links: list[Link]) -> list[Link]:
        """Accept such scores where their successors in the work are scaled, and nothing depends on their size."""
        if not self.maybe:
            return links
        consequences = self.context.numbers.consequences
        sure = mistaken(link for link in links if not self._is_open(link))
        after, later = False, list[Cell]()
        found: list[Link] = []
        for link in reversed(links):
            is_cause = any(consequences.rests_on(cell, link.mistaken) for cell in later)
            found.append(_right(link.finding) if self._is_open(link) and after and not is_cause else link)
            after = after or any(
                base_of(cell[0]) in _AFTER and holds and number.places for cell, number, holds in link.stated
            )
            later.extend(consequences.unexplained(link, sure))
        return found[::-1]

    def _is_open(self, link: Link) -> bool:
        """Return whether a link is wrong unless the scores in it are scaled later."""
        return (link.finding.place.start, link.finding.place.end) in self.maybe and link.finding.verdict == "wrong"

    def _is_unscaled(self, node: t.Node, target: Target) -> bool:
        """Return whether a side is the masked, unscaled scores, and not the scaled ones."""
        own, caret, number = target.name.partition("^")
        plain = f"S{caret}{number}"
        if own != "S_masked" or plain not in self.context.graph or self.context.shape(node) != target.shape:
            return False
        is_other = False
        exact = self.context.numbers.exact
        for a, row in enumerate(target.cells):
            for b, place in enumerate(row):
                part = self.context.entry(node, a, b)
                if part is None:
                    return False
                value, masked = exact((plain, *place)), exact((target.name, *place))
                if masked is MINUS_INFINITY:
                    if not self._is_hidden(part):
                        return False
                    continue
                written = figure(part)
                if written is None or value is None or self.context.numbers.close(written, value) not in FITS:
                    return False
                is_other = is_other or value != masked
        return is_other

    def _is_hidden(self, part: t.Node) -> bool:
        value = None if is_minus_infinity(part) else value_in(part, self.context.binder, self.context.numbers.base)
        return is_minus_infinity(part) or (value is not None and is_far_below(value))


def _key(node: t.Node) -> str:
    return key_of(spelt(node) or "") if isinstance(node, t.Name | t.Subscript) else ""


def _right(finding: Finding) -> Link:
    right = changed(
        finding, verdict="right", explanation=_WORDS, checks=Checks(value=True), diagnosis=None, culprit=None,
        entries=None, value=None,
    )  # fmt: skip
    return Link(right, None)
