"""TRUSTED. Activations of a network and their derivatives.

The derivative of ReLU at 0, which has none, is taken for 0. That of GELU is ``Phi(x) + x phi(x)``, with the normal
distribution function and density; its form with tanh is differentiated as it stands. SiLU, also called Swish, is
``x s(x)`` with the logistic function ``s``, and its derivative is ``s(x) (1 + x (1 - s(x)))``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self, TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.notation.tree import nodes as t
from symattn.operations.operation import (
    Applied,
    Arguments,
    Cotangent,
    Family,
    Forms,
    Names,
    Nothing,
    Operation,
    Shapes,
    Tape,
    entrywise_shape,
    family,
)
from symattn.operations.scalar import (
    ONE,
    TWO,
    ZERO,
    Call,
    Div,
    Index,
    Leaf,
    Max,
    Mul,
    Neg,
    Num,
    Pi,
    Pow,
    Scalar,
    Select,
    side_by_side,
)
from symattn.records import dataclass

Kind: TypeAlias = Literal["relu", "gelu", "gelu-tanh", "silu"]
KINDS: tuple[Kind, ...] = ("relu", "gelu", "gelu-tanh", "silu")

_CUBIC = Num(Quotient.of("0.044715"))
_SQUARE = Num(Quotient.of("0.134145"))
"""Three times the coefficient of the cube."""


@dataclass(frozen=True, slots=True)
class Activation:
    """The name of an activation."""

    options: ClassVar[Mapping[str, str]] = {"kind": "|".join(KINDS)}

    kind: Kind

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the activation that arguments state."""
        return cls(next(kind for kind in KINDS if kind == arguments["kind"]))


def _error_function(x: Scalar) -> Scalar:
    """``erf(x/sqrt(2))``."""
    return Call("erf", x / Call("sqrt", TWO))


def _root() -> Scalar:
    """``sqrt(2/pi)``."""
    return Call("sqrt", TWO / Pi())


def _tanh(x: Scalar) -> Scalar:
    """``tanh(sqrt(2/pi) (x + 0.044715 x^3))``."""
    return Call("tanh", side_by_side(_root(), x + _CUBIC * Pow(x, 3)))


def activate(kind: Kind, x: Scalar) -> Scalar:
    """Return an activation of an expression."""
    if kind == "relu":
        return Max((ZERO, x))
    if kind == "silu":
        return Div(x, ONE + Call("exp", Neg(x)))
    return Div(x, TWO) * (ONE + (_error_function(x) if kind == "gelu" else _tanh(x)))


def activation(p: Activation, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``f(x_ij)``."""
    return activate(p.kind, Leaf(0, i, j))


def activation_back(p: Activation, tape: Tape, node: Applied, g: Cotangent) -> None:
    """Add ``G`` times the derivative, entry by entry."""
    (of,) = node.operands
    if p.kind == "relu":
        tape.add(of, "relu-gradient", g.whole, of.name)
        return
    rule = "silu-slope" if p.kind == "silu" else "gelu-slope"
    slope = tape.make("slope", node, rule, of.name, kind=p.kind)
    tape.add(of, "entrywise", g.whole, slope)


def whole_activation(p: Activation, names: Names) -> Forms:
    """Return ``ReLU(X)``."""
    return (_relu(names.whole(0)),) if p.kind == "relu" else ()


def activation_by_name(p: Activation, names: Names, i: Index, j: Index) -> Forms:
    """Return ``ReLU(x_ij)``."""
    return (_relu(names.entry(0, i, j)),) if p.kind == "relu" else ()


def _relu(x: t.Node) -> t.Node:
    return t.Call(t.Name("ReLU"), (x,))


def relu_gradient(_p: Nothing, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``g_ij`` where ``x_ij`` is above 0, and 0 elsewhere."""
    return Select("positive", (Leaf(1, i, j),), Leaf(0, i, j), ZERO)


def differentiate(kind: Kind, x: Scalar) -> Scalar:
    """Return the derivative of SiLU, or of a form of GELU, at an expression."""
    if kind == "silu":
        logistic = Div(ONE, ONE + Call("exp", Neg(x)))
        return logistic * (ONE + x * (ONE - logistic))
    if kind == "gelu":
        density = Div(x, Call("sqrt", side_by_side(TWO, Pi()))) * Call("exp", Neg(Pow(x, 2) / TWO))
        return Div(ONE + _error_function(x), TWO) + density
    tanh = _tanh(x)
    inner = _root() * (ONE + _SQUARE * Pow(x, 2))
    return Div(ONE + tanh, TWO) + Mul((Div(x, TWO), ONE - Pow(tanh, 2), inner))


def slope(p: Activation, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return ``f'(x_ij)``."""
    return differentiate(p.kind, Leaf(0, i, j))


OPERATIONS: Family = family(
    Operation(
        "activation",
        "the activation of each entry",
        "Vaswani et al. 2017, eq. 2; Hendrycks and Gimpel 2016; Elfwing et al. 2018, eq. 3",
        Activation,
        (1, 1),
        entrywise_shape,
        activation,
        vjp=activation_back,
        whole=whole_activation,
        also=activation_by_name,
        numerals="scalars",
        called=lambda p: "" if p.kind == "relu" else p.kind,
    ),
    Operation(
        "relu-gradient",
        "each entry where what the ReLU took is above 0, and 0 elsewhere",
        "chain rule",
        Nothing,
        (2, 2),
        entrywise_shape,
        relu_gradient,
        numerals="scalars",
    ),
    Operation(
        "gelu-slope",
        "the derivative of GELU at each entry",
        "chain rule",
        Activation,
        (1, 1),
        entrywise_shape,
        slope,
        numerals="scalars",
        called=lambda p: f"{p.kind}-slope",
    ),
    Operation(
        "silu-slope",
        "the derivative of SiLU at each entry",
        "chain rule",
        Activation,
        (1, 1),
        entrywise_shape,
        slope,
        numerals="scalars",
        called=lambda p: f"{p.kind}-slope",
    ),
)
