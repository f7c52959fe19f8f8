"""Statements about whole matrices and about all indices: dimensions, entries of QKᵀ, rows of AV."""

from __future__ import annotations

from symattn.graph.builders.layer import Layer
from symattn.graph.forms.definitions import Running, definitions, running_forms
from symattn.graph.key_judge.claims import Claim
from symattn.graph.quantities.scene import Whole, entry_of, indexed
from symattn.graph.quantities.statement import Statement
from symattn.notation.tree import nodes as t
from symattn.rendering.content import Line
from symattn.rendering.latex.typesetting import math
from symattn.rendering.sections.conventions import softmax_form
from symattn.rendering.sections.document import Block, Ledger
from symattn.rendering.sentences import tell

_I, _J, _R = t.Name("i"), t.Name("j"), t.Name("r")


def shapes(layer: Layer, ledger: Ledger) -> list[Block]:
    """Return ``Q = X W_Q ∈ R^{3 × 2}`` for every matrix of the layer, and the agreement of inner dimensions."""
    lines: list[str] = []
    if layer.problem.projection in {"W x", "W^T x"} and layer.problem.kind == "self":
        lines.extend(_stacking(layer))
    is_placed = layer.problem.positions is not None or layer.problem.cached > 0
    placed = ("X_p", "Q", "K_new", "V_new", "Q_rot", "K_rot") if is_placed else ()
    names = (*placed, "Q", "K", "V", "G", "Q_w", "K_w", "S", *_of_scores(layer), "A", "O")
    items = [_shape(layer, name, ledger) for name in dict.fromkeys(names) if name in layer.scene.quantities]
    blocks = [Block("prose", tuple(lines or [layer.problem.words.say("identities.dimensions")]))]
    return [*blocks, Block("grid", items=tuple(items))]


def joint_shapes(layer: Layer, names: tuple[str, ...], title: str, ledger: Ledger) -> list[Block]:
    """Return the shapes of the matrices that heads share: those they take parts of, and the joined ones."""
    items = [_shape(layer, name, ledger) for name in names if name in layer.recipes]
    if not items:
        return []
    return [Block("prose", (title,)), Block("grid", items=tuple(items))]


def _of_scores(layer: Layer) -> list[str]:
    """Return the shapes of scaled, biased and masked scores, each behind its summand."""
    names: list[str] = []
    for name in layer.chain:
        definition = layer.scene.quantities[name].definition
        if definition.rule in {"sum", "mask"}:
            names.append(definition.premises[1])
        names.append(name)
    return names


def _shape(layer: Layer, name: str, ledger: Ledger) -> Statement:
    """Return ``S = Q K^T ∈ R^{3 × 4}``."""
    quantity = layer.scene.quantities[name]
    forms = definitions(layer.scene, Whole(name))
    form = softmax_form(layer) if name == "A" else (forms[0] if forms else None)
    sides = [quantity.symbol, *([form] if form is not None else [])]
    space = t.Space(tuple(t.Number(str(size)) for size in quantity.shape))
    operators = ("=",) * (len(sides) - 1) + ("∈",)
    return ledger.state(Statement(quantity.symbol, t.Relation((*sides, space), operators), "exact"))


def _stacking(layer: Layer) -> list[str]:
    """Derive the product of matrices from the vectors of the sheet, stacked."""
    scene = layer.scene
    line, symbol = scene.quantities["Q"].line_symbol, scene.quantities["Q"].symbol
    source = scene.quantities["X"]
    if line is None or source.line_symbol is None:
        return []
    values = {
        "vector": math(indexed(line, (_I,))),
        "matrix": math(symbol),
        "form": math(definitions(scene, Whole("Q"))[0]),
    }
    return [layer.problem.words.say(f"identities.stacked.{layer.problem.tokens}", **values)]


