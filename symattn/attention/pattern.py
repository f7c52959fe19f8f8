"""The pattern of an attention map, from exact values: who attends to whom, hubs, ties, entropy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symattn.attention.layer import Layer
from symattn.attention.naming import namings
from symattn.derivation import quantity as q
from symattn.derivation.claims import Weights, column_sum, level, weights_of
from symattn.exact.entropy import entropy
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding, decimal
from symattn.exact.sign import compare


@dataclass(frozen=True, slots=True)
class Query:
    """What one query attends to.

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
        queries: one entry for each query.
        hub: the key with the largest total weight, None when several share it.
        totals: the total weight of each key, certified digits.
        coincide: pairs of queries whose weights are the same as shown.
        no_own: whether, as shown, no query attends to its own position (self-attention only).
        own_largest: whether each query attends most to its own position (self-attention only).
    """

    queries: tuple[Query, ...]
    hub: int | None
    totals: tuple[str, ...]
    coincide: tuple[tuple[int, int], ...]
    no_own: bool
    own_largest: bool
    threshold: Fraction

    def as_json(self) -> dict[str, object]:
        """The pattern as JSON can hold it."""
        return {
            "solid": [[query.number, key] for query in self.queries for key in query.largest],
            "dashed": [[query.number, key] for query in self.queries if query.second_drawn for key in query.second],
            "threshold": str(self.threshold),
            "ties": [[query.number, *query.largest] for query in self.queries if len(query.largest) > 1],
            "second": [[query.number, *query.second] for query in self.queries if query.second],
            "hub": self.hub,
            "column_sums": list(self.totals),
            "entropy": [_settled(query.entropy) for query in self.queries],
            "coincide": [list(pair) for pair in self.coincide],
            "no_own": self.no_own,
            "own_largest": self.own_largest,
        }


def _settled(digits: tuple[str, str]) -> str:
    low, high = digits
    return low if low == high else f"[{low}, {high}] not settled"


def attention_pattern(layer: Layer) -> Pattern | None:
    """The pattern of a layer, None where a free symbol leaves the order of the weights open."""
    if layer.exact(layer.logits).symbols:
        return None
    weights = weights_of(layer.scene, layer.logits)
    rounding = layer.scene.quantities["A"].display
    queries = tuple(_query(layer, weights, number, rounding) for number in range(1, len(weights.lines) + 1))
    keys = range(1, len(weights.lines[0]) + 1)
    sums = [column_sum(weights, key) for key in keys]
    is_self = layer.problem.kind == "self"
    return Pattern(
        queries=queries,
        hub=_hub(sums),
        totals=tuple(decimal(total, rounding) for total in sums),
        coincide=_coincide(weights),
        no_own=is_self and all(query.number not in query.nonzero for query in queries),
        own_largest=is_self and all(query.largest == (query.number,) for query in queries),
        threshold=layer.problem.diagram_threshold,
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
        entropy=entropy(scores, rounding),
    )


def _hub(sums: list[Quotient]) -> int | None:
    found = level(tuple(sums))
    return found[0] if len(found) == 1 and len(sums) > 1 else None


def _coincide(weights: Weights) -> tuple[tuple[int, int], ...]:
    count = len(weights.shown)
    if count > _MAX_COMPARED:
        return ()
    return tuple(
        (i + 1, j + 1) for i in range(count) for j in range(i + 1, count) if weights.shown[i] == weights.shown[j]
    )


_MAX_COMPARED = 64


def with_entropies(layer: Layer, pattern: Pattern) -> Layer:
    """The layer with the entropies of its pattern as a quantity of certified digits."""
    naming = namings(layer.problem)["entropy"]
    weights = layer.scene.quantities["A"]
    digits = tuple(query.entropy[0] for query in pattern.queries)
    zeros = layer.exact("Z").scale(0)
    entropies = q.Quantity(
        name="entropy",
        symbol=naming.symbol,
        entry_symbol=naming.entry,
        exact=zeros,
        carried=zeros.rows,
        definition=q.Given(),
        display=weights.display,
        style="decimal",
        vector=True,
        digits=digits,
    )
    scene = layer.scene.with_quantities([entropies])
    return Layer(layer.problem, scene, layer.recipes)
