"""TRUSTED. Lemmas on exponentials of random variables: a normal factor, the Gaussian integral, independent sums.

What is computed is the form of the instance; that the integral has this value, and that integrals may be
taken one after the other, is the classical fact. All of them concern means of positive quantities, which
exist in [0, oo] whatever they are.
"""

from __future__ import annotations

from symattn.errors import InputError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import ZERO, Atom, Expr, product
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare
from symattn.proofs.kernel.context import Context, divisors
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.language.values import fresh_index
from symattn.proofs.lemmas.lemma import HALF, NOT_NEGATIVE, Check, called, equation, normal_law


def _normal_factor(context: Context) -> str:
    """Check ``E(exp(f x + g)) = E(exp(f m + f^2 v/2 + g))`` for a normal entry x that is independent of f and g."""
    atom = _entry(context)
    mean, variance = _normal(context, atom)
    parts = _powers(exponent_of(under_mean(context, context.before)), atom)
    if not set(parts) <= {0, 1}:
        return "the exponent is not linear in the normal quantity"
    factor, rest = parts.get(1, ZERO), parts.get(0, ZERO)
    others = random_names(context, factor) | random_names(context, rest)
    if not context.facts.are_independent(others | {atom.name}):
        return f"{atom.name} is not independent of {', '.join(sorted(others))} by the hypotheses of the step"
    found = Expr.exp(factor * mean + factor**2 * variance * HALF + rest)
    after = under_mean(context, context.after) if others else context.number(context.after)
    return "" if after.equals(found) else "the right side has another exponent than f m + f^2 v/2 + g"


def _gaussian_integral(context: Context) -> str:
    """Check ``E(exp(g(x))) = exp(C + B^2/(2 P)) (P v)^(-1/2)`` for P > 0.

    The letters are those of ``g(x) - (x - m)^2/(2 v) = C + B x - P x^2/2``.
    """
    atom = _entry(context)
    mean, variance = _normal(context, atom)
    if context.signs.of_expr(variance) != "+":
        return "the variance is not evidently positive"
    own = Expr.atom(atom)
    exponent = exponent_of(under_mean(context, context.before)) - (own - mean) ** 2 / (2 * variance)
    parts = _powers(exponent, atom)
    if not set(parts) <= {0, 1, 2}:
        return "the exponent is not a polynomial of degree two"
    constant, linear, precision = parts.get(0, ZERO), parts.get(1, ZERO), -2 * parts.get(2, ZERO)
    if any(random_names(context, part) for part in parts.values()):
        return "something else in the exponent is random"
    written = context.read(context.argument("precision"))
    if not context.number(written).equals(precision):
        return "the precision is not minus twice the coefficient of the square"
    if context.sign(written) != "+" or not all(map(context.is_nonzero, divisors(written))):
        return "the precision is not evidently positive: outside of that the integral is infinite"
    precision = context.number(written)
    wanted = constant + linear**2 / (2 * precision) - Expr.log(precision * variance) * HALF
    found = exponent_of(context.number(context.after))
    return "" if found.equals(wanted) else "the integral has another value"


def _divergence(context: Context) -> str:
    """Check ``E(exp(g(x))) > B`` for every number B, for a normal entry x, where P <= 0.

    The letters are those of ``g(x) - (x - m)^2/(2 v) = C + b x - P x^2/2``.
    """
    if context.step.relation != ">":
        return "it establishes >"
    atom = _entry(context)
    mean, variance = _normal(context, atom)
    if context.signs.of_expr(variance) != "+":
        return "the variance is not evidently positive"
    exponent = exponent_of(under_mean(context, context.before)) - (Expr.atom(atom) - mean) ** 2 / (2 * variance)
    parts = _powers(exponent, atom)
    if not set(parts) <= {0, 1, 2} or any(random_names(context, part) for part in parts.values()):
        return "the exponent is not a polynomial of degree two in the normal quantity alone"
    written = context.read(context.argument("precision"))
    if not context.number(written).equals(-2 * parts.get(2, ZERO)):
        return "the precision is not minus twice the coefficient of the square"
    if context.sign(written) not in {"-", "0-", "0"} or not all(map(context.is_nonzero, divisors(written))):
        return "the precision is not evidently negative or zero: otherwise the integral is finite"
    return _not_any_number(context)


def _unbounded_power(context: Context) -> str:
    """Check ``E(X)^c > B`` for every number B and c > 0, from the premise ``E(X) > B`` for every B."""
    if context.step.relation != ">" or len(context.premises) != 1 or context.premises[0].relation != ">":
        return "it establishes > from one premise with >"
    (premise,) = context.premises
    match context.before:
        case t.Power(base, exponent):
            pass
        case _:
            return "the left side is not a power"
    if base != context.read(premise.before) or context.after != context.read(premise.after):
        return "its premise does not speak of the base, or of the same number"
    if random_names(context, context.number(exponent)) or context.sign(exponent) != "+":
        return "the exponent is not evidently positive"
    return _not_any_number(context)


def _not_any_number(context: Context) -> str:
    """Return why the right side does not stand for every number whatever, or nothing.

    It is a letter of which nothing is assumed and on which the left side does not depend; so no mean can stand there.
    """
    item = context.language.declared.get(plain_name(context.after) or "")
    if item is None or item.sizes or item.random or item.sign != "real":
        return "the right side is not a real number that is declared"
    if any(atom.name == item.name for atom in context.number(context.before).atoms()):
        return "the left side depends on the bound"
    found = context.assumed_of(item.name)
    return f"the hypothesis {found} speaks of the bound" if found else ""


