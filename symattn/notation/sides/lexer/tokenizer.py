"""Lenient tokenizer for one side of a chain as people write it, in LaTeX or in plain text.

It knows everything that the strict tokenizers know, and the habits beyond: two ways of writing in one
formula, Python's and C's numerals and prefixes, Unicode scripts, spaces that part entries. What such a
space, a comma between digits or a lone backslash means is settled later, in `separators`.
"""

from __future__ import annotations

import re
import unicodedata

from symattn.errors import NotationError
from symattn.notation.lexer.escapes import braced_end
from symattn.notation.lexer.tex import COMMAND, LETTERS, ROW
from symattn.notation.lexer.tokens import Token, check_text, numeral, percentage
from symattn.notation.sides.lexer.state import ENGLISH, QUOTED, TRANSPOSED, Notation, SideLexer
from symattn.notation.sides.lexer.vocabulary import (
    ACCENT_CHARACTERS,
    ALONE,
    CHARACTERS,
    GAPS,
    IGNORED,
    LOWERED,
    NO_WORDS,
    PAIRS,
    RAISED,
    RAISED_LETTERS,
    SKIPPED_ARGUMENT,
    TALL,
    VULGAR,
)
from symattn.notation.tree import limits, symbols
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import is_function

_SPACE = re.compile(r"[ \t\r\f\v\n\u00a0\u2002-\u200b\u202f\u3000\ufeff]+")
_COMMENT = re.compile(r"%[^\n]*\n?")
_DASHES = re.compile(r"[—―─]+")
_SIGNS = re.compile(r"\*\*|:=|==|~=|->|=>|<=>|<=|>=|!=|\|\||&&")
_ABOVE = re.compile(r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_ABOVE_LETTERS = re.compile("[ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾꟴᴿᵁⱽᵂᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵠ]+")
_ABOVE_BRACKETS = re.compile(r"⁽(?P<number>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)⁾")
_BELOW = re.compile(r"[₀₁₂₃₄₅₆₇₈₉]+|[ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵩ]+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_KEYWORD_ARGUMENT = re.compile(
    r",\s*(?:dtype|device|requires_grad|grad_fn|axis|dims?|keepdims?|size|shape)\s*=\s*[^,)\]=]*"
)
_DOWN_COLUMNS = re.compile(r",\s*(?:(?:axis|dim)\s*=\s*(?:0|-2)|dims\s*=\s*1)(?=\s*\))")
"""Julia counts its axes from 1."""
_OPERATORS = frozenset({"sign", "times", "slash", "relation"})


class SignLexer(SideLexer):
    """The tokenizer of signs: neither a letter nor a digit nor a backslash."""

    def sign(self, character: str) -> None:
        """Read one sign, or white space."""
        start = self.position
        space = _SPACE.match(self.text, start)
        if space:
            self.position = space.end()
        elif character in "{}":
            self._brace(character)
        elif character == "%" and not self.plain:
            comment = _COMMENT.match(self.text, start)
            self.position = comment.end() if comment else start + 1
        elif character in "~$":
            self._tilde(character)
        elif character == "&":
            self._ampersand()
        elif not self._unicode(character) and not self._of_programs(character):
            self._other(character)

    # Unicode -------------------------------------------------------------------------------------

    def _unicode(self, character: str) -> bool:
        """Read raised and lowered characters, fractions of one character, and the pieces of tall brackets."""
        start = self.position
        raised, lowered = _ABOVE.match(self.text, start), _BELOW.match(self.text, start)
        if raised:
            self._script("above", raised.group().translate(RAISED), raised.end())
        elif lowered:
            self._script("below", lowered.group().translate(LOWERED), lowered.end())
        elif letters := _ABOVE_LETTERS.match(self.text, start):
            self._script("above", letters.group().translate(RAISED_LETTERS), letters.end())
        elif numbered := _ABOVE_BRACKETS.match(self.text, start):
            self._bracketed(numbered["number"].translate(RAISED), numbered.end())
        elif character in VULGAR:
            self.emit("fraction", "frac", start)
            for digit in VULGAR[character]:
                self.tokens.append(Token("number", digit, start + self.offset, start + 1 + self.offset))
            self.position = start + 1
        elif character in TALL:
            self._tall(TALL[character])
        else:
            return False
        return True

    def _script(self, kind: str, text: str, end: int) -> None:
        r"""Append raised and lowered characters, as if they stood in braces: ``x²``, ``q₁₂``."""
        start = self.position
        self.emit(kind, "^" if kind == "above" else "_", start)
        self.emit("brace", "{", start)
        if text[0] in "+-":
            self.emit("sign", text[0], start + 1)
        digits = text.lstrip("+-")
        if digits.isdigit():
            self.emit("number", numeral(digits, start), end)
        else:
            for letter in digits:
                self.emit("name", letter, self.position + 1)
        self.emit("unbrace", "}", end)

    def _bracketed(self, digits: str, end: int) -> None:
        """Append ``Q⁽¹⁾`` as ``Q^{(1)}``."""
        start = self.position
        self.emit("above", "^", start)
        self.emit("brace", "{", start)
        self.emit("open", "(", start + 1)
        self.emit("number", numeral(digits, start), end - 1)
        self.emit("close", ")", end)
        self.emit("unbrace", "}", end)

    def _tall(self, brackets: str) -> None:
        """Read the pieces of a bracket that is as tall as its matrix: each line of it is a row."""
        start = self.position
        if brackets == "]" and self.before() == "open":
            self.drop_opening(-1)  # a line between two rows
            self.position = start + 1
            return
        for bracket in brackets:
            self.emit("open" if bracket == "[" else "close", bracket, start + 1)
            self.position = start
        self.position = start + 1

    # Braces and marks of LaTeX -------------------------------------------------------------------

    def _brace(self, character: str) -> None:
        """Read a brace: a group in LaTeX and behind a mark; a bracket elsewhere in plain text."""
        end = self.position + 1
        if character == "{":
            is_layout = self.braces or self.before() in {"below", "above"}
            self.levels.append("brace" if is_layout else "open")
            self.emit(self.levels[-1], "{", end)
        elif (self.levels.pop() if self.levels else "brace") != "brace":
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
            self.drop_opening(-1)
            return True
        if last is None or len(self.tokens) < 2 or self.tokens[-2].kind != "brace":
            return False
        if last.kind == "comma":
            self.tokens[-1] = last._replace(text="{,}", start=self.tokens[-2].start, end=end + self.offset)
        elif last.kind not in _OPERATORS or (len(self.tokens) > 2 and self.tokens[-3].kind in {"above", "below"}):
            return False
        self.drop_opening(-2)
        return True

    def _tilde(self, character: str) -> None:
        if character == "~" and self.text.startswith("~=", self.position):
            self.emit("relation", "≈", self.position + 2)
        else:
            self.position += 1

    def _ampersand(self) -> None:
        meaning, end = self.entity()
        if meaning in "<>":
            self.emit("relation", meaning, end)
        elif meaning == "&" and self.in_matrix():
            self.emit("cell", "&", end)
        else:
            self.position = end

    # Programs ------------------------------------------------------------------------------------

    def _of_programs(self, character: str) -> bool:
        """Read named arguments, words in quotes, ``.T``, and signs of two characters."""
        start = self.position
        keyword = _KEYWORD_ARGUMENT.match(self.text, start) if character == "," else None
        quoted = QUOTED.match(self.text, start) if character == '"' and self.plain else None
        transposed = TRANSPOSED.match(self.text, start) if character == "." else None
        dashes, signs = _DASHES.match(self.text, start), _SIGNS.match(self.text, start)
        down = _DOWN_COLUMNS.match(self.text, start) if keyword else None
        if down:  # what runs down the columns is told apart from what runs along the rows
            self.emit("comma", ",", start + 1)
            self.emit("number", "0", down.end())
        elif keyword:
            self.position = keyword.end()
        elif quoted:
            words = _ESCAPED.sub(r"\1", quoted.group(1))
            if not 1 <= len(words) <= limits.MAX_NAME:
                raise NotationError(f"A quoted name has {len(words)} characters; 1 to 200 are read.", start)
            self.emit("quoted", words, quoted.end())
        elif transposed:
            self.emit("above", "^", start)
            self.emit("top", "⊤", transposed.end())
        elif dashes:
            self.emit("sign", "-", dashes.end())
        elif signs and not (signs.group() == "**" and not self.plain and self.in_matrix()):
            self._pair(signs.group())
        else:
            return False
        return True

    def _pair(self, signs: str) -> None:
        end = self.position + len(signs)
        if signs == "**":
            self.emit("above", "^", end)
        elif signs == "||":
            self.emit("bar", "‖", end)
        elif signs == "&&":
            self.emit("cell" if self.in_matrix() else "gap", "&", end)
        else:
            self.emit("relation", symbols.PLAIN_RELATIONS[signs], end)

    # All others ----------------------------------------------------------------------------------

    def _other(self, character: str) -> None:
        start = self.position
        if self.text.startswith("...", start):
            self.emit("dots", "cdots", start + 3)
        elif character == ".":
            self.emit("point", ".", start + 1)
        elif character in CHARACTERS:
            self._known(character)
        elif character in ACCENT_CHARACTERS:
            self.combining()
            self.position = max(self.position, start + 1)
        elif "\U0001d400" <= character <= "\U0001d7cb" or character in "ℎℯℓ":
            # A letter of the alphabets that Unicode has for mathematics, as copied from a PDF.
            letter = unicodedata.normalize("NFKC", character)
            self.emit("name", symbols.NAMED_CHARACTERS.get(letter, letter), start + 1)
            self.combining()
        else:
            raise NotationError(f"The character {character!r} has no meaning in a formula here.", start)

    def _known(self, character: str) -> None:
        kind, text = CHARACTERS[character]
        if kind == "space":
            self.position += 1
        elif character == "Σ" and self.text[self.position + 1 : self.position + 2] == "_":
            self.emit("sum", "∑", self.position + 1)
        else:
            self.emit(kind, text, self.position + 1)


MAX_TOKENS = 32_000
"""Parts of one side: enough for the largest matrix with a sign before each entry."""

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
_DELIMITER = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)\s*(\.|<|>)")
_ROMAN_WORD = re.compile(
    r"\\(?:mathrm|mathsf|mathtt|mathit|operatorname\*?|mathbf|bm|boldsymbol)\s*"
    r"\{\s*([A-Za-z][A-Za-z0-9]+(?:(?:\\ |~|\s)+[A-Za-z][A-Za-z0-9]*)*)\s*\}"
)
_BLANKS = re.compile(r"(?:\\ |~|\s)+")
_DECIMAL = re.compile(r"([-−]?)([0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_BOLD = frozenset({"mathbf", "bm", "boldsymbol"})


class _Lexer(SignLexer):
    """Tokenizer of one side: numerals, words and commands; signs are read by its base."""

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

    # Numerals and words --------------------------------------------------------------------------

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

    # Commands ------------------------------------------------------------------------------------

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


def tokenize(text: str, notation: Notation, offset: int) -> list[Token]:
    r"""Split one side into tokens, the last one of the kind ``end``; their places are counted from `offset`.

    >>> [token.text for token in tokenize("np.exp(1.5f)", "plain", 0)]
    ['exp', '(', '1.5', ')', '']

    Raises:
        NotationError: at the first character that no formula holds, counted from the start of `text`.
    """
    check_text(text)
    return _Lexer(text, notation, offset).run()
