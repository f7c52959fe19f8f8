"""A report as a document: the work as it was written, line by line, its verdicts in the margin.

Nothing of the work is set by TeX's own rules: every character is a cell of a typewriter line, lines are
broken here, and each becomes a box of fixed width, so that no text can overflow or become a command.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from symattn.notation.lexer.escapes import printable
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.records import dataclass
from symattn.rendering.latex.templates import fill
from symattn.rendering.latex.typesetting import escape, fitted, math
from symattn.rendering.latex.widths import LEAST_SCALE, width
from symattn.rendering.reports.formulas import Formula, Formulas
from symattn.rendering.reports.view import (
    QUIET,
    SEVERITY,
    UNJUDGED,
    bounded,
    facts,
    line_word,
    marks_of,
    part_label,
    points,
    said,
)

if TYPE_CHECKING:
    from symattn.checking.report import Finding, Marks, Report

COLUMNS = 80
"""Cells of a line of the work; a cell of ten-point typewriter is 5.25 pt wide, a line of the page 483 pt."""

MAX_LINES = 1500
"""Lines of a work that are all shown; of a longer one those around its statements are."""

MAX_CHARACTERS = 4000
"""Characters that are shown of one line."""

_ROOM = 420.0
"""Points of a line of the page that a formula has beside the margin."""

_TWO_BOXES = "\\boxed{\\boxed{"
_BODY = "\\begin{document}"
_AROUND = 2
_MAX_WORD = 24
_MAX_LABEL = 60
_MAX_ROWS = 24
_TAB = 4

_SYMBOLS = {
    "right": r"\checkmark", "rounded": r"\ensuremath{\approx}", "carried": r"\ensuremath{\approx}",
    "truncated": r"\ensuremath{\downarrow}", "coarse": r"\ensuremath{\sim}", "wrong": r"\ensuremath{\times}",
    "follows": r"\ensuremath{\to}", "unstated": "!", "withdrawn": r"\ensuremath{-}", "unread": "?",
    "ambiguous": "?", "undecided": "?", "unchecked": "", UNJUDGED: r"\ensuremath{\circ}",
}  # fmt: skip
_LEGEND = (
    ("right", "right"), ("rounded", "right as rounded"), ("wrong", "wrong"),
    ("follows", "follows from an earlier mistake"), ("truncated", "cut off, not rounded"), ("coarse", "too few places"),
    ("unstated", "needs a hypothesis"), ("unread", "not read, or open"), (UNJUDGED, "not judged in part"),
    ("withdrawn", "struck out"),
)  # fmt: skip
_COLORS = {"right": "right", "rounded": "right", "carried": "right", "wrong": "wrong", "withdrawn": "grey"}
_STRUCK = "withdrawn"

_SPECIAL = frozenset("\\{}$&#%_^~")
_JOINING = frozenset("-<>,'!?`")
"""Characters that the typewriter font may join with the next to one sign."""

_APART = frozenset("-`',")
"""Characters that the font of the text joins with the one before: two hyphens, a question mark and a backtick."""

_PLAIN = {
    "–": "-", "—": "--", "‐": "-", "−": "-", "“": '"', "”": '"', "‘": "`", "’": "'", "…": "...", "Ĳ": "IJ", "ĳ": "ij",
}  # fmt: skip
"""Signs that the typewriter font lacks or has elsewhere, as typewriters have them."""


@dataclass(frozen=True, slots=True)
class View:
    """Data of the template; every string is LaTeX."""

    title: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    marks: tuple[tuple[tuple[str, str, str], ...], ...]
    reasons: tuple[str, ...]
    lines: tuple[str, ...]
    legend: str


def report_latex(report: Report) -> str:
    """Return the work with its verdicts, as a LaTeX document."""
    view = View(
        title=words(report.source),
        summary=words(report.summary),
        facts=tuple(
            ("Rounding" if name == "policy" else name.capitalize(), words(text)) for name, text in facts(report)
        ),
        marks=() if report.marks is None else tuple(_marks(report.marks)),
        reasons=() if report.marks is None else tuple(_reasons(report.marks)),
        lines=tuple(_Listing(report).lines()),
        legend=", ".join(f"{symbol(verdict)}~{text}" for verdict, text in _LEGEND) + ".",
    )
    return fill("report", view=view)


def _marks(marks: Marks) -> Iterator[tuple[tuple[str, str, str], ...]]:
    """Yield the rows of the table of marks, in pieces that fit a page."""
    rows = [(words(part_label(part)[:_MAX_LABEL]), points(part.earned), points(part.points)) for part in marks.parts]
    if len(rows) > 1:
        rows.append(("together", points(marks.earned), points(marks.points)))
    yield from (tuple(rows[start : start + _MAX_ROWS]) for start in range(0, len(rows), _MAX_ROWS))


def _reasons(marks: Marks) -> Iterator[str]:
    for part in marks.parts:
        if part.reasons:
            yield words(f"{part_label(part)}: {' '.join(part.reasons)}")
    if marks.scheme and marks.earned < marks.points:
        yield words(marks.scheme)


def symbol(verdict: str) -> str:
    r"""Return the sign of a verdict in the margin.

    >>> print(symbol("wrong"))
    {\color{symattnwrong}\ensuremath{\times}}
    """
    sign = _SYMBOLS[verdict]
    return f"{{\\color{{{_color(verdict)}}}{sign}}}" if sign else ""


def _color(verdict: str) -> str:
    return f"symattn{_COLORS.get(verdict, 'open')}"


def words(text: str) -> str:
    r"""Return text as LaTeX that can be broken inside long words.

    >>> print(words("100% of _a_"))
    100\% of \_a\_
    """
    return " ".join(_word(word) for word in text.split())


def _word(word: str) -> str:
    pieces = [word] if len(word) <= _MAX_WORD else [word[start : start + 4] for start in range(0, len(word), 4)]
    return "\\hspace{0pt}".join("".join(map(_letter, piece)) for piece in pieces)


def _letter(character: str) -> str:
    """Return a character of a text, apart from the next where the font would join them to one sign."""
    return escape(character) + "{}" * (character in _APART)


# The lines of the work -----------------------------------------------------------------------------


class _Listing:
    """The work line by line; lines are counted from 0 here."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.written = report.text.split("\n")
        self.starts = [0]
        for line in self.written[:-1]:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.said: defaultdict[int, list[Finding]] = defaultdict(list)
        self.verdicts: defaultdict[int, set[str]] = defaultdict(set)
        self.covering: defaultdict[int, set[str]] = defaultdict(set)
        self.spans: defaultdict[int, list[tuple[int, int, str]]] = defaultdict(list)
        self.numbers: dict[int, str] = {}
        self.formulas: defaultdict[int, list[str]] = defaultdict(list)
        self.beneath: set[int] = set()
        self.in_cells = any(finding.place.cell is not None for finding in report.findings)
        for finding in report.findings:
            self._place(finding)
        self._set_formulas()

    def _set_formulas(self) -> None:
        """Set each chain that could be read once, above the lines that it stands on."""
        formulas = Formulas(self.report)
        judged: defaultdict[Formula, list[Finding]] = defaultdict(list)
        for finding in self.report.findings:
            if (found := formulas.of(finding)) is not None:
                judged[found].append(finding)
        for formula, findings in judged.items():
            marks = [mark for finding in findings if finding.verdict not in QUIET for mark in marks_of(finding)]
            color = _color(min((verdict for _, _, verdict in marks), key=SEVERITY.index, default="right"))
            if source := _typeset(formula.node, [(start, end) for start, end, _ in marks], color):
                first, last = self._line(formula.span[0]), self._line(formula.span[1] - 1)
                self.formulas[first].append(source)
                self.beneath.update(range(first, last + 1))

    def _place(self, finding: Finding) -> None:
        verdict = finding.verdict
        start, end = bounded(self.report.text, finding.place.start, finding.place.end)
        marked = self._line(start)
        self.verdicts[marked].add(line_word(finding))
        for line in range(marked + 1, self._line(end) + 1):
            self.covering[line].add(line_word(finding))
        if self.in_cells:
            shift = self._line(start) - self._line(min(finding.place.start, len(self.report.text)))
            self.numbers[marked] = f"{finding.place.cell}:{finding.place.line + shift}"
        if verdict in QUIET:
            return
        for first, last, word in marks_of(finding):
            self._mark(first, last, word)
        anchor, _ = bounded(self.report.text, *marks_of(finding)[0][:2])
        if verdict != _STRUCK or finding.explanation:
            self.said[self._line(anchor)].append(finding)

    def _mark(self, start: int, end: int, verdict: str) -> None:
        start, end = bounded(self.report.text, start, end)
        if start == end:
            return
        for line in range(self._line(start), self._line(end - 1) + 1):
            base = self.starts[line]
            self.spans[line].append((start - base, end - base, verdict))

    def _line(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def lines(self) -> Iterator[str]:
        """Yield the listing as LaTeX."""
        last = -1
        for line in self._shown():
            if line != last + 1:
                yield _row("", "", "\\symattnwide{\\cdots}")
            last = line
            yield from self._rows(line)
            findings = self.said.get(line, [])
            for finding in findings:
                where = f"column {finding.place.column}: " if len(findings) > 1 else ""
                yield f"\\symattnsay{{{symbol(finding.verdict)}}}{{{where}}}{{{words(said(finding))}}}"

    def _shown(self) -> Iterable[int]:
        """Return all lines, or those around statements where there are too many; a preamble only with statements."""
        count = len(self.written) - (self.written[-1] == "" and len(self.written) > 1)
        wanted = {*self.verdicts, *self.spans, *self.said}
        first = self._line(max(0, self.report.text.find(_BODY)))
        if count - first <= MAX_LINES and min(wanted, default=first) >= first:
            return range(first, count)
        near = {line + shift for line in wanted for shift in range(-_AROUND, _AROUND + 1)}
        return sorted(line for line in near if 0 <= line < count)

    def _rows(self, line: int) -> Iterator[str]:
        verdicts = self.verdicts.get(line, set())
        if verdicts:
            # A matrix over several lines counts on each that has a statement of its own.
            verdicts = verdicts | self.covering.get(line, set())
        mark = symbol(min(verdicts, key=SEVERITY.index)) if verdicts else ""
        number = self.numbers.get(line, "") if self.in_cells else str(line + 1)
        for formula in self.formulas.get(line, ()):
            yield f"\\symattnformula{{{mark}}}{{{number}}}{{{formula}}}"
            mark = number = ""
        for content in _broken(self.written[line], self.spans.get(line, [])):
            yield _row(mark, number, f"\\symattnbeneath {content}" if line in self.beneath else content)
            mark = number = ""


def _typeset(node: t.Node, marks: Sequence[t.Span], color: str) -> str:
    """Return a formula as LaTeX, its marked places in a colour; empty where it cannot be written, or is too wide."""
    needed = width(node)
    if needed > _ROOM / LEAST_SCALE:
        return ""
    for tree in (_boxed(node, marks), node):
        try:
            source = math(tree).replace(_TWO_BOXES, f"\\symattnmarked{{{color}}}{{{{")
        except ValueError:
            continue
        if not source.isascii():
            return ""  # the fonts of formulas lack other letters than those that have commands
        return f"$\\displaystyle {source}$" if needed <= _ROOM else fitted(source, needed, _ROOM)
    return ""


def _boxed(node: t.Node, marks: Iterable[t.Span]) -> t.Node:
    """Return the tree with the largest nodes inside marked spans in two boxes; where none is, the smallest around."""
    spans = [item.span for item in walk(node) if item.span is not None]
    wanted = [_widened(mark, spans) for mark in marks]

    def marked(item: t.Node) -> t.Node:
        span = item.span
        if span is not None and any(start <= span[0] and span[1] <= end for start, end in wanted):
            return t.Boxed(t.Boxed(item))
        if isinstance(item, t.Matrix):
            return t.Matrix(tuple(tuple(map(marked, row)) for row in item.rows), item.brackets)
        return rebuilt(item, marked)

    return marked(node)


def _widened(mark: t.Span, spans: Sequence[t.Span]) -> t.Span:
    """Return a span that holds a node of these spans whole, or the smallest of them around it."""
    start, end = mark
    if any(start <= first and last <= end for first, last in spans):
        return mark
    around = [span for span in spans if span[0] <= start and end <= span[1]]
    return min(around, key=lambda span: span[1] - span[0], default=mark)


def _row(mark: str, number: str, content: str) -> str:
    return f"\\symattnline{{{mark}}}{{{number}}}{{{content}}}"


def _broken(line: str, spans: list[tuple[int, int, str]]) -> Iterator[str]:
    """Yield the rows of one line of the work."""
    text = line.rstrip()
    shown = text[:MAX_CHARACTERS]
    styles = [""] * len(shown)
    for start, end, verdict in spans:
        for position in range(max(0, start), min(end, len(shown))):
            styles[position] = verdict
    row: list[tuple[str, str]] = []
    used = 0
    for character, style in zip(shown, styles, strict=True):
        source, size = _cell(character)
        if used + size > COLUMNS:
            yield _styled(row)
            row, used = [("\\symattnrest{}", "")], 2
        row.append((source, style))
        used += size
    yield _styled(row)
    if len(text) > len(shown):
        yield f"\\symattnrest{{}}{words(f'({len(text) - len(shown)} more characters)')}"


def _styled(row: list[tuple[str, str]]) -> str:
    pieces = []
    for style, group in groupby(row, key=lambda item: item[1]):
        content = "".join(source for source, _ in group)
        if style == _STRUCK:
            content = f"\\symattnstruck{{{content}}}"
        elif style and style not in QUIET:
            content = f"\\symattnunder{{{_color(style)}}}{{{content}}}"
        pieces.append(content)
    return "".join(pieces)


def _cell(character: str) -> tuple[str, int]:
    """Return a character of the work as LaTeX, and how many cells it takes."""
    if character == "\t":
        return "\\ " * _TAB, _TAB
    if character == " ":
        return "\\ ", 1
    if character.isascii() and character.isprintable():
        if character in _SPECIAL:
            return f"\\char{ord(character)}{{}}", 1
        return character + "{}" * (character in _JOINING), 1
    if character in _PLAIN:
        plain = _PLAIN[character]
        return "".join(f"{sign}{{}}" for sign in plain), len(plain)
    source = escape(character)
    if source.startswith("$"):
        return f"\\symattnwide{{{source[1:-1]}}}", 2
    shown = printable(character)
    if len(shown) == 1:
        # Accented letters are one cell wide, those of two letters that the font lacks are set narrower than two.
        return f"\\symattnletter{{{source}}}" if character in "¡¿" else source, 2
    return shown, len(shown)
