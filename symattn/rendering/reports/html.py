"""A report as a page, and as a fragment of HTML for notebooks that brings its own styles; everything in it is escaped.

Chains that were read are MathML, which browsers set without a script; what was not read, or is long, is shown as it was
typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from symattn.notation.writers.mathml import show_mathml
from symattn.rendering.html import page
from symattn.rendering.reports.formulas import Formulas
from symattn.rendering.reports.view import (
    QUIET,
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
    verdict_words,
)

if TYPE_CHECKING:
    from symattn.checking.report import Finding, Marks, Report

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
        f'<li style="{_ITEM}"><span style="color:{_GREY};min-width:4em">{_text(label(finding.shown_at))}</span>'
        f'<div style="{_SAID}">{_formula(finding, formulas) or _line(text, finding)}'
        f"<div>{verdict}{': ' + _text(words) if words else ''}</div></div></li>"
    )


def _formula(finding: Finding, formulas: Formulas) -> str:
    """Return the chain that a statement belongs to, set, its places marked; empty where it is shown as typed."""
    found = formulas.of(finding)
    if found is None:
        return ""
    marks = [(start, end, _mark(verdict)) for start, end, verdict in marks_of(finding)]
    written = show_mathml(found.node, marks, signs=found.signs)
    if "$" in written:  # Jupyter reads dollars in HTML as mathematics, and here nothing can stand between them
        return ""
    is_wide = page.pixels(found.node) > _WIDE
    told = 'tabindex="0" role="group" aria-label="formula, scrolls sideways" ' if is_wide else ""
    return f'<div {told}style="overflow-x:auto;overflow-y:hidden;padding:2px 0">{clean(written)}</div>'


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
