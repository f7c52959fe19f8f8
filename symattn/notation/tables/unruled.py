"""Unruled tables: HTML, values between commas or tabs, and columns below labels as data frames are printed."""

from __future__ import annotations

import re

from symattn import late
from symattn.notation.lexicon.lines import nouns_said
from symattn.notation.lexicon.reader import said, words_beside
from symattn.notation.markup.spans import line_spans
from symattn.notation.tables.grids import Grid, grid_of
from symattn.notation.tree import nodes as t

_NUMBER = r"[-−+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?|-inf|[-−]∞"
_NUMERAL = late.pattern(_NUMBER)
_EITHER = late.pattern(rf"(?:{_NUMBER}|[-−+]?[0-9]{{1,9}},[0-9]{{1,12}})(?:[ ]?%)?")
"""A number with a point or a comma, where commas part no cells; it may be a percentage."""

_TABLE = late.pattern(r"<(?P<end>/?)(?P<tag>table|tr|td|th)(?:\s[^<>\n]{0,200})?>", re.IGNORECASE)
_ENTRY = rf"(?:{_NUMBER}|[-−–—](?=[ \t]))"
"""A number, or a dash for an entry that is hidden."""

_ALIGNED = late.pattern(
    rf"[ \t]*(?P<label>[^\W\d][\w.]{{0,20}}|[0-9]{{1,3}}|[.,;!?])(?:[ \t]+|[ \t]*\|[ \t]*)"
    rf"(?P<numbers>{_ENTRY}(?:[ \t]+{_ENTRY}){{1,40}})[ \t]*\|?[ \t]*"
)
_HEADER = late.pattern(r"[ \t]{0,40}[\w.,;!?]{1,20}(?:[ \t]+[\w.,;!?]{1,20}){1,40}[ \t]*")
_CELL = late.pattern(r"[^\s|]+")
_SEPARATORS = ("\t", ",", ";")
_MOST = 400
"""Tables without marks that are read in one document."""

_MOST_LINES = 200
_LONGEST = 2_000
_LARGE = 400_000
"""Characters of a text that is looked through for tables without marks."""


def html_tables(source: str, text: str, blocks: list[t.Span]) -> list[Grid]:
    """Return the tables of HTML, whatever the layout of the source.

    Args:
        source: the document with its tags.
        text: the same with blanks for them.
        blocks: places where no table is looked for, in order.
    """
    if "<t" not in source and "<T" not in source:
        return []
    found: list[Grid] = []
    rows: list[list[t.Span]] | None = None
    start, cell = 0, -1
    for tag in _TABLE.finditer(source):
        name, is_end = tag["tag"].lower(), bool(tag["end"])
        if name == "table" and not is_end:
            rows, start, cell = [], tag.start(), -1
            continue
        if rows is None:
            continue
        if cell >= 0:
            rows[-1].append((cell, tag.start()))
            cell = -1
        if name == "table":
            is_inside = any(low <= start < high for low, high in blocks)
            grid = None if is_inside else grid_of(text, (start, tag.end()), [row for row in rows if row], header=True)
            found.extend([] if grid is None or len(found) >= _MOST else [grid])
            rows = None
        elif name == "tr" and not is_end:
            rows.append([])
        elif name in {"td", "th"} and not is_end and rows:
            cell = tag.end()
    return found


def loose_tables(text: str, skipped: list[t.Span]) -> list[Grid]:
    r"""Return tables of lines of a label and numbers, with labels above them, outside of skipped spans.

    >>> [[cell.text for cell in row] for row in loose_tables("    k1   k2\nq1 0.7 0.3\nq2 0.4 0.6", [])[0].rows]
    [['', 'k1', 'k2'], ['q1', '0.7', '0.3'], ['q2', '0.4', '0.6']]
    """
    found: list[Grid] = []
    lines = line_spans(text)
    position = 0
    while position < len(lines) - 2 and len(text) <= _LARGE and len(found) < _MOST:
        grid, height = _grid_at(text, lines, position)
        if grid is not None and not any(low < grid.span[1] and grid.span[0] < high for low, high in skipped):
            found.append(grid)
            position += height
        else:
            position += 1
    return found


def _grid_at(text: str, lines: list[t.Span], position: int) -> tuple[Grid | None, int]:
    low, high = lines[position]
    if not text[low:high].strip() or high - low > _LONGEST:
        return None, 0
    for separator in _SEPARATORS:
        if separator in text[low:high]:
            rows = _separated(text, lines, position, separator) or _titled(text, lines, position, separator)
            if rows:
                return _made(text, lines, position, rows), len(rows)
    rows = _aligned(text, lines, position)
    return (_made(text, lines, position, rows), len(rows)) if rows else (None, 0)


def _made(text: str, lines: list[t.Span], position: int, rows: list[list[t.Span]]) -> Grid | None:
    return grid_of(text, (lines[position][0], lines[position + len(rows) - 1][1]), rows, header=True)


