"""Numbers and working for the entries of a quantity: operands, arithmetic, value."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from symattn.checking.evaluation.matrix_layout import SCALAR
from symattn.checking.evaluation.operands import Mismatch, Mismatches, value_of
from symattn.checking.expressions.expression_kinds import by_figures, has_decimals, has_list, has_numbers, is_formula
from symattn.checking.expressions.numerals import Figure, bare, figure, is_dash, is_infinity, is_minus_infinity
from symattn.checking.expressions.terms import flat_terms, is_collected, is_rounding_of
from symattn.checking.grading.context import FITS, Desk
from symattn.checking.grading.explanations import (
    entry_label,
    joined,
    mismatch_diagnosis,
    mismatch_sentence,
    value_sentence,
)
from symattn.checking.grading.link import Cause, Link, StatedValue, changed
from symattn.checking.grading.value_verdicts import Judged, in_style, is_far_below, show, style_of
from symattn.checking.graph.formulas import Cell, LineSum, Ratio, Softmax
from symattn.checking.graph.quantities import line_of
from symattn.checking.graph.targets import Place, Target, entries_in
from symattn.checking.mistakes.positions import OF_ROTATIONS
from symattn.checking.report import BADNESS, Checks, Diagnosis, EntryFinding, Finding, Verdict
from symattn.checking.report import Place as Where
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.records import dataclass

_MAX_QUOTED = 60
"""Characters of somebody's text that are repeated in a sentence."""

_MOST_TAKEN = 2

_WRONG = Judged("wrong", is_right=False)

_HIDES = "Minus infinity is written where the sheet has a number far below all others, which hides as much."

_HOLD: frozenset[Verdict] = frozenset({"right", "rounded", "carried"})
_BY_CHANCE: frozenset[Verdict] = frozenset({"truncated", "coarse", "rounded"})
_CONSISTENT: frozenset[Verdict] = frozenset({"truncated", "coarse"})
"""Verdicts on right numbers that are shown otherwise than the sheet asks: nothing wrong follows from them."""

_CLOSE = ("equal", "rounded", "cut", "off")


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


_OF_ONE_ENTRY = frozenset({"sign", "digit-swap", "decimal-point", "exp-slip", "operand", "arithmetic"})
"""Mistakes that are made in one entry and in no other."""

_OF_ALL_TERMS = frozenset({"wrong-axis"})
"""Mistakes that explain every term of the working: nothing more is said of the terms."""

_FINE_PLACES = 4
"""Places of which few numbers agree by chance."""

_MANY = 4
"""Wrong entries from which on a cause must explain half of them."""


