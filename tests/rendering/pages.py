"""Pages of HTML taken apart: their tags, their words, and what each judged formula says."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from symattn.notation.tree import nodes as t
from tests.notation.mathml_reader import read_mathml

VOID = frozenset({"meta", "br", "hr"})


@dataclass
class Noted:
    """An element with a note: what it is about, its formulas as MathML, and its words outside of formulas."""

    note: str
    depth: int
    formulas: list[str] = field(default_factory=list)
    words: str = ""

    @property
    def tree(self) -> t.Node:
        """The chain whose relations stand in formulas of their own."""
        first, *others = map(read_mathml, self.formulas)
        if not isinstance(first, t.Relation):
            assert others == []
            return first
        sides, operators = first.sides, first.operators
        for other in others:
            assert isinstance(other, t.Relation)
            assert other.sides[0] is None
            sides += other.sides[1:]
            operators += other.operators
        return t.Relation(sides, operators)


class Page(HTMLParser):
    """A page that was read: tags in order, notes, formulas, and all attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: list[str] = []
        self.attributes: set[tuple[str, str]] = set()
        self.noted: list[Noted] = []
        self.formulas: list[str] = []
        self.open: list[str] = []
        self.waiting: list[Noted] = []
        self.math = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update((f"{tag} {name}", value or "") for name, value in attrs)
        if tag in VOID:
            return
        self.open.append(tag)
        note = dict(attrs).get("data-symattn")
        if note is not None:
            self.waiting.append(Noted(note, len(self.open)))
            self.noted.append(self.waiting[-1])
        if tag == "math" or self.math:
            self.math += self.get_starttag_text() or ""

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass
        if self.math:
            self.math += f"</{tag}>"
        if tag == "math":
            self.formulas.append(self.math)
            if self.waiting:
                self.waiting[-1].formulas.append(self.math)
            self.math = ""
        while self.waiting and len(self.open) < self.waiting[-1].depth:
            self.waiting.pop()

    def handle_data(self, data: str) -> None:
        if self.math:
            self.math += data
        elif self.waiting:
            self.waiting[-1].words += data

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")
