"""Catalogues of fixed texts: whole sentences by key, with named placeholders and marked spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias

from symattn.data_files import read_table

LANGUAGES = ("en", "de", "fr", "es", "zh")
"""The languages, by the names of their files; the first is the default."""

WEB_ONLY = frozenset({"zh"})
"""Languages whose letters the fonts of LaTeX documents lack: keys and sheets in them are web pages."""

PLURAL = frozenset({"one", "other"})
"""The forms of a text that depends on the number ``count``."""

_MARKUP = r"(?<![A-Za-z}^_])\{([a-z_]+)\}|<([a-z_]+)>(.*?)</\2>"
"""A placeholder, or a span; braces behind a letter, an index or another brace are arguments of LaTeX."""


class Span(NamedTuple):
    """Part of a sentence between the tags of a name, with the value of that name; mere text where that is None."""

    text: str
    value: object


Piece: TypeAlias = object
"""Text, a span, or the value of a placeholder that is neither text nor a number nor a list of these."""


class Words:
    """Fixed texts of one language.

    >>> english = words_of("en")
    >>> english.say("decimals", count=2), english.say("decimals", count=1)
    ('2 decimals', '1 decimal')
    >>> english.listed(["a", "b", "c"])
    'a, b and c'
    """

    def __init__(self, language: str) -> None:
        self.language = language

    @cached_property
    def texts(self) -> Mapping[str, Any]:
        """Texts, and tables of plural forms, by dotted keys; read when first needed."""
        return dict(_flat(read_table(__package__, f"{self.language}.toml"), ""))

    def say(self, key: str, /, **values: object) -> str:
        """Return a text, its placeholders replaced by values: texts, numbers, or lists of texts.

        Raises:
            KeyError: an unknown key, or a placeholder without a value.
        """
        return "".join(str(piece) for piece in self.pieces(key, values))

    def has(self, key: str) -> bool:
        """Return whether there is a text of this key."""
        return key in self.texts

    def pieces(self, key: str, values: Mapping[str, object]) -> Iterator[Piece]:
        """Yield the pieces of a text in order."""
        text = self.texts[key]
        yield from self._filled(text if isinstance(text, str) else text[_form(values["count"])], values)

    def _filled(self, text: str, values: Mapping[str, object]) -> Iterator[Piece]:
        position = 0
        for found in re.finditer(_MARKUP, text):
            yield text[position : found.start()]
            position = found.end()
            if found[2]:
                inner, value = "".join(map(str, self._filled(found[3], values))), values[found[2]]
                yield inner if value is None else Span(inner, value)
            else:
                yield self._value(values[found[1]])
        yield text[position:]

    def _value(self, value: object) -> Piece:
        if isinstance(value, str) or not isinstance(value, Sequence):
            return value
        return self.listed(value) if all(isinstance(item, str | int) for item in value) else value

    def listed(self, items: Sequence[str | int]) -> str:
        """Return items in one enumeration, as ``a, b and c``."""
        *others, last = map(str, items)
        before = self.say("list.separator").join(others)
        return self.say("list.last", before=before, last=last) if others else last

    def in_one(self, titles: Sequence[str]) -> list[str]:
        """Return titles for one line: those after the first begin with a small letter where the language wants it.

        >>> words_of("en").in_one(["Queries", "Keys"])
        ['Queries', 'keys']
        """
        if self.say("list.later_titles") != "lower case":
            return [*titles]
        return [*titles[:1], *(title[:1].lower() + title[1:] for title in titles[1:])]


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield texts by dotted keys; a table of plural forms is one text."""
    for name, value in table.items():
        if isinstance(value, str) or value.keys() <= PLURAL:
            yield f"{prefix}{name}", value
        else:
            yield from _flat(value, f"{prefix}{name}.")


def _form(count: object) -> str:
    return "one" if count == 1 else "other"


@cache
def words_of(language: str) -> Words:
    """Return the fixed texts of a language, the same each time."""
    return Words(language)


ENGLISH = words_of("en")
