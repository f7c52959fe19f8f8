"""TRUSTED. The backward pass of a block: rules.

A norm ``n = (x - m)/s`` of d entries, with ``s = sqrt(v + eps)``, has the Jacobian ``(1 - 1/d - n n^T/d)/s``, so that a
gradient ``g`` at ``n`` is ``(g - mean(g) - n mean(g n))/s`` at ``x``; without the mean ``m`` nothing takes ``mean(g)``
off. The derivative of ReLU at 0, which has none, is taken for 0. That of GELU is ``Phi(x) + x phi(x)``, with the normal
distribution function and density; its form with tanh is differentiated as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from symattn.errors import UndecidedError
from symattn.exact.field.common_denominator import added
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary
from symattn.exact.reals.sign import sign
from symattn.graph.rules.blocks import CUBIC, over_root, tanh_argument

if TYPE_CHECKING:
    from symattn.graph.quantities.quantity import Grid

Arguments = Mapping[str, str]
_ZERO = Quotient.of(0)


def _lines(values: Grid, arguments: Arguments) -> Grid:
    return values if arguments["axis"] == "rows" else tuple(zip(*values, strict=True))


def _sum(values: list[Quotient | None]) -> Quotient | None:
    found = [value for value in values if value is not None]
    return added(found) if len(found) == len(values) else None


def _times(first: Quotient | None, second: Quotient | None) -> Quotient | None:
    return None if first is None or second is None else first * second


def _mean_dots(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    """For each line the mean of the products of two entries."""
    found: list[tuple[Quotient | None]] = []
    for first, second in zip(*(_lines(values, arguments) for values in premises), strict=True):
        total = _sum([_times(*pair) for pair in zip(first, second, strict=True)])
        found.append((None if total is None else total / len(first),))
    return tuple(found)


def _layer_norm(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    gradient, normed, means, dots, variances, *eps = premises
    return _through_norm(gradient, normed, means, dots, variances, eps, arguments)


def _rms_norm(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    gradient, normed, dots, squares, *eps = premises
    return _through_norm(gradient, normed, ((_ZERO,),) * len(dots), dots, squares, eps, arguments)


def _through_norm(
    gradient: Grid,
    normed: Grid,
    means: Grid,
    dots: Grid,
    variances: Grid,
    eps: list[Grid],
    arguments: Arguments,
) -> Grid:
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
    """Return True if ReLU passes a gradient on: above 0.

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


def _relu(premises: tuple[Grid, ...], _: Arguments) -> Grid:
    def passed(entry: Quotient | None, taken: Quotient | None) -> Quotient | None:
        return None if entry is None or taken is None else entry if relu_is_open(taken) else _ZERO

    rows = zip(*premises, strict=True)
    return tuple(tuple(passed(*pair) for pair in zip(*row, strict=True)) for row in rows)


def gelu_slope(value: Quotient) -> Quotient:
    """``1/2 (1 + erf(x/sqrt(2))) + x/sqrt(2 pi) e^(-x^2/2)``, the derivative of GELU.

    >>> str(gelu_slope(Quotient.of(0))), str(gelu_slope(Quotient.of(1)))
    ('1/2', '[1.083315..., 1.083316...]')
    """
    density = value / elementary.sqrt(2 * elementary.pi()) * elementary.exp(-elementary.power(value, 2) / 2)
    return (1 + elementary.apply("erf", value / elementary.sqrt(Quotient.of(2)))) / 2 + density


def gelu_tanh_slope(value: Quotient) -> Quotient:
    """``1/2 (1 + t) + x/2 (1 - t^2) sqrt(2/pi) (1 + 0.134145 x^2)`` with the tanh ``t``, the derivative of that form.

    >>> str(gelu_tanh_slope(Quotient.of(0))), str(gelu_tanh_slope(Quotient.of(1)))
    ('1/2', '[1.082964..., 1.082965...]')
    """
    root, inner = tanh_argument(value)
    tanh = elementary.apply("tanh", inner)
    grows = root * (1 + 3 * CUBIC * elementary.power(value, 2))
    return (1 + tanh) / 2 + value / 2 * (1 - tanh**2) * grows


GELU_SLOPES: Mapping[str, Callable[[Quotient], Quotient]] = {"gelu": gelu_slope, "gelu-tanh": gelu_tanh_slope}
"""The derivatives of the forms of GELU, by name."""


def _gelu_slope(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    slope = GELU_SLOPES[arguments["kind"]]
    return tuple(tuple(None if value is None else slope(value) for value in row) for row in premises[0])


def _entrywise(premises: tuple[Grid, ...], _: Arguments) -> Grid:
    return tuple(tuple(_times(*pair) for pair in zip(*row, strict=True)) for row in zip(*premises, strict=True))


def _total_dot(premises: tuple[Grid, ...], arguments: Arguments) -> Grid:
    pairs = zip(*(_lines(values, arguments) for values in premises), strict=True)
    products = [[_times(*pair) for pair in zip(*lines, strict=True)] for lines in pairs]
    return _lines((tuple(_sum(list(column)) for column in zip(*products, strict=True)),), arguments)


APPLY: Mapping[str, Callable[[tuple[Grid, ...], Arguments], Grid]] = {
    "line-mean-dot": _mean_dots,
    "layer-norm-gradient": _layer_norm,
    "rms-norm-gradient": _rms_norm,
    "relu-gradient": _relu,
    "gelu-slope": _gelu_slope,
    "entrywise": _entrywise,
    "total-dot": _total_dot,
}
"""What each rule of the backward pass of a block does, before anything is rounded."""
