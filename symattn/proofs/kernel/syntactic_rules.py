"""TRUSTED. Rules that look at how the sides of a step are written: roots, exponentials, sums, letters, one index.

Each takes a form apart and leaves what is left to the normal form of expressions or to evident signs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from symattn.errors import InputError
from symattn.exact.indexed.expression import Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, rebuilt, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.kernel.context import Context
from symattn.proofs.kernel.hypotheses import value_of
from symattn.proofs.language.elementary_functions import are_equal_as_angles
from symattn.proofs.language.interpretation import Language, plain_name, read_text
from symattn.proofs.language.limits import is_length
from symattn.proofs.language.scope import Declared, Scope, formulas
from symattn.proofs.language.tree_parts import exponent_of
from symattn.proofs.language.values import entrywise

_MEANING_HIDDEN = frozenset({"diff", "lim", "E", "Var", "Cov"})


def square_root(context: Context) -> str:
    """Check ``sqrt(A) = B`` where B is evidently not negative and its square is A."""
    inner = _under_root(context.before)
    if inner is None:
        return "the left side of a square root is a root"
    if context.sign(context.after) not in {"+", "0+", "0"}:
        return f"{describe(context.after)} is not evidently positive or zero"
    if not (context.number(context.after) ** 2).equals(context.number(inner)):
        return f"the square of {describe(context.after)} is not shown to be {describe(inner)}"
    return ""


def _under_root(node: t.Node) -> t.Node | None:
    match node:
        case t.Group(inner):
            return _under_root(inner)
        case t.Root(inner, None) | t.Call(t.Name("sqrt"), (inner,)):
            return inner
        case _:
            return None


def growth_of_exp(context: Context) -> str:
    """Check ``exp(x) <= exp(y)`` from ``x <= y``, whose difference has an evident sign (or is that of a premise)."""
    exponents = [exponent_of(node) for node in (context.before, context.after)]
    first, second = exponents
    if first is None or second is None:
        return "the growth of exp compares two exponentials"
    found = {context.sign(t.Sum((t.Group(second), t.Group(first)), ("-",)))}
    found.add(context.signs.of_expr(context.number(second) - context.number(first)))
    if found & _WANTED[context.step.relation]:
        return ""
    return f"that {describe(first)} {context.step.relation} {describe(second)} is not evident"


_WANTED = {"≤": {"0+", "+", "0"}, "<": {"+"}, "≥": {"0-", "-", "0"}, ">": {"-"}}


def term_by_term(context: Context) -> str:
    """Check two sums over one index, whose terms stand in the premise's relation for every value of the index."""
    before, after = context.before, context.after
    if len(context.premises) != 1:
        return "it names one premise, about the terms"
    (premise,) = context.premises
    if not isinstance(before, t.SumOver) or not isinstance(after, t.SumOver):
        return "both sides are sums"
    if before.excluded or after.excluded or before.upper is None:
        return "both sums run over a whole range that is written out"
    if (before.index, before.lower, before.upper) != (after.index, after.lower, after.upper):
        return "both sums run over one index and one range"
    if before.index.text in constrained(context.scope):
        return f"{before.index.text} stands for some values only: sum over another index"
    bodies = [bare(before.body), bare(after.body)]
    if bodies != [bare(context.read(premise.before)), bare(context.read(premise.after))]:
        return f"step {premise.id} is not about the terms of these sums"
    if premise.relation not in {context.step.relation, _STRICT[context.step.relation], "="}:
        return f"step {premise.id} has another relation"
    is_strict = context.step.relation in {"<", ">"}
    if is_strict and (premise.relation == "=" or context.sign(before.upper) != "+"):
        return "a strict relation wants a strict one between the terms, and at least one term"
    return ""


_STRICT = {"≤": "<", "≥": ">", "<": "<", ">": ">"}


@lru_cache(maxsize=8)
def constrained(scope: Scope) -> frozenset[str]:
    """Return the indices that a hypothesis names or that are fixed: a proof for them is none for every index.

    In the values of a hypothesis i and j stand for every index; another one that is free there stands for itself.
    """
    found = set(scope.fixed)
    for item in scope.hypotheses:
        if item.kind == "distinct":
            found |= set(item.about)
        for text in (*formulas(item), *(item.about if item.kind == "nonzero" else ())):
            found |= {index[0] for index in value_of(text, scope).indices if len(index) == 1}
    return frozenset(found)


def in_letters(context: Context) -> str:
    """Check that both sides are one expression, the names of the argument `letters` standing for any numbers."""
    names = context.argument("letters").split()
    scope = _with_letters(context.scope, names)
    if scope is None:
        return "letters are names of abbreviations"
    plain = [item.name for item in context.scope.defined if item.name in names and not item.indices]
    if not all(isinstance(context.language.text(name), Expr) for name in plain):
        return "a letter stands for a number"
    bodies = [read_text(item.body, scope) for item in scope.defined]
    if any(
        node.function.text in _MEANING_HIDDEN
        for side in (context.before, context.after, *bodies)
        for node in _calls(side)
    ):
        return "what stands in a derivative, a limit or a mean is more than a letter"
    language = Language(scope, context.facts)
    pairs = entrywise(language.value(context.before), language.value(context.after))
    if pairs is not None and all(first.equals(second) for first, second in pairs):
        return ""
    return f"{describe(context.before)} is not shown to be {describe(context.after)} in the letters {', '.join(names)}"


def _with_letters(scope: Scope, names: list[str]) -> Scope | None:
    items = [item for item in scope.defined if item.name in names and len(item.indices) == len(item.sizes)]
    if {item.name for item in items} != set(names):
        return None
    letters = tuple(Declared(item.name, item.sizes) for item in items)
    rest = tuple(item for item in scope.defined if item.name not in names)
    return Scope((*scope.declared, *letters), rest, scope.hypotheses, scope.fixed, scope.permutations, scope.functions)


