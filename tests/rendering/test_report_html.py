"""Reports in a notebook: well formed, self-contained, and nothing of a work is markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.checking.report import Report, Verdict
from symattn.notation.parser.latex import read_latex
from symattn.rendering.reports.html import MAX_ROWS, report_html, report_page
from tests.notation.mathml_reader import read_mathml
from tests.rendering.reports import EMPTY, REPORT, single

TAGS = {"div", "b", "span", "ul", "li", "code", "details", "summary"}
MARKS = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
MATHML = {"math", "mrow", "mi", "mn", "mo", "mtext", "msub", "mfrac", "mtable", "mtr", "mtd"}


class Reader(HTMLParser):
    """The text of a fragment, its tags and attributes; tags that are not closed in order are a fault."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.marked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_mark = "border-bottom" in (dict(attrs).get("style") or "")
        self.open.append("mark" if is_mark else tag)
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if is_mark:
            self.marked.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() in (tag, "mark")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.marked and "mark" in self.open:
            self.marked[-1] += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def test_a_report_is_read_from_its_fragment() -> None:
    found = read(report_html(REPORT))
    assert found.tags <= TAGS | MARKS | MATHML
    assert found.attributes - {"tabindex", "role", "aria-label"} == {"style", "xmlns", "display", "stretchy", "scope"}
    assert found.marked[:6] == ["−2⋅2", "Q_{32} = 4", "2", "3", "=", "0.7"]
    for words in (REPORT.summary, "first mistake", "O[1,1], O[1,2]", "4.5/6", "7.5/9", "half-up", "all statements"):
        assert words in found.text
    assert "W_Q[1,1] is 0, copied as 2. The value 5/2 is right" in found.text


def test_it_is_a_fragment_that_loads_nothing() -> None:
    html = report_html(REPORT)
    for word in ("<html", "<style", "<script", "src=", "href=", "url("):
        assert word not in html


# Formulas ------------------------------------------------------------------------------------------


def formulas(html: str) -> list[ET.Element]:
    """The formulas of a fragment, each read as XML."""
    return [ET.fromstring(found) for found in re.findall(r"<math .*?</math>", html)]  # noqa: S314 - our own


def marked(formula: ET.Element) -> list[str]:
    return ["".join(item.itertext()) for item in formula.iter() if "border-bottom" in item.get("style", "")]


def of_source(text: str, part: str, source: str, verdict: Verdict = "wrong") -> Report:
    start = text.index(part)
    return replace(single(text, start, start + len(part), verdict), source=source)


@pytest.mark.parametrize(
    ("source", "text", "part"),
    [
        ("work.md", "So $Q_{11} = 0.60$ it is", "Q_{11} = 0.60"),
        ("work.tex", "So $Q_{11} = 0.60$ it is", "Q_{11} = 0.60"),
        ("work.txt", "Q_11 = 0.60", "Q_11 = 0.60"),
        ("work.ipynb", "So $Q_{11} = 0.60$ it is", "Q_{11} = 0.60"),
        ("<work>", r"\[ Q_{11} = 0.60 \]", "Q_{11} = 0.60"),
        ("<work>", "Q_11 = 0.60", "Q_11 = 0.60"),
    ],
)
def test_chains_are_set_however_they_were_written(source: str, text: str, part: str) -> None:
    html = report_html(of_source(text, part, source))
    (formula,) = formulas(html)
    assert marked(formula) == ["Q11", "=", "0.60"]
    written = html[html.index("<math") : html.index("</math>") + len("</math>")]
    assert read_mathml(written) == read_latex("Q_{11} = 0.60")


def test_a_link_is_marked_in_its_chain() -> None:
    text = r"$a = \frac{1}{2} = 0.6$"
    (formula,) = formulas(report_html(of_source(text, "= 0.6", "w.md")))
    assert "".join(formula.itertext()) == "a=12=0.6"
    assert marked(formula) == ["=", "0.6"]


def test_each_wrong_entry_of_a_matrix_is_marked() -> None:
    matrices = [item for item in formulas(report_html(REPORT)) if "S" in "".join(item.itertext())]
    assert marked(matrices[0]) == ["2", "3"]


@pytest.mark.parametrize("verdict", ["unread", "ambiguous", "withdrawn"])
def test_what_was_not_read_or_taken_back_is_shown_as_typed(verdict: Verdict) -> None:
    html = report_html(of_source("$Q_{11} = 2$", "Q_{11} = 2", "w.md", verdict))
    assert formulas(html) == []
    assert "Q_{11} = 2" in html


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (r"$Q_{11} = \nonsense{2}$", r"Q_{11} = \nonsense{2}"),
        (f"$Q = {' + '.join('1' * 900)}$", "Q = 1"),
        (r"$Q = \text{a \$ b}$", r"Q = \text{a \$ b}"),
        ("Q is two", "two"),
    ],
)
def test_what_cannot_be_set_is_shown_as_typed(text: str, part: str) -> None:
    html = report_html(of_source(text, part, "w.md"))
    assert formulas(html) == []
    assert read(html).marked == [part]


def test_names_in_formulas_cannot_turn_the_text() -> None:
    text = "$Q = \\text{a\u202eb<script>}$"
    html = report_html(of_source(text, text[1:-1], "w.md"))
    assert "\u202e" not in html
    assert "<script" not in html


def test_a_page_holds_the_fragment() -> None:
    page = report_page(REPORT)
    assert page.startswith("<!DOCTYPE html>")
    fragment = report_html(REPORT)
    assert fragment[fragment.index("<table") :].removesuffix("</div>") in page


def test_marks_and_the_first_mistake_stand_at_the_top() -> None:
    text = read(report_html(REPORT)).text
    assert text.index(REPORT.summary) < text.index("7.5/9") < text.index("first mistake") < text.index("policy")
    assert text.index("policy") < text.index("copied as 2")


def test_an_empty_report() -> None:
    found = read(report_html(EMPTY))
    assert "0 statements" in found.text
    assert "table" not in found.tags


@pytest.mark.parametrize(
    "text",
    ["<script>alert(1)</script>", '"><img src=x onerror=y>', "&amp; <b>", "$x_1$ \\(y\\)", "\x00\x1b\u202e\ud800"],
)
def test_text_is_not_markup(text: str) -> None:
    report = replace(single(text, 0, len(text), explanation=text), source=text, remarks=(text,), missing=(text,))
    html = report_html(report)
    found = read(html)
    assert found.tags <= TAGS
    assert found.attributes == {"style"}
    assert "$x" not in html
    html.encode("utf-8")


@given(st.text(max_size=80))
def test_every_text_is_shown_as_it_is(text: str) -> None:
    found = read(report_html(single(text, 0, len(text), "unread", explanation=text)))
    assert found.tags <= TAGS
    for word in text.split():
        if word.isprintable():
            assert word in found.text


def test_long_lines_are_cut() -> None:
    assert len(report_html(single("x" * 100_000, 50_000, 50_003))) < 5_000


def test_very_many_statements_are_cut() -> None:
    many = replace(REPORT, findings=REPORT.findings * 300, policy=None)
    html = report_html(many)
    found = read(html)
    assert html.count("<li ") == 2 * MAX_ROWS
    assert f"and {5 * 300 - MAX_ROWS} more" in found.text
