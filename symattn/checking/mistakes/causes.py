"""Common mistakes, each tested by recomputation.

A cause of a wrong number is named only where the mistake, made on purpose, gives the very number that was written.
They are tried from the likelier to the rarer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from symattn.checking.evaluation.operands import Mismatch, Mismatches
from symattn.checking.expressions.expression_kinds import power_of_e
from symattn.checking.expressions.numerals import FITS, Figure, bare, closeness, figure, is_within
from symattn.checking.expressions.terms import flat_terms
from symattn.checking.grading.link import Cause
from symattn.checking.grading.result_cache import Cache
from symattn.checking.grading.value_text import show
from symattn.checking.grading.value_verdicts import NEAR, Numbers
from symattn.checking.graph.formulas import Cell, axis_of_weights, is_weights, scaled
from symattn.checking.graph.quantities import (
    Graph,
    Valuation,
    line_of,
    scores_of,
    shape_of,
)
from symattn.checking.graph.scalar_values import added, multiplied
from symattn.checking.graph.targets import Target
from symattn.checking.mistake_catalogue import GROUPS, KINDS, explain
from symattn.checking.mistakes import masks_biases_heads
from symattn.checking.mistakes.alterations import Alterations, AlteredValues, other_axis
from symattn.checking.mistakes.slips import Slip
from symattn.checking.names.lexicon import HABITS, SOFTMAX, key_of, spelt
from symattn.checking.report import Diagnosis
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.builders.layer import Layer, is_of_gradients
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.operations.formulas.formula import Formula, is_of, make, parts

_MOST_ENTRIES = 100
"""Entries of a matrix for which one mistake is looked for that explains all of them."""

_MOST_MADE = 64
"""Mistakes whose values are kept, to be compared with the numbers that come next."""

_MOST_CELLS = 1500
"""Entries of all quantities up to which they are: sums of many exponentials take too much room."""

MOST_SEARCHES = 200
"""Wrong numbers of a quantity whose causes are looked for."""

_MOST_OWN = 1_000
"""Mistakes that are tried on a person's own numbers in one work; from then on they are tried on the exact ones."""

_FEW = 2
"""Digits of a number that a mistake may lead to by chance."""

Place: TypeAlias = tuple[int, int]

Fits: TypeAlias = Callable[[Place, Place], bool]
"""Test of the number at one place for the value of another place."""

_MASKS = frozenset(key_of(word).lower() for word in HABITS["M"])


