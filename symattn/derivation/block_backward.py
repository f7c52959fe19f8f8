"""TRUSTED. The backward pass of a block: rules, and definitions as written mathematics.

A norm ``n = (x - m)/s`` of d entries, with ``s = sqrt(v + eps)``, has the Jacobian ``(1 - 1/d - n n^T/d)/s``, so that a
gradient ``g`` at ``n`` is ``(g - mean(g) - n mean(g n))/s`` at ``x``; without the mean ``m`` nothing takes ``mean(g)``
off. The derivative of ReLU at 0, which has none, is taken for 0. That of GELU is ``Phi(x) + x phi(x)``, with the normal
distribution function and density; its form with tanh is differentiated as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symattn.derivation import quantity as q
from symattn.derivation.block_forms import gelu_inner
from symattn.derivation.block_rules import CUBIC, over_root, tanh_argument
from symattn.derivation.scene import Index, Scene, index_node, indexed
from symattn.errors import UndecidedError
from symattn.exact import certain
from symattn.exact.common import added
from symattn.exact.quotient import Quotient
from symattn.exact.sign import sign
from symattn.notation import tree as t
from symattn.notation.precedence import base

Arguments = Mapping[str, str]
_ZERO = Quotient.of(0)
_ONE, _TWO = t.Number("1"), t.Number("2")


# Rules ----------------------------------------------------------------------------------------------


def _lines(values: q.Grid, arguments: Arguments) -> q.Grid:
    return values if arguments["axis"] == "rows" else tuple(zip(*values, strict=True))


def _sum(values: list[Quotient | None]) -> Quotient | None:
    found = [value for value in values if value is not None]
    return added(found) if len(found) == len(values) else None


def _times(first: Quotient | None, second: Quotient | None) -> Quotient | None:
    return None if first is None or second is None else first * second


def _mean_dots(premises: tuple[q.Grid, ...], arguments: Arguments) -> q.Grid:
    """For each line the mean of the products of two entries."""
    found: list[tuple[Quotient | None]] = []
    for first, second in zip(*(_lines(values, arguments) for values in premises), strict=True):
        total = _sum([_times(*pair) for pair in zip(first, second, strict=True)])
        found.append((None if total is None else total / len(first),))
    return tuple(found)


def _layer_norm(premises: tuple[q.Grid, ...], arguments: Arguments) -> q.Grid:
    gradient, normed, means, dots, variances, *eps = premises
    return _through_norm(gradient, normed, means, dots, variances, eps, arguments)


def _rms_norm(premises: tuple[q.Grid, ...], arguments: Arguments) -> q.Grid:
    gradient, normed, dots, squares, *eps = premises
    return _through_norm(gradient, normed, ((_ZERO,),) * len(dots), dots, squares, eps, arguments)


def _through_norm(
    gradient: q.Grid,
    normed: q.Grid,
    means: q.Grid,
    dots: q.Grid,
    variances: q.Grid,
    eps: list[q.Grid],
    arguments: Arguments,
) -> q.Grid:
    more = eps[0][0][0] if eps else _ZERO
    lines = zip(_lines(gradient, arguments), _lines(normed, arguments), means, dots, variances, strict=True)
    found: list[tuple[Quotient | None, ...]] = []
    for line, own, (mean,), (dot,), (variance,) in lines:
        below = None if variance is None or more is None else variance + more
        pairs = zip(line, own, strict=True)
        found.append(tuple(_through_entry(entry, number, mean, dot, below) for entry, number in pairs))
    return _lines(tuple(found), arguments)


def _through_entry(
    entry: Quotient | None,
    number: Quotient | None,
    mean: Quotient | None,
    dot: Quotient | None,
    below: Quotient | None,
) -> Quotient | None:
    product = _times(number, dot)
    above = _sum([entry, None if mean is None else -mean, None if product is None else -product])
    return None if above is None or below is None else over_root(above, below)


def relu_is_open(value: Quotient) -> bool:
    """Whether ReLU passes a gradient on: above 0.

    >>> [relu_is_open(Quotient.of(number)) for number in (2, 0, -1)]
    [True, False, False]

    Raises:
        UndecidedError: enclosures do not settle the sign.
    """
    try:
        return sign(value) > 0
    except UndecidedError as error:
        raise UndecidedError(
            "What goes into ReLU is so near 0 that its sign is not settled, and with it the derivative; change the "
            "numbers of the network a little."
        ) from error


def _relu(premises: tuple[q.Grid, ...], _: Arguments) -> q.Grid:
    def passed(entry: Quotient | None, taken: Quotient | None) -> Quotient | None:
        return None if entry is None or taken is None else entry if relu_is_open(taken) else _ZERO

    rows = zip(*premises, strict=True)
    return tuple(tuple(passed(*pair) for pair in zip(*row, strict=True)) for row in rows)


def gelu_slope(value: Quotient) -> Quotient:
    """``1/2 (1 + erf(x/sqrt(2))) + x/sqrt(2 pi) e^(-x^2/2)``, the derivative of GELU.

    >>> str(gelu_slope(Quotient.of(0))), str(gelu_slope(Quotient.of(1)))
    ('1/2', '[1.083315..., 1.083316...]')
    """
    density = value / certain.sqrt(2 * certain.pi()) * certain.exp(-certain.power(value, 2) / 2)
    return (1 + certain.applied("erf", value / certain.sqrt(Quotient.of(2)))) / 2 + density


def gelu_tanh_slope(value: Quotient) -> Quotient:
    """``1/2 (1 + t) + x/2 (1 - t^2) sqrt(2/pi) (1 + 0.134145 x^2)`` with the tanh ``t``, the derivative of that form.

    >>> str(gelu_tanh_slope(Quotient.of(0))), str(gelu_tanh_slope(Quotient.of(1)))
    ('1/2', '[1.082964..., 1.082965...]')
    """
    root, inner = tanh_argument(value)
    tanh = certain.applied("tanh", inner)
    grows = root * (1 + 3 * CUBIC * certain.power(value, 2))
    return (1 + tanh) / 2 + value / 2 * (1 - tanh**2) * grows


GELU_SLOPES: Mapping[str, Callable[[Quotient], Quotient]] = {"gelu": gelu_slope, "gelu-tanh": gelu_tanh_slope}
"""The derivatives of the forms of GELU, by name."""


def _gelu_slope(premises: tuple[q.Grid, ...], arguments: Arguments) -> q.Grid:
    slope = GELU_SLOPES[arguments["kind"]]
    return tuple(tuple(None if value is None else slope(value) for value in row) for row in premises[0])


def _entrywise(premises: tuple[q.Grid, ...], _: Arguments) -> q.Grid:
    return tuple(tuple(_times(*pair) for pair in zip(*row, strict=True)) for row in zip(*premises, strict=True))


def _total_dot(premises: tuple[q.Grid, ...], arguments: Arguments) -> q.Grid:
    pairs = zip(*(_lines(values, arguments) for values in premises), strict=True)
    products = [[_times(*pair) for pair in zip(*lines, strict=True)] for lines in pairs]
    return _lines((tuple(_sum(list(column)) for column in zip(*products, strict=True)),), arguments)


APPLY: Mapping[str, Callable[[tuple[q.Grid, ...], Arguments], q.Grid]] = {
    "line-mean-dot": _mean_dots,
    "layer-norm-gradient": _layer_norm,
    "rms-norm-gradient": _rms_norm,
    "relu-gradient": _relu,
    "gelu-slope": _gelu_slope,
    "entrywise": _entrywise,
    "total-dot": _total_dot,
}
"""What each rule of the backward pass of a block does, before anything is rounded."""


# Definitions ----------------------------------------------------------------------------------------


def entry_forms(scene: Scene, definition: q.BlockDefinition, row: Index, column: Index) -> tuple[t.Node, ...]:
    """The forms of an entry, at numbers or at running indices."""
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
    """The gradient itself or 0; nothing where rounding takes what went in over to the other side."""
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
    """The derivative of a form of GELU at what is written.

    >>> from symattn.notation.plain_writer import write_plain
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
