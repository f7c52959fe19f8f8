"""The first lines of a document: how the sheet writes attention, how it rounds, and what was given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from symattn import late
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.builders.layer import Layer, base_of
from symattn.graph.forms.definitions import Running, definitions, running_forms
from symattn.graph.key_judge.claims import is_blind
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Whole, entry_of
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Shown
from symattn.graph.statements.solution import Statements
from symattn.notation.tree import nodes as t
from symattn.problem.components.data import group_of
from symattn.problem.model import Problem
from symattn.problem.settings.policy import Policy
from symattn.problem.settings.score_steps import saturating
from symattn.rendering.content import Beside, Line, Stated
from symattn.rendering.latex.typesetting import listed, math
from symattn.rendering.latex.widths import LINE, width
from symattn.rendering.sections.document import Ledger

if TYPE_CHECKING:
    from symattn.rendering.sections import blocks, labels, positions
else:
    blocks = late.module("symattn.rendering.sections.blocks")
    labels = late.module("symattn.rendering.sections.labels")
    positions = late.module("symattn.rendering.sections.positions")

_CERTIFIED = (
    "Values of tanh are kept as they are; the digits of numbers behind them are certified by enclosures, "
    "and any that do not settle are given as an interval (not settled)."
)


def header(
    layer: Layer,
    write: Statements,
    ledger: Ledger,
    first: Layer | None = None,
    of_first: Statements | None = None,
    whole: Problem | None = None,
) -> list[Line]:
    """Return the conventions and the policy, in sentences of LaTeX, one list of source lines.

    Where there are heads, `first` is the view of the first one, of which the scores, the weights and the output
    are told. `whole` is the batch that the problem is one sequence of: its mask is told, which may differ from
    sequence to sequence.
    """
    problem = layer.problem
    lines: list[Line] = [f"Tokens are the {problem.tokens} of"]
    lines.append(listed([f"${math(layer.scene.quantities[name].symbol)}$" for name in _token_matrices(layer)]) + ".")
    view, of_view = first or layer, of_first or write
    if problem.heads:
        lines.append(heads_sentence(layer))
    if problem.kind != "given":
        source = layer if "Q" in layer.recipes else view
        names = ["Q", "K_new", "V_new"] if problem.cached else ["Q", "K", "V"]
        lines.extend(_definitions(source, ledger, names, "Projections:"))
    if problem.positions is not None or problem.cached:
        lines.extend(positions.sentences(view, ledger))
    if problem.heads > 1:
        lines.append("Of the first head, and of the others likewise:")
    lines.extend(_scores(view, ledger))
    lines.extend(_scale(view, of_view, ledger))
    lines.extend(_added(view, ledger, whole or problem))
    along = "row" if layer.axis == "rows" else "column"
    extra = ", with an extra 1 in the denominator" if problem.softmax_one else ""
    lines.extend(_definitions(view, ledger, ["A"], f"The softmax runs over each {along}{extra}:"))
    lines.extend(_definitions(view, ledger, ["O"], "Outputs:"))
    if view is not layer:
        lines.extend(_joint(layer, ledger))
    if problem.block is not None:
        lines.extend(blocks.sentences(layer))
    lines.append(policy_sentence(problem.policy, along if layer.is_shifted else ""))
    if problem.policy.steps_name == "all" and problem.scale.kind == "1/sqrt(d_k)":
        lines.append("The scale factor itself is kept exact.")
    if saturating(problem.used) < len(problem.used) or problem.score == "additive":
        lines.append(_CERTIFIED)
    if layer.free:
        lines.append("Values with a free symbol stay in closed form.")
    return lines


def defaults(layer: Layer) -> str:
    """Return the defaults that were taken for open choices of the sheet, for its author."""
    used = [name for name in layer.problem.defaults_used if name != "fully_masked" or _has_blind_queries(layer)]
    words = [labels.DEFAULTS.get(name, name.replace("_", r"\_")) for name in used]
    return f"Taken by default: {listed(list(dict.fromkeys(words)))}." if words else ""


def _has_blind_queries(layer: Layer) -> bool:
    """Return whether a query of some head has all keys masked; scores without a value mask none."""
    if layer.problem.softmax_one:
        return False
    scores = [layer.exact(_scores_of(layer, name)) for name in layer.recipes if name.partition("^")[0] == "A"]
    return any(is_blind(line) for matrix in scores for line in (matrix if layer.axis == "rows" else matrix.T).rows)


def _scores_of(layer: Layer, weights: str) -> str:
    """Return the scores under the exponentials of weights, before any maximum is taken off."""
    exponentials, *_ = layer.recipes[weights].premises
    scores, *_ = layer.recipes[exponentials].premises
    return layer.recipes[scores].premises[0] if layer.recipes[scores].rule == "shift" else scores


def _token_matrices(layer: Layer) -> list[str]:
    names = [name for name in layer.problem.inputs if name.startswith("X")]
    return names or [name for name in layer.problem.inputs if name[0] in "QKV"]


def _definitions(layer: Layer, ledger: Ledger, names: list[str], title: str) -> list[Line]:
    lines: list[Line] = [title]
    for position, name in enumerate(names):
        symbol = layer.scene.quantities[name].symbol
        forms = definitions(layer.scene, Whole(name))
        form = softmax_form(layer) if name == "A" else forms[0]
        statement = ledger.state(Statement(symbol, t.Relation((symbol, form), ("=",)), "exact"))
        lines.append(Stated(statement, "." if position == len(names) - 1 else ","))
    return lines


def softmax_form(layer: Layer) -> t.Node:
    """Return ``softmax(S)``; softargmax where a sheet with tokens in columns declares β, as is usual there."""
    forms = definitions(layer.scene, Whole("A"))
    is_softargmax = layer.problem.tokens == "columns" and layer.problem.scale.kind == "beta"
    return forms[-1] if is_softargmax else forms[0]


def heads_sentence(layer: Layer) -> str:
    """Return the number of heads and their dimensions, in a sentence.

    >>> from symattn.graph.builders.attention import attention_layer
    >>> from symattn.problem.model import Problem
    >>> heads_sentence(attention_layer(Problem.build(Q=[[1, 2]], K=[[1, 2]], V=[[1, 2]], heads=2)))
    'There are 2 heads; each takes its own columns of the queries, keys and values, side by side in their order.'
    """
    problem = layer.problem
    count = "There is 1 head" if problem.heads == 1 else f"There are {problem.heads} heads"
    if problem.heads_apart:
        takes = "each has weights of its own" if problem.kind != "given" else "each has matrices of its own"
    else:
        is_rows = problem.tokens == "rows"
        side, lie = ("columns", "side by side") if is_rows else ("rows", "one below the other")
        takes = f"each takes its own {side} of the queries, keys and values, {lie} in their order"
    if problem.kv_heads == problem.heads:
        return f"{count}; {takes}."
    numbers = range(1, problem.heads + 1)
    groups = listed([str(group_of(head, problem.heads, problem.kv_heads)) for head in numbers])
    shared = f"heads {listed(list(map(str, numbers)))} use keys and values {groups}"
    return f"{count} and {problem.kv_heads} of keys and values; {takes}; {shared}."


def _scores(layer: Layer, ledger: Ledger) -> list[Line]:
    if layer.scene.quantities["S"].definition.rule in {"cosine", "additive"}:
        return _score_function(layer, ledger)
    if "G" in layer.recipes:
        return _definitions(layer, ledger, ["G", "S"], "Scores, general:")
    return _definitions(layer, ledger, ["S"], "Scores:")


def _score_function(layer: Layer, ledger: Ledger) -> list[Line]:
    """Return the cosine, or the additive score, told of one entry for all."""
    quantities = layer.scene.quantities
    scores = quantities["S"]
    names = ("i", "j")
    indices = (t.Name("i"), t.Name("j"))
    subject = entry_of(scores, *indices)
    found = Running(scores, indices, is_row=False)
    # The name itself comes first of the forms, the one with a sum over r second.
    form = running_forms(layer.scene, found, t.Name("r"))[1]
    ranges = tuple(zip(names, scores.shape, strict=True))
    stated = ledger.state(Statement(subject, t.Relation((subject, form), ("=",)), "exact", None, ranges))
    if scores.definition.rule == "additive":
        maps = _definitions(layer, ledger, ["Q_w", "K_w"], "Scores, additive:")
        return [*maps, Stated(stated, ".")]
    words = "Scores, the cosine of a query and a key, their product over their lengths:"
    return [words, Stated(stated, ".")]


def _added(layer: Layer, ledger: Ledger, told: Problem) -> list[Line]:
    """Return the bias, the mask, and the order of what is done to the scores where that could be another."""
    lines: list[Line] = []
    for name in layer.chain:
        if name == "S_scaled":
            continue
        says, symbol = labels.SCORE_STEPS[name]["says"], layer.scene.quantities[name].symbol
        form = definitions(layer.scene, Whole(name))[0]
        stated = ledger.state(Statement(symbol, t.Relation((symbol, form), ("=",)), "exact"))
        if name == "S_capped":
            cap = layer.scene.quantities["cap"].symbol
            literal = layer.scene.literal(Whole("cap"), "exact") or cap
            value = ledger.state(Statement(cap, t.Relation((cap, literal), ("=",)), "exact"))
            lines.extend([says, Stated(stated, ""), "with", Stated(value, ".")])
            continue
        words = told.bias if name == "S_biased" else told.mask
        lines.extend([says, Stated(stated, ""), f"({words.describe() if words is not None else ''})."])
    if len(layer.chain) > 1:
        done = listed([labels.SCORE_STEPS[name]["done"] for name in layer.chain])
        lines.append(f"In this order: {done}, then the softmax.")
    return lines


def _joint(layer: Layer, ledger: Ledger) -> list[Line]:
    """Return the definitions of the joined heads and of the output projection."""
    names = [name for name in ("C", "O") if name in layer.recipes]
    if not layer.problem.heads:
        names = ["O"]
    return _definitions(layer, ledger, names, "Together:" if layer.problem.heads else "Projected:")


def _scale(layer: Layer, write: Statements, ledger: Ledger) -> list[Line]:
    if "S_scaled" not in layer.recipes:
        return ["The scores are not scaled."]
    quantities = layer.scene.quantities
    factor = quantities["c"]
    lines: list[Line] = [labels.SCORE_STEPS["S_scaled"]["says"]]
    product = definitions(layer.scene, Whole("S_scaled"))[0]
    scaled = Statement(
        quantities["S_scaled"].symbol, t.Relation((quantities["S_scaled"].symbol, product), ("=",)), "exact"
    )
    lines.append(Stated(ledger.state(scaled), ""))
    sides = [factor.symbol, *_factor_forms(layer, factor)]
    literal = layer.scene.literal(Whole("c"), write.valuation("c"))
    if literal is not None and literal not in sides:
        sides.append(literal)
    if len(sides) == 1:
        return [*lines, "."]
    value = write.chain(factor.symbol, sides, write.valuation("c"))
    return [*lines, "with", Stated(ledger.state(value), ".")]


def _factor_forms(layer: Layer, factor: q.Quantity) -> list[t.Node]:
    """Return ``1/√d_k``, and the same with the number substituted."""
    if factor.form is None:
        return []
    if layer.problem.scale.kind != "1/sqrt(d_k)":
        return [factor.form]
    root = t.Root(layer.scene.quantities["d_k"].symbol)
    number = t.Root(t.Number(str(layer.d_k)))
    # With a slash: these stand in running text.
    return [t.Division(t.Number("1"), body, bar=False) for body in (root, number)]


def policy_sentence(policy: Policy, along: str = "row") -> str:
    """Return the rounding policy in a sentence.

    >>> from symattn.problem.settings.policy import Policy
    >>> policy_sentence(Policy(Rounding(places=2)))
    'All values are exact to the end; those shown as decimals are rounded once, to 2 decimals, ties half-up.'
    """
    digits = rounding_words(policy.rounding)
    ties = "" if policy.rounding.ties == "truncate" else f", ties {policy.rounding.ties}"
    each = "; ".join(f"{labels.ROUNDING_STEPS[step]} {rounding_words(own)}" for step, own in policy.each)
    tail = f" ({each})" if each else ""
    if not policy.steps:
        text = f"All values are exact to the end; those shown as decimals are rounded once, to {digits}{tail}{ties}."
    elif policy.steps_name == "all":
        text = f"Every step is rounded to {digits}{tail}{ties}, and the rounded values are carried on."
    else:
        steps = listed([labels.ROUNDING_STEPS[step] for step in policy.steps])
        text = f"Rounded to {digits}{tail}{ties}, and carried on: {steps}; everything else stays exact."
    if policy.rounding.ties == "truncate":
        text = text.replace("rounded", "truncated").replace("Rounded", "Truncated")
    if policy.shift and along:
        text += f" The maximum of each {along} is subtracted before the exponentials."
    return text


def rounding_words(rounding: Rounding) -> str:
    """Return ``2 decimals`` or ``3 significant figures``.

    >>> rounding_words(Rounding(figures=3))
    '3 significant figures'
    """
    if rounding.places is not None:
        return f"{rounding.places} decimal{'' if rounding.places == 1 else 's'}"
    return f"{rounding.figures} significant figure{'' if rounding.figures == 1 else 's'}"


def given(
    layer: Layer, write: Statements, ledger: Ledger, line: float = LINE, names: Iterable[str] | None = None
) -> Beside:
    """Return the inputs of the problem, or those of some names, as displayed matrices."""
    statements: list[Statement] = []
    for name in layer.problem.inputs if names is None else names:
        statement = write.values(name, Shown(8))
        if width(statement.written) > line:
            statement = write.values(name, Shown(5))
        statements.append(ledger.state(statement))
    return Beside(tuple(statements))


def given_names(layer: Layer) -> tuple[str, ...]:
    """Return the names of the inputs, and of a mask or bias that its words do not fully describe.

    >>> from symattn.graph.builders.attention import attention_layer
    >>> tables = {"Q": [[1]], "K": [[1], [2]], "V": [[1], [2]]}
    >>> given_names(attention_layer(Problem.build(**tables, mask={"keep": [[1, 0]]})))
    ('Q', 'K', 'V', 'M')
    >>> given_names(attention_layer(Problem.build(**tables, mask="causal", bias={"alibi": 1})))
    ('Q', 'K', 'V')
    """
    bias, mask = layer.problem.bias, layer.problem.mask
    told = {
        "B": bias is None or bias.is_told,
        "M": mask is None or not (mask.keep or mask.drop or mask.add),
    }
    made = (name for name in layer.recipes if not told.get(base_of(name), True))
    return (*layer.problem.inputs, *made)


def foot(layer: Layer) -> str:
    """Return the note at the end of a key, about how it was proved."""
    if layer.problem.policy.steps:
        return (
            "Every statement was proved before it was printed: carried values follow from those before them under the "
            "stated rounding; totals, entropies, ratios and exact weights are rounded once."
        )
    return (
        "Each closed form is exact, each decimal is correctly rounded, and both were proved before they were printed."
    )
