"""Vocabulary of the lexicon: one TOML table per language, compiled into a tree of tokens.

A table is a role, a key of it a meaning, and its words are listed, the likeliest first. In a word

- ``[attention] score`` has an optional part, ``(raw|unscaled) scores`` has alternatives;
- ``score~`` stands for its stem and one of the ``endings`` of the language, or none;
- ``|值|`` stands between other signs than letters, which matters where words are written without blanks;
- ``scores #1`` has rank 1: it means something else first;
- ``alpha @online`` has this meaning on such sheets alone.

Case, underscores, hyphens and blanks make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache, partial
from typing import Any, TypeAlias

from symattn import late
from symattn.data_files import read_cached, read_table, read_text
from symattn.records import dataclass

SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "english": ("en.toml", "frameworks.toml"),
    "latin": ("de.toml", "fr.toml", "es.toml", "it.toml", "pt.toml", "tr.toml", "nl.toml"),
    "east": ("zh.toml", "ja.toml", "ko.toml"),
    "cyrillic": ("ru.toml",),
}
"""Tables by script, in the order in which they explain a word; those without a word in a text are not read for it."""

ROLES = frozenset({
    "quantity", "operation", "state", "line", "part", "ordinal", "cardinal", "relation", "outside", "remark",
})  # fmt: skip
"""Tables of a language."""

_SIGNS = r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]"
_EAST = late.pattern(_SIGNS)
_CYRILLIC = late.pattern(r"[\u0400-\u04ff]")
_TOKEN = late.pattern(
    rf"(?P<number>\d+(?:[.,]\d+)*)|(?P<east>{_SIGNS})|(?P<word>(?:(?!{_SIGNS})[^\W\d_][\u0300-\u036f]*)+)"
)
_ASCII_TOKEN = late.pattern(r"(?P<number>\d+(?:[.,]\d+)*)|(?P<word>[A-Za-z]+)")
_WORD = late.pattern(r"(?<!(?<!\\)\\)(?<![^\W\d_])[^\W\d_]{3,}")
"""A word, but no command of TeX: \\right is no Italian."""
_ELIDED = late.pattern(r"(?<![^\W_])[dlDL]['’][^\W\d_]")
_ENDINGS = late.pattern(r"^endings = \[([^\]]*)", re.MULTILINE)
_WRITTEN = late.pattern(r"([^\W\d_]+)([~()\[|]?)")

_ALTERNATIVES = late.pattern(r"\[(?P<optional>[^\[\]()]*)\]|\((?P<one>[^\[\]()]*)\)")
_MARKS = late.pattern(r"\s+(?:#(?P<rank>[0-9])|@(?P<when>[a-z]+))")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign of an Eastern script in a text.

    Attributes:
        text: in small letters.
        start: where it begins.
        end: where it ends.
        kind: ``word``, ``number`` or ``east``.
    """

    text: str
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """A meaning of a word.

    Attributes:
        role: the table that the word stands in.
        name: the quantity, operation, state, noun or number.
        rank: 0 for the first meaning of a word.
        when: the sheets on which alone it has this meaning.
        language: its table.
    """

    role: str
    name: str
    rank: int
    when: str
    language: str


Fields: TypeAlias = tuple[str, str, int, str, str]
"""The attributes of a meaning, in their order."""


class Branch:
    """Continuations of a phrase: by the next token, by the stem of the next token, and the meanings that end here."""

    __slots__ = ("meanings", "stems", "words")

    def __init__(self) -> None:
        self.words: dict[str, Branch] = {}
        self.stems: dict[str, dict[str, Branch]] = {}
        self.meanings: dict[tuple[bool, bool], list[Meaning]] = {}


class Vocabulary:
    """Words of the languages of one script: a tree of phrases that grows as texts have their first words.

    Args:
        script: its name.

    Attributes:
        endings: the endings of stems, by language.
    """

    def __init__(self, script: str) -> None:
        self.endings: dict[str, frozenset[str]]
        self._closed: dict[str, list[tuple[Fields, tuple[str, ...]]]]
        self.endings, self._closed = _cached(script, "words", _words)
        self._root = Branch()
        self._met = set[str]()

    def opened(self, token: str) -> Branch:
        """Return the root of the tree, which has all phrases that begin with a token, or a stem of it."""
        openings = () if token in self._met else (token, *(f"{token[:cut]}~" for cut in range(1, len(token) + 1)))
        self._met.add(token)
        for opening in openings:
            for fields, words in self._closed.pop(opening, ()):
                meaning = Meaning(*fields)
                for word in words:
                    _add(self._root, word, meaning)
        return self._root


