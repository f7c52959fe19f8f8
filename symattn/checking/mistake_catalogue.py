"""Catalogue of diagnoses: every code with its meaning, in the order in which causes are preferred."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.data_files import read_table

_TABLES = read_table(__package__, "mistakes.toml")
_SENTENCES: Mapping[str, Mapping[str, str]] = _TABLES.pop("sentences")
_KINDS: Mapping[str, list[str]] = _TABLES.pop("kinds")

GROUPS: Mapping[str, dict[str, str]] = _TABLES
"""The codes of usual mistakes by their subjects, and what each means."""

CODES: dict[str, str] = {code: meaning for group in GROUPS.values() for code, meaning in group.items()}
"""Every code of a diagnosis, and what it means."""

KINDS: Mapping[str, frozenset[str]] = {
    kind: frozenset(code for name in names for code in GROUPS.get(name, (name,))) for kind, names in _KINDS.items()
}
"""The codes of each kind, such as those made in one entry and in no other."""


def sentence(code: str) -> str:
    """Return the meaning of a code as a sentence.

    >>> sentence("truncation")
    'Cut off instead of rounded.'
    """
    return f"{CODES[code][0].upper()}{CODES[code][1:]}."


def explain(code: str, case: str = "own", /, **words: object) -> tuple[str, str]:
    """Return a code, and the sentence about a number that the mistake explains: its meaning where it has no other.

    Args:
        code: of the mistake.
        case: which of its sentences.
        words: what is put into the sentence.

    Raises:
        KeyError: a case or a word that the sentence does not have.

    >>> explain("wrong-axis", axis="rows")
    ('wrong-axis', 'The softmax runs over the rows.')
    """
    sentences = _SENTENCES.get(code, {})
    if case == "own" and case not in sentences:
        return code, sentence(code)
    return code, sentences[case].format(**words)
