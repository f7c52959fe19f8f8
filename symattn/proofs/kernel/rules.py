"""TRUSTED. The rules of proofs: one table. A rule says what a step may use and how it is judged.

Rules that are judged alike differ in the hypotheses that they allow: a step by "linearity of expectation"
that needs independence is not proved.
"""

from __future__ import annotations

from collections.abc import Callable

from symattn.exact.indexed.expression import Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.kernel.context import Context
from symattn.proofs.kernel.syntactic_rules import (
    absolute_values,
    addition_theorems,
    constrained,
    growth_of_exp,
    hyperbolic_tangent,
    in_letters,
    quotient_rule,
    special_case,
    square_root,
    term_by_term,
)
from symattn.proofs.kernel.well_formedness import refuse_sides
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.language.scope import Kind
from symattn.proofs.language.values import described
from symattn.records import dataclass

_ORDERS = {"≤": ("0+", "+", "0"), "<": ("+",), "≥": ("0-", "-", "0"), ">": ("-",)}


@dataclass(frozen=True, slots=True)
class ProofRule:
    """A named way to go from one side of a step to the other.

    Attributes:
        name: as it is printed.
        check: judges a step: why it is not proved, or nothing.
        kinds: the kinds of hypotheses that it may use.
        relations: the relations that it can establish.
        needs: functions of which one must occur in the step, where the rule is about them.
        says: the rule in words.
    """

    name: str
    check: Callable[[Context], str]
    kinds: frozenset[Kind]
    relations: frozenset[str]
    needs: frozenset[str]
    says: str

    def misfit(self, context: Context) -> str:
        """Return why a step has not the form of this rule, or nothing."""
        if context.step.relation not in self.relations:
            return f"{self.name} does not establish {context.step.relation}"
        nodes = (node for side in (context.before, context.after) for node in walk(side))
        used = {node.function.text for node in nodes if isinstance(node, t.Call)}
        if self.needs and not self.needs & used:
            return f"{self.name} speaks of {' or '.join(sorted(self.needs))}, which does not occur"
        return ""


def equality(context: Context) -> str:
    """Check that both sides are one expression, entry by entry."""
    pair = context.pair(context.before, context.after)
    if pair is None:
        first, second = context.value(context.before), context.value(context.after)
        return f"the left side is a {described(first)}, the right side a {described(second)}"
    if pair[0].equals(pair[1]):
        return ""
    return f"{context.step.before} is not shown to be {context.step.after}"


def order(context: Context) -> str:
    """Check for an evident sign of the difference of the sides, as it is or in the form of argument `difference`."""
    first, second = context.number(context.before), context.number(context.after)
    difference = second - first
    signs = [context.signs.of_expr(difference)]
    written = [value for key, value in context.step.arguments if key == "difference"]
    if written:
        node = context.read(written[0])
        if not context.number(node).equals(difference):
            return f"{written[0]} is not the right side less the left side"
        signs.append(context.sign(node))
    if any(sign in _ORDERS[context.step.relation] for sign in signs):
        return ""
    return f"that {context.step.before} {context.step.relation} {context.step.after} is not evident"


def combination(context: Context) -> str:
    """Check that the sides are sums of those of the premises, times evident positive numbers (argument `weights`)."""
    if not context.premises:
        return "it names no premises"
    weights = [context.read(text) for text in context.argument("weights").split(";")]
    if len(weights) != len(context.premises):
        return "it has another number of weights than of premises"
    difference = context.number(context.after) - context.number(context.before)
    is_strict = False
    for premise, weight in zip(context.premises, weights, strict=True):
        if not {premise.relation, context.step.relation} <= {"=", "≤", "<"} and not {
            premise.relation,
            context.step.relation,
        } <= {"=", "≥", ">"}:
            return "the relations of its premises point the other way"
        sign = context.sign(weight)
        if premise.relation != "=" and sign not in {"+", "0+"}:
            return f"the weight {describe(weight)} is not evidently positive"
        is_strict = is_strict or (premise.relation in {"<", ">"} and sign == "+")
        sides = [context.number(context.read(text)) for text in (premise.after, premise.before)]
        difference = difference - context.number(weight) * (sides[0] - sides[1])
    if not difference.is_zero():
        return "its premises with these weights do not add up to it"
    if context.step.relation == "=" and any(premise.relation != "=" for premise in context.premises):
        return "an equation does not follow from inequalities so"
    if context.step.relation in {"<", ">"} and not is_strict:
        return "nothing makes it strict"
    return ""


