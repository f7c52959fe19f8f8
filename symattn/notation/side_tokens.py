"""Lenient tokenizer for one side of a chain as people write it, in LaTeX or in plain text.

It knows everything that the strict tokenizers know, and the habits beyond: two ways of writing in one
formula, Python's and C's numerals and prefixes, Unicode scripts, spaces that part entries. What such a
space, a comma between digits or a lone backslash means is settled later, in `side_layout`.
"""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation.side_lexer import Notation
from symattn.notation.side_signs import SignLexer
from symattn.notation.side_tex import CommandLexer
from symattn.notation.side_vocabulary import ALONE, CHARACTERS
from symattn.notation.side_words import WordLexer
from symattn.notation.tokens import Token, check_text

MAX_TOKENS = 32_000
"""Parts of one side: enough for the largest matrix with a sign before each entry."""


def tokenize(text: str, notation: Notation, offset: int) -> list[Token]:
    r"""Split one side into tokens, the last one of the kind ``end``; their places are counted from `offset`.

    >>> [token.text for token in tokenize("np.exp(1.5f)", "plain", 0)]
    ['exp', '(', '1.5', ')', '']

    Raises:
        NotationError: at the first character that no formula holds, counted from the start of `text`.
    """
    check_text(text)
    return _Lexer(text, notation, offset).run()


class _Lexer(WordLexer, SignLexer, CommandLexer):
    """The tokenizer: each part of it stands in a file of its own."""

    def run(self) -> list[Token]:
        self.phrase()
        while self.position < len(self.text):
            self.token(self.text[self.position])
            if len(self.tokens) > MAX_TOKENS:
                raise NotationError(f"One side has more than {MAX_TOKENS} parts: split it.", self.position)
        self.check_closed()
        self.emit("end", "", self.position)
        return self.tokens

    def token(self, character: str) -> None:
        if character == " ":
            self.position += 1
        elif character == "\\":
            self.backslash()
        elif character in "0123456789." and self.number():
            return
        elif "a" <= character <= "z" or "A" <= character <= "Z":
            self.letters()
        elif character in ALONE:
            self.emit(*CHARACTERS[character], self.position + 1)
        else:
            self.sign(character)
