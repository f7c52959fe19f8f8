"""TRUSTED. Tables of characters and commands that the readers and writers share."""

from __future__ import annotations

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "varpi": "ϖ", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς", "tau": "τ",
    "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
    "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
"""Command names of Greek letters, and the characters that stand for them."""

OTHER_SYMBOLS = {"infty": "∞", "ell": "ℓ", "partial": "∂", "nabla": "∇", "dagger": "†", "star": "⋆"}
"""Commands that are names like letters."""

SYMBOLS = GREEK | OTHER_SYMBOLS

RELATION_COMMANDS = {
    "approx": "≈", "simeq": "≈", "equiv": "≡", "in": "∈", "sim": "∼", "to": "→", "rightarrow": "→",
    "longrightarrow": "→", "Rightarrow": "⇒", "implies": "⇒", "Longrightarrow": "⇒", "le": "≤", "leq": "≤",
    "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "lt": "<", "gt": ">", "neq": "≠", "ne": "≠",
    "coloneqq": "=", "coloneq": "=", "leftarrow": "=", "gets": "=",
}  # fmt: skip
"""LaTeX commands of the relations; the first command of a relation is the one that is written."""

PROOF_RELATION_COMMANDS = {
    "iff": "⇔", "Leftrightarrow": "⇔", "Longleftrightarrow": "⇔", "propto": "∝", "varpropto": "∝",
    "gg": "≫", "ll": "≪", "ggg": "≫", "lll": "≪",
}  # fmt: skip
"""Commands of the relations that no line of arithmetic holds; they end no statement of a document."""

OPERATOR_COMMANDS = {"cdot": "cdot", "times": "times", "ast": "cdot", "div": "/"}

DOT_COMMANDS = {
    "cdots": "cdots", "ldots": "cdots", "dots": "cdots", "dotsc": "cdots", "dotsb": "cdots", "vdots": "vdots",
    "ddots": "ddots",
}  # fmt: skip

CHARACTERS: dict[str, tuple[str, str]] = {
    "+": ("sign", "+"), "-": ("sign", "-"), "−": ("sign", "-"), "–": ("sign", "-"),
    "·": ("times", "cdot"), "⋅": ("times", "cdot"), "∙": ("times", "cdot"), "*": ("times", "cdot"),
    "∗": ("times", "cdot"), "×": ("times", "times"), "/": ("slash", "/"), "÷": ("slash", "/"),
    "=": ("relation", "="), "≈": ("relation", "≈"), "≡": ("relation", "≡"), "∈": ("relation", "∈"),
    "∼": ("relation", "∼"), "→": ("relation", "→"), "⇒": ("relation", "⇒"), "≤": ("relation", "≤"),
    "≥": ("relation", "≥"), "<": ("relation", "<"), ">": ("relation", ">"), "≠": ("relation", "≠"),
    "⇔": ("relation", "⇔"), "∝": ("relation", "∝"), "≫": ("relation", "≫"), "≪": ("relation", "≪"),
    "∉": ("notin", "∉"),
    "‖": ("bar", "‖"), "∥": ("bar", "‖"), "|": ("bar", "|"), "∣": ("bar", "|"),
    "(": ("open", "("), ")": ("close", ")"), "[": ("open", "["), "]": ("close", "]"),
    "{": ("brace", "{"), "}": ("unbrace", "}"),
    ",": ("comma", ","), ";": ("semicolon", ";"), "^": ("above", "^"), "_": ("below", "_"),
    "'": ("prime", "'"), "’": ("prime", "'"), "′": ("prime", "'"), "ᵀ": ("prime", "'"), "⊤": ("top", "⊤"),
    "…": ("dots", "cdots"), "⋯": ("dots", "cdots"), "⋮": ("dots", "vdots"), "⋱": ("dots", "ddots"),
    "√": ("root", "√"), "∑": ("sum", "∑"), "ℝ": ("reals", "ℝ"), "𝔼": ("mean", "𝔼"), ":": ("colon", ":"),
}  # fmt: skip
"""Kind and text of the token for each character that is a token by itself."""

NAMED_CHARACTERS = {character: name for name, character in SYMBOLS.items()}
CHARACTERS.update({character: ("name", name) for character, name in NAMED_CHARACTERS.items()})

PLAIN_RELATIONS = {
    ":=": "=", "==": "=", "~=": "≈", "->": "→", "<=>": "⇔", "=>": "⇒", "<=": "≤", ">=": "≥", "!=": "≠", "~": "∼",
}  # fmt: skip

FONTS = {
    "mathbf": "bold", "bm": "bold", "boldsymbol": "bold", "mathbb": "blackboard", "mathbbm": "blackboard",
    "mathds": "blackboard", "mathbbold": "blackboard", "mathcal": "calligraphic", "mathscr": "calligraphic",
    "mathfrak": "calligraphic", "mathrm": "roman", "mathsf": "roman",
    "mathtt": "roman", "operatorname": "roman",
    "mathit": "", "mathnormal": "", "hat": "", "tilde": "", "bar": "", "vec": "", "overline": "",
    "widehat": "",
    "widetilde": "", "mathop": "", "mathord": "", "ensuremath": "",
}  # fmt: skip
"""Commands that change how their argument looks, and the font that they set."""

WORD_FONTS = {
    "text": "text", "textrm": "text", "textit": "text", "textnormal": "text", "mbox": "text",
    "textsf": "text",
    "texttt": "text", "textbf": "bold",
}  # fmt: skip
"""Commands whose argument is words."""

IGNORED_COMMANDS = frozenset({
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl",
    "Biggr", "displaystyle", "textstyle", "scriptstyle", "limits", "nolimits", "nonumber", "notag", "hfill",
    "enspace", "thinspace", "medspace", "thickspace", "negthinspace", "allowbreak", "nobreak",
    "hline", "relax",
    "mathstrut", "strut", "centering", "therefore", "noindent", "symattnheat", "symattnseen",
    "symattnhidden",
})  # fmt: skip
"""Commands that say nothing about the mathematics."""

IGNORED_WITH_ARGUMENT = frozenset({
    "label", "tag", "hspace", "vspace", "phantom", "hphantom", "vphantom", "color", "textcolor", "cellcolor",
    "rowcolor",
})  # fmt: skip
"""Commands that are left out with their first argument."""

WIDE_SPACES = frozenset({"quad", "qquad"})

FRACTIONS = frozenset({"frac", "tfrac", "dfrac", "cfrac"})

MATRIX_BRACKETS = {
    "bmatrix": "[", "pmatrix": "(", "Bmatrix": "{", "vmatrix": "|", "matrix": "",
    "smallmatrix": "", "array": "",
    "bsmallmatrix": "[", "psmallmatrix": "(", "Bsmallmatrix": "{", "vsmallmatrix": "|",
}  # fmt: skip
"""Environments that hold a matrix, and the brackets that they draw."""

LAYOUT_ENVIRONMENTS = frozenset({
    "aligned", "align", "alignat", "alignedat", "split", "gather", "gathered", "equation",
    "multline", "flalign",
    "eqnarray", "displaymath", "math",
})  # fmt: skip
"""Environments that only arrange lines."""

CLOSING = {"(": ")", "[": "]", "{": "}"}

INFINITE_WORDS = frozenset({"inf", "Inf", "Infinity"})
"""Words that programs print for infinity; a name of this spelling is written in quotes in plain text."""

PLAIN_KEYWORDS = frozenset({"root", "boxed", "sum", "array", "tensor"})
"""Bare words that mean more than a name in plain text; a name of this spelling is written in quotes."""
