"""Caveats for the instructor about a key, to be read before it is handed out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import reduce
from itertools import groupby

from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.sign import compare
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.quotients import Rounding, decimal, decimals, tie
from symattn.graph.analysis import undefined_norms
from symattn.graph.analysis.pattern import Pattern
from symattn.graph.builders.layer import Layer
from symattn.graph.key_judge.claims import Weights, seen, weights_of
from symattn.graph.quantities.quantity import Grid, Quantity
from symattn.graph.quantities.scene import Entry, Scene
from symattn.graph.rules import RULES, write_rounding
from symattn.notation.writers.plain import write_plain
from symattn.problem.caveats import Caveat

_MAX_NAMED = 6
_MAX_LETTERS = 12


def layer_caveats(layer: Layer, pattern: Pattern | None) -> tuple[Caveat, ...]:
    """Return the warnings of a worked layer; none about order or digits where a symbol is free.

    >>> from symattn.graph.builders.attention import attention_layer
    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(Q=[[1]], K=[[1], [1]], V=[[1], [2]], scale="none")
    >>> from symattn.graph.analysis.pattern import attention_pattern
    >>> layer = attention_layer(p)
    >>> [warning.code for warning in layer_caveats(layer, attention_pattern(layer))]
    ['tied-largest']
    """
    found = [*_norms(layer)]
    if pattern is None:
        return tuple(found)
    weights = weights_of(layer.scene, layer.logits)
    found += [
        *_boundary_ties(layer),
        *_undefined(layer),
        *_hidden(layer, weights),
        *_tied(pattern),
        *_saturated(layer, pattern),
        *_row_sums(layer, weights),
        *_reversed(weights),
        *_differs(layer),
    ]
    return tuple(found)


def head_caveats(layer: Layer, heads: Sequence[tuple[Layer, Pattern | None]]) -> tuple[Caveat, ...]:
    """Return the warnings of every head, which say which head they are about, and those of what joins the heads.

    Args:
        layer: the whole layer.
        heads: its heads with their patterns; the layer itself where it has none.
    """
    if heads[0][0] is layer:
        return layer_caveats(layer, heads[0][1])
    found = [*_norms(layer)]
    for view, pattern in heads:
        own = [item for item in layer_caveats(view, pattern) if item not in found]
        found += [replace(item, text=f"Head {view.head}: {item.text}") if view.head else item for item in own]
    if all(pattern is not None for _, pattern in heads):
        found += [*_boundary_ties(layer, ("O",)), *_differs(layer, ("O",))]
    return tuple(found)


def definition_caveats(layer: Layer) -> Iterator[Caveat]:
    """Yield warnings about undefined entries of definitions: by definition, or since a sum rounded to 0."""
    for name in layer.problem.definitions:
        quantity = layer.scene.quantities[name]
        if any(value is UNDEFINED for value in quantity.exact):
            yield Caveat("undefined", name, f"Entries of {name} have no value: something is divided by 0.")
        elif any(value is None for row in quantity.carried for value in row):
            text = (
                f"Under the rounding policy entries of {name} have no value: a sum rounds to 0; round at the end, "
                "or take more places."
            )
            yield Caveat("undefined-stepwise", name, text)


def _norms(layer: Layer) -> tuple[Caveat, ...]:
    """Return the norms that are 0/0."""
    if layer.problem.block is None:
        return ()
    return undefined_norms.norm_caveats(layer)


def _boundary_ties(layer: Layer, names: Sequence[str] = ()) -> Iterator[Caveat]:
    """Yield values exactly half-way between two neighbours: there half-up and half-even differ."""
    if layer.problem.policy.steps:
        for name in names or layer.recipes:
            places = [_reference(layer.scene, name, i, j) for i, j in _tied_places(layer, name)]
            if places:
                yield Caveat("tie-at-boundary", places[0], _tie_sentence(places))
        return
    for name in names or ("A", "O"):
        quantity = layer.scene.quantities[name]
        rows = quantity.exact.rows
        tied = _ties(rows, quantity.display)
        if tied:
            places = [_reference(layer.scene, name, i, j) for i, j in tied]
            yield Caveat("tie-at-boundary", places[0], _tie_sentence(places))


def _tie_sentence(places: list[str]) -> str:
    verb = "lies" if len(places) == 1 else "lie"
    return f"{_listed(places)} {verb} exactly half-way at the rounding boundary, where the tie rules differ."


def _tied_places(layer: Layer, name: str) -> list[tuple[int, int]]:
    """Return the places at which the carried derivation of a quantity rounds a tie, products included."""
    quantity, recipe = layer.scene.quantities[name], layer.recipes[name]
    if recipe.rule not in RULES or (quantity.rounding is None and quantity.products is None):
        return []
    premises = tuple(layer.scene.quantities[premise].carried for premise in recipe.premises)
    arguments = dict(recipe.arguments)
    found: list[tuple[int, int]] = []
    if quantity.products is not None:
        found.extend(_tied_products(quantity, premises, arguments))
    if quantity.rounding is not None:
        products = {"products": write_rounding(quantity.products)} if quantity.products else {}
        found.extend(_ties(RULES[recipe.rule].apply(premises, {**arguments, **products}), quantity.rounding))
    return sorted(set(found))


def _tied_products(
    quantity: Quantity, premises: tuple[Grid, ...], arguments: dict[str, str]
) -> Iterator[tuple[int, int]]:
    """Yield the entries of a product of matrices one of whose products is a tie."""
    left, right = (
        tuple(zip(*values, strict=True)) if arguments.get(side) == "transposed" else values
        for side, values in zip(("left", "right"), premises[:2], strict=True)
    )
    for i, row in enumerate(left, 1):
        for j, column in enumerate(zip(*right, strict=True), 1):
            pairs = zip(row, column, strict=True)
            products = tuple(None if a is None or b is None else a * b for a, b in pairs)
            if quantity.products is not None and _ties((products,), quantity.products):
                yield i, j


def _ties(values: Grid, rounding: Rounding) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i, row in enumerate(values, 1)
        for j, value in enumerate(row, 1)
        if value is not None and _is_tie(value, rounding)
    ]


def _is_tie(value: Quotient, rounding: Rounding) -> bool:
    return value.is_finite and not value.symbols and tie(value, rounding)


def _undefined(layer: Layer) -> Iterator[Caveat]:
    for index, (value,) in enumerate(layer.scene.quantities["Z"].carried, 1):
        if value is not None and value.is_zero and not layer.exact("Z")[index - 1, 0].is_zero:
            where = write_plain(layer.scene.reference(Entry("Z", index, 1)))
            text = (
                f"{where} rounds to 0, so the rounded weights of that line are undefined: "
                "subtract the row maximum (shift = true) or take more places."
            )
            yield Caveat("row-sum-zero", where, text)


def _hidden(layer: Layer, weights: Weights) -> Iterator[Caveat]:
    """Yield queries that see no key, and large numbers that stand for minus infinity and are none."""
    blind = weights.blind
    if blind:
        who = f"Query {blind[0]} sees" if len(blind) == 1 else f"Queries {_listed([str(item) for item in blind])} see"
        has_one = layer.problem.softmax_one
        its = "its" if len(blind) == 1 else "their"
        what = {
            "undefined": f"{its} weights are undefined (0/0); fully_masked can say zeros or uniform"
            if not has_one
            else f"{its} weights are all 0, as only the extra 1 of softmax_one is left in the sum",
            "zeros": f"{its} weights are all 0, as fully_masked says",
            "uniform": f"{its} weights are all alike, as fully_masked says",
        }[layer.problem.fully_masked]
        yield Caveat("fully-masked", f"output {blind[0]}", f"{who} no key: {what}.")
    mask = layer.problem.mask
    if mask is not None and mask.stand_ins:
        numbers = _listed([_short(number) for number in mask.stand_ins])
        text = f"The mask adds {numbers}, which is a number and hides nothing entirely; -inf does."
        yield Caveat("mask-number", "mask", text)


def _short(number: Fraction) -> str:
    """Return a number as people write it: a long one by its power of ten.

    >>> _short(Fraction(-10000)), _short(Fraction(-(10**300))), _short(Fraction(-123456789012345))
    ('-10000', '-1e+300', '-1.23457e+14')
    """
    text = str(number)
    if len(text) <= _MAX_LETTERS:
        return text
    shown = Context(prec=6).divide(Decimal(number.numerator), Decimal(number.denominator))
    return str(shown.normalize()).lower()


def _tied(pattern: Pattern) -> Iterator[Caveat]:
    for query in pattern.queries:
        if len(query.largest) > 1:
            keys = _listed([str(key) for key in query.largest])
            tie = f"Output {query.number} has an exact tie for its most influential input: {keys}"
            text = f"{tie}; the diagram draws all of them solid."
            yield Caveat("tied-largest", f"output {query.number}", text)


def _saturated(layer: Layer, pattern: Pattern) -> Iterator[Caveat]:
    mask = seen_by(layer)
    lines = [str(query.number) for query in pattern.queries if len(query.nonzero) == 1 < len(mask[query.number - 1])]
    if lines and layer.problem.n_k > 1:
        who = f"output {lines[0]} attends" if len(lines) == 1 else f"each of the outputs {_listed(lines)} attends"
        text = f"To the digits shown, {who} to one input alone: saturated weights."
        yield Caveat("saturated", f"output {lines[0]}", text)


def seen_by(layer: Layer) -> list[tuple[int, ...]]:
    """Return the keys that each query sees, from 1."""
    return [seen(scores) for scores in weights_of(layer.scene, layer.logits).scores]


def _row_sums(layer: Layer, weights: Weights) -> Iterator[Caveat]:
    rounding = layer.scene.quantities["A"].display
    if rounding.places is None or layer.problem.softmax_one:
        return
    found: list[tuple[int, str]] = []
    for number, line in enumerate(weights.shown, 1):
        if number in weights.undefined or all(value.is_zero for value in weights.lines[number - 1]):
            continue
        total = line[0]
        for value in line[1:]:
            total = total + value
        if total != Quotient.of(1):
            found.append((number, decimal(total, rounding)))
    if found:
        who = _listed([f"output {number} to {total}" for number, total in found])
        text = f"Rounded weights do not sum to 1: those of {who}."
        yield Caveat("row-sum", f"output {found[0][0]}", text)


def _reversed(weights: Weights) -> Iterator[Caveat]:
    """Yield pairs whose order the rounded weights turn round, one of each output."""
    for number, (line, scores) in enumerate(zip(weights.shown, weights.scores, strict=True), 1):
        turned = None if number in weights.undefined else _turned(line, scores)
        if turned:
            first, second = turned
            text = f"Rounding reverses the order of the weights of inputs {first} and {second} in output {number}."
            yield Caveat("rank-reversed", f"output {number}", text)


def _turned(line: tuple[Quotient, ...], scores: tuple[Quotient, ...]) -> tuple[int, int] | None:
    """Return two positions, the first with the smaller weight as shown and the larger score."""
    below: int | None = None
    for _, level in groupby(sorted(range(len(line)), key=lambda j: line[j].rational() or 0), key=lambda j: line[j]):
        group = list(level)
        for position in group:
            if below is not None and compare(scores[below], scores[position]) > 0:
                return below + 1, position + 1
        largest = [*group] if below is None else [below, *group]
        below = reduce(lambda best, j: j if compare(scores[j], scores[best]) > 0 else best, largest)
    return None


def _differs(layer: Layer, names: Sequence[str] = ("A", "O")) -> Iterator[Caveat]:
    if not layer.problem.policy.steps:
        return
    for name in names:
        changed = differing(layer, name)
        if changed:
            places = [_reference(layer.scene, name, i, j) for i, j in changed]
            verb = "differs" if len(places) == 1 else "differ"
            text = f"Under the rounding policy {_listed(places)} {verb} from the answer rounded once at the end."
            yield Caveat("policy-differs", places[0], text)


def differing(layer: Layer, name: str) -> list[tuple[int, int]]:
    """Return the entries whose step-rounded value is not the exact value rounded once, undefined ones left out."""
    quantity = layer.scene.quantities[name]
    pairs = {
        (i, j): (value, right)
        for i, (carried, exact) in enumerate(zip(quantity.carried, quantity.exact.rows, strict=True), 1)
        for j, (value, right) in enumerate(zip(carried, exact, strict=True), 1)
        if value is not None and right.is_finite
    }
    stepwise = decimals((value for value, _ in pairs.values()), quantity.rounding or quantity.display)
    once = decimals((right for _, right in pairs.values()), quantity.display)
    return [place for place, first, second in zip(pairs, stepwise, once, strict=True) if first != second]


def _reference(scene: Scene, name: str, row: int, column: int) -> str:
    # In sentences the number of a head stands in one pair of brackets, as on paper.
    return write_plain(scene.reference(Entry(name, row, column))).replace("^((", "^(").replace("))", ")")


def _listed(items: list[str]) -> str:
    """Join items as "A, B and C"; count those beyond the limit."""
    if len(items) > _MAX_NAMED:
        return f"{', '.join(items[:_MAX_NAMED])} and {len(items) - _MAX_NAMED} more"
    if len(items) == 1:
        return items[0]
    return f"{', '.join(items[:-1])} and {items[-1]}"
