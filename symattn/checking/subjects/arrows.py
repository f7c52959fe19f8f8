"""Rows that arrows lead to from a query: ``q_2 → [1, 2] → softmax → [0.33, 0.67]``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from symattn.checking.context import GradingContext
from symattn.checking.expressions.expression_kinds import has_numbers
from symattn.checking.expressions.numerals import FITS, bare, figure
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.lexicon import SCORES
from symattn.checking.subjects.disambiguation import Disambiguation
from symattn.exact.field.quotient import Quotient
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Side, Written
from symattn.notation.tree import nodes as t

Step = tuple[Written, Target | None]

_LEADERS = frozenset({"Q", "X", "X_p", "Q_rot"})
"""Quantities whose rows stand for tokens."""

_ROWS = (*SCORES, "E", "A", "H", "O")
"""Quantities that are computed for a query, in this order."""


def cut(written: Written, context: GradingContext) -> list[Written]:
    """Return the statements between the arrows of a chain, ``score 3 → e^3 = 20.09``: what follows is a new one.

    An arrow between two sides of the same value is an equality sign.
    """
    bounds = [
        position
        for position, operator in enumerate(written.operators, 1)
        if operator in {"→", "⇒"}
        and (
            _names_next(written, position)
            or not _is_equal(written.sides[position - 1], written.sides[position], context)
        )
    ]
    if not bounds:
        return [written]
    return [_between(written, low, high) for low, high in pairwise([0, *bounds, len(written.sides)])]


def _names_next(written: Written, position: int) -> bool:
    """Return whether a side is a word that names the number behind it, ``3 → scaled 2.12``."""
    side, before = written.sides[position], written.sides[position - 1]
    is_word = side is not None and isinstance(side.node, t.Name) and len(side.node.text) > 2
    is_behind_number = before is not None and before.node is not None and figure(before.node) is not None
    return is_word and is_behind_number and written.operators[position : position + 1] == ("=",)


def unpacked(written: Written, context: GradingContext) -> list[Written]:
    """Return the statements of ``e1, e2 = 8.34, 16.91``, one for each name; the chain itself where it is another.

    Entries that the sheet or the work names are one list.
    """
    nodes = [side.node for side in written.sides if side is not None and isinstance(side.node, t.Vector)]
    names = nodes[0].items if len(nodes) == len(written.sides) > 1 and set(written.operators) <= {"=", "≈"} else ()
    is_bracketed = not nodes or nodes[0].span is None or context.work.text[nodes[0].span[0]] in "([{⟨\\"
    if is_bracketed or not all(isinstance(name, t.Name | t.Subscript) for name in names):
        return [_stacked(written)]
    if all((known := context.binder.resolve(name)) is not None and not known.guess for name in names):
        return [written]
    rows = [[item.span for item in node.items] for node in nodes]
    if any(len(row) != len(names) or None in row for row in rows):
        return [written]
    found = []
    for number, column in enumerate(zip(*rows, strict=True)):
        spans = [span for span in column if span is not None]
        sides = tuple(Side(span, node.items[number]) for span, node in zip(spans, nodes, strict=True))
        places = tuple((low, low) for low, _ in spans[1:])
        found.append(replace(written, span=(spans[1][0], spans[-1][1]), sides=sides, operator_spans=places))
    return found


def _stacked(written: Written) -> Written:
    """Return a chain with a matrix for lists side by side, ``outputs: [1, 0], [0.5, 0.5]``."""
    sides = [side if side is None or not position else _rows(side) for position, side in enumerate(written.sides)]
    return replace(written, sides=tuple(sides))


def _rows(side: Side) -> Side:
    lists = side.node.items if isinstance(side.node, t.Vector) else ()
    rows = [item.items for item in lists if isinstance(item, t.Vector) and item.brackets == "["]
    is_matrix = 1 < len(rows) == len(lists) and len({len(row) for row in rows}) == 1 < len(rows[0])
    return replace(side, node=t.Matrix(tuple(rows), span=side.span)) if is_matrix else side


def _is_equal(before: Side | None, after: Side | None, context: GradingContext) -> bool:
    """Return whether a side is the value of the one before it, or a rounding of that; a word for a step is none."""
    if before is None or after is None:
        return True
    if before.node is None or after.node is None:
        return False
    if figure(before.node) is not None and len(_items(after.node)) > 1:
        return False  # a number leads to what is made of it
    if _items(before.node) and (isinstance(after.node, t.Name) or _items(after.node)):
        pairs = zip(_items(before.node), _items(after.node), strict=False)
        return bool(_items(after.node)) and all(_is_rounding(one, other, context) for one, other in pairs)
    if context.binder.resolve(bare(before.node)) is not None or (
        figure(after.node) is not None and not has_numbers(before.node)
    ):
        return True  # the value of what it names is said behind it
    one, other = (context.value(side, context.numbers.base) for side in (before.node, after.node))
    number = figure(after.node)
    if one is None or other is None:
        return number is None and (other is None or not has_numbers(before.node))
    if number is not None and figure(before.node) is None:
        return True  # working leads to its value
    return one == other or (number is not None and context.numbers.close(number, one) in FITS)


def _items(node: t.Node) -> tuple[t.Node, ...]:
    """Return the entries of a list or of a matrix, row by row; nothing for anything else."""
    match bare(node):
        case t.Vector(items):
            return items
        case t.Matrix(rows):
            return tuple(item for row in rows for item in row)
    return ()


def _is_rounding(one: t.Node, other: t.Node, context: GradingContext) -> bool:
    """Return whether a number is another one, or a rounding of it; a side that is not a number may be anything."""
    first, second = figure(one), figure(other)
    if first is None or second is None:
        return True
    return context.numbers.close(second, Quotient.of(first.value)) in FITS


def _between(written: Written, low: int, high: int) -> Written:
    """Return the sides of a chain from one place to another; behind an arrow they are a statement of their own."""
    sides, last = written.sides[low:high], written.sides[high - 1]
    start = written.span[0] if low == 0 else written.operator_spans[low - 1][0]
    end = written.span[1] if last is None else last.span[1]
    return Written(
        (start, end), sides, written.operators[low : high - 1], written.operator_spans[low : high - 1],
        written.withdrawn, after_text=written.after_text or low > 0,
    )  # fmt: skip


class Arrows:
    """Resolver of the lists behind arrows."""

    def __init__(self, disambiguation: Disambiguation) -> None:
        self.disambiguation = disambiguation
        self.context = disambiguation.context
        self.graph = disambiguation.graph

    def steps(self, written: Written) -> list[Step]:
        """Return the lists of a chain of arrows that begins with a query, each with its target; else nothing."""
        first = written.sides[0]
        if first is None or first.node is None or not self._leads(written):
            return []
        leader = self.context.binder.resolve(first.node)
        rest = written.sides[1:]
        may_lead = leader is not None and (
            base_of(leader.name) in _LEADERS or ("→" in written.operators[1:] and base_of(leader.name) in _ROWS)
        )
        if leader is None or not may_lead or not leader.is_vector or leader.only is not None:
            return []
        if not self._are_steps(rest) or not any(_is_list(side) for side in rest):
            return []
        found = list(self._found(written, leader))
        # A single list with nothing said of it is the query itself.
        return [] if len(rest) == 1 and found[0][1] is None else found

    def _leads(self, written: Written) -> bool:
        """Return whether an arrow or a colon follows the first side: the next one need not be equal to it."""
        if not written.operators:
            return False
        return "→" in written.operators or self.context.work.text[slice(*written.operator_spans[0])].strip() in {
            ":",
            "：",
        }

    def _are_steps(self, sides: tuple[Side | None, ...]) -> bool:
        """Return whether every side is a list, or a word for something."""
        return all(side is not None and (_is_list(side) or self._is_name(side)) for side in sides)

    def _is_name(self, side: Side) -> bool:
        """Return whether a side is a word, or a letter that names a line."""
        if isinstance(side.node, t.Name):
            return True
        named = self.context.binder.resolve(side.node) if isinstance(side.node, t.Subscript) else None
        return named is not None and self._is_line(named)

    def _found(self, written: Written, leader: Target) -> Iterator[Step]:
        row = next(leader.flat())[0]
        base, word = base_of(leader.name), ""
        last = _ROWS.index(base) if base in _ROWS else -1
        line: Target | None = None
        for position, side in enumerate(written.sides[1:], 1):
            if side is None or side.node is None:
                continue
            if not _is_list(side):
                named = self.context.binder.resolve(side.node)
                line = named if named is not None and self._is_line(named) else None
                word = "" if named is None else base_of(named.name)
                continue
            sign = self.context.work.text[slice(*written.operator_spans[position - 1])].strip()
            is_equal = position == 1 and sign not in {"→", ":", "：", "->", ""} and written.operators[0] != "→"
            is_own = position == 1 and not word and (is_equal or self.disambiguation.fits(side.node, leader))
            found = self._target(side.node, row, last, word or (self._heading() if position == 1 else ""))
            is_own = is_own and (found is None or written.operators[0] != "→")
            target = line or (leader if is_own else found)
            if target is not None and base_of(target.name) in _ROWS:
                last = _ROWS.index(base_of(target.name))
            word, line = "", None
            place = written.operator_spans[position - 1]
            span = (place[0], side.span[1])
            yield Written(span, (None, side), ("=",), (place,), written.withdrawn, after_text=True), target

    def _heading(self) -> str:
        heading = self.context.binder.heading
        return "" if heading is None else base_of(heading)

    def _is_line(self, target: Target) -> bool:
        return target.is_vector and target.cells != whole(self.graph, target.name).cells

    def _target(self, node: t.Node, row: int, last: int, word: str) -> Target | None:
        """Return the row with these numbers; that of the word before them where they fit none."""
        rows = [(base, line) for base in _ROWS[last + 1 :] if (line := self._row(base, row)) is not None]
        shape = self.context.shape(node)
        laid = [(base, line) for base, line in rows if line.in_shape(shape) is not None]
        named = [line for base, line in laid if base == word or (word == "S" and base.startswith("S"))]
        fitting = [line for line in (named or [line for _, line in laid]) if self.disambiguation.fits(node, line)]
        return next(iter(fitting or named), None)

    def _row(self, base: str, row: int) -> Target | None:
        name = self.context.binder._present(base)  # noqa: SLF001 - the quantity of the head that is spoken of
        return None if name is None else whole(self.graph, name, guess=True).part(row, None)


def _is_list(side: Side | None) -> bool:
    return side is not None and side.node is not None and isinstance(bare(side.node), t.Vector)