class Entries:
    """Judge of the numbers and working written for the entries of a quantity."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def link(self, base: Finding, said: Said, target: Target) -> Link:
        """Return the finding on a side that has the shape of its target.

        Raises:
            ShapeError: parts of the side do not conform after all.
        """
        height, width = target.shape
        self.desk.causes.beside = self._beside(said.node, target)
        rows = [[self._entry(said, target, (a, b)) for b in range(width)] for a in range(height)]
        if target.shape == SCALAR:
            return self._single(base, self._alone(rows[0][0]), target)
        polarity = self._polarity(target, rows)
        if polarity:
            seen = tuple(
                tuple(EntryFinding("right", e.text, None, e.culprit or base.place) for e in row) for row in rows
            )
            explanation = f"Read as 1 for a key that is {polarity}."
            return Link(changed(base, verdict="right", explanation=explanation, entries=seen), target)
        rows = self._without_near_ones(self._without_chance(rows))
        rows = _without_coincidences(self._without_empty_lines(target, rows))
        rows = _with_sure_causes(self._of_rounded_operands(target, rows))
        entries = [entry for row in rows for entry in row]
        worst = min((entry.verdict for entry in entries), key=BADNESS.index)
        first = next(entry for entry in entries if entry.verdict == worst)
        is_plain = all(entry.number is not None for entry in entries)
        moved = None
        # A value that follows needs no cause of its own: that of the mistake before it is told there.
        if worst == "wrong" and is_plain:
            numbers = [[entry.number for entry in row] for row in rows]
            moved = self.desk.causes.of_matrix(target, numbers) or self.desk.causes.of_all(target, numbers)
        elif worst == "wrong":
            moved = self._hidden_otherwise(said, target)
        sentence = self._matrix_sentence(entries, worst, target, moved)
        finding = changed(
            base,
            verdict=worst,
            value=self.desk.source(said.node) if is_plain else None,
            expected=self._matrix_shown(target, entries),
            checks=_together([entry.checks for entry in entries]),
            explanation=sentence,
            diagnosis=moved or first.diagnosis,
            culprit=first.culprit,
            entries=tuple(tuple(self._entry_finding(base, entry) for entry in row) for row in rows),
        )
        taken = tuple(item for entry in entries for item in entry.taken)
        return Link(
            finding, target, _stated(entries), _methods(entries), _words(entries), taken=taken,
            broken=_broken(entries), hidden=_hidden(entries),
        )  # fmt: skip

    def _beside(self, node: t.Node, target: Target) -> dict[Cell, list[tuple[Cell, Figure]]]:
        """Return the numbers that stand in the row of each entry; a vector is one row."""
        found: dict[Cell, list[tuple[Cell, Figure]]] = {}
        column: list[tuple[Cell, Figure]] = []
        for a, row in enumerate(target.cells):
            line = column if target.shape[1] == 1 else []
            for b, place in enumerate(row):
                number = figure(self.desk.layout.entry(node, a, b))
                found[target.name, *place] = line
                if number is not None and number.mixed is None:
                    line.append(((target.name, *place), number))
        return found

    def _polarity(self, target: Target, rows: list[list[Entry]]) -> str:
        """Return the meaning of 1 in a mask of zeros and ones; nothing for another matrix."""
        numbers = [[None if entry.number is None else entry.number.value for entry in row] for row in rows]
        is_whole = {value for row in numbers for value in row} == {0, 1}
        if base_of(target.name) != "M" or not is_whole:
            return ""
        hidden = [
            [self.desk.numbers.exact((target.name, *place)) is MINUS_INFINITY for place in row] for row in target.cells
        ]
        for word, ones in (("hidden", hidden), ("seen", [[not entry for entry in row] for row in hidden])):
            if ones == [[value == 1 for value in row] for row in numbers]:
                return word
        return ""

    def _without_chance(self, rows: list[list[Entry]]) -> list[list[Entry]]:
        """Reject coarse numbers beside finer ones made by the same mistake as roundings: the 2 of ``[2, -1.5]``."""
        wrong = [entry for row in rows for entry in row if entry.verdict == "wrong" and entry.number is not None]
        units = [entry.number.unit for entry in wrong if entry.number is not None and entry.number.unit is not None]
        cause = next((entry.diagnosis for entry in wrong if entry.diagnosis is not None), None)
        if cause is None or not units:
            return rows
        finest = min(Fraction(1), *units)

        def judged(entry: Entry) -> Entry:
            number = entry.number
            is_rougher = number is not None and (number.unit or Fraction(0)) > finest
            # Without a rotation entries stay whole numbers, all of them.
            is_chance = (is_rougher or cause.code in OF_ROTATIONS) and entry.verdict in _BY_CHANCE
            if number is None or not is_chance or not self.desk.causes.is_made_by(cause.code, number, entry.cell):
                return entry
            wrong = self._judged_as(entry, _WRONG)
            return replace(wrong, diagnosis=cause, explanation=f"{cause.text} {wrong.plain}")

        return [[judged(entry) for entry in row] for row in rows]

    def _of_rounded_operands(self, target: Target, rows: list[list[Entry]]) -> list[list[Entry]]:
        """Accept outputs whose rows are all made of weights rounded to their places."""
        is_one = target.shape[1] == 1 and len({i for i, _ in target.flat()}) == 1
        lines = [[entry for row in rows for entry in row]] if is_one else rows
        excused = {
            entry.cell
            for line in lines
            if len(line) > 1 and all(map(self._is_of_rounded_operands, line))
            for entry in line
            if entry.verdict in {"wrong", "truncated"}
        }
        return [[self._carried(entry) if entry.cell in excused else entry for entry in row] for row in rows]

    def _is_of_rounded_operands(self, entry: Entry) -> bool:
        if entry.number is None or entry.checks.arithmetic is False:
            return False
        return entry.verdict in _HOLD or self.desk.numbers.is_of_rounded_operands(entry.number, entry.cell)

    def _carried(self, entry: Entry) -> Entry:
        end = "" if entry.number is None else self.desk.numbers.at_end(entry.cell, entry.number)
        plain = f"Right from rounded numbers; rounded once at the end it is {end}."
        return replace(
            entry, verdict="carried", word="carried", checks=replace(entry.checks, value=True), diagnosis=None,
            explanation=plain, plain=plain,
        )  # fmt: skip

    def _without_near_ones(self, rows: list[list[Entry]]) -> list[list[Entry]]:
        """Mark near misses as wrong where as many other numbers of the matrix are wrong: chance is as likely."""
        entries = [entry for row in rows for entry in row]
        near = sum(map(_is_near, entries))
        if sum(entry.verdict == "wrong" for entry in entries) < near or not near:
            return rows
        return [[self._not_near(entry) if _is_near(entry) else entry for entry in row] for row in rows]

    def _alone(self, entry: Entry) -> Entry:
        """Judge a lone number with few places, which is near something too easily."""
        is_few = entry.number is not None and (entry.number.places or 0) < _FINE_PLACES
        return self._not_near(entry) if _is_near(entry) and is_few else entry

    def _not_near(self, entry: Entry) -> Entry:
        if entry.number is None:
            return entry
        return self._judged_as(entry, self.desk.numbers.judge(entry.number, entry.cell, near=False))

    def _judged_as(self, entry: Entry, judged: Judged) -> Entry:
        """Return a number with another verdict than that of itself alone."""
        if entry.number is None:
            return entry
        shown = self.desk.numbers.shown(entry.cell, entry.number)
        plain = value_sentence(entry.number, entry.cell, shown, judged, None)
        checks = replace(entry.checks, value=judged.is_right)
        return replace(
            entry, verdict=judged.verdict, word=judged.verdict, checks=checks, explanation=plain, plain=plain
        )

    def _without_empty_lines(self, target: Target, rows: list[list[Entry]]) -> list[list[Entry]]:
        """Reject weights in whole numbers that do not sum to 1, all zeros say, as roundings of their line."""
        if not self.desk.numbers.is_weight(target.name) or self.desk.numbers.is_coarse:
            return rows
        lines: dict[tuple[Place, ...], list[Entry]] = {}
        for entry in (entry for row in rows for entry in row):
            lines.setdefault(self._line(entry.cell), []).append(entry)
        empty = {
            entry.cell
            for places, line in lines.items()
            if len(line) == len(places) > 1 and _is_no_line([entry.number for entry in line])
            for entry in line
            if entry.verdict in _BY_CHANCE
        }
        return [[self._judged_as(entry, _WRONG) if entry.cell in empty else entry for entry in row] for row in rows]

    def _line(self, cell: Cell) -> tuple[Place, ...]:
        """Return the places over which a softmax runs, where one of them is."""
        formula = self.desk.graph.nodes[cell[0]].formula
        axis = formula.axis if isinstance(formula, Softmax | Ratio) else "rows"
        return tuple(line_of(self.desk.graph.shape(cell[0]), axis, cell[1], cell[2]))

    def _matrix_sentence(
        self, entries: list[Entry], worst: Verdict, target: Target, moved: Diagnosis | None = None
    ) -> str:
        """Return the explanation of a matrix: a cause once, whatever the number of its entries."""
        if worst == "carried":
            end = self._matrix_at_end(target, entries)
            return f"Right from rounded numbers; rounded once at the end it is {end}."
        told: set[str] = set()
        sentences, likewise = [], 0
        for entry in entries:
            if entry.verdict != worst:
                continue
            cause = "" if entry.diagnosis is None else entry.diagnosis.said
            is_told = entry.plain and (moved is not None or cause in told)
            if is_told and cause and entry.number is None:  # working: one example is enough
                likewise += 1
                continue
            sentences.append(entry.plain if is_told else entry.explanation)
            told.add(cause)
        said = joined(sentences)
        if likewise:
            said += f" The same in {likewise} more {'entry' if likewise == 1 else 'entries'}."
        return said if moved is None else f"{moved.text} {said}"

    def _single(self, base: Finding, entry: Entry, target: Target) -> Link:
        finding = changed(
            base,
            verdict=entry.verdict,
            value=entry.text if entry.number is not None else None,
            expected=self.desk.numbers.shown(entry.cell, entry.number),
            checks=entry.checks,
            explanation=entry.explanation,
            diagnosis=entry.diagnosis,
            culprit=entry.culprit,
        )
        return Link(
            finding, target, _stated([entry]), _methods([entry]), _words([entry]), taken=entry.taken,
            broken=_broken([entry]), hidden=_hidden([entry]),
        )  # fmt: skip

    def _entry_finding(self, base: Finding, entry: Entry) -> EntryFinding:
        text = None if entry.number is None else entry.text
        expected = self.desk.numbers.shown(entry.cell, entry.number)
        return EntryFinding(entry.verdict, text, expected, entry.culprit or base.place)

    def _matrix_at_end(self, target: Target, entries: list[Entry]) -> str:
        numbers = self.desk.numbers
        texts = iter([numbers.at_end(entry.cell, entry.number or Figure(Fraction(0), None)) for entry in entries])
        return "[" + "; ".join(" ".join(next(texts) for _ in row) for row in target.cells) + "]"

    def _matrix_shown(self, target: Target, entries: list[Entry]) -> str:
        texts = iter([self.desk.numbers.shown(entry.cell, entry.number) or "?" for entry in entries])
        rows = [" ".join(next(texts) for _ in row) for row in target.cells]
        return "[" + "; ".join(rows) + "]"

    # One entry -------------------------------------------------------------------------------------

    def _entry(self, said: Said, target: Target, place: Place) -> Entry:
        cell = (target.name, *target.cells[place[0]][place[1]])
        part = self.desk.layout.entry(said.node, *place)
        before = self._part_of(said.previous, place, target)
        if is_minus_infinity(part) or is_infinity(part) or is_dash(part):
            if said.operator == "→":  # a limit, of whatever it may be
                return Entry(cell, "unchecked", Checks(), self.desk.source(part), self.desk.span(part))
            return self._without_number(part, cell)
        number = figure(part)
        if number is not None and not self._is_quotient(part, number, cell):
            return self._value(Said(part, before, said.operator), number, cell)
        return self._working(part, cell, before, ordered=has_list(said.node))

    def _is_quotient(self, part: t.Node, number: Figure, cell: Cell) -> bool:
        """Return whether ``148/316`` is the working of a weight and not its value."""
        if not isinstance(bare(part), t.Division) or self.desk.numbers.judge(number, cell).is_right:
            return False
        return self.desk.operands.compare(part, cell) == ()

    def _part_of(self, previous: t.Node | None, place: Place, target: Target) -> t.Node | None:
        """Return the same entry of the side before, where that is written in numbers and has the shape."""
        if previous is None or not has_numbers(previous) or is_formula(previous):
            return None
        shape = self.desk.shape(previous)
        if shape is None or shape not in {target.shape, target.shape[::-1]}:
            return None
        return self.desk.entry(previous, *(place if shape == target.shape else place[::-1]))

    # Minus infinity, and nothing -------------------------------------------------------------------

    def _without_number(self, part: t.Node, cell: Cell) -> Entry:
        """Judge minus infinity, or a dash: a hidden key, or a missing value."""
        exact, text, span = self.desk.numbers.exact(cell), self.desk.source(part), self.desk.span(part)
        is_hidden = exact is MINUS_INFINITY and not is_infinity(part)
        if is_hidden or (is_dash(part) and (exact is None or exact.is_zero)):
            return Entry(cell, "right", Checks(value=True), text, span, word="right", is_hidden=is_hidden)
        shown = self.desk.numbers.shown(cell)
        if is_minus_infinity(part) and self.desk.numbers.far_below.hides(cell):
            return Entry(
                cell, "rounded", Checks(value=True), text, span, word="rounded", explanation=_HIDES, plain=_HIDES
            )
        if is_dash(part) or exact is None:
            what = "has no value" if shown is None else f"is {shown}"
            words = f"{entry_label(cell)} {what}; what {text} means here is not decided."
            return Entry(cell, "undecided", Checks(), text, span, explanation=words)
        plain = f"{entry_label(cell)} is {shown}, not {text}."
        diagnosis = Diagnosis("sign", "The sign is wrong.") if exact is MINUS_INFINITY else None
        words = plain if diagnosis is None else f"{diagnosis.text} {plain}"
        return Entry(
            cell, "wrong", Checks(value=False), text, span, word="wrong", explanation=words, diagnosis=diagnosis,
            plain=plain, is_hidden=not is_infinity(part),
        )  # fmt: skip

    def _hidden_otherwise(self, said: Said, target: Target) -> Diagnosis | None:
        """Return the diagnosis of minus infinity where another mask than the sheet's would have it."""
        height, width = target.shape
        parts = [[self.desk.layout.entry(said.node, i, j) for j in range(width)] for i in range(height)]
        hidden = [[is_minus_infinity(part) for part in row] for row in parts]
        return self.desk.causes.of_hidden(target, hidden) if any(map(any, hidden)) else None

    # A number --------------------------------------------------------------------------------------

    def _value(self, said: Said, number: Figure, cell: Cell) -> Entry:
        """Judge a number for an entry: against the right value, and against the side before it."""
        if number.mixed is not None:
            return self._mixed(said, number, cell)
        before = said.previous
        judged = self.desk.numbers.judge(number, cell)
        if (
            not judged.is_right
            and before is not None
            and self._is_worked_out(before, number, cell, exactly=judged.verdict == "coarse")
        ):
            judged = Judged("carried", is_right=True)
        arithmetic = None if before is None else self._comes_to(said, before, number, cell, is_right=judged.is_right)
        if arithmetic is False and judged.verdict == "follows" and before is not None:
            # In names it stands for the person's own numbers: QK^T after a QK^T that was transposed.
            arithmetic = self._has_names(before) and self._is_worth(before, cell)
        verdict, rests_on_mistake = judged.verdict, self.desk.numbers.rests_on_mistake
        if arithmetic is False:
            verdict = "wrong"
        elif verdict == "wrong" and (arithmetic or self.desk.is_repeated(number, cell)) and rests_on_mistake(cell):
            verdict = "follows"
        checks = Checks(arithmetic=arithmetic, value=judged.is_right)
        plain, diagnosis = self._explained(said, number, cell, Judged(verdict, judged.is_right), checks)
        is_caused = diagnosis is not None and diagnosis.text != plain
        explanation = f"{diagnosis.said} {plain}" if diagnosis is not None and is_caused else plain
        word = judged.verdict if arithmetic is False else verdict
        return Entry(
            cell, verdict, checks, self.desk.source(said.node), self.desk.span(said.node), number, word, explanation,
            diagnosis, plain=plain, is_near=judged.is_near,
        )  # fmt: skip

    def _explained(
        self, said: Said, number: Figure, cell: Cell, judged: Judged, checks: Checks
    ) -> tuple[str, Diagnosis | None]:
        """Return the explanation of a number, and the likeliest cause where it is wrong."""
        verdict = judged.verdict
        if verdict in {"right", "rounded"}:
            sheets = None if verdict == "right" else self.desk.numbers.other_rounding(number, cell)
            return (
                "" if sheets is None else f"Rounded otherwise than the sheet says, whose steps lead to {sheets}.",
                None,
            )
        expected = self.desk.numbers.shown(cell, number)
        if verdict == "carried":
            end = self.desk.numbers.at_end(cell, number)
            return f"Right from rounded numbers; rounded once at the end it is {end}.", None
        comes = None
        if checks.arithmetic is False and said.previous is not None:
            value = self.desk.value(said.previous, self.desk.numbers.own())
            comes = None if value is None else show(value, number, None)
        sentence = value_sentence(number, cell, expected, judged, comes)
        diagnosis = None
        if verdict in {"wrong", "truncated"} and not judged.is_right:
            diagnosis = self.desk.causes.explain(Cause(said.node, cell, number, said.previous))
        if diagnosis is None and checks.arithmetic is False:
            diagnosis = Diagnosis("arithmetic", sentence)
        return sentence, diagnosis

    def _has_names(self, node: t.Node) -> bool:
        return any(isinstance(item, t.Name) and self.desk.binder.resolve(item) is not None for item in walk(node))

    def _is_worth(self, node: t.Node, cell: Cell) -> bool:
        exact = self.desk.numbers.exact(cell)
        return exact is not None and self.desk.value(node, self.desk.numbers.base) == exact

    def _mixed(self, said: Said, number: Figure, cell: Cell) -> Entry:
        """Judge ``2^{1/2}``, which is a root but may be meant as two and a half."""
        text = self.desk.source(said.node)
        value = number.value if number.mixed is None else number.mixed
        is_meant = self.desk.numbers.judge(Figure(value, None), cell).is_right
        if is_meant:
            sentence = f"{text} is a root; the mixed number {value} is meant, perhaps."
        else:
            sentence = f"{entry_label(cell)} is {self.desk.numbers.shown(cell)}, not {text}."
        # A root is irrational, and the side before it is rational.
        checks = Checks(arithmetic=None if said.previous is None else False, value=False)
        diagnosis = Diagnosis("mixed-number", sentence) if is_meant else None
        return Entry(
            cell, "wrong", checks, text, self.desk.span(said.node), number, "wrong", sentence, diagnosis
        )  # fmt: skip

    def _comes_to(self, said: Said, before: t.Node, number: Figure, cell: Cell, *, is_right: bool) -> bool | None:
        """Return whether the side before has the value of a number, as written or with unrounded digits."""
        numbers = self.desk.numbers
        shown = by_figures(number) if said.operator == "≈" and numbers.is_coarse else number
        words = [numbers.close(shown, value) for value in self.desk.worth(before)]
        if not words:
            return None
        close = min(words, key=_CLOSE.index)
        if close != "equal" and number.unit == 1 and said.operator != "≈" and not has_decimals(before):
            # Between whole numbers and fractions there is nothing to round.
            return False
        earlier = figure(before)
        if close in FITS or (earlier is not None and numbers.close(earlier, Quotient.of(number.value)) in FITS):
            return True
        value = numbers.carried(cell)
        is_prescribed = value is not None and numbers.close(number, value) == "equal"
        if numbers.strict and value is not None and self._is_of_block_before(cell[0]):
            # What a block before makes is shown rounded, also on a sheet that rounds at the end alone.
            is_prescribed = is_prescribed or (is_right and value == numbers.exact(cell))
        may_carry = (is_right or numbers.is_unrounded(number, cell)) and (is_prescribed or not numbers.strict)
        # More digits were carried than are shown: the operands are right, and so is the result. Otherwise
        # cut off is what the verdict of the value says; the sum itself was done rightly.
        return close == "cut" or (may_carry and self.desk.operands.compare(before, cell) == ())

    def _is_of_block_before(self, name: str) -> bool:
        """Return whether a quantity is computed from another block's output."""
        graph = self.desk.graph
        return any("@" in source and name in graph.below(source) for source in graph.given)

    def _is_worked_out(self, before: t.Node, number: Figure, cell: Cell, *, exactly: bool) -> bool:
        """Return whether a number is the value of right operands, on the way to a rounded one."""
        allowed = {"equal"} if self.desk.numbers.strict or exactly else FITS
        if not any(self.desk.numbers.close(number, value) in allowed for value in self.desk.worth(before)):
            return False
        is_working = self.desk.operands.compare(before, cell) == () or self._is_complement(before, cell)
        return is_working and not self._rests_on_mistakes(cell)

    def _rests_on_mistakes(self, cell: Cell) -> bool:
        """Return whether an earlier wrong number may explain the operands of an entry."""
        graph, prints = self.desk.graph, self.desk.numbers.prints.items()
        rests = {name for name in graph.nodes if cell[0] == name or cell[0] in graph.below(name)}
        others = ((written, found) for written, found in prints if written != cell)
        return any(not found[-1].holds for written, found in others if written[0] in rests)

    # Working ---------------------------------------------------------------------------------------

    def _working(self, part: t.Node, cell: Cell, before: t.Node | None, *, ordered: bool) -> Entry:
        """Judge written arithmetic for an entry by comparing its operands with the definition."""
        named = self.desk.binder.resolve(part)
        if named is not None and (named.name, named.only) == (cell[0], cell[1:]):
            return self._right(part, cell, Checks())
        if self._is_closed_form(part, cell) or self._stands_for_infinity(part, cell):
            return self._right(part, cell, Checks(operands=True))
        mismatches = self.desk.operands.compare(part, cell, ordered=ordered)
        if mismatches == () or self._is_otherwise_right(part, cell, before):
            return self._right(part, cell, Checks(operands=True))
        if mismatches is None:
            return self._other_way(part, cell, before)
        if any(map(_is_of_another, mismatches)):
            return self._other_formula(part, cell, before)
        return self._mistaken(part, cell, before, mismatches)

    def _other_formula(self, part: t.Node, cell: Cell, before: t.Node | None) -> Entry:
        """Judge a formula in names other than the definition by its value here, which may be right by chance."""
        by_chance = (self.desk.numbers.exact(cell), self.desk.numbers.own().get(*cell))
        if not any(value in by_chance for value in self.desk.worth(part)):
            return self._other_way(part, cell, before)
        text = self.desk.source(part)
        words = f"{_short(text)} is not what {entry_label(cell)} is made of."
        return Entry(
            cell, "wrong", Checks(operands=False), text, self.desk.span(part), explanation=words,
            diagnosis=Diagnosis("formula", words), plain=words, broken=False,
        )  # fmt: skip

    def _is_closed_form(self, part: t.Node, cell: Cell) -> bool:
        """Return whether working is an irrational value with its terms collected: ``4 - 2√2``, ``3 cos(1) + 1``."""
        exact = self.desk.numbers.exact(cell)
        if exact is None or not exact.is_finite or not exact.is_closed or not is_collected(part):
            return False
        if exact.polynomial() is None and "@" not in cell[0]:
            return False  # exponentials are the working of what is made of them
        return self.desk.value(part, self.desk.numbers.base) == exact

    def _stands_for_infinity(self, part: t.Node, cell: Cell) -> bool:
        """Return whether a number is ``-10^9`` where an entry is hidden."""
        if self.desk.numbers.exact(cell) is not MINUS_INFINITY:
            return False
        value = self.desk.value(part, self.desk.numbers.base)
        return value is not None and is_far_below(value)

    def _right(self, part: t.Node, cell: Cell, checks: Checks) -> Entry:
        return Entry(cell, "right", checks, self.desk.source(part), self.desk.span(part))

    def _is_otherwise_right(self, part: t.Node, cell: Cell, before: t.Node | None) -> bool:
        """Return whether working is another closed form of a weight or row sum, or the side before, partly rounded.

        Sums of products are not excused so: wrong operands can come to the right sum.
        """
        if before is not None and is_rounding_of(part, before, self.desk.worth, self.desk.numbers.close_as_asked):
            return self.desk.operands.compare(before, cell) == ()
        if not isinstance(self.desk.graph.nodes[cell[0]].formula, Softmax | Ratio | LineSum):
            return False
        if self._is_complement(part, cell):
            return True
        exact, numbers = self.desk.numbers.exact(cell), self.desk.numbers
        if numbers.strict and self._names_sum_of_another_line(part, cell):
            return False
        strictly = [self.desk.value(part, numbers.base)]
        # Anything over anything is 0 where the key is hidden: only the operands show the working.
        is_hidden = exact is not None and exact.is_finite and exact.is_zero
        return exact is not None and not is_hidden and exact in (strictly if numbers.strict else self.desk.worth(part))

    def _names_sum_of_another_line(self, part: t.Node, cell: Cell) -> bool:
        """Return whether the denominator is a named row sum that only happens to have the value of the right one."""
        for node in walk(part):
            named = self.desk.binder.resolve(node)
            formula = None if named is None else self.desk.graph.nodes[named.name].formula
            if named is None or named.only is None or not isinstance(formula, LineSum) or named.name == cell[0]:
                continue
            if named.only[0] != (cell[1] if formula.axis == "rows" else cell[2]):
                return True
        return False

    def _is_complement(self, part: t.Node, cell: Cell) -> bool:
        """Return whether working is ``1 - 0.16 - 0.42``, the complement of the other weights of the line."""
        formula = self.desk.graph.nodes[cell[0]].formula
        if not isinstance(formula, Softmax | Ratio) or self.desk.numbers.strict:
            return False
        places = line_of(self.desk.graph.shape(cell[0]), formula.axis, cell[1], cell[2])
        others = [(cell[0], *place) for place in places if place != cell[1:]]
        one, *rest = flat_terms(part)
        first = figure(one)
        taken = [figure(term.body) if isinstance(term, t.Negative) else None for term in rest]
        if first is None or first.value != 1 or not taken or len(taken) > len(others):
            return False
        left = others
        # What is written finely fits one weight, a rough 0 many.
        for number in sorted(taken, key=lambda item: item.unit or 0 if item is not None else 0):
            found = [other for other in left if number is not None and self.desk.numbers.accepts(number, other)]
            if not found:
                return False
            left = [other for other in left if other != found[0]]
        # What is zero to the places that are written may be left out.
        units = [number.unit for number in taken if number is not None and number.unit is not None]
        zero = Figure(Fraction(0), min(units, default=None))
        return all(self.desk.numbers.accepts(zero, other) for other in left)

    def _mistaken(self, part: t.Node, cell: Cell, before: t.Node | None, mismatches: Mismatches) -> Entry:
        copied, source = self.desk.numbers.copied, self._as_written
        sentences = [
            mismatch_sentence(item, source(item.node), copied, self._part_shown(item)) for item in mismatches[:3]
        ]
        worth = self.desk.value(part, self.desk.numbers.own())
        found = self.desk.causes.explain(Cause(part, cell, None, before, mismatches, worth))
        diagnosis = found or mismatch_diagnosis(mismatches[0], sentences[0])
        is_whole = diagnosis.code in _OF_ALL_TERMS
        sentence = diagnosis.text if is_whole else " ".join([diagnosis.text, *sentences[1:]])
        culprit = self.desk.span(mismatches[0].node)
        is_plain = found is None or found.code == "operand"
        return Entry(
            cell, "wrong", Checks(operands=False), source(part), culprit, explanation=sentence, diagnosis=diagnosis,
            plain=sentence if is_whole else "", taken=self._taken(mismatches) if is_plain else (),
            broken=_is_alike(part, mismatches),
        )  # fmt: skip

    def _as_written(self, node: t.Node) -> str:
        """Return the source text, with the minus sign that stands before it in a sum."""
        text = self.desk.source(node)
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
            if self.desk.graph.nodes[item.cell[0]].formula is not None:
                found[item.cell] = number
        return tuple((cell, number, False) for cell, number in found.items()) if len(found) <= _MOST_TAKEN else ()

    def _part_shown(self, item: Mismatch) -> str:
        value = None if item.part is None else value_of(item.part, self.desk.numbers.own().get)
        return "" if value is None else show(value, figure(item.node), None)

    def _other_way(self, part: t.Node, cell: Cell, before: t.Node | None) -> Entry:
        """Judge arithmetic of another structure than the definition by its value alone."""
        numbers, text, span = self.desk.numbers, self.desk.source(part), self.desk.span(part)
        value = self.desk.value(part, numbers.own())
        exact = numbers.exact(cell)
        if value is None or exact is None:
            words = f"{_short(text)} cannot be computed here."
            return Entry(cell, "undecided", Checks(), text, span, explanation=words)
        if exact in self.desk.worth(part):
            return self._right(part, cell, Checks(operands=True))
        is_carried = value in numbers.steps(cell, good=True) or value == numbers.own(good=True).get(*cell)
        if (is_carried and not numbers.strict) or value == numbers.carried(cell):
            return Entry(cell, "carried", Checks(operands=True), text, span)
        style = style_of(part)
        right = f"{entry_label(cell)} is {numbers.shown(cell, style)}."
        may_follow = numbers.rests_on_mistake(cell)
        if may_follow and (value in numbers.steps(cell) or value == numbers.own().get(*cell)):
            words = f"It follows from an earlier mistake; {right}"
            return Entry(cell, "follows", Checks(operands=True), text, span, explanation=words)
        if may_follow and before is not None and value == self.desk.value(before, numbers.own()):
            words = f"It follows from what stands before it; {right}"
            return Entry(cell, "follows", Checks(arithmetic=True), text, span, explanation=words)
        words = f"{_short(text)} comes to {in_style(value, style, numbers.asked(cell[0]))}; {right}"
        diagnosis = self.desk.causes.explain(Cause(part, cell, None, before, worth=value))
        explanation = words if diagnosis is None else f"{diagnosis.text} {words}"
        return Entry(
            cell,
            "wrong",
            Checks(operands=False),
            text,
            span,
            explanation=explanation,
            diagnosis=diagnosis,
            plain=words,
            broken=False,
        )


