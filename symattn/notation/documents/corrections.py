"""Corrections in words: ``wait, that should be 0.40, 0.20, 0.40`` withdraws the statement before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from symattn import late
from symattn.notation.lexicon.reader import said
from symattn.notation.markup.spans import strip_span
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import Piece, Prose, Side, Written
from symattn.notation.tree import nodes as t

_NUMBER = r"[-−+]?[0-9]{1,9}(?:\.[0-9]{1,12})?"
_VALUES = late.pattern(
    rf"[\s:,=*_]{{0,6}}(?P<values>[(\[]?[ \t]{{0,3}}{_NUMBER}(?:[ \t]{{0,3}}[,;][ \t]{{0,3}}{_NUMBER}){{0,40}}"
    r"[ \t]{0,3}[)\]]?)(?![0-9A-Za-z_%]|[ \t]{0,3}(?:[-+*/·×=^]|[.,;][ \t]{0,3}[-−]?[0-9]))"
)
_NUMERAL = late.pattern(_NUMBER)
_CLOCK = late.pattern(r"\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\b")
_FAR = 160
"""Characters between a statement and its correction."""


def with_corrections(pieces: tuple[Piece, ...], text: str, *, commas: bool) -> tuple[Piece, ...]:
    """Withdraw statements that the next one gives anew, of the same shape, right behind words of correction."""
    found: list[Piece] = []
    for piece in pieces:
        place = len(found) - (2 if isinstance(piece, Written) and found and isinstance(found[-1], Prose) else 1)
        stated = found[place] if place >= 0 else None
        made: list[Piece] | None = None
        if isinstance(stated, Written) and _name(stated) is not None and not stated.withdrawn:
            match piece:
                case Prose():
                    made = _in_words(stated, piece, text, commas=commas)
                case Written():
                    made = _behind_words(stated, piece, text)
        if isinstance(stated, Written) and made is not None:
            found[place] = replace(stated, withdrawn=True)
        found.extend([piece] if made is None else made)
    return tuple(found)


def _name(stated: Written) -> Side | None:
    """Return the left side of a statement."""
    first = stated.sides[0]
    return first if len(stated.sides) > 1 and first is not None and first.node is not None else None


def _shape(stated: Written) -> tuple[int, ...] | None:
    """Return the shape of the numbers that a statement ends with."""
    last = stated.sides[-1]
    match None if last is None else last.node:
        case t.Number() | t.Negative(t.Number()):
            return (1,)
        case t.Vector(items):
            return (len(items),)
        case t.Matrix(rows):
            return (len(rows), len(rows[0]))
    return None


def _corrections(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the ends of the words of correction that stand before any number of ``text[start:end]``."""
    end = min(end, start + _FAR)
    words = _CLOCK.sub(lambda clock: " " * len(clock[0]), text[start:end])
    number = _NUMERAL.search(words)
    for item in said(words if number is None else words[: number.start()]):
        if item.kind == "remark" and item.name == "correction":
            yield start + item.end


def _names_quantity(words: str) -> bool:
    """Return True if words may name a quantity: ``correction`` is a factor of online softmax, too."""
    return any(item.kind in {"quantity", "operation", "line"} and not item.rank for item in said(words))


def _in_words(stated: Written, prose: Prose, text: str, *, commas: bool) -> list[Piece] | None:
    """Return prose that corrects a statement in three parts: words, the statement made anew, words."""
    start, end = stated.span[1], prose.span[1]
    for position in _corrections(text, start, end):
        values = _VALUES.match(text, position, end)
        if values is None or _names_quantity(text[start:position]):
            continue
        low, high = values.span("values")
        side = read_side(text, low, high, "plain", commas=commas)
        anew = _anew(stated, Written((low, high), (side,), after_text=True))
        if side.node is not None and _shape(anew) == _shape(stated):
            return [*_prose(text, prose.span[0], low), anew, *_prose(text, high, end)]
    return None


def _behind_words(stated: Written, piece: Written, text: str) -> list[Piece] | None:
    """Return a statement that corrects the one before the words before it, under the same name or none."""
    own, name = _name(piece), _name(stated)
    if own is not None and _ends_words(text, stated.span[1], own.span[1]):
        piece, own = replace(piece, sides=(None, *piece.sides[1:]), span=(own.span[1], piece.span[1])), None
    start, end = stated.span[1], piece.span[0]
    is_same = own is not None and name is not None and own.node == name.node
    is_nameless = own is None and not _names_quantity(text[start:end])
    if _shape(piece) is None or _shape(piece) != _shape(stated) or not (is_same or is_nameless):
        return None
    return [piece if is_same else _anew(stated, piece)] if _ends_words(text, start, end) else None


def _ends_words(text: str, start: int, end: int) -> bool:
    """Return True if ``text[start:end]`` ends with words of correction."""
    return any(not any(map(str.isalnum, text[position:end])) for position in _corrections(text, start, end))


def _anew(stated: Written, piece: Written) -> Written:
    """Return a statement without a name under that of the statement that it corrects."""
    name = _name(stated)
    sides = piece.sides if piece.sides[0] is not None else piece.sides[1:]
    place = piece.span[0]
    operators, spans = ("=", *piece.operators), ((place, place), *piece.operator_spans)
    count = len(sides)
    first = None if name is None else replace(name, implied=True)
    return replace(piece, sides=(first, *sides), operators=operators[-count:], operator_spans=spans[-count:])


def cut_prose(prose: Prose, spans: list[t.Span], text: str) -> list[Prose]:
    """Return the parts of prose around some spans."""
    inside = [span for span in spans if prose.span[0] <= span[0] < prose.span[1]]
    edges = [(prose.span[0], prose.span[0]), *inside, (prose.span[1], prose.span[1])]
    parts = [part for left, right in pairwise(edges) for part in _prose(text, left[1], right[0])]
    return parts if inside else [prose]


def _prose(text: str, start: int, end: int) -> list[Prose]:
    words = " ".join(text[start:end].split())
    is_said = any(map(str.isalnum, words))
    return [Prose(strip_span(text, start, end), words)] if is_said else []
