"""Activations, their derivatives and other functions of single entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from symattn.checking.graph.partial_arithmetic import divided
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary
from symattn.operations import activation
from symattn.operations.evaluation import is_positive, value_of
from symattn.operations.scalar import Num

SLOPES: Mapping[str, str] = {kind: f"{kind}-slope" for kind in activation.KINDS}
"""Names of the derivatives of activations; that of ReLU is 1 above 0, else 0."""


def _tanh(value: Quotient) -> Quotient:
    return elementary.apply("tanh", value)


def _minus_ln(value: Quotient) -> Quotient:
    return -elementary.ln(value)


def _square(value: Quotient) -> Quotient:
    return value * value


def _relu_slope(value: Quotient) -> Quotient:
    return Quotient.of(int(is_positive(value)))


def _activated(kind: activation.Kind, value: Quotient) -> Quotient | None:
    return value_of(activation.activate(kind, Num(value)))


def _gelu_slope(kind: activation.Kind, value: Quotient) -> Quotient | None:
    return value_of(activation.differentiate(kind, Num(value)))


_FUNCTIONS: Mapping[str, Callable[[Quotient], Quotient | None]] = {
    **{kind: partial(_activated, kind) for kind in activation.KINDS},
    "sqrt": elementary.sqrt,
    "tanh": _tanh,
    "-ln": _minus_ln,
    "square": _square,
    SLOPES["relu"]: _relu_slope,
    **{SLOPES[kind]: partial(_gelu_slope, kind) for kind in activation.KINDS if kind != "relu"},
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