def _calls(node: t.Node) -> Iterator[t.Call]:
    return (found for found in walk(node) if isinstance(found, t.Call))


def quotient_rule(context: Context) -> str:
    """Check ``diff(A/B, x) = diff(A, x)/B - A diff(B, x)/B^2``, A and B as they are written."""
    match context.before:
        case t.Call(t.Name("diff"), (t.Division(above, below), by)):
            pass
        case _:
            return "the quotient rule takes the derivative of a quotient"
    values = [context.number(part) for part in (above, below)]
    variable = context.language.variable(by)
    for value in values:
        if is_length(value, variable.name):
            return f"the length of a sum depends on {variable.name}"
    slopes = [t.Call(t.Name("diff"), (bare(part), by)) for part in (above, below)]
    match context.after:
        case t.Sum((t.Division(one, first), t.Product((kept, t.Division(other, t.Power(second, two))), ("",))), ("-",)):
            given = [bare(one), bare(first), bare(kept), bare(other), bare(second), two]
            wanted = [slopes[0], bare(below), bare(above), slopes[1], bare(below), t.Number("2")]
            if given == wanted:
                return ""
    return "the quotient rule leads from diff(A/B, x) to diff(A, x)/B - A diff(B, x)/B^2"


def addition_theorems(context: Context) -> str:
    """Check that both sides are one expression once sines and cosines of sums are written out."""
    pair = context.pair(context.before, context.after)
    if pair is not None and are_equal_as_angles(*pair):
        return ""
    return f"{describe(context.before)} is not shown to be {describe(context.after)} by the addition theorems"


def special_case(context: Context) -> str:
    """Check the first premise for one value of a free index: argument `index` is the index, `value` its value here."""
    if not context.premises or context.premises[0].relation != context.step.relation:
        return "its first premise has its relation"
    index, value = context.read(context.argument("index")), context.read(context.argument("value"))
    if not isinstance(index, t.Name) or not isinstance(value, t.Name | t.Number):
        return "an index is a name, and its value a name or a number"
    if index.text in constrained(context.scope):
        return f"{index.text} does not stand for every value"
    for text, side in ((context.premises[0].before, context.before), (context.premises[0].after, context.after)):
        node = context.read(text)
        if _binds(node, {index.text, value.text}):
            return f"a sum of the premise is over {index.text} or {value.text}: name its index otherwise"
        if side != _at_index(node, index, value, context):
            return f"{describe(side)} is not that case of {text}"
    return ""


def _binds(node: t.Node, names: set[str]) -> bool:
    if isinstance(node, t.SumOver) and node.index.text in names:
        return True
    return any(_binds(child, names) for child in t.children(node))


def _at_index(node: t.Node, index: t.Name, value: t.Node, context: Context) -> t.Node:
    """Return the tree with another index; names that are declared with an index of letters are left alone."""
    if isinstance(node, t.Subscript):
        known = context.language.declared.keys() | context.language.defined.keys()
        if plain_name(node) in known:
            return node
        indices = tuple(_renamed(item, index, value) for item in node.indices)
        found = t.Subscript(_at_index(node.base, index, value, context), indices)
        if plain_name(found) in known:
            raise InputError(f"{describe(found)} is a name of its own here, and no entry.")
        return found
    return rebuilt(node, lambda child: _at_index(child, index, value, context))


def _renamed(node: t.Node, index: t.Name, value: t.Node) -> t.Node:
    if isinstance(node, t.Name) and node != index and index.text in node.text:
        raise InputError(f"Whether {node.text} stands for two indices is not looked at: set a comma between them.")
    return value if node == index else rebuilt(node, lambda child: _renamed(child, index, value))


def hyperbolic_tangent(context: Context) -> str:
    """Check that both sides are one expression, ``tanh(x)`` being ``(e^(2 x) - 1)/(e^(2 x) + 1)``."""
    pair = context.pair(_without_tanh(context.before), _without_tanh(context.after))
    if pair is not None and pair[0].equals(pair[1]):
        return ""
    return f"{context.step.before} is not shown to be {context.step.after}"


def _without_tanh(node: t.Node) -> t.Node:
    node = rebuilt(node, _without_tanh)
    if not (isinstance(node, t.Call) and node.function == t.Name("tanh") and len(node.arguments) == 1):
        return node
    twice = t.Call(t.Name("exp"), (t.Product((t.Number("2"), t.Group(node.arguments[0])), ("",)),))
    above, below = (t.Sum((twice, t.Number("1")), (operator,)) for operator in "-+")
    return t.Group(t.Division(t.Group(above), t.Group(below)))


def absolute_values(context: Context) -> str:
    """Check ``abs(x) <= abs(y)``, or ``<= y`` for an evident y >= 0, from the premise ``x^2 <= y^2``."""
    if len(context.premises) != 1 or context.premises[0].relation != context.step.relation:
        return "it has one premise, an inequality between squares with its relation"
    squares = [context.number(context.read(text)) for text in (context.premises[0].before, context.premises[0].after)]
    for node, square in zip((context.before, context.after), squares, strict=True):
        inner = node.arguments[0] if isinstance(node, t.Call) and node.function == t.Name("abs") else None
        if inner is None and context.sign(node) not in {"+", "0+", "0"}:
            return f"{describe(node)} is not evidently nonnegative"
        if not (context.number(inner or node) ** 2).equals(square):
            return f"the premise does not speak of the square of {describe(node)}"
    return ""
