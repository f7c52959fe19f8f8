"""A report as a page, and as a fragment of HTML for notebooks that brings its own styles; everything in it is escaped.

Chains that were read are MathML, which browsers set without a script; what was not read, or is long, is shown as it was
typed.

A report keeps the text alone, so that its chains are read once more for their MathML. How the text was written is told
by the ending of its name, or else by which way of reading finds chains where the statements of the report stand.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import escape

from symattn.errors import InputError
from symattn.notation.documents.reader import Format, format_of, read_work
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.writers.mathml import Mark, show_mathml
from symattn.rendering.html import page
from symattn.rendering.reports.view import (
    QUIET,
    Finding,
    Marks,
    Report,
    bounded,
    clean,
    facts,
    label,
    line_around,
    marks_of,
    one_line,
    part_label,
    points,
    sentences,
    shown_at,
    verdict_words,
)

MAX_ROWS = 400
"""Statements that are shown in one table."""

MAX_LINE = 300
"""Characters that are shown around the place of a statement."""

_RED, _AMBER = "var(--symattn-wrong,#d93b30)", "var(--symattn-open,#a16b00)"
_GREEN, _GREY = "var(--symattn-right,#238752)", "var(--symattn-soft,#6f7680)"
"""Colours of a page, which knows whether it is light or dark; elsewhere some that can be read on white and on black."""

_COLORS = {"wrong": _RED, "right": _GREEN, "rounded": _GREEN, "carried": _GREEN, "withdrawn": _GREY, "unchecked": _GREY}
_TINTS = {_RED: "#d93b3033", _AMBER: "#a16b0033", _GREEN: "#23875233", _GREY: "#6f768033"}
_CODE = "font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere"
_CELL = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;background:transparent;border:0;font-weight:normal"
_ITEM = "display:flex;flex-wrap:wrap;gap:0 12px;padding:3px 0"
_SAID = "flex:1 1 15em;min-width:0;overflow-wrap:anywhere"
_WIDE = 250.0
"""Pixels from which on a formula may be wider than a telephone leaves room for, and scrolls by keys too."""


def report_html(report: Report) -> str:
    """Return the report as a fragment of HTML: marks, the first mistake, what does not hold, then all statements."""
    head = f"<div>{_bold(report.source)} &nbsp; {_text(report.summary)}</div>"
    return (
        '<div style="max-width:60em;line-height:1.45;text-align:left">' + "\n".join([head, *_body(report)]) + "</div>"
    )


def report_page(report: Report) -> str:
    """Return the report as a whole page."""
    head = page.header(f"Report on {_text(report.source)}", _text(report.summary))
    return page.page(clean(f"Report on {report.source}"), "\n".join([head, *_body(report)]))


def _body(report: Report) -> Iterator[str]:
    formulas = Formulas(report)
    open_ones = [item for item in report.findings if item.verdict not in QUIET]
    yield from () if report.marks is None else _marks(report.marks)
    told = sorted(facts(report), key=lambda fact: fact[0] != "first mistake")
    yield from (f"<div>{_soft(name)} {_text(words)}</div>" for name, words in told)
    if report.marks is not None and report.marks.scheme:
        yield f"<div>{_soft(report.marks.scheme)}</div>"
    yield from _list(report, open_ones, formulas)
    if len(open_ones) < len(report.findings):
        yield "<details><summary>all statements</summary>"
        yield from _list(report, report.findings, formulas)
        yield "</details>"


def _list(report: Report, findings: Sequence[Finding], formulas: Formulas) -> Iterator[str]:
    if findings:
        yield '<ul style="list-style:none;padding:0;margin:6px 0">'
        yield from (_item(report.text, finding, formulas) for finding in findings[:MAX_ROWS])
        yield "</ul>"
    if len(findings) > MAX_ROWS:
        yield f"<div>{_soft(f'and {len(findings) - MAX_ROWS} more, which to_text() shows')}</div>"


def _item(text: str, finding: Finding, formulas: Formulas) -> str:
    words = sentences(finding)
    verdict = f'<b style="color:{_color(finding.verdict)}">{_text(verdict_words(finding))}</b>'
    return (
        f'<li style="{_ITEM}"><span style="color:{_GREY};min-width:4em">{_text(label(shown_at(finding)))}</span>'
        f'<div style="{_SAID}">{_formula(finding, formulas) or _line(text, finding)}'
        f"<div>{verdict}{': ' + _text(words) if words else ''}</div></div></li>"
    )


def _formula(finding: Finding, formulas: Formulas) -> str:
    """Return the chain that a statement belongs to, set, its places marked; empty where it is shown as typed."""
    return formulas.mathml(finding, [(start, end, _mark(verdict)) for start, end, verdict in marks_of(finding)])


def _line(text: str, finding: Finding) -> str:
    """Return the line that a statement stands on as it was typed, its places marked."""
    marks = [(*bounded(text, start, end), verdict) for start, end, verdict in marks_of(finding)]
    start, end, _ = marks[0]
    line, line_end = line_around(text, start)
    end = min(end, line_end)
    low, high = max(line, start - MAX_LINE // 2), min(line_end, end + MAX_LINE // 2, start + MAX_LINE)
    pieces, done = [], low
    for first, last, verdict in sorted(marks):
        if done <= first < high and (first < last or len(marks) == 1):
            stop = min(last, high)
            pieces += [_code(text[done:first]), f'<span style="{_mark(verdict)}">{_code(text[first:stop])}</span>']
            done = stop
    pieces.append(_code(text[done:high]))
    before, after = "…" * (low > line), "…" * (high < line_end)
    return f'<code style="{_CODE};background:transparent;color:inherit">{before}{"".join(pieces).strip()}{after}</code>'


def _mark(verdict: str) -> str:
    color = _color(verdict)
    return f"background:{_TINTS[color]};border-bottom:2px solid {color};color:inherit"


def _marks(marks: Marks) -> Iterator[str]:
    titles = "".join(f'<th scope="col" style="{_CELL}">{title}</th>' for title in ("part", "marks", "why"))
    caption = f'<caption style="text-align:left">{_soft("Marks")}</caption>'
    yield f'<table style="border-collapse:collapse;margin:6px 0">{caption}'
    yield f"<thead><tr>{titles}</tr></thead><tbody>"
    for part in marks.parts:
        yield _mark_row(part_label(part), f"{points(part.earned)}/{points(part.points)}", " ".join(part.reasons))
    if len(marks.parts) > 1:
        yield _mark_row("together", f"{points(marks.earned)}/{points(marks.points)}", "")
    yield "</tbody></table>"


def _mark_row(part: str, *items: str) -> str:
    cells = "".join(f'<td style="{_CELL};overflow-wrap:anywhere;min-width:4em">{_text(item)}</td>' for item in items)
    return f'<tr><th scope="row" style="{_CELL};overflow-wrap:anywhere;min-width:6em">{_text(part)}</th>{cells}</tr>'


def _color(verdict: str) -> str:
    return _COLORS.get(verdict, _AMBER)


def _text(words: str) -> str:
    return _code(one_line(words))


def _code(text: str) -> str:
    # Jupyter reads dollars in HTML as mathematics.
    return escape(clean(text)).replace("$", "<span>&#36;</span>")


def _bold(words: str) -> str:
    return f"<b>{_text(words)}</b>"


def _soft(words: str) -> str:
    return f'<span style="color:{_GREY}">{_text(words)}</span>'


MAX_CHAIN = 1500
"""Characters of a chain that is set; a longer one is shown as text, cut around its place."""

_AS_TEXT = frozenset({"unread", "ambiguous", "withdrawn"})
"""Verdicts on what was written rather than on what it says."""

_ORDER: tuple[Format, ...] = ("md", "tex", "txt")


class Formulas:
    """The chains of one report."""

    def __init__(self, report: Report) -> None:
        self.chains = _chains(report)
        self.starts = [chain.span[0] for chain in self.chains]

    def mathml(self, finding: Finding, marks: Sequence[Mark]) -> str:
        """Return the chain of a statement with its marks, in a box that scrolls.

        Empty where it cannot be set, or should be seen as typed.
        """
        chain = _chain_around(self.chains, self.starts, finding)
        if chain is None or finding.verdict in _AS_TEXT or chain.span[1] - chain.span[0] > MAX_CHAIN:
            return ""
        if any(side is not None and (side.node is None or side.implied) for side in chain.sides):
            return ""
        sides = [None if side is None else side.node for side in chain.sides]
        node = sides[0] if len(sides) == 1 else t.Relation(tuple(sides), chain.operators)
        written = "" if node is None else show_mathml(node, marks, signs=chain.operator_spans)
        # Jupyter reads dollars in HTML as mathematics, and here nothing can stand between them.
        if node is None or "$" in written:
            return ""
        told = 'tabindex="0" role="group" aria-label="formula, scrolls sideways" ' if page.pixels(node) > _WIDE else ""
        return f'<div {told}style="overflow-x:auto;overflow-y:hidden;padding:2px 0">{clean(written)}</div>'


def _chain_around(chains: list[Written], starts: list[int], finding: Finding) -> Written | None:
    """Return the chain that a statement is a link of: it begins where the chain does, or at one of its signs."""
    position = bisect_right(starts, finding.place.start) - 1
    if position < 0:
        return None
    chain = chains[position]
    begins = {chain.span[0], *(start for start, _ in chain.operator_spans)}
    is_link = finding.place.start in begins and finding.place.end <= chain.span[1]
    return chain if is_link else None


def _chains(report: Report) -> list[Written]:
    if not report.findings:
        return []
    readings = [_read(report.text, form) for form in _formats(report.source)]
    return max(readings, key=lambda chains: _found(chains, report.findings)) if len(readings) > 1 else readings[0]


def _formats(source: str) -> Sequence[Format]:
    try:
        form = format_of(source)
    except InputError:
        return _ORDER
    # The text of a notebook in a report is that of its cells, most of them Markdown.
    return ("md",) if form == "ipynb" else (form,)


def _read(text: str, form: Format) -> list[Written]:
    try:
        pieces = read_work(text, form).pieces
    except InputError:
        return []
    return sorted((piece for piece in pieces if isinstance(piece, Written)), key=lambda piece: piece.span)


def _found(chains: list[Written], findings: Sequence[Finding]) -> int:
    starts = [chain.span[0] for chain in chains]
    return sum(_chain_around(chains, starts, finding) is not None for finding in findings)
