"""Views of a result for notebooks, and its steps, which show themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, Self

from symattn.errors import shortened
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.layer import Layer
from symattn.graph.derivation import Working
from symattn.graph.quantities.scene import Scene
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED, THEORY
from symattn.problem.text.spelling import nearest
from symattn.rendering import notebooks

_MAX_PIECES = 6
"""Sequences, blocks or defined quantities that are shown."""


class Solved(Protocol):
    """Interface of a result for its views."""

    problem: Problem

    @property
    def layer(self) -> Layer:
        """The worked layer."""

    @property
    def scene(self) -> Scene:
        """The quantities with their names bound."""

    @property
    def sequences(self) -> Sequence[Self]:
        """The sequences of a batch."""

    @property
    def blocks(self) -> Sequence[Self]:
        """The blocks, of several."""

    def kernel_matrix(self, name: str) -> Matrix:
        """Return a quantity as the kernel has it."""


class Steps(Working):
    """The steps of a solved problem, and their replay.

    >>> import symattn as sa
    >>> print(sa.attention(Q=[[1]], K=[[2]], V=[[3]], scale="none").derivation)
    <Derivation of 8 steps>
      Q  1×1  given
      K  1×1  given
      V  1×1  given
      S  1×1  product of Q, K
      E  1×1  exponential of S
      Z  1×1  line-sum of E
      A  1×1  quotient of E, Z
      O  1×1  product of A, V
    """

    def __repr__(self) -> str:
        """Return what each step makes, by which rule, from what."""
        return notebooks.lines_of(notebooks.step_lines(self.steps), ".steps has all of them")

    def _repr_html_(self) -> str:
        """Return the steps for notebooks, with their values."""
        return notebooks.steps_html(self.steps)


_MEANT = {
    **dict.fromkeys(("weights", "attention", "attention_map", "map"), "A"),
    **dict.fromkeys(("output", "outputs", "result"), "O"),
    "scores": "S",
    "queries": "Q",
    "keys": "K",
    "values": "V",
    "steps": "derivation",
    "matrices": "quantities",
    **dict.fromkeys(("save", "write", "export", "key", "tex", "latex_document", "to_pdf", "pdf"), "to_latex"),
    "html": "to_html",
    "svg": "to_svg",
    "plot": "to_svg",
    "show": "to_html",
    "json": "as_json",
    **dict.fromkeys(("to_json", "to_dict", "as_dict", "numbers"), "as_json"),
}
"""Names that people try, with the public attribute that is meant."""


def unknown_attribute(name: str, attributes: Iterable[str], quantities: Iterable[str]) -> str:
    """Return the sentence for an attribute that a result lacks: how to get the quantity, or the nearest attribute.

    >>> unknown_attribute("c", ["to_latex"], ["S", "c"])
    'A result has no attribute c: the quantity is result["c"].'
    >>> unknown_attribute("save", ["to_latex"], ["S"])
    'A result has no attribute save. Did you mean to_latex?'
    """
    if name in quantities:
        return f'A result has no attribute {name}: the quantity is result["{name}"].'
    near = nearest(name, [item for item in attributes if not item.startswith("_")], _MEANT)
    return f"A result has no attribute {shortened(name)}{'.' if near is None else f'. Did you mean {near}?'}"


def result_latex(result: Solved) -> str | None:
    """Return the outputs in closed form; None where they are long, or no output is known."""
    if result.problem.batch:
        found = [result_latex(sequence) for sequence in result.sequences[:_MAX_PIECES]]
        return "\n\n".join(filter(None, found)) or None
    if result.problem.kind in {THEORY, DEFINED}:
        return None
    return notebooks.matrix_latex(result.kernel_matrix("O"), result.scene.quantities["O"].symbol)


def result_html(result: Solved) -> str:
    """Return weights and outputs, of several sequences or blocks those of the first ones; or what the sheet defines."""
    head = f"<div>{notebooks.text(repr(result)[1:-1])}</div>"
    pieces = result.sequences if result.problem.batch else result.blocks
    if len(pieces) > 1:
        return head + "".join(map(result_html, pieces[:_MAX_PIECES]))
    if result.problem.kind == THEORY:
        return head
    quantities = result.scene.quantities
    names = list(result.problem.definitions) or [name for name in ("A", "O") if name in result.layer.recipes]
    shown = [notebooks.matrix_html(result.kernel_matrix(name), quantities[name].symbol) for name in names[:_MAX_PIECES]]
    return head + "".join(shown)
