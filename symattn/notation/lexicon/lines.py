"""Lines of which words speak: ``Row 2``, ``for “love”``, ``第二个词``, ``zweites Wort``."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from symattn import late
from symattn.notation.lexicon.reader import LAST, Said, said

_TOKENS = frozenset({"token", "row", "query", "position"})
"""Nouns for a row of all quantities; ``output 2`` and ``key 2`` speak of one."""

_QUOTED = late.pattern(r"[ ]?[*_]{0,2}[“„\"'‘«「`『]\w[^”“\"'’»」`』\n]{0,20}[”“\"'’»」`』]")


def lines_said(text: str) -> tuple[Said, ...]:
    """Return the lines that a text counts.

    >>> [(item.name, item.number, item.is_ordinal) for item in lines_said("第二个词, x_3, der letzten Zeile")]
    [('token', 2, True), ('input', 3, False), ('row', -1, True)]
    >>> [(item.name, item.number, item.start) for item in lines_said("weights row 0")]
    [('row', 0, 8)]
    """
    items = said(text)
    inside = [line for item in items if item.kind == "quantity" for line in _counted_at_end(text, item)]
    return tuple(item for item in (*items, *inside) if item.kind == "line" and item.number is not None)


def _counted_at_end(text: str, quantity: Said) -> list[Said]:
    """Return the line that the last word of a quantity is, with the number behind it: ``scores row 0``."""
    start = text.rfind(" ", quantity.start, quantity.end) + 1
    is_counted = text[quantity.end : quantity.end + 2].strip()[:1].isdigit()
    first = said(text[start:])[:1] if start > quantity.start and is_counted else ()
    return [replace(item, start=start, end=start + item.end) for item in first if item.start == 0]


def _tokens_said(words: str) -> list[Said]:
    """Return the tokens that a text counts, by a word for them, not by a letter: ``q_3`` is the query itself."""
    return [
        item
        for item in lines_said(words)
        if item.name in _TOKENS
        if item.is_ordinal or not words[item.start].isascii() or words[item.start + 1].isalpha()
    ]


def place_said(words: str) -> int | None:
    """Return the place of the token that words count with an ordinal, from 1; None where they count none or several.

    >>> place_said("Now the second token"), place_said("第三个词的输出"), place_said("the first score")
    (2, 3, None)
    """
    return _only(words, is_ordinal=True)


def number_said(words: str) -> int | None:
    """Return the number of the token that words name, as they count; None where they name none, or several.

    >>> number_said("Zeile 2"), number_said("토큰 1"), number_said("rows 1 and 2 of row 3")
    (2, 1, None)
    """
    return _only(words, is_ordinal=False)


def _only(words: str, *, is_ordinal: bool) -> int | None:
    found = {item.number for item in _tokens_said(words) if item.is_ordinal == is_ordinal} - {LAST}
    return found.pop() if len(found) == 1 else None


def nouns_said(words: str) -> frozenset[str]:
    """Return the nouns for rows and columns that words have, with a number or without one.

    >>> sorted(nouns_said("Tokens")), sorted(nouns_said("row 2")), sorted(nouns_said("weight"))
    (['token'], ['row'], [])
    """
    return frozenset(item.name for item in said(words) if item.kind == "line")


def number_of_label(words: str) -> int | None:
    """Return the number of the row that a label gives: ``Row 1``, ``token 2``.

    >>> number_of_label("Row 1"), number_of_label("cat"), number_of_label("Row 1 of A")
    (1, None, None)
    """
    text = words.strip(" :.*$`{}()")
    found = [item.number for item in lines_said(text) if (item.start, item.end) == (0, len(text))]
    return found[0] if found else None


def number_at_end(words: str, *, alone: bool = False) -> int | None:
    """Return the number of the token that words speak of last, right before a formula: ``Now row 1:``.

    Args:
        words: the words.
        alone: whether they must say nothing else.

    >>> number_at_end("Now row 1:"), number_at_end("Row 1 is next"), number_at_end("Now row 1", alone=True)
    (1, None, None)
    """
    last = next((item for item in reversed(_tokens_said(words)) if not item.is_ordinal), None)
    is_last = last is not None and not words[last.end :].strip(" \t:,")
    return last.number if last is not None and is_last and not (alone and last.start) else None


def number_in_front(words: str) -> int | None:
    """Return the number of the token that words begin with: ``Token 1 scores``.

    >>> number_in_front("Token 1 scores"), number_in_front("第二个词的输出"), number_in_front("scores")
    (1, 2, None)
    """
    first = next(iter(_tokens_said(words)), None)
    is_in_front = first is not None and first.start == 0
    return first.number if first is not None and is_in_front and first.end < len(words) else None


def speaks_of_one(words: str) -> bool:
    """Return whether words speak of one token by its name: ``Let us compute the attention for “love”``.

    >>> speaks_of_one("for “love”:"), speaks_of_one("the current token"), speaks_of_one("for all tokens")
    (True, True, False)
    """
    items = said(words)
    quoted = set[str]()
    for item, after in zip_longest(items, items[1:]):
        is_noun = item.kind == "line" and item.name in _TOKENS
        if is_noun and item.number == LAST:
            return True
        if item.name == "alone" and after is not None and after.kind in {"line", "quantity"}:
            return True
        name = _QUOTED.match(words, item.end) if is_noun or item.name == "of" else None
        quoted.update([] if name is None else [name[0].strip(" *_")])
    return len(quoted) == 1
