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
    >>> unknown("key", "gamma", ["gamma_1", "gamma_2"])  # of those as near the first
    'Unknown key "gamma": did you mean "gamma_1"?'
    """
    # start-up: only an error needs it
    from difflib import SequenceMatcher, get_close_matches

    words = list(known)
    shown = quoted(word)
    folded = {name.casefold(): name for name in words}
    typed = word[:_SHOWN].casefold()
    if get_close_matches(typed, folded, n=1, cutoff=0.5):
        near = max(folded, key=lambda name: SequenceMatcher(None, name, typed).ratio())
        return f'Unknown {kind} {shown}: did you mean "{folded[near]}"?'
    return f"Unknown {kind} {shown}: known are " + ", ".join(f'"{name}"' for name in words) + "."


def quoted(text: str) -> str:
    """People's text for a message: in quotes, short, and with nothing that a terminal would obey.

    >>> quoted("a" * 100)[-8:]
    'aaaaaa…"'
    """
    short = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return '"' + "".join(letter if letter.isprintable() else "�" for letter in short) + '"'
