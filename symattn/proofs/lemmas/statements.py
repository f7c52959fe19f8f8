"""The lemmas in words, with the sources where they are proved, as `lemmas.toml` says them."""

from __future__ import annotations

from symattn.data_files import read_table
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class LemmaStatement:
    """A classical fact.

    Attributes:
        statement: the fact in words.
        source: where it is proved.
    """

    statement: str
    source: str


STATEMENTS = {name: LemmaStatement(**entry) for name, entry in read_table(__package__, "lemmas.toml").items()}
"""The lemmas by name."""
