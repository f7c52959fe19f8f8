r"""Tables with bars: cells of Markdown's pipe tables and of LaTeX's ``tabular`` and ``array``, with their spans."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from symattn import late
from symattn.notation.letters import LATIN_OR_CYRILLIC, OTHER_WORD
from symattn.notation.markup.spans import Ahead, line_spans, strip_span
from symattn.notation.statements.signs import Notation
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

MAX_CELLS = 4_000
"""Cells of one table; a larger one is left as lines of words."""

Kind: TypeAlias = Literal["empty", "value", "label", "statement"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table.

    Attributes:
        span: what it says, without dollars and marks of emphasis.
        kind: ``value`` for numbers, ``statement`` for a relation of its own, ``label`` for words and names.
        notation: how it is written.
        text: the same words.
        whole: with the dollars and the marks.
    """

    span: t.Span
    kind: Kind
    notation: Notation
    text: str
    whole: t.Span


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: rows of cells, all of one length.

    Attributes:
        span: where it stands.
        rows: its cells; what a short row lacks is empty.
        header: whether the form of the table says that its first row is a header (Markdown's line of dashes).
        lead: where the left side of a formula stands that the table is the right side of; None where there is none.
    """

    span: t.Span
    rows: tuple[tuple[Cell, ...], ...]
    header: bool = False
    lead: t.Span | None = None


_DASHES = late.pattern(r"[ \t]{0,12}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_BAR = late.pattern(r"\\.|\$[^$\n]*\$|`[^`\n]*`|\|", re.DOTALL)
_TABULAR = late.pattern(r"\\begin\s?\{(?P<name>tabular[x*]?|longtable|tabulary|array)\}")
_INSIDE = late.pattern(
    r"(?P<skip>\\[&$%#_{}])|(?P<row>\\\\(?:[ \t]*\[[^\]\n]{0,20}\])?|\\tabularnewline(?![A-Za-z]))"
    r"|(?P<open>\{|\\begin\s?\{[A-Za-z*]{1,20}\})|(?P<close>\}|\\end\s?\{[A-Za-z*]{1,20}\})|(?P<cell>&)"
)
_RULES = late.pattern(
    r"\s*(?:\\(?:hline|toprule|midrule|bottomrule|addlinespace|centering|endhead|endfirsthead|endfoot)(?![A-Za-z])"
    r"(?:\[[^\]\n]{0,20}\])?|\\(?:cline|cmidrule)\s?(?:\([a-z]{0,4}\))?\s?\{[0-9 -]{0,10}\})"
)
_SPANNING = late.pattern(
    r"\s*\\(?P<name>multicolumn|multirow)\s?\{(?P<count>[0-9]{1,2}|\*)\}\s?\{[^{}]{0,40}(?:\{[^{}]{0,40}\}[^{}]{0,40})?\}\s?\{"
)
_STYLE = late.pattern(r"\\(?:textbf|textit|mathbf|emph|underline|boldsymbol|bm)\s?\{")
_WRAPPERS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), ("**", "**"), ("__", "__"), ("`", "`"), ("*", "*"))

_SCRIPT = late.pattern(r"_(?:\{[^{}]{0,60}\}|\\?[A-Za-z0-9]+)")
_ENVIRONMENT = late.pattern(r"\\(?:begin|end)\s?\{[A-Za-z*]{1,20}\}")
_ARITHMETIC = late.pattern(
    r"\\(?:[tdc]?frac|approx|cdot|times|left|right|sqrt|exp|boxed|mathbf|textbf|q?quad|pm|to|simeq|div|le|ge|ldots|dots"
    r"|cdots|infty|top)(?![A-Za-z])|\\[^A-Za-z]"
)
_FUNCTION = late.pattern(
    r"\b(?:exp|sqrt|array|tensor|np|inf)\b|(?<=[0-9.])[eE](?=[-+0-9])|(?<![A-Za-z])e(?=\s?(?:\^|\*\*))"
)
_LETTER = late.pattern(rf"[{LATIN_OR_CYRILLIC}α-ωΑ-Ω]|{OTHER_WORD}")
_DIGIT = late.pattern(r"[0-9]")
_INFINITE = late.pattern(r"[-−–+]?\s?(?:∞|\\infty|(?:inf|infinity|infty)\b)\s?", re.IGNORECASE)
_RELATION = late.pattern(r"[=≈≃]|\\(?:approx|simeq)(?![A-Za-z])|~=")
_ANY_RELATION = late.pattern(r"[=≈≃→<>≤≥~]|->|\\[A-Za-z]{2,12}(?![A-Za-z])")
_INDEX = late.pattern(r"\\?[A-Za-z]+\s*=\s*[0-9]{1,3}")


def kind_of(text: str) -> Kind:
    r"""Classify the contents of a cell.

    >>> [kind_of(cell) for cell in ("0.62", r"\frac{1}{2}", "e^{1.5} = 4.48", "t_1", "j = 1", "A_{11} = 2", "--", "-∞")]
    ['value', 'value', 'value', 'label', 'label', 'statement', 'empty', 'value']
    """
    if _INFINITE.fullmatch(text):
        return "value"
    if not any(character.isalnum() for character in text):
        return "empty"
    if len(text) > 2_000:
        return "label"
    plain = _ARITHMETIC.sub(" ", _ENVIRONMENT.sub(" ", _SCRIPT.sub("", text)))
    if _DIGIT.search(plain) and not _LETTER.search(_FUNCTION.sub("", plain)):
        return "value"
    is_statement = _RELATION.search(text) and _DIGIT.search(plain) and not _INDEX.fullmatch(text)
    return "statement" if is_statement else "label"


def has_relation(cell: Cell) -> bool:
    """Return True if a cell holds a relation of its own, ``e^{1.5} = 4.48``."""
    return _ANY_RELATION.search(cell.text) is not None


def cell_at(text: str, start: int, end: int, *, latex: bool) -> Cell:
    """Return the cell between two marks, without delimiters and emphasis."""
    start, end = strip_span(text, start, end)
    whole = (start, end)
    is_latex = latex
    for opening, closing in _WRAPPERS * 2:
        size = len(opening)
        inside = text[start + size : end - size]
        fits = text.startswith(opening, start, end) and text.endswith(closing, start, end) and inside.strip()
        if fits and end - start > 2 * size and opening not in inside:
            start, end = strip_span(text, start + size, end - size)
            is_latex = is_latex or opening in {"$", "$$", r"\("}
    style = _STYLE.match(text, start, end)
    if style and text[end - 1] == "}" and "{" not in text[style.end() : end - 1]:
        start, end = strip_span(text, style.end(), end - 1)
        if text.startswith("$", start) and text.endswith("$", start, end) and end - start > 2:
            start, end = strip_span(text, start + 1, end - 1)
    words = text[start:end]
    is_latex = is_latex or "\\" in words or "{" in words
    return Cell((start, end), kind_of(words), "latex" if is_latex else "plain", words, whole)


def grid_of(
    text: str, span: t.Span, rows: list[list[t.Span]], *, latex: bool = False, header: bool = False
) -> Grid | None:
    """Build a table from the spans of its cells; None for a single column or a table that is too large."""
    width = max((len(row) for row in rows), default=0)
    if width < 2 or width * len(rows) > MAX_CELLS:
        return None
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        found = [cell_at(text, *place, latex=latex) for place in row]
        last = found[-1].whole[1]
        found.extend([Cell((last, last), "empty", "plain", "", (last, last))] * (width - len(found)))
        cells.append(tuple(found))
    return Grid(span, tuple(cells), header)


def column_groups(grid: Grid) -> list[tuple[Cell, Grid]]:
    """Return the matrices below titles that span several columns, each with its title.

    The first row holds the titles, each followed by empty cells; labels before all groups belong to each of them.
    """
    first, *body = grid.rows
    starts = [column for column, cell in enumerate(first) if cell.kind != "empty"]
    are_titles = all(first[column].kind == "label" for column in starts) and (len(starts) > 1 or starts[:1] == [1])
    if not are_titles or starts[0] > 1 or len(body) < 2:
        return []
    found: list[tuple[Cell, Grid]] = []
    for start, stop in zip(starts, [*starts[1:], len(first)], strict=True):
        own = [row[: starts[0]] + row[start:stop] for row in body]
        kept = [column for column in range(len(own[0])) if any(row[column].kind != "empty" for row in own)]
        rows = tuple(tuple(row[column] for column in kept) for row in own)
        numbers = [cell.kind for row in rows[1:] for cell in row[1:]]
        if len(kept) < 3 or not set(numbers) <= {"value"}:
            return []
        found.append((first[start], Grid(grid.span, rows, any(cell.kind != "value" for cell in rows[0][1:]))))
    return found


# Markdown -------------------------------------------------------------------------------------------


def pipe_tables(text: str, blocks: list[t.Span]) -> list[Grid]:
    """Return the pipe tables of a text outside of some blocks."""
    found: list[Grid] = []
    lines = line_spans(text)
    position = 1
    inside = iter([*blocks, (len(text) + 1, len(text) + 1)])
    block = next(inside)
    while position < len(lines):
        low, high = lines[position]
        while block[1] <= low:
            block = next(inside)
        is_table = "|" in text[low:high] or "-" in text[low:high]
        if not is_table or block[0] <= low or not _DASHES.fullmatch(text, low, high) or "|" not in text[low:high]:
            position += 1
            continue
        last = position
        while last + 1 < len(lines) and "|" in text[slice(*lines[last + 1])] and lines[last + 1][0] < block[0]:
            last += 1
        above = lines[position - 1]
        if "|" in text[slice(*above)] and last > position:
            rows = [_split(text, *above)] + [_split(text, *line) for line in lines[position + 1 : last + 1]]
            grid = grid_of(text, (above[0], lines[last][1]), rows, latex=False, header=True)
            if grid is not None:
                found.append(grid)
        position = last + 1
    return found


def _split(text: str, start: int, end: int) -> list[t.Span]:
    """Return the spans of the cells of one line, between its bars."""
    start, end = strip_span(text, start, end)
    if text.startswith("|", start, end):
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    cells: list[t.Span] = []
    for bar in _BAR.finditer(text, start, end):
        if bar.group() == "|":
            cells.append((start, bar.start()))
            start = bar.end()
    return [*cells, (start, end)]


# LaTeX ----------------------------------------------------------------------------------------------


def tabulars(text: str, blocks: list[t.Span]) -> list[Grid]:
    """Return the ``tabular`` environments of a text outside of some blocks."""
    return [grid for grid in _environments(text, 0, len(text), blocks) if grid is not None]


def array_in(text: str, start: int, end: int) -> Grid | None:
    r"""Return the table of a formula that is one labelled ``array`` with at most a left side."""
    found = _TABULAR.search(text, start, end)
    if found is None or found["name"] != "array":
        return None
    grids = _environments(text, found.start(), end, [])
    if len(grids) != 1 or grids[0] is None or text[grids[0].span[1] : end].strip(" \t\n.,;"):
        return None
    before = strip_span(text, start, found.start())
    lead: t.Span | None = None
    if before[0] < before[1]:
        if text[before[1] - 1] != "=" or "\\\\" in text[slice(*before)] or "&" in text[slice(*before)]:
            return None
        lead = strip_span(text, before[0], before[1] - 1)
        if lead[0] == lead[1]:
            lead = None
    grid = grids[0]
    return Grid(grid.span, grid.rows, grid.header, lead)


def _environments(text: str, start: int, end: int, blocks: list[t.Span]) -> list[Grid | None]:
    found: list[Grid | None] = []
    inside = iter([*blocks, (len(text) + 1, len(text) + 1)])
    block = next(inside)
    position, ahead = start, Ahead(text, end)
    while (opened := _TABULAR.search(text, position, end)) is not None:
        position = opened.end()
        while block[1] <= opened.start():
            block = next(inside)
        if block[0] <= opened.start():
            continue
        closed = ahead.find(f"\\end{{{opened['name']}}}", position)
        if closed < 0:
            break
        again = _TABULAR.search(text, position, closed)
        if again is not None and again["name"] == opened["name"]:
            continue
        stop = closed + len(opened["name"]) + 6
        rows = _rows(text, _body(text, position, closed, opened["name"]), closed)
        found.append(grid_of(text, (opened.start(), stop), rows, latex=opened["name"] == "array"))
        position = stop
    return found


def _body(text: str, position: int, end: int, name: str) -> int:
    """Return the start of the rows: behind the width and the column specification."""
    for _ in range(2 if name in {"tabularx", "tabular*", "tabulary"} else 1):
        while position < end and (text[position].isspace() or text[position] == "["):
            position = text.find("]", position, end) + 1 if text[position] == "[" else position + 1
            if not position:
                return end
        level = 0
        for at in range(position, min(end, position + 400)):
            level += {"{": 1, "}": -1}.get(text[at], 0)
            if not level:
                position = at + (text[at] == "}")
                break
    return position


def _rows(text: str, start: int, end: int) -> list[list[t.Span]]:
    rows: list[list[t.Span]] = []
    row: list[t.Span] = []
    level = 0
    begin = _after_rules(text, start, end)
    for sign in _INSIDE.finditer(text, start, end):
        kind = sign.lastgroup
        if kind in {"open", "close"}:
            level = max(0, level + (1 if kind == "open" else -1))
        elif kind in {"cell", "row"} and not level and sign.start() >= begin:
            row.extend(_spanned(text, begin, sign.start()))
            begin = sign.end()
            if kind == "row":
                rows.append(row)
                row = []
                begin = _after_rules(text, begin, end)
    if text[begin:end].strip():
        row.extend(_spanned(text, begin, end))
    return [found for found in ([*rows, row] if row else rows) if any(low < high for low, high in found)]


def _after_rules(text: str, start: int, end: int) -> int:
    while (rule := _RULES.match(text, start, end)) is not None:
        start = rule.end()
    return start


def _spanned(text: str, start: int, end: int) -> list[t.Span]:
    """Return the span of a cell, and empty ones for the further columns that it spans."""
    found = _SPANNING.match(text, start, end)
    if found is None:
        return [strip_span(text, start, end)]
    low, high = strip_span(text, found.end(), end)
    if high > low and text[high - 1] == "}":
        high -= 1
    count = int(found["count"]) if found["name"] == "multicolumn" and found["count"] != "*" else 1
    return [(low, high), *[(high, high)] * (count - 1)]
