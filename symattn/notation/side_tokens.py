"""The tokenizer for one side of a chain as people write it, in LaTeX or in plain text.

It knows everything that the strict tokenizers know, and the habits beyond: two ways of writing in one
formula, Python's and C's numerals and prefixes, Unicode scripts, spaces that part entries. What such a
space, a comma between digits or a lone backslash means is settled later, in `side_layout`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

from symattn.errors import NotationError
from symattn.notation import limits, symbols
from symattn.notation import tree as t
from symattn.notation.latex_text import braced_end, unescape
from symattn.notation.precedence import is_function
from symattn.notation.tokens import Token, check_text, numeral, percentage

Notation: TypeAlias = Literal["latex", "plain"]

WORD_FUNCTIONS = t.FUNCTIONS | {
    "sigmoid", "tanh", "relu", "ReLU", "gelu", "norm", "abs", "inner", "det", "trace", "tr", "rank", "diag",
    "argmax", "attention", "softMax", "SoftMax", "SOFTMAX", "rowsoftmax", "softArgMax", "MultiHead", "concat",
    "LayerNorm", "mean",
}  # fmt: skip
"""Words that call what stands in brackets behind them, in people's work."""

SIDE_FUNCTIONS = WORD_FUNCTIONS | {"normal"}
"""Every name that a `Call` may have in what was read; the writers want to be told of them."""

MAX_TOKENS = 32_000
"""Parts of one side: enough for the largest matrix with a sign before each entry."""

