"""The first lines of a document: how the sheet writes attention, how it rounds, and what was given."""

from __future__ import annotations

from collections.abc import Iterable

from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.builders.layer import DECIMAL, Layer, base_of, is_of_gradients
from symattn.graph.forms.definitions import Running, definitions, running_forms
from symattn.graph.key_judge.claims import is_blind
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Whole, entry_of
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Shown
from symattn.graph.statements.solution import Statements
from symattn.languages.catalogue import Words
from symattn.notation.tree import nodes as t
from symattn.problem.components.data import group_of
from symattn.problem.model import Problem
from symattn.problem.settings.policy import Policy
from symattn.problem.settings.score_steps import saturating
from symattn.rendering.content import Beside, Line
from symattn.rendering.latex.typesetting import math
from symattn.rendering.latex.widths import LINE, width
from symattn.rendering.sections import blocks, positions
from symattn.rendering.sections.document import Ledger
from symattn.rendering.sentences import tell


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
    problem, words = layer.problem, layer.problem.words
    matrices = [f"${math(layer.scene.quantities[name].symbol)}$" for name in _token_matrices(layer)]
    lines: list[Line] = [words.say(f"conventions.tokens.{problem.tokens}", matrices=matrices)]
    view, of_view = first or layer, of_first or write
    if problem.heads:
        lines.append(heads_sentence(layer))
    if problem.kind != "given":
        source = layer if "Q" in layer.recipes else view
        names = ["Q", "K_new", "V_new"] if problem.cached else ["Q", "K", "V"]
        lines.extend(_definitions(source, ledger, names, "conventions.projections"))
    if problem.positions is not None or problem.cached:
        lines.extend(positions.sentences(view, ledger))
    if problem.heads > 1:
        lines.append(words.say("conventions.first_head"))
    lines.extend(_scores(view, ledger))
    lines.extend(_scale(view, of_view, ledger))
    lines.extend(_added(view, ledger, whole or problem))
    kind = "softmax_one" if problem.softmax_one else "softmax"
    lines.extend(_definitions(view, ledger, ["A"], f"conventions.{kind}.{layer.axis}"))
    lines.extend(_definitions(view, ledger, ["O"], "conventions.outputs"))
    if view is not layer:
        lines.extend(_joint(layer, ledger))
    if problem.block is not None:
        lines.extend(blocks.sentences(layer))
    lines.append(policy_sentence(words, problem.policy, layer.axis if layer.is_shifted else ""))
    if not problem.policy.steps and not layer.free:
        lines.append(words.say("policy.unrounded"))
    if problem.forms == "auto" and _is_in_decimals(layer):
        lines.append(words.say("conventions.in_decimals"))
    if problem.policy.steps_name == "all" and problem.scale.kind == "1/sqrt(d_k)":
        lines.append(words.say("conventions.exact_scale"))
    if saturating(problem.used) < len(problem.used) or problem.score == "additive":
        lines.append(words.say("conventions.certified"))
    elif problem.block is None and _has_enclosed(layer):
        lines.append(words.say("conventions.enclosed"))
    if problem.gradient is not None:
        gradient, output = (math(layer.scene.quantities[name].symbol) for name in (f"d{layer.output}", layer.output))
        lines.append(words.say("conventions.gradients", gradient=gradient, output=output))
    if layer.free:
        lines.append(words.say("conventions.free"))
    return lines


def _is_in_decimals(layer: Layer) -> bool:
    """Return whether decimals are shown of a quantity that has a closed form without exponentials."""
    made = (layer.scene.quantities[name] for name in layer.recipes if base_of(name) not in DECIMAL)
    each = ([value for value in item.exact if value.is_finite] for item in made if item.style == "decimal")
    return any(
        all(map(_is_polynomial, values)) and any(value.rational() is None for value in values) for values in each
    )


def _is_polynomial(value: Quotient) -> bool:
    return value.is_closed and value.polynomial() is not None


