"""Values of scalar expressions whose entries may be missing, infinite or too long for a closed form."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import prod
from typing import Any, ClassVar, TypeAlias

from symattn.errors import EffortError, InputError, UndecidedError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals import elementary
from symattn.exact.reals.functions import added as common
from symattn.exact.reals.functions import exponential, plus, times
from symattn.exact.reals.sign import compare
from symattn.exact.reals.special_values import UNDEFINED
from symattn.operations import scalar as s
from symattn.operations.evaluation import Number, Values

Value: TypeAlias = Quotient | None
"""A value, None where there is none."""

Round: TypeAlias = Callable[[Value], Value]

ZERO, ONE = Quotient.of(0), Quotient.of(1)

_FEW = 4

_MAX_TERMS = 50_000
"""Terms over one denominator up to which quotients are added: six rows of six weights."""


class ScalarValues(Values):
    """Fold of scalar expressions over entries that a person wrote or that follow from these.

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
        super().__init__(())
        self._leaf = leaf
        self._most = most
        self._product = product

    def of(self, scalar: s.Scalar) -> Value:
        """Return the value of an expression, None where it has none.

        Raises:
            EffortError: it takes too much work.
            UndecidedError: enclosures do not settle a sign that it needs.
        """
        try:
            return super().of(scalar)
        except (EffortError, UndecidedError):
            raise
        except InputError:
            return None  # the root of a negative number, minus infinity times one

    def _fold(self, scalar: s.Scalar) -> Number | None:
        fold = self.folds.get(type(scalar))
        found = self._leaf(scalar) if fold is None else fold(self, scalar)
        return None if found is UNDEFINED else found

    def _value(self, scalar: s.Scalar) -> Value:
        found = self._fold(scalar)
        return Quotient.of(found) if isinstance(found, int) else found

    def _total(self, total: s.Total) -> Value:
        pairs = self._pairs(map(total.body, range(total.count)))
        if self._product is not None:
            return added(self._product(multiplied(*pair)) for pair in pairs)
        return inner_product(pairs, self._most)

    def _pairs(self, terms: Iterable[s.Scalar]) -> list[tuple[Value, Value]]:
        """Each term as two factors."""
        return [
            (self._value(term.factors[0]), self._value(term.factors[1]))
            if type(term) is s.Mul and len(term.factors) == 2
            else (self._value(term), ONE)
            for term in terms
        ]

    def _add(self, sum_of: s.Add) -> Value:
        terms = sum_of.terms
        if len(terms) > 2 and not any(isinstance(term, s.Neg) for term in terms):
            return inner_product(self._pairs(terms))
        values = [self._value(term) for term in terms]
        found = values[0]
        for value in values[1:]:
            if found is None or value is None:
                return None
            is_long_sum = found.is_over_sum and value.is_over_sum
            found = defined(common((found, value)) if is_long_sum else plus(found, value))
        return found

    def _max(self, largest_of: s.Max) -> Value:
        """Return the largest, None when one is undefined or has a free symbol."""
        kept = [value for item in largest_of.items if (value := self._value(item)) is not None and not value.symbols]
        if len(kept) != len(largest_of.items):
            return None
        return reduce(lambda best, value: value if compare(value, best) > 0 else best, kept)

    def _require(self, require: s.Require) -> Number | None:
        return self._fold(require.of)

    folds: ClassVar[Mapping[type[s.Scalar], Callable[[Any, Any], Number | None]]] = {
        **{kind: fold for kind, fold in Values.folds.items() if kind is not s.Formula},
        s.Total: _total,
        s.Add: _add,
        s.Max: _max,
        s.Require: _require,
    }


def added(values: Iterable[Value]) -> Value:
    """Return the sum, None when a term is undefined."""
    return inner_product([(value, ONE) for value in values])


def multiplied(first: Value, second: Value) -> Value:
    """Return the product, None when a factor or the product is undefined."""
    if first is None or second is None:
        return None
    try:
        return defined(times(first, second))
    except InputError:
        return None  # minus infinity times a factor without a sign, or a negative one


def inner_product(pairs: list[tuple[Value, Value]], most: int | None = None) -> Value:
    """Return the sum of products, None when a factor is undefined; enclosed where it has more terms than `most`."""
    kept = [(first, second) for first, second in pairs if first is not None and second is not None]
    if len(kept) != len(pairs):
        return None
    if not all(first.is_finite and second.is_finite for first, second in kept):
        products = [multiplied(*pair) for pair in kept]
        known = [product for product in products if product is not None]
        return defined(reduce(operator.add, known, ZERO)) if len(known) == len(products) else None
    if len({id(value.denominator) for pair in kept for value in pair if value.is_over_sum}) > 1:
        return _over_several([times(first, second) for first, second in kept], most)
    if len(kept) < _FEW:
        return reduce(lambda total, pair: total + pair[0] * pair[1], kept, ZERO)
    try:
        # The product of matrices adds up long rows at once.
        return (Matrix([[first for first, _ in kept]]) @ Matrix([[second] for _, second in kept]))[0, 0]
    except InputError:
        parts = [first * second for first, second in kept]
        # Terms may have denominators of their own, column sums of weights say.
        return reduce(operator.add, parts, ZERO) if _terms_of(_denominators(parts)) <= _MAX_TERMS else None


def _over_several(parts: list[Quotient], most: int | None) -> Value:
    """Return a sum over lines with sums of their own under the bar; None for too many terms."""
    if most is not None and _terms_of(set(_denominators(parts))) > most:
        return elementary.unexpanded(parts)
    if not all(part.is_finite for part in parts):
        return reduce(operator.add, parts, ZERO)
    try:
        return common(parts)
    except InputError:
        return None


def _denominators(parts: list[Quotient]) -> list[ExpSum]:
    return [part.denominator for part in parts if part.is_closed and not part.is_zero]


def _terms_of(denominators: Iterable[ExpSum]) -> int:
    """Return how many terms the product of sums has at most."""
    return prod(len(denominator.terms()) for denominator in denominators)


def defined(value: Quotient) -> Value:
    """Return a value, None where it is undefined."""
    return None if value is UNDEFINED else value


def exponential_if_known(exponent: Value) -> Value:
    """Return ``e`` to a power, None where that is undefined here."""
    power = None if exponent is None else exponential(exponent)
    return None if power is None else defined(power)
