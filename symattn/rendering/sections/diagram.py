"""The section of the attention diagram: the picture beside heat maps, and the weights that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import Rounding, decimal, magnitude
from symattn.graph.analysis.pattern import Pattern, Query
from symattn.graph.builders.layer import Layer
from symattn.graph.key_judge.claims import Claim, weights_of
from symattn.graph.quantities.scene import Entry
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Detail, Shown
from symattn.graph.statements.solution import Statements
from symattn.notation.tree import nodes as t
from symattn.rendering.content import Cell, Diagram, Edge, HeatMap, Pictures, Table
from symattn.rendering.latex.widths import shaded_cell
from symattn.rendering.sections.document import Block, Ledger

MAX_TOKENS = 40
_MAX_NUMBERS, _WIDEST_MAP = 8, 400.0
"""Rows and columns, and the width in points, up to which the cells of a heat map hold their numbers."""

_SEEN = 40
"""How dark the cell of a key is that a query sees, in a heat map of a mask."""

_PERCENT = Rounding(places=2)
_LEAST_PLACES = 4
_MOST_PLACES = 16
_LEAST_MAGNITUDE = -1000


def blocks(views: Sequence[tuple[Layer, Pattern]], ledger: Ledger, detail: Detail = "full") -> list[Block]:
    """Return the diagram of each head beside heat maps of weights and masks, and the weights that it shows.

    Args:
        views: the layer with the pattern of its weights, or each head as a layer of its own.
        ledger: takes up what the pictures and the table say.
        detail: in brief, the diagrams stand alone; in full, the heat maps of several heads show all their weights.
    """
    problem = views[0][0].problem
    if max(problem.n_k, problem.n_q) > MAX_TOKENS:
        return [Block("note", (problem.words.say("diagram.too_large", most=MAX_TOKENS),))]
    if not any(query.largest for _, pattern in views for query in pattern.queries):
        scores = weights_of(views[0][0].scene, views[0][0].logits)
        why = "blind" if len(scores.blind) == len(scores.lines) else "undefined"
        return [Block("note", (problem.words.say(f"diagram.none.{why}"),))]
    if detail == "brief":
        return [Block("lines", (pictures(views, ledger, "diagram"),))]
    if detail == "full" and len(views) > 1 and max(problem.n_k, problem.n_q) <= _MAX_NUMBERS:
        return [Block("lines", (pictures(views, ledger),))]
    return [Block("lines", (pictures(views, ledger),)), Block("table", table=_weights(views, ledger))]


def pictures(views: Sequence[tuple[Layer, Pattern]], ledger: Ledger, only: str = "") -> Pictures:
    """Return the diagrams of heads and the heat maps of their weights and masks, or those of one kind alone.

    Args:
        views: the layer with the pattern of its weights, or each head as a layer of its own.
        ledger: takes up the claims and the numbers of the pictures.
        only: ``"diagram"``, ``"heatmap"`` or ``"mask"``; nothing for all.
    """
    diagrams = [_diagram_of(layer, pattern, ledger) for layer, pattern in views] if only in {"", "diagram"} else []
    maps = [_weights_map(layer, ledger) for layer, _ in views] if only in {"", "heatmap"} else []
    masks = tuple(_masks(views, ledger)) if only in {"", "mask"} else ()
    problem = views[0][0].problem
    kind = "diagram.legend_with_mask" if masks else "diagram.legend" if maps else "diagram.legend_of_lines"
    legend = problem.words.say(kind, threshold=problem.diagram_threshold)
    return Pictures(tuple(diagrams), (*maps, *masks), (legend,))


def _diagram_of(layer: Layer, pattern: Pattern, ledger: Ledger) -> Diagram:
    """Return the diagram of a layer or of one head, and record the claims that its lines make."""
    problem = layer.problem
    edges: list[Edge] = []
    for query in pattern.queries:
        chosen = [("largest", query.largest), ("second", query.second if query.second_drawn else ())]
        for kind, keys in chosen:
            if keys:
                claim = ledger.claim(Claim(kind, (query.number, *keys), layer.head))
                row, column = (query.number, keys[0]) if layer.axis == "rows" else (keys[0], query.number)
                percent = _percent(layer.exact("A")[row - 1, column - 1])
                edges.append(Edge(query.number, keys, kind == "second", claim, percent))
    by_weight = problem.diagram_widths == "weight"
    return Diagram(problem.n_k, problem.n_q, tuple(edges), by_weight, layer.head, problem.words)


def _weights_map(layer: Layer, ledger: Ledger) -> HeatMap:
    """Return the heat map of the weights of a layer or of one head, and record its numbers."""
    rows = layer.exact("A").rows
    return _map(layer, "A", [[_percent(value) if value.is_finite else None for value in row] for row in rows], ledger)


def _mask_map(layer: Layer, ledger: Ledger) -> HeatMap | None:
    """Return the heat map of a mask that hides keys and adds nothing else; None where there is none."""
    if "S_masked" not in layer.chain:
        return None
    name = layer.scene.quantities["S_masked"].definition.premises[1]
    rows = layer.exact(name).rows
    if not all(value is MINUS_INFINITY or value.is_zero for row in rows for value in row):
        return None
    return _map(layer, name, [[0 if value is MINUS_INFINITY else _SEEN for value in row] for row in rows], ledger)


def _map(layer: Layer, name: str, shades: Sequence[Sequence[int | None]], ledger: Ledger) -> HeatMap:
    head = layer.scene.quantities[name].head
    write = Statements(layer)
    has_numbers = max(len(shades), len(shades[0])) <= _MAX_NUMBERS and write.is_defined(name)
    shown = write.values(name, Shown(_MAX_NUMBERS)) if has_numbers else None
    stated = ledger.state(shown) if shown is not None and _fits(shown) else None
    return HeatMap(layer.scene.quantities[name].symbol, shades, stated, name != "A", head, layer.problem.words)


def _fits(shown: Statement) -> bool:
    """Return whether the cells of a heat map are wide enough for its numbers."""
    matrix = shown.sides[-1]
    return isinstance(matrix, t.Matrix) and shaded_cell(matrix) * len(matrix.rows[0]) <= _WIDEST_MAP


def _percent(value: Quotient) -> int:
    """Return a weight in hundredths, correctly rounded.

    >>> _percent(Quotient.of("2/3"))
    67
    """
    return int(decimal(value, _PERCENT).replace(".", ""))


def _masks(views: Sequence[tuple[Layer, Pattern]], ledger: Ledger) -> Iterator[HeatMap]:
    """Yield the heat map of each mask once; heads often share one."""
    drawn: set[t.Node] = set()
    for layer, _ in views:
        found = _mask_map(layer, ledger)
        if found is not None and found.symbol not in drawn:
            drawn.add(found.symbol)
            yield found


def _weights(views: Sequence[tuple[Layer, Pattern]], ledger: Ledger) -> Table:
    """Return the exact weights behind the lines of the pictures."""
    rows = [_row(layer, query, ledger) for layer, pattern in views for query in pattern.queries if query.largest]
    words = views[0][0].problem.words
    first, second, share = (words.say(f"diagram.columns.{name}") for name in ("first", "second", "weight"))
    return Table(("", first, share, second, share), tuple(rows), "lllll")


def _row(layer: Layer, query: Query, ledger: Ledger) -> tuple[Cell, ...]:
    write, head, words = Statements(layer), layer.head, layer.problem.words
    is_tie = len(query.largest) > 1
    told, claim = _told("tie" if is_tie else "largest", layer, query, query.largest, ledger)
    first = weight(layer, write, query.number, query.largest[0])
    row: list[Cell] = [words.say("diagram.row_of_head" if head else "diagram.row", head=head, number=query.number)]
    row.extend([(words.say("diagram.tied", inputs=told) if is_tie else told, claim), _stated(first, ledger)])
    if not query.second:
        return (*row, "--", "")
    told, claim = _told("second", layer, query, query.second, ledger)
    second = weight(layer, write, query.number, query.second[0])
    told = told if query.second_drawn else words.say("diagram.not_drawn", inputs=told)
    return (*row, (told, claim), _stated(second, ledger))


def _stated(statement: Statement | None, ledger: Ledger) -> Statement | str:
    return "--" if statement is None else ledger.state(statement)


def _told(kind: str, layer: Layer, query: Query, keys: tuple[int, ...], ledger: Ledger) -> tuple[str, Claim]:
    """Return ``inputs 1, 2`` and the claim that it makes of the line of an output."""
    text = layer.problem.words.say("diagram.inputs", count=len(keys), inputs=", ".join(map(str, keys)))
    return text, ledger.claim(Claim(kind, (query.number, *keys), layer.head))


def weight(layer: Layer, write: Statements, line: int, key: int) -> Statement | None:
    """Return ``A_{13} ≈ 0.9985``, with enough digits to differ from 0 and 1; None below 10^-1000."""
    row, column = (line, key) if layer.axis == "rows" else (key, line)
    value = layer.exact("A")[row - 1, column - 1]
    if magnitude(value) < _LEAST_MAGNITUDE:
        return None
    shown = layer.scene.quantities["A"].display
    # Beside weights rounded at the steps, those of exact scores have digits that tell them from these.
    places = shown.places if shown.places is not None and not layer.problem.policy.steps else _LEAST_PLACES
    rounding = telling(value, shown, places)
    return write.rounded_once(Entry("A", row, column), rounding)


def telling(value: Quotient, shown: Rounding, least: int = _LEAST_PLACES) -> Rounding:
    """Return a rounding to so many places at least in which a weight strictly between 0 and 1 looks like that.

    >>> telling(Quotient.of("0.99985"), Rounding(places=2))
    Rounding(places=4, figures=None, ties='half-up')
    """
    places = max(least, shown.places or 0)
    ties = shown.ties
    while places < _MOST_PLACES:
        digits = decimal(value, Rounding(places=places, ties=ties)).strip("0.")
        if digits not in {"", "1"} or value.rational() is not None:
            return Rounding(places=places, ties=ties)
        if digits == "":
            return Rounding(figures=3, ties=ties)
        places += 2
    return Rounding(places=_LEAST_PLACES, ties=ties)
