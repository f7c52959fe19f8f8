"""Hypothetical mistakes: the definitions of quantities altered, and the values that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from symattn.checking.graph.formulas import Axis, Cell, axis_of_sum, axis_of_weights, scaled
from symattn.checking.graph.quantities import (
    Graph,
    Node,
    Valuation,
    other_roots,
    scores_of,
    sizes_of,
)
from symattn.checking.mistake_catalogue import CODES, explain
from symattn.checking.mistakes import blocks, gradients, masks_biases_heads, positions
from symattn.checking.mistakes.slips import Slip, other_products, slip
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import Layer, base_of, is_of_block, is_of_gradients
from symattn.operations.formulas.formula import Apply, Formula, Ref, is_of, make, softmax

AXES: tuple[Axis, ...] = ("columns", "rows", "all")

_MOST_TERMS = 200
"""Terms below the bar of a gradient up to which mistakes in what it is made of are tried too."""

_BEFORE_SOFTMAX = frozenset({"S_masked", "S_biased", "E"})


class AlteredValues:
    """All values under a hypothetical mistake: from the exact ones, and from the written numbers.

    Args:
        mistake: the mistake.
        graph: the quantities without it.
    """

    def __init__(self, mistake: Slip, graph: Graph) -> None:
        self.mistake = mistake
        names = dict(mistake.changed)
        nodes = {**graph.nodes, **{name: replace(graph.nodes[name], formula=names[name]) for name in names}}
        self.touched = frozenset({*names}.union(*(graph.below(name) for name in names)))
        left = {name: values for name, values in graph.known.items() if name not in self.touched}
        self.graph = Graph(nodes, graph.given, left)
        self.exact = Valuation(self.graph)
        self._own = self.exact

    def is_of(self, written: Mapping[Cell, Quotient]) -> bool:
        """Return whether the values follow from the written numbers."""
        return self._own.written == written

    def own(self, written: Mapping[Cell, Quotient]) -> Valuation:
        """Return the values from the written numbers, cached until these change."""
        if not self.is_of(written):
            self._own = Valuation(self.graph, written)
        return self._own


class Alterations:
    """Mistakes that can be made at the definitions of quantities.

    Args:
        graph: the quantities.
        layer: the layer that makes them, None for definitions of a sheet's own.
    """

    def __init__(self, graph: Graph, layer: Layer | None = None) -> None:
        self.graph = _with_factors(graph)
        self.layer = layer
        self._found: dict[str, list[Slip]] = {}

    def of(self, name: str) -> list[Slip]:
        """Return the mistakes on the way to a quantity, the likeliest first."""
        if name not in self._found:
            found = [item for other in self._path(name) for item in self._at(other, name)]
            # Of a backward pass the nearest mistake comes first: each is worked out through sums over all tokens.
            near = {name} if is_of_gradients(name) else {item.changed[0][0] for item in found}
            order = list(CODES)
            self._found[name] = sorted(found, key=lambda item: (item.changed[0][0] not in near, order.index(item.code)))
        return self._found[name]

    def _path(self, name: str) -> list[str]:
        """Return a quantity and its ancestors as far as the scores, the nearest first."""
        found = [name]
        for other in found:
            formula = self.graph.nodes[other].formula
            if is_of_block(name) and (blocks.is_border(other, name) or not is_of_block(other)):
                continue
            if formula is not None and not (is_of(formula, "product") and other != name):
                found.extend(sorted(parent for parent in self.graph.parents(other) if parent not in found))
        if is_of_block(name):
            return blocks.path_of(found)
        # What went wrong forward is told there; going through it again for every gradient takes long.
        if not is_of_gradients(name):
            return found
        return [name] if self._is_long(name) else list(filter(is_of_gradients, found))

    def _is_long(self, name: str) -> bool:
        """Return whether a gradient has hundreds of terms under its bar, as of four tokens that all see each other."""
        known = self.graph.known.get(name)
        return known is not None and any(
            value.is_finite and value.is_closed and len(value.denominator.integers[0]) > _MOST_TERMS for value in known
        )

    def _at(self, name: str, target: str) -> Iterator[Slip]:
        """Yield the mistakes that can be made at one definition."""
        graph, is_gradient = self.graph, is_of_gradients(name)
        yield from self._of_weights(name, target)
        if is_of_block(name):
            yield from blocks.slips_of_block(graph, name)
        if name == target and "N_1" in graph:
            yield from blocks.slips_of_normed(graph, name)
        problem = None if self.layer is None else self.layer.problem
        is_turned = problem is not None and (problem.positions is not None or problem.cached or problem.online)
        turned = positions.slips_of_positions(self.layer, graph.nodes[name]) if is_turned else ()
        for item in (*masks_biases_heads.slips_at(graph, name, target), *turned):
            # A path of a gradient is a term that is forgotten too, and has words of its own.
            if item.code != "bias-forgotten" or not is_gradient:
                yield item
        if is_gradient:
            yield from gradients.slips_of_gradients(graph, name)

    def _of_weights(self, name: str, target: str) -> Iterator[Slip]:
        """Yield the mistakes on the way from scores to weights, and in products."""
        formula = self.graph.nodes[name].formula
        match formula:
            case Apply("scale", _, (Ref(factor), of)):
                words = explain("missing-scale")
                if is_of_gradients(name) and name != target:
                    words = explain("missing-scale", "gradient", name=name)
                elif name != target and base_of(target) not in _BEFORE_SOFTMAX:
                    words = explain("unscaled-softmax")
                yield slip(words, name, of)
                others = {explain("inverted-scale"): f"1/{factor}", explain("scale-d_k"): f"{factor}²"}
                others |= {explain("scale-other", size=size): f"{factor}/√{size}" for size in sizes_of(self.graph)}
                for words, other in others.items():
                    if other in self.graph:
                        yield slip(words, name, make("scale", Ref(other), of))
            case Apply("softmax" | "softmax-over", _, (of,)):
                for along in AXES:
                    if along != axis_of_weights(formula):
                        yield from self._softmax_over(along, name, of)
            case Apply("quotient" | "masked-quotient" | "entrywise-quotient", _, (Ref(above), Ref(below), *_)):
                scores, axis = scores_of(formula, self.graph), axis_of_weights(formula)
                if scores is not None and axis != "all" and axis_of_sum(self.graph.nodes[below].formula) is not None:
                    across: Axis = "columns" if axis == "rows" else "rows"
                    yield from self._softmax_over(across, name, scores)
                    if axis is not None and self.graph.adds_one:
                        yield slip(explain("dropped-one", "added"), name, softmax(scores, axis))
                if name == target:
                    yield slip(explain("not-normalised"), name, Ref(above))
            case Apply("product"):
                for is_order, made in other_products(self.graph, formula):
                    if not is_order:
                        yield slip(explain("no-transpose"), name, made)

    def _softmax_over(self, axis: Axis, name: str, scores: Formula) -> Iterator[Slip]:
        """Yield the softmax over an axis; where 1 is added to the sums of the problem, with it and without it."""
        for more in dict.fromkeys((self.graph.adds_one, False)):
            yield slip(other_axis(axis), name, softmax(scores, axis, more=more))


def other_axis(axis: str) -> tuple[str, str]:
    """Return the code and the sentence on a softmax along another axis."""
    return explain("wrong-axis", "all") if axis == "all" else explain("wrong-axis", axis=axis)


def _with_factors(graph: Graph) -> Graph:
    """Return the graph with each scale also turned over and squared."""
    nodes, given = dict(graph.nodes), dict(graph.given)
    for node in graph.nodes.values():
        found = scaled(node.formula)
        if found is None or found[0] not in given:
            continue
        factor = found[0]
        value = given[factor][0, 0]
        if value.is_zero:
            continue
        made = {f"1/{factor}": Quotient.of(Fraction(1)) / value, f"{factor}²": value * value}
        made.update((f"{factor}/√{size}", root) for size, root in other_roots(graph, value))
        for label, changed in made.items():
            nodes[label] = Node(label, (1, 1), None)
            given[label] = Matrix([[changed]])
    return Graph(nodes, given, graph.known)
