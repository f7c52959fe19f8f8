"""Translation of words for attention's quantities, lines and heads into English."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from symattn import late
from symattn.notation.letters import CYRILLIC, GREEK_WORD, LATIN_ACCENTED, OTHER_WORD
from symattn.notation.lexicon.reader import Said, said
from symattn.notation.lexicon.vocabulary import spellings

_MOST = 400
"""Characters of words that are translated."""

_LETTERS = late.pattern(rf"[{LATIN_ACCENTED}{CYRILLIC}]|{GREEK_WORD}|{OTHER_WORD}")

_SHORT = 4
"""Letters below which an ASCII word does not tell its language: ``des``, ``per``."""

_ENGLISH = frozenset({"en", "frameworks"})
_OWNERS = frozenset({"zh", "ja", "ko", "tr"})
"""Languages in which the owner stands before what is its: ``token 2's output``."""

_TELLING = frozenset({"quantity", "line", "part", "state", "operation"})
_TRANSLATED = frozenset({*_TELLING, "outside"})
_ARTICLE = late.pattern(r"(?<![^\W_])the (?=(?:token|row|head) [0-9])")
_LINKS = frozenset({"of", "the"})


def is_foreign(words: str) -> bool:
    """Return True if words are of another language, as far as one can see.

    >>> is_foreign("Poids d'attention"), is_foreign("得分"), is_foreign("attention weights")
    (True, True, False)
    """
    text = words[:_MOST]
    return (not text.isascii() and _LETTERS.search(text) is not None) or any(
        item.kind in _TELLING and item.end - item.start >= _SHORT for item in _foreign(text)
    )


@lru_cache(maxsize=1024)
def in_english(words: str) -> str:
    """Return words with those for quantities of attention in English; English ones come back as they are.

    >>> in_english("注意力权重"), in_english("Веса внимания"), in_english("Ausgabe für Token 2")
    ('weights', 'weights', 'output of Token 2')
    """
    if len(words) > _MOST or not is_foreign(words):
        return words
    made, place, is_owner = list[str](), 0, False
    for item in _foreign(words):
        if item.start < place or not (item.kind in _TRANSLATED or item.name in _LINKS):
            continue
        made.append(words[place : item.start])
        is_counted = item.kind in {"line", "part"} and item.number is not None
        is_owned = is_owner and not made[-1].strip() and (item.name == "of" or item.kind == "quantity")
        if is_owned:
            made.append("'s ")
        if not is_owned or item.name != "of":
            made.append(f" {spellings()[item.kind, item.name]}{f' {item.number}' if is_counted else ''} ")
        is_owner = is_counted and has_owner_in_front(item)
        place = item.end
    text = " ".join("".join([*made, words[place:]]).split()).replace(" 's ", "'s ")
    return _ARTICLE.sub("", text)


def has_owner_in_front(item: Said) -> bool:
    """Return whether the language of a word puts the owner before what is its: ``トークン2の出力``."""
    return item.language in _OWNERS


def _foreign(words: str) -> Iterator[Said]:
    """Yield the likeliest meaning of each phrase that is not English."""
    english = {item.start for item in said(words) if item.language in _ENGLISH}
    seen: set[int] = set()
    for item in said(words):
        if item.start not in english and item.start not in seen and (item.kind, item.name) in spellings():
            seen.add(item.start)
            yield item
