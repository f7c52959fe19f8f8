"""The key of a layer with several heads: each head as a layer of its own, then what joins them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symattn.graph.analysis.pattern import Pattern
from symattn.graph.builders.layer import Layer
from symattn.graph.quantities.definition import PRODUCTS
from symattn.graph.quantities.scene import Entry
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Detail, Shown
from symattn.problem.model import Part
from symattn.rendering.content import Line
from symattn.rendering.keys.layer import LayerKey
from symattn.rendering.sections import conventions, identities, positions
from symattn.rendering.sections.displays import beside, row_length
from symattn.rendering.sections.document import Block


class HeadsKey(LayerKey):
    """The key of a layer with heads, or of one whose output is projected once more.

    Args:
        layer: the worked layer.
        heads: its heads, each as a layer of its own, with the pattern of its weights.
        detail: how much of each product is written out.
        line: the width of a line in points.
    """

    def __init__(
        self, layer: Layer, heads: Sequence[tuple[Layer, Pattern | None]], detail: Detail, line: float
    ) -> None:
        super().__init__(layer, None, detail, line)
        self.heads = [LayerKey(view, pattern, detail, line, self.progress) for view, pattern in heads]

    def header(self) -> list[Line]:
        """Return the first lines: how the sheet writes attention, told of the first head."""
        return conventions.header(
            self.layer, self.write, self.ledger, self.heads[0].layer, self.heads[0].write, self.batch
        )

    @property
    def views(self) -> Sequence[LayerKey]:
        """The heads."""
        return self.heads

    def has_pattern(self) -> bool:
        """Return whether the order of the weights of every head is known."""
        return all(head.pattern is not None for head in self.heads)

    @property
    def _has_own_steps(self) -> bool:
        """True if each head has steps of its own: it is alone, or everything is written out."""
        return self.detail == "every-product" or len(self.heads) == 1

    def makers(self) -> dict[str, Callable[[Part], list[Block]]]:
        """Return the functions that make the blocks of each word: head by head, and once for shared quantities."""
        each = {word: self._of_each(word) for word in ("scores", "map", "pattern", "shapes", "entry", "row")}
        own: dict[str, Callable[[Part], list[Block]]] = {
            "projections": self._projections,
            "outputs": self._outputs,
            "diagram": self._diagram,
            "shapes": self._shapes_of_all,
        }
        own |= {"cache": self._cache, "online": self._of_each("online")}
        return {**each, **own, **self.of_gradients(), **self.of_blocks()}

    def _cache(self, part: Part) -> list[Block]:
        return [*self._projections(part), *positions.counted(self)]

    def _shapes_of_all(self, part: Part) -> list[Block]:
        def shared(names: tuple[str, ...], title: str) -> list[Block]:
            return identities.joint_shapes(self.layer, names, title, self.ledger)

        if not self.problem.heads:
            return [*self._of_each("shapes")(part), *shared(("O",), self.words.say("heads.projected"))]
        whole = shared(("Q", "K", "V"), self.words.say("heads.together"))
        return [*whole, *self._of_each("shapes")(part), *shared(("C", "O"), self.words.say("heads.joined"))]

    def _of_each(self, word: str) -> Callable[[Part], list[Block]]:
        def make(part: Part) -> list[Block]:
            shared = self._shared() if word in {"scores", "map"} else []
            return [*shared, *self._of_heads(word, part)]

        return make

    def _of_heads(self, word: str, part: Part) -> list[Block]:
        """Return the blocks of all heads, one after the other, or step by step the same of each beside the others."""
        each = [self._of_head(head, word, part) for head in self.heads]
        return [block for own in each for block in own] if self._has_own_steps else _together(each)

    def _of_head(self, head: LayerKey, word: str, part: Part) -> list[Block]:
        """Return the blocks of one head; those that begin no step of their own say which head they are about."""
        self._take_over(head)
        head.is_beside = not self._has_own_steps
        head.is_likewise = head.is_beside and head is not self.heads[0]
        blocks = head.makers()[word](part)
        starts_a_step = bool(blocks) and blocks[0].kind == "step"
        title = (
            []
            if starts_a_step or not head.layer.head
            else [Block("head", (self.words.say("heads.head", number=head.layer.head),))]
        )
        return [*title, *blocks]

    def _take_over(self, head: LayerKey) -> None:
        """Mark the keys and values that another head has shown and this one shares as shown."""
        own = head.layer.scene.quantities
        for other in self.heads:
            for name in other.shown & {"K", "V"}:
                if own[name].head == other.layer.scene.quantities[name].head:
                    head.shown.add(name)

    def _shared(self) -> list[Block]:
        """Return the projections of all heads together, of which each head takes its part."""
        if self.problem.heads_apart:
            return []
        names = [name for name in "QKV" if name in self.layer.recipes or f"{name}_new" in self.layer.recipes]
        return [block for name in names for block in self.projection(name)]

    def _projections(self, part: Part) -> list[Block]:
        if self.problem.kind == "given":
            return super()._projections(part)
        blocks = self._shared()
        return [*blocks, *self._of_heads("projections", part)]

    def _outputs(self, part: Part) -> list[Block]:
        blocks = self._shared()
        blocks.extend(self._of_heads("outputs", part))
        if "C" in self.layer.recipes and self.problem.heads:
            blocks.extend([self.step(self.words.say("heads.step")), *beside(self.named("C"), *self._values("C", ()))])
        blocks.append(self.step(self.words.say("heads.output")))
        if self.layer.scene.quantities["O"].definition.rule in PRODUCTS:
            result = self.result("O", with_definition=True)
            items = self.joint_entries(part.tokens, is_displayed=bool(result) and not part.tokens)
            blocks.extend([*items, *result] if self.detail == "every-product" else [*result, *items])
            blocks.extend([] if result else self.without_value("O", self.places("O", part.tokens)))
        else:
            blocks.extend(beside(self.named("O"), *self._values("O", part.tokens)))
        blocks.extend(self.comparison(("O",), part.tokens))
        return blocks

    def _values(self, name: str, tokens: tuple[int, ...]) -> list[Block]:
        """Return the value of what was only named: as a matrix, or entry by entry where some of them have none."""
        found = self.result(name)
        if found or self.write.valuation(name) == "exact":
            return found
        places = self.places(name, tokens)
        items = [self._value(Entry(name, *place)) for place in places if self.is_defined(name, *place)]
        blocks = [self.grid(items, row_length(places))] if items else []
        return [*blocks, *self.without_value(name, places)]

    def _value(self, entry: Entry) -> Statement:
        name, valuation = self.layer.scene.reference(entry), self.write.valuation(entry.name)
        return self.write.chain(name, [name, self.write.literal(entry, valuation)], valuation)

    def joint_entries(self, tokens: tuple[int, ...], *, is_displayed: bool) -> list[Block]:
        """Return entries of the output projection worked out, of some tokens only where named."""
        places = [place for place in self.places("O", tokens) if self.is_defined("O", *place)]
        if not places:
            return []
        items = [self.write.entry("O", *place) for place in places]
        return self.worked(items, row_length(places), is_displayed=is_displayed)

    def named(self, name: str) -> Block:
        """Return a quantity and its definition in names."""
        return self.display(self.write.whole(name, Shown(8), operands=False, values=False))


def _together(each: Sequence[Sequence[Block]]) -> list[Block]:
    """Return the steps of several heads as one, the formulas of each beside those of the others.

    Words are those of the first head; what one head alone has to say stays.
    """
    titles: list[str] = []
    bodies: dict[str, list[Block]] = {}
    for blocks in each:
        title = ""
        for block in blocks:
            if block.kind == "step":
                title = block.title
                if title not in bodies:
                    titles.append(title)
                    bodies[title] = [block]
                continue
            own = bodies.setdefault(title, [])
            place = next((place for place, other in enumerate(own) if other.kind == block.kind == "display"), None)
            if place is not None and len(block.items) == 1:
                own[place] = Block("display", items=(*own[place].items, *block.items))
            elif block not in own and not (block.leads and block.kind == "prose" and own[1:]):
                own.append(block)
    return [block for title in dict.fromkeys(["", *titles]) for block in bodies.get(title, [])]
