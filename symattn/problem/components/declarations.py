"""Declarations of a problem that few have: a block, a backward pass."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """Declaration of a block.

    Attributes:
        norm: ``"layer"``, ``"rms"`` or ``"none"``.
        placement: ``"post"``, after each residual sum, or ``"pre"``, before attention and before the network.
        eps: what is added to a variance, or a mean square, under the root.
        activation: a word of `ACTIVATIONS`, the activation of the network.
        residual: whether what goes in is added to what comes out.
    """

    norm: str = "none"
    placement: str = "post"
    eps: Fraction = Fraction(0)
    activation: str = "relu"
    residual: bool = True

    def as_json(self) -> dict[str, object]:
        """Return the keys for machines."""
        return {
            "norm": self.norm,
            "placement": self.placement,
            "eps": str(self.eps),
            "activation": self.activation,
            "residual": self.residual,
        }


@dataclass(frozen=True, slots=True)
class Gradient:
    """Backward pass: its start, and the requested gradients.

    Attributes:
        loss: ``"given"`` where the gradient at the output is given, else the loss; see `read_gradient`.
        dO: the gradient at the output, where it is given.
        target: what outputs are compared with.
        labels: the right entry of the output of each token, counted from 1.
        dY: the gradient at the output of a block, where it is given.
        of: the canonical names of the gradients that are wanted; none stands for all.
        next_block: the number of the block after this one, at whose input dY is the gradient; 0 where there is none.
        rounded: dY as the steps of the next block round it, None where they do not.
        each: of a batch, dO, dY or the target of each sequence, empty where one holds for all.
    """

    loss: str = "given"
    dO: Matrix | None = None  # noqa: N815 - its canonical name
    target: Matrix | None = None
    of: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    dY: Matrix | None = None  # noqa: N815 - as above
    next_block: int = 0
    rounded: tuple[tuple[Quotient | None, ...], ...] | None = None
    each: tuple[Matrix, ...] = ()

    def of_sequence(self, number: int, count: int) -> Gradient:
        """Return the backward pass of one of `count` sequences, counted from 1; their labels follow each other."""
        tokens = len(self.labels) // count
        labels = self.labels[(number - 1) * tokens : number * tokens]
        if not self.each:
            return replace(self, labels=labels)
        own = self.each[number - 1]
        d_o, d_y, target = (own if given is not None else None for given in (self.dO, self.dY, self.target))
        return replace(self, dO=d_o, dY=d_y, target=target, labels=labels, each=())
