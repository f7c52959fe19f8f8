"""TRUSTED. Dialects of written mathematics: LaTeX and plain text, each strict and as people write it.

A `Dialect` is the table that the lexer and the parser are driven by. The strict dialects read what the writers write
and what can be read in one way only. The lenient ones read people's habits, too, and note where these are ambiguous.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from symattn.notation.tree import limits, symbols
from symattn.records import dataclass

Notation: TypeAlias = Literal["latex", "plain"]

Meaning: TypeAlias = tuple[str, str]
"""Kind and text of a token."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way of writing formulas.

    Attributes:
        words: whether a run of letters is one name, as in plain text; in LaTeX it is a product of letters.
        lenient: whether people's habits are read; otherwise a formula with two readings is refused.
        rules: the tokens by name, with their patterns; the first that matches is read.
        percent: the pattern of a percent sign behind a numeral.
        signs: kind and text of the token for each sign that is one by itself.
        commands: kind and text of the token for each command of LaTeX, functions aside.
        infinity: the name that infinity has in a tree.
        infinite_words: words for infinity.
        with_options: environments behind whose beginning an option may stand, as in ``[t]``.
        wrappers: functions of programs that return the list in their brackets.
        most_parts: tokens of one formula, at most.
    """

    words: bool
    lenient: bool
    rules: tuple[tuple[str, str], ...]
    percent: str
    signs: Mapping[str, Meaning]
    commands: Mapping[str, Meaning]
    infinity: str
    infinite_words: frozenset[str]
    with_options: frozenset[str]
    wrappers: frozenset[str]
    most_parts: int = limits.MAX_TOKENS


# Rules ------------------------------------------------------------------------------------------------

_SIGN = r"[+()\[\]^_/;'·×−⊤ᵀ]|\.\.\."
"""Signs that begin nothing longer."""

_RELATIONS = ":=|==|~=|->|=>|<=>|<=|>=|!="
_ANY = ("character", r"(?s:.)")
_ROW = ("row", r"\\\\\*?(?:\s*\[\s*-?[0-9.]+\s*(?:pt|em|ex|mm|cm|in|mu|bp)\s*\])?")
_COMMAND = ("command", r"\\(?P<command_name>[A-Za-z]+)\*?")
_ESCAPE = ("escape", r"\\(?P<escaped>(?s:.?))")
_ENTITY = ("ampersand", r"&(?:amp;|lt;|gt;)?")
_QUOTED = ("quoted", r'"(?P<quotation>(?:[^"\\]|\\(?s:.))*)"')
_RAISED_DIGITS = r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
_SCRIPT = (
    rf"{_RAISED_DIGITS}|[ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾꟴᴿᵁⱽᵂᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵠ]+"
    "|[₀₁₂₃₄₅₆₇₈₉]+|[ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵩ]+"
)
_THIN = r"[0-9]{1,3}(?:\\,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?"
_PLAIN_WORD = ("word", "[A-Za-z][A-Za-z0-9]*")
_INFINITE = (
    r"float\(\s*(?P<quote>['\"])(?P<infinite_sign>[+-]?)inf(?:inity)?(?P=quote)\s*\)"
    r"|(?:np|numpy|torch|jnp|math)\.inf\b"
)

_SIDED = (
    r"\\(?:(?P<baropen>left|[bB]igg?l)|(?P<barclose>right|[bB]igg?r)|(?P<given>middle|[bB]igg?m))\s*"
    r"(?P<bar>\\?\||∥|‖|\\[lr]?[vV]ert(?![A-Za-z])|\\mid(?![A-Za-z]))"
)

_LATEX_RULES = (
    ("sign", _SIGN),
    ("number", rf"{_THIN}|(?:[0-9]+(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
    ("skip", r"(?:[ \t\r\f\v]|\n(?!\s*\n)|%[^\n]*(?:\n[ \t]*)?|~|\\[,:;!>]|\$+|\\[()\[\]])+"),
    ("line_break", r"\n\s*\n\s*"),
    ("word", "[A-Za-z]+"),
    ("gradient", rf"\\mathrm\{{d\}}\\(?P<gradient_name>{'|'.join(symbols.GREEK)})(?![A-Za-z])"),
    ("roman", r"\\(?:mathrm|mathsf|mathtt|mathit|operatorname\*?)\s*\{\s*(?P<roman_words>[A-Za-z][A-Za-z0-9]*)\s*\}"),
    ("sided", _SIDED),
    ("delimiter", r"\\(?:left|right|[bB]igg?[lr]?)\s*\."),
    _ROW,
    _COMMAND,
    _ESCAPE,
    _ENTITY,
    _ANY,
)

_PLAIN_RULES = (
    ("sign", f"{_SIGN}|{_RELATIONS}|~"),
    ("number", r"(?:[0-9]+(?:\.(?!\.|T\b)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
    ("skip", r"[ \t\r\f\v\u00a0\u2009]+|(?:np|numpy|torch|jnp)\.(?=array|tensor)"),
    ("line_break", r"\n\s*"),
    ("infinite", _INFINITE),
    ("transposed", r"\.T\b"),
    _PLAIN_WORD,
    _QUOTED,
    ("power", r"\*\*"),
    ("script", _RAISED_DIGITS),
    _ANY,
)

_LENIENT_NUMBER = (
    rf"{_THIN}"
    # 2e+1 is 2e + 1, as people write; with two decimals it is what a program prints.
    r"|[0-9]+\.[0-9]{2,}[eE]\+[0-9](?![0-9])"
    r"|(?:[0-9]+(?:\.(?![.T])[0-9]*)?|\.[0-9]+)(?:[eE](?!\+[0-9](?![0-9]))[+\-−]?[0-9]+)?"
)
_WORDS_IN_FONT = (
    r"\\(?P<roman_font>mathrm|mathsf|mathtt|mathit|operatorname\*?|mathbf|bm|boldsymbol)\s*"
    r"\{\s*(?P<roman_words>[A-Za-z][A-Za-z0-9]+(?:(?:\\ |~|\s)+[A-Za-z][A-Za-z0-9]*)*)\s*\}"
)
_LENIENT_SKIP = (
    r"[ \t\r\f\v\n\u00a0\u2002-\u200b\u202f\u3000\ufeff]+|~(?!=)|\$"
    r"|(?:np|numpy|torch|math|jnp|tf|F|nn|cmath|mx)\.(?=[A-Za-z]{2})(?:linalg\.|nn\.functional\.)?"
    r"|(?:Float(?:16|32|64)|BFloat16|Int(?:8|16|32|64)?|Matrix|Vector)(?:\{[A-Za-z0-9]+\})?(?=\[)"
    r"|,\s*(?:dtype|device|requires_grad|grad_fn|axis|dims?|keepdims?|size|shape)\s*=\s*[^,)\]=]*"
)
"""White space, prefixes and types of programs, and named arguments."""

_DOWN_COLUMNS = r",\s*(?:(?:axis|dim)\s*=\s*(?:0|-2)|dims\s*=\s*1)(?=\s*\))"
"""What runs down the columns is told apart from what runs along the rows; Julia counts its axes from 1."""

_LENIENT_LAST = (
    ("roman", _WORDS_IN_FONT),
    ("sided", _SIDED),
    ("delimiter", r"\\(?:left|right|[bB]igg?[lr]?)\s*[.<>]"),
    _ROW,
    _COMMAND,
    _ESCAPE,
    ("ampersand", "&(?:amp;|lt;|gt;|nbsp;)?"),
    ("script", _SCRIPT),
    ("raised_label", "⁽(?P<label>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)⁾"),
    ("transposed", r"\.(?:T|mT|t\(\)|transpose\(\))(?![A-Za-z0-9])"),
    ("dashes", "[—―─]+"),
    ("power", r"\*\*"),
    ("sum_sign", "Σ(?=_)"),
    ("alphabet", "[\U0001d400-\U0001d7cbℎℯℓ]"),
    ("tall", "[⎡⎢⎣⎤⎥⎦]"),
    ("vulgar", "[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]"),
    ("accent", "[\u0302\u0303\u0304\u0305\u20d7]"),
    _ANY,
)  # fmt: skip

# Commands ---------------------------------------------------------------------------------------------


def _operators(commands: Mapping[str, str]) -> dict[str, Meaning]:
    """Return the meanings of commands that are multiplication signs or slashes."""
    return {name: ("slash" if sign == "/" else "times", sign) for name, sign in commands.items()}


_STRICT_COMMANDS: dict[str, Meaning] = {
    **{name: ("fraction", name) for name in symbols.FRACTIONS},
    **{name: ("name", name) for name in symbols.SYMBOLS},
    "sqrt": ("root", "√"), "boxed": ("box", "boxed"), "fbox": ("box", "boxed"), "sum": ("sum", "∑"),
    "top": ("top", "⊤"), "intercal": ("top", "⊤"), "tr": ("top", "⊤"), "prime": ("prime", "'"),
    "R": ("reals", "ℝ"), "RR": ("reals", "ℝ"), "lbrace": ("open", "{"), "rbrace": ("close", "}"),
    "lbrack": ("open", "["), "rbrack": ("close", "]"), "colon": ("colon", ":"), "notin": ("notin", "∉"),
    "lVert": ("baropen", "‖"), "rVert": ("barclose", "‖"), "Vert": ("bar", "‖"),
    "lvert": ("baropen", "|"), "rvert": ("barclose", "|"), "vert": ("bar", "|"), "mid": ("given", "|"),
    "begin": ("environment", ""), "end": ("environment", ""),
    **{name: ("font", font) for name, font in symbols.FONTS.items()},
    **{name: ("words", font) for name, font in symbols.WORD_FONTS.items()},
    **{name: ("dots", shape) for name, shape in symbols.DOT_COMMANDS.items()},
    **_operators(symbols.OPERATOR_COMMANDS),
    **{name: ("relation", sign) for name, sign in symbols.RELATION_COMMANDS.items()},
    **{name: ("relation", sign) for name, sign in symbols.PROOF_RELATION_COMMANDS.items()},
    **dict.fromkeys(symbols.IGNORED_COMMANDS, ("skip", "")),
    **dict.fromkeys(symbols.IGNORED_WITH_ARGUMENT, ("skip-argument", "")),
    **{name: ("soft", f"\\{name}") for name in symbols.WIDE_SPACES},
}  # fmt: skip
"""A command of the kind ``skip`` says nothing, ``skip-argument`` goes with its argument, ``soft`` parts statements."""

_LENIENT_COMMANDS: dict[str, Meaning] = _STRICT_COMMANDS | {
    **dict.fromkeys((
        "cancel", "bcancel", "underline", "mathclap", "mathrlap", "mathllap", "smash", "emph", "vec", "mathring",
        "overrightarrow", "mathord", "ensuremath", "hbox", "mathinner", "mathclose", "mathopen", "dot", "pmb",
        "textsuperscript", "Aboxed",
    ), ("font", "")),
    **dict.fromkeys(("hat", "widehat"), ("accent", "hat")),
    **dict.fromkeys(("tilde", "widetilde"), ("accent", "tilde")),
    **dict.fromkeys(("bar", "overline"), ("accent", "bar")),
    **_operators({"bullet": "cdot", "centerdot": "cdot", "odot": "odot", "circ": "odot"}),
    "reals": ("reals", "ℝ"), "E": ("mean", "𝔼"), "lparen": ("open", "("), "rparen": ("close", ")"),
    "pm": ("plusminus", "±"), "mp": ("plusminus", "∓"), "langle": ("angle", "("), "rangle": ("close", ")"),
    "mid": ("bar", "|"), "infty": ("name", "infinity"), "cr": ("row", "\\\\"), "tabularnewline": ("row", "\\\\"),
    "underbrace": ("brace-under", ""), "overbrace": ("brace-under", ""), "overset": ("over", ""),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), ("column", "(")),
    "underset": ("over", ""), "stackrel": ("over", ""), "horzbar": ("sign", "-"), "slash": ("slash", "/"),
    "over": ("slash", "/"), "rule": ("skip-argument", "-"), "hspace": ("skip-argument", " "), "space": ("gap", "weak"),
    **dict.fromkeys(("quad", "qquad", "hfill", "enspace", "hskip"), ("gap", "strong")),
    **dict.fromkeys((
        "because", "middle", "bf", "rm", "it", "cal", "sf", "tt", "tiny", "scriptsize", "footnotesize", "small",
        "normalsize", "large", "Large", "LARGE", "huge", "boldmath", "scriptscriptstyle", "nobreakspace", "par",
        "qed", "null", "protect", "mathop", "mathrel", "mathbin", "bigm", "Bigm", "smallskip", "medskip", "newline",
        "toprule", "midrule", "bottomrule", "cdotp", "negmedspace", "negthickspace", "phantomsection", "cline",
        "blacksquare", "qedsymbol", "qedhere",
    ), ("skip", "")),
    **dict.fromkeys(
        ("require", "vskip", "footnote", "eqref", "ref", "colorbox", "sout", "st", "xcancel"), ("skip-argument", "")
    ),
}  # fmt: skip
"""Beyond that, a ``gap`` parts entries where no other mark does; an argument may be skipped for a dash or a space."""

# Signs -------------------------------------------------------------------------------------------

_LATEX_SIGNS = symbols.CHARACTERS | {".": ("point", "."), "...": ("dots", "cdots")}

_PROGRAM_SIGNS = {"@": ("times", "")} | {
    written: ("relation", sign) for written, sign in symbols.PLAIN_RELATIONS.items()
}

_PLAIN_SIGNS = _LATEX_SIGNS | _PROGRAM_SIGNS | {"%": ("percent", "%")}

_LENIENT_SIGNS = _LATEX_SIGNS | _PROGRAM_SIGNS | {
    "•": ("times", "cdot"), "±": ("plusminus", "±"), "∞": ("name", "infinity"),
    "⟨": ("angle", "("), "⟩": ("close", ")"), "〈": ("angle", "("), "〉": ("close", ")"), "［": ("open", "["),
    "］": ("close", "]"), "（": ("open", "("), "）": ("close", ")"), "，": ("comma", ","), "；": ("semicolon", ";"),
    "‑": ("sign", "-"), "－": ("sign", "-"), "＋": ("sign", "+"), "\u2062": ("skip", ""), "\u2061": ("skip", ""),
    "∘": ("times", "odot"), "⊙": ("times", "odot"), "✕": ("times", "times"),
}  # fmt: skip

# Characters that stand for more than one token ------------------------------------------------------

RAISED = str.maketrans(
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾꟴᴿᵁⱽᵂᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵠ",
    "0123456789-+ABDEGHIJKLMNOPQRUVWabcdefghijklmnoprstuvwxyzQ",
)
"""Unicode has a raised Q only since 2020: people take the raised φ. The raised T is a transpose."""

LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵩ", "0123456789aehijklmnoprstuvxq")

ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u20d7": ""}
"""Accents as characters of their own; an arrow says nothing."""

VULGAR = {
    "½": "12", "⅓": "13", "⅔": "23", "¼": "14", "¾": "34", "⅕": "15", "⅖": "25", "⅗": "35", "⅘": "45",
    "⅙": "16", "⅚": "56", "⅛": "18", "⅜": "38", "⅝": "58", "⅞": "78",
}  # fmt: skip
"""Fractions of one character: the digits above and below."""

TALL = {"⎡": "[[", "⎢": "[", "⎣": "[", "⎤": "]", "⎥": "]", "⎦": "]]"}
"""The pieces of brackets as tall as their matrix, as brackets around each row."""

# Words ------------------------------------------------------------------------------------------------

ENTRYWISE = "odot"
"""The function of two matrices that are multiplied entry by entry, as it stands in a tree."""

_LENIENT_INFINITE = frozenset({"inf", "Inf", "infty", "infinity", "Infinity", "oo"})
_LENIENT_WRAPPERS = frozenset({
    "array", "tensor", "matrix", "Matrix", "FloatTensor", "Tensor", "asarray", "list", "tuple",
})  # fmt: skip
_ALL_ENVIRONMENTS = frozenset(symbols.MATRIX_BRACKETS) | symbols.LAYOUT_ENVIRONMENTS
_LENIENT_PARTS = 32_000
"""Enough for the largest matrix with a sign before each entry."""

# Dialects ---------------------------------------------------------------------------------------------

LATEX = Dialect(
    words=False,
    lenient=False,
    rules=_LATEX_RULES,
    percent=r"[ \t]*(?:\\[,;:!])?\\%",
    signs=_LATEX_SIGNS,
    commands=_STRICT_COMMANDS,
    infinity="infty",
    infinite_words=symbols.INFINITE_WORDS,
    with_options=frozenset({"array", "aligned", "alignedat", "gathered"}),
    wrappers=frozenset(),
)

PLAIN = Dialect(
    words=True,
    lenient=False,
    rules=_PLAIN_RULES,
    percent="%",
    signs=_PLAIN_SIGNS,
    commands={},
    infinity="infty",
    infinite_words=symbols.INFINITE_WORDS,
    with_options=frozenset(),
    wrappers=frozenset({"array", "tensor"}),
)


def _lenient(skip: str, word: str, percent: str, *, words: bool) -> Dialect:
    """Return a dialect of submissions."""
    first = ("down_columns", _DOWN_COLUMNS), ("infinite", _INFINITE), ("skip", skip), ("word", word)
    return Dialect(
        words=words,
        lenient=True,
        rules=(
            ("sign", f"{_SIGN}|{_RELATIONS}"),
            ("number", _LENIENT_NUMBER),
            *first,
            *((_QUOTED,) if words else ()),
            *_LENIENT_LAST,
        ),
        percent=percent,
        signs=_LENIENT_SIGNS,
        commands=_LENIENT_COMMANDS,
        infinity="infinity",
        infinite_words=_LENIENT_INFINITE,
        with_options=_ALL_ENVIRONMENTS,
        wrappers=_LENIENT_WRAPPERS if words else frozenset(),
        most_parts=_LENIENT_PARTS,
    )


LENIENT: Mapping[Notation, Dialect] = {
    "latex": _lenient(
        rf"{_LENIENT_SKIP}|%[^\n]*\n?",
        "[A-Za-z]+",
        r"[ \t]*(?:\\[,;:!])?(?:\\%|%(?=[ \t]*(?:$|[\n&,;)\]}\\=+*/-])))",
        words=False,
    ),
    "plain": _lenient(_LENIENT_SKIP, _PLAIN_WORD[1], r"[ \t]?\\?%", words=True),
}
"""The dialects of submissions."""
