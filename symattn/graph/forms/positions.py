"""TRUSTED. Sines and cosines added to tokens, and rotated queries and keys, as written mathematics."""

from __future__ import annotations

from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Index, Scene
from symattn.notation.tree import nodes as t
from symattn.operations.positions import pair_of, partner_of


def forms(scene: Scene, definition: q.SinusoidOf | q.RotatedBy, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Write ``sin Φ_{21}`` or ``Q_{21} · cos Φ_{21} - Q_{22} · sin Φ_{21}``; return none at running indices."""
    if not isinstance(row, int) or not isinstance(column, int):
        return ()
    names = definition.of if isinstance(definition, q.SinusoidOf) else definition.angles
    token, entry = (row, column) if definition.axis == "rows" else (column, row)
    width = scene.quantities[names].shape[1 if definition.axis == "rows" else 0]
    pair, place = pair_of(entry - 1, 2 * width, definition.pairs)
    angle = _entry(scene, names, definition.axis, token, pair + 1)
    if isinstance(definition, q.SinusoidOf):
        return (_wave("cos" if place else "sin", angle),)
    other = partner_of(entry - 1, 2 * width, definition.pairs) + 1
    own_entry, other_entry = (_entry(scene, definition.of, definition.axis, token, k) for k in (entry, other))
    own_term = t.Product((own_entry, _wave("cos", angle)), ("cdot",))
    other_term = t.Product((other_entry, _wave("sin", angle)), ("cdot",))
    if definition.back:
        return (t.Sum((own_term, other_term), ("-",) if place else ("+",)),)
    return (t.Sum((other_term, own_term), ("+",)) if place else t.Sum((own_term, other_term), ("-",)),)


def _wave(function: str, angle: t.Node) -> t.Node:
    return t.Call(t.Name(function), (angle,))


def _entry(scene: Scene, name: str, axis: str, token: int, entry: int) -> t.Node:
    return scene.entry(name, *((token, entry) if axis == "rows" else (entry, token)))
