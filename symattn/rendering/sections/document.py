"""A key before it is set: sections of blocks, and everything in them that was stated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from symattn.errors import InputError, expect, shortened
from symattn.graph.key_judge.claims import Claim
from symattn.graph.quantities.statement import Statement
from symattn.languages.catalogue import ENGLISH, WEB_ONLY, Words
from symattn.records import dataclass
from symattn.rendering.content import Blank, Level, Line, Piece, Proved, Stated, Table
from symattn.rendering.latex import typesetting
from symattn.rendering.latex.prose import heading, latex_lines, prose
from symattn.rendering.latex.templates import LINES, TEMPLATES, fill
from symattn.rendering.latex.widths import LINE, width
from symattn.rendering.proofs import in_key

if TYPE_CHECKING:
    from symattn.rendering.proofs.page import ProofPage

Kind: TypeAlias = Literal["step", "head", "display", "grid", "table", "lines", "note", "prose", "proof", "facts"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a section: the title of a step, formulas, a table, prose, or the page of a proof.

    Attributes:
        kind: what it is. A head is a line that says what the next block is about; a display has formulas side by
            side, as many as a line holds, a grid aligns those that are alike.
        lines: prose, and what is set among it.
        title: of a step.
        head: the head, or the heads, that a step is about.
        number: of a step, which the document gives it.
        proved: the theorem of a proof, or facts.
        detail: how much of a proof is shown, where the theorem does not say.
        page: of a proof, once it is LaTeX.
        items: the formulas of a display or a grid.
        per_row: how many formulas of a grid belong together in a row, 0 for any number.
        table: the table.
    """

    kind: Kind
    lines: tuple[Piece, ...] = ()
    title: str = ""
    head: str = ""
    number: int = 0
    proved: tuple[Proved, ...] = ()
    detail: Level = "full"
    page: ProofPage | None = None
    items: tuple[Statement, ...] = ()
    per_row: int = 0
    table: Table | None = None

    @property
    def leads(self) -> bool:
        """True if it leads to the next block, and must not stand alone at the foot of a page.

        >>> Block("prose", ("In decimals:",)).leads, Block("prose", ("That is all.",)).leads
        (True, False)
        """
        last = self.lines[-1] if self.lines else ""
        said = last.after if isinstance(last, Stated) else last
        ends_open = isinstance(said, str) and said.rstrip().endswith(":")
        return self.kind == "head" or (self.kind in {"prose", "note"} and ends_open)


def folded(blocks: Sequence[Block], words: Words = ENGLISH) -> list[Block]:
    """Return the blocks with steps that are a single display each, one after the other, made one step.

    >>> steps = [Block("step", title="Queries"), Block("display"), Block("step", title="Keys"), Block("display")]
    >>> [block.title for block in folded(steps)]
    ['Queries and keys', '']
    """
    made: list[list[Block]] = []
    for block in blocks:
        if block.kind == "step" or not made:
            made.append([])
        made[-1].append(block)
    groups: list[list[list[Block]]] = []
    for own in made:
        before = groups[-1][-1] if groups else []
        if _is_short_step(before) and _is_short_step(own, {"note", "table"}) and before[0].head == own[0].head:
            groups[-1].append(own)
        else:
            groups.append([own])
    return [block for group in groups for block in _one_step(group, words)]


def _is_short_step(blocks: Sequence[Block], tail: Collection[Kind] = ()) -> bool:
    """Return whether a step is a display of formulas of which two fit a line, and a `tail` of some kinds."""
    kinds = [block.kind for block in blocks]
    is_plain = kinds[:2] == ["step", "display"] and all(kind in tail for kind in kinds[2:])
    return is_plain and all(width(item.written) <= LINE / 2 for item in blocks[1].items)


def _one_step(steps: Sequence[Sequence[Block]], words: Words) -> Sequence[Block]:
    if len(steps) == 1:
        return steps[0]
    titles = words.in_one([step.title for step, *_ in steps])
    items = tuple(item for _, display, *_ in steps for item in display.items)
    return [replace(steps[0][0], title=words.listed(titles)), Block("display", items=items), *steps[-1][2:]]