def _is_near(entry: Entry) -> bool:
    """Return whether an entry follows by its number alone, and only with unrounded digits."""
    return entry.is_near and entry.verdict == "follows"


def _is_of_another(item: Mismatch) -> bool:
    """Return whether the entry of a formula stands for that of another quantity: nobody copied it."""
    names = entries_in(item.node)
    return item.cell is not None and bool(names) and item.cell[0] not in names


def _is_alike(part: t.Node, mismatches: Mismatches) -> bool:
    """Return whether working is the definition but for one slip: a number, a term, the numbers of another line."""
    return len(mismatches) <= max(1, sum(isinstance(item, t.Number) for item in walk(part)) // 2)


def _is_no_line(numbers: list[Figure | None]) -> bool:
    """Return whether these are whole numbers that do not sum to 1."""
    kept = [number for number in numbers if number is not None and number.unit == 1]
    return len(kept) == len(numbers) and sum(number.value for number in kept) != 1


def _short(text: str) -> str:
    return text if len(text) <= _MAX_QUOTED else "What is written"


def _stated(entries: list[Entry]) -> tuple[StatedValue, ...]:
    return tuple(
        (entry.cell, entry.number, bool(entry.checks.value) or entry.verdict in _CONSISTENT)
        for entry in entries
        if entry.number is not None
    )


def _hidden(entries: list[Entry]) -> tuple[tuple[Cell, bool], ...]:
    return tuple((entry.cell, bool(entry.checks.value)) for entry in entries if entry.is_hidden)


def _methods(entries: list[Entry]) -> tuple[tuple[Cell, bool], ...]:
    return tuple((entry.cell, bool(entry.checks.operands)) for entry in entries if entry.checks.operands is not None)


def _words(entries: list[Entry]) -> tuple[tuple[Cell, Verdict], ...]:
    return tuple((entry.cell, entry.word) for entry in entries if entry.word is not None)


def _broken(entries: list[Entry]) -> tuple[tuple[Cell, bool], ...]:
    return tuple((entry.cell, entry.broken) for entry in entries if entry.broken is not None)


def _together(checks: list[Checks]) -> Checks:
    return Checks(
        _all([item.operands for item in checks]),
        _all([item.arithmetic for item in checks]),
        _all([item.value for item in checks]),
    )


def _all(answers: list[bool | None]) -> bool | None:
    known = [answer for answer in answers if answer is not None]
    return None if not known else all(known)


def _with_sure_causes(rows: list[list[Entry]]) -> list[list[Entry]]:
    """Return entries with causes marked as sure where one explains several of them."""
    causes = Counter(
        entry.diagnosis.code
        for row in rows
        for entry in row
        if entry.verdict == "wrong" and entry.diagnosis is not None
    )

    def judged(entry: Entry) -> Entry:
        cause = entry.diagnosis
        if cause is None or cause.is_sure or causes[cause.code] < 2 or not entry.plain:
            return entry
        sure = replace(cause, is_sure=True)
        return replace(entry, diagnosis=sure, explanation=f"{sure.said} {entry.plain}")

    return [[judged(entry) for entry in row] for row in rows]


def _without_coincidences(rows: list[list[Entry]]) -> list[list[Entry]]:
    """Return entries without a cause that explains few of many wrong numbers: at two digits it is chance."""
    wrong = [entry for row in rows for entry in row if entry.verdict == "wrong" and entry.number is not None]
    codes = [entry.diagnosis.code for entry in wrong if entry.diagnosis is not None]

    def kept(entry: Entry) -> Entry:
        code = None if entry.diagnosis is None else entry.diagnosis.code
        is_rare = code is not None and code not in _OF_ONE_ENTRY and 2 * codes.count(code) < len(wrong)
        is_whole = entry.number is not None and entry.number.unit == 1
        if entry.verdict != "wrong" or not entry.plain or not is_rare or is_whole:
            return entry
        return replace(entry, diagnosis=None, explanation=entry.plain)

    return [[kept(entry) for entry in row] for row in rows] if len(wrong) >= _MANY else rows
