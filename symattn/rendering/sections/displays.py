"""The pieces of a key: steps, displays, grids, and matrices with as much shown as a line holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil

from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.analysis.caveats import differing
from symattn.graph.analysis.pattern import Pattern
from symattn.graph.builders.layer import Layer, base_of
from symattn.graph.quantities.scene import Entry, Line
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Detail, Shown
from symattn.graph.statements.solution import Statements
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.problem.components.data import group_of
from symattn.problem.model import Problem
from symattn.rendering.content import Cell, Table
from symattn.rendering.latex.typesetting import is_legible, math
from symattn.rendering.latex.widths import width
from symattn.rendering.sections.document import Block, Ledger

MANY = 36
"""Entries beyond which only the corners of a matrix are worked out."""

FEW = Shown(4)
_MAX_COMPARED = 12
_PER_TABLE = 6
"""The most columns of a table; what needs more tables is shared out evenly."""
_BESIDE_HEADS = 40.0
"""The room in points that the names before the first relation take where they are aligned."""
_MATRIX_LIMITS = (8, 7, 6, 5, 4)


class Progress:
    """Progress of a key: the quantities shown so far.

    Attributes:
        ledger: what it states.
        left_out: whether something of them was.
        added: the biases and masks that were shown, by name and head; heads often share one.
    """

    __slots__ = ("added", "ledger", "left_out")

    def __init__(self, ledger: Ledger | None = None) -> None:
        self.ledger = ledger or Ledger()
        self.left_out = False
        self.added: set[tuple[str, int]] = set()


class SectionWriter:
    """Writer of the sections of one layer, with the ledger of what they state.

    Args:
        layer: the worked layer.
        pattern: the pattern of its weights, None where symbols leave it open.
        detail: how much of each product is written out.
        line: the width of a line in points.
        progress: what the pieces of several heads have in common; its own where there is one layer.

    Attributes:
        is_beside: whether the layer is a head whose steps stand beside those of others.
        is_likewise: whether one of these shows already how everything is worked out.
    """

    def __init__(
        self,
        layer: Layer,
        pattern: Pattern | None,
        detail: Detail,
        line: float,
        progress: Progress | None = None,
    ) -> None:
        self.line = line
        self.layer = layer
        self.problem: Problem = layer.problem
        self.words = layer.problem.words
        self.pattern = pattern
        self.detail = detail
        self.write = Statements(layer, detail)
        self.progress = progress or Progress()
        self.ledger = self.progress.ledger
        self.shown: set[str] = set()
        self.is_beside = False
        self.is_likewise = False

    def step(self, title: str, name: str = "") -> Block:
        """Return the title of a step, which the document numbers; of keys that heads share, with their numbers."""
        group = self.layer.scene.quantities[name].head if name in {"K", "V"} else 0
        heads = range(1, self.problem.heads + 1) if self.problem.kv_heads != self.problem.heads else ()
        sharing = [head for head in heads if group_of(head, self.problem.heads, self.problem.kv_heads) == group]
        if sharing and not self.is_beside:
            head = self.words.say("step.shared", count=len(sharing), heads=sharing, number=group)
        else:
            of_head = "step.each_head" if self.is_beside else "step.head"
            head = self.words.say(of_head, number=self.layer.head) if self.layer.head else ""
        return Block("step", title=title, head=head)

    def stated(self, statement: Statement) -> Statement:
        """Record a statement in the ledger and return it, without sides that no line holds at a readable size."""
        return self.ledger.state(self._legible(statement))

    def _legible(self, statement: Statement) -> Statement:
        """Return a statement with the sides left out that are too wide, while another is left."""
        room = self.line - _BESIDE_HEADS
        if is_legible(statement.written, room) or not isinstance(statement.written, t.Relation):
            return statement
        subject, *others = statement.sides
        kept = [side for side in others if is_legible(t.Relation((subject, side), ("=",)), room)]
        if not kept:
            return statement
        return self.write.chain(statement.subject, [subject, *kept], statement.valuation, statement.rounding)

    def display(self, *statements: Statement) -> Block:
        """Return statements that belong together, on lines of their own."""
        return Block("display", items=tuple(map(self.stated, statements)))

    def grid(self, items: list[Statement], per_row: int = 0) -> Block:
        """Align statements in columns; `per_row` of them belong together in a row."""
        return Block("grid", items=tuple(map(self.stated, items)), per_row=per_row)

    def whole(self, name: str) -> Block:
        """Return a quantity with its definition, the numbers put in unless it is told in brief, and its value."""
        if not self.write.is_defined(name):
            symbol = math(self.layer.scene.quantities[name].symbol)
            return Block("prose", (self.words.say("displays.not_written_out", symbol=symbol),))
        return self.display(self.fitting(lambda shown: self.write.whole(name, shown, operands=self.puts_numbers_in)))

    @property
    def puts_numbers_in(self) -> bool:
        """True if definitions of whole matrices have the numbers of what they are made of behind them."""
        return self.detail != "brief" and not self.is_likewise

    def values(self, name: str) -> Block:
        """Return a quantity and its value."""
        return self.display(self.fitting(lambda shown: self.write.values(name, shown)))

    def result(self, name: str, *, with_definition: bool = False) -> list[Block]:
        """Return the value of a quantity in a box, as the answer, behind its definition or not."""
        if not self.write.is_defined(name) or self.write.valuation(name) == "exact":
            return []
        whole = partial(self.write.whole, operands=self.puts_numbers_in)
        write = whole if with_definition else self.write.values
        statement = self.fitting(lambda shown: write(name, shown))
        return [self.display(_boxed(statement)), *self.note(_has_dots(statement.written))]

    def fitting(self, make: Callable[[Shown], Statement]) -> Statement:
        """Return the statement with as much of its matrices as a line can hold."""
        for limit in _MATRIX_LIMITS:
            statement = make(Shown(limit))
            if all(width(side) <= self.line - 60 for side in statement.sides):
                return statement
        return make(Shown(_MATRIX_LIMITS[-1]))

    def entries(self, name: str, tokens: tuple[int, ...] = ()) -> list[Block]:
        """Return entries of a quantity worked out, where its value is displayed; of some tokens all, where named."""
        places = self.places(name, tokens)
        items = [self.write.entry(name, *place) for place in places]
        is_displayed = not tokens and self.write.is_defined(name)
        is_short = len(places) < size(self.layer.exact(name).shape) and not tokens
        return self.worked(items, row_length(places), is_displayed=is_displayed, is_short=is_short)

    def worked(
        self, items: list[Statement], per_row: int = 0, *, is_displayed: bool = True, is_short: bool = False
    ) -> list[Block]:
        """Return worked statements of one kind, as many as the detail has of those whose values stand elsewhere too.

        Args:
            items: one for each entry.
            per_row: how many of them belong together in a row.
            is_displayed: whether their values stand in a matrix or a table: then one is enough, and none in brief.
            is_short: whether entries of a large matrix are left out already.
        """
        if is_displayed and self.detail != "every-product":
            is_wanted = self.detail == "full" and not self.is_likewise
            return [self.grid([self._fullest(items)])] if is_wanted and items else []
        return [self.grid(items, per_row), *self.note(is_short)] if items else []

    def _fullest(self, items: Sequence[Statement]) -> Statement:
        """Return the statement that shows most: one that fits a line, neither infinite nor 0 if possible."""

        def shown(item: Statement) -> tuple[bool, bool, float]:
            size = width(item.written)
            is_telling = t.INFINITY not in walk(item.written) and item.sides[-1] != t.Number("0")
            return (size <= self.line, is_telling, size if size <= self.line else -size)

        return max(items, key=shown)

    def in_digits(self, name: str, tokens: tuple[int, ...] = ()) -> list[Block]:
        """Repeat values of tanh, sines or cosines as decimals, rounded once."""
        exact = self.layer.exact(name)
        if self.layer.scene.quantities[name].style == "decimal":
            return []  # they are shown in decimals as it is
        if self.write.valuation(name) != "end" or not any(value.has_constants for value in exact):
            return []
        places = [place for place in self.places(name, tokens) if exact[place[0] - 1, place[1] - 1].has_constants]
        rounding = self.layer.scene.quantities[name].display
        items = [self.write.rounded_once(Entry(name, *place), rounding) for place in places]
        return [Block("prose", (self.words.say("displays.in_decimals"),)), self.grid(items, row_length(places))]

    def comparison(self, quantities: Sequence[str], tokens: tuple[int, ...]) -> list[Block]:
        """Return the answer of the policy beside the answer rounded once, for the entries where they differ."""
        if not self.problem.policy.steps or self.is_beside:
            return []
        changed = [
            Entry(name, *place)
            for name in quantities
            if self.write.valuation(name) == "carried"
            for place in differing(self.layer, name)
            if not tokens or self._token(name, place) in tokens
        ]
        blocks: list[Block] = []
        shown = changed[:_MAX_COMPARED]
        tables = ceil(len(shown) / _PER_TABLE)
        for pieces in (shown[len(shown) * at // tables : len(shown) * (at + 1) // tables] for at in range(tables)):
            names = [self.layer.scene.reference(entry) for entry in pieces]
            header: tuple[Cell, ...] = ("", *(self.stated(Statement(item, item, "exact")) for item in names))
            rows: list[tuple[Cell, ...]] = [
                (self.words.say("comparison.at_steps"), *(self.stated(self.write.value_cell(e)) for e in pieces)),
                (self.words.say("comparison.at_end"), *(self.stated(self.write.value_cell(e, "end")) for e in pieces)),
            ]
            blocks.append(Block("table", table=Table(header, tuple(rows), "l" + "c" * len(pieces))))
        if not blocks:
            return []
        rest = len(changed) - _MAX_COMPARED
        intro = self.words.say("comparison.some" if rest > 0 else "comparison.all", rest=rest)
        return [Block("note", (intro,)), *blocks]

    def _token(self, name: str, place: tuple[int, int]) -> int:
        """Return the token that an entry of the weights or of the outputs belongs to."""
        by_rows = self.layer.axis == "rows" if base_of(name) == "A" else self.problem.tokens == "rows"
        return place[0] if by_rows else place[1]

    def places(self, name: str, tokens: tuple[int, ...] = ()) -> list[tuple[int, int]]:
        """Return the entries that are worked out, from 1; of some tokens only, where named."""
        rows, columns = self.layer.exact(name).shape
        by_rows = self.problem.tokens == "rows" or name == "A"
        lines = list(tokens) or None
        shown = Shown(max(rows, columns)) if rows * columns <= MANY else FEW
        across = [number for number in shown.numbers(columns) if number is not None]
        down = [number for number in shown.numbers(rows) if number is not None]
        if lines is not None:
            down, across = (lines, across) if by_rows else (down, lines)
        return [(i, j) for i in down for j in across]

    def note(self, is_left_out: bool) -> list[Block]:  # noqa: FBT001 - a question, not a switch
        """Return a note that something is left out, once in a key."""
        if not is_left_out or self.progress.left_out:
            return []
        self.progress.left_out = True
        return [Block("note", (self.words.say("displays.left_out"),))]

    def place(self, line: int, key: int) -> tuple[int, int]:
        """Return row and column of the weight of a key in the line of a query."""
        return (line, key) if self.layer.axis == "rows" else (key, line)

    def key_numbers(self) -> list[int]:
        """Return all keys, from 1."""
        return list(range(1, self.problem.n_k + 1))

    def few_keys(self) -> list[int]:
        """Return the keys at both ends."""
        return [key for key in FEW.numbers(self.problem.n_k) if key is not None]

    def is_defined(self, name: str, row: int, column: int) -> bool:
        """Return whether an entry has the value that a key prints."""
        if not self.has_exact(name, row, column):
            return False
        carried = self.layer.scene.quantities[name].carried[row - 1][column - 1]
        return self.write.valuation(name) != "carried" or carried is not None

    def has_exact(self, name: str, row: int, column: int) -> bool:
        """Return whether an entry has a value by definition; the weights of a query that sees no key lack one."""
        return self.layer.exact(name)[row - 1, column - 1] is not UNDEFINED

    def line_defined(self, token: int) -> bool:
        """Return whether the whole output of a token has."""
        places = self.layer.scene.places(Line("O", token), token)
        return all(self.is_defined("O", *place) for place in places)


def _boxed(statement: Statement) -> Statement:
    """Return the statement with its last side in a box, the answer."""
    chain = statement.written
    if not isinstance(chain, t.Relation) or chain.sides[-1] is None:
        return statement
    written = t.Relation((*chain.sides[:-1], t.Boxed(chain.sides[-1])), chain.operators)
    return Statement(statement.subject, written, statement.valuation, statement.rounding, statement.ranges)


def beside(*blocks: Block) -> list[Block]:
    """Return blocks with displays that follow each other made one, whose formulas stand side by side.

    >>> [block.kind for block in beside(Block("prose"), Block("display"), Block("display"))]
    ['prose', 'display']
    """
    made: list[Block] = []
    for block in blocks:
        if made and made[-1].kind == block.kind == "display":
            made[-1] = Block("display", items=(*made[-1].items, *block.items))
        else:
            made.append(block)
    return made


def row_length(places: list[tuple[int, int]]) -> int:
    """Return the number of places in the first row."""
    return sum(place[0] == places[0][0] for place in places)


def _has_dots(node: t.Node) -> bool:
    return isinstance(node, t.Dots) or any(_has_dots(child) for child in t.children(node))


def size(shape: tuple[int, int]) -> int:
    """Return the number of entries of a matrix of this shape."""
    return shape[0] * shape[1]
