"""From a worked layer to the document of its key: what each part asks, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from string import ascii_lowercase

from symattn.attention.chains import Detail, Shown
from symattn.attention.layer import Layer
from symattn.attention.pattern import Pattern
from symattn.derivation.scene import Entry
from symattn.errors import InputError
from symattn.exact.rounding import Rounding, format_rational
from symattn.problem.model import Part
from symattn.rendering import conventions, diagram, discussion, identities
from symattn.rendering.document import Block, Document, Section
from symattn.rendering.latex import escape
from symattn.rendering.measure import LINE, width
from symattn.rendering.pieces import row_length, size
from symattn.rendering.prose import prose
from symattn.rendering.softmax import SoftmaxPieces

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


def key_document(
    layer: Layer, pattern: Pattern | None, detail: Detail = "full", line: float = LINE, *, with_given: bool = False
) -> Document:
    """The document of a worked answer key, for lines of a width in points, with its inputs displayed or not.

    Raises:
        InputError: a part asks for what this layer does not have (a theorem, an order of symbolic weights).
    """
    return _Key(layer, pattern, detail, line).document(with_given=with_given)


class _Key(SoftmaxPieces):
    def document(self, *, with_given: bool) -> Document:
        header = conventions.header(self.layer, self.write, self.ledger)
        given = conventions.given(self.layer, self.write, self.ledger, self.line) if with_given else []
        parts = self.problem.parts or tuple(Part(asks=(asks,)) for asks in self._default_asks())
        sections = tuple(self._section(number, part) for number, part in enumerate(parts))
        return Document(
            title=escape(self.problem.title) or "Attention by hand",
            intro=prose(self.problem.text),
            points=points_text(self.problem.points),
            conventions=tuple(header),
            defaults=conventions.defaults(self.layer),
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
        title = escape(part.title) or _title(part.asks)
        return Section(label, title, prose(part.text), points_text(part.points), tuple(blocks))

    # What a part asks ------------------------------------------------------------------------------

    def _projections(self, _: Part) -> list[Block]:
        if self.problem.kind == "given":
            return [Block("lines", tuple(conventions.given(self.layer, self.write, self.ledger, self.line)))]
        return [block for name in "QKV" for block in self._projection(name)]

    def _projection(self, name: str) -> list[Block]:
        if self.problem.kind == "given" or name in self.shown:
            return []
        self.shown.add(name)
        step = self.step(_NAMES[name])
        if self._by_vectors(name):
            count = self.layer.exact(name).shape[0 if self.problem.tokens == "rows" else 1]
            numbers = [number for number in Shown(6).numbers(count) if number is not None]
            return [
                step,
                self.grid([self.write.line(name, number) for number in numbers]),
                *self.note(count > 6),
            ]
        blocks = [step, self.whole(name)]
        if self.detail != "brief":
            blocks.extend(self.entries(name))
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
        blocks.append(self.step("Scores"))
        has_lines = all(self.layer.scene.quantities[name].line_symbol is not None for name in "QK")
        if part.tokens and has_lines:
            pairs = [self.place(i, j) for i in part.tokens for j in self.key_numbers()]
            blocks.append(self.grid([self.write.dot_product(*pair) for pair in pairs]))
        else:
            blocks.append(self.whole("S"))
            if self.detail != "brief":
                blocks.extend(self.entries("S", part.tokens))
        blocks.extend(self._scaled())
        return blocks

    def _scaled(self) -> list[Block]:
        if self.layer.logits == "S":
            return []
        self.shown.add("S_scaled")
        return [self.step("Scaled scores"), self.whole("S_scaled")]

    def _map(self, part: Part) -> list[Block]:
        blocks = self._scores(part)
        self.shown.add("A")
        if self.layer.is_shifted:
            blocks.extend(self.shift())
        title = (
            "Exponentials, row sums and weights"
            if self.layer.axis == "rows"
            else "Exponentials, column sums and weights"
        )
        blocks.append(self.step(title))
        lines = self.lines(part)
        blocks.extend(self.softmax_table(lines, part))
        if self.detail != "brief" or self.write.valuation("A") == "exact":
            blocks.extend(self.softmax_lines(lines))
        if not part.tokens:
            blocks.extend(self.result("A"))
        blocks.extend(self.comparison("A", part.tokens))
        return blocks

    def _outputs(self, part: Part) -> list[Block]:
        blocks = [*self._projection("V")]
        if "A" not in self.shown:
            blocks.extend(self._map(part))
        blocks.append(self.step("Outputs"))
        if (
            part.tokens
            and self.layer.scene.quantities["V"].line_symbol
            and self.layer.scene.quantities["O"].line_symbol
        ):
            lines = [token for token in part.tokens if self.line_defined(token)]
            blocks.extend(self.display(self.write.weighted_sum(token)) for token in lines)
            if self.write.valuation("O") == "carried":
                blocks.extend(self._output_entries(part.tokens))
        elif self.detail == "brief" and self.write.valuation("O") != "exact":
            blocks.extend(self.result("O"))
        else:
            blocks.extend(self._output_entries(part.tokens))
            blocks.extend(self.result("O"))
        blocks.extend(self.comparison("O", part.tokens))
        return blocks

    def _output_entries(self, tokens: tuple[int, ...]) -> list[Block]:
        places = self.places("O", tokens)
        if self.problem.policy.steps:
            items = [self.write.entry("O", *place) for place in places if self.is_defined("O", *place)]
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
        is_short = len(places) < size(self.layer.exact("O").shape) and not tokens
        blocks = [self.grid(items, row_length(places))] if items else []
        undefined = [Entry("O", *place) for place in places if not self.is_defined("O", *place)]
        if undefined:
            intro = ["Outputs of undefined weights are undefined too. Exactly, rounded once:"]
            blocks.append(self.rounded_once(intro, undefined))
        return [*blocks, *self.note(is_short)]

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
        answer = prose(part.answer)
        return [Block("prose", (answer,))] if answer else []

    # Pieces ----------------------------------------------------------------------------------------


def _title(asks: tuple[str, ...]) -> str:
    """A title for a part that has none, from all that it asks.

    >>> _title(("map", "outputs"))
    'Attention map, outputs'
    """
    first, *others = dict.fromkeys(_TITLES[word] for word in asks if word in _TITLES)
    return ", ".join([first, *(title[0].lower() + title[1:] for title in others)])


def points_text(points: Fraction | int | None) -> str:
    """Points as a sheet prints them: a whole number, or halves and the like as decimals.

    >>> points_text(Fraction(5, 2)), points_text(None)
    ('2.5', '')
    """
    return "" if points is None else format_rational(Fraction(points), Rounding(figures=6)).rstrip("0").rstrip(".")