def equivalence(context: Context) -> str:
    """Check that two relations have differences of sides that are equal but for an evident factor (argument)."""
    before, after = context.before, context.after
    if not isinstance(before, t.Relation) or not isinstance(after, t.Relation):
        return "an equivalence stands between relations"
    if len(before.operators) != 1 or len(after.operators) != 1 or None in (*before.sides, *after.sides):
        return "an equivalence stands between two relations of two sides each"
    one, other = _difference(context, before), _difference(context, after)
    node = context.read(context.argument("factor"))
    if not (one - context.number(node) * other).equals(0):
        return f"the factor {describe(node)} does not take the second relation to the first"
    sign = context.sign(node)
    first, second = before.operators[0], after.operators[0]
    if first == second == "=" or first == second == "≠":
        return "" if sign in {"+", "-"} or context.is_nonzero(node) else f"{describe(node)} may be zero"
    turned = {"≤": "≥", "≥": "≤", "<": ">", ">": "<"}
    if (sign == "+" and first == second in turned) or (sign == "-" and turned.get(first) == second):
        return ""
    return f"the sign of {describe(node)} does not take {second} to {first}"


def _difference(context: Context, relation: t.Relation) -> Expr:
    left, right = relation.sides
    if left is None or right is None:
        raise TypeError("both sides were looked at before")
    return context.number(left) - context.number(right)


def replacement(context: Context) -> str:
    """Check that the right side is the left one with one side of an equation proved before in the place of the other.

    Between two relations with the same sign the replacement is made on both sides of the first.
    """
    # Inequalities among the premises say that what is divided by is not zero.
    if not any(premise.relation == "=" for premise in context.premises):
        return "it names no equation"
    before, after = context.before, context.after
    if context.step.relation == "=":
        return _replacement(context, before, after)
    if not isinstance(before, t.Relation) or not isinstance(after, t.Relation) or before.operators != after.operators:
        return "an equivalence by replacement stands between relations with the same sign"
    for old, new in zip(before.sides, after.sides, strict=True):
        if old is None or new is None:
            return "an equivalence by replacement stands between relations whose sides are all written"
        reason = _replacement(context, old, new)
        if reason:
            return reason
    return ""


def _replacement(context: Context, node: t.Node, wanted: t.Node) -> str:
    is_pointwise = any(item.kind in _EQUATIONS | _SIGNS for item in context.scope.hypotheses)
    apart = constrained(context.scope)
    whole = frozenset(context.language.declared.keys() | context.language.defined.keys())
    kept = (_MOVING if is_pointwise else frozenset()) | (_AVERAGING if context.some_outcomes() else frozenset())
    for premise in context.premises:
        if premise.relation != "=":
            continue
        old, new = context.read(premise.before), context.read(premise.after)
        node = replaced(node, old, new, apart, kept=kept, whole=whole)
        # An index of the premise may run further here than there: what stands between shows it, the ends need not.
        refuse_sides(node, "=", wanted, context.scope, context.known.memo)
    if node == wanted:
        return ""
    if _ungrouped(node) == _ungrouped(wanted):
        return ""
    pair = context.pair(node, wanted)
    if pair is None or not pair[0].equals(pair[1]):
        return f"{describe(node)} is not shown to be {describe(wanted)}"
    return ""


def _ungrouped(node: t.Node) -> t.Node:
    """Return the tree without the brackets around its parts, which say nothing that the tree does not."""
    node = node.body if isinstance(node, t.Group) else node
    if isinstance(node, t.Subscript):
        return node
    return _ungrouped(node) if isinstance(node, t.Group) else rebuilt(node, _ungrouped)


def tower(context: Context) -> str:
    """Check that the mean of X is the mean of its conditional mean: ``E(X) = E(E(X, q))``."""
    match context.before, context.after:
        case (
            t.Call(t.Name("E"), (whole,)),
            t.Call(t.Name("E"), (t.Call(t.Name("E"), (inner, given)),)),
        ) if whole == inner:
            context.value(t.Call(t.Name("E"), (t.Number("1"), given)))
            return ""
    return "the tower property leads from E(X) to E(E(X, q))"


def replaced(
    node: t.Node,
    old: t.Node,
    new: t.Node,
    apart: frozenset[str] = frozenset(),
    *,
    kept: frozenset[str] = frozenset(),
    whole: frozenset[str] = frozenset(),
) -> t.Node:
    """Return the tree with `new` in brackets for every `old` in it, but not in sums over the indices `apart`.

    What was shown for certain values of an index does not hold for all that a sum over its name runs through.
    What was shown for certain values of a number is not differentiated, nor followed to a limit, and what was
    shown for certain outcomes is not averaged: calls of the functions `kept` stay as they are.
    """
    if node == old:
        return t.Group(new)
    if isinstance(node, t.SumOver) and node.index.text in apart:
        return node
    if isinstance(node, t.Call) and node.function.text in kept:
        return node
    if isinstance(node, t.Subscript):
        # Letters of indices are not numbers, and what is named with an index of letters is a name as a whole.
        if plain_name(node) in whole:
            return node
        return t.Subscript(replaced(node.base, old, new, apart, kept=kept, whole=whole), node.indices)
    return rebuilt(node, lambda child: replaced(child, old, new, apart, kept=kept, whole=whole))


