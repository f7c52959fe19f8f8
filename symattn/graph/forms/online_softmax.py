"""TRUSTED. The softmax worked block by block as written mathematics."""

from __future__ import annotations

from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Index, Scene, sum_tree
from symattn.notation.tree import nodes as t


def forms(
    scene: Scene,
    definition: q.RunningMaximum | q.RunningSum | q.RunningOutput,
    row: Index,
    column: Index,
) -> tuple[t.Node, ...]:
    """Return the definition of one entry, in names; none at running indices."""
    if not isinstance(row, int) or not isinstance(column, int):
        return ()
    line = row if not isinstance(definition, q.RunningOutput) or definition.side == "rows" else column
    keys = range(definition.start, definition.stop + 1)
    scores = [_at(scene, definition.of, definition.axis, line, key) for key in keys]
    if isinstance(definition, q.RunningMaximum):
        before = [_number(scene, definition.before, line)] if definition.before else []
        numbers = [*before, *scores]
        return (t.Call(t.Name("max"), tuple(numbers)) if len(numbers) > 1 else numbers[0],)
    largest = _number(scene, definition.largest, line)
    terms: list[t.Node] = [_e(score, largest) for score in scores]
    if isinstance(definition, q.RunningOutput):
        entry = column if definition.side == "rows" else row
        values = [_at(scene, definition.values, definition.side, key, entry) for key in keys]
        terms = [t.Product((term, value), ("cdot",)) for term, value in zip(terms, values, strict=True)]
        own = _at(scene, definition.before, definition.side, line, entry) if definition.before else None
    else:
        own = _number(scene, definition.before, line) if definition.before else None
    if own is not None:
        terms.insert(0, t.Product((own, _e(_number(scene, definition.earlier, line), largest)), ("cdot",)))
    return (sum_tree(terms),)


def result_form(scene: Scene, name: str, row: int, column: int) -> t.Node | None:
    """Write an entry of the output as ``o_{11}/l_1`` after the last block; return None for anything else."""
    found = scene.results.get(name)
    definition = None if found is None else scene.quantities[found].definition
    if found is None or not isinstance(definition, q.RunningOutput):
        return None
    line, entry = (row, column) if definition.side == "rows" else (column, row)
    above = _at(scene, found, definition.side, line, entry)
    return t.Division(above, _number(scene, definition.total, line))


def _e(score: t.Node, largest: t.Node) -> t.Node:
    return t.Power(t.Name("e"), t.Sum((score, largest), ("-",)))


def _at(scene: Scene, name: str, axis: str, line: int, entry: int) -> t.Node:
    return scene.entry(name, *((line, entry) if axis == "rows" else (entry, line)))


def _number(scene: Scene, name: str, line: int) -> t.Node:
    return scene.entry(name, line, 1)
