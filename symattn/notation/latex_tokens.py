"""The tokenizer for LaTeX: commands, numerals, and the layout of aligned lines."""

from __future__ import annotations

import re

from symattn.errors import NotationError
from symattn.notation import symbols
from symattn.notation.latex_text import braced_end, unescape
from symattn.notation.precedence import is_function
from symattn.notation.tokens import Token, check_count, check_text, numeral, percentage, settle

_SKIP = re.compile(r"(?:[ \t\r\f\v]|\n(?!\s*\n)|%[^\n]*(?:\n[ \t]*)?|~|\\[,:;!>]|\$+|\\[()]|\{\s*\})+")
_SKIPPED = frozenset(" \t\r\f\v\n%~\\${")
_PARAGRAPH = re.compile(r"\n\s*\n\s*")
_NUMBER = re.compile(
    r"(?P<thin>[0-9]{1,3}(?:\\,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?)"
    r"|(?P<groups>[0-9]{1,3}(?:\{,\}[0-9]{3}){2,}(?![0-9])(?:\.[0-9]+)?)"
    r"|(?P<comma>[0-9]+\{,\}[0-9]+)"
    r"|(?P<plain>(?:[0-9]+(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
)
_PERCENT = re.compile(r"[ \t]*(?:\\[,;:!])?\\%")
_LETTERS = re.compile(r"[A-Za-z]+")
_ROW = re.compile(r"\\\\\*?(?:\s*\[\s*-?[0-9.]+\s*(?:pt|em|ex|mm|cm|in|mu|bp)\s*\])?")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_DELIMITER = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)\s*\.")
_DISPLAY = re.compile(r"\\\[|\\\]")
_ROMAN_WORD = re.compile(r"\\(?:mathrm|mathsf|mathtt|mathit|operatorname\*?)\s*\{\s*([A-Za-z][A-Za-z0-9]*)\s*\}")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{\s*([A-Za-z]+)(\*?)\s*\}")
_WITH_OPTION = frozenset({"array", "aligned", "alignedat", "gathered"})
_OPTION = re.compile(r"\s*\[[lcrtb]\]")
_SPACES = re.compile(r"\s*")
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">"}
_SINGLE = {"{": ("open", "{"), "}": ("close", "}"), "%": ("percent", "%"), "|": ("bar", "\\|")}


def tokenize(text: str, functions: frozenset[str]) -> list[Token]:
    r"""The tokens of one formula in LaTeX, the last one of the kind ``end``.

    >>> [token.text for token in tokenize(r"Q_{31} &= \tfrac52.", frozenset())]
    ['Q', '_', '{', '31', '}', '=', 'tfrac', '52', '']

    Raises:
        NotationError: at the first character that no formula holds.
    """
    check_text(text)
    return settle(_Lexer(text, functions).run(), len(text))


