"""TRUSTED. The rules of a block: means, variances, norms and activations of tokens.

Values stay closed forms while they have one; `symattn.exact.reals.elementary` takes over where they have none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from symattn.exact.evaluation import larger
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary

if TYPE_CHECKING:
    from symattn.graph.quantities.quantity import Grid

_Line: TypeAlias = Sequence[Quotient | None]

_ZERO, _ONE = Quotient.of(0), Quotient.of(1)
CUBIC = Quotient.of("0.044715")
"""The coefficient of the cube in GELU by tanh."""


def power(value: Quotient, exponent: int) -> Quotient:
    """A power: a closed form while that is short enough to be written out.

    >>> str(power(Quotient.of("3/2"), 2))
    '9/4'
    """
    return elementary.power(value, exponent)


def _turned(values: Grid) -> Grid:
    return tuple(zip(*values, strict=True))


def _lines(values: Grid, arguments: Mapping[str, str]) -> Grid:
    return values if arguments["axis"] == "rows" else _turned(values)


def _all(line: _Line) -> list[Quotient] | None:
    values = [value for value in line if value is not None]
    return values if len(values) == len(line) else None


def _mean_of(values: Sequence[Quotient]) -> Quotient:
    return elementary.total(*values) / len(values)


def _mean(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    lines = [_all(line) for line in _lines(premises[0], arguments)]
    return tuple((None if line is None else _mean_of(line),) for line in lines)


def _variance(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    found: list[tuple[Quotient | None]] = []
    for line, (mean,) in zip(_lines(premises[0], arguments), premises[1], strict=True):
        values = _all(line)
        if values is None or mean is None:
            found.append((None,))
        else:
            found.append((_mean_of([power(elementary.total(value, -mean), 2) for value in values]),))
    return tuple(found)


def _mean_square(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    lines = [_all(line) for line in _lines(premises[0], arguments)]
    return tuple((None if line is None else _mean_of([power(value, 2) for value in line]),) for line in lines)


def _standardised(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    """Each entry less the mean of its line, over the root of its variance and eps."""
    values, means, variances, *eps = premises
    return _normed(values, [mean for (mean,) in means], variances, eps, arguments)


def _rms_normed(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    values, squares, *eps = premises
    return _normed(values, [_ZERO] * len(squares), squares, eps, arguments)


def _normed(values: Grid, means: _Line, variances: Grid, eps: Sequence[Grid], arguments: Mapping[str, str]) -> Grid:
    added = eps[0][0][0] if eps else _ZERO
    found: list[tuple[Quotient | None, ...]] = []
    for line, mean, (variance,) in zip(_lines(values, arguments), means, variances, strict=True):
        if mean is None or variance is None or added is None:
            found.append((None,) * len(line))
            continue
        below = variance + added
        found.append(
            tuple(None if value is None else over_root(elementary.total(value, -mean), below) for value in line)
        )
    return _lines(tuple(found), arguments)


def over_root(value: Quotient, below: Quotient) -> Quotient | None:
    """``value/sqrt(below)``; None where nothing but 0 stands under the root.

    >>> str(over_root(Quotient.of("-3/2"), Quotient.of("5/4"))), over_root(Quotient.of(0), Quotient.of(0))
    ('-3/5*sqrt(5)', None)
    """
    if below.is_zero:
        return None
    return value / elementary.sqrt(below)


def _affine(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    """Each entry times the factor of its place in a token, and a number added."""
    names = arguments["with"].split()
    lines = _lines(premises[0], arguments)
    given = {name: [v for row in values for v in row] for name, values in zip(names, premises[1:], strict=True)}
    width = len(lines[0])
    factors, terms = given.get("factor", [_ONE] * width), given.get("term", [_ZERO] * width)
    made = tuple(
        tuple(
            None if value is None or a is None or b is None else value * a + b
            for value, a, b in zip(line, factors, terms, strict=True)
        )
        for line in lines
    )
    return _lines(made, arguments)


def relu(value: Quotient) -> Quotient:
    """``max(0, x)``.

    >>> str(relu(Quotient.of(-2)))
    '0'
    """
    return larger(_ZERO, value)


def gelu(value: Quotient) -> Quotient:
    """``x/2 (1 + erf(x/sqrt(2)))``, exactly x Phi(x).

    >>> str(gelu(Quotient.of(1)))
    '1/2*erf(1/2*sqrt(2)) + 1/2'
    """
    root = Quotient.of(Polynomial.sqrt(2))
    return value / 2 * (1 + elementary.apply("erf", value / root))


def gelu_tanh(value: Quotient) -> Quotient:
    """``x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))``.

    >>> str(gelu_tanh(Quotient.of(1)))
    '[0.8411919..., 0.8411920...]'
    """
    return value / 2 * (1 + elementary.apply("tanh", tanh_argument(value)[1]))


def tanh_argument(value: Quotient) -> tuple[Quotient, Quotient]:
    """``sqrt(2/pi)`` and what GELU takes the tanh of, which is that times ``x + 0.044715 x^3``.

    >>> [str(number) for number in tanh_argument(Quotient.of(0))]
    ['[0.7978845..., 0.7978846...]', '0']
    """
    root = elementary.sqrt(Quotient.of(2) / elementary.pi())
    return root, root * (value + CUBIC * power(value, 3))


ACTIVATIONS: Mapping[str, Callable[[Quotient], Quotient]] = {"relu": relu, "gelu": gelu, "gelu-tanh": gelu_tanh}
"""The activations, by name."""


def _activated(premises: tuple[Grid, ...], arguments: Mapping[str, str]) -> Grid:
    function = ACTIVATIONS[arguments["kind"]]
    return tuple(tuple(None if value is None else function(value) for value in row) for row in premises[0])


APPLY: Mapping[str, Callable[[tuple[Grid, ...], Mapping[str, str]], Grid]] = {
    "line-mean": _mean,
    "line-variance": _variance,
    "line-mean-square": _mean_square,
    "standardise": _standardised,
    "rms-norm": _rms_normed,
    "affine": _affine,
    "activation": _activated,
}
"""What each rule of a block does, before anything is rounded."""
