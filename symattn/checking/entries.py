"""Numbers and working for the entries of a quantity: operands, arithmetic, value."""

from __future__ import annotations

from fractions import Fraction

from symattn.checking.desk import FITS, Desk
from symattn.checking.figures import Figure, bare, figure
from symattn.checking.graph import Cell, LineSum, Ratio, Softmax, line_of
from symattn.checking.kinds import by_figures, has_decimals, has_list, has_numbers, is_formula
from symattn.checking.layout import SCALAR
from symattn.checking.link import Cause, Link, StatedValue, changed
from symattn.checking.numbers import Judged, show
from symattn.checking.operands import Mismatch, Mismatches, value_of
from symattn.checking.report import BADNESS, Checks, Diagnosis, EntryFinding, Finding, Verdict
from symattn.checking.report import Place as Where
from symattn.checking.sentences import entry_label, joined, mismatch_diagnosis, mismatch_sentence, value_sentence
from symattn.checking.targets import Place, Target
from symattn.checking.terms import flat_terms, is_rounding_of
from symattn.checking.values import value_in
from symattn.errors import ShapeError
from symattn.exact.quotient import Quotient
from symattn.notation import tree as t
from symattn.notation.walk import walk
from symattn.records import dataclass

_MAX_QUOTED = 60
"""Characters of somebody's text that are repeated in a sentence."""

_MOST_TAKEN = 2

_HOLD: frozenset[Verdict] = frozenset({"right", "rounded", "carried"})
_CLOSE = ("equal", "rounded", "cut", "off")


@dataclass(frozen=True, slots=True)
class Said:
    """A side in numbers, the side before it, and the relation between them."""

    node: t.Node
    previous: t.Node | None
    operator: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry judged.

    `word` is the verdict on the number alone, whatever the working; None where no number is stated.
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


