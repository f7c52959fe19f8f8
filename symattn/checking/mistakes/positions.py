"""Positions, caches and blocks in the graph of a layer, and the mistakes made with them.

A rotation is written with tables of sines and cosines: each entry times its cosine, and the other entry of its pair,
with its sign, times its sine. A mistake is the same with other tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symattn.checking.graph.quantities import (
    ZERO,
    Constant,
    EachTimes,
    Exponential,
    Formula,
    Graph,
    Joined,
    Less,
    LineMaximum,
    LineSum,
    Masked,
    Minus,
    Node,
    Part,
    Plus,
    Ref,
    Times,
    Transposed,
)
from symattn.checking.mistakes.layers import Slip
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.elementary import pi, sqrt
from symattn.exact.reals.functions import trigonometric
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import Layer, base_of
from symattn.graph.quantities import quantity as q
from symattn.graph.rules.positions import pair_of, partner_of
from symattn.problem.components.positions import Positions
from symattn.problem.model import Problem
from symattn.records import dataclass

CODES: dict[str, str] = {
    "position-offset": "positions counted from another number",
    "rotation-sign": "rotated the wrong way round",
    "sin-cos": "sine and cosine were exchanged",
    "position-pairs": "other entries were taken for pairs",
    "rotation-forgotten": "queries or keys were not rotated",
    "position-degrees": "angles in radians were taken for degrees",
    "position-exponent": "the exponent of the base is i/d instead of 2i/d",
    "cache-rotated": "the keys in the cache, which are rotated already, were rotated again",
    "cache-forgotten": "the keys and values in the cache were left out",
    "new-key-missing": "the new keys and values were not joined with those in the cache",
    "block-rescale": "what the blocks before left was not rescaled to the new maximum",
}
"""The codes of these mistakes, and what each means."""

OF_ROTATIONS = frozenset(
    {
        "position-offset",
        "rotation-sign",
        "sin-cos",
        "position-pairs",
        "position-degrees",
        "position-exponent",
        "rotation-forgotten",
    }
)
"""Mistakes that are made where something is rotated, or a table is added."""

_OFFSETS = {
    1: "Positions are counted one too high: the first is {start} here.",
    -1: "Positions are counted one too low: the first is {start} here.",
}
_AGAIN = "The new token stands behind the cached ones: positions are not counted from {start} again."


@dataclass(frozen=True, slots=True)
class _Tables:
    """Parameters of a rotation or of added positions, right or with a mistake.

    Attributes:
        pairs: which entries are pairs.
        shift: how many positions the angles are off.
        sign: -1 where it turns the wrong way round.
        swapped: whether sine and cosine are exchanged.
        degrees: whether the angles are taken for degrees.
        halved: whether the exponent of the base is half of what it is.
    """

    pairs: str
    shift: int = 0
    sign: int = 1
    swapped: bool = False
    degrees: bool = False
    halved: bool = False


def formula_of(layer: Layer, quantity: q.Quantity) -> Formula | None:
    """Return the definition of a quantity of positions or blocks, None for any other."""
    match quantity.definition:
        case q.RotatedBy(of, _, pairs, _, back):
            return _rotation(layer, quantity.name, of, _Tables(pairs, sign=-1 if back else 1))
        case q.SinusoidOf(_, pairs):
            return _added(layer, quantity.name, _Tables(pairs))
        case q.RunningMaximum() | q.RunningSum() | q.RunningOutput():
            return _running(quantity.definition)
    return None


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
            yield code, text, ((node.name, _added(layer, node.name, tables)),)
    if isinstance(definition, q.RotatedBy):
        yield from _of_rotation(layer, node.name, definition)
    if isinstance(definition, q.RunningSum | q.RunningOutput) and isinstance(node.formula, Plus):
        text = "The results of the earlier blocks were not rescaled to the new maximum."
        yield "block-rescale", text, ((node.name, Plus(Ref(definition.before), node.formula.right)),)
    if isinstance(node.formula, Joined) and layer.problem.cached:
        yield from _of_cached_keys(layer, node, node.formula)
    if isinstance(node.formula, Exponential) and layer.problem.cached:
        yield from _of_cache(layer.problem, node, node.formula)


# Tables ---------------------------------------------------------------------------------------------


def _positions(layer: Layer) -> Positions:
    positions = layer.problem.positions
    if positions is None:
        raise ValueError("a layer with positions has them")
    return positions


def _angles(layer: Layer, name: str, shift: int) -> list[list[Quotient]]:
    """Return the angles of each token, so many positions further on; a row for each token."""
    definition = layer.scene.quantities[name].definition
    table = definition.angles if isinstance(definition, q.RotatedBy) else "Phi"
    angles = layer.exact(table)
    rows = angles.rows if layer.problem.tokens == "rows" else angles.T.rows
    steps = _positions(layer).steps(2 * len(rows[0]))
    return [[angle + _times(step, shift) for angle, step in zip(row, steps, strict=True)] for row in rows]


def _times(step: Polynomial, count: int) -> Quotient:
    return Quotient.of(step * count)


def _laid(layer: Layer, rows: list[list[Quotient]]) -> Constant:
    """Return a table with a row for each token, as the tokens of the layer lie."""
    matrix = Matrix(rows)
    return Constant(matrix if layer.problem.tokens == "rows" else matrix.T)


def _added(layer: Layer, name: str, tables: _Tables) -> Formula:
    rows = []
    for angles in _taken(layer, _angles(layer, name, tables.shift), tables):
        length = 2 * len(angles)
        places = [pair_of(entry, length, tables.pairs) for entry in range(length)]
        rows.append(
            [trigonometric("cos" if bool(place) != tables.swapped else "sin", angles[pair]) for pair, place in places]
        )
    return _laid(layer, rows)


def _rotation(layer: Layer, name: str, of: str, tables: _Tables) -> Formula:
    return _turned(layer, of, _taken(layer, _angles(layer, name, tables.shift), tables), tables)


def _taken(layer: Layer, angles: list[list[Quotient]], tables: _Tables) -> list[list[Quotient]]:
    """Return angles as they are, taken for degrees, or with the root of each step."""
    if tables.halved:
        roots = [sqrt(_times(step, 1)) for step in _positions(layer).steps(2 * len(angles[0]))]
        return [[angle / root for angle, root in zip(row, roots, strict=True)] for row in angles]
    return [[angle * pi() / 180 for angle in row] for row in angles] if tables.degrees else angles


def _turned(layer: Layer, of: str, angles: list[list[Quotient]], tables: _Tables) -> Formula:
    """Return a quantity turned by the angles of each token."""
    length = 2 * len(angles[0])
    places = [pair_of(entry, length, tables.pairs) for entry in range(length)]
    first, second = ("sin", "cos") if tables.swapped else ("cos", "sin")
    cosines = [[trigonometric(first, row[pair]) for pair, _ in places] for row in angles]
    # The other entry of the pair comes in with a minus sign where it is the second.
    signs = [tables.sign if place else -tables.sign for _, place in places]
    sines = [
        [trigonometric(second, row[pair]) * sign for (pair, _), sign in zip(places, signs, strict=True)]
        for row in angles
    ]
    axis: q.Axis = "columns" if layer.problem.tokens == "rows" else "rows"
    others = [partner_of(entry, length, tables.pairs) for entry in range(length)]
    turned = Joined(tuple(Part(Ref(of), axis, other, other + 1) for other in others), axis)
    return Plus(EachTimes(Ref(of), _laid(layer, cosines)), EachTimes(turned, _laid(layer, sines)))


def _variants(layer: Layer, name: str, pairs: str, *, is_added: bool) -> Iterator[tuple[str, str, _Tables]]:
    """Yield common wrong tables."""
    start, cached = _positions(layer).start, layer.problem.cached
    if cached:
        yield "position-offset", _AGAIN.format(start=start), _Tables(pairs, -cached)
    for shift, text in _OFFSETS.items():
        yield "position-offset", text.format(start=start + cached), _Tables(pairs, shift)
    yield "sin-cos", "Sine and cosine were exchanged.", _Tables(pairs, swapped=True)
    if len(_angles(layer, name, 0)[0]) > 1:
        other, said = ("halves", "neighbours") if pairs == "adjacent" else ("adjacent", "half a length apart")
        yield "position-pairs", f"Other entries were taken for pairs: here pairs are {said}.", _Tables(other)
    if not any(angle.symbols for row in _angles(layer, name, 0) for angle in row):
        yield "position-degrees", "The angles are radians; they were taken for degrees.", _Tables(pairs, degrees=True)
    if not _positions(layer).angles and len(_angles(layer, name, 0)[0]) > 1:
        text = "The exponent of the base is i/d; it is 2i/d for pair i, counted from 0."
        yield "position-exponent", text, _Tables(pairs, halved=True)
    if not is_added:
        yield "rotation-sign", "It was rotated the wrong way round.", _Tables(pairs, sign=-1)


def _of_rotation(layer: Layer, name: str, definition: q.RotatedBy) -> Iterator[Slip]:
    """Yield each mistake in this rotation, and in those of queries and keys together."""
    if definition.back:
        text = "A gradient is rotated back, the other way than what it belongs to."
        yield "rotation-sign", text, ((name, _rotation(layer, name, definition.of, _Tables(definition.pairs))),)
        yield "rotation-forgotten", "The gradient was not rotated back.", ((name, Ref(definition.of)),)
        return
    names = {name: definition.of}
    for other, quantity in layer.scene.quantities.items():
        rotation = quantity.definition
        if other != name and isinstance(rotation, q.RotatedBy) and not rotation.back and _belong(name, other):
            names[other] = rotation.of
    for code, text, tables in _variants(layer, name, definition.pairs, is_added=False):
        yield code, text, tuple((each, _rotation(layer, each, of, tables)) for each, of in names.items())
        yield code, text, ((name, _rotation(layer, name, definition.of, tables)),)
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
    first = _angles(layer, new.name, 0)[0]
    cached = layer.problem.cached
    steps = _positions(layer).steps(2 * len(first))
    angles = [
        [angle + _times(step, k - cached) for angle, step in zip(first, steps, strict=True)] for k in range(cached)
    ]
    again = _turned(layer, cache.name, angles, _Tables(rotation.pairs))
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
            said = CODES[code]
            return code, f"{said[0].upper()}{said[1:]}."
    return None


def _rest(shape: tuple[int, int], without: int) -> int:
    rows, columns = shape
    return columns if rows == without else rows


# Blocks ---------------------------------------------------------------------------------------------


def _running(definition: q.RunningMaximum | q.RunningSum | q.RunningOutput) -> Formula:
    block = _block(definition.of, definition.axis, definition.start, definition.stop)
    if isinstance(definition, q.RunningMaximum):
        before: tuple[Formula, ...] = (Ref(definition.before),) if definition.before else ()
        return LineMaximum(Joined((*before, block), "columns"), "rows")
    powers = Exponential(Less(block, Ref(definition.largest), "rows"))
    kept: Formula | None = None
    if definition.before:
        kept = Exponential(Minus(Ref(definition.earlier), Ref(definition.largest)))
    if isinstance(definition, q.RunningSum):
        total: Formula = LineSum(powers, "rows")
        return total if kept is None else Plus(EachTimes(Ref(definition.before), kept), total)
    values = _block(
        definition.values, "columns" if definition.side == "rows" else "rows", definition.start, definition.stop
    )
    if definition.side == "columns":
        values, powers_turned = _untransposed(values), Transposed(powers)
        product: Formula = Times(values, powers_turned)
        return product if kept is None else Plus(EachTimes(Ref(definition.before), Transposed(kept)), product)
    product = Times(powers, _untransposed(values))
    return product if kept is None else Plus(EachTimes(Ref(definition.before), kept), product)


def _block(of: str, axis: q.Axis, start: int, stop: int) -> Formula:
    """Return the scores of some keys, with a row for each query; of values, some keys, with a row for each entry."""
    if axis == "rows":
        return Part(Ref(of), "columns", start - 1, stop)
    return Transposed(Part(Ref(of), "rows", start - 1, stop))


def _untransposed(formula: Formula) -> Formula:
    return formula.of if isinstance(formula, Transposed) else formula
