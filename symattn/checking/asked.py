"""What a sheet asks for, quantity by quantity and entry by entry."""

from __future__ import annotations

from symattn.checking.graph import Cell, Graph
from symattn.problem.model import Part, Problem

_BY_WORD: dict[str, tuple[str, ...]] = {
    "projections": ("Q", "K", "V"),
    "scores": ("S",),
    "map": ("A",),
    "outputs": ("O",),
}
"""The quantities that a word of `asks` wants; what is not here is for a person to judge."""

_BY_QUERY = frozenset({"Q", "S", "A", "O"})
"""What has a line for each query; keys and values belong to all of them."""


def asked_of(part: Part) -> tuple[str, ...]:
    """The quantities that a part asks for."""
    return tuple(name for word in part.asks for name in _BY_WORD.get(word, ()))


def by_hand(part: Part) -> tuple[str, ...]:
    """What a part asks that only a person can judge."""
    return tuple(word for word in part.asks if word not in _BY_WORD)


def cells_asked(name: str, part: Part, problem: Problem, graph: Graph) -> list[Cell]:
    """The entries of a quantity that a part is about."""
    cells = list(graph.cells(name))
    if name not in _BY_QUERY:
        return cells
    turned = problem.softmax if name in {"S", "A"} else problem.tokens
    return [(name, i, j) for _, i, j in cells if part.covers((j if turned == "columns" else i) + 1)]


def missing_names(found: set[Cell], problem: Problem, graph: Graph) -> tuple[str, ...]:
    """Quantities, or single entries of them, that were asked for and not found."""
    missing: dict[str, None] = {}
    for part in problem.parts:
        for name in asked_of(part):
            cells = cells_asked(name, part, problem, graph)
            absent = [cell for cell in cells if cell not in found]
            if len(absent) == len(cells) == len(list(graph.cells(name))):
                missing[name] = None
            else:
                missing.update((f"{name}[{i + 1},{j + 1}]", None) for _, i, j in absent)
    return tuple(missing)
