"""Words of submissions for functions and quantities: the tables of ``words.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.data_files import read_table

_TABLES: Mapping[str, Any] = read_table(__package__, "words.toml")

CALLS: frozenset[str] = frozenset(_TABLES["calls"]["words"])
"""Words that call what stands in brackets behind them, beside those of every notation."""


def words_of(table: str) -> dict[str, tuple[str, ...]]:
    """Return a table of names, each with the words that people write for it, the likelier first.

    >>> words_of("quantities")["V"]
    ('V', 'value', 'values')
    """
    return {name: tuple(words) for name, words in _TABLES[table].items()}


HEADINGS: tuple[tuple[str, str], ...] = tuple(_TABLES["headings"].items())
"""Words of a heading and the quantity that stands below it; the first that occurs decides."""
