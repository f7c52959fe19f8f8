"""Mistakes in the backward pass through a block's norms and network, each as another definition."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.checking.graph.activations import SLOPES
from symattn.checking.graph.formulas import EachTimes, Formula, Less, Mapped, Minus, OverRoot, Ref

CODES: dict[str, str] = {
    "norm-mean-term": "the mean of the gradient was not taken off on the way back through a norm",
    "norm-variance-term": "the term of the variance was left out on the way back through a norm",
    "norm-constants": "mean and variance of a norm were taken for constants",
    "relu-skipped": "the derivative of ReLU was left out",
    "gelu-skipped": "the derivative of GELU was left out",
}
"""The codes of these mistakes with a sentence each."""

PATHS = {"R_1": "residual", "R_2": "residual", "F_0": "network", "X_A": "attention layer"}
"""What the paths lead through whose gradients are added."""


def changes(formula: Formula | None) -> Iterator[tuple[str, str, Formula]]:
    """Yield the mistakes that can be made at one definition, each with its code and a sentence.

    >>> from symattn.checking.graph.quantities import Ref
    >>> back = OverRoot(Minus(Ref("dN_1"), EachTimes(Ref("N_1"), Ref("tau_1"))), Ref("ms_1"), None, "rows")
    >>> [code for code, _, _ in changes(back)]
    ['norm-variance-term']
    """
    match formula:
        case OverRoot(Minus(start, EachTimes() as product), by, eps, axis):
            yield (
                "norm-variance-term",
                "The gradient through the variance was left out: n times the mean of dn n.",
                OverRoot(start, by, eps, axis),
            )
            if isinstance(start, Less):
                yield (
                    "norm-mean-term",
                    "The gradient through the mean was left out: the mean of dn over the token.",
                    OverRoot(Minus(start.of, product), by, eps, axis),
                )
                yield (
                    "norm-constants",
                    "Mean and variance depend on each entry of the token; they were taken for constants.",
                    OverRoot(start.of, by, eps, axis),
                )
        case EachTimes(gradient, Mapped(function)) if function == SLOPES["relu"]:
            yield "relu-skipped", "ReLU passes the gradient on only where its argument is above 0.", gradient
        case EachTimes(gradient, Ref("F_slope")):
            yield "gelu-skipped", "GELU multiplies the gradient by its derivative, which was left out.", gradient
