"""A key before it is set: sections of blocks, and everything in them that was stated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from symattn.derivation.claims import Claim
from symattn.derivation.statement import Statement

Kind: TypeAlias = Literal["step", "lines", "note", "prose"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a section: the title of a step, or lines of LaTeX."""

    kind: Kind
    lines: tuple[str, ...] = ()
    title: str = ""
    number: int = 0

    @property
    def source(self) -> str:
        """The lines as LaTeX source."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a problem: what it asks, in LaTeX, and its solution."""

    label: str
    title: str
    question: str
    points: str
    blocks: tuple[Block, ...]


@dataclass(slots=True)
class Ledger:
    """Everything that a document states, in order."""

    statements: list[Statement] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)

    def state(self, statement: Statement) -> Statement:
        """Records a statement and hands it on."""
        self.statements.append(statement)
        return statement

    def claim(self, claim: Claim) -> Claim:
        """Records a claim and hands it on."""
        self.claims.append(claim)
        return claim


@dataclass(frozen=True, slots=True)
class Document:
    """A whole document, ready for a template."""

    title: str
    intro: str
    points: str
    conventions: tuple[str, ...]
    defaults: str
    given: tuple[str, ...]
    sections: tuple[Section, ...]
    ledger: Ledger
    foot: str = ""
