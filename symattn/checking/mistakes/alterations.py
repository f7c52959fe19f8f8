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
    shape_of,
    sizes_of,
)
from symattn.checking.mistakes.blocks import is_border, path_of, slips_of_block, slips_of_normed
from symattn.checking.mistakes.catalogue import CODES, explain
from symattn.checking.mistakes.gradients import slips_of_gradients
from symattn.checking.mistakes.masks_biases_heads import slips_at
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import base_of, is_of_block, is_of_gradients
from symattn.operations.formulas.formula import Apply, Formula, Ref, is_of, make, softmax, transpose
from symattn.records import dataclass

AXES: tuple[Axis, ...] = ("columns", "rows", "all")

_MOST_TERMS = 200
"""Terms below the bar of a gradient up to which mistakes in what it is made of are tried too."""

_BEFORE_SOFTMAX = frozenset({"S_masked", "S_biased", "E"})


@dataclass(frozen=True, slots=True)
class Alteration:
    """A hypothetical mistake: some quantities defined differently."""

    code: str
    text: str
    changed: tuple[tuple[str, Formula], ...]


class AlteredValues:
    """All values under a hypothetical mistake: from the exact ones, and from the written numbers.

    Args:
        alteration: the mistake.
        graph: the quantities without it.
    """

    def __init__(self, alteration: Alteration, graph: Graph) -> None:
        self.alteration = alteration
        nodes = dict(graph.nodes)
        for name, formula in alteration.changed:
            nodes[name] = replace(nodes[name], formula=formula)
        names = {name for name, _ in alteration.changed}
        self.touched = frozenset(names.union(*(graph.below(name) for name in names)))
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
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = _with_factors(graph)
        self._found: dict[str, list[Alteration]] = {}

    def of(self, name: str) -> list[Alteration]:
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
            if is_of_block(name) and (is_border(other, name) or not is_of_block(other)):
                continue
            if formula is not None and not (is_of(formula, "product") and other != name):
                found.extend(sorted(parent for parent in self.graph.parents(other) if parent not in found))
        if is_of_block(name):
            return path_of(found)
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

    def _at(self, name: str, target: str) -> Iterator[Alteration]:
        """Yield the mistakes that can be made at one definition."""
        formula = self.graph.nodes[name].formula
        match formula:
            case Apply("scale", _, (Ref(factor), of)):
                words = explain("missing-scale")
                if is_of_gradients(name) and name != target:
                    words = explain("missing-scale", "gradient", name=name)
                elif name != target and base_of(target) not in _BEFORE_SOFTMAX:
                    words = explain("unscaled-softmax")
                yield Alteration(*words, ((name, of),))
                others = {explain("inverted-scale"): f"1/{factor}", explain("scale-d_k"): f"{factor}²"}
                others |= {explain("scale-other", size=size): f"{factor}/√{size}" for size in sizes_of(self.graph)}
                for words, other in others.items():
                    if other in self.graph:
                        yield Alteration(*words, ((name, make("scale", Ref(other), of)),))
            case Apply("softmax" | "softmax-over", _, (of,)):
                for axis in AXES:
                    if axis != axis_of_weights(formula):
                        yield Alteration(*other_axis(axis), ((name, softmax(of, axis)),))
            case Apply("quotient" | "masked-quotient" | "entrywise-quotient", _, (Ref(above), Ref(below), *_)):
                yield from self._other_axis(name, above, below, axis_of_weights(formula))
                if name == target:
                    yield Alteration(*explain("not-normalised"), ((name, Ref(above)),))
            case Apply("product", _, (left, right)):
                yield from self._without_transpose(name, left, right)
        if is_of_block(name):
            for code, text, changed in slips_of_block(self.graph, name):
                yield Alteration(code, text, changed)
        if name == target and "N_1" in self.graph:
            for code, text, changed in slips_of_normed(self.graph, name):
                yield Alteration(code, text, changed)
        for code, text, changed in (*slips_at(self.graph, name, target), *self.graph.nodes[name].slips):
            # A path of a gradient is a term that is forgotten too, and has words of its own.
            if code != "bias-forgotten" or not is_of_gradients(name):
                yield Alteration(code, text, changed)
        if is_of_gradients(name):
            for code, text, changed in slips_of_gradients(self.graph, name):
                yield Alteration(code, text, changed)

    def _other_axis(self, name: str, above: str, below: str, axis: Axis | None) -> Iterator[Alteration]:
        if axis_of_sum(self.graph.nodes[below].formula) is None or axis == "all":
            return
        match self.graph.nodes[above].formula:
            case Apply("exponential", _, (scores,)):
                other: Axis = "columns" if axis == "rows" else "rows"
                yield Alteration(*other_axis(other), ((name, softmax(scores, other)),))

    def _without_transpose(self, name: str, left: Formula, right: Formula) -> Iterator[Alteration]:
        for first in (left, transpose(left)):
            for second in (right, transpose(right)):
                if (first, second) == (left, right):
                    continue
                inner, outer = shape_of(first, self.graph), shape_of(second, self.graph)
                if inner[1] == outer[0] and (inner[0], outer[1]) == self.graph.shape(name):
                    yield Alteration(*explain("no-transpose"), ((name, make("product", first, second)),))


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
