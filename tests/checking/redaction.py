"""Search for right values in what is shown of a report: in its JSON, as text, as HTML and as LaTeX."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from html import unescape

from symattn.api.submissions import Report
from symattn.rendering.reports.html import report_page

ENTRY = re.compile(
    r"\w\[[\d:]+(?:,[\d:]+)?\]|\bentr(?:y|ies)(?:,?\s+\(\d+,\d+\)(?:\s+(?!and\b)[a-z]+)?)+", re.IGNORECASE
)
"""The name of an entry, whose indices are not a number with a decimal comma."""

NUMERAL = re.compile(r"(?<![\w.])-?\d+(?:[.,]\d+|/\d+)?(?![\w/]|[.,]\d)")


def _texts(record: object) -> Iterator[str]:
    """Yield all strings of a JSON value; places are numbers there, and none of them."""
    if isinstance(record, str):
        yield record
    elif isinstance(record, dict | list):
        for item in record.values() if isinstance(record, dict) else record:
            yield from _texts(item)


def _json(report: Report) -> str:
    return "\n".join(_texts(json.loads(json.dumps(report.as_json()))))


def _html(report: Report) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", report_page(report)))


def _latex(report: Report) -> str:
    """Return what is set, with long words and lines of the work that were broken put together again."""
    body = report.to_latex().split("\\begin{document}")[1].replace("{}", "").replace("\\hspace{0pt}", "")
    return body.replace("}\n\\symattnline{\\symattnrest", "")


FORMS: dict[str, Callable[[Report], str]] = {
    "json": _json,
    "text": lambda report: report.to_text(width=100, verbose=True),
    "html": _html,
    "latex": _latex,
}


def numbers(text: str) -> set[Fraction]:
    """Return the numbers that stand in a text as whole words, with points or commas."""
    plain = ENTRY.sub(" ", text).replace("{,}", ",").replace("−", "-")
    found = (match.group().replace(",", ".") for match in NUMERAL.finditer(plain))
    return {Fraction(numeral) for numeral in found if not numeral.endswith("/0")}


def right_values(report: Report) -> set[str]:
    """Return the right values that a report holds."""
    entries = {item.expected for finding in report.findings for row in finding.entries or () for item in row}
    return {value for value in entries | {finding.expected for finding in report.findings} if value}


def quantities(record: object) -> Iterator[str]:
    """Yield the entries of all quantities of a solved problem as JSON: exact, rounded once, and step by step."""
    if isinstance(record, dict):
        for key, item in record.items():
            if key in {"exact", "decimal", "stepwise"}:
                yield from _texts(item)
            elif key != "derivation":
                yield from quantities(item)
    elif isinstance(record, list):
        for item in record:
            yield from quantities(item)


class Search:
    """A search for right values that are written neither in a work nor in its problem.

    A number counts however it is spelled, unless it is a whole one of one digit; other whole numbers are looked for in
    the JSON alone, whose places are not text. All else counts as it is spelled.
    """

    def __init__(self, values: set[str], known: str) -> None:
        written = numbers(known)
        written |= {abs(number) for number in written}  # MathML sets a sign apart
        self.numbers, self.words = set[Fraction](), set[str]()
        for value in values:
            if not NUMERAL.fullmatch(value):
                if len(value) > 1 and value not in known:
                    self.words.add(value)
            else:
                self.numbers |= {
                    number for number in numbers(value) - written if abs(number) > 9 or number.denominator > 1
                }

    def found(self, report: Report) -> set[str]:
        """Return the forms in which a report shows one of the values; marks, which are numbers too, left out."""
        shown = {name: form(replace(report, marks=None)) for name, form in FORMS.items()}
        return {name for name, text in shown.items() if self._is_in(text, has_places=name != "json")}

    def _is_in(self, text: str, *, has_places: bool) -> bool:
        wanted = {number for number in self.numbers if not (has_places and number.denominator == 1)}
        return bool(wanted & numbers(text)) or any(_is_word(word, text) for word in self.words)


def _is_word(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
