"""A report as a fragment of HTML for notebooks: it brings its own styles, and everything in it is escaped.

Colours are of middle lightness and areas are tinted, so that they can be read on white and on black.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from symattn.rendering.report_view import (
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
    verdict_words,
)

MAX_ROWS = 400
"""Statements that are shown in one table."""

MAX_LINE = 300
"""Characters that are shown around the place of a statement."""

_RED, _AMBER, _GREEN, _GREY = "#d0453a", "#b97a10", "#2e9e62", "#808790"
_COLORS = {"wrong": _RED, "right": _GREEN, "rounded": _GREEN, "carried": _GREEN, "withdrawn": _GREY, "unchecked": _GREY}
_CODE = "font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere"
_CELL = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;background:transparent;border:0"


def report_html(report: Report) -> str:
    """The report as a fragment of HTML: what does not hold, then all statements to be folded out."""
    open_ones = [item for item in report.findings if item.verdict not in QUIET]
    parts = [
        f"<div>{_bold(report.source)} &nbsp; {_text(report.summary)}</div>",
        *(f"<div>{_soft(name)} {_text(words)}</div>" for name, words in _facts(report)),
        *_table(report, open_ones),
        *(() if report.marks is None else _marks(report.marks)),
    ]
    if len(open_ones) < len(report.findings):
        parts.append("<details><summary>all statements</summary>")
        parts.extend(_table(report, report.findings))
        parts.append("</details>")
    return '<div style="max-width:60em;line-height:1.45;text-align:left">' + "\n".join(parts) + "</div>"


def report_page(report: Report) -> str:
    """The report as a whole page."""
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
    yield from (("note", remark) for remark in report.remarks)


def _table(report: Report, findings: Sequence[Finding]) -> Iterator[str]:
    if findings:
        yield '<table style="border-collapse:collapse;margin:6px 0">'
        yield from (_row(report.text, finding) for finding in findings[:MAX_ROWS])
        yield "</table>"
    if len(findings) > MAX_ROWS:
        yield f"<div>{_soft(f'and {len(findings) - MAX_ROWS} more, which to_text() shows')}</div>"


def _row(text: str, finding: Finding) -> str:
    color = _color(finding.verdict)
    words = sentences(finding)
    verdict = f'<b style="color:{color}">{_text(verdict_words(finding))}</b>'
    return (
        f'<tr><td style="{_CELL};color:{_GREY};white-space:nowrap">{_text(label(shown_at(finding)))}</td>'
        f'<td style="{_CELL}"><code style="{_CODE};background:transparent;color:inherit">'
        f"{_line(text, finding, color)}</code>"
        f"<div>{verdict}{': ' + _text(words) if words else ''}</div></td></tr>"
    )


def _line(text: str, finding: Finding, color: str) -> str:
    """The line that a statement stands on, its places marked."""
    start, end = bounded(text, *marks_of(finding)[0][:2])
    line, line_end = line_around(text, start)
    end = min(end, line_end)
    low, high = max(line, start - MAX_LINE // 2), min(line_end, end + MAX_LINE // 2, start + MAX_LINE)
    end = min(end, high)
    before = text[low:start].lstrip() if low == line else "…" + text[low:start]
    after = text[end:high].rstrip() if high == line_end else text[end:high] + "…"
    mark = f"background:{color}33;border-bottom:2px solid {color};color:inherit"
    return f'{_code(before)}<span style="{mark}">{_code(text[start:end])}</span>{_code(after)}'


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
