"""Targets: the entries of a quantity that a statement is about: all of it, a row, a column, one entry."""

from __future__ import annotations

from collections.abc import Iterator

from symattn import late
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.records import dataclass

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Target:
    """Entries of one quantity, laid out as they are to be written.

    Attributes:
        name: the quantity.
        cells: rows of entries, counted from 0.
        guess: whether the name was bound by habit alone.
    """

    name: str
    cells: tuple[tuple[Place, ...], ...]
    guess: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns as written."""
        return len(self.cells), len(self.cells[0])

    @property
    def is_vector(self) -> bool:
        """True for one row or one column."""
        return 1 in self.shape

    @property
    def only(self) -> Place | None:
        """The entry, where it is a single one."""
        return self.cells[0][0] if self.shape == (1, 1) else None

    @property
    def transposed(self) -> Target:
        """Rows as columns."""
        return Target(self.name, tuple(zip(*self.cells, strict=True)), self.guess)

    def in_shape(self, shape: Place | None) -> Target | None:
        """Return the target as written in a shape; a vector may be typed as a row or as a column. None if it is not."""
        if shape == self.shape:
            return self
        return self.transposed if self.is_vector and shape == self.shape[::-1] else None

    def flat(self) -> Iterator[Place]:
        """Yield all entries, row by row."""
        return (place for row in self.cells for place in row)

    @property
    def entries(self) -> list[Cell]:
        """The entries, row by row, each with the name of the quantity."""
        return [(self.name, *place) for place in self.flat()]

    def part(self, row: int | None, column: int | None) -> Target | None:
        """Return a row, a column or an entry, counted from 0; None for a nonexistent one."""
        rows, columns = self.shape
        if (row is not None and not 0 <= row < rows) or (column is not None and not 0 <= column < columns):
            return None
        kept = self.cells if row is None else (self.cells[row],)
        if column is not None:
            kept = tuple((line[column],) for line in kept)
        return Target(self.name, kept, self.guess)


@dataclass(frozen=True, slots=True)
class OutOfRange:
    """A name with out-of-range indices.

    Attributes:
        node: the name as it was written.
        name: the quantity, or its transpose.
        shape: its rows and columns.
        numbers: the indices as they were written.
        is_line: whether it is a small letter, which names lines.
        is_column: whether one index chooses a column.
        reason: why this is held against nobody, empty where the name can mean nothing else.
        base: what the work counts from.
        said: the sentence where the shape is not the reason.
    """

    node: t.Node
    name: str
    shape: Place
    numbers: tuple[int, ...]
    is_line: bool = False
    is_column: bool = False
    reason: str = ""
    base: int = 1
    said: str = ""

    @property
    def sentence(self) -> str:
        """The shape, and the missing row or column."""
        if self.said:
            return self.said
        rows, columns = self.shape
        line = "column" if self.is_column else "row"
        place = (
            f"entry ({self.numbers[0]},{self.numbers[-1]})" if len(self.numbers) == 2 else f"{line} {self.numbers[0]}"
        )
        counted = "" if self.base else ", counted from 0,"
        return f"{self.name} is {rows} × {columns} and has{counted} no {place}."


def whole(graph: Graph, name: str, *, guess: bool = False) -> Target:
    """Return all of a quantity."""
    rows, columns = graph.shape(name)
    return Target(name, tuple(tuple((i, j) for j in range(columns)) for i in range(rows)), guess)


def parts_of(graph: Graph, name: str, shape: Place) -> Iterator[Target]:
    """Yield all of a quantity, its lines and its entries, where they have a shape as they are written."""
    full = whole(graph, name, guess=True)
    rows, columns = full.shape
    if shape == (1, 1):
        yield from (Target(name, ((place,),), guess=True) for place in full.flat())
        return
    if full.in_shape(shape) is not None:
        yield full.in_shape(shape) or full
    if 1 not in shape or 1 in full.shape:
        return
    lines = [full.part(i, None) for i in range(rows)] + [full.part(None, j) for j in range(columns)]
    for line in lines:
        laid = None if line is None else line.in_shape(shape)
        if laid is not None:
            yield laid


def segments_of(graph: Graph, name: str, shape: Place) -> Iterator[Target]:
    """Yield the neighbours in a row that are as many as a list has, a block of keys say, without whole rows."""
    rows, columns = graph.shape(name)
    if shape[0] == 1 < shape[1] < columns:
        for i in range(rows):
            for first in range(columns - shape[1] + 1):
                yield Target(name, (tuple((i, first + j) for j in range(shape[1])),), guess=True)


def canonical(target: Target, graph: Graph) -> str:
    """Return the name for machines: ``Q``, ``Q[3,1]``, ``Q[3,:]``, ``Q[:,1]``."""
    rows, columns = graph.shape(target.name)
    places = list(target.flat())
    if len(places) == rows * columns:
        return target.name
    first = places[0]
    if len(places) == 1:
        return f"{target.name}[{first[0] + 1}]" if columns == 1 else f"{target.name}[{first[0] + 1},{first[1] + 1}]"
    if len({i for i, _ in places}) == 1:
        columns_said = ":" if len(places) == columns else f"{first[1] + 1}:{places[-1][1] + 1}"
        return f"{target.name}[{first[0] + 1},{columns_said}]"
    return f"{target.name}[:,{first[1] + 1}]"


MARK = "\0"

_MARKED = late.pattern(rf'"{MARK}([^{MARK}]*){MARK}([0-9]+){MARK}([0-9]+)"')
"""A name of `entry_name` as it is described."""


def entry_name(target: Target, row: int, column: int, span: t.Span | None) -> t.Name:
    """Return a stand-in name for an entry of a target in scalar arithmetic, which no text can hold."""
    i, j = target.cells[row][column]
    return t.Name(f"{MARK}{target.name}{MARK}{i}{MARK}{j}", span=span)


def entries_in(node: t.Node) -> frozenset[str]:
    """Return the quantities whose unwritten entries a formula of matrices uses at one place."""
    names = (item.text for item in walk(node) if isinstance(item, t.Name) and item.text.startswith(MARK))
    return frozenset(name.split(MARK)[1] for name in names)


def described(node: t.Node) -> str:
    """Return a tree as plain text for a message, an entry by the name that sentences give it.

    >>> q = Target("Q", (((0, 0), (0, 1)),))
    >>> described(t.Division(entry_name(q, 0, 1, None), t.Number("2")))
    'Q[1,2]/2'
    """
    return _MARKED.sub(lambda found: f"{found[1]}[{int(found[2]) + 1},{int(found[3]) + 1}]", describe(node))
