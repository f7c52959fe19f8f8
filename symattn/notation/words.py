"""Words of submissions for functions and quantities: the tables of ``lexicon/names.toml``."""

from __future__ import annotations

from symattn.notation.lexicon.vocabulary import names

CALLS: frozenset[str] = frozenset(names()["calls"]["words"])
"""Words that call what stands in brackets behind them, beside those of every notation."""


def words_of(table: str) -> dict[str, tuple[str, ...]]:
    """Return a table of names, each with the words that people write for it, the likelier first.

    >>> words_of("quantities")["V"]
    ('V', 'value', 'values')
    """
    return dict(names()[table])
