"""TRUSTED. Operations of masks: scores with hidden keys, and the terms that hide them."""

from __future__ import annotations

from typing import ClassVar, Literal, Self, TypeAlias

from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.operations.linear import sum_of
from symattn.operations.operation import Arguments, Family, Nothing, Operation, Shapes, entrywise_shape, family
from symattn.operations.scalar import ZERO, Index, Leaf, Num, Require, Scalar, Select
from symattn.records import dataclass

_MASK = "Vaswani et al. 2017, section 3.2.3"
_HIDDEN = Num(MINUS_INFINITY)

Bit: TypeAlias = Literal["seen", "hidden"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of 1 in a matrix of 0 and 1."""

    options: ClassVar[tuple[str, ...]] = ("one",)

    one: Bit

    @classmethod
    def read(cls, arguments: Arguments) -> Self:
        """Return the meaning that arguments state."""
        return cls("seen" if arguments["one"] == "seen" else "hidden")


def hide(p: Meaning, _shapes: Shapes, i: Index, j: Index) -> Scalar:
    """Return what is added to a score: 0 where the key is seen, minus infinity where it is hidden."""
    bit = Require("bit", Leaf(0, i, j), "A mask is a matrix of 0 and 1, and {value} stands in it.")
    return Select("one", (bit,), ZERO, _HIDDEN) if p.one == "seen" else Select("one", (bit,), _HIDDEN, ZERO)


OPERATIONS: Family = family(
    Operation(
        "mask",
        "the mask added entry by entry, minus infinity hides",
        _MASK,
        Nothing,
        (2, 2),
        entrywise_shape,
        sum_of,
    ),
    Operation(
        "hide",
        "minus infinity where a key is hidden, 0 where it is seen",
        _MASK,
        Meaning,
        (1, 1),
        entrywise_shape,
        hide,
        rounds=False,
    ),
)