def _only_counts(header: str) -> bool:
    """Return True for the header of a column of numbers that count rows: ``token``, ``Zeile``, ``#``."""
    return header in {"i", "#"} or (bool(nouns_said(header)) and not words_beside(header, said(header)))


def _separated(text: str, lines: list[t.Span], position: int, separator: str) -> list[list[t.Span]]:
    """Read a header of labels, and lines of a label and numbers, between commas or tabs."""
    rows: list[list[t.Span]] = []
    for low, high in lines[position : position + _MOST_LINES]:
        cells = _split(text, low, high, separator)
        if len(cells) < 3 or (rows and len(cells) != len(rows[0])):
            break
        texts = [text[slice(*cell)].strip() for cell in cells]
        numeral = _NUMERAL if separator == "," else _EITHER
        are_numbers = all(numeral.fullmatch(word) for word in texts[1:])
        marks = "{}=" if separator != "," and not rows else "[](){}=:"  # a corner may have a formula, "/SQRT(2)"
        is_label = len(texts[0]) <= 40 and not set(marks) & set(texts[0])
        is_short = texts[0].isdigit() and len(texts[0]) <= 2
        is_counted = is_short and bool(rows) and _only_counts(text[slice(*rows[0][0])].strip())
        is_label = is_label and (is_counted or _NUMERAL.fullmatch(texts[0]) is None)
        if rows and not (are_numbers and is_label and texts[0]):
            break
        if not rows and not (is_label and _are_labels(texts[1:])):
            return []
        rows.append(cells)
    return rows if len(rows) > 2 else []


def _titled(text: str, lines: list[t.Span], position: int, separator: str) -> list[list[t.Span]]:
    """Read titles that span several columns, perhaps a header of labels, and lines of numbers with labels."""
    titles = _split(text, *lines[position], separator)
    starts = [column for column, cell in enumerate(titles) if text[slice(*cell)].strip()]
    if len(starts) == len(titles) or not (starts == [1] or (len(starts) > 1 and starts[0] < 2)):
        return []
    rows, count = [titles], 0
    for low, high in lines[position + 1 : position + _MOST_LINES]:
        cells = _split(text, low, high, separator)
        if len(cells) < max(3, len(titles)) or len(cells) != len(rows[-1] if len(rows) > 1 else cells):
            break
        texts = [text[slice(*cell)].strip() for cell in cells]
        labels = [texts[column] for column in (starts if not starts[0] else [0])]
        others = [word for column, word in enumerate(texts) if word and column not in {0, *starts[not starts[0] :]}]
        numeral = _NUMERAL if separator == "," else _EITHER
        is_row = all(map(numeral.fullmatch, others)) and all(labels) and len(others) > 1
        if not is_row and (count or not _are_labels(others)):
            break
        rows.append(cells)
        count += is_row
    return rows if count > 1 else []


def _are_labels(texts: list[str]) -> bool:
    plain = all(0 < len(word) <= 20 and len(word.split()) <= 2 and not set("[](){}=:") & set(word) for word in texts)
    return plain and not any(_NUMERAL.fullmatch(word) for word in texts)


def _aligned(text: str, lines: list[t.Span], position: int) -> list[list[t.Span]]:
    """Read ``      k1    k2`` above ``q1  0.67  0.33``, as data frames are printed."""
    header = _HEADER.fullmatch(text, *lines[position])
    if header is None:
        return []
    heads = [cell.span() for cell in _CELL.finditer(text, *lines[position])]
    rows = [[(heads[0][0], heads[0][0]), *heads]]
    labels: list[str] = []
    for low, high in lines[position + 1 : position + _MOST_LINES]:
        row = _ALIGNED.fullmatch(text, low, high)
        if row is None:
            break
        numbers = [cell.span() for cell in _CELL.finditer(text, *row.span("numbers"))]
        if len(numbers) + 1 == len(heads) and len(rows) == 1 and not any(map(_NUMERAL.fullmatch, _texts(text, heads))):
            rows, heads = [heads], heads[1:]  # the labels have a header of their own
        if len(numbers) != len(heads):
            return []
        labels.append(row["label"])
        rows.append([row.span("label"), *numbers])
    above = _texts(text, heads)
    are_words = not any(_NUMERAL.fullmatch(word) for word in above) or above == _run(len(above))
    is_named = are_words and not any(label.isdigit() for label in labels)
    is_counted = above == _run(len(above)) and labels == _run(len(labels))
    is_short = all(len(word) <= 12 for word in above)
    return rows if len(rows) > 2 and is_short and (is_named or is_counted or _are_mixed(above, labels)) else []


def _texts(text: str, spans: list[t.Span]) -> list[str]:
    return [text[slice(*span)] for span in spans]


def _are_mixed(above: list[str], labels: list[str]) -> bool:
    return not any(_NUMERAL.fullmatch(word) for word in above) and labels == _run(len(labels))


def _run(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def _split(text: str, low: int, high: int, separator: str) -> list[t.Span]:
    cells: list[t.Span] = []
    while (stop := text.find(separator, low, high)) >= 0:
        cells.append((low, stop))
        low = stop + 1
    return [*cells, (low, high)]
