r"""Limits at numbers, exactly: what ``\lim_{\beta \to \infty}`` of a quotient of exponential sums comes to.

Everything but the one variable has a value. An expression in the variable v is a quotient of sums of terms
``c v^p e^{r v}`` with rational r; at infinity the terms that grow fastest decide, at a point their values do.
What is not of that form has no limit here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, walk
from symattn.proofs.cases.evaluation import NumericEvaluator
from symattn.proofs.cases.matrices import number_in
from symattn.proofs.cases.numeric_tower import ZERO, Number, apply, over, plus, times
from symattn.proofs.language.tree_parts import names_reached

_CALL = "lim"
_INFINITIES = {t.Name("oo"): 1, t.Negative(t.Name("oo")): -1, t.Name("infinity"): 1}
_Growth = tuple[Fraction, int]
"""The rate r and the power p of a term."""


def has_limit(node: t.Node) -> bool:
    """Return whether a side takes a limit."""
    return any(isinstance(item, t.Call) and item.function.text == _CALL for item in walk(node))


def is_at_infinity(node: t.Node) -> bool:
    """Return whether a limit of it is taken at infinity."""
    names = {t.Name("oo"), t.Name("infinity")}
    targets = (item.arguments[1] for item in walk(node) if isinstance(item, t.Call) and item.function.text == _CALL)
    return any(end in names for target in targets for end in walk(target))


def limit_value(node: t.Node, numeric: NumericEvaluator) -> Number:
    """Return the value of a side that is a limit.

    Args:
        node: a call of ``lim``, perhaps in brackets.
        numeric: the case.

    Raises:
        InputError: the limit is not of a form that is worked out here, or is infinite.
    """
    match bare(node):
        case t.Call(t.Name("lim"), (t.Name(variable), target, body)):
            found = _in_the_variable(body, variable, numeric)
        case _:
            raise InputError("A limit inside of an expression is not supported here.")
    sign = _INFINITIES.get(target)
    if sign is None:
        point = numeric.value(target)
        if not isinstance(point, Fraction):
            raise InputError("A limit is taken at a rational number here.")
        return plus(ZERO, found.with_values({variable: point}))
    above, below = (_leading(part, variable, sign) for part in (found.numerator, found.denominator))
    if above is None or below is None or above[0] < below[0]:
        return ZERO
    if above[0] > below[0]:
        raise InputError("The limit is not finite.")
    # Odd powers of a variable that goes to minus infinity are the same above and below.
    return over(above[1], below[1])


def _in_the_variable(body: t.Node, variable: str, numeric: NumericEvaluator) -> Quotient:
    """Return a formula as a quotient of exponential sums in the variable, which is left open.

    Raises:
        InputError: it is of another form, or a hypothesis gives something in it by the variable.
    """
    scope, model = numeric.scope, numeric.model
    bodies: dict[str, Sequence[str]] = {item.name: (item.body,) for item in scope.defined}
    given = {item.about[0]: item.values for item in scope.hypotheses if item.kind == "equal"}
    reached = names_reached([body], bodies, scope)
    if any(variable in names_reached([t.Name(name)], bodies | given, scope) for name in reached & given.keys()):
        raise InputError("A name has no value here.")
    opened = replace(model, scalars={**model.scalars, variable: Quotient.of(Polynomial.symbol(variable))})
    found = number_in(NumericEvaluator(scope, opened).value(body))
    if isinstance(found, Fraction | Quotient):
        return Quotient.of(found)
    raise InputError("A form has no limit here.")


def _leading(value: ExpSum, variable: str, sign: int) -> tuple[_Growth, Number] | None:
    """Return how the fastest term of a sum grows, and its coefficient; None for zero."""
    found: dict[_Growth, Number] = {}
    for exponent, coefficient in value.terms():
        powers = dict(_by_power(exponent, variable))
        rate = powers.pop(1, Polynomial()).rational()
        start = powers.pop(0, Polynomial())
        if rate is None or powers:
            raise InputError("An exponent is not linear in the variable, with a rational slope.")
        for power, factor in _by_power(coefficient, variable):
            key = (sign * rate, power)
            term = times(Quotient.of(factor), apply("exp", Quotient.of(start)))
            found[key] = plus(found.get(key, ZERO), term)
    return max(found.items(), default=None)


def _by_power(value: Polynomial, variable: str) -> Iterator[tuple[int, Polynomial]]:
    """Yield the powers of the variable, which is the one symbol, with their coefficients."""
    terms = [(dict(powers).get(variable, 0), (radicand, ()), c) for (radicand, powers), c in value.terms]
    for power in {power for power, _, _ in terms}:
        yield power, Polynomial.of_terms((monomial, c) for own, monomial, c in terms if own == power)
