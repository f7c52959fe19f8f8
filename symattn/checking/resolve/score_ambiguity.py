"""Score ambiguity: ``scores`` for plain, scaled or masked scores, even for weights.

A formula beside the word says which; of a word that the work has not said anything of, any of them may be meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from symattn.checking.expressions.expression_kinds import has_list, has_numbers, power_of_e
from symattn.checking.expressions.numerals import bare
from symattn.checking.grading.context import Desk
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.lexicon import HABITS, key_of, spelt
from symattn.checking.resolve.disambiguation import Likely, is_line
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt

_SCORES = ("S_scaled", "S_biased", "S_masked", "S")
_MAXIMA = frozenset(key_of(word).lower() for word in HABITS["m"])
_SOFTMAX = frozenset({"softmax", "softargmax"})


class LooseScores:
    """Disambiguation of the word scores.

    Args:
        desk: for names and numbers.
        likely: for what numbers fit.
    """

    def __init__(self, desk: Desk, likely: Likely) -> None:
        self.desk = desk
        self.likely = likely
        self.said: dict[str, str] = {}

    def heard(self, written: Written, target: Target | None, *, holds: bool) -> None:
        """Record the meaning of a name, where it holds."""
        first = written.sides[0]
        text = None if first is None or first.node is None else spelt(first.node)
        if text is None or len(written.sides) < 2:
            return
        key = key_of(text)
        if any(side is not None and side.node is None for side in written.sides):
            # It is another thing from here on, and nobody knows which.
            self.said.pop(key, None)
            if len(key) > 1:
                for known in (self.desk.binder.called, self.desk.binder.rebound):
                    known.pop(key, None)
                    known.pop(key.lower(), None)
        elif holds and target is not None and target.cells == whole(self.desk.graph, target.name).cells:
            self.said[key] = target.name

    def weights(self, nodes: list[t.Node]) -> Target | None:
        """Return the weights, where ``attention scores = softmax(…)`` names them and the numbers are not the scores."""
        first = nodes[0] if len(nodes) > 1 else None
        named = self.desk.binder.resolve(first) if isinstance(first, t.Name) and len(first.text) > 1 else None
        if first is None or named is None or base_of(named.name) not in _SCORES or self._is_own(first):
            return None
        if not isinstance(bare(nodes[1]), t.Call) or not self._is_softmax(nodes[1]):
            return None
        found = self.desk.formulas.subject(nodes[1])
        if found is None or found != whole(self.desk.graph, found.name) or base_of(found.name) != "A":
            return None
        stated = [node for node in nodes[1:] if has_numbers(node)]
        return None if any(self.likely.fits(node, named) for node in stated) else found

    def shifted(self, nodes: list[t.Node]) -> Target | None:
        """Return the target of ``s - max(s) = …`` and ``exp(s - max(s)) = …``, where a list of numbers follows."""
        graph = self.desk.graph
        stated = [node for node in nodes[1:] if has_list(node)]
        if not stated:
            return None
        exponent = power_of_e(nodes[0])
        inner = bare(nodes[0] if exponent is None else exponent)
        name = "shifted" if exponent is None else "E"
        if name not in graph or not self._is_difference(inner):
            return None
        found = whole(graph, name, guess=True)
        shapes = [self.desk.shape(node) for node in stated]
        is_laid = any(found.in_shape(shape) is not None or (is_line(shape) and not found.is_vector) for shape in shapes)
        return found if is_laid else None

    def _is_difference(self, node: t.Node) -> bool:
        """Return whether a node is ``s - max(s)``, ``s - m`` or ``scores - max``."""
        if not isinstance(node, t.Sum) or node.operators != ("-",):
            return False
        first, second = (bare(term) for term in node.terms)
        score = self.desk.binder.resolve(first)
        if (
            score is None
            or base_of(score.name) not in _SCORES
            or score.cells != whole(self.desk.graph, score.name).cells
        ):
            return False
        if isinstance(second, t.Call):
            return second.function.text == "max"
        text = key_of(spelt(second) or "").lower()
        return text in _MAXIMA

    def _is_own(self, name: t.Node) -> bool:
        key = key_of(spelt(name) or "")
        binder = self.desk.binder
        return key in binder.declared or key in binder.called or key in binder.rebound

    def _is_softmax(self, node: t.Node) -> bool:
        inner = bare(node)
        return isinstance(inner, t.Call) and inner.function.text.lower() in _SOFTMAX

    def otherwise(self, node: t.Node) -> list[t.Node]:
        """Return a formula with other scores for a word: those of the work, else any: ``softmax(scores)``."""
        words = set(self._words(node))
        if len(words) != 1:
            return []
        word = words.pop()
        meant = self.desk.binder.by_habit.get(word, []) or self.desk.binder.by_habit.get(word.lower(), [])
        names = [self.said[word]] if word in self.said else [name for name in _SCORES if name in meant]

        def put(item: t.Node, name: str) -> t.Node:
            if isinstance(item, t.Name | t.Subscript) and key_of(spelt(item) or "") == word:
                return t.Name(name, span=item.span)
            return rebuilt(item, lambda part: put(part, name))

        return [put(node, name) for name in names if name in self.desk.graph]

    def _words(self, node: t.Node) -> Iterator[str]:
        """Yield the words of a formula that are said of scores."""
        if isinstance(node, t.Name | t.Subscript):
            found = self.desk.binder.resolve(node)
            key = key_of(spelt(node) or "")
            is_loose = found is not None and found.name in _SCORES and key not in self.desk.binder.own
            if is_loose and len(key) > 1 and not self._is_own(node):
                yield key
            return
        for child in t.children(node):
            yield from self._words(child)
