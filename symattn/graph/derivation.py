"""Derivations: their interface, and that of a solved problem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from symattn.graph.derivation_replay import Replayed, Step, replay

if TYPE_CHECKING:
    from collections.abc import Sequence


class Derivation(ABC):
    """Steps as plain data that can be replayed: those of a solved problem, or of a theorem."""

    @property
    @abstractmethod
    def steps(self) -> Sequence[object]:
        """The steps."""

    @property
    @abstractmethod
    def is_proved(self) -> bool:
        """True if replay recomputes every step."""

    @abstractmethod
    def replay(self) -> object:
        """Return every step recomputed from the record alone."""

    @abstractmethod
    def as_json(self) -> object:
        """Return the record, as JSON holds it; ``symattn replay`` accepts it."""


class Working(Derivation):
    """The steps of a solved problem, and their replay.

    >>> import symattn as sa
    >>> p = sa.Problem.build(Q=[[1]], K=[[2]], V=[[3]], scale="none")
    >>> sa.solve(p).derivation.is_proved
    True
    """

    def __init__(self, steps: tuple[Step, ...]) -> None:
        """Take the recorded steps; `Result.derivation` calls this."""
        self._steps = steps

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as plain data."""
        return self._steps

    @property
    def is_proved(self) -> bool:
        """True if replay recomputes every step."""
        return all(found.proved for found in self.replay())

    def replay(self) -> tuple[Replayed, ...]:
        """Return every step recomputed from the record alone."""
        return replay(self.steps)

    def as_json(self) -> list[dict[str, object]]:
        """Return the record, as JSON holds it."""
        return [step.as_json() for step in self.steps]
