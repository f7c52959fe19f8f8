"""Resolution: the part of a quantity that each statement is about, with the margin to the next likeliest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import Target, canonical
from symattn.checking.joint_resolution.evidence import OF_PARTS, Candidate, Defines, Evidence, Habits
from symattn.checking.joint_resolution.items import Item
from symattn.checking.joint_resolution.values import Values
from symattn.checking.joint_resolution.weights import Weights
from symattn.graph.builders.layer import base_of
from symattn.records import dataclass

_ITEMS_BEFORE = 2
"""Items whose quantities may go on in the next one unsaid."""


@dataclass(frozen=True, slots=True)
class Binding:
    """Subject of a statement.

    Attributes:
        target: the part of a quantity; None for nothing in particular.
        margin: how far its evidence is above that of the next candidate with other values.
        rival: the next candidate with other values that the numbers fit; None for nothing in particular.
        lead: how far its evidence is above that of the rival.
        behind: how far the evidence of the subject that its names give is below.
        holds: whether the numbers fit the part.
        why: each kind of evidence with what it counts.
    """

    target: Target | None
    margin: float
    rival: Target | None
    lead: float
    behind: float
    holds: bool
    why: tuple[tuple[str, float], ...]

    def may_overrule(self, item: Item) -> bool:
        """Return whether there is enough for another subject than names, titles and what was before give.

        Numbers, and their place after others, are not: they choose neither a quantity nor the part of one that is
        named; working that comes to other numbers needs a name or words; a name needs an operation against it.
        """
        kinds = {kind for kind, weight in self.why if weight > 0}
        if self.target is None:
            return "local_word" in kinds or not item.names
        weak = WEAK | ({"heading", "parallel"} if item.shape == (1, 1) else set())
        is_part = any(kind == "part" for kind, _ in self.why)
        if kinds <= weak or kinds <= _ELSEWHERE or (is_part and not kinds & OF_PARTS):
            return False
        if "fit" not in kinds and (not kinds & _SAID or (is_part and kinds & OF_PARTS <= {"order"})):
            return False
        is_against_name = any(kind == "name" and weight < 0 for kind, weight in self.why)
        return not is_against_name or bool(kinds & {"operation", "operands", "said"})

    def doubt(self, graph: Graph) -> str:
        """Return the sentence that names the two likeliest candidates."""
        names = [canonical(target, graph) for target in (self.target, self.rival) if target is not None]
        if len(names) < 2 or names[0] == names[1]:
            return (
                f"It is not said clearly enough that this is {names[0]}." if names else "It is not said what this is."
            )
        return f"It is not said clearly enough whether this is {names[0]} or {names[1]}."


WEAK = frozenset({"fit", "order", "row", "local"})
"""Evidence that says of no numbers by itself what they are."""

_ELSEWHERE = frozenset({"fit", "order", "parallel"})
"""Evidence of numbers alone, here and in other places of the work."""

_SAID = frozenset({"said", "name", "words_before", "heading", "reader"})
"""Evidence of words and names."""


class Resolver:
    """Joint choice of what all statements of a work are about.

    Args:
        graph: the quantities.
        values: of their entries.
        weights: what each kind of evidence counts.
        defines: whether working in numbers is the definition of a part.
    """

    def __init__(self, graph: Graph, values: Values, weights: Weights, defines: Defines) -> None:
        self.graph = graph
        self.values = values
        self.weights = weights
        self.evidence = Evidence(graph, values, weights, defines)

    def bindings(self, items: Sequence[Item]) -> list[Binding]:
        """Return what each item is about: chosen once, and again with what names and words were found to mean."""
        candidates: list[list[Candidate]] = []
        for item in items:
            recent = [candidate for found in candidates[-_ITEMS_BEFORE:] for candidate in found[:2]]
            before = frozenset(candidate.target.name for candidate in recent if candidate.target is not None)
            candidates.append(self.evidence.candidates(item, before))
        orders = [
            [[self.evidence.after(before, candidate, item) for candidate in found] for before in earlier]
            for item, earlier, found in zip(items[1:], candidates, candidates[1:], strict=False)
        ]
        habits = self._habits(items, candidates, self._bindings(items, candidates, orders))
        again = [
            [self.evidence.with_habits(item, candidate, habits) for candidate in found]
            for item, found in zip(items, candidates, strict=True)
        ]
        return self._bindings(items, again, orders)

    def _habits(self, items: Sequence[Item], candidates: list[list[Candidate]], found: Sequence[Binding]) -> Habits:
        """Return what names and words mean in most of their places."""
        names: dict[str, Counter[str]] = defaultdict(Counter)
        frames: dict[str, Counter[str]] = defaultdict(Counter)
        taken: dict[str, set[str]] = defaultdict(set)
        for item, others, binding in zip(items, candidates, found, strict=True):
            is_fit = any(kind == "fit" and weight > 0 for kind, weight in binding.why)
            chosen = None if binding.target is None else base_of(binding.target.name)
            chosen = None if binding.margin < self.weights.of("margin", "bind") else chosen
            fitting = _fitting_names(item, others)
            meant = chosen if len(fitting) < 2 else None
            if len(fitting) == 1 and not all(number is None or number.is_whole for number in item.numbers):
                meant = fitting.pop()
            if chosen is not None and is_fit and item.key:
                taken[chosen].add(item.key)
            for key, kept, base in ((item.key, names, meant), (item.frame, frames, chosen)):
                if key and base is not None:
                    kept[key][base] += 1
        return Habits(
            {key: max(counted, key=counted.__getitem__) for key, counted in names.items()},
            {key: max(counted, key=counted.__getitem__) for key, counted in frames.items()},
            taken,
        )

    def _bindings(
        self, items: Sequence[Item], candidates: list[list[Candidate]], orders: list[list[list[float]]]
    ) -> list[Binding]:
        marginals = max_marginals([[candidate.score for candidate in found] for found in candidates], orders)
        best = [max(range(len(scores)), key=scores.__getitem__) for scores in marginals]
        bindings = []
        for position, item in enumerate(items):
            order = orders[position - 1][best[position - 1]][best[position]] if position else 0.0
            bindings.append(self._binding(item, candidates[position], marginals[position], best[position], order))
        return bindings

    def _binding(self, item: Item, found: list[Candidate], scores: list[float], best: int, order: float) -> Binding:
        best = self._worked(item, found, best)
        chosen = found[best]
        why = (*chosen.why, ("order", order)) if order else chosen.why
        others = [
            (scores[best] - score, position)
            for position, (candidate, score) in enumerate(zip(found, scores, strict=True))
            if not self._is_alike(candidate, chosen)
        ]
        fitting = [(lead, position) for lead, position in others if found[position].may_hold]
        margin, lead = (min(leads, default=(float("inf"), best)) for leads in (others, fitting))
        behind = [scores[best] - scores[k] for k, one in enumerate(found) if self._is_of_reader(item, one)]
        least = min(behind, default=float("inf"))
        return Binding(chosen.target, margin[0], found[lead[1]].target, lead[0], least, chosen.may_hold, why)

    def _worked(self, item: Item, found: list[Candidate], best: int) -> int:
        """Return the part with the values of the best one whose definition the working is, where no name says it."""
        chosen = found[best].target
        is_told = bool(item.names or item.operations) or _is_defined(found[best])
        if item.working is None or chosen is None or is_told or not found[best].may_hold:
            return best
        parts = (k for k, one in enumerate(found) if one.target is not None and one.target.name == chosen.name)
        alike = (k for k in parts if _is_defined(found[k]) and self._is_alike(found[k], found[best]))
        return next(alike, best)

    def _is_of_reader(self, item: Item, one: Candidate) -> bool:
        reader, target = item.reader, one.target
        if reader is None or target is None:
            return reader is target
        return (reader.name, set(reader.flat())) == (target.name, set(target.flat()))

    def _is_alike(self, one: Candidate, other: Candidate) -> bool:
        """Return whether nothing hangs on which of two candidates is meant."""
        return one is other or (bool(one.cells) and self.values.alike(one.cells, other.cells))


def _fitting_names(item: Item, found: Sequence[Candidate]) -> set[str]:
    """Return the quantities of an indexed name whose entry there has the number: all that it tells of the name."""
    named = {name.quantity for name in item.names}
    parts = (one.target for one in found if one.may_hold and one.target is not None and one.target.name in named)
    return {base_of(part.name) for part in parts if item.index and set(part.flat()) == set(item.index)}


def _is_defined(candidate: Candidate) -> bool:
    return any(kind in {"operation", "operands"} and weight > 0 for kind, weight in candidate.why)


def max_marginals(scores: Sequence[Sequence[float]], orders: Sequence[Sequence[Sequence[float]]]) -> list[list[float]]:
    """Return for each candidate of each item the score of the best assignment of all items that gives it to it.

    Args:
        scores: of the candidates of each item by itself, the items in the order of the text.
        orders: for each item but the first what each candidate of the one before, and its own after it, speak for.

    >>> max_marginals([[1.0, 0.0], [0.0, 0.5]], [[[2.0, 0.0], [0.0, 0.0]]])
    [[3.0, 0.5], [3.0, 1.5]]
    """
    forward = [list(found) for found in scores[:1]]
    for found, order in zip(scores[1:], orders, strict=True):
        before = forward[-1]
        pairs = [[score + row[k] for score, row in zip(before, order, strict=True)] for k in range(len(found))]
        forward.append([score + max(before) for score, before in zip(found, pairs, strict=True)])
    backward = [[0.0] * len(found) for found in scores[-1:]]
    for found, order in zip(reversed(scores[1:]), reversed(orders), strict=True):
        later = [one + other for one, other in zip(found, backward[-1], strict=True)]
        backward.append([max(score + after for score, after in zip(later, row, strict=True)) for row in order])
    return [
        [one + other for one, other in zip(first, second, strict=True)]
        for first, second in zip(forward, reversed(backward), strict=True)
    ]
