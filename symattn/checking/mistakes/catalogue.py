"""Catalogue of diagnoses: every code with its meaning, in the order in which causes are preferred."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.data_files import read_table

GROUPS: Mapping[str, dict[str, str]] = read_table(__package__, "mistakes.toml")
"""The codes of usual mistakes by their subjects, and what each means."""

CODES: dict[str, str] = {code: meaning for group in GROUPS.values() for code, meaning in group.items()}
"""Every code of a diagnosis, and what it means."""


def sentence(code: str) -> str:
    """Return the meaning of a code as a sentence.

    >>> sentence("truncation")
    'Cut off instead of rounded.'
    """
    return f"{CODES[code][0].upper()}{CODES[code][1:]}."
