"""TRUSTED. Lemmas on characteristic functions: cosines and sines of normal quantities, and the density of a score."""

from __future__ import annotations

from symattn.errors import InputError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed.expression import ONE, ZERO, Expr
from symattn.notation.tree import nodes as t
from symattn.proofs.kernel.context import Context
from symattn.proofs.language.functions import PI
from symattn.proofs.lemmas.exponential_moments import random_names, under_mean
from symattn.proofs.lemmas.lemma import HALF, Check, check_normal_entries, equation
from symattn.proofs.lemmas.normal_laws import is_linear


def _oscillation(context: Context) -> str:
    """Check ``E(cos(X)) = E(cos(m) exp(-v/2))``, and the same with sines.

    Given all else that is random, X is linear in independent normal entries of one family (argument ``over``) that is
    independent of the rest, with mean m and variance v.
    """
    function, inner = _wave(context.before)
    name = context.argument("over")
    value = context.number(inner)
    others = random_names(context, value) - {name}
    _check_law(context, name, others)
    own = frozenset({name})
    if not all(is_linear(draft, own) for draft in value.opened()):
        return "the number is not linear in the normal entries"
    facts = context.facts.moments
    mean = m.expectation(value, own, facts)
    variance = m.expectation(value * value, own, facts) - mean * mean
    if name in mean.names | variance.names:
        return "mean and variance are not worked out by the hypotheses of the step"
    turned = Expr.function(function, mean) if mean.terms else ONE if function == "cos" else ZERO
    wanted = turned * Expr.exp(-variance * HALF)
    if not others or not wanted.terms:
        return "" if context.number(context.after).equals(wanted) else "the right side is not the mean over the entries"
    found = under_mean(context, context.after)
    return "" if found.equals(wanted) else "the right side is not the mean of that given the rest"


def _wave(node: t.Node) -> tuple[str, t.Node]:
    match node:
        case t.Call(t.Name("E"), (t.Call(t.Name("cos" | "sin") as function, (inner,)),)):
            return function.text, inner
        case _:
            raise InputError("The mean of a cosine or of a sine was expected here.")


def _check_law(context: Context, name: str, others: set[str]) -> None:
    """Require one family of independent normal entries, independent of the rest.

    Raises:
        InputError: it is not, by the hypotheses of the step.
    """
    declared = context.language.declared.get(name)
    if declared is None or not declared.random:
        raise InputError("The mean is taken over one random quantity, argument over.")
    if not context.facts.are_independent(others | {name}):
        raise InputError(f"{name} is not independent of the rest by the hypotheses of the step.")
    check_normal_entries(context, name)


def _bessel_density(context: Context) -> str:
    """Check ``density(X, z)`` for z > 0 from the characteristic function ``(1 + u^2)^(-D/2)`` of X, D being ``count``.

    It is ``z^((D - 1)/2) besselK((D - 1)/2, z)/(sqrt(pi) 2^((D - 1)/2) factorial(D/2 - 1))``. The last premise says
    that the mean of ``sin(u X)`` is 0, and those before it lead from the mean of ``cos(u X)`` to the power.
    """
    match context.before:
        case t.Call(t.Name("density"), (of, t.Name(place))):
            pass
        case _:
            return "the left side is a density at a number with a name"
    item = context.language.declared.get(place)
    if item is None or item.sizes or item.random or item.sign != "positive":
        return "the density is taken at a positive number that is declared"
    if len(context.premises) < 2 or any(premise.relation != "=" for premise in context.premises):
        return "its premises are equations for the means of a cosine and of a sine"
    count = context.argument("count")
    size = context.number(context.read(count))
    if context.sign(context.read(count)) != "+" or random_names(context, size):
        return "the number of components is not evidently positive"
    reason = _is_real_power(context, context.number(of), size)
    if reason:
        return reason
    order = f"(({count}) - 1)/2"
    text = f"{place}^({order}) besselK({order}, {place})/(sqrt(pi) 2^({order}) factorial(({count})/2 - 1))"
    found = context.number(context.after).equals(context.number(context.read(text)))
    return "" if found else "the density is another function"


def _is_real_power(context: Context, value: Expr, size: Expr) -> str:
    """Return why the premises do not give the characteristic function ``(1 + u^2)^(-D/2)`` for every u, or nothing."""
    *path, last = context.premises
    ends = [context.read(text) for premise in path for text in (premise.before, premise.after)]
    if ends[1:-1:2] != ends[2::2]:
        return "its premises do not follow each other"
    (function, inner), (other, odd) = _wave(ends[0]), _wave(context.read(last.before))
    variable = _frequency(context, context.number(inner), value)
    if (
        (function, other) != ("cos", "sin")
        or variable is None
        or _frequency(context, context.number(odd), value) is None
    ):
        return "its premises are not about the cosine and the sine of u X, for every u"
    if context.number(context.read(last.after)).terms:
        return "the mean of the sine is not 0"
    power = Expr.exp(-size * HALF * Expr.log(ONE + variable * variable))
    if not context.number(ends[-1]).equals(power):
        return "the mean of the cosine is another function"
    return ""


def _frequency(context: Context, angle: Expr, value: Expr) -> Expr | None:
    """Return the u of an angle u X: a real number of which nothing is assumed, and on which X does not depend."""
    for item in context.scope.declared:
        own = Expr.scalar(item.name)
        if item.sizes or item.random or item.sign != "real" or item.name in value.names:
            continue
        if angle.equals(own * value) and not context.assumed_of(item.name):
            return own
    return None


def _bessel_half(context: Context) -> str:
    """Check ``besselK(1/2, x) = sqrt(pi/(2 x)) exp(-x)`` for x > 0, however the root is written."""
    match context.before:
        case t.Call(t.Name("besselK"), (order, at)) if context.number(order) == HALF:
            pass
        case _:
            return "the left side is a Bessel function of order 1/2"
    if context.sign(at) != "+" or context.sign(context.after) != "+":
        return "a side is not evidently positive"
    x, found = context.number(at), context.number(context.after)
    square = (found * Expr.exp(x)) ** 2 * 2 * x
    return "" if square.equals(Expr.scalar(PI)) else "the right side is not sqrt(pi/(2 x)) exp(-x)"


OSCILLATION: dict[str, Check] = {
    "normal-oscillation": equation(_oscillation),
    "bessel-density": equation(_bessel_density),
    "bessel-half": equation(_bessel_half),
}
"""The checks by the names of the lemmas."""
