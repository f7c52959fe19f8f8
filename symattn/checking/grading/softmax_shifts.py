"""Softmax shifts: a number subtracted from the scores of a line before exponentiating, which is harmless.

The weights stay the same; exponentials and their sums do not. Where the sheet does not ask for it, the work
is judged a second time with the maximum of each line subtracted, and the lines that this explains are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import log

from symattn import late
from symattn.checking.expressions.numerals import FITS, Figure, closeness
from symattn.checking.grading.link import Consequences, Link, mistaken
from symattn.checking.graph.formulas import Axis, Cell, argument_of_softmax, axis_of_sum, is_weights
from symattn.checking.graph.quantities import Graph, Valuation, line_of, shape_of
from symattn.checking.graph.scalar_values import added, exponential_if_known
from symattn.checking.report import BADNESS
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.sign import compare
from symattn.notation.lexicon.reader import said
from symattn.operations.formulas.formula import Apply, is_of
from symattn.records import dataclass

MAXIMUM = "m"
"""Name of the subtracted numbers, in a graph that subtracts any."""

MOVED = frozenset({MAXIMUM, "shifted", "E", "Z"})
"""The quantities whose values depend on what is subtracted."""

_BAD = frozenset({"wrong", "follows", "truncated"})
_DECIMAL = late.pattern(r"\d{1,30}\.\d{1,30}")
_MOST = 12
"""Decimals of a statement, and exponentials of a line, that are looked at."""

_FEW = 2
"""Findings of a line that a shift has to explain where the work does not say that it makes one."""

_SHIFTS = frozenset({"m", "shifted", "maximum", "shift"})
"""Words of works that say that they shift scores."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The exponentials, the sums and the weights of a softmax, and how its lines run."""

    exponentials: str
    sums: str
    weights: str
    axis: Axis

    def __contains__(self, name: str) -> bool:
        return name in {self.exponentials, self.sums, self.weights}

    def line(self, cell: Cell) -> int:
        """Return the line that an entry belongs to."""
        if cell[0] == self.sums:
            return cell[1]
        return {"rows": cell[1], "columns": cell[2], "all": 0}[self.axis]


def parts_of(graph: Graph) -> Parts | None:
    """Return the parts of the only softmax of a graph; None where there is another number of them."""
    formulas = [(name, node.formula) for name, node in graph.nodes.items()]
    powers = [name for name, formula in formulas if is_of(formula, "exponential")]
    sums = [(name, axis) for name, formula in formulas if (axis := axis_of_sum(formula)) is not None]
    ratios = [name for name, formula in formulas if is_weights(formula) and argument_of_softmax(formula) is None]
    if not len(powers) == len(sums) == len(ratios) == 1:
        return None
    return Parts(powers[0], sums[0][0], ratios[0], sums[0][1])