_NESTING = {"open": 1, "angle": 1, "brace": 1, "matrix": 1, "close": -1, "unbrace": -1, "endmatrix": -1}
_SPACE = re.compile(r"[ \t\r\f\v\n\u00a0\u2002-\u200b\u202f\u3000\ufeff]+")
_NUMBER = re.compile(
    r"(?P<digits>[0-9]{1,3}(?:\\,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?"
    r"|(?:[0-9]+(?:\.(?![.T])[0-9]*)?|\.[0-9]+)(?:[eE](?!\+[0-9](?![0-9]))[+\-−]?[0-9]+)?)"
)
_PERCENT_LATEX = re.compile(r"[ \t]*(?:\\[,;:!])?(?:\\%|%(?=[ \t]*(?:$|[\n&,;)\]}\\=+*/-])))")
_PERCENT_PLAIN = re.compile(r"[ \t]?\\?%")
_AND_SO_ON = re.compile(r"\.\.\.|…|[ ~]*\\(?:ldots|dots)(?![A-Za-z])")
_FLOAT_SUFFIX = re.compile(r"[fF](?![A-Za-z0-9_])")
_LETTERS = re.compile(r"[A-Za-z]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_BY = re.compile(r" x -?[0-9.]")
_PHRASE = re.compile(r"\s*([A-Za-z]{3,20}(?: [A-Za-z][A-Za-z0-9]{1,19}){1,5})\s*")
_ENGLISH = re.compile(r"[A-Za-z]?[a-z]{3,}")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_INFINITE = re.compile(r"float\(\s*(['\"])([+-]?)inf(?:inity)?\1\s*\)")
_PREFIX = re.compile(r"(?:np|numpy|torch|math|jnp|tf|F|nn|cmath|mx)\.(?=[A-Za-z]{2})(?:linalg\.|nn\.functional\.)?")
_TYPE = re.compile(r"(?:Float(?:16|32|64)|BFloat16|Int(?:8|16|32|64)?|Matrix|Vector)(?:\{[A-Za-z0-9]+\})?(?=\[)")
_KEYWORD_ARGUMENT = re.compile(
    r",\s*(?:dtype|device|requires_grad|grad_fn|axis|dim|keepdims?|size|shape)\s*=\s*[^,)\]=]*"
)
_TRANSPOSED = re.compile(r"\.(?:T|mT|t\(\)|transpose\(\))(?![A-Za-z0-9])")
_ROW = re.compile(r"\\\\\*?(?:\s*\[\s*-?[0-9.]+\s*(?:pt|em|ex|mm|cm|in|mu|bp)\s*\])?")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_DELIMITER = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)\s*(\.|<|>)")
_ROMAN_WORD = re.compile(
    r"\\(?:mathrm|mathsf|mathtt|mathit|operatorname\*?|mathbf|bm|boldsymbol)\s*"
    r"\{\s*([A-Za-z][A-Za-z0-9]+(?:(?:\\ |~|\s)+[A-Za-z][A-Za-z0-9]*)*)\s*\}"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{\s*([A-Za-z]+)(\*?)\s*\}")
_OPTION = re.compile(r"\s*\[[lcrtb]\]")
_SPACES = re.compile(r"\s*")
_CLOSING_BRACE = re.compile(r"\s*\}")
_COMMENT = re.compile(r"%[^\n]*\n?")
_DASHES = re.compile(r"[—―─]+")
_PLAIN_SIGNS = re.compile(r"\*\*|:=|==|~=|->|=>|<=|>=|!=|\|\||&&")
_ABOVE = re.compile(r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_BELOW = re.compile(r"[₀₁₂₃₄₅₆₇₈₉]+|[ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ]+")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx")
_COMBINING = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u20d7": ""}
_VULGAR = {
    "½": "12", "⅓": "13", "⅔": "23", "¼": "14", "¾": "34", "⅕": "15", "⅖": "25", "⅗": "35", "⅘": "45",
    "⅙": "16", "⅚": "56", "⅛": "18", "⅜": "38", "⅝": "58", "⅞": "78",
}  # fmt: skip
_TALL = {"⎡": "[[", "⎢": "[", "⎣": "[", "⎤": "]", "⎥": "]", "⎦": "]]"}
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": " "}
_NO_WORDS = frozenset({"inf", "Inf", "infty", "infinity", "Infinity", "oo"})
_SPLIT = frozenset({"QK", "KQ", "AV", "XW"})

_CHARACTERS = symbols.CHARACTERS | {
    "•": ("times", "cdot"), "@": ("times", ""), "±": ("plusminus", "±"), "∞": ("name", "infinity"),
    "‖": ("bar", "‖"), "∥": ("bar", "‖"), "|": ("bar", "|"), "∣": ("bar", "|"), "⟨": ("angle", "("),
    "⟩": ("close", ")"), "〈": ("angle", "("), "〉": ("close", ")"), "［": ("open", "["), "］": ("close", "]"),
    "（": ("open", "("), "）": ("close", ")"), "，": ("comma", ","), "；": ("semicolon", ";"), "‑": ("sign", "-"),
    "－": ("sign", "-"), "＋": ("sign", "+"), "\u2062": ("space", ""), "\u2061": ("space", ""),
    "∘": ("times", "cdot"), "✕": ("times", "times"),
}  # fmt: skip
_ALONE = frozenset("+()[]^_/;'·×−⊤ᵀ")
"""Characters that begin nothing longer."""

_OPERATORS = symbols.OPERATOR_COMMANDS | {"bullet": "cdot", "centerdot": "cdot"}
_IGNORED = symbols.IGNORED_COMMANDS - {"hfill", "enspace"} | {
    "because", "middle", "bf", "rm", "it", "cal", "sf", "tt", "tiny", "scriptsize", "footnotesize", "small",
    "normalsize", "large", "Large", "LARGE", "huge", "boldmath", "scriptscriptstyle", "nobreakspace", "par",
    "qed", "null", "protect", "mathop", "mathrel", "mathbin", "bigm", "Bigm", "smallskip", "medskip", "newline",
    "toprule", "midrule", "bottomrule", "cdotp", "negmedspace", "negthickspace", "phantomsection", "cline",
}  # fmt: skip
_SKIPPED_ARGUMENT = symbols.IGNORED_WITH_ARGUMENT | {"require", "vskip", "footnote", "eqref", "ref", "colorbox"}
_TRANSPARENT = frozenset({
    "cancel", "bcancel", "underline", "mathclap", "mathrlap", "mathllap", "smash", "emph", "mathstrut", "vec",
    "mathring", "overrightarrow", "mathop", "mathord", "ensuremath", "hbox", "mathinner", "mathclose",
    "mathopen", "dot", "pmb", "textsuperscript", "Aboxed",
})  # fmt: skip
_ACCENTS = {
    "hat": "hat", "widehat": "hat", "tilde": "tilde", "widetilde": "tilde", "bar": "bar", "overline": "bar",
}  # fmt: skip
_GAPS = {
    "quad": "strong",
    "qquad": "strong",
    "hfill": "strong",
    "enspace": "strong",
    "hskip": "strong",
    "space": "weak",
}
_SPECIAL = {
    "sqrt": ("root", "√"), "boxed": ("box", "boxed"), "fbox": ("box", "boxed"), "sum": ("sum", "∑"),
    "top": ("top", "⊤"), "intercal": ("top", "⊤"), "tr": ("top", "⊤"), "prime": ("prime", "'"),
    "R": ("reals", "ℝ"), "RR": ("reals", "ℝ"), "reals": ("reals", "ℝ"), "E": ("mean", "𝔼"),
    "lbrace": ("open", "{"), "rbrace": ("close", "}"), "lbrack": ("open", "["), "rbrack": ("close", "]"),
    "lparen": ("open", "("), "rparen": ("close", ")"), "colon": ("colon", ":"), "pm": ("plusminus", "±"),
    "mp": ("plusminus", "∓"), "langle": ("angle", "("), "rangle": ("close", ")"), "|": ("bar", "‖"),
    "Vert": ("bar", "‖"), "lVert": ("bar", "‖"), "rVert": ("bar", "‖"), "vert": ("bar", "|"),
    "lvert": ("bar", "|"), "rvert": ("bar", "|"), "mid": ("bar", "|"), "infty": ("name", "infinity"),
    "cr": ("row", "\\\\"), "underbrace": ("brace-under", ""), "overbrace": ("brace-under", ""),
    "overset": ("over", ""), "underset": ("over", ""), "stackrel": ("over", ""), "horzbar": ("sign", "-"),
    "slash": ("slash", "/"), "over": ("slash", "/"), "tabularnewline": ("row", "\\\\"),
}  # fmt: skip


def tokenize(text: str, notation: Notation, offset: int) -> list[Token]:
    r"""The tokens of one side, the last one of the kind ``end``; their places are counted from `offset`.

    >>> [token.text for token in tokenize("np.exp(1.5f)", "plain", 0)]
    ['exp', '(', '1.5', ')', '']

    Raises:
        NotationError: at the first character that no formula holds, counted from the start of `text`.
    """
    check_text(text)
    return _Lexer(text, notation, offset).run()


class _Lexer:
    def __init__(self, text: str, notation: Notation, offset: int) -> None:
        self.text = text
        self.plain = notation == "plain"
        # Commands in plain text make braces mean what they mean in LaTeX; words stay words.
        self.braces = not self.plain or _COMMAND.search(_QUOTED.sub("", text)) is not None
        self.offset = offset
        self.position = 0
        self.tokens: list[Token] = []
        self.environments: list[tuple[str, int]] = []
        self.levels: list[str] = []
        self.nesting = 0

    def run(self) -> list[Token]:
        phrase = _PHRASE.fullmatch(self.text) if self.plain else None
        if phrase and not any(
            is_function(word, t.FUNCTIONS) or word in symbols.SYMBOLS for word in phrase.group().split()
        ):
            self.position = phrase.start(1)
            self._emit("quoted", phrase.group(1), phrase.end(1))
            self.position = len(self.text)
        while self.position < len(self.text):
            self._token(self.text[self.position])
            if len(self.tokens) > MAX_TOKENS:
                raise NotationError(f"One side has more than {MAX_TOKENS} parts: split it.", self.position)
        if self.environments:
            name, start = self.environments[-1]
            raise NotationError(f"\\begin{{{name}}} is not closed: write \\end{{{name}}}.", start)
        self._emit("end", "", self.position)
        return self.tokens

    def _emit(self, kind: str, text: str, end: int, font: str = "") -> None:
        self.tokens.append(Token(kind, text, self.position + self.offset, end + self.offset, font))
        if kind in _NESTING:
            self.nesting += _NESTING[kind]
            if self.nesting > limits.MAX_NESTING:
                raise NotationError(
                    f"The formula is nested more than {limits.MAX_NESTING} levels deep here.", self.position
                )
        self.position = end

    def _before(self) -> str:
        return self.tokens[-1].kind if self.tokens else "start"

    def _token(self, character: str) -> None:
        if character == " ":
            self.position += 1
        elif character == "\\":
            self._backslash()
        elif character in "0123456789." and self._number():
            return
        elif "a" <= character <= "z" or "A" <= character <= "Z":
            self._letters()
        elif character in _ALONE:
            self._emit(*_CHARACTERS[character], self.position + 1)
        else:
            self._sign(character)

    # Numbers -------------------------------------------------------------------------------------

    def _number(self) -> bool:
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
        """Past the dots after ``0.333...`` and the suffix of ``2.5f``: neither changes what was written."""
        found = _AND_SO_ON.match(self.text, end) or (_FLOAT_SUFFIX.match(self.text, end) if self.plain else None)
        return found.end() if found else end

    # Words ---------------------------------------------------------------------------------------

    def _letters(self) -> None:
        for pattern in (_INFINITE, _PREFIX, _TYPE):
            found = pattern.match(self.text, self.position)
            if found:
                if pattern is _INFINITE:
                    self._infinite(found)
                self.position = found.end()
                return
        found = (_WORD if self.plain else _LETTERS).match(self.text, self.position)
        run = found.group() if found else ""
        if run == "x" and self.plain and self._before() == "number" and _BY.match(self.text, self.position - 1):
            self._emit("times", "times", self.position + 1)
            return
        if run == "x10" and self._before() == "number" and self.text.startswith(("^", "**"), self.position + 3):
            self._emit("times", "times", self.position + 1)
            self._emit("number", "10", self.position + 2)
            return
        if len(run) > limits.MAX_ITEMS:
            raise NotationError(f"There are {len(run)} letters in a row here: no formula holds so many.", self.position)
        if run in _NO_WORDS:
            self._emit("name", "infinity", self.position + len(run))
        elif self.plain:
            self._plain_word(run)
        elif is_function(run, WORD_FUNCTIONS) or _ENGLISH.fullmatch(run) or self._is_long_index(run):
            self._emit("name", run, self.position + len(run), "roman")
        else:
            self._single_letters(run)

    def _infinite(self, found: re.Match[str]) -> None:
        if found.group(2) == "-":
            self._emit("sign", "-", found.start(2) + 1)
        self._emit("name", "infinity", found.end())

    def _is_long_index(self, run: str) -> bool:
        """``d_{out}``: three letters below are a word, not a product."""
        is_below = len(self.tokens) > 1 and self.tokens[-1].kind == "brace" and self.tokens[-2].kind == "below"
        return is_below and len(run) > 2 and _CLOSING_BRACE.match(self.text, self.position + len(run)) is not None

    def _single_letters(self, run: str) -> None:
        for letter in run:
            self._emit("name", letter, self.position + 1)
        self._combining()

    def _plain_word(self, run: str) -> None:
        after = self.text[self.position + len(run) : self.position + len(run) + 1]
        before = self._before()
        start = self.position
        if before == "above" and len(run) > 1 and run[0] == "T" and run[1:].isupper():
            self._emit("top", "⊤", start + 1)
            self._plain_word(run[1:])
        elif run[:4] == "sqrt" and run[4:].isdigit():
            self._emit("name", "sqrt", start + 4)
        elif before not in {"below", "above"} and self._are_two(run, after):
            self._single_letters(run)
        elif len(run) > limits.MAX_NAME:
            raise NotationError(f"A name has {len(run)} letters; at most {limits.MAX_NAME} are read.", start)
        else:
            self._emit("name", run, start + len(run))
            self._combining()

    def _are_two(self, run: str, after: str) -> bool:
        """Two capitals with something above or below: ``QK^T``, ``XW_Q``; ``WQ`` alone is a word."""
        if len(run) != 2 or not run.isupper() or run[0] == "W":
            return False
        scripted = after in {"^", "_", "'", "ᵀ", "⊤", "₁", "₂", "₃"} or _TRANSPOSED.match(self.text, self.position + 2)
        return run in _SPLIT or (bool(scripted) and (run[1] == "W" or after != "_"))

    def _combining(self) -> None:
        """An accent as a character of its own, behind the letter that carries it."""
        accent = self.text[self.position : self.position + 1]
        if accent in _COMBINING and self.tokens:
            last = self.tokens.pop()
            text = f"{_COMBINING[accent]} {last.text}".strip()
            self.position += 1
            self.tokens.append(last._replace(text=text, end=self.position + self.offset))

    # Signs ---------------------------------------------------------------------------------------

    def _sign(self, character: str) -> None:
        start = self.position
        space = _SPACE.match(self.text, start)
        if space:
            self.position = space.end()
            return
        raised, lowered = _ABOVE.match(self.text, start), _BELOW.match(self.text, start)
        if raised:
            self._script("above", raised.group().translate(_RAISED), raised.end())
        elif lowered:
            self._script("below", lowered.group().translate(_LOWERED), lowered.end())
        elif character in _VULGAR:
            self._emit("fraction", "frac", start)
            for digit in _VULGAR[character]:
                self.tokens.append(Token("number", digit, start + self.offset, start + 1 + self.offset))
            self.position = start + 1
        elif character in _TALL:
            self._tall(_TALL[character])
        elif character in "{}":
            self._brace(character)
        elif character == "%" and not self.plain:
            comment = _COMMENT.match(self.text, start)
            self.position = comment.end() if comment else start + 1
        elif character in "~$":
            self._tilde(character)
        elif character == "&":
            self._ampersand()
        else:
            self._other(character)

    def _tall(self, brackets: str) -> None:
        """The pieces of a bracket that is as tall as its matrix: each line of it is a row."""
        start = self.position
        if brackets == "]" and self._before() == "open":
            self.tokens.pop()  # a line between two rows
            self.nesting -= 1
            self.position = start + 1
            return
        for bracket in brackets:
            self._emit("open" if bracket == "[" else "close", bracket, start + 1)
            self.position = start
        self.position = start + 1

    def _script(self, kind: str, text: str, end: int) -> None:
        r"""Unicode's raised and lowered characters, as if they stood in braces: ``x²``, ``q₁₂``."""
        start = self.position
        self._emit(kind, "^" if kind == "above" else "_", start)
        self._emit("brace", "{", start)
        if text[0] in "+-":
            self._emit("sign", text[0], start + 1)
        digits = text.lstrip("+-")
        if digits.isdigit():
            self._emit("number", numeral(digits, start), end)
        else:
            for letter in digits:
                self._emit("name", letter, self.position + 1)
        self._emit("unbrace", "}", end)

    def _brace(self, character: str) -> None:
        """Braces hold together in LaTeX and behind a mark; elsewhere in plain text they are brackets."""
        start = self.position
        if character == "{":
            layout = self.braces or self._before() in {"below", "above"}
            self.levels.append("brace" if layout else "open")
            self._emit(self.levels[-1], "{", start + 1)
            return
        layout = (self.levels.pop() if self.levels else "brace") == "brace"
        last = self.tokens[-1] if self.tokens else None
        if layout and last and last.kind == "brace":
            # Empty braces say nothing, except that a mark wants something there.
            self.tokens.pop()
            self.nesting -= 1
            self.position = start + 1
            return
        around_operator = len(self.tokens) > 1 and self.tokens[-2].kind == "brace"
        if layout and around_operator and last and last.kind in {"sign", "times", "slash", "relation", "comma"}:
            if last.kind == "comma":
                self.tokens[-1] = last._replace(text="{,}", start=self.tokens[-2].start, end=start + 1 + self.offset)
                del self.tokens[-2]
                self.nesting -= 1
                self.position = start + 1
                return
            if len(self.tokens) < 3 or self.tokens[-3].kind not in {"above", "below"}:
                del self.tokens[-2]
                self.nesting -= 1
                self.position = start + 1
                return
        self._emit("unbrace" if layout else "close", "}", start + 1)

    def _tilde(self, character: str) -> None:
        if character == "~" and self.text.startswith("~=", self.position):
            self._emit("relation", "≈", self.position + 2)
        else:
            self.position += 1

    def _ampersand(self) -> None:
        entity = next((entity for entity in _ENTITIES if self.text.startswith(entity, self.position)), "&")
        end = self.position + len(entity)
        meaning = _ENTITIES.get(entity, "&")
        if meaning in "<>":
            self._emit("relation", meaning, end)
        elif meaning == "&" and self._in_matrix():
            self._emit("cell", "&", end)
        else:
            self.position = end

    def _other(self, character: str) -> None:
        start = self.position
        dashes, signs = _DASHES.match(self.text, start), _PLAIN_SIGNS.match(self.text, start)
        quoted = _QUOTED.match(self.text, start) if character == '"' else None
        transposed = _TRANSPOSED.match(self.text, start) if character == "." else None
        keyword = _KEYWORD_ARGUMENT.match(self.text, start) if character == "," else None
        if keyword:
            self.position = keyword.end()
        elif quoted and self.plain:
            words = _ESCAPED.sub(r"\1", quoted.group(1))
            if not 1 <= len(words) <= limits.MAX_NAME:
                raise NotationError(f"A quoted name has {len(words)} characters; 1 to 200 are read.", start)
            self._emit("quoted", words, quoted.end())
        elif transposed:
            self._emit("above", "^", start)
            self._emit("top", "⊤", transposed.end())
        elif dashes:
            self._emit("sign", "-", dashes.end())
        elif signs and not (signs.group() == "**" and not self.plain and self._in_matrix()):
            self._pair(signs.group())
        elif self.text.startswith("...", start):
            self._emit("dots", "cdots", start + 3)
        elif character == ".":
            self._emit("point", ".", start + 1)
        elif character in _CHARACTERS:
            self._character(character)
        elif character in _COMBINING:
            self._combining()
            self.position = max(self.position, start + 1)
        elif "\U0001d400" <= character <= "\U0001d7cb" or character in "ℎℯℓ":
            # A letter of the alphabets that Unicode has for mathematics, as copied from a PDF.
            letter = unicodedata.normalize("NFKC", character)
            self._emit("name", symbols.NAMED_CHARACTERS.get(letter, letter), start + 1)
            self._combining()
        else:
            raise NotationError(f"The character {character!r} has no meaning in a formula here.", start)

    def _pair(self, signs: str) -> None:
        end = self.position + 2
        if signs == "**":
            self._emit("above", "^", end)
        elif signs == "||":
            self._emit("bar", "‖", end)
        elif signs == "&&":
            self._emit("cell" if self._in_matrix() else "gap", "&", end)
        else:
            self._emit("relation", symbols.PLAIN_RELATIONS[signs], end)

    def _character(self, character: str) -> None:
        kind, text = _CHARACTERS[character]
        if kind == "space":
            self.position += 1
        elif character == "Σ" and self.text[self.position + 1 : self.position + 2] == "_":
            self._emit("sum", "∑", self.position + 1)
        else:
            self._emit(kind, text, self.position + 1)

    # Commands ------------------------------------------------------------------------------------

    def _in_matrix(self) -> bool:
        return bool(self.environments) and self.environments[-1][0] in symbols.MATRIX_BRACKETS

    def _backslash(self) -> None:
        start = self.position
        following = self.text[start + 1 : start + 2]
        row, named = _ROW.match(self.text, start), _COMMAND.match(self.text, start)
        if row:
            if self._in_matrix():
                self._emit("row", "\\\\", row.end())
            self.position = row.end()
        elif named:
            self._command(named.group(1), named.end())
        elif not following or following in " \n\t" or (self._in_matrix() and following in "0123456789-."):
            # Markdown turns the row end \\ of a matrix into a lone backslash.
            self._emit("lone", "\\", start + 1)
        elif following in ",:>;":
            self._emit("gap", "weak" if following == ";" else "thin", start + 2)
        elif following in "!()[]/-%_#&":
            self.position = start + 2
        elif following == "{":
            self._emit("open", "{", start + 2)
        elif following == "}":
            self._emit("close", "}", start + 2)
        elif following == "|":
            self._emit("bar", "‖", start + 2)
        else:
            raise NotationError(f"{self.text[start : start + 2]} is no command that is known here.", start)

    def _command(self, name: str, end: int) -> None:
        roman = _ROMAN_WORD.match(self.text, self.position)
        if roman and self._is_word(roman.group(1)):
            words = " ".join(re.split(r"(?:\\ |~|\s)+", roman.group(1)))
            bold = name in {"mathbf", "bm", "boldsymbol"}
            self._emit("name", words, roman.end(), "bold" if bold else "roman")
        elif name in {"begin", "end"}:
            self._environment()
        elif name in symbols.WORD_FONTS:
            self._words(name, end)
        elif name in _SKIPPED_ARGUMENT or name in {"hspace", "rule"}:
            self._skip_argument(name, end)
        elif name in _GAPS:
            self._emit("gap", _GAPS[name], end)
        elif name in _IGNORED:
            self._ignored(end)
        else:
            self._emit(*self._meaning(name), end)

    def _is_word(self, words: str) -> bool:
        r"""``\mathbf{QK}`` is a product; ``\mathrm{head}`` and ``\mathbf{softmax}`` are words."""
        is_bold = not self.text.startswith(("\\mathrm", "\\mathsf", "\\mathtt", "\\mathit", "\\op"), self.position)
        return not is_bold or is_function(words, WORD_FUNCTIONS) or bool(_ENGLISH.fullmatch(words))

    def _ignored(self, end: int) -> None:
        point = _DELIMITER.match(self.text, self.position)
        if point is None:
            self.position = end
        elif point.group(1) == ".":
            self.position = point.end()
        else:
            self._emit(*(("angle", "(") if point.group(1) == "<" else ("close", ")")), point.end())

    def _skip_argument(self, name: str, end: int) -> None:
        close = braced_end(self.text, end, name)
        if name == "rule":
            close = braced_end(self.text, close, name)
            self._emit("sign", "-", close)
        elif name == "hspace":
            self._emit("gap", "strong", close)
        self.position = close

    def _meaning(self, name: str) -> tuple[str, str]:
        if name in _SPECIAL:
            return _SPECIAL[name]
        if name in symbols.RELATION_COMMANDS:
            return "relation", symbols.RELATION_COMMANDS[name]
        if name in _OPERATORS:
            return ("slash" if _OPERATORS[name] == "/" else "times"), _OPERATORS[name]
        if name in symbols.DOT_COMMANDS:
            return "dots", symbols.DOT_COMMANDS[name]
        if name in _ACCENTS:
            return "accent", _ACCENTS[name]
        if name in _TRANSPARENT:
            return "font", ""
        if name in symbols.FONTS:
            return "font", symbols.FONTS[name]
        if name in symbols.SYMBOLS or is_function(name, WORD_FUNCTIONS):
            return "name", name
        if name in symbols.FRACTIONS:
            return "fraction", name
        raise NotationError(f"The command \\{name[:30]} is not known here.", self.position)

    def _words(self, name: str, end: int) -> None:
        start = _SPACES.match(self.text, end)
        opening = start.end() if start else end
        close = braced_end(self.text, end, name)
        words = unescape(self.text[opening + 1 : close - 1], opening + 1)
        number = re.fullmatch(r"([-−]?)([0-9]+(?:\.[0-9]+)?|\.[0-9]+)", words)
        if number and len(words) < limits.MAX_DIGITS:
            if number.group(1):
                self._emit("sign", "-", self.position)
            self._emit("number", numeral(number.group(2), opening), close)
        elif words and not words.strip("-—–"):
            self._emit("sign", "-", close)
        elif words:
            if len(words) > limits.MAX_NAME:
                raise NotationError(f"A name has {len(words)} letters; at most {limits.MAX_NAME} are read.", opening)
            infinite = words.lstrip("-") in _NO_WORDS
            if infinite and words[0] == "-":
                self._emit("sign", "-", self.position)
            self._emit("name", "infinity" if infinite else words, close, symbols.WORD_FONTS[name])
        self.position = close

    def _environment(self) -> None:
        found = _ENVIRONMENT.match(self.text, self.position)
        if found is None:
            raise NotationError("The name of an environment is missing: write it in braces.", self.position)
        name = found.group(2)
        if name not in symbols.MATRIX_BRACKETS and name not in symbols.LAYOUT_ENVIRONMENTS:
            raise NotationError(f"The environment {name[:30]} is not known here.", found.start(2))
        if found.group(1) == "end":
            self._end(name, found.end())
            return
        option = _OPTION.match(self.text, found.end())
        end = option.end() if option else found.end()
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
