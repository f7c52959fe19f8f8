"""TRUSTED. Losses: a sum, half a sum of squares, a cross-entropy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self, TypeAlias

from symattn.operations.operation import (
    EVERY,
    Applied,
    Arguments,
    Cotangent,
    Family,
    MisfitError,
    Operation,
    Shape,
    Shapes,
    Tape,
    entrywise_shape,
    family,
)
from symattn.operations.scalar import ONE, TWO, ZERO, Add, Call, Index, Leaf, Neg, Pow, Scalar, Select, side_by_side
from symattn.records import dataclass

Kind: TypeAlias = Literal["sum", "squared", "cross-entropy"]
_KINDS: dict[str, Kind] = {"sum": "sum", "squared": "squared", "cross-entropy": "cross-entropy"}


@dataclass(frozen=True, slots=True)
class Loss:
    """The kind of a loss."""

    options: ClassVar[Mapping[str, str]] = {"loss": "sum|squared|cross-entropy"}

    loss: Kind

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the kind that arguments state."""
        return cls(_KINDS[arguments["loss"]])


def loss_shape(p: Loss, shapes: Shapes) -> Shape:
    """Return the shape of a number.

    Raises:
        MisfitError: more operands, or fewer, than the loss is made of, or such as do not fit.
    """
    if len(shapes) != (1 if p.loss == "sum" else 2):
        raise MisfitError((), f"A loss of the kind {p.loss} is not made of {len(shapes)} quantities.")
    entrywise_shape(p, shapes)
    return 1, 1


def loss(p: Loss, shapes: Shapes, _i: Index, _j: Index) -> Scalar:
    """Return ``Σ y``, ``1/2 Σ (y - t)^2``, or ``-Σ ln y`` where the label is not 0."""
    height, length = shapes[0]
    places = [(row, column) for row in range(height) for column in range(length)]
    if p.loss == "sum":
        return Add(tuple(Leaf(0, *place) for place in places), "closed")
    if p.loss == "squared":
        squares = tuple(Pow(Leaf(0, *place) - Leaf(1, *place), 2) for place in places)
        return side_by_side(ONE / TWO, Add(squares, "closed"))
    terms = (Select("nonzero", (Leaf(1, *place),), Neg(Call("ln", Leaf(0, *place))), ZERO) for place in places)
    return Add(tuple(terms), "closed")


def loss_back(p: Loss, tape: Tape, node: Applied, _: Cotangent) -> None:
    """Add ``Y - T``: of a squared loss at the outputs, of a cross-entropy at the scores of the probabilities ``Y``.

    Raises:
        ValueError: the loss is a sum, whose gradient is 1 everywhere and needs no operation.
    """
    if p.loss == "sum":
        raise ValueError("the gradient of a sum is given")
    made, target = node.operands
    at = made.operands[0] if p.loss == "cross-entropy" else made
    tape.add(at, "difference", made.name, target.name)


OPERATIONS: Family = family(
    Operation(
        "loss",
        "the value of a loss",
        "loss",
        Loss,
        (1, 2),
        loss_shape,
        loss,
        follows=EVERY,
        vjp=loss_back,
        numerals="none",
    ),
)
