"""Slips: hypothetical mistakes, each the definitions of some quantities changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from symattn.checking.graph.quantities import Graph, shape_of
from symattn.checking.report import Diagnosis
from symattn.operations.formulas.formula import Apply, Formula, make, transpose
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Slip:
    """A hypothetical mistake.

    Attributes:
        diagnosis: its code, and the sentence about it.
        changed: quantities with the definitions that it gives them.
    """

    diagnosis: Diagnosis
    changed: tuple[tuple[str, Formula], ...]

    @property
    def code(self) -> str:
        """The code of the diagnosis."""
        return self.diagnosis.code


def slip(words: tuple[str, str], name: str, formula: Formula) -> Slip:
    """Return a mistake that changes the definition of one quantity.

    Args:
        words: its code, and the sentence about it.
        name: the quantity.
        formula: the definition that the mistake gives it.
    """
    return Slip(Diagnosis(*words), ((name, formula),))


def other_products(graph: Graph, made: Apply) -> Iterator[tuple[bool, Apply]]:
    """Yield a product with factors transposed or exchanged where shapes allow it, and whether they are exchanged."""
    wanted = shape_of(made, graph)
    for first, second in (made.operands, made.operands[::-1]):
        for left, right in product((first, transpose(first)), (second, transpose(second))):
            inner, outer = shape_of(left, graph), shape_of(right, graph)
            if (left, right) != made.operands and inner[1] == outer[0] and (inner[0], outer[1]) == wanted:
                yield first is not made.operands[0], make("product", left, right)
