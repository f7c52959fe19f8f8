"""Prose statements: sentences that name a quantity and a token and say its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from symattn import late
from symattn.checking.context import GradingContext
from symattn.checking.expressions.expression_kinds import has_numbers
from symattn.checking.grading.link import Link
from symattn.checking.graph.targets import Target
from symattn.checking.names.binding import Binder
from symattn.checking.names.phrases import NUMBER, before_numbers, clauses, continued, kind_of, number_lists, statement
from symattn.checking.names.plain_text import PlainNames
from symattn.checking.report import Finding, Verdict
from symattn.checking.subjects.arrows import Step, cut, unpacked
from symattn.checking.subjects.subjects import Subjects
from symattn.notation.documents.gaps import list_numbers
from symattn.notation.documents.numbers import has_decimal_commas, put_commas, put_points_in_prose
from symattn.notation.lexer.tokens import percentage
from symattn.notation.lexicon.lines import number_at_end
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import Prose, Side, Written
from symattn.notation.tree import nodes as t

_HEAD = 60
"""Characters with which a print begins: ``tensor([[[``."""

_MOST = 40_000
"""Characters of one print that is looked through."""


def of_each_head(written: Written, text: str, binder: Binder) -> list[Written]:
    """Return the chain once for each head, with its matrix alone; nothing where no list of as many matrices ends it.

    Args:
        written: the chain.
        text: the work.
        binder: for how many heads there are.
    """
    first = written.sides[0]
    parts = _parts(written, text, binder) if len(written.sides) == 2 and first is not None else []
    name = None if first is None else first.node
    if not parts or first is None or not isinstance(name, t.Name | t.Subscript):
        return []
    base, labels = (name.base, name.indices) if isinstance(name, t.Subscript) else (name, ())
    found = []
    for number, span in enumerate(parts, 1):
        head = t.Subscript(base, (*labels, t.Number(str(number - binder.heads.offset))), span=name.span)
        side = read_side(text, *span, "plain")
        found.append(replace(written, sides=(replace(first, node=head), side), operator_spans=((span[0], span[0]),)))
    return found


def unlabelled_heads(written: Written, text: str, binder: Binder) -> list[Written]:
    """Return the matrix of each head of an unlabelled print of all heads; nothing for anything else."""
    parts = _parts(written, text, binder) if len(written.sides) == 1 else []
    return [replace(written, span=span, sides=(read_side(text, *span, "plain"),), after_text=True) for span in parts]


def _parts(written: Written, text: str, binder: Binder) -> list[t.Span]:
    """Return the span of each head's matrix; nothing where no list of as many matrices ends a chain."""
    last = written.sides[-1]
    if binder.heads.count < 2 or last is None or "[[[" not in "".join(text[slice(*last.span)][:_HEAD].split()):
        return []
    parts = _matrices(text, last.span)
    return parts if len(parts) == binder.heads.count else []


def _matrices(text: str, span: t.Span) -> list[t.Span]:
    """Return the matrices of a list, brackets of a batch of one taken off; none where brackets do not match."""
    start, end = text.find("[", *span), min(span[1], span[0] + _MOST)
    depths: list[tuple[int, int, int]] = []
    opened: list[int] = []
    for position in range(start, end) if start >= 0 else ():
        if text[position] == "[":
            opened.append(position)
        elif text[position] == "]":
            if not opened:
                return []
            low = opened.pop()
            depths.append((len(opened), low, position + 1))
    deepest = max((depth for depth, _, _ in depths), default=0)
    return sorted((low, high) for depth, low, high in depths if depth == deepest - 1) if deepest > 1 else []


_LABELLED = late.pattern(r"[^:=]{1,60}[:=]\s*[\[(]?\s*")
"""Words before a list that are its label, and no sentence: ``Softmax: 0.5, 0.5``."""

_END_OF_WORDS = 80
"""Characters at the end of a paragraph that may speak of the line of the formula below."""

_FORMULA = late.pattern(r"[=≈]|(?<=[\])\d\w])[ \t]*[×·⋅*][ \t]*(?=[\[(\d\w])")
"""Marks of a formula among words that are not read."""

_END = late.pattern(
    r"(?<=[.;!?])\s+|\n(?=[^\n:：=≈]{1,40}[:：][ \t]*[\[(]?[ \t]*[-−]?[.\d])"
    r"|(?<=[\d\])])[ \t]*\n(?=[^\n:：=≈]{1,40}[:：])"
)
"""The end of a sentence, or of a line before one that is a label and its numbers."""


class Judge(Protocol):
    """Protocol of what is done with each statement: its target is found, or it is judged."""

    subjects: Subjects

    def chain(self, written: Written, about: Target | None = None) -> list[Link]:
        """Return the links of a chain, which words before it may say the target of."""

    def loose(self, written: Written) -> list[Link]:
        """Return the links of numbers among words, where all that is beside them says what they are; else nothing."""

    def arrow_steps(self, written: Written) -> list[Step]:
        """Return the lists of a chain of arrows that begins with a query, each with its target; else nothing."""

    def forget(self) -> None:
        """Forget the subject of the last chain."""

    def interrupted(self) -> None:
        """Record words with an unread formula among them."""


class ProseStatements:
    """Judge of prose statements, and source of the subject of formulas from the words before them."""

    def __init__(self, context: GradingContext, judge: Judge) -> None:
        self.context = context
        self.judge = judge
        self.names = PlainNames(context.binder)
        self.about: tuple[Target, ...] = ()
        self.kind: str | None = None
        self.line: int | None = None
        self.line_end = 0
        self.is_new = False
        self.has_commas = has_decimal_commas(context.work.text)
        self.text = list_numbers(context.work.text)

    def piece(self, piece: Prose | Written) -> list[Link]:
        """Return the statements of a paragraph or of a formula."""
        if isinstance(piece, Prose):
            return self.prose(piece)
        with self.context.binder.of_head(piece.head):
            return self.formula(piece)

    def prose(self, piece: Prose) -> list[Link]:
        """Return the statements of a paragraph, and the words between them."""
        start, end = piece.span
        text = self._listed(self.text[start:end])
        self.about = ()
        self.line = None
        if piece.withdrawn:
            return [self._words(start, end, withdrawn=True)]
        self.context.binder.names.heard(text)
        self.context.binder.heads.heard(text)
        self.judge.subjects.unlabelled.heard(text, start)
        found: list[Link] = []
        kept = start
        for low, high in _sentences(text):
            self.context.binder.said_in_words(text[low:high])
            for (first, stop), links in self._judged(text[low:high], start + low):
                if text[kept - start : first - start].strip():
                    found.append(self._words(kept, first))
                found.extend(links)
                kept = stop
        if text[kept - start :].strip(" .;\n") or not found:
            found.append(self._words(kept, end))
            if _FORMULA.search(text, kept - start):
                self.judge.interrupted()
        self.context.binder.said_in_words(text)
        phrase = continued(before_numbers(text) or "", self.kind)
        self.kind = kind_of(phrase)
        self.about = self.context.binder.phrases.targets(phrase)
        self.line = number_at_end(text[-_END_OF_WORDS:])
        self.is_new = True
        return found

    def formula(self, piece: Written) -> list[Link]:
        """Judge a chain, or the steps of a token one after the other, or a print of all heads."""
        if self.context.binder.heads.is_told(self.context.work.text[slice(*piece.span)]):
            return [self._words(*piece.span)]
        heads = of_each_head(piece, self.context.work.text, self.context.binder)
        if heads:
            return [link for part in heads for link in self._formula(part)]
        matrices = unlabelled_heads(piece, self.context.work.text, self.context.binder)
        nodes = [side.node for part in matrices for side in part.sides if side is not None and side.node is not None]
        targets = self.judge.subjects.unlabelled.of_heads(nodes) if nodes else []
        if targets:
            return [
                link for part, target in zip(matrices, targets, strict=True) for link in self.judge.chain(part, target)
            ]
        if "→" in piece.operators and self.judge.arrow_steps(piece):
            return self._formula(piece)
        token, steps = self.names.steps(self.names.written(piece))
        named = [one for step in steps for one in unpacked(step, self.context)]
        parts = [part for step in named for part in cut(step, self.context)]
        if token is None:
            return [link for part in parts for link in self._formula(part)]
        binder = self.context.binder
        above, binder.line = binder.line, token
        try:
            return [link for part in parts for link in self._formula(part)]
        finally:
            binder.line = above

    def _formula(self, piece: Written) -> list[Link]:
        """Judge a chain; the words before it may name the target of lone numbers."""
        about, self.about = self.about, ()
        line, is_new, named = self.line, self.is_new, _line_named(piece)
        if not is_new and "\n" in self.context.work.text[self.line_end : piece.span[0]]:
            line = None
        self.line, self.is_new, self.line_end = (line if named is None else named), False, piece.span[1]
        if line is None:
            return self._chain(piece, about)
        binder = self.context.binder
        above, binder.line = binder.line, line
        if is_new:
            self.judge.forget()
        try:
            return self._chain(piece, about)
        finally:
            binder.line = above

    def _chain(self, piece: Written, about: tuple[Target, ...]) -> list[Link]:
        nodes = [side.node for side in piece.sides if side is not None]
        if not about or len(nodes) != 1 or nodes[0] is None or not has_numbers(nodes[0]) or not piece.after_text:
            return self.judge.chain(piece)
        shape = self.context.shape(nodes[0])
        fitting = [target for target in about if shape in {target.shape, target.shape[::-1]}]
        if not fitting:
            return self.judge.chain(piece)
        return [link for target in fitting for link in self.judge.chain(piece, target)]

    def _listed(self, text: str) -> str:
        """Return words with points in their decimals and commas in their lists; positions stay."""
        return put_commas(put_points_in_prose(text) if self.has_commas else text)

    def _words(self, start: int, end: int, *, withdrawn: bool = False) -> Link:
        text = self.context.work.shown[start:end]
        low, high = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        place = self.context.place(low, max(low, high))
        verdict: Verdict = "withdrawn" if withdrawn else "unchecked"
        return Link(Finding(place, text.strip(), None, verdict, is_claim=False), None)

    def _judged(self, sentence: str, start: int) -> Iterator[tuple[t.Span, list[Link]]]:
        """Yield the statements of a sentence with their place; of other words, the numbers that are surely bound."""
        written = self._stated(sentence, start)
        if written:
            yield (
                (start, start + len(sentence)),
                [link for target, chain in written for link in self.judge.chain(chain, target)],
            )
            return
        plain = statement(sentence)
        if plain is not None and self.context.binder.phrases.targets(plain[0]):
            return  # it names something of another shape
        for low, high in number_lists(sentence):
            span = (start + low, start + high)
            side = Side(span, _list(sentence, (low, high), start))
            links = self.judge.loose(Written(span, (None, side), ("=",), ((span[0], span[0]),), after_text=True))
            if links:
                yield span, links

    def _stated(self, sentence: str, start: int) -> list[tuple[Target, Written]]:
        """Return the statements of a sentence; of one that goes from token to token, of all parts or of none."""
        parts = clauses(sentence)
        found: list[tuple[Target, Written]] = []
        kind: str | None = None
        for low, high in parts:
            said = statement(sentence[low:high])
            phrase = "" if said is None else continued(said[0], kind)
            written = [] if said is None else self._written(sentence[low:high], said, phrase, start + low)
            if not written:
                return []
            kind = kind_of(phrase) or kind
            found.extend(written)
        return found

    def _written(
        self, sentence: str, said: tuple[str, bool, int, int], phrase: str, start: int
    ) -> list[tuple[Target, Written]]:
        """Return a plain statement as a chain about each thing that it names."""
        _, is_near, low, high = said
        targets = self.context.binder.phrases.targets(phrase)
        node, span = _list(sentence, (low, high), start), (start + low, start + high)
        size = len(node.items) if isinstance(node, t.Vector) else 1
        if not targets and size > 1 and _LABELLED.fullmatch(sentence, 0, low):
            about = self.judge.subjects.unlabelled.of_words(phrase, node)
            targets = () if about is None else (about,)
        if not targets or any((1, size) not in {target.shape, target.shape[::-1]} for target in targets):
            return []
        targets = tuple(self.judge.subjects.disambiguation.settled(target, [node]) for target in targets)
        sides = (None, Side(span, node))
        chain = Written((start, span[1]), sides, ("≈" if is_near else "=",), ((start, start),), after_text=True)
        return [(target, chain) for target in targets]


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _END.finditer(text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


def _line_named(piece: Written) -> int | None:
    """Return the line of a label before the first formula of a chain: ``Row 1: exp(4) = 54.60``."""
    first = piece.sides[0]
    name = None if first is None else first.node
    return number_at_end(name.text, alone=True) if isinstance(name, t.Name) else None


def _list(sentence: str, span: t.Span, start: int) -> t.Node:
    """Return the numbers of a part of a sentence, one alone or several as a list."""
    items = tuple(_number(found, start) for found in NUMBER.finditer(sentence, *span))
    return items[0] if len(items) == 1 else t.Vector(items, "[", span=(start + span[0], start + span[1]))


def _number(found: re.Match[str], start: int) -> t.Node:
    low, high = start + found.start(), start + found.end()
    text = found[0].lstrip("-−")
    inner = high - len(text)
    above, bar, below = text.partition("/")
    digits = percentage(text[:-1].rstrip()) if text.endswith("%") else above
    node: t.Node = t.Number(digits, span=(inner, inner + len(above)))
    if bar:
        node = t.Division(node, t.Number(below, span=(high - len(below), high)), span=(inner, high))
    return node if inner == low else t.Negative(node, span=(low, high))
