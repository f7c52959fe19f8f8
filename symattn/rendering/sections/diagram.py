"""The attention diagram: tokens as dots on two vertical lines, each output joined to its most influential inputs."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding, decimal, magnitude
from symattn.graph.analysis.pattern import Pattern, Query
from symattn.graph.builders.layer import Layer
from symattn.graph.key_judge.claims import Claim, weights_of
from symattn.graph.quantities.scene import Entry
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.solution import Statements
from symattn.rendering.content import Cell, Claimed, Diagram, Edge, Line, Table
from symattn.rendering.latex.typesetting import listed
from symattn.rendering.sections.document import Block, Ledger

MAX_TOKENS = 40
_LEAST_PLACES = 4
_MOST_PLACES = 16
_LEAST_MAGNITUDE = -1000


def blocks(layer: Layer, pattern: Pattern, ledger: Ledger) -> list[Block]:
    """Return the picture, its legend, and a table of the exact weights that it shows."""
    inputs, outputs = layer.problem.n_k, layer.problem.n_q
    if max(inputs, outputs) > MAX_TOKENS:
        return [Block("note", (f"The diagram is left out: it has more than {MAX_TOKENS} tokens on a side.",))]
    if not any(query.largest for query in pattern.queries):
        scores = weights_of(layer.scene, layer.logits)
        why = "no query sees a key" if len(scores.blind) == len(scores.lines) else "no query has weights"
        return [Block("note", (f"There is no diagram: {why}, so no output has an influential input.",))]
    legend = (
        "solid: the most influential input; dashed: the second,",
        f"where its weight as shown is above {pattern.threshold}",
    )
    picture = Diagram(inputs, outputs, tuple(_edges(layer.head, pattern, ledger)), legend)
    ties = [_tie_line(layer.head, query, ledger) for query in pattern.queries if len(query.largest) > 1]
    return [
        Block("lines", (picture,)),
        *(Block("prose", tuple(lines)) for lines in ties),
        Block("table", table=_weights(layer, pattern, ledger)),
    ]


def _edges(head: int, pattern: Pattern, ledger: Ledger) -> Iterator[Edge]:
    for query in pattern.queries:
        if not query.largest:
            continue
        solid = ledger.claim(Claim("largest", (query.number, *query.largest), head))
        yield Edge(query.number, query.largest, solid)
        if query.second_drawn:
            dashed = ledger.claim(Claim("second", (query.number, *query.second), head))
            yield Edge(query.number, query.second, dashed, is_dashed=True)


def _tie_line(head: int, query: Query, ledger: Ledger) -> list[Line]:
    keys = listed([str(key) for key in query.largest])
    text = (
        f"Output {query.number} has an exact tie for the most influential input: inputs {keys} have the same weight, "
        "and all are drawn solid."
    )
    return [Claimed(text, ledger.claim(Claim("tie", (query.number, *query.largest), head)))]


def _weights(layer: Layer, pattern: Pattern, ledger: Ledger) -> Table:
    """Return the exact weights behind the lines of the picture."""
    write = Statements(layer)
    rows: list[tuple[Cell, ...]] = []
    for query in pattern.queries:
        if not query.largest:
            continue
        row: list[Cell] = [f"output {query.number}", _told("largest", layer.head, query, query.largest, ledger)]
        row.append(_stated(weight(layer, write, query.number, query.largest[0]), ledger))
        if query.second:
            told, claim = _told("second", layer.head, query, query.second, ledger)
            row.append((told if query.second_drawn else f"{told} (not drawn)", claim))
            row.append(_stated(weight(layer, write, query.number, query.second[0]), ledger))
        else:
            row.extend(["--", ""])
        rows.append(tuple(row))
    return Table(("", "most influential", "exact weight", "second", "exact weight"), tuple(rows), "lllll")


def _stated(statement: Statement | None, ledger: Ledger) -> Statement | str:
    return "--" if statement is None else ledger.state(statement)


def _told(kind: str, head: int, query: Query, keys: tuple[int, ...], ledger: Ledger) -> tuple[str, Claim]:
    """Return ``inputs 1, 2`` and the claim that it makes of the line of an output."""
    word = "input" if len(keys) == 1 else "inputs"
    return f"{word} {', '.join(map(str, keys))}", ledger.claim(Claim(kind, (query.number, *keys), head))


def weight(layer: Layer, write: Statements, line: int, key: int) -> Statement | None:
    """Return ``A_{13} ≈ 0.9985``, with enough digits to differ from 0 and 1; None below 10^-1000."""
    row, column = (line, key) if layer.axis == "rows" else (key, line)
    value = layer.exact("A")[row - 1, column - 1]
    if magnitude(value) < _LEAST_MAGNITUDE:
        return None
    rounding = telling(value, layer.scene.quantities["A"].display)
    return write.rounded_once(Entry("A", row, column), rounding)


def telling(value: Quotient, shown: Rounding) -> Rounding:
    """Return a rounding in which a weight strictly between 0 and 1 looks like that.

    >>> telling(Quotient.of("0.99985"), Rounding(places=2))
    Rounding(places=4, figures=None, ties='half-up')
    """
    places = max(_LEAST_PLACES, shown.places or 0)
    ties = shown.ties
    while places < _MOST_PLACES:
        digits = decimal(value, Rounding(places=places, ties=ties)).strip("0.")
        if digits not in {"", "1"} or value.rational() is not None:
            return Rounding(places=places, ties=ties)
        if digits == "":
            return Rounding(figures=3, ties=ties)
        places += 2
    return Rounding(places=_LEAST_PLACES, ties=ties)
