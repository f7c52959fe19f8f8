"""Words in sentences: unknown ones with the known word that is nearest in spelling or in meaning, and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from symattn import late
from symattn.printable import visible

if TYPE_CHECKING:
    import difflib
else:
    difflib = late.module("difflib")

_SHOWN = 60
_NEAR = 0.6
_NOTHING: Mapping[str, str] = MappingProxyType({})


def unknown(kind: str, word: str, known: Iterable[str], meant: Mapping[str, str] = _NOTHING) -> str:
    """Return the sentence for an unknown word: it suggests the nearest known one, or lists all of them.

    Args:
        kind: what the word should be, such as ``key``.
        word: the unknown word.
        known: the words that there are.
        meant: other words for some of them, with the word that is meant.

    >>> unknown("key", "titel", ["title", "tokens"])
    'unknown key "titel". Did you mean "title"?'
    >>> unknown("key", "zzz", ["title", "tokens"])
    'unknown key "zzz". Known keys: "title", "tokens".'
    >>> unknown("value", "Attentions", ["map", "scores"], {"attention": "map"})
    'unknown value "Attentions". Did you mean "map"?'
    """
    words = list(known)
    near = nearest(word, words, meant)
    if near is not None:
        return f'unknown {kind} {quoted(word)}. Did you mean "{near}"?'
    listed = ", ".join(f'"{name}"' for name in words)
    return f"unknown {kind} {quoted(word)}. Known {kind}s: {listed}."


def nearest(word: str, known: Iterable[str], meant: Mapping[str, str] = _NOTHING) -> str | None:
    """Return the known word that is nearest in spelling or in meaning; None where none is near.

    >>> nearest("chek", ["check", "schema"]), nearest("gamma", ["gamma_1", "gamma_2"]), nearest("x", ["schema"])
    ('check', 'gamma_1', None)
    """
    folded = {_folded(other): target for other, target in meant.items()} | {_folded(name): name for name in known}
    typed = _folded(word[:_SHOWN])
    if typed in folded:
        return folded[typed]
    if not difflib.get_close_matches(typed, folded, n=1, cutoff=_NEAR):
        return None
    return folded[max(folded, key=lambda name: difflib.SequenceMatcher(None, name, typed).ratio())]


def _folded(word: str) -> str:
    return word.casefold().replace(" ", "").replace("-", "").replace("_", "")


def quoted(text: str) -> str:
    """Return quoted text for a message: short, and without terminal control characters.

    >>> quoted("a" * 100)[-8:]
    'aaaaaa…"'
    """
    short = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return f'"{visible(short)}"'


def listed(words: list[str]) -> str:
    """Return at least one word as a list in a sentence.

    >>> listed(["Q", "K", "V"])
    'Q, K and V'
    """
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
