"""Statements in words: sentences that name a quantity and a token and say its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symattn.checking.desk import Desk
from symattn.checking.kinds import has_numbers
from symattn.checking.link import Link
from symattn.checking.links import Links
from symattn.checking.phrases import NUMBER, before_numbers, statement
from symattn.checking.report import Finding
from symattn.checking.targets import Target
from symattn.notation import tree as t
from symattn.notation.work import Prose, Side, Written

_END = re.compile(r"(?<=[.;!?])\s+")


class Spoken:
    """Judges what prose states plainly, and tells formulas what the words before them are about."""

    def __init__(self, desk: Desk, judge: Links) -> None:
        self.desk = desk
        self.judge = judge
        self.about: Target | None = None

    def prose(self, piece: Prose) -> list[Link]:
        """The statements of a paragraph, and the words between them."""
        start, end = piece.span
        text = self.desk.work.text[start:end]
        self.about = None
        if piece.withdrawn:
            return [self._words(start, end, withdrawn=True)]
        found: list[Link] = []
        kept = start
        for low, high in _sentences(text):
            written = self._written(text[low:high], start + low)
            if written is None:
                continue
            target, chain = written
            if text[kept - start : low].strip():
                found.append(self._words(kept, start + low))
            found.extend(self.judge.chain(chain, target))
            kept = start + high
        if text[kept - start :].strip(" .;\n") or not found:
            found.append(self._words(kept, end))
        phrase = before_numbers(text)
        self.about = None if phrase is None else self.desk.binder.phrases.target(phrase)
        return found

    def formula(self, piece: Written) -> list[Link]:
        """A chain; of numbers alone, the words before it may say what they are."""
        about, self.about = self.about, None
        nodes = [side.node for side in piece.sides if side is not None]
        if about is None or len(nodes) != 1 or nodes[0] is None or not has_numbers(nodes[0]):
            return self.judge.chain(piece)
        is_fitting = self.desk.shape(nodes[0]) in {about.shape, about.shape[::-1]}
        return self.judge.chain(piece, about if is_fitting and piece.after_text else None)

    def _words(self, start: int, end: int, *, withdrawn: bool = False) -> Link:
        text = self.desk.work.text[start:end]
        low, high = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        place = self.desk.place(low, max(low, high))
        return Link(Finding(place, text.strip(), None, "withdrawn" if withdrawn else "unchecked"), None)

    def _written(self, sentence: str, start: int) -> tuple[Target, Written] | None:
        """A sentence as a chain, with what it is about."""
        said = statement(sentence)
        target = None if said is None else self.desk.binder.phrases.target(said[0])
        if said is None or target is None:
            return None
        _, is_near, low, high = said
        items = [_number(found, start) for found in NUMBER.finditer(sentence, low, high)]
        if (1, len(items)) not in {target.shape, target.shape[::-1]}:
            return None
        span = (start + low, start + high)
        node = items[0] if len(items) == 1 else t.Vector(tuple(items), "[", span=span)
        sides = (None, Side(span, node))
        return target, Written((start, span[1]), sides, ("≈" if is_near else "=",), ((start, start),), after_text=True)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _END.finditer(text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


def _number(found: re.Match[str], start: int) -> t.Node:
    low, high = start + found.start(), start + found.end()
    text = found[0].lstrip("-−")
    inner = high - len(text)
    above, bar, below = text.partition("/")
    node: t.Node = t.Number(above, span=(inner, inner + len(above)))
    if bar:
        node = t.Division(node, t.Number(below, span=(high - len(below), high)), span=(inner, high))
    return node if inner == low else t.Negative(node, span=(low, high))