class Shifts:
    """Detection of the numbers that a work subtracts from the scores of each line.

    Args:
        graph: the quantities, nothing subtracted.
        parts: its softmax.
        text: the work.
    """

    def __init__(self, graph: Graph, parts: Parts, text: str) -> None:
        self.parts = parts
        self.is_said = any(item.name in _SHIFTS for item in said(text))
        self.enough = 1 if self.is_said else _FEW
        self.scores = scores_by_line(graph, parts)

    def is_likely(self, links: list[Link]) -> bool:
        """Return whether a wrong decimal is an exponential, or the sum, of a line less its maximum.

        So are all exponentials of a line less another number.
        """
        return bool(self.scores) and (bool(self.others(links)) or self._has_shifted(links))

    def _has_shifted(self, links: list[Link]) -> bool:
        return any(
            self._fits(number, k)
            for link in links
            if link.finding.verdict in _BAD and link.target is not None and link.target.name in self.parts
            for k in self._lines(link)
            for number in _decimals(link.finding.text)
        )

    def _lines(self, link: Link) -> Iterable[int]:
        """Return the lines that a statement may be about: any, where nothing says of which it is."""
        if link.target is None or link.target.guess:
            return range(len(self.scores))
        return set(map(self.parts.line, link.target.entries))

    def _fits(self, number: Figure, k: int) -> bool:
        line = self.scores[k]
        plain, moved = (self._values(line, by) for by in (Quotient.of(0), largest(line)))
        return _is_among(number, moved) and not _is_among(number, plain)

    def _values(self, line: list[Quotient], by: Quotient) -> list[Quotient]:
        powers = [exponential_if_known(score - by) for score in _finite(line)]
        return [value for value in (added(powers), *powers[:_MOST]) if value is not None]

    def others(self, links: list[Link]) -> dict[int, Quotient]:
        """Return lines whose exponentials agree with one shift other than the line's maximum, and that shift."""
        found: dict[int, dict[Cell, Figure]] = {}
        for link in links:
            for cell, number, _ in link.stated:
                if cell[0] == self.parts.exponentials and link.finding.verdict != "withdrawn":
                    found.setdefault(self.parts.line(cell), {})[cell] = number
        chosen: dict[int, Quotient] = {}
        for k, numbers in found.items():
            line = self.scores[k]
            for by in (largest(line), Quotient.of(0), *self._candidates(numbers, k)):
                if len(numbers) >= _FEW and all(self._is_power(cell, one, k, by) for cell, one in numbers.items()):
                    chosen[k] = by
                    break
        return {k: by for k, by in chosen.items() if by not in (largest(self.scores[k]), Quotient.of(0))}

    def _candidates(self, numbers: Mapping[Cell, Figure], k: int) -> Iterator[Quotient]:
        """Yield the largest score of all, those of the line, and the whole number that fits the first exponential."""
        yield largest([score for line in self.scores for score in line])
        yield from _finite(self.scores[k])[:_MOST]
        for cell, number in numbers.items():
            position = {"rows": cell[2], "columns": cell[1]}.get(self.parts.axis)
            score = None if position is None else self.scores[k][position].rational()
            if score is not None and number.value > 0:
                yield Quotient.of(round(float(score) - log(number.value)))  # tried exactly afterwards
                return

    def _is_power(self, cell: Cell, number: Figure, k: int, by: Quotient) -> bool:
        position = {"rows": cell[2], "columns": cell[1]}.get(self.parts.axis)
        score = None if position is None else self.scores[k][position]
        if score is None or not score.is_finite:
            return score is not None and number.value == 0
        value = exponential_if_known(score - by)
        return value is not None and closeness(number, value) in FITS

    def explained(self, before: list[Link], after: list[Link]) -> tuple[set[int], set[int]]:
        """Return the lines that a shift explains, and those that it makes worse."""
        first, second = self._bad(before), self._bad(after)
        broken = {
            self.parts.line(cell)
            for link in after
            for cell, word in link.verdicts
            if word in _BAD and cell[0] in self.parts and cell[0] != self.parts.weights
        }
        lines = range(len(self.scores))
        gained = {k: first[k] - second[k] for k in lines}
        # A slip in a line that is shifted leaves one finding of it; chance does not explain most of a line.
        is_slip = {k for k in lines if gained[k] >= (_FEW if self.is_said else max(_FEW, second[k]))}
        good = {k for k in lines if gained[k] >= self.enough and (k not in broken or k in is_slip)}
        return good, {k for k in lines if gained[k] < 0 or (gained[k] == 0 and k in broken)}

    def _is_explained(self, cell: Cell, word: str) -> bool:
        """Return whether a weight follows from a slip in its line, which says nothing of what is subtracted."""
        return word == "follows" and cell[0] == self.parts.weights

    def _bad(self, links: list[Link]) -> Counter[int]:
        found: Counter[int] = Counter()
        for link in links:
            if link.finding.verdict != "withdrawn":
                cells = [cell for cell, word in link.verdicts if word in _BAD and not self._is_explained(cell, word)]
                # Working has several numbers, all of which must fit.
                cells += [cell for cell, is_right in link.method if not is_right] * _FEW
                found.update(self.parts.line(cell) for cell in cells if cell[0] in self.parts)
        return found


