"""The sentence for a word that is not known: it names the known word that is nearest."""

from __future__ import annotations

from collections.abc import Iterable

_SHOWN = 60


def unknown(kind: str, word: str, known: Iterable[str]) -> str:
    """One sentence: the unknown word, and the nearest known one or all of them.

    >>> unknown("key", "titel", ["title", "tokens"])
    'Unknown key "titel": did you mean "title"?'
    >>> unknown("key", "zzz", ["title", "tokens"])
    'Unknown key "zzz": known are "title", "tokens".'
    """
    # start-up: only an error needs it
    from difflib import get_close_matches

    words = list(known)
    shown = quoted(word)
    folded = {name.casefold(): name for name in words}
    near = get_close_matches(word[:_SHOWN].casefold(), folded, n=1, cutoff=0.5)
    if near:
        return f'Unknown {kind} {shown}: did you mean "{folded[near[0]]}"?'
    return f"Unknown {kind} {shown}: known are " + ", ".join(f'"{name}"' for name in words) + "."


def quoted(text: str) -> str:
    """People's text for a message: in quotes, short, and with nothing that a terminal would obey.

    >>> quoted("a" * 100)[-8:]
    'aaaaaa…"'
    """
    short = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return '"' + "".join(letter if letter.isprintable() else "�" for letter in short) + '"'
