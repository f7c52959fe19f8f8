"""Words by which proofs state, deny and condition: the patterns of `phrases.toml`."""

from __future__ import annotations

import re
from functools import cache
from typing import TypeAlias

from symattn.data_files import read_table

Patterns: TypeAlias = dict[str, re.Pattern[str]]

TABLES = read_table(__package__, "phrases.toml")
_NAME = re.compile(r"(?<!\?P)<(\w+)>")
_LINE_BREAK = re.compile(r"(?:^|\n) +")


@cache
def read_phrases(section: str, flags: re.RegexFlag = re.IGNORECASE, **parts: str) -> Patterns:
    """Return the patterns of a section by their names.

    Args:
        section: of the file.
        flags: of the patterns.
        parts: what names between angle brackets stand for besides the entries of ``[parts]``.

    >>> bool(read_phrases("cues")["negations"].search("They need not be normal."))
    True
    """
    known = {**TABLES["parts"], **parts}

    def filled(text: str) -> str:
        return _NAME.sub(lambda name: filled(_one_line(known[name[1]])), text)

    return {name: re.compile(filled(_source(entry)), flags) for name, entry in TABLES[section].items()}


def respell(text: str, table: str) -> str:
    """Return a text with the signs of a table of ``[respellings]`` put in, one after the other."""
    for pattern, sign in _respellings(table):
        text = pattern.sub(sign, text)
    return text


@cache
def _respellings(table: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(_one_line(pattern)), sign) for pattern, sign in TABLES["respellings"][table])


_FORMS = {"words": r"\b(?:{})\b", "opening": r"^\W*(?:{})\b", "signs": "{}"}


def _source(entry: str | list[str] | dict[str, list[str]]) -> str:
    if isinstance(entry, str):
        return _one_line(entry)
    kinds = entry if isinstance(entry, dict) else {"words": entry}
    return "|".join(_FORMS[kind].format("|".join(map(_one_line, found))) for kind, found in kinds.items())


def _one_line(text: str) -> str:
    return _LINE_BREAK.sub("", text)


LAYOUT = read_phrases("layout", re.NOFLAG)
"""How works are set: formulas, comments, environments, the ends of sentences."""

CUES = read_phrases("cues")
"""The words that deny, condition or only mention a hypothesis, and those of its objects."""

TOPICS = read_phrases("topics")
"""The words that name a hypothesis, in the order in which overlapping matches count."""

OPPOSITES: dict[str, list[str]] = TABLES["opposites"]
"""Topics whose assertion denies others."""

IMPLIED: dict[str, list[str]] = TABLES["implied"]
"""Topics that another one states as well."""
