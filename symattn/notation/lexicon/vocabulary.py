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

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import Any

from symattn import late
from symattn.data_files import read_table, read_text
from symattn.errors import InputError
from symattn.records import dataclass

SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "english": ("en.toml", "frameworks.toml"),
    "latin": ("de.toml", "fr.toml", "es.toml", "it.toml", "pt.toml", "tr.toml"),
    "east": ("zh.toml", "ja.toml", "ko.toml"),
    "cyrillic": ("ru.toml",),
}
"""Tables by script, in the order in which they explain a word; those without a word in a text are not read for it."""

ROLES = frozenset({
    "quantity", "operation", "state", "line", "part", "ordinal", "cardinal", "relation", "outside",
})  # fmt: skip
"""Tables of a language."""

_SETTINGS = frozenset({"endings", "chained", "traditional", "simplified"})
"""Keys of a language that are no tables of words."""

SHEETS = frozenset({"", "block", "gradient", "head", "online", "target"})
"""Sheets on which alone a word may have a meaning."""

_SIGNS = r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]"
_EAST = late.pattern(_SIGNS)
_CYRILLIC = late.pattern(r"[\u0400-\u04ff]")
_TOKEN = late.pattern(
    rf"(?P<number>\d+(?:[.,]\d+)*)|(?P<east>{_SIGNS})|(?P<word>(?:(?!{_SIGNS})[^\W\d_][\u0300-\u036f]*)+)"
)
_WORD = late.pattern(r"[^\W\d_]{3,}")
_ELIDED = late.pattern(r"(?<![^\W_])[dlDL]['’][^\W\d_]")
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


class Branch:
    """Continuations of a phrase: by the next token, by the stem of the next token, and the meanings that end here."""

    __slots__ = ("meanings", "stems", "words")

    def __init__(self) -> None:
        self.words: dict[str, Branch] = {}
        self.stems: dict[str, dict[str, Branch]] = {}
        self.meanings: dict[tuple[bool, bool], list[Meaning]] = {}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of the languages of one script.

    Attributes:
        root: the phrases by their first token.
        endings: the endings of stems, by language.
    """

    root: Branch
    endings: Mapping[str, frozenset[str]]


_table = cache(partial(read_table, __package__))


@cache
def _variants() -> dict[int, int | None]:
    """Return the letters that are read as others: a dotless i as i, traditional signs as simplified ones."""
    signs = _table("zh.toml")
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
        for found in _TOKEN.finditer(text)
    )


@cache
def names() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the tables of symbols and of the names of programs: for each quantity or function its names."""
    table = _table("names.toml")
    return {role: {name: tuple(words) for name, words in own.items()} for role, own in table.items()}


@cache
def quantities() -> frozenset[str]:
    """Return the quantities of which the lexicon may speak."""
    tables = (names()[role] for role in ("quantities", "gradients", "heads", "inputs", "online"))
    return frozenset(name for table in tables for name in table)


@cache
def vocabulary(script: str = "english") -> Vocabulary:
    """Return the words of the languages of a script, read once: ``english``, ``latin``, ``cyrillic`` or ``east``.

    Raises:
        InputError: a table cannot be used.
    """
    root, endings = Branch(), dict[str, frozenset[str]]()
    for file in SCRIPTS[script]:
        table, language = _table(file), file.removesuffix(".toml")
        endings[language] = _endings(table)
        for meaning, word in rows(language, table):
            _add(root, word, meaning)
    return Vocabulary(root, endings)


@cache
def spellings() -> Mapping[tuple[str, str], str]:
    """Return the first English word of each role and meaning.

    >>> spellings()["quantity", "S_scaled"], spellings()["line", "token"]
    ('scaled scores', 'token')
    """
    found: dict[tuple[str, str], str] = {}
    for meaning, word in rows("en", _table("en.toml")):
        found.setdefault((meaning.role, meaning.name), word)
    return found


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
    text = fold(word)
    english, (whole, stems) = _written("english")[0], _written("latin")
    if text in english or text.removesuffix("s") in english:
        return False
    return text in whole or any(text[:cut] in stems for cut in range(3, len(text) + 1))


@cache
def _written(script: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that stand in the files of a script, and the stems, without reading their tables."""
    found = _WRITTEN.findall("".join(read_text(__package__, file) for file in SCRIPTS[script]))
    return (
        frozenset(fold(word) for word, sign in found if not sign and len(word) > 2),
        frozenset(fold(word) for word, sign in found if sign and len(word) > 2),
    )


def rows(language: str, table: Mapping[str, Any]) -> Iterator[tuple[Meaning, str]]:
    """Yield each word of a language with its meaning.

    Args:
        language: its name, for messages.
        table: what its file says.

    Raises:
        InputError: a role or a quantity is unknown, or one word stands twice with one role and rank.
    """
    seen: dict[tuple[str, str, int, str], str] = {}
    for role, meanings in table.items():
        if role in _SETTINGS:
            continue
        if role not in ROLES:
            raise InputError(f"lexicon/{language}.toml: unknown table {role}. Use one of {', '.join(sorted(ROLES))}.")
        for name, words in meanings.items():
            if role == "quantity" and name not in quantities():
                raise InputError(f"lexicon/{language}.toml: unknown quantity {name}.")
            for word, rank, when in _spelt_out(language, words):
                key = (role, fold(word), rank, when)
                if key in seen:
                    where = f"{role} {seen[key]}" if seen[key] == name else f"{role} {seen[key]} and {name}"
                    raise InputError(f"lexicon/{language}.toml: {word!r} stands twice at rank {rank}, for {where}.")
                seen[key] = name
                yield Meaning(role, name, rank, when, language), word


def _spelt_out(language: str, words: list[str]) -> Iterator[tuple[str, int, str]]:
    for given in words:
        rank, when = 0, ""
        for mark in _MARKS.finditer(given):
            rank, when = int(mark["rank"] or rank), mark["when"] or when
        if when not in SHEETS:
            raise InputError(f"lexicon/{language}.toml: unknown sheet @{when} behind {given!r}.")
        plain = _MARKS.sub("", given) if rank or when else given
        for word in _alternatives(plain) if "(" in plain or "[" in plain else (plain,):
            yield word, rank, when


def _alternatives(word: str) -> list[str]:
    """Return the words of a pattern with optional parts and alternatives."""
    found = _ALTERNATIVES.search(word)
    if found is None:
        return [" ".join(word.split())]
    parts = found["one"].split("|") if found["optional"] is None else ["", *found["optional"].split("|")]
    made = (f"{word[: found.start()]}{part}{word[found.end() :]}" for part in parts)
    return list(dict.fromkeys(word for one in made for word in _alternatives(one)))


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
