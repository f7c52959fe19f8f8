"""Other words that people write for keys and values of a problem file, each with the word that is meant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from symattn.data_files import read_table

_SYNONYMS: Mapping[str, Mapping[str, str]] = read_table(__package__, "synonyms.toml")

_NONE: Mapping[str, str] = MappingProxyType({})


def synonyms_at(path: str) -> Mapping[str, str]:
    """Return the synonyms of the keys of a table, or of the values of a key; the top level has the empty path.

    >>> synonyms_at("parts #2.asks")["attention"], dict(synonyms_at("points"))
    ('map', {})
    """
    return _SYNONYMS.get(path.rpartition(".")[2].partition(" #")[0] or "top", _NONE)
