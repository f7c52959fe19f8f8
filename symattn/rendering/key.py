"""From a worked layer to the document of its key: what each part asks, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from string import ascii_lowercase

from symattn.attention.cautions import differing
from symattn.attention.layer import Layer
from symattn.attention.pattern import Pattern
from symattn.attention.statements import Detail, Shown, Statements
from symattn.derivation.scene import Entry, Line
from symattn.derivation.statement import Statement
from symattn.errors import InputError
from symattn.exact.rounding import Rounding, format_rational
from symattn.notation import tree as t
from symattn.problem.model import Part, Problem
from symattn.rendering import conventions, diagram, discussion, identities
from symattn.rendering.document import Block, Document, Ledger, Section
from symattn.rendering.latex import display, escape, grid, math, table, table_width
from symattn.rendering.measure import LINE, width

_MATRIX_LIMITS = (8, 7, 6, 5, 4)
_MANY = 36
_FEW = Shown(4)
_TITLES = {
    "projections": "Queries, keys and values",
    "scores": "Scores",
    "map": "Attention map",
    "outputs": "Outputs",
    "diagram": "Diagram",
    "pattern": "Pattern",
    "shapes": "Matrix form and dimensions",
    "entry": "Entries of the score matrix",
    "row": "Rows of the output",
    "prose": "Discussion",
}
_NAMES = {"Q": "Queries", "K": "Keys", "V": "Values"}
_DEFAULT_PARTS = ("projections", "scores", "map", "outputs", "diagram", "pattern")


def key_document(layer: Layer, pattern: Pattern | None, detail: Detail = "full", line: float = LINE) -> Document:
    """The document of a worked answer key, for lines of a width in points.

    Raises:
        InputError: a part asks for what this layer does not have (a theorem, an order of symbolic weights).
    """
    return _Key(layer, pattern, detail, line).document()


class _Key:
    def __init__(self, layer: Layer, pattern: Pattern | None, detail: Detail, line: float) -> None:
        self.line = line
        self.layer = layer
        self.problem: Problem = layer.problem
        self.pattern = pattern
        self.detail = detail
        self.write = Statements(layer, detail)
        self.ledger = Ledger()
        self.shown: set[str] = set()
        self.steps = 0
        self.left_out = False

    def document(self) -> Document:
        header = conventions.header(self.layer, self.write, self.ledger)
        given = conventions.given(self.layer, self.write, self.ledger, self.line)
        parts = self.problem.parts or tuple(Part(asks=(asks,)) for asks in self._default_asks())
        sections = tuple(self._section(number, part) for number, part in enumerate(parts))
        return Document(
            title=escape(self.problem.title) or "Attention by hand",
            intro=escape(self.problem.text),
            points=points_text(self.problem.points),
            conventions=tuple(header),
            given=tuple(given),
            sections=sections,
            ledger=self.ledger,
            foot=conventions.foot(self.layer),
        )

    def _default_asks(self) -> Iterable[str]:
        for asks in _DEFAULT_PARTS:
            if asks == "projections" and self.problem.kind == "given":
                continue
            if asks in {"diagram", "pattern"} and self.pattern is None:
                continue
            yield asks

    def _section(self, number: int, part: Part) -> Section:
        if part.theorems:
            raise InputError(
                f"Part {number + 1} asks for the proof of {part.theorems[0]!r}, and no theorem of that name is known: "
                "leave it out of asks."
            )
        blocks: list[Block] = []
        makers: dict[str, Callable[[Part], list[Block]]] = {
            "projections": self._projections,
            "scores": self._scores,
            "map": self._map,
            "outputs": self._outputs,
            "diagram": self._diagram,
            "pattern": self._pattern,
            "shapes": self._shapes,
            "entry": self._entry,
            "row": self._row,
            "prose": self._prose,
        }
        for asks in part.asks:
            blocks.extend(makers[asks](part))
        label = ascii_lowercase[number] if number < len(ascii_lowercase) else str(number + 1)
        title = escape(part.title) or _TITLES[part.asks[0]]
        return Section(label, title, escape(part.text), points_text(part.points), tuple(blocks))

    # What a part asks ------------------------------------------------------------------------------

    def _projections(self, _: Part) -> list[Block]:
        return [block for name in "QKV" for block in self._projection(name)]

    def _projection(self, name: str) -> list[Block]:
        if self.problem.kind == "given" or name in self.shown:
            return []
        self.shown.add(name)
        step = self._step(_NAMES[name])
        if self._by_vectors(name):
            count = self.layer.exact(name).shape[0 if self.problem.tokens == "rows" else 1]
            numbers = [number for number in Shown(6).numbers(count) if number is not None]
            return [
                step,
                self._grid([self.write.line(name, number) for number in numbers]),
                *self._note(count > 6),
            ]
        blocks = [step, self._whole(name)]
        if self.detail != "brief":
            blocks.extend(self._entries(name))
        return blocks

    def _by_vectors(self, name: str) -> bool:
        """Whether the sheet defines the projection one token at a time, and its vectors have names."""
        quantities = self.layer.scene.quantities
        source = {"self": "X"}.get(self.problem.kind, "")
        has_lines = bool(source) and all(quantities[item].line_symbol is not None for item in (name, source))
        return self.problem.projection in {"W x", "W^T x"} and has_lines

    def _scores(self, part: Part) -> list[Block]:
        blocks = [*self._projection("Q"), *self._projection("K")]
        if "S" in self.shown:
            return blocks
        self.shown.add("S")
        blocks.append(self._step("Scores"))
        has_lines = all(self.layer.scene.quantities[name].line_symbol is not None for name in "QK")
        if part.tokens and has_lines:
            pairs = [self._place(i, j) for i in part.tokens for j in self._key_numbers()]
            blocks.append(self._grid([self.write.dot_product(*pair) for pair in pairs]))
        else:
            blocks.append(self._whole("S"))
            if self.detail != "brief":
                blocks.extend(self._entries("S", part.tokens))
        blocks.extend(self._scaled())
        return blocks

    def _scaled(self) -> list[Block]:
        if self.layer.logits == "S":
            return []
        self.shown.add("S_scaled")
        return [self._step("Scaled scores"), self._whole("S_scaled")]

    def _map(self, part: Part) -> list[Block]:
        blocks = self._scores(part)
        self.shown.add("A")
        if self.layer.is_shifted:
            blocks.extend(self._shift())
        title = (
            "Exponentials, row sums and weights"
            if self.layer.axis == "rows"
            else "Exponentials, column sums and weights"
        )
        blocks.append(self._step(title))
        lines = self._lines(part)
        blocks.extend(self._softmax_table(lines, part))
        if self.detail != "brief" or self.write.valuation("A") == "exact":
            blocks.extend(self._softmax_lines(lines))
        if not part.tokens:
            blocks.extend(self._result("A"))
        return blocks

    def _shift(self) -> list[Block]:
        title = "Row maxima subtracted" if self.layer.axis == "rows" else "Column maxima subtracted"
        count = self.layer.exact("m").shape[0]
        numbers = [number for number in Shown(8).numbers(count) if number is not None]
        maxima = self._grid([self.write.entry("m", number) for number in numbers])
        return [
            self._step(title),
            maxima,
            self._display(self._fitting(lambda shown: self.write.values("shifted", shown))),
        ]

    def _lines(self, part: Part) -> list[int]:
        count = self.layer.exact("Z").shape[0]
        if part.tokens:
            return list(part.tokens)
        return [number for number in Shown(8).numbers(count) if number is not None]

    def _softmax_table(self, lines: list[int], part: Part) -> list[Block]:
        if self.write.valuation("A") == "exact":
            return []
        rows = [self._table_row(line) for line in lines]
        index = "i" if self.layer.axis == "rows" else "j"
        quantities = self.layer.scene.quantities
        keys = self._key_numbers()
        word = "row" if self.layer.axis == "rows" else "column"
        logits = quantities["shifted" if self.layer.is_shifted else self.layer.logits]
        header = [f"{word} ${index}$"]
        header.extend(f"${math(t.Power(t.Name('e'), self._running(logits.entry_symbol, key)))}$" for key in keys)
        header.append(f"${math(t.Subscript(quantities['Z'].entry_symbol, (t.Name(index),)))}$")
        header.extend(f"${math(self._running(quantities['A'].entry_symbol, key))}$" for key in keys)
        if table_width(header, rows) + 40.0 > self.line:
            return self._softmax_entries(lines) if part.tokens else self._softmax_matrices()
        for row in rows:
            for item in row:
                if isinstance(item, Statement):
                    self.ledger.state(item)
        columns = "c@{\\qquad}" + "c" * len(keys) + "@{\\qquad}c@{\\qquad}" + "c" * len(keys)
        return [Block("lines", tuple(table(header, rows, columns, self.line)))]

    def _running(self, symbol: t.Node, key: int) -> t.Node:
        number = t.Number(str(key))
        pair: tuple[t.Node, t.Node] = (t.Name("i"), number) if self.layer.axis == "rows" else (number, t.Name("j"))
        return t.Subscript(symbol, (t.Product(pair, ("",)),))

    def _table_row(self, line: int) -> list[Statement | str]:
        places = [self._place(line, key) for key in self._key_numbers()]
        row: list[Statement | str] = [str(line)]
        row.extend(self.write.exponential_cell(*place) for place in places)
        row.append(self._z_cell(line))
        row.extend(self._weight_cell(place) for place in places)
        return row

    def _z_cell(self, line: int) -> Statement | str:
        target, valuation = Entry("Z", line, 1), self.write.valuation("Z")
        if valuation == "end" and not self.write.is_short(target, valuation):
            return "--"
        return self.write.value_cell(target)

    def _weight_cell(self, place: tuple[int, int]) -> Statement | str:
        value = self.layer.scene.quantities["A"].carried[place[0] - 1][place[1] - 1]
        if value is None:
            return "--"
        return self.write.value_cell(Entry("A", *place))

    def _softmax_entries(self, lines: list[int]) -> list[Block]:
        """Where a table of a few rows would be too wide: each exponential by its name."""
        keys = self._key_numbers() if len(lines) * self.problem.n_k <= _MANY else self._few_keys()
        return [
            self._grid([self.write.entry("E", *self._place(line, key)) for line in lines for key in keys], len(keys))
        ]

    def _softmax_matrices(self) -> list[Block]:
        """Where a table would be too wide: the exponentials as a matrix, then the sums."""
        valuation = self.write.valuation("E")
        keys = self._key_numbers()
        places = [self._place(line, key) for line in range(1, self.problem.n_q + 1) for key in keys]
        if valuation == "end" and not all(self.write.is_short(Entry("E", *place), valuation) for place in places):
            return []
        return [self._display(self._fitting(lambda shown: self.write.values("E", shown)))]

    def _softmax_lines(self, lines: list[int]) -> list[Block]:
        blocks = [self._grid([self.write.entry("Z", line) for line in lines])]
        keys = self._key_numbers() if len(lines) * len(self._key_numbers()) <= _MANY else self._few_keys()
        places = [self._place(line, key) for line in lines for key in keys]
        defined = [place for place in places if self._is_defined("A", *place)]
        if defined:
            blocks.append(self._grid([self.write.entry("A", *place) for place in defined], len(keys)))
        undefined = [line for line in lines if not self._is_defined("A", *self._place(line, 1))]
        blocks.extend(self._undefined(line) for line in undefined)
        return blocks

    def _undefined(self, line: int) -> Block:
        word = "row" if self.layer.axis == "rows" else "column"
        keys = self._key_numbers() if len(self._key_numbers()) <= _MANY else self._few_keys()
        intro = (
            f"The sum of {word} {line} rounds to 0, so its rounded weights are undefined;",
            "subtract the maximum first or take more places. Exactly, rounded once:",
        )
        return self._rounded_once(intro, [Entry("A", *self._place(line, key)) for key in keys])

    def _rounded_once(self, intro: Iterable[str], entries: list[Entry]) -> Block:
        """Entries whose rounded value is undefined, exactly and rounded once, in a sentence."""
        lines = list(intro)
        ends = [self._stated(self.write.rounded_once(entry)) for entry in entries]
        for position, item in enumerate(ends):
            lines.extend(conventions.inline_line(item, "." if position == len(ends) - 1 else ","))
        return Block("prose", tuple(lines))

    def _outputs(self, part: Part) -> list[Block]:
        blocks = [*self._projection("V")]
        if "A" not in self.shown:
            blocks.extend(self._map(part))
        blocks.append(self._step("Outputs"))
        if (
            part.tokens
            and self.layer.scene.quantities["V"].line_symbol
            and self.layer.scene.quantities["O"].line_symbol
        ):
            lines = [token for token in part.tokens if self._line_defined(token)]
            blocks.extend(self._display(self.write.weighted_sum(token)) for token in lines)
        elif self.detail == "brief" and self.write.valuation("O") != "exact":
            blocks.extend(self._result("O"))
        else:
            blocks.extend(self._output_entries(part.tokens))
            blocks.extend(self._result("O"))
        if self.problem.policy.steps and self.write.valuation("O") == "carried":
            blocks.extend(self._comparison())
        return blocks

    def _output_entries(self, tokens: tuple[int, ...]) -> list[Block]:
        places = self._places("O", tokens)
        if self.problem.policy.steps:
            items = [self.write.entry("O", *place) for place in places if self._is_defined("O", *place)]
        else:
            closed = [self.write.closed_output(*place) for place in places]
            is_narrow = all(width(item.written) <= self.line for item in closed)
            items = closed if is_narrow else [self.write.entry("O", *place) for place in places]
            if is_narrow and self.detail == "every-product":
                items = [
                    item
                    for place in places
                    for item in (self.write.entry("O", *place), self.write.closed_output(*place))
                ]
        is_short = len(places) < _size(self.layer.exact("O").shape) and not tokens
        blocks = [self._grid(items, _row_length(places))] if items else []
        undefined = [Entry("O", *place) for place in places if not self._is_defined("O", *place)]
        if undefined:
            intro = ["Outputs of undefined weights are undefined too. Exactly, rounded once:"]
            blocks.append(self._rounded_once(intro, undefined))
        return [*blocks, *self._note(is_short)]

    def _comparison(self) -> list[Block]:
        """The answer of the policy beside the answer rounded once, where they differ."""
        blocks: list[Block] = []
        for name in ("A", "O"):
            changed = differing(self.layer, name)[:12]
            if not changed:
                continue
            rows: list[list[Statement | str]] = []
            for title, valuation in (
                ("rounded at the steps (this sheet)", "carried"),
                ("rounded once at the end", "end"),
            ):
                row: list[Statement | str] = [title]
                row.extend(
                    self._stated(
                        self.write.value_cell(Entry(name, i, j), "carried" if valuation == "carried" else "end")
                    )
                    for i, j in changed
                )
                rows.append(row)
            per_table = 6
            for start in range(0, len(changed), per_table):
                pieces = changed[start : start + per_table]
                header = [
                    "",
                    *(f"${math(self.layer.scene.reference(Entry(name, i, j)))}$" for i, j in pieces),
                ]
                part_rows = [[row[0], *row[1 + start : 1 + start + len(pieces)]] for row in rows]
                blocks.append(Block("lines", tuple(table(header, part_rows, "l" + "c" * len(pieces), self.line))))
        if blocks:
            text = "Where rounding at the steps changes the answer, both answers are given:"
            return [Block("note", (text,)), *blocks]
        return []

    def _diagram(self, _: Part) -> list[Block]:
        self._need_pattern("diagram")
        if self.pattern is None:
            return []
        return diagram.blocks(self.layer, self.pattern, self.ledger, self.line)

    def _pattern(self, part: Part) -> list[Block]:
        self._need_pattern("pattern")
        if self.pattern is None:
            return []
        return discussion.blocks(self.layer, self.pattern, self.ledger, part.tokens)

    def _need_pattern(self, asks: str) -> None:
        if self.pattern is None:
            symbols = ", ".join(sorted(self.layer.exact(self.layer.logits).symbols))
            raise InputError(
                f"A part asks for the {asks}, and the order of the weights depends on {symbols}: "
                f'give it a value under [symbols], e.g. {symbols.split(", ")[0]} = "3/2".'
            )

    def _shapes(self, _: Part) -> list[Block]:
        return identities.shapes(self.layer, self.ledger, self.line)

    def _entry(self, _: Part) -> list[Block]:
        return identities.score_entry(self.layer, self.ledger)

    def _row(self, _: Part) -> list[Block]:
        return identities.output_row(self.layer, self.ledger)

    def _prose(self, part: Part) -> list[Block]:
        answer = escape(part.answer)
        return [Block("prose", (answer,))] if answer else []

    # Pieces ----------------------------------------------------------------------------------------

    def _step(self, title: str) -> Block:
        self.steps += 1
        return Block("step", title=title, number=self.steps)

    def _stated(self, statement: Statement) -> Statement:
        return self.ledger.state(statement)

    def _display(self, statement: Statement) -> Block:
        return Block("lines", tuple(display(self._stated(statement), self.line)))

    def _grid(self, items: list[Statement], per_row: int = 0) -> Block:
        for item in items:
            self._stated(item)
        return Block("lines", tuple(grid(items, per_row, self.line)))

    def _whole(self, name: str) -> Block:
        if not self.write.is_defined(name):
            return Block("lines")
        return self._display(self._fitting(lambda shown: self.write.whole(name, shown)))

    def _result(self, name: str) -> list[Block]:
        if not self.write.is_defined(name) or self.write.valuation(name) == "exact":
            return []
        statement = self._fitting(lambda shown: self.write.values(name, shown))
        return [self._display(_boxed(statement)), *self._note(_has_dots(statement.written))]

    def _fitting(self, make: Callable[[Shown], Statement]) -> Statement:
        """The statement with as much of its matrices as a line can hold."""
        for limit in _MATRIX_LIMITS:
            statement = make(Shown(limit))
            if all(width(side) <= self.line - 60 for side in statement.sides):
                return statement
        return make(Shown(_MATRIX_LIMITS[-1]))

    def _entries(self, name: str, tokens: tuple[int, ...] = ()) -> list[Block]:
        places = self._places(name, tokens)
        items = [self.write.entry(name, *place) for place in places]
        return [
            self._grid(items, _row_length(places)),
            *self._note(len(places) < _size(self.layer.exact(name).shape) and not tokens),
        ]

    def _places(self, name: str, tokens: tuple[int, ...] = ()) -> list[tuple[int, int]]:
        rows, columns = self.layer.exact(name).shape
        by_rows = self.problem.tokens == "rows" or name == "A"
        lines = list(tokens) or None
        shown = Shown(max(rows, columns)) if rows * columns <= _MANY else _FEW
        across = [number for number in shown.numbers(columns) if number is not None]
        down = [number for number in shown.numbers(rows) if number is not None]
        if lines is not None:
            down, across = (lines, across) if by_rows else (down, lines)
        return [(i, j) for i in down for j in across]

    def _note(self, is_left_out: bool) -> list[Block]:  # noqa: FBT001 - a question, not a switch
        if not is_left_out or self.left_out:
            return []
        self.left_out = True
        return [
            Block(
                "note",
                ("Dots, and entries not shown, leave out the middle of large matrices; none of it is rounded away.",),
            )
        ]

    def _place(self, line: int, key: int) -> tuple[int, int]:
        return (line, key) if self.layer.axis == "rows" else (key, line)

    def _key_numbers(self) -> list[int]:
        return list(range(1, self.problem.n_k + 1))

    def _few_keys(self) -> list[int]:
        return [key for key in _FEW.numbers(self.problem.n_k) if key is not None]

    def _is_defined(self, name: str, row: int, column: int) -> bool:
        return (
            self.write.valuation(name) != "carried"
            or self.layer.scene.quantities[name].carried[row - 1][column - 1] is not None
        )

    def _line_defined(self, token: int) -> bool:
        places = self.layer.scene.places(Line("O", token), token)
        return all(self._is_defined("O", *place) for place in places)


def _boxed(statement: Statement) -> Statement:
    """The same statement with its last side in a box, the answer."""
    chain = statement.written
    if not isinstance(chain, t.Relation) or chain.sides[-1] is None:
        return statement
    written = t.Relation((*chain.sides[:-1], t.Boxed(chain.sides[-1])), chain.operators)
    return Statement(statement.subject, written, statement.valuation, statement.rounding, statement.ranges)


def _row_length(places: list[tuple[int, int]]) -> int:
    """How many of the places stand in the first row."""
    return sum(place[0] == places[0][0] for place in places)


def _has_dots(node: t.Node) -> bool:
    return isinstance(node, t.Dots) or any(_has_dots(child) for child in t.children(node))


def _size(shape: tuple[int, int]) -> int:
    return shape[0] * shape[1]


def points_text(points: Fraction | int | None) -> str:
    """Points as a sheet prints them: a whole number, or halves and the like as decimals.

    >>> points_text(Fraction(5, 2)), points_text(None)
    ('2.5', '')
    """
    return "" if points is None else format_rational(Fraction(points), Rounding(figures=6)).rstrip("0").rstrip(".")
