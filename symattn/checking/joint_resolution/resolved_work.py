"""Statements of a work with their subjects, as the survey leaves them to the judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import Place, Target, canonical
from symattn.checking.joint_resolution.items import Item
from symattn.checking.joint_resolution.resolution import WEAK, Binding
from symattn.checking.joint_resolution.weights import weights
from symattn.checking.names.lexicon import SCORES, spelt
from symattn.checking.names.lexicon import key_of as key_of_name
from symattn.checking.names.name_table import NamesSaid
from symattn.checking.subjects.arrows import Step
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import mapped
from symattn.records import dataclass

_SEVERAL = 2
"""Decimals of a row beside which whole numbers may stand."""

Key: TypeAlias = tuple[t.Span, tuple[t.Span | None, ...]]
"""The place of a statement and of its sides."""


def key_of(written: Written) -> Key:
    """Return the place of a statement, by which both passes know it."""
    return written.span, tuple(None if side is None else side.span for side in written.sides)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of the work, with names as they are to be read.

    Attributes:
        written: its sides.
        target: what it is about.
        names: what the work has said of names up to it.
        item: its numbers and the evidence beside them; None where it states none.
        own: the working of names that the work uses for something of its own, up to it.
        scores: the names that the work has given scores, each with its last meaning, up to it.
    """

    written: Written
    target: Target | None
    names: NamesSaid
    item: Item | None
    own: Mapping[str, t.Node]
    scores: Mapping[str, tuple[t.Node, Target]]

    def said_of(self, key: str) -> tuple[object, ...]:
        """Return what the work has said of a name up to the statement."""
        names = self.names
        return names.called.get(key), names.rebound.get(key), names.of_heads.get(key.rstrip("0123456789"))


class ResolvedWork:
    """Statements with their subjects.

    Args:
        graph: the quantities.
        statements: those at each place.
        order: the place of each statement, and how many others stand there before it.
        steps: the lists of each chain of arrows.
        bindings: the subjects that the evidence chooses.
    """

    def __init__(
        self,
        graph: Graph,
        statements: Mapping[Key, Sequence[Statement]],
        order: Sequence[tuple[Key, int]],
        steps: Mapping[Key, list[Step]],
        bindings: Mapping[tuple[Key, int], Binding],
    ) -> None:
        self.graph = graph
        self.steps = steps
        self.bindings = bindings
        self.found = _set_apart(statements, order, bindings)
        items = (statements[place][number].item for place, number in bindings)
        self.frames = Counter(item.frame for item in items if item is not None)
        self._give_scores(order)

    def _give_scores(self, order: Sequence[tuple[Key, int]]) -> None:
        """Tell each statement what the names of scores mean above it, unless formulas say so in between."""
        scores: dict[str, tuple[tuple[object, ...], t.Node, Target]] = {}
        for place, number in order:
            statement = self.found[place][number]
            known = {
                key: (left, meant) for key, (said, left, meant) in scores.items() if said == statement.said_of(key)
            }
            self.found[place][number] = replace(statement, scores=known)
            first, target = statement.written.sides[0], self.meant(place, number)[0]
            if target is None or first is None or first.node is None or base_of(target.name) not in SCORES:
                continue
            head = first.node.base if isinstance(first.node, t.Subscript) else first.node
            if isinstance(head, t.Name | t.Power | t.Transpose) and not statement.written.withdrawn:
                key = key_of_name(spelt(head) or "")
                scores[key] = statement.said_of(key), first.node, target

    def loose_target(self, written: Written) -> Target | None:
        """Return what numbers among words surely are; None where no words tell it.

        The same words before other numbers tell it, too. Numbers that fit need none where they are decimals of a row
        that is said, or where "and" joins them to the entry before.
        """
        place, limits = key_of(written), weights()
        binding, item = self.bindings.get((place, 0)), self.found[place][0].item
        if binding is None or item is None or binding.margin < limits.of("margin", "bind"):
            return None
        only = None if binding.target is None else binding.target.only
        is_other = item.column is not None and only is not None and only[1] != item.column
        if binding.lead < limits.of("margin", "blame") or is_other:
            return None
        kinds = {kind for kind, weight in binding.why if weight > 0}
        if (
            all(number is not None and number.is_count for number in item.numbers)
            and not {"fit", "words_before"} <= kinds
        ):
            return None
        whole = [number is None or number.is_whole for number in item.numbers]
        are_decimals = not any(whole) or whole.count(False) >= _SEVERAL  # a hidden key has the weight 0
        is_next = item.is_joined and dict(binding.why).get("order", 0.0) >= limits.of("order", "next")
        if "fit" in kinds and (is_next or ("row" in kinds and are_decimals)):
            return binding.target
        is_told = self.frames[item.frame] > 1 or not kinds <= WEAK | {"parallel"}
        return binding.target if is_told and binding.may_overrule(item) else None

    def is_known(self, target: Target) -> bool:
        """Return whether the work states a quantity elsewhere, with numbers that fit."""
        cells = _cells(target)
        return any(binding.holds and _cells(binding.target) == cells for binding in self.bindings.values())

    def meant(self, place: Key, number: int) -> tuple[Target | None, str]:
        """Return what a statement is about, and why it may not be called wrong; nothing where it may.

        Args:
            place: of the statement.
            number: how many others were found at the same place before it.
        """
        reader, binding = self.found[place][number].target, self.bindings.get((place, number))
        if binding is None:
            return reader, ""
        item = self.found[place][number].item
        is_same = _cells(reader) == _cells(binding.target)
        limits = weights()
        is_named = item is not None and bool(item.names or item.operations or item.is_said)
        if not is_same and item is not None and not binding.may_overrule(item):
            is_free = not is_named or binding.holds
            is_other = is_free and binding.target is not None and binding.behind >= limits.of("margin", "blame")
            return reader, binding.doubt(self.graph) if is_other else ""
        is_matrix = item is not None and min(item.shape) > 1
        if binding.target is None and reader is not None and is_matrix and not is_named and self.is_known(reader):
            return reader, f"It is not said clearly enough that this is {canonical(reader, self.graph)}."
        is_bound = is_same or binding.margin >= limits.of("margin", "bind")
        target = reader if is_same or not is_bound else binding.target
        is_titled = item is not None and reader is not None and base_of(reader.name) in item.heading and not item.words
        is_beaten = not is_bound and binding.holds and is_titled and not is_named and binding.behind > 0
        lead = binding.lead - (0.0 if is_bound else binding.behind)
        is_sure = not is_beaten and lead >= limits.of("margin", "blame")
        return target, "" if is_sure or target is None else binding.doubt(self.graph)


