"""Survey of a work: every statement with what it is about, found without judging any.

A verdict never changes what a later statement means: what was said is taken by the names, the words and the numbers
beside it, and a number counts as right for this where it fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TypeAlias

from symattn.checking.expressions.numerals import figure, is_minus_infinity
from symattn.checking.grading.context import GradingContext
from symattn.checking.grading.link import Link
from symattn.checking.graph.targets import Place, Target
from symattn.checking.names.lexicon import key_of as key_of_name
from symattn.checking.names.lexicon import spelt
from symattn.checking.names.name_table import NamesSaid
from symattn.checking.resolve.arrows import Arrows, Step
from symattn.checking.resolve.entry_inference import EntryInference
from symattn.checking.resolve.notation_variants import InnerProducts
from symattn.checking.resolve.subjects import Subjects
from symattn.checking.resolver.indexed_statements import IndexedStatements
from symattn.checking.resolver.items import Item, ItemReader
from symattn.checking.resolver.mask_before_scale import MaskBeforeScale
from symattn.checking.resolver.resolution import WEAK, Binding, Resolver
from symattn.checking.resolver.values import Values
from symattn.checking.resolver.weights import Weights, weights
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import mapped, walk
from symattn.records import dataclass

Key: TypeAlias = tuple[t.Span, tuple[t.Span | None, ...]]
"""The place of a statement and of its sides."""


_LONG = 80
"""Parts of working that is compared with definitions."""

_COMPARED = 2
"""Entries of a part whose working is compared with their definition."""


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
    """

    written: Written
    target: Target | None
    names: NamesSaid
    item: Item | None
    own: Mapping[str, t.Node]


class StatementReader:
    """Reader of statements in their order: which names they use, and what they are about.

    Both passes read with it: the first to find the targets, the second to know what names in the working mean.
    """

    def __init__(self, context: GradingContext) -> None:
        self.context = context
        self.subjects = Subjects(context)
        self.arrows = Arrows(self.subjects.disambiguation)
        self.entry_inference = EntryInference(context)
        self.inner = InnerProducts(context.binder)
        self.mask_before_scale = MaskBeforeScale(context, self.subjects.loose.said)
        self.running = IndexedStatements(context)
        self.forget()

    def forget(self) -> None:
        """Forget the subject of the last chain, at a heading."""
        self.current: Target | None = None
        self.going: Target | None = None
        self.is_cut = False

    def interrupted(self) -> None:
        """Record words with an unread formula among them: what follows may continue that, and nothing else."""
        self.going, self.is_cut = None, True

    def prepared(self, written: Written) -> Written:
        """Return a chain with the names that its primes, inner products and masks mean."""
        self.subjects.look_beside(written)
        sides = tuple(
            side if side is None or side.node is None else replace(side, node=self.inner.written(side.node))
            for side in written.sides
        )
        return self.mask_before_scale.renamed(self.subjects.disambiguation.with_primes(replace(written, sides=sides)))

    def target(self, written: Written, about: Target | None) -> Target | None:
        """Return the target of a chain: by the words before it, the names of its sides, or the chain before it."""
        goes_on = written.sides[0] is None and not written.after_text
        disambiguation = self.subjects.disambiguation
        target = (
            about or disambiguation.query(written) or self.subjects.of(written, self.going if goes_on else self.current)
        )
        target = self.entry_inference.narrowed(written, target, self.current)
        target = disambiguation.once_more(written, disambiguation.line_of(written, target, self.current))
        if written.sides[0] is None and written.after_text and target is None and not self.is_cut:
            target = self.current
        self.is_cut = False
        return target

    def heard(self, written: Written, target: Target | None, *, holds: bool) -> None:
        """Record what a chain was about, and the meaning that this gives to its words."""
        self.going = target
        if target is not None:
            self.current = target
            if holds:
                self.subjects.disambiguation.heard(target)
        self.subjects.unlabelled.read(written, target)
        self.subjects.loose.heard(written, target, holds=holds)


