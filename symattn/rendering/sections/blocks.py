"""Norms, residual sums and the network around attention in a key, worked out."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.analysis.undefined_norms import undefined_norms
from symattn.graph.builders.layer import Layer, is_of_block
from symattn.graph.forms.definitions import definitions
from symattn.graph.quantities.scene import Whole
from symattn.problem.schema.fields import NETWORK
from symattn.rendering.latex.typesetting import math
from symattn.rendering.sections.displays import SectionWriter, beside, row_length, size
from symattn.rendering.sections.document import Block

_STEPS = (
    ("residual", ("R_1",)),
    ("norm", ("mu_1", "var_1", "ms_1", "N_1", "Y_1")),
    ("network", tuple(NETWORK)),
    ("second_residual", ("R_2",)),
    ("second_norm", ("mu_2", "var_2", "ms_2", "N_2", "Y_2")),
)
_OF_NETWORK = {"hidden": "F_1", "active": "F_act", "output": "F_2"}
"""Names of quantities in the sentence about a network."""

_NORM = frozenset({*_STEPS[0][1], *_STEPS[1][1]})


def block_parts(key: SectionWriter, word: str, tokens: tuple[int, ...]) -> list[Block]:
    """Return the blocks of ``norm``, the first sum and norm, of ``ffn``, the network, or of the whole ``block``.

    What was shown before is not shown again.
    """
    made = [name for name in key.layer.recipes if is_of_block(name)]
    blocks: list[Block] = []
    for title, names in sorted(_STEPS, key=lambda step: _first(step[1], made)):
        wanted = [name for name in made if name in names and not _is_shown(key, name) and _is_asked(name, word)]
        if not wanted:
            continue
        blocks.extend([key.step(key.words.say(f"block.steps.{title}")), *_meaning(key, wanted)])
        pieces = _given(key, wanted)
        for name in wanted:
            key.progress.added.add((name, 0))
            pieces.extend(_quantity(key, name, tokens))
        blocks.extend(beside(*pieces))
    return blocks


def _is_shown(key: SectionWriter, name: str) -> bool:
    """Return whether a key, that of any head, has had a quantity already."""
    return (name, 0) in key.progress.added


def _first(names: tuple[str, ...], made: list[str]) -> int:
    return min((made.index(name) for name in names if name in made), default=len(made))


def _is_asked(name: str, word: str) -> bool:
    return word == "block" or name in (_NORM if word == "norm" else NETWORK)


def before_attention(key: SectionWriter) -> list[Block]:
    """Return the norm that attention starts from, where norms come first."""
    block = key.problem.block
    if block is None or block.placement != "pre" or block.norm == "none":
        return []
    names = [name for name in _STEPS[1][1] if name in key.layer.recipes and not _is_shown(key, name)]
    if not names:
        return []
    key.progress.added.update((name, 0) for name in names)
    pieces = [*_given(key, names), *(piece for name in names for piece in _quantity(key, name, ()))]
    return [key.step(key.words.say("block.norm_before")), *_meaning(key, names), *beside(*pieces)]


def _given(key: SectionWriter, names: Sequence[str]) -> list[Block]:
    """Return the vectors of the sheet that a step takes; no product shows their numbers."""
    taken = [premise for name in names for premise in key.layer.recipes[name].premises]
    vectors = [name for name in taken if name.startswith(("gamma_", "beta_", "b_F"))]
    return [key.values(name) for name in vectors] if key.detail != "brief" else []


def _meaning(key: SectionWriter, names: Sequence[str]) -> list[Block]:
    """Return sentences about the quantities of a step: the output of the block, an affine map, a norm, a network."""
    say = key.words.say
    lines = [say("block.is_output", symbol=_symbol(key, name)) for name in names if name == key.layer.output]
    lines.extend(_of_affine(key, name) for name in names if name.startswith("Y_"))
    if "F_1" in names and "F_act" in names and "F_2" in names:
        symbols = {word: _symbol(key, name) for word, name in _OF_NETWORK.items()}
        lines.append(say("block.of_network", **symbols))
    if any(name.startswith("N_") for name in names):
        is_rms = any(name.startswith("ms_") for name in names)
        lines.append(say("block.of_mean_square" if is_rms else "block.of_norm"))
    return [Block("prose", tuple(lines))] if lines else []


def _of_affine(key: SectionWriter, name: str) -> str:
    """Return what is done to a normalised token, entry by entry."""
    premises = key.layer.recipes[name].premises
    changes = [
        key.words.say(f"block.affine.{word}", symbol=_symbol(key, given))
        for word in ("gamma", "beta")
        for given in premises
        if given.startswith(word)
    ]
    normed = _symbol(key, name.replace("Y_", "N_"))
    return key.words.say("block.of_affine", output=_symbol(key, name), normed=normed, changes=changes)


def _symbol(key: SectionWriter, name: str) -> str:
    return math(key.layer.scene.quantities[name].symbol)


def _quantity(key: SectionWriter, name: str, tokens: tuple[int, ...]) -> list[Block]:
    """Return one quantity: its definition in names, its entries, and its value."""
    quantity = key.layer.scene.quantities[name]
    places = [place for place in _places(key, name, tokens) if key.is_defined(name, *place)]
    blocks: list[Block] = []
    items = [key.write.entry(name, *place) for place in places]
    is_short = len(places) < size(key.layer.exact(name).shape) and not tokens
    is_displayed = not tokens and key.write.is_defined(name)
    worked = key.worked(items, row_length(places), is_displayed=is_displayed, is_short=is_short) if items else []
    blocks.extend(worked)
    blocks.extend(_undefined(key, name, _places(key, name, tokens)))
    if tokens and blocks:
        return blocks
    if quantity.vector:
        return [*([] if key.detail == "every-product" else _value(key, name)), *blocks]
    forms = definitions(key.layer.scene, Whole(name))
    if quantity.definition.rule in {"sum", "product", "product-plus"} and key.write.is_defined(name):
        has_numbers = key.detail != "brief"
        shown = key.display(key.fitting(lambda shown: key.write.whole(name, shown, operands=has_numbers)))
        return [shown, *blocks] if forms else blocks
    return [*(key.result(name) if name == key.layer.output else _value(key, name)), *blocks]


def _value(key: SectionWriter, name: str) -> list[Block]:
    if not key.write.is_defined(name):
        return []
    return [key.values(name)]


def _undefined(key: SectionWriter, name: str, places: list[tuple[int, int]]) -> list[Block]:
    """Return a word about tokens that a norm does not define: all their entries are alike, and nothing is added."""
    exact = key.layer.exact(name)
    without = [place for place in places if exact[place[0] - 1, place[1] - 1] is UNDEFINED]
    if not without:
        return []
    at = 0 if key.problem.tokens == "rows" or key.layer.scene.quantities[name].vector else 1
    if name not in {"N_1", "N_2"}:
        tokens = sorted({place[at] for place in without})
        return [Block("prose", (key.words.say("block.without_value", count=len(tokens), tokens=tokens),))]
    shown = {place[at] for place in places}
    here, before = ([token for token in tokens if token in shown] for tokens in undefined_norms(key.layer, name))
    said = [
        key.words.say(why, count=len(found), tokens=found)
        for why, found in (("block.zero_norm", here), ("block.norm_of_nothing", before))
        if found
    ]
    return [Block("prose", tuple(said))]


def _places(key: SectionWriter, name: str, tokens: tuple[int, ...]) -> list[tuple[int, int]]:
    if key.layer.scene.quantities[name].vector:
        return [(row, 1) for row in tokens or range(1, key.layer.exact(name).shape[0] + 1)]
    return key.places(name, tokens)


def sentences(layer: Layer) -> list[str]:
    """Define a block, in the first lines of a key."""
    block = layer.problem.block
    if block is None:
        return []
    words, lines = layer.problem.words, list[str]()
    if block.norm != "none":
        where = "before" if block.placement == "pre" else "after_sums" if block.residual else "after"
        where += "_attention" if where != "after_sums" and "F_1" not in layer.recipes else ""
        eps = layer.scene.quantities.get("eps")
        added = "" if eps is None else f"${math(eps.symbol)} = {_power(block.eps)}$"
        values = {"where": words.say(f"block.where.{where}"), "eps": added}
        lines.append(words.say(f"block.norms.{block.norm}{'_eps' if added else ''}", **values))
    if "F_1" in layer.recipes:
        lines.append(words.say(f"block.activation.{block.activation}"))
    if "F_gated" in layer.recipes:
        lines.append(words.say("block.gated"))
    if not block.residual:
        lines.append(words.say("block.no_residual"))
    if any(not value.is_closed for name in layer.recipes if is_of_block(name) for value in layer.exact(name)):
        lines.append(words.say("block.no_closed_form"))
    return lines


def _power(eps: object) -> str:
    text = str(eps)
    top, _, below = text.partition("/")
    zeros = len(below) - 1
    if top == "1" and below == f"1{'0' * zeros}":
        return f"10^{{-{zeros}}}"
    return text
