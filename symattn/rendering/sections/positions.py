"""The pieces of a key about positions, caches, and the softmax worked block by block."""

from __future__ import annotations

from collections.abc import Callable

from symattn.graph.builders.layer import Layer
from symattn.graph.builders.online_softmax import blocks_of, letters_of
from symattn.graph.forms.definitions import definitions
from symattn.graph.quantities.closed_forms import polynomial_tree
from symattn.graph.quantities.scene import Entry, Whole
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.online_softmax import online_entry, result_entry
from symattn.notation.tree import nodes as t
from symattn.rendering.content import Line
from symattn.rendering.latex.typesetting import math
from symattn.rendering.latex.widths import width
from symattn.rendering.sections.displays import SectionWriter, row_length
from symattn.rendering.sections.document import Block, Ledger
from symattn.rendering.sentences import tell

# The first lines ------------------------------------------------------------------------------------


def sentences(layer: Layer, ledger: Ledger) -> list[Line]:
    """Describe positions and the cache in sentences, for a layer or its first head."""
    problem, words = layer.problem, layer.problem.words
    lines: list[Line] = []
    if problem.positions is not None:
        detail = _detail(layer)
        says = words.say(f"positions.{problem.positions.kind}.says")
        lines.append(words.say("positions.with_detail" if detail else "positions.plain", says=says, detail=detail))
    if problem.positions is not None and problem.positions.is_added:
        lines.extend(tell(words, "positions.added", tokens=_definition(layer, ledger, "X_p")))
    if problem.cached:
        joined = [_definition(layer, ledger, name) for name in "KV"]
        lines.extend(tell(words, "cache.joined", count=problem.cached, definitions=joined))
    return lines


def _detail(layer: Layer) -> str:
    problem, positions = layer.problem, layer.problem.positions
    if positions is None or not positions.traits.has_angles:
        return ""
    words, is_apart = problem.words, positions.start_keys not in (None, positions.start)
    where = "apart" if is_apart and not problem.cached else "cached" if problem.cached else "together"
    first = positions.start + problem.cached
    place = words.say(f"positions.start.{where}", first=first, first_key=positions.start_keys)
    pairs = words.say(f"positions.pairs.{positions.pairs}")
    angles = [f"${math(polynomial_tree(angle))}$" for angle in positions.angles]
    if not angles:
        angle = f"$p/{positions.base}^{{2i/d}}$"
        return words.say(f"positions.{positions.kind}.by_base", place=place, pairs=pairs, angle=angle)
    return words.say(
        f"positions.{positions.kind}.by_angles", count=len(angles), place=place, pairs=pairs, angles=angles
    )


def _definition(layer: Layer, ledger: Ledger, name: str) -> Statement:
    symbol = layer.scene.quantities[name].symbol
    form = definitions(layer.scene, Whole(name))[0]
    return ledger.state(Statement(symbol, t.Relation((symbol, form), ("=",)), "exact"))


# Projections ----------------------------------------------------------------------------------------


def projection(key: SectionWriter, name: str, projected: Callable[[str, str], list[Block]]) -> list[Block]:
    """Return a projection worked out: tokens with positions added first, positions applied, joined with cached ones.

    Args:
        key: the key of the layer.
        name: Q, K or V.
        projected: makes the blocks of the product itself, from the name and the title of its step.
    """
    recipes, positions = key.layer.recipes, key.problem.positions
    blocks = _added(key)
    kind = "new" if key.problem.cached else "all"
    new = f"{name}_new" if key.problem.cached and name != "Q" else name
    if new in recipes:
        blocks.extend(projected(new, key.words.say(f"projections.{kind}.{name}")))
    traits = None if positions is None or positions.is_added else positions.traits
    made = next((made for made in traits.makes if made[0] == name), "") if traits is not None else ""
    if traits is not None and made in recipes and made not in key.shown:
        blocks.extend(_placed(key, made, key.words.say(f"projections.{kind}_placed.{name}")))
    is_joined = name in recipes and key.layer.scene.quantities[name].definition.rule == "join"
    if is_joined and name not in key.shown:
        key.shown.add(name)
        blocks.extend([key.step(key.words.say(f"cache.all.{name}")), key.whole(name)])
    return blocks