def _independent_exponentials(context: Context) -> str:
    """Check ``E(exp(sum_{i=1}^{D} x_i)) = E(exp(x_1))^D`` for independent tuples of random entries of one law."""
    exponent = exponent_of(under_mean(context, context.before))
    body, sizes = ZERO, []
    for draft in exponent.opened():
        if len(draft.bounds) != 1:
            return "the exponent is not one sum"
        (index, size) = draft.bounds[0]
        term = product(draft)
        if not all(_is_own(context, atom, index) for atom in term.atoms()):
            return "a term of the sum depends on its index other than through random entries"
        sizes.append(size)
        body = body + term.replaced(index, ix.fixed("1"))
    if not sizes or any(size != sizes[0] for size in sizes):
        return "the exponent is not one sum"
    families = random_names(context, body)
    facts = context.facts.moments
    if not any(isinstance(fact, m.Coordinates) and families <= set(fact.families) for fact in facts):
        return "the terms are not independent by the hypotheses of the step"
    if not any(isinstance(fact, m.SameLaw) and families <= set(fact.families) for fact in facts):
        return "the terms do not have one law by the hypotheses of the step"
    one = m.expectation(Expr.exp(body), context.language.random, facts)
    wanted = Expr.exp(sizes[0] * Expr.log(one))
    return "" if context.number(context.after).equals(wanted) else "the right side is not the power of one factor"


def _exponential_tail(context: Context) -> str:
    """Check ``cdf(-abs(X), -x) <= exp(-t x) (A + B)``, from ``E(exp(t X)) = A`` and ``E(exp(-t X)) = B`` for t >= 0.

    The left side is the probability that the absolute value of X is at least x; t is the argument ``rate``.
    """
    means = context.premises[:2]
    if context.step.relation != "≤" or [premise.relation for premise in means] != ["=", "="]:
        return "it establishes ≤, and its first two premises are equations"
    negative, level = called(context.before, "cdf", 2)
    event, bound = bare(negative), -context.number(level)
    if not isinstance(event, t.Negative):
        return "the event is that minus an absolute value is at most minus a number"
    score = context.number(called(event.body, "abs")[0])
    rate = context.number(context.read(context.argument("rate")))
    if random_names(context, rate) or random_names(context, bound) or context.signs.of_expr(rate) not in NOT_NEGATIVE:
        return "the rate is not evidently positive or zero, or it is random, or the bound is"
    for premise, exponent in zip(means, (rate * score, -rate * score), strict=True):
        if not exponent_of(under_mean(context, context.read(premise.before))).equals(exponent):
            return f"step {premise.id} is not about the mean of the exponential of the rate times the number"
    plus, minus = (context.number(context.read(premise.after)) for premise in means)
    if random_names(context, plus) or random_names(context, minus):
        return "the means are random"
    found = context.number(context.after).equals(Expr.exp(-rate * bound) * (plus + minus))
    return "" if found else "the right side is not exp(-t x) times the sum of the means"


# Parts ---------------------------------------------------------------------------------------------


def _entry(context: Context) -> Atom[Expr]:
    """Return the entry that the mean is taken over, argument ``over``."""
    atom, power = context.number(context.read(context.argument("over"))).only_atom or (Atom(""), 0)
    if power != 1 or atom.name not in context.language.random or atom.arguments:
        raise InputError("A mean is taken over one entry of a random quantity here.")
    return atom


def _normal(context: Context, atom: Atom[Expr]) -> tuple[Expr, Expr]:
    """Return mean and variance of a normal entry, by the hypotheses of the step."""
    mean, variance = (m.at_indices(value, atom.indices) for value in normal_law(context, atom.name).parameters)
    return mean, variance


def under_mean(context: Context, node: t.Node) -> Expr:
    """Return the argument of a mean."""
    match node:
        case t.Call(t.Name(m.MEAN), (inner,)):
            return context.number(inner)
        case _:
            raise InputError("A mean E(...) was expected here.")


def exponent_of(value: Expr) -> Expr:
    """Return the exponent of a lone exponential."""
    if len(value.terms) == 1:
        term, coefficient = value.terms[0]
        if not term.sizes and not term.factors and coefficient.rational() == 1 and term.exponent is not None:
            return term.exponent
    raise InputError("The mean of one exponential was expected here.")


def _powers(exponent: Expr, atom: Atom[Expr]) -> dict[int, Expr]:
    """Return the coefficients of a polynomial in an entry, by powers; nothing else of its family may occur."""
    found: dict[int, Expr] = {}
    for draft in exponent.opened():
        factors = dict(draft.factors)
        power = factors.pop(atom, 0)
        rest = product(draft.with_factors(factors))
        if power < 0 or any(other.name == atom.name for other in rest.atoms()):
            raise InputError(f"{atom.name} occurs in another way than as a polynomial in one entry.")
        if power and set(atom.indices) & {index for index, _ in draft.bounds}:
            raise InputError("The entry stands under a sum over its index.")
        for index, size in draft.bounds:
            place = fresh_index()
            rest = Expr.sum_over(place, size, rest.replaced(index, place))
        found[power] = found.get(power, ZERO) + rest
    return found


def _is_own(context: Context, atom: Atom[Expr], index: ix.Index) -> bool:
    """Return whether a random entry stands at the index, and anything else does not."""
    if atom.name in context.language.random:
        return atom.indices == (index,)
    return all(ix.root(other) != index for other in atom.indices)


def random_names(context: Context, value: Expr) -> set[str]:
    """Return the random quantities that occur."""
    return {atom.name for atom in value.atoms()} & context.language.random


GAUSSIAN: dict[str, Check] = {
    "normal-factor": equation(_normal_factor),
    "gaussian-integral": equation(_gaussian_integral),
    "gaussian-divergence": _divergence,
    "unbounded-power": _unbounded_power,
    "independent-exponentials": equation(_independent_exponentials),
    "exponential-tail": _exponential_tail,
}
"""The checks by the names of the lemmas."""