def _has_enclosed(layer: Layer) -> bool:
    """Return whether a number is known by enclosures; the loss says so itself of what follows from it."""
    is_of_loss = "P_O" in layer.recipes and any(not value.is_closed for value in layer.exact("P_O"))
    names = [name for name in layer.recipes if not (is_of_loss and is_of_gradients(name))]
    return any(not value.is_closed for name in names for value in layer.exact(name))


def defaults(layer: Layer) -> str:
    """Return the defaults that were taken for open choices of the sheet, for its author."""
    used = [name for name in layer.problem.defaults_used if name != "fully_masked" or _has_blind_queries(layer)]
    words = layer.problem.words
    choices = list(dict.fromkeys(words.say(f"defaults.{name}") for name in used))
    return words.say("conventions.defaults", choices=choices) if choices else ""


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


def _definitions(layer: Layer, ledger: Ledger, names: list[str], sentence: str) -> list[Line]:
    stated: list[Statement] = []
    for name in names:
        symbol = layer.scene.quantities[name].symbol
        forms = definitions(layer.scene, Whole(name))
        form = softmax_form(layer) if name == "A" else forms[0]
        stated.append(ledger.state(Statement(symbol, t.Relation((symbol, form), ("=",)), "exact")))
    return tell(layer.problem.words, sentence, definitions=stated)


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
    problem, words = layer.problem, layer.problem.words
    if problem.heads_apart:
        takes = words.say("heads.takes.matrices" if problem.kind == "given" else "heads.takes.weights")
    else:
        takes = words.say(f"heads.takes.of_{problem.tokens}")
    if problem.kv_heads == problem.heads:
        return words.say("heads.own", count=problem.heads, takes=takes)
    numbers = range(1, problem.heads + 1)
    groups = [group_of(head, problem.heads, problem.kv_heads) for head in numbers]
    shared = {"numbers": numbers, "kv_heads": problem.kv_heads, "groups": groups}
    return words.say("heads.shared", count=problem.heads, takes=takes, **shared)


def _scores(layer: Layer, ledger: Ledger) -> list[Line]:
    if layer.scene.quantities["S"].definition.rule in {"cosine", "additive"}:
        return _score_function(layer, ledger)
    if "G" in layer.recipes:
        return _definitions(layer, ledger, ["G", "S"], "conventions.general_scores")
    return _definitions(layer, ledger, ["S"], "conventions.scores")


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
        maps = _definitions(layer, ledger, ["Q_w", "K_w"], "conventions.additive_maps")
        return [*maps, *tell(layer.problem.words, "conventions.additive_scores", scores=stated)]
    return tell(layer.problem.words, "conventions.cosine_scores", scores=stated)


def _added(layer: Layer, ledger: Ledger, told: Problem) -> list[Line]:
    """Return the bias, the mask, and the order of what is done to the scores where that could be another."""
    lines: list[Line] = []
    words = layer.problem.words
    for name in layer.chain:
        if name == "S_scaled":
            continue
        symbol = layer.scene.quantities[name].symbol
        form = definitions(layer.scene, Whole(name))[0]
        stated = ledger.state(Statement(symbol, t.Relation((symbol, form), ("=",)), "exact"))
        if name == "S_capped":
            cap = layer.scene.quantities["cap"].symbol
            literal = layer.scene.literal(Whole("cap"), "exact") or cap
            value = ledger.state(Statement(cap, t.Relation((cap, literal), ("=",)), "exact"))
            lines.extend(tell(words, "conventions.capped", scores=stated, cap=value))
            continue
        added = told.bias if name == "S_biased" else told.mask
        described = added.describe(words) if added is not None else ""
        lines.extend(tell(words, f"conventions.added.{name}", scores=stated, described=described))
    if len(layer.chain) > 1:
        done = [words.say(f"score_steps.{name}.done") for name in layer.chain]
        lines.append(words.say("conventions.order", done=done))
    return lines