def moved_by(graph: Graph, shifts: Mapping[int, Quotient]) -> Graph:
    """Return a graph that subtracts the maximum of each line, with other numbers for some lines."""
    exact = Valuation(graph)
    rows, _ = graph.shape(MAXIMUM)
    values = [shifts.get(k, exact.get(MAXIMUM, k, 0)) for k in range(rows)]
    nodes = {**graph.nodes, MAXIMUM: replace(graph.nodes[MAXIMUM], formula=None)}
    column = Matrix([[Quotient.of(0) if value is None else value] for value in values])
    known = {name: value for name, value in graph.known.items() if name not in MOVED}
    return Graph(nodes, {**graph.given, MAXIMUM: column}, known)


def merged(before: list[Link], after: list[Link], graph: Graph) -> list[Link]:
    """Return the better of two findings on each statement, the second where they are alike.

    A mistake of the second judgement stays where something follows from it that follows from no other.
    """
    better = [one if _rank(one) > _rank(other) else other for one, other in zip(before, after, strict=True)]
    consequences, known = Consequences(graph), mistaken(better)
    later = [cell for link in better for cell in consequences.unexplained(link, known)]
    if not later:
        return better
    return [
        other if any(consequences.rests_on(cell, other.mistaken) for cell in later) else one
        for one, other in zip(better, after, strict=True)
    ]


def is_alike(before: list[Link], after: list[Link]) -> bool:
    """Return whether two judgements are about the same statements."""
    places = [[(link.finding.place.start, link.finding.place.end) for link in links] for links in (before, after)]
    return places[0] == places[1]


def improves(before: list[Link], after: list[Link]) -> bool:
    """Return whether no other statements are wrong than before: more numbers among words may be bound."""
    first, second = (
        {(link.finding.place.start, link.finding.place.end) for link in links if link.finding.verdict in _BAD}
        for links in (before, after)
    )
    return second <= first


def _rank(link: Link) -> int:
    return BADNESS.index(link.finding.verdict) if link.finding.verdict in BADNESS else -1


def scores_by_line(graph: Graph, parts: Parts) -> list[list[Quotient]]:
    """Return the scores line by line, nothing where one of them is not a number."""
    formula = graph.nodes[parts.exponentials].formula
    if not isinstance(formula, Apply) or formula.operation != "exponential":
        return []
    (scores,) = formula.operands
    shape, exact = shape_of(scores, graph), Valuation(graph)
    count = {"rows": shape[0], "columns": shape[1], "all": 1}[parts.axis]
    lines = [[exact.entry(scores, *at) for at in line_of(shape, parts.axis, k, k)] for k in range(count)]
    known = [[value for value in line if value is not None and not value.symbols] for line in lines]
    is_whole = all(len(one) == len(other) for one, other in zip(lines, known, strict=True))
    return known if is_whole and all(any(value.is_finite for value in line) for line in known) else []


def _finite(line: list[Quotient]) -> list[Quotient]:
    """Return the scores that no mask hides."""
    return [value for value in line if value.is_finite]


def largest(line: list[Quotient]) -> Quotient:
    """Return the largest score of a line that no mask hides."""
    return reduce(lambda best, value: value if compare(value, best) > 0 else best, _finite(line))


def _is_among(number: Figure, values: list[Quotient]) -> bool:
    return any(closeness(number, value) in FITS for value in values)


def _decimals(text: str) -> Iterator[Figure]:
    for found in _DECIMAL.findall(text)[:_MOST]:
        yield Figure(Fraction(found), Fraction(1, 10 ** len(found.partition(".")[2])))
