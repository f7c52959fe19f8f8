"""Keys of several results: each piece of the document is marked with the number of its sequence or block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from symattn.api.result import Result
from symattn.problem.caveats import Caveat
from symattn.problem.settings.parts import PROVE
from symattn.records import dataclass
from symattn.rendering.sections.document import Block, Document, Ledger, Section
from symattn.rendering.sections.readback import Finding


@dataclass(frozen=True, slots=True)
class Pieces:
    """Several results under one key.

    Attributes:
        word: what each of them is, ``"sequence"`` or ``"block"``.
        results: one of each, in order.
    """

    word: str
    results: Sequence[Result]

    def mark(self, number: int) -> str:
        """Return the comment that says whose quantities the lines below it state.

        >>> Pieces("block", ()).mark(2)
        '% block 2'
        """
        return f"% {self.word} {number}"

    def section(self, asked: Section, blocks: Sequence[Block], number: int) -> Section:
        """Return the section of a part for one piece; question and points stand at the first alone."""
        return replace(
            asked,
            label=f"{asked.label}{number}",
            title=f"{asked.title}, {self.word} {number}",
            question=asked.question if number == 1 else "",
            points=asked.points if number == 1 else "",
            blocks=self.marked(blocks, number),
        )

    def marked(self, blocks: Sequence[Block], number: int) -> tuple[Block, ...]:
        """Return blocks behind their mark."""
        return (Block("lines", (self.mark(number),)), *blocks)

    def warnings(self, shared: Sequence[Caveat]) -> tuple[Caveat, ...]:
        """Return the warnings of the whole problem once, then those of each piece."""
        codes = {item.code for item in shared}
        own = (
            replace(item, text=f"{self.word.capitalize()} {number}: {item.text}")
            for number, result in enumerate(self.results, 1)
            for item in result.warnings
            if item.code not in codes
        )
        return (*shared, *own)

    def read_back(self, tex: str) -> list[Finding]:
        """Return every judged line of the key, in the quantities of its own piece."""
        return [
            finding
            for number, result in enumerate(self.results, 1)
            for finding in result.read_back(self._of(tex, number))
        ]

    def _of(self, tex: str, number: int) -> str:
        """Return the document with the lines of other pieces left empty, so that places stay what they are."""
        return "\n".join(line if owner == number else "" for line, owner in self._owned(tex.split("\n")))

    def _owned(self, lines: Sequence[str]) -> Iterator[tuple[str, int]]:
        marked, owner = re.compile(rf"% {self.word} ([1-9][0-9]{{0,4}})", re.ASCII), 1
        for line in lines:
            found = marked.fullmatch(line)
            owner = int(found[1]) if found else owner
            yield line, owner


def all_ledgers(documents: Sequence[Document]) -> Ledger:
    """Return the ledgers of all pieces as one; theorems are proved once, in the first."""
    return Ledger(
        [item for document in documents for item in document.ledger.statements],
        [item for document in documents for item in document.ledger.claims],
        list(documents[0].ledger.proofs),
    )


def is_of_none(asks: Sequence[str]) -> bool:
    """Return whether a part asks for prose and proofs alone, which belong to no piece.

    >>> is_of_none(["prose", "prove:softmax-jacobian"]), is_of_none(["map"]), is_of_none([])
    (True, False, False)
    """
    return bool(asks) and all(word == "prose" or word.startswith(PROVE) for word in asks)
