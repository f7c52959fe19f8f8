"""Mistakes with positions, caches and blocks of keys.

A mistake in a rotation is the same formula with other tables of sines and cosines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symattn.checking.graph.formulas import Constant, Exponential, Joined, Masked, Plus, Ref
from symattn.checking.graph.partial_arithmetic import ZERO
from symattn.checking.graph.positions import (
    RotationTables,
    added_table,
    angles_of,
    positions_of,
    rotated_by,
    rotation_by,
    step_times,
)
from symattn.checking.graph.quantities import Graph, Node
from symattn.checking.mistakes.catalogue import sentence
from symattn.checking.mistakes.layers import Slip
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import Layer, base_of
from symattn.graph.quantities import quantity as q
from symattn.problem.model import Problem

_OFFSETS = {
    1: "Positions are counted one too high: the first is {start} here.",
    -1: "Positions are counted one too low: the first is {start} here.",
}

_AGAIN = "The new token stands behind the cached ones: positions are not counted from {start} again."


def with_slips(layer: Layer, graph: Graph) -> Graph:
    """Return a layer's graph, each node with the mistakes of positions and caches that can be made at it."""
    problem = layer.problem
    if problem.positions is None and not problem.cached and not problem.online:
        return graph
    nodes = {
        name: replace(node, slips=tuple(_slips(layer, node))) if name in layer.scene.quantities else node
        for name, node in graph.nodes.items()
    }
    return Graph(nodes, graph.given, graph.known)


def _slips(layer: Layer, node: Node) -> Iterator[Slip]:
    definition = layer.scene.quantities[node.name].definition
    if isinstance(definition, q.SinusoidOf):
        for code, text, tables in _variants(layer, node.name, definition.pairs, is_added=True):
            yield code, text, ((node.name, added_table(layer, node.name, tables)),)
    if isinstance(definition, q.RotatedBy):
        yield from _of_rotation(layer, node.name, definition)
    if isinstance(definition, q.RunningSum | q.RunningOutput) and isinstance(node.formula, Plus):
        text = "The results of the earlier blocks were not rescaled to the new maximum."
        yield "block-rescale", text, ((node.name, Plus(Ref(definition.before), node.formula.right)),)
    if isinstance(node.formula, Joined) and layer.problem.cached:
        yield from _of_cached_keys(layer, node, node.formula)
    if isinstance(node.formula, Exponential) and layer.problem.cached:
        yield from _of_cache(layer.problem, node, node.formula)


def _variants(layer: Layer, name: str, pairs: str, *, is_added: bool) -> Iterator[tuple[str, str, RotationTables]]:
    """Yield common wrong tables."""
    start, cached = positions_of(layer).start, layer.problem.cached
    if cached:
        yield "position-offset", _AGAIN.format(start=start), RotationTables(pairs, -cached)
    for shift, text in _OFFSETS.items():
        yield "position-offset", text.format(start=start + cached), RotationTables(pairs, shift)
    yield "sin-cos", "Sine and cosine were exchanged.", RotationTables(pairs, swapped=True)
    if len(angles_of(layer, name, 0)[0]) > 1:
        other, said = ("halves", "neighbours") if pairs == "adjacent" else ("adjacent", "half a length apart")
        yield "position-pairs", f"Other entries were taken for pairs: here pairs are {said}.", RotationTables(other)
    if not any(angle.symbols for row in angles_of(layer, name, 0) for angle in row):
        yield (
            "position-degrees",
            "The angles are radians; they were taken for degrees.",
            RotationTables(pairs, degrees=True),
        )
    if not positions_of(layer).angles and len(angles_of(layer, name, 0)[0]) > 1:
        text = "The exponent of the base is i/d; it is 2i/d for pair i, counted from 0."
        yield "position-exponent", text, RotationTables(pairs, halved=True)
    if not is_added:
        yield "rotation-sign", "It was rotated the wrong way round.", RotationTables(pairs, sign=-1)


