"""Strict reader of LaTeX."""

from __future__ import annotations

from symattn.notation.lexer.dialects import LATEX
from symattn.notation.parser.formulas import parse
from symattn.notation.tree import nodes as t


def read_latex(text: str, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    r"""Parse one formula in LaTeX: an expression, or a chain of relations.

    Every node knows where it stood: ``text[slice(*node.span)]``.

    Args:
        text: the formula, with or without its dollar signs.
        functions: names that call what stands in brackets behind them.

    >>> read_latex(r"Q_{31} = \tfrac52").sides[1]
    Division(numerator=Number(text='5'), denominator=Number(text='2'), bar=True)

    Raises:
        NotationError: what was found, what was expected, and where; or that it is ambiguous.
    """
    return parse(text, LATEX, functions)
