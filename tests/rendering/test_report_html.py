"""Reports in a notebook: well formed, self-contained, and nothing of a work is markup."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.rendering.report_html import MAX_ROWS, report_html, report_page
from tests.rendering.reports import EMPTY, REPORT, single

TAGS = {"div", "b", "span", "table", "tr", "td", "code", "details", "summary"}


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
        is_mark = tag == "span" and "border-bottom" in (dict(attrs).get("style") or "")
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
    assert found.tags <= TAGS
    assert found.attributes == {"style"}
    assert found.marked[:2] == ["-2·2", "Q_{32} = 4"]
    for words in (REPORT.summary, "first mistake", "O[1,1], O[1,2]", "4.5/6", "7.5/9", "half-up", "all statements"):
        assert words in found.text
    assert "W_Q[1,1] is 0, copied as 2. The value 5/2 is right" in found.text


def test_it_is_a_fragment_that_loads_nothing() -> None:
    html = report_html(REPORT)
    for word in ("<html", "<style", "<script", "src=", "href=", "url("):
        assert word not in html


def test_a_page_holds_the_fragment() -> None:
    page = report_page(REPORT)
    assert page.startswith("<!DOCTYPE html>")
    assert report_html(REPORT) in page


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
    found = read(report_html(single(text, 0, len(text), explanation=text)))
    assert found.tags <= TAGS
    for word in text.split():
        if word.isprintable():
            assert word in found.text


def test_long_lines_are_cut() -> None:
    assert len(report_html(single("x" * 100_000, 50_000, 50_003))) < 5_000


def test_very_many_statements_are_cut() -> None:
    many = replace(REPORT, findings=REPORT.findings * 300, policy=None)
    found = read(report_html(many))
    assert len(found.marked) == 2 * MAX_ROWS
    assert f"and {5 * 300 - MAX_ROWS} more" in found.text
