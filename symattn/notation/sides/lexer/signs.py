r"""Signs of the lenient tokenizer: Unicode and program operators, raised characters, braces, tall brackets."""

from __future__ import annotations

import re
import unicodedata

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Token, numeral
from symattn.notation.sides.lexer.state import QUOTED, TRANSPOSED, SideLexer
from symattn.notation.sides.lexer.vocabulary import (  # fmt: skip
    ACCENT_CHARACTERS,
    CHARACTERS,
    LOWERED,
    RAISED,
    RAISED_LETTERS,
    TALL,
    VULGAR,
)
from symattn.notation.tree import limits, symbols

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
