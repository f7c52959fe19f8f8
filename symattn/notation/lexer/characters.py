"""TRUSTED. Characters of Unicode that stand for more than one token: scripts, accents, fractions, tall brackets."""

from __future__ import annotations

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")

RAISED_LETTERS = str.maketrans(
    "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾꟴᴿᵁⱽᵂᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵠ", "ABDEGHIJKLMNOPQRUVWabcdefghijklmnoprstuvwxyzQ"
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
