"""Usual mistakes of a design: the graph rewrites of the checker's own catalogue on the way to the answers."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.requested_quantities import asked_of
from symattn.checking.mistakes.alterations import Alterations, AlteredValues
from symattn.checking.mistakes.slips import Slip
from symattn.graph.builders.layer import Layer, base_of
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """A usual mistake, made once and carried through.

    Attributes:
        codes: its codes in the checker's catalogue: one mistake has several names, by the answer that shows it.
        slip: the changed definitions.
        graph: the quantities with the mistake made.
        touched: the quantities whose numbers it may change.
    """

    codes: tuple[str, ...]
    slip: Slip
    graph: Graph
    touched: frozenset[str]

    @property
    def name(self) -> str:
        """The codes and the quantity at whose definition the mistake is made."""
        return f"{' or '.join(self.codes)} at {', '.join(name for name, _ in self.slip.changed)}"


def answers_of(layer: Layer, graph: Graph) -> tuple[str, ...]:
    """Return the quantities that the parts of a problem ask for, or else the weights and what the layer makes."""
    found = dict.fromkeys(name for part in layer.problem.parts for name in asked_of(part, graph) if name in graph)
    if found:
        return tuple(found)
    return (*(name for name in graph.nodes if base_of(name) == "A"), layer.output)


def usual_mistakes(layer: Layer, graph: Graph, answers: Sequence[str]) -> tuple[Mistake, ...]:
    """Return the mistakes of the catalogue on the way to answers; one that has several codes stands there once."""
    alterations = Alterations(graph, layer)
    made = [name for name, node in graph.nodes.items() if node.formula is not None]
    by_change: dict[object, list[Slip]] = {
        slip.changed: [] for name in made if name in answers for slip in alterations.of(name)
    }
    for slip in (slip for name in made for slip in alterations.of(name)):
        if slip.changed in by_change:
            by_change[slip.changed].append(slip)
    found = []
    for same in by_change.values():
        altered = AlteredValues(same[0], alterations.graph)
        codes = tuple(dict.fromkeys(slip.code for slip in same))
        found.append(Mistake(codes, same[0], altered.graph, altered.touched))
    return tuple(found)
