"""Judging of the links of a chain, one by one: operands, arithmetic, value.

A chain ``Q_11 = 1·0 + … = 1`` makes two statements: that the operands are those of Q_11, and that they
come to 1, which is the value of Q_11. Each has its own place and its own verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.matrix_layout import TooLongProductError
from symattn.checking.expressions.ellipses import shown
from symattn.checking.expressions.expression_kinds import (
    has_list,
    has_number_behind_word,
    has_numbers,
    has_unknown_lines,
    has_unknown_words,
    is_formula,
)
from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.grading.link import Cause, Link, changed
from symattn.checking.graph.formulas import Cell, axis_of_sum, axis_of_weights, is_weights
from symattn.checking.graph.targets import OutOfRange, Target, canonical
from symattn.checking.joint_resolution.indexed_statements import unread
from symattn.checking.joint_resolution.items import numbers_of
from symattn.checking.joint_resolution.resolved_work import Key, ResolvedWork, key_of, with_own
from symattn.checking.joint_resolution.survey import StatementReader
from symattn.checking.joint_resolution.values import Values
from symattn.checking.link_judges import omitted_keys
from symattn.checking.link_judges.aliases import Aliases
from symattn.checking.link_judges.arithmetic import ORDERS, ArithmeticJudge
from symattn.checking.link_judges.entries import Entries
from symattn.checking.link_judges.entry import Said
from symattn.checking.link_judges.formulas import FormulaJudge, shape_sentence, with_multiple_of_identity
from symattn.checking.link_judges.out_of_range import OutOfRangeNames
from symattn.checking.link_judges.running_maxima import RunningMaxima
from symattn.checking.mistake_catalogue import explain
from symattn.checking.mistakes.causes import is_down_columns, masks_weights
from symattn.checking.names.raised_numbers import has_intermediate
from symattn.checking.report import HOLDS, Checks, Diagnosis, Finding
from symattn.checking.subjects.arrows import Step
from symattn.errors import InputError, ShapeError, UndecidedError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Side, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.operations.formulas.formula import is_of

_EARLIER = 6
"""Sides of a chain that a later one may be a rounding of."""

_BLAMED = frozenset({"wrong", "follows", "truncated"})

_BEFORE = 120
"""Characters before a statement that may say what it is."""


class Chains:
    """Judge of the chains of a work in their order."""

    def __init__(self, context: GradingContext, survey: ResolvedWork) -> None:
        self.context = context
        self.survey = survey
        self.reader = StatementReader(context)
        self.subjects = self.reader.subjects
        self.mask_before_scale = self.reader.mask_before_scale
        self.entry_inference = self.reader.entry_inference
        self.entries = Entries(context)
        self.symbolic = FormulaJudge(context, self.subjects, self.entries)
        self.arithmetic = ArithmeticJudge(context)
        self.aliases = Aliases(context, self.entries)
        self.running_maxima = RunningMaxima(context)
        self.absences = OutOfRangeNames(context, self.subjects)
        self.left_out = (
            omitted_keys.OmittedKeys(context, self.entries, self.subjects.disambiguation)
            if context.binder.problem.cached
            else None
        )
        self.values = Values(context.graph, context.numbers)
        self.told: set[str] = set()
        self.doubt = ""
        self.is_headed = self.is_word = self.is_letter = self.is_auxiliary = False
        self.own: Mapping[str, t.Node] = {}
        self.absent: dict[int, OutOfRange] = {}
        self.others: dict[int, Target] = {}
        self.earlier: list[t.Node] = []
        self.asked: Counter[Key] = Counter()
        self.forget()

    def forget(self) -> None:
        """Forget the subject of the last chain, at a heading."""
        self.reader.forget()
        self.last: t.Node | None = None
        self.broken: set[Cell] = set()

    def interrupted(self) -> None:
        """Record words with an unread formula among them: what follows may continue that, and nothing else."""
        self.reader.interrupted()
        self.last = None

    def arrow_steps(self, written: Written) -> list[Step]:
        """Return the lists of a chain of arrows that begins with a query, each with its target; else nothing."""
        return self.survey.steps.get(key_of(written), [])

    def chain(self, written: Written, about: Target | None = None) -> list[Link]:
        """Return every link of a chain, or the statement that a lone expression makes.

        What keeps a chain from being judged is told of that chain, and of no other.

        Args:
            written: the chain.
            about: what the words before it say that it is about.
        """
        known = set(self.context.numbers.mistaken)
        try:
            return self._chain(written, about)
        except InputError as error:
            self.context.numbers.mistaken = known
            return [self.context.undecided(written, error)]

    def loose(self, written: Written) -> list[Link]:
        """Return the link of numbers among words, where it is clear enough what they are to call them wrong.

        Whole numbers may count anything, "heads 1 and 2", and are not called wrong.
        """
        target, side = self.survey.loose_target(written), written.sides[-1]
        if target is None or side is None or side.node is None:
            return []
        self.doubt = ""
        link = self._link(written, 1, side, None, target)
        numbers = numbers_of(side.node, self.context) or ()
        is_count = all(number is None or number.is_count for number in numbers)
        if link.finding.verdict not in HOLDS and (
            is_count or link.finding.verdict not in _BLAMED or self._elsewhere(side.node, target) is not None
        ):
            return []
        self._take(link)
        self.context.numbers.blame([link])
        return self._noted([link])

    def _chain(self, written: Written, about: Target | None) -> list[Link]:
        place = key_of(written)
        written = self.reader.prepared(written)
        steps = [] if about is not None else self.survey.steps.get(place, [])
        if steps:
            return [link for step, target in steps for link in self._step(step, target)]
        general = self.reader.running.links(written, self.subjects.disambiguation)
        if general is not None:
            return [_withdrawn(link) for link in general] if written.withdrawn else general
        if written.sides[0] is not None or written.after_text:
            self.broken = set()
        target = self._target(written, place)
        written = with_own(written, self.own)
        first, *rest = written.sides
        # A column of a table may hold a sum below its entries, or more than the word above it says.
        self.is_headed = first is not None and first.implied
        names = self.context.binder.names
        self.is_auxiliary = first is not None and target is not None and names.is_auxiliary(first.node, target.name)
        self.is_word = first is not None and isinstance(first.node, t.Name) and len(first.node.text) > 2
        self.is_letter = first is not None and _is_letter(first.node)
        previous = first.node if first is not None else (None if written.after_text else self.last)
        if previous is not None and masks_weights(previous):
            previous = None
        self.absent = self.absences.found(written)
        self.others = self.aliases.found(written, target)
        found = self._first(written, first, target)
        if not written.withdrawn:
            self.context.numbers.blame(found)
        if not found and 0 in self.absent:
            # What the first side names is said by the first link.
            self.absent[1] = self.absent[0]
        for position, side in enumerate(rest, 1):
            if side is None:
                continue
            found.append(self._link(written, position, side, previous, target))
            if written.operators[position - 1] in ORDERS and side.node is not None:
                # What follows is equal to this side: ``S_12 = 8 < S_11 = 12``.
                target = self.subjects.named(side.node)
            self.earlier.extend([] if previous is None else [previous])
            previous = side.node  # behind one that cannot be read nothing need be equal to what was before it
            if previous is not None and masks_weights(previous):
                previous = None  # the numbers after it tell how the mask was put on
            if not written.withdrawn:
                self._take(found[-1])
                self.context.numbers.blame(found[-1:])
            if target is not None and target.guess and found[-1].finding.verdict in HOLDS:
                # A fitting name is not a guess any more.
                target = replace(target, guess=False)
        if found and first is not None and target is not None and self._is_definition(first):
            shown = tuple(((target.name, i, j), True) for i, j in target.flat())
            shown += tuple(((other.name, i, j), True) for other in self.others.values() for i, j in other.flat())
            found[-1] = replace(found[-1], formula=found[-1].formula + shown)
        if found and target is not None and previous is not None:
            found[-1] = self.subjects.disambiguation.closed(found[-1], previous, target)
        holds = bool(found) and found[-1].finding.verdict in HOLDS
        self.reader.heard(written, target, holds=holds)
        # What is struck out is taken back: nothing goes on from it.
        self.last = None if written.withdrawn else previous
        return [_withdrawn(link) for link in found] if written.withdrawn else self._noted(self._with_slips(found))

    def _target(self, written: Written, place: Key) -> Target | None:
        """Return the target that the survey found for a chain, whose names mean what they meant there."""
        if written.sides[0] is not None or written.after_text:
            self.earlier.clear()
        self.doubt, self.own = "", {}
        number = self.asked[place]
        self.asked[place] += 1
        found = self.survey.found.get(place, [])
        if number >= len(found):
            return None
        self.context.binder.names.take(found[number].names)
        self.own = found[number].own
        for left, meant in found[number].scores.values():
            self.subjects.disambiguation.means(left, meant)
        target, self.doubt = self.survey.meant(place, number)
        return target

    def _step(self, written: Written, target: Target | None) -> list[Link]:
        """Judge a list behind an arrow; one of unknown meaning is only recorded."""
        if target is not None:
            return self.chain(written, target)
        where = self.context.place(*written.span)
        words = "It is not said what this list is."
        return [Link(Finding(where, self.context.text(where), None, "unchecked", explanation=words), None)]

    def _with_slips(self, links: list[Link]) -> list[Link]:
        """Mark values that follow from a mistake in their own chain, however many lines it has."""
        found = []
        for link in links:
            own = tuple(cell for cell, word in link.verdicts if word == "follows" and cell in self.broken)
            found.append(replace(link, slips=own, finding=_of_this_chain(link.finding) if own else link.finding))
            self.broken.update(cell for cell, _ in link.broken)
            self.broken.update(cell for cell, word in link.verdicts if word == "wrong")
        return found

    def _first(self, written: Written, first: Side | None, target: Target | None) -> list[Link]:
        """Judge the first side by itself: a lone side, or numbers about a subject that is named later."""
        if first is None:
            return []
        if len(written.sides) == 1:
            return [_alone(self._link(written, 0, first, None, target))]
        if first.node is None:
            return [unread(self.context, written, 0, first, None)]
        is_stated = target is not None and not first.implied and not is_formula(first.node)
        return [self._link(written, 0, first, None, target)] if is_stated else []

    def _is_definition(self, side: Side) -> bool:
        """Return whether a chain begins with the formula of its target, ``QK^T = …``, and not with its name."""
        node = side.node
        return node is not None and is_formula(node) and self.context.binder.resolve(node) is None

    def _take(self, link: Link) -> None:
        """Record numbers in working, with which the rest of the chain goes on."""
        for cell, number, holds in link.taken:
            if cell not in self.context.numbers.prints:
                self.context.numbers.note(cell, Quotient.of(number.value), number, holds=holds)

    def _noted(self, links: list[Link]) -> list[Link]:
        """Record the numbers that were found."""
        for link in links:
            for cell, number, holds in link.stated:
                value = number.value if number.mixed is None else number.mixed
                self.context.numbers.note(cell, Quotient.of(value), number, holds=holds)
            for cell, holds in link.hidden:
                # What is hidden rightly is known without it.
                if not holds or cell in self.context.numbers.prints:
                    self.context.numbers.note(cell, MINUS_INFINITY, None, holds=holds)
            self.context.follow(link)
        return links

    # One link --------------------------------------------------------------------------------------

    def _link(
        self, written: Written, position: int, side: Side, previous: t.Node | None, target: Target | None
    ) -> Link:
        if side.node is None:
            return unread(self.context, written, position, side, target)
        self.context.layout.forget()
        with self.context.operands.memory():
            link = self._read_link(written, position, side, side.node, previous, target)
        if target is None or link.target is None:
            return link
        if position and link.finding.verdict in _BLAMED and self._is_changed(written, side.node):
            words = "It is made of what has the same name, and not read as a formula of the problem."
            return Link(
                changed(link.finding, verdict="unchecked", explanation=words, diagnosis=None, culprit=None), None
            )
        if link.finding.verdict in _BLAMED:
            link = self.running_maxima.link(link, side.node, target)
        doubt = self.doubt or self._doubt_of_guess(link, side.node, target)
        return self._doubted(link, doubt) if doubt else link

    def _is_changed(self, written: Written, node: t.Node) -> bool:
        """Return whether a side makes something that cannot be read of the name before it: ``score -> f(score)``."""
        first = None if written.sides[0] is None else written.sides[0].node
        indices = {id(index) for item in walk(node) if isinstance(item, t.Subscript) for index in item.indices}
        is_used = any(item == first and id(item) not in indices for item in walk(node))  # ``W_Q`` is not made of Q
        is_of_itself = isinstance(first, t.Name) and first != node and is_used
        formula = self.context.formulas.read(node) if is_of_itself else None
        return is_of_itself and (formula is None or is_of(formula, "exponential"))

    def _doubt_of_guess(self, link: Link, node: t.Node, target: Target) -> str:
        """Return why numbers that are taken for a part by habit may be another, whose values they are."""
        if link.finding.verdict not in _BLAMED:
            return ""
        if target.name == "d_k" and self.survey.is_known(target):
            return "d_k is right elsewhere: this may be that of another model."
        if not target.guess:
            return ""
        other = self._elsewhere(node, target, lists=self.is_letter)
        if other is None:
            return ""
        names = [canonical(part, self.context.graph) for part in (target, other)]
        return f"It is not said clearly enough whether this is {names[0]} or {names[1]}, whose values they are."

    def _doubted(self, link: Link, doubt: str) -> Link:
        """Return a link that may not be called wrong, since it is not said clearly what it is about."""
        if link.finding.verdict not in _BLAMED:
            return link
        open_ = changed(
            link.finding, verdict="ambiguous", name=None, expected=None, explanation=doubt, diagnosis=None,
            culprit=None, entries=None, checks=Checks(),
        )  # fmt: skip
        return Link(open_, None)

    def _read_link(
        self, written: Written, position: int, side: Side, node: t.Node, previous: t.Node | None, target: Target | None
    ) -> Link:
        operator = written.operators[position - 1] if position else ""
        where = self.context.link_place(written, position, side)
        name = None if target is None else canonical(target, self.context.graph)
        guess = target is not None and target.guess
        base = Finding(where, self.context.text(where), name, "right", guess=guess)
        if position in self.absent:
            return self.absences.link(base, self.absent[position])
        previous = self.symbolic.as_definition(previous, target)
        said = Said(node, previous, operator, tuple(self.earlier[-_EARLIER:]))
        link = self._read(base, said, target)
        if target is not None and position in self.others:
            return self.aliases.link(link, self.others[position], target, written)
        if target is not None and self.others:
            link = self.aliases.also(link, said, target, list(self.others.values()))
        if not side.others or link.finding.verdict in HOLDS:
            return self._with_readings(link, side)
        others = [self._read(base, Said(other, previous, operator), target) for other in side.others]
        good = [other for other in others if other.finding.verdict in HOLDS]
        if len(good) > 1:
            return Link(changed(link.finding, verdict="ambiguous", explanation=side.reason), target)
        best = min((item for item in (link, *others) if item.verdicts), key=_faults, default=link)
        return self._with_readings(good[0] if good else best, side)

    def _with_readings(self, link: Link, side: Side) -> Link:
        """Add each guess, once for each quantity, and the other readings of the text."""
        finding, target = link.finding, link.target
        said = [finding.explanation]
        is_guess = finding.guess and target is not None and finding.verdict != "unchecked"
        is_said = target is not None and target.name == self.context.binder.said_by_heading
        if is_guess and not is_said and target is not None and target.name not in self.told:
            self.told.add(target.name)
            said.append(f"Taken to be {finding.name}, which the work does not say.")
        if side.others:
            said.append(side.reason)
            finding = changed(finding, guess=True)
        return replace(link, finding=changed(finding, explanation=" ".join(part for part in said if part)))

    def _read(self, base: Finding, said: Said, target: Target | None) -> Link:
        node = said.node
        try:
            if isinstance(node, t.Space):
                return self._membership(base, node, target)
            if said.operator in {"≫", "≪"}:
                words = f"Whether one side is much {'larger' if said.operator == '≫' else 'smaller'} is not decided."
                return Link(changed(base, name=None, verdict="undecided", explanation=words), None)
            if said.operator in ORDERS:
                return self.arithmetic.comparison(base, said)
            if has_number_behind_word(node):
                return Link(
                    changed(base, name=None, verdict="unchecked", explanation="A word names a number in it."), None
                )
            interval = self.arithmetic.interval(base, node, said.operator, target)
            if interval is not None:
                return interval
            if target is not None and self._are_sums_of_weights(node, target):
                return Link(changed(base, name=None, verdict="unchecked", explanation="Weights sum to 1."), None)
            if target is not None and self._is_masked_late(node, target):
                return self._masked_late(base, node, target)
            if target is not None and self._runs_down(node, target):
                return self._down_columns(base, node, target)
            if is_formula(node) or self.symbolic.is_definition(node, target):
                link = self.symbolic.link(base, node, target)
                is_near = said.operator == "≈" and self.context.binder.resolve(bare(node)) is not None
                if not is_near or link.finding.verdict in HOLDS:
                    return link
                return Link(changed(base, verdict="unchecked", explanation="How near it has to be is not said."), None)
            if target is None:
                return self.arithmetic.link(base, said)
            seen = shown(node, target)
            if seen is not None:
                return self.entries.link(base, replace(said, node=seen[0]), seen[1])
            node = with_multiple_of_identity(node, target)
            said = replace(said, node=node)
            shape = self.context.layout.shape(node)
            laid = target.in_shape(shape) or self._row_of_mask(shape, target)
            if laid is not None:
                words = f"{self.context.binder.title} {self._words_before(node)}"
                unscaled = self.mask_before_scale.link(base, said.node, said.previous, laid, words)
                return unscaled or self.entries.link(base, said, laid)
            entry_inference = self._unsaid(base, said, target)
            if entry_inference is not None:
                return entry_inference
            if has_intermediate(node):
                return self.symbolic.unbound(base, target)
            some = None if self.left_out is None else self.left_out.some(node, target, self._words_beside(node))
            if some is not None:
                return self.entries.link(changed(base, name=some.name), said, some)
            reason = shape_sentence(shape, target, self.context.graph)
            if self.left_out is None:
                return self._misshapen(base, node, target, reason)
            following = self.left_out.link(base, said, target)
            return following or self._misshapen(base, node, target, reason, self.left_out.diagnosis(node, target))
        except (TooLongProductError, UndecidedError) as error:
            finding = changed(base, verdict="undecided", explanation=str(error), culprit=self.context.span(node))
            return Link(finding, target)
        except ShapeError as error:
            return self._misshapen(base, node, target, str(error))
        except InputError as error:
            finding = changed(base, verdict="undecided", explanation=str(error), culprit=self.context.span(node))
            return Link(finding, target)

    def _words_before(self, node: t.Node) -> str:
        """Return the text before a side in its paragraph."""
        start = 0 if node.span is None else node.span[0]
        return self.context.work.text[max(0, start - _BEFORE) : start].rpartition("\n\n")[2]

    def _words_beside(self, node: t.Node) -> str:
        """Return the heading, the text before a side in its paragraph, and the text behind it in its line."""
        end = 0 if node.span is None else node.span[1]
        behind = self.context.work.text[end : end + _BEFORE].partition("\n")[0]
        return f"{self.context.binder.title} {self._words_before(node)} {behind}"

    def _row_of_mask(self, shape: tuple[int, int], target: Target) -> Target | None:
        """Return a row for ``mask = [1, 1, 0]``, where the mask is the same for all queries."""
        if base_of(target.name) != "M" or target.is_vector or 1 not in shape:
            return None
        exact = self.context.numbers.exact
        for laid, others in ((target, target.cells), (target.transposed, target.transposed.cells)):
            values = [[exact((target.name, *place)) for place in line] for line in others]
            row = Target(target.name, (laid.cells[0],))
            if row.shape[1] == max(shape) and all(line == values[0] for line in values):
                return row.in_shape(shape)
        return None

    def _are_sums_of_weights(self, node: t.Node, target: Target) -> bool:
        """Return whether all numbers are 1 where the exponentials of a row sum to something else."""
        formula = self.context.graph.nodes[target.name].formula
        numbers = (numbers_of(node, self.context) or ()) if axis_of_sum(formula) is not None else ()
        are_ones = bool(numbers) and all(
            one is not None and one.figure is not None and one.figure.value == 1 for one in numbers
        )
        return are_ones and not self.subjects.disambiguation.fits(node, target)

    def _is_masked_late(self, node: t.Node, target: Target) -> bool:
        """Return whether weights are multiplied by a mask that belongs to the scores."""
        nodes = self.context.graph.nodes
        return (
            is_weights(nodes[target.name].formula)
            and masks_weights(node)
            and any(is_of(item.formula, "mask", "mask-where") for item in nodes.values())
        )

    def _masked_late(self, base: Finding, node: t.Node, target: Target) -> Link:
        """Judge ``softmax(S) * mask``; dividing each row by its sum afterwards gives the right weights all the same."""
        finding = self.context.wrong(base, node, Diagnosis(*explain("mask-after")), Checks(operands=False))
        return Link(finding, target, formula=tuple(((target.name, i, j), False) for i, j in target.flat()))

    def _runs_down(self, node: t.Node, target: Target) -> bool:
        """Return whether a softmax over rows is told to run down the columns; on a single row that changes nothing."""
        formula = self.context.graph.nodes[target.name].formula
        is_of_rows = axis_of_weights(formula) == "rows" and not target.is_vector
        return is_of_rows and is_down_columns(bare(node))

    def _down_columns(self, base: Finding, node: t.Node, target: Target) -> Link:
        """Judge ``softmax(S, dim=0)``."""
        words = f"It runs down the columns, so that each column sums to 1: each row of {target.name} should."
        finding = self.context.wrong(base, node, Diagnosis("wrong-axis", words), Checks(operands=False))
        return Link(finding, target, formula=tuple(((target.name, i, j), False) for i, j in target.flat()))

    def _unsaid(self, base: Finding, said: Said, target: Target) -> Link | None:
        """Judge a number whose name may be any of several entries; the sum before it is judged all the same."""
        if not self.entry_inference.may_be(said.node, target):
            return None
        if self.left_out is not None and self.left_out.is_list(said.node, target):
            return None
        if said.previous is not None and has_numbers(said.previous):
            summed = self.arithmetic.link(base, said)
            if summed.finding.verdict == "wrong":
                return summed
        return self.entry_inference.link(base, said.node, target) or self.entry_inference.sum_of_nothing(base, target)

    def _membership(self, base: Finding, node: t.Space, target: Target | None) -> Link:
        """Judge ``∈ R^{3×2}`` by the shape of the target."""
        has_names = any(isinstance(item, t.Name) for item in walk(node))
        if target is None or has_names:
            return Link(changed(base, verdict="unchecked", explanation="Its shape is in names."), target)
        sizes = [figure(size) for size in node.dimensions]
        written = tuple(-1 if size is None else int(size.value) for size in sizes)
        allowed: set[tuple[int, ...]] = {target.shape}
        if target.is_vector:
            allowed |= {(max(target.shape),), target.shape[::-1]}
        if written in allowed:
            return Link(changed(base, checks=Checks(value=True)), target)
        shape = " × ".join(map(str, target.shape))
        return self._misshapen(base, node, target, f"{base.name} is {shape}, not in {self.context.source(node)}.")

    def _is_one_of(self, node: t.Node, target: Target) -> bool:
        """Return whether a number behind a word for a quantity, ``exp 8.33``, is right for one of its entries."""
        number = figure(node) if self.is_word else None
        cells = ((target.name, *place) for place in target.flat())
        return number is not None and any(self.context.numbers.judge(number, cell).is_right for cell in cells)

    def _elsewhere(self, node: t.Node, target: Target, *, lists: bool = False) -> Target | None:
        """Return a part of another quantity, whose values all numbers are; a row that is copied is a mistake."""
        numbers, shape = numbers_of(node, self.context), self.context.shape(node)
        return None if numbers is None or shape is None else self.values.elsewhere(numbers, shape, target, lists=lists)

    def _is_shape_stated(self, node: t.Node, target: Target) -> bool:
        """Return whether a side of another shape is meant for its target: a formula in names, or a matrix for a whole.

        What people write in numbers of another shape is nearly always something else than it was taken for.
        """
        if self.context.binder.strict:
            return True
        shape = self.context.shape(node)
        if not has_list(node) and any(self.context.binder.resolve(item) is not None for item in walk(node)):
            are_decimals = any(isinstance(item, t.Number) and not item.text.isdigit() for item in walk(node))
            letter = self.context.binder.resolve(t.Name("I")) if t.Name("I") in walk(node) else None
            is_unit = letter is not None and letter.guess  # the identity, rather than the input
            return not is_unit and (shape is not None or not are_decimals)
        is_whole = sorted(target.shape) == sorted(self.context.graph.shape(target.name))
        if shape == (1, 1):
            return is_whole and figure(node) is not None
        return shape is not None and is_whole and min(shape) > 1 and isinstance(bare(node), t.Matrix)

    def _misshapen(
        self, base: Finding, node: t.Node, target: Target | None, reason: str, known: Diagnosis | None = None
    ) -> Link:
        is_unknown = has_unknown_words(node, self.context.binder) or has_unknown_lines(node, self.context.binder)
        if target is not None and is_unknown:
            return Link(
                changed(base, verdict="unchecked", explanation="A word in it is not a name of this problem."), target
            )
        if target is None or target.guess or self.is_headed or self.is_auxiliary or self._is_one_of(node, target):
            is_habit = target is not None and (target.guess or self.is_auxiliary)
            taken = f"It was taken for {target.name} by habit, and does not fit: " if target and is_habit else ""
            return Link(changed(base, verdict="unchecked", name=None, explanation=f"{taken}{reason}"), None)
        explained = known or self.context.causes.explain(Cause(node, None, None, None))
        other = None if explained else self._elsewhere(node, target)
        if other is not None:
            words = f"Its numbers are those of {canonical(other, self.context.graph)}. {reason}"
            return Link(changed(base, verdict="ambiguous", name=None, explanation=words), None)
        is_stated = not self.context.binder.problem.online and self._is_shape_stated(node, target)
        if explained is None and not is_stated:
            words = f"It is not said clearly enough that this is {canonical(target, self.context.graph)}. {reason}"
            return Link(changed(base, verdict="ambiguous", name=None, explanation=words), None)
        is_statistic = base_of(target.name).startswith(("var_", "mu_"))
        if is_statistic and any(isinstance(item, t.SumOver) for item in walk(node)):
            words = "Whether its indices are those of a token or of a norm is not told."
            return Link(changed(base, verdict="unchecked", explanation=words), None)
        diagnosis = explained or Diagnosis("shape", reason)
        return Link(self.context.wrong(base, node, diagnosis, Checks(value=False), reason), target)


def _is_letter(node: t.Node | None) -> bool:
    """Return whether a side is a single letter, perhaps with indices."""
    head = node.base if isinstance(node, t.Subscript) else node
    return isinstance(head, t.Name) and len(head.text) == 1


def _of_this_chain(finding: Finding) -> Finding:
    """Return the finding with the mistake that a value follows from, which stands just before it."""
    is_single = finding.verdict == "follows" and finding.entries is None
    said = finding.explanation.replace("follows from an earlier mistake", "follows from the mistake before it")
    return changed(finding, explanation=said) if is_single else finding


def _faults(link: Link) -> int:
    """Return how many entries are wrong."""
    return sum(word not in HOLDS for _, word in link.verdicts)


def _withdrawn(link: Link) -> Link:
    return Link(changed(link.finding, verdict="withdrawn"), link.target)


def _alone(link: Link) -> Link:
    """Return the link of a lone number, which is unchecked unless it fits the heading."""
    is_number = link.finding.entries is None and link.target is not None and link.target.guess
    if not is_number or link.finding.verdict in HOLDS:
        return link
    words = "It does not say which quantity this number is."
    return Link(changed(link.finding, verdict="unchecked", name=None, explanation=words, diagnosis=None), None)
