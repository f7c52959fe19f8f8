"""Number or working written for one entry of a quantity: operands, arithmetic, value."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.operands import Mismatch, Mismatches
from symattn.checking.expressions.expression_kinds import by_figures, has_decimals, has_list, has_numbers, is_formula
from symattn.checking.expressions.numerals import (
    CLOSENESS,
    FITS,
    Figure,
    bare,
    figure,
    is_dash,
    is_infinity,
    is_minus_infinity,
)
from symattn.checking.expressions.terms import flat_terms, is_collected, is_rounding_of, is_term
from symattn.checking.grading.explanations import (
    entry_label,
    mismatch_diagnosis,
    mismatch_sentence,
    value_sentence,
)
from symattn.checking.grading.link import Cause, StatedValue
from symattn.checking.grading.softmax_shifts import largest, parts_of, scores_by_line
from symattn.checking.grading.value_text import in_style, show, style_of
from symattn.checking.grading.value_verdicts import Judged
from symattn.checking.graph.expansion import value_of
from symattn.checking.graph.formulas import Cell, axis_of_sum, axis_of_weights, is_weights
from symattn.checking.graph.large_negative_masks import is_far_below
from symattn.checking.graph.quantities import line_of
from symattn.checking.graph.scalar_values import exponential_if_known
from symattn.checking.graph.targets import Place, Target, entries_in
from symattn.checking.mistake_catalogue import KINDS, explain
from symattn.checking.report import Checks, Diagnosis, Verdict
from symattn.checking.report import Place as Where
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.sign import are_different
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.records import dataclass

_MAX_QUOTED = 60
"""Characters of somebody's text that are repeated in a sentence."""

_MOST_TAKEN = 2

_HIDES = "Minus infinity is written where the sheet has a number far below all others, which hides as much."


