"""Pieces of a document: trees and prose, which a writer of LaTeX or HTML sets.

Prose is inline markup, as people write it on a sheet: words, and formulas between dollars in the LaTeX that
`symattn.notation` reads.
"""

from __future__ import annotations

from typing import TypeAlias

from symattn.graph.key_judge.claims import Claim
from symattn.graph.quantities.statement import Statement
from symattn.records import dataclass


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
class Label:
    """A line among what is given that says whose the next matrices are."""

    text: str


Line: TypeAlias = str | Stated | Claimed | Mark | Typed | Label
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
    """Lines of a diagram from an output to inputs that share a rank, with the claim that they make."""

    output: int
    inputs: tuple[int, ...]
    claim: Claim
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """A picture of tokens on two vertical lines, joined by edges, with its legend."""

    inputs: int
    outputs: int
    edges: tuple[Edge, ...]
    legend: tuple[str, ...]


Piece: TypeAlias = Line | Beside | Items | Diagram
"""What stands in a block of prose, or among what is given."""
