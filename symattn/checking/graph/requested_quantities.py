"""Requested quantities of a sheet, quantity by quantity and entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate

from symattn.checking.graph.formulas import Cell, scaled
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.exact.field.quotient import Quotient
from symattn.graph.builders.layer import base_of, is_of_block, is_of_gradients
from symattn.operations.formulas.formula import Apply, Ref
from symattn.operations.operation import Along
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

_FEW = 400
"""Weights of one quantity of which those of single keys are looked for."""

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
    """Return the entry of the whole for each entry of a part of a quantity.

    ``Q^2[1,1]`` is ``Q[1,3]``, and ``H^2[1,1]`` is ``O[1,3]`` where the outputs of heads are put side by side.
    """
    found: dict[Cell, Cell] = {}
    joined = dict(_joined(graph))
    for name, i, j in cells:
        whole, first = joined.get(name, ("", 0))
        if whole:
            found[name, i, j] = (whole, i, j + first)
        match graph.nodes[name].formula:
            case Apply("part", lines, (Ref(of),)):
                first = lines.start - 1
                found[name, i, j] = (of, i, j + first) if lines.axis == "columns" else (of, i + first, j)
    return found


def _joined(graph: Graph) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield each quantity that is put beside others, with the whole and the number of columns before it."""
    for whole, node in graph.nodes.items():
        match node.formula:
            case Apply("join", Along("columns"), operands):
                names = [operand.name for operand in operands if isinstance(operand, Ref)]
                widths = accumulate((graph.shape(name)[1] for name in names), initial=0)
                yield from ((name, (whole, first)) for name, first in zip(names, widths, strict=False))


def with_scaled(cells: Iterable[Cell], graph: Graph) -> dict[Cell, Cell]:
    """Return the entry of the scores for each entry of the scaled scores: giving one answers for the other."""
    found: dict[Cell, Cell] = {}
    for cell in cells:
        match scaled(graph.nodes[cell[0]].formula):
            case _, Ref(of) if base_of(of) == "S":
                found[cell] = (of, cell[1], cell[2])
    return found


def hidden_beside(cells: Iterable[Cell], problem: Problem, values: Valuation) -> dict[Cell, Cell]:
    """Return the hidden weights in the lines of some weights, each with one of these: nobody has to write zeros."""
    found: dict[Cell, Cell] = {}
    lines: set[tuple[str, int]] = set()
    for name, i, j in cells:
        number = j if problem.softmax == "columns" else i
        if base_of(name) != "A" or name.replace("A", "S_masked", 1) not in values.graph or (name, number) in lines:
            continue
        lines.add((name, number))
        for cell in values.graph.cells(name):
            if cell[2 if problem.softmax == "columns" else 1] == number and values.get(*cell) == Quotient.of(0):
                found[cell] = (name, i, j)
    return found


def of_single_keys(cells: set[Cell], problem: Problem, values: Valuation) -> set[Cell]:
    """Return the weights of rows with a single visible key, and the outputs that are a value which is found.

    Of some weights nobody has to write those of the first row of a causal mask, which are 1 and zeros.
    """
    graph, found = values.graph, set[Cell]()
    for name in {name for name, _, _ in cells if base_of(name) == "A"} if problem.softmax == "rows" else ():
        rows, columns = graph.shape(name)
        if name.replace("A", "S_masked", 1) not in graph or rows * columns > _FEW:
            continue
        for i in range(rows):
            seen = [j for j in range(columns) if values.get(name, i, j) != Quotient.of(0)]
            if len(seen) != 1:
                continue
            found.update((name, i, j) for j in range(columns))
            for node in graph.nodes:
                match graph.nodes[node].formula:
                    case Apply("product", _, (Ref(of), Ref(value))) if of == name:
                        row = [(node, i, j) for j in range(graph.shape(node)[1])]
                        found.update(cell for cell in row if (value, seen[0], cell[2]) in cells)
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


def missing_cells(found: set[Cell], problem: Problem, values: Valuation) -> Iterator[tuple[str, list[Cell]]]:
    """Yield each quantity that was asked for, with its entries that were not found."""
    graph = values.graph
    found = {*found, *with_joint(found, graph).values()}
    found |= {*with_scaled(found, graph).values()}
    found |= hidden_beside(found, problem, values).keys() | of_single_keys(found, problem, values)
    for part in problem.parts:
        for name in asked_of(part, graph):
            yield name, [cell for cell in cells_asked(name, part, problem, values) if cell not in found]


def missing_names(found: set[Cell], problem: Problem, values: Valuation) -> tuple[str, ...]:
    """Return quantities, or single entries of them, that were asked for and not found."""
    missing: dict[str, None] = {}
    for name, absent in missing_cells(found, problem, values):
        if len(absent) == len(list(values.graph.cells(name))):
            missing[name] = None
        else:
            missing.update((f"{name}[{i + 1},{j + 1}]", None) for _, i, j in absent)
    return tuple(missing)
