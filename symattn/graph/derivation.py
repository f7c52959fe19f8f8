"""Derivations: their interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