_MOVING = frozenset({"diff", "lim", "coefficient"})
_AVERAGING = frozenset({"E", "Var", "Cov", "cdf", "cumulant", "density"})
_NONE: frozenset[Kind] = frozenset()
_SIGNS: frozenset[Kind] = frozenset({"positive", "nonzero", "at-most", "definite", "whole"})
_EQUATIONS: frozenset[Kind] = frozenset({"equal", "dot-products", "total", "distinct"})
_MOMENTS: frozenset[Kind] = frozenset({"mean", "variance", "covariance", "raw-moment", "law", "same-law"})
_INDEPENDENCE: frozenset[Kind] = frozenset({"independent", "coordinates", "uncorrelated"})
_MEANS = frozenset({"E", "Var", "Cov"})
_EQUAL = frozenset({"="})
_EQUIVALENT = frozenset({"⇔"})
_ORDER = frozenset({"≤", "<", "≥", ">"})


def _rule(
    name: str,
    says: str,
    kinds: frozenset[Kind] = _NONE,
    needs: frozenset[str] = frozenset(),
    check: Callable[[Context], str] = equality,
    relations: frozenset[str] = _EQUAL,
) -> ProofRule:
    return ProofRule(name, check, kinds | _SIGNS, relations, needs, says)


RULES: dict[str, ProofRule] = {
    rule.name: rule
    for rule in (
        _rule("definition", "what a name abbreviates is put in its place"),
        _rule("algebra", "both sides are one expression once expanded"),
        _rule("sum of equal terms", "a sum of what does not depend on its index is a multiple of it"),
        _rule("linearity of expectation", "the mean of a sum is the sum of the means", needs=_MEANS),
        _rule("definition of variance", "Var(X) = E(X^2) - E(X)^2", needs=_MEANS),
        _rule("definition of covariance", "Cov(X, Y) = E(X Y) - E(X) E(Y)", needs=_MEANS),
        _rule("scaling of variance", "Var(a X + b) = a^2 Var(X)", needs=_MEANS),
        _rule("independence", "the mean of a product of independent factors", _INDEPENDENCE, needs=_MEANS),
        _rule("variance of an independent sum", "the variances add", _INDEPENDENCE | {"same-law"}, needs=_MEANS),
        _rule("moments", "what is known of the law of an entry", _MOMENTS, needs=_MEANS),
        _rule("identical distribution", "every entry has the same law", frozenset({"same-law"}), needs=_MEANS),
        _rule("expectation", "independence and moments together", _INDEPENDENCE | _MOMENTS, needs=_MEANS),
        _rule("substitution", "what is assumed to be equal is put in its place", _EQUATIONS),
        _rule("differentiation", "sum, product, quotient and chain rule", _EQUATIONS, needs=frozenset({"diff"})),
        _rule("limit", "limits of exponentials with evident exponents", _EQUATIONS, needs=frozenset({"lim"})),
        _rule(
            "earlier result", "an equation proved before", _EQUATIONS, check=replacement, relations=_EQUAL | _EQUIVALENT
        ),
        _rule("special case", "one value of a free index", check=special_case, relations=_ORDER | _EQUAL),
        _rule(
            "hyperbolic tangent",
            "tanh(x) = (e^(2x) - 1)/(e^(2x) + 1)",
            check=hyperbolic_tangent,
            needs=frozenset({"tanh"}),
        ),
        _rule(
            "absolute values",
            "of numbers whose squares are ordered",
            check=absolute_values,
            relations=_ORDER,
            needs=frozenset({"abs", "norm"}),
        ),
        _rule("tower property", "E(X) = E(E(X, q))", check=tower, needs=frozenset({"E"})),
        _rule(
            "algebra in letters",
            "both sides are one expression, whatever the named abbreviations stand for",
            _EQUATIONS,
            check=in_letters,
        ),
        _rule("quotient rule", "the derivative of a quotient", needs=frozenset({"diff"}), check=quotient_rule),
        _rule("square root", "what is not negative and has the square under the root", _EQUATIONS, check=square_root),
        _rule(
            "addition theorems",
            "sines and cosines of sums, and sin^2 + cos^2 = 1",
            _EQUATIONS,
            needs=frozenset({"sin", "cos"}),
            check=addition_theorems,
        ),
        _rule("growth of exp", "exp grows with its exponent", _EQUATIONS, check=growth_of_exp, relations=_ORDER),
        _rule("term by term", "sums whose terms compare", _EQUATIONS, check=term_by_term, relations=_ORDER),
        _rule("evident sign", "the difference has one sign", _EQUATIONS, check=order, relations=_ORDER),
        _rule("combination", "earlier inequalities added up", _EQUATIONS, check=combination, relations=_ORDER | _EQUAL),
        _rule(
            "equivalence", "times a factor that is not zero", _EQUATIONS, check=equivalence, relations=frozenset({"⇔"})
        ),
    )
}
"""The rules by name."""