def _added(key: SectionWriter) -> list[Block]:
    """Return the angles, the positions and the tokens with them, once in a key."""
    if "X_p" not in key.layer.recipes or ("X_p", 0) in key.progress.added:
        return []
    key.progress.added.add(("X_p", 0))
    blocks = [key.step(key.words.say("positions.step"))]
    if "Phi" in key.layer.recipes:
        blocks.extend(_angles(key, "Phi"))
        blocks.extend([key.values("P"), *key.entries("P"), *key.in_digits("P")])
    return [*blocks, key.step(key.words.say("positions.tokens")), key.whole("X_p"), *key.in_digits("X_p")]


def _angles(key: SectionWriter, name: str) -> list[Block]:
    """Return the angles of all pairs, in words and as a matrix."""
    symbol = math(key.layer.scene.quantities[name].symbol)
    return [Block("prose", (key.words.say("positions.angles", symbol=symbol),)), key.values(name)]


def _placed(key: SectionWriter, name: str, title: str) -> list[Block]:
    """Return queries or keys with their positions applied, and the angles once in a key."""
    key.shown.add(name)
    blocks, (_, angles) = [key.step(title)], key.layer.recipes[name].premises
    if (angles, 0) not in key.progress.added:
        key.progress.added.add((angles, 0))
        blocks.extend([Block("prose", (key.words.say("positions.turned"),)), *_angles(key, angles)])
    return [*blocks, key.values(name), *key.entries(name), *key.in_digits(name)]


# A cache --------------------------------------------------------------------------------------------


def counted(key: SectionWriter) -> list[Block]:
    """State the savings of the cache and the numbers in it, once in a key."""
    if "N_cache" not in key.layer.recipes or "N_cache" in key.shown:
        return []
    key.shown.add("N_cache")
    blocks = [key.step(key.words.say("cache.counted"))]
    for name in ("N_cache", "N_again", "N_kept"):
        symbol, form = key.layer.scene.quantities[name].symbol, key.layer.scene.quantities[name].form
        if form is not None:
            literal = key.write.literal(Whole(name), "exact")
            statement = key.write.link(symbol, [symbol, form, literal], "exact")
            said = key.words.say(f"cache.counts.{name}", tokens=key.problem.n_k)
            blocks.extend([Block("prose", (said,)), key.display(statement)])
    return blocks


# Block by block -------------------------------------------------------------------------------------


def online(key: SectionWriter) -> list[Block]:
    """Return the softmax worked block by block, with running maximum, sum and output, and the final output."""
    blocks: list[Block] = []
    if key.problem.policy.steps:
        blocks.append(Block("prose", (key.words.say("online.exact"),)))
    outputs = [name for name, quantity in key.layer.scene.quantities.items() if quantity.by_blocks]
    output = "O" if "O" in outputs else outputs[0]
    for number, (start, stop) in enumerate(blocks_of(key.problem), 1):
        keys = {"count": stop - start + 1, "first": start, "last": stop}
        blocks.append(key.step(key.words.say("online.block", number=number, **keys)))
        *numbers, output_so_far = letters_of(key.problem)
        blocks.extend(_grid(key, f"{letter}@{number}") for letter in numbers)
        blocks.append(_grid(key, f"{output_so_far}@{number}", is_matrix=True))
    blocks.append(key.step(key.words.say("online.output")))
    places = key.places(output)
    blocks.append(key.grid([result_entry(key.write, output, *place) for place in places], row_length(places)))
    return blocks


def _grid(key: SectionWriter, name: str, *, is_matrix: bool = False) -> Block:
    rows, columns = key.layer.exact(name).shape
    places = key.places(name) if is_matrix else [(row, 1) for row in range(1, rows + 1)]
    items = [_entry(key, name, *place) for place in places]
    return key.grid(items, row_length(places) if is_matrix and columns > 1 else 0)


def _entry(key: SectionWriter, name: str, row: int, column: int) -> Statement:
    """Return an entry with its closed form, or without where no line holds it."""
    statement = online_entry(key.write, name, row, column)
    if width(statement.written) <= key.line:
        return statement
    brief = online_entry(key.write, name, row, column, closed=False)
    if width(brief.written) <= key.line:
        return brief
    reference = key.layer.scene.reference(Entry(name, row, column))
    return key.write.link(reference, [reference, key.write.literal(Entry(name, row, column), "end")], "end")
