"""The links of a chain, judged one by one: operands, arithmetic, value.

A chain ``Q_11 = 1·0 + … = 1`` makes two statements: that the operands are those of Q_11, and that they
come to 1, which is the value of Q_11. Each has its own place and its own verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from symattn.checking.binding import Binder, Place, Target, canonical, whole
from symattn.checking.entropies import entropy_holds
from symattn.checking.expected import Expected
from symattn.checking.figures import Closeness, Figure, bare, figure
from symattn.checking.formulas import Formulas
from symattn.checking.graph import Cell, Graph
from symattn.checking.layout import SCALAR, Layout
from symattn.checking.numbers import Judged, Numbers, show
from symattn.checking.operands import Mismatch, Operands, value_of
from symattn.checking.report import BADNESS, Checks, Diagnosis, EntryFinding, Finding, Verdict
from symattn.checking.report import Place as Where
from symattn.checking.values import matrix_in, value_in
from symattn.errors import ShapeError
from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient
from symattn.notation import tree as t
from symattn.notation.plain_writer import describe
from symattn.notation.walk import walk
from symattn.notation.work import Side, Work, Written
from symattn.records import dataclass

_MAX_QUOTED = 60
"""Characters of somebody's text that are repeated in a sentence."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What a search for the cause of a mistake is told.

    Attributes:
        side: what was written.
        cell: the entry that is wrong, None for a shape or a formula.
        written: the number at its place, where it is one.
        before: the side before it, where it is written arithmetic.
        mismatches: operands that do not fit.
    """

    side: t.Node
    cell: Cell | None
    written: Figure | None
    before: t.Node | None
    mismatches: tuple[Mismatch, ...] = ()


_WORDS: dict[Closeness, Verdict] = {"equal": "right", "rounded": "rounded", "cut": "truncated", "off": "wrong"}


class Explains(Protocol):
    """What looks for the causes of mistakes."""

    def explain(self, cause: Cause) -> Diagnosis | None:
        """The cause that explains what was written, None when none does."""

    def of_matrix(self, target: Target, rows: list[list[Figure | None]]) -> Diagnosis | None:
        """The cause when right numbers of a matrix stand at wrong places."""

    def of_sum(self, written: Figure, value: Quotient) -> Diagnosis:
        """The cause when a number does not follow from the arithmetic before it."""


@dataclass(frozen=True, slots=True)
class Link:
    """A finding with what the rest of the program wants to know of it.

    Attributes:
        finding: what is reported.
        target: what it is about.
        stated: the entries whose value it states, each with the number and whether it holds.
        method: the entries whose working it shows, each with whether it is the right operation on the
            person's own numbers.
        verdicts: the word for each entry whose value it states.
    """

    finding: Finding
    target: Target | None
    stated: tuple[tuple[Cell, Figure | None, bool], ...] = ()
    method: tuple[tuple[Cell, bool], ...] = ()
    verdicts: tuple[tuple[Cell, Verdict], ...] = ()


class Links:
    """Judges the links of chains, in the order of a work.

    Args:
        work: for places and texts.
        graph: the quantities.
        binder: what names mean.
        numbers: the values, and what was written so far.
        formulas: formulas in names.
        causes: finds the likeliest cause of a mistake.
    """

    def __init__(
        self, work: Work, graph: Graph, binder: Binder, numbers: Numbers, formulas: Formulas, causes: Explains
    ) -> None:
        self.work = work
        self.graph = graph
        self.binder = binder
        self.numbers = numbers
        self.formulas = formulas
        self.causes = causes
        self.layout = Layout(binder)
        self.operands = Operands(graph, binder, self._accepts, self._accepts_value, self._is_zero)
        self.current: Target | None = None
        self.last: t.Node | None = None
        self.operator = ""

    # What operands may be --------------------------------------------------------------------------

    def _accepts(self, node: t.Node, cell: Cell) -> bool:
        number = figure(node)
        if number is not None:
            return self.numbers.accepts(number, cell)
        value = value_in(node, self.binder, self.numbers.own())
        exact = self.numbers.exact(cell)
        if value is None or exact is None:
            return False
        if value == exact or value == self.numbers.own().get(*cell):
            return True
        return isinstance(node, t.Division) and self._accepts_inverse(node, exact)

    def _accepts_inverse(self, node: t.Division, exact: Quotient) -> bool:
        """``1/1.414`` for ``1/√2``: the divisor is a rounding."""
        above, below = figure(node.numerator), figure(node.denominator)
        if above is None or below is None or above.value != 1 or exact.is_zero:
            return False
        is_close = self.numbers.close(below, Quotient.of(1) / exact) in {"equal", "rounded"}
        return is_close and not self.numbers.strict

    def _accepts_value(self, node: t.Node, expected: Expected) -> bool:
        number = figure(node)
        if number is None:
            return False
        for valuation in (self.numbers.base, self.numbers.own(), self.numbers.own(good=True)):
            value = value_of(expected, valuation.get)
            if value is not None and self.numbers.close(number, value) in {"equal", "rounded"}:
                return True
        value = value_of(expected, self._carried)
        return value is not None and self.numbers.close(number, value) in {"equal", "rounded"}

    def _carried(self, name: str, i: int, j: int) -> Quotient | None:
        value = self.numbers.carried((name, i, j))
        return self.numbers.exact((name, i, j)) if value is None else value

    def _is_zero(self, expected: Expected) -> bool:
        for get in (self.numbers.own().get, self.numbers.base.get, self._carried):
            value = value_of(expected, get)
            if value is not None and value.is_zero:
                return True
        return False

    # Chains ----------------------------------------------------------------------------------------

    def chain(self, written: Written) -> list[Link]:
        """Every link of a chain, or the statement that a lone expression makes."""
        sides = written.sides
        self._define(written)
        target = self._subject(written)
        first = sides[0]
        previous = first.node if first is not None else (None if written.after_text else self.last)
        if first is None and written.after_text and target is None:
            target = self.current
        found: list[Link] = []
        if len(sides) == 1 and first is not None:
            found.append(self._alone(self._link(written, 0, first, None, target)))
        elif first is not None and first.node is None:
            found.append(self._unread(written, 0, first))
        elif first is not None and target is not None and self._is_stated(first.node):
            found.extend(self._opening(written, first, target))
        for position, side in enumerate(sides[1:], 1):
            if side is None:
                continue
            found.append(self._link(written, position, side, previous, target))
            previous = side.node if side.node is not None else previous
        if target is not None:
            self.current = target
        self.last = previous
        return [self._withdrawn(link) for link in found] if written.withdrawn else self._noted(found)

    def _define(self, written: Written) -> None:
        """Takes note of a name that the work defines for itself: ``C_j = Σ_i A_ij``."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        head = nodes[0] if nodes else None
        if not isinstance(head, t.Subscript) or not all(isinstance(index, t.Name) for index in head.indices):
            return
        names = [index.text for index in head.indices if isinstance(index, t.Name)]
        if self.binder.is_declared(head.base) or ":" in names:
            return
        for node in nodes[1:]:
            inner = {item.text for item in walk(node) if isinstance(item, t.Name)}
            if is_formula(node) and inner.issuperset(names) and not isinstance(bare(node), t.Name | t.Subscript):
                self.binder.define(head.base, names, node)
                return

    def _alone(self, link: Link) -> Link:
        """A lone number is about nothing in particular, unless it fits what the heading says."""
        is_number = link.finding.entries is None and link.target is not None and link.target.guess
        if not is_number or link.finding.verdict in {"right", "rounded", "carried"}:
            return link
        words = "It is not said what this number is."
        return Link(_with(link.finding, verdict="unchecked", name=None, explanation=words, diagnosis=None), None)

    def _opening(self, written: Written, first: Side, target: Target) -> list[Link]:
        """The first side, where it is numbers about a subject that is named later: ``[1, 2; 3, 4] = Q``."""
        return [self._link(written, 0, first, None, target)]

    def _is_stated(self, node: t.Node | None) -> bool:
        return node is not None and not is_formula(node) and _has_numbers(node)

    def _withdrawn(self, link: Link) -> Link:
        finding = _with(link.finding, verdict="withdrawn")
        return Link(finding, link.target)

    def _noted(self, links: list[Link]) -> list[Link]:
        for link in links:
            for cell, number, holds in link.stated:
                if number is not None:
                    value = number.value if number.mixed is None else number.mixed
                    self.numbers.note(cell, Quotient.of(value), number, holds=holds)
        return links

    def _subject(self, written: Written) -> Target | None:
        """What a chain is about: the first side that names something, else what the line before was about."""
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        named = [target for target in map(self._named, nodes) if target is not None]
        sure = [target for target in named if not target.guess]
        if sure:
            return self._sooner(named, sure[0])
        guessed = [target for target in named if self._may_be(target, nodes)]
        if guessed:
            return guessed[0]
        if written.sides[0] is None and not written.after_text:
            return self.current
        if not any(_has_numbers(node) for node in nodes):
            return None
        first = nodes[0]
        is_known = figure(first) is not None or isinstance(bare(first), t.Matrix | t.Vector)
        return self._by_heading(nodes) if is_known else self._by_value(first)

    def _sooner(self, named: list[Target], sure: Target) -> Target:
        """A name of habit that stands before a sure one and has its value is meant: ``L = c S`` where c is 1."""
        first = named[0]
        if first is sure or first.shape != sure.shape:
            return sure
        pairs = zip(first.flat(), sure.flat(), strict=True)
        alike = all(self.numbers.exact((first.name, *a)) == self.numbers.exact((sure.name, *b)) for a, b in pairs)
        return first if alike else sure

    def _may_be(self, target: Target, nodes: list[t.Node]) -> bool:
        """Whether a letter that is bound by habit stands beside numbers that fit it."""
        fitting = {target.shape, target.shape[::-1]} if target.is_vector else {target.shape}
        is_entry = target.only is not None
        return any(
            self._shape(node) in fitting and (_has_numbers(node) if is_entry else _has_list(node)) for node in nodes
        )

    def _by_value(self, node: t.Node) -> Target | None:
        """What an expression in names comes to: the only quantity, row or entry that has this value."""
        if not isinstance(bare(node), t.SumOver | t.Product | t.Transpose):
            return None
        value = matrix_in(node, self.binder, self.numbers.base)
        if value is None:
            return None
        rows = value.rows if isinstance(value, Matrix) else ((value,),)
        found = [target for target in self._targets(len(rows), len(rows[0])) if self._has_value(target, rows)]
        return found[0] if len(found) == 1 else None

    def _targets(self, rows: int, columns: int) -> Iterator[Target]:
        for name, node in self.graph.nodes.items():
            if node.formula is None:
                continue
            full = whole(self.graph, name)
            if full.shape == (rows, columns):
                yield full
            height, width = full.shape
            if 1 in (rows, columns) and 1 not in full.shape:
                lines = [full.part(i, None) for i in range(height)] + [full.part(None, j) for j in range(width)]
                for line in lines:
                    if line is not None and line.shape in {(rows, columns), (columns, rows)}:
                        yield line if line.shape == (rows, columns) else line.transposed
            if rows == columns == 1 and full.shape != (1, 1):
                cells = (full.part(i, j) for i in range(height) for j in range(width))
                yield from (cell for cell in cells if cell is not None)

    def _has_value(self, target: Target, rows: Sequence[Sequence[Quotient]]) -> bool:
        pairs = zip(target.flat(), (value for row in rows for value in row), strict=True)
        return all(self.numbers.exact((target.name, *place)) == value for place, value in pairs)

    def _named(self, node: t.Node) -> Target | None:
        node = bare(node)
        if isinstance(node, t.Relation):
            return None
        return self.binder.resolve(node) or self._of_product(node) or self.formulas.subject(node)

    def _of_product(self, node: t.Node) -> Target | None:
        """``QK_{12}`` and ``(QK^T)_{12}``: an entry of a product."""
        if not isinstance(node, t.Subscript) or not isinstance(node.base, t.Group):
            return None
        inside = node.base.body
        found = self.formulas.subject(inside)
        if found is None and isinstance(inside, t.Product) and len(inside.factors) == 2:
            turned = t.Product((inside.factors[0], t.Transpose(inside.factors[1])), inside.operators)
            found = self.formulas.subject(turned)
        if found is None:
            return None
        numbers = self.binder.split(node.indices, {})[1]
        return None if numbers is None else self.binder.part(found, numbers)

    def _by_heading(self, nodes: list[t.Node]) -> Target | None:
        if self.binder.heading is None:
            return None
        target = whole(self.graph, self.binder.heading, guess=True)
        fits = any(self._shape(node) in {target.shape, target.shape[::-1]} for node in nodes)
        return target if fits else None

    def _shape(self, node: t.Node) -> tuple[int, int] | None:
        try:
            return self.layout.shape(node)
        except ShapeError:
            return None

    # One link --------------------------------------------------------------------------------------

    def _link(
        self, written: Written, position: int, side: Side, previous: t.Node | None, target: Target | None
    ) -> Link:
        if side.node is None:
            return self._unread(written, position, side, target)
        self.operator = written.operators[position - 1] if position else ""
        link = self._read(written, position, side, side.node, previous, target)
        if not side.others or link.finding.verdict in {"right", "rounded", "carried"}:
            return self._with_reading(link, side)
        others = [self._read(written, position, side, node, previous, target) for node in side.others]
        good = [other for other in others if other.finding.verdict in {"right", "rounded", "carried"}]
        if len(good) == 1:
            return self._with_reading(good[0], side)
        if good:
            finding = _with(link.finding, verdict="ambiguous", explanation=side.reason)
            return Link(finding, target)
        return self._with_reading(link, side)

    def _with_reading(self, link: Link, side: Side) -> Link:
        finding = link.finding
        if finding.guess and finding.name is not None and finding.verdict != "unchecked":
            words = f"Taken to be {finding.name}, which the work does not say."
            sentence = f"{finding.explanation} {words}".strip()
            link = replace(link, finding=_with(finding, explanation=sentence))
        if not side.others:
            return link
        explanation = " ".join(part for part in (link.finding.explanation, side.reason) if part)
        return replace(link, finding=_with(link.finding, explanation=explanation, guess=True))

    def _unread(self, written: Written, position: int, side: Side, target: Target | None = None) -> Link:
        where = self._where(written, position, side)
        name = None if target is None else canonical(target, self.graph)
        culprit = self._place(side.at, min(side.at + 1, side.span[1]))
        if side.code == "ragged":
            finding = Finding(
                where, self._text(where), name, "wrong", checks=Checks(value=False), explanation=side.reason,
                diagnosis=Diagnosis("ragged-matrix", side.reason), culprit=culprit,
            )  # fmt: skip
            return Link(finding, target)
        return Link(Finding(where, self._text(where), name, "unread", explanation=side.reason, culprit=culprit), target)

    def _read(
        self,
        written: Written,
        position: int,
        side: Side,
        node: t.Node,
        previous: t.Node | None,
        target: Target | None,
    ) -> Link:
        where = self._where(written, position, side)
        base = Finding(where, self._text(where), None if target is None else canonical(target, self.graph), "right")
        if target is not None and target.guess:
            base = _with(base, guess=True)
        if isinstance(node, t.Space):
            return self._membership(base, node, target)
        if is_formula(node):
            return self._formula(base, node, target)
        if target is None:
            return self._without_subject(base, node, previous)
        try:
            shape = self.layout.shape(node)
            laid = self._laid(shape, target)
            if laid is None:
                return self._misshapen(base, node, target, _shape_sentence(shape, target, self.graph))
            return self._entries(base, node, previous, laid)
        except ShapeError as error:
            return self._misshapen(base, node, target, str(error))

    def _membership(self, base: Finding, node: t.Space, target: Target | None) -> Link:
        """``∈ R^{3×2}``: the shape of what is meant."""
        sizes = [figure(size) for size in node.dimensions]
        has_names = any(isinstance(item, t.Name) for item in walk(node))
        if target is None or has_names:
            return Link(_with(base, verdict="unchecked"), target)
        written = tuple(-1 if size is None else int(size.value) for size in sizes)
        allowed = {target.shape} | ({(len(list(target.flat())),), target.shape[::-1]} if target.is_vector else set())
        if written in allowed:
            return Link(_with(base, checks=Checks(value=True)), target)
        shape = " × ".join(map(str, target.shape))
        sentence = f"{base.name} is {shape}, not in {self._source(node)}."
        finding = _with(
            base, verdict="wrong", checks=Checks(value=False), explanation=sentence,
            diagnosis=Diagnosis("shape", sentence), culprit=self._span(node),
        )  # fmt: skip
        return Link(finding, target)

    def _laid(self, shape: tuple[int, int], target: Target) -> Target | None:
        if shape == target.shape:
            return target
        is_turned = target.is_vector and shape == target.shape[::-1]
        return target.transposed if is_turned else None

    def _misshapen(self, base: Finding, node: t.Node, target: Target, reason: str) -> Link:
        if target.guess:
            words = f"It was taken for {target.name} by habit, and does not fit: {reason}"
            return Link(_with(base, verdict="unchecked", name=None, explanation=words), None)
        diagnosis = self.causes.explain(Cause(node, None, None, None)) or Diagnosis("shape", reason)
        finding = _with(
            base, verdict="wrong", checks=Checks(value=False), explanation=reason, diagnosis=diagnosis,
            culprit=self._span(node),
        )  # fmt: skip
        return Link(finding, target)

    # Numbers ---------------------------------------------------------------------------------------

    def _entries(self, base: Finding, node: t.Node, previous: t.Node | None, target: Target) -> Link:
        rows = [
            [self._entry(node, previous, target, (a, b)) for b in range(target.shape[1])]
            for a in range(target.shape[0])
        ]
        if target.shape == SCALAR:
            return self._single(base, rows[0][0], target)
        entries = [entry for row in rows for entry in row]
        worst = min((entry.verdict for entry in entries), key=BADNESS.index)
        first = next((entry for entry in entries if entry.verdict == worst), entries[0])
        is_plain = all(entry.number is not None for entry in entries)
        moved = None
        if worst in {"wrong", "follows"} and is_plain:
            moved = self.causes.of_matrix(target, [[entry.number for entry in row] for row in rows])
        sentence = self._matrix_sentence(entries, worst, target)
        finding = _with(
            base,
            verdict=worst,
            value=None if not is_plain else self._source(node),
            expected=self._matrix_shown(target, entries),
            checks=_together([entry.checks for entry in entries]),
            explanation=sentence if moved is None else f"{moved.text} {sentence}",
            diagnosis=moved or first.diagnosis,
            culprit=first.culprit,
            entries=tuple(tuple(self._entry_finding(entry) for entry in row) for row in rows),
        )
        return Link(finding, target, _stated(entries), _methods(entries), _words(entries))

    def _matrix_sentence(self, entries: list[_Entry], worst: Verdict, target: Target) -> str:
        if worst == "carried":
            end = self._matrix_shown(target, entries)
            return f"Right from rounded numbers; rounded once at the end it is {end}."
        return _joined([entry.explanation for entry in entries if entry.verdict == worst])

    def _single(self, base: Finding, entry: _Entry, target: Target) -> Link:
        finding = _with(
            base,
            verdict=entry.verdict,
            value=entry.text if entry.number is not None else None,
            expected=self.numbers.shown(entry.cell, entry.number),
            checks=entry.checks,
            explanation=entry.explanation,
            diagnosis=entry.diagnosis,
            culprit=entry.culprit,
        )
        return Link(finding, target, _stated([entry]), _methods([entry]), _words([entry]))

    def _entry(self, node: t.Node, previous: t.Node | None, target: Target, place: Place) -> _Entry:
        i, j = target.cells[place[0]][place[1]]
        cell = (target.name, i, j)
        part = self.layout.entry(node, *place)
        before = self._part_of(previous, place, target)
        number = figure(part)
        if number is not None and not self._is_quotient(part, number, cell):
            return self._value(part, number, cell, before)
        return self._working(part, cell, before, ordered=_has_list(node))

    def _is_quotient(self, part: t.Node, number: Figure, cell: Cell) -> bool:
        """Whether ``148/316`` is the working of a weight and not its value."""
        if not isinstance(bare(part), t.Division) or self.numbers.judge(number, cell).is_right:
            return False
        return self.operands.compare(part, cell) == ()

    def _part_of(self, previous: t.Node | None, place: Place, target: Target) -> t.Node | None:
        """The same entry of the side before, where that is written in numbers and has the shape."""
        if previous is None or not _has_numbers(previous) or is_formula(previous):
            return None
        shape = self._shape(previous)
        if shape is None or (shape != target.shape and shape != target.shape[::-1]):
            return None
        if shape != target.shape:
            place = (place[1], place[0])
        try:
            return self.layout.entry(previous, *place)
        except ShapeError:
            return None

    def _value(self, part: t.Node, number: Figure, cell: Cell, before: t.Node | None) -> _Entry:
        """A number for an entry: is it right, and does the line before come to it?"""
        text = self._source(part)
        if number.mixed is not None:
            return self._mixed(part, number, cell, text, before)
        judged = self.numbers.judge(number, cell)
        if not judged.is_right and before is not None and self._is_worked_out(before, number, cell):
            judged = Judged("carried", is_right=True)
        arithmetic = None if before is None else self._comes_to(before, number, cell, is_right=judged.is_right)
        verdict: Verdict = judged.verdict
        if arithmetic is False:
            verdict = "wrong"
        elif verdict == "wrong" and before is not None and arithmetic:
            verdict = "follows"
        explanation, diagnosis = "", None
        if verdict not in {"right", "rounded", "carried"}:
            cause = Cause(part, cell, number, before)
            diagnosis = (
                self.causes.explain(cause) if verdict in {"wrong", "truncated"} and not judged.is_right else None
            )
            explanation = self._value_sentence(
                number, cell, before, verdict, is_right=judged.is_right, arithmetic=arithmetic
            )
            if diagnosis is not None and diagnosis.text not in explanation:
                explanation = f"{diagnosis.text} {explanation}"
            elif arithmetic is False:
                diagnosis = Diagnosis("arithmetic", explanation)
        elif verdict == "carried":
            explanation = self._carried_sentence(number, cell)
        return _Entry(
            cell, verdict, Checks(arithmetic=arithmetic, value=judged.is_right), number, text,
            explanation, diagnosis, self._span(part),
        )  # fmt: skip

    def _mixed(self, part: t.Node, number: Figure, cell: Cell, text: str, before: t.Node | None) -> _Entry:
        value = number.mixed if number.mixed is not None else number.value
        meant = self.numbers.judge(Figure(value, None), cell)
        words = f"{text} is a root; the mixed number {value} is meant, perhaps." if meant.is_right else ""
        sentence = words or f"{_name(cell)} is {self.numbers.shown(cell)}, not {text}."
        diagnosis = Diagnosis("mixed-number", sentence) if meant.is_right else None
        # A root is no rational number, and what stands before it is one.
        arithmetic = None if before is None else False
        return _Entry(
            cell,
            "wrong",
            Checks(arithmetic=arithmetic, value=False),
            number,
            text,
            sentence,
            diagnosis,
            self._span(part),
        )

    def _comes_to(self, before: t.Node, number: Figure, cell: Cell, *, is_right: bool) -> bool | None:
        """Whether what stands before comes to a number, as written or with the digits behind what was written."""
        words = [self.numbers.close(number, value) for value in self._worth(before)]
        if not words:
            return None
        close = min(words, key=("equal", "rounded", "cut", "off").index)
        if close != "equal" and number.unit == 1 and self.operator != "≈" and not _has_decimals(before):
            # Between whole numbers and fractions there is nothing to round.
            return False
        if close in {"equal", "rounded"}:
            return True
        earlier = figure(before)
        if earlier is not None and self.numbers.close(earlier, Quotient.of(number.value)) in {"equal", "rounded"}:
            return True
        value = self.numbers.carried(cell)
        is_prescribed = value is not None and self.numbers.close(number, value) == "equal"
        may_carry = is_right and (is_prescribed or not self.numbers.strict)
        # More digits were carried than are shown: the operands are right, and so is the result. Otherwise
        # cut off is what the verdict of the value says; the sum itself was done rightly.
        return close == "cut" or (may_carry and self.operands.compare(before, cell) == ())

    def _is_worked_out(self, before: t.Node, number: Figure, cell: Cell) -> bool:
        """Whether a number is exactly what right operands come to, on the way to a rounded one."""
        values = self._worth(before)
        if not any(self.numbers.close(number, value) == "equal" for value in values):
            return False
        return self.operands.compare(before, cell) == () and not self._rests_on_mistakes(cell)

    def _rests_on_mistakes(self, cell: Cell) -> bool:
        """Whether an earlier number that does not hold may stand behind the operands of an entry."""
        parents = self.graph.parents(cell[0])
        return any(not found[-1].holds for written, found in self.numbers.prints.items() if written[0] in parents)

    def _worth(self, node: t.Node) -> list[Quotient]:
        """What written arithmetic comes to, names standing for the person's own numbers or for exact ones."""
        found = [value_in(node, self.binder, valuation) for valuation in (self.numbers.own(), self.numbers.base)]
        own, exact = found
        return [value for value in ([own] if own == exact else found) if value is not None]

    def _value_sentence(
        self,
        number: Figure,
        cell: Cell,
        before: t.Node | None,
        verdict: Verdict,
        *,
        is_right: bool,
        arithmetic: bool | None,
    ) -> str:
        expected = self.numbers.shown(cell, number)
        written = show(Quotient.of(number.value), number, None)
        if arithmetic is False and before is not None:
            value = value_in(before, self.binder, self.numbers.own())
            comes = "" if value is None else f" what is written before it comes to {show(value, number, None)}."
            if is_right:
                return f"The value {written} is right, but{comes}"
            return f"{_name(cell)} is {expected}, not {written};{comes}"
        match verdict:
            case "follows":
                return f"{written} follows from an earlier mistake; {_name(cell)} is {expected}."
            case "truncated":
                return f"{written} was cut off; rounded it is {expected}."
            case "coarse":
                return f"{written} is right, but with fewer places than asked: {expected}."
            case "undecided":
                return f"{_name(cell)} has no value that could be compared."
        return f"{_name(cell)} is {expected}, not {written}."

    def _carried_sentence(self, number: Figure, cell: Cell) -> str:
        return f"Right from rounded numbers; rounded once at the end it is {self.numbers.shown(cell, number)}."

    def _working(self, part: t.Node, cell: Cell, before: t.Node | None, *, ordered: bool) -> _Entry:
        """Written arithmetic for an entry: are its operands those that the definition calls for?"""
        text = self._source(part)
        named = self.binder.resolve(part)
        if named is not None and (named.name, named.only) == (cell[0], cell[1:]):
            return _Entry(cell, "right", Checks(), None, text, "", None, None)
        mismatches = self.operands.compare(part, cell, ordered=ordered)
        value = value_in(part, self.binder, self.numbers.own())
        if mismatches is None:
            return self._other_way(part, cell, value, text, before)
        if not mismatches:
            return _Entry(cell, "right", Checks(operands=True), None, text, "", None, None)
        sentence = " ".join(self._mismatch_sentence(item) for item in mismatches[:3])
        diagnosis = self.causes.explain(Cause(part, cell, None, before, mismatches)) or _plain_diagnosis(
            mismatches[0], sentence
        )
        return _Entry(
            cell, "wrong", Checks(operands=False), None, text, sentence, diagnosis, self._span(mismatches[0].node)
        )

    def _other_way(self, part: t.Node, cell: Cell, value: Quotient | None, text: str, before: t.Node | None) -> _Entry:
        """Arithmetic that is built otherwise than the definition: only its value can be compared."""
        exact = self.numbers.exact(cell)
        if value is None or exact is None:
            sentence = f"{text} cannot be worked out here."
            return _Entry(cell, "undecided", Checks(), None, text, sentence, None, self._span(part))
        if exact in self._worth(part):
            return _Entry(cell, "right", Checks(operands=True), None, text, "", None, None)
        steps = self.numbers.steps(cell, good=True)
        if value in steps or value == self.numbers.own(good=True).get(*cell):
            return _Entry(cell, "carried", Checks(operands=True), None, text, "", None, None)
        if value in self.numbers.steps(cell) or value == self.numbers.own().get(*cell):
            sentence = f"It follows from an earlier mistake; {_name(cell)} is {self.numbers.shown(cell)}."
            return _Entry(cell, "follows", Checks(operands=True), None, text, sentence, None, self._span(part))
        if before is not None:
            earlier = value_in(before, self.binder, self.numbers.own())
            if earlier is not None and earlier == value:
                sentence = f"It follows from what stands before it; {_name(cell)} is {self.numbers.shown(cell)}."
                return _Entry(cell, "follows", Checks(arithmetic=True), None, text, sentence, None, self._span(part))
        comes = show(value, None, self.numbers.asked(cell[0]))
        what = text if len(text) <= _MAX_QUOTED else "What is written"
        sentence = f"{what} comes to {comes}, and {_name(cell)} is {self.numbers.shown(cell)}."
        diagnosis = self.causes.explain(Cause(part, cell, None, before))
        return _Entry(cell, "wrong", Checks(operands=False), None, text, sentence, diagnosis, self._span(part))

    def _mismatch_sentence(self, item: Mismatch) -> str:
        written = self._source(item.node)
        match item.kind:
            case "missing":
                what = f" with {_name(item.cell)}" if item.cell is not None else ""
                return f"A term{what} is missing."
            case "extra":
                return f"The term {written} does not belong here."
            case "sign":
                return f"The sign of {written} is wrong."
            case "value":
                return f"{written} is not the value of its part."
        if item.cell is None:
            return f"{written} is not called for here."
        return f"{_name(item.cell)} is {self.numbers.shown(item.cell)}, copied as {written}."

    def _entry_finding(self, entry: _Entry) -> EntryFinding:
        place = entry.culprit or self._span_of_text(entry)
        text = None if entry.number is None else entry.text
        return EntryFinding(entry.verdict, text, self.numbers.shown(entry.cell, entry.number), place)

    def _span_of_text(self, entry: _Entry) -> Where:
        return entry.place or self._place(0, 0)

    def _matrix_shown(self, target: Target, entries: list[_Entry]) -> str:
        texts = iter([self.numbers.shown(entry.cell, entry.number) or "?" for entry in entries])
        rows = [" ".join(next(texts) for _ in row) for row in target.cells]
        return "[" + "; ".join(rows) + "]"

    # Without a subject, without numbers -----------------------------------------------------------

    def _without_subject(self, base: Finding, node: t.Node, previous: t.Node | None) -> Link:
        number = figure(node)
        before = [] if previous is None else self._worth(previous)
        values = self._worth(node)
        entropy = None
        if previous is not None and number is not None and not before:
            entropy = entropy_holds(previous, number, self.binder, self.numbers.base)
        if entropy is not None:
            return self._entropy(base, node, holds=entropy)
        if previous is None or not before or not values:
            sentence = "It is not said what this is about." if previous is None else "It names nothing of this problem."
            return Link(_with(base, verdict="unchecked", explanation=sentence), None)
        earlier = before[-1]
        word: Verdict = "right" if any(value in before for value in values) else "wrong"
        if number is not None:
            shown = _by_figures(number) if self.operator == "≈" else number
            close = min(
                (self.numbers.close(shown, item) for item in before), key=("equal", "rounded", "cut", "off").index
            )
            word = _WORDS[close]
        holds = word != "wrong"
        diagnosis = None
        if not holds and number is not None:
            diagnosis = self.causes.of_sum(number, earlier)
        elif not holds:
            diagnosis = Diagnosis("arithmetic", f"What is written before it comes to {show(earlier, None, None)}.")
        sentence = "" if diagnosis is None else diagnosis.text
        finding = _with(
            base, verdict=word if holds else "wrong", value=self._source(node), checks=Checks(arithmetic=holds),
            explanation=sentence, diagnosis=diagnosis, culprit=None if holds else self._span(node),
        )  # fmt: skip
        return Link(finding, None, self._factor(earlier, number))

    def _entropy(self, base: Finding, node: t.Node, *, holds: bool) -> Link:
        sentence = "" if holds else f"{self._source(node)} is not the entropy of these weights."
        finding = _with(
            base, verdict="rounded" if holds else "wrong", value=self._source(node), checks=Checks(value=holds),
            explanation=sentence, diagnosis=None if holds else Diagnosis("arithmetic", sentence),
            culprit=None if holds else self._span(node),
        )  # fmt: skip
        return Link(finding, None)

    def _factor(self, earlier: Quotient, number: Figure | None) -> tuple[tuple[Cell, Figure | None, bool], ...]:
        """``√2 = 1.41``, or its inverse, is a rounding of the scale."""
        if number is None or number.value == 0 or number.unit is None or "c" not in self.graph:
            return ()
        exact = self.numbers.exact(("c", 0, 0))
        if exact is None or exact.symbols:
            return ()
        if earlier == exact:
            return ((("c", 0, 0), number, True),)
        if earlier * exact == Quotient.of(1):
            return ((("c", 0, 0), Figure(1 / number.value, None), True),)
        return ()

    def _formula(self, base: Finding, node: t.Node, target: Target | None) -> Link:
        """A side in names alone."""
        own = self.binder.resolve(bare(node)) or self._of_product(bare(node))
        if target is not None and own is not None and own.name == target.name and set(own.flat()) == set(target.flat()):
            return Link(_with(base, verdict="right"), target)
        if target is None:
            return Link(_with(base, verdict="unchecked", explanation="It names nothing of this problem."), None)
        try:
            self.layout.shape(node)
        except ShapeError as error:
            return self._misshapen(base, node, target, str(error))
        written = self.formulas.read(node)
        subject = self.formulas.of_target(target)
        if written is None or subject is None:
            return self._formula_by_value(base, node, target)
        if self.formulas.same(written, subject):
            shown = tuple(((target.name, i, j), True) for i, j in target.flat())
            return Link(_with(base, checks=Checks(operands=True)), target, method=shown)
        counter = self.formulas.counterexample(subject, written)
        if counter is None:
            sentence = _shape_sentence(self.layout.shape(node), target, self.graph)
            is_shape = self.layout.shape(node) != target.shape
            verdict: Verdict = "wrong" if is_shape else "undecided"
            words = sentence if is_shape else "It could neither be proved nor refuted."
            return Link(_with(base, verdict=verdict, explanation=words, culprit=self._span(node)), target)
        sentence = f"{self._source(node)} is not {base.name}: {counter}."
        finding = _with(
            base, verdict="wrong", checks=Checks(operands=False), explanation=sentence,
            diagnosis=self.causes.explain(Cause(node, None, None, None)) or Diagnosis("formula", sentence),
            culprit=self._span(node),
        )  # fmt: skip
        return Link(finding, target)

    def _formula_by_value(self, base: Finding, node: t.Node, target: Target) -> Link:
        """Names with indices: the same entry by entry, else with these numbers."""
        value = matrix_in(node, self.binder, self.numbers.base)
        rows = value.rows if isinstance(value, Matrix) else ((value,),) if value is not None else ()
        is_laid = bool(rows) and (len(rows), len(rows[0])) in {target.shape, target.shape[::-1]}
        if is_laid:
            return self._formula_worth(base, node, target, rows)
        own = self.binder.resolve(bare(node))
        if own is not None and own.shape in {target.shape, target.shape[::-1]}:
            pairs = zip(own.flat(), target.flat(), strict=True)
            if all(self.numbers.exact((own.name, *a)) == self.numbers.exact((target.name, *b)) for a, b in pairs):
                return Link(_with(base, verdict="right", checks=Checks(value=True)), target)
        if self._shape(node) not in {target.shape, target.shape[::-1]}:
            return Link(
                _with(base, verdict="unchecked", explanation="A formula in names that are not bound here."), target
            )
        unbound = [name for name in walk(node) if isinstance(name, t.Name) and name.text not in {"e", "T"}]
        if any(self.binder.resolve(name) is None for name in unbound) and not any(
            isinstance(item, t.Subscript) and self.binder.resolve(item) is not None for item in walk(node)
        ):
            return Link(
                _with(base, verdict="unchecked", explanation="A formula in names that are not bound here."), target
            )
        laid = self._laid(self._shape(node) or SCALAR, target)
        if laid is None:
            return Link(
                _with(base, verdict="unchecked", explanation="A formula in names that are not bound here."), target
            )
        link = self._entries(base, node, None, laid)
        return (
            link
            if link.finding.verdict != "undecided"
            else Link(_with(base, verdict="unchecked", explanation=""), target)
        )

    def _formula_worth(self, base: Finding, node: t.Node, target: Target, rows: Sequence[Sequence[Quotient]]) -> Link:
        """A formula in single rows and entries, by what it comes to here."""
        if self._has_value(target, rows):
            shown = tuple(((target.name, i, j), True) for i, j in target.flat())
            return Link(_with(base, checks=Checks(operands=True)), target, method=shown)
        sentence = f"{self._source(node)} is not {base.name}."
        finding = _with(
            base, verdict="wrong", checks=Checks(operands=False), explanation=sentence,
            diagnosis=Diagnosis("formula", sentence), culprit=self._span(node),
        )  # fmt: skip
        return Link(finding, target)

    # Places ----------------------------------------------------------------------------------------

    def _place(self, start: int, end: int) -> Where:
        line, column, cell = self.work.position(start)
        end_line, end_column, _ = self.work.position(end)
        return Where(start, end, line, column, end_line, end_column, cell)

    def _where(self, written: Written, position: int, side: Side) -> Where:
        """A link from its relation on; the first one from the start of the chain."""
        start = written.span[0] if position <= 1 else written.operator_spans[position - 1][0]
        return self._place(start, side.span[1])

    def _span(self, node: t.Node) -> Where | None:
        return None if node.span is None else self._place(*node.span)

    def _text(self, where: Where) -> str:
        return self.work.text[where.start : where.end].strip()

    def _source(self, node: t.Node) -> str:
        if node.span is None:
            return describe(node)
        return self.work.text[slice(*node.span)].strip()


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry judged."""

    cell: Cell
    verdict: Verdict
    checks: Checks
    number: Figure | None
    text: str
    explanation: str
    diagnosis: Diagnosis | None
    culprit: Where | None
    place: Where | None = None


def _stated(entries: list[_Entry]) -> tuple[tuple[Cell, Figure | None, bool], ...]:
    return tuple(
        (entry.cell, entry.number, bool(entry.checks.value) or entry.verdict == "truncated")
        for entry in entries
        if entry.number is not None
    )


def _methods(entries: list[_Entry]) -> tuple[tuple[Cell, bool], ...]:
    return tuple((entry.cell, bool(entry.checks.operands)) for entry in entries if entry.checks.operands is not None)


def _words(entries: list[_Entry]) -> tuple[tuple[Cell, Verdict], ...]:
    return tuple((entry.cell, entry.verdict) for entry in entries if entry.number is not None)


def is_formula(node: t.Node) -> bool:
    """Whether a side is names alone: no number but in indices and exponents."""
    return not _has_numbers(node)


def _has_numbers(node: t.Node) -> bool:
    match node:
        case t.Number():
            return True
        case t.Subscript(base):
            return _has_numbers(base)
        case t.Name():
            return False
        case t.SumOver(_, _, _, body):
            return _has_numbers(body)
    return any(_has_numbers(child) for child in t.children(node))


def _by_figures(number: Figure) -> Figure:
    """``≈ 3320``: the zeros at the end of a whole number are no digits."""
    if number.unit != 1 or not number.value:
        return number
    unit = Fraction(1)
    while (number.value / (10 * unit)).denominator == 1:
        unit *= 10
    return replace(number, unit=unit)


def _has_list(node: t.Node) -> bool:
    return any(isinstance(item, t.Matrix | t.Vector) for item in walk(node))


def _has_decimals(node: t.Node) -> bool:
    """Whether a number with a point, or an exponential or a root, stands in it."""
    return any(
        (isinstance(item, t.Number) and not item.text.isdigit()) or isinstance(item, t.Power | t.Root | t.Call)
        for item in walk(node)
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


def _joined(sentences: list[str]) -> str:
    shown = list(dict.fromkeys(sentence for sentence in sentences if sentence))
    more = len(shown) - 3
    return " ".join(shown[:3]) + (f" And {more} more." if more > 0 else "")


def _plain_diagnosis(mismatch: Mismatch, sentence: str) -> Diagnosis:
    codes = {"missing": "dropped-term", "extra": "extra-term", "sign": "sign", "value": "part", "operand": "operand"}
    return Diagnosis(codes[mismatch.kind], sentence)


def _name(cell: Cell | None) -> str:
    return "it" if cell is None else f"{cell[0]}[{cell[1] + 1},{cell[2] + 1}]"


def _shape_sentence(shape: tuple[int, int], target: Target, graph: Graph) -> str:
    name = canonical(target, graph)
    return f"{name} is {target.shape[0]} × {target.shape[1]}, and what is written is {shape[0]} × {shape[1]}."


def _with(finding: Finding, **changes: object) -> Finding:
    return replace(finding, **changes)  # type: ignore[arg-type]
