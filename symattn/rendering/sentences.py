"""Sentences of a catalogue with judged formulas and claims in them, as lines of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from symattn.graph.key_judge.claims import Claim
from symattn.graph.quantities.statement import Statement
from symattn.languages.catalogue import Span, Words
from symattn.rendering.content import Claimed, Line, Stated


def tell(words: Words, key: str, /, **values: object) -> list[Line]:
    """Return a sentence of a catalogue, each statement and each claim in it a line of its own.

    A value may be a statement, a list of statements and texts, and for a span of the sentence a claim.
    """
    lines: list[Line] = []
    for piece, after in pairwise([*_joined(words, key, values), ""]):
        follows = after.strip() if isinstance(after, str) and not after.startswith(" ") else ""
        match piece:
            case str():
                is_taken = bool(lines) and isinstance(lines[-1], Stated) and lines[-1].after == piece.strip()
                lines.extend([] if is_taken or not piece.strip() else [piece.strip()])
            case Statement():
                lines.append(Stated(piece, follows))
            case Span(text, Claim() as claim):
                lines.append(Claimed(text, claim))
            case _:
                raise TypeError(f"a sentence states statements and claims, not {type(piece).__name__}")
    return lines


def _joined(words: Words, key: str, values: dict[str, object]) -> list[object]:
    """Return the pieces of a sentence, texts next to each other joined."""
    pieces: list[object] = []
    for item in (item for piece in words.pieces(key, values) for item in _enumerated(piece, words)):
        if isinstance(item, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += item
        elif item != "":
            pieces.append(item)
    return pieces


def _enumerated(piece: object, words: Words) -> Iterator[object]:
    """Yield a piece of a sentence as texts, statements and claims."""
    if isinstance(piece, (str, Statement, Span)):
        yield piece
    elif isinstance(piece, Sequence):
        for number, item in enumerate(piece):
            is_apart = number and not isinstance(item, Span)
            yield from (words.say("list.separator"), item) if is_apart else (item,)
    else:
        yield str(piece)
