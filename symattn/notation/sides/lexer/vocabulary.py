"""Words, commands and characters of submissions, beyond those of the strict notations."""

from __future__ import annotations

from symattn.notation.lexer.tex import MEANINGS, SPECIAL, Meaning, operators
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.words import CALLS

WORD_FUNCTIONS = t.FUNCTIONS | (t.PROOF_FUNCTIONS - {"E"}) | CALLS
"""Words that call what stands in brackets behind them, in people's work."""

ENTRYWISE = "odot"
"""The function of two matrices that are multiplied entry by entry, as it stands in a tree."""

SIDE_FUNCTIONS = WORD_FUNCTIONS | {"normal", ENTRYWISE}
"""Every name that a `Call` may have in what was read; the writers want to be told of them."""

NO_WORDS = frozenset({"inf", "Inf", "infty", "infinity", "Infinity", "oo"})
"""Words for infinity."""

PAIRS = frozenset({"QK", "KQ", "AV", "XW"})
"""Two letters that are a product even as a word of plain text."""

# Characters -----------------------------------------------------------------------------------------

CHARACTERS = symbols.CHARACTERS | {
    "•": ("times", "cdot"), "@": ("times", ""), "±": ("plusminus", "±"), "∞": ("name", "infinity"),
    "‖": ("bar", "‖"), "∥": ("bar", "‖"), "|": ("bar", "|"), "∣": ("bar", "|"), "⟨": ("angle", "("),
    "⟩": ("close", ")"), "〈": ("angle", "("), "〉": ("close", ")"), "［": ("open", "["), "］": ("close", "]"),
    "（": ("open", "("), "）": ("close", ")"), "，": ("comma", ","), "；": ("semicolon", ";"), "‑": ("sign", "-"),
    "－": ("sign", "-"), "＋": ("sign", "+"), "\u2062": ("space", ""), "\u2061": ("space", ""),
    "∘": ("times", "odot"), "⊙": ("times", "odot"), "✕": ("times", "times"),
}  # fmt: skip
"""Kind and text of the token for each character that is a token by itself."""

ALONE = frozenset("+()[]^_/;'·×−⊤ᵀ")
"""Characters that begin nothing longer."""

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
RAISED_LETTERS = str.maketrans(
    "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾꟴᴿᵁⱽᵂᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵠ", "ABDEGHIJKLMNOPQRUVWabcdefghijklmnoprstuvwxyzQ"
)
"""Unicode has a raised Q only since 2020: people take the raised φ. The raised T is a transpose."""

LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵩ", "0123456789aehijklmnoprstuvxq")

ACCENT_CHARACTERS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u20d7": ""}
"""Accents as characters of their own; an arrow says nothing."""

VULGAR = {
    "½": "12", "⅓": "13", "⅔": "23", "¼": "14", "¾": "34", "⅕": "15", "⅖": "25", "⅗": "35", "⅘": "45",
    "⅙": "16", "⅚": "56", "⅛": "18", "⅜": "38", "⅝": "58", "⅞": "78",
}  # fmt: skip
"""Fractions of one character: the digits above and below."""

TALL = {"⎡": "[[", "⎢": "[", "⎣": "[", "⎤": "]", "⎥": "]", "⎦": "]]"}
"""The pieces of brackets as tall as their matrix, as brackets around each row."""

# Commands -------------------------------------------------------------------------------------------

COMMANDS: dict[str, Meaning] = {
    **MEANINGS,
    **dict.fromkeys((
        "cancel", "bcancel", "underline", "mathclap", "mathrlap", "mathllap", "smash", "emph", "mathstrut", "vec",
        "mathring", "overrightarrow", "mathop", "mathord", "ensuremath", "hbox", "mathinner", "mathclose",
        "mathopen", "dot", "pmb", "textsuperscript", "Aboxed",
    ), ("font", "")),
    "hat": ("accent", "hat"), "widehat": ("accent", "hat"), "tilde": ("accent", "tilde"),
    "widetilde": ("accent", "tilde"), "bar": ("accent", "bar"), "overline": ("accent", "bar"),
    **operators({"bullet": "cdot", "centerdot": "cdot", "odot": "odot", "circ": "odot"}),
    **SPECIAL,
    "reals": ("reals", "ℝ"), "E": ("mean", "𝔼"), "lparen": ("open", "("), "rparen": ("close", ")"),
    "pm": ("plusminus", "±"), "mp": ("plusminus", "∓"), "langle": ("angle", "("), "rangle": ("close", ")"),
    "|": ("bar", "‖"), "Vert": ("bar", "‖"), "lVert": ("bar", "‖"), "rVert": ("bar", "‖"), "vert": ("bar", "|"),
    "lvert": ("bar", "|"), "rvert": ("bar", "|"), "mid": ("bar", "|"), "infty": ("name", "infinity"),
    "cr": ("row", "\\\\"), "tabularnewline": ("row", "\\\\"), "underbrace": ("brace-under", ""),
    "overbrace": ("brace-under", ""), "overset": ("over", ""), "underset": ("over", ""), "stackrel": ("over", ""),
    "horzbar": ("sign", "-"), "slash": ("slash", "/"), "over": ("slash", "/"),
}  # fmt: skip
"""Kind and text of the token for each command, functions aside."""

GAPS = {
    "quad": "strong", "qquad": "strong", "hfill": "strong", "enspace": "strong", "hskip": "strong", "space": "weak",
}  # fmt: skip
"""Commands that are white space, and how much it parts."""

IGNORED = symbols.IGNORED_COMMANDS - {"hfill", "enspace"} | {
    "because", "middle", "bf", "rm", "it", "cal", "sf", "tt", "tiny", "scriptsize", "footnotesize", "small",
    "normalsize", "large", "Large", "LARGE", "huge", "boldmath", "scriptscriptstyle", "nobreakspace", "par",
    "qed", "null", "protect", "mathop", "mathrel", "mathbin", "bigm", "Bigm", "smallskip", "medskip", "newline",
    "toprule", "midrule", "bottomrule", "cdotp", "negmedspace", "negthickspace", "phantomsection", "cline",
}  # fmt: skip
"""Commands that say nothing about the mathematics."""

SKIPPED_ARGUMENT = symbols.IGNORED_WITH_ARGUMENT | {
    "require", "vskip", "footnote", "eqref", "ref", "colorbox", "hspace", "rule",
}  # fmt: skip
"""Commands that are left out with their first argument, some for a space or a dash."""
