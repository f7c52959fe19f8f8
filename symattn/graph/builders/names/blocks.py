"""Written names of the quantities of a block: ``R_1``, ``mu_1``, ``N_1`` and so on, or as the sheet declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn.graph.builders.names.quantities import Naming, declared
from symattn.notation.tree import nodes as t
from symattn.problem.components.blocks import block_quantities
from symattn.problem.schema.fields import BLOCK_INPUTS

if TYPE_CHECKING:
    from symattn.problem.model import Problem

_WORDS = frozenset({"var", "ms"})
"""What is written as a word: a variance, a mean square."""


def block_namings(problem: Problem) -> dict[str, Naming]:
    """Return the written names of what a block takes and makes.

    >>> from symattn.notation.writers.plain import write_plain
    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], block={"norm": "layer", "eps": 0})
    >>> [write_plain(naming.entry) for naming in block_namings(p).values()]
    ['(R_1)', '(mu_1)', '(var_1)', '(N_1)']
    """
    given = [name for name in BLOCK_INPUTS if name in problem.inputs]
    return {name: _naming(problem, name) for name in (*given, *block_quantities(problem))}


def _naming(problem: Problem, name: str) -> Naming:
    label, (word, _, number) = problem.label(name), name.partition("_")
    if label == name and word in _WORDS:
        symbol = t.Subscript(t.Name(word, "roman"), (t.Number(number),))
        return Naming(symbol, t.Group(symbol))
    naming = declared("epsilon" if label == "eps" else label, set())
    if name.startswith(("mu", "var", "ms", "eps", "gamma", "beta", "b_")):
        return Naming(_thin(naming.symbol), _thin(naming.entry))
    return naming


def _thin(node: t.Node) -> t.Node:
    """Return the same not in bold: what is a number, or one for each token or entry."""
    match node:
        case t.Name(text):
            return t.Name(text)
        case t.Subscript(base, indices):
            return t.Subscript(_thin(base), indices)
        case t.Group(body):
            return t.Group(_thin(body))
    return node
