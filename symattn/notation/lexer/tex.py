r"""Shared tokenizer of LaTeX: environments, row ends, words in fonts, the meanings of commands."""

from __future__ import annotations

import re
from typing import ClassVar, TypeAlias

from symattn.errors import NotationError
from symattn.notation.lexer.escapes import braced_end, unescape
from symattn.notation.lexer.tokens import Token
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import is_function

Meaning: TypeAlias = tuple[str, str]
"""Kind and text of a token."""

LETTERS = re.compile(r"[A-Za-z]+")
ROW = re.compile(r"\\\\\*?(?:\s*\[\s*-?[0-9.]+\s*(?:pt|em|ex|mm|cm|in|mu|bp)\s*\])?")
COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{\s*([A-Za-z]+)(\*?)\s*\}")
_OPTION = re.compile(r"\s*\[[lcrtb]\]")
_SPACES = re.compile(r"\s*")
_WITH_COLUMNS = frozenset({"array", "alignat", "alignedat"})

SPECIAL: dict[str, Meaning] = {
    "sqrt": ("root", "√"), "boxed": ("box", "boxed"), "fbox": ("box", "boxed"), "sum": ("sum", "∑"),
    "top": ("top", "⊤"), "intercal": ("top", "⊤"), "tr": ("top", "⊤"), "prime": ("prime", "'"),
    "R": ("reals", "ℝ"), "RR": ("reals", "ℝ"), "lbrace": ("open", "{"), "rbrace": ("close", "}"),
    "lbrack": ("open", "["), "rbrack": ("close", "]"), "colon": ("colon", ":"), "notin": ("notin", "∉"),
    "lVert": ("baropen", "‖"), "rVert": ("barclose", "‖"), "Vert": ("bar", "‖"),
    "lvert": ("baropen", "|"), "rvert": ("barclose", "|"), "vert": ("bar", "|"), "mid": ("given", "|"),
}  # fmt: skip
"""Commands that are tokens of a kind of their own."""


def operators(commands: dict[str, str]) -> dict[str, Meaning]:
    """Return the meanings of commands that are multiplication signs or slashes.

    >>> operators({"cdot": "cdot", "div": "/"})
    {'cdot': ('times', 'cdot'), 'div': ('slash', '/')}
    """
    return {name: ("slash" if sign == "/" else "times", sign) for name, sign in commands.items()}


MEANINGS: dict[str, Meaning] = {
    **{name: ("fraction", name) for name in symbols.FRACTIONS},
    **{name: ("name", name) for name in symbols.SYMBOLS},
    **SPECIAL,
    **{name: ("font", font) for name, font in symbols.FONTS.items()},
    **{name: ("dots", shape) for name, shape in symbols.DOT_COMMANDS.items()},
    **operators(symbols.OPERATOR_COMMANDS),
    **{name: ("relation", sign) for name, sign in symbols.RELATION_COMMANDS.items()},
    **{name: ("relation", sign) for name, sign in symbols.PROOF_RELATION_COMMANDS.items()},
}
"""Kind and text of the token for each command, functions aside."""


class TexLexer:
    """An offset into a text in LaTeX, and the tokens before it.

    Args:
        text: one formula.
        functions: the words that are functions.
    """

    meanings = MEANINGS
    entities: ClassVar[dict[str, str]] = {"&amp;": "&", "&lt;": "<", "&gt;": ">"}
    takes_option = frozenset(symbols.MATRIX_BRACKETS) | symbols.LAYOUT_ENVIRONMENTS
    """The environments behind whose beginning an option may stand, as in ``[t]``."""

    def __init__(self, text: str, functions: frozenset[str]) -> None:
        self.text = text
        self.functions = functions
        self.position = 0
        self.tokens: list[Token] = []
        self.environments: list[tuple[str, int]] = []

    def emit(self, kind: str, text: str, end: int, font: str = "") -> None:
        """Append a token, from here to `end`."""
        self.tokens.append(Token(kind, text, self.position, end, font))
        self.position = end

    def in_matrix(self) -> bool:
        """Return True if the innermost environment is a matrix."""
        return bool(self.environments) and self.environments[-1][0] in symbols.MATRIX_BRACKETS

    def check_closed(self) -> None:
        """Refuse an environment that does not end."""
        if self.environments:
            name, start = self.environments[-1]
            raise NotationError(f"\\begin{{{name}}} is not closed: write \\end{{{name}}}.", start)

    def entity(self) -> tuple[str, int]:
        """Return the character that an ampersand or an HTML entity here stands for, and the end of it."""
        entity = next((entity for entity in self.entities if self.text.startswith(entity, self.position)), "&")
        return self.entities.get(entity, "&"), self.position + len(entity)

    # Commands ------------------------------------------------------------------------------------

    def meaning(self, name: str) -> Meaning:
        """Return the kind and the text of the token of a command."""
        found = self.meanings.get(name)
        if found is not None:
            return found
        if is_function(name, self.functions):
            return "name", name
        raise NotationError(f"The command \\{name[:30]} is not known.", self.position)

    def words(self, name: str, end: int) -> tuple[str, int, int]:
        """Return the words in the argument of a command, the offset of its brace, and the end of the argument."""
        start = _SPACES.match(self.text, end)
        opening = start.end() if start else end
        close = braced_end(self.text, end, name)
        return unescape(self.text[opening + 1 : close - 1], opening + 1), opening, close

    def environment(self) -> None:
        r"""Read ``\begin`` and ``\end`` with the name behind them."""
        found = _ENVIRONMENT.match(self.text, self.position)
        if found is None:
            raise NotationError("The name of an environment is missing: write it in braces.", self.position)
        name = found.group(2)
        if name not in symbols.MATRIX_BRACKETS and name not in symbols.LAYOUT_ENVIRONMENTS:
            raise NotationError(f"The environment {name[:30]} is not known.", found.start(2))
        if found.group(1) == "end":
            self._end(name, found.end())
        else:
            self._begin(name, found.end(), is_starred=bool(found.group(3)))

    def _begin(self, name: str, end: int, *, is_starred: bool) -> None:
        option = _OPTION.match(self.text, end) if is_starred or name in self.takes_option else None
        end = option.end() if option else end
        if name in _WITH_COLUMNS:
            end = braced_end(self.text, end, f"begin{{{name}}}")
        self.environments.append((name, self.position))
        if name in symbols.MATRIX_BRACKETS:
            self.emit("matrix", name, end)
        self.position = end

    def _end(self, name: str, end: int) -> None:
        if not self.environments or self.environments[-1][0] != name:
            raise NotationError(f"\\end{{{name}}} has no \\begin{{{name}}} before it.", self.position)
        self.environments.pop()
        if name in symbols.MATRIX_BRACKETS:
            self.emit("endmatrix", name, end)
        self.position = end
