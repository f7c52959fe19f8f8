"""Operations around attention (residual sums, norms, network) as formulas of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symattn.checking.graph.quantities import (
    ONE,
    EachTimes,
    Formula,
    Less,
    LineSum,
    Mapped,
    Minus,
    Multiple,
    OverRoot,
    Plus,
    Ref,
    Transposed,
    divided,
)
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary
from symattn.graph.quantities import quantity as q
from symattn.graph.rules.block_gradients import GELU_SLOPES, relu_is_open
from symattn.graph.rules.blocks import ACTIVATIONS

SLOPES = {kind: f"{kind}-slope" for kind in ACTIVATIONS}
"""What each activation multiplies a gradient by: its derivative; that of ReLU is 1 above 0, else 0."""


def formula_of(definition: q.BlockDefinition, sizes: Mapping[str, tuple[int, int]]) -> Formula:
    """Return the formula of an operation that only blocks have.

    >>> formula_of(q.ActivatedBy("F_1", "relu"), {})
    Mapped(function='relu', of=Ref(name='F_1'))
    """
    match definition:
        case q.LineMean(of, axis):
            return Multiple(ONE / length_of(sizes[of], axis), LineSum(Ref(of), axis))
        case q.LineVariance(of, means, axis):
            return mean_of_squares(Less(Ref(of), Ref(means), axis), length_of(sizes[of], axis), axis)
        case q.LineMeanSquare(of, axis):
            return mean_of_squares(Ref(of), length_of(sizes[of], axis), axis)
        case q.Standardised(of, means, variances, eps, axis):
            above: Formula = Less(Ref(of), Ref(means), axis) if means else Ref(of)
            return OverRoot(above, Ref(variances), Ref(eps) if eps else None, axis)
        case q.AffineOf(of, factor, term):
            made: Formula = EachTimes(Ref(of), Ref(factor)) if factor else Ref(of)
            return Plus(made, Ref(term)) if term else made
        case q.ActivatedBy(of, kind):
            return Mapped(kind, Ref(of))
        case q.LineMeanDot(left, right, axis):
            return Multiple(ONE / length_of(sizes[left], axis), LineSum(EachTimes(Ref(left), Ref(right)), axis))
        case q.NormGradientOf(gradient, normed, means, dots, variances, eps, axis):
            numbers: Formula = Ref(dots) if axis == "rows" else Transposed(Ref(dots))
            start: Formula = Less(Ref(gradient), Ref(means), axis) if means else Ref(gradient)
            above = Minus(start, EachTimes(Ref(normed), numbers))
            return OverRoot(above, Ref(variances), Ref(eps) if eps else None, axis)
        case q.ReluGradientOf(gradient, of):
            return EachTimes(Ref(gradient), Mapped(SLOPES["relu"], Ref(of)))
        case q.GeluSlopeOf(of, kind):
            return Mapped(SLOPES[kind], Ref(of))
        case q.EntrywiseOf(left, right):
            return EachTimes(Ref(left), Ref(right))
        case q.TotalDot(left, right, axis):
            sums = LineSum(EachTimes(Ref(left), Ref(right)), "columns" if axis == "rows" else "rows")
            return Transposed(sums) if axis == "rows" else sums


def length_of(size: tuple[int, int], axis: q.Axis) -> int:
    """Return the number of entries of a line."""
    return size[1] if axis == "rows" else size[0]


def mean_of_squares(of: Formula, count: int, axis: q.Axis) -> Formula:
    """Return the sum of the squares of each line over a count."""
    return Multiple(ONE / count, LineSum(EachTimes(of, of), axis))


def _tanh(value: Quotient) -> Quotient:
    return elementary.apply("tanh", value)


def _minus_ln(value: Quotient) -> Quotient:
    return -elementary.ln(value)


def _square(value: Quotient) -> Quotient:
    return value * value


def _relu_slope(value: Quotient) -> Quotient:
    return Quotient.of(int(relu_is_open(value)))


_FUNCTIONS: Mapping[str, Callable[[Quotient], Quotient]] = {
    **ACTIVATIONS,
    "sqrt": elementary.sqrt,
    "tanh": _tanh,
    "-ln": _minus_ln,
    "square": _square,
    SLOPES["relu"]: _relu_slope,
    **{SLOPES[kind]: slope for kind, slope in GELU_SLOPES.items()},
}
"""Activations, and what roots, soft caps and losses are made of."""


def mapped(function: str, value: Quotient | None) -> Quotient | None:
    """Return an activation of an entry, or its root, None where it is undefined.

    >>> from symattn.exact.field.quotient import Quotient
    >>> str(mapped("relu", Quotient.of(-1)))
    '0'
    """
    if value is None or not value.is_finite or value.symbols:
        return None
    try:
        return _FUNCTIONS[function](value)
    except InputError:
        return None  # the root of a negative number


def over_root(
    value: Quotient | None, below: Quotient | None, eps: Quotient | None, *, is_inside: bool
) -> Quotient | None:
    """Return an entry over the root of the denominator, None where it is undefined.

    >>> from symattn.exact.field.quotient import Quotient
    >>> three, four, five = (Quotient.of(number) for number in (3, 4, 5))
    >>> str(over_root(three, four, five, is_inside=True)), str(over_root(three, four, five, is_inside=False))
    ('1', '3/7')
    """
    if value is None or below is None or eps is None or value.symbols or below.symbols:
        return None
    if not (value.is_finite and below.is_finite):
        return None
    try:
        root = elementary.sqrt(below + eps) if is_inside else elementary.sqrt(below) + eps
    except InputError:
        return None  # the root of a negative number
    return divided(value, root)
