"""Statements of tables: one matrix, or a quantity in each column (or row)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from symattn.notation.lexicon.lines import nouns_said
from symattn.notation.statements.chains import Chain, chains
from symattn.notation.statements.composites import CompositeStatement, Part
from symattn.notation.statements.signs import Notation
from symattn.notation.submission import KEYS_BESIDE, QUERIES_BESIDE, SAID_ABOVE, THIS_LINE
from symattn.notation.tables.grids import Cell, Grid, column_groups, has_relation
from symattn.notation.tables.labels import (
    Quantity,
    are_consecutive,
    are_integers,
    are_numbered,
    head_tables,
    index_of,
    is_list,
    is_total,
    label_of,
    letter_of,
    line_of,
    names_a_row,
    names_tokens,
    number_of,
    numbered_line,
    quantity_of,
    quantity_of_head,
    sum_after,
)
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_KEYS = frozenset({"k", "key", "keys"})
_QUERIES = frozenset({"q", "query", "queries"})
_ROWS = frozenset({"token", "query", "row", "output", "position", "input"})
"""Nouns over a column of numbers that number queries."""

_OF_QUERIES = frozenset({"i", "q"})
"""Running letters of queries."""

_WORKINGS = frozenset({
    "working", "work", "workings", "calculation", "computation", "formula", "expression", "steps", "arithmetic", "sum",
    "dot product", "product", "products", "derivation", "how",
})  # fmt: skip
_RESULTS = frozenset({"value", "result", "answer", "rounded", "decimal", "total", "values", "results"})
"""Words over the columns in which an entry is worked out, and over the one that holds its value."""


@dataclass(frozen=True, slots=True)
class TableContents:
    """The contents of a table, in no order: statements, and cells that are words."""

    plans: tuple[CompositeStatement, ...]
    words: tuple[Cell, ...]


def read_table(grid: Grid, text: str, bare: str) -> TableContents:
    """Return the statements of a table.

    Args:
        grid: the table.
        text: what it stands in.
        bare: the same text with blanks for the dollars of tables.
    """
    heads = head_tables(grid)
    if heads:
        return _joined([_Table(part, text, bare, head=head).run() for head, part in heads])
    groups = column_groups(grid)
    return _joined(
        [_Table(part, text, bare, title).run() for title, part in groups] or [_Table(grid, text, bare).run()]
    )


def _joined(tables: list[TableContents]) -> TableContents:
    """Return the contents of several tables, of labels that they share once."""
    plans = {plan.span: plan for table in tables for plan in table.plans}
    words: list[Cell] = []
    for cell in (cell for table in tables for cell in table.words):
        if not any(other.span[0] <= cell.span[0] < other.span[1] for other in words):
            words.append(cell)
    return TableContents(tuple(plans.values()), tuple(words))


def is_matrix_with_labels(grid: Grid, text: str) -> bool:
    """Return True if a table is numbers with labels beside or above them, and nothing else."""
    table = _Table(grid, text, text)
    if not table.rows or not (table.header or table.labels):
        return False
    body = [cell for row in table.rows for cell in row]
    fits = [cell for cell in [*table.header, *table.labels] if cell.kind != "statement"]
    return (
        bool(body) and all(cell.kind == "value" for cell in body) and len(fits) == len(table.header) + len(table.labels)
    )


class _Table:
    """A table split into a header, labels and a body."""

    def __init__(self, grid: Grid, text: str, bare: str, title: Cell | None = None, head: str = "") -> None:
        self.text = text
        self.bare = bare
        self.title = title
        self.head = head
        self.corner: Cell | None = None
        self.header: list[Cell] = []
        self.labels: list[Cell] = []
        self.extra: dict[int, dict[str, int]] = {}
        self.is_unnumbered = False
        self.plans: list[CompositeStatement] = []
        self.words: list[Cell] = []
        self.rows: list[list[Cell]] = [list(row) for row in grid.rows]
        self._take_header(is_marked=grid.header)
        self._take_labels()

    # Taking apart -----------------------------------------------------------------------------------

    def _take_header(self, *, is_marked: bool) -> None:
        first, body = self.rows[0], self.rows[1:]
        if not body:
            return
        kinds = {cell.kind for cell in first[1:]}
        if kinds <= {"empty"} and (first[0].kind != "label" or self.head):
            if is_marked or first[0].kind == "empty":
                self.rows = body
                self.header = first if first[0].kind == "label" else []
            return
        is_labels = kinds <= {"label", "empty"} and "label" in kinds
        if is_labels and (first[0].kind in {"label", "empty"} or are_numbered(first[:1])):
            self.header, self.rows = first, body
        elif first[0].kind in {"label", "empty"} and are_numbered(first[1:]):
            is_row = number_of(first[0].text) is not None and not is_marked
            if not is_row or self._is_numbered_column(body):
                self.header, self.rows = first, body
        elif is_marked and ("label" in kinds or are_numbered(first)):
            self.header, self.rows = first, body

    def _is_numbered_column(self, body: list[list[Cell]]) -> bool:
        return all(number_of(row[0].text) is not None and row[0].kind == "label" for row in body)

    def _take_labels(self) -> None:
        """Take the first column off as labels, where it holds them; further ones that number indices as well."""
        if not self.rows or len(self.rows[0]) < 2:
            return
        column = [label_of(row[0]) if self.header else row[0] for row in self.rows]
        kinds = {cell.kind for cell in column}
        corner = self.header[0] if self.header else None
        is_numbered = corner is not None and self._may_number(corner) and are_integers(column)
        is_numbered = is_numbered or (
            len(self.header) > 2 and all(self._is_index(self.header[column], column) for column in (0, 1))
        )
        if not (kinds <= {"label", "empty"} and "label" in kinds) and not is_numbered:
            return
        self.labels = column
        for row, label in zip(self.rows, column, strict=True):
            if row[0] is not label:
                self._alone(row[0])
        self.corner = corner
        self.rows = [row[1:] for row in self.rows]
        self.header = self.header[1:]
        while len(self.header) > 1 and self._is_index(self.header[0], 0):
            second = index_of(self.header[0].text) or ""
            self.extra = {
                r: {**self.extra.get(r, {}), second: self._number(row[0], r)} for r, row in enumerate(self.rows)
            }
            self.header = self.header[1:]
            self.rows = [row[1:] for row in self.rows]

    def _is_index(self, head: Cell, column: int) -> bool:
        """Return True if a column has the numbers of a running letter; below words every pair has its row."""
        cells = [row[column] for row in self.rows]
        is_index = index_of(head.text) is not None and all(cell.text.isdigit() and len(cell.text) < 4 for cell in cells)
        return is_index and (letter_of(head.text) is not None or self._has_all_pairs())

    def _has_all_pairs(self) -> bool:
        """Return True if the first two columns, or the labels and the first, run through all pairs of numbers."""
        sides = [*([self.labels] if self.labels else []), *zip(*self.rows, strict=True)][:2]
        numbers = [[cell.text for cell in side] for side in sides]
        runs = [list(dict.fromkeys(side)) for side in numbers]
        return list(zip(*numbers, strict=True)) == list(product(*runs)) and all(len(run) > 1 for run in runs)

    def _may_number(self, corner: Cell) -> bool:
        """Return True if a column of whole numbers under this header numbers the rows."""
        if corner.kind == "empty" or letter_of(corner.text) is not None or corner.text.strip() in {"#", "n", "idx"}:
            return True
        return corner.kind == "label" and quantity_of(corner, self.text) is None

    @staticmethod
    def _number(cell: Cell, position: int) -> int:
        found = number_of(cell.text)
        return position + 1 if found is None else found[1]

    # What it says -------------------------------------------------------------------------------------

    def run(self) -> TableContents:
        top = [cell for cell in [self.corner, *self.header] if cell is not None and cell.kind == "label"]
        if top:
            self.words.append(
                Cell((top[0].span[0], top[-1].span[1]), "label", "plain", "", (top[0].whole[0], top[-1].whole[1]))
            )
        for cell in self.header:
            if cell.kind in {"statement", "value"} and "=" in cell.text:
                self._alone(cell)
        body = [cell for row in self.rows for cell in row]
        self.words.extend(cell for cell in body if cell.kind == "label")
        above = self._quantities_above()
        is_of_tokens = names_tokens(self.corner)
        lines = [cell for cell in self.labels if not is_total(cell)]
        are_numbered_lines = len(lines) > 1 and all(number_of(cell.text) is not None for cell in lines)
        beside = [
            None if is_of_tokens or (are_numbered_lines and is_total(cell)) else self._quantity(cell)
            for cell in self.labels
        ]
        if any(beside):
            beside = [
                name or numbered_line(cell, row) for name, cell, row in zip(beside, self.labels, self.rows, strict=True)
            ]
        entries = sum(name is not None and name.is_explicit for name in beside)
        if self.title is not None:
            self._as_matrix()
        elif self._names_lines(above, self.header, self.labels) and 2 * entries <= len(beside):
            self._by_columns(above)
        elif self._names_lines(beside, self.labels, self.header):
            self._turn()
            self._by_columns(beside)
        else:
            self._as_matrix()
        return TableContents(tuple(replace(plan, head=self.head) for plan in self.plans), tuple(self.words))

    def _quantities_above(self) -> list[Quantity | None]:
        """Return the quantity of each column; sums beside the columns of one matrix are none of their own."""
        found = [
            self._quantity(cell) or line_of(cell, [row[column] for row in self.rows])
            for column, cell in enumerate(self.header)
        ]
        others = [(name, cell) for name, cell in zip(found, self.header, strict=True) if not is_total(cell)]
        is_matrix = len(others) > 1 and not self._names_lines(
            [name for name, _ in others], [cell for _, cell in others], self.labels
        )
        return [None if is_matrix and is_total(cell) else name for name, cell in zip(found, self.header, strict=True)]

    def _quantity(self, cell: Cell) -> Quantity | None:
        """Return the quantity that a label names, that of a head in a table of it."""
        of_head = quantity_of_head(cell) if self.head else None
        return of_head.without_head if of_head is not None else quantity_of(cell, self.text)

    def _names_lines(self, found: Sequence[Quantity | None], cells: list[Cell], across: list[Cell]) -> bool:
        """Return True if labels name quantities, and do not only number the lines of one."""
        if not any(found):
            return False
        numbered = [number_of(cell.text) for cell in cells]
        words = {item[0] for item in numbered if item is not None}
        if all(numbered) and len(words) == 1 and len(cells) > 1:
            word = words.pop()
            two_digits = all(item is not None and item[1] > 10 for item in numbered)
            return two_digits or (names_a_row(word) and cells is self.labels and (not across or are_numbered(across)))
        return True

    def _turn(self) -> None:
        """Transpose the table."""
        self.rows = [list(column) for column in zip(*self.rows, strict=True)]
        self.header, self.labels = self.labels, self.header
        self.extra = {}

    # A quantity in each column ----------------------------------------------------------------------

    def _by_columns(self, names: Sequence[Quantity | None]) -> None:
        kept = self._numbered_rows(names)
        letter = index_of(self.corner.text) if self.corner is not None else None
        by_pair = letter in _OF_QUERIES and bool(self.extra)
        letters = {item for name in names if name is not None for item in name.letters}
        known = set().union(*(found.keys() for found in self.extra.values())) if self.extra else set()
        rest = letters - known
        if letter is None or letter not in letters:
            letter = next(iter(rest)) if len(rest) == 1 else "i" if by_pair else None
        numbers = {
            r: {**self.extra.get(r, {}), **({} if letter is None else {letter: number})} for r, number in kept.items()
        }
        patterns = [] if letter is None else [n.pattern(letter) for n in names if n is not None]
        found = {pattern for pattern in patterns if pattern is not None}
        is_by_query = len(found) > 1
        pattern = found.pop() if len(found) == 1 else None
        if is_by_query and self.header:
            befores = (None, *names[:-1])
            names = [
                sum_after(before, cell) if name is None and is_total(cell) else name
                for name, before, cell in zip(names, befores, self.header, strict=True)
            ]
        for column, name in enumerate(names):
            cells = [row[column] for row in self.rows]
            for r, cell in enumerate(cells):
                if name is None or r not in kept:
                    total = None if name is None or is_by_query else self._total(r, cell, name)
                    self._cell(cell, total, cell.span if name is None else name.span)
            if name is not None:
                shown = {r: cell for r, cell in enumerate(cells) if r in kept}
                indices = None if pattern is None or letter is None else (pattern, letter)
                self._column(name, shown, numbers, kept, indices, is_by_query=is_by_query)

    def _total(self, row: int, cell: Cell, name: Quantity) -> t.Node | None:
        """Return the name of the sum below a column; None where that names nothing: weights sum to 1."""
        made = {"exponentials": "row sums", "products": "output"}.get(_text_of(name.plain))
        is_sum = row < len(self.labels) and is_total(self.labels[row]) and cell.kind == "value"
        return t.Name(made, "text") if made is not None and is_sum else None

    def _says_roundings(self) -> bool:
        """Return True if the rows are one quantity in several roundings, ``exact`` and ``rounded at the end``."""
        words = [cell.text.lower() for cell in self.labels]
        return len(words) > 1 and all("round" in text or "exact" in text for text in words)

    def _show_working(self, filled: dict[int, Cell]) -> bool:
        """Return True if the cells of an entry are its working and its value: ``entry | working | value``."""
        heads = [self.labels[r].text.lower().strip(" :=$*") for r in filled if r < len(self.labels)]
        stated = [self._chain(cell) for cell in filled.values()]
        is_plain = len(heads) == len(filled) > 1 and not any(item is not None and item[0].operators for item in stated)
        return is_plain and heads[-1] in _RESULTS and all(head in _WORKINGS for head in heads[:-1])

    def _worked_out(self, cells: list[Cell], name: Quantity) -> None:
        """Add a chain of cells side by side: the entry, its working, its value."""
        is_latex = any(cell.notation == "latex" for cell in cells)
        starts = [cell.span[0] for cell in cells[1:]]
        chain = Chain(
            tuple(cell.span for cell in cells), ("=",) * len(starts), tuple((start, start) for start in starts)
        )
        notation: Notation = "latex" if is_latex else "plain"
        self.plans.append(CompositeStatement(chain=chain, notation=notation, name=name.node, name_span=name.span))

    def _numbered_rows(self, names: Sequence[Quantity | None]) -> dict[int, int]:
        """Return the number of each numbered row; rows with other words, ``sum``, have none where others have.

        The number of a row alone is that of the queries in its names.
        """
        found = [number_of(cell.text) for cell in self.labels]
        if not self.labels or not any(found):
            queries = {number for name in names if name is not None for number in name.queries}
            self.is_unnumbered = len(self.rows) == 1 and len(queries) != 1
            first = queries.pop() if len(self.rows) == len(queries) == 1 else 1
            sums = {r for r, cell in enumerate(self.labels) if is_total(cell)}
            sums = sums if len(sums) + 1 < len(self.labels) else set()
            return {r: r + first for r in range(len(self.rows)) if r not in sums}
        return {r: item[1] for r, item in enumerate(found) if item is not None}

    def _column(
        self,
        name: Quantity,
        cells: dict[int, Cell],
        numbers: dict[int, dict[str, int]],
        kept: dict[int, int],
        indices: tuple[tuple[str, ...], str] | None,
        *,
        is_by_query: bool,
    ) -> None:
        filled = {r: cell for r, cell in cells.items() if cell.kind == "value"}
        for r, cell in cells.items():
            if r not in filled:
                self._alone(cell)
        if (name.is_explicit or name.is_one_line) and self._show_working(filled):
            self._worked_out(list(filled.values()), name)
            return
        is_shown_again = name.is_one_line and self._says_roundings()
        has_lists = any(is_list(cell) for cell in filled.values())
        is_full = len(filled) == len(cells)
        named = {r: name.at(numbers[r]) for r in filled}
        plain = name.plain
        nodes: dict[int, t.Node | None] = {}
        if name.is_one_line and filled and is_full and not is_shown_again and not has_lists:
            self._vector(list(filled.values()), name.node, name.span)
            return
        if name.is_explicit or is_shown_again:
            nodes = dict.fromkeys(filled, name.node if len(filled) == 1 else None)
        elif None not in named.values():
            nodes = named
        elif plain is not None and not has_lists and not name.is_sum and all(len(numbers[r]) == 2 for r in filled):
            pairs = {r: sorted(numbers[r].items(), key=lambda item: item[0] not in _OF_QUERIES) for r in filled}
            nodes = {r: t.Subscript(plain, tuple(t.Number(str(n)) for _, n in pair)) for r, pair in pairs.items()}
        elif plain is not None and (has_lists or name.is_sum):
            lines = {r: t.Subscript(plain, (t.Number(str(kept[r])),)) for r in filled}
            if not has_lists:
                is_each = is_by_query or (self.corner is not None and _says_query(self.corner.text))
                nodes = {r: line for r, line in lines.items() if is_each}
            else:
                is_only_one = len(filled) == 1 < len(cells) or self.is_unnumbered
                nodes = {r: plain if is_only_one else lines[r] for r, cell in filled.items() if is_list(cell)}
        elif plain is not None and indices is not None:
            nodes = {r: t.Subscript(plain, _chosen(*indices, kept[r])) for r in filled}
        elif plain is not None and not is_by_query and is_full and len(filled) > 1:
            self._vector(list(filled.values()), t.Subscript(plain, (THIS_LINE,)), name.span)
            return
        for r, cell in filled.items():
            self._cell(cell, nodes.get(r), name.span)

    # One matrix ---------------------------------------------------------------------------------------

    def _as_matrix(self) -> None:
        """Read the cells numbered in both directions, or all of them, as a matrix; others are lone numbers."""
        across = [number_of(cell.text) for cell in self.header]
        down = [number_of(cell.text) for cell in self.labels]
        sums = [r for r, cell in enumerate(self.labels) if is_total(cell)]
        totals = [c for c, cell in enumerate(self.header) if is_total(cell)]
        columns = [
            c
            for c in range(len(self.rows[0]) if self.rows else 0)
            if c not in totals and (not any(across) or across[c])
        ]
        rows = [r for r in range(len(self.rows)) if r not in sums and (not any(down) or down[r])]
        if self.head and len(self.header) == 1:
            self._column_of_head([self.rows[r][0] for r in rows], [down[r] if down else None for r in rows])
            return
        block = [[self.rows[r][c] for c in columns] for r in rows]
        flat = [cell for row in block for cell in row]
        inside = {id(cell) for cell in flat}
        summed = self._sums(rows, totals)
        inside.update(map(id, summed))
        for row in self.rows:
            for cell in row:
                if id(cell) not in inside:
                    self._alone(cell)
        values = [cell for cell in flat if cell.kind == "value"]
        if len(values) < 2 or 2 * len(values) < len(flat) or any(cell.kind in {"label", "statement"} for cell in flat):
            for cell in flat:
                self._alone(cell)
            return
        kept = [item[1] for item in (down[r] for r in rows if down) if item is not None]
        is_partial = bool(kept) and any(across) and not are_consecutive(kept)
        if is_partial:
            for number, row in zip(kept, block, strict=True):
                self._vector(row, t.Subscript(SAID_ABOVE, (t.Number(str(number)),)), row[0].span)
            return
        self._matrix(block)

    def _sums(self, rows: list[int], totals: list[int]) -> list[Cell]:
        """Read a column of sums beside exponentials, and return its cells; other sums are no quantity."""
        cells = [self.rows[r][totals[0]] for r in rows] if len(totals) == 1 else []
        corner = None if self.corner is None else self._corner_name(self.corner)
        is_known = corner is not None and _text_of(corner[0]) == "exponentials"
        if not is_known or len(cells) < 2 or any(cell.kind != "value" for cell in cells):
            return []
        self._vector(cells, t.Name("row sums", "text"), self.header[totals[0]].span)
        return cells

    def _column_of_head(self, cells: list[Cell], numbers: Sequence[tuple[str, int] | None]) -> None:
        """Read the cells below a head as rows of the quantity above, or as one row of it, where they are numbered."""
        if not any(map(is_list, cells)) and not {item[0].lower() for item in numbers if item is not None} & _QUERIES:
            self._vector(cells, t.Subscript(SAID_ABOVE, (THIS_LINE,)), cells[0].span)
            return
        for cell, number in zip(cells, numbers, strict=True):
            index = t.Number(str(number[1])) if number is not None and is_list(cell) else None
            name = None if index is None else t.Subscript(SAID_ABOVE, (index,))
            self._cell(cell, name, cell.span)

    def _matrix(self, block: list[list[Cell]]) -> None:
        parts: list[tuple[Part, ...]] = []
        reason, at = "", 0
        for r, row in enumerate(block):
            line: list[Part] = []
            last = max((c for c, cell in enumerate(row) if cell.kind == "value"), default=0)
            for c, cell in enumerate(row):
                if cell.kind == "empty" and not cell.text and c < last and not reason:
                    reason, at = f"Row {r + 1} of the table has an empty cell: write a number in each.", cell.whole[0]
                line.append(self._entry(cell))
            parts.append(tuple(line))
        corner = None if self.corner is None else self._corner_name(self.corner)
        corner = corner if self.title is None else self._title_name(self.title)
        name, span = (None, parts[0][0].span) if corner is None else corner
        beside = self._said_by_labels()
        if beside is not None:
            name = t.Subscript(name or SAID_ABOVE, (beside,), span=None if name is None else name.span)
        self.plans.append(CompositeStatement(tuple(parts), name=name, name_span=span, reason=reason, at=at))

    def _said_by_labels(self) -> t.Node | None:
        """Return which way queries and keys run, where labels say it."""
        down, across = (
            {found[0].lower() for cell in cells if (found := number_of(cell.text)) is not None}
            for cells in (self.labels, self.header)
        )
        if not down or not across:
            return None
        if down <= _KEYS and across <= _QUERIES:
            return KEYS_BESIDE
        return QUERIES_BESIDE if down <= _QUERIES and across <= _KEYS else None

    def _corner_name(self, corner: Cell) -> tuple[t.Node, t.Span] | None:
        """Return the quantity that the corner of a table names, with its running letters left out."""
        found = quantity_of(corner, self.text)
        if found is None or found.plain is None or isinstance(found.node, t.Product | t.Power | t.Call | t.Division):
            return None
        return found.plain, found.span

    def _title_name(self, title: Cell) -> tuple[t.Node, t.Span]:
        """Return the quantity of a title above several columns, or its words."""
        found = quantity_of_head(title) or quantity_of(title, self.text)
        plain = None if found is None else found.plain
        return (t.Name(title.text, "text"), title.span) if found is None or plain is None else (plain, found.span)

    def _vector(self, cells: list[Cell], name: t.Node, span: t.Span) -> None:
        parts = tuple(self._entry(cell) for cell in cells)
        self.plans.append(CompositeStatement((parts,), name=name, name_span=span, vector=True))

    def _entry(self, cell: Cell) -> Part:
        """Return a cell as the entry of a list: the last side of its chain."""
        if cell.kind == "empty":
            return Part(cell.whole, None)
        found = self._chain(cell)
        if found is None or not found[0].operators or found[0].sides[-1] is None:
            return Part(cell.span, cell.notation)
        self._alone(cell)
        return Part(found[0].sides[-1], cell.notation)

    # Cells --------------------------------------------------------------------------------------------

    def _chain(self, cell: Cell) -> tuple[Chain, Notation] | None:
        if not has_relation(cell):
            return None
        found = chains(self.bare, *cell.span, [])
        if len(found) == 1 and found[0].sides[0] is not None:
            return found[0], cell.notation
        return None

    def _alone(self, cell: Cell) -> None:
        """Add a cell as a statement by itself: numbers that nothing names, or a relation of its own."""
        if cell.kind not in {"value", "statement"}:
            return
        found = chains(self.bare, *cell.span, []) if has_relation(cell) else []
        if not found:
            found = [Chain((cell.span,))]
        self.plans.extend(CompositeStatement(chain=chain, notation=cell.notation) for chain in found)

    def _cell(self, cell: Cell, name: t.Node | None, span: t.Span) -> None:
        """Add a cell as the value of a name."""
        found = self._chain(cell)
        if name is None or (found is None and "=" in cell.text):
            self._alone(cell)
            return
        chain = Chain((cell.span,)) if found is None else found[0]
        self.plans.append(CompositeStatement(chain=chain, notation=cell.notation, name=name, name_span=span))


def _text_of(node: t.Node | None) -> str:
    return node.text if isinstance(node, t.Name) else ""


def _says_query(text: str) -> bool:
    return bool(nouns_said(text) & _ROWS or {"q", "i"} & {*text.lower().replace("$", " ").split()})


def _chosen(pattern: tuple[str, ...], letter: str, number: int) -> tuple[t.Node, ...]:
    return tuple(t.Number(str(number) if index == letter else index) for index in pattern)
