"""Common parts of the views of a report: the data they read, the places to mark, and the sentences.

Everything in a report that a person wrote may hold any character at all; `clean` makes it fit to be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from symattn.exact.rounding.quotients import Rounding, format_rational
from symattn.printable import visible

if TYPE_CHECKING:
    from symattn.checking.report import EntryFinding, Finding, Marks, PartMarks, Place, Report

UNJUDGED = "unjudged"
"""What a line shows where a formula on it was read and not judged: as bad as one that was not read."""

QUIET = frozenset({"right", "rounded", "carried", "unchecked"})
"""Verdicts that are shown only to somebody who wants to see everything."""

SEVERITY = (
    "wrong", "follows", "unstated", "undecided", "ambiguous", "unread", "coarse", "truncated", UNJUDGED, "carried",
    "rounded", "right", "withdrawn", "unchecked",
)  # fmt: skip
"""All that a line can show, what most wants attention first: it shows the first among its statements."""

_MAX_QUOTED = 40
"""Characters of a formula that is named in a list."""

MAX_ENTRIES = 6
"""How many wrong entries of one matrix are listed."""


# Characters ----------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """Return written work as it may be shown, its lines kept."""
    return visible(text, lines=True)


def one_line(text: str) -> str:
    r"""Return a text as one line, its spaces run together.

    >>> one_line(" a\n b ")
    'a b'
    """
    return " ".join(text.split())


# Places --------------------------------------------------------------------------------------------


def marks_of(finding: Finding) -> list[tuple[int, int, str]]:
    """Return the places to mark of a statement, each with its verdict, the first shown in front.

    The culprit, and the entries that do not hold and lie apart from it; else all of the statement.
    """
    culprit = finding.culprit
    verdict: str = finding.verdict
    found = [] if culprit is None else [(culprit.start, culprit.end, verdict)]
    for _, _, item in finding.bad_entries():
        start, end = item.place.start, item.place.end
        if culprit is None or end <= culprit.start or culprit.end <= start:
            found.append((start, end, item.verdict))
    return found or [(finding.place.start, finding.place.end, verdict)]


def label(place: Place) -> str:
    """Return line and column, and the cell of a notebook before them."""
    where = f"{place.line}:{place.column}"
    return where if place.cell is None else f"cell {place.cell}, {where}"


def line_of(place: Place) -> str:
    """Return the line in words."""
    return f"line {place.line}" if place.cell is None else f"cell {place.cell}, line {place.line}"


def bounded(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span inside the text, the spaces at its ends left out.

    >>> bounded("a  =  b", 1, 99)
    (3, 7)
    """
    start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, max(start, end)


def line_around(text: str, offset: int) -> tuple[int, int]:
    r"""Return start and end of the line that an offset stands on.

    >>> line_around("ab\ncd\n", 4)
    (3, 5)
    """
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return start, len(text) if end < 0 else end


# Words ---------------------------------------------------------------------------------------------


def verdict_words(finding: Finding) -> str:
    """Return the verdict, and that it is harmless where it is."""
    return f"{finding.verdict} (harmless)" if finding.harmless else finding.verdict


def sentences(finding: Finding) -> str:
    """Return all that is said of a statement, in one line."""
    said = [finding.explanation]
    if finding.diagnosis is not None and finding.diagnosis.said not in finding.explanation:
        said.append(finding.diagnosis.said)
    if finding.missing_hypotheses:
        said.append(f"Not named: {', '.join(finding.missing_hypotheses)}.")
    bad = list(finding.bad_entries())
    if bad and not finding.explanation:
        said.append(_entries(bad))
    elif finding.verdict == "wrong" and finding.expected and not any(said):
        said.append(f"The right value is {finding.expected}.")
    return one_line(" ".join(part for part in said if part))


