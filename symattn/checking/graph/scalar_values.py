"""Values of scalar expressions whose entries may be missing, infinite or too long for a closed form."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, ClassVar, TypeAlias

from symattn.checking.graph.partial_arithmetic import (
    ONE,
    added,
    combined,
    divided,
    exponential_if_known,
    inner_product,
    largest,
    minus,
    multiplied,
    plus,
)
from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary
from symattn.exact.reals.functions import trigonometric
from symattn.operations import scalar as s
from symattn.operations.evaluation import holds

Value: TypeAlias = Quotient | None
"""A value, None where there is none."""

Round: TypeAlias = Callable[[Value], Value]


class ScalarValues:
    """Fold of scalar expressions over values.

    Args:
        leaf: the value of an entry.
        most: how many terms a sum may have over one denominator; a longer one is known by enclosures alone.
        product: the rounding of each product of a sum, if the sheet rounds them.
    """

    def __init__(
        self,
        leaf: Callable[[Any], Value],
        most: int | None = None,
        product: Round | None = None,
    ) -> None:
        self._leaf = leaf
        self._most = most
        self._product = product

    def of(self, scalar: s.Scalar) -> Value:
        """Return the value of an expression, None where it has none."""
        fold = self._folds.get(type(scalar))
        return self._leaf(scalar) if fold is None else fold(self, scalar)

    def _num(self, number: s.Num) -> Value:
        return Quotient.of(number.value)

    def _pi(self, _: s.Pi) -> Value:
        return elementary.pi()

    def _pairs(self, terms: Iterable[s.Scalar]) -> list[tuple[Value, Value]]:
        """Each term as two factors."""
        leaf, of = self._leaf, self.of
        pairs: list[tuple[Value, Value]] = []
        for term in terms:
            first, second = term.factors if type(term) is s.Mul and len(term.factors) == 2 else (term, None)
            above = leaf(first) if type(first) is s.Leaf else of(first)
            if second is None:
                pairs.append((above, ONE))
            else:
                pairs.append((above, leaf(second) if type(second) is s.Leaf else of(second)))
        return pairs

    def _total(self, total: s.Total) -> Value:
        pairs = self._pairs(map(total.body, range(total.count)))
        if self._product is not None:
            return added(self._product(multiplied(*pair)) for pair in pairs)
        return inner_product(pairs, self._most)

    def _add(self, sum_of: s.Add) -> Value:
        terms = sum_of.terms
        if len(terms) > 2 and not any(isinstance(term, s.Neg) for term in terms):
            return inner_product(self._pairs(terms))
        found = self._leaf(terms[0]) if type(terms[0]) is s.Leaf else self.of(terms[0])
        for term in terms[1:]:
            if isinstance(term, s.Neg):
                found = combined(minus, found, self.of(term.of))
            else:
                found = combined(plus, found, self.of(term))
        return found

    def _mul(self, product: s.Mul) -> Value:
        return reduce(multiplied, map(self.of, product.factors))

    def _neg(self, negated: s.Neg) -> Value:
        return multiplied(-ONE, self.of(negated.of))

    def _div(self, quotient: s.Div) -> Value:
        return divided(self.of(quotient.above), self.of(quotient.below))

    def _pow(self, power: s.Pow) -> Value:
        return reduce(multiplied, (self.of(power.of),) * power.exponent)

    def _call(self, call: s.Call) -> Value:
        value = self.of(call.of)
        if call.function == "exp":
            return exponential_if_known(value)
        return None if value is None or not value.is_finite else _called(call.function, value)

    def _max(self, largest_of: s.Max) -> Value:
        return largest(list(map(self.of, largest_of.items)))

    def _select(self, select: s.Select) -> Value:
        values = list(map(self.of, select.of))
        if select.test != "all-hidden" and values[0] is None:
            return None
        if select.test == "positive":
            # Nothing times what has no value has none.
            passed = combined(operator.add, self.of(select.then), self.of(select.other))
            if passed is None or any(value is None or value.symbols or not value.is_finite for value in values):
                return None
        return self.of(select.then if holds(select.test, values) else select.other)

    def _require(self, require: s.Require) -> Value:
        return self.of(require.of)

    _folds: ClassVar[Mapping[type[s.Scalar], Callable[[ScalarValues, Any], Value]]] = {
        s.Num: _num,
        s.Pi: _pi,
        s.Total: _total,
        s.Add: _add,
        s.Mul: _mul,
        s.Neg: _neg,
        s.Div: _div,
        s.Pow: _pow,
        s.Call: _call,
        s.Max: _max,
        s.Select: _select,
        s.Require: _require,
    }


def _called(function: s.Function, value: Quotient) -> Value:
    """The value of a function of a finite number; None where it has none, or where it has no closed form."""
    if function in {"sin", "cos"}:
        return trigonometric(function, value)
    if value.symbols:
        return None
    try:
        if function == "sqrt":
            return elementary.sqrt(value)
        return elementary.ln(value) if function == "ln" else elementary.apply(function, value)
    except InputError:
        return None  # the root of a negative number