def _of_rotation(layer: Layer, name: str, definition: q.RotatedBy) -> Iterator[Slip]:
    """Yield each mistake in this rotation, and in those of queries and keys together."""
    if definition.back:
        text = "A gradient is rotated back, the other way than what it belongs to."
        yield (
            "rotation-sign",
            text,
            ((name, rotation_by(layer, name, definition.of, RotationTables(definition.pairs))),),
        )
        yield "rotation-forgotten", "The gradient was not rotated back.", ((name, Ref(definition.of)),)
        return
    names = {name: definition.of}
    for other, quantity in layer.scene.quantities.items():
        rotation = quantity.definition
        if other != name and isinstance(rotation, q.RotatedBy) and not rotation.back and _belong(name, other):
            names[other] = rotation.of
    for code, text, tables in _variants(layer, name, definition.pairs, is_added=False):
        yield code, text, tuple((each, rotation_by(layer, each, of, tables)) for each, of in names.items())
        yield code, text, ((name, rotation_by(layer, name, definition.of, tables)),)
    text = "Queries and keys were not rotated."
    yield "rotation-forgotten", text, tuple((each, Ref(of)) for each, of in names.items())
    what = "Queries were" if base_of(name).startswith("Q") else "Keys were"
    yield "rotation-forgotten", f"{what} not rotated.", ((name, Ref(definition.of)),)


def _belong(first: str, second: str) -> bool:
    """Return whether two rotations are of one head, or of heads that share keys."""
    return base_of(first) != base_of(second) and first.partition("^")[2] == second.partition("^")[2]


# A cache --------------------------------------------------------------------------------------------


def _of_cache(problem: Problem, node: Node, formula: Exponential) -> Iterator[Slip]:
    """Yield the softmax over some keys alone: omitted keys weigh nothing."""
    for code, text, hidden in (
        ("cache-forgotten", "The keys and values in the cache were left out.", range(problem.cached)),
        (
            "new-key-missing",
            "The new keys and values were not joined with those in the cache.",
            range(problem.cached, problem.n_k),
        ),
    ):
        yield code, text, ((node.name, Exponential(Masked(formula.of, _hides(problem, hidden), "add"))),)


def _of_cached_keys(layer: Layer, node: Node, formula: Joined) -> Iterator[Slip]:
    """Yield the keys of the cache rotated once more, by the positions where they stand."""
    cache, new = formula.parts[0], formula.parts[-1]
    rotation = layer.scene.quantities[new.name].definition if isinstance(new, Ref) else None
    if not isinstance(cache, Ref) or not isinstance(new, Ref) or not isinstance(rotation, q.RotatedBy):
        return
    first = angles_of(layer, new.name, 0)[0]
    cached = layer.problem.cached
    steps = positions_of(layer).steps(2 * len(first))
    angles = [
        [angle + step_times(step, k - cached) for angle, step in zip(first, steps, strict=True)] for k in range(cached)
    ]
    again = rotated_by(layer, cache.name, angles, RotationTables(rotation.pairs))
    text = "The keys in the cache are rotated already, and were rotated again."
    yield "cache-rotated", text, ((node.name, Joined((again, new), formula.axis)),)


def _hides(problem: Problem, hidden: range) -> Constant:
    row = [MINUS_INFINITY if key in hidden else ZERO for key in range(problem.n_k)]
    rows = Matrix([row] * problem.n_q)
    return Constant(rows.T if problem.softmax == "columns" else rows)


def left_out(problem: Problem, written: tuple[int, int], wanted: tuple[int, int]) -> tuple[str, str] | None:
    """Return the code and the words for a matrix that lacks keys, None for any other.

    >>> cache = {"K": [[1], [2]], "V": [[1], [2]]}
    >>> p = Problem.build(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], cache=cache)
    >>> left_out(p, (1, 1), (1, 3))
    ('cache-forgotten', 'The keys and values in the cache were left out.')
    """
    if not problem.cached or sorted(written) == sorted(wanted):
        return None
    for count, code in (
        (problem.n_k - problem.cached, "cache-forgotten"),
        (problem.cached, "new-key-missing"),
    ):
        if count in written and problem.n_k in wanted and _rest(written, count) == _rest(wanted, problem.n_k):
            return code, sentence(code)
    return None


def _rest(shape: tuple[int, int], without: int) -> int:
    rows, columns = shape
    return columns if rows == without else rows
