"""TRUSTED. Values of entries: the fold of scalar expressions over exact numbers, and whole results made of it.

None stands for what is undefined. A quotient by 0, a logarithm of what has none and arithmetic with minus infinity
make it; a choice may leave it behind; everything else passes it on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, ClassVar, TypeVar

from symattn.errors import InputError, UndecidedError
from symattn.exact.evaluation import larger
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary
from symattn.exact.reals.functions import added, exponential, minus, over, plus, times, trigonometric
from symattn.exact.reals.sign import sign
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.quotients import Rounding, is_rounded, magnitude, round_exact
from symattn.operations import scalar as s
from symattn.operations import sheet_formulas
from symattn.operations.operation import Grid, Operation, Parameters

P = TypeVar("P", bound=Parameters)

Number = Quotient | int
"""A value on the way: whole numbers of an operation stay such until a value meets them."""

_MAX_MAGNITUDE = 20_000
_MAX_SHOWN = 60


def apply(
    operation: Operation[P],
    operands: Sequence[Grid],
    params: P,
    *,
    products: Rounding | None = None,
    rounding: Rounding | None = None,
) -> Grid:
    """Return the result of an operation.

    Args:
        operation: the operation.
        operands: the values of its operands.
        params: its parameters.
        products: the rounding of each product of its sum.
        rounding: the rounding of the result.

    Raises:
        MisfitError: the operands do not fit.
        InputError: a value outside the domain of the operation.
    """
    grids = tuple(map(without_undefined, operands))
    shapes = tuple((len(grid), len(grid[0])) for grid in grids)
    height, width = operation.shape(params, shapes)
    made = operation.kernel(params, grids, products) if operation.kernel else None
    if made is None:
        value = Values(grids, products).of
        entry = operation.entry
        made = tuple(tuple(value(entry(params, shapes, i, j)) for j in range(width)) for i in range(height))
    return rounded(without_undefined(made), rounding)


class Values:
    """The fold over exact numbers.

    Args:
        operands: the values of the operands, with None for what is undefined.
        products: the rounding of each product that stands under a sum.
    """

    def __init__(self, operands: Sequence[Grid], products: Rounding | None = None) -> None:
        self._operands = operands
        self._products = products

    def of(self, scalar: s.Scalar) -> Quotient | None:
        """Return the value of an expression, None where it is undefined."""
        found = self._fold(scalar)
        return Quotient.of(found) if isinstance(found, int) else found

    def _fold(self, scalar: s.Scalar) -> Number | None:
        if type(scalar) is s.Leaf:  # most expressions are
            return self._operands[scalar.operand][scalar.row][scalar.column]  # type: ignore[index]  # numbers here
        found = self.folds[type(scalar)](self, scalar)
        return None if found is UNDEFINED else found

    def _known(self, scalars: Sequence[s.Scalar]) -> list[Number] | None:
        """The values of all, None where one of them is undefined."""
        values = [value for scalar in scalars if (value := self._fold(scalar)) is not None]
        return values if len(values) == len(scalars) else None

    def _num(self, number: s.Num) -> Number:
        return number.value

    def _pi(self, _: s.Pi) -> Quotient:
        return elementary.pi()

    def _formula(self, formula: s.Formula) -> Quotient | None:
        return sheet_formulas.formula_value(formula.tree, self._operands)

    def _add(self, sum_of: s.Add) -> Number | None:
        return self._summed(sum_of.terms, sum_of.how)

    def _total(self, total: s.Total) -> Number | None:
        return self._summed([total.body(index) for index in range(total.count)], total.how)

    def _summed(self, terms: Sequence[s.Scalar], how: s.Sum) -> Number | None:
        if how == "plain":
            return self._one_by_one(terms)
        values: list[Quotient] = []
        for term in _at_once(terms) if how == "common" else terms:
            value = self._fold(term)
            if value is None:
                return None
            values.append(Quotient.of(value) if isinstance(value, int) else value)
        return _added(values, how)

    def _one_by_one(self, terms: Sequence[s.Scalar]) -> Number | None:
        """A sum from the left, in which the products are rounded where products are."""
        found: Number | None = None
        for term in terms:
            is_negative = isinstance(term, s.Neg)
            value = self._fold(term.of if isinstance(term, s.Neg) else term)
            if self._products is not None and value is not None and isinstance(term, s.Mul):
                value = rounded_value(Quotient.of(value), self._products)
            if value is None:
                return None
            if found is None:
                found = -value if is_negative else value
            else:
                found = _minus(found, value) if is_negative else _plus(found, value)
        return found

    def _mul(self, product: s.Mul) -> Number | None:
        found: Number | None = None
        for factor in product.factors:
            value = self._fold(factor)
            if value is None:
                return None
            found = value if found is None else _times(found, value)
        return found

    def _neg(self, negated: s.Neg) -> Number | None:
        value = self._fold(negated.of)
        return None if value is None else -value

    def _div(self, quotient: s.Div) -> Number | None:
        above, below = self._fold(quotient.above), self._fold(quotient.below)
        if above is None or below is None or (below == 0 if isinstance(below, int) else below.is_zero):
            return None
        return over(Quotient.of(above), Quotient.of(below))

    def _pow(self, power: s.Pow) -> Number | None:
        value = self._fold(power.of)
        return None if value is None else elementary.power(Quotient.of(value), power.exponent)

    def _call(self, call: s.Call) -> Quotient | None:
        value = self._fold(call.of)
        if value is None:
            return None
        return _called(call.function, Quotient.of(value) if isinstance(value, int) else value)

    def _max(self, largest: s.Max) -> Quotient | None:
        values = self._known(largest.items)
        return None if values is None else reduce(larger, map(Quotient.of, values))

    def _select(self, select: s.Select) -> Number | None:
        values = [None if (value := self._fold(scalar)) is None else Quotient.of(value) for scalar in select.of]
        if select.test in {"positive", "one"} and None in values:
            return None
        chosen = select.then if holds(select.test, values) else select.other
        # Zero times what is undefined is undefined, so a gradient that does not pass counts as well.
        passes = select.test != "positive" or self._known((select.then, select.other)) is not None
        return self._fold(chosen) if passes else None

    def _require(self, require: s.Require) -> Number | None:
        value = self._fold(require.of)
        if value is not None and not _DOMAINS[require.domain](Quotient.of(value)):
            shown = str(value)
            shown = shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}…"
            raise InputError(require.message.format(value=shown))
        return value

    folds: ClassVar[Mapping[type[s.Scalar], Callable[[Values, Any], Number | None]]] = {
        s.Num: _num,
        s.Pi: _pi,
        s.Add: _add,
        s.Total: _total,
        s.Mul: _mul,
        s.Neg: _neg,
        s.Div: _div,
        s.Pow: _pow,
        s.Call: _call,
        s.Max: _max,
        s.Select: _select,
        s.Require: _require,
        s.Formula: _formula,
    }


def _plus(first: Number, second: Number) -> Number:
    return first + second if isinstance(first, int) or isinstance(second, int) else plus(first, second)


def _minus(first: Number, second: Number) -> Number:
    return first - second if isinstance(first, int) or isinstance(second, int) else minus(first, second)


def _times(first: Number, second: Number) -> Number:
    return first * second if isinstance(first, int) or isinstance(second, int) else times(first, second)


def _at_once(terms: Sequence[s.Scalar]) -> list[s.Scalar]:
    """The terms of a sum over a common denominator, with those of such sums in it."""
    found: list[s.Scalar] = []
    for term in terms:
        if isinstance(term, s.Total) and term.how == "common":
            found.extend([term.body(index) for index in range(term.count)])
        else:
            found.append(term)
    return found


def _added(values: Sequence[Quotient], how: s.Sum) -> Quotient:
    if how == "short":
        return elementary.total(*values)
    if how == "closed" and not all(value.is_finite and value.is_closed for value in values):
        return reduce(plus, values)
    return added(values)


def _exp(exponent: Quotient) -> Quotient:
    power = exponential(exponent)
    if power is None:
        raise InputError(f"The exponent {exponent} is not a number or a polynomial in the declared symbols.")
    return power


def _ln(value: Quotient) -> Quotient | None:
    """The logarithm; None also where a rounded number is 0."""
    return None if sign(value) <= 0 else elementary.ln(value)


def _called(function: s.Function, value: Quotient) -> Quotient | None:
    if function == "exp":
        return _exp(value)
    if function == "ln":
        return _ln(value)
    if function == "sqrt":
        return elementary.sqrt(value)
    return trigonometric(function, value) if function in {"sin", "cos"} else elementary.apply(function, value)


def is_positive(value: Quotient) -> bool:
    """Return whether ReLU passes a gradient on: above 0.

    >>> [is_positive(Quotient.of(number)) for number in (2, 0, -1)]
    [True, False, False]

    Raises:
        UndecidedError: enclosures do not settle the sign.
    """
    try:
        return sign(value) > 0
    except UndecidedError as error:
        raise UndecidedError(
            "What goes into ReLU is so near 0 that its sign is not settled, and with it the derivative; change the "
            "numbers of the network a little."
        ) from error


def holds(test: s.Test, values: Sequence[Quotient | None]) -> bool:
    """Return whether the test of a choice holds; only ``nonzero`` may hold of an undefined value.

    Raises:
        UndecidedError: enclosures do not settle a sign.

    >>> holds("nonzero", [Quotient.of(2)]), holds("nonzero", [None]), holds("one", [Quotient.of(2)])
    (True, True, False)
    """
    if test == "all-hidden":
        return all(value is MINUS_INFINITY for value in values)
    (value,) = values
    if value is None:
        return test == "nonzero"
    if test == "positive":
        return is_positive(value)
    return value == Quotient.of(1) if test == "one" else not value.is_zero


_DOMAINS: Mapping[s.Domain, Callable[[Quotient], bool]] = {
    "number": lambda value: value.is_finite and not value.symbols,
    "exponent": lambda value: value is MINUS_INFINITY or not value.symbols or value.polynomial() is not None,
    "seen": lambda value: value is not MINUS_INFINITY,
    "bit": lambda value: value in (Quotient.of(0), Quotient.of(1)),
}


# Rounding -------------------------------------------------------------------------------------------


def without_undefined(values: Grid) -> Grid:
    """Return the same values with None for what is undefined."""
    if not any(value is UNDEFINED for row in values for value in row):
        return values
    return tuple(tuple(None if value is UNDEFINED else value for value in row) for row in values)


def rounded(values: Grid, rounding: Rounding | None) -> Grid:
    """Return every defined value rounded; one with a free symbol is undefined from here."""
    if rounding is None:
        return values
    return tuple(tuple(None if value is None else rounded_value(value, rounding) for value in row) for row in values)


def rounded_value(value: Quotient, rounding: Rounding) -> Quotient | None:
    """Return a value rounded, None where a free symbol is in it.

    >>> str(rounded_value(Quotient.of("1/3"), Rounding(places=2)))
    '33/100'
    """
    if not value.is_finite:
        return value
    plain = value.plain_rational()
    if plain is not None and is_rounded(plain, rounding):
        return value
    try:
        return None if value.symbols else Quotient.of(_round_number(value, rounding))
    except UndecidedError:
        return value  # digits behind constants that do not settle: the value itself goes on


def _round_number(value: Quotient, rounding: Rounding) -> Fraction:
    if value.plain_rational() is None and abs(magnitude(value)) > _MAX_MAGNITUDE:
        raise InputError(
            f"A value near 10^{magnitude(value)} cannot be rounded and worked with by hand: "
            "subtract the maximum of each row (shift = true), or round to places at the end only."
        )
    return round_exact(value, rounding)
