"""The words of a key about the backward pass around attention: norms, the network and the residuals."""

from __future__ import annotations

from symattn.graph.builders.layer import Layer
from symattn.graph.quantities import quantity as q
from symattn.rendering.latex.typesetting import math

_NETWORK = ("dF_2", "dW_F2", "db_F2", "dF_act", "F_slope", "dF_1", "dW_F1", "db_F1", "dF_0")
_NORM = ("dY", "dgamma", "dbeta", "dN", "rho", "tau")

_OF_NORMS = frozenset(f"{base}_{number}" for base in ("dN", "rho", "tau") for number in "12")

ON_THE_WAY = frozenset({"dF_2", "dF_act", "F_slope", "dF_0", "dX_A"}) | _OF_NORMS
"""What is worked out for the sake of others, and is not the answer."""


def title_of(name: str) -> str:
    """Return the step of a backward pass that a gradient belongs to.

    >>> title_of("dN_1"), title_of("dW_F1"), title_of("dR_2")
    ('Through norm 1', 'Through the network', 'At residual sum 2')
    """
    base, _, number = name.rpartition("_")
    if name in _NETWORK:
        return "Through the network"
    if base in _NORM:
        return f"Through norm {number}"
    return f"At residual sum {number}" if base == "dR" else "To the inputs"


def through_norm(layer: Layer, name: str) -> tuple[str, ...]:
    """Return the means of a norm and what it makes of a gradient, where a gradient belongs to the step of that norm."""
    base, _, number = name.rpartition("_")
    if base not in _NORM:
        return ()
    for made, quantity in layer.scene.quantities.items():
        definition = quantity.definition
        if isinstance(definition, q.NormGradientOf) and definition.normed == f"N_{number}":
            return (*([definition.means] if definition.means else []), definition.dots, made)
    return ()


def words_of(layer: Layer, name: str) -> str:
    """Return the introduction of a step; nothing where the formulas of a norm suffice."""
    names = layer.scene.quantities
    title = title_of(name)
    if title == "Through the network":
        block = layer.problem.block
        if block is not None and block.activation != "relu":
            return "GELU multiplies the gradient, entry by entry, by its derivative at what it takes."
        word = "ReLU passes on the gradient where what it takes is above 0. Below 0 nothing comes through"
        return f"{word}, and at 0, where it has no derivative, 0 is taken for it."
    if title.startswith("At residual"):
        symbol = math(names[f"R_{name[-1]}"].symbol)
        return f"The gradient at the sum ${symbol}$ is that at each of its terms, and goes on along both paths."
    if name == "dX_A":
        return (
            f"${math(names[name].symbol)}$ is what comes back through attention; what the residual passes on by itself "
            "is added:"
        )
    return ""
