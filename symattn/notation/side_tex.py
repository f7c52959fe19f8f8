r"""Commands of the lenient tokenizer: TeX's own, those of common packages, and lone backslashes."""

from __future__ import annotations

import re

from symattn.errors import NotationError
from symattn.notation import limits, symbols
from symattn.notation import tree as t
from symattn.notation.latex_text import braced_end
from symattn.notation.precedence import is_function
from symattn.notation.side_lexer import ENGLISH, SideLexer
from symattn.notation.side_vocabulary import GAPS, IGNORED, NO_WORDS, SKIPPED_ARGUMENT
from symattn.notation.tex_lexer import COMMAND, ROW
from symattn.notation.tokens import numeral

_DELIMITER = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)\s*(\.|<|>)")
_ROMAN_WORD = re.compile(
    r"\\(?:mathrm|mathsf|mathtt|mathit|operatorname\*?|mathbf|bm|boldsymbol)\s*"
    r"\{\s*([A-Za-z][A-Za-z0-9]+(?:(?:\\ |~|\s)+[A-Za-z][A-Za-z0-9]*)*)\s*\}"
)
_BLANKS = re.compile(r"(?:\\ |~|\s)+")
_DECIMAL = re.compile(r"([-−]?)([0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_BOLD = frozenset({"mathbf", "bm", "boldsymbol"})


class CommandLexer(SideLexer):
    """The tokenizer of commands, which begin with a backslash."""

    def backslash(self) -> None:
        """Read a row end, a command, an escaped character, or a backslash alone."""
        start = self.position
        following = self.text[start + 1 : start + 2]
        row, named = ROW.match(self.text, start), COMMAND.match(self.text, start)
        if row:
            if self.in_matrix():
                self.emit("row", "\\\\", row.end())
            self.position = row.end()
        elif named:
            self._command(named.group(1), named.end())
        elif not following or following in " \n\t" or (self.in_matrix() and following in "0123456789-."):
            # Markdown turns the row end \\ of a matrix into a lone backslash.
            self.emit("lone", "\\", start + 1)
        else:
            self._escaped(following)

    def _escaped(self, character: str) -> None:
        end = self.position + 2
        if character in ",:>;":
            self.emit("gap", "weak" if character == ";" else "thin", end)
        elif character in "!()[]/-%_#&":
            self.position = end
        elif character == "{":
            self.emit("open", "{", end)
        elif character == "}":
            self.emit("close", "}", end)
        elif character == "|":
            self.emit("bar", "‖", end)
        else:
            raise NotationError(f"\\{character} is not a known command.", self.position)

    def _command(self, name: str, end: int) -> None:
        roman = _ROMAN_WORD.match(self.text, self.position)
        if roman and self._is_word(name, roman.group(1)):
            words = " ".join(_BLANKS.split(roman.group(1)))
            self.emit("name", words, roman.end(), "bold" if name in _BOLD else "roman")
        elif name in {"begin", "end"}:
            self.environment()
        elif name in symbols.WORD_FONTS:
            self._words(name, end)
        elif name in SKIPPED_ARGUMENT:
            self._skip_argument(name, end)
        elif name in GAPS:
            self.emit("gap", GAPS[name], end)
        elif name in IGNORED:
            self._ignored(end)
        else:
            self.emit(*self.meaning(name), end)

    def _is_word(self, name: str, words: str) -> bool:
        r"""Return True if these are words, ``\mathrm{head}`` and ``\mathbf{softmax}``; ``\mathbf{QK}`` is a product."""
        return name not in _BOLD or is_function(words, self.functions) or bool(ENGLISH.fullmatch(words))

    def _ignored(self, end: int) -> None:
        """Skip a command that only sets the size of a bracket, and a point in the place of the bracket."""
        point = _DELIMITER.match(self.text, self.position)
        if point is None:
            self.position = end
        elif point.group(1) == ".":
            self.position = point.end()
        else:
            self.emit(*(("angle", "(") if point.group(1) == "<" else ("close", ")")), point.end())

    def _skip_argument(self, name: str, end: int) -> None:
        close = braced_end(self.text, end, name)
        if name == "rule":
            close = braced_end(self.text, close, name)
            self.emit("sign", "-", close)
        elif name == "hspace":
            self.emit("gap", "strong", close)
        self.position = close

    def _words(self, name: str, end: int) -> None:
        words, opening, close = self.words(name, end)
        number = _DECIMAL.fullmatch(words)
        if number and len(words) < limits.MAX_DIGITS:
            if number.group(1):
                self.emit("sign", "-", self.position)
            self.emit("number", numeral(number.group(2), opening), close)
        elif words and not words.strip("-—–"):
            is_whole = not self.tokens and not self.text[close:].strip()
            self.emit("name" if is_whole else "sign", t.UNDEFINED.text, close, t.UNDEFINED.font if is_whole else "")
        elif words:
            self.check_name(words, opening)
            is_infinite = words.lstrip("-") in NO_WORDS
            if is_infinite and words[0] == "-":
                self.emit("sign", "-", self.position)
            self.emit("name", "infinity" if is_infinite else words, close, symbols.WORD_FONTS[name])
        self.position = close