@dataclass(frozen=True, slots=True)
class Said:
    """A side in numbers, the side before it, their relation, and the earlier sides of the chain."""

    node: t.Node
    previous: t.Node | None
    operator: str
    earlier: tuple[t.Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One judged entry.

    `word` is the verdict on the number alone, whatever the working; None where no number is stated. `broken`
    says of working with a mistake whether the operation is the right one but for that. `plain` is the explanation
    without the cause. `is_hidden` says that minus infinity is written, `is_near` that a number follows from an
    earlier mistake only with digits that nobody sees.
    """

    cell: Cell
    verdict: Verdict
    checks: Checks
    text: str
    culprit: Where | None
    number: Figure | None = None
    word: Verdict | None = None
    explanation: str = ""
    diagnosis: Diagnosis | None = None
    taken: tuple[StatedValue, ...] = ()
    broken: bool | None = None
    plain: str = ""
    is_hidden: bool = False
    is_near: bool = False


class EntryJudge:
    """Judge of the number or working written for one entry."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context

    def judged(self, said: Said, target: Target, place: Place) -> Entry:
        """Return the judged entry of a side at a place of its target."""
        cell = (target.name, *target.cells[place[0]][place[1]])
        part = self.context.layout.entry(said.node, *place)
        before = self._part_of(said.previous, place, target)
        if is_minus_infinity(part) or is_infinity(part) or is_dash(part):
            if said.operator == "→":  # a limit, of whatever it may be
                return self._entry(part, cell, "unchecked", Checks())
            return self._without_number(part, cell)
        number = figure(part)
        if number is not None and not self._is_quotient(part, number, cell):
            return self._value(Said(part, before, said.operator), number, cell)
        return self._working(part, cell, before, ordered=has_list(said.node))

    def _entry(self, part: t.Node, cell: Cell, verdict: Verdict, checks: Checks, words: str = "", **more: Any) -> Entry:
        """Return an entry with its text and place, and with the other fields that are given."""
        text, span = self.context.source(part), self.context.span(part)
        return Entry(cell, verdict, checks, text, span, explanation=words, **more)

    def _wrong(
        self, part: t.Node, cell: Cell, checks: Checks, plain: str, diagnosis: Diagnosis | None, **more: Any
    ) -> Entry:
        """Return a wrong entry, its cause said before the plain sentence."""
        words = plain if diagnosis is None else f"{diagnosis.text} {plain}"
        return self._entry(part, cell, "wrong", checks, words, diagnosis=diagnosis, plain=plain, **more)

    def _is_quotient(self, part: t.Node, number: Figure, cell: Cell) -> bool:
        """Return whether ``148/316`` is the working of a weight and not its value."""
        if not isinstance(bare(part), t.Division) or self.context.numbers.judge(number, cell).is_right:
            return False
        return self.context.operands.is_definition(part, cell)

    def _part_of(self, previous: t.Node | None, place: Place, target: Target) -> t.Node | None:
        """Return the same entry of the side before, where that is written in numbers and has the shape."""
        if previous is None or not has_numbers(previous) or is_formula(previous):
            return None
        shape = self.context.shape(previous)
        if shape is None or shape not in {target.shape, target.shape[::-1]}:
            return None
        return self.context.entry(previous, *(place if shape == target.shape else place[::-1]))

    def _without_number(self, part: t.Node, cell: Cell) -> Entry:
        """Judge minus infinity, or a dash: a hidden key, or a missing value."""
        exact, text = self.context.numbers.exact(cell), self.context.source(part)
        is_hidden = exact is MINUS_INFINITY and not is_infinity(part)
        if is_hidden or (is_dash(part) and (exact is None or exact.is_zero)):
            return self._entry(part, cell, "right", Checks(value=True), word="right", is_hidden=is_hidden)
        shown = self.context.numbers.shown(cell)
        if is_minus_infinity(part) and self.context.numbers.hides(cell):
            return self._entry(part, cell, "rounded", Checks(value=True), _HIDES, word="rounded", plain=_HIDES)
        if is_dash(part) or exact is None:
            what = "has no value" if shown is None else f"is {shown}"
            words = f"{entry_label(cell)} {what}; what {text} means here is not decided."
            return self._entry(part, cell, "undecided", Checks(), words)
        plain = f"{entry_label(cell)} is {shown}, not {text}."
        diagnosis = Diagnosis(*explain("sign")) if exact is MINUS_INFINITY else None
        is_hidden = not is_infinity(part)
        return self._wrong(part, cell, Checks(value=False), plain, diagnosis, word="wrong", is_hidden=is_hidden)

    def _value(self, said: Said, number: Figure, cell: Cell) -> Entry:
        """Judge a number for an entry: against the right value, and against the side before it."""
        if number.mixed is not None:
            return self._mixed(said, number, cell)
        before = said.previous
        judged = self.context.numbers.judge(number, cell)
        if (
            not judged.is_right
            and before is not None
            and self._is_worked_out(before, number, cell, exactly=judged.verdict == "coarse")
        ):
            judged = Judged("carried", is_right=True)
        is_right = judged.is_right or judged.verdict == "coarse"
        arithmetic = None if before is None else self._comes_to(said, before, number, cell, is_right=is_right)
        if arithmetic is False and judged.verdict == "follows" and before is not None:
            # In names it stands for the person's own numbers: QK^T after a QK^T that was transposed.
            arithmetic = self._has_names(before) and self._is_worth(before, cell)
        verdict, rests_on_mistake = judged.verdict, self.context.numbers.rests_on_mistake
        if arithmetic is False:
            verdict = "wrong"
        elif verdict == "wrong" and (arithmetic or self.context.is_repeated(number, cell)) and rests_on_mistake(cell):
            verdict = "follows"
        checks = Checks(arithmetic=arithmetic, value=judged.is_right)
        plain, diagnosis = self._explained(said, number, cell, Judged(verdict, judged.is_right), checks)
        is_caused = diagnosis is not None and diagnosis.text != plain
        explanation = f"{diagnosis.said} {plain}" if diagnosis is not None and is_caused else plain
        word = judged.verdict if arithmetic is False else verdict
        return Entry(
            cell, verdict, checks, self.context.source(said.node), self.context.span(said.node), number, word,
            explanation, diagnosis, plain=plain, is_near=judged.is_near,
        )  # fmt: skip

    def _explained(
        self, said: Said, number: Figure, cell: Cell, judged: Judged, checks: Checks
    ) -> tuple[str, Diagnosis | None]:
        """Return the explanation of a number, and the likeliest cause where it is wrong."""
        verdict = judged.verdict
        if verdict in {"right", "rounded"}:
            sheets = None if verdict == "right" else self.context.numbers.other_rounding(number, cell)
            return (
                "" if sheets is None else f"Rounded otherwise than the sheet says, whose steps lead to {sheets}.",
                None,
            )
        expected = self.context.numbers.shown(cell, number)
        if verdict == "carried":
            end = self.context.numbers.at_end(cell, number)
            return f"Right from rounded numbers; rounded once at the end it is {end}.", None
        comes = None
        if checks.arithmetic is False and said.previous is not None:
            value = self.context.value(said.previous, self.context.numbers.own())
            comes = None if value is None else show(value, number, None)
        sentence = value_sentence(number, cell, expected, judged, comes)
        diagnosis = None
        if verdict in {"wrong", "truncated"} and not judged.is_right:
            diagnosis = self.context.causes.explain(Cause(said.node, cell, number, said.previous))
        if diagnosis is None and checks.arithmetic is False:
            diagnosis = Diagnosis("arithmetic", sentence)
        return sentence, diagnosis

    def _has_names(self, node: t.Node) -> bool:
        return any(isinstance(item, t.Name) and self.context.binder.resolve(item) is not None for item in walk(node))

    def _is_worth(self, node: t.Node, cell: Cell) -> bool:
        exact = self.context.numbers.exact(cell)
        return exact is not None and self.context.value(node, self.context.numbers.base) == exact

    def _mixed(self, said: Said, number: Figure, cell: Cell) -> Entry:
        """Judge ``2^{1/2}``, which is a root but may be meant as two and a half."""
        text = self.context.source(said.node)
        value = number.value if number.mixed is None else number.mixed
        is_meant = self.context.numbers.judge(Figure(value, None), cell).is_right
        if is_meant:
            sentence = f"{text} is a root; the mixed number {value} is meant, perhaps."
        else:
            sentence = f"{entry_label(cell)} is {self.context.numbers.shown(cell)}, not {text}."
        # A root is irrational, and the side before it is rational.
        checks = Checks(arithmetic=None if said.previous is None else False, value=False)
        diagnosis = Diagnosis("mixed-number", sentence) if is_meant else None
        return Entry(
            cell, "wrong", checks, text, self.context.span(said.node), number, "wrong", sentence, diagnosis
        )  # fmt: skip

    def _comes_to(self, said: Said, before: t.Node, number: Figure, cell: Cell, *, is_right: bool) -> bool | None:
        """Return whether the side before has the value of a number, as written or with unrounded digits."""
        numbers = self.context.numbers
        shown = by_figures(number) if said.operator == "≈" and numbers.is_coarse else number
        words = [numbers.close(shown, value) for value in self.context.worth(before)]
        if not words:
            return None
        close = min(words, key=CLOSENESS.index)
        if close != "equal" and number.unit == 1 and said.operator != "≈" and not has_decimals(before):
            # Between whole numbers and fractions there is nothing to round.
            return False
        earlier = figure(before)
        if close in FITS or (earlier is not None and numbers.close(earlier, Quotient.of(number.value)) in FITS):
            return True
        value = numbers.carried(cell)
        is_prescribed = value is not None and numbers.close(number, value) == "equal"
        # Of a sheet that rounds at the end alone, or not at all, the operands are shown rounded, too.
        is_prescribed = is_prescribed or (is_right and value in (None, numbers.exact(cell)))
        may_carry = (is_right or numbers.is_unrounded(number, cell)) and (is_prescribed or not numbers.strict)
        # More digits were carried than are shown: the operands are right, and so is the result. Otherwise
        # cut off is what the verdict of the value says; the sum itself was done rightly.
        return close == "cut" or (may_carry and self.context.operands.is_definition(before, cell))

    def _is_worked_out(self, before: t.Node, number: Figure, cell: Cell, *, exactly: bool) -> bool:
        """Return whether a number is the value of right operands, on the way to a rounded one."""
        allowed = {"equal"} if self.context.numbers.strict or exactly else FITS
        if not any(self.context.numbers.close(number, value) in allowed for value in self.context.worth(before)):
            return False
        is_working = self.context.operands.is_definition(before, cell) or self._is_complement(before, cell)
        return is_working and not self._rests_on_mistakes(cell)

    def _rests_on_mistakes(self, cell: Cell) -> bool:
        """Return whether an earlier wrong number may explain the operands of an entry."""
        graph, prints = self.context.graph, self.context.numbers.prints.items()
        rests = {name for name in graph.nodes if cell[0] == name or cell[0] in graph.below(name)}
        others = ((written, found) for written, found in prints if written != cell)
        return any(not found[-1].holds for written, found in others if written[0] in rests)

    def _working(self, part: t.Node, cell: Cell, before: t.Node | None, *, ordered: bool) -> Entry:
        """Judge written arithmetic for an entry by comparing its operands with the definition."""
        named = self.context.binder.resolve(part)
        if named is not None and (named.name, named.only) == (cell[0], cell[1:]):
            return self._entry(part, cell, "right", Checks())
        if self._is_closed_form(part, cell) or self._stands_for_infinity(part, cell):
            return self._entry(part, cell, "right", Checks(operands=True))
        mismatches = self.context.operands.compare(part, cell, ordered=ordered)
        if mismatches == () or self._is_otherwise_right(part, cell, before):
            return self._entry(part, cell, "right", Checks(operands=True))
        if mismatches is None:
            return self._other_way(part, cell, before)
        if any(map(_is_of_another, mismatches)):
            return self._other_formula(part, cell, before)
        return self._mistaken(part, cell, before, mismatches)

    def _other_formula(self, part: t.Node, cell: Cell, before: t.Node | None) -> Entry:
        """Judge a formula in names other than the definition by its value here, which may be right by chance."""
        by_chance = (self.context.numbers.exact(cell), self.context.numbers.own().get(*cell))
        if not any(value in by_chance for value in self.context.worth(part)):
            return self._other_way(part, cell, before)
        words = f"{_short(self.context.source(part))} is not what {entry_label(cell)} is made of."
        cause = Diagnosis("formula", words)
        return self._entry(
            part, cell, "wrong", Checks(operands=False), words, diagnosis=cause, plain=words, broken=False
        )

    def _is_closed_form(self, part: t.Node, cell: Cell) -> bool:
        """Return whether working is a value with its terms collected: ``4 - 2√2``, ``2 x + 2``, ``-3 e^{-1/2}``."""
        exact = self.context.numbers.exact(cell)
        if exact is None or not exact.is_finite or not exact.is_closed:
            return False
        is_one = exact.plain_rational() is None and is_term(part, self._is_symbol)
        if not is_one and not is_collected(part, self._is_symbol):
            return False
        if exact.polynomial() is None and "@" not in cell[0]:
            return False  # exponentials are the working of what is made of them
        return self.context.value(part, self.context.numbers.base) == exact

    def _is_symbol(self, node: t.Node) -> bool:
        found = self.context.binder.constant(node)
        return found is not None and bool(found.symbols)

    def _stands_for_infinity(self, part: t.Node, cell: Cell) -> bool:
        """Return whether a number is ``-10^9`` where an entry is hidden."""
        if self.context.numbers.exact(cell) is not MINUS_INFINITY:
            return False
        value = self.context.value(part, self.context.numbers.base)
        return value is not None and is_far_below(value)

    def _is_otherwise_right(self, part: t.Node, cell: Cell, before: t.Node | None) -> bool:
        """Return whether working is another closed form of a weight or row sum, or the side before, partly rounded.

        Sums of products are not excused so: wrong operands can come to the right sum.
        """
        if before is not None and is_rounding_of(part, before, self.context.worth, self.context.numbers.close_as_asked):
            return self.context.operands.is_definition(before, cell)
        formula = self.context.graph.nodes[cell[0]].formula
        if not is_weights(formula) and axis_of_sum(formula) is None:
            return self._is_divided_at_last(part, cell)
        if self._is_complement(part, cell):
            return True
        exact, numbers = self.context.numbers.exact(cell), self.context.numbers
        if numbers.strict and self._names_sum_of_another_line(part, cell):
            return False
        strictly = [self.context.value(part, numbers.base)]
        # Anything over anything is 0 where the key is hidden: only the operands show the working.
        is_hidden = exact is not None and exact.is_finite and exact.is_zero
        return (
            exact is not None and not is_hidden and exact in (strictly if numbers.strict else self.context.worth(part))
        )

    def _is_divided_at_last(self, part: t.Node, cell: Cell) -> bool:
        """Return whether working is a sum of exponentials times values over their own sum, less a maximum or not."""
        numbers, graph, parts, node = self.context.numbers, self.context.graph, parts_of(self.context.graph), bare(part)
        above, below = (
            (figure(node.numerator), figure(node.denominator)) if isinstance(node, t.Division) else (None, None)
        )
        is_output = parts is not None and base_of(cell[0]) == "O" and parts.weights in graph.parents(cell[0])
        if parts is None or above is None or below is None or numbers.strict or not is_output:
            return False
        line = cell[2] if parts.axis == "columns" else cell[1]
        total, exact, scores = numbers.exact((parts.sums, line, 0)), numbers.exact(cell), scores_by_line(graph, parts)
        if total is None or exact is None or not scores:
            return False
        factors = (exponential_if_known(-by) for by in (Quotient.of(0), largest(scores[line])))
        sums = [total * factor for factor in factors if factor is not None]
        return any(
            numbers.close(below, value) in FITS and numbers.close(above, exact * value) in FITS for value in sums
        )

    def _names_sum_of_another_line(self, part: t.Node, cell: Cell) -> bool:
        """Return whether the denominator is a named row sum that only happens to have the value of the right one."""
        for node in walk(part):
            named = self.context.binder.resolve(node)
            formula = None if named is None else self.context.graph.nodes[named.name].formula
            axis = axis_of_sum(formula)
            if named is None or named.only is None or axis is None or named.name == cell[0]:
                continue
            if named.only[0] != (cell[1] if axis == "rows" else cell[2]):
                return True
        return False

    def _is_complement(self, part: t.Node, cell: Cell) -> bool:
        """Return whether working is ``1 - 0.16 - 0.42``, the complement of the other weights of the line."""
        axis = axis_of_weights(self.context.graph.nodes[cell[0]].formula)
        if axis is None or self.context.numbers.strict:
            return False
        places = line_of(self.context.graph.shape(cell[0]), axis, cell[1], cell[2])
        others = [(cell[0], *place) for place in places if place != cell[1:]]
        one, *rest = flat_terms(part)
        first = figure(one)
        taken = [figure(term.body) if isinstance(term, t.Negative) else None for term in rest]
        if first is None or first.value != 1 or not taken or len(taken) > len(others):
            return False
        left = others
        # What is written finely fits one weight, a rough 0 many.
        for number in sorted(taken, key=lambda item: item.unit or 0 if item is not None else 0):
            found = [other for other in left if number is not None and self.context.numbers.accepts(number, other)]
            if not found:
                return False
            left = [other for other in left if other != found[0]]
        # What is zero to the places that are written may be left out.
        units = [number.unit for number in taken if number is not None and number.unit is not None]
        zero = Figure(Fraction(0), min(units, default=None))
        return all(self.context.numbers.accepts(zero, other) for other in left)

    def _mistaken(self, part: t.Node, cell: Cell, before: t.Node | None, mismatches: Mismatches) -> Entry:
        copied, source = self.context.numbers.copied, self._as_written
        sentences = [
            mismatch_sentence(item, source(item.node), copied, self._part_shown(item)) for item in mismatches[:3]
        ]
        worth = self.context.value(part, self.context.numbers.own())
        found = self.context.causes.explain(Cause(part, cell, None, before, mismatches, worth))
        diagnosis = found or mismatch_diagnosis(mismatches[0], sentences[0])
        is_whole = diagnosis.code in KINDS["of-all-terms"]
        sentence = diagnosis.text if is_whole else " ".join([diagnosis.text, *sentences[1:]])
        culprit = self.context.span(mismatches[0].node)
        is_plain = found is None or found.code == "operand"
        return Entry(
            cell, "wrong", Checks(operands=False), source(part), culprit, explanation=sentence, diagnosis=diagnosis,
            plain=sentence if is_whole else "", taken=self._taken(mismatches) if is_plain else (),
            broken=_is_alike(part, mismatches),
        )  # fmt: skip

    def _as_written(self, node: t.Node) -> str:
        """Return the source text, with the minus sign that stands before it in a sum."""
        text = self.context.source(node)
        is_turned = isinstance(node, t.Negative) and node.span is not None and node.span == node.body.span
        return f"-{text}" if is_turned else text

    def _taken(self, mismatches: Mismatches) -> tuple[StatedValue, ...]:
        """Return numbers of the working that stand for unnamed entries, with which the work goes on.

        A few only: of many that do not fit, it is not known what each stands for.
        """
        found: dict[Cell, Figure] = {}
        for item in mismatches:
            number = figure(item.node)
            if item.kind != "operand" or item.cell is None or number is None or number.mixed is not None:
                return ()
            if self.context.graph.nodes[item.cell[0]].formula is not None:
                found[item.cell] = number
        return tuple((cell, number, False) for cell, number in found.items()) if len(found) <= _MOST_TAKEN else ()

    def _part_shown(self, item: Mismatch) -> str:
        value = None if item.part is None else value_of(item.part, self.context.numbers.own().get)
        return "" if value is None else show(value, figure(item.node), None)

    def _other_way(self, part: t.Node, cell: Cell, before: t.Node | None) -> Entry:
        """Judge arithmetic of another structure than the definition by its value alone."""
        numbers, text = self.context.numbers, self.context.source(part)
        value = self.context.value(part, numbers.own())
        exact = numbers.exact(cell)
        if exact is not None and exact in self.context.worth(part):
            return self._entry(part, cell, "right", Checks(operands=True))
        if value is None or exact is None:
            words = f"{_short(text)} cannot be computed here."
            return self._entry(part, cell, "undecided", Checks(), words)
        is_carried = value in numbers.steps(cell, good=True) or value == numbers.own(good=True).get(*cell)
        if (is_carried and not numbers.strict) or value == numbers.carried(cell):
            return self._entry(part, cell, "carried", Checks(operands=True))
        style = style_of(part)
        right = f"{entry_label(cell)} is {numbers.shown(cell, style)}."
        may_follow = numbers.rests_on_mistake(cell)
        if may_follow and (value in numbers.steps(cell) or value == numbers.own().get(*cell)):
            words = f"It follows from an earlier mistake; {right}"
            return self._entry(part, cell, "follows", Checks(operands=True), words)
        if may_follow and before is not None and value == self.context.value(before, numbers.own()):
            words = f"It follows from what stands before it; {right}"
            return self._entry(part, cell, "follows", Checks(arithmetic=True), words)
        if not are_different(value, exact):
            words = f"Enclosures do not tell whether {_short(text)} is {entry_label(cell)}."
            return self._entry(part, cell, "undecided", Checks(), words)
        words = f"{_short(text)} comes to {in_style(value, style, numbers.asked(cell[0]))}; {right}"
        diagnosis = self.context.causes.explain(Cause(part, cell, None, before, worth=value))
        return self._wrong(part, cell, Checks(operands=False), words, diagnosis, broken=False)


def _is_of_another(item: Mismatch) -> bool:
    """Return whether the entry of a formula stands for that of another quantity: nobody copied it."""
    names = entries_in(item.node)
    return item.cell is not None and bool(names) and item.cell[0] not in names


def _is_alike(part: t.Node, mismatches: Mismatches) -> bool:
    """Return whether working is the definition but for one slip: a number, a term, the numbers of another line."""
    return len(mismatches) <= max(1, sum(isinstance(item, t.Number) for item in walk(part)) // 2)


def _short(text: str) -> str:
    return text if len(text) <= _MAX_QUOTED else "What is written"
