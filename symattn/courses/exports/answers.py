"""Numbers that the checker accepts at each entry, frozen for systems that run without symattn.

Candidates are the values under the rounding of the sheet and under the others that the checker tries, the same values
with fewer and with more digits, and exact fractions. All candidates of one kind are written into one work, which the
checker judges: a number that it does not take as right is not accepted here either. Numbers with fewer digits than the
sheet asks for are judged apart, one quantity at a time: what follows from other short numbers is not right by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from symattn.api.solutions import solve
from symattn.api.submissions import check
from symattn.checking.checker import Checker
from symattn.checking.grading.marks import cells_with_points
from symattn.checking.graph.quantities import Valuation
from symattn.checking.report import HOLDS
from symattn.courses.exports.assignment import Version, full_marks
from symattn.errors import InputError
from symattn.exact.rounding.printed import digits
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.quantities.quantity import Grid as Values
from symattn.graph.quantities.quantity import Quantity
from symattn.notation.tree import nodes as t
from symattn.notation.writers.latex import write_latex
from symattn.problem.model import Problem
from symattn.problem.settings.policy import NAMED_STEPS
from symattn.records import dataclass

MORE = 6
"""Places beyond those of the sheet up to which each rounding of a value is listed."""

_FEWER = 4
"""Zeros at the end that may be left out one by one."""

_FINEST = 60
"""Places of the value by which still longer numbers are judged."""

_ZEROS = 20 * "0"

_Texts: TypeAlias = Mapping[str, Sequence[Sequence[str]]]
"""The text of every entry of the quantities that are asked for."""

_Place: TypeAlias = tuple[str, int, int]
"""A quantity, and row and column of an entry from 0."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry to fill in.

    Attributes:
        row: from 1.
        column: from 1.
        texts: decimals that are accepted as they stand; the first is shown as the answer.
        equal: numbers that are accepted with any number of zeros behind them, and as fractions.
        value: the value to many places, by which decimals longer than all of `texts` are judged.
        weight: its share of the points of the problem.
    """

    row: int
    column: int
    texts: tuple[str, ...]
    equal: tuple[Fraction, ...]
    value: str
    weight: Fraction


@dataclass(frozen=True, slots=True)
class Grid:
    """The entries of one quantity that one part asks for: whole rows of it.

    Attributes:
        name: the canonical name of the quantity.
        symbol: the same as the sheet writes it.
        part: the rows or columns that are asked for, in words; empty for all of them.
        rows: the entries.
    """

    name: str
    symbol: t.Node
    part: str
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def weight(self) -> Fraction:
        """The share of the points of the problem that its entries have together."""
        return sum((cell.weight for row in self.rows for cell in row), Fraction(0))


def grids(version: Version) -> tuple[Grid, ...]:
    """Return the entries that a problem gives points for, with the numbers that are accepted there.

    Raises:
        InputError: several problems, blocks or sequences, no points, or a value that is not a number.
    """
    problem = _single(version)
    full_marks(version.sheet)
    graph = Checker(problem).graph
    asked = cells_with_points(problem, graph, Valuation(graph, raises=True))
    quantities = solve(problem).scene.quantities
    names = list(dict.fromkeys(name for _, cells in asked for name, _, _ in cells))
    if unknown := next((name for name in names if name not in quantities), None):
        raise InputError(
            f"{version.label}: {unknown} is asked for, and only entries of named quantities can be exported."
        )
    judged = _Judged(problem, names, version.label)
    weights = {
        place: (problem.parts[number].points or Fraction(0)) / len(places)
        for number, places in asked
        for place in places
    }
    return tuple(
        _grid(quantities[name], [judged.cell(place, weights[place]) for place in places if place[0] == name])
        for _, places in asked
        for name in dict.fromkeys(name for name, _, _ in places)
    )


def _grid(quantity: Quantity, cells: Sequence[Cell]) -> Grid:
    lines: dict[int, list[Cell]] = {}
    for cell in cells:
        lines.setdefault(cell.row, []).append(cell)
    found = list(lines), list(dict.fromkeys(cell.column for cell in cells))
    parts = zip(("row", "column"), found, quantity.shape, strict=True)
    told = (f"{word} {', '.join(map(str, own))}" for word, own, count in parts if len(own) < count)
    return Grid(quantity.name, quantity.symbol, "; ".join(told), tuple(map(tuple, lines.values())))


def _single(version: Version) -> Problem:
    problems = version.sheet.problems
    if len(problems) > 1:
        raise InputError(f"{version.label} has several problems: {version.sheet.listed}. Name one with --problem.")
    (problem,) = problems
    if problem.later or problem.batch:
        raise InputError(
            f"{version.label} has several {'sequences' if problem.batch else 'blocks'}, and this target takes one. "
            "Export to gradescope, otter or nbgrader."
        )
    return problem


class _Judged:
    """Candidates for every entry of some quantities, with the verdicts of the checker.

    Args:
        problem: what is asked.
        names: the quantities.
        label: the problem in messages.
    """

    def __init__(self, problem: Problem, names: Sequence[str], label: str) -> None:
        self.problem = problem
        self.names = names
        self.label = label
        self.verdicts: dict[_Place, dict[str, str]] = {}
        self.quantities = solve(problem).scene.quantities
        self.values = self._decimals(Rounding(places=_FINEST))
        kinds = {str(texts): texts for texts in self._kinds()}
        for texts in kinds.values():
            self._judge(texts)

    def cell(self, place: _Place, weight: Fraction) -> Cell:
        """Return an entry with the numbers that are accepted there.

        Raises:
            InputError: there are none.
        """
        name, i, j = place
        accepted = [text for text, verdict in self.verdicts.get(place, {}).items() if verdict in HOLDS]
        texts = tuple(text for text in accepted if "/" not in text and not text.endswith(_ZEROS))
        if not texts:
            raise InputError(
                f"{self.label}: the checker accepts no number as {name}[{i + 1},{j + 1}], so it cannot be exported."
            )
        equal = dict.fromkeys(Fraction(text) for text in accepted if "/" in text or text.endswith(_ZEROS))
        return Cell(i + 1, j + 1, texts, tuple(equal), self.values[name][i][j], weight)

    def _kinds(self) -> Iterator[_Texts]:
        """Yield candidates of one kind for all entries, those of the sheet's own rounding first."""
        policy = self.problem.policy
        others = [replace(policy, steps=steps, each=()) for steps in NAMED_STEPS.values()]
        rounded = [self._carried(replace(self.problem, policy=one)) for one in (policy, *others)]
        yield from rounded
        for texts in rounded:
            yield _changed(texts, _padded)
            for _ in range(_FEWER):
                texts = _changed(texts, _shorter)  # noqa: PLW2901 - one zero less each time
                yield from _apart(texts)
        asked = max(_places(text) for texts in rounded for rows in texts.values() for row in rows for text in row)
        ties = policy.rounding.ties
        for rule in ("half-up", ties) if ties == "truncate" else (ties,):
            for places in range(asked + MORE + 1):
                texts = self._decimals(Rounding(places=places, ties=rule))
                yield from [texts] if places > asked else _apart(texts)
        yield {
            name: [
                [
                    shown if (exact := value.rational()) is None else str(exact)
                    for value, shown in zip(*rows, strict=True)
                ]
                for rows in zip(self.quantities[name].exact.rows, rounded[0][name], strict=True)
            ]
            for name in self.names
        }

    def _carried(self, problem: Problem) -> _Texts:
        quantities = solve(problem).scene.quantities
        found = {name: quantities[name] for name in self.names}
        return {name: self._numeric(name, one.carried, one.rounding or one.display) for name, one in found.items()}

    def _decimals(self, rounding: Rounding) -> _Texts:
        return {name: self._numeric(name, self.quantities[name].exact.rows, rounding) for name in self.names}

    def _numeric(self, name: str, rows: Values, rounding: Rounding) -> Sequence[Sequence[str]]:
        """Return the decimals of all entries.

        Raises:
            InputError: one is undefined, or has a free symbol.
        """
        texts = [[text for text in row if text is not None] for row in digits(rows, rounding)]
        if any(len(row) != len(given) for row, given in zip(texts, rows, strict=True)):
            raise InputError(
                f"{self.label}: {name} has an entry without a decimal value, so it cannot be exported. Give symbols a "
                "value, or let the parts ask for other quantities."
            )
        return texts

    def _judge(self, texts: _Texts) -> None:
        """Let the checker judge a work that gives all entries at once."""
        lines = [
            f"$${write_latex(self.quantities[name].symbol)} = \\begin{{bmatrix}} "
            + " \\\\ ".join(" & ".join(row) for row in rows)
            + " \\end{bmatrix}$$"
            for name, rows in texts.items()
        ]
        found = {item.name: item.entries for item in check(self.problem, "\n\n".join(lines), "md").findings}
        for name, rows in texts.items():
            verdicts = found.get(name) or ()
            for i, line in enumerate(verdicts):
                for j, entry in enumerate(line):
                    self.verdicts.setdefault((name, i, j), {}).setdefault(rows[i][j], entry.verdict)


def _places(text: str) -> int:
    """Return the decimal places of a number.

    >>> _places("0.62"), _places("1.7e-6"), _places("-2")
    (2, 7, 0)
    """
    digits, _, exponent = text.partition("e")
    return max(0, len(digits.partition(".")[2]) - int(exponent or 0))


def _padded(text: str) -> str:
    """Return a decimal with so many zeros behind it that no finer rounding looks alike.

    >>> _padded("0.62") == "0.62" + 20 * "0", _padded("1e-7")
    (True, '1e-7')
    """
    return text if "e" in text else f"{text}{'' if '.' in text else '.'}{_ZEROS}"


def _shorter(text: str) -> str:
    """Return a decimal without its last zero.

    >>> _shorter("0.60"), _shorter("-2.0"), _shorter("0.62")
    ('0.6', '-2', '0.62')
    """
    return text[:-1].removesuffix(".") if "." in text and text[-1] == "0" else text


def _apart(texts: _Texts) -> Iterator[_Texts]:
    return ({name: rows} for name, rows in texts.items())


def _changed(texts: _Texts, change: Callable[[str], str]) -> _Texts:
    return {name: [[change(text) for text in row] for row in rows] for name, rows in texts.items()}
