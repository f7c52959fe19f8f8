"""Evidence for the parts of quantities that an item may be about, weighed by one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from typing import Protocol

from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import Target, parts_of
from symattn.checking.joint_resolution.items import Item, Name
from symattn.checking.joint_resolution.values import Number, Values
from symattn.checking.joint_resolution.weights import Weights
from symattn.checking.names.lexicon import BY_KEY
from symattn.graph.builders.layer import base_of
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_KEPT = 18
"""Candidates of an item that are looked at together with those of its neighbours."""

OF_PARTS = frozenset({"said", "index", "row", "operation", "operands", "order", "reader", "parallel"})
"""Evidence that tells the parts of one quantity apart."""

_WORKED = 8
"""The likeliest candidates, with whose definition working is compared."""

WORKING = t.Sum | t.Product | t.Division
"""Forms of working."""

FREE = None
"""The candidate of arithmetic about nothing in particular."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part of a quantity that an item may be about, or nothing, with the evidence of the item alone.

    Attributes:
        target: the part, laid out as the numbers are; None for nothing in particular.
        why: each kind of evidence with what it counts.
        score: the sum of that.
        cells: the entries of the part.
        row: the only row that it lies in.
        may_hold: whether the numbers fit it, so that they would not be called wrong. A part that nothing but its
            numbers chooses of a quantity that is named as a whole does not count, nor does nothing in particular
            beside the name of a quantity.
    """

    target: Target | None
    why: tuple[tuple[str, float], ...]
    score: float
    cells: tuple[Cell, ...]
    row: int | None
    may_hold: bool


@dataclass(frozen=True, slots=True)
class Habits:
    """Meanings that the work gives its names, and the words before numbers: quantities without their heads.

    Attributes:
        names: the quantity of each name, in most of its places.
        frames: the same of the words before numbers.
        fitting: the names before numbers that fit each quantity.
    """

    names: Mapping[str, str]
    frames: Mapping[str, str]
    fitting: Mapping[str, AbstractSet[str]]


class Defines(Protocol):
    """Protocol of the comparison of working with definitions."""

    def __call__(self, node: t.Node) -> Callable[[Target], bool]:
        """Return the test whether working in numbers is the definition of each entry of a part."""


def _weighed(target: Target | None, why: Iterable[tuple[str, float]]) -> Candidate:
    kept = tuple((kind, weight) for kind, weight in why if weight)
    cells = () if target is None else tuple((target.name, *place) for place in target.flat())
    kinds = {kind for kind, weight in kept if weight > 0}
    is_part = any(kind == "part" for kind, _ in kept) and not kinds & OF_PARTS
    rows = {i for _, i, _ in cells}
    row = rows.pop() if len(rows) == 1 else None
    return Candidate(target, kept, sum(weight for _, weight in kept), cells, row, "fit" in kinds and not is_part)


class Evidence:
    """Weighing of candidates.

    Args:
        graph: the quantities.
        values: for what numbers fit.
        weights: what each kind of evidence counts.
    """

    def __init__(self, graph: Graph, values: Values, weights: Weights, defines: Defines) -> None:
        self.graph = graph
        self.values = values
        self.weights = weights
        self.defines = defines
        kinds = ("continued", "same_quantity", "next", "same_row", "back")
        self._order = {kind: weights.of("order", kind) for kind in kinds}

    def candidates(self, item: Item, before: frozenset[str]) -> list[Candidate]:
        """Return the likeliest candidates of an item, the best first, and the one that it is about nothing.

        Args:
            item: the item.
            before: quantities of the candidates of the items right before it.
        """
        found = [self._candidate(item, target) for target in self._targets(item, before)]
        found.sort(key=lambda candidate: -candidate.score)
        if item.working is not None and not any(operation.cells for operation in item.operations):
            found[:_WORKED] = self._with_working(item, found[:_WORKED], self.defines(item.working))
            found.sort(key=lambda candidate: -candidate.score)
        return [*found[:_KEPT], self._free(item)]

    def with_habits(self, item: Item, candidate: Candidate, habits: Habits) -> Candidate:
        """Return a candidate with what the rest of the work says of it."""
        if candidate.target is None or candidate.target.shape != item.shape:
            return candidate
        more = tuple(self._by_habit(item, candidate.target, habits))
        return _weighed(candidate.target, (*candidate.why, *more)) if more else candidate

    def _with_working(self, item: Item, found: list[Candidate], defines: Callable[[Target], bool]) -> list[Candidate]:
        """Return candidates with what the working in numbers says of them: it defines some, and so no others."""
        are_defined = [candidate.target is not None and defines(candidate.target) for candidate in found]
        if not any(are_defined):
            return found
        kind = "operands" if item.operations else "operation"
        own = self.weights.of("item", kind)
        other = 0.0 if item.operations or item.names else self.weights.of("item", "other_operation")
        return [
            _weighed(one.target, (*one.why, (kind, own if is_defined else other)))
            for one, is_defined in zip(found, are_defined, strict=True)
        ]

    # Which parts there are ---------------------------------------------------------------------------

    def _targets(self, item: Item, before: frozenset[str]) -> Iterator[Target]:
        """Yield every part of the shape of an item that anything speaks for."""
        seen: set[tuple[str, tuple[tuple[int, int], ...]]] = set()
        if item.reader is not None:
            seen.add((item.reader.name, tuple(item.reader.flat())))
            yield item.reader.in_shape(item.shape) or item.reader
        spoken = self._spoken_of(item) | before
        near = frozenset(self.graph.nodes) if self.values.is_small else frozenset[str]()
        only = item.numbers[0] if item.shape == (1, 1) else None
        if near and only is not None and only.figure is not None:
            near = frozenset(cell[0] for cell in self.values.near(only))
        for name in self.graph.nodes:
            if name not in spoken and name not in near:
                continue
            parts = (parts_of(self.graph, name, item.shape), self.values.visible_rows(name, item.shape))
            for target in chain.from_iterable(parts):
                key = (name, tuple(target.flat()))
                if key not in seen and (name in spoken or self._fits(item, target)):
                    seen.add(key)
                    yield target

    def _spoken_of(self, item: Item) -> frozenset[str]:
        bases = {*item.words, *item.heading}
        found = {name for name in self.graph.nodes if base_of(name) in bases}
        found.update(name.quantity for name in item.names)
        found.update(name for operation in item.operations for name in operation.quantities)
        return frozenset(found)

    # What speaks for a part --------------------------------------------------------------------------

    def _candidate(self, item: Item, target: Target) -> Candidate:
        found = [*self._by_name(item, target), *self._by_operation(item, target), self._by_fit(item, target)]
        reader = item.reader
        laid = None if reader is None else reader.in_shape(item.shape) or reader
        if reader is not None and laid is not None and (laid.name, laid.cells) == (target.name, target.cells):
            is_sure = bool(item.names or item.operations) and not reader.guess
            found.append(("reader", self.weights.of("item", "reader" if is_sure else "reader_guess")))
            found.append(("said", self.weights.of("item", "said") if item.is_said else 0.0))
        if target.shape != item.shape:
            is_symbol = not target.guess and any(name.kind != "word" for name in item.names)
            found.append(("misshapen", 0.0 if is_symbol else self.weights.of("item", "misshapen")))
            return _weighed(target, found)
        found.extend(self._by_words(item, target))
        found.extend(self._by_place(item, target))
        found.extend(self._by_layout(item, target))
        return _weighed(target, found)

    def _by_name(self, item: Item, target: Target) -> Iterator[tuple[str, float]]:
        if not item.names:
            return
        named = next((name for name in item.names if name.quantity == target.name), None)
        if named is None:
            yield "name", self.weights.of("item", "other_name")
            return
        rank = named.rank * self.weights.of("item", "rank")
        yield "name", max(self._of_kind(named) + rank, 0.0)
        if not item.index and not self._is_whole(target):
            yield "part", self.weights.of("place", "part_unsaid")
        if item.index:
            is_same = set(item.index) == set(target.flat())
            yield "index", self.weights.of("place", "index" if is_same else "other_index")

    def _is_whole(self, target: Target) -> bool:
        rows, columns = self.graph.shape(target.name)
        return sum(1 for _ in target.flat()) == rows * columns

    def _of_kind(self, name: Name) -> float:
        return self.weights.of("item", f"name_{name.kind}")

    def _by_words(self, item: Item, target: Target) -> Iterator[tuple[str, float]]:
        for kind, names in (("words_before", item.words), ("heading", item.heading)):
            base = base_of(target.name)
            if base in names:
                rank = names[base] * self.weights.of("item", "rank")
                yield kind, max(self.weights.of("item", kind) + rank, 0.0)

    def _by_operation(self, item: Item, target: Target) -> Iterator[tuple[str, float]]:
        if not item.operations:
            is_given = self.graph.nodes[target.name].formula is None and not item.names
            if is_given and isinstance(item.working, WORKING):
                yield "operation", self.weights.of("item", "other_operation")  # what is given is not worked out
            return
        cells = set(target.flat())
        is_same = any(
            target.name in operation.quantities and (not operation.cells or cells <= set(operation.cells))
            for operation in item.operations
        )
        yield "operation", self.weights.of("item", "operation" if is_same else "other_operation")

    def _by_place(self, item: Item, target: Target) -> Iterator[tuple[str, float]]:
        is_named = any(name.quantity == target.name for name in item.names) or base_of(target.name) in BY_KEY
        if item.column is not None and target.only is not None and is_named:
            kind = "index" if target.only[1] == item.column else "other_column"
            yield "index", self.weights.of("place", kind)
        rows = {i for i, _ in target.flat()}
        if item.shape[0] == 1 < item.shape[1] == target.shape[1] < self.graph.shape(target.name)[1] and len(rows) == 1:
            yield "row", self.weights.of("place", "row_said")  # a row without its hidden keys is told by its length
            return
        if item.row is None or item.index or not self._has_rows(target):
            return
        if len(rows) == 1 and self.graph.shape(target.name)[0] > 1:
            kind = "row_said" if rows == {item.row} else "other_row"
            yield "row", self.weights.of("place", kind if item.is_row_beside else f"{kind}_before")

    def _by_habit(self, item: Item, target: Target, habits: Habits) -> Iterator[tuple[str, float]]:
        base = base_of(target.name)
        others = habits.fitting.get(base, frozenset())
        if len(item.key) == 1 and others and item.key not in others:
            yield "taken", self.weights.of("order", "taken")
        elif item.key and habits.names.get(item.key) == base:
            yield "local", self.weights.of("order", "local_kept")
        elif item.frame and not item.key and habits.frames.get(item.frame) == base:
            yield "parallel", self.weights.of("order", "parallel")

    def _by_layout(self, item: Item, target: Target) -> Iterator[tuple[str, float]]:
        """Yield what speaks against a list that stands in a row for a column, above all where a number does not fit."""
        rows, columns = self.graph.shape(target.name)
        is_row = item.shape[0] == 1 < item.shape[1] and rows > 1 and columns > 1
        if is_row and len({j for _, j in target.flat()}) == 1:
            yield (
                "column",
                self.weights.of("place", "column" if item.index or self._fits(item, target) else "other_column"),
            )

    def _has_rows(self, target: Target) -> bool:
        """Return whether the rows of a quantity belong to queries, and not to keys or weights."""
        return base_of(target.name) in _BY_QUERY

    def _by_fit(self, item: Item, target: Target) -> tuple[str, float]:
        if target.shape != item.shape:
            return "fit", self.weights.of("item", "misfit")
        cells = [(target.name, *place) for place in target.flat()]
        pairs = [(number, cell) for number, cell in zip(item.numbers, cells, strict=True) if number is not None]
        fitting = sum(self.values.fits(number, cell) for number, cell in pairs)
        if any(number.figure is None and not self.values.fits(number, cell) for number, cell in pairs):
            return "fit", self.weights.of("item", "misfit_hidden")
        if fitting == len(pairs):
            return "fit", self.weights.of("item", "fit") * self._information(number for number, _ in pairs)
        close = fitting + sum(
            self.values.is_close(number, cell) for number, cell in pairs if not self.values.fits(number, cell)
        )
        outside = sum(number.figure is not None and not 0 <= number.figure.value <= 1 for number, _ in pairs)
        if base_of(target.name) == "A" and not item.names and outside > len(pairs) / 2:
            return "fit", self.weights.of("item", "misfit_range")
        share = (close if len(pairs) > 1 or close else 0) / len(pairs)
        if share >= 0.5:
            decimals = [number for number, cell in pairs if not number.is_whole and self.values.fits(number, cell)]
            kind = "fit" if len(decimals) >= _SEVERAL else "near"
            return "fit", self.weights.of("item", kind) * share
        is_given = self.graph.nodes[target.name].formula is None and len(pairs) > 1
        return "fit", self.weights.of("item", "misfit_given" if is_given else "misfit")

    def _information(self, numbers: Iterator[Number]) -> float:
        """Return what it tells that all these numbers fit, at most 1 but for minus infinity."""
        open_part, hidden = 1.0, 1.0
        for number in numbers:
            kind = "small" if number.is_small else "whole" if number.is_whole else "decimal"
            if number.figure is None:
                hidden = self.weights.of("information", "hidden")
            else:
                open_part *= 1 - self.weights.of("information", kind)
        return hidden if hidden > 1 else 1 - open_part

    def _fits(self, item: Item, target: Target) -> bool:
        cells = ((target.name, *place) for place in target.flat())
        pairs = zip(item.numbers, cells, strict=True)
        return all(number is None or self.values.fits(number, cell) for number, cell in pairs)

    def _free(self, item: Item) -> Candidate:
        worked = self.weights.of("item", "free_worked") if item.is_worked else 0.0
        reader = self.weights.of("item", "reader_guess") if item.reader is None and not item.names else 0.0
        named = {name.quantity for name in item.names}
        made = {name for operation in item.operations for name in operation.quantities}
        is_local = bool(named and item.operations) and not named & made
        local = self.weights.of("item", "local_word") if is_local else 0.0
        free = self.weights.of("item", "free")
        found = (("free", free), ("free_worked", worked), ("reader", reader), ("local_word", local))
        return replace(_weighed(FREE, found), may_hold=not named or is_local)

    # One item after the other --------------------------------------------------------------------------

    def after(self, before: Candidate, candidate: Candidate, item: Item) -> float:
        """Return what the order of two statements speaks for."""
        first, second = before.target, candidate.target
        if first is None or second is None:
            return 0.0
        if before.cells == candidate.cells:
            return self._order["continued"] if item.goes_on else 0.0
        if first.name == second.name:
            is_next = _is_next(before.cells, candidate.cells)
            return self._order["same_quantity"] + (self._order["next"] if is_next else 0.0)
        if self.graph.order[second.name] < self.graph.order[first.name]:
            return self._order["back"]
        return self._order["same_row"] if before.row is not None and before.row == candidate.row else 0.0


_SEVERAL = 2
"""Decimals that tell as much as if all of their list fitted."""

_BY_QUERY = BY_KEY | {
    "Q", "Z", "H", "O", "C", "m", "shifted", "R_1", "mu_1", "var_1", "N_1", "Y_1", "F_1", "F_3", "F_act", "F_gated",
    "F_2", "R_2", "mu_2", "var_2", "N_2", "Y_2",
}  # fmt: skip
"""Quantities that have a row for each query."""


def _is_next(first: tuple[Cell, ...], second: tuple[Cell, ...]) -> bool:
    """Return whether one part comes right after another of the same quantity, along its row or to the next row."""
    (_, i, j), (_, a, b) = first[-1], second[0]
    if len(first) == len(second) == 1:
        return (a, b) in {(i, j + 1), (i + 1, 0), (i + 1, j)}
    return (a == i + 1) != (b == j + 1)
