"""TRUSTED. Writer of syntax trees as plain text: to be read back, or only to be shown."""

from __future__ import annotations

from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import are_running, holds_quotient, is_pair, is_set_apart, is_tight, is_word
from symattn.notation.tree.wellformed import check

_OPERATORS = {"cdot": "*", "times": " × ", "": " "}


def describe(node: t.Node) -> str:
    """Return a tree as plain text; trees that were read or built well formed can be read back from it.

    >>> describe(t.Call(t.Name("norm"), (t.Name("q"),)))
    'norm(q)'
    """
    return _write(node)


def symbol_key(node: t.Node) -> str:
    """Return what the name of a symbol is looked up by, whatever its font.

    >>> symbol_key(t.Name("two words", "text")), symbol_key(t.Subscript(t.Name("x"), (t.Number("12"),)))
    ('two words', 'x_12')
    """
    return node.text if isinstance(node, t.Name) else describe(node)


def _write(node: t.Node) -> str:
    match node:
        case t.Number(text):
            return text
        case t.Name(text):
            return _name(text)
        case t.Subscript(base, indices):
            return f"{_write(base)}_{_indices(indices)}"
        case t.Transpose(body):
            return f"{_write(body)}^T"
        case t.Negative(body):
            return f"-{_write(body)}"
        case t.Sum(terms, operators):
            return _write(terms[0]) + "".join(
                f" {operator} {_write(term)}" for operator, term in zip(operators, terms[1:], strict=True)
            )
        case t.Product():
            return _product(node)
        case t.Division(numerator, denominator):
            left = _write(numerator) if isinstance(numerator, t.Division) else _part(numerator)
            return f"{left}/{_part(denominator)}"
        case t.Power(base, exponent):
            return f"{_write(base)}^{_exponent(exponent)}"
        case t.Relation(sides, operators):
            return _relation(sides, operators)
        case _:
            return _write_enclosed(node)


def _write_enclosed(node: t.Node) -> str:
    match node:
        case t.Root(body, degree):
            return f"sqrt({_write(body)})" if degree is None else f"root({_write(degree)}, {_write(body)})"
        case t.Group(body, brackets):
            return brackets + _write(body) + symbols.CLOSING[brackets]
        case t.Call(function, arguments):
            is_mean = function.text == "E" and function.font in {"blackboard", "roman"}
            return f"𝔼[{_list(arguments)}]" if is_mean else f"{function.text}({_list(arguments)})"
        case t.SumOver():
            return _sum_over(node)
        case t.Vector(items, brackets):
            return brackets + _list(items) + symbols.CLOSING[brackets]
        case t.Matrix(rows):
            return f"[{', '.join(f'[{_list(row)}]' for row in rows)}]"
        case t.Dots():
            return "..."
        case t.Space(dimensions):
            return f"ℝ^{{{'×'.join(map(_write, dimensions))}}}"
        case t.Boxed(body):
            return f"boxed({_write(body)})"
        case _:
            raise TypeError(f"{type(node).__name__} is not a node of written mathematics")


def _sum_over(node: t.SumOver) -> str:
    index = _name(node.index.text)
    below = index if node.lower is None else f"{index}={_write(node.lower)}"
    if node.excluded:
        others = f"{index} != {_list(node.excluded)}"
        # In i != j alone both may run.
        is_told = node.lower is not None or is_pair(node.index, node.excluded)
        below = f"{below}, {others}" if is_told else others
    above = "" if node.upper is None else f"^{{{_write(node.upper)}}}"
    return f"sum_{{{below}}}{above} {_write(node.body)}"


def _name(text: str) -> str:
    if is_word(text) and text not in symbols.PLAIN_KEYWORDS | symbols.INFINITE_WORDS:
        return text
    if text in symbols.SYMBOLS:
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def _list(items: tuple[t.Node, ...]) -> str:
    return ", ".join(map(_write, items))


def _indices(indices: tuple[t.Node, ...]) -> str:
    if len(indices) == 1:
        index = indices[0]
        if isinstance(index, t.Name) and are_running(index.text):
            return f'"{index.text}"'  # without quotes these are two letters side by side
        if (isinstance(index, t.Number) and index.text.isdigit()) or isinstance(index, t.Name):
            return _index(index)
    return f"{{{','.join(map(_index, indices))}}}"


def _index(node: t.Node) -> str:
    return ":" if node == t.Name(":") else _write(node)


def _product(node: t.Product) -> str:
    written = _factor(node, 0)
    for position, operator in enumerate(node.operators, start=1):
        following = _factor(node, position)
        touching = not operator and written.endswith(")") and following.startswith("(")
        written += ("" if touching else _OPERATORS[operator]) + following
    return written


def _factor(node: t.Product, position: int) -> str:
    factor, signs = node.factors[position], ""
    while isinstance(factor, t.Negative):
        factor, signs = factor.body, f"{signs}-"
    # Beside another factor the brackets of (a/b) are layout, so brackets that were written are doubled.
    is_bracketed = holds_quotient(factor) and is_set_apart(node, position)
    return f"{signs}({_write(factor)})" if is_bracketed else signs + _write(factor)


def _part(node: t.Node) -> str:
    """Write a part of a quotient: brackets of the layout around all that is not tight."""
    return _write(node) if is_tight(node) else f"({_write(node)})"


def _exponent(node: t.Node) -> str:
    tight = isinstance(node, t.Number) or (isinstance(node, t.Name) and node.text != "T")
    return _write(node) if tight else f"({_write(node)})"


def _relation(sides: tuple[t.Node | None, ...], operators: tuple[str, ...]) -> str:
    pieces = [_write(sides[0])] if sides[0] is not None else []
    for operator, side in zip(operators, sides[1:], strict=True):
        pieces.append(operator)
        if side is not None:
            pieces.append(_write(side))
    return " ".join(pieces)


def write_plain(node: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> str:
    """Return a tree as plain text that `read_plain` reads back as the same tree.

    >>> write_plain(t.Power(t.Name("e"), t.Division(t.Number("3"), t.Number("2"))))
    'e^(3/2)'

    Raises:
        ValueError: when the tree is ill formed: a bracket is missing, two numbers stand side by side, ...
    """
    check(node, functions)
    return describe(node)
