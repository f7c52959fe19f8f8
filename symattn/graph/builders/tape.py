"""Tape of a backward pass: gradients by the backward rules of operations, each made when it is first asked for.

The rule ``Operation.vjp`` adds to the gradients at the operands of a quantity. The gradient at a quantity is complete
when the rules of all that is made of it were applied. Its products then become one sum of products, and a gradient
that is passed on by itself keeps its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import Definition, Factor, define
from symattn.operations.operation import Applied, Axis, Between, Cotangent
from symattn.operations.table import TABLE
from symattn.records import dataclass


class Names(Protocol):
    """Names of the gradients of a backward pass."""

    def gradient(self, name: str) -> str:
        """Return the name of the gradient at a quantity."""

    def apart(self, name: str, total: str) -> str:
        """Return the name of the gradient at a term of a sum that comes from elsewhere than the sum."""

    def between(self, role: Between, name: str) -> str:
        """Return the name of a quantity that the backward rule of another needs."""

    def is_shared(self, name: str) -> bool:
        """Return True if the gradient at a quantity takes the name of that at another where both are one."""


@dataclass(frozen=True, slots=True)
class _Passed:
    """The gradient at a quantity, which holds for an operand, too."""

    gradient: Cotangent
    at: str


@dataclass(frozen=True, slots=True)
class _Product:
    """A product of two matrices, times a number."""

    pair: tuple[Factor, Factor]
    factor: str


_Term: TypeAlias = _Passed | _Product | Definition


class Tape:
    """Backward pass through the quantities of a graph.

    Args:
        quantities: all quantities, each after those that it is made of.
        recipes: how they were made.
        names: names of the gradients.
        tokens: the lines that are tokens.

    Attributes:
        made: what the pass made, each after what it is made of, and whether it has one number a line.
        tokens: the lines that are tokens.
    """

    def __init__(
        self, quantities: Mapping[str, q.Quantity], recipes: Mapping[str, Definition], names: Names, tokens: Axis
    ) -> None:
        self.made: dict[str, tuple[Definition, bool]] = {}
        self.tokens: Axis = tokens
        self._quantities = quantities
        self._recipes = recipes
        self._names = names
        self._nodes: dict[str, Applied] = {}
        self._users: dict[str, list[str]] = {name: [] for name in recipes}
        for name, recipe in recipes.items():
            operands = tuple(self._nodes[premise] for premise in recipe.premises)
            self._nodes[name] = Applied(name, recipe.rule, quantities[name].shape, operands)
            for premise in dict.fromkeys(recipe.premises):
                self._users[premise].append(name)
        self._known: dict[str, Cotangent | None] = {}
        self._terms: dict[str, list[_Term]] = {}
        self._applied: set[str] = set()
        self._at = ""  # the quantity whose rule is being applied

    def start(self, name: str, gradient: str = "") -> None:
        """Start from a quantity whose gradient is known; from a number it is 1 and needs no name."""
        self._known[name] = Cotangent(gradient)

    def gradient(self, name: str) -> Cotangent | None:
        """Return the gradient at a quantity; None where nothing comes back to it."""
        if name not in self._known:
            for user in self._users[name]:
                self._go_back(user)
            self._known[name] = self._closed(name, self._terms.pop(name, []))
        return self._known[name]

    def _go_back(self, name: str) -> None:
        """Apply the backward rule of a quantity once."""
        gradient = self.gradient(name)
        if gradient is None or name in self._applied:
            return
        self._applied.add(name)
        recipe = self._recipes[name]
        operation = TABLE[recipe.rule]
        if operation.vjp is None:
            raise ValueError(f"{recipe.rule} has no backward rule")
        self._at = name
        operation.vjp(operation.params.read(dict(recipe.arguments)), self, self._nodes[name], gradient)

    # For backward rules ------------------------------------------------------------------------------

    def make(self, role: Between, at: Applied, operation: str, *operands: str, **arguments: str) -> str:
        """Return the name of a quantity that the rule of another needs."""
        name = self._names.between(role, at.name)
        self.made[name] = define(operation, *operands, **arguments), role != "slope"
        return name

    def add(self, at: Applied, operation: str, *operands: str, **arguments: str | int) -> None:
        """Add the result of an operation to the gradient at an operand."""
        self._add(at, define(operation, *operands, **arguments))

    def add_product(self, at: Applied, left: tuple[str, bool], right: tuple[str, bool], factor: str) -> None:
        """Add a product of matrices, those with True transposed, times a number to the gradient at an operand."""
        self._add(at, _Product((left, right), factor))

    def pass_on(self, at: Applied, gradient: Cotangent) -> None:
        """Add the gradient itself to that at an operand."""
        self._add(at, _Passed(gradient, self._at))

    def _add(self, at: Applied, term: _Term) -> None:
        self._terms.setdefault(at.name, []).append(term)

    # Complete gradients ------------------------------------------------------------------------------

    def _closed(self, name: str, terms: Sequence[_Term]) -> Cotangent | None:
        """Return the sum of all terms as a quantity.

        Raises:
            ValueError: no rule of this graph tells how such terms are added.
        """
        if not terms:
            return None
        passed = [term for term in terms if isinstance(term, _Passed)]
        others = [term for term in terms if not isinstance(term, _Passed)]
        own = self._names.gradient(name)
        match passed:
            case []:
                return self._named(own, name, self._sum(name, others))
            case [term] if others:
                apart = self._named(self._names.apart(name, term.at), name, self._sum(name, others))
                return self._named(own, name, define("sum", term.gradient.whole, apart.name))
            case [term]:
                return self._same(name, own, term.gradient)
        raise ValueError(f"{name} is a term of several sums")

    def _named(self, gradient: str, name: str, definition: Definition) -> Cotangent:
        self.made[gradient] = definition, self._quantities[name].vector
        return Cotangent(gradient)

    def _same(self, name: str, own: str, gradient: Cotangent) -> Cotangent:
        if self._names.is_shared(name):
            return gradient
        return self._named(
            own, name, define("join", gradient.whole, axis="columns" if self.tokens == "rows" else "rows")
        )

    def _sum(self, name: str, terms: Sequence[_Product | Definition]) -> Definition:
        """Return the sum of products, the parts put together, or the only term."""
        products = [term for term in terms if isinstance(term, _Product)]
        parts = [term for term in terms if isinstance(term, Definition) and term.rule == "join"]
        if len(products) == len(terms):
            operands = [operand for term in products for operand in term.pair]
            letters = "".join("T" if is_turned else "N" for _, is_turned in operands)
            return define("products", self._factor(products), *(name for name, _ in operands), turned=letters)
        if len(parts) == len(terms):
            return define("join", *(name for part in parts for name in part.premises), axis=parts[0].axis)
        term, *others = terms
        if isinstance(term, _Product) or others:
            raise ValueError(f"the gradient at {name} has terms of several kinds")
        return term

    def _factor(self, products: Sequence[_Product]) -> str:
        """Return the number that stands before all products; each head may have a name of its own for it."""
        first, *others = dict.fromkeys(term.factor for term in products)
        if any(not (first and name and self._number(name) == self._number(first)) for name in others):
            raise ValueError(f"different numbers stand before products: {first}, {', '.join(others)}")
        return first

    def _number(self, name: str) -> Quotient:
        return self._quantities[name].exact[0, 0]
