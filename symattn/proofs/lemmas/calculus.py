"""TRUSTED. Lemmas of calculus: monotone functions, the triangle inequality, a geometric tail, Taylor's formula.

Each check looks at the written form of the instance and at signs that are evident; the fact itself is cited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symattn.errors import InputError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed.expression import INVERSE, ONE, ZERO, Atom, Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.kernel.context import Context, divisors
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.language.tree_signs import TreeSigns
from symattn.proofs.lemmas.lemma import HALF, NOT_NEGATIVE, Check
from symattn.records import dataclass

_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class _Summand:
    """Summand, with signs that are known whatever the indices of the sums are."""

    body: t.Node
    bounds: tuple[tuple[str, t.Node], ...]
    signs: TreeSigns

    def number(self, node: t.Node) -> Expr:
        return self.signs.language.number(node)


def _summand(context: Context, node: t.Node) -> _Summand:
    bounds: list[tuple[str, t.Node]] = []
    signs = context.signs
    while isinstance(node, t.SumOver):
        if node.lower != t.Number("1") or node.upper is None or node.excluded:
            raise InputError("A sum begins at 1 here.")
        bounds.append((node.index.text, node.upper))
        signs, node = signs.under(node.index.text), node.body
    return _Summand(node, tuple(bounds), signs)


def _pair(first: t.Node, second: t.Node, context: Context) -> tuple[_Summand, _Summand]:
    """Return the summands of two sums over the same indices, which are the same for both."""
    one = _summand(context, first)
    other = _summand(context, second)
    if one.bounds != other.bounds:
        raise InputError("Both sides are sums over the same indices with the same names here.")
    return one, _Summand(other.body, other.bounds, one.signs)


def _factors(node: t.Node) -> tuple[tuple[t.Node, ...], t.Node]:
    """Return the factors before the last one, and the last one."""
    if isinstance(node, t.Product) and "cdot" not in node.operators:
        return node.factors[:-1], node.factors[-1]
    return (), node


def _exponent(node: t.Node) -> t.Node:
    match node:
        case t.Power(t.Name("e"), exponent) | t.Call(t.Name("exp"), (exponent,)):
            return exponent
        case t.Group(inner):
            return _exponent(inner)
        case _:
            raise InputError("An exponential was expected here.")


# Monotone functions --------------------------------------------------------------------------------


def _increasing_logarithm(context: Context) -> str:
    """Check ``x <= y`` against ``log x <= log y`` for positive x and y, or the second against a premise."""
    if context.step.relation == "⇔":
        before, after = context.before, context.after
        if not isinstance(before, t.Relation) or not isinstance(after, t.Relation):
            return "an equivalence stands between relations"
        if before.operators != after.operators or len(before.operators) != 1:
            return "both relations have one sign, the same"
        return _logarithms(context, before.operators[0], before.sides, after.sides)
    if not context.premises:
        return "it names no inequality"
    premise = context.premises[0]
    if premise.relation != context.step.relation:
        return "its premise has another relation"
    inner = tuple(context.read(text) for text in (premise.before, premise.after))
    return _logarithms(context, premise.relation, inner, (context.before, context.after))


def _logarithms(context: Context, relation: str, inner: Sequence[t.Node | None], outer: Sequence[t.Node | None]) -> str:
    if relation not in {"≤", "<", "≥", ">"}:
        return "it is about inequalities"
    for one, other in zip(inner, outer, strict=True):
        if one is None or other is None:
            return "a side is missing"
        if context.sign(one) != "+":
            return f"{describe(one)} is not evidently positive"
        if not context.number(other).equals(context.number(t.Call(t.Name("log"), (one,)))):
            return f"{describe(other)} is not the logarithm of {describe(one)}"
    return ""


def _tangent(context: Context) -> str:
    """Check ``tanh(x)^2 <= x^2``."""
    match context.before:
        case t.Power(t.Call(t.Name("tanh"), (inner,)), t.Number("2")) if context.step.relation == "≤":
            found = context.number(context.after).equals(context.number(inner) ** 2)
            return "" if found else "the right side is not the square of the argument"
    return "it establishes tanh(x)^2 ≤ x^2"


def _tangent_of_logarithm(context: Context) -> str:
    """Check ``ln(x) <= x - 1``; that x is positive is what a logarithm asks for in every step."""
    match context.before:
        case t.Call(t.Name("log" | "ln"), (inner,)) if context.step.relation == "≤":
            found = context.number(context.after).equals(context.number(inner) - 1)
            return "" if found else "the right side is not the argument less 1"
    return "it establishes ln(x) ≤ x - 1"


# Norms and sums ------------------------------------------------------------------------------------


def _triangle(context: Context) -> str:
    """Check ``norm(sum w x) <= sum w norm(x)`` for ``w >= 0``."""
    if context.step.relation != "≤":
        return "it establishes ≤"
    match context.before:
        case t.Call(t.Name("norm"), (inner,)):
            one, other = _pair(inner, context.after, context)
        case _:
            return "the left side is not a norm"
    weights, vector = _factors(one.body)
    same, last = _factors(other.body)
    whole = one.signs.language.value(vector)
    if isinstance(whole, Expr) or len(whole.sizes) != 1:
        return f"{describe(vector)} is not a vector"
    if not one.bounds or weights != same or any(one.signs.of_tree(item) not in NOT_NEGATIVE for item in weights):
        return "the weights are not the same on both sides, or not evidently nonnegative"
    for weight in weights:
        one.number(weight)
    match last:
        case t.Call(t.Name("norm"), (body,)) if bare(body) == bare(vector):
            return ""
    return "the right side has other norms than those of the vectors on the left"


def _geometric_tail(context: Context) -> str:
    """Check ``sum_j (1 - delta_{j,r}) exp(-b (t_j - t_r)^2) <= 2 e^(-b)/(1 - e^(-b))``, ``t_j = j`` and ``b > 0``."""
    name, place = context.argument("positions"), context.argument("at")
    rate = context.read(context.argument("rate"))
    if not all(isinstance(context.read(text), t.Name | t.Number) for text in (name, place)):
        return "positions and place are plain names, or the place is a number"
    known = [item for item in context.scope.hypotheses if item.id in context.step.hypotheses]
    if not any(item.kind == "positions" and name in item.about for item in known):
        return f"that {name}_j = j is not a hypothesis of the step"
    if context.step.relation != "≤" or context.sign(rate) != "+":
        return "it establishes ≤, for a rate that is evidently positive"
    summand = _summand(context, context.before)
    weights, last = _factors(summand.body)
    if len(summand.bounds) != 1 or len(weights) != 1:
        return "the left side is not a sum of exponentials with one factor"
    (index, _), own = summand.bounds[0], f"({name}_{summand.bounds[0][0]} - {name}_{place})^2"
    if not summand.number(weights[0]).equals(summand.number(context.read(f"1 - delta_{{{index},{place}}}"))):
        return "the term at the place itself is not left out"
    wanted = summand.number(context.read(own)) * context.number(rate)
    if not summand.number(_exponent(last)).equals(-wanted):
        return "the exponents are not minus the rate times the squared distances"
    fall = Expr.exp(-context.number(rate))
    found = context.number(context.after).equals(2 * fall / (1 - fall))
    return "" if found else "the bound is 2 e^(-b)/(1 - e^(-b))"


# Taylor --------------------------------------------------------------------------------------------


def _taylor_mean(context: Context) -> str:
    """Check ``abs(E(f) - f(0) - f''(0) v/2) <= M v^2/8`` for a normal x of mean 0 and variance v.

    The premises are the four derivatives, ``diff(f, x) = g`` and so on, then that the last lies between -M and M.
    """
    name, of = context.argument("over"), context.read(context.argument("of"))
    if context.step.relation != "≤" or len(context.premises) < 6:
        return "it establishes ≤ from four derivatives and an upper and a lower bound"
    reason = context.some_outcomes()
    if reason:
        return reason
    atom: Atom[Expr] = Atom(name)
    function = context.number(of)
    variance = _centred(context, atom)
    if not all(map(context.is_nonzero, _divisors(of, context))) or not _is_smooth(function, atom):
        return "that the function is smooth is not evident"
    if any(other.name in context.language.random and other != atom for other in function.atoms()):
        return "something else in the function is random"
    slopes = _slopes(context, of, name)
    bound = context.number(context.read(context.argument("bound")))
    reason = _bounded(context, slopes[4], bound)
    if reason:
        return reason
    mean = context.number(t.Call(t.Name(m.MEAN), (of,)))
    start, bend = (_at(value, atom, ZERO) for value in (function, context.number(slopes[2])))
    match context.before:
        case t.Call(t.Name("abs"), (inner,)):
            if not context.number(inner).equals(mean - start - bend * variance * HALF):
                return "the left side is not the mean less Taylor's polynomial"
        case _:
            return "the left side is not an absolute value"
    found = context.number(context.after).equals(bound * variance**2 / 8)
    return "" if found else "the bound is M v^2/8"


def _slopes(context: Context, of: t.Node, name: str) -> list[t.Node]:
    """Return the function and its derivatives, each as the premise before gave it."""
    slopes = [of]
    for premise in context.premises[:4]:
        wanted = t.Call(t.Name("diff"), (slopes[-1], t.Name(name)))
        if premise.relation != "=" or context.read(premise.before) != wanted:
            raise InputError(f"Step {premise.id} is not the derivative of {describe(slopes[-1])}.")
        slopes.append(context.read(premise.after))
    return slopes


def _bounded(context: Context, fourth: t.Node, bound: Expr) -> str:
    """Return why the next two premises do not bound a derivative from above and from below, or nothing."""
    upper, lower = context.premises[4:6]
    if {upper.relation, lower.relation} - {"≤", "<"} or bound.rational() is None:
        return "its premises are not inequalities with a number"
    if not fourth == context.read(upper.before) == context.read(lower.after):
        return "its premises do not speak of the fourth derivative"
    ends = context.number(context.read(upper.after)), context.number(context.read(lower.before))
    return "" if ends[0].equals(bound) and ends[1].equals(-bound) else "its premises have another bound"


def _divisors(node: t.Node, context: Context, depth: int = 0) -> Iterator[t.Node]:
    """Yield the divisors of a function, those in the numbers that it abbreviates included."""
    if depth > _MAX_DEPTH:
        raise InputError("Abbreviations stand too deep in one another.")
    yield from divisors(node)
    for part in walk(node):
        item = context.language.defined.get(plain_name(part) or "")
        if item is not None:
            yield from _divisors(context.read(item.body), context, depth + 1)


def _centred(context: Context, atom: Atom[Expr]) -> Expr:
    """Return the variance of a normal number of mean 0, by the hypotheses of the step."""
    for fact in context.facts.moments:
        if isinstance(fact, m.Law) and (fact.family, fact.name) == (atom.name, "gaussian"):
            mean, variance = fact.parameters
            if mean == ZERO:
                return variance
    raise InputError(f"{atom.name} is not normal with mean 0 by the hypotheses of the step.")


def _is_smooth(value: Expr, atom: Atom[Expr]) -> bool:
    """Return whether exponentials, products and inverses are all that it is made of."""
    return all(not other.arguments or other.name == INVERSE for other in value.atoms() if other != atom)


def _at(value: Expr, atom: Atom[Expr], point: Expr) -> Expr:
    return value.mapped(lambda other: point if other == atom else None)


# The mean value theorem ----------------------------------------------------------------------------


def _mean_value(context: Context) -> str:
    """Check ``f(1) - f(0) <= M`` from the premises ``diff(f, s) = g`` and ``g <= M`` for every real number s."""
    name, of = context.argument("over"), context.read(context.argument("of"))
    item, atom = context.language.declared.get(name), Atom[Expr](name)
    if context.step.relation != "≤" or len(context.premises) != 2:
        return "it establishes ≤ from a derivative and an upper bound of it"
    if item is None or item.sizes or item.random or item.sign != "real" or context.assumed_of(name):
        return f"{name} does not stand for every real number"
    slope, bound = context.premises
    if slope.relation != "=" or context.read(slope.before) != t.Call(t.Name("diff"), (of, t.Name(name))):
        return f"its first premise is not the derivative of {describe(of)}"
    if bound.relation not in {"≤", "<"} or context.read(bound.before) != context.read(slope.after):
        return "its second premise is not an upper bound of the derivative"
    function, most = context.number(of), context.number(context.read(bound.after))
    if not all(map(context.is_nonzero, _divisors(of, context))) or not _is_smooth(function, atom):
        return "that the function is smooth is not evident"
    if atom in most.atoms() or not context.number(context.after).equals(most):
        return f"the right side is not the bound, or the bound depends on {name}"
    ends = _at(function, atom, ONE) - _at(function, atom, ZERO)
    return (
        "" if context.number(context.before).equals(ends) else f"the left side is not the change from {name} = 0 to 1"
    )


ANALYSIS: dict[str, Check] = {
    "log-increasing": _increasing_logarithm,
    "log-tangent": _tangent_of_logarithm,
    "mean-value": _mean_value,
    "tanh-at-most": _tangent,
    "triangle-inequality": _triangle,
    "geometric-tail": _geometric_tail,
    "taylor-mean": _taylor_mean,
}
"""The checks by the names of the lemmas."""
