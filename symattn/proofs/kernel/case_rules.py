"""TRUSTED. Rules for one value of an index, for hyperbolic tangents, and for absolute values."""

from __future__ import annotations

from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt
from symattn.notation.writers.plain_text import describe
from symattn.proofs.kernel.context import Context
from symattn.proofs.kernel.syntactic_rules import constrained
from symattn.proofs.language.interpretation import plain_name


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