def score_entry(layer: Layer, ledger: Ledger) -> list[Block]:
    """Return ``(Q K^T)_{i,j} = Σ_r Q_{i,r} K_{j,r} = q_i^T k_j = z_{i,j}``, for all i and j."""
    scene = layer.scene
    quantity = scene.quantities["S"]
    made = scene.made("S")
    if made is None or not made.operation.products:
        return _score_function(layer, ledger)
    name, part, total, _, *dots = running_forms(scene, Running(quantity, (_I, _J), is_row=False), _R)
    sides = [part, total, *dots, name]
    words = layer.problem.words
    if "G" in layer.recipes:
        why = words.say("identities.mapped_score", map=math(scene.quantities["W_S"].symbol))
    else:
        why = words.say("identities.score")
    return _for_all(layer, ledger, sides, quantity.shape, why, _axes(layer))


def _score_function(layer: Layer, ledger: Ledger) -> list[Block]:
    """Return a cosine or an additive score of a query and a key, for all of them."""
    quantity = layer.scene.quantities["S"]
    # The name itself comes first of the forms, the one with a sum over r second.
    form = running_forms(layer.scene, Running(quantity, (_I, _J), is_row=False), _R)[1]
    why = layer.problem.words.say(f"identities.score_functions.{quantity.definition.rule}")
    return _for_all(layer, ledger, [entry_of(quantity, _I, _J), form], quantity.shape, why, _axes(layer))


def output_row(layer: Layer, ledger: Ledger) -> list[Block]:
    """Return ``(A V)_i = Σ_j a_{i,j} v_j^T``, for all i."""
    scene = layer.scene
    outputs, values = (scene.quantities[name] for name in ("O", "V"))
    if values.line_symbol is None or layer.problem.tokens != "rows":
        return _output_entries(layer, ledger)
    sides = list(running_forms(scene, Running(outputs, (_I,), is_row=True), _J))
    why = layer.problem.words.say("identities.output_row")
    return _for_all(layer, ledger, sides, (outputs.shape[0],), why, ("outputs",))


def _output_entries(layer: Layer, ledger: Ledger) -> list[Block]:
    """Return ``(V A)_{i,j} = Σ_r V_{i,r} A_{r,j} = O_{i,j}``, for all i and j, if rows lack named vectors."""
    outputs = layer.scene.quantities["O"]
    name, part, total, *_ = running_forms(layer.scene, Running(outputs, (_I, _J), is_row=False), _R)
    sides = [part, total, name]
    why = layer.problem.words.say(f"identities.output_entry.{layer.problem.tokens}")
    kinds = ("outputs", "") if layer.problem.tokens == "rows" else ("", "outputs")
    return _for_all(layer, ledger, sides, outputs.shape, why, kinds)


def _axes(layer: Layer) -> tuple[str, str]:
    """Return the names of the rows and the columns of scores."""
    return ("outputs", "inputs") if layer.axis == "rows" else ("inputs", "outputs")


def _for_all(
    layer: Layer, ledger: Ledger, sides: list[t.Node], limits: tuple[int, ...], why: str, kinds: tuple[str, ...]
) -> list[Block]:
    names = ("i", "j")[: len(limits)]
    ranges = tuple(zip(names, limits, strict=True))
    statement = Statement(sides[0], t.Relation(tuple(sides), ("=",) * (len(sides) - 1)), "exact", None, ranges)
    return [
        Block("prose", (why,)),
        Block("display", items=(ledger.state(statement),)),
        Block("prose", tuple(_reach(layer, ledger, ranges, kinds))),
    ]


def _reach(layer: Layer, ledger: Ledger, ranges: tuple[tuple[str, int], ...], kinds: tuple[str, ...]) -> list[Line]:
    """Return ``for all i = 1, …, 3 and j = 1, …, 4``; a range of outputs or inputs claims their number."""
    is_open = layer.is_symbolic(layer.logits)
    values: dict[str, object] = {}
    for place, (name, limit), kind in zip(("first", "second"), ranges, kinds, strict=False):
        claim = ledger.claim(Claim(kind, (limit,), layer.head)) if kind and not is_open else None
        values |= {place: claim, f"{place}_index": name, f"{place}_last": limit}
    return tell(layer.problem.words, f"identities.for_all.{len(ranges)}", **values)
