"""TRUSTED. The definitions of losses and of soft caps as written mathematics."""

from __future__ import annotations

from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Index, Scene, sum_tree
from symattn.notation.tree import nodes as t


def entry_forms(scene: Scene, definition: q.LossDefinition, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return the forms of an entry: ``e^{O_ij}/(e^{O_i1} + ...)``, or ``dS_ij (1 - (S_ij/c)^2)``."""
    match definition:
        case q.SoftmaxOf(of, axis):
            powers: list[t.Node] = [t.Power(t.Name("e"), entry) for entry in _line(scene, of, axis, row, column)]
            own = t.Power(t.Name("e"), scene.entry(of, row, column))
            return (t.Division(own, sum_tree(powers)),)
        case q.CapGradientOf(gradient, capped, cap, number):
            share = t.Division(scene.entry(capped, row, column), scene.quantities[cap].symbol)
            slope = t.Sum((t.Number("1"), t.Power(t.Group(share), t.Number("2"))), ("-",))
            symbols = [scene.quantities[number].symbol] if number else []
            factors = (*symbols, scene.entry(gradient, row, column), t.Group(slope))
            return (t.Product(factors, ("cdot",) * (len(factors) - 1)),)
    return ()


def _line(scene: Scene, of: str, axis: q.Axis, row: Index, column: Index) -> list[t.Node]:
    rows, columns = scene.quantities[of].shape
    if axis == "rows":
        return [scene.entry(of, row, k) for k in range(1, columns + 1)]
    return [scene.entry(of, k, column) for k in range(1, rows + 1)]


def loss_form(scene: Scene, loss: q.LossOf) -> t.Node:
    """Return a loss in names: a sum of entries, of squares of differences, or of logarithms."""
    first, quantity = loss.names[0], scene.quantities[loss.names[0]]
    places = [(i, j) for i in range(1, quantity.shape[0] + 1) for j in range(1, quantity.shape[1] + 1)]
    if loss.kind == "sum":
        return sum_tree([scene.entry(first, *place) for place in places])
    second = loss.names[1]
    if loss.kind == "squared":
        squares: list[t.Node] = []
        for place in places:
            difference = t.Sum((scene.entry(first, *place), scene.entry(second, *place)), ("-",))
            squares.append(t.Power(t.Group(difference), t.Number("2")))
        half = t.Division(t.Number("1"), t.Number("2"))
        return t.Product((half, t.Group(sum_tree(squares)) if len(squares) > 1 else squares[0]), ("",))
    chosen = [(i, j) for i, j in places if not scene.quantities[second].exact[i - 1, j - 1].is_zero]
    logarithms: list[t.Node] = [t.Call(t.Name("ln"), (scene.entry(first, *place),)) for place in chosen]
    first_term = t.Negative(logarithms[0])
    return t.Sum((first_term, *logarithms[1:]), ("-",) * (len(chosen) - 1)) if len(chosen) > 1 else first_term
