"""Keys, reports and proofs in Chromium: nothing asked, nothing said, nothing cut off, and accessible to everybody.

Run with ``pytest -m browser``; it needs the extra ``browser`` and Chromium.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import symattn as sa
from symattn.api import proofs
from symattn.rendering.html.page import page
from symattn.rendering.reports.html import report_page
from tests.browser import SCHEMES, chromium, faults

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KEYS = sorted(EXAMPLES.glob("*.toml"))
WIDTHS = (390, 768, 1280)
WORKS = {"ps4_self_attention": ("ps4_student_work.md", "ps4_clean_work.tex")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def look(browser: Browser, text: str, folder: Path) -> None:
    """Look at a page at every width, in light and dark, and print it."""
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    address = file.as_uri()
    for width in WIDTHS:
        for scheme in SCHEMES:
            assert faults(browser, address, width, scheme, (address,)) == [], (width, scheme)
    tab = browser.new_page()
    tab.goto(address)
    assert tab.pdf(format="A4").startswith(b"%PDF")
    tab.close()


@pytest.mark.parametrize("path", KEYS, ids=lambda path: path.stem)
def test_keys(path: Path, browser: Browser, tmp_path: Path) -> None:
    look(browser, sa.solve(sa.Problem.load(path)).to_html(), tmp_path)


@pytest.mark.parametrize(("name", "work"), [(name, work) for name, works in WORKS.items() for work in works])
def test_reports(name: str, work: str, browser: Browser, tmp_path: Path) -> None:
    report = sa.check(sa.Problem.load(EXAMPLES / f"{name}.toml"), EXAMPLES / work)
    look(browser, report_page(report), tmp_path)


@pytest.mark.parametrize("path", [path for path in KEYS if sa.Problem.load(path).inputs], ids=lambda path: path.stem)
def test_reports_on_keys(path: Path, browser: Browser, tmp_path: Path) -> None:
    """A key, handed in as a work: the report has every statement of it."""
    problem = sa.Problem.load(path)
    look(browser, report_page(sa.check(problem, sa.solve(problem).to_latex(detail="brief"))), tmp_path)


@pytest.mark.parametrize("name", sorted(sa.theorems()))
def test_proofs(name: str, browser: Browser, tmp_path: Path) -> None:
    found = proofs.proved(name, {})
    look(browser, found.to_html(instance=bool(found.instance)), tmp_path)


def test_a_counter_example(browser: Browser, tmp_path: Path) -> None:
    look(browser, proofs.counterexample("dot-product-mean", "independence").to_html(), tmp_path)


def test_a_page_that_asks_or_overflows_is_found(browser: Browser, tmp_path: Path) -> None:
    """What these tests look for, they find; the policy of our pages does not stop axe."""
    file = tmp_path / "bad.html"
    pale = '<p style="color:#aaa;background:#fff">pale</p><p style="width:2000px">a <img src="https://example.invalid/x.png">'
    file.write_text(page("Bad", f"{pale}<script>nothing()</script>"), encoding="utf-8")
    found = " ".join(faults(browser, file.as_uri(), 390, "light", (file.as_uri(),)))
    for part in (
        "violates the following Content Security Policy",
        "wider than the window",
        "color-contrast",
        "image-alt",
    ):
        assert part in found
