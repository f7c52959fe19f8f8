"""TRUSTED. Definitions: how a quantity comes from others, as its step in a record says it."""

from __future__ import annotations

from typing import Any, TypeAlias

from symattn.operations.operation import Axis, Operation
from symattn.operations.table import TABLE
from symattn.records import dataclass

Factor: TypeAlias = tuple[str, bool]
"""A factor of a matrix product: the name of a quantity, and whether it is transposed."""

GIVEN = "given"
"""The rule of what a problem gives, or what follows from its shape."""

PRODUCTS = frozenset({"product", "product-plus"})
"""Rules of matrix products."""

SUMMARIES = ("entropy", "total")
"""Rules of quantities that are known by their digits alone, without a step in a record."""


@dataclass(frozen=True, slots=True)
class Definition:
    """The derivation of a quantity from others.

    Attributes:
        rule: the operation by its name in records; `GIVEN`, or one of the `SUMMARIES`.
        arguments: its parameters as text.
        premises: the names of its operands.
    """

    rule: str = GIVEN
    arguments: tuple[tuple[str, str], ...] = ()
    premises: tuple[str, ...] = ()

    def argument(self, name: str) -> str:
        """Return an argument, empty where it is missing."""
        return dict(self.arguments).get(name, "")

    @property
    def axis(self) -> Axis:
        """The direction of the lines that the operation works on."""
        return "columns" if self.argument("axis") == "columns" else "rows"


def define(rule: str, *premises: str, **arguments: str | int) -> Definition:
    """Return the definition by an operation; premises and arguments that are empty are left out.

    >>> define("shift", "S", "m", axis="rows")
    Definition(rule='shift', arguments=(('axis', 'rows'),), premises=('S', 'm'))
    """
    stated = tuple((name, str(value)) for name, value in arguments.items() if value != "")
    return Definition(rule, stated, tuple(name for name in premises if name))


def define_product(left: Factor, right: Factor, *further: str, rule: str = "product") -> Definition:
    """Return the definition of a product of two factors, or of what else is made of rows and columns.

    >>> define_product(("Q", False), ("K", True))
    Definition(rule='product', arguments=(('right', 'transposed'),), premises=('Q', 'K'))
    """
    turned = {side: "transposed" if factor[1] else "" for side, factor in (("left", left), ("right", right))}
    return define(rule, left[0], right[0], *further, **turned)


def factors(definition: Definition) -> tuple[Factor, Factor]:
    """Return the two factors of a product.

    >>> factors(define_product(("Q", False), ("K", True)))
    (('Q', False), ('K', True))
    """
    left, right = definition.premises[:2]
    return (left, definition.argument("left") != ""), (right, definition.argument("right") != "")


@dataclass(frozen=True, slots=True)
class Made:
    """An operation with its parameters, and the names of its operands."""

    operation: Operation[Any]
    params: Any
    operands: tuple[str, ...]


def made_by(definition: Definition) -> Made | None:
    """Return the operation of a definition, None where none of the table makes it.

    >>> made_by(define("shift", "S", "m", axis="rows")).params
    Along(axis='rows')
    """
    if definition.rule == GIVEN or definition.rule in SUMMARIES:
        return None
    operation = TABLE[definition.rule]
    return Made(operation, operation.params.read(dict(definition.arguments)), definition.premises)