def _words(script: str) -> tuple[dict[str, frozenset[str]], dict[str, list[tuple[Fields, tuple[str, ...]]]]]:
    """Return the endings of each language of a script, and its words with their meanings by their first tokens."""
    endings: dict[str, frozenset[str]] = {}
    closed: dict[str, list[tuple[Fields, tuple[str, ...]]]] = {}
    for file in SCRIPTS[script]:
        table, language = _table(file), file.removesuffix(".toml")
        endings[language] = _endings(table)
        for role, meanings in table.items():
            for name, words in meanings.items() if role in ROLES else ():
                for given in words:
                    pattern, rank, when = unmarked(given)
                    own: dict[str, list[str]] = {}
                    for word in filter(None, alternatives(pattern)):
                        own.setdefault(_opening(word), []).append(word)
                    for opening, opened in own.items():
                        closed.setdefault(opening, []).append(((role, name, rank, when, language), tuple(opened)))
    return endings, closed


def _cached(script: str, name: str, make: Callable[[str], Any]) -> Any:
    """Return what is made of the tables of a script, from bytecode where these and this file are the same."""
    files = (*SCRIPTS[script], _OF_SIGNS, "vocabulary.py")
    return read_cached(__package__, f"{script}-{name}", files, partial(make, script))


_table = cache(partial(read_table, __package__))

_OF_SIGNS = "zh.toml"
"""The table that tells which signs are read as others."""


@cache
def _variants() -> dict[int, int | None]:
    """Return the letters that are read as others: a dotless i as i, traditional signs as simplified ones."""
    signs = _table(_OF_SIGNS)
    return str.maketrans(f"ıё{signs['traditional']}", f"iе{signs['simplified']}", "\u0307")


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return a word in small letters, without what people vary.

    >>> fold("İkinci"), fold("Größe"), fold("Счёт"), fold("權重")
    ('ikinci', 'grösse', 'счет', '权重')
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().translate(_variants())


def tokens(text: str) -> tuple[Token, ...]:
    """Return the words and numbers of a text; of scripts without blanks each sign alone.

    >>> [token.text for token in tokens("第2个 attn_weights, 0.5")]
    ['第', '2', '个', 'attn', 'weights', '0.5']
    """
    return tuple(
        Token(found[0] if found.lastgroup == "number" else fold(found[0]), *found.span(), found.lastgroup or "")
        for found in (_ASCII_TOKEN if text.isascii() else _TOKEN).finditer(text)
    )


