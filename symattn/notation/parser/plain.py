"""TRUSTED. Strict reader of plain text."""

from __future__ import annotations

from symattn.notation.lexer.dialects import PLAIN
from symattn.notation.parser.formulas import parse
from symattn.notation.tree import nodes as t


def read_plain(text: str, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    """Parse one formula in plain text: an expression, or a chain of relations.

    Every node knows where it stood: ``text[slice(*node.span)]``. A run of letters is one name, and a
    name in double quotes may hold any characters.

    Args:
        text: the formula.
        functions: names that call what stands in brackets behind them.

    >>> read_plain("Q_31 = 5/2").sides[1]
    Division(numerator=Number(text='5'), denominator=Number(text='2'), bar=False)

    Raises:
        NotationError: what was found, what was expected, and where; or that it is ambiguous.
    """
    return parse(text, PLAIN, functions)
