"""Numbers and working for all entries of a quantity, judged together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.matrix_layout import SCALAR
from symattn.checking.expressions.numerals import Figure, figure, is_minus_infinity
from symattn.checking.grading.explanations import (
    joined,
    value_sentence,
)
from symattn.checking.grading.link import Link, changed
from symattn.checking.grading.value_verdicts import Judged
from symattn.checking.graph.formulas import Cell, axis_of_weights
from symattn.checking.graph.quantities import line_of
from symattn.checking.graph.targets import Place, Target
from symattn.checking.link_judges.entry import Entry, EntryJudge, Said
from symattn.checking.mistake_catalogue import GROUPS, KINDS
from symattn.checking.report import BADNESS, HOLDS, Checks, Diagnosis, EntryFinding, Finding, Verdict
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of
from symattn.notation.tree import nodes as t

_WRONG = Judged("wrong", is_right=False)

_BY_CHANCE: frozenset[Verdict] = frozenset({"truncated", "coarse", "rounded"})

_CONSISTENT: frozenset[Verdict] = frozenset({"truncated", "coarse"})
"""Verdicts on right numbers that are shown otherwise than the sheet asks: nothing wrong follows from them."""

_FINE_PLACES = 4
"""Places of which few numbers agree by chance."""

_MANY = 4
"""Wrong entries from which on a cause must explain half of them."""


class Entries:
    """Judge of the numbers and working written for the entries of a quantity."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context
        self.entry = EntryJudge(context)

    def link(self, base: Finding, said: Said, target: Target) -> Link:
        """Return the finding on a side that has the shape of its target.

        Raises:
            ShapeError: parts of the side do not conform after all.
        """
        height, width = target.shape
        self.context.causes.beside = self._beside(said.node, target)
        rows = [[self.entry.judged(said, target, (a, b)) for b in range(width)] for a in range(height)]
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
            moved = self.context.causes.of_matrix(target, numbers) or self.context.causes.of_all(target, numbers)
        elif worst == "wrong":
            moved = self._hidden_otherwise(said, target)
        sentence = self._matrix_sentence(entries, worst, target, moved)
        finding = changed(
            base,
            verdict=worst,
            value=self.context.source(said.node) if is_plain else None,
            expected=_matrix_text(target, [self.context.numbers.shown(e.cell, e.number) or "?" for e in entries]),
            checks=_together([entry.checks for entry in entries]),
            explanation=sentence,
            diagnosis=moved or first.diagnosis,
            culprit=first.culprit,
            entries=tuple(tuple(self._entry_finding(base, entry) for entry in row) for row in rows),
        )
        return _link(finding, target, entries)

    def _beside(self, node: t.Node, target: Target) -> dict[Cell, list[tuple[Cell, Figure]]]:
        """Return the numbers that stand in the row of each entry; a vector is one row."""
        found: dict[Cell, list[tuple[Cell, Figure]]] = {}
        column: list[tuple[Cell, Figure]] = []
        for a, row in enumerate(target.cells):
            line = column if target.shape[1] == 1 else []
            for b, place in enumerate(row):
                number = figure(self.context.layout.entry(node, a, b))
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
            [self.context.numbers.exact((target.name, *place)) is MINUS_INFINITY for place in row]
            for row in target.cells
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
            # Without the angles of positions entries stay whole numbers, all of them.
            is_chance = (is_rougher or cause.code in GROUPS["positions"]) and entry.verdict in _BY_CHANCE
            if number is None or not is_chance or not self.context.causes.is_made_by(cause.code, number, entry.cell):
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
        return entry.verdict in HOLDS or self.context.numbers.is_of_rounded_operands(entry.number, entry.cell)

    def _carried(self, entry: Entry) -> Entry:
        end = "" if entry.number is None else self.context.numbers.at_end(entry.cell, entry.number)
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
        return self._judged_as(entry, self.context.numbers.judge(entry.number, entry.cell, near=False))

    def _judged_as(self, entry: Entry, judged: Judged) -> Entry:
        """Return a number with another verdict than that of itself alone."""
        if entry.number is None:
            return entry
        shown = self.context.numbers.shown(entry.cell, entry.number)
        plain = value_sentence(entry.number, entry.cell, shown, judged, None)
        checks = replace(entry.checks, value=judged.is_right)
        return replace(
            entry, verdict=judged.verdict, word=judged.verdict, checks=checks, explanation=plain, plain=plain
        )

    def _without_empty_lines(self, target: Target, rows: list[list[Entry]]) -> list[list[Entry]]:
        """Reject weights in whole numbers that do not sum to 1, all zeros say, as roundings of their line."""
        if not self.context.numbers.is_weight(target.name) or self.context.numbers.is_coarse:
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
        axis = axis_of_weights(self.context.graph.nodes[cell[0]].formula) or "rows"
        return tuple(line_of(self.context.graph.shape(cell[0]), axis, cell[1], cell[2]))

    def _matrix_sentence(
        self, entries: list[Entry], worst: Verdict, target: Target, moved: Diagnosis | None = None
    ) -> str:
        """Return the explanation of a matrix: a cause once, whatever the number of its entries."""
        if worst == "carried":
            rough, numbers = Figure(Fraction(0), None), self.context.numbers
            end = _matrix_text(target, [numbers.at_end(entry.cell, entry.number or rough) for entry in entries])
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
            expected=self.context.numbers.shown(entry.cell, entry.number),
            checks=entry.checks,
            explanation=entry.explanation,
            diagnosis=entry.diagnosis,
            culprit=entry.culprit,
        )
        return _link(finding, target, [entry])

    def _entry_finding(self, base: Finding, entry: Entry) -> EntryFinding:
        text = None if entry.number is None else entry.text
        expected = self.context.numbers.shown(entry.cell, entry.number)
        return EntryFinding(entry.verdict, text, expected, entry.culprit or base.place)

    def _hidden_otherwise(self, said: Said, target: Target) -> Diagnosis | None:
        """Return the diagnosis of minus infinity where another mask than the sheet's would have it."""
        height, width = target.shape
        parts = [[self.context.layout.entry(said.node, i, j) for j in range(width)] for i in range(height)]
        hidden = [[is_minus_infinity(part) for part in row] for row in parts]
        return self.context.causes.of_hidden(target, hidden) if any(map(any, hidden)) else None


