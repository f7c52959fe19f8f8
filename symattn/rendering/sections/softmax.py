"""The softmax step of a key: exponentials, sums and weights, in a table where it fits and line by line."""

from __future__ import annotations

from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.key_judge.claims import is_blind
from symattn.graph.quantities.scene import Entry, indexed
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Shown
from symattn.notation.tree import nodes as t
from symattn.problem.model import Part
from symattn.rendering.content import Cell, Table
from symattn.rendering.latex.typesetting import math, table_width
from symattn.rendering.sections.displays import MANY, SectionWriter, beside, size
from symattn.rendering.sections.document import Block
from symattn.rendering.sentences import tell

_WIDER_GAPS = 24.0
_MAX_NAMED = 12
_WIDEST = 8
"""Keys beyond which no table of exponentials and weights fits a line."""


class SoftmaxWriter(SectionWriter):
    """Writer of the sections on the softmax."""

    def shift(self) -> list[Block]:
        """Return the maxima, and the scores less their maximum."""
        count = self.layer.exact("m").shape[0]
        numbers = [number for number in Shown(8).numbers(count) if number is not None]
        maxima = self.grid([self.write.entry("m", number) for number in numbers])
        line = "i" if self.layer.axis == "rows" else "j"
        largest = math(indexed(self.layer.scene.quantities["m"].entry_symbol, (t.Name(line),)))
        scores = self._any_entry(self.layer.logits)
        shifted = math(self._any_entry("shifted"))
        meaning = self.words.say("softmax.shifted", entry=shifted, score=math(scores), maximum=largest)
        return [
            self.step(self.words.say(f"softmax.maxima.{self.layer.axis}")),
            maxima,
            Block("prose", (meaning,)),
            self.values("shifted"),
        ]

    def lines(self, part: Part) -> list[int]:
        """Return the queries whose lines are shown."""
        count = self.layer.exact("Z").shape[0]
        if part.tokens:
            return list(part.tokens)
        return [number for number in Shown(8).numbers(count) if number is not None]

    def softmax_table(self, lines: list[int], part: Part) -> list[Block]:
        """Return a table of exponentials, sums and weights; where it is too wide, of the exponentials alone."""
        if self.write.valuation("A") == "exact":
            return []
        if self.problem.n_k > _WIDEST or self.is_beside:
            return self._softmax_entries(lines) if part.tokens else self._softmax_matrices()
        rows = [self._table_row(line) for line in lines]
        index = "i" if self.layer.axis == "rows" else "j"
        quantities = self.layer.scene.quantities
        keys = self.key_numbers()
        logits = quantities["shifted" if self.layer.is_shifted else self.layer.logits]
        header: list[Cell] = [self.words.say(f"softmax.line.{self.layer.axis}", index=index)]
        header.extend(
            self._heading("E", t.Power(t.Name("e"), self._running(logits.entry_symbol, key)), key) for key in keys
        )
        header.append(f"${math(indexed(quantities['Z'].entry_symbol, (t.Name(index),)))}$")
        header.extend(self._heading("A", self._running(quantities["A"].entry_symbol, key), key) for key in keys)
        if table_width(header, rows) + _WIDER_GAPS > self.line:
            return self._softmax_entries(lines) if part.tokens else self._softmax_matrices()
        for item in (*header, *(item for row in rows for item in row)):
            if isinstance(item, Statement):
                self.stated(item)
        columns = "c@{\\qquad}" + "c" * len(keys) + "@{\\qquad}c@{\\qquad}" + "c" * len(keys)
        return [Block("table", table=Table(tuple(header), tuple(rows), columns))]

    def _heading(self, name: str, written: t.Node, key: int) -> Statement:
        """Return the heading of a column of the table, for all lines at once."""
        subject = self._running(self.layer.scene.quantities[name].entry_symbol, key)
        index, count = ("i" if self.layer.axis == "rows" else "j"), self.problem.n_q
        return Statement(subject, written, "exact", None, ((index, count),))

    def _running(self, symbol: t.Node, key: int) -> t.Node:
        number = t.Number(str(key))
        pair: tuple[t.Node, t.Node] = (t.Name("i"), number) if self.layer.axis == "rows" else (number, t.Name("j"))
        return indexed(symbol, pair)

    def _table_row(self, line: int) -> tuple[Cell, ...]:
        places = [self.place(line, key) for key in self.key_numbers()]
        row: list[Cell] = [str(line)]
        row.extend(self.write.exponential_cell(*place) if self.has_exact("E", *place) else "--" for place in places)
        target, valuation = Entry("Z", line, 1), self.write.valuation("Z")
        is_long = valuation == "end" and not self.write.is_short(target, valuation)
        row.append("--" if is_long or not self.has_exact("Z", line, 1) else self.write.value_cell(target))
        row.extend(self._weight_cell(place) for place in places)
        return tuple(row)

    def _weight_cell(self, place: tuple[int, int]) -> Statement | str:
        value = self.layer.scene.quantities["A"].carried[place[0] - 1][place[1] - 1]
        if value is None or not self.has_exact("A", *place):
            return "--"
        return self.write.value_cell(Entry("A", *place))

    def _softmax_entries(self, lines: list[int]) -> list[Block]:
        """Return each exponential by its name, where a table of a few rows would be too wide."""
        keys = self.key_numbers() if len(lines) * self.problem.n_k <= MANY else self.few_keys()
        return [self.grid([self.write.entry("E", *self.place(line, key)) for line in lines for key in keys], len(keys))]

    def _softmax_matrices(self) -> list[Block]:
        """Return the exponentials as a matrix, and the sums, where a table would be too wide."""
        valuation = self.write.valuation("E")
        keys = self.key_numbers()
        places = [self.place(line, key) for line in range(1, self.problem.n_q + 1) for key in keys]
        if valuation == "end" and not all(self.write.is_short(Entry("E", *place), valuation) for place in places):
            return []
        scores = "shifted" if self.layer.is_shifted else self.layer.logits
        power = t.Power(t.Name("e"), self._any_entry(scores))
        line = t.Name("i" if self.layer.axis == "rows" else "j")
        kind = "plus_one" if self.problem.softmax_one else "plain"
        meaning = self.words.say(
            f"softmax.exponentials.{kind}.{self.layer.axis}",
            entry=math(self._any_entry("E")),
            power=math(power),
            sum=math(indexed(self.layer.scene.quantities["Z"].entry_symbol, (line,))),
            weight=math(self._any_entry("A")),
        )
        return [Block("prose", (meaning,)), *beside(*(self.values(name) for name in ("E", "Z")))]

    def _any_entry(self, name: str) -> t.Node:
        pair = t.Product((t.Name("i"), t.Name("j")), ("",))
        return indexed(self.layer.scene.quantities[name].entry_symbol, (pair,))

    def softmax_lines(self, lines: list[int], *, is_displayed: bool) -> list[Block]:
        """Return sums and weights worked out, whose values may be displayed too."""
        # Less the largest of a line in which every score is minus infinity, its scores have no value.
        summed = [self.write.entry("Z", line) for line in lines if self.has_exact("Z", line, 1)]
        blocks = self.worked(summed, is_displayed=is_displayed)
        keys = self.key_numbers() if len(lines) * len(self.key_numbers()) <= MANY else self.few_keys()
        if is_displayed and self.detail != "every-product":
            blocks.extend(self.worked(self._telling_weight(lines)))
        else:
            places = [self.place(line, key) for line in lines for key in keys]
            weights = [self.write.entry("A", *place) for place in places if self.is_defined("A", *place)]
            blocks.extend(self.worked(weights, len(keys), is_displayed=False))
        undefined = [line for line in lines if not self.is_defined("A", *self.place(line, 1))]
        blocks.extend(self._undefined(line) for line in undefined if self.has_exact("A", *self.place(line, 1)))
        return blocks

    def _telling_weight(self, lines: list[int]) -> list[Statement]:
        """Return a weight worked out: the largest of the query that attends to the most inputs."""
        queries = [query for query in self.pattern.queries if query.number in lines] if self.pattern else []
        told = max(queries, key=lambda query: len(query.nonzero), default=None)
        places = [self.place(line, key) for line in lines for key in self.few_keys()]
        if told is not None and told.largest:
            places.insert(0, self.place(told.number, told.largest[0]))
        return [self.write.entry("A", *place) for place in places if self.is_defined("A", *place)][:1]

    def blind_lines(self, lines: list[int]) -> list[Block]:
        """Name the queries that see no key, with their weights, and those whose scores are undefined."""
        scores = self.layer.exact(self.layer.logits)
        places = {line: [self.place(line, key) for key in self.key_numbers()] for line in lines}
        own = {line: [scores[i - 1, j - 1] for i, j in places[line]] for line in lines}
        blind = [line for line in lines if is_blind(own[line])]
        vague = [line for line in lines if any(score is UNDEFINED for score in own[line])]
        said = []
        if blind:
            why = self.words.say(f"softmax.blind.{self._of_blind()}", keys=self.problem.n_k)
            said.append(self.words.say("softmax.sees_no_key", count=len(blind), queries=blind, why=why))
        if vague:
            said.append(self.words.say("softmax.undefined_scores", count=len(vague), queries=vague))
        return [Block("prose", tuple(said))] if said else []

    def _of_blind(self) -> str:
        match self.problem.fully_masked:
            case "uniform" | "zeros" as declared:
                return declared
            case _:
                return "softmax_one" if self.problem.softmax_one else "undefined"

    def without_value(self, name: str, places: list[tuple[int, int]]) -> list[Block]:
        """Return the entries undefined as printed: exactly, where only rounding is to blame, else their names."""
        entries = [Entry(name, *place) for place in places if not self.is_defined(name, *place)]
        lost = [entry for entry in entries if self.has_exact(name, entry.row, entry.column)]
        absent = [entry for entry in entries if entry not in lost]
        blocks: list[Block] = []
        if lost:
            blocks.append(self.rounded_once("softmax.outputs_of_undefined", lost))
        if absent:
            blocks.append(Block("prose", (self._absent(name, absent),)))
        return blocks

    def _absent(self, name: str, entries: list[Entry]) -> str:
        """Return a sentence about entries without a value, and the operands that lack one: weights, or values."""
        values = self.layer.scene.quantities.get("V")
        is_of_values = values is not None and any(value is UNDEFINED for value in values.exact)
        why = self.words.say("softmax.without_weights_or_values" if is_of_values else "softmax.without_weights")
        symbol = math(self.layer.scene.quantities[name].symbol)
        if len(entries) == size(self.layer.exact(name).shape):
            return self.words.say("softmax.absent.all", symbol=symbol, why=why)
        if len(entries) > _MAX_NAMED:
            return self.words.say("softmax.absent.many", symbol=symbol, number=len(entries), why=why)
        names = [f"${math(self.layer.scene.reference(entry))}$" for entry in entries]
        return self.words.say("softmax.absent.named", count=len(entries), entries=names, why=why)

    def _undefined(self, line: int) -> Block:
        keys = self.key_numbers() if len(self.key_numbers()) <= MANY else self.few_keys()
        entries = [Entry("A", *self.place(line, key)) for key in keys]
        return self.rounded_once(f"softmax.sum_rounds_to_0.{self.layer.axis}", entries, line=line)

    def rounded_once(self, sentence: str, entries: list[Entry], **values: object) -> Block:
        """Return entries whose rounded value is undefined, exactly and rounded once, in a sentence of the catalogue."""
        ends = [self.stated(self.write.rounded_once(entry)) for entry in entries]
        return Block("prose", tuple(tell(self.words, sentence, values=ends, **values)))
