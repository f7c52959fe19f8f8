"""The key of the sequences of a batch, or of several blocks: one document, each piece marked with its number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from symattn.graph.builders.names import namings
from symattn.problem.caveats import Caveat
from symattn.problem.components.stacks import input_of
from symattn.problem.model import Problem
from symattn.problem.settings.parts import PROVE
from symattn.records import dataclass
from symattn.rendering.content import Line, Mark, Pictures, Piece
from symattn.rendering.latex.typesetting import math
from symattn.rendering.sections.document import Block, Document, Ledger, Section


@dataclass(frozen=True, slots=True)
class Joint:
    """The rules by which pieces, one for each sequence or block, become one.

    Attributes:
        problem: the batch, or the blocks.
    """

    problem: Problem

    @property
    def word(self) -> str:
        """The word for one piece: ``"sequence"`` or ``"block"``."""
        return "sequence" if self.problem.batch else "block"

    def document(self, documents: Sequence[Document]) -> Document:
        """Return the document of all; what they share is said once."""
        first = documents[0]
        lines = self._of_batch if self.problem.batch else self._of_blocks
        only_first = not self.problem.batch and list(map(_draws, documents)) == [True] + [False] * (len(documents) - 1)
        drawn = [self.problem.words.say("stack.one_diagram")] if only_first else []
        return replace(
            first,
            conventions=(*lines([document.conventions for document in documents]), *drawn),
            given=tuple(self._given(documents)) if first.given else (),
            sections=tuple(self._sections(documents)),
            ledger=Ledger(
                [item for document in documents for item in document.ledger.statements],
                [item for document in documents for item in document.ledger.claims],
                list(first.ledger.proofs),
            ),
        )

    def warnings(self, each: Sequence[Sequence[Caveat]], shared: Sequence[Caveat]) -> Iterator[Caveat]:
        """Yield the warnings of each piece that the whole does not share, with its number."""
        codes = {item.code for item in shared}
        for number, own in enumerate(each, 1):
            for item in own:
                if item.code not in codes:
                    yield replace(item, text=f"{self.word.capitalize()} {number}: {item.text}")

    def lines_of(self, tex: str, number: int) -> str:
        """Return a key with the lines of other pieces left empty, so that places stay what they are."""
        marked, owner = re.compile(rf"% {self.word} ([1-9][0-9]{{0,4}})", re.ASCII), 1
        lines = []
        for line in tex.split("\n"):
            found = marked.fullmatch(line)
            owner = int(found[1]) if found else owner
            lines.append(line if owner == number else "")
        return "\n".join(lines)

    def _mark(self, number: int) -> Mark:
        """Return the mark that says whose quantities the lines below it state."""
        return Mark(self.word, number)

    # Before the parts ------------------------------------------------------------------------------

    def _of_batch(self, each: Sequence[Sequence[Line]]) -> list[Line]:
        losses = [self.problem.words.say("batch.losses")] if self.problem.gradient is not None else []
        return [self._mark(1), *_axes(self.problem), *losses, *each[0]]

    def _of_blocks(self, each: Sequence[Sequence[Line]]) -> Iterator[Line]:
        words = self.problem.words
        yield from (self._mark(1), words.say("stack.blocks", number=len(each)), *each[0])
        said = set(filter(_is_sentence, each[0]))
        for number, (block, lines) in enumerate(zip(self.problem.later, each[1:], strict=True), 2):
            written = namings(block)
            tokens = math(written[input_of(block)].symbol)
            yield self._mark(number)
            yield words.say("stack.starts_from", number=number, before=number - 1, tokens=tokens)
            if "X_2" in block.inputs:
                yield words.say("stack.reads_memory", memory=math(written["X_2"].symbol))
            own = [] if all(line in each[0] for line in lines) else [line for line in lines if line not in said]
            yield from own or [words.say("stack.as_first")]
        yield self._mark(1)

    def _given(self, documents: Sequence[Document]) -> Iterator[Piece]:
        for number, document in enumerate(documents, 1):
            yield self._mark(number)
            if not self.problem.batch:
                of_block = "stack.given" if number > 1 else "stack.given_first"
                yield self.problem.words.say(of_block, number=number, before=number - 1)
            yield from document.given

    # Parts -----------------------------------------------------------------------------------------

    def _sections(self, documents: Sequence[Document]) -> Iterator[Section]:
        """Yield the parts, each for one piece after the other; without parts, blocks follow each other whole."""
        if not self.problem.parts and not self.problem.batch:
            made = [(number, own) for number, document in enumerate(documents, 1) for own in document.sections]
            back = [(number, own) for number, own in reversed(made) if own.is_backward]
            forward = [(number, own) for number, own in made if not own.is_backward]
            yield from (self._section(own, own, number) for number, own in (*forward, *back))
            return
        # Without parts a sequence lacks those on the order of weights where symbols leave it open.
        longest = max(documents, key=lambda document: len(document.sections))
        for place, asked in enumerate(longest.sections):
            if self.problem.parts and _is_of_none(self.problem.parts[place].asks):
                yield replace(asked, blocks=self._marked(asked.blocks, 1))
                continue
            pieces = list(enumerate(documents, 1))
            if asked.is_backward and not self.problem.batch:
                pieces.reverse()
            for number, document in pieces:
                found = document.sections[place : place + 1] if self.problem.parts else _titled(document, asked.title)
                first = pieces[0][0]
                yield from (self._section(asked, own, number, first) for own in found if own.blocks or number == first)

    def _section(self, asked: Section, own: Section, number: int, first: int = 1) -> Section:
        """Return the section of a part for one piece; question and points stand at the `first` alone."""
        title = "batch.title" if self.problem.batch else "stack.title"
        return replace(
            own,
            label=f"{asked.label}{number}",
            title=self.problem.words.say(title, title=asked.title, number=number),
            question=own.question if number == first else "",
            points=own.points if number == first else "",
            blocks=self._marked(own.blocks, number),
        )

    def _marked(self, blocks: Sequence[Block], number: int) -> tuple[Block, ...]:
        return (Block("lines", (self._mark(number),)), *blocks)


def _titled(document: Document, title: str) -> list[Section]:
    return [section for section in document.sections if section.title == title]


def _is_of_none(asks: Sequence[str]) -> bool:
    """Return whether a part asks for prose and proofs alone, which belong to no piece.

    >>> _is_of_none(["prose", "prove:softmax-jacobian"]), _is_of_none(["map"]), _is_of_none([])
    (True, False, False)
    """
    return bool(asks) and all(word == "prose" or word.startswith(PROVE) for word in asks)


def _is_sentence(line: Line) -> bool:
    """Return whether a line of conventions is a sentence of its own, which need not be said again of every block."""
    return isinstance(line, str) and (line[:1].isupper() or line.startswith("$")) and line.endswith(".")


def _axes(problem: Problem) -> list[str]:
    """Return the axes of a batch in words, and which of them a transpose exchanges."""
    given = next(iter(problem.sequences))
    rows, columns = problem.inputs[given].shape
    length, width = (rows, columns) if problem.tokens == "rows" else (columns, rows)
    axes = {"tokens": ("l", length), "features": ("d", width)}
    order = ["tokens", "features"] if problem.tokens == "rows" else ["features", "tokens"]
    letters = [axes[word][0] for word in order]
    sizes = ", ".join(str(axes[word][1]) for word in order)
    shape, turned = f"(b, {', '.join(letters)})", f"(b, {', '.join(reversed(letters))})"
    lengths = ["l", "l"] if problem.kind == "self" else ["l_q", "l_k"]
    by_rows = problem.softmax == "rows"
    scores = f"(b, {', '.join(lengths if by_rows else reversed(lengths))})"
    words, of_batch = problem.words, {"shape": shape, "sizes": f"({problem.batch}, {sizes})", "turned": turned}
    return [
        words.say(f"batch.axes.{problem.tokens}", **of_batch),
        words.say(f"batch.softmax.{problem.softmax}", **of_batch, scores=scores),
    ]


def _draws(document: Document) -> bool:
    lines = (line for section in document.sections for block in section.blocks for line in block.lines)
    return any(isinstance(line, Pictures) for line in lines)
