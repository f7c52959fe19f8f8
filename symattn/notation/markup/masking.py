"""Masking of the markup of Markdown and TeX by as many spaces.

So every offset into the cleaned text is an offset into the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from symattn import late
from symattn.notation.markup.spans import brace_pairs, is_inside
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

    def text(self) -> str:
        """Return the whole text in its present state."""
        return "".join(self._characters)


_BOLD = late.pattern(r"(?<![\w)\]}])\*\*(?=[^\s*])|(?<=[^\s*])\*\*(?![\w(\[{])")
_ITALIC = late.pattern(r"(?<![\w*)\]}])\*(?=[A-Za-z])([^*\n$]{0,80})(?<=[A-Za-z:.])\*(?![\w*])")
_TICKS = late.pattern(r"`+")


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


_HEADING = late.pattern(
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

FENCE = late.pattern(r"^[ \t>]{0,12}(?P<mark>`{3,}|~{3,})[ \t]*\{?\.?(?P<info>[^\n`{},=]*)[^\n`]*$", re.MULTILINE)
_FORMULAS = frozenset({"math", "latex", "tex", "katex"})
_PLAIN = frozenset(
    {
        "", "text", "txt", "plaintext", "plain", "output", "console", "none", "numpy", "log", "out", "ascii", "csv",
        "tsv", "stdout", "result", "results",
    }
)  # fmt: skip


def fences(text: str, canvas: Canvas) -> list[Region]:
    """Return the fenced blocks; the marks of an unclosed fence are blanked, and nothing else is."""
    found = list(FENCE.finditer(text))
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
        regions.append(Region(fence_kind(opened["info"]), opened.start(), closed.end(), inner))
        position = waiting[-1] + 1
    return regions


def fence_kind(info: str) -> RegionKind:
    """Return the kind of a fenced block by the word behind its opening mark."""
    word = info.strip().lower()
    if word in _FORMULAS:
        return "formula"
    return "lines" if word in _PLAIN else "verbatim"


# Struck text ---------------------------------------------------------------------------------------

_STRUCK_TAG = late.pattern(r"<(?P<end>/?)(?:del|s|strike)(?:\s[^<>\n]{0,300})?/?>", re.IGNORECASE)
_TILDES = late.pattern(r"(?P<paragraph>\n[ \t]*(?=\n))|(?P<mark>(?<!~)~~(?!~))")
_SINGLE_TILDES = late.pattern(r"(?<![\w~\\])~(?P<inner>[^\s~](?:[^~\n]{0,80}[^\s~])?)~(?![\w~])")
_PARAGRAPH = late.pattern(r"\n[ \t]*\n")
_STRIKE = late.pattern(r"\\(?:sout|st|xcancel|bcancel|cancel|hcancel)\s?(?=\{)")


@dataclass(frozen=True, slots=True)
class Strike:
    """A part of a text that is struck out.

    Attributes:
        whole: its span, marks included.
        inner: its span without them.
    """

    whole: t.Span
    inner: t.Span


def strikes(text: str, formulas: list[t.Span], *, tex: bool) -> list[Strike]:
    r"""Return the struck parts of a text in their order, the outer one of two; commands inside formulas are others.

    >>> text = r"~~2 + 2~~ 3, \sout{4} 5"
    >>> [text[slice(*strike.inner)] for strike in strikes(text, [], tex=False)]
    ['2 + 2', '4']
    """
    marked = [] if tex else [*_tildes(text), *_single_tildes(text, formulas), *_tags(text)]
    found: list[Strike] = []
    for strike in sorted([*marked, *_commands(text, formulas)], key=lambda item: (item.whole[0], -item.whole[1])):
        if not found or strike.whole[0] >= found[-1].whole[1]:
            found.append(strike)
    return found


def _tildes(text: str) -> Iterator[Strike]:
    opened = -1
    for found in _TILDES.finditer(text):
        start, end = found.span()
        if found.lastgroup == "paragraph":
            opened = -1
        elif opened >= 0 and not text[start - 1].isspace():
            yield Strike((opened, end), (opened + 2, start))
            opened = -1
        elif not text[start - 1 : start].isalnum() and not text[end : end + 1].isspace():
            opened = start


def _single_tildes(text: str, formulas: list[t.Span]) -> Iterator[Strike]:
    """Yield what messengers strike out, ``~4~ 3``, but no ``~0.5`` that is about a number, and no space of TeX."""
    for found in _SINGLE_TILDES.finditer(text):
        if not is_inside(formulas, found.start()):
            yield Strike(found.span(), found.span("inner"))


def _tags(text: str) -> Iterator[Strike]:
    opened: t.Span | None = None
    for found in _STRUCK_TAG.finditer(text):
        if not found["end"]:
            opened = found.span()
        elif opened is not None:
            if not _PARAGRAPH.search(text, opened[1], found.start()):
                yield Strike((opened[0], found.end()), (opened[1], found.start()))
            opened = None


def _commands(text: str, formulas: list[t.Span]) -> Iterator[Strike]:
    pairs = brace_pairs(text, by_paragraph=True)
    for found in _STRIKE.finditer(text):
        if found.end() in pairs and not is_inside(formulas, found.start()):
            end = pairs[found.end()]
            yield Strike((found.start(), end + 1), (found.end() + 1, end))
