"""Constraints on a draw, each a statement about printed or exact numbers; enclosures or exact values answer it.

The functions take the numbers of the draw under both roundings: rounded at the end, and rounded at the steps of the
policy. The names of constraints are those of the keys of the `[variants]` table. Some are asked of each line of weights
first, since a line is soon worked out and rejects most draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph
from symattn.courses.variants.design import Design
from symattn.courses.variants.lines import Line
from symattn.courses.variants.numbers import Numbers, UndefinedNumberError
from symattn.graph.builders.layer import base_of
from symattn.records import dataclass

Both: TypeAlias = tuple[Numbers[Any], ...]
"""The numbers of a draw rounded at the end, and those rounded step by step."""

Shown: TypeAlias = Mapping[str, int]
"""The quantities that a mistake changes, each with a number that is the same for mistakes that always agree there."""

Page: TypeAlias = tuple[tuple[Any, ...], ...]
"""A quantity as it is printed."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the search, and what its constraints are about.

    Attributes:
        inputs: the inputs that are drawn together.
        lines: the lines of weights that they complete.
        names: the other quantities that they complete, those between scores and weights left out.
        completed: all quantities that they complete.
        answers: the answers among those of `names`.
        all_answers: the answers of all stages where the stage is the last; else none.
        tries: draws for one good draw of the stage before.
    """

    inputs: tuple[str, ...]
    lines: tuple[Line, ...]
    names: tuple[str, ...]
    completed: tuple[str, ...]
    answers: tuple[str, ...]
    all_answers: tuple[str, ...]
    tries: int


@dataclass(frozen=True, slots=True)
class Views:
    """The numbers of a draw, as enclosures or as exact values.

    Attributes:
        both: the numbers under both roundings.
        mistaken: yields, for each usual mistake, what it changes, and the same with it made.
    """

    both: Both
    mistaken: Callable[[], Iterator[tuple[Shown, Both]]]


# Lines of weights ----------------------------------------------------------------------------------


def _line_weights(design: Design, views: Views, line: Line) -> bool:
    """Return whether each exact weight of a key that is seen lies between the bounds."""
    numbers = views.both[0]
    return design.weights is None or all(
        numbers.is_between(numbers.met(*cell)[-1], *design.weights) for cell in _seen(numbers, line)
    )


def _line_sum(_: Design, views: Views, line: Line) -> bool:
    """Return whether the printed weights sum to 1 under both roundings."""
    return all(sum(numbers.weight(*cell) for cell in line.weights) == numbers.one for numbers in views.both)


def _line_distinct(design: Design, views: Views, line: Line) -> bool:
    """Return whether printed weights are distinct as the design asks, under both roundings."""
    for numbers in views.both:
        printed = [numbers.weight(*cell) for cell in _seen(numbers, line)]
        if "weights" in design.distinct and len(set(printed)) < len(printed):
            return False
        if "influential" in design.distinct and printed and printed.count(max(printed)) > 1:
            return False
    return True


def _line_margin(design: Design, views: Views, line: Line) -> bool:
    """Return whether the scores, the weights and what stands between keep their distance from rounding boundaries."""
    return _are_clear(design, views, (*line.scores, *line.parts, *line.weights))


def _line_policies(design: Design, views: Views, line: Line) -> bool:
    """Return whether the weights print the same under both roundings, where they are asked for."""
    if design.policies == "differ" or not line.is_asked:
        return True
    first, second = views.both
    return all(first.printed(*cell) == second.printed(*cell) for cell in line.weights)


LINE_CONSTRAINTS: Mapping[str, Callable[[Design, Views, Line], bool]] = {
    "weights": _line_weights,
    "rows_sum": _line_sum,
    "distinct": _line_distinct,
    "policies": _line_policies,
    "margin": _line_margin,
}
"""The constraints on each line of weights, in the order in which they are tried."""


# Whole draws ---------------------------------------------------------------------------------------


def _size(design: Design, views: Views, stage: Stage) -> bool:
    """Return whether numerators and denominators before the scale keep their bounds."""
    numbers = views.both[0]
    for cell in _cells(numbers.graph, filter(_is_plain, stage.names)):
        value = numbers.rational(numbers.met(*cell)[-1])
        if design.numerator is not None and abs(value.numerator) > design.numerator:
            return False
        if design.denominator is not None and value.denominator > design.denominator:
            return False
    return True


def _distinct(design: Design, views: Views, stage: Stage) -> bool:
    """Return whether no two lines of a map print the same, under both roundings."""
    if "rows" not in design.distinct:
        return True
    for numbers in views.both:
        printed = [(line.weights[0][0], *(numbers.weight(*cell) for cell in line.weights)) for line in stage.lines]
        if len(set(printed)) < len(printed):
            return False
    return True


def _margin(design: Design, views: Views, stage: Stage) -> bool:
    """Return whether no number is nearer to a rounding boundary than the margin."""
    return _are_clear(design, views, _cells(views.both[0].graph, stage.names))


def _policies(design: Design, views: Views, stage: Stage) -> bool:
    """Return whether answers under both roundings print the same, or some of them do not."""
    first, second = views.both
    if design.policies == "differ":
        cells = list(_cells(first.graph, stage.all_answers))
        return not cells or any(first.printed(*cell) != second.printed(*cell) for cell in cells)
    return all(first.printed(*cell) == second.printed(*cell) for cell in _cells(first.graph, stage.answers))


def _telling(design: Design, views: Views, stage: Stage) -> bool:
    """Return whether each mistake shows in the answers, and tells itself apart where that is asked for."""
    if design.telling == "distinct":
        pages = _Pages(views.both, stage.completed)
        return all(pages.takes(shown, numbers) for shown, both in views.mistaken() for numbers in both)
    return not stage.all_answers or all(
        any(_page(numbers, name) != _page(right, name) for name in shown if name in stage.all_answers)
        for shown, both in views.mistaken()
        for right, numbers in zip(views.both, both, strict=True)
    )


class _Pages:
    """The printed quantities of a draw, right and with mistakes made, whatever the rounding.

    Args:
        both: the numbers without a mistake.
        names: the quantities in which mistakes are told apart.
    """

    def __init__(self, both: Both, names: tuple[str, ...]) -> None:
        self._both = both
        self._names = names
        self._known: dict[tuple[str, Page], int] = {}

    def takes(self, shown: Shown, numbers: Numbers[Any]) -> bool:
        """Return whether a mistake shows in each quantity that it changes, and prints none as another mistake does."""
        return all(
            self._is_new(name, kind, _page(numbers, name)) for name, kind in shown.items() if name in self._names
        )

    def _is_new(self, name: str, kind: int, page: Page) -> bool:
        is_rearranged = any(_is_rearranged(page, _page(right, name)) for right in self._both)
        return self._known.setdefault((name, page), kind) == kind and not is_rearranged


def _page(numbers: Numbers[Any], name: str) -> Page:
    """Return a printed quantity; a number that a mistake leaves undefined prints as nothing."""
    rows, columns = numbers.graph.shape(name)
    return tuple(tuple(_printed(numbers, name, i, j) for j in range(columns)) for i in range(rows))


def _printed(numbers: Numbers[Any], name: str, i: int, j: int) -> Any:
    try:
        return numbers.printed(name, i, j)
    except UndefinedNumberError:
        return None


def _is_rearranged(page: Page, right: Page) -> bool:
    """Return whether a page is the right one, or shows right numbers at other places or with other signs.

    A transposed matrix, a row of another place, two exchanged entries and a turned sign are mistakes of their own; of
    wrong entries a person's eye, and the checker, take the first.
    """
    changed = [
        (one, other)
        for row, own in zip(page, right, strict=True)
        for one, other in zip(row, own, strict=True)
        if one != other
    ]
    moved = (row for row, own in zip(page, right, strict=True) if row != own and row in right)
    is_exchanged = len(changed) == 2 and changed[0] == changed[1][::-1]
    is_turned = bool(changed) and None not in changed[0] and changed[0][0] == -changed[0][1]
    return not changed or is_exchanged or is_turned or page == tuple(zip(*right, strict=True)) or any(moved)


CONSTRAINTS: Mapping[str, Callable[[Design, Views, Stage], bool]] = {
    "size": _size,
    "distinct": _distinct,
    "policies": _policies,
    "margin": _margin,
    "telling": _telling,
}
"""The constraints on all that a stage completes, in the order in which they are tried behind those of its lines."""


def active(design: Design) -> tuple[str, ...]:
    """Return the names of the constraints that a design asks for."""
    is_on = {
        "size": design.numerator is not None or design.denominator is not None,
        "weights": design.weights is not None,
        "rows_sum": design.rows_sum,
        "distinct": bool(design.distinct),
        "policies": design.policies != "any",
        "margin": bool(design.margin),
        "telling": bool(design.telling),
    }
    return tuple(name for name, is_active in is_on.items() if is_active)


def holds(constraint: Callable[[Design, Views, Any], bool], design: Design, views: Views, of: Line | Stage) -> bool:
    """Return whether a constraint holds; a draw in which it meets an undefined number does not meet it.

    Raises:
        UndecidedError: enclosures leave it open.
    """
    try:
        return constraint(design, views, of)
    except UndefinedNumberError:
        return False


def _is_plain(name: str) -> bool:
    return base_of(name) in {"Q", "K", "V", "S"}


def _cells(graph: Graph, names: Iterable[str]) -> Iterator[Cell]:
    return (cell for name in names for cell in graph.cells(name))


def _are_clear(design: Design, views: Views, cells: Iterable[Cell]) -> bool:
    """Return whether numbers that a step rounds keep the margin under both roundings."""
    end, steps = views.both
    asked = [cell for cell in cells if steps.is_rounded(cell[0])]
    return all(
        numbers.is_clear(number, rounding, design.margin)
        for cell in asked
        for numbers in (end, steps)
        for number, rounding in numbers.boundaries(*cell)
    )


def _seen(numbers: Numbers[Any], line: Line) -> list[Cell]:
    """Return the weights of a line without those of hidden keys, which are 0."""
    return [cell for cell in line.weights if not numbers.is_zero(numbers.met(*cell)[-1])]
