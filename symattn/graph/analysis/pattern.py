"""The pattern of an attention map, from exact values: who attends to whom, hubs, ties, entropy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from symattn.errors import UndecidedError
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws.entropy import entropy, is_zero
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.sign import compare
from symattn.exact.rounding.quotients import Rounding, format_rational
from symattn.graph.builders.layer import Layer
from symattn.graph.builders.names import namings, of_head
from symattn.graph.key_judge.claims import MAX_BITS, Weights, hub, level, same_line, total_bounds, weights_of
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import Definition, define
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    """Attention of one query: its largest and second weights, and their entropy.

    Attributes:
        number: the query, from 1.
        largest: the keys of the largest weight; several in an exact tie.
        second: the keys of the next distinct weight, none when all are tied.
        second_drawn: whether the second weight, as shown, is above the threshold of the diagram.
        nonzero: the keys whose weight, as shown, is not zero.
        entropy: certified digits of the entropy in natural units, a lower and an upper bound.
    """

    number: int
    largest: tuple[int, ...]
    second: tuple[int, ...]
    second_drawn: bool
    nonzero: tuple[int, ...]
    entropy: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The pattern of one attention map.

    Attributes:
        queries: one entry for each query that has weights: one that sees no key may have none.
        hub: the key whose total weight is proved to be the largest, if any is.
        totals: the total weight of each key, certified digits of a lower and an upper bound; none where a query
            has no weights.
        coincide: pairs of queries whose weights are the same as shown.
        no_own: whether, as shown, no query attends to its own position (self-attention only).
        own_largest: whether each query attends most to its own position (self-attention only).
        threshold: how large a weight must be to be drawn as the second of its output.
        count: how many queries there are, those without weights among them.
        alike: of `coincide` each later query with the first that it is like, and whether both are exactly the same.
    """

    queries: tuple[Query, ...]
    hub: int | None
    totals: tuple[tuple[str, str], ...]
    coincide: tuple[tuple[int, int], ...]
    no_own: bool
    own_largest: bool
    threshold: Fraction
    count: int
    alike: tuple[tuple[int, int, bool], ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the pattern as JSON can hold it; an entropy that is undefined is null."""
        known = {query.number: query.entropy for query in self.queries}
        return {
            "solid": [[query.number, key] for query in self.queries for key in query.largest],
            "dashed": [[query.number, key] for query in self.queries if query.second_drawn for key in query.second],
            "threshold": str(self.threshold),
            "ties": [[query.number, *query.largest] for query in self.queries if len(query.largest) > 1],
            "second": [[query.number, *query.second] for query in self.queries if query.second],
            "hub": self.hub,
            "totals": [_settled(total) for total in self.totals],
            "entropy": [_settled(known[number]) if number in known else None for number in range(1, self.count + 1)],
            "coincide": [list(pair) for pair in self.coincide],
            "no_own": self.no_own,
            "own_largest": self.own_largest,
        }


def _settled(digits: tuple[str, str]) -> str | None:
    low, high = digits
    if not low:
        return None
    return low if low == high else f"[{low}, {high}] not settled"


def attention_pattern(layer: Layer) -> Pattern | None:
    """Return the pattern of a layer, or None if a free symbol or unsettled constants leave the order open."""
    if layer.is_symbolic(layer.logits):
        return None
    is_placed = layer.problem.positions is not None and layer.problem.positions.traits.has_angles
    scores = [score for score in layer.exact(layer.logits) if score.is_finite]
    if any(score.polynomial() is None and (score.is_closed or not is_placed) for score in scores):
        return None  # the scores of a later block, which hold exponentials themselves
    try:
        return _pattern(layer)
    except UndecidedError:
        return None


def _pattern(layer: Layer) -> Pattern:
    weights = weights_of(layer.scene, layer.logits)
    rounding = summary_rounding(layer)
    numbers = [number for number in range(1, len(weights.lines) + 1) if number not in weights.undefined]
    queries = tuple(_query(layer, weights, number, rounding) for number in numbers)
    is_whole, coincide = not weights.undefined, _coincide(weights)
    is_self = layer.problem.kind == "self" and not layer.problem.cached  # cached keys stand before the own ones
    return Pattern(
        queries=queries,
        hub=hub(weights) if is_whole and len(weights.lines[0]) > 1 else None,
        totals=_totals(weights, rounding) if is_whole else (),
        coincide=coincide,
        no_own=is_self and is_whole and all(query.number not in query.nonzero for query in queries),
        own_largest=is_self and is_whole and all(query.largest == (query.number,) for query in queries),
        threshold=layer.problem.diagram_threshold,
        count=len(weights.lines),
        alike=_alike(weights, coincide),
    )


def _query(layer: Layer, weights: Weights, number: int, rounding: Rounding) -> Query:
    scores, shown = weights.scores[number - 1], weights.shown[number - 1]
    largest = level(scores)
    second = level(scores, frozenset(largest)) if len(largest) < len(scores) else ()
    threshold = Quotient.of(layer.problem.diagram_threshold)
    return Query(
        number=number,
        largest=largest,
        second=second,
        second_drawn=bool(second) and compare(shown[second[0] - 1], threshold) > 0,
        nonzero=tuple(key for key, value in enumerate(shown, 1) if not value.is_zero),
        entropy=_entropy(layer, scores, rounding),
    )


def _entropy(layer: Layer, scores: tuple[Quotient, ...], rounding: Rounding) -> tuple[str, str]:
    """Return the bounds of the entropy; empty for a query that sees no key, or with an extra 1 in the denominator."""
    is_softmax = any(score.is_finite for score in scores) and not layer.problem.softmax_one
    return entropy(scores, rounding) if is_softmax else ("", "")


def summary_rounding(layer: Layer) -> Rounding:
    """Return the decimals of entropies and totals: as many as the weights have; figures count as decimals.

    Entropies and totals are enclosed with absolute precision, so figures of a tiny one would not settle.
    """
    shown = layer.scene.quantities["A"].display
    return Rounding(places=shown.places if shown.places is not None else shown.figures, ties=shown.ties)


def _totals(weights: Weights, rounding: Rounding) -> tuple[tuple[str, str], ...]:
    bits = 64
    while True:
        ends = total_bounds(weights, bits)
        digits = tuple((format_rational(low, rounding), format_rational(high, rounding)) for low, high in ends)
        if bits >= MAX_BITS or all(low == high for low, high in digits):
            return digits
        bits *= 4


def _coincide(weights: Weights) -> tuple[tuple[int, int], ...]:
    count, undefined = len(weights.shown), weights.undefined
    if count > _MAX_COMPARED:
        return ()
    return tuple(
        (i + 1, j + 1)
        for i in range(count)
        for j in range(i + 1, count)
        if not undefined & {i + 1, j + 1} and weights.shown[i] == weights.shown[j]
    )


def _alike(weights: Weights, pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int, bool], ...]:
    """Return the pairs that coincide, each later query with the first that has its weights only."""
    found: dict[int, tuple[int, int, bool]] = {}
    for first, second in pairs:
        if first not in found and second not in found:
            found[second] = (first, second, same_line(weights, first, second))
    return tuple(sorted(found.values()))


_MAX_COMPARED = 64


def with_summaries(layer: Layer, pattern: Pattern) -> Layer:
    """Return the layer with the entropies and the totals of its pattern, as quantities of certified digits.

    There are none where a query has no weights, or has some that do not sum to 1.
    """
    if not pattern.totals or not all(query.entropy[0] for query in pattern.queries):
        return layer
    weights = weights_of(layer.scene, layer.logits)
    entropies = zip(map(is_zero, weights.scores), (query.entropy[0] for query in pattern.queries), strict=True)
    nothing = (all(weight.is_zero for weight in column) for column in zip(*weights.lines, strict=True))
    totals = zip(nothing, (low for low, _ in pattern.totals), strict=True)
    made = [
        _summary(layer, name, definition, tuple(q.ZERO if is_exact else digits for is_exact, digits in found))
        for name, definition, found in (
            ("entropy", define("entropy", layer.logits, axis=layer.axis), entropies),
            ("totals", define("total", "A", axis=layer.axis), totals),
        )
    ]
    return replace(layer, scene=layer.scene.with_quantities(made))


def _summary(layer: Layer, name: str, definition: Definition, digits: tuple[str, ...]) -> q.Quantity:
    naming = of_head(namings(layer.problem)[name], layer.head)
    zeros = Matrix([[0]] * len(digits))
    return q.Quantity(
        name=name,
        symbol=naming.symbol,
        entry_symbol=naming.entry,
        exact=zeros,
        carried=zeros.rows,
        definition=definition,
        display=summary_rounding(layer),
        style="decimal",
        vector=True,
        digits=digits,
        head=layer.head,
    )
