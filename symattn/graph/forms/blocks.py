"""TRUSTED. The definitions of a block and of its backward pass as written mathematics."""

from __future__ import annotations

from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Index, Scene, index_node, indexed, sum_tree
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import base
from symattn.operations.evaluation import is_positive

_ONE, _TWO = t.Number("1"), t.Number("2")


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
        case q.LineMeanDot(left, right, axis):
            places = _places(scene, left, axis, row)
            products = [_product(scene, left, right, *place) for place in places]
            total = sum_tree(products)
            return (total if len(products) == 1 else t.Division(total, t.Number(str(len(products)))),)
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
            return (sum_tree([_product(scene, left, right, *place) for place in across]),)


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
    return [scene.entry(name, *place) for place in _places(scene, name, axis, index)]


def _number(scene: Scene, name: str, index: Index) -> t.Node:
    return indexed(scene.quantities[name].entry_symbol, (index_node(index),))


def _means(items: list[t.Node]) -> tuple[t.Node, ...]:
    if len(items) == 1:
        return (items[0],)
    total, count = sum_tree(items), t.Number(str(len(items)))
    share = t.Division(t.Number("1"), count)
    return (t.Division(total, count), t.Product((share, t.Group(total)), ("",)))


# The backward pass ------------------------------------------------------------------------------------


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
    if is_positive(exact) != is_positive(carried):
        return ()
    return (scene.entry(definition.gradient, row, column) if is_positive(exact) else t.Number("0"),)


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


def _places(scene: Scene, name: str, axis: q.Axis, index: Index) -> list[tuple[Index, Index]]:
    rows, columns = scene.quantities[name].shape
    if axis == "rows":
        return [(index, column) for column in range(1, columns + 1)]
    return [(row, index) for row in range(1, rows + 1)]


def _product(scene: Scene, left: str, right: str, row: Index, column: Index) -> t.Node:
    return t.Product((scene.entry(left, row, column), scene.entry(right, row, column)), ("cdot",))
