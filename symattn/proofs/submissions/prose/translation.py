"""Sentences in other languages put into English, word by word, where every word is known.

What an unknown word does to a hypothesis beside it cannot be told, so such a sentence states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from symattn.data_files import read_table
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_TABLES = read_table(__package__, "languages.toml")
_ENGLISH, _SHARED = (frozenset(_TABLES["english"][name].split()) for name in ("words", "shared"))
_SOLID = frozenset({"zh"})
"""Languages without blanks between their words."""
_TOKEN = re.compile(r"⟦[^⟧]*⟧")
_WORD = re.compile(r"⟦[^⟧]*⟧|[^\W\d_]{1,60}")
_OTHER_SCRIPT = re.compile(r"[\u0400-\u1dff\u2e80-\ud7ff]")
_FEW = 2
"""Words in no language that is known here, from which on a sentence is in another one."""
_ADJECTIVES_BEHIND = re.compile(
    r"\b(components|random vectors|vectors|random variables) ((?:mutually |and |identically |distributed )*)"
    r"(independent|centered|normal|standard normal)\b"
)


@dataclass(frozen=True, slots=True)
class Translation:
    """A sentence in English.

    Attributes:
        text: its words, as far as they are known.
        places: the spans of its formulas.
        is_known: whether every word is known.
        is_denying: whether a word of another language denies something in it.
    """

    text: str
    places: tuple[t.Span, ...]
    is_known: bool = True
    is_denying: bool = False


class _Language:
    """Dictionary of one language."""

    def __init__(self, name: str) -> None:
        table = dict(_TABLES[name])
        end = "" if name in _SOLID else r"(?![^\W\d_])"
        self.is_solid = name in _SOLID
        self.denials = re.compile(rf"(?:{'|'.join(table.pop('no'))}){end}", re.IGNORECASE)
        self.words = [(re.compile(f"(?:{key}){end}", re.IGNORECASE), value) for key, value in table.items()]

    def knows(self, word: str) -> bool:
        """Return whether a word is of this language."""
        return any(pattern.match(word) for pattern in (self.denials, *(pattern for pattern, _ in self.words)))

    def longest(self, text: str, start: int) -> tuple[int, str | None]:
        """Return the end of the longest known words from a place on, and their English; None for a denial."""
        found: list[tuple[int, str | None]] = [
            (match.end(), value) for pattern, value in self.words if (match := pattern.match(text, start))
        ]
        denial = self.denials.match(text, start)
        if denial is not None:
            found.append((denial.end(), None))
        return max(found, key=lambda one: (one[0], one[1] is None), default=(start, ""))


_LANGUAGES = tuple(_Language(name) for name in _TABLES if name != "english")


def translate(text: str, places: Sequence[t.Span]) -> Translation:
    """Return a sentence in English, with the places of its formulas.

    >>> translate("Seien ⟦g0⟧ und ⟦g1⟧ unabhängig.", ()).text
    'let ⟦g0⟧ and ⟦g1⟧ independent.'
    >>> translate("Vielleicht sind ⟦g0⟧ und ⟦g1⟧ unabhängig.", ()).is_known
    False
    """
    gaps = list(_gaps(text, places))
    words = [word.lower() for start, end in gaps for word in _WORD.findall(_TOKEN.sub(" ", text[start:end]))]
    words = [word for word in words if len(word) > 1]
    language = _language(words, text)
    if language is None:
        known = {word for word in words if word in _ENGLISH}
        is_other = (len(words) >= _FEW and not known) or _OTHER_SCRIPT.search(text) is not None
        return Translation(text, tuple(places), is_known=not is_other)
    found, moved, is_known, is_denying = "", [], True, False
    for number, (start, end) in enumerate(gaps):
        part, knows, denies = _in_english(text[start:end], language)
        found += part
        is_known, is_denying = is_known and knows, is_denying or denies
        if number < len(places):
            first, last = places[number]
            moved.append((len(found), len(found) + last - first))
            found += text[first:last]
    return Translation(found, tuple(moved), is_known and not is_denying, is_denying)


def _gaps(text: str, places: Sequence[t.Span]) -> Iterator[t.Span]:
    """Yield the spans before, between and behind the formulas."""
    start = 0
    for first, last in places:
        yield start, first
        start = last
    yield start, len(text)


def _language(words: Sequence[str], text: str) -> _Language | None:
    """Return the language of some words; None for English, and for one that is not known here."""
    solid = next(language for language in _LANGUAGES if language.is_solid)
    if re.search(r"[\u4e00-\u9fff]", text):
        return solid
    counts = {
        language: sum(1 for word in words if word not in _ENGLISH and language.knows(word))
        for language in _LANGUAGES
        if not language.is_solid
    }
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > sum(1 for word in words if word in _ENGLISH) else None


def _in_english(text: str, language: _Language) -> tuple[str, bool, bool]:
    """Return some words in English, whether all are known, and whether one denies."""
    found, place, is_known, is_denying = "", 0, True, False
    while match := _WORD.search(text, place):
        found += text[place : match.start()]
        place, word = match.start(), match[0]
        end, english = language.longest(text, place)
        if word.startswith("⟦") or (end == place and (len(word) == 1 or word.lower() in _SHARED) and word.isascii()):
            end, english = match.end(), word
        elif end == place:
            end, english, is_known = (place + 1 if language.is_solid else match.end()), text[place : place + 1], False
        if english is None:
            english, is_denying = "not", True
        found += f" {english} " if language.is_solid else english
        place = end
    found += text[place:]
    return _ADJECTIVES_BEHIND.sub(r"\2\3 \1", found), is_known, is_denying
