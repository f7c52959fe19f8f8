"""Report as text for a terminal: each statement that does not hold, with its place underlined and the reason.

The text is plain: a caller with a terminal passes the function that colours a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import category, east_asian_width

from symattn.rendering.reports.view import (
    QUIET,
    bounded,
    clean,
    first_words,
    label,
    line_around,
    marks_of,
    marks_words,
    missing_words,
    one_line,
    part_label,
    points,
    policy_words,
    said,
    unjudged_words,
)

if TYPE_CHECKING:
    from symattn.checking.report import Finding, Marks, Report

Paint: TypeAlias = Callable[[str, str], str]
"""Words and what they are (a verdict, ``"place"``, ``"title"``) to the same words, coloured."""

MAX_WIDTH = 100
"""Lines for people are at most as long, however wide the terminal is."""

_MIN_WIDTH = 40
_INDENT = "  "
_GAP = "  "
_TAB = 4
_ROOM_BESIDE = 36
"""Cells that an explanation wants to begin beside the marks rather than below them."""


def report_text(report: Report, *, width: int = 80, verbose: bool = False, paint: Paint | None = None) -> str:
    """Return a report for a terminal of a width, with every statement or with those that do not hold."""
    return "\n".join(_Text(report, width, paint or _plain).lines(verbose=verbose)) + "\n"


def _plain(words: str, _: str) -> str:
    return words


class _Text:
    """The lines of one report."""

    def __init__(self, report: Report, width: int, paint: Paint) -> None:
        self.report = report
        self.width = max(_MIN_WIDTH, min(width, MAX_WIDTH))
        self.paint = paint

    def lines(self, *, verbose: bool) -> Iterator[str]:
        yield from self._head()
        shown = [item for item in self.report.findings if verbose or item.verdict not in QUIET]
        labels = [label(item.shown_at) for item in shown]
        gutter = max((len(text) for text in labels), default=0)
        for finding, where in zip(shown, labels, strict=True):
            yield ""
            yield from self._finding(finding, where.rjust(gutter))
        yield from self._foot()

    def _head(self) -> Iterator[str]:
        title, summary = clean(one_line(self.report.source)), self.report.summary
        if cells(title) + 4 + len(summary) <= self.width:
            yield f"{self.paint(title, 'title')}    {summary}"
        else:
            yield self.paint(title, "title")
            yield from self._wrapped(summary, _INDENT)
        words = policy_words(self.report)
        if words:
            yield from self._wrapped(f"policy: {words}", "")

    def _finding(self, finding: Finding, where: str) -> Iterator[str]:
        text = self.report.text
        start, end, _ = marks_of(finding)[0]
        start, end = bounded(text, start, end)
        line, line_end = line_around(text, start)
        indent = " " * (len(_INDENT + where) + len(_GAP))
        written, column, length = excerpt(
            text[line:line_end], start - line, min(end, line_end) - line, self.width - len(indent)
        )
        yield f"{_INDENT}{self.paint(where, 'place')}{_GAP}{written}".rstrip()
        carets = "^" * length
        head = " " * column
        words = said(finding)
        beside = self.width - len(indent) - column - length - 1
        if beside >= min(_ROOM_BESIDE, cells(words)):
            first, *rest = wrapped(words, beside, self.width - len(indent))
            yield f"{indent}{head}{self.paint(carets, finding.verdict)} {self._said(first, finding)}"
        else:
            yield f"{indent}{head}{self.paint(carets, finding.verdict)}"
            first, *rest = wrapped(words, self.width - len(indent))
            yield f"{indent}{self._said(first, finding)}"
        yield from (f"{indent}{part}" for part in rest)

    def _said(self, words: str, finding: Finding) -> str:
        """Return the line with its verdict painted, where it begins with it."""
        verdict = finding.verdict
        return f"{self.paint(verdict, verdict)}{words[len(verdict) :]}" if words.startswith(verdict) else words

    def _foot(self) -> Iterator[str]:
        report = self.report
        missing = missing_words(report)
        foot = [f"missing: {one_line(missing)}"] if missing else []
        unjudged = unjudged_words(report)
        foot.extend([f"not judged: {unjudged}"] if unjudged else [])
        foot.extend(f"note: {one_line(remark)}" for remark in report.remarks)
        first = first_words(report)
        ends = [f"first mistake: {first}"] if first else []
        if report.marks is not None:
            ends.append(f"marks {marks_words(report.marks)}")
        if ends:
            foot.append(" · ".join(ends))
        if foot:
            yield ""
        for words in foot:
            yield from self._wrapped(words, "")
        if report.marks is not None:
            yield from self._reasons(report.marks)

    def _reasons(self, marks: Marks) -> Iterator[str]:
        for part in marks.parts:
            if part.reasons:
                yield from self._wrapped(f"{part_label(part)}:", _INDENT)
            for reason in part.reasons:
                yield from self._wrapped(one_line(reason), 2 * _INDENT)
        if marks.scheme and any(part.earned < part.points for part in marks.parts):
            yield from self._wrapped(f"scheme ({points(marks.points)} in all): {one_line(marks.scheme)}", _INDENT)

    def _wrapped(self, words: str, indent: str) -> Iterator[str]:
        first, *rest = wrapped(words, self.width - len(indent), self.width - len(indent) - 2)
        yield f"{indent}{first}"
        yield from (f"{indent}  {part}" for part in rest)


# Widths --------------------------------------------------------------------------------------------


def cells(text: str) -> int:
    r"""Return the number of terminal cells of a text.

    >>> cells("Q = 2"), cells("注意"), cells("e\u0301")
    (5, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if category(character) in {"Mn", "Me"}:
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def wrapped(words: str, width: int, later: int | None = None) -> list[str]:
    """Return words in lines of a width (another from the second line on); what is longer than a line is cut.

    >>> wrapped("so it is", 5), wrapped("abcdefgh", 5)
    (['so it', 'is'], ['abcde', 'fgh'])
    """
    lines: list[str] = []
    current, used = "", 0
    for word in clean(words).split():
        room = (width if not lines or later is None else later) - used - bool(current)
        if cells(word) <= room:
            current, used = f"{current} {word}" if current else word, used + cells(word) + bool(current)
            continue
        if current:
            lines.append(current)
        *whole, current = _cut(word, width if later is None or not lines else later)
        lines.extend(whole)
        used = cells(current)
    return [*lines, current] if current or not lines else lines


def _cut(word: str, width: int) -> list[str]:
    if cells(word) <= width:
        return [word]
    pieces, current, used = [], "", 0
    for character in word:
        size = _cells(character)
        if used + size > width and current:
            pieces.append(current)
            current, used = "", 0
        current, used = current + character, used + size
    return [*pieces, current]


def excerpt(line: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """Return the shown part of a line, and the place of the marks under it: their first cell and their number.

    A line that is too long is cut around the marks, its indentation is left out.

    >>> excerpt("  Q = 2", 6, 7, 20)
    ('Q = 2', 4, 1)
    >>> excerpt("a" * 50 + "= 5" + "b" * 50, 52, 53, 20)
    ('…aaaa= 5bbbbbbbbbbb…', 7, 1)
    """
    first = min(len(line) - len(line.lstrip()), start)
    last = max(len(line.rstrip()), end, first)
    # A character takes at most four cells, and thousands that take none are not shown.
    low, high = max(first, start - room), min(last, start + 4 * room)
    pieces = [" " * _TAB if character == "\t" else clean(character) for character in line[low:high]]
    sizes = [cells(piece) for piece in pieces]
    mark, mark_end = start - low, max(min(end, high) - low, start - low + 1)
    if low == first and high == last and sum(sizes) <= room:
        begin, stop = 0, len(pieces)
    else:
        begin = _back(sizes, mark, room // 3)
        stop = _forth(sizes, begin, room - 2)
        if stop == len(sizes) and high == last:
            begin = min(begin, _back(sizes, len(sizes), room - 2))
    before = "…" if low + begin > first else ""
    after = "…" if low + stop < last else ""
    column = len(before) + sum(sizes[begin:mark])
    length = sum(sizes[mark : min(mark_end, stop)])
    return before + "".join(pieces[begin:stop]) + after, column, max(1, length)


def _back(sizes: list[int], position: int, room: int) -> int:
    while position > 0 and sizes[position - 1] <= room:
        position -= 1
        room -= sizes[position]
    return position


def _forth(sizes: list[int], position: int, room: int) -> int:
    while position < len(sizes) and sizes[position] <= room:
        room -= sizes[position]
        position += 1
    return position
