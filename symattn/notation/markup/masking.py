"""Masking of the markup of Markdown and TeX by as many spaces.

So every offset into the cleaned text is an offset into the original.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from symattn.notation.tree import nodes as t
from symattn.records import dataclass

RegionKind: TypeAlias = Literal["formula", "heading", "verbatim", "lines", "broken", "table"]


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a document that is not running text.

    Attributes:
        kind: ``formula`` in LaTeX, ``heading``, ``verbatim`` (words, whatever they look like), ``lines`` (plain
            text without marks), ``broken`` (a formula that is not closed), or ``table``.
        start: where it starts, delimiters included.
        end: where it ends.
        inner: what it holds.
        inline: whether it stands in a line of text.
        level: of a heading.
        reason: of a broken formula.
    """

    kind: RegionKind
    start: int
    end: int
    inner: t.Span
    inline: bool = False
    level: int = 0
    reason: str = ""


class Canvas:
    """The working copy of a text, of the same length throughout."""

    def __init__(self, text: str) -> None:
        self._characters = list(text)

    def blank(self, start: int, end: int) -> None:
        """Replace everything but line ends by spaces."""
        for position in range(start, end):
            if self._characters[position] != "\n":
                self._characters[position] = " "

    def put(self, start: int, end: int, character: str) -> None:
        """Put one character, and spaces for the rest of the span."""
        self.blank(start, end)
        self._characters[start] = character

    def replace(self, start: int, text: str) -> None:
        """Put another text of the same length in the place of a part."""
        self._characters[start : start + len(text)] = text

    def text(self) -> str:
        """Return the whole text in its present state."""
        return "".join(self._characters)


_ENTITIES = {
    "amp": "&", "lt": "<", "gt": ">", "nbsp": " ", "quot": '"', "minus": "-", "times": "×", "middot": "·", "sdot": "·",
    "rarr": "→", "asymp": "≈", "radic": "√", "#39": "'",
}  # fmt: skip
_ENTITY = re.compile(r"&(" + "|".join(_ENTITIES) + ");")
_TAG = re.compile(
    r"<(/?)(p|br|div|span|td|tr|th|table|tbody|thead|center|b|i|em|strong|sub|sup|del|s|strike|u|font|img|a|code|pre|li|ul"
    r"|ol|h[1-6]|details|summary|blockquote|hr)(?:\s[^<>\n]{0,300})?/?>",
    re.IGNORECASE,
)
_STRUCK_TAGS = frozenset({"del", "s", "strike"})
_HTML_COMMENT = re.compile(r"<!--(?:>|->)?")
_QUOTE = re.compile(r"^(?:[ \t]{0,8}>)+ ?", re.MULTILINE)
_TILDES = re.compile(r"(?P<paragraph>\n[ \t]*(?=\n))|(?P<mark>(?<!~)~~(?!~))")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_BOLD = re.compile(r"(?<![\w)\]}])\*\*(?=[^\s*])|(?<=[^\s*])\*\*(?![\w(\[{])")
_ITALIC = re.compile(r"(?<![\w*)\]}])\*(?=[A-Za-z])([^*\n$]{0,80})(?<=[A-Za-z:.])\*(?![\w*])")
_TICKS = re.compile(r"`+")


def clean_marks(text: str, canvas: Canvas) -> list[t.Span]:
    """Blank the markup of Markdown and HTML that may stand anywhere, and return the spans struck out."""
    _comments(text, canvas)
    text = canvas.text()
    _entities_and_quotes(text, canvas)
    blank_dots(text, canvas)
    struck = [*_tildes(text, canvas), *_tags(text, canvas)]
    struck.sort()
    return struck


def _comments(text: str, canvas: Canvas) -> None:
    """Blank ``<!-- … -->``; an unclosed one hides nothing here, so that no work gets lost."""
    position = 0
    while (opened := _HTML_COMMENT.search(text, position)) is not None:
        closed = text.find("-->", opened.end())
        if closed < 0:
            return
        position = closed + 3
        canvas.blank(opened.start(), position)


_LINE = (
    r"(?:\\(?:vec|mathbf|boldsymbol|bm)\s?\{?[A-Za-z]\}?|[A-Za-z])"
    r"(?:_?\{?[0-9ij]{1,2}\}?|\[[0-9]{1,2}\])\}?(?:\^\{?(?:T|\\top|\\intercal)\}?)?"
)
_DOT = re.compile(
    rf"(?<![\w.\\{{]){_LINE}[ \t]{{1,4}}(?P<lines>\.)(?=[ \t]{{0,4}}{_LINE}(?![\w.]))"
    rf"|(?<![\w.\\])(?:[A-Za-z]|{_LINE})[ \t]{{1,4}}(?P<letters>\.)(?=[ \t]{{1,4}}(?:{_LINE}|[A-HJ-Za-z])(?![\w.]))"
    r"|[\])][ \t]{1,4}(?P<lists>\.)(?=[ \t]{1,4}[\[(][ \t]*[-−0-9.])"
)


def blank_dots(text: str, canvas: Canvas) -> None:
    """Put a dot product for a full stop between two vectors: ``q_1 . k_2`` and ``(3, -2) . (2, 1)``."""
    for found in _DOT.finditer(text):
        canvas.put(*found.span(found.lastgroup or 0), "·")


def blank_returns(text: str, canvas: Canvas) -> None:
    """Blank carriage returns."""
    position = text.find("\r")
    while position >= 0:
        canvas.blank(position, position + 1)
        position = text.find("\r", position + 1)