def numbered(sections: Iterable[Section]) -> Iterator[Section]:
    """Yield the sections with their steps numbered."""
    numbers = count(1)
    for section in sections:
        blocks = (replace(item, number=next(numbers)) if item.kind == "step" else item for item in section.blocks)
        yield replace(section, blocks=tuple(blocks))


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a problem: what it asks, and its solution.

    Attributes:
        label: its letter or number.
        title: its title, as typed.
        question: the question, as typed; nothing where the sheet has none.
        points: as a sheet prints them.
        blocks: the solution.
        is_backward: whether it is about gradients alone.
        task: the question, or one in the words of the program.
        blanks: matrices that a sheet leaves to fill in.
        space: the height in centimetres that a sheet leaves for the answer.
        room: the same as lines of LaTeX.
    """

    label: str
    title: str
    question: str
    points: str
    blocks: tuple[Block, ...]
    is_backward: bool = False
    task: str = ""
    blanks: tuple[Blank, ...] = ()
    space: float = 0
    room: tuple[str, ...] = ()


class Ledger:
    """Everything that a document states, in order."""

    __slots__ = ("claims", "proofs", "statements")

    def __init__(
        self, statements: Iterable[Statement] = (), claims: Iterable[Claim] = (), proofs: Iterable[Proved] = ()
    ) -> None:
        self.statements = list(statements)
        self.claims = list(claims)
        self.proofs = list(proofs)

    @property
    def count(self) -> int:
        """Number of statements there are: each step and each claim of a proof is one."""
        return len(self.statements) + len(self.claims) + sum(item.count for item in self.proofs)

    def state(self, statement: Statement) -> Statement:
        """Record a statement and return it."""
        self.statements.append(statement)
        return statement

    def claim(self, claim: Claim) -> Claim:
        """Record a claim and return it."""
        self.claims.append(claim)
        return claim

    def prove(self, item: Proved) -> Proved:
        """Record a theorem and return it."""
        self.proofs.append(item)
        return item


@dataclass(frozen=True, slots=True)
class Document:
    """A whole document, ready for a template; `members` are the problems of a paper of several."""

    title: str
    intro: str
    points: str
    conventions: tuple[Line, ...]
    defaults: str
    given: tuple[Piece, ...]
    sections: tuple[Section, ...]
    ledger: Ledger
    foot: str = ""
    words: Words = ENGLISH
    members: tuple[Self, ...] = ()

    @property
    def has_proofs(self) -> bool:
        """True if proofs stand in it, which need macros of their own."""
        return bool(self.ledger.proofs)


def render(document: Document, template: str = "article") -> str:
    """Return a document as LaTeX source.

    Raises:
        InputError: an unknown template, or a language that LaTeX lacks fonts for.
    """
    expect(template, str, "A template is named by text")
    if template not in TEMPLATES:
        raise InputError(f"Unknown template {shortened(template)!r}; there are {', '.join(TEMPLATES)}.")
    refuse_web_only(document.words)
    return fill(template, document.words, document=_set(document, LINES.get(template, LINE)))


def refuse_web_only(words: Words) -> None:
    """Refuse LaTeX in a language whose letters its fonts lack.

    Raises:
        InputError: always, for such a language.
    """
    if words.language in WEB_ONLY:
        raise InputError(
            f'With language = "{words.language}" a key is a web page, since the fonts of the PDF lack its letters: '
            "write it with -o key.html, or choose another language."
        )


def _set(document: Document, line: float) -> Document:
    return replace(
        document,
        title=heading(document.title),
        intro=prose(document.intro),
        conventions=latex_lines(document.conventions, line),
        given=latex_lines(document.given, line),
        sections=tuple(_section(item, line) for item in document.sections),
        members=tuple(_set(item, line) for item in document.members),
    )


def _section(section: Section, line: float) -> Section:
    return replace(
        section,
        title=heading(section.title),
        question=prose(section.question),
        task=prose(section.task),
        blocks=tuple(typeset(section.blocks, line)),
        room=tuple(typesetting.blanks(section.blanks, section.space)),
    )


def typeset(blocks: Sequence[Block], line: float = LINE) -> Iterator[Block]:
    """Yield the blocks with all that stands in them as lines of LaTeX, for lines of a width in points."""
    for block in blocks:
        page = block.page
        if block.kind == "proof":
            head, page = in_key.theorem(block.proved[0], block.detail, line)
            lines = [head]
        elif block.kind == "facts":
            lines = [source for item in block.proved for source in in_key.fact(item, line)]
        elif block.kind == "display":
            lines = typesetting.side_by_side(block.items, line)
        elif block.kind == "grid":
            lines = typesetting.grid(block.items, block.per_row, line)
        elif block.table is not None:
            lines = typesetting.table(block.table.header, block.table.rows, block.table.columns, line)
        else:
            lines = [*latex_lines(block.lines, line)]
        yield replace(block, lines=tuple(lines), page=page)