def _matrix_text(target: Target, texts: list[str]) -> str:
    """Return the entries of a matrix as one text."""
    each = iter(texts)
    return "[" + "; ".join(" ".join(next(each) for _ in row) for row in target.cells) + "]"


def _is_near(entry: Entry) -> bool:
    """Return whether an entry follows by its number alone, and only with unrounded digits."""
    return entry.is_near and entry.verdict == "follows"


def _is_no_line(numbers: list[Figure | None]) -> bool:
    """Return whether these are whole numbers that do not sum to 1."""
    kept = [number for number in numbers if number is not None and number.unit == 1]
    return len(kept) == len(numbers) and sum(number.value for number in kept) != 1


def _link(finding: Finding, target: Target, entries: list[Entry]) -> Link:
    """Return a finding with what its entries state and show."""
    return Link(
        finding,
        target,
        stated=tuple(
            (entry.cell, entry.number, bool(entry.checks.value) or entry.verdict in _CONSISTENT)
            for entry in entries
            if entry.number is not None
        ),
        method=tuple((entry.cell, entry.checks.operands) for entry in entries if entry.checks.operands is not None),
        verdicts=tuple((entry.cell, entry.word) for entry in entries if entry.word is not None),
        taken=tuple(item for entry in entries for item in entry.taken),
        broken=tuple((entry.cell, entry.broken) for entry in entries if entry.broken is not None),
        hidden=tuple((entry.cell, bool(entry.checks.value)) for entry in entries if entry.is_hidden),
    )


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
        is_rare = code is not None and code not in KINDS["of-one-entry"] and 2 * codes.count(code) < len(wrong)
        is_whole = entry.number is not None and entry.number.unit == 1
        if entry.verdict != "wrong" or not entry.plain or not is_rare or is_whole:
            return entry
        return replace(entry, diagnosis=None, explanation=entry.plain)

    return [[kept(entry) for entry in row] for row in rows] if len(wrong) >= _MANY else rows
