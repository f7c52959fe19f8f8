r"""Shared state of the lenient parser: notes of ambiguities, and arguments of commands."""

from __future__ import annotations

from typing import NoReturn

from symattn.errors import NotationError
from symattn.notation.lexer.separators import Note
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.operands import Item
from symattn.notation.parser.tex_commands import TexParser
from symattn.notation.tree import nodes as t
from symattn.notation.words import CALLS

WORD_FUNCTIONS = t.FUNCTIONS | (t.PROOF_FUNCTIONS - {"E"}) | CALLS
"""Words that call what stands in brackets behind them, in people's work."""

_PLACE_ENDS = frozenset({"close", "comma", "cell", "row", "endmatrix"})


class SideBase(TexParser):
    """The state of the parser.

    Args:
        tokens: those of one side, their layout settled.
        plain: whether it is plain text, where words are names.
        flips: the kinds of ambiguity in which the less likely reading is asked for.
    """

    may_end_with_cell = True
    index_separators = frozenset({"comma", "semicolon"})

    def __init__(self, tokens: list[Token], *, plain: bool, flips: frozenset[str]) -> None:
        super().__init__(list(tokens), WORD_FUNCTIONS)
        self.plain = plain
        self.flips = flips
        self.notes: dict[str, Note] = {}
        self.in_bars = False

    def note(self, kind: str, reason: str, at: int) -> bool:
        """Note an ambiguity, the first place of each kind, and return True if its other reading was asked for."""
        self.notes.setdefault(kind, Note(reason, at))
        return kind in self.flips

    def starts_operand(self) -> bool:
        """Return True if an operand begins here; inside bars the next bar closes them."""
        kind = self.tokens[self.position].kind
        return kind in self.readers and not (kind == "bar" and (self.in_bars or self.is_given() or self.is_joint()))

    def has_open_bar(self) -> bool:
        """Return True if a bar was opened in the innermost brackets."""
        return self.in_bars

    # Refusals ------------------------------------------------------------------------------------

    def unexpected(self, wanted: str) -> NoReturn:
        """Refuse the next token, with more words where people are known to stumble."""
        token = self.here
        if token.kind == "plusminus":
            raise NotationError("A plus-minus sign stands for two values: write each separately.", token.start)
        if token.kind == "relation":
            raise NotationError(
                "A relation inside an expression is not read: write it outside of brackets and boxes.", token.start
            )
        if token.kind in {"cell", "row", "endmatrix"} and wanted.startswith("a number"):
            raise NotationError("An entry of this matrix is empty: write it.", token.start)
        super().unexpected(wanted)

    def expect(self, kind: str, text: str, opened: Token) -> Token:
        """Read the token that closes `opened`."""
        if self.here.kind == "relation":
            self.unexpected(text)
        return super().expect(kind, text, opened)

    def refuse_digit_groups(self, opened: str = "") -> None:
        """Accept commas: in brackets they separate items; elsewhere they were settled with the layout."""

    def stray(self) -> Item:
        """Read a place that is left open, ``Var(·)``, as dots."""
        if self.here.kind != "times" or self.peek().kind not in _PLACE_ENDS:
            self.unexpected("a number, a name or a bracket")
        token = self.take()
        return Item(t.Dots("cdots", span=(token.start, token.end)), token.start, token.end)

    # Arguments -----------------------------------------------------------------------------------

    def braced(self) -> Item:
        """Read the contents of braces, which may be a list."""
        opened = self.take()
        outer, self.in_bars = self.in_bars, False
        items = self.items(opened.text)
        self.in_bars = outer
        span = (opened.start, self.close(opened).end)
        if len(items) == 1:
            return Item(items[0].node, *span, braced=True)
        return Item(t.Vector(tuple(item.node for item in items), "(", span=span), *span)

    def short(self, told: str) -> Item:
        """Read an argument without braces: the whole numeral, or its first digit if TeX's reading is asked for."""
        token = self.here
        if token.kind == "sign":
            return self.signed(self.argument)
        if self.plain or token.kind != "number" or len(token.text) == 1 or token.end - token.start != len(token.text):
            return self.argument()
        reason = (
            f"{told}{token.text} means all of {token.text} to people, and only {token.text[0]} to TeX: write braces."
        )
        return self.first_digit() if self.note("digits", reason, token.start) else self.argument()

    def first_digit(self) -> Item:
        """Read one digit as TeX does; the rest of the numeral is not part of the argument."""
        token = self.here
        if token.kind != "number" or len(token.text) == 1 or not (token.text[0] + token.text[-1]).isdigit():
            return self.argument()
        if not token.text[1:].replace(".", "", 1).isdigit() or token.end - token.start != len(token.text):
            return self.argument()
        return self.leading_digit()

    def is_label(self) -> bool:
        """Return True if brackets follow, in braces or not, as around the number of a head."""
        return self.here.kind == "open" or (self.here.kind == "brace" and self.peek().kind == "open")

    def indexed(self, name: t.Name) -> t.Node:
        """Read the index of a name where no braces hold both: ``e^z_j``, ``√d_k``."""
        self.take()
        start = name.span[0] if name.span else 0
        indices = self.index(Item(name, start, self.here.start))
        return t.Subscript(name, indices, span=(start, self.read_end))
