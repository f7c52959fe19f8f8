"""Arrays as consoles print them: bare rows of numbers, a common factor, blocks of columns, labels of R and Julia."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TypeAlias

from symattn import late
from symattn.notation.markup.macros import Expansion, rearranged
from symattn.notation.markup.spans import line_spans
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_NUMBER = r"(?:[-−+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?|[-−+]?(?:inf|Inf|∞))"
_NUMBERS = rf"(?P<numbers>{_NUMBER}(?:[ \t]+{_NUMBER}){{0,300}})[ \t]*"
_NUMERAL = late.pattern(_NUMBER)
_ROW = late.pattern(rf"[ \t]*(?:(?:\[[0-9]{{1,3}},\]|(?P<run>\[[0-9]{{1,3}}\]))[ \t]+)?{_NUMBERS}")
_LIST = late.pattern(rf"[ \t]*\[[ \t]*{_NUMBERS}\][ \t]*")
_LABELLED = late.pattern(rf"[ \t]*[^\W\d][\w.]{{0,20}}[ \t]+{_NUMBERS}")
_WORD = r"(?:[^\W\d_]|[ \t])"
_LEAD = late.pattern(r"[ \t]*(?P<name>[A-Za-z_]\w{0,60})[ \t]*=[ \t]*")
_FACTOR = late.pattern(r"[ \t]*1(?:\.0{1,9})?(?P<power>[eE][-+]?[0-9]{1,4})[ \t]*\*[ \t]*")
_COLUMNS = late.pattern(
    rf"(?=[^\n]*[^\W\d_]){_WORD}{{0,20}}(?P<first>[0-9]{{1,4}})(?:{_WORD}{{1,20}}(?P<last>[0-9]{{1,4}}))?"
    rf"{_WORD}{{0,12}}:?[ \t]*"
)
_NUMBERED = late.pattern(r"[ \t]+\[,(?P<first>[0-9]{1,4})\](?:[ \t]+\[,[0-9]{1,4}\])*[ \t]*")
_TYPE = late.pattern(r"[ \t]*[0-9]{1,4}(?:[×x][0-9]{1,4}|-element)[ \t][\w.:{}(), ]{1,120}:[ \t]*")
_NAMES = late.pattern(r"[ \t]*[^\W\d][\w.]{0,20}(?:[ \t]+[^\W\d][\w.]{0,20}){1,40}[ \t]*")

_MOST_ROWS = 200
_MOST_NUMBERS = 4_000
_Parts: TypeAlias = list[tuple[str | None, t.Span]]


@dataclass(frozen=True, slots=True)
class PrintedArray:
    """An array in the layout of a console.

    Attributes:
        span: all of its lines.
        lead: the span of its name and the equals sign; None without a name.
        name: the name; empty without one.
        rows: the spans of its numbers.
        power: the exponent of the factor of all numbers, ``e+03``; empty without a factor.
        blocks: the number of its blocks of columns.
    """

    span: t.Span
    lead: t.Span | None
    name: str
    rows: tuple[tuple[t.Span, ...], ...]
    power: str
    blocks: int

    def rearrange(self, text: str) -> Expansion:
        """Put the array between brackets."""
        return rearranged(text, self.parts(()))

    def parts(self, unnamed: Collection[str]) -> _Parts:
        """Return the array between brackets, without a name that is to be left out."""
        is_vector = len(self.rows) == 1 or max(map(len, self.rows)) == 1
        is_number = len(self.rows) == len(self.rows[0]) == 1
        low, high = self.rows[0][0][0], self.rows[-1][-1][1]
        is_named = self.lead is not None and (is_number or self.name not in unnamed)
        parts: _Parts = [(None, self.lead)] if is_named and self.lead is not None else []
        parts.append(("[" * (not is_number), (low, low)))
        for number, row in enumerate(self.rows):
            parts.append((", " * (number > 0) + "[" * (not is_vector), (row[0][0], row[0][0])))
            for place, (start, end) in enumerate(row):
                parts.extend([(", " * (place > 0), (start, start)), (None, (start, end)), (self.power, (end, end))])
            parts.append(("]" * (not is_vector), (row[-1][1], row[-1][1])))
        return [*parts, ("]" * (not is_number), (high, high))]


def goes_on(text: str, above: t.Span | None, below: t.Span) -> bool:
    """Return True if an output goes on behind an empty line: inside of an array, or with the name of one."""
    if above is None or _LEAD.fullmatch(text, *below):
        return _LEAD.fullmatch(text, *below) is not None
    if _LEAD.fullmatch(text, *above) or _FACTOR.fullmatch(text, *above) or _is_header(text, above):
        return True
    return _ROW.fullmatch(text, *above) is not None and _is_header(text, below)


def _is_header(text: str, line: t.Span) -> bool:
    """Return True for the header of a block, ``Columns 1 through 8``, in any language; a row of numbers is none."""
    return _COLUMNS.fullmatch(text, *line) is not None and _ROW.fullmatch(text, *line) is None


def _counts(header: re.Match[str] | None, width: int, *, is_first: bool) -> bool:
    """Return True if a header counts the columns below it; the first of several tells from where to where they go."""
    if header is None or "last" not in header.re.groupindex:
        return True
    last = int(header["last"] or (0 if is_first else header["first"]))
    return last - int(header["first"]) + 1 == width


def rearrange_output(text: str, unnamed: Collection[str]) -> Expansion:
    r"""Put the arrays of an output between brackets, without the names that only repeat the input.

    >>> rearrange_output("ans =\n\n   0.5   0.5\n   1.0   0.0\n", {"ans"}).text
    '[[0.5, 0.5], [1.0, 0.0]]\n'
    >>> rearrange_output("O =\n\n   1.0e+03 *\n\n   1.5   0.5\n", {"ans"}).text
    'O =[1.5e+03, 0.5e+03]\n'
    """
    parts: _Parts = []
    position = 0
    for array in printed_arrays(text):
        parts.extend([(None, (position, array.span[0])), *array.parts(unnamed)])
        position = array.span[1]
    return rearranged(text, [*parts, (None, (position, len(text)))])


def printed_arrays(text: str) -> list[PrintedArray]:
    """Return the arrays of bare rows in a text, outside of brackets."""
    lines = line_spans(text)
    found: list[PrintedArray] = []
    position = depth = 0
    while position < len(lines):
        reader = _Reader(text, lines, position)
        array = reader.read() if depth <= 0 else None
        found.extend([] if array is None else [array])
        below = max(position, reader.last) + 1
        for line in lines[position:below] if array is None else ():
            depth = max(0, depth + text.count("[", *line) - text.count("]", *line))
        position = below
    return found


class _Reader:
    """One pass over the lines of an array."""

    def __init__(self, text: str, lines: list[t.Span], position: int) -> None:
        self.text = text
        self.lines = lines
        self.position = position
        self.rows: list[list[t.Span]] = []
        self.last = position  # of the rows that were read

    def read(self) -> PrintedArray | None:
        """Return the array that begins at the line; None without one."""
        first = self.position
        lead = self._take(_LEAD)
        self._take(_TYPE)
        factor = self._take(_FACTOR)
        blocks, last = 0, first
        while self._block(is_first=not blocks):
            blocks, last = blocks + 1, self.last
        if not blocks or last < self.last or len({len(row) for row in self.rows}) > 1:
            return None
        name, at = ("", None) if lead is None else (lead["name"], lead.span())
        power = "" if factor is None else factor["power"]
        span = (self.lines[first][0], self.lines[last][1])
        return PrintedArray(span, at, name, tuple(map(tuple, self.rows)), power, blocks)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.fullmatch(self.text, *self.lines[self.position]) if self.position < len(self.lines) else None

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match a line above the numbers, and go on behind it and the empty lines below."""
        found = self._match(pattern)
        if found is not None:
            self.position += 1
            self._skip()
        return found

    def _skip(self) -> None:
        while self.position < len(self.lines) and not self.text[slice(*self.lines[self.position])].strip():
            self.position += 1

    def _block(self, *, is_first: bool) -> bool:
        """Take the columns of the next block, and return False without one."""
        self._skip() if not is_first else None
        numbered = self._take(_NUMBERED)
        header = numbered or (self._take(_COLUMNS) if self._match(_ROW) is None else None)
        width = len(self.rows[0]) if self.rows else 0
        if (header is None and not is_first) or (header is not None and int(header["first"]) != width + 1):
            return False
        named = self._take(_NAMES) if header is None else None
        rows = self._rows(is_labelled=numbered is not None)
        self.last = self.position - 1 if rows else self.last
        if named is not None and [len(named[0].split())] != [len(row) for row in rows]:
            return False
        if (
            not rows
            or (self.rows and len(rows) != len(self.rows))
            or not _counts(header, len(rows[0]), is_first=is_first)
        ):
            return False
        self.rows = [[*left, *right] for left, right in zip(self.rows, rows, strict=True)] if self.rows else rows
        return True

    def _rows(self, *, is_labelled: bool) -> list[list[t.Span]]:
        rows: list[list[t.Span]] = []
        patterns = (_ROW, _LIST, *((_LABELLED,) if is_labelled else ()))
        pattern = next((pattern for pattern in patterns if self._match(pattern)), None)
        while pattern is not None and len(rows) < _MOST_ROWS and (row := self._match(pattern)) is not None:
            if not rows or row.groupdict().get("run") is None or len(rows[-1]) > _MOST_NUMBERS:
                rows.append([])
            rows[-1].extend(found.span() for found in _NUMERAL.finditer(self.text, *row.span("numbers")))
            self.position += 1
        return rows
