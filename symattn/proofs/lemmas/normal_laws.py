"""TRUSTED. Lemmas on the laws of normal quantities: linear images, monotone maps, symmetry, comparison of means.

``cdf(X, x)`` is the probability that the random number X is at most x. It stands for itself in a formula: no
rule works with it, and only the lemmas here say what it is.
"""

from __future__ import annotations

from symattn.errors import InputError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed.expression import ONE, ZERO, Atom, Draft, Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, walk
from symattn.proofs.kernel.context import Context
from symattn.proofs.language.functions import PI
from symattn.proofs.language.interpretation import INFINITY
from symattn.proofs.language.signs import Sign
from symattn.proofs.lemmas.lemma import HALF, NOT_NEGATIVE, Check, called, check_normal_entries, equation

_PI = Expr.scalar(PI)
_ABSOLUTE = "abs"


def _is_call(node: t.Node, name: str) -> bool:
    return isinstance(node, t.Call) and node.function.text == name and len(node.arguments) == 1


# Normal laws ---------------------------------------------------------------------------------------


def _normal(context: Context, value: Expr) -> tuple[Expr, Expr]:
    """Return mean and variance of a number that is linear in independent normal entries.

    Raises:
        InputError: it is not, by the hypotheses of the step.
    """
    random = context.language.random
    families = {atom.name for atom in value.atoms()} & random
    for draft in value.opened():
        if not is_linear(draft, random):
            raise InputError("A number that is linear in random entries was expected here.")
    _check_independent_normal(context, families)
    facts = context.facts.moments
    mean = m.expectation(value, random, facts)
    square = m.expectation(value * value, random, facts)
    variance = context.facts.apply(square - mean * mean)
    if any(atom.name in random or atom.arguments for atom in mean.atoms()):
        raise InputError("The mean is not worked out by the hypotheses of the step.")
    return context.facts.apply(mean), variance


def is_linear(draft: Draft[Expr], random: frozenset[str]) -> bool:
    """Return whether a term has at most one random factor, and that one alone."""
    inner = [atom for factor in draft.factors for argument in factor.arguments for atom in argument.atoms()]
    if any(atom.name in random for atom in (*draft.exponent.atoms(), *inner)):
        return False
    powers = [power for atom, power in draft.factors.items() if atom.name in random]
    return powers in ([], [1]) and not any(atom.name in random for _, size in draft.bounds for atom in size.atoms())


def _check_independent_normal(context: Context, families: set[str]) -> None:
    if not families or not context.facts.are_independent(families):
        raise InputError("The random quantities are not independent by the hypotheses of the step.")
    for name in families:
        check_normal_entries(context, name)


def _ratio(context: Context, node: t.Node) -> tuple[Expr, Expr]:
    """Return numerator and squared denominator of a quotient whose denominator is evidently positive."""
    inner = bare(node)
    if isinstance(inner, t.Negative):
        above, square = _ratio(context, inner.body)
        return -above, square
    if not isinstance(inner, t.Division) or context.sign(inner.denominator) != "+":
        raise InputError("A quotient with an evidently positive denominator was expected here.")
    return context.number(inner.numerator), context.number(inner.denominator) ** 2


def _fixed_number(context: Context, node: t.Node) -> Expr:
    """Return a number that is not random."""
    value = context.number(node)
    if any(atom.name in context.language.random for atom in value.atoms()):
        raise InputError("The bound of an event is not random here.")
    return value


def _linear_image(context: Context) -> str:
    """Check ``cdf(X, x) = Phi((x - m)/sqrt(v))`` for X linear in independent normal entries, v > 0."""
    of, at = called(context.before, "cdf", 2)
    mean, variance = _normal(context, context.number(of))
    if context.signs.of_expr(variance) != "+":
        return "the variance is not evidently positive"
    above, square = _ratio(context, called(context.after, "Phi")[0])
    if not above.equals(_fixed_number(context, at) - mean):
        return "the numerator is not x less the mean"
    return "" if square.equals(variance) else "the square of the denominator is not the variance"


def _two_sided(context: Context) -> str:
    """Check ``cdf(abs(X), y) = erf(y/sqrt(2 v))`` for X linear in independent normal entries, of mean 0, y >= 0."""
    of, at = called(context.before, "cdf", 2)
    mean, variance = _normal(context, context.number(called(of, _ABSOLUTE)[0]))
    if mean.terms or context.signs.of_expr(variance) != "+":
        return "the mean is not zero, or the variance is not evidently positive"
    if _sign(context, at) not in NOT_NEGATIVE:
        return "the bound is not evidently positive or zero"
    above, square = _ratio(context, called(context.after, "erf")[0])
    if not above.equals(_fixed_number(context, at)):
        return "the numerator is not the bound"
    return "" if square.equals(2 * variance) else "the square of the denominator is not twice the variance"


