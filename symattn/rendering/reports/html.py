"""A report as a fragment of HTML for notebooks: it brings its own styles, and everything in it is escaped.

Chains that were read are MathML, which browsers set without a script; what was not read, or is long, is
shown as it was typed. Colours are of middle lightness and areas are tinted, so that they can be read on
white and on black.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from symattn.rendering.reports.formulas import Formulas
from symattn.rendering.reports.view import (
    QUIET,
    Finding,
    Marks,
    Report,
    bounded,
    clean,
    first_words,
    label,
    line_around,
    marks_of,
    one_line,
    part_label,
    points,
    policy_words,
    sentences,
    shown_at,
    unjudged_words,
    verdict_words,
)

MAX_ROWS = 400
"""Statements that are shown in one table."""

MAX_LINE = 300
"""Characters that are shown around the place of a statement."""

_RED, _AMBER, _GREEN, _GREY = "#d0453a", "#b97a10", "#2e9e62", "#808790"
_COLORS = {"wrong": _RED, "right": _GREEN, "rounded": _GREEN, "carried": _GREEN, "withdrawn": _GREY, "unchecked": _GREY}
_CODE = "font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere"
_WIDE = "overflow-x:auto;padding:2px 0"
_CELL = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;background:transparent;border:0"


def report_html(report: Report) -> str:
    """Return the report as a fragment of HTML: what does not hold, then all statements to be folded out."""
    formulas = Formulas(report)
    open_ones = [item for item in report.findings if item.verdict not in QUIET]
    parts = [
        f"<div>{_bold(report.source)} &nbsp; {_text(report.summary)}</div>",
        *(f"<div>{_soft(name)} {_text(words)}</div>" for name, words in _facts(report)),
        *_table(report, open_ones, formulas),
        *(() if report.marks is None else _marks(report.marks)),
    ]
    if len(open_ones) < len(report.findings):
        parts.append("<details><summary>all statements</summary>")
        parts.extend(_table(report, report.findings, formulas))
        parts.append("</details>")
    return '<div style="max-width:60em;line-height:1.45;text-align:left">' + "\n".join(parts) + "</div>"


def report_page(report: Report) -> str:
    """Return the report as a whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">\n'
        f"<title>{_text(report.source)}</title></head>\n"
        f'<body style="font-family:sans-serif;margin:2em">\n{report_html(report)}\n</body></html>\n'
    )


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    policy, first = policy_words(report), first_words(report)
    if policy:
        yield "policy", policy
    if first:
        yield "first mistake", first
    if report.missing:
        yield "missing", ", ".join(report.missing)
    unjudged = unjudged_words(report)
    if unjudged:
        yield "not judged", unjudged
    yield from (("note", remark) for remark in report.remarks)


def _table(report: Report, findings: Sequence[Finding], formulas: Formulas) -> Iterator[str]:
    if findings:
        yield '<table style="border-collapse:collapse;margin:6px 0">'
        yield from (_row(report.text, finding, formulas) for finding in findings[:MAX_ROWS])
        yield "</table>"
    if len(findings) > MAX_ROWS:
        yield f"<div>{_soft(f'and {len(findings) - MAX_ROWS} more, which to_text() shows')}</div>"


def _row(text: str, finding: Finding, formulas: Formulas) -> str:
    words = sentences(finding)
    verdict = f'<b style="color:{_color(finding.verdict)}">{_text(verdict_words(finding))}</b>'
    return (
        f'<tr><td style="{_CELL};color:{_GREY};white-space:nowrap">{_text(label(shown_at(finding)))}</td>'
        f'<td style="{_CELL}">{_formula(finding, formulas) or _line(text, finding)}'
        f"<div>{verdict}{': ' + _text(words) if words else ''}</div></td></tr>"
    )


def _formula(finding: Finding, formulas: Formulas) -> str:
    """Return the chain that a statement belongs to, set, its places marked; empty where it is shown as typed."""
    written = formulas.mathml(finding, [(start, end, _mark(verdict)) for start, end, verdict in marks_of(finding)])
    return f'<div style="{_WIDE}">{written}</div>' if written else ""


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
    return f"background:{color}33;border-bottom:2px solid {color};color:inherit"


def _marks(marks: Marks) -> Iterator[str]:
    yield '<table style="border-collapse:collapse;margin:6px 0">'
    for part in marks.parts:
        yield _mark_row(part_label(part), f"{points(part.earned)}/{points(part.points)}", " ".join(part.reasons))
    if len(marks.parts) > 1:
        yield _mark_row("together", f"{points(marks.earned)}/{points(marks.points)}", "")
    yield "</table>"
    if marks.scheme:
        yield f"<div>{_soft(marks.scheme)}</div>"


def _mark_row(*items: str) -> str:
    return "<tr>" + "".join(f'<td style="{_CELL}">{_text(item)}</td>' for item in items) + "</tr>"


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
