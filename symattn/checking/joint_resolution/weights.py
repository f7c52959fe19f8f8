"""Weights of evidence, read from `weights.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from symattn.data_files import read_table
from symattn.records import dataclass

Table = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights by group and name.

    Attributes:
        table: the groups of `weights.toml`.
        without: kinds of evidence that count nothing, to see what rests on them.
    """

    table: Table
    without: frozenset[str] = frozenset()

    def of(self, group: str, name: str) -> float:
        """Return a weight, 0 for evidence that is left out.

        >>> weights().of("margin", "blame"), Weights(weights().table, frozenset({"fit"})).of("item", "fit")
        (1.5, 0.0)
        """
        return 0.0 if name in self.without else self.table[group][name]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """Return the weights of the package."""
    return Weights(read_table("symattn.checking.joint_resolution", "weights.toml"))