class _Lexer:
    def __init__(self, text: str, functions: frozenset[str]) -> None:
        self.text = text
        self.functions = functions
        self.position = 0
        self.tokens: list[Token] = []
        self.environments: list[tuple[str, int]] = []

    def run(self) -> list[Token]:
        while self.position < len(self.text):
            skipped = self.text[self.position] in _SKIPPED and _SKIP.match(self.text, self.position)
            if skipped:
                self.position = skipped.end()
            else:
                self._token()
                check_count(self.tokens)
        if self.environments:
            name, start = self.environments[-1]
            raise NotationError(f"\\begin{{{name}}} is not closed: write \\end{{{name}}}.", start)
        return _without_lone_braces(self.tokens)

    def _emit(self, kind: str, text: str, end: int, font: str = "") -> None:
        self.tokens.append(Token(kind, text, self.position, end, font))
        self.position = end

    def _token(self) -> None:
        character = self.text[self.position]
        if character == "\\":
            self._backslash()
        elif character in "0123456789." and self._number():
            return
        elif "a" <= character.lower() <= "z":
            self._letters()
        elif character == "&":
            self._ampersand()
        else:
            self._character(character)

    def _character(self, character: str) -> None:
        start = self.position
        if self.text.startswith("...", start):
            self._emit("dots", "cdots", start + 3)
        elif character == "\n":
            found = _PARAGRAPH.match(self.text, start)
            self._emit("soft", "the blank line", found.end() if found else start + 1)
        elif character in symbols.CHARACTERS:
            self._emit(*symbols.CHARACTERS[character], start + 1)
        elif character == ".":
            self._emit("point", ".", start + 1)
        elif character == "|":
            self._emit("bar", "|", start + 1)
        else:
            raise NotationError(f"The character {character!r} has no meaning in a formula here.", start)

    def _number(self) -> bool:
        found = _NUMBER.match(self.text, self.position)
        if found is None:
            return False
        start, end = found.span()
        digits = found.group()
        if found["thin"] or found["groups"]:
            digits = digits.replace("\\,", "").replace("{,}", "")
        elif found["comma"]:
            digits = self._decimal_comma(digits)
        written = end - 1 if digits.endswith(".") else end
        percent = _PERCENT.match(self.text, end)
        if percent and "e" not in digits.lower():
            digits, written, end = percentage(digits), percent.end(), percent.end()
        self.tokens.append(Token("number", numeral(digits, start), start, written))
        self.position = end
        return True

    def _decimal_comma(self, digits: str) -> str:
        whole, _, rest = digits.partition("{,}")
        if len(rest) == 3 and len(whole) <= 3 and not whole.startswith("0"):
            raise NotationError(
                f"{digits} is ambiguous: {whole}.{rest} with a decimal comma, or the integer {whole}{rest}.",
                self.position,
            )
        return f"{whole}.{rest}"

    def _letters(self) -> None:
        found = _LETTERS.match(self.text, self.position)
        run = found.group() if found else ""
        if is_function(run, self.functions):
            self._emit("name", run, self.position + len(run), "roman")
            return
        for letter in run:
            self._emit("name", letter, self.position + 1)

    def _ampersand(self) -> None:
        entity = next((entity for entity in _ENTITIES if self.text.startswith(entity, self.position)), "&")
        end = self.position + len(entity)
        if _ENTITIES.get(entity, "&") == "&":
            self._emit("cell" if self._in_matrix() else "soft", "&", end)
        else:
            self._emit("relation", _ENTITIES[entity], end)

    def _in_matrix(self) -> bool:
        return bool(self.environments) and self.environments[-1][0] in symbols.MATRIX_BRACKETS

    def _backslash(self) -> None:
        start = self.position
        row = _ROW.match(self.text, start)
        named = _COMMAND.match(self.text, start)
        if row:
            self._emit("row" if self._in_matrix() else "soft", "\\\\", row.end())
        elif named:
            self._command(named.group(1), named.end())
        elif self.text[start + 1 : start + 2] in {" ", "\n"}:
            # Markdown turns the row end \\ of a matrix into a lone backslash.
            if self._in_matrix():
                self._emit("row", "\\", start + 2)
            self.position = start + 2
        elif self.text[start + 1 : start + 2] in _SINGLE:
            self._emit(*_SINGLE[self.text[start + 1]], start + 2)
        elif _DISPLAY.match(self.text, start):
            self.position += 2
        else:
            raise NotationError(f"{self.text[start : start + 2]} is no command that is known here.", start)

    def _command(self, name: str, end: int) -> None:
        roman = _ROMAN_WORD.match(self.text, self.position)
        if roman:
            self._emit("name", roman.group(1), roman.end(), "roman")
        elif name in {"begin", "end"}:
            self._environment()
        elif name in symbols.WORD_FONTS:
            self._words(name, end)
        elif name in symbols.IGNORED_WITH_ARGUMENT:
            self.position = braced_end(self.text, end, name)
        elif name in symbols.IGNORED_COMMANDS:
            point = _DELIMITER.match(self.text, self.position)
            self.position = point.end() if point else end
        else:
            self._emit(*self._meaning(name), end)

    def _meaning(self, name: str) -> tuple[str, str]:
        if name in symbols.RELATION_COMMANDS:
            return "relation", symbols.RELATION_COMMANDS[name]
        if name in symbols.OPERATOR_COMMANDS:
            operator = symbols.OPERATOR_COMMANDS[name]
            return ("slash" if operator == "/" else "times"), operator
        if name in symbols.DOT_COMMANDS:
            return "dots", symbols.DOT_COMMANDS[name]
        if name in symbols.FONTS:
            return "font", symbols.FONTS[name]
        if name in _SPECIAL:
            return _SPECIAL[name]
        if name in symbols.SYMBOLS or is_function(name, self.functions):
            return "name", name
        if name in symbols.FRACTIONS:
            return "fraction", name
        if name in symbols.WIDE_SPACES:
            return "soft", f"\\{name}"
        raise NotationError(f"The command \\{name[:30]} is not known here.", self.position)

    def _words(self, name: str, end: int) -> None:
        start = _SPACES.match(self.text, end)
        opening = start.end() if start else end
        close = braced_end(self.text, end, name)
        words = unescape(self.text[opening + 1 : close - 1], opening + 1)
        if words:
            self._emit("name", words, close, symbols.WORD_FONTS[name])
        self.position = close

    def _environment(self) -> None:
        found = _ENVIRONMENT.match(self.text, self.position)
        if found is None:
            raise NotationError("The name of an environment is missing: write it in braces.", self.position)
        name = found.group(2)
        if name not in symbols.MATRIX_BRACKETS and name not in symbols.LAYOUT_ENVIRONMENTS:
            raise NotationError(f"The environment {name[:30]} is not known here.", found.start(2))
        if found.group(1) == "begin":
            self._begin(name, found.end(), takes_option=bool(found.group(3)) or name in _WITH_OPTION)
        else:
            self._end(name, found.end())

    def _begin(self, name: str, end: int, *, takes_option: bool) -> None:
        option = _OPTION.match(self.text, end) if takes_option else None
        end = option.end() if option else end
        if name in {"array", "alignat", "alignedat"}:
            end = braced_end(self.text, end, f"begin{{{name}}}")
        self.environments.append((name, self.position))
        if name in symbols.MATRIX_BRACKETS:
            self._emit("matrix", name, end)
        self.position = end

    def _end(self, name: str, end: int) -> None:
        if not self.environments or self.environments[-1][0] != name:
            raise NotationError(f"\\end{{{name}}} has no \\begin{{{name}}} before it.", self.position)
        self.environments.pop()
        if name in symbols.MATRIX_BRACKETS:
            self._emit("endmatrix", name, end)
        self.position = end


def _without_lone_braces(tokens: list[Token]) -> list[Token]:
    r"""Braces around one operator only change the space beside it: ``1{\cdot}2``, ``a{=}b``."""
    kept: list[Token] = []
    for token in tokens:
        if token.kind == "unbrace" and len(kept) > 1 and kept[-1].kind in _OPERATORS and kept[-2].kind == "brace":
            del kept[-2]
        else:
            kept.append(token)
    return kept


_OPERATORS = frozenset({"sign", "times", "slash", "relation"})
_SPECIAL = {
    "sqrt": ("root", "√"),
    "boxed": ("box", "boxed"),
    "fbox": ("box", "boxed"),
    "sum": ("sum", "∑"),
    "top": ("top", "⊤"),
    "intercal": ("top", "⊤"),
    "prime": ("prime", "'"),
    "R": ("reals", "ℝ"),
    "RR": ("reals", "ℝ"),
    "lbrace": ("open", "{"),
    "rbrace": ("close", "}"),
    "lbrack": ("open", "["),
    "rbrack": ("close", "]"),
    "colon": ("colon", ":"),
    "tr": ("top", "⊤"),
}