def _entities_and_quotes(text: str, canvas: Canvas) -> None:
    """Replace carriage returns, HTML entities, and the ``>`` of quoted lines."""
    blank_returns(text, canvas)
    for found in _ENTITY.finditer(text):
        canvas.put(*found.span(), _ENTITIES[found[1]])
    before_quoted = True
    position = 0
    for line in text.splitlines(keepends=True):
        found_quote = _QUOTE.match(line)
        if found_quote and before_quoted:
            canvas.blank(position, position + found_quote.end())
        before_quoted = not line.strip() or (bool(found_quote) and before_quoted)
        position += len(line)


def _tildes(text: str, canvas: Canvas) -> list[t.Span]:
    struck: list[t.Span] = []
    opened = -1
    for found in _TILDES.finditer(text):
        start, end = found.span()
        if found.lastgroup == "paragraph":
            opened = -1
        elif opened >= 0 and not text[start - 1].isspace():
            struck.append((opened, end))
            canvas.blank(opened, opened + 2)
            canvas.blank(start, end)
            opened = -1
        elif not text[start - 1 : start].isalnum() and not text[end : end + 1].isspace():
            opened = start
    return struck


def _tags(text: str, canvas: Canvas) -> list[t.Span]:
    struck: list[t.Span] = []
    opened = -1
    for found in _TAG.finditer(text):
        canvas.blank(*found.span())
        if found[2].lower() in _STRUCK_TAGS:
            if not found[1]:
                opened = found.end()
            elif opened >= 0:
                if not _PARAGRAPH.search(text, opened, found.start()):
                    struck.append((opened, found.start()))
                opened = -1
    return struck


_BOLD_LABEL = re.compile(
    r"(?:^[ \t>]{0,12}(?:(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+)?|(?<=[\])0-9])(?P<gap>[,;.]?[ \t]{1,9}))"
    r"(?P<open>\*\*|__)(?P<label>[^*_\n$`=\\]{1,80}?)"
    r"(?:[.:]{1,2}(?P<close>\*\*|__)|(?P<before>\*\*|__)[.:])(?=[ \t]*[^\s*_|])",
    re.MULTILINE,
)


def blank_bold_labels(text: str, canvas: Canvas) -> None:
    """Blank the marks around bold words that begin a line, or that follow its number.

    >>> canvas = Canvas("1. **Scale.** 3/2 = 1.5")
    >>> blank_bold_labels(canvas.text(), canvas)
    >>> canvas.text()
    '1.   Scale.   3/2 = 1.5'
    """
    for found in _BOLD_LABEL.finditer(text):
        for name in ("open", "close", "before"):
            if found[name]:
                canvas.blank(*found.span(name))
        if found["gap"]:
            canvas.put(found.end("gap") - 1, found.end("gap"), "\n")  # a line of its own


def clean_line(text: str, start: int, end: int, canvas: Canvas) -> None:
    """Blank the marks of emphasis and code in one line outside of formulas."""
    bold = [found.span() for found in _BOLD.finditer(text, start, end)]
    for span in bold if len(bold) % 2 == 0 else []:
        canvas.blank(*span)
    for found in _ITALIC.finditer(text, start, end):
        canvas.blank(found.start(), found.start() + 1)
        canvas.blank(found.end() - 1, found.end())
    for found in _TICKS.finditer(text, start, end):
        canvas.blank(*found.span())


_HEADING = re.compile(
    r"^[ \t]{0,3}(?P<hashes>#{1,6})[ \t]+(?P<title>[^\n$\\]*(?:\$|\\\()[^\n]*)$"
    r"|^[ \t]*\*\*(?P<bold>[^*\n$\\]*(?:\$|\\\()[^*\n]*)\*\*[ \t:.]*$",
    re.MULTILINE,
)


def headings(text: str) -> list[Region]:
    """Return the headings of Markdown that hold formulas; those of words alone are found line by line."""
    found: list[Region] = []
    for match in _HEADING.finditer(text):
        hashes = match["hashes"]
        inner = match.span("title" if hashes else "bold")
        found.append(Region("heading", *match.span(), inner, level=len(hashes) if hashes else 5))
    return found


# Fenced blocks ------------------------------------------------------------------------------------

_FENCE = re.compile(r"^[ \t>]{0,12}(?P<mark>`{3,}|~{3,})[ \t]*\{?\.?(?P<info>[^\n`{},=]*)[^\n`]*$", re.MULTILINE)
_FORMULAS = frozenset({"math", "latex", "tex", "katex"})
_PLAIN = frozenset(
    {"", "text", "txt", "plaintext", "plain", "output", "console", "none", "numpy", "log", "out", "ascii"}
)


def fences(text: str, canvas: Canvas) -> list[Region]:
    """Return the fenced blocks; the marks of an unclosed fence are blanked, and nothing else is."""
    found = list(_FENCE.finditer(text))
    regions: list[Region] = []
    closing: dict[str, list[int]] = {"`": [], "~": []}
    for position in range(len(found) - 1, -1, -1):
        if not found[position]["info"].strip():
            closing[found[position]["mark"][0]].append(position)
    position = 0
    while position < len(found):
        opened = found[position]
        waiting = closing[opened["mark"][0]]
        while waiting and waiting[-1] <= position:
            waiting.pop()
        if not waiting:
            canvas.blank(opened.start("mark"), opened.end())
            position += 1
            continue
        closed = found[waiting[-1]]
        inner = (min(opened.end() + 1, closed.start()), closed.start())
        regions.append(Region(_fence_kind(opened["info"]), opened.start(), closed.end(), inner))
        position = waiting[-1] + 1
    return regions


def _fence_kind(info: str) -> RegionKind:
    word = info.strip().lower()
    if word in _FORMULAS:
        return "formula"
    return "lines" if word in _PLAIN else "verbatim"
