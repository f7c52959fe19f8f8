"""The built documentation can be used by everybody, and asks nothing of other hosts: tried in a browser.

Run with ``pytest -m browser``; it needs the extra ``browser`` and Chromium, and builds the documentation first.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PAGES = ("index.html", "tutorials/first-key.html", "reference/problem-file.html", "gallery.html")
WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the documentation, built from nothing."""
    folder = tmp_path_factory.mktemp("site")
    built = [sys.executable, "-m", "sphinx", "-q", "-W", "-d", str(tmp_path_factory.mktemp("trees"))]
    subprocess.run([*built, str(ROOT / "docs"), str(folder)], check=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_are_accessible_and_fit_and_ask_nothing_of_other_hosts(site: str, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "install Chromium: these tests look at the pages in it"
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=quiet)
        for name in PAGES:
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            asked: list[str] = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(site + name)
            faults = Axe().run(page).response["violations"]
            assert [fault["id"] for fault in faults if fault["impact"] in {"serious", "critical"}] == [], name
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert [url for url in asked if not url.startswith((site, "data:"))] == [], name
            page.close()
        browser.close()