@cache
def names() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the tables of symbols and of the names of programs: for each quantity or function its names."""
    table = _table("names.toml")
    return {role: {name: tuple(words) for name, words in own.items()} for role, own in table.items()}


@cache
def vocabulary(script: str = "english") -> Vocabulary:
    """Return the words of the languages of a script, read once: ``english``, ``latin``, ``cyrillic`` or ``east``."""
    return Vocabulary(script)


@cache
def spellings() -> Mapping[tuple[str, str], str]:
    """Return the first English word of each role and meaning.

    >>> spellings()["quantity", "S_scaled"], spellings()["line", "token"]
    ('scaled scores', 'token')
    """
    table = _table("en.toml")
    return {
        (role, name): alternatives(unmarked(words[0])[0])[0]
        for role in ROLES & table.keys()
        for name, words in table[role].items()
    }


def scripts(text: str) -> Iterator[str]:
    """Yield the scripts of the languages in which a text may be written."""
    yield "english"
    if not text.isascii():
        if _EAST.search(text) is not None:
            yield "east"
        if _CYRILLIC.search(text) is not None:
            yield "cyrillic"
    if _ELIDED.search(text) is not None or any(map(_is_western, set(_WORD.findall(text)))):
        yield "latin"


@lru_cache(maxsize=4096)
def _is_western(word: str) -> bool:
    """Return whether a word may be one of a language with Latin letters, and not of English."""
    text, english = fold(word), _written("english")
    if any(one in english[kind] for one in (text, text.rstrip("s")) for kind in ("whole", "open")):
        return False
    latin = _written("latin")
    cuts = [(text[:cut], text[cut:]) for cut in range(3, min(len(text), _LONGEST) + 1)]
    return text in latin["whole"] or any(
        first in latin["open"] or (first in latin["stem"] and last in latin["ending"]) for first, last in cuts
    )


@cache
def _written(script: str) -> Mapping[str, AbstractSet[str]]:
    """Return the words that stand in the files of a script, by what may follow them, without reading the tables."""
    found: Mapping[str, AbstractSet[str]] = _cached(script, "spellings", _spellings_in)
    return found


def _spellings_in(script: str) -> dict[str, set[str]]:
    text = "".join(read_text(__package__, file) for file in SCRIPTS[script])
    kinds: dict[str, set[str]] = {kind: set() for kind in _FOLLOWED.values()}
    for word, sign in set(_WRITTEN.findall(text)):
        kinds[_FOLLOWED[sign]].add(fold(word))
    single = {"", *(fold(word) for listed in _ENDINGS.findall(text) for word, _ in _WRITTEN.findall(listed))}
    return {**kinds, "ending": {first + last for first in single for last in single}}


_LONGEST = 60
"""Letters of a stem at most."""

_FOLLOWED = {"": "whole", "~": "stem", "|": "stem", ")": "stem", "(": "open", "[": "open"}
"""What may follow a word: nothing, an ending, or the rest of a word."""


@cache
def joints(name: str) -> frozenset[str]:
    """Return the words for "and" or "or" of all languages, for words that alone tell no language.

    >>> sorted(joints("or"))[:4]
    ['oder', 'oppure', 'or', 'ou']
    """
    return frozenset(word for script in SCRIPTS for word in _cached(script, "joints", _joints)[name])


def _joints(script: str) -> dict[str, list[str]]:
    tables = [_table(file).get("relation", {}) for file in SCRIPTS[script]]
    return {
        name: [fold(unmarked(word)[0]) for table in tables for word in table.get(name, ())] for name in ("and", "or")
    }


def unmarked(given: str) -> tuple[str, int, str]:
    """Return a pattern without its marks, with its rank and the sheets on which alone it has this meaning.

    >>> unmarked("[raw] scores #1 @online")
    ('[raw] scores', 1, 'online')
    """
    rank, when = 0, ""
    if "#" not in given and "@" not in given:  # most have none
        return given, rank, when
    for mark in _MARKS.finditer(given):
        rank, when = int(mark["rank"] or rank), mark["when"] or when
    return _MARKS.sub("", given) if rank or when else given, rank, when


def alternatives(word: str) -> list[str]:
    """Return the words of a pattern with optional parts and alternatives.

    >>> alternatives("[raw] score(|s)")
    ['score', 'scores', 'raw score', 'raw scores']
    """
    found = _ALTERNATIVES.search(word)
    if found is None:
        return [" ".join(word.split())]
    parts = found["one"].split("|") if found["optional"] is None else ["", *found["optional"].split("|")]
    made = (f"{word[: found.start()]}{part}{word[found.end() :]}" for part in parts)
    return list(dict.fromkeys(word for one in made for word in alternatives(one)))


@lru_cache(maxsize=4096)
def _opening(word: str) -> str:
    first = word.strip("|").partition(" ")[0]
    if first.isascii() and first.removesuffix("~").isalpha():  # most are
        return first.lower()
    token = tokens(first)[0]
    return f"{token.text}~" if first[token.end : token.end + 1] == "~" else token.text


def _endings(table: Mapping[str, Any]) -> frozenset[str]:
    """Return the endings of a language, joined where it chains them."""
    single = [fold(ending) for ending in table.get("endings", [])]
    made = {"", *single}
    for _ in range(1, table.get("chained", 1)):
        made |= {first + last for first in made for last in single}
    return frozenset(made)


def _add(root: Branch, word: str, meaning: Meaning) -> None:
    edges = (word.startswith("|"), word.endswith("|"))
    plain = word.strip("|")
    branch = root
    if plain.isascii() and plain.replace(" ", "").isalpha():  # most are
        for text in plain.lower().split():
            branch = branch.words.get(text) or branch.words.setdefault(text, Branch())
        branch.meanings.setdefault(edges, []).append(meaning)
        return
    for token in tokens(plain):
        if plain[token.end : token.end + 1] == "~":
            branch = branch.stems.setdefault(token.text, {}).setdefault(meaning.language, Branch())
        else:
            branch = branch.words.setdefault(token.text, Branch())
    branch.meanings.setdefault(edges, []).append(meaning)