def _sign(context: Context, node: t.Node) -> Sign | None:
    """Return the sign of a number, that of a logarithm by its argument less 1."""
    inner = bare(node)
    if isinstance(inner, t.Call) and inner.function.text in {"ln", "log"} and len(inner.arguments) == 1:
        return context.signs.of_expr(context.number(inner.arguments[0]) - ONE)
    return context.sign(inner)


def _normal_exponential(context: Context) -> str:
    """Check ``E(exp(X)) = exp(m + v/2)`` for X linear in independent normal entries."""
    (of,) = called(called(context.before, "E")[0], "exp")
    mean, variance = _normal(context, context.number(of))
    found = context.number(context.after).equals(Expr.exp(mean + variance * HALF))
    return "" if found else "the right side is not exp(m + v/2)"


def _reflection(context: Context) -> str:
    """Check ``E(f(x)) = E(f(-x))`` for independent normal entries x of mean 0."""
    first, second = (context.number(called(side, "E")[0]) for side in (context.before, context.after))
    random = context.language.random
    families = {atom.name for value in (first, second) for atom in value.atoms()} & random
    _check_independent_normal(context, families)
    for fact in context.facts.moments:
        if isinstance(fact, m.Law) and fact.family in families and fact.parameters[0] != ZERO:
            return f"{fact.family} has another mean than 0"

    def turned(atom: Atom[Expr]) -> Expr | None:
        return -Expr.atom(atom) if atom.name in random and not atom.arguments else None

    found = context.facts.apply(first.mapped(turned)).equals(second)
    return "" if found else "the right side is not the left one with the opposite random entries"


def _logistic_slope(context: Context) -> str:
    """Check ``(1 - pi^2/(6 v))/sqrt(2 pi v) <= E(w (1 - w)) <= 1/sqrt(2 pi v)`` for w = 1/(1 + exp(-d)).

    Here d (argument `score`) is normal with mean 0 and variance v > 0.
    """
    score = context.number(context.read(context.argument("score")))
    mean, variance = _normal(context, score)
    if mean.terms or context.signs.of_expr(variance) != "+":
        return "the mean is not zero, or the variance is not evidently positive"
    weight = ONE / (ONE + Expr.exp(-score))
    if not context.number(called(context.before, "E")[0]).equals(weight * (ONE - weight)):
        return "the left side is not the mean of w (1 - w)"
    above, square = _ratio(context, context.after)
    if not square.equals(2 * _PI * variance):
        return "the square of the denominator is not 2 pi v"
    wanted = {"≤": 6 * variance, "≥": 6 * variance - _PI**2}.get(context.step.relation)
    if wanted is None:
        return "it establishes ≤ or ≥"
    return "" if (6 * variance * above).equals(wanted) else "the numerator is not that of this bound"


def _normal_density(context: Context) -> str:
    """Check ``diff(Phi(u), x) = exp(-u^2/2) diff(u, x)/sqrt(2 pi)``."""
    of, by = called(context.before, "diff", 2)
    (inner,) = called(of, "Phi")
    slope = context.number(t.Call(t.Name("diff"), (inner, by)))
    wanted = Expr.exp(-HALF * context.number(inner) ** 2) * slope / Expr.sqrt(2 * _PI)
    return "" if context.number(context.after).equals(wanted) else "the right side is not the normal density times u'"


# Monotone maps -------------------------------------------------------------------------------------


def _logistic_event(context: Context) -> str:
    """Check ``cdf(w, x) = cdf(d, ln(x/(1 - x)))``, and ``cdf(abs(w - 1/2), y) = cdf(abs(d), ln((1 + 2 y)/(1 - 2 y)))``.

    Here ``w = 1/(1 + exp(-d))``, 0 < x < 1 and 0 <= y < 1/2.
    """
    (weight, level), (score, bound) = (called(side, "cdf", 2) for side in (context.before, context.after))
    at = _fixed_number(context, level)
    (ratio,) = called(bound, "ln")
    low, high = ONE * at, ONE - at
    if _is_call(bare(weight), _ABSOLUTE):
        (weight,), (score,) = called(weight, _ABSOLUTE), called(score, _ABSOLUTE)
        value = context.number(weight) + HALF
        low, high = ONE + 2 * at, ONE - 2 * at
        if context.signs.of_expr(at) not in NOT_NEGATIVE:
            return "the bound is not evidently positive or zero"
    else:
        value = context.number(weight)
    if context.signs.of_expr(low) != "+" or context.signs.of_expr(high) != "+":
        return "the bound does not evidently lie inside the range of the weight"
    if not value.equals(ONE / (ONE + Expr.exp(-context.number(score)))):
        return "the first number is not the logistic function of the second"
    found = (context.number(ratio) * high).equals(low)
    return "" if found else "the bound is not the logarithm of the ratio"


