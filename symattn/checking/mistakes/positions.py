"""Mistakes with positions, caches and blocks of keys.

A mistake in a rotation is the same operation with other angles, other pairs, or the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symattn.checking.graph.quantities import Graph, Node
from symattn.checking.graph.scalar_values import ZERO
from symattn.checking.mistakes.catalogue import explain
from symattn.checking.mistakes.masks_biases_heads import Slip
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.elementary import pi, sqrt
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import Layer, base_of
from symattn.graph.quantities.definition import Definition
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, make
from symattn.problem.components.positions import Positions
from symattn.problem.model import Problem
from symattn.records import dataclass

_TURNS = frozenset({"rotate", "rotate-back"})


@dataclass(frozen=True, slots=True)
class Rotation:
    """Parameters of a rotation or of added positions, right or with a mistake.

    Attributes:
        pairs: which entries are pairs.
        shift: how many positions the angles are off.
        is_back: whether it turns the other way round.
        swapped: whether sine and cosine are exchanged.
        degrees: whether the angles are taken for degrees.
        halved: whether the exponent of the base is half of what it is.
    """

    pairs: str
    shift: int = 0
    is_back: bool = False
    swapped: bool = False
    degrees: bool = False
    halved: bool = False


def positions_of(layer: Layer) -> Positions:
    """Return the positions of a layer that has them."""
    positions = layer.problem.positions
    if positions is None:
        raise ValueError("a layer with positions has them")
    return positions


def angles_of(layer: Layer, name: str, shift: int) -> list[list[Quotient]]:
    """Return the angles of each token, so many positions further on; a row for each token."""
    definition = layer.scene.quantities[name].definition
    table = definition.premises[1] if definition.rule in _TURNS else "Phi"
    angles = layer.exact(table)
    rows = angles.rows if layer.problem.tokens == "rows" else angles.T.rows
    steps = positions_of(layer).steps(2 * len(rows[0]))
    return [[angle + step_times(step, shift) for angle, step in zip(row, steps, strict=True)] for row in rows]


def step_times(step: Polynomial, count: int) -> Quotient:
    """Return a multiple of the angle between neighbouring positions."""
    return Quotient.of(step * count)


def added_table(layer: Layer, name: str, rotation: Rotation) -> Formula:
    """Return the table of sines and cosines that is added to the inputs."""
    angles = _laid(layer, _taken(layer, angles_of(layer, name, rotation.shift), rotation))
    return make("sinusoid", angles, axis=layer.problem.tokens, pairs=rotation.pairs)


def rotation_by(layer: Layer, name: str, of: str, rotation: Rotation) -> Formula:
    """Return a quantity rotated by the angles of its tokens."""
    return rotated_by(layer, of, angles_of(layer, name, rotation.shift), rotation)


def rotated_by(layer: Layer, of: str, angles: list[list[Quotient]], rotation: Rotation) -> Formula:
    """Return a quantity turned by the angles of each token."""
    operation = "rotate-back" if rotation.is_back else "rotate"
    laid = _laid(layer, _taken(layer, angles, rotation))
    return make(operation, Ref(of), laid, axis=layer.problem.tokens, pairs=rotation.pairs)


def _laid(layer: Layer, rows: list[list[Quotient]]) -> Constant:
    """Return a table with a row for each token, as the tokens of the layer lie."""
    matrix = Matrix(rows)
    return Constant(matrix if layer.problem.tokens == "rows" else matrix.T)


def _taken(layer: Layer, angles: list[list[Quotient]], rotation: Rotation) -> list[list[Quotient]]:
    """Return angles as they are, or as a mistake takes them."""
    if rotation.halved:
        roots = [sqrt(step_times(step, 1)) for step in positions_of(layer).steps(2 * len(angles[0]))]
        return [[angle / root for angle, root in zip(row, roots, strict=True)] for row in angles]
    if rotation.degrees:
        return [[angle * pi() / 180 for angle in row] for row in angles]
    if rotation.swapped:
        # The sine of an angle is the cosine of what it lacks to a right angle, and the other way round.
        right = Quotient.of(Polynomial.symbol("pi")) / 2
        return [[right - angle for angle in row] for row in angles]
    return angles


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
    if definition.rule == "sinusoid":
        for code, text, rotation in _variants(layer, node.name, definition.argument("pairs"), is_added=True):
            yield code, text, ((node.name, added_table(layer, node.name, rotation)),)
    if definition.rule in _TURNS:
        yield from _of_rotation(layer, node.name, definition)
    match node.formula:
        case Apply("sum", _, (_, own)) if definition.rule in {"running-sum", "running-output"}:
            yield *explain("block-rescale"), ((node.name, make("sum", Ref(definition.premises[-2]), own)),)
        case Apply("join", _, (Ref() as cache, *_, Ref() as new)) as joined if layer.problem.cached:
            yield from _of_cached_keys(layer, node.name, joined, cache, new)
        case Apply("exponential", _, (scores,)) if layer.problem.cached:
            yield from _of_cache(layer.problem, node, scores)


def _variants(layer: Layer, name: str, pairs: str, *, is_added: bool) -> Iterator[tuple[str, str, Rotation]]:
    """Yield common wrong tables."""
    start, cached = positions_of(layer).start, layer.problem.cached
    if cached:
        yield *explain("position-offset", "again", start=start), Rotation(pairs, -cached)
    for case, shift in (("high", 1), ("low", -1)):
        yield *explain("position-offset", case, start=start + cached), Rotation(pairs, shift)
    yield *explain("sin-cos"), Rotation(pairs, swapped=True)
    if len(angles_of(layer, name, 0)[0]) > 1:
        yield *explain("position-pairs", pairs), Rotation("halves" if pairs == "adjacent" else "adjacent")
    if not any(angle.symbols for row in angles_of(layer, name, 0) for angle in row):
        yield *explain("position-degrees"), Rotation(pairs, degrees=True)
    if not positions_of(layer).angles and len(angles_of(layer, name, 0)[0]) > 1:
        yield *explain("position-exponent"), Rotation(pairs, halved=True)
    if not is_added:
        yield *explain("rotation-sign"), Rotation(pairs, is_back=True)


def _of_rotation(layer: Layer, name: str, definition: Definition) -> Iterator[Slip]:
    """Yield each mistake in this rotation, and in those of queries and keys together."""
    of, pairs = definition.premises[0], definition.argument("pairs")
    if definition.rule == "rotate-back":
        turned = rotation_by(layer, name, of, Rotation(pairs))
        yield *explain("rotation-sign", "gradient"), ((name, turned),)
        yield *explain("rotation-forgotten", "gradient"), ((name, Ref(of)),)
        return
    names = {name: of}
    for other, quantity in layer.scene.quantities.items():
        made = quantity.definition
        if other != name and made.rule == "rotate" and _belong(name, other):
            names[other] = made.premises[0]
    for code, text, rotation in _variants(layer, name, pairs, is_added=False):
        yield code, text, tuple((each, rotation_by(layer, each, own, rotation)) for each, own in names.items())
        yield code, text, ((name, rotation_by(layer, name, of, rotation)),)
    yield *explain("rotation-forgotten"), tuple((each, Ref(own)) for each, own in names.items())
    yield *explain("rotation-forgotten", base_of(name)[0]), ((name, Ref(of)),)


def _belong(first: str, second: str) -> bool:
    """Return whether two rotations are of one head, or of heads that share keys."""
    return base_of(first) != base_of(second) and first.partition("^")[2] == second.partition("^")[2]


# A cache --------------------------------------------------------------------------------------------


def _of_cache(problem: Problem, node: Node, scores: Formula) -> Iterator[Slip]:
    """Yield the softmax over some keys alone: omitted keys weigh nothing."""
    for code, hidden in (
        ("cache-forgotten", range(problem.cached)),
        ("new-key-missing", range(problem.cached, problem.n_k)),
    ):
        seen = make("mask", scores, _hides(problem, hidden))
        yield *explain(code), ((node.name, make("exponential", seen)),)


def _of_cached_keys(layer: Layer, name: str, joined: Apply, cache: Ref, new: Ref) -> Iterator[Slip]:
    """Yield the keys of the cache rotated once more, by the positions where they stand."""
    rotation = layer.scene.quantities[new.name].definition
    if rotation.rule not in _TURNS:
        return
    first = angles_of(layer, new.name, 0)[0]
    cached = layer.problem.cached
    steps = positions_of(layer).steps(2 * len(first))
    angles = [
        [angle + step_times(step, k - cached) for angle, step in zip(first, steps, strict=True)] for k in range(cached)
    ]
    again = rotated_by(layer, cache.name, angles, Rotation(rotation.argument("pairs")))
    yield *explain("cache-rotated"), ((name, replace(joined, operands=(again, new))),)


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
            return explain(code)
    return None


def _rest(shape: tuple[int, int], without: int) -> int:
    rows, columns = shape
    return columns if rows == without else rows
