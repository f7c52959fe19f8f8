"""Grading of one submission: reading, binding, judging and explaining it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from symattn import late
from symattn.checking.context import GradingContext
from symattn.checking.evaluation.formula_equality import Formulas
from symattn.checking.evaluation.step_rounding import DEFAULT_TIES, StepRounding
from symattn.checking.expressions.numerals import Figure
from symattn.checking.grading import unsaid_answers
from symattn.checking.grading.error_impact import ErrorImpact
from symattn.checking.grading.link import Link
from symattn.checking.grading.marks import marks_of
from symattn.checking.grading.policy_inference import Numbered, Stated, policy_of
from symattn.checking.grading.softmax_shifts import MOVED, Shifts, improves, is_alike, merged, moved_by, parts_of
from symattn.checking.grading.unrounded_values import NOTHING, Handed
from symattn.checking.grading.value_verdicts import Invariants, Numbers
from symattn.checking.graph.formulas import Axis, Cell
from symattn.checking.graph.layer import graph_of_definitions, graph_of_layer, in_one_form, is_defined, node_name
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.graph.requested_quantities import by_hand, missing_cells, missing_names
from symattn.checking.joint_resolution.survey import Survey
from symattn.checking.link_judges.chains import Chains
from symattn.checking.link_judges.prose_statements import Judge, ProseStatements
from symattn.checking.mistakes.causes import MOST_SEARCHES, Causes
from symattn.checking.names import gradients
from symattn.checking.names.binding import Binder
from symattn.checking.names.blocks import BlockNames, NormNames
from symattn.checking.names.index_base import base_of
from symattn.checking.names.raised_numbers import without_intermediates, without_layer_zero
from symattn.checking.names.token_names import TokenNames, letter_as_word
from symattn.checking.report import Finding, Report
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.graph.builders import definitions
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer
from symattn.graph.quantities.quantity import Grid
from symattn.notation.documents.reader import Format, read_work
from symattn.notation.submission import Heading, Prose, Work, Written
from symattn.problem.model import Problem
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.checking.grading.block_inputs import BlockInput


_SINGLE_PRECISION = late.pattern(r"float32|\btensor\(|\btf\.")
"""Signs that a program computed in single precision."""

_SINGLE = Fraction(1, 2**21)
"""Relative error of a result in single precision: a few units of its last place."""

_SEVEN_DIGITS = 10**6


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged work: every link, the meaning of its names, and its numbers."""

    links: list[Link]
    binder: Binder
    numbers: Numbers


