"""Requested quantities of a sheet, quantity by quantity and entry by entry."""

from __future__ import annotations

from collections.abc import Iterable

from symattn.checking.graph.formulas import Cell, scaled
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.graph.builders.layer import base_of, is_of_block, is_of_gradients
from symattn.operations.formulas.formula import Apply, Ref
from symattn.problem.model import Part, Problem
from symattn.problem.settings.parts import GRADIENT_OF

_BY_WORD: dict[str, tuple[str, ...]] = {
    "projections": ("Q", "K", "V"),
    "scores": ("S",),
    "map": ("A",),
    "outputs": ("O",),
    "cache": ("K", "V"),
    "online": ("O",),
}
"""The quantities that a word of `asks` wants."""

_OF_BLOCK = {"norm": ("Y_1", "N_1", "R_1"), "ffn": ("F_2",)}
"""Quantities of a block that such a word requests: the first of these that is computed."""

_JUDGED = frozenset({*_BY_WORD, *_OF_BLOCK, "block", "gradients"})
"""The words of `asks` whose answers a program judges; the others are for a person."""

_ON_THE_WAY = frozenset({"dO", "dC", "dH", "dA", "D", "T", "L", "P_O", "dS_scaled", "dS_uncapped"})
"""Intermediate results of a backward pass."""

_BY_QUERY = frozenset({"Q", "S", "A", "O"})
"""Quantities with a line for each query; keys and values belong to all of them."""


def asked_of(part: Part, graph: Graph) -> tuple[str, ...]:
    """Return the quantities that a part asks for; of heads, those of every head where there is none of all together."""
    wanted = [name for word in part.asks for name in _wanted(word, graph)]
    return tuple(name for base in wanted for name in _each(base, graph))


def _wanted(word: str, graph: Graph) -> tuple[str, ...]:
    """Return the quantities that a word asks for; of a backward pass, without intermediate results."""
    if word.startswith(GRADIENT_OF):
        return (word.removeprefix(GRADIENT_OF),)
    if word in _OF_BLOCK:
        return tuple(name for name in _OF_BLOCK[word] if name in graph.nodes)[:1]
    if word == "block":
        return tuple(name for name in graph.nodes if is_of_block(name))[-1:]
    if word != "gradients":
        return _BY_WORD.get(word, ())
    made = (base_of(name) for name in graph.nodes if is_of_gradients(name))
    return tuple(dict.fromkeys(base for base in made if base not in _ON_THE_WAY))


def _each(base: str, graph: Graph) -> list[str]:
    return [base] if base in graph else [name for name in graph.nodes if base_of(name) == base]


def with_joint(cells: Iterable[Cell], graph: Graph) -> dict[Cell, Cell]:
    """Return the entry of the whole for each entry of a part of a quantity: ``Q^2[1,1]`` is ``Q[1,3]``."""
    found: dict[Cell, Cell] = {}
    for name, i, j in cells:
        match graph.nodes[name].formula:
            case Apply("part", lines, (Ref(of),)):
                first = lines.start - 1
                found[name, i, j] = (of, i, j + first) if lines.axis == "columns" else (of, i + first, j)
    return found


def with_scaled(cells: Iterable[Cell], graph: Graph) -> dict[Cell, Cell]:
    """Return the entry of the scores for each entry of the scaled scores: giving one answers for the other."""
    found: dict[Cell, Cell] = {}
    for cell in cells:
        match scaled(graph.nodes[cell[0]].formula):
            case _, Ref(of) if base_of(of) == "S":
                found[cell] = (of, cell[1], cell[2])
    return found


def by_hand(part: Part) -> tuple[str, ...]:
    """Return the requests of a part that only a person can judge."""
    return tuple(word for word in part.asks if word not in _JUDGED and not word.startswith(GRADIENT_OF))


def cells_asked(name: str, part: Part, problem: Problem, values: Valuation) -> list[Cell]:
    """Return the entries of a quantity that a part is about, without those that a norm leaves without a value."""
    cells = list(values.graph.cells(name))
    if problem.block is not None:
        cells = [cell for cell in cells if values.get(*cell) is not None]
    if base_of(name) not in _BY_QUERY and not is_of_block(name):
        return cells
    turned = problem.softmax if base_of(name) in {"S", "A"} else problem.tokens
    return [(name, i, j) for _, i, j in cells if part.covers((j if turned == "columns" else i) + 1)]


def missing_names(found: set[Cell], problem: Problem, values: Valuation) -> tuple[str, ...]:
    """Return quantities, or single entries of them, that were asked for and not found."""
    graph = values.graph
    missing: dict[str, None] = {}
    found = {*found, *with_joint(found, graph).values()}
    found |= {*with_scaled(found, graph).values()}
    for part in problem.parts:
        for name in asked_of(part, graph):
            cells = cells_asked(name, part, problem, values)
            absent = [cell for cell in cells if cell not in found]
            if len(absent) == len(cells) == len(list(graph.cells(name))):
                missing[name] = None
            else:
                missing.update((f"{name}[{i + 1},{j + 1}]", None) for _, i, j in absent)
    return tuple(missing)
