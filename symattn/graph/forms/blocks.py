"""TRUSTED. The definitions of a block as written mathematics: what may stand after ``N_{11} =``."""

from __future__ import annotations

from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Index, Scene, index_node, indexed
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import base

_TWO = t.Number("2")


def whole_forms(scene: Scene, definition: q.BlockDefinition) -> tuple[t.Node, ...]:
    """Return the forms of a whole quantity: ``ReLU(F)`` alone has one."""
    if isinstance(definition, q.ActivatedBy) and definition.kind == "relu":
        return (t.Call(t.Name("ReLU"), (scene.quantities[definition.of].symbol,)),)
    return ()


def entry_forms(scene: Scene, definition: q.BlockDefinition, row: Index, column: Index) -> tuple[t.Node, ...]:
    """Return the forms of an entry, at numbers or at running indices."""
    match definition:
        case q.LineMean(of, axis):
            return _means(_line(scene, of, axis, row))
        case q.LineVariance(of, means, axis):
            mean = _number(scene, means, row)
            deviations = [t.Sum((entry, mean), ("-",)) for entry in _line(scene, of, axis, row)]
            return _means([t.Power(base(node), _TWO) for node in deviations])
        case q.LineMeanSquare(of, axis):
            return _means([t.Power(base(entry), _TWO) for entry in _line(scene, of, axis, row)])
        case q.Standardised():
            return (_standardised(scene, definition, row, column),)
        case q.AffineOf():
            return (_affine(scene, definition, row, column),)
        case q.ActivatedBy(of, kind):
            return activation_forms(kind, scene.entry(of, row, column))
        case _:
            from symattn.graph.forms import block_gradients  # start-up: fewer blocks still have gradients

            return block_gradients.entry_forms(scene, definition, row, column)


def _standardised(scene: Scene, definition: q.Standardised, row: Index, column: Index) -> t.Node:
    index = row if definition.axis == "rows" else column
    above: t.Node = scene.entry(definition.of, row, column)
    if definition.means:
        above = t.Sum((above, _number(scene, definition.means, index)), ("-",))
    below: t.Node = _number(scene, definition.variances, index)
    if definition.eps:
        below = t.Sum((below, scene.quantities[definition.eps].symbol), ("+",))
    return t.Division(above, t.Root(below))


def _affine(scene: Scene, definition: q.AffineOf, row: Index, column: Index) -> t.Node:
    index = column if definition.axis == "rows" else row
    made: t.Node = scene.entry(definition.of, row, column)
    if definition.factor:
        made = t.Product((_number(scene, definition.factor, index), made), ("cdot",))
    if definition.term:
        made = t.Sum((made, _number(scene, definition.term, index)), ("+",))
    return made


def activation_forms(kind: str, x: t.Node) -> tuple[t.Node, ...]:
    """Return an activation of what is written.

    >>> from symattn.notation.writers.plain import write_plain
    >>> [write_plain(form) for form in activation_forms("relu", t.Name("x"))]
    ['max(0, x)', 'ReLU(x)']
    """
    if kind == "relu":
        return t.Call(t.Name("max"), (t.Number("0"), x)), t.Call(t.Name("ReLU"), (x,))
    return (t.Product((t.Division(x, _TWO), t.Group(t.Sum((t.Number("1"), gelu_inner(kind, x)), ("+",)))), ("cdot",)),)


def gelu_inner(kind: str, x: t.Node) -> t.Node:
    """Return the term beside 1 in a form of GELU: an error function, or a hyperbolic tangent.

    >>> from symattn.notation.writers.plain import write_plain
    >>> write_plain(gelu_inner("gelu", t.Name("x")))
    'erf(x/sqrt(2))'
    """
    if kind == "gelu":
        return t.Call(t.Name("erf"), (t.Division(x, t.Root(_TWO)),))
    cube = t.Product((t.Number("0.044715"), t.Power(base(x), t.Number("3"))), ("cdot",))
    root = t.Root(t.Division(_TWO, t.Name("pi")))
    return t.Call(t.Name("tanh"), (t.Product((root, t.Group(t.Sum((x, cube), ("+",)))), ("",)),))


def _line(scene: Scene, name: str, axis: q.Axis, index: Index) -> list[t.Node]:
    rows, columns = scene.quantities[name].shape
    if axis == "rows":
        return [scene.entry(name, index, column) for column in range(1, columns + 1)]
    return [scene.entry(name, row, index) for row in range(1, rows + 1)]


def _number(scene: Scene, name: str, index: Index) -> t.Node:
    return indexed(scene.quantities[name].entry_symbol, (index_node(index),))


def _means(items: list[t.Node]) -> tuple[t.Node, ...]:
    if len(items) == 1:
        return (items[0],)
    total, count = t.Sum(tuple(items), ("+",) * (len(items) - 1)), t.Number(str(len(items)))
    share = t.Division(t.Number("1"), count)
    return (t.Division(total, count), t.Product((share, t.Group(total)), ("",)))
