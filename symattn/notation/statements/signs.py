"""Signs at which a formula is split: relations, brackets, row ends, punctuation and joining words.

Everything else in a formula is an ``atom``, whatever it means: reading the sides is another's work.
"""

from __future__ import annotations

import re

from symattn import late
from symattn.errors import NotationError
from symattn.notation.letters import GREEK_WORD, LATIN_OR_CYRILLIC, OTHER_WORD
from symattn.notation.lexer.dialects import LENIENT, Notation
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.records import dataclass

__all__ = ["Notation", "Sign", "signs"]


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign with its span.

    Attributes:
        kind: ``relation``, ``open``, ``close``, ``row``, ``cell``, ``comma``, ``stop``, ``space``, ``words``,
            ``text``, ``operator``, ``idle`` (says nothing) or ``atom``.
        value: the operator of a relation, the family of a bracket, the words of a text.
    """

    kind: str
    start: int
    end: int
    value: str = ""


CONNECTIVES = frozenset(
    "and or so then thus hence therefore iff where with which because since if when while whence i.e. ie e.g. giving "  # noqa: SIM905 - a list of words
    "gives yields implies means namely that but also".split()
)
"""Words that stand between statements."""

LAYOUTS = symbols.LAYOUT_ENVIRONMENTS | {"IEEEeqnarray", "multlined", "cases", "subequations"}
"""Environments that hold rows of statements."""

STRIKES = ("cancel", "bcancel", "xcancel", "sout", "st")
_WRAPS = "boxed|fbox|mathbf|boldsymbol|bm|mathrm|underline|ensuremath|colorbox\\{[^{}]{0,40}\\}|" + (
    "textcolor\\{[^{}]{0,40}\\}|" + "|".join(STRIKES)
)
_RELATION_COMMANDS = symbols.RELATION_COMMANDS | {
    "cong": "≈", "approxeq": "≈", "thickapprox": "≈", "doteq": "=", "mapsto": "→", "longmapsto": "→",
    "longleftarrow": "=", "leftrightarrow": "⇔", "longleftrightarrow": "⇔", "triangleq": "=", "eqqcolon": "=",
    "eqcolon": "=", "rightsquigarrow": "→", "leqq": "≤", "geqq": "≥",
    **{name: sign for name, sign in symbols.PROOF_RELATION_COMMANDS.items() if sign != "∝"},
}  # fmt: skip
_RELATION_SIGNS = {sign: sign for sign in t.RELATIONS} | symbols.PLAIN_RELATIONS | {
    "=:": "=", "=?": "=", "?=": "=", "≟": "=", "≔": "=", "≃": "≈", "≅": "≈", "=~": "≈", "⟶": "→", "↦": "→", "-->": "→",
    "⟹": "⇒", "==>": "⇒", "⟺": "⇔", "↔": "⇔", "<==>": "⇔", "<->": "⇔",
}  # fmt: skip
_ASCII = r"<==>|<=>|<->|==>|-->|=>|->|<=|>=|!=|:=|=:|==|=\?|\?="
_SIGNS = "[=≟≔≈≃≅≡∈∼→⟶↦⇒⟹⇔⟺↔≤≥<>≠≫≪]"
_OPERATORS = "".join(
    re.escape(sign) for sign, (kind, _) in LENIENT["plain"].signs.items() if kind in {"sign", "times", "slash"}
)
_INNER = r"=|:=|\\(?:approx|sim|simeq|equiv|to|rightarrow|leq?|geq?)(?![A-Za-z])|≈|→"

_LATEX = late.pattern(
    r"(?P<row>(?:\\\\)+\*?(?:[ \t]*\[\s*-?[0-9.]+\s*(?:pt|em|ex|mm|cm|in|mu|bp|px)\s*\])?"
    r"|\\(?:newline|cr|tabularnewline)(?![A-Za-z]))"
    r"|(?P<begin>\\begin\s*\{(?P<opened>[A-Za-z]+)\*?\}(?:\s*\[[lcrtb]\])?)"
    r"|(?P<end>\\end\s*\{(?P<closed>[A-Za-z]+)\*?\})"
    r"|(?P<left>\\left(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|.)?)"
    r"|(?P<right>\\right(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|.)?)"
    r"|(?P<idle>\\(?:tag\*?|label|eqref|hspace\*?|vspace\*?)\s*\{[^{}]*\}"
    r"|\\(?:nonumber|notag|therefore|because|displaystyle|hfill|allowbreak|noindent|centering)(?![A-Za-z]))"
    r"|(?P<over>\\(?:overset|stackrel|underset)\s*\{(?:[^{}]|\{[^{}]*\}){0,60}\}\s*\{?\s*(?P<inner>"
    + _INNER
    + r")\s*\}?)"
    r"|(?P<arrow>\\x(?:rightarrow|longequal)\s*(?:\[[^\]\n]*\])?\{[^{}]*\})"
    r"|(?P<not>\\not\s*=)"
    r"|\\(?:text|mbox|textrm|textit|textbf|textnormal|mathrm|textsf)\s*\{(?P<text>[^{}$\\]*)\}"
    r"|\\(?P<wrap>" + _WRAPS + r")\s*\{"
    r"|(?P<space>\\q?quad(?![A-Za-z]))"
    r"|\\(?P<command>[A-Za-z]+)"
    r"|(?P<softopen>\\\{|\\lbrace|[(\[⟨])"
    r"|(?P<softclose>\\\}|\\rbrace|[)\]⟩])"
    r"|(?P<thin>\\[,:;!> ])"
    r"|(?P<escape>\\[^A-Za-z])"
    r"|(?P<relation>" + _ASCII + "|" + _SIGNS + r")"
    r"|(?P<number>(?:[0-9]+(?:\{,\}[0-9]+|,[0-9]+|\.[0-9]+)*|\.[0-9]+))"
    r"|(?P<dots>\.\.+)"
    r"|(?P<brace>\{)|(?P<unbrace>\})|(?P<cell>&)|(?P<comma>[,，])|(?P<stop>[;.](?=[\s~&\\;,.]|$)|[；。])"
    rf"|(?P<operator>[{_OPERATORS}])|(?P<script>[_^])"
    r"|(?P<blank>[\s~]+)",
    re.DOTALL,
)
_PLAIN = late.pattern(
    r"(?P<power>\*\*)"
    r"|(?P<relation>" + _ASCII + r"|~=|=~|~|" + _SIGNS + r")"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]+)*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?)(?:%|f\b)?"
    r"(?:,[0-9]+)*)"
    r'|(?P<quoted>"[^"\n]*")'
    rf"|(?P<word>(?:[{LATIN_OR_CYRILLIC}]+(?:['’-][A-Za-z]+)*|{GREEK_WORD})(?![{LATIN_OR_CYRILLIC}0-9_])"
    rf"|{OTHER_WORD})"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<dots>\.\.+|…)"
    r"|(?P<member>\.(?=[A-Za-z]))"
    r"|(?P<softopen>[(\[{⟨])|(?P<softclose>[)\]}⟩])|(?P<comma>[,，])|(?P<stop>[;.](?=\s|$)|[；。])|(?P<colon>:)"
    rf"|(?P<operator>[{_OPERATORS}^])"
    r"|(?P<blank>\s+)"
)


_NUMBER_NEXT = late.pattern(r"[ \t]{0,20}[-−+]?\.?[0-9]")
MAX_SIGNS = 30_000
"""Signs of one formula."""


def signs(text: str, start: int, end: int, notation: Notation) -> list[Sign]:
    r"""Return the signs of ``text[start:end]``, blanks left out.

    >>> [(sign.kind, sign.value) for sign in signs("Q_1 &= 2", 0, 8, "latex")]
    [('atom', 'Q'), ('script', ''), ('atom', '1'), ('cell', ''), ('relation', '='), ('atom', '2')]

    Raises:
        NotationError: there are more of them than one formula has.
    """
    pattern, make = (_LATEX, _latex) if notation == "latex" else (_PLAIN, _plain)
    found: list[Sign] = []
    position = start
    while position < end:
        if len(found) > MAX_SIGNS:
            raise NotationError(f"A formula has more than {MAX_SIGNS} signs: write it in parts.", start)
        match = pattern.match(text, position, end)
        if match is None or match.end() == position:
            found.append(Sign("atom", position, position + 1, text[position]))
            position += 1
            continue
        if match.lastgroup != "blank":
            found.append(make(match, text))
        position = match.end()
    return found


_FIXED = {
    "left": ("open", "left"), "right": ("close", "left"), "softopen": ("open", "soft"), "softclose": ("close", "soft"),
    "brace": ("open", "brace"), "unbrace": ("close", "brace"), "arrow": ("relation", "→"), "not": ("relation", "≠"),
    "thin": ("idle", ""), "power": ("operator", ""),
    **{kind: (kind, "") for kind in ("row", "cell", "comma", "stop", "space", "idle", "operator", "script", "colon")},
}  # fmt: skip
"""Kind and value of the sign for each group of the patterns that says all of it."""


def _latex(match: re.Match[str], text: str) -> Sign:  # noqa: ARG001 - plain text needs it
    start, end = match.span()
    kind = match.lastgroup or ""
    match kind:
        case "begin" | "end":
            return Sign("open" if kind == "begin" else "close", start, end, "\\" + (match["opened"] or match["closed"]))
        case "over":
            inner = match["inner"]
            return Sign("relation", start, end, _RELATION_SIGNS.get(inner) or _RELATION_COMMANDS.get(inner[1:], "="))
        case "wrap":
            return Sign("open", start, end, "brace " + match["wrap"].partition("{")[0])
        case "relation":
            return Sign(kind, start, end, _RELATION_SIGNS[match.group()])
        case "text":
            return Sign("words" if joins(match["text"]) else "text", start, end, match["text"])
        case "command":
            return _command(match["command"], start, end)
    kind, value = _FIXED.get(kind, ("atom", match.group()))
    return Sign(kind, start, end, value)


def _command(name: str, start: int, end: int) -> Sign:
    relation = _RELATION_COMMANDS.get(name)
    if relation is not None:
        return Sign("relation", start, end, relation)
    if name in symbols.OPERATOR_COMMANDS or name in {"pm", "mp", "bullet"}:
        return Sign("operator", start, end)
    if name in {"langle", "rangle", "lbrace", "rbrace", "lbrack", "rbrack"}:
        return Sign("open" if name[0] == "l" else "close", start, end, "soft")
    return Sign("atom", start, end, "\\" + name)


def _plain(match: re.Match[str], text: str) -> Sign:
    start, end = match.span()
    sign = match.group()
    if match.lastgroup == "relation":
        is_before_number = sign in {"~", "∼"} and _NUMBER_NEXT.match(text, end) is not None
        return Sign("relation", start, end, "≈" if is_before_number else _RELATION_SIGNS[sign])
    if match.lastgroup == "word":
        is_called = text[end : end + 1] in {"(", "["}
        return Sign("words" if not is_called and sign.lower() in CONNECTIVES else "word", start, end, sign)
    kind, value = _FIXED.get(match.lastgroup or "", ("atom", sign))
    return Sign(kind, start, end, value)


def joins(words: str) -> bool:
    """Return True if words in a formula stand between statements: ``and``, ``, so``, ``which gives``.

    >>> joins(", so "), joins("Attention map")
    (True, False)
    """
    parts = words.strip(" \t\n,;.:()~").lower().split()
    return bool(parts) and parts[0] in CONNECTIVES | {"for"}
