"""TRUSTED. The check before writing: a tree that could not be read back as itself is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from symattn.notation.tree import limits
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import (
    calls,
    can_be_base,
    can_be_transposed,
    can_have_index,
    clash,
    infinite,
    is_matrix_by_habit,
    is_power_of_ten,
    is_single_list,
    is_tower,
    partial_derivative,
    turned_label,
)

# start-up: plain decimals, and names of ASCII letters, need no pattern.
_NUMERAL = r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e(?:0|-?[1-9][0-9]{0,9}))?"
_CONTROL = "[\x00-\x1f\x7f\ud800-\udfff\ufffd]"
_BRACKETS = ("(", "[", "{")
_LOOSE = (t.Relation, t.Sum)
_LOOSE_LAST = (*_LOOSE, t.Product, t.Negative)
_LOOSE_FACTORS = (*_LOOSE_LAST, t.SumOver)
_SIGNS = frozenset("+-")
_BETWEEN_FACTORS = frozenset({"cdot", "times", ""})
_RELATIONS = frozenset(t.RELATIONS)
_SHAPES = frozenset({"cdots", "vdots", "ddots"})
_SHOWN = 200


def check(node: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> None:
    """Refuse a tree that could not be read back as itself.

    >>> check(t.Product((t.Number("2"), t.Name("x")), ("",)))
    >>> check(t.Number("-1"))
    Traceback (most recent call last):
    ValueError: ill-formed tree: Number(text='-1'): this is not an unsigned numeral

    Raises:
        ValueError: naming the node and the reason.
    """
    reason = _bare_bracket(node) or _below(node, functions)
    if reason:
        raise ValueError(f"ill-formed tree: {reason}")


def _below(node: t.Node, functions: frozenset[str]) -> str:
    level, depth = [node], 1
    while level:
        if depth > limits.MAX_DEPTH:
            return f"it has more than {limits.MAX_DEPTH} levels"
        for here in level:
            kind = type(here)
            reason = _of_functions(here, functions) if kind in _OF_FUNCTIONS else ""
            if not reason and kind in _RULES:
                reason = _RULES[kind](here)
            if reason:
                return f"{_shown(here)}: {reason}"
        level = [child for here in level if type(here) not in _LEAVES for child in t.children(here)]
        depth += 1
    return ""


def _of_functions(node: t.Node, functions: frozenset[str]) -> str:
    if isinstance(node, t.Product):
        return _product(node, functions)
    if isinstance(node, t.Call):
        return _call(node, functions)
    if isinstance(node, t.Division) and "diff" in functions and partial_derivative(node.numerator, node.denominator):
        return "it would be read as a derivative"
    if "lim" in functions and isinstance(node, t.Subscript) and node.base == t.Name("lim"):
        return "it would be read as a limit"
    if isinstance(node, t.Power) and calls(node.exponent, functions):
        return "its exponent is the name of a function: write what it is called with"
    return ""


def _shown(node: t.Node) -> str:
    text = repr(node)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _first(*reasons: str) -> str:
    return next((reason for reason in reasons if reason), "")


def _bare_bracket(node: t.Node | None) -> str:
    """Refuse ``[x]`` as a bracket where a list may stand, where it is read as a list."""
    if isinstance(node, t.Group) and node.brackets == "[":
        return f"{_shown(node)} would be read as a list of one item: make it a Vector"
    return ""


def _item(node: t.Node) -> str:
    """Check the node in a place for lists: an item, an entry, an argument, the side of a relation."""
    if isinstance(node, t.Relation):
        return f"{_shown(node)} is a relation inside an expression"
    return _bare_bracket(node)


def _operand(node: t.Node, loose: tuple[type, ...] = (t.Relation,)) -> str:
    """Check the node in a place of arithmetic, where ``[x]`` is a bracket; `loose` nodes want brackets there."""
    if type(node) in _LEAVES:
        return ""
    if isinstance(node, loose):
        return f"{_shown(node)} wants brackets here"
    return f"{_shown(node)} would be read as a Group here" if is_single_list(node) else ""


def _number(node: t.Number) -> str:
    text = node.text
    digits = text if text.isdigit() else text.replace(".", "", 1)
    if digits.isdigit() and digits.isascii() and len(text) <= limits.MAX_DIGITS and text[-1] != ".":
        return ""
    exponent = node.text.partition("e")[2] or "0"
    if not re.fullmatch(_NUMERAL, node.text) or len(node.text) > limits.MAX_DIGITS:
        return "this is not an unsigned numeral"
    return "its exponent is too large" if abs(int(exponent)) > limits.MAX_EXPONENT else ""


def _name(node: t.Name) -> str:
    if not node.text or len(node.text) > limits.MAX_NAME:
        return f"a name has 1 to {limits.MAX_NAME} characters"
    if node.text.isascii() and node.text.isalnum():
        return ""
    return "a name holds no control characters" if re.search(_CONTROL, node.text) else ""


def _subscript(node: t.Subscript) -> str:
    if not node.indices:
        return "an index is missing"
    if not can_have_index(node.base):
        return "its base wants brackets"
    return _first(_bare_bracket(node.base), *map(_operand, node.indices))


def _chain(items: int, operators: tuple[str, ...], known: frozenset[str]) -> str:
    if items < 2 or items != len(operators) + 1:
        return "it wants two parts or more and an operator between each two"
    if items > limits.MAX_ITEMS:
        return f"it has more than {limits.MAX_ITEMS} parts"
    if known.issuperset(operators):
        return ""
    return _first(*(f"{operator!r} is not an operator of it" for operator in operators if operator not in known))


def _product(node: t.Product, functions: frozenset[str]) -> str:
    shape = _chain(len(node.factors), node.operators, _BETWEEN_FACTORS)
    if shape:
        return shape
    last = len(node.factors) - 1
    pairs = zip(pairwise(node.factors), node.operators, strict=True)
    return _first(
        *(_factor(factor, position, last) for position, factor in enumerate(node.factors)),
        *(clash(left, operator, right, functions) for (left, right), operator in pairs if operator != "cdot"),
    )


def _factor(node: t.Node, position: int, last: int) -> str:
    if position > 0:
        while isinstance(node, t.Negative):
            node = node.body
    return _operand(node, _LOOSE_LAST if position == last else _LOOSE_FACTORS)


def _power(node: t.Power) -> str:
    if not can_be_base(node.base):
        return "its base wants brackets"
    if isinstance(node.exponent, t.Name) and node.exponent.text == "T":
        return "it would be read as a transpose"
    if turned_label(node.exponent) is not None:
        return "it would be read as the transpose of a power"
    if isinstance(node.base, t.Name) and (node.base.text, node.base.font) == ("R", "blackboard"):
        return "it would be read as a Space"
    if is_tower(node):
        return "it is a tower of powers of numbers"
    return _operand(node.base) or _operand(node.exponent)


def _group(node: t.Group) -> str:
    if node.brackets not in _BRACKETS:
        return f"{node.brackets!r} is not a bracket"
    if node.brackets == "[" and is_matrix_by_habit((node.body,)):
        return "it would be read as a Matrix"
    return _item(node.body)


def _call(node: t.Call, functions: frozenset[str]) -> str:
    if node.function.text == "sqrt":
        return "a square root is a Root"
    if not calls(node.function, functions) or not (node.function.text.isascii() and node.function.text.isalpha()):
        return f"{node.function.text!r} is not the name of a function"
    if node.function.text == "lim" and len(node.arguments) == 3 and infinite(node.arguments[1]) != node.arguments[1]:
        return "infinity is oo where a limit goes"
    return _items(node.arguments)


def _items(items: tuple[t.Node, ...]) -> str:
    if not 1 <= len(items) <= limits.MAX_ITEMS:
        return f"it wants 1 to {limits.MAX_ITEMS} items"
    return _first(*map(_item, items))


def _sum_over(node: t.SumOver) -> str:
    if (node.lower is None) != (node.upper is None):
        return "it wants both bounds or none"
    if len(node.excluded) >= limits.MAX_ITEMS:
        return f"it leaves out {limits.MAX_ITEMS} items or more"
    bounds = (bound for bound in (node.lower, node.upper, *node.excluded) if bound is not None)
    return _first(*map(_operand, bounds), _operand(node.body, _LOOSE))


def _vector(node: t.Vector) -> str:
    if node.brackets not in _BRACKETS:
        return f"{node.brackets!r} is not a bracket"
    if len(node.items) == 1 and node.brackets != "[":
        return "a list of one item wants square brackets"
    if node.brackets == "[" and is_matrix_by_habit(node.items):
        return "it would be read as a Matrix"
    return _items(node.items)


def _matrix(node: t.Matrix) -> str:
    widths = {len(row) for row in node.rows}
    if not node.rows or len(widths) != 1 or 0 in widths:
        return "its rows want the same number of entries, one or more"
    if node.brackets not in (*_BRACKETS, "|", ""):
        return f"{node.brackets!r} is not a bracket"
    if any(map(is_matrix_by_habit, node.rows)):
        return "a row of lists would be read as a Matrix"
    entries = len(node.rows) * widths.pop()
    if entries > limits.MAX_ENTRIES or max(len(node.rows), len(node.rows[0])) > limits.MAX_ITEMS:
        return f"it has more than {limits.MAX_ENTRIES} entries, or {limits.MAX_ITEMS} rows or columns"
    return _first(*(_item(entry) for row in node.rows for entry in row))


def _space(node: t.Space) -> str:
    if len(node.dimensions) not in {1, 2}:
        return "it wants one dimension or two"
    loose = (*_LOOSE, t.Negative, t.SumOver) if len(node.dimensions) == 2 else (t.Relation,)
    return _first(*(_operand(dimension, loose) or _dimension(dimension) for dimension in node.dimensions))


def _dimension(node: t.Node) -> str:
    if is_power_of_ten(node):
        return "a power of ten wants brackets here"
    if not isinstance(node, t.Product):
        return ""
    if "times" in node.operators or isinstance(node.factors[-1], t.SumOver | t.Negative):
        return f"{_shown(node)} wants brackets here"
    return "a power of ten wants brackets here" if is_power_of_ten(node.factors[0]) else ""


def _relation(node: t.Relation) -> str:
    if all(side is None for side in node.sides):
        return "its sides are missing"
    if None in node.sides[1:-1]:
        return "only the first or the last side can be missing"
    shape = _chain(len(node.sides), node.operators, _RELATIONS)
    return _first(shape, *(_item(side) for side in node.sides if side is not None))


_OF_FUNCTIONS = frozenset({t.Call, t.Division, t.Product, t.Subscript, t.Power})
"""Nodes whose form depends on what names are functions."""

_RULES: dict[type, Callable[[Any], str]] = {
    t.Number: _number,
    t.Name: _name,
    t.Subscript: _subscript,
    t.Transpose: lambda node: _bare_bracket(node.base) if can_be_transposed(node.base) else "its base wants brackets",
    t.Negative: lambda node: _operand(node.body, _LOOSE),
    t.Sum: lambda node: _first(
        _chain(len(node.terms), node.operators, _SIGNS), *(_operand(term, _LOOSE) for term in node.terms)
    ),
    t.Division: lambda node: _operand(node.numerator) or _operand(node.denominator),
    t.Power: _power,
    t.Root: lambda node: _operand(node.body) or (_operand(node.degree) if node.degree else ""),
    t.Group: _group,
    t.SumOver: _sum_over,
    t.Vector: _vector,
    t.Matrix: _matrix,
    t.Dots: lambda node: "" if node.shape in _SHAPES else f"{node.shape!r} is not a shape",
    t.Space: _space,
    t.Relation: _relation,
    t.Boxed: lambda node: _bare_bracket(node.body),
}

_LEAVES = frozenset({t.Number, t.Name})
