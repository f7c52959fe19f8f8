"""Letters of the world's scripts, as fragments of patterns that tell words from symbols.

A Latin or Greek letter may be a symbol of a formula; of the other scripts every letter belongs to a word.
"""

from __future__ import annotations

LATIN_ACCENTED = r"\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
CYRILLIC = r"\u0400-\u052f"
LATIN_OR_CYRILLIC = rf"A-Za-z{LATIN_ACCENTED}{CYRILLIC}"
GREEK_ACCENTED = r"\u0386-\u0390\u03aa-\u03b0\u03ca-\u03ce\u1f00-\u1fff"
_GREEK = rf"\u0391-\u03c9{GREEK_ACCENTED}"
EAST_ASIAN = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3131-\u318c\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
)
"""Kana, Han and Hangul, without the middle dots among them; inside of brackets, as all of those above."""

GREEK_WORD = rf"(?:[{_GREEK}]{{3,}}|[{_GREEK}]?[{GREEK_ACCENTED}][{_GREEK}]?)"
OTHER_WORD = rf"(?:[{EAST_ASIAN}]+(?:・[{EAST_ASIAN}]+)*|(?:(?![\d،؛؟۔।॥])[\u0531-\u1cff][\u200c\u200d]?)+)"
"""A word of East Asia, or of a script from Armenian and Arabic to Thai, vowel signs included."""
