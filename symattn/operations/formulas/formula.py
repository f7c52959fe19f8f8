"""Formulas over named matrices: operations applied to quantities, numbers and other formulas.

A formula holds names and no values, so that one formula serves exact values, rounded ones and those of a work. Shapes,
names and entries are folds over it, by the table of operations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from fractions import Fraction
from typing import Any, TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.operations.operation import Shape, Sides
from symattn.operations.products import Factors
from symattn.operations.softmax import Over
from symattn.operations.table import TABLE
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Ref:
    """A quantity by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """Numbers that are not a quantity themselves."""

    values: Matrix = field(hash=False)


@dataclass(frozen=True, slots=True)
class Transposed:
    """The transpose of a formula."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the table, by its name, applied to formulas."""

    operation: str
    params: Any
    operands: tuple[Formula, ...]


Formula: TypeAlias = Ref | Constant | Transposed | Apply

Arguments: TypeAlias = tuple[tuple[str, str], ...]


def make(operation: str, *operands: Formula, **arguments: str) -> Apply:
    """Return an operation applied to formulas.

    >>> make("line-sum", Ref("E"), axis="rows")
    Apply(operation='line-sum', params=Along(axis='rows'), operands=(Ref(name='E'),))
    """
    return Apply(operation, TABLE[operation].params.read(arguments), operands)


def scale(number: Quotient | Fraction | int, of: Formula) -> Apply:
    """Return a formula times a number that is not a quantity."""
    return make("scale", Constant(Matrix([[number]])), of)


def softmax(of: Formula, over: Over, *, more: bool = False) -> Apply:
    """Return the softmax of each line or of all entries together, maybe with 1 more in the denominator.

    >>> softmax(Ref("S"), "rows")
    Apply(operation='softmax', params=Along(axis='rows'), operands=(Ref(name='S'),))
    """
    if more:
        return make("softmax-over", of, over=over, more="one")
    return make("softmax-over", of, over=over) if over == "all" else make("softmax", of, axis=over)


def of_step(rule: str, arguments: Arguments, premises: tuple[str, ...]) -> Apply:
    """Return the formula of a step; a factor that is transposed by an argument is transposed by its operand.

    >>> of_step("product", (("right", "transposed"),), ("Q", "K")).operands
    (Ref(name='Q'), Transposed(of=Ref(name='K')))
    """
    params = TABLE[rule].params.read(dict(arguments))
    turned: tuple[bool, ...] = ()
    if isinstance(params, Sides):
        turned, params = (params.left, params.right), Sides()
    elif isinstance(params, Factors):
        letters = params.turned
        # A number may stand before the factors.
        turned = (*(False for _ in range(len(premises) - len(letters))), *(letter == "T" for letter in letters))
        params = Factors("N" * len(letters))
    turned += (False,) * (len(premises) - len(turned))
    operands = (
        Transposed(Ref(name)) if is_turned else Ref(name) for name, is_turned in zip(premises, turned, strict=True)
    )
    return Apply(rule, params, tuple(operands))


def is_of(formula: Formula | None, *operations: str) -> bool:
    """Return True if a formula applies one of some operations.

    >>> is_of(make("exponential", Ref("S")), "exponential", "softmax"), is_of(Ref("S"), "exponential")
    (True, False)
    """
    return isinstance(formula, Apply) and formula.operation in operations


def parts(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas directly inside a formula."""
    match formula:
        case Transposed(of):
            return (of,)
        case Apply(operands=operands):
            return operands
    return ()


def names_in(formula: Formula) -> tuple[str, ...]:
    """Return the names that a formula uses, each once, in the order of their first use.

    >>> names_in(make("product", Ref("X"), Transposed(Ref("X"))))
    ('X',)
    """
    found: dict[str, None] = {}
    ahead = [formula]
    while ahead:
        one = ahead.pop()
        if isinstance(one, Ref):
            found[one.name] = None
        ahead.extend(reversed(parts(one)))
    return tuple(found)


def transpose(formula: Formula) -> Formula:
    """Return the transpose, of a transpose the formula itself."""
    return formula.of if isinstance(formula, Transposed) else Transposed(formula)


def substitute(formula: Formula, name: str, instead: Formula) -> Formula:
    """Return a formula with another one in the place of a quantity.

    >>> substitute(Transposed(Ref("K")), "K", Ref("K_2"))
    Transposed(of=Ref(name='K_2'))
    """
    match formula:
        case Ref(own):
            return instead if own == name else formula
        case Transposed(of):
            return Transposed(substitute(of, name, instead))
        case Apply(operands=operands):
            return replace(formula, operands=tuple(substitute(operand, name, instead) for operand in operands))
    return formula


def shape(formula: Formula, shape_of: Callable[[str], Shape]) -> Shape:
    """Return the shape of a formula, its names having the shapes that `shape_of` tells.

    Raises:
        MisfitError: operands do not fit their operation.

    >>> shape(make("product", Ref("X"), Transposed(Ref("X"))), {"X": (3, 4)}.__getitem__)
    (3, 3)
    """
    match formula:
        case Ref(name):
            return shape_of(name)
        case Constant(values):
            return values.shape
        case Transposed(of):
            return shape(of, shape_of)[::-1]
        case Apply(operation, params, operands):
            shapes = []
            for operand in operands:  # one frame a level: sums nest deeply
                shapes.append(shape(operand, shape_of))  # noqa: PERF401
            return TABLE[operation].shape(params, shapes)