def _joint(layer: Layer, ledger: Ledger) -> list[Line]:
    """Return the definitions of the joined heads and of the output projection."""
    names = [name for name in ("C", "O") if name in layer.recipes]
    if not layer.problem.heads:
        names = ["O"]
    return _definitions(layer, ledger, names, "conventions.joined" if layer.problem.heads else "conventions.projected")


def _scale(layer: Layer, write: Statements, ledger: Ledger) -> list[Line]:
    words = layer.problem.words
    if "S_scaled" not in layer.recipes:
        return [words.say("conventions.not_scaled")]
    quantities = layer.scene.quantities
    factor = quantities["c"]
    product = definitions(layer.scene, Whole("S_scaled"))[0]
    scaled = Statement(
        quantities["S_scaled"].symbol, t.Relation((quantities["S_scaled"].symbol, product), ("=",)), "exact"
    )
    ledger.state(scaled)
    sides = [factor.symbol, *_factor_forms(layer, factor)]
    literal = layer.scene.literal(Whole("c"), write.valuation("c"))
    if literal is not None and literal not in sides:
        sides.append(literal)
    if len(sides) == 1:
        return tell(words, "conventions.scaled", scores=scaled)
    value = ledger.state(write.chain(factor.symbol, sides, write.valuation("c")))
    if layer.problem.scale.kind == "1/sqrt(d_k)":
        length = math(layer.scene.quantities["d_k"].symbol)
        return tell(words, "conventions.scaled_by_length", scores=scaled, factor=value, length=length)
    return tell(words, "conventions.scaled_by", scores=scaled, factor=value)


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


def policy_sentence(words: Words, policy: Policy, shifted_axis: str = "") -> str:
    """Return the rounding policy in a sentence, and that maxima are subtracted along an axis, if they are.

    >>> from symattn.languages.catalogue import words_of
    >>> from symattn.problem.settings.policy import Policy
    >>> policy_sentence(words_of("en"), Policy(Rounding(places=2)))
    'Nothing is rounded on the way; numbers printed as decimals are rounded once, to 2 decimals (ties round half up).'
    """
    each = [f"{words.say(f'rounding_steps.{step}')} {rounding_words(words, own)}" for step, own in policy.each]
    digits = rounding_words(words, policy.rounding) + (f" ({'; '.join(each)})" if each else "")
    digits = words.say(f"policy.ties.{policy.rounding.ties}", digits=digits)
    scope = "end" if not policy.steps else "all" if policy.steps_name == "all" else "some"
    manner = "truncated" if policy.rounding.ties == "truncate" else "rounded"
    steps = [words.say(f"rounding_steps.{step}") for step in policy.steps] if scope == "some" else ""
    text = words.say(f"policy.{manner}.{scope}", digits=digits, steps=steps)
    return f"{text} {words.say(f'policy.shifted.{shifted_axis}')}" if policy.shift and shifted_axis else text


def task_policy(words: Words, policy: Policy) -> str:
    """Return the rounding policy as a question says it.

    >>> from symattn.languages.catalogue import words_of
    >>> from symattn.problem.settings.policy import Policy
    >>> task_policy(words_of("en"), Policy(Rounding(places=2), steps=()))
    'Round the results to 2 decimals.'
    """
    scope = "end" if not policy.steps else "all" if policy.steps_name == "all" else "some"
    manner = "truncate" if policy.rounding.ties == "truncate" else "round"
    steps = [words.say(f"rounding_steps.{step}") for step in policy.steps] if scope == "some" else ""
    return words.say(f"questions.{manner}.{scope}", digits=rounding_words(words, policy.rounding), steps=steps)


def rounding_words(words: Words, rounding: Rounding) -> str:
    """Return ``2 decimals`` or ``3 significant figures``.

    >>> from symattn.languages.catalogue import words_of
    >>> rounding_words(words_of("en"), Rounding(figures=3))
    '3 significant figures'
    """
    if rounding.places is not None:
        return words.say("decimals", count=rounding.places)
    return words.say("figures", count=rounding.figures)


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
    return layer.problem.words.say("foot.steps" if layer.problem.policy.steps else "foot.exact")
