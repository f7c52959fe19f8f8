r"""Numbers and words of the lenient tokenizer: numerals, prefixes of programs, letters as names or products."""

from __future__ import annotations

import re

from symattn.errors import NotationError
from symattn.notation import limits, symbols
from symattn.notation import tree as t
from symattn.notation.precedence import is_function
from symattn.notation.side_lexer import ENGLISH, TRANSPOSED, SideLexer
from symattn.notation.side_vocabulary import NO_WORDS, PAIRS
from symattn.notation.tex_lexer import LETTERS
from symattn.notation.tokens import Token, numeral, percentage

_NUMBER = re.compile(
    r"(?P<digits>[0-9]{1,3}(?:\\,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?"
    # 2e+1 is 2e + 1, as people write; with two decimals it is what a program prints.
    r"|[0-9]+\.[0-9]{2,}[eE]\+[0-9](?![0-9])"
    r"|(?:[0-9]+(?:\.(?![.T])[0-9]*)?|\.[0-9]+)(?:[eE](?!\+[0-9](?![0-9]))[+\-−]?[0-9]+)?)"
)
_PERCENT_LATEX = re.compile(r"[ \t]*(?:\\[,;:!])?(?:\\%|%(?=[ \t]*(?:$|[\n&,;)\]}\\=+*/-])))")
_PERCENT_PLAIN = re.compile(r"[ \t]?\\?%")
_AND_SO_ON = re.compile(r"\.\.\.|…|[ ~]*\\(?:ldots|dots)(?![A-Za-z])")
_FLOAT_SUFFIX = re.compile(r"[fF](?![A-Za-z0-9_])")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_BY = re.compile(r" x -?[0-9.]")
_PHRASE = re.compile(r"\s*([A-Za-z]{3,20}(?: [A-Za-z][A-Za-z0-9]{1,19}){1,5})\s*")
_INFINITE = re.compile(r"float\(\s*(['\"])([+-]?)inf(?:inity)?\1\s*\)")
_PREFIX = re.compile(r"(?:np|numpy|torch|math|jnp|tf|F|nn|cmath|mx)\.(?=[A-Za-z]{2})(?:linalg\.|nn\.functional\.)?")
_TYPE = re.compile(r"(?:Float(?:16|32|64)|BFloat16|Int(?:8|16|32|64)?|Matrix|Vector)(?:\{[A-Za-z0-9]+\})?(?=\[)")
_CLOSING_BRACE = re.compile(r"\s*\}")
_SCRIPTS = frozenset("^_'ᵀ⊤₁₂₃")


class WordLexer(SideLexer):
    """The tokenizer of numerals and letters."""

    def phrase(self) -> None:
        """Read a few words and nothing else as one name of plain text."""
        found = _PHRASE.fullmatch(self.text) if self.plain else None
        if found is None or any(
            is_function(word, t.FUNCTIONS) or word in symbols.SYMBOLS for word in found.group().split()
        ):
            return
        self.position = found.start(1)
        self.emit("quoted", found.group(1), found.end(1))
        self.position = len(self.text)

    def number(self) -> bool:
        """Read a numeral, where one begins here; the sign of a percentage belongs to it."""
        found = _NUMBER.match(self.text, self.position)
        if found is None:
            return False
        start, end = found.span()
        digits = found["digits"].replace("\\,", "").replace("−", "-")
        written = end - 1 if digits.endswith(".") else end
        percent = (_PERCENT_PLAIN if self.plain else _PERCENT_LATEX).match(self.text, end)
        if percent and "e" not in digits.lower():
            digits, written, end = percentage(digits.removesuffix(".")), percent.end(), percent.end()
        elif "." in digits:
            end = self._after_decimals(end)
            written = max(written, end) if end > found.end() else written
        self.tokens.append(Token("number", numeral(digits, start), start + self.offset, written + self.offset))
        self.position = end
        return True

    def _after_decimals(self, end: int) -> int:
        """Skip the dots after ``0.333...`` and the suffix of ``2.5f``: neither changes the value."""
        found = _AND_SO_ON.match(self.text, end) or (_FLOAT_SUFFIX.match(self.text, end) if self.plain else None)
        return found.end() if found else end

    # Words ---------------------------------------------------------------------------------------

    def letters(self) -> None:
        """Read a run of letters: a word, or one name after the other."""
        if self._program():
            return
        found = (_WORD if self.plain else LETTERS).match(self.text, self.position)
        run = found.group() if found else ""
        if self._by(run):
            return
        if len(run) > limits.MAX_ITEMS:
            raise NotationError(f"There are {len(run)} letters in a row here: no formula holds so many.", self.position)
        if run in NO_WORDS:
            self.emit("name", "infinity", self.position + len(run))
        elif self.plain:
            self._plain_word(run)
        elif is_function(run, self.functions) or ENGLISH.fullmatch(run) or self._is_long_index(run):
            self.emit("name", run, self.position + len(run), "roman")
        else:
            self.single_letters(run)

    def _program(self) -> bool:
        """Skip the prefixes and types of programs, which say nothing; float('inf') is infinity."""
        infinite = _INFINITE.match(self.text, self.position)
        if infinite:
            if infinite.group(2) == "-":
                self.emit("sign", "-", infinite.start(2) + 1)
            self.emit("name", "infinity", infinite.end())
            return True
        found = _PREFIX.match(self.text, self.position) or _TYPE.match(self.text, self.position)
        self.position = found.end() if found else self.position
        return found is not None

    def _by(self, run: str) -> bool:
        """Read an x between two numbers, or before a power of ten, as a multiplication sign."""
        if run == "x" and self.plain and self.before() == "number" and _BY.match(self.text, self.position - 1):
            self.emit("times", "times", self.position + 1)
            return True
        if run == "x10" and self.before() == "number" and self.text.startswith(("^", "**"), self.position + 3):
            self.emit("times", "times", self.position + 1)
            self.emit("number", "10", self.position + 2)
            return True
        return False

    def _is_long_index(self, run: str) -> bool:
        """Return True for ``d_{out}``: three letters below are a word, not a product."""
        is_below = len(self.tokens) > 1 and self.tokens[-1].kind == "brace" and self.tokens[-2].kind == "below"
        return is_below and len(run) > 2 and _CLOSING_BRACE.match(self.text, self.position + len(run)) is not None

    def _plain_word(self, run: str) -> None:
        start, before = self.position, self.before()
        if before == "above" and len(run) > 1 and run[0] == "T" and run[1:].isupper():
            self.emit("top", "⊤", start + 1)
            self._plain_word(run[1:])
        elif run[:4] == "sqrt" and run[4:].isdigit():
            self.emit("name", "sqrt", start + 4)
        elif before not in {"below", "above"} and self._are_two(run):
            self.single_letters(run)
        else:
            self.check_name(run, start)
            self.emit("name", run, start + len(run))
            self.combining()

    def _are_two(self, run: str) -> bool:
        """Return True for two capitals with a script: ``QK^T``, ``XW_Q``; ``WQ`` alone is a word."""
        if len(run) != 2 or not run.isupper() or run[0] == "W":
            return False
        after = self.text[self.position + 2 : self.position + 3]
        is_scripted = after in _SCRIPTS or TRANSPOSED.match(self.text, self.position + 2) is not None
        return run in PAIRS or (is_scripted and (run[1] == "W" or after != "_"))
