"""The built documentation can be used by everybody, and asks nothing of other hosts: tried in a browser.

Run with ``pytest -m browser``; it needs the extra ``browser`` and Chromium, and builds the documentation first.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser import SCHEMES, chromium, faults

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PAGES = ("index.html", "tutorials/first-key.html", "reference/problem-file.html", "gallery.html")
WIDTHS = (390, 1280)


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
    with chromium() as browser:
        for name in PAGES:
            assert faults(browser, site + name, width, scheme, (site, "data:")) == [], name