class Survey:
    """First pass over a work: the statements and their targets, in order."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context
        self.reader = StatementReader(context)
        self.subjects = self.reader.subjects
        self.steps: dict[Key, list[Step]] = {}
        self.items = ItemReader(context, self.subjects)
        self.found: dict[Key, list[Statement]] = {}
        self.order: list[tuple[Key, int]] = []
        self.bindings: dict[tuple[Key, int], Binding] = {}
        self.frames: Counter[str] = Counter()
        self.end = 0
        self.above: Target | None = None

    def forget(self) -> None:
        """Forget the subject of the last chain, at a heading."""
        self.reader.forget()

    def interrupted(self) -> None:
        """Record words with an unread formula among them."""
        self.reader.interrupted()

    def arrow_steps(self, written: Written) -> list[Step]:
        """Return the lists of a chain of arrows that begins with a query, each with its target; else nothing."""
        return self.reader.arrows.steps(written)

    def chain(self, written: Written, about: Target | None = None) -> list[Link]:
        """Find what a chain is about; of one that cannot be read, the judge says why. No links are made.

        Args:
            written: the chain.
            about: what the words before it say that it is about.
        """
        try:
            self._chain(written, about)
        except InputError:
            self.reader.forget()
        return []

    def _chain(self, written: Written, about: Target | None) -> None:
        place = key_of(written)
        written = self.reader.prepared(written)
        steps = [] if about is not None else self.reader.arrows.steps(written)
        self.steps[place] = steps
        for step, target in steps:
            if target is not None:
                self.chain(step, target)
        if steps or self.reader.running.links(written, self.subjects.disambiguation) is not None:
            return
        self.subjects.define(written)
        target = self.reader.target(written, about)
        item = self.items.item(written, target, self.end, is_said=about is not None, above=self.above)
        self.above = target if item is None else None
        statement = Statement(written, target, self.context.binder.names.said(), item, {})
        self.end = max(self.end, written.span[1])
        self.found.setdefault(place, []).append(statement)
        self.order.append((place, len(self.found[place]) - 1))
        holds = self._note(written, statement.target)
        self.reader.heard(written, statement.target, holds=holds)

    def loose(self, written: Written) -> list[Link]:
        """Take numbers among words for a statement without a subject of its own, which only evidence may give one."""
        item = self.items.item(written, None, self.end, is_said=False, above=None)
        place = key_of(written)
        self.found.setdefault(place, []).append(Statement(written, None, self.context.binder.names.said(), item, {}))
        self.order.append((place, len(self.found[place]) - 1))
        self.end = max(self.end, written.span[1])
        return []

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
        are_decimals = all(number is not None and not number.is_whole for number in item.numbers)
        is_next = item.is_joined and dict(binding.why).get("order", 0.0) >= limits.of("order", "next")
        if "fit" in kinds and (is_next or ("row" in kinds and are_decimals)):
            return binding.target
        is_told = self.frames[item.frame] > 1 or not kinds <= WEAK | {"parallel"}
        return binding.target if is_told and binding.may_overrule(item) else None

    def resolve(self, table: Weights | None = None) -> None:
        """Choose what all statements are about, from the evidence for each and their order.

        Where only the sheet's own names are accepted, these say it.

        Args:
            table: what each kind of evidence counts, those of the package when None.
        """
        if self.context.binder.strict:
            return
        places = [(place, number) for place, number in self.order if self.found[place][number].item is not None]
        items = [item for place, number in places if (item := self.found[place][number].item) is not None]
        self.frames.update(item.frame for item in items)
        values = Values(self.context.graph, self.context.numbers)
        with self.context.operands.memory():
            found = Resolver(self.context.graph, values, table or weights(), self._defines).bindings(items)
        self.bindings = dict(zip(places, found, strict=True))
        self._set_apart()

    def _set_apart(self) -> None:
        """Take names that the work defines otherwise than any quantity of that name for names of its own."""
        own: dict[str, t.Node] = {}
        for place, number in self.order:
            statement, binding = self.found[place][number], self.bindings.get((place, number))
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
                self.found[place][number] = replace(statement, names=names, own=dict(own))

    def _defines(self, node: t.Node) -> Callable[[Target], bool]:
        """Return the test whether working in numbers is the definition of each entry of a part; it is laid out once."""
        shape = self.context.shape(node) if sum(1 for _ in walk(node)) <= _LONG else None
        entry = cache(partial(self.context.entry, node))
        return lambda target: shape == target.shape and self._is_defined(entry, target)

    def _is_defined(self, entry: Callable[[int, int], t.Node | None], target: Target) -> bool:
        places = [(i, j, (target.name, *place)) for i, row in enumerate(target.cells) for j, place in enumerate(row)]
        if self.context.graph.nodes[target.name].formula is None:
            return False
        parts = [(entry(i, j), cell) for i, j, cell in places[:_COMPARED]]
        try:
            return all(part is not None and self.context.operands.is_definition(part, cell) for part, cell in parts)
        except InputError:
            return False

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
        if not is_same and item is not None and not binding.may_overrule(item):
            return reader, ""
        limits = weights()
        is_bound = is_same or binding.margin >= limits.of("margin", "bind")
        target = reader if is_same or not is_bound else binding.target
        is_sure = binding.lead - (0.0 if is_bound else binding.behind) >= limits.of("margin", "blame")
        return target, "" if is_sure or target is None else binding.doubt(self.context.graph)

    def _note(self, written: Written, target: Target | None) -> bool:
        """Record the numbers of a statement, and return whether the last of them fit."""
        last = written.sides[-1]
        if target is None or last is None or last.node is None or written.withdrawn:
            return False
        laid = target.in_shape(self.context.shape(last.node))
        if laid is None:
            return False
        holds = self.subjects.disambiguation.fits(last.node, laid)
        for i, row in enumerate(laid.cells):
            for j, place in enumerate(row):
                self._note_entry(self.context.entry(last.node, i, j), (laid.name, *place))
        return holds

    def _note_entry(self, part: t.Node | None, cell: tuple[str, int, int]) -> None:
        numbers = self.context.numbers
        number = None if part is None else figure(part)
        if number is not None:
            value = number.value if number.mixed is None else number.mixed
            numbers.note(cell, Quotient.of(value), number, holds=numbers.fits(number, cell))
        elif part is not None and is_minus_infinity(part):
            numbers.note(cell, MINUS_INFINITY, None, holds=numbers.exact(cell) is MINUS_INFINITY)


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
