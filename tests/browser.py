"""Chromium for tests: pages opened at a width, in light or dark, and what is wrong with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCHEMES = ("light", "dark")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
_QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
_GRAVE = ("serious", "critical")
_WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Return a browser that is closed in the end."""
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "install Chromium: these tests look at the pages in it"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(_QUIET))
        yield browser
        browser.close()


def faults(
    browser: Browser,
    address: str,
    width: int,
    scheme: str,
    hosts: Sequence[str],
    prepare: Callable[[Page], object] = lambda page: page,
) -> list[str]:
    """Return what is wrong with a page: words on the console, requests, overflow, and what axe finds grave.

    Args:
        browser: the browser.
        address: of the page.
        width: of the window in pixels.
        scheme: light or dark.
        hosts: beginnings of the addresses that the page may ask.
        prepare: what is done on the page before it is looked at.
    """
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    found: list[str] = []
    page.on("console", lambda message: found.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: found.append(f"error: {error}"))
    page.context.on(
        "request", lambda asked: found.extend([] if asked.url.startswith((*hosts,)) else [f"asks {asked.url}"])
    )
    page.goto(address)
    prepare(page)
    wider = page.evaluate(_WIDER)
    found += [f"{wider} pixels wider than the window"] if wider > 0 else []
    # A policy of the page forbids scripts, and axe is one: it is handed to the browser beside the page.
    for fault in Axe().run(page).response["violations"]:
        if fault["impact"] in _GRAVE:
            found.append(f"{fault['id']}: {[node['html'][:200] for node in fault['nodes'][:3]]}")
    page.close()
    return found
