"""Key of one layer: the blocks of each word that a part asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from symattn.errors import InputError
from symattn.graph.analysis.pattern import Pattern
from symattn.graph.builders.layer import base_of
from symattn.graph.quantities.definition import PRODUCTS
from symattn.graph.quantities.scene import Entry
from symattn.graph.statements.chains import Shown
from symattn.problem.model import Part, Problem
from symattn.problem.settings.conventions import SOURCES
from symattn.records import dataclass
from symattn.rendering.content import Blank, Label, Line, Piece
from symattn.rendering.keys.theory import Theory, points_text, section_of
from symattn.rendering.latex.widths import width
from symattn.rendering.sections import blocks as key_blocks
from symattn.rendering.sections import conventions, diagram, discussion, gradients, identities, positions
from symattn.rendering.sections.displays import beside, row_length, size
from symattn.rendering.sections.document import Block, Document, Section, folded, numbered
from symattn.rendering.sections.softmax import SoftmaxWriter

_LARGEST_BLANK = 8
"""Rows and columns of the largest matrix that a sheet leaves to fill in."""

_SPACE = 4.0
"""The height in centimetres that a sheet leaves for an answer in words."""

_BEFORE_SCORES = {
    "norm_Q": "lengths",
    "norm_K": "",
    "Q_w": "both_mapped",
    "K_w": "",
    "G": "mapped",
}
"""What a score function makes first, and the steps that begin with it."""
_DEFAULT_PARTS = (
    *("projections", "scores", "map", "outputs", "cache", "online", "block"),
    *("diagram", "pattern", "gradients"),
)


@dataclass(frozen=True, slots=True)
class Among:
    """The place of one sequence or block in the key of all, where what they share is said once.

    Attributes:
        problem: the batch, or the blocks.
        number: the number of the sequence or block, from 1.
    """

    problem: Problem
    number: int

    def groups(self, names: Sequence[str]) -> list[tuple[str, list[str]]]:
        """Return the given names to display, with titles: its own, and after the last sequence the shared ones.

        >>> Among(Problem.build(Q=[[[1]], [[2]]], K=[[1]], V=[[3]]), 2).groups("QKV")
        [('Sequence 2:', ['Q']), ('All sequences:', ['K', 'V'])]
        """
        words = self.problem.words
        own = [name for name in names if self._is_own(name)]
        shared = [name for name in names if not self._is_own(name)]
        last = self.number == self.problem.batch
        groups = [
            (words.say("batch.given", number=self.number), own),
            (words.say("batch.given_to_all"), shared if last else []),
        ]
        return [group for group in groups if group[1]]

    def _is_own(self, name: str) -> bool:
        added = {"M": self.problem.mask, "B": self.problem.bias}.get(base_of(name))
        if name in self.problem.inputs or added is None:
            return name in self.problem.sequences
        return len({added.of_sequence(number) for number in range(1, self.problem.batch + 1)}) > 1


class LayerKey(SoftmaxWriter):
    """The key of a layer, or of one of its heads."""

    theory: Theory
    among: Among | None = None

    def document(self, *, with_given: bool) -> Document:
        """Return the whole document, its inputs displayed first or not."""
        header = self.header()
        given = self.given() if with_given else []
        sections = tuple(numbered(self.sections(given)))
        return Document(
            title=self.problem.title.strip() or self.words.say("document.title"),
            intro=self.problem.text,
            points=points_text(self.problem.points),
            conventions=tuple(header),
            defaults=conventions.defaults(self.layer),
            given=tuple(given),
            sections=sections,
            ledger=self.ledger,
            words=self.words,
            foot=" ".join(
                [conventions.foot(self.layer), *([self.words.say("foot.proofs")] if self.ledger.proofs else [])]
            ),
        )

    def sections(self, given: Sequence[Piece]) -> Iterator[Section]:
        """Yield the section of each part, or of each word that the problem has where no parts are asked."""
        del given
        parts = self.problem.parts or tuple(Part(asks=(asks,)) for asks in self._default_asks())
        yield from (self.section(number, part) for number, part in enumerate(parts))

    def given(self) -> list[Piece]:
        """Return the inputs displayed, those that another block makes left out; in a batch the shared ones once."""
        names = [*conventions.given_names(self.layer)]
        if self.among is not None and self.among.number > 1 and self.batch is None:
            names = [name for name in names if name != SOURCES[self.problem.kind][0]]
        groups = [("", names)] if self.batch is None or self.among is None else self.among.groups(names)
        pieces: list[Piece] = []
        for title, chosen in groups:
            pieces.extend([Label(title)] if title else [])
            pieces.append(conventions.given(self.layer, self.write, self.ledger, self.line, chosen))
        return pieces

    @property
    def batch(self) -> Problem | None:
        """The batch that the layer is one sequence of, if it is."""
        return self.among.problem if self.among is not None and self.among.problem.batch else None

    def header(self) -> list[Line]:
        """Return the first lines: how the sheet writes attention."""
        return conventions.header(self.layer, self.write, self.ledger, whole=self.batch)

    def _default_asks(self) -> Iterable[str]:
        for asks in _DEFAULT_PARTS:
            if asks == "projections" and self.problem.kind == "given":
                continue
            if asks in {"diagram", "pattern"} and not self.has_pattern():
                continue
            if asks == "pattern" and self.detail == "brief":
                continue
            if asks == "block" and self.problem.block is None:
                continue
            if asks in {"cache", "online"} and not (self.problem.cached if asks == "cache" else self.problem.online):
                continue
            if asks == "gradients" and self.problem.gradient is None:
                continue
            yield asks

    def has_pattern(self) -> bool:
        """Return whether the order of the weights is known."""
        return self.pattern is not None

    def makers(self) -> dict[str, Callable[[Part], list[Block]]]:
        """Return the functions that make the blocks of each word of a part."""
        return {
            "projections": self._projections,
            "scores": self.scores,
            "map": self._map,
            "outputs": self._outputs,
            "cache": self._cache,
            "online": self._online,
            "diagram": self._diagram,
            "pattern": self._pattern,
            "shapes": self._shapes,
            "entry": self._entry,
            "row": self._row,
            **self.of_gradients(),
            **self.of_blocks(),
        }

    def of_blocks(self) -> dict[str, Callable[[Part], list[Block]]]:
        """Return the functions that make the blocks of norms and the network around attention, if any."""
        if self.problem.block is None or self.layer.head:
            return {}

        def maker(word: str) -> Callable[[Part], list[Block]]:
            return lambda part: key_blocks.block_parts(self, word, part.tokens)

        return {word: maker(word) for word in ("norm", "ffn", "block")}

    def _before_projections(self) -> list[Block]:
        if self.problem.block is None:
            return []
        return key_blocks.before_attention(self)

    def of_gradients(self) -> dict[str, Callable[[Part], list[Block]]]:
        """Return the functions that make the blocks of the backward pass, if any."""
        if self.problem.gradient is None or self.layer.head:
            return {}
        return gradients.makers_of(self.layer, self.detail, self.line, self.progress)

    def section(self, number: int, part: Part, before: int = 0) -> Section:
        """Return the section of a part by its number from 0, where some sections may stand `before` the parts."""
        blocks: list[Block] = []
        makers = self.makers()
        # Answers without numbers are the same for all sequences or blocks, and stand with the first.
        is_said = self.among is not None and self.among.number > 1
        for asks in part.asks:
            if asks in makers or not is_said:
                blocks.extend(makers[asks](part) if asks in makers else self.theory.blocks(number, part, asks))
        blocks.extend([] if is_said else self.theory.facts(number))
        blocks = blocks if self.detail == "every-product" else folded(blocks, self.words)
        question = self.theory.question(number, part, self.problem.policy)
        room = tuple(self.blanks(part)) if self.problem.blanks == "matrices" else ()
        section = section_of(number + before, part, self.theory.title(number, part), blocks, question, room)
        is_open = not section.space and self.problem.blanks != "none" and not room
        return replace(section, space=_SPACE) if is_open else section

    def blanks(self, part: Part) -> Iterator[Blank]:
        """Yield the matrices that a part asks for, to be filled in; of some tokens their entries."""
        gradients = [f"d{name}" for name in dict.fromkeys((*"QKV", *self.problem.inputs))]
        wanted = {"projections": "QKV", "scores": ("S", *self.layer.chain), "map": "A", "outputs": "O"}
        names = [name for word in part.asks for name in (gradients if word == "gradients" else wanted.get(word, ()))]
        for name in names:
            for view in (self,) if name in self.layer.recipes else self.views:
                quantity = view.layer.scene.quantities.get(name)
                if quantity is None or max(quantity.shape) > _LARGEST_BLANK:
                    continue
                if part.tokens and name in {"A", "O"}:
                    places = view.places(name, part.tokens)
                    yield from (Blank(view.layer.scene.reference(Entry(name, *place))) for place in places)
                else:
                    yield Blank(quantity.symbol, *quantity.shape)

    # What a part asks ------------------------------------------------------------------------------

    def _projections(self, _: Part) -> list[Block]:
        if self.problem.kind == "given":
            return [Block("lines", (conventions.given(self.layer, self.write, self.ledger, self.line),))]
        return [block for name in "QKV" for block in self.projection(name)]

    def projection(self, name: str) -> list[Block]:
        """Return queries, keys or values worked out, where they were not shown before."""
        if self.problem.positions is not None or self.problem.cached:
            return positions.projection(self, name, self.projected)
        return self.projected(name, self.words.say(f"projections.all.{name}"))

    def projected(self, name: str, title: str) -> list[Block]:
        """Return a projection alone, where it was not shown before."""
        is_part = self.layer.scene.quantities[name].definition.rule == "part"
        if (self.problem.kind == "given" and not is_part) or name in self.shown:
            return []
        self.shown.add(name)
        before = self._before_projections()
        step = self.step(title, name)
        if self._by_vectors(name):
            count = self.layer.exact(name).shape[0 if self.problem.tokens == "rows" else 1]
            numbers = [number for number in Shown(6).numbers(count) if number is not None]
            lines = [self.write.line(name, number, worked=self.detail != "brief") for number in numbers]
            made = self.display(*lines) if self.detail == "brief" else self.grid(lines)
            worked = self.entries(name) if self.detail == "every-product" else []
            return [*before, step, made, *worked, *self.note(count > 6)]
        is_plain = is_part and self.detail == "brief"
        made = self.values(name) if is_plain else self.whole(name)
        return [*before, step, made, *([] if is_part else self.entries(name))]

    def _by_vectors(self, name: str) -> bool:
        """Return whether the sheet defines the projection one token at a time, and its vectors have names."""
        quantities = self.layer.scene.quantities
        made = quantities[name].definition
        if made.rule not in PRODUCTS:
            return False
        source = {"self": "X_p" if "X_p" in quantities else "X"}.get(self.problem.kind, "")
        is_of_source = source in made.premises[:2]
        has_lines = is_of_source and all(quantities[item].line_symbol is not None for item in (name, source))
        return self.problem.projection in {"W x", "W^T x"} and has_lines

    def scores(self, part: Part) -> list[Block]:
        """Return the scores, and what is done to them before the softmax, where they were not shown before."""
        blocks = [*self.projection("Q"), *self.projection("K")]
        if "S" in self.shown:
            return blocks
        self.shown.add("S")
        blocks.extend(self._before_scores())
        blocks.append(self.step(self.words.say("scores.step")))
        if part.tokens and self._by_lines("S"):
            pairs = [self.place(i, j) for i in part.tokens for j in self.key_numbers()]
            blocks.append(self.grid([self.write.dot_product(*pair) for pair in pairs]))
        else:
            blocks.extend([self.whole("S"), *self.entries("S", part.tokens)])
        blocks.extend(self.in_digits("S", part.tokens))
        blocks.extend(block for name in self.layer.chain for block in self._made_of_scores(name))
        return blocks

    def _by_lines(self, name: str) -> bool:
        """Return whether the entries of a product are products of vectors that have names."""
        quantities = self.layer.scene.quantities
        definition = quantities[name].definition
        if definition.rule not in PRODUCTS:
            return False
        return all(quantities[item].line_symbol is not None for item in definition.premises[:2])

    def _before_scores(self) -> list[Block]:
        """Return the lengths of queries and keys, or the parts of a score function, if not yet shown."""
        blocks: list[Block] = []
        for name, title in _BEFORE_SCORES.items():
            if name not in self.layer.recipes:
                continue
            if title:
                blocks.append(self.step(self.words.say(f"scores.{title}")))
            if (key := (name, self.layer.scene.quantities[name].head)) in self.progress.added:
                continue
            self.progress.added.add(key)
            if self.layer.scene.quantities[name].definition.rule == "norm":
                numbers = Shown(8).numbers(self.layer.exact(name).shape[0])
                blocks.append(self.grid([self.write.entry(name, number) for number in numbers if number is not None]))
            else:
                blocks.extend([self.whole(name), *self.entries(name)])
        return blocks

    def _made_of_scores(self, name: str) -> list[Block]:
        """Return the scores scaled, with a bias, or masked, and what was added to them."""
        self.shown.add(name)
        definition = self.layer.scene.quantities[name].definition
        added = definition.premises[1] if definition.rule in {"sum", "mask"} else ""
        title = self.words.say(f"score_steps.{name}.title")
        blocks = [self.step(title), *beside(*self._added(added), self.whole(name))]
        if added or definition.rule == "scale":
            return blocks
        if self.write.valuation(name) == "carried":
            blocks.extend(self.entries(name))
        return [*blocks, *self.in_digits(name)]

    def _added(self, name: str) -> list[Block]:
        """Return a bias or a mask, the first time that it is used; in brief only one that words do not tell."""
        if not name or (key := (name, self.layer.scene.quantities[name].head)) in self.progress.added:
            return []
        if self.detail == "brief" and name not in conventions.given_names(self.layer):
            return []
        self.progress.added.add(key)
        return [self.values(name)]

    def _map(self, part: Part) -> list[Block]:
        blocks = self.scores(part)
        self.shown.add("A")
        if self.layer.is_shifted:
            blocks.extend(self.shift())
        blocks.append(self.step(self.words.say(f"softmax.step.{self.layer.axis}")))
        lines = self.lines(part)
        made = self.softmax_table(lines, part)
        result = [] if part.tokens else self.result("A")
        is_matrix = bool(made) and made[-1].kind == "display"
        blocks.extend(beside(*made, *result) if is_matrix else made)
        is_displayed = bool(result) if is_matrix else bool(made) and made[-1].kind == "table"
        blocks.extend(self.softmax_lines(lines, is_displayed=is_displayed))
        blocks.extend(self.blind_lines(lines))
        blocks.extend([] if is_matrix else result)
        blocks.extend(self.comparison(("A",), part.tokens))
        return blocks

    def _outputs(self, part: Part) -> list[Block]:
        blocks = [*self.projection("V")]
        if "A" not in self.shown:
            blocks.extend(self._map(part))
        blocks.append(self.step(self.words.say("outputs.step")))
        if (
            part.tokens
            and self.layer.scene.quantities["V"].line_symbol
            and self.layer.scene.quantities["O"].line_symbol
        ):
            lines = [token for token in part.tokens if self.line_defined(token)]
            blocks.extend(self.display(self.write.weighted_sum(token)) for token in lines)
            if self.write.valuation("O") == "carried":
                blocks.extend(self._output_entries(part.tokens))
            else:
                blocks.extend(self.without_value("O", self.places("O", part.tokens)))
        else:
            result = self.result("O", with_definition=True)
            blocks.extend([*result, *self._output_entries(part.tokens, is_displayed=bool(result))])
        blocks.extend(self.comparison(("O",), part.tokens))
        return blocks

    def _output_entries(self, tokens: tuple[int, ...], *, is_displayed: bool = False) -> list[Block]:
        places = wanted = self.places("O", tokens)
        if self.problem.policy.steps:
            items = [self.write.entry("O", *place) for place in places if self.is_defined("O", *place)]
        else:
            places = [place for place in places if self.has_exact("O", *place)]
            has_forms = self.layer.scene.quantities[self.layer.logits].style == "rational"
            has_forms = has_forms and all(self.layer.exact("O")[i - 1, j - 1].is_closed for i, j in places)
            closed = [self.write.closed_output(*place) for place in places] if has_forms else []
            is_narrow = has_forms and all(width(item.written) <= self.line for item in closed)
            if is_narrow and self.detail == "full":
                closed = [self.write.closed_output(*place, terms=True) for place in places]
            items = closed if is_narrow else [self.write.entry("O", *place) for place in places]
            if is_narrow and self.detail == "every-product":
                items = [
                    item
                    for place in places
                    for item in (self.write.entry("O", *place), self.write.closed_output(*place))
                ]
        is_short = len(wanted) < size(self.layer.exact("O").shape) and not tokens
        blocks = self.worked(items, row_length(places), is_displayed=is_displayed and not tokens, is_short=is_short)
        return [*blocks, *self.without_value("O", wanted)]

    def _cache(self, _: Part) -> list[Block]:
        """Return the new keys and values, those of all tokens, and the savings of the cache."""
        return [*(block for name in "KV" for block in self.projection(name)), *positions.counted(self)]

    def _online(self, part: Part) -> list[Block]:
        return [*self.scores(part), *self.projection("V"), *positions.online(self)]

    def _diagram(self, _: Part) -> list[Block]:
        views = [(view.layer, view.known_pattern("diagram")) for view in self.views]
        return diagram.blocks(views, self.ledger, self.detail)

    @property
    def views(self) -> Sequence[LayerKey]:
        """The heads, or the layer itself."""
        return (self,)

    def _pattern(self, part: Part) -> list[Block]:
        return discussion.blocks(self.layer, self.known_pattern("pattern"), self.ledger, self.detail, part.tokens)

    def known_pattern(self, asks: str) -> Pattern:
        """Return the pattern of the weights, for a word of a part.

        Raises:
            InputError: symbols or enclosures leave the order of the weights open.
        """
        if self.pattern is None:
            symbols = ", ".join(sorted(self.layer.exact(self.layer.logits).symbols))
            if not symbols:
                raise InputError(f"A part asks for the {asks}, and enclosures do not settle the order of the weights.")
            raise InputError(
                f"A part asks for the {asks}, and the order of the weights depends on {symbols}: "
                f'give it a value under [symbols], e.g. {symbols.split(", ")[0]} = "3/2".'
            )
        return self.pattern

    def _shapes(self, _: Part) -> list[Block]:
        return identities.shapes(self.layer, self.ledger)

    def _entry(self, _: Part) -> list[Block]:
        return identities.score_entry(self.layer, self.ledger)

    def _row(self, _: Part) -> list[Block]:
        return identities.output_row(self.layer, self.ledger)
