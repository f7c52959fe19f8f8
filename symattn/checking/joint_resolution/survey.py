"""Survey of a work: every statement with what it is about, found without judging any.

A verdict never changes what a later statement means: what was said is taken by the names, the words and the numbers
beside it, and a number counts as right for this where it fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from symattn.checking.context import GradingContext
from symattn.checking.expressions.numerals import figure, is_minus_infinity
from symattn.checking.grading.link import Link
from symattn.checking.graph.targets import Target
from symattn.checking.joint_resolution.indexed_statements import IndexedStatements
from symattn.checking.joint_resolution.items import ItemReader
from symattn.checking.joint_resolution.mask_before_scale import MaskBeforeScale
from symattn.checking.joint_resolution.resolution import Resolver
from symattn.checking.joint_resolution.resolved_work import Key, ResolvedWork, Statement, key_of
from symattn.checking.joint_resolution.values import Values
from symattn.checking.joint_resolution.weights import Weights, weights
from symattn.checking.subjects.ambiguous_names import RunningValues
from symattn.checking.subjects.arrows import Arrows, Step
from symattn.checking.subjects.entry_inference import EntryInference
from symattn.checking.subjects.notation_variants import InnerProducts
from symattn.checking.subjects.subjects import Subjects
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk

_LONG = 80
"""Parts of working that is compared with definitions."""

_COMPARED = 2
"""Entries of a part whose working is compared with their definition."""


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
        self.running_values = RunningValues(context, self.subjects.disambiguation)
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
        written = self._with_array_label(written).with_nodes(self.inner.written)
        written = self.running_values.written(self.subjects.disambiguation.with_primes(written))
        return self.mask_before_scale.renamed(written)

    def _with_array_label(self, written: Written) -> Written:
        """Return a chain that begins with an array index of programs, ``S[0, 1]``, with a name and indices for it."""
        first, *rest = written.sides
        node = None if first is None else first.node
        label = self.context.binder.indexed(node) if isinstance(node, t.Product) else None
        if first is None or label is None or not rest:
            return written
        return replace(written, sides=(replace(first, node=label), *rest))

    def target(self, written: Written, about: Target | None) -> Target | None:
        """Return the target of a chain: by the words before it, the names of its sides, or the chain before it."""
        goes_on = written.sides[0] is None and not written.after_text
        disambiguation = self.subjects.disambiguation
        target = about or self.subjects.of(written, self.going if goes_on else self.current)
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
        statement = Statement(written, target, self.context.binder.names.said(), item, {}, {})
        is_aside = len(written.sides) == 1 if item is None else item.is_constant
        if not is_aside:  # a formula among words does not end what they say
            self.end = max(self.end, written.span[1])
        self.found.setdefault(place, []).append(statement)
        self.order.append((place, len(self.found[place]) - 1))
        holds = self._note(written, statement.target)
        self.reader.heard(written, statement.target, holds=holds)

    def loose(self, written: Written) -> list[Link]:
        """Take numbers among words for a statement without a subject of its own, which only evidence may give one."""
        item = self.items.item(written, None, self.end, is_said=False, above=None)
        place = key_of(written)
        self.found.setdefault(place, []).append(
            Statement(written, None, self.context.binder.names.said(), item, {}, {})
        )
        self.order.append((place, len(self.found[place]) - 1))
        self.end = max(self.end, written.span[1])
        return []

    def resolved(self, table: Weights | None = None) -> ResolvedWork:
        """Return the statements with their subjects, chosen from the evidence for each and their order.

        Where only the sheet's own names are accepted, these say it.

        Args:
            table: what each kind of evidence counts, those of the package when None.
        """
        graph = self.context.graph
        places = [(place, number) for place, number in self.order if self.found[place][number].item is not None]
        if self.context.binder.strict or not places:
            return ResolvedWork(graph, self.found, self.order, self.steps, {})
        items = [item for place, number in places if (item := self.found[place][number].item) is not None]
        values = Values(graph, self.context.numbers)
        with self.context.operands.memory():
            found = Resolver(graph, values, table or weights(), self._defines).bindings(items)
        return ResolvedWork(graph, self.found, self.order, self.steps, dict(zip(places, found, strict=True)))

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