class Checker:
    """Checker of works against one problem, or against one of several blocks.

    Args:
        problem: what was asked, of the one block where there are several.
        strict: whether only the sheet's own rounding is accepted.
        block_input: where a later block starts.
    """

    def __init__(self, problem: Problem, *, strict: bool = False, block_input: BlockInput | None = None) -> None:
        self.problem = problem
        self.strict = strict or problem.policy.strict
        self.block_input = block_input
        start = {} if block_input is None or block_input.carried is None else {block_input.into: block_input.carried}
        self.layer: Layer | None = None if is_defined(problem) else attention_layer(problem, start)
        if self.layer is None:
            self.graph: Graph = graph_of_definitions(self.key)
        else:
            self.graph = graph_of_layer(self.layer)
        if block_input is not None:
            self.graph = block_input.opened(self.graph)
        self.moved: frozenset[str] = frozenset()
        self._carried_values: dict[Cell, Quotient | None] = {}
        self._invariants = Invariants(self.graph)
        self.asks_shift = problem.policy.shift

    @cached_property
    def key(self) -> Layer:
        """Return the quantities of the key of the problem."""
        return definitions.defined_layer(self.problem) if self.layer is None else self.layer

    @cached_property
    def carried_of_key(self) -> Mapping[str, Grid]:
        """Return the values of the key under the sheet's rounding, by the names of the graph."""
        name_of = node_name if is_defined(self.problem) else str
        return {name_of(name): quantity.carried for name, quantity in self.key.scene.quantities.items()}

    def report(self, text: str, form: Format, source: str) -> Report:
        """Return the report on one work."""
        work = self.read(text, form)
        checker, judged = self.settled(work, self.base(work))
        return checker.report_of(work, source, judged)

    def read(self, text: str, form: Format) -> Work:
        """Return a work with one canonical name for each quantity."""
        work = self._with_token_names(text, form) or read_work(text, form)
        return self.renamed(without_layer_zero(work, has_heads=self.problem.heads > 1))

    def _with_token_names(self, text: str, form: Format) -> Work | None:
        """Return a work with numbers for the words of tokens in indices; None where it has none."""
        if self.layer is None or form == "ipynb":
            return None
        own = {word.casefold() for name in self.layer.scene.quantities for word in name.split("_")[1:]}
        names = TokenNames(text, self.problem.n_q, self.problem.n_k, own)
        if not names.places:
            return None
        work = read_work(names.respelled(text), form)
        base = self.base(work)
        work = work if base else read_work(names.respelled(text, base), form)
        return replace(work, source=text, tokens=tuple(map(letter_as_word, names.places)))

    def renamed(self, work: Work) -> Work:
        """Return the work with one canonical name for each quantity."""
        if self.layer is None:
            return without_intermediates(work, self.key)
        if self.problem.gradient is not None:
            work = gradients.GradientNames(self.graph, self.problem).of_work(work)
        if self.problem.block is not None and self.layer is not None:
            work = NormNames(self.graph, self.problem, self.layer.scene).of_work(BlockNames(self.problem).of_work(work))
        return work

    def base(self, work: Work) -> int:
        """Return the index base of the work, 0 or 1."""
        names = {*self.graph.nodes, *self.problem.names.values()}
        return base_of(without_layer_zero(work, has_heads=False), names, self._largest)

    def settled(self, work: Work, base: int, handed: Handed = NOTHING) -> tuple[Checker, Judged]:
        """Return the judged work and its judge, which subtracts row maxima where the person did so unasked.

        Args:
            work: with its names rewritten.
            base: where it begins to count.
            handed: what the work on the block before comes to.
        """
        judged = self.judged(work, base, handed)
        shifted = None if self.strict else self._shifted(work, judged, base, handed)
        return (self, judged) if shifted is None else shifted

    def judged(self, work: Work, base: int, handed: Handed = NOTHING) -> Judged:
        """Return every statement of a work judged, from its first to its last."""
        resolved = self.survey(work, base, handed).resolved()
        context = self._context(work, base, handed)
        judge = Chains(context, resolved)
        links = judge.mask_before_scale.settled(self._read(work, context, judge))
        return Judged(links, context.binder, context.numbers)

    def survey(self, work: Work, base: int, handed: Handed = NOTHING) -> Survey:
        """Return every statement of a work with the evidence for what it is about; nothing is judged."""
        context = self._context(work, base, handed)
        survey = Survey(context)
        self._read(work, context, survey)
        return survey

    def _context(self, work: Work, base: int, handed: Handed) -> GradingContext:
        """Return names and numbers of a work before anything of it is read."""
        scene = None if self.layer is None else self.layer.scene
        binder = Binder(self.graph, self.problem, scene, base, strict=self.strict)
        binder.heads.count_as(work)
        if self._invariants.graph is not self.graph:  # what a quantity is made of has changed
            self._invariants = Invariants(self.graph)
        is_single = _SINGLE_PRECISION.search(work.text) is not None and "float64" not in work.text

        def tolerance(name: str, written: Figure) -> Fraction:
            is_long = written.unit is not None and abs(written.value) >= _SEVEN_DIGITS * written.unit
            stated = self.problem.tolerance.get(name, Fraction(0))
            return max(stated, abs(written.value) * _SINGLE) if is_single and is_long else stated

        numbers = Numbers(
            self._invariants, self._carried, self._asked, tolerance, strict=self.strict, handed=handed,
            steps=self._step_rounding,
        )  # fmt: skip
        formulas = Formulas(self.graph, binder, self._axis)
        return GradingContext(work, self.graph, binder, numbers, formulas, Causes(self.graph, numbers, self.layer))

    def _shifted(self, work: Work, before: Judged, base: int, handed: Handed) -> tuple[Checker, Judged] | None:
        """Return the work judged as one that subtracts row maxima unasked, None where that explains nothing.

        Where 1 is added to the sums, subtracting changes the weights, and explains nothing.
        """
        is_plain = self.layer is not None and not self.layer.is_shifted and not self.graph.adds_one
        parts = parts_of(self.graph) if is_plain else None
        shifts = None if parts is None else Shifts(self.graph, parts, work.text)
        links = before.links
        if any(not found.holds for found in handed.prints.values()):
            # What follows from the block before says nothing about this one.
            links = [link for link in links if link.finding.verdict != "follows"]
        if shifts is None or not shifts.is_likely(links):
            return None
        problem = replace(self.problem, policy=replace(self.problem.policy, shift=True))
        checker = Checker(problem, block_input=self.block_input)
        others = shifts.others(before.links)
        if checker.layer is None or not checker.layer.is_shifted:
            return None
        checker.asks_shift = False
        checker.subtract(others)
        after = checker.judged(work, base, handed)
        good, worse = shifts.explained(before.links, after.links)
        if good and worse:
            checker.subtract({**others, **dict.fromkeys(worse, Quotient.of(0))})
            after = checker.judged(work, base, handed)
            good, _ = shifts.explained(before.links, after.links)
        if not good or not is_alike(before.links, after.links):
            return (checker, after) if good and improves(before.links, after.links) else None
        return checker, replace(after, links=merged(before.links, after.links, checker.graph))

    def subtract(self, shifts: Mapping[int, Quotient]) -> None:
        """Subtract other numbers than the maximum from the scores of some lines."""
        if shifts:
            self.graph, self.moved = moved_by(self.graph, shifts), MOVED

    def report_of(self, work: Work, source: str, judged: Judged) -> Report:
        """Return the report on a judged work."""
        links, numbers = self.with_unsaid(judged, work.text), judged.numbers
        judged = replace(judged, links=links)
        return Report(
            source,
            work.shown,
            self.findings(judged),
            policy_of([self.numbered(judged)], self.problem.policy),
            self._first(links),
            self.missing(judged),
            marks_of(links, self.problem, self.graph, numbers),
            (*self.habits(judged), *self.remarks(judged), *for_a_person(self.problem)),
        )

    def findings(self, judged: Judged) -> tuple[Finding, ...]:
        """Return the findings, marked as harmless where they are."""
        harm = ErrorImpact(self.graph, judged.links, self._shown, self._by_step, judged.numbers.kept)
        return tuple(harm.marked(link) for link in judged.links)

    def numbered(self, judged: Judged) -> Numbered:
        """Return the numbers of the work, and their reference values for inferring a policy."""
        source = None if self.block_input is None else (self.block_input.source, self.block_input.name)
        return Numbered(_stated(judged.links), self.graph, self._under_policy, judged.numbers.kept, source)

    def with_unsaid(self, judged: Judged, text: str) -> list[Link]:
        """Return the links, with those ambiguous whose numbers fit what was asked for and not found."""
        asked = missing_cells(_found(judged.links), self.problem, judged.numbers.base)
        absent = [cell for _, cells in asked for cell in cells]
        return unsaid_answers.added(judged.links, absent, judged.numbers, text) if absent else list(judged.links)

    def missing(self, judged: Judged) -> tuple[str, ...]:
        """Return the requested quantities that were not found."""
        return missing_names(_found(judged.links), self.problem, judged.numbers.base)

    def _read(self, work: Work, context: GradingContext, judge: Judge) -> list[Link]:
        """Return what is found about each statement of a work, in its order."""
        spoken = ProseStatements(context, judge)
        found: list[Link] = []
        for piece in work.pieces:
            match piece:
                case Heading():
                    context.binder.under(piece.text, piece.level)
                    judge.subjects.unlabelled.titled(piece.text)
                    judge.forget()
                case Prose() | Written():
                    try:
                        found.extend(spoken.piece(piece))
                    except InputError as error:
                        found.append(context.undecided(piece, error))
        return found

    def habits(self, judged: Judged) -> tuple[str, ...]:
        """Return remarks on the person's index base and softmax shifts, where they differ from the sheet."""
        remarks = []
        if judged.binder.base == 0:
            remarks.append("Rows and columns are counted from 0 in this work.")
        if self.layer is not None and self.layer.is_shifted and not self.asks_shift:
            remarks.append("Scores are shifted before the exponentials, unlike on the sheet; no weight changes.")
        return tuple(remarks)

    def remarks(self, judged: Judged) -> tuple[str, ...]:
        """Return remarks on outputs under another rounding, and on everything that was not checked."""
        spent = ", ".join(sorted(judged.numbers.unexplained))
        said = (f"Causes are named for the first {MOST_SEARCHES} wrong numbers of {spent} only.",) if spent else ()
        verdicts = (item for link in judged.links for item in link.verdicts)
        carried = {cell for cell, word in verdicts if word == "carried" and cell[0] == "O"}
        shown = [f"O[{i + 1},{j + 1}] {decimal(value, self._shown(name))}" for name, i, j in sorted(carried)
                 if (value := Valuation(self.graph).get(name, i, j)) is not None]  # fmt: skip
        return (*((f"Rounded once at the end the outputs are {', '.join(shown)}.",) if shown else ()), *said)

    def _shown(self, name: str) -> Rounding:
        """Return the rounding for comparing values of a quantity where later answers are concerned."""
        step = self.graph.nodes[name].step
        return self.problem.policy.display(step or "outputs")

    def _by_step(self, name: str) -> Rounding | None:
        """Return the sheet's rounding of the values of a quantity that are used further."""
        step = self.graph.nodes[name].step
        return self.problem.policy.at(step) if step else None

    @property
    def _step_rounding(self) -> StepRounding:
        """Return the sheet's rounding of all that is used further."""
        policy = self.problem.policy
        if not policy.steps:
            return StepRounding(ties=self._ties)
        return StepRounding(self._by_step, policy.at("products"), self._ties)

    def _under_policy(self, cell: Cell) -> Quotient | None:
        """Return the sheet's value of an entry: step-rounded where it rounds, exact where it does not."""
        if self.layer is None or cell[0] in self.moved or cell[0] not in self.layer.scene.quantities:
            return Valuation(self.graph).get(*cell)
        value = self.layer.scene.quantities[cell[0]].carried[cell[1]][cell[2]]
        return value if value is None else in_one_form(value)

    @property
    def _largest(self) -> int:
        """Return the largest number of rows or columns of any quantity."""
        return max(size for name in self.graph.nodes for size in self.graph.shape(name))

    @property
    def _axis(self) -> Axis:
        return "columns" if self.problem.softmax == "columns" else "rows"

    @property
    def _ties(self) -> str:
        policy = self.problem.policy
        return policy.rounding.ties if policy.declared else DEFAULT_TIES

    def _carried(self, cell: Cell) -> Quotient | None:
        if not self.problem.policy.declared or cell[0] in self.moved or cell[0] not in self.carried_of_key:
            return None
        if cell not in self._carried_values:
            value = self.carried_of_key[cell[0]][cell[1]][cell[2]]
            self._carried_values[cell] = value if value is None else in_one_form(value)
        return self._carried_values[cell]

    def _asked(self, name: str) -> Rounding | None:
        if not self.problem.policy.declared or name not in self.graph:
            return None
        step = self.graph.nodes[name].step
        return self.problem.policy.display(step) if step else None

    def _first(self, links: list[Link]) -> int | None:
        ranks = self.ranks(links)
        wrong = [position for position, link in enumerate(links) if link.finding.verdict == "wrong"]
        return min(wrong, key=lambda position: (ranks[position], position)) if wrong else None

    def ranks(self, links: list[Link]) -> list[int]:
        """Return the position of each statement's quantity in the order of computation.

        A statement about none stands where it is written, behind the one before it.
        """
        found: list[int] = []
        for link in links:
            name = link.target.name if link.target is not None else link.taken[0][0][0] if link.taken else None
            before = found[-1] if found else 0
            found.append(before if name is None else self.graph.order[name])
        return found


def for_a_person(problem: Problem) -> tuple[str, ...]:
    """Return the requests of each part that a program cannot judge."""
    return tuple(
        f"For a person to judge: {', '.join(by_hand(part))} ({part.title or 'a part without title'})."
        for part in problem.parts
        if by_hand(part)
    )


def _stated(links: list[Link]) -> list[Stated]:
    return [
        Stated(cell, number, position)
        for position, link in enumerate(links)
        for cell, number, _ in link.stated
        if number.mixed is None and link.finding.verdict != "withdrawn"
    ]


def _found(links: list[Link]) -> set[Cell]:
    return {cell for link in links if link.finding.verdict != "withdrawn" for cell, _ in link.verdicts}