class Causes:
    """Search for the likeliest cause of a mistake.

    Args:
        graph: the quantities.
        numbers: the values, and what was written so far.
        layer: the layer that makes the quantities, None for definitions of a sheet's own.
    """

    def __init__(self, graph: Graph, numbers: Numbers, layer: Layer | None = None) -> None:
        self.alterations = Alterations(graph, layer)
        self.graph = self.alterations.graph
        self.numbers = numbers
        self.beside: Mapping[Cell, Sequence[tuple[Cell, Figure]]] = {}
        self._made: dict[int, AlteredValues] = {}
        self._left = _MOST_OWN
        self._causes = Cache[Diagnosis | None](lambda: numbers.state)
        self._searches: Counter[str] = Counter()
        self._is_small = sum(rows * columns for rows, columns in map(graph.shape, graph.nodes)) <= _MOST_CELLS

    def explain(self, cause: Cause) -> Diagnosis | None:
        """Return the cause that explains a wrong side, None when none does."""
        if cause.mismatches:
            axis = None if cause.cell is None else self._of_working(cause.side, cause.cell)
            found = axis or self._other_scale(cause)
            found = found or self._other_line(cause.mismatches) or self._other_weights(cause.mismatches)
            return found or self._of_operand(cause.mismatches[0])
        if masks_weights(cause.side):
            return Diagnosis(*explain("mask-after"))
        if cause.cell is None:
            return None
        if cause.written is None:
            return self._of_working(cause.side, cause.cell) or self._of_value(cause.worth, cause.cell)
        written, cell = cause.written, cause.cell
        key = (written, cell, tuple(self.beside.get(cell, ())))
        return self._causes.get(key, lambda: self._of_number(written, cell))

    def is_made_by(self, code: str, written: Figure, cell: Cell) -> bool:
        """Return whether a mistake of a kind leads to just this number."""
        made = (
            value for item in self.alterations.of(cell[0]) if item.code == code for value in self._values(item, cell)
        )
        return any(value == Quotient.of(written.value) for value in made)

    def _of_value(self, worth: Quotient | None, cell: Cell) -> Diagnosis | None:
        """Return the mistake that leads to just the value of some working."""
        for alteration in self.alterations.of(cell[0]) if worth is not None else ():
            if any(value == worth for value in self._values(alteration, cell)):
                return alteration.diagnosis
        return None

    def of_matrix(self, target: Target, rows: list[list[Figure | None]]) -> Diagnosis | None:
        """Return the diagnosis of a matrix whose right numbers stand at wrong places."""
        key = (target.name, target.cells, tuple(map(tuple, rows)))
        return self._causes.get(key, lambda: self._of_matrix(target, rows))

    def _of_matrix(self, target: Target, rows: list[list[Figure | None]]) -> Diagnosis | None:
        cells = {(a, b): (target.name, *place) for a, row in enumerate(target.cells) for b, place in enumerate(row)}
        written = {(a, b): number for a, row in enumerate(rows) for b, number in enumerate(row) if number is not None}
        if len(written) != len(cells):
            return None
        wrong = [place for place, number in written.items() if not self.numbers.fits(number, cells[place])]
        if not wrong:
            return None

        def fit(place: Place, at: Place) -> bool:
            return at in cells and self.numbers.fits(written[place], cells[at])

        if len(rows) == len(rows[0]) and all(fit(place, place[::-1]) for place in written):
            return Diagnosis(*explain("transposed-index", "matrix"))
        # A mistake that gives every number says more than one row that is another.
        found = self._exchanged(wrong, fit) or self.of_all(target, rows)
        return found or self._moved_rows(wrong, written, fit)

    def of_all(self, target: Target, rows: list[list[Figure | None]]) -> Diagnosis | None:
        """Return the mistake that gives every number of a matrix, also those right by chance.

        Of a matrix with one wrong number only mistakes of masks, heads and gradients are known that way.
        """
        pairs = [
            ((target.name, *place), number)
            for places, numbers in zip(target.cells, rows, strict=True)
            for place, number in zip(places, numbers, strict=True)
            if number is not None
        ]
        if not 1 < len(pairs) <= _MOST_ENTRIES:
            return None
        is_whole = sum(not self.numbers.fits(number, cell) for cell, number in pairs) > 1
        for alteration in self.alterations.of(target.name):
            is_of_all = is_whole or alteration.code in KINDS["of-all-entries"]
            if (is_of_all or is_of_gradients(target.name)) and not self._is_disproved(alteration, target.name):
                for valuation in self._with(alteration):
                    if all(self._is_so(number, valuation.step(cell)) for cell, number in pairs):
                        return alteration.diagnosis
        return None

    def _is_so(self, written: Figure, value: Quotient | None) -> bool:
        """Return whether a mistake gives a number; where it leaves no value, people write 0."""
        if value is None:
            return written.value == 0
        return not value.symbols and _fits(written, value)

    def of_hidden(self, target: Target, hidden: list[list[bool]]) -> Diagnosis | None:
        """Return the mistake in a mask that hides just the entries that were written as minus infinity."""
        return masks_biases_heads.with_hidden(self.graph, target, hidden)

    def _exchanged(self, wrong: list[Place], fit: Fits) -> Diagnosis | None:
        pairs = [(a, b) for a in wrong for b in wrong if a < b and fit(a, b) and fit(b, a)]
        if len(wrong) != 2 or not pairs:
            return None
        first, second = (f"({i + 1},{j + 1})" for i, j in pairs[0])
        return Diagnosis(*explain("wrong-entry", "exchanged", first=first, second=second))

    def _moved_rows(self, wrong: list[Place], written: dict[Place, Figure], fit: Fits) -> Diagnosis | None:
        height, width = max(i for i, _ in written) + 1, max(j for _, j in written) + 1
        for row in sorted({i for i, _ in wrong}):
            for other in range(height):
                if other != row and all(fit((row, j), (other, j)) for j in range(width)):
                    return Diagnosis(*explain("wrong-row", "matrix", written=row + 1, row=other + 1))
        return None

    def of_sum(self, written: Figure, value: Quotient) -> Diagnosis:
        """Return a number that does not follow from the arithmetic before it, about whatever it is."""
        shown = show(value, written, None)
        if not shown.strip("-0.") and not value.is_zero:
            shown = show(value, None, Rounding(figures=3))  # it is not nothing
        if _fits(replace(written, value=-written.value), value) and written.value:
            return Diagnosis(*explain("sign", "sum", shown=shown))
        return self._swapped(shown, written) or Diagnosis(*explain("arithmetic", shown=shown))

    # A number --------------------------------------------------------------------------------------

    def _of_number(self, written: Figure, cell: Cell) -> Diagnosis | None:
        exact = self.numbers.exact(cell)
        if exact is None or exact.symbols:
            return None
        if self.numbers.judge(written, cell).verdict == "truncated":
            return Diagnosis(*explain("truncation"))
        sheets = self.numbers.other_rounding(written, cell) if self.numbers.strict else None
        if sheets is not None:
            return Diagnosis(*explain("other-rounding", shown=sheets))
        self._searches[cell[0]] += 1
        if self._searches[cell[0]] > MOST_SEARCHES:
            self.numbers.unexplained.add(cell[0])
            return None
        facts = (self._sign, self._complement)
        for look in (*facts, self._altered, self._terms, self._elsewhere, self._digits, self._exponential):
            found = look(written, cell)
            if found is not None:
                is_fact = look in facts or look in (self._digits, self._exponential)
                return found if is_fact else replace(found, is_sure=found.is_sure and is_telling(written))
        return None

    def _complement(self, written: Figure, cell: Cell) -> Diagnosis | None:
        """Return the diagnosis of a weight that makes its row sum to 1, where the others are right or truncated."""
        beside = self.beside.get(cell, ())
        others = [(other, number) for other, number in beside if other != cell]
        axis = axis_of_weights(self.graph.nodes[cell[0]].formula)
        if axis is None or not others or not written.value or (written.places or 0) < 1:
            return None
        places = line_of(self.graph.shape(cell[0]), axis, cell[1], cell[2])
        is_line = {(cell[0], *place) for place in places} == {other for other, _ in beside}
        if not is_line or sum(number.value for _, number in beside) != 1:
            return None
        words = {self.numbers.judge(number, other).verdict for other, number in others}
        is_its = words <= {"right", "rounded", "carried", "truncated"}
        return Diagnosis(*explain("complement")) if is_its else None

    def _sign(self, written: Figure, cell: Cell) -> Diagnosis | None:
        exact = self.numbers.exact(cell)
        values = [exact, *self.numbers.steps(cell)]
        turned = replace(written, value=-written.value)
        if written.value and any(value is not None and _fits(turned, value) for value in values):
            return Diagnosis(*explain("sign"))
        return None

    def _altered(self, written: Figure, cell: Cell) -> Diagnosis | None:
        found: dict[str, Diagnosis] = {}
        is_weight = is_weights(self.graph.nodes[cell[0]].formula)
        is_0_or_1 = written.value in {0, 1} and written.unit == 1
        for alteration in self.alterations.of(cell[0]):
            if is_0_or_1 and (is_weight or alteration.code in KINDS["not-told-by-0-or-1"]):
                continue
            if self._is_disproved(alteration, cell[0]):
                continue
            for value in self._values(alteration, cell):
                if _fits(written, value) and not self._is_contradicted(alteration, cell):
                    found.setdefault(alteration.code, alteration.diagnosis)
            if len(found) > 1 or (found and is_of_gradients(cell[0])):
                break  # of a backward pass each is worked out through sums over all tokens
        first = next(iter(found.values()), None)
        return first if first is None or len(found) == 1 else replace(first, is_sure=False)

    def _is_disproved(self, alteration: Slip, target: str) -> bool:
        """Return whether what is said to be wrong with positions was stated rightly before.

        What was forgotten in one place may have been stated and not used.
        """
        changed = [name for name, _ in alteration.changed if name != target]
        is_unused = alteration.code.endswith("-forgotten") and len(alteration.changed) < 2
        if alteration.code not in GROUPS["positions"] or is_unused:
            return False
        prints = self.numbers.prints
        stated = [[prints[cell][-1] for cell in self.graph.cells(name) if cell in prints] for name in changed]
        return any(found and all(item.holds for item in found) for found in stated)

    def _is_contradicted(self, alteration: Slip, cell: Cell) -> bool:
        """Return whether the numbers beside an entry contradict a mistake; a scale may be forgotten in one entry."""
        name = alteration.changed[0][0]
        beside = [(other, number) for other, number in self.beside.get(cell, ()) if other != cell]
        if not beside or (name == cell[0] and scaled(self.graph.nodes[name].formula) is not None):
            return False
        counts = [
            sum(self._is_so(number, valuation.step(other)) for other, number in beside)
            for valuation in self._with(alteration)
        ]
        return 2 * max(counts) < len(beside)

    def _values(self, alteration: Slip, cell: Cell) -> Iterator[Quotient]:
        """Yield the values of an entry under a mistake, from exact and from the person's own numbers."""
        plain = self.numbers.exact(cell)
        for valuation in self._with(alteration):
            value = valuation.step(cell)
            if value is not None and not value.symbols and value != plain:
                yield value

    def _with(self, alteration: Slip) -> Iterator[Valuation]:
        """Yield all values with a mistake made: from the exact ones, and from the person's own numbers."""
        made = self._made.get(id(alteration))
        if made is None:
            if len(self._made) >= _MOST_MADE:
                self._made.clear()
            made = AlteredValues(alteration, self.graph)
            if self._is_small:
                self._made[id(alteration)] = made
        yield made.exact
        written = {c: found[-1].value for c, found in self.numbers.prints.items() if c[0] not in made.touched}
        if written and (self._left or made.is_of(written)):
            self._left -= not made.is_of(written)
            yield made.own(written)

    def _terms(self, written: Figure, cell: Cell) -> Diagnosis | None:
        """Return a sum of products with one term left out, or with one sign turned."""
        name, i, j = cell
        formula = self.graph.nodes[name].formula
        own = self.numbers.own()
        if is_weights(formula):
            return self._denominator(written, cell)
        if formula is None or not is_of(formula, "product"):
            return None
        left, right = parts(formula)
        inner = shape_of(left, self.graph)[1]
        for valuation in (self.numbers.base, own):
            pairs = [(valuation.entry(left, i, k), valuation.entry(right, k, j)) for k in range(inner)]
            terms = [multiplied(*pair) for pair in pairs]
            total = added(terms)
            if total is None:
                continue
            for k, term in enumerate(terms, 1):
                if term is None or term.is_zero:
                    continue
                if _fits(written, total - term) and inner > 1:
                    return Diagnosis(*explain("dropped-term", term=k))
                if _fits(written, total - term - term):
                    return Diagnosis(*explain("sign", "term", term=k))
        return None

    def _denominator(self, written: Figure, cell: Cell) -> Diagnosis | None:
        """Return a weight whose denominator lacks one exponential."""
        name, i, j = cell
        formula = self.graph.nodes[name].formula
        axis = axis_of_weights(formula) or "rows"
        scores = scores_of(formula, self.graph)
        if scores is None:
            return None
        own, exponentials = self.numbers.own(), make("exponential", scores)
        places = line_of(shape_of(scores, self.graph), axis, i, j)
        powers = [own.entry(exponentials, *place) for place in places]
        total = added(powers)
        above = own.entry(exponentials, i, j)
        if total is None or above is None or len(places) < 2:
            return None
        for place, power in zip(places, powers, strict=True):
            if power is None or total == power:
                continue
            if _fits(written, above / (total - power)):
                if power == Quotient.of(1):
                    return Diagnosis(*explain("dropped-one"))
                row, column = place[0] + 1, place[1] + 1
                return Diagnosis(*explain("dropped-term", "denominator", row=row, column=column))
        return None

    def _elsewhere(self, written: Figure, cell: Cell) -> Diagnosis | None:
        """Return the number of another place: row and column exchanged, another row, another matrix."""
        name, i, j = cell
        rows, columns = self.graph.shape(name)
        if i != j and j < rows and i < columns and self._is_at(written, (name, j, i)):
            return Diagnosis(*explain("transposed-index", "entry", row=j + 1, column=i + 1))
        for other in range(rows):
            if other != i and self._is_at(written, (name, other, j)):
                return Diagnosis(*explain("wrong-row", "entry", row=other + 1, column=j + 1))
        for other in range(columns):
            if other != j and self._is_at(written, (name, i, other)):
                return Diagnosis(*explain("wrong-entry", "column", row=i + 1, column=other + 1))
        for parent in sorted(self.graph.parents(name)):
            is_alike = parent in self.numbers.graph and self.graph.shape(parent) == (rows, columns)
            if is_alike and self._is_at(written, (parent, i, j)):
                return Diagnosis(*explain("wrong-entry", "matrix", row=i + 1, column=j + 1, other=parent))
        return None

    def _is_at(self, written: Figure, cell: Cell) -> bool:
        """Return whether an entry has this number; zeros and ones stand everywhere and show nothing."""
        value = self.numbers.exact(cell)
        if value is None or value.symbols or written.value in {0, 1}:
            return False
        return self.numbers.fits(written, cell)

    def _digits(self, written: Figure, cell: Cell) -> Diagnosis | None:
        shown = self.numbers.shown(cell, written)
        if shown is None:
            return None
        return self._swapped(shown, written) or self._point(written, cell)

    def _point(self, written: Figure, cell: Cell) -> Diagnosis | None:
        """Return the right digits with the point elsewhere, ``0.07`` for 0.007."""
        exact = self.numbers.exact(cell)
        if exact is None or not written.value or written.unit is None:
            return None
        for power in (Fraction(10), Fraction(1, 10), Fraction(100), Fraction(1, 100)):
            moved = Figure(written.value * power, written.unit * power)
            if _fits(moved, exact):
                return Diagnosis(*explain("decimal-point"))
        return None

    def _swapped(self, shown: str, written: Figure) -> Diagnosis | None:
        own = _text_of(written)
        if len(shown) != len(own) or sorted(shown) != sorted(own):
            return None
        differ = [k for k, (a, b) in enumerate(zip(shown, own, strict=True)) if a != b]
        if len(differ) == 2 and own[differ[0]] == shown[differ[1]]:
            return Diagnosis(*explain("digit-swap", shown=shown, written=own))
        return None

    def _exponential(self, _: Figure, cell: Cell) -> Diagnosis | None:
        if not is_of(self.graph.nodes[cell[0]].formula, "exponential"):
            return None
        return Diagnosis(*explain("exp-slip"))

    # Working ---------------------------------------------------------------------------------------

    def _of_working(self, side: t.Node, cell: Cell) -> Diagnosis | None:
        """Return the diagnosis of a denominator with the sum of a column where a row is meant."""
        formula = self.graph.nodes[cell[0]].formula
        scores, axis = scores_of(formula, self.graph), axis_of_weights(formula)
        if scores is None or axis is None:
            return None
        other = "columns" if axis == "rows" else "rows"
        for node in walk(side):
            if axis == "rows" and is_down_columns(node):
                return Diagnosis(*other_axis(other))
            if isinstance(node, t.Division) and self._is_line(node.denominator, scores, other):
                return Diagnosis(*explain("wrong-axis", "denominator", other=other[:-1], axis=axis[:-1]))
        return None

    def _is_line(self, denominator: t.Node, scores: Formula, axis: str) -> bool:
        exponents = [_exponent(term) for term in flat_terms(denominator)]
        if len(exponents) < 2 or any(item is None for item in exponents):
            return False
        rows, columns = shape_of(scores, self.graph)
        for k in range(columns if axis == "columns" else rows):
            places = line_of((rows, columns), "columns" if axis == "columns" else "rows", k, k)
            values = [self.numbers.base.entry(scores, *place) for place in places]
            if len(values) == len(exponents) and all(
                value is not None and item is not None and _fits(item, value)
                for value, item in zip(values, exponents, strict=True)
            ):
                return True
        return False

    # An operand ------------------------------------------------------------------------------------

    def _other_scale(self, cause: Cause) -> Diagnosis | None:
        """Return the diagnosis of a scale that is wrong in a known way, as the only mistake."""
        names = {item.cell[0] for item in cause.mismatches if item.kind == "operand" and item.cell is not None}
        is_scale = len(cause.mismatches) == 1 and names and names <= self.graph.factors
        return self._of_value(cause.worth, cause.cell) if is_scale and cause.cell is not None else None

    def _other_line(self, mismatches: Mismatches) -> Diagnosis | None:
        """Return the numbers of another row, or column, in working that needs all of one."""
        cells = [item.cell for item in mismatches if item.kind == "operand" and item.cell is not None]
        numbers = [figure(item.node) for item in mismatches]
        if len(cells) < len(mismatches) or None in numbers or len({cell[0] for cell in cells}) != 1:
            return None
        name = cells[0][0]
        pairs = [(cell, number) for cell, number in zip(cells, numbers, strict=True) if number is not None]
        for axis, word in ((1, "row"), (2, "column")):
            if len({cell[axis] for cell in cells}) == 1 and self.graph.shape(name)[2 - axis] > 1:
                other = self._line_used(name, axis, pairs)
                if other is not None:
                    own = (cells[0][1] if axis == 1 else cells[0][2]) + 1
                    return Diagnosis(*explain("wrong-row", word, other=other + 1, name=name, own=own))
        return None

    def _line_used(self, name: str, axis: int, pairs: list[tuple[Cell, Figure]]) -> int | None:
        """Return the line whose numbers were written, where they differ, and are those of the right line elsewhere."""
        cell, length = pairs[0][0], self.graph.shape(name)[2 - axis]
        own = cell[1] if axis == 1 else cell[2]
        written = {at[2] if axis == 1 else at[1]: number for at, number in pairs}
        for other in range(self.graph.shape(name)[axis - 1]):
            line, right = (_line_at(name, axis, number, length) for number in (other, own))
            if other != own and all(
                self._is_number_of(written[k], line[k])
                if k in written
                else self.numbers.exact(line[k]) == self.numbers.exact(right[k])
                for k in range(length)
            ):
                return other
        return None

    def _is_number_of(self, written: Figure, cell: Cell) -> bool:
        return self.numbers.fits(written, cell) or self.numbers.is_printed(written, cell)

    def _other_weights(self, mismatches: Mismatches) -> Diagnosis | None:
        """Return the diagnosis of several weights of a row in a product that differ from those found before."""
        cells = [item.cell for item in mismatches if item.kind == "operand" and item.cell is not None]
        names = {cell[0] for cell in cells}
        if len(cells) < 2 or len(cells) < len(mismatches) or len(names) != 1:
            return None
        found = [self.numbers.prints.get(cell) for cell in cells]
        if not is_weights(self.graph.nodes[cells[0][0]].formula) or not all(
            prints and prints[-1].holds for prints in found
        ):
            return None
        return Diagnosis(*explain("other-weights"))

    def _of_operand(self, item: Mismatch) -> Diagnosis | None:
        number = figure(item.node)
        if item.kind != "operand" or number is None or item.cell is None:
            return None
        name, i, j = item.cell
        exact = self.numbers.exact(item.cell)
        if exact is None or exact.symbols:
            return None
        shown = self.numbers.copied(item.cell, number)
        copied = {"label": f"{name}[{i + 1},{j + 1}]", "shown": shown, "written": _text_of(number)}
        turned = replace(number, value=-number.value)
        if number.value and _fits(turned, exact):
            return Diagnosis(*explain("sign", "operand", **copied))
        rows, columns = self.graph.shape(name)
        if i != j and j < rows and i < columns and self._is_at(number, (name, j, i)):
            return Diagnosis(*explain("transposed-index", "operand", **copied, other=f"{name}[{j + 1},{i + 1}]"))
        for a in range(rows):
            for b in range(columns):
                if (a, b) != (i, j) and (a == i or b == j) and self._is_at(number, (name, a, b)):
                    return Diagnosis(*explain("wrong-entry", "operand", **copied, other=f"{name}[{a + 1},{b + 1}]"))
        return Diagnosis(*explain("operand", **copied))


