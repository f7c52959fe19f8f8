"""TRUSTED. Tokens of formulas, the form of numerals, and the cursor of the parser over the tokens."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from symattn import late
from symattn.errors import NotationError
from symattn.notation.tree import limits

_CONTROL = late.pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffd]")


LINE_BREAK = "the line break"
"""The text of the token of a line break, which is layout inside of brackets."""


class Token(NamedTuple):
    """One piece of a formula: its kind, its text and its span.

    >>> Token("number", "0.60", 4, 8)
    Token(kind='number', text='0.60', start=4, end=8, font='')
    """

    kind: str
    text: str
    start: int
    end: int
    font: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """Return where it stands."""
        return self.start, self.end


def check_text(text: str) -> None:
    """Refuse a text that is too long or holds characters that no formula holds.

    >>> check_text("Q = 3")

    Raises:
        NotationError: with the offset of the character that is refused.
    """
    if len(text) > limits.MAX_LENGTH:
        raise NotationError(
            f"The formula has {len(text)} characters; at most {limits.MAX_LENGTH} are read: split it.",
            limits.MAX_LENGTH,
        )
    found = _CONTROL.search(text)
    if found:
        raise NotationError(
            f"The character U+{ord(found.group()):04X} cannot stand in a formula: remove it.", found.start()
        )


def numeral(token: str, start: int) -> str:
    """Return a numeral in the one form that `Number` holds: a plain exponent, no trailing point.

    >>> numeral("1.E+05", 0), numeral("0.60", 0)
    ('1e5', '0.60')

    Raises:
        NotationError: when it has too many digits or too large an exponent.
    """
    if len(token) > limits.MAX_DIGITS:
        raise NotationError(f"A number has {len(token)} characters; at most {limits.MAX_DIGITS} are read.", start)
    mantissa, mark, exponent = token.lower().partition("e")
    if len(exponent) > 10 or abs(int(exponent or "0")) > limits.MAX_EXPONENT:
        raise NotationError(f"The exponent {exponent[:20]} is larger than {limits.MAX_EXPONENT}.", start)
    return f"{mantissa.removesuffix('.')}e{int(exponent)}" if mark else mantissa.removesuffix(".")


def percentage(digits: str) -> str:
    """Return the numeral of a percentage: the same digits, two places lower.

    >>> percentage("37.5")
    '37.5e-2'
    """
    return f"{digits}e-2"


_DESCRIPTIONS = {
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
        self.refuse_relation()
        raise NotationError(
            f"Found {self.shown(self.here)} where {text} was expected to close the {opened.text} before it.",
            self.here.start,
        )

    def refuse_relation(self) -> None:
        """Refuse a relation where an expression goes on or ends."""
        if self.here.kind == "relation":
            raise NotationError(
                "A relation inside an expression is not read: write it outside of brackets and boxes.", self.here.start
            )

    def shown(self, token: Token) -> str:
        """Describe a token for a message."""
        name = _DESCRIPTIONS.get(token.kind, "the command")
        if token.kind in {"end", "endmatrix", "row", "times"}:
            return name
        return f"{name} {token.text if len(token.text) <= 30 else token.text[:30] + '…'}"

    def unexpected(self, wanted: str) -> NoReturn:
        """Refuse the next token."""
        if self.here.kind == "plusminus":
            raise NotationError("A plus-minus sign stands for two values: write each separately.", self.here.start)
        if self.here.kind in {"cell", "row", "endmatrix"} and wanted.startswith("a number"):
            raise NotationError("An entry of this matrix is empty: write it.", self.here.start)
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
