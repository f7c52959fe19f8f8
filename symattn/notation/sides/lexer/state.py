"""Shared state of the lenient tokenizer: position, preceding tokens, depth of brackets."""

from __future__ import annotations

import re
from typing import ClassVar, Literal, TypeAlias

from symattn.errors import NotationError
from symattn.notation.lexer.tex import COMMAND, TexLexer
from symattn.notation.lexer.tokens import Token
from symattn.notation.sides.lexer.vocabulary import ACCENT_CHARACTERS, COMMANDS, WORD_FUNCTIONS
from symattn.notation.tree import limits

Notation: TypeAlias = Literal["latex", "plain"]

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
TRANSPOSED = re.compile(r"\.(?:T|mT|t\(\)|transpose\(\))(?![A-Za-z0-9])")
ENGLISH = re.compile(r"[A-Za-z]?[a-z]{3,}")

_NESTING = {"open": 1, "angle": 1, "brace": 1, "matrix": 1, "close": -1, "unbrace": -1, "endmatrix": -1}


class SideLexer(TexLexer):
    """The state of the tokenizer.

    Args:
        text: one side.
        notation: what names and braces mean in it.
        offset: what is added to the places of tokens, but not to those of errors.
    """

    meanings = COMMANDS
    entities: ClassVar[dict[str, str]] = TexLexer.entities | {"&nbsp;": " "}

    def __init__(self, text: str, notation: Notation, offset: int) -> None:
        super().__init__(text, WORD_FUNCTIONS)
        self.plain = notation == "plain"
        # Commands in plain text make braces mean what they mean in LaTeX; words stay words.
        self.braces = not self.plain or COMMAND.search(QUOTED.sub("", text)) is not None
        self.offset = offset
        self.levels: list[str] = []
        self.nesting = 0

    def emit(self, kind: str, text: str, end: int, font: str = "") -> None:
        """Append a token, from here to `end`."""
        self.tokens.append(Token(kind, text, self.position + self.offset, end + self.offset, font))
        if kind in _NESTING:
            self.nesting += _NESTING[kind]
            if self.nesting > limits.MAX_NESTING:
                raise NotationError(
                    f"The formula is nested more than {limits.MAX_NESTING} levels deep here.", self.position
                )
        self.position = end

    def drop_opening(self, index: int) -> None:
        """Remove a bracket or brace that opened for nothing."""
        del self.tokens[index]
        self.nesting -= 1

    def before(self) -> str:
        """Return the kind of the token before."""
        return self.tokens[-1].kind if self.tokens else "start"

    def combining(self) -> None:
        """Read a combining accent behind the letter that carries it; behind a number it says nothing."""
        accent = self.text[self.position : self.position + 1]
        if accent in ACCENT_CHARACTERS and self.before() == "name":
            last = self.tokens.pop()
            text = f"{ACCENT_CHARACTERS[accent]} {last.text}".strip()
            self.position += 1
            self.tokens.append(last._replace(text=text, end=self.position + self.offset))

    def single_letters(self, run: str) -> None:
        """Append letters side by side, each a name."""
        for letter in run:
            self.emit("name", letter, self.position + 1)
        self.combining()

    def check_name(self, name: str, start: int) -> None:
        """Refuse a name that nobody would write."""
        if len(name) > limits.MAX_NAME:
            raise NotationError(f"A name has {len(name)} letters; at most {limits.MAX_NAME} are read.", start)