def _set_apart(
    statements: Mapping[Key, Sequence[Statement]],
    order: Sequence[tuple[Key, int]],
    bindings: Mapping[tuple[Key, int], Binding],
) -> dict[Key, list[Statement]]:
    """Return the statements, names that the work defines otherwise than any quantity of that name as its own."""
    found = {place: [*listed] for place, listed in statements.items()}
    own: dict[str, t.Node] = {}
    for place, number in order:
        statement, binding = found[place][number], bindings.get((place, number))
        first, item = statement.written.sides[0], statement.item
        if binding is not None and item is not None and item.key and first is not None and first.node is not None:
            is_local = binding.target is None and any(kind == "local_word" for kind, _ in binding.why)
            working = statement.written.sides[1]
            if is_local and working is not None and working.node is not None:
                own[key_of_name(spelt(first.node) or "")] = working.node
            elif binding.target is not None:
                own.pop(key_of_name(spelt(first.node) or ""), None)
        if own:
            given = {**statement.names.given, **{key: ((), node) for key, node in own.items()}}
            names = replace(statement.names, given=given)
            found[place][number] = replace(statement, names=names, own=dict(own))
    return found


def with_own(written: Written, own: Mapping[str, t.Node]) -> Written:
    """Return a statement with the working of the work's own names in their place, behind its first side."""
    if not own:
        return written

    def put(node: t.Node) -> t.Node:
        working = own.get(key_of_name(node.text)) if isinstance(node, t.Name) else None
        return mapped(node, put) if working is None else t.Group(working, span=node.span)

    first, *rest = written.sides
    sides = (side if side is None or side.node is None else replace(side, node=put(side.node)) for side in rest)
    return replace(written, sides=(first, *sides))


def _cells(target: Target | None) -> tuple[str, frozenset[Place]]:
    return ("", frozenset()) if target is None else (target.name, frozenset(target.flat()))
