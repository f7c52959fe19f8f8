"""Pieces of a document: trees and prose, which a writer of LaTeX or HTML sets.

Prose is inline markup, as people write it on a sheet: words, and formulas between dollars in the LaTeX that
`symattn.notation` reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from symattn.graph.key_judge.claims import Claim
from symattn.graph.quantities.statement import Statement
from symattn.languages.catalogue import ENGLISH, Words
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.proofs.kernel.record import Proof
    from symattn.proofs.proof_replay import Replayed


@dataclass(frozen=True, slots=True)
class Stated:
    """A judged formula in running text, and what follows it."""

    statement: Statement
    after: str = ""


@dataclass(frozen=True, slots=True)
class Claimed:
    """Prose that makes a judged claim; without words it is part of the line before it."""

    text: str
    claim: Claim


@dataclass(frozen=True, slots=True)
class Mark:
    """Mark of the sequence or block whose quantities are stated from here on.

    Attributes:
        word: ``"sequence"`` or ``"block"``.
        number: its number, from 1.
    """

    word: str
    number: int


@dataclass(frozen=True, slots=True)
class Typed:
    """Paragraphs that the author of the sheet typed, with lists and displays; what cannot be read stays as typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Text as it stands in a file, with the words around it."""

    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class Label:
    """A line among what is given that says whose the next matrices are."""

    text: str


Line: TypeAlias = str | Stated | Claimed | Mark | Typed | Code | Label
"""A line of prose; the lines of a paragraph are joined by spaces."""

Cell: TypeAlias = Statement | tuple[str, Claim] | str
"""What stands in a table: a statement, words that make a claim, or words."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Short statements, as many beside each other as fit a line."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of judged cells.

    Attributes:
        header: the titles of the columns.
        rows: the cells below them.
        columns: the alignment of the columns, as LaTeX has it.
    """

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    columns: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list with close items, each a paragraph."""

    paragraphs: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """Lines from an output to its most influential inputs, or to those that come second.

    Attributes:
        query: the output, from 1.
        keys: the inputs, from 1; several in an exact tie.
        is_second: whether they come second, and are joined by dashed lines.
        claim: what the lines say.
        percent: the weight of each input.
    """

    query: int
    keys: tuple[int, ...]
    is_second: bool
    claim: Claim
    percent: int


@dataclass(frozen=True, slots=True)
class Diagram:
    """Inputs and outputs as dots on two vertical lines, joined by edges.

    Attributes:
        inputs: how many inputs there are.
        outputs: how many outputs there are.
        edges: the lines between them.
        by_weight: whether a line is as thick as the weight is large.
        head: the head, 0 where there are none.
        words: the fixed texts of its language.
    """

    inputs: int
    outputs: int
    edges: tuple[Edge, ...]
    by_weight: bool = False
    head: int = 0
    words: Words = ENGLISH


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A matrix whose cells are the darker, the larger their values.

    Attributes:
        symbol: the name of the matrix.
        shades: how dark each cell is, from 0 to 100; None for a cell without a value.
        statement: the numbers in the cells, None where they are too many, or where one is undefined.
        is_mask: whether a dark cell is a key that is seen, rather than a large weight.
        head: the head, 0 where there are none.
        words: the fixed texts of its language.
    """

    symbol: t.Node
    shades: Sequence[Sequence[int | None]]
    statement: Statement | None
    is_mask: bool = False
    head: int = 0
    words: Words = ENGLISH


@dataclass(frozen=True, slots=True)
class Pictures:
    """Diagrams of heads, and heat maps of weights and masks, that stand together."""

    diagrams: tuple[Diagram, ...] = ()
    maps: tuple[HeatMap, ...] = ()
    legend: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Blank:
    """A matrix of this shape, or a number, that a sheet leaves to fill in."""

    symbol: t.Node
    rows: int = 1
    columns: int = 1


Piece: TypeAlias = Line | Beside | Items | Pictures
"""What stands in a block of prose, or among what is given."""


Level = Literal["brief", "full"]
"""How much of a proof is shown: without remarks and with routine steps drawn together, or all."""

LEVELS: tuple[Level, ...] = ("brief", "full")


@dataclass(frozen=True, slots=True)
class Proved:
    """A theorem that a part asks for, or a fact that stands beside an answer; replay proved it before.

    Attributes:
        proof: the record, with the claims that are shown.
        replayed: what replay found of it.
        part: the number of the part, from 0.
        is_fact: whether its claims stand alone, without their proof.
        is_whole: whether these are all claims of the theorem.
        instance: rows of a worked case in numbers.
        detail: how much of the proof is shown, or nothing for as much as of the rest.
        auxiliary: the ids of the claims that only prepare others, and stand behind them.
    """

    proof: Proof
    replayed: Replayed
    part: int
    is_fact: bool = False
    is_whole: bool = True
    instance: tuple[tuple[str, str, str], ...] = ()
    detail: Level | None = None
    auxiliary: frozenset[str] = frozenset()

    @property
    def count(self) -> int:
        """Number of statements the key makes of it: steps and claims, or the claims alone."""
        return len(self.proof.claims) + (0 if self.is_fact else len(self.proof.steps))
