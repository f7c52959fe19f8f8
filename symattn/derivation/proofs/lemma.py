"""TRUSTED. Lemma: a classical fact with its source, and the check that a step is an instance of it."""

from __future__ import annotations

from collections.abc import Callable

from symattn.derivation.proofs.context import Context
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Lemma:
    """A classical fact.

    Attributes:
        name: as it is printed.
        statement: the fact in words.
        source: where it is proved.
        check: whether a step is an instance: why not, or nothing.
    """

    name: str
    statement: str
    source: str
    check: Callable[[Context], str]
