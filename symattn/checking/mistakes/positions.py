"""Mistakes with positions, caches and blocks of keys.

A mistake in a rotation is the same operation with other angles, other pairs, or the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from symattn.checking.graph.quantities import Node
from symattn.checking.graph.scalar_values import ZERO
from symattn.checking.mistake_catalogue import explain
from symattn.checking.mistakes.slips import Slip, slip
from symattn.checking.report import Diagnosis
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals import elementary
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import Layer, base_of
from symattn.graph.quantities.definition import Definition
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, make
from symattn.problem.components.positions import Positions
from symattn.problem.model import Problem

_TURNS = frozenset({"rotate", "rotate-back"})

Change: TypeAlias = Callable[[Quotient, Quotient], Quotient]
"""The angle that a mistake takes for an angle, given also the angle between neighbouring positions."""

Variant: TypeAlias = tuple[tuple[str, str], str, Change, bool]
"""The words for a wrong table of angles, the pairs of entries, the angles, and whether the turn goes backwards."""


def _same(angle: Quotient, _: Quotient) -> Quotient:
    return angle


def _shifted(count: int) -> Change:
    return lambda angle, step: angle + step * count


def _halved(angle: Quotient, step: Quotient) -> Quotient:
    return angle / elementary.sqrt(step)


def _swapped(angle: Quotient, _: Quotient) -> Quotient:
    """Return what an angle lacks to a right angle, whose sine is its cosine, and the other way round."""
    return Quotient.of(Polynomial.symbol("pi")) / 2 - angle


def _in_degrees(angle: Quotient, _: Quotient) -> Quotient:
    return angle * elementary.pi() / 180


def _positions(layer: Layer) -> Positions:
    """Return the positions of a layer that has them."""
    positions = layer.problem.positions
    if positions is None:
        raise ValueError("a layer with positions has them")
    return positions


def _angles(layer: Layer, name: str, change: Change = _same) -> list[list[Quotient]]:
    """Return the angles of each token as a mistake takes them; a row for each token."""
    definition = layer.scene.quantities[name].definition
    angles = layer.exact(definition.premises[1] if definition.rule in _TURNS else "Phi")
    rows = angles.rows if layer.problem.tokens == "rows" else angles.T.rows
    steps = _steps(layer, len(rows[0]))
    return [[change(angle, step) for angle, step in zip(row, steps, strict=True)] for row in rows]


def _steps(layer: Layer, count: int) -> list[Quotient]:
    """Return the angles between neighbouring positions, of that many pairs."""
    return [Quotient.of(step) for step in _positions(layer).steps(2 * count)]


def _laid(layer: Layer, rows: list[list[Quotient]]) -> Constant:
    """Return a table with a row for each token, as the tokens of the layer lie."""
    matrix = Matrix(rows)
    return Constant(matrix if layer.problem.tokens == "rows" else matrix.T)


def _turned(layer: Layer, of: str, angles: list[list[Quotient]], pairs: str, *, is_back: bool = False) -> Formula:
    """Return a quantity turned by the angles of each token."""
    operation = "rotate-back" if is_back else "rotate"
    return make(operation, Ref(of), _laid(layer, angles), axis=layer.problem.tokens, pairs=pairs)


def slips_of_positions(layer: Layer | None, node: Node) -> Iterator[Slip]:
    """Yield the mistakes with positions, caches and blocks of keys that can be made at one definition of a layer."""
    if layer is None or node.name not in layer.scene.quantities:
        return
    name, problem, definition = node.name, layer.problem, layer.scene.quantities[node.name].definition
    if definition.rule == "sinusoid":
        for words, pairs, change, _ in _variants(layer, name, definition.argument("pairs"), is_added=True):
            table = _laid(layer, _angles(layer, name, change))
            yield slip(words, name, make("sinusoid", table, axis=problem.tokens, pairs=pairs))
    if definition.rule in _TURNS:
        yield from _of_rotation(layer, name, definition)
    match node.formula:
        case Apply("sum", _, (_, own)) if definition.rule in {"running-sum", "running-output"}:
            yield slip(explain("block-rescale"), name, make("sum", Ref(definition.premises[-2]), own))
        case Apply("join", _, (Ref() as cache, *_, Ref() as new)) as joined if problem.cached:
            yield from _of_cached_keys(layer, name, joined, cache, new)
        case Apply("exponential", _, (scores,)) if problem.cached:
            yield from _of_cache(problem, name, scores)


def _variants(layer: Layer, name: str, pairs: str, *, is_added: bool) -> Iterator[Variant]:
    """Yield common wrong tables."""
    start, cached, angles = _positions(layer).start, layer.problem.cached, _angles(layer, name)
    if cached:
        yield explain("position-offset", "again", start=start), pairs, _shifted(-cached), False
    for case, shift in (("high", 1), ("low", -1)):
        yield explain("position-offset", case, start=start + cached), pairs, _shifted(shift), False
    yield explain("sin-cos"), pairs, _swapped, False
    if len(angles[0]) > 1:
        yield explain("position-pairs", pairs), "halves" if pairs == "adjacent" else "adjacent", _same, False
    if not any(angle.symbols for row in angles for angle in row):
        yield explain("position-degrees"), pairs, _in_degrees, False
    if not _positions(layer).angles and len(angles[0]) > 1:
        yield explain("position-exponent"), pairs, _halved, False
    if not is_added:
        yield explain("rotation-sign"), pairs, _same, True


def _of_rotation(layer: Layer, name: str, definition: Definition) -> Iterator[Slip]:
    """Yield each mistake in this rotation, and in those of queries and keys together."""
    of, pairs = definition.premises[0], definition.argument("pairs")
    if definition.rule == "rotate-back":
        yield slip(explain("rotation-sign", "gradient"), name, _turned(layer, of, _angles(layer, name), pairs))
        yield slip(explain("rotation-forgotten", "gradient"), name, Ref(of))
        return
    names = {name: of}
    for other, quantity in layer.scene.quantities.items():
        made = quantity.definition
        if other != name and made.rule == "rotate" and _belong(name, other):
            names[other] = made.premises[0]
    for words, paired, change, is_back in _variants(layer, name, pairs, is_added=False):
        changed = [
            (each, _turned(layer, own, _angles(layer, each, change), paired, is_back=is_back))
            for each, own in names.items()
        ]
        yield Slip(Diagnosis(*words), tuple(changed))
        yield Slip(Diagnosis(*words), (changed[0],))
    forgotten = tuple((each, Ref(own)) for each, own in names.items())
    yield Slip(Diagnosis(*explain("rotation-forgotten")), forgotten)
    yield slip(explain("rotation-forgotten", base_of(name)[0]), name, Ref(of))


def _belong(first: str, second: str) -> bool:
    """Return whether two rotations are of one head, or of heads that share keys."""
    return base_of(first) != base_of(second) and first.partition("^")[2] == second.partition("^")[2]


# A cache --------------------------------------------------------------------------------------------


def _of_cache(problem: Problem, name: str, scores: Formula) -> Iterator[Slip]:
    """Yield the softmax over some keys alone: omitted keys weigh nothing."""
    for code, hidden in (
        ("cache-forgotten", range(problem.cached)),
        ("new-key-missing", range(problem.cached, problem.n_k)),
    ):
        yield slip(explain(code), name, make("exponential", make("mask", scores, _hides(problem, hidden))))


def _of_cached_keys(layer: Layer, name: str, joined: Apply, cache: Ref, new: Ref) -> Iterator[Slip]:
    """Yield the keys of the cache rotated once more, by the positions where they stand."""
    rotation, cached = layer.scene.quantities[new.name].definition, layer.problem.cached
    if rotation.rule not in _TURNS:
        return
    first = _angles(layer, new.name)[0]
    steps = _steps(layer, len(first))
    angles = [[angle + step * (k - cached) for angle, step in zip(first, steps, strict=True)] for k in range(cached)]
    again = _turned(layer, cache.name, angles, rotation.argument("pairs"))
    yield slip(explain("cache-rotated"), name, replace(joined, operands=(again, new)))


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
