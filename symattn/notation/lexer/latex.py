"""Tokenizer of LaTeX: commands, numerals, and the layout of aligned lines."""

from __future__ import annotations

import re

from symattn.errors import NotationError
from symattn.notation.lexer.escapes import braced_end
from symattn.notation.lexer.tex import COMMAND, LETTERS, MEANINGS, ROW, TexLexer
from symattn.notation.lexer.tokens import Token, check_count, check_text, numeral, percentage, settle
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import is_function

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
_DELIMITER = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)\s*\.")
_SIDED = re.compile(
    r"\\(?:(?P<baropen>left|[bB]igg?l)|(?P<barclose>right|[bB]igg?r)|(?P<given>middle|[bB]igg?m))\s*"
    r"(?P<bar>\\?\||∥|‖|\\[lr]?[vV]ert(?![A-Za-z])|\\mid(?![A-Za-z]))"
)
_DISPLAY = re.compile(r"\\\[|\\\]")
_ROMAN_WORD = re.compile(r"\\(?:mathrm|mathsf|mathtt|mathit|operatorname\*?)\s*\{\s*([A-Za-z][A-Za-z0-9]*)\s*\}")
_GRADIENT = re.compile(rf"\\mathrm\{{d\}}\\({'|'.join(symbols.GREEK)})(?![A-Za-z])")
_SINGLE = {"{": ("open", "{"), "}": ("close", "}"), "%": ("percent", "%"), "|": ("bar", "‖")}
_SINGLE_BARS = frozenset({"|", "\\vert", "\\lvert", "\\rvert", "\\mid"})
_OPERATORS = frozenset({"sign", "times", "slash", "relation"})


def tokenize(text: str, functions: frozenset[str]) -> list[Token]:
    r"""Split one formula in LaTeX into tokens, the last one of the kind ``end``.

    >>> [token.text for token in tokenize(r"Q_{31} &= \tfrac52.", frozenset())]
    ['Q', '_', '{', '31', '}', '=', 'tfrac', '52', '']

    Raises:
        NotationError: at the first character that no formula holds.
    """
    check_text(text)
    return settle(_Lexer(text, functions).run(), len(text))


class _Lexer(TexLexer):
    meanings = MEANINGS | {name: ("soft", f"\\{name}") for name in symbols.WIDE_SPACES}
    takes_option = frozenset({"array", "aligned", "alignedat", "gathered"})

    def run(self) -> list[Token]:
        while self.position < len(self.text):
            skipped = self.text[self.position] in _SKIPPED and _SKIP.match(self.text, self.position)
            if skipped:
                self.position = skipped.end()
            else:
                self.token()
                check_count(self.tokens)
        self.check_closed()
        return _without_lone_braces(self.tokens)

    def token(self) -> None:
        character = self.text[self.position]
        if character == "\\":
            self.backslash()
        elif character in "0123456789." and self.number():
            return
        elif "a" <= character.lower() <= "z":
            self.letters()
        elif character == "&":
            self.ampersand()
        else:
            self.character(character)

    def character(self, character: str) -> None:
        start = self.position
        if self.text.startswith("...", start):
            self.emit("dots", "cdots", start + 3)
        elif character == "\n":
            found = _PARAGRAPH.match(self.text, start)
            self.emit("soft", "the blank line", found.end() if found else start + 1)
        elif character in symbols.CHARACTERS:
            self.emit(*symbols.CHARACTERS[character], start + 1)
        elif character == ".":
            self.emit("point", ".", start + 1)
        else:
            raise NotationError(f"The character {character!r} has no meaning in a formula here.", start)

    def number(self) -> bool:
        found = _NUMBER.match(self.text, self.position)
        if found is None:
            return False
        start, end = found.span()
        digits = found.group()
        if found["thin"] or found["groups"]:
            digits = digits.replace("\\,", "").replace("{,}", "")
        elif found["comma"]:
            digits = self.decimal_comma(digits)
        written = end - 1 if digits.endswith(".") else end
        percent = _PERCENT.match(self.text, end)
        if percent and "e" not in digits.lower():
            digits, written, end = percentage(digits), percent.end(), percent.end()
        self.tokens.append(Token("number", numeral(digits, start), start, written))
        self.position = end
        return True

    def decimal_comma(self, digits: str) -> str:
        whole, _, rest = digits.partition("{,}")
        if len(rest) == 3 and len(whole) <= 3 and not whole.startswith("0"):
            raise NotationError(
                f"{digits} is ambiguous: {whole}.{rest} with a decimal comma, or the integer {whole}{rest}.",
                self.position,
            )
        return f"{whole}.{rest}"

    def letters(self) -> None:
        found = LETTERS.match(self.text, self.position)
        run = found.group() if found else ""
        if is_function(run, self.functions):
            self.emit("name", run, self.position + len(run), "roman")
            return
        if run in symbols.INFINITE_WORDS:
            self.emit("name", "infty", self.position + len(run))
            return
        for letter in run:
            self.emit("name", letter, self.position + 1)

    def ampersand(self) -> None:
        meaning, end = self.entity()
        if meaning == "&":
            self.emit("cell" if self.in_matrix() else "soft", "&", end)
        else:
            self.emit("relation", meaning, end)

    # Commands ------------------------------------------------------------------------------------

    def backslash(self) -> None:
        start = self.position
        following = self.text[start + 1 : start + 2]
        row, named = ROW.match(self.text, start), COMMAND.match(self.text, start)
        if row:
            self.emit("row" if self.in_matrix() else "soft", "\\\\", row.end())
        elif named:
            self.command(named.group(1), named.end())
        elif following in {" ", "\n"}:
            # Markdown turns the row end \\ of a matrix into a lone backslash.
            if self.in_matrix():
                self.emit("row", "\\", start + 2)
            self.position = start + 2
        elif following in _SINGLE:
            self.emit(*_SINGLE[following], start + 2)
        elif _DISPLAY.match(self.text, start):
            self.position += 2
        else:
            raise NotationError(f"{self.text[start : start + 2]} is not a known command.", start)

    def command(self, name: str, end: int) -> None:
        roman = _ROMAN_WORD.match(self.text, self.position)
        if gradient := _GRADIENT.match(self.text, self.position):
            self.emit("name", f"d{gradient.group(1)}", gradient.end(), "roman")
        elif roman:
            self.emit("name", roman.group(1), roman.end(), "roman")
        elif name in {"begin", "end"}:
            self.environment()
        elif name in symbols.WORD_FONTS:
            words, _, close = self.words(name, end)
            if words:
                self.emit("name", words, close, symbols.WORD_FONTS[name])
            self.position = close
        elif name in symbols.IGNORED_WITH_ARGUMENT:
            self.position = braced_end(self.text, end, name)
        elif sided := _SIDED.match(self.text, self.position):
            kind = next(kind for kind in ("baropen", "barclose", "given") if sided[kind])
            self.emit(kind, "|" if sided["bar"] in _SINGLE_BARS else "‖", sided.end())
        elif name in symbols.IGNORED_COMMANDS:
            point = _DELIMITER.match(self.text, self.position)
            self.position = point.end() if point else end
        else:
            self.emit(*self.meaning(name), end)


def _without_lone_braces(tokens: list[Token]) -> list[Token]:
    r"""Drop braces around one operator, which only change its spacing: ``1{\cdot}2``, ``a{=}b``."""
    kept: list[Token] = []
    for token in tokens:
        if token.kind == "unbrace" and len(kept) > 1 and kept[-1].kind in _OPERATORS and kept[-2].kind == "brace":
            del kept[-2]
        else:
            kept.append(token)
    return kept
