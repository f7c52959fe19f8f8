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
from symattn.rendering.content import Line, Stated
from symattn.rendering.latex.typesetting import listed, math
from symattn.rendering.latex.widths import width
from symattn.rendering.sections.displays import SectionWriter, row_length
from symattn.rendering.sections.document import Block, Ledger

_TITLES = {"Q": "Queries", "K": "Keys", "V": "Values"}
_EXACTLY = (
    "Block by block the scores, sums and outputs are kept exact, and only what is shown as a decimal is rounded, once."
)
_NEW = {"Q": "Queries", "K": "New keys", "V": "New values"}


# The first lines ------------------------------------------------------------------------------------


def sentences(layer: Layer, ledger: Ledger) -> list[Line]:
    """Describe positions and the cache in sentences, for a layer or its first head."""
    problem = layer.problem
    lines: list[Line] = []
    if problem.positions is not None:
        lines.append(f"{problem.positions.traits.says}{_detail(layer)}.")
    if problem.positions is not None and problem.positions.is_added:
        lines.extend(_definition(layer, ledger, "X_p", "They become", "."))
    if problem.cached:
        cached = f"{problem.cached} past token{'s' if problem.cached > 1 else ''}"
        lines.append(f"Keys and values of {cached} are in the cache, and the new ones are joined with them:")
        lines.extend(_definition(layer, ledger, "K", "", ","))
        lines.extend(_definition(layer, ledger, "V", "", "."))
    return lines


def _detail(layer: Layer) -> str:
    problem, positions = layer.problem, layer.problem.positions
    if positions is None or not positions.traits.has_angles:
        return ""
    first = positions.start + problem.cached
    what = (
        "new token" if problem.cached else "query" if positions.start_keys not in (None, positions.start) else "token"
    )
    pairs = "entries 1 and 2, 3 and 4, and so on" if positions.pairs == "adjacent" else "entries half a length apart"
    place = f"the first {what} stands at position {first}"
    if positions.start_keys not in (None, positions.start):
        place += f", the first key at {positions.start_keys}"
    made = positions.traits.by_sum
    angles = [f"${math(polynomial_tree(angle))}$" for angle in positions.angles]
    if not angles:
        return (
            f" ({place}; {pairs} are pairs; pair $i$, from 0, is {made} $p/{positions.base}^{{2i/d}}$ at position $p$)"
        )
    each = f"the angle {angles[0]}" if len(angles) == 1 else f"the angles {listed(angles)} in turn"
    return f" ({place}; {pairs} are pairs, {made} $p$ times {each} at position $p$)"


def _definition(layer: Layer, ledger: Ledger, name: str, words: str, after: str) -> list[Line]:
    symbol = layer.scene.quantities[name].symbol
    form = definitions(layer.scene, Whole(name))[0]
    stated = ledger.state(Statement(symbol, t.Relation((symbol, form), ("=",)), "exact"))
    return [*([words] if words else []), Stated(stated, after)]


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
    new = f"{name}_new" if key.problem.cached and name != "Q" else name
    if new in recipes:
        blocks.extend(projected(new, (_NEW if key.problem.cached else _TITLES)[name]))
    traits = None if positions is None or positions.is_added else positions.traits
    made = next((made for made in traits.makes if made[0] == name), "") if traits is not None else ""
    if traits is not None and made in recipes and made not in key.shown:
        title = (_NEW if key.problem.cached else _TITLES)[name]
        blocks.extend(_placed(key, made, f"{title} {traits.done}"))
    is_joined = name in recipes and key.layer.scene.quantities[name].definition.rule == "join"
    if is_joined and name not in key.shown:
        key.shown.add(name)
        blocks.extend([key.step(f"{_TITLES[name]} of all tokens"), key.whole(name)])
    return blocks


def _added(key: SectionWriter) -> list[Block]:
    """Return the angles, the positions and the tokens with them, once in a key."""
    if "X_p" not in key.layer.recipes or ("X_p", 0) in key.progress.added:
        return []
    key.progress.added.add(("X_p", 0))
    blocks = [key.step("Positions")]
    if "Phi" in key.layer.recipes:
        blocks.append(key.values("Phi"))
        blocks.extend([key.values("P"), *key.entries("P"), *key.in_digits("P")])
    return [*blocks, key.step("Tokens with their positions"), key.whole("X_p"), *key.in_digits("X_p")]


def _placed(key: SectionWriter, name: str, title: str) -> list[Block]:
    """Return queries or keys with their positions applied, and the angles once in a key."""
    key.shown.add(name)
    blocks, (_, angles) = [key.step(title)], key.layer.recipes[name].premises
    if (angles, 0) not in key.progress.added:
        key.progress.added.add((angles, 0))
        blocks.append(key.values(angles))
    return [*blocks, key.values(name), *key.entries(name), *key.in_digits(name)]


# A cache --------------------------------------------------------------------------------------------


def counted(key: SectionWriter) -> list[Block]:
    """State the savings of the cache and the numbers in it, once in a key."""
    if "N_cache" not in key.layer.recipes or "N_cache" in key.shown:
        return []
    key.shown.add("N_cache")
    n = key.problem.n_k
    texts = {
        "N_cache": f"With the cache each of the {n} tokens makes one product with every key up to its own:",
        "N_again": "Without it every step makes the scores of all its tokens again:",
        "N_kept": "Numbers in the cache, a key and a value of every token:",
    }
    blocks = [key.step("What the cache spares and keeps")]
    for name, words in texts.items():
        symbol, form = key.layer.scene.quantities[name].symbol, key.layer.scene.quantities[name].form
        if form is not None:
            literal = key.write.literal(Whole(name), "exact")
            statement = key.write.link(symbol, [symbol, form, literal], "exact")
            blocks.extend([Block("prose", (words,)), key.display(statement)])
    return blocks


# Block by block -------------------------------------------------------------------------------------


def online(key: SectionWriter) -> list[Block]:
    """Return the softmax worked block by block, with running maximum, sum and output, and the final output."""
    blocks: list[Block] = []
    if key.problem.policy.steps:
        blocks.append(Block("prose", (_EXACTLY,)))
    outputs = [name for name, quantity in key.layer.scene.quantities.items() if quantity.by_blocks]
    output = "O" if "O" in outputs else outputs[0]
    for number, (start, stop) in enumerate(blocks_of(key.problem), 1):
        keys = f"key {start}" if start == stop else f"keys {start} to {stop}"
        blocks.append(key.step(f"Block {number}, {keys}"))
        *numbers, output_so_far = letters_of(key.problem)
        blocks.extend(_grid(key, f"{letter}@{number}") for letter in numbers)
        blocks.append(_grid(key, f"{output_so_far}@{number}", is_matrix=True))
    blocks.append(key.step("Output, over the last sum"))
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
