"""TRUSTED. The lexer of written mathematics: one for all dialects, driven by the rules of a `Dialect`.

Each rule of the table is read by the method of the same name. What white space, a comma between digits or a lone
backslash separates is settled later, in `separators`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from symattn import late
from symattn.errors import NotationError
from symattn.notation.lexer.dialects import (
    ACCENTS,
    LOWERED,
    RAISED,
    TALL,
    VULGAR,
    Dialect,
    Meaning,
)
from symattn.notation.lexer.escapes import braced_end, unescape
from symattn.notation.lexer.tokens import LINE_BREAK, Token, check_text, numeral, percentage
from symattn.notation.tree import limits, symbols
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import is_function

_COMMAND = late.pattern(r"\\[A-Za-z]")
_QUOTATION = late.pattern(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPED = late.pattern(r"\\(.)", re.DOTALL)
_ENVIRONMENT = late.pattern(r"\\(begin|end)\s*\{\s*([A-Za-z]+)(\*?)\s*\}")
_OPTION = late.pattern(r"\s*\[[lcrtb]\]")
_SPACES = late.pattern(r"\s*")
_WITH_COLUMNS = frozenset({"array", "alignat", "alignedat"})
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": " "}
_OPERATORS = frozenset({"sign", "times", "slash", "relation"})
_SCRIPT_MARKS = frozenset({"above", "below"})
_SINGLE_BARS = frozenset({"|", "\\vert", "\\lvert", "\\rvert", "\\mid"})
_ESCAPED_BRACKETS = {"{": ("open", "{"), "}": ("close", "}"), "|": ("bar", "‖")}
_LENIENT_ESCAPES = {
    **dict.fromkeys(",:>", ("gap", "thin")), ";": ("gap", "weak"), **dict.fromkeys("!()[]/-%_#&", ("skip", "")),
}  # fmt: skip

_AND_SO_ON = late.pattern(r"\.\.\.|…|[ ~]*\\(?:ldots|dots)(?![A-Za-z])")
_FLOAT_SUFFIX = late.pattern(r"[fF](?![A-Za-z0-9_])")

# Words ------------------------------------------------------------------------------------------------

ENGLISH = late.pattern(r"[A-Za-z]?[a-z]{3,}")
_BOLD = frozenset({"mathbf", "bm", "boldsymbol"})
_BLANKS = late.pattern(r"(?:\\ |~|\s)+")
_BY = late.pattern(r" x -?[0-9.]")
_PHRASE = late.pattern(r"\s*([A-Za-z]{3,20}(?: [A-Za-z](?:[A-Za-z0-9]{1,19}|['’]s)){1,5})\s*")
_CLOSING_BRACE = late.pattern(r"\s*\}")
_DECIMAL = late.pattern(r"([-−]?)([0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_TRANSPOSED = late.pattern(r"\.(?:T|mT|t\(\)|transpose\(\))(?![A-Za-z0-9])")
_SCRIPTS = frozenset("^_'ᵀ⊤₁₂₃")
_PAIRS = frozenset({"QK", "KQ", "AV", "XW"})
"""Two letters that are a product even as a word of plain text."""


def tokenize(text: str, dialect: Dialect, functions: frozenset[str], offset: int = 0) -> list[Token]:
    r"""Split one formula into tokens, separators not yet settled, the last one of the kind ``end``.

    Args:
        text: the formula.
        dialect: how it is written.
        functions: the words that are functions.
        offset: what is added to the places of tokens, but not to those of errors.

    >>> from symattn.notation.lexer.dialects import LATEX
    >>> [token.text for token in tokenize(r"Q_{31} = \tfrac52", LATEX, frozenset())]
    ['Q', '_', '{', '31', '}', '=', 'tfrac', '52', '']

    Raises:
        NotationError: at the first character that no formula holds.
    """
    check_text(text)
    return Lexer(text, dialect, functions, offset).run()


@lru_cache(maxsize=8)
def _pattern(rules: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    # start-up: compiled when a formula of the dialect is first read.
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in rules))


class Lexer:
    """An offset into a text, and the tokens before it."""

    def __init__(self, text: str, dialect: Dialect, functions: frozenset[str], offset: int) -> None:
        self.text = text
        self.dialect = dialect
        self.functions = functions
        self.offset = offset
        self.position = 0
        self.tokens: list[Token] = []
        self.environments: list[tuple[str, int]] = []
        self.levels: list[str] = []
        # Commands in plain text make braces mean what they mean in LaTeX; words stay words.
        has_commands = dialect.lenient and "\\" in text and _COMMAND.search(_QUOTATION.sub("", text)) is not None
        self.has_groups = not dialect.words or has_commands
        self.percent = re.compile(dialect.percent)

    def run(self) -> list[Token]:
        """Read the whole text."""
        if self.dialect.lenient and self.dialect.words:
            self._phrase()
        match, size = _pattern(self.dialect.rules).match, len(self.text)
        while self.position < size:
            found = match(self.text, self.position)
            if found is None or found.lastgroup is None:
                raise self.unknown(self.position)
            getattr(self, found.lastgroup)(found)
            if len(self.tokens) > self.dialect.most_parts:
                raise NotationError(
                    f"The formula has more than {self.dialect.most_parts} parts: split it.", self.position
                )
        if self.environments:
            name, start = self.environments[-1]
            raise NotationError(f"\\begin{{{name}}} is not closed: write \\end{{{name}}}.", start)
        self.emit("end", "", self.position)
        return self.tokens

    # Tokens --------------------------------------------------------------------------------------

    def emit(self, kind: str, text: str, end: int, font: str = "") -> None:
        """Append a token, from here to `end`."""
        self.tokens.append(Token(kind, text, self.position + self.offset, end + self.offset, font))
        self.position = end

    def emit_meaning(self, meaning: Meaning, end: int) -> None:
        """Append a token of a table; one of the kind ``skip`` says nothing."""
        if meaning[0] == "skip":
            self.position = end
        else:
            self.emit(*meaning, end)

    def before(self) -> str:
        """Return the kind of the token before."""
        return self.tokens[-1].kind if self.tokens else "start"

    def in_matrix(self) -> bool:
        """Return True if the innermost environment is a matrix."""
        return bool(self.environments) and self.environments[-1][0] in symbols.MATRIX_BRACKETS

    def unknown(self, start: int) -> NotationError:
        """Return the error for a character that no formula holds."""
        return NotationError(f"The character {self.text[start]!r} has no meaning in a formula here.", start)

    # Layout --------------------------------------------------------------------------------------

    def skip(self, found: re.Match[str]) -> None:
        """Skip what says nothing."""
        self.position = found.end()

    def soft(self, name: str, end: int) -> None:
        """Read what may part two statements in the strict dialects; people's work was parted before."""
        if self.dialect.lenient:
            self.position = end
        else:
            self.emit("soft", name, end)

    def line_break(self, found: re.Match[str]) -> None:
        """Read a blank line in LaTeX, or any line break in plain text."""
        self.soft(LINE_BREAK if self.dialect.words else "the blank line", found.end())

    def row(self, found: re.Match[str]) -> None:
        """Read the end of a row."""
        if self.in_matrix():
            self.emit("row", "\\\\", found.end())
        else:
            self.soft("\\\\", found.end())

    def ampersand(self, found: re.Match[str]) -> None:
        """Read an alignment mark, or the entity of HTML that stands for a sign."""
        meaning = _ENTITIES.get(found.group(), "&")
        if meaning in "<>":
            self.emit("relation", meaning, found.end())
        elif meaning == "&" and self.in_matrix():
            self.emit("cell", "&", found.end())
        else:
            self.soft("&", found.end())

    # Numerals ------------------------------------------------------------------------------------

    def number(self, found: re.Match[str]) -> None:
        """Read a numeral; the sign of a percentage belongs to it."""
        start, end = found.span()
        digits = found.group().replace("\\,", "").replace("−", "-")
        written = end - 1 if digits.endswith(".") else end
        percent = self.percent.match(self.text, end)
        if percent and "e" not in digits.lower():
            digits, written, end = percentage(digits.removesuffix(".")), percent.end(), percent.end()
        elif self.dialect.lenient and "." in digits:
            end = self._after_decimals(end)
            written = max(written, end) if end > found.end() else written
        self.emit("number", numeral(digits, start), written)
        self.position = end

    def _after_decimals(self, end: int) -> int:
        """Skip the dots after ``0.333...`` and the suffix of ``2.5f``: neither changes the value."""
        found = _AND_SO_ON.match(self.text, end) or (
            _FLOAT_SUFFIX.match(self.text, end) if self.dialect.words else None
        )
        return found.end() if found else end

    def infinite(self, found: re.Match[str]) -> None:
        """Read ``np.inf`` or ``float('-inf')``."""
        if found["infinite_sign"] == "-":
            self.emit("sign", "-", found.start())
        self.emit("name", self.dialect.infinity, found.end())

    # Words ---------------------------------------------------------------------------------------

    def word(self, found: re.Match[str]) -> None:
        """Read a run of letters: a word, or one name after the other."""
        run = found.group()
        if self.dialect.lenient and self._by(run):
            return
        if run in self.dialect.infinite_words:
            self.emit("name", self.dialect.infinity, found.end())
        elif self.dialect.words:
            self._plain_word(run)
        elif is_function(run, self.functions) or (self.dialect.lenient and self._is_english(run)):
            self.emit("name", run, found.end(), "roman")
        else:
            self._single_letters(run)

    def _single_letters(self, run: str) -> None:
        """Append letters side by side, each a name."""
        if self.dialect.lenient and len(run) > limits.MAX_ITEMS:
            raise NotationError(f"There are {len(run)} letters in a row here: no formula holds so many.", self.position)
        for letter in run:
            self.emit("name", letter, self.position + 1)

    def _is_english(self, run: str) -> bool:
        """Return True for a word; three letters below are one, too: ``d_{out}``."""
        if ENGLISH.fullmatch(run):
            return True
        is_below = len(self.tokens) > 1 and self.tokens[-1].kind == "brace" and self.tokens[-2].kind == "below"
        return is_below and len(run) > 2 and _CLOSING_BRACE.match(self.text, self.position + len(run)) is not None

    def _by(self, run: str) -> bool:
        """Read an x between two numbers, or before a power of ten, as a multiplication sign."""
        if run == "x" and self.dialect.words and self.before() == "number" and _BY.match(self.text, self.position - 1):
            self.emit("times", "times", self.position + 1)
            return True
        if run == "x10" and self.before() == "number" and self.text.startswith(("^", "**"), self.position + 3):
            self.emit("times", "times", self.position + 1)
            self.emit("number", "10", self.position + 2)
            return True
        return False

    def _plain_word(self, run: str) -> None:
        start = self.position
        if self.dialect.lenient:
            before = self.before()
            if before == "above" and len(run) > 1 and run[0] == "T" and run[1:].isupper():
                self.emit("top", "⊤", start + 1)
                self._plain_word(run[1:])
                return
            if run[:4] == "sqrt" and run[4:].isdigit():
                self.emit("name", "sqrt", start + 4)
                return
            if before not in _SCRIPT_MARKS and self._are_two(run):
                self._single_letters(run)
                return
        self.check_name(run, start)
        self.emit("name", run, start + len(run))

    def _are_two(self, run: str) -> bool:
        """Return True for two capitals with a script: ``QK^T``, ``XW_Q``; ``WQ`` alone is a word."""
        if len(run) != 2 or not (run.isalpha() and run.isupper()) or run[0] == "W":
            return False
        after = self.text[self.position + 2 : self.position + 3]
        is_scripted = after in _SCRIPTS or _TRANSPOSED.match(self.text, self.position + 2) is not None
        return run in _PAIRS or (is_scripted and (run[1] == "W" or after != "_"))

    def _phrase(self) -> None:
        """Read a few words and nothing else as one name of plain text."""
        found = _PHRASE.fullmatch(self.text)
        if found is None or any(
            is_function(word, t.FUNCTIONS) or word in symbols.SYMBOLS for word in found.group().split()
        ):
            return
        self.position = found.start(1)
        self.emit("quoted", found.group(1), found.end(1))
        self.position = len(self.text)

    def check_name(self, name: str, start: int) -> None:
        """Refuse a name that nobody would write."""
        if len(name) > limits.MAX_NAME:
            raise NotationError(f"A name has {len(name)} letters; at most {limits.MAX_NAME} are read.", start)

    def quoted(self, found: re.Match[str]) -> None:
        """Read a name in quotes, which may hold any characters."""
        words = _ESCAPED.sub(r"\1", found["quotation"])
        if not 1 <= len(words) <= limits.MAX_NAME:
            raise NotationError(
                f"A quoted name has {len(words)} characters; 1 to {limits.MAX_NAME} are read.", found.start()
            )
        self.emit("quoted", words, found.end())

    # Signs ---------------------------------------------------------------------------------------

    def sign(self, found: re.Match[str]) -> None:
        """Read a sign that begins nothing longer."""
        self.emit(*self.dialect.signs[found.group()], found.end())

    def character(self, found: re.Match[str]) -> None:
        """Read a brace, or another sign of one character."""
        character, start = found.group(), found.start()
        if character == "{":
            is_group = self.has_groups or self.before() in _SCRIPT_MARKS
            self.levels.append("brace" if is_group else "open")
            self.emit(self.levels[-1], "{", found.end())
        elif character == "}":
            self._closing_brace(found.end())
        elif character in self.dialect.signs:
            self.emit_meaning(self.dialect.signs[character], found.end())
        else:
            raise self.unknown(start)

    def _closing_brace(self, end: int) -> None:
        default = "brace" if self.dialect.lenient or not self.dialect.words else "open"
        if (self.levels.pop() if self.levels else default) != "brace":
            self.emit("close", "}", end)
        elif self._says_nothing(end):
            self.position = end
        else:
            self.emit("unbrace", "}", end)

    def _says_nothing(self, end: int) -> bool:
        """Remove a brace around nothing or around one operator; one around a comma makes it decimal."""
        last = self.tokens[-1] if self.tokens else None
        if last is not None and last.kind == "brace":
            # Empty braces say nothing, except that a mark wants something there.
            if len(self.tokens) > 1 and self.tokens[-2].kind in _SCRIPT_MARKS:
                return False
            del self.tokens[-1]
            return True
        if last is None or len(self.tokens) < 2 or self.tokens[-2].kind != "brace":
            return False
        if last.kind == "comma":
            self.tokens[-1] = last._replace(text="{,}", start=self.tokens[-2].start, end=end + self.offset)
        elif last.kind not in _OPERATORS or (len(self.tokens) > 2 and self.tokens[-3].kind in _SCRIPT_MARKS):
            return False
        del self.tokens[-2]
        return True

    def power(self, found: re.Match[str]) -> None:
        """Read ``**``; in a matrix of LaTeX two stars are two signs."""
        if not self.dialect.words and self.in_matrix():
            self.emit("times", "cdot", found.start() + 1)
        else:
            self.emit("above", "^", found.end())

    def dashes(self, found: re.Match[str]) -> None:
        """Read long dashes as one minus sign."""
        self.emit("sign", "-", found.end())

    def transposed(self, found: re.Match[str]) -> None:
        """Read ``.T`` behind a name."""
        self.emit("above", "^", found.start())
        self.emit("top", "⊤", found.end())

    def down_columns(self, found: re.Match[str]) -> None:
        """Read a named argument that turns the axis as the argument 0."""
        self.emit("comma", ",", found.start() + 1)
        self.emit("number", "0", found.end())

    def sum_sign(self, found: re.Match[str]) -> None:
        """Read a Sigma with an index as the sign of a sum."""
        self.emit("sum", "∑", found.end())

    # Unicode -------------------------------------------------------------------------------------

    def script(self, found: re.Match[str]) -> None:
        r"""Read raised or lowered characters, as if they stood in braces: ``x²``, ``q₁₂``."""
        kind = "below" if ord(found.group()[0]) in LOWERED else "above"
        text, end = found.group().translate(LOWERED if kind == "below" else RAISED), found.end()
        start = self.position
        self.emit(kind, "^" if kind == "above" else "_", start)
        self.emit("brace", "{", start)
        if text[0] in "+-":
            self.emit("sign", text[0], start + 1)
        digits = text.lstrip("+-")
        if digits.isdigit():
            self.emit("number", numeral(digits, start), end)
        else:
            self._single_letters(digits)
        self.emit("unbrace", "}", end)

    def raised_label(self, found: re.Match[str]) -> None:
        """Read ``Q⁽¹⁾`` as ``Q^{(1)}``."""
        start, end = found.span()
        self.emit("above", "^", start)
        self.emit("brace", "{", start)
        self.emit("open", "(", start + 1)
        self.emit("number", numeral(found["label"].translate(RAISED), start), end - 1)
        self.emit("close", ")", end)
        self.emit("unbrace", "}", end)

    def vulgar(self, found: re.Match[str]) -> None:
        """Read a fraction of one character."""
        start, end = found.span()
        self.emit("fraction", "frac", start)
        for digit in VULGAR[found.group()]:
            self.position = start
            self.emit("number", digit, end)

    def tall(self, found: re.Match[str]) -> None:
        """Read the pieces of a bracket that is as tall as its matrix: each line of it is a row."""
        start, end = found.span()
        brackets = TALL[found.group()]
        if brackets == "]" and self.before() == "open":
            del self.tokens[-1]  # a line between two rows
            self.position = end
            return
        for bracket in brackets:
            self.position = start
            self.emit("open" if bracket == "[" else "close", bracket, end)

    def alphabet(self, found: re.Match[str]) -> None:
        """Read a letter of the alphabets that Unicode has for mathematics, as copied from a PDF."""
        letter = unicodedata.normalize("NFKC", found.group())
        self.emit("name", symbols.NAMED_CHARACTERS.get(letter, letter), found.end())

    def accent(self, found: re.Match[str]) -> None:
        """Read a combining accent behind the letter that carries it; elsewhere it says nothing."""
        last = self.tokens[-1] if self.tokens else None
        if last is not None and last.kind == "name":
            text = f"{ACCENTS[found.group()]} {last.text}".strip()
            self.tokens[-1] = last._replace(text=text, end=found.end() + self.offset)
        self.position = found.end()

    # Commands of LaTeX ---------------------------------------------------------------------------

    def escape(self, found: re.Match[str]) -> None:
        """Read a backslash before anything but a letter."""
        character, end = found["escaped"], found.end()
        if self._is_lone(character):
            # Markdown turns the row end \\ of a matrix into a lone backslash.
            if self.dialect.lenient:
                self.emit("lone", "\\", found.start() + 1)
            elif self.in_matrix():
                self.emit("row", "\\", end)
            else:
                self.position = end
        elif character in _ESCAPED_BRACKETS:
            self.emit(*_ESCAPED_BRACKETS[character], end)
        elif self.dialect.lenient and character in _LENIENT_ESCAPES:
            self.emit_meaning(_LENIENT_ESCAPES[character], end)
        elif character == "%":
            self.emit("percent", "%", end)
        else:
            raise NotationError(f"\\{character} is not a known command.", found.start())

    def _is_lone(self, following: str) -> bool:
        if self.dialect.lenient:
            return following in " \n\t" or (self.in_matrix() and following in "0123456789-.")
        return following in {" ", "\n"}

    def gradient(self, found: re.Match[str]) -> None:
        """Read the differential of a Greek letter as one name."""
        self.emit("name", f"d{found['gradient_name']}", found.end(), "roman")

    def roman(self, found: re.Match[str]) -> None:
        r"""Read a word in upright letters: ``\mathrm{head}``, ``\mathbf{softmax}``; ``\mathbf{QK}`` is a product."""
        words = found["roman_words"]
        is_bold = self.dialect.lenient and found["roman_font"] in _BOLD
        if is_bold and not (is_function(words, self.functions) or ENGLISH.fullmatch(words)):
            self._named(found["roman_font"], found.end("roman_font"))
        else:
            self.emit("name", " ".join(_BLANKS.split(words)), found.end(), "bold" if is_bold else "roman")

    def sided(self, found: re.Match[str]) -> None:
        """Read a bar that says whether it opens or closes."""
        kind = next(kind for kind in ("baropen", "barclose", "given") if found[kind])
        self.emit(kind, "|" if found["bar"] in _SINGLE_BARS else "‖", found.end())

    def delimiter(self, found: re.Match[str]) -> None:
        """Read an angle bracket behind a command that sets its size; a point there stands for none."""
        sign = found.group()[-1]
        if sign == ".":
            self.position = found.end()
        else:
            self.emit(*(("angle", "(") if sign == "<" else ("close", ")")), found.end())

    def command(self, found: re.Match[str]) -> None:
        """Read a command with what belongs to it."""
        self._named(found["command_name"], found.end())

    def _named(self, name: str, end: int) -> None:
        kind, text = self._meaning(name)
        if kind == "environment":
            self._environment()
        elif kind == "words":
            self._words(name, end)
        elif kind == "skip-argument":
            self._skip_argument(name, text, end)
        else:
            self.emit_meaning((kind, text), end)

    def _meaning(self, name: str) -> Meaning:
        found = self.dialect.commands.get(name)
        if found is not None:
            return found
        if is_function(name, self.functions):
            return "name", name
        raise NotationError(f"The command \\{name[:30]} is not known.", self.position)

    def _skip_argument(self, name: str, sign: str, end: int) -> None:
        close = braced_end(self.text, end, name)
        if sign == "-":
            self.emit("sign", "-", braced_end(self.text, close, name))
        elif sign:
            self.emit("gap", "strong", close)
        else:
            self.position = close

    def _words(self, name: str, end: int) -> None:
        """Read the words in the argument of a command: a name, or in people's work a number or a dash."""
        start = _SPACES.match(self.text, end)
        opening = start.end() if start else end
        close = braced_end(self.text, end, name)
        words, font = unescape(self.text[opening + 1 : close - 1], opening + 1), symbols.WORD_FONTS[name]
        number = _DECIMAL.fullmatch(words) if self.dialect.lenient else None
        if number and len(words) < limits.MAX_DIGITS:
            if number.group(1):
                self.emit("sign", "-", self.position)
            self.emit("number", numeral(number.group(2), opening), close)
        elif words and self.dialect.lenient and not words.strip("-—–"):
            is_whole = not self.tokens and not self.text[close:].strip()
            self.emit("name" if is_whole else "sign", t.UNDEFINED.text, close, t.UNDEFINED.font if is_whole else "")
        elif words:
            is_infinite = self.dialect.lenient and words.lstrip("-") in self.dialect.infinite_words
            if is_infinite and words[0] == "-":
                self.emit("sign", "-", self.position)
            if self.dialect.lenient:
                self.check_name(words, opening)
            self.emit("name", self.dialect.infinity if is_infinite else words, close, font)
        self.position = close

    def _environment(self) -> None:
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
        option = _OPTION.match(self.text, end) if is_starred or name in self.dialect.with_options else None
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
