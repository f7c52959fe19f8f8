"""Links about no quantity of the problem, of which only the arithmetic can be judged."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.values import matrix_in, substitute
from symattn.checking.expressions.expression_kinds import (
    by_figures,
    has_decimals,
    has_numbers,
    is_sum_of_decimals,
    power_of_e,
)
from symattn.checking.expressions.numerals import CLOSENESS, FITS, Closeness, Figure, bare, figure, is_within
from symattn.checking.expressions.terms import flat_factors, flat_terms, is_rounding_of
from symattn.checking.grading.link import Link, changed
from symattn.checking.grading.value_text import in_style, show, style_of
from symattn.checking.grading.value_verdicts import NEAR
from symattn.checking.graph.formulas import Cell, axis_of_weights
from symattn.checking.graph.quantities import Valuation, line_of, scores_of, shape_of
from symattn.checking.graph.scalar_values import exponential_if_known
from symattn.checking.graph.targets import Place, Target
from symattn.checking.link_judges.entry import Said
from symattn.checking.names.binding import Binder
from symattn.checking.names.lexicon import key_of, spelt
from symattn.checking.report import Checks, Diagnosis, Finding, Verdict
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws import entropy
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.sign import compare as compared
from symattn.exact.rounding.quotients import Rounding
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.operations.formulas.formula import Apply, Ref, is_of

_MAX_PLACES = 50
_FINE_UNIT = Fraction(1, 1000)
"""Unit of the last place of numbers that come of a program, perhaps."""


def entropy_holds(node: t.Node, written: Figure, names: Binder, exact: Valuation, ties: str = "half-up") -> bool | None:
    """Return whether a number is the rounded entropy that a name stands for; None for other names."""
    found = names.formula(node, {})
    if found is None or written.places is None or not 0 <= written.places <= _MAX_PLACES:
        return None
    place = _weight(substitute(found[0], found[1]), names)
    if place is None:
        return None
    name, i, j = place
    formula = exact.graph.nodes[name].formula
    scores, axis = scores_of(formula, exact.graph), axis_of_weights(formula)
    if scores is None or axis is None:
        return None
    places = line_of(shape_of(scores, exact.graph), axis, i, j)
    line = [exact.entry(scores, *item) for item in places]
    known = [value for value in line if value is not None and not value.symbols]
    if len(known) != len(line):
        return None
    for rule in {ties, "half-up"}:
        low, high = entropy.entropy(known, Rounding(places=written.places, ties=rule))
        if low == high and Fraction(low) == written.value:
            return True
    return False


def _weight(node: t.Node, names: Binder) -> tuple[str, int, int] | None:
    """Return the first weight of the line in ``-Σ_j a_ij ln a_ij``, None when the formula is another one."""
    node = bare(node)
    if not isinstance(node, t.Negative) or not isinstance(bare(node.body), t.SumOver):
        return None
    total = bare(node.body)
    if not isinstance(total, t.SumOver):
        return None
    _, factors = flat_factors(substitute(total.body, {total.index.text: 1}))
    logarithms = [factor for factor in factors if isinstance(factor, t.Call) and factor.function.text in {"ln", "log"}]
    weights = [factor for factor in factors if factor not in logarithms]
    if len(weights) != 1 or len(logarithms) != 1 or len(logarithms[0].arguments) != 1:
        return None
    target, other = names(weights[0]), names(logarithms[0].arguments[0])
    if target is None or target != other or target.only is None:
        return None
    return target.name, *target.only


_WORDS: dict[Closeness, Verdict] = {"equal": "right", "rounded": "rounded", "cut": "truncated", "off": "wrong"}

ORDERS: dict[str, frozenset[int]] = {
    "≠": frozenset({-1, 1}),
    "<": frozenset({-1}),
    ">": frozenset({1}),
    "≤": frozenset({-1, 0}),
    "≥": frozenset({0, 1}),
}
"""The relations of order, and the signs of the difference with which they hold."""

_MOST = 400
"""Entries that are looked at."""


def _is_another_e(node: t.Node, number: Figure | None) -> bool:
    """Return whether e alone stands before anything but a number that begins as the base of exponentials does."""
    return bare(node) == t.Name("e") and (number is None or not 2 <= number.value < 3)


def _is_value(node: t.Node) -> bool:
    """Return whether a side is a number or a list of numbers, and no working."""
    node = bare(node)
    if isinstance(node, t.Matrix):
        return all(figure(entry) is not None for row in node.rows for entry in row)
    if isinstance(node, t.Vector):
        return all(figure(item) is not None for item in node.items)
    return figure(node) is not None


class ArithmeticJudge:
    """Judge of a side by the side before it."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context

    def link(self, base: Finding, said: Said) -> Link:
        """Return the finding on a link without a subject."""
        if said.previous is None:
            return _unchecked(base, "It does not say which quantity this is.")
        number = figure(said.node)
        before, values = self.context.worth(said.previous), self.context.worth(said.node)
        if number is not None and not before:
            numbers = self.context.numbers
            holds = entropy_holds(said.previous, number, self.context.binder, numbers.base, numbers.ties)
            if holds is not None:
                return self._entropy(base, said.node, holds=holds)
        if before and number is not None:
            link = self._number(base, said, number, before)
        elif before and values:
            link = self._values(base, said, said.previous, before, values)
        else:
            link = self._matrices(base, said)
        if link.finding.verdict == "wrong" and said.operator == "→" and _is_value(said.previous):
            return _unchecked(base, "An arrow leads from one number to another.")
        if link.finding.verdict == "wrong" and self._is_running(said.previous):
            return _unchecked(base, "Names change their value from block to block here.")
        if link.finding.verdict == "wrong" and (
            self._is_guessed(said.previous) or _is_another_e(said.previous, number)
        ):
            return _unchecked(base, "A name in it may mean several quantities.")
        return link

    def _is_running(self, node: t.Node) -> bool:
        """Return whether a formula in names alone is about running values: ``O / l`` after the last block of keys."""
        return bool(self.context.binder.problem.online) and not has_numbers(node)

    def _is_guessed(self, node: t.Node) -> bool:
        """Return whether a formula is a name, or holds a word, that is bound by habit: ``X + Attn``."""
        whole = bare(node)
        names = (item for item in walk(node) if isinstance(item, t.Name) and (len(item.text) > 1 or item == whole))
        return any((found := self.context.binder.resolve(name)) is not None and found.guess for name in names)

    def comparison(self, base: Finding, said: Said) -> Link:
        """Judge ``a < b`` and the like with exact values."""
        left = None if said.previous is None else self.context.value(said.previous, self.context.numbers.base)
        right = self.context.value(said.node, self.context.numbers.base)
        if left is None or right is None or (left - right).symbols:
            return _unchecked(base, "A relation that cannot be computed here.")
        if compared(left, right) in ORDERS[said.operator]:
            return Link(changed(base, name=None, checks=Checks(arithmetic=True)), None)
        style = None if said.previous is None else style_of(said.previous, said.node)
        first, second = (in_style(value, style) for value in (left, right))
        if first == second:  # as written they look alike
            first, second = (show(value, None, None) for value in (left, right))
        sentence = f"It does not hold: the left side is {first}, the right {second}."
        return self._wrong(changed(base, name=None), said.node, Diagnosis("arithmetic", sentence))

    def interval(self, base: Finding, node: t.Node, operator: str, target: Target | None) -> Link | None:
        """Return the finding on an interval; None where something else is written.

        Raises:
            UndecidedError: enclosures leave open whether the value lies inside.
        """
        ends = self._ends(node) if operator in {"≈", "∈"} else None
        cell = None if target is None or target.only is None else (target.name, *target.only)
        exact = None if cell is None else self.context.numbers.exact(cell)
        if ends is None or exact is None or exact.symbols or not exact.is_finite or cell is None:
            return None
        low, high = ends
        if compared(low, exact) <= 0 <= compared(high, exact):
            return Link(changed(base, verdict="rounded", checks=Checks(value=True)), target)
        words = f"{base.name} is {self.context.numbers.shown(cell)}, which does not lie between these two."
        finding = changed(
            base, verdict="wrong", checks=Checks(value=False), explanation=words, culprit=self.context.span(node)
        )
        return Link(finding, target)

    def _ends(self, node: t.Node) -> tuple[Quotient, Quotient] | None:
        if not isinstance(node, t.Vector) or len(node.items) != 2:
            return None
        low, high = (self.context.value(item, self.context.numbers.base) for item in node.items)
        if low is None or high is None or low.rational() is None or high.rational() is None:
            return None
        return (low, high) if compared(low, high) < 0 else None

    def _number(self, base: Finding, said: Said, number: Figure, before: list[Quotient]) -> Link:
        shown = by_figures(number) if said.operator == "≈" else number
        close = min((self.context.numbers.close(shown, item) for item in before), key=CLOSENESS.index)
        if close != "equal" and self._is_no_rounding(said, number, before):
            close = "off"
        if close in {"cut", "off"} and (
            self._is_of_digits_behind(said.previous, number)
            or self._is_of_side_before(said, number)
            or self._is_of_an_entry(said, number)
        ):
            close = "rounded"
        word = _WORDS[close]
        if word == "wrong" and self._says_no_scale(said.previous, number):
            return _unchecked(base, "It says that nothing is scaled.")
        if word == "wrong" and self._may_have_more_digits(said.previous, number, before):
            return _unchecked(base, "Its last digit is another, and the numbers before it may have been rounded.")
        taken = tuple((cell, number, word != "wrong") for cell in self._exponentials(said.previous))
        if word == "wrong":
            link = self._wrong(base, said.node, self.context.causes.of_sum(number, before[-1]))
            return replace(link, taken=taken)
        finding = changed(base, verdict=word, value=self.context.source(said.node), checks=Checks(arithmetic=True))
        return Link(finding, None, taken=taken)

    def _says_no_scale(self, node: t.Node | None, number: Figure) -> bool:
        """Return whether a side says ``d_k = 1`` on a sheet that does not scale."""
        exact = self.context.numbers.exact(("c", 0, 0)) if "c" in self.context.graph else Quotient.of(1)
        is_size = node is not None and key_of(spelt(node) or "").lower() == "dk"
        return is_size and number.value == 1 and exact == Quotient.of(1)

    def _is_no_rounding(self, said: Said, number: Figure, before: list[Quotient]) -> bool:
        """Return whether a whole number is far from the sum of decimals before it: ``0.67 + 0.43 = 1``."""
        is_whole = number.unit == 1 and said.operator != "≈" and not self.context.numbers.is_coarse
        if not is_whole or said.previous is None or not is_sum_of_decimals(said.previous):
            return False
        units = [item.unit for term in flat_terms(said.previous) if (item := figure(term)) is not None and item.unit]
        allowed = max(NEAR, sum(units, Fraction(0)) / 2)
        return not any(is_within(number.value, value, allowed) for value in before)

    def _may_have_more_digits(self, node: t.Node | None, number: Figure, before: list[Quotient]) -> bool:
        """Return whether products of decimals come to a number but for one unit of its last place."""
        unit = number.unit
        if self.context.numbers.strict or node is None or unit is None or unit > _FINE_UNIT:
            return False
        terms = [flat_factors(term)[1] for term in flat_terms(node)]
        is_fine = any(sum(has_decimals(factor) for factor in factors) > 1 for factors in terms)
        return is_fine and any(is_within(number.value, value, 3 * unit / 2) for value in before)

    def _is_of_digits_behind(self, node: t.Node | None, number: Figure) -> bool:
        """Return whether a number is the exponential of a score with a rounded exponent: ``e^9.19`` for e^(13/√2)."""
        exponent = None if node is None else power_of_e(node)
        powers = (
            []
            if exponent is None or self.context.numbers.strict
            else map(self.context.numbers.exact, self._behind(exponent))
        )
        return any(power is not None and self.context.numbers.close(number, power) in FITS for power in powers)

    def _is_of_side_before(self, said: Said, number: Figure) -> bool:
        """Return whether a number is the value of an earlier side, of which the side before has parts rounded."""
        numbers = self.context.numbers
        if numbers.strict or number.unit is None or number.unit >= 1:
            return False
        return any(numbers.close(number, value) in FITS for node in said.earlier for value in self.context.worth(node))

    def _is_of_an_entry(self, said: Said, number: Figure) -> bool:
        """Return whether a number is the entry that the side before works out, with more digits."""
        if self.context.numbers.strict or number.unit is None or number.unit >= 1 or said.previous is None:
            return False
        return any(self.context.numbers.fits(number, cell) for cell in self._entries_of(said.previous))

    def _is_worked_out(self, said: Said, place: Place, number: Figure) -> bool:
        """Return the same for one entry of a list."""
        part = None if said.previous is None else self.context.entry(said.previous, *place)
        return part is not None and self._is_of_an_entry(replace(said, previous=part), number)

    def _entries_of(self, node: t.Node) -> list[Cell]:
        """Return the entries of which rounded numbers are working: ``0.18 + 0.26 + 1.47``."""
        if not isinstance(bare(node), t.Sum) or not has_decimals(node):
            return []
        graph, compare = self.context.graph, self.context.operands.compare
        names = [name for name, item in graph.nodes.items() if is_of(item.formula, "product")]
        cells = [cell for name in names for cell in islice(graph.cells(name), _MOST)]
        return [cell for cell in cells[:_MOST] if compare(node, cell) == ()]

    def _behind(self, exponent: t.Node) -> list[Cell]:
        """Return the exponentials of the scores of which an exponent is a rounding."""
        written = figure(exponent)
        if written is None or written.unit is None or written.unit >= 1:
            return []
        graph, numbers = self.context.graph, self.context.numbers
        found: list[Cell] = []
        for name, item in graph.nodes.items():
            match item.formula:
                case Apply("exponential", _, (Ref(scores),)):
                    for cell in islice(graph.cells(name), _MOST):
                        score = numbers.exact((scores, *cell[1:]))
                        if score is not None and score.is_finite and not score.symbols:
                            found.extend([cell] if numbers.close(written, score) == "rounded" else [])
        return found

    def _exponentials(self, node: t.Node | None) -> list[Cell]:
        """Return the entries that ``e^8`` is the exponential of, wherever 8 is a score."""
        exponent = None if node is None else power_of_e(node)
        value = None if exponent is None else self.context.value(exponent, self.context.numbers.base)
        power = exponential_if_known(value)
        if power is None:
            return []
        graph, exact = self.context.graph, self.context.numbers.exact
        names = [name for name, item in graph.nodes.items() if is_of(item.formula, "exponential")]
        found = [cell for name in names for cell in graph.cells(name) if exact(cell) == power]
        return found or ([] if exponent is None else self._behind(exponent))

    def _values(
        self, base: Finding, said: Said, previous: t.Node, before: list[Quotient], values: list[Quotient]
    ) -> Link:
        node, numbers = said.node, self.context.numbers
        earlier = figure(previous)
        is_rounded = earlier is not None and any(numbers.close(earlier, value) == "rounded" for value in values)
        if not is_rounded and not numbers.strict:
            is_rounded = is_rounding_of(node, previous, self.context.worth, numbers.close) or bool(
                set(self._entries_of(node)) & set(self._entries_of(previous))
            )
        if is_rounded or any(value in before for value in values):
            return Link(changed(base, value=self.context.source(node), checks=Checks(arithmetic=True)), None)
        sentence = f"What is written before it comes to {in_style(before[-1], style_of(node))}."
        return self._wrong(base, node, Diagnosis("arithmetic", sentence))

    def _matrices(self, base: Finding, said: Said) -> Link:
        """Return a matrix after an expression that the work gave a name of its own: ``Q_s = [0.71 …]``."""
        link = self._matrix(base, said, self.context.numbers.base)
        for node in said.earlier if link.finding.verdict == "wrong" and not self.context.numbers.strict else ():
            other = self._matrix(base, replace(said, previous=node), self.context.numbers.base)
            if other.finding.verdict in {"right", "rounded"}:
                return other
        if link.finding.verdict != "wrong":
            return link
        good = self._matrix(base, said, self.context.numbers.own(good=True))
        if good.finding.verdict != "wrong":
            return good
        if not self.context.numbers.mistaken:
            return link
        own = self._matrix(base, said, self.context.numbers.own())
        if own.finding.verdict == "wrong":
            return link
        words = "It follows from an earlier mistake."
        return Link(changed(base, verdict="follows", explanation=words, checks=Checks(arithmetic=True)), None)

    def _matrix(self, base: Finding, said: Said, valuation: Valuation) -> Link:
        found = None if said.previous is None else matrix_in(said.previous, self.context.binder, valuation)
        shape = self.context.shape(said.node)
        if not isinstance(found, Matrix) or shape not in {found.shape, found.shape[::-1]}:
            return _unchecked(base, "It has no name of this problem.")
        matrix = found if shape == found.shape else found.T
        worst: Verdict = "right"
        for i, row in enumerate(matrix.rows):
            for j, value in enumerate(row):
                part = self.context.entry(said.node, i, j)
                number = None if part is None else figure(part)
                if part is None or number is None:
                    return _unchecked(base, "It has no name of this problem.")
                word = _WORDS[self.context.numbers.close(number, value)]
                place = (i, j) if shape == found.shape else (j, i)
                if word in {"wrong", "truncated"} and self._is_worked_out(said, place, number):
                    word = "rounded"
                if word == "wrong":
                    return self._wrong(base, part, self.context.causes.of_sum(number, value))
                worst = word if word != "right" else worst
        return Link(changed(base, verdict=worst, checks=Checks(arithmetic=True)), None)

    def _wrong(self, base: Finding, node: t.Node, diagnosis: Diagnosis) -> Link:
        stated = changed(base, value=self.context.source(node))
        return Link(self.context.wrong(stated, node, diagnosis, Checks(arithmetic=False)), None)

    def _entropy(self, base: Finding, node: t.Node, *, holds: bool) -> Link:
        if holds:
            finding = changed(base, verdict="rounded", value=self.context.source(node), checks=Checks(value=True))
            return Link(finding, None)
        sentence = f"{self.context.source(node)} is not the entropy of these weights."
        link = self._wrong(base, node, Diagnosis("arithmetic", sentence))
        return Link(changed(link.finding, checks=Checks(value=False)), None)


def _unchecked(base: Finding, sentence: str) -> Link:
    return Link(changed(base, verdict="unchecked", explanation=sentence), None)
