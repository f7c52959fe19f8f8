"""TRUSTED. Cursor over the tokens of a formula, and its messages for unexpected tokens."""

from __future__ import annotations

from typing import NoReturn

from symattn.errors import NotationError
from symattn.notation import limits
from symattn.notation.tokens import Token

_NAMES = {
    "end": "the end of the formula", "sign": "a sign", "times": "a multiplication sign", "slash": "a slash",
    "relation": "a relation", "comma": "a comma", "semicolon": "a semicolon", "close": "a closing bracket",
    "unbrace": "a closing brace", "above": "an exponent mark", "below": "an index mark", "prime": "a prime",
    "cell": "an alignment mark", "row": "a row end", "endmatrix": "the end of a matrix", "point": "a point",
    "bar": "a vertical bar", "given": "a vertical bar", "baropen": "a vertical bar", "barclose": "a vertical bar",
    "notin": "the sign", "percent": "a percent sign", "colon": "a colon", "top": "a transpose mark",
    "open": "an opening bracket",
    "brace": "an opening brace", "number": "the number", "name": "the name",
}  # fmt: skip


class Cursor:
    """A position in a list of tokens, with the depth of brackets there.

    >>> cursor = Cursor([Token("number", "3", 0, 1), Token("end", "", 1, 1)], frozenset())
    >>> cursor.take().text, cursor.here.kind
    ('3', 'end')
    """

    def __init__(self, tokens: list[Token], functions: frozenset[str]) -> None:
        self.tokens = tokens
        self.functions = functions
        self.position = 0
        self.nesting = 0
        self.split_end = 0

    @property
    def read_end(self) -> int:
        """Return the end of the text read so far; inside a numeral, when only its first digit was taken."""
        return max(self.tokens[self.position - 1].end, self.split_end)

    @property
    def here(self) -> Token:
        """Return the next token without reading it."""
        return self.tokens[self.position]

    def take(self) -> Token:
        """Read one token."""
        token = self.tokens[self.position]
        self.position += 1
        return token

    def peek(self, offset: int = 1) -> Token:
        """Return a token further on; the end token when there is none."""
        return self.tokens[min(self.position + offset, len(self.tokens) - 1)]

    def expect(self, kind: str, text: str, opened: Token) -> Token:
        """Read the token that closes `opened`."""
        if self.here.kind == kind and self.here.text == text:
            return self.take()
        raise NotationError(
            f"Found {self.shown(self.here)} where {text} was expected to close the {opened.text} before it.",
            self.here.start,
        )

    def shown(self, token: Token) -> str:
        """Describe a token for a message."""
        name = _NAMES.get(token.kind, "the command")
        if token.kind in {"end", "endmatrix", "row", "times"}:
            return name
        return f"{name} {token.text if len(token.text) <= 30 else token.text[:30] + '…'}"

    def unexpected(self, wanted: str) -> NoReturn:
        """Refuse the next token."""
        raise NotationError(f"Found {self.shown(self.here)} where {wanted} was expected.", self.here.start)

    def enter(self, start: int) -> None:
        """Count one level of nesting; every recursion of the grammar passes here."""
        self.nesting += 1
        if self.nesting > limits.MAX_NESTING:
            raise NotationError(f"The formula is nested more than {limits.MAX_NESTING} levels deep here.", start)

    def leave(self) -> None:
        """Leave the level that `enter` counted."""
        self.nesting -= 1

    def limit(self, count: int, what: str) -> None:
        """Refuse a sum, product or list that is longer than anything people write."""
        if count > limits.MAX_ITEMS:
            raise NotationError(f"There are more than {limits.MAX_ITEMS} {what} here.", self.here.start)
