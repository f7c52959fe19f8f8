"""TRUSTED. The definitions of the backward pass of a block as written mathematics."""

from __future__ import annotations

from symattn.graph.forms.blocks import gelu_inner
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Index, Scene, index_node, indexed
from symattn.graph.rules.block_gradients import relu_is_open
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import base

_ONE, _TWO = t.Number("1"), t.Number("2")


def entry_forms(scene: Scene, definition: q.BlockDefinition, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return the forms of an entry, at numbers or at running indices."""
    match definition:
        case q.LineMeanDot(left, right, axis):
            places = _line(scene, left, axis, row)
            products = [_product(scene, left, right, *place) for place in places]
            return (products[0] if len(products) == 1 else t.Division(_total(products), t.Number(str(len(products)))),)
        case q.NormGradientOf():
            return (_norm_gradient(scene, definition, row, column),)
        case q.ReluGradientOf():
            return _relu_gradient(scene, definition, row, column)
        case q.GeluSlopeOf(of, kind):
            return (slope_form(kind, scene.entry(of, row, column)),)
        case q.EntrywiseOf(left, right):
            return (_product(scene, left, right, row, column),)
        case q.TotalDot(left, right, axis):
            count = scene.quantities[left].shape[0 if axis == "rows" else 1]
            across = [(k, column) if axis == "rows" else (row, k) for k in range(1, count + 1)]
            return (_total([_product(scene, left, right, *place) for place in across]),)
    return ()


def _norm_gradient(scene: Scene, definition: q.NormGradientOf, row: Index, column: Index) -> t.Node:
    index = row if definition.axis == "rows" else column
    gradient, normed = (scene.entry(name, row, column) for name in (definition.gradient, definition.normed))
    product = t.Product((normed, _number(scene, definition.dots, index)), ("cdot",))
    means = [_number(scene, definition.means, index)] if definition.means else []
    below: t.Node = _number(scene, definition.variances, index)
    if definition.eps:
        below = t.Sum((below, scene.quantities[definition.eps].symbol), ("+",))
    terms = (gradient, *means, product)
    return t.Division(t.Sum(terms, ("-",) * (len(terms) - 1)), t.Root(below))


def _relu_gradient(scene: Scene, definition: q.ReluGradientOf, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return the gradient itself or 0; nothing where rounding takes what went in over to the other side."""
    if not (isinstance(row, int) and isinstance(column, int)):
        return ()
    taken = scene.quantities[definition.of]
    exact, carried = taken.exact[row - 1, column - 1], taken.carried_at(row, column)
    if carried is None or not carried.is_finite or not exact.is_finite:
        return ()
    if relu_is_open(exact) != relu_is_open(carried):
        return ()
    return (scene.entry(definition.gradient, row, column) if relu_is_open(exact) else t.Number("0"),)


def slope_form(kind: str, x: t.Node) -> t.Node:
    """Return the derivative of a form of GELU at what is written.

    >>> from symattn.notation.writers.plain import write_plain
    >>> write_plain(slope_form("gelu", t.Name("x")))
    '(1 + erf(x/sqrt(2)))/2 + x/sqrt(2 pi)*e^(-x^2/2)'
    """
    square, inner = t.Power(base(x), _TWO), gelu_inner(kind, x)
    half = t.Division(t.Sum((_ONE, inner), ("+",)), _TWO)
    if kind == "gelu":
        root = t.Root(t.Product((_TWO, t.Name("pi")), ("",)))
        power = t.Power(t.Name("e"), t.Negative(t.Division(square, _TWO)))
        density = t.Product((t.Division(x, root), power), ("cdot",))
        return t.Sum((half, density), ("+",))
    rest = t.Group(t.Sum((_ONE, t.Power(t.Group(inner), _TWO)), ("-",)))
    cube = t.Product((t.Number("0.134145"), square), ("cdot",))
    grows = t.Group(t.Sum((_ONE, cube), ("+",)))
    factors = (t.Division(x, _TWO), rest, t.Root(t.Division(_TWO, t.Name("pi"))), grows)
    return t.Sum((half, t.Product(factors, ("cdot",) * 3)), ("+",))


def _line(scene: Scene, name: str, axis: q.Axis, index: Index) -> list[tuple[Index, Index]]:
    rows, columns = scene.quantities[name].shape
    if axis == "rows":
        return [(index, column) for column in range(1, columns + 1)]
    return [(row, index) for row in range(1, rows + 1)]


def _product(scene: Scene, left: str, right: str, row: Index, column: Index) -> t.Node:
    return t.Product((scene.entry(left, row, column), scene.entry(right, row, column)), ("cdot",))


def _number(scene: Scene, name: str, index: Index) -> t.Node:
    return indexed(scene.quantities[name].entry_symbol, (index_node(index),))


def _total(terms: list[t.Node]) -> t.Node:
    return terms[0] if len(terms) == 1 else t.Sum(tuple(terms), ("+",) * (len(terms) - 1))
