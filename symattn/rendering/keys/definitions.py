"""The key of a problem with definitions of its own: each definition in its order, worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from symattn.graph.forms.definitions import definitions
from symattn.graph.quantities.definition import GIVEN
from symattn.graph.quantities.scene import Entry, Whole
from symattn.graph.quantities.statement import Statement
from symattn.problem.model import Part
from symattn.rendering.content import Code, Line, Piece
from symattn.rendering.keys.layer import LayerKey
from symattn.rendering.keys.theory import section_of
from symattn.rendering.latex.typesetting import math
from symattn.rendering.sections import conventions
from symattn.rendering.sections.displays import beside, row_length, size
from symattn.rendering.sections.document import Block, Section

_MAX_FORMULA = 60
"""Characters of a formula that stands in a line of text."""


class DefinitionsKey(LayerKey):
    """The key of the quantities of definitions."""

    def sections(self, given: Sequence[Piece]) -> Iterator[Section]:
        """Yield the inputs, where they are not displayed before, with all definitions worked out; then the parts."""
        question = Part(
            asks=("prose",),
            text=self.words.say("definitions.question", names=", ".join(self.problem.definitions)),
            title=self.words.say("definitions.title"),
        )
        shown = [] if given else [Block("lines", tuple(self.given()))]
        yield section_of(0, question, question.title, [*shown, *self._worked()])
        for number, part in enumerate(self.problem.parts):
            yield self.section(number, part, before=1)

    def makers(self) -> dict[str, Callable[[Part], list[Block]]]:
        """Return no function: parts ask for proofs and prose alone."""
        return {}

    def header(self) -> list[Line]:
        """Return the first lines: how the sheet defines its quantities and rounds them."""
        lines: list[Line] = [self.words.say("definitions.order")]
        lines.append(conventions.policy_sentence(self.words, self.problem.policy, "rows"))
        if self.layer.free:
            lines.append(self.words.say("conventions.free"))
        return lines

    def _worked(self) -> list[Block]:
        blocks: list[Block] = []
        waiting: list[str] = []
        for name, recipe in self.layer.recipes.items():
            if recipe.rule == GIVEN:
                continue
            waiting.append(name)
            if name in self.problem.definitions:
                blocks.extend(self._definition(name, waiting))
                waiting = []
        return blocks

    def _definition(self, goal: str, made: list[str]) -> list[Block]:
        """Return one definition: the formula of the sheet, and every quantity that is made on the way to it."""
        blocks: list[Block] = []
        for position, name in enumerate(made):
            blocks.append(self.step(self._title(name)))
            blocks.extend([] if position else self._formula(goal))
            blocks.extend(self._quantity(name))
        return blocks

    def _quantity(self, name: str) -> list[Block]:
        """Return one quantity: its formula in whole matrices, its entries worked out, and its value."""
        quantity = self.layer.scene.quantities[name]
        is_plain = quantity.style == "rational" and self.write.is_defined(name)
        has_form = bool(definitions(self.layer.scene, Whole(name)))
        is_moved = quantity.definition.rule in {"mask", "part", "join", "hide"}
        blocks: list[Block] = []
        if has_form:
            blocks.append(self.whole(name) if is_plain else self.display(self._form(name)))
        is_asked = self.detail != "every-product" or name in self.problem.definitions or is_moved
        value = self._value(name) if is_asked and not (has_form and is_plain) else []
        entries = (
            [] if is_plain and is_moved else self._entries(name, is_displayed=(has_form and is_plain) or bool(value))
        )
        return [*beside(*blocks, *value), *entries, *self.in_digits(name), *self.comparison((name,), ())]

    def _form(self, name: str) -> Statement:
        """Return a quantity and its formula in names, not in the digits of its operands."""
        return self.write.whole(name, operands=False, values=False)

    def _value(self, name: str) -> list[Block]:
        """Return the value of a quantity, in a box where the sheet asks for it."""
        if not self.write.is_defined(name) or not self._is_short(name):
            return []
        if name in self.problem.definitions and self.write.valuation(name) != "exact":
            return self.result(name)
        return [self.values(name)]

    def _is_short(self, name: str) -> bool:
        """Return whether every value has few enough digits to be printed; an exponential may have hundreds."""
        valuation = self.write.valuation(name)
        if valuation != "end":
            return True
        rows, columns = self.layer.exact(name).shape
        places = ((i, j) for i in range(1, rows + 1) for j in range(1, columns + 1))
        return all(self.write.is_short(Entry(name, *place), valuation) for place in places)

    def _entries(self, name: str, *, is_displayed: bool) -> list[Block]:
        """Return the entries that have a value, worked out; those of a vector have one index."""
        places = self.places(name)
        items = [self.write.entry(name, *place) for place in places if self.is_defined(name, *place)]
        is_short = len(places) < size(self.layer.exact(name).shape)
        blocks = self.worked(items, row_length(places), is_displayed=is_displayed, is_short=is_short)
        lacking = [place for place in places if not self.is_defined(name, *place)]
        if lacking:
            symbol = math(self.layer.scene.quantities[name].symbol)
            where = ", ".join(f"({i},{j})" for i, j in lacking)
            blocks.append(Block("prose", (self.words.say("definitions.without_value", places=where, symbol=symbol),)))
        return blocks

    def _title(self, name: str) -> str:
        quantity = self.layer.scene.quantities[name]
        symbol, key = math(quantity.symbol), f"definitions.rules.{quantity.definition.rule}"
        return (
            self.words.say("definitions.step", symbol=symbol, rule=self.words.say(key))
            if self.words.has(key)
            else f"${symbol}$"
        )

    def _formula(self, name: str) -> list[Block]:
        """Return the formula as the sheet writes it, where it is short enough for a line."""
        formula = self.problem.written.get(name)
        if formula is None or len(text := f"{name} = {formula}") > _MAX_FORMULA:
            return []
        before, place, after = self.words.say("definitions.formula", formula="\0").partition("\0")
        return [Block("prose", (Code(before, text, after),))] if place else []
