"""Practice pages in Chromium: the reports of the command line, no request elsewhere, accessible, and within budget."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import SCHEMES, chromium, faults
from tests.courses.practice_pages import (
    EXAMPLES,
    GATE,
    build,
    examples,
    needs_pyodide,
    on_the_command_line,
    served,
    without_source,
    works,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, needs_pyodide]

PROBLEM = EXAMPLES / f"{GATE}.toml"
WIDTHS = (390, 768, 1280)
LONGEST = 90_000
"""Milliseconds that a page may take to load and check on a busy machine."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(build(PROBLEM, tmp_path_factory.mktemp("page") / "site")) as address:
        yield address


def wait(page: Page, selector: str, words: str) -> None:
    """Wait until an element holds words."""
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_contain_text(re.compile(words), timeout=LONGEST)


def submit(page: Page, work: str) -> dict[str, Any]:
    """Type a work, wait for its report and return the JSON that the page saves."""
    page.locator("#report").evaluate("report => report.replaceChildren()")
    page.fill("#work", work)
    wait(page, "#report", "statement")
    with page.expect_download() as saved:
        page.click("#save")
    return without_source(Path(saved.value.path()).read_text("utf-8"))


# The reports -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", examples())
def test_an_example_is_reported_as_by_the_command_line(problem: Path, browser: Browser, tmp_path: Path) -> None:
    """And nothing is asked of any other host, and nothing is said on the console."""
    told: list[str] = []
    with served(build(problem, tmp_path / "site")) as address, browser.new_context() as context:
        context.on("request", lambda asked: told.extend([] if asked.url.startswith(address) else [asked.url]))
        page = context.new_page()
        page.on("console", lambda message: told.append(message.text))
        page.goto(address)
        for work in works(problem):
            assert submit(page, work) == on_the_command_line(problem, work, tmp_path)
    assert [line for line in told if not line.startswith("blob:")] == []


def test_the_first_mistake_is_selected(site: str, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(site)
    submit(page, "A 𝛼 in words\n\nQ_11 = 1\n\nQ_12 = 7.5")
    page.get_by_role("button", name="first mistake").click()
    chosen = "work => work.value.slice(work.selectionStart, work.selectionEnd)"
    assert page.locator("#work").evaluate(chosen) == "Q_12 = 7.5"
    assert page.locator("#work").evaluate("work => work === document.activeElement")
    page.close()


# The look --------------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_is_accessible_before_and_after_a_report(site: str, browser: Browser, width: int, scheme: str) -> None:
    work = works(PROBLEM)[1]
    assert faults(browser, site, width, scheme, (site,)) == []
    assert faults(browser, site, width, scheme, (site, "blob:"), lambda page: submit(page, work)) == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_opened_as_a_file_says_so(browser: Browser, tmp_path: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((build(PROBLEM, tmp_path / "site") / "index.html").as_uri())
    assert "python -m http.server" in page.locator("#offline").inner_text()
    assert page.locator("#work").is_disabled()
    assert page.get_by_role("heading", name="(a) Attention map").is_visible()
    page.close()


# The budget ------------------------------------------------------------------------------------------

LONG = "\n\n".join(f"$Q_{{11}} = {number}/7 = {number}.5$" for number in range(6000))


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ({"gigabytes": 0.04}, r"more than 0\.04 GB of memory"),
        pytest.param({"seconds": 15}, "more than 15 seconds", marks=pytest.mark.long),
    ],
)
def test_a_work_beyond_the_budget_ends_the_worker_alone(
    browser: Browser, tmp_path: Path, budget: dict[str, float], words: str
) -> None:
    folder = build(PROBLEM, tmp_path / "site")
    settings = json.loads((folder / "settings.json").read_text("utf-8"))
    (folder / "settings.json").write_text(json.dumps({**settings, **budget}), encoding="utf-8")
    with served(folder) as address, browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        wait(page, "#status", "Ready")
        # `fill` takes minutes for a long text.
        page.locator("#work").evaluate("(area, text) => { area.value = text; area.oninput(); }", LONG)
        wait(page, "#note", words)
        wait(page, "#status", "Ready")
        assert page.input_value("#work") == LONG
        submit(page, "Q_11 = 1")
        assert page.locator("#note").is_hidden()
        assert page.locator("#status").inner_text().startswith("1 statement")


@pytest.mark.long
def test_a_page_without_its_program_says_so(browser: Browser, tmp_path: Path) -> None:
    site = build(PROBLEM, tmp_path / "site")
    (site / "symattn.zip").unlink()
    with served(site) as address, browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        wait(page, "#note", r"symattn\.zip: 404.*Reload")


# Hostile works ---------------------------------------------------------------------------------------

HOSTILE = (
    "<script>document.title = 'no'</script>",
    "A_11 = <img src=x onerror=\"document.title='no'\">",
    "$A_{11} = \\text{</div><script>document.title='no'</script>} = 1$",
    "A_11 = \ud83d\0\u202e 0.5",
    "A_11 = " + "(" * 5000 + "1" + ")" * 5000,
)


@pytest.mark.long
def test_hostile_works_leave_the_page_whole(site: str, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(site)
    wait(page, "#status", "Ready")
    for work in HOSTILE:
        submit(page, f"{work}\n\nQ_11 = 1")
        assert page.title() == "Computing attention maps – practice"
        assert page.locator("#report script, #report img").count() == 0
        assert page.locator("#note").is_hidden()
    page.close()
