r"""Written names of gradients: a ``d`` before the name of their quantity, ``\mathbf{dQ}`` and ``dQ_{12}``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.problem.components.gradients import gradients_of
from symattn.problem.model import Problem

if TYPE_CHECKING:
    from symattn.graph.builders.names.quantities import Naming


def gradient_namings(problem: Problem, names: Mapping[str, Naming]) -> dict[str, Naming]:
    """Return the written names of the gradients of a problem, of their row sums, and of what the loss is made of.

    >>> from symattn.graph.builders.names.quantities import namings
    >>> from symattn.notation.writers.plain import write_plain
    >>> p = Problem.build(Q=[[1]], K=[[2]], V=[[3]], names={"S": "z"}, gradient={"loss": "sum"})
    >>> [write_plain(namings(p)[name].entry) for name in ("dQ", "dS", "D")]
    ['dQ', 'dz', 'D']
    """
    found = {
        name: _uncapped(names["S"]) if name == "dS_uncapped" else _of(names.get(name[1:], names["O"]), name)
        for name in gradients_of(problem)
    }
    plain = next(iter(found.values()))
    used = {write_plain(node) for item in names.values() for node in (item.symbol, item.entry)} | problem.symbols.keys()
    for name, letters in _LETTERS.get("" if problem.gradient is None else problem.gradient.loss, _LETTERS[""]).items():
        letter = next((letter for letter in letters if letter not in used), letters[0])
        font: Literal["", "bold"] = "" if name == "L" else "bold"
        found[name] = replace(plain, symbol=t.Name(letter, font), entry=t.Name(letter), line=None)
    if problem.block is not None:
        # start-up: few problems have gradients of blocks
        from symattn.graph.builders.block_gradients import more_namings

        found |= more_namings(problem, used)
    return found


_SUMS = {"D": ("D",)}
_LOSS = {**_SUMS, "L": ("L", "J")}
_LETTERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "": _SUMS,
    "sum": _LOSS,
    "squared": {**_LOSS, "T": ("T", "Y")},
    "cross-entropy": {**_LOSS, "T": ("T", "Y"), "P_O": ("P", "R", "p")},
}
"""By the loss: the letters of what a backward pass has beside gradients, the usual ones first."""


def _uncapped(scores: Naming) -> Naming:
    """Return the names of the gradient before a soft cap, beside that of the capped scores: ``dS_0``."""
    marked = _of(scores, "dS")
    symbol = t.Subscript(marked.symbol, (t.Number("0"),))
    return replace(marked, symbol=symbol, entry=t.Group(t.Subscript(marked.entry, (t.Number("0"),))))


def _of(naming: Naming, name: str) -> Naming:
    symbol, entry = _marked(naming.symbol), _marked(naming.entry)
    if symbol is None or entry is None:
        base, _, index = name.partition("_")
        symbol, entry = t.Name(base, "bold"), t.Name(base)
        if index:
            symbol = t.Subscript(symbol, (t.Name(index) if index.isalpha() else t.Number(index),))
            entry = t.Group(symbol)
    return replace(naming, symbol=symbol, entry=entry, line=None)


def _marked(node: t.Node) -> t.Node | None:
    """Return a name with a ``d`` before its letter; None where it is no letter."""
    match node:
        case t.Name(text) if len(text) == 1:
            return replace(node, text=f"d{text}")
        case t.Subscript(base):
            marked = _marked(base)
            return None if marked is None else replace(node, base=marked)
        case t.Group(body):
            marked = _marked(body)
            return None if marked is None else t.Group(marked)
    return None