class Entries:
    """Judges what is written for the entries of a quantity."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def link(self, base: Finding, said: Said, target: Target) -> Link:
        """The finding on a side that has the shape of its target.

        Raises:
            ShapeError: parts of the side do not conform after all.
        """
        height, width = target.shape
        rows = [[self._entry(said, target, (a, b)) for b in range(width)] for a in range(height)]
        if target.shape == SCALAR:
            return self._single(base, rows[0][0], target)
        entries = [entry for row in rows for entry in row]
        worst = min((entry.verdict for entry in entries), key=BADNESS.index)
        first = next(entry for entry in entries if entry.verdict == worst)
        is_plain = all(entry.number is not None for entry in entries)
        moved = None
        if worst in {"wrong", "follows"} and is_plain:
            moved = self.desk.causes.of_matrix(target, [[entry.number for entry in row] for row in rows])
        sentence = self._matrix_sentence(entries, worst, target)
        finding = changed(
            base,
            verdict=worst,
            value=self.desk.source(said.node) if is_plain else None,
            expected=self._matrix_shown(target, entries),
            checks=_together([entry.checks for entry in entries]),
            explanation=sentence if moved is None else f"{moved.text} {sentence}",
            diagnosis=moved or first.diagnosis,
            culprit=first.culprit,
            entries=tuple(tuple(self._entry_finding(base, entry) for entry in row) for row in rows),
        )
        taken = tuple(item for entry in entries for item in entry.taken)
        return Link(finding, target, _stated(entries), _methods(entries), _words(entries), taken=taken)

    def _matrix_sentence(self, entries: list[Entry], worst: Verdict, target: Target) -> str:
        if worst == "carried":
            end = self._matrix_at_end(target, entries)
            return f"Right from rounded numbers; rounded once at the end it is {end}."
        return joined([entry.explanation for entry in entries if entry.verdict == worst])

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
        return Link(finding, target, _stated([entry]), _methods([entry]), _words([entry]), taken=entry.taken)

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
        number = figure(part)
        if number is not None and not self._is_quotient(part, number, cell):
            return self._value(Said(part, before, said.operator), number, cell)
        return self._working(part, cell, before, ordered=has_list(said.node))

    def _is_quotient(self, part: t.Node, number: Figure, cell: Cell) -> bool:
        """Whether ``148/316`` is the working of a weight and not its value."""
        if not isinstance(bare(part), t.Division) or self.desk.numbers.judge(number, cell).is_right:
            return False
        return self.desk.operands.compare(part, cell) == ()

    def _part_of(self, previous: t.Node | None, place: Place, target: Target) -> t.Node | None:
        """The same entry of the side before, where that is written in numbers and has the shape."""
        if previous is None or not has_numbers(previous) or is_formula(previous):
            return None
        shape = self.desk.shape(previous)
        if shape is None or shape not in {target.shape, target.shape[::-1]}:
            return None
        try:
            return self.desk.layout.entry(previous, *(place if shape == target.shape else place[::-1]))
        except ShapeError:
            return None

    # A number --------------------------------------------------------------------------------------

    def _value(self, said: Said, number: Figure, cell: Cell) -> Entry:
        """A number for an entry: is it right, and does what stands before come to it?"""
        if number.mixed is not None:
            return self._mixed(said, number, cell)
        before = said.previous
        judged = self.desk.numbers.judge(number, cell)
        if not judged.is_right and before is not None and self._is_worked_out(before, number, cell):
            judged = Judged("carried", is_right=True)
        arithmetic = None if before is None else self._comes_to(said, before, number, cell, is_right=judged.is_right)
        verdict = judged.verdict
        if arithmetic is False:
            verdict = "wrong"
        elif verdict == "wrong" and (arithmetic or self.desk.is_repeated(number, cell)):
            verdict = "follows"
        checks = Checks(arithmetic=arithmetic, value=judged.is_right)
        explanation, diagnosis = self._explained(said, number, cell, Judged(verdict, judged.is_right), checks)
        word = judged.verdict if arithmetic is False else verdict
        return Entry(
            cell, verdict, checks, self.desk.source(said.node), self.desk.span(said.node), number, word, explanation,
            diagnosis,
        )  # fmt: skip

    def _explained(
        self, said: Said, number: Figure, cell: Cell, judged: Judged, checks: Checks
    ) -> tuple[str, Diagnosis | None]:
        """What is said of a number, and the likeliest cause where it is wrong."""
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
            value = value_in(said.previous, self.desk.binder, self.desk.numbers.own())
            comes = None if value is None else show(value, number, None)
        sentence = value_sentence(number, cell, expected, judged, comes)
        diagnosis = None
        if verdict in {"wrong", "truncated"} and not judged.is_right:
            diagnosis = self.desk.causes.explain(Cause(said.node, cell, number, said.previous))
        if diagnosis is not None:
            return f"{diagnosis.text} {sentence}", diagnosis
        return sentence, Diagnosis("arithmetic", sentence) if checks.arithmetic is False else None

    def _mixed(self, said: Said, number: Figure, cell: Cell) -> Entry:
        """``2^{1/2}``, which is a root; whoever writes it may mean two and a half."""
        text = self.desk.source(said.node)
        value = number.value if number.mixed is None else number.mixed
        is_meant = self.desk.numbers.judge(Figure(value, None), cell).is_right
        if is_meant:
            sentence = f"{text} is a root; the mixed number {value} is meant, perhaps."
        else:
            sentence = f"{entry_label(cell)} is {self.desk.numbers.shown(cell)}, not {text}."
        # A root is no rational number, and what stands before it is one.
        checks = Checks(arithmetic=None if said.previous is None else False, value=False)
        diagnosis = Diagnosis("mixed-number", sentence) if is_meant else None
        return Entry(
            cell, "wrong", checks, text, self.desk.span(said.node), number, "wrong", sentence, diagnosis
        )  # fmt: skip

    def _comes_to(self, said: Said, before: t.Node, number: Figure, cell: Cell, *, is_right: bool) -> bool | None:
        """Whether what stands before comes to a number, as written or with the digits behind what was written."""
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
        may_carry = is_right and (is_prescribed or not numbers.strict)
        # More digits were carried than are shown: the operands are right, and so is the result. Otherwise
        # cut off is what the verdict of the value says; the sum itself was done rightly.
        return close == "cut" or (may_carry and self.desk.operands.compare(before, cell) == ())

    def _is_worked_out(self, before: t.Node, number: Figure, cell: Cell) -> bool:
        """Whether a number is exactly what right operands come to, on the way to a rounded one."""
        allowed = {"equal"} if self.desk.numbers.strict else FITS
        if not any(self.desk.numbers.close(number, value) in allowed for value in self.desk.worth(before)):
            return False
        return self.desk.operands.compare(before, cell) == () and not self._rests_on_mistakes(cell)

    def _rests_on_mistakes(self, cell: Cell) -> bool:
        """Whether an earlier number that does not hold may stand behind the operands of an entry."""
        parents = self.desk.graph.parents(cell[0])
        prints = self.desk.numbers.prints.items()
        return any(not found[-1].holds for written, found in prints if written[0] in parents)

    # Working ---------------------------------------------------------------------------------------

    def _working(self, part: t.Node, cell: Cell, before: t.Node | None, *, ordered: bool) -> Entry:
        """Written arithmetic for an entry: are its operands those that the definition calls for?"""
        named = self.desk.binder.resolve(part)
        if named is not None and (named.name, named.only) == (cell[0], cell[1:]):
            return self._right(part, cell, Checks())
        mismatches = self.desk.operands.compare(part, cell, ordered=ordered)
        if mismatches == () or self._is_otherwise_right(part, cell, before):
            return self._right(part, cell, Checks(operands=True))
        if mismatches is None:
            return self._other_way(part, cell, before)
        return self._mistaken(part, cell, before, mismatches)

    def _right(self, part: t.Node, cell: Cell, checks: Checks) -> Entry:
        return Entry(cell, "right", checks, self.desk.source(part), self.desk.span(part))

    def _is_otherwise_right(self, part: t.Node, cell: Cell, before: t.Node | None) -> bool:
        """A weight or a row sum in another closed form (shifted, collected), or the side before with its parts rounded.

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
        strictly = [value_in(part, self.desk.binder, numbers.base)]
        return exact is not None and exact in (strictly if numbers.strict else self.desk.worth(part))

    def _names_sum_of_another_line(self, part: t.Node, cell: Cell) -> bool:
        """Whether the denominator is a named row sum that only happens to have the value of the right one."""
        for node in walk(part):
            named = self.desk.binder.resolve(node)
            formula = None if named is None else self.desk.graph.nodes[named.name].formula
            if named is None or named.only is None or not isinstance(formula, LineSum) or named.name == cell[0]:
                continue
            if named.only[0] != (cell[1] if formula.axis == "rows" else cell[2]):
                return True
        return False

    def _is_complement(self, part: t.Node, cell: Cell) -> bool:
        """``1 - 0.16 - 0.42``: what the other weights of the line leave."""
        formula = self.desk.graph.nodes[cell[0]].formula
        if not isinstance(formula, Softmax | Ratio) or self.desk.numbers.strict:
            return False
        places = line_of(self.desk.graph.shape(cell[0]), formula.axis, cell[1], cell[2])
        others = [(cell[0], *place) for place in places if place != cell[1:]]
        one, *rest = flat_terms(part)
        first = figure(one)
        taken = [figure(term.body) if isinstance(term, t.Negative) else None for term in rest]
        if first is None or first.value != 1 or len(taken) != len(others):
            return False
        pairs = zip(taken, others, strict=True)
        return all(number is not None and self.desk.numbers.accepts(number, other) for number, other in pairs)

    def _mistaken(self, part: t.Node, cell: Cell, before: t.Node | None, mismatches: Mismatches) -> Entry:
        shown, source = self.desk.numbers.shown, self.desk.source
        sentences = [
            mismatch_sentence(item, source(item.node), shown, self._part_shown(item)) for item in mismatches[:3]
        ]
        found = self.desk.causes.explain(Cause(part, cell, None, before, mismatches))
        diagnosis = found or mismatch_diagnosis(mismatches[0], sentences[0])
        sentence = " ".join([diagnosis.text, *sentences[1:]])
        culprit = self.desk.span(mismatches[0].node)
        is_plain = found is None or found.code == "operand"
        return Entry(
            cell, "wrong", Checks(operands=False), source(part), culprit, explanation=sentence, diagnosis=diagnosis,
            taken=self._taken(mismatches) if is_plain else (),
        )  # fmt: skip

    def _taken(self, mismatches: Mismatches) -> tuple[StatedValue, ...]:
        """Numbers of the working that stand for entries which nobody named: the work goes on with them.

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
        """Arithmetic that is built otherwise than the definition: only its value can be compared."""
        numbers, text, span = self.desk.numbers, self.desk.source(part), self.desk.span(part)
        value = value_in(part, self.desk.binder, numbers.own())
        exact = numbers.exact(cell)
        if value is None or exact is None:
            words = f"{_short(text)} cannot be worked out here."
            return Entry(cell, "undecided", Checks(), text, span, explanation=words)
        if exact in self.desk.worth(part):
            return self._right(part, cell, Checks(operands=True))
        is_carried = value in numbers.steps(cell, good=True) or value == numbers.own(good=True).get(*cell)
        if is_carried and not numbers.strict:
            return Entry(cell, "carried", Checks(operands=True), text, span)
        right = f"{entry_label(cell)} is {numbers.shown(cell)}."
        if value in numbers.steps(cell) or value == numbers.own().get(*cell):
            words = f"It follows from an earlier mistake; {right}"
            return Entry(cell, "follows", Checks(operands=True), text, span, explanation=words)
        if before is not None and value == value_in(before, self.desk.binder, numbers.own()):
            words = f"It follows from what stands before it; {right}"
            return Entry(cell, "follows", Checks(arithmetic=True), text, span, explanation=words)
        words = f"{_short(text)} comes to {show(value, None, numbers.asked(cell[0]))}; {right}"
        diagnosis = self.desk.causes.explain(Cause(part, cell, None, before))
        explanation = words if diagnosis is None else f"{diagnosis.text} {words}"
        return Entry(cell, "wrong", Checks(operands=False), text, span, explanation=explanation, diagnosis=diagnosis)


def _short(text: str) -> str:
    return text if len(text) <= _MAX_QUOTED else "What is written"


def _stated(entries: list[Entry]) -> tuple[StatedValue, ...]:
    return tuple(
        (entry.cell, entry.number, bool(entry.checks.value) or entry.verdict == "truncated")
        for entry in entries
        if entry.number is not None
    )


def _methods(entries: list[Entry]) -> tuple[tuple[Cell, bool], ...]:
    return tuple((entry.cell, bool(entry.checks.operands)) for entry in entries if entry.checks.operands is not None)


def _words(entries: list[Entry]) -> tuple[tuple[Cell, Verdict], ...]:
    return tuple((entry.cell, entry.word) for entry in entries if entry.word is not None)


def _together(checks: list[Checks]) -> Checks:
    return Checks(
        _all([item.operands for item in checks]),
        _all([item.arithmetic for item in checks]),
        _all([item.value for item in checks]),
    )


def _all(answers: list[bool | None]) -> bool | None:
    known = [answer for answer in answers if answer is not None]
    return None if not known else all(known)