def _entries(bad: list[tuple[int, int, EntryFinding]]) -> str:
    more = len(bad) - MAX_ENTRIES
    if not any(item.expected for _, _, item in bad):
        is_one_verdict = len({item.verdict for _, _, item in bad}) == 1
        places = [f"({i},{j})" + ("" if is_one_verdict else f" {item.verdict}") for i, j, item in bad[:MAX_ENTRIES]]
        return f"Entr{'y' if len(bad) == 1 else 'ies'} {', '.join(places)}" + (
            f" and {more} more." if more > 0 else "."
        )
    listed = [
        f"entry ({i},{j}) is {item.value or 'not read'}" + (f", right is {item.expected}" if item.expected else "")
        for i, j, item in bad[:MAX_ENTRIES]
    ]
    rest = f"; and {more} more" if more > 0 else ""
    return f"E{'; '.join(listed)[1:]}{rest}."


def line_word(finding: Finding) -> str:
    """Return the word of a statement for its line: its verdict, or that a formula is not judged."""
    return UNJUDGED if finding.verdict == "unchecked" and finding.is_claim else finding.verdict


def unjudged_words(report: Report) -> str:
    """Name the formulas that were neither judged nor found unreadable, empty where there are none."""
    found = [item for item in report.findings if line_word(item) == UNJUDGED]
    shown = [f"{label(item.place)} {clipped(one_line(item.text))}" for item in found[:MAX_ENTRIES]]
    more = len(found) - MAX_ENTRIES
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")


def clipped(text: str) -> str:
    """Return the beginning of a text.

    >>> clipped("a" * 50)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    return text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 1] + "…"


def said(finding: Finding) -> str:
    """Return the verdict and its explanation, the word not said twice."""
    words = sentences(finding)
    verdict = verdict_words(finding)
    if words.lower().startswith(finding.verdict):
        return words
    return f"{verdict}: {words}" if words else verdict


def policy_words(report: Report) -> str:
    """Return the rounding policy with what it explains, empty where nothing was rounded."""
    policy = report.policy
    if policy is None:
        return ""
    inferred = "" if policy.declared else "inferred, "
    words = f"{policy.words} ({inferred}explains {policy.explained} of {policy.of})"
    places = [label(report.findings[number].place) for number in policy.exceptions[:MAX_ENTRIES]]
    more = len(policy.exceptions) - MAX_ENTRIES
    rest = f" and {more} more" if more > 0 else ""
    return one_line(f"{words}, not {', '.join(places)}{rest}" if places else words)


def missing_words(report: Report) -> str:
    """Return the names of what is missing, or their number where they are not named; empty where nothing is."""
    count = report.unlisted_missing
    return f"{count} required quantit{'y' if count == 1 else 'ies'}" if count else ", ".join(report.missing)


def first_words(report: Report) -> str:
    """Return the place of the first mistake, empty where there is none."""
    if report.first_mistake is None:
        return ""
    finding = report.findings[report.first_mistake]
    return one_line(line_of(finding.shown_at) + (f", {finding.name}" if finding.name else ""))


def facts(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the facts at the head of a report, each with its name."""
    policy, first, missing = policy_words(report), first_words(report), missing_words(report)
    if policy:
        yield "policy", policy
    if first:
        yield "first mistake", first
    if missing:
        yield "missing", missing
    unjudged = unjudged_words(report)
    if unjudged:
        yield "not judged", unjudged
    yield from (("note", remark) for remark in report.remarks)


def points(value: Fraction) -> str:
    """Return marks as people write them: whole, or with a decimal or two.

    >>> points(Fraction(0)), points(Fraction(5, 2)), points(Fraction(10))
    ('0', '2.5', '10')
    """
    if value.denominator == 1:
        return str(value.numerator)
    return format_rational(value, Rounding(places=2)).rstrip("0").rstrip(".")


def part_label(part: PartMarks) -> str:
    """Return the label of a part in brackets, unless it has some or is a title."""
    name = one_line(part.part)
    return f"({name})" if name.isalnum() else name


def marks_words(marks: Marks) -> str:
    """Return the marks of each part and of all of them in one line."""
    parts = [f"{part_label(part)} {points(part.earned)}/{points(part.points)}" for part in marks.parts]
    total = f"{points(marks.earned)}/{points(marks.points)}"
    return ", ".join(parts) + (f", together {total}" if len(parts) > 1 else "")