def is_telling(written: Figure) -> bool:
    """Return whether a number has more than the two digits that some mistake or other always leads to.

    >>> [is_telling(Figure(Fraction(digits, 1000), Fraction(1, 1000))) for digits in (42, 423)]
    [False, True]
    """
    if written.unit is None:
        return len(f"{abs(written.value.numerator)}{written.value.denominator}") > _FEW
    return len(str(abs(written.value / written.unit).numerator)) > _FEW


def is_down_columns(node: t.Node) -> bool:
    """Return whether a call is ``softmax(S, dim=0)``, a softmax that runs down the columns."""
    return isinstance(node, t.Call) and node.function.text.lower() in SOFTMAX and node.arguments[1:] == (t.Number("0"),)


def masks_weights(side: t.Node) -> bool:
    """Return whether a product is ``softmax(S) * mask``: weights times a mask, in the place of scores plus one."""
    if not isinstance(side, t.Product):
        return False
    names = [key_of(spelt(bare(factor)) or "").lower() for factor in side.factors]
    is_masked = any(name in _MASKS for name in names)
    return is_masked and any(
        isinstance(item, t.Call) and item.function.text.lower() in SOFTMAX for factor in side.factors
        for item in walk(factor)
    )  # fmt: skip


def _line_at(name: str, axis: int, number: int, length: int) -> list[Cell]:
    return [(name, number, k) if axis == 1 else (name, k, number) for k in range(length)]


def _fits(written: Figure, value: Quotient) -> bool:
    """Return whether a mistake gives the written number; a whole number near a fraction shows nothing."""
    close = closeness(written, value)
    if close != "rounded" or written.unit != 1:
        return close in FITS
    return value.plain_rational() is None and is_within(written.value, value, NEAR)


def _exponent(node: t.Node) -> Figure | None:
    exponent = power_of_e(node)
    return None if exponent is None else figure(exponent)


def _text_of(written: Figure) -> str:
    if written.unit is None:
        return str(written.value)
    places = max(written.places or 0, 0)
    scaled = written.value * 10**places
    if scaled.denominator != 1:
        return str(written.value)
    digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
    text = digits if not places else f"{digits[:-places]}.{digits[-places:]}"
    return f"-{text}" if written.value < 0 else text
