"""Concrete cases of the names of a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.concrete.arrays import Number
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.model.probability_spaces import Base, Entry
from symattn.records import dataclass

Place = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """One concrete case of the names of a record.

    Attributes:
        entries: numbers by name and indices; a scalar has none.
        shapes: lengths by name.
        random: random entries by name and indices.
        fixed: values of the fixed indices.
        permutations: images of 1, 2, ... by name.
        functions: concrete functions by name.
    """

    entries: dict[str, dict[Place, Number]] = field(default_factory=dict)
    shapes: dict[str, Place] = field(default_factory=dict)
    random: dict[str, dict[Place, Entry]] = field(default_factory=dict)
    fixed: dict[str, int] = field(default_factory=dict)
    permutations: dict[str, Place] = field(default_factory=dict)
    functions: dict[str, Callable[[Sequence[Number]], Number]] = field(default_factory=dict)

    @property
    def bases(self) -> set[Base]:
        """The base variables of its random entries."""
        return {base for own in self.random.values() for entry in own.values() for _, base, _ in entry.terms}


def names_in(text: str, scope: Scope) -> set[str]:
    """Return all names in a formula, letters of indices included."""
    nodes = list(walk(read_text(text, scope)))
    return {name for node in nodes if isinstance(node, t.Name | t.Subscript) and (name := plain_name(node))}
