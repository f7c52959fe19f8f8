"""Shared state of one grading run: the text, the names, the numbers so far, and places."""

from __future__ import annotations

from fractions import Fraction

from symattn.checking.evaluation.formula_equality import Formulas
from symattn.checking.evaluation.matrix_layout import Layout
from symattn.checking.evaluation.operands import Operands
from symattn.checking.evaluation.values import value_in
from symattn.checking.expressions.expression_kinds import has_decimals
from symattn.checking.expressions.numerals import FITS, Figure, figure
from symattn.checking.grading.link import Link, changed
from symattn.checking.grading.value_verdicts import Numbers
from symattn.checking.graph.expansion import Expected, value_of
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.graph.targets import Target, described, entries_in
from symattn.checking.mistakes.causes import Causes
from symattn.checking.names.binding import Binder
from symattn.checking.report import Checks, Diagnosis, Finding, Place, Verdict
from symattn.errors import InputError, ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.notation.submission import Prose, Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.operations.scalar import Num


def place_in(work: Work, start: int, end: int) -> Place:
    """Return the position of a span in the text of a work."""
    line, column, cell = work.position(start)
    end_line, end_column, _ = work.position(end)
    return Place(start, end, line, column, end_line, end_column, cell)


class GradingContext:
    """Shared state of one grading run.

    Args:
        work: for places and texts.
        graph: the quantities.
        binder: what names mean.
        numbers: the values, and what was written so far.
        formulas: formulas in names.
        causes: finds the likeliest cause of a mistake.
    """

    def __init__(
        self, work: Work, graph: Graph, binder: Binder, numbers: Numbers, formulas: Formulas, causes: Causes
    ) -> None:
        self.work = work
        self.graph = graph
        self.binder = binder
        self.numbers = numbers
        self.formulas = formulas
        self.causes = causes
        self.layout = Layout(binder, columns=binder.problem.softmax == "columns", adds_one=binder.graph.adds_one)
        self.followed: set[tuple[Cell, Fraction]] = set()
        self.operands = Operands(
            graph, binder, numbers.accepts, self.accepts, self._accepts_value, self._is_zero,
            numbers.hides,
        )  # fmt: skip

    # What operands may be --------------------------------------------------------------------------

    def accepts(self, node: t.Node, cell: Cell) -> bool:
        """Return whether an expression may stand for an entry inside working."""
        number = figure(node)
        if number is not None:
            return self.numbers.accepts(number, cell)
        value, exact = self._worked_out(node), self.numbers.exact(cell)
        if value is None or exact is None:
            return False
        if value == exact or value == self.numbers.own().get(*cell):
            return True
        return isinstance(node, t.Division) and self._accepts_inverse(node, exact)

    def _worked_out(self, node: t.Node) -> Quotient | None:
        """Return the value of working, computed from the numbers before it."""
        return self.value(node, self.numbers.own())

    def value(self, node: t.Node, valuation: Valuation) -> Quotient | None:
        """Return the value of scalar arithmetic, worked out once for one statement; None where it has none."""
        worked, key = self.operands.worked, (id(node), id(valuation))
        if worked is None:
            return value_in(node, self.binder, valuation)
        if key not in worked:
            worked[key] = node, valuation, value_in(node, self.binder, valuation)
        return worked[key][2]

    def _accepts_inverse(self, node: t.Division, exact: Quotient) -> bool:
        """Return whether a factor is ``1/1.414`` for ``1/√2``, the divisor being a rounding."""
        above, below = figure(node.numerator), figure(node.denominator)
        if above is None or below is None or above.value != 1 or exact.is_zero:
            return False
        return self.numbers.close(below, Quotient.of(1) / exact) in FITS and not self.numbers.strict

    def _accepts_value(self, node: t.Node, expected: Expected) -> bool:
        """Return whether a number is the value of a part. Between whole numbers and fractions nothing is rounded."""
        number = figure(node)
        if number is None:
            # cos(1/2): a number of a definition in another form.
            return isinstance(expected, Num) and self.value(node, self.numbers.base) == expected.value
        is_whole = number.unit == 1 and not self.numbers.is_coarse and not has_decimals(node)
        own = (self.numbers.base.get, self.numbers.own().get, self.numbers.own(good=True).get, self._carried)
        for get in own:
            value = value_of(expected, get)
            if value is None:
                continue
            must_equal = is_whole and value.plain_rational() is not None
            if self.numbers.close(number, value) in ({"equal"} if must_equal else FITS):
                return True
        return False

    def _carried(self, name: str, i: int, j: int) -> Quotient | None:
        value = self.numbers.carried((name, i, j))
        return self.numbers.exact((name, i, j)) if value is None else value

    def _is_zero(self, expected: Expected) -> bool:
        for get in (self.numbers.own().get, self.numbers.base.get, self._carried):
            value = value_of(expected, get)
            if value is not None and value.is_zero:
                return True
        return False

    # What was said before --------------------------------------------------------------------------

    def follow(self, link: Link) -> None:
        """Record the numbers that follow from earlier mistakes."""
        words = dict(link.verdicts)
        self.followed.update((cell, number.value) for cell, number, _ in link.stated if words.get(cell) == "follows")

    def is_repeated(self, number: Figure, cell: Cell) -> bool:
        """Return whether a number was found for an entry before, and followed from an earlier mistake then."""
        return (cell, number.value) in self.followed

    # Values and shapes -----------------------------------------------------------------------------

    def worth(self, node: t.Node) -> list[Quotient]:
        """Return the values of written arithmetic, names standing for the person's own numbers or for exact ones."""
        own, exact = (self.value(node, kept) for kept in (self.numbers.own(), self.numbers.base))
        return [value for value in ([own] if own == exact else [own, exact]) if value is not None]

    def shape(self, node: t.Node) -> tuple[int, int] | None:
        """Return rows and columns of an expression, None when its parts do not conform."""
        try:
            return self.layout.shape(node)
        except ShapeError:
            return None

    def entry(self, node: t.Node, i: int, j: int) -> t.Node | None:
        """Return an entry of a node, None where it has none: the root of a matrix is neither number nor matrix."""
        try:
            return self.layout.entry(node, i, j)
        except ShapeError:
            return None

    def has_value(self, target: Target, rows: tuple[tuple[Quotient, ...], ...]) -> bool:
        """Return whether the entries of a target are exactly these, in their order."""
        pairs = zip(target.entries, (value for row in rows for value in row), strict=True)
        return all(self.numbers.exact(cell) == value for cell, value in pairs)

    # Places ----------------------------------------------------------------------------------------

    def place(self, start: int, end: int) -> Place:
        """Return the position of a span in the text."""
        return place_in(self.work, start, end)

    def link_place(self, written: Written, position: int, side: Side) -> Place:
        """Return a link from its relation on; the first one from the start of the chain."""
        start = written.span[0] if position <= 1 else written.operator_spans[position - 1][0]
        return self.place(start, side.span[1])

    def span(self, node: t.Node) -> Place | None:
        """Return the position of a node, None for a node that was rewritten."""
        return None if node.span is None else self.place(*node.span)

    def text(self, place: Place) -> str:
        """Return the text at a place."""
        return self.work.shown[place.start : place.end].strip()

    def undecided(self, piece: Prose | Written, error: InputError) -> Link:
        """Return the link of a piece of the work that an error keeps from being judged."""
        where = self.place(*piece.span)
        verdict: Verdict = "withdrawn" if piece.withdrawn else "undecided"
        return Link(Finding(where, self.text(where), None, verdict, explanation=str(error)), None)

    def wrong(
        self, base: Finding, node: t.Node, diagnosis: Diagnosis, checks: Checks, sentence: str | None = None
    ) -> Finding:
        """Return the finding that a side is wrong; its explanation is the sentence, else that of the diagnosis."""
        return changed(
            base, verdict="wrong", checks=checks, explanation=diagnosis.text if sentence is None else sentence,
            diagnosis=diagnosis, culprit=self.span(node),
        )  # fmt: skip

    def source(self, node: t.Node) -> str:
        """Return a node as it was written."""
        if node.span is None or entries_in(node):
            return described(node)
        return self.work.shown[slice(*node.span)].strip()
