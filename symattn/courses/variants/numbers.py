"""Numbers of one draw under one rounding policy, as the constraints ask for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Generic, TypeVar

from symattn.checking.graph.quantities import Graph
from symattn.exact.numerals.decimals import Rounding
from symattn.problem.settings.policy import Policy

Printed = TypeVar("Printed", int, Fraction)


class UndefinedNumberError(Exception):
    """An entry without a value, such as a quotient by a sum that was rounded to 0."""


class Numbers(ABC, Generic[Printed]):
    """Numbers of one draw under one rounding policy.

    Args:
        graph: the quantities.
        policy: the rounding of steps; without steps every number is exact until it is printed.

    Attributes:
        one: the printed number 1.
    """

    one: Printed

    def __init__(self, graph: Graph, policy: Policy) -> None:
        self.graph = graph
        self.policy = policy

    def rounding(self, name: str) -> Rounding | None:
        """Return the rounding of a quantity before it is used further; None where it keeps its digits, as inputs do."""
        node = self.graph.nodes[name]
        is_made = node.formula is not None or node.step == "scale_factor"
        return self.policy.at(node.step) if node.step and is_made else None

    def is_rounded(self, name: str) -> bool:
        """Return whether a step of the policy rounds a quantity."""
        return self.graph.nodes[name].formula is not None and self.rounding(name) is not None

    def display(self, name: str) -> Rounding:
        """Return the rounding in which a quantity is printed."""
        return self.policy.display(self.graph.nodes[name].step)

    def boundaries(self, name: str, i: int, j: int) -> Iterator[tuple[Any, Rounding]]:
        """Yield the numbers that are rounded on the way to an entry, each with its rounding."""
        *products, entry = self.met(name, i, j)
        yield from ((product, self.policy.display("products")) for product in products)
        yield entry, self.display(name)

    def weight(self, name: str, i: int, j: int) -> Printed:
        """Return a printed number that is finite, such as a weight."""
        found = self.printed(name, i, j)
        if found is None:
            raise UndefinedNumberError
        return found

    @abstractmethod
    def met(self, name: str, i: int, j: int) -> list[Any]:
        """Return the numbers that are rounded on the way to an entry: products, and the entry before its rounding."""

    @abstractmethod
    def printed(self, name: str, i: int, j: int) -> Printed | None:
        """Return an entry as it is printed; None for a hidden score."""

    @abstractmethod
    def is_clear(self, number: Any, rounding: Rounding, margin: Fraction) -> bool:
        """Return whether a number keeps a distance, in units of its last place, from rounding boundaries."""

    @abstractmethod
    def is_between(self, number: Any, low: Fraction, high: Fraction) -> bool:
        """Return whether a number lies between two others, ends included."""

    @abstractmethod
    def is_zero(self, number: Any) -> bool:
        """Return whether a number is 0."""

    @abstractmethod
    def rational(self, number: Any) -> Fraction:
        """Return a number that is known to be rational."""