def _tangent_of_size(context: Context) -> str:
    """Check ``abs(tanh(x)) = tanh(abs(x))``."""
    (inner,) = called(called(context.before, _ABSOLUTE)[0], "tanh")
    (outer,) = called(called(context.after, "tanh")[0], _ABSOLUTE)
    return "" if context.number(inner).equals(context.number(outer)) else "the arguments differ"


def _tangent_below(context: Context) -> str:
    """Check ``tanh(x) < x`` for x > 0."""
    (inner,) = called(context.before, "tanh")
    if context.step.relation != "<":
        return "it establishes <"
    if context.sign(inner) != "+":
        return "the argument is not evidently positive"
    return "" if context.number(context.after).equals(context.number(inner)) else "the right side is not the argument"


def _normal_and_error(context: Context) -> str:
    """Check ``Phi(u) = (1 + erf(u/sqrt(2)))/2``, with ``-erf(-u/sqrt(2))`` where u is negative."""
    (of,) = called(context.before, "Phi")
    value, sign = context.number(of), context.sign(of)
    inner = next((node for node in walk(context.after) if _is_call(node, "erf")), None)
    if not isinstance(inner, t.Call) or sign not in {"+", "-"}:
        return "the right side has no erf, or the sign of u is not evident"
    (argument,) = inner.arguments
    if context.sign(argument) != "+" or not (2 * context.number(argument) ** 2).equals(value**2):
        return "the argument of erf is not the absolute value of u over sqrt(2)"
    wanted = (ONE + Expr.function("erf", context.number(argument)) * (1 if sign == "+" else -1)) * HALF
    return "" if context.number(context.after).equals(wanted) else "the right side is not (1 + erf(u/sqrt(2)))/2"


def _error_limits(context: Context) -> str:
    """Check ``lim(u, oo, erf(c u)) = 1`` and ``lim(u, 0, erf(c u)) = 0`` for c > 0."""
    by, target, of = called(context.before, "lim", 3)
    (inner,) = called(of, "erf")
    match bare(inner):
        case t.Product((*front, last), _) if bare(last) == by and isinstance(by, t.Name) and front:
            pass
        case _:
            return "the argument of erf is not c u with the variable as its last factor"
    if by.text not in context.language.declared:
        return "the limit is taken by a number that is declared"
    for item in front:
        factor = context.number(item)
        context.language.refuse_tied(factor, by.text)
        if any(atom.name == by.text for atom in factor.atoms()) or _sign(context, item) != "+":
            return "the factor is not evidently positive, or it moves"
    limit = {t.Name(INFINITY): ONE, t.Number("0"): ZERO}.get(target)
    if limit is None:
        return "the limit is taken at infinity or at 0"
    return "" if context.number(context.after).equals(limit) else "the limit of erf is 1 at infinity and 0 at 0"


def _monotone_mean(context: Context) -> str:
    """Check ``E(X) <= E(Y)`` from the premise ``X <= Y``."""
    if context.step.relation != "≤" or len(context.premises) != 1 or context.premises[0].relation not in {"≤", "<"}:
        return "it establishes ≤ from one premise, X ≤ Y"
    reason = context.some_outcomes()
    if reason:
        return reason
    (premise,) = context.premises
    for side, text in ((context.before, premise.before), (context.after, premise.after)):
        (inner,) = called(side, "E")
        if not context.number(inner).equals(context.number(context.read(text))):
            return "the sides of the premise are not those under the means"
    return ""


LAWS: dict[str, Check] = {
    "normal-linear-image": equation(_linear_image),
    "normal-two-sided": equation(_two_sided),
    "normal-exponential": equation(_normal_exponential),
    "reflection": equation(_reflection),
    "logistic-slope-mean": _logistic_slope,
    "logistic-event": equation(_logistic_event),
    "tanh-of-size": equation(_tangent_of_size),
    "tanh-below": _tangent_below,
    "normal-density": equation(_normal_density),
    "normal-and-error-function": equation(_normal_and_error),
    "erf-limits": equation(_error_limits),
    "monotone-mean": _monotone_mean,
}
"""The checks by the names of the lemmas."""
